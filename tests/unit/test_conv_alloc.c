/* SPDX-License-Identifier: Apache-2.0 */
/* Host memory that runs out at any point of a call of convolution. */
#include "runtime/support/alloc.h"
#include "tests/ops/suite.h"
#include "tests/support/rows_conv.h"

RIG_SUITE(conv_alloc);

Test(conv_alloc, every_allocation_may_fail)
{
    enum { PROBLEMS = 6 };
    struct random random = {9};
    for (int i = 0; i < ROWS_CONVOLUTIONS * PROBLEMS; i++) {
        const struct rig_operator *op = rows_convolution[i % ROWS_CONVOLUTIONS];
        const struct test_case test = rig_random_case(op, &random, CASE_F32);
        char line[CASE_LINE];
        cr_assert(rig_check_allocations(&rig, op, case_print(&test, line), rt_alloc_fail_at), "%s",
                  rig.text);
    }
}
