/* SPDX-License-Identifier: Apache-2.0 */
/* For suites that ask single rows what they refuse. */
#ifndef ACLNN_CPU_TESTS_ROW_REFUSALS_H
#define ACLNN_CPU_TESTS_ROW_REFUSALS_H

#include "tests/ops/suite.h"
#include "tests/support/rows_every.h"
#include "tests/support/rows_table.h"

static inline const struct rig_operator *operator_named(const char *name)
{
    for (int i = 0; i < table_rows(); i++)
        if (strcmp(table_row(i)->op.name, name) == 0) return &table_row(i)->op;
    cr_assert_fail("no row %s", name);
    return NULL;
}

/* Excuses every pair of faults. */
static inline bool any(const struct rig_fault *earlier, const struct rig_fault *later)
{
    (void)earlier, (void)later;
    return true;
}

#endif
