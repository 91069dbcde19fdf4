/* SPDX-License-Identifier: Apache-2.0 */
/* A case as a contender sees it: tensors with their sizes, formats and data. */
#ifndef ACLNN_CPU_TESTS_BENCH_PROBLEM_H
#define ACLNN_CPU_TESTS_BENCH_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/bench/operators.h"
#include "tests/support/cases.h"

enum bench_format {
    BENCH_NCHW,    /* or NCDHW, and so on: channels first */
    BENCH_NHWC,    /* channels last */
    BENCH_BLOCKED, /* blocks of 16 channels: nChw16c */
    BENCH_FORMATS
};

/* The longest of all tensors, 1-D to 3-D: batch, channels, extents. */
enum { BENCH_RANK = 5 };

struct bench_tensor {
    enum case_tensor role;
    enum bench_use use;
    enum case_dtype dtype;
    size_t element_size;
    int64_t plane; /* elements */
    size_t bytes;  /* as every format stores them */
};

struct bench_problem {
    struct test_case test;
    const struct bench_operator *op;
    enum bench_format format;
    int64_t planes;
    int tensors;
    struct bench_tensor tensor[BENCH_TENSORS];
    const char *values;  /* a file of random values of the case's type */
    const char *indices; /* a file of int32 indices, dense, channels first; "" when none are read */
};

/* false: the case is not one that the bench can run; why receives a sentence. */
bool bench_problem_of(const struct test_case *test, enum bench_format format,
                      struct bench_problem *problem, char *why, size_t why_size);
const char *bench_format_name(enum bench_format format);
enum bench_format bench_format_of(const char *name); /* BENCH_FORMATS when it is none */
/* The format of all tensors of a case. */
enum bench_format bench_format_of_case(const struct test_case *test);

/* Bytes that must move: tensors that are read and those that are written, once each. */
double bench_bytes(const struct bench_problem *problem);

/* The number of the problem's tensor of that role; -1 when it has none. */
int bench_tensor_of(const struct bench_problem *problem, enum case_tensor role);

/* Batch, channels and extents of the side that a tensor is on; returns the rank. */
int bench_dims(const struct test_case *test, enum case_tensor role, int64_t dims[BENCH_RANK]);

/* Elements in the file of values before those of the tensor of that role. */
int64_t bench_first_value(enum case_tensor role);
/* Elements that such a file needs for a problem. */
int64_t bench_values_needed(const struct bench_problem *problem);

/* Fills a tensor that is read, as the format stores it. */
bool bench_load(const struct bench_problem *problem, int tensor, void *packed, char *why,
                size_t why_size);
/* One plane of a tensor out of the format. */
void bench_unpack_plane(const struct bench_problem *problem, int tensor, int64_t which,
                        const void *packed, void *dense);

/* Memory for the tensor of that number: page-aligned, huge pages asked for, touched. It is kept
 * from case to case and grows. */
void *bench_memory(int tensor, size_t bytes);

#endif
