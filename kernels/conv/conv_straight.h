/* SPDX-License-Identifier: Apache-2.0 */
/* Windows straight from the tensor, without a band: lanes beyond the ends of a
 * row are masked, rows beyond the plane are a row of zeros. Only where masked loads cost what
 * others do. */
#ifndef ACLNN_CPU_KERNELS_CONV_CONV_STRAIGHT_H
#define ACLNN_CPU_KERNELS_CONV_CONV_STRAIGHT_H

#include "kernels/conv/conv_rows.h"

enum {
    STRAIGHT_WIDTH = 7, /* the largest window */
    STRAIGHT_HEIGHT = 16,
    STRAIGHT_AHEAD = 8, /* lines: their bytes are prefetched */
    STRAIGHT_ROWS = ROWS_LINES + STRAIGHT_HEIGHT - 1,
    STRAIGHT_COLUMNS = CONV_DIRECT_COLUMNS + CONV_DIRECT_COLUMNS / 2 + 2 * CONV_LANES,
};

/* What the lines of all planes of one phase (conv_plan.h) have in common. */
struct straight_plan {
    int64_t rows, columns;          /* of the operand */
    int64_t first_row, line_step;   /* line 0, row 0 of the window; from line to line */
    int64_t row_step;               /* from row to row of the window */
    int64_t column[STRAIGHT_WIDTH]; /* of result 0, each column of the window */
    uint16_t lanes[STRAIGHT_COLUMNS / CONV_LANES][STRAIGHT_WIDTH];
    const char *zeros; /* a row */
};

enum { STRAIGHT_ZEROS = 4 * (STRAIGHT_COLUMNS + 2 * CONV_LANES) }; /* bytes of it */

#if defined(K_ISA_avx512)

/* The plan of a phase's lines; false: they are none of those. */
static bool straight_begin(struct straight_plan *plan, const struct conv_line l[],
                           const char *zeros)
{
    const int64_t width = l[2].taps, height = l[1].taps, step = l[2].offset_step;
    if (l[0].taps != 1 || l[0].from != 1 || l[0].count != 1 || l[0].offset != 0 || width < 1 ||
        width > STRAIGHT_WIDTH || height < 1 || height > STRAIGHT_HEIGHT || l[2].from_step != 1 ||
        l[2].count > STRAIGHT_COLUMNS - CONV_LANES || l[2].from > STRAIGHT_COLUMNS)
        return false;
    plan->rows = l[1].from;
    plan->columns = l[2].from;
    plan->first_row = l[1].offset;
    plan->line_step = l[1].from_step;
    plan->row_step = height > 1 ? l[1].offset_step : l[1].from_step;
    plan->zeros = zeros;
    for (int64_t w = 0; w < width; w++) {
        plan->column[w] = l[2].offset + w * step;
        for (int64_t v = 0; v <= l[2].count / VL; v++) {
            const int64_t begin = plan->column[w] + v * VL, left = plan->columns - begin;
            const unsigned below = left >= VL ? 0xffff : left > 0 ? (1U << left) - 1 : 0;
            const unsigned behind = begin >= 0 ? 0xffff : begin > -VL ? 0xffffU << -begin : 0;
            plan->lanes[v][w] = (uint16_t)(below & behind);
        }
    }
    return true;
}

/* Lines below each other read each other's rows, of a width that is known. */
static inline bool straight_is_shared(const struct straight_plan *plan, int64_t width)
{
    return (width == 3 || width == 5 || width == 7) &&
           (plan->row_step == plan->line_step || plan->row_step == -plan->line_step);
}

static inline const char *straight_row(const struct straight_plan *plan, const char *from,
                                       int64_t pitch, int64_t row)
{
    return row >= 0 && row < plan->rows ? v_address(from, row * pitch) : plan->zeros;
}

#endif
#endif
