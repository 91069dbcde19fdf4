/* SPDX-License-Identifier: Apache-2.0 */
/* Phase 1 of an operator that is a row of operators.def: the checks that its rule asks for, in
 * CANN's order (null, data type, format, rank, shape, memory), then the plan of its family. */
#ifndef ACLNN_CPU_API_OP_ROW_H
#define ACLNN_CPU_API_OP_ROW_H

#include "api/op_args.h"
#include "executor/plan.h"
#include "kernels/elementwise/k_elementwise.h"

enum op_rule {
    OP_RULE_SAME, /* all tensors have the first one's data type and shape */
};

struct op_row;

/* Adds the steps. The arguments are sound, and no tensor is empty. buffers[i] is what the plan
 * calls the tensor of argument i, or -1. */
typedef void op_row_plan(struct ex_plan *plan, const struct op_row *row,
                         const struct op_value *values, const int *buffers);

enum { OP_ROW_ARGUMENTS = 40 };

struct op_row {
    const char *name;
    uint64_t types; /* of the tensors; a set of OP_TYPE */
    const char *type_names;
    enum op_rule rule;
    int core; /* what the family is to compute */
    op_row_plan *plan;
};

aclnnStatus op_row_phase1(const struct op_row *row, const struct op_value *values, int count,
                          uint64_t *workspace_size, aclOpExecutor **executor);

/* The families' plans, and the numbers of their cores. */
op_row_plan op_plan_elementwise;
#define OP_CORE_elementwise(core) K_UNARY_##core

#endif
