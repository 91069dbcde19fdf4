/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a thread of the program has the stack that kernels take: they keep on it what fits the
 * caches. */
#ifndef ACLNN_CPU_RUNTIME_SUPPORT_STACK_H
#define ACLNN_CPU_RUNTIME_SUPPORT_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/support/thread.h"

enum { RT_TASK_STACK = 1 << 20 }; /* bytes that a task may take */

/* Looks up the calling thread's stack, once, and says what rt_stack_suffices says. Whoever gets a
 * context calls it, so that rt_stack_suffices makes no system call within a lock. */
bool rt_stack_look(void);

/* Whether as much is left below this call. Not on a stack that is not the thread's own, a
 * coroutine's or a signal's: nobody knows where that ends. */
static inline bool rt_stack_suffices(void)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return __builtin_expect(here - rt_self.stack_first < rt_self.stack_room, 1) || rt_stack_look();
}

#endif
