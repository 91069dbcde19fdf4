/* SPDX-License-Identifier: Apache-2.0 */
/* Distances between rows, and their gradient. */
#include <math.h>
#include <string.h>

#include "api/op_shape.h"
#include "kernels/distance/k_distance.h"
#include "kernels/kernels.h"

static double order_of(const struct op_problem *problem)
{
    const double p = op_real_named(problem, "p", 0);
    return op_argument_named(problem, "pScalar") ? op_real_named(problem, "pScalar", 0) : p;
}

static aclnnStatus check_order(const struct op_problem *problem)
{
    const double p = order_of(problem);
    OP_CHECK(problem->row->name, p >= 0, ACLNN_ERR_PARAM_INVALID, "p is %g; it must be at least 0",
             p);
    return ACLNN_SUCCESS;
}

static const struct ex_descriptor *shape_of(const struct op_problem *problem, int argument)
{
    return &problem->values[argument].tensor->descriptor;
}

/* ---- batches ---- */

/* Size of a batch axis, of `rank` axes in all with those of rows; 1 where there is none. */
static int64_t batch_size(const struct ex_descriptor *d, int axis, int rank)
{
    const int own = axis - (rank - d->rank);
    return own < 0 ? 1 : d->sizes[own];
}

/* Strides of dense rows over the batch's axes. */
static void batch_strides(const struct ex_descriptor *d, int rank, int64_t *strides)
{
    int64_t dense = d->sizes[d->rank - 1] * d->sizes[d->rank - 2];
    for (int axis = rank - 3; axis >= 0; axis--) {
        const int64_t size = batch_size(d, axis, rank);
        strides[axis] = size == 1 ? 0 : dense;
        dense *= size;
    }
}

static struct k_distance distance_of(const struct op_problem *problem, int x, int y)
{
    const struct ex_descriptor *a = shape_of(problem, x), *b = shape_of(problem, y);
    const int rank = a->rank > b->rank ? a->rank : b->rank;
    struct k_distance d = {.dtype = op_k_dtype(problem->values[x].tensor),
                           .p = order_of(problem),
                           .rows = a->sizes[a->rank - 2],
                           .columns = b->sizes[b->rank - 2],
                           .features = a->sizes[a->rank - 1],
                           .batch_rank = rank - 2};
    for (int axis = 0; axis < rank - 2; axis++) {
        const int64_t size = batch_size(a, axis, rank);
        d.batch_sizes[axis] = size == 1 ? batch_size(b, axis, rank) : size;
    }
    batch_strides(a, rank, d.x_strides);
    batch_strides(b, rank, d.y_strides);
    return d;
}

/* ---- aclnnCdist ---- */

enum { X1, X2, CDIST_OUT = 4 };

static aclnnStatus check_rows(const struct op_problem *problem, int x, int y)
{
    struct op_shape_text text, other;
    const struct ex_descriptor *a = shape_of(problem, x), *b = shape_of(problem, y);
    const int rank = a->rank > b->rank ? a->rank : b->rank;
    bool fits = a->rank >= 2 && b->rank >= 2 && a->sizes[a->rank - 1] == b->sizes[b->rank - 1];
    for (int axis = 0; axis < rank - 2 && fits; axis++) {
        const int64_t one = batch_size(a, axis, rank), two = batch_size(b, axis, rank);
        fits = one == two || one == 1 || two == 1;
    }
    OP_CHECK(problem->row->name, fits, ACLNN_ERR_PARAM_INVALID,
             "x1's shape is %s, x2's %s; they must be (..., P, M) and (..., R, M), and what is in "
             "front of them broadcast",
             op_shape(&text, problem->values[x].tensor),
             op_shape(&other, problem->values[y].tensor));
    return ACLNN_SUCCESS;
}

static aclnnStatus cdist_shapes(struct op_problem *problem)
{
    OP_TRY(check_order(problem));
    OP_TRY(check_rows(problem, X1, X2));
    const struct k_distance d = distance_of(problem, X1, X2);
    int64_t sizes[EX_MAX_RANK];
    memcpy(sizes, d.batch_sizes, sizeof d.batch_sizes);
    sizes[d.batch_rank] = d.rows;
    sizes[d.batch_rank + 1] = d.columns;
    return op_check_shape(problem, &problem->values[CDIST_OUT], problem->values[CDIST_OUT].tensor,
                          d.batch_rank + 2, sizes);
}

static void add_distance(const struct op_shape_call *call, struct k_distance *d, int x, int y,
                         int out)
{
    if (op_is_empty(call->problem->values[out].tensor)) return;
    const struct op_place a = op_dense_source(call, x), b = x == y ? a : op_dense_source(call, y);
    const struct op_place to = op_dense_target(call, out);
    const struct k_work work = k_distance_plan(d);
    ex_step(call->plan, "distance", k_best()->distance, d, sizeof *d, work,
            EX_BUFFERS(a.buffer, b.buffer, to.buffer));
    op_deliver(call, &to, out);
}

static void cdist(const struct op_shape_call *call)
{
    struct k_distance d = distance_of(call->problem, X1, X2);
    add_distance(call, &d, X1, X2, CDIST_OUT);
}

const struct op_rule op_rule_cdist = {
    .types = op_one_type,
    .shapes = cdist_shapes,
    .runs_empty = true, /* rows without features */
    .more = &(const struct op_shape_rule){cdist},
};

/* ---- aclnnPdist, aclnnPdistForward ---- */

enum { SELF, PDIST_OUT = 2 };

static aclnnStatus pdist_shapes(struct op_problem *problem)
{
    OP_TRY(check_order(problem));
    OP_TRY(op_check_rank(problem->row->name, "self", problem->values[SELF].tensor, 2, 2));
    const int64_t rows = shape_of(problem, SELF)->sizes[0];
    int64_t pairs;
    OP_CHECK(problem->row->name, !__builtin_mul_overflow(rows, rows > 0 ? rows - 1 : 0, &pairs),
             ACLNN_ERR_PARAM_INVALID, "self has %" PRId64 " rows, too many", rows);
    pairs /= 2;
    return op_check_shape(problem, &problem->values[PDIST_OUT], problem->values[PDIST_OUT].tensor,
                          1, &pairs);
}

static void pdist(const struct op_shape_call *call)
{
    struct k_distance d = distance_of(call->problem, SELF, SELF);
    d.is_triangle = true;
    add_distance(call, &d, SELF, SELF, PDIST_OUT);
}

const struct op_rule op_rule_pdist = {
    .types = op_one_type,
    .shapes = pdist_shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){pdist},
};

/* ---- aclnnCdistBackward ---- */

enum { GRAD, GRAD_X1, GRAD_X2, DISTANCES, GRAD_OUT = 5 };

static double grad_order(const struct op_problem *problem)
{
    const double p = order_of(problem);
    return p == -1 ? INFINITY : p;
}

static aclnnStatus cdist_grad_shapes(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct op_value *values = problem->values;
    OP_TRY(grad_order(problem) >= 0 ? ACLNN_SUCCESS : check_order(problem));
    OP_TRY(check_rows(problem, GRAD_X1, GRAD_X2));
    const struct k_distance d = distance_of(problem, GRAD_X1, GRAD_X2);
    const struct ex_descriptor *x = shape_of(problem, GRAD_X1);
    int64_t sizes[EX_MAX_RANK];
    OP_CHECK(name, x->rank == d.batch_rank + 2, ACLNN_ERR_PARAM_INVALID,
             "x1 has %d dimensions, x2 %d", x->rank, d.batch_rank + 2);
    for (int i = 0; i < d.batch_rank; i++)
        OP_CHECK(name, x->sizes[i] == d.batch_sizes[i], ACLNN_ERR_PARAM_INVALID,
                 "x1's dimension %d is %" PRId64 ", x2's %" PRId64 "; x1 is not broadcast", i,
                 x->sizes[i], d.batch_sizes[i]);
    memcpy(sizes, x->sizes, (size_t)(x->rank - 1) * sizeof *sizes);
    sizes[x->rank - 1] = d.columns;
    OP_TRY(op_check_shape(problem, &values[GRAD], values[GRAD].tensor, x->rank, sizes));
    OP_TRY(op_check_shape(problem, &values[DISTANCES], values[DISTANCES].tensor, x->rank, sizes));
    return op_check_same_shape(name, values[GRAD_OUT].name, values[GRAD_OUT].tensor, "x1",
                               values[GRAD_X1].tensor);
}

static void cdist_grad(const struct op_shape_call *call)
{
    struct k_distance d = distance_of(call->problem, GRAD_X1, GRAD_X2);
    if (op_is_empty(call->problem->values[GRAD_OUT].tensor)) return;
    d.p = grad_order(call->problem);
    const struct op_place grad = op_dense_source(call, GRAD), x = op_dense_source(call, GRAD_X1);
    const struct op_place y = op_dense_source(call, GRAD_X2);
    const struct op_place distances = op_dense_source(call, DISTANCES);
    const struct op_place to = op_dense_target(call, GRAD_OUT);
    const struct k_work work = k_distance_grad_plan(&d);
    ex_step(call->plan, "distance_grad", k_best()->distance_grad, &d, sizeof d, work,
            EX_BUFFERS(grad.buffer, x.buffer, y.buffer, distances.buffer, to.buffer));
    op_deliver(call, &to, GRAD_OUT);
}

const struct op_rule op_rule_cdist_grad = {
    .types = op_one_type,
    .shapes = cdist_grad_shapes,
    .runs_empty = true, /* the gradient of no distance is 0 */
    .more = &(const struct op_shape_rule){cdist_grad},
};
