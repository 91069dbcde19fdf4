/* SPDX-License-Identifier: Apache-2.0 */
/* The sums of conv_rows.h straight from the tensor (conv_straight.h). */
#ifndef ACLNN_CPU_KERNELS_CONV_CONV_STRAIGHT_MAP_H
#define ACLNN_CPU_KERNELS_CONV_CONV_STRAIGHT_MAP_H

#include "kernels/conv/conv_straight.h"

#if defined(K_ISA_avx512)

/* The operand's planes of a group. */
struct straight_planes {
    const char *from;
    int64_t row, channel; /* bytes from one to the next */
};

K_TEMPLATE
void straight_chunk(enum k_dtype dt, int kernel_rows, int width, int vectors,
                    const char *const row[], const int64_t column[],
                    const uint16_t lanes[][STRAIGHT_WIDTH], const float *weight,
                    vf sum[ROWS_LINES][ROWS_VECTORS])
{
    vf known[ROWS_CHUNK][STRAIGHT_WIDTH];
#pragma GCC unroll 3
    for (int h = 0; h < kernel_rows; h++)
#pragma GCC unroll 7
        for (int w = 0; w < width; w++)
            known[h][w] = v_all(weight[h * width + w]);
#pragma GCC unroll 6
    for (int i = 0; i < ROWS_LINES + kernel_rows - 1; i++) {
#pragma GCC unroll 7
        for (int w = 0; w < width; w++) {
            vf x[ROWS_VECTORS];
#pragma GCC unroll 2
            for (int v = 0; v < vectors; v++)
                x[v] = v_keep(k_load_lanes(dt, v_address(row[i], (column[w] + v * VL) * k_size(dt)),
                                           lanes[v][w]));
#pragma GCC unroll 4
            for (int q = 0; q < ROWS_LINES; q++) {
                const int h = i - q;
                if (h < 0 || h >= kernel_rows) continue;
#pragma GCC unroll 2
                for (int v = 0; v < vectors; v++)
                    sum[q][v] = v_fma(known[h][w], x[v], sum[q][v]);
            }
        }
    }
}

/* ROWS_LINES lines by `vectors` vectors from result `at` on; row[i] is row i of those that the
 * lines read, in the order of their chains, apart[i] bytes from channel to channel. */
K_TEMPLATE
void straight_block(enum k_dtype dt, int width, int vectors, const struct straight_plan *plan,
                    const struct rows_form *f, const char *const row[], const int64_t apart[],
                    int64_t at)
{
    vf sum[ROWS_LINES][ROWS_VECTORS];
    int64_t column[STRAIGHT_WIDTH];
#pragma GCC unroll 4
    for (int q = 0; q < ROWS_LINES; q++)
#pragma GCC unroll 2
        for (int v = 0; v < vectors; v++)
            sum[q][v] = (vf){0};
#pragma GCC unroll 7
    for (int w = 0; w < width; w++)
        column[w] = plan->column[w] + at;
    const uint16_t(*lanes)[STRAIGHT_WIDTH] = plan->lanes + at / VL;
    const float *weight = f->weight;
    const char *next[STRAIGHT_ROWS];
    for (int64_t c = 0; c < f->channels; c++) {
        int64_t h = 0;
        for (; h + 3 <= f->height; h += 3, weight += 3 * width)
            straight_chunk(dt, 3, width, vectors, row + h, column, lanes, weight, sum);
        if (f->height - h == 2)
            straight_chunk(dt, 2, width, vectors, row + h, column, lanes, weight, sum);
        if (f->height - h == 1)
            straight_chunk(dt, 1, width, vectors, row + h, column, lanes, weight, sum);
        weight += (f->height - h) * width;
        if (c + 1 == f->channels) break;
        for (int64_t i = 0; i < ROWS_LINES + f->height - 1; i++)
            next[i] = v_address(row[i], apart[i]);
        row = next;
    }
#pragma GCC unroll 4
    for (int q = 0; q < ROWS_LINES; q++) {
        float *to = f->image + (f->is_upwards ? ROWS_LINES - 1 - q : q) * f->pitch + at;
#pragma GCC unroll 2
        for (int v = 0; v < vectors; v++)
            v_store(to + v * VL, f->has_bias ? sum[q][v] + v_all(f->bias[0]) : sum[q][v]);
    }
}

K_TEMPLATE
void straight_lines(enum k_dtype dt, int width, const struct straight_plan *plan,
                    const struct rows_form *f, const char *const row[], const int64_t apart[])
{
    int64_t at = 0;
    for (; f->count - at > VL; at += ROWS_VECTORS * VL)
        straight_block(dt, width, ROWS_VECTORS, plan, f, row, apart, at);
    if (f->count > at) straight_block(dt, width, 1, plan, f, row, apart, at);
}

#define STRAIGHT_LINES(name, dt, width)                                                            \
    static __attribute__((noinline)) void name(const struct straight_plan *plan,                   \
                                               const struct rows_form *f, const char *const row[], \
                                               const int64_t apart[])                              \
    {                                                                                              \
        straight_lines(dt, width, plan, f, row, apart);                                            \
    }
STRAIGHT_LINES(straight_lines_f32_3, K_F32, 3)
STRAIGHT_LINES(straight_lines_f32_5, K_F32, 5)
STRAIGHT_LINES(straight_lines_f32_7, K_F32, 7)
STRAIGHT_LINES(straight_lines_f16_3, K_F16, 3)
STRAIGHT_LINES(straight_lines_f16_5, K_F16, 5)
STRAIGHT_LINES(straight_lines_f16_7, K_F16, 7)
STRAIGHT_LINES(straight_lines_bf16_3, K_BF16, 3)
STRAIGHT_LINES(straight_lines_bf16_5, K_BF16, 5)
STRAIGHT_LINES(straight_lines_bf16_7, K_BF16, 7)
#undef STRAIGHT_LINES

/* ROWS_LINES lines of one result channel from `line` on, which share rows. */
static void straight_below(enum k_dtype dtype, const struct straight_plan *plan,
                           const struct rows_form *f, const struct straight_planes *planes,
                           int64_t line)
{
    typedef void lines_fn(const struct straight_plan *, const struct rows_form *,
                          const char *const[], const int64_t[]);
    static lines_fn *const all[][K_DTYPES] = {
        {straight_lines_f32_3, straight_lines_f16_3, straight_lines_bf16_3},
        {straight_lines_f32_5, straight_lines_f16_5, straight_lines_bf16_5},
        {straight_lines_f32_7, straight_lines_f16_7, straight_lines_bf16_7},
    };
    const char *row[STRAIGHT_ROWS];
    int64_t apart[STRAIGHT_ROWS];
    const int64_t start = f->is_upwards ? line + ROWS_LINES - 1 : line;
    for (int64_t i = 0; i < ROWS_LINES + f->height - 1; i++) {
        const int64_t at = plan->first_row + start * plan->line_step + i * plan->row_step;
        row[i] = straight_row(plan, planes->from, planes->row, at);
        apart[i] = row[i] == plan->zeros ? 0 : planes->channel;
    }
    if (f->channels == 1) {
        const int64_t ahead = plan->first_row + line * plan->line_step + STRAIGHT_AHEAD;
        for (int64_t i = 0; i < ROWS_LINES * planes->row; i += LINE_BYTES)
            __builtin_prefetch(v_address(planes->from, ahead * planes->row + i));
    }
    all[f->width / 2 - 1][dtype](plan, f, row, apart);
}

#endif
#endif
