/* SPDX-License-Identifier: Apache-2.0 */
/* Any number of windows over a cell, any step, any number of channels: a row of dX goes through
 * buffers. Along the height, few rows of dY are added one by one; more are the sum from a row to
 * its block's end plus the sum from the next block's begin, and of the former only every so manieth
 * is kept, the others are made again segment by segment. Along the width see slide(). */
#ifndef ACLNN_CPU_KERNELS_SIMD_GRAD_ANY_H
#define ACLNN_CPU_KERNELS_SIMD_GRAD_ANY_H

#include "kernels/simd/grad.h"

struct any {
    _Alignas(LINE_BYTES) float windows[POOL_ROW_WINDOWS + VL], levels[POOL_ROW_WINDOWS + VL];
    float all[POOL_ROW_WINDOWS + VL], fewer[POOL_ROW_WINDOWS + VL];
    float cells[POOL_CELLS_FLOATS + 2 * VL];
    int64_t low, high; /* rows of dY that `cells` are of */
    int64_t pitch;     /* floats of a row of windows */
    bool scales;       /* windows by their extent along the width, before they are summed */

    /* The sum of rows begin .. next - 1 of dY, where a block begins, and the sums of the block
     * before: from the rows [segment, segment + plan.segment) to the block's end. */
    int64_t begin, next, block, segment;
    float *prefix, *suffix, *marks; /* marks[k]: from the block's row k * plan.segment to its end */
    float storage[POOL_TALL_FLOATS + 4 * VL];
};

/* count elements at `at` of a plane's row and of those `depths` planes on, scaled and summed; added
 * to `to` if add. */
K_TEMPLATE
void any_run(enum k_dtype dt, const struct grad *g, const char *at, const float factor[],
             int depths, int64_t count, bool add, float *to)
{
    const struct pool_plan *plan = &g->plan;
    const int64_t plane = plan->height.out * plan->width.out * plan->channels * k_size(dt);
    for (int64_t x = 0; x < count; x += VL) {
        const int left = (int)pool_min(count - x, VL);
        vf sum = {0};
        for (int d = 0; d < depths; d++) {
            const char *from = at + d * plane + x * k_size(dt);
            vf value =
                left == VL ? k_load(dt, from) : k_load_first_before(dt, from, left, g->dy_end);
            value =
                pool_round(dt, g->pool->rounding, value) * factor[d] + 0.0f; /* block_multiply */
            sum = d == 0 ? value : sum + value;
        }
        if (add) sum = v_load(to + x) + sum;
        if (left == VL)
            v_store(to + x, sum);
        else
            memcpy(to + x, &sum, (size_t)left * sizeof(float));
    }
}

/* Windows [first, first + count) of the column in row `row` of dY and in planes [depth, depth +
 * depths): scaled, summed along the depth; added to `to` if add. */
K_TEMPLATE
void any_planes(enum k_dtype dt, const struct grad *g, int64_t row, int depth, int depths,
                int64_t first, int64_t count, bool add, float *to)
{
    const struct pool_plan *plan = &g->plan;
    const int64_t plane = plan->height.out * plan->width.out * plan->channels * k_size(dt);
    const int64_t window = plan->channels * k_size(dt);
    float factor[POOL_DIRECT];
    for (int d = 0; d < depths; d++)
        factor[d] = factor_of(g, depth + d, row);
    const char *at = row_of_dy(g, row, k_size(dt)) + depth * plane + first * window;
    if (g->channels == plan->channels) {
        any_run(dt, g, at, factor, depths, count * g->channels, add, to);
        return;
    }
    for (int64_t j = 0; j < count; j++, at += window, to += g->channels)
        any_run(dt, g, at, factor, depths, g->channels, add, to);
}

/* The same of all planes. */
K_TEMPLATE
void any_windows(enum k_dtype dt, const struct grad *g, int64_t row, int64_t first, int64_t count,
                 float *to)
{
    for (int d = 0; d < g->depths; d += POOL_DIRECT)
        any_planes(dt, g, row, d, (int)pool_min(g->depths - d, POOL_DIRECT), first, count, d > 0,
                   to);
}

static inline void add_rows(float *to, const float *a, const float *b, int64_t count)
{
    for (int64_t x = 0; x < count; x += VL)
        v_store(to + x, v_load(a + x) + v_load(b + x));
}

/* A tile where windows are very many is of one channel and has plan.steps places S. Its windows at
 * [0, S) before it and at [most, most + S - 1) behind it hold some of its cells; those at [S, most)
 * hold all of them. Window 0 of the column has place g->lead; places without a window count as
 * zeros. */

/* Scales windows [first, first + count) of the column by their extent along the width. */
static inline void any_scale(const struct grad *g, int64_t first, int64_t count, float *to)
{
    int64_t low, high;
    whole_windows(&g->plan.width, g->pool->count_padding, &low, &high);
    const float whole = (float)(1.0 / (double)g->plan.width.kernel);
    for (int64_t j = 0; j < count; j++) {
        const int64_t window = g->first_window + first + j;
        const bool is_whole = window >= low && window < high;
        to[j] = to[j] * (is_whole ? whole : width_factor(g, window)) + 0.0f;
    }
}

/* Windows at places [begin, end), scaled and summed along the depth, to `to`; zeros where there is
 * no window. */
K_TEMPLATE
void any_places(enum k_dtype dt, const struct grad *g, bool scales, int64_t row, int64_t begin,
                int64_t end, float *to)
{
    const int64_t first = pool_min(pool_max(begin - g->lead, 0), g->real);
    const int64_t stop = pool_max(pool_min(end - g->lead, g->real), first);
    memset(to, 0, (size_t)(end - begin) * sizeof *to);
    if (first == stop) return;
    float *at = to + first + g->lead - begin;
    any_windows(dt, g, row, first, stop - first, at);
    if (scales) any_scale(g, first, stop - first, at);
}

/* The sum of the windows that hold all cells: the sums of every 16th, added in pairs. */
K_TEMPLATE
float any_core(enum k_dtype dt, const struct grad *g, struct any *any, int64_t row)
{
    enum { WAYS = 16 };
    _Static_assert((int)POOL_ROW_WINDOWS % WAYS == 0, "a chunk is whole");
    _Alignas(LINE_BYTES) float sums[WAYS] = {0};
    float *chunk = any->all;
    const int64_t steps = g->plan.steps, first = pool_max(steps, g->lead);
    const int64_t end = pool_min(g->plan.width.most, g->lead + g->real);
    int64_t begin = steps + (first - steps) / WAYS * WAYS;
    for (; begin < end; begin += POOL_ROW_WINDOWS) {
        const int64_t count = pool_min(end - begin, POOL_ROW_WINDOWS);
        const int64_t padded = (count + WAYS - 1) / WAYS * WAYS;
        any_places(dt, g, any->scales, row, begin, begin + count, chunk);
        memset(chunk + count, 0, (size_t)(padded - count) * sizeof *chunk);
        for (int64_t x = 0; x < padded; x += WAYS)
            add_rows(sums, sums, chunk + x, WAYS);
    }
    for (int half = WAYS / 2; half > 0; half /= 2)
        for (int x = 0; x < half; x++)
            sums[x] = sums[x] + sums[half + x];
    return sums[0];
}

/* Row `row` of dY in those places: S windows, the sum of the core, S - 1 windows. One function for
 * all types: it is rare, and a branch per vector costs less than it takes to compile. */
K_OUTLINE void any_wide_row(enum k_dtype dt, const struct grad *g, struct any *any, int64_t row,
                            float *to)
{
    const int64_t steps = g->plan.steps, most = g->plan.width.most;
    any_places(dt, g, any->scales, row, 0, steps, to);
    to[steps] = any_core(dt, g, any, row);
    any_places(dt, g, any->scales, row, most, most + steps - 1, to + steps + 1);
}

/* Row `row` of dY: scaled, summed along the depth; added to `to` if add. */
K_TEMPLATE
void any_row_of_dy(enum k_dtype dt, const struct grad *g, struct any *any, int64_t row, bool add,
                   float *to)
{
    if (g->plan.steps == 0 && g->depths <= POOL_DIRECT) {
        any_planes(dt, g, row, 0, g->depths, 0, g->real, add, to);
        return;
    }
    float *sum = add ? any->levels : to;
    if (g->plan.steps > 0)
        any_wide_row(dt, g, any, row, sum);
    else
        any_windows(dt, g, row, 0, g->real, sum);
    if (add) add_rows(to, to, sum, any->pitch);
}

/* The sums from each row of a segment to the end of its block, in place of the segment kept. */
K_TEMPLATE
void any_segment(enum k_dtype dt, const struct grad *g, struct any *any, int64_t block_end,
                 int64_t segment)
{
    const int size = g->plan.segment;
    const int64_t pitch = any->pitch, end = pool_min(segment + size, block_end);
    const float *after = any->marks + (segment + size - any->block) / size * pitch;
    if (end == block_end) after = NULL;
    for (int64_t row = end - 1; row >= segment; row--) {
        float *to = any->suffix + (row - segment) * pitch;
        any_row_of_dy(dt, g, any, row, false, to);
        if (after) add_rows(to, to, after, pitch);
        after = to;
    }
    any->segment = segment;
}

/* The sum from row `low` to the end of its block, which begins at `block`. */
K_TEMPLATE
const float *any_suffix(enum k_dtype dt, const struct grad *g, struct any *any, int64_t block,
                        int64_t low)
{
    const int size = g->plan.segment;
    const int64_t end = pool_min(block + g->plan.heights, g->plan.height.out);
    const int64_t segment = block + (low - block) / size * size;
    if (any->block != block) {
        any->block = block;
        any->segment = -1;
        const int64_t last = block + (end - 1 - block) / size * size;
        for (int64_t at = last; at > segment; at -= size) {
            any_segment(dt, g, any, end, at);
            memcpy(any->marks + (at - block) / size * any->pitch, any->suffix,
                   (size_t)any->pitch * sizeof(float));
        }
    }
    if (any->segment != segment) any_segment(dt, g, any, end, segment);
    return any->suffix + (low - segment) * any->pitch;
}

/* Rows low to high of dY, summed into `to`. */
K_TEMPLATE
void any_tall(enum k_dtype dt, const struct grad *g, struct any *any, int64_t low, int64_t high,
              float *to)
{
    const int64_t block = g->plan.heights, last = high / block * block, pitch = any->pitch;
    if (g->plan.segment == 0) {
        for (int64_t row = low; row <= high; row++)
            any_row_of_dy(dt, g, any, row, row > low, to);
        return;
    }
    if (low > last) { /* ends with a block */
        memcpy(to, any_suffix(dt, g, any, last, low), (size_t)pitch * sizeof *to);
        return;
    }
    if (any->begin != last) any->begin = any->next = last;
    for (; any->next <= high; any->next++)
        any_row_of_dy(dt, g, any, any->next, any->next > last, any->prefix);
    if (low == last)
        memcpy(to, any->prefix, (size_t)pitch * sizeof *to);
    else
        add_rows(to, any_suffix(dt, g, any, last - block, low), any->prefix, pitch);
}

/* to[i] = from[i] + from[i + gap] + ... (most terms). In one order for every shape: up to
 * POOL_REGISTER_WINDOWS terms one by one; else the first one plus sums of a power of two, the small
 * ones behind. from is destroyed. */
static inline void slide(float *to, float *from, int most, int64_t gap, int64_t count)
{
    if (most <= POOL_REGISTER_WINDOWS) {
        for (int64_t x = 0; x < count; x += VL) {
            vf sum = most == 0 ? (vf){0} : v_load(from + x);
            for (int t = 1; t < most; t++)
                sum = sum + v_load(from + x + t * gap);
            v_store(to + x, sum);
        }
        return;
    }
    int64_t covered = 0, reach = count + (most - 1) * gap; /* from[0 .. reach) is valid */
    for (int bit = 1; bit <= most; bit *= 2) {
        for (int64_t x = 0; (most & bit) != 0 && x < count; x += VL) {
            const vf level = v_load(from + x + covered * gap);
            v_store(to + x, covered == 0 ? level : v_load(to + x) + level);
        }
        if ((most & bit) != 0) covered += bit;
        reach -= bit * gap;
        for (int64_t x = 0; 2 * bit <= most && x < reach; x += VL)
            v_store(from + x, v_load(from + x) + v_load(from + x + bit * gap));
    }
}

/* `cells` cells take the same channels. */
static inline void cells_fill(float *e, const float *from, int channels, int64_t cells)
{
    if (channels == 1) {
        const vf value = v_all(*from);
        for (int64_t i = 0; i < cells; i += VL)
            v_store(e + i, value);
        return;
    }
    for (int64_t i = 0; i < cells; i++, e += channels)
        for (int x = 0; x < channels; x += VL)
            v_store(e + x, v_load(from + x));
}

/* The sums of all windows over a step's cells and of all but the oldest one, from any->windows with
 * the places of a wide row, which become the sums from each place to the core and from behind the
 * core to each place. */
static inline void any_wide_sums(const struct grad *g, struct any *any, int64_t count)
{
    const int steps = g->plan.steps;
    float *before = any->windows, *behind = before + steps; /* [step], but for behind[0] */
    for (int step = steps - 1; step >= 0; step--)
        before[step] = before[step] + before[step + 1];
    for (int step = 2; step < steps; step++)
        behind[step] = behind[step] + behind[step - 1];
    any->all[0] = before[0];
    any->fewer[0] = before[1];
    for (int64_t step = 1; step < count; step++) {
        any->all[step] = before[step] + behind[step];
        any->fewer[step] = before[step + 1] + behind[step];
    }
}

/* From any->windows, which begin with g->lead zeros, to any->cells. */
static inline void any_spread(const struct grad *g, struct any *any)
{
    const struct pool_axis *axis = &g->plan.width;
    const int64_t most = axis->most;
    const int channels = g->channels;
    const int64_t sums = g->count + g->lead - most + 1, floats = sums * channels;
    if (g->plan.steps > 0) {
        any_wide_sums(g, any, sums);
    } else if (most <= POOL_REGISTER_WINDOWS) {
        slide(any->all, any->windows, (int)most, channels, floats);
        slide(any->fewer, any->windows + channels, (int)most - 1, channels, floats);
    } else {
        memcpy(any->levels, any->windows, sizeof any->levels);
        slide(any->fewer, any->levels + channels, (int)most - 1, channels, floats);
        for (int64_t x = 0; x < floats; x += VL)
            v_store(any->all + x, v_load(any->windows + x) + v_load(any->fewer + x));
    }
    const float *all = any->all, *fewer = any->fewer;
    int64_t cell = (most - 1 - g->lead) * axis->stride - g->front;
    for (; cell < g->cells; cell += axis->stride, all += channels, fewer += channels) {
        const int64_t end = pool_min(cell + axis->stride, g->cells);
        const int64_t begin = pool_max(cell, 0);
        const int64_t split = pool_max(pool_min(cell + axis->rest, end), begin);
        cells_fill(any->cells + begin * channels, all, channels, split - begin);
        if (split < end) cells_fill(any->cells + split * channels, fewer, channels, end - split);
    }
}

/* Makes any->cells of rows low to high of dY. */
K_TEMPLATE
void any_cells(enum k_dtype dt, const struct grad *g, struct any *any, int64_t low, int64_t high)
{
    const int64_t channels = g->channels, floats = g->real * channels;
    float *to = any->windows + (g->plan.steps > 0 ? 0 : g->lead * channels);
    memset(any->windows, 0, sizeof any->windows);
    if (low > high || g->depths == 0 || g->real == 0) {
        memset(any->cells, 0, (size_t)(g->cells * channels) * sizeof(float));
        return;
    }
    any_tall(dt, g, any, low, high, to);
    if (!g->widths.uniform) {
        for (int j = 0; j < g->real; j++)
            for (int64_t x = 0; x < channels; x++)
                to[j * channels + x] = to[j * channels + x] * g->widths.plain[j] + 0.0f;
    }
    if (g->plan.steps == 0) memset(to + floats, 0, VL * sizeof(float));
    any_spread(g, any);
}

/* `count` floats of any->cells from x on, as elements; up to K_VECTOR_BYTES behind them are
 * overwritten. */
K_TEMPLATE
void any_put(enum k_dtype dt, const float *from, int64_t count, char *to)
{
    for (int64_t x = 0; x < count; x += VL)
        k_store(dt, to + x * k_size(dt), v_load(from + x));
}

static inline void any_begin(const struct grad *g, struct any *any)
{
    any->low = any->high = any->begin = any->block = any->segment = -1;
    const int64_t places = g->plan.steps > 0 ? 2 * g->plan.steps : g->real;
    any->pitch = (places * g->channels + VL - 1) / VL * VL;
    any->prefix = any->storage;
    any->suffix = any->prefix + any->pitch;
    any->marks = any->suffix + g->plan.segment * any->pitch;
}

/* Rows [h, end) of this column. */
K_TEMPLATE
void walk_any(enum k_dtype dt, struct grad *g, struct any *any, int64_t h, int64_t end)
{
    const int64_t bytes = g->channels * k_size(dt);
    any_begin(g, any);
    for (; h < end; h++) {
        int64_t low, high;
        windows_of_cell(&g->plan.height, h, &low, &high);
        if (low != any->low || high != any->high) any_cells(dt, g, any, low, high);
        any->low = low, any->high = high;
        char *to = row_of_dx(g, h, k_size(dt));
        const bool tiles = g->plan.channel_tiles > 1;
        const int64_t pieces = tiles ? g->cells : 1;
        const int64_t floats = tiles ? g->channels : (int64_t)g->cells * g->channels;
        for (int64_t i = 0; i < pieces; i++, to += g->plan.channels * k_size(dt)) {
            const int64_t part = tiles ? bytes : bytes * g->cells;
            if (!g->contiguous) outlet_begin(&g->outlet, to, part, g->pool->stream_output);
            any_put(dt, any->cells + i * g->channels, floats, outlet_room(&g->outlet, 1, part));
            outlet_took(&g->outlet, 1, part);
            if (!g->contiguous) outlet_end(&g->outlet);
        }
    }
}

#endif
