/* SPDX-License-Identifier: Apache-2.0 */
/* One channel, windows of three by a step of two along height and width, twice as many cells in a
 * row as windows: window w and its neighbour make cells 2 w and 2 w + 1, whichever row they are in.
 * So rows that follow each other are treated as one, as in grad_flat.h, whose image of scaled rows
 * of dY serves here too: a row of dX is made of one row of it, the next row of that one and the
 * following, and so on. Vectors of windows run on over the rows' ends: masks tell which lanes add a
 * second row, and which have no neighbour. */
#ifndef ACLNN_CPU_KERNELS_POOL_GRAD_TWOS_H
#define ACLNN_CPU_KERNELS_POOL_GRAD_TWOS_H

#include "kernels/pool/grad_flat.h"

enum { TWOS_BAND = 2048 }; /* floats of a band */
_Static_assert(TWOS_BAND >= 4 * POOL_FLAT_CELLS, "a band has a pair of rows");
_Static_assert(TWOS_BAND + POOL_FLAT_CELLS <= FLAT_BAND, "and is read a row farther");

/* Windows in work; local copies, since streaming stores might change whatever else there is. Their
 * place among the windows of two rows of dX, the first of which is made of one row of the image,
 * is the phase. */
struct twos {
    const float *image;   /* the row that both are made of */
    const float *factors; /* by phase; NULL: none */
    const uint32_t *near; /* by phase; ~0: the neighbour is in the row */
    int64_t width, phase;
    vf now; /* the newest windows */
};

/* The next windows, summed along the height: of a row of the image, of that and the next one, and
 * of ends and begins of these. */
K_TEMPLATE
vf twos_windows(bool certain, const struct twos *t)
{
    const float *at = t->image + t->phase;
    const int64_t left = t->width - t->phase;
    vf sum;
    if (left >= VL)
        sum = v_load(at);
    else if (left > 0)
        sum = v_load(at) + block_lanes((int)left, VL, v_load(at - t->width));
    else if (left + t->width >= VL)
        sum = v_load(at - t->width) + v_load(at);
    else
        sum = v_load(at - t->width) + block_lanes(0, (int)(left + t->width), v_load(at));
    return t->factors ? v_product(certain, sum, v_load(t->factors + t->phase)) : sum;
}

/* Those whose neighbour is in their row. */
K_TEMPLATE
vf twos_near(const struct twos *t, int64_t phase, vf x)
{
    vu kept;
    memcpy(&kept, t->near + phase, sizeof kept);
    return (vf)((vu)x & kept);
}

K_TEMPLATE
void twos_next(struct twos *t)
{
    t->phase += VL;
    if (t->phase >= 2 * t->width) {
        t->phase -= 2 * t->width;
        t->image += t->width;
    }
}

/* The cells of the next windows: those of even place and those of odd place. late: a window and the
 * next one share the odd one, else a window and the one before the even one. */
K_TEMPLATE
void twos_cells(bool late, bool certain, struct twos *t, vf *even, vf *odd)
{
    const vf before = t->now;
    const int64_t phase = t->phase;
    if (late) {
        twos_next(t);
        t->now = twos_windows(certain, t);
        *even = before;
        *odd = before + twos_near(t, phase, v_advance(before, t->now));
    } else {
        t->now = twos_windows(certain, t);
        *even = t->now + twos_near(t, phase, v_delay(1, before, t->now));
        *odd = t->now;
        twos_next(t);
    }
}

/* As vectors of elements: two of floats, one of halves. */
K_TEMPLATE
void twos_elements(enum k_dtype dt, bool late, bool certain, struct twos *t, vf elements[2])
{
    vf even, odd;
    twos_cells(late, certain, t, &even, &odd);
#ifdef K_PAIRS
    if (dt == K_BF16 && certain) {
        const __m512i zip = (__m512i)(v_lanes() * 0x10001 + 0x100000);
        elements[0] = (vf)_mm512_permutexvar_epi16(zip, (__m512i)v_round_pairs(even, odd));
        return;
    }
#endif
#if defined(K_ISA_avx512)
    if (dt == K_BF16) elements[0] = block_words_bf16(even, odd, v_lanes() * 0x20002 + 0x210001);
#else
    if (dt == K_BF16) elements[0] = block_pair_bf16(even, odd);
#endif
    if (dt == K_F16) elements[0] = block_zip_f16(even, odd);
    if (dt == K_F32) elements[0] = v_zip(0, even, odd), elements[1] = v_zip(1, even, odd);
}

/* `count` cells behind those that are pending; the next band's part of dY is announced. */
K_TEMPLATE
void twos_band(enum k_dtype dt, bool late, bool stream, bool certain, struct twos t, int64_t count,
               const char *next, struct k_vectors *out)
{
    const int64_t step = 2 * VL, vector = K_VECTOR_BYTES / k_size(dt);
    int64_t x = -out->filled / k_size(dt);
    vf elements[2] = {{0}, {0}};
    twos_elements(dt, late, certain, &t, elements);
    if (out->filled > 0) elements[0] = outlet_join(out->filled, out->pending, elements[0]);
    vectors_store(out, elements[0], stream);
    char *to = out->to;
    while (true) {
        if (dt == K_F32) k_write(to, elements[1], stream), to += K_VECTOR_BYTES;
        x += step;
        twos_elements(dt, late, certain, &t, elements);
        if (x + step > count) break;
        k_write(to, elements[0], stream);
        to += K_VECTOR_BYTES;
        k_prefetch(next);
        next += step / 4 * k_size(dt);
    }
    out->to = to;
    out->pending = elements[0];
    if (count - x >= vector) {
        vectors_store(out, elements[0], stream);
        out->pending = elements[1];
        x += vector;
    }
    out->filled = (int)((count - x) * k_size(dt));
}

K_TEMPLATE
void twos_band_of(enum k_dtype dt, bool late, bool certain, const struct grad *g, struct twos t,
                  int64_t count, const char *next, struct k_vectors *out)
{
    t.phase -= out->filled / k_size(dt) / 2;
    if (t.phase < 0) t.phase += 2 * t.width, t.image -= t.width;
    if (late) t.now = twos_windows(certain, &t);
    if (g->outlet.stream)
        twos_band(dt, late, true, certain, t, count, next, out);
    else
        twos_band(dt, late, false, certain, t, count, next, out);
}

#define TWOS_BAND_OF(name, dt)                                                                     \
    K_OUTLINE void name(const struct grad *g, bool certain, const struct twos *t, int64_t count,   \
                        const char *next, struct k_vectors *out)                                   \
    {                                                                                              \
        const bool late = g->plan.width.pad > 0;                                                   \
        if (late && certain && (dt) != K_F32)                                                      \
            twos_band_of(dt, true, true, g, *t, count, next, out);                                 \
        else if (late)                                                                             \
            twos_band_of(dt, true, false, g, *t, count, next, out);                                \
        else if (certain && (dt) != K_F32)                                                         \
            twos_band_of(dt, false, true, g, *t, count, next, out);                                \
        else                                                                                       \
            twos_band_of(dt, false, false, g, *t, count, next, out);                               \
    }
TWOS_BAND_OF(twos_band_f32, K_F32)
TWOS_BAND_OF(twos_band_f16, K_F16)
TWOS_BAND_OF(twos_band_bf16, K_BF16)

/* Rows [h, end) of this column. */
K_TEMPLATE
void walk_twos(enum k_dtype dt, struct grad *g, int64_t h, int64_t end)
{
    const struct pool_axis *height = &g->plan.height;
    const int64_t width = g->plan.width.out, most = 2 * (TWOS_BAND / width - 1);
    const struct widths *w = &g->widths;
    struct k_vectors *out = &g->outlet.vectors;
    while (h < end) {
        const int64_t rows = pool_min(most, end - h), q = h + height->pad;
        struct band band = {.low = (q + 1) / 2 - 1, .high = (q + rows - 1) / 2 + 1};
        band.begin = pool_min(pool_max(band.low, 0), band.high);
        band.end = pool_max(pool_min(band.high, height->out), band.begin);
        if (g->depths == 0) band.begin = band.end = band.low;
        const char *next = band_make(dt, g, &band, out->to);
        const struct twos t = {.image = band.image,
                               .factors = w->uniform ? NULL : w->factors,
                               .near = w->near,
                               .width = width,
                               .phase = q % 2 == 1 ? 0 : width};
        if (dt == K_F32) twos_band_f32(g, band.certain, &t, rows * 2 * width, next, out);
        if (dt == K_F16) twos_band_f16(g, band.certain, &t, rows * 2 * width, next, out);
        if (dt == K_BF16) twos_band_bf16(g, band.certain, &t, rows * 2 * width, next, out);
        h += rows;
    }
}

#endif
