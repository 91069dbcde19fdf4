/* SPDX-License-Identifier: Apache-2.0 */
/* Rows to slots of a cache that lies in blocks, and back. Compiled once, as memory limits it. */
#ifndef ACLNN_CPU_KERNELS_CACHE_K_SLOTS_H
#define ACLNN_CPU_KERNELS_CACHE_K_SLOTS_H

#include "kernels/kernel.h"

/* Elements: column c of a row and head is at
 *     offset + block * .. + head * .. + row * .. + c / width * panel + c % width * column
 * with the width of the cache's panels. */
struct k_slots_side {
    int64_t offset, block, head, row, panel, column;
};

enum k_slots_how {
    K_SLOTS_ANY,       /* row i goes to slot INDEX[i], that is row INDEX[i] % rows of its block */
    K_SLOTS_SEQUENCES, /* row i of sequence b to row INDEX[b][i] of block b */
    K_SLOTS_BLOCKS,    /* INDEX has the slot of the first row of every `rows` of a sequence */
};

/* Row i of sequence b is at from.block * b + from.row * i. An index of -1 leaves the row out, any
 * other one that is no slot is a fault at its number. Of rows with one slot the last one stays. */
struct k_slots {
    enum k_slots_how how;
    bool is_wide;                                /* INDEX is INT64, else INT32 */
    int64_t size;                                /* bytes of an element */
    int64_t sequences, length;                   /* rows of each */
    int64_t blocks, rows, heads, columns, width; /* of the cache; rows of a block */
    struct k_slots_side from, to;
    const char *name; /* INDEX's argument */
};

enum { K_SLOTS_FROM, K_SLOTS_INDEX, K_SLOTS_TO, K_SLOTS_BUFFERS };

k_fn k_slots_scatter, k_slots_begin, k_slots_gather;
/* Items are pieces of columns: each goes through all rows. */
struct k_work k_slots_work(const struct k_slots *slots);

/* BEGIN[b] is where the rows of sequence b begin among all, BEGIN[sequences] where they end, of
 * LENGTHS, or of their running sums from 0 on. INT64. A length below 0, or rows beyond `most`, are
 * a fault at the sequence: it and those behind it have none. */
struct k_slots_begin {
    int64_t sequences, most;
    bool is_wide, is_running;
};
enum { K_SLOTS_LENGTHS, K_SLOTS_BEGIN, K_SLOTS_BEGIN_BUFFERS };

/* Rows of each sequence, side by side, from the blocks that TABLE[b][k] names, k from SKIPPED[b] /
 * rows on (has_skipped). A number that is no block, or a k that is not in the table, is a fault at
 * b
 * * width + k, and the rows are zeros. Items are entries of the table. */
struct k_slots_gather {
    struct k_slots cache; /* from: the cache; sequences; is_wide: TABLE and SKIPPED are INT64 */
    int64_t entries;      /* of the table, for each sequence */
    bool has_skipped;
};
enum {
    K_SLOTS_GATHER_FROM,
    K_SLOTS_GATHER_TABLE,
    K_SLOTS_GATHER_SKIPPED,
    K_SLOTS_GATHER_BEGIN,
    K_SLOTS_GATHER_TO,
    K_SLOTS_GATHER_BUFFERS
};
struct k_work k_slots_gather_work(const struct k_slots_gather *gather);

#endif
