/* SPDX-License-Identifier: Apache-2.0 */
/* Marks: what a record leaves in an event, see mark.h. */
#include "runtime/event/mark.h"

#include "runtime/profile/profile.h"
#include "runtime/support/alloc.h"
#include "runtime/support/futex.h"
#include "runtime/support/point.h"

struct rt_mark *rt_mark_new_locked(struct rt_event *event)
{
    struct rt_mark *mark = event->unused;
    if (mark)
        event->unused = mark->next_free;
    else
        mark = rt_alloc(sizeof(*mark));
    if (!mark) return NULL;
    *mark = (struct rt_mark){.event = event, .references = 1};
    return mark;
}

void rt_mark_put_locked(struct rt_mark *mark)
{
    if (!mark || --mark->references > 0) return;
    mark->next_free = mark->event->unused;
    mark->event->unused = mark;
}

void rt_mark_set_place_locked(struct rt_mark *mark, struct rt_dependency place)
{
    mark->place = place;
    for (struct rt_stream *stream = mark->parked; stream; stream = stream->waits_at.next)
        rt_queue_expect_at(stream, &place);
}

void rt_mark_park_locked(struct rt_mark *mark, struct rt_stream *stream, uint64_t seconds)
{
    if (stream->waits_at.place == mark) return;
    rt_object_retain(&stream->object);
    stream->waits_at.place = mark;
    stream->waits_at.next = mark->parked;
    mark->parked = stream;
    struct rt_wait wait = {.place = mark->place, .deadline_ns = rt_deadline_of(seconds)};
    rt_queue_expect(stream, &wait);
}

bool rt_mark_leave_locked(struct rt_mark *mark, struct rt_stream *stream)
{
    if (stream->waits_at.place != mark) return false;
    struct rt_stream **link = &mark->parked;
    while (*link != stream)
        link = &(*link)->waits_at.next;
    *link = stream->waits_at.next;
    stream->waits_at.place = NULL;
    return true;
}

/* Streams are set going under the event's lock: one that is dropped meanwhile leaves the list
 * first, and so is not set going when it waits for something else. */
void rt_mark_pass(struct rt_mark *mark)
{
    struct rt_event *event = mark->event;
    RT_POINT("before a mark is passed");
    pthread_mutex_lock(&event->lock);
    struct rt_stream *parked = mark->parked;
    mark->parked = NULL;
    mark->done_ns = rt_now_ns();
    mark->arrow = rt_profile_arrow_from();
    atomic_store_explicit(&mark->is_done, true, memory_order_release);
    while (parked) {
        struct rt_stream *stream = parked;
        parked = stream->waits_at.next; /* once unparked it may park anew */
        stream->waits_at.place = NULL;
        rt_queue_unpark(stream);
        rt_object_release(&stream->object);
    }
    rt_mark_put_locked(mark);
    pthread_mutex_unlock(&event->lock);
    rt_object_release(&event->object);
}

struct rt_mark *rt_mark_record_locked(struct rt_event *event, bool *is_awaited)
{
    struct rt_mark *mark = event->shown;
    if (!mark || mark->is_recorded) {
        mark = rt_mark_new_locked(event);
        if (!mark) return NULL;
        rt_mark_put_locked(event->shown);
        event->shown = mark;
    }
    mark->is_recorded = true;
    mark->references += 2;
    *is_awaited = mark->parked != NULL;
    return mark;
}

void rt_event_reset_now(struct rt_event *event)
{
    pthread_mutex_lock(&event->lock);
    if (event->shown && event->shown->is_recorded) {
        rt_mark_put_locked(event->shown);
        event->shown = NULL;
    }
    pthread_mutex_unlock(&event->lock);
}
