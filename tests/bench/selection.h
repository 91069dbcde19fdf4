/* SPDX-License-Identifier: Apache-2.0 */
/* The named problems of tests/cases that a bench is asked for. */
#ifndef ACLNN_CPU_TESTS_BENCH_SELECTION_H
#define ACLNN_CPU_TESTS_BENCH_SELECTION_H

#include "tests/support/cases.h"

struct selection {
    struct test_case *cases; /* to be freed */
    int count;
};

/* Whether a case has a name and its line holds every word. */
bool selection_takes(const struct test_case *test, const char *const *words, int count);

/* All of them, in the order of the operators and of the files. False with a sentence on stderr. */
bool select_cases(struct selection *selection, const char *const *words, int count);

/* Random values of each type, as many as the largest problem of that type reads. */
bool selection_make_data(const struct selection *selection);

#endif
