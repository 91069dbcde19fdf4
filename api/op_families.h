/* SPDX-License-Identifier: Apache-2.0 */
/* The families whose operators are rows: each has op_plan_<family>, and OP_CORE_<family>(core), the
 * number of what it is to compute. */
#ifndef ACLNN_CPU_API_OP_FAMILIES_H
#define ACLNN_CPU_API_OP_FAMILIES_H

#include "api/op_matmul.h"
#include "api/op_norm.h"
#include "api/op_reduce.h"
#include "api/op_row.h"
#include "kernels/elementwise/k_elementwise.h"

op_row_plan op_plan_elementwise;
#define OP_CORE_elementwise(core) K_CORE_##core

/* Elementwise, and complex numbers. */
op_row_plan op_plan_fill;
#define OP_CORE_fill(core) K_CORE_##core

op_row_plan op_plan_equal;
#define OP_CORE_equal(core) 0

op_row_plan op_plan_foreach;
#define OP_CORE_foreach(core) K_CORE_##core

op_row_plan op_plan_each_reduce;
#define OP_CORE_each_reduce(core) OP_REDUCE_##core

op_row_plan op_plan_index;
#define OP_CORE_index(core) 0

op_row_plan op_plan_matmul;
#define OP_CORE_matmul(core) OP_MATMUL_##core

op_row_plan op_plan_reduce;
#define OP_CORE_reduce(core) OP_REDUCE_##core

op_row_plan op_plan_norm;
#define OP_CORE_norm(core) OP_NORM_##core

op_row_plan op_plan_map;
#define OP_CORE_map(core) K_CORE_##core

op_row_plan op_plan_copy;
#define OP_CORE_copy(core) 0

op_row_plan op_plan_shape;
#define OP_CORE_shape(core) 0

#endif
