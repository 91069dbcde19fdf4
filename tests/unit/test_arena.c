/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/arena.h"

#include <criterion/criterion.h>
#include <stdint.h>

#include "runtime/base.h"

static bool overlap(const struct ex_piece *a, const struct ex_piece *b, size_t gap)
{
    if (a->size == 0 || b->size == 0) return false;
    if (a->first > b->last || b->first > a->last) return false;
    return a->offset < b->offset + b->size + gap && b->offset < a->offset + a->size + gap;
}

static void check_packing(const struct ex_piece *pieces, int count, size_t alignment, size_t gap,
                          size_t total)
{
    for (int i = 0; i < count; i++) {
        cr_assert_eq(pieces[i].offset % alignment, 0);
        cr_assert_leq(pieces[i].offset + pieces[i].size, total);
        for (int j = 0; j < i; j++)
            cr_assert(!overlap(&pieces[i], &pieces[j], gap), "pieces %d and %d overlap", i, j);
    }
}

Test(arena, no_pieces)
{
    size_t total = 1;
    cr_assert(ex_arena_pack(NULL, 0, 64, 0, &total));
    cr_assert_eq(total, 0);
}

Test(arena, disjoint_lives_share)
{
    struct ex_piece pieces[] = {{.size = 1000, .first = 0, .last = 1},
                                {.size = 900, .first = 2, .last = 3}};
    size_t total;
    cr_assert(ex_arena_pack(pieces, 2, 64, 0, &total));
    cr_assert_eq(total, 1000);
}

Test(arena, a_small_piece_fills_a_hole)
{
    /* The first and third live together; the second fits behind the first. */
    struct ex_piece pieces[] = {{.size = 640, .first = 0, .last = 4},
                                {.size = 256, .first = 0, .last = 1},
                                {.size = 512, .first = 2, .last = 4}};
    size_t total;
    cr_assert(ex_arena_pack(pieces, 3, 64, 0, &total));
    check_packing(pieces, 3, 64, 0, total);
    cr_assert_eq(total, 640 + 512);
}

Test(arena, random_sets_never_overlap)
{
    uint64_t state = 42;
    for (int round = 0; round < 2000; round++) {
        struct ex_piece pieces[24];
        size_t sum = 0, total;
        int count = 1 + round % 24;
        for (int i = 0; i < count; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            pieces[i].size = state >> 40 & 0xFFFF;
            pieces[i].first = (int)(state >> 33 & 7);
            pieces[i].last = pieces[i].first + (int)(state >> 36 & 3);
            sum += rt_round_up(pieces[i].size + 64, 64);
        }
        cr_assert(ex_arena_pack(pieces, count, 64, 64, &total));
        check_packing(pieces, count, 64, 64, total);
        cr_assert_leq(total, sum);
    }
}

Test(arena, a_sum_beyond_the_address_space_is_refused)
{
    struct ex_piece pieces[] = {{.size = SIZE_MAX - 10, .first = 0, .last = 0},
                                {.size = 100, .first = 0, .last = 0}};
    size_t total;
    cr_assert(!ex_arena_pack(pieces, 2, 64, 0, &total));
}
