/* SPDX-License-Identifier: Apache-2.0 */
/* Lifetimes in, offsets out. Knows no pointers: the same packing serves any block of memory. */
#ifndef ACLNN_CPU_EXECUTOR_ARENA_H
#define ACLNN_CPU_EXECUTOR_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct ex_piece {
    size_t size;     /* bytes; 0 takes no room */
    int first, last; /* the steps, both included, between which the piece is in use */
    size_t offset;   /* result: a multiple of the alignment */
};

/* Gives every piece an offset so that pieces whose lifetimes meet do not overlap, and *total the
 * bytes that hold them all. Between neighbours at least `gap` bytes stay unused. The result depends
 * on the arguments alone. false: the total does not fit a size_t. alignment is a power of two. */
bool ex_arena_pack(struct ex_piece *pieces, int count, size_t alignment, size_t gap, size_t *total);

#endif
