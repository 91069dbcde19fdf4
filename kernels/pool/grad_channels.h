/* SPDX-License-Identifier: Apache-2.0 */
/* Several channels: vectors run along them. Windows of three along the width (grad_slide.h), or
 * windows side by side (grad_tiles.h). */
#ifndef ACLNN_CPU_KERNELS_POOL_GRAD_CHANNELS_H
#define ACLNN_CPU_KERNELS_POOL_GRAD_CHANNELS_H

#include "kernels/pool/grad.h"
#include "kernels/pool/grad_slide.h"
#include "kernels/pool/grad_tiles.h"

/* Rows of dX that are made alike. */
struct rows {
    const char *at;               /* first window of the newest row of dY over the first of them */
    int64_t count;                /* of rows of dX */
    int64_t place, step, covered; /* the first row's place in the height's stride; from place
                                     `covered` on one row of dY less */
    int most;                     /* rows of dY over a row of dX */
    float factor[POOL_FUSED];     /* per row of dY, the oldest first */
};

/* Rows of dX from h on, at most up to `end`. */
K_TEMPLATE
struct rows rows_begin(enum k_dtype dt, const struct grad *g, int64_t h, int64_t end)
{
    const struct pool_axis *height = &g->plan.height;
    const int64_t q = h + height->pad;
    int64_t low, high;
    struct rows in = {.step = height->stride,
                      .covered = height->rest,
                      .most = (int)height->most,
                      .count = pool_min(end, g->whole_end) - h};
    if (h >= g->whole_begin && in.count > 0 && g->depths == 1) {
        in.place = q % height->stride;
        in.at = row_of_dy(g, q / height->stride, k_size(dt));
        for (int i = 0; i < POOL_FUSED; i++)
            in.factor[i] = g->whole_factor;
        return in;
    }
    windows_of_cell(height, h, &low, &high);
    in.most = g->depths == 1 ? (int)pool_max(high - low + 1, 0) : 0;
    in.count = 1;
    in.covered = in.step; /* whatever the place */
    in.at = in.most == 0 ? NULL : row_of_dy(g, high, k_size(dt));
    for (int i = 0; i < in.most; i++)
        in.factor[i] = factor_of(g, 0, low + i);
    return in;
}

/* Where rows of cells go. */
struct channels_out {
    char *row;
    int64_t cell_bytes, row_bytes;
    int64_t last; /* channel where the last block begins: over its neighbour if it has to */
    int blocks;
    bool half; /* the channels are the first half of a vector */
    bool stream;
};

/* `rows` rows of cells, each in one row of windows. */
K_TEMPLATE
void channels_tiles(enum k_dtype dt, struct grad *g, const struct channels_out *out,
                    const struct rows *in, int64_t rows)
{
    const struct tiles tiles = {.at = in->at,
                                .end = g->dy_end,
                                .to = out->row,
                                .cells = g->cells,
                                .cell_bytes = out->cell_bytes,
                                .rows = rows,
                                .row_bytes = out->row_bytes,
                                .start = -g->front,
                                .stride = g->plan.width.stride,
                                .last = out->last,
                                .blocks = out->blocks,
                                .channels = g->channels,
                                .half = out->half,
                                .stream = out->stream,
                                .uniform = g->widths.uniform,
                                .rounding = g->pool->rounding,
                                .factor = in->factor[0],
                                .widths = g->widths.plain,
                                .image = (char *)g->slots};
    tile_rows(dt, &tiles);
}

/* `rows` rows of cells, each in n rows of windows. */
K_TEMPLATE
void channels_slide(enum k_dtype dt, struct grad *g, const struct channels_out *out,
                    const struct rows *in, int n, int64_t rows)
{
    struct slide slide = {.at = in->at,
                          .row_bytes = g->plan.width.out * out->cell_bytes,
                          .to = out->row,
                          .to_bytes = out->row_bytes,
                          .cell_bytes = out->cell_bytes,
                          .cells = g->cells,
                          .front = g->front,
                          .real = g->real,
                          .count = g->count,
                          .last = out->last,
                          .blocks = out->blocks,
                          .stream = out->stream,
                          .uniform = g->widths.uniform,
                          .rounding = g->pool->rounding,
                          .widths = g->widths.plain,
                          .slots = g->slots};
    const int step = (int)g->plan.width.stride;
    memcpy(slide.factor, in->factor, sizeof slide.factor);
    if (dt == K_F32) slide_f32(step, n, (int)rows, &slide);
    if (dt == K_F16) slide_f16(step, n, (int)rows, &slide);
    if (dt == K_BF16 && (rows == 1 || !slide_native(g, (int)rows, &slide)))
        slide_bf16(step, n, (int)rows, &slide);
}

/* The next rows of cells that are made alike, at most `left`; returns how many there were. */
K_TEMPLATE
int64_t channels_rows(enum k_dtype dt, struct grad *g, const struct channels_out *out,
                      const struct rows *in, int64_t left)
{
    const int n = in->place < in->covered ? in->most : in->most - 1;
    int64_t rows = 1;
    if (n == 0) {
        for (int cell = 0; cell < g->cells; cell++)
            memset(out->row + cell * out->cell_bytes, 0, (size_t)(g->channels * k_size(dt)));
    } else if (pool_is_apart(&g->plan)) {
        /* Several at once where no order of non-temporal stores is lost. */
        if (!out->stream) rows = pool_min(in->covered - in->place, left);
        channels_tiles(dt, g, out, in, rows);
    } else {
        if (n == POOL_FUSED && in->step == 1) {
            const int64_t fit = pool_min(POOL_SLOT / (out->blocks * BLOCK(dt)), left);
            rows = fit >= SLIDE_ROWS && dt != K_F32 ? SLIDE_ROWS : fit >= 2 ? 2 : 1;
        }
        channels_slide(dt, g, out, in, n, rows);
    }
    return rows;
}

/* Rows [h, end) of this column. */
K_TEMPLATE
void walk_channels(enum k_dtype dt, struct grad *g, int64_t h, int64_t end)
{
    const struct pool_plan *plan = &g->plan;
    const bool half = g->channels * 2 == BLOCK(dt);
    struct channels_out out = {.cell_bytes = plan->channels * k_size(dt),
                               .blocks = (g->channels + BLOCK(dt) - 1) / BLOCK(dt),
                               .half = half,
                               .last = half ? 0 : g->channels - BLOCK(dt)};
    const int64_t dy_bytes = plan->width.out * out.cell_bytes;
    out.row_bytes = plan->width.in * out.cell_bytes;
    const uintptr_t mixed = (uintptr_t)row_of_dx(g, h, k_size(dt)) | (uintptr_t)out.cell_bytes |
                            (uintptr_t)(g->channels * k_size(dt));
    out.stream = g->pool->stream_output && mixed % LINE_BYTES == 0 && !half;
    while (h < end) {
        struct rows in = rows_begin(dt, g, h, end);
        for (int64_t r = 0, rows; r < in.count; r += rows, h += rows) {
            out.row = row_of_dx(g, h, k_size(dt));
            rows = channels_rows(dt, g, &out, &in, in.count - r);
            for (in.place += rows; in.place >= in.step; in.place -= in.step)
                in.at += dy_bytes;
        }
    }
}

#endif
