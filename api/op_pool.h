/* SPDX-License-Identifier: Apache-2.0 */
/* Shape arithmetic that the pooling operators share. Windows have up to three axes (depth, height,
 * width); operators with fewer put ones in front. */
#ifndef ACLNN_CPU_API_OP_POOL_H
#define ACLNN_CPU_API_OP_POOL_H

#include "api/op_check.h"
#include "executor/steps.h"
#include "kernels/k_pool.h"

struct op_window {
    int axes; /* spatial axes of the operator: the last ones of the arrays below */
    int64_t kernel[K_POOL_AXES], stride[K_POOL_AXES], dilation[K_POOL_AXES];
    int64_t pad_begin[K_POOL_AXES], pad_end[K_POOL_AXES];
    bool ceil_mode;
};

/* Reads the three arrays of an operator with that many spatial axes: one entry for all axes or one
 * per axis; stride may be NULL or empty and is then the kernel. Checks, in this order: lengths and
 * values of kernelSize, of stride, of padding (0 to half the kernel). The arrays' public names are
 * kernelSize, stride and padding. */
aclnnStatus op_window_read(struct op_window *window, const char *op, int axes,
                           const aclIntArray *kernel_size, const aclIntArray *stride,
                           const aclIntArray *padding, bool ceil_mode);

/* How many windows fit along an axis (0: none), by the rule of the documented formula: with
 * ceil_mode a window that is cut off at the end counts if it begins inside the input or the padding
 * before it. false when the arithmetic does not fit 64 bits. */
bool op_window_count(const struct op_window *window, int axis, int64_t input, int64_t *count);

/* Checks that `output`'s shape is what the window makes of `input`'s; both have a leading batch
 * axis, or none, and then channels. */
aclnnStatus op_window_check_output(const struct op_window *window, const char *op,
                                   const char *output_name, const aclTensor *output,
                                   const char *input_name, const aclTensor *input);

/* The geometry for the kernels; the caller sets divisor, count_padding, stream_output, rounding. */
struct k_pool op_window_pool(const struct op_window *window, const aclTensor *output,
                             const aclTensor *input, enum k_layout layout);

/* The layout in which a kernel can take `large` and `small` with the fewest bytes packed. */
enum k_layout op_pool_layout(const aclTensor *large, const aclTensor *small, int axes);
struct ex_order op_pool_order(const aclTensor *tensor, int axes, enum k_layout layout);

/* What cubeMathType does to an operand of that type (docs/numerics.md). */
enum k_rounding op_math_rounding(int8_t cube_math_type, enum k_dtype dtype);

/* Is a result of that many bytes too large to be found in the caches afterwards? */
bool op_exceeds_caches(const aclTensor *tensor);

#endif
