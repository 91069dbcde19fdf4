/* SPDX-License-Identifier: Apache-2.0 */
/* Timelines and sums: every file is read back and checked as timeline_file.h says. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl.h"
#include "acl/acl_prof.h"
#include "aclnnop/aclnn_avgpool2d_backward.h"
#include "runtime/profile/profile.h"
#include "runtime/profile/profile_records.h"
#include "runtime/schedule/queue.h"
#include "runtime/support/alloc.h"
#include "tests/unit/capture.h"
#include "tests/unit/gate.h"
#include "tests/unit/process.h"
#include "tests/unit/profile_program.h"
#include "tests/unit/timeline_file.h"

TestSuite(profile, .init = make_folder, .fini = remove_folder);

Test(profile, nothing_is_kept_when_nothing_asks)
{
    run_program(2);
    cr_expect_not(rt_profile_on());
    cr_expect_null(rt_record_logs());
    cr_expect_eq(rt_profile_begin(), 0);
    OK(aclFinalize());
}

Test(profile, the_environment_records_a_run)
{
    setenv("ACLNN_CPU_TIMELINE", path, 1);
    run_program(3);
    OK(aclFinalize());
    struct timeline timeline = timeline_read(path);
    check_rounds(&timeline, 3);
    cr_expect_gt(timeline_count(&timeline, 'X', "wait for a stream"), 0);
    timeline_free(&timeline);
}

Test(profile, a_file_that_cannot_be_written_is_told_once)
{
    char text[1024];
    setenv("ACLNN_CPU_TIMELINE", "/nowhere/at/all.json", 1);
    struct capture capture = capture_begin(STDERR_FILENO);
    run_program(1);
    OK(aclFinalize());
    OK(aclInit(NULL));
    OK(aclFinalize());
    capture_end(&capture, text, sizeof text);
    const char *line = strstr(text, "ACLNN_CPU_TIMELINE=/nowhere/at/all.json is not taken: ");
    cr_assert(line, "%s", text);
    cr_expect_null(strstr(line + 1, "ACLNN_CPU_TIMELINE"), "%s", text);
}

/* Somebody else may have laid it there. */
Test(profile, no_link_is_followed_where_everybody_may_write)
{
    char open_folder[] = "/tmp/test_profile_XXXXXX", link[64], victim[64], text[1024];
    cr_assert(mkdtemp(open_folder));
    cr_assert_eq(chmod(open_folder, 01777), 0);
    snprintf(link, sizeof link, "%s/link.json", open_folder);
    snprintf(victim, sizeof victim, "%s/victim", open_folder);
    cr_assert_eq(symlink(victim, link), 0);
    setenv("ACLNN_CPU_TIMELINE", link, 1);
    struct capture capture = capture_begin(STDERR_FILENO);
    run_program(1);
    OK(aclFinalize());
    capture_end(&capture, text, sizeof text);
    cr_expect_neq(access(victim, F_OK), 0, "the link was followed");
    cr_expect(strstr(text, "ACLNN_CPU_TIMELINE="), "%s", text);
    unlink(victim);
    unlink(link);
    rmdir(open_folder);
}

/* A wait lasts from when its stream stood before it until the event came; the arrow begins at the
 * record and ends at the wait. */
Test(profile, an_arrow_leads_from_a_record_to_its_waits)
{
    aclrtStream streams[3];
    aclrtEvent event;
    struct gate gate;
    setenv("ACLNN_CPU_TIMELINE", path, 1);
    OK(aclrtSetDevice(0));
    OK(aclrtCreateEvent(&event));
    for (int i = 0; i < 3; i++)
        OK(aclrtCreateStream(&streams[i]));
    gate_close(&gate, streams[0]);
    OK(aclrtRecordEvent(event, streams[0]));
    OK(aclrtStreamWaitEvent(streams[1], event));
    OK(aclrtStreamWaitEvent(streams[2], event));
    gate_open(&gate);
    OK(aclrtSynchronizeDevice());
    OK(aclFinalize());
    struct timeline timeline = timeline_read(path);
    const struct timeline_event *record = timeline_slice(&timeline, "task", "aclrtRecordEvent", 0);
    cr_assert_not_null(record);
    cr_assert_eq(timeline_count(&timeline, 's', "event"), 2);
    for (int i = 0; i < 2; i++) {
        const struct timeline_event *from = timeline_find(&timeline, 's', NULL, "event", i);
        const struct timeline_event *to = timeline_find(&timeline, 'f', NULL, "event", i);
        cr_expect(timeline_same_track(from, record));
        cr_expect(from->begin >= record->begin && from->begin < record->end);
        cr_expect_not(timeline_same_track(to, record));
    }
    timeline_free(&timeline);
}

static aclTensor *plane(void *memory, int64_t extent, int64_t row)
{
    const int64_t sizes[] = {1, 1, extent, extent}, storage[] = {1, 1, extent, row};
    const int64_t strides[] = {extent * row, extent * row, row, 1};
    return aclCreateTensor(sizes, 4, ACL_FLOAT, strides, 0, ACL_FORMAT_NCHW, storage, 4, memory);
}

/* Rows of the result that lie apart are delivered by a step of their own. */
static void average_gradient(float *memory, int64_t row, aclrtStream stream)
{
    const int64_t two[] = {2, 2}, zero[] = {0, 0};
    aclTensor *dy = plane(memory, 4, 4), *self = plane(memory + 16, 8, 8);
    aclTensor *dx = plane(memory + 80, 8, row);
    aclIntArray *window = aclCreateIntArray(two, 2), *padding = aclCreateIntArray(zero, 2);
    uint64_t bytes;
    aclOpExecutor *executor;
    OK(aclnnAvgPool2dBackwardGetWorkspaceSize(dy, self, window, window, padding, false, true, 0, 0,
                                              dx, &bytes, &executor));
    void *workspace = NULL;
    if (bytes > 0) OK(aclrtMalloc(&workspace, bytes, ACL_MEM_MALLOC_NORMAL_ONLY));
    OK(aclnnAvgPool2dBackward(workspace, bytes, executor, stream));
    OK(aclrtSynchronizeStream(stream));
    if (workspace) OK(aclrtFree(workspace));
    OK(aclDestroyTensor(dy));
    OK(aclDestroyTensor(self));
    OK(aclDestroyTensor(dx));
    OK(aclDestroyIntArray(window));
    OK(aclDestroyIntArray(padding));
}

static const struct timeline_event *next_step(const struct timeline *timeline, int *at,
                                              int64_t begin, int64_t end)
{
    const struct timeline_event *step = timeline_find(timeline, 'X', "step", NULL, (*at)++);
    cr_assert_not_null(step);
    cr_expect_eq(step->begin, begin);
    cr_expect_leq(step->end, end);
    cr_expect_gt(timeline_argument(step, "bytes"), 0);
    cr_expect_neq(step->name[0], '\0');
    return step;
}

/* An operator ends with its last step, and a step begins where the one before has ended. */
Test(profile, an_operator_shows_its_steps)
{
    aclrtStream stream;
    float *memory;
    setenv("ACLNN_CPU_TIMELINE", path, 1);
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    OK(aclrtMalloc((void **)&memory, 4096, ACL_MEM_MALLOC_NORMAL_ONLY));
    OK(aclrtMemset(memory, 4096, 0, 4096));
    average_gradient(memory, 8, stream);
    average_gradient(memory, 9, stream);
    OK(aclrtFree(memory));
    OK(aclFinalize());
    struct timeline timeline = timeline_read(path);
    cr_assert_eq(timeline_count(&timeline, 'X', "aclnnAvgPool2dBackward"), 4); /* two submits */
    int at = 0;
    for (int i = 0; i < 2; i++) {
        const struct timeline_event *run =
            timeline_slice(&timeline, "task", "aclnnAvgPool2dBackward", i);
        const struct timeline_event *step = next_step(&timeline, &at, run->begin, run->end);
        cr_expect(timeline_same_track(step, run));
        if (i == 0) cr_expect_eq(timeline_argument(step, "bytes"), timeline_argument(run, "bytes"));
        if (i == 1) step = next_step(&timeline, &at, step->end, run->end);
        cr_expect_eq(step->end, run->end);
    }
    cr_expect_null(timeline_find(&timeline, 'X', "step", NULL, at));
    timeline_free(&timeline);
}

/* What a graph replays is on the tracks of the streams that run its lanes, each time. */
Test(profile, a_replay_shows_what_it_runs)
{
    enum { REPLAYS = 20 };
    aclrtStream streams[2];
    aclrtEvent events[2];
    char *memory;
    aclmdlRI graph;
    setenv("ACLNN_CPU_TIMELINE", path, 1);
    OK(aclrtSetDevice(0));
    OK(aclrtMalloc((void **)&memory, 4096, ACL_MEM_MALLOC_NORMAL_ONLY));
    for (int i = 0; i < 2; i++) {
        OK(aclrtCreateStream(&streams[i]));
        OK(aclrtCreateEventExWithFlag(&events[i], ACL_EVENT_SYNC));
    }
    OK(aclmdlRICaptureBegin(streams[0], ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    OK(aclrtRecordEvent(events[0], streams[0]));
    OK(aclrtStreamWaitEvent(streams[1], events[0]));
    OK(aclrtMemsetAsync(memory, 1024, 1, 1024, streams[0]));
    OK(aclrtMemsetAsync(memory + 1024, 1024, 1, 1024, streams[1]));
    OK(aclrtRecordEvent(events[1], streams[1]));
    OK(aclrtStreamWaitEvent(streams[0], events[1]));
    OK(aclrtMemcpyAsync(memory + 2048, 2048, memory, 2048, ACL_MEMCPY_DEVICE_TO_DEVICE,
                        streams[0]));
    OK(aclmdlRICaptureEnd(streams[0], &graph));
    for (int i = 0; i < REPLAYS; i++)
        OK(aclmdlRIExecuteAsync(graph, streams[0]));
    OK(aclrtSynchronizeStream(streams[0]));
    OK(aclmdlRIDestroy(graph));
    OK(aclrtFree(memory));
    OK(aclFinalize());
    struct timeline timeline = timeline_read(path);
    int fills = 0, moves = 0;
    while (timeline_slice(&timeline, "task", "memset", fills))
        fills++;
    while (timeline_slice(&timeline, "task", "memcpy", moves))
        moves++;
    cr_expect_eq(fills, 2 * REPLAYS);
    cr_expect_eq(moves, REPLAYS);
    timeline_free(&timeline);
}

Test(profile, the_file_grows_with_every_end)
{
    setenv("ACLNN_CPU_TIMELINE", path, 1);
    for (int i = 1; i <= 3; i++) {
        run_program(1);
        OK(aclFinalize());
        struct timeline timeline = timeline_read(path);
        check_rounds(&timeline, i);
        timeline_free(&timeline);
    }
    cr_assert_eq(truncate(path, 10), 0); /* by somebody else: a new one begins */
    run_program(1);
    OK(aclFinalize());
    struct timeline timeline = timeline_read(path);
    check_rounds(&timeline, 1);
    timeline_free(&timeline);
}

Test(profile, more_than_a_chunk)
{
    enum { CALLS = 3 * RT_RECORDS_PER_CHUNK };
    setenv("ACLNN_CPU_TIMELINE", path, 1);
    run_program(1);
    for (int part = 0; part < 3; part++) {
        for (int i = 0; i < CALLS / 3; i++)
            rt_profile_call("call", rt_profile_begin(), 0);
        rt_profile_finish();
    }
    struct timeline timeline = timeline_read(path);
    cr_expect_eq(timeline_count(&timeline, 'X', "call"), CALLS);
    timeline_free(&timeline);
    OK(aclFinalize());
}

enum { LANES = 3, LANE_TASKS = 200 }; /* fewer than a submitter runs itself */

static void *fill_lanes(void *streams)
{
    OK(aclrtSetDevice(0));
    void *memory; /* streams may not share bytes */
    OK(aclrtMalloc(&memory, LANES * 64, ACL_MEM_MALLOC_NORMAL_ONLY));
    for (int i = 0; i < LANES * LANE_TASKS; i++)
        OK(aclrtMemsetAsync((char *)memory + i % LANES * 64, 64, 0, 64,
                            ((aclrtStream *)streams)[i % LANES]));
    OK(aclrtFree(memory));
    return NULL;
}

/* The submits are in a younger log than the runs, and in more than one chunk of it. */
Test(profile, arrows_lead_from_log_to_log)
{
    aclrtStream streams[LANES];
    pthread_t thread;
    setenv("ACLNN_CPU_TIMELINE", path, 1);
    run_program(1);
    for (int i = 0; i < LANES; i++)
        OK(aclrtCreateStream(&streams[i]));
    cr_assert_eq(pthread_create(&thread, NULL, fill_lanes, streams), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    OK(aclrtSynchronizeDevice());
    OK(aclFinalize());
    struct timeline timeline = timeline_read(path);
    cr_expect_eq(timeline_count(&timeline, 'f', "submit"), 5 + LANES * LANE_TASKS);
    timeline_free(&timeline);
}

enum { TAKERS = 4, TURNS = 500 };

static void *take_turns(void *stream)
{
    void *memory;
    OK(aclrtSetDevice(0));
    OK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_NORMAL_ONLY));
    for (int i = 0; i < TURNS; i++) {
        OK(aclrtMemsetAsync(memory, 64, 0, 64, stream));
        OK(aclrtSynchronizeStream(stream));
    }
    OK(aclrtFree(memory));
    return NULL;
}

/* A CPU may read its clock before the claim of a stream is done, and before another one has ended a
 * task there: slices do not overlap for that. */
Test(profile, threads_take_turns_at_a_stream)
{
    aclrtStream stream;
    aclrtEvent event;
    pthread_t threads[TAKERS];
    setenv("ACLNN_CPU_TIMELINE", path, 1);
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    OK(aclrtCreateEvent(&event));
    for (int i = 0; i < TAKERS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, take_turns, stream), 0);
    for (int i = 0; i < TAKERS; i++)
        cr_assert_eq(pthread_join(threads[i], NULL), 0);
    struct rt_stream *queue = stream;
    const int64_t ahead = rt_ticks() + (INT64_C(1) << 48); /* hours */
    queue->recorded_until = ahead;
    OK(aclrtRecordEvent(event, stream));
    OK(aclrtSynchronizeStream(stream));
    cr_expect_eq(queue->recorded_until, ahead);
    OK(aclFinalize());
    struct timeline timeline = timeline_read(path);
    int count = 0;
    while (timeline_slice(&timeline, "task", "memset", count))
        count++;
    cr_expect_eq(count, TAKERS * TURNS);
    const struct timeline_event *last = timeline_slice(&timeline, "task", "memset", count - 1);
    const struct timeline_event *next = timeline_slice(&timeline, "task", "aclrtRecordEvent", 0);
    cr_assert_not_null(next);
    cr_expect_gt(next->begin, last->end);
    timeline_free(&timeline);
}

static void *call_once(void *unused)
{
    (void)unused;
    rt_profile_call("call", rt_profile_begin(), 0);
    return NULL;
}

/* A log is taken over by the next thread, and each call is on the track of its own. */
Test(profile, threads_come_and_go)
{
    enum { THREADS = 100 };
    setenv("ACLNN_CPU_TIMELINE", path, 1);
    OK(aclInit(NULL));
    rt_profile_finish();
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;
        cr_assert_eq(pthread_create(&thread, NULL, call_once, NULL), 0);
        cr_assert_eq(pthread_join(thread, NULL), 0);
    }
    int logs = 0;
    for (struct rt_record_log *log = rt_record_logs(); log; log = log->next)
        logs++;
    cr_expect_leq(logs, 2);
    OK(aclFinalize());
    struct timeline timeline = timeline_read(path);
    cr_expect_eq(timeline_count(&timeline, 'X', "call"), THREADS);
    timeline_free(&timeline);
}

Test(profile, what_finds_no_memory_is_told)
{
    enum { BLOCK = RT_CHUNKS_PER_BLOCK * RT_RECORDS_PER_CHUNK, CALLS = BLOCK + 100 };
    setenv("ACLNN_CPU_TIMELINE", path, 1);
    OK(aclInit(NULL));
    rt_profile_call("call", rt_profile_begin(), 0);
    int lost = 0;
    for (int i = 1; i < CALLS; i++) {
        bool is_full = i + 1 == BLOCK; /* the first record names the thread */
        if (is_full) rt_alloc_fail_at(1);
        rt_profile_call("call", rt_profile_begin(), 0);
        lost += is_full;
    }
    cr_assert_eq(lost, 1);
    OK(aclFinalize());
    struct timeline timeline = timeline_read(path);
    cr_expect_eq(timeline_count(&timeline, 'X', "call"), CALLS - 1);
    cr_expect_eq(timeline_lost(&timeline), 1);
    const struct timeline_event *told = timeline_find(&timeline, 'i', NULL, "events lost", 0);
    cr_assert_not_null(told);
    cr_expect_eq(timeline_argument(told, "count"), 1);
    timeline_free(&timeline);
}

/* Memory is bounded: the oldest records stay, the rest is counted. */
Test(profile, records_beyond_the_bound_are_counted)
{
    enum { MOST = RT_MOST_BLOCKS * RT_CHUNKS_PER_BLOCK * RT_RECORDS_PER_CHUNK, MORE = 1000 };
    OK(aclInit(NULL));
    atomic_store(&rt_profile_flags, RT_PROFILE_HOST);
    for (int i = 0; i < MOST + MORE; i++)
        rt_profile_call("call", 1, 0);
    struct rt_record_log *log = rt_record_logs();
    cr_assert_not_null(log);
    cr_expect_eq(atomic_load(&log->lost), MORE + 1); /* one names the thread */
    struct rt_record_cursor cursor = rt_record_first(log);
    int count = 0;
    while (rt_record_next(&cursor))
        count++;
    cr_expect_eq(count, MOST);
    rt_record_forget(&cursor);
    rt_profile_call("call", 1, 0);
    cursor = rt_record_first(log);
    cr_expect_not_null(rt_record_next(&cursor));
    atomic_store(&rt_profile_flags, 0);
}

/* --- processes ------------------------------------------------------------------------------ */

static void await_child(pid_t child)
{
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d", status);
}

Test(profile, a_process_that_just_ends_leaves_its_file)
{
    setenv("ACLNN_CPU_TIMELINE", path, 1);
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        run_program(2);
        exit(0);
    }
    await_child(child);
    struct timeline timeline = timeline_read(path);
    check_rounds(&timeline, 2);
    timeline_free(&timeline);
}

/* Children leave by _exit: what the parent's threads held is nobody's in them, which a search for
 * leaks at their exit would take for lost. */
static void check_forked(const char *pattern, const char *parents, const char *childs)
{
    process_begin_forks();
    setenv("ACLNN_CPU_TIMELINE", pattern, 1);
    run_program(1);
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        OK(aclFinalize());
        run_program(2);
        OK(aclFinalize());
        _exit(0);
    }
    await_child(child);
    pid_t idle = fork(); /* nothing to tell: no file */
    cr_assert_geq(idle, 0);
    if (idle == 0) {
        rt_profile_finish();
        _exit(0);
    }
    await_child(idle);
    OK(aclFinalize());
    char name[512];
    snprintf(name, sizeof name, parents, folder, (int)getpid());
    struct timeline timeline = timeline_read(name);
    check_rounds(&timeline, 1);
    timeline_free(&timeline);
    snprintf(name, sizeof name, childs, folder, (int)child);
    timeline = timeline_read(name);
    check_rounds(&timeline, 2);
    timeline_free(&timeline);
    snprintf(name, sizeof name, childs, folder, (int)idle);
    cr_expect_neq(access(name, F_OK), 0);
}

Test(profile, a_child_has_its_own_file)
{
    char pattern[256];
    snprintf(pattern, sizeof pattern, "%s/%%%%of-%%p.json", folder);
    check_forked(pattern, "%s/%%of-%d.json", "%s/%%of-%d.json");
}

Test(profile, a_child_never_writes_into_its_parents_file)
{
    check_forked(path, "%s/timeline.json", "%s/timeline-%d.json");
}

/* --- sums ----------------------------------------------------------------------------------- */

static double row_value(const char *text, const char *name, int column)
{
    const char *line = strstr(text, name);
    double value = NAN;
    cr_assert_not_null(line, "%s in %s", name, text);
    line += strlen(name);
    for (int i = 0; i <= column; i++) {
        char *end;
        value = strtod(line, &end);
        cr_assert_neq(end, line, "column %d of %s", i, text);
        line = end + (*end == '%');
    }
    return value;
}

Test(profile, the_summary_counts_what_has_run)
{
    setenv("ACLNN_CPU_SUMMARY", "1", 1);
    char text[4096];
    run_program(5);
    struct capture capture = capture_begin(STDERR_FILENO);
    OK(aclFinalize());
    capture_end(&capture, text, sizeof text);
    cr_expect_eq(row_value(text, "\nmemset ", 0), 5);
    cr_expect_eq(row_value(text, "\nmemcpy ", 0), 5);
    cr_expect_eq(row_value(text, "\nall ", 0), 10);
    double share = row_value(text, "\nmemset ", 3) + row_value(text, "\nmemcpy ", 3);
    cr_expect(share > 99.8 && share < 100.2, "%s", text);
    cr_expect_gt(row_value(text, "\nmemset ", 4), 0);
    cr_expect_null(strstr(text, "aclrtRecordEvent"));
    /* It begins anew. */
    run_program(1);
    capture = capture_begin(STDERR_FILENO);
    OK(aclFinalize());
    capture_end(&capture, text, sizeof text);
    cr_expect_eq(row_value(text, "\nmemset ", 0), 1);
}
