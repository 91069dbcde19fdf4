/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual memory: ranges of addresses, pieces of memory, and which piece lies where. All functions
 * are thread-safe. virtual_memory.c has the checks and texts. */
#ifndef ACLNN_CPU_RUNTIME_MEMORY_MAPPINGS_H
#define ACLNN_CPU_RUNTIME_MEMORY_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/memory/blocks.h"

enum rt_mapping_result {
    RT_MAPPING_OK,
    RT_MAPPING_NO_ROOM,   /* create: over the device's memory */
    RT_MAPPING_NO_MEMORY, /* the system gives no more */
    RT_MAPPING_UNKNOWN,   /* nothing of ours begins at this address, or no piece has this handle */
    RT_MAPPING_FREED,     /* released, unmapped or freed before, but queued work still uses it */
    RT_MAPPING_OCCUPIED,  /* reserve: `at` is in use; map: something is mapped there; release: the
                             same */
    RT_MAPPING_OUTSIDE,   /* map: the range is not inside one reserved range */
    RT_MAPPING_MISFIT,    /* map: size or address does not suit the piece */
};

struct rt_piece {
    enum rt_block_place place; /* device memory counts against its device's */
    int32_t device;
    size_t size;
    size_t granularity; /* a power of two, a page or more */
};

/* Addresses without memory, aligned to 2 MiB, from 1 GiB on to 1 GiB; at: where, or NULL. */
enum rt_mapping_result rt_mappings_reserve(size_t size, void *at, void **address);
enum rt_mapping_result rt_mappings_release(void *address);

/* A piece of zeroed memory of piece->size rounded up to its granularity. */
enum rt_mapping_result rt_mappings_create(const struct rt_piece *piece, void **handle);
/* The memory goes when it is mapped nowhere. */
enum rt_mapping_result rt_mappings_free(void *handle);
/* What a piece is; false when no piece that was not freed has this handle. */
bool rt_mappings_piece(void *handle, struct rt_piece *piece);

/* Lays the whole piece at an address in a reserved range. size is the piece's and a multiple of its
 * granularity, as the address is. A piece may lie in several places. Where something was unmapped
 * that queued work still uses, waits for that work as rt_blocks_take does. */
enum rt_mapping_result rt_mappings_map(void *address, size_t size, void *handle);
/* Never waits: the memory stays there until all work that is queued now has run. */
enum rt_mapping_result rt_mappings_unmap(void *address);

/* Whether all of [address, address + size) is mapped. */
bool rt_mappings_contain(const void *address, size_t size);
/* What lies at an address; false when nothing does. */
bool rt_mappings_find(const void *address, struct rt_piece *piece);

#endif
