/* SPDX-License-Identifier: Apache-2.0 */
/* Phase 2 of every operator. The public headers are all here, so a row and a header that differ are
 * an error of the compiler. */
#include "aclnn_operators.h" /* made by CMake: every header of an operator */

#include "api/op_args.h"
#include "executor/launch.h"

/* Phase 1 once more, as the row has it. */
#define PHASE1(name, arguments)                                                                    \
    aclnnStatus name##GetWorkspaceSize(OP_LIST(OP_PARAMETER_, arguments), uint64_t *,              \
                                       aclOpExecutor **);

#define PHASE2(name)                                                                               \
    aclnnStatus name(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,             \
                     aclrtStream stream)                                                           \
    {                                                                                              \
        return ex_launch(#name, workspace, workspaceSize, executor, stream);                       \
    }

#define OPERATOR(name, family, core, types, rule, arguments) PHASE1(name, arguments) PHASE2(name)
#define OPERATOR_BY_HAND(name, family, types, indices, note, arguments)                            \
    PHASE1(name, arguments) PHASE2(name)
#include "api/operators.def"
