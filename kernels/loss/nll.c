/* SPDX-License-Identifier: Apache-2.0 */
/* Losses of classes: one element of each row. In double, rounded once. */
#include <string.h>

#include "kernels/loop/convert.h"
#include "kernels/loss/k_nll.h"

/* A position: offsets of its elements. */
struct place {
    int64_t x, target, out;
};

static struct place place_of(const struct k_nll *nll, int64_t position)
{
    struct place place = {0, 0, 0};
    for (int axis = nll->rank - 1; axis >= 0; axis--) {
        const int64_t at = position % nll->sizes[axis];
        position /= nll->sizes[axis];
        place.x += at * nll->x_steps[axis];
        place.target += at * nll->target_steps[axis];
        place.out += at * nll->out_steps[axis];
    }
    return place;
}

/* The class at a position, or -1: it is ignored. */
static int64_t class_at(const struct k_nll *nll, void *const buffers[], const struct place *place,
                        int64_t position)
{
    const enum k_dtype dtype = nll->dtype[K_NLL_TARGET];
    const char *from = (const char *)buffers[K_NLL_TARGET] + place->target * k_dtype_size(dtype);
    int64_t target;
    k_widen(K_AS_I64, dtype, from, &target, 1);
    if (target == nll->ignored) return -1;
    if (target >= 0 && target < nll->classes) return target;
    k_fault_note(buffers[K_NLL_BUFFERS], position);
    return -1;
}

static double weight_of(const struct k_nll *nll, void *const buffers[], int64_t class)
{
    if (!nll->has_weight) return 1;
    return k_number_at(nll->dtype[K_NLL_WEIGHT], buffers[K_NLL_WEIGHT], class * nll->weight_step);
}

static void losses(const struct k_nll *nll, void *const buffers[], int64_t block, int64_t begin,
                   int64_t end)
{
    double all = 0, weights = 0;
    for (int64_t position = begin; position < end; position++) {
        const struct place place = place_of(nll, position);
        const int64_t class = class_at(nll, buffers, &place, position);
        double loss = 0, weight = 0;
        if (class >= 0) {
            weight = weight_of(nll, buffers, class);
            loss = -weight * k_number_at(nll->dtype[K_NLL_X], buffers[K_NLL_X],
                                         place.x + class * nll->class_step);
        }
        if (nll->kind == K_NLL_EACH)
            k_put_number(nll->dtype[K_NLL_OUT], buffers[K_NLL_OUT], place.out, loss);
        all += loss;
        weights += weight;
    }
    if (nll->kind == K_NLL_EACH) return;
    ((double *)buffers[K_NLL_OUT])[block] = all;
    ((double *)buffers[K_NLL_TOTAL_OUT])[block] = weights;
}

static void gradients(const struct k_nll *nll, void *const buffers[], int64_t begin, int64_t end)
{
    double total = 1;
    if (nll->has_total)
        total = k_number_at(nll->dtype[K_NLL_TOTAL_OUT], buffers[K_NLL_TOTAL_OUT], 0);
    for (int64_t position = begin; position < end; position++) {
        const struct place place = place_of(nll, position);
        const int64_t class = class_at(nll, buffers, &place, position);
        if (class < 0) continue;
        const double g = k_number_at(nll->dtype[K_NLL_X], buffers[K_NLL_X], place.x);
        k_put_number(nll->dtype[K_NLL_OUT], buffers[K_NLL_OUT], place.out + class * nll->class_step,
                     -weight_of(nll, buffers, class) * g / total);
    }
}

static void totals(const struct k_nll *nll, void *const buffers[])
{
    const double *losses_of = buffers[K_NLL_X], *weights_of = buffers[K_NLL_WEIGHT];
    double all = 0, weights = 0;
    for (int64_t i = 0; i < nll->positions; i++) {
        all += losses_of[i];
        weights += weights_of[i];
    }
    k_put_number(nll->dtype[K_NLL_OUT], buffers[K_NLL_OUT], 0, nll->is_mean ? all / weights : all);
    if (nll->has_total)
        k_put_number(nll->dtype[K_NLL_TOTAL_OUT], buffers[K_NLL_TOTAL_OUT], 0, weights);
}

k_fn K_SYMBOL(nll);

void K_SYMBOL(nll)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_nll *nll = parameters;
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t begin = item * K_NLL_BLOCK;
        const int64_t left = nll->positions - begin, some = left < K_NLL_BLOCK ? left : K_NLL_BLOCK;
        if (nll->kind == K_NLL_TOTAL)
            totals(nll, buffers);
        else if (nll->kind == K_NLL_GRAD)
            gradients(nll, buffers, begin, begin + some);
        else
            losses(nll, buffers, item, begin, begin + some);
    }
}
