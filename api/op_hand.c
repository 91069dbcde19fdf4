/* SPDX-License-Identifier: Apache-2.0 */
#include "api/op_hand.h"

#include "aclnn_operators.h" /* made by CMake: every header of an operator */
#include "api/op_check.h"
#include "api/op_chip.h"
#include "runtime/support/base.h"

/* The call was sound, and its executor has been made. */
static aclnnStatus check_chip(enum op_number number, const char *op, const struct op_value *values,
                              int count, aclOpExecutor **executor)
{
    const aclnnStatus status = op_chip_check(number, op, values, count);
    if (status == ACLNN_SUCCESS) return status;
    aclDestroyAclOpExecutor(*executor);
    *executor = NULL;
    return status;
}

#define OPERATOR(name, family, core, types, rule, arguments)
#define OPERATOR_BY_HAND(operator, family, types, indices, note, arguments)                        \
    aclnnStatus operator##GetWorkspaceSize(OP_LIST(OP_PARAMETER_, arguments),                      \
                                           uint64_t *workspaceSize, aclOpExecutor **executor)      \
    {                                                                                              \
        const aclnnStatus status =                                                                 \
            OP_HAND(operator)(OP_LIST(OP_NAME_, arguments), workspaceSize, executor);              \
        if (status != ACLNN_SUCCESS || !op_chip_is_asked()) return status;                         \
        const struct op_value own[] = {OP_LIST(OP_VALUE_, arguments)};                             \
        return check_chip(OP_NUMBER_##operator, #operator, own, (int)RT_LENGTH(own), executor);    \
    }
#include "api/operators.def"
