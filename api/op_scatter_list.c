/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnScatterList: each tensor of a list gets its part of updates, from a place of its own on. */
#include <stdio.h>
#include <string.h>

#include "api/op_check.h"
#include "api/op_rule.h"
#include "api/op_shape.h"
#include "kernels/index/k_place.h"

enum { VAR, INDICE, UPDATES, MASK, REDUCE, AXIS };

static aclnnStatus list_types(struct op_problem *problem)
{
    const struct op_row *row = problem->row;
    const struct op_value *values = problem->values;
    const aclTensorList *list = values[VAR].tensors;
    OP_TRY(
        op_check_type(row->name, "updates", values[UPDATES].tensor, row->types, row->type_names));
    for (uint64_t i = 0; i < list->size; i++)
        OP_TRY(op_check_same_type(row->name, "varRef", list->elements[i], "updates",
                                  values[UPDATES].tensor));
    OP_TRY(op_check_type(row->name, "indice", values[INDICE].tensor,
                         OP_TYPE(ACL_INT32) | OP_TYPE(ACL_INT64), "INT32, INT64"));
    if (values[MASK].tensor)
        OP_TRY(op_check_type(row->name, "maskOptional", values[MASK].tensor, OP_TYPE(ACL_UINT8),
                             "UINT8"));
    problem->type = (aclDataType)values[UPDATES].tensor->descriptor.data_type;
    return ACLNN_SUCCESS;
}

/* Of the tensors in the list: updates has one axis more, in front. */
static int axis_of(const struct op_problem *problem)
{
    int axis = 0;
    op_find_axis(problem->values[AXIS].integer, problem->values[UPDATES].tensor->descriptor.rank,
                 &axis);
    return axis - 1;
}

static aclnnStatus check_tensors(const struct op_problem *problem)
{
    const aclTensorList *list = problem->values[VAR].tensors;
    const aclTensor *updates = problem->values[UPDATES].tensor;
    const struct ex_descriptor *u = &updates->descriptor;
    struct op_shape_text text, other;
    OP_CHECK(problem->row->name, (uint64_t)u->sizes[0] == list->size, ACLNN_ERR_PARAM_INVALID,
             "updates has %" PRId64 " elements along dimension 0; varRef has %" PRIu64 " tensors",
             u->sizes[0], list->size);
    for (uint64_t i = 0; i < list->size; i++) {
        const struct ex_descriptor *d = &list->elements[i]->descriptor;
        bool fits = d->rank == u->rank - 1;
        if (i > 0)
            OP_TRY(op_check_same_shape(problem->row->name, "varRef", list->elements[i], "varRef[0]",
                                       list->elements[0]));
        for (int axis = 0; fits && axis < d->rank; axis++)
            fits = axis == axis_of(problem) ? u->sizes[axis + 1] <= d->sizes[axis]
                                            : u->sizes[axis + 1] == d->sizes[axis];
        OP_CHECK(problem->row->name, fits, ACLNN_ERR_PARAM_INVALID,
                 "varRef[%" PRIu64 "]'s shape is %s, updates' %s; without its first size that must "
                 "be the same, or smaller along axis",
                 i, op_shape(&text, list->elements[i]), op_shape(&other, updates));
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus list_shapes(struct op_problem *problem)
{
    const struct op_value *values = problem->values;
    const aclTensor *updates = values[UPDATES].tensor, *indice = values[INDICE].tensor;
    const char *name = problem->row->name, *reduce = values[REDUCE].text;
    int axis;
    OP_TRY(op_check_rank(name, "updates", updates, 2, EX_MAX_RANK));
    OP_TRY(op_check_rank(name, "indice", indice, 1, 2));
    OP_CHECK(name, !reduce || strcmp(reduce, "update") == 0, ACLNN_ERR_PARAM_INVALID,
             "reduceOptional is \"%s\"; it must be \"update\"", reduce);
    OP_TRY(op_check_axis(problem, &values[AXIS], updates, &axis));
    OP_CHECK(name, axis > 0, ACLNN_ERR_PARAM_INVALID,
             "axis is %" PRId64 "; it must not be updates' first one", values[AXIS].integer);
    OP_TRY(check_tensors(problem));
    const int64_t sizes[] = {updates->descriptor.sizes[0], 2};
    OP_TRY(op_check_shape(problem, &values[INDICE], indice, indice->descriptor.rank, sizes));
    if (values[MASK].tensor)
        OP_TRY(op_check_shape(problem, &values[MASK], values[MASK].tensor, 1, sizes));
    return ACLNN_SUCCESS;
}

static void describe(const void *parameters, void *const buffers[], int64_t position, char *text,
                     size_t size)
{
    const struct k_place *p = parameters;
    const int64_t at = p->has_lengths ? 2 * position : position;
    const void *indices = buffers[K_PLACE_INDICES];
    const int64_t start =
        p->is_wide ? ((const int64_t *)indices)[at] : ((const int32_t *)indices)[at];
    snprintf(text, size,
             "element %" PRId64 " of indice is %" PRId64 "; the part from there on must be inside "
             "of varRef[%" PRId64 "], which has %" PRId64 " elements along axis",
             at, start, position, p->room);
}

static void plan_list(const struct op_shape_call *call)
{
    const struct op_value *values = call->problem->values;
    const struct op_place updates = op_source(call, UPDATES, 0);
    const struct op_place indice = op_dense_source(call, INDICE);
    const struct op_place mask = values[MASK].tensor ? op_dense_source(call, MASK) : indice;
    if (op_view_is_empty(&updates.view)) return;
    for (uint64_t i = 0; i < values[VAR].tensors->size; i++) {
        const struct op_place to = op_target(call, VAR, i);
        struct k_place place = {.is_wide = indice.view.type == ACL_INT64,
                                .has_lengths = indice.view.rank == 2,
                                .has_mask = values[MASK].tensor != NULL,
                                .entry = (int64_t)i,
                                .element_size = (int64_t)ex_element_size((int32_t)to.view.type),
                                .rank = to.view.rank,
                                .axis = axis_of(call->problem),
                                .from_offset =
                                    updates.view.offset + (int64_t)i * updates.view.strides[0],
                                .to_offset = to.view.offset};
        place.room = to.view.sizes[place.axis];
        for (int axis = 0; axis < place.rank; axis++) {
            place.sizes[axis] = updates.view.sizes[axis + 1];
            place.from_strides[axis] = updates.view.strides[axis + 1];
            place.to_strides[axis] = to.view.strides[axis];
        }
        ex_step_with_faults(
            call->plan, "place_part", k_place_part, &place, sizeof place, k_place_work(&place),
            EX_BUFFERS(indice.buffer, mask.buffer, updates.buffer, to.buffer), describe);
    }
}

const struct op_rule op_rule_scatter_list = {
    .types = list_types,
    .shapes = list_shapes,
    .more = &(const struct op_shape_rule){plan_list},
};
