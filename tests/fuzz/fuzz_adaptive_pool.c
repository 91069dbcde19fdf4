/* SPDX-License-Identifier: Apache-2.0 */
/* Adaptive pooling: bins, their means and maxima, gradients. */
#include "tests/support/rows.h"
#include "tests/support/rows_indices.h"

static const struct rig_operator *const rig_rows[] = {
    &rig_adaptive_avg_pool2d,
    &rig_adaptive_avg_pool2d_backward,
    &rig_adaptive_avg_pool3d,
    &rig_adaptive_avg_pool3d_backward,
    &rig_adaptive_max_pool2d,
    &rig_adaptive_max_pool2d_backward,
    &rig_adaptive_max_pool3d,
    &rig_adaptive_max_pool3d_backward,
    NULL,
};

#include "tests/fuzz/rig_target.h"
