/* SPDX-License-Identifier: Apache-2.0 */
/* The way from a root to a communicator, for root infos and rank tables alike. */
#ifndef ACLNN_CPU_RUNTIME_COLLECTIVE_START_H
#define ACLNN_CPU_RUNTIME_COLLECTIVE_START_H

#include "hccl/hccl.h"
#include "runtime/collective/communicator.h"

/* Joins and connects; *comm on success. Failures are reported in the name of who. */
HcclResult co_start(const char *who, const struct co_root *root, uint32_t size, uint32_t rank,
                    const HcclCommConfig *config, HcclComm *comm);

/* HCCL_E_PARA for a configuration that HcclCommConfigInit has not filled; NULL is fine. */
HcclResult co_check_config(const char *who, const HcclCommConfig *config);

#endif
