/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of f32 and half types as floats: elements in f32, sums in double, in the lanes that rows of
 * doubles have: the same bits on all levels with FMA. */
#ifndef ACLNN_CPU_KERNELS_SINGLE_ROWS_H
#define ACLNN_CPU_KERNELS_SINGLE_ROWS_H

#include "kernels/norm/rows.h"

enum {
    SINGLE_KEEP = 2 * K_NORM_KEEP, /* floats that take the room of doubles */
    SINGLE_TILE = 2 * TILE,
};

/* A number as the sum of two floats: x - it is (x - high) - low, nearly exactly. */
struct split {
    float high, low;
};

static inline struct split split_of(double x)
{
    const float high = (float)x;
    return (struct split){high, isfinite(high) ? (float)(x - (double)high) : 0};
}

K_TEMPLATE
vf v_minus(vf x, struct split by)
{
    return (x - by.high) - by.low;
}

/* Whether a row's operands from first to last are f32 or half types, as far as they are there; no
 * tensor of the operator may be f64. */
static inline bool single_operands(const struct k_norm *n, int first, int last)
{
    if (n->is_precise) return false;
    for (int i = first; i <= last && i < n->operands; i++)
        if (n->operand[i].is_there && n->operand[i].dtype >= K_DTYPES) return false;
    return true;
}

/* ---- vectors of a row, the last one of `some` elements ---- */

K_TEMPLATE
vf load_some(const float *from, int64_t some)
{
    return some >= VL ? v_load(from) : k_load_first(K_F32, (const char *)from, (int)some);
}

K_TEMPLATE
void store_some(float *to, vf value, int64_t some)
{
    if (some >= VL)
        v_store(to, value);
    else
        memcpy(to, &value, (size_t)some * sizeof *to);
}

/* The lanes from `some` on are 0. */
K_TEMPLATE
vf first_of(vf value, int64_t some)
{
    if (some >= VL) return value;
    vf kept = {0};
    memcpy(&kept, &value, (size_t)some * sizeof(float));
    return kept;
}

/* A statement for each vector at i, of `some` elements: in all but the last a constant. */
#define FOR_VECTORS(count, ...)                                                                    \
    do {                                                                                           \
        int64_t i = 0;                                                                             \
        for (; i + VL <= (count); i += VL) {                                                       \
            const int64_t some = VL;                                                               \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
        if (i < (count)) {                                                                         \
            const int64_t some = (count)-i;                                                        \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
    } while (0)

/* ---- elements as floats ---- */

K_TEMPLATE
void widen_single(enum k_dtype dt, const char *from, float *to, int64_t count)
{
    int64_t i = 0;
    for (; i + VL <= count; i += VL)
        v_store(to + i, k_load(dt, from + i * k_size(dt)));
    if (i == count) return;
    const vf rest = k_load_first(dt, from + i * k_size(dt), (int)(count - i));
    memcpy(to + i, &rest, (size_t)(count - i) * sizeof *to);
}

K_TEMPLATE
void narrow_single(enum k_dtype dt, const float *from, char *to, int64_t count)
{
    int64_t i = 0;
    for (; i + VL <= count; i += VL)
        k_store(dt, to + i * k_size(dt), v_load(from + i));
    if (i == count) return;
    char rest[sizeof(vf)];
    k_store(dt, rest, k_load_first(K_F32, (const char *)(from + i), (int)(count - i)));
    memcpy(to + i * k_size(dt), rest, (size_t)((count - i) * k_size(dt)));
}

static inline void single_widen(enum k_dtype dtype, const char *from, float *to, int64_t count)
{
    if (dtype == K_F32)
        memcpy(to, from, (size_t)count * sizeof *to);
    else if (dtype == K_F16)
        widen_single(K_F16, from, to, count);
    else
        widen_single(K_BF16, from, to, count);
}

static inline void single_narrow(enum k_dtype dtype, const float *from, char *to, int64_t count)
{
    if (dtype == K_F32)
        memcpy(to, from, (size_t)count * sizeof *from);
    else if (dtype == K_F16)
        narrow_single(K_F16, from, to, count);
    else
        narrow_single(K_BF16, from, to, count);
}

static inline void single_widen_run(enum k_dtype dtype, const char *from, int64_t step, float *to,
                                    int64_t count)
{
    const int64_t size = k_dtype_size(dtype);
    char piece[PIECE * 4];
    if (step == 1 || count == 1) {
        single_widen(dtype, from, to, count);
        return;
    }
    if (step == 0) {
        float same;
        single_widen(dtype, from, &same, 1);
        FOR_VECTORS(count, store_some(to + i, v_all(same), some));
        return;
    }
    for (int64_t i = 0; i < count; i += PIECE) {
        const int64_t some = count - i < PIECE ? count - i : PIECE;
        move(size, piece, 1, from + i * step * size, step, some);
        single_widen(dtype, piece, to + i, some);
    }
}

static inline void single_narrow_run(enum k_dtype dtype, const float *from, char *to, int64_t step,
                                     int64_t count)
{
    const int64_t size = k_dtype_size(dtype);
    char piece[PIECE * 4];
    if (step == 1 || count == 1) {
        single_narrow(dtype, from, to, count);
        return;
    }
    for (int64_t i = 0; i < count; i += PIECE) {
        const int64_t some = count - i < PIECE ? count - i : PIECE;
        single_narrow(dtype, from + i, piece, some);
        move(size, to + i * step * size, step, piece, 1, some);
    }
}

/* Where elements of an f32 operand lie, if they lie side by side; else NULL. */
static inline float *single_place(const struct row *row, int operand, int64_t begin, int64_t count)
{
    const struct side *side = &row->side[operand];
    const struct run run = run_at(side, begin);
    const bool is_plain = row->norm->operand[operand].dtype == K_F32 && run.count >= count &&
                          (side->steps[side->rank - 1] == 1 || count == 1);
    return is_plain ? (float *)(void *)side->at + run.offset : NULL;
}

/* Elements begin to begin + count - 1: where they lie, or copied to `to`. */
static inline const float *single_read(const struct row *row, int operand, int64_t begin,
                                       int64_t count, float *to)
{
    const struct side *side = &row->side[operand];
    const enum k_dtype dtype = row->norm->operand[operand].dtype;
    const float *place = single_place(row, operand, begin, count);
    if (place) return place;
    for (int64_t done = 0; done < count;) {
        const struct run run = run_at(side, begin + done);
        const int64_t some = run.count < count - done ? run.count : count - done;
        single_widen_run(dtype, side->at + run.offset * k_dtype_size(dtype),
                         side->steps[side->rank - 1], to + done, some);
        done += some;
    }
    return to;
}

/* Elements that are where they belong already are left alone. */
static inline void single_write(const struct row *row, int operand, int64_t begin, int64_t count,
                                const float *from)
{
    const struct side *side = &row->side[operand];
    const enum k_dtype dtype = row->norm->operand[operand].dtype;
    if (from == single_place(row, operand, begin, count)) return;
    for (int64_t done = 0; done < count;) {
        const struct run run = run_at(side, begin + done);
        const int64_t some = run.count < count - done ? run.count : count - done;
        single_narrow_run(dtype, from + done, side->at + run.offset * k_dtype_size(dtype),
                          side->steps[side->rank - 1], some);
        done += some;
    }
}

/* As row_constant. */
static inline const float *single_constant(const struct row *row, struct room *room, int operand,
                                           int which, float otherwise, int64_t begin, int64_t count)
{
    static const char none;
    float *to = (float *)room->constant[which];
    const bool is_there = has(row, operand), fits = row->norm->count <= SINGLE_KEEP;
    const char *at = is_there ? row->side[operand].at : &none;
    if (room->constant_at[which] == at && fits) return to + begin;
    const float *place = is_there ? single_place(row, operand, begin, count) : NULL;
    if (place) return place;
    room->constant_at[which] = fits && count == row->norm->count ? at : NULL;
    if (is_there) return single_read(row, operand, begin, count, to);
    for (int64_t i = 0; i < count; i++)
        to[i] = otherwise;
    return to;
}

/* ---- sums ---- */

/* What is summed is made of these. */
struct terms {
    const float *x, *y, *z; /* z may be NULL */
    struct split mean;
    float factor;
};
typedef vf term_fn(const struct terms *terms, int64_t i, int64_t some);

/* Adds those of four vectors that lie K_NORM_LANES apart. */
K_TEMPLATE
void single_add_four(term_fn *term, const struct terms *terms, int64_t at, vd sums[2])
{
    enum { L = K_NORM_LANES };
    const vf first = term(terms, at, VL) + term(terms, at + L, VL);
    const vf second = term(terms, at + 2 * L, VL) + term(terms, at + 3 * L, VL);
    const vf all = first + second;
    sums[0] += vd_widen(0, all);
    sums[1] += vd_widen(1, all);
}

K_TEMPLATE
void single_add_some(term_fn *term, const struct terms *terms, int64_t at, int64_t some, vd sums[2])
{
    const vf value = first_of(term(terms, at, some), some);
    sums[0] += vd_widen(0, value);
    sums[1] += vd_widen(1, value);
}

/* Two totals. Four elements of a lane are added in f32, their sums in double. other: may be NULL.
 */
K_TEMPLATE
void single_totals(term_fn *term, term_fn *other, const struct terms *terms, int64_t count,
                   double *total, double *other_total)
{
    enum { L = K_NORM_LANES };
    struct lanes sums = {{{0}}}, more = {{{0}}};
    int64_t i = 0;
    for (; i + 4 * L <= count; i += 4 * L)
#pragma GCC unroll 4
        for (int k = 0; k < L / VL; k++) {
            single_add_four(term, terms, i + k * VL, &sums.part[2 * k]);
            if (other) single_add_four(other, terms, i + k * VL, &more.part[2 * k]);
        }
    for (; i < count; i += L)
        for (int k = 0; k < L / VL; k++) {
            const int64_t at = i + k * VL, some = count - at;
            if (some <= 0) continue;
            single_add_some(term, terms, at, some, &sums.part[2 * k]);
            if (other) single_add_some(other, terms, at, some, &more.part[2 * k]);
        }
    *total = lanes_total(&sums);
    if (other) *other_total = lanes_total(&more);
}

K_TEMPLATE
double single_total(term_fn *term, const struct terms *terms, int64_t count)
{
    double total;
    single_totals(term, NULL, terms, count, &total, NULL);
    return total;
}

K_TEMPLATE
vf term_x(const struct terms *t, int64_t i, int64_t some)
{
    return load_some(t->x + i, some);
}

K_TEMPLATE
vf term_product(const struct terms *t, int64_t i, int64_t some)
{
    return load_some(t->x + i, some) * load_some(t->y + i, some);
}

K_TEMPLATE
vf term_square(const struct terms *t, int64_t i, int64_t some)
{
    const vf apart = v_minus(load_some(t->x + i, some), t->mean);
    return apart * apart;
}

static inline double single_sum(const float *x, int64_t count)
{
    return single_total(term_x, &(struct terms){.x = x}, count);
}

static inline double single_products(const float *x, const float *y, int64_t count)
{
    return single_total(term_product, &(struct terms){.x = x, .y = y}, count);
}

/* Of (x - mean)^2 */
static inline double single_squares(const float *x, double mean, int64_t count)
{
    return single_total(term_square, &(struct terms){.x = x, .mean = split_of(mean)}, count);
}

#endif
