/* SPDX-License-Identifier: Apache-2.0 */
/* The plan builder. A plan has room for what most operators need, so that phase 1 costs one
 * allocation. Arrays that tensor lists make longer move to the heap. */
#include "executor/plan.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

#include "aclnn/opdev/op_errno.h"
#include "executor/arena.h"
#include "executor/executor.h"
#include "executor/notices.h"
#include "kernels/kernels.h"
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

void ex_no_memory(struct ex_plan *plan)
{
    if (plan) fail(plan, ACLNN_ERR_INNER_CREATE_EXECUTOR, "no memory for the plan");
}

static void use_own_room(struct ex_plan *plan)
{
    plan->arguments = plan->few_arguments;
    plan->argument_room = EX_FEW_ARGUMENTS;
    plan->operands = plan->few_operands;
    plan->operand_room = EX_FEW_OPERANDS;
    plan->buffers = plan->few_buffers;
    plan->buffer_room = EX_FEW_BUFFERS;
    plan->steps = plan->few_steps;
    plan->step_room = EX_FEW_STEPS;
    plan->numbers = plan->few_numbers;
    plan->number_room = EX_FEW_NUMBERS;
    plan->step_bytes = plan->few_step_bytes;
    plan->step_bytes_room = EX_FEW_STEP_BYTES;
}

static bool is_own(const struct ex_plan *plan, const void *array)
{
    return (uintptr_t)array - (uintptr_t)plan < sizeof *plan;
}

static void free_rooms(const struct ex_plan *plan)
{
    void *const arrays[] = {plan->arguments, plan->operands, plan->buffers,
                            plan->steps,     plan->numbers,  plan->step_bytes};
    for (size_t i = 0; i < RT_LENGTH(arrays); i++)
        if (!is_own(plan, arrays[i])) rt_free(arrays[i]);
}

__attribute__((noinline, cold)) static void *move(struct ex_plan *plan, void *array, size_t used,
                                                  size_t needed, size_t element, size_t *room)
{
    const size_t wanted = needed > 2 * *room ? needed : 2 * *room;
    if (wanted > INT32_MAX) {
        fail(plan, ACLNN_ERR_PARAM_INVALID, "the tensor lists are too long for a plan");
        return array;
    }
    void *moved = rt_alloc(wanted * element);
    if (!moved) {
        fail(plan, ACLNN_ERR_INNER_CREATE_EXECUTOR, "no memory for the plan");
        return array;
    }
    memcpy(moved, array, used * element);
    if (!is_own(plan, array)) rt_free(array);
    *room = wanted;
    plan->has_grown = true;
    return moved;
}

/* The array, with room for `needed` elements unless the plan fails. */
static inline __attribute__((always_inline)) void *
reserve(struct ex_plan *plan, void *array, size_t used, size_t needed, size_t element, size_t *room)
{
    if (__builtin_expect(needed <= *room, 1)) return array;
    return move(plan, array, used, needed, element, room);
}

struct ex_plan *ex_plan_new(const char *operator_name)
{
    struct ex_executor *executor = ex_executor_new();
    if (!executor) {
        rt_error_report(ACLNN_ERR_INNER_CREATE_EXECUTOR, operator_name,
                        "no memory for the executor (%zu bytes)", sizeof *executor);
        return NULL;
    }
    executor->blocks_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    executor->free_blocks = NULL;

    struct ex_plan *plan = &executor->plan;
    memset(plan, 0, offsetof(struct ex_plan, few_arguments));
    use_own_room(plan);
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

void ex_plan_release_tensors(struct ex_plan *plan)
{
    for (int i = 0; i < plan->operand_count; i++) {
        if (plan->operands[i].is_settled) continue;
        ex_descriptor_release(plan->operands[i].tensor);
        plan->operands[i].tensor = NULL;
    }
}

void ex_plan_clear(struct ex_plan *plan)
{
    struct ex_executor *executor = executor_of(plan);
    for (int i = 0; i < plan->operand_count; i++)
        ex_descriptor_release(plan->operands[i].tensor);
    while (executor->free_blocks) {
        void **block = executor->free_blocks;
        executor->free_blocks = *block;
        rt_free(block);
    }
    pthread_mutex_destroy(&executor->blocks_lock);
    if (plan->has_grown) free_rooms(plan);
    rt_free(plan->call);
}

static int add_buffer(struct ex_plan *plan, struct ex_buffer buffer)
{
    if (plan->status != ACLNN_SUCCESS) return -1;
    const size_t count = (size_t)plan->buffer_count;
    plan->buffers =
        reserve(plan, plan->buffers, count, count + 1, sizeof *plan->buffers, &plan->buffer_room);
    if (plan->status != ACLNN_SUCCESS) return -1;
    buffer.first = INT_MAX;
    buffer.last = -1;
    plan->buffers[plan->buffer_count] = buffer;
    return plan->buffer_count++;
}

/* Its operands follow. */
static bool add_argument(struct ex_plan *plan, struct ex_argument argument)
{
    if (!plan || plan->status != ACLNN_SUCCESS) return false;
    const size_t arguments = (size_t)plan->argument_count, operands = (size_t)plan->operand_count;
    plan->arguments = reserve(plan, plan->arguments, arguments, arguments + 1,
                              sizeof *plan->arguments, &plan->argument_room);
    plan->operands = reserve(plan, plan->operands, operands, operands + (size_t)argument.count,
                             sizeof *plan->operands, &plan->operand_room);
    if (plan->status != ACLNN_SUCCESS) return false;
    argument.operand = plan->operand_count;
    plan->arguments[plan->argument_count++] = argument;
    return true;
}

/* Of the last argument. */
static int add_operand(struct ex_plan *plan, struct ex_descriptor *tensor)
{
    const int operand = plan->operand_count++;
    struct ex_buffer buffer = {.operand = operand};
    plan->operands[operand] = (struct ex_operand){.argument = plan->argument_count - 1};
    if (tensor) {
        int64_t count;
        if (!ex_element_count(tensor->sizes, tensor->rank, &count)) {
            fail(plan, ACLNN_ERR_PARAM_INVALID,
                 "a tensor has more elements than an int64_t counts");
            return -1;
        }
        ex_descriptor_retain(tensor);
        plan->operands[operand].tensor = tensor;
        buffer.offset = ex_element_bytes(tensor->data_type, (size_t)tensor->offset);
        buffer.size = ex_element_bytes(tensor->data_type, (size_t)count);
    }
    return add_buffer(plan, buffer);
}

static int add_tensor(struct ex_plan *plan, struct ex_descriptor *tensor, bool is_output)
{
    if (!add_argument(plan, (struct ex_argument){.count = 1, .is_output = is_output})) return -1;
    const int buffer = add_operand(plan, tensor);
    return tensor ? buffer : -1;
}

int ex_input(struct ex_plan *plan, struct ex_descriptor *tensor)
{
    return add_tensor(plan, tensor, false);
}

int ex_output(struct ex_plan *plan, struct ex_descriptor *tensor)
{
    return add_tensor(plan, tensor, true);
}

static int add_list(struct ex_plan *plan, const aclTensorList *list, bool is_output)
{
    const uint64_t count = list ? list->size : 0;
    if (plan && count > INT32_MAX)
        fail(plan, ACLNN_ERR_PARAM_INVALID, "the tensor lists are too long for a plan");
    if (!add_argument(plan, (struct ex_argument){
                                .count = (int)count, .is_list = true, .is_output = is_output}))
        return -1;
    const int first = plan->buffer_count;
    for (uint64_t i = 0; i < count && plan->status == ACLNN_SUCCESS; i++)
        add_operand(plan, ex_list_element(list, i));
    return count > 0 && plan->status == ACLNN_SUCCESS ? first : -1;
}

int ex_input_list(struct ex_plan *plan, const aclTensorList *list)
{
    return add_list(plan, list, false);
}

int ex_output_list(struct ex_plan *plan, const aclTensorList *list)
{
    return add_list(plan, list, true);
}

int ex_scratch(struct ex_plan *plan, size_t bytes)
{
    if (!plan) return -1;
    return add_buffer(plan, (struct ex_buffer){.operand = -1, .size = bytes});
}

static void use_buffer(struct ex_plan *plan, struct ex_step *step, int number)
{
    assert(number >= 0 && number < plan->buffer_count);
    struct ex_buffer *buffer = &plan->buffers[number];
    if (buffer->first > plan->step_count) buffer->first = plan->step_count;
    buffer->last = plan->step_count;
    step->bytes += buffer->size;
    if (buffer->operand < 0) return;
    assert(plan->operands[buffer->operand].tensor);
    plan->operands[buffer->operand].is_used = true;
    plan->operand_bytes += buffer->size;
}

/* Makes room for one more step. */
static bool reserve_step(struct ex_plan *plan, size_t parameter_end, int buffer_count)
{
    const size_t steps = (size_t)plan->step_count;
    plan->steps =
        reserve(plan, plan->steps, steps, steps + 1, sizeof *plan->steps, &plan->step_room);
    plan->numbers =
        reserve(plan, plan->numbers, plan->numbers_used, plan->numbers_used + (size_t)buffer_count,
                sizeof *plan->numbers, &plan->number_room);
    plan->step_bytes = reserve(plan, plan->step_bytes, plan->step_bytes_used, parameter_end, 1,
                               &plan->step_bytes_room);
    return plan->status == ACLNN_SUCCESS;
}

/* A step without its kernel; NULL when the plan has failed. */
static struct ex_step *add_step(struct ex_plan *plan, const char *name, const void *parameters,
                                size_t parameter_size, const int *buffers, int buffer_count)
{
    if (!plan || plan->status != ACLNN_SUCCESS) return NULL;
    const size_t begin = rt_round_up(plan->step_bytes_used, 16);
    if (!reserve_step(plan, begin + parameter_size, buffer_count)) return NULL;

    struct ex_step *step = &plan->steps[plan->step_count];
    *step = (struct ex_step){
        .name = name,
        .parameters = begin,
        .buffer_count = buffer_count,
        .numbers = (int)plan->numbers_used,
    };
    memcpy(plan->step_bytes + begin, parameters, parameter_size);
    plan->step_bytes_used = begin + parameter_size;
    for (int i = 0; i < buffer_count; i++) {
        plan->numbers[plan->numbers_used++] = buffers[i];
        use_buffer(plan, step, buffers[i]);
    }
    /* One more for the record of faults. */
    if (buffer_count > EX_FEW_STEP_BUFFERS && plan->wide <= buffer_count)
        plan->wide = buffer_count + 1;
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

static bool is_scratch(const struct ex_buffer *buffer)
{
    return buffer->operand < 0 && buffer->last >= 0;
}

static enum ex_packing pack(struct ex_plan *plan, struct ex_piece *pieces, int count)
{
    int at = 0;
    for (int i = 0; i < plan->buffer_count; i++) {
        const struct ex_buffer *buffer = &plan->buffers[i];
        if (!is_scratch(buffer)) continue;
        pieces[at++] = (struct ex_piece){.size = buffer->size,
                                         .alignment = EX_SCRATCH_ALIGNMENT,
                                         .first = buffer->first,
                                         .last = buffer->last};
    }
    const enum ex_packing packing =
        ex_arena_pack(pieces, count, EX_SCRATCH_GAP, EX_QUICK, &plan->workspace_size);
    if (packing != EX_PACKED) return packing;
    at = 0;
    for (int i = 0; i < plan->buffer_count; i++)
        if (is_scratch(&plan->buffers[i])) plan->buffers[i].offset = pieces[at++].offset;
    /* One more red zone behind the last piece. */
    return rt_size_add_ok(plan->workspace_size, EX_SCRATCH_GAP, &plan->workspace_size)
               ? EX_PACKED
               : EX_TOO_LARGE;
}

static __attribute__((noinline)) void pack_pieces(struct ex_plan *plan, int count)
{
    struct ex_piece few[EX_FEW_PIECES], *pieces = few;
    if (count > EX_FEW_PIECES) pieces = rt_alloc((size_t)count * sizeof *pieces);
    const enum ex_packing packing = pieces ? pack(plan, pieces, count) : EX_NO_MEMORY;
    if (pieces != few) rt_free(pieces);
    if (packing == EX_TOO_LARGE)
        fail(plan, ACLNN_ERR_PARAM_INVALID, "the workspace would exceed the address space");
    if (packing == EX_NO_MEMORY)
        fail(plan, ACLNN_ERR_INNER_CREATE_EXECUTOR, "no memory for the plan");
}

void ex_rearranges(struct ex_plan *plan, int buffer)
{
    if (!plan || plan->status != ACLNN_SUCCESS) return;
    plan->operands[plan->buffers[buffer].operand].is_used = true;
    plan->rearranges = true;
}

/* Offsets of the scratch pieces that some step uses, and the workspace that holds them. */
static void pack_scratch(struct ex_plan *plan)
{
    int count = 0;
    for (int i = 0; i < plan->buffer_count; i++)
        count += is_scratch(&plan->buffers[i]);
    if (count > 0) pack_pieces(plan, count);
}

aclnnStatus ex_seal(struct ex_plan *plan, uint64_t *workspace_size, aclOpExecutor **executor)
{
    if (!plan) return ACLNN_ERR_INNER_CREATE_EXECUTOR; /* reported by ex_plan_new */
    if (plan->status == ACLNN_SUCCESS) pack_scratch(plan);
    if (plan->status != ACLNN_SUCCESS) {
        aclnnStatus status = plan->status;
        ex_plan_free(plan);
        return status;
    }
    if (rt_log_topic_on(RT_LOG_PLAN)) ex_explain(plan);
    if (plan->begun_at != 0) rt_profile_plan(plan->operator_name, plan->begun_at);
    rt_float_end(plan->float_env);
    *workspace_size = plan->workspace_size;
    *executor = ex_handle_new(executor_of(plan));
    return ACLNN_SUCCESS;
}
