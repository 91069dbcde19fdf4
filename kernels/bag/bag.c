/* SPDX-License-Identifier: Apache-2.0 */
/* Some features at a time go through all rows of a bag; sums are made in double, in the order of
 * the indices, and rounded once. */
#include <string.h>

#include "kernels/bag/k_bag.h"
#include "kernels/loop/convert.h"

enum { STRIP = 256 }; /* features */

k_fn K_SYMBOL(bag_bounds);

void K_SYMBOL(bag_bounds)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_bag *bag = parameters;
    const int64_t *offsets = buffers[K_BOUNDS_OFFSETS];
    int64_t *bounds = buffers[K_BOUNDS_TO], last = 0;
    (void)slice;
    for (int64_t b = 0; b < bag->bags; b++) {
        const int64_t most = b == 0 ? 0 : bag->indices;
        const int64_t bound = offsets[b] < last ? last : offsets[b] > most ? most : offsets[b];
        if (bound != offsets[b]) k_fault_note(buffers[K_BOUNDS_BUFFERS], b);
        bounds[b] = last = bound;
    }
    bounds[bag->bags] = bag->indices;
}

/* to[j] = element first + j of a row */
static void read_strip(const struct k_bag *bag, const void *table, int64_t row, int64_t first,
                       int count, double *to)
{
    const int64_t step = bag->table_strides[1], at = row * bag->table_strides[0] + first * step;
    if (step == 1)
        k_widen(K_AS_F64, bag->dtype, (const char *)table + at * k_dtype_size(bag->dtype), to,
                count);
    else
        for (int j = 0; j < count; j++)
            to[j] = k_number_at(bag->dtype, table, at + j * step);
}

static void put_strip(const struct k_bag *bag, void *out, int64_t row, int64_t first, int count,
                      const double *from)
{
    const int64_t step = bag->out_strides[1], at = row * bag->out_strides[0] + first * step;
    const int64_t size = k_dtype_size(bag->dtype);
    char *to = (char *)out + at * size;
    float single[STRIP];
    for (int j = 0; j < count; j++)
        single[j] = (float)from[j];
    if (bag->dtype == K_F64)
        for (int j = 0; j < count; j++)
            memcpy(to + j * step * size, from + j, sizeof *from);
    else if (step == 1)
        k_narrow(K_AS_F32, bag->dtype, single, to, count);
    else
        for (int j = 0; j < count; j++)
            k_narrow(K_AS_F32, bag->dtype, single + j, to + j * step * size, 1);
}

/* Whether an index counts. */
static bool counts(const struct k_bag *bag, void *const buffers[], int64_t i)
{
    const int64_t row = ((const int64_t *)buffers[K_BAG_INDICES])[i];
    if (row >= 0 && row < bag->rows) return row != bag->left_out;
    k_fault_note(buffers[K_BAG_BUFFERS], i);
    return false;
}

static int64_t count_bag(const struct k_bag *bag, void *const buffers[], int64_t b)
{
    const int64_t *bounds = buffers[K_BAG_BOUNDS];
    int64_t size = 0;
    for (int64_t i = bounds[b]; i < bounds[b + 1]; i++) {
        ((int64_t *)buffers[K_BAG_OF])[i] = b;
        size += counts(bag, buffers, i);
    }
    ((int64_t *)buffers[K_BAG_SIZE])[b] = size;
    return size;
}

/* A strip of a bag's sum, or, of a maximum, also the rows that it comes from. The first row that
 * counts always is one; a NaN behind it is not. */
static void combine(const struct k_bag *bag, void *const buffers[], int64_t b, int64_t first,
                    int count, double *result, int64_t *place)
{
    const int64_t *bounds = buffers[K_BAG_BOUNDS], *indices = buffers[K_BAG_INDICES];
    bool is_first = true;
    double x[STRIP];
    for (int j = 0; j < count; j++)
        result[j] = 0, place[j] = 0;
    for (int64_t i = bounds[b]; i < bounds[b + 1]; i++) {
        if (!counts(bag, buffers, i)) continue;
        read_strip(bag, buffers[K_BAG_TABLE], indices[i], first, count, x);
        if (bag->mode == K_BAG_MAX) {
            for (int j = 0; j < count; j++)
                if (is_first || x[j] > result[j]) result[j] = x[j], place[j] = indices[i];
            is_first = false;
            continue;
        }
        const double weight = bag->has_weights ? k_number_at(bag->dtype, buffers[K_BAG_WEIGHTS],
                                                             i * bag->weight_stride)
                                               : 1;
        for (int j = 0; j < count; j++)
            result[j] += weight * x[j];
    }
}

k_fn K_SYMBOL(bag);

void K_SYMBOL(bag)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_bag *bag = parameters;
    double result[STRIP];
    int64_t place[STRIP];
    for (int64_t b = slice.begin; b < slice.end; b++) {
        const int64_t size = count_bag(bag, buffers, b);
        for (int64_t first = 0; first < bag->features; first += STRIP) {
            const int64_t left = bag->features - first;
            const int count = left < STRIP ? (int)left : STRIP;
            combine(bag, buffers, b, first, count, result, place);
            for (int j = 0; j < count && bag->mode == K_BAG_MEAN && size > 0; j++)
                result[j] /= (double)size;
            put_strip(bag, buffers[K_BAG_OUT], b, first, count, result);
            if (bag->mode == K_BAG_MAX)
                memcpy((int64_t *)buffers[K_BAG_PLACE] + b * bag->features + first, place,
                       (size_t)count * sizeof *place);
        }
    }
}
