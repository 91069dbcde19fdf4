/* SPDX-License-Identifier: Apache-2.0 */
/* The operators that are no more than a row of api/operators.def, as the rig sees them: all of it
 * follows from the row, but for the oracle. */
#ifndef ACLNN_CPU_TESTS_ROWS_TABLE_H
#define ACLNN_CPU_TESTS_ROWS_TABLE_H

#include "tests/support/rig.h"

struct table_row {
    struct rig_operator op;
    const enum case_dtype *types;
    int type_count;
    bool is_unary; /* one tensor read, one written */
};

int table_rows(void);
const struct table_row *table_row(int i);

/* oracle_elementwise.c: what a function of one operand gives. */
struct oracle_unary {
    const char *name; /* "aclnnAbs" */
    double (*real)(double x);
    int64_t (*integer)(int64_t x);
};
const struct oracle_unary *oracle_unary_of(const char *name); /* NULL: there is none */

#endif
