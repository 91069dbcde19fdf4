/* SPDX-License-Identifier: Apache-2.0 */
/* Largest piece first, each at the lowest offset that is free during its whole life. Plans have a
 * handful of pieces, so the quadratic search is cheaper than any structure over them. */
#include "executor/arena.h"

#include <assert.h>
#include <stdint.h>

#include "runtime/base.h"

static bool lives_meet(const struct ex_piece *a, const struct ex_piece *b)
{
    return a->first <= b->last && b->first <= a->last;
}

/* The lowest offset from `offset` on at which a piece collides with no placed one, or SIZE_MAX. */
static size_t lowest_free(const struct ex_piece *pieces, const int *placed, int placed_count,
                          const struct ex_piece *piece, size_t alignment, size_t gap)
{
    size_t offset = 0;
    bool moved = true;
    while (moved) {
        moved = false;
        for (int i = 0; i < placed_count; i++) {
            const struct ex_piece *other = &pieces[placed[i]];
            if (!lives_meet(piece, other)) continue;
            size_t end, other_end;
            if (!rt_size_add_ok(offset, piece->size + gap, &end)) return SIZE_MAX;
            other_end = other->offset + other->size + gap;
            if (offset >= other_end || end <= other->offset) continue;
            offset = rt_round_up(other_end, alignment);
            moved = true;
        }
    }
    return offset;
}

static int largest_unplaced(const struct ex_piece *pieces, int count, uint64_t placed_set)
{
    int largest = -1;
    for (int i = 0; i < count; i++) {
        if (placed_set >> i & 1) continue;
        if (largest < 0 || pieces[i].size > pieces[largest].size) largest = i;
    }
    return largest;
}

bool ex_arena_pack(struct ex_piece *pieces, int count, size_t alignment, size_t gap, size_t *total)
{
    assert(count <= 64);
    int placed[64];
    uint64_t placed_set = 0;
    size_t sum = 0, high = 0;

    /* No offset can exceed the sum of all, so one check here covers the search. */
    for (int i = 0; i < count; i++) {
        size_t room;
        if (!rt_size_add_ok(pieces[i].size, alignment + gap, &room)) return false;
        if (!rt_size_add_ok(sum, room, &sum)) return false;
    }
    if (sum > SIZE_MAX / 2) return false;

    int placed_count = 0;
    for (int n = 0; n < count; n++) {
        int i = largest_unplaced(pieces, count, placed_set);
        placed_set |= (uint64_t)1 << i;
        pieces[i].offset = 0;
        if (pieces[i].size == 0) continue;
        pieces[i].offset = lowest_free(pieces, placed, placed_count, &pieces[i], alignment, gap);
        placed[placed_count++] = i;
        if (pieces[i].offset + pieces[i].size > high) high = pieces[i].offset + pieces[i].size;
    }
    *total = high;
    return true;
}
