/* SPDX-License-Identifier: Apache-2.0 */
/* Gates and losses whose results lie in the memory of their operands. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_glu.h"
#include "aclnnop/aclnn_glu_backward.h"
#include "aclnnop/aclnn_mse_loss.h"

enum { ROWS = 7, HALF = 1500, WHOLE = 2 * HALF, COUNT = ROWS * WHOLE };

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

TestSuite(gate, .init = begin, .fini = end);

static aclTensor *matrix(float *data, int64_t columns)
{
    const int64_t sizes[] = {ROWS, columns}, strides[] = {columns, 1};
    return aclCreateTensor(sizes, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, sizes, 2, data);
}

static float *numbers(int64_t count)
{
    float *data = malloc((size_t)count * sizeof *data);
    cr_assert_not_null(data);
    for (int64_t i = 0; i < count; i++)
        data[i] = (float)(i * 37 % 101 - 50) / 16;
    return data;
}

typedef aclnnStatus phase2(void *, uint64_t, aclOpExecutor *, aclrtStream);

static void finish(aclnnStatus status, uint64_t size, aclOpExecutor *executor, phase2 *run)
{
    cr_assert_eq(status, ACL_SUCCESS, "%s", aclGetRecentErrMsg());
    void *workspace = aligned_alloc(64, (size + 64) / 64 * 64);
    cr_assert_eq(run(workspace, size, executor, stream), ACL_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    free(workspace);
}

static void glu(float *self, float *out)
{
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    aclTensor *from = matrix(self, WHOLE), *to = matrix(out, HALF);
    const aclnnStatus status = aclnnGluGetWorkspaceSize(from, 1, to, &size, &executor);
    finish(status, size, executor, aclnnGlu);
    aclDestroyTensor(from);
    aclDestroyTensor(to);
}

static void glu_backward(float *dy, float *self, float *out)
{
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    aclTensor *of = matrix(dy, HALF), *from = matrix(self, WHOLE), *to = matrix(out, WHOLE);
    const aclnnStatus status = aclnnGluBackwardGetWorkspaceSize(of, from, 1, to, &size, &executor);
    finish(status, size, executor, aclnnGluBackward);
    aclDestroyTensor(of);
    aclDestroyTensor(from);
    aclDestroyTensor(to);
}

static void mse(float *self, float *target, float *out)
{
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    aclTensor *a = matrix(self, WHOLE), *b = matrix(target, WHOLE), *to = matrix(out, WHOLE);
    const aclnnStatus status = aclnnMseLossGetWorkspaceSize(a, b, 0, to, &size, &executor);
    finish(status, size, executor, aclnnMseLoss);
    aclDestroyTensor(a);
    aclDestroyTensor(b);
    aclDestroyTensor(to);
}

/* At several places of the operand's memory, and as it is apart. */
Test(gate, results_in_the_memory_of_operands)
{
    static const int64_t places[] = {0, 1, HALF, WHOLE + 3};
    float *want = numbers(2 * COUNT), *self = numbers(2 * COUNT);
    glu(self, want);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        float *both = numbers(2 * COUNT);
        glu(both, both + places[i]);
        cr_expect_eq(memcmp(both + places[i], want, COUNT / 2 * sizeof *want), 0, "glu %zu", i);
        free(both);
    }
    float *dy = numbers(COUNT / 2);
    glu_backward(dy, self, want);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        float *both = numbers(2 * COUNT);
        glu_backward(dy, both, both + places[i]);
        cr_expect_eq(memcmp(both + places[i], want, COUNT * sizeof *want), 0, "gradient %zu", i);
        free(both);
    }
    float *target = numbers(COUNT);
    for (int i = 0; i < COUNT; i++)
        target[i] = (float)i / COUNT;
    mse(self, target, want);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        float *both = numbers(2 * COUNT);
        mse(both, target, both + places[i]);
        cr_expect_eq(memcmp(both + places[i], want, COUNT * sizeof *want), 0, "loss %zu", i);
        free(both);
    }
    free(want), free(self), free(dy), free(target);
}
