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

/* ---- matrices as they are given ---- */

enum { ORDER = 12 };

/* Row-major, in long double. */
struct matrix {
    int64_t rows, columns;
    long double at[ORDER][ORDER];
};

static struct matrix matrix_at(struct rig_problem *problem, int operand, int64_t batch)
{
    const struct operand *view = &problem->tensor[operand].view;
    struct matrix m = {.rows = view->dims[view->rank - 2], .columns = view->dims[view->rank - 1]};
    for (int64_t i = 0; i < m.rows; i++)
        for (int64_t j = 0; j < m.columns; j++)
            m.at[i][j] = oracle_value(problem, operand, (batch * m.rows + i) * m.columns + j);
    return m;
}

static int64_t batches_of(const struct rig_problem *problem)
{
    const struct operand *view = &problem->tensor[0].view;
    int64_t count = 1;
    for (int i = 0; i < view->rank - 2; i++)
        count *= view->dims[i];
    return count;
}

/* ---- aclnnInverse ---- */

/* Gauss-Jordan with the rows below as pivots. False: there is no inverse. */
static bool invert(struct matrix *m, struct matrix *to)
{
    const int64_t n = m->rows;
    *to = (struct matrix){.rows = n, .columns = n};
    for (int64_t i = 0; i < n; i++)
        to->at[i][i] = 1;
    for (int64_t k = 0; k < n; k++) {
        int64_t best = k;
        for (int64_t i = k; i < n; i++)
            if (fabsl(m->at[i][k]) > fabsl(m->at[best][k])) best = i;
        const long double pivot = m->at[best][k];
        if (pivot == 0) return false;
        for (int64_t j = 0; j < n; j++) {
            const long double a = m->at[best][j] / pivot, b = to->at[best][j] / pivot;
            m->at[best][j] = m->at[k][j];
            to->at[best][j] = to->at[k][j];
            m->at[k][j] = a;
            to->at[k][j] = b;
        }
        for (int64_t i = 0; i < n; i++) {
            const long double factor = m->at[i][k];
            for (int64_t j = 0; j < n && i != k; j++) {
                m->at[i][j] -= factor * m->at[k][j];
                to->at[i][j] -= factor * to->at[k][j];
            }
        }
    }
    return true;
}

static void inverse(struct rig_problem *problem)
{
    for (int64_t batch = 0; batch < batches_of(problem); batch++) {
        struct matrix m = matrix_at(problem, 0, batch), result;
        const int64_t n = m.rows;
        invert(&m, &result);
        for (int64_t i = 0; i < n * n; i++)
            norm_put_sum(problem, 1, batch * n * n + i, (double)result.at[i / n][i % n], 16,
                         8 * (double)n);
    }
}

/* ---- aclnnLinalgCholesky ---- */

/* Column after column is taken off what is left. The other triangle is not looked at. */
static void cholesky(struct rig_problem *problem)
{
    const bool is_upper = norm_integer(problem, "upper", 0) != 0;
    for (int64_t batch = 0; batch < batches_of(problem); batch++) {
        struct matrix m = matrix_at(problem, 0, batch), l = {0};
        const int64_t n = m.rows;
        for (int64_t k = 0; k < n; k++) {
            for (int64_t i = k; i < n; i++)
                l.at[i][k] = (is_upper ? m.at[k][i] : m.at[i][k]) / sqrtl(m.at[k][k]);
            for (int64_t i = k + 1; i < n; i++)
                for (int64_t j = k + 1; j < n; j++) {
                    const bool is_read = is_upper ? i <= j : i >= j;
                    if (is_read) m.at[i][j] -= l.at[i][k] * l.at[j][k];
                }
        }
        for (int64_t i = 0; i < n * n; i++)
            norm_put_sum(problem, 1, batch * n * n + i,
                         (double)(is_upper ? l.at[i % n][i / n] : l.at[i / n][i % n]), 16,
                         8 * (double)n);
    }
}

/* ---- determinants ---- */

/* Leibniz' sum, by sets of columns: sums[set] is the determinant of the first rows and those. */
static long double determinant(const struct matrix *m)
{
    static long double sums[1 << ORDER];
    sums[0] = 1;
    for (int set = 1; set < 1 << m->rows; set++) {
        const int row = __builtin_popcount((unsigned)set) - 1;
        sums[set] = 0;
        for (int j = 0; j < m->rows; j++) {
            if (!(set >> j & 1)) continue;
            const int behind = __builtin_popcount((unsigned)set >> (j + 1));
            const long double term = m->at[row][j] * sums[set & ~(1 << j)];
            sums[set] += behind % 2 ? -term : term;
        }
    }
    return sums[(1 << m->rows) - 1];
}

static void determinants(struct rig_problem *problem)
{
    const bool is_log = problem->op->tensor[2] == NULL;
    for (int64_t batch = 0; batch < batches_of(problem); batch++) {
        const struct matrix m = matrix_at(problem, 0, batch);
        const long double value = determinant(&m);
        const double log_of = (double)logl(fabsl(value)), terms = 16 * (double)m.rows;
        if (is_log) {
            norm_put(problem, 1, batch, value < 0 ? NAN : log_of, 16, terms);
            continue;
        }
        norm_put(problem, 1, batch, (value > 0) - (value < 0), 0, 1);
        norm_put(problem, 2, batch, log_of, 16, terms);
    }
}

/* ---- aclnnQr, aclnnLinalgQr ---- */

/* Reflections as whole matrices, I - 2 v v^T / v^T v, each multiplied onto A and onto Q. */
static void qr(struct rig_problem *problem)
{
    const struct operand *q_view = &problem->tensor[1].view, *r_view = &problem->tensor[2].view;
    const bool has_q = problem->op->number[0] && strcmp(problem->op->number[0], "mode") == 0
                           ? norm_integer(problem, "mode", 0) != 2
                           : true;
    const int64_t r_rows = r_view->dims[r_view->rank - 2];
    for (int64_t batch = 0; batch < batches_of(problem); batch++) {
        struct matrix a = matrix_at(problem, 0, batch), q = {.rows = a.rows};
        for (int64_t i = 0; i < a.rows; i++)
            q.at[i][i] = 1;
        for (int64_t k = 0; k < a.columns && k < a.rows - 1; k++) {
            long double v[ORDER] = {0}, square = 0, length = 0;
            bool is_done = true; /* such a column is not reflected */
            for (int64_t i = k + 1; i < a.rows; i++)
                is_done = is_done && a.at[i][k] == 0;
            if (is_done) continue;
            for (int64_t i = k; i < a.rows; i++)
                length += a.at[i][k] * a.at[i][k];
            length = sqrtl(length);
            for (int64_t i = k; i < a.rows; i++)
                v[i] = a.at[i][k];
            v[k] += copysignl(length, v[k]);
            for (int64_t i = k; i < a.rows; i++)
                square += v[i] * v[i];
            struct matrix old = a, old_q = q;
            for (int64_t i = 0; i < a.rows; i++)
                for (int64_t l = 0; l < a.rows; l++) {
                    const long double h = 2 * v[i] * v[l] / square;
                    for (int64_t j = 0; j < a.columns; j++)
                        a.at[i][j] -= h * old.at[l][j];
                    for (int64_t j = 0; j < a.rows; j++)
                        q.at[j][i] -= h * old_q.at[j][l];
                }
        }
        for (int64_t i = 0; i < r_rows * a.columns; i++) {
            const int64_t row = i / a.columns, column = i % a.columns;
            norm_put_sum(problem, 2, batch * r_rows * a.columns + i,
                         row > column ? 0 : (double)a.at[row][column], row > column ? 0 : 64,
                         16 * (double)a.rows);
        }
        const int64_t width = has_q ? q_view->dims[q_view->rank - 1] : 0;
        for (int64_t i = 0; i < a.rows * width; i++)
            norm_put_sum(problem, 1, batch * a.rows * width + i, (double)q.at[i / width][i % width],
                         64, 16 * (double)a.rows);
    }
}

/* ---- aclnnSvd, the values ---- */

/* The eigenvalues of A A^T by rotations, largest first. tests/ops/test_factorizations.c looks at
 * the vectors, which are not unique. */
static void singular_values(struct rig_problem *problem)
{
    for (int64_t batch = 0; batch < batches_of(problem); batch++) {
        const struct matrix a = matrix_at(problem, 0, batch);
        const int64_t count = a.rows < a.columns ? a.rows : a.columns;
        const bool is_tall = a.rows > a.columns;
        long double s[ORDER][ORDER] = {{0}};
        for (int64_t i = 0; i < count; i++)
            for (int64_t j = 0; j < count; j++)
                for (int64_t k = 0; k < a.rows + a.columns - count; k++)
                    s[i][j] += is_tall ? a.at[k][i] * a.at[k][j] : a.at[i][k] * a.at[j][k];
        for (int sweep = 0; sweep < 40; sweep++)
            for (int64_t p = 0; p < count; p++)
                for (int64_t q = p + 1; q < count; q++) {
                    if (s[p][q] == 0) continue;
                    const long double angle = atan2l(2 * s[p][q], s[q][q] - s[p][p]) / 2;
                    const long double c = cosl(angle), n = sinl(angle);
                    for (int64_t k = 0; k < count; k++) {
                        const long double x = s[k][p], y = s[k][q];
                        s[k][p] = c * x - n * y;
                        s[k][q] = n * x + c * y;
                    }
                    for (int64_t k = 0; k < count; k++) {
                        const long double x = s[p][k], y = s[q][k];
                        s[p][k] = c * x - n * y;
                        s[q][k] = n * x + c * y;
                    }
                }
        for (int64_t i = 0; i < count; i++) {
            int64_t best = 0;
            for (int64_t j = 1; j < count; j++)
                if (s[j][j] > s[best][best]) best = j;
            const long double value = s[best][best] > 0 ? sqrtl(s[best][best]) : 0;
            /* A root of what is rounded: good to half of long double's digits. */
            norm_put_sum(problem, 1, batch * count + i, (double)value, 0x1p24, 8);
            s[best][best] = -1;
        }
    }
}

/* ---- random problems ---- */

/* The diagonal outweighs the rest of its row: inverses are small. For Cholesky it is positive, and
 * the triangle that is not read is NaN. */
static void fill_dominant(struct rig_problem *problem, struct random *random)
{
    struct rig_tensor *a = &problem->tensor[0];
    const bool is_symmetric = strstr(problem->op->name, "Cholesky") != NULL;
    const bool is_upper = is_symmetric && norm_integer(problem, "upper", 0) != 0;
    const int64_t columns = a->view.dims[a->view.rank - 1];
    const int64_t rows = a->view.dims[a->view.rank - 2];
    for (int64_t i = 0; i < a->count; i++) {
        const int64_t row = i / columns % rows, column = i % columns;
        double value = (double)random_between(random, -64, 64) / 128;
        if (row == column) {
            value = (double)columns / 2 + (double)random_between(random, 4, 16) / 4;
            if (!is_symmetric && random_once_in(random, 2)) value = -value;
        }
        if (is_symmetric && (is_upper ? row > column : row < column)) value = NAN;
        a->bits[i] = oracle_cast_real(a->view.dtype, value);
    }
}

/* Nothing is broadcast. Q, u and v that are not made have any shape. */
static struct test_case random_factors(const struct rig_operator *op, struct random *random,
                                       enum case_dtype dtype)
{
    const bool is_qr = strstr(op->name, "Qr") != NULL, is_svd = strstr(op->name, "Svd") != NULL;
    const bool has_det = strstr(op->name, "det") != NULL;
    if (is_svd && dtype != CASE_F32) dtype = CASE_F64;
    struct test_case test = norm_start(op, random, dtype);
    int64_t dims[CASE_RANK], none = 0;
    const int batch = (int)random_below(random, 3), rank = batch + 2;
    for (int i = 0; i < batch; i++)
        dims[i] = random_once_in(random, 20) ? 0 : random_between(random, 1, 3);
    const int64_t m = random_once_in(random, 20) ? 0 : random_between(random, 1, 9);
    int64_t n = is_qr || is_svd ? random_between(random, 1, 9) : m;
    if (random_once_in(random, 20) && is_qr) n = 0;
    const int64_t count = m < n ? m : n,
                  mode = random_below(
                      random, is_qr && op->number[0] && strcmp(op->number[0], "mode") == 0 ? 3 : 2);
    const bool is_whole =
        strcmp(op->number[0] ? op->number[0] : "", "some") == 0 ? mode == 0 : mode == 1;
    dims[batch] = m;
    dims[batch + 1] = n;
    random_tensor(&test, random, is_svd ? "input" : "self", dtype, dims, rank, true);
    if (op->number[0]) random_number(&test, op->number[0], (double)mode);
    if (is_svd) {
        random_number(&test, "computeUV", 0);
        dims[batch] = count;
        random_tensor(&test, random, "sigma", dtype, dims, rank - 1, true);
        random_tensor(&test, random, "u", dtype, &none, 1, true);
        random_tensor(&test, random, "v", dtype, &none, 1, true);
        return test;
    }
    if (is_qr) {
        dims[batch + 1] = is_whole ? m : count;
        if (mode == 2)
            random_tensor(&test, random, "Q", dtype, &none, 1, true);
        else
            random_tensor(&test, random, "Q", dtype, dims, rank, true);
        dims[batch] = is_whole ? m : count;
        dims[batch + 1] = n;
        random_tensor(&test, random, "R", dtype, dims, rank, true);
        return test;
    }
    for (int slot = 1; op->tensor[slot]; slot++)
        random_tensor(&test, random, op->tensor[slot], dtype, dims, has_det ? batch : rank, true);
    return test;
}

#define FACTORS(names, function, a_line, ...)                                                      \
    {                                                                                              \
        .name = names, .oracle = function, .random = random_factors, .fill = fill_dominant,        \
        .ulp = 1, .sound = a_line, .lines = LINES(__VA_ARGS__)                                     \
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
    FACTORS("aclnnInverse", inverse, "inverse f32 self=2x3x3 out=2x3x3",
            "inverse f32 self=2x3x3 out=2x3x3", "inverse f64 self=3x9x9:strided out=3x9x9",
            "inverse f16 self=5x5 out=5x5:strided"),
    FACTORS("aclnnLinalgCholesky", cholesky, "linalg_cholesky f32 self=2x3x3 upper=0 out=2x3x3",
            "linalg_cholesky f32 self=2x3x3 upper=0 out=2x3x3",
            "linalg_cholesky f64 self=3x9x9:strided upper=1 out=3x9x9"),
    FACTORS("aclnnSlogdet", determinants, "slogdet f32 self=2x3x3 signOut=2 logOut=2",
            "slogdet f32 self=2x3x3 signOut=2 logOut=2",
            "slogdet f32 self=2x0x0 signOut=2 logOut=2"),
    FACTORS("aclnnLogdet", determinants, "logdet f32 self=2x3x3 out=2",
            "logdet f32 self=2x3x3 out=2", "logdet f64 self=9x9 out=scalar"),
    FACTORS("aclnnQr", qr, "qr f32 self=2x5x3 some=1 Q=2x5x3 R=2x3x3",
            "qr f32 self=2x5x3 some=1 Q=2x5x3 R=2x3x3", "qr f64 self=3x8 some=0 Q=3x3 R=3x8"),
    FACTORS("aclnnLinalgQr", qr, "linalg_qr f32 self=2x5x3 mode=0 Q=2x5x3 R=2x3x3",
            "linalg_qr f32 self=2x5x3 mode=1 Q=2x5x5 R=2x5x3",
            "linalg_qr f32 self=2x3x5 mode=2 Q=0 R=2x3x5"),
    FACTORS("aclnnSvd", singular_values,
            "svd f32 input=2x5x3 fullMatrices=0 computeUV=1 sigma=2x3 u=2x5x3 v=2x3x3",
            "svd f32 input=2x5x3 fullMatrices=0 computeUV=0 sigma=2x3 u=0 v=0",
            "svd f64 input=4x9 fullMatrices=1 computeUV=0 sigma=4 u=0 v=0"),
    {.name = NULL},
};
