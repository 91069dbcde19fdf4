/* SPDX-License-Identifier: Apache-2.0 */
/* A piece of memory is a shared anonymous mapping of its own, its home, whose address is its
 * handle. Mapping it elsewhere is an mremap of the home with an old size of 0, which lays the same
 * pages at a second address: no file stands behind a piece, so their number is not bound by the
 * number of open files, and the pages go with the last address.
 *
 * Locks: `lock` guards the trees and every object in them, and is held while the system changes a
 * mapping, so that addresses and books agree. Inside it only the lock of blocks.c is taken.
 * rt_defer is called without it. `unmapped` is waited for with it. */
#include "runtime/memory/mappings.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>

#include "runtime/memory/patience.h"
#include "runtime/schedule/stream.h"
#include "runtime/support/alloc.h"
#include "runtime/support/base.h"
#include "runtime/support/block_tree.h"
#include "runtime/support/thread.h"

#define HUGE_PAGE     ((size_t)2 << 20)
#define GIANT_PAGE    ((size_t)1 << 30)
#define RESERVE_FLAGS (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)

/* The node of each, first in it, is what its tree finds. */
struct piece {
    struct rt_block_node node; /* home */
    struct rt_piece what;
    size_t places;  /* where it is mapped or still in use */
    size_t mapped;  /* those that were not unmapped */
    bool freed;     /* by its owner; goes with the last place */
    bool discharge; /* counted as given back */
};

struct range {
    struct rt_block_node node;
    size_t places;
    size_t mapped;
    bool released;
};

struct place {
    struct rt_block_node node;
    struct piece *piece;
    struct range *range;
    struct rt_deferred deferred;
    bool unmapped; /* by its owner; waits for queued work */
    bool detached; /* out of the tree already, left to its deferred release */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct rt_block_tree pieces, ranges, places;
static _Atomic size_t place_count; /* spares most programs the lock at each copy */
static pthread_cond_t unmapped;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void take_lock(void)
{
    pthread_mutex_lock(&lock);
}

static void release_lock(void)
{
    pthread_mutex_unlock(&lock);
}

static void release_lock_in_child(void)
{
    rt_patience_condition(&unmapped);
    release_lock();
}

static void prepare(void)
{
    rt_blocks_prepare();
    rt_patience_condition(&unmapped);
    pthread_atfork(take_lock, release_lock, release_lock_in_child);
}

/* ---- Ranges ---- */

/* Addresses of this alignment; NULL without. */
static char *reserve_anywhere(size_t size, size_t alignment)
{
    size_t length;
    if (!rt_size_add_ok(size, alignment, &length)) return NULL;
    char *mapping = mmap(NULL, length, PROT_NONE, RESERVE_FLAGS, -1, 0);
    if (mapping == MAP_FAILED) return NULL;
    char *memory = (char *)rt_round_up((uintptr_t)mapping, alignment);
    size_t before = (size_t)(memory - mapping);
    if (before > 0) munmap(mapping, before);
    if (alignment > before) munmap(memory + size, alignment - before);
    return memory;
}

/* NULL when the addresses are in use; kernels older than the flag take `at` as a hint. */
static char *reserve_at(char *at, size_t size)
{
    char *memory = mmap(at, size, PROT_NONE, RESERVE_FLAGS | MAP_FIXED_NOREPLACE, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    if (memory == at) return memory;
    munmap(memory, size);
    return NULL;
}

enum rt_mapping_result rt_mappings_reserve(size_t size, void *at, void **address)
{
    pthread_once(&once, prepare);
    struct range *range = rt_alloc_zeroed(sizeof *range);
    if (!range) return RT_MAPPING_NO_MEMORY;
    size_t alignment = size < GIANT_PAGE ? HUGE_PAGE : GIANT_PAGE;
    if (size <= SIZE_MAX / 2) {
        range->node.capacity = rt_round_up(size, HUGE_PAGE);
        range->node.memory = at ? reserve_at(at, range->node.capacity)
                                : reserve_anywhere(range->node.capacity, alignment);
    }
    if (!range->node.memory) {
        rt_free(range);
        return at ? RT_MAPPING_OCCUPIED : RT_MAPPING_NO_MEMORY;
    }
    *address = range->node.memory;
    take_lock();
    rt_block_tree_insert(&ranges, &range->node);
    release_lock();
    return RT_MAPPING_OK;
}

/* The rest of this section has the lock held. */
static void destroy_range(struct range *range)
{
    rt_block_tree_remove(&ranges, &range->node);
    munmap(range->node.memory, range->node.capacity);
    rt_free(range);
}

static void destroy_piece(struct piece *piece)
{
    rt_block_tree_remove(&pieces, &piece->node);
    munmap(piece->node.memory, piece->node.capacity);
    if (piece->what.place == RT_BLOCK_DEVICE)
        rt_blocks_discharge(piece->what.device, piece->node.capacity, piece->discharge);
    rt_free(piece);
}

/* A piece that was freed and is mapped nowhere lives for queued work only. */
static void note_discharge(struct piece *piece)
{
    if (!piece->freed || piece->mapped > 0 || piece->places == 0 || piece->discharge) return;
    if (piece->what.place != RT_BLOCK_DEVICE) return;
    piece->discharge = true;
    rt_blocks_defer_discharge(piece->what.device, piece->node.capacity);
}

/* The addresses are without memory again. Should the system refuse that, for the number of its
 * mappings, they keep showing the piece until something else is mapped there. */
static void detach(struct place *place)
{
    place->detached = true;
    (void)mmap(place->node.memory, place->node.capacity, PROT_NONE, RESERVE_FLAGS | MAP_FIXED, -1,
               0);
    rt_block_tree_remove(&places, &place->node);
    atomic_fetch_sub_explicit(&place_count, 1, memory_order_relaxed);
    struct piece *piece = place->piece;
    struct range *range = place->range;
    if (--piece->places == 0 && piece->freed) destroy_piece(piece);
    if (--range->places == 0 && range->released) destroy_range(range);
    pthread_cond_broadcast(&unmapped);
}

static void release_place(struct rt_deferred *deferred)
{
    struct place *place = (void *)((char *)deferred - offsetof(struct place, deferred));
    take_lock();
    if (!place->detached) detach(place);
    release_lock();
    rt_free(place);
}

enum rt_mapping_result rt_mappings_release(void *address)
{
    enum rt_mapping_result result = RT_MAPPING_OK;
    take_lock();
    struct range *range = (struct range *)rt_block_tree_find(&ranges, address);
    if (!range || range->node.memory != address) {
        result = RT_MAPPING_UNKNOWN;
    } else if (range->released) {
        result = RT_MAPPING_FREED;
    } else if (range->mapped > 0) {
        result = RT_MAPPING_OCCUPIED;
    } else {
        range->released = true;
        if (range->places == 0) destroy_range(range);
    }
    release_lock();
    return result;
}

/* ---- Pieces ---- */

static struct piece *new_piece(const struct rt_piece *what, size_t capacity)
{
    struct piece *piece = rt_alloc_zeroed(sizeof *piece);
    if (!piece) return NULL;
    piece->what = *what;
    piece->node.capacity = capacity;
    piece->node.memory =
        mmap(NULL, capacity, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (piece->node.memory == MAP_FAILED) {
        rt_free(piece);
        return NULL;
    }
    return piece;
}

enum rt_mapping_result rt_mappings_create(const struct rt_piece *what, void **handle)
{
    pthread_once(&once, prepare);
    size_t capacity;
    if (!rt_size_add_ok(what->size, what->granularity, &capacity)) return RT_MAPPING_NO_ROOM;
    capacity = rt_round_up(what->size, what->granularity);
    bool charged = what->place == RT_BLOCK_DEVICE;
    if (charged && !rt_blocks_charge(what->device, capacity)) return RT_MAPPING_NO_ROOM;
    struct piece *piece = new_piece(what, capacity);
    if (!piece) {
        if (charged) rt_blocks_discharge(what->device, capacity, false);
        return RT_MAPPING_NO_MEMORY;
    }
    *handle = piece->node.memory;
    take_lock();
    rt_block_tree_insert(&pieces, &piece->node);
    release_lock();
    return RT_MAPPING_OK;
}

/* NULL for what is not a piece. The lock is held. */
static struct piece *find_piece(void *handle)
{
    struct piece *piece = (struct piece *)rt_block_tree_find(&pieces, handle);
    return piece && piece->node.memory == handle ? piece : NULL;
}

enum rt_mapping_result rt_mappings_free(void *handle)
{
    enum rt_mapping_result result = RT_MAPPING_OK;
    take_lock();
    struct piece *piece = find_piece(handle);
    if (!piece) {
        result = RT_MAPPING_UNKNOWN;
    } else if (piece->freed) {
        result = RT_MAPPING_FREED;
    } else {
        piece->freed = true;
        note_discharge(piece);
        if (piece->places == 0) destroy_piece(piece);
    }
    release_lock();
    return result;
}

bool rt_mappings_piece(void *handle, struct rt_piece *what)
{
    take_lock();
    const struct piece *piece = find_piece(handle);
    bool found = piece && !piece->freed;
    if (found) *what = piece->what;
    release_lock();
    return found;
}

/* ---- Places; the lock is held ---- */

static struct place *first_place_in(const char *address, size_t size)
{
    struct place *place = (struct place *)rt_block_tree_first(&places, address);
    return place && place->node.memory < address + size ? place : NULL;
}

/* Makes sure that nothing lies at these addresses. May give the lock up in between. */
static bool clear(const char *address, size_t size)
{
    struct timespec end = rt_patience_ends();
    bool patient = !rt_self.running;
    struct place *place;
    while ((place = first_place_in(address, size))) {
        if (!place->unmapped) return false;
        if (patient)
            patient = pthread_cond_timedwait(&unmapped, &lock, &end) == 0;
        else
            detach(place);
    }
    return true;
}

static enum rt_mapping_result check_fit(const struct piece *piece, const char *address, size_t size)
{
    if (!piece) return RT_MAPPING_UNKNOWN;
    if (piece->freed) return RT_MAPPING_FREED;
    size_t unit = piece->what.granularity - 1;
    bool fits = (size == piece->what.size || size == piece->node.capacity) &&
                ((uintptr_t)address & unit) == 0;
    return fits ? RT_MAPPING_OK : RT_MAPPING_MISFIT;
}

static struct range *range_around(const char *address, size_t size)
{
    struct range *range = (struct range *)rt_block_tree_find(&ranges, address);
    if (!range || range->released) return NULL;
    return size <= range->node.capacity - (size_t)(address - range->node.memory) ? range : NULL;
}

static enum rt_mapping_result attach(struct place *place, char *address, size_t size, void *handle)
{
    struct piece *piece = find_piece(handle);
    enum rt_mapping_result result = check_fit(piece, address, size);
    if (result != RT_MAPPING_OK) return result;
    size = piece->node.capacity;
    if (!range_around(address, size)) return RT_MAPPING_OUTSIDE;
    if (!clear(address, size)) return RT_MAPPING_OCCUPIED;
    piece = find_piece(handle); /* they may have gone while the lock was free */
    struct range *range = range_around(address, size);
    if (!piece || piece->freed) return RT_MAPPING_UNKNOWN;
    if (!range) return RT_MAPPING_OUTSIDE;
    if (mremap(handle, 0, size, MREMAP_MAYMOVE | MREMAP_FIXED, address) == MAP_FAILED)
        return RT_MAPPING_NO_MEMORY;
    if (piece->what.granularity >= HUGE_PAGE) madvise(address, size, MADV_HUGEPAGE); /* a hint */
    *place = (struct place){.node = {.memory = address, .capacity = size}};
    place->piece = piece;
    place->range = range;
    piece->places++;
    piece->mapped++;
    range->places++;
    range->mapped++;
    rt_block_tree_insert(&places, &place->node);
    atomic_fetch_add_explicit(&place_count, 1, memory_order_relaxed);
    return RT_MAPPING_OK;
}

enum rt_mapping_result rt_mappings_map(void *address, size_t size, void *handle)
{
    pthread_once(&once, prepare);
    struct place *place = rt_alloc_zeroed(sizeof *place);
    if (!place) return RT_MAPPING_NO_MEMORY;
    take_lock();
    enum rt_mapping_result result = attach(place, address, size, handle);
    release_lock();
    if (result != RT_MAPPING_OK) rt_free(place);
    return result;
}

enum rt_mapping_result rt_mappings_unmap(void *address)
{
    enum rt_mapping_result result = RT_MAPPING_OK;
    bool defer = false;
    take_lock();
    struct place *place = (struct place *)rt_block_tree_find(&places, address);
    if (!place || place->node.memory != address) {
        result = RT_MAPPING_UNKNOWN;
    } else if (place->unmapped) {
        result = RT_MAPPING_FREED;
    } else {
        place->unmapped = true;
        place->piece->mapped--;
        place->range->mapped--;
        note_discharge(place->piece);
        defer = !rt_defer_is_idle();
        if (!defer) detach(place);
    }
    release_lock();
    if (result != RT_MAPPING_OK) return result;
    if (defer) {
        place->deferred = (struct rt_deferred){.release = release_place};
        rt_defer(&place->deferred);
    } else {
        rt_free(place);
    }
    return RT_MAPPING_OK;
}

/* ---- Looking up ---- */

static bool may_have_places(void)
{
    return atomic_load_explicit(&place_count, memory_order_relaxed) > 0;
}

static const struct place *live_place_at(const void *address)
{
    const struct place *place = (const struct place *)rt_block_tree_find(&places, address);
    return place && !place->unmapped ? place : NULL;
}

bool rt_mappings_contain(const void *address, size_t size)
{
    if (!may_have_places()) return false;
    const char *at = address;
    take_lock();
    const struct place *place = live_place_at(at);
    while (place) {
        size_t rest = place->node.capacity - (size_t)(at - place->node.memory);
        if (size <= rest) break;
        at += rest;
        size -= rest;
        place = live_place_at(at);
    }
    release_lock();
    return place != NULL;
}

bool rt_mappings_find(const void *address, struct rt_piece *piece)
{
    if (!may_have_places()) return false;
    take_lock();
    const struct place *place = live_place_at(address);
    if (place) *piece = place->piece->what;
    release_lock();
    return place != NULL;
}
