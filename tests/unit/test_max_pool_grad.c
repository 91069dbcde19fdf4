/* SPDX-License-Identifier: Apache-2.0 */
/* max_pool_grad and max_pool_mend of every level and type against a scatter, on
 * windows of the usual layers: most indices lie in their windows, and a few just beside them, in
 * the rows above and below, at the ends of the plane, or outside of it. Values are small integers,
 * so that sums are exact. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"
#include "kernels/pool/k_max_pool.h"
#include "kernels/way.h"
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
    struct k_max_pool p = {.outer = between(1, between(0, 3) == 0 ? 40 : 9),
                           .channels = between(0, 4) == 0 ? between(2, 70) : 1,
                           .index = between(0, 3) == 0 ? K_INDEX_I64 : K_INDEX_I32,
                           .space = between(0, 3) == 0 ? K_INDEX_OF_TENSOR : K_INDEX_OF_PLANE,
                           .stream_output = between(0, 1) == 1,
                           .input = {between(0, 2) == 0 ? between(1, 6) : 1},
                           .kernel = {1},
                           .stride = {1},
                           .dilation = {1, 1, 1}};
    if (p.input[0] > 1) p.kernel[0] = between(1, 2), p.stride[0] = between(1, 3);
    const bool many = p.channels > 1 && between(0, 19) == 0; /* more than buffers have room for */
    if (many) p.channels = between(1000, 2200), p.outer = 1;
    p.channels_inside = p.channels > 1 && p.space == K_INDEX_OF_TENSOR && between(0, 1) == 1;
    const size_t w = (size_t)between(0, (int64_t)(sizeof windows / sizeof windows[0]) - 1);
    const bool ceil = between(0, 1) == 1, even = between(0, 2) == 0;
    if (even && p.input[0] > 1) p.input[0] *= p.stride[0] = p.kernel[0]; /* windows apart */
    p.output[0] = (p.input[0] - p.kernel[0]) / p.stride[0] + 1;
    for (int axis = 1; axis < K_MAX_POOL_AXES; axis++) {
        p.input[axis] = between(windows[w].kernel, between(0, 3) == 0 ? MOST : 20);
        if (even) p.input[axis] = 2 * between(2, axis == 1 ? 10 : MOST / 2);
        if (many) p.input[axis] = 2 * between(windows[w].kernel / 2 + 1, 5);
        p.kernel[axis] = windows[w].kernel;
        p.stride[axis] = windows[w].stride;
        p.pad[axis] = windows[w].pad;
        p.output[axis] = output(p.input[axis], p.kernel[axis], p.stride[axis], p.pad[axis], ceil);
    }
    return p;
}

static int64_t own_index(const struct k_max_pool *p, int64_t od, int64_t oh, int64_t ow)
{
    const int64_t d = od * p->stride[0] + between(0, p->kernel[0] - 1);
    for (;;) {
        const int64_t h = oh * p->stride[1] - p->pad[1] + between(0, p->kernel[1] - 1);
        const int64_t w = ow * p->stride[2] - p->pad[2] + between(0, p->kernel[2] - 1);
        if (h >= 0 && h < p->input[1] && w >= 0 && w < p->input[2])
            return (d * p->input[1] + h) * p->input[2] + w;
    }
}

static int64_t stray_index(const struct k_max_pool *p, int64_t od, int64_t oh, int64_t ow)
{
    const int64_t cells = p->input[0] * p->input[1] * p->input[2];
    const int64_t d = od * p->stride[0] + (between(0, 1) ? 0 : between(-1, p->kernel[0]));
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
        return (d * p->input[1] + h) * p->input[2] + w;
    }
}

struct problem {
    struct k_max_pool pool;
    enum k_dtype dtype;
    int64_t windows, cells, wrong; /* of a plane; the first index outside, or INT64_MAX */
    float *want;
    void *dy, *indices;
    char *made;
};

static size_t size_of(enum k_dtype dtype)
{
    return dtype == K_F32 ? sizeof(float) : 2;
}

/* Integers that a half type holds. */
static uint16_t half_of(enum k_dtype dtype, int32_t value)
{
    const float number = (float)value;
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    if (dtype == K_BF16 || value == 0) return (uint16_t)(bits >> 16);
    return (uint16_t)((bits >> 13) - ((127 - 15) << 10));
}

static void set(const struct problem *t, void *to, int64_t at, int32_t value)
{
    if (t->dtype == K_F32)
        ((float *)to)[at] = (float)value;
    else
        ((uint16_t *)to)[at] = half_of(t->dtype, value);
}

static void set_index(const struct problem *t, int64_t at, int64_t index)
{
    if (t->pool.index == K_INDEX_I64)
        ((int64_t *)t->indices)[at] = index;
    else
        ((int32_t *)t->indices)[at] = (int32_t)index;
}

/* Where element i of the tensor in its logical order lies. */
static int64_t memory_of(const struct problem *t, int64_t i)
{
    const int64_t channels = t->pool.channels, plane = i / t->cells;
    if (t->pool.channels_inside) return i;
    return (plane / channels * t->cells + i % t->cells) * channels + plane % channels;
}

/* Window w of channel c of outer o has the index of that cell, which may be none of the plane; of
 * the tensor that of an element `beside` it. */
static void put(struct problem *t, int64_t o, int64_t c, int64_t w, int64_t cell, int64_t beside)
{
    const struct k_max_pool *p = &t->pool;
    const bool of_tensor = p->space == K_INDEX_OF_TENSOR;
    const int64_t at = (o * t->windows + w) * p->channels + c;
    const int64_t logical = (o * p->channels + c) * t->windows + w;
    const int64_t position = p->channels_inside ? at : logical;
    const int64_t plane = (o * p->channels + c) * t->cells + cell;
    const int64_t place = (o * t->cells + cell) * p->channels + c;
    const int64_t element = (p->channels_inside ? place : plane) + beside;
    const int64_t most = of_tensor ? p->outer * t->cells * p->channels : t->cells;
    const int64_t index = of_tensor ? element : cell;
    const int32_t value = (int32_t)between(1, t->dtype == K_F32 ? 100 : 2);
    set(t, t->dy, at, value);
    set_index(t, at, index);
    if (index >= 0 && index < most)
        t->want[of_tensor ? memory_of(t, element) : place] += (float)value;
    else if (position < t->wrong)
        t->wrong = position;
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
                const int64_t ow = w % p->output[2], oh = w / p->output[2] % p->output[1];
                const int64_t od = w / p->output[2] / p->output[1];
                const bool strays_here = between(0, 999) < strays;
                put(t, o, c, w, strays_here ? stray_index(p, od, oh, ow) : own_index(p, od, oh, ow),
                    between(0, 999) < strays ? between(-1, 1) : 0);
            }
}

/* The kernel and what mends it, in slices of random length. Indices of the tensor come without
 * windows. */
static void run(const struct k_table *table, const struct problem *t, struct k_fault *fault)
{
    struct k_fault *record = fault;
    struct k_max_pool pool = t->pool;
    const bool told = pool.space == K_INDEX_OF_PLANE;
    for (int axis = 0; axis < K_MAX_POOL_AXES && !told; axis++)
        pool.kernel[axis] = pool.stride[axis] = 1, pool.pad[axis] = 0;
    void *const buffers[] = {t->dy, t->indices, t->made + GUARD, record};
    pool.is_told = told;
    const struct k_problem problem = {&pool, t->dtype, table};
    const struct k_chosen chosen = k_way_choose(K_CHOICE_max_pool_grad, &problem);
    const struct k_work works[] = {chosen.work, k_max_pool_mend_work(&pool)};
    k_fn *const kernels[] = {chosen.run, table->max_pool_mend[t->dtype]};
    atomic_init(&fault->position, INT64_MAX);
    atomic_init(&fault->unsettled, 0);
    for (int k = 0; k < 2; k++) {
        const bool whole = between(0, 1) == 1;
        for (int64_t begin = 0, end; begin < works[k].items; begin = end) {
            end = whole ? works[k].items : begin + between(1, works[k].items);
            if (end > works[k].items) end = works[k].items;
            kernels[k](&pool, buffers, (struct k_slice){begin, end});
        }
    }
}

static void check(const struct k_table *table, const struct problem *t)
{
    const struct k_max_pool *p = &t->pool;
    const int64_t elements = p->outer * t->cells * p->channels;
    const size_t size = size_of(t->dtype), bytes = (size_t)elements * size;
    struct k_fault fault;
    memset(t->made, 0x7f, bytes + 2 * GUARD);
    run(table, t, &fault);
    for (int64_t i = 0; i < elements; i++) {
        char want[sizeof(float)];
        set(t, want, 0, (int32_t)t->want[i]);
        cr_assert(memcmp(want, t->made + GUARD + i * (int64_t)size, size) == 0,
                  "%s, type %d: outer %d channels %d input %dx%dx%d depth %d/%d kernel %d stride "
                  "%d pad %d space %d: element %lld is not %g",
                  table->isa, (int)t->dtype, (int)p->outer, (int)p->channels, (int)p->input[0],
                  (int)p->input[1], (int)p->input[2], (int)p->kernel[0], (int)p->stride[0],
                  (int)p->kernel[1], (int)p->stride[1], (int)p->pad[1], (int)p->space, (long long)i,
                  (double)t->want[i]);
    }
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
    for (int64_t round = 0; round < random_test_count(300); round++) {
        struct problem t = {.pool = random_pool(), .dtype = (enum k_dtype)(round % K_DTYPES)};
        const struct k_max_pool *p = &t.pool;
        t.windows = p->output[0] * p->output[1] * p->output[2];
        t.cells = p->input[0] * p->input[1] * p->input[2];
        const size_t windows = (size_t)(p->outer * t.windows * p->channels);
        const size_t cells = (size_t)(p->outer * t.cells * p->channels);
        /* Of the very size: a sanitizer sees what is read beyond. */
        t.dy = malloc(windows * size_of(t.dtype));
        t.indices = malloc(windows * (p->index == K_INDEX_I64 ? 8 : 4));
        t.want = malloc(cells * sizeof *t.want);
        t.made = aligned_alloc(GUARD, (cells * sizeof(float) + 3 * GUARD - 1) / GUARD * GUARD);
        cr_assert(t.dy && t.indices && t.want && t.made);
        fill(&t, round / 3 % 3 == 0 ? 0 : round / 3 % 3 == 1 ? 2 : 100);
        for (size_t level = 0; level < levels; level++)
            check(tables[level], &t);
        free(t.dy);
        free(t.indices);
        free(t.want);
        free(t.made);
    }
}
