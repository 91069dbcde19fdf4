/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnMaxUnpool2d, aclnnMaxUnpool3d and their gradients against the definition, bit for bit. */
#include <string.h>

#include "tests/ops/suite.h"
#include "tests/support/rows_indices.h"

RIG_SUITE(max_unpool);

static const enum case_dtype forward_types[] = {CASE_F32, CASE_F16, CASE_BF16, CASE_F64, CASE_I8,
                                                CASE_U8,  CASE_I16, CASE_I32,  CASE_I64};
static const enum case_dtype backward_types[] = {CASE_F32, CASE_F16, CASE_BF16, CASE_I8,  CASE_U8,
                                                 CASE_I16, CASE_I32, CASE_I64,  CASE_BOOL};

Test(max_unpool, the_case_of_the_environment)
{
    check_environment(&rig_max_unpool2d);
    check_environment(&rig_max_unpool3d);
    check_environment(&rig_max_unpool2d_backward);
    check_environment(&rig_max_unpool3d_backward);
}

Test(max_unpool, random_2d)
{
    check_dtypes(&rig_max_unpool2d, forward_types, LENGTH(forward_types));
}

Test(max_unpool, random_3d)
{
    check_dtypes(&rig_max_unpool3d, forward_types, LENGTH(forward_types));
}

Test(max_unpool, random_2d_backward)
{
    check_dtypes(&rig_max_unpool2d_backward, backward_types, LENGTH(backward_types));
}

Test(max_unpool, random_3d_backward)
{
    check_dtypes(&rig_max_unpool3d_backward, forward_types, LENGTH(forward_types));
}

/* Empty tensors are left alone; extents of 1; planes that are cut into pieces, and tiles. */
Test(max_unpool, edges_of_shapes)
{
    CHECK_EACH(&rig_max_unpool2d, "max_unpool2d f32 n0c3 9x11 o4x5", "max_unpool2d i8 c0 2x2 o1x1",
               "max_unpool2d f16 c1 1x1 o1x1 idx=i64",
               "max_unpool2d f32 n1c1 800x801 o400x400 seed=5",
               "max_unpool2d f64 c2 700x500 o100x90 idx=i64 picks=any seed=6",
               "max_unpool2d bf16 n1c1 900x600 o450x300 picks=bad seed=7",
               "max_unpool2d i8 n2c2 1x1500 o1x700 strided seed=8");
    CHECK_EACH(&rig_max_unpool3d, "max_unpool3d f32 n0c3 4x4x4 o2x2x2",
               "max_unpool3d i64 c2 3x1x5 o1x5x3 picks=any seed=2",
               "max_unpool3d u8 n1c1 90x100x60 o9x50x30 picks=bad seed=3");
    CHECK_EACH(&rig_max_unpool2d_backward, "max_unpool2d_backward f32 n0c3 9x11 o4x5",
               "max_unpool2d_backward f32 n1c1 800x801 o400x400 seed=5 to=f16",
               "max_unpool2d_backward i64 c3 9x11 o40x50 picks=any to=bf16",
               "max_unpool2d_backward bool c3 9x11 o4x5 to=f32 picks=bad");
    CHECK_EACH(&rig_max_unpool3d_backward, "max_unpool3d_backward f64 n0c3 4x4x4 o2x2x2 idx=i64",
               "max_unpool3d_backward i16 n2c1 40x50x60 o20x25x30 idx=i64");
}

Test(max_unpool, repeatable)
{
    check_repeatable(&rig_max_unpool2d, "max_unpool2d f32 n2c3 9x11 o4x5 strided seed=3");
    check_repeatable(&rig_max_unpool2d_backward,
                     "max_unpool2d_backward i32 n2c3 9x11 o4x5 strided to=f16");
}

/* Where values meet in one cell, and how large planes are cut, may not depend on who computes. */
Test(max_unpool_settings, threads_and_instruction_sets, .timeout = 900)
{
    static const char *const forward[] = {"max_unpool2d f32 n1c1 800x801 o700x800 picks=any",
                                          "max_unpool2d i8 n1c2 900x900 o450x450 picks=any"};
    static const char *const backward[] = {
        "max_unpool2d_backward f32 n1c1 800x801 o400x400 to=bf16 picks=any"};
    check_settings(&rig_max_unpool2d, forward, 2);
    check_settings(&rig_max_unpool2d_backward, backward, 1);
    check_settings(&rig_max_unpool3d, NULL, 0);
    check_settings(&rig_max_unpool3d_backward, NULL, 0);
}
