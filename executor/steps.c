/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/steps.h"

#include <assert.h>

#include "aclnn/opdev/op_errno.h"
#include "executor/executor.h"
#include "kernels/copy/k_copy.h"
#include "runtime/support/base.h"

struct ex_order ex_order_identity(int rank)
{
    struct ex_order order = {{0}};
    for (int i = 0; i < rank; i++)
        order.axis[i] = i;
    return order;
}

struct ex_order ex_order_channels_last(int rank, bool without_batch)
{
    struct ex_order order = {{0}};
    int channel = without_batch ? 0 : 1;
    for (int i = 0, axis = 0; axis < rank; axis++)
        if (axis != channel) order.axis[i++] = axis;
    order.axis[rank - 1] = channel;
    return order;
}

bool ex_is_dense(const struct ex_descriptor *tensor, const struct ex_order *order)
{
    int64_t expected = 1;
    bool is_dense = true;
    for (int i = tensor->rank - 1; i >= 0; i--) {
        int64_t size = tensor->sizes[order->axis[i]];
        if (size == 0) return true;
        if (size > 1 && tensor->strides[order->axis[i]] != expected) is_dense = false;
        if (!rt_mul_ok(expected, size, &expected)) return false;
    }
    return is_dense;
}

static const struct ex_descriptor *tensor_of(const struct ex_plan *plan, int buffer)
{
    return plan->operands[plan->buffers[buffer].operand].tensor;
}

/* A copy between a tensor's own layout and a dense one in the given order. */
static struct k_copy describe_copy(const struct ex_descriptor *tensor, const struct ex_order *order,
                                   size_t element_size, bool to_dense)
{
    struct k_copy copy = {.rank = tensor->rank, .element_size = (int)element_size};
    int64_t dense = 1;
    for (int i = tensor->rank - 1; i >= 0; i--) {
        int axis = order->axis[i];
        copy.sizes[i] = tensor->sizes[axis];
        copy.from_strides[i] = to_dense ? tensor->strides[axis] : dense;
        copy.to_strides[i] = to_dense ? dense : tensor->strides[axis];
        dense *= tensor->sizes[axis];
    }
    k_copy_simplify(&copy);
    return copy;
}

static void copy_step(struct ex_plan *plan, int from, int to, const struct ex_descriptor *tensor,
                      const struct ex_order *order, bool to_dense)
{
    size_t element_size = ex_element_size(tensor->data_type);
    struct k_copy copy = describe_copy(tensor, order, element_size, to_dense);
    ex_step_way(plan, to_dense ? "pack" : "deliver", K_CHOICE_copy_strided, K_F32, &copy,
                sizeof copy, EX_BUFFERS(from, to), NULL);
}

int ex_packed(struct ex_plan *plan, int input, const struct ex_order *order)
{
    if (!plan || plan->status != ACLNN_SUCCESS || input < 0) return -1;
    const struct ex_descriptor *tensor = tensor_of(plan, input);
    assert(tensor->rank <= EX_MAX_RANK);
    if (ex_is_dense(tensor, order)) return input;
    int scratch = ex_scratch(plan, plan->buffers[input].size);
    if (scratch >= 0) copy_step(plan, input, scratch, tensor, order, true);
    return scratch;
}

int ex_target(struct ex_plan *plan, int output, const struct ex_order *order)
{
    if (!plan || plan->status != ACLNN_SUCCESS || output < 0) return -1;
    const struct ex_descriptor *tensor = tensor_of(plan, output);
    assert(tensor->rank <= EX_MAX_RANK);
    return ex_is_dense(tensor, order) ? output : ex_scratch(plan, plan->buffers[output].size);
}

void ex_deliver(struct ex_plan *plan, int target, int output, const struct ex_order *order)
{
    if (!plan || plan->status != ACLNN_SUCCESS || target == output) return;
    copy_step(plan, target, output, tensor_of(plan, output), order, false);
}

struct settling {
    struct ex_descriptor *tensor; /* the plan keeps it */
    int axis;
    bool is_dense;
    int64_t place;
};

static void settle(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct settling *p = parameters;
    const struct ex_descriptor *tensor = p->tensor;
    int64_t *sizes = (int64_t *)tensor->sizes, *strides = (int64_t *)tensor->strides, dense = 1;
    (void)slice;
    sizes[p->axis] = ((const int64_t *)buffers[0])[p->place];
    for (int i = tensor->rank - 1; p->is_dense && i >= 0; i--) {
        strides[i] = dense;
        dense *= sizes[i];
    }
}

void ex_settle_size(struct ex_plan *plan, int output, int axis, bool is_dense, int scratch,
                    int64_t place)
{
    if (!plan || plan->status != ACLNN_SUCCESS) return;
    struct ex_operand *operand = &plan->operands[plan->buffers[output].operand];
    operand->is_settled = true;
    const struct settling settling = {
        .tensor = operand->tensor,
        .axis = axis,
        .is_dense = is_dense,
        .place = place,
    };
    ex_step(plan, "size", settle, &settling, sizeof settling,
            (struct k_work){.items = 1, .grain = 1}, &scratch, 1);
}
