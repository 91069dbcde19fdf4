/* SPDX-License-Identifier: Apache-2.0 */
/* What the operators of mixtures of experts share. */
#ifndef ACLNN_CPU_API_OP_MOE_H
#define ACLNN_CPU_API_OP_MOE_H

#include "api/op_shape.h"
#include "kernels/moe/k_moe.h"

/* The first of the arguments of these names that is there and not NULL; a name may be NULL. */
const struct op_value *op_moe_given(const struct op_problem *problem, const char *name,
                                    const char *other);

/* Of a required argument: INT32, or INT64 too. */
aclnnStatus op_moe_check_indices(const struct op_problem *problem, const char *name,
                                 bool may_be_wide);
/* FLOAT, FLOAT16 or BF16, where it is given. */
aclnnStatus op_moe_check_float(const struct op_problem *problem, const struct op_value *value);
/* paddedMode is false and no restoreShapeOptional given. */
aclnnStatus op_moe_check_padding(const struct op_problem *problem);
/* Any shape of so many elements. */
aclnnStatus op_moe_check_count(const struct op_problem *problem, const struct op_value *value,
                               int64_t count);
/* rows x columns, where it is given. */
aclnnStatus op_moe_check_matrix(const struct op_problem *problem, const struct op_value *value,
                                int64_t rows, int64_t columns);
/* Numbers of INT32 can name so many rows. */
aclnnStatus op_moe_check_numbers(const struct op_problem *problem, int64_t count);

/* rangeOptional or activeExpertRangeOptional; NULL: there is none, or it has no elements. */
const struct op_value *op_moe_range(const struct op_problem *problem);
/* Two numbers, the first not below 0 and below the second, which is not above `count`. */
aclnnStatus op_moe_check_range(const struct op_problem *problem, const struct op_value *range,
                               int64_t count);

int64_t op_moe_count(const struct op_value *value);
/* Its elements side by side; `otherwise` where it is NULL. */
int op_moe_source(const struct op_shape_call *call, const struct op_value *value, int otherwise);

/* What faults of k_moe_invert and of k_moe_sum mean. */
void op_moe_describe_invert(const void *parameters, void *const buffers[], int64_t position,
                            char *text, size_t size);
void op_moe_describe_sum(const void *parameters, void *const buffers[], int64_t position,
                         char *text, size_t size);

/* A step of k_moe_rows, unless there is nothing to copy. */
void op_moe_rows_step(const struct op_shape_call *call, int from, int numbers, int to,
                      const struct k_moe_rows *rows);
/* The same between arguments: row i of `to` is the row of `from` that the INT32 number i at
 * `numbers` names, of `rows` that lie side by side; zeros where there is none. */
void op_moe_copy_rows(const struct op_shape_call *call, const struct op_value *from,
                      const struct op_value *to, int64_t rows, int64_t count, int numbers);

/* Rows of tokens, as they are or as INT8. What is not there is NULL. */
struct op_moe_quant {
    const struct op_value *x, *scale, *offset, *to, *to_scale;
    int mode; /* -1: as they are, and scale beside them; 0: by a scale; 1: rows make their scales */
    int64_t slots, experts; /* experts: rows of scale, one for each group of slots; 0: one row */
    double factor, shift;   /* of mode 0 without scale */
};
/* Row i of `to` is of token number i in `sources`; zeros where there is none. groups: INT32, where
 * they end. */
void op_moe_place(const struct op_shape_call *call, const struct op_moe_quant *quant, int sources,
                  int groups);

#endif
