/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that have subscribed to streams and run their callbacks; the tasks that hand those over
 * are callback_task.c's. A callback is made when it is launched, or for each replay of a graph,
 * handed to the subscribed thread when its task comes to run, and freed by whoever ends it: its
 * task when it blocks the stream, else the thread.
 *
 * Locks: `lock` guards all lists, the subscribers, and what streams know of them. Inside it a
 * stream's lock may be taken. No function of the program is called under it. */
#include "runtime/callback/callback.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "acl/acl_rt.h"
#include "runtime/callback/subscriber.h"
#include "runtime/schedule/hooks.h"
#include "runtime/schedule/host.h"
#include "runtime/schedule/queue.h"
#include "runtime/schedule/stream.h"
#include "runtime/support/alloc.h"
#include "runtime/support/error.h"
#include "runtime/support/fork.h"
#include "runtime/support/futex.h"
#include "runtime/support/log.h"
#include "runtime/support/point.h"
#include "runtime/support/thread.h"

enum {
    MOST_SUBSCRIBERS = 1024,
    LOOK_NS = 5000000,
};

_Atomic int64_t rt_callback_patience_ns = 1000000000;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct rt_subscriber *subscribers;
static int subscriber_count;
static struct rt_callback_list launched;

void rt_callback_lock(void)
{
    pthread_mutex_lock(&lock);
}

void rt_callback_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

/* --- lists; all need the lock ---------------------------------------------------------------- */

static void append(struct rt_callback_list *list, struct rt_callback *callback)
{
    callback->next = NULL;
    callback->previous = list->last;
    if (list->last)
        list->last->next = callback;
    else
        list->first = callback;
    list->last = callback;
}

static void take_out(struct rt_callback_list *list, struct rt_callback *callback)
{
    if (callback->previous)
        callback->previous->next = callback->next;
    else
        list->first = callback->next;
    if (callback->next)
        callback->next->previous = callback->previous;
    else
        list->last = callback->previous;
}

void rt_callback_launch_locked(struct rt_callback *callback)
{
    append(&launched, callback);
    callback->state = RT_CALLBACK_LAUNCHED;
}

void rt_callback_list_locked(struct rt_callback *callback, struct rt_subscriber *subscriber)
{
    callback->subscriber = subscriber;
    append(&subscriber->listed, callback);
    callback->state = RT_CALLBACK_LISTED;
    subscriber->last_ns = rt_now_ns();
    pthread_cond_broadcast(&subscriber->signal);
}

void rt_callback_leave_list_locked(struct rt_callback *callback)
{
    if (callback->state == RT_CALLBACK_LAUNCHED) take_out(&launched, callback);
    if (callback->state == RT_CALLBACK_LISTED) take_out(&callback->subscriber->listed, callback);
}

struct rt_callback *rt_callback_new(struct rt_stream *stream, aclrtCallback function, void *data,
                                    bool is_blocking)
{
    struct rt_callback *callback = rt_alloc(sizeof(*callback));
    if (!callback) return NULL;
    *callback = (struct rt_callback){
        .stream = stream, .function = function, .data = data, .is_blocking = is_blocking};
    rt_object_retain(&stream->object);
    return callback;
}

/* The thread that runs the stream's callbacks has one less to come for. */
static void count_off(struct rt_callback *callback)
{
    if (!callback->is_blocking || callback->is_replayed) return;
    if (callback->state != RT_CALLBACK_ENDED)
        atomic_fetch_sub_explicit(&callback->stream->callback.blocking, 1, memory_order_relaxed);
}

void rt_callback_free(struct rt_callback *callback)
{
    count_off(callback);
    rt_object_release(&callback->stream->object);
    rt_free(callback);
}

/* --- subscribers; all need the lock ---------------------------------------------------------- */

/* Threads are named by numbers that are given again when one has ended, and a program may name none
 * at all: a thread is looked at only where its memory surely is. */
static bool is_mapped(pthread_t thread)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = (uintptr_t)thread & ~(page - 1);
    return (uintptr_t)thread % sizeof(void *) == 0 && first != 0 &&
           msync((void *)first, 2 * page, MS_ASYNC) == 0; /* does nothing to mapped memory */
}

/* The clock says later, without the thread's memory, whether the thread is there. */
static void learn_clock(struct rt_subscriber *subscriber)
{
    int error = is_mapped(subscriber->thread)
                    ? pthread_getcpuclockid(subscriber->thread, &subscriber->clock)
                    : EINVAL;
    subscriber->has_clock = error == 0;
    subscriber->has_ended = error == ESRCH;
}

bool rt_callback_has_ended_locked(struct rt_subscriber *subscriber)
{
    struct timespec unused;
    if (!subscriber->has_ended && !subscriber->has_entered && subscriber->has_clock)
        subscriber->has_ended = clock_gettime(subscriber->clock, &unused) != 0;
    return subscriber->has_ended;
}

struct rt_subscriber *rt_callback_subscriber_locked(const struct rt_stream *stream)
{
    struct rt_subscriber *subscriber = stream->callback.subscriber;
    return subscriber && !rt_callback_has_ended_locked(subscriber) ? subscriber : NULL;
}

static struct rt_subscriber *find(pthread_t thread)
{
    for (struct rt_subscriber *s = subscribers; s; s = s->next)
        if (pthread_equal(s->thread, thread) && !rt_callback_has_ended_locked(s)) return s;
    return NULL;
}

static struct rt_subscriber *new_subscriber(pthread_t thread)
{
    pthread_condattr_t attributes;
    struct rt_subscriber *subscriber = rt_alloc_zeroed(sizeof(*subscriber));
    if (!subscriber) return NULL;
    subscriber->thread = thread;
    learn_clock(subscriber);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&subscriber->signal, &attributes);
    pthread_condattr_destroy(&attributes);
    subscriber->next = subscribers;
    subscribers = subscriber;
    subscriber_count++;
    return subscriber;
}

static bool is_bound(const struct rt_subscriber *subscriber)
{
    return subscriber->streams > 0 || subscriber->captured > 0;
}

/* Of a thread that nothing is bound to any more, and that is not inside: it frees it itself. What a
 * graph has left with it does not run. */
static void put_subscriber(struct rt_subscriber *subscriber)
{
    if (is_bound(subscriber) || subscriber->inside > 0) return;
    for (struct rt_callback *callback; (callback = subscriber->listed.first);) {
        rt_log(ACL_WARNING, "a callback of a graph that has been destroyed did not run");
        take_out(&subscriber->listed, callback);
        callback->state = RT_CALLBACK_ORPHANED;
        rt_callback_free(callback);
    }
    struct rt_subscriber **link = &subscribers;
    while (*link != subscriber)
        link = &(*link)->next;
    *link = subscriber->next;
    subscriber_count--;
    pthread_cond_destroy(&subscriber->signal);
    rt_free(subscriber);
}

void rt_callback_bind_locked(struct rt_subscriber *subscriber)
{
    subscriber->captured++;
}

void rt_callback_unbind(struct rt_subscriber *subscriber)
{
    pthread_mutex_lock(&lock);
    subscriber->captured--;
    pthread_cond_broadcast(&subscriber->signal);
    put_subscriber(subscriber);
    pthread_mutex_unlock(&lock);
}

/* --- threads that end ------------------------------------------------------------------------ */

/* What is listed will not run: blocking ones go back to their tasks, which fail; the others come to
 * *lost, for fail_all. */
static void end_thread_locked(struct rt_subscriber *subscriber, struct rt_callback_list *lost)
{
    subscriber->has_ended = true;
    for (struct rt_callback *callback; (callback = subscriber->listed.first);) {
        take_out(&subscriber->listed, callback);
        callback->state = RT_CALLBACK_ORPHANED;
        if (callback->is_blocking)
            rt_queue_unpark(callback->stream);
        else
            append(lost, callback);
    }
    put_subscriber(subscriber);
}

static void fail_all(struct rt_callback_list *lost)
{
    for (struct rt_callback *callback = lost->first, *next; callback; callback = next) {
        next = callback->next;
        rt_callback_fail(callback->stream);
        rt_callback_free(callback);
    }
}

/* At the end of a thread that has been in aclrtProcessReport. */
static void thread_ends(void *unused)
{
    (void)unused;
    struct rt_callback_list lost = {0};
    pthread_mutex_lock(&lock);
    struct rt_subscriber *subscriber = find(pthread_self());
    if (subscriber) end_thread_locked(subscriber, &lost);
    pthread_mutex_unlock(&lock);
    fail_all(&lost);
}

static pthread_key_t end_key;
static bool has_end_key;

static void make_end_key(void)
{
    has_end_key = pthread_key_create(&end_key, thread_ends) == 0;
}

/* Of the calling one. False: the system has no more room for that. */
static bool notice_end_of_thread(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_end_key);
    return has_end_key && pthread_setspecific(end_key, &end_key) == 0;
}

/* Of threads that have never been there. */
static void look_at_threads(void)
{
    struct rt_callback_list lost = {0};
    pthread_mutex_lock(&lock);
    for (struct rt_subscriber *subscriber = subscribers, *next; subscriber; subscriber = next) {
        next = subscriber->next;
        if (subscriber->listed.first && rt_callback_has_ended_locked(subscriber))
            end_thread_locked(subscriber, &lost);
    }
    pthread_mutex_unlock(&lock);
    fail_all(&lost);
}

/* --- the subscribed thread ------------------------------------------------------------------- */

/* The next one to run, TAKEN; those that are about to be dropped stay listed for who drops them. */
static struct rt_callback *take(struct rt_subscriber *subscriber)
{
    for (struct rt_callback *callback = subscriber->listed.first; callback;
         callback = callback->next) {
        if (callback->is_blocking && !rt_queue_begin(callback->stream)) continue;
        take_out(&subscriber->listed, callback);
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
    pthread_mutex_lock(&lock);
    report->is_locked = true;
}

static void unlock_report(struct report *report)
{
    report->is_locked = false;
    pthread_mutex_unlock(&lock);
}

static void leave_report(struct report *report)
{
    struct rt_subscriber *subscriber = report->subscriber;
    if (report->generation != rt_host_generation()) return;
    if (!report->is_locked) lock_report(report);
    if (subscriber) {
        subscriber->inside--;
        subscriber->last_ns = rt_now_ns();
        put_subscriber(subscriber);
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
        count_off(callback);
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
    callback->function(callback->data);
    call.has_returned = true;
}

/* Until something is listed or the subscription ends; false: the time is up. */
static bool await_locked(struct rt_subscriber *subscriber, int64_t deadline_ns)
{
    struct timespec until = {.tv_sec = (time_t)(deadline_ns / 1000000000),
                             .tv_nsec = (long)(deadline_ns % 1000000000)};
    while (!subscriber->listed.first && is_bound(subscriber)) {
        if (deadline_ns == RT_FOREVER)
            pthread_cond_wait(&subscriber->signal, &lock);
        else if (rt_now_ns() >= deadline_ns)
            return false;
        else
            pthread_cond_timedwait(&subscriber->signal, &lock, &until);
    }
    return true;
}

/* Runs what is listed by now; callbacks that come meanwhile wait for the next call. */
static aclError process_locked(struct report *report, int64_t deadline_ns)
{
    struct rt_subscriber *subscriber = report->subscriber;
    struct rt_callback *callback = NULL;
    while (!(callback = take(subscriber))) {
        if (!is_bound(subscriber)) return ACL_ERROR_RT_THREAD_SUBSCRIBE;
        if (subscriber->listed.first) { /* only such as are being dropped */
            struct timespec pause = {.tv_nsec = 100000};
            unlock_report(report);
            nanosleep(&pause, NULL);
            lock_report(report);
        }
        if (!await_locked(subscriber, deadline_ns)) return ACL_ERROR_RT_REPORT_TIMEOUT;
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
    report.subscriber = find(pthread_self());
    if (!report.subscriber) return ACL_ERROR_RT_THREAD_SUBSCRIBE;
    report.subscriber->inside++;
    report.subscriber->has_entered |= notice_end_of_thread();
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
    struct rt_subscriber *subscriber = find(thread);
    if (!subscriber && subscriber_count == MOST_SUBSCRIBERS)
        return rt_error_report(ACL_ERROR_RT_OVER_LIMIT, who, "%d threads are subscribed, the most",
                               MOST_SUBSCRIBERS);
    if (!subscriber) subscriber = new_subscriber(thread);
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
    pthread_mutex_lock(&lock);
    status = subscribe_locked(__func__, (pthread_t)threadId, queue);
    pthread_mutex_unlock(&lock);
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
        take_out(&subscriber->listed, callback);
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
    put_subscriber(subscriber);
    return lost;
}

aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream)
{
    struct rt_stream *queue;
    aclError status = rt_stream_resolve(__func__, stream, &queue);
    if (status != ACL_SUCCESS) return status;
    pthread_mutex_lock(&lock);
    bool is_subscribed = queue->callback.subscriber != NULL;
    bool is_his = is_subscribed && pthread_equal(queue->callback.subscriber->thread, (pthread_t)threadId);
    int lost = is_his ? unsubscribe_locked(queue) : 0;
    pthread_mutex_unlock(&lock);
    RT_CHECK(is_subscribed, ACL_ERROR_RT_STREAM_SUBSCRIBE, "no thread is subscribed to stream %u",
             queue->id);
    RT_CHECK(is_his, ACL_ERROR_RT_THREAD_SUBSCRIBE,
             "thread %" PRIu64 " is not the one that is subscribed to stream %u", threadId,
             queue->id);
    if (lost > 0) rt_callback_fail(queue);
    return ACL_SUCCESS;
}

void rt_callback_fail(struct rt_stream *stream)
{
    rt_stream_fail(stream, ACL_ERROR_RT_STREAM_NO_CB_REG,
                   "a callback did not run: no thread is subscribed to the stream any more, or the "
                   "one that is has ended");
}

/* --- for the queues -------------------------------------------------------------------------- */

static bool is_expected_locked(const struct rt_stream *stream)
{
    const struct rt_subscriber *subscriber = stream->callback.awaited ? stream->callback.awaited : stream->callback.subscriber;
    if (!subscriber || subscriber->has_ended || pthread_equal(subscriber->thread, pthread_self()))
        return false;
    int64_t patience = atomic_load_explicit(&rt_callback_patience_ns, memory_order_relaxed);
    return subscriber->inside > 0 || rt_now_ns() - subscriber->last_ns < patience;
}

static bool is_expected(struct rt_stream *stream)
{
    pthread_mutex_lock(&lock);
    bool expected = is_expected_locked(stream);
    pthread_mutex_unlock(&lock);
    return expected;
}

static bool is_mine(struct rt_stream *stream)
{
    pthread_mutex_lock(&lock);
    bool mine = stream->callback.subscriber && pthread_equal(stream->callback.subscriber->thread, pthread_self());
    pthread_mutex_unlock(&lock);
    return mine;
}

aclError rt_callback_take_for_host(const char *who, struct rt_stream *stream)
{
    pthread_mutex_lock(&lock);
    bool ok = !stream->callback.subscriber;
    if (ok) stream->callback.has_host_functions = true;
    pthread_mutex_unlock(&lock);
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
    pthread_mutex_lock(&lock);
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
        pthread_mutex_unlock(&lock);
        nanosleep(&pause, NULL);
        pthread_mutex_lock(&lock);
    }
    pthread_mutex_unlock(&lock);
}

/* --- fork ------------------------------------------------------------------------------------ */

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&lock);
}

static void forget(struct rt_callback_list *list)
{
    while (list->first) {
        struct rt_callback *callback = list->first;
        list->first = callback->next;
        rt_free(callback);
    }
    list->last = NULL;
}

/* The child's streams are empty, and nobody is subscribed to them. */
static void in_child(void)
{
    pthread_mutex_init(&lock, NULL);
    forget(&launched);
    while (subscribers) {
        struct rt_subscriber *next = subscribers->next;
        forget(&subscribers->listed);
        rt_free(subscribers);
        subscribers = next;
    }
    subscriber_count = 0;
}

__attribute__((constructor)) static void offer_hooks(void)
{
    static const struct rt_fork_handlers handlers = {before_fork, in_parent, in_child};
    rt_fork_guard(RT_FORK_CALLBACK, &handlers);
    rt_hooks.callback = (struct rt_callback_hooks){.look_at_threads = look_at_threads,
                                                   .is_expected = is_expected,
                                                   .is_mine = is_mine,
                                                   .leave = leave};
}
