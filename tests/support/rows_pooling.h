/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of all pooling operators, for fuzz targets and for suites that ask the same of each. The
 * first byte of a fuzz input is a place in one of them: new ones come last. */
#ifndef ACLNN_CPU_TESTS_ROWS_POOLING_H
#define ACLNN_CPU_TESTS_ROWS_POOLING_H

#include "tests/support/rows.h"
#include "tests/support/rows_indices.h"

/* clang-format off */
#define ROWS_AVERAGE                                                                               \
    &rig_avg_pool2d, &rig_avg_pool2d_backward, &rig_avg_pool3d, &rig_avg_pool3d_backward,          \
    &rig_global_average_pool, &rig_aclnnext_avg_pool_grad
#define ROWS_MAXIMUM                                                                               \
    &rig_max_pool, &rig_max_pool2d_with_indices, &rig_max_pool2d_with_indices_backward,            \
    &rig_max_pool2d_with_mask, &rig_max_pool2d_with_mask_backward, &rig_max_pool3d_with_argmax,    \
    &rig_max_pool3d_with_argmax_backward, &rig_aclnnext_max_pool_grad,                             \
    &rig_aclnnext_max_pool_backward, &rig_global_max_pool
#define ROWS_ADAPTIVE                                                                              \
    &rig_adaptive_avg_pool2d, &rig_adaptive_avg_pool2d_backward, &rig_adaptive_avg_pool3d,         \
    &rig_adaptive_avg_pool3d_backward, &rig_adaptive_max_pool2d,                                   \
    &rig_adaptive_max_pool2d_backward, &rig_adaptive_max_pool3d, &rig_adaptive_max_pool3d_backward
#define ROWS_UNPOOL                                                                                \
    &rig_max_unpool2d, &rig_max_unpool2d_backward, &rig_max_unpool3d, &rig_max_unpool3d_backward
/* clang-format on */

static const struct rig_operator *const rows_pooling[] = {ROWS_AVERAGE, ROWS_MAXIMUM, ROWS_ADAPTIVE,
                                                          ROWS_UNPOOL};

enum { ROWS_POOLING = sizeof rows_pooling / sizeof rows_pooling[0] };

#endif
