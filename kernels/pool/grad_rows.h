/* SPDX-License-Identifier: Apache-2.0 */
/* One channel, few windows over a cell, a step of one or two: rows of dX straight from the rows of
 * dY that cover them. Vectors run along the width; windows are summed along the height as they are
 * loaded, along the width by delayed vectors, and become cells by zipping. */
#ifndef ACLNN_CPU_KERNELS_POOL_GRAD_ROWS_H
#define ACLNN_CPU_KERNELS_POOL_GRAD_ROWS_H

#include "kernels/pool/grad.h"

/* Rows of dX that are made alike. */
struct rows {
    const char *at;          /* first window of the newest row of dY over the first of them */
    const char *begin, *end; /* of dY */
    int64_t row_bytes;       /* of dY */
    int64_t bytes, pitch;    /* of a row of dX, and to the next one */
    int64_t rows;
    int64_t place, step; /* the first row's place in the height's stride */
    int64_t rest;        /* rows of dY over a row of dX: `most`, from place `rest` on one less */
    int most;
    float factor[POOL_FUSED]; /* per row of dY, the oldest first */
    enum k_rounding rounding;
    const struct widths *widths;
    int low, high; /* windows that exist, counted from the first one: [low, high) */
    bool odd, stream;
};

/* n rows of dY, the oldest first. Not an array: it would live in memory. */
struct row_sources {
    const char *a, *b, *c;
    vf f, g, h;
};

K_TEMPLATE
struct row_sources rows_sources(int n, const struct rows *in, const char *newest)
{
    const char *before = newest - in->row_bytes;
    struct row_sources from = {.a = newest, .f = v_all(in->factor[0])};
    if (n == 2) from.a = before, from.b = newest;
    if (n == 3) from.a = before - in->row_bytes, from.b = before, from.c = newest;
    if (n >= 2) from.g = v_all(in->factor[1]);
    if (n >= 3) from.h = v_all(in->factor[2]);
    return from;
}

/* The first term of a sum is never -0, so the sum is not, whatever the others are. */
K_TEMPLATE
struct k_block rows_scale(enum k_dtype dt, const struct rows *in, struct k_block value, vf factor,
                          bool first)
{
    if (__builtin_expect(in->rounding != K_ROUND_NONE, 0))
        value = grad_round(dt, in->rounding, value);
    if (first) return block_scale(dt, value, factor);
    return (struct k_block){value.a * factor, dt == K_F32 ? value.b : value.b * factor};
}

/* Windows x and on. */
K_TEMPLATE
struct k_block rows_load(enum k_dtype dt, int n, const struct rows *in,
                         const struct row_sources *from, int64_t x)
{
    x *= k_size(dt);
    struct k_block sum = rows_scale(dt, in, block_load(dt, from->a + x), from->f, true);
    if (n >= 2)
        sum = block_add(dt, sum, rows_scale(dt, in, block_load(dt, from->b + x), from->g, false));
    if (n >= 3)
        sum = block_add(dt, sum, rows_scale(dt, in, block_load(dt, from->c + x), from->h, false));
    k_prefetch((n == 1 ? from->a : n == 2 ? from->b : from->c) + x + POOL_FAR);
    return sum;
}

/* The same, zero where there is no window. inner: there is one at x. */
K_TEMPLATE
struct k_block rows_load_edge(enum k_dtype dt, int n, bool inner, const struct rows *in,
                              const struct row_sources *from, int64_t x)
{
    const int low = inner ? 0 : (int)pool_max(in->low - x, 0);
    const int high = (int)pool_min(in->high - x, BLOCK(dt));
    if (low >= high) return (struct k_block){{0}, {0}};
    x *= k_size(dt);
    const char *begin = in->begin, *end = in->end;
    struct k_block term = block_load_part(dt, from->a + x, low, high, begin, end);
    struct k_block sum = rows_scale(dt, in, term, from->f, true);
    if (n >= 2) {
        term = block_load_part(dt, from->b + x, low, high, begin, end);
        sum = block_add(dt, sum, rows_scale(dt, in, term, from->g, false));
    }
    if (n >= 3) {
        term = block_load_part(dt, from->c + x, low, high, begin, end);
        sum = block_add(dt, sum, rows_scale(dt, in, term, from->h, false));
    }
    return sum;
}

/* Window x's place in the tables of widths. */
K_TEMPLATE
int rows_phase(enum k_dtype dt, int64_t x)
{
    return (int)x + WIDTHS_BEFORE(dt);
}

K_TEMPLATE
struct k_block rows_widths(enum k_dtype dt, const struct rows *in, struct k_block sum, int phase)
{
    if (in->widths->uniform) return sum;
    const int entry = block_entry(dt, phase);
    return block_multiply(dt, sum, block_entries(dt, in->widths->factors, WIDTHS_ROOM, entry));
}

/* Sums over the windows first .. last (at most 3) behind each element of now (0: itself), the
 * oldest first. */
K_TEMPLATE
struct k_block rows_sum(enum k_dtype dt, int first, int last, struct k_block before,
                        struct k_block now)
{
    struct k_block sum = last == 0 ? now : block_delay(dt, last, before, now);
    if (last - 1 >= first)
        sum = block_add(dt, sum, last == 1 ? now : block_delay(dt, last - 1, before, now));
    if (last - 2 >= first)
        sum = block_add(dt, sum, last == 2 ? now : block_delay(dt, last - 2, before, now));
    if (last - 3 >= first) sum = block_add(dt, sum, now);
    return sum;
}

/* The next vector, or two for a step of two, of a row. most: windows over a cell; even: every cell
 * of a step has so many, else only the first one. */
K_TEMPLATE
void rows_lines(enum k_dtype dt, int most, int step, bool even, const struct rows *in,
                struct k_block before, struct k_block now, vf lines[2])
{
    if (step == 1) {
        lines[0] = block_elements(dt, rows_sum(dt, 0, most - 1, before, now));
    } else {
        const struct k_block all = rows_sum(dt, 0, most - 1, before, now);
        if (in->odd)
            block_zip(dt, rows_sum(dt, 1, even ? most : most - 1, before, now), all, lines);
        else
            block_zip(dt, all, even ? all : rows_sum(dt, 0, most - 2, before, now), lines);
    }
}

K_TEMPLATE
void rows_put(const struct rows *in, char *to, vf elements)
{
    if (in->stream)
        k_stream(to, elements);
    else
        k_put(to, elements);
}

/* The block before window x, as far as it matters. */
K_TEMPLATE
struct k_block rows_before(enum k_dtype dt, int n, const struct rows *in,
                           const struct row_sources *from, int64_t x)
{
    if (x <= -POOL_FUSED) return (struct k_block){{0}, {0}};
    x -= BLOCK(dt);
    return rows_widths(dt, in, rows_load_edge(dt, n, false, in, from, x), rows_phase(dt, x));
}

/* One row of cells, each covered by n rows of dY. Up to a vector behind it is
 * overwritten. */
K_TEMPLATE
void rows_cells(enum k_dtype dt, int most, int step, bool even, int n, const struct rows *in,
                const char *at, char *to)
{
    const struct row_sources from = rows_sources(n, in, at);
    const bool uniform = in->widths->uniform;
    const int64_t inside = in->high - BLOCK(dt);
    const char *end = to + in->bytes;
    struct k_block before = {{0}, {0}};
    if ((most > 1 || (step == 2 && in->odd)) && in->low < 0)
        before = rows_before(dt, n, in, &from, 0);
    for (int64_t x = 0; to < end; x += BLOCK(dt), to += step * K_VECTOR_BYTES) {
        vf lines[2] = {{0}, {0}};
        struct k_block now = x <= inside ? rows_load(dt, n, in, &from, x)
                                         : rows_load_edge(dt, n, true, in, &from, x);
        int phase = 0;
        if (!uniform) {
            phase = rows_phase(dt, x);
            now = rows_widths(dt, in, now, phase);
        }
        rows_lines(dt, most, step, even, in, before, now, lines);
        before = now;
        rows_put(in, to, lines[0]);
        if (step == 2 && end - to > K_VECTOR_BYTES) rows_put(in, to + K_VECTOR_BYTES, lines[1]);
    }
}

/* Rows that fit one vector and have one window over a cell: those with the same window are made
 * once. */
K_TEMPLATE
void rows_short(enum k_dtype dt, int step, const struct rows *in, char *to)
{
    const char *at = in->at;
    int64_t place = in->place;
    vf line = {0};
    bool made = false;
    for (int64_t r = 0; r < in->rows; r++, to += in->pitch) {
        if (place < in->rest && !made) {
            const struct row_sources from = rows_sources(1, in, at);
            const int phase = rows_phase(dt, 0);
            struct k_block now = in->high < BLOCK(dt) ? rows_load_edge(dt, 1, true, in, &from, 0)
                                                      : rows_load(dt, 1, in, &from, 0);
            now = rows_widths(dt, in, now, phase);
            vf lines[2] = {{0}, {0}};
            rows_lines(dt, 1, step, true, in, now, now, lines);
            line = lines[0];
            made = true;
        }
        k_put(to, place < in->rest ? line : (vf){0});
        if (++place == in->step) place = 0, at += in->row_bytes, made = false;
    }
}

K_TEMPLATE
void rows_make(enum k_dtype dt, int most, int step, bool even, const struct rows *in, char *to)
{
    const char *at = in->at;
    int64_t place = in->place;
    if (most == 1 && in->most == 1 && !in->odd && in->bytes <= K_VECTOR_BYTES && !in->stream) {
        rows_short(dt, step, in, to);
        return;
    }
    for (int64_t r = 0; r < in->rows; r++, to += in->pitch) {
        switch (place < in->rest ? in->most : in->most - 1) {
        case 0:
            memset(to, 0, (size_t)in->bytes);
            break;
        case 1:
            rows_cells(dt, most, step, even, 1, in, at, to);
            break;
        case 2:
            rows_cells(dt, most, step, even, 2, in, at, to);
            break;
        default:
            rows_cells(dt, most, step, even, 3, in, at, to);
            break;
        }
        if (++place == in->step) place = 0, at += in->row_bytes;
    }
}

/* The combinations that have their own code, see pool_choose. */
#define ROWS_MAKE(name, dt, most, step, even)                                                      \
    K_OUTLINE void name(const struct rows *in, char *to)                                           \
    {                                                                                              \
        rows_make(dt, most, step, even, in, to);                                                   \
    }
#define ROWS_MAKE_ALL(suffix, dt)                                                                  \
    ROWS_MAKE(rows_1_1##suffix, dt, 1, 1, true)                                                    \
    ROWS_MAKE(rows_2_1##suffix, dt, 2, 1, true)                                                    \
    ROWS_MAKE(rows_3_1##suffix, dt, 3, 1, true)                                                    \
    ROWS_MAKE(rows_1_2##suffix, dt, 1, 2, true)                                                    \
    ROWS_MAKE(rows_2_2##suffix, dt, 2, 2, true)                                                    \
    ROWS_MAKE(rows_2_2_odd##suffix, dt, 2, 2, false)                                               \
    ROWS_MAKE(rows_3_2_odd##suffix, dt, 3, 2, false)                                               \
    static inline void rows_make_any##suffix(const struct pool_axis *width, const struct rows *in, \
                                             char *to)                                             \
    {                                                                                              \
        if (width->stride == 1)                                                                    \
            (width->most == 1   ? rows_1_1##suffix                                                 \
             : width->most == 2 ? rows_2_1##suffix                                                 \
                                : rows_3_1##suffix)(in, to);                                       \
        else                                                                                       \
            (width->most == 1               ? rows_1_2##suffix                                     \
             : width->most == 3             ? rows_3_2_odd##suffix                                 \
             : width->rest == width->stride ? rows_2_2##suffix                                     \
                                            : rows_2_2_odd##suffix)(in, to);                       \
    }
ROWS_MAKE_ALL(_f32, K_F32)
ROWS_MAKE_ALL(_f16, K_F16)
ROWS_MAKE_ALL(_bf16, K_BF16)

/* Rows of dX from h on that are made alike, at most `end`; `in` receives them. */
K_TEMPLATE
void rows_begin(enum k_dtype dt, const struct grad *g, int64_t h, int64_t end, struct rows *in)
{
    const struct pool_axis *height = &g->plan.height;
    const int64_t q = h + height->pad;
    int64_t low, high;
    in->step = height->stride;
    in->rest = height->rest;
    in->most = (int)height->most;
    in->rows = pool_min(end - h, g->whole_end - h);
    if (h >= g->whole_begin && in->rows > 0 && g->depths == 1) {
        in->place = q % height->stride;
        in->at = row_of_dy(g, q / height->stride, k_size(dt));
        for (int i = 0; i < POOL_FUSED; i++)
            in->factor[i] = g->whole_factor;
        return;
    }
    windows_of_cell(height, h, &low, &high);
    const int n = g->depths == 1 ? (int)pool_max(high - low + 1, 0) : 0;
    in->rows = 1;
    in->most = n;
    in->place = 0;
    in->rest = in->step; /* whatever the place */
    in->at = n == 0 ? NULL : row_of_dy(g, high, k_size(dt));
    for (int i = 0; i < n; i++)
        in->factor[i] = factor_of(g, 0, low + i);
}

/* Rows [h, end) of this column. */
K_TEMPLATE
void walk_rows(enum k_dtype dt, struct grad *g, int64_t h, int64_t end)
{
    const struct pool_plan *plan = &g->plan;
    const int64_t bytes = g->cells * k_size(dt);
    const int64_t pitch = plan->width.in * k_size(dt);
    const int64_t most =
        pool_max(POOL_RUN / ((bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES), 1);
    struct rows in = {.begin = g->dy,
                      .end = g->dy_end,
                      .row_bytes = plan->width.out * k_size(dt),
                      .rounding = g->pool->rounding,
                      .widths = &g->widths,
                      .low = -g->past,
                      .odd = g->odd};
    const uintptr_t mixed = (uintptr_t)g->dx | (uintptr_t)bytes | (uintptr_t)pitch |
                            (uintptr_t)(g->first_cell * k_size(dt));
    in.stream = g->pool->stream_output && mixed % LINE_BYTES == 0;
    const bool alike = g->pool->stream_output && !in.stream && plan->height.most == 1 &&
                       plan->height.rest == plan->height.stride && plan->height.stride > 1;
    while (h < end) {
        rows_begin(dt, g, h, end, &in);
        const int64_t rows = g->contiguous ? pool_min(in.rows, most) : 1;
        const bool repeats = alike && rows > 1;
        int64_t place = 0;
        char *to = row_of_dx(g, h, k_size(dt));
        in.rows = rows;
        in.pitch = in.bytes = bytes;
        in.high = g->past_end > 0 ? -g->past_end : g->real;
        if (!in.stream) { /* for outlet_took */
            if (!g->contiguous) outlet_begin(&g->outlet, to, bytes, g->pool->stream_output);
            place = in.place;
            if (repeats) { /* rows of dX with the same row of dY are made once */
                in.rows = (place + rows - 1) / in.step + 1;
                in.place = 0, in.step = in.rest = 1;
            }
            to = outlet_room(&g->outlet, in.rows, in.bytes);
            in.pitch = outlet_pitch(&g->outlet, in.bytes);
        }
        if (dt == K_F32) rows_make_any_f32(&plan->width, &in, to);
        if (dt == K_F16) rows_make_any_f16(&plan->width, &in, to);
        if (dt == K_BF16) rows_make_any_bf16(&plan->width, &in, to);
        if (!in.stream) {
            if (repeats)
                outlet_took_repeated(&g->outlet, rows, bytes, place, plan->height.stride);
            else
                outlet_took(&g->outlet, in.rows, in.bytes);
            if (!g->contiguous) outlet_end(&g->outlet);
        }
        h += rows;
    }
}

#endif
