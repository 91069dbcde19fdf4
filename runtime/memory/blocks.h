/* SPDX-License-Identifier: Apache-2.0 */
/* The store of device and pinned host memory: hands out blocks, knows every address of theirs,
 * keeps what is given back for the next request of its size. All functions are thread-safe. */
#ifndef ACLNN_CPU_RUNTIME_MEMORY_BLOCKS_H
#define ACLNN_CPU_RUNTIME_MEMORY_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rt_block_place {
    RT_BLOCK_DEVICE, /* counts against its device's memory */
    RT_BLOCK_HOST,
};

struct rt_block_request {
    enum rt_block_place place;
    int32_t device;  /* with RT_BLOCK_DEVICE, one that exists */
    size_t reserved; /* bytes that may be touched, > 0: what accounting counts */
    bool huge;       /* huge pages when the block is large enough */
};

struct rt_block_usage {
    size_t used;  /* device memory handed out, or given back while queued work still uses it */
    size_t given; /* the latter part of it */
    size_t peak;  /* the most that was used at once since the process began */
    size_t free;  /* total - used; 0 when more is used */
    size_t total; /* rt_config()->device_memory */
};

enum rt_block_result {
    RT_BLOCK_OK,
    RT_BLOCK_NO_ROOM,   /* take: over the device's memory */
    RT_BLOCK_NO_MEMORY, /* take: the system gives no more */
    RT_BLOCK_UNKNOWN,   /* give: no block of ours has this address */
    RT_BLOCK_INSIDE,    /* give: inside a block, not at its beginning */
    RT_BLOCK_GIVEN,     /* give: given back before */
    RT_BLOCK_ELSEWHERE, /* give: a block of the other place */
};

/* *memory is aligned to 512 bytes, to 2 MiB from 2 MiB on, and not cleared. A request that fits but
 * for blocks that were given back and that queued work still uses waits for that work, a tenth of a
 * second at most (not at all inside of a task), and is granted in any case. */
enum rt_block_result rt_blocks_take(const struct rt_block_request *request, void **memory);

/* Never waits: the block is released when all work that is queued now has run. */
enum rt_block_result rt_blocks_give(void *memory, enum rt_block_place place);

/* Whether [address, address + size) lies inside one block that is handed out. */
bool rt_blocks_contain(const void *address, size_t size);

/* Whether the address is in a block that was given back and not yet returned to the system. */
bool rt_blocks_keep(const void *address);

/* Bytes from an address to the end of the block that holds it and is handed out; false: none does.
 */
bool rt_blocks_room(const void *address, size_t *room);

/* What the block around an address was taken as; false when none that is handed out has it. */
bool rt_blocks_find(const void *address, struct rt_block_request *request);

struct rt_block_usage rt_blocks_usage(int32_t device);

/* Makes the store safe to fork. Who locks around its functions calls this before he makes himself
 * safe, because locks are taken for fork in the reverse order. */
void rt_blocks_prepare(void);

/* Device memory that the caller gets from the system himself: counts bytes as used, with the same
 * rules as rt_blocks_take; false when they do not fit. */
bool rt_blocks_charge(int32_t device, size_t bytes);
/* They count as given back from here on, until they are discharged. */
void rt_blocks_defer_discharge(int32_t device, size_t bytes);
void rt_blocks_discharge(int32_t device, size_t bytes, bool was_deferred);

/* Returns what is kept to the system, and keeps nothing more until the next rt_blocks_take. */
void rt_blocks_end(void);

#endif
