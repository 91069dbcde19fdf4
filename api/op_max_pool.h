/* SPDX-License-Identifier: Apache-2.0 */
/* What the operators of maximum pooling share: checks of their windows, the geometry for the
 * kernels, the steps of a plan. */
#ifndef ACLNN_CPU_API_OP_MAX_POOL_H
#define ACLNN_CPU_API_OP_MAX_POOL_H

#include "api/op_average.h"
#include "api/op_check.h"
#include "api/op_pool.h"
#include "executor/plan.h"
#include "kernels/pool/k_max_pool.h"

/* The window arrays of an operator, in the order of their checks. */
struct op_max_arrays {
    struct op_array kernel, stride, padding, dilation;
};

/* The arrays have one entry or one per axis, the stride perhaps none; else 161002. */
aclnnStatus op_max_check_lengths(const char *op, int axes, const struct op_max_arrays *arrays);
/* kernel, stride > 0, 0 <= padding <= kernel / 2, dilation > 0, or 1 if only_one; else 161002. */
aclnnStatus op_max_check_values(const char *op, int axes, const struct op_max_arrays *arrays,
                                bool only_one);
/* The same, lengths and values array by array; any dilation > 0. */
aclnnStatus op_max_check_arrays(const char *op, int axes, const struct op_max_arrays *arrays);
/* The window of checked arrays; an empty stride is the kernel. */
struct op_window op_max_window(int axes, const struct op_max_arrays *arrays, bool ceil_mode);

/* By the format. */
bool op_max_channels_last(const aclTensor *tensor);

/* Whether the memory of tensors that list their channels first has them last, so that the kernels
 * of adaptive pooling, which take planes, would need copies and those of windows do not. */
bool op_max_is_last_in_memory(const aclTensor *large, const aclTensor *small,
                              const aclTensor *indices, int axes);
/* The window that adaptive bins of one size are. False: they are of several sizes, or there are
 * more bins than cells. */
bool op_max_window_of_bins(struct op_window *window, int axes, const aclTensor *large,
                           const aclTensor *small);

/* Are the windows of planes found along their rows, which is faster than any bins? */
bool op_max_is_by_rows(const struct op_window *window, const aclTensor *large,
                       const aclTensor *small);

/* Is the gradient of so small planes gathered faster than scattered? */
bool op_max_grad_is_by_volumes(const struct op_window *window, const aclTensor *small,
                               const aclTensor *indices, const aclTensor *large);

/* No dimension behind the batch is 0; so many dimensions are not batch. Else 161002. */
aclnnStatus op_max_check_filled(const char *op, const char *argument, const aclTensor *tensor,
                                int dimensions);

/* `small` has the shape that the windows make of `large`; strict: with at least one window along
 * each axis. Else 161002. */
aclnnStatus op_max_check_shape(const char *op, const struct op_window *window, const char *name,
                               const aclTensor *small, const char *large_name,
                               const aclTensor *large, bool strict);

/* Every window has a tap inside the input, and INT32 indices (NULL: none) can count its plane. Else
 * 161002. */
aclnnStatus op_max_check_windows(const char *op, const struct op_window *window,
                                 const aclTensor *small, const aclTensor *large,
                                 const aclTensor *indices);

/* The buffer of bytes that the mask operators call indices: the leading dimensions of `small`, then
 * the kernel's elements, then 32 for every 16 windows of a plane begun and 32 more; contiguous,
 * without an offset. Else 161002. */
aclnnStatus op_max_check_mask(const char *op, const struct op_window *window, const aclTensor *mask,
                              const char *small_name, const aclTensor *small);

/* The tensors of a plan with their buffers; indices are absent (NULL), or a tensor, or raw memory
 * of int32_t in channels-first order. */
struct op_max_tensor {
    const aclTensor *tensor;
    int buffer;
};

/* The steps of a forward: large -> small, indices. */
void op_max_forward_steps(struct ex_plan *plan, const struct op_window *window,
                          struct op_max_tensor large, struct op_max_tensor small,
                          struct op_max_tensor indices, bool is_raw);

/* The steps of a gradient: small, indices -> large. window NULL: indices may lie anywhere in what
 * `space` says. */
void op_max_grad_steps(struct ex_plan *plan, const struct op_window *window,
                       struct op_max_tensor small, struct op_max_tensor indices, bool is_raw,
                       enum k_index_space space, struct op_max_tensor large, int axes);

/* The steps of a gradient without indices: small, x -> large. */
void op_max_recompute_steps(struct ex_plan *plan, const struct op_window *window,
                            struct op_max_tensor small, struct op_max_tensor x,
                            struct op_max_tensor large);

#endif
