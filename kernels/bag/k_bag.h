/* SPDX-License-Identifier: Apache-2.0 */
/* Sums, means and maxima of rows of a table that indices name, bag by bag. */
#ifndef ACLNN_CPU_KERNELS_BAG_K_BAG_H
#define ACLNN_CPU_KERNELS_BAG_K_BAG_H

#include "kernels/loop/k_loop.h"

enum k_bag_mode { K_BAG_SUM, K_BAG_MEAN, K_BAG_MAX };

/* Indices, offsets, bounds and what counts are dense INT64. Strides in elements. */
struct k_bag {
    enum k_dtype dtype; /* of the table, the weights and the results */
    enum k_bag_mode mode;
    bool has_weights; /* of a sum: row i counts as often as weight i says */
    int64_t rows, features, indices, bags;
    int64_t left_out; /* an index that does not count; -1: all do */
    int64_t table_strides[2], out_strides[2], weight_stride;
};

/* bag_bounds: bounds[b] is where bag b begins, bounds[bags] = indices; the first bag begins at 0.
 * An offset that is below the one before, or outside of the indices, and a first one that is not 0
 * is a fault at its place: it is taken as the nearest one that is none. One item. */
enum { K_BOUNDS_OFFSETS, K_BOUNDS_TO, K_BOUNDS_BUFFERS };

/* bag: items are bags. BAG_OF[i] is the bag of index i, SIZE[b] how many indices of bag b count,
 * PLACE[b, f] of a maximum the index of its row; 0 of an empty bag, as the result. An index outside
 * of the table is a fault at its place and left out. */
enum {
    K_BAG_TABLE,
    K_BAG_INDICES,
    K_BAG_BOUNDS,
    K_BAG_WEIGHTS,
    K_BAG_OUT,
    K_BAG_OF,
    K_BAG_SIZE,
    K_BAG_PLACE,
    K_BAG_BUFFERS
};

struct k_work k_bag_work(const struct k_bag *bag);

#endif
