/* SPDX-License-Identifier: Apache-2.0 */
/* What the convolution operators share: windows, shapes, and the recipes of the gradients and of
 * the forward pass. A convolution joins a large side X and a small side G (one element per window)
 * through a weight (G's channels, X's channels / groups, kernel...); a transposed one reads G and
 * writes X. */
#ifndef ACLNN_CPU_API_OP_CONV_H
#define ACLNN_CPU_API_OP_CONV_H

#include "api/op_args.h"
#include "api/op_check.h"
#include "executor/plan.h"
#include "kernels/conv/k_conv.h"

struct op_conv {
    const char *name; /* of the operator */
    int axes;         /* spatial axes: the last ones of the arrays below; others are 0, 1 or 1 */
    int64_t pad_begin[K_CONV_AXES], pad_end[K_CONV_AXES];
    int64_t stride[K_CONV_AXES], dilation[K_CONV_AXES];
    int64_t output_padding[K_CONV_AXES]; /* of a transposed forward pass */
    int64_t groups;
    bool transposed;
    bool is_tbc; /* activations are (T, B, C), weights (K, C of the large side, C of the small) */
    int8_t cube_math_type;
    const struct op_value *values; /* the arguments, for the line of ACLNN_CPU_LOG=calls */
    int value_count;
};

/* All entries are at least `least` and at most INT32_MAX, so that kernels can multiply any two of
 * them; else 161002. */
aclnnStatus op_conv_check_values(const char *op, const char *argument, const aclIntArray *array,
                                 int64_t min);
/* One entry per axis, or `other` of them (0: not allowed), else 161002. */
aclnnStatus op_conv_check_length(const char *op, const char *argument, const aclIntArray *array,
                                 int axes, int other);
/* NCL or (where accepted) ND for 3 dimensions, NCHW for 4, NCDHW for 5, by the storage format. */
aclnnStatus op_conv_check_format(const char *op, const char *argument, const aclTensor *tensor,
                                 bool accept_nd);

/* ND, NCL, NCHW or NCDHW, else 161002. */
aclnnStatus op_conv_check_bias_format(const char *op, const aclTensor *bias);

/* Entries of arrays whose lengths are checked; NULL leaves 1 (0 for pads). One entry stands for all
 * axes; padding with twice as many as axes holds begin and end of each axis in turn. */
void op_conv_read(struct op_conv *conv, const aclIntArray *stride, const aclIntArray *padding,
                  const aclIntArray *dilation);

/* The small side's extent along a spatial axis (0 is the first one the tensors have) for an extent
 * of the large side; below 1 where no window fits. false: not in 64 bits. */
bool op_conv_extent(const struct op_conv *conv, int axis, int64_t large, int64_t kernel,
                    int64_t *small);

/* Channels of the three (161002): G's first, then X's and the groups. */
aclnnStatus op_conv_check_channels(const struct op_conv *conv, const char *large_name,
                                   const aclTensor *large, const char *small_name,
                                   const aclTensor *small, const aclTensor *weight);
/* The extents of G follow from X's. */
aclnnStatus op_conv_check_extents(const struct op_conv *conv, const char *large_name,
                                  const aclTensor *large, const char *small_name,
                                  const aclTensor *small, const aclTensor *weight);

/* The weight has a tap along every axis; else 161002. */
aclnnStatus op_conv_check_taps(const char *op, const aclTensor *weight, int axes);

/* A forward pass: a window fits along every axis of a non-empty input; and its result, with that
 * many channels, has the shape that follows, empty when input or weight is. */
aclnnStatus op_conv_check_windows(const struct op_conv *conv, const char *input_name,
                                  const aclTensor *input, const aclTensor *weight);
aclnnStatus op_conv_check_result(const struct op_conv *conv, const char *result_name,
                                 const aclTensor *result, const char *input_name,
                                 const aclTensor *input, const aclTensor *weight, int64_t channels);

/* Tensors of a gradient; the outputs that are NULL are not computed. bias is an argument that is
 * not read, or NULL. `declared` outputs count as arguments whether they are computed or not. With
 * an empty input or weight the gradients of both become 0. */
struct op_conv_grad {
    const aclTensor *grad_output, *input, *weight, *bias;
    const aclTensor *grad_input, *grad_weight, *grad_bias;
    const aclTensor *declared[3];
};
aclnnStatus op_conv_grad_plan(const struct op_conv *conv, const struct op_conv_grad *tensors,
                              uint64_t *workspace_size, aclOpExecutor **executor);

/* The forward pass; bias may be NULL. An empty output is left alone; with an empty input or weight
 * and a bias the output becomes the bias. */
aclnnStatus op_conv_forward_plan(const struct op_conv *conv, const aclTensor *input,
                                 const aclTensor *weight, const aclTensor *bias,
                                 const aclTensor *output, uint64_t *workspace_size,
                                 aclOpExecutor **executor);

/* ACLNN_CPU_LOG=calls; of both recipes above. */
void op_conv_note(struct ex_plan *plan, const struct op_conv *conv);

/* Fills an output (-1: none) with zero bytes. */
void op_conv_zero(struct ex_plan *plan, int output, const aclTensor *tensor);

/* A tensor's channel axis (the last one of NHWC and NDHWC), its spatial axis `axis`; their sizes.
 */
int op_conv_channel_axis(const aclTensor *tensor);
int op_conv_spatial_axis(const aclTensor *tensor, int axis);
int64_t op_conv_channels(const aclTensor *tensor);
int64_t op_conv_size(const aclTensor *tensor, int axis);

#endif
