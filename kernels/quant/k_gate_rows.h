/* SPDX-License-Identifier: Apache-2.0 */
/* Gates of rows of sums as small integers, in FLOAT, each operation rounded:
 *
 *     d = (x + whole bias) * scale * token + bias       what of those is there; x as it is else
 *     PLAIN    s = silu(a) * b                          a, b: the two parts of a row of d
 *     CLAMPED  s = a' sigmoid(alpha a') * (b' + more)   a' = a, at most limit; b' = b between
 *     STEP     s = (silu(a), at most limit) * b'        -limit and limit
 *     made = max |s smooth| / 127 of a row, to = nearest(s smooth / made)      is_dynamic
 *     to = nearest(s / smooth + offset)                                        else
 *
 * Whole sums wrap at 32 bits. The nearest end stands for what is beyond INT8, 0 for a NaN. The
 * parts are the two halves of a row, the second one activated where is_right; or the elements of
 * even and of odd number. Everything is dense. */
#ifndef ACLNN_CPU_KERNELS_QUANT_K_GATE_ROWS_H
#define ACLNN_CPU_KERNELS_QUANT_K_GATE_ROWS_H

#include "kernels/loop/k_loop.h"

enum k_gate_form { K_GATE_PLAIN, K_GATE_CLAMPED, K_GATE_STEP };

struct k_gate_rows {
    enum k_gate_form form;
    enum k_dtype from, bias;
    int64_t rows, columns; /* of the result; x has twice as many columns */
    int64_t groups; /* of RANGES; rows of none are left as they are; 0: all rows are of one */
    bool has_scale, has_token, has_bias, has_smooth, has_offset;
    bool by_column; /* smooth and offset: of each column of a group, else one of a group */
    bool is_dynamic, is_right, is_interleaved;
    float limit, alpha, more;
};

/* RANGES: struct k_group_range. SCALE, BIAS: rows of x's columns, one for each group; SMOOTH,
 * OFFSET: of the result's. TOKEN, MADE: one of each row. SCALE, TOKEN, SMOOTH, OFFSET, MADE are
 * FLOAT. What is not there is any buffer. */
enum {
    K_GATE_ROWS_X,
    K_GATE_ROWS_SCALE,
    K_GATE_ROWS_TOKEN,
    K_GATE_ROWS_BIAS,
    K_GATE_ROWS_SMOOTH,
    K_GATE_ROWS_OFFSET,
    K_GATE_ROWS_RANGES,
    K_GATE_ROWS_TO,
    K_GATE_ROWS_MADE,
};

/* Items are rows. */
struct k_work k_gate_rows_plan(const struct k_gate_rows *gate);

#endif
