/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of floats the other way round. */
#ifndef ACLNN_CPU_KERNELS_VECTOR_TRANSPOSE_H
#define ACLNN_CPU_KERNELS_VECTOR_TRANSPOSE_H

#include "kernels/vector/simd.h"

/* VL vectors become VL vectors, the other way round. Each step is a perfect shuffle of all
 * elements; as many as the width has bits make the transposition. */
K_TEMPLATE
void v_transpose(vf a[VL])
{
    vf b[VL];
#pragma GCC unroll 2
    for (int step = 1; step < VL; step *= 4) {
#pragma GCC unroll 8
        for (int i = 0; i < VL / 2; i++) {
            b[2 * i] = v_zip(0, a[i], a[i + VL / 2]);
            b[2 * i + 1] = v_zip(1, a[i], a[i + VL / 2]);
        }
        if (step * 2 >= VL) { /* an odd number of steps */
#pragma GCC unroll 16
            for (int i = 0; i < VL; i++)
                a[i] = b[i];
            break;
        }
#pragma GCC unroll 8
        for (int i = 0; i < VL / 2; i++) {
            a[2 * i] = v_zip(0, b[i], b[i + VL / 2]);
            a[2 * i + 1] = v_zip(1, b[i], b[i + VL / 2]);
        }
    }
}

/* VL rows of VL floats, `from_row` apart, become VL rows, `to_row` apart, the other way round; rows
 * are written in order. */
static __attribute__((noinline, unused)) void transpose(const float *from, int64_t from_row,
                                                        float *to, int64_t to_row)
{
    vf a[VL];
#pragma GCC unroll 16
    for (int i = 0; i < VL; i++)
        a[i] = v_load(from + i * from_row);
    v_transpose(a);
#pragma GCC unroll 16
    for (int i = 0; i < VL; i++)
        v_store(to + i * to_row, a[i]);
}

#endif
