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

/* Elements of the operand from result to result. */
static double step_of(const struct k_resize *r, const struct k_resize_axis *a)
{
    const bool is_linear = r->mode == K_RESIZE_LINEAR || r->mode == K_RESIZE_CUBIC;
    double step = a->scale > 0 ? 1 / a->scale : (double)a->in / (double)a->out;
    if (is_linear && r->align_corners) {
        if (a->out <= 1) return 0;
        step = (double)(a->in - 1) / (double)(a->out - 1);
        if (r->dtype != K_F64) step = (double)((float)(a->in - 1) / (float)(a->out - 1));
    } else if (r->dtype != K_F64 && !(a->scale > 0)) {
        step = (double)((float)a->in / (float)a->out);
    }
    return r->dtype == K_F64 ? step : (double)(float)step;
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
    double place = place_of(r, step_of(r, a), i);
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
            int64_t places[K_RESIZE_TAPS];
            double weights[K_RESIZE_TAPS];
            if (begin + j < slice.begin || begin + j >= slice.end) continue;
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
