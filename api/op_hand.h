/* SPDX-License-Identifier: Apache-2.0 */
/* Phase 1 of the operators whose checks are their own (api/ops): OP_HAND(aclnnMaxPool) is what the
 * exported function calls. */
#ifndef ACLNN_CPU_API_OP_HAND_H
#define ACLNN_CPU_API_OP_HAND_H

#include "api/op_args.h"

#define OP_HAND(name) op_hand_##name

#define OPERATOR(name, family, core, types, rule, arguments)
#define OPERATOR_BY_HAND(name, family, types, indices, note, arguments)                            \
    aclnnStatus OP_HAND(name)(OP_LIST(OP_PARAMETER_, arguments), uint64_t * workspaceSize,         \
                              aclOpExecutor * *executor);
#include "api/operators.def"

#endif
