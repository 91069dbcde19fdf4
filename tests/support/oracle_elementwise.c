/* SPDX-License-Identifier: Apache-2.0 */
/* The table of oracle_elementwise.def, and the functions that its forms call. */
#include "tests/support/oracle_elementwise.h"

#define ORACLE_LINE ORACLE_FORMS
#include "tests/support/oracle_elementwise.def"
#undef ORACLE_LINE

const struct oracle_row oracle_elementwise_rows[] = {
#define ORACLE_LINE ORACLE_ROW
#include "tests/support/oracle_elementwise.def"
    {.name = NULL},
};
