/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of each allocation: where it came from, and for each range of its bytes the last
 * write and the reads since. The caller holds the checker's lock. */
#ifndef ACLNN_CPU_RUNTIME_CHECK_SHADOW_H
#define ACLNN_CPU_RUNTIME_CHECK_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/check/clock.h"
#include "runtime/check/site.h"
#include "runtime/support/block_tree.h"
#include "runtime/support/checked.h"

/* One operation; counted by the cells that it is in. */
struct rt_check_operation {
    uint32_t references;
    uint32_t slot;
    uint64_t epoch;
    uint64_t serial;
    uint32_t stream; /* its number; 0: the host */
    const char *name;
    const struct rt_check_site *site;
};
void rt_check_operation_release(struct rt_check_operation *operation);

/* An operation's use of some bytes. */
struct rt_check_use {
    struct rt_check_operation *operation; /* NULL: none */
    const char *role;
    int argument;
    bool is_bounding;
    bool is_plain; /* a write, not in a format of the device's own */
};

struct rt_check_cell;

struct rt_check_block {
    struct rt_block_node node; /* first */
    enum rt_check_thing thing;
    const struct rt_check_site *site;
    struct rt_check_cell *cells; /* in order, without overlap */
    size_t count, room;
};

/* What was given up. */
struct rt_check_grave {
    const char *memory;
    size_t size;
    enum rt_check_thing thing;
    const struct rt_check_site *born, *died;
};

/* NULL without memory. */
struct rt_check_block *rt_check_block_add(enum rt_check_thing thing, const void *memory,
                                          size_t size, const struct rt_check_site *site);
struct rt_check_block *rt_check_block_find(const void *address);
/* It becomes a grave. */
void rt_check_block_remove(struct rt_check_block *block, const struct rt_check_site *site);
/* The last thing that lay there and was given up; NULL: none that is remembered. */
const struct rt_check_grave *rt_check_grave_find(const void *address);

/* What an access meets. `first` has no operation when nobody has written the bytes. */
typedef void rt_check_meet_fn(void *context, const struct rt_check_use *first, size_t begin,
                              size_t end);

struct rt_check_query {
    const struct rt_check_clock *clock; /* what the new operation comes after */
    uint64_t before; /* operations with a later serial are not judged; UINT64_MAX: all are */
    rt_check_meet_fn *conflicts; /* NULL: not asked */
    rt_check_meet_fn *unwritten; /* NULL: not asked */
    rt_check_meet_fn *plain;     /* of a read: bytes that were written so; NULL: not asked */
    void *context;
};

/* Judges an access to [begin, end) of the block and notes it. */
void rt_check_block_access(struct rt_check_block *block, size_t begin, size_t end, bool reads,
                           bool writes, const struct rt_check_use *use,
                           const struct rt_check_query *query);

/* The first use that is not before the clock; NULL: none. */
const struct rt_check_use *rt_check_block_unfinished(const struct rt_check_block *block,
                                                     const struct rt_check_clock *clock);

#endif
