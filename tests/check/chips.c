/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that run here, on the chip that the library names when nothing is set: some of them its
 * documents refuse. */
#include "aclnnop/aclnn_index.h"
#include "aclnnop/aclnn_max_pool2d_with_indices.h"
#include "aclnnop/aclnn_mm.h"

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

#define PROGRAM(name, expected)                                                                    \
    {                                                                                              \
#name, name, expected                                                                      \
    }
const struct program wrong_chips[] = {
    PROGRAM(bf16_through_half, "device/math"),
    PROGRAM(short_rows, "device/types"),
    PROGRAM(pool_of_channels_last, "device/layouts"),
};
const size_t wrong_chip_count = sizeof wrong_chips / sizeof *wrong_chips;

const struct program right_chips[] = {
    PROGRAM(bf16_as_it_is, ""),
    PROGRAM(float_through_half, ""),
    PROGRAM(float_rows, ""),
    PROGRAM(pool_of_channels_first, ""),
};
const size_t right_chip_count = sizeof right_chips / sizeof *right_chips;
