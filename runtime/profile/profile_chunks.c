/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for records, in blocks of the size of a huge page: a record lies in memory that was never
 * written before, and the faults of small pages would cost three times what making it does.
 *
 * Locks: `lock` guards all of `blocks`. Nothing is locked inside it but what the
 * allocator locks. */
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

#include "runtime/profile/profile_records.h"
#include "runtime/support/alloc.h"

enum { CHUNKS = RT_CHUNKS_PER_BLOCK, BLOCK = 2 << 20 };

_Static_assert(CHUNKS * sizeof(struct rt_record_chunk) == BLOCK, "a block is a huge page");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block {
    struct rt_record_chunk *memory; /* [CHUNKS], or NULL */
    struct rt_record_chunk *unused; /* by `next` */
    int begun;                      /* chunks from here on have never been used */
    int used;
} blocks[RT_MOST_BLOCKS];

static struct rt_record_chunk *take_locked(struct block *block)
{
    struct rt_record_chunk *chunk = block->unused;
    if (!block->memory || block->used == CHUNKS) return NULL;
    if (chunk)
        block->unused = atomic_load_explicit(&chunk->next, memory_order_relaxed);
    else
        chunk = &block->memory[block->begun++];
    block->used++;
    return chunk;
}

static struct rt_record_chunk *take_any_locked(void)
{
    struct block *absent = NULL;
    for (int i = 0; i < RT_MOST_BLOCKS; i++) {
        struct rt_record_chunk *chunk = take_locked(&blocks[i]);
        if (chunk) return chunk;
        if (!blocks[i].memory && !absent) absent = &blocks[i];
    }
    if (!absent) return NULL;
    *absent = (struct block){.memory = rt_alloc_aligned(BLOCK, BLOCK)};
    if (!absent->memory) return NULL;
    madvise(absent->memory, BLOCK, MADV_HUGEPAGE);
    return take_locked(absent);
}

struct rt_record_chunk *rt_record_chunk_new(void)
{
    pthread_mutex_lock(&lock);
    struct rt_record_chunk *chunk = take_any_locked();
    pthread_mutex_unlock(&lock);
    if (!chunk) return NULL;
    atomic_init(&chunk->used, 0);
    atomic_init(&chunk->next, NULL);
    return chunk;
}

static struct block *block_of(const struct rt_record_chunk *chunk)
{
    struct block *block = blocks;
    while (!block->memory || chunk < block->memory || chunk >= block->memory + CHUNKS)
        block++;
    return block;
}

void rt_record_chunk_free(struct rt_record_chunk *chunk)
{
    void *empty = NULL;
    pthread_mutex_lock(&lock);
    struct block *block = block_of(chunk);
    atomic_store_explicit(&chunk->next, block->unused, memory_order_relaxed);
    block->unused = chunk;
    if (--block->used == 0) {
        empty = block->memory;
        *block = (struct block){0};
    }
    pthread_mutex_unlock(&lock);
    rt_free(empty);
}

void rt_record_chunks_forget(void)
{
    for (int i = 0; i < RT_MOST_BLOCKS; i++) {
        rt_free(blocks[i].memory);
        blocks[i] = (struct block){0};
    }
    pthread_mutex_init(&lock, NULL);
}
