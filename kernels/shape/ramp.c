/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic and geometric sequences, in int64 or double, rounded once. */
#include <math.h>
#include <string.h>

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

/* first + i * step of one block, whose indices are exact in double. */
static void block_up(const struct k_ramp *ramp, int64_t begin, int count, double *to)
{
    const double base = (double)begin, first = ramp->first, step = ramp->step;
    for (int i = 0; i < count; i++)
        to[i] = first + (base + (double)i) * step;
}

/* last - (distance from the end) * step */
static void block_down(const struct k_ramp *ramp, int64_t begin, int count, double *to)
{
    const double base = (double)(ramp->count - 1 - begin), last = ramp->last, step = ramp->step;
    for (int i = 0; i < count; i++)
        to[i] = last - (base - (double)i) * step;
}

static void block_of(const struct k_ramp *ramp, int64_t begin, int count, double *to)
{
    const int64_t half = ramp->kind == K_RAMP_REALS ? ramp->count : ramp->count / 2;
    const int up = half <= begin ? 0 : half - begin < count ? (int)(half - begin) : count;
    block_up(ramp, begin, up, to);
    block_down(ramp, begin + up, count - up, to + up);
    if (ramp->kind == K_RAMP_POWERS)
        for (int i = 0; i < count; i++)
            to[i] = pow(ramp->base, to[i]);
}

static void reals(const struct k_ramp *ramp, int64_t begin, int64_t end, void *to)
{
    double block[K_RAMP_BLOCK];
    for (int64_t at = begin; at < end; at += K_RAMP_BLOCK) {
        const int count = end - at < K_RAMP_BLOCK ? (int)(end - at) : K_RAMP_BLOCK;
        block_of(ramp, at, count, block);
        if (ramp->dtype == K_F32)
            for (int i = 0; i < count; i++)
                ((float *)to)[at + i] = (float)block[i];
        else
            memcpy((double *)to + at, block, (size_t)count * sizeof *block);
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
