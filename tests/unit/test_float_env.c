/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks and plans compute in the default floating-point environment, and each thread gets its own
 * back, whatever it has set. */
#include <criterion/criterion.h>
#include <fenv.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnn/opdev/op_errno.h"
#include "api/tensor.h"
#include "executor/launch.h"
#include "executor/plan.h"
#include "runtime/support/float_env.h"
#include "runtime/support/futex.h"

enum { ITEMS = 4096, SLICE_NS = 2000, RUNS = 200 };

/* What a program may set; RT_MXCSR_DEFAULT and its like are what the library sets. */
static const struct {
    const char *name;
    int rounding;
    bool flushes; /* subnormal operands and results are zeros */
} settings[] = {
    {"upward", FE_UPWARD, false},
    {"downward", FE_DOWNWARD, false},
    {"towards zero", FE_TOWARDZERO, false},
    {"flushing", FE_TONEAREST, true},
    {"upward and flushing", FE_UPWARD, true},
};

#if defined(__x86_64__)
static void flush_subnormals(void)
{
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
}
#elif defined(__aarch64__)
static void flush_subnormals(void)
{
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    __asm__ volatile("msr fpcr, %0" : : "r"(control | 1 << 24));
}
#else
static void flush_subnormals(void)
{
}
#endif

/* As arithmetic shows it; volatile, as the compiler knows only the default one. */
static bool is_default(void)
{
    volatile float one = 1, three = 3, tiny = 0x1p-126f, half = 0.5f;
    const volatile float third = one / three, minus = -one / three, subnormal = tiny * half;
    return third == 0x1.555556p-2f && minus == -0x1.555556p-2f && subnormal != 0;
}

static atomic_int computed, wrong, wrong_plans, wrong_functions;

static void look_slice(const void *parameters, void *const buffers[], struct k_slice slice)
{
    (void)parameters;
    float *to = buffers[0];
    for (int64_t i = slice.begin; i < slice.end; i++)
        to[i] = 1;
    atomic_fetch_add(&computed, (int)(slice.end - slice.begin));
    if (!is_default()) atomic_fetch_add(&wrong, 1);
    const int64_t until = rt_now_ns() + SLICE_NS; /* so that several threads take part */
    while (rt_now_ns() < until) {
    }
}

static aclOpExecutor *plan_one(aclTensor *target)
{
    const char none = 0;
    uint64_t size;
    aclOpExecutor *executor;
    struct ex_plan *plan = ex_plan_new("look");
    const int to = ex_output(plan, &target->descriptor);
    if (!is_default()) atomic_fetch_add(&wrong_plans, 1);
    ex_step(plan, "look", look_slice, &none, 1, (struct k_work){.items = ITEMS, .grain = 64},
            EX_BUFFERS(to));
    cr_assert_eq(ex_seal(plan, &size, &executor), ACLNN_SUCCESS);
    return executor;
}

/* It may set what it likes: no task sees it. */
static void host_function(void *context)
{
    (void)context;
    if (!is_default()) atomic_fetch_add(&wrong_functions, 1);
    fesetround(FE_DOWNWARD);
    flush_subnormals();
}

static void check_stream(aclrtStream stream, aclTensor *target, fenv_t *own, const char *name)
{
    for (int run = 0; run < RUNS; run++) {
        aclOpExecutor *executor = plan_one(target);
        cr_assert_eq(ex_launch("look", NULL, 0, executor, stream), ACLNN_SUCCESS);
        if (run % 10 == 0)
            cr_assert_eq(aclrtLaunchHostFunc(stream, host_function, NULL), ACL_SUCCESS);
        if (run % 4 == 0) cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    }
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    fenv_t now;
    fegetenv(&now);
    cr_expect_eq(memcmp(&now, own, sizeof now), 0, "%s: the thread's own is as it was", name);
}

static void check(const char *threads)
{
    static float out[ITEMS];
    const int64_t size = ITEMS;
    setenv("ACLNN_CPU_THREADS", threads, 1);
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        fenv_t own;
        aclrtStream stream;
        fesetenv(FE_DFL_ENV);
        aclTensor *target =
            aclCreateTensor(&size, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &size, 1, out);
        fesetround(settings[i].rounding);
        if (settings[i].flushes) flush_subnormals();
        fegetenv(&own);
        /* Threads that begin here have these settings from the start. */
        cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
        cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
        cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
        atomic_store(&computed, 0);
        check_stream(stream, target, &own, settings[i].name);
        cr_expect_eq(atomic_load(&computed), RUNS * ITEMS);
        cr_expect_eq(atomic_load(&wrong), 0, "%s: slices", settings[i].name);
        cr_expect_eq(atomic_load(&wrong_plans), 0, "%s: plans", settings[i].name);
        cr_expect_eq(atomic_load(&wrong_functions), 0, "%s: functions", settings[i].name);
        aclDestroyTensor(target);
        cr_assert_eq(aclFinalize(), ACL_SUCCESS);
    }
}

Test(float_env, tasks_have_the_default_one_and_threads_their_own_on_one_thread)
{
    check("1");
}

Test(float_env, tasks_have_the_default_one_and_threads_their_own_on_four_threads)
{
    check("4");
}

/* Flags that tasks raise are not the program's either. */
static void divide_slice(const void *parameters, void *const buffers[], struct k_slice slice)
{
    (void)parameters, (void)slice;
    volatile float zero = 0;
    *(float *)buffers[0] = 1 / zero;
}

Test(float_env, flags_stay_the_threads_own)
{
    static float out[1];
    const int64_t size = 1;
    const char none = 0;
    uint64_t workspace;
    aclOpExecutor *executor;
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    aclTensor *target = aclCreateTensor(&size, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &size, 1, out);
    struct ex_plan *plan = ex_plan_new("divide");
    const int to = ex_output(plan, &target->descriptor);
    ex_step(plan, "divide", divide_slice, &none, 1, (struct k_work){.items = 1, .grain = 1},
            EX_BUFFERS(to));
    cr_assert_eq(ex_seal(plan, &workspace, &executor), ACLNN_SUCCESS);
    feclearexcept(FE_ALL_EXCEPT);
    cr_assert_eq(ex_launch("divide", NULL, 0, executor, NULL), ACLNN_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(NULL), ACL_SUCCESS);
    cr_expect_eq(fetestexcept(FE_DIVBYZERO), 0);
    cr_assert_gt(out[0], 1);
    aclDestroyTensor(target);
}
