/* SPDX-License-Identifier: Apache-2.0 */
/* Host memory that runs out at any point of a call of average pooling. */
#include <criterion/criterion.h>

#include "runtime/support/alloc.h"
#include "tests/support/rows.h"

static struct rig rig;

static void begin(void)
{
    rig_begin(&rig);
}

static void end(void)
{
    rig_end(&rig);
}

TestSuite(avg_pool_alloc, .init = begin, .fini = end, .timeout = 600);

static void check(const struct rig_operator *op, const char *line)
{
    cr_assert(rig_check_allocations(&rig, op, line, rt_alloc_fail_at), "%s", rig.text);
}

Test(avg_pool_alloc, windows)
{
    check(&rig_avg_pool2d, "avg_pool2d f32 n2c3 8x9 k3 s2 p1 strided");
    check(&rig_avg_pool2d_backward, "avg_pool2d_backward bf16 n2c3 8x9 k3 s2 p1 strided");
    check(&rig_avg_pool2d_backward, "avg_pool2d_backward f32 n2c3 9x8 k3 s2 p1");
    check(&rig_avg_pool2d_backward, "avg_pool2d_backward f16 n2c3 9x8 k3 s2 p1 nhwc");
    check(&rig_avg_pool2d_backward, "avg_pool2d_backward f32 n0c3 9x8 k3 s2 p1");
    check(&rig_avg_pool3d, "avg_pool3d f16 n2c3 5x8x9 k3 s2 p1 strided");
    check(&rig_avg_pool3d_backward, "avg_pool3d_backward f32 n2c3 5x8x9 k3 s2 p1 strided");
    check(&rig_aclnnext_avg_pool_grad, "aclnnext_avg_pool_grad f32 n2c3 8x9 k3 s2 p1 strided");
}

Test(avg_pool_alloc, bins)
{
    check(&rig_adaptive_avg_pool2d, "adaptive_avg_pool2d f32 n2c3 9x8 o4x5 strided");
    check(&rig_adaptive_avg_pool2d_backward,
          "adaptive_avg_pool2d_backward bf16 n2c3 9x8 o4x5 strided");
    check(&rig_adaptive_avg_pool3d, "adaptive_avg_pool3d f16 n2c3 4x9x8 o2x4x5 strided");
    check(&rig_adaptive_avg_pool3d_backward,
          "adaptive_avg_pool3d_backward f32 n2c3 4x9x8 o2x4x5 strided");
    check(&rig_global_average_pool, "global_average_pool f32 n2c3 9x8 o1x1 strided");
}
