/* SPDX-License-Identifier: Apache-2.0 */
/* Scatters and gathers in planes of every level against the loop that k_plane.h states, to the bit:
 * small and large planes, local and shuffled indices, some outside, any cutting; nothing written
 * around the output. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"
#include "kernels/pool/k_plane.h"
#include "tests/support/oracle.h"
#include "tests/support/random.h"

enum { TABLES = 8, GUARD = 192, FILL = 0xA5 };

enum pattern { LOCAL, SHUFFLED, ONE_CELL, PATTERNS };

struct problem {
    struct k_plane plane;
    enum pattern pattern;
    bool has_bad;
    enum case_dtype dtype; /* of sums */
    char *values, *indices, *want;
    int64_t worst; /* the lowest bad position, or INT64_MAX */
};

static void *allocate(int64_t bytes)
{
    void *memory = malloc((size_t)bytes + 1);
    cr_assert(memory);
    return memory;
}

static int64_t index_of(const struct problem *p, int64_t i)
{
    if (p->plane.index_size == 4) return ((const int32_t *)(const void *)p->indices)[i];
    return ((const int64_t *)(const void *)p->indices)[i];
}

static void set_index(const struct problem *p, int64_t i, int64_t index)
{
    if (p->plane.index_size == 4)
        ((int32_t *)(void *)p->indices)[i] = (int32_t)index;
    else
        ((int64_t *)(void *)p->indices)[i] = index;
}

static int64_t bad_index(const struct problem *p, struct random *random)
{
    const int64_t wide[] = {-1, INT64_MIN, INT64_MAX, p->plane.cells,
                            p->plane.cells + random_below(random, 100)};
    const int64_t narrow[] = {-1, INT32_MIN, INT32_MAX, p->plane.cells, -p->plane.cells};
    return (p->plane.index_size == 4 ? narrow : wide)[random_below(random, 5)];
}

static void make_indices(struct problem *p, struct random *random)
{
    const int64_t entries = p->plane.entries, cells = p->plane.cells;
    p->worst = INT64_MAX;
    for (int64_t i = 0; i < p->plane.planes * entries; i++) {
        int64_t index = random_below(random, cells);
        if (p->pattern == LOCAL) index = (i % entries * cells / entries + index % 97) % cells;
        if (p->pattern == ONE_CELL) index = cells - 1 - index % 3 * (cells / 7);
        if (p->has_bad && random_once_in(random, 50)) {
            index = bad_index(p, random);
            if (p->worst == INT64_MAX) p->worst = i;
        }
        set_index(p, i, index);
    }
}

static void open_problem(struct problem *p, struct random *random)
{
    const int64_t entries = p->plane.planes * p->plane.entries;
    p->values = allocate(entries * 8);
    p->indices = allocate(entries * 8);
    p->want = allocate(p->plane.planes * p->plane.cells * 8);
    make_indices(p, random);
    for (int64_t i = 0; i < entries * p->plane.element_size; i++)
        p->values[i] = (char)random_next(random);
}

static void close_problem(struct problem *p)
{
    free(p->values);
    free(p->indices);
    free(p->want);
}

static bool is_bad(const struct problem *p, int64_t i)
{
    return index_of(p, i) < 0 || index_of(p, i) >= p->plane.cells;
}

static struct problem random_problem(struct random *random, bool large)
{
    struct problem p = {.plane = {.planes = random_between(random, 1, large ? 5 : 40),
                                  .cells = random_between(random, 1, large ? 300000 : 300),
                                  .index_size = random_once_in(random, 2) ? 4 : 8,
                                  .stream_output = random_once_in(random, 2)},
                        .pattern = (enum pattern)random_below(random, PATTERNS),
                        .has_bad = random_once_in(random, 3)};
    if (large) p.plane.cells += 5000;
    p.plane.entries = random_between(random, 0, p.plane.cells * 2);
    if (large) p.plane.entries /= random_between(random, 2, 20);
    return p;
}

/* Every level, cut at random or not at all, gives `want` and the lowest bad position. */
static void check(const struct problem *p, const char *kernel, k_fn *const fn[], int count,
                  void *const from[], int to, int64_t bytes, struct k_work work,
                  struct random *random)
{
    char *output = allocate(bytes + 2 * GUARD);
    const int64_t shift = p->plane.element_size * random_below(random, 16);
    for (int t = 0; t < count; t++) {
        struct k_fault fault = {.position = INT64_MAX};
        void *buffers[] = {from[0], from[1], from[2], &fault};
        buffers[to] = output + GUARD / 2 + shift;
        memset(output, FILL, (size_t)(bytes + 2 * GUARD));
        for (int64_t begin = 0, end; begin < work.items; begin = end) {
            end = t % 2 ? work.items : begin + 1 + random_below(random, work.items - begin);
            fn[t](&p->plane, buffers, (struct k_slice){begin, end});
        }
        cr_assert_eq(atomic_load(&fault.position), p->worst, "%s, level %d: %ld is bad", kernel, t,
                     (long)atomic_load(&fault.position));
        for (int64_t i = 0; i < bytes + 2 * GUARD; i++) {
            const int64_t at = i - GUARD / 2 - shift;
            const char want = at >= 0 && at < bytes ? p->want[at] : (char)FILL;
            cr_assert(output[i] == want,
                      "%s level %d: byte %ld of %ld; planes %ld entries %ld cells %ld sizes %d %d "
                      "stream %d pattern %d bad %d",
                      kernel, t, (long)at, (long)bytes, (long)p->plane.planes,
                      (long)p->plane.entries, (long)p->plane.cells, p->plane.element_size,
                      p->plane.index_size, p->plane.stream_output, p->pattern, p->has_bad);
        }
    }
    free(output);
}

static int tables_of(const struct k_table *tables[TABLES])
{
    const size_t count = k_tables(tables, TABLES);
    cr_assert(count > 0 && count <= TABLES);
    return (int)count;
}

static void check_last(struct problem *p, struct random *random)
{
    const struct k_table *tables[TABLES];
    k_fn *fn[TABLES];
    const int count = tables_of(tables);
    for (int t = 0; t < count; t++)
        fn[t] = tables[t]->plane_scatter_last;
    const int64_t size = p->plane.element_size, bytes = p->plane.planes * p->plane.cells * size;
    memset(p->want, 0, (size_t)bytes);
    for (int64_t i = 0; i < p->plane.planes * p->plane.entries; i++)
        if (!is_bad(p, i))
            memcpy(p->want + (i / p->plane.entries * p->plane.cells + index_of(p, i)) * size,
                   p->values + i * size, (size_t)size);
    check(p, "plane_scatter_last", fn, count, (void *[]){p->values, p->indices, NULL},
          K_PLANE_CELLS, bytes, k_plane_scatter_work(&p->plane), random);
}

static void check_gather(struct problem *p, struct random *random)
{
    const struct k_table *tables[TABLES];
    k_fn *fn[TABLES];
    const int count = tables_of(tables);
    for (int t = 0; t < count; t++)
        fn[t] = tables[t]->plane_gather;
    const int64_t size = p->plane.element_size, entries = p->plane.planes * p->plane.entries;
    char *cells = allocate(p->plane.planes * p->plane.cells * size);
    for (int64_t i = 0; i < p->plane.planes * p->plane.cells * size; i++)
        cells[i] = (char)random_next(random);
    char *want = realloc(p->want, (size_t)(entries * size) + 1);
    cr_assert(want);
    p->want = want;
    memset(want, 0, (size_t)(entries * size));
    for (int64_t i = 0; i < entries; i++)
        if (!is_bad(p, i))
            memcpy(want + i * size,
                   cells + (i / p->plane.entries * p->plane.cells + index_of(p, i)) * size,
                   (size_t)size);
    check(p, "plane_gather", fn, count, (void *[]){NULL, p->indices, cells}, K_PLANE_VALUES,
          entries * size, k_plane_gather_work(&p->plane), random);
    free(cells);
}

/* The sums of the loop, in float; a random value is no NaN, so the bits are defined. */
static void check_add(struct problem *p, enum k_dtype dtype, struct random *random)
{
    static const enum case_dtype types[] = {CASE_F32, CASE_F16, CASE_BF16};
    const struct k_table *tables[TABLES];
    k_fn *fn[TABLES];
    const int count = tables_of(tables);
    for (int t = 0; t < count; t++)
        fn[t] = tables[t]->plane_scatter_add[dtype];
    const int64_t size = p->plane.element_size, cells = p->plane.planes * p->plane.cells;
    float *sums = calloc((size_t)cells + 1, sizeof *sums);
    cr_assert(sums);
    for (int64_t i = 0; i < p->plane.planes * p->plane.entries; i++) {
        const double value = random_unit(random) * (double)random_between(random, 1, 1000);
        const uint64_t bits = (uint64_t)oracle_to_bits(types[dtype], value);
        memcpy(p->values + i * size, &bits, (size_t)size);
        if (!is_bad(p, i))
            sums[i / p->plane.entries * p->plane.cells + index_of(p, i)] +=
                (float)oracle_from_bits(types[dtype], bits);
    }
    for (int64_t i = 0; i < cells; i++) {
        const uint64_t bits = (uint64_t)oracle_to_bits(types[dtype], sums[i]);
        memcpy(p->want + i * size, &bits, (size_t)size);
    }
    free(sums);
    check(p, "plane_scatter_add", fn, count, (void *[]){p->values, p->indices, NULL}, K_PLANE_CELLS,
          cells * size, k_plane_scatter_work(&p->plane), random);
}

static void run(bool large, int64_t cases)
{
    struct random random = {random_test_seed()};
    for (int64_t i = 0; i < random_test_count(cases); i++) {
        struct problem p = random_problem(&random, large);
        p.plane.element_size = 1 << random_below(&random, 4);
        open_problem(&p, &random);
        check_last(&p, &random);
        check_gather(&p, &random);
        close_problem(&p);

        const enum k_dtype dtype = (enum k_dtype)random_below(&random, K_DTYPES);
        p.plane.element_size = dtype == K_F32 ? 4 : 2;
        open_problem(&p, &random);
        check_add(&p, dtype, &random);
        close_problem(&p);
    }
}

Test(plane, small_planes)
{
    run(false, 600);
}

Test(plane, large_planes)
{
    run(true, 30);
}

/* One plane is cut into pieces, whose number may not depend on anything but the shape. */
Test(plane, work_is_cut_by_shape)
{
    struct k_plane plane = {
        .planes = 1, .entries = 1 << 20, .cells = 1 << 22, .element_size = 4, .index_size = 8};
    cr_assert_eq(k_plane_scatter_work(&plane).items, 4);
    plane.planes = 3;
    cr_assert_eq(k_plane_scatter_work(&plane).items, 6);
    plane.planes = 1000;
    cr_assert_eq(k_plane_scatter_work(&plane).items, 1000);
    plane.cells = 49;
    plane.entries = 9;
    cr_assert(k_plane_scatter_work(&plane).grain > 50);
    plane.planes = 0;
    cr_assert_eq(k_plane_scatter_work(&plane).items, 0);
    cr_assert_eq(k_plane_gather_work(&plane).items, 0);
}
