/* SPDX-License-Identifier: Apache-2.0 */
/* Host memory that runs out at any point of a call of maximum pooling. */
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

TestSuite(max_pool_alloc, .init = begin, .fini = end, .timeout = 600);

Test(max_pool_alloc, every_allocation_may_fail)
{
    static const struct {
        const struct rig_operator *op;
        const char *line;
    } calls[] = {
        {&rig_max_pool, "max_pool f32 n2c3 8x9 k3 s2 p1 strided"},
        {&rig_global_max_pool, "global_max_pool f32 n2c3 8x9 o1x1 strided"},
        {&rig_max_pool2d_with_indices, "max_pool2d_with_indices f32 n2c3 8x9 k3 s2 p1 strided"},
        {&rig_max_pool2d_with_indices_backward,
         "max_pool2d_with_indices_backward f32 n2c3 8x9 k3 s2 p1 strided"},
        {&rig_max_pool2d_with_mask, "max_pool2d_with_mask f32 n2c3 8x9 k3 s2 p1"},
        {&rig_max_pool2d_with_mask_backward, "max_pool2d_with_mask_backward f32 n2c3 8x9 k3 s2 p1"},
        {&rig_max_pool3d_with_argmax, "max_pool3d_with_argmax f32 n2c3 5x8x9 k3 s2 p1"},
        {&rig_max_pool3d_with_argmax_backward,
         "max_pool3d_with_argmax_backward f32 n2c3 5x8x9 k3 s2 p1"},
        {&rig_aclnnext_max_pool_backward, "aclnnext_max_pool_backward f32 n2c3 8x9 k3 s2 p1"},
        {&rig_aclnnext_max_pool_grad, "aclnnext_max_pool_grad f32 n2c3 8x9 k3 s2 p1"}};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        cr_assert(rig_check_allocations(&rig, calls[i].op, calls[i].line, rt_alloc_fail_at), "%s",
                  rig.text);
}
