/* SPDX-License-Identifier: Apache-2.0 */
/* Where a result lies among the elements of an axis, in FLOAT (DOUBLE in double) as PyTorch has it,
 * so that the nearest element is the same one. */
#include <math.h>
#include <string.h>

#include "kernels/resize/k_resize.h"
#include "kernels/vector/instance.h"

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* Result i stands at this place of the operand's axis. */
static double place_of(const struct k_resize *r, double step, int64_t i)
{
    const bool is_linear = r->mode == K_RESIZE_LINEAR || r->mode == K_RESIZE_CUBIC;
    const bool is_center = is_linear ? !r->align_corners : r->mode == K_RESIZE_NEAREST_EXACT;
    const double back = is_linear && is_center ? 0.5 : 0, more = is_center ? 0.5 : 0;
    if (r->dtype == K_F64) return ((double)i + more) * step - back;
    /* The product of two floats is exact in double. */
    const double product = (double)((float)i + (float)more) * step;
    return (double)((float)product - (float)back);
}

/* Keys' weights with a = -0.75 of the elements at -1, 0, 1 and 2 for a place between 0 and 1. */
static void cubic_weights(double t, double *weights)
{
    const double a = -0.75;
    const double x[K_RESIZE_TAPS] = {t + 1, t, 1 - t, 2 - t};
    for (int tap = 0; tap < K_RESIZE_TAPS; tap++)
        weights[tap] = tap == 1 || tap == 2
                           ? ((a + 2) * x[tap] - (a + 3)) * x[tap] * x[tap] + 1
                           : ((a * x[tap] - 5 * a) * x[tap] + 8 * a) * x[tap] - 4 * a;
}

static void find_taps(const struct k_resize *r, const struct k_resize_axis *a, int64_t i,
                      int64_t *at, double *weights)
{
    const double last = (double)(a->in - 1);
    double place = place_of(r, k_resize_step(r, a), i);
    at[0] = i;
    weights[0] = 1;
    if (a->is_plain) return;
    if (r->mode == K_RESIZE_NEAREST || r->mode == K_RESIZE_NEAREST_EXACT) {
        at[0] = (int64_t)smaller(floor(place), last);
        return;
    }
    if (r->mode == K_RESIZE_LINEAR) {
        place = a->in == a->out ? (double)i : place < 0 ? 0 : place;
        at[0] = (int64_t)smaller(floor(place), last);
        at[1] = at[0] + (at[0] < a->in - 1);
        weights[1] = smaller(place - (double)at[0], 1);
        weights[0] = 1 - weights[1];
        return;
    }
    const double first = smaller(floor(place), last);
    cubic_weights(smaller(place - first, 1), weights);
    for (int tap = 0; tap < K_RESIZE_TAPS; tap++) {
        const double here = smaller(first - 1 + tap, last);
        at[tap] = here < 0 ? 0 : (int64_t)here;
    }
}

/* ---- antialiased ---- */

/* The hat, or Keys' kernel with a = -0.5. */
static double filter_of(enum k_resize_mode mode, double x)
{
    const double a = -0.5, d = fabs(x);
    if (mode == K_RESIZE_LINEAR_AA) return d < 1 ? 1 - d : 0;
    if (d < 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
    return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

/* What result i sees, as much of each element as the filter says, together 1. Taps behind them have
 * no weight, and all of a result that stands behind the operand. */
static void find_many(const struct k_resize *r, const struct k_resize_axis *a, int64_t i,
                      int64_t *at, double *weights)
{
    const double step = k_resize_step(r, a), wide = step > 1 ? step : 1;
    const double support = (r->mode == K_RESIZE_CUBIC_AA ? 2 : 1) * wide;
    const double center = step * ((double)i + 0.5), low = center - support + 0.5;
    const int64_t first = low > 0 ? (int64_t)low : 0;
    int64_t count = (int64_t)smaller(center + support + 0.5, (double)a->in) - first;
    double sum = 0;
    if (count > a->taps) count = a->taps;
    for (int64_t tap = 0; tap < a->taps; tap++) {
        const int64_t place = first + (tap < count ? tap : count > 0 ? count - 1 : 0);
        at[tap] = place < a->in ? place : a->in - 1;
        weights[tap] = tap < count ? filter_of(r->mode, ((double)place - center + 0.5) / wide) : 0;
        sum += weights[tap];
    }
    for (int64_t tap = 0; tap < a->taps && sum != 0; tap++)
        weights[tap] /= sum;
}

k_fn K_SYMBOL(resize_table);

void K_SYMBOL(resize_table)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_resize *r = parameters;
    int64_t begin = 0;
    for (int i = 0; i < K_RESIZE_AXES; begin += r->axis[i++].out) {
        const struct k_resize_axis *a = &r->axis[i];
        char *table = buffers[K_RESIZE_TABLE_TO], *weight = table + a->weights;
        int32_t *at = (void *)(table + a->places);
        for (int64_t j = 0; j < a->out; j++) {
            int64_t places[K_RESIZE_LINE];
            double weights[K_RESIZE_LINE];
            if (begin + j < slice.begin || begin + j >= slice.end) continue;
            if (r->mode >= K_RESIZE_LINEAR_AA && !a->is_plain)
                find_many(r, a, j, places, weights);
            else
                find_taps(r, a, j, places, weights);
            for (int tap = 0; tap < a->taps; tap++) {
                const int64_t entry = tap * a->out + j;
                const float single = (float)weights[tap];
                at[entry] = (int32_t)places[tap];
                if (r->dtype == K_F64)
                    memcpy(weight + entry * 8, &weights[tap], 8);
                else
                    memcpy(weight + entry * 4, &single, 4);
            }
        }
    }
}
