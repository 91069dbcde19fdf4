/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/guard.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* How much of the open side is watched; writes further away would have to jump over it. */
enum { WATCHED = 512, PATTERN = 0xC7 };

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static void map_room(struct guard *guard, size_t size)
{
    size_t page = page_size();
    guard_free(guard);
    guard->room = (size + WATCHED + page - 1) / page * page;
    unsigned char *map =
        mmap(NULL, guard->room + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED || mprotect(map + page, guard->room, PROT_READ | PROT_WRITE) != 0)
        abort();
    guard->map = map;
}

/* The watched bytes before and behind the block. */
static void watched(const struct guard *guard, unsigned char **before, size_t *before_size,
                    unsigned char **behind, size_t *behind_size)
{
    unsigned char *first = guard->map + page_size();
    size_t front = (size_t)(guard->block - first);
    size_t back = guard->room - front - guard->size;
    *before_size = front < WATCHED ? front : WATCHED;
    *before = guard->block - *before_size;
    *behind_size = back < WATCHED ? back : WATCHED;
    *behind = guard->block + guard->size;
}

void *guard_place(struct guard *guard, size_t size, enum guard_side side, size_t alignment)
{
    if (!guard->map || guard->room < size + WATCHED) map_room(guard, size);
    unsigned char *first = guard->map + page_size();
    size_t at = side == GUARD_FRONT ? 0 : (guard->room - size) & ~(alignment - 1);
    guard->block = first + at;
    guard->size = size;

    unsigned char *before, *behind;
    size_t before_size, behind_size;
    watched(guard, &before, &before_size, &behind, &behind_size);
    memset(before, PATTERN, before_size);
    memset(behind, PATTERN, behind_size);
    return guard->block;
}

static bool is_pattern(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != PATTERN) return false;
    }
    return true;
}

bool guard_intact(const struct guard *guard)
{
    unsigned char *before, *behind;
    size_t before_size, behind_size;
    watched(guard, &before, &before_size, &behind, &behind_size);
    return is_pattern(before, before_size) && is_pattern(behind, behind_size);
}

void guard_free(struct guard *guard)
{
    if (guard->map) munmap(guard->map, guard->room + 2 * page_size());
    *guard = (struct guard){0};
}
