/* SPDX-License-Identifier: Apache-2.0 */
/* Products of rows of experts in small integers, term by term, as FLOAT: each operation rounded, in
 * the order that the headers say. */
#ifndef ACLNN_CPU_TESTS_ORACLE_EXPERTS_H
#define ACLNN_CPU_TESTS_ORACLE_EXPERTS_H

#include "tests/support/oracle_fused.h"

enum { EXPERTS_MOST = 4 };

/* What a call says; -1: not there. Lists: their first tensor. */
struct experts {
    int x, weight, scale, bias, offset, token, list;
    int weights; /* tensors of the weight */
    int64_t m, k, n, experts, groups, parts;
    bool is_four, is_transposed;
};

/* n: as the result says. */
struct experts experts_of(const struct rig_problem *problem, int64_t n);
/* The operand of the first of these names that is there, where lists are among the others; -1:
 * none.
 */
int experts_operand(const struct rig_problem *problem, const char *names);
/* The expert of a row, -1: none. */
int64_t experts_group(const struct rig_problem *problem, const struct experts *e, int64_t row);
float experts_product(const struct rig_problem *problem, const struct experts *e, int64_t expert,
                      int64_t row, int64_t column);

/* Scales of some size, packed or not. */
void experts_fill_scale(struct rig_tensor *tensor, struct random *random);
/* Groups of some rows each, at times with rows behind them; scales of some size. */
void experts_fill(struct rig_problem *problem, struct random *random, int64_t n);

/* What random problems have in common. */
struct experts_draw {
    int64_t m, k, n, experts, groups, parts;
    bool is_list, is_four, is_small_x, is_blocked, is_transposed;
};
struct experts_draw experts_draw(struct random *random, bool may_be_list, bool may_be_small,
                                 bool may_be_transposed);
void experts_add_x(struct test_case *test, struct random *random, const char *name,
                   const struct experts_draw *d);
void experts_add_weight(struct test_case *test, struct random *random, const char *name,
                        const struct experts_draw *d);
/* A row for each expert, parts > 0: and part of the terms. */
void experts_add_rows(struct test_case *test, struct random *random, const char *name,
                      enum case_dtype dtype, const struct experts_draw *d, int64_t parts,
                      bool is_there);

#endif
