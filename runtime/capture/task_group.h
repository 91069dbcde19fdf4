/* SPDX-License-Identifier: Apache-2.0 */
/* Task groups: captured operators that may be replaced between replays. */
#ifndef ACLNN_CPU_RUNTIME_CAPTURE_TASK_GROUP_H
#define ACLNN_CPU_RUNTIME_CAPTURE_TASK_GROUP_H

#include <stdbool.h>

#include "runtime/capture/graph.h"

/* A task, shared by the slot that shows it and the replay that runs it. */
struct rt_shared_task {
    _Atomic int references;
    struct rt_task task;
};

struct rt_node_slot {
    struct rt_node_slot *next;    /* in its group */
    struct rt_shared_task *shown; /* guarded by the graph's lock */
};

struct rt_task_group {
    struct rt_object object;
    struct rt_graph *graph;
    struct rt_task_group *next; /* of the same graph */
    struct rt_stream *stream;   /* while it is open: the one that fills it */
    struct rt_node_slot *first, *last;
    bool is_updated; /* some stream replaces its tasks now */
};

/* In the lock of stream_capture.c. Moves the task of the graph's last node into the open group.
 * False without memory: the node keeps it. */
bool rt_task_group_add(struct rt_graph *graph);

/* Queues in the stream that the slot shall show another task, which it takes over when it succeeds.
 * A reference to the graph it takes over in any case. */
aclError rt_task_group_replace(struct rt_stream *stream, struct rt_graph *graph,
                               struct rt_node_slot *slot, const struct rt_task *task);

/* Ends what the stream replaces. */
void rt_task_group_stop_update(struct rt_stream *stream);

/* The handles die, with the graph's; then the groups, with the graph. */
void rt_task_group_forget_all(struct rt_graph *graph);
void rt_task_group_free_all(struct rt_graph *graph);

/* Runs the task that the slot shows, in a replay in `stream` whose lane is `track`. */
void rt_node_slot_run(struct rt_graph *graph, struct rt_node_slot *slot, struct rt_stream *track,
                      struct rt_stream *stream);

#endif
