/* SPDX-License-Identifier: Apache-2.0 */
/* Notifies: a number that tasks change and others wait for. The plain one is 0 or 1, and a wait
 * that it lets pass takes the 1 with it; the counting one has a wait of its own kind for each
 * comparison. A stream whose wait has to wait is parked, the first to wait passes first, and it is
 * decided when the number changes, so that a change in between cannot take a wait's turn away.
 *
 * Locks: a notify's lock guards its number and its list. A stream's lock may be taken inside it. */

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "acl/acl_rt.h"
#include "runtime/schedule/context.h"
#include "runtime/schedule/queue.h"
#include "runtime/schedule/stream.h"
#include "runtime/support/alloc.h"
#include "runtime/support/base.h"
#include "runtime/support/checked.h"
#include "runtime/support/error.h"
#include "runtime/support/futex.h"
#include "runtime/support/point.h"

struct notify {
    struct rt_object object; /* one reference for the handle and one for each queued task */
    int32_t device;
    pthread_mutex_t lock;
    uint32_t number;
    struct rt_stream *first, *last; /* parked */
    atomic_int waits;               /* queued: a record should run soon */
};

enum { WORD_NOTIFY, WORD_MODE, WORD_VALUE, WORD_CLEARS, WORD_SECONDS };

/* --- the number; all need the lock ----------------------------------------------------------- */

static bool lets_pass(const struct notify *notify, const struct rt_task *task)
{
    uint32_t value = (uint32_t)task->word[WORD_VALUE].number;
    switch (task->word[WORD_MODE].number) {
    case ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE:
        return notify->number < value;
    case ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE:
        return notify->number == value;
    case ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE:
        return notify->number > value;
    case ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE:
        return notify->number >= value;
    default:
        return (notify->number & value) == value;
    }
}

static bool try_pass(struct notify *notify, struct rt_task *task)
{
    if (!lets_pass(notify, task)) return false;
    if (task->word[WORD_CLEARS].number != 0) notify->number = 0;
    task->word[RT_TASK_NOTE].number = true;
    return true;
}

static void change(struct notify *notify, const struct rt_task *task)
{
    uint32_t value = (uint32_t)task->word[WORD_VALUE].number;
    switch (task->word[WORD_MODE].number) {
    case ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE:
        notify->number += value;
        break;
    case ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE:
        notify->number |= value;
        break;
    case ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE:
        notify->number &= value;
        break;
    default:
        notify->number = value;
    }
}

static void park_on(struct notify *notify, struct rt_task *task, struct rt_stream *stream)
{
    const struct rt_wait wait = {.awaits = RT_AWAITS_ANYTHING,
                                 .deadline_ns = rt_deadline_of(task->word[WORD_SECONDS].number)};
    rt_object_retain(&stream->object);
    stream->waits_at.place = notify;
    stream->waits_at.task = task;
    stream->waits_at.next = NULL;
    if (notify->last)
        notify->last->waits_at.next = stream;
    else
        notify->first = stream;
    notify->last = stream;
    rt_queue_expect(stream, &wait);
}

/* Takes out what follows `before`, the first when that is NULL. */
static void take_after(struct notify *notify, struct rt_stream *before, struct rt_stream *stream)
{
    if (before)
        before->waits_at.next = stream->waits_at.next;
    else
        notify->first = stream->waits_at.next;
    if (notify->last == stream) notify->last = before;
    stream->waits_at.place = NULL;
}

/* Streams are set going under the lock: one that is dropped meanwhile leaves the list first. */
static void let_pass(struct notify *notify)
{
    struct rt_stream *before = NULL;
    for (struct rt_stream *stream = notify->first, *next; stream; stream = next) {
        next = stream->waits_at.next;
        uint32_t number = notify->number;
        if (!try_pass(notify, stream->waits_at.task)) {
            before = stream;
            continue;
        }
        take_after(notify, before, stream);
        rt_queue_unpark(stream);
        rt_object_release(&stream->object);
        if (notify->number == number) continue;
        before = NULL; /* cleared: those before may like it now */
        next = notify->first;
    }
}

/* --- tasks ----------------------------------------------------------------------------------- */

static struct notify *notify_of(const struct rt_task *task)
{
    return task->word[WORD_NOTIFY].pointer;
}

static void rerun_record(struct rt_task *task, struct rt_stream *stream)
{
    (void)stream;
    struct notify *notify = notify_of(task);
    RT_POINT("before a notify changes");
    pthread_mutex_lock(&notify->lock);
    change(notify, task);
    let_pass(notify);
    pthread_mutex_unlock(&notify->lock);
}

static void drop_record(struct rt_task *task)
{
    rt_object_release(&notify_of(task)->object);
}

static void run_record(struct rt_task *task, struct rt_stream *stream)
{
    rerun_record(task, stream);
    drop_record(task);
}

static bool is_wait_over(struct rt_task *task, struct rt_stream *stream)
{
    struct notify *notify = notify_of(task);
    pthread_mutex_lock(&notify->lock);
    bool is_parked = stream->waits_at.place == notify;
    bool is_over = task->word[RT_TASK_NOTE].number != 0;
    if (!is_over && !is_parked && !notify->first) is_over = try_pass(notify, task);
    if (!is_over && !is_parked) {
        park_on(notify, task, stream);
        let_pass(notify); /* those before it may not care for this number */
        is_over = task->word[RT_TASK_NOTE].number != 0;
    }
    pthread_mutex_unlock(&notify->lock);
    RT_POINT("notify was looked at");
    return is_over;
}

static void rerun_wait(struct rt_task *task, struct rt_stream *stream)
{
    (void)task;
    (void)stream;
}

/* A wait that is dropped may still be listed. */
static void leave_list(struct rt_task *task)
{
    struct notify *notify = notify_of(task);
    RT_POINT("before a notify's wait leaves");
    pthread_mutex_lock(&notify->lock);
    struct rt_stream *before = NULL, *stream = notify->first;
    while (stream && stream->waits_at.task != task) {
        before = stream;
        stream = stream->waits_at.next;
    }
    if (stream) take_after(notify, before, stream);
    pthread_mutex_unlock(&notify->lock);
    rt_object_release(stream ? &stream->object : NULL);
}

static void leave_wait(struct rt_task *task, struct rt_stream *stream)
{
    (void)stream;
    leave_list(task);
}

static void drop_wait(struct rt_task *task)
{
    struct notify *notify = notify_of(task);
    leave_list(task);
    atomic_fetch_sub_explicit(&notify->waits, 1, memory_order_relaxed);
    rt_object_release(&notify->object);
}

static void run_wait(struct rt_task *task, struct rt_stream *stream)
{
    (void)stream;
    drop_wait(task);
}

#define RECORD_KIND .run = run_record, .rerun = rerun_record, .drop = drop_record
#define WAIT_KIND                                                                                  \
    .run = run_wait, .rerun = rerun_wait, .drop = drop_wait, .leave = leave_wait,                  \
    .ready = is_wait_over

static const struct rt_task_kind record_kind = {.name = "aclrtRecordNotify", RECORD_KIND};
static const struct rt_task_kind wait_kind = {.name = "aclrtWaitAndResetNotify", WAIT_KIND};
static const struct rt_task_kind count_kind = {.name = "aclrtCntNotifyRecord", RECORD_KIND};
static const struct rt_task_kind count_wait_kind = {.name = "aclrtCntNotifyWaitWithTimeout",
                                                    WAIT_KIND};

/* --- life ------------------------------------------------------------------------------------ */

static void free_notify(struct rt_object *object)
{
    struct notify *notify = (struct notify *)object;
    pthread_mutex_destroy(&notify->lock);
    rt_free(notify);
}

static void end_notify(struct rt_object *object)
{
    if (!rt_registry_remove(object)) return;
    rt_check_died(RT_CHECK_NOTIFY, object);
    rt_object_release(object);
}

/* What the parent had queued is not the child's. */
static void reset_notify(struct rt_object *object)
{
    struct notify *notify = (struct notify *)object;
    pthread_mutex_init(&notify->lock, NULL);
    atomic_store_explicit(&object->references, 1, memory_order_relaxed);
    atomic_store_explicit(&notify->waits, 0, memory_order_relaxed);
    notify->first = notify->last = NULL;
}

static const struct rt_object_class notify_class = {
    .free = free_notify, .end = end_notify, .after_fork_child = reset_notify};

static aclError create(const char *who, const char *argument, void **handle,
                       enum rt_object_kind kind, uint64_t flag)
{
    struct rt_context *context;
    if (!handle)
        return rt_error_report(ACL_ERROR_INVALID_PARAM, who,
                               "%s is NULL; it must point to a place for the handle", argument);
    if (flag != ACL_NOTIFY_DEFAULT && flag != ACL_NOTIFY_DEVICE_USE_ONLY)
        return rt_error_report(ACL_ERROR_RT_PARAM_INVALID, who,
                               "flag is %" PRIu64
                               "; it must be ACL_NOTIFY_DEFAULT or ACL_NOTIFY_DEVICE_USE_ONLY",
                               flag);
    aclError status = rt_context_current(who, &context);
    if (status != ACL_SUCCESS) return status;
    struct notify *notify = rt_alloc_zeroed(sizeof(*notify));
    if (!notify)
        return rt_error_report(ACL_ERROR_RT_MEMORY_ALLOCATION, who, "no host memory for a notify");
    notify->device = context->device;
    pthread_mutex_init(&notify->lock, NULL);
    rt_registry_add(&notify->object, kind, &context->object, &notify_class);
    *handle = notify;
    rt_check_born(RT_CHECK_NOTIFY, notify, 0);
    return ACL_SUCCESS;
}

static aclError acquire(const char *who, const char *argument, void *handle,
                        enum rt_object_kind kind, struct notify **notify)
{
    if (!handle) return rt_error_report(ACL_ERROR_INVALID_PARAM, who, "%s is NULL", argument);
    *notify = (struct notify *)rt_registry_acquire(handle, kind, 0);
    if (*notify) return ACL_SUCCESS;
    return rt_error_report(ACL_ERROR_RT_INVALID_HANDLE, who, "%s %p is none, or has been destroyed",
                           argument, handle);
}

static aclError destroy(const char *who, const char *argument, void *handle,
                        enum rt_object_kind kind)
{
    struct notify *notify;
    aclError status = acquire(who, argument, handle, kind, &notify);
    if (status != ACL_SUCCESS) return status;
    end_notify(&notify->object);
    rt_object_release(&notify->object);
    return ACL_SUCCESS;
}

static void tell(const struct notify *notify, struct rt_stream *stream, const struct rt_task *task)
{
    static const enum rt_check_number changes[] = {
        [ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE] = RT_CHECK_SET,
        [ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE] = RT_CHECK_ADD,
        [ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE] = RT_CHECK_OR,
        [ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE] = RT_CHECK_AND,
    };
    const uint64_t mode = task->word[WORD_MODE].number, value = task->word[WORD_VALUE].number;
    if (!task->kind->ready) {
        if (mode < RT_LENGTH(changes)) rt_check_hooks.signal(stream, notify, changes[mode], value);
        return;
    }
    enum rt_check_number how = RT_CHECK_WAIT_ANY;
    if (mode == ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE) how = RT_CHECK_WAIT_EQ;
    if (mode == ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE) how = RT_CHECK_WAIT_GEQ;
    if (mode == ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE) how = RT_CHECK_WAIT_ABOVE;
    rt_check_hooks.await(stream, notify, how, value, task->word[WORD_CLEARS].number != 0);
}

/* The task takes over the reference that acquire gave. */
static aclError submit(const char *who, struct notify *notify, aclrtStream handle,
                       struct rt_task *task)
{
    struct rt_stream *stream;
    bool waits = task->kind->ready != NULL;
    task->word[WORD_NOTIFY].pointer = notify;
    aclError status = rt_stream_resolve(who, handle, &stream);
    if (status == ACL_SUCCESS && stream->context->device != notify->device)
        status = rt_error_report(ACL_ERROR_RT_STREAM_CONTEXT, who,
                                 "the notify belongs to another device than the stream");
    if (status == ACL_SUCCESS) {
        if (rt_check_on()) tell(notify, stream, task);
        int before = atomic_fetch_add_explicit(&notify->waits, waits, memory_order_relaxed);
        status = rt_stream_submit(stream, task, !waits && before > 0 ? RT_SUBMIT_LARGE : 0);
        if (status != ACL_SUCCESS)
            atomic_fetch_sub_explicit(&notify->waits, waits, memory_order_relaxed);
    }
    if (status != ACL_SUCCESS) rt_object_release(&notify->object);
    return status;
}

static aclError get_id(const char *who, const char *argument, void *handle,
                       enum rt_object_kind kind, uint32_t *id)
{
    struct notify *notify;
    if (!id) return rt_error_report(ACL_ERROR_INVALID_PARAM, who, "notifyId is NULL");
    aclError status = acquire(who, argument, handle, kind, &notify);
    if (status != ACL_SUCCESS) return status;
    *id = (uint32_t)notify->object.serial;
    rt_object_release(&notify->object);
    return ACL_SUCCESS;
}

/* --- the plain one --------------------------------------------------------------------------- */

aclError aclrtCreateNotify(aclrtNotify *notify, uint64_t flag)
{
    return create(__func__, "notify", notify, RT_OBJECT_NOTIFY, flag);
}

aclError aclrtDestroyNotify(aclrtNotify notify)
{
    return destroy(__func__, "notify", notify, RT_OBJECT_NOTIFY);
}

aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream)
{
    struct notify *found;
    aclError status = acquire(__func__, "notify", notify, RT_OBJECT_NOTIFY, &found);
    if (status != ACL_SUCCESS) return status;
    struct rt_task task = {
        .kind = &record_kind,
        .word = {
            [WORD_MODE].number = ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, [WORD_VALUE].number = 1}};
    return submit(__func__, found, stream, &task);
}

aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream, uint32_t timeout)
{
    struct notify *found;
    aclError status = acquire(__func__, "notify", notify, RT_OBJECT_NOTIFY, &found);
    if (status != ACL_SUCCESS) return status;
    struct rt_task task = {.kind = &wait_kind,
                           .word = {[WORD_MODE].number = ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE,
                                    [WORD_VALUE].number = 1,
                                    [WORD_CLEARS].number = true,
                                    [WORD_SECONDS].number = timeout}};
    return submit(__func__, found, stream, &task);
}

aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t *notifyId)
{
    return get_id(__func__, "notify", notify, RT_OBJECT_NOTIFY, notifyId);
}

aclError aclrtNotifyBatchReset(aclrtNotify *notifies, size_t num)
{
    RT_CHECK(notifies, ACL_ERROR_INVALID_PARAM, "notifies is NULL");
    RT_CHECK(num > 0, ACL_ERROR_INVALID_PARAM, "num is 0; it must be greater than 0");
    for (int changes = 0; changes < 2; changes++) {
        for (size_t i = 0; i < num; i++) {
            struct notify *notify;
            aclError status =
                acquire(__func__, "a member of notifies", notifies[i], RT_OBJECT_NOTIFY, &notify);
            if (status != ACL_SUCCESS) return status;
            pthread_mutex_lock(&notify->lock);
            if (changes) notify->number = 0;
            pthread_mutex_unlock(&notify->lock);
            rt_object_release(&notify->object);
        }
    }
    return ACL_SUCCESS;
}

/* --- the counting one ------------------------------------------------------------------------ */

aclError aclrtCntNotifyCreate(aclrtCntNotify *cntNotify, uint64_t flag)
{
    return create(__func__, "cntNotify", cntNotify, RT_OBJECT_COUNT_NOTIFY, flag);
}

aclError aclrtCntNotifyDestroy(aclrtCntNotify cntNotify)
{
    return destroy(__func__, "cntNotify", cntNotify, RT_OBJECT_COUNT_NOTIFY);
}

static aclError count(const char *who, aclrtCntNotify handle, aclrtStream stream,
                      aclrtCntNotifyRecordMode mode, uint32_t value)
{
    struct notify *found;
    aclError status = acquire(who, "cntNotify", handle, RT_OBJECT_COUNT_NOTIFY, &found);
    if (status != ACL_SUCCESS) return status;
    struct rt_task task = {.kind = &count_kind,
                           .word = {[WORD_MODE].number = mode, [WORD_VALUE].number = value}};
    return submit(who, found, stream, &task);
}

aclError aclrtCntNotifyRecord(aclrtCntNotify cntNotify, aclrtStream stream,
                              aclrtCntNotifyRecordInfo *info)
{
    RT_CHECK(info, ACL_ERROR_INVALID_PARAM, "info is NULL");
    RT_CHECK(info->mode == ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE ||
                 info->mode == ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE ||
                 info->mode == ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE ||
                 info->mode == ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE,
             ACL_ERROR_RT_PARAM_INVALID,
             "info->mode is %d; it must be one of aclrtCntNotifyRecordMode", (int)info->mode);
    return count(__func__, cntNotify, stream, info->mode, info->value);
}

aclError aclrtCntNotifyWaitWithTimeout(aclrtCntNotify cntNotify, aclrtStream stream,
                                       aclrtCntNotifyWaitInfo *info)
{
    struct notify *found;
    RT_CHECK(info, ACL_ERROR_INVALID_PARAM, "info is NULL");
    RT_CHECK((unsigned)info->mode <= ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE,
             ACL_ERROR_RT_PARAM_INVALID,
             "info->mode is %d; it must be one of aclrtCntNotifyWaitMode", (int)info->mode);
    aclError status = acquire(__func__, "cntNotify", cntNotify, RT_OBJECT_COUNT_NOTIFY, &found);
    if (status != ACL_SUCCESS) return status;
    struct rt_task task = {.kind = &count_wait_kind,
                           .word = {[WORD_MODE].number = info->mode,
                                    [WORD_VALUE].number = info->value,
                                    [WORD_CLEARS].number = info->isClear != 0,
                                    [WORD_SECONDS].number = info->timeout}};
    return submit(__func__, found, stream, &task);
}

aclError aclrtCntNotifyReset(aclrtCntNotify cntNotify, aclrtStream stream)
{
    return count(__func__, cntNotify, stream, ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 0);
}

aclError aclrtCntNotifyGetId(aclrtCntNotify cntNotify, uint32_t *notifyId)
{
    return get_id(__func__, "cntNotify", cntNotify, RT_OBJECT_COUNT_NOTIFY, notifyId);
}
