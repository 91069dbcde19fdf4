/* SPDX-License-Identifier: Apache-2.0 */
/* Handles of executors that are used up, destroyed or none: refused by every function, at any time,
 * and without a look at freed memory, which the address sanitizer would see. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnn/opdev/op_errno.h"
#include "aclnnext/aclnnext_memory_plan.h"
#include "api/tensor.h"
#include "executor/launch.h"
#include "executor/plan.h"
#include "runtime/support/alloc.h"
#include "tests/support/random.h"
#include "tests/unit/gate.h"

enum { LENGTH = 64, MANY = 1500, ROUNDS = 2000 };

static float in[LENGTH], out[LENGTH];
static aclTensor *source, *target;
static aclrtStream stream;

static void double_slice(const void *parameters, void *const buffers[], struct k_slice slice)
{
    (void)parameters;
    const float *from = buffers[0];
    float *to = buffers[1];
    for (int64_t i = slice.begin; i < slice.end; i++)
        to[i] = 2 * from[i];
}

static aclTensor *vector_of(float *values)
{
    const int64_t size = LENGTH;
    return aclCreateTensor(&size, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &size, 1, values);
}

static aclnnStatus plan_one(aclOpExecutor **executor)
{
    const char none = 0;
    uint64_t size;
    struct ex_plan *plan = ex_plan_new("double");
    const int from = ex_input(plan, &source->descriptor);
    const int to = ex_output(plan, &target->descriptor);
    if (plan)
        ex_step(plan, "double", double_slice, &none, 1,
                (struct k_work){.items = LENGTH, .grain = LENGTH}, EX_BUFFERS(from, to));
    return ex_seal(plan, &size, executor);
}

static aclOpExecutor *executor_new(void)
{
    aclOpExecutor *executor;
    cr_assert_eq(plan_one(&executor), ACLNN_SUCCESS);
    return executor;
}

static aclnnStatus launch(aclOpExecutor *executor)
{
    return ex_launch("double", NULL, 0, executor, stream);
}

static void setup(void)
{
    for (int i = 0; i < LENGTH; i++)
        in[i] = (float)i;
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    source = vector_of(in);
    target = vector_of(out);
}

static void teardown(void)
{
    aclDestroyTensor(source);
    aclDestroyTensor(target);
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
}

TestSuite(executor_handles, .init = setup, .fini = teardown);

#define REFUSES(code, call)                                                                        \
    do {                                                                                           \
        cr_assert_eq((call), (code), "%s", #call);                                                 \
        const char *text_ = aclGetRecentErrMsg();                                                  \
        cr_assert(text_ &&strstr(text_, "executor is not one that phase 1 returned, or was used "  \
                                        "up or destroyed"),                                        \
                  "%s says %s", #call, text_ ? text_ : "nothing");                                 \
    } while (0)

/* By every function that takes an executor. */
static void expect_refused(aclOpExecutor *executor)
{
    aclTensorList *list = aclCreateTensorList(NULL, 0);
    aclnnextMemoryPlan *plan;
    int32_t buffer;
    REFUSES(ACLNN_ERR_PARAM_INVALID, launch(executor));
    REFUSES(ACLNN_ERR_INNER, aclDestroyAclOpExecutor(executor));
    REFUSES(ACLNN_ERR_INNER, aclSetAclOpExecutorRepeatable(executor));
    REFUSES(ACLNN_ERR_INNER, aclSetInputTensorAddr(executor, 0, source, in));
    REFUSES(ACLNN_ERR_INNER, aclSetOutputTensorAddr(executor, 0, target, out));
    REFUSES(ACLNN_ERR_INNER, aclSetTensorAddr(executor, 0, source, in));
    REFUSES(ACLNN_ERR_INNER, aclSetDynamicTensorAddr(executor, 0, 0, list, in));
    REFUSES(ACLNN_ERR_INNER, aclSetDynamicInputTensorAddr(executor, 0, 0, list, in));
    REFUSES(ACLNN_ERR_INNER, aclSetDynamicOutputTensorAddr(executor, 0, 0, list, in));
    cr_assert_eq(aclnnextMemoryPlanCreate(&plan), ACLNN_SUCCESS);
    REFUSES(ACLNN_ERR_PARAM_INVALID,
            aclnnextMemoryPlanAddWorkspace(plan, "w", executor, 0, &buffer));
    cr_assert_eq(aclnnextMemoryPlanDestroy(plan), ACLNN_SUCCESS);
    cr_assert_eq(aclDestroyTensorList(list), ACLNN_SUCCESS);
}

Test(executor_handles, used_up_while_its_run_is_queued)
{
    static struct gate gate;
    aclrtStream other = gate_close_stream(&gate);
    aclOpExecutor *executor = executor_new();
    cr_assert_eq(ex_launch("double", NULL, 0, executor, other), ACLNN_SUCCESS);
    expect_refused(executor);
    gate_open(&gate);
    cr_assert_eq(aclrtSynchronizeStream(other), ACL_SUCCESS);
    cr_assert_eq(out[3], 6);
    expect_refused(executor);
}

Test(executor_handles, destroyed_while_its_runs_are_queued)
{
    static struct gate gate;
    aclrtStream other = gate_close_stream(&gate);
    aclOpExecutor *executor = executor_new();
    cr_assert_eq(aclSetAclOpExecutorRepeatable(executor), ACLNN_SUCCESS);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(ex_launch("double", NULL, 0, executor, other), ACLNN_SUCCESS);
    cr_assert_eq(aclDestroyAclOpExecutor(executor), ACLNN_SUCCESS);
    expect_refused(executor);
    gate_open(&gate);
    cr_assert_eq(aclrtSynchronizeStream(other), ACL_SUCCESS);
    cr_assert_eq(out[3], 6);
    expect_refused(executor);
}

static int64_t references(const aclTensor *tensor)
{
    return atomic_load(&tensor->descriptor.references);
}

/* So that the thread that destroys tensors frees them, not the one that runs the operator. */
Test(executor_handles, a_queued_run_holds_no_tensors_but_a_repeatable_one_does)
{
    static struct gate gate;
    aclrtStream other = gate_close_stream(&gate);
    aclOpExecutor *executor = executor_new(), *repeatable = executor_new();
    cr_assert_eq(aclSetAclOpExecutorRepeatable(repeatable), ACLNN_SUCCESS);
    cr_assert_eq(references(source), 3);
    cr_assert_eq(ex_launch("double", NULL, 0, executor, other), ACLNN_SUCCESS);
    cr_assert_eq(references(source), 2);
    cr_assert_eq(ex_launch("double", NULL, 0, repeatable, other), ACLNN_SUCCESS);
    cr_assert_eq(references(source), 2);
    gate_open(&gate);
    cr_assert_eq(aclrtSynchronizeStream(other), ACL_SUCCESS);
    cr_assert_eq(out[3], 6);
    cr_assert_eq(aclDestroyAclOpExecutor(repeatable), ACLNN_SUCCESS);
    cr_assert_eq(references(source), 1);
    cr_assert_eq(references(target), 1);
}

Test(executor_handles, a_refused_phase_2_uses_it_up)
{
    aclOpExecutor *executor = executor_new();
    cr_assert_eq(aclSetRawTensorAddr(source, NULL), ACLNN_SUCCESS);
    cr_assert_neq(launch(executor), ACLNN_SUCCESS);
    expect_refused(executor);
}

/* A new executor often lies where a freed one lay. */
Test(executor_handles, a_stale_one_never_means_a_new_one)
{
    aclOpExecutor *stale = executor_new();
    cr_assert_eq(aclDestroyAclOpExecutor(stale), ACLNN_SUCCESS);
    for (int i = 0; i < MANY; i++) {
        aclOpExecutor *executor = executor_new();
        cr_assert_neq(executor, stale);
        REFUSES(ACLNN_ERR_INNER, aclDestroyAclOpExecutor(stale));
        REFUSES(ACLNN_ERR_PARAM_INVALID, launch(stale));
        cr_assert_eq(launch(executor), ACLNN_SUCCESS);
        stale = executor;
    }
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    expect_refused(stale);
}

Test(executor_handles, many_at_once)
{
    static aclOpExecutor *executors[MANY];
    for (int i = 0; i < MANY; i++)
        executors[i] = executor_new();
    for (int i = 0; i < MANY; i += 3)
        cr_assert_eq(aclDestroyAclOpExecutor(executors[i]), ACLNN_SUCCESS);
    for (int i = 0; i < MANY; i++)
        cr_assert_eq(launch(executors[i]), i % 3 == 0 ? ACLNN_ERR_PARAM_INVALID : ACLNN_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    for (int i = 0; i < MANY; i++)
        REFUSES(ACLNN_ERR_INNER, aclDestroyAclOpExecutor(executors[i]));
}

Test(executor_handles, values_that_were_never_one)
{
    struct random random = {.state = 1};
    aclOpExecutor *executor = executor_new();
    char place[64];
    void *memory = calloc(1, 1 << 16);
    expect_refused((aclOpExecutor *)(void *)place);
    expect_refused(memory);
    expect_refused((aclOpExecutor *)UINTPTR_MAX);
    for (int bit = 0; bit < 64; bit++) {
        const uintptr_t one = UINT64_C(1) << bit;
        REFUSES(ACLNN_ERR_PARAM_INVALID, launch((aclOpExecutor *)one));
        REFUSES(ACLNN_ERR_PARAM_INVALID, launch((aclOpExecutor *)((uintptr_t)executor ^ one)));
    }
    for (int i = 0; i < MANY; i++)
        REFUSES(ACLNN_ERR_PARAM_INVALID, launch((aclOpExecutor *)(random_next(&random) | 1)));
    cr_assert_eq(launch(executor), ACLNN_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    free(memory);
}

/* ---- threads ---- */

static _Atomic(aclOpExecutor *) offered;
static atomic_int accepted;

static void *launch_offered(void *context)
{
    (void)context;
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    aclOpExecutor *executor, *last = NULL;
    while ((executor = atomic_load(&offered)) != (void *)UINTPTR_MAX) {
        if (executor == last) continue;
        last = executor;
        atomic_fetch_add(&accepted, launch(executor) == ACLNN_SUCCESS);
    }
    return NULL;
}

Test(executor_handles, of_two_threads_one_gets_it)
{
    pthread_t other;
    aclOpExecutor *executor = NULL;
    int begun = 0;
    cr_assert_eq(pthread_create(&other, NULL, launch_offered, NULL), 0);
    for (int i = 0; i < ROUNDS; i++) {
        executor = executor_new();
        atomic_store(&offered, executor);
        begun += launch(executor) == ACLNN_SUCCESS;
        REFUSES(ACLNN_ERR_INNER, aclDestroyAclOpExecutor(executor));
    }
    atomic_store(&offered, (void *)UINTPTR_MAX);
    cr_assert_eq(pthread_join(other, NULL), 0);
    cr_assert_eq(begun + atomic_load(&accepted), ROUNDS);
    cr_assert_eq(aclrtSynchronizeDevice(), ACL_SUCCESS);
}

static void *launch_repeatedly(void *context)
{
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    while (launch(context) == ACLNN_SUCCESS)
        atomic_fetch_add(&accepted, 1);
    return NULL;
}

Test(executor_handles, destroyed_while_another_thread_launches_it)
{
    enum { TIMES = 50 };
    for (int i = 0; i < TIMES; i++) {
        pthread_t other;
        aclOpExecutor *executor = executor_new();
        cr_assert_eq(aclSetAclOpExecutorRepeatable(executor), ACLNN_SUCCESS);
        const int before = atomic_load(&accepted);
        cr_assert_eq(pthread_create(&other, NULL, launch_repeatedly, executor), 0);
        while (atomic_load(&accepted) < before + 3) {
        }
        cr_assert_eq(aclDestroyAclOpExecutor(executor), ACLNN_SUCCESS);
        cr_assert_eq(pthread_join(other, NULL), 0);
    }
    cr_assert_eq(aclrtSynchronizeDevice(), ACL_SUCCESS);
}

Test(executor_handles, every_lack_of_memory_is_reported)
{
    aclOpExecutor *executor = NULL;
    aclnnStatus status;
    int64_t n = 0;
    do {
        rt_alloc_fail_at(++n);
        status = plan_one(&executor);
        rt_alloc_fail_at(0);
        if (status == ACLNN_SUCCESS) break;
        cr_assert_eq(status, ACLNN_ERR_INNER_CREATE_EXECUTOR);
        cr_assert_null(executor);
    } while (n < 10);
    cr_assert_eq(n, 3, "the executor and the first slots");
    cr_assert_eq(aclDestroyAclOpExecutor(executor), ACLNN_SUCCESS);
}
