/* SPDX-License-Identifier: Apache-2.0 */
/* Unique elements and slices by their definition. What lies behind the results is not written. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/oracle_index.h"

enum { ELEMENTS = 200 };

static int64_t number(const struct rig_problem *problem, const char *name, int64_t otherwise)
{
    for (int i = 0; problem->op->number[i]; i++)
        if (strcmp(problem->op->number[i], name) == 0) return problem->call.number[i];
    return otherwise;
}

/* Slices along an axis, or elements. */
struct slices {
    int64_t count, outer, inner, *order;
};

static struct slices slices_of(const struct rig_problem *problem)
{
    const struct operand *self = &problem->tensor[0].view;
    const int64_t dim = number(problem, "dim", 1000);
    struct slices s = {problem->tensor[0].count, 1, 1, NULL};
    const int axis = (int)(dim < 0 ? dim + self->rank : dim);
    for (int i = 0; dim != 1000 && i < self->rank; i++) {
        if (i == axis) s.count = self->dims[i];
        if (i < axis) s.outer *= self->dims[i];
        if (i > axis) s.inner *= self->dims[i];
    }
    s.order = malloc((size_t)(s.count + 1) * sizeof *s.order);
    for (int64_t i = 0; i < s.count; i++)
        s.order[i] = i;
    return s;
}

static int64_t element(const struct slices *s, int64_t slice, int64_t i)
{
    return (i / s->inner * s->count + slice) * s->inner + i % s->inner;
}

/* Of two slices: less 0, equal 0 and greater 0; NaN is greater than all, and not the same as one.
 */
static int compare(const struct rig_problem *problem, const struct slices *s, int64_t a, int64_t b,
                   bool *is_same)
{
    const bool is_real = oracle_is_float(problem->tensor[0].view.dtype);
    *is_same = true;
    for (int64_t i = 0; i < s->outer * s->inner; i++) {
        const int64_t from_a = element(s, a, i), from_b = element(s, b, i);
        if (is_real) {
            const double x = oracle_value(problem, 0, from_a), y = oracle_value(problem, 0, from_b);
            if (isnan(x) || isnan(y)) *is_same = false;
            if (isnan(x) && isnan(y)) continue;
            if (x != y) *is_same = false;
            if (isnan(x) || x > y) return 1;
            if (isnan(y) || x < y) return -1;
        } else {
            const int64_t x = oracle_whole_value(problem, 0, from_a);
            const int64_t y = oracle_whole_value(problem, 0, from_b);
            if (x != y) *is_same = false;
            if (x != y) return x < y ? -1 : 1;
        }
    }
    return 0;
}

static void sort_slices(const struct rig_problem *problem, struct slices *s)
{
    bool is_same;
    for (int64_t i = 1; i < s->count; i++)
        for (int64_t j = i;
             j > 0 && compare(problem, s, s->order[j], s->order[j - 1], &is_same) < 0; j--) {
            const int64_t swapped = s->order[j];
            s->order[j] = s->order[j - 1];
            s->order[j - 1] = swapped;
        }
}

static int slot_of(const struct rig_operator *op, const char *name)
{
    for (int i = 0; op->tensor[i]; i++)
        if (strcmp(op->tensor[i], name) == 0) return i;
    return -1;
}

static void unique(struct rig_problem *problem)
{
    struct slices s = slices_of(problem);
    const int inverse = number(problem, "returnInverse", 0) ? 2 : -1;
    const int counts = number(problem, "returnCounts", 1) ? slot_of(problem->op, "countsOut") : -1;
    int64_t *group = calloc((size_t)s.count + 1, sizeof *group);
    int64_t groups = 0;
    bool is_same;
    if (number(problem, "sorted", -1) != -1) sort_slices(problem, &s);
    for (int64_t i = 0; i < s.count; i++) {
        if (i > 0) compare(problem, &s, s.order[i - 1], s.order[i], &is_same);
        groups += i == 0 || !is_same;
        group[i] = groups - 1;
    }
    for (int to = 1; problem->op->tensor[to]; to++)
        for (int64_t i = 0; i < problem->tensor[to].count; i++)
            index_unwritten(problem, to, i);
    for (int64_t i = s.count - 1; i >= 0; i--) {
        for (int64_t k = 0; k < s.outer * s.inner; k++)
            problem->tensor[1].want[(k / s.inner * groups + group[i]) * s.inner + k % s.inner] =
                rig_given(problem, 0)[element(&s, s.order[i], k)];
        if (inverse >= 0) oracle_whole(problem, inverse, s.order[i], CASE_I64, group[i]);
    }
    for (int64_t g = 0, i = 0; counts >= 0 && g < groups; g++) {
        const int64_t begin = i;
        while (i < s.count && group[i] == g)
            i++;
        oracle_whole(problem, counts, g, CASE_I64, i - begin);
    }
    free(group);
    free(s.order);
}

static struct test_case random_unique(const struct rig_operator *op, struct random *random,
                                      enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const bool is_dim = slot_of(op, "countsOut") >= 0 && strcmp(op->name, "aclnnUniqueDim") == 0;
    const bool is_consecutive = strcmp(op->name, "aclnnUniqueConsecutive") == 0;
    int64_t dims[CASE_RANK], elements = 1, slices;
    int rank = random_shape(random, dims, ELEMENTS);
    const bool has_axis = is_dim || (is_consecutive && rank > 0 && random_once_in(random, 2));
    const enum case_dtype numbers = random_once_in(random, 2) ? CASE_I64 : CASE_I32;
    if (has_axis && rank == 0) dims[rank++] = 7;
    for (int i = 0; i < rank; i++) {
        if (has_axis && dims[i] == 0) dims[i] = 1;
        elements *= dims[i];
    }
    const int axis = rank > 0 ? (int)random_below(random, rank) : 0;
    slices = has_axis ? dims[axis] : elements;
    if (test.data == CASE_PLAIN && random_once_in(random, 2)) test.data = CASE_TIES;
    random_tensor(&test, random, "self", dtype, dims, rank, false);
    if (has_axis)
        random_number(&test, "dim", random_once_in(random, 2) ? axis - rank : axis);
    else if (is_consecutive)
        random_number(&test, "dim", 1000);
    if (!is_consecutive) random_number(&test, "sorted", random_once_in(random, 2));
    random_number(&test, "returnInverse", random_once_in(random, 2));
    if (!is_dim && slot_of(op, "countsOut") >= 0)
        random_number(&test, "returnCounts", random_once_in(random, 2));
    struct case_argument *values =
        has_axis ? random_tensor(&test, random, "valueOut", dtype, dims, rank, true)
                 : random_tensor(&test, random, "valueOut", dtype, &slices, 1, true);
    if (has_axis) values->layout = CASE_CONTIGUOUS;
    if (has_axis) values->has_strides = false;
    if (has_axis)
        random_tensor(&test, random, "inverseOut", numbers, &slices, 1, true);
    else
        random_tensor(&test, random, "inverseOut", numbers, dims, rank, true);
    if (slot_of(op, "countsOut") >= 0)
        random_tensor(&test, random, "countsOut", numbers, &slices, 1, true);
    return test;
}

const struct oracle_row oracle_unique_rows[] = {
    {.name = "aclnnUnique",
     .oracle = unique,
     .random = random_unique,
     .sound = "unique f32 self=2x3x4 sorted=1 returnInverse=1 valueOut=24 inverseOut=2x3x4:i64"},
    {.name = "aclnnUnique2", .oracle = unique, .random = random_unique},
    {.name = "aclnnUniqueConsecutive", .oracle = unique, .random = random_unique},
    {.name = "aclnnUniqueDim", .oracle = unique, .random = random_unique},
    {.name = NULL},
};
