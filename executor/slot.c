/* SPDX-License-Identifier: Apache-2.0 */
/* A slot's word says everything: which use of the slot this is, whether the handle of this use is
 * alive, whether it is repeatable, and how many references there are. One compare-and-exchange
 * judges a handle and takes a reference.
 *
 * Free slots lie in shards, stacks that threads share by number, so that two threads seldom write
 * one cache line; a slot goes back to the shard that it came from. No locks: a child of fork finds
 * every stack whole. The first slots keep their executors' memory, as one thread plans what another
 * one runs and frees: in malloc they would wait for each other. */
#include "executor/slot.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "executor/executor.h"
#include "runtime/support/alloc.h"
#include "runtime/support/asan.h"
#include "runtime/support/checked.h"

enum {
    SHARDS = 64,
    CHUNK_SLOTS = 128,
    CHUNKS_MAX = 1 << 17,
    KEEPING = 1024, /* slots that keep memory: of some 7 KB each */
    TAG = 0xEC,     /* in a handle's highest byte, where no address of a program has it */
    USE_SHIFT = 32,
    TAG_SHIFT = 56,
};

/* A handle is the tag, 24 bits of the slot's index and 32 bits of its use. */
_Static_assert(sizeof(void *) == 8, "a handle has 64 bits");
_Static_assert(CHUNKS_MAX *(int64_t)CHUNK_SLOTS == 1 << 24, "an index has 24 bits");

/* A slot's word: its use in the upper half, below it these. */
static const uint64_t ALIVE = UINT64_C(1) << 31, REPEATABLE = UINT64_C(1) << 30,
                      REFERENCES = (UINT64_C(1) << 30) - 1;

struct ex_slot {
    _Alignas(64) _Atomic uint64_t word;
    uintptr_t executor;    /* see hidden; of a free slot: memory that is kept, or 0 */
    uint32_t index, shard; /* never change */
    _Atomic uint32_t next; /* free: the index plus one of the slot below; 0: none */
};

static _Atomic(struct ex_slot *) chunks[CHUNKS_MAX];
static _Atomic uint32_t chunk_count;

/* The index plus one of the first free slot, and above it a count of changes: a slot that was taken
 * and came back is not taken for one that stayed. */
static struct {
    _Alignas(64) _Atomic uint64_t first;
} shards[SHARDS];

static _Atomic uint32_t last_shard;
static _Thread_local uint32_t own_shard __attribute__((tls_model("initial-exec"))); /* plus one */

/* Executors that nobody frees shall be leaks to the address sanitizer, so it must not find them
 * here. */
static uintptr_t hidden(uintptr_t executor)
{
    return RT_WITH_ASAN ? ~executor : executor;
}

static struct ex_executor *executor_of(const struct ex_slot *slot)
{
    return (void *)hidden(slot->executor);
}

static struct ex_slot *slot_at(uint32_t index)
{
    struct ex_slot *chunk =
        atomic_load_explicit(&chunks[index / CHUNK_SLOTS], memory_order_acquire);
    return chunk ? &chunk[index % CHUNK_SLOTS] : NULL;
}

/* --- free slots ---------------------------------------------------------------------------- */

static uint64_t first_after(uint64_t first, uint32_t index_plus_one)
{
    return ((first >> 32) + 1) << 32 | index_plus_one;
}

static void push(struct ex_slot *slot)
{
    _Atomic uint64_t *place = &shards[slot->shard].first;
    uint64_t first = atomic_load_explicit(place, memory_order_relaxed);
    do
        atomic_store_explicit(&slot->next, (uint32_t)first, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(place, &first,
                                                  first_after(first, slot->index + 1),
                                                  memory_order_release, memory_order_relaxed));
}

static struct ex_slot *pop(uint32_t shard)
{
    _Atomic uint64_t *place = &shards[shard].first;
    uint64_t first = atomic_load_explicit(place, memory_order_acquire);
    struct ex_slot *slot;
    uint32_t next;
    do {
        slot = (uint32_t)first == 0 ? NULL : slot_at((uint32_t)first - 1);
        if (!slot) return NULL;
        next = atomic_load_explicit(&slot->next, memory_order_relaxed);
    } while (!atomic_compare_exchange_weak_explicit(place, &first, first_after(first, next),
                                                    memory_order_acquire, memory_order_acquire));
    return slot;
}

/* The first slot of a new chunk; the others are free in this shard. */
static struct ex_slot *grow(uint32_t shard)
{
    struct ex_slot *chunk = rt_alloc_aligned(_Alignof(struct ex_slot), CHUNK_SLOTS * sizeof *chunk);
    if (!chunk) return NULL;
    const uint32_t number = atomic_fetch_add_explicit(&chunk_count, 1, memory_order_relaxed);
    if (number >= CHUNKS_MAX) {
        atomic_fetch_sub_explicit(&chunk_count, 1, memory_order_relaxed);
        rt_free(chunk);
        return NULL;
    }
    for (uint32_t i = 0; i < CHUNK_SLOTS; i++)
        chunk[i] = (struct ex_slot){.index = number * CHUNK_SLOTS + i, .shard = shard};
    atomic_store_explicit(&chunks[number], chunk, memory_order_release);
    for (uint32_t i = CHUNK_SLOTS; i-- > 1;)
        push(&chunk[i]);
    return &chunk[0];
}

/* --- executors ----------------------------------------------------------------------------- */

struct ex_executor *ex_executor_new(void)
{
    if (own_shard == 0)
        own_shard = 1 + atomic_fetch_add_explicit(&last_shard, 1, memory_order_relaxed) % SHARDS;
    struct ex_slot *slot = pop(own_shard - 1);
    if (!slot) slot = grow(own_shard - 1);
    if (!slot) return NULL;
    struct ex_executor *executor = NULL;
    if (slot->executor == 0)
        executor = rt_alloc(sizeof *executor);
    else if (rt_alloc_again())
        executor = executor_of(slot);
    if (!executor) {
        push(slot);
        return NULL;
    }
    slot->executor = hidden((uintptr_t)executor);
    executor->slot = slot;
    return executor;
}

static void free_memory(struct ex_slot *slot)
{
    rt_free(executor_of(slot));
    slot->executor = 0;
}

static void vacate(struct ex_slot *slot)
{
    if (RT_WITH_ASAN || slot->index >= KEEPING) free_memory(slot);
    push(slot);
}

void ex_executor_free(struct ex_executor *executor)
{
    ex_plan_clear(&executor->plan);
    vacate(executor->slot);
}

/* --- handles ------------------------------------------------------------------------------- */

aclOpExecutor *ex_handle_new(struct ex_executor *executor)
{
    struct ex_slot *slot = executor->slot;
    const uint64_t use = atomic_load_explicit(&slot->word, memory_order_relaxed) >> USE_SHIFT;
    atomic_store_explicit(&slot->word, use << USE_SHIFT | ALIVE | 1, memory_order_release);
    const uint64_t handle = (uint64_t)TAG << TAG_SHIFT | (uint64_t)slot->index << USE_SHIFT | use;
    rt_check_born(RT_CHECK_EXECUTOR, (const void *)(uintptr_t)handle, 0);
    return (aclOpExecutor *)(uintptr_t)handle;
}

static struct ex_slot *find(const aclOpExecutor *handle, uint64_t *word)
{
    const uint64_t value = (uintptr_t)handle;
    if (value >> TAG_SHIFT != TAG) return NULL;
    struct ex_slot *slot = slot_at((uint32_t)(value >> USE_SHIFT) & 0xFFFFFF);
    if (slot) *word = atomic_load_explicit(&slot->word, memory_order_relaxed);
    return slot;
}

static bool names(const aclOpExecutor *handle, uint64_t word)
{
    return word >> USE_SHIFT == (uint32_t)(uintptr_t)handle && (word & ALIVE) != 0;
}

static bool change(struct ex_slot *slot, uint64_t *word, uint64_t to)
{
    return atomic_compare_exchange_weak_explicit(&slot->word, word, to, memory_order_acquire,
                                                 memory_order_relaxed);
}

struct ex_executor *ex_handle_acquire(const aclOpExecutor *handle)
{
    uint64_t word;
    struct ex_slot *slot = find(handle, &word);
    while (slot && names(handle, word))
        if (change(slot, &word, word + 1)) return executor_of(slot);
    return NULL;
}

struct ex_executor *ex_handle_end(const aclOpExecutor *handle)
{
    uint64_t word;
    struct ex_slot *slot = find(handle, &word);
    while (slot && names(handle, word))
        if (change(slot, &word, word & ~ALIVE)) {
            rt_check_died(RT_CHECK_EXECUTOR, handle);
            return executor_of(slot);
        }
    return NULL;
}

struct ex_executor *ex_handle_take(const aclOpExecutor *handle)
{
    uint64_t word;
    struct ex_slot *slot = find(handle, &word);
    while (slot && names(handle, word))
        if (change(slot, &word, (word & REPEATABLE) != 0 ? word + 1 : word & ~ALIVE)) {
            if ((word & REPEATABLE) == 0) rt_check_died(RT_CHECK_EXECUTOR, handle);
            return executor_of(slot);
        }
    return NULL;
}

bool ex_handle_make_repeatable(const aclOpExecutor *handle)
{
    uint64_t word;
    struct ex_slot *slot = find(handle, &word);
    while (slot && names(handle, word))
        if (change(slot, &word, word | REPEATABLE)) return true;
    return false;
}

static bool is_last(uint64_t word)
{
    return (word & (ALIVE | REFERENCES)) == 1;
}

bool ex_executor_is_mine(const struct ex_executor *executor)
{
    return is_last(atomic_load_explicit(&executor->slot->word, memory_order_acquire));
}

void ex_executor_release(struct ex_executor *executor)
{
    struct ex_slot *slot = executor->slot;
    uint64_t word = atomic_load_explicit(&slot->word, memory_order_acquire);
    if (!is_last(word)) { /* seldom */
        word = atomic_fetch_sub_explicit(&slot->word, 1, memory_order_acq_rel);
        if ((word & REFERENCES) != 1) return;
    }
    ex_plan_clear(&executor->plan);
    const uint64_t next_use = (word >> USE_SHIFT) + 1;
    atomic_store_explicit(&slot->word, next_use << USE_SHIFT, memory_order_relaxed);
    if (next_use <= UINT32_MAX)
        vacate(slot);
    else
        free_memory(slot); /* every use has been named once */
}
