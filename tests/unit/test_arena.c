/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/arena.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "runtime/support/alloc.h"
#include "runtime/support/base.h"
#include "tests/unit/dice.h"

static int64_t below(int64_t limit)
{
    return random_below(dice(), limit);
}

static bool inherits(const struct ex_piece *pieces, int a, int b)
{
    return pieces[a].heir_of == b + 1 || pieces[b].heir_of == a + 1;
}

static bool collide(const struct ex_piece *pieces, int i, int j, size_t gap)
{
    const struct ex_piece *a = &pieces[i], *b = &pieces[j];
    if (a->size == 0 || b->size == 0) return false;
    if (a->first > b->last || b->first > a->last) return false;
    if (inherits(pieces, i, j) && a->offset == b->offset) return false;
    return a->offset < b->offset + b->size + gap && b->offset < a->offset + a->size + gap;
}

static void check_packing(const struct ex_piece *pieces, int count, size_t gap, size_t total)
{
    size_t high = 0, most;
    int64_t step;
    for (int i = 0; i < count; i++) {
        cr_assert_eq(pieces[i].offset % pieces[i].alignment, 0);
        if (pieces[i].size > 0 && pieces[i].offset + pieces[i].size > high)
            high = pieces[i].offset + pieces[i].size;
        for (int j = 0; j < i; j++) /* an assertion for each pair would take the test's time */
            if (collide(pieces, i, j, gap)) cr_assert_fail("pieces %d and %d overlap", i, j);
    }
    cr_assert_eq(total, high, "not a byte more than the highest piece needs");
    cr_assert(ex_arena_max_alive(pieces, count, &most, &step));
    cr_assert_geq(total, most);
}

static struct ex_piece piece(size_t size, int64_t first, int64_t last)
{
    return (struct ex_piece){.size = size, .alignment = 64, .first = first, .last = last};
}

Test(arena, no_pieces)
{
    size_t total = 1;
    cr_assert_eq(ex_arena_pack(NULL, 0, 0, EX_QUICK, &total), EX_PACKED);
    cr_assert_eq(total, 0);
    total = 1;
    cr_assert_eq(ex_arena_pack(NULL, 0, 0, EX_THOROUGH, &total), EX_PACKED);
    cr_assert_eq(total, 0);
}

Test(arena, disjoint_lives_share)
{
    struct ex_piece pieces[] = {piece(1000, 0, 1), piece(900, 2, 3)};
    size_t total;
    cr_assert_eq(ex_arena_pack(pieces, 2, 0, EX_QUICK, &total), EX_PACKED);
    cr_assert_eq(total, 1000);
}

Test(arena, a_small_piece_fills_a_hole)
{
    /* The first and third live together; the second fits behind the first. */
    struct ex_piece pieces[] = {piece(640, 0, 4), piece(256, 0, 1), piece(512, 2, 4)};
    size_t total;
    cr_assert_eq(ex_arena_pack(pieces, 3, 0, EX_QUICK, &total), EX_PACKED);
    check_packing(pieces, 3, 0, total);
    cr_assert_eq(total, 640 + 512);
}

Test(arena, an_heir_takes_over_the_place)
{
    struct ex_piece pieces[] = {piece(640, 0, 3), piece(600, 3, 5), piece(64, 0, 5)};
    size_t total;
    cr_assert_eq(ex_arena_pack(pieces, 3, 0, EX_QUICK, &total), EX_PACKED);
    check_packing(pieces, 3, 0, total);
    cr_assert_geq(total, 640 + 600 + 64, "both are alive at step 3");

    pieces[1].heir_of = 1;
    for (int effort = EX_QUICK; effort <= EX_THOROUGH; effort++) {
        cr_assert_eq(ex_arena_pack(pieces, 3, 0, (enum ex_effort)effort, &total), EX_PACKED);
        check_packing(pieces, 3, 0, total);
        cr_assert_eq(pieces[0].offset, pieces[1].offset);
        cr_assert_eq(total, 640 + 64);
    }
}

static int random_pieces(struct ex_piece *pieces, int count)
{
    for (int i = 0; i < count; i++) {
        pieces[i] = piece((size_t)(below(8) ? below(65536) : 0), below(count), 0);
        pieces[i].last = pieces[i].first + below(8);
        pieces[i].alignment = (size_t)1 << below(10);
    }
    /* Some hand their place over; each at most once, to a piece that begins where it ends. */
    for (int i = 0; i + 1 < count; i += 2) {
        if (below(2)) continue;
        pieces[i + 1].last += pieces[i].last - pieces[i + 1].first;
        pieces[i + 1].first = pieces[i].last;
        if (pieces[i + 1].last < pieces[i + 1].first) pieces[i + 1].last = pieces[i + 1].first;
        pieces[i + 1].heir_of = i + 1;
    }
    return count;
}

Test(arena, random_sets_never_overlap)
{
    static struct ex_piece pieces[200];
    for (int64_t round = 0; round < random_test_count(100); round++) {
        const bool thorough = round % 50 == 0;
        const int count = random_pieces(pieces, 1 + (int)round % (thorough ? 200 : 70));
        const size_t gap = below(2) ? 64 : 0;
        size_t total;
        cr_assert_eq(ex_arena_pack(pieces, count, gap, thorough ? EX_THOROUGH : EX_QUICK, &total),
                     EX_PACKED);
        check_packing(pieces, count, gap, total);
    }
}

Test(arena, thorough_is_never_worse_and_the_same_twice)
{
    static struct ex_piece pieces[150], again[150];
    for (int64_t round = 0; round < random_test_count(2); round++) {
        const int count = random_pieces(pieces, 150);
        size_t quick, thorough, repeated;
        cr_assert_eq(ex_arena_pack(pieces, count, 0, EX_QUICK, &quick), EX_PACKED);
        for (int i = 0; i < count; i++)
            again[i] = pieces[i];
        cr_assert_eq(ex_arena_pack(pieces, count, 0, EX_THOROUGH, &thorough), EX_PACKED);
        cr_assert_eq(ex_arena_pack(again, count, 0, EX_THOROUGH, &repeated), EX_PACKED);
        cr_assert_leq(thorough, quick);
        cr_assert_eq(thorough, repeated);
        for (int i = 0; i < count; i++)
            cr_assert_eq(pieces[i].offset, again[i].offset);
    }
}

Test(arena, the_bound_is_the_largest_sum_of_a_step)
{
    /* Alive at step 2: 100 + 50 + 30; the third takes over from the first. */
    struct ex_piece pieces[] = {piece(100, 0, 2), piece(50, 1, 4), piece(30, 2, 3),
                                piece(20, 3, 3)};
    size_t most;
    int64_t step;
    cr_assert(ex_arena_max_alive(pieces, 4, &most, &step));
    cr_assert_eq(most, 180);
    cr_assert_eq(step, 2);
    pieces[2].heir_of = 1;
    cr_assert(ex_arena_max_alive(pieces, 4, &most, &step));
    cr_assert_eq(most, 150);
    cr_assert_eq(step, 1);
}

Test(arena, a_sum_beyond_the_address_space_is_refused)
{
    struct ex_piece pieces[] = {piece(SIZE_MAX - 10, 0, 0), piece(100, 0, 0)};
    size_t total;
    cr_assert_eq(ex_arena_pack(pieces, 2, 0, EX_QUICK, &total), EX_TOO_LARGE);
    pieces[0].size = SIZE_MAX / 2 - 50;
    cr_assert_eq(ex_arena_pack(pieces, 2, 0, EX_THOROUGH, &total), EX_TOO_LARGE);
}

Test(arena, without_memory_a_large_set_is_refused_and_a_small_one_is_not)
{
    static struct ex_piece pieces[EX_FEW_PIECES + 1];
    const int count = random_pieces(pieces, EX_FEW_PIECES + 1);
    size_t total;
    rt_alloc_fail_at(0);
    cr_assert_eq(ex_arena_pack(pieces, count, 0, EX_QUICK, &total), EX_PACKED);
    const int64_t requests = rt_alloc_fail_at(0);
    cr_assert_gt(requests, 0);
    for (int64_t n = 1; n <= requests; n++) {
        rt_alloc_fail_at(n);
        cr_assert_eq(ex_arena_pack(pieces, count, 0, EX_QUICK, &total), EX_NO_MEMORY);
    }
    rt_alloc_fail_at(1);
    cr_assert_eq(ex_arena_pack(pieces, EX_FEW_PIECES, 0, EX_QUICK, &total), EX_PACKED);
    rt_alloc_fail_at(0);
}
