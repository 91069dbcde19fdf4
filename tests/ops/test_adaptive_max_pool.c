/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnAdaptiveMaxPool2d, aclnnAdaptiveMaxPool3d and their gradients against the definition. */
#include <string.h>

#include "tests/ops/suite.h"
#include "tests/support/rows_indices.h"

RIG_SUITE(adaptive_max_pool);

Test(adaptive_max_pool, the_case_of_the_environment)
{
    check_environment(&rig_adaptive_max_pool2d);
    check_environment(&rig_adaptive_max_pool3d);
    check_environment(&rig_adaptive_max_pool2d_backward);
    check_environment(&rig_adaptive_max_pool3d_backward);
}

Test(adaptive_max_pool, random_2d)
{
    check_floats(&rig_adaptive_max_pool2d);
    check_dtype(&rig_adaptive_max_pool2d, CASE_F64);
}

Test(adaptive_max_pool, random_3d)
{
    check_floats(&rig_adaptive_max_pool3d);
}

Test(adaptive_max_pool, random_2d_backward)
{
    check_floats(&rig_adaptive_max_pool2d_backward);
}

Test(adaptive_max_pool, random_3d_backward)
{
    check_floats(&rig_adaptive_max_pool3d_backward);
}

/* The bins of the contract's worked numbers: 5 to 3, 3 to 5, 7 to 4. Rows longer than what is in
 * work at once, bins longer than that, bins that are whole rows and whole planes. */
Test(adaptive_max_pool, edges_of_bins)
{
    CHECK_EACH(&rig_adaptive_max_pool2d,
               "adaptive_max_pool2d f32 n1c2 5x3 o3x5 idx=i64 data=special seed=1",
               "adaptive_max_pool2d f16 n1c2 7x5 o4x3 idx=i64 data=ties seed=2",
               "adaptive_max_pool2d f32 c2 5x3000 o2x700 idx=i64 data=ties seed=3",
               "adaptive_max_pool2d bf16 c2 4x3000 o3x2 idx=i64 data=ties seed=4",
               "adaptive_max_pool2d f32 c3 3x4000 o3x7 idx=i64 data=special seed=5",
               "adaptive_max_pool2d f16 c3 70x31 o6x1 idx=i64 data=special seed=6",
               "adaptive_max_pool2d f32 n2c3 57x43 o1x1 idx=i64 data=ties seed=7",
               "adaptive_max_pool2d f64 n2c3 57x43 o1x1 idx=i64 data=special seed=8",
               "adaptive_max_pool2d f32 n0c3 5x5 o2x2 idx=i64",
               "adaptive_max_pool2d f32 c0 5x5 o2x2 idx=i64");
    CHECK_EACH(&rig_adaptive_max_pool3d,
               "adaptive_max_pool3d f32 n1c2 5x7x3 o3x4x5 data=special seed=1",
               "adaptive_max_pool3d bf16 c2 9x20x31 o2x1x1 idx=i64 data=ties seed=3",
               "adaptive_max_pool3d f16 c2 9x20x31 o2x3x1 data=special seed=4",
               "adaptive_max_pool3d f32 c2 9x20x31 o1x1x1 data=special seed=5",
               "adaptive_max_pool3d f32 c2 3x4x5 o3x4x5 seed=6",
               "adaptive_max_pool3d f32 c2 3x4x5 o2x2x2 seed=8",
               "adaptive_max_pool3d f32 n0c2 3x4x5 o2x2x2");
}

/* Q13: no gradients are zeros; else empty tensors are left alone. Planes cut into pieces. */
Test(adaptive_max_pool, edges_of_gradients)
{
    CHECK_EACH(&rig_adaptive_max_pool2d_backward, "adaptive_max_pool2d_backward f32 n2c3 4x5 o0x2",
               "adaptive_max_pool2d_backward bf16 c3 4x5 o2x0 dx=strided seed=2",
               "adaptive_max_pool2d_backward f16 n2c3 0x5 o2x2",
               "adaptive_max_pool2d_backward f32 n0c3 4x5 o2x2",
               "adaptive_max_pool2d_backward f32 n2c0 4x5 o2x2",
               "adaptive_max_pool2d_backward f32 n1c1 800x801 o100x90 picks=any seed=4",
               "adaptive_max_pool2d_backward f16 n1c1 800x801 o100x90 picks=bad seed=5",
               "adaptive_max_pool2d_backward bf16 n1c2 500x801 o300x500 idx=i64 seed=6");
    CHECK_EACH(&rig_adaptive_max_pool3d_backward,
               "adaptive_max_pool3d_backward f16 n2c3 4x5x6 o0x0x0 idx=i64",
               "adaptive_max_pool3d_backward f32 n2c3 4x5x6 o4x5x6 picks=bad seed=7");
}

Test(adaptive_max_pool, repeatable)
{
    check_repeatable(&rig_adaptive_max_pool2d,
                     "adaptive_max_pool2d f32 n2c3 9x11 o4x5 idx=i64 strided seed=3");
    check_repeatable(&rig_adaptive_max_pool3d_backward,
                     "adaptive_max_pool3d_backward bf16 n2c3 9x11x4 o4x5x2 strided");
}

Test(adaptive_max_pool_settings, threads_and_instruction_sets, .timeout = 900)
{
    static const char *const forward[] = {
        "adaptive_max_pool2d f32 n1c1 800x801 o70x80 idx=i64 data=ties"};
    static const char *const backward[] = {
        "adaptive_max_pool2d_backward f32 n1c1 800x801 o400x400 picks=any",
        "adaptive_max_pool2d_backward bf16 n1c1 800x801 o400x400 picks=any"};
    check_settings(&rig_adaptive_max_pool2d, forward, 1);
    check_settings(&rig_adaptive_max_pool2d_backward, backward, 2);
    check_settings(&rig_adaptive_max_pool3d, NULL, 0);
    check_settings(&rig_adaptive_max_pool3d_backward, NULL, 0);
}
