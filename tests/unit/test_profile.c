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
#include "runtime/alloc.h"
#include "runtime/profile.h"
#include "runtime/profile_records.h"
#include "runtime/queue.h"
#include "tests/unit/capture.h"
#include "tests/unit/gate.h"
#include "tests/unit/process.h"
#include "tests/unit/timeline_file.h"

static char folder[] = "/tmp/aclnn-cpu-timeline-XXXXXX", path[256];

static void make_folder(void)
{
    static const char *const variables[] = {
        "ACLNN_CPU_TIMELINE",      "ACLNN_CPU_SUMMARY",           "ACLNN_CPU_LOG",
        "ASCEND_GLOBAL_LOG_LEVEL", "ASCEND_SLOG_PRINT_TO_STDOUT", "ASCEND_LAUNCH_BLOCKING"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        unsetenv(variables[i]);
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/timeline.json", folder);
}

static void remove_folder(void)
{
    char command[512];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_expect_eq(system(command), 0);
}

TestSuite(profile, .init = make_folder, .fini = remove_folder);

#define OK(call) cr_assert_eq((call), ACL_SUCCESS, "%s", aclGetRecentErrMsg())

/* Two streams; the second waits for an event that the first records behind a gate, so that it is
 * parked when the gate opens. */
static void work(aclrtStream streams[2], void *memory)
{
    struct gate gate;
    aclrtEvent event;
    OK(aclrtCreateEvent(&event));
    gate_close(&gate, streams[0]);
    OK(aclrtMemsetAsync(memory, 4096, 1, 4096, streams[0]));
    OK(aclrtRecordEvent(event, streams[0]));
    OK(aclrtStreamWaitEvent(streams[1], event));
    OK(aclrtMemcpyAsync((char *)memory + 2048, 2048, memory, 2048, ACL_MEMCPY_DEVICE_TO_DEVICE,
                        streams[1]));
    gate_open(&gate);
    OK(aclrtSynchronizeStream(streams[1]));
    OK(aclrtSynchronizeStream(streams[0]));
    OK(aclrtDestroyEvent(event));
    sem_destroy(&gate.opened);
}

static void run_program(int rounds)
{
    aclrtStream streams[2];
    void *memory;
    aclError status = aclInit(NULL);
    cr_assert(status == ACL_SUCCESS || status == ACL_ERROR_REPEAT_INITIALIZE);
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&streams[0]));
    OK(aclrtCreateStream(&streams[1]));
    OK(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_NORMAL_ONLY));
    for (int i = 0; i < rounds; i++)
        work(streams, memory);
    OK(aclrtFree(memory));
    OK(aclrtDestroyStream(streams[0]));
    OK(aclrtDestroyStream(streams[1]));
}

static void check_rounds(const struct timeline *timeline, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        const struct timeline_event *fill = timeline_slice(timeline, "task", "memset", i);
        const struct timeline_event *move = timeline_slice(timeline, "task", "memcpy", i);
        const struct timeline_event *wait =
            timeline_slice(timeline, "task", "aclrtStreamWaitEvent", i);
        cr_assert(fill && move && wait);
        cr_expect_eq(timeline_argument(fill, "bytes"), 4096);
        cr_expect_eq(timeline_argument(move, "bytes"), 2 * 2048);
        cr_expect(timeline_same_track(move, wait) && !timeline_same_track(move, fill));
        cr_expect_geq(move->begin, wait->end);
        cr_expect_geq(wait->end, fill->end);
        cr_expect_not_null(timeline_slice(timeline, "submit", "memset", i));
    }
    cr_expect_eq(timeline_count(timeline, 'f', "event"), rounds);
    cr_expect_eq(timeline_count(timeline, 'X', "memset"), 2 * rounds);
    /* Every task has its submit: gate, memset, record, wait, memcpy. */
    cr_expect_eq(timeline_count(timeline, 'f', "submit"), 5 * rounds);
    cr_expect_eq(timeline_lost(timeline), 0);
}

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
    void *memory;
    OK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_NORMAL_ONLY));
    for (int i = 0; i < LANES * LANE_TASKS; i++)
        OK(aclrtMemsetAsync(memory, 64, 0, 64, ((aclrtStream *)streams)[i % LANES]));
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
    enum { CALLS = 2 * RT_RECORDS_PER_CHUNK };
    setenv("ACLNN_CPU_TIMELINE", path, 1);
    OK(aclInit(NULL));
    rt_profile_call("call", rt_profile_begin(), 0);
    int lost = 0;
    for (int i = 1; i < CALLS; i++) {
        bool is_full = i + 1 == RT_RECORDS_PER_CHUNK; /* the first record names the thread */
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
    enum { MOST = RT_MOST_CHUNKS * RT_RECORDS_PER_CHUNK, MORE = 1000 };
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

Test(profile, a_file_that_cannot_be_written_is_logged)
{
    setenv("ACLNN_CPU_TIMELINE", "/nowhere/at/all.json", 1);
    setenv("ASCEND_GLOBAL_LOG_LEVEL", "3", 1);
    char text[2048];
    run_program(1);
    struct capture capture = capture_begin(STDERR_FILENO);
    OK(aclFinalize());
    capture_end(&capture, text, sizeof text);
    cr_expect_not_null(
        strstr(text, "the timeline /nowhere/at/all.json cannot be written: No such"));
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

/* --- aclprof -------------------------------------------------------------------------------- */

static aclprofConfig *make_config(uint64_t data)
{
    uint32_t device = 0;
    aclprofConfig *config = aclprofCreateConfig(&device, 1, ACL_AICORE_NONE, NULL, data);
    cr_assert_not_null(config, "%s", aclGetRecentErrMsg());
    return config;
}

static struct timeline read_session(int number)
{
    char name[512];
    snprintf(name, sizeof name, "%s/aclnn-cpu-%d-%d.json", folder, (int)getpid(), number);
    return timeline_read(name);
}

Test(profile, the_program_records_a_part)
{
    aclprofConfig *config = make_config(ACL_PROF_ACL_API | ACL_PROF_TASK_TIME);
    OK(aclprofInit(folder, strlen(folder)));
    run_program(1);
    OK(aclprofStart(config));
    run_program(2);
    OK(aclprofStop(config));
    run_program(1);
    OK(aclprofStart(config));
    run_program(3);
    OK(aclprofFinalize()); /* stops */
    OK(aclprofDestroyConfig(config));
    cr_expect_not(rt_profile_on());
    struct timeline timeline = read_session(1);
    check_rounds(&timeline, 2);
    timeline_free(&timeline);
    timeline = read_session(2);
    check_rounds(&timeline, 3);
    timeline_free(&timeline);
    OK(aclFinalize());
}

Test(profile, only_what_is_asked_for_is_recorded)
{
    static const struct {
        uint64_t data;
        bool calls, tasks, marks;
    } rows[] = {{ACL_PROF_RUNTIME_API, true, false, false},
                {ACL_PROF_TASK_TIME_L0 | ACL_PROF_AICORE_METRICS, false, true, false},
                {ACL_PROF_MSPROFTX, false, false, true}};
    OK(aclprofInit(folder, strlen(folder)));
    for (int i = 0; i < 3; i++) {
        aclprofConfig *config = make_config(rows[i].data);
        OK(aclprofStart(config));
        run_program(1);
        aclError marked = aclprofMarkEx("mark", 4, NULL);
        cr_expect_eq(marked, rows[i].marks ? ACL_SUCCESS : ACL_ERROR_PROF_NOT_RUN);
        OK(aclrtSynchronizeDevice());
        OK(aclprofStop(config));
        OK(aclprofDestroyConfig(config));
        struct timeline timeline = read_session(i + 1);
        cr_expect_eq(timeline_slice(&timeline, "submit", "memset", 0) != NULL, rows[i].calls);
        cr_expect_eq(timeline_slice(&timeline, "task", "memset", 0) != NULL, rows[i].tasks);
        cr_expect_eq(timeline_count(&timeline, 'i', "mark"), rows[i].marks ? 2 : 0);
        timeline_free(&timeline);
    }
    OK(aclprofFinalize());
    OK(aclFinalize());
}

static void *stop_range(void *id)
{
    OK(aclprofRangeStop(*(uint32_t *)id));
    return NULL;
}

static const char awkward[] = "a \"quoted\" \\ text,\n\x01 caf\xc3\xa9 \xff\xc0\x80";

Test(profile, marks_and_ranges_are_the_programs)
{
    uint32_t id[2];
    pthread_t thread;
    aclprofConfig *config = make_config(ACL_PROF_MSPROFTX);
    OK(aclrtSetDevice(0));
    OK(aclprofInit(folder, strlen(folder)));
    OK(aclprofStart(config));
    void *stamp = aclprofCreateStamp();
    cr_assert_not_null(stamp);
    static const char long_text[128] = {[0 ... 126] = 'x'};
    cr_expect_eq(aclprofSetStampTraceMessage(NULL, "x", 1), ACL_ERROR_INVALID_PARAM);
    cr_expect_eq(aclprofSetStampTraceMessage(stamp, NULL, 1), ACL_ERROR_INVALID_PARAM);
    cr_expect_eq(aclprofSetStampTraceMessage(stamp, "x", 0), ACL_ERROR_INVALID_PARAM);
    cr_expect_eq(aclprofSetStampTraceMessage(stamp, long_text, 128), ACL_ERROR_INVALID_PARAM);
    OK(aclprofSetStampTraceMessage(stamp, long_text, 127));
    cr_expect_eq(aclprofMark(NULL), ACL_ERROR_INVALID_PARAM);
    cr_expect_eq(aclprofPush(NULL), ACL_ERROR_INVALID_PARAM);
    cr_expect_eq(aclprofRangeStart(stamp, NULL), ACL_ERROR_INVALID_PARAM);
    cr_expect_eq(aclprofMarkEx(NULL, 1, NULL), ACL_ERROR_INVALID_PARAM);
    cr_expect_eq(aclprofMarkEx("x", 0, NULL), ACL_ERROR_INVALID_PARAM);
    cr_expect_eq(aclprofMarkEx("x", 1, (aclrtStream)&thread), ACL_ERROR_RT_INVALID_HANDLE);
    OK(aclprofSetStampTraceMessage(stamp, "outer", 5));
    OK(aclprofPush(stamp));
    OK(aclprofSetStampTraceMessage(stamp, "inner and more", 5));
    OK(aclprofPush(stamp));
    OK(aclprofSetStampTraceMessage(stamp, awkward, sizeof awkward - 1));
    OK(aclprofMark(stamp));
    OK(aclprofPop());
    OK(aclprofPop());
    cr_expect_eq(aclprofPop(), ACL_ERROR_INVALID_PARAM);
    OK(aclprofSetStampTraceMessage(stamp, "range", 5));
    OK(aclprofRangeStart(stamp, &id[0]));
    OK(aclprofRangeStart(stamp, &id[1]));
    aclprofDestroyStamp(stamp);
    cr_assert_eq(pthread_create(&thread, NULL, stop_range, &id[0]), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    cr_expect_eq(aclprofRangeStop(id[0]), ACL_ERROR_INVALID_PARAM);
    OK(aclprofStop(config)); /* the other one is still open */
    cr_expect_eq(aclprofRangeStop(id[1]), ACL_ERROR_INVALID_PARAM);
    struct timeline timeline = read_session(1);
    const struct timeline_event *outer = timeline_slice(&timeline, "call", "outer", 0);
    const struct timeline_event *inner = timeline_slice(&timeline, "call", "inner", 0);
    cr_assert(outer && inner);
    cr_expect(outer->begin <= inner->begin && inner->end <= outer->end);
    cr_expect_eq(timeline_count(&timeline, 'i', "a \"quoted\" \\ text,\n\x01 caf\xc3\xa9 ???"), 1);
    cr_expect_eq(timeline_count(&timeline, 'b', "range"), 1);
    cr_expect_eq(timeline_count(&timeline, 'e', "range"), 1);
    timeline_free(&timeline);
    OK(aclprofFinalize());
    OK(aclprofDestroyConfig(config));
    OK(aclFinalize());
}

Test(profile, refusals)
{
    uint32_t devices[2] = {0, 7}, id;
    aclprofConfig *config = make_config(ACL_PROF_TASK_TIME);
    aclprofConfig *other = make_config(ACL_PROF_ACL_API);
    aclprofConfig *nothing = make_config(ACL_PROF_AICORE_METRICS);
    cr_expect_eq(aclprofInit(NULL, 1), ACL_ERROR_INVALID_PARAM);
    cr_expect_eq(aclprofInit(folder, 0), ACL_ERROR_INVALID_PARAM);
    cr_expect_eq(aclprofInit("/tmp", 5), ACL_ERROR_INVALID_PARAM);
    cr_expect_eq(aclprofInit("/nowhere/at/all", 15), ACL_ERROR_INVALID_FILE);
    cr_expect_eq(aclprofInit("/proc/self/stat", 15), ACL_ERROR_INVALID_FILE);
    cr_expect_eq(aclprofStart(config), ACL_ERROR_PROF_NOT_RUN);
    cr_expect_eq(aclprofStop(config), ACL_ERROR_PROF_NOT_RUN);
    cr_expect_eq(aclprofFinalize(), ACL_ERROR_PROF_NOT_RUN);
    cr_expect_eq(aclprofSetConfig(ACL_PROF_LLC_MODE, "read", 4), ACL_ERROR_PROF_NOT_RUN);
    OK(aclprofInit(folder, strlen(folder)));
    cr_expect_eq(aclprofInit(folder, strlen(folder)), ACL_ERROR_REPEAT_INITIALIZE);
    cr_expect_eq(aclprofSetConfig(ACL_PROF_LLC_MODE, "read", 4),
                 ACL_ERROR_PROF_MODULES_UNSUPPORTED);
    cr_expect_eq(aclprofSetConfig(ACL_PROF_ARGS_MAX, "read", 4), ACL_ERROR_INVALID_PARAM);
    cr_expect_eq(aclprofSetConfig(ACL_PROF_LLC_MODE, NULL, 4), ACL_ERROR_INVALID_PARAM);
    cr_expect_eq(aclprofStart(NULL), ACL_ERROR_INVALID_PARAM);
    cr_expect_eq(aclprofStart(nothing), ACL_ERROR_PROF_MODULES_UNSUPPORTED);
    OK(aclprofStart(config));
    cr_expect_eq(aclprofStart(config), ACL_ERROR_PROF_ALREADY_RUN);
    cr_expect_eq(aclprofStop(NULL), ACL_ERROR_INVALID_PARAM);
    cr_expect_eq(aclprofStop(other), ACL_ERROR_INVALID_PROFILING_CONFIG);
    cr_expect_null(aclprofCreateStamp());
    cr_expect_eq(aclprofMark(NULL), ACL_ERROR_PROF_NOT_RUN);
    cr_expect_eq(aclprofRangeStart(NULL, &id), ACL_ERROR_PROF_NOT_RUN);
    OK(aclprofStop(config));
    OK(aclprofFinalize());
    cr_expect_null(aclprofCreateConfig(NULL, 1, ACL_AICORE_NONE, NULL, ACL_PROF_TASK_TIME));
    cr_expect_null(aclprofCreateConfig(devices, 0, ACL_AICORE_NONE, NULL, ACL_PROF_TASK_TIME));
    cr_expect_null(aclprofCreateConfig(devices, 2, ACL_AICORE_NONE, NULL, ACL_PROF_TASK_TIME));
    cr_expect_null(aclprofCreateConfig(devices + 1, 1, ACL_AICORE_NONE, NULL, ACL_PROF_TASK_TIME));
    cr_expect_eq(aclprofDestroyConfig(NULL), ACL_ERROR_INVALID_PARAM);
    OK(aclprofDestroyConfig(config));
    OK(aclprofDestroyConfig(other));
    OK(aclprofDestroyConfig(nothing));
}

/* As on a device under msprof: the run is recorded already, but marks go into its file. */
Test(profile, the_environment_comes_first)
{
    aclprofConfig *config = make_config(ACL_PROF_TASK_TIME);
    setenv("ACLNN_CPU_TIMELINE", path, 1);
    cr_expect_eq(aclprofInit(folder, strlen(folder)), ACL_ERROR_PROF_ALREADY_RUN);
    cr_expect_eq(aclprofStart(config), ACL_ERROR_PROF_ALREADY_RUN);
    cr_expect_eq(aclprofStop(config), ACL_ERROR_PROF_ALREADY_RUN);
    cr_expect_eq(aclprofFinalize(), ACL_ERROR_PROF_ALREADY_RUN);
    OK(aclrtSetDevice(0));
    OK(aclprofMarkEx("here", 4, NULL));
    OK(aclrtSynchronizeDevice());
    OK(aclprofDestroyConfig(config));
    OK(aclFinalize());
    struct timeline timeline = timeline_read(path);
    cr_expect_eq(timeline_count(&timeline, 'i', "here"), 2);
    timeline_free(&timeline);
}

/* --- all at once ---------------------------------------------------------------------------- */

static atomic_bool is_over;

static void *keep_working(void *unused)
{
    (void)unused;
    aclrtStream streams[2];
    void *memory;
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&streams[0]));
    OK(aclrtCreateStream(&streams[1]));
    OK(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_NORMAL_ONLY));
    do
        work(streams, memory);
    while (!atomic_load(&is_over));
    OK(aclrtFree(memory));
    OK(aclrtDestroyStream(streams[0]));
    OK(aclrtDestroyStream(streams[1]));
    return NULL;
}

Test(profile, recordings_start_and_stop_amid_work)
{
    enum { THREADS = 4, SESSIONS = 20 };
    pthread_t threads[THREADS];
    aclprofConfig *config = make_config(ACL_PROF_ACL_API | ACL_PROF_TASK_TIME | ACL_PROF_MSPROFTX);
    OK(aclrtSetDevice(0));
    OK(aclprofInit(folder, strlen(folder)));
    for (int i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, keep_working, NULL), 0);
    for (int i = 1; i <= SESSIONS; i++) {
        OK(aclprofStart(config));
        OK(aclprofMarkEx("session", 7, NULL));
        OK(aclrtSynchronizeStream(NULL));
        OK(aclprofStop(config));
        struct timeline timeline = read_session(i);
        cr_expect_eq(timeline_count(&timeline, 'i', "session"), 2);
        timeline_free(&timeline);
    }
    atomic_store(&is_over, true);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    OK(aclprofFinalize());
    OK(aclprofDestroyConfig(config));
    OK(aclFinalize());
}
