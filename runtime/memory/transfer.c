/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/memory/transfer.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "runtime/schedule/pool.h"

enum {
    UNIT = 4096,
    LEAST_SLICE = 1 << 20, /* bytes */
    SHARED_FROM = 4 << 20, /* below, waking a thread costs as much as it saves */
};

struct move {
    char *to;
    const char *from;
    size_t size;
    int value;
};

static size_t slice_end(int64_t end, size_t size)
{
    size_t bytes = (size_t)end * UNIT;
    return bytes < size ? bytes : size;
}

static void move_slice(void *context, int64_t begin, int64_t end)
{
    const struct move *move = context;
    size_t first = (size_t)begin * UNIT;
    memcpy(move->to + first, move->from + first, slice_end(end, move->size) - first);
}

static void fill_slice(void *context, int64_t begin, int64_t end)
{
    const struct move *move = context;
    size_t first = (size_t)begin * UNIT;
    memset(move->to + first, move->value, slice_end(end, move->size) - first);
}

/* One slice for each thread: libc writes by non-temporal stores only in calls that are large
 * enough. */
static void share(rt_slice_fn *fn, struct move *move)
{
    struct rt_pool *pool = rt_pool_default();
    int64_t units = (int64_t)(move->size / UNIT) + (move->size % UNIT != 0);
    int64_t threads = rt_pool_threads(pool);
    int64_t grain = (units + threads - 1) / threads;
    if (grain < LEAST_SLICE / UNIT) grain = LEAST_SLICE / UNIT;
    rt_parallel_for(pool, fn, move, units, grain);
}

static bool overlap(const char *a, size_t a_size, const char *b, size_t b_size)
{
    uintptr_t first = (uintptr_t)a;
    uintptr_t second = (uintptr_t)b;
    return first < second ? second - first < a_size : first - second < b_size;
}

void rt_move(void *to, const void *from, size_t size)
{
    if (size < SHARED_FROM || overlap(to, size, from, size)) {
        memmove(to, from, size);
        return;
    }
    share(move_slice, &(struct move){.to = to, .from = from, .size = size});
}

void rt_fill(void *to, int value, size_t size)
{
    if (size < SHARED_FROM) {
        memset(to, value, size);
        return;
    }
    share(fill_slice, &(struct move){.to = to, .size = size, .value = value});
}

static void move_some_rows(void *context, int64_t begin, int64_t end)
{
    const struct rt_rows *rows = context;
    for (size_t row = (size_t)begin; row < (size_t)end; row++) {
        memmove(rows->to + row * rows->to_pitch, rows->from + row * rows->from_pitch, rows->width);
    }
}

void rt_move_rows(const struct rt_rows *rows)
{
    size_t width = rows->width;
    size_t height = rows->height;
    if (height == 1 || (rows->to_pitch == width && rows->from_pitch == width)) {
        rt_move(rows->to, rows->from, width * height);
        return;
    }
    struct rt_rows copy = *rows;
    size_t last = height - 1;
    if (width * height < SHARED_FROM || overlap(rows->to, last * rows->to_pitch + width, rows->from,
                                                last * rows->from_pitch + width)) {
        move_some_rows(&copy, 0, (int64_t)height);
        return;
    }
    int64_t grain = (int64_t)((LEAST_SLICE + width - 1) / width);
    rt_parallel_for(rt_pool_default(), move_some_rows, &copy, (int64_t)height, grain);
}
