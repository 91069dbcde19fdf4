/* SPDX-License-Identifier: Apache-2.0 */
/* Any number of windows over a cell, any step, any number of channels: rows of dX go through
 * buffers, several at a time, so that stores have left the store queue when others than they were
 * made by are read. Along the height, few rows of dY are added one by one; more are the sum from a
 * row to its block's end plus the sum from the next block's begin, and of the former only every so
 * manieth is kept, the others are made again segment by segment. Along the width see slide(). */
#ifndef ACLNN_CPU_KERNELS_POOL_GRAD_ANY_H
#define ACLNN_CPU_KERNELS_POOL_GRAD_ANY_H

#include "kernels/pool/grad_scaled.h"
#include "kernels/pool/grad_steps.h"

enum {
    ANY_ROOM = 2 * (POOL_ROW_WINDOWS + 5 * VL), /* floats of rows of sums */
    ANY_ROWS = 32,                              /* of dX at a time */
    ANY_RUN = 2048                              /* bytes that go out at once, or one row */
};

/* Rows of dX: which row of sums each is made of; which rows of dY each of those is, the oldest and
 * how many. */
struct any_rows {
    int count, sums, row_of[ANY_ROWS], n[ANY_ROWS];
    int64_t low[ANY_ROWS];
    int64_t first, last; /* of dY: all are in [first, last) */
};

struct any {
    /* The sums along the height of the rows in work, between zeros where there is no window; their
     * elements, where a step has several cells. */
    _Alignas(LINE_BYTES) float windows[ANY_ROOM], all[ANY_ROOM], fewer[ANY_ROOM];
    /* A row whose windows are many; its sums; a factor per float of it. */
    _Alignas(LINE_BYTES) float levels[POOL_ROW_WINDOWS + 4 * VL];
    float sums[POOL_ROW_WINDOWS + 4 * VL], less[POOL_ROW_WINDOWS + 4 * VL];
    float widths[POOL_ROW_WINDOWS + 4 * VL];
    char cells[POOL_CELLS_FLOATS * 4 + 2 * K_VECTOR_BYTES];
    struct steps steps;
    struct any_rows rows; /* in work */
    int64_t ahead, room;  /* floats before the first row of sums, a block and so many more that
                             what is stored is aligned; and of such a row */
    int64_t pitch;        /* floats of a row of dY */
    bool scales;          /* windows by their extent along the width, before they are summed */
    bool made;            /* the tables, for a column as long as the one in work */

    /* The sum of rows begin .. next - 1 of dY, where a block begins, and the sums of the block
     * before: from the rows [segment, segment + plan.segment) to the block's end. Where rows are
     * few: those before `next`, scaled, row r as number r % ring, a power of two. */
    int64_t begin, next, block, segment, ring;
    float *prefix, *suffix, *marks; /* marks[k]: from the block's row k * plan.segment to its end */
    _Alignas(LINE_BYTES) float storage[POOL_TALL_FLOATS + 4 * VL];
};

/* Windows [first, first + count) of the column in `rows` rows of dY, which have the same factors,
 * from row `row` on, and in planes [depth, depth + depths): scaled, summed along the depth. */
K_TEMPLATE
void any_planes(enum k_dtype dt, const struct grad *g, int64_t row, int rows, int depth, int depths,
                int64_t first, int64_t count, bool add, float *to, int64_t pitch, int64_t batch)
{
    const struct pool_plan *plan = &g->plan;
    const int64_t window = plan->channels * k_size(dt), row_bytes = plan->width.out * window;
    const bool joined = g->channels == plan->channels;
    struct scaled run = {.at = row_of_dy(g, row, k_size(dt)) +
                               depth * plan->height.out * row_bytes + first * window,
                         .end = g->dy_end,
                         .row_bytes = row_bytes,
                         .plane_bytes = plan->height.out * row_bytes,
                         .ahead = (depths - 1) * plan->height.out * row_bytes + batch * row_bytes,
                         .rows = rows,
                         .depths = depths,
                         .count = joined ? count * g->channels : g->channels,
                         .to = to,
                         .pitch = pitch,
                         .add = add,
                         .own = joined && plan->steps == 0,
                         .rounding = g->pool->rounding};
    const bool whole = g->depths == 1 && row >= g->whole_low && row < g->whole_high;
    for (int d = 0; d < depths; d++)
        run.factor[d] = whole ? g->whole_factor : factor_of(g, depth + d, row);
    for (int64_t j = 0; j < (joined ? 1 : count); j++) {
        scaled_rows(dt, &run);
        run.at += window;
        run.to += g->channels;
    }
}

/* The same of all planes. */
K_TEMPLATE
void any_windows(enum k_dtype dt, const struct grad *g, int64_t row, int64_t first, int64_t count,
                 float *to)
{
    for (int d = 0; d < g->depths; d += POOL_DIRECT)
        any_planes(dt, g, row, 1, d, (int)pool_min(g->depths - d, POOL_DIRECT), first, count, d > 0,
                   to, 0, 1);
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
        any_planes(dt, g, row, 1, 0, g->depths, 0, g->real, add, to, 0, 1);
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

/* Rows of dY before `end`, into the ring of scaled rows. */
K_TEMPLATE
void any_ring(enum k_dtype dt, const struct grad *g, struct any *any, int64_t end)
{
    const int64_t pitch = any->pitch, floats = g->real * g->channels, batch = end - any->next;
    while (any->next < end) {
        const int64_t row = any->next, slot = row & (any->ring - 1);
        const bool whole = row >= g->whole_low && row < g->whole_high;
        int64_t rows = whole ? pool_min(g->whole_high, end) - row : 1;
        rows = pool_min(rows, any->ring - slot);
        float *to = any->storage + slot * pitch;
        if (g->depths <= POOL_DIRECT) {
            any_planes(dt, g, row, (int)rows, 0, g->depths, 0, g->real, false, to, pitch, batch);
        } else {
            rows = 1;
            any_windows(dt, g, row, 0, g->real, to);
        }
        for (int64_t r = 0; r < rows && g->channels < g->plan.channels; r++)
            memset(to + r * pitch + floats, 0, (size_t)(pitch - floats) * sizeof *to);
        any->next += rows;
    }
}

/* to = the sum of n rows, times a factor each if there are factors. */
K_TEMPLATE
void any_add_rows(int n, bool uniform, const float *const rows[], const float *widths,
                  int64_t count, float *to)
{
    const float *from[POOL_DIRECT];
    for (int r = 0; r < n; r++)
        from[r] = rows[r];
    for (int64_t x = 0; x < count; x += VL) {
        vf sum = v_load(from[0] + x);
#pragma GCC unroll 8
        for (int r = 1; r < n; r++)
            sum = sum + v_load(from[r] + x);
        v_store(to + x, uniform ? sum : sum * v_load(widths + x) + 0.0f);
    }
}

K_TEMPLATE
void any_add(int n, const float *const from[], const float *widths, int64_t count, float *to)
{
    if (widths)
        any_add_rows(n, false, from, widths, count, to);
    else
        any_add_rows(n, true, from, widths, count, to);
}

_Static_assert((int)POOL_DIRECT == 8, "any_heights");
_Static_assert(2 * POOL_DIRECT * POOL_ROW_WINDOWS <= POOL_TALL_FLOATS,
               "a ring of the longest rows");

/* The rows of sums in work, each of at most POOL_DIRECT rows of the ring. */
K_OUTLINE void any_heights(struct any *any, const float *widths, int64_t lead)
{
    const struct any_rows rows = any->rows;
    const float *from[POOL_DIRECT];
    const int64_t pitch = any->pitch, mask = any->ring - 1, room = any->room;
    float *to = any->windows + any->ahead;
    for (int i = 0; i < rows.sums; i++, to += room) {
        const int n = rows.n[i];
        for (int r = 0; r < n; r++)
            from[r] = any->storage + ((rows.low[i] + r) & mask) * pitch;
        if (n == 0) memset(to, 0, (size_t)room * sizeof *to);
        if (n == 1) any_add(1, from, widths, pitch, to + lead);
        if (n == 2) any_add(2, from, widths, pitch, to + lead);
        if (n == 3) any_add(3, from, widths, pitch, to + lead);
        if (n == 4) any_add(4, from, widths, pitch, to + lead);
        if (n == 5) any_add(5, from, widths, pitch, to + lead);
        if (n == 6) any_add(6, from, widths, pitch, to + lead);
        if (n == 7) any_add(7, from, widths, pitch, to + lead);
        if (n == 8) any_add(8, from, widths, pitch, to + lead);
    }
}

/* Rows low to high of dY, more than POOL_DIRECT, summed into `to`. */
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
    any->sums[0] = before[0];
    any->less[0] = before[1];
    for (int64_t step = 1; step < count; step++) {
        any->sums[step] = before[step] + behind[step];
        any->less[step] = before[step + 1] + behind[step];
    }
}

/* The same where windows are many, but fit a row. */
static inline void any_many_sums(const struct grad *g, struct any *any, const float *windows)
{
    const int64_t most = g->plan.width.most;
    const int64_t floats = (g->count + g->lead - most + 1) * g->channels;
    memcpy(any->levels, windows, (size_t)any->room * sizeof(float));
    slide(any->less, any->levels + g->channels, (int)most - 1, g->channels, floats);
    add_rows(any->sums, windows, any->less, floats);
}

/* The rows of sums in work, each of more than POOL_DIRECT rows of dY, or of wide rows. */
K_TEMPLATE
void any_talls(enum k_dtype dt, const struct grad *g, struct any *any, const float *widths)
{
    float *windows = any->windows + any->ahead;
    for (int i = 0; i < any->rows.sums; i++, windows += any->room) {
        float *to = windows + (g->plan.steps > 0 ? 0 : g->lead * g->channels);
        const int64_t low = any->rows.low[i];
        memset(windows, 0, (size_t)any->room * sizeof *windows);
        if (any->rows.n[i] == 0) continue;
        any_tall(dt, g, any, low, low + any->rows.n[i] - 1, to);
        if (widths) any_add(1, (const float *[]){to}, widths, any->pitch, to);
        if (g->plan.steps == 0) memset(to + g->real * g->channels, 0, VL * sizeof *to);
    }
}

/* Elements of the rows of sums in work: of all of a step's windows, of all but one. */
K_TEMPLATE
void any_elements(enum k_dtype dt, const struct grad *g, struct any *any)
{
    const int64_t channels = g->channels, most = g->plan.width.most;
    struct steps_lines lines = {.from = any->windows + any->ahead,
                                .from_pitch = any->room,
                                .rows = any->rows.sums,
                                .gap = channels,
                                .count = (g->count + g->lead - most + 1) * channels,
                                .to = (char *)any->all,
                                .to_pitch = any->room * (int64_t)sizeof(float)};
    const bool few = g->plan.steps == 0 && most <= POOL_REGISTER_WINDOWS;
    const bool is_step = any->steps.stride > 1, both = any->steps.rest < any->steps.stride;
    if (few && is_step) {
        steps_lines(dt, (int)most, &lines);
        lines.from += channels;
        lines.to = (char *)any->fewer;
        if (both) steps_lines(dt, (int)most - 1, &lines);
    }
    if (few) return;
    lines.rows = 1;
    for (int i = 0; i < any->rows.sums; i++) {
        if (g->plan.steps > 0)
            any_wide_sums(g, any, any->windows + any->ahead + i * any->room);
        else
            any_many_sums(g, any, any->windows + any->ahead + i * any->room);
        lines.from = any->sums;
        lines.to = (char *)(any->all + i * any->room);
        steps_lines(dt, 1, &lines);
        lines.from = any->less;
        lines.to = (char *)(any->fewer + i * any->room);
        if (both) steps_lines(dt, 1, &lines);
    }
}

/* What depends on the column, but for the rows. */
K_TEMPLATE
void any_tables(enum k_dtype dt, const struct grad *g, struct any *any)
{
    const struct pool_axis *width = &g->plan.width;
    const int channels = g->channels;
    const bool wide = g->plan.steps > 0;
    const int64_t real = (wide ? 2 * g->plan.steps : g->real) * channels;
    const int64_t all = (wide ? 2 * g->plan.steps : g->lead + g->count) * channels;
    any->pitch = (real + VL - 1) / VL * VL;
    any->room = (all + 4 * VL - 1) / VL * VL;
    any->ahead = 2 * VL + (wide ? 0 : (VL - g->lead * channels % VL) % VL);
    memset(any->windows, 0, sizeof any->windows);
    any->steps = (struct steps){.cells = g->cells,
                                .bytes = channels * k_size(dt),
                                .offset = (g->first_cell + width->pad) % width->stride,
                                .stride = width->stride,
                                .rest = width->rest};
    steps_make(&any->steps);
    for (int64_t j = 0, x = 0; j < g->real && !g->widths.uniform; j++)
        for (int c = 0; c < channels; c++)
            any->widths[x++] = g->widths.plain[j];
    for (int64_t x = real; x < any->pitch; x++)
        any->widths[x] = 0;
}

K_TEMPLATE
void any_begin(enum k_dtype dt, const struct grad *g, struct any *any)
{
    const bool alike = g->plan.cell_tiles == 1 && g->plan.channel_tiles == 1;
    if (!alike || !any->made) any_tables(dt, g, any);
    any->made = true;
    const int64_t room = (ANY_ROOM - any->ahead) / any->room;
    any->ring = 0;
    if (g->plan.heights <= POOL_DIRECT && g->plan.steps == 0)
        for (any->ring = 1; any->ring < pool_min(room, ANY_ROWS) + g->plan.heights;)
            any->ring *= 2;
    any->begin = any->next = any->block = any->segment = -1;
    any->prefix = any->storage;
    any->suffix = any->prefix + any->pitch;
    any->marks = any->suffix + g->plan.segment * any->pitch;
}

/* Which rows of dX come next: those from h on, before `end`. */
static inline void any_list(const struct grad *g, struct any *any, int64_t h, int64_t end)
{
    const struct pool_axis *height = &g->plan.height;
    const int most = (int)((ANY_ROOM - any->ahead) / any->room);
    struct any_rows rows = {.count = 0};
    int64_t newest = (h + height->pad) / height->stride;
    int64_t place = (h + height->pad) % height->stride, last_low = 0, last_n = -1;
    for (; rows.count < ANY_ROWS && h < end; rows.count++, h++) {
        const int64_t oldest = newest - height->most + (place < height->rest ? 1 : 2);
        const int64_t low = pool_max(oldest, 0), high = pool_min(newest, height->out - 1);
        const bool none = low > high || g->depths == 0 || g->real == 0;
        const int n = none ? 0 : (int)(high - low) + 1;
        if (n != last_n || (low != last_low && n > 0)) {
            if (rows.sums == most) break;
            if (n > 0) rows.first = rows.last == 0 ? low : rows.first, rows.last = low + n;
            rows.n[rows.sums] = n;
            rows.low[rows.sums++] = low;
            last_low = low, last_n = n;
        }
        rows.row_of[rows.count] = rows.sums - 1;
        if (++place == height->stride) place = 0, newest++;
    }
    any->rows = rows;
}

/* What any_lines and any_join make rows of dX of, from h on, before `end`. */
K_TEMPLATE
void any_rows(enum k_dtype dt, const struct grad *g, struct any *any, int64_t h, int64_t end)
{
    const float *widths = g->widths.uniform ? NULL : any->widths;
    any_list(g, any, h, end);
    const struct any_rows *rows = &any->rows;
    if (any->ring > 0) {
        any->next = pool_max(any->next, rows->first);
        any_ring(dt, g, any, rows->last);
        any_heights(any, widths, g->lead * g->channels);
    } else {
        any_talls(dt, g, any, widths);
    }
    any_elements(dt, g, any);
}

/* Do rows go out as one, in whole vectors? */
static inline bool any_joins(const struct pool_plan *plan, int64_t element, bool stream)
{
    const bool is_long = plan->cells * plan->channels * element >= 4 * K_VECTOR_BYTES;
    return plan->way == POOL_ANY && plan->width.stride == 1 && plan->steps == 0 &&
           plan->width.most <= POOL_REGISTER_WINDOWS && (stream || is_long);
}

K_TEMPLATE
void any_join(enum k_dtype dt, struct grad *g, const struct any *any)
{
    const struct steps_lines lines = {.from = any->windows + any->ahead,
                                      .from_pitch = any->room,
                                      .row_of = any->rows.row_of,
                                      .rows = any->rows.count,
                                      .gap = g->channels,
                                      .count = g->cells * g->channels};
    const int most = (int)g->plan.width.most;
    if (dt == K_F32) steps_join_f32(most, g->outlet.stream, &lines, &g->outlet.vectors);
    if (dt == K_F16) steps_join_f16(most, g->outlet.stream, &lines, &g->outlet.vectors);
    if (dt == K_BF16) steps_join_bf16(most, g->outlet.stream, &lines, &g->outlet.vectors);
}

/* Cells of rows in work from `row` on; up to a vector behind them is overwritten. */
K_TEMPLATE
void any_lines(enum k_dtype dt, const struct grad *g, struct any *any, int row, int rows, char *to,
               int64_t pitch)
{
    const int64_t channels = g->channels, most = g->plan.width.most;
    const int64_t floats = g->cells * channels;
    const int *row_of = any->rows.row_of + row;
    if (any->steps.stride > 1) {
        steps_cells(&any->steps, any->all, any->fewer, any->room, row_of, rows, to, pitch);
        return;
    }
    if (g->plan.steps == 0 && most <= POOL_REGISTER_WINDOWS) {
        const struct steps_lines lines = {.from = any->windows + any->ahead,
                                          .from_pitch = any->room,
                                          .row_of = row_of,
                                          .rows = rows,
                                          .gap = channels,
                                          .count = floats,
                                          .to = to,
                                          .to_pitch = pitch};
        steps_lines(dt, (int)most, &lines);
        return;
    }
    for (int r = 0; r < rows; r++, to += pitch)
        memcpy(to, any->all + row_of[r] * any->room, (size_t)(floats * k_size(dt)));
}

/* A row of a tile that has not all channels. */
K_TEMPLATE
void any_put_cells(enum k_dtype dt, struct grad *g, struct any *any, int row, char *to)
{
    const int64_t bytes = g->channels * k_size(dt);
    const char *from = any->cells;
    any_lines(dt, g, any, row, 1, any->cells, 0);
    for (int i = 0; i < g->cells; i++, from += bytes, to += g->plan.channels * k_size(dt)) {
        outlet_begin(&g->outlet, to, bytes, g->pool->stream_output);
        memcpy(outlet_room(&g->outlet, 1, bytes), from, (size_t)bytes);
        outlet_took(&g->outlet, 1, bytes);
        outlet_end(&g->outlet);
    }
}

/* Rows [h, end) of this column. */
K_TEMPLATE
void walk_any(enum k_dtype dt, struct grad *g, struct any *any, int64_t h, int64_t end)
{
    const int64_t bytes = g->cells * g->channels * k_size(dt);
    const int most = g->contiguous ? (int)pool_max(ANY_RUN / (bytes + LINE_BYTES), 1) : 1;
    any_begin(dt, g, any);
    while (h < end) {
        any_rows(dt, g, any, h, end);
        if (g->contiguous && any_joins(&g->plan, k_size(dt), g->pool->stream_output)) {
            any_join(dt, g, any);
            h += any->rows.count;
            continue;
        }
        for (int row = 0, rows; row < any->rows.count; row += rows, h += rows) {
            char *to = row_of_dx(g, h, k_size(dt));
            rows = (int)pool_min(most, any->rows.count - row);
            if (g->plan.channel_tiles > 1) {
                any_put_cells(dt, g, any, row, to);
                continue;
            }
            if (!g->contiguous) outlet_begin(&g->outlet, to, bytes, g->pool->stream_output);
            to = outlet_room(&g->outlet, rows, bytes);
            any_lines(dt, g, any, row, rows, to, outlet_pitch(&g->outlet, bytes));
            outlet_took(&g->outlet, rows, bytes);
            if (!g->contiguous) outlet_end(&g->outlet);
        }
    }
}

#endif
