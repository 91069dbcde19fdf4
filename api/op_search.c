/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnSearchSorted, aclnnSearchSorteds, aclnnBucketize, aclnnIsInScalarTensor. */
#include <stdio.h>
#include <string.h>

#include "api/op_scatter.h"
#include "kernels/index/k_mask.h"
#include "kernels/index/k_search.h"
#include "runtime/support/base.h"

/* ---- places in sorted sequences ---- */

/* The arguments, whose names differ. */
struct searching {
    int sequence, values; /* values: a tensor or a scalar */
    const struct op_value *sorter;
    bool is_right, is_narrow;
};

static struct searching searching_of(const struct op_problem *problem)
{
    const int sequence = op_place_of(problem, "sortedSequence");
    return (struct searching){.sequence =
                                  sequence >= 0 ? sequence : op_place_of(problem, "boundaries"),
                              .values = op_place_of(problem, "self"),
                              .sorter = op_argument_named(problem, "sorter"),
                              .is_right = op_argument_named(problem, "right")->integer != 0,
                              .is_narrow = op_argument_named(problem, "outInt32")->integer != 0};
}

static bool has_sorter(const struct searching *s)
{
    return s->sorter && s->sorter->tensor;
}

static aclnnStatus search_types(struct op_problem *problem)
{
    const struct searching s = searching_of(problem);
    const struct op_value *out = op_argument_named(problem, "out");
    const struct op_value *sequence = &problem->values[s.sequence];
    const struct op_value *values = &problem->values[s.values];
    const char *name = problem->row->name;
    const aclDataType type = (aclDataType)sequence->tensor->descriptor.data_type;
    OP_TRY(op_check_type(name, sequence->name, sequence->tensor, problem->row->types,
                         problem->row->type_names));
    if (op_is_scalar(values)) {
        problem->type = op_promote_scalar(type, values->scalar->data_type);
        OP_CHECK(name, op_can_cast(problem->type, ACL_DOUBLE), ACLNN_ERR_PARAM_INVALID,
                 "self is of type %s; it must be a real number",
                 op_data_type_name(values->scalar->data_type));
    } else {
        OP_TRY(op_check_type(name, values->name, values->tensor, problem->row->types,
                             problem->row->type_names));
        problem->type = op_promote(type, (aclDataType)values->tensor->descriptor.data_type);
    }
    if (has_sorter(&s))
        OP_TRY(op_check_type(name, s.sorter->name, s.sorter->tensor, OP_TYPE(ACL_INT64), "INT64"));
    return op_check_type(name, "out", out->tensor, OP_TYPE(s.is_narrow ? ACL_INT32 : ACL_INT64),
                         s.is_narrow ? "INT32, as outInt32 says" : "INT64, as outInt32 says");
}

static aclnnStatus search_shapes(struct op_problem *problem)
{
    const struct searching s = searching_of(problem);
    const struct op_value *out = op_argument_named(problem, "out");
    const struct op_value *sequence = &problem->values[s.sequence];
    const struct op_value *values = &problem->values[s.values];
    const struct ex_descriptor *d = &sequence->tensor->descriptor;
    struct op_shape_text text, other;
    const bool is_flat = op_is_scalar(values) || strcmp(sequence->name, "boundaries") == 0;
    OP_TRY(op_check_rank(problem->row->name, sequence->name, sequence->tensor, 1,
                         is_flat ? 1 : EX_MAX_RANK));
    if (has_sorter(&s))
        OP_TRY(op_check_same_shape(problem->row->name, "sorter", s.sorter->tensor, sequence->name,
                                   sequence->tensor));
    if (op_is_scalar(values)) {
        const struct ex_descriptor *o = &out->tensor->descriptor;
        OP_CHECK(problem->row->name, o->rank == 0 || (o->rank == 1 && o->sizes[0] == 1),
                 ACLNN_ERR_PARAM_INVALID, "out's shape is %s; it must have one element",
                 op_shape(&text, out->tensor));
        return ACLNN_SUCCESS;
    }
    OP_TRY(op_check_same_shape(problem->row->name, "out", out->tensor, "self", values->tensor));
    const struct ex_descriptor *v = &values->tensor->descriptor;
    bool fits = d->rank == 1 || d->rank == v->rank;
    for (int axis = 0; fits && axis < d->rank - 1; axis++)
        fits = d->sizes[axis] == v->sizes[axis];
    OP_CHECK(problem->row->name, fits, ACLNN_ERR_PARAM_INVALID,
             "%s's shape is %s; it must have one dimension, or self's but for the last, which is "
             "%s",
             sequence->name, op_shape(&text, sequence->tensor), op_shape(&other, values->tensor));
    return ACLNN_SUCCESS;
}

/* The type in which is compared: each value of `type` is one of it, in the same order. */
static aclDataType compared(aclDataType type)
{
    if (type == ACL_DOUBLE || type == ACL_INT64) return type;
    if (type == ACL_UINT32) return ACL_INT64;
    return op_is_floating(type) ? ACL_FLOAT : ACL_INT32;
}

/* An argument as dense elements of a type. */
static struct op_place dense_as(const struct op_shape_call *call, int argument, aclDataType via,
                                aclDataType type)
{
    struct op_place own = op_source(call, argument, 0);
    const aclDataType steps[] = {via, type};
    for (int i = 0; i < 2; i++) {
        if (own.view.type == steps[i] && (i == 0 || op_view_is_dense(&own.view))) continue;
        const struct op_place copy =
            op_scratch_place(call->plan, steps[i], own.view.rank, own.view.sizes);
        op_copy_place(call->plan, &own, &copy);
        own = copy;
    }
    return own;
}

static void describe_sorter(const void *parameters, void *const buffers[], int64_t position,
                            char *text, size_t size)
{
    const struct k_search *p = parameters;
    snprintf(text, size,
             "element %" PRId64 " of sorter is %" PRId64 "; it must be from 0 to %" PRId64,
             position, ((const int64_t *)buffers[K_SEARCH_SORTER])[position], p->length - 1);
}

static void plan_search(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const struct searching s = searching_of(problem);
    const int out = op_place_of(problem, "out");
    const aclDataType type = compared(problem->type);
    const struct op_place to = op_dense_target(call, out);
    struct op_place values;
    if (op_view_is_empty(&to.view)) return;
    if (op_is_scalar(&problem->values[s.values])) {
        const aclScalar *scalar = problem->values[s.values].scalar;
        values = op_scratch_place(call->plan, type, 0, NULL);
        op_fill_place(call->plan, &values, op_scalar_real(scalar), op_scalar_integer(scalar));
    } else {
        values = dense_as(call, s.values, problem->type, type);
    }
    struct op_place sequence = values, sorter = values; /* of nothing there is nothing to read */
    const struct ex_descriptor *d = &problem->values[s.sequence].tensor->descriptor;
    struct k_search p = {.dtype = op_k_dtype_of(type),
                         .values = op_element_count(to.view.rank, to.view.sizes),
                         .length = d->sizes[d->rank - 1],
                         .is_right = s.is_right,
                         .has_sorter = has_sorter(&s) && d->sizes[d->rank - 1] > 0,
                         .is_wide = !s.is_narrow};
    p.per_sequence = d->rank == 1 ? p.values : to.view.sizes[to.view.rank - 1];
    if (p.length > 0) sequence = dense_as(call, s.sequence, problem->type, type);
    if (p.has_sorter) sorter = op_dense_source(call, op_place_of(problem, "sorter"));
    ex_step_with_faults(call->plan, "search", k_search, &p, sizeof p, k_search_work(&p),
                        EX_BUFFERS(sequence.buffer, values.buffer, to.buffer, sorter.buffer),
                        describe_sorter);
    op_deliver(call, &to, out);
}

const struct op_rule op_rule_search = {
    .types = search_types,
    .shapes = search_shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){plan_search},
};

/* ---- aclnnIsInScalarTensor: is some element the number? ---- */

enum { ELEMENT, TEST_ELEMENTS, UNIQUE, INVERT, OUT };

static aclnnStatus is_in_types(struct op_problem *problem)
{
    OP_TRY(op_find_type(problem));
    return op_check_type(problem->row->name, "out", problem->values[OUT].tensor, OP_TYPE(ACL_BOOL),
                         "BOOL");
}

static aclnnStatus is_in_shapes(struct op_problem *problem)
{
    const aclTensor *out = problem->values[OUT].tensor;
    struct op_shape_text text;
    const struct ex_descriptor *d = &out->descriptor;
    OP_CHECK(problem->row->name, d->rank == 0 || (d->rank == 1 && d->sizes[0] == 1),
             ACLNN_ERR_PARAM_INVALID, "out's shape is %s; it must have one element",
             op_shape(&text, out));
    return ACLNN_SUCCESS;
}

static void plan_is_in(const struct op_shape_call *call)
{
    const struct op_value *values = call->problem->values;
    const struct ex_descriptor *d = &values[TEST_ELEMENTS].tensor->descriptor;
    const aclScalar zero = {.data_type = ACL_INT64};
    struct op_place out = op_target(call, OUT, 0);
    struct k_mask mask = {.elements = op_element_count(d->rank, d->sizes)};
    mask.blocks = (mask.elements + K_MASK_BLOCK - 1) / K_MASK_BLOCK;
    const int64_t sizes[] = {mask.blocks + 1};
    struct op_place counts = op_scratch_place(call->plan, ACL_INT64, 1, sizes);
    if (mask.blocks > 0) {
        const struct op_place equal = op_scratch_place(call->plan, ACL_BOOL, d->rank, d->sizes);
        struct op_place tested = op_source(call, TEST_ELEMENTS, 0);
        if (tested.view.type != call->problem->type) {
            const struct op_place cast =
                op_scratch_place(call->plan, call->problem->type, d->rank, d->sizes);
            op_copy_place(call->plan, &tested, &cast);
            tested = cast;
        }
        op_combine_places(call->plan, K_CORE_eq, &equal, &tested, NULL, values[ELEMENT].scalar);
        ex_step(call->plan, "count", k_mask_count, &mask, sizeof mask, k_mask_work(&mask),
                EX_BUFFERS(equal.buffer, counts.buffer));
    }
    ex_step(call->plan, "sum", k_mask_sum, &mask, sizeof mask,
            (struct k_work){.items = 1, .grain = 1}, EX_BUFFERS(counts.buffer));
    counts.view.offset = mask.blocks;
    counts.view.rank = out.view.rank = 0;
    op_combine_places(call->plan, values[INVERT].integer ? K_CORE_eq : K_CORE_ne, &out, &counts,
                      NULL, &zero);
}

const struct op_rule op_rule_is_in = {
    .types = is_in_types,
    .shapes = is_in_shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){plan_is_in},
};
