/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic and geometric sequences, in int64 or double, rounded once. */
#include <math.h>

#include "kernels/shape/k_shape.h"

static void integers(const struct k_ramp *ramp, int64_t begin, int64_t end, void *to)
{
    uint64_t value = (uint64_t)ramp->first_integer + (uint64_t)begin * (uint64_t)ramp->step_integer;
    for (int64_t i = begin; i < end; i++, value += (uint64_t)ramp->step_integer)
        if (ramp->dtype == K_I32)
            ((uint32_t *)to)[i] = (uint32_t)value;
        else
            ((uint64_t *)to)[i] = value;
}

static double real_at(const struct k_ramp *ramp, int64_t i)
{
    if (ramp->kind == K_RAMP_REALS || i < ramp->count / 2)
        return ramp->first + (double)i * ramp->step;
    return ramp->last - (double)(ramp->count - 1 - i) * ramp->step;
}

static void reals(const struct k_ramp *ramp, int64_t begin, int64_t end, void *to)
{
    for (int64_t i = begin; i < end; i++) {
        const double at = real_at(ramp, i);
        const double value = ramp->kind == K_RAMP_POWERS ? pow(ramp->base, at) : at;
        if (ramp->dtype == K_F32)
            ((float *)to)[i] = (float)value;
        else
            ((double *)to)[i] = value;
    }
}

void k_ramp(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_ramp *ramp = parameters;
    const int64_t begin = slice.begin * K_RAMP_BLOCK, end = slice.end * K_RAMP_BLOCK;
    const int64_t stop = end < ramp->count ? end : ramp->count;
    if (ramp->kind == K_RAMP_INTEGERS)
        integers(ramp, begin, stop, buffers[K_RAMP_TO]);
    else
        reals(ramp, begin, stop, buffers[K_RAMP_TO]);
}
