/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes and layouts that the pooling operators share. */
#ifndef ACLNN_CPU_API_OP_POOL_H
#define ACLNN_CPU_API_OP_POOL_H

#include "api/op_window.h"
#include "executor/steps.h"

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

/* Does what is read, beside what is written, drive that out of the caches? */
bool op_exceed_caches_together(const aclTensor *read, const aclTensor *written);

#endif
