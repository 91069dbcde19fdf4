/* SPDX-License-Identifier: Apache-2.0 */
/* What a recorded timeline costs: the same work in turns with a recording and without, in one
 * process. Each recording takes memory of its own, as that of a whole run does. Exits with 1 when
 * work of the size that programs have is slowed down by more than 3 %. */
#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acl/acl.h"
#include "acl/acl_prof.h"
#include "aclnnop/aclnn_avgpool2d_backward.h"
#include "runtime/support/futex.h"

enum { ROUNDS = 201, REPLAYED = 100 };

static const double LIMIT = 0.03;

static aclrtStream stream;
static aclIntArray *kernel, *stride, *padding;
static aclprofConfig *everything;
static char folder[PATH_MAX];

static void check(int status)
{
    if (status == 0) return;
    fprintf(stderr, "bench_timeline: %s\n", aclGetRecentErrMsg());
    exit(2);
}

/* --- the work -------------------------------------------------------------------------------- */

struct work {
    const char *name;
    int64_t shape[3]; /* images, channels, extent, which a window of 2 x 2 halves */
    bool is_replay;   /* of REPLAYED operators */
    int calls;        /* in one turn */
    bool is_asked;    /* LIMIT holds for it */

    aclTensor *dy, *self, *dx;
    void *memory[3];
    aclmdlRI graph;
    double on[ROUNDS], off[ROUNDS]; /* ns a call */
};

static aclTensor *image(const struct work *work, int64_t extent, void **memory)
{
    const int64_t sizes[] = {work->shape[0], work->shape[1], extent, extent};
    size_t bytes = (size_t)(sizes[0] * sizes[1] * extent * extent) * sizeof(float);
    check(aclrtMalloc(memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    check(aclrtMemset(*memory, bytes, 0, bytes));
    return aclCreateTensor(sizes, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_NCHW, sizes, 4, *memory);
}

static void run_operator(struct work *work)
{
    uint64_t workspace;
    aclOpExecutor *executor;
    check(aclnnAvgPool2dBackwardGetWorkspaceSize(work->dy, work->self, kernel, stride, padding,
                                                 false, true, 0, 0, work->dx, &workspace,
                                                 &executor));
    if (workspace > 0) check(1);
    check(aclnnAvgPool2dBackward(NULL, 0, executor, stream));
}

static void open_work(struct work *work)
{
    work->dy = image(work, work->shape[2] / 2, &work->memory[0]);
    work->self = image(work, work->shape[2], &work->memory[1]);
    work->dx = image(work, work->shape[2], &work->memory[2]);
    if (!work->is_replay) return;
    check(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    for (int i = 0; i < REPLAYED; i++)
        run_operator(work);
    check(aclmdlRICaptureEnd(stream, &work->graph));
}

static void close_work(struct work *work)
{
    if (work->graph) check(aclmdlRIDestroy(work->graph));
    check(aclDestroyTensor(work->dy));
    check(aclDestroyTensor(work->self));
    check(aclDestroyTensor(work->dx));
    for (int i = 0; i < 3; i++)
        check(aclrtFree(work->memory[i]));
}

static void call(struct work *work)
{
    if (work->is_replay)
        check(aclmdlRIExecuteAsync(work->graph, stream));
    else
        run_operator(work);
    check(aclrtSynchronizeStream(stream));
}

/* Workers that have gone to sleep since the last turn are woken by a call that does not count. */
static double turn(struct work *work)
{
    call(work);
    int64_t start = rt_now_ns();
    for (int i = 0; i < work->calls; i++)
        call(work);
    return (double)(rt_now_ns() - start) / work->calls;
}

/* --- recordings ------------------------------------------------------------------------------ */

static void empty_folder(void)
{
    DIR *listing = opendir(folder);
    if (!listing) return;
    for (struct dirent *entry; (entry = readdir(listing));)
        if (entry->d_name[0] != '.') unlinkat(dirfd(listing), entry->d_name, 0);
    closedir(listing);
}

static void open_recordings(void)
{
    const char *temporary = getenv("TMPDIR");
    snprintf(folder, sizeof(folder), "%s/aclnn-cpu-XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(folder)) {
        perror(folder);
        exit(2);
    }
    check(aclprofInit(folder, strlen(folder)));
    uint32_t device = 0;
    everything = aclprofCreateConfig(&device, 1, ACL_AICORE_NONE, NULL,
                                     ACL_PROF_ACL_API | ACL_PROF_TASK_TIME | ACL_PROF_MSPROFTX);
    if (!everything) check(1);
}

static void close_recordings(void)
{
    check(aclprofDestroyConfig(everything));
    check(aclprofFinalize());
    empty_folder();
    rmdir(folder);
}

/* The ways take turns, so that what disturbs the machine disturbs both. */
static void measure(struct work *work)
{
    for (int round = -2; round < ROUNDS; round++) {
        int at = round < 0 ? 0 : round;
        work->off[at] = turn(work);
        check(aclprofStart(everything));
        work->on[at] = turn(work);
        check(aclprofStop(everything));
        empty_folder();
    }
}

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double least(double values[ROUNDS])
{
    qsort(values, ROUNDS, sizeof(*values), by_value);
    return values[0];
}

static bool report(struct work *work)
{
    double off = least(work->off), on = least(work->on);
    double share = on / off - 1;
    bool is_missed = work->is_asked && share > LIMIT;
    printf("%-44s %12.2f %12.2f %10.0f %8.1f %%%s\n", work->name, off / 1e3, on / 1e3, on - off,
           100 * share, is_missed ? "   MISSED" : "");
    return !is_missed;
}

int main(void)
{
    static struct work works[] = {
        {.name = "avg_pool2d_backward 16x14x14", .shape = {1, 16, 14}, .calls = 2000},
        {.name = "a replay of 100 of them", .shape = {1, 16, 14}, .calls = 30, .is_replay = true},
        {.name = "avg_pool2d_backward 1x64x56x56",
         .shape = {1, 64, 56},
         .calls = 50,
         .is_asked = true},
        {.name = "avg_pool2d_backward 8x64x56x56",
         .shape = {8, 64, 56},
         .calls = 10,
         .is_asked = true},
        {.name = "avg_pool2d_backward 32x64x112x112",
         .shape = {32, 64, 112},
         .calls = 1,
         .is_asked = true},
    };
    const int64_t two[] = {2, 2}, zero[] = {0, 0};
    bool is_met = true;
    check(aclInit(NULL));
    check(aclrtSetDevice(0));
    check(aclrtCreateStream(&stream));
    kernel = aclCreateIntArray(two, 2);
    stride = aclCreateIntArray(two, 2);
    padding = aclCreateIntArray(zero, 2);
    open_recordings();
    printf("the best of %d turns each; a call is submitted and synchronised\n\n%-44s "
           "%12s %12s %10s %10s\n",
           ROUNDS, "", "off, us", "on, us", "more, ns", "");
    for (size_t i = 0; i < sizeof(works) / sizeof(*works); i++) {
        open_work(&works[i]);
        measure(&works[i]);
        close_work(&works[i]);
        is_met = report(&works[i]) && is_met;
    }
    close_recordings();
    check(aclFinalize());
    return !is_met;
}
