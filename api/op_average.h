/* SPDX-License-Identifier: Apache-2.0 */
/* What the averaging operators share: reading their window arrays, and the steps of a plan. */
#ifndef ACLNN_CPU_API_OP_AVERAGE_H
#define ACLNN_CPU_API_OP_AVERAGE_H

#include "api/op_check.h"
#include "api/op_pool.h"
#include "executor/plan.h"
#include "kernels/k_average.h"

/* An array of an operator with `axes` spatial axes. */
struct op_array {
    const char *name;
    const aclIntArray *array;
};

/* One entry or one per axis, or none where that is allowed; else 161002. */
aclnnStatus op_check_array_length(const char *op, struct op_array array, int axes, bool or_none);
/* Every entry is at least that; else 161002. */
aclnnStatus op_check_array_least(const char *op, struct op_array array, int64_t least);

/* The window of three checked arrays; an empty stride (or NULL) is the kernel. */
struct op_window op_window_of(int axes, const aclIntArray *kernel_size, const aclIntArray *stride,
                              const aclIntArray *padding, bool ceil_mode);
/* padding at most half of the kernel along each axis; else 161002. */
aclnnStatus op_check_window_padding(const char *op, const struct op_window *window,
                                    const char *padding_name, const char *kernel_name);

/* A tensor as pooling sees it: (batch, channels, spatial...), the batch there or not, or
 * (batch, spatial..., channels). */
struct op_plane {
    int64_t batch, channels;
    int64_t size[K_POOL_AXES]; /* ones in front */
};
struct op_plane op_plane_of(const aclTensor *tensor, int axes, bool channels_last);

/* An average to plan; geometry needs span, kernel, stride, dilation, pads (of windows and taps),
 * count_padding, gradient, divisor and rounding. */
struct op_average {
    int axes;
    bool channels_last; /* the descriptors list the channels last */
    struct k_average geometry;
};

/* The parts of an operator's geometry that its window gives, forward or as gradient. */
struct k_average op_window_average(const struct op_window *window, bool gradient);
/* Bins where an axis of `large` is not a multiple of small's, windows where it is. */
struct k_average op_bins_average(const struct op_plane *large, const struct op_plane *small,
                                 bool gradient);

/* The steps from an operand to a result, with copies where strides need them; neither is empty. */
void op_average_steps(struct ex_plan *plan, const struct op_average *average, int input,
                      const aclTensor *input_tensor, int output, const aclTensor *output_tensor);

/* The steps that make a result 0; it is not empty. */
void op_zero_steps(struct ex_plan *plan, int output, const aclTensor *output_tensor);

#endif
