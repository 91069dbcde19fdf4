/* SPDX-License-Identifier: Apache-2.0 */
/* Several channels, few windows over a cell: vectors run along the channels. A
 * window's channels are summed along the height as they are loaded; the sums of
 * the last `most` windows wait in L1 for the cells that they cover. */
#ifndef ACLNN_CPU_KERNELS_POOL_GRAD_CHANNELS_H
#define ACLNN_CPU_KERNELS_POOL_GRAD_CHANNELS_H

#include "kernels/pool/grad.h"
#include "kernels/pool/grad_rows.h"
#include "kernels/pool/grad_slide.h"
#include "kernels/pool/grad_tiles.h"

/* A cell's channels, as they go out. */
struct cell_line {
    char *to;
    bool stream;
    bool half;    /* the channels are the first half of a vector */
    int64_t last; /* where the last block begins: over its neighbour if it has to */
    int blocks, channels;
};

static inline void cell_write(const struct cell_line *line, char *to, vf elements, bool stream)
{
    if (line->half)
        memcpy(to, &elements, sizeof elements / 2);
    else
        k_write(to, elements, stream);
}

K_TEMPLATE
int64_t channels_at(enum k_dtype dt, const struct cell_line *line, int block)
{
    const int64_t at = (int64_t)block * BLOCK(dt);
    return at < line->last ? at : line->last;
}

K_TEMPLATE
struct k_block channels_term(enum k_dtype dt, const struct rows *in, const struct cell_line *line,
                             const char *at, float factor, bool is_first)
{
    const struct k_block value = line->channels >= BLOCK(dt)
                                     ? block_load(dt, at)
                                     : block_load_first(dt, at, line->channels, in->end);
    return rows_scale(dt, in, value, v_all(factor), is_first);
}

/* Channels x and on of a window, summed over n rows of dY. */
K_TEMPLATE
struct k_block channels_load(enum k_dtype dt, int n, const struct rows *in,
                             const struct cell_line *line, const char *at, int64_t x, float width)
{
    at += x * k_size(dt);
    k_prefetch(at + POOL_FAR);
    const char *second = n == 3 ? at - in->row_bytes : at;
    const char *first = n == 1 ? at : second - in->row_bytes;
    struct k_block sum = channels_term(dt, in, line, first, in->factor[0], true);
    if (n >= 2) sum = block_add(dt, sum, channels_term(dt, in, line, second, in->factor[1], false));
    if (n >= 3) sum = block_add(dt, sum, channels_term(dt, in, line, at, in->factor[2], false));
    return in->widths->uniform ? sum : block_scale(dt, sum, v_all(width));
}

K_TEMPLATE
void channels_window(enum k_dtype dt, int n, const struct rows *in, const struct cell_line *line,
                     const char *at, float width, float *slot)
{
    for (int block = 0; block < line->blocks; block++, slot += BLOCK(dt)) {
        const struct k_block sum =
            channels_load(dt, n, in, line, at, channels_at(dt, line, block), width);
        v_store(slot, sum.a);
        if (dt != K_F32) v_store(slot + VL, sum.b);
    }
}

K_TEMPLATE
struct k_block slot_load(enum k_dtype dt, const float *slot)
{
    return (struct k_block){v_load(slot), dt == K_F32 ? (vf){0} : v_load(slot + VL)};
}

/* A cell that lies in `terms` windows, the oldest in slots[0]. */
K_TEMPLATE
void channels_cell(enum k_dtype dt, int terms, const struct cell_line *line,
                   const float *const slots[])
{
    for (int block = 0; block < line->blocks; block++) {
        const int at = block * BLOCK(dt);
        struct k_block sum = {{0}, {0}};
        if (terms >= 1) sum = slot_load(dt, slots[0] + at);
        if (terms >= 2) sum = block_add(dt, sum, slot_load(dt, slots[1] + at));
        if (terms >= 3) sum = block_add(dt, sum, slot_load(dt, slots[2] + at));
        cell_write(line, line->to + channels_at(dt, line, block) * k_size(dt),
                   block_elements(dt, sum), line->stream);
    }
}

/* A cell of one window. */
K_TEMPLATE
void channels_cell_of_window(enum k_dtype dt, int n, const struct rows *in,
                             const struct cell_line *line, const char *at, float width, bool stream)
{
    for (int block = 0; block < line->blocks; block++) {
        const int64_t x = channels_at(dt, line, block);
        const struct k_block sum = channels_load(dt, n, in, line, at, x, width);
        cell_write(line, line->to + x * k_size(dt), block_elements(dt, sum), stream);
    }
}

/* Where cells of a row go. */
struct cells_out {
    struct grad *g;
    char *row;     /* of the tensor */
    bool direct;   /* every line is a cell's own, or need not be whole */
    int64_t bytes; /* of a cell's channels in this tile */
    int64_t cell_bytes, row_bytes;
    int64_t rows; /* from `row` on that are the same: 1, but for tiles */
};

static inline void cell_open(struct cells_out *out, struct cell_line *line, int64_t cell)
{
    struct grad *g = out->g;
    line->to = out->row + cell * out->cell_bytes;
    if (out->direct) return;
    if (!g->contiguous) outlet_begin(&g->outlet, line->to, out->bytes, g->pool->stream_output);
    line->to = outlet_room(&g->outlet, 1, out->bytes);
}

static inline void cell_close(struct cells_out *out)
{
    struct grad *g = out->g;
    if (out->direct) return;
    outlet_took(&g->outlet, 1, out->bytes);
    if (!g->contiguous) outlet_end(&g->outlet);
}

/* Rows of dX that are the same, covered by n rows of dY. */
K_TEMPLATE
void channels_row(enum k_dtype dt, int most, int n, struct cells_out *out, const struct rows *in,
                  const char *at, struct cell_line *line)
{
    struct grad *g = out->g;
    const struct pool_axis *width = &g->plan.width;
    const bool uniform = in->widths->uniform;
    const float *slots[POOL_FUSED] = {NULL};
    int64_t start = -g->front;
    for (int i = 0; i < most && most > 1; i++) {
        slots[i] = g->slots + i * POOL_SLOT;
        memset(g->slots + i * POOL_SLOT, 0, (size_t)line->blocks * BLOCK(dt) * sizeof(float));
    }
    for (int j = 0; j < g->count; j++, start += width->stride, at += out->cell_bytes) {
        const bool real = j < in->high;
        const float factor = uniform || !real ? 1 : in->widths->plain[j];
        if (most > 1) {
            float *slot = g->slots + j % most * POOL_SLOT;
            for (int i = 0; i + 1 < most; i++)
                slots[i] = slots[i + 1];
            slots[most - 1] = slot;
            if (real)
                channels_window(dt, n, in, line, at, factor, slot);
            else
                memset(slot, 0, (size_t)line->blocks * BLOCK(dt) * sizeof(float));
        }
        const int64_t end = pool_min(start + width->stride, g->cells);
        const int64_t split = pool_min(start + width->rest, end);
        int64_t cell = pool_max(start, 0);
        for (; cell < end; cell++) {
            cell_open(out, line, cell);
            const bool covered = cell < split;
            if (most == 1 && covered && real)
                channels_cell_of_window(dt, n, in, line, at, factor, line->stream);
            else if (covered && most > 1)
                channels_cell(dt, most, line, slots);
            else if (most > 1)
                channels_cell(dt, most - 1, line, slots + 1);
            else
                channels_cell(dt, 0, line, slots);
            cell_close(out);
        }
    }
}

K_TEMPLATE
void channels_row_of(enum k_dtype dt, int most, int n, struct cells_out *out, const struct rows *in,
                     const char *at, struct cell_line *line)
{
    switch (n) {
    case 1:
        channels_row(dt, most, 1, out, in, at, line);
        break;
    case 2:
        channels_row(dt, most, 2, out, in, at, line);
        break;
    default:
        channels_row(dt, most, 3, out, in, at, line);
        break;
    }
}

static inline void channels_zero(struct cells_out *out, struct cell_line *line)
{
    for (int64_t cell = 0; cell < out->g->cells; cell++) {
        cell_open(out, line, cell);
        memset(line->to, 0, (size_t)out->bytes);
        cell_close(out);
    }
}

/* Do windows lie side by side, with all of those there that cells lie in? */
static inline bool channels_tile(const struct grad *g)
{
    const struct pool_axis *width = &g->plan.width, *height = &g->plan.height;
    return height->most == 1 && height->rest == height->stride && width->most == 1 &&
           width->rest == width->stride && g->count == g->real;
}

K_TEMPLATE
void channels_tiles(enum k_dtype dt, struct grad *g, const struct cells_out *out,
                    const struct rows *in, const struct cell_line *line)
{
    const struct tiles tiles = {.at = in->at,
                                .end = in->end,
                                .to = out->row,
                                .cells = g->cells,
                                .cell_bytes = out->cell_bytes,
                                .rows = out->rows,
                                .row_bytes = out->row_bytes,
                                .start = -g->front,
                                .stride = g->plan.width.stride,
                                .last = line->last,
                                .blocks = line->blocks,
                                .channels = line->channels,
                                .half = line->half,
                                .stream = line->stream,
                                .uniform = in->widths->uniform,
                                .rounding = in->rounding,
                                .factor = in->factor[0],
                                .widths = in->widths->plain,
                                .image = (char *)g->slots};
    tile_rows(dt, &tiles);
}

/* Are windows three cells wide, with n rows of them over this row of cells that have code? */
static inline bool channels_slides(enum k_dtype dt, const struct grad *g, int n)
{
    const struct pool_axis *width = &g->plan.width;
    if (dt != K_F32 && !g->moderate) return false; /* see slide_term */
    if (width->stride == 2) return width->most == 2 && width->rest == 1 && n >= 1 && n <= 2;
    return width->stride == 1 && width->most == 3 && n >= 2;
}

K_TEMPLATE
void channels_slide(enum k_dtype dt, struct grad *g, const struct cells_out *out,
                    const struct rows *in, const struct cell_line *line, int n)
{
    struct slide slide = {.at = in->at,
                          .row_bytes = in->row_bytes,
                          .to = out->row,
                          .to_bytes = out->row_bytes,
                          .cell_bytes = out->cell_bytes,
                          .cells = g->cells,
                          .front = g->front,
                          .real = in->high,
                          .count = g->count,
                          .last = line->last,
                          .blocks = line->blocks,
                          .stream = line->stream,
                          .uniform = in->widths->uniform,
                          .rounding = in->rounding,
                          .widths = in->widths->plain,
                          .slots = g->slots};
    const int step = (int)g->plan.width.stride;
    memcpy(slide.factor, in->factor, sizeof slide.factor);
    if (dt == K_F32) slide_f32(step, n, (int)out->rows, &slide);
    if (dt == K_F16) slide_f16(step, n, (int)out->rows, &slide);
    if (dt == K_BF16 && (out->rows == 1 || !slide_native(g, (int)out->rows, &slide)))
        slide_bf16(step, n, (int)out->rows, &slide);
}

/* The next rows of cells, at most `left`, which are made alike; out->rows is how many it were. */
K_TEMPLATE
void channels_rows(enum k_dtype dt, struct grad *g, struct cells_out *out, const struct rows *in,
                   struct cell_line *line, bool wide, int64_t left)
{
    const int n = in->place < in->rest ? in->most : in->most - 1, most = (int)g->plan.width.most;
    out->rows = 1;
    if (n == 1 && out->direct && channels_tile(g)) {
        /* At once where that costs no order of streaming stores. */
        if (wide && !line->stream) out->rows = pool_min(in->rest - in->place, left);
        channels_tiles(dt, g, out, in, line);
    } else if (out->direct && wide && !line->half && channels_slides(dt, g, n)) {
        if (n == 3 && in->step == 1 && g->plan.width.stride == 1) {
            const int64_t fit = POOL_SLOT / (line->blocks * BLOCK(dt)), rows = pool_min(fit, left);
            out->rows = rows >= SLIDE_ROWS && dt != K_F32 ? SLIDE_ROWS : rows >= 2 ? 2 : 1;
        }
        channels_slide(dt, g, out, in, line, n);
    } else if (n == 0) {
        channels_zero(out, line);
    } else if (most == 1) {
        channels_row_of(dt, 1, n, out, in, in->at, line);
    } else if (most == 2) {
        channels_row_of(dt, 2, n, out, in, in->at, line);
    } else {
        channels_row_of(dt, 3, n, out, in, in->at, line);
    }
}

/* Rows [h, end) of this column. */
K_TEMPLATE
void walk_channels(enum k_dtype dt, struct grad *g, int64_t h, int64_t end)
{
    const struct pool_plan *plan = &g->plan;
    const int64_t size = k_size(dt);
    struct rows in = {.begin = g->dy,
                      .end = g->dy_end,
                      .row_bytes = plan->width.out * plan->channels * size,
                      .rounding = g->pool->rounding,
                      .widths = &g->widths,
                      .high = g->real};
    struct cells_out out = {.g = g,
                            .bytes = g->channels * size,
                            .cell_bytes = plan->channels * size,
                            .row_bytes = plan->width.in * plan->channels * size,
                            .rows = 1};
    const bool half = g->channels * 2 == BLOCK(dt), wide = g->channels >= BLOCK(dt) || half;
    /* What a vector writes behind a narrow cell is written again with the next
     * one. */
    const bool spills = !wide && g->contiguous && !g->pool->stream_output;
    const int64_t spilling = g->cells * out.cell_bytes + K_VECTOR_BYTES;
    struct cell_line line = {.blocks = (g->channels + BLOCK(dt) - 1) / BLOCK(dt),
                             .channels = g->channels,
                             .half = half,
                             .last = wide && !half ? g->channels - BLOCK(dt) : 0};
    while (h < end) {
        rows_begin(dt, g, h, end, &in);
        for (int64_t r = 0; r < in.rows; r += out.rows, h += out.rows) {
            out.row = row_of_dx(g, h, size);
            const bool aligned =
                ((uintptr_t)out.row | (uintptr_t)out.bytes | (uintptr_t)out.cell_bytes) %
                    LINE_BYTES ==
                0;
            line.stream = g->pool->stream_output && aligned && wide;
            out.direct = line.stream || (!g->pool->stream_output && wide) ||
                         (spills && g->outlet.end - out.row >= spilling);
            channels_rows(dt, g, &out, &in, &line, wide, in.rows - r);
            if (spills && out.direct) outlet_skip(&g->outlet, g->cells * out.cell_bytes);
            for (in.place += out.rows; in.place >= in.step; in.place -= in.step)
                in.at += in.row_bytes;
        }
    }
}

#endif
