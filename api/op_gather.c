/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that read elements at places that indices name. */
#include <string.h>

#include "api/op_index.h"
#include "runtime/support/base.h"

/* An axis that is indexed has elements, unless nothing is read. */
static aclnnStatus check_full(const struct op_problem *problem, const char *name,
                              const aclTensor *tensor, int axis, const aclTensor *index)
{
    OP_CHECK(problem->row->name, op_size_of(tensor, axis) > 0 || op_is_empty(index),
             ACLNN_ERR_PARAM_INVALID, "%s has no element along dimension %d; no index can name one",
             name, axis);
    return ACLNN_SUCCESS;
}

/* ---- gather: index and out are of one shape ---- */

static aclnnStatus gather_shapes(struct op_problem *problem)
{
    const aclTensor *self = op_tensor_named(problem, "self"),
                    *index = op_tensor_named(problem, "index");
    const struct ex_descriptor *d = &self->descriptor, *i = &index->descriptor;
    struct op_shape_text text;
    int dim;
    OP_TRY(op_check_axis(problem, op_argument_named(problem, "dim"), self, &dim));
    if (d->rank > 1 || i->rank > 1)
        OP_TRY(op_check_same_rank(problem->row->name, "index", index, "self", self));
    OP_TRY(op_check_shape(problem, op_argument_named(problem, "out"),
                          op_tensor_named(problem, "out"), i->rank, i->sizes));
    for (int axis = 0; axis < d->rank && axis < i->rank; axis++)
        OP_CHECK(problem->row->name, axis == dim || i->sizes[axis] <= d->sizes[axis],
                 ACLNN_ERR_PARAM_INVALID,
                 "index's shape is %s; at dimension %d it must not exceed self's %" PRId64,
                 op_shape(&text, index), axis, d->sizes[axis]);
    return check_full(problem, "self", self, dim, index);
}

static void plan_gather(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const struct op_place self = op_source(call, op_place_of(problem, "self"), 0);
    const struct op_place index = op_source(call, op_place_of(problem, "index"), 0);
    const struct op_place out = op_target(call, op_place_of(problem, "out"), 0);
    struct op_indexing x = op_indexing_of(call, &self, &out, "index");
    int dim;
    op_find_axis(op_argument_named(problem, "dim")->integer, self.view.rank, &dim);
    for (int axis = 0; axis < out.view.rank; axis++)
        op_indexing_axis(&x, out.view.sizes[axis], axis == dim ? 0 : op_stride_of(&self.view, axis),
                         out.view.strides[axis]);
    op_indexing_tensor(&x, &index, 0, op_size_of(op_tensor_named(problem, "self"), dim),
                       op_stride_of(&self.view, dim));
    op_gather(&x);
}

const struct op_rule op_rule_gather = {
    .types = op_index_types,
    .shapes = gather_shapes,
    .more = &(const struct op_shape_rule){plan_gather},
};

/* ---- whole parts of a tensor along an axis ---- */

/* IndexSelect, GatherV2, GatherV3, Embedding: out = table[.., index, ..]. */
struct selection {
    int table, index; /* arguments */
    int64_t dim, batch;
};

static struct selection selection_of(const struct op_problem *problem)
{
    const struct op_value *dim = op_argument_named(problem, "dim");
    const struct op_value *batch = op_argument_named(problem, "batchDims");
    const bool is_embedding = op_place_of(problem, "weight") >= 0;
    return (struct selection){.table = op_place_of(problem, is_embedding ? "weight" : "self"),
                              .index = op_place_of(problem, is_embedding ? "indices" : "index"),
                              .dim = dim ? dim->integer : 0,
                              .batch = batch ? batch->integer : 0};
}

/* Axes of index from `batch` on replace the axis `dim` of the table. Returns out's rank. */
static int selected_shape(const struct ex_descriptor *table, const struct ex_descriptor *index,
                          int dim, int batch, int64_t sizes[2 * EX_MAX_RANK])
{
    int rank = 0;
    for (int axis = 0; axis < dim; axis++)
        sizes[rank++] = table->sizes[axis];
    for (int axis = batch; axis < index->rank; axis++)
        sizes[rank++] = index->sizes[axis];
    for (int axis = dim + 1; axis < table->rank; axis++)
        sizes[rank++] = table->sizes[axis];
    return rank;
}

static aclnnStatus check_batch(const struct op_problem *problem, const struct selection *s, int dim)
{
    const struct ex_descriptor *self = &problem->values[s->table].tensor->descriptor;
    const struct ex_descriptor *index = &problem->values[s->index].tensor->descriptor;
    OP_CHECK(problem->row->name, s->batch >= 0 && s->batch <= dim && s->batch <= index->rank,
             ACLNN_ERR_PARAM_INVALID,
             "batchDims is %" PRId64 "; it must be from 0 to dim, %d, and index's rank, %d",
             s->batch, dim, index->rank);
    for (int axis = 0; axis < s->batch; axis++)
        OP_CHECK(problem->row->name, self->sizes[axis] == index->sizes[axis],
                 ACLNN_ERR_PARAM_INVALID,
                 "index has %" PRId64 " elements along dimension %d; self has %" PRId64,
                 index->sizes[axis], axis, self->sizes[axis]);
    return ACLNN_SUCCESS;
}

static aclnnStatus select_shapes(struct op_problem *problem)
{
    const struct selection s = selection_of(problem);
    const struct op_value *table = &problem->values[s.table], *index = &problem->values[s.index];
    const struct op_value *out = op_argument_named(problem, "out");
    int64_t sizes[2 * EX_MAX_RANK];
    int dim = 0;
    if (op_place_of(problem, "dim") >= 0)
        OP_TRY(op_check_axis(problem, op_argument_named(problem, "dim"), table->tensor, &dim));
    OP_TRY(check_batch(problem, &s, dim));
    int rank = selected_shape(&table->tensor->descriptor, &index->tensor->descriptor, dim,
                              (int)s.batch, sizes);
    /* What has no dimensions, and is indexed by a vector of one index, may be either. */
    const int own = out->tensor->descriptor.rank;
    if (rank == 1 && own == 0 && sizes[0] == 1) rank = 0;
    if (rank == 0 && own == 1) sizes[rank++] = 1;
    OP_TRY(op_check_shape(problem, out, out->tensor, rank, sizes));
    return check_full(problem, table->name, table->tensor, dim, index->tensor);
}

/* aclnnIndexSelect: a vector of indices, or one index, which leaves the axis. */
static aclnnStatus index_select_shapes(struct op_problem *problem)
{
    const aclTensor *self = op_tensor_named(problem, "self"),
                    *index = op_tensor_named(problem, "index");
    const struct op_value *out = op_argument_named(problem, "out");
    const struct ex_descriptor *d = &self->descriptor;
    int64_t sizes[EX_MAX_RANK], count = 1;
    int dim;
    OP_TRY(op_check_axis(problem, op_argument_named(problem, "dim"), self, &dim));
    OP_TRY(op_check_rank(problem->row->name, "index", index, 0, 1));
    if (index->descriptor.rank == 1) count = index->descriptor.sizes[0];
    OP_CHECK(problem->row->name, d->rank > 0 || count == 1, ACLNN_ERR_PARAM_INVALID,
             "index has %" PRId64 " elements; it must have one, as self has no dimensions", count);
    for (int axis = 0; axis < d->rank; axis++)
        sizes[axis] = axis == dim ? count : d->sizes[axis];
    const bool is_one = d->rank == 0 && out->tensor->descriptor.rank == 1;
    if (is_one) sizes[0] = 1;
    OP_TRY(op_check_shape(problem, out, out->tensor, is_one ? 1 : d->rank, sizes));
    return check_full(problem, "self", self, dim, index);
}

static void plan_select(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const struct selection s = selection_of(problem);
    const struct op_place table = op_source(call, s.table, 0);
    struct op_place index = op_source(call, s.index, 0);
    const struct op_place out = op_target(call, op_place_of(problem, "out"), 0);
    struct op_indexing x = op_indexing_of(call, &table, &out, problem->values[s.index].name);
    const int batch = (int)s.batch, table_rank = table.view.rank;
    int dim = 0, at = 0;
    if (s.dim != 0) op_find_axis(s.dim, table_rank, &dim);
    /* One index instead of a vector of one. */
    const int index_rank = index.view.rank - batch;
    const bool adds_axis = index_rank == 0 && out.view.rank == table_rank && out.view.rank > 0;
    for (int axis = 0; axis < dim; axis++, at++)
        op_indexing_axis(&x, out.view.sizes[at], table.view.strides[axis], out.view.strides[at]);
    const int first = at;
    for (int axis = 0; axis < index_rank; axis++, at += at < out.view.rank)
        op_indexing_axis(&x, index.view.sizes[batch + axis], 0, op_stride_of(&out.view, at));
    at += adds_axis;
    for (int axis = dim + 1; axis < table_rank; axis++, at++)
        op_indexing_axis(&x, out.view.sizes[at], table.view.strides[axis], out.view.strides[at]);
    if (batch > 0 && first != batch) { /* batches, axes in front of dim, then the others */
        struct op_view *view = &index.view;
        const int gap = first - batch;
        for (int i = view->rank - 1; i >= batch; i--) {
            view->sizes[i + gap] = view->sizes[i];
            view->strides[i + gap] = view->strides[i];
        }
        for (int i = batch; i < first; i++)
            view->sizes[i] = 1, view->strides[i] = 0;
        view->rank += gap;
    }
    op_indexing_tensor(&x, &index, batch > 0 ? 0 : first,
                       op_size_of(problem->values[s.table].tensor, dim),
                       op_stride_of(&table.view, dim));
    op_gather(&x);
}

const struct op_rule op_rule_index_select = {
    .types = op_index_types,
    .shapes = index_select_shapes,
    .more = &(const struct op_shape_rule){plan_select},
};
const struct op_rule op_rule_select_parts = {
    .types = op_index_types,
    .shapes = select_shapes,
    .more = &(const struct op_shape_rule){plan_select},
};

/* ---- elements of a flat tensor, and of the last axes ---- */

static aclnnStatus take_shapes(struct op_problem *problem)
{
    const aclTensor *self = op_tensor_named(problem, "self"),
                    *index = op_tensor_named(problem, "index");
    OP_TRY(op_check_same_shape(problem->row->name, "out", op_tensor_named(problem, "out"), "index",
                               index));
    OP_CHECK(problem->row->name, !op_is_empty(self) || op_is_empty(index), ACLNN_ERR_PARAM_INVALID,
             "self has no element; no index can name one");
    return ACLNN_SUCCESS;
}

static void plan_take(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const struct op_place self = op_dense_source(call, op_place_of(problem, "self"));
    const struct op_place index = op_source(call, op_place_of(problem, "index"), 0);
    const struct op_place out = op_target(call, op_place_of(problem, "out"), 0);
    struct op_indexing x = op_indexing_of(call, &self, &out, "index");
    x.k.wraps = true;
    for (int axis = 0; axis < out.view.rank; axis++)
        op_indexing_axis(&x, out.view.sizes[axis], 0, out.view.strides[axis]);
    op_indexing_tensor(&x, &index, 0, op_element_count(self.view.rank, self.view.sizes), 1);
    op_gather(&x);
}

const struct op_rule op_rule_take = {
    .types = op_index_types,
    .shapes = take_shapes,
    .more = &(const struct op_shape_rule){plan_take},
};
