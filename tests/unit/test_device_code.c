/* SPDX-License-Identifier: Apache-2.0 */
/* What only a device with cores of its own has is refused, with a code and a text each. */
#include "tests/unit/refusal.h"

#include "acl/acl.h"
#include "acl/acl_mdl.h"
#include "experiment/runtime/runtime/kernel.h"

static char thing[64];

Test(device_code, binaries_are_refused)
{
    aclrtBinHandle binary = NULL;
    aclrtFuncHandle function = NULL;
    void *first, *second;
    expect_refused(aclrtBinaryLoadFromData(thing, sizeof thing, NULL, &binary),
                   ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "this device is a CPU");
    cr_expect_null(binary);
    expect_refused(aclrtBinaryLoadFromData(NULL, 1, NULL, &binary), ACL_ERROR_INVALID_PARAM,
                   "data is NULL");
    expect_refused(aclrtBinaryLoadFromData(thing, 1, NULL, NULL), ACL_ERROR_INVALID_PARAM,
                   "binHandle is NULL");
    expect_refused(aclrtBinaryGetFunction(thing, "name", &function),
                   ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "this device is a CPU");
    expect_refused(aclrtBinaryGetFunction(NULL, "name", &function), ACL_ERROR_INVALID_PARAM,
                   "binHandle is NULL");
    expect_refused(aclrtBinaryGetFunction(thing, NULL, &function), ACL_ERROR_INVALID_PARAM,
                   "kernelName is NULL");
    expect_refused(aclrtBinaryGetFunction(thing, "name", NULL), ACL_ERROR_INVALID_PARAM,
                   "funcHandle is NULL");
    expect_refused(aclrtGetFunctionAddr(thing, &first, &second), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                   "this device is a CPU");
    expect_refused(aclrtGetFunctionAddr(NULL, &first, &second), ACL_ERROR_INVALID_PARAM,
                   "funcHandle is NULL");
    expect_refused(aclrtGetFunctionAddr(thing, NULL, &second), ACL_ERROR_INVALID_PARAM,
                   "aicAddr is NULL");
    expect_refused(aclrtGetFunctionAddr(thing, &first, NULL), ACL_ERROR_INVALID_PARAM,
                   "aivAddr is NULL");
}

Test(device_code, the_older_layer_is_refused)
{
    const rtDevBinary_t binary = {.data = thing, .length = sizeof thing};
    void *handle;
    uint64_t address;
    uint32_t length;
    expect_refused(rtDevBinaryRegister(&binary, &handle), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                   "this device is a CPU");
    expect_refused(rtDevBinaryRegister(NULL, &handle), ACL_ERROR_INVALID_PARAM, "bin is NULL");
    expect_refused(rtDevBinaryRegister(&binary, NULL), ACL_ERROR_INVALID_PARAM, "hdl is NULL");
    expect_refused(rtFunctionRegister(thing, thing, "name", NULL, 0),
                   ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "this device is a CPU");
    expect_refused(rtFunctionRegister(NULL, thing, "name", NULL, 0), ACL_ERROR_INVALID_PARAM,
                   "binHandle is NULL");
    expect_refused(rtFunctionRegister(thing, NULL, "name", NULL, 0), ACL_ERROR_INVALID_PARAM,
                   "stubFunc is NULL");
    expect_refused(rtFunctionRegister(thing, thing, NULL, NULL, 0), ACL_ERROR_INVALID_PARAM,
                   "stubName is NULL");
    expect_refused(rtKernelLaunch(thing, 1, thing, sizeof thing, NULL, NULL),
                   ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "this device is a CPU");
    expect_refused(rtKernelLaunch(NULL, 1, thing, sizeof thing, NULL, NULL),
                   ACL_ERROR_INVALID_PARAM, "stubFunc is NULL");
    expect_refused(rtGetC2cCtrlAddr(&address, &length), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                   "one kind");
    expect_refused(rtGetC2cCtrlAddr(NULL, &length), ACL_ERROR_INVALID_PARAM, "addr is NULL");
    expect_refused(rtGetC2cCtrlAddr(&address, NULL), ACL_ERROR_INVALID_PARAM, "len is NULL");
}

Test(device_code, dumps_are_refused)
{
    expect_refused(aclmdlInitDump(), ACL_ERROR_API_NOT_SUPPORT, "not written to files");
    expect_refused(aclmdlSetDump("dump.json"), ACL_ERROR_API_NOT_SUPPORT, "dump.json");
    expect_refused(aclmdlSetDump(NULL), ACL_ERROR_INVALID_PARAM, "dumpCfgPath is NULL");
    expect_refused(aclmdlFinalizeDump(), ACL_ERROR_DUMP_NOT_RUN, "no dump");
}

Test(device_code, physical_memory_stays_in_its_process)
{
    uint64_t shared = 7;
    int32_t process = 1;
    aclrtDrvMemHandle handle = NULL;
    expect_refused(aclrtMemExportToShareableHandle(thing, ACL_MEM_HANDLE_TYPE_NONE, 0, &shared),
                   ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "one process to another");
    cr_expect_eq(shared, 7);
    expect_refused(aclrtMemExportToShareableHandle(NULL, ACL_MEM_HANDLE_TYPE_NONE, 0, &shared),
                   ACL_ERROR_INVALID_PARAM, "handle is NULL");
    expect_refused(aclrtMemExportToShareableHandle(thing, ACL_MEM_HANDLE_TYPE_NONE, 0, NULL),
                   ACL_ERROR_INVALID_PARAM, "shareableHandle is NULL");
    expect_refused(aclrtMemSetPidToShareableHandle(shared, &process, 1),
                   ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "one process to another");
    expect_refused(aclrtMemSetPidToShareableHandle(shared, NULL, 1), ACL_ERROR_INVALID_PARAM,
                   "pid is NULL");
    expect_refused(aclrtMemImportFromShareableHandle(shared, 0, &handle),
                   ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "one process to another");
    cr_expect_null(handle);
    expect_refused(aclrtMemImportFromShareableHandle(shared, 0, NULL), ACL_ERROR_INVALID_PARAM,
                   "handle is NULL");
}
