/* SPDX-License-Identifier: Apache-2.0 */
/* Do two elements of a strided view share memory? */
#ifndef ACLNN_CPU_API_OVERLAP_H
#define ACLNN_CPU_API_OVERLAP_H

#include <stdint.h>

enum { OP_OVERLAP_AXES = 32 }; /* of more than one element each */

enum op_overlap {
    OP_APART,     /* no two elements do */
    OP_MEET,      /* some do */
    OP_UNDECIDED, /* the search was given up; only for strides that are no layout of anything */
};

/* For a view that is not empty, whose strides are not negative and whose largest offset fits into
 * an int64_t. */
enum op_overlap op_find_overlap(const int64_t *sizes, const int64_t *strides, int rank);

#endif
