/* SPDX-License-Identifier: Apache-2.0 */
/* What phase 2 is given and runs with here, and would not run with on a device: kind `device` of
 * the checker. */
#ifndef ACLNN_CPU_EXECUTOR_DEVICE_RULES_H
#define ACLNN_CPU_EXECUTOR_DEVICE_RULES_H

#include <stdint.h>

#include "aclnn/acl_meta.h"

struct ex_plan;

void ex_tell_broken_rules(const struct ex_plan *plan, const void *workspace,
                          uint64_t workspace_size);

/* The handle names no executor any more. */
void ex_tell_no_executor(const char *operator_name, const aclOpExecutor *handle);

#endif
