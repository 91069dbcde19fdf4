/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution between a large side and a small side (one element per window), over up to three
 * axes; operators with fewer put axes of length one in front. With weight w[m][c][t]:
 *
 *     small[n][m][o] = sum over c, t of w[m][c][t] * large[n][c][o * stride - pad + t * dilation]
 *
 * and its two adjoints. m counts the small side's channels, c the large side's within a group.
 * What a transposed convolution calls input is its small side. */
#ifndef ACLNN_CPU_KERNELS_CONV_K_CONV_H
#define ACLNN_CPU_KERNELS_CONV_K_CONV_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/gemm/k_gemm.h"
#include "kernels/kernel.h"
#include "kernels/pool/k_pool.h"

enum { K_CONV_AXES = 3 };

struct k_conv_axis {
    int64_t large, small, kernel, stride, dilation, pad; /* pad: at the beginning */
};

/* Element (n, channel, d, h, w) of the small or large side, element (m, c, d, h, w) of the weight:
 * its type and its strides in elements, which may be 0 for what is read. */
struct k_conv_tensor {
    enum k_dtype dtype;
    int64_t outer, inner, axis[K_CONV_AXES];
};

struct k_conv {
    int64_t batch, groups;
    int64_t small_channels, large_channels; /* of one group */
    struct k_conv_axis axis[K_CONV_AXES];
    struct k_conv_tensor small, large, weight;
    enum k_rounding rounding; /* of every operand of a product */
    bool pairs;               /* packed weights, conv_grad_outer: bf16 products by k_pairs_bf16 */
    bool to_large;            /* one side from the other: the result is the large side */
    bool has_bias;            /* of that result */
    bool stream_output;       /* non-temporal stores; conv_direct: where the result is dense */
    enum k_dtype bias_dtype;  /* and of the gradient of the bias */
    int64_t bias_stride;
    int64_t parts; /* of the weight's gradient: partial sums per element; 1 until it is planned */
};

/* conv_pack: the weight as conv_map reads it, FLOAT. Its bytes; SIZE_MAX when they cannot be
 * counted. */
enum { K_CONV_PACK_WEIGHT, K_CONV_PACK_PACKED, K_CONV_PACK_BUFFERS };
size_t k_conv_packed_bytes(const struct k_conv *conv);
struct k_work k_conv_pack_work(const struct k_conv *conv);

/* conv_map: one side from the other, plus a bias per channel of the result. Each element is
 * written. The bias buffer is only there with has_bias. */
enum { K_CONV_MAP_FROM, K_CONV_MAP_PACKED, K_CONV_MAP_TO, K_CONV_MAP_BIAS, K_CONV_MAP_BUFFERS };
struct k_work k_conv_map_work(const struct k_conv *conv);

/* conv_outer: the same for more than a few channels whose windows are not huge, from the weight as
 * conv_outer_pack packs it; their buffers are conv_map's and conv_pack's. */
bool k_conv_is_outer(const struct k_conv *conv);
size_t k_conv_outer_packed_bytes(const struct k_conv *conv);
struct k_work k_conv_outer_pack_work(const struct k_conv *conv);
struct k_work k_conv_outer_work(const struct k_conv *conv);

/* conv_point: the same where every window is a single element and positions lie side by side, from
 * the weight as conv_pack packs it. */
bool k_conv_is_point(const struct k_conv *conv);
struct k_work k_conv_point_work(const struct k_conv *conv);
bool k_conv_streams(const struct k_conv *conv); /* the result is not left to the caches */

/* conv_direct: the same for few channels, from the weight as it is. */
enum { K_CONV_DIRECT_FROM, K_CONV_DIRECT_WEIGHT, K_CONV_DIRECT_TO, K_CONV_DIRECT_BIAS };
bool k_conv_is_direct(const struct k_conv *conv);
struct k_work k_conv_direct_work(const struct k_conv *conv);

/* The same as a product of matrices (kernels/gemm), from the weight as it is, where windows are
 * single elements and BLIS is faster than our own kernels: towards the large side of dense f32 with
 * the channels last. */
bool k_conv_is_gemm(const struct k_conv *conv);
struct k_gemm k_conv_as_gemm(const struct k_conv *conv);

/* conv_grad, by its ways: partial sums, FLOAT, of
 *     w[m][c][t] = sum over n, o of small[n][m][o] * large[n][c][o * stride - pad + t * dilation]
 * where a position outside of large counts as 0. conv_weight_sum joins the parts in their order and
 * stores them as the weight. */
enum { K_CONV_GRAD_SMALL, K_CONV_GRAD_LARGE, K_CONV_GRAD_PARTS, K_CONV_GRAD_BUFFERS };
enum { K_CONV_SUM_PARTS, K_CONV_SUM_WEIGHT, K_CONV_SUM_BUFFERS };
/* Whether way outer, when planned, writes no parts but the weight's gradient itself. */
bool k_conv_grad_is_whole(const struct k_conv *conv);
size_t k_conv_parts_bytes(const struct k_conv *conv); /* SIZE_MAX when they cannot be counted */
struct k_work k_conv_weight_sum_work(const struct k_conv *conv);

/* conv_bias_grad: bias[channel] = sum over n and positions of one side, the large one with
 * to_large. */
enum { K_CONV_BIAS_SIDE, K_CONV_BIAS_GRAD, K_CONV_BIAS_BUFFERS };
struct k_work k_conv_bias_grad_work(const struct k_conv *conv);

#endif
