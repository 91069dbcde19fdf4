/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of operators that read indices of any kind: those of unpooling and of adaptive maxima. */
#ifndef ACLNN_CPU_TESTS_ROWS_INDICES_H
#define ACLNN_CPU_TESTS_ROWS_INDICES_H

#include "tests/support/rig.h"

/* By the case's picks: rising ones without repetition; anywhere in the plane; the same with some
 * outside of it. */
void rows_fill_indices(struct rig_problem *problem, int operand, struct random *random);

/* Index i of a dense operand. */
int64_t rows_index(const struct rig_problem *problem, int operand, int64_t i);

/* Synchronising must name this index, the first one that is told. */
void rows_expect_bad_index(struct rig_problem *problem, int64_t i, int64_t index);

/* Does aclnnMaxUnpool2dBackward cast from one type to the other? */
bool rows_is_castable(enum case_dtype from, enum case_dtype to);

/* rows_unpool.c */
extern const struct rig_operator rig_max_unpool2d, rig_max_unpool3d;
extern const struct rig_operator rig_max_unpool2d_backward, rig_max_unpool3d_backward;

/* rows_adaptive_max.c */
extern const struct rig_operator rig_adaptive_max_pool2d, rig_adaptive_max_pool3d;
extern const struct rig_operator rig_adaptive_max_pool2d_backward, rig_adaptive_max_pool3d_backward;

#endif
