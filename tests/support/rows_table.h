/* SPDX-License-Identifier: Apache-2.0 */
/* The operators that are no more than a row of api/operators.def, as the rig sees them: all of it
 * follows from the row, but for the oracle. */
#ifndef ACLNN_CPU_TESTS_ROWS_TABLE_H
#define ACLNN_CPU_TESTS_ROWS_TABLE_H

#include "tests/support/rig.h"

struct table_row {
    struct rig_operator op; /* types and type_count are the row's */
    const char *family;
};

int table_rows(void);
const struct table_row *table_row(int i);

#endif
