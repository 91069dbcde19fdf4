/* SPDX-License-Identifier: Apache-2.0 */
/* Every function that ggml's backend for CANN takes from the runtime and the
 * descriptors: a table that does not link when one is missing, and the calls of
 * its memory pool and its graphs in their order. Prints "right" when all of
 * them do what that backend relies on. */
#include "acl/acl.h"
#include "aclnn/aclnn_base.h"

#include <cstdio>
#include <cstring>
#include <string>

namespace
{
struct Function {
    const char *name;
    void (*address)();
};

template <typename F> Function Named(const char *name, F *function)
{
    return {name, reinterpret_cast<void (*)()>(function)};
}

#define FUNCTION(name) Named(#name, name)

const Function functions[] = {
    FUNCTION(aclInit),
    FUNCTION(aclGetRecentErrMsg),
    FUNCTION(aclrtGetSocName),
    FUNCTION(aclrtGetDeviceCount),
    FUNCTION(aclrtSetDevice),
    FUNCTION(aclrtGetDevice),
    FUNCTION(aclrtResetDevice),
    FUNCTION(aclrtSynchronizeDevice),
    FUNCTION(aclrtGetMemInfo),
    FUNCTION(aclrtDeviceCanAccessPeer),
    FUNCTION(aclrtDeviceEnablePeerAccess),
    FUNCTION(aclrtCreateStream),
    FUNCTION(aclrtDestroyStream),
    FUNCTION(aclrtSynchronizeStream),
    FUNCTION(aclrtStreamWaitEvent),
    FUNCTION(aclrtCreateEvent),
    FUNCTION(aclrtCreateEventWithFlag),
    FUNCTION(aclrtDestroyEvent),
    FUNCTION(aclrtRecordEvent),
    FUNCTION(aclrtSynchronizeEvent),
    FUNCTION(aclrtMalloc),
    FUNCTION(aclrtFree),
    FUNCTION(aclrtMallocHost),
    FUNCTION(aclrtFreeHost),
    FUNCTION(aclrtMemcpy),
    FUNCTION(aclrtMemcpyAsync),
    FUNCTION(aclrtMemset),
    FUNCTION(aclrtMemGetAllocationGranularity),
    FUNCTION(aclrtReserveMemAddress),
    FUNCTION(aclrtReleaseMemAddress),
    FUNCTION(aclrtMallocPhysical),
    FUNCTION(aclrtFreePhysical),
    FUNCTION(aclrtMapMem),
    FUNCTION(aclrtUnmapMem),
    FUNCTION(aclmdlRICaptureBegin),
    FUNCTION(aclmdlRICaptureEnd),
    FUNCTION(aclmdlRIExecuteAsync),
    FUNCTION(aclmdlRIDestroy),
    FUNCTION(aclCreateTensor),
    FUNCTION(aclDestroyTensor),
    FUNCTION(aclCreateScalar),
    FUNCTION(aclDestroyScalar),
    FUNCTION(aclCreateIntArray),
    FUNCTION(aclDestroyIntArray),
    FUNCTION(aclCreateTensorList),
    FUNCTION(aclDestroyTensorList),
};

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            const char *text = aclGetRecentErrMsg();                                               \
            std::printf("line %d: %s: %s\n", __LINE__, #condition, text ? text : "");              \
            return false;                                                                          \
        }                                                                                          \
    } while (0)

/* The pool asks for the granularity before a device is set, grows by pieces,
 * frees from its end. */
bool GrowPool()
{
    aclrtPhysicalMemProp prop = {};
    prop.handleType = ACL_MEM_HANDLE_TYPE_NONE;
    prop.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED;
    prop.memAttr = ACL_HBM_MEM_HUGE;
    prop.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    prop.location.id = 0;
    size_t granularity = 0;
    EXPECT(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED,
                                            &granularity) == ACL_SUCCESS);
    EXPECT(aclrtSetDevice(0) == ACL_SUCCESS);
    size_t before = 0, after = 0, total = 0;
    EXPECT(aclrtGetMemInfo(ACL_HBM_MEM, &before, &total) == ACL_SUCCESS);
    void *pool = nullptr;
    EXPECT(aclrtReserveMemAddress(&pool, size_t(1) << 35, 0, nullptr, 1) == ACL_SUCCESS);
    char *bytes = static_cast<char *>(pool);
    aclrtDrvMemHandle handles[3];
    for (size_t i = 0; i < 3; i++) {
        EXPECT(aclrtMallocPhysical(&handles[i], granularity, &prop, 0) == ACL_SUCCESS);
        EXPECT(aclrtMapMem(bytes + i * granularity, granularity, 0, handles[i], 0) == ACL_SUCCESS);
    }
    EXPECT(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total) == ACL_SUCCESS);
    EXPECT(before - after == 3 * granularity);
    EXPECT(aclrtMemset(pool, 3 * granularity, 7, 3 * granularity) == ACL_SUCCESS);
    EXPECT(bytes[3 * granularity - 1] == 7);
    EXPECT(aclrtSynchronizeDevice() == ACL_SUCCESS);
    for (size_t i = 0; i < 3; i++) {
        EXPECT(aclrtUnmapMem(bytes + i * granularity) == ACL_SUCCESS);
        EXPECT(aclrtFreePhysical(handles[i]) == ACL_SUCCESS);
    }
    EXPECT(aclrtReleaseMemAddress(pool) == ACL_SUCCESS);
    return true;
}

/* A graph is captured once and executed twice. */
bool Replay()
{
    aclrtStream stream = nullptr;
    aclmdlRI graph = nullptr;
    void *device = nullptr;
    char host[4] = {0};
    EXPECT(aclrtCreateStream(&stream) == ACL_SUCCESS);
    EXPECT(aclrtMalloc(&device, 8, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
    EXPECT(aclrtMemset(device, 8, 5, 4) == ACL_SUCCESS);
    char *bytes = static_cast<char *>(device);
    EXPECT(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL) == ACL_SUCCESS);
    EXPECT(aclrtMemcpyAsync(bytes + 4, 4, bytes, 4, ACL_MEMCPY_DEVICE_TO_DEVICE, stream) ==
           ACL_SUCCESS);
    EXPECT(aclmdlRICaptureEnd(stream, &graph) == ACL_SUCCESS);
    for (int round = 0; round < 2; round++) {
        EXPECT(aclrtMemset(bytes + 4, 4, 0, 4) == ACL_SUCCESS);
        EXPECT(aclmdlRIExecuteAsync(graph, stream) == ACL_SUCCESS);
        EXPECT(aclrtSynchronizeStream(stream) == ACL_SUCCESS);
        EXPECT(aclrtMemcpy(host, 4, bytes + 4, 4, ACL_MEMCPY_DEVICE_TO_HOST) == ACL_SUCCESS);
        EXPECT(host[0] == 5 && host[3] == 5);
    }
    EXPECT(aclmdlRIDestroy(graph) == ACL_SUCCESS);
    EXPECT(aclrtFree(device) == ACL_SUCCESS);
    EXPECT(aclrtDestroyStream(stream) == ACL_SUCCESS);
    return true;
}
} // namespace

int main()
{
    for (const auto &each : functions) {
        if (!each.address) return std::printf("%s is not there\n", each.name), 1;
    }
    static_assert(sizeof functions / sizeof *functions == 46, "the backend's functions");
    aclInit(nullptr);
    if (!GrowPool() || !Replay()) return 1;
    if (std::string(aclrtGetSocName()).find("Ascend") != 0) return 1;
    std::printf("%zu functions are right\n", sizeof functions / sizeof *functions);
    return 0;
}
