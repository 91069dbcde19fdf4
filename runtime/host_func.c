/* SPDX-License-Identifier: Apache-2.0 */
/* Host functions: tasks that run a function of the program on a thread of host.c. Its stream is
 * parked meanwhile, so that it costs no worker.
 * Locks: none of its own. The states NONE and DONE are the runner's to see; between them the
 * job belongs to the host thread. */
#include <stddef.h>

#include "acl/acl_rt.h"
#include "runtime/callback.h"
#include "runtime/error.h"
#include "runtime/host.h"
#include "runtime/queue.h"
#include "runtime/stream.h"
#include "runtime/thread.h"

enum { WORD_FUNCTION, WORD_ARGUMENT };

enum job_state { NONE, AWAY, DONE };

static void call(const struct rt_task *task)
{
    aclrtHostFunc function = (aclrtHostFunc)task->word[WORD_FUNCTION].number;
    function(task->word[WORD_ARGUMENT].pointer);
}

static void run_away(struct rt_host_job *job)
{
    struct rt_stream *stream =
        (struct rt_stream *)((char *)job - offsetof(struct rt_stream, host_job));
    unsigned generation = rt_host_generation();
    if (rt_queue_begin(stream)) {
        rt_context_enter(stream->context);
        call(stream->parked_task);
        if (generation != rt_host_generation()) return;
        rt_context_enter(NULL);
    }
    atomic_store_explicit(&job->state, DONE, memory_order_release);
    rt_queue_return(stream);
    rt_object_release(&stream->object);
}

static bool has_returned(struct rt_task *task, struct rt_stream *stream)
{
    struct rt_host_job *job = &stream->host_job;
    uint64_t ticket = atomic_load_explicit(&stream->completed, memory_order_relaxed) + 1;
    int state = atomic_load_explicit(&job->state, memory_order_acquire);
    /* DONE may be left by a task that was discarded while it was away. */
    if (state != NONE && stream->host_ticket == ticket) return state == DONE;
    stream->host_ticket = ticket;
    struct rt_wait wait = {.awaits = RT_AWAITS_RETURN};
    rt_queue_expect(stream, &wait);
    rt_object_retain(&stream->object);
    stream->parked_task = task;
    job->run = run_away;
    atomic_store_explicit(&job->state, AWAY, memory_order_relaxed);
    if (rt_host_push(job)) return false;
    atomic_store_explicit(&job->state, NONE, memory_order_relaxed);
    wait.awaits = RT_AWAITS_PLACE;
    rt_queue_expect(stream, &wait);
    rt_object_release(&stream->object);
    return true;
}

/* NONE: there was no thread to be had. */
static void run_host_function(struct rt_task *task, struct rt_stream *stream)
{
    struct rt_host_job *job = &stream->host_job;
    if (atomic_exchange_explicit(&job->state, NONE, memory_order_relaxed) == DONE) return;
    bool was_in_callback = rt_self.in_callback;
    rt_self.in_callback = true;
    call(task);
    rt_self.in_callback = was_in_callback;
}

static const struct rt_task_kind host_function_kind = {.name = "aclrtLaunchHostFunc",
                                                       .run = run_host_function,
                                                       .rerun = run_host_function,
                                                       .ready = has_returned,
                                                       .calls_program = true};

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args)
{
    struct rt_stream *queue;
    RT_CHECK(fn, ACL_ERROR_RT_PARAM_INVALID, "fn is NULL");
    aclError status = rt_stream_resolve(__func__, stream, &queue);
    if (status != ACL_SUCCESS) return status;
    status = rt_callback_take_for_host(__func__, queue);
    if (status != ACL_SUCCESS) return status;
    struct rt_task task = {
        .kind = &host_function_kind,
        .word = {[WORD_FUNCTION].number = (uint64_t)(uintptr_t)fn, [WORD_ARGUMENT].pointer = args}};
    return rt_stream_submit(queue, &task, RT_SUBMIT_LARGE);
}
