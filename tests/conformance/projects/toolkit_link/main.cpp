/* SPDX-License-Identifier: Apache-2.0 */
/* A program in the style of CANN's operator examples: C++, unique_ptr with the API's own functions
 * as deleters, the workspace freed right after phase 2. Prints "right" when every value is. */
#include "acl/acl.h"
#include "aclnnop/aclnn_avgpool2d_backward.h"

#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#define CHECK_RET(cond, return_expr)                                                               \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            return_expr;                                                                           \
        }                                                                                          \
    } while (0)

#define LOG_PRINT(message, ...)                                                                    \
    do {                                                                                           \
        std::printf(message, ##__VA_ARGS__);                                                       \
    } while (0)

typedef std::unique_ptr<aclTensor, aclnnStatus (*)(const aclTensor *)> TensorPtr;
typedef std::unique_ptr<aclIntArray, aclnnStatus (*)(const aclIntArray *)> IntArrayPtr;
typedef std::unique_ptr<void, aclError (*)(void *)> DevicePtr;

namespace
{
const int64_t N = 2, C = 3, H = 9, W = 7, KH = 3, KW = 2, SH = 2, SW = 3, PH = 1, PW = 0;
const int64_t OH = (H + 2 * PH - KH) / SH + 1, OW = (W + 2 * PW - KW) / SW + 1;

/* Straight from the definition: every window shares its gradient among its KH * KW elements. */
std::vector<double> Expected(const std::vector<float> &dy)
{
    std::vector<double> dx(N * C * H * W, 0.0);
    for (int64_t plane = 0; plane < N * C; plane++)
        for (int64_t oy = 0; oy < OH; oy++)
            for (int64_t ox = 0; ox < OW; ox++)
                for (int64_t y = oy * SH - PH; y < oy * SH - PH + KH; y++)
                    for (int64_t x = ox * SW - PW; x < ox * SW - PW + KW; x++)
                        if (y >= 0 && y < H && x >= 0 && x < W)
                            dx[(plane * H + y) * W + x] +=
                                static_cast<double>(dy[(plane * OH + oy) * OW + ox]) / (KH * KW);
    return dx;
}

aclError CreateDeviceCopy(const void *host, size_t bytes, DevicePtr &device)
{
    void *address = nullptr;
    aclError ret = aclrtMalloc(&address, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    CHECK_RET(ret == ACL_SUCCESS, LOG_PRINT("aclrtMalloc failed: %d\n", ret); return ret);
    device.reset(address);
    return host ? aclrtMemcpy(address, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE) : ACL_SUCCESS;
}

TensorPtr CreateTensor(const std::vector<int64_t> &shape, const std::vector<int64_t> &strides,
                       void *address)
{
    int64_t elements = 1;
    for (size_t i = 0; i < shape.size(); i++)
        elements *= shape[i];
    return TensorPtr(aclCreateTensor(shape.data(), shape.size(), aclDataType::ACL_FLOAT,
                                     strides.data(), 0, aclFormat::ACL_FORMAT_NCHW, &elements, 1,
                                     address),
                     aclDestroyTensor);
}

/* gradInput lies in memory as `strides` say. Returns 0 when all values are right. */
int Run(const std::vector<int64_t> &strides, aclrtStream stream)
{
    std::vector<float> dy(N * C * OH * OW), dx(N * C * H * W, -1.0f);
    for (size_t i = 0; i < dy.size(); i++)
        dy[i] = static_cast<float>(static_cast<int>(i * 37 % 101) - 50) / 8;

    DevicePtr dyDevice(nullptr, aclrtFree), dxDevice(nullptr, aclrtFree);
    auto ret = CreateDeviceCopy(dy.data(), dy.size() * sizeof(float), dyDevice);
    CHECK_RET(ret == ACL_SUCCESS, return ret);
    ret = CreateDeviceCopy(dx.data(), dx.size() * sizeof(float), dxDevice);
    CHECK_RET(ret == ACL_SUCCESS, return ret);

    uint64_t workspaceSize = 0;
    aclOpExecutor *executor = nullptr;
    {
        TensorPtr gradOutput =
            CreateTensor({N, C, OH, OW}, {C * OH * OW, OH * OW, OW, 1}, dyDevice.get());
        TensorPtr self = CreateTensor({N, C, H, W}, {C * H * W, H * W, W, 1}, dxDevice.get());
        TensorPtr gradInput = CreateTensor({N, C, H, W}, strides, dxDevice.get());
        const int64_t kernelData[] = {KH, KW}, strideData[] = {SH, SW}, paddingData[] = {PH, PW};
        IntArrayPtr kernel(aclCreateIntArray(kernelData, 2), aclDestroyIntArray);
        IntArrayPtr stride(aclCreateIntArray(strideData, 2), aclDestroyIntArray);
        IntArrayPtr padding(aclCreateIntArray(paddingData, 2), aclDestroyIntArray);
        ret = aclnnAvgPool2dBackwardGetWorkspaceSize(gradOutput.get(), self.get(), kernel.get(),
                                                     stride.get(), padding.get(), false, true, 0, 0,
                                                     gradInput.get(), &workspaceSize, &executor);
        CHECK_RET(ret == ACL_SUCCESS,
                  LOG_PRINT("phase 1 failed: %d %s\n", ret, aclGetRecentErrMsg());
                  return ret);
        DevicePtr workspace(nullptr, aclrtFree);
        if (workspaceSize > 0) {
            ret = CreateDeviceCopy(nullptr, workspaceSize, workspace);
            CHECK_RET(ret == ACL_SUCCESS, return ret);
        }
        ret = aclnnAvgPool2dBackward(workspace.get(), workspaceSize, executor, stream);
        CHECK_RET(ret == ACL_SUCCESS,
                  LOG_PRINT("phase 2 failed: %d %s\n", ret, aclGetRecentErrMsg());
                  return ret);
        /* Tensors, arrays and the workspace go here, before the work has to have run. */
    }
    ret = aclrtSynchronizeStream(stream);
    CHECK_RET(ret == ACL_SUCCESS, LOG_PRINT("synchronize failed: %d\n", ret); return ret);
    ret = aclrtMemcpy(dx.data(), dx.size() * sizeof(float), dxDevice.get(),
                      dx.size() * sizeof(float), ACL_MEMCPY_DEVICE_TO_HOST);
    CHECK_RET(ret == ACL_SUCCESS, return ret);

    const std::vector<double> expected = Expected(dy);
    for (int64_t n = 0; n < N; n++)
        for (int64_t c = 0; c < C; c++)
            for (int64_t y = 0; y < H; y++)
                for (int64_t x = 0; x < W; x++) {
                    const double want = expected[((n * C + c) * H + y) * W + x];
                    const double got =
                        dx[n * strides[0] + c * strides[1] + y * strides[2] + x * strides[3]];
                    /* At most two windows of at most 6.25 / 6 meet in an element. */
                    CHECK_RET(std::fabs(want - got) <= 1e-6,
                              LOG_PRINT("[%d %d %d %d] is %.9g, not %.9g\n", static_cast<int>(n),
                                        static_cast<int>(c), static_cast<int>(y),
                                        static_cast<int>(x), got, want);
                              return 1);
                }
    LOG_PRINT("workspace %llu bytes, right\n", static_cast<unsigned long long>(workspaceSize));
    return 0;
}
} // namespace

int main()
{
    aclError (*free_function)(void *) = aclrtFree; /* the declared types are CANN's exactly */
    (void)free_function;
    aclrtStream stream = nullptr;
    auto ret = aclInit(nullptr);
    CHECK_RET(ret == ACL_SUCCESS, LOG_PRINT("aclInit failed: %d\n", ret); return ret);
    ret = aclrtSetDevice(0);
    CHECK_RET(ret == ACL_SUCCESS, LOG_PRINT("aclrtSetDevice failed: %d\n", ret); return ret);
    ret = aclrtCreateStream(&stream);
    CHECK_RET(ret == ACL_SUCCESS, LOG_PRINT("aclrtCreateStream failed: %d\n", ret); return ret);

    int failed = Run({C * H * W, H * W, W, 1}, stream);       /* dense */
    failed = failed || Run({C * H * W, 1, W * C, C}, stream); /* channels last */
    failed = failed || Run({1, N * W * H, N, N * H}, stream); /* a transposed view */

    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
    return failed;
}
