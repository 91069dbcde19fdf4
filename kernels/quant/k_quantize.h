/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as small integers and back, row by row, in FLOAT, each operation rounded:
 *
 *     QUANTIZE    to = whole(from * scale + offset), or of from / scale (divides)
 *     DEQUANTIZE  to = (from + offset) * scale              from is INT8
 *     DYNAMIC     made = max |x| / high of a row, to = whole(x / made)         for x = from smooth
 *     INVERSE     made = high / max |x|, to = whole(x * made)
 *     SHIFTED     made = (max x - min x) / (high - low), shift = high - max x / made,
 *                 to = whole(x / made + shift)
 *     FAKE        whole = nearest(from / scale) + offset, a whole number, exactly;
 *                 to = (whole between least and most - offset) * scale,
 *                 made = whether it was between them
 *
 * is_square: scale * scale in place of scale. An integer beyond its type, low to high, becomes the
 * nearest end; a NaN, and a row of zeros of DYNAMIC and INVERSE, becomes 0, of FAKE a NaN least.
 * Rows are dense.
 */
#ifndef ACLNN_CPU_KERNELS_QUANT_K_QUANTIZE_H
#define ACLNN_CPU_KERNELS_QUANT_K_QUANTIZE_H

#include "kernels/loop/k_loop.h"

enum k_quantize_what {
    K_QUANTIZE,
    K_DEQUANTIZE,
    K_QUANTIZE_DYNAMIC,
    K_QUANTIZE_INVERSE,
    K_QUANTIZE_SHIFTED,
    K_QUANTIZE_FAKE
};
enum k_whole { K_WHOLE_ROUND, K_WHOLE_CEIL, K_WHOLE_FLOOR, K_WHOLE_TRUNC }; /* ties to even */

struct k_quantize {
    enum k_quantize_what what;
    enum k_whole whole;
    enum k_dtype from, to, factor, offset; /* factor: of scale and smooth */
    bool is_four; /* to is I8, two to a byte of INT4, the low half first; columns are even */
    int64_t rows, columns;
    int64_t period, inner; /* factor number row / inner % period; period 0: that of the expert */
    bool by_column;        /* factor number column, of the expert's row of factors */
    bool has_scale, has_offset, is_square, divides;
    int64_t experts;     /* factors for each group of rows; 0: one for all */
    bool is_count;       /* GROUPS has the rows of each expert */
    bool is_partial;     /* rows behind all groups are no faults */
    bool is_plain;       /* they have no factors, and so are quantized as they are */
    int64_t least, most; /* of FAKE */
};

/* What is not there is any buffer. MADE: FLOAT, one per row; of FAKE a BOOL per element. SHIFT:
 * FLOAT, one per row. GROUPS: INT32, where the group of each expert ends; a row behind all of them
 * becomes zeros and is a fault, at its number, unless is_partial or is_plain. */
enum {
    K_QUANTIZE_FROM,
    K_QUANTIZE_SCALE,
    K_QUANTIZE_OFFSET,
    K_QUANTIZE_TO,
    K_QUANTIZE_MADE,
    K_QUANTIZE_SHIFT,
    K_QUANTIZE_GROUPS,
    K_QUANTIZE_BUFFERS,
};

/* Items are rows. */
struct k_work k_quantize_plan(const struct k_quantize *quantize);

#endif
