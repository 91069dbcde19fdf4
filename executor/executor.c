/* SPDX-License-Identifier: Apache-2.0 */
/* The life of an executor as users see it: repeatable, new addresses, destroy; and the blocks of
 * addresses its launches in flight carry.
 *
 * blocks_lock guards free_blocks. Nothing else is taken while it is held. */
#include "executor/executor.h"

#include <inttypes.h>

#include "aclnn/opdev/op_errno.h"
#include "runtime/support/alloc.h"
#include "runtime/support/error.h"

void **ex_executor_take_block(struct ex_executor *executor)
{
    pthread_mutex_lock(&executor->blocks_lock);
    void **block = executor->free_blocks;
    if (block) executor->free_blocks = *block;
    pthread_mutex_unlock(&executor->blocks_lock);
    if (block) return block;
    const struct ex_plan *plan = &executor->plan;
    return rt_alloc(sizeof(void *) * ((size_t)plan->operand_count + (size_t)plan->wide));
}

void ex_executor_return_block(struct ex_executor *executor, void **block)
{
    pthread_mutex_lock(&executor->blocks_lock);
    *block = executor->free_blocks;
    executor->free_blocks = block;
    pthread_mutex_unlock(&executor->blocks_lock);
}

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor *executor)
{
    RT_CHECK(executor, ACLNN_ERR_INNER_NULLPTR, "executor is NULL");
    RT_CHECK(ex_handle_make_repeatable(executor), ACLNN_ERR_INNER, EX_NO_EXECUTOR);
    return ACLNN_SUCCESS;
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *executor)
{
    RT_CHECK(executor, ACLNN_ERR_INNER_NULLPTR, "executor is NULL");
    struct ex_executor *ended = ex_handle_end(executor);
    RT_CHECK(ended, ACLNN_ERR_INNER, EX_NO_EXECUTOR);
    ex_executor_release(ended);
    return ACLNN_SUCCESS;
}

enum { COUNT_INPUTS = 1, COUNT_OUTPUTS = 2 };

static bool holds(const struct ex_plan *plan, const struct ex_descriptor *tensor)
{
    for (int i = 0; i < plan->operand_count; i++)
        if (plan->operands[i].tensor == tensor) return true;
    return false;
}

/* The index-th tensor argument of the kinds in `which`; NULL when there is none. */
static const struct ex_argument *find_argument(const struct ex_plan *plan, size_t index, int which)
{
    for (int i = 0; i < plan->argument_count; i++) {
        int kind = plan->arguments[i].is_output ? COUNT_OUTPUTS : COUNT_INPUTS;
        if (!(which & kind)) continue;
        if (index-- == 0) return &plan->arguments[i];
    }
    return NULL;
}

bool ex_workspace_size(const aclOpExecutor *handle, size_t *size)
{
    struct ex_executor *executor = ex_handle_acquire(handle);
    if (!executor) return false;
    *size = executor->plan.workspace_size;
    ex_executor_release(executor);
    return true;
}

/* CANN stores the address in the tensor that is passed, whatever the index says. Where the tensor
 * is not one the plan was made from, the plan's own at that index is what the caller means. */
static void store_address(const struct ex_plan *plan, const struct ex_operand *operand,
                          struct ex_descriptor *tensor, void *address)
{
    struct ex_descriptor *own = operand->tensor;
    if (tensor) atomic_store_explicit(&tensor->address, address, memory_order_release);
    if (own && own != tensor && !(tensor && holds(plan, tensor)))
        atomic_store_explicit(&own->address, address, memory_order_release);
}

static aclnnStatus set_operand(const char *who, struct ex_plan *plan, size_t index,
                               struct ex_descriptor *tensor, void *address, int which)
{
    const struct ex_argument *argument = find_argument(plan, index, which);
    if (!argument)
        return rt_error_report(ACLNN_ERR_PARAM_INVALID, who,
                               "index is %zu; %s has no such tensor argument", index,
                               plan->operator_name);
    if (argument->is_list)
        return rt_error_report(ACLNN_ERR_PARAM_INVALID, who,
                               "index is %zu; that argument of %s is a tensor list", index,
                               plan->operator_name);
    store_address(plan, &plan->operands[argument->operand], tensor, address);
    return ACLNN_SUCCESS;
}

static aclnnStatus set_element(const char *who, struct ex_plan *plan, size_t index, size_t element,
                               const aclTensorList *tensors, void *address, int which)
{
    const struct ex_argument *argument = find_argument(plan, index, which);
    if (!argument || !argument->is_list)
        return rt_error_report(ACLNN_ERR_PARAM_INVALID, who,
                               "irIndex is %zu; %s has no tensor list argument there", index,
                               plan->operator_name);
    if (element >= tensors->size || element >= (size_t)argument->count)
        return rt_error_report(ACLNN_ERR_PARAM_INVALID, who,
                               "relativeIndex is %zu; tensors has %" PRIu64
                               " elements, that of phase 1 had %d",
                               element, tensors->size, argument->count);
    store_address(plan, &plan->operands[argument->operand + (int)element],
                  ex_list_element(tensors, element), address);
    return ACLNN_SUCCESS;
}

static aclnnStatus set_address(const char *who, const aclOpExecutor *handle, size_t index,
                               aclTensor *tensor, void *address, int which)
{
    if (!handle || !tensor)
        return rt_error_report(ACLNN_ERR_INNER_NULLPTR, who, "%s is NULL",
                               handle ? "tensor" : "executor");
    struct ex_executor *executor = ex_handle_acquire(handle);
    if (!executor) return rt_error_report(ACLNN_ERR_INNER, who, EX_NO_EXECUTOR);
    aclnnStatus status =
        set_operand(who, &executor->plan, index, (struct ex_descriptor *)tensor, address, which);
    ex_executor_release(executor);
    return status;
}

static aclnnStatus set_list_address(const char *who, const aclOpExecutor *handle, size_t index,
                                    size_t element, const aclTensorList *tensors, void *address,
                                    int which)
{
    if (!handle || !tensors)
        return rt_error_report(ACLNN_ERR_INNER_NULLPTR, who, "%s is NULL",
                               handle ? "tensors" : "executor");
    struct ex_executor *executor = ex_handle_acquire(handle);
    if (!executor) return rt_error_report(ACLNN_ERR_INNER, who, EX_NO_EXECUTOR);
    aclnnStatus status = set_element(who, &executor->plan, index, element, tensors, address, which);
    ex_executor_release(executor);
    return status;
}

/* CANN exports each of these under two spellings. */
#define SET_ADDRESS(Name, which)                                                                   \
    aclnnStatus acl##Name(aclOpExecutor *executor, const size_t index, aclTensor *tensor,          \
                          void *addr)                                                              \
    {                                                                                              \
        return set_address(__func__, executor, index, tensor, addr, which);                        \
    }                                                                                              \
    aclnnStatus Acl##Name(aclOpExecutor *executor, const size_t index, aclTensor *tensor,          \
                          void *addr)                                                              \
    {                                                                                              \
        return set_address(__func__, executor, index, tensor, addr, which);                        \
    }

#define SET_LIST_ADDRESS(Name, which)                                                              \
    aclnnStatus acl##Name(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,     \
                          aclTensorList *tensors, void *addr)                                      \
    {                                                                                              \
        return set_list_address(__func__, executor, irIndex, relativeIndex, tensors, addr, which); \
    }                                                                                              \
    aclnnStatus Acl##Name(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,     \
                          aclTensorList *tensors, void *addr)                                      \
    {                                                                                              \
        return set_list_address(__func__, executor, irIndex, relativeIndex, tensors, addr, which); \
    }

SET_ADDRESS(SetInputTensorAddr, COUNT_INPUTS)
SET_ADDRESS(SetOutputTensorAddr, COUNT_OUTPUTS)
SET_ADDRESS(SetTensorAddr, COUNT_INPUTS | COUNT_OUTPUTS)
SET_LIST_ADDRESS(SetDynamicInputTensorAddr, COUNT_INPUTS)
SET_LIST_ADDRESS(SetDynamicOutputTensorAddr, COUNT_OUTPUTS)
SET_LIST_ADDRESS(SetDynamicTensorAddr, COUNT_INPUTS | COUNT_OUTPUTS)
