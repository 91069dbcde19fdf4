/* SPDX-License-Identifier: Apache-2.0 */
/* What the oracles of normalisations and losses share. */
#ifndef ACLNN_CPU_TESTS_ORACLE_NORM_H
#define ACLNN_CPU_TESTS_ORACLE_NORM_H

#include "tests/support/oracle_rows.h"

#define LINES(...) ((const char *const[]){__VA_ARGS__, NULL})

/* The operand of that name; -1: there is none, or it is NULL. */
int norm_operand(const struct rig_problem *problem, const char *name);
/* The same of several names with blanks between them: the first that is there. */
int norm_one_of(const struct rig_problem *problem, const char *names);
/* Is it one of the words? */
bool norm_has_word(const char *words, const char *word);
/* A number (or FLOAT, DOUBLE) of that name, or what stands for it. */
int64_t norm_integer(const struct rig_problem *problem, const char *name, int64_t otherwise);
double norm_real(const struct rig_problem *problem, const char *name, double otherwise);
/* Element i of an operand, or `otherwise` where there is none. */
double norm_value(const struct rig_problem *problem, int operand, int64_t i, double otherwise);
/* Element i of an output, if it is there: made in double of so many terms of that size together,
 * and rounded once. */
void norm_put(struct rig_problem *problem, int operand, int64_t i, double value, double size,
              double terms);

/* The same of sums and products alone, no functions. */
void norm_put_sum(struct rig_problem *problem, int operand, int64_t i, double value, double size,
                  double terms);

/* The same where f32 and half types are computed in f32: within 4 roundings of the terms' size. */
void norm_put_single(struct rig_problem *problem, int operand, int64_t i, double value, double size,
                     double terms);

/* Lines along an axis, which may be counted from the end: element j of line k. */
struct norm_lines {
    int64_t lines, count, step;
};
struct norm_lines norm_lines_of(const struct operand *view, int64_t axis);
int64_t norm_at(const struct norm_lines *lines, int64_t line, int64_t i);

/* Floating types, mostly the one of the problem. */
enum case_dtype norm_some_type(const struct rig_operator *op, struct random *random,
                               enum case_dtype dtype);
/* Of these the half types; FLOAT in place of DOUBLE. */
enum case_dtype norm_some_single(const struct rig_operator *op, struct random *random,
                                 enum case_dtype dtype);
/* A tensor, or NULL in its place. */
void norm_optional(struct test_case *test, struct random *random, const char *name,
                   enum case_dtype dtype, const int64_t *dims, int rank, bool is_written,
                   bool is_there);
/* Without NaN, infinity and huge numbers. */
struct test_case norm_start(const struct rig_operator *op, struct random *random,
                            enum case_dtype dtype);

#endif
