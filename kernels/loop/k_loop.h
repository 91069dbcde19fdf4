/* SPDX-License-Identifier: Apache-2.0 */
/* One loop for everything that computes an element from elements:
 *     result[i] = f(operand[i], ...) for all i of up to 8 axes,
 * with a stride per operand and axis, 0 where an operand is repeated, and a type per operand. The
 * body f exists once per compute type; the loop brings operands of any type and layout to it. */
#ifndef ACLNN_CPU_KERNELS_LOOP_K_LOOP_H
#define ACLNN_CPU_KERNELS_LOOP_K_LOOP_H

#include "kernels/kernel.h"

enum {
    K_LOOP_RANK = 8,
    K_LOOP_OPERANDS = 10, /* results and operands together */
    K_LOOP_TILE = 1024,   /* elements of a tile at most */
    K_LOOP_BLOCK_BYTES =
        16384, /* bytes of a tile that transposes, at most, whatever is computed in */
};

/* What the body computes in. f16 and bf16 are computed in f32; all integers of at most 32 bits but
 * u32, and bool as 0 and 1, in i32; u32, i64 and u64 in i64. Integers wrap when they are stored.
 * The last two are f32 too, but the body itself widens and rounds: its tiles are of that type. */
enum k_compute {
    K_AS_F32,
    K_AS_F64,
    K_AS_I32,
    K_AS_I64,
    K_COMPUTES,
    K_AS_F16 = K_COMPUTES,
    K_AS_BF16,
    K_TILE_COMPUTES
};

struct k_loop_operand {
    enum k_dtype dtype;
    /* A value becomes one of this type on its way: an operand's before it is computed with
     * (integers that meet a half type), a result's before it is stored (i8 computed as i32, stored
     * as i16). Where that changes nothing it is dtype. */
    enum k_dtype via;
    int64_t offset;               /* elements from the buffer's beginning to the first one */
    int64_t strides[K_LOOP_RANK]; /* in elements */
};

/* How the elements are walked; k_loop_finish finds it. The last axis and the axis `across` are cut
 * into boxes of rows * columns elements, tiles; the other axes are numbered outermost first. Items
 * are boxes, numbered with the columns running fastest, then the rows. */
struct k_loop_walk {
    int across; /* -1: boxes have one row */
    int64_t rows, columns;
    int64_t row_boxes, column_boxes;
    bool is_flat;    /* one axis, along which all operands are dense and of the compute type */
    bool streams;    /* results are dense and larger than the caches: stored past them */
    bool prefetches; /* a box's operands are fetched during the one before; measured to repay in
                      * streaming copies that do not narrow, and to cost elsewhere */
};

struct k_loop {
    enum k_compute compute;
    bool is_copy;          /* the body gives its one operand */
    int results, operands; /* operand[] has the results first */
    int rank;
    int64_t sizes[K_LOOP_RANK]; /* none is 0 */
    struct k_loop_operand operand[K_LOOP_OPERANDS];
    struct k_loop_walk walk;
};

/* Orders and merges the axes, decides on the boxes; returns how the work may be cut. The result is
 * the same set of elements. cost: how much more than a copy an element costs, 1 at least. */
struct k_work k_loop_finish(struct k_loop *loop, int cost);

/* The compute type in which each value of a type is exact. */
enum k_compute k_compute_of(enum k_dtype dtype);
enum k_dtype k_dtype_of(enum k_compute compute);
int64_t k_dtype_size(enum k_dtype dtype);

/* A body over a dense tile: count elements of the compute type each. A result may be an operand. */
typedef void k_tile_fn(const void *parameters, const void *const operands[], void *const results[],
                       int64_t count);

#endif
