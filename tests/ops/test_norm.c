/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisations in the memory of their operands. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_softmax.h"

enum { ROWS = 7, COLUMNS = 5000 };

static aclrtStream stream;

static void begin(void)
{
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
}

static void end(void)
{
    cr_assert_eq(aclrtDestroyStream(stream), ACL_SUCCESS);
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
}

TestSuite(norm, .init = begin, .fini = end);

static aclTensor *matrix(float *data, const int64_t sizes[2], const int64_t strides[2])
{
    return aclCreateTensor(sizes, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, sizes, 2, data);
}

static void softmax(aclTensor *self, int64_t dim, aclTensor *out)
{
    uint64_t size;
    aclOpExecutor *executor;
    cr_assert_eq(aclnnSoftmaxGetWorkspaceSize(self, dim, out, &size, &executor), ACL_SUCCESS, "%s",
                 aclGetRecentErrMsg());
    void *workspace = aligned_alloc(64, (size + 64) / 64 * 64);
    cr_assert_eq(aclnnSoftmax(workspace, size, executor, stream), ACL_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    free(workspace);
    aclDestroyTensor(self);
    aclDestroyTensor(out);
}

/* out at so many floats behind self, in one block, gives what it gives apart. */
static void check(int64_t dim, int64_t behind)
{
    static const int64_t sizes[] = {ROWS, COLUMNS}, strides[] = {COLUMNS, 1};
    enum { COUNT = ROWS * COLUMNS };
    float *given = malloc(COUNT * sizeof *given), *want = malloc(COUNT * sizeof *want);
    float *both = malloc(2 * COUNT * sizeof *both);
    cr_assert(given && want && both);
    for (int i = 0; i < COUNT; i++)
        given[i] = (float)(i * 37 % 101) / 16;
    memcpy(both, given, COUNT * sizeof *both);
    softmax(matrix(given, sizes, strides), dim, matrix(want, sizes, strides));
    softmax(matrix(both, sizes, strides), dim, matrix(both + behind, sizes, strides));
    cr_expect_eq(memcmp(both + behind, want, COUNT * sizeof *want), 0, "dim %d, %d behind",
                 (int)dim, (int)behind);
    free(given);
    free(want);
    free(both);
}

Test(norm, out_in_the_memory_of_self)
{
    for (int64_t dim = 0; dim < 2; dim++) {
        check(dim, 0);
        check(dim, 1);
        check(dim, COLUMNS);
    }
}

/* The same rows in any layout have the same bits. */
Test(norm, layouts_have_no_say)
{
    static const int64_t sizes[] = {COLUMNS, ROWS}, turned[] = {1, COLUMNS}, dense[] = {ROWS, 1};
    enum { COUNT = ROWS * COLUMNS };
    float *a = malloc(COUNT * sizeof *a), *b = malloc(COUNT * sizeof *b);
    float *of_a = malloc(COUNT * sizeof *of_a), *of_b = malloc(COUNT * sizeof *of_b);
    cr_assert(a && b && of_a && of_b);
    for (int row = 0; row < ROWS; row++)
        for (int i = 0; i < COLUMNS; i++)
            a[row * COLUMNS + i] = b[i * ROWS + row] = (float)((row + 3) * i % 113) / 9;
    for (int64_t dim = 0; dim < 2; dim++) {
        softmax(matrix(a, sizes, turned), dim, matrix(of_a, sizes, turned));
        softmax(matrix(b, sizes, dense), dim, matrix(of_b, sizes, dense));
        for (int row = 0; row < ROWS; row++)
            for (int i = 0; i < COLUMNS; i++)
                cr_assert_eq(of_a[row * COLUMNS + i], of_b[i * ROWS + row]);
    }
    free(a);
    free(b);
    free(of_a);
    free(of_b);
}
