/* SPDX-License-Identifier: Apache-2.0 */
/* Races in the timeline, under ACLNN_CPU_CHECK=race (tests/CMakeLists.txt sets it: the library
 * reads it when it is loaded): an arrow between the slices of both operations, and a mark with
 * their numbers. */
#include <criterion/criterion.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acl/acl.h"
#include "tests/unit/timeline_file.h"

#define OK(call) cr_assert_eq((call), ACL_SUCCESS, "%s", aclGetRecentErrMsg())

enum { BYTES = 4096 };

static char path[] = "/tmp/aclnn-cpu-races-XXXXXX";

static aclrtStream streams[2];
static char *memory;

static void begin(void)
{
    const int file = mkstemp(path);
    cr_assert_geq(file, 0);
    close(file);
    const char *kinds = getenv("ACLNN_CPU_CHECK");
    cr_assert(kinds && strcmp(kinds, "race") == 0, "ACLNN_CPU_CHECK=race must be set");
    setenv("ACLNN_CPU_TIMELINE", path, 1);
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    for (int i = 0; i < 2; i++)
        OK(aclrtCreateStream(&streams[i]));
    OK(aclrtMalloc((void **)&memory, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
}

static void remove_file(void)
{
    unlink(path);
}

TestSuite(race_timeline, .init = begin, .fini = remove_file);

static struct timeline end(void)
{
    OK(aclrtSynchronizeDevice());
    OK(aclrtFree(memory));
    OK(aclFinalize());
    return timeline_read(path);
}

static void fill(int stream)
{
    OK(aclrtMemsetAsync(memory, BYTES, 1, BYTES, streams[stream]));
}

static void copy(int stream)
{
    OK(aclrtMemcpyAsync(memory + BYTES / 2, BYTES / 2, memory, BYTES / 2,
                        ACL_MEMCPY_DEVICE_TO_DEVICE, streams[stream]));
}

static bool is_in(const struct timeline_event *end_of_arrow, const struct timeline_event *slice)
{
    return timeline_same_track(end_of_arrow, slice) && end_of_arrow->begin >= slice->begin &&
           end_of_arrow->begin < slice->end;
}

/* One arrow between the two slices, from the one that began earlier, and one mark with what the
 * two calls say their numbers are. */
static void expect_race(const struct timeline *timeline, const struct timeline_event *one,
                        const struct timeline_event *other, const struct timeline_event *first_call,
                        const struct timeline_event *second_call)
{
    cr_assert(one && other && first_call && second_call);
    cr_assert_eq(timeline_count(timeline, 's', "race"), 1);
    cr_assert_eq(timeline_count(timeline, 'i', "race"), 1);
    const struct timeline_event *from = timeline_find(timeline, 's', "arrow", "race", 0);
    const struct timeline_event *to = timeline_find(timeline, 'f', "arrow", "race", 0);
    const struct timeline_event *mark = timeline_find(timeline, 'i', "race", "race", 0);
    cr_assert(from && to && mark);
    cr_expect((is_in(from, one) && is_in(to, other)) || (is_in(from, other) && is_in(to, one)));
    cr_expect_eq(timeline_argument(mark, "first"), timeline_argument(first_call, "operation"));
    cr_expect_eq(timeline_argument(mark, "second"), timeline_argument(second_call, "operation"));
    cr_expect_lt(timeline_argument(mark, "first"), timeline_argument(mark, "second"));
}

Test(race_timeline, between_two_streams)
{
    fill(0);
    copy(1);
    struct timeline timeline = end();
    expect_race(&timeline, timeline_slice(&timeline, "task", "memset", 0),
                timeline_slice(&timeline, "task", "memcpy", 0),
                timeline_slice(&timeline, "submit", "memset", 0),
                timeline_slice(&timeline, "submit", "memcpy", 0));
    timeline_free(&timeline);
}

static void await_opening(void *opened)
{
    while (sem_wait(opened) != 0) {
    }
}

/* The first stands behind a function of the program's: it begins later, whatever was submitted
 * last. */
Test(race_timeline, from_the_one_that_runs_first)
{
    static sem_t opened;
    cr_assert_eq(sem_init(&opened, 0, 0), 0);
    OK(aclrtLaunchHostFunc(streams[0], await_opening, &opened));
    copy(0);
    fill(1);
    OK(aclrtSynchronizeStream(streams[1]));
    sem_post(&opened);
    struct timeline timeline = end();
    const struct timeline_event *fills = timeline_slice(&timeline, "task", "memset", 0);
    const struct timeline_event *copies = timeline_slice(&timeline, "task", "memcpy", 0);
    expect_race(&timeline, fills, copies, timeline_slice(&timeline, "submit", "memcpy", 0),
                timeline_slice(&timeline, "submit", "memset", 0));
    cr_expect(is_in(timeline_find(&timeline, 's', NULL, "race", 0), fills));
    cr_expect(is_in(timeline_find(&timeline, 'f', NULL, "race", 0), copies));
    timeline_free(&timeline);
    sem_destroy(&opened);
}

Test(race_timeline, between_a_stream_and_the_host)
{
    char host[BYTES];
    fill(0);
    OK(aclrtMemcpy(host, BYTES, memory, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
    struct timeline timeline = end();
    const struct timeline_event *call = timeline_slice(&timeline, "call", "aclrtMemcpy", 0);
    expect_race(&timeline, timeline_slice(&timeline, "task", "memset", 0), call,
                timeline_slice(&timeline, "submit", "memset", 0), call);
    timeline_free(&timeline);
}

/* The replay is the operation, not what was captured. */
Test(race_timeline, of_a_replay)
{
    aclmdlRI graph;
    OK(aclmdlRICaptureBegin(streams[0], ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    fill(0);
    OK(aclmdlRICaptureEnd(streams[0], &graph));
    OK(aclmdlRIExecuteAsync(graph, streams[0]));
    copy(1);
    OK(aclrtSynchronizeDevice());
    OK(aclmdlRIDestroy(graph));
    struct timeline timeline = end();
    const struct timeline_event *copies = timeline_slice(&timeline, "submit", "memcpy", 0);
    const struct timeline_event *replay = NULL, *runs = NULL;
    for (int i = 0; (replay = timeline_find(&timeline, 'X', "submit", NULL, i)) != NULL; i++)
        if (timeline_argument(replay, "operation") ==
            timeline_argument(timeline_find(&timeline, 'i', NULL, "race", 0), "first"))
            break;
    cr_assert_not_null(replay);
    for (int i = 0; (runs = timeline_slice(&timeline, "task", replay->name, i)) != NULL; i++)
        if (timeline_argument(runs, "task") == timeline_argument(replay, "task")) break;
    expect_race(&timeline, runs, timeline_slice(&timeline, "task", "memcpy", 0), replay, copies);
    timeline_free(&timeline);
}

Test(race_timeline, none_where_an_event_orders_them)
{
    aclrtEvent event;
    OK(aclrtCreateEvent(&event));
    fill(0);
    OK(aclrtRecordEvent(event, streams[0]));
    OK(aclrtStreamWaitEvent(streams[1], event));
    copy(1);
    OK(aclrtSynchronizeDevice());
    OK(aclrtDestroyEvent(event));
    struct timeline timeline = end();
    cr_expect_eq(timeline_count(&timeline, 's', "race"), 0);
    cr_expect_eq(timeline_count(&timeline, 'i', "race"), 0);
    timeline_free(&timeline);
}
