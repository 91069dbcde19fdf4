/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as small integers and back, row by row, in FLOAT, each operation rounded:
 *
 *     QUANTIZE    to = whole(from * scale + offset)         to is INT8, from the nearest end beyond
 *     DEQUANTIZE  to = (from + offset) * scale              from is INT8
 *     DYNAMIC     made = max |from * smooth| / 127 of a row, to = whole(from * smooth / made)
 *
 * is_square: scale * scale in place of scale. A NaN, and a row of zeros, becomes 0. Rows are dense.
 */
#ifndef ACLNN_CPU_KERNELS_QUANT_K_QUANTIZE_H
#define ACLNN_CPU_KERNELS_QUANT_K_QUANTIZE_H

#include "kernels/loop/k_loop.h"

enum k_quantize_what { K_QUANTIZE, K_DEQUANTIZE, K_QUANTIZE_DYNAMIC };
enum k_whole { K_WHOLE_ROUND, K_WHOLE_CEIL, K_WHOLE_FLOOR, K_WHOLE_TRUNC }; /* ties to even */

struct k_quantize {
    enum k_quantize_what what;
    enum k_whole whole;
    enum k_dtype from, to, factor; /* of scale, offset and smooth */
    int64_t rows, columns;
    int64_t period; /* factor number row % period; 0: not by rows */
    bool by_column; /* factor number column */
    bool has_scale, has_offset, is_square;
};

/* What is not there is any buffer. TO_MADE is of DYNAMIC: FLOAT, one per row. */
enum { K_QUANTIZE_FROM, K_QUANTIZE_SCALE, K_QUANTIZE_OFFSET, K_QUANTIZE_TO, K_QUANTIZE_MADE };

/* Items are rows. */
struct k_work k_quantize_plan(const struct k_quantize *quantize);

#endif
