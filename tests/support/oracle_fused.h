/* SPDX-License-Identifier: Apache-2.0 */
/* Values that may be wrong by an error, as small integers; for oracles of operators that quantize
 * what they make. A whole number next to a tie has two right answers (oracle_rounded). */
#ifndef ACLNN_CPU_TESTS_ORACLE_FUSED_H
#define ACLNN_CPU_TESTS_ORACLE_FUSED_H

#include "tests/support/oracle_norm.h"

enum { FUSED_COLUMNS = 8192 /* of a row, at most */ };

/* A row that is computed in FLOAT. */
struct fused_row {
    int64_t count;
    double value[FUSED_COLUMNS], wrong[FUSED_COLUMNS];
};

/* An operation of FLOAT that makes `value` adds so much to an error. */
double fused_rounding(double value);
/* Element i of the row times (or by) a factor. */
void fused_scale(struct fused_row *row, int64_t i, double factor, bool divides);

/* The row's elements, with an offset, as elements of y from `at` on. digits: 8 or 4. */
void fused_put(struct rig_problem *problem, int y, int64_t at, int digits,
               const struct fused_row *row, int64_t i, double offset, bool has_offset);
/* The whole row by a scale that it makes, which element `number` of `made` gets: max / high, or
 * high / max where it is inverse. */
void fused_put_dynamic(struct rig_problem *problem, int y, int made, int64_t number, int digits,
                       const struct fused_row *row, bool is_inverse);

/* The operand keeps what it held, which the rig has filled with bytes of 0xFF; -1: none. */
void fused_leave(struct rig_problem *problem, int operand);
/* A text of the case. */
void fused_text(struct test_case *test, const char *name, const char *text);
/* The text of that name; NULL: none. */
const char *fused_text_of(const struct rig_problem *problem, const char *name);

#endif
