/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution and its gradients from their definition, in double, one product at a time; no code of
 * the library. */
#include <stdlib.h>
#include <string.h>

#include "tests/support/rows_conv.h"

enum { AXES = 3 };

/* The side before an ordinary convolution is `large`, the one behind it `small`; a transposed one
 * goes from small to large. Fewer than three axes have ones in front. */
struct sides {
    int64_t batch, groups, large_channels, small_channels; /* of one group */
    int64_t large[AXES], small[AXES], kernel[AXES];
    int64_t stride[AXES], dilation[AXES], pad[AXES];
};

/* Each side, and the weight (small channels of all groups, large channels of one, kernel), as the
 * sum of products of the other two; all dense, channels first. What is NULL is not computed; the
 * values it would be made of may be NULL then. */
struct values {
    const double *large, *small, *weight;
    struct oracle_sum *to_large, *to_small, *to_weight;
};

static int64_t product(const int64_t *values)
{
    return values[0] * values[1] * values[2];
}

/* Offset in the plane of the large side of window `window`'s tap `tap`; -1: outside. */
static int64_t position(const struct sides *sides, int64_t window, int64_t tap)
{
    int64_t at[AXES];
    for (int axis = AXES - 1; axis >= 0; axis--) {
        const int64_t o = window % sides->small[axis], t = tap % sides->kernel[axis];
        window /= sides->small[axis];
        tap /= sides->kernel[axis];
        at[axis] = o * sides->stride[axis] - sides->pad[axis] + t * sides->dilation[axis];
        if (at[axis] < 0 || at[axis] >= sides->large[axis]) return -1;
    }
    return (at[0] * sides->large[1] + at[1]) * sides->large[2] + at[2];
}

/* One tap of one window, of all channels; `offset` is its place in the plane of the large side. */
static void add_tap(const struct sides *sides, const struct values *v, int64_t window, int64_t tap,
                    int64_t offset)
{
    const int64_t windows = product(sides->small), plane = product(sides->large);
    const int64_t taps = product(sides->kernel);
    const int64_t pairs = sides->groups * sides->small_channels;
    for (int64_t n = 0; n < sides->batch; n++)
        for (int64_t m = 0; m < pairs; m++)
            for (int64_t c = 0; c < sides->large_channels; c++) {
                const int64_t group = n * sides->groups + m / sides->small_channels;
                const int64_t s = (n * pairs + m) * windows + window;
                const int64_t l = (group * sides->large_channels + c) * plane + offset;
                const int64_t w = (m * sides->large_channels + c) * taps + tap;
                if (v->to_small) oracle_add(&v->to_small[s], v->large[l] * v->weight[w]);
                if (v->to_large) oracle_add(&v->to_large[l], v->small[s] * v->weight[w]);
                if (v->to_weight) oracle_add(&v->to_weight[w], v->small[s] * v->large[l]);
            }
}

static void add_all(const struct sides *sides, const struct values *values)
{
    const int64_t windows = product(sides->small), taps = product(sides->kernel);
    for (int64_t window = 0; window < windows; window++)
        for (int64_t tap = 0; tap < taps; tap++) {
            const int64_t offset = position(sides, window, tap);
            if (offset >= 0) add_tap(sides, values, window, tap, offset);
        }
}

/* ---- the arguments of a call ---- */

/* The array, NULL where there is none or it says nothing. */
static const struct rig_array *array_named(const struct rig_problem *problem, const char *name,
                                           const char *other)
{
    for (int i = 0; problem->op->array[i]; i++) {
        const struct rig_array *array = &problem->call.array[i];
        if (strcmp(problem->op->array[i], name) && strcmp(problem->op->array[i], other)) continue;
        return array->is_null || array->length == 0 ? NULL : array;
    }
    return NULL;
}

static int64_t number_named(const struct rig_problem *problem, const char *name, int64_t absent)
{
    for (int i = 0; problem->op->number[i]; i++)
        if (strcmp(problem->op->number[i], name) == 0) return problem->call.number[i];
    return absent;
}

/* One number stands for all axes; begins and ends take turns. */
static int64_t entry(const struct rig_array *array, int axis, int axes, int64_t absent)
{
    if (!array) return absent;
    if (array->length == 2 * axes) return array->values[2 * axis];
    return array->values[array->length == 1 ? 0 : axis];
}

/* Where a tensor has its batch (a weight its small channels), its channels (a weight those of the
 * large side), and its first spatial axis. */
struct places {
    int outer, inner, spatial;
};

static struct places places_of(const struct rig_problem *problem, int tensor)
{
    const struct operand *view = &problem->tensor[conv_operand(problem->op, tensor)].view;
    const bool is_weight = tensor == CONV_WEIGHT || tensor == CONV_GRAD_WEIGHT;
    if (conv_is_tbc(problem->op) && is_weight) return (struct places){2, 1, 0};
    if (conv_is_tbc(problem->op)) return (struct places){1, 2, 0};
    if (operand_is_channels_last(view->format)) return (struct places){0, view->rank - 1, 1};
    return (struct places){0, 1, 2};
}

/* Element i of an operand in the order of batch, channels, spatial axes. */
static int64_t index_of(const struct operand *view, struct places places, int64_t i)
{
    int64_t at[OPERAND_RANK], index;
    for (int axis = view->rank - 1; axis >= 0; axis--) {
        at[axis] = i % view->dims[axis];
        i /= view->dims[axis];
    }
    index = at[places.outer] * view->dims[places.inner] + at[places.inner];
    for (int axis = places.spatial; axis < places.spatial + view->rank - 2; axis++)
        index = index * view->dims[axis] + at[axis];
    return index;
}

static const struct rig_tensor *tensor_of(const struct rig_problem *problem, int tensor)
{
    return &problem->tensor[conv_operand(problem->op, tensor)];
}

static bool is_given(const struct rig_problem *problem, int tensor)
{
    const int operand = conv_operand(problem->op, tensor);
    return operand >= 0 && !problem->call.is_null[operand];
}

static bool is_transposed(const struct rig_problem *problem)
{
    return number_named(problem, "transposed", 0) != 0;
}

static struct sides sides_of(const struct rig_problem *problem)
{
    const bool transposed = is_transposed(problem);
    const int large = transposed ? CONV_OUTPUT : CONV_INPUT;
    const int small = transposed ? CONV_INPUT : CONV_OUTPUT;
    const struct places of_large = places_of(problem, large), of_small = places_of(problem, small);
    const struct places of_weight = places_of(problem, CONV_WEIGHT);
    const int64_t *l = tensor_of(problem, large)->view.dims;
    const int64_t *s = tensor_of(problem, small)->view.dims;
    const int64_t *w = tensor_of(problem, CONV_WEIGHT)->view.dims;
    const int axes = tensor_of(problem, CONV_WEIGHT)->view.rank - 2;
    const int auto_pad = (int)number_named(problem, "autoPad", 0);
    struct sides sides = {.batch = s[of_small.outer],
                          .groups = number_named(problem, "groups", 1),
                          .large_channels = w[of_weight.inner]};
    if (problem->op == &rig_conv_depthwise2d) sides.groups = l[of_large.inner];
    if (sides.groups > 0) sides.small_channels = w[of_weight.outer] / sides.groups;
    for (int i = 0; i < AXES; i++) {
        const int axis = i - (AXES - axes);
        sides.large[i] = sides.small[i] = sides.kernel[i] = 1;
        sides.stride[i] = sides.dilation[i] = 1;
        if (axis < 0) continue;
        sides.large[i] = l[of_large.spatial + axis];
        sides.small[i] = s[of_small.spatial + axis];
        sides.kernel[i] = w[of_weight.spatial + axis];
        sides.stride[i] = entry(array_named(problem, "stride", "strides"), axis, axes, 1);
        sides.dilation[i] = entry(array_named(problem, "dilation", "dilations"), axis, axes, 1);
        sides.pad[i] = entry(array_named(problem, "padding", "padsBegin"), axis, axes,
                             number_named(problem, "pad", 0));
        struct case_window window = {.input = sides.large[i],
                                     .kernel = sides.kernel[i],
                                     .stride = sides.stride[i],
                                     .dilation = sides.dilation[i]};
        if (auto_pad == 0) continue;
        oracle_auto_pad(&window, auto_pad);
        sides.pad[i] = window.pad;
    }
    return sides;
}

/* ---- factors and sums ---- */

/* cubeMathType rounds factors of this type: FLOAT where they are of several. */
static enum case_dtype product_type(const struct rig_problem *problem)
{
    const enum case_dtype x = tensor_of(problem, CONV_INPUT)->view.dtype;
    const enum case_dtype w = tensor_of(problem, CONV_WEIGHT)->view.dtype;
    if (x != w) return CASE_F32;
    const bool is_one =
        conv_is_forward(problem->op) || tensor_of(problem, CONV_GRAD_OUTPUT)->view.dtype == x;
    return is_one ? x : CASE_F32;
}

static void *zeros(int64_t count, size_t size)
{
    void *memory = calloc((size_t)count + 1, size);
    if (!memory) abort();
    return memory;
}

/* What is multiplied, channels first. */
static double *factor_of(const struct rig_problem *problem, int tensor)
{
    const struct rig_tensor *from = tensor_of(problem, tensor);
    const struct places places = places_of(problem, tensor);
    const enum case_dtype dtype = product_type(problem);
    const int math = (int)number_named(problem, "cubeMathType", 0);
    double *factor = zeros(from->count, sizeof *factor);
    for (int64_t i = 0; i < from->count; i++)
        factor[index_of(&from->view, places, i)] = oracle_operand(dtype, math, from->values[i]);
    return factor;
}

static struct oracle_sum *sums_of(const struct rig_problem *problem, int tensor)
{
    if (!is_given(problem, tensor)) return NULL;
    return zeros(tensor_of(problem, tensor)->count, sizeof(struct oracle_sum));
}

/* Gives the result its sums, which go. */
static void give(struct rig_problem *problem, int tensor, struct oracle_sum *sums)
{
    if (!sums) return;
    struct rig_tensor *to = &problem->tensor[conv_operand(problem->op, tensor)];
    const struct places places = places_of(problem, tensor);
    const bool is_bias = to->view.rank == 1;
    for (int64_t i = 0; i < to->count; i++)
        to->sums[i] = sums[is_bias ? i : index_of(&to->view, places, i)];
    free(sums);
}

static void begin(struct rig_problem *problem)
{
    problem->roundings = problem->headroom = 1; /* each product may be rounded before it is added */
}

void conv_oracle_forward(struct rig_problem *problem)
{
    const struct sides sides = sides_of(problem);
    const bool transposed = is_transposed(problem);
    double *input = factor_of(problem, CONV_INPUT), *weight = factor_of(problem, CONV_WEIGHT);
    struct oracle_sum *sums = sums_of(problem, CONV_OUTPUT);
    const struct values values = {
        .large = transposed ? NULL : input,
        .small = transposed ? input : NULL,
        .weight = weight,
        .to_large = transposed ? sums : NULL,
        .to_small = transposed ? NULL : sums,
    };
    begin(problem);
    add_all(&sides, &values);
    const int64_t count = tensor_of(problem, CONV_OUTPUT)->count;
    const int64_t positions = product(transposed ? sides.large : sides.small);
    const struct rig_tensor *bias =
        is_given(problem, CONV_BIAS) ? tensor_of(problem, CONV_BIAS) : NULL;
    for (int64_t i = 0; bias && i < count; i++)
        oracle_add(&sums[i], bias->values[i / positions % bias->count]);
    give(problem, CONV_OUTPUT, sums);
    free(input);
    free(weight);
}

/* Sums of gradOutput, as it is, over batch and positions. */
static void add_bias(const struct rig_problem *problem, struct oracle_sum *sums)
{
    const struct rig_tensor *dy = tensor_of(problem, CONV_GRAD_OUTPUT);
    const struct places places = places_of(problem, CONV_GRAD_OUTPUT);
    const int64_t channels = dy->view.dims[places.inner];
    int64_t positions = 1;
    for (int axis = 0; axis < dy->view.rank - 2; axis++)
        positions *= dy->view.dims[places.spatial + axis];
    for (int64_t i = 0; sums && i < dy->count; i++)
        oracle_add(&sums[index_of(&dy->view, places, i) / positions % channels], dy->values[i]);
}

void conv_oracle_gradients(struct rig_problem *problem)
{
    const struct sides sides = sides_of(problem);
    const bool transposed = is_transposed(problem);
    /* CANN fills the gradients of such a call with 0, that of the bias among them. */
    const bool is_zero =
        problem->op == &rig_convolution_backward &&
        (tensor_of(problem, CONV_INPUT)->count == 0 || tensor_of(problem, CONV_WEIGHT)->count == 0);
    double *factor[3];
    struct oracle_sum *sums[3];
    for (int i = 0; i < 3; i++) {
        factor[i] = factor_of(problem, i);
        sums[i] = sums_of(problem, CONV_GRAD_INPUT + i);
    }
    const struct values values = {
        .large = factor[transposed ? CONV_GRAD_OUTPUT : CONV_INPUT],
        .small = factor[transposed ? CONV_INPUT : CONV_GRAD_OUTPUT],
        .weight = factor[CONV_WEIGHT],
        .to_large = transposed ? NULL : sums[0],
        .to_small = transposed ? sums[0] : NULL,
        .to_weight = sums[1],
    };
    begin(problem);
    if (!is_zero) add_all(&sides, &values);
    if (!is_zero) add_bias(problem, sums[2]);
    for (int i = 0; i < 3; i++) {
        give(problem, CONV_GRAD_INPUT + i, sums[i]);
        free(factor[i]);
    }
}
