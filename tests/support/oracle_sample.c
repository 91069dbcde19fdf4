/* SPDX-License-Identifier: Apache-2.0 */
/* Images read at the places of a grid, and grids of affine maps, pixel by pixel. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/oracle_norm.h"

enum { AXES = 3, TAPS = 4, LINEAR = 0, NEAREST = 1, CUBIC = 2, ZEROS = 0, REFLECTION = 2 };

struct sampling {
    bool is_double, aligned;
    int axes, mode, padding;
    int input, grid;                                     /* operands */
    int64_t batch, channels, points, plane, sizes[AXES]; /* of the image, the last axis first */
};

/* What one place sees along one axis; -1 is outside. */
struct axis {
    int count;
    int64_t at[TAPS];
    double weight[TAPS], slope[TAPS]; /* slope: by the coordinate of the grid */
};

static struct sampling sampling_of(const struct rig_problem *problem)
{
    struct sampling s = {.input = norm_operand(problem, "input"),
                         .grid = norm_operand(problem, "grid"),
                         .aligned = norm_integer(problem, "alignCorners", 0) != 0,
                         .mode = (int)norm_integer(problem, "interpolationMode", 0),
                         .padding = (int)norm_integer(problem, "paddingMode", 0)};
    const struct operand *in = &problem->tensor[s.input].view;
    const struct operand *at = &problem->tensor[s.grid].view;
    s.is_double = in->dtype == CASE_F64;
    s.axes = in->rank - 2;
    s.batch = in->dims[0];
    s.channels = in->dims[1];
    s.points = s.plane = 1;
    for (int i = 0; i < s.axes; i++) {
        s.points *= at->dims[1 + i];
        s.sizes[i] = in->dims[in->rank - 1 - i];
        s.plane *= s.sizes[i];
    }
    return s;
}

/* Coordinates are found in FLOAT but for DOUBLE: which pixel is the nearest depends on it. */
static double rounded(const struct sampling *s, double x)
{
    return s->is_double ? x : (double)(float)x;
}

static double unnormalised(const struct sampling *s, double g, int64_t size)
{
    const double from = rounded(s, g + 1), n = (double)size;
    if (s->aligned) return rounded(s, from / 2 * (n - 1));
    return rounded(s, rounded(s, from * n) - 1) / 2;
}

/* The place inside of the image that stands for x, and by how much it moves with x. */
static double moved(const struct sampling *s, double x, int64_t size, double *slope)
{
    const double low = s->aligned ? 0 : -0.5, span = (double)size - (s->aligned ? 1 : 0);
    if (s->padding == ZEROS) return x;
    if (s->padding == REFLECTION) {
        if (span == 0) return *slope = 0, 0;
        const double past = rounded(s, x - low), far = fabs(past), extra = fmod(far, span);
        const bool back = fmod(floor(rounded(s, far / span)), 2) != 0;
        if ((past < 0) != back) *slope = -*slope;
        x = rounded(s, back ? rounded(s, span - extra) + low : extra + low);
    }
    if (x <= 0 || x >= (double)(size - 1)) *slope = 0;
    return fmin(fmax(x, 0), (double)(size - 1));
}

static int64_t inside(double x, int64_t size)
{
    return x >= 0 && x < (double)size ? (int64_t)x : -1;
}

static double keys(double x, double *slope)
{
    const double a = -0.75, d = fabs(x), sign = x < 0 ? -1 : 1;
    if (d <= 1) {
        *slope = sign * (3 * (a + 2) * d * d - 2 * (a + 3) * d);
        return (a + 2) * d * d * d - (a + 3) * d * d + 1;
    }
    *slope = sign * (3 * a * d * d - 10 * a * d + 8 * a);
    return a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a;
}

static struct axis see(const struct sampling *s, double g, int64_t size)
{
    struct axis to = {.count = 1, .at = {0}, .weight = {1}};
    double step = (s->aligned ? (double)(size - 1) : (double)size) / 2, unused = 0;
    double x = unnormalised(s, g, size);
    if (s->mode == CUBIC) {
        const double first = floor(x);
        to.count = 4;
        for (int i = 0; i < 4; i++) {
            to.at[i] = inside(moved(s, first + i - 1, size, &unused), size);
            to.weight[i] = keys(x - first - (i - 1), &to.slope[i]);
            to.slope[i] *= step;
        }
        return to;
    }
    x = moved(s, x, size, &step);
    if (s->mode == NEAREST) {
        to.at[0] = inside(rint(x), size);
        return to;
    }
    to.count = 2;
    for (int i = 0; i < 2; i++) {
        to.at[i] = inside(floor(x) + i, size);
        to.weight[i] = i ? x - floor(x) : floor(x) + 1 - x;
        to.slope[i] = i ? step : -step;
    }
    return to;
}

/* Calls `each` for all pixels that a place sees. */
typedef void each_pixel(void *context, int64_t pixel, double weight, const double *slope);

static void walk(const struct rig_problem *problem, const struct sampling *s, int64_t place,
                 each_pixel *each, void *context)
{
    struct axis axis[AXES] = {{1, {0}, {1}, {0}}, {1, {0}, {1}, {0}}, {1, {0}, {1}, {0}}};
    for (int i = 0; i < s->axes; i++)
        axis[i] = see(s, oracle_value(problem, s->grid, place * s->axes + i), s->sizes[i]);
    for (int k = 0; k < axis[0].count * axis[1].count * axis[2].count; k++) {
        const int at[] = {k % axis[0].count, k / axis[0].count % axis[1].count,
                          k / axis[0].count / axis[1].count};
        double weight = 1, slope[AXES] = {1, 1, 1};
        int64_t pixel = 0, step = 1;
        bool is_inside = true;
        for (int i = 0; i < AXES; i++) {
            is_inside = is_inside && axis[i].at[at[i]] >= 0;
            pixel += axis[i].at[at[i]] * step;
            step *= i < s->axes ? s->sizes[i] : 1;
            weight *= axis[i].weight[at[i]];
            for (int j = 0; j < AXES; j++)
                slope[j] *= i == j ? axis[i].slope[at[i]] : axis[i].weight[at[i]];
        }
        if (is_inside) each(context, pixel, weight, slope);
    }
}

struct sums {
    const struct rig_problem *problem;
    const struct sampling *s;
    int64_t plane;   /* the first element of the image's plane */
    double gradient; /* of the result */
    double value, size, slope[AXES], slope_size[AXES];
    double *of_pixel, *pixel_size, *terms;
};

static void add(void *context, int64_t pixel, double weight, const double *slope)
{
    struct sums *sums = context;
    const double value =
        oracle_value(sums->problem, sums->s->input, sums->plane + pixel) * sums->gradient;
    sums->value += weight * value;
    sums->size += fabs(value);
    for (int i = 0; i < AXES; i++) {
        sums->slope[i] += slope[i] * value;
        sums->slope_size[i] += fabs(value);
    }
    if (!sums->of_pixel) return;
    sums->of_pixel[sums->plane + pixel] += weight * sums->gradient;
    sums->pixel_size[sums->plane + pixel] += fabs(sums->gradient);
    sums->terms[sums->plane + pixel]++;
}

static void sample(struct rig_problem *problem)
{
    const struct sampling s = sampling_of(problem);
    const int out = norm_operand(problem, "out");
    for (int64_t i = 0; i < problem->tensor[out].count; i++) {
        const int64_t plane = i / s.points, n = plane / s.channels;
        struct sums sums = {.problem = problem, .s = &s, .plane = plane * s.plane, .gradient = 1};
        walk(problem, &s, n * s.points + i % s.points, add, &sums);
        norm_put_single(problem, out, i, sums.value, sums.size * (s.mode == CUBIC ? 16 : 4), 16);
    }
}

static bool is_wanted(const struct rig_problem *problem, int i)
{
    for (int k = 0; problem->op->array[k]; k++)
        if (strcmp(problem->op->array[k], "outputMask") == 0)
            return problem->call.array[k].values[i] != 0;
    return true;
}

/* A result that is not wanted stays as the rig has poisoned it, with bits that are a NaN. */
static void put_poison(struct rig_problem *problem, int operand, int i)
{
    for (int64_t k = 0; k < problem->tensor[operand].count && !is_wanted(problem, i); k++)
        norm_put_single(problem, operand, k, NAN, 0, 1);
}

static void put_grid(struct rig_problem *problem, const struct sampling *s, int64_t place,
                     int operand, double *pixels)
{
    const int gradient = norm_operand(problem, "gradOutput");
    const int64_t n = place / s->points, pixel_count = s->batch * s->channels * s->plane;
    struct sums sums = {.problem = problem,
                        .s = s,
                        .of_pixel = pixels,
                        .pixel_size = pixels + pixel_count,
                        .terms = pixels + 2 * pixel_count};
    for (int64_t c = n * s->channels; c < (n + 1) * s->channels; c++) {
        sums.plane = c * s->plane;
        sums.gradient = oracle_value(problem, gradient, c * s->points + place % s->points);
        walk(problem, s, place, add, &sums);
    }
    for (int i = 0; i < s->axes && is_wanted(problem, 1); i++)
        norm_put_single(problem, operand, place * s->axes + i, sums.slope[i],
                        sums.slope_size[i] * (double)(s->sizes[i] + 1) * 16,
                        (double)s->channels + 16);
}

static void sample_grad(struct rig_problem *problem)
{
    const struct sampling s = sampling_of(problem);
    const int input = norm_operand(problem, "inputGrad"), grid = norm_operand(problem, "gridGrad");
    const int64_t count = s.batch * s.channels * s.plane;
    double *pixels = calloc((size_t)count * 3 + 1, sizeof *pixels);
    for (int64_t place = 0; place < s.batch * s.points; place++)
        put_grid(problem, &s, place, grid, pixels);
    for (int64_t i = 0; i < count && is_wanted(problem, 0); i++)
        norm_put_single(problem, input, i, pixels[i], pixels[count + i] * 4,
                        pixels[2 * count + i] + 16);
    put_poison(problem, input, 0);
    put_poison(problem, grid, 1);
    free(pixels);
}

static void affine(struct rig_problem *problem)
{
    const bool aligned = norm_integer(problem, "alignCorners", 0) != 0;
    const struct operand *out = &problem->tensor[1].view;
    const int axes = out->rank - 2;
    for (int64_t i = 0; i < problem->tensor[1].count; i++) {
        const int row = (int)(i % axes);
        int64_t rest = i / axes;
        double at[AXES + 1], sum = 0, size = 0;
        for (int k = 0; k < axes; k++) {
            const int64_t n = out->dims[axes - k], j = rest % n;
            const double most = aligned ? 1 : (double)(n - 1) / (double)n;
            at[k] = n == 1 ? 0 : (2 * (double)j / (double)(n - 1) - 1) * most;
            rest /= n;
        }
        at[axes] = 1;
        for (int k = 0; k <= axes; k++) {
            const double theta = oracle_value(problem, 0, (rest * axes + row) * (axes + 1) + k);
            sum += theta * at[k];
            size += fabs(theta);
        }
        norm_put_single(problem, 1, i, sum, size * 2, 8);
    }
}

/* ---- random problems ---- */

/* Places in and around the image, at times at its pixels' centers and edges. */
static void fill(struct rig_problem *problem, struct random *random)
{
    struct rig_tensor *grid = &problem->tensor[norm_operand(problem, "grid")];
    for (int64_t i = 0; i < grid->count; i++) {
        const double at = random_once_in(random, 3) ? (double)random_between(random, -9, 9) / 6
                                                    : 1.5 * random_unit(random);
        grid->bits[i] = oracle_cast_real(grid->view.dtype, at);
    }
}

static struct test_case random_sample(const struct rig_operator *op, struct random *random,
                                      enum case_dtype dtype)
{
    struct test_case test = norm_start(op, random, dtype);
    const int axes = strstr(op->name, "3D") ? 3 : 2;
    const int64_t batch = random_between(random, 1, 3), channels = random_between(random, 1, 20);
    int64_t in[5] = {batch, channels}, out[5] = {batch, channels}, grid[5] = {batch};
    for (int i = 0; i < axes; i++) {
        in[2 + i] = random_between(random, 1, 6);
        grid[1 + i] = out[2 + i] =
            random_once_in(random, 30) ? 0 : random_between(random, 1, axes == 2 ? 9 : 5);
    }
    grid[1 + axes] = axes;
    const bool is_grad = strstr(op->name, "Backward") != NULL;
    if (is_grad) random_tensor(&test, random, "gradOutput", dtype, out, axes + 2, false);
    random_tensor(&test, random, "input", dtype, in, axes + 2, false);
    random_tensor(&test, random, "grid", dtype, grid, axes + 2, false);
    random_number(&test, "interpolationMode", (double)random_below(random, axes == 2 ? 3 : 2));
    random_number(&test, "paddingMode", (double)random_below(random, 3));
    random_number(&test, "alignCorners", (double)random_below(random, 2));
    if (!is_grad) {
        random_tensor(&test, random, "out", dtype, out, axes + 2, true);
        return test;
    }
    const int64_t mask[] = {random_below(random, 4) > 0, random_below(random, 4) > 0};
    random_ints(&test, "outputMask", mask, 2);
    random_tensor(&test, random, "inputGrad", dtype, in, axes + 2, true);
    random_tensor(&test, random, "gridGrad", dtype, grid, axes + 2, true);
    return test;
}

static struct test_case random_affine(const struct rig_operator *op, struct random *random,
                                      enum case_dtype dtype)
{
    struct test_case test = norm_start(op, random, dtype);
    const int axes = 2 + (int)random_below(random, 2);
    const int64_t theta[] = {random_between(random, 1, 3), axes, axes + 1};
    int64_t size[5] = {theta[0], random_between(random, 0, 3)}, out[5] = {theta[0]};
    for (int i = 0; i < axes; i++)
        size[2 + i] = out[1 + i] = random_between(random, random_once_in(random, 20) ? 0 : 1, 7);
    out[1 + axes] = axes;
    random_tensor(&test, random, "theta", dtype, theta, 3, false);
    random_ints(&test, "size", size, axes + 2);
    random_number(&test, "alignCorners", (double)random_below(random, 2));
    random_tensor(&test, random, "out", dtype, out, axes + 2, true);
    return test;
}

const struct oracle_row oracle_sample_rows[] = {
    {.name = "aclnnGridSampler2D",
     .oracle = sample,
     .random = random_sample,
     .fill = fill,
     .ulp = 2,
     .sound = "grid_sampler2_d f32 input=2x3x4x5 grid=2x6x7x2 out=2x3x6x7"},
    {.name = "aclnnGridSampler3D",
     .oracle = sample,
     .random = random_sample,
     .fill = fill,
     .ulp = 2},
    {.name = "aclnnGridSampler2DBackward",
     .oracle = sample_grad,
     .random = random_sample,
     .fill = fill,
     .ulp = 2,
     .sound = "grid_sampler2_d_backward f32 gradOutput=2x3x6x7 input=2x3x4x5 grid=2x6x7x2 "
              "outputMask=1x1 inputGrad=2x3x4x5 gridGrad=2x6x7x2"},
    {.name = "aclnnGridSampler3DBackward",
     .oracle = sample_grad,
     .random = random_sample,
     .fill = fill,
     .ulp = 2},
    {.name = "aclnnAffineGrid",
     .oracle = affine,
     .random = random_affine,
     .ulp = 2,
     .sound = "affine_grid f32 theta=2x2x3 size=2x3x4x5 out=2x4x5x2"},
    {.name = NULL},
};
