/* SPDX-License-Identifier: Apache-2.0 */
/* Attention and its gradient from the definition, in double. All arrays are dense, whatever the
 * operator's layout: row r of sequence b is number begin_b + i, and
 *
 *     q, out, dy, dq: [row][head][]    k, v, dk, dv: [row][head of keys][]
 *     hidden, bias, kept: for each sequence, [head][query][key]
 *     m, l: for each sequence, [head][query]                                     */
#ifndef ACLNN_CPU_TESTS_ATTENTION_H
#define ACLNN_CPU_TESTS_ATTENTION_H

#include <stdbool.h>
#include <stdint.h>

enum attention_bias { BIAS_AFTER, BIAS_BEFORE, BIAS_LINEAR, BIAS_ROOT, BIAS_NONE };

struct attention {
    int64_t sequences, heads, key_heads, d, dv;
    const int64_t *queries, *keys, *prefix; /* of each sequence */
    double scale, keep, shift;
    int mode; /* sparse mode; -1: everything is visible */
    int64_t before, after;
    enum attention_bias type;
    /* NULL: nothing is hidden, nothing added, everything kept. slopes: [sequence][head]. */
    const double *q, *k, *v, *hidden, *bias, *kept, *slopes;
    const double *sinks; /* of each head: a score without a value; NULL: none */
    /* Not 0: exponentials times this are rounded to INT8 before they meet v. Of so many keys, at
     * most, all are known to be so from one maximum. */
    double weight_scale;
    int64_t block;
    const double *m, *l, *out, *dy; /* of the gradient */
};

/* Values and how far a result in FLOAT may be from each. */
struct attention_values {
    double *value, *slack;
};

int64_t attention_rows(const int64_t *lengths, int64_t sequences);
int64_t attention_weights(const struct attention *a);
struct attention_values attention_values_new(int64_t count);
void attention_values_free(struct attention_values *values);

/* A query that sees nothing: m is -FLT_MAX and l FLT_MAX, both 0 without keys. */
void attention_forward(const struct attention *a, struct attention_values *m,
                       struct attention_values *l, struct attention_values *out);
/* dsinks: [head]; may be NULL. */
void attention_backward(const struct attention *a, struct attention_values *dq,
                        struct attention_values *dk, struct attention_values *dv,
                        struct attention_values *dsinks);

#endif
