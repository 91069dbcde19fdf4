/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/cache/k_slots.h"

#include <string.h>

enum { PIECE = 64 /* columns */ };

/* Elements of tensors lie at any address. */
typedef int32_t int32_anywhere __attribute__((aligned(1), may_alias));
typedef int64_t int64_anywhere __attribute__((aligned(1), may_alias));

static int64_t number(bool is_wide, const void *numbers, int64_t i)
{
    return is_wide ? ((const int64_anywhere *)numbers)[i] : ((const int32_anywhere *)numbers)[i];
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t place(const struct k_slots_side *side, int64_t block, int64_t head, int64_t row)
{
    return side->offset + block * side->block + head * side->head + row * side->row;
}

/* Columns of one row; from: NULL for zeros. */
static void copy(const struct k_slots *s, const char *from, char *to, int64_t begin, int64_t end)
{
    const bool is_dense = s->to.column == 1 && s->from.column == 1;
    for (int64_t c = begin; c < end;) {
        const int64_t panel = c / s->width, within = c % s->width;
        const int64_t count = is_dense ? smaller(end - c, s->width - within) : 1;
        const size_t bytes = (size_t)(count * s->size);
        char *own = to + (panel * s->to.panel + within * s->to.column) * s->size;
        if (from)
            memcpy(own, from + (panel * s->from.panel + within * s->from.column) * s->size, bytes);
        else
            memset(own, 0, bytes);
        c += count;
    }
}

/* ---- scatter ---- */

/* Where a row goes; false: nowhere. */
static bool find_slot(const struct k_slots *s, void *const buffers[], int64_t sequence, int64_t i,
                      int64_t *block, int64_t *row)
{
    const int64_t parts = (s->length + s->rows - 1) / s->rows;
    const int64_t at =
        s->how == K_SLOTS_BLOCKS ? sequence * parts + i / s->rows : sequence * s->length + i;
    const int64_t slot = number(s->is_wide, buffers[K_SLOTS_INDEX], at);
    const int64_t slots = s->how == K_SLOTS_SEQUENCES ? s->rows : s->blocks * s->rows;
    if (slot == -1) return false;
    if (slot < 0 || slot >= slots) {
        k_fault_note(buffers[K_SLOTS_BUFFERS], at);
        return false;
    }
    *block = s->how == K_SLOTS_SEQUENCES ? sequence : slot / s->rows;
    *row = s->how == K_SLOTS_BLOCKS ? i % s->rows : slot % s->rows;
    return true;
}

static int64_t pieces_of(const struct k_slots *s)
{
    return (s->columns + PIECE - 1) / PIECE;
}

void k_slots_scatter(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_slots *s = parameters;
    const int64_t pieces = pieces_of(s);
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t head = item / pieces, begin = item % pieces * PIECE;
        const int64_t end = smaller(begin + PIECE, s->columns);
        for (int64_t sequence = 0; sequence < s->sequences; sequence++)
            for (int64_t i = 0; i < s->length; i++) {
                int64_t block, row;
                if (!find_slot(s, buffers, sequence, i, &block, &row)) continue;
                copy(s,
                     (const char *)buffers[K_SLOTS_FROM] +
                         place(&s->from, sequence, head, i) * s->size,
                     (char *)buffers[K_SLOTS_TO] + place(&s->to, block, head, row) * s->size, begin,
                     end);
            }
    }
}

struct k_work k_slots_work(const struct k_slots *s)
{
    enum { BYTES = 1 << 16 };
    const int64_t each = s->sequences * s->length * PIECE * s->size;
    return (struct k_work){.items = s->heads * pieces_of(s),
                           .grain = each > BYTES ? 1 : BYTES / (each + 1) + 1};
}

/* ---- gather ---- */

void k_slots_begin(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_slots_begin *s = parameters;
    const void *lengths = buffers[K_SLOTS_LENGTHS];
    int64_t *begin = buffers[K_SLOTS_BEGIN], at = 0;
    (void)slice; /* one item */
    for (int64_t b = 0; b < s->sequences; b++) {
        int64_t length = number(s->is_wide, lengths, b + s->is_running);
        if (s->is_running) length -= number(s->is_wide, lengths, b);
        begin[b] = at;
        if (length < 0 || length > s->most - at) {
            k_fault_note(buffers[K_SLOTS_BEGIN_BUFFERS], b);
            for (; b < s->sequences; b++)
                begin[b + 1] = at;
            return;
        }
        at += length;
    }
    begin[s->sequences] = at;
}

void k_slots_gather(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_slots_gather *g = parameters;
    const struct k_slots *s = &g->cache;
    const int64_t *begin = buffers[K_SLOTS_GATHER_BEGIN];
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t b = item / g->entries, k = item % g->entries;
        const int64_t first = k * s->rows, length = begin[b + 1] - begin[b];
        int64_t entry = k, block = -1;
        /* Rows that no entry is left for belong to the last one. */
        const int64_t last = k == g->entries - 1 ? length : smaller(length, first + s->rows);
        if (first >= length) continue;
        if (g->has_skipped)
            entry += number(s->is_wide, buffers[K_SLOTS_GATHER_SKIPPED], b) / s->rows;
        if (entry >= 0 && entry < g->entries)
            block = number(s->is_wide, buffers[K_SLOTS_GATHER_TABLE], b * g->entries + entry);
        const bool is_one = block >= 0 && block < s->blocks;
        if (!is_one || last > first + s->rows) k_fault_note(buffers[K_SLOTS_GATHER_BUFFERS], item);
        for (int64_t row = first; row < last; row++)
            for (int64_t head = 0; head < s->heads; head++) {
                const bool is_there = is_one && row < first + s->rows;
                const char *from = (const char *)buffers[K_SLOTS_GATHER_FROM];
                copy(s,
                     is_there ? from + place(&s->from, block, head, row - first) * s->size : NULL,
                     (char *)buffers[K_SLOTS_GATHER_TO] +
                         place(&s->to, 0, head, begin[b] + row) * s->size,
                     0, s->columns);
            }
    }
}

struct k_work k_slots_gather_work(const struct k_slots_gather *g)
{
    enum { BYTES = 1 << 16 };
    const int64_t each = g->cache.rows * g->cache.heads * g->cache.columns * g->cache.size;
    return (struct k_work){.items = g->cache.sequences * g->entries,
                           .grain = each > BYTES ? 1 : BYTES / (each + 1) + 1};
}
