/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of a convolution's weight:
 *     w[m][c][t] = sum over n, o of small[n][m][o] * large[n][c][o * stride - pad + t * dilation]
 *
 * Positions lie side by side in both operands, so both are packed as rows of positions, without a
 * transposition (the rows that are multiplied together interleaved in steps of CONV_LANES), and
 * each weight keeps CONV_LANES partial sums side by side: lane i adds every CONV_LANES-th position,
 * whatever the width of the level's vectors. Lanes are joined once per part, in a fixed order.
 * Parts (conv_plan.h) are cut by the shape alone.
 *
 * It serves windows that conv_grad_outer does not take. An item needs some 260 KiB of stack. */
#include <stdint.h>
#include <string.h>

#include "kernels/conv/conv_dot.h"
#include "kernels/conv/window_pack.h"

struct grad_item {
    const struct k_conv *conv;
    int64_t row, rows, column, columns, group;
    const char *small, *large; /* of the group */
    struct pack_block block;
    struct pack_runs runs;
};

struct grad_buffers {
    _Alignas(64) float rows[CONV_GRAD_ROWS * CONV_GRAD_RUN];
    _Alignas(64) float columns[CONV_GRAD_COLUMNS * CONV_GRAD_RUN];
    _Alignas(64) float lanes[CONV_GRAD_ROWS * CONV_GRAD_COLUMNS * CONV_LANES];
};

/* Axes whose positions follow each other in the tensor become one, so that vectors are cut less. */
static void merge_lines(struct conv_line l[], const int64_t axis[])
{
    for (int outer = 1; outer >= 0; outer--) {
        const struct conv_line *a = &l[outer], *b = &l[2];
        const bool is_plain = b->taps == 1 && b->offset == 0 && b->from_step == 1 &&
                              b->from == b->count && a->taps == 1 && a->offset == 0 &&
                              a->from_step == 1 && a->from == a->count;
        if (!is_plain || (a->count > 1 && axis[outer] != b->count * axis[2])) return;
        l[2].count = l[2].from = a->count * b->count;
        l[outer] = (struct conv_line){.count = 1, .from = 1, .from_step = 1, .taps = 1};
    }
}

/* The small side's rows, as they are: a window of one tap at every position. */
static void pack_small(struct grad_item *item, float *to, int64_t begin, int64_t end)
{
    const struct k_conv *conv = item->conv;
    const int64_t size = pack_size(conv->small.dtype), tap[K_CONV_AXES] = {0, 0, 0};
    for (int axis = 0; axis < K_CONV_AXES; axis++) {
        const int64_t small = conv->axis[axis].small;
        item->block.line[axis] =
            (struct conv_line){.count = small, .from = small, .from_step = 1, .taps = 1};
    }
    merge_lines(item->block.line, conv->small.axis);
    pack_cut(&item->block, begin, end);
    item->block.vectors = (int)conv_up(end - begin, CONV_LANES) * DOT_PARTS;
    pack_clip(&item->runs, &item->block, &conv->small, size, tap);
    for (int64_t row = 0; row < item->rows; row += CONV_PANEL) {
        const struct pack_target target = {.to = to + row * CONV_GRAD_RUN,
                                           .row = CONV_LANES,
                                           .width = DOT_PARTS,
                                           .next = CONV_PANEL * CONV_LANES};
        const int64_t left = item->rows - row;
        pack_rows(&item->runs, item->block.vectors, &conv->small,
                  item->small + (item->row + row) * conv->small.inner * size,
                  left < CONV_PANEL ? left : CONV_PANEL, conv->rounding, &target);
    }
}

/* The windows, (channel, tap) by row. */
static void pack_large(struct grad_item *item, float *to, int64_t begin, int64_t end)
{
    const struct k_conv *conv = item->conv;
    const struct k_conv_axis *a = conv->axis;
    const int64_t taps = conv_taps(conv), size = pack_size(conv->large.dtype);
    const int64_t all = taps < item->columns ? taps : item->columns;
    for (int axis = 0; axis < K_CONV_AXES; axis++)
        item->block.line[axis] = (struct conv_line){.count = a[axis].small,
                                                    .from = a[axis].large,
                                                    .from_step = a[axis].stride,
                                                    .taps = a[axis].kernel,
                                                    .offset = -a[axis].pad,
                                                    .offset_step = a[axis].dilation};
    merge_lines(item->block.line, conv->large.axis);
    pack_cut(&item->block, begin, end);
    item->block.vectors = (int)conv_up(end - begin, CONV_LANES) * DOT_PARTS;
    for (int64_t i = 0; i < all; i++) {
        const int64_t tap = (item->column + i) % taps;
        const int64_t of_axis[K_CONV_AXES] = {tap / (a[1].kernel * a[2].kernel),
                                              tap / a[2].kernel % a[1].kernel, tap % a[2].kernel};
        pack_clip(&item->runs, &item->block, &conv->large, size, of_axis);
        for (int64_t at = i; at < item->columns; at += taps) {
            const int64_t channel = (item->column + at) / taps, in_panel = at % DOT_COLUMNS;
            const struct pack_target target = {.to = to + (at - in_panel) * CONV_GRAD_RUN +
                                                     in_panel * CONV_LANES,
                                               .width = DOT_PARTS,
                                               .next = DOT_COLUMNS * CONV_LANES};
            pack_rows(&item->runs, item->block.vectors, &conv->large,
                      item->large + channel * conv->large.inner * size, 1, conv->rounding, &target);
        }
    }
}

K_TEMPLATE
void multiply_columns(int rows, int columns, const float *a, const float *b, int64_t steps,
                      float *lanes, int64_t stride)
{
    if (columns == 3)
        dot_block(rows, 3, a, b, steps, lanes, stride);
    else if (columns == 2)
        dot_block(rows, 2, a, b, steps, lanes, stride);
    else
        dot_block(rows, 1, a, b, steps, lanes, stride);
}

static __attribute__((noinline)) void multiply(int rows, int columns, const float *a,
                                               const float *b, int64_t steps, float *lanes,
                                               int64_t stride)
{
    if (rows == DOT_ROWS)
        multiply_columns(DOT_ROWS, columns, a, b, steps, lanes, stride);
    else if (DOT_ROWS > 4 && rows >= 4)
        multiply_columns(4, columns, a, b, steps, lanes, stride);
    else if (DOT_ROWS > 2 && rows >= 2)
        multiply_columns(2, columns, a, b, steps, lanes, stride);
    else
        multiply_columns(1, columns, a, b, steps, lanes, stride);
}

/* The rows that multiply takes at once when so many are left. */
static int rows_at_once(int64_t left)
{
    int rows = DOT_ROWS;
    while (rows > left)
        rows /= 2;
    return rows;
}

/* Row `row` of the packed rows; rows taken at once never cross a panel. */
static const float *panel_rows(const struct grad_buffers *own, int64_t row)
{
    const int64_t in_panel = row % CONV_PANEL;
    return own->rows + (row - in_panel) * CONV_GRAD_RUN + in_panel * CONV_LANES;
}

static void run_item(struct grad_item *item, struct grad_buffers *own, int64_t begin, int64_t end,
                     float *to)
{
    const struct k_conv *conv = item->conv;
    const int64_t stride = item->columns * CONV_LANES;
    memset(own->lanes, 0, sizeof(float) * (size_t)(item->rows * stride));
    for (int64_t at = begin; at < end; at += CONV_GRAD_RUN) {
        const int64_t stop = end - at < CONV_GRAD_RUN ? end : at + CONV_GRAD_RUN;
        const int64_t steps = conv_up(stop - at, CONV_LANES);
        pack_small(item, own->rows, at, stop);
        pack_large(item, own->columns, at, stop);
        for (int64_t row = 0, rows; row < item->rows; row += rows) {
            rows = rows_at_once(item->rows - row);
            for (int64_t column = 0; column < item->columns; column += DOT_COLUMNS) {
                const int64_t left = item->columns - column;
                multiply((int)rows, (int)(left < DOT_COLUMNS ? left : DOT_COLUMNS),
                         panel_rows(own, row), own->columns + column * CONV_GRAD_RUN, steps,
                         own->lanes + row * stride + column * CONV_LANES, stride);
            }
        }
    }
    const int64_t all = conv->large_channels * conv_taps(conv);
    for (int64_t row = 0; row < item->rows; row++)
        for (int64_t column = 0; column < item->columns; column++)
            to[(item->row + row) * all + item->column + column] =
                dot_total(own->lanes + row * stride + column * CONV_LANES);
}

k_fn K_SYMBOL(conv_grad_windows);

void K_SYMBOL(conv_grad_windows)(const void *parameters, void *const buffers[],
                                 struct k_slice slice)
{
    const struct k_conv *conv = parameters;
    const struct conv_grad_plan plan = conv_grad_plan(conv);
    const int64_t all = conv->large_channels * conv_taps(conv);
    const int64_t group_floats = conv->small_channels * all;
    struct grad_item item = {.conv = conv};
    struct grad_buffers own;
    for (int64_t i = slice.begin; i < slice.end; i++) {
        int64_t rest = i / plan.column_blocks;
        item.column = i % plan.column_blocks * plan.columns;
        item.columns = all - item.column < plan.columns ? all - item.column : plan.columns;
        item.row = rest % plan.row_blocks * plan.rows;
        item.rows = conv->small_channels - item.row;
        if (item.rows > plan.rows) item.rows = plan.rows;
        rest /= plan.row_blocks;
        item.group = rest % conv->groups;
        const int64_t part = rest / conv->groups, begin = part * plan.part;
        const int64_t left = plan.positions - begin;
        if (item.columns <= 0 || item.rows <= 0) continue;
        item.small = (const char *)buffers[K_CONV_GRAD_SMALL] + item.group * conv->small_channels *
                                                                    conv->small.inner *
                                                                    pack_size(conv->small.dtype);
        item.large = (const char *)buffers[K_CONV_GRAD_LARGE] + item.group * conv->large_channels *
                                                                    conv->large.inner *
                                                                    pack_size(conv->large.dtype);
        run_item(&item, &own, begin, begin + (left < plan.part ? left : plan.part),
                 (float *)buffers[K_CONV_GRAD_PARTS] +
                     (part * conv->groups + item.group) * group_floats);
    }
}
