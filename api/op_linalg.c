/* SPDX-License-Identifier: Apache-2.0 */
/* Linear algebra: the last two dimensions are matrices, the others batches. Everything is computed
 * in double: operands are copied to double scratch, results cast once. */
#include <string.h>

#include "api/op_shape.h"
#include "kernels/kernels.h"
#include "kernels/linalg/k_linalg.h"

static const struct ex_descriptor *shape_of(const struct op_problem *problem, int argument)
{
    return &problem->values[argument].tensor->descriptor;
}

/* Dense doubles of the elements of a view. */
static struct op_place doubles_of(struct ex_plan *plan, const struct op_place *from)
{
    struct op_place copy = *from;
    if (from->view.type == ACL_DOUBLE && op_view_is_dense(&from->view)) return copy;
    copy = op_scratch_place(plan, ACL_DOUBLE, from->view.rank, from->view.sizes);
    op_copy_place(plan, from, &copy);
    return copy;
}

static struct op_view transposed(struct op_view view)
{
    const int row = view.rank - 2, column = view.rank - 1;
    const int64_t size = view.sizes[row], stride = view.strides[row];
    view.sizes[row] = view.sizes[column];
    view.strides[row] = view.strides[column];
    view.sizes[column] = size;
    view.strides[column] = stride;
    return view;
}

/* ---- aclnnTriangularSolve ---- */

enum { B, A, UPPER, TRANSPOSE, ONES, X, M };

/* The batch that self and A broadcast to, and the ranks of what is written. */
static aclnnStatus find_batch(const struct op_problem *problem, int64_t *sizes, int *rank)
{
    struct op_shape_text text, other;
    const struct ex_descriptor *b = shape_of(problem, B), *a = shape_of(problem, A);
    *rank = a->rank > b->rank ? a->rank : b->rank;
    bool fits = a->sizes[a->rank - 1] == a->sizes[a->rank - 2] &&
                b->sizes[b->rank - 2] == a->sizes[a->rank - 1];
    for (int axis = 0; axis < *rank - 2 && fits; axis++) {
        const int of_a = axis - (*rank - a->rank), of_b = axis - (*rank - b->rank);
        const int64_t one = of_a < 0 ? 1 : a->sizes[of_a], two = of_b < 0 ? 1 : b->sizes[of_b];
        fits = one == two || one == 1 || two == 1;
        sizes[axis] = one == 1 ? two : one;
    }
    OP_CHECK(problem->row->name, fits, ACLNN_ERR_PARAM_INVALID,
             "self's shape is %s, A's %s; they must be (..., m, n) and (..., m, m), and what is in "
             "front of them broadcast",
             op_shape(&text, problem->values[B].tensor),
             op_shape(&other, problem->values[A].tensor));
    return ACLNN_SUCCESS;
}

static aclnnStatus triangular_shapes(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct op_value *values = problem->values;
    int64_t sizes[EX_MAX_RANK];
    int rank;
    OP_TRY(op_check_rank(name, "self", values[B].tensor, 2, EX_MAX_RANK));
    OP_TRY(op_check_rank(name, "A", values[A].tensor, 2, EX_MAX_RANK));
    OP_TRY(find_batch(problem, sizes, &rank));
    const struct ex_descriptor *b = shape_of(problem, B);
    memcpy(sizes + rank - 2, b->sizes + b->rank - 2, 2 * sizeof *sizes);
    OP_TRY(op_check_shape(problem, &values[X], values[X].tensor, rank, sizes));
    sizes[rank - 1] = sizes[rank - 2];
    if (!values[M].tensor) return ACLNN_SUCCESS;
    return op_check_shape(problem, &values[M], values[M].tensor, rank, sizes);
}

static void triangular_solve(const struct op_shape_call *call)
{
    const struct op_value *values = call->problem->values;
    const struct op_place to = op_target(call, X, 0);
    struct op_place a = op_source(call, A, 0), b = op_source(call, B, 0);
    const bool is_transposed = values[TRANSPOSE].integer != 0;
    const int rank = to.view.rank;
    int64_t sizes[EX_MAX_RANK];
    memcpy(sizes, to.view.sizes, sizeof sizes);
    b.view = op_view_broadcast(&b.view, rank, sizes);
    sizes[rank - 1] = sizes[rank - 2];
    a.view = op_view_broadcast(&a.view, rank, sizes);
    if (values[M].tensor) {
        const struct op_place m = op_target(call, M, 0);
        op_copy_place(call->plan, &a, &m);
    }
    if (op_view_is_empty(&to.view)) return;

    struct k_triangular t = {.is_upper = (values[UPPER].integer != 0) != is_transposed,
                             .has_ones = values[ONES].integer != 0,
                             .matrices = op_element_count(rank - 2, sizes),
                             .order = sizes[rank - 2],
                             .columns = to.view.sizes[rank - 1]};
    if (is_transposed) a.view = transposed(a.view);
    a = doubles_of(call->plan, &a);
    const bool is_direct = to.view.type == ACL_DOUBLE && op_view_is_dense(&to.view);
    const struct op_place x =
        is_direct ? to : op_scratch_place(call->plan, ACL_DOUBLE, rank, to.view.sizes);
    op_copy_place(call->plan, &b, &x);
    const struct k_work work = k_triangular_work(&t);
    ex_step(call->plan, "triangular_solve", k_best()->triangular_solve, &t, sizeof t, work,
            EX_BUFFERS(a.buffer, x.buffer));
    if (!is_direct) op_copy_place(call->plan, &x, &to);
}

const struct op_rule op_rule_triangular_solve = {
    .types = op_one_type,
    .shapes = triangular_shapes,
    .runs_empty = true, /* mOut has elements where self has none */
    .more = &(const struct op_shape_rule){triangular_solve},
};
