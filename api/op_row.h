/* SPDX-License-Identifier: Apache-2.0 */
/* Phase 1 of an operator that is a row of operators.def: null arguments in declared order, then
 * what its rule checks, in CANN's order (data type, format, rank, shape, memory), then the plan of
 * its family. */
#ifndef ACLNN_CPU_API_OP_ROW_H
#define ACLNN_CPU_API_OP_ROW_H

#include "api/op_args.h"
#include "api/op_numbers.h"
#include "executor/plan.h"

enum { OP_ROW_ARGUMENTS = 48 };

struct op_row;

/* What phase 1 knows of a call. The rule fills what is behind `empty`. */
struct op_problem {
    const struct op_row *row;
    const struct op_value *values; /* the arguments */
    int count;
    int tensor_count; /* the tensors that are given, those of lists apart */
    const struct op_value *tensor[OP_ROW_ARGUMENTS]; /* in the order of the arguments */
    bool empty;                                      /* some tensor has no element */
    aclDataType type;                                /* in which is computed */
    aclDataType result; /* of results, before they are cast to what they are stored as */
    int rank;           /* of the broadcast shape */
    int64_t sizes[EX_MAX_RANK];
    int64_t place; /* of the lists' tensors, where the operator is one on lists */
};

/* The rule that a row names: op_rule_<rule>, defined by its family or in op_rule.c. */
struct op_rule {
    /* Data types, then, after the formats have been checked, ranks and shapes. */
    aclnnStatus (*types)(struct op_problem *problem);
    aclnnStatus (*shapes)(struct op_problem *problem);
    bool runs_empty;    /* the plan has steps although a tensor is empty */
    bool takes_nz;      /* FRACTAL_NZ is taken as ND */
    unsigned selectors; /* operands (bit i: the i-th) that select and are not computed with */
    const struct op_rule *base; /* of an operator on lists: the rule of its tensors at one place */
    /* For the family's own use. */
    const void *more;
};

/* Adds the steps. The arguments are sound. buffers[i] is what the plan calls the tensor of argument
 * i (or the first one of its list), or -1. */
typedef void op_row_plan(struct ex_plan *plan, const struct op_problem *problem,
                         const int *buffers);

struct op_row {
    const char *name;
    enum op_number number;
    uint64_t types; /* of the tensors; a set of OP_TYPE */
    const char *type_names;
    const struct op_rule *rule;
    int core; /* what the family is to compute */
    op_row_plan *plan;
};

aclnnStatus op_row_phase1(const struct op_row *row, const struct op_value *values, int count,
                          uint64_t *workspace_size, aclOpExecutor **executor);

static inline bool op_is_tensor(const struct op_value *value)
{
    return value->kind <= OP_REF;
}

static inline bool op_is_list(const struct op_value *value)
{
    return value->kind >= OP_INS && value->kind <= OP_REFS;
}

/* A tensor that is read and written. */
static inline bool op_is_changed(const struct op_value *value)
{
    return value->kind == OP_REF || value->kind == OP_OPTIONAL_REF;
}

static inline bool op_is_read(const struct op_value *value)
{
    return value->kind == OP_IN || value->kind == OP_OPTIONAL || op_is_changed(value);
}

static inline bool op_is_written(const struct op_value *value)
{
    return value->kind == OP_OUT || value->kind == OP_OPTIONAL_OUT || op_is_changed(value);
}

static inline bool op_is_written_list(const struct op_value *value)
{
    return value->kind >= OP_OUTS && value->kind <= OP_REFS;
}

static inline bool op_is_scalar(const struct op_value *value)
{
    return value->kind >= OP_SCALAR && value->kind <= OP_COEFFICIENT;
}

#endif
