/* SPDX-License-Identifier: Apache-2.0 */
/* Average pooling: windows, whole planes, gradients. */
#include "tests/support/rows.h"

static const struct rig_operator *const rig_rows[] = {
    &rig_avg_pool2d,
    &rig_avg_pool2d_backward,
    &rig_avg_pool3d,
    &rig_avg_pool3d_backward,
    &rig_global_average_pool,
    &rig_aclnnext_avg_pool_grad,
    NULL,
};

#include "tests/fuzz/rig_target.h"
