/* SPDX-License-Identifier: Apache-2.0 */
/* Up to 32 rows times 32 columns by AMX: two tiles of each side, four of sums. */
#ifndef ACLNN_CPU_KERNELS_INT8_INT8_TILES_H
#define ACLNN_CPU_KERNELS_INT8_INT8_TILES_H

#include "kernels/int8/int8_block.h"
#include "kernels/vector/tiles.h"

enum {
    TILE = 16,             /* rows of a tile, and its columns of words */
    TILE_TERMS = 4 * TILE, /* of a step */
    TILES_EDGE = 2 * TILE, /* rows and columns of a block */
};

#if defined(K_TILES)
/* sums = or += a * b over so many steps of TILE_TERMS: rows of a are `apart` bytes from each other,
 * b is a strip of TILES_EDGE columns. is_tall, is_wide: the second tile of that side counts too. */
K_TEMPLATE
void int8_tiles_of(bool is_tall, bool is_wide, const char *a, int64_t apart, const uint32_t *b,
                   int64_t steps, struct int8_sums c)
{
    const int64_t row = 4 * c.apart, strip = 4 * TILES_EDGE;
    uint32_t *below = c.at + TILE * c.apart;
    if (c.add) {
        V_TILE_LOAD(0, c.at, row);
        if (is_wide) V_TILE_LOAD(1, c.at + TILE, row);
        if (is_tall) V_TILE_LOAD(2, below, row);
        if (is_tall && is_wide) V_TILE_LOAD(3, below + TILE, row);
    } else {
        V_TILE_ZERO(0);
        V_TILE_ZERO(1);
        V_TILE_ZERO(2);
        V_TILE_ZERO(3);
    }
    for (int64_t i = 0; i < steps; i++, a += TILE_TERMS, b += TILE * TILES_EDGE) {
        V_TILE_LOAD(6, b, strip);
        V_TILE_LOAD(4, a, apart);
        if (is_wide) V_TILE_LOAD(7, b + TILE, strip);
        V_TILE_DOT(0, 4, 6);
        if (is_tall) V_TILE_LOAD(5, a + TILE * apart, apart);
        if (is_wide) V_TILE_DOT(1, 4, 7);
        if (is_tall) V_TILE_DOT(2, 5, 6);
        if (is_tall && is_wide) V_TILE_DOT(3, 5, 7);
    }
    V_TILE_STORE(0, c.at, row);
    if (is_wide) V_TILE_STORE(1, c.at + TILE, row);
    if (is_tall) V_TILE_STORE(2, below, row);
    if (is_tall && is_wide) V_TILE_STORE(3, below + TILE, row);
}

K_TEMPLATE
void int8_tiles(int64_t rows, int64_t columns, const char *a, int64_t apart, const uint32_t *b,
                int64_t steps, struct int8_sums c)
{
    if (rows > TILE && columns > TILE)
        int8_tiles_of(true, true, a, apart, b, steps, c);
    else if (rows > TILE)
        int8_tiles_of(true, false, a, apart, b, steps, c);
    else if (columns > TILE)
        int8_tiles_of(false, true, a, apart, b, steps, c);
    else
        int8_tiles_of(false, false, a, apart, b, steps, c);
}
#endif

#endif
