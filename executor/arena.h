/* SPDX-License-Identifier: Apache-2.0 */
/* Lifetimes in, offsets out. Knows no pointers: the same packing serves any block of memory, an
 * operator's scratch as well as a whole training step's tensors. */
#ifndef ACLNN_CPU_EXECUTOR_ARENA_H
#define ACLNN_CPU_EXECUTOR_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ex_piece {
    size_t size;         /* bytes; 0 takes no room */
    size_t alignment;    /* a power of two, that the offset is a multiple of */
    int64_t first, last; /* the steps, both included, between which the piece is in use */
    /* Number of the piece plus one whose place this one may take over, 0: none. That piece's last
     * step is this one's first; either they lie apart or both begin at one offset. At most one
     * piece inherits another's place. */
    int heir_of;
    size_t offset; /* result */
};

/* How hard to look. The number of orders tried follows from this and the number of pieces alone,
 * never from a clock. */
enum ex_effort {
    EX_QUICK,    /* largest first */
    EX_THOROUGH, /* many orders, at most about a second for 10,000 pieces */
};

enum ex_packing { EX_PACKED, EX_TOO_LARGE, EX_NO_MEMORY };

/* Gives every piece an offset so that pieces whose lifetimes meet do not overlap, and *total the
 * bytes that hold them all. Between neighbours at least `gap` bytes stay unused. The result depends
 * on the arguments alone. EX_TOO_LARGE: the total does not fit half an address space;
 * EX_NO_MEMORY: there is no host memory to work in, which EX_QUICK with up to EX_FEW_PIECES does
 * not need. */
enum { EX_FEW_PIECES = 64 };
enum ex_packing ex_arena_pack(struct ex_piece *pieces, int count, size_t gap, enum ex_effort effort,
                              size_t *total);

/* The largest sum of sizes in use at one step, a piece and its heir counting once at the step where
 * they meet: no packing can be smaller. *step is the first one with that sum (0 without pieces).
 * false: no memory to work in. The sum of all sizes must fit a size_t. */
bool ex_arena_max_alive(const struct ex_piece *pieces, int count, size_t *bytes, int64_t *step);

#endif
