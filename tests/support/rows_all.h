/* SPDX-License-Identifier: Apache-2.0 */
/* Every operator with its oracle and its random problems: pooling, convolution, and those that are
 * no more than a row (rows_table.h). */
#ifndef ACLNN_CPU_TESTS_ROWS_ALL_H
#define ACLNN_CPU_TESTS_ROWS_ALL_H

#include <string.h>

#include "tests/support/rows_conv.h"
#include "tests/support/rows_pooling.h"
#include "tests/support/rows_table.h"

/* Those whose phase 1 is written by hand come first. */
enum { ROWS_BY_HAND = ROWS_POOLING + ROWS_CONVOLUTIONS };

static inline int rows_all(void)
{
    return ROWS_BY_HAND + table_rows();
}

static inline const struct rig_operator *rows_all_at(int i)
{
    if (i < ROWS_POOLING) return rows_pooling[i];
    return i < ROWS_BY_HAND ? rows_convolution[i - ROWS_POOLING] : &table_row(i - ROWS_BY_HAND)->op;
}

/* That of a case; NULL: there is none. */
static inline const struct rig_operator *rows_all_of(const struct test_case *test)
{
    for (int i = 0; i < rows_all(); i++)
        if (strcmp(rows_all_at(i)->word, test->op) == 0) return rows_all_at(i);
    return NULL;
}

#endif
