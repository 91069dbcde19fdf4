/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution whose windows are single elements as a product of matrices: rows are channels of the
 * result, columns its positions. */
#include <string.h>

#include "kernels/blis/k_blis.h"
#include "kernels/conv/conv_outer_plan.h"
#include "kernels/kernels.h"

enum { GEMM_EDGE = 32 }; /* channels and positions below which packing costs more than it brings */

/* Elements from one position to the next. */
static int64_t step_of(const struct k_conv *conv, const struct k_conv_tensor *tensor)
{
    for (int axis = K_CONV_AXES - 1; axis > 0; axis--)
        if (conv->axis[axis].small > 1) return tensor->axis[axis];
    return tensor->axis[0];
}

/* Positions lie evenly, or their channels do. */
static bool is_dense(const struct k_conv *conv, const struct k_conv_tensor *tensor)
{
    const int64_t width = conv->axis[2].small, plane = conv->axis[1].small * width;
    const int64_t step = step_of(conv, tensor);
    return tensor->dtype == K_F32 && tensor->inner > 0 && step > 0 &&
           (step == 1 || tensor->inner == 1) && (tensor->axis[2] == step || width == 1) &&
           (tensor->axis[1] == width * step || conv->axis[1].small == 1) &&
           (tensor->axis[0] == plane * step || conv->axis[0].small == 1);
}

static int64_t positions_of(const struct k_conv *conv)
{
    return conv->axis[0].small * conv->axis[1].small * conv->axis[2].small;
}

static bool is_last(const struct k_conv_tensor *tensor)
{
    return tensor->inner == 1;
}

/* The large side from the small one, of dense FLOAT with the channels last, worth packing:
 * docs/performance/convolution.md has the measurements. Elsewhere conv_point and conv_outer are
 * faster. */
bool k_conv_is_gemm(const struct k_conv *conv)
{
    const struct k_conv_tensor *w = &conv->weight;
    if (w->dtype != K_F32 || w->outer <= 0 || w->inner <= 0 || !conv->to_large) return false;
    if (!conv_outer_joins(conv) || conv->rounding != K_ROUND_NONE ||
        !is_dense(conv, &conv->small) || !is_dense(conv, &conv->large) || !is_last(&conv->small) ||
        !is_last(&conv->large) || strcmp(k_best()->isa, "base") == 0 ||
        conv->small_channels < GEMM_EDGE || conv->large_channels < GEMM_EDGE ||
        positions_of(conv) < GEMM_EDGE)
        return false;
    return k_blis_is_usable();
}

struct k_gemm k_conv_as_gemm(const struct k_conv *conv)
{
    const struct k_conv_tensor *from = conv->to_large ? &conv->small : &conv->large;
    const struct k_conv_tensor *to = conv->to_large ? &conv->large : &conv->small;
    const struct k_conv_tensor *w = &conv->weight;
    const int64_t rows = conv_rows(conv), depth = conv_depth_channels(conv);
    return (struct k_gemm){
        .m = rows,
        .n = positions_of(conv),
        .k = depth,
        .batch = {conv->batch, conv->groups, 1, 1},
        .a = {.dtype = w->dtype,
              .row = conv->to_large ? w->inner : w->outer,
              .column = conv->to_large ? w->outer : w->inner,
              .batch = {0, conv->small_channels * w->outer}},
        .b = {.dtype = from->dtype,
              .row = from->inner,
              .column = step_of(conv, from),
              .batch = {from->outer, depth * from->inner}},
        .c = {.dtype = to->dtype,
              .row = to->inner,
              .column = step_of(conv, to),
              .batch = {to->outer, rows * to->inner}},
        .has_addend = conv->has_bias,
        .addend = {.dtype = conv->bias_dtype,
                   .row = conv->bias_stride,
                   .batch = {0, rows * conv->bias_stride}},
        .alpha = 1,
        .beta = 1,
        .rounding = conv->rounding,
    };
}
