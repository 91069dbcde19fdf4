/* SPDX-License-Identifier: Apache-2.0 */
/* A write forgets what was before it, and a read forgets the reads that it comes after: who
 * conflicts with one that was forgotten conflicts with one that is kept, or comes after both. So a
 * cell holds one write, and reads that no order connects. */
#include "runtime/check/shadow.h"

#include <string.h>

#include "runtime/support/alloc.h"

enum { GRAVES = 8192 }; /* more than the blocks that memory/ keeps */

struct read {
    struct rt_check_use use;
    struct read *next;
};

struct rt_check_cell {
    size_t begin, end;
    struct rt_check_use write;
    struct read *reads;
};

static struct rt_block_tree tree;
static struct rt_check_grave graves[GRAVES];
static uint64_t grave_count;

void rt_check_operation_release(struct rt_check_operation *operation)
{
    if (operation && --operation->references == 0) rt_free(operation);
}

/* --- cells ---------------------------------------------------------------------------------- */

static void free_reads(struct read *read)
{
    while (read) {
        struct read *next = read->next;
        rt_check_operation_release(read->use.operation);
        rt_free(read);
        read = next;
    }
}

static void empty_cell(struct rt_check_cell *cell)
{
    rt_check_operation_release(cell->write.operation);
    free_reads(cell->reads);
}

static void add_read(struct rt_check_cell *cell, const struct rt_check_use *use)
{
    struct read *read = rt_alloc(sizeof *read);
    if (!read) return;
    *read = (struct read){.use = *use, .next = cell->reads};
    use->operation->references++;
    cell->reads = read;
}

/* Room for `more` cells before number `at`. False without memory. */
static bool make_room(struct rt_check_block *block, size_t at, size_t more)
{
    if (block->count + more > block->room) {
        const size_t room = block->count + more + block->count / 2 + 2;
        struct rt_check_cell *cells = rt_alloc(room * sizeof *cells);
        if (!cells) return false;
        if (block->count) memcpy(cells, block->cells, block->count * sizeof *cells);
        rt_free(block->cells);
        block->cells = cells;
        block->room = room;
    }
    struct rt_check_cell *from = block->cells + at;
    if (block->count > at) memmove(from + more, from, (block->count - at) * sizeof *from);
    block->count += more;
    return true;
}

/* The first cell that ends behind the place. */
static size_t cell_behind(const struct rt_check_block *block, size_t place)
{
    size_t low = 0, high = block->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (block->cells[middle].end <= place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* No cell lies on both sides of the place afterwards. Returns the first cell behind it. */
static size_t split(struct rt_check_block *block, size_t place)
{
    const size_t at = cell_behind(block, place);
    if (at == block->count || block->cells[at].begin >= place) return at;
    if (!make_room(block, at, 1)) return at;
    struct rt_check_cell *left = &block->cells[at], *right = left + 1;
    *left = *right;
    left->end = right->begin = place;
    left->reads = NULL;
    if (left->write.operation) left->write.operation->references++;
    for (const struct read *read = right->reads; read; read = read->next)
        add_read(left, &read->use);
    return at + 1;
}

/* --- an access ------------------------------------------------------------------------------ */

static bool is_before(const struct rt_check_use *use, const struct rt_check_query *query)
{
    const struct rt_check_operation *operation = use->operation;
    return rt_check_clock_at(query->clock, operation->slot) >= operation->epoch;
}

static void judge(const struct rt_check_cell *cell, bool writes, const struct rt_check_use *use,
                  const struct rt_check_query *query)
{
    if (cell->write.operation && cell->write.operation != use->operation &&
        cell->write.operation->serial <= query->before && !is_before(&cell->write, query))
        query->conflicts(query->context, &cell->write, cell->begin, cell->end);
    for (const struct read *read = writes ? cell->reads : NULL; read; read = read->next)
        if (read->use.operation != use->operation && read->use.operation->serial <= query->before &&
            !is_before(&read->use, query))
            query->conflicts(query->context, &read->use, cell->begin, cell->end);
}

static void note_read(struct rt_check_cell *cell, const struct rt_check_use *use,
                      const struct rt_check_query *query)
{
    for (struct read **link = &cell->reads; *link;) {
        struct read *read = *link;
        if (read->use.operation != use->operation && !is_before(&read->use, query)) {
            link = &read->next;
            continue;
        }
        *link = read->next;
        read->next = NULL;
        free_reads(read);
    }
    add_read(cell, use);
}

/* The cells from number `first` to `last` become one that this use has written. */
static void note_write(struct rt_check_block *block, size_t first, size_t last, size_t begin,
                       size_t end, const struct rt_check_use *use)
{
    for (size_t i = first; i < last; i++)
        empty_cell(&block->cells[i]);
    if (first == last) {
        if (!make_room(block, first, 1)) return;
    } else if (last - first > 1) {
        memmove(block->cells + first + 1, block->cells + last,
                (block->count - last) * sizeof *block->cells);
        block->count -= last - first - 1;
    }
    use->operation->references++;
    block->cells[first] = (struct rt_check_cell){.begin = begin, .end = end, .write = *use};
}

static void note_unwritten(const struct rt_check_query *query, size_t begin, size_t end)
{
    static const struct rt_check_use nobody;
    if (query->unwritten) query->unwritten(query->context, &nobody, begin, end);
}

void rt_check_block_access(struct rt_check_block *block, size_t begin, size_t end, bool reads,
                           bool writes, const struct rt_check_use *use,
                           const struct rt_check_query *query)
{
    const size_t first = split(block, begin);
    size_t last = split(block, end), reached = begin;
    for (size_t i = first; i < last; i++) {
        struct rt_check_cell *cell = &block->cells[i];
        if (query->conflicts) judge(cell, writes, use, query);
        if (reads && cell->begin > reached) note_unwritten(query, reached, cell->begin);
        if (reads && !cell->write.operation) note_unwritten(query, cell->begin, cell->end);
        if (reads && query->plain && cell->write.is_plain)
            query->plain(query->context, &cell->write, cell->begin, cell->end);
        reached = cell->end;
    }
    if (reads && reached < end) note_unwritten(query, reached, end);
    if (writes) {
        note_write(block, first, last, begin, end, use);
        return;
    }
    reached = begin;
    for (size_t i = first; i <= last; i++) {
        const size_t gap_end = i < last ? block->cells[i].begin : end;
        if (gap_end > reached) {
            if (!make_room(block, i, 1)) return;
            block->cells[i] = (struct rt_check_cell){.begin = reached, .end = gap_end};
            last++;
        }
        if (i == last) break;
        note_read(&block->cells[i], use, query);
        reached = block->cells[i].end;
    }
}

const struct rt_check_use *rt_check_block_unfinished(const struct rt_check_block *block,
                                                     const struct rt_check_clock *clock)
{
    const struct rt_check_query query = {.clock = clock};
    for (size_t i = 0; i < block->count; i++) {
        const struct rt_check_cell *cell = &block->cells[i];
        if (cell->write.operation && !is_before(&cell->write, &query)) return &cell->write;
        for (const struct read *read = cell->reads; read; read = read->next)
            if (!is_before(&read->use, &query)) return &read->use;
    }
    return NULL;
}

/* --- blocks --------------------------------------------------------------------------------- */

static void free_block(struct rt_check_block *block)
{
    rt_block_tree_remove(&tree, &block->node);
    for (size_t i = 0; i < block->count; i++)
        empty_cell(&block->cells[i]);
    rt_free(block->cells);
    rt_free(block);
}

struct rt_check_block *rt_check_block_add(enum rt_check_thing thing, const void *memory,
                                          size_t size, const struct rt_check_site *site)
{
    /* Memory that went without our hearing of it, with its context or its process. */
    for (struct rt_block_node *old; (old = rt_block_tree_first(&tree, memory)) != NULL &&
                                    old->memory < (const char *)memory + size;)
        free_block((struct rt_check_block *)(void *)old);
    struct rt_check_block *block = rt_alloc_zeroed(sizeof *block);
    if (!block) return NULL;
    block->node.memory = (char *)(uintptr_t)memory;
    block->node.capacity = size;
    block->thing = thing;
    block->site = site;
    rt_block_tree_insert(&tree, &block->node);
    return block;
}

struct rt_check_block *rt_check_block_find(const void *address)
{
    return (struct rt_check_block *)(void *)rt_block_tree_find(&tree, address);
}

void rt_check_block_remove(struct rt_check_block *block, const struct rt_check_site *site)
{
    graves[grave_count++ % GRAVES] = (struct rt_check_grave){.memory = block->node.memory,
                                                             .size = block->node.capacity,
                                                             .thing = block->thing,
                                                             .born = block->site,
                                                             .died = site};
    free_block(block);
}

const struct rt_check_grave *rt_check_grave_find(const void *address)
{
    const uint64_t known = grave_count < GRAVES ? grave_count : GRAVES;
    for (uint64_t i = 1; i <= known; i++) {
        const struct rt_check_grave *grave = &graves[(grave_count - i) % GRAVES];
        const uintptr_t offset = (uintptr_t)address - (uintptr_t)grave->memory;
        if (offset < grave->size) return grave;
    }
    return NULL;
}
