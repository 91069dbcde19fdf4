/* SPDX-License-Identifier: Apache-2.0 */
/* What operators on random numbers share: seeds, and the step that draws. */
#ifndef ACLNN_CPU_API_OP_RANDOM_H
#define ACLNN_CPU_API_OP_RANDOM_H

#include "api/op_shape.h"
#include "kernels/random/k_random.h"

/* seedTensor and offsetTensor, where the call has them: INT64 or UINT64, one element. */
aclnnStatus op_check_seed_types(const struct op_problem *problem);
aclnnStatus op_check_seed_shapes(const struct op_problem *problem);

/* A step that fills buffer `to`, with the call's seed and offset. a, b: buffers of dense tensors,
 * or -1. */
void op_random_step(const struct op_shape_call *call, struct k_random *random, int to, int a,
                    int b);

#endif
