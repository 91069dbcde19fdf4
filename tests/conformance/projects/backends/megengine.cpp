/* SPDX-License-Identifier: Apache-2.0 */
/* Every function that MegEngine's backend takes from the runtime and the descriptors: a table that
 * does not link when one is missing. One of its operators runs by name through the older interface,
 * which is refused with a text. Prints "right" when all is as that backend relies on. */
#include "acl/acl.h"
#include "acl/acl_op_compiler.h"
#include "aclnn/aclnn_base.h"

#include <cstdio>
#include <cstring>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* aclrtQueryEvent */

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
    FUNCTION(aclrtSetDevice),
    FUNCTION(aclrtResetDevice),
    FUNCTION(aclrtGetDevice),
    FUNCTION(aclrtGetDeviceCount),
    FUNCTION(aclrtGetMemInfo),
    FUNCTION(aclrtDeviceCanAccessPeer),
    FUNCTION(aclrtDeviceEnablePeerAccess),
    FUNCTION(aclrtCreateStream),
    FUNCTION(aclrtDestroyStream),
    FUNCTION(aclrtSynchronizeStream),
    FUNCTION(aclrtSynchronizeDevice),
    FUNCTION(aclrtStreamWaitEvent),
    FUNCTION(aclrtCreateEvent),
    FUNCTION(aclrtCreateEventWithFlag),
    FUNCTION(aclrtDestroyEvent),
    FUNCTION(aclrtRecordEvent),
    FUNCTION(aclrtResetEvent),
    FUNCTION(aclrtQueryEvent),
    FUNCTION(aclrtSynchronizeEvent),
    FUNCTION(aclrtEventElapsedTime),
    FUNCTION(aclrtMalloc),
    FUNCTION(aclrtFree),
    FUNCTION(aclrtMallocHost),
    FUNCTION(aclrtFreeHost),
    FUNCTION(aclrtMemcpy),
    FUNCTION(aclrtMemcpyAsync),
    FUNCTION(aclrtMemset),
    FUNCTION(aclrtMemsetAsync),
    FUNCTION(aclCreateTensor),
    FUNCTION(aclDestroyTensor),
    FUNCTION(aclCreateScalar),
    FUNCTION(aclDestroyScalar),
    FUNCTION(aclCreateIntArray),
    FUNCTION(aclDestroyIntArray),
    FUNCTION(aclCreateFloatArray),
    FUNCTION(aclDestroyFloatArray),
    FUNCTION(aclCreateBoolArray),
    FUNCTION(aclDestroyBoolArray),
    FUNCTION(aclCreateTensorList),
    FUNCTION(aclDestroyTensorList),
    FUNCTION(aclCreateScalarList),
    FUNCTION(aclDestroyScalarList),
    FUNCTION(aclCreateTensorDesc),
    FUNCTION(aclDestroyTensorDesc),
    FUNCTION(aclCreateDataBuffer),
    FUNCTION(aclDestroyDataBuffer),
    FUNCTION(aclGetViewShape),
    FUNCTION(aclGetViewStrides),
    FUNCTION(aclGetViewOffset),
    FUNCTION(aclGetStorageShape),
    FUNCTION(aclGetDataType),
    FUNCTION(aclGetFormat),
    FUNCTION(aclopCreateAttr),
    FUNCTION(aclopDestroyAttr),
    FUNCTION(aclopSetAttrBool),
    FUNCTION(aclopSetAttrInt),
    FUNCTION(aclopSetAttrFloat),
    FUNCTION(aclopSetAttrString),
    FUNCTION(aclopCompileAndExecute),
};

bool RunByName()
{
    const int64_t shape[] = {2, 3};
    aclTensorDesc *desc = aclCreateTensorDesc(ACL_FLOAT, 2, shape, ACL_FORMAT_ND);
    aclDataBuffer *data = aclCreateDataBuffer(nullptr, 0);
    aclopAttr *attr = aclopCreateAttr();
    bool kept = aclopSetAttrBool(attr, "flag", 1) == ACL_SUCCESS &&
                aclopSetAttrInt(attr, "axis", -1) == ACL_SUCCESS &&
                aclopSetAttrFloat(attr, "eps", 0.5f) == ACL_SUCCESS &&
                aclopSetAttrString(attr, "mode", "floor") == ACL_SUCCESS;
    const aclTensorDesc *descs[] = {desc};
    const aclDataBuffer *inputs[] = {data};
    aclDataBuffer *outputs[] = {data};
    aclError status = aclopCompileAndExecute("Mod", 1, descs, inputs, 1, descs, outputs, attr,
                                             ACL_ENGINE_SYS, ACL_COMPILE_SYS, nullptr, nullptr);
    const char *text = aclGetRecentErrMsg();
    bool told = text && std::strstr(text, "Mod(FLOAT[2,3]) -> (FLOAT[2,3]) {flag=true, axis=-1, "
                                          "eps=0.5, mode=\"floor\"}");
    if (!told) std::printf("the text is: %s\n", text ? text : "none");
    aclopDestroyAttr(attr);
    aclDestroyDataBuffer(data);
    aclDestroyTensorDesc(desc);
    return kept && told && status == ACL_ERROR_API_NOT_SUPPORT;
}
} // namespace

int main()
{
    for (const auto &each : functions) {
        if (!each.address) return std::printf("%s is not there\n", each.name), 1;
    }
    static_assert(sizeof functions / sizeof *functions == 61, "the backend's functions");
    aclInit(nullptr);
    int32_t device = 0;
    if (aclrtGetDevice(&device) != ACL_ERROR_RT_CONTEXT_NULL) return 1; /* it branches on this */
    if (!RunByName()) return 1;
    std::printf("%zu functions are right\n", sizeof functions / sizeof *functions);
    return 0;
}
