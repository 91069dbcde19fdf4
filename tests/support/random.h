/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers for random tests: splitmix64 (Steele, Lea, Flood 2014), one word of state. */
#ifndef ACLNN_CPU_TESTS_RANDOM_H
#define ACLNN_CPU_TESTS_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct random {
    uint64_t state;
};

uint64_t random_next(struct random *random);
/* Uniform among 0 .. below - 1; below > 0. */
int64_t random_below(struct random *random, int64_t below);
/* Uniform among first .. last. */
int64_t random_between(struct random *random, int64_t first, int64_t last);
/* True once in `in` times. */
bool random_once_in(struct random *random, int64_t in);
/* Uniform in [-1, 1). */
double random_unit(struct random *random);

/* Where a test starts: $ACLNN_TEST_SEED, else a fixed number; a failing test prints it. */
uint64_t random_test_seed(void);
/* A number of cases, scaled by $ACLNN_TEST_SCALE (a fraction or a factor); at least 1. */
int64_t random_test_count(int64_t count);

#endif
