/* SPDX-License-Identifier: Apache-2.0 */
/* Regions of images and overlaps of boxes, place by place. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/oracle_index.h"
#include "tests/support/oracle_norm.h"

struct regions {
    bool is_double, aligned, apart; /* apart: numbers of images have a tensor of their own */
    int boxes, numbers;
    int64_t image[4], bins[2], ratio;
    double scale;
};

static struct regions regions_of(const struct rig_problem *problem, const int64_t *image)
{
    struct regions r = {.boxes = norm_one_of(problem, "rois boxes"),
                        .numbers = norm_operand(problem, "batchIndices"),
                        .aligned = norm_integer(problem, "aligned", 0) != 0,
                        .ratio = norm_integer(problem, "samplingRatio", 0),
                        .scale = (double)(float)norm_real(problem, "spatialScale", 1)};
    r.is_double = problem->tensor[r.boxes].view.dtype == CASE_F64;
    r.apart = r.numbers >= 0;
    r.bins[0] = norm_integer(problem, "pooledHeight", norm_integer(problem, "outputHeight", 0));
    r.bins[1] = norm_integer(problem, "pooledWidth", norm_integer(problem, "outputWidth", 0));
    memcpy(r.image, image, sizeof r.image);
    return r;
}

/* How many places a bin has is found in FLOAT but for DOUBLE. */
static double rounded(const struct regions *r, double x)
{
    return r->is_double ? x : (double)(float)x;
}

struct side {
    double start, bin, step;
    int64_t places;
};

static struct side side_of(const struct rig_problem *problem, const struct regions *r, int64_t k,
                           int axis)
{
    const int64_t at = k * (r->apart ? 4 : 5) + (r->apart ? 0 : 1) + (axis ? 0 : 1);
    const double offset = r->aligned ? 0.5 : 0;
    const double begin = oracle_value(problem, r->boxes, at);
    const double end = oracle_value(problem, r->boxes, at + 2);
    struct side side = {.start = rounded(r, rounded(r, begin * r->scale) - offset)};
    double length = rounded(r, rounded(r, rounded(r, end * r->scale) - offset) - side.start);
    if (!r->aligned) length = fmax(length, 1);
    side.bin = rounded(r, length / (double)r->bins[axis]);
    side.places = r->ratio > 0 ? r->ratio : side.bin > 0 ? (int64_t)ceil(side.bin) : 0;
    side.step = side.places > 0 ? rounded(r, side.bin / (double)side.places) : 0;
    return side;
}

/* What place i of a bin sees along an axis; false: nothing. Whether it is outside is found in
 * FLOAT, too. */
static bool see(const struct regions *r, const struct side *side, int64_t bin, int64_t i,
                int64_t size, int64_t at[2], double weight[2])
{
    const double first = rounded(r, side->start + rounded(r, (double)bin * side->bin));
    const double place = rounded(r, first + rounded(r, ((double)i + 0.5) * side->step));
    if (place < -1 || place > (double)size) return false;
    const double inside = fmin(fmax(place, 0), (double)(size - 1));
    at[0] = (int64_t)inside;
    at[1] = at[0] + 1 < size ? at[0] + 1 : at[0];
    weight[1] = inside - floor(inside);
    weight[0] = 1 - weight[1];
    return true;
}

typedef void each_pixel(void *context, int64_t pixel, double weight);

/* Calls `each` for all pixels that a bin sees; returns how many places it has. */
static double walk(const struct rig_problem *problem, const struct regions *r, int64_t k, int64_t h,
                   int64_t w, each_pixel *each, void *context)
{
    const struct side y = side_of(problem, r, k, 0), x = side_of(problem, r, k, 1);
    for (int64_t i = 0; i < y.places; i++)
        for (int64_t j = 0; j < x.places; j++) {
            int64_t rows[2], columns[2];
            double of_row[2], of_column[2];
            if (!see(r, &y, h, i, r->image[2], rows, of_row) ||
                !see(r, &x, w, j, r->image[3], columns, of_column))
                continue;
            for (int t = 0; t < 4; t++)
                each(context, rows[t / 2] * r->image[3] + columns[t % 2],
                     of_row[t / 2] * of_column[t % 2]);
        }
    return fmax((double)y.places * (double)x.places, 1);
}

static int64_t image_of(struct rig_problem *problem, const struct regions *r, int64_t k)
{
    if (r->apart) return index_of(problem, r->numbers, k, r->image[0], false, k, "batchIndices");
    return (int64_t)floor(oracle_value(problem, r->boxes, k * 5));
}

struct sums {
    const struct rig_problem *problem;
    int64_t plane; /* the first element of the image's plane */
    double value, size, gradient, *pixels, *sizes, *terms;
};

static void add(void *context, int64_t pixel, double weight)
{
    struct sums *sums = context;
    const int64_t at = sums->plane + pixel;
    if (sums->pixels) {
        sums->pixels[at] += weight * sums->gradient;
        sums->sizes[at] += fabs(sums->gradient);
        sums->terms[at]++;
        return;
    }
    const double value = oracle_value(sums->problem, 0, at);
    sums->value += weight * value;
    sums->size += fabs(value);
}

static void count(void *context, int64_t pixel, double weight)
{
    (void)context, (void)pixel, (void)weight;
}

/* Places are found in FLOAT, which moves weights by as much as they are large. */
static double slack_of(const struct regions *r)
{
    return (double)(r->image[2] + r->image[3]) * 8;
}

static void roi(struct rig_problem *problem)
{
    const struct regions r = regions_of(problem, problem->tensor[0].view.dims);
    const int out = norm_operand(problem, "out");
    for (int64_t i = 0; i < problem->tensor[out].count; i++) {
        const int64_t w = i % r.bins[1], h = i / r.bins[1] % r.bins[0];
        const int64_t c = i / r.bins[1] / r.bins[0] % r.image[1];
        const int64_t k = i / r.bins[1] / r.bins[0] / r.image[1];
        const int64_t image = image_of(problem, &r, k);
        struct sums sums = {.problem = problem,
                            .plane = (image * r.image[1] + c) * r.image[2] * r.image[3]};
        const double places = image < 0 ? 1 : walk(problem, &r, k, h, w, add, &sums);
        norm_put_single(problem, out, i, sums.value / places, sums.size * slack_of(&r) / places,
                        16);
    }
}

static void roi_grad(struct rig_problem *problem)
{
    const int to = norm_operand(problem, "gradInput");
    const struct regions r = regions_of(problem, problem->tensor[to].view.dims);
    const int64_t elements = problem->tensor[to].count, bins = r.bins[0] * r.bins[1];
    double *pixels = calloc((size_t)elements * 3 + 1, sizeof *pixels);
    for (int64_t i = 0; i < problem->tensor[0].count && elements > 0; i++) {
        const int64_t k = i / bins / r.image[1], c = i / bins % r.image[1];
        const int64_t h = i % bins / r.bins[1], w = i % r.bins[1];
        struct sums sums = {.problem = problem,
                            .plane = (image_of(problem, &r, k) * r.image[1] + c) * r.image[2] *
                                     r.image[3],
                            .pixels = pixels,
                            .sizes = pixels + elements,
                            .terms = pixels + 2 * elements};
        const double places = walk(problem, &r, k, h, w, count, NULL);
        sums.gradient = oracle_value(problem, 0, i) / places;
        walk(problem, &r, k, h, w, add, &sums);
    }
    for (int64_t i = 0; i < elements; i++)
        norm_put_single(problem, to, i, pixels[i], pixels[elements + i] * slack_of(&r),
                        pixels[2 * elements + i] + 16);
    free(pixels);
}

static double length(double begin, double end, double epsilon)
{
    return fmax(end - begin + epsilon, 0);
}

static void iou(struct rig_problem *problem)
{
    const bool aligned = norm_integer(problem, "aligned", 0) != 0;
    const bool of_second = strcmp(problem->call.text[0], "iof") == 0;
    const double e = (double)(float)norm_real(problem, "eps", 0);
    const int64_t columns = problem->tensor[2].view.dims[1];
    for (int64_t i = 0; i < problem->tensor[2].count; i++) {
        double a[4], b[4];
        for (int k = 0; k < 4; k++) {
            a[k] = oracle_value(problem, 0, i / columns * 4 + k);
            b[k] = oracle_value(problem, 1, (aligned ? i : i % columns) * 4 + k);
        }
        const double common = length(fmax(a[0], b[0]), fmin(a[2], b[2]), e) *
                              length(fmax(a[1], b[1]), fmin(a[3], b[3]), e);
        const double of_b = (b[2] - b[0] + e) * (b[3] - b[1] + e);
        const double of_a = (a[2] - a[0] + e) * (a[3] - a[1] + e);
        const double under = of_second ? of_b : of_a + of_b - common;
        norm_put_single(problem, 2, i, common / under, (of_a + of_b) / under * 8, 16);
    }
}

/* ---- random problems ---- */

static void put(struct rig_tensor *tensor, int64_t i, double value)
{
    tensor->bits[i] = oracle_cast_real(tensor->view.dtype, value);
}

/* Boxes in and around an image of that size, at places that half types have. */
static void put_box(struct rig_tensor *tensor, struct random *random, int64_t at, int64_t most)
{
    for (int axis = 0; axis < 2; axis++) {
        const double begin = (double)random_between(random, -2, most) + random_unit(random);
        put(tensor, at + axis, begin);
        put(tensor, at + 2 + axis, begin + (double)random_between(random, 0, most) + 1.25);
    }
}

static void fill(struct rig_problem *problem, struct random *random)
{
    const int boxes = norm_one_of(problem, "rois boxes");
    const int numbers = norm_operand(problem, "batchIndices");
    const int image = norm_one_of(problem, "self gradInput");
    const int64_t batch = problem->tensor[image].view.dims[0];
    struct rig_tensor *tensor = &problem->tensor[boxes];
    const int64_t columns = tensor->view.dims[1];
    for (int64_t k = 0; k * columns < tensor->count; k++) {
        put_box(tensor, random, k * columns + columns - 4, 9);
        if (columns == 5)
            put(tensor, k * columns,
                (double)random_below(random, batch) + (double)random_below(random, 2) / 2);
    }
    if (numbers >= 0) index_fill(problem, random, numbers, batch, false);
}

static void fill_iou(struct rig_problem *problem, struct random *random)
{
    for (int i = 0; i < 2; i++)
        for (int64_t k = 0; k < problem->tensor[i].count; k += 4)
            put_box(&problem->tensor[i], random, k, 5);
}

static struct test_case random_roi(const struct rig_operator *op, struct random *random,
                                   enum case_dtype dtype)
{
    struct test_case test = norm_start(op, random, dtype);
    const bool is_grad = strstr(op->name, "Backward") != NULL;
    const bool is_first = strcmp(op->name, "aclnnRoiAlign") == 0;
    const int64_t image[] = {random_between(random, 1, 3), random_between(random, 1, 20),
                             random_between(random, 1, 9), random_between(random, 1, 9)};
    const int64_t regions = random_between(random, random_once_in(random, 20) ? 0 : 1, 4);
    const int64_t boxes[] = {regions, is_first ? 4 : 5};
    const int64_t bins[] = {regions, image[1], random_between(random, 1, 4),
                            random_between(random, 1, 4)};
    random_tensor(&test, random, is_grad ? "gradOutput" : "self", dtype, is_grad ? bins : image, 4,
                  false);
    random_tensor(&test, random, is_first ? "rois" : "boxes", dtype, boxes, 2,
                  true); /* what fill() writes has an element each */
    if (is_first) {
        random_tensor(&test, random, "batchIndices", CASE_I32, &regions, 1, false);
        strcpy(random_type(&test, "mode", CASE_F32)->text, "avg");
    } else {
        random_number(&test, "aligned", (double)random_below(random, 2));
    }
    if (is_grad) random_ints(&test, "inputShape", image, 4);
    random_number(&test, is_first ? "outputHeight" : "pooledHeight", (double)bins[2]);
    random_number(&test, is_first ? "outputWidth" : "pooledWidth", (double)bins[3]);
    random_number(&test, "samplingRatio", (double)random_below(random, 4));
    random_number(&test, "spatialScale", random_once_in(random, 2) ? 1 : 0.5);
    random_tensor(&test, random, is_grad ? "gradInput" : "out", dtype, is_grad ? image : bins, 4,
                  true);
    return test;
}

static struct test_case random_iou(const struct rig_operator *op, struct random *random,
                                   enum case_dtype dtype)
{
    struct test_case test = norm_start(op, random, dtype);
    const bool aligned = random_once_in(random, 2);
    const int64_t m = random_between(random, 0, 9), n = aligned ? m : random_between(random, 0, 9);
    random_tensor(&test, random, "bBoxes", dtype, (const int64_t[]){m, 4}, 2, true);
    random_tensor(&test, random, "gtBoxes", dtype, (const int64_t[]){n, 4}, 2, true);
    strcpy(random_type(&test, "mode", CASE_F32)->text, random_once_in(random, 2) ? "iou" : "iof");
    random_number(&test, "eps", random_once_in(random, 2) ? 0 : 0.25);
    random_number(&test, "aligned", aligned);
    random_tensor(&test, random, "overlap", dtype, (const int64_t[]){m, aligned ? 1 : n}, 2, true);
    return test;
}

const struct oracle_row oracle_roi_rows[] = {
    {.name = "aclnnRoiAlign", .oracle = roi, .random = random_roi, .fill = fill, .ulp = 2},
    {.name = "aclnnRoiAlignV2",
     .oracle = roi,
     .random = random_roi,
     .fill = fill,
     .ulp = 2,
     .lines = LINES("roi_align_v2 f32 self=2x3x300x200 boxes=4x5 pooledHeight=2 pooledWidth=1 "
                    "spatialScale=20 aligned=1 out=4x3x2x1")},
    {.name = "aclnnRoiAlignV2Backward",
     .oracle = roi_grad,
     .random = random_roi,
     .fill = fill,
     .ulp = 2},
    {.name = "aclnnIou", .oracle = iou, .random = random_iou, .fill = fill_iou, .ulp = 2},
    {.name = NULL},
};
