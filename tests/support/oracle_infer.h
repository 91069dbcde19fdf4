/* SPDX-License-Identifier: Apache-2.0 */
/* What the oracle of inference's attention and its random problems share. */
#ifndef ACLNN_CPU_TESTS_ORACLE_INFER_H
#define ACLNN_CPU_TESTS_ORACLE_INFER_H

#include "tests/support/oracle_index.h"
#include "tests/support/oracle_norm.h"

enum {
    INFER_SEQUENCES = 4,
    INFER_BLOCK = 32, /* keys that are in one block of them whatever the heads */
};
#define INFER_TABLE "blockTable blockTableOptional blocktable"

struct infer_sizes {
    const char *in, *out; /* layouts: the letters of the axes, H for N and D */
    int64_t batch, heads, key_heads, queries, keys, d, dv; /* queries, keys: rows of a tensor */
    int64_t of_query[INFER_SEQUENCES], of_key[INFER_SEQUENCES]; /* rows that count */
    /* The first row of query or key of a sequence, where they are behind each other, or at the end
     * of their tensors. */
    int64_t first[2][INFER_SEQUENCES];
    int64_t block;                 /* rows of a block; 0: there are none */
    int64_t shared, shared_rows;   /* keys before those of each sequence; rows of their tensor */
    int64_t rope;                  /* columns of second parts */
    bool is_quantised;             /* keys and values */
    int64_t packed;                /* numbers in an element of them */
    int value;                     /* the operand of value, or of the first one */
    bool in_list;                  /* keys and values: one tensor for each sequence */
    int64_t rows[INFER_SEQUENCES]; /* of each such one */
    bool in_panels;                /* blocks have 5 axes */
    bool is_whole;                 /* query, key and value are INT8 */
};

bool infer_by_rows(const char *layout);
void infer_split_layout(const char *text, struct infer_sizes *sizes);
bool infer_is_incremental(const struct rig_operator *op);
void infer_oracle(struct rig_problem *problem);

#endif
