/* SPDX-License-Identifier: Apache-2.0 */
/* What a program may ask of a communicator, and settings of the process. */
#include <stdatomic.h>
#include <stdio.h>

#include "runtime/collective/communicator.h"

HcclResult HcclGetRankSize(HcclComm comm, uint32_t *rankSize)
{
    CO_CHECK(comm && rankSize, HCCL_E_PTR, "%s is NULL", comm ? "rankSize" : "comm");
    struct co_communicator *found = co_communicator_find(comm);
    CO_CHECK(found, HCCL_E_NOT_FOUND, "comm is no communicator, or has been destroyed");
    *rankSize = found->size;
    co_communicator_release(found);
    return HCCL_SUCCESS;
}

HcclResult HcclGetRankId(HcclComm comm, uint32_t *rank)
{
    CO_CHECK(comm && rank, HCCL_E_PTR, "%s is NULL", comm ? "rank" : "comm");
    struct co_communicator *found = co_communicator_find(comm);
    CO_CHECK(found, HCCL_E_NOT_FOUND, "comm is no communicator, or has been destroyed");
    *rank = found->rank;
    co_communicator_release(found);
    return HCCL_SUCCESS;
}

HcclResult HcclGetCommName(HcclComm comm, char *commName)
{
    CO_CHECK(comm && commName, HCCL_E_PTR, "%s is NULL", comm ? "commName" : "comm");
    struct co_communicator *found = co_communicator_find(comm);
    CO_CHECK(found, HCCL_E_NOT_FOUND, "comm is no communicator, or has been destroyed");
    snprintf(commName, COMM_NAME_MAX_LENGTH, "%s", found->name);
    co_communicator_release(found);
    return HCCL_SUCCESS;
}

HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult *asyncError)
{
    CO_CHECK(comm && asyncError, HCCL_E_PTR, "%s is NULL", comm ? "asyncError" : "comm");
    struct co_communicator *found = co_communicator_find(comm);
    CO_CHECK(found, HCCL_E_NOT_FOUND, "comm is no communicator, or has been destroyed");
    pthread_mutex_lock(&found->lock);
    *asyncError = found->fault.code;
    pthread_mutex_unlock(&found->lock);
    co_communicator_release(found);
    return HCCL_SUCCESS;
}

static _Atomic int32_t settings[HCCL_CONFIG_RESERVED];

HcclResult HcclSetConfig(HcclConfig config, HcclConfigValue configValue)
{
    CO_CHECK(config == HCCL_DETERMINISTIC, HCCL_E_PARA,
             "config is %d; it must be HCCL_DETERMINISTIC", (int)config);
    CO_CHECK(configValue.value == 0 || configValue.value == 1, HCCL_E_PARA,
             "configValue is %d; it must be 0 or 1", configValue.value);
    atomic_store(&settings[config], configValue.value);
    return HCCL_SUCCESS;
}

HcclResult HcclGetConfig(HcclConfig config, HcclConfigValue *configValue)
{
    CO_CHECK(configValue, HCCL_E_PTR, "configValue is NULL");
    CO_CHECK(config == HCCL_DETERMINISTIC, HCCL_E_PARA,
             "config is %d; it must be HCCL_DETERMINISTIC", (int)config);
    configValue->value = atomic_load(&settings[config]);
    return HCCL_SUCCESS;
}

uint32_t HcclGetCommConfigCapability(void)
{
    return HCCL_COMM_CONFIG_RESERVED;
}
