/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions with results that lie in the memory of what is reduced: all of it is read as it was
 * before. */
#include <criterion/criterion.h>

#include <stdlib.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_amax.h"
#include "aclnnop/aclnn_reduce_sum.h"

enum { BEFORE = 40, LONG = 300000, MOST = LONG + 2 * BEFORE };

static aclrtStream stream;
static float *memory;

static void begin(void)
{
    aclInit(NULL);
    aclrtSetDevice(0);
    aclrtCreateStream(&stream);
    aclrtMalloc((void **)&memory, MOST * sizeof *memory, ACL_MEM_MALLOC_HUGE_FIRST);
}

static void end(void)
{
    aclrtFree(memory);
    aclrtDestroyStream(stream);
    aclFinalize();
}

TestSuite(reduce_overlap, .init = begin, .fini = end);

/* Sums of them are exact. */
static float value_at(int64_t i)
{
    return (float)(i * 7919 % 31) - 9;
}

/* A matrix behind the first BEFORE elements; its result at `begin`, each element `step` behind the
 * one before. axis: -1 for both. */
struct problem {
    int64_t rows, columns, begin, step;
    int axis;
    bool is_sum, swapped;
};

static double expected_at(const struct problem *p, int64_t i)
{
    const int64_t first_row = p->axis == 1 ? i : 0, first_column = p->axis == 0 ? i : 0;
    const int64_t rows = p->axis == 1 ? 1 : p->rows, columns = p->axis == 0 ? 1 : p->columns;
    double result = p->is_sum ? 0 : -100;
    for (int64_t row = first_row; row < first_row + rows; row++) {
        for (int64_t column = first_column; column < first_column + columns; column++) {
            const int64_t at = p->swapped ? column * p->rows + row : row * p->columns + column;
            const double x = value_at(BEFORE + at);
            if (p->is_sum)
                result += x;
            else if (x > result)
                result = x;
        }
    }
    return result;
}

static void launch(const struct problem *p, const aclTensor *self, aclTensor *out)
{
    const int64_t axes[] = {p->axis == 1 ? 1 : 0, 1};
    aclIntArray *dims = aclCreateIntArray(axes, p->axis < 0 ? 2 : 1);
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    void *workspace = NULL;
    const aclnnStatus status =
        p->is_sum
            ? aclnnReduceSumGetWorkspaceSize(self, dims, false, ACL_FLOAT, out, &size, &executor)
            : aclnnAmaxGetWorkspaceSize(self, dims, false, out, &size, &executor);
    cr_assert_eq(status, ACL_SUCCESS, "%s", aclGetRecentErrMsg());
    if (size > 0) aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST);
    cr_assert_eq(p->is_sum ? aclnnReduceSum(workspace, size, executor, stream)
                           : aclnnAmax(workspace, size, executor, stream),
                 ACL_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    if (workspace) aclrtFree(workspace);
    aclDestroyIntArray(dims);
}

static void check(const struct problem *p)
{
    const int64_t sizes[] = {p->rows, p->columns}, all = MOST;
    const int64_t strides[] = {p->swapped ? 1 : p->columns, p->swapped ? p->rows : 1};
    const int64_t results = p->axis < 0 ? 1 : p->axis == 0 ? p->columns : p->rows;
    const int64_t elements = p->rows * p->columns + 2 * BEFORE;
    for (int64_t i = 0; i < elements; i++)
        memory[i] = value_at(i);
    aclTensor *self =
        aclCreateTensor(sizes, 2, ACL_FLOAT, strides, BEFORE, ACL_FORMAT_ND, &all, 1, memory);
    aclTensor *out = aclCreateTensor(&results, p->axis < 0 ? 0 : 1, ACL_FLOAT, &p->step, p->begin,
                                     ACL_FORMAT_ND, &all, 1, memory);
    launch(p, self, out);
    for (int64_t i = 0; i < elements; i++) {
        const int64_t result = (i - p->begin) / p->step;
        const bool is_result = i >= p->begin && (i - p->begin) % p->step == 0 && result < results;
        const double wanted = is_result ? expected_at(p, result) : value_at(i);
        cr_assert_eq(memory[i], (float)wanted,
                     "%s of %dx%d%s along %d into %d, steps of %d: element %d is %g, not %g",
                     p->is_sum ? "sum" : "maximum", (int)p->rows, (int)p->columns,
                     p->swapped ? ", swapped" : "", p->axis, (int)p->begin, (int)p->step, (int)i,
                     (double)memory[i], wanted);
    }
    aclDestroyTensor(self);
    aclDestroyTensor(out);
}

Test(reduce_overlap, results_are_those_of_operands_apart)
{
    for (int i = 0; i < 24; i++) {
        struct problem p = {.rows = 12,
                            .columns = 10,
                            .axis = i % 3 - 1,
                            .is_sum = i / 3 % 2,
                            .swapped = i / 6 % 2,
                            .step = i / 12 % 2 ? 3 : 1};
        /* Before, half before, in each place of a row, behind. */
        for (p.begin = 0; p.begin < BEFORE + 120; p.begin += p.begin < BEFORE - 14 ? 13 : 1)
            check(&p);
    }
}

/* Cut into parts for threads, whose results come together in a second step. */
Test(reduce_overlap, of_long_rows)
{
    static const int64_t begins[] = {0, BEFORE, BEFORE + 1, BEFORE + LONG / 2, BEFORE + LONG - 1};
    for (int i = 0; i < 20; i++) {
        const bool is_tall = i / 10;
        check(&(struct problem){.rows = is_tall ? LONG / 2 : 2,
                                .columns = is_tall ? 2 : LONG / 2,
                                .axis = i / 5 % 2 ? (is_tall ? 0 : 1) : -1,
                                .is_sum = i % 2,
                                .step = 1,
                                .begin = begins[i % 5]});
    }
}

/* More results than a kernel holds before it stores some. */
Test(reduce_overlap, of_many_results)
{
    for (int i = 0; i < 32; i++) {
        const int64_t begins[] = {0, BEFORE, BEFORE + 1, BEFORE + 3000};
        const bool is_tall = i / 16;
        check(&(struct problem){.rows = is_tall ? LONG / 15 : 15,
                                .columns = is_tall ? 15 : LONG / 15,
                                .axis = is_tall,
                                .is_sum = i % 2,
                                .swapped = i / 2 % 2,
                                .step = 1,
                                .begin = begins[i / 4 % 4]});
    }
}
