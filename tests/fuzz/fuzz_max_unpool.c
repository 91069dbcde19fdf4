/* SPDX-License-Identifier: Apache-2.0 */
/* Max unpooling and its gradients: any indices. */
#include "tests/support/rows_indices.h"

static const struct rig_operator *const rig_rows[] = {
    &rig_max_unpool2d,
    &rig_max_unpool2d_backward,
    &rig_max_unpool3d,
    &rig_max_unpool3d_backward,
    NULL,
};

#include "tests/fuzz/rig_target.h"
