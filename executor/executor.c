/* SPDX-License-Identifier: Apache-2.0 */
/* The life of an executor as users see it: repeatable, new addresses, destroy; and the blocks of
 * addresses its launches in flight carry.
 *
 * blocks_lock guards free_blocks. Nothing else is taken while it is held. */
#include "executor/executor.h"

#include "aclnn/opdev/op_errno.h"
#include "runtime/support/alloc.h"
#include "runtime/support/error.h"

void **ex_executor_take_block(aclOpExecutor *executor)
{
    pthread_mutex_lock(&executor->blocks_lock);
    void **block = executor->free_blocks;
    if (block) executor->free_blocks = *block;
    pthread_mutex_unlock(&executor->blocks_lock);
    return block ? block : rt_alloc(sizeof(void *) * EX_MAX_PARAMETERS);
}

void ex_executor_return_block(aclOpExecutor *executor, void **block)
{
    pthread_mutex_lock(&executor->blocks_lock);
    *block = executor->free_blocks;
    executor->free_blocks = block;
    pthread_mutex_unlock(&executor->blocks_lock);
}

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor *executor)
{
    RT_CHECK(executor, ACLNN_ERR_INNER_NULLPTR, "executor is NULL");
    RT_CHECK(ex_executor_is_valid(executor), ACLNN_ERR_INNER,
             "executor is not one that phase 1 returned, or was used up");
    atomic_store_explicit(&executor->is_repeatable, true, memory_order_relaxed);
    return ACLNN_SUCCESS;
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *executor)
{
    RT_CHECK(executor, ACLNN_ERR_INNER_NULLPTR, "executor is NULL");
    RT_CHECK(ex_executor_is_valid(executor), ACLNN_ERR_INNER,
             "executor is not one that phase 1 returned, or was used up");
    ex_executor_release(executor);
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
static struct ex_operand *find_operand(struct ex_plan *plan, size_t index, int which)
{
    for (int i = 0; i < plan->operand_count; i++) {
        int kind = plan->operands[i].is_output ? COUNT_OUTPUTS : COUNT_INPUTS;
        if (!(which & kind)) continue;
        if (index-- == 0) return &plan->operands[i];
    }
    return NULL;
}

bool ex_workspace_size(const aclOpExecutor *executor, size_t *size)
{
    if (!ex_executor_is_valid(executor)) return false;
    *size = executor->plan.workspace_size;
    return true;
}

/* CANN stores the address in the tensor that is passed, whatever the index says. Where the tensor
 * is not one the plan was made from, the plan's own at that index is what the caller means. */
static aclnnStatus set_address(const char *who, aclOpExecutor *executor, size_t index,
                               aclTensor *tensor, void *address, int which)
{
    if (!executor || !tensor)
        return rt_error_report(ACLNN_ERR_INNER_NULLPTR, who, "%s is NULL",
                               executor ? "tensor" : "executor");
    if (!ex_executor_is_valid(executor))
        return rt_error_report(ACLNN_ERR_INNER, who,
                               "executor is not one that phase 1 returned, or was used up");
    struct ex_operand *operand = find_operand(&executor->plan, index, which);
    if (!operand)
        return rt_error_report(ACLNN_ERR_PARAM_INVALID, who,
                               "index is %zu; %s has no such tensor argument", index,
                               executor->plan.operator_name);
    struct ex_descriptor *descriptor = (struct ex_descriptor *)tensor;
    atomic_store_explicit(&descriptor->address, address, memory_order_release);
    if (operand->tensor && !holds(&executor->plan, descriptor))
        atomic_store_explicit(&operand->tensor->address, address, memory_order_release);
    return ACLNN_SUCCESS;
}

/* No operator here takes a tensor list, so every index is out of range. */
static aclnnStatus set_list_address(const char *who, const aclOpExecutor *executor, size_t index,
                                    const aclTensorList *tensors)
{
    if (!executor || !tensors)
        return rt_error_report(ACLNN_ERR_INNER_NULLPTR, who, "%s is NULL",
                               executor ? "tensors" : "executor");
    return rt_error_report(ACLNN_ERR_PARAM_INVALID, who,
                           "irIndex is %zu; %s has no tensor list argument", index,
                           executor->plan.operator_name);
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

#define SET_LIST_ADDRESS(Name)                                                                     \
    aclnnStatus acl##Name(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,     \
                          aclTensorList *tensors, void *addr)                                      \
    {                                                                                              \
        (void)relativeIndex, (void)addr;                                                           \
        return set_list_address(__func__, executor, irIndex, tensors);                             \
    }                                                                                              \
    aclnnStatus Acl##Name(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,     \
                          aclTensorList *tensors, void *addr)                                      \
    {                                                                                              \
        (void)relativeIndex, (void)addr;                                                           \
        return set_list_address(__func__, executor, irIndex, tensors);                             \
    }

SET_ADDRESS(SetInputTensorAddr, COUNT_INPUTS)
SET_ADDRESS(SetOutputTensorAddr, COUNT_OUTPUTS)
SET_ADDRESS(SetTensorAddr, COUNT_INPUTS | COUNT_OUTPUTS)
SET_LIST_ADDRESS(SetDynamicInputTensorAddr)
SET_LIST_ADDRESS(SetDynamicOutputTensorAddr)
SET_LIST_ADDRESS(SetDynamicTensorAddr)
