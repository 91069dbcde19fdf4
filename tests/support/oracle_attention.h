/* SPDX-License-Identifier: Apache-2.0 */
/* What the oracle of attention's operators and their random problems share. */
#ifndef ACLNN_CPU_TESTS_ORACLE_ATTENTION_H
#define ACLNN_CPU_TESTS_ORACLE_ATTENTION_H

#include "tests/support/oracle_norm.h"

enum { ATTENTION_SEQUENCES = 8, ATTENTION_STATS = 8 };

/* The letters of a layout: B, S, N, D, or H for N and D, or T for B and S. */
struct attention_sizes {
    const char *layout;
    bool by_lengths;
    int64_t batch, heads, key_heads, d, dv;
    int64_t rope; /* columns of second parts of query and key */
    int64_t queries[ATTENTION_SEQUENCES + 1],
        keys[ATTENTION_SEQUENCES + 1]; /* the last: rows of no sequence */
    int64_t query_rows, key_rows;
};

#define ATTENTION_ROPE     "queryRope queryRopeOptional"
#define ATTENTION_KEY_ROPE "keyRope keyInRope keyRopeOptional"

struct test_case attention_random(const struct rig_operator *op, struct random *random,
                                  enum case_dtype dtype);

#endif
