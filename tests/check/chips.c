/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that run here, on the chip that the library names when nothing is set: some of them its
 * documents refuse. */
#include "aclnnop/aclnn_gelu_mul.h"
#include "aclnnop/aclnn_index.h"
#include "aclnnop/aclnn_max_pool2d_with_indices.h"
#include "aclnnop/aclnn_mm.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_square.h"

#include "tests/check/program.h"

enum { SIDE = 4 };

static aclTensor *matrix(void *memory, aclDataType type)
{
    const int64_t sizes[] = {SIDE, SIDE}, strides[] = {SIDE, 1};
    return aclCreateTensor(sizes, 2, type, strides, 0, ACL_FORMAT_ND, sizes, 2, memory);
}

static void multiply(struct world *w, aclDataType type, int8_t math)
{
    uint64_t size;
    aclOpExecutor *executor;
    aclTensor *a = matrix(w->d[0], type), *b = matrix(w->d[1], type), *c = matrix(w->d[2], type);
    OK(aclnnMmGetWorkspaceSize(a, b, c, math, &size, &executor));
    OK(aclnnMm(w->workspace, WORKSPACE, executor, w->s[0]));
    aclDestroyTensor(a);
    aclDestroyTensor(b);
    aclDestroyTensor(c);
}

/* Rows of a matrix by one index; the matrix is 0. */
static void pick(struct world *w, aclDataType type)
{
    uint64_t size;
    aclOpExecutor *executor;
    const int64_t count = SIDE, one = 1;
    aclTensor *index =
        aclCreateTensor(&count, 1, ACL_INT64, &one, 0, ACL_FORMAT_ND, &count, 1, w->d[1]);
    aclTensorList *indices = aclCreateTensorList((const aclTensor *const[]){index}, 1);
    aclTensor *from = matrix(w->d[0], type), *to = matrix(w->d[2], type);
    OK(aclnnIndexGetWorkspaceSize(from, indices, to, &size, &executor));
    OK(aclnnIndex(w->workspace, WORKSPACE, executor, w->s[0]));
    aclDestroyTensorList(indices);
    aclDestroyTensor(from);
    aclDestroyTensor(to);
}

static void bf16_through_half(struct world *w)
{
    multiply(w, ACL_BF16, 2);
}

static void bf16_as_it_is(struct world *w)
{
    multiply(w, ACL_BF16, 0);
}

static void float_through_half(struct world *w)
{
    multiply(w, ACL_FLOAT, 2);
}

static void short_rows(struct world *w)
{
    pick(w, ACL_UINT16);
}

static void float_rows(struct world *w)
{
    pick(w, ACL_FLOAT);
}

/* One channel, so that both orders of axes are one in memory. */
static aclTensor *image(void *memory, aclDataType type, int64_t side, aclFormat format)
{
    const int64_t first[] = {1, 1, side, side}, last[] = {1, side, side, 1};
    const int64_t *sizes = format == ACL_FORMAT_NHWC ? last : first;
    return aclCreateTensor(sizes, 4, type, NULL, 0, format, sizes, 4, memory);
}

static void pool(struct world *w, aclFormat format)
{
    uint64_t size;
    aclOpExecutor *executor;
    const int64_t two[] = {2, 2}, one[] = {1, 1}, zero[] = {0, 0};
    aclIntArray *window = aclCreateIntArray(two, 2), *padding = aclCreateIntArray(zero, 2);
    aclIntArray *dilation = aclCreateIntArray(one, 2);
    aclTensor *from = image(w->d[0], ACL_FLOAT, SIDE, format);
    aclTensor *to = image(w->d[1], ACL_FLOAT, SIDE / 2, format);
    aclTensor *indices = image(w->d[2], ACL_INT32, SIDE / 2, format);
    OK(aclnnMaxPool2dWithIndicesGetWorkspaceSize(from, window, window, padding, dilation, false, to,
                                                 indices, &size, &executor));
    OK(aclnnMaxPool2dWithIndices(w->workspace, WORKSPACE, executor, w->s[0]));
    aclDestroyIntArray(window);
    aclDestroyIntArray(padding);
    aclDestroyIntArray(dilation);
    aclDestroyTensor(from);
    aclDestroyTensor(to);
    aclDestroyTensor(indices);
}

static void pool_of_channels_last(struct world *w)
{
    pool(w, ACL_FORMAT_NHWC);
}

static void pool_of_channels_first(struct world *w)
{
    pool(w, ACL_FORMAT_NCHW);
}

/* gelu(a) b, where a and b are the halves of the last axis. */
static void gated(struct world *w, const int64_t *sizes, uint64_t rank)
{
    uint64_t size;
    aclOpExecutor *executor;
    int64_t half[2];
    for (uint64_t i = 0; i < rank; i++)
        half[i] = i + 1 < rank ? sizes[i] : sizes[i] / 2;
    aclTensor *from =
        aclCreateTensor(sizes, rank, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, sizes, rank, w->d[0]);
    aclTensor *to =
        aclCreateTensor(half, rank, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, half, rank, w->d[1]);
    OK(aclnnGeluMulGetWorkspaceSize(from, NULL, to, &size, &executor));
    OK(aclnnGeluMul(w->workspace, WORKSPACE, executor, w->s[0]));
    aclDestroyTensor(from);
    aclDestroyTensor(to);
}

static void gate_of_a_vector(struct world *w)
{
    gated(w, (const int64_t[]){2 * SIDE}, 1);
}

static void gate_of_one_row(struct world *w)
{
    gated(w, (const int64_t[]){1, 2 * SIDE}, 2);
}

/* Ascend950 alone has the operator. */
static void squared(struct world *w)
{
    uint64_t size;
    aclOpExecutor *executor;
    aclTensor *x = tensor_of(w->d[0], FLOATS), *out = tensor_of(w->d[1], FLOATS);
    OK(aclnnSquareGetWorkspaceSize(x, out, &size, &executor));
    OK(aclnnSquare(w->workspace, WORKSPACE, executor, w->s[0]));
    aclDestroyTensor(x);
    aclDestroyTensor(out);
}

static void multiplied_by_itself(struct world *w)
{
    uint64_t size;
    aclOpExecutor *executor;
    aclTensor *x = tensor_of(w->d[0], FLOATS), *out = tensor_of(w->d[1], FLOATS);
    OK(aclnnMulGetWorkspaceSize(x, x, out, &size, &executor));
    OK(aclnnMul(w->workspace, WORKSPACE, executor, w->s[0]));
    aclDestroyTensor(x);
    aclDestroyTensor(out);
}

#define PROGRAM(name, expected)                                                                    \
    {                                                                                              \
#name, name, expected                                                                      \
    }
const struct program wrong_chips[] = {
    PROGRAM(bf16_through_half, "device/math"),
    PROGRAM(short_rows, "device/types"),
    PROGRAM(pool_of_channels_last, "device/layouts"),
    PROGRAM(gate_of_a_vector, "device/ranks"),
    PROGRAM(squared, "device/operator"),
};
const size_t wrong_chip_count = sizeof wrong_chips / sizeof *wrong_chips;

const struct program right_chips[] = {
    PROGRAM(bf16_as_it_is, ""),   PROGRAM(float_through_half, ""),
    PROGRAM(float_rows, ""),      PROGRAM(pool_of_channels_first, ""),
    PROGRAM(gate_of_one_row, ""), PROGRAM(multiplied_by_itself, ""),
};
const size_t right_chip_count = sizeof right_chips / sizeof *right_chips;
