/* SPDX-License-Identifier: Apache-2.0 */
/* What the rows of maximum pooling share: CANN's (rows_max.c) and ours (rows_max_ext.c). */
#ifndef ACLNN_CPU_TESTS_ROWS_MAX_H
#define ACLNN_CPU_TESTS_ROWS_MAX_H

#include "tests/support/rig.h"

bool rows_is_channels_last(const struct test_case *test);

/* The chosen cell of a window of a plane whose bits are given; -1: nothing but padding. */
int64_t rows_chosen(enum case_dtype dtype, const struct oracle_problem *problem,
                    const uint64_t *plane, int64_t window);

/* The sums of a gradient in float, by elements of gradInput. */
struct rows_gradient {
    float *sums;
    int64_t first_bad, bad_value; /* by logical position */
};

struct rows_gradient rows_gradient_begin(int64_t count);
/* The index at this position points outside. */
void rows_gradient_bad(struct rows_gradient *gradient, int64_t position, int64_t value);
/* The sums are what is wanted; synchronising must name the first bad index, if there is one. */
void rows_gradient_end(struct rows_gradient *gradient, struct rig_problem *problem,
                       struct rig_tensor *dx);

/* A case with ties in which every window has a tap inside the input; traits: of rig_random.h. */
struct test_case rows_random_window(struct random *random, const char *word, enum case_dtype dtype,
                                    int axes, unsigned traits);

#endif
