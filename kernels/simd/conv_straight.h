/* SPDX-License-Identifier: Apache-2.0 */
/* Windows of one channel each straight from the tensor, without a band: lanes beyond the ends of a
 * row are masked, rows beyond the plane are a row of zeros. Only where masked loads cost what
 * others do. */
#ifndef ACLNN_CPU_KERNELS_SIMD_CONV_STRAIGHT_H
#define ACLNN_CPU_KERNELS_SIMD_CONV_STRAIGHT_H

#include "kernels/simd/conv_rows.h"

enum {
    STRAIGHT_WIDTH = 7, /* the largest window */
    STRAIGHT_HEIGHT = 16,
    STRAIGHT_AHEAD = 8, /* lines: their bytes are announced */
    STRAIGHT_ROWS = ROWS_LINES + STRAIGHT_HEIGHT - 1,
    STRAIGHT_COLUMNS = CONV_DIRECT_COLUMNS + CONV_DIRECT_COLUMNS / 2 + 2 * CONV_LANES,
};

/* What the lines of all planes have in common. */
struct straight_plan {
    int64_t extent[2];              /* rows and columns of the operand */
    int64_t first_row, row_step;    /* line 0, row 0 of the window; from row to row of the window */
    int64_t column[STRAIGHT_WIDTH]; /* of result 0, each column of the window */
    uint16_t lanes[STRAIGHT_COLUMNS / CONV_LANES][STRAIGHT_WIDTH];
    _Alignas(64) float zeros[STRAIGHT_COLUMNS + 2 * CONV_LANES];
};

#if defined(K_ISA_avx512)

/* The plan of windows whose columns lie `step` apart from `first` on; false: they are none of
 * these. */
static bool straight_begin(struct straight_plan *plan, const struct conv_line l[])
{
    const int64_t width = l[2].taps, height = l[1].taps;
    const int64_t row = l[1].offset_step, step = l[2].offset_step;
    if (l[0].taps != 1 || l[0].from != 1 || l[0].count != 1 || l[0].offset != 0 ||
        (width != 3 && width != 5 && width != 7) || height > STRAIGHT_HEIGHT ||
        l[1].from_step != 1 || l[2].from_step != 1 || (height > 1 && row != 1 && row != -1) ||
        l[1].count < ROWS_LINES || l[2].count > STRAIGHT_COLUMNS - CONV_LANES ||
        l[2].from > STRAIGHT_COLUMNS)
        return false;
    plan->extent[0] = l[1].from;
    plan->extent[1] = l[2].from;
    plan->first_row = l[1].offset;
    plan->row_step = height > 1 ? row : 1;
    memset(plan->zeros, 0, sizeof plan->zeros);
    for (int64_t w = 0; w < width; w++) {
        plan->column[w] = l[2].offset + w * step;
        for (int64_t v = 0; v <= l[2].count / VL; v++) {
            const int64_t begin = plan->column[w] + v * VL, left = plan->extent[1] - begin;
            const unsigned below = left >= VL ? 0xffff : left > 0 ? (1U << left) - 1 : 0;
            const unsigned behind = begin >= 0 ? 0xffff : begin > -VL ? 0xffffU << -begin : 0;
            plan->lanes[v][w] = (uint16_t)(below & behind);
        }
    }
    return true;
}

#endif
#endif
