/* SPDX-License-Identifier: Apache-2.0 */
/* Adaptive pooling: bins, their means and maxima, gradients. */
#include "tests/support/rig_fuzz.h"
#include "tests/support/rows.h"
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
    return rig_fuzz(rows, data, size);
}
