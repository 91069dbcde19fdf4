/* SPDX-License-Identifier: Apache-2.0 */
/* What programs that may communicate call although they do not. */
#include <stdatomic.h>

#include "runtime/support/error.h"

#include "hccl/hccl.h"

static _Atomic int32_t deterministic;

static HcclResult refuse(const char *who)
{
    return (HcclResult)rt_error_report(HCCL_E_NOT_SUPPORT, who,
                                       "there is no collective communication here");
}

HcclResult HcclGetRootInfo(HcclRootInfo *rootInfo)
{
    if (!rootInfo) return (HcclResult)RT_ERROR(HCCL_E_PTR, "rootInfo is NULL");
    return refuse(__func__);
}

HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo *rootInfo, uint32_t rank,
                                HcclComm *comm)
{
    (void)nRanks;
    (void)rank;
    if (!rootInfo) return (HcclResult)RT_ERROR(HCCL_E_PTR, "rootInfo is NULL");
    if (!comm) return (HcclResult)RT_ERROR(HCCL_E_PTR, "comm is NULL");
    return refuse(__func__);
}

HcclResult HcclSetConfig(HcclConfig config, HcclConfigValue configValue)
{
    if (config != HCCL_DETERMINISTIC)
        return (HcclResult)RT_ERROR(HCCL_E_PARA, "config is %d; it must be HCCL_DETERMINISTIC",
                                    (int)config);
    if (configValue.value != 0 && configValue.value != 1)
        return (HcclResult)RT_ERROR(HCCL_E_PARA, "configValue is %d; it must be 0 or 1",
                                    (int)configValue.value);
    atomic_store_explicit(&deterministic, configValue.value, memory_order_relaxed);
    return HCCL_SUCCESS;
}

HcclResult HcclGetConfig(HcclConfig config, HcclConfigValue *configValue)
{
    if (config != HCCL_DETERMINISTIC)
        return (HcclResult)RT_ERROR(HCCL_E_PARA, "config is %d; it must be HCCL_DETERMINISTIC",
                                    (int)config);
    if (!configValue) return (HcclResult)RT_ERROR(HCCL_E_PTR, "configValue is NULL");
    configValue->value = atomic_load_explicit(&deterministic, memory_order_relaxed);
    return HCCL_SUCCESS;
}
