/* SPDX-License-Identifier: Apache-2.0 */
/* What the operators whose results are small integers share. */
#ifndef ACLNN_CPU_API_OP_QUANTIZE_H
#define ACLNN_CPU_API_OP_QUANTIZE_H

#include "api/op_shape.h"

/* The result holds numbers of that shape: INT8 any how; INT4 dense, from a whole byte on; INT32,
 * eight INT4 in each, of an eighth of the last dimension. `op_small_types` names the types. */
#define OP_SMALL_TYPES (OP_TYPE(ACL_INT8) | OP_TYPE(ACL_INT4) | OP_TYPE(ACL_INT32))
extern const char op_small_types[];
aclnnStatus op_check_small(const struct op_problem *problem, const struct op_value *value, int rank,
                           const int64_t *sizes);

/* The argument of that name where it is a tensor, else NULL. */
const struct op_value *op_given(const struct op_problem *problem, const char *name);

#endif
