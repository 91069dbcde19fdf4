/* SPDX-License-Identifier: Apache-2.0 */
/* Max pooling: windows, indices, masks, gradients. */
#include "tests/support/rows.h"

static const struct rig_operator *const rig_rows[] = {
    &rig_max_pool,
    &rig_max_pool2d_with_indices,
    &rig_max_pool2d_with_indices_backward,
    &rig_max_pool2d_with_mask,
    &rig_max_pool2d_with_mask_backward,
    &rig_max_pool3d_with_argmax,
    &rig_max_pool3d_with_argmax_backward,
    &rig_aclnnext_max_pool_grad,
    &rig_aclnnext_max_pool_backward,
    &rig_global_max_pool,
    NULL,
};

#include "tests/fuzz/rig_target.h"
