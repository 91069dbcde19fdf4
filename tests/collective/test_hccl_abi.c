/* SPDX-License-Identifier: Apache-2.0 */
/* Programs compiled against CANN's hccl headers and against ours must mean the same. Most of this
 * file fails, if it fails, in the compiler. */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stddef.h>

#include "hccl/hccl.h"

_Static_assert(sizeof(HcclRootInfo) == 4108, "a root info's size");
_Static_assert(sizeof(HcclCommConfig) == 300, "a configuration's size");
_Static_assert(offsetof(HcclCommConfig, hcclBufferSize) == 24, "its first member");
_Static_assert(offsetof(HcclCommConfig, hcclCommName) == 32, "its name");
_Static_assert(offsetof(HcclCommConfig, hcclUdi) == 160, "its UDI");
_Static_assert(offsetof(HcclCommConfig, hcclRdmaServiceLevel) == 296, "its last member");
_Static_assert(sizeof(HcclSendRecvItem) == 32, "an item's size");
_Static_assert(offsetof(HcclSendRecvItem, remoteRank) == 28, "its last member");
_Static_assert(sizeof(HcclConfigValue) == 4, "a setting's size");
_Static_assert(HCCL_E_SUSPENDING == 22 && HCCL_E_REMOTE == 21 && HCCL_E_TIMEOUT == 9, "codes");
_Static_assert(HCCL_DATA_TYPE_BFP16 == 11 && HCCL_DATA_TYPE_FP16 == 3, "types");
_Static_assert(HCCL_REDUCE_MIN == 3 && HCCL_COMM_CONFIG_RESERVED == 5, "values");

/* What PyTorch's backend looks up in libhccl.so. It finds NULL for those that are not here and does
 * without. */
static const char *const there[] = {
    "HcclGetRootInfo",
    "HcclCommInitRootInfo",
    "HcclCommInitRootInfoConfig",
    "HcclCommInitClusterInfoConfig",
    "HcclCommInitAll",
    "HcclCreateSubCommConfig",
    "HcclCommDestroy",
    "HcclGetCommName",
    "HcclGetCommAsyncError",
    "HcclGetCommConfigCapability",
    "HcclSetConfig",
    "HcclAllReduce",
    "HcclBroadcast",
    "HcclAllGather",
    "HcclReduceScatter",
    "HcclReduce",
    "HcclScatter",
    "HcclAlltoAll",
    "HcclAlltoAllV",
    "HcclAllGatherV",
    "HcclReduceScatterV",
    "HcclSend",
    "HcclRecv",
    "HcclBatchSendRecv",
    "HcclCommResume",
};
static const char *const absent[] = {
    "HcclCommSetMemoryRange",
    "HcclCommUnsetMemoryRange",
    "HcclCommActivateCommMemory",
    "HcclCommDeactivateCommMemory",
    "HcclCommWorkingDevNicSet",
    "HcclCommRegister",
    "HcclCommDeregister",
    "HcclCommExchangeMem",
    "HcclGroupStart",
    "HcclGroupEnd",
};

Test(hccl_abi, what_is_looked_up)
{
    void *library = dlopen(ACLNN_CPU_LIBRARY_DIR "/libhccl.so", RTLD_NOW);
    cr_assert_not_null(library, "%s", dlerror());
    for (size_t i = 0; i < sizeof(there) / sizeof(*there); i++)
        cr_expect_not_null(dlsym(library, there[i]), "%s", there[i]);
    for (size_t i = 0; i < sizeof(absent) / sizeof(*absent); i++)
        cr_expect_null(dlsym(library, absent[i]), "%s", absent[i]);
    dlclose(library);
}

Test(hccl_abi, functions_have_cann_prototypes)
{
    HcclResult (*reduce)(void *, void *, uint64_t, HcclDataType, HcclReduceOp, uint32_t, HcclComm,
                         aclrtStream) = HcclReduce;
    HcclResult (*all_to_all_v)(const void *, const void *, const void *, HcclDataType, const void *,
                               const void *, const void *, HcclDataType, HcclComm, aclrtStream) =
        HcclAlltoAllV;
    HcclResult (*sub)(HcclComm *, uint32_t, uint32_t *, uint64_t, uint32_t, HcclCommConfig *,
                      HcclComm *) = HcclCreateSubCommConfig;
    HcclResult (*init)(uint32_t, const HcclRootInfo *, uint32_t, const HcclCommConfig *,
                       HcclComm *) = HcclCommInitRootInfoConfig;
    HcclResult (*all)(uint32_t, int32_t *, HcclComm *) = HcclCommInitAll;
    HcclResult (*batch)(HcclSendRecvItem *, uint32_t, HcclComm, aclrtStream) = HcclBatchSendRecv;
    HcclResult (*set)(HcclConfig, HcclConfigValue) = HcclSetConfig;
    cr_expect(reduce && all_to_all_v && sub && init && all && batch && set);
}

Test(hccl_abi, configurations)
{
    HcclCommConfig config;
    HcclCommConfigInit(NULL);
    HcclCommConfigInit(&config);
    size_t size;
    uint32_t words[2];
    memcpy(&size, config.reserved, sizeof(size));
    memcpy(words, config.reserved + 8, sizeof(words));
    cr_expect_eq(size, sizeof(config));
    cr_expect_eq(words[0], 0xf0f0f0f0U);
    cr_expect_eq(words[1], 5);
    cr_expect_eq(config.hcclBufferSize, 0xffffffffU);
    cr_expect_eq(config.hcclCommName[0], 0);
}
