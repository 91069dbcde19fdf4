/* SPDX-License-Identifier: Apache-2.0 */
/* Factors and addends that have some axes of a tensor: aclnnScale, aclnnModulate, aclnnBiasAdd;
 * and aclnnAddRelu. */
#include <string.h>

#include "api/op_check.h"
#include "api/op_families.h"
#include "api/op_map.h"
#include "api/op_rule.h"

/* ---- what they share ---- */

static const struct ex_descriptor *shape_of(const struct op_problem *problem, int argument)
{
    return &problem->values[argument].tensor->descriptor;
}

/* The shape of the first argument, which the result has too. */
static aclnnStatus same_shapes(struct op_problem *problem)
{
    const struct op_value *x = &problem->values[0], *y = op_written(problem, 0);
    problem->rank = x->tensor->descriptor.rank;
    memcpy(problem->sizes, x->tensor->descriptor.sizes,
           (size_t)problem->rank * sizeof *problem->sizes);
    return op_check_same_shape(problem->row->name, y->name, y->tensor, x->name, x->tensor);
}

/* A tensor whose axes are those of `rank` ones from `axis` on; along the others it is the same. */
static struct op_place along(struct op_place place, int rank, int axis)
{
    const struct op_view own = place.view;
    const bool is_one = own.rank == 1 && own.sizes[0] == 1;
    place.view.rank = rank;
    for (int i = 0; i < rank; i++) {
        const bool has_axis = !is_one && i >= axis && i < axis + own.rank;
        place.view.sizes[i] = has_axis ? own.sizes[i - axis] : 1;
        place.view.strides[i] = has_axis ? own.strides[i - axis] : 0;
    }
    return place;
}

/* to = x factor + addend; what is NULL is 1 or 0. */
static void multiply_and_add(const struct op_shape_call *call, const struct op_place *x,
                             const struct op_place *factor, const struct op_place *addend,
                             const struct op_place *to)
{
    const struct op_problem *problem = call->problem;
    const enum k_core core = !addend ? K_CORE_mul : factor ? K_CORE_addcmul : K_CORE_add;
    struct op_map map;
    if (!factor && !addend) {
        op_copy_place(call->plan, x, to);
        return;
    }
    op_map_begin(&map, call->plan, core, problem->type, problem->rank, problem->sizes);
    op_map_result(&map, to);
    if (core == K_CORE_addcmul) op_map_operand(&map, addend);
    op_map_operand(&map, x);
    if (factor) op_map_operand(&map, factor);
    if (core == K_CORE_add) op_map_operand(&map, addend);
    map.e.integers[map.numbers] = 1;
    op_map_number(&map, 1);
    op_map_end(&map);
}

/* ---- aclnnScale ---- */

enum { SCALE_X, SCALE_FACTOR, SCALE_ADDEND, SCALE_AXIS, SCALE_AXES, SCALE_BLOB, SCALE_Y };

static aclnnStatus scale_shapes(struct op_problem *problem)
{
    const struct op_value *values = problem->values;
    const struct op_value *scale = &values[SCALE_FACTOR], *bias = &values[SCALE_ADDEND];
    const int64_t asked = values[SCALE_AXES].integer;
    const int rank = shape_of(problem, SCALE_X)->rank;
    int axis;
    OP_TRY(same_shapes(problem));
    OP_TRY(op_check_axis(problem, &values[SCALE_AXIS], values[SCALE_X].tensor, &axis));
    OP_CHECK(problem->row->name, asked >= -1, ACLNN_ERR_PARAM_INVALID,
             "numAxes is %" PRId64 "; it must be at least -1", asked);
    int64_t axes = shape_of(problem, SCALE_FACTOR)->rank;
    if (values[SCALE_BLOB].integer) axes = asked == -1 ? rank - axis : asked;
    OP_CHECK(problem->row->name, axes <= rank - axis || rank == 0, ACLNN_ERR_PARAM_INVALID,
             "axis is %" PRId64 " and scale has %" PRId64 " axes; x has %d",
             values[SCALE_AXIS].integer, axes, rank);
    const int64_t one = 1;
    if (bias->tensor)
        OP_TRY(
            op_check_same_shape(problem->row->name, "bias", bias->tensor, "scale", scale->tensor));
    if (rank == 0 || axes == 0)
        return shape_of(problem, SCALE_FACTOR)->rank == 0
                   ? ACLNN_SUCCESS
                   : op_check_shape(problem, scale, scale->tensor, 1, &one);
    return op_check_shape(problem, scale, scale->tensor, (int)axes, problem->sizes + axis);
}

static void plan_scale(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const struct op_place to = op_map_target(call, SCALE_Y), x = op_target(call, SCALE_X, 0);
    int axis;
    op_find_axis(problem->values[SCALE_AXIS].integer, problem->rank, &axis);
    const struct op_place factor = along(op_target(call, SCALE_FACTOR, 0), problem->rank, axis);
    if (problem->values[SCALE_ADDEND].tensor) {
        const struct op_place addend = along(op_target(call, SCALE_ADDEND, 0), problem->rank, axis);
        multiply_and_add(call, &x, &factor, &addend, &to);
    } else {
        multiply_and_add(call, &x, &factor, NULL, &to);
    }
    op_deliver(call, &to, SCALE_Y);
}

const struct op_rule op_rule_scale = {
    .types = op_one_type,
    .shapes = scale_shapes,
    .more = &(const struct op_shape_rule){plan_scale},
};

/* ---- aclnnModulate ---- */

enum { MODULATE_SELF, MODULATE_SCALE, MODULATE_SHIFT, MODULATE_OUT };

static aclnnStatus modulate_shapes(struct op_problem *problem)
{
    OP_TRY(op_check_rank(problem->row->name, "self", problem->values[MODULATE_SELF].tensor, 3, 3));
    OP_TRY(same_shapes(problem));
    for (int i = MODULATE_SCALE; i <= MODULATE_SHIFT; i++) {
        const struct op_value *value = &problem->values[i];
        if (!value->tensor) continue;
        const int rank = value->tensor->descriptor.rank == 2 ? 2 : 3;
        const int64_t sizes[] = {problem->sizes[0], rank == 2 ? problem->sizes[2] : 1,
                                 problem->sizes[2]};
        OP_TRY(op_check_shape(problem, value, value->tensor, rank, sizes));
    }
    return ACLNN_SUCCESS;
}

/* With an axis of one element in the middle. */
static struct op_place per_sequence(struct op_place place)
{
    if (place.view.rank == 3) return place;
    place.view.rank = 3;
    place.view.sizes[2] = place.view.sizes[1];
    place.view.strides[2] = place.view.strides[1];
    place.view.sizes[1] = 1;
    place.view.strides[1] = 0;
    return place;
}

/* 1 + scale, not rounded to a half type. */
static struct op_place factor_of(const struct op_shape_call *call)
{
    const struct op_place scale = per_sequence(op_target(call, MODULATE_SCALE, 0));
    const aclDataType type = scale.view.type == ACL_DOUBLE ? ACL_DOUBLE : ACL_FLOAT;
    const struct op_place factor = op_scratch_place(call->plan, type, 3, scale.view.sizes);
    struct op_map map;
    op_map_begin(&map, call->plan, K_CORE_add, type, 3, scale.view.sizes);
    op_map_result(&map, &factor);
    op_map_operand(&map, &scale);
    op_map_constant(&map, 1);
    op_map_number(&map, 1);
    op_map_end(&map);
    return factor;
}

static void plan_modulate(const struct op_shape_call *call)
{
    const struct op_value *values = call->problem->values;
    const struct op_place to = op_map_target(call, MODULATE_OUT);
    const struct op_place x = op_target(call, MODULATE_SELF, 0);
    struct op_place factor, shift;
    if (values[MODULATE_SCALE].tensor) factor = factor_of(call);
    if (values[MODULATE_SHIFT].tensor) shift = per_sequence(op_target(call, MODULATE_SHIFT, 0));
    multiply_and_add(call, &x, values[MODULATE_SCALE].tensor ? &factor : NULL,
                     values[MODULATE_SHIFT].tensor ? &shift : NULL, &to);
    op_deliver(call, &to, MODULATE_OUT);
}

const struct op_rule op_rule_modulate = {
    .types = op_one_type,
    .shapes = modulate_shapes,
    .more = &(const struct op_shape_rule){plan_modulate},
};

/* ---- aclnnBiasAdd ---- */

enum { BIAS_X, BIAS, BIAS_FORMAT, BIAS_OUT };

static aclnnStatus channel_axis(const struct op_problem *problem, int *axis)
{
    const char *format = problem->values[BIAS_FORMAT].text;
    const bool is_last = !format || strcmp(format, "NHWC") == 0 || strcmp(format, "NDHWC") == 0;
    OP_CHECK(problem->row->name,
             is_last || strcmp(format, "NCHW") == 0 || strcmp(format, "NCDHW") == 0,
             ACLNN_ERR_PARAM_INVALID,
             "dataFormatOptional is \"%s\"; it must be \"NHWC\", \"NDHWC\", \"NCHW\" or \"NCDHW\"",
             format);
    *axis = is_last ? shape_of(problem, BIAS_X)->rank - 1 : 1;
    return ACLNN_SUCCESS;
}

static aclnnStatus bias_shapes(struct op_problem *problem)
{
    const struct op_value *x = &problem->values[BIAS_X], *bias = &problem->values[BIAS];
    int axis;
    OP_TRY(op_check_rank(problem->row->name, "x", x->tensor, 2, EX_MAX_RANK));
    OP_TRY(same_shapes(problem));
    OP_TRY(channel_axis(problem, &axis));
    return op_check_shape(problem, bias, bias->tensor, 1, &problem->sizes[axis]);
}

static void plan_bias(const struct op_shape_call *call)
{
    const struct op_place to = op_map_target(call, BIAS_OUT), x = op_target(call, BIAS_X, 0);
    int axis = 0;
    if (channel_axis(call->problem, &axis) != ACLNN_SUCCESS) return; /* it was checked */
    const struct op_place bias = along(op_target(call, BIAS, 0), call->problem->rank, axis);
    multiply_and_add(call, &x, NULL, &bias, &to);
    op_deliver(call, &to, BIAS_OUT);
}

const struct op_rule op_rule_bias_add = {
    .types = op_one_type,
    .shapes = bias_shapes,
    .more = &(const struct op_shape_rule){plan_bias},
};

/* ---- aclnnAddRelu ---- */

/* Sums of integers wrap before they are compared with 0. */
static void plan_add_relu(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const aclScalar *alpha = op_argument_of_kind(problem, OP_COEFFICIENT)->scalar;
    const bool is_real = op_is_floating(problem->type);
    const int out = (int)(op_written(problem, 0) - problem->values);
    const struct op_place to = op_map_target(call, out);
    const struct op_place sum =
        is_real ? to : op_scratch_place(call->plan, problem->type, problem->rank, problem->sizes);
    struct op_map map;
    op_map_begin(&map, call->plan, is_real ? K_CORE_add_relu : K_CORE_add, problem->type,
                 problem->rank, problem->sizes);
    op_map_result(&map, &sum);
    op_map_argument(&map, call, 0);
    op_map_argument(&map, call, 1);
    map.e.integers[0] = op_scalar_integer(alpha);
    op_map_number(&map, op_scalar_real(alpha));
    op_map_end(&map);
    if (!is_real) {
        op_map_begin(&map, call->plan, K_CORE_relu, problem->type, problem->rank, problem->sizes);
        op_map_result(&map, &to);
        op_map_operand(&map, &sum);
        op_map_end(&map);
    }
    op_deliver(call, &to, out);
}

const struct op_rule op_rule_add_relu = {
    .types = op_types_promoted,
    .shapes = op_check_broadcast,
    .more = &(const struct op_shape_rule){plan_add_relu},
};
