/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ACLNN_CPU_TESTS_BENCH_TARGETS_H
#define ACLNN_CPU_TESTS_BENCH_TARGETS_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/bench/results.h"

/* SHARE_LEAST and RATIO_LEAST are promises for every case, the others for a geometric mean. */
enum measure { SHARE_LEAST, RATIO_LEAST, RATIO_MEAN, HALF_MEAN };

/* Sets of works (targets.c), types, formats, kinds of cases and peers, a bit for each. */
struct target {
    const char *text;
    unsigned works, dtypes, formats, kinds, roles;
    enum measure measure;
    double least[2]; /* on one thread, on more */
};

/* Targets in order; NULL behind the last. */
const struct target *target_at(int index);
bool target_is_mean(const struct target *target);

/* What a result has to show for a target; false when the target does not mean it. */
bool target_value(const struct target *target, const struct results *results,
                  const struct result *result, double *value);

/* All promises that are made for one case: NONE when there is none, and in text those missed. */
enum verdict { VERDICT_NONE, VERDICT_MET, VERDICT_MISSED };
enum verdict target_verdict(const struct results *results, const struct result *result, char *text,
                            size_t size);

#endif
