/* SPDX-License-Identifier: Apache-2.0 */
/* AMX: eight tiles, each 16 rows of 64 bytes, and exact products of tiles of INT8. In assembly, as
 * no level is compiled for it: only where k_tiles_int8() says so, between v_tiles_begin and
 * v_tiles_end. Tiles are named by number, 0 to 7, as they stand in instructions. */
#ifndef ACLNN_CPU_KERNELS_VECTOR_TILES_H
#define ACLNN_CPU_KERNELS_VECTOR_TILES_H

#include "kernels/vector/simd.h"

#if defined(K_ISA_avx512)
#define K_TILES

/* Rows are `step` bytes from each other. */
#define V_TILE_LOAD(tile, at, step)                                                                \
    __asm__ volatile("tileloadd (%0,%1), %%tmm" #tile ::"r"(at), "r"((int64_t)(step)) : "memory")
#define V_TILE_STORE(tile, at, step)                                                               \
    __asm__ volatile("tilestored %%tmm" #tile ", (%0,%1)" ::"r"(at), "r"((int64_t)(step))          \
                     : "memory")
#define V_TILE_ZERO(tile) __asm__ volatile("tilezero %%tmm" #tile ::)
/* sum[row][column] += the dot product of a[row]'s and b's quads of bytes: b[quad][column]. */
#define V_TILE_DOT(sum, a, b) __asm__ volatile("tdpbssd %%tmm" #b ", %%tmm" #a ", %%tmm" #sum ::)

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
#endif

#endif
