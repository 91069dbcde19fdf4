/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of one average pooling, step by step.
 *
 * Forward, a 6x6 image was pooled with a 3x3 window, stride 2, padding 1, to 3x3. Each window's
 * gradient is 9 here, so each of its 9 elements receives 1: the printed grid counts, for every
 * element of the image, the windows that contain it. */
#include "acl/acl.h"
#include "aclnnop/aclnn_avgpool2d_backward.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { IN = 6, OUT = 3 };

/* Every call returns 0 or a code; the text says what was wrong. */
static void check(int code, const char *call)
{
    if (code == 0) return;
    const char *text = aclGetRecentErrMsg();
    fprintf(stderr, "%s returned %d: %s\n", call, code, text ? text : "");
    exit(EXIT_FAILURE);
}
#define CHECK(call) check((call), #call)

/* A dense NCHW float tensor that describes `data`; it does not own it. */
static aclTensor *describe(void *data, int64_t height, int64_t width)
{
    const int64_t dims[] = {1, 1, height, width};
    const int64_t strides[] = {height * width, height * width, width, 1};
    return aclCreateTensor(dims, 4, ACL_FLOAT, strides, 0, ACL_FORMAT_NCHW, dims, 4, data);
}

int main(void)
{
    /* 1. Start the library, take device 0, make a stream: a queue of work that runs in order. */
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    aclrtStream stream;
    CHECK(aclrtCreateStream(&stream));

    /* 2. Device memory for the gradient that comes in and the one that goes out. */
    float grad_output[OUT * OUT], grad_input[IN * IN];
    for (int i = 0; i < OUT * OUT; i++)
        grad_output[i] = 9.0F;
    void *device_output, *device_input;
    CHECK(aclrtMalloc(&device_output, sizeof grad_output, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMalloc(&device_input, sizeof grad_input, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMemcpy(device_output, sizeof grad_output, grad_output, sizeof grad_output,
                      ACL_MEMCPY_HOST_TO_DEVICE));

    /* 3. Describe the tensors. Of `self`, the forward's input, only the shape matters here. */
    aclTensor *grad_output_tensor = describe(device_output, OUT, OUT);
    aclTensor *self = describe(device_input, IN, IN);
    aclTensor *grad_input_tensor = describe(device_input, IN, IN);
    const int64_t three[] = {3, 3}, two[] = {2, 2}, one[] = {1, 1};
    aclIntArray *kernel = aclCreateIntArray(three, 2);
    aclIntArray *stride = aclCreateIntArray(two, 2);
    aclIntArray *padding = aclCreateIntArray(one, 2);

    /* 4. Phase 1 checks the arguments, plans the work and says how much workspace it needs. */
    uint64_t workspace_size;
    aclOpExecutor *executor;
    CHECK(aclnnAvgPool2dBackwardGetWorkspaceSize(
        grad_output_tensor, self, kernel, stride, padding, /* ceilMode */ false,
        /* countIncludePad */ true, /* divisorOverride: none */ 0, /* cubeMathType */ 0,
        grad_input_tensor, &workspace_size, &executor));
    void *workspace = NULL;
    if (workspace_size > 0) {
        CHECK(aclrtMalloc(&workspace, workspace_size, ACL_MEM_MALLOC_HUGE_FIRST));
    }

    /* 5. Phase 2 queues the work and returns; the executor is used up. Wait for the stream. */
    CHECK(aclnnAvgPool2dBackward(workspace, workspace_size, executor, stream));
    CHECK(aclrtSynchronizeStream(stream));

    /* 6. Bring the result back and print it. */
    CHECK(aclrtMemcpy(grad_input, sizeof grad_input, device_input, sizeof grad_input,
                      ACL_MEMCPY_DEVICE_TO_HOST));
    for (int y = 0; y < IN; y++) {
        for (int x = 0; x < IN; x++)
            printf("%5.1f", (double)grad_input[y * IN + x]);
        printf("\n");
    }

    /* 7. Give everything back. */
    aclDestroyTensor(grad_output_tensor);
    aclDestroyTensor(self);
    aclDestroyTensor(grad_input_tensor);
    aclDestroyIntArray(kernel);
    aclDestroyIntArray(stride);
    aclDestroyIntArray(padding);
    if (workspace) CHECK(aclrtFree(workspace));
    CHECK(aclrtFree(device_output));
    CHECK(aclrtFree(device_input));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return EXIT_SUCCESS;
}
