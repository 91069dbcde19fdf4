/* SPDX-License-Identifier: Apache-2.0 */
/* What the rules of rows are made of: promotion of types, casts, broadcast shapes. */
#ifndef ACLNN_CPU_API_OP_RULE_H
#define ACLNN_CPU_API_OP_RULE_H

#include "api/op_check.h"
#include "api/op_row.h"

/* The type that two meet in, PyTorch's: of different kinds (bool, integer, floating, complex) the
 * higher one's, else the larger; FLOAT16 and BF16 meet in FLOAT, signed and unsigned integers in a
 * signed one that holds both. ACL_DT_UNDEFINED where there is none. */
aclDataType op_promote(aclDataType a, aclDataType b);
/* The same where b is a scalar: its type counts only if it is of a higher kind, and then as the
 * default type of that kind: FLOAT, INT64, COMPLEX64. */
aclDataType op_promote_scalar(aclDataType a, aclDataType scalar);
/* Whether values of one type may be stored as another: not of a higher kind as a lower one. */
bool op_can_cast(aclDataType from, aclDataType to);
bool op_is_floating(aclDataType type);
bool op_is_integer(aclDataType type); /* bool is none */

/* A scalar's value; of a complex one the real part. */
double op_scalar_real(const aclScalar *scalar);
double op_scalar_imaginary(const aclScalar *scalar); /* 0 of a real one */
int64_t op_scalar_integer(const aclScalar *scalar);  /* towards 0 */

/* ---- arguments of a problem ---- */

/* The value of the argument of that name, or of the first of its kind; NULL: there is none. */
const struct op_value *op_argument_named(const struct op_problem *problem, const char *name);
const struct op_value *op_argument_of_kind(const struct op_problem *problem, enum op_kind kind);
/* What it holds: a tensor, which may be NULL; a number, or `otherwise` where there is none. A
 * scalar is a real number too. */
const aclTensor *op_tensor_named(const struct op_problem *problem, const char *name);
int64_t op_integer_named(const struct op_problem *problem, const char *name, int64_t otherwise);
double op_real_named(const struct op_problem *problem, const char *name, double otherwise);
/* The i-th tensor that is written, or NULL. */
const struct op_value *op_written(const struct op_problem *problem, int i);

/* ---- checks of a problem ---- */

/* problem->type from the operands (tensors and scalars) that are computed with: each tensor's is
 * one of the row's. */
aclnnStatus op_find_type(struct op_problem *problem);
/* The coefficients' types can be cast to problem->type. problem->result is `type`, and each
 * result's type is one that it can be cast to. */
aclnnStatus op_check_results(struct op_problem *problem, aclDataType type);
/* The same, whatever the coefficients are. */
aclnnStatus op_check_written(struct op_problem *problem, aclDataType type);
/* problem->rank and sizes from the tensors that are read, which broadcast; */
aclnnStatus op_find_shape(struct op_problem *problem);
/* and those that are written have that shape. */
aclnnStatus op_check_broadcast(struct op_problem *problem);
/* The types of rules: all tensors have the first one's; operands promote, and results are of the
 * promoted type or one that it casts to; the same, and integers become FLOAT; operands promote, and
 * BOOL is made of them. */
aclnnStatus op_types_same(struct op_problem *problem);
aclnnStatus op_types_promoted(struct op_problem *problem);
aclnnStatus op_types_real(struct op_problem *problem);
aclnnStatus op_types_truth(struct op_problem *problem);
/* All tensors have the first one's shape. */
aclnnStatus op_check_one_shape(struct op_problem *problem);

#endif
