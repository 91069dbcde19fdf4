/* SPDX-License-Identifier: Apache-2.0 */
/* Dot products along packed positions, many at once, for the gradient of the weight. */
#ifndef ACLNN_CPU_KERNELS_CONV_CONV_DOT_H
#define ACLNN_CPU_KERNELS_CONV_CONV_DOT_H

#include "kernels/conv/conv_plan.h"
#include "kernels/vector/lanes.h"

/* conv_grad_windows: DOT_ROWS by DOT_COLUMNS sums of CONV_LANES lanes each. */
enum {
    DOT_PARTS = CONV_LANES / VL, /* vectors of a sum */
    DOT_ROWS = 8 / DOT_PARTS,
    DOT_COLUMNS = 3,
};

/* lanes[row][column][] (rows `stride` floats apart) += sum over steps of CONV_LANES positions of
 * a[step][row][lane] * b[step][column][lane]; a has CONV_PANEL rows per step, b DOT_COLUMNS. */
K_TEMPLATE
void dot_block(int rows, int columns, const float *a, const float *b, int64_t steps, float *lanes,
               int64_t stride)
{
    vf sum[DOT_ROWS][DOT_COLUMNS][DOT_PARTS];
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 3
        for (int c = 0; c < columns; c++)
#pragma GCC unroll 4
            for (int p = 0; p < DOT_PARTS; p++)
                sum[r][c][p] = v_load(lanes + r * stride + c * CONV_LANES + p * VL);
    for (int64_t step = 0; step < steps; step++) {
#pragma GCC unroll 4
        for (int p = 0; p < DOT_PARTS; p++) {
            vf right[DOT_COLUMNS];
#pragma GCC unroll 3
            for (int c = 0; c < columns; c++)
                right[c] = v_keep(v_load(b + c * CONV_LANES + p * VL));
#pragma GCC unroll 8
            for (int r = 0; r < rows; r++) {
                const vf left = v_keep(v_load(a + r * CONV_LANES + p * VL));
#pragma GCC unroll 3
                for (int c = 0; c < columns; c++)
                    sum[r][c][p] = v_fma(left, right[c], sum[r][c][p]);
            }
        }
        a += CONV_PANEL * CONV_LANES;
        b += DOT_COLUMNS * CONV_LANES;
    }
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 3
        for (int c = 0; c < columns; c++)
#pragma GCC unroll 4
            for (int p = 0; p < DOT_PARTS; p++)
                v_store(lanes + r * stride + c * CONV_LANES + p * VL, sum[r][c][p]);
}

/* The lanes of one sum, added in a fixed order. */
K_TEMPLATE
float dot_total(const float *lanes)
{
    float quarter[4];
    for (int i = 0; i < 4; i++)
        quarter[i] = (lanes[i] + lanes[i + 4]) + (lanes[i + 8] + lanes[i + 12]);
    return (quarter[0] + quarter[1]) + (quarter[2] + quarter[3]);
}

#endif
