/* SPDX-License-Identifier: Apache-2.0 */
/* Task groups. A captured task of a group stands in a slot; an update is a task of its own that
 * puts another one there, when the stream comes to it. A replay runs what the slot shows when it
 * comes to the node: the program orders the two, by an event or by one stream.
 * Locks: capture_lock (stream_capture.c) guards groups and who fills or updates them, a graph's
 * lock what its slots show. No task is dropped or submitted inside either. */
#include "runtime/capture/task_group.h"

#include <stddef.h>

#include "runtime/capture/capture_lock.h"
#include "runtime/capture/stream_capture.h"
#include "runtime/schedule/record.h"
#include "runtime/support/alloc.h"
#include "runtime/support/error.h"

enum { WORD_GRAPH, WORD_SLOT, WORD_SHARED };

/* --- slots ------------------------------------------------------------------------------------ */

static void release_shared(struct rt_shared_task *shared)
{
    if (atomic_fetch_sub_explicit(&shared->references, 1, memory_order_acq_rel) > 1) return;
    if (shared->task.kind->drop) shared->task.kind->drop(&shared->task);
    rt_free(shared);
}

static struct rt_shared_task *share(const struct rt_task *task)
{
    struct rt_shared_task *shared = rt_alloc(sizeof(*shared));
    if (!shared) return NULL;
    *shared = (struct rt_shared_task){.task = *task};
    atomic_init(&shared->references, 1);
    return shared;
}

bool rt_task_group_add(struct rt_graph *graph)
{
    struct rt_task_group *group = graph->open_group;
    struct rt_node *node = &graph->nodes[graph->node_count - 1];
    struct rt_node_slot *slot = rt_alloc_zeroed(sizeof(*slot));
    struct rt_shared_task *shared = share(&node->task);
    if (!slot || !shared) {
        rt_free(slot);
        rt_free(shared);
        return false;
    }
    slot->shown = shared;
    node->slot = slot;
    if (group->last)
        group->last->next = slot;
    else
        group->first = slot;
    group->last = slot;
    return true;
}

void rt_node_slot_run(struct rt_graph *graph, struct rt_node_slot *slot, struct rt_stream *track,
                      struct rt_stream *stream)
{
    pthread_mutex_lock(&graph->lock);
    struct rt_shared_task *shared = slot->shown;
    atomic_fetch_add_explicit(&shared->references, 1, memory_order_relaxed);
    pthread_mutex_unlock(&graph->lock);
    rt_profile_run(track, &shared->task, shared->task.kind->rerun, stream, 0, 0, 0);
    release_shared(shared);
}

/* --- replacing -------------------------------------------------------------------------------- */

static void run_replace(struct rt_task *task, struct rt_stream *stream)
{
    (void)stream;
    struct rt_graph *graph = task->word[WORD_GRAPH].pointer;
    struct rt_node_slot *slot = task->word[WORD_SLOT].pointer;
    pthread_mutex_lock(&graph->lock);
    struct rt_shared_task *old = slot->shown;
    slot->shown = task->word[WORD_SHARED].pointer;
    pthread_mutex_unlock(&graph->lock);
    release_shared(old);
    rt_object_release(&graph->object);
}

static void drop_replace(struct rt_task *task)
{
    struct rt_graph *graph = task->word[WORD_GRAPH].pointer;
    release_shared(task->word[WORD_SHARED].pointer);
    rt_object_release(&graph->object);
}

static const struct rt_task_kind replace_kind = {
    .name = "task update", .run = run_replace, .drop = drop_replace};

aclError rt_task_group_replace(struct rt_stream *stream, struct rt_graph *graph,
                               struct rt_node_slot *slot, const struct rt_task *task)
{
    uint64_t ticket;
    aclError status = ACL_ERROR_RT_MEMORY_ALLOCATION;
    struct rt_shared_task *shared = share(task);
    struct rt_task update = {.kind = &replace_kind,
                             .word = {[WORD_GRAPH].pointer = graph,
                                      [WORD_SLOT].pointer = slot,
                                      [WORD_SHARED].pointer = shared}};
    if (shared)
        status = rt_queue_submit_now(stream, &update, 0, &ticket);
    else
        rt_error_report(status, replace_kind.name, "no host memory for a task");
    if (status == ACL_SUCCESS) return status;
    rt_free(shared);
    rt_object_release(&graph->object);
    return status;
}

/* --- groups ----------------------------------------------------------------------------------- */

static void keep_group(struct rt_object *object)
{
    (void)object; /* its memory is the graph's */
}

static const struct rt_object_class group_class = {.free = keep_group};

void rt_task_group_forget_all(struct rt_graph *graph)
{
    rt_capture_lock();
    for (struct rt_task_group *group = graph->groups; group; group = group->next)
        rt_registry_remove(&group->object);
    rt_capture_unlock();
}

static void free_group(struct rt_task_group *group)
{
    for (struct rt_node_slot *slot = group ? group->first : NULL; slot;) {
        struct rt_node_slot *next = slot->next;
        release_shared(slot->shown);
        rt_free(slot);
        slot = next;
    }
    rt_free(group);
}

void rt_task_group_free_all(struct rt_graph *graph)
{
    free_group(graph->open_group);
    for (struct rt_task_group *group = graph->groups; group;) {
        struct rt_task_group *next = group->next;
        free_group(group);
        group = next;
    }
}

static aclError resolve(const char *who, aclrtStream handle, struct rt_stream **stream)
{
    if (!handle)
        return rt_error_report(ACL_ERROR_INVALID_PARAM, who,
                               "stream is NULL; it must be a stream of the program");
    return rt_stream_resolve(who, handle, stream);
}

aclError aclmdlRICaptureTaskGrpBegin(aclrtStream stream)
{
    struct rt_stream *queue;
    aclError status = resolve(__func__, stream, &queue);
    if (status != ACL_SUCCESS) return status;
    struct rt_task_group *group = rt_alloc_zeroed(sizeof(*group));
    RT_CHECK(group, ACL_ERROR_RT_MEMORY_ALLOCATION, "no host memory for a task group");
    group->stream = queue;
    rt_capture_lock();
    struct rt_graph *graph = queue->capture.graph;
    bool is_free = graph && !graph->open_group;
    if (is_free) {
        group->graph = graph;
        graph->open_group = group;
        graph->group_error = ACL_SUCCESS;
    }
    rt_capture_unlock();
    if (!is_free) rt_free(group);
    RT_CHECK(graph, ACL_ERROR_RT_STREAM_NOT_CAPTURED, "stream %u is not being captured", queue->id);
    RT_CHECK(is_free, ACL_ERROR_STREAM_TASK_GROUP_STATUS,
             "the capture of stream %u has an open task group", queue->id);
    return ACL_SUCCESS;
}

/* In the lock: takes the open group out of the graph, which keeps it, and gives its handle. */
static aclError close_group(const char *who, struct rt_graph *graph, struct rt_task_group **group)
{
    struct rt_task_group *open = graph->open_group;
    graph->open_group = NULL;
    open->stream = NULL;
    open->next = graph->groups;
    graph->groups = open;
    rt_registry_add(&open->object, RT_OBJECT_TASK_GROUP, &graph->object, &group_class);
    *group = open;
    if (graph->group_error != ACL_SUCCESS)
        return rt_error_report(graph->group_error, who,
                               "a task of the group was refused; the group holds the others");
    if (atomic_load_explicit(&graph->status, memory_order_relaxed) == RT_GRAPH_INVALIDATED)
        return rt_error_report(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, who,
                               "the capture was invalidated by an earlier error");
    return ACL_SUCCESS;
}

aclError aclmdlRICaptureTaskGrpEnd(aclrtStream stream, aclrtTaskGrp *handle)
{
    struct rt_stream *queue;
    struct rt_task_group *group = NULL;
    RT_CHECK(handle, ACL_ERROR_INVALID_PARAM, "handle is NULL");
    aclError status = resolve(__func__, stream, &queue);
    if (status != ACL_SUCCESS) return status;
    rt_capture_lock();
    struct rt_graph *graph = queue->capture.graph;
    bool is_open = graph && graph->open_group && graph->open_group->stream == queue;
    if (is_open) status = close_group(__func__, graph, &group);
    rt_capture_unlock();
    RT_CHECK(graph, ACL_ERROR_RT_STREAM_NOT_CAPTURED, "stream %u is not being captured", queue->id);
    RT_CHECK(is_open, ACL_ERROR_STREAM_TASK_GROUP_STATUS, "stream %u has begun no task group",
             queue->id);
    if (status == ACL_SUCCESS) *handle = group;
    return status;
}

/* --- updates -----------------------------------------------------------------------------------
 */

aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream stream, aclrtTaskGrp handle)
{
    struct rt_stream *queue;
    RT_CHECK(handle, ACL_ERROR_INVALID_PARAM, "handle is NULL");
    aclError status = resolve(__func__, stream, &queue);
    if (status == ACL_SUCCESS) status = rt_capture_check_stream(__func__, queue);
    if (status != ACL_SUCCESS) return status;
    rt_capture_lock();
    struct rt_task_group *group =
        (struct rt_task_group *)rt_registry_find(handle, RT_OBJECT_TASK_GROUP);
    bool is_free = group && !group->is_updated && !queue->capture.updates;
    if (is_free) {
        rt_object_retain(&group->graph->object);
        group->is_updated = true;
        queue->capture.updates = group;
        queue->capture.next_slot = group->first;
        atomic_store_explicit(&queue->is_diverted, true, memory_order_relaxed);
    }
    rt_capture_unlock();
    RT_CHECK(group, ACL_ERROR_RT_INVALID_HANDLE,
             "handle %p is not a task group, or its graph has been destroyed", handle);
    RT_CHECK(is_free, ACL_ERROR_STREAM_TASK_GROUP_STATUS,
             "the group, or one by stream %u, is being updated already", queue->id);
    return ACL_SUCCESS;
}

/* True when no task was left over. The reference to the graph is the caller's. */
static bool stop_locked(struct rt_stream *stream, struct rt_graph **graph)
{
    *graph = stream->capture.updates ? stream->capture.updates->graph : NULL;
    if (!*graph) return true;
    bool is_complete = stream->capture.next_slot == NULL;
    stream->capture.updates->is_updated = false;
    stream->capture.updates = NULL;
    stream->capture.next_slot = NULL;
    atomic_store_explicit(&stream->is_diverted, false, memory_order_relaxed);
    return is_complete;
}

void rt_task_group_stop_update(struct rt_stream *stream)
{
    struct rt_graph *graph;
    rt_capture_lock();
    stop_locked(stream, &graph);
    rt_capture_unlock();
    rt_object_release(graph ? &graph->object : NULL);
}

aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream stream)
{
    struct rt_stream *queue;
    struct rt_graph *graph;
    aclError status = resolve(__func__, stream, &queue);
    if (status == ACL_SUCCESS) status = rt_capture_check_stream(__func__, queue);
    if (status != ACL_SUCCESS) return status;
    rt_capture_lock();
    bool is_complete = stop_locked(queue, &graph);
    rt_capture_unlock();
    bool was_updating = graph != NULL;
    rt_object_release(graph ? &graph->object : NULL);
    RT_CHECK(was_updating, ACL_ERROR_STREAM_TASK_GROUP_STATUS, "stream %u updates no task group",
             queue->id);
    RT_CHECK(is_complete, ACL_ERROR_RT_INTERNAL_ERROR,
             "fewer tasks were submitted than the group has; the rest keep theirs");
    return ACL_SUCCESS;
}
