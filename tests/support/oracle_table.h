/* SPDX-License-Identifier: Apache-2.0 */
/* A table that oracles write, one value after the other, computed in the type itself, half types in
 * FLOAT. */
#ifndef ACLNN_CPU_TESTS_ORACLE_TABLE_H
#define ACLNN_CPU_TESTS_ORACLE_TABLE_H

#include "tests/support/oracle_index.h"

enum combine { SET, ADD, MUL, MAX, MIN, MEAN, DIV };

struct table {
    enum case_dtype type;
    int operand; /* that is written */
    double *real;
    int64_t *whole;
    int64_t *hits; /* how often each element was written */
};

/* before: the operand that the table is at first; -1: 0. */
struct table table_of(const struct rig_problem *problem, int operand, int before);
void table_put(struct table *table, enum combine how, int64_t place, double real, int64_t whole);
/* The same with an element of an operand. */
void table_put_element(struct rig_problem *problem, struct table *table, enum combine how,
                       int64_t place, int operand, int64_t i);
/* Rounded to what is computed in. */
double table_round(const struct table *table, double value);
/* What is not written counts as nothing: an element that is written begins neutral. */
void table_forget(struct table *table, enum combine how, int64_t place);
/* The mean of what was added; with_self: and of what was there before. */
void table_divide(struct rig_problem *problem, struct table *table, bool with_self);
void table_finish(struct rig_problem *problem, struct table *table);

#endif
