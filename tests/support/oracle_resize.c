/* SPDX-License-Identifier: Apache-2.0 */
/* Images in another size, element by element. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/oracle_norm.h"

enum { AXES = 3, TAPS = 64 };

/* What one result sees along one axis. */
struct taps {
    int count;
    int64_t at[TAPS];
    double weight[TAPS];
    double far; /* of the place in double: its rounding moves the weights as far as its size */
};

static int64_t clamp(int64_t at, int64_t size)
{
    return at < 0 ? 0 : at >= size ? size - 1 : at;
}

/* Of the axis that is the i-th from the end; 0: none is given. */
static double scale_of(const struct rig_problem *problem, int i)
{
    static const char *const names[] = {"scalesW", "scalesH", "scalesD"};
    double scale = norm_real(problem, names[i], 0);
    if (i == 0 && scale == 0) scale = norm_real(problem, "scales", norm_real(problem, "scaleL", 0));
    return strstr(problem->op->name, "Nearest") && strstr(problem->op->name, "V2")
               ? (double)(float)scale
               : scale; /* a FLOAT argument */
}

static double keys(double x)
{
    const double a = -0.75, d = fabs(x);
    if (d <= 1) return (a + 2) * d * d * d - (a + 3) * d * d + 1;
    return d < 2 ? a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a : 0;
}

/* PyTorch finds places in FLOAT, of DOUBLE in double. */
static double place_of(bool is_double, double step, double shift, double back, int64_t i)
{
    if (is_double) return ((double)i + shift) * step - back;
    const float product = ((float)i + (float)shift) * (float)step;
    return (double)(product - (float)back);
}

static bool is_antialiased(const struct rig_operator *op)
{
    return strstr(op->name, "2dAA") != NULL;
}

/* Elements within the filter around the result's center, which is as wide as results are apart. */
static struct taps many_of(const struct rig_problem *problem, double step, int64_t i, int64_t in)
{
    const bool is_cubic = strstr(problem->op->name, "cubic") != NULL;
    const double wide = fmax(step, 1), center = step * ((double)i + 0.5), a = -0.5;
    struct taps taps = {.count = 0};
    double sum = 0;
    for (int64_t at = 0; at < in; at++) {
        const double d = fabs((double)at + 0.5 - center) / wide;
        const double weight = !is_cubic ? fmax(1 - d, 0)
                              : d <= 1  ? (a + 2) * d * d * d - (a + 3) * d * d + 1
                              : d < 2   ? a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a
                                        : 0;
        if (weight == 0) continue;
        taps.at[taps.count] = at;
        taps.weight[taps.count++] = weight;
        sum += weight;
    }
    for (int tap = 0; tap < taps.count; tap++)
        taps.weight[tap] /= sum;
    return taps;
}

/* aclnnResize has a text. */
static bool is_nearest(const struct rig_problem *problem)
{
    if (strcmp(problem->op->name, "aclnnResize") == 0)
        return strcmp(problem->call.text[0], "nearest") == 0;
    return strstr(problem->op->name, "Nearest") != NULL;
}

static struct taps taps_of(const struct rig_problem *problem, int from_end, int64_t i, int64_t in,
                           int64_t out)
{
    struct taps taps = {1, {i}, {1}, 0};
    const char *name = problem->op->name;
    const bool is_double = problem->tensor[0].view.dtype == CASE_F64;
    const bool is_near = is_nearest(problem), is_cubic = strstr(name, "cubic") != NULL;
    const bool aligned = !is_near && norm_integer(problem, "alignCorners", 0) != 0;
    const bool centers = is_near ? strstr(name, "Exact") != NULL : !aligned;
    const double scale = scale_of(problem, from_end);
    double step = scale > 0 ? 1 / scale : (double)in / (double)out;
    if (aligned) step = out > 1 ? (double)(in - 1) / (double)(out - 1) : 0;
    if (is_antialiased(problem->op))
        return many_of(problem, is_double ? step : (double)(float)step, i, in);
    double place = place_of(is_double, step, centers ? 0.5 : 0, centers && !is_near ? 0.5 : 0, i);
    if (is_double) taps.far = fabs(place);
    if (is_near) {
        taps.at[0] = clamp((int64_t)floor(place), in);
        return taps;
    }
    if (!is_cubic && in == out) place = (double)i; /* whatever the scale */
    if (!is_cubic && place < 0) place = 0;
    const int64_t first = place > (double)(in - 1) ? in - 1 : (int64_t)floor(place);
    const double t = fmin(place - (double)first, 1);
    taps.count = is_cubic ? 4 : 2;
    for (int tap = 0; tap < taps.count; tap++) {
        const int64_t at = is_cubic ? first - 1 + tap : first + tap;
        taps.at[tap] = clamp(at, in);
        taps.weight[tap] = is_cubic ? keys(t - (double)(tap - 1)) : tap == 0 ? 1 - t : t;
    }
    return taps;
}

/* Weights that were divided by their sum. */
static double slack_of(const struct rig_problem *problem)
{
    return is_antialiased(problem->op) ? 64 : 1;
}

static void resize(struct rig_problem *problem)
{
    const struct operand *self = &problem->tensor[0].view, *out = &problem->tensor[1].view;
    const int axes = self->rank - 2;
    for (int64_t i = 0; i < problem->tensor[1].count; i++) {
        struct taps taps[AXES] = {{1, {0}, {1}, 0}, {1, {0}, {1}, 0}, {1, {0}, {1}, 0}};
        int64_t sizes[AXES] = {1, 1, 1}, rest = i;
        double sum = 0, size = 0;
        for (int j = 0; j < axes; j++) {
            const int axis = self->rank - 1 - j;
            taps[j] =
                taps_of(problem, j, rest % out->dims[axis], self->dims[axis], out->dims[axis]);
            sizes[j] = self->dims[axis];
            rest /= out->dims[axis];
        }
        for (int n = 0; n < taps[0].count * taps[1].count * taps[2].count; n++) {
            const int x = n % taps[0].count, y = n / taps[0].count % taps[1].count;
            const int z = n / taps[0].count / taps[1].count;
            const int64_t row = (rest * sizes[2] + taps[2].at[z]) * sizes[1] + taps[1].at[y];
            const double value = oracle_value(problem, 0, row * sizes[0] + taps[0].at[x]);
            const double term = taps[0].weight[x] * taps[1].weight[y] * taps[2].weight[z] * value;
            sum = n == 0 ? term : sum + term; /* keeps a zero's sign */
            size += fabs(value) * (1 + taps[0].far + taps[1].far + taps[2].far);
        }
        if (is_nearest(problem))
            oracle_real(problem, 1, i, out->dtype, sum);
        else
            norm_put_single(problem, 1, i, sum, isfinite(size) ? size * slack_of(problem) : 0, 8);
    }
}

/* Each result's gradient goes to what the result was made of. */
static void resize_grad(struct rig_problem *problem)
{
    const struct operand *from = &problem->tensor[0].view, *out = &problem->tensor[1].view;
    const int axes = from->rank - 2;
    const int64_t count = problem->tensor[1].count;
    double *sums = calloc((size_t)count * 3 + 1, sizeof *sums);
    double *sizes = sums + count, *terms = sizes + count;
    for (int64_t i = 0; i < problem->tensor[0].count; i++) {
        struct taps taps[AXES] = {{1, {0}, {1}, 0}, {1, {0}, {1}, 0}, {1, {0}, {1}, 0}};
        int64_t in[AXES] = {1, 1, 1}, rest = i;
        const double value = oracle_value(problem, 0, i);
        for (int j = 0; j < axes; j++) {
            const int axis = from->rank - 1 - j;
            taps[j] =
                taps_of(problem, j, rest % from->dims[axis], out->dims[axis], from->dims[axis]);
            in[j] = out->dims[axis];
            rest /= from->dims[axis];
        }
        for (int n = 0; n < taps[0].count * taps[1].count * taps[2].count; n++) {
            const int x = n % taps[0].count, y = n / taps[0].count % taps[1].count;
            const int z = n / taps[0].count / taps[1].count;
            const int64_t row = (rest * in[2] + taps[2].at[z]) * in[1] + taps[1].at[y];
            const int64_t at = row * in[0] + taps[0].at[x];
            sums[at] += taps[0].weight[x] * taps[1].weight[y] * taps[2].weight[z] * value;
            sizes[at] += fabs(value) * (1 + taps[0].far + taps[1].far + taps[2].far);
            terms[at]++;
        }
    }
    for (int64_t at = 0; at < count; at++) {
        norm_put_single(problem, 1, at, sums[at], sizes[at] * slack_of(problem), terms[at] + 4);
        problem->tensor[1].sums[at].terms = (int64_t)terms[at] + 4; /* one after the other */
    }
    free(sums);
}

/* ---- random problems ---- */

static struct test_case random_resize(const struct rig_operator *op, struct random *random,
                                      enum case_dtype dtype)
{
    static const char *const letters[] = {"scalesW", "scalesH", "scalesD"};
    const bool is_near = strstr(op->name, "Nearest") != NULL;
    const bool is_grad = strstr(op->name, "Backward") || strstr(op->name, "Grad");
    struct test_case test =
        is_near && !is_grad ? random_start(op, random, dtype) : norm_start(op, random, dtype);
    int64_t self[CASE_RANK], out[CASE_RANK];
    double scales[AXES];
    const int axes = strstr(op->name, "1d") ? 1 : strstr(op->name, "2d") ? 2 : 3;
    for (int i = 0; i < 2; i++)
        out[i] = self[i] = random_once_in(random, 20) ? 0 : random_between(random, 1, 3);
    for (int i = 2; i < axes + 2; i++) {
        const int64_t most = axes == 1 ? 40 : axes == 2 ? 9 : 5;
        self[i] = random_between(random, 1, most);
        out[i] = random_once_in(random, 4) ? self[i] : random_between(random, 1, 2 * most);
        scales[i - 2] = (double)out[i] / (double)self[i];
        if (random_once_in(random, 3)) scales[i - 2] = (double)random_below(random, 9) / 4 - 0.25;
    }
    random_tensor(&test, random, op->tensor[0], dtype, is_grad ? out : self, axes + 2, false);
    random_ints(&test, "outputSize", out + 2, axes);
    if (is_grad) random_ints(&test, "inputSize", self, axes + 2);
    for (const struct rig_argument *at = op->names->argument; at->name; at++) {
        if (at->kind == OP_BOOL) random_number(&test, at->name, (double)random_below(random, 2));
        if (at->kind != OP_FLOAT && at->kind != OP_DOUBLE) continue;
        int axis = axes - 1;
        for (int i = 0; i < axes; i++)
            if (strcmp(at->name, letters[i]) == 0) axis = axes - 1 - i;
        random_number(&test, at->name, scales[axis]);
    }
    random_tensor(&test, random, op->tensor[1], dtype, is_grad ? self : out, axes + 2, true);
    return test;
}

static struct test_case random_scaled(const struct rig_operator *op, struct random *random,
                                      enum case_dtype dtype)
{
    struct test_case test = norm_start(op, random, dtype);
    int64_t self[CASE_RANK], out[CASE_RANK];
    double scales[4] = {1, 1, 1, 1};
    for (int i = 0; i < 4; i++) {
        self[i] = random_between(random, 1, i < 2 ? 3 : 9);
        if (i >= 2) scales[i] = (double)random_between(random, 8, 40) / 8;
        if (i >= 2 && self[i] > 1 && random_once_in(random, 3)) scales[i] = 0.5;
        out[i] = (int64_t)floor((double)self[i] * scales[i]);
    }
    random_tensor(&test, random, "self", dtype, self, 4, false);
    for (int i = 0; i < 4; i++)
        random_number(&test, "scales", scales[i])->place = i == 0 ? CASE_FIRST : CASE_NEXT;
    snprintf(case_add(&test, "mode", CASE_ALONE)->text, CASE_TEXT, "%s",
             random_once_in(random, 2) ? "nearest" : "bilinear");
    random_tensor(&test, random, "out", dtype, out, 4, true);
    return test;
}

#define NEAREST(operator, line, ...)                                                               \
    {                                                                                              \
        .name = (operator), .oracle = resize, .random = random_resize,                             \
        .lines = LINES(line __VA_OPT__(, ) __VA_ARGS__), .sound = (line)                           \
    }
#define LINEAR(operator, line, ...)                                                                \
    {                                                                                              \
        .name = (operator), .oracle = resize, .random = random_resize, .ulp = 1,                   \
        .lines = LINES(line __VA_OPT__(, ) __VA_ARGS__), .sound = (line)                           \
    }

#define GRAD(operator, line, ...)                                                                  \
    {                                                                                              \
        .name = (operator), .oracle = resize_grad, .random = random_resize, .ulp = 1,              \
        .lines = LINES(line __VA_OPT__(, ) __VA_ARGS__), .sound = (line)                           \
    }

const struct oracle_row oracle_resize_rows[] = {
    NEAREST("aclnnUpsampleNearest1d", "upsample_nearest1d f32 self=2x3x5 outputSize=9 out=2x3x9"),
    NEAREST("aclnnUpsampleNearest1dV2",
            "upsample_nearest1d_v2 f32 self=2x3x5 outputSize=9 scaleL=1.9 out=2x3x9"),
    NEAREST("aclnnUpsampleNearest2d",
            "upsample_nearest2d f32 self=2x3x5x4 outputSize=10x8 out=2x3x10x8",
            "upsample_nearest2d f32 self=1x2x33x41 outputSize=66x82 out=1x2x66x82:s99999x7000x84x1",
            "upsample_nearest2d f16 self=2x1x7x1200:strided outputSize=3x1700 out=2x1x3x1700"),
    NEAREST("aclnnUpsampleNearest2dV2", "upsample_nearest2d_v2 f32 self=2x3x5x4 outputSize=11x10 "
                                        "scalesH=2.3 scalesW=2.5 out=2x3x11x10"),
    NEAREST("aclnnUpsampleNearest3d", "upsample_nearest3d f32 self=2x3x2x3x4 outputSize=4x3x9 "
                                      "scalesD=2 scalesH=0 scalesW=2.3 out=2x3x4x3x9"),
    NEAREST("aclnnUpsampleNearestExact1d",
            "upsample_nearest_exact1d f32 self=2x3x5 outputSize=9 scales=0 out=2x3x9"),
    NEAREST("aclnnUpsampleNearestExact2d",
            "upsample_nearest_exact2d f32 self=2x3x5x4 outputSize=11x10 scalesH=2.3 scalesW=2.5 "
            "out=2x3x11x10"),
    NEAREST("aclnnUpsampleNearestExact3d",
            "upsample_nearest_exact3d f32 self=2x3x2x3x4 outputSize=4x3x9 scalesD=2 scalesH=0 "
            "scalesW=2.3 out=2x3x4x3x9"),
    LINEAR("aclnnUpsampleLinear1d",
           "upsample_linear1d f32 self=2x3x5 outputSize=9 alignCorners=0 scales=0 out=2x3x9",
           "upsample_linear1d f32 self=1x2x9000 outputSize=700 alignCorners=1 scales=0 out=1x2x700",
           "upsample_linear1d f16 self=1x2x900 outputSize=2700 alignCorners=0 scales=3 "
           "out=1x2x2700"),
    LINEAR("aclnnUpsampleBilinear2d",
           "upsample_bilinear2d f32 self=2x3x5x4 outputSize=10x8 alignCorners=0 scalesH=2 "
           "scalesW=2 out=2x3x10x8",
           "upsample_bilinear2d f32 self=1x2x33x41 outputSize=66x82 alignCorners=1 scalesH=0 "
           "scalesW=0 out=1x2x66x82:strided",
           "upsample_bilinear2d f64 self=1x1x5x1400 outputSize=9x1500 alignCorners=0 scalesH=0 "
           "scalesW=0 out=1x1x9x1500"),
    LINEAR("aclnnUpsampleTrilinear3d",
           "upsample_trilinear3d f32 self=2x3x2x3x4 outputSize=4x3x9 alignCorners=0 scalesD=2 "
           "scalesH=0 scalesW=2.3 out=2x3x4x3x9"),
    LINEAR("aclnnUpsampleBicubic2d",
           "upsample_bicubic2d f32 self=2x3x5x4 outputSize=10x8 alignCorners=0 scalesH=2 "
           "scalesW=2 out=2x3x10x8",
           "upsample_bicubic2d bf16 self=1x1x5x1400 outputSize=9x2600 alignCorners=0 scalesH=0 "
           "scalesW=0 out=1x1x9x2600",
           "upsample_bicubic2d f32 self=1x1x50x1400 outputSize=9x60 alignCorners=1 scalesH=0 "
           "scalesW=0 out=1x1x9x60"),
    GRAD("aclnnUpsampleNearest1dBackward", "upsample_nearest1d_backward f32 gradOut=2x3x9 "
                                           "outputSize=9 inputSize=2x3x5 scales=0 out=2x3x5"),
    GRAD("aclnnUpsampleNearest2dBackward",
         "upsample_nearest2d_backward f32 gradOut=2x3x10x8 outputSize=10x8 inputSize=2x3x5x4 "
         "scalesH=0 scalesW=0 gradInput=2x3x5x4",
         "upsample_nearest2d_backward f32 gradOut=1x2x67x83 outputSize=67x83 inputSize=1x2x33x41 "
         "scalesH=0 scalesW=0 gradInput=1x2x33x41",
         "upsample_nearest2d_backward f32 gradOut=1x1x33x41 outputSize=33x41 inputSize=1x1x67x83 "
         "scalesH=0 scalesW=0 gradInput=1x1x67x83"),
    GRAD("aclnnUpsampleNearest3dBackward",
         "upsample_nearest3d_backward f32 gradOut=2x3x4x3x9 outputSize=4x3x9 inputSize=2x3x2x3x4 "
         "scalesD=0 scalesH=0 scalesW=0 gradInput=2x3x2x3x4"),
    GRAD("aclnnUpsampleNearestExact1dBackward",
         "upsample_nearest_exact1d_backward f32 gradOutput=2x3x9 outputSize=9 inputSize=2x3x5 "
         "scales=0 out=2x3x5"),
    GRAD("aclnnUpsampleNearestExact2dBackward",
         "upsample_nearest_exact2d_backward f32 gradOutput=2x3x10x8 outputSize=10x8 "
         "inputSize=2x3x5x4 scalesH=0 scalesW=0 out=2x3x5x4"),
    GRAD("aclnnUpsampleNearestExact3dBackward",
         "upsample_nearest_exact3d_backward f32 gradOut=2x3x4x3x9 outputSize=4x3x9 "
         "inputSize=2x3x2x3x4 scalesD=0 scalesH=0 scalesW=0 gradInput=2x3x2x3x4"),
    GRAD("aclnnUpsampleLinear1dBackward",
         "upsample_linear1d_backward f32 gradOut=2x3x9 outputSize=9 inputSize=2x3x5 alignCorners=0 "
         "scales=0 out=2x3x5",
         "upsample_linear1d_backward f32 gradOut=1x2x2401 outputSize=2401 inputSize=1x2x1200 "
         "alignCorners=0 scales=0 out=1x2x1200",
         "upsample_linear1d_backward f32 gradOut=1x1x1200 outputSize=1200 inputSize=1x1x2401 "
         "alignCorners=0 scales=0 out=1x1x2401"),
    GRAD("aclnnUpsampleBilinear2dBackward",
         "upsample_bilinear2d_backward f32 gradOut=2x3x10x8 outputSize=10x8 inputSize=2x3x5x4 "
         "alignCorners=0 scalesH=0 scalesW=0 out=2x3x5x4",
         "upsample_bilinear2d_backward f32 gradOut=1x2x67x2201 outputSize=67x2201 "
         "inputSize=1x2x33x1100 alignCorners=0 scalesH=0 scalesW=0 out=1x2x33x1100",
         "upsample_bilinear2d_backward f32 gradOut=1x1x33x1100 outputSize=33x1100 "
         "inputSize=1x1x67x2201 alignCorners=0 scalesH=0 scalesW=0 out=1x1x67x2201"),
    GRAD("aclnnUpsampleBilinear2dBackwardV2",
         "upsample_bilinear2d_backward_v2 f32 gradOut=2x3x10x8 outputSize=10x8 inputSize=2x3x5x4 "
         "alignCorners=0 scalesH=0 scalesW=0 out=2x3x5x4"),
    GRAD("aclnnUpsampleTrilinear3dBackward",
         "upsample_trilinear3d_backward f32 gradOut=2x3x4x3x9 outputSize=4x3x9 inputSize=2x3x2x3x4 "
         "alignCorners=0 scalesD=0 scalesH=0 scalesW=0 gradInput=2x3x2x3x4"),
    GRAD("aclnnUpsampleBicubic2dBackward",
         "upsample_bicubic2d_backward f32 gradOut=2x3x10x8 outputSize=10x8 inputSize=2x3x5x4 "
         "alignCorners=0 scalesH=0 scalesW=0 gradInput=2x3x5x4",
         "upsample_bicubic2d_backward f32 gradOut=1x2x19x1401 outputSize=19x1401 "
         "inputSize=1x2x9x700 alignCorners=0 scalesH=0 scalesW=0 gradInput=1x2x9x700",
         "upsample_bicubic2d_backward f32 gradOut=1x1x9x700 outputSize=9x700 inputSize=1x1x19x1401 "
         "alignCorners=0 scalesH=0 scalesW=0 gradInput=1x1x19x1401"),
    LINEAR("aclnnUpsampleBilinear2dAA",
           "upsample_bilinear2d_a_a f32 input=2x3x15x4 outputSize=4x8 alignCorners=0 scalesH=0 "
           "scalesW=0 out=2x3x4x8"),
    LINEAR("aclnnUpsampleBicubic2dAA",
           "upsample_bicubic2d_a_a f32 x=2x3x15x4 outputSize=4x8 alignCorners=0 scalesH=0 "
           "scalesW=0 out=2x3x4x8"),
    GRAD("aclnnUpsampleBilinear2dAABackward",
         "upsample_bilinear2d_a_a_backward f32 gradOutput=2x3x4x8 outputSize=4x8 "
         "inputSize=2x3x15x4 alignCorners=0 scalesH=0 scalesW=0 out=2x3x15x4"),
    GRAD("aclnnUpsampleBicubic2dAAGrad",
         "upsample_bicubic2d_a_a_grad f32 gradOutput=2x3x4x8 outputSize=4x8 inputSize=2x3x15x4 "
         "alignCorners=0 scalesH=0 scalesW=0 out=2x3x15x4"),
    {.name = "aclnnResize",
     .oracle = resize,
     .random = random_scaled,
     .ulp = 1,
     .sound = "resize f32 self=2x3x5x4 scales=[1,1,2,2.5] mode=bilinear out=2x3x10x10"},
    {.name = NULL},
};
