/* SPDX-License-Identifier: Apache-2.0 */
/* Objects by address. Nodes are the first member of what they find. The caller locks. */
#ifndef ACLNN_CPU_RUNTIME_CHECK_MAP_H
#define ACLNN_CPU_RUNTIME_CHECK_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/support/alloc.h"

enum { RT_CHECK_BUCKETS = 4096 };

struct rt_check_node {
    struct rt_check_node *next;
    const void *key;
};

struct rt_check_map {
    struct rt_check_node *buckets[RT_CHECK_BUCKETS];
};

static inline struct rt_check_node **rt_check_map_place(struct rt_check_map *map, const void *key)
{
    const uint64_t hash = (uintptr_t)key * UINT64_C(0x9E3779B97F4A7C15);
    struct rt_check_node **link = &map->buckets[hash >> 52];
    while (*link && (*link)->key != key)
        link = &(*link)->next;
    return link;
}

static inline void *rt_check_map_find(struct rt_check_map *map, const void *key)
{
    return *rt_check_map_place(map, key);
}

/* The node of this key; when there is none, a new one of so many zeroed bytes. NULL without memory.
 */
static inline void *rt_check_map_get(struct rt_check_map *map, const void *key, size_t bytes)
{
    struct rt_check_node **place = rt_check_map_place(map, key);
    if (!*place) {
        *place = rt_alloc_zeroed(bytes);
        if (*place) (*place)->key = key;
    }
    return *place;
}

/* Out of the map; the caller's. */
static inline void *rt_check_map_take(struct rt_check_map *map, const void *key)
{
    struct rt_check_node **place = rt_check_map_place(map, key), *node = *place;
    if (node) *place = node->next;
    return node;
}

#endif
