/* SPDX-License-Identifier: Apache-2.0 */
/* Average pooling: windows, whole planes, gradients. */
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
        &rig_avg_pool2d,
        &rig_avg_pool2d_backward,
        &rig_avg_pool3d,
        &rig_avg_pool3d_backward,
        &rig_global_average_pool,
        &rig_aclnnext_avg_pool_grad,
        NULL,
    };
    return rig_fuzz(rows, data, size);
}
