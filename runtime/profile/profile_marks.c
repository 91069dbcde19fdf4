/* SPDX-License-Identifier: Apache-2.0 */
/* acl_prof.h: marks and ranges of the program.
 * Locks: `lock` guards the open ranges that any thread may end; nothing is taken inside it. A stamp
 * belongs to whoever uses it, a thread's own ranges to the thread. */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "runtime/profile/profile.h"
#include "runtime/profile/profile_records.h"
#include "runtime/schedule/context.h"
#include "runtime/schedule/queue.h"
#include "runtime/schedule/stream.h"
#include "runtime/support/alloc.h"
#include "runtime/support/config.h"
#include "runtime/support/error.h"

#include "acl/acl_prof.h"

enum { LONGEST_TEXT = 127 };

struct stamp {
    char text[LONGEST_TEXT + 1];
};

struct aclprofStepInfo {
    uint64_t number;
    bool is_told[2]; /* by aclprofStepTag */
};

struct open_range {
    struct open_range *next;
    uint32_t id;
    int64_t begin;
    char *text;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct open_range *ranges;
static uint32_t last_range;

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&lock);
}

static void guard_fork(void)
{
    pthread_atfork(before_fork, after_fork, after_fork);
}

static void take_lock(void)
{
    pthread_once(&once, guard_fork);
    pthread_mutex_lock(&lock);
}

void rt_profile_drop_ranges(void)
{
    take_lock();
    struct open_range *range = ranges;
    ranges = NULL;
    pthread_mutex_unlock(&lock);
    while (range) {
        struct open_range *next = range->next;
        rt_free(range->text);
        rt_free(range);
        range = next;
    }
}

static bool has_marks(void)
{
    unsigned flags = atomic_load_explicit(&rt_profile_flags, memory_order_acquire);
    return (flags & RT_PROFILE_MARKS) != 0;
}

static aclError check_marks(const char *who)
{
    (void)rt_config(); /* may start a recording */
    if (has_marks()) return ACL_SUCCESS;
    return rt_error_report(
        ACL_ERROR_PROF_NOT_RUN, who,
        "no marks are recorded; aclprofStart with ACL_PROF_MSPROFTX starts that");
}

static aclError check_length(const char *who, size_t length)
{
    if (length > 0 && length <= LONGEST_TEXT) return ACL_SUCCESS;
    return rt_error_report(ACL_ERROR_INVALID_PARAM, who, "msgLen is %zu; it must be from 1 to %d",
                           length, LONGEST_TEXT);
}

/* Takes over text, an allocation of its own. What finds no room is counted as lost. */
static void record(enum rt_record_kind kind, char *text, int64_t begin, uint64_t number,
                   const struct rt_stream *stream)
{
    struct rt_record_log *log = has_marks() ? rt_record_own_log() : NULL;
    struct rt_record record = {.kind = kind,
                               .begin = begin,
                               .end = rt_ticks(),
                               .name = text,
                               .traits = RT_RECORD_OWNS_NAME,
                               .number = number};
    if (stream) {
        record.stream = stream->object.serial;
        if (stream == stream->context->default_stream) record.traits |= RT_RECORD_DEFAULT;
    }
    if (!log || !rt_record_put(log, &record)) rt_free(text);
}

static char *copy(const char *text)
{
    size_t size = strlen(text) + 1;
    char *own = rt_alloc(size);
    return own ? memcpy(own, text, size) : NULL;
}

static aclError refuse_for_memory(const char *who)
{
    return rt_error_report(ACL_ERROR_BAD_ALLOC, who, "no host memory for a mark");
}

void *aclprofCreateStamp(void)
{
    if (check_marks(__func__) != ACL_SUCCESS) return NULL;
    struct stamp *stamp = rt_alloc_zeroed(sizeof(*stamp));
    if (!stamp) refuse_for_memory(__func__);
    return stamp;
}

void aclprofDestroyStamp(void *stamp)
{
    rt_free(stamp);
}

aclError aclprofSetStampTraceMessage(void *stamp, const char *msg, uint32_t msgLen)
{
    aclError status = check_marks(__func__);
    if (status != ACL_SUCCESS) return status;
    RT_CHECK(stamp, ACL_ERROR_INVALID_PARAM, "stamp is NULL");
    RT_CHECK(msg, ACL_ERROR_INVALID_PARAM, "msg is NULL");
    status = check_length(__func__, msgLen);
    if (status != ACL_SUCCESS) return status;
    struct stamp *own = stamp;
    memcpy(own->text, msg, msgLen);
    own->text[msgLen] = '\0';
    return ACL_SUCCESS;
}

aclError aclprofMark(void *stamp)
{
    aclError status = check_marks(__func__);
    if (status != ACL_SUCCESS) return status;
    RT_CHECK(stamp, ACL_ERROR_INVALID_PARAM, "stamp is NULL");
    char *text = copy(((struct stamp *)stamp)->text);
    if (!text) return refuse_for_memory(__func__);
    record(RT_RECORD_MARK, text, rt_ticks(), 0, NULL);
    return ACL_SUCCESS;
}

static void run_mark(struct rt_task *task, struct rt_stream *stream)
{
    record(RT_RECORD_MARK, task->word[0].pointer, rt_ticks(), 0, stream);
}

static void drop_mark(struct rt_task *task)
{
    rt_free(task->word[0].pointer);
}

/* On the calling thread's track and on the stream's. */
static aclError mark_both(const char *who, const char *text, aclrtStream stream)
{
    static const struct rt_task_kind kind = {
        .name = "aclprofMarkEx", .run = run_mark, .drop = drop_mark};
    struct rt_stream *queue;
    aclError status = rt_stream_resolve(who, stream, &queue);
    if (status != ACL_SUCCESS) return status;
    char *here = copy(text), *there = copy(text);
    struct rt_task task = {.kind = &kind, .word[0].pointer = there};
    status = here && there ? rt_stream_submit(queue, &task, 0) : refuse_for_memory(who);
    if (status != ACL_SUCCESS) {
        rt_free(here);
        rt_free(there);
        return status;
    }
    record(RT_RECORD_MARK, here, rt_ticks(), 0, NULL);
    return ACL_SUCCESS;
}

aclError aclprofMarkEx(const char *msg, size_t msgLen, aclrtStream stream)
{
    struct stamp text = {0};
    aclError status = check_marks(__func__);
    if (status != ACL_SUCCESS) return status;
    RT_CHECK(msg, ACL_ERROR_INVALID_PARAM, "msg is NULL");
    status = check_length(__func__, msgLen);
    if (status != ACL_SUCCESS) return status;
    memcpy(text.text, msg, msgLen);
    return mark_both(__func__, text.text, stream);
}

/* --- steps --- */

aclprofStepInfo *aclprofCreateStepInfo(void)
{
    static _Atomic uint64_t last;
    struct aclprofStepInfo *step = rt_alloc_zeroed(sizeof(*step));
    if (!step) {
        refuse_for_memory(__func__);
        return NULL;
    }
    step->number = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
    return step;
}

void aclprofDestroyStepInfo(aclprofStepInfo *stepInfo)
{
    rt_free(stepInfo);
}

aclError aclprofGetStepTimestamp(aclprofStepInfo *stepInfo, aclprofStepTag tag, aclrtStream stream)
{
    char text[LONGEST_TEXT + 1];
    aclError status = check_marks(__func__);
    if (status != ACL_SUCCESS) return status;
    RT_CHECK(stepInfo, ACL_ERROR_INVALID_PARAM, "stepInfo is NULL");
    RT_CHECK(tag == ACL_STEP_START || tag == ACL_STEP_END, ACL_ERROR_INVALID_PARAM,
             "tag is %d; it must be ACL_STEP_START or ACL_STEP_END", (int)tag);
    const char *what = tag == ACL_STEP_START ? "begins" : "ends";
    snprintf(text, sizeof text, "step %" PRIu64 " %s", stepInfo->number, what);
    RT_CHECK(!stepInfo->is_told[tag], ACL_ERROR_INVALID_PARAM, "%s already; each tag is given once",
             text);
    status = mark_both(__func__, text, stream);
    stepInfo->is_told[tag] = status == ACL_SUCCESS;
    return status;
}

aclError aclprofPush(void *stamp)
{
    aclError status = check_marks(__func__);
    if (status != ACL_SUCCESS) return status;
    RT_CHECK(stamp, ACL_ERROR_INVALID_PARAM, "stamp is NULL");
    const char *text = ((struct stamp *)stamp)->text;
    struct rt_record_log *log = rt_record_own_log();
    struct rt_profile_range *range = log ? rt_alloc(sizeof(*range) + strlen(text) + 1) : NULL;
    if (!range) return refuse_for_memory(__func__);
    strcpy(range->text, text);
    range->outer = log->range;
    range->begin = rt_ticks();
    log->range = range;
    return ACL_SUCCESS;
}

aclError aclprofPop(void)
{
    struct rt_record_log *log = rt_record_own_log();
    struct rt_profile_range *range = log ? log->range : NULL;
    RT_CHECK(range, ACL_ERROR_INVALID_PARAM, "this thread has no range open");
    log->range = range->outer;
    char *text = copy(range->text);
    int64_t begin = range->begin;
    rt_free(range);
    if (!text) return refuse_for_memory(__func__);
    record(RT_RECORD_CALL, text, begin, 0, NULL);
    return ACL_SUCCESS;
}

aclError aclprofRangeStart(void *stamp, uint32_t *rangeId)
{
    aclError status = check_marks(__func__);
    if (status != ACL_SUCCESS) return status;
    RT_CHECK(stamp, ACL_ERROR_INVALID_PARAM, "stamp is NULL");
    RT_CHECK(rangeId, ACL_ERROR_INVALID_PARAM, "rangeId is NULL");
    struct open_range *range = rt_alloc(sizeof(*range));
    char *text = copy(((struct stamp *)stamp)->text);
    if (!range || !text) {
        rt_free(range);
        rt_free(text);
        return refuse_for_memory(__func__);
    }
    take_lock();
    *range =
        (struct open_range){.next = ranges, .id = ++last_range, .begin = rt_ticks(), .text = text};
    ranges = range;
    *rangeId = range->id;
    pthread_mutex_unlock(&lock);
    return ACL_SUCCESS;
}

aclError aclprofRangeStop(uint32_t rangeId)
{
    take_lock();
    struct open_range **link = &ranges;
    while (*link && (*link)->id != rangeId)
        link = &(*link)->next;
    struct open_range *range = *link;
    if (range) *link = range->next;
    pthread_mutex_unlock(&lock);
    RT_CHECK(range, ACL_ERROR_INVALID_PARAM, "rangeId is %" PRIu32 "; no such range is open",
             rangeId);
    record(RT_RECORD_RANGE, range->text, range->begin, range->id, NULL);
    rt_free(range);
    return ACL_SUCCESS;
}
