/* SPDX-License-Identifier: Apache-2.0 */
/* Maximum pooling and its gradients against the definition, bit for bit. */
#include <criterion/criterion.h>

#include "tests/support/rows.h"

enum { CASES = 5000 };

static struct rig rig;

static void begin(void)
{
    rig_begin(&rig);
}

static void end(void)
{
    rig_end(&rig);
}

TestSuite(max_pool, .init = begin, .fini = end, .timeout = 900);

static void check_floats(const struct rig_operator *op)
{
    cr_assert(rig_check_environment(&rig, op), "%s", rig.text);
    for (int dtype = CASE_F32; dtype < CASE_FLOATS; dtype++)
        cr_assert(rig_check_random(&rig, op, (enum case_dtype)dtype, CASES), "%s", rig.text);
}

Test(max_pool, random_max_pool)
{
    static const enum case_dtype integers[] = {CASE_I32, CASE_I64, CASE_U8,
                                               CASE_I16, CASE_I8,  CASE_U16};
    check_floats(&rig_max_pool);
    for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++)
        cr_assert(rig_check_random(&rig, &rig_max_pool, integers[i], CASES), "%s", rig.text);
}

Test(max_pool, random_global_max_pool)
{
    check_floats(&rig_global_max_pool);
    cr_assert(rig_check_random(&rig, &rig_global_max_pool, CASE_F64, CASES), "%s", rig.text);
}

#define RANDOM(word)                                                                               \
    Test(max_pool, random_##word)                                                                  \
    {                                                                                              \
        check_floats(&rig_##word);                                                                 \
    }

RANDOM(max_pool2d_with_indices)
RANDOM(max_pool2d_with_indices_backward)
RANDOM(max_pool2d_with_mask)
RANDOM(max_pool2d_with_mask_backward)
RANDOM(max_pool3d_with_argmax)
RANDOM(max_pool3d_with_argmax_backward)
RANDOM(aclnnext_max_pool_backward)
RANDOM(aclnnext_max_pool_grad)
