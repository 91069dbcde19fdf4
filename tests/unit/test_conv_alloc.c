/* SPDX-License-Identifier: Apache-2.0 */
/* Host memory that runs out at any point of a call of convolution. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/support/alloc.h"
#include "tests/support/conv_rig.h"

static struct conv_rig rig;

static void begin(void)
{
    conv_rig_begin(&rig);
}

static void end(void)
{
    conv_rig_end(&rig);
}

TestSuite(conv_alloc, .init = begin, .fini = end, .timeout = 600);

enum { TOO_MANY = 200, PROBLEMS = 6 };

static bool says_memory(aclnnStatus status)
{
    const char *text = aclGetRecentErrMsg();
    return status >= 161000 && text && strstr(text, "memory");
}

/* Phase 1 with the n-th allocation failing; false: that many are not made. */
static bool fail_phase_1(int64_t n)
{
    uint64_t size = 4711;
    aclOpExecutor *executor = NULL;
    conv_rig_open(&rig, GUARD_END);
    /* The rig's arrays are made by the library too, but before phase 1. */
    conv_rig_fail_at = rt_alloc_fail_at;
    conv_rig_fail_n = n;
    const aclnnStatus status = conv_rig_phase1(&rig, &size, &executor);
    conv_rig_fail_at = NULL;
    if (status == ACLNN_SUCCESS)
        aclDestroyAclOpExecutor(executor);
    else
        cr_assert(says_memory(status) && size == 4711 && !executor, "allocation %d: %d %s", (int)n,
                  (int)status, aclGetRecentErrMsg());
    for (int i = 0; i < CONV_TENSORS; i++)
        operand_close(&rig.operand[i]);
    return status != ACLNN_SUCCESS;
}

static bool fail_phase_2(int64_t n)
{
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    conv_rig_open(&rig, GUARD_END);
    cr_assert_eq(conv_rig_phase1(&rig, &size, &executor), ACLNN_SUCCESS);
    void *workspace = size ? guard_place(&rig.workspace, size, GUARD_END, 64) : NULL;
    rt_alloc_fail_at(n);
    const aclnnStatus status = conv_rig_phase2(&rig, workspace, size, executor);
    const aclError synchronized = aclrtSynchronizeStream(rig.stream);
    rt_alloc_fail_at(0);
    if (status != ACLNN_SUCCESS) {
        cr_assert(says_memory(status), "allocation %d: %s", (int)n, aclGetRecentErrMsg());
        for (int i = 0; i < CONV_TENSORS; i++)
            operand_close(&rig.operand[i]);
        return true;
    }
    cr_assert_eq(synchronized, ACL_SUCCESS);
    cr_assert(conv_rig_close(&rig, true) && conv_rig_compare(&rig), "%s", rig.text);
    return false;
}

Test(conv_alloc, every_allocation_may_fail)
{
    struct random random = {9};
    for (int op = 0; op < CONV_OPERATORS; op++)
        for (int i = 0; i < PROBLEMS; i++) {
            struct conv_case test =
                conv_random_case(&random, (enum conv_operator)op, CASE_F32, false);
            conv_rig_load(&rig, &test);
            int64_t n = 1;
            while (fail_phase_1(n))
                cr_assert_lt(++n, TOO_MANY);
            cr_assert_gt(n, 1, "phase 1 makes no allocation");
            conv_rig_load(&rig, &test);
            for (n = 1; fail_phase_2(n); conv_rig_load(&rig, &test))
                cr_assert_lt(++n, TOO_MANY);
        }
}
