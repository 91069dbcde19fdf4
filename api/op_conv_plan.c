/* SPDX-License-Identifier: Apache-2.0 */
/* The recipes of the convolution operators: which kernels make a result, in which order. */
#include "api/op_conv.h"

#include "api/op_call.h"
#include "api/op_pool.h"
#include "api/op_shape.h"
#include "executor/steps.h"
#include "kernels/way.h"
#include "runtime/support/base.h"

/* Where a tensor has its batch (a weight its small channels), its channels (a weight those of the
 * large side), and its first spatial axis. */
struct places {
    int outer, inner, spatial;
};

static struct places places_of(const struct op_conv *conv, const aclTensor *tensor, bool is_weight)
{
    if (conv->is_tbc)
        return is_weight ? (struct places){.outer = 2, .inner = 1, .spatial = 0}
                         : (struct places){.outer = 1, .inner = 2, .spatial = 0};
    return (struct places){.outer = 0,
                           .inner = op_conv_channel_axis(tensor),
                           .spatial = op_conv_spatial_axis(tensor, 0)};
}

/* The stride of an axis. Along one with a single element it may be any number, which kernels could
 * not multiply: then it is at most what the whole tensor spans. */
static int64_t stride_of(const aclTensor *tensor, int axis)
{
    const struct ex_descriptor *d = &tensor->descriptor;
    int64_t span = 1;
    if (op_is_empty(tensor)) return 0;
    if (d->sizes[axis] > 1) return d->strides[axis];
    for (int i = 0; i < d->rank; i++)
        span += (d->sizes[i] - 1) * d->strides[i];
    return d->strides[axis] < span ? d->strides[axis] : span;
}

static struct k_conv_tensor describe_tensor(const struct op_conv *conv, const aclTensor *tensor,
                                            bool is_weight)
{
    const struct places at = places_of(conv, tensor, is_weight);
    struct k_conv_tensor t = {.dtype = op_k_dtype(tensor)};
    t.outer = stride_of(tensor, at.outer);
    t.inner = stride_of(tensor, at.inner);
    for (int axis = 0; axis < conv->axes; axis++)
        t.axis[axis + K_CONV_AXES - conv->axes] = stride_of(tensor, at.spatial + axis);
    return t;
}

/* FLOAT with anything, and FLOAT16 with BF16, compute in FLOAT. */
static enum k_dtype promote(enum k_dtype a, enum k_dtype b)
{
    return a == b ? a : K_F32;
}

static struct k_conv describe(const struct op_conv *conv, const aclTensor *large,
                              const aclTensor *small, const aclTensor *weight)
{
    const struct places of_large = places_of(conv, large, false);
    const struct places of_small = places_of(conv, small, false);
    const struct places of_weight = places_of(conv, weight, true);
    const int64_t *l = large->descriptor.sizes, *s = small->descriptor.sizes;
    const int64_t *w = weight->descriptor.sizes;
    struct k_conv k = {.batch = s[of_small.outer], .groups = conv->groups, .parts = 1};
    /* Depthwise operators have as many groups as the input has channels, which may be none. */
    k.small_channels = conv->groups == 0 ? 0 : w[of_weight.outer] / conv->groups;
    k.large_channels = w[of_weight.inner];
    for (int i = 0; i < K_CONV_AXES; i++) {
        const int axis = i - (K_CONV_AXES - conv->axes);
        k.axis[i] = (struct k_conv_axis){
            .large = axis < 0 ? 1 : l[of_large.spatial + axis],
            .small = axis < 0 ? 1 : s[of_small.spatial + axis],
            .kernel = axis < 0 ? 1 : w[of_weight.spatial + axis],
            .stride = conv->stride[i],
            .dilation = conv->dilation[i],
            .pad = conv->pad_begin[i],
        };
    }
    k.large = describe_tensor(conv, large, false);
    k.small = describe_tensor(conv, small, false);
    k.weight = describe_tensor(conv, weight, true);
    return k;
}

/* The dot product of pairs serves where nothing but bf16 is multiplied. */
static bool multiplies_pairs(const struct k_conv *k, enum k_dtype a, enum k_dtype b)
{
    return a == K_BF16 && b == K_BF16 && k->rounding == K_ROUND_NONE && k_pairs_bf16();
}

static void gemm_step(struct ex_plan *plan, const struct k_conv *k, int weight, int from, int to,
                      int bias)
{
    const struct k_gemm gemm = k_conv_as_gemm(k);
    const int count = k->has_bias ? K_GEMM_BUFFERS : K_GEMM_ADDEND;
    ex_step_way(plan, "gemm", K_CHOICE_gemm, K_F32, &gemm, sizeof gemm,
                (const int[]){weight, from, to, bias}, count, NULL);
}

/* The weight as a way reads it: the buffer that holds it. */
static int weight_of(struct ex_plan *plan, const struct k_conv *k, const struct k_way *way,
                     int weight)
{
    if (way->slot == offsetof(struct k_table, conv_direct)) return weight;
    if (way->slot == offsetof(struct k_table, conv_outer)) {
        const int packed = ex_scratch(plan, k_conv_outer_packed_bytes(k));
        ex_step(plan, "conv_outer_pack", k_best()->conv_outer_pack, k, sizeof *k,
                k_conv_outer_pack_work(k), EX_BUFFERS(weight, packed));
        return packed;
    }
    const int packed = ex_scratch(plan, k_conv_packed_bytes(k));
    ex_step(plan, "conv_pack", k_best()->conv_pack, k, sizeof *k, k_conv_pack_work(k),
            EX_BUFFERS(weight, packed));
    return packed;
}

/* One side from the other. BLIS comes behind the ways that need no large sums. */
static void map_steps(struct ex_plan *plan, struct k_conv *k, int weight, int from, int to,
                      int bias)
{
    k->pairs = multiplies_pairs(k, k->to_large ? k->small.dtype : k->large.dtype, k->weight.dtype);
    struct k_conv planned = *k;
    const struct k_way *way =
        k_way_choose(K_CHOICE_conv, &(struct k_problem){&planned, K_F32, k_best()}).way;
    const bool is_late = way->slot == offsetof(struct k_table, conv_outer) ||
                         way->slot == offsetof(struct k_table, conv_map);
    if (is_late && !k_way_is_forced(way) && k_conv_is_gemm(k)) {
        gemm_step(plan, k, weight, from, to, bias);
        return;
    }
    const int factors = weight_of(plan, &planned, way, weight);
    ex_step_way(plan, "conv", K_CHOICE_conv, K_F32, k, sizeof *k,
                (const int[]){from, factors, to, bias},
                k->has_bias ? K_CONV_MAP_BUFFERS : K_CONV_MAP_BIAS, NULL);
}

static void weight_steps(struct ex_plan *plan, struct k_conv *k, int large, int small,
                         const struct op_conv *conv, const aclTensor *grad_weight, int to)
{
    k->weight = describe_tensor(conv, grad_weight, true);
    k->pairs = multiplies_pairs(k, k->small.dtype, k->large.dtype);
    struct k_conv planned = *k;
    const struct k_way *way =
        k_way_choose(K_CHOICE_conv_grad, &(struct k_problem){&planned, K_F32, k_best()}).way;
    const bool is_whole =
        way->slot == offsetof(struct k_table, conv_grad_outer) && k_conv_grad_is_whole(&planned);
    const int parts = is_whole ? to : ex_scratch(plan, k_conv_parts_bytes(&planned));
    ex_step_way(plan, "conv_grad", K_CHOICE_conv_grad, K_F32, k, sizeof *k,
                EX_BUFFERS(small, large, parts), NULL);
    if (is_whole) return;
    ex_step(plan, "conv_weight_sum", k_best()->conv_weight_sum, &planned, sizeof planned,
            k_conv_weight_sum_work(&planned), EX_BUFFERS(parts, to));
}

static void bias_step(struct ex_plan *plan, const struct k_conv *k, int grad_output,
                      const aclTensor *grad_bias, int to)
{
    struct k_conv bias = *k;
    bias.bias_dtype = op_k_dtype(grad_bias);
    bias.bias_stride = stride_of(grad_bias, 0);
    ex_step(plan, "conv_bias_grad", k_best()->conv_bias_grad, &bias, sizeof bias,
            k_conv_bias_grad_work(&bias), EX_BUFFERS(grad_output, to));
}

/* Multiplications and additions of one pass over all products. */
static double flops_of(const struct k_conv *k)
{
    double terms = (double)k->batch * (double)k->groups * (double)k->small_channels *
                   (double)k->large_channels;
    for (int i = 0; i < K_CONV_AXES; i++)
        terms *= (double)k->axis[i].kernel * (double)k->axis[i].small;
    return 2 * terms;
}

void op_conv_note(struct ex_plan *plan, const struct op_conv *conv)
{
    if (plan && rt_log_topic_on(RT_LOG_CALLS))
        op_call_note_row(plan, conv->name, conv->values, conv->value_count);
}

aclnnStatus op_conv_grad_plan(const struct op_conv *conv, const struct op_conv_grad *tensors,
                              uint64_t *workspace_size, aclOpExecutor **executor)
{
    const aclTensor *large = conv->transposed ? tensors->grad_output : tensors->input;
    const aclTensor *small = conv->transposed ? tensors->input : tensors->grad_output;
    const aclTensor *computed[] = {tensors->grad_input, tensors->grad_weight, tensors->grad_bias};
    int out[RT_LENGTH(computed)];

    struct ex_plan *plan = ex_plan_new(conv->name);
    const int dy = ex_input(plan, op_descriptor(tensors->grad_output));
    const int x = ex_input(plan, op_descriptor(tensors->input));
    const int w = ex_input(plan, op_descriptor(tensors->weight));
    if (tensors->bias) ex_input(plan, op_descriptor(tensors->bias));
    for (size_t i = 0; i < RT_LENGTH(out); i++) {
        const aclTensor *declared = tensors->declared[i];
        out[i] = ex_output(plan, declared ? op_descriptor(declared) : NULL);
    }

    struct k_conv k = describe(conv, large, small, tensors->weight);
    const bool is_empty = op_is_empty(tensors->input) || op_is_empty(tensors->weight);
    const enum k_dtype product =
        promote(promote(op_k_dtype(tensors->grad_output), op_k_dtype(tensors->input)),
                op_k_dtype(tensors->weight));
    k.rounding = op_math_rounding(conv->cube_math_type, product);
    op_conv_note(plan, conv);
    if (!is_empty) ex_flops(plan, ((computed[0] != NULL) + (computed[1] != NULL)) * flops_of(&k));
    if (computed[0] && is_empty)
        op_conv_zero(plan, out[0], computed[0]);
    else if (plan && computed[0]) {
        struct k_conv map = k;
        map.to_large = !conv->transposed;
        *(map.to_large ? &map.large : &map.small) = describe_tensor(conv, computed[0], false);
        map_steps(plan, &map, w, dy, out[0], -1);
    }
    if (computed[1] && is_empty)
        op_conv_zero(plan, out[1], computed[1]);
    else if (plan && computed[1]) {
        struct k_conv grad = k;
        weight_steps(plan, &grad, conv->transposed ? dy : x, conv->transposed ? x : dy, conv,
                     computed[1], out[1]);
    }
    if (computed[2] && op_is_empty(tensors->grad_output)) {
        op_conv_zero(plan, out[2], computed[2]);
    } else if (plan && computed[2]) {
        k.to_large = conv->transposed;
        bias_step(plan, &k, dy, computed[2], out[2]);
    }
    return ex_seal(plan, workspace_size, executor);
}

aclnnStatus op_conv_forward_plan(const struct op_conv *conv, const aclTensor *input,
                                 const aclTensor *weight, const aclTensor *bias,
                                 const aclTensor *output, uint64_t *workspace_size,
                                 aclOpExecutor **executor)
{
    struct ex_plan *plan = ex_plan_new(conv->name);
    const int x = ex_input(plan, op_descriptor(input));
    const int w = ex_input(plan, op_descriptor(weight));
    const int b = ex_input(plan, bias ? op_descriptor(bias) : NULL);
    const int y = ex_output(plan, op_descriptor(output));
    if (!plan) return ex_seal(plan, workspace_size, executor);
    const aclTensor *large = conv->transposed ? output : input;
    struct k_conv k = describe(conv, large, conv->transposed ? input : output, weight);
    k.rounding =
        op_math_rounding(conv->cube_math_type, promote(op_k_dtype(input), op_k_dtype(weight)));
    k.to_large = conv->transposed;
    k.has_bias = bias != NULL;
    if (bias) {
        k.bias_dtype = op_k_dtype(bias);
        k.bias_stride = stride_of(bias, 0);
    }
    op_conv_note(plan, conv);
    if (op_is_empty(output)) return ex_seal(plan, workspace_size, executor);
    if (op_is_empty(input) || op_is_empty(weight)) {
        /* Sums of no terms: nothing is read but the bias. */
        *(k.to_large ? &k.small_channels : &k.large_channels) = 0;
        ex_step(plan, "conv_map", k_best()->conv_map, &k, sizeof k, k_conv_map_work(&k),
                EX_BUFFERS(y, y, y, b));
    } else {
        ex_flops(plan, flops_of(&k));
        map_steps(plan, &k, w, x, y, b);
    }
    return ex_seal(plan, workspace_size, executor);
}

void op_conv_zero(struct ex_plan *plan, int output, const aclTensor *tensor)
{
    op_fill_place(plan, &(const struct op_place){output, op_view_of(tensor)}, 0, 0);
}
