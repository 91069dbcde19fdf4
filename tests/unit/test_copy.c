/* SPDX-License-Identifier: Apache-2.0 */
/* Strided copies of every level against element by element, on random shapes, in random pieces. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/copy/k_copy.h"
#include "kernels/kernels.h"
#include "kernels/way.h"
#include "tests/support/guard.h"
#include "tests/support/random.h"

enum { TABLES = 8, ROUNDS = 400, MOST = 3000 };

struct side {
    int64_t low, high; /* elements that the strides reach, from the first one's address on */
};

static struct side reach(const struct k_copy *copy, const int64_t strides[])
{
    struct side side = {0, 1};
    for (int axis = 0; axis < copy->rank; axis++) {
        const int64_t far = (copy->sizes[axis] - 1) * strides[axis];
        if (far < 0)
            side.low += far;
        else
            side.high += far;
    }
    return side;
}

static int64_t offset(const struct k_copy *copy, const int64_t strides[], int64_t element)
{
    int64_t at = 0;
    for (int axis = copy->rank - 1; axis >= 0; axis--) {
        at += element % copy->sizes[axis] * strides[axis];
        element /= copy->sizes[axis];
    }
    return at;
}

/* Dense in a random order of the axes, with gaps now and then. */
static void random_strides(struct random *random, const struct k_copy *copy, bool gaps,
                           int64_t strides[])
{
    int order[K_COPY_RANK] = {0};
    int64_t stride = gaps && random_once_in(random, 4) ? 2 : 1;
    for (int i = 0; i < copy->rank; i++) {
        const int j = (int)random_below(random, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (int i = 0; i < copy->rank; i++) {
        strides[order[i]] = stride;
        stride *= copy->sizes[order[i]];
        if (gaps && random_once_in(random, 4)) stride += random_between(random, 1, 5);
    }
}

static struct k_copy random_copy(struct random *random, int64_t *elements)
{
    struct k_copy copy = {.rank = (int)random_between(random, 0, K_COPY_RANK),
                          .element_size = 1 << random_below(random, 5)};
    *elements = 1;
    for (int axis = 0; axis < copy.rank; axis++) {
        const int64_t room = MOST / *elements;
        copy.sizes[axis] = random_between(random, 1, room < 70 ? room : 70);
        if (random_once_in(random, 2))
            copy.sizes[axis] = random_between(random, 1, room < 4 ? room : 4);
        *elements *= copy.sizes[axis];
    }
    random_strides(random, &copy, true, copy.to_strides);
    random_strides(random, &copy, true, copy.from_strides);
    for (int axis = 0; axis < copy.rank; axis++) {
        if (random_once_in(random, 8)) copy.from_strides[axis] *= -1;
        if (random_once_in(random, 10)) copy.from_strides[axis] = 0;
    }
    return copy;
}

static void run_in_pieces(struct random *random, const struct k_table *table, struct k_copy copy,
                          const char *from, char *to)
{
    k_copy_simplify(&copy);
    const struct k_problem problem = {&copy, K_F32, table};
    const struct k_chosen chosen = k_way_choose(K_CHOICE_copy_strided, &problem);
    const struct k_work work = chosen.work;
    void *const buffers[] = {[K_COPY_FROM] = (void *)from, [K_COPY_TO] = to};
    for (int64_t at = 0, end; at < work.items; at = end) {
        end = random_once_in(random, 3) ? work.items : random_between(random, at + 1, work.items);
        chosen.run(&copy, buffers, (struct k_slice){at, end});
    }
}

static void check(struct random *random, const struct k_table *table)
{
    int64_t elements;
    struct guard source = {0}, target = {0};
    const struct k_copy copy = random_copy(random, &elements);
    const int64_t size = copy.element_size;
    const struct side from = reach(&copy, copy.from_strides), to = reach(&copy, copy.to_strides);
    const enum guard_side side = random_once_in(random, 2) ? GUARD_FRONT : GUARD_END;
    const size_t from_bytes = (size_t)((from.high - from.low) * size);
    const size_t to_bytes = (size_t)((to.high - to.low) * size);
    unsigned char *source_bytes = guard_place(&source, from_bytes, side, (size_t)size);
    unsigned char *target_bytes = guard_place(&target, to_bytes, side, (size_t)size);
    unsigned char *expected = malloc(to_bytes);
    cr_assert_not_null(expected);
    for (size_t i = 0; i < from_bytes; i++)
        source_bytes[i] = (unsigned char)random_next(random);
    memset(expected, 0xa5, to_bytes);
    memset(target_bytes, 0xa5, to_bytes);
    for (int64_t e = 0; e < elements; e++)
        memcpy(expected + (offset(&copy, copy.to_strides, e) - to.low) * size,
               source_bytes + (offset(&copy, copy.from_strides, e) - from.low) * size,
               (size_t)size);
    run_in_pieces(random, table, copy, (char *)source_bytes - from.low * size,
                  (char *)target_bytes - to.low * size);
    cr_assert(memcmp(target_bytes, expected, to_bytes) == 0,
              "%s: rank %d, element size %d, %ld elements", table->isa, copy.rank,
              copy.element_size, (long)elements);
    cr_assert(guard_intact(&target) && guard_intact(&source));
    free(expected);
    guard_free(&source);
    guard_free(&target);
}

Test(copy, random_shapes_in_pieces)
{
    struct random random = {random_test_seed()};
    const struct k_table *tables[TABLES];
    const size_t count = k_tables(tables, TABLES);
    for (size_t i = 0; i < count; i++)
        for (int64_t round = random_test_count(ROUNDS); round > 0; round--)
            check(&random, tables[i]);
}
