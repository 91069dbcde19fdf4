/* SPDX-License-Identifier: Apache-2.0 */
/* Host functions and stream tasks: both run code of others on a thread of host.c. Their stream is
 * parked meanwhile, so that it costs no worker.
 * Locks: none of its own. From rt_host_push until rt_queue_return the job belongs to the host
 * thread, else to who runs the stream: that the function has returned is read from what the stream
 * awaits, so that a return cannot be seen before all of it is done. */
#include <stddef.h>
#include <time.h>

#include "acl/acl_rt.h"
#include "aclnnext/aclnnext_extend.h"
#include "runtime/callback/callback.h"
#include "runtime/schedule/host.h"
#include "runtime/schedule/queue.h"
#include "runtime/schedule/record.h"
#include "runtime/schedule/stream.h"
#include "runtime/support/alloc.h"
#include "runtime/support/checked.h"
#include "runtime/support/error.h"
#include "runtime/support/float_env.h"
#include "runtime/support/point.h"
#include "runtime/support/thread.h"

enum { WORD_FUNCTION, WORD_ARGUMENT };
enum { WORD_STREAM_TASK = WORD_ARGUMENT }; /* then WORD_FUNCTION is 0 */

enum { AWAY = 1, DONE }; /* the task's note, or 0 */

enum { NAP_NS = 100000 };

/* A stream task, and what came of its last run. In a graph the stream that runs a task is not the
 * one that takes its error, so that is left here until both are known. */
struct extension {
    aclnnextStreamTask task;
    int64_t begin; /* of rt_ticks; 0: nothing is recorded */
    aclError status;
    char text[160];
};

static void call(const struct rt_task *task)
{
    if (task->word[WORD_FUNCTION].number != 0) {
        aclrtHostFunc function = (aclrtHostFunc)task->word[WORD_FUNCTION].number;
        if (rt_check_on())
            rt_check_hooks.function_begins(task->word[WORD_FUNCTION].number,
                                           task->word[WORD_ARGUMENT].pointer);
        function(task->word[WORD_ARGUMENT].pointer);
        if (rt_check_on()) rt_check_hooks.function_ends();
        return;
    }
    struct extension *extension = task->word[WORD_STREAM_TASK].pointer;
    extension->begin = rt_profile_begin();
    extension->text[0] = '\0';
    extension->status =
        extension->task.run(extension->task.data, extension->text, sizeof(extension->text));
}

/* A function on its way. It may end its thread instead of returning: then come_back runs as the
 * stack is unwound. */
struct away {
    struct rt_stream *stream;
    unsigned generation; /* another one in the child of a fork */
    bool begins;
    bool has_returned;
};

static void come_back(struct away *away)
{
    struct rt_stream *stream = away->stream;
    if (away->generation != rt_host_generation()) return;
    if (!away->has_returned)
        rt_stream_fail(stream, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                       "a host function did not return: it ended its thread");
    if (away->begins) rt_context_enter(NULL);
    RT_POINT("host function has run");
    if (away->has_returned) {
        rt_self.in_callback = false;
        rt_queue_return_and_go_on(stream);
        rt_self.in_callback = true;
    } else {
        rt_queue_return(stream);
    }
    rt_object_release(&stream->object);
}

static void run_away(struct rt_host_job *job)
{
    struct rt_stream *stream =
        (struct rt_stream *)(void *)((char *)job - offsetof(struct rt_stream, host_job));
    __attribute__((cleanup(come_back))) struct away away = {.stream = stream,
                                                            .generation = rt_host_generation()};
    RT_POINT("host function is taken");
    away.begins = rt_queue_begin(stream);
    if (away.begins) {
        rt_context_enter(stream->context);
        call(stream->waits_at.task);
    }
    away.has_returned = true;
}

static bool has_returned(struct rt_task *task, struct rt_stream *stream)
{
    struct rt_host_job *job = &stream->host_job;
    uint64_t *note = &task->word[RT_TASK_NOTE].number;
    if (*note != 0) {
        if (rt_queue_has_returned(stream)) *note = DONE;
        return *note == DONE;
    }
    struct rt_wait wait = {.awaits = RT_AWAITS_RETURN};
    rt_queue_expect(stream, &wait);
    rt_object_retain(&stream->object);
    stream->waits_at.task = task;
    job->run = run_away;
    *note = AWAY;
    bool is_pushed = rt_host_push(job);
    RT_POINT("host function is pushed");
    if (is_pushed) return false;
    *note = 0; /* there is no thread to be had */
    wait.awaits = RT_AWAITS_PLACE;
    rt_queue_expect(stream, &wait);
    rt_object_release(&stream->object);
    return true;
}

static void run_host_function(struct rt_task *task, struct rt_stream *stream)
{
    (void)stream;
    if (task->word[RT_TASK_NOTE].number == DONE) return;
    bool was_in_callback = rt_self.in_callback;
    rt_self.in_callback = true;
    call(task);
    rt_float_begin(); /* tasks that follow do not compute in what it has left */
    rt_self.in_callback = was_in_callback;
}

/* The stream was about to park and so could still be asked to give up: a moment's difference. */
static void await_return(struct rt_task *task, struct rt_stream *stream)
{
    const struct timespec nap = {.tv_nsec = NAP_NS};
    (void)task;
    while (!rt_queue_has_returned(stream))
        nanosleep(&nap, NULL);
}

static const struct rt_task_kind host_function_kind = {.name = "aclrtLaunchHostFunc",
                                                       .run = run_host_function,
                                                       .rerun = run_host_function,
                                                       .ready = has_returned,
                                                       .leave = await_return,
                                                       .calls_program = true,
                                                       .is_quick = true};

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
    if (rt_check_on()) rt_check_hooks.function(queue, (uintptr_t)fn, args);
    return rt_stream_submit(queue, &task, RT_SUBMIT_LARGE);
}

/* --- stream tasks ---------------------------------------------------------------------------- */

static void end_stream_task(struct rt_task *task)
{
    struct extension *extension = task->word[WORD_STREAM_TASK].pointer;
    if (extension->task.release) extension->task.release(extension->task.data);
    rt_free(extension);
}

static void rerun_stream_task(struct rt_task *task, struct rt_stream *stream)
{
    struct extension *extension = task->word[WORD_STREAM_TASK].pointer;
    run_host_function(task, stream);
    rt_profile_operator_since(extension->task.name, extension->task.bytes, extension->begin);
    if (extension->status != ACL_SUCCESS)
        rt_stream_fail(stream, extension->status, "%s: %s", extension->task.name, extension->text);
}

static void run_stream_task(struct rt_task *task, struct rt_stream *stream)
{
    rerun_stream_task(task, stream);
    end_stream_task(task);
}

static const char *stream_task_name(const struct rt_task *task)
{
    const struct extension *extension = task->word[WORD_STREAM_TASK].pointer;
    return extension->task.name;
}

static const struct rt_task_kind stream_task_kind = {.name = "stream task",
                                                     .run = run_stream_task,
                                                     .drop = end_stream_task,
                                                     .rerun = rerun_stream_task,
                                                     .ready = has_returned,
                                                     .leave = await_return,
                                                     .calls_program = true,
                                                     .is_quick = true,
                                                     .name_of = stream_task_name};

aclError aclnnextLaunchStreamTask(aclrtStream stream, const aclnnextStreamTask *task)
{
    struct rt_stream *queue;
    RT_CHECK(task, ACL_ERROR_INVALID_PARAM, "task is NULL");
    RT_CHECK(task->name && task->run, ACL_ERROR_INVALID_PARAM, "the task's name or run is NULL");
    aclError status = rt_stream_resolve(__func__, stream, &queue);
    if (status != ACL_SUCCESS) return status;
    struct extension *extension = rt_alloc_zeroed(sizeof(*extension));
    RT_CHECK(extension, ACL_ERROR_RT_MEMORY_ALLOCATION, "no host memory for a stream task");
    extension->task = *task;
    struct rt_task queued = {.kind = &stream_task_kind,
                             .word[WORD_STREAM_TASK].pointer = extension};
    status = rt_stream_submit(queue, &queued, RT_SUBMIT_LARGE);
    if (status != ACL_SUCCESS) rt_free(extension);
    return status;
}

void aclnnextTellAccesses(aclrtStream stream, const char *name, const aclnnextAccess *accesses,
                          size_t count)
{
    enum { FEW = 16 };
    struct rt_check_access few[FEW];
    struct rt_stream *queue;
    if (!rt_check_on() || rt_stream_resolve(__func__, stream, &queue) != ACL_SUCCESS) return;
    while (count > 0) {
        size_t told = 0;
        for (; told < count && told < FEW; told++)
            few[told] =
                (struct rt_check_access){.address = accesses[told].address,
                                         .width = accesses[told].bytes,
                                         .rows = 1,
                                         .role = accesses[told].writes ? "target" : "source",
                                         .argument = -1,
                                         .reads = !accesses[told].writes,
                                         .writes = accesses[told].writes != 0,
                                         .needs_device = true};
        rt_check_hooks.access(queue, name, few, told);
        accesses += told;
        count -= told;
    }
}

int32_t aclnnextReportError(int32_t code, const char *who, const char *text)
{
    return rt_error_report(code, who ? who : __func__, "%s", text ? text : "");
}
