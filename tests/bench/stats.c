/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 1024 }; /* values beyond these are left out */

double stats_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void stats_pause(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
    nanosleep(&t, NULL);
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

double stats_median(const double *values, int count)
{
    double sorted[MOST];
    if (count <= 0) return NAN;
    if (count > MOST) count = MOST;
    memcpy(sorted, values, (size_t)count * sizeof *values);
    qsort(sorted, (size_t)count, sizeof *sorted, compare);
    return count % 2 ? sorted[count / 2] : 0.5 * (sorted[count / 2 - 1] + sorted[count / 2]);
}

double stats_ratio(const double *over, const double *under, int count)
{
    double ratios[MOST];
    if (count > MOST) count = MOST;
    for (int i = 0; i < count; i++)
        ratios[i] = over[i] / under[i];
    return stats_median(ratios, count);
}

void stats_mean_add(struct stats_mean *mean, double value)
{
    if (mean->count == 0 || value < mean->smallest) mean->smallest = value;
    mean->log_sum += log(value);
    mean->count++;
}

double stats_mean_value(const struct stats_mean *mean)
{
    return mean->count == 0 ? NAN : exp(mean->log_sum / mean->count);
}
