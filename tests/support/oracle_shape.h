/* SPDX-License-Identifier: Apache-2.0 */
/* Oracles of operators that move elements: what they share. */
#ifndef ACLNN_CPU_TESTS_ORACLE_SHAPE_H
#define ACLNN_CPU_TESTS_ORACLE_SHAPE_H

#include "tests/support/oracle_rows.h"

enum { RANK = CASE_RANK };
#define LINES(...) ((const char *const[]){__VA_ARGS__, NULL})

/* The indices of element i of a view, and the element at some; -1: outside. */
void shape_indices(const struct operand *view, int64_t i, int64_t at[RANK]);
int64_t shape_element(const struct operand *view, const int64_t at[RANK]);
/* An axis that may be counted from the end. */
int shape_axis(int64_t dim, int rank);
/* Element i of `to` is element j of `from`, or 0 where j is none. */
void shape_put(struct rig_problem *problem, int to, int64_t i, int from, int64_t j);

/* ---- random problems ---- */

struct shape {
    int rank;
    int64_t dims[RANK];
};

struct shape shape_some(struct random *random, int least, int most);
struct case_argument *shape_tensor(struct test_case *test, struct random *random, const char *name,
                                   enum case_dtype dtype, const struct shape *shape,
                                   bool is_written);
/* An axis, from the end at times. */
int64_t shape_dim(struct random *random, int axis, int rank);

#endif
