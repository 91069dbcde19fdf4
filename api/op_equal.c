/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnEqual: one truth value of two whole tensors. */
#include <string.h>

#include "api/op_check.h"
#include "api/op_complex.h"
#include "api/op_elementwise.h"
#include "api/op_families.h"
#include "api/op_rule.h"
#include "api/op_shape.h"
#include "executor/steps.h"

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

/* What one step compares: the tensors, or a part of complex ones. */
struct pair {
    struct op_place place[OUT];
    aclDataType type; /* in which is compared */
};

static void compare(struct ex_plan *plan, const struct pair *pair, int byte)
{
    const struct op_view *self = &pair->place[SELF].view;
    const bool is_half = pair->type == ACL_FLOAT16 || pair->type == ACL_BF16;
    struct k_loop loop = {.compute = k_compute_of(op_k_dtype_of(pair->type)), .operands = 2};
    loop.rank = self->rank;
    for (int i = 0; i < self->rank; i++)
        loop.sizes[i] = self->sizes[i];
    for (int i = SELF; i <= OTHER; i++) {
        const struct op_view view =
            op_view_broadcast(&pair->place[i].view, self->rank, self->sizes);
        struct k_loop_operand *operand = &loop.operand[i];
        operand->dtype = operand->via = op_k_dtype_of(view.type);
        if (is_half && !op_is_floating(view.type)) operand->via = op_k_dtype_of(pair->type);
        operand->offset = view.offset;
        memcpy(operand->strides, view.strides, sizeof operand->strides);
    }
    const int operands[] = {byte, pair->place[SELF].buffer, pair->place[OTHER].buffer};
    const struct k_work work = k_loop_finish(&loop, 1);
    ex_step(plan, "equal", k_best()->equal, &loop, sizeof loop, work, operands, 3);
}

static void compare_parts(struct ex_plan *plan, const struct pair *whole, int byte)
{
    struct pair pair = {.type = op_complex_part_type(whole->type)};
    for (int part = 0; part < 2; part++) {
        for (int i = SELF; i <= OTHER; i++)
            pair.place[i] = op_complex_place(plan, &whole->place[i], part);
        compare(plan, &pair, byte);
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
    const struct op_place byte = op_scratch_place(plan, ACL_BOOL, 0, NULL);
    op_fill_place(plan, &byte, is_one_shape, is_one_shape);
    if (is_one_shape && !op_is_empty(problem->values[SELF].tensor)) {
        struct pair pair = {.type = problem->type};
        for (int i = SELF; i <= OTHER; i++)
            pair.place[i] = (struct op_place){buffers[i], op_view_of(problem->values[i].tensor)};
        if (op_is_complex(problem->type))
            compare_parts(plan, &pair, byte.buffer);
        else
            compare(plan, &pair, byte.buffer);
    }
    ex_deliver(plan, byte.buffer, buffers[OUT], &order);
}
