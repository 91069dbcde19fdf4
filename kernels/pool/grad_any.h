/* SPDX-License-Identifier: Apache-2.0 */
/* Any number of windows over a cell, any step, any number of channels: a row of dX at a time. Along
 * the height, few rows of dY are added one by one. More are the sum from a row to the end of its
 * block plus the sum from the beginning of the next block; of the former only every so many rows
 * are stored, the rows between are recomputed. Along the width see slide(). */
#ifndef ACLNN_CPU_KERNELS_POOL_GRAD_ANY_H
#define ACLNN_CPU_KERNELS_POOL_GRAD_ANY_H

#include "kernels/pool/grad.h"

enum { ANY_ROOM = POOL_ROW_WINDOWS + 8 * VL }; /* floats of a row of sums */

struct any {
    /* A row of windows, summed along the height, from place `ahead` on: zeros where there is none.
     * The sums of all windows over a step's cells and of all but the oldest one, then elements. */
    _Alignas(LINE_BYTES) float windows[ANY_ROOM], all[ANY_ROOM], fewer[ANY_ROOM];
    float levels[ANY_ROOM], widths[ANY_ROOM]; /* widths: a factor per float */
    char cells[POOL_CELLS_FLOATS * 4 + K_VECTOR_BYTES];
    int64_t ahead, room, pitch; /* floats: before the first window, of a row, of a row of dY */
    int64_t low, n;             /* the rows of dY in `all` and `fewer`; n < 0: none */
    bool scales; /* windows by their extent along the width, before they are summed */
    bool made;   /* the tables, for a column as long as the one in work */

    /* The sum of rows begin .. next - 1 of dY, where a block begins, and the sums of the block
     * before: from the rows [segment, segment + plan.segment) to the block's end. */
    int64_t begin, next, block, segment;
    float *prefix, *suffix, *marks; /* marks[k]: from the block's row k * plan.segment to its end */
    _Alignas(LINE_BYTES) float storage[POOL_TALL_FLOATS + 4 * VL];
};

/* `count` elements at `at` and in `depths` planes, plane_bytes apart, scaled and summed; added to
 * what is there if `add`. padded: zeros fill the last vector. */
K_TEMPLATE
void any_scaled(enum k_dtype dt, const struct grad *g, const char *at, int64_t plane_bytes,
                int depths, const float factor[], int64_t count, bool add, bool padded, float *to)
{
    const enum k_rounding rounding = g->pool->rounding;
    for (int64_t x = 0; x < count; x += VL) {
        const int left = (int)pool_min(count - x, VL);
        vf sum = {0};
        for (int d = 0; d < depths; d++) {
            const char *from = at + d * plane_bytes + x * k_size(dt);
            vf value =
                left == VL ? k_load(dt, from) : k_load_first_before(dt, from, left, g->dy_end);
            value = pool_round(dt, rounding, value) * factor[d] + 0.0f; /* block_multiply */
            sum = d == 0 ? value : sum + value;
        }
        if (add) sum = v_load(to + x) + sum;
        if (left == VL || padded)
            v_store(to + x, sum);
        else
            memcpy(to + x, &sum, (size_t)left * sizeof(float));
    }
}

/* Windows [first, first + count) of the column in row `row` of dY, scaled and summed along the
 * depth: sums of POOL_DIRECT planes are added. */
K_TEMPLATE
void any_windows(enum k_dtype dt, const struct grad *g, int64_t row, int64_t first, int64_t count,
                 bool add, float *to)
{
    const struct pool_plan *plan = &g->plan;
    const int64_t window = plan->channels * k_size(dt);
    const int64_t plane_bytes = plan->height.out * plan->width.out * window;
    const bool joined = g->channels == plan->channels;
    const bool whole = g->depths == 1 && row >= g->whole_low && row < g->whole_high;
    for (int first_depth = 0; first_depth < g->depths; first_depth += POOL_DIRECT) {
        const int depths = (int)pool_min(g->depths - first_depth, POOL_DIRECT);
        const char *at = row_of_dy(g, row, k_size(dt)) + first_depth * plane_bytes + first * window;
        float factor[POOL_DIRECT];
        for (int d = 0; d < depths; d++)
            factor[d] = whole ? g->whole_factor : factor_of(g, first_depth + d, row);
        if (joined) {
            any_scaled(dt, g, at, plane_bytes, depths, factor, count * g->channels,
                       add || first_depth > 0, plan->steps == 0, to);
            continue;
        }
        for (int64_t j = 0; j < count; j++)
            any_scaled(dt, g, at + j * window, plane_bytes, depths, factor, g->channels,
                       add || first_depth > 0, false, to + j * g->channels);
    }
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
    const float whole = (float)(g->width_size / (double)g->plan.width.kernel);
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
    any_windows(dt, g, row, first, stop - first, false, at);
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

/* Row `row` of dY: scaled, summed along the depth; added to `to` if `add`. Where windows are very
 * many: S windows, the sum of the core, S - 1 windows. */
K_OUTLINE void any_row_of_dy(enum k_dtype dt, const struct grad *g, struct any *any, int64_t row,
                             bool add, float *to)
{
    const int64_t steps = g->plan.steps, most = g->plan.width.most;
    float *sum = add ? any->levels : to;
    if (steps == 0 && (!add || g->depths <= POOL_DIRECT)) {
        any_windows(dt, g, row, 0, g->real, add, to);
        return;
    }
    if (steps == 0) {
        any_windows(dt, g, row, 0, g->real, false, sum);
    } else {
        any_places(dt, g, any->scales, row, 0, steps, sum);
        sum[steps] = any_core(dt, g, any, row);
        any_places(dt, g, any->scales, row, most, most + steps - 1, sum + steps + 1);
    }
    if (add) add_rows(to, to, sum, any->pitch);
}

/* The sums from each row of a segment to the end of its block, in place of the segment kept. */
static inline void any_segment(enum k_dtype dt, const struct grad *g, struct any *any,
                               int64_t block_end, int64_t segment)
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
static inline const float *any_suffix(enum k_dtype dt, const struct grad *g, struct any *any,
                                      int64_t block, int64_t low)
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

/* Rows low to high of dY summed into `to`. */
static inline void any_tall(enum k_dtype dt, const struct grad *g, struct any *any, int64_t low,
                            int64_t high, float *to)
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

/* The sums of all windows over a step's cells and of all but the oldest one, from a row with the
 * places of a wide row, which become the sums from each place to the core and from behind the core
 * to each place. */
static inline void any_wide_sums(const struct grad *g, struct any *any, float *before)
{
    const int steps = g->plan.steps;
    float *behind = before + steps; /* [step], but for behind[0] */
    const int64_t count = g->count + g->lead - g->plan.width.most + 1;
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

/* The same where windows fit a row. */
static inline void any_sums(const struct grad *g, struct any *any, const float *windows)
{
    const int64_t most = g->plan.width.most, gap = g->channels;
    const int64_t floats = (g->count + g->lead - most + 1) * gap;
    memcpy(any->levels, windows, (size_t)any->room * sizeof(float));
    slide(any->fewer, any->levels + gap, (int)most - 1, gap, floats);
    if (most > POOL_REGISTER_WINDOWS)
        add_rows(any->all, windows, any->fewer, floats);
    else
        slide(any->all, (float *)windows, (int)most, gap, floats);
}

/* floats as elements, in place. */
K_TEMPLATE
void any_elements(enum k_dtype dt, float *row, int64_t count)
{
    if (dt == K_F32) return;
    for (int64_t x = 0; x < count; x += VL)
        k_store(dt, (char *)row + x * k_size(dt), v_load(row + x));
}

/* `all` and `fewer` for row h of dX. */
K_TEMPLATE
void any_row(enum k_dtype dt, const struct grad *g, struct any *any, int64_t h)
{
    const int64_t channels = g->channels, most = g->plan.width.most;
    const bool wide = g->plan.steps > 0;
    int64_t low, high;
    windows_of_cell(&g->plan.height, h, &low, &high);
    const int64_t n = g->depths == 0 || g->real == 0 ? 0 : pool_max(high - low + 1, 0);
    if (any->n == n && (n == 0 || any->low == low)) return;
    any->low = low, any->n = n;
    float *windows = any->windows + any->ahead, *to = windows + (wide ? 0 : g->lead * channels);
    memset(windows, 0, (size_t)any->room * sizeof *windows);
    if (n > 0) {
        any_tall(dt, g, any, low, high, to);
        for (int64_t x = 0; !g->widths.uniform && x < any->pitch; x += VL)
            v_store(to + x, v_load(to + x) * v_load(any->widths + x) + 0.0f);
        if (!wide) memset(to + g->real * channels, 0, VL * sizeof *to);
    }
    if (wide)
        any_wide_sums(g, any, windows);
    else
        any_sums(g, any, windows);
    any_elements(dt, any->all, (g->count + g->lead - most + 1) * channels);
    any_elements(dt, any->fewer, (g->count + g->lead - most + 1) * channels);
}

/* What depends on the column, but for the rows. */
static inline void any_begin(const struct grad *g, struct any *any)
{
    const bool alike = g->plan.cell_tiles == 1 && g->plan.channel_tiles == 1;
    const bool wide = g->plan.steps > 0;
    const int64_t channels = g->channels, real = (wide ? 2 * g->plan.steps : g->real) * channels;
    const int64_t all = (wide ? 2 * g->plan.steps : g->lead + g->count) * channels;
    any->n = any->begin = any->next = any->block = any->segment = -1;
    if (alike && any->made) return;
    any->made = true;
    any->pitch = (real + VL - 1) / VL * VL;
    any->room = (all + 4 * VL - 1) / VL * VL;
    any->ahead = wide ? 0 : (VL - g->lead * channels % VL) % VL; /* stores are aligned */
    memset(any->windows, 0, sizeof any->windows);
    any->prefix = any->storage;
    any->suffix = any->prefix + any->pitch;
    any->marks = any->suffix + g->plan.segment * any->pitch;
    for (int64_t x = 0; x < any->pitch && !g->widths.uniform; x++)
        any->widths[x] = x < real ? g->widths.plain[x / channels] : 0;
}

/* The cells of the row in work. */
static inline void any_cells(const struct grad *g, const struct any *any, int64_t bytes, char *to)
{
    const struct pool_axis *width = &g->plan.width;
    const char *all = (const char *)any->all, *fewer = (const char *)any->fewer;
    if (width->stride == 1) {
        memcpy(to, all, (size_t)(g->cells * bytes));
        return;
    }
    int64_t place = (g->first_cell + width->pad) % width->stride;
    for (int cell = 0; cell < g->cells; cell++, to += bytes) {
        memcpy(to, place < width->rest ? all : fewer, (size_t)bytes);
        if (++place == width->stride) place = 0, all += bytes, fewer += bytes;
    }
}

/* Rows [h, end) of this column. */
K_TEMPLATE
void walk_any(enum k_dtype dt, struct grad *g, struct any *any, int64_t h, int64_t end)
{
    const int64_t bytes = g->channels * k_size(dt), row = g->cells * bytes;
    const bool stream = g->pool->stream_output;
    any_begin(g, any);
    for (; h < end; h++) {
        char *to = row_of_dx(g, h, k_size(dt));
        any_row(dt, g, any, h);
        if (g->plan.channel_tiles > 1) {
            any_cells(g, any, bytes, any->cells);
            for (int i = 0; i < g->cells; i++)
                memcpy(to + i * g->plan.channels * k_size(dt), any->cells + i * bytes,
                       (size_t)bytes);
            continue;
        }
        if (!g->contiguous) outlet_begin(&g->outlet, to, row, stream);
        any_cells(g, any, bytes, outlet_room(&g->outlet, 1, row));
        outlet_took(&g->outlet, 1, row);
        if (!g->contiguous) outlet_end(&g->outlet);
    }
}

#endif
