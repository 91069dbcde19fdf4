/* SPDX-License-Identifier: Apache-2.0 */
/* A case from its line. */
#ifndef ACLNN_CPU_TESTS_UNIT_CASE_LINE_H
#define ACLNN_CPU_TESTS_UNIT_CASE_LINE_H

#include <criterion/criterion.h>

#include "tests/support/cases.h"

static inline struct test_case parse(const char *line)
{
    struct test_case test;
    char error[256];
    cr_assert(case_parse(line, &test, error, sizeof error), "%s: %s", line, error);
    return test;
}

#endif
