/* SPDX-License-Identifier: Apache-2.0 */
/* From a row of finished sums to a row of cells, whatever the step and the number of channels side
 * by side: vectors run over positions and channels together. A row's sums of all windows of a step,
 * and of all but the oldest one, are made elements first; cells are copies of those. A vector of
 * cells is a selection from a vector of each of the two, and the selections repeat. */
#ifndef ACLNN_CPU_KERNELS_POOL_GRAD_STEPS_H
#define ACLNN_CPU_KERNELS_POOL_GRAD_STEPS_H

#include "kernels/pool/grad.h"

enum { STEPS_LEAST = 8 }; /* vectors of cells at a time */

/* How a row's steps become its cells. */
struct steps {
    int64_t cells, bytes;         /* bytes: of a cell */
    int64_t offset, stride, rest; /* offset: cells of the first step before the row */
    bool selects;
#ifdef K_PERMUTES
    int unit;      /* bytes of what is selected: 4 or 2 */
    int count;     /* vectors until the selections repeat, not for the first time, or all */
    int64_t ahead; /* bytes of the elements that so many vectors take */
    int from[POOL_CELLS_FLOATS / VL + 2]; /* byte of the elements where a vector's begin */
    vi lanes[POOL_CELLS_FLOATS / VL + 2];
#endif
};

K_TEMPLATE
vf steps_sum(int terms, const float *from, int64_t gap)
{
    vf sum = v_load(from);
    if (terms >= 2) sum = sum + v_load(from + gap);
    if (terms >= 3) sum = sum + v_load(from + 2 * gap);
    if (terms >= 4) sum = sum + v_load(from + 3 * gap);
    return sum;
}

/* Rows of `count` elements, from[x] + from[x + gap] + ... each, and up to a vector behind them. */
struct steps_lines {
    const float *from;
    int64_t from_pitch, gap, count;
    const int *row_of; /* rows of `from`; NULL: as they are */
    int rows;
    char *to;
    int64_t to_pitch;
};

K_TEMPLATE
vf steps_elements(enum k_dtype dt, int terms, const float *from, int64_t gap)
{
    const vf low = steps_sum(terms, from, gap);
    return dt == K_F32 ? low : block_halves(dt, low, steps_sum(terms, from + VL, gap));
}

K_TEMPLATE
void steps_add(enum k_dtype dt, int terms, const struct steps_lines *given)
{
    const struct steps_lines l = *given; /* which no store changes */
    for (int r = 0; r < l.rows; r++) {
        const float *from = l.from + (l.row_of ? l.row_of[r] : r) * l.from_pitch;
        char *to = l.to + r * l.to_pitch;
        if (terms == 0) memset(to, 0, (size_t)(l.count * k_size(dt)));
        for (int64_t x = 0; x < l.count && terms > 0; x += BLOCK(dt), to += K_VECTOR_BYTES)
            k_put(to, steps_elements(dt, terms, from + x, l.gap));
    }
}

/* The same behind what is pending. */
K_TEMPLATE
void steps_join(enum k_dtype dt, int terms, bool stream, const struct steps_lines *given,
                struct k_vectors *out)
{
    const struct steps_lines l = *given;
    struct k_vectors v = *out;
    for (int r = 0; r < l.rows; r++) {
        const float *from = l.from + l.row_of[r] * l.from_pitch;
        int64_t x = -v.filled / k_size(dt);
        vf line = steps_elements(dt, terms, from + x, l.gap);
        if (v.filled > 0) line = outlet_join(v.filled, v.pending, line);
        if (x + BLOCK(dt) <= l.count) {
            vectors_store(&v, line, stream);
            char *to = v.to;
            for (x += BLOCK(dt); x + BLOCK(dt) <= l.count; x += BLOCK(dt), to += K_VECTOR_BYTES)
                k_write(to, steps_elements(dt, terms, from + x, l.gap), stream);
            line = steps_elements(dt, terms, from + x, l.gap);
            v.to = to;
        }
        v.pending = line;
        v.filled = (int)((l.count - x) * k_size(dt));
    }
    *out = v;
}

#define STEPS_JOIN(name, dt)                                                                       \
    K_OUTLINE void name(int terms, bool stream, const struct steps_lines *lines,                   \
                        struct k_vectors *out)                                                     \
    {                                                                                              \
        if (terms == 1) steps_join(dt, 1, stream, lines, out);                                     \
        if (terms == 2) steps_join(dt, 2, stream, lines, out);                                     \
        if (terms == 3) steps_join(dt, 3, stream, lines, out);                                     \
        if (terms == 4) steps_join(dt, 4, stream, lines, out);                                     \
    }
STEPS_JOIN(steps_join_f32, K_F32)
STEPS_JOIN(steps_join_f16, K_F16)
STEPS_JOIN(steps_join_bf16, K_BF16)

#define STEPS_LINES(name, dt)                                                                      \
    K_OUTLINE void name(int terms, const struct steps_lines *lines)                                \
    {                                                                                              \
        if (terms == 0) steps_add(dt, 0, lines);                                                   \
        if (terms == 1) steps_add(dt, 1, lines);                                                   \
        if (terms == 2) steps_add(dt, 2, lines);                                                   \
        if (terms == 3) steps_add(dt, 3, lines);                                                   \
        if (terms == 4) steps_add(dt, 4, lines);                                                   \
    }
STEPS_LINES(steps_lines_f32, K_F32)
STEPS_LINES(steps_lines_f16, K_F16)
STEPS_LINES(steps_lines_bf16, K_BF16)
_Static_assert((int)POOL_REGISTER_WINDOWS == 4, "steps_lines");

K_TEMPLATE
void steps_lines(enum k_dtype dt, int terms, const struct steps_lines *lines)
{
    if (dt == K_F32) steps_lines_f32(terms, lines);
    if (dt == K_F16) steps_lines_f16(terms, lines);
    if (dt == K_BF16) steps_lines_bf16(terms, lines);
}

#ifdef K_PERMUTES
static inline int64_t steps_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b, b = rest;
    }
    return a;
}

/* Vector k: the lane of `all` or of `fewer` (those count on) for each of its lanes. */
static inline void steps_select(struct steps *s, int k)
{
    uint32_t source[K_VECTOR_BYTES / 2];
    bool is_fewer[K_VECTOR_BYTES / 2];
    const int lanes = K_VECTOR_BYTES / s->unit, cell = (int)s->bytes / s->unit;
    const int64_t first = (int64_t)k * lanes + s->offset * cell;
    int64_t step = first / (s->stride * cell), place = first / cell % s->stride;
    int lane = (int)(first % cell);
    uint32_t least = UINT32_MAX;
    for (int i = 0; i < lanes; i++) {
        source[i] = (uint32_t)(step * cell + lane);
        is_fewer[i] = place >= s->rest;
        least = source[i] < least ? source[i] : least;
        if (++lane < cell) continue;
        lane = 0;
        if (++place == s->stride) place = 0, step++;
    }
    s->from[k] = (int)least * s->unit;
    uint16_t words[K_VECTOR_BYTES / 2];
    uint32_t whole[VL];
    for (int i = 0; i < lanes; i++) {
        const uint32_t from = source[i] - least + (is_fewer[i] ? (uint32_t)lanes : 0);
        if (s->unit == 4)
            whole[i] = from;
        else
            words[i] = (uint16_t)from;
    }
    memcpy(&s->lanes[k], s->unit == 4 ? (const void *)whole : (const void *)words,
           sizeof s->lanes[k]);
}

static inline void steps_make(struct steps *s)
{
    s->unit = s->bytes % 4 == 0 ? 4 : 2;
    s->selects = s->stride > 1 && s->bytes <= K_VECTOR_BYTES;
#ifndef K_PERMUTES_HALVES
    s->selects = s->selects && s->unit == 4;
#endif
    if (!s->selects) return;
    const int64_t vectors = (s->cells * s->bytes + K_VECTOR_BYTES - 1) / K_VECTOR_BYTES;
    const int64_t step = s->stride * s->bytes;
    int64_t period = step / steps_divisor(step, K_VECTOR_BYTES);
    while (period < STEPS_LEAST)
        period *= 2;
    s->count = (int)pool_min(vectors, period);
    s->ahead = period * K_VECTOR_BYTES / s->stride;
    for (int k = 0; k < s->count; k++)
        steps_select(s, k);
}

K_TEMPLATE
vf steps_pick(int unit, bool both, const char *all, const char *fewer, vi lanes)
{
    const vf a = v_load((const float *)(const void *)all);
#ifdef K_PERMUTES_HALVES
    if (unit == 2 && !both) return v_permute_halves(a, lanes);
#endif
    if (!both) return v_permute(a, lanes);
    const vf b = v_load((const float *)(const void *)fewer);
#ifdef K_PERMUTES_HALVES
    if (unit == 2) return (vf)_mm512_permutex2var_epi16((__m512i)a, (__m512i)lanes, (__m512i)b);
#endif
    (void)unit;
    return v_pick(a, b, lanes);
}

K_TEMPLATE
void steps_choose(int unit, bool both, const struct steps *s, const char *all, const char *fewer,
                  char *to)
{
    const char *end = to + s->cells * s->bytes;
    const int count = s->count;
    for (; to < end; all += s->ahead, fewer += s->ahead)
        for (int k = 0; k < count && to < end; k++, to += K_VECTOR_BYTES)
            k_put(to, steps_pick(unit, both, all + s->from[k], fewer + s->from[k], s->lanes[k]));
}
#else
static inline void steps_make(struct steps *s)
{
    s->selects = false;
}
#endif

/* `count` cells take the same elements. */
K_TEMPLATE
void steps_copy(int64_t piece, int64_t bytes, const char *from, int64_t count, char *to)
{
    for (int64_t i = 0; i < count; i++, to += bytes)
        for (int64_t x = 0; x < bytes; x += piece)
            memcpy(to + x, from + x, (size_t)piece);
}

/* One element each. */
K_TEMPLATE
void steps_fill(int64_t bytes, const char *from, int64_t count, char *to)
{
    uint32_t element = 0;
    memcpy(&element, from, (size_t)bytes);
    const vf elements = (vf)((vu){0} + (bytes == 2 ? element * 0x10001 : element));
    for (int64_t x = 0; x < count * bytes; x += K_VECTOR_BYTES)
        k_put(to + x, elements);
}

K_TEMPLATE
void steps_copy_any(int64_t bytes, const char *from, int64_t count, char *to)
{
    if (bytes <= 4)
        steps_fill(bytes, from, count, to);
    else if (bytes <= 8)
        steps_copy(8, bytes, from, count, to);
#if K_VECTOR_BYTES > 16
    else if (bytes <= 16)
        steps_copy(16, bytes, from, count, to);
#endif
    else
        steps_copy(K_VECTOR_BYTES, bytes, from, count, to);
}

K_TEMPLATE
void steps_row(const struct steps *s, const char *all, const char *fewer, char *to)
{
#ifdef K_PERMUTES
    const bool both = s->rest < s->stride;
    if (s->selects) {
#ifdef K_PERMUTES_HALVES
        if (s->unit == 2 && both) steps_choose(2, true, s, all, fewer, to);
        if (s->unit == 2 && !both) steps_choose(2, false, s, all, fewer, to);
#endif
        if (s->unit == 4 && both) steps_choose(4, true, s, all, fewer, to);
        if (s->unit == 4 && !both) steps_choose(4, false, s, all, fewer, to);
        return;
    }
#endif
    const int64_t bytes = s->bytes;
    for (int64_t cell = -s->offset; cell < s->cells; cell += s->stride) {
        const int64_t end = pool_min(cell + s->stride, s->cells), begin = pool_max(cell, 0);
        const int64_t split = pool_max(pool_min(cell + s->rest, end), begin);
        steps_copy_any(bytes, all, split - begin, to + begin * bytes);
        if (split < end) steps_copy_any(bytes, fewer, end - split, to + split * bytes);
        all += bytes, fewer += bytes;
    }
}

/* Rows of cells from their elements, rows of so many floats, and up to a vector behind them. */
K_OUTLINE void steps_cells(const struct steps *s, const float *all, const float *fewer,
                           int64_t room, const int *row_of, int rows, char *to, int64_t pitch)
{
    for (int r = 0; r < rows; r++, to += pitch)
        steps_row(s, (const char *)(all + row_of[r] * room),
                  (const char *)(fewer + row_of[r] * room), to);
}

#endif
