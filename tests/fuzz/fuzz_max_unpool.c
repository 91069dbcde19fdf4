/* SPDX-License-Identifier: Apache-2.0 */
/* Max unpooling and its gradients: any indices. */
#include "tests/support/rig_fuzz.h"
#include "tests/support/rows_indices.h"

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
        &rig_max_unpool2d,
        &rig_max_unpool2d_backward,
        &rig_max_unpool3d,
        &rig_max_unpool3d_backward,
        NULL,
    };
    return rig_fuzz(rows, data, size);
}
