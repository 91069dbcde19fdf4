/* SPDX-License-Identifier: Apache-2.0 */
#include "api/op_average.h"

#include "api/op_shape.h"
#include "executor/steps.h"
#include "kernels/pool/k_pool_grad.h"

struct k_average op_window_average(const struct op_window *window, bool gradient)
{
    struct k_average average = {.gradient = gradient};
    for (int i = 0; i < K_POOL_AXES; i++) {
        average.span[i] = gradient ? K_SPAN_TAPS : K_SPAN_WINDOWS;
        average.kernel[i] = window->kernel[i];
        average.stride[i] = window->stride[i];
        average.dilation[i] = window->kernel[i] == 1 ? 1 : window->dilation[i];
        average.pad_begin[i] = window->pad_begin[i];
        average.pad_end[i] = window->pad_end[i];
    }
    return average;
}

struct k_average op_bins_average(const struct op_plane *large, const struct op_plane *small,
                                 bool gradient)
{
    struct k_average average = {.gradient = gradient};
    for (int i = 0; i < K_POOL_AXES; i++) {
        const int64_t cells = large->size[i], bins = small->size[i];
        const bool even = cells % bins == 0;
        average.span[i] = !even ? K_SPAN_BINS : gradient ? K_SPAN_TAPS : K_SPAN_WINDOWS;
        average.kernel[i] = average.stride[i] = even ? cells / bins : 1;
        average.dilation[i] = 1;
    }
    return average;
}

/* The order in which a kernel of that layout sees the axes of a tensor. */
static struct ex_order order_of(const aclTensor *tensor, const struct op_average *average,
                                enum k_layout layout)
{
    const int rank = tensor->descriptor.rank;
    if (!average->channels_last) return op_pool_order(tensor, average->axes, layout);
    struct ex_order order = ex_order_identity(rank);
    if (layout == K_CHANNELS_LAST) return order;
    for (int i = 1; i < rank; i++)
        order.axis[i] = i == 1 ? rank - 1 : i - 1;
    return order;
}

static enum k_layout layout_of(const aclTensor *large, const aclTensor *small,
                               const struct op_average *average)
{
    int points[2];
    for (int layout = 0; layout < 2; layout++) {
        const struct ex_order a = order_of(large, average, (enum k_layout)layout);
        const struct ex_order b = order_of(small, average, (enum k_layout)layout);
        /* 2 points for the larger tensor, 1 for the smaller; a tie goes to the format's own. */
        points[layout] =
            2 * ex_is_dense(&large->descriptor, &a) + ex_is_dense(&small->descriptor, &b);
    }
    if (points[K_CHANNELS_FIRST] == points[K_CHANNELS_LAST])
        return average->channels_last ? K_CHANNELS_LAST : K_CHANNELS_FIRST;
    return points[K_CHANNELS_LAST] > points[K_CHANNELS_FIRST] ? K_CHANNELS_LAST : K_CHANNELS_FIRST;
}

/* Does avg_pool_grad do it? It does windows without gaps, none of them all in the padding. */
static bool is_plain_gradient(const struct k_average *average)
{
    bool is_plain = average->gradient;
    for (int i = 0; i < K_POOL_AXES; i++)
        is_plain = is_plain && average->span[i] == K_SPAN_TAPS && average->dilation[i] == 1 &&
                   average->pad_begin[i] < average->kernel[i] &&
                   average->pad_end[i] < average->kernel[i];
    return is_plain;
}

/* Is a cell in the windows of just those cells that its own window has, all of one size? Then the
 * average is its own gradient: avg_pool_grad reads each cell once along the width; with few
 * channels side by side it is slower. channels: the tensor's, for the same bits in every layout. */
static bool is_own_gradient(const struct k_average *average, int64_t channels)
{
    enum { MANY_CHANNELS = 16 };
    bool is_own = !average->gradient && (average->count_padding || average->divisor != 0) &&
                  (channels == 1 || channels >= MANY_CHANNELS) && average->kernel[0] == 1;
    for (int i = 0; i < K_POOL_AXES; i++)
        is_own = is_own && average->span[i] == K_SPAN_WINDOWS && average->kernel[i] <= 3 &&
                 average->dilation[i] == 1 && average->stride[i] == 1 &&
                 2 * average->pad_begin[i] + 1 == average->kernel[i] &&
                 average->pad_end[i] == average->pad_begin[i];
    return is_own;
}

static void gradient_step(struct ex_plan *plan, const struct k_average *average, enum k_dtype dtype,
                          int source, int target)
{
    struct k_pool pool = {.outer = average->outer,
                          .channels = average->channels,
                          .divisor = average->divisor,
                          .count_padding = average->count_padding,
                          .stream_output = average->stream_output,
                          .layout = average->layout,
                          .rounding = average->rounding};
    for (int i = 0; i < K_POOL_AXES; i++) {
        pool.input[i] = average->output[i]; /* of the pooling, which the gradient turns around */
        pool.output[i] = average->input[i];
        pool.kernel[i] = average->kernel[i];
        pool.stride[i] = average->stride[i];
        pool.pad_begin[i] = average->pad_begin[i];
        pool.pad_end[i] = average->pad_end[i];
    }
    const struct k_pool_grad grad = k_pool_grad(&pool, dtype);
    ex_step_way(plan, "avg_pool_grad", K_CHOICE_avg_pool_grad, dtype, &grad, sizeof grad,
                EX_BUFFERS(source, target), NULL);
}

/* Is there one output, of the whole input? Then the mean's divisor. */
static bool is_mean(const struct k_average *average, double *divisor)
{
    *divisor = 1;
    if (average->gradient) return false;
    for (int i = 0; i < K_POOL_AXES; i++) {
        const int64_t in = average->input[i], begin = average->pad_begin[i];
        if (average->output[i] != 1) return false;
        if (average->span[i] == K_SPAN_BINS) {
            *divisor *= (double)in;
            continue;
        }
        const int64_t covered = average->kernel[i] - begin; /* cells of the input and behind it */
        if (covered < in) return false;
        const int64_t limit = average->count_padding ? in + average->pad_end[i] : in;
        *divisor *=
            (double)((covered < limit ? covered : limit) + (average->count_padding ? begin : 0));
    }
    if (average->divisor != 0) *divisor = (double)average->divisor;
    return true;
}

void op_average_steps(struct ex_plan *plan, const struct op_average *average, int input,
                      const aclTensor *input_tensor, int output, const aclTensor *output_tensor)
{
    struct k_average a = average->geometry;
    const enum k_dtype dtype = op_k_dtype(output_tensor);
    const struct op_plane in = op_plane_of(input_tensor, average->axes, average->channels_last);
    const struct op_plane out = op_plane_of(output_tensor, average->axes, average->channels_last);
    a.layout = a.gradient ? layout_of(output_tensor, input_tensor, average)
                          : layout_of(input_tensor, output_tensor, average);
    a.outer = a.layout == K_CHANNELS_LAST ? in.batch : in.batch * in.channels;
    a.channels = a.layout == K_CHANNELS_LAST ? in.channels : 1;
    for (int i = 0; i < K_POOL_AXES; i++) {
        a.input[i] = in.size[i];
        a.output[i] = out.size[i];
    }
    const struct ex_order in_order = order_of(input_tensor, average, a.layout);
    const struct ex_order out_order = order_of(output_tensor, average, a.layout);
    const int source = ex_packed(plan, input, &in_order);
    const int target = ex_target(plan, output, &out_order);
    const bool by_gradient = is_plain_gradient(&a) || is_own_gradient(&a, in.channels);
    /* What is read drives what is written out of the caches; averages in planes are computed too
     * slowly to gain from streaming. */
    a.stream_output =
        target == output &&
        (op_exceeds_caches(output_tensor) ||
         ((a.gradient || by_gradient) && op_exceed_caches_together(input_tensor, output_tensor)) ||
         (a.layout == K_CHANNELS_LAST && !a.gradient && op_exceeds_caches(input_tensor)));

    struct k_mean mean = {.outer = a.outer, .channels = a.channels, .rounding = a.rounding};
    if (by_gradient) {
        gradient_step(plan, &a, dtype, source, target);
    } else if (is_mean(&a, &mean.divisor)) {
        mean.count = a.input[0] * a.input[1] * a.input[2];
        ex_step(plan, "mean", k_best()->mean[dtype], &mean, sizeof mean, k_mean_work(&mean),
                EX_BUFFERS(source, target));
    } else {
        ex_step_way(plan, "avg_pool", K_CHOICE_avg_pool, dtype, &a, sizeof a,
                    EX_BUFFERS(source, target), NULL);
    }
    ex_deliver(plan, target, output, &out_order);
}

void op_zero_steps(struct ex_plan *plan, int output, const aclTensor *output_tensor)
{
    op_fill_place(plan, &(const struct op_place){output, op_view_of(output_tensor)}, 0, 0);
}
