/* SPDX-License-Identifier: Apache-2.0 */
/* Products of packed panels in registers. Multiply-add is fused where the level has it: such levels
 * give the same bits, as each sum runs over its terms in one order whatever the width of the
 * vectors. */
#ifndef ACLNN_CPU_KERNELS_GEMM_GEMM_BLOCK_H
#define ACLNN_CPU_KERNELS_GEMM_GEMM_BLOCK_H

#include "kernels/gemm/k_gemm.h"
#include "kernels/vector/lanes.h"
#include "kernels/vector/pairs.h"

/* ---- register blocks ---- */

/* conv_map: GEMM_ROWS result channels by GEMM_WIDTH vectors of positions. */
enum {
    GEMM_WIDTH = 3,
    GEMM_COLUMNS = GEMM_WIDTH * VL,
    GEMM_ROWS = K_VECTOR_BYTES == 64 ? 8 : 4,
};

/* Memory that a product announces, a line of it with each of its terms: what is needed soon, or
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
 * halves. A product that takes them from there leaves them packed at `to` and hides that they are
 * waited for. */
struct gemm_source {
    const char *at; /* or NULL: b has them */
    int64_t step;
    float *to;
};

/* Where a product of a whole panel puts complete sums, plus a bias each: rows of whole lines,
 * `apart` floats from each other. It announces where the next one will, a row at a time, or what is
 * near anyway. */
struct gemm_result {
    float *at;
    int64_t apart;
    const float *bias;
    bool stream; /* past the caches */
    const float *next;
    int64_t next_apart;
};

/* c[row][column] = or += sum over k of a[k][row] * b[k][column]; a's rows are K_GEMM_PANEL apart.
 */
K_TEMPLATE
void gemm_block(int rows, bool into, const float *a, const float *b, int64_t depth,
                struct gemm_sums c, struct gemm_ahead ahead, struct gemm_source source,
                struct gemm_result result)
{
    const int shares = into ? rows : 1;
    vf sum[GEMM_ROWS][GEMM_WIDTH];
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 3
        for (int v = 0; v < GEMM_WIDTH; v++)
            sum[r][v] = (vf){0};
    for (int64_t share = 0, k = 0; share < shares; share++) {
        const int64_t end = depth * (share + 1) / shares;
        for (int v = 0; into && v < GEMM_WIDTH; v++)
            __builtin_prefetch(result.next + share * result.next_apart + v * VL, 1, 3);
        for (; k < end; k++) {
            const char *at = source.at ? source.at : (const char *)b;
            const vf b0 = v_keep(k_load(K_F32, at)), b1 = v_keep(k_load(K_F32, at + sizeof b0));
            const vf b2 = v_keep(k_load(K_F32, at + 2 * sizeof b0));
            if (source.at) {
                v_store(source.to, b0);
                v_store(source.to + VL, b1);
                v_store(source.to + 2 * VL, b2);
                source.at += source.step;
                source.to += GEMM_COLUMNS;
            }
            __builtin_prefetch(ahead.at, 0, 2);
            ahead.at += ahead.step;
#pragma GCC unroll 8
            for (int r = 0; r < rows; r++) {
                const vf w = v_keep(v_all(a[r]));
                sum[r][0] = v_fma(w, b0, sum[r][0]);
                sum[r][1] = v_fma(w, b1, sum[r][1]);
                sum[r][2] = v_fma(w, b2, sum[r][2]);
            }
            a += K_GEMM_PANEL;
            b += GEMM_COLUMNS;
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 3
        for (int v = 0; v < GEMM_WIDTH; v++) {
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
K_TEMPLATE
vw v_load_words(const char *at)
{
    vw words;
    memcpy(&words, at, sizeof words);
    return words;
}

/* The same with rows of pairs; depth counts them. */
K_TEMPLATE
K_PAIRS_TARGET void gemm_pairs(int rows, const float *a, const float *b, int64_t depth,
                               struct gemm_sums c, struct gemm_ahead ahead,
                               struct gemm_source source)
{
    vf sum[GEMM_ROWS][GEMM_WIDTH];
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 3
        for (int v = 0; v < GEMM_WIDTH; v++)
            sum[r][v] = (vf){0};
    for (int64_t k = 0; k < depth; k++) {
        vu b0, b1, b2;
        if (source.at) {
            const char *second = source.at + source.step;
            const vw one = v_load_words(source.at), other = v_load_words(second);
            b0 = v_keep_pairs((vu)v_zip_halves(0, one, other));
            b1 = v_keep_pairs((vu)v_zip_halves(1, one, other));
            b2 = v_keep_pairs(v_pair(k_load(K_BF16, source.at + sizeof one),
                                     k_load(K_BF16, second + sizeof one)));
            v_store(source.to, (vf)b0);
            v_store(source.to + VL, (vf)b1);
            v_store(source.to + 2 * VL, (vf)b2);
            source.at = second + source.step;
            source.to += GEMM_COLUMNS;
        } else {
            b0 = v_keep_pairs(v_load_pairs(b));
            b1 = v_keep_pairs(v_load_pairs(b + VL));
            b2 = v_keep_pairs(v_load_pairs(b + 2 * VL));
        }
        __builtin_prefetch(ahead.at, 0, 2);
        __builtin_prefetch(ahead.at + ahead.step, 0, 2);
        ahead.at += 2 * ahead.step;
#pragma GCC unroll 8
        for (int r = 0; r < rows; r++) {
            uint32_t pair;
            memcpy(&pair, a + r, sizeof pair);
            const vu w = v_keep_pairs(v_all_pairs(pair));
            sum[r][0] = v_dot(w, b0, sum[r][0]);
            sum[r][1] = v_dot(w, b1, sum[r][1]);
            sum[r][2] = v_dot(w, b2, sum[r][2]);
        }
        a += K_GEMM_PANEL;
        b += GEMM_COLUMNS;
    }
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 3
        for (int v = 0; v < GEMM_WIDTH; v++) {
            float *at = c.at + r * c.apart + v * VL;
            v_store(at, c.add ? v_load(at) + sum[r][v] : sum[r][v]);
        }
}
#endif

#endif
