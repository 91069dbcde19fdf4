/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of a convolution over a band (conv_band.h), in registers: each is one chain over channels
 * and taps in their order. Results are floats, in rows of an image. */
#ifndef ACLNN_CPU_KERNELS_CONV_CONV_ROWS_H
#define ACLNN_CPU_KERNELS_CONV_CONV_ROWS_H

#include "kernels/conv/conv_band.h"

enum {
    ROWS_LINES = 4, /* results below each other at once */
    ROWS_CHUNK = 3, /* rows of a window at once */
    ROWS_VECTORS = 2,
    /* Several channels: registers hold so many vectors of sums for each. */
    ROWS_WIDE = K_VECTOR_BYTES == 64 ? 4 : 2,
    ROWS_CHANNELS = 4,
};

/* The sums of one phase (conv_plan.h). */
struct rows_form {
    int64_t channels, channel;          /* of the operand: how many; floats from one to the next */
    int64_t depth, height, width, taps; /* of the window; all together */
    const int32_t *offset;              /* of each tap, from the band's place for the result */
    const float *weight;                /* [channel][tap][result channel] */
    int64_t rows;                       /* result channels */
    int64_t line;                       /* floats of the band from a result to the one below it */
    bool is_shared;  /* the result below reads what the next row of the window reads, */
    bool is_upwards; /* or the previous one; without is_shared false */
    int64_t count;   /* results of a line */
    bool has_bias;
    float bias[ROWS_CHANNELS];
    float *image;  /* the results' rows */
    int64_t pitch; /* of the image, floats */
};

/* ---- one result channel: rows of the band that several lines share are loaded once ---- */

/* Rows of the window from `weight` on, `kernel_rows` of them, for `lines` results below each other.
 * Band row i, `row` floats from the last one, serves result q as row i - q of the window. */
K_TEMPLATE
void rows_chunk(int lines, int kernel_rows, int known_width, int vectors, const float *band,
                int64_t row, const int32_t *offset, int64_t width, const float *weight,
                vf sum[ROWS_LINES][ROWS_VECTORS])
{
    vf known[ROWS_CHUNK][5];
#pragma GCC unroll 3
    for (int h = 0; h < kernel_rows; h++)
#pragma GCC unroll 5
        for (int w = 0; w < known_width; w++)
            known[h][w] = v_all(weight[h * known_width + w]);
    if (known_width > 0) width = known_width;
#pragma GCC unroll 6
    for (int i = 0; i < lines + kernel_rows - 1; i++) {
#pragma GCC unroll 5
        for (int w = 0; w < width; w++) {
            vf x[ROWS_VECTORS];
#pragma GCC unroll 2
            for (int v = 0; v < vectors; v++)
                x[v] = v_keep(v_load(band + offset[w] + v * VL));
#pragma GCC unroll 4
            for (int q = 0; q < lines; q++) {
                const int h = i - q;
                if (h < 0 || h >= kernel_rows) continue;
                const vf factor = known_width > 0 ? known[h][w] : v_all(weight[h * width + w]);
#pragma GCC unroll 2
                for (int v = 0; v < vectors; v++)
                    sum[q][v] = v_fma(factor, x[v], sum[q][v]);
            }
        }
        band += row;
    }
}

/* `lines` lines by `vectors` vectors of results from the band's place for the first one on. */
K_TEMPLATE
void rows_block(int lines, int known_width, int vectors, const struct rows_form *f,
                const float *band, float *to)
{
    vf sum[ROWS_LINES][ROWS_VECTORS];
#pragma GCC unroll 4
    for (int q = 0; q < lines; q++)
#pragma GCC unroll 2
        for (int v = 0; v < vectors; v++)
            sum[q][v] = (vf){0};
    const int64_t row = f->is_upwards ? -f->line : f->line, width = f->width;
    const float *weight = f->weight;
    if (f->is_upwards) band += (lines - 1) * f->line;
    for (int64_t c = 0; c < f->channels; c++, band += f->channel) {
        const int32_t *offset = f->offset;
        for (int64_t d = 0; d < f->depth; d++) {
            int64_t h = f->height;
            for (; h >= 3 && f->is_shared; h -= 3, offset += 3 * width, weight += 3 * width)
                rows_chunk(lines, 3, known_width, vectors, band, row, offset, width, weight, sum);
            for (; h >= 2 && f->is_shared; h -= 2, offset += 2 * width, weight += 2 * width)
                rows_chunk(lines, 2, known_width, vectors, band, row, offset, width, weight, sum);
            for (; h > 0; h--, offset += width, weight += width)
                rows_chunk(lines, 1, known_width, vectors, band, row, offset, width, weight, sum);
        }
    }
#pragma GCC unroll 4
    for (int q = 0; q < lines; q++) {
        float *at = to + (f->is_upwards ? lines - 1 - q : q) * f->pitch;
#pragma GCC unroll 2
        for (int v = 0; v < vectors; v++)
            v_store(at + v * VL, f->has_bias ? sum[q][v] + v_all(f->bias[0]) : sum[q][v]);
    }
}

K_TEMPLATE
void rows_lines(int lines, int known_width, const struct rows_form *f, const float *band)
{
    int64_t at = 0;
    for (; f->count - at > VL; at += ROWS_VECTORS * VL)
        rows_block(lines, known_width, ROWS_VECTORS, f, band + at, f->image + at);
    if (f->count > at) rows_block(lines, known_width, 1, f, band + at, f->image + at);
}

static __attribute__((noinline)) void rows_lines_3(const struct rows_form *f, const float *band)
{
    rows_lines(ROWS_LINES, 3, f, band);
}

static __attribute__((noinline)) void rows_lines_5(const struct rows_form *f, const float *band)
{
    rows_lines(ROWS_LINES, 5, f, band);
}

static __attribute__((noinline)) void rows_lines_any(const struct rows_form *f, const float *band)
{
    rows_lines(ROWS_LINES, 0, f, band);
}

/* ROWS_LINES lines below each other, of one result channel. */
static inline void rows_below(const struct rows_form *f, const float *band)
{
    if (f->width == 3)
        rows_lines_3(f, band);
    else if (f->width == 5)
        rows_lines_5(f, band);
    else
        rows_lines_any(f, band);
}

/* ---- several result channels: what is loaded serves all of them ---- */

/* rows by vectors sums of channels from `first` on. */
K_TEMPLATE
void channels_block(int rows, int vectors, const struct rows_form *f, const float *band,
                    int64_t first, float *to)
{
    vf sum[ROWS_CHANNELS][ROWS_WIDE];
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            sum[r][v] = (vf){0};
    const float *weight = f->weight + first;
    for (int64_t c = 0; c < f->channels; c++, band += f->channel)
        for (int64_t t = 0; t < f->taps; t++, weight += f->rows) {
            const float *from = band + f->offset[t];
            vf x[ROWS_WIDE];
#pragma GCC unroll 4
            for (int v = 0; v < vectors; v++)
                x[v] = v_keep(v_load(from + v * VL));
#pragma GCC unroll 4
            for (int r = 0; r < rows; r++) {
                const vf w = v_keep(v_all(weight[r]));
#pragma GCC unroll 4
                for (int v = 0; v < vectors; v++)
                    sum[r][v] = v_fma(w, x[v], sum[r][v]);
            }
        }
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            v_store(to + r * f->pitch + v * VL,
                    f->has_bias ? sum[r][v] + v_all(f->bias[r]) : sum[r][v]);
}

K_TEMPLATE
void channels_line(int rows, const struct rows_form *f, const float *band, int64_t first)
{
    int64_t at = 0;
    for (; f->count - at > (ROWS_WIDE - 1) * VL; at += ROWS_WIDE * VL)
        channels_block(rows, ROWS_WIDE, f, band + at, first, f->image + at);
    if (ROWS_WIDE == 4 && f->count - at > 2 * VL) {
        channels_block(rows, 3, f, band + at, first, f->image + at);
    } else if (ROWS_WIDE == 4 && f->count - at > VL) {
        channels_block(rows, 2, f, band + at, first, f->image + at);
    } else if (f->count > at) {
        channels_block(rows, 1, f, band + at, first, f->image + at);
    }
}

static __attribute__((noinline)) void channels_line_2(const struct rows_form *f, const float *band,
                                                      int64_t first)
{
    channels_line(2, f, band, first);
}

static __attribute__((noinline)) void channels_line_3(const struct rows_form *f, const float *band,
                                                      int64_t first)
{
    channels_line(3, f, band, first);
}

static __attribute__((noinline)) void channels_line_4(const struct rows_form *f, const float *band,
                                                      int64_t first)
{
    channels_line(4, f, band, first);
}

static __attribute__((noinline)) void channels_line_1(const struct rows_form *f, const float *band,
                                                      int64_t first)
{
    channels_line(1, f, band, first);
}

/* A line of `rows` result channels from `first` on, one image row each. */
static inline void rows_channels(int rows, const struct rows_form *f, const float *band,
                                 int64_t first)
{
    if (rows == 1)
        channels_line_1(f, band, first);
    else if (rows == 2)
        channels_line_2(f, band, first);
    else if (rows == 3)
        channels_line_3(f, band, first);
    else
        channels_line_4(f, band, first);
}

#endif
