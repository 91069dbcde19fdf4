/* SPDX-License-Identifier: Apache-2.0 */
/* Products of packed panels in registers. Multiply-add is fused where the level has it: such levels
 * give the same bits, as each sum runs over its terms in one order whatever the width of the
 * vectors. */
#ifndef ACLNN_CPU_KERNELS_GEMM_GEMM_BLOCK_H
#define ACLNN_CPU_KERNELS_GEMM_GEMM_BLOCK_H

#include "kernels/gemm/k_gemm.h"
#include "kernels/vector/lanes.h"
#include "kernels/vector/pairs.h"

/* A register block. */
enum {
    GEMM_WIDTH = 3,
    GEMM_COLUMNS = GEMM_WIDTH * VL,
    GEMM_ROWS = K_VECTOR_BYTES == 64 ? 8 : 4,
};

/* Memory that a product prefetches, a line of it with each of its terms: what is needed soon, or
 * what is near anyway, without a step. */
struct gemm_ahead {
    const char *at;
    int64_t step; /* bytes */
};

/* Where the sums of a product go: rows `apart` floats from each other. */
struct gemm_sums {
    float *at;
    int64_t apart;
    bool add; /* to what is there */
};

/* Rows of columns where they lie in a tensor, `step` bytes apart, as FLOAT or, for pairs, as
 * bf16. A product that takes them from there leaves them packed at `to` and hides that they are
 * waited for. */
struct gemm_source {
    const char *at; /* or NULL: b has them */
    int64_t step;
    float *to;
};

/* Where a product of a whole panel puts complete sums, plus a bias each: rows of whole lines,
 * `apart` floats from each other. It prefetches where the next one will, a row at a time, or what
 * is near anyway. */
struct gemm_result {
    float *at;
    int64_t apart;
    const float *bias;
    bool stream; /* by non-temporal stores */
    const float *next;
    int64_t next_apart;
};

/* c[row][column] = or += sum over k of a[k][row] * b[k][column] for the first `width` vectors of a
 * tile; a's rows are K_GEMM_PANEL apart. */
K_TEMPLATE
void gemm_block(int rows, int width, bool into, const float *a, const float *b, int64_t depth,
                struct gemm_sums c, struct gemm_ahead ahead, struct gemm_source source,
                struct gemm_result result)
{
    const int shares = into ? rows : 1;
    vf sum[GEMM_ROWS][GEMM_WIDTH];
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 3
        for (int v = 0; v < width; v++)
            sum[r][v] = (vf){0};
    for (int64_t share = 0, k = 0; share < shares; share++) {
        const int64_t end = depth * (share + 1) / shares;
        for (int v = 0; into && v < GEMM_WIDTH; v++)
            __builtin_prefetch(result.next + share * result.next_apart + v * VL, 1, 3);
        for (; k < end; k++) {
            const char *at = source.at ? source.at : (const char *)b;
            vf x[GEMM_WIDTH];
#pragma GCC unroll 3
            for (int v = 0; v < width; v++)
                x[v] = v_keep(k_load(K_F32, at + v * K_VECTOR_BYTES));
            if (source.at) {
#pragma GCC unroll 3
                for (int v = 0; v < width; v++)
                    v_store(source.to + v * VL, x[v]);
                source.at += source.step;
                source.to += GEMM_COLUMNS;
            }
            if (width == GEMM_WIDTH) __builtin_prefetch(ahead.at, 0, 2);
            ahead.at += ahead.step;
#pragma GCC unroll 8
            for (int r = 0; r < rows; r++) {
                const vf w = v_keep(v_all(a[r]));
#pragma GCC unroll 3
                for (int v = 0; v < width; v++)
                    sum[r][v] = v_fma(w, x[v], sum[r][v]);
            }
            a += K_GEMM_PANEL;
            b += GEMM_COLUMNS;
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 3
        for (int v = 0; v < width; v++) {
            float *at = c.at + r * c.apart + v * VL;
            const vf value = c.add ? v_load(at) + sum[r][v] : sum[r][v];
            if (!into) {
                v_store(at, value);
                continue;
            }
            at = result.at + r * result.apart + v * VL;
            if (result.stream)
                k_stream((char *)at, value + v_all(result.bias[r]));
            else
                v_store(at, value + v_all(result.bias[r]));
        }
}

#if defined(K_PAIRS)
/* The same with rows of pairs; depth counts them. */
K_TEMPLATE
K_PAIRS_TARGET void gemm_pairs(int rows, int width, const float *a, const float *b, int64_t depth,
                               struct gemm_sums c, struct gemm_ahead ahead,
                               struct gemm_source source)
{
    vf sum[GEMM_ROWS][GEMM_WIDTH];
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 3
        for (int v = 0; v < width; v++)
            sum[r][v] = (vf){0};
    for (int64_t k = 0; k < depth; k++) {
        vu x[GEMM_WIDTH];
        if (source.at) {
            const char *second = source.at + source.step;
            v_pairs_of(source.at, second, GEMM_COLUMNS, GEMM_WIDTH, x);
#pragma GCC unroll 3
            for (int v = 0; v < GEMM_WIDTH; v++)
                v_store(source.to + v * VL, (vf)(x[v] = v_keep_pairs(x[v])));
            source.at = second + source.step;
            source.to += GEMM_COLUMNS;
        } else {
#pragma GCC unroll 3
            for (int v = 0; v < width; v++)
                x[v] = v_keep_pairs(v_load_pairs(b + v * VL));
        }
        if (width == GEMM_WIDTH) {
            __builtin_prefetch(ahead.at, 0, 2);
            __builtin_prefetch(ahead.at + ahead.step, 0, 2);
        }
        ahead.at += 2 * ahead.step;
#pragma GCC unroll 8
        for (int r = 0; r < rows; r++) {
            uint32_t pair;
            memcpy(&pair, a + r, sizeof pair);
            const vu w = v_keep_pairs(v_all_pairs(pair));
#pragma GCC unroll 3
            for (int v = 0; v < width; v++)
                sum[r][v] = v_dot(w, x[v], sum[r][v]);
        }
        a += K_GEMM_PANEL;
        b += GEMM_COLUMNS;
    }
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 3
        for (int v = 0; v < width; v++) {
            float *at = c.at + r * c.apart + v * VL;
            v_store(at, c.add ? v_load(at) + sum[r][v] : sum[r][v]);
        }
}
#endif

#endif
