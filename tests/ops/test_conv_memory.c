/* SPDX-License-Identifier: Apache-2.0 */
/* What a convolution's gradients and forward pass take beside their tensors, at their peak: kernels
 * copy what they need piece by piece, never a matrix of windows. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"
#include "aclnn/opdev/op_errno.h"
#include "aclnnop/aclnn_convolution.h"
#include "aclnnop/aclnn_convolution_backward.h"

enum { BATCH = 4, CHANNELS = 64, SIZE = 224, KERNEL = 3 }; /* VGG's second layer */

static const int64_t activation[] = {BATCH, CHANNELS, SIZE, SIZE};
static const int64_t weights[] = {CHANNELS, CHANNELS, KERNEL, KERNEL};
static const int64_t channels[] = {CHANNELS};

static size_t tensor_bytes;

/* A tensor whose pages are there before anything is measured. */
static aclTensor *tensor_of(const int64_t dims[], uint64_t rank, aclFormat format)
{
    size_t bytes = sizeof(float);
    for (uint64_t i = 0; i < rank; i++)
        bytes *= (size_t)dims[i];
    void *data = NULL;
    cr_assert_eq(aclrtMalloc(&data, bytes, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    memset(data, 0x3f, bytes);
    tensor_bytes += bytes;
    return aclCreateTensor(dims, rank, ACL_FLOAT, NULL, 0, format, dims, rank, data);
}

static size_t peak(void)
{
    struct rusage usage;
    cr_assert_eq(getrusage(RUSAGE_SELF, &usage), 0);
    return (size_t)usage.ru_maxrss << 10;
}

static void *workspace_of(uint64_t size)
{
    void *workspace = NULL;
    if (size > 0)
        cr_assert_eq(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    return workspace;
}

Test(conv_memory, a_large_layer_takes_a_tenth_more_than_its_tensors, .timeout = 600)
{
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    cr_skip_test("a sanitizer's own memory counts");
#endif
    const int64_t one[] = {1, 1}, none[] = {0, 0};
    const bool all[] = {true, true, true};
    setenv("ACLNN_CPU_THREADS", "2", 1); /* each has a stack */
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    aclrtStream stream = NULL;
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    aclTensor *dy = tensor_of(activation, 4, ACL_FORMAT_NCHW);
    aclTensor *x = tensor_of(activation, 4, ACL_FORMAT_NCHW);
    aclTensor *dx = tensor_of(activation, 4, ACL_FORMAT_NCHW);
    aclTensor *w = tensor_of(weights, 4, ACL_FORMAT_NCHW);
    aclTensor *dw = tensor_of(weights, 4, ACL_FORMAT_NCHW);
    aclTensor *db = tensor_of(channels, 1, ACL_FORMAT_ND);
    aclIntArray *ones = aclCreateIntArray(one, 2), *zeros = aclCreateIntArray(none, 2);
    aclBoolArray *mask = aclCreateBoolArray(all, 3);

    const size_t before = peak();
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    cr_assert_eq(aclnnConvolutionBackwardGetWorkspaceSize(dy, x, w, NULL, ones, ones, ones, false,
                                                          zeros, 1, mask, 0, dx, dw, db, &size,
                                                          &executor),
                 ACLNN_SUCCESS, "%s", aclGetRecentErrMsg());
    cr_assert_eq(aclnnConvolutionBackward(workspace_of(size), size, executor, stream),
                 ACLNN_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    cr_assert_eq(aclnnConvolutionGetWorkspaceSize(x, w, NULL, ones, ones, ones, false, zeros, 1, dy,
                                                  0, &size, &executor),
                 ACLNN_SUCCESS, "%s", aclGetRecentErrMsg());
    cr_assert_eq(aclnnConvolution(workspace_of(size), size, executor, stream), ACLNN_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    const size_t more = peak() - before;
    cr_expect_leq(more, tensor_bytes / 10, "%zu bytes beside %zu of tensors", more, tensor_bytes);
    aclFinalize();
}
