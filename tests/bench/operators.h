/* SPDX-License-Identifier: Apache-2.0 */
/* The operators that the bench runs: a row of operators.def each. What an operator computes says
 * which tensors it has, what must move and what a peer has to run for it. */
#ifndef ACLNN_CPU_TESTS_BENCH_OPERATORS_H
#define ACLNN_CPU_TESTS_BENCH_OPERATORS_H

#include <stdbool.h>

#include "tests/support/cases.h"

/* The tensors, in the names of the case language. Those in brackets are given for their shape. */
enum bench_meaning {
    BENCH_AVERAGE,       /* x -> y */
    BENCH_AVERAGE_GRAD,  /* dy (x) -> dx */
    BENCH_MAX,           /* x -> y */
    BENCH_MAX_INDICES,   /* x -> y i */
    BENCH_MAX_GRAD,      /* dy (x) i -> dx */
    BENCH_MAX_RECOMPUTE, /* dy x -> dx: the gradient without indices */
    BENCH_UNPOOL,        /* y i -> x */
    BENCH_UNPOOL_GRAD,   /* dx (y) i -> dy */
    BENCH_MEANINGS
};

enum bench_use { BENCH_READS, BENCH_SHAPE, BENCH_WRITES };

/* What the indices count through, and how they lie. */
enum bench_indices {
    BENCH_IN_PLANE,  /* the plane, in a tensor as the small side */
    BENCH_IN_TENSOR, /* the whole large side */
    BENCH_IN_TOKEN,  /* the plane; int32 at the beginning of the Mask operators' INT8 buffer, dense,
                        channels first */
};

enum { BENCH_TENSORS = 4 };

struct bench_operand {
    enum case_tensor tensor;
    enum bench_use use;
};

struct bench_operands {
    int count;
    struct bench_operand operand[BENCH_TENSORS];
};

struct bench_operator {
    const char *name;     /* in the case language */
    const char *function; /* of the public interface */
    enum bench_meaning meaning;
    const char *torch; /* what peer_torch.py calls it; "" when PyTorch has nothing like it */
    enum bench_indices indices;
};

/* NULL when the bench does not run it. */
const struct bench_operator *bench_operator_find(const char *name);
/* Rows in order; NULL behind the last. */
const struct bench_operator *bench_operator_at(int index);

const struct bench_operands *bench_operands_of(enum bench_meaning meaning);
bool bench_is_backward(enum bench_meaning meaning);

#endif
