/* SPDX-License-Identifier: Apache-2.0 */
/* Memory between two pages that fault when touched. A block lies flush against one of them; the
 * bytes on its open side hold a pattern that guard_intact checks. Running a case at both sides
 * catches every access before or behind it. */
#ifndef ACLNN_CPU_TESTS_GUARD_H
#define ACLNN_CPU_TESTS_GUARD_H

#include <stdbool.h>
#include <stddef.h>

enum guard_side { GUARD_FRONT, GUARD_END };

struct guard {
    unsigned char *map; /* the front guard page; NULL while nothing was placed */
    size_t room;        /* bytes between the guard pages */
    unsigned char *block;
    size_t size;
};

/* The next block of this guard; the one before is gone. Zero-initialise the struct first. At
 * GUARD_END the block ends at the page unless the alignment (a power of two) puts up to
 * alignment - 1 bytes behind it. Content is undefined. */
void *guard_place(struct guard *guard, size_t size, enum guard_side side, size_t alignment);

/* Are the pattern bytes around the block as they were? */
bool guard_intact(const struct guard *guard);

void guard_free(struct guard *guard);

#endif
