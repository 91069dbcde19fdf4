/* SPDX-License-Identifier: Apache-2.0 */
/* The service of the process that made a root info: ranks join there, exchange small items through
 * it while communicators are made, and hear from it when one of them is gone. It has a thread of
 * its own, which ends when all ranks have left, or when none has come in time. */
#ifndef ACLNN_CPU_RUNTIME_COLLECTIVE_ROOT_SERVICE_H
#define ACLNN_CPU_RUNTIME_COLLECTIVE_ROOT_SERVICE_H

#include <stdint.h>

#include "runtime/collective/fault.h"
#include "runtime/collective/network.h"

/* What ranks must know to join. */
struct co_root {
    union co_address address;
    uint8_t token[32];
    uint64_t process; /* of the root: co_process */
};

/* This process among all. */
uint64_t co_process(void);

/* Listens at root->address, filling in its port when that is 0, and serves whoever shows the token.
 * timeout_ms: how long ranks may take, from the first one; and the first, from now. */
bool co_root_serve(struct co_root *root, int64_t timeout_ms, struct co_fault *fault);

/* From CO_EXCHANGE's payload: this, members, then an item for each of them. */
struct co_exchange_head {
    uint32_t count, item;
};

enum { CO_RANKS_MAX = 4096, CO_PAYLOAD_MAX = 16 << 20 };

#endif
