/* SPDX-License-Identifier: Apache-2.0 */
/* AMX: eight tiles, each 16 rows of 64 bytes; exact products of tiles of INT8, and products of bf16
 * whose sums are FLOAT. In assembly, as no level is compiled for it: only where k_tiles_int8() or
 * k_tiles_bf16() says so, between v_tiles_begin and v_tiles_end. Tiles are named by number, 0 to 7,
 * as they stand in instructions. */
#ifndef ACLNN_CPU_KERNELS_VECTOR_TILES_H
#define ACLNN_CPU_KERNELS_VECTOR_TILES_H

#include "kernels/vector/simd.h"

enum {
    V_TILE = 16,               /* rows of a tile, and the words of each */
    V_TILES_EDGE = 2 * V_TILE, /* rows and columns of a block */
};

#if defined(K_ISA_avx512)
#define K_TILES

/* Rows are `step` bytes from each other. */
#define V_TILE_LOAD(tile, at, step)                                                                \
    __asm__ volatile("tileloadd (%0,%1), %%tmm" #tile ::"r"(at), "r"((int64_t)(step)) : "memory")
#define V_TILE_STORE(tile, at, step)                                                               \
    __asm__ volatile("tilestored %%tmm" #tile ", (%0,%1)" ::"r"(at), "r"((int64_t)(step))          \
                     : "memory")
#define V_TILE_ZERO(tile) __asm__ volatile("tilezero %%tmm" #tile ::)
/* sum[row][column] += the dot product of a[row] and b's column, whose words hold as many terms:
 * b[word][column]. Four terms of INT8, */
#define V_TILE_DOT_INT8(sum, a, b)                                                                 \
    __asm__ volatile("tdpbssd %%tmm" #b ", %%tmm" #a ", %%tmm" #sum ::)
/* or two of bf16: even and odd terms are added up apart, each product and sum rounded once;
 * subnormal numbers count as 0. */
#define V_TILE_DOT_BF16(sum, a, b)                                                                 \
    __asm__ volatile("tdpbf16ps %%tmm" #b ", %%tmm" #a ", %%tmm" #sum ::)

/* Sums of a block: rows `apart` words from each other. */
struct v_tile_sums {
    void *at;
    int64_t apart;
    bool add; /* to what is there */
};

K_TEMPLATE
void v_tiles_begin(void)
{
    struct {
        uint8_t palette, first_row, reserved[14];
        uint16_t row_bytes[16];
        uint8_t rows[16];
    } shape = {.palette = 1};
    for (int tile = 0; tile < 8; tile++) {
        shape.row_bytes[tile] = 64;
        shape.rows[tile] = 16;
    }
    __asm__ volatile("ldtilecfg %0" ::"m"(shape));
}

K_TEMPLATE
void v_tiles_end(void)
{
    __asm__ volatile("tilerelease" ::);
}

/* sums = or += a * b over so many steps of V_TILE words, of bf16 or INT8. Two tiles of each operand
 * and four of sums: a has V_TILES_EDGE rows, `apart` bytes from each other, b as many columns:
 * b[word][column]. is_tall, is_wide: the second tile of that side counts too. */
K_TEMPLATE
void v_tiles_block(bool bf16, bool is_tall, bool is_wide, const char *a, int64_t apart,
                   const char *b, int64_t steps, struct v_tile_sums c)
{
    const int64_t row = 4 * c.apart, words = 4 * V_TILES_EDGE;
    char *left = c.at, *right = left + 4 * V_TILE;
    char *below = left + V_TILE * row, *last = right + V_TILE * row;
    if (c.add) {
        V_TILE_LOAD(0, left, row);
        if (is_wide) V_TILE_LOAD(1, right, row);
        if (is_tall) V_TILE_LOAD(2, below, row);
        if (is_tall && is_wide) V_TILE_LOAD(3, last, row);
    } else {
        V_TILE_ZERO(0);
        V_TILE_ZERO(1);
        V_TILE_ZERO(2);
        V_TILE_ZERO(3);
    }
    for (int64_t i = 0; i < steps; i++, a += 4 * V_TILE, b += V_TILE * words) {
        V_TILE_LOAD(6, b, words);
        V_TILE_LOAD(4, a, apart);
        if (is_wide) V_TILE_LOAD(7, b + 4 * V_TILE, words);
        if (is_tall) V_TILE_LOAD(5, a + V_TILE * apart, apart);
        if (bf16) {
            V_TILE_DOT_BF16(0, 4, 6);
            if (is_wide) V_TILE_DOT_BF16(1, 4, 7);
            if (is_tall) V_TILE_DOT_BF16(2, 5, 6);
            if (is_tall && is_wide) V_TILE_DOT_BF16(3, 5, 7);
        } else {
            V_TILE_DOT_INT8(0, 4, 6);
            if (is_wide) V_TILE_DOT_INT8(1, 4, 7);
            if (is_tall) V_TILE_DOT_INT8(2, 5, 6);
            if (is_tall && is_wide) V_TILE_DOT_INT8(3, 5, 7);
        }
    }
    V_TILE_STORE(0, left, row);
    if (is_wide) V_TILE_STORE(1, right, row);
    if (is_tall) V_TILE_STORE(2, below, row);
    if (is_tall && is_wide) V_TILE_STORE(3, last, row);
}

/* The block's first `rows` and `columns`; whole tiles are read and written. */
K_TEMPLATE
void v_tiles_multiply(bool bf16, int64_t rows, int64_t columns, const char *a, int64_t apart,
                      const void *b, int64_t steps, struct v_tile_sums c)
{
    if (rows > V_TILE && columns > V_TILE)
        v_tiles_block(bf16, true, true, a, apart, b, steps, c);
    else if (rows > V_TILE)
        v_tiles_block(bf16, true, false, a, apart, b, steps, c);
    else if (columns > V_TILE)
        v_tiles_block(bf16, false, true, a, apart, b, steps, c);
    else
        v_tiles_block(bf16, false, false, a, apart, b, steps, c);
}
#endif

#endif
