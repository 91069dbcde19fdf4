/* SPDX-License-Identifier: Apache-2.0 */
/* What reductions, scans and selections take. */
#include "api/op_reduce.h"

#include <math.h>
#include <string.h>

#include "api/op_complex.h"
#include "api/op_copy.h"
#include "api/op_rule.h"

/* ---- arguments ---- */

/* A single axis: a number, or a scalar (aclnnCumprod). */
static const struct op_value *single_axis(const struct op_problem *problem)
{
    return op_argument_named(problem, "dim");
}

static int64_t axis_of(const struct op_value *value)
{
    return op_is_scalar(value) ? op_scalar_integer(value->scalar) : value->integer;
}

static const aclTensor *self_of(const struct op_problem *problem)
{
    return problem->tensor[0]->tensor;
}

unsigned op_reduced_axes(const struct op_problem *problem)
{
    const int rank = self_of(problem)->descriptor.rank;
    const struct op_value *list = op_argument_of_kind(problem, OP_INTS);
    const struct op_value *axis = list ? NULL : single_axis(problem);
    const unsigned all = (1U << rank) - 1;
    unsigned axes = 0;
    int found;
    if (axis) return op_find_axis(axis_of(axis), rank, &found) && rank > 0 ? 1U << found : 0;
    if (!list || !list->ints || list->ints->size == 0) {
        const struct op_value *none = op_argument_named(problem, "noopWithEmptyAxes");
        if (!none) none = op_argument_named(problem, "noopWithEmptyDims");
        return none && none->integer ? 0 : all;
    }
    for (uint64_t i = 0; i < list->ints->size; i++)
        if (op_find_axis(list->ints->values[i], rank, &found) && rank > 0) axes |= 1U << found;
    return axes;
}

bool op_keeps_axes(const struct op_problem *problem)
{
    static const char *const names[] = {"keepDims", "keepDim", "keepdim"};
    for (int i = 0; i < 3; i++) {
        const struct op_value *keep = op_argument_named(problem, names[i]);
        if (keep) return keep->integer != 0;
    }
    return false;
}

static bool is_scan(const struct op_problem *problem)
{
    return problem->row->core >= OP_REDUCE_cumsum;
}

int op_place_result(const struct op_problem *problem)
{
    const int core = problem->row->core;
    if (core < OP_REDUCE_max_place || core == OP_REDUCE_cumsum || core == OP_REDUCE_cumprod)
        return -1;
    const bool has_two = op_written(problem, 1) != NULL;
    if (core == OP_REDUCE_max_place || core == OP_REDUCE_min_place) return has_two ? 1 : 0;
    return has_two ? 1 : -1;
}

/* ---- types ---- */

static aclDataType type_of(const aclTensor *tensor)
{
    return (aclDataType)tensor->descriptor.data_type;
}

/* The type that dtype asks for; else `own`. */
static aclnnStatus asked_type(const struct op_problem *problem, aclDataType own, aclDataType *type)
{
    const struct op_value *dtype = op_argument_of_kind(problem, OP_TYPE_OF);
    *type = own;
    if (!dtype || dtype->integer == ACL_DT_UNDEFINED) return ACLNN_SUCCESS;
    OP_CHECK(problem->row->name,
             dtype->integer >= 0 && dtype->integer < 64 &&
                 (problem->row->types >> dtype->integer & 1) != 0,
             ACLNN_ERR_PARAM_INVALID, "%s is %s; it must be one of %s", dtype->name,
             op_data_type_name((aclDataType)dtype->integer), problem->row->type_names);
    *type = (aclDataType)dtype->integer;
    OP_CHECK(problem->row->name, op_is_complex(*type) == op_is_complex(own),
             ACLNN_ERR_PARAM_INVALID, "%s is %s; it must be complex if and only if self is",
             dtype->name, op_data_type_name(*type));
    return ACLNN_SUCCESS;
}

/* What integers become where only floating numbers have a meaning. */
static aclDataType floating(aclDataType type)
{
    return op_is_floating(type) || op_is_complex(type) ? type : ACL_FLOAT;
}

static aclnnStatus check_result_types(const struct op_problem *problem)
{
    const int places = op_place_result(problem);
    const struct op_value *value;
    for (int i = 0; (value = op_written(problem, i)) != NULL; i++) {
        const aclDataType to = type_of(value->tensor);
        if (i == places) {
            const uint64_t integers = OP_TYPE(ACL_INT64) | OP_TYPE(ACL_INT32);
            OP_TRY(op_check_type(problem->row->name, value->name, value->tensor, integers,
                                 "INT64, INT32"));
            continue;
        }
        OP_TRY(op_check_type(problem->row->name, value->name, value->tensor,
                             problem->row->types | OP_TYPE(ACL_BOOL), problem->row->type_names));
        OP_CHECK(problem->row->name,
                 op_can_cast(problem->result, to) &&
                     op_is_complex(problem->result) == op_is_complex(to),
                 ACLNN_ERR_PARAM_INVALID,
                 "%s's data type is %s; the result's is %s, which cannot be cast to it",
                 value->name, op_data_type_name(to), op_data_type_name(problem->result));
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus types(struct op_problem *problem)
{
    const struct op_value *self = problem->tensor[0];
    const aclDataType own = type_of(self->tensor);
    OP_TRY(op_check_type(problem->row->name, self->name, self->tensor, problem->row->types,
                         problem->row->type_names));
    problem->type = own;
    switch (problem->row->core) {
    case OP_REDUCE_any:
    case OP_REDUCE_all:
        problem->result = ACL_BOOL;
        break;
    case OP_REDUCE_trace:
        problem->type = problem->result = own == floating(own) ? own : ACL_INT64;
        break;
    case OP_REDUCE_log_sum:
    case OP_REDUCE_log_sum_exp:
    case OP_REDUCE_var:
    case OP_REDUCE_std:
        problem->type = problem->result = floating(own);
        break;
    case OP_REDUCE_mean:
    case OP_REDUCE_norm:
        OP_TRY(asked_type(problem, floating(own), &problem->type));
        problem->result = problem->type;
        OP_CHECK(problem->row->name, problem->type == floating(problem->type),
                 ACLNN_ERR_PARAM_INVALID, "dtype is %s; it must be a floating type",
                 op_data_type_name(problem->type));
        break;
    default:
        OP_TRY(asked_type(problem, own, &problem->type));
        problem->result = problem->type;
    }
    return check_result_types(problem);
}

/* ---- shapes ---- */

static aclnnStatus check_axis(const struct op_problem *problem, const char *name, int64_t axis)
{
    const int rank = self_of(problem)->descriptor.rank, axes = rank > 0 ? rank : 1;
    int found;
    OP_CHECK(problem->row->name, op_find_axis(axis, rank, &found), ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRId64 "; it must be from %d to %d", name, axis, -axes, axes - 1);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_axes(const struct op_problem *problem)
{
    const int rank = self_of(problem)->descriptor.rank;
    const struct op_value *list = op_argument_of_kind(problem, OP_INTS);
    const struct op_value *axis = list ? NULL : single_axis(problem);
    unsigned seen = 0;
    int found;
    if (axis) return check_axis(problem, axis->name, axis_of(axis));
    for (uint64_t i = 0; list && list->ints && i < list->ints->size; i++) {
        OP_TRY(check_axis(problem, list->name, list->ints->values[i]));
        op_find_axis(list->ints->values[i], rank, &found);
        OP_CHECK(problem->row->name, !(seen >> found & 1), ACLNN_ERR_PARAM_INVALID,
                 "%s names axis %d twice", list->name, found);
        seen |= 1U << found;
    }
    return ACLNN_SUCCESS;
}

static bool needs_elements(const struct op_problem *problem)
{
    const struct op_value *p = op_argument_of_kind(problem, OP_SCALAR);
    switch (problem->row->core) {
    case OP_REDUCE_max:
    case OP_REDUCE_min:
    case OP_REDUCE_min_max:
    case OP_REDUCE_max_place:
    case OP_REDUCE_min_place:
    case OP_REDUCE_kth:
        return true;
    case OP_REDUCE_median:
    case OP_REDUCE_nan_median:
        return op_place_result(problem) >= 0 || !op_is_floating(problem->type);
    case OP_REDUCE_norm:
        return p && isinf(op_scalar_real(p->scalar));
    default:
        return false;
    }
}

static aclnnStatus check_elements(const struct op_problem *problem)
{
    const struct ex_descriptor *d = &self_of(problem)->descriptor;
    const unsigned axes = op_reduced_axes(problem);
    struct op_shape_text text;
    for (int i = 0; i < d->rank; i++)
        OP_CHECK(problem->row->name, !(axes >> i & 1) || d->sizes[i] > 0, ACLNN_ERR_PARAM_INVALID,
                 "%s's shape is %s; axis %d has no element to choose from",
                 problem->tensor[0]->name, op_shape(&text, self_of(problem)), i);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_kth(const struct op_problem *problem)
{
    const struct ex_descriptor *d = &self_of(problem)->descriptor;
    const struct op_value *k = op_argument_named(problem, "k");
    const unsigned axes = op_reduced_axes(problem);
    int64_t size = 1;
    for (int i = 0; i < d->rank; i++)
        if (axes >> i & 1) size = d->sizes[i];
    OP_CHECK(problem->row->name, k->integer >= 1 && k->integer <= size, ACLNN_ERR_PARAM_INVALID,
             "k is %" PRId64 "; it must be from 1 to %" PRId64, k->integer, size);
    return ACLNN_SUCCESS;
}

/* Problem->sizes is the shape of results; of one element in all, a single axis does as well. */
static aclnnStatus check_result_shapes(const struct op_problem *problem, bool reduces_all)
{
    const struct op_value *value;
    struct op_shape_text text, result;
    for (int i = 0; (value = op_written(problem, i)) != NULL; i++) {
        const struct ex_descriptor *d = &value->tensor->descriptor;
        bool fits = d->rank == problem->rank;
        for (int axis = 0; axis < d->rank && fits; axis++)
            fits = d->sizes[axis] == problem->sizes[axis];
        fits |= reduces_all && d->rank == 1 && d->sizes[0] == 1;
        OP_CHECK(problem->row->name, fits, ACLNN_ERR_PARAM_INVALID,
                 "%s's shape is %s; it must be %s", value->name, op_shape(&text, value->tensor),
                 op_shape_of(&result, problem->rank, problem->sizes));
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus shapes(struct op_problem *problem)
{
    const struct ex_descriptor *d = &self_of(problem)->descriptor;
    struct op_shape_text text;
    OP_TRY(check_axes(problem));
    const bool keeps = op_keeps_axes(problem), is_trace = problem->row->core == OP_REDUCE_trace;
    const unsigned axes = is_scan(problem) ? 0 : op_reduced_axes(problem);
    OP_CHECK(problem->row->name, !is_trace || d->rank == 2, ACLNN_ERR_PARAM_INVALID,
             "%s's shape is %s; it must have 2 dimensions", problem->tensor[0]->name,
             op_shape(&text, self_of(problem)));
    if (needs_elements(problem)) OP_TRY(check_elements(problem));
    if (problem->row->core == OP_REDUCE_kth) OP_TRY(check_kth(problem));
    problem->rank = 0;
    for (int i = 0; i < d->rank; i++) {
        const bool is_reduced = axes >> i & 1;
        if (is_reduced && !keeps) continue;
        problem->sizes[problem->rank++] = is_reduced ? 1 : d->sizes[i];
    }
    return check_result_shapes(problem, problem->rank == 0 && d->rank > 0);
}

const struct op_rule op_rule_reduce = {.types = types, .shapes = shapes, .runs_empty = true};
