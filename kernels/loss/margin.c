/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/loop/convert.h"
#include "kernels/loss/k_margin.h"

/* The n-th target of a sample, -1 where they end. */
static int64_t target_at(const struct k_margin *m, const void *targets, int64_t sample, int64_t n)
{
    const int64_t at = sample * m->target_steps[0] + n * m->target_steps[1];
    int64_t target;
    if (n == m->classes) return -1;
    k_widen(K_AS_I64, m->target, (const char *)targets + at * k_dtype_size(m->target), &target, 1);
    return target;
}

static void mark(const struct k_margin *m, void *marks, int64_t sample, int64_t class, bool is_one)
{
    const float value = is_one;
    const int64_t at = sample * m->is_target_steps[0] + class * m->is_target_steps[1];
    k_narrow(K_AS_F32, m->is_target, &value, (char *)marks + at * k_dtype_size(m->is_target), 1);
}

static bool is_marked(const struct k_margin *m, const void *marks, int64_t sample, int64_t class)
{
    return k_number_at(m->is_target, marks,
                       sample * m->is_target_steps[0] + class * m->is_target_steps[1]) != 0;
}

static void mark_all(const struct k_margin *m, void *const buffers[], int64_t sample)
{
    void *marks = buffers[K_MARGIN_IS_TARGET];
    int64_t target;
    for (int64_t class = 0; class < m->classes; class ++)
        mark(m, marks, sample, class, false);
    for (int64_t n = 0; (target = target_at(m, buffers[K_MARGIN_TARGET], sample, n)) >= 0; n++)
        if (target < m->classes)
            mark(m, marks, sample, target, true);
        else
            k_fault_note(buffers[K_MARGIN_BUFFERS], sample * m->classes + n);
}

static double loss_of(const struct k_margin *m, void *const buffers[], int64_t sample)
{
    const int64_t row = sample * m->x_steps[0];
    double loss = 0;
    int64_t target;
    for (int64_t n = 0; (target = target_at(m, buffers[K_MARGIN_TARGET], sample, n)) >= 0; n++) {
        if (target >= m->classes) continue;
        const double x = k_number_at(m->x, buffers[K_MARGIN_X], row + target * m->x_steps[1]);
        for (int64_t class = 0; class < m->classes; class ++) {
            if (is_marked(m, buffers[K_MARGIN_IS_TARGET], sample, class)) continue;
            const double other =
                k_number_at(m->x, buffers[K_MARGIN_X], row + class * m->x_steps[1]);
            const double apart = 1 - x + other;
            if (apart > 0 || apart != apart) loss += apart;
        }
    }
    return loss / (double)m->classes;
}

k_fn K_SYMBOL(margin);

void K_SYMBOL(margin)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_margin *m = parameters;
    double *losses = buffers[K_MARGIN_LOSS], *ones = buffers[K_MARGIN_ONE];
    for (int64_t sample = slice.begin; sample < slice.end; sample++) {
        mark_all(m, buffers, sample);
        losses[sample] = loss_of(m, buffers, sample);
        ones[sample] = 1;
    }
}
