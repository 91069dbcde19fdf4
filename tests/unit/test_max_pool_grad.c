/* SPDX-License-Identifier: Apache-2.0 */
/* max_pool_grad and max_pool_mend of every level against a scatter, on windows of the usual layers:
 * most indices lie in their windows, and a few just beside them, in the rows above and below, at
 * the ends of the plane, or outside of it. Values are small integers, so that sums are exact. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/k_max_pool.h"
#include "kernels/kernels.h"
#include "tests/unit/dice.h"

enum { GUARD = 128, TABLES = 8, MOST = 64 };

static int64_t output(int64_t input, int64_t kernel, int64_t stride, int64_t pad, bool ceil)
{
    const int64_t room = input + 2 * pad - kernel;
    const int64_t count = (room + (ceil ? stride - 1 : 0)) / stride + 1;
    return (count - 1) * stride >= input + pad ? count - 1 : count;
}

static struct k_max_pool random_pool(void)
{
    static const struct {
        int kernel, stride, pad;
    } windows[] = {{2, 2, 0}, {3, 2, 1}, {3, 2, 0}, {3, 1, 1}, {3, 1, 0}, {2, 1, 0}, {5, 3, 2}};
    struct k_max_pool p = {.outer = between(1, 9),
                           .channels = between(0, 4) == 0 ? between(2, 70) : 1,
                           .index = between(0, 3) == 0 ? K_INDEX_I64 : K_INDEX_I32,
                           .stream_output = between(0, 1) == 1,
                           .input = {1},
                           .output = {1},
                           .kernel = {1},
                           .stride = {1},
                           .dilation = {1, 1, 1}};
    const size_t w = (size_t)between(0, (int64_t)(sizeof windows / sizeof windows[0]) - 1);
    const bool ceil = between(0, 1) == 1;
    for (int axis = 1; axis < K_MAX_POOL_AXES; axis++) {
        p.input[axis] = between(windows[w].kernel, between(0, 3) == 0 ? MOST : 20);
        p.kernel[axis] = windows[w].kernel;
        p.stride[axis] = windows[w].stride;
        p.pad[axis] = windows[w].pad;
        p.output[axis] = output(p.input[axis], p.kernel[axis], p.stride[axis], p.pad[axis], ceil);
    }
    return p;
}

static int64_t own_index(const struct k_max_pool *p, int64_t oh, int64_t ow)
{
    for (;;) {
        const int64_t h = oh * p->stride[1] - p->pad[1] + between(0, p->kernel[1] - 1);
        const int64_t w = ow * p->stride[2] - p->pad[2] + between(0, p->kernel[2] - 1);
        if (h >= 0 && h < p->input[1] && w >= 0 && w < p->input[2]) return h * p->input[2] + w;
    }
}

static int64_t stray_index(const struct k_max_pool *p, int64_t oh, int64_t ow)
{
    const int64_t cells = p->input[1] * p->input[2];
    const int64_t h = oh * p->stride[1] - p->pad[1] + between(-1, p->kernel[1]);
    const int64_t w = ow * p->stride[2] - p->pad[2] + between(-1, p->kernel[2]);
    switch (between(0, 5)) {
    case 0:
        return between(0, cells - 1);
    case 1:
        return between(0, 1) ? between(cells, cells + p->input[2]) : -between(1, p->input[2]);
    case 2:
        return between(0, 1) ? between(0, p->input[2]) % cells
                             : cells - 1 - between(0, p->input[2]) % cells;
    default: /* beside the window; beyond a row's end another row's */
        return h * p->input[2] + w;
    }
}

struct problem {
    struct k_max_pool pool;
    int64_t windows, cells, wrong; /* of a plane; the first index outside, or INT64_MAX */
    float *dy, *want;
    void *indices;
    char *made;
};

static void set_index(struct problem *t, int64_t at, int64_t index)
{
    if (t->pool.index == K_INDEX_I64)
        ((int64_t *)t->indices)[at] = index;
    else
        ((int32_t *)t->indices)[at] = (int32_t)index;
}

/* `strays`: of a thousand indices. */
static void fill(struct problem *t, int64_t strays)
{
    const struct k_max_pool *p = &t->pool;
    memset(t->want, 0, (size_t)(p->outer * t->cells * p->channels) * sizeof *t->want);
    t->wrong = INT64_MAX;
    for (int64_t o = 0; o < p->outer; o++)
        for (int64_t c = 0; c < p->channels; c++)
            for (int64_t w = 0; w < t->windows; w++) {
                const int64_t oh = w / p->output[2], ow = w % p->output[2];
                const int64_t index =
                    between(0, 999) < strays ? stray_index(p, oh, ow) : own_index(p, oh, ow);
                const int64_t at = (o * t->windows + w) * p->channels + c;
                const int64_t position = (o * p->channels + c) * t->windows + w;
                t->dy[at] = (float)between(1, 100);
                set_index(t, at, index);
                if (index >= 0 && index < t->cells)
                    t->want[(o * t->cells + index) * p->channels + c] += t->dy[at];
                else if (position < t->wrong)
                    t->wrong = position;
            }
}

/* The kernel and what mends it, in slices of random length. */
static void run(const struct k_table *table, const struct problem *t, struct k_fault *fault)
{
    struct k_fault *record = fault;
    void *const buffers[] = {t->dy, t->indices, t->made + GUARD, record};
    const struct k_work works[] = {k_max_pool_grad_work(&t->pool), k_max_pool_mend_work(&t->pool)};
    k_fn *const kernels[] = {table->max_pool_grad[K_F32], table->max_pool_mend[K_F32]};
    atomic_init(&fault->position, INT64_MAX);
    atomic_init(&fault->unsettled, 0);
    for (int k = 0; k < 2; k++) {
        const bool whole = between(0, 1) == 1;
        for (int64_t begin = 0, end; begin < works[k].items; begin = end) {
            end = whole ? works[k].items : begin + between(1, works[k].items);
            if (end > works[k].items) end = works[k].items;
            kernels[k](&t->pool, buffers, (struct k_slice){begin, end});
        }
    }
}

static void check(const struct k_table *table, const struct problem *t)
{
    const struct k_max_pool *p = &t->pool;
    const size_t bytes = (size_t)(p->outer * t->cells * p->channels) * sizeof(float);
    struct k_fault fault;
    memset(t->made, 0x7f, bytes + 2 * GUARD);
    run(table, t, &fault);
    const float *made = (const float *)(const void *)(t->made + GUARD);
    for (int64_t i = 0; i < p->outer * t->cells * p->channels; i++)
        cr_assert(
            made[i] == t->want[i],
            "%s: outer %d channels %d input %dx%d kernel %d stride %d pad %d: element %lld is "
            "%g instead of %g",
            table->isa, (int)p->outer, (int)p->channels, (int)p->input[1], (int)p->input[2],
            (int)p->kernel[1], (int)p->stride[1], (int)p->pad[1], (long long)i, (double)made[i],
            (double)t->want[i]);
    for (size_t i = 0; i < GUARD; i++)
        cr_assert(t->made[i] == 0x7f && t->made[GUARD + bytes + i] == 0x7f, "%s writes outside",
                  table->isa);
    cr_assert(atomic_load(&fault.position) == t->wrong, "%s: position %lld instead of %lld",
              table->isa, (long long)atomic_load(&fault.position), (long long)t->wrong);
}

Test(max_pool_grad, indices_beside_their_windows, .timeout = 600)
{
    const struct k_table *tables[TABLES];
    const size_t levels = k_tables(tables, TABLES);
    for (int round = 0; round < 3000; round++) {
        struct problem t = {.pool = random_pool()};
        const struct k_max_pool *p = &t.pool;
        t.windows = p->output[1] * p->output[2];
        t.cells = p->input[1] * p->input[2];
        const size_t windows = (size_t)(p->outer * t.windows * p->channels);
        const size_t cells = (size_t)(p->outer * t.cells * p->channels);
        /* Of the very size: a sanitizer sees what is read beyond. */
        t.dy = malloc(windows * sizeof *t.dy);
        t.indices = malloc(windows * (p->index == K_INDEX_I64 ? 8 : 4));
        t.want = malloc(cells * sizeof *t.want);
        t.made = aligned_alloc(GUARD, (cells * sizeof(float) + 3 * GUARD - 1) / GUARD * GUARD);
        cr_assert(t.dy && t.indices && t.want && t.made);
        fill(&t, round % 3 == 0 ? 0 : round % 3 == 1 ? 2 : 100);
        for (size_t level = 0; level < levels; level++)
            check(tables[level], &t);
        free(t.dy);
        free(t.indices);
        free(t.want);
        free(t.made);
    }
}
