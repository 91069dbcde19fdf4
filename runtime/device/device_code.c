/* SPDX-License-Identifier: Apache-2.0 */
/* What only a device with cores of its own can do: run code that was compiled for them, and write
 * down the operands of compiled models. */
#include "runtime/support/error.h"

#include "acl/acl_mdl.h"
#include "acl/acl_rt.h"
#include "experiment/runtime/runtime/kernel.h"

#define REFUSE_CODE()                                                                              \
    RT_ERROR(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,                                                     \
             "the code is for a device's cores; this device is a CPU")

aclError aclrtBinaryLoadFromData(const void *data, size_t length,
                                 const aclrtBinaryLoadOptions *options, aclrtBinHandle *binHandle)
{
    (void)length;
    (void)options;
    RT_CHECK(data, ACL_ERROR_INVALID_PARAM, "data is NULL");
    RT_CHECK(binHandle, ACL_ERROR_INVALID_PARAM, "binHandle is NULL");
    return REFUSE_CODE();
}

aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle, const char *kernelName,
                                aclrtFuncHandle *funcHandle)
{
    RT_CHECK(binHandle, ACL_ERROR_INVALID_PARAM, "binHandle is NULL");
    RT_CHECK(kernelName, ACL_ERROR_INVALID_PARAM, "kernelName is NULL");
    RT_CHECK(funcHandle, ACL_ERROR_INVALID_PARAM, "funcHandle is NULL");
    return REFUSE_CODE();
}

aclError aclrtGetFunctionAddr(aclrtFuncHandle funcHandle, void **aicAddr, void **aivAddr)
{
    RT_CHECK(funcHandle, ACL_ERROR_INVALID_PARAM, "funcHandle is NULL");
    RT_CHECK(aicAddr, ACL_ERROR_INVALID_PARAM, "aicAddr is NULL");
    RT_CHECK(aivAddr, ACL_ERROR_INVALID_PARAM, "aivAddr is NULL");
    return REFUSE_CODE();
}

rtError_t rtDevBinaryRegister(const rtDevBinary_t *bin, void **hdl)
{
    RT_CHECK(bin, ACL_ERROR_INVALID_PARAM, "bin is NULL");
    RT_CHECK(hdl, ACL_ERROR_INVALID_PARAM, "hdl is NULL");
    return REFUSE_CODE();
}

rtError_t rtFunctionRegister(void *binHandle, const void *stubFunc, const char_t *stubName,
                             const void *kernelInfoExt, uint32_t funcMode)
{
    (void)kernelInfoExt;
    (void)funcMode;
    RT_CHECK(binHandle, ACL_ERROR_INVALID_PARAM, "binHandle is NULL");
    RT_CHECK(stubFunc, ACL_ERROR_INVALID_PARAM, "stubFunc is NULL");
    RT_CHECK(stubName, ACL_ERROR_INVALID_PARAM, "stubName is NULL");
    return REFUSE_CODE();
}

rtError_t rtKernelLaunch(const void *stubFunc, uint32_t blockDim, void *args, uint32_t argsSize,
                         rtSmDesc_t *smDesc, rtStream_t stm)
{
    (void)blockDim;
    (void)args;
    (void)argsSize;
    (void)smDesc;
    (void)stm;
    RT_CHECK(stubFunc, ACL_ERROR_INVALID_PARAM, "stubFunc is NULL");
    return REFUSE_CODE();
}

rtError_t rtGetC2cCtrlAddr(uint64_t *addr, uint32_t *len)
{
    RT_CHECK(addr, ACL_ERROR_INVALID_PARAM, "addr is NULL");
    RT_CHECK(len, ACL_ERROR_INVALID_PARAM, "len is NULL");
    return RT_ERROR(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "a CPU has cores of one kind only");
}

/* --- dumps ------------------------------------------------------------------------------------ */

aclError aclmdlInitDump(void)
{
    return RT_ERROR(ACL_ERROR_API_NOT_SUPPORT,
                    "operands are not written to files; ACLNN_CPU_LOG=calls prints each call");
}

aclError aclmdlSetDump(const char *dumpCfgPath)
{
    RT_CHECK(dumpCfgPath, ACL_ERROR_INVALID_PARAM, "dumpCfgPath is NULL");
    return RT_ERROR(ACL_ERROR_API_NOT_SUPPORT,
                    "operands are not written to files, so %s is not read", dumpCfgPath);
}

aclError aclmdlFinalizeDump(void)
{
    return RT_ERROR(ACL_ERROR_DUMP_NOT_RUN, "no dump has begun");
}
