/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces are placed one after the other, each at the lowest offset that is free during its whole
 * life. What decides is the order: largest first is good. The thorough search begins with the best
 * of a few orders and then varies it again and again, mostly by moving a piece that lies at the top
 * towards the front, keeping what is not worse (iterated greedy). It stops when the total equals
 * the bound below which nothing can be. */
#include "executor/arena.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/support/alloc.h"
#include "runtime/support/base.h"
#include "runtime/support/float_env.h"

enum {
    COMPARISONS = 300000000, /* of lifetimes in a thorough search, some 0.5 s */
    MOST_TRIES = 20000,
    ORDERS = 4,
};

/* A placed piece; they are kept sorted by offset. */
struct place {
    size_t offset, end; /* end: with the gap behind it */
    int64_t first, last;
    int piece;
};

struct packing {
    struct ex_piece *pieces;
    int count;
    size_t gap;
    struct place *places;
    int *partner; /* of each piece: the one whose place it takes over or leaves, or -1 ... */
    int *heir;    /* ... and these are the ones that take over from it */
};

static bool lives_meet(const struct place *a, const struct ex_piece *b)
{
    return a->first <= b->last && b->first <= a->last;
}

/* The lowest free offset, past places that one may be on top of; *at: where in the sorted places.
 */
static size_t lowest_free(const struct packing *packing, int placed, const struct ex_piece *piece)
{
    size_t offset = 0;
    for (int i = 0; i < placed; i++) {
        const struct place *other = &packing->places[i];
        if (!lives_meet(other, piece)) continue;
        if (other->offset >= offset + piece->size + packing->gap) return offset;
        if (other->end > offset) offset = rt_round_up(other->end, piece->alignment);
    }
    return offset;
}

static bool is_free(const struct packing *packing, int placed, const struct ex_piece *piece,
                    size_t offset, int except)
{
    const size_t end = offset + piece->size + packing->gap;
    for (int i = 0; i < placed; i++) {
        const struct place *other = &packing->places[i];
        if (other->offset >= end) return true;
        if (other->piece != except && other->end > offset && lives_meet(other, piece)) return false;
    }
    return true;
}

/* Its partner's place where that is possible and does not reach further up than the lowest free
 * one. */
static size_t choose_offset(const struct packing *packing, int placed, int number, size_t high,
                            const bool *is_placed)
{
    const struct ex_piece *piece = &packing->pieces[number];
    const size_t lowest = lowest_free(packing, placed, piece);
    const size_t bound = lowest + piece->size > high ? lowest + piece->size : high;
    const int partners[2] = {packing->partner[number], packing->heir[number]};
    for (int i = 0; i < 2; i++) {
        const int other = partners[i];
        if (other < 0 || !is_placed[other] || packing->pieces[other].size == 0) continue;
        const size_t offset = packing->pieces[other].offset;
        if (offset % piece->alignment == 0 && offset + piece->size <= bound &&
            is_free(packing, placed, piece, offset, other))
            return offset;
    }
    return lowest;
}

static void insert(struct place *places, int placed, struct place place)
{
    int at = placed;
    while (at > 0 && places[at - 1].offset > place.offset)
        at--;
    memmove(places + at + 1, places + at, (size_t)(placed - at) * sizeof *places);
    places[at] = place;
}

/* Places all pieces in this order; returns the total. */
static size_t place_all(struct packing *packing, const int *order, bool *is_placed)
{
    size_t high = 0;
    int placed = 0;
    memset(is_placed, 0, (size_t)packing->count * sizeof *is_placed);
    for (int n = 0; n < packing->count; n++) {
        struct ex_piece *piece = &packing->pieces[order[n]];
        piece->offset = 0;
        is_placed[order[n]] = true;
        if (piece->size == 0) continue;
        piece->offset = choose_offset(packing, placed, order[n], high, is_placed);
        insert(packing->places, placed++,
               (struct place){.offset = piece->offset,
                              .end = piece->offset + piece->size + packing->gap,
                              .first = piece->first,
                              .last = piece->last,
                              .piece = order[n]});
        if (piece->offset + piece->size > high) high = piece->offset + piece->size;
    }
    return high;
}

/* ---- orders ---- */

struct ranked {
    double rank;
    int piece;
};

static int by_rank(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    if (a->rank != b->rank) return a->rank > b->rank ? -1 : 1;
    return a->piece - b->piece;
}

static void make_order(const struct packing *packing, int kind, struct ranked *ranked, int *order)
{
    for (int i = 0; i < packing->count; i++) {
        const struct ex_piece *piece = &packing->pieces[i];
        const double size = (double)piece->size;
        const double life = (double)piece->last - (double)piece->first + 1;
        const double ranks[ORDERS] = {size, size * life, life, -(double)piece->first};
        ranked[i] = (struct ranked){.rank = ranks[kind], .piece = i};
    }
    qsort(ranked, (size_t)packing->count, sizeof *ranked, by_rank);
    for (int i = 0; i < packing->count; i++)
        order[i] = ranked[i].piece;
}

/* A small set: insertion sort, largest first, no memory. */
static void order_by_size(const struct packing *packing, int *order)
{
    for (int i = 0; i < packing->count; i++) {
        int at = i;
        while (at > 0 && packing->pieces[order[at - 1]].size < packing->pieces[i].size) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = i;
    }
}

/* ---- the thorough search ---- */

struct search {
    struct ranked *ranked;
    int *order, *best_order;
    size_t *best_offsets;
    bool *is_placed;
    size_t best;
    uint64_t random;
};

static void keep_if_best(struct packing *packing, struct search *search, size_t total)
{
    if (total > search->best) return;
    search->best = total;
    for (int i = 0; i < packing->count; i++) {
        search->best_order[i] = search->order[i];
        search->best_offsets[i] = packing->pieces[i].offset;
    }
}

static uint64_t next_random(struct search *search)
{
    search->random = search->random * 6364136223846793005U + 1442695040888963407U;
    return search->random >> 33;
}

static void move_piece(int *order, int from, int to)
{
    const int piece = order[from];
    if (from > to)
        memmove(order + to + 1, order + to, (size_t)(from - to) * sizeof *order);
    else
        memmove(order + from, order + from + 1, (size_t)(to - from) * sizeof *order);
    order[to] = piece;
}

/* From the best order: one of the pieces at the top goes to a place before its own, or, every third
 * time, any piece to any place. */
static void vary(const struct packing *packing, struct search *search)
{
    const uint64_t count = (uint64_t)packing->count;
    memcpy(search->order, search->best_order, count * sizeof *search->order);
    if (next_random(search) % 3 == 0) {
        const int from = (int)(next_random(search) % count);
        move_piece(search->order, from, (int)(next_random(search) % count));
        return;
    }
    int top = -1;
    uint64_t tops = 0;
    for (int n = 0; n < packing->count; n++) {
        const int piece = search->order[n];
        if (search->best_offsets[piece] + packing->pieces[piece].size != search->best) continue;
        if (next_random(search) % ++tops == 0) top = n;
    }
    if (top > 0) move_piece(search->order, top, (int)(next_random(search) % (uint64_t)top));
}

static void look_for_best(struct packing *packing, struct search *search, size_t bound)
{
    const double all = (double)packing->count * packing->count + 1;
    const double affordable = COMPARISONS / all;
    const int tries = affordable > MOST_TRIES ? MOST_TRIES : (int)affordable + 1;
    search->best = SIZE_MAX;
    for (int try = 0; try < tries && search->best > bound; try++) {
        if (try < ORDERS)
            make_order(packing, try, search->ranked, search->order);
        else
            vary(packing, search);
        keep_if_best(packing, search, place_all(packing, search->order, search->is_placed));
    }
    for (int i = 0; i < packing->count; i++)
        packing->pieces[i].offset = search->best_offsets[i];
}

/* ---- */

static bool total_fits(const struct ex_piece *pieces, int count, size_t gap)
{
    size_t sum = 0; /* no offset can exceed the sum of all, so one check covers the search */
    for (int i = 0; i < count; i++) {
        size_t room;
        if (!rt_size_add_ok(pieces[i].size, gap, &room)) return false;
        if (!rt_size_add_ok(room, pieces[i].alignment, &room)) return false;
        if (!rt_size_add_ok(sum, room, &sum)) return false;
    }
    return sum <= SIZE_MAX / 2;
}

static void find_partners(struct packing *packing)
{
    for (int i = 0; i < packing->count; i++)
        packing->partner[i] = packing->heir[i] = -1;
    for (int i = 0; i < packing->count; i++) {
        const int from = packing->pieces[i].heir_of - 1;
        packing->partner[i] = from;
        if (from >= 0) packing->heir[from] = i;
    }
}

static size_t pack_few(struct ex_piece *pieces, int count, size_t gap)
{
    struct place places[EX_FEW_PIECES];
    int partner[EX_FEW_PIECES], heir[EX_FEW_PIECES], order[EX_FEW_PIECES];
    bool is_placed[EX_FEW_PIECES];
    struct packing packing = {pieces, count, gap, places, partner, heir};
    find_partners(&packing);
    order_by_size(&packing, order);
    return place_all(&packing, order, is_placed);
}

static enum ex_packing pack_many(struct ex_piece *pieces, int count, size_t gap,
                                 enum ex_effort effort, size_t *total)
{
    const size_t n = (size_t)count;
    size_t bound = 0;
    int64_t step;
    struct packing packing = {pieces,
                              count,
                              gap,
                              rt_alloc(n * sizeof(struct place)),
                              rt_alloc(n * sizeof(int)),
                              rt_alloc(n * sizeof(int))};
    struct search search = {.ranked = rt_alloc(n * sizeof(struct ranked)),
                            .order = rt_alloc(n * sizeof(int)),
                            .best_order = rt_alloc(n * sizeof(int)),
                            .best_offsets = rt_alloc(n * sizeof(size_t)),
                            .is_placed = rt_alloc(n * sizeof(bool))};
    enum ex_packing result = EX_NO_MEMORY;
    if (packing.places && packing.partner && packing.heir && search.ranked && search.order &&
        search.best_order && search.best_offsets && search.is_placed &&
        ex_arena_max_alive(pieces, count, &bound, &step)) {
        find_partners(&packing);
        if (effort == EX_THOROUGH) {
            look_for_best(&packing, &search, bound);
            *total = search.best;
        } else {
            make_order(&packing, 0, search.ranked, search.order);
            *total = place_all(&packing, search.order, search.is_placed);
        }
        result = EX_PACKED;
    }
    rt_free(packing.places);
    rt_free(packing.partner);
    rt_free(packing.heir);
    rt_free(search.ranked);
    rt_free(search.order);
    rt_free(search.best_order);
    rt_free(search.best_offsets);
    rt_free(search.is_placed);
    return result;
}

enum ex_packing ex_arena_pack(struct ex_piece *pieces, int count, size_t gap, enum ex_effort effort,
                              size_t *total)
{
    if (!total_fits(pieces, count, gap)) return EX_TOO_LARGE;
    if (count > 0 && (effort == EX_THOROUGH || count > EX_FEW_PIECES)) {
        const struct rt_float_env own = rt_float_begin();
        const enum ex_packing packing = pack_many(pieces, count, gap, effort, total);
        rt_float_end(own);
        return packing;
    }
    *total = pack_few(pieces, count, gap);
    return EX_PACKED;
}

/* ---- the bound ---- */

struct change {
    int64_t step;
    bool is_end; /* counts behind the step */
    size_t size;
};

static int by_step(const void *left, const void *right)
{
    const struct change *a = left, *b = right;
    if (a->step != b->step) return a->step < b->step ? -1 : 1;
    return (int)a->is_end - (int)b->is_end;
}

bool ex_arena_max_alive(const struct ex_piece *pieces, int count, size_t *bytes, int64_t *step)
{
    struct change *changes = rt_alloc(2 * (size_t)count * sizeof *changes + 1);
    size_t changed = 0, alive = 0;
    if (!changes) return false;
    for (int i = 0; i < count; i++) {
        changes[changed++] = (struct change){pieces[i].first, false, pieces[i].size};
        changes[changed++] = (struct change){pieces[i].last, true, pieces[i].size};
    }
    /* At the step where a piece hands its place over only the larger of the two counts: what they
     * share begins to count behind that step. */
    for (int i = 0; i < count; i++) {
        if (pieces[i].heir_of == 0) continue;
        const size_t other = pieces[pieces[i].heir_of - 1].size;
        const size_t shared = other < pieces[i].size ? other : pieces[i].size;
        changes[2 * i].size -= shared;
        changes[2 * (pieces[i].heir_of - 1) + 1].size -= shared;
    }
    qsort(changes, changed, sizeof *changes, by_step);
    *bytes = 0;
    *step = 0;
    for (size_t i = 0; i < changed; i++) {
        alive = changes[i].is_end ? alive - changes[i].size : alive + changes[i].size;
        if (alive > *bytes) {
            *bytes = alive;
            *step = changes[i].step;
        }
    }
    rt_free(changes);
    return true;
}
