/* SPDX-License-Identifier: Apache-2.0 */
/* What operators share that write at places which indices name. */
#ifndef ACLNN_CPU_API_OP_SCATTER_H
#define ACLNN_CPU_API_OP_SCATTER_H

#include "api/op_index.h"

/* The tensor that is written, with what it holds before, and the values that it gets. Half types
 * that are combined are computed in FLOAT: both are then scratch. */
struct op_table {
    struct op_place place, values;
    int target; /* the argument that is written */
};

/* The one argument that is written has what `self` holds, if there is such an argument beside it.
 * values: an argument, a tensor or a scalar (all of whose strides are 0), or -1: there is none.
 * The operands that are read must have been asked for by op_source before. */
struct op_table op_table_of(const struct op_shape_call *call, enum k_combine combine, int values);
/* The result goes where it belongs. */
void op_table_deliver(const struct op_shape_call *call, const struct op_table *table);

#endif
