/* SPDX-License-Identifier: Apache-2.0 */
/* What phase 1 says of views, memory and arguments that have no meaning: as a device, it does not
 * look at storage shapes. */
#include <criterion/criterion.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnn/opdev/op_errno.h"
#include "aclnnop/aclnn_abs.h"
#include "aclnnop/aclnn_adaptive_max_pool2d_backward.h"
#include "aclnnop/aclnn_adaptive_max_pool3d_backward.h"
#include "aclnnop/aclnn_convolution_backward.h"

enum { BYTES = 4096, FLOATS = BYTES / 4, MARGIN = 1024 /* allocations are rounded up */ };

static aclrtStream stream;
static void *device;

static void begin(void)
{
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    cr_assert_eq(aclrtMalloc(&device, BYTES, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
}

static void end(void)
{
    cr_assert_eq(aclrtFree(device), ACL_SUCCESS);
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
}

TestSuite(views, .init = begin, .fini = end);

static aclTensor *line(void *data, int64_t count, int64_t offset, int64_t storage)
{
    return aclCreateTensor(&count, 1, ACL_FLOAT, NULL, offset, ACL_FORMAT_ND, &storage, 1, data);
}

/* aclnnAbs in place; runs it where phase 1 accepts. */
static aclnnStatus abs_of(void *data, int64_t count, int64_t offset, int64_t storage)
{
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    aclTensor *tensor = line(data, count, offset, storage);
    aclnnStatus status = aclnnAbsGetWorkspaceSize(tensor, tensor, &size, &executor);
    aclDestroyTensor(tensor);
    if (status != ACLNN_SUCCESS) return status;
    cr_assert_eq(aclnnAbs(NULL, size, executor, stream), ACLNN_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    return ACLNN_SUCCESS;
}

Test(views, storage_shapes_that_are_too_small)
{
    float *numbers = device, host[8] = {-1, -2, -3, -4, -5, -6, -7, -8};
    for (int i = 0; i < FLOATS; i++)
        numbers[i] = (float)-i;
    cr_assert_eq(abs_of(device, 100, 24, 1), ACLNN_SUCCESS, "%s", aclGetRecentErrMsg());
    cr_expect_eq(numbers[23], -23);
    cr_expect_eq(numbers[123], 123);
    cr_expect_eq(numbers[124], -124);
    cr_assert_eq(abs_of(device, FLOATS, 0, 0), ACLNN_SUCCESS, "%s", aclGetRecentErrMsg());
    cr_expect_eq(numbers[FLOATS - 1], FLOATS - 1);
    /* Memory that the library knows nothing of. */
    cr_assert_eq(abs_of(host, 4, 2, 1), ACLNN_SUCCESS, "%s", aclGetRecentErrMsg());
    cr_expect_eq(host[1], -2);
    cr_expect_eq(host[5], 6);
    cr_expect_eq(host[6], -7);
}

Test(views, behind_the_allocation)
{
    cr_expect_eq(abs_of(device, FLOATS + MARGIN, 0, FLOATS), ACLNN_ERR_PARAM_INVALID);
    const char *text = aclGetRecentErrMsg();
    cr_assert_not_null(text);
    cr_expect_not_null(strstr(text, "aclnnAbs"));
    cr_expect_not_null(strstr(text, "self"));
    cr_expect_not_null(strstr(text, "reaches byte 8191"), "%s", text);
    cr_expect_eq(abs_of((char *)device + 400, 10, FLOATS + MARGIN, 1), ACLNN_ERR_PARAM_INVALID);
    cr_expect_eq(abs_of((char *)device + 400, 10, FLOATS - 110, 1), ACLNN_SUCCESS);
}

/* Planes of 2^31 elements and more have indices that INT32 cannot hold. */
Test(views, indices_of_large_planes)
{
    const int64_t large[] = {1, 1, 1 << 16, 1 << 15}, small[] = {1, 1, 1, 1};
    const int64_t large3[] = {1, 1, 2, 1 << 15, 1 << 15}, small3[] = {1, 1, 1, 1, 1};
    for (int axes = 2; axes <= 3; axes++)
        for (int wide = 0; wide < 2; wide++) {
            const uint64_t rank = (uint64_t)axes + 2;
            const aclFormat format = axes == 2 ? ACL_FORMAT_NCHW : ACL_FORMAT_NCDHW;
            const int64_t *big = axes == 2 ? large : large3, *one = axes == 2 ? small : small3;
            uint64_t size = 0;
            aclOpExecutor *executor = NULL;
            aclTensor *self =
                aclCreateTensor(big, rank, ACL_FLOAT, NULL, 0, format, big, rank, NULL);
            aclTensor *dy = aclCreateTensor(one, rank, ACL_FLOAT, NULL, 0, format, one, rank, NULL);
            aclTensor *indices = aclCreateTensor(one, rank, wide ? ACL_INT64 : ACL_INT32, NULL, 0,
                                                 format, one, rank, NULL);
            const aclnnStatus status = axes == 2 ? aclnnAdaptiveMaxPool2dBackwardGetWorkspaceSize(
                                                       dy, self, indices, self, &size, &executor)
                                                 : aclnnAdaptiveMaxPool3dBackwardGetWorkspaceSize(
                                                       dy, self, indices, self, &size, &executor);
            cr_expect_eq(status, wide ? ACLNN_SUCCESS : ACLNN_ERR_PARAM_INVALID, "%d axes, %d: %d",
                         axes, wide, status);
            if (!wide) cr_expect_not_null(strstr(aclGetRecentErrMsg(), "indices is INT32"));
            if (executor) aclDestroyAclOpExecutor(executor);
            aclDestroyTensor(self);
            aclDestroyTensor(dy);
            aclDestroyTensor(indices);
        }
}

/* Without transposed, outputPadding has no meaning, whatever it is. */
Test(views, output_padding_that_means_nothing)
{
    static const int64_t paddings[][5] = {{0}, {0, 0}, {7, -1, 3}, {1, 2, 3, 4, 5}};
    const int64_t sizes[] = {1, 1, 4, 4}, kernel[] = {1, 1, 3, 3}, out[] = {1, 1, 2, 2};
    const int64_t ones[] = {1, 1}, zeros[] = {0, 0}, channels[] = {1};
    const bool mask[] = {true, false, false};
    for (uint64_t length = 0; length < 5; length++) {
        uint64_t size = 0;
        aclOpExecutor *executor = NULL;
        aclTensor *x =
            aclCreateTensor(sizes, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_NCHW, sizes, 4, device);
        aclTensor *w =
            aclCreateTensor(kernel, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_NCHW, kernel, 4, device);
        aclTensor *dy =
            aclCreateTensor(out, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_NCHW, out, 4, device);
        aclIntArray *bias = aclCreateIntArray(channels, 1), *one = aclCreateIntArray(ones, 2);
        aclIntArray *zero = aclCreateIntArray(zeros, 2);
        aclIntArray *extra = aclCreateIntArray(paddings[length % 4], length);
        aclBoolArray *asked = aclCreateBoolArray(mask, 3);
        cr_expect_eq(aclnnConvolutionBackwardGetWorkspaceSize(dy, x, w, bias, one, zero, one, false,
                                                              extra, 1, asked, 0, x, NULL, NULL,
                                                              &size, &executor),
                     ACLNN_SUCCESS, "%d entries: %s", (int)length, aclGetRecentErrMsg());
        if (executor) aclDestroyAclOpExecutor(executor);
        aclDestroyTensor(x);
        aclDestroyTensor(w);
        aclDestroyTensor(dy);
        aclDestroyIntArray(bias);
        aclDestroyIntArray(one);
        aclDestroyIntArray(zero);
        aclDestroyIntArray(extra);
        aclDestroyBoolArray(asked);
    }
}
