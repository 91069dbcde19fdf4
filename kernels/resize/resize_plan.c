/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/resize/k_resize.h"

#include <math.h>

double k_resize_step(const struct k_resize *r, const struct k_resize_axis *a)
{
    const bool is_linear = r->mode >= K_RESIZE_LINEAR;
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

/* At most so many elements has the filter of one result, and the axis. */
static int64_t taps_of(const struct k_resize *r, const struct k_resize_axis *a)
{
    const double step = k_resize_step(r, a);
    if (r->mode < K_RESIZE_LINEAR_AA)
        return r->mode == K_RESIZE_LINEAR ? 2 : r->mode == K_RESIZE_CUBIC ? K_RESIZE_TAPS : 1;
    const double seen =
        2 * ceil((r->mode == K_RESIZE_CUBIC_AA ? 2 : 1) * (step > 1 ? step : 1)) + 1;
    return seen < (double)a->in ? (int64_t)seen : a->in;
}

struct k_work k_resize_table_plan(struct k_resize *r)
{
    const int64_t weight = r->dtype == K_F64 ? 8 : 4;
    int64_t bytes = 0, items = 0;
    for (int i = 0; i < K_RESIZE_AXES; i++) {
        struct k_resize_axis *a = &r->axis[i];
        a->taps = a->is_plain ? 1 : (int)taps_of(r, a);
        a->weights = bytes;
        a->places = bytes + a->taps * a->out * weight;
        bytes = (a->places + a->taps * a->out * 4 + 63) / 64 * 64;
        items += a->out;
    }
    r->table_bytes = bytes;
    return (struct k_work){.items = items, .grain = 1024};
}

struct k_work k_resize_plan(const struct k_resize *r)
{
    const struct k_resize_axis *a = r->axis;
    const int64_t cost = a[2].out * a[2].taps + a[0].taps * a[1].taps * a[2].in;
    return (struct k_work){.items = r->planes * a[0].out * a[1].out, .grain = 16384 / cost + 1};
}

struct k_work k_resize_grad_plan(const struct k_resize *r)
{
    const struct k_resize_axis *a = r->axis;
    const double seen =
        (double)a[0].out * a[0].taps * (double)a[1].out * a[1].taps * (double)a[2].out * a[2].taps;
    const int64_t lines = a[0].in * a[1].in;
    const double cost = seen / (double)lines + (double)a[2].in + 1;
    return (struct k_work){.items = r->planes * lines,
                           .grain = (int64_t)(cost < 16384 ? 16384 / cost : 0) + 1};
}
