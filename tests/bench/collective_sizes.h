/* SPDX-License-Identifier: Apache-2.0 */
/* What `bench collective` sums up, and how often; collective_torch.py has the same. */
#ifndef ACLNN_CPU_TESTS_BENCH_COLLECTIVE_SIZES_H
#define ACLNN_CPU_TESTS_BENCH_COLLECTIVE_SIZES_H

#include <stddef.h>

static const struct {
    size_t bytes;
    int rounds;
} collective_sizes[] = {{4 << 10, 1000}, {256 << 10, 200}, {64 << 20, 25}};

enum { COLLECTIVE_SIZES = sizeof(collective_sizes) / sizeof(*collective_sizes) };
enum { COLLECTIVE_MOST_BYTES = 64 << 20, COLLECTIVE_FEWEST = 2 };

static inline int collective_rounds(size_t which, double share)
{
    const int rounds = (int)(collective_sizes[which].rounds * share);
    return rounds < COLLECTIVE_FEWEST ? COLLECTIVE_FEWEST : rounds;
}

#endif
