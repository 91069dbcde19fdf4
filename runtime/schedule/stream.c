/* SPDX-License-Identifier: Apache-2.0 */
/* Streams as programs see them; how their tasks are queued and run is queue.c and run.c. */
#include "runtime/schedule/stream.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "acl/acl_rt.h"
#include "runtime/schedule/claim.h"
#include "runtime/schedule/context.h"
#include "runtime/schedule/handles.h"
#include "runtime/schedule/hooks.h"
#include "runtime/schedule/queue.h"
#include "runtime/support/alloc.h"
#include "runtime/support/checked.h"
#include "runtime/support/error.h"
#include "runtime/support/futex.h"
#include "runtime/support/log.h"
#include "runtime/support/thread.h"

enum { LEAST_PRIORITY = RT_PRIORITIES - 1, GREATEST_PRIORITY = 0 };

/* CANN's streams of these kinds are driven by something else; synchronising them does nothing. */
#define NOT_SYNCHRONISED                                                                           \
    (ACL_STREAM_PERSISTENT | ACL_STREAM_CPU_SCHEDULE | ACL_STREAM_DEVICE_USE_ONLY)

/* --- handles -------------------------------------------------------------------------------- */

static aclError resolve_slowly(const char *who, aclrtStream handle, struct rt_stream **stream)
{
    struct rt_context *context;
    *stream = NULL;
    aclError status = rt_context_current(who, &context);
    if (status != ACL_SUCCESS) return status;
    if (!handle) {
        *stream = context->default_stream;
        return ACL_SUCCESS;
    }
    struct rt_stream *found = rt_stream_of(rt_registry_find(handle, RT_OBJECT_STREAM));
    if (!found)
        return rt_error_report(ACL_ERROR_RT_INVALID_HANDLE, who,
                               "stream %p is not a stream, or has been destroyed", handle);
    if (found->context != context)
        return rt_error_report(ACL_ERROR_RT_STREAM_CONTEXT, who,
                               "stream %p belongs to another context than the thread's current one",
                               handle);
    rt_context_remember(found);
    *stream = found;
    return ACL_SUCCESS;
}

aclError rt_stream_resolve(const char *who, aclrtStream handle, struct rt_stream **stream)
{
    struct rt_thread *self = &rt_self;
    if (__builtin_expect(self->epoch == rt_registry_epoch(), 1)) {
        struct rt_stream *known =
            handle ? self->known[rt_thread_slot(handle)] : self->default_stream;
        if (known && (known == handle || !handle)) {
            *stream = known;
            return ACL_SUCCESS;
        }
    }
    return resolve_slowly(who, handle, stream);
}

/* --- life ----------------------------------------------------------------------------------- */

static void free_stream(struct rt_object *object)
{
    rt_queue_free(rt_stream_of(object));
}

static void end_stream(struct rt_object *object)
{
    rt_stream_destroy(rt_stream_of(object), false);
}

static void reset_stream(struct rt_object *object)
{
    rt_queue_after_fork_child(rt_stream_of(object));
}

static const struct rt_object_class stream_class = {
    .free = free_stream, .end = end_stream, .after_fork_child = reset_stream};

static void add_stream(struct rt_stream *stream, struct rt_object *owner)
{
    rt_registry_add(&stream->object, RT_OBJECT_STREAM, owner, &stream_class);
    stream->id = (uint32_t)stream->object.serial;
}

struct rt_stream *rt_stream_new_inside(struct rt_context *context, struct rt_object *owner)
{
    struct rt_stream *stream = rt_queue_new(context);
    if (stream) add_stream(stream, owner);
    return stream;
}

struct rt_stream *rt_stream_new(struct rt_context *context, uint32_t priority, uint32_t flags)
{
    struct rt_stream *stream = rt_queue_new(context);
    if (!stream) return NULL;
    stream->priority = priority > LEAST_PRIORITY ? LEAST_PRIORITY : priority;
    stream->flags = flags;
    add_stream(stream, &context->object);
    /* Once it is listed, lest who stops or starts the context's streams misses it. */
    rt_lock_take(&stream->lock);
    stream->refuses = atomic_load_explicit(&context->failure, memory_order_acquire) != ACL_SUCCESS;
    rt_lock_give(&stream->lock);
    return stream;
}

void rt_stream_destroy(struct rt_stream *stream, bool discards)
{
    if (!rt_registry_remove(&stream->object)) return;
    if (atomic_load_explicit(&stream->is_diverted, memory_order_relaxed))
        rt_hooks.capture.leave(stream);
    if (discards) rt_queue_discard(stream, UINT64_MAX);
    rt_queue_quiesce(stream);
    rt_check_died(RT_CHECK_STREAM, stream);
    if (rt_hooks.callback.leave) rt_hooks.callback.leave(stream, discards);
    rt_object_release(&stream->object);
}

static aclError create_stream(const char *who, aclrtStream *handle, uint32_t priority,
                              uint32_t flags)
{
    struct rt_context *context;
    if (!handle)
        return rt_error_report(ACL_ERROR_INVALID_PARAM, who,
                               "stream is NULL; it must point to a "
                               "place for the handle");
    aclError status = rt_context_current(who, &context);
    if (status != ACL_SUCCESS) return status;
    struct rt_stream *stream = rt_stream_new(context, priority, flags);
    if (!stream)
        return rt_error_report(ACL_ERROR_RT_MEMORY_ALLOCATION, who, "no host memory for a stream");
    rt_check_born(RT_CHECK_STREAM, stream, 0);
    *handle = stream;
    return ACL_SUCCESS;
}

aclError aclrtCreateStream(aclrtStream *stream)
{
    return create_stream(__func__, stream, GREATEST_PRIORITY, 0);
}

aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag)
{
    return create_stream(__func__, stream, priority, flag);
}

aclrtStreamConfigHandle *aclrtCreateStreamConfigHandle(void)
{
    aclrtStreamConfigHandle *handle = rt_alloc_zeroed(sizeof(*handle));
    if (!handle) RT_ERROR(ACL_ERROR_RT_MEMORY_ALLOCATION, "no host memory for a configuration");
    return handle;
}

aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle *handle)
{
    RT_CHECK(handle, ACL_ERROR_INVALID_PARAM, "handle is NULL");
    rt_free(handle);
    return ACL_SUCCESS;
}

aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle *handle, aclrtStreamConfigAttr attr,
                                 const void *attrValue, size_t valueSize)
{
    RT_CHECK(handle, ACL_ERROR_INVALID_PARAM, "handle is NULL");
    RT_CHECK(attrValue, ACL_ERROR_INVALID_PARAM, "attrValue is NULL");
    const struct {
        void *member;
        size_t size;
    } members[] = {
        [ACL_RT_STREAM_WORK_ADDR_PTR] = {&handle->workptr, sizeof(handle->workptr)},
        [ACL_RT_STREAM_WORK_SIZE] = {&handle->workSize, sizeof(handle->workSize)},
        [ACL_RT_STREAM_FLAG] = {&handle->flag, sizeof(handle->flag)},
        [ACL_RT_STREAM_PRIORITY] = {&handle->priority, sizeof(handle->priority)},
    };
    RT_CHECK((size_t)attr < sizeof(members) / sizeof(*members), ACL_ERROR_INVALID_PARAM,
             "attr is %d; it must be a value of aclrtStreamConfigAttr", (int)attr);
    RT_CHECK(valueSize == members[attr].size, ACL_ERROR_INVALID_PARAM,
             "valueSize is %zu; attribute %d takes %zu bytes", valueSize, (int)attr,
             members[attr].size);
    memcpy(members[attr].member, attrValue, valueSize);
    return ACL_SUCCESS;
}

aclError aclrtCreateStreamV2(aclrtStream *stream, const aclrtStreamConfigHandle *handle)
{
    RT_CHECK(handle, ACL_ERROR_INVALID_PARAM, "handle is NULL");
    return create_stream(__func__, stream, handle->priority, (uint32_t)handle->flag);
}

static aclError destroy_stream(const char *who, aclrtStream handle, bool discards)
{
    struct rt_stream *stream;
    if (!handle)
        return rt_error_report(ACL_ERROR_INVALID_PARAM, who,
                               "stream is NULL; the default stream cannot be destroyed");
    aclError status = rt_stream_resolve(who, handle, &stream);
    if (status != ACL_SUCCESS) return status;
    if (stream == stream->context->default_stream)
        return rt_error_report(ACL_ERROR_INVALID_PARAM, who,
                               "stream is the context's default stream, which lives as long as "
                               "the context");
    status = rt_capture_check_stream(who, stream);
    if (status == ACL_SUCCESS) status = rt_stream_check_wait(who, discards ? NULL : stream);
    if (status != ACL_SUCCESS) return status;
    rt_stream_destroy(stream, discards);
    return ACL_SUCCESS;
}

aclError aclrtDestroyStream(aclrtStream stream)
{
    return destroy_stream(__func__, stream, false);
}

aclError aclrtDestroyStreamForce(aclrtStream stream)
{
    return destroy_stream(__func__, stream, true);
}

/* --- asynchronous errors -------------------------------------------------------------------- */

static void keep_error(struct rt_stream *stream, aclError code, const char *text)
{
    rt_lock_take(&stream->lock);
    if (stream->error.code == ACL_SUCCESS) {
        stream->error.code = code;
        snprintf(stream->error.text, sizeof(stream->error.text), "%s", text);
        atomic_store_explicit(&stream->has_error, true, memory_order_release);
    }
    rt_lock_give(&stream->lock);
}

void rt_stream_leave_error_locked(struct rt_stream *stream, aclError code, const char *text)
{
    if (stream->refuses) return;
    stream->error.code = code;
    snprintf(stream->error.text, sizeof(stream->error.text), "%s", text);
    atomic_store_explicit(&stream->has_error, true, memory_order_release);
}

void rt_stream_refuse_work(struct rt_stream *stream)
{
    rt_lock_take(&stream->lock);
    stream->refuses = true;
    rt_lock_give(&stream->lock);
    rt_queue_discard(stream, rt_queue_submitted(stream));
}

void rt_stream_accept_work(struct rt_stream *stream)
{
    rt_lock_take(&stream->lock);
    stream->refuses = false;
    stream->error.code = ACL_SUCCESS;
    atomic_store_explicit(&stream->has_error, false, memory_order_release);
    rt_lock_give(&stream->lock);
}

/* One stream's failure ends all work of its context: nothing queued runs, nothing more is taken. */
static void stop_context(struct rt_context *context, aclError code, const char *text)
{
    aclError none = ACL_SUCCESS;
    struct rt_object **objects;
    size_t count;
    if (!atomic_compare_exchange_strong(&context->failure, &none, code)) return;
    if (!rt_registry_list(RT_OBJECT_STREAM, &context->object, &objects, &count)) return;
    for (size_t i = 0; i < count; i++) {
        struct rt_stream *stream = rt_stream_of(objects[i]);
        keep_error(stream, code, text);
        rt_stream_refuse_work(stream);
    }
    rt_registry_list_free(objects, count);
}

void rt_stream_fail(struct rt_stream *stream, aclError code, const char *format, ...)
{
    char text[sizeof(stream->error.text)];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    rt_log(ACL_ERROR, "stream %u: %d (%s): %s", stream->id, code, rt_error_name(code), text);
    /* First, for who finds the error waits for what was raised. */
    if (rt_hooks.exception.raise) rt_hooks.exception.raise(stream, code);
    keep_error(stream, code, text);
    if (atomic_load_explicit(&stream->context->stop_on_failure, memory_order_acquire))
        stop_context(stream->context, code, text);
}

aclError rt_stream_take_error(const char *who, struct rt_stream *stream)
{
    if (__builtin_expect(!atomic_load_explicit(&stream->has_error, memory_order_acquire), 1))
        return ACL_SUCCESS;
    char text[sizeof(stream->error.text)];
    if (rt_hooks.exception.settle) rt_hooks.exception.settle();
    rt_lock_take(&stream->lock);
    aclError code = stream->error.code;
    memcpy(text, stream->error.text, sizeof(text));
    if (!stream->refuses) {
        stream->error.code = ACL_SUCCESS;
        atomic_store_explicit(&stream->has_error, false, memory_order_release);
    }
    rt_lock_give(&stream->lock);
    return code == ACL_SUCCESS ? code : rt_error_report(code, who, "%s", text);
}

aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode)
{
    struct rt_stream *queue;
    RT_CHECK(
        mode == ACL_CONTINUE_ON_FAILURE || mode == ACL_STOP_ON_FAILURE, ACL_ERROR_INVALID_PARAM,
        "mode is %" PRIu64 "; it must be ACL_CONTINUE_ON_FAILURE or ACL_STOP_ON_FAILURE", mode);
    aclError status = rt_stream_resolve(__func__, stream, &queue);
    if (status != ACL_SUCCESS) return status;
    if (mode == (uint64_t)queue->stops_on_failure) return ACL_SUCCESS;
    RT_CHECK(mode == ACL_STOP_ON_FAILURE, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
             "stream %u stops on failure; that cannot be taken back", queue->id);
    queue->stops_on_failure = true;
    atomic_store_explicit(&queue->context->stop_on_failure, true, memory_order_release);
    return ACL_SUCCESS;
}

/* --- synchronising -------------------------------------------------------------------------- */

aclError rt_stream_check_wait(const char *who, struct rt_stream *stream)
{
    if (__builtin_expect(rt_is_inside_task(), 0))
        return rt_error_report(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, who,
                               "called from inside a task or a callback, which must not wait for a "
                               "stream");
    if (!stream || !rt_callback_is_mine(stream)) return ACL_SUCCESS;
    return rt_error_report(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, who,
                           "stream %u waits for a callback that the calling thread shall run; it "
                           "must call aclrtProcessReport first",
                           stream->id);
}

static aclError synchronize(const char *who, aclrtStream stream)
{
    struct rt_stream *queue;
    aclError status = rt_stream_resolve(who, stream, &queue);
    if (__builtin_expect(status != ACL_SUCCESS, 0)) return status;
    status = rt_stream_check_wait(who, queue);
    if (status == ACL_SUCCESS) status = rt_capture_check_stream(who, queue);
    if (__builtin_expect(status != ACL_SUCCESS, 0)) return status;
    if (__builtin_expect(queue->flags & NOT_SYNCHRONISED, 0)) return ACL_SUCCESS;
    rt_stream_drain(queue);
    return rt_stream_take_error(who, queue);
}

aclError aclrtSynchronizeStream(aclrtStream stream)
{
    return synchronize(__func__, stream);
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout)
{
    struct rt_stream *queue;
    RT_CHECK(timeout == -1 || timeout > 0, ACL_ERROR_RT_PARAM_INVALID,
             "timeout is %" PRId32 "; it must be -1 or milliseconds greater than 0", timeout);
    if (timeout == -1) return synchronize(__func__, stream);
    aclError status = rt_stream_resolve(__func__, stream, &queue);
    if (status != ACL_SUCCESS) return status;
    status = rt_stream_check_wait(__func__, NULL);
    if (status == ACL_SUCCESS) status = rt_capture_check_stream(__func__, queue);
    if (status != ACL_SUCCESS) return status;
    if (queue->flags & NOT_SYNCHRONISED) return ACL_SUCCESS;
    int64_t deadline = rt_now_ns() + (int64_t)timeout * 1000000;
    RT_CHECK(rt_queue_await_until(queue, rt_queue_submitted(queue), deadline),
             ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "stream %u has not finished within %" PRId32 " ms",
             queue->id, timeout);
    rt_check_joined(queue);
    return rt_stream_take_error(__func__, queue);
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status)
{
    struct rt_stream *queue;
    RT_CHECK(status, ACL_ERROR_INVALID_PARAM, "status is NULL");
    aclError code = rt_stream_resolve(__func__, stream, &queue);
    if (code == ACL_SUCCESS) code = rt_capture_check_stream(__func__, queue);
    if (code != ACL_SUCCESS) return code;
    bool is_complete = rt_queue_is_complete(queue, rt_queue_submitted(queue));
    /* Who asks will ask again: let it be ready by then. */
    if (!is_complete) rt_queue_kick(queue);
    if (is_complete) rt_check_joined(queue);
    *status = is_complete ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
    return ACL_SUCCESS;
}

/* --- properties ----------------------------------------------------------------------------- */

aclError aclrtStreamGetId(aclrtStream stream, int32_t *streamId)
{
    struct rt_stream *queue;
    RT_CHECK(streamId, ACL_ERROR_INVALID_PARAM, "streamId is NULL");
    aclError status = rt_stream_resolve(__func__, stream, &queue);
    if (status == ACL_SUCCESS) *streamId = (int32_t)queue->id;
    return status;
}

aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t *priority)
{
    struct rt_stream *queue;
    RT_CHECK(priority, ACL_ERROR_INVALID_PARAM, "priority is NULL");
    aclError status = rt_stream_resolve(__func__, stream, &queue);
    if (status == ACL_SUCCESS) *priority = queue->priority;
    return status;
}

aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t *flags)
{
    struct rt_stream *queue;
    RT_CHECK(flags, ACL_ERROR_INVALID_PARAM, "flags is NULL");
    aclError status = rt_stream_resolve(__func__, stream, &queue);
    if (status == ACL_SUCCESS) *flags = queue->flags;
    return status;
}

aclError aclrtDeviceGetStreamPriorityRange(int32_t *leastPriority, int32_t *greatestPriority)
{
    if (leastPriority) *leastPriority = LEAST_PRIORITY;
    if (greatestPriority) *greatestPriority = GREATEST_PRIORITY;
    return ACL_SUCCESS;
}

aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag)
{
    struct rt_stream *queue;
    RT_CHECK(flag <= 1, ACL_ERROR_INVALID_PARAM, "flag is %" PRIu32 "; it must be 0 or 1", flag);
    aclError status = rt_stream_resolve(__func__, stream, &queue);
    if (status == ACL_SUCCESS) queue->overflow_switch = flag;
    return status;
}

aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t *flag)
{
    struct rt_stream *queue;
    RT_CHECK(flag, ACL_ERROR_INVALID_PARAM, "flag is NULL");
    aclError status = rt_stream_resolve(__func__, stream, &queue);
    if (status == ACL_SUCCESS) *flag = queue->overflow_switch;
    return status;
}
