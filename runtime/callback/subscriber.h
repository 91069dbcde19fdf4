/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of callbacks, for callback.c (running them), callback_task.c (tasks that hand them over)
 * and subscriber.c (whose they are). What says "locked" needs rt_callback_lock. */
#ifndef ACLNN_CPU_RUNTIME_CALLBACK_SUBSCRIBER_H
#define ACLNN_CPU_RUNTIME_CALLBACK_SUBSCRIBER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "acl/acl_rt.h"
#include "runtime/schedule/queue.h"

enum rt_callback_state {
    RT_CALLBACK_LAUNCHED, /* its task has not come to run */
    RT_CALLBACK_LISTED,   /* at its subscriber */
    RT_CALLBACK_TAKEN,    /* the thread runs it */
    RT_CALLBACK_ENDED,    /* a blocking one that has run */
    RT_CALLBACK_ORPHANED, /* its subscriber has gone without it */
};

struct rt_callback {
    struct rt_callback *next, *previous; /* among those launched, or in the subscriber's list */
    struct rt_stream *stream;            /* a reference; a blocking one parks it */
    struct rt_subscriber *subscriber;    /* once it is listed */
    aclrtCallback function;
    void *data;
    bool is_blocking;
    bool is_replayed; /* of a graph, which has a subscription of its own */
    enum rt_callback_state state;
};

struct rt_callback_list {
    struct rt_callback *first, *last;
};

/* A thread that runs callbacks. */
struct rt_subscriber {
    struct rt_subscriber *next;
    pthread_t thread;
    struct rt_callback_list listed;
    int streams;      /* that the program has bound to it */
    int captured;     /* callbacks of graphs */
    int inside;       /* threads in aclrtProcessReport: 0 or 1 */
    bool has_entered; /* aclrtProcessReport: its end will be noticed */
    bool has_ended;   /* the thread; nothing is handed to it any more */
    bool has_clock;
    clockid_t clock;                 /* of the thread's CPU time: there while the thread is */
    int64_t last_ns;                 /* it left there, or was given a callback */
    pthread_cond_t signal;           /* CLOCK_MONOTONIC */
    const struct rt_stream *running; /* whose callback that does not block it runs */
};

void rt_callback_lock(void);
void rt_callback_unlock(void);

/* Not launched yet, with a reference to the stream; NULL without memory. */
struct rt_callback *rt_callback_new(struct rt_stream *stream, aclrtCallback function, void *data,
                                    bool is_blocking);
void rt_callback_free(struct rt_callback *callback);
void rt_callback_launch_locked(struct rt_callback *callback);
/* Gives it to the thread. */
void rt_callback_list_locked(struct rt_callback *callback, struct rt_subscriber *subscriber);
void rt_callback_leave_list_locked(struct rt_callback *callback);

/* --- all need the lock ------------------------------------------------------------------------ */

void rt_callback_take_out(struct rt_callback_list *list, struct rt_callback *callback);
/* The thread that runs the stream's callbacks has one less to come for. */
void rt_callback_count_off(struct rt_callback *callback);

/* NULL: the thread has not subscribed, or has ended. */
struct rt_subscriber *rt_subscriber_find(pthread_t thread);
int rt_subscriber_count(void);
/* NULL without memory. */
struct rt_subscriber *rt_subscriber_new(pthread_t thread);
/* To a stream or to a graph's callback. */
bool rt_subscriber_is_bound(const struct rt_subscriber *subscriber);
/* Frees one that nothing is bound to any more, unless its thread is inside: that frees it itself.
 */
void rt_subscriber_put(struct rt_subscriber *subscriber);
/* Until something is listed or the subscription ends; false: the time is up. */
bool rt_subscriber_await(struct rt_subscriber *subscriber, int64_t deadline_ns);

/* The calling thread's end will be noticed. False: the system has no more room for that. */
bool rt_subscriber_notice_end(void);

/* Looks at the thread if it has never been in aclrtProcessReport. */
bool rt_callback_has_ended_locked(struct rt_subscriber *subscriber);
/* The stream's, if its thread is there. */
struct rt_subscriber *rt_callback_subscriber_locked(const struct rt_stream *stream);

/* A captured callback keeps its thread subscribed until the second is called. */
void rt_callback_bind_locked(struct rt_subscriber *subscriber);
void rt_callback_unbind(struct rt_subscriber *subscriber);

/* Without the lock: looks whether threads that nobody will tell of have ended. */
void rt_subscribers_look(void);

#endif
