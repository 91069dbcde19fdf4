/* SPDX-License-Identifier: Apache-2.0 */
/* Time and the few statistics that the bench reports. */
#ifndef ACLNN_CPU_TESTS_BENCH_STATS_H
#define ACLNN_CPU_TESTS_BENCH_STATS_H

#include <stdint.h>

/* Seconds on a clock that never steps back. */
double stats_now(void);
void stats_pause(double seconds);

double stats_median(const double *values, int count);
/* The median of over[i] / under[i]: both taken in the same round, so that what slows the machine
 * for seconds slows both. */
double stats_ratio(const double *over, const double *under, int count);

/* A geometric mean and the smallest value, grown value by value. */
struct stats_mean {
    double log_sum, smallest;
    int count;
};
void stats_mean_add(struct stats_mean *mean, double value);
double stats_mean_value(const struct stats_mean *mean); /* NAN when empty */

#endif
