/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and values that lie in blocks of rows, wherever there was room: a table says which block
 * holds which rows of a sequence. Compiled once, as memory limits it. */
#ifndef ACLNN_CPU_KERNELS_CACHE_K_CACHE_H
#define ACLNN_CPU_KERNELS_CACHE_K_CACHE_H

#include "kernels/kernel.h"

/* Strides in elements; block: of blocks, or of sequences. */
struct k_cache_side {
    int64_t block, head, row, column;
};

/* Rows of each sequence, side by side: block k of sequence b is block TABLE[b][k] of the cache.
 * Whole blocks are copied, up to the one that has the sequence's last row; entries behind that are
 * not looked at. A number that is none of a block is a fault at b * width + k, and the rows are 0.
 */
struct k_cache {
    int64_t size;                         /* bytes of an element */
    int64_t sequences, width;             /* of the table: entries for each sequence */
    int64_t used;                         /* of them, of the longest sequence */
    int64_t table_row, table_column;      /* strides */
    int64_t blocks, rows, heads, columns; /* of the cache; rows of a block */
    struct k_cache_side from, to;
    const char *name; /* the table's argument */
    int64_t length[]; /* rows of each sequence */
};

enum {
    K_CACHE_FROM,
    K_CACHE_TABLE, /* INT32 */
    K_CACHE_TO,
    K_CACHE_BUFFERS,
};

k_fn k_cache_gather;
struct k_work k_cache_gather_work(const struct k_cache *cache);

#endif
