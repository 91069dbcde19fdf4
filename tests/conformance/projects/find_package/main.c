/* SPDX-License-Identifier: Apache-2.0 */
/* C, strict C11: a (C, H, W) gradient of bf16 values; all of them are small dyadic numbers, so the
 * result is exact. */
#include "acl/acl.h"
#include "aclnnop/aclnn_avgpool2d_backward.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { C = 2, OUT = 2, IN = 4 };

static uint16_t to_bf16(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)(bits >> 16);
}

static float from_bf16(uint16_t half)
{
    uint32_t bits = (uint32_t)half << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int fail(const char *what, int code)
{
    const char *text = aclGetRecentErrMsg();
    printf("%s: %d %s\n", what, code, text ? text : "");
    return 1;
}

int main(void)
{
    const int64_t dy_dims[] = {C, OUT, OUT}, dx_dims[] = {C, IN, IN}, two[] = {2};
    const int64_t dy_strides[] = {OUT * OUT, OUT, 1}, dx_strides[] = {IN * IN, IN, 1};
    const int64_t none[] = {0};
    uint16_t dy[C * OUT * OUT], dx[C * IN * IN];
    void *dy_device, *dx_device;
    aclrtStream stream;
    int code;

    for (int i = 0; i < C * OUT * OUT; i++)
        dy[i] = to_bf16((float)(4 * (i + 1)));
    if ((code = aclInit(NULL)) || (code = aclrtSetDevice(0)) ||
        (code = aclrtCreateStream(&stream)) ||
        (code = aclrtMalloc(&dy_device, sizeof dy, ACL_MEM_MALLOC_HUGE_FIRST)) ||
        (code = aclrtMalloc(&dx_device, sizeof dx, ACL_MEM_MALLOC_HUGE_FIRST)) ||
        (code = aclrtMemcpy(dy_device, sizeof dy, dy, sizeof dy, ACL_MEMCPY_HOST_TO_DEVICE))) {
        return fail("set-up", code);
    }
    aclTensor *grad_output =
        aclCreateTensor(dy_dims, 3, ACL_BF16, dy_strides, 0, ACL_FORMAT_NCL, dy_dims, 3, dy_device);
    aclTensor *grad_input =
        aclCreateTensor(dx_dims, 3, ACL_BF16, dx_strides, 0, ACL_FORMAT_NCL, dx_dims, 3, dx_device);
    aclIntArray *kernel = aclCreateIntArray(two, 1), *padding = aclCreateIntArray(none, 1);
    uint64_t size;
    aclOpExecutor *executor;
    code = aclnnAvgPool2dBackwardGetWorkspaceSize(grad_output, grad_input, kernel, NULL, padding,
                                                  false, true, 0, 0, grad_input, &size, &executor);
    if (code) return fail("phase 1", code);
    void *workspace = NULL;
    if (size && (code = aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST)))
        return fail("workspace", code);
    if ((code = aclnnAvgPool2dBackward(workspace, size, executor, stream)) ||
        (code = aclrtSynchronizeStream(stream)) ||
        (code = aclrtMemcpy(dx, sizeof dx, dx_device, sizeof dx, ACL_MEMCPY_DEVICE_TO_HOST))) {
        return fail("phase 2", code);
    }
    for (int c = 0; c < C; c++) {
        for (int y = 0; y < IN; y++) {
            for (int x = 0; x < IN; x++) {
                float want = (float)((c * OUT + y / 2) * OUT + x / 2 + 1);
                float got = from_bf16(dx[(c * IN + y) * IN + x]);
                if (got != want) {
                    printf("[%d %d %d] is %g, not %g\n", c, y, x, (double)got, (double)want);
                    return 1;
                }
            }
        }
    }
    printf("right\n");
    aclDestroyTensor(grad_output);
    aclDestroyTensor(grad_input);
    aclDestroyIntArray(kernel);
    aclDestroyIntArray(padding);
    if (workspace) aclrtFree(workspace);
    aclrtFree(dx_device);
    aclrtFree(dy_device);
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    return aclFinalize();
}
