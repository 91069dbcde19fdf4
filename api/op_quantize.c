/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as INT8 and back: aclnnAscendQuant, AscendQuantV3, AscendAntiQuant. */
#include <string.h>

#include "api/op_shape.h"
#include "kernels/kernels.h"
#include "kernels/quant/k_quantize.h"

/* A rule's `more`. */
struct quantize_rule {
    struct op_shape_rule shape; /* first */
    enum k_quantize_what what;
};

enum { X, FACTOR, OFFSET };

static const struct quantize_rule *rule_of(const struct op_problem *problem)
{
    return problem->row->rule->more;
}

/* ---- checks ---- */

static aclnnStatus quantize_types(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct op_value *values = problem->values, *y = op_written(problem, 0);
    const bool is_back = rule_of(problem)->what == K_DEQUANTIZE;
    const struct op_value *small = is_back ? &values[X] : y, *large = is_back ? y : &values[X];
    const int64_t type = op_integer_named(problem, "dstType", y->tensor->descriptor.data_type);
    OP_TRY(op_check_type(name, small->name, small->tensor, OP_TYPE(ACL_INT8), "INT8"));
    OP_TRY(op_check_type(name, large->name, large->tensor, problem->row->types,
                         problem->row->type_names));
    OP_CHECK(name, type == y->tensor->descriptor.data_type, ACLNN_ERR_PARAM_INVALID,
             "dstType is %" PRId64 "; y's type is %s (%d)", type,
             op_data_type_name((aclDataType)y->tensor->descriptor.data_type),
             y->tensor->descriptor.data_type);
    OP_TRY(op_check_float(name, values[FACTOR].name, values[FACTOR].tensor));
    if (values[OFFSET].tensor)
        OP_TRY(op_check_same_type(name, "offset", values[OFFSET].tensor, "scale",
                                  values[FACTOR].tensor));
    problem->type = problem->result = (aclDataType)large->tensor->descriptor.data_type;
    return ACLNN_SUCCESS;
}

/* The axis of x that the factors belong to, from the end: 1 or 2; 0: one serves all. */
static aclnnStatus find_axis(const struct op_problem *problem, int *from_end)
{
    struct op_shape_text text, of_x;
    const struct ex_descriptor *x = &problem->values[X].tensor->descriptor;
    const struct ex_descriptor *d = &problem->values[FACTOR].tensor->descriptor;
    const int64_t given = op_integer_named(problem, "axis", -1);
    int axis, long_axis = -1, last = d->rank - 1;
    OP_CHECK(problem->row->name,
             op_find_axis(given, x->rank, &axis) && x->rank > 0 && axis >= x->rank - 2,
             ACLNN_ERR_PARAM_INVALID,
             "axis is %" PRId64 "; x has %d dimensions, and it must be one of the last two", given,
             x->rank);
    bool fits = d->rank == 1 || d->rank == x->rank;
    for (int i = 0; i < d->rank; i++)
        if (d->sizes[i] != 1) {
            fits = fits && long_axis < 0;
            long_axis = i;
        }
    const int64_t size = long_axis < 0 ? 1 : d->sizes[long_axis];
    if (d->rank > 1 && long_axis >= 0) fits = fits && long_axis == axis;
    if (size != 1) fits = fits && size == x->sizes[axis];
    OP_CHECK(problem->row->name, fits && last >= 0, ACLNN_ERR_PARAM_INVALID,
             "%s's shape is %s; it must be 1 or dimension %d of x's, %s",
             problem->values[FACTOR].name, op_shape(&text, problem->values[FACTOR].tensor), axis,
             op_shape(&of_x, problem->values[X].tensor));
    *from_end = size == 1 ? 0 : x->rank - axis;
    return ACLNN_SUCCESS;
}

static aclnnStatus find_whole(const struct op_problem *problem, enum k_whole *whole)
{
    static const char *const names[] = {"round", "ceil", "floor", "trunc"};
    const struct op_value *mode = op_argument_named(problem, "roundMode");
    *whole = K_WHOLE_ROUND;
    if (!mode || !mode->text || !*mode->text) return ACLNN_SUCCESS;
    for (int i = 0; i < (int)RT_LENGTH(names); i++)
        if (strcmp(mode->text, names[i]) == 0) {
            *whole = (enum k_whole)i;
            return ACLNN_SUCCESS;
        }
    return rt_error_report(ACLNN_ERR_PARAM_INVALID, problem->row->name,
                           "roundMode is \"%.20s\"; it must be round, ceil, floor or trunc",
                           mode->text);
}

static aclnnStatus quantize_shapes(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct op_value *values = problem->values, *y = op_written(problem, 0);
    enum k_whole whole;
    int from_end;
    OP_TRY(op_check_same_shape(name, y->name, y->tensor, "x", values[X].tensor));
    OP_TRY(find_whole(problem, &whole));
    OP_TRY(op_check_rank(name, "x", values[X].tensor, 1, EX_MAX_RANK));
    OP_TRY(find_axis(problem, &from_end));
    return !values[OFFSET].tensor ? ACLNN_SUCCESS
                                  : op_check_same_shape(name, "offset", values[OFFSET].tensor,
                                                        "scale", values[FACTOR].tensor);
}

/* ---- plan ---- */

static void quantize(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const struct op_value *values = problem->values;
    const struct ex_descriptor *x = &values[X].tensor->descriptor;
    const int y = (int)(op_written(problem, 0) - values);
    struct k_quantize q = {.what = rule_of(problem)->what,
                           .from = op_k_dtype(values[X].tensor),
                           .to = op_k_dtype(values[y].tensor),
                           .factor = op_k_dtype(values[FACTOR].tensor),
                           .offset = op_k_dtype(values[FACTOR].tensor),
                           .columns = x->sizes[x->rank - 1],
                           .inner = 1,
                           .has_scale = true,
                           .has_offset = values[OFFSET].tensor != NULL,
                           .is_square = op_integer_named(problem, "sqrtMode", 0) != 0};
    q.rows = op_element_count(x->rank - 1, x->sizes);
    if (q.rows == 0) return;
    const struct op_place from = op_dense_source(call, X);
    const struct op_place scale = op_dense_source(call, FACTOR);
    const struct op_place offset = q.has_offset ? op_dense_source(call, OFFSET) : scale;
    int from_end;
    find_axis(problem, &from_end);
    find_whole(problem, &q.whole);
    q.by_column = from_end == 1;
    q.period = from_end == 2 ? x->sizes[x->rank - 2] : 0;
    const struct op_place to = op_dense_target(call, y);
    const struct k_work work = k_quantize_plan(&q);
    ex_step(call->plan, "quantize", k_best()->quantize, &q, sizeof q, work,
            EX_BUFFERS(from.buffer, scale.buffer, offset.buffer, to.buffer));
    op_deliver(call, &to, y);
}

#define QUANTIZE(name, what_)                                                                      \
    const struct op_rule op_rule_##name = {.types = quantize_types,                                \
                                           .shapes = quantize_shapes,                              \
                                           .more =                                                 \
                                               &(const struct quantize_rule){{quantize}, what_}}
QUANTIZE(quantize, K_QUANTIZE);
QUANTIZE(dequantize, K_DEQUANTIZE);
