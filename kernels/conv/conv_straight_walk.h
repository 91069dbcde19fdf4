/* SPDX-License-Identifier: Apache-2.0 */
/* Windows of three by three of one channel straight from the tensor to the tensor
 * (conv_straight.h). Lines are walked in the order of their chains: a row that is loaded ends the
 * sums of one line, goes on with the next one's and begins those of a third, which all stay in
 * registers. */
#ifndef ACLNN_CPU_KERNELS_CONV_CONV_STRAIGHT_WALK_H
#define ACLNN_CPU_KERNELS_CONV_CONV_STRAIGHT_WALK_H

#include "kernels/conv/conv_straight_map.h"
#include "kernels/vector/block.h"

#if defined(K_ISA_avx512)

enum {
    WALK_TAPS = 3,
    WALK_VECTORS = 4, /* of a line at once */
    WALK_STRIP = WALK_VECTORS * VL,
    WALK_LINES = 14, /* at once: upwards, against the order of memory, not too many */
    WALK_AHEAD = 8,  /* rows */
};

/* Lines of one plane, in the order in which they are walked. */
struct walk {
    const struct straight_plan *plan;
    const float *weight;
    vf bias;
    bool has_bias;
    int64_t lines, count; /* how many; results of each */
    const char *from;     /* the operand's plane, `pitch` bytes from row to row */
    int64_t pitch, row;   /* the first row of the first line's windows */
    char *to;             /* the first line, and bytes to the next one */
    int64_t below;
    const char *ahead; /* prefetched: so many bytes for each row */
    int64_t ahead_bytes;
    int64_t write_ahead, written; /* prefetched for writing: bytes behind each line, how many */
};

/* What the vectors of a strip have in common: their places in a line, and the lanes of the
 * outermost ones that lie in the tensor. */
struct walk_strip {
    int64_t place[WALK_VECTORS];
    uint32_t lanes[2][WALK_TAPS], stored;
};

/* Lanes of `elements` elements from `column` on that lie in a row of the operand. */
static inline uint32_t walk_lanes(const struct straight_plan *plan, int64_t column, int elements)
{
    const int64_t left = plan->columns - column;
    const uint64_t all = (1ULL << elements) - 1;
    const uint64_t below = left >= elements ? all : left > 0 ? (1ULL << left) - 1 : 0;
    return (uint32_t)(below & (column >= 0 ? all : column > -elements ? all << -column : 0));
}

/* Elements of a load. */
#define WALK_UNIT(dt) ((dt) == K_BF16 ? 2 * VL : VL)

/* The elements of a row that tap w of the vectors' results reads, by vectors of floats. bf16: pairs
 * of neighbours serve even results and odd ones; the leftmost column is the first or, back, the
 * last tap's. */
K_TEMPLATE
void walk_load(enum k_dtype dt, bool is_masked, const uint32_t lanes[], const int64_t column[],
               const char *at, vf x[])
{
    if (dt != K_BF16) {
#pragma GCC unroll 3
        for (int w = 0; w < WALK_TAPS; w++) {
            const char *from = v_address(at, column[w] * k_size(dt));
            x[w] =
                v_keep(is_masked ? k_load_lanes(dt, from, (__mmask16)lanes[w]) : k_load(dt, from));
        }
        return;
    }
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++) {
        const void *from = v_address(at, (column[0] + 2 * i) * k_size(dt));
        const __m512i bits =
            is_masked ? _mm512_maskz_loadu_epi16(lanes[i], from) : _mm512_loadu_si512(from);
        x[2 * i] = v_keep((vf)((vu)bits << 16));
        x[2 * i + 1] = v_keep((vf)((vu)bits & 0xffff0000));
    }
}

K_TEMPLATE
void walk_store(enum k_dtype dt, bool is_masked, uint32_t lanes, char *to, const vf sum[])
{
    if (dt == K_F32) {
        if (is_masked)
            _mm512_mask_storeu_ps(to, (__mmask16)lanes, (__m512)sum[0]);
        else
            k_put(to, sum[0]);
    } else if (dt == K_F16) {
        if (is_masked)
            _mm256_mask_storeu_epi16(to, (__mmask16)lanes, (__m256i)v_to_half(dt, sum[0]));
        else
            k_store(dt, to, sum[0]);
    } else {
        const __mmask16 nan = _mm512_cmp_ps_mask((__m512)sum[0], (__m512)sum[1], _CMP_UNORD_Q);
        vf elements = block_pair_bf16(sum[0], sum[1]);
        if (__builtin_expect(nan != 0, 0))
            elements = (vf)v_pair((vf)v_round_bf16(sum[0]), (vf)v_round_bf16(sum[1]));
        if (is_masked)
            _mm512_mask_storeu_epi16(to, lanes, (__m512i)elements);
        else
            k_put(to, elements);
    }
}

/* A row: begins a line, goes on with one, ends one, which lies at `to`. */
K_TEMPLATE
void walk_row(enum k_dtype dt, bool is_back, int loads, bool begins, bool goes_on, bool ends,
              const struct walk *walk, const struct walk_strip *strip, const char *row, char *to,
              const vf factor[WALK_TAPS][WALK_TAPS], vf begun[], vf half[])
{
    const int parts = dt == K_BF16 ? 2 : 1;
    const int64_t *plan_column = walk->plan->column;
    const int64_t column[WALK_TAPS] = {is_back && dt == K_BF16 ? plan_column[2] : plan_column[0],
                                       plan_column[1], plan_column[2]};
#pragma GCC unroll 4
    for (int v = 0; v < loads; v++) {
        const bool is_last = v == loads - 1, is_masked = v == 0 || is_last;
        vf x[WALK_TAPS + 1], done[2];
        walk_load(dt, is_masked, strip->lanes[is_last], column,
                  v_address(row, strip->place[v] * k_size(dt)), x);
#pragma GCC unroll 2
        for (int p = 0; p < parts; p++) {
            const int i = parts * v + p;
            vf first = {0}, second = begun[i], third = half[i];
#pragma GCC unroll 3
            for (int w = 0; w < WALK_TAPS; w++) {
                const vf value = x[p + (is_back && dt == K_BF16 ? WALK_TAPS - 1 - w : w)];
                if (begins) first = v_fma(factor[0][w], value, first);
                if (goes_on) second = v_fma(factor[1][w], value, second);
                if (ends) third = v_fma(factor[2][w], value, third);
            }
            begun[i] = first;
            half[i] = second;
            done[p] = walk->has_bias ? third + walk->bias : third;
        }
        if (ends)
            walk_store(dt, loads == 1, strip->stored, to + strip->place[v] * k_size(dt), done);
    }
}

/* A strip of all lines, at least two of them. */
K_TEMPLATE
void walk_strip(enum k_dtype dt, bool is_back, int loads, const struct walk *walk,
                const struct walk_strip *given)
{
    const struct walk_strip strip = *given;
    vf factor[WALK_TAPS][WALK_TAPS], begun[WALK_VECTORS], half[WALK_VECTORS];
#pragma GCC unroll 3
    for (int h = 0; h < WALK_TAPS; h++)
#pragma GCC unroll 3
        for (int w = 0; w < WALK_TAPS; w++)
            factor[h][w] = v_keep(v_all(walk->weight[h * WALK_TAPS + w]));
#pragma GCC unroll 4
    for (int i = 0; i < WALK_VECTORS; i++)
        begun[i] = half[i] = (vf){0};
    const struct straight_plan *plan = walk->plan;
    const int64_t step = plan->row_step, end = walk->lines;
    int64_t row = walk->row;
    const char *from = straight_row(plan, walk->from, walk->pitch, row), *ahead = walk->ahead;
    char *to = walk->to;
    walk_row(dt, is_back, loads, true, false, false, walk, &strip, from, to, factor, begun, half);
    from = straight_row(plan, walk->from, walk->pitch, row += step);
    walk_row(dt, is_back, loads, true, true, false, walk, &strip, from, to, factor, begun, half);
    for (int64_t i = 2; i < end; i++, to += walk->below) {
        for (int64_t byte = 0; byte < walk->ahead_bytes; byte += LINE_BYTES)
            k_prefetch(v_address(ahead, byte));
        ahead = v_address(ahead, walk->ahead_bytes);
        for (int64_t byte = 0; byte < walk->written; byte += LINE_BYTES)
            __builtin_prefetch(v_address(to, walk->write_ahead + byte), 1, 3);
        from = straight_row(plan, walk->from, walk->pitch, row += step);
        walk_row(dt, is_back, loads, true, true, true, walk, &strip, from, to, factor, begun, half);
    }
    from = straight_row(plan, walk->from, walk->pitch, row += step);
    walk_row(dt, is_back, loads, false, true, true, walk, &strip, from, to, factor, begun, half);
    from = straight_row(plan, walk->from, walk->pitch, row + step);
    walk_row(dt, is_back, loads, false, false, true, walk, &strip, from, to + walk->below, factor,
             begun, half);
}

/* Strip by strip; the last one lies over the one before. */
K_TEMPLATE
void walk_strips(enum k_dtype dt, bool is_back, struct walk *walk)
{
    const struct straight_plan *plan = walk->plan;
    const int unit = WALK_UNIT(dt);
    const int64_t width = walk->count < WALK_STRIP ? walk->count : WALK_STRIP;
    const int loads = (int)conv_up(width, unit);
    for (int64_t at = 0; at < walk->count; at += WALK_STRIP, walk->ahead_bytes = 0) {
        const int64_t begin = at + width > walk->count ? walk->count - width : at;
        struct walk_strip strip = {.stored = width < unit ? (1U << width) - 1 : ~0U};
        for (int v = 0; v < loads; v++)
            strip.place[v] = begin + (v > 0 && v == loads - 1 ? width - unit : v * unit);
        for (int w = 0; w < WALK_TAPS; w++)
            for (int side = 0; side < 2; side++) {
                const int64_t column = dt == K_BF16
                                           ? plan->column[is_back ? WALK_TAPS - 1 : 0] + 2 * w
                                           : plan->column[w];
                strip.lanes[side][w] =
                    walk_lanes(plan, column + strip.place[side == 0 ? 0 : loads - 1], unit);
            }
        if (loads == 1)
            walk_strip(dt, is_back, 1, walk, &strip);
        else if (loads == 2)
            walk_strip(dt, is_back, 2, walk, &strip);
        else if (dt != K_BF16 && loads == 3)
            walk_strip(dt, is_back, 3, walk, &strip);
        else if (dt != K_BF16)
            walk_strip(dt, is_back, 4, walk, &strip);
    }
}

static __attribute__((noinline)) void walk_f32(struct walk *walk)
{
    walk_strips(K_F32, false, walk);
}

static __attribute__((noinline)) void walk_f16(struct walk *walk)
{
    walk_strips(K_F16, false, walk);
}

static __attribute__((noinline)) void walk_bf16(struct walk *walk)
{
    walk_strips(K_BF16, false, walk);
}

static __attribute__((noinline)) void walk_bf16_back(struct walk *walk)
{
    walk_strips(K_BF16, true, walk);
}

/* Whether such lines can be walked. Only the outermost vectors of a line meet padding. */
static bool straight_walks(const struct straight_plan *plan, const struct conv_line l[],
                           enum k_dtype dtype)
{
    const int64_t step = l[2].offset_step, distance = step < 0 ? -step : step;
    const int64_t low = plan->column[step < 0 ? WALK_TAPS - 1 : 0];
    return l[1].taps == WALK_TAPS && l[2].taps == WALK_TAPS &&
           straight_is_shared(plan, WALK_TAPS) && (distance == 1 || dtype != K_BF16) &&
           low >= -VL && low + (WALK_TAPS - 1) * distance <= plan->columns - l[2].count + 1;
}

/* Lines `line` to line + lines - 1, at least two: to `to`, which may be an image in L1, `to_line`
 * bytes from one to the next. */
static void straight_walk(enum k_dtype dtype, const struct straight_plan *plan,
                          const struct rows_form *f, const struct straight_planes *planes,
                          int64_t line, int64_t lines, bool is_image, char *to, int64_t to_line)
{
    const int64_t last = lines - 1, upwards = f->is_upwards ? last : 0;
    struct walk walk = {
        .plan = plan,
        .weight = f->weight,
        .has_bias = f->has_bias,
        .bias = v_all(f->bias[0]),
        .lines = lines,
        .count = f->count,
        .from = planes->from,
        .pitch = planes->row,
        .row = plan->first_row + (line + upwards) * plan->line_step,
        .to = to + upwards * to_line,
        .below = f->is_upwards ? -to_line : to_line,
        /* Stores that go down in memory are not followed by the machine's own prefetching. */
        .write_ahead = lines * to_line,
        .written = f->is_upwards && !is_image ? f->count * k_size(dtype) : 0,
    };
    /* Rows that following lines read and these do not. */
    const int64_t reach = f->is_upwards ? 0 : (WALK_TAPS - 1) * plan->row_step;
    const int64_t next = plan->first_row + (line + last) * plan->line_step + reach + 1;
    walk.ahead = v_address(planes->from, (next + WALK_AHEAD) * planes->row);
    walk.ahead_bytes = lines > 2 ? conv_up(lines * plan->line_step * planes->row, lines - 2) : 0;
    if (dtype == K_F32)
        walk_f32(&walk);
    else if (dtype == K_F16)
        walk_f16(&walk);
    else if (plan->column[1] > plan->column[0])
        walk_bf16(&walk);
    else
        walk_bf16_back(&walk);
}

#endif
#endif
