/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/sort/k_unique.h"

static uint64_t bits_of(const char *at, int size)
{
    uint64_t bits = 0;
    if (size == 4)
        memcpy(&bits, at, 4);
    else if (size == 8)
        memcpy(&bits, at, 8);
    else if (size == 2)
        memcpy(&bits, at, 2);
    else
        memcpy(&bits, at, 1);
    return bits;
}

static bool is_nan(const struct k_unique *u, uint64_t bits)
{
    return u->infinity != 0 && (bits & ~u->sign) > u->infinity;
}

/* Orders as an unsigned number; NaN last. */
static uint64_t key_of(const struct k_unique *u, uint64_t bits)
{
    if (u->infinity == 0) return bits ^ u->sign;
    if (is_nan(u, bits)) return UINT64_MAX;
    if (bits == u->sign) bits = 0;
    return bits & u->sign ? ~bits & (2 * u->sign - 1) : bits | u->sign;
}

static const char *slice_at(const struct k_unique *u, const void *from, int64_t place)
{
    return (const char *)from + place * u->outer * u->inner * u->element_size;
}

static bool is_same(const struct k_unique *u, const char *a, const char *b)
{
    for (int64_t i = 0; i < u->outer * u->inner; i++) {
        const uint64_t x = bits_of(a + i * u->element_size, u->element_size);
        const uint64_t y = bits_of(b + i * u->element_size, u->element_size);
        if (is_nan(u, x) || key_of(u, x) != key_of(u, y)) return false;
    }
    return true;
}

static bool is_less(const struct k_unique *u, const char *a, const char *b)
{
    for (int64_t i = 0; i < u->outer * u->inner; i++) {
        const uint64_t x = key_of(u, bits_of(a + i * u->element_size, u->element_size));
        const uint64_t y = key_of(u, bits_of(b + i * u->element_size, u->element_size));
        if (x != y) return x < y;
    }
    return false;
}

/* Merges runs of 1, 2, 4, ... slices. */
void k_unique_order(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_unique *u = parameters;
    int64_t *order = buffers[1], *room = buffers[2];
    (void)slice;
    for (int64_t i = 0; i < u->slices; i++)
        order[i] = i;
    for (int64_t run = 1; run < u->slices; run *= 2) {
        for (int64_t begin = 0; begin < u->slices; begin += 2 * run) {
            const int64_t middle = begin + run < u->slices ? begin + run : u->slices;
            const int64_t end = middle + run < u->slices ? middle + run : u->slices;
            int64_t i = begin, j = middle;
            for (int64_t k = begin; k < end; k++) {
                const bool is_second =
                    i >= middle || (j < end && is_less(u, slice_at(u, buffers[0], order[j]),
                                                       slice_at(u, buffers[0], order[i])));
                room[k] = is_second ? order[j++] : order[i++];
            }
        }
        memcpy(order, room, (size_t)u->slices * sizeof *order);
    }
}

static int64_t number_at(const struct k_unique *u, const void *order, int64_t i)
{
    return u->has_order ? ((const int64_t *)order)[i] : i;
}

static const char *ith(const struct k_unique *u, void *const buffers[], int64_t i)
{
    const int64_t place = u->in_order ? i : number_at(u, buffers[K_UNIQUE_ORDER], i);
    return slice_at(u, buffers[K_UNIQUE_FROM], place);
}

static bool begins(const struct k_unique *u, void *const buffers[], int64_t i)
{
    return i == 0 || !is_same(u, ith(u, buffers, i - 1), ith(u, buffers, i));
}

static int64_t block_end(const struct k_unique *u, int64_t block)
{
    const int64_t end = (block + 1) * K_UNIQUE_BLOCK;
    return end < u->slices ? end : u->slices;
}

void k_unique_count(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_unique *u = parameters;
    int64_t *counts = buffers[K_UNIQUE_COUNTS];
    for (int64_t block = slice.begin; block < slice.end; block++) {
        int64_t count = 0;
        for (int64_t i = block * K_UNIQUE_BLOCK; i < block_end(u, block); i++)
            count += begins(u, buffers, i);
        counts[block] = count;
    }
}

static void store(void *to, int size, int64_t at, int64_t value)
{
    const int32_t small = (int32_t)value;
    if (size == 8)
        memcpy((char *)to + at * 8, &value, 8);
    else
        memcpy((char *)to + at * 4, &small, 4);
}

static void deliver(const struct k_unique *u, const char *slice, char *to, int64_t groups,
                    int64_t group)
{
    const int size = u->element_size;
    if (u->outer * u->inner == 1) {
        memcpy(to + group * u->value_step * size, slice, (size_t)size);
        return;
    }
    for (int64_t o = 0; o < u->outer; o++)
        memcpy(to + (o * groups + group) * u->inner * size, slice + o * u->inner * size,
               (size_t)(u->inner * size));
}

void k_unique_place(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_unique *u = parameters;
    const int64_t *counts = buffers[K_UNIQUE_COUNTS];
    int64_t *starts = buffers[K_UNIQUE_STARTS];
    for (int64_t block = slice.begin; block < slice.end; block++) {
        int64_t group = counts[block] - 1;
        for (int64_t i = block * K_UNIQUE_BLOCK; i < block_end(u, block); i++) {
            if (begins(u, buffers, i)) {
                group++;
                deliver(u, ith(u, buffers, i), buffers[K_UNIQUE_VALUES], counts[u->blocks], group);
                if (u->has_counts) starts[group] = i;
            }
            if (u->has_inverse)
                store(buffers[K_UNIQUE_INVERSE], u->inverse_size,
                      number_at(u, buffers[K_UNIQUE_ORDER], i), group);
        }
    }
}

void k_unique_runs(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_unique *u = parameters;
    const int64_t *starts = buffers[K_RUNS_STARTS];
    const int64_t groups = ((const int64_t *)buffers[K_RUNS_COUNTS])[u->blocks];
    for (int64_t group = slice.begin; group < slice.end && group < groups; group++) {
        const int64_t end = group + 1 < groups ? starts[group + 1] : u->slices;
        store(buffers[K_RUNS_TO], u->counts_size, group * u->counts_step, end - starts[group]);
    }
}
