/* SPDX-License-Identifier: Apache-2.0 */
/* Operands of operators on images: dense ones of FLOAT or DOUBLE, in which half types are computed.
 */
#ifndef ACLNN_CPU_API_OP_SAMPLE_H
#define ACLNN_CPU_API_OP_SAMPLE_H

#include "api/op_shape.h"

/* The buffer of an argument, or of scratch that has its elements. */
int op_image_source(const struct op_shape_call *call, const char *name);
/* Where a result is made, itself or scratch, which op_image_deliver brings to its place. */
struct op_place op_image_target(const struct op_shape_call *call, const char *name);
void op_image_deliver(const struct op_shape_call *call, const struct op_place *made,
                      const char *name);

#endif
