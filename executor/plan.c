/* SPDX-License-Identifier: Apache-2.0 */
/* The plan builder. Storage is bounded and part of the executor: every operator's plan has a size
 * known from its recipe, and phase 1 costs one allocation. */
#include "executor/plan.h"

#include <assert.h>
#include <string.h>

#include "aclnn/opdev/op_errno.h"
#include "executor/arena.h"
#include "executor/executor.h"
#include "executor/notices.h"
#include "runtime/profile/profile.h"
#include "runtime/support/alloc.h"
#include "runtime/support/base.h"
#include "runtime/support/error.h"
#include "runtime/support/log.h"

static struct ex_executor *executor_of(struct ex_plan *plan)
{
    return (void *)((char *)plan - offsetof(struct ex_executor, plan));
}

static void fail(struct ex_plan *plan, aclnnStatus status, const char *text)
{
    if (plan->status == ACLNN_SUCCESS)
        plan->status = rt_error_report(status, plan->operator_name, "%s", text);
}

struct ex_plan *ex_plan_new(const char *operator_name)
{
    struct ex_executor *executor = rt_alloc(sizeof *executor);
    if (!executor) {
        rt_error_report(ACLNN_ERR_INNER_CREATE_EXECUTOR, operator_name,
                        "no memory for the executor (%zu bytes)", sizeof *executor);
        return NULL;
    }
    executor->slot = NULL;
    executor->blocks_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    executor->free_blocks = NULL;

    struct ex_plan *plan = &executor->plan;
    /* The arrays are written as they grow. */
    memset(plan, 0, offsetof(struct ex_plan, operands));
    plan->operator_name = operator_name;
    plan->isa = k_best()->isa;
    ex_tell_unhonoured();
    plan->begun_at = rt_profile_begin();
    plan->float_env = rt_float_begin();
    return plan;
}

void ex_plan_free(struct ex_plan *plan)
{
    if (!plan) return;
    rt_float_end(plan->float_env);
    ex_executor_free(executor_of(plan));
}

void ex_executor_free(struct ex_executor *executor)
{
    for (int i = 0; i < executor->plan.operand_count; i++)
        ex_descriptor_release(executor->plan.operands[i].tensor);
    while (executor->free_blocks) {
        void **block = executor->free_blocks;
        executor->free_blocks = *block;
        rt_free(block);
    }
    pthread_mutex_destroy(&executor->blocks_lock);
    rt_free(executor->plan.call);
    rt_free(executor);
}

static int add_buffer(struct ex_plan *plan, struct ex_buffer buffer)
{
    if (plan->status != ACLNN_SUCCESS) return -1;
    if (plan->buffer_count == EX_MAX_BUFFERS) {
        fail(plan, ACLNN_ERR_INNER, "the plan has too many buffers");
        return -1;
    }
    buffer.first = EX_MAX_STEPS;
    buffer.last = -1;
    plan->buffers[plan->buffer_count] = buffer;
    return plan->buffer_count++;
}

static int add_operand(struct ex_plan *plan, struct ex_descriptor *tensor, bool is_output)
{
    if (!plan || plan->status != ACLNN_SUCCESS) return -1;
    if (plan->operand_count == EX_MAX_PARAMETERS) {
        fail(plan, ACLNN_ERR_INNER, "the plan has too many operands");
        return -1;
    }
    int operand = plan->operand_count++;
    plan->operands[operand] = (struct ex_operand){.is_output = is_output};
    if (!tensor) return -1;
    size_t element = ex_element_size(tensor->data_type);
    int64_t count;
    if (!ex_element_count(tensor->sizes, tensor->rank, &count)) {
        fail(plan, ACLNN_ERR_PARAM_INVALID, "a tensor has more elements than an int64_t counts");
        return -1;
    }
    ex_descriptor_retain(tensor);
    plan->operands[operand].tensor = tensor;
    size_t bytes = (size_t)count * element;
    return add_buffer(plan, (struct ex_buffer){
                                .operand = operand,
                                .offset = (size_t)tensor->offset * element,
                                .size = bytes,
                            });
}

int ex_input(struct ex_plan *plan, struct ex_descriptor *tensor)
{
    return add_operand(plan, tensor, false);
}

int ex_output(struct ex_plan *plan, struct ex_descriptor *tensor)
{
    return add_operand(plan, tensor, true);
}

int ex_scratch(struct ex_plan *plan, size_t bytes)
{
    if (!plan) return -1;
    return add_buffer(plan, (struct ex_buffer){.operand = -1, .size = bytes});
}

/* A step without its kernel; NULL when the plan has failed. */
static struct ex_step *add_step(struct ex_plan *plan, const char *name, const void *parameters,
                                size_t parameter_size, const int *buffers, int buffer_count)
{
    if (!plan || plan->status != ACLNN_SUCCESS) return NULL;
    size_t begin = rt_round_up(plan->step_bytes_used, 16);
    if (plan->step_count == EX_MAX_STEPS || begin + parameter_size > EX_STEP_BYTES) {
        fail(plan, ACLNN_ERR_INNER, "the plan has too many steps");
        return NULL;
    }
    assert(buffer_count <= EX_MAX_STEP_BUFFERS);

    struct ex_step *step = &plan->steps[plan->step_count];
    *step = (struct ex_step){
        .name = name,
        .parameters = (uint16_t)begin,
        .parameter_size = (uint16_t)parameter_size,
        .buffer_count = (uint8_t)buffer_count,
    };
    memcpy(plan->step_bytes + begin, parameters, parameter_size);
    plan->step_bytes_used = begin + parameter_size;
    for (int i = 0; i < buffer_count; i++) {
        assert(buffers[i] >= 0 && buffers[i] < plan->buffer_count);
        struct ex_buffer *buffer = &plan->buffers[buffers[i]];
        step->buffers[i] = (uint8_t)buffers[i];
        if (buffer->first > plan->step_count) buffer->first = plan->step_count;
        buffer->last = plan->step_count;
        step->bytes += buffer->size;
        if (buffer->operand < 0) continue;
        plan->operands[buffer->operand].is_used = true;
        plan->operand_bytes += buffer->size;
    }
    plan->step_count++;
    return step;
}

void ex_step_with_faults(struct ex_plan *plan, const char *name, k_fn *kernel,
                         const void *parameters, size_t parameter_size, struct k_work work,
                         const int *buffers, int buffer_count, ex_describe_fault *describe)
{
    struct ex_step *step = add_step(plan, name, parameters, parameter_size, buffers, buffer_count);
    if (!step) return;
    step->kernel = kernel;
    step->work = work;
    step->describe = describe;
}

void ex_step(struct ex_plan *plan, const char *name, k_fn *kernel, const void *parameters,
             size_t parameter_size, struct k_work work, const int *buffers, int buffer_count)
{
    ex_step_with_faults(plan, name, kernel, parameters, parameter_size, work, buffers, buffer_count,
                        NULL);
}

const struct k_way *ex_step_way(struct ex_plan *plan, const char *name, enum k_choice choice,
                                enum k_dtype dtype, const void *parameters, size_t parameter_size,
                                const int *buffers, int buffer_count, ex_describe_fault *describe)
{
    struct ex_step *step = add_step(plan, name, parameters, parameter_size, buffers, buffer_count);
    if (!step) return NULL;
    const struct k_chosen chosen =
        k_way_choose(choice, &(struct k_problem){.parameters = plan->step_bytes + step->parameters,
                                                 .dtype = dtype,
                                                 .level = k_best()});
    step->kernel = chosen.run;
    step->way = chosen.way;
    step->dtype = dtype;
    step->work = chosen.work;
    step->describe = describe;
    return chosen.way;
}

void ex_flops(struct ex_plan *plan, double flops)
{
    if (plan) plan->flops += flops;
}

void ex_call(struct ex_plan *plan, const char *line)
{
    if (!plan || plan->status != ACLNN_SUCCESS) return;
    size_t size = strlen(line) + 1;
    rt_free(plan->call);
    plan->call = rt_alloc(size);
    if (plan->call)
        memcpy(plan->call, line, size);
    else
        fail(plan, ACLNN_ERR_INNER_CREATE_EXECUTOR, "no memory for the line that is to be printed");
}

/* Offsets of the scratch pieces that some step uses, and the workspace that holds them. */
static bool pack_scratch(struct ex_plan *plan)
{
    _Static_assert(EX_MAX_BUFFERS <= (int)EX_FEW_PIECES, "packing needs no memory");
    struct ex_piece pieces[EX_MAX_BUFFERS];
    int of_buffer[EX_MAX_BUFFERS], count = 0;
    for (int i = 0; i < plan->buffer_count; i++) {
        const struct ex_buffer *buffer = &plan->buffers[i];
        if (buffer->operand >= 0 || buffer->last < 0) continue;
        of_buffer[count] = i;
        pieces[count++] = (struct ex_piece){.size = buffer->size,
                                            .alignment = EX_SCRATCH_ALIGNMENT,
                                            .first = buffer->first,
                                            .last = buffer->last};
    }
    if (count == 0) return true;
    if (ex_arena_pack(pieces, count, EX_SCRATCH_GAP, EX_QUICK, &plan->workspace_size) != EX_PACKED)
        return false;
    for (int i = 0; i < count; i++)
        plan->buffers[of_buffer[i]].offset = pieces[i].offset;
    /* One more red zone behind the last piece. */
    return rt_size_add_ok(plan->workspace_size, EX_SCRATCH_GAP, &plan->workspace_size);
}

aclnnStatus ex_seal(struct ex_plan *plan, uint64_t *workspace_size, aclOpExecutor **executor)
{
    if (!plan) return ACLNN_ERR_INNER_CREATE_EXECUTOR; /* reported by ex_plan_new */
    if (plan->status == ACLNN_SUCCESS && !pack_scratch(plan))
        fail(plan, ACLNN_ERR_PARAM_INVALID, "the workspace would exceed the address space");
    aclOpExecutor *handle = NULL;
    if (plan->status == ACLNN_SUCCESS && !(handle = ex_handle_new(executor_of(plan))))
        fail(plan, ACLNN_ERR_INNER_CREATE_EXECUTOR, "no memory for the executor's handle");
    if (plan->status != ACLNN_SUCCESS) {
        aclnnStatus status = plan->status;
        ex_plan_free(plan);
        return status;
    }
    if (rt_log_topic_on(RT_LOG_PLAN)) ex_explain(plan);
    if (plan->begun_at != 0) rt_profile_plan(plan->operator_name, plan->begun_at);
    rt_float_end(plan->float_env);
    *workspace_size = plan->workspace_size;
    *executor = handle;
    return ACLNN_SUCCESS;
}
