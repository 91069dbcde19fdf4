/* SPDX-License-Identifier: Apache-2.0 */
/* What a replay of 100 small operators costs beside submitting them one by one: the time of the
 * calls, and the time until all have run. Exits with 1 when the figure is missed. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_avgpool2d_backward.h"
#include "runtime/support/futex.h"

enum { OPERATORS = 100, ROUNDS = 301, CHANNELS = 16, EXTENT = 14 };

static const double LIMIT = 0.25;

static aclTensor *dy, *self, *dx;
static aclIntArray *kernel, *stride, *padding;
static aclrtStream stream;
static aclOpExecutor *repeatable;
static aclmdlRI graph, single_use_graph;

static void check(int status)
{
    if (status == 0) return;
    fprintf(stderr, "bench_graph: %s\n", aclGetRecentErrMsg());
    exit(2);
}

static aclTensor *image(int64_t extent)
{
    const int64_t sizes[] = {1, CHANNELS, extent, extent};
    void *data;
    check(aclrtMalloc(&data, CHANNELS * (size_t)(extent * extent) * sizeof(float),
                      ACL_MEM_MALLOC_HUGE_FIRST));
    check(aclrtMemset(data, CHANNELS * (size_t)(extent * extent) * sizeof(float), 0,
                      CHANNELS * (size_t)(extent * extent) * sizeof(float)));
    return aclCreateTensor(sizes, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_NCHW, sizes, 4, data);
}

static aclOpExecutor *phase_1(void)
{
    uint64_t workspace;
    aclOpExecutor *executor;
    check(aclnnAvgPool2dBackwardGetWorkspaceSize(dy, self, kernel, stride, padding, false, true, 0,
                                                 0, dx, &workspace, &executor));
    if (workspace > 0) check(1);
    return executor;
}

static void submit_repeatable(void)
{
    for (int i = 0; i < OPERATORS; i++)
        check(aclnnAvgPool2dBackward(NULL, 0, repeatable, stream));
}

static void submit_single_use(void)
{
    for (int i = 0; i < OPERATORS; i++)
        check(aclnnAvgPool2dBackward(NULL, 0, phase_1(), stream));
}

static void replay(void)
{
    check(aclmdlRIExecuteAsync(graph, stream));
}

static void replay_single_use(void)
{
    check(aclmdlRIExecuteAsync(single_use_graph, stream));
}

static aclmdlRI capture(void (*submit)(void))
{
    aclmdlRI captured;
    check(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    submit();
    check(aclmdlRICaptureEnd(stream, &captured));
    return captured;
}

static void set_up(void)
{
    const int64_t two[] = {2, 2}, zero[] = {0, 0};
    check(aclInit(NULL));
    check(aclrtSetDevice(0));
    check(aclrtCreateStream(&stream));
    dy = image(EXTENT / 2);
    self = image(EXTENT);
    dx = image(EXTENT);
    kernel = aclCreateIntArray(two, 2);
    stride = aclCreateIntArray(two, 2);
    padding = aclCreateIntArray(zero, 2);
    repeatable = phase_1();
    check(aclSetAclOpExecutorRepeatable(repeatable));
    graph = capture(submit_repeatable);
    single_use_graph = capture(submit_single_use);
}

/* --- measuring -------------------------------------------------------------------------------- */

struct way {
    const char *name;
    void (*submit)(void);
    double calls_ns[ROUNDS], all_ns[ROUNDS];
};

static struct way ways[] = {
    {.name = "phase 1 and phase 2 of each", .submit = submit_single_use},
    {.name = "phase 2 of each, repeatable", .submit = submit_repeatable},
    {.name = "replay, captured repeatable", .submit = replay},
    {.name = "replay, captured single-use", .submit = replay_single_use},
};

enum { WAYS = sizeof(ways) / sizeof(*ways), REPEATABLE = 1 };

static void measure(struct way *way, int round)
{
    int64_t start = rt_now_ns();
    way->submit();
    int64_t submitted = rt_now_ns();
    check(aclrtSynchronizeStream(stream));
    way->calls_ns[round] = (double)(submitted - start);
    way->all_ns[round] = (double)(rt_now_ns() - start);
}

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof(*values), by_value);
    return values[ROUNDS / 2];
}

/* The ways take turns, so that what disturbs the machine disturbs all. */
int main(void)
{
    bool missed = false;
    set_up();
    for (int round = -20; round < ROUNDS; round++)
        for (int w = 0; w < WAYS; w++)
            measure(&ways[w], round < 0 ? 0 : round);
    double calls[WAYS], all[WAYS];
    printf("%d x aclnnAvgPool2dBackward, %dx%dx%d float; medians of %d rounds\n\n", OPERATORS,
           CHANNELS, EXTENT, EXTENT, ROUNDS);
    printf("%-30s %12s %8s %24s %8s\n", "", "calls, us", "ratio", "until all have run, us",
           "ratio");
    for (int w = 0; w < WAYS; w++) {
        calls[w] = median(ways[w].calls_ns);
        all[w] = median(ways[w].all_ns);
    }
    for (int w = 0; w < WAYS; w++) {
        double ratio = calls[w] / calls[REPEATABLE];
        bool is_over = w > REPEATABLE && ratio > LIMIT;
        missed |= is_over;
        printf("%-30s %12.2f %8.3f %24.2f %8.3f%s\n", ways[w].name, calls[w] / 1e3, ratio,
               all[w] / 1e3, all[w] / all[REPEATABLE], is_over ? "   MISSED" : "");
    }
    printf("\nasked: calls of a replay at most %.2f of those of phase 2\n", LIMIT);
    check(aclmdlRIDestroy(graph));
    check(aclmdlRIDestroy(single_use_graph));
    check(aclDestroyAclOpExecutor(repeatable));
    check(aclFinalize());
    return missed;
}
