/* SPDX-License-Identifier: Apache-2.0 */
/* What operators share that write at places which indices name. */
#ifndef ACLNN_CPU_API_OP_SCATTER_H
#define ACLNN_CPU_API_OP_SCATTER_H

#include "api/op_index.h"
#include "kernels/elementwise/k_elementwise.h"

/* The tensor that is written, with what it holds before, and the values that it gets. Half types
 * that are combined are computed in FLOAT: both are then scratch. */
struct op_table {
    struct op_place place, values;
    int target; /* the argument that is written */
};

/* combine: with what; values: an argument, a tensor or a scalar (all of whose strides are 0), or
 * -1: there is none. is_zero: the table begins as 0, else it has what `before` holds, an argument,
 * which may be the one that is written. is_dense: its elements lie side by side. Operands that are
 * read must have been asked for by op_source before. */
struct op_table_request {
    enum k_combine combine;
    int values, before;
    bool is_zero, is_dense;
};
struct op_table op_table_of(const struct op_shape_call *call,
                            const struct op_table_request *request);
/* The result goes where it belongs. */
void op_table_deliver(const struct op_shape_call *call, const struct op_table *table);

/* The argument that is written. */
int op_written_argument(const struct op_problem *problem);
/* A step: result = core(a, b), or of a and a number where b is NULL. All of one shape. */
void op_combine_places(struct ex_plan *plan, enum k_core core, const struct op_place *result,
                       const struct op_place *a, const struct op_place *b, const aclScalar *number);

#endif
