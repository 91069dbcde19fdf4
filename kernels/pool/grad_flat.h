/* SPDX-License-Identifier: Apache-2.0 */
/* One channel, windows of three by a step of one, rows of dX as long as those of dY: rows that
 * follow each other are treated as one, so that short ones waste no lanes. A band of rows of dY
 * goes, scaled, into an image, between rows of zeros where there is no window; from there sums
 * along the height, then along the width, where terms that lie in a neighbour row are left out.
 *
 * dY is read only ahead of the cells that are written, and the image lies half a page away from
 * them: a load across two lines that has the page offset of one of the last streaming stores waits
 * for that store (measured: 12 instead of 3 ns a line where dY and dX have the same offset). */
#ifndef ACLNN_CPU_KERNELS_POOL_GRAD_FLAT_H
#define ACLNN_CPU_KERNELS_POOL_GRAD_FLAT_H

#include "kernels/pool/grad.h"
#include "kernels/pool/tiny.h"

enum {
    FLAT_PAGE = 4096, /* offsets within it are compared when a load is checked against stores */
    FLAT_BAND = 4096, /* floats of a band, and */
    FLAT_MARGIN = 4 * VL + POOL_FLAT_CELLS / 2 /* that may be read before and behind it */
};
_Static_assert(FLAT_BAND + 2 * FLAT_MARGIN + FLAT_PAGE / 4 <= POOL_FUSED * POOL_SLOT, "image");
_Static_assert(FLAT_BAND >= 4 * POOL_FLAT_CELLS, "a band has at least one row");

/* Rows [low, high) of dY, of which [begin, end) exist. certain: whatever is computed from them is 0
 * because its terms are, or because they cancel out, and else no subnormal number. */
struct band {
    int64_t low, high, begin, end;
    bool certain;
    float *image; /* row `low` */
};

/* `count` elements, scaled; the others become zeros. */
K_TEMPLATE
vf band_vector(enum k_dtype dt, bool certain, const struct grad *g, const char *at, int64_t count,
               vf factor)
{
    const enum k_rounding rounding = g->pool->rounding;
    vf value = __builtin_expect(count >= VL, 1)
                   ? k_load(dt, at)
                   : k_load_first_before(dt, at, (int)count, g->dy_end);
    if (__builtin_expect(rounding != K_ROUND_NONE, 0)) value = pool_round(dt, rounding, value);
    return v_product(certain, value, factor);
}

/* The rows that exist, one behind the other, in whole vectors. Rows with the same factor are one
 * piece. */
K_TEMPLATE
void band_scale(enum k_dtype dt, bool certain, const struct grad *g, const struct band *band,
                const char *dy, float *to)
{
    const int64_t width = g->plan.width.out, count = (band->end - band->begin) * width;
    vf factor = {0};
    int64_t x = 0, next = 0, last;
    for (int64_t row = band->begin; row < band->end; row = last) {
        const bool whole = row >= g->whole_low && row < g->whole_high;
        const vf own = v_all(whole ? g->whole_factor : factor_of(g, 0, row));
        last = whole ? pool_min(g->whole_high, band->end) : row + 1;
        factor = v_first((int)(next - x), factor, own);
        next = (last - band->begin) * width;
        for (; x + VL <= next; x += VL, factor = own)
            v_store(to + x, band_vector(dt, certain, g, dy + x * k_size(dt), VL, factor));
    }
    if (x < count)
        v_store(to + x, band_vector(dt, certain, g, dy + x * k_size(dt), count - x, factor));
}

/* The image of a band that begins with row `low`; returns where dY goes on behind it. */
K_TEMPLATE
const char *band_make(enum k_dtype dt, const struct grad *g, struct band *band, const char *to)
{
    const int64_t width = g->plan.width.out;
    float *room = (float *)g->slots + FLAT_MARGIN;
    const int64_t before = (band->begin - band->low) * width;
    const int64_t padded = (before + VL - 1) / VL * VL;
    const uintptr_t apart =
        ((uintptr_t)to + FLAT_PAGE / 2 - (uintptr_t)(room + padded)) % FLAT_PAGE;
    float *first = room + padded + apart / LINE_BYTES * (LINE_BYTES / sizeof(float));
    band->image = first - before;
    for (int64_t x = -padded; x < 0; x += VL)
        v_store(first + x, (vf){0});
    const char *dy = row_of_dy(g, band->begin, k_size(dt));
    const int64_t rows = band->end - band->begin,
                  behind = (band->high - band->low) * width - before;
    band->certain = dt == K_F16 && g->moderate;
    if (g->pairs) band->certain = g->moderate && tiny_none(dy, rows * width);
    if (band->certain && dt != K_F32)
        band_scale(dt, true, g, band, dy, first);
    else
        band_scale(dt, false, g, band, dy, first);
    for (int64_t x = (rows * width + VL - 1) / VL * VL; x < behind; x += VL)
        v_store(first + x, (vf){0});
    return dy + rows * width * k_size(dt);
}

/* Cells in work; local copies, since streaming stores might change whatever else there is. */
struct flat {
    const float *image[POOL_FUSED]; /* windows x + 1 and on over cell x = 0, the oldest row first */
    const float *factors;           /* by phase; NULL: none */
    const struct k_masks *ahead, *behind;
    int period, turn, phase; /* of the next cells' place in their row */
    vf before;               /* the windows before the next ones */
};

/* Windows x + 1 and on, summed along the height. */
K_TEMPLATE
vf flat_windows(bool certain, const struct flat *f, int64_t x)
{
    const vf sum = v_load(f->image[0] + x) + v_load(f->image[1] + x) + v_load(f->image[2] + x);
    return f->factors ? v_product(certain, sum, v_load(f->factors + f->phase + 1)) : sum;
}

/* The next cells, x and on: windows x - 1 to x + 1 of each, the oldest first. */
K_TEMPLATE
vf flat_cells(bool certain, struct flat *f, int64_t x)
{
    const vf now = flat_windows(certain, f, x);
    const vf one = v_delay(1, f->before, now), two = v_delay(2, f->before, now);
    vf sum = v_add_kept(one, two, f->behind, f->phase);
    sum = v_add_kept(sum, now, f->ahead, f->phase);
    f->before = now;
    f->phase += f->turn;
    if (f->phase >= f->period) f->phase -= f->period;
    return sum;
}

K_TEMPLATE
vf flat_elements(enum k_dtype dt, bool certain, struct flat *f, int64_t x)
{
    const vf low = flat_cells(certain, f, x);
    if (dt == K_F32) return low;
    const vf high = flat_cells(certain, f, x + VL);
#ifdef K_PAIRS
    if (dt == K_BF16 && certain) return (vf)v_round_pairs(low, high);
#endif
    return block_halves(dt, low, high);
}

/* `count` cells behind those that are pending; the next band's part of dY is announced. */
K_TEMPLATE
void flat_band(enum k_dtype dt, bool stream, bool certain, struct flat f, int64_t count,
               const char *next, struct k_vectors *out)
{
    const int64_t whole = K_VECTOR_BYTES / k_size(dt);
    int64_t x = -out->filled / k_size(dt);
    vf line = flat_elements(dt, certain, &f, x);
    if (out->filled > 0) line = outlet_join(out->filled, out->pending, line);
    if (x + whole <= count) {
        vectors_store(out, line, stream);
        char *to = out->to;
        for (x += whole; x + whole <= count; x += whole, to += K_VECTOR_BYTES) {
            k_write(to, flat_elements(dt, certain, &f, x), stream);
            k_prefetch(next + x * k_size(dt));
        }
        line = flat_elements(dt, certain, &f, x);
        out->to = to;
    }
    out->pending = line;
    out->filled = (int)((count - x) * k_size(dt));
}

K_TEMPLATE
struct flat flat_from(const struct grad *g, const float *image, int64_t x)
{
    const struct widths *w = &g->widths;
    struct flat f = {.factors = w->uniform ? NULL : w->factors,
                     .ahead = &w->ahead,
                     .behind = &w->behind,
                     .period = w->period,
                     .turn = w->turn};
    for (int row = 0; row < POOL_FUSED; row++)
        f.image[row] = image + row * g->plan.width.out + 1;
    f.phase = (int)((x - VL) % f.period);
    if (f.phase < 0) f.phase += f.period;
    flat_cells(false, &f, x - VL);
    return f;
}

K_TEMPLATE
void flat_band_any(enum k_dtype dt, const struct grad *g, const struct band *band, int64_t count,
                   const char *next, struct k_vectors *out)
{
    const struct flat f = flat_from(g, band->image, -out->filled / k_size(dt));
    if (g->outlet.stream && band->certain && dt != K_F32)
        flat_band(dt, true, true, f, count, next, out);
    else if (g->outlet.stream)
        flat_band(dt, true, false, f, count, next, out);
    else
        flat_band(dt, false, false, f, count, next, out);
}

K_OUT_OF_LINE(void, flat_band_any,
              (const struct grad *g, const struct band *band, int64_t count, const char *next,
               struct k_vectors *out),
              (g, band, count, next, out))

/* Cells follow each other whatever becomes of them: vectors of them are aligned. */
static inline void flat_begin(struct grad *g)
{
    g->outlet.vectors = vectors_begin(g->outlet.vectors.to + g->outlet.vectors.filled, true);
}

/* Rows [h, end) of this column. */
K_TEMPLATE
void walk_flat(enum k_dtype dt, struct grad *g, int64_t h, int64_t end)
{
    const struct pool_axis *height = &g->plan.height;
    const int64_t width = g->plan.width.in, reach = height->most - 1;
    struct k_vectors *out = &g->outlet.vectors;
    while (h < end) {
        const int64_t rows = pool_min(FLAT_BAND / width - reach - 1, end - h);
        struct band band = {.low = h + height->pad - reach, .high = h + height->pad + rows};
        band.begin = pool_min(pool_max(band.low, 0), band.high);
        band.end = pool_max(pool_min(band.high, height->out), band.begin);
        if (g->depths == 0) band.begin = band.end = band.low;
        const char *next = band_make(dt, g, &band, out->to);
        flat_band_any_of(dt, g, &band, rows * width, next, out);
        h += rows;
    }
}

#endif
