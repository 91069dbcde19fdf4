/* SPDX-License-Identifier: Apache-2.0 */
/* One tensor of a test: its view, the elements it touches, its memory, its descriptor. */
#ifndef ACLNN_CPU_TESTS_OPERAND_H
#define ACLNN_CPU_TESTS_OPERAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aclnn/acl_meta.h"
#include "tests/support/cases.h"
#include "tests/support/random.h"

enum { OPERAND_RANK = 10 };

/* Axes are always in the order (batch,) channels, spatial axes; a format that lists the channels
 * last makes the descriptor do so. */
struct operand {
    enum case_dtype dtype; /* what is stored */
    aclDataType type;      /* what the descriptor says */
    aclFormat format;
    int rank;
    int64_t dims[OPERAND_RANK], strides[OPERAND_RANK], offset;
    int channels_at;  /* the axis of the channels: 0 or 1 */
    bool no_strides;  /* the descriptor is made without any */
    bool keeps_order; /* channels first in the descriptor whatever the format says */
    int64_t span;     /* elements from data to the last one touched, offset among them; 0: empty */
    int64_t storage;  /* the descriptor's storage shape, one extent */
    void *data;
    aclTensor *tensor;
};

aclDataType operand_acl_type(enum case_dtype dtype);
size_t operand_element_size(enum case_dtype dtype);
bool operand_is_channels_last(aclFormat format);

/* View of a tensor of a case, no memory yet; and with another type or layout. */
struct operand operand_of(const struct test_case *test, enum case_tensor tensor);
struct operand operand_with(const struct test_case *test, enum case_tensor tensor,
                            enum case_dtype dtype, enum case_layout layout);
/* View of a tensor that the case names. */
struct operand operand_of_argument(const struct test_case *test,
                                   const struct case_argument *argument);

/* For a tensor of another shape: sets rank and sizes, strides by the layout, span and storage. */
void operand_reshape(struct operand *operand, const int64_t *dims, int rank,
                     enum case_layout layout, uint64_t seed);

int64_t operand_elements(const struct operand *operand);
size_t operand_bytes(const struct operand *operand);

/* Creates the descriptor for the data set before; close destroys it and is harmless without. */
void operand_open(struct operand *operand);
void operand_close(struct operand *operand);

/* Bytes to every element of the span, those between the view's elements included. */
void operand_poison(const struct operand *operand, unsigned char byte);
/* Have all elements of the span that the view does not reach still this byte? */
bool operand_gaps_hold(const struct operand *operand, unsigned char byte);

/* Do two elements of the view share memory? */
bool operand_overlaps(const struct operand *operand);

/* Elements of the view in row-major order of the axes above. Writing rounds to the dtype. */
void operand_write(const struct operand *operand, const double *values);
void operand_read(const struct operand *operand, double *values);
/* The bits as they are, for comparisons bit for bit; but every NaN is the same one, because IEEE
 * 754 leaves the sign and payload of a sum's NaN open. */
void operand_read_bits(const struct operand *operand, uint64_t *bits);
/* The same with every NaN as it is. */
void operand_read_raw(const struct operand *operand, uint64_t *bits);
void operand_write_bits(const struct operand *operand, const uint64_t *bits);

/* Random values of a kind, representable in the dtype. Those of i64 fit a double exactly, except
 * special ones. */
void operand_randomize(const struct operand *operand, enum case_data kind, struct random *random);

#endif
