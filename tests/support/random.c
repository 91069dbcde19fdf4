/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/random.h"

#include <stdlib.h>

uint64_t random_next(struct random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

int64_t random_below(struct random *random, int64_t below)
{
    return (int64_t)(random_next(random) % (uint64_t)below); /* bias below 2^-40 for our ranges */
}

int64_t random_between(struct random *random, int64_t first, int64_t last)
{
    return first + random_below(random, last - first + 1);
}

bool random_once_in(struct random *random, int64_t in)
{
    return random_below(random, in) == 0;
}

double random_unit(struct random *random)
{
    return (double)(int64_t)random_next(random) * 0x1p-63;
}

uint64_t random_test_seed(void)
{
    const char *text = getenv("ACLNN_TEST_SEED");
    return text && *text ? strtoull(text, NULL, 0) : 20260731;
}

int64_t random_test_count(int64_t count)
{
    const char *text = getenv("ACLNN_TEST_SCALE");
    double scale = text && *text ? strtod(text, NULL) : 1;
    double scaled = (double)count * scale;
    return scaled < 1 ? 1 : (int64_t)scaled;
}
