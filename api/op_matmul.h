/* SPDX-License-Identifier: Apache-2.0 */
/* What the family of matrix products computes. */
#ifndef ACLNN_CPU_API_OP_MATMUL_H
#define ACLNN_CPU_API_OP_MATMUL_H

#include "api/op_row.h"

/* Those from addmm on have an addend and factors alpha and beta. */
enum op_matmul {
    OP_MATMUL_mm,
    OP_MATMUL_matmul,
    OP_MATMUL_bmm,
    OP_MATMUL_mv,
    OP_MATMUL_dot,
    OP_MATMUL_addmm,
    OP_MATMUL_baddbmm,
    OP_MATMUL_addbmm,
    OP_MATMUL_addmv,
    OP_MATMUL_gemm,
};

static inline bool op_matmul_is_scaled(int core)
{
    return core >= OP_MATMUL_addmm;
}

/* What the arguments of an operator mean. Factors have a real and an imaginary part. */
struct op_matmul_call {
    const struct op_value *addend, *left, *right, *out;
    double alpha[2], beta[2];
    int8_t math;
    bool left_transposed, right_transposed;
};
struct op_matmul_call op_matmul_call_of(const struct op_problem *problem);

/* op_plan_matmul where problem->type is complex. */
op_row_plan op_plan_complex_matmul;

#endif
