/* SPDX-License-Identifier: Apache-2.0 */
/* What the program itself records: aclprof's calls, its own marks and ranges, and all at once. */
#include <criterion/criterion.h>
#include <glob.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl.h"
#include "acl/acl_prof.h"
#include "runtime/profile/profile.h"
#include "tests/unit/capture.h"
#include "tests/unit/process.h"
#include "tests/unit/profile_program.h"

TestSuite(profile_sessions, .init = make_folder, .fini = remove_folder);

/* --- aclprof -------------------------------------------------------------------------------- */

static aclprofConfig *make_config(uint64_t data)
{
    uint32_t device = 0;
    aclprofConfig *config = aclprofCreateConfig(&device, 1, ACL_AICORE_NONE, NULL, data);
    cr_assert_not_null(config, "%s", aclGetRecentErrMsg());
    return config;
}

/* --- the folder beside the timeline ----------------------------------------------------------- */

struct moment {
    int64_t unix_us, raw, monotonic;
    char timeline[64];
};

static int64_t now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* place: of the folder of a recording. */
static struct moment read_moment(const char *place, const char *name, const char *member)
{
    struct moment moment;
    char file[512], format[256];
    snprintf(file, sizeof file, "%s/host/%s", place, name);
    snprintf(format, sizeof format,
             "{\"%s\": \"%%" SCNd64 ".%%*d\", \"clockMonotonicRaw\": \"%%" SCNd64
             "\", \"clockMonotonic\": \"%%" SCNd64 "\", \"timeline\": \"%%63[^\"]\"}",
             member);
    FILE *open = fopen(file, "r");
    cr_assert_not_null(open, "%s", file);
    int found = fscanf(open, format, &moment.unix_us, &moment.raw, &moment.monotonic, /* NOLINT */
                       moment.timeline);
    cr_assert_eq(found, 4, "%s", file);
    fclose(open);
    return moment;
}

static void check_folder(int number, const struct moment *least, const struct moment *most)
{
    char pattern[256], timeline[64], device[512];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/PROF_%06d_*_*", folder, number);
    cr_assert_eq(glob(pattern, 0, NULL, &found), 0, "%s", pattern);
    cr_assert_eq(found.gl_pathc, 1);
    snprintf(timeline, sizeof timeline, "aclnn-cpu-%d-%d.json", (int)getpid(), number);
    const char *place = found.gl_pathv[0];
    const struct moment begin = read_moment(place, "start_info", "collectionTimeBegin"),
                        end = read_moment(place, "end_info", "collectionTimeEnd");
    cr_expect_str_eq(begin.timeline, timeline);
    cr_expect_str_eq(end.timeline, timeline);
    cr_expect(least->raw <= begin.raw && begin.raw <= end.raw && end.raw <= most->raw);
    cr_expect(least->monotonic <= begin.monotonic && begin.monotonic <= end.monotonic &&
              end.monotonic <= most->monotonic);
    cr_expect(least->unix_us <= begin.unix_us && end.unix_us <= most->unix_us);
    snprintf(device, sizeof device, "%s/device_0", place);
    cr_expect_eq(access(device, F_OK), 0);
    snprintf(device, sizeof device, "%s/device_1", place);
    cr_expect_neq(access(device, F_OK), 0);
    globfree(&found);
}

static struct moment this_moment(void)
{
    return (struct moment){.unix_us = now(CLOCK_REALTIME) / 1000,
                           .raw = now(CLOCK_MONOTONIC_RAW),
                           .monotonic = now(CLOCK_MONOTONIC)};
}

static struct timeline read_session(int number)
{
    char name[512];
    snprintf(name, sizeof name, "%s/aclnn-cpu-%d-%d.json", folder, (int)getpid(), number);
    return timeline_read(name);
}

Test(profile_sessions, the_program_records_a_part)
{
    aclprofConfig *config = make_config(ACL_PROF_ACL_API | ACL_PROF_TASK_TIME);
    const struct moment before = this_moment();
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
    const struct moment after = this_moment();
    check_folder(1, &before, &after);
    check_folder(2, &before, &after);
    OK(aclFinalize());
}

Test(profile_sessions, only_what_is_asked_for_is_recorded)
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

Test(profile_sessions, marks_and_ranges_are_the_programs)
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

Test(profile_sessions, refusals)
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
Test(profile_sessions, the_environment_comes_first)
{
    setenv("ACLNN_CPU_TIMELINE", path, 1);
    aclprofConfig *config = make_config(ACL_PROF_TASK_TIME);
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

Test(profile_sessions, steps_begin_and_end_on_their_streams)
{
    int no_stream;
    cr_expect_eq(aclprofGetStepTimestamp(NULL, ACL_STEP_START, NULL), ACL_ERROR_PROF_NOT_RUN);
    aclprofConfig *config = make_config(ACL_PROF_MSPROFTX);
    OK(aclrtSetDevice(0));
    OK(aclprofInit(folder, strlen(folder)));
    OK(aclprofStart(config));
    aclprofStepInfo *one = aclprofCreateStepInfo(), *two = aclprofCreateStepInfo();
    cr_expect_eq(aclprofGetStepTimestamp(NULL, ACL_STEP_START, NULL), ACL_ERROR_INVALID_PARAM);
    cr_expect_eq(aclprofGetStepTimestamp(one, (aclprofStepTag)2, NULL), ACL_ERROR_INVALID_PARAM);
    cr_expect_eq(aclprofGetStepTimestamp(one, ACL_STEP_START, &no_stream),
                 ACL_ERROR_RT_INVALID_HANDLE);
    OK(aclprofGetStepTimestamp(one, ACL_STEP_START, NULL));
    cr_expect_eq(aclprofGetStepTimestamp(one, ACL_STEP_START, NULL), ACL_ERROR_INVALID_PARAM);
    OK(aclprofGetStepTimestamp(one, ACL_STEP_END, NULL));
    OK(aclprofGetStepTimestamp(two, ACL_STEP_START, NULL));
    OK(aclrtSynchronizeStream(NULL));
    OK(aclprofStop(config));
    OK(aclprofFinalize());
    aclprofDestroyStepInfo(one);
    aclprofDestroyStepInfo(two);
    aclprofDestroyStepInfo(NULL);
    OK(aclprofDestroyConfig(config));
    struct timeline timeline = read_session(1);
    cr_expect_eq(timeline_count(&timeline, 'i', "step 1 begins"), 2);
    cr_expect_eq(timeline_count(&timeline, 'i', "step 1 ends"), 2);
    cr_expect_eq(timeline_count(&timeline, 'i', "step 2 begins"), 2);
    cr_expect_eq(timeline_count(&timeline, 'i', "step 2 ends"), 0);
    timeline_free(&timeline);
    OK(aclFinalize());
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

Test(profile_sessions, recordings_start_and_stop_amid_work)
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
