/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnIndex and aclnnIndexPutImpl: self[indices], one tensor of indices for each of self's first
 * axes. An empty tensor stands for a whole axis. */
#include <string.h>

#include "api/op_index.h"
#include "api/op_scatter.h"

/* What the list asks for. */
struct lookup {
    int rank;                                    /* of self */
    int count;                                   /* tensors that index */
    int axis[EX_MAX_RANK], element[EX_MAX_RANK]; /* their axes of self, their places in the list */
    bool is_indexed[EX_MAX_RANK];
    int joint_rank; /* the shape that they broadcast to */
    int64_t joint[EX_MAX_RANK];
    int first; /* where it stands in the result */
    int result_rank;
    int64_t result[2 * EX_MAX_RANK];
};

static const struct op_value *list_of(const struct op_problem *problem)
{
    return op_argument_named(problem, "indices");
}

static const struct op_value *self_of(const struct op_problem *problem)
{
    const struct op_value *self = op_argument_named(problem, "self");
    return self ? self : op_argument_named(problem, "selfRef");
}

static aclnnStatus types(struct op_problem *problem)
{
    const struct op_value *list = list_of(problem);
    const char *name = problem->row->name;
    OP_TRY(op_index_types(problem));
    for (uint64_t i = 0; i < list->tensors->size; i++) {
        const aclTensor *tensor = list->tensors->elements[i];
        if (!op_is_empty(tensor))
            OP_TRY(op_check_type(name, list->name, tensor, OP_TYPE(ACL_INT32) | OP_TYPE(ACL_INT64),
                                 "INT32, INT64; aclnnNonzeroV2 makes indices of a mask"));
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus join(const struct op_problem *problem, struct lookup *lookup, int element,
                        const aclTensor *tensor)
{
    const struct ex_descriptor *d = &tensor->descriptor;
    const int rank = d->rank > lookup->joint_rank ? d->rank : lookup->joint_rank;
    int64_t sizes[EX_MAX_RANK];
    for (int i = 1; i <= rank; i++) {
        const int64_t mine = i <= d->rank ? d->sizes[d->rank - i] : 1;
        const int64_t others = i <= lookup->joint_rank ? lookup->joint[lookup->joint_rank - i] : 1;
        OP_CHECK(problem->row->name, mine == others || mine == 1 || others == 1,
                 ACLNN_ERR_PARAM_INVALID,
                 "indices[%d]'s size %" PRId64 " does not broadcast with %" PRId64, element, mine,
                 others);
        sizes[rank - i] = mine == 1 ? others : mine;
    }
    lookup->joint_rank = rank;
    memcpy(lookup->joint, sizes, sizeof lookup->joint);
    return ACLNN_SUCCESS;
}

/* Where indexed axes lie side by side, what they become stands in their place, else in front. */
static void lay_out(struct lookup *lookup, const struct ex_descriptor *self)
{
    const int count = lookup->count;
    const bool is_together = count > 0 && lookup->axis[count - 1] - lookup->axis[0] == count - 1;
    lookup->first = is_together ? lookup->axis[0] : 0;
    int rank = 0;
    for (int axis = 0; axis <= lookup->rank; axis++) {
        if (rank == lookup->first && count > 0 && (is_together ? axis == lookup->first : axis == 0))
            for (int i = 0; i < lookup->joint_rank; i++)
                lookup->result[rank++] = lookup->joint[i];
        if (axis < lookup->rank && !lookup->is_indexed[axis])
            lookup->result[rank++] = self->sizes[axis];
    }
    lookup->result_rank = rank;
}

static aclnnStatus look_up(const struct op_problem *problem, struct lookup *lookup)
{
    const aclTensorList *list = list_of(problem)->tensors;
    const struct op_value *self = self_of(problem);
    const struct ex_descriptor *d = &self->tensor->descriptor;
    memset(lookup, 0, sizeof *lookup);
    lookup->rank = d->rank;
    OP_CHECK(problem->row->name, list->size <= (uint64_t)d->rank, ACLNN_ERR_PARAM_INVALID,
             "indices has %" PRIu64 " tensors; %s has %d dimensions", list->size, self->name,
             d->rank);
    for (int i = 0; i < (int)list->size; i++) {
        const aclTensor *tensor = list->elements[i];
        if (op_is_empty(tensor)) continue;
        OP_TRY(join(problem, lookup, i, tensor));
        OP_CHECK(problem->row->name, d->sizes[i] > 0, ACLNN_ERR_PARAM_INVALID,
                 "%s has no element along dimension %d; no index can name one", self->name, i);
        lookup->axis[lookup->count] = lookup->element[lookup->count] = i;
        lookup->count++;
        lookup->is_indexed[i] = true;
    }
    lay_out(lookup, d);
    return ACLNN_SUCCESS;
}

/* The walk has the result's axes; values has the result's shape. */
static struct op_indexing indexing_of(const struct op_shape_call *call, const struct lookup *lookup,
                                      const struct op_place *table, const struct op_place *values)
{
    struct op_indexing x = op_indexing_of(call, table, values, "indices");
    const int list = op_place_of(call->problem, "indices");
    int at = 0, free_axis = 0;
    x.k.is_list = true;
    x.k.wraps = true;
    while (at < lookup->result_rank || free_axis < lookup->rank) {
        if (at == lookup->first && lookup->count > 0)
            for (int i = 0; i < lookup->joint_rank; i++, at++)
                op_indexing_axis(&x, lookup->joint[i], 0, values->view.strides[at]);
        while (free_axis < lookup->rank && lookup->is_indexed[free_axis])
            free_axis++;
        if (free_axis == lookup->rank) break;
        op_indexing_axis(&x, lookup->result[at], table->view.strides[free_axis],
                         values->view.strides[at]);
        at++, free_axis++;
    }
    for (int k = 0; k < lookup->count; k++) {
        struct op_place index = op_source(call, list, (uint64_t)lookup->element[k]);
        index.view = op_view_broadcast(&index.view, lookup->joint_rank, lookup->joint);
        const int axis = lookup->axis[k];
        op_indexing_tensor(&x, &index, lookup->first, table->view.sizes[axis],
                           table->view.strides[axis]);
    }
    return x;
}

/* ---- aclnnIndex ---- */

static aclnnStatus index_shapes(struct op_problem *problem)
{
    const struct op_value *out = op_argument_named(problem, "out");
    struct lookup lookup;
    OP_TRY(look_up(problem, &lookup));
    /* An index without elements may be meant as one. */
    if (op_is_empty(out->tensor)) return ACLNN_SUCCESS;
    return op_check_shape(problem, out, out->tensor, lookup.result_rank, lookup.result);
}

static void plan_index(const struct op_shape_call *call)
{
    struct lookup lookup;
    look_up(call->problem, &lookup);
    const struct op_place self = op_source(call, op_place_of(call->problem, "self"), 0);
    const struct op_place out = op_target(call, op_place_of(call->problem, "out"), 0);
    if (lookup.count == 0) {
        op_copy_place(call->plan, &self, &out);
        return;
    }
    struct op_indexing x = indexing_of(call, &lookup, &self, &out);
    op_gather(&x);
}

const struct op_rule op_rule_index = {
    .types = types,
    .shapes = index_shapes,
    .more = &(const struct op_shape_rule){plan_index},
};

/* ---- aclnnIndexPutImpl ---- */

/* A whole axis is an empty tensor of selfRef's type with one dimension, beside one that has
 * elements. Any other empty tensor is an index, that of a mask without a true element. */
static bool selects_nothing(const struct op_problem *problem)
{
    const aclTensorList *list = list_of(problem)->tensors;
    const int32_t type = self_of(problem)->tensor->descriptor.data_type;
    bool has_elements = list->size == 0;
    for (uint64_t i = 0; i < list->size; i++) {
        const struct ex_descriptor *index = &list->elements[i]->descriptor;
        if (!op_is_empty(list->elements[i]))
            has_elements = true;
        else if (index->rank != 1 || (index->data_type != type && (index->data_type == ACL_INT32 ||
                                                                   index->data_type == ACL_INT64)))
            return true;
    }
    return !has_elements;
}

static aclnnStatus put_shapes(struct op_problem *problem)
{
    const struct op_value *values = op_argument_named(problem, "values");
    const struct ex_descriptor *d = &values->tensor->descriptor;
    struct op_shape_text text;
    struct lookup lookup;
    OP_TRY(look_up(problem, &lookup));
    if (op_is_empty(values->tensor) || selects_nothing(problem)) return ACLNN_SUCCESS;
    bool fits = true;
    for (int i = 1; i <= d->rank; i++)
        fits = fits && (d->sizes[d->rank - i] == 1 ||
                        (i <= lookup.result_rank &&
                         d->sizes[d->rank - i] == lookup.result[lookup.result_rank - i]));
    OP_CHECK(problem->row->name, fits, ACLNN_ERR_PARAM_INVALID,
             "values's shape is %s; it does not broadcast to what indices select",
             op_shape(&text, values->tensor));
    OP_CHECK(problem->row->name, lookup.result_rank <= EX_MAX_RANK, ACLNN_ERR_PARAM_INVALID,
             "indices select a tensor of %d dimensions; they must be at most %d",
             lookup.result_rank, EX_MAX_RANK);
    int64_t elements = 0;
    OP_CHECK(problem->row->name,
             ex_element_count(lookup.result, lookup.result_rank, &elements) &&
                 elements <= INT64_MAX / 8,
             ACLNN_ERR_PARAM_INVALID, "indices select more elements than an int64_t counts");
    return ACLNN_SUCCESS;
}

/* values in the shape of the result: leading axes of one element may be missing, or too many. */
static struct op_view spread(const struct op_view *values, const struct lookup *lookup)
{
    struct op_view own = *values;
    const int extra = own.rank > lookup->result_rank ? own.rank - lookup->result_rank : 0;
    own.rank -= extra;
    for (int i = 0; i < own.rank; i++) {
        own.sizes[i] = values->sizes[i + extra];
        own.strides[i] = values->strides[i + extra];
    }
    return op_view_broadcast(&own, lookup->result_rank, lookup->result);
}

static void plan_put(const struct op_shape_call *call)
{
    struct lookup lookup;
    const enum k_combine combine =
        op_argument_named(call->problem, "accumulate")->integer ? K_ADD : K_SET;
    if (selects_nothing(call->problem)) return;
    look_up(call->problem, &lookup);
    struct op_table table = op_table_of(
        call, &(const struct op_table_request){.combine = combine,
                                               .values = op_place_of(call->problem, "values"),
                                               .before = op_place_of(call->problem, "selfRef")});
    table.values.view = spread(&table.values.view, &lookup);
    struct op_indexing x = indexing_of(call, &lookup, &table.place, &table.values);
    op_scatter(&x, combine);
    op_table_deliver(call, &table);
}

const struct op_rule op_rule_index_put = {
    .types = types,
    .shapes = put_shapes,
    .more = &(const struct op_shape_rule){plan_put},
};
