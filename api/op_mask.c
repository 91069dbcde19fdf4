/* SPDX-License-Identifier: Apache-2.0 */
/* Operators whose result only a mask tells: aclnnMaskedSelect, aclnnInplaceMaskedScatter,
 * aclnnNonzero, aclnnNonzeroV2. */
#include <stdio.h>

#include "api/op_index.h"
#include "executor/steps.h"
#include "kernels/index/k_mask.h"
#include "runtime/support/base.h"

/* The argument in that shape, dense, as that type: itself, or a copy. */
static struct op_place dense(const struct op_shape_call *call, int argument, aclDataType type,
                             int rank, const int64_t *sizes)
{
    struct op_place own = op_source(call, argument, 0);
    own.view = op_view_broadcast(&own.view, rank, sizes);
    const bool is_byte = own.view.type == ACL_BOOL || own.view.type == ACL_UINT8;
    const bool is_type = own.view.type == type || (type == ACL_BOOL && is_byte);
    if (is_type && op_view_is_dense(&own.view)) return own;
    const struct op_place copy =
        op_scratch_place(call->plan, is_type ? own.view.type : type, rank, sizes);
    op_copy_place(call->plan, &own, &copy);
    return copy;
}

/* Along one element it may be any. */
static int64_t stride_of(const struct op_view *view, int axis)
{
    return view->sizes[axis] > 1 ? view->strides[axis] : 0;
}

static struct k_mask mask_of(int rank, const int64_t *sizes)
{
    struct k_mask mask = {.rank = rank, .elements = op_element_count(rank, sizes)};
    for (int i = 0; i < rank; i++)
        mask.sizes[i] = sizes[i];
    mask.blocks = (mask.elements + K_MASK_BLOCK - 1) / K_MASK_BLOCK;
    return mask;
}

/* Two steps; the counts, whose last one is that of all. */
static int count(struct ex_plan *plan, const struct k_mask *mask, int bytes)
{
    const int counts = ex_scratch(plan, (size_t)(mask->blocks + 1) * sizeof(int64_t));
    if (mask->blocks > 0)
        ex_step(plan, "count", k_mask_count, mask, sizeof *mask, k_mask_work(mask),
                EX_BUFFERS(bytes, counts));
    ex_step(plan, "sum", k_mask_sum, mask, sizeof *mask, (struct k_work){.items = 1, .grain = 1},
            EX_BUFFERS(counts));
    return counts;
}

/* ---- aclnnMaskedSelect ---- */

enum { SELF, MASK, OUT };

static aclnnStatus select_shapes(struct op_problem *problem)
{
    const struct op_value *values = problem->values;
    struct op_problem reads = *problem;
    reads.tensor_count = 2; /* self and mask */
    OP_TRY(op_check_broadcast(&reads));
    problem->rank = reads.rank;
    for (int i = 0; i < reads.rank; i++)
        problem->sizes[i] = reads.sizes[i];
    int64_t elements = 0;
    OP_CHECK(problem->row->name, ex_element_count(reads.sizes, reads.rank, &elements),
             ACLNN_ERR_PARAM_INVALID,
             "self and mask broadcast to more elements than an int64_t counts");
    return op_check_shape(problem, &values[OUT], values[OUT].tensor, 1, &elements);
}

static void plan_select(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const struct op_place out = op_target(call, OUT, 0);
    struct k_mask mask = mask_of(problem->rank, problem->sizes);
    int counts;
    if (mask.blocks == 0) {
        counts = count(call->plan, &mask, -1);
    } else {
        const struct op_place self =
            dense(call, SELF, problem->type, problem->rank, problem->sizes);
        const struct op_place bytes = dense(call, MASK, ACL_BOOL, problem->rank, problem->sizes);
        mask.element_size = (int)ex_element_size((int32_t)problem->type);
        mask.to_offset = out.view.offset;
        mask.to_strides[0] = stride_of(&out.view, 0);
        counts = count(call->plan, &mask, bytes.buffer);
        ex_step(call->plan, "pack", k_mask_pack, &mask, sizeof mask, k_mask_work(&mask),
                EX_BUFFERS(bytes.buffer, counts, out.buffer, self.buffer));
    }
    ex_settle_size(call->plan, out.buffer, 0, false, counts, mask.blocks);
}

const struct op_rule op_rule_masked_select = {
    .types = op_index_types,
    .shapes = select_shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){plan_select},
};

/* ---- aclnnInplaceMaskedScatter ---- */

enum { SOURCE = 2 };

/* mask broadcasts to selfRef; source may have any shape. */
static aclnnStatus spread_shapes(struct op_problem *problem)
{
    const struct ex_descriptor *self = &problem->values[SELF].tensor->descriptor;
    const struct ex_descriptor *mask = &problem->values[MASK].tensor->descriptor;
    struct op_shape_text text;
    bool fits = mask->rank <= self->rank;
    for (int i = 1; fits && i <= mask->rank; i++)
        fits = mask->sizes[mask->rank - i] == 1 ||
               mask->sizes[mask->rank - i] == self->sizes[self->rank - i];
    OP_CHECK(problem->row->name, fits, ACLNN_ERR_PARAM_INVALID,
             "mask's shape is %s; it does not broadcast to selfRef's",
             op_shape(&text, problem->values[MASK].tensor));
    return ACLNN_SUCCESS;
}

static void describe_spread(const void *parameters, void *const buffers[], int64_t position,
                            char *text, size_t size)
{
    const struct k_mask *p = parameters;
    (void)buffers;
    snprintf(text, size,
             "mask selects %" PRId64 " elements; source has %" PRId64
             ", and must have at least as many",
             position, p->room);
}

static void plan_spread(const struct op_shape_call *call)
{
    const struct ex_descriptor *self = &call->problem->values[SELF].tensor->descriptor;
    const struct op_place bytes = dense(call, MASK, ACL_BOOL, self->rank, self->sizes);
    const struct op_place target = op_target(call, SELF, 0);
    const struct ex_descriptor *from = &call->problem->values[SOURCE].tensor->descriptor;
    struct k_mask mask = mask_of(self->rank, self->sizes);
    struct op_place made = target;
    mask.room = op_element_count(from->rank, from->sizes);
    if (mask.blocks == 0) return;
    int source = bytes.buffer; /* of nothing there is nothing to read */
    if (mask.room > 0)
        source = dense(call, SOURCE, call->problem->type, from->rank, from->sizes).buffer;
    if (!op_view_is_dense(&target.view)) {
        made = op_scratch_place(call->plan, target.view.type, self->rank, self->sizes);
        op_copy_place(call->plan, &target, &made);
    }
    mask.element_size = (int)ex_element_size((int32_t)target.view.type);
    const int counts = count(call->plan, &mask, bytes.buffer);
    ex_step_with_faults(call->plan, "spread", k_mask_spread, &mask, sizeof mask, k_mask_work(&mask),
                        EX_BUFFERS(bytes.buffer, counts, made.buffer, source), describe_spread);
    op_deliver(call, &made, SELF);
}

const struct op_rule op_rule_masked_scatter = {
    .types = op_index_types,
    .shapes = spread_shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){plan_spread},
};

/* ---- aclnnNonzero, aclnnNonzeroV2 ---- */

enum { PLACES = 1 };

static aclnnStatus nonzero_types(struct op_problem *problem)
{
    const struct op_value *values = problem->values;
    OP_TRY(op_check_type(problem->row->name, values[SELF].name, values[SELF].tensor,
                         problem->row->types, problem->row->type_names));
    return op_check_type(problem->row->name, values[PLACES].name, values[PLACES].tensor,
                         OP_TYPE(ACL_INT64), "INT64");
}

/* Has a row for each place, or a column. The place of a scalar has no coordinates, so it needs no
 * room: PyTorch's backend gives none. */
static aclnnStatus nonzero_shapes(struct op_problem *problem, int elements_axis)
{
    const struct op_value *values = problem->values;
    const struct ex_descriptor *self = &values[SELF].tensor->descriptor;
    const struct ex_descriptor *places = &values[PLACES].tensor->descriptor;
    int64_t sizes[2];
    sizes[elements_axis] = op_element_count(self->rank, self->sizes);
    sizes[1 - elements_axis] = self->rank;
    if (self->rank == 0 && places->rank == 2 && places->sizes[elements_axis] == 0)
        sizes[elements_axis] = 0;
    return op_check_shape(problem, &values[PLACES], values[PLACES].tensor, 2, sizes);
}

static aclnnStatus rows_shapes(struct op_problem *problem)
{
    return nonzero_shapes(problem, 0);
}

static aclnnStatus columns_shapes(struct op_problem *problem)
{
    return nonzero_shapes(problem, 1);
}

/* A dense result of columns is dense when it is narrower, too. */
static void plan_nonzero(const struct op_shape_call *call, int elements_axis)
{
    const struct op_problem *problem = call->problem;
    const struct ex_descriptor *self = &problem->values[SELF].tensor->descriptor;
    const struct op_place out = op_target(call, PLACES, 0);
    struct k_mask mask = mask_of(self->rank, self->sizes);
    int counts;
    mask.is_compact = elements_axis == 1 && op_view_is_dense(&out.view);
    if (mask.blocks == 0) {
        counts = count(call->plan, &mask, -1);
    } else {
        const struct op_place bytes = dense(call, SELF, ACL_BOOL, self->rank, self->sizes);
        mask.to_offset = out.view.offset;
        mask.to_strides[0] = stride_of(&out.view, elements_axis);
        mask.to_strides[1] = stride_of(&out.view, 1 - elements_axis);
        if (mask.is_compact) mask.to_strides[0] = 1;
        counts = count(call->plan, &mask, bytes.buffer);
        if (self->rank > 0)
            ex_step(call->plan, "places", k_mask_places, &mask, sizeof mask, k_mask_work(&mask),
                    EX_BUFFERS(bytes.buffer, counts, out.buffer));
    }
    ex_settle_size(call->plan, out.buffer, elements_axis, mask.is_compact, counts, mask.blocks);
}

static void plan_rows(const struct op_shape_call *call)
{
    plan_nonzero(call, 0);
}

static void plan_columns(const struct op_shape_call *call)
{
    plan_nonzero(call, 1);
}

const struct op_rule op_rule_nonzero = {
    .types = nonzero_types,
    .shapes = rows_shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){plan_rows},
};
const struct op_rule op_rule_nonzero_columns = {
    .types = nonzero_types,
    .shapes = columns_shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){plan_columns},
};
