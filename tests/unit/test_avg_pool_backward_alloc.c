/* SPDX-License-Identifier: Apache-2.0 */
/* The call with the n-th allocation failing, for each n: a code with a text, nothing leaked,
 * nothing written, and the next call works. The leak checker of the asan build sees the rest. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "aclnnop/aclnn_avgpool2d_backward.h"
#include "runtime/support/alloc.h"
#include "tests/support/avg_pool_call.h"
#include "tests/support/compare.h"

TestSuite(avg_pool_backward_alloc, .timeout = 600);

static struct avg_pool_rig rig;

static struct avg_pool_call prepare(const struct test_case *test)
{
    struct avg_pool_call call = avg_pool_prepare(test);
    avg_pool_rig_load(&rig, test);
    call.dy.data = malloc(operand_bytes(&call.dy));
    call.dx.data = malloc(operand_bytes(&call.dx));
    cr_assert(call.dy.data && call.dx.data);
    operand_write(&call.dy, rig.dy);
    operand_poison(&call.dx, 0xFF);
    avg_pool_open(&call, test);
    return call;
}

static void release(struct avg_pool_call *call)
{
    avg_pool_close(call);
    free(call->dy.data);
    free(call->dx.data);
}

static void expect_failed(aclnnStatus status, int n, const char *phase)
{
    const char *text = aclGetRecentErrMsg();
    cr_assert(status >= 161000, "%s, allocation %d: %d", phase, n, status);
    cr_assert(text && strstr(text, "memory"), "%s, allocation %d: %s", phase, n,
              text ? text : "no text");
}

static void expect_gradient(const struct avg_pool_call *call, const struct test_case *test)
{
    char text[512];
    operand_read(&call->dx, rig.got);
    cr_assert(compare_gradient(test, rig.want, rig.got, text, sizeof text), "%s", text);
}

static bool is_unwritten(const struct operand *operand)
{
    for (size_t i = 0; i < operand_bytes(operand); i++) {
        if (((const unsigned char *)operand->data)[i] != 0xFF) return false;
    }
    return true;
}

/* Returns whether some allocation of the phase failed. */
static bool fail_phase_1(const struct test_case *test, int n)
{
    struct avg_pool_call call = prepare(test);
    rt_alloc_fail_at(n);
    aclnnStatus status = avg_pool_phase1(&call);
    rt_alloc_fail_at(0);
    if (status == ACLNN_SUCCESS) {
        aclDestroyAclOpExecutor(call.executor);
    } else {
        expect_failed(status, n, "phase 1");
        cr_assert(call.workspace_size == AVG_POOL_UNWRITTEN_SIZE && !call.executor,
                  "phase 1 wrote its outputs");
    }
    release(&call);
    return status != ACLNN_SUCCESS;
}

static bool fail_phase_2(const struct test_case *test, int n, bool is_repeatable)
{
    struct avg_pool_call call = prepare(test);
    cr_assert_eq(avg_pool_phase1(&call), ACLNN_SUCCESS);
    if (is_repeatable) aclSetAclOpExecutorRepeatable(call.executor);
    void *workspace = aligned_alloc(64, (call.workspace_size + 64) & ~63ul);
    cr_assert(workspace != NULL);
    rt_alloc_fail_at(n);
    aclnnStatus status =
        aclnnAvgPool2dBackward(workspace, call.workspace_size, call.executor, rig.stream);
    aclError synchronized = aclrtSynchronizeStream(rig.stream);
    rt_alloc_fail_at(0);
    cr_assert_eq(synchronized, ACL_SUCCESS);
    if (status == ACLNN_SUCCESS) {
        expect_gradient(&call, test);
    } else {
        expect_failed(status, n, "phase 2");
        cr_assert(is_unwritten(&call.dx), "phase 2 failed and wrote");
        if (is_repeatable) { /* it is still there, and works */
            cr_assert_eq(
                aclnnAvgPool2dBackward(workspace, call.workspace_size, call.executor, rig.stream),
                ACLNN_SUCCESS);
            cr_assert_eq(aclrtSynchronizeStream(rig.stream), ACL_SUCCESS);
            expect_gradient(&call, test);
        }
    }
    if (is_repeatable) aclDestroyAclOpExecutor(call.executor);
    release(&call);
    free(workspace);
    return status != ACLNN_SUCCESS;
}

static const char *const lines[] = {
    "avg_pool2d_backward f32 n2c3 9x8 k3 s2 p1",
    "avg_pool2d_backward bf16 n2c3 9x8 k3 s2 p1 strided seed=1",
    "avg_pool2d_backward f16 n2c3 9x8 k3 s2 p1 nhwc",
    "avg_pool2d_backward f32 n0c3 9x8 k3 s2 p1",
};

enum { LINES = sizeof lines / sizeof lines[0], TOO_MANY = 100 };

static struct test_case parse(const char *line)
{
    struct test_case test;
    char error[256];
    cr_assert(case_parse(line, &test, error, sizeof error), "%s: %s", line, error);
    return test;
}

Test(avg_pool_backward_alloc, phase_1)
{
    avg_pool_rig_begin(&rig);
    for (int i = 0; i < LINES; i++) {
        struct test_case test = parse(lines[i]);
        int n = 1;
        while (n < TOO_MANY && fail_phase_1(&test, n))
            n++;
        cr_assert(n > 1 && n < TOO_MANY, "%s: %d allocations", lines[i], n - 1);
        cr_assert_not(fail_phase_1(&test, 0), "a later call must work");
    }
    avg_pool_rig_end(&rig);
}

/* Phase 2 may do without allocations; where it makes some, each may fail. */
Test(avg_pool_backward_alloc, phase_2)
{
    avg_pool_rig_begin(&rig);
    for (int i = 0; i < LINES; i++) {
        struct test_case test = parse(lines[i]);
        for (int is_repeatable = 0; is_repeatable < 2; is_repeatable++) {
            int n = 1;
            while (n < TOO_MANY && fail_phase_2(&test, n, is_repeatable))
                n++;
            cr_assert_lt(n, TOO_MANY, "%s", lines[i]);
            cr_assert_not(fail_phase_2(&test, 0, is_repeatable), "a later call must work");
        }
    }
    avg_pool_rig_end(&rig);
}

/* From its second run on, a repeatable executor allocates nothing. */
Test(avg_pool_backward_alloc, later_runs_of_a_repeatable_executor)
{
    avg_pool_rig_begin(&rig);
    for (int i = 0; i < LINES; i++) {
        struct test_case test = parse(lines[i]);
        struct avg_pool_call call = prepare(&test);
        cr_assert_eq(avg_pool_phase1(&call), ACLNN_SUCCESS);
        cr_assert_eq(aclSetAclOpExecutorRepeatable(call.executor), ACLNN_SUCCESS);
        void *workspace = aligned_alloc(64, (call.workspace_size + 64) & ~63ul);
        cr_assert(workspace != NULL);
        for (int run = 0; run < 20; run++) {
            if (run == 1) rt_alloc_fail_at(0); /* counts from here */
            cr_assert_eq(
                aclnnAvgPool2dBackward(workspace, call.workspace_size, call.executor, rig.stream),
                ACLNN_SUCCESS);
            cr_assert_eq(aclrtSynchronizeStream(rig.stream), ACL_SUCCESS);
        }
        cr_assert_eq(rt_alloc_fail_at(0), 0, "%s", lines[i]);
        cr_assert_eq(aclDestroyAclOpExecutor(call.executor), ACLNN_SUCCESS);
        release(&call);
        free(workspace);
    }
    avg_pool_rig_end(&rig);
}
