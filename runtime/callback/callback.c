/* SPDX-License-Identifier: Apache-2.0 */
/* Callbacks on the thread that has subscribed: aclrtProcessReport, subscribing, and what the
 * scheduler asks. Threads and lists are subscriber.c's, the tasks that hand callbacks over are
 * callback_task.c's.
 *
 * Locks: that of subscriber.c. No function of the program is called under it. */
#include "runtime/callback/callback.h"

#include <inttypes.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

#include "acl/acl_rt.h"
#include "runtime/callback/subscriber.h"
#include "runtime/schedule/hooks.h"
#include "runtime/schedule/host.h"
#include "runtime/schedule/queue.h"
#include "runtime/schedule/stream.h"
#include "runtime/support/alloc.h"
#include "runtime/support/checked.h"
#include "runtime/support/error.h"
#include "runtime/support/futex.h"
#include "runtime/support/log.h"
#include "runtime/support/point.h"
#include "runtime/support/thread.h"

enum {
    MOST_SUBSCRIBERS = 1024,
    LOOK_NS = 5000000,
};

_Atomic int64_t rt_callback_patience_ns = 1000000000;

/* --- the subscribed thread ------------------------------------------------------------------- */

/* The next one to run, TAKEN; those that are about to be dropped stay listed for who drops them. */
static struct rt_callback *take(struct rt_subscriber *subscriber)
{
    for (struct rt_callback *callback = subscriber->listed.first; callback;
         callback = callback->next) {
        if (callback->is_blocking && !rt_queue_begin(callback->stream)) continue;
        rt_callback_take_out(&subscriber->listed, callback);
        callback->state = RT_CALLBACK_TAKEN;
        return callback;
    }
    return NULL;
}

/* One call of aclrtProcessReport. The thread may leave it by an exception, pthread_exit or
 * cancellation: then end_call and leave_report run as the stack is unwound. */
struct report {
    struct rt_subscriber *subscriber;
    unsigned generation; /* another one in the child of a fork, where nothing of this is left */
    bool is_locked;
};

static void lock_report(struct report *report)
{
    rt_callback_lock();
    report->is_locked = true;
}

static void unlock_report(struct report *report)
{
    report->is_locked = false;
    rt_callback_unlock();
}

static void leave_report(struct report *report)
{
    struct rt_subscriber *subscriber = report->subscriber;
    if (report->generation != rt_host_generation()) return;
    if (!report->is_locked) lock_report(report);
    if (subscriber) {
        subscriber->inside--;
        subscriber->last_ns = rt_now_ns();
        rt_subscriber_put(subscriber);
    }
    unlock_report(report);
}

struct call {
    struct report *report;
    struct rt_callback *callback;
    bool was_in_callback;
    bool has_returned;
};

/* Takes the lock. */
static void end_call(struct call *call)
{
    struct rt_callback *callback = call->callback;
    struct rt_subscriber *subscriber = call->report->subscriber;
    struct rt_stream *stream = callback->stream;
    bool is_blocking = callback->is_blocking; /* then it is its task's as soon as it has ENDED */
    rt_self.in_callback = call->was_in_callback;
    RT_POINT("callback has run");
    if (call->report->generation != rt_host_generation()) {
        rt_free(callback);
        return;
    }
    if (!call->has_returned)
        rt_stream_fail(stream, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                       "a callback did not return: it threw an exception or ended its thread");
    if (!is_blocking) rt_callback_free(callback);
    lock_report(call->report);
    subscriber->running = NULL;
    if (is_blocking) {
        rt_callback_count_off(callback);
        callback->state = RT_CALLBACK_ENDED;
        rt_object_retain(&stream->object);
        rt_queue_return(stream);
        rt_object_release(&stream->object);
    }
    pthread_cond_broadcast(&subscriber->signal);
}

/* Gives the lock back while the function runs. */
static void run_taken_locked(struct report *report, struct rt_callback *callback)
{
    __attribute__((cleanup(end_call))) struct call call = {
        .report = report, .callback = callback, .was_in_callback = rt_self.in_callback};
    if (!callback->is_blocking) report->subscriber->running = callback->stream;
    unlock_report(report);
    rt_self.in_callback = true;
    if (rt_check_on())
        rt_check_hooks.function_begins((uintptr_t)callback->function, callback->data);
    callback->function(callback->data);
    if (rt_check_on()) rt_check_hooks.function_ends();
    call.has_returned = true;
}

/* Runs what is listed by now; callbacks that come meanwhile wait for the next call. */
static aclError process_locked(struct report *report, int64_t deadline_ns)
{
    struct rt_subscriber *subscriber = report->subscriber;
    struct rt_callback *callback = NULL;
    while (!(callback = take(subscriber))) {
        if (!rt_subscriber_is_bound(subscriber)) return ACL_ERROR_RT_THREAD_SUBSCRIBE;
        if (subscriber->listed.first) { /* only such as are being dropped */
            struct timespec pause = {.tv_nsec = 100000};
            unlock_report(report);
            nanosleep(&pause, NULL);
            lock_report(report);
        }
        if (!rt_subscriber_await(subscriber, deadline_ns)) return ACL_ERROR_RT_REPORT_TIMEOUT;
    }
    const struct rt_callback *last = subscriber->listed.last;
    while (callback) {
        bool is_last = callback == last || !last;
        run_taken_locked(report, callback);
        if (report->generation != rt_host_generation()) return ACL_ERROR_RT_THREAD_SUBSCRIBE;
        callback = is_last ? NULL : take(subscriber);
    }
    return ACL_SUCCESS;
}

static aclError process(int64_t deadline_ns)
{
    __attribute__((cleanup(leave_report))) struct report report = {.generation =
                                                                       rt_host_generation()};
    lock_report(&report);
    report.subscriber = rt_subscriber_find(pthread_self());
    if (!report.subscriber) return ACL_ERROR_RT_THREAD_SUBSCRIBE;
    report.subscriber->inside++;
    report.subscriber->has_entered |= rt_subscriber_notice_end();
    return process_locked(&report, deadline_ns);
}

aclError aclrtProcessReport(int32_t timeout)
{
    RT_CHECK(timeout == -1 || timeout > 0, ACL_ERROR_INVALID_PARAM,
             "timeout is %" PRId32 "; it must be -1 or milliseconds greater than 0", timeout);
    RT_CHECK(!rt_self.in_callback, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
             "called from inside a callback");
    aclError status =
        process(timeout == -1 ? RT_FOREVER : rt_now_ns() + (int64_t)timeout * 1000000);
    RT_CHECK(status != ACL_ERROR_RT_THREAD_SUBSCRIBE, status,
             "the calling thread is subscribed to no stream");
    RT_CHECK(status != ACL_ERROR_RT_REPORT_TIMEOUT, status,
             "no callback has come within %" PRId32 " ms", timeout);
    return status;
}

/* --- the program ----------------------------------------------------------------------------- */

static aclError subscribe_locked(const char *who, pthread_t thread, struct rt_stream *stream)
{
    if (stream->callback.has_host_functions)
        return rt_error_report(ACL_ERROR_RT_STREAM_SUBSCRIBE, who,
                               "stream %u has had host functions (aclrtLaunchHostFunc); no thread "
                               "can subscribe to it",
                               stream->id);
    if (stream->callback.subscriber)
        return rt_error_report(ACL_ERROR_RT_STREAM_SUBSCRIBE, who,
                               "a thread is subscribed to stream %u already", stream->id);
    struct rt_subscriber *subscriber = rt_subscriber_find(thread);
    if (!subscriber && rt_subscriber_count() == MOST_SUBSCRIBERS)
        return rt_error_report(ACL_ERROR_RT_OVER_LIMIT, who, "%d threads are subscribed, the most",
                               MOST_SUBSCRIBERS);
    if (!subscriber) subscriber = rt_subscriber_new(thread);
    if (!subscriber)
        return rt_error_report(ACL_ERROR_RT_MEMORY_ALLOCATION, who,
                               "no host memory for a subscription");
    subscriber->streams++;
    stream->callback.subscriber = subscriber;
    return ACL_SUCCESS;
}

aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream)
{
    struct rt_stream *queue;
    aclError status = rt_stream_resolve(__func__, stream, &queue);
    if (status != ACL_SUCCESS) return status;
    rt_callback_lock();
    status = subscribe_locked(__func__, (pthread_t)threadId, queue);
    rt_callback_unlock();
    return status;
}

/* The next of the stream's that is listed. */
static struct rt_callback *listed_of(const struct rt_stream *stream)
{
    struct rt_callback *callback = stream->callback.subscriber->listed.first;
    while (callback && (callback->stream != stream || callback->is_replayed))
        callback = callback->next;
    return callback;
}

/* Blocking ones go back to their task, which ends them; the others are ended here. Returns how many
 * those were. */
static int unsubscribe_locked(struct rt_stream *stream)
{
    int lost = 0;
    struct rt_subscriber *subscriber = stream->callback.subscriber;
    for (struct rt_callback *callback; (callback = listed_of(stream));) {
        rt_callback_take_out(&subscriber->listed, callback);
        callback->state = RT_CALLBACK_ORPHANED;
        if (callback->is_blocking) {
            rt_queue_unpark(stream);
        } else {
            rt_callback_free(callback);
            lost++;
        }
    }
    stream->callback.subscriber = NULL;
    subscriber->streams--;
    pthread_cond_broadcast(&subscriber->signal);
    rt_subscriber_put(subscriber);
    return lost;
}

aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream)
{
    struct rt_stream *queue;
    aclError status = rt_stream_resolve(__func__, stream, &queue);
    if (status != ACL_SUCCESS) return status;
    rt_callback_lock();
    bool is_subscribed = queue->callback.subscriber != NULL;
    bool is_his =
        is_subscribed && pthread_equal(queue->callback.subscriber->thread, (pthread_t)threadId);
    int lost = is_his ? unsubscribe_locked(queue) : 0;
    rt_callback_unlock();
    RT_CHECK(is_subscribed, ACL_ERROR_RT_STREAM_SUBSCRIBE, "no thread is subscribed to stream %u",
             queue->id);
    RT_CHECK(is_his, ACL_ERROR_RT_THREAD_SUBSCRIBE,
             "thread %" PRIu64 " is not the one that is subscribed to stream %u", threadId,
             queue->id);
    if (lost > 0) rt_callback_fail(queue);
    return ACL_SUCCESS;
}

/* --- for the queues -------------------------------------------------------------------------- */

static bool is_expected_locked(const struct rt_stream *stream)
{
    const struct rt_subscriber *subscriber =
        stream->callback.awaited ? stream->callback.awaited : stream->callback.subscriber;
    if (!subscriber || subscriber->has_ended || pthread_equal(subscriber->thread, pthread_self()))
        return false;
    int64_t patience = atomic_load_explicit(&rt_callback_patience_ns, memory_order_relaxed);
    return subscriber->inside > 0 || rt_now_ns() - subscriber->last_ns < patience;
}

static bool is_expected(struct rt_stream *stream)
{
    rt_callback_lock();
    bool expected = is_expected_locked(stream);
    rt_callback_unlock();
    return expected;
}

static bool is_mine(struct rt_stream *stream)
{
    rt_callback_lock();
    bool mine = stream->callback.subscriber &&
                pthread_equal(stream->callback.subscriber->thread, pthread_self());
    rt_callback_unlock();
    return mine;
}

aclError rt_callback_take_for_host(const char *who, struct rt_stream *stream)
{
    rt_callback_lock();
    bool ok = !stream->callback.subscriber;
    if (ok) stream->callback.has_host_functions = true;
    rt_callback_unlock();
    if (ok) return ACL_SUCCESS;
    return rt_error_report(
        ACL_ERROR_RT_STREAM_SUBSCRIBE, who,
        "a thread is subscribed to stream %u for its callbacks; it takes no host "
        "functions",
        stream->id);
}

static void leave(struct rt_stream *stream, bool discards)
{
    struct timespec pause = {.tv_nsec = LOOK_NS};
    rt_callback_lock();
    while (stream->callback.subscriber) {
        struct rt_subscriber *subscriber = stream->callback.subscriber;
        bool is_running = subscriber->running == stream;
        bool waits = !discards && listed_of(stream) && is_expected_locked(stream);
        if (!is_running && !waits) {
            int lost = unsubscribe_locked(stream);
            if (lost > 0 && !discards)
                rt_log(ACL_WARNING, "stream %u ended with %d callbacks that no thread ran",
                       stream->id, lost);
            break;
        }
        rt_callback_unlock();
        nanosleep(&pause, NULL);
        rt_callback_lock();
    }
    rt_callback_unlock();
}

__attribute__((constructor)) static void offer_hooks(void)
{
    rt_hooks.callback = (struct rt_callback_hooks){.look_at_threads = rt_subscribers_look,
                                                   .is_expected = is_expected,
                                                   .is_mine = is_mine,
                                                   .leave = leave};
}
