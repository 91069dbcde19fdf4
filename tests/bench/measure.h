/* SPDX-License-Identifier: Apache-2.0 */
/* One case, all contenders: set up, checked against the definition, timed in turns. */
#ifndef ACLNN_CPU_TESTS_BENCH_MEASURE_H
#define ACLNN_CPU_TESTS_BENCH_MEASURE_H

#include "tests/bench/peers.h"
#include "tests/bench/results.h"

struct measure_options {
    int rounds;                    /* batches of a set; 10 unless told */
    const char *data[CASE_DTYPES]; /* files of random gradOutput, one per dtype */
};

/* false when ours does not run the case; the reason goes to standard error. */
bool measure_case(struct peers *peers, const struct test_case *test,
                  const struct measure_options *options, struct results *results);

/* A file of random values of this dtype, magnitudes in [1/16, 1), for problems of up to
 * `elements`. The path is kept by the caller and the file removed by it. */
bool measure_make_data(enum case_dtype dtype, int64_t elements, const char *path);

/* check.c: a few planes of the contender's output against the oracle, and every element written.
 * NULL when right, else what is wrong, in a static buffer. */
const char *check_contender(struct peer *peer, const struct bench_problem *problem);

#endif
