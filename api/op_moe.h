/* SPDX-License-Identifier: Apache-2.0 */
/* What the operators of mixtures of experts share. */
#ifndef ACLNN_CPU_API_OP_MOE_H
#define ACLNN_CPU_API_OP_MOE_H

#include "api/op_shape.h"

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
/* Numbers of INT32 can name so many rows. */
aclnnStatus op_moe_check_numbers(const struct op_problem *problem, int64_t count);

int64_t op_moe_count(const struct op_value *value);
/* Its elements side by side; `otherwise` where it is NULL. */
int op_moe_source(const struct op_shape_call *call, const struct op_value *value, int otherwise);

#endif
