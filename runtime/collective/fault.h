/* SPDX-License-Identifier: Apache-2.0 */
/* What went wrong, first of all, in a call that takes many steps: a step that finds a fault there
 * does nothing, so a recipe needs no checks between its lines. */
#ifndef ACLNN_CPU_RUNTIME_COLLECTIVE_FAULT_H
#define ACLNN_CPU_RUNTIME_COLLECTIVE_FAULT_H

#include <stdbool.h>

#include "hccl/hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct co_fault {
    HcclResult code; /* HCCL_SUCCESS: nothing so far */
    char text[160];
};

/* Keeps the first. Returns false, for `return co_fail(...)`. */
bool co_fail(struct co_fault *fault, HcclResult code, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

static inline bool co_is_well(const struct co_fault *fault)
{
    return fault->code == HCCL_SUCCESS;
}

/* Leaves "who: text" for aclGetRecentErrMsg; returns the code. */
HcclResult co_report(HcclResult code, const char *who, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

/* In a public function: one check, one line. */
#define CO_CHECK(condition, code, ...)                                                             \
    do {                                                                                           \
        if (__builtin_expect(!(condition), 0)) return co_report((code), __func__, __VA_ARGS__);    \
    } while (0)

#ifdef __cplusplus
}
#endif

#endif
