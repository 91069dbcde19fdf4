/* SPDX-License-Identifier: Apache-2.0 */
/* A launch is one flight of a plan: the plan, a workspace, and the operands' addresses as they
 * stood at phase 2. Up to five addresses travel inside the stream's task; more go into a block,
 * which also has room for the addresses of a step with many buffers. */
#include "executor/launch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "aclnn/opdev/op_errno.h"
#include "executor/accesses.h"
#include "executor/device_rules.h"
#include "executor/executor.h"
#include "runtime/profile/profile.h"
#include "runtime/schedule/pool.h"
#include "runtime/schedule/stream.h"
#include "runtime/support/alloc.h"
#include "runtime/support/asan.h"
#include "runtime/support/base.h"
#include "runtime/support/checked.h"
#include "runtime/support/error.h"
#include "runtime/support/log.h"

enum {
    WORD_EXECUTOR,
    WORD_WORKSPACE,
    WORD_ADDRESSES,
    ADDRESSES_INLINE = RT_LENGTH(((struct rt_task *)0)->word) - WORD_ADDRESSES,
    WORKSPACE_ALIGNMENT = 32,
    /* Below this many bytes a plan runs in about the time it takes to wake a thread. */
    LARGE_BYTES = 128 * 1024,
};

struct step_run {
    const struct ex_step *step;
    const void *parameters;
    void **buffers; /* behind them the record of faults */
    void *few[EX_FEW_STEP_BUFFERS + 1];
};

static void run_slice(void *context, int64_t begin, int64_t end)
{
    const struct step_run *run = context;
    run->step->kernel(run->parameters, run->buffers, (struct k_slice){.begin = begin, .end = end});
}

static char *address_of(const struct ex_buffer *buffer, void *const *addresses, char *workspace)
{
    char *base = buffer->operand < 0 ? workspace : addresses[buffer->operand];
    return base + buffer->offset;
}

/* Debug builds: scratch begins as NaN in every float type, what lies between pieces is out of
 * bounds. */
static void prepare_scratch(const struct ex_plan *plan, char *workspace, int step)
{
    if (EX_SCRATCH_GAP == 0) return;
    for (int i = 0; i < plan->buffer_count; i++) {
        const struct ex_buffer *buffer = &plan->buffers[i];
        if (buffer->operand >= 0 || buffer->first != step || buffer->size == 0) continue;
        RT_UNPOISON(workspace + buffer->offset, buffer->size);
        memset(workspace + buffer->offset, 0xFF, buffer->size);
    }
}

static void run_step(const struct ex_plan *plan, struct step_run *run, struct k_fault *fault,
                     struct rt_stream *stream)
{
    const struct ex_step *step = run->step;
    if (step->describe) run->buffers[step->buffer_count] = fault;
    rt_parallel_for(rt_pool_default(), run_slice, run, step->work.items, step->work.grain);
    int64_t position = atomic_load_explicit(&fault->position, memory_order_relaxed);
    if (position == INT64_MAX) return;
    atomic_store_explicit(&fault->position, INT64_MAX, memory_order_relaxed);
    char text[128];
    step->describe(run->parameters, run->buffers, position, text, sizeof text);
    rt_stream_fail(stream, ACL_ERROR_RT_AICORE_EXCEPTION, "%s: %s", plan->operator_name, text);
}

/* addresses: the operands', and behind them room for those of the widest step. */
static void run_plan(const struct ex_plan *plan, void **addresses, char *workspace,
                     struct rt_stream *stream)
{
    struct k_fault fault = {.position = INT64_MAX};
    int64_t begin = rt_profile_operator(plan->operator_name, plan->operand_bytes, plan->flops);
    if (plan->workspace_size > 0) RT_POISON(workspace, plan->workspace_size);
    for (int i = 0; i < plan->step_count; i++) {
        const struct ex_step *step = &plan->steps[i];
        struct step_run run = {.step = step, .parameters = plan->step_bytes + step->parameters};
        run.buffers =
            step->buffer_count <= EX_FEW_STEP_BUFFERS ? run.few : addresses + plan->operand_count;
        prepare_scratch(plan, workspace, i);
        for (int b = 0; b < step->buffer_count; b++)
            run.buffers[b] = address_of(ex_step_buffer(plan, step, b), addresses, workspace);
        run_step(plan, &run, &fault, stream);
        if (begin != 0) begin = rt_profile_step(step->name, begin, step->bytes);
    }
    if (plan->workspace_size > 0) RT_UNPOISON(workspace, plan->workspace_size);
}

static bool needs_block(const struct ex_plan *plan)
{
    return plan->operand_count > ADDRESSES_INLINE || plan->wide > 0;
}

static void **addresses_of(struct rt_task *task, const struct ex_plan *plan)
{
    if (needs_block(plan)) return task->word[WORD_ADDRESSES].pointer;
    return &task->word[WORD_ADDRESSES].pointer;
}

static void drop_launch(struct rt_task *task)
{
    struct ex_executor *executor = task->word[WORD_EXECUTOR].pointer;
    if (needs_block(&executor->plan))
        ex_executor_return_block(executor, task->word[WORD_ADDRESSES].pointer);
    ex_executor_release(executor);
}

static void rerun_launch(struct rt_task *task, struct rt_stream *stream)
{
    const struct ex_executor *executor = task->word[WORD_EXECUTOR].pointer;
    run_plan(&executor->plan, addresses_of(task, &executor->plan),
             task->word[WORD_WORKSPACE].pointer, stream);
}

static void run_launch(struct rt_task *task, struct rt_stream *stream)
{
    rerun_launch(task, stream);
    drop_launch(task);
}

static const char *name_launch(const struct rt_task *task)
{
    const struct ex_executor *executor = task->word[WORD_EXECUTOR].pointer;
    return executor->plan.operator_name;
}

static const struct rt_task_kind launch_kind = {.name = "launch",
                                                .run = run_launch,
                                                .drop = drop_launch,
                                                .rerun = rerun_launch,
                                                .is_operator = true,
                                                .name_of = name_launch};

static aclnnStatus check_workspace(const struct ex_plan *plan, const void *workspace,
                                   uint64_t workspace_size)
{
    const char *name = plan->operator_name;
    if (workspace_size > 0 && !workspace)
        return rt_error_report(ACLNN_ERR_PARAM_NULLPTR, name,
                               "workspace is NULL although workspaceSize is %" PRIu64,
                               workspace_size);
    if (workspace_size < plan->workspace_size)
        return rt_error_report(ACLNN_ERR_PARAM_INVALID, name,
                               "workspaceSize is %" PRIu64 "; phase 1 reported %zu", workspace_size,
                               plan->workspace_size);
    if (plan->workspace_size > 0 && (uintptr_t)workspace % WORKSPACE_ALIGNMENT != 0)
        return rt_error_report(ACLNN_ERR_PARAM_INVALID, name,
                               "workspace is %p; it must be aligned to %d bytes", workspace,
                               WORKSPACE_ALIGNMENT);
    return ACLNN_SUCCESS;
}

static aclnnStatus report_missing(const struct ex_plan *plan, int operand)
{
    const int number = plan->operands[operand].argument;
    const struct ex_argument *argument = &plan->arguments[number];
    char element[32] = "";
    if (argument->is_list)
        snprintf(element, sizeof element, "element %d of ", operand - argument->operand);
    return rt_error_report(ACLNN_ERR_PARAM_NULLPTR, plan->operator_name,
                           "%stensor argument %d has no address; it must be set before phase 2",
                           element, number);
}

/* Where a tensor without elements and without an address lies: nothing is read or written there. */
static _Alignas(64) char nowhere[64];

static bool is_empty(const struct ex_descriptor *tensor)
{
    int64_t count;
    return tensor && ex_element_count(tensor->sizes, tensor->rank, &count) && count == 0;
}

static aclnnStatus snapshot_addresses(const struct ex_plan *plan, void **addresses)
{
    for (int i = 0; i < plan->operand_count; i++) {
        const struct ex_operand *operand = &plan->operands[i];
        addresses[i] = operand->tensor
                           ? atomic_load_explicit(&operand->tensor->address, memory_order_acquire)
                           : NULL;
        if (!operand->is_used || addresses[i]) continue;
        if (!is_empty(operand->tensor)) return report_missing(plan, i);
        addresses[i] = nowhere;
    }
    return ACLNN_SUCCESS;
}

/* Takes over one reference to the executor when it succeeds. */
static aclnnStatus enqueue(struct ex_executor *executor, void *workspace, struct rt_stream *stream)
{
    const struct ex_plan *plan = &executor->plan;
    struct rt_task task = {.kind = &launch_kind};
    task.word[WORD_EXECUTOR].pointer = executor;
    task.word[WORD_WORKSPACE].pointer = workspace;
    void **addresses = &task.word[WORD_ADDRESSES].pointer;
    void **block = NULL;
    if (needs_block(plan)) {
        block = ex_executor_take_block(executor);
        if (!block)
            return rt_error_report(ACLNN_ERR_RUNTIME_ERROR, plan->operator_name,
                                   "no memory for a launch");
        task.word[WORD_ADDRESSES].pointer = block;
        addresses = block;
    }
    aclnnStatus status = snapshot_addresses(plan, addresses);
    if (status == ACLNN_SUCCESS) {
        if (rt_check_on()) ex_tell_accesses(plan, addresses, workspace, stream);
        /* Here, not where the task is run: in malloc the two threads would wait for each other. */
        if (ex_executor_is_mine(executor)) ex_plan_release_tensors(&executor->plan);
        unsigned flags = plan->operand_bytes >= LARGE_BYTES ? RT_SUBMIT_LARGE : 0;
        if (rt_stream_submit(stream, &task, flags) == ACL_SUCCESS) return ACLNN_SUCCESS;
        status = ACLNN_ERR_RUNTIME_ERROR;
    }
    if (block) ex_executor_return_block(executor, block);
    return status;
}

aclnnStatus ex_launch(const char *operator_name, void *workspace, uint64_t workspace_size,
                      aclOpExecutor *handle, aclrtStream stream)
{
    if (!handle) return rt_error_report(ACLNN_ERR_PARAM_NULLPTR, operator_name, "executor is NULL");
    struct ex_executor *executor = ex_handle_take(handle);
    if (!executor) {
        if (rt_check_on()) ex_tell_no_executor(operator_name, handle);
        return rt_error_report(ACLNN_ERR_PARAM_INVALID, operator_name, EX_NO_EXECUTOR);
    }
    if (__builtin_expect(executor->plan.call != NULL, 0))
        rt_log_topic(RT_LOG_CALLS, "%s", executor->plan.call);

    if (rt_check_on()) ex_tell_broken_rules(&executor->plan, workspace, workspace_size);
    struct rt_stream *queue;
    aclnnStatus status = check_workspace(&executor->plan, workspace, workspace_size);
    if (status == ACLNN_SUCCESS && rt_stream_resolve(operator_name, stream, &queue) != ACL_SUCCESS)
        status = ACLNN_ERR_RUNTIME_ERROR;
    const bool is_told = rt_check_on() && executor->plan.rearranges;
    if (status == ACLNN_SUCCESS && (executor->plan.step_count > 0 || is_told)) {
        status = enqueue(executor, workspace, queue);
        if (status == ACLNN_SUCCESS) return ACLNN_SUCCESS;
    }
    ex_executor_release(executor);
    return status;
}
