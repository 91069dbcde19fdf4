/* SPDX-License-Identifier: Apache-2.0 */
/* The documents are those of CANN 9.0: "two-phase API", and each function's own. */
#include "executor/device_rules.h"

#include <inttypes.h>
#include <stdio.h>

#include "executor/executor.h"
#include "runtime/support/checked.h"

enum { ALIGNMENT = 32, TEXT = 256 };

static void tell_workspace(const struct ex_plan *plan, const void *workspace, uint64_t size)
{
    char text[TEXT];
    if (size < plan->workspace_size)
        snprintf(text, sizeof text,
                 "workspaceSize is %" PRIu64 ", and phase 1 has asked for %zu (CANN's document of "
                 "the two phases)",
                 size, plan->workspace_size);
    else if (size > 0 && workspace && rt_check_hooks.is_known(workspace, 1) &&
             !rt_check_hooks.is_known(workspace, size))
        snprintf(text, sizeof text,
                 "workspaceSize is %" PRIu64 ", and the memory at %p is smaller; %zu bytes are "
                 "used here, a device may use all (CANN's document of the two phases)",
                 size, workspace, plan->workspace_size);
    else
        return;
    rt_check_hooks.told("workspace", plan->operator_name, text, NULL);
}

static void tell_operand(const struct ex_plan *plan, const struct ex_operand *operand)
{
    char text[TEXT];
    struct ex_descriptor *tensor = operand->tensor;
    const char *role = plan->arguments[operand->argument].is_output ? "output" : "input";
    const void *address = atomic_load_explicit(&tensor->address, memory_order_acquire);
    if (atomic_load_explicit(&tensor->is_destroyed, memory_order_relaxed)) {
        snprintf(text, sizeof text,
                 "the tensor of its %s %d was destroyed between phase 1 and phase 2; on a device "
                 "phase 2 uses it",
                 role, operand->argument);
        rt_check_hooks.told("tensor", plan->operator_name, text, tensor);
    }
    if (operand->is_used && (uintptr_t)address % ALIGNMENT != 0) {
        snprintf(text, sizeof text,
                 "the address of the tensor of its %s %d is %p; it must be a multiple of %d bytes "
                 "(CANN's document of aclCreateTensor)",
                 role, operand->argument, address, ALIGNMENT);
        rt_check_hooks.told("alignment", plan->operator_name, text, NULL);
    }
}

void ex_tell_broken_rules(const struct ex_plan *plan, const void *workspace,
                          uint64_t workspace_size)
{
    if ((rt_check_flags & RT_CHECK_DEVICE) == 0) return;
    tell_workspace(plan, workspace, workspace_size);
    for (int i = 0; i < plan->operand_count; i++)
        if (plan->operands[i].tensor) tell_operand(plan, &plan->operands[i]);
}

void ex_tell_no_executor(const char *operator_name, const aclOpExecutor *handle)
{
    if ((rt_check_flags & RT_CHECK_DEVICE) == 0) return;
    rt_check_hooks.told("executor", operator_name,
                        "its executor has ended: phase 2 may be called once, unless "
                        "aclSetAclOpExecutorRepeatable has said otherwise (CANN's document of the "
                        "two phases)",
                        handle);
}
