/* SPDX-License-Identifier: Apache-2.0 */
/* Factorizations are judged by their residual and by how orthogonal they are; matrices that have
 * none are told by the stream's error. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_inverse.h"
#include "aclnnop/aclnn_linalg_cholesky.h"
#include "aclnnop/aclnn_linalg_qr.h"
#include "aclnnop/aclnn_svd.h"

static aclrtStream stream;

static void begin(void)
{
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
}

static void end(void)
{
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
}

TestSuite(factorizations, .init = begin, .fini = end);

/* A matrix of doubles, row-major. */
struct matrix {
    int64_t rows, columns;
    double *at;
};

static struct matrix new_matrix(int64_t rows, int64_t columns)
{
    return (struct matrix){rows, columns, calloc((size_t)(rows * columns + 1), sizeof(double))};
}

static aclTensor *tensor_of(const struct matrix *m)
{
    const int64_t sizes[] = {m->rows, m->columns};
    return aclCreateTensor(sizes, 2, ACL_DOUBLE, NULL, 0, ACL_FORMAT_ND, sizes, 2, m->at);
}

/* As many independent rows as rank says; rows falls off by `falls` from one to the next. */
static void fill(struct matrix *m, int64_t rank, double falls)
{
    uint64_t state = 12345;
    double scale = 1;
    for (int64_t i = 0; i < m->rows; i++, scale *= falls)
        for (int64_t j = 0; j < m->columns; j++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            m->at[i * m->columns + j] =
                i >= rank ? m->at[(i - rank) * m->columns + j]
                          : scale * ((double)(int64_t)(state >> 11) * 0x1p-52 - 1);
        }
}

static aclError run(aclnnStatus (*phase2)(void *, uint64_t, aclOpExecutor *, aclrtStream),
                    uint64_t size, aclOpExecutor *executor)
{
    void *workspace = aligned_alloc(64, (size + 64) / 64 * 64);
    cr_assert_eq(phase2(workspace, size, executor, stream), ACL_SUCCESS);
    const aclError error = aclrtSynchronizeStream(stream);
    free(workspace);
    return error;
}

static double largest(const struct matrix *m)
{
    double most = 0;
    for (int64_t i = 0; i < m->rows * m->columns; i++)
        if (!(fabs(m->at[i]) <= most)) most = fabs(m->at[i]);
    return most;
}

/* The columns' products with each other are those of the identity. */
static void expect_orthogonal(const struct matrix *m, const char *what)
{
    for (int64_t i = 0; i < m->columns; i++)
        for (int64_t j = i; j < m->columns; j++) {
            double sum = i == j ? -1 : 0;
            for (int64_t k = 0; k < m->rows; k++)
                sum += m->at[k * m->columns + i] * m->at[k * m->columns + j];
            cr_assert(fabs(sum) < 1e-13 * (double)(m->rows + 8), "%s: columns %ld and %ld: %g",
                      what, (long)i, (long)j, sum);
        }
}

/* a = left right, where right is transposed if is_turned, and its terms are scaled by sigma. */
static void expect_product(const struct matrix *a, const struct matrix *left,
                           const struct matrix *right, const double *sigma, int64_t terms)
{
    const double bound = 1e-14 * largest(a) * (double)(a->rows + a->columns + 8);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t j = 0; j < a->columns; j++) {
            double sum = -a->at[i * a->columns + j];
            for (int64_t k = 0; k < terms; k++)
                sum += left->at[i * left->columns + k] *
                       (sigma ? sigma[k] * right->at[j * right->columns + k]
                              : right->at[k * right->columns + j]);
            cr_assert(fabs(sum) <= bound, "element (%ld, %ld) is off by %g", (long)i, (long)j, sum);
        }
}

static void check_svd(int64_t rows, int64_t columns, bool is_full, int64_t rank, double falls)
{
    const int64_t count = rows < columns ? rows : columns;
    struct matrix a = new_matrix(rows, columns), sigma = new_matrix(1, count);
    struct matrix u = new_matrix(rows, is_full ? rows : count);
    struct matrix v = new_matrix(columns, is_full ? columns : count);
    uint64_t size;
    aclOpExecutor *executor;
    fill(&a, rank, falls);
    aclTensor *tensors[] = {tensor_of(&a), NULL, tensor_of(&u), tensor_of(&v)};
    tensors[1] =
        aclCreateTensor(&count, 1, ACL_DOUBLE, NULL, 0, ACL_FORMAT_ND, &count, 1, sigma.at);
    cr_assert_eq(aclnnSvdGetWorkspaceSize(tensors[0], is_full, true, tensors[1], tensors[2],
                                          tensors[3], &size, &executor),
                 ACL_SUCCESS, "%s", aclGetRecentErrMsg());
    cr_assert_eq(run(aclnnSvd, size, executor), ACL_SUCCESS);
    expect_orthogonal(&u, "u");
    expect_orthogonal(&v, "v");
    expect_product(&a, &u, &v, sigma.at, count);
    for (int64_t i = 0; i < count; i++)
        cr_assert(sigma.at[i] >= 0 && (i == 0 || sigma.at[i] <= sigma.at[i - 1]), "sigma[%ld] = %g",
                  (long)i, sigma.at[i]);
    for (int i = 0; i < 4; i++)
        aclDestroyTensor(tensors[i]);
    free(a.at);
    free(sigma.at);
    free(u.at);
    free(v.at);
}

Test(factorizations, singular_values_and_vectors)
{
    check_svd(7, 7, false, 7, 1);
    check_svd(20, 9, false, 20, 1);
    check_svd(9, 20, false, 9, 1);
    check_svd(20, 9, true, 20, 1);
    check_svd(9, 20, true, 9, 1);
    check_svd(1, 6, true, 1, 1);
    check_svd(6, 1, true, 6, 1);
    check_svd(60, 50, false, 60, 1);
    check_svd(12, 12, true, 3, 1);      /* rank 3 */
    check_svd(12, 8, true, 0, 1);       /* nothing but zeros */
    check_svd(16, 16, false, 16, 1e-2); /* values over 30 decades */
    check_svd(0, 5, true, 0, 1);
    check_svd(5, 0, true, 0, 1);
}

static void check_qr(int64_t rows, int64_t columns, int64_t mode, int64_t rank)
{
    const int64_t count = rows < columns ? rows : columns, width = mode == 1 ? rows : count;
    struct matrix a = new_matrix(rows, columns), q = new_matrix(rows, width);
    struct matrix r = new_matrix(width, columns);
    uint64_t size;
    aclOpExecutor *executor;
    fill(&a, rank, 1);
    aclTensor *tensors[] = {tensor_of(&a), tensor_of(&q), tensor_of(&r)};
    cr_assert_eq(
        aclnnLinalgQrGetWorkspaceSize(tensors[0], mode, tensors[1], tensors[2], &size, &executor),
        ACL_SUCCESS, "%s", aclGetRecentErrMsg());
    cr_assert_eq(run(aclnnLinalgQr, size, executor), ACL_SUCCESS);
    expect_orthogonal(&q, "q");
    expect_product(&a, &q, &r, NULL, width);
    for (int64_t i = 0; i < r.rows; i++)
        for (int64_t j = 0; j < i && j < columns; j++)
            cr_assert_eq(r.at[i * columns + j], 0);
    for (int i = 0; i < 3; i++)
        aclDestroyTensor(tensors[i]);
    free(a.at);
    free(q.at);
    free(r.at);
}

Test(factorizations, orthogonal_and_triangular)
{
    check_qr(7, 7, 0, 7);
    check_qr(70, 40, 0, 70);
    check_qr(70, 40, 1, 70);
    check_qr(40, 70, 0, 40);
    check_qr(12, 12, 1, 3); /* rank 3 */
    check_qr(12, 8, 0, 0);  /* nothing but zeros */
    check_qr(5, 0, 1, 0);
    check_qr(0, 5, 0, 0);
}

/* More than one panel of columns. */
Test(factorizations, inverses)
{
    struct matrix a = new_matrix(101, 101), x = new_matrix(101, 101), one = new_matrix(101, 101);
    uint64_t size;
    aclOpExecutor *executor;
    fill(&a, a.rows, 1);
    for (int64_t i = 0; i < 101; i++)
        one.at[i * 101 + i] = 1;
    aclTensor *tensors[] = {tensor_of(&a), tensor_of(&x)};
    cr_assert_eq(aclnnInverseGetWorkspaceSize(tensors[0], tensors[1], &size, &executor),
                 ACL_SUCCESS, "%s", aclGetRecentErrMsg());
    cr_assert_eq(run(aclnnInverse, size, executor), ACL_SUCCESS);
    for (int64_t i = 0; i < 101 * 101; i++) {
        double sum = -one.at[i];
        for (int64_t k = 0; k < 101; k++)
            sum += a.at[i / 101 * 101 + k] * x.at[k * 101 + i % 101];
        cr_assert(fabs(sum) <= 1e-13 * largest(&x) * 101, "element %ld is off by %g", (long)i, sum);
    }
    aclDestroyTensor(tensors[0]);
    aclDestroyTensor(tensors[1]);
    free(a.at);
    free(x.at);
    free(one.at);
}

/* Synchronising tells which matrix is at fault. */
static void expect_fault(aclError error, const char *sentence)
{
    cr_expect_eq(error, ACL_ERROR_RT_AICORE_EXCEPTION);
    const char *text = aclGetRecentErrMsg();
    cr_expect(text && strstr(text, sentence), "%s", text ? text : "no text");
}

Test(factorizations, a_matrix_without_an_inverse)
{
    const int64_t sizes[] = {2, 2, 2};
    double from[] = {2, 1, 1, 1, 1, 2, 2, 4}, to[8];
    uint64_t size;
    aclOpExecutor *executor;
    aclTensor *self = aclCreateTensor(sizes, 3, ACL_DOUBLE, NULL, 0, ACL_FORMAT_ND, sizes, 3, from);
    aclTensor *out = aclCreateTensor(sizes, 3, ACL_DOUBLE, NULL, 0, ACL_FORMAT_ND, sizes, 3, to);
    cr_assert_eq(aclnnInverseGetWorkspaceSize(self, out, &size, &executor), ACL_SUCCESS);
    expect_fault(run(aclnnInverse, size, executor), "matrix 1 of self is not invertible");
    cr_expect_arr_eq(to, ((double[]){1, -1, -1, 2}), 4 * sizeof *to);
    aclDestroyTensor(self);
    aclDestroyTensor(out);
}

Test(factorizations, a_matrix_that_is_not_positive_definite)
{
    const int64_t sizes[] = {2, 2};
    double from[] = {1, 2, 2, 1}, to[4];
    uint64_t size;
    aclOpExecutor *executor;
    aclTensor *self = aclCreateTensor(sizes, 2, ACL_DOUBLE, NULL, 0, ACL_FORMAT_ND, sizes, 2, from);
    aclTensor *out = aclCreateTensor(sizes, 2, ACL_DOUBLE, NULL, 0, ACL_FORMAT_ND, sizes, 2, to);
    cr_assert_eq(aclnnLinalgCholeskyGetWorkspaceSize(self, false, out, &size, &executor),
                 ACL_SUCCESS);
    expect_fault(run(aclnnLinalgCholesky, size, executor), "self is not positive definite");
    for (int i = 0; i < 4; i++)
        cr_expect(isnan(to[i]));
    aclDestroyTensor(self);
    aclDestroyTensor(out);
}
