/* SPDX-License-Identifier: Apache-2.0 */
/* Complex matrices: systems, determinants and factorizations are judged by what they must give when
 * they are multiplied again. */
#include <complex.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_linalg_qr.h"
#include "aclnnop/aclnn_logdet.h"
#include "aclnnop/aclnn_qr.h"
#include "aclnnop/aclnn_slogdet.h"
#include "aclnnop/aclnn_svd.h"
#include "aclnnop/aclnn_triangular_solve.h"
#include "tests/support/complex_calls.h"

static void set_up(void)
{
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
}

static void tear_down(void)
{
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
}

TestSuite(complex_linalg, .init = set_up, .fini = tear_down);

/* ---- matrices ---- */

/* Some matrices of complex numbers, of one type, row-major. Twice as far apart as they need be, so
 * their views are strided. */
struct matrix {
    bool is_wide;
    int64_t matrices, rows, columns;
    void *data;
    aclTensor *tensor;
};

static int64_t place_of(const struct matrix *m, int64_t matrix, int64_t row, int64_t column)
{
    return 2 * ((matrix * m->rows + row) * m->columns + column);
}

static number get(const struct matrix *m, int64_t matrix, int64_t row, int64_t column)
{
    const int64_t at = place_of(m, matrix, row, column);
    return m->is_wide ? (number)((double complex *)m->data)[at]
                      : (number)((float complex *)m->data)[at];
}

static void set(struct matrix *m, int64_t matrix, int64_t row, int64_t column, number value)
{
    const int64_t at = place_of(m, matrix, row, column);
    if (m->is_wide)
        ((double complex *)m->data)[at] = (double complex)value;
    else
        ((float complex *)m->data)[at] = (float complex)value;
}

/* rank: 3, with the batch; of a vector for each matrix 2 (`columns` is 1), of a number 1. */
static struct matrix new_matrix(bool is_wide, int64_t matrices, int64_t rows, int64_t columns,
                                int rank)
{
    struct matrix m = {is_wide, matrices, rows, columns, NULL, NULL};
    const int64_t sizes[] = {matrices, rows, columns};
    const int64_t strides[] = {2 * rows * columns, 2 * columns, 2};
    const int64_t storage = 2 * matrices * rows * columns;
    m.data = calloc((size_t)storage + 1, sizeof(double complex));
    m.tensor = aclCreateTensor(sizes, (uint64_t)rank, is_wide ? ACL_COMPLEX128 : ACL_COMPLEX64,
                               strides, 0, ACL_FORMAT_ND, &storage, 1, m.data);
    return m;
}

static void drop(struct matrix *m)
{
    aclDestroyTensor(m->tensor);
    free(m->data);
}

/* `rank` independent rows, then these again. */
static void fill(struct matrix *m, int64_t rank)
{
    uint64_t state = 99;
    for (int64_t k = 0; k < m->matrices; k++)
        for (int64_t i = 0; i < m->rows; i++)
            for (int64_t j = 0; j < m->columns; j++) {
                long double part[2];
                for (int p = 0; p < 2; p++) {
                    state = state * 6364136223846793005u + 1442695040888963407u;
                    part[p] = (long double)(int64_t)(state >> 40) * 0x1p-23L - 1;
                }
                set(m, k, i, j,
                    rank == 0   ? 0
                    : i >= rank ? get(m, k, i - rank, j)
                                : number_of(part[0], part[1]));
            }
}

static long double unit_of(const struct matrix *m)
{
    return m->is_wide ? 0x1p-52L : 0x1p-23L;
}

static void expect_near(const char *what, number got, number want, long double bound)
{
    cr_assert(cabsl(got - want) <= bound, "%s: (%Lg, %Lg), not (%Lg, %Lg)", what, creall(got),
              cimagl(got), creall(want), cimagl(want));
}

/* Columns i and j of all matrices: their products are those of the identity. */
static void expect_unitary(const char *what, const struct matrix *m)
{
    for (int64_t k = 0; k < m->matrices; k++)
        for (int64_t i = 0; i < m->columns; i++)
            for (int64_t j = 0; j < m->columns; j++) {
                number sum = 0;
                for (int64_t t = 0; t < m->rows; t++)
                    sum += conjl(get(m, k, t, i)) * get(m, k, t, j);
                expect_near(what, sum, i == j, 8 * unit_of(m) * (long double)(m->rows + 8));
            }
}

/* ---- systems ---- */

static void check_solve(bool is_wide, int64_t order, int64_t columns, int form)
{
    const bool is_upper = form & 1, is_transposed = form & 2, has_ones = form & 4;
    struct matrix a = new_matrix(is_wide, 2, order, order, 3);
    struct matrix b = new_matrix(is_wide, 2, order, columns, 3);
    struct matrix x = new_matrix(is_wide, 2, order, columns, 3);
    fill(&a, order);
    fill(&b, order);
    for (int64_t k = 0; k < 2; k++)
        for (int64_t i = 0; i < order; i++)
            set(&a, k, i, i, get(&a, k, i, i) + number_of(1, (long double)order));
    PLANNED(aclnnTriangularSolve, b.tensor, a.tensor, is_upper, is_transposed, has_ones, x.tensor,
            NULL);
    for (int64_t k = 0; k < 2; k++)
        for (int64_t i = 0; i < order; i++)
            for (int64_t j = 0; j < columns; j++) {
                number sum = 0;
                long double size = 1;
                for (int64_t t = 0; t < order; t++) {
                    const int64_t row = is_transposed ? t : i, column = is_transposed ? i : t;
                    if (is_upper ? column < row : column > row) continue;
                    const number factor = row == column && has_ones ? 1 : get(&a, k, row, column);
                    sum += factor * get(&x, k, t, j);
                    size += cabsl(factor) * cabsl(get(&x, k, t, j));
                }
                expect_near("right side", sum, get(&b, k, i, j), 4 * unit_of(&a) * size);
            }
    drop(&a);
    drop(&b);
    drop(&x);
}

Test(complex_linalg, triangular_systems)
{
    for (int form = 0; form < 8; form++) {
        check_solve(true, 9, 4, form);
        check_solve(false, 9, 4, form);
        check_solve(true, 12, 70, form);
        check_solve(true, 1, 1, form);
        check_solve(false, 5, 0, form);
    }
}

/* ---- determinants ---- */

/* By Laplace's expansion along the first row. */
static number determinant(const struct matrix *m, int64_t matrix, const int64_t *columns,
                          int64_t order)
{
    int64_t others[8];
    number sum = 0;
    if (order == 0) return 1;
    for (int64_t j = 0; j < order; j++) {
        for (int64_t k = 0, n = 0; k < order; k++)
            if (k != j) others[n++] = columns[k];
        sum += (j % 2 ? -1 : 1) * get(m, matrix, m->rows - order, columns[j]) *
               determinant(m, matrix, others, order - 1);
    }
    return sum;
}

static void check_determinant(bool is_wide, int64_t order, int64_t rank)
{
    static const int64_t columns[] = {0, 1, 2, 3, 4, 5};
    struct matrix a = new_matrix(is_wide, 3, order, order, 3);
    struct matrix sign = new_matrix(is_wide, 3, 1, 1, 1);
    struct matrix size = new_matrix(is_wide, 3, 1, 1, 1), log_of = new_matrix(is_wide, 3, 1, 1, 1);
    fill(&a, rank);
    PLANNED(aclnnSlogdet, a.tensor, sign.tensor, size.tensor);
    PLANNED(aclnnLogdet, a.tensor, log_of.tensor);
    for (int64_t k = 0; k < 3; k++) {
        const number want = determinant(&a, k, columns, order), got = get(&size, k, 0, 0);
        const long double bound = 500 * unit_of(&a);
        cr_expect(cimagl(got) == 0);
        if (rank < order) {
            cr_expect(cabsl(get(&sign, k, 0, 0)) == 0 || expl(creall(got)) < bound);
            continue;
        }
        expect_near("sign", get(&sign, k, 0, 0), want / cabsl(want), bound);
        expect_near("size", got, logl(cabsl(want)), bound);
        expect_near("logarithm", get(&log_of, k, 0, 0), clogl(want), bound);
    }
    drop(&a);
    drop(&sign);
    drop(&size);
    drop(&log_of);
}

Test(complex_linalg, determinants)
{
    for (int is_wide = 0; is_wide < 2; is_wide++) {
        for (int64_t order = 0; order <= 6; order++)
            check_determinant(is_wide, order, order);
        check_determinant(is_wide, 4, 1);
        check_determinant(is_wide, 4, 0);
    }
}

/* ---- factorizations ---- */

static void check_qr(bool is_wide, int64_t rows, int64_t columns, int64_t mode, int64_t rank)
{
    const int64_t count = rows < columns ? rows : columns, width = mode == 1 ? rows : count;
    struct matrix a = new_matrix(is_wide, 2, rows, columns, 3);
    struct matrix q = new_matrix(is_wide, 2, rows, width, 3);
    struct matrix r = new_matrix(is_wide, 2, width, columns, 3);
    fill(&a, rank);
    if (mode == 1)
        PLANNED(aclnnQr, a.tensor, false, q.tensor, r.tensor);
    else
        PLANNED(aclnnLinalgQr, a.tensor, mode, q.tensor, r.tensor);
    if (mode != 2) expect_unitary("Q", &q);
    for (int64_t k = 0; k < 2; k++)
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns; j++) {
                number sum = 0;
                for (int64_t t = 0; t < width; t++)
                    sum += get(&q, k, i, t) * get(&r, k, t, j);
                if (mode != 2)
                    expect_near("Q R", sum, get(&a, k, i, j),
                                8 * unit_of(&a) * (long double)(rows + columns + 8));
                if (i < width && j < i) cr_assert(get(&r, k, i, j) == 0);
                if (i < count && j == i) cr_assert(cimagl(get(&r, k, i, j)) == 0);
            }
    drop(&a);
    drop(&q);
    drop(&r);
}

Test(complex_linalg, orthogonal_and_triangular)
{
    for (int is_wide = 0; is_wide < 2; is_wide++)
        for (int64_t mode = 0; mode < 3; mode++) {
            check_qr(is_wide, 7, 7, mode, 7);
            check_qr(is_wide, 11, 6, mode, 11);
            check_qr(is_wide, 6, 11, mode, 6);
            check_qr(is_wide, 8, 8, mode, 3);
            check_qr(is_wide, 6, 4, mode, 0);
            check_qr(is_wide, 4, 0, mode, 0);
        }
}

static void check_svd(bool is_wide, int64_t rows, int64_t columns, bool is_full, int64_t rank)
{
    const int64_t count = rows < columns ? rows : columns;
    struct matrix a = new_matrix(is_wide, 2, rows, columns, 3);
    struct matrix u = new_matrix(is_wide, 2, rows, is_full ? rows : count, 3);
    struct matrix v = new_matrix(is_wide, 2, columns, is_full ? columns : count, 3);
    struct matrix sigma = new_matrix(is_wide, 2, count, 1, 2);
    struct matrix alone = new_matrix(is_wide, 2, count, 1, 2);
    fill(&a, rank);
    PLANNED(aclnnSvd, a.tensor, is_full, true, sigma.tensor, u.tensor, v.tensor);
    PLANNED(aclnnSvd, a.tensor, is_full, false, alone.tensor, u.tensor, v.tensor);
    expect_unitary("u", &u);
    expect_unitary("v", &v);
    for (int64_t k = 0; k < 2; k++) {
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns; j++) {
                number sum = 0;
                for (int64_t t = 0; t < count; t++)
                    sum += get(&u, k, i, t) * get(&sigma, k, t, 0) * conjl(get(&v, k, j, t));
                expect_near("u sigma v", sum, get(&a, k, i, j),
                            32 * unit_of(&a) * (long double)(rows + columns + 8));
            }
        for (int64_t t = 0; t < count; t++) {
            const number value = get(&sigma, k, t, 0);
            cr_assert(cimagl(value) == 0 && creall(value) >= 0);
            cr_assert(t == 0 || creall(value) <= creall(get(&sigma, k, t - 1, 0)));
            cr_assert(value == get(&alone, k, t, 0));
        }
    }
    drop(&a);
    drop(&u);
    drop(&v);
    drop(&sigma);
    drop(&alone);
}

Test(complex_linalg, singular_values_and_vectors)
{
    for (int is_wide = 0; is_wide < 2; is_wide++)
        for (int is_full = 0; is_full < 2; is_full++) {
            check_svd(is_wide, 7, 7, is_full, 7);
            check_svd(is_wide, 12, 5, is_full, 12);
            check_svd(is_wide, 5, 12, is_full, 5);
            check_svd(is_wide, 8, 8, is_full, 3);
            check_svd(is_wide, 8, 5, is_full, 0);
            check_svd(is_wide, 1, 4, is_full, 1);
            check_svd(is_wide, 4, 1, is_full, 4);
            check_svd(is_wide, 0, 4, is_full, 0);
        }
}

/* What is not finite has no singular values. */
Test(complex_linalg, values_that_are_not_finite)
{
    struct matrix a = new_matrix(true, 2, 3, 3, 3), sigma = new_matrix(true, 2, 3, 1, 2);
    fill(&a, 3);
    set(&a, 1, 2, 1, number_of(1, NAN));
    PLANNED(aclnnSvd, a.tensor, false, false, sigma.tensor, a.tensor, a.tensor);
    for (int64_t t = 0; t < 3; t++) {
        cr_expect(isfinite((double)creall(get(&sigma, 0, t, 0))));
        cr_expect(isnan((double)creall(get(&sigma, 1, t, 0))));
    }
    drop(&a);
    drop(&sigma);
}
