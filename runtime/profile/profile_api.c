/* SPDX-License-Identifier: Apache-2.0 */
/* acl_prof.h: a recording is started and stopped here; what it holds is made in profile.c.
 * Locks: `lock` guards `state`. The locks of profile_marks.c and timeline.c are taken inside it. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/profile/profile.h"
#include "runtime/profile/profile_folder.h"
#include "runtime/profile/profile_reports.h"
#include "runtime/profile/timeline.h"
#include "runtime/support/alloc.h"
#include "runtime/support/config.h"
#include "runtime/support/devices.h"
#include "runtime/support/error.h"

#include "acl/acl_prof.h"

enum { LONGEST_PATH = 4000, MOST_DEVICES = 64 };

struct aclprofConfig {
    uint64_t data, devices; /* a bit each */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct {
    bool is_ready;     /* from aclprofInit to aclprofFinalize */
    bool is_recording; /* and `data` is what */
    uint64_t data;
    unsigned files;
    pid_t owner; /* of the recording: a forked child has none of its own */
    char folder[LONGEST_PATH + 1];
    char timeline[64], reports[PATH_MAX]; /* of the recording: a file and a folder in folder */
} state;

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void after_fork_parent(void)
{
    pthread_mutex_unlock(&lock);
}

static void after_fork_child(void)
{
    pthread_mutex_init(&lock, NULL);
}

static void guard_fork(void)
{
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

static void take_lock(void)
{
    pthread_once(&once, guard_fork);
    pthread_mutex_lock(&lock);
}

/* --- recording ------------------------------------------------------------------------------ */

static aclError refuse_beside_environment(const char *who)
{
    if (!rt_config()->timeline) return ACL_SUCCESS;
    return rt_error_report(ACL_ERROR_PROF_ALREADY_RUN, who,
                           "ACLNN_CPU_TIMELINE records this run; the program cannot");
}

static aclError make_folder(const char *path)
{
    struct stat status;
    if (mkdir(path, 0777) == 0 || errno == EEXIST) {
        if (stat(path, &status) == 0 && S_ISDIR(status.st_mode) && access(path, W_OK | X_OK) == 0)
            return ACL_SUCCESS;
        errno = S_ISDIR(status.st_mode) ? EACCES : ENOTDIR;
    }
    return rt_error_report(ACL_ERROR_INVALID_FILE, "aclprofInit",
                           "profilerResultPath, %s, cannot be written to: %s", path,
                           strerror(errno));
}

static aclError begin_locked(const char *path, size_t length)
{
    char folder[LONGEST_PATH + 1];
    if (state.is_ready)
        return rt_error_report(ACL_ERROR_REPEAT_INITIALIZE, "aclprofInit",
                               "called already; aclprofFinalize must come first");
    memcpy(folder, path, length);
    folder[length] = '\0';
    aclError status = make_folder(folder);
    if (status != ACL_SUCCESS) return status;
    memcpy(state.folder, folder, length + 1);
    state.is_ready = true;
    return ACL_SUCCESS;
}

aclError aclprofInit(const char *profilerResultPath, size_t length)
{
    RT_CHECK(profilerResultPath, ACL_ERROR_INVALID_PARAM, "profilerResultPath is NULL");
    RT_CHECK(length > 0 && length <= LONGEST_PATH, ACL_ERROR_INVALID_PARAM,
             "length is %zu; it must be from 1 to %d", length, LONGEST_PATH);
    RT_CHECK(strnlen(profilerResultPath, length) == length, ACL_ERROR_INVALID_PARAM,
             "length is %zu; profilerResultPath ends before that", length);
    aclError status = refuse_beside_environment(__func__);
    if (status != ACL_SUCCESS) return status;
    take_lock();
    status = begin_locked(profilerResultPath, length);
    pthread_mutex_unlock(&lock);
    return status;
}

static bool is_ready(void)
{
    take_lock();
    bool ready = state.is_ready;
    pthread_mutex_unlock(&lock);
    return ready;
}

aclError aclprofSetConfig(aclprofConfigType configType, const char *config, size_t configLength)
{
    RT_CHECK(config && configLength > 0, ACL_ERROR_INVALID_PARAM, "config is NULL or empty");
    RT_CHECK(configType > ACL_PROF_ARGS_MIN && configType < ACL_PROF_ARGS_MAX,
             ACL_ERROR_INVALID_PARAM, "configType is %d; it must be a value of aclprofConfigType",
             (int)configType);
    RT_CHECK(is_ready(), ACL_ERROR_PROF_NOT_RUN, "aclprofInit has not been called");
    return RT_ERROR(ACL_ERROR_PROF_MODULES_UNSUPPORTED,
                    "configType is %d; it samples hardware that a CPU does not have",
                    (int)configType);
}

static aclError check_devices(const uint32_t *devices, uint32_t count, uint64_t data)
{
    static const char who[] = "aclprofCreateConfig";
    if (count == 0 && (data & ACL_PROF_MSPROFTX) == 0)
        return rt_error_report(ACL_ERROR_INVALID_PARAM, who,
                               "deviceNums is 0; only ACL_PROF_MSPROFTX needs no device");
    if (count > MOST_DEVICES || (int32_t)count > rt_device_count())
        return rt_error_report(ACL_ERROR_INVALID_PARAM, who,
                               "deviceNums is %" PRIu32 "; there are %" PRId32, count,
                               rt_device_count());
    if (count > 0 && !devices)
        return rt_error_report(ACL_ERROR_INVALID_PARAM, who, "deviceIdList is NULL");
    for (uint32_t i = 0; i < count; i++) {
        if (devices[i] <= INT32_MAX && rt_device_exists((int32_t)devices[i])) continue;
        return rt_error_report(ACL_ERROR_INVALID_PARAM, who,
                               "deviceIdList[%" PRIu32 "] is %" PRIu32 "; devices are numbered "
                               "from 0 to %" PRId32,
                               i, devices[i], rt_device_count() - 1);
    }
    return ACL_SUCCESS;
}

aclprofConfig *aclprofCreateConfig(uint32_t *deviceIdList, uint32_t deviceNums,
                                   aclprofAicoreMetrics aicoreMetrics,
                                   const aclprofAicoreEvents *aicoreEvents, uint64_t dataTypeConfig)
{
    (void)aicoreMetrics;
    if (aicoreEvents) {
        RT_ERROR(ACL_ERROR_INVALID_PARAM, "aicoreEvents must be NULL");
        return NULL;
    }
    if (check_devices(deviceIdList, deviceNums, dataTypeConfig) != ACL_SUCCESS) return NULL;
    aclprofConfig *config = rt_alloc(sizeof(*config));
    if (!config) {
        RT_ERROR(ACL_ERROR_BAD_ALLOC, "no host memory for a configuration");
        return NULL;
    }
    *config = (aclprofConfig){.data = dataTypeConfig};
    for (uint32_t i = 0; i < deviceNums; i++)
        config->devices |= UINT64_C(1) << deviceIdList[i];
    return config;
}

aclError aclprofDestroyConfig(const aclprofConfig *profilerConfig)
{
    RT_CHECK(profilerConfig, ACL_ERROR_INVALID_PARAM, "profilerConfig is NULL");
    rt_free((void *)profilerConfig);
    return ACL_SUCCESS;
}

static unsigned flags_of(uint64_t data)
{
    unsigned flags = 0;
    if (data & (ACL_PROF_ACL_API | ACL_PROF_RUNTIME_API)) flags |= RT_PROFILE_HOST;
    if (data & (ACL_PROF_TASK_TIME | ACL_PROF_TASK_TIME_L0)) flags |= RT_PROFILE_TASKS;
    if (data & ACL_PROF_TASK_TIME) flags |= RT_PROFILE_STEPS;
    if (data & ACL_PROF_MSPROFTX) flags |= RT_PROFILE_MARKS;
    return flags;
}

/* A percent sign in the folder's name is no pattern. */
static void name_file(char pattern[PATH_MAX])
{
    size_t used = 0;
    for (const char *at = state.folder; *at && used < PATH_MAX - 64; at++) {
        if (*at == '%') pattern[used++] = '%';
        pattern[used++] = *at;
    }
    snprintf(pattern + used, PATH_MAX - used, "/aclnn-cpu-%%p-%u.json", ++state.files);
    state.owner = getpid();
    snprintf(state.timeline, sizeof(state.timeline), "aclnn-cpu-%d-%u.json", (int)state.owner,
             state.files);
}

static aclError start_locked(uint64_t data, uint64_t devices)
{
    static const char who[] = "aclprofStart";
    char pattern[PATH_MAX];
    unsigned flags = flags_of(data);
    if (!state.is_ready)
        return rt_error_report(ACL_ERROR_PROF_NOT_RUN, who, "aclprofInit has not been called");
    if (state.is_recording)
        return rt_error_report(ACL_ERROR_PROF_ALREADY_RUN, who,
                               "a recording has been started and not stopped");
    if (flags == 0)
        return rt_error_report(ACL_ERROR_PROF_MODULES_UNSUPPORTED, who,
                               "dataTypeConfig is 0x%" PRIx64 "; a CPU has nothing of it", data);
    name_file(pattern);
    if (!rt_profile_folder_begin(state.reports, state.folder, state.files, devices, state.timeline))
        return rt_error_report(ACL_ERROR_INVALID_FILE, who, "a folder in %s cannot be made: %s",
                               state.folder, strerror(errno));
    rt_ticks_choose();
    rt_timeline_open(pattern);
    state.is_recording = true;
    state.data = data;
    atomic_fetch_or_explicit(&rt_profile_flags, flags, memory_order_release);
    return ACL_SUCCESS;
}

aclError aclprofStart(const aclprofConfig *profilerConfig)
{
    RT_CHECK(profilerConfig, ACL_ERROR_INVALID_PARAM, "profilerConfig is NULL");
    aclError status = refuse_beside_environment(__func__);
    if (status != ACL_SUCCESS) return status;
    take_lock();
    status = start_locked(profilerConfig->data, profilerConfig->devices);
    pthread_mutex_unlock(&lock);
    if (status == ACL_SUCCESS) rt_profile_tell_start(profilerConfig->data);
    return status;
}

static aclError stop_locked(const char *who)
{
    atomic_fetch_and_explicit(&rt_profile_flags, RT_PROFILE_SUMMARY, memory_order_relaxed);
    state.is_recording = false;
    rt_profile_drop_ranges();
    const bool is_told =
        state.owner != getpid() || rt_profile_folder_end(state.reports, state.timeline);
    if (rt_timeline_close() && is_told) return ACL_SUCCESS;
    return rt_error_report(ACL_ERROR_INVALID_FILE, who, "a file in %s cannot be written",
                           state.folder);
}

/* Before a recording that is of `asked`, or of anything when that is 0, ends: modules may report
 * what they still have. */
static void tell_of_end(uint64_t asked)
{
    take_lock();
    const uint64_t data = state.is_recording ? state.data : 0;
    pthread_mutex_unlock(&lock);
    if (data != 0 && (asked == 0 || asked == data)) rt_profile_tell_stop(data);
}

aclError aclprofStop(const aclprofConfig *profilerConfig)
{
    RT_CHECK(profilerConfig, ACL_ERROR_INVALID_PARAM, "profilerConfig is NULL");
    aclError status = refuse_beside_environment(__func__);
    if (status != ACL_SUCCESS) return status;
    tell_of_end(profilerConfig->data);
    take_lock();
    if (!state.is_recording)
        status = RT_ERROR(ACL_ERROR_PROF_NOT_RUN, "nothing is recorded");
    else if (profilerConfig->data != state.data)
        status = RT_ERROR(ACL_ERROR_INVALID_PROFILING_CONFIG,
                          "dataTypeConfig is 0x%" PRIx64 "; aclprofStart was given 0x%" PRIx64,
                          profilerConfig->data, state.data);
    else
        status = stop_locked(__func__);
    pthread_mutex_unlock(&lock);
    return status;
}

aclError aclprofFinalize(void)
{
    aclError status = refuse_beside_environment(__func__);
    if (status != ACL_SUCCESS) return status;
    tell_of_end(0);
    take_lock();
    if (!state.is_ready)
        status = RT_ERROR(ACL_ERROR_PROF_NOT_RUN, "aclprofInit has not been called");
    else if (state.is_recording)
        status = stop_locked(__func__);
    state.is_ready = false;
    pthread_mutex_unlock(&lock);
    return status;
}
