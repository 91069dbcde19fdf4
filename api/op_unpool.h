/* SPDX-License-Identifier: Apache-2.0 */
/* What unpooling and adaptive maximum pooling share: checks of their shapes, planes joined by
 * indices. Tensors are (planes..., spatial axes), with a batch axis or without. */
#ifndef ACLNN_CPU_API_OP_UNPOOL_H
#define ACLNN_CPU_API_OP_UNPOOL_H

#include "api/op_check.h"
#include "executor/plan.h"
#include "kernels/pool/k_plane.h"

/* INT32 or INT64, else 161002. */
aclnnStatus op_check_index_type(const char *op, const char *argument, const aclTensor *tensor);

/* Sizes behind the first dimension are greater than 0, the first is not negative, else 161002. */
aclnnStatus op_check_filled(const char *op, const char *argument, const aclTensor *tensor);

/* The dimensions in front of the last `axes` are those of other, which has as many; else 161002. */
aclnnStatus op_check_same_leading(const char *op, const char *argument, const aclTensor *tensor,
                                  const char *other_argument, const aclTensor *other, int axes);

/* So many entries, else 161002. */
aclnnStatus op_check_length(const char *op, const char *argument, const aclIntArray *array,
                            int length);

/* Entry i of an array of sizes or strides is greater than 0, else 161002. */
aclnnStatus op_check_entry_positive(const char *op, const char *argument, const aclIntArray *array,
                                    int i);

/* The arrays of the 3-D operators: lengths of outputSize, stride and padding, then per axis stride
 * and outputSize greater than 0. padding may have any values: nothing depends on it. */
aclnnStatus op_check_unpool_arrays(const char *op, const aclIntArray *outputSize,
                                   const aclIntArray *stride, const aclIntArray *padding, int axes);

/* Elements of a plane of outputSize, an array of `axes` entries that are greater than 0, are not
 * less than those of a plane of the smaller tensor. */
aclnnStatus op_check_holds(const char *op, const aclIntArray *outputSize, const char *argument,
                           const aclTensor *tensor, int axes);

/* The last dimensions are those that outputSize lists, else 161002. */
aclnnStatus op_check_spatial(const char *op, const char *argument, const aclTensor *tensor,
                             const aclIntArray *outputSize);

/* Planes of the smaller and the larger tensor of one type, and of the indices; the caller sets
 * stream_output. The planes are counted by the tensor that gets the result. */
struct k_plane op_plane(const aclTensor *small, const aclTensor *large, const aclTensor *indices,
                        const aclTensor *result, int axes);

/* The fault of an index outside of its plane, for a step with struct k_plane and its buffers. */
ex_describe_fault op_describe_plane_fault;

#endif
