/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers for a test of its own: from $ACLNN_TEST_SEED, else always the same ones. */
#ifndef ACLNN_CPU_TESTS_DICE_H
#define ACLNN_CPU_TESTS_DICE_H

#include "tests/support/random.h"

static inline struct random *dice(void)
{
    static struct random random;
    static bool is_seeded;
    if (!is_seeded) random.state = random_test_seed();
    is_seeded = true;
    return &random;
}

/* One of low .. high. */
static inline int64_t between(int64_t low, int64_t high)
{
    return random_between(dice(), low, high);
}

#endif
