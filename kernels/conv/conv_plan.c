/* SPDX-License-Identifier: Apache-2.0 */
/* How convolution's steps are cut, and what scratch they need. */
#include "kernels/conv/conv_point_plan.h"
#include "kernels/way.h"

static struct k_work work_of(int64_t items, double operations_per_item)
{
    double grain = (double)CONV_GRAIN / (operations_per_item < 1 ? 1 : operations_per_item);
    struct k_work work = {.items = items, .grain = 1};
    if (grain > 1) work.grain = grain < (double)items ? (int64_t)grain : items;
    if (work.grain < 1) work.grain = 1;
    return work;
}

static size_t bytes_of(int64_t a, int64_t b, int64_t c, int64_t d)
{
    size_t bytes;
    if (__builtin_mul_overflow((size_t)a, (size_t)b, &bytes) ||
        __builtin_mul_overflow(bytes, (size_t)c, &bytes) ||
        __builtin_mul_overflow(bytes, (size_t)d, &bytes))
        return SIZE_MAX;
    return bytes;
}

size_t k_conv_packed_bytes(const struct k_conv *conv)
{
    const int64_t rows = conv_up(conv_rows(conv), CONV_PANEL) * CONV_PANEL;
    return bytes_of(conv->groups * rows, conv_depth_channels(conv), conv_taps(conv), sizeof(float));
}

struct k_work k_conv_pack_work(const struct k_conv *conv)
{
    const double depth = (double)conv_depth_channels(conv) * (double)conv_taps(conv);
    return work_of(conv->groups * conv_up(conv_rows(conv), CONV_PANEL), 100 * depth);
}

struct k_work k_conv_map_work(const struct k_conv *conv)
{
    const struct conv_map_plan plan = conv_map_plan(conv);
    const double depth = (double)conv_depth_channels(conv) * (double)conv_taps(conv);
    const double rows = (double)(plan.block_panels * CONV_PANEL);
    return work_of(plan.items, (2 * rows * depth + 8 * depth + 8 * rows) * (double)plan.columns);
}

bool k_conv_is_outer(const struct k_conv *conv)
{
    return conv_rows(conv) > CONV_DIRECT_ROWS && conv_outer_of(conv).fits;
}

size_t k_conv_outer_packed_bytes(const struct k_conv *conv)
{
    return bytes_of(conv->groups * conv_outer_padded(conv_rows(conv)), conv_depth_channels(conv),
                    conv_taps(conv), sizeof(float));
}

struct k_work k_conv_outer_pack_work(const struct k_conv *conv)
{
    const double depth = (double)conv_depth_channels(conv) * (double)conv_taps(conv);
    return work_of(conv->groups * conv_outer_of(conv).panels, 8 * OUTER_PANEL * depth);
}

struct k_work k_conv_outer_work(const struct k_conv *conv)
{
    const struct conv_outer plan = conv_outer_of(conv);
    const double depth = (double)conv_depth_channels(conv) * (double)conv_taps(conv);
    const double rows = (double)conv_rows(conv) / (double)plan.row_blocks;
    const double results =
        (double)plan.images * (double)plan.tile[0] * (double)plan.tile[1] * (double)plan.tile[2];
    return work_of(plan.items, (2 * rows * depth + 8 * depth + 8 * rows) * results);
}

/* The positions of a channel lie side by side. */
static bool is_row(const struct k_conv *conv, const struct k_conv_tensor *tensor)
{
    int64_t step = 1;
    for (int axis = K_CONV_AXES - 1; axis >= 0; axis--) {
        if (conv->axis[axis].small > 1 && tensor->axis[axis] != step) return false;
        step *= conv->axis[axis].small;
    }
    return step >= POINT_PLANE;
}

bool k_conv_is_point(const struct k_conv *conv)
{
    return conv_outer_joins(conv) && k_conv_is_outer(conv) && is_row(conv, &conv->small) &&
           is_row(conv, &conv->large);
}

struct k_work k_conv_point_work(const struct k_conv *conv)
{
    const struct conv_point plan = conv_point_of(conv);
    const double depth = (double)conv_depth_channels(conv);
    const double rows = (double)(plan.block_panels * CONV_PANEL);
    return work_of(plan.items, (2 * rows * depth + 8 * depth + 8 * rows) * (double)plan.columns);
}

static double taps_of(const struct k_conv *conv)
{
    double taps = 1;
    for (int axis = 0; axis < K_CONV_AXES; axis++)
        taps *= (double)conv->axis[axis].kernel;
    return taps;
}

/* Factors of one result, of the phase that has most. */
static double max_terms(const struct k_conv *conv)
{
    double terms = (double)conv_depth_channels(conv);
    for (int axis = 0; axis < K_CONV_AXES; axis++)
        terms *= (double)conv_up(conv->axis[axis].kernel, conv_tap_classes(conv, axis));
    return terms;
}

bool k_conv_is_direct(const struct k_conv *conv)
{
    if (conv_is_along(conv)) return true;
    const int64_t rows = conv_rows(conv);
    const struct k_conv_axis *a = &conv->axis[2];
    const int64_t width = conv->to_large ? conv_up(a->large, a->stride) : a->small;
    if (rows > (width < CONV_DIRECT_WIDE ? CONV_DIRECT_ROWS / 2 : CONV_DIRECT_ROWS)) return false;
    const double weights = (double)rows * (double)conv_depth_channels(conv) * taps_of(conv);
    if (max_terms(conv) > CONV_DIRECT_TERMS || weights > CONV_DIRECT_WEIGHTS) return false;
    return conv_direct_plan(conv, conv->to_large, conv_depth_channels(conv)).fits;
}

static double result_bytes(const struct k_conv *conv)
{
    const struct k_conv_tensor *to = conv->to_large ? &conv->large : &conv->small;
    double bytes = to->dtype == K_F32 ? 4 : 2;
    bytes *= (double)conv->batch * (double)conv->groups * (double)conv_rows(conv);
    for (int axis = 0; axis < K_CONV_AXES; axis++)
        bytes *= (double)(conv->to_large ? conv->axis[axis].large : conv->axis[axis].small);
    return bytes;
}

bool k_conv_streams(const struct k_conv *conv)
{
    return 2 * result_bytes(conv) >= (double)k_cache_last_level();
}

struct k_work k_conv_direct_work(const struct k_conv *conv)
{
    if (conv_is_along(conv)) {
        const struct conv_along_plan along = conv_along_plan(conv);
        return work_of(along.items,
                       (2 * max_terms(conv) + 8) * (double)along.channels * (double)along.size[2]);
    }
    const struct conv_direct_plan plan =
        conv_direct_plan(conv, conv->to_large, conv_depth_channels(conv));
    const double terms = max_terms(conv), rows = (double)conv_rows(conv);
    return work_of(plan.bands * conv->groups,
                   (2 * rows * terms + 8 * (double)conv_depth_channels(conv) + 8 * rows) *
                       (double)plan.rows * (double)plan.columns);
}

/* Of both sides: the small one's rows are not longer than the large one's with their margins. */
static int64_t direct_channels(const struct k_conv *conv)
{
    return conv->small_channels + conv->large_channels;
}

size_t k_conv_parts_bytes(const struct k_conv *conv)
{
    return bytes_of(conv->parts, conv->groups * conv->small_channels,
                    conv->large_channels * conv_taps(conv), sizeof(float));
}

/* So far there is one. pieces: that a part may be made of; items: of one part. */
static void set_parts(struct k_conv *conv, int64_t pieces, int64_t items)
{
    const size_t bytes = k_conv_parts_bytes(conv);
    int64_t parts = conv_grad_plan(conv).positions / (4 * CONV_GRAD_RUN);
    if (items > 0 && parts > conv_up(CONV_ENOUGH, items)) parts = conv_up(CONV_ENOUGH, items);
    if (parts > pieces) parts = pieces;
    if (bytes > 0 && parts > (int64_t)(CONV_PARTS_BYTES / bytes))
        parts = (int64_t)(CONV_PARTS_BYTES / bytes);
    conv->parts = parts < 1 ? 1 : parts;
}

const char *k_conv_grad_direct_refuses(const struct k_problem *problem)
{
    const struct k_conv *conv = problem->parameters;
    const int64_t m = conv->small_channels, c = conv->large_channels, taps = conv_taps(conv);
    if (m > 2 * CONV_DIRECT_ROWS || c > CONV_DIRECT_SUMS || taps > CONV_DIRECT_SUMS ||
        m * c * taps > CONV_DIRECT_SUMS)
        return "more than a few channels";
    return conv_direct_plan(conv, false, direct_channels(conv)).fits ? NULL
                                                                     : "the window is too wide";
}

struct k_work k_conv_grad_direct_plan(const struct k_problem *problem)
{
    struct k_conv *conv = problem->parameters;
    const bool is_along = conv_grad_is_along(conv);
    set_parts(conv, conv_direct_plan(conv, false, direct_channels(conv)).bands,
              is_along ? conv_up(conv_channels(conv), CONV_ALONG_UNIT) : conv->groups);
    double products = (double)conv->batch * (double)conv->small_channels;
    for (int axis = 0; axis < K_CONV_AXES; axis++)
        products *= (double)conv->axis[axis].small * (double)conv->axis[axis].kernel;
    struct k_work work = work_of(conv->parts * conv->groups,
                                 2 * products * (double)conv->large_channels / (double)conv->parts);
    const int64_t along = CONV_ALONG_UNIT / conv->small_channels; /* whole lines */
    if (is_along && work.grain < along) work.grain = along < work.items ? along : work.items;
    if (work.grain < 1) work.grain = 1;
    return work;
}

const char *k_conv_grad_outer_refuses(const struct k_problem *problem)
{
    return conv_outer_plan(problem->parameters).fits ? NULL : "the window is too wide for a band";
}

/* Of rows by columns of the weight at a time, both packed. */
static struct k_work grad_work(const struct k_conv *conv, int64_t items, int64_t rows,
                               int64_t columns, int64_t taps)
{
    const double packing = 16, m = (double)rows, c = (double)columns;
    const double part = (double)conv_grad_plan(conv).positions / (double)conv->parts;
    return work_of(items, (2 * m * c * (double)taps + packing * (m + c)) * part);
}

struct k_work k_conv_grad_outer_plan(const struct k_problem *problem)
{
    struct k_conv *conv = problem->parameters;
    const struct conv_outer_plan one = conv_outer_plan(conv);
    set_parts(conv, one.tiles, one.items);
    const struct conv_outer_plan plan = conv_outer_plan(conv);
    return grad_work(conv, plan.items, plan.small_rows, plan.channels, conv_taps(conv));
}

bool k_conv_grad_is_whole(const struct k_conv *conv)
{
    return conv_outer_is_whole(conv);
}

struct k_work k_conv_grad_windows_plan(const struct k_problem *problem)
{
    struct k_conv *conv = problem->parameters;
    const struct conv_grad_plan one = conv_grad_plan(conv);
    set_parts(conv, one.positions, one.items);
    const struct conv_grad_plan plan = conv_grad_plan(conv);
    return grad_work(conv, plan.items, plan.rows, plan.columns, 1);
}

struct k_work k_conv_weight_sum_work(const struct k_conv *conv)
{
    const double row = (double)conv->large_channels * (double)conv_taps(conv);
    return work_of(conv->groups * conv->small_channels, 30 * row * (double)conv->parts);
}

struct k_work k_conv_bias_grad_work(const struct k_conv *conv)
{
    double positions = (double)conv->batch;
    for (int axis = 0; axis < K_CONV_AXES; axis++)
        positions *= (double)(conv->to_large ? conv->axis[axis].large : conv->axis[axis].small);
    struct k_work work = work_of(conv->groups * conv_rows(conv), 16 * positions);
    /* Channels side by side share cache lines. */
    const int64_t apart = conv->to_large ? conv->large.inner : conv->small.inner;
    if (apart == 1 && work.grain < 2 * CONV_LANES) work.grain = 2 * CONV_LANES;
    if (work.grain > work.items) work.grain = work.items < 1 ? 1 : work.items;
    return work;
}
