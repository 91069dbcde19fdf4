/* SPDX-License-Identifier: Apache-2.0 */
/* Places that rows of indices name, one index for each of the first axes: GatherNd, ScatterNd,
 * ScatterNdUpdate; elements of a flat tensor: InplacePut; parts at an offset of their own:
 * InplaceScatterUpdate; aclnnOneHot. */
#include "api/op_scatter.h"
#include "runtime/support/base.h"

/* ---- rows of indices ---- */

/* The first argument is the table; the parts that rows of indices name are `parts`. */
static aclnnStatus check_parts(const struct op_problem *problem, const struct op_value *parts)
{
    const struct op_value *table = &problem->values[0];
    const struct ex_descriptor *t = &table->tensor->descriptor;
    const struct ex_descriptor *i = &op_tensor_named(problem, "indices")->descriptor;
    int64_t sizes[2 * EX_MAX_RANK];
    int rank = 0;
    OP_CHECK(problem->row->name, i->rank > 0, ACLNN_ERR_PARAM_INVALID,
             "indices has no dimensions; it must have at least one");
    const int64_t columns = i->sizes[i->rank - 1];
    OP_CHECK(problem->row->name, columns >= 1 && columns <= t->rank, ACLNN_ERR_PARAM_INVALID,
             "indices has %" PRId64
             " elements along its last dimension; it must have from 1 to %d, %s's rank",
             columns, t->rank, table->name);
    for (int axis = 0; axis < i->rank - 1; axis++)
        sizes[rank++] = i->sizes[axis];
    for (int axis = (int)columns; axis < t->rank; axis++)
        sizes[rank++] = t->sizes[axis];
    OP_TRY(op_check_shape(problem, parts, parts->tensor, rank, sizes));
    for (int axis = 0; axis < columns; axis++)
        OP_CHECK(problem->row->name, t->sizes[axis] > 0 || op_is_empty(parts->tensor),
                 ACLNN_ERR_PARAM_INVALID,
                 "%s has no element along dimension %d; no index can name one", table->name, axis);
    return ACLNN_SUCCESS;
}

static struct op_indexing rows_of(const struct op_shape_call *call, const struct op_place *table,
                                  const struct op_place *parts, const struct op_place *indices)
{
    struct op_indexing x = op_indexing_of(call, table, parts, "indices");
    const int rows = indices->view.rank - 1, columns = (int)indices->view.sizes[rows];
    for (int axis = 0; axis < parts->view.rank; axis++)
        op_indexing_axis(&x, parts->view.sizes[axis],
                         axis < rows ? 0 : table->view.strides[axis - rows + columns],
                         parts->view.strides[axis]);
    op_indexing_columns(&x, indices, table->view.sizes, table->view.strides);
    return x;
}

static aclnnStatus gather_shapes(struct op_problem *problem)
{
    return check_parts(problem, op_argument_named(problem, "out"));
}

static void plan_gather(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const struct op_place self = op_source(call, 0, 0);
    const struct op_place indices = op_source(call, op_place_of(problem, "indices"), 0);
    const struct op_place out = op_target(call, op_place_of(problem, "out"), 0);
    struct op_indexing x = rows_of(call, &self, &out, &indices);
    x.k.wraps = true;
    op_gather(&x);
}

const struct op_rule op_rule_gather_nd = {
    .types = op_index_types,
    .shapes = gather_shapes,
    .more = &(const struct op_shape_rule){plan_gather},
};

static aclnnStatus scatter_shapes(struct op_problem *problem)
{
    const struct op_value *out = op_argument_named(problem, "out");
    if (out)
        OP_TRY(op_check_same_shape(problem->row->name, out->name, out->tensor,
                                   problem->values[0].name, problem->values[0].tensor));
    return check_parts(problem, op_argument_named(problem, "updates"));
}

static void scatter_rows(const struct op_shape_call *call, enum k_combine combine)
{
    const struct op_problem *problem = call->problem;
    const struct op_place indices = op_source(call, op_place_of(problem, "indices"), 0);
    const struct op_table table =
        op_table_of(call, &(const struct op_table_request){
                              .combine = combine, .values = op_place_of(problem, "updates")});
    if (!op_view_is_empty(&table.values.view)) {
        struct op_indexing x = rows_of(call, &table.place, &table.values, &indices);
        op_scatter(&x, combine);
    }
    op_table_deliver(call, &table);
}

static void plan_scatter(const struct op_shape_call *call)
{
    scatter_rows(call, K_SET);
}

const struct op_rule op_rule_scatter_nd = {
    .types = op_index_types,
    .shapes = scatter_shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){plan_scatter},
};

/* ---- slices along the first axis: aclnnScatterMax, Min, Mul, Div ---- */

/* op_shape_rule, and what an update does to its slice. */
struct slices_rule {
    struct op_shape_rule shape; /* first */
    enum k_combine combine;
};

/* varRef, indices, updates: updates has indices' axes, then varRef's without the first. */
static aclnnStatus slices_shapes(struct op_problem *problem)
{
    const struct op_value *var = &problem->values[0], *updates = &problem->values[2];
    const struct ex_descriptor *v = &var->tensor->descriptor;
    const struct ex_descriptor *i = &problem->values[1].tensor->descriptor;
    int64_t sizes[2 * EX_MAX_RANK];
    int rank = 0;
    OP_TRY(op_check_rank(problem->row->name, var->name, var->tensor, 1, EX_MAX_RANK));
    for (int axis = 0; axis < i->rank; axis++)
        sizes[rank++] = i->sizes[axis];
    for (int axis = 1; axis < v->rank; axis++)
        sizes[rank++] = v->sizes[axis];
    OP_TRY(op_check_shape(problem, updates, updates->tensor, rank, sizes));
    OP_CHECK(problem->row->name, v->sizes[0] > 0 || op_is_empty(updates->tensor),
             ACLNN_ERR_PARAM_INVALID, "varRef has no slice; no index can name one");
    return ACLNN_SUCCESS;
}

static void plan_slices(const struct op_shape_call *call)
{
    const struct slices_rule *rule = call->problem->row->rule->more;
    const struct op_place indices = op_source(call, 1, 0);
    const struct op_table table =
        op_table_of(call, &(const struct op_table_request){.combine = rule->combine, .values = 2});
    const struct op_view *values = &table.values.view, *var = &table.place.view;
    if (!op_view_is_empty(values)) {
        const int rows = indices.view.rank;
        struct op_indexing x = op_indexing_of(call, &table.place, &table.values, "indices");
        for (int axis = 0; axis < values->rank; axis++)
            op_indexing_axis(&x, values->sizes[axis],
                             axis < rows ? 0 : var->strides[axis - rows + 1],
                             values->strides[axis]);
        op_indexing_tensor(&x, &indices, 0, var->sizes[0], var->strides[0]);
        op_scatter(&x, rule->combine);
    }
    op_table_deliver(call, &table);
}

#define SLICES(name, what)                                                                         \
    const struct op_rule op_rule_##name = {                                                        \
        .types = op_index_types,                                                                   \
        .shapes = slices_shapes,                                                                   \
        .runs_empty = true,                                                                        \
        .more = &(const struct slices_rule){{plan_slices}, what},                                  \
    }
SLICES(scatter_max, K_MAX);
SLICES(scatter_min, K_MIN);
SLICES(scatter_mul, K_MUL);
SLICES(scatter_div, K_DIV);

/* ---- aclnnTfScatterAdd: slices, or parts that rows of indices name ---- */

/* updates has a dimension more for each of indices in slices; rows of indices lose one. */
static bool has_slices(const struct op_problem *problem)
{
    const int var = problem->values[0].tensor->descriptor.rank;
    const int indices = problem->values[1].tensor->descriptor.rank;
    return problem->values[2].tensor->descriptor.rank == indices + var - 1;
}

static aclnnStatus tf_shapes(struct op_problem *problem)
{
    OP_TRY(op_check_rank(problem->row->name, "varRef", problem->values[0].tensor, 1, EX_MAX_RANK));
    return has_slices(problem) ? slices_shapes(problem) : check_parts(problem, &problem->values[2]);
}

static void plan_tf(const struct op_shape_call *call)
{
    if (has_slices(call->problem))
        plan_slices(call);
    else
        scatter_rows(call, K_ADD);
}

const struct op_rule op_rule_tf_scatter_add = {
    .types = op_index_types,
    .shapes = tf_shapes,
    .runs_empty = true,
    .more = &(const struct slices_rule){{plan_tf}, K_ADD},
};

/* ---- aclnnInplacePut ---- */

static int64_t elements_of(const struct ex_descriptor *d)
{
    return op_element_count(d->rank, d->sizes);
}

static aclnnStatus put_shapes(struct op_problem *problem)
{
    const struct ex_descriptor *self = &problem->values[0].tensor->descriptor;
    const aclTensor *index = op_tensor_named(problem, "index"),
                    *source = op_tensor_named(problem, "source");
    const int64_t wanted = elements_of(&index->descriptor);
    OP_CHECK(problem->row->name, elements_of(&source->descriptor) == wanted,
             ACLNN_ERR_PARAM_INVALID,
             "source has %" PRId64 " elements; it must have as many as index, %" PRId64,
             elements_of(&source->descriptor), wanted);
    OP_CHECK(problem->row->name, elements_of(self) > 0 || wanted == 0, ACLNN_ERR_PARAM_INVALID,
             "selfRef has no element; no index can name one");
    return ACLNN_SUCCESS;
}

static struct op_place flat(const struct op_place *dense, int64_t elements)
{
    struct op_place place = {.buffer = dense->buffer,
                             .view = op_view_dense(dense->view.type, 1, &elements)};
    place.view.offset = dense->view.offset;
    return place;
}

static void plan_put(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const enum k_combine combine =
        op_argument_named(problem, "accumulate")->integer ? K_ADD : K_SET;
    const int64_t count = elements_of(&op_tensor_named(problem, "index")->descriptor);
    const int64_t elements = elements_of(&problem->values[0].tensor->descriptor);
    struct op_place index = op_dense_source(call, op_place_of(problem, "index"));
    struct op_table table = op_table_of(
        call, &(const struct op_table_request){
                  .combine = combine, .values = op_place_of(problem, "source"), .is_dense = true});
    if (!op_view_is_dense(&table.values.view)) {
        const struct op_view *view = &table.values.view;
        const struct op_place copy =
            op_scratch_place(call->plan, view->type, view->rank, view->sizes);
        op_copy_place(call->plan, &table.values, &copy);
        table.values = copy;
    }
    const struct op_place from = flat(&table.values, count), to = flat(&table.place, elements);
    index = flat(&index, count);
    struct op_indexing x = op_indexing_of(call, &to, &from, "index");
    x.k.wraps = true;
    op_indexing_axis(&x, count, 0, 1);
    op_indexing_tensor(&x, &index, 0, elements, 1);
    op_scatter(&x, combine);
    op_table_deliver(call, &table);
}

const struct op_rule op_rule_put = {
    .types = op_index_types,
    .shapes = put_shapes,
    .more = &(const struct op_shape_rule){plan_put},
};

/* ---- aclnnInplaceScatterUpdate ---- */

enum { DATA, INDICES, UPDATES, AXIS };

static aclnnStatus update_shapes(struct op_problem *problem)
{
    const struct op_value *values = problem->values;
    const struct ex_descriptor *data = &values[DATA].tensor->descriptor;
    const struct ex_descriptor *indices = &values[INDICES].tensor->descriptor;
    const struct ex_descriptor *updates = &values[UPDATES].tensor->descriptor;
    struct op_shape_text text, other;
    int axis;
    OP_TRY(op_check_rank(problem->row->name, "data", values[DATA].tensor, 2, EX_MAX_RANK));
    OP_TRY(op_check_rank(problem->row->name, "indices", values[INDICES].tensor, 0, 2));
    OP_TRY(op_check_same_rank(problem->row->name, "updates", values[UPDATES].tensor, "data",
                              values[DATA].tensor));
    OP_TRY(op_check_axis(problem, &values[AXIS], values[DATA].tensor, &axis));
    OP_CHECK(problem->row->name, axis != 0, ACLNN_ERR_PARAM_INVALID,
             "axis is %" PRId64 "; it must not be the first", values[AXIS].integer);
    OP_CHECK(problem->row->name, updates->sizes[0] == op_size_of(values[INDICES].tensor, 0),
             ACLNN_ERR_PARAM_INVALID,
             "updates has %" PRId64 " elements along dimension 0; indices has %" PRId64,
             updates->sizes[0], op_size_of(values[INDICES].tensor, 0));
    OP_CHECK(
        problem->row->name, indices->rank < 2 || indices->sizes[1] == 2, ACLNN_ERR_PARAM_INVALID,
        "indices has %" PRId64 " elements along dimension 1; it must have 2", indices->sizes[1]);
    for (int i = 0; i < data->rank; i++)
        OP_CHECK(problem->row->name,
                 i == 0 || i == axis ? updates->sizes[i] <= data->sizes[i]
                                     : updates->sizes[i] == data->sizes[i],
                 ACLNN_ERR_PARAM_INVALID,
                 "updates's shape is %s; at dimension %d it does not fit into data's, which is %s",
                 op_shape(&text, values[UPDATES].tensor), i, op_shape(&other, values[DATA].tensor));
    return ACLNN_SUCCESS;
}

static void plan_update(const struct op_shape_call *call)
{
    const struct op_place indices = op_source(call, INDICES, 0);
    const struct op_table table = op_table_of(
        call,
        &(const struct op_table_request){.combine = K_SET, .values = UPDATES, .before = DATA});
    const struct op_view *to = &table.place.view, *from = &table.values.view;
    const bool has_rows = indices.view.rank == 2;
    struct op_indexing x = op_indexing_of(call, &table.place, &table.values, "indices");
    int axis;
    op_find_axis(call->problem->values[AXIS].integer, to->rank, &axis);
    for (int i = 0; i < to->rank; i++)
        op_indexing_axis(&x, from->sizes[i], i == 0 && has_rows ? 0 : to->strides[i],
                         from->strides[i]);
    /* Windows of rows that are named twice may meet anywhere. */
    if (has_rows) x.k.is_apart[axis] = false;
    const int64_t sizes[] = {to->sizes[0], to->sizes[axis] - from->sizes[axis] + 1};
    const int64_t steps[] = {to->strides[0], to->strides[axis]};
    if (has_rows)
        op_indexing_columns(&x, &indices, sizes, steps);
    else
        op_indexing_tensor(&x, &indices, 0, sizes[1], steps[1]);
    op_scatter(&x, K_SET);
    op_table_deliver(call, &table);
}

const struct op_rule op_rule_scatter_update = {
    .types = op_index_types,
    .shapes = update_shapes,
    .more = &(const struct op_shape_rule){plan_update},
};

/* ---- aclnnOneHot ---- */

enum { SELF, CLASSES, ON, OFF, WHERE, OUT };

static aclnnStatus one_hot_types(struct op_problem *problem)
{
    const struct op_value *values = problem->values;
    const char *name = problem->row->name;
    OP_TRY(op_check_type(name, "self", values[SELF].tensor,
                         OP_TYPE(ACL_UINT8) | OP_TYPE(ACL_INT32) | OP_TYPE(ACL_INT64),
                         "UINT8, INT32, INT64"));
    for (int i = ON; i <= OUT; i++) {
        if (i == WHERE) continue;
        OP_TRY(op_check_type(name, values[i].name, values[i].tensor, problem->row->types,
                             problem->row->type_names));
        OP_TRY(op_check_same_type(name, values[i].name, values[i].tensor, "onValue",
                                  values[ON].tensor));
    }
    problem->type = problem->result = (aclDataType)values[OUT].tensor->descriptor.data_type;
    return ACLNN_SUCCESS;
}

/* Where the axis of classes stands in out. */
static int class_axis(const struct op_problem *problem)
{
    const int64_t axis = problem->values[WHERE].integer;
    return (int)(axis == -1 ? problem->values[SELF].tensor->descriptor.rank : axis);
}

static aclnnStatus one_hot_shapes(struct op_problem *problem)
{
    const struct op_value *values = problem->values;
    const struct ex_descriptor *self = &values[SELF].tensor->descriptor;
    int64_t sizes[EX_MAX_RANK + 1];
    OP_CHECK(problem->row->name, values[CLASSES].integer >= 0, ACLNN_ERR_PARAM_INVALID,
             "numClasses is %" PRId64 "; it must not be negative", values[CLASSES].integer);
    OP_CHECK(problem->row->name, values[CLASSES].integer > 0 || !op_is_empty(values[SELF].tensor),
             ACLNN_ERR_PARAM_INVALID, "numClasses is 0; with an empty self it must be greater");
    OP_CHECK(problem->row->name, values[WHERE].integer >= -1 && values[WHERE].integer <= self->rank,
             ACLNN_ERR_PARAM_INVALID, "axis is %" PRId64 "; it must be from -1 to %d, self's rank",
             values[WHERE].integer, self->rank);
    for (int i = ON; i <= OFF; i++)
        OP_CHECK(problem->row->name, !op_is_empty(values[i].tensor), ACLNN_ERR_PARAM_INVALID,
                 "%s has no element; its first one is the value", values[i].name);
    const int at = class_axis(problem);
    for (int i = 0; i <= self->rank; i++)
        sizes[i] = i == at ? values[CLASSES].integer : self->sizes[i - (i > at)];
    return op_check_shape(problem, &values[OUT], values[OUT].tensor, self->rank + 1, sizes);
}

/* The first element, in any shape. */
static struct op_place first_of(const struct op_shape_call *call, int argument)
{
    struct op_place place = op_source(call, argument, 0);
    place.view.rank = 0;
    return place;
}

static void plan_one_hot(const struct op_shape_call *call)
{
    const struct op_place on = first_of(call, ON);
    struct op_place off = first_of(call, OFF), self = op_source(call, SELF, 0);
    const struct op_place out = op_target(call, OUT, 0);
    const int at = class_axis(call->problem);
    if (self.view.type == ACL_UINT8) {
        const struct op_place wide =
            op_scratch_place(call->plan, ACL_INT32, self.view.rank, self.view.sizes);
        op_copy_place(call->plan, &self, &wide);
        self = wide;
    }
    off.view = op_view_broadcast(&off.view, out.view.rank, out.view.sizes);
    op_copy_place(call->plan, &off, &out);
    struct op_indexing x = op_indexing_of(call, &out, &on, "self");
    x.k.skips = true;
    for (int i = 0; i < self.view.rank; i++)
        op_indexing_axis(&x, self.view.sizes[i], out.view.strides[i + (i >= at)], 0);
    op_indexing_tensor(&x, &self, 0, out.view.sizes[at], out.view.strides[at]);
    op_scatter(&x, K_SET);
}

const struct op_rule op_rule_one_hot = {
    .types = one_hot_types,
    .shapes = one_hot_shapes,
    .more = &(const struct op_shape_rule){plan_one_hot},
};
