/* SPDX-License-Identifier: Apache-2.0 */
/* Linear algebra from the definitions, with bounds of the error that follow from the operands. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/oracle_norm.h"

/* The matrix of `from` that matrix `batch` of `to` meets: its first element. */
static int64_t matrix_of(const struct operand *to, int64_t batch, const struct operand *from)
{
    int64_t at = 0, step = from->dims[from->rank - 1] * from->dims[from->rank - 2];
    for (int axis = to->rank - 3; axis >= 0; axis--) {
        const int own = axis - (to->rank - from->rank);
        const int64_t index = batch % to->dims[axis];
        batch /= to->dims[axis];
        if (own < 0) continue;
        at += (from->dims[own] == 1 ? 0 : index) * step;
        step *= from->dims[own];
    }
    return at;
}

/* ---- aclnnTriangularSolve ---- */

enum { B, A, X, M };

/* Column j of a matrix: x by substitution, and how large its error can be in units of the terms'
 * rounding: |error[i]| <= (|b[i]| + sum of |a[i, k]| error[k]) / |a[i, i]|. */
static void solve_column(struct rig_problem *problem, int64_t a, int64_t b, int64_t x, int64_t j)
{
    const struct operand *out = &problem->tensor[X].view;
    const bool upper = norm_integer(problem, "upper", 0), ones = problem->call.number[2];
    const bool transpose = norm_integer(problem, "transpose", 0);
    const int64_t n = out->dims[out->rank - 2], columns = out->dims[out->rank - 1];
    long double value[64], bound[64];
    for (int64_t step = 0; step < n; step++) {
        const int64_t i = upper != transpose ? n - 1 - step : step;
        long double sum = oracle_value(problem, B, b + i * columns + j), size = fabsl(sum);
        for (int64_t known = 0; known < step; known++) {
            const int64_t k = upper != transpose ? n - 1 - known : known;
            const double c = oracle_value(problem, A, a + (transpose ? k * n + i : i * n + k));
            sum -= c * value[k];
            size += fabs(c) * bound[k];
        }
        const double pivot = ones ? 1 : oracle_value(problem, A, a + i * n + i);
        value[i] = sum / pivot;
        bound[i] = size / fabs(pivot);
        norm_put(problem, X, x + i * columns + j, (double)value[i], (double)bound[i],
                 4 * (double)n);
    }
}

static void triangular_solve(struct rig_problem *problem)
{
    const struct operand *out = &problem->tensor[X].view;
    const int64_t n = out->dims[out->rank - 2], columns = out->dims[out->rank - 1];
    const int64_t size = n * columns;
    for (int64_t i = 0; i < problem->tensor[X].count; i += size)
        for (int64_t j = 0; j < columns; j++)
            solve_column(problem, matrix_of(out, i / size, &problem->tensor[A].view),
                         matrix_of(out, i / size, &problem->tensor[B].view), i, j);
    if (problem->call.is_null[M]) return;
    for (int64_t i = 0; i < problem->tensor[M].count; i++)
        norm_put_sum(
            problem, M, i,
            oracle_value(problem, A,
                         oracle_broadcast(&problem->tensor[M].view, i, &problem->tensor[A].view)),
            0, 0);
}

/* Off the diagonal up to 1/2, on it from 1 to 4: solutions stay small. */
static void fill_triangle(struct rig_problem *problem, struct random *random)
{
    struct rig_tensor *a = &problem->tensor[A];
    if (problem->test->data == CASE_SPECIAL) return;
    const int64_t n = a->view.dims[a->view.rank - 1];
    for (int64_t i = 0; i < a->count; i++) {
        const bool is_diagonal = i / n % n == i % n;
        double value = (double)random_between(random, -64, 64) / 128;
        if (is_diagonal) value = (double)random_between(random, 8, 32) / 8;
        a->bits[i] = oracle_cast_real(a->view.dtype, random_once_in(random, 2) ? value : -value);
    }
}

static struct test_case random_triangular(const struct rig_operator *op, struct random *random,
                                          enum case_dtype dtype)
{
    if (dtype != CASE_F32) dtype = CASE_F64;
    struct test_case test = norm_start(op, random, dtype);
    int64_t a[CASE_RANK], b[CASE_RANK], x[CASE_RANK];
    const int rank = random_once_in(random, 8) ? 8 : (int)random_between(random, 2, 5);
    for (int i = 0; i < rank - 2; i++) {
        a[i] = b[i] = x[i] = random_between(random, 1, rank > 5 ? 2 : 3);
        if (random_once_in(random, 3))
            a[i] = 1;
        else if (random_once_in(random, 3))
            b[i] = 1;
    }
    a[rank - 1] = a[rank - 2] = b[rank - 2] = x[rank - 2] =
        random_once_in(random, 20) ? 0 : random_between(random, 1, rank > 5 ? 3 : 9);
    b[rank - 1] = x[rank - 1] = random_once_in(random, 20)  ? 0
                                : random_once_in(random, 3) ? 1
                                : rank > 3                  ? random_between(random, 1, 5)
                                                            : random_between(random, 1, 70);
    random_tensor(&test, random, "self", dtype, b, rank, false);
    random_tensor(&test, random, "A", dtype, a, rank, false);
    random_number(&test, "upper", (double)random_below(random, 2));
    random_number(&test, "transpose", (double)random_below(random, 2));
    random_number(&test, "unitriangular", (double)random_below(random, 2));
    random_tensor(&test, random, "xOut", dtype, x, rank, true);
    x[rank - 1] = x[rank - 2];
    if (!random_once_in(random, 4)) random_tensor(&test, random, "mOut", dtype, x, rank, true);
    return test;
}

const struct oracle_row oracle_linalg_rows[] = {
    {.name = "aclnnTriangularSolve",
     .oracle = triangular_solve,
     .random = random_triangular,
     .fill = fill_triangle,
     .ulp = 1,
     .lines = LINES("triangular_solve f32 self=3x4 A=3x3 upper=1 transpose=0 unitriangular=0 "
                    "xOut=3x4 mOut=3x3",
                    "triangular_solve f32 self=2x40x70 A=40x40 upper=0 transpose=0 unitriangular=0 "
                    "xOut=2x40x70",
                    "triangular_solve f64 self=40x32 A=2x1x40x40 upper=0 transpose=1 "
                    "unitriangular=0 xOut=2x1x40x32 mOut=2x1x40x40",
                    "triangular_solve f32 self=61x1 A=61x61 upper=1 transpose=1 unitriangular=0 "
                    "xOut=61x1 mOut=61x61",
                    "triangular_solve f32 self=5x0 A=5x5 upper=1 transpose=1 unitriangular=0 "
                    "xOut=5x0 mOut=5x5",
                    "triangular_solve f32 self=0x5 A=3x0x0 upper=1 transpose=1 unitriangular=0 "
                    "xOut=3x0x5 mOut=3x0x0"),
     .sound = "triangular_solve f32 self=2x3x4 A=2x3x3 upper=1 transpose=0 unitriangular=0 "
              "xOut=2x3x4 mOut=2x3x3"},
    {.name = NULL},
};
