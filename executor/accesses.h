/* SPDX-License-Identifier: Apache-2.0 */
/* What a launch reads and writes, told to the checker before it is queued. */
#ifndef ACLNN_CPU_EXECUTOR_ACCESSES_H
#define ACLNN_CPU_EXECUTOR_ACCESSES_H

struct ex_plan;
struct rt_stream;

/* addresses: the operands' as phase 2 has found them. */
void ex_tell_accesses(const struct ex_plan *plan, void *const *addresses, const void *workspace,
                      struct rt_stream *stream);

#endif
