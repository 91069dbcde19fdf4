/* SPDX-License-Identifier: Apache-2.0 */
/* A number for each row of operators.def, in its order: OP_NUMBER_aclnnAbs. */
#ifndef ACLNN_CPU_API_OP_NUMBERS_H
#define ACLNN_CPU_API_OP_NUMBERS_H

enum op_number {
#define OPERATOR(name, family, core, types, rule, arguments)            OP_NUMBER_##name,
#define OPERATOR_BY_HAND(name, family, types, indices, note, arguments) OP_NUMBER_##name,
#include "api/operators.def"
    OP_NUMBERS
};

#endif
