/* SPDX-License-Identifier: Apache-2.0 */
/* Maximum pooling and its gradients against the definition, bit for bit. */
#include "tests/ops/suite.h"
#include "tests/support/rows.h"

RIG_SUITE(max_pool);

static void check(const struct rig_operator *op)
{
    check_environment(op);
    check_floats(op);
}

Test(max_pool, random_max_pool)
{
    static const enum case_dtype integers[] = {CASE_I32, CASE_I64, CASE_U8,
                                               CASE_I16, CASE_I8,  CASE_U16};
    check(&rig_max_pool);
    check_dtypes(&rig_max_pool, integers, LENGTH(integers));
}

Test(max_pool, random_global_max_pool)
{
    check(&rig_global_max_pool);
    check_dtype(&rig_global_max_pool, CASE_F64);
}

#define RANDOM(word)                                                                               \
    Test(max_pool, random_##word)                                                                  \
    {                                                                                              \
        check(&rig_##word);                                                                        \
    }

RANDOM(max_pool2d_with_indices)
RANDOM(max_pool2d_with_indices_backward)
RANDOM(max_pool2d_with_mask)
RANDOM(max_pool2d_with_mask_backward)
RANDOM(max_pool3d_with_argmax)
RANDOM(max_pool3d_with_argmax_backward)
RANDOM(aclnnext_max_pool_backward)
RANDOM(aclnnext_max_pool_grad)
