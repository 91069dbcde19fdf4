/* SPDX-License-Identifier: Apache-2.0 */
/* One lock, `lock`, guards the tree, the lists and the sums below, and every field of a block that
 * is in the tree. Nothing else is locked and the system is not called while it is held; `released`
 * is waited for with it.
 *
 * A block's life: fresh from the system -> LIVE -> (rt_blocks_give) GIVEN, still counted, because
 * queued work may use it -> (the last such task has run) KEPT for the next request of its size
 * class -> LIVE again, or back to the system. It stays in the tree from its first day to its last:
 * handing a kept block out again costs one lock and no search. Pages once touched stay mapped while
 * kept, so that a workspace allocated at each step pays its page faults once.
 *
 * On a device memory is free as soon as it is given back. So a request that fits but for GIVEN
 * blocks is not refused: it lets queued work release them for a while, which keeps a program that
 * runs ahead of its work within the device's memory, and then goes over it. It must not wait for
 * ever, because that work may wait for what its caller does next. */
#include "runtime/memory/blocks.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>

#include "runtime/memory/patience.h"
#include "runtime/schedule/stream.h"
#include "runtime/support/alloc.h"
#include "runtime/support/asan.h"
#include "runtime/support/base.h"
#include "runtime/support/block_tree.h"
#include "runtime/support/config.h"
#include "runtime/support/devices.h"
#include "runtime/support/thread.h"

#define RED_ZONE        (RT_WITH_ASAN ? 64 : 0) /* poisoned bytes behind every block */
#define ALIGNMENT       ((size_t)512)           /* of blocks, as a device has it */
#define GRAIN           ((size_t)64)
#define HUGE_PAGE       ((size_t)2 << 20)
#define MAPPED_FROM     ((size_t)64 << 10) /* smaller blocks come from the heap */
#define KEPT_SHARE      8                  /* of all devices' memory, at most, is kept */
#define KEPT_BLOCKS     4096
#define SMALL_CLASSES   8 /* 64, 128, ... 512 bytes; above, eight classes to each doubling */
#define SMALL_LIMIT_LOG 9
#define LARGEST_LOG     47 /* more than any address space of today has */
#define CLASSES         (SMALL_CLASSES + (LARGEST_LOG - SMALL_LIMIT_LOG) * 8)

enum state { LIVE, GIVEN, KEPT };

struct block {
    struct rt_block_node node; /* first, so that a node is its block */
    size_t reserved;
    struct rt_deferred deferred;
    struct block *next_of_class, *previous_of_class; /* both pairs only while KEPT */
    struct block *older, *newer;
    int class;
    enum rt_block_place place;
    int32_t device;
    enum state state;
    bool huge;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct rt_block_tree tree;
static struct block *kept[2][CLASSES]; /* [huge][class], the last given back first */
static struct block *oldest, *newest;
static size_t kept_bytes, kept_count; /* capacities */
static size_t all_bytes;              /* of LIVE and GIVEN blocks and what is charged, anywhere */
static struct {
    size_t used;  /* its part of these */
    size_t given; /* what of it is GIVEN */
    size_t peak;  /* the most that was used at once */
} devices[RT_DEVICES_MAX];
static bool keeping;
static size_t waiting; /* threads that wait for `released` */
static pthread_cond_t released;

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
    waiting = 0; /* the waiting threads are the parent's */
    rt_patience_condition(&released);
    release_lock();
}

/* A child of fork may go on using its copy of the memory. */
static void prepare(void)
{
    rt_patience_condition(&released);
    pthread_atfork(take_lock, release_lock, release_lock_in_child);
}

void rt_blocks_prepare(void)
{
    pthread_once(&once, prepare);
}

/* The class of a block of size bytes, and how many bytes blocks of this class have. */
static int class_of(size_t size, size_t *capacity)
{
    if (size <= GRAIN * SMALL_CLASSES) {
        *capacity = rt_round_up(size, GRAIN);
        return (int)(*capacity / GRAIN) - 1;
    }
    int log = 63 - __builtin_clzll(size - 1); /* 2^log < size <= 2^(log + 1) */
    size_t eighths = (size - 1) >> (log - 3); /* 8..15 */
    *capacity = (eighths + 1) << (log - 3);
    return SMALL_CLASSES + (log - SMALL_LIMIT_LOG) * 8 + (int)eighths - 8;
}

/* ---- Memory of the system ---- */

static void *map(size_t capacity, bool huge)
{
    bool aligned = capacity >= HUGE_PAGE;
    size_t length = capacity + (aligned ? HUGE_PAGE : 0);
    char *mapping = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) return NULL;
    if (!aligned) return mapping;
    char *memory = (char *)rt_round_up((uintptr_t)mapping, HUGE_PAGE);
    size_t before = (size_t)(memory - mapping);
    size_t behind = HUGE_PAGE - before;
    if (before > 0) munmap(mapping, before);
    if (behind > 0) munmap(memory + capacity, behind);
    if (huge) madvise(memory, capacity, MADV_HUGEPAGE); /* a hint: a refusal costs speed only */
    return memory;
}

static void destroy(struct block *block)
{
    RT_UNPOISON(block->node.memory, block->node.capacity);
    if (block->node.capacity >= MAPPED_FROM)
        munmap(block->node.memory, block->node.capacity);
    else
        rt_free(block->node.memory);
    rt_free(block);
}

/* NULL without memory. */
static struct block *create(int class, size_t capacity, bool huge)
{
    rt_blocks_prepare(); /* nobody waits or is waited for before there is a block */
    struct block *block = rt_alloc_zeroed(sizeof *block);
    if (!block) return NULL;
    block->node.capacity = capacity;
    block->node.memory =
        capacity >= MAPPED_FROM ? map(capacity, huge) : rt_alloc_aligned(ALIGNMENT, capacity);
    if (!block->node.memory) {
        rt_free(block);
        return NULL;
    }
    block->class = class;
    block->huge = huge;
    return block;
}

/* ---- Kept blocks; the lock is held ---- */

static void keep(struct block *block)
{
    block->state = KEPT;
    RT_POISON(block->node.memory, block->node.capacity);
    struct block **head = &kept[block->huge][block->class];
    block->previous_of_class = NULL;
    block->next_of_class = *head;
    if (*head) (*head)->previous_of_class = block;
    *head = block;
    block->newer = NULL;
    block->older = newest;
    if (newest)
        newest->newer = block;
    else
        oldest = block;
    newest = block;
    kept_bytes += block->node.capacity;
    kept_count++;
}

static void unkeep(struct block *block)
{
    if (block->previous_of_class)
        block->previous_of_class->next_of_class = block->next_of_class;
    else
        kept[block->huge][block->class] = block->next_of_class;
    if (block->next_of_class) block->next_of_class->previous_of_class = block->previous_of_class;
    if (block->older)
        block->older->newer = block->newer;
    else
        oldest = block->newer;
    if (block->newer)
        block->newer->older = block->older;
    else
        newest = block->older;
    kept_bytes -= block->node.capacity;
    kept_count--;
}

/* Takes the oldest kept blocks out of the store until bytes are kept at most; returns them, linked
 * by next_of_class, for destroy_all without the lock. */
static struct block *evict(size_t bytes, size_t blocks)
{
    struct block *evicted = NULL;
    while (kept_bytes > bytes || kept_count > blocks) {
        struct block *block = oldest;
        unkeep(block);
        rt_block_tree_remove(&tree, &block->node);
        block->next_of_class = evicted;
        evicted = block;
    }
    return evicted;
}

static void destroy_all(struct block *blocks)
{
    while (blocks) {
        struct block *next = blocks->next_of_class;
        destroy(blocks);
        blocks = next;
    }
}

/* ---- The devices' memory; the lock is held ---- */

static size_t total_of_all(void)
{
    return rt_config()->device_memory * (size_t)rt_device_count();
}

static bool fits(size_t bytes, size_t used)
{
    size_t total = rt_config()->device_memory;
    return used <= total && bytes <= total - used;
}

/* Whether bytes fit, or will when what was given back is released. */
static bool will_fit(int32_t device, size_t bytes)
{
    return fits(bytes, devices[device].used - devices[device].given);
}

/* Counts bytes as used; false when they do not fit. May give the lock up in between. */
static bool charge(int32_t device, size_t bytes)
{
    if (!fits(bytes, devices[device].used) && will_fit(device, bytes) && !rt_self.running) {
        struct timespec end = rt_patience_ends();
        waiting++;
        while (will_fit(device, bytes) && !fits(bytes, devices[device].used)) {
            if (pthread_cond_timedwait(&released, &lock, &end) != 0) break;
        }
        if (waiting > 0) waiting--;
    }
    if (!will_fit(device, bytes)) return false;
    all_bytes += bytes;
    devices[device].used += bytes;
    if (devices[device].used > devices[device].peak) devices[device].peak = devices[device].used;
    return true;
}

static void discharge(enum rt_block_place place, int32_t device, size_t bytes, bool was_given)
{
    all_bytes -= bytes;
    if (place != RT_BLOCK_DEVICE) return;
    devices[device].used -= bytes;
    if (was_given) devices[device].given -= bytes;
    if (waiting > 0) pthread_cond_broadcast(&released);
}

/* What is kept must not push the sum over the devices' memory. */
static struct block *evict_excess(void)
{
    size_t total = total_of_all();
    return evict(all_bytes < total ? total - all_bytes : 0, KEPT_BLOCKS);
}

/* ---- What the store offers ---- */

static void hand_out(struct block *block, const struct rt_block_request *request)
{
    RT_UNPOISON(block->node.memory, request->reserved);
    block->reserved = request->reserved;
    block->place = request->place;
    block->device = request->device;
    block->state = LIVE;
}

/* Counts the request's bytes. *block is a kept block, or NULL when the caller must create one. */
static enum rt_block_result take_kept(const struct rt_block_request *request, bool huge, int class,
                                      struct block **block, struct block **evicted)
{
    take_lock();
    if (request->place == RT_BLOCK_HOST) {
        all_bytes += request->reserved;
    } else if (!charge(request->device, request->reserved)) {
        release_lock();
        return RT_BLOCK_NO_ROOM;
    }
    keeping = true;
    *block = kept[huge][class];
    if (*block) {
        unkeep(*block);
        hand_out(*block, request);
    } else {
        *evicted = evict_excess();
    }
    release_lock();
    return RT_BLOCK_OK;
}

static struct block *create_or_evict(int class, size_t capacity, bool huge)
{
    struct block *block = create(class, capacity, huge);
    if (block) return block;
    take_lock();
    struct block *evicted = evict(0, 0);
    release_lock();
    if (!evicted) return NULL;
    destroy_all(evicted);
    return create(class, capacity, huge);
}

enum rt_block_result rt_blocks_take(const struct rt_block_request *request, void **memory)
{
    if (request->reserved > (size_t)1 << (LARGEST_LOG - 1)) return RT_BLOCK_NO_ROOM;
    size_t capacity;
    int class = class_of(request->reserved + RED_ZONE, &capacity);
    struct block *block = NULL;
    struct block *evicted = NULL;
    bool huge = request->huge && capacity >= HUGE_PAGE;
    enum rt_block_result result = take_kept(request, huge, class, &block, &evicted);
    if (result != RT_BLOCK_OK) return result;
    if (!block) {
        destroy_all(evicted);
        block = create_or_evict(class, capacity, huge);
        take_lock();
        if (!block) {
            discharge(request->place, request->device, request->reserved, false);
            release_lock();
            return RT_BLOCK_NO_MEMORY;
        }
        RT_POISON(block->node.memory, capacity);
        hand_out(block, request);
        rt_block_tree_insert(&tree, &block->node);
        release_lock();
    }
    *memory = block->node.memory;
    return RT_BLOCK_OK;
}

/* Ends the use of a block; returns what is to be destroyed. The lock is held. */
static struct block *retire(struct block *block, bool was_given)
{
    size_t most = total_of_all() / KEPT_SHARE;
    discharge(block->place, block->device, block->reserved, was_given);
    if (keeping && block->node.capacity <= most) {
        keep(block);
        return evict(most, KEPT_BLOCKS);
    }
    rt_block_tree_remove(&tree, &block->node);
    block->next_of_class = NULL;
    return block;
}

static void release(struct rt_deferred *deferred)
{
    take_lock();
    struct block *evicted =
        retire((void *)((char *)deferred - offsetof(struct block, deferred)), true);
    release_lock();
    destroy_all(evicted);
}

static enum rt_block_result check_given(const struct block *block, const void *memory,
                                        enum rt_block_place place)
{
    if (!block) return RT_BLOCK_UNKNOWN;
    if (block->state != LIVE) return RT_BLOCK_GIVEN;
    if (block->node.memory != memory) return RT_BLOCK_INSIDE;
    return block->place == place ? RT_BLOCK_OK : RT_BLOCK_ELSEWHERE;
}

enum rt_block_result rt_blocks_give(void *memory, enum rt_block_place place)
{
    take_lock();
    struct block *block = (struct block *)rt_block_tree_find(&tree, memory);
    enum rt_block_result result = check_given(block, memory, place);
    struct block *evicted = NULL;
    bool defer = false;
    if (result == RT_BLOCK_OK) {
        block->state = GIVEN;
        defer = !rt_defer_is_idle();
        if (!defer)
            evicted = retire(block, false);
        else if (place == RT_BLOCK_DEVICE)
            devices[block->device].given += block->reserved;
    }
    release_lock();
    destroy_all(evicted);
    if (!defer) return result;
    block->deferred = (struct rt_deferred){.release = release};
    rt_defer(&block->deferred);
    return RT_BLOCK_OK;
}

bool rt_blocks_find(const void *address, struct rt_block_request *request)
{
    take_lock();
    const struct block *block = (const struct block *)rt_block_tree_find(&tree, address);
    bool found = block && block->state == LIVE &&
                 (size_t)((const char *)address - block->node.memory) < block->reserved;
    if (found) {
        *request = (struct rt_block_request){.place = block->place,
                                             .device = block->device,
                                             .reserved = block->reserved,
                                             .huge = block->huge};
    }
    release_lock();
    return found;
}

bool rt_blocks_contain(const void *address, size_t size)
{
    take_lock();
    const struct block *block = (const struct block *)rt_block_tree_find(&tree, address);
    bool inside = false;
    if (block && block->state == LIVE) {
        size_t offset = (size_t)((const char *)address - block->node.memory);
        inside = offset <= block->reserved && size <= block->reserved - offset;
    }
    release_lock();
    return inside;
}

bool rt_blocks_keep(const void *address)
{
    take_lock();
    const struct block *block = (const struct block *)rt_block_tree_find(&tree, address);
    const bool is_kept = block && block->state != LIVE;
    release_lock();
    return is_kept;
}

bool rt_blocks_room(const void *address, size_t *room)
{
    take_lock();
    const struct block *block = (const struct block *)rt_block_tree_find(&tree, address);
    size_t offset = block ? (size_t)((const char *)address - block->node.memory) : 0;
    const bool is_inside = block && block->state == LIVE && offset < block->reserved;
    if (is_inside) *room = block->reserved - offset;
    release_lock();
    return is_inside;
}

struct rt_block_usage rt_blocks_usage(int32_t device)
{
    struct rt_block_usage usage = {.total = rt_config()->device_memory};
    take_lock();
    usage.used = devices[device].used;
    usage.given = devices[device].given;
    usage.peak = devices[device].peak;
    release_lock();
    usage.free = usage.used < usage.total ? usage.total - usage.used : 0;
    return usage;
}

bool rt_blocks_charge(int32_t device, size_t bytes)
{
    rt_blocks_prepare();
    take_lock();
    bool charged = charge(device, bytes);
    struct block *evicted = charged ? evict_excess() : NULL;
    release_lock();
    destroy_all(evicted);
    return charged;
}

void rt_blocks_defer_discharge(int32_t device, size_t bytes)
{
    take_lock();
    devices[device].given += bytes;
    release_lock();
}

void rt_blocks_discharge(int32_t device, size_t bytes, bool was_deferred)
{
    take_lock();
    discharge(RT_BLOCK_DEVICE, device, bytes, was_deferred);
    release_lock();
}

void rt_blocks_end(void)
{
    take_lock();
    keeping = false;
    struct block *evicted = evict(0, 0);
    release_lock();
    destroy_all(evicted);
}
