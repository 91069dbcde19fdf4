/* SPDX-License-Identifier: Apache-2.0 */
/* Every operator as the rig sees it: rig_<word>, where <word> is its name in the case language.
 * Those that read or find indices freely are declared in rows_indices.h. */
#ifndef ACLNN_CPU_TESTS_ROWS_H
#define ACLNN_CPU_TESTS_ROWS_H

#include "tests/support/rig.h"

/* rows_avg_pool2d_backward.c */
extern const struct rig_operator rig_avg_pool2d_backward;

/* The average family: rows_avg.c */
extern const struct rig_operator rig_avg_pool2d, rig_avg_pool3d, rig_avg_pool3d_backward;
extern const struct rig_operator rig_adaptive_avg_pool2d, rig_adaptive_avg_pool2d_backward;
extern const struct rig_operator rig_adaptive_avg_pool3d, rig_adaptive_avg_pool3d_backward;
extern const struct rig_operator rig_global_average_pool, rig_aclnnext_avg_pool_grad;

/* The maximum family: rows_max.c, rows_max_ext.c */
extern const struct rig_operator rig_max_pool, rig_global_max_pool;
extern const struct rig_operator rig_max_pool2d_with_indices, rig_max_pool2d_with_indices_backward;
extern const struct rig_operator rig_max_pool2d_with_mask, rig_max_pool2d_with_mask_backward;
extern const struct rig_operator rig_max_pool3d_with_argmax, rig_max_pool3d_with_argmax_backward;
extern const struct rig_operator rig_aclnnext_max_pool_grad, rig_aclnnext_max_pool_backward;

#endif
