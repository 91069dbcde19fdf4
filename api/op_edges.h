/* SPDX-License-Identifier: Apache-2.0 */
/* Padded edges and windows, forwards and backwards. */
#ifndef ACLNN_CPU_API_OP_EDGES_H
#define ACLNN_CPU_API_OP_EDGES_H

#include "api/op_shape.h"

enum op_edge { OP_EDGE_REFLECTION, OP_EDGE_REPLICATION, OP_EDGE_CIRCULAR };

/* A rule's `more`. */
struct op_edges_rule {
    struct op_shape_rule shape; /* first */
    enum op_edge edge;
    int axes; /* padded, the last ones of the tensor */
};

/* In front of (side 0) or behind (1) an axis of self; the argument `padding` begins with the last
 * axis. */
int64_t op_edges_padding(const struct op_problem *problem, int rank, int axis, int side);
/* Checks self's rank and the padding; the sizes of what is padded. */
aclnnStatus op_edges_sizes(const struct op_problem *problem, const aclTensor *self, int64_t *sizes);

/* The arguments kernelSize, dilation, padding and stride in this order: window[OP_PADDING]. */
enum { OP_KERNEL, OP_DILATION, OP_PADDING, OP_STRIDE, OP_WINDOW_ARGUMENTS };

/* Windows along an axis of that size, i of 0 and 1; 0: none fits. */
int64_t op_columns_windows(const struct op_value *window, int64_t size, int i);
/* Checks the image's rank and the windows; the sizes of its columns, one dimension less. */
aclnnStatus op_columns_sizes(const struct op_problem *problem, const struct op_value *window,
                             const char *name, const aclTensor *image, int64_t *sizes);

#endif
