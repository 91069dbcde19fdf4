/* SPDX-License-Identifier: Apache-2.0 */
/* Max pooling: windows, indices, masks, gradients. */
#include "tests/support/rig_fuzz.h"
#include "tests/support/rows.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    rig_fuzz_begin();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct rig_operator *const rows[] = {
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
    return rig_fuzz(rows, data, size);
}
