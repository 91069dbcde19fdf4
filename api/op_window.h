/* SPDX-License-Identifier: Apache-2.0 */
/* Windows of the pooling operators as their attributes give them. There are up to three axes
 * (depth, height, width); operators with fewer put ones in front. */
#ifndef ACLNN_CPU_API_OP_WINDOW_H
#define ACLNN_CPU_API_OP_WINDOW_H

#include "api/op_check.h"
#include "kernels/pool/k_pool.h"

struct op_window {
    int axes; /* spatial axes of the operator: the last ones of the arrays below */
    int64_t kernel[K_POOL_AXES], stride[K_POOL_AXES], dilation[K_POOL_AXES];
    int64_t pad_begin[K_POOL_AXES], pad_end[K_POOL_AXES];
    bool ceil_mode;
};

/* An array of an operator with `axes` spatial axes. */
struct op_array {
    const char *name;
    const aclIntArray *array;
};

/* One entry or one per axis, or none where that is allowed; else 161002. */
aclnnStatus op_check_array_length(const char *op, struct op_array array, int axes, bool or_none);
/* Every entry is at least that and at most INT32_MAX, so that kernels can multiply any two of them;
 * else 161002. */
aclnnStatus op_check_array_values(const char *op, struct op_array array, int64_t min);

/* The window of three checked arrays; an empty stride (or NULL) is the kernel. */
struct op_window op_window_of(int axes, const aclIntArray *kernel_size, const aclIntArray *stride,
                              const aclIntArray *padding, bool ceil_mode);
/* padding at most half of the kernel along each axis; else 161002. */
aclnnStatus op_check_window_padding(const char *op, const struct op_window *window,
                                    const char *padding_name, const char *kernel_name);

/* Reads the arrays kernelSize, stride and padding of an operator, after checking lengths and values
 * of one after the other, then the padding against the kernel. */
aclnnStatus op_window_read(struct op_window *window, const char *op, int axes,
                           const aclIntArray *kernel_size, const aclIntArray *stride,
                           const aclIntArray *padding, bool ceil_mode);

/* A tensor as pooling sees it: (batch, channels, spatial...), the batch there or not, or
 * (batch, spatial..., channels). */
struct op_plane {
    int64_t batch, channels;
    int64_t size[K_POOL_AXES]; /* ones in front */
};
struct op_plane op_plane_of(const aclTensor *tensor, int axes, bool channels_last);

/* The attributes of the aclnnext gradients, as ONNX has them: one entry for all axes, or one per
 * axis; all but kernel_size may be NULL or empty, which is the kernel for strides, 0 for pads and 1
 * for dilations. */
struct op_ext_window {
    const aclIntArray *kernel_size, *strides, *pads_begin, *pads_end, *dilations;
    int64_t auto_pad; /* aclnnextAutoPad */
};

/* Checks them, in the order of kernelSize, strides, dilations, autoPad, pads, which are not looked
 * at where autoPad rules; then fills what they say of `window` for a tensor of that plane. The
 * caller has set axes and ceil_mode. */
aclnnStatus op_ext_window_read(struct op_window *window, const char *op,
                               const struct op_ext_window *from, const struct op_plane *plane);

/* How many windows fit along an axis (0: none), by the rule of the documented formula: with
 * ceil_mode one that is cut off at the end counts too, and then the last one does not if it begins
 * in the padding behind the input. false when the arithmetic does not fit 64 bits. */
bool op_window_count(const struct op_window *window, int axis, int64_t input, int64_t *count);

#endif
