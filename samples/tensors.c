/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic on tensors: operators of one line each, put together.
 *
 *  - softmax of each row by hand: maximum, difference, exponential, sum, quotient;
 *  - a histogram: each probability against the edges of all bins, then a sum of what is true;
 *  - a transposed copy: the same memory read by other strides.
 *
 * Everything is queued on one stream and runs in order; the host waits once, at the end.
 * ACLNN_CPU_LOG=plan tells what each operator will do. */
#include "acl/acl.h"
#include "aclnnop/aclnn_amax.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_div.h"
#include "aclnnop/aclnn_exp.h"
#include "aclnnop/aclnn_ge_tensor.h"
#include "aclnnop/aclnn_linspace.h"
#include "aclnnop/aclnn_logical_and.h"
#include "aclnnop/aclnn_lt_tensor.h"
#include "aclnnop/aclnn_reduce_sum.h"
#include "aclnnop/aclnn_sub.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 3, COLUMNS = 4, BINS = 5, ELEMENTS = ROWS * COLUMNS };

/* Every call returns 0 or a code; the text says what was wrong. */
static void check(int code, const char *call)
{
    if (code == 0) return;
    const char *text = aclGetRecentErrMsg();
    fprintf(stderr, "%s returned %d: %s\n", call, code, text ? text : "");
    exit(EXIT_FAILURE);
}
#define CHECK(call) check((call), #call)

/* An operator in its two phases: the plan, then the run on the stream. A workspace is freed when
 * the stream is done with it; here that is at the end (free_workspaces). */
#define RUN(operator, ...)                                                                         \
    do {                                                                                           \
        uint64_t size;                                                                             \
        aclOpExecutor *executor;                                                                   \
        CHECK(operator##GetWorkspaceSize(__VA_ARGS__, &size, &executor));                          \
        CHECK(operator(workspace_of(size), size, executor, stream));                               \
    } while (0)

static void *workspaces[16];
static int workspaces_used;

static void *workspace_of(uint64_t size)
{
    if (size == 0) return NULL;
    void **workspace = &workspaces[workspaces_used++];
    CHECK(aclrtMalloc(workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
    return *workspace;
}

static void free_workspaces(void)
{
    while (workspaces_used > 0)
        CHECK(aclrtFree(workspaces[--workspaces_used]));
}

/* Device memory for count elements of at most 8 bytes. */
static void *room(int count)
{
    void *memory;
    CHECK(aclrtMalloc(&memory, (size_t)count * 8, ACL_MEM_MALLOC_HUGE_FIRST));
    return memory;
}

/* A dense matrix that describes `data`; it does not own it. */
static aclTensor *matrix(void *data, aclDataType type, int64_t rows, int64_t columns)
{
    const int64_t dims[] = {rows, columns}, strides[] = {columns, 1};
    return aclCreateTensor(dims, 2, type, strides, 0, ACL_FORMAT_ND, dims, 2, data);
}

/* The same memory with rows and columns exchanged: other strides, no copy. */
static aclTensor *transposed(void *data, aclDataType type, int64_t rows, int64_t columns)
{
    const int64_t dims[] = {columns, rows}, strides[] = {1, columns}, storage[] = {rows, columns};
    return aclCreateTensor(dims, 2, type, strides, 0, ACL_FORMAT_ND, storage, 2, data);
}

static void print(const char *title, const float *values, int rows, int columns)
{
    printf("%s\n", title);
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++)
            printf("%8.4f", (double)values[row * columns + column]);
        printf("\n");
    }
}

int main(void)
{
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    aclrtStream stream;
    CHECK(aclrtCreateStream(&stream));

    const float scores[ELEMENTS] = {1, 2, 3, 4, -1, 0, 0, 1, 8, 2, 2, 2};
    void *x = room(ELEMENTS), *of_rows = room(ROWS), *y = room(ELEMENTS);
    CHECK(aclrtMemcpy(x, sizeof scores, scores, sizeof scores, ACL_MEMCPY_HOST_TO_DEVICE));
    aclTensor *x_tensor = matrix(x, ACL_FLOAT, ROWS, COLUMNS);
    aclTensor *y_tensor = matrix(y, ACL_FLOAT, ROWS, COLUMNS);
    aclTensor *of_rows_tensor = matrix(of_rows, ACL_FLOAT, ROWS, 1); /* broadcast along rows */

    /* 1. Softmax: exp(x - max) / sum(exp(x - max)), row by row. */
    const int64_t last[] = {1}, first[] = {0};
    const float one_value = 1, zero_value = 0;
    aclIntArray *columns = aclCreateIntArray(last, 1), *rows = aclCreateIntArray(first, 1);
    aclScalar *one = aclCreateScalar((void *)&one_value, ACL_FLOAT);
    aclScalar *zero = aclCreateScalar((void *)&zero_value, ACL_FLOAT);
    RUN(aclnnAmax, x_tensor, columns, /* keepDim */ true, of_rows_tensor);
    RUN(aclnnSub, x_tensor, of_rows_tensor, /* alpha */ one, y_tensor);
    RUN(aclnnExp, y_tensor, y_tensor);
    RUN(aclnnReduceSum, y_tensor, columns, /* keepDims */ true, ACL_FLOAT, of_rows_tensor);
    RUN(aclnnDiv, y_tensor, of_rows_tensor, y_tensor);

    /* 2. A histogram of the probabilities over BINS equal parts of [0, 1): every value is compared
     * with all lower and all upper edges at once. */
    void *edges = room(BINS + 1), *above = room(ELEMENTS * BINS), *below = room(ELEMENTS * BINS);
    void *counts = room(BINS);
    aclTensor *edges_tensor = matrix(edges, ACL_FLOAT, 1, BINS + 1);
    aclTensor *lower = matrix(edges, ACL_FLOAT, 1, BINS);
    aclTensor *upper = matrix((float *)edges + 1, ACL_FLOAT, 1, BINS);
    aclTensor *values = matrix(y, ACL_FLOAT, ELEMENTS, 1);
    aclTensor *above_tensor = matrix(above, ACL_BOOL, ELEMENTS, BINS);
    aclTensor *below_tensor = matrix(below, ACL_BOOL, ELEMENTS, BINS);
    aclTensor *counts_tensor = matrix(counts, ACL_INT64, 1, BINS);
    RUN(aclnnLinspace, zero, one, BINS + 1, edges_tensor);
    RUN(aclnnGeTensor, values, lower, above_tensor);
    RUN(aclnnLtTensor, values, upper, below_tensor);
    RUN(aclnnLogicalAnd, above_tensor, below_tensor, above_tensor);
    RUN(aclnnReduceSum, above_tensor, rows, /* keepDims */ true, ACL_INT64, counts_tensor);

    /* 3. A transposed copy: out[column][row] = y[row][column]. */
    void *out = room(ELEMENTS);
    aclTensor *y_transposed = transposed(y, ACL_FLOAT, ROWS, COLUMNS);
    aclTensor *out_tensor = matrix(out, ACL_FLOAT, COLUMNS, ROWS);
    RUN(aclnnInplaceCopy, out_tensor, y_transposed);

    /* 4. Wait for the stream, bring the results back. */
    CHECK(aclrtSynchronizeStream(stream));
    free_workspaces();
    float probabilities[ELEMENTS], copy[ELEMENTS];
    int64_t histogram[BINS];
    CHECK(aclrtMemcpy(probabilities, sizeof probabilities, y, sizeof probabilities,
                      ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK(aclrtMemcpy(copy, sizeof copy, out, sizeof copy, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK(aclrtMemcpy(histogram, sizeof histogram, counts, sizeof histogram,
                      ACL_MEMCPY_DEVICE_TO_HOST));
    print("softmax of each row", probabilities, ROWS, COLUMNS);
    printf("of %d probabilities in each fifth of [0, 1):", ELEMENTS);
    for (int bin = 0; bin < BINS; bin++)
        printf(" %d", (int)histogram[bin]);
    printf("\n");
    print("transposed", copy, COLUMNS, ROWS);

    /* 5. Give everything back. */
    aclTensor *const tensors[] = {x_tensor,     y_tensor,      of_rows_tensor, edges_tensor,
                                  lower,        upper,         values,         above_tensor,
                                  below_tensor, counts_tensor, y_transposed,   out_tensor};
    for (size_t i = 0; i < sizeof tensors / sizeof tensors[0]; i++)
        aclDestroyTensor(tensors[i]);
    void *const memory[] = {x, of_rows, y, edges, above, below, counts, out};
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++)
        CHECK(aclrtFree(memory[i]));
    aclDestroyScalar(one);
    aclDestroyScalar(zero);
    aclDestroyIntArray(columns);
    aclDestroyIntArray(rows);
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return EXIT_SUCCESS;
}
