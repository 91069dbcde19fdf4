/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a graph: growing while it is captured, sealed, freed.
 * Locks: none; who grows or seals a graph holds the lock of stream_capture.c or is alone with it.
 */
#include "runtime/capture/graph.h"

#include <string.h>

#include "runtime/capture/task_group.h"
#include "runtime/schedule/handles.h"
#include "runtime/support/alloc.h"
#include "runtime/support/base.h"
#include "runtime/support/checked.h"
#include "runtime/support/error.h"

enum { FIRST_ROOM = 16 };

static void run_nothing(struct rt_task *task, struct rt_stream *stream)
{
    (void)task;
    (void)stream;
}

const struct rt_task_kind rt_nothing_kind = {
    .name = "wait", .run = run_nothing, .rerun = run_nothing};

/* --- life ------------------------------------------------------------------------------------ */

static void free_lane(struct rt_lane *lane)
{
    if (lane->queue) rt_stream_destroy(lane->queue, false);
    rt_object_release(lane->stream ? &lane->stream->object : NULL);
}

static void free_graph(struct rt_object *object)
{
    struct rt_graph *graph = (struct rt_graph *)object;
    for (uint32_t i = 0; i < graph->lane_count; i++)
        free_lane(&graph->lanes[i]);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        struct rt_task *task = &graph->nodes[i].task;
        if (!graph->nodes[i].slot && task->kind->drop) task->kind->drop(task);
    }
    rt_task_group_free_all(graph);
    pthread_mutex_destroy(&graph->lock);
    rt_free(graph->nodes);
    rt_free(graph->waits);
    rt_free(graph->lanes);
    rt_free(graph->name);
    rt_free(graph);
}

static void end_graph(struct rt_object *object)
{
    rt_graph_destroy((struct rt_graph *)object);
}

/* What the parent had queued is not the child's. */
static void reset_graph(struct rt_object *object)
{
    struct rt_graph *graph = (struct rt_graph *)object;
    pthread_mutex_init(&graph->lock, NULL);
    atomic_store_explicit(&graph->object.references, 1, memory_order_relaxed);
    graph->runner = graph->first_waiting = NULL;
    graph->runs_in = NULL;
}

static const struct rt_object_class graph_class = {
    .free = free_graph, .end = end_graph, .after_fork_child = reset_graph};

struct rt_graph *rt_graph_new(struct rt_context *context)
{
    struct rt_graph *graph = rt_alloc_zeroed(sizeof(*graph));
    if (!graph) return NULL;
    graph->context = context;
    pthread_mutex_init(&graph->lock, NULL);
    rt_registry_add(&graph->object, RT_OBJECT_GRAPH, &context->object, &graph_class);
    graph->id = (uint32_t)graph->object.serial;
    return graph;
}

void rt_graph_destroy(struct rt_graph *graph)
{
    if (!rt_registry_remove(&graph->object)) return;
    rt_check_died(RT_CHECK_GRAPH, graph);
    rt_task_group_forget_all(graph);
    rt_object_release(&graph->object);
}

aclError rt_graph_acquire(const char *who, aclmdlRI handle, struct rt_graph **graph)
{
    if (!handle) return rt_error_report(ACL_ERROR_INVALID_PARAM, who, "modelRI is NULL");
    *graph = (struct rt_graph *)rt_registry_acquire(handle, RT_OBJECT_GRAPH, 0);
    if (*graph) return ACL_SUCCESS;
    return rt_error_report(ACL_ERROR_RT_INVALID_HANDLE, who,
                           "modelRI %p is not a graph, or has been destroyed", handle);
}

/* --- growing --------------------------------------------------------------------------------- */

/* Room for one more item of an array; false without memory. */
static bool grow(void **items, size_t size, uint32_t count, uint32_t *room)
{
    size_t bytes;
    if (count < *room) return true;
    if (*room > UINT32_MAX / 2) return false;
    uint32_t larger = *room == 0 ? FIRST_ROOM : *room * 2;
    if (!rt_size_mul_ok(larger, size, &bytes)) return false;
    void *copy = rt_alloc_aligned(64, bytes);
    if (!copy) return false;
    if (count > 0) memcpy(copy, *items, count * size);
    rt_free(*items);
    *items = copy;
    *room = larger;
    return true;
}

bool rt_graph_add_lane(struct rt_graph *graph, struct rt_stream *stream, uint32_t *lane)
{
    if (!grow((void **)&graph->lanes, sizeof(*graph->lanes), graph->lane_count, &graph->lane_room))
        return false;
    *lane = graph->lane_count++;
    rt_object_retain(&stream->object);
    graph->lanes[*lane] = (struct rt_lane){.stream_id = stream->id, .stream = stream};
    return true;
}

/* A lane's pending waits lie together at the end of waits: when another lane's have come behind
 * them, they move there. */
static bool gather_pending(struct rt_graph *graph, struct rt_lane *lane)
{
    if (lane->pending_first + lane->pending_count == graph->wait_count) return true;
    uint32_t first = graph->wait_count;
    for (uint32_t i = 0; i < lane->pending_count; i++) {
        if (!grow((void **)&graph->waits, sizeof(*graph->waits), graph->wait_count,
                  &graph->wait_room))
            return false;
        graph->waits[graph->wait_count++] = graph->waits[lane->pending_first + i];
    }
    lane->pending_first = first;
    return true;
}

bool rt_graph_add_wait(struct rt_graph *graph, uint32_t lane, struct rt_node_wait wait)
{
    struct rt_lane *waiter = &graph->lanes[lane];
    if (wait.lane == lane || wait.count == 0) return true; /* the lane's own order says it */
    if (waiter->pending_count == 0) waiter->pending_first = graph->wait_count;
    if (!gather_pending(graph, waiter)) return false;
    if (!grow((void **)&graph->waits, sizeof(*graph->waits), graph->wait_count, &graph->wait_room))
        return false;
    graph->waits[graph->wait_count++] = wait;
    waiter->pending_count++;
    return true;
}

bool rt_graph_add_node(struct rt_graph *graph, uint32_t lane, const struct rt_task *task)
{
    if (!grow((void **)&graph->nodes, sizeof(*graph->nodes), graph->node_count, &graph->node_room))
        return false;
    struct rt_lane *owner = &graph->lanes[lane];
    graph->nodes[graph->node_count++] = (struct rt_node){.task = *task,
                                                         .lane = lane,
                                                         .index = owner->count++,
                                                         .first_wait = owner->pending_first,
                                                         .wait_count = owner->pending_count};
    owner->pending_count = 0;
    graph->calls_program |= task->kind->calls_program;
    return true;
}

void rt_graph_remove_last(struct rt_graph *graph)
{
    const struct rt_node *node = &graph->nodes[--graph->node_count];
    graph->lanes[node->lane].count--;
}

bool rt_graph_flush(struct rt_graph *graph, uint32_t lane)
{
    struct rt_task task = {.kind = &rt_nothing_kind};
    bool has_joined_only = lane > 0 && graph->lanes[lane].count == 0;
    if (graph->lanes[lane].pending_count == 0 && !has_joined_only) return true;
    return rt_graph_add_node(graph, lane, &task);
}

/* --- sealing --------------------------------------------------------------------------------- */

int64_t rt_graph_find_unjoined(struct rt_graph *graph)
{
    /* How many nodes of each lane have run before the end of lane 0, in done. Nodes stand in the
     * order of their submission, so a wait points backwards: one pass from the end sees all. */
    struct rt_lane *lanes = graph->lanes;
    for (uint32_t i = 0; i < graph->lane_count; i++)
        lanes[i].done = i == 0 ? lanes[0].count : 0;
    for (uint32_t i = graph->node_count; i-- > 0;) {
        const struct rt_node *node = &graph->nodes[i];
        if (node->index >= lanes[node->lane].done) continue;
        for (uint32_t w = 0; w < node->wait_count; w++) {
            const struct rt_node_wait *wait = &graph->waits[node->first_wait + w];
            if (lanes[wait->lane].done < wait->count) lanes[wait->lane].done = wait->count;
        }
    }
    for (uint32_t i = 1; i < graph->lane_count; i++)
        if (lanes[i].count == 0 || lanes[i].done < lanes[i].count) return i;
    return -1;
}

static bool follows(const struct rt_graph *graph, const struct rt_node *node,
                    const struct rt_node *before)
{
    if (node->lane == before->lane) return true;
    for (uint32_t w = 0; w < node->wait_count; w++) {
        const struct rt_node_wait *wait = &graph->waits[node->first_wait + w];
        if (wait->lane == before->lane && wait->count == before->index + 1) return true;
    }
    return false;
}

/* No two nodes could run at once. */
static bool is_chain(const struct rt_graph *graph)
{
    for (uint32_t i = 1; i < graph->node_count; i++)
        if (!follows(graph, &graph->nodes[i], &graph->nodes[i - 1])) return false;
    return true;
}

/* All nodes into lane 0, in the order of their submission; those that only wait are dropped. */
static void make_chain(struct rt_graph *graph)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        struct rt_node *node = &graph->nodes[i];
        if (node->task.kind == &rt_nothing_kind) continue;
        graph->nodes[count] = *node;
        graph->nodes[count].lane = 0;
        graph->nodes[count].index = count;
        graph->nodes[count].wait_count = 0;
        count++;
    }
    graph->node_count = count;
    for (uint32_t i = 1; i < graph->lane_count; i++)
        free_lane(&graph->lanes[i]);
    graph->lane_count = 1;
    graph->lanes[0].first = 0;
    graph->lanes[0].count = count;
}

static bool sort_by_lanes(struct rt_graph *graph)
{
    size_t bytes;
    if (!rt_size_mul_ok(graph->node_room, sizeof(*graph->nodes), &bytes)) return false;
    struct rt_node *sorted = rt_alloc_aligned(64, bytes);
    if (!sorted) return false;
    uint32_t first = 0;
    for (uint32_t i = 0; i < graph->lane_count; i++) {
        graph->lanes[i].first = first;
        first += graph->lanes[i].count;
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct rt_node *node = &graph->nodes[i];
        sorted[graph->lanes[node->lane].first + node->index] = *node;
    }
    rt_free(graph->nodes);
    graph->nodes = sorted;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct rt_node *node = &graph->nodes[i];
        for (uint32_t w = 0; w < node->wait_count; w++) {
            const struct rt_node_wait *wait = &graph->waits[node->first_wait + w];
            const struct rt_lane *lane = &graph->lanes[wait->lane];
            graph->nodes[lane->first + wait->count - 1].is_awaited = true;
        }
    }
    return true;
}

static void forget_streams(struct rt_graph *graph)
{
    for (uint32_t i = 0; i < graph->lane_count; i++) {
        rt_object_release(graph->lanes[i].stream ? &graph->lanes[i].stream->object : NULL);
        graph->lanes[i].stream = NULL;
    }
}

/* Two chunks are enough: a lane has at most one task queued behind the one that runs. */
static struct rt_stream *new_queue(struct rt_graph *graph)
{
    struct rt_stream *queue = rt_stream_new_inside(graph->context, &graph->object);
    if (!queue) return NULL;
    if (rt_queue_reserve(queue, 2)) return queue;
    rt_stream_destroy(queue, false);
    return NULL;
}

bool rt_graph_seal(struct rt_graph *graph)
{
    bool is_plain = true;
    if (graph->lane_count > 1 && is_chain(graph))
        make_chain(graph);
    else if (!sort_by_lanes(graph))
        return false;
    for (uint32_t i = 1; i < graph->lane_count; i++) {
        graph->lanes[i].queue = new_queue(graph);
        if (!graph->lanes[i].queue) return false;
    }
    for (uint32_t i = 0; i < graph->node_count; i++)
        is_plain = is_plain && !graph->nodes[i].slot && !graph->nodes[i].task.kind->ready;
    graph->is_walked = graph->lane_count == 1 && is_plain;
    forget_streams(graph);
    return true;
}
