/* SPDX-License-Identifier: Apache-2.0 */
/* Linear algebra: the last two dimensions are matrices, the others batches. Everything is computed
 * in double, or in pairs of doubles: operands are copied to such scratch, results cast once. */
#include <stdio.h>
#include <string.h>

#include "api/op_complex.h"
#include "kernels/kernels.h"
#include "kernels/linalg/k_linalg.h"

static const struct ex_descriptor *shape_of(const struct op_problem *problem, int argument)
{
    return &problem->values[argument].tensor->descriptor;
}

/* What is computed in: DOUBLE, or COMPLEX128. */
static aclDataType wide_type(aclDataType type)
{
    return op_is_complex(type) ? ACL_COMPLEX128 : ACL_DOUBLE;
}

/* Dense doubles of the elements of a view. */
static struct op_place doubles_of(struct ex_plan *plan, const struct op_place *from)
{
    const aclDataType type = wide_type(from->view.type);
    struct op_place copy = *from;
    if (from->view.type == type && op_view_is_dense(&from->view)) return copy;
    copy = op_scratch_place(plan, type, from->view.rank, from->view.sizes);
    op_copy_place(plan, from, &copy);
    return copy;
}

static struct op_view transposed(struct op_view view)
{
    return op_view_swapped(view, view.rank - 2, view.rank - 1);
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
    const aclDataType type = wide_type(to.view.type);
    const bool is_direct = to.view.type == type && op_view_is_dense(&to.view);
    const struct op_place x =
        is_direct ? to : op_scratch_place(call->plan, type, rank, to.view.sizes);
    op_copy_place(call->plan, &b, &x);
    const struct k_work work = k_triangular_work(&t);
    ex_step(call->plan, "triangular_solve",
            op_is_complex(type) ? k_best()->complex_triangular_solve : k_best()->triangular_solve,
            &t, sizeof t, work, EX_BUFFERS(a.buffer, x.buffer));
    if (!is_direct) op_copy_place(call->plan, &x, &to);
}

const struct op_rule op_rule_triangular_solve = {
    .types = op_one_type,
    .shapes = triangular_shapes,
    .runs_empty = true, /* mOut has elements where self has none */
    .more = &(const struct op_shape_rule){triangular_solve},
};

/* ---- factorizations ---- */

/* A copy, as dense doubles. */
static struct op_place copy_of(struct ex_plan *plan, const struct op_place *from)
{
    const struct op_place copy =
        op_scratch_place(plan, wide_type(from->view.type), from->view.rank, from->view.sizes);
    op_copy_place(plan, from, &copy);
    return copy;
}

/* Scratch for a matrix of a type for each of the batch. */
static struct op_place matrices_as(const struct op_shape_call *call, aclDataType type,
                                   const struct op_view *batch, int64_t rows, int64_t columns)
{
    int64_t sizes[EX_MAX_RANK];
    memcpy(sizes, batch->sizes, sizeof sizes);
    sizes[batch->rank - 2] = rows;
    sizes[batch->rank - 1] = columns;
    return op_scratch_place(call->plan, type, batch->rank, sizes);
}

/* Of what is computed in. */
static struct op_place matrices_of(const struct op_shape_call *call, const struct op_view *batch,
                                   int64_t rows, int64_t columns)
{
    return matrices_as(call, wide_type(batch->type), batch, rows, columns);
}

static struct op_place turned(struct op_place place)
{
    place.view = transposed(place.view);
    return place;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static struct k_matrix matrix_of(const struct op_view *view)
{
    return (struct k_matrix){.matrices = op_element_count(view->rank - 2, view->sizes),
                             .rows = view->sizes[view->rank - 2],
                             .columns = view->sizes[view->rank - 1]};
}

/* The shape of a result: the batch of the first argument, and so many rows and columns behind it;
 * -1: there are none. */
static aclnnStatus check_result(const struct op_problem *problem, const char *name, int64_t rows,
                                int64_t columns)
{
    const struct op_value *value = op_argument_named(problem, name);
    const struct ex_descriptor *self = shape_of(problem, 0);
    int64_t sizes[EX_MAX_RANK];
    int rank = self->rank - 2;
    memcpy(sizes, self->sizes, sizeof *sizes * (size_t)rank);
    if (rows >= 0) sizes[rank++] = rows;
    if (columns >= 0) sizes[rank++] = columns;
    return op_check_shape(problem, value, value->tensor, rank, sizes);
}

static aclnnStatus check_square(const struct op_problem *problem)
{
    const struct ex_descriptor *self = shape_of(problem, 0);
    struct op_shape_text text;
    OP_TRY(op_check_rank(problem->row->name, "self", problem->values[0].tensor, 2, EX_MAX_RANK));
    OP_CHECK(problem->row->name, self->sizes[self->rank - 1] == self->sizes[self->rank - 2],
             ACLNN_ERR_PARAM_INVALID, "self's shape is %s; its last two sizes must be equal",
             op_shape(&text, problem->values[0].tensor));
    return ACLNN_SUCCESS;
}

static aclnnStatus same_square_shapes(struct op_problem *problem)
{
    OP_TRY(check_square(problem));
    const int64_t order = shape_of(problem, 0)->sizes[shape_of(problem, 0)->rank - 1];
    return check_result(problem, "out", order, order);
}

static void describe_matrix(const char *what, const struct k_matrix *matrix, int64_t position,
                            char *text, size_t size)
{
    if (matrix->matrices == 1)
        snprintf(text, size, "self is not %s", what);
    else
        snprintf(text, size, "matrix %" PRId64 " of self is not %s", position, what);
}

static void describe_singular(const void *parameters, void *const buffers[], int64_t position,
                              char *text, size_t size)
{
    (void)buffers;
    describe_matrix("invertible", parameters, position, text, size);
}

static void describe_indefinite(const void *parameters, void *const buffers[], int64_t position,
                                char *text, size_t size)
{
    (void)buffers;
    describe_matrix("positive definite", parameters, position, text, size);
}

/* Solves a triangular system in the place of its right sides. */
static void substitute(const struct op_shape_call *call, const struct op_place *a,
                       const struct op_place *x, bool is_upper, bool has_ones)
{
    const struct k_matrix matrix = matrix_of(&x->view);
    struct k_triangular t = {.is_upper = is_upper,
                             .has_ones = has_ones,
                             .matrices = matrix.matrices,
                             .order = matrix.rows,
                             .columns = matrix.columns};
    const struct k_work work = k_triangular_work(&t);
    ex_step(call->plan, "triangular_solve", k_best()->triangular_solve, &t, sizeof t, work,
            EX_BUFFERS(a->buffer, x->buffer));
}

/* A X = I: L U X = P. */
static void inverse(const struct op_shape_call *call)
{
    const struct op_place self = op_target(call, 0, 0), out = op_target(call, 1, 0);
    if (op_view_is_empty(&self.view)) return;
    const struct op_place a = copy_of(call->plan, &self);
    struct k_matrix matrix = matrix_of(&a.view);
    matrix.has_faults = true;
    const struct op_place x = matrices_of(call, &a.view, matrix.rows, matrix.rows);
    const struct op_place numbers = matrices_of(call, &a.view, 1, 2);
    ex_step_with_faults(
        call->plan, "lu", k_best()->lu, &matrix, sizeof matrix, k_matrix_work(&matrix),
        EX_BUFFERS(a.buffer, x.buffer, numbers.buffer, numbers.buffer), describe_singular);
    substitute(call, &a, &x, false, true);
    substitute(call, &a, &x, true, false);
    op_copy_place(call->plan, &x, &out);
}

static void cholesky(const struct op_shape_call *call)
{
    const bool is_upper = call->problem->values[1].integer != 0;
    struct op_place self = op_target(call, 0, 0), out = op_target(call, 2, 0);
    if (op_view_is_empty(&self.view)) return;
    if (is_upper) {
        self = turned(self);
        out = turned(out);
    }
    const struct op_place a = copy_of(call->plan, &self);
    const struct k_matrix matrix = matrix_of(&a.view);
    ex_step_with_faults(call->plan, "cholesky", k_best()->cholesky, &matrix, sizeof matrix,
                        k_matrix_work(&matrix), EX_BUFFERS(a.buffer), describe_indefinite);
    op_copy_place(call->plan, &a, &out);
}

/* ---- determinants ---- */

static aclnnStatus determinant_shapes(struct op_problem *problem)
{
    OP_TRY(check_square(problem));
    for (int i = 1; i < problem->count; i++)
        OP_TRY(check_result(problem, problem->values[i].name, -1, -1));
    return ACLNN_SUCCESS;
}

/* Sign and logarithm, or the logarithm alone. Matrices without elements have the determinant 1. */
static void determinant(const struct op_shape_call *call)
{
    const struct op_place self = op_target(call, 0, 0), a = copy_of(call->plan, &self);
    struct k_matrix matrix = matrix_of(&a.view);
    matrix.wants_log = call->problem->count == 2;
    if (matrix.matrices == 0) return;
    const struct op_place sign =
        op_scratch_place(call->plan, a.view.type, a.view.rank - 2, a.view.sizes);
    const struct op_place log_of = op_scratch_like(call->plan, &sign.view);
    ex_step_with_faults(
        call->plan, "lu", op_is_complex(a.view.type) ? k_best()->complex_lu : k_best()->lu, &matrix,
        sizeof matrix, k_matrix_work(&matrix),
        EX_BUFFERS(a.buffer, a.buffer, sign.buffer, log_of.buffer), describe_singular);
    const struct op_place first = op_target(call, 1, 0);
    op_copy_place(call->plan, matrix.wants_log ? &log_of : &sign, &first);
    if (matrix.wants_log) return;
    const struct op_place second = op_target(call, 2, 0);
    op_copy_place(call->plan, &log_of, &second);
}

/* ---- QR ---- */

enum { QR_SELF, QR_MODE, QR_Q, QR_R };
enum { REDUCED, COMPLETE, ONLY_R };

/* aclnnQr says whether Q is reduced, aclnnLinalgQr how. */
static int64_t qr_mode(const struct op_problem *problem)
{
    const struct op_value *mode = &problem->values[QR_MODE];
    if (mode->kind != OP_BOOL) return mode->integer;
    return mode->integer != 0 ? REDUCED : COMPLETE;
}

static aclnnStatus qr_shapes(struct op_problem *problem)
{
    const int64_t mode = qr_mode(problem);
    OP_TRY(
        op_check_rank(problem->row->name, "self", problem->values[QR_SELF].tensor, 2, EX_MAX_RANK));
    OP_CHECK(problem->row->name, mode >= REDUCED && mode <= ONLY_R, ACLNN_ERR_PARAM_INVALID,
             "mode is %" PRId64 "; it must be 0, 1 or 2", mode);
    const struct ex_descriptor *self = shape_of(problem, QR_SELF);
    const int64_t m = self->sizes[self->rank - 2], n = self->sizes[self->rank - 1];
    const int64_t rows = mode == COMPLETE ? m : smaller(m, n);
    if (mode != ONLY_R) OP_TRY(check_result(problem, "Q", m, rows));
    return check_result(problem, "R", rows, n);
}

static void qr(const struct op_shape_call *call)
{
    const struct op_place self = turned(op_target(call, QR_SELF, 0));
    const struct op_place q = op_target(call, QR_Q, 0), r = op_target(call, QR_R, 0);
    const struct op_place a = copy_of(call->plan, &self);
    struct k_matrix matrix = matrix_of(&a.view); /* the transpose's */
    const int64_t columns = matrix.rows, rows = matrix.columns;
    const int64_t mode = qr_mode(call->problem);
    matrix.rows = rows;
    matrix.columns = columns;
    matrix.others = mode == ONLY_R ? 0 : mode == COMPLETE ? rows : smaller(rows, columns);
    if (matrix.matrices == 0) return;
    const struct op_place q_turned = matrices_of(call, &a.view, matrix.others, rows);
    const struct op_place tau = matrices_of(call, &a.view, 1, smaller(rows, columns));
    ex_step(call->plan, "qr", op_is_complex(a.view.type) ? k_best()->complex_qr : k_best()->qr,
            &matrix, sizeof matrix, k_matrix_work(&matrix),
            EX_BUFFERS(a.buffer, q_turned.buffer, tau.buffer));
    struct op_place upper = turned(a);
    upper.view =
        op_view_part(&upper.view, upper.view.rank - 2, 0, 1, r.view.sizes[r.view.rank - 2]);
    op_copy_place(call->plan, &upper, &r);
    const struct op_place q_made = turned(q_turned);
    if (mode != ONLY_R) op_copy_place(call->plan, &q_made, &q);
}

/* ---- singular values ---- */

enum { SVD_INPUT, SVD_FULL, SVD_VECTORS, SVD_SIGMA, SVD_U, SVD_V };

static aclnnStatus svd_shapes(struct op_problem *problem)
{
    const struct op_value *values = problem->values;
    OP_TRY(op_check_rank(problem->row->name, "input", values[SVD_INPUT].tensor, 2, EX_MAX_RANK));
    const struct ex_descriptor *d = shape_of(problem, SVD_INPUT);
    const int64_t m = d->sizes[d->rank - 2], n = d->sizes[d->rank - 1], count = smaller(m, n);
    const bool is_full = values[SVD_FULL].integer != 0;
    OP_TRY(check_result(problem, "sigma", count, -1));
    if (!values[SVD_VECTORS].integer) return ACLNN_SUCCESS;
    OP_TRY(check_result(problem, "u", m, is_full ? m : count));
    return check_result(problem, "v", n, is_full ? n : count);
}

static void svd(const struct op_shape_call *call)
{
    const struct op_value *values = call->problem->values;
    struct op_place input = op_target(call, SVD_INPUT, 0);
    const struct k_matrix shape = matrix_of(&input.view);
    const bool is_tall = shape.rows > shape.columns, has_vectors = values[SVD_VECTORS].integer != 0;
    const bool is_full = has_vectors && values[SVD_FULL].integer != 0;
    if (is_tall) input = turned(input);
    const struct op_place x = copy_of(call->plan, &input);
    struct k_matrix matrix = matrix_of(&x.view);
    matrix.others = !has_vectors ? 0 : is_full ? matrix.columns : matrix.rows;
    if (matrix.matrices == 0) return;
    const bool is_complex = op_is_complex(x.view.type);
    matrix.conjugates = !is_tall;
    const struct op_place sigma = matrices_as(call, ACL_DOUBLE, &x.view, 1, matrix.rows);
    const struct op_place of_short = matrices_of(call, &x.view, matrix.rows, matrix.rows);
    const struct op_place of_long = matrices_of(call, &x.view, matrix.others, matrix.columns);
    const struct op_place left = matrices_as(call, ACL_DOUBLE, &x.view, 1, matrix.columns);
    ex_step(call->plan, "svd", is_complex ? k_best()->complex_svd : k_best()->svd, &matrix,
            sizeof matrix, k_matrix_work(&matrix),
            EX_BUFFERS(x.buffer, sigma.buffer, of_short.buffer, of_long.buffer, left.buffer));
    const struct op_place sigma_out = op_target(call, SVD_SIGMA, 0);
    struct op_place sigma_made = sigma;
    sigma_made.view = op_view_dense(ACL_DOUBLE, sigma_out.view.rank, sigma_out.view.sizes);
    op_copy_place(call->plan, &sigma_made, &sigma_out);
    if (!has_vectors) return;
    const struct op_place u = op_target(call, SVD_U, 0), v = op_target(call, SVD_V, 0);
    const struct op_place short_made = turned(of_short), long_made = turned(of_long);
    op_copy_place(call->plan, is_tall ? &long_made : &short_made, &u);
    op_copy_place(call->plan, is_tall ? &short_made : &long_made, &v);
}

const struct op_rule op_rule_inverse = {
    .types = op_one_type,
    .shapes = same_square_shapes,
    .more = &(const struct op_shape_rule){inverse},
};
const struct op_rule op_rule_cholesky = {
    .types = op_one_type,
    .shapes = same_square_shapes,
    .more = &(const struct op_shape_rule){cholesky},
};
const struct op_rule op_rule_determinant = {
    .types = op_one_type,
    .shapes = determinant_shapes,
    .runs_empty = true, /* a matrix without elements has a determinant */
    .more = &(const struct op_shape_rule){determinant},
};
const struct op_rule op_rule_qr = {
    .types = op_one_type,
    .shapes = qr_shapes,
    .runs_empty = true, /* Q of a matrix without columns is the identity */
    .more = &(const struct op_shape_rule){qr},
};
const struct op_rule op_rule_svd = {
    .types = op_one_type,
    .shapes = svd_shapes,
    .runs_empty = true, /* and so are u and v */
    .more = &(const struct op_shape_rule){svd},
};

/* ---- aclnnSinkhorn ---- */

enum { SINKHORN_COST, SINKHORN_TOLERANCE, SINKHORN_P };

static aclnnStatus sinkhorn_shapes(struct op_problem *problem)
{
    const struct op_value *values = problem->values;
    const aclScalar *tolerance = values[SINKHORN_TOLERANCE].scalar;
    OP_TRY(op_check_rank(problem->row->name, "cost", values[SINKHORN_COST].tensor, 2, 2));
    OP_CHECK(problem->row->name, !tolerance || !op_is_complex(tolerance->data_type),
             ACLNN_ERR_PARAM_INVALID, "tol is of type %s; it must be real",
             op_data_type_name(tolerance->data_type));
    return op_check_same_shape(problem->row->name, "p", values[SINKHORN_P].tensor, "cost",
                               values[SINKHORN_COST].tensor);
}

static void sinkhorn(const struct op_shape_call *call)
{
    const aclScalar *tolerance = call->problem->values[SINKHORN_TOLERANCE].scalar;
    const struct op_place cost = op_target(call, SINKHORN_COST, 0),
                          p = op_target(call, SINKHORN_P, 0);
    const struct op_place a = copy_of(call->plan, &cost);
    const struct k_sinkhorn s = {.rows = a.view.sizes[0],
                                 .columns = a.view.sizes[1],
                                 .tolerance = tolerance ? op_scalar_real(tolerance) : 0.0001};
    const struct op_place rows = matrices_of(call, &a.view, 1, s.rows);
    const struct op_place columns = matrices_of(call, &a.view, 2, s.columns);
    ex_step(call->plan, "sinkhorn", k_best()->sinkhorn, &s, sizeof s,
            (struct k_work){.items = 1, .grain = 1},
            EX_BUFFERS(a.buffer, rows.buffer, columns.buffer));
    op_copy_place(call->plan, &a, &p);
}

const struct op_rule op_rule_sinkhorn = {
    .types = op_one_type,
    .shapes = sinkhorn_shapes,
    .more = &(const struct op_shape_rule){sinkhorn},
};
