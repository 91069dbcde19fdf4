/* SPDX-License-Identifier: Apache-2.0 */
/* Locks: `lock` guards `file` and makes its holder the reader of all records. It is held while the
 * file is written; taken before any other lock, and by no thread that runs a task. */
#include "runtime/profile/timeline.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/profile/profile_records.h"
#include "runtime/profile/timeline_json.h"
#include "runtime/support/config.h"
#include "runtime/support/file_name.h"
#include "runtime/support/futex.h"
#include "runtime/support/log.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct {
    bool is_open;
    bool is_child; /* opened by the parent of a fork */
    bool is_told;  /* that it cannot be written */
    char pattern[PATH_MAX];
    int64_t base_unix_ns;
    long end, size; /* the next event goes to end; 0: nothing has been written */
    uint64_t lost;
    struct rt_json json;
} file;

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void after_fork_parent(void)
{
    pthread_mutex_unlock(&lock);
}

/* What was recorded is the parent's, and so is the file. */
static void after_fork_child(void)
{
    file.is_child = true;
    file.end = 0;
    rt_places_free(&file.json.streams);
    pthread_mutex_init(&lock, NULL);
}

static void guard_fork(void)
{
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

/* A child whose parent's pattern names no process puts its id before the ending. */
static bool name_file(char path[PATH_MAX])
{
    char id[24];
    bool has_id;
    if (!rt_file_name(file.pattern, path, &has_id)) return false;
    if (has_id || !file.is_child) return true;
    char ending[PATH_MAX] = "";
    char *slash = strrchr(path, '/');
    char *dot = strrchr(slash ? slash : path, '.');
    if (dot) {
        strcpy(ending, dot);
        *dot = '\0';
    }
    snprintf(id, sizeof(id), "-%d", (int)getpid());
    return rt_file_name_append(path, id) && rt_file_name_append(path, ending);
}

/* In a folder where everybody may write, somebody else may have laid a link under this name. */
static int link_flags(const char *path)
{
    struct stat about;
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    memcpy(folder, path, length);
    strcpy(folder + length, ".");
    return stat(folder, &about) == 0 && (about.st_mode & S_IWOTH) != 0 ? O_NOFOLLOW : 0;
}

static FILE *open_as(const char *path, int flags, const char *mode)
{
    const int number = open(path, flags | O_CLOEXEC | link_flags(path), 0666);
    FILE *out = number >= 0 ? fdopen(number, mode) : NULL;
    if (number >= 0 && !out) close(number);
    return out;
}

/* Goes on behind the last event if the file is as it was left; else a new one. */
static FILE *open_file(const char *path)
{
    FILE *out = file.end > 0 ? open_as(path, O_RDWR, "r+") : NULL;
    if (out && fseek(out, 0, SEEK_END) == 0 && ftell(out) == file.size &&
        fseek(out, file.end, SEEK_SET) == 0)
        return out;
    if (out) fclose(out);
    file.end = 0;
    file.json.events = 0;
    rt_places_free(&file.json.streams);
    return open_as(path, O_WRONLY | O_CREAT | O_TRUNC, "w");
}

/* --- writing -----------------------------------------------------------------------------------
 */

/* Where arrows may begin. Those that find no memory are not drawn. */
static struct rt_places find_sources(void)
{
    struct rt_places sources = {0};
    for (struct rt_record_log *log = rt_record_logs(); log; log = log->next) {
        struct rt_record_cursor cursor = rt_record_first(log);
        uint64_t thread = log->thread;
        for (struct rt_record *record; (record = rt_record_next(&cursor));) {
            if (record->kind == RT_RECORD_THREAD) thread = record->number;
            rt_json_add_source(&sources, record, thread);
        }
    }
    return sources;
}

static void put_head(void)
{
    fputs("{\"traceEvents\":[\n", file.json.out);
    rt_json_put_processes(&file.json);
    for (struct rt_record_log *log = rt_record_logs(); log; log = log->next) {
        if (log->thread == 0) continue; /* its first record is still to come */
        char name[32];
        snprintf(name, sizeof(name), "thread %" PRIu64, log->thread);
        rt_json_put_thread(&file.json, log->thread, name, SIZE_MAX);
    }
}

static void put_tail(void)
{
    fprintf(file.json.out,
            "\n],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"writer\":\"aclnn-cpu\",\"pid\":%d,"
            "\"lost\":%" PRIu64 ",\"base_monotonic_ns\":%" PRId64 ",\"base_unix_ns\":%" PRId64
            "}}\n",
            (int)getpid(), file.lost, file.json.base_ns, file.base_unix_ns);
}

/* Records are kept until all logs have been read: arrows lead from one log to another. sources
 * NULL: only forgets. */
static void take_records(const struct rt_places *sources)
{
    for (struct rt_record_log *log = rt_record_logs(); log; log = log->next) {
        struct rt_record_cursor cursor = rt_record_first(log);
        for (struct rt_record *record; (record = rt_record_next(&cursor));) {
            if (record->kind == RT_RECORD_THREAD) log->thread = record->number;
            if (sources) rt_json_put_record(&file.json, sources, record, log->thread);
        }
        log->done = cursor.chunk;
        log->done_index = cursor.index;
        uint64_t lost = atomic_load_explicit(&log->lost, memory_order_relaxed);
        file.lost += lost - log->lost_told;
        log->lost_told = lost;
    }
    for (struct rt_record_log *log = rt_record_logs(); log; log = log->next) {
        struct rt_record_cursor end = {.log = log, .chunk = log->done, .index = log->done_index};
        if (log->done) rt_record_forget(&end);
        log->done = NULL;
    }
}

static bool has_records(void)
{
    for (struct rt_record_log *log = rt_record_logs(); log; log = log->next) {
        struct rt_record_cursor cursor = rt_record_first(log);
        if (rt_record_next(&cursor)) return true;
    }
    return false;
}

static bool write_file(void)
{
    FILE *out = file.json.out;
    struct rt_places sources = find_sources();
    file.json.line = rt_ticks_measure();
    uint64_t lost = file.lost;
    if (file.end == 0) put_head();
    take_records(&sources);
    if (file.lost > lost) rt_json_put_lost(&file.json, rt_now_ns(), file.lost - lost);
    file.end = ftell(out);
    put_tail();
    file.size = ftell(out);
    rt_places_free(&sources);
    bool is_right = file.end > 0 && file.size > 0 && !ferror(out);
    return fclose(out) == 0 && is_right;
}

/* Nobody hears of it in another way when the environment asked for the file. */
static void tell(const char *path, const char *reason)
{
    const char *asked = rt_config()->timeline;
    if (asked && !file.is_told && strcmp(asked, file.pattern) == 0)
        rt_log_unhonoured("ACLNN_CPU_TIMELINE", asked, "the file cannot be written: %s", reason);
    else
        rt_log(ACL_ERROR, "the timeline %s cannot be written: %s", path, reason);
    file.is_told = true;
}

static bool write_locked(void)
{
    char path[PATH_MAX];
    if (!file.is_open || (!has_records() && (file.end > 0 || file.is_child))) return true;
    file.json.out = name_file(path) ? open_file(path) : NULL;
    if (file.json.out && write_file()) return true;
    tell(path, strerror(errno));
    if (!file.json.out) take_records(NULL);
    file.end = 0;
    return false;
}

static int64_t unix_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

bool rt_timeline_open(const char *path)
{
    pthread_once(&once, guard_fork);
    pthread_mutex_lock(&lock);
    bool opens = !file.is_open && strlen(path) < sizeof(file.pattern);
    if (opens) {
        take_records(NULL);
        rt_places_free(&file.json.streams);
        strcpy(file.pattern, path);
        file.is_open = true;
        file.is_child = file.is_told = false;
        file.end = 0;
        file.json.events = file.json.arrows = file.lost = 0;
        file.json.base_ns = rt_now_ns();
        file.base_unix_ns = unix_now_ns();
    }
    pthread_mutex_unlock(&lock);
    return opens;
}

bool rt_timeline_write(void)
{
    pthread_mutex_lock(&lock);
    bool is_right = write_locked();
    pthread_mutex_unlock(&lock);
    return is_right;
}

bool rt_timeline_close(void)
{
    pthread_mutex_lock(&lock);
    bool is_right = write_locked();
    file.is_open = false;
    rt_places_free(&file.json.streams);
    pthread_mutex_unlock(&lock);
    return is_right;
}

bool rt_timeline_is_open(void)
{
    pthread_mutex_lock(&lock);
    bool is_open = file.is_open;
    pthread_mutex_unlock(&lock);
    return is_open;
}
