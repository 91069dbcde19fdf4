/* SPDX-License-Identifier: Apache-2.0 */
/* Replaying a graph. A replay is one task of the stream it was submitted to. A graph whose nodes
 * stand in a row is walked when the task runs. Otherwise the stream runs lane 0, and each other
 * lane is a queue of its own that gets a task when the lane's next node can run; a lane that comes
 * to a node which must wait ends its task, lane 0 parks its stream. All this happens while the
 * queue asks whether the replay is ready, which it is when lane 0 is at its end.
 *
 * Replays of one graph run one after the other, in the order in which they come up: their tasks
 * share addresses. One that comes up meanwhile in another stream parks that.
 *
 * Locks: a graph's lock guards the run (graph.h). Inside it streams are parked, set going and given
 * tasks, so a stream's lock may be taken, and the registry's when a run is aborted. */
#include <inttypes.h>
#include <stddef.h>

#include "acl/acl_rt.h"
#include "runtime/capture/graph.h"
#include "runtime/capture/stream_capture.h"
#include "runtime/capture/task_group.h"
#include "runtime/schedule/claim.h"
#include "runtime/schedule/handles.h"
#include "runtime/schedule/record.h"
#include "runtime/support/checked.h"
#include "runtime/support/error.h"
#include "runtime/support/futex.h"
#include "runtime/support/point.h"
#include "runtime/support/thread.h"

enum { WORD_GRAPH, WORD_STAGE, WORD_STREAM, WORD_NEXT };

/* Of a queued replay. */
enum stage {
    STAGE_NEW,     /* its stream has not come to it */
    STAGE_WAITING, /* for another replay of the graph */
    STAGE_RUNNING,
};

enum { LANE_GRAPH, LANE_INDEX };

static const struct rt_task_kind lane_kind;

static bool is_cancelled(struct rt_graph *graph)
{
    return atomic_load_explicit(&graph->is_cancelled, memory_order_relaxed);
}

/* --- lanes; what says "locked" needs the graph's lock ------------------------------------------
 */

static struct rt_node *next_node(const struct rt_graph *graph, const struct rt_lane *lane)
{
    return &graph->nodes[lane->first + lane->next];
}

static bool can_go_on_locked(struct rt_graph *graph, const struct rt_lane *lane)
{
    if (lane->next == lane->count || is_cancelled(graph)) return true;
    const struct rt_node *node = next_node(graph, lane);
    for (uint32_t i = 0; i < node->wait_count; i++) {
        const struct rt_node_wait *wait = &graph->waits[node->first_wait + i];
        if (graph->lanes[wait->lane].done < wait->count) return false;
    }
    return true;
}

/* The queue has room for the task: it was reserved. */
static void set_going_locked(struct rt_graph *graph, uint32_t index)
{
    struct rt_lane *lane = &graph->lanes[index];
    lane->state = RT_LANE_ACTIVE;
    if (index == 0) {
        rt_queue_unpark(graph->runs_in);
        return;
    }
    uint64_t ticket;
    struct rt_task task = {.kind = &lane_kind,
                           .word = {[LANE_GRAPH].pointer = graph, [LANE_INDEX].number = index}};
    rt_queue_submit_now(lane->queue, &task, RT_SUBMIT_LARGE, &ticket);
}

static void look_round_locked(struct rt_graph *graph)
{
    for (uint32_t i = 0; i < graph->lane_count; i++) {
        struct rt_lane *lane = &graph->lanes[i];
        if (lane->state == RT_LANE_WAITING && can_go_on_locked(graph, lane))
            set_going_locked(graph, i);
    }
}

/* After this a lane that is at its end is no longer the caller's: the run may be over. */
static void publish(struct rt_graph *graph, struct rt_lane *lane, uint32_t next)
{
    RT_POINT("before a lane publishes");
    pthread_mutex_lock(&graph->lock);
    lane->next = lane->done = next;
    if (lane->next == lane->count) lane->state = RT_LANE_DONE;
    look_round_locked(graph);
    pthread_mutex_unlock(&graph->lock);
}

/* What lane 0's stream waits for as far as others are told: a lane that waits for something
 * outside, if there is one, since only that may never come, else one that runs. */
static void tell_dependency_locked(struct rt_graph *graph)
{
    const struct rt_lane *told = NULL;
    for (uint32_t i = 1; i < graph->lane_count; i++) {
        const struct rt_lane *lane = &graph->lanes[i];
        if (lane->state == RT_LANE_ACTIVE && (!told || lane->is_outside)) told = lane;
    }
    struct rt_wait wait = {.awaits = RT_AWAITS_PLACE};
    if (told)
        wait.place = (struct rt_dependency){.stream = told->queue,
                                            .serial = told->queue->object.serial,
                                            .ticket = rt_queue_submitted(told->queue)};
    rt_queue_expect(graph->runs_in, &wait);
}

/* True: the lane waits, and is set going by whoever runs the last node it waits for. */
static bool begins_to_wait(struct rt_graph *graph, struct rt_lane *lane)
{
    pthread_mutex_lock(&graph->lock);
    bool waits = !can_go_on_locked(graph, lane);
    lane->state = waits ? RT_LANE_WAITING : RT_LANE_ACTIVE;
    pthread_mutex_unlock(&graph->lock);
    if (waits) RT_POINT("lane waits inside");
    return waits;
}

enum step { AT_END, WAITS_INSIDE, WAITS_OUTSIDE };

static void set_outside(struct rt_graph *graph, struct rt_lane *lane, bool is_outside)
{
    if (lane->is_outside == is_outside) return;
    pthread_mutex_lock(&graph->lock);
    lane->is_outside = is_outside;
    if (is_outside && graph->lanes[0].state == RT_LANE_WAITING) tell_dependency_locked(graph);
    pthread_mutex_unlock(&graph->lock);
}

/* The rest of a cancelled run's lane is skipped. */
static enum step give_up(struct rt_graph *graph, struct rt_lane *lane, struct rt_stream *queue)
{
    RT_POINT("before a lane gives up");
    if (lane->is_outside) {
        struct rt_node *node = next_node(graph, lane);
        node->task.kind->leave(&node->task, queue);
        set_outside(graph, lane, false);
    }
    publish(graph, lane, lane->count);
    return AT_END;
}

/* queue: the stream that runs the lane and that a node's own wait parks. */
static enum step run_lane(struct rt_graph *graph, struct rt_lane *lane, struct rt_stream *queue)
{
    uint32_t count = lane->count;
    int64_t now = 0; /* when the node before ended, if this one follows at once */
    for (uint32_t at = lane->next; at < count; at++) {
        struct rt_node *node = next_node(graph, lane);
        struct rt_task *task = &node->task;
        if (is_cancelled(graph)) return give_up(graph, lane, queue);
        if (node->wait_count > 0 && !lane->is_outside && begins_to_wait(graph, lane))
            return WAITS_INSIDE;
        if (task->kind->ready && !node->slot) {
            if (!lane->is_outside) task->word[RT_TASK_NOTE].number = 0;
            RT_POINT("before a lane asks outside");
            bool ready = task->kind->ready(task, queue);
            RT_POINT("lane has asked outside");
            set_outside(graph, lane, !ready);
            RT_POINT("lane is set outside");
            /* A run that was cancelled before it saw the lane outside has not set it going. */
            if (!ready && is_cancelled(graph)) rt_queue_unpark_early(queue);
            if (!ready) return WAITS_OUTSIDE;
        }
        if (node->wait_count > 0 || task->kind->ready) now = 0;
        if (node->slot) {
            rt_node_slot_run(graph, node->slot, queue, graph->runs_in);
            now = 0;
        } else {
            now = rt_profile_run(queue, task, task->kind->rerun, graph->runs_in, 0, 0, now);
        }
        bool is_awaited = node->is_awaited;
        if (is_awaited) {
            publish(graph, lane, at + 1);
            now = 0;
        } else {
            lane->next = at + 1;
        }
    }
    return AT_END;
}

static struct rt_lane *lane_of(const struct rt_task *task)
{
    const struct rt_graph *graph = task->word[LANE_GRAPH].pointer;
    return &graph->lanes[task->word[LANE_INDEX].number];
}

static bool lane_goes_on(struct rt_task *task, struct rt_stream *queue)
{
    return run_lane(task->word[LANE_GRAPH].pointer, lane_of(task), queue) != WAITS_OUTSIDE;
}

static void end_lane_task(struct rt_task *task, struct rt_stream *queue)
{
    (void)task; /* the lane may be in its next task, or its next run */
    (void)queue;
}

static const struct rt_task_kind lane_kind = {
    .name = "graph", .run = end_lane_task, .ready = lane_goes_on};

/* --- lane 0 ------------------------------------------------------------------------------------
 */

/* Runs some lane that nobody runs. */
static bool help_a_lane(struct rt_graph *graph)
{
    for (uint32_t i = 1; i < graph->lane_count; i++) {
        struct rt_stream *queue = graph->lanes[i].queue;
        if (!rt_has_tasks(queue) || !rt_claim(queue)) continue;
        rt_run_claimed(queue, rt_queue_submitted(queue), RT_RUNNER_WAITS);
        return true;
    }
    return false;
}

/* False: lane 0 was set going meanwhile. */
static bool parks(struct rt_graph *graph)
{
    RT_POINT("before lane 0 parks");
    pthread_mutex_lock(&graph->lock);
    bool waits = graph->lanes[0].state == RT_LANE_WAITING;
    if (waits) tell_dependency_locked(graph);
    pthread_mutex_unlock(&graph->lock);
    return waits;
}

/* A cancelled run ends when every lane has ended what it was at. */
static void await_lanes(struct rt_graph *graph)
{
    RT_POINT("before lanes are awaited");
    for (uint32_t i = 1; i < graph->lane_count; i++) {
        struct rt_stream *queue = graph->lanes[i].queue;
        rt_queue_await(queue, rt_queue_submitted(queue));
    }
}

/* Whether the replay is at its end. */
static bool run_lanes(struct rt_graph *graph, struct rt_stream *stream)
{
    for (;;) {
        switch (run_lane(graph, &graph->lanes[0], stream)) {
        case AT_END:
            if (is_cancelled(graph)) await_lanes(graph);
            return true;
        case WAITS_OUTSIDE:
            return false;
        case WAITS_INSIDE:
            if (!help_a_lane(graph) && parks(graph)) return false;
        }
    }
}

static void walk(struct rt_graph *graph, struct rt_stream *stream)
{
    struct rt_node *end = graph->nodes + graph->node_count;
    int64_t now = 0;
    for (struct rt_node *node = graph->nodes; node < end && !is_cancelled(graph); node++)
        now = rt_profile_run(stream, &node->task, node->task.kind->rerun, stream, 0, 0, now);
}

/* --- whose turn it is --------------------------------------------------------------------------
 */

static void start_locked(struct rt_graph *graph, struct rt_task *task, struct rt_stream *stream)
{
    task->word[WORD_STAGE].number = STAGE_RUNNING;
    graph->runner = task;
    graph->runs_in = stream;
    atomic_store_explicit(&graph->is_cancelled, false, memory_order_relaxed);
    for (uint32_t i = 0; i < graph->lane_count; i++) {
        struct rt_lane *lane = &graph->lanes[i];
        lane->next = lane->done = 0;
        lane->state = i == 0 ? RT_LANE_ACTIVE : RT_LANE_WAITING;
        lane->is_outside = false;
    }
    look_round_locked(graph);
}

/* What a stream whose replay waits for its turn is parked for: the replay that has the turn. */
static void expect_runner_locked(const struct rt_graph *graph, struct rt_stream *stream)
{
    const struct rt_stream *other = graph->runs_in;
    uint64_t ticket = atomic_load_explicit(&other->completed, memory_order_relaxed) + 1;
    struct rt_wait wait = {
        .awaits = RT_AWAITS_PLACE,
        .place = {.stream = other, .serial = other->object.serial, .ticket = ticket}};
    rt_queue_expect(stream, &wait);
}

static void line_up_locked(struct rt_graph *graph, struct rt_task *task, struct rt_stream *stream)
{
    struct rt_task *last = graph->first_waiting;
    while (last && last->word[WORD_NEXT].pointer)
        last = last->word[WORD_NEXT].pointer;
    if (last)
        last->word[WORD_NEXT].pointer = task;
    else
        graph->first_waiting = task;
    task->word[WORD_STAGE].number = STAGE_WAITING;
    task->word[WORD_STREAM].pointer = stream;
    task->word[WORD_NEXT].pointer = NULL;
    expect_runner_locked(graph, stream);
}

/* True: it is the replay's turn. */
static bool take_turn(struct rt_graph *graph, struct rt_task *task, struct rt_stream *stream)
{
    if (task->word[WORD_STAGE].number == STAGE_RUNNING) return true;
    RT_POINT("before a replay's turn");
    pthread_mutex_lock(&graph->lock);
    if (!graph->runner || graph->runner == task)
        start_locked(graph, task, stream);
    else if (task->word[WORD_STAGE].number == STAGE_NEW)
        line_up_locked(graph, task, stream);
    bool is_its_turn = graph->runner == task;
    pthread_mutex_unlock(&graph->lock);
    return is_its_turn;
}

/* The next one that waits gets the turn, so that no other can come before it; those behind it wait
 * for it from now on, not for a replay that is over: whoever ends a context follows what streams
 * wait for. */
static void pass_turn_locked(struct rt_graph *graph)
{
    struct rt_task *next = graph->first_waiting;
    graph->runner = next;
    graph->runs_in = next ? next->word[WORD_STREAM].pointer : NULL;
    if (!next) return;
    graph->first_waiting = next->word[WORD_NEXT].pointer;
    for (struct rt_task *task = graph->first_waiting; task; task = task->word[WORD_NEXT].pointer)
        expect_runner_locked(graph, task->word[WORD_STREAM].pointer);
    rt_queue_unpark(graph->runs_in);
}

static void leave_line_locked(struct rt_graph *graph, struct rt_task *task)
{
    struct rt_task *before = graph->first_waiting;
    if (before == task) {
        graph->first_waiting = task->word[WORD_NEXT].pointer;
        return;
    }
    while (before && before->word[WORD_NEXT].pointer != task)
        before = before->word[WORD_NEXT].pointer;
    if (before) before->word[WORD_NEXT].pointer = task->word[WORD_NEXT].pointer;
}

static void end_run(struct rt_graph *graph)
{
    RT_POINT("before a replay ends");
    pthread_mutex_lock(&graph->lock);
    pass_turn_locked(graph);
    pthread_mutex_unlock(&graph->lock);
    rt_object_release(&graph->object);
}

/* --- the task ----------------------------------------------------------------------------------
 */

static bool replay_is_ready(struct rt_task *task, struct rt_stream *stream)
{
    struct rt_graph *graph = task->word[WORD_GRAPH].pointer;
    if (!take_turn(graph, task, stream)) return false;
    return graph->is_walked || run_lanes(graph, stream);
}

static void run_replay(struct rt_task *task, struct rt_stream *stream)
{
    struct rt_graph *graph = task->word[WORD_GRAPH].pointer;
    if (graph->is_walked) walk(graph, stream);
    end_run(graph);
}

/* All lanes go on, and skip what is left of them. */
static void cancel_locked(struct rt_graph *graph)
{
    atomic_store_explicit(&graph->is_cancelled, true, memory_order_relaxed);
    RT_POINT("cancelled");
    look_round_locked(graph);
    for (uint32_t i = 0; i < graph->lane_count; i++)
        if (graph->lanes[i].is_outside)
            rt_queue_unpark_early(i == 0 ? graph->runs_in : graph->lanes[i].queue);
}

/* Its stream is being emptied; a run that has begun ends with what its lanes are at. */
static void drop_replay(struct rt_task *task)
{
    struct rt_graph *graph = task->word[WORD_GRAPH].pointer;
    pthread_mutex_lock(&graph->lock);
    bool has_begun = task->word[WORD_STAGE].number == STAGE_RUNNING;
    bool has_turn = graph->runner == task;
    if (has_begun) cancel_locked(graph);
    if (!has_turn) leave_line_locked(graph, task);
    struct rt_stream *stream = graph->runs_in;
    pthread_mutex_unlock(&graph->lock);
    RT_POINT("replay is dropped");
    if (has_begun && !graph->is_walked) {
        run_lane(graph, &graph->lanes[0], stream);
        await_lanes(graph);
    }
    if (has_turn)
        end_run(graph);
    else
        rt_object_release(&graph->object);
}

static const struct rt_task_kind replay_kind = {
    .name = "graph", .run = run_replay, .drop = drop_replay, .ready = replay_is_ready};
static const struct rt_task_kind program_kind = {.name = "graph",
                                                 .run = run_replay,
                                                 .drop = drop_replay,
                                                 .ready = replay_is_ready,
                                                 .calls_program = true};

static aclError submit(const char *who, struct rt_graph *graph, struct rt_stream *stream,
                       uint64_t *ticket)
{
    if (atomic_load_explicit(&graph->status, memory_order_acquire) != RT_GRAPH_READY)
        return rt_error_report(ACL_ERROR_RT_MODEL_CAPTURED, who,
                               "graph %" PRIu32 " is still being captured", graph->id);
    if (graph->context != stream->context)
        return rt_error_report(ACL_ERROR_RT_MODEL_CONTEXT, who,
                               "graph %" PRIu32 " belongs to another context than the stream",
                               graph->id);
    aclError status = rt_capture_check_stream(who, stream);
    if (status != ACL_SUCCESS) return status;
    struct rt_task task = {.kind = graph->calls_program ? &program_kind : &replay_kind,
                           .word = {[WORD_GRAPH].pointer = graph}};
    if (rt_check_on()) rt_check_hooks.replay(stream, graph);
    return rt_queue_submit(stream, &task, graph->is_large ? RT_SUBMIT_LARGE : 0, ticket);
}

/* A reference for the task; the ticket to wait for. */
static aclError execute(const char *who, aclmdlRI handle, aclrtStream stream_handle,
                        struct rt_stream **stream, uint64_t *ticket)
{
    struct rt_graph *graph;
    aclError status = rt_graph_acquire(who, handle, &graph);
    if (status != ACL_SUCCESS) return status;
    status = rt_stream_resolve(who, stream_handle, stream);
    if (status == ACL_SUCCESS) status = submit(who, graph, *stream, ticket);
    if (status != ACL_SUCCESS) rt_object_release(&graph->object);
    return status;
}

aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream)
{
    struct rt_stream *queue;
    uint64_t ticket;
    aclError status = execute(__func__, modelRI, stream, &queue, &ticket);
    if (__builtin_expect(status == ACL_SUCCESS && queue->is_blocking, 0) && !rt_is_inside_task() &&
        !rt_callback_is_mine(queue))
        rt_queue_await(queue, ticket);
    return status;
}

aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout)
{
    struct rt_stream *queue;
    uint64_t ticket;
    RT_CHECK(timeout == -1 || timeout > 0, ACL_ERROR_RT_PARAM_INVALID,
             "timeout is %" PRId32 "; it must be -1 or milliseconds greater than 0", timeout);
    int64_t deadline = rt_now_ns() + (int64_t)timeout * 1000000;
    aclError status = rt_stream_resolve(__func__, NULL, &queue);
    if (status == ACL_SUCCESS) status = rt_stream_check_wait(__func__, queue);
    if (status == ACL_SUCCESS) status = execute(__func__, modelRI, NULL, &queue, &ticket);
    if (status != ACL_SUCCESS) return status;
    if (timeout == -1)
        rt_queue_await(queue, ticket);
    else
        RT_CHECK(rt_queue_await_until(queue, ticket, deadline), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
                 "the graph has not run within %" PRId32 " ms; it goes on", timeout);
    rt_check_joined(queue);
    return rt_stream_take_error(__func__, queue);
}

aclError aclmdlRIAbort(aclmdlRI modelRI)
{
    struct rt_graph *graph;
    aclError status = rt_graph_acquire(__func__, modelRI, &graph);
    if (status != ACL_SUCCESS) return status;
    pthread_mutex_lock(&graph->lock);
    struct rt_task *runner = graph->runner;
    if (runner && runner->word[WORD_STAGE].number == STAGE_RUNNING && !is_cancelled(graph)) {
        rt_stream_fail(graph->runs_in, ACL_ERROR_RT_MODEL_ABORT_NORMAL,
                       "aclmdlRIAbort has ended a replay of graph %" PRIu32, graph->id);
        cancel_locked(graph);
    }
    pthread_mutex_unlock(&graph->lock);
    rt_object_release(&graph->object);
    return ACL_SUCCESS;
}
