/* SPDX-License-Identifier: Apache-2.0 */
/* Every host allocation of unpooling and adaptive maximum pooling fails once: a code, a text,
 * nothing written, nothing leaked. */
#include <criterion/criterion.h>

#include "runtime/support/alloc.h"
#include "tests/support/rows_indices.h"

static struct rig rig;

static void begin(void)
{
    rig_begin(&rig);
}

static void end(void)
{
    rig_end(&rig);
}

TestSuite(unpool_alloc, .init = begin, .fini = end, .timeout = 600);

static void check(const struct rig_operator *op, const char *line)
{
    cr_assert(rig_check_allocations(&rig, op, line, rt_alloc_fail_at), "%s", rig.text);
}

Test(unpool_alloc, unpooling)
{
    check(&rig_max_unpool2d, "max_unpool2d f32 n2c3 9x11 o4x5 strided");
    check(&rig_max_unpool3d, "max_unpool3d i64 n2c3 4x6x5 o2x3x2");
    check(&rig_max_unpool2d_backward, "max_unpool2d_backward i32 n2c3 9x11 o4x5 strided to=f16");
    check(&rig_max_unpool3d_backward, "max_unpool3d_backward f32 n2c3 4x6x5 o2x3x2 idx=i64");
}

Test(unpool_alloc, adaptive_maxima)
{
    check(&rig_adaptive_max_pool2d, "adaptive_max_pool2d f32 n2c3 9x11 o4x5 idx=i64 strided");
    check(&rig_adaptive_max_pool3d, "adaptive_max_pool3d f16 n2c3 4x6x5 o2x3x2 seed=1");
    check(&rig_adaptive_max_pool2d_backward,
          "adaptive_max_pool2d_backward bf16 n2c3 9x11 o4x5 strided");
    check(&rig_adaptive_max_pool3d_backward,
          "adaptive_max_pool3d_backward f32 n2c3 4x6x5 o2x3x2 idx=i64");
}
