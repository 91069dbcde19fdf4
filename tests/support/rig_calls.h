/* SPDX-License-Identifier: Apache-2.0 */
/* Each row of api/operators.def as the rig needs it: its arguments and its two phases.
 * RIG_CALL(aclnnAbs) sets these members of a struct rig_operator. */
#ifndef ACLNN_CPU_TESTS_RIG_CALLS_H
#define ACLNN_CPU_TESTS_RIG_CALLS_H

#include "aclnn_operators.h"
#include "tests/support/rig.h"

#define RIG_CALL(operator) RIG_CALL_NAMED(operator, operator##_names.tensor)
/* Where texts spell a tensor's name otherwise. */
#define RIG_CALL_NAMED(operator, tensors)                                                          \
    .name = #operator, .tensor =(tensors), .array = operator##_names.array,                        \
    .number = operator##_names.number, .names = &operator##_names, .phase1 = operator##_phase1,    \
    .phase2 = operator

#define RIG_DECLARE(operator)                                                                      \
    extern struct rig_names operator##_names;                                                      \
    aclnnStatus operator##_phase1(struct rig_call *call);
#define OPERATOR(name, family, core, types, rule, arguments)            RIG_DECLARE(name)
#define OPERATOR_BY_HAND(name, family, types, indices, note, arguments) RIG_DECLARE(name)
#include "api/operators.def"

#endif
