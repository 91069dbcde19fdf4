/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/moe/k_moe.h"

/* ---- the order by experts ---- */

struct record {
    uint64_t key; /* the expert, in the order of unsigned numbers */
    int64_t from; /* where it was */
};

size_t k_moe_route_scratch(const struct k_moe_route *route)
{
    return 2 * (size_t)route->count * sizeof(struct record);
}

static const uint64_t sign = UINT64_C(1) << 63;

static int64_t expert_of(const struct record *record)
{
    return (int64_t)(record->key ^ sign);
}

static void load(const struct k_moe_route *r, const void *experts, struct record *to)
{
    for (int64_t i = 0; i < r->count; i++) {
        const int64_t expert =
            r->is_wide ? ((const int64_t *)experts)[i] : ((const int32_t *)experts)[i];
        to[i] = (struct record){(uint64_t)expert ^ sign, i};
    }
}

/* By one byte of the keys, stably; false: all have the same. */
static bool sort_byte(const struct record *from, int64_t count, int shift, struct record *to)
{
    int64_t places[256] = {0}, place = 0;
    for (int64_t i = 0; i < count; i++)
        places[from[i].key >> shift & 255]++;
    if (places[from[0].key >> shift & 255] == count) return false;
    for (int i = 0; i < 256; i++) {
        const int64_t own = places[i];
        places[i] = place;
        place += own;
    }
    for (int64_t i = 0; i < count; i++)
        to[places[from[i].key >> shift & 255]++] = from[i];
    return true;
}

static const struct record *sort(const struct k_moe_route *r, struct record *records)
{
    struct record *from = records, *to = records + r->count;
    for (int shift = 0; shift < 64 && r->count > 0; shift += 8)
        if (sort_byte(from, r->count, shift, to)) {
            struct record *other = from;
            from = to;
            to = other;
        }
    return from;
}

/* ---- routes ---- */

static bool counts(const struct k_moe_route *r, const struct record *record)
{
    const int64_t expert = expert_of(record);
    return expert >= 0 && expert < r->experts;
}

static void count_experts(const struct k_moe_route *r, const struct record *sorted, bool is_running,
                          int32_t *to)
{
    memset(to, 0, (size_t)r->experts * sizeof *to);
    for (int64_t i = 0; i < r->count; i++)
        if (counts(r, &sorted[i])) to[expert_of(&sorted[i])]++;
    for (int64_t e = 1; is_running && e < r->experts; e++)
        to[e] += to[e - 1];
}

void k_moe_route(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_moe_route *r = parameters;
    const int32_t *places = buffers[K_MOE_ROUTE_PLACES];
    int32_t *sources = buffers[K_MOE_ROUTE_SOURCES], *to = buffers[K_MOE_ROUTE_TO_PLACES];
    struct k_fault *fault = buffers[K_MOE_ROUTE_BUFFERS];
    (void)slice; /* one item */
    load(r, buffers[K_MOE_ROUTE_EXPERTS], buffers[K_MOE_ROUTE_SCRATCH]);
    const struct record *sorted = sort(r, buffers[K_MOE_ROUTE_SCRATCH]);
    for (int64_t i = 0; i < r->slots; i++)
        sources[i] = -1;
    for (int64_t i = 0; i < r->count; i++)
        to[i] = -1;
    int64_t used = 0, last = 0; /* slots of the last expert */
    for (int64_t i = 0; i < r->count; i++) {
        const int64_t from = sorted[i].from, place = r->has_places ? places[from] : from;
        int64_t slot = i;
        if (r->has_sorted)
            ((int32_t *)buffers[K_MOE_ROUTE_TO_EXPERTS])[i] = (int32_t)expert_of(&sorted[i]);
        const bool is_expert = r->experts == 0 || counts(r, &sorted[i]);
        if (place < 0 || place >= r->count || !is_expert) {
            k_fault_note(fault, from);
            continue;
        }
        if (r->capacity > 0) {
            if (expert_of(&sorted[i]) != last) used = 0;
            last = expert_of(&sorted[i]);
            if (used == r->capacity) continue;
            slot = last * r->capacity + used++;
        }
        to[place] = (int32_t)slot;
        if (slot < r->slots)
            sources[slot] = (int32_t)(r->has_places ? place % r->rows : place / r->picks);
    }
    if (r->has_counts) count_experts(r, sorted, r->is_running, buffers[K_MOE_ROUTE_COUNTS]);
    if (r->has_before) count_experts(r, sorted, false, buffers[K_MOE_ROUTE_BEFORE]);
}

void k_moe_rows(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_moe_rows *r = parameters;
    const int32_t *sources = buffers[K_MOE_ROWS_SOURCES];
    const char *from = buffers[K_MOE_ROWS_FROM];
    char *to = buffers[K_MOE_ROWS_TO];
    for (int64_t row = slice.begin; row < slice.end; row++)
        if (sources[row] < 0)
            memset(to + row * r->bytes, 0, (size_t)r->bytes);
        else
            memcpy(to + row * r->bytes, from + sources[row] * r->bytes, (size_t)r->bytes);
}

void k_moe_tokens(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_moe_tokens *t = parameters;
    const int32_t *from = buffers[K_MOE_TOKENS_FROM];
    int32_t *to = buffers[K_MOE_TOKENS_TO];
    for (int64_t expert = slice.begin; expert < slice.end; expert++) {
        int64_t low = 0, high = t->count; /* what is below low is at most expert */
        while (low < high) {
            const int64_t middle = low + (high - low) / 2;
            if (from[middle] > expert)
                high = middle;
            else
                low = middle + 1;
        }
        to[expert] = (int32_t)low;
    }
}

void k_moe_invert(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_moe_invert *v = parameters;
    const int32_t *places = buffers[K_MOE_INVERT_PLACES];
    int32_t *to = buffers[K_MOE_INVERT_TO];
    (void)slice; /* one item */
    for (int64_t row = 0; row < v->rows; row++)
        to[row] = -1;
    for (int64_t p = 0; p < v->count; p++) {
        if (places[p] < 0 || places[p] >= v->count)
            k_fault_note(buffers[K_MOE_INVERT_TO + 1], p);
        else if (places[p] < v->rows)
            to[places[p]] = (int32_t)p;
    }
}
