/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that have subscribed to streams, and the callbacks listed for them. A callback is made
 * when it is launched, or for each replay of a graph, handed to the subscribed thread when its task
 * comes to run, and freed by whoever ends it: its task when it blocks the stream, else the thread.
 *
 * Locks: `lock` guards all lists, the subscribers, and what streams know of them. Inside it a
 * stream's lock may be taken. No function of the program is called under it. */
#include "runtime/callback/subscriber.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/callback/callback.h"
#include "runtime/schedule/stream.h"
#include "runtime/support/alloc.h"
#include "runtime/support/fork.h"
#include "runtime/support/futex.h"
#include "runtime/support/log.h"

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

void rt_callback_take_out(struct rt_callback_list *list, struct rt_callback *callback)
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
    if (callback->state == RT_CALLBACK_LAUNCHED) rt_callback_take_out(&launched, callback);
    if (callback->state == RT_CALLBACK_LISTED)
        rt_callback_take_out(&callback->subscriber->listed, callback);
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
void rt_callback_count_off(struct rt_callback *callback)
{
    if (!callback->is_blocking || callback->is_replayed) return;
    if (callback->state != RT_CALLBACK_ENDED)
        atomic_fetch_sub_explicit(&callback->stream->callback.blocking, 1, memory_order_relaxed);
}

void rt_callback_free(struct rt_callback *callback)
{
    rt_callback_count_off(callback);
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

struct rt_subscriber *rt_subscriber_find(pthread_t thread)
{
    for (struct rt_subscriber *s = subscribers; s; s = s->next)
        if (pthread_equal(s->thread, thread) && !rt_callback_has_ended_locked(s)) return s;
    return NULL;
}

int rt_subscriber_count(void)
{
    return subscriber_count;
}

struct rt_subscriber *rt_subscriber_new(pthread_t thread)
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

bool rt_subscriber_is_bound(const struct rt_subscriber *subscriber)
{
    return subscriber->streams > 0 || subscriber->captured > 0;
}

/* Of a thread that nothing is bound to any more, and that is not inside: it frees it itself. What a
 * graph has left with it does not run. */
void rt_subscriber_put(struct rt_subscriber *subscriber)
{
    if (rt_subscriber_is_bound(subscriber) || subscriber->inside > 0) return;
    for (struct rt_callback *callback; (callback = subscriber->listed.first);) {
        rt_log(ACL_WARNING, "a callback of a graph that has been destroyed did not run");
        rt_callback_take_out(&subscriber->listed, callback);
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
    rt_subscriber_put(subscriber);
    pthread_mutex_unlock(&lock);
}

/* --- threads that end ------------------------------------------------------------------------ */

/* What is listed will not run: blocking ones go back to their tasks, which fail; the others come to
 * *lost, for fail_all. */
static void end_thread_locked(struct rt_subscriber *subscriber, struct rt_callback_list *lost)
{
    subscriber->has_ended = true;
    for (struct rt_callback *callback; (callback = subscriber->listed.first);) {
        rt_callback_take_out(&subscriber->listed, callback);
        callback->state = RT_CALLBACK_ORPHANED;
        if (callback->is_blocking)
            rt_queue_unpark(callback->stream);
        else
            append(lost, callback);
    }
    rt_subscriber_put(subscriber);
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
    struct rt_subscriber *subscriber = rt_subscriber_find(pthread_self());
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
bool rt_subscriber_notice_end(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_end_key);
    return has_end_key && pthread_setspecific(end_key, &end_key) == 0;
}

/* Of threads that have never been there. */
void rt_subscribers_look(void)
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

/* Until something is listed or the subscription ends; false: the time is up. */
bool rt_subscriber_await(struct rt_subscriber *subscriber, int64_t deadline_ns)
{
    struct timespec until = {.tv_sec = (time_t)(deadline_ns / 1000000000),
                             .tv_nsec = (long)(deadline_ns % 1000000000)};
    while (!subscriber->listed.first && rt_subscriber_is_bound(subscriber)) {
        if (deadline_ns == RT_FOREVER)
            pthread_cond_wait(&subscriber->signal, &lock);
        else if (rt_now_ns() >= deadline_ns)
            return false;
        else
            pthread_cond_timedwait(&subscriber->signal, &lock, &until);
    }
    return true;
}

void rt_callback_fail(struct rt_stream *stream)
{
    rt_stream_fail(stream, ACL_ERROR_RT_STREAM_NO_CB_REG,
                   "a callback did not run: no thread is subscribed to the stream any more, or the "
                   "one that is has ended");
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

__attribute__((constructor)) static void guard_fork(void)
{
    static const struct rt_fork_handlers handlers = {before_fork, in_parent, in_child};
    rt_fork_guard(RT_FORK_CALLBACK, &handlers);
}
