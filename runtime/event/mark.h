/* SPDX-License-Identifier: Apache-2.0 */
/* Events and their marks, for the files that make up events: event.c (life, records, waits),
 * event_graph.c (events in captures and replays), event_query.c (what the program asks), mark.c.
 *
 * Each record makes a mark: a point in a stream that is passed once. A wait takes the mark that the
 * event shows when the wait is submitted, so a later record cannot disturb it. A plain event that
 * was never recorded, or was reset, shows a mark without a place, which the next record fills in;
 * waiting for it parks the stream until then.
 *
 * Locks: an event's lock guards its marks, with their lists of parked streams. A stream's lock may
 * be taken inside it, never the other way round. A parked stream's dependency is written under
 * both. */
#ifndef ACLNN_CPU_RUNTIME_EVENT_MARK_H
#define ACLNN_CPU_RUNTIME_EVENT_MARK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_base.h"
#include "runtime/capture/stream_capture.h"
#include "runtime/schedule/queue.h"

struct rt_mark {
    struct rt_event *event;
    int references; /* the event while it shows this mark, and each queued task */
    bool is_recorded;
    atomic_bool is_done;
    int64_t done_ns; /* CLOCK_MONOTONIC */
    struct rt_dependency place;
    struct rt_stream *parked;
    uint64_t arrow; /* names the record in a timeline; 0: it is in none */
    struct rt_mark *next_free;
};

struct rt_event {
    struct rt_object object; /* one reference for the handle and one for each queued task */
    struct rt_context *context;
    uint32_t flags;
    bool is_ex;
    atomic_int waits; /* queued and not yet passed */
    struct rt_capture_point captured;
    pthread_mutex_t lock;
    struct rt_mark *shown; /* NULL: never recorded, or reset */
    struct rt_mark *unused;
    struct rt_mark own[2]; /* enough for an event that is synchronised between records */
};

/* --- marks; those that say "locked" need the event's lock ------------------------------------- */

/* NULL without memory. */
struct rt_mark *rt_mark_new_locked(struct rt_event *event);
void rt_mark_put_locked(struct rt_mark *mark);

/* The place is known only once the record is queued; streams may be parked by then. */
void rt_mark_set_place_locked(struct rt_mark *mark, struct rt_dependency place);

/* Once more for the same mark when the stream was set going without need; its deadline stays. */
void rt_mark_park_locked(struct rt_mark *mark, struct rt_stream *stream, uint64_t seconds);
/* Whether it was parked there; then the list's reference to the stream is the caller's. */
bool rt_mark_leave_locked(struct rt_mark *mark, struct rt_stream *stream);

/* The mark that the next record fills in, with references for its task and for the caller; NULL
 * without memory. */
struct rt_mark *rt_mark_record_locked(struct rt_event *event, bool *is_awaited);

/* The stream has come to it: streams that wait for it go on. Takes over a reference to the mark and
 * one to the event. */
void rt_mark_pass(struct rt_mark *mark);

/* --- events ------------------------------------------------------------------------------------
 */

/* The event behind a handle, with a reference that rt_event_release gives back. */
aclError rt_event_acquire(const char *who, const char *argument, aclrtEvent handle,
                          struct rt_event **event);
/* The same for calls that ask or wait for it on the host. */
aclError rt_event_acquire_uncaptured(const char *who, const char *argument, aclrtEvent handle,
                                     struct rt_event **event);
void rt_event_release(struct rt_event *event);

/* Waits hold on to the mark they took: this decides what later calls see. */
void rt_event_reset_now(struct rt_event *event);

/* All three: false when the stream is not being captured, else *status is the outcome. */
bool rt_event_record_in_capture(const char *who, struct rt_event *event, struct rt_stream *stream,
                                aclError *status);
bool rt_event_wait_in_capture(const char *who, struct rt_event *event, struct rt_stream *stream,
                              aclError *status);
bool rt_event_reset_in_capture(const char *who, struct rt_event *event, struct rt_stream *stream,
                               aclError *status);

#endif
