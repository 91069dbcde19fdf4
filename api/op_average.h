/* SPDX-License-Identifier: Apache-2.0 */
/* What the averaging operators share: the geometry and the steps of a plan. */
#ifndef ACLNN_CPU_API_OP_AVERAGE_H
#define ACLNN_CPU_API_OP_AVERAGE_H

#include "api/op_check.h"
#include "api/op_pool.h"
#include "executor/plan.h"
#include "kernels/pool/k_average.h"

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
