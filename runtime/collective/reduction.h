/* SPDX-License-Identifier: Apache-2.0 */
/* out[i] = a[i] op b[i]. */
#ifndef ACLNN_CPU_RUNTIME_COLLECTIVE_REDUCTION_H
#define ACLNN_CPU_RUNTIME_COLLECTIVE_REDUCTION_H

#include <stddef.h>

#include "hccl/hccl_types.h"

/* Bytes of an element; 0 for what is no type of ours. */
size_t co_type_size(HcclDataType type);

/* out may be a or b. Integers wrap; FP16 and BFP16 are computed in FP32 and rounded to nearest
 * even; a NaN wins in max and min, and of two zeros a. */
void co_reduce(HcclDataType type, HcclReduceOp op, void *out, const void *a, const void *b,
               size_t count);

#endif
