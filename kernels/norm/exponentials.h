/* SPDX-License-Identifier: Apache-2.0 */
/* Exponentials, factors and shifts of rows of doubles. */
#ifndef ACLNN_CPU_KERNELS_NORM_EXPONENTIALS_H
#define ACLNN_CPU_KERNELS_NORM_EXPONENTIALS_H

#include "kernels/norm/rows.h"

K_TEMPLATE
vd exponential(vd x)
{
    return wide_exp(vd_at_most(vd_at_least(x, WIDE_EXP_LOW), WIDE_EXP_HIGH));
}

/* e[i] = exp(x[i] - m); returns the sum. e may be x. */
static inline double exponentials(bool is_precise, const double *x, double m, double *e,
                                  int64_t count)
{
    struct lanes sums = {{{0}}};
    int64_t i = 0;
    if (is_precise) {
        for (; i < count; i++)
            e[i] = exp(x[i] - m);
        return sum(e, count);
    }
    for (; i + K_NORM_LANES <= count; i += K_NORM_LANES)
#pragma GCC unroll 8
        for (int p = 0; p < PARTS; p++) {
            vd value;
            memcpy(&value, x + i + p * VD, sizeof value);
            value = exponential(value - m);
            memcpy(e + i + p * VD, &value, sizeof value);
            sums.part[p] += value;
        }
    double total = lanes_total(&sums);
    for (; i < count; i += VD) {
        const int64_t some = count - i < VD ? count - i : VD;
        vd value = {0};
        memcpy(&value, x + i, (size_t)some * sizeof *x);
        value = exponential(value - m);
        memcpy(e + i, &value, (size_t)some * sizeof *e);
        for (int64_t j = 0; j < some; j++)
            total += value[j];
    }
    return total;
}

K_TEMPLATE
vd of_scaled(vd x, vd y, vd z, vd a, vd b)
{
    (void)y, (void)z, (void)b;
    return x * a;
}

K_TEMPLATE
vd of_shifted(vd x, vd y, vd z, vd a, vd b)
{
    (void)y, (void)z;
    return x - a - b;
}

static inline void scale(double *x, double factor, int64_t count)
{
    map_of(of_scaled, x, x, x, x, factor, 0, count);
}

static inline void shift(double *x, double by, double and_by, int64_t count)
{
    map_of(of_shifted, x, x, x, x, by, and_by, count);
}

#endif
