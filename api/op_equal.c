/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnEqual: one truth value of two whole tensors. */
#include <string.h>

#include "api/op_check.h"
#include "api/op_elementwise.h"
#include "api/op_families.h"
#include "api/op_rule.h"
#include "executor/steps.h"
#include "kernels/copy/k_copy.h"

enum { SELF, OTHER, OUT };

static aclnnStatus types(struct op_problem *problem)
{
    const struct op_value *out = &problem->values[OUT];
    OP_TRY(op_find_type(problem));
    OP_TRY(op_check_type(problem->row->name, out->name, out->tensor, OP_TYPE(ACL_BOOL), "BOOL"));
    problem->result = ACL_BOOL;
    return ACLNN_SUCCESS;
}

/* Other shapes are no mistake: such tensors differ. */
static aclnnStatus shapes(struct op_problem *problem)
{
    const struct op_value *out = &problem->values[OUT];
    const struct ex_descriptor *d = &out->tensor->descriptor;
    struct op_shape_text text;
    int64_t elements = 1;
    for (int i = 0; i < d->rank; i++)
        elements *= d->sizes[i] == 1;
    OP_CHECK(problem->row->name, elements == 1, ACLNN_ERR_PARAM_INVALID,
             "%s's shape is %s; it must have one element", out->name, op_shape(&text, out->tensor));
    return ACLNN_SUCCESS;
}

const struct op_rule op_rule_equal = {.types = types, .shapes = shapes, .runs_empty = true};

static void set_loop(const struct op_problem *problem, struct k_loop *loop)
{
    const struct ex_descriptor *self = &problem->values[SELF].tensor->descriptor;
    memset(loop, 0, sizeof *loop);
    loop->compute = k_compute_of(op_k_dtype_of(problem->type));
    loop->operands = 2;
    loop->rank = self->rank;
    for (int i = 0; i < self->rank; i++)
        loop->sizes[i] = self->sizes[i];
    for (int i = SELF; i <= OTHER; i++) {
        const struct ex_descriptor *d = &problem->values[i].tensor->descriptor;
        struct k_loop_operand *operand = &loop->operand[i];
        const bool is_half = problem->type == ACL_FLOAT16 || problem->type == ACL_BF16;
        operand->dtype = operand->via = op_k_dtype(problem->values[i].tensor);
        if (is_half && !op_is_floating((aclDataType)d->data_type))
            operand->via = op_k_dtype_of(problem->type);
        for (int j = 0; j < d->rank; j++)
            operand->strides[j] = d->sizes[j] == 1 ? 0 : d->strides[j];
    }
}

/* The truth value is made beside out, which may lie in an operand. */
void op_plan_equal(struct ex_plan *plan, const struct op_problem *problem, const int *buffers)
{
    const struct ex_descriptor *self = &problem->values[SELF].tensor->descriptor;
    const struct ex_descriptor *other = &problem->values[OTHER].tensor->descriptor;
    const bool is_one_shape =
        self->rank == other->rank &&
        memcmp(self->sizes, other->sizes, (size_t)self->rank * sizeof *self->sizes) == 0;
    const struct ex_order order = ex_order_identity(problem->values[OUT].tensor->descriptor.rank);
    const int byte = ex_scratch(plan, 1);
    const struct k_fill fill = {.value = is_one_shape};
    ex_step(plan, "fill", k_best()->fill_bytes, &fill, sizeof fill,
            (struct k_work){.items = 1, .grain = 1}, &byte, 1);
    if (is_one_shape && !op_is_empty(problem->values[SELF].tensor)) {
        struct k_loop loop;
        const int operands[] = {byte, buffers[SELF], buffers[OTHER]};
        set_loop(problem, &loop);
        const struct k_work work = k_loop_finish(&loop, 1);
        ex_step(plan, "equal", k_best()->equal, &loop, sizeof loop, work, operands, 3);
    }
    ex_deliver(plan, byte, buffers[OUT], &order);
}
