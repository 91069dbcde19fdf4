/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "kernels/random/k_random.h"

struct k_work k_random_plan(struct k_random *r)
{
    r->is_wide = r->kind == K_RANDOM_WHOLE || r->kind == K_RANDOM_KEY || r->kind == K_RANDOM_RACE ||
                 (r->to == K_F64 && r->kind != K_RANDOM_TRUTH && r->kind != K_RANDOM_BITS);
    return (struct k_work){.items = (r->elements + K_RANDOM_TILE - 1) / K_RANDOM_TILE, .grain = 2};
}

struct k_work k_dropout_plan(const struct k_dropout *d)
{
    return (struct k_work){.items = (d->elements + K_RANDOM_TILE - 1) / K_RANDOM_TILE, .grain = 8};
}

double k_random_below(enum k_dtype dtype, double x)
{
    const double below = nextafter(x, -INFINITY);
    const int bits = dtype == K_F32 ? 23 : dtype == K_F16 ? 10 : 7;
    const int least = dtype == K_F16 ? -14 : -126;
    if (dtype == K_F64 || !isfinite(below) || below == 0) return below;
    const int exponent = ilogb(below) > least ? ilogb(below) : least;
    return ldexp(floor(ldexp(below, bits - exponent)), exponent - bits);
}
