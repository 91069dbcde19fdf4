/* SPDX-License-Identifier: Apache-2.0 */
/* Rotary embeddings whose cosines and sines are rows of a table that positions name. Of each head
 * of `head` elements the first 2 * half are turned, as pairs (i, i + half), or neighbours:
 *
 *     to[first] = x[first] * cos[i] - x[second] * sin[i]
 *     to[second] = x[second] * cos[i] + x[first] * sin[i]
 *
 * with cos[i] = TABLE[position][i] and sin[i] = TABLE[position][half + i]; others stay. Operands
 * are dense, all FLOAT or all DOUBLE. */
#ifndef ACLNN_CPU_KERNELS_ROTARY_K_ROPE_H
#define ACLNN_CPU_KERNELS_ROTARY_K_ROPE_H

#include "kernels/kernel.h"

enum { K_ROPE_SECTIONS = 4 /* at most */ };

struct k_rope {
    bool is_double, is_wide; /* is_wide: positions are INT64, else INT32 */
    bool are_neighbours;
    int64_t tokens, heads, head, half, positions; /* positions: rows of the table */
    /* Section k's positions are k * tokens and following; it ends before pair end[k]. */
    int64_t sections, end[K_ROPE_SECTIONS];
    const char *name; /* of the argument with positions */
};

/* Items are tokens. A position that is no row is a fault at its place, and its pairs are 0. */
enum { K_ROPE_X, K_ROPE_POSITIONS, K_ROPE_TABLE, K_ROPE_TO, K_ROPE_BUFFERS };
struct k_work k_rope_plan(const struct k_rope *rope);

#endif
