/* SPDX-License-Identifier: Apache-2.0 */
/* rt_defer, after the manner of RCU. A grace period notes the last ticket of every stream that has
 * tasks and ends when all those have run; what is deferred meanwhile collects for the next one. So
 * a deferral costs a short lock and one look at the few streams that were active lately, however
 * many exist.
 *
 * Locks: grace_lock guards the list of active streams, their grace_ticket and both lists of
 * deferred items. It is taken inside a stream's lock and nothing is locked inside it. */
#include "runtime/schedule/grace.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "runtime/schedule/claim.h"
#include "runtime/schedule/queue.h"
#include "runtime/support/fork.h"
#include "runtime/support/point.h"

enum { YIELDS = 20, NAP_NS = 50000 };

static pthread_mutex_t grace_lock = PTHREAD_MUTEX_INITIALIZER;
static struct rt_stream *_Atomic active;
static _Atomic size_t awaited;      /* streams the current period waits for; 0: no period */
static struct rt_deferred *current; /* released when the period ends */
static struct rt_deferred *next;    /* deferred since it began */
static _Atomic int releasing;       /* threads amid release_all; grows under the lock */
_Atomic size_t rt_grace_unreleased;

void rt_grace_enter(struct rt_stream *stream)
{
    pthread_mutex_lock(&grace_lock);
    stream->grace.previous = NULL;
    stream->grace.next = active;
    if (active) active->grace.previous = stream;
    active = stream;
    pthread_mutex_unlock(&grace_lock);
}

void rt_grace_leave(struct rt_stream *stream)
{
    pthread_mutex_lock(&grace_lock);
    if (stream->grace.previous)
        stream->grace.previous->grace.next = stream->grace.next;
    else
        active = stream->grace.next;
    if (stream->grace.next) stream->grace.next->grace.previous = stream->grace.previous;
    pthread_mutex_unlock(&grace_lock);
}

static bool has_passed(struct rt_stream *stream, uint64_t ticket)
{
    return atomic_load_explicit(&stream->completed, memory_order_seq_cst) >= ticket;
}

/* False: it has passed already. A runner that misses the request sees it after its next task. */
static bool ask_for_attention(struct rt_stream *stream, uint64_t ticket)
{
    rt_ask_attention(stream, ticket);
    return !has_passed(stream, ticket);
}

/* Begins a period for what is in next; returns what can be released at once. grace_lock is held. */
static struct rt_deferred *begin_period(void)
{
    if (!next) return NULL;
    current = next;
    next = NULL;
    for (struct rt_stream *stream = active; stream; stream = stream->grace.next) {
        uint64_t ticket = rt_queue_submitted(stream);
        if (has_passed(stream, ticket) || !ask_for_attention(stream, ticket)) continue;
        stream->grace.ticket = ticket;
        awaited++;
    }
    if (awaited > 0) return NULL;
    struct rt_deferred *done = current;
    current = NULL;
    return done;
}

/* Gives the lock back. */
static void unlock_and_release(struct rt_deferred *done, struct rt_deferred *more)
{
    bool releases = done || more;
    if (releases) atomic_fetch_add_explicit(&releasing, 1, memory_order_relaxed);
    pthread_mutex_unlock(&grace_lock);
    if (!releases) return;
    RT_POINT("before a release");
    struct rt_deferred *lists[] = {done, more};
    for (int i = 0; i < 2; i++) {
        while (lists[i]) {
            struct rt_deferred *deferred = lists[i];
            lists[i] = deferred->next;
            deferred->release(deferred);
            atomic_fetch_sub_explicit(&rt_grace_unreleased, 1, memory_order_relaxed);
        }
    }
    atomic_fetch_sub_explicit(&releasing, 1, memory_order_release);
}

/* Written under the lock, read here without it: a stream enters before its first task is queued and
 * leaves after its last has run. */
bool rt_defer_is_idle(void)
{
    return atomic_load_explicit(&active, memory_order_acquire) == NULL &&
           atomic_load_explicit(&awaited, memory_order_acquire) == 0;
}

void rt_defer(struct rt_deferred *deferred)
{
    struct rt_deferred *done = NULL;
    atomic_fetch_add_explicit(&rt_grace_unreleased, 1, memory_order_relaxed);
    RT_POINT("before a deferral");
    pthread_mutex_lock(&grace_lock);
    deferred->next = next;
    next = deferred;
    if (awaited == 0) done = begin_period();
    unlock_and_release(done, NULL);
}

void rt_grace_passed(struct rt_stream *stream)
{
    struct rt_deferred *done = NULL;
    struct rt_deferred *more = NULL;
    RT_POINT("before a period passes");
    pthread_mutex_lock(&grace_lock);
    uint64_t ticket = stream->grace.ticket;
    if (ticket != 0 && (has_passed(stream, ticket) || !ask_for_attention(stream, ticket))) {
        stream->grace.ticket = 0;
        if (--awaited == 0) {
            done = current;
            current = NULL;
            more = begin_period();
        }
    }
    unlock_and_release(done, more);
}

void rt_grace_settle_slowly(struct rt_stream *stream)
{
    const struct timespec nap = {.tv_nsec = NAP_NS};
    rt_grace_passed(stream);
    for (int i = 0; atomic_load_explicit(&releasing, memory_order_acquire) > 0; i++) {
        if (i < YIELDS)
            sched_yield();
        else
            nanosleep(&nap, NULL); /* the releasing thread may have a lower priority */
    }
}

static void before_fork(void)
{
    pthread_mutex_lock(&grace_lock);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&grace_lock);
}

/* All streams are empty in the child; what was deferred is released by its first rt_defer. */
static void in_child(void)
{
    pthread_mutex_init(&grace_lock, NULL);
    active = NULL;
    awaited = 0;
    atomic_store_explicit(&releasing, 0, memory_order_relaxed);
    if (!current) return;
    struct rt_deferred *last = current;
    while (last->next)
        last = last->next;
    last->next = next;
    next = current;
    current = NULL;
}

__attribute__((constructor)) static void guard_fork(void)
{
    static const struct rt_fork_handlers handlers = {before_fork, in_parent, in_child};
    rt_fork_guard(RT_FORK_GRACE, &handlers);
}
