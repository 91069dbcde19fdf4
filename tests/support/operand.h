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

enum { OPERAND_RANK = 2 + CASE_AXES };

struct operand {
    enum case_dtype dtype;
    aclFormat format;
    int rank;
    int64_t dims[OPERAND_RANK], strides[OPERAND_RANK], offset;
    int64_t span; /* elements from data to the last one touched, offset among them; 0 when empty */
    void *data;
    aclTensor *tensor;
};

aclDataType operand_acl_type(enum case_dtype dtype);
size_t operand_element_size(enum case_dtype dtype);

/* View of gradOutput or of self and gradInput in a case; no memory yet. Formats are NCHW, and NCL
 * for the unbatched form. */
struct operand operand_of_output(const struct test_case *test, enum case_layout layout);
struct operand operand_of_input(const struct test_case *test, enum case_layout layout);

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

/* Elements of the view in row-major order. Writing rounds to the dtype. */
void operand_write(const struct operand *operand, const double *values);
void operand_read(const struct operand *operand, double *values);
/* The bits as they are, for comparisons bit for bit; but every NaN is the same one, because IEEE
 * 754 leaves the sign and payload of a sum's NaN open. */
void operand_read_bits(const struct operand *operand, uint32_t *bits);

/* Random values of a kind, representable in the dtype. */
void operand_randomize(const struct operand *operand, enum case_data kind, struct random *random);

#endif
