/* SPDX-License-Identifier: Apache-2.0 */
/* Collective communication, of which there is none yet: a program links, and is told so when it
 * makes a communicator. Refusals leave a text for aclGetRecentErrMsg. */
#ifndef HCCL_H_
#define HCCL_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HCCL_FUNC_VISIBILITY __attribute__((visibility("default")))

typedef enum {
    HCCL_SUCCESS = 0,
    HCCL_E_PARA = 1,
    HCCL_E_PTR = 2,
    HCCL_E_NOT_SUPPORT = 5,
} HcclResult;

typedef void *HcclComm;

typedef enum {
    HCCL_DETERMINISTIC = 0,
} HcclConfig;

typedef union HcclConfigValue {
    int32_t value;
} HcclConfigValue;

#define HCCL_ROOT_INFO_BYTES 4108

typedef struct HcclRootInfoDef {
    char internal[HCCL_ROOT_INFO_BYTES];
} HcclRootInfo;

/* Where ranks meet. HCCL_E_NOT_SUPPORT; HCCL_E_PTR for NULL, as the next. */
HCCL_FUNC_VISIBILITY HcclResult HcclGetRootInfo(HcclRootInfo *rootInfo);

/* A communicator of nRanks. HCCL_E_NOT_SUPPORT. */
HCCL_FUNC_VISIBILITY HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo *rootInfo,
                                                     uint32_t rank, HcclComm *comm);

/* HCCL_DETERMINISTIC, for the process: 1 asks for the same bits in every run, 0 does not. Stored
 * and given back. HCCL_E_PARA for other options and values, HCCL_E_PTR for NULL. */
HCCL_FUNC_VISIBILITY HcclResult HcclSetConfig(HcclConfig config, HcclConfigValue configValue);
HCCL_FUNC_VISIBILITY HcclResult HcclGetConfig(HcclConfig config, HcclConfigValue *configValue);

#ifdef __cplusplus
}
#endif

#endif
