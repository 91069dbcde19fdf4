/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that write whole parts of a tensor, one for each index: along an axis, or at places of
 * its first axes. */
#include "api/op_scatter.h"
#include "runtime/support/base.h"

/* The tensor that is written, as it is before. */
static int before(const struct op_problem *problem)
{
    for (int i = 0; i < problem->count; i++)
        if (op_is_read(&problem->values[i])) return i;
    return -1;
}

static aclnnStatus check_out(const struct op_problem *problem)
{
    const struct op_value *self = &problem->values[before(problem)];
    const struct op_value *out = &problem->values[op_written_argument(problem)];
    if (self == out) return ACLNN_SUCCESS;
    return op_check_same_shape(problem->row->name, out->name, out->tensor, self->name,
                               self->tensor);
}

static aclnnStatus check_full(const struct op_problem *problem, const struct op_value *table,
                              int axis, const aclTensor *index)
{
    OP_CHECK(problem->row->name, op_size_of(table->tensor, axis) > 0 || op_is_empty(index),
             ACLNN_ERR_PARAM_INVALID, "%s has no element along dimension %d; no index can name one",
             table->name, axis);
    return ACLNN_SUCCESS;
}

/* ---- parts along an axis: IndexAdd, IndexCopy, IndexFill ---- */

static aclnnStatus check_source(const struct op_problem *problem, const struct op_value *self,
                                int dim, int64_t count)
{
    const struct op_value *source = op_argument_named(problem, "source");
    const struct ex_descriptor *d = &self->tensor->descriptor;
    int64_t sizes[EX_MAX_RANK];
    if (!source) return ACLNN_SUCCESS;
    const struct ex_descriptor *s = &source->tensor->descriptor;
    if (s->rank <= 1 && d->rank <= 1 && op_size_of(source->tensor, 0) == count)
        return ACLNN_SUCCESS;
    for (int axis = 0; axis < d->rank; axis++)
        sizes[axis] = axis == dim ? count : d->sizes[axis];
    return op_check_shape(problem, source, source->tensor, d->rank, sizes);
}

static aclnnStatus check_alpha(const struct op_problem *problem)
{
    const struct op_value *alpha = op_argument_named(problem, "alpha");
    OP_CHECK(problem->row->name,
             !alpha || op_can_cast(alpha->scalar->data_type, problem->type) ||
                 problem->type == ACL_BOOL,
             ACLNN_ERR_PARAM_INVALID, "alpha is of type %s, which cannot be cast to %s",
             op_data_type_name(alpha->scalar->data_type), op_data_type_name(problem->type));
    return ACLNN_SUCCESS;
}

static aclnnStatus parts_shapes(struct op_problem *problem)
{
    const struct op_value *self = &problem->values[before(problem)];
    const aclTensor *index = op_tensor_named(problem, "index");
    int dim;
    OP_TRY(op_check_axis(problem, op_argument_named(problem, "dim"), self->tensor, &dim));
    OP_TRY(op_check_rank(problem->row->name, "index", index, 0, 1));
    OP_TRY(check_out(problem));
    OP_TRY(check_source(problem, self, dim, op_size_of(index, 0)));
    OP_TRY(check_alpha(problem));
    return check_full(problem, self, dim, index);
}

static bool is_one(const aclScalar *scalar)
{
    return op_scalar_real(scalar) == 1;
}

/* Axis `dim` of the table is named by a vector of indices. */
static struct op_indexing parts_of(const struct op_shape_call *call, const struct op_table *table,
                                   const struct op_place *index, int dim, const char *name)
{
    struct op_indexing x = op_indexing_of(call, &table->place, &table->values, name);
    const struct op_view *view = &table->place.view, *values = &table->values.view;
    const int64_t count = index->view.rank > 0 ? index->view.sizes[0] : 1;
    const int rank = view->rank > 0 ? view->rank : 1;
    for (int axis = 0; axis < rank; axis++)
        op_indexing_axis(&x, axis == dim ? count : view->sizes[axis],
                         axis == dim ? 0 : view->strides[axis],
                         axis < values->rank ? values->strides[axis] : 0);
    op_indexing_tensor(&x, index, dim, view->rank > 0 ? view->sizes[dim] : 1,
                       op_stride_of(view, dim));
    return x;
}

static void plan_parts(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const struct op_value *alpha = op_argument_named(problem, "alpha");
    const enum k_combine combine = alpha ? K_ADD : K_SET;
    const int source = op_place_of(problem, "source"), value = op_place_of(problem, "value");
    const struct op_place index = op_source(call, op_place_of(problem, "index"), 0);
    struct op_table table =
        op_table_of(call, &(const struct op_table_request){.combine = combine,
                                                           .values = source >= 0 ? source : value,
                                                           .before = before(problem)});
    if (!op_view_is_empty(&index.view) && !op_view_is_empty(&table.place.view)) {
        int dim;
        op_find_axis(op_argument_named(problem, "dim")->integer, table.place.view.rank, &dim);
        if (alpha && !is_one(alpha->scalar)) {
            const struct op_view *view = &table.values.view;
            const struct op_place product =
                op_scratch_place(call->plan, view->type, view->rank, view->sizes);
            op_combine_places(call->plan, K_CORE_mul, &product, &table.values, NULL, alpha->scalar);
            table.values = product;
        }
        struct op_indexing x = parts_of(call, &table, &index, dim, "index");
        x.k.wraps = x.k.skips = value >= 0;
        op_scatter(&x, combine);
    }
    op_table_deliver(call, &table);
}

const struct op_rule op_rule_scatter_parts = {
    .types = op_index_types,
    .shapes = parts_shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){plan_parts},
};

/* ---- aclnnIndexFillTensor: indices that phase 1 knows ---- */

enum { FILLS = 32 }; /* indices of a step */

struct few_indices {
    int64_t count, index[FILLS];
};

static void put_indices(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct few_indices *few = parameters;
    (void)slice;
    for (int64_t i = 0; i < few->count; i++)
        ((int64_t *)buffers[0])[i] = few->index[i];
}

static aclnnStatus fill_types(struct op_problem *problem)
{
    OP_CHECK(problem->row->name, op_argument_named(problem, "index")->ints, ACLNN_ERR_PARAM_NULLPTR,
             "index is NULL");
    return op_index_types(problem);
}

static aclnnStatus fill_shapes(struct op_problem *problem)
{
    const struct op_value *self = &problem->values[before(problem)];
    const aclIntArray *index = op_argument_named(problem, "index")->ints;
    int dim;
    OP_TRY(op_check_axis(problem, op_argument_named(problem, "dim"), self->tensor, &dim));
    OP_TRY(check_out(problem));
    const int64_t size = op_size_of(self->tensor, dim);
    for (uint64_t i = 0; i < index->size; i++)
        OP_CHECK(problem->row->name, index->values[i] >= -size && index->values[i] < size,
                 ACLNN_ERR_PARAM_INVALID,
                 "index[%" PRIu64 "] is %" PRId64 "; it must be from %" PRId64 " to %" PRId64, i,
                 index->values[i], -size, size - 1);
    return ACLNN_SUCCESS;
}

static void plan_fill(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const aclIntArray *index = op_argument_named(problem, "index")->ints;
    const struct op_table table =
        op_table_of(call, &(const struct op_table_request){.combine = K_SET,
                                                           .values = op_place_of(problem, "value"),
                                                           .before = before(problem)});
    int dim;
    op_find_axis(op_argument_named(problem, "dim")->integer, table.place.view.rank, &dim);
    for (uint64_t begin = 0; begin < index->size && !problem->empty; begin += FILLS) {
        struct few_indices few = {.count = (int64_t)(index->size - begin)};
        if (few.count > FILLS) few.count = FILLS;
        for (int64_t i = 0; i < few.count; i++)
            few.index[i] = index->values[begin + (uint64_t)i];
        const struct op_place places = op_scratch_place(call->plan, ACL_INT64, 1, &few.count);
        ex_step(call->plan, "indices", put_indices, &few, sizeof few,
                (struct k_work){.items = 1, .grain = 1}, &places.buffer, 1);
        struct op_indexing x = parts_of(call, &table, &places, dim, "index");
        x.k.wraps = true;
        op_scatter(&x, K_SET);
    }
    op_table_deliver(call, &table);
}

const struct op_rule op_rule_index_fill = {
    .types = fill_types,
    .shapes = fill_shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){plan_fill},
};

/* ---- aclnnEmbeddingDenseBackward ---- */

static aclnnStatus embedding_shapes(struct op_problem *problem)
{
    const struct op_value *grad = op_argument_named(problem, "grad");
    const struct op_value *out = op_argument_named(problem, "out");
    const struct op_value *weights = op_argument_named(problem, "numWeights");
    const struct ex_descriptor *d = &grad->tensor->descriptor;
    const struct ex_descriptor *i = &op_tensor_named(problem, "indices")->descriptor;
    struct op_shape_text text, other;
    bool fits = d->rank == i->rank + 1;
    OP_CHECK(problem->row->name, d->rank > 0, ACLNN_ERR_PARAM_INVALID,
             "grad has no dimensions; it must have those of indices and one more");
    for (int axis = 0; fits && axis < i->rank; axis++)
        fits = d->sizes[axis] == i->sizes[axis];
    OP_CHECK(problem->row->name, fits, ACLNN_ERR_PARAM_INVALID,
             "grad's shape is %s; it must be indices' shape, %s, and one dimension more",
             op_shape(&text, grad->tensor), op_shape(&other, op_tensor_named(problem, "indices")));
    OP_CHECK(problem->row->name, weights->integer > 0, ACLNN_ERR_PARAM_INVALID,
             "numWeights is %" PRIu64 "; it must be from 1 to the largest int64_t",
             (uint64_t)weights->integer);
    const int64_t sizes[] = {weights->integer, d->sizes[d->rank - 1]};
    return op_check_shape(problem, out, out->tensor, 2, sizes);
}

/* Rows of values, or one number, go to the rows that indices name. */
static struct op_indexing rows_of(const struct op_shape_call *call, const struct op_place *table,
                                  const struct op_place *values, const struct op_place *indices)
{
    struct op_indexing x = op_indexing_of(call, table, values, "indices");
    const struct op_view *view = &values->view;
    const int rank = indices->view.rank;
    for (int axis = 0; axis < rank; axis++)
        op_indexing_axis(&x, indices->view.sizes[axis], 0,
                         view->rank > 0 ? view->strides[axis] : 0);
    op_indexing_axis(&x, table->view.sizes[1], table->view.strides[1],
                     view->rank > 0 ? view->strides[rank] : 0);
    op_indexing_tensor(&x, indices, 0, table->view.sizes[0], table->view.strides[0]);
    return x;
}

/* Each row of the table is divided by how many indices name it. */
static void divide_by_counts(const struct op_shape_call *call, const struct op_table *table,
                             const struct op_place *indices)
{
    const struct op_view *view = &table->place.view;
    const int64_t sizes[] = {view->sizes[0], 1};
    const struct op_place one = op_scratch_place(call->plan, view->type, 0, NULL);
    const struct op_place zero = op_scratch_place(call->plan, view->type, 0, NULL);
    struct op_place counts = op_scratch_place(call->plan, view->type, 2, sizes);
    op_fill_place(call->plan, &one, 1, 1);
    op_fill_place(call->plan, &zero, 0, 0);
    op_fill_place(call->plan, &counts, 1, 1);
    struct op_indexing reset = rows_of(call, &counts, &zero, indices);
    op_scatter(&reset, K_SET);
    struct op_indexing count = rows_of(call, &counts, &one, indices);
    op_scatter(&count, K_ADD);
    counts.view = op_view_broadcast(&counts.view, 2, view->sizes);
    op_combine_places(call->plan, K_CORE_div, &table->place, &table->place, &counts, NULL);
}

static void plan_embedding(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const struct op_place indices = op_source(call, op_place_of(problem, "indices"), 0);
    const struct op_table table = op_table_of(
        call, &(const struct op_table_request){
                  .combine = K_ADD, .values = op_place_of(problem, "grad"), .is_zero = true});
    const uint64_t padding = (uint64_t)op_argument_named(problem, "paddingIdx")->integer;
    if (!op_view_is_empty(&table.place.view) && !op_view_is_empty(&indices.view)) {
        struct op_indexing x = rows_of(call, &table.place, &table.values, &indices);
        op_scatter(&x, K_ADD);
        if (op_argument_named(problem, "scaleGradByFreq")->integer)
            divide_by_counts(call, &table, &indices);
        if (padding < (uint64_t)table.place.view.sizes[0]) {
            struct op_place row = table.place;
            row.view = op_view_part(&row.view, 0, (int64_t)padding, 1, 1);
            op_fill_place(call->plan, &row, 0, 0);
        }
    }
    op_table_deliver(call, &table);
}

const struct op_rule op_rule_embedding_grad = {
    .types = op_index_types,
    .shapes = embedding_shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){plan_embedding},
};
