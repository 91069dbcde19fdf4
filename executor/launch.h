/* SPDX-License-Identifier: Apache-2.0 */
/* Phase 2. */
#ifndef ACLNN_CPU_EXECUTOR_LAUNCH_H
#define ACLNN_CPU_EXECUTOR_LAUNCH_H

#include "aclnn/acl_meta.h"

/* What every operator's second function does. Reads the operands' addresses as they stand now,
 * queues the plan on the stream (NULL: the current context's default stream) and returns. A
 * single-use executor is consumed, also on failure.
 * Refuses: executor NULL, a workspace NULL although workspace_size > 0, an operand without an
 * address (161001); a handle that names no executor, a workspace smaller than phase 1 reported or
 * not aligned to 32 bytes (161002); no context or a foreign stream, no memory for the queue
 * (361001). */
aclnnStatus ex_launch(const char *operator_name, void *workspace, uint64_t workspace_size,
                      aclOpExecutor *handle, aclrtStream stream);

#endif
