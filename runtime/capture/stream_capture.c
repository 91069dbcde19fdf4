/* SPDX-License-Identifier: Apache-2.0 */
/* Capturing: from aclmdlRICaptureBegin to aclmdlRICaptureEnd.
 *
 * Locks: that of capture_lock.h. */
#include "runtime/capture/stream_capture.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>

#include "acl/acl_rt.h"
#include "runtime/capture/capture_lock.h"
#include "runtime/capture/graph.h"
#include "runtime/capture/task_group.h"
#include "runtime/schedule/handles.h"
#include "runtime/support/checked.h"
#include "runtime/support/error.h"
#include "runtime/support/thread.h"

static struct rt_graph *captures;
_Atomic int rt_capture_count;

/* Streams that an ended or invalid capture cannot take part in are these. */
#define NOT_CAPTURED (ACL_STREAM_PERSISTENT | ACL_STREAM_CPU_SCHEDULE | ACL_STREAM_DEVICE_USE_ONLY)

/* --- streams and graphs; all need the lock ---------------------------------------------------- */

static bool is_valid(const struct rt_graph *graph)
{
    return atomic_load_explicit(&graph->status, memory_order_relaxed) == RT_GRAPH_CAPTURING;
}

static void invalidate(struct rt_graph *graph)
{
    if (graph && is_valid(graph))
        atomic_store_explicit(&graph->status, RT_GRAPH_INVALIDATED, memory_order_relaxed);
}

static aclError refuse_invalid(const char *who, const struct rt_graph *graph)
{
    return rt_error_report(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, who,
                           "the capture of graph %" PRIu32 " was invalidated by an earlier error",
                           graph->id);
}

static aclError out_of_memory(const char *who, struct rt_graph *graph)
{
    invalidate(graph);
    return rt_error_report(ACL_ERROR_RT_MEMORY_ALLOCATION, who,
                           "no host memory for a captured task");
}

static bool enter(struct rt_graph *graph, struct rt_stream *stream)
{
    uint32_t lane;
    if (!rt_graph_add_lane(graph, stream, &lane)) return false;
    stream->capture.graph = graph;
    stream->capture.lane = lane;
    atomic_store_explicit(&stream->is_diverted, true, memory_order_relaxed);
    return true;
}

static void leave_all(struct rt_graph *graph)
{
    for (uint32_t i = 0; i < graph->lane_count; i++) {
        struct rt_stream *stream = graph->lanes[i].stream;
        stream->capture.graph = NULL;
        atomic_store_explicit(&stream->is_diverted, false, memory_order_relaxed);
    }
    struct rt_graph **link = &captures;
    while (*link != graph)
        link = &(*link)->next_captured;
    *link = graph->next_captured;
    atomic_fetch_sub_explicit(&rt_capture_count, 1, memory_order_relaxed);
}

/* --- tasks ------------------------------------------------------------------------------------ */

static aclError take_into_group(struct rt_graph *graph, struct rt_stream *stream,
                                const struct rt_task *task)
{
    if (stream != graph->open_group->stream) {
        graph->group_error = ACL_ERROR_STREAM_TASK_GROUP_INTR;
        return rt_error_report(ACL_ERROR_STREAM_TASK_GROUP_INTR, task->kind->name,
                               "stream %u: another stream of the capture has an open task group",
                               stream->id);
    }
    if (task->kind->is_operator) return ACL_SUCCESS;
    graph->group_error = ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT;
    return rt_error_report(ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT, task->kind->name,
                           "a task group takes operators only");
}

static aclError take_into_graph(struct rt_stream *stream, const struct rt_task *task,
                                unsigned flags)
{
    struct rt_graph *graph = stream->capture.graph;
    const struct rt_task_kind *kind = task->kind;
    if (!is_valid(graph)) return refuse_invalid(kind->name, graph);
    if (!kind->rerun || (kind->ready && !kind->leave)) {
        invalidate(graph);
        return rt_error_report(ACL_ERROR_RT_STREAM_CAPTURED, kind->name,
                               "stream %u is being captured, and this cannot be replayed",
                               stream->id);
    }
    if (graph->open_group) {
        aclError status = take_into_group(graph, stream, task);
        if (status != ACL_SUCCESS) return status;
    }
    if (!rt_graph_add_node(graph, stream->capture.lane, task))
        return out_of_memory(kind->name, graph);
    if (graph->open_group && !rt_task_group_add(graph)) {
        rt_graph_remove_last(graph);
        return out_of_memory(kind->name, graph);
    }
    graph->is_large |= (flags & RT_SUBMIT_LARGE) != 0;
    return ACL_SUCCESS;
}

/* The slot that the stream's next operator goes to, with a reference to the graph. */
static aclError take_slot(struct rt_stream *stream, const struct rt_task *task,
                          struct rt_node_slot **slot, struct rt_graph **graph)
{
    if (!task->kind->is_operator)
        return rt_error_report(
            ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT, task->kind->name,
            "stream %u replaces the tasks of a group, which takes operators only", stream->id);
    *slot = stream->capture.next_slot;
    if (!*slot)
        return rt_error_report(ACL_ERROR_RT_INTERNAL_ERROR, task->kind->name,
                               "the task group has no more tasks to replace");
    stream->capture.next_slot = (*slot)->next;
    *graph = stream->capture.updates->graph;
    rt_object_retain(&(*graph)->object);
    return ACL_SUCCESS;
}

bool rt_capture_take(struct rt_stream *stream, const struct rt_task *task, unsigned flags,
                     aclError *status)
{
    struct rt_node_slot *slot = NULL;
    struct rt_graph *graph = NULL;
    bool taken = true;
    rt_capture_lock();
    if (stream->capture.graph)
        *status = take_into_graph(stream, task, flags);
    else if (stream->capture.updates)
        *status = take_slot(stream, task, &slot, &graph);
    else
        taken = false;
    rt_capture_unlock();
    if (graph) *status = rt_task_group_replace(stream, graph, slot, task);
    return taken;
}

bool rt_capture_is_captured(struct rt_stream *stream)
{
    if (!atomic_load_explicit(&stream->is_diverted, memory_order_relaxed)) return false;
    rt_capture_lock();
    bool is_captured = stream->capture.graph != NULL;
    rt_capture_unlock();
    return is_captured;
}

/* --- events ----------------------------------------------------------------------------------- */

static bool is_live(const struct rt_capture_point *point)
{
    uint64_t serial = atomic_load_explicit(&point->serial, memory_order_relaxed);
    for (const struct rt_graph *graph = captures; graph && serial != 0;
         graph = graph->next_captured)
        if (graph == point->graph && graph->object.serial == serial) return true;
    return false;
}

bool rt_capture_point_is_live(struct rt_capture_point *point)
{
    if (atomic_load_explicit(&point->serial, memory_order_relaxed) == 0) return false;
    rt_capture_lock();
    bool live = is_live(point);
    rt_capture_unlock();
    return live;
}

bool rt_capture_record(const char *who, struct rt_stream *stream, struct rt_capture_point *point,
                       aclError *status)
{
    bool is_marked = atomic_load_explicit(&point->serial, memory_order_relaxed) != 0;
    bool is_diverted = atomic_load_explicit(&stream->is_diverted, memory_order_relaxed);
    if (__builtin_expect(!is_marked && !is_diverted, 1)) return false;
    rt_capture_lock();
    struct rt_graph *graph = stream->capture.graph;
    *status = ACL_SUCCESS;
    if (!graph) {
        atomic_store_explicit(&point->serial, 0, memory_order_relaxed);
    } else if (!is_valid(graph)) {
        *status = refuse_invalid(who, graph);
    } else if (!rt_graph_flush(graph, stream->capture.lane)) {
        *status = out_of_memory(who, graph);
    } else {
        point->graph = graph;
        point->lane = stream->capture.lane;
        point->count = graph->lanes[point->lane].count;
        atomic_store_explicit(&point->serial, graph->object.serial, memory_order_relaxed);
    }
    rt_capture_unlock();
    return graph != NULL;
}

static aclError wait_for(const char *who, struct rt_stream *stream,
                         const struct rt_capture_point *point)
{
    struct rt_graph *graph = point->graph;
    if (stream == stream->context->default_stream)
        return rt_error_report(ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT, who,
                               "the default stream cannot take part in a capture");
    if (stream->capture.graph && stream->capture.graph != graph) {
        invalidate(stream->capture.graph);
        invalidate(graph);
        return rt_error_report(ACL_ERROR_STREAM_CAPTURE_CONFLICT, who,
                               "the event was recorded in the capture of graph %" PRIu32
                               ", stream %u belongs to that of graph %" PRIu32,
                               graph->id, stream->id, stream->capture.graph->id);
    }
    if (!is_valid(graph)) return refuse_invalid(who, graph);
    if (stream->capture.updates || (stream->flags & NOT_CAPTURED)) {
        invalidate(graph);
        return rt_error_report(ACL_ERROR_RT_PARAM_INVALID, who,
                               "stream %u cannot take part in a capture", stream->id);
    }
    if (!stream->capture.graph && !enter(graph, stream)) return out_of_memory(who, graph);
    struct rt_node_wait wait = {.lane = point->lane, .count = point->count};
    if (!rt_graph_add_wait(graph, stream->capture.lane, wait)) return out_of_memory(who, graph);
    return ACL_SUCCESS;
}

bool rt_capture_wait(const char *who, struct rt_stream *stream, struct rt_capture_point *point,
                     aclError *status)
{
    if (__builtin_expect(atomic_load_explicit(&point->serial, memory_order_relaxed) == 0, 1))
        return false;
    rt_capture_lock();
    bool live = is_live(point);
    if (live) *status = wait_for(who, stream, point);
    rt_capture_unlock();
    return live;
}

/* --- what is forbidden meanwhile ---------------------------------------------------------------
 */

static aclError refuse_stream(const char *who, struct rt_stream *stream)
{
    if (!rt_capture_is_captured(stream)) return ACL_SUCCESS;
    return rt_error_report(ACL_ERROR_RT_STREAM_CAPTURED, who, "stream %u is being captured",
                           stream->id);
}

static aclError check_device(const char *who, int32_t device)
{
    if (atomic_load_explicit(&rt_capture_count, memory_order_relaxed) == 0) return ACL_SUCCESS;
    rt_capture_lock();
    const struct rt_graph *found = captures;
    while (found && found->context->device != device)
        found = found->next_captured;
    uint32_t stream = found ? found->origin->id : 0;
    rt_capture_unlock();
    if (!found) return ACL_SUCCESS;
    return rt_error_report(ACL_ERROR_RT_STREAM_CAPTURED, who,
                           "stream %u of the device is being captured", stream);
}

/* Does this capture forbid the calling thread what acts at once? A thread that has exchanged its
 * mode for THREAD_LOCAL minds only captures of its own. */
static bool forbids(const struct rt_graph *graph, const struct rt_context *context)
{
    bool is_own = pthread_equal(graph->thread, pthread_self()) != 0;
    if (graph->context != context || graph->mode == ACL_MODEL_RI_CAPTURE_MODE_RELAXED) return false;
    if (is_own) return true;
    return graph->mode == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL &&
           rt_self.capture_mode == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
}

aclError rt_capture_refuse_unsafe(const char *who)
{
    const struct rt_graph *found = NULL;
    struct rt_context *context = rt_context_peek();
    if (rt_self.capture_mode == ACL_MODEL_RI_CAPTURE_MODE_RELAXED) return ACL_SUCCESS;
    rt_capture_lock();
    for (struct rt_graph *graph = captures; graph; graph = graph->next_captured) {
        if (!forbids(graph, context)) continue;
        invalidate(graph);
        found = graph;
    }
    uint32_t stream = found ? found->origin->id : 0;
    rt_capture_unlock();
    if (!found) return ACL_SUCCESS;
    return rt_error_report(ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT, who,
                           "not allowed while stream %u is being captured, and the capture is now "
                           "invalid; aclmdlRICaptureThreadExchangeMode to RELAXED allows it",
                           stream);
}

aclError rt_capture_check_pageable(const char *who, struct rt_stream *stream)
{
    aclError status = rt_capture_check_unsafe(who);
    if (status != ACL_SUCCESS || !rt_capture_is_captured(stream)) return status;
    rt_capture_lock();
    invalidate(stream->capture.graph);
    rt_capture_unlock();
    return rt_error_report(ACL_ERROR_RT_PARAM_INVALID, who,
                           "stream %u is being captured; a captured copy takes memory of "
                           "aclrtMalloc or aclrtMallocHost only",
                           stream->id);
}

/* --- begin and end ---------------------------------------------------------------------------- */

static aclError resolve(const char *who, aclrtStream handle, struct rt_stream **stream)
{
    if (!handle)
        return rt_error_report(ACL_ERROR_INVALID_PARAM, who,
                               "stream is NULL; the default stream cannot be captured");
    return rt_stream_resolve(who, handle, stream);
}

static bool is_mode(int mode)
{
    return mode >= ACL_MODEL_RI_CAPTURE_MODE_GLOBAL && mode <= ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
}

static aclError begin(const char *who, struct rt_stream *stream, aclmdlRICaptureMode mode)
{
    struct rt_graph *graph = rt_graph_new(stream->context);
    aclError status = graph ? ACL_SUCCESS : ACL_ERROR_RT_MEMORY_ALLOCATION;
    rt_capture_lock();
    if (graph && stream->capture.graph)
        status = ACL_ERROR_RT_STREAM_CAPTURED;
    else if (graph && stream->capture.updates)
        status = ACL_ERROR_STREAM_TASK_GROUP_STATUS;
    else if (graph && !enter(graph, stream))
        status = ACL_ERROR_RT_MEMORY_ALLOCATION;
    if (status == ACL_SUCCESS) {
        graph->origin = stream;
        graph->mode = mode;
        graph->thread = pthread_self();
        graph->next_captured = captures;
        captures = graph;
        atomic_fetch_add_explicit(&rt_capture_count, 1, memory_order_relaxed);
    }
    rt_capture_unlock();
    if (status == ACL_SUCCESS) return status;
    if (graph) rt_graph_destroy(graph);
    if (status == ACL_ERROR_RT_MEMORY_ALLOCATION)
        return rt_error_report(status, who, "no host memory for a graph");
    return rt_error_report(status, who, "stream %u is already being captured or updates a group",
                           stream->id);
}

aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode)
{
    struct rt_stream *queue;
    aclError status = resolve(__func__, stream, &queue);
    if (status != ACL_SUCCESS) return status;
    RT_CHECK(is_mode((int)mode), ACL_ERROR_RT_PARAM_INVALID,
             "mode is %d; it must be a value of aclmdlRICaptureMode", (int)mode);
    RT_CHECK(queue != queue->context->default_stream, ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT,
             "the default stream cannot be captured");
    RT_CHECK(!(queue->flags & NOT_CAPTURED), ACL_ERROR_RT_PARAM_INVALID,
             "stream %u was created with flags that exclude it from captures", queue->id);
    return begin(__func__, queue, mode);
}

aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus *status,
                                aclmdlRI *modelRI)
{
    struct rt_stream *queue;
    RT_CHECK(status || modelRI, ACL_ERROR_INVALID_PARAM, "status and modelRI are both NULL");
    aclError code = resolve(__func__, stream, &queue);
    if (code != ACL_SUCCESS) return code;
    rt_capture_lock();
    struct rt_graph *graph = queue->capture.graph;
    aclmdlRICaptureStatus found = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
    if (graph)
        found = is_valid(graph) ? ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE
                                : ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED;
    rt_capture_unlock();
    if (status) *status = found;
    if (modelRI) *modelRI = graph;
    return ACL_SUCCESS;
}

/* Why the capture gives no graph, in the lock. */
static aclError examine(const char *who, struct rt_graph *graph)
{
    if (graph->mode != ACL_MODEL_RI_CAPTURE_MODE_RELAXED &&
        !pthread_equal(graph->thread, pthread_self()))
        return rt_error_report(ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD, who,
                               "the capture was begun by another thread; only mode RELAXED allows "
                               "that, and the capture is given up");
    if (!is_valid(graph)) return refuse_invalid(who, graph);
    if (graph->open_group)
        return rt_error_report(ACL_ERROR_STREAM_TASK_GROUP_STATUS, who,
                               "a task group is open; aclmdlRICaptureTaskGrpEnd closes it");
    for (uint32_t i = 0; i < graph->lane_count; i++)
        if (!rt_graph_flush(graph, i)) return out_of_memory(who, graph);
    int64_t lane = rt_graph_find_unjoined(graph);
    if (lane >= 0)
        return rt_error_report(ACL_ERROR_RT_STREAM_UNJOINED, who,
                               "stream %u has joined the capture, and its last task is not waited "
                               "for by stream %u, directly or by way of others",
                               graph->lanes[lane].stream_id, graph->origin->id);
    return ACL_SUCCESS;
}

aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI *modelRI)
{
    struct rt_stream *queue;
    RT_CHECK(modelRI, ACL_ERROR_INVALID_PARAM, "modelRI is NULL");
    aclError status = resolve(__func__, stream, &queue);
    if (status != ACL_SUCCESS) return status;
    rt_capture_lock();
    struct rt_graph *graph = queue->capture.graph;
    bool is_origin = graph && graph->origin == queue;
    if (is_origin) {
        status = examine(__func__, graph);
        leave_all(graph);
    }
    rt_capture_unlock();
    RT_CHECK(graph, ACL_ERROR_RT_STREAM_NOT_CAPTURED, "stream %u is not being captured", queue->id);
    RT_CHECK(is_origin, ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED,
             "stream %u has joined the capture; the stream that began it ends it", queue->id);
    if (status == ACL_SUCCESS && !rt_graph_seal(graph))
        status = RT_ERROR(ACL_ERROR_RT_MEMORY_ALLOCATION, "no host memory for a graph");
    if (status != ACL_SUCCESS) {
        rt_graph_destroy(graph);
        return status;
    }
    atomic_store_explicit(&graph->status, RT_GRAPH_READY, memory_order_release);
    rt_check_born(RT_CHECK_GRAPH, graph, 0);
    *modelRI = graph;
    return ACL_SUCCESS;
}

aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode *mode)
{
    RT_CHECK(mode, ACL_ERROR_INVALID_PARAM, "mode is NULL");
    RT_CHECK(is_mode((int)*mode), ACL_ERROR_RT_PARAM_INVALID,
             "*mode is %d; it must be a value of aclmdlRICaptureMode", (int)*mode);
    aclmdlRICaptureMode old = (aclmdlRICaptureMode)rt_self.capture_mode;
    rt_self.capture_mode = (int)*mode;
    *mode = old;
    return ACL_SUCCESS;
}

/* --- the end of streams and contexts ------------------------------------------------------------
 */

static bool takes_part(const struct rt_graph *graph, const struct rt_context *context)
{
    for (uint32_t i = 0; i < graph->lane_count; i++)
        if (graph->lanes[i].stream->context == context) return true;
    return false;
}

static void abandon(struct rt_context *context)
{
    struct rt_graph *graph;
    do {
        rt_capture_lock();
        for (graph = captures; graph && !takes_part(graph, context);)
            graph = graph->next_captured;
        if (graph) leave_all(graph);
        rt_capture_unlock();
        if (graph) rt_graph_destroy(graph);
    } while (graph);
}

__attribute__((constructor)) static void offer_hooks(void)
{
    rt_hooks.capture = (struct rt_capture_hooks){.take = rt_capture_take,
                                                 .refuse_stream = refuse_stream,
                                                 .check_device = check_device,
                                                 .leave = rt_task_group_stop_update,
                                                 .abandon = abandon};
}
