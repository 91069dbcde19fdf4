/* SPDX-License-Identifier: Apache-2.0 */
/* What is likely enough stays. The values are sorted: what is left out is the front of a row. */
#include <math.h>

#include "kernels/sort/k_sort.h"
#include "kernels/vector/instance.h"

/* The first value that is not less than the k-th largest. */
static int64_t first_of_k(const float *values, int64_t count, int32_t k)
{
    if (k <= 0 || k >= count) return 0;
    int64_t first = count - k;
    while (first > 0 && !(values[first - 1] < values[count - k]))
        first--;
    return first;
}

static int64_t first_of_p(const float *values, int64_t first, int64_t count, double p)
{
    const double most = (double)values[count - 1], limit = 1 - p;
    double sum = 0, run = 0;
    for (int64_t i = first; i < count; i++)
        sum += exp((double)values[i] - most);
    for (; first < count - 1; first++) {
        run += exp((double)values[first] - most) / sum;
        if (!(run <= limit)) break;
    }
    return first;
}

k_fn K_SYMBOL(keep_top);

void K_SYMBOL(keep_top)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_top *t = parameters;
    for (int64_t row = slice.begin; row < slice.end; row++) {
        const float *values = (const float *)buffers[K_TOP_VALUES] + row * t->count;
        const int32_t *places = (const int32_t *)buffers[K_TOP_PLACES] + row * t->count;
        float *out = (float *)buffers[K_TOP_OUT] + row * t->count;
        int64_t first = 0;
        if (t->has_k)
            first = first_of_k(values, t->count, ((const int32_t *)buffers[K_TOP_K])[row]);
        if (t->has_p)
            first =
                first_of_p(values, first, t->count, (double)((const float *)buffers[K_TOP_P])[row]);
        for (int64_t i = 0; i < t->count; i++)
            out[places[i]] = i < first ? -INFINITY : values[i];
    }
}
