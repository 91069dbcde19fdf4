/* SPDX-License-Identifier: Apache-2.0 */
/* Max pooling of one channel, windows of two cells side by side that do not overlap along the
 * width: a row of windows straight from the rows of cells under it, even and odd cells apart. Lanes
 * are windows. */
#ifndef ACLNN_CPU_KERNELS_POOL_MAX_APART_H
#define ACLNN_CPU_KERNELS_POOL_MAX_APART_H

#include <math.h>

#include "kernels/pool/max_pool_plan.h"
#include "kernels/pool/max_rows.h"
#include "kernels/vector/block.h"

enum { APART_COPIED = 4 }; /* rows of cells that may be copied */

/* Rows of cells, the first ones first, and the places of their cells 0. */
struct apart_rows {
    const char *at[MAX_SIDE * MAX_SIDE];
    int32_t place[MAX_SIDE * MAX_SIDE];
    int count;
    int64_t left; /* bytes to the end of the first one's depth; behind it lie */
    int64_t skip; /* so many that rows of the window's other depths read */
};

/* The even and the odd ones of 2 VL cells. `beyond` is added to how far ahead reads are announced.
 */
K_TEMPLATE
void apart_cells(enum k_dtype dt, const char *at, int64_t beyond, vf cells[2])
{
    k_prefetch(at + MAX_FAR + beyond);
    if (dt == K_BF16) {
        const struct k_block block = block_load(dt, at);
        cells[0] = block.a;
        cells[1] = block.b;
        return;
    }
    if (2 * VL * k_size(dt) > LINE_BYTES) k_prefetch(at + MAX_FAR + beyond + LINE_BYTES);
    const vf a = k_load(dt, at), b = k_load(dt, at + VL * k_size(dt));
    cells[0] = v_unzip(0, a, b);
    cells[1] = v_unzip(1, a, b);
}

/* VL windows from the one at byte `x` of the rows on: the largest of each, its cell, and a sum that
 * is a NaN if a cell is one. */
K_TEMPLATE
void apart_windows(enum k_dtype dt, bool codes, int count, const struct apart_rows *rows, int64_t x,
                   int64_t beyond, vf *best, vi *place, vf *sum)
{
    vf most = {0}, all = *sum;
    vi where = {0};
#pragma GCC unroll 4
    for (int r = 0; r < count; r++) {
        vf cells[2];
        apart_cells(dt, rows->at[r] + x, beyond, cells);
        const vi here = v_all_i(rows->place[r]);
        all = all + (cells[0] + cells[1]);
        if (r == 0) {
            most = cells[0];
            where = here;
        } else if (codes) {
            v_take_greater(&most, &where, cells[0], here);
        } else {
            most = v_greater(most, cells[0]);
        }
        if (codes)
            v_take_greater(&most, &where, cells[1], here + 1);
        else
            most = v_greater(most, cells[1]);
    }
    *best = most;
    *place = where;
    *sum = all;
}

/* `run` rows of windows, each `height.stride` rows of cells behind the one before. */
K_TEMPLATE
vf apart_run(enum k_dtype dt, bool codes, bool wide, int count, const struct max_plan *plan,
             const struct apart_rows *rows, int64_t run, struct max_rows_out *to)
{
    const int64_t out = plan->width.out, size = k_size(dt), place_size = wide ? 8 : 4;
    const int64_t step = plan->height.stride * plan->width.in;
    char *values = to->values, *places = to->places;
    vf best, sum = {0};
    vi place, cell = v_lanes() * 2;
    for (int64_t row = 0; run > 0; run--, row += step * size, cell += (int32_t)step) {
        const int64_t beyond = rows->left - row > MAX_FAR ? 0 : rows->skip;
        for (int64_t w = 0; w < out; w += VL) {
            apart_windows(dt, codes, count, rows, row + 2 * w * size, beyond, &best, &place, &sum);
            k_store_same(dt, values + w * size, best);
            if (codes)
                put_place(wide, places + w * place_size, place + (cell + 2 * (int32_t)w), false);
        }
        values += to->pitch;
        if (codes) places += to->place_pitch;
    }
    to->values = values;
    to->places = places;
    return sum;
}

/* The rows of cells under row (od, oh) of the windows of `outer`. */
K_TEMPLATE
void apart_begin(enum k_dtype dt, const struct max_plan *plan, const char *x, int64_t outer,
                 int64_t od, int64_t oh, struct apart_rows *rows)
{
    const struct max_axis *depth = &plan->depth, *height = &plan->height;
    const int64_t bytes = plan->width.in * k_size(dt);
    rows->count = 0;
    rows->left = (height->in - (oh * height->stride - height->pad)) * bytes;
    rows->skip = depth->kernel > 1 ? (depth->stride - 1) * height->in * bytes : 0;
    for (int64_t i = 0; i < depth->kernel; i++) {
        const int64_t d = od * depth->stride - depth->pad + i * depth->dilation;
        for (int64_t j = 0; d >= 0 && d < depth->in && j < height->kernel; j++) {
            const int64_t h = oh * height->stride - height->pad + j * height->dilation;
            if (h < 0 || h >= height->in) continue;
            const int64_t row = d * height->in + h;
            rows->at[rows->count] = x + (outer * depth->in * height->in + row) * bytes;
            rows->place[rows->count++] = (int32_t)(row * plan->width.in);
        }
    }
}

/* `count` rows of windows from row `item` of all on; false if they are not to be trusted. Up to VL
 * - 1 elements are written behind each. codes: places are wanted; wide: of 64 bits. */
K_TEMPLATE
bool apart_block(enum k_dtype dt, bool codes, bool wide, const struct max_plan *plan, const char *x,
                 const char *end, int64_t item, int64_t count, struct max_rows_out to)
{
    enum { ROOM = (MAX_RING / MAX_SIDE + 2 * VL) * 2 * 4 };
    const struct max_axis *height = &plan->height;
    const int64_t out = plan->width.out, bytes = plan->width.in * k_size(dt);
    const int64_t reach = (out + VL - 1) / VL * VL * 2 * k_size(dt); /* of a row */
    const bool inside =
        height->pad == 0 && (height->out - 1) * height->stride + max_span(height) <= height->in;
    struct apart_rows rows;
    char copy[APART_COPIED * ROOM];
    vf sum = {0};
    for (int64_t run; count > 0; count -= run, item += run) {
        const int64_t oh = item % height->out, above = item / height->out;
        const int64_t od = above % plan->depth.out, outer = above / plan->depth.out;
        run = inside ? max_least(count, height->out - oh) : 1;
        apart_begin(dt, plan, x, outer, od, oh, &rows);
        if (rows.count == 0) return false;
        const char *last = rows.at[rows.count - 1] + reach;
        const int64_t step = height->stride * bytes;
        while (run > 1 && last + (run - 1) * step > end)
            run--;
        if (last > end) {
            if (rows.count > APART_COPIED) return false;
            const int64_t real = 2 * out * k_size(dt);
            for (int r = 0; r < rows.count; r++) {
                rows.at[r] = memcpy(copy + r * ROOM, rows.at[r], (size_t)real);
                memset(copy + r * ROOM + real, 0, (size_t)(reach - real));
            }
        }
        vf all;
        if (rows.count == 2)
            all = apart_run(dt, codes, wide, 2, plan, &rows, run, &to);
        else if (rows.count == 4)
            all = apart_run(dt, codes, wide, 4, plan, &rows, run, &to);
        else
            all = apart_run(dt, codes, wide, rows.count, plan, &rows, run, &to);
        sum = sum + all;
    }
    return !v_any((vi)(sum != sum));
}

#endif
