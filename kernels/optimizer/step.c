/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of Adam and SGD: one pass over the parameters and their states. The numbers of a step are
 * made in double, once per slice, and rounded once to what is computed in. */
#include <math.h>
#include <string.h>

#include "kernels/loop/convert.h"
#include "kernels/loop/loop.h"
#include "kernels/optimizer/k_optimizer.h"
#include "kernels/vector/math.h"
#include "kernels/vector/simd.h"

enum { OPERANDS = 5, RESULTS = 5 };

struct constants {
    unsigned flags;
    int operands, results;
    double beta1, beta2, ema, rest1, rest2, rest; /* rest: 1 less those, or less dampening */
    double rate, root, eps, kept, decay, scale;
    bool is_stopped;
};

K_TEMPLATE
vf root_f32(vf x)
{
    return v_sqrt(x);
}

K_TEMPLATE
vd root_f64(vd x)
{
    for (int i = 0; i < (int)(sizeof x / sizeof x[0]); i++)
        x[i] = v_sqrt_f64(x[i]);
    return x;
}

#include "kernels/elementwise/as_f32.h"
#include "kernels/optimizer/step.h"

#include "kernels/elementwise/as_f64.h"
#include "kernels/optimizer/step.h"

k_fn K_SYMBOL(optimizer_step);

static double correction(unsigned flags, double beta, double time, double power)
{
    if (flags & K_STEP_BY_TIME) return 1 - pow(beta, time);
    if (flags & K_STEP_BY_POWER) return 1 - power;
    if (flags & K_STEP_POWER_BEFORE) return 1 - power * beta;
    return 1;
}

static struct constants constants_of(const struct k_step *step, void *const buffers[])
{
    double n[K_STEP_NUMBERS];
    memcpy(n, step->number, sizeof n);
    for (int i = 0; i < K_STEP_NUMBERS; i++) {
        double element;
        if (step->buffer[i] < 0) continue;
        k_widen(K_AS_F64, step->dtype[i], buffers[step->buffer[i]], &element, 1);
        n[i] += element; /* time may count from another number */
    }
    const unsigned flags = step->flags;
    struct constants k = {.flags = flags,
                          .operands = step->loop.operands,
                          .results = step->loop.results,
                          .rate = n[K_STEP_LR],
                          .decay = n[K_STEP_DECAY],
                          .scale = n[K_STEP_SCALE],
                          .is_stopped = n[K_STEP_FOUND] == 1};
    if (flags & K_STEP_SGD) {
        k.beta1 = n[K_STEP_MOMENTUM];
        k.rest1 = 1 - n[K_STEP_DAMPENING];
        return k;
    }
    const double c1 = correction(flags, n[K_STEP_BETA1], n[K_STEP_TIME], n[K_STEP_POWER1]);
    const double c2 = correction(flags, n[K_STEP_BETA2], n[K_STEP_TIME], n[K_STEP_POWER2]);
    const bool is_plain = (flags & K_STEP_PLAIN_EPS) != 0;
    k.beta1 = n[K_STEP_BETA1];
    k.beta2 = n[K_STEP_BETA2];
    k.ema = n[K_STEP_EMA];
    k.rest1 = flags & K_STEP_MAXIMIZE ? k.beta1 - 1 : 1 - k.beta1;
    k.rest2 = 1 - k.beta2;
    k.rest = 1 - k.ema;
    k.root = is_plain ? 1 : sqrt(c2);
    k.rate = is_plain ? n[K_STEP_LR] * sqrt(c2) / c1 : n[K_STEP_LR] / c1;
    k.eps = n[K_STEP_EPS];
    k.kept = flags & K_STEP_L2 ? 1 : 1 - n[K_STEP_LR] * n[K_STEP_DECAY];
    return k;
}

void K_SYMBOL(optimizer_step)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_step *step = parameters;
    const struct constants k = constants_of(step, buffers);
    if (k.is_stopped) return;
    k_loop_run(&step->loop, step->loop.compute == K_AS_F64 ? tile_f64 : tile_f32, &k, buffers,
               slice);
}
