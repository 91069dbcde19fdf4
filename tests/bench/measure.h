/* SPDX-License-Identifier: Apache-2.0 */
/* One case, all contenders: set up, checked against the definition, timed in turns. */
#ifndef ACLNN_CPU_TESTS_BENCH_MEASURE_H
#define ACLNN_CPU_TESTS_BENCH_MEASURE_H

#include "tests/bench/peers.h"
#include "tests/bench/results.h"

struct measure_options {
    int rounds;    /* batches of a set */
    int sets;      /* at most; fewer when medians agree */
    bool explains; /* say to standard error why a contender does not take part */
};

/* false when ours does not run the case; the reason goes to standard error. */
bool measure_case(struct peers *peers, const struct test_case *test,
                  const struct measure_options *options, struct results *results);

/* request.c: what a contender is told of a problem. The caller releases it. */
cJSON *request_set_up(const struct bench_problem *problem);

/* check.c: a few planes of the contender's outputs against the definition, and every element
 * written. NULL when right, else what is wrong, in a static buffer. */
cJSON *check_request(const struct peer *peer, const struct bench_problem *problem);
const char *check_answer(const struct peer *peer, const struct bench_problem *problem,
                         const cJSON *answer);

#endif
