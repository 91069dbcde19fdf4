/* SPDX-License-Identifier: Apache-2.0 */
/* Scales and zero points along any axis: aclnnQuantize, and what a quantised network would compute,
 * aclnnFakeQuantPerTensorAffineCachemask and PerChannel. */
#include "api/op_shape.h"
#include "kernels/kernels.h"
#include "kernels/quant/k_quantize.h"

/* What the arguments of an operator mean; NULL: there is none. */
struct axis_call {
    const struct op_value *x, *scale, *zero, *out, *mask;
    bool is_fake, is_one; /* is_one: one scale, whatever the axis */
};

static struct axis_call call_of(const struct op_problem *problem)
{
    const struct op_value *values = problem->values;
    return (struct axis_call){
        .x = &values[0],
        .scale = &values[1],
        .zero = values[2].tensor ? &values[2] : NULL,
        .out = op_written(problem, 0),
        .mask = op_written(problem, 1),
        .is_fake = op_argument_named(problem, "quantMin") != NULL,
        .is_one = op_argument_named(problem, "axis") == NULL,
    };
}

static aclnnStatus fake_types(const struct op_problem *problem, const struct axis_call *c)
{
    const char *name = problem->row->name;
    OP_TRY(op_check_type(name, "zeroPoint", c->zero->tensor, OP_TYPE(ACL_INT32), "INT32"));
    OP_TRY(op_check_same_type(name, "out", c->out->tensor, "self", c->x->tensor));
    return op_check_type(name, "mask", c->mask->tensor, OP_TYPE(ACL_BOOL), "BOOL");
}

static aclnnStatus quantize_axis_types(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct axis_call c = call_of(problem);
    OP_TRY(
        op_check_type(name, c.x->name, c.x->tensor, problem->row->types, problem->row->type_names));
    OP_TRY(op_check_float(name, c.scale->name, c.scale->tensor));
    problem->type = problem->result = (aclDataType)c.x->tensor->descriptor.data_type;
    if (c.is_fake) return fake_types(problem, &c);
    if (c.zero)
        OP_TRY(op_check_type(name, c.zero->name, c.zero->tensor,
                             OP_TYPE(ACL_INT32) | OP_TYPE(ACL_INT8) | OP_TYPE(ACL_UINT8) |
                                 OP_TYPE(ACL_FLOAT) | OP_TYPE(ACL_BF16),
                             "INT32, INT8, UINT8, FLOAT, BF16"));
    OP_TRY(op_check_type(name, "out", c.out->tensor,
                         OP_TYPE(ACL_INT8) | OP_TYPE(ACL_UINT8) | OP_TYPE(ACL_INT32),
                         "INT8, UINT8, INT32"));
    const int64_t type = op_integer_named(problem, "dtype", 0);
    OP_CHECK(name, type == c.out->tensor->descriptor.data_type, ACLNN_ERR_PARAM_INVALID,
             "dtype is %s; out's data type is %s", op_data_type_name((aclDataType)type),
             op_data_type_name((aclDataType)c.out->tensor->descriptor.data_type));
    return ACLNN_SUCCESS;
}

/* The axis of the factors, or -1: one serves all. */
static aclnnStatus find_axis(const struct op_problem *problem, const struct axis_call *c, int *axis)
{
    struct op_shape_text text;
    const char *name = problem->row->name;
    const struct ex_descriptor *x = &c->x->tensor->descriptor;
    const struct ex_descriptor *d = &c->scale->tensor->descriptor;
    const int64_t given = op_integer_named(problem, "axis", 0);
    const int64_t count = op_element_count(d->rank, d->sizes);
    const bool may_be_one = c->is_one || !c->is_fake;
    OP_TRY(op_check_rank(name, c->scale->name, c->scale->tensor, c->is_one ? 0 : 1, 1));
    if (c->zero)
        OP_TRY(op_check_same_shape(name, c->zero->name, c->zero->tensor, c->scale->name,
                                   c->scale->tensor));
    *axis = -1;
    OP_CHECK(name, c->is_one || op_find_axis(given, x->rank, axis), ACLNN_ERR_PARAM_INVALID,
             "axis is %" PRId64 "; %s has %d dimensions", given, c->x->name, x->rank);
    const int64_t wanted = c->is_one || x->rank == 0 ? 1 : x->sizes[*axis];
    OP_CHECK(name, count == wanted || (may_be_one && count == 1), ACLNN_ERR_PARAM_INVALID,
             "%s's shape is %s; it must have %" PRId64 " elements%s", c->scale->name,
             op_shape(&text, c->scale->tensor), wanted, may_be_one && wanted != 1 ? ", or 1" : "");
    if (count == 1) *axis = -1;
    return ACLNN_SUCCESS;
}

static aclnnStatus quantize_axis_shapes(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct axis_call c = call_of(problem);
    const int64_t least = op_integer_named(problem, "quantMin", 0);
    const int64_t most = op_integer_named(problem, "quantMax", 0);
    int axis;
    OP_TRY(op_check_rank(name, c.x->name, c.x->tensor, c.is_fake ? 0 : 1, EX_MAX_RANK));
    OP_TRY(find_axis(problem, &c, &axis));
    OP_CHECK(name, least <= most, ACLNN_ERR_PARAM_INVALID,
             "quantMin is %" PRId64 " and quantMax %" PRId64 "; quantMax must not be less", least,
             most);
    if (c.mask) OP_TRY(op_check_same_shape(name, "mask", c.mask->tensor, c.x->name, c.x->tensor));
    return op_check_same_shape(name, "out", c.out->tensor, c.x->name, c.x->tensor);
}

/* ---- plan ---- */

static int argument_of(const struct op_shape_call *call, const struct op_value *value)
{
    return (int)(value - call->problem->values);
}

/* x as it is, and true. */
static void copy_all(const struct op_shape_call *call, const struct axis_call *c)
{
    const struct op_place from = op_source(call, argument_of(call, c->x), 0);
    const struct op_place to = op_target(call, argument_of(call, c->out), 0);
    const struct op_place mask = op_target(call, argument_of(call, c->mask), 0);
    op_copy_place(call->plan, &from, &to);
    op_fill_place(call->plan, &mask, 1, 1);
}

static void quantize_axis(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const struct axis_call c = call_of(problem);
    const struct ex_descriptor *x = &c.x->tensor->descriptor;
    const int last = x->rank - 1;
    int axis = -1;
    if (c.is_fake && c.is_one && !(op_real_named(problem, "fakeQuantEnbled", 1) >= 1)) {
        copy_all(call, &c);
        return;
    }
    find_axis(problem, &c, &axis);
    struct k_quantize q = {.what = c.is_fake ? K_QUANTIZE_FAKE : K_QUANTIZE,
                           .from = op_k_dtype(c.x->tensor),
                           .to = op_k_dtype(c.out->tensor),
                           .factor = op_k_dtype(c.scale->tensor),
                           .offset = c.zero ? op_k_dtype(c.zero->tensor) : K_F32,
                           .rows = x->rank > 0 ? op_element_count(last, x->sizes) : 1,
                           .columns = x->rank > 0 ? x->sizes[last] : 1,
                           .by_column = axis >= 0 && axis == last,
                           .inner = 1,
                           .has_scale = true,
                           .has_offset = c.zero != NULL,
                           .divides = true,
                           .least = op_integer_named(problem, "quantMin", 0),
                           .most = op_integer_named(problem, "quantMax", 0)};
    if (axis >= 0 && axis < last) {
        q.period = x->sizes[axis];
        q.inner = op_element_count(last - axis - 1, x->sizes + axis + 1);
    }
    const struct op_place from = op_dense_source(call, argument_of(call, c.x));
    const struct op_place scale = op_dense_source(call, argument_of(call, c.scale));
    const struct op_place zero = c.zero ? op_dense_source(call, argument_of(call, c.zero)) : scale;
    const struct op_place to = op_dense_target(call, argument_of(call, c.out));
    const struct op_place mask = c.mask ? op_dense_target(call, argument_of(call, c.mask)) : to;
    const struct k_work work = k_quantize_plan(&q);
    ex_step(call->plan, "quantize", k_best()->quantize, &q, sizeof q, work,
            EX_BUFFERS(from.buffer, scale.buffer, zero.buffer, to.buffer, mask.buffer));
    op_deliver(call, &to, argument_of(call, c.out));
    if (c.mask) op_deliver(call, &mask, argument_of(call, c.mask));
}

const struct op_rule op_rule_quantize_axis = {
    .types = quantize_axis_types,
    .shapes = quantize_axis_shapes,
    .more = &(const struct op_shape_rule){quantize_axis},
};
