/* SPDX-License-Identifier: Apache-2.0 */
/* A graph: captured tasks and the order between them, what an aclmdlRI points at.
 *
 * Nodes lie in lanes, one for each stream that was captured. A lane's nodes run one after the
 * other; a node may wait until so many nodes of another lane have run. While it is captured
 * (stream_capture.c) nodes stand in the order in which they were submitted; rt_graph_seal sorts
 * them by lanes, once, and from then on only replays (replay.c) and updates of task groups change
 * anything. */
#ifndef ACLNN_CPU_RUNTIME_CAPTURE_GRAPH_H
#define ACLNN_CPU_RUNTIME_CAPTURE_GRAPH_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_mdl.h"
#include "runtime/schedule/context.h"
#include "runtime/schedule/stream.h"
#include "runtime/support/registry.h"

struct rt_task_group;

/* So many nodes of a lane must have run. */
struct rt_node_wait {
    uint32_t lane;
    uint32_t count;
};

struct rt_node_slot; /* where a task stands that may be replaced; task_group.h */

struct rt_node {
    struct rt_task task;
    struct rt_node_slot *slot; /* of a node in a task group: it holds the task */
    uint32_t lane;
    uint32_t index; /* in its lane */
    uint32_t first_wait, wait_count;
    bool is_awaited; /* some wait ends with this node */
};

enum rt_lane_state {
    RT_LANE_ACTIVE,  /* its task is queued or runs */
    RT_LANE_WAITING, /* for nodes of other lanes */
    RT_LANE_DONE,
};

struct rt_lane {
    uint32_t stream_id;      /* of the stream that was captured */
    struct rt_stream *queue; /* owned; NULL for lane 0, which runs in the stream of the replay */
    uint32_t first, count;   /* of its nodes, once sealed; count alone before */

    /* The run. next belongs to who runs the lane, but others read it while the state is WAITING,
     * and lane 0 may be looked at again in that state: then it is written under the graph's lock,
     * which guards the rest. */
    uint32_t next;
    uint32_t done; /* published: others wait for it */
    enum rt_lane_state state;
    bool is_outside; /* parked on something that is not of the graph */

    /* While capturing; guarded by the lock of stream_capture.c. */
    struct rt_stream *stream;              /* retained */
    uint32_t pending_first, pending_count; /* waits that the lane's next node will have */
};

enum rt_graph_status {
    RT_GRAPH_CAPTURING,
    RT_GRAPH_INVALIDATED, /* still in capture, but in vain */
    RT_GRAPH_READY,
};

struct rt_graph {
    struct rt_object object; /* one reference for the handle, one for each queued replay */
    struct rt_context *context;
    uint32_t id;

    struct rt_node *nodes;
    uint32_t node_count, node_room;
    struct rt_node_wait *waits;
    uint32_t wait_count, wait_room;
    struct rt_lane *lanes;
    uint32_t lane_count, lane_room;
    bool calls_program; /* some node does */
    bool is_large;      /* worth waking a worker at once */
    bool is_walked;     /* one lane, no node waits for anything: a loop over the nodes */

    /* Guarded by the lock of stream_capture.c. */
    _Atomic enum rt_graph_status status;
    struct rt_graph *next_captured;
    struct rt_stream *origin;
    aclmdlRICaptureMode mode;
    pthread_t thread; /* that began the capture */
    struct rt_task_group *groups;
    struct rt_task_group *open_group;
    aclError group_error;
    char *name;

    /* Guarded by lock: the run. */
    pthread_mutex_t lock;
    struct rt_task *runner;        /* the queued replay whose turn it is; NULL: idle */
    struct rt_stream *runs_in;     /* its stream */
    struct rt_task *first_waiting; /* replays in other streams that have come up meanwhile */
    atomic_bool is_cancelled;
};

/* In the registry, in the state CAPTURING. NULL without memory. */
struct rt_graph *rt_graph_new(struct rt_context *context);

/* All four need the graph to themselves; false without memory. */
bool rt_graph_add_lane(struct rt_graph *graph, struct rt_stream *stream, uint32_t *lane);
/* The lane's next node will wait for so many nodes of another. */
bool rt_graph_add_wait(struct rt_graph *graph, uint32_t lane, struct rt_node_wait wait);
/* Takes the task over when it succeeds. */
bool rt_graph_add_node(struct rt_graph *graph, uint32_t lane, const struct rt_task *task);
/* Gives the node that was added last back to its owner. */
void rt_graph_remove_last(struct rt_graph *graph);
/* Waits that no node of the lane has taken become a node of their own, and so does a lane that has
 * none: there is something to wait for then. */
bool rt_graph_flush(struct rt_graph *graph, uint32_t lane);

/* A lane that the origin lane (0) does not wait for to its end; -1: none. To be called before
 * rt_graph_seal. */
int64_t rt_graph_find_unjoined(struct rt_graph *graph);
/* Brings the graph into the form in which it is replayed. */
bool rt_graph_seal(struct rt_graph *graph);

/* The graph behind a handle, with a reference that the caller gives back; else reports 100000 or
 * 107017. */
aclError rt_graph_acquire(const char *who, aclmdlRI handle, struct rt_graph **graph);

/* Takes the handle away; the graph dies when the last queued replay has run. A second call does
 * nothing. */
void rt_graph_destroy(struct rt_graph *graph);

/* A node that only waits. */
extern const struct rt_task_kind rt_nothing_kind;

#endif
