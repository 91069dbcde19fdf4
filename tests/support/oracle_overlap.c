/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of what repeats elements: each element of the gradient goes to the one that it was made
 * of. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/oracle_norm.h"

/* ---- sums ---- */

struct sums {
    double *value, *size, *terms;
    int64_t count;
};

static struct sums sums_of(int64_t count)
{
    struct sums sums = {calloc((size_t)count + 1, sizeof(double)),
                        calloc((size_t)count + 1, sizeof(double)),
                        calloc((size_t)count + 1, sizeof(double)), count};
    return sums;
}

static void add(struct sums *sums, int64_t at, double x)
{
    sums->value[at] += x;
    sums->size[at] += isfinite(x) ? fabs(x) : 0;
    sums->terms[at]++;
}

static void put_all(struct rig_problem *problem, int operand, struct sums *sums)
{
    for (int64_t i = 0; i < sums->count; i++)
        norm_put_sum(problem, operand, i, sums->value[i], sums->size[i], sums->terms[i] + 1);
    free(sums->value);
    free(sums->size);
    free(sums->terms);
}

/* ---- edges ---- */

/* The index that place p of a padded axis was made of. */
static int64_t source_of(const char *op, int64_t p, int64_t front, int64_t size)
{
    int64_t i = p - front;
    if (strstr(op, "Reflection")) return i < 0 ? -i : i >= size ? 2 * (size - 1) - i : i;
    if (strstr(op, "Replication")) return i < 0 ? 0 : i >= size ? size - 1 : i;
    return (i % size + size) % size;
}

static void edges(struct rig_problem *problem)
{
    const struct operand *grad = &problem->tensor[0].view, *out = &problem->tensor[2].view;
    const struct rig_array *padding = &problem->call.array[0];
    struct sums sums = sums_of(problem->tensor[2].count);
    for (int64_t i = 0; i < problem->tensor[0].count; i++) {
        int64_t rest = i, at = 0, step = 1;
        for (int axis = grad->rank - 1; axis >= 0; axis--) {
            const int place = 2 * (grad->rank - 1 - axis);
            const int64_t front = place < padding->length ? padding->values[place] : 0;
            const int64_t p = rest % grad->dims[axis];
            at += source_of(problem->op->name, p, front, out->dims[axis]) * step;
            step *= out->dims[axis];
            rest /= grad->dims[axis];
        }
        add(&sums, at, oracle_value(problem, 0, i));
    }
    put_all(problem, 2, &sums);
}

static struct test_case random_edges(const struct rig_operator *op, struct random *random,
                                     enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const int axes = strstr(op->name, "1d") ? 1 : strstr(op->name, "2d") ? 2 : 3;
    const int rank = axes + (int)random_between(random, 1, 2);
    const bool reflects = strstr(op->name, "Reflection"),
               is_circular = strstr(op->name, "Circular");
    int64_t self[CASE_RANK], grad[CASE_RANK], padding[2 * 3];
    for (int i = 0; i < rank; i++)
        grad[i] = self[i] = random_between(random, 1, i < rank - axes ? 3 : 7);
    if (random_once_in(random, 20)) grad[0] = self[0] = 0;
    for (int i = 0; i < axes; i++) {
        const int axis = rank - 1 - i;
        int64_t left = self[axis] - 1;
        for (int side = 0; side < 2; side++) {
            const int64_t most = reflects ? self[axis] - 1 : is_circular ? self[axis] : 9;
            padding[2 * i + side] = random_between(random, 0, most);
            if (left > 0 && random_once_in(random, 4)) {
                padding[2 * i + side] = -random_between(random, 1, left);
                left += padding[2 * i + side];
            }
            grad[axis] += padding[2 * i + side];
        }
    }
    random_tensor(&test, random, "gradOutput", dtype, grad, rank, false);
    random_tensor(&test, random, "self", dtype, self, rank, false);
    random_ints(&test, "padding", padding, 2 * axes);
    random_tensor(&test, random, "gradInput", dtype, self, rank, true);
    return test;
}

/* ---- columns ---- */

static void image(struct rig_problem *problem)
{
    const struct operand *out = &problem->tensor[1].view;
    const struct rig_array *array =
        problem->call.array; /* size, kernel, dilation, padding, stride */
    const int64_t h = out->dims[out->rank - 2], w = out->dims[out->rank - 1];
    const int64_t *kernel = array[1].values, *dilation = array[2].values, *pad = array[3].values,
                  *stride = array[4].values;
    const int64_t across = (w + 2 * pad[1] - dilation[1] * (kernel[1] - 1) - 1) / stride[1] + 1;
    const struct operand *grad = &problem->tensor[0].view;
    const int64_t columns = grad->dims[grad->rank - 1], rows = grad->dims[grad->rank - 2];
    struct sums sums = sums_of(problem->tensor[1].count);
    for (int64_t i = 0; i < problem->tensor[0].count; i++) {
        const int64_t window = i % columns, row = i / columns % rows, sample = i / columns / rows;
        const int64_t channels = rows / (kernel[0] * kernel[1]);
        const int64_t channel = row / (kernel[0] * kernel[1]);
        const int64_t y = window / across * stride[0] + row / kernel[1] % kernel[0] * dilation[0];
        const int64_t x = window % across * stride[1] + row % kernel[1] * dilation[1];
        if (y < pad[0] || y - pad[0] >= h || x < pad[1] || x - pad[1] >= w) continue;
        const int64_t plane = sample * channels + channel;
        add(&sums, (plane * h + y - pad[0]) * w + x - pad[1], oracle_value(problem, 0, i));
    }
    put_all(problem, 1, &sums);
}

static struct test_case random_image(const struct rig_operator *op, struct random *random,
                                     enum case_dtype dtype)
{
    static const char *const names[] = {"kernelSize", "dilation", "padding", "stride"};
    struct test_case test = random_start(op, random, dtype);
    int64_t number[4][2], size[2], windows[2];
    const int64_t n = random_once_in(random, 20) ? 0 : random_between(random, 1, 2);
    const int64_t c = random_between(random, 1, 3);
    for (int i = 0; i < 2; i++) {
        number[0][i] = random_between(random, 1, 3);
        number[1][i] = random_between(random, 1, 3);
        number[2][i] = random_between(random, 0, 2);
        number[3][i] = random_between(random, 1, 4);
        const int64_t reach = number[1][i] * (number[0][i] - 1) + 1 - 2 * number[2][i];
        size[i] = (reach < 1 ? 1 : reach) + random_below(random, 6);
        windows[i] = (size[i] - reach) / number[3][i] + 1;
    }
    const int64_t rows = c * number[0][0] * number[0][1], count = windows[0] * windows[1];
    const bool is_batch = n == 0 || random_once_in(random, 2);
    const int64_t batch_grad[CASE_RANK] = {n, rows, count},
                  batch_out[CASE_RANK] = {n, c, size[0], size[1]};
    random_tensor(&test, random, "gradOutput", dtype, batch_grad + !is_batch, 2 + is_batch, false);
    random_ints(&test, "inputSize", size, 2);
    for (int i = 0; i < 4; i++)
        random_ints(&test, names[i], number[i], 2);
    random_tensor(&test, random, "out", dtype, batch_out + !is_batch, 3 + is_batch, true);
    return test;
}

/* ---- unfolding ---- */

static void unfold(struct rig_problem *problem)
{
    const struct operand *grad = &problem->tensor[0].view, *in = &problem->tensor[1].view;
    const int64_t dim = problem->call.number[0], size = problem->call.number[1],
                  step = problem->call.number[2];
    const int at = (int)(dim < 0 ? dim + in->rank : dim);
    struct sums sums = sums_of(problem->tensor[1].count);
    for (int64_t i = 0; i < problem->tensor[0].count; i++) {
        const int64_t element = i % size;
        int64_t rest = i / size, to = 0, dense = 1;
        for (int axis = in->rank - 1; axis >= 0; axis--) {
            const int64_t index = rest % grad->dims[axis];
            to += (axis == at ? index * step + element : index) * dense;
            dense *= in->dims[axis];
            rest /= grad->dims[axis];
        }
        add(&sums, to, oracle_value(problem, 0, i));
    }
    put_all(problem, 1, &sums);
}

static struct test_case random_unfold(const struct rig_operator *op, struct random *random,
                                      enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    int64_t in[CASE_RANK], grad[CASE_RANK];
    const int rank = (int)random_between(random, 0, 5), axes = rank > 0 ? rank : 1;
    const int at = (int)random_below(random, axes);
    for (int i = 0; i < rank; i++)
        in[i] = grad[i] = random_between(random, 1, i == at ? 12 : 4);
    if (at > 0 && random_once_in(random, 20)) in[0] = grad[0] = 0;
    const int64_t size = rank > 0 ? random_between(random, 1, in[at]) : 1;
    const int64_t step = random_between(random, 1, 5);
    if (rank > 0) grad[at] = (in[at] - size) / step + 1;
    grad[rank] = size;
    random_tensor(&test, random, "gradOut", dtype, grad, rank + 1, false);
    random_ints(&test, "inputSizes", in, rank);
    random_number(&test, "dim", random_once_in(random, 2) ? at : at - axes);
    random_number(&test, "size", (double)size);
    random_number(&test, "step", (double)step);
    random_tensor(&test, random, "gradIn", dtype, in, rank, true);
    return test;
}

/* ---- repeats ---- */

enum { Y_GRAD, REPEATS, X_GRAD };

static int axis_of(const struct rig_problem *problem)
{
    const int rank = problem->tensor[Y_GRAD].view.rank;
    const int64_t axis = problem->call.number[0];
    return (int)(axis < 0 ? axis + (rank > 0 ? rank : 1) : axis);
}

static int64_t size_along(const struct operand *view, int axis)
{
    return view->rank > 0 ? view->dims[axis] : 1;
}

/* Sums in FLOAT, in order. What repeats lack goes to part 0, and is reported. */
static void interleave_grad(struct rig_problem *problem)
{
    const struct operand *grad = &problem->tensor[Y_GRAD].view,
                         *out = &problem->tensor[X_GRAD].view;
    const int axis = axis_of(problem);
    const int64_t count = size_along(grad, axis), parts = size_along(out, axis);
    int64_t inner = 1, *part = calloc((size_t)count + 1, sizeof *part), at = 0, sum = 0;
    for (int i = axis + 1; i < grad->rank; i++)
        inner *= grad->dims[i];
    for (int64_t i = 0; i < parts; i++) {
        const bool is_one = problem->tensor[REPEATS].count == 1;
        const int64_t times = oracle_whole_value(problem, REPEATS, is_one ? 0 : i);
        sum += times;
        for (int64_t j = 0; j < times && at < count; j++)
            part[at++] = i;
    }
    problem->is_sum = true;
    for (int64_t i = 0; i < problem->tensor[X_GRAD].count; i++)
        problem->tensor[X_GRAD].sums[i] = (struct oracle_sum){0};
    for (int64_t i = 0; i < problem->tensor[Y_GRAD].count; i++) {
        const int64_t to =
            (i / inner / count * parts + part[i / inner % count]) * inner + i % inner;
        oracle_add(&problem->tensor[X_GRAD].sums[to], oracle_value(problem, Y_GRAD, i));
    }
    free(part);
    if (sum == count || problem->tensor[X_GRAD].count == 0 || problem->tensor[Y_GRAD].count == 0)
        return;
    problem->sync_code = ACL_ERROR_RT_AICORE_EXCEPTION;
    snprintf(problem->sync_words, sizeof problem->sync_words,
             "repeats do not add up to yGrad's size, which is %" PRId64, count);
}

static void fill_repeats(struct rig_problem *problem, struct random *random)
{
    struct rig_tensor *tensor = &problem->tensor[REPEATS];
    const int axis = axis_of(problem);
    const int64_t count = size_along(&problem->tensor[Y_GRAD].view, axis),
                  parts = size_along(&problem->tensor[X_GRAD].view, axis);
    for (int64_t i = 0; i < tensor->count; i++)
        tensor->bits[i] = tensor->count == 1 ? (uint64_t)(count / (parts > 0 ? parts : 1)) : 0;
    for (int64_t i = 0; tensor->count > 1 && i < count; i++)
        tensor->bits[random_below(random, tensor->count)]++;
    if (random_once_in(random, 12)) tensor->bits[0]++;
}

static struct test_case random_interleave(const struct rig_operator *op, struct random *random,
                                          enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    int64_t grad[CASE_RANK], out[CASE_RANK];
    const int rank = (int)random_between(random, 1, 4), axis = (int)random_below(random, rank);
    for (int i = 0; i < rank; i++)
        grad[i] = out[i] = random_between(random, random_once_in(random, 20) ? 0 : 1, 5);
    const bool is_one = random_once_in(random, 3);
    out[axis] = random_between(random, 1, 6);
    grad[axis] = is_one ? out[axis] * random_between(random, 1, 3) : random_between(random, 0, 12);
    const int64_t repeats[CASE_RANK] = {is_one ? 1 : out[axis]};
    random_tensor(&test, random, "yGrad", dtype, grad, rank, false);
    random_tensor(&test, random, "repeats", random_once_in(random, 2) ? CASE_I32 : CASE_I64,
                  repeats, is_one ? (int)random_below(random, 2) : 1, false);
    random_number(&test, "axis", random_once_in(random, 2) ? axis : axis - rank);
    random_tensor(&test, random, "out", dtype, out, rank, true);
    return test;
}

#define EDGES(name_of, line_of, ...)                                                               \
    {                                                                                              \
        .name = name_of, .oracle = edges, .random = random_edges, .ulp = 1,                        \
        .lines = LINES(line_of, __VA_ARGS__), .sound = line_of                                     \
    }

const struct oracle_row oracle_overlap_rows[] = {
    EDGES("aclnnReflectionPad1dBackward",
          "reflection_pad1d_backward f32 gradOutput=2x3x9 self=2x3x5 padding=1x3 gradInput=2x3x5",
          "reflection_pad1d_backward f32 gradOutput=2x6001 self=2x3001 padding=3000x0 "
          "gradInput=2x3001",
          "reflection_pad1d_backward f32 gradOutput=2x9 self=2x5 padding=2x2 gradInput=2x5 "
          "data=special"),
    EDGES("aclnnReflectionPad2dBackward",
          "reflection_pad2d_backward f32 gradOutput=3x5x9 self=3x4x5 padding=1x3x0x1 "
          "gradInput=3x4x5",
          "reflection_pad2d_backward f16 gradOutput=4x3x70x60 self=4x3x64x52 padding=4x4x3x3 "
          "gradInput=4x3x64x52"),
    EDGES("aclnnReflectionPad3dBackward",
          "reflection_pad3d_backward f32 gradOutput=3x3x5x9 self=3x2x4x5 padding=1x3x0x1x1x0 "
          "gradInput=3x2x4x5",
          "reflection_pad3d_backward bf16 gradOutput=2x3x3x5x9 self=2x3x2x4x5 "
          "padding=1x3x0x1x1x0 gradInput=2x3x2x4x5"),
    EDGES("aclnnReplicationPad1dBackward",
          "replication_pad1d_backward f32 gradOutput=2x3x9 self=2x3x5 padding=1x3 "
          "gradInput=2x3x5",
          "replication_pad1d_backward f32 gradOutput=2x9005 self=2x5 padding=3000x6000 "
          "gradInput=2x5"),
    EDGES("aclnnReplicationPad2dBackward",
          "replication_pad2d_backward f32 gradOutput=3x5x9 self=3x4x5 padding=1x3x0x1 "
          "gradInput=3x4x5",
          "replication_pad2d_backward f16 gradOutput=4x3x70x60 self=4x3x64x52 padding=4x4x3x3 "
          "gradInput=4x3x64x52"),
    EDGES("aclnnReplicationPad3dBackward",
          "replication_pad3d_backward f32 gradOutput=3x3x5x9 self=3x2x4x5 padding=1x3x0x1x1x0 "
          "gradInput=3x2x4x5",
          "replication_pad3d_backward f64 gradOutput=2x3x3x5x9 self=2x3x2x4x5 "
          "padding=1x3x0x1x1x0 gradInput=2x3x2x4x5"),
    EDGES("aclnnCircularPad2dBackward",
          "circular_pad2d_backward f32 gradOutput=3x5x9 self=3x4x5 padding=1x3x0x1 "
          "gradInput=3x4x5",
          "circular_pad2d_backward f16 gradOutput=4x3x70x60 self=4x3x64x52 padding=4x4x3x3 "
          "gradInput=4x3x64x52"),
    EDGES("aclnnCircularPad3dBackward",
          "circular_pad3d_backward f32 gradOutput=3x3x5x9 self=3x2x4x5 padding=1x3x0x1x1x0 "
          "gradInput=3x2x4x5",
          "circular_pad3d_backward bf16 gradOutput=2x3x3x5x9 self=2x3x2x4x5 "
          "padding=1x3x0x1x1x0 gradInput=2x3x2x4x5"),
    {.name = "aclnnIm2colBackward",
     .oracle = image,
     .random = random_image,
     .ulp = 1,
     .lines = LINES("im2col_backward f32 gradOutput=2x27x64 inputSize=16x16 kernelSize=3x3 "
                    "dilation=1x1 padding=1x1 stride=2x2 out=2x3x16x16",
                    "im2col_backward f16 gradOutput=12x1202 inputSize=3x1204 kernelSize=2x3 "
                    "dilation=2x1 padding=0x0 stride=1x1 out=2x3x1204"),
     .sound = "im2col_backward f32 gradOutput=2x27x64 inputSize=16x16 kernelSize=3x3 dilation=1x1 "
              "padding=1x1 stride=2x2 out=2x3x16x16"},
    {.name = "aclnnUnfoldGrad",
     .oracle = unfold,
     .random = random_unfold,
     .ulp = 1,
     .lines = LINES("unfold_grad f32 gradOut=2x3x4x3 inputSizes=2x3x9 dim=2 size=3 step=2 "
                    "gradIn=2x3x9",
                    "unfold_grad bf16 gradOut=1001x70x5 inputSizes=1005x70 dim=0 size=5 step=1 "
                    "gradIn=1005x70"),
     .sound = "unfold_grad f32 gradOut=2x3x4x3 inputSizes=2x3x9 dim=2 size=3 step=2 gradIn=2x3x9"},
    {.name = "aclnnRepeatInterleaveGrad",
     .oracle = interleave_grad,
     .random = random_interleave,
     .fill = fill_repeats,
     .ulp = 1,
     .lines = LINES("repeat_interleave_grad f32 yGrad=200x300 repeats=1:i64 axis=1 out=200x100",
                    "repeat_interleave_grad f16 yGrad=5x400x3 repeats=7:i32 axis=-2 out=5x7x3"),
     .sound = "repeat_interleave_grad f32 yGrad=2x8x4 repeats=3:i64 axis=1 out=2x3x4"},
    {.name = NULL},
};
