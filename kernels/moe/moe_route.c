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

/* Those that are left out come last; how many are not. */
static int64_t load(const struct k_moe_route *r, const void *experts, struct record *to,
                    struct k_fault *fault)
{
    int64_t active = 0;
    for (int64_t i = 0; i < r->count; i++) {
        const int64_t expert =
            r->is_wide ? ((const int64_t *)experts)[i] : ((const int32_t *)experts)[i];
        const bool is_there = r->experts == 0 || (expert >= 0 && expert < r->experts);
        const bool is_active = is_there && (r->end == 0 || (expert >= r->begin && expert < r->end));
        if (!is_there) k_fault_note(fault, i);
        to[i] = (struct record){is_active ? (uint64_t)expert ^ sign : UINT64_MAX, i};
        active += is_active;
    }
    return active;
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

static void put_whole(bool is_wide, void *to, int64_t i, int64_t value)
{
    if (is_wide)
        ((int64_t *)to)[i] = value;
    else
        ((int32_t *)to)[i] = (int32_t)value;
}

/* Of experts from begin on, so many; the first `active` of the sorted ones count. */
static void count_experts(const struct k_moe_route *r, const struct record *sorted, int64_t active,
                          enum k_moe_counts kind, bool is_wide, void *to)
{
    const int64_t experts = r->end > 0 ? r->end - r->begin : r->experts;
    int64_t at = 0, pairs = 0;
    for (int64_t e = 0; e < experts; e++) {
        const int64_t before = at, expert = r->begin + e;
        while (at < active && expert_of(&sorted[at]) == expert)
            at++;
        if (kind != K_MOE_PAIRS) put_whole(is_wide, to, e, kind == K_MOE_EACH ? at - before : at);
        if (kind != K_MOE_PAIRS || at == before) continue;
        put_whole(is_wide, to, 2 * pairs, expert);
        put_whole(is_wide, to, 2 * pairs++ + 1, at - before);
    }
    for (int64_t i = 2 * pairs; kind == K_MOE_PAIRS && i < 2 * r->experts; i++)
        put_whole(is_wide, to, i, 0);
}

static void count(const struct k_moe_route *r, const struct record *sorted, int64_t active,
                  void *const buffers[])
{
    int32_t *groups = buffers[K_MOE_ROUTE_GROUPS];
    if (r->has_counts)
        count_experts(r, sorted, active, r->counts, r->counts_are_wide,
                      buffers[K_MOE_ROUTE_COUNTS]);
    if (r->has_before)
        count_experts(r, sorted, active, K_MOE_EACH, false, buffers[K_MOE_ROUTE_BEFORE]);
    if (r->has_groups && r->capacity == 0)
        count_experts(r, sorted, active, K_MOE_RUNNING, false, groups);
    for (int64_t e = 0; r->has_groups && r->capacity > 0 && e < r->experts; e++)
        groups[e] = (int32_t)((e + 1) * r->capacity);
}

static void clear(int32_t *to, int64_t size)
{
    for (int64_t i = 0; i < size; i++)
        to[i] = -1;
}

void k_moe_route(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_moe_route *r = parameters;
    const int32_t *places = buffers[K_MOE_ROUTE_PLACES];
    int32_t *sources = buffers[K_MOE_ROUTE_SOURCES], *to = buffers[K_MOE_ROUTE_TO_PLACES];
    int32_t *positions = buffers[K_MOE_ROUTE_POSITIONS], *experts = buffers[K_MOE_ROUTE_TO_EXPERTS];
    struct k_fault *fault = buffers[K_MOE_ROUTE_BUFFERS];
    (void)slice; /* one item */
    const int64_t active =
        load(r, buffers[K_MOE_ROUTE_EXPERTS], buffers[K_MOE_ROUTE_SCRATCH], fault);
    const struct record *sorted = sort(r, buffers[K_MOE_ROUTE_SCRATCH]);
    clear(sources, r->slots);
    clear(to, r->count);
    if (r->has_positions) clear(positions, r->slots);
    if (r->has_sorted) clear(experts, r->count);
    int64_t used = 0, last = 0; /* slots of the last expert */
    for (int64_t i = 0; i < active; i++) {
        const int64_t from = sorted[i].from, place = r->has_places ? places[from] : from;
        int64_t number = i;
        if (r->has_sorted) experts[i] = (int32_t)expert_of(&sorted[i]);
        if (place < 0 || place >= r->count) {
            k_fault_note(fault, from);
            continue;
        }
        if (r->capacity > 0) {
            if (expert_of(&sorted[i]) != last) used = 0;
            last = expert_of(&sorted[i]);
            if (used == r->capacity) continue;
            number = last * r->capacity + used++;
        }
        to[r->is_scattered ? i : place] = (int32_t)(r->is_scattered ? place : number);
        const int64_t slot = number - r->first;
        if (slot < 0 || slot >= r->slots) continue;
        sources[slot] = (int32_t)(r->has_places ? place % r->rows : place / r->picks);
        if (r->has_positions) positions[slot] = (int32_t)place;
    }
    count(r, sorted, active, buffers);
}

void k_moe_rows(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_moe_rows *r = parameters;
    const int32_t *sources = buffers[K_MOE_ROWS_SOURCES];
    const char *from = buffers[K_MOE_ROWS_FROM];
    char *to = buffers[K_MOE_ROWS_TO];
    for (int64_t row = slice.begin; row < slice.end; row++) {
        const int64_t source = sources[row] - r->first;
        if (sources[row] < 0 || source < 0 || source >= r->sources)
            memset(to + row * r->bytes, 0, (size_t)r->bytes);
        else
            memcpy(to + row * r->bytes, from + source * r->bytes, (size_t)r->bytes);
    }
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
