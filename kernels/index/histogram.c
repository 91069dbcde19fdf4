/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "kernels/index/k_search.h"
#include "kernels/vector/instance.h"

static inline double value_at(const struct k_histogram *p, const void *values, int64_t i)
{
    return p->dtype == K_F32 ? ((const float *)values)[i] : ((const double *)values)[i];
}

static int64_t part_end(const struct k_histogram *p, int64_t part)
{
    const int64_t end = (part + 1) * p->part;
    return end < p->elements ? end : p->elements;
}

void k_histogram_range(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_histogram *p = parameters;
    for (int64_t part = slice.begin; part < slice.end; part++) {
        double *range = (double *)buffers[K_HISTOGRAM_RANGES] + 2 * part;
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = part * p->part; i < part_end(p, part); i++) {
            const double value = value_at(p, buffers[K_HISTOGRAM_VALUES], i);
            if (value < low) low = value;
            if (value > high) high = value;
            if (value != value) { /* no range has it */
                low = value;
                break;
            }
        }
        range[0] = low;
        range[1] = high;
    }
}

/* The range of all; of one value a range around it. false: it is not finite. */
static bool find_range(const struct k_histogram *p, const double *ranges, double *low, double *high)
{
    *low = p->low;
    *high = p->high;
    for (int64_t part = 0; !p->has_range && part < p->parts; part++) {
        const double *own = ranges + 2 * part;
        if (!isfinite(own[0]) || !isfinite(own[1])) return false;
        if (part == 0 || own[0] < *low) *low = own[0];
        if (part == 0 || own[1] > *high) *high = own[1];
    }
    if (*low == *high) {
        *low -= 1;
        *high += 1;
    }
    return isfinite(*low) && isfinite(*high);
}

/* The bin of a value in the range, in the type of the values. */
static inline int64_t bin_of(const struct k_histogram *p, double value, double low, double high)
{
    const int64_t bin =
        p->dtype == K_F32
            ? (int64_t)(((float)value - (float)low) * (float)p->bins / ((float)high - (float)low))
            : (int64_t)((value - low) * (double)p->bins / (high - low));
    return bin < p->bins ? bin : p->bins - 1;
}

void k_histogram(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_histogram *p = parameters;
    double low, high;
    const bool is_finite = find_range(p, buffers[K_HISTOGRAM_RANGES], &low, &high);
    for (int64_t part = slice.begin; part < slice.end; part++) {
        int64_t *counts = (int64_t *)buffers[K_HISTOGRAM_COUNTS] + part * p->bins;
        memset(counts, 0, (size_t)p->bins * sizeof *counts);
        if (!is_finite) k_fault_note(buffers[K_HISTOGRAM_BUFFERS], 0);
        for (int64_t i = part * p->part; is_finite && i < part_end(p, part); i++) {
            const double value = value_at(p, buffers[K_HISTOGRAM_VALUES], i);
            if (value >= low && value <= high) counts[bin_of(p, value, low, high)]++;
        }
    }
}

void k_histogram_sum(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_histogram *p = parameters;
    int64_t *counts = buffers[K_HISTOGRAM_COUNTS];
    for (int64_t bin = slice.begin; bin < slice.end; bin++) {
        int64_t sum = 0;
        for (int64_t part = 0; part < p->parts; part++)
            sum += counts[part * p->bins + bin];
        counts[p->parts * p->bins + bin] = sum;
    }
}
