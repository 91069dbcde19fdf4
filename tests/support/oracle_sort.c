/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting by its definition: the place of an element is the number of those that come before it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/oracle_rows.h"

enum { ELEMENTS = 500 };

static bool is_named(const struct rig_operator *op, const char *name)
{
    return strcmp(op->name, name) == 0;
}

static int64_t number(const struct rig_problem *problem, const char *name)
{
    for (int i = 0; problem->op->number[i]; i++)
        if (strcmp(problem->op->number[i], name) == 0) return problem->call.number[i];
    return 0;
}

/* -1, 0, 1; NaN is greater than all numbers. */
static int compare(const struct rig_problem *problem, int64_t a, int64_t b)
{
    if (!oracle_is_float(problem->tensor[0].view.dtype)) {
        const int64_t x = oracle_whole_value(problem, 0, a), y = oracle_whole_value(problem, 0, b);
        return x < y ? -1 : x > y;
    }
    const double x = oracle_value(problem, 0, a), y = oracle_value(problem, 0, b);
    if (isnan(x) || isnan(y)) return isnan(x) && isnan(y) ? 0 : isnan(x) ? 1 : -1;
    return x < y ? -1 : x > y;
}

struct entry {
    const struct rig_problem *problem;
    int64_t at, place;
    bool is_descending;
};

static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    const int order = compare(a->problem, a->at, b->at);
    if (order != 0) return a->is_descending ? -order : order;
    return a->place < b->place ? -1 : 1;
}

static void sort(struct rig_problem *problem)
{
    const struct operand *view = &problem->tensor[0].view;
    const int rank = view->rank, places = problem->operands - 1;
    const int64_t dim = number(problem, "dim");
    const int axis = (int)(dim < 0 ? dim + (rank > 0 ? rank : 1) : dim);
    const int64_t count = rank > 0 ? view->dims[axis] : 1;
    const int64_t kept = is_named(problem->op, "aclnnTopk") ? number(problem, "k") : count;
    int64_t inner = 1;
    for (int i = axis + 1; i < rank; i++)
        inner *= view->dims[i];
    struct entry *entries = malloc((size_t)(count + 1) * sizeof *entries);
    const int64_t rows = count > 0 ? problem->tensor[0].count / count : 0;
    for (int64_t row = 0; row < rows; row++) {
        const int64_t outer = row / inner, within = row % inner;
        for (int64_t i = 0; i < count; i++)
            entries[i] =
                (struct entry){problem, (outer * count + i) * inner + within, i,
                               number(problem, "descending") || number(problem, "largest")};
        qsort(entries, (size_t)count, sizeof *entries, compare_entries);
        for (int64_t i = 0; i < kept; i++) {
            const int64_t o = (outer * kept + i) * inner + within;
            if (places == 2) problem->tensor[1].want[o] = rig_given(problem, 0)[entries[i].at];
            oracle_whole(problem, places, o, problem->tensor[places].view.dtype, entries[i].place);
        }
    }
    free(entries);
}

static struct test_case random_sort(const struct rig_operator *op, struct random *random,
                                    enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    int64_t dims[CASE_RANK];
    const int rank = random_shape(random, dims, ELEMENTS);
    const int axis = rank > 0 ? (int)random_below(random, rank) : 0;
    if (random_once_in(random, 3)) test.data = CASE_TIES;
    random_tensor(&test, random, op->tensor[0], dtype, dims, rank, false);
    random_number(&test, "dim", random_once_in(random, 2) ? axis - (rank > 0 ? rank : 1) : axis);
    if (is_named(op, "aclnnTopk")) {
        const int64_t k = rank > 0 ? random_between(random, 0, dims[axis]) : 1;
        if (rank > 0) dims[axis] = k;
        random_number(&test, "k", (double)k);
        random_number(&test, "largest", random_once_in(random, 2));
        random_number(&test, "sorted", random_once_in(random, 2));
    } else {
        random_number(&test, "descending", random_once_in(random, 2));
        if (is_named(op, "aclnnSort")) random_number(&test, "stable", random_once_in(random, 2));
    }
    for (int i = 1; op->tensor[i]; i++)
        random_tensor(&test, random, op->tensor[i],
                      op->tensor[i + 1]           ? dtype
                      : random_once_in(random, 2) ? CASE_I64
                                                  : CASE_I32,
                      dims, rank, true);
    return test;
}

const struct oracle_row oracle_sort_rows[] = {
    {.name = "aclnnSort",
     .oracle = sort,
     .random = random_sort,
     .lines =
         (const char *const[]){
             "sort f32 self=2x40000 dim=1 valuesOut=2x40000 indicesOut=2x40000:i64",
             "sort f64 self=70001 dim=0 descending=1 valuesOut=70001 indicesOut=70001:i32 "
             "data=ties",
             "sort f16 self=50000 dim=0 valuesOut=50000 indicesOut=50000:i64 data=special",
             "sort i8 self=3x16385 dim=1 valuesOut=3x16385 indicesOut=3x16385:i64",
             "sort i64 self=20000x2 dim=0 valuesOut=20000x2 indicesOut=20000x2:i64 data=special",
             "sort f32 self=1000x30:s1x1000 dim=-1 descending=1 valuesOut=1000x30 "
             "indicesOut=1000x30:i64",
             "sort bool self=900x70 dim=0 valuesOut=900x70 indicesOut=900x70:i64", NULL},
     .sound = "sort f32 self=2x3x4 dim=1 valuesOut=2x3x4 indicesOut=2x3x4:i64"},
    {.name = "aclnnArgsort",
     .oracle = sort,
     .random = random_sort,
     .lines = (const char *const[]){"argsort u8 self=40000 dim=0 out=40000:i64 data=ties", NULL},
     .sound = "argsort f32 self=2x3x4 dim=1 out=2x3x4:i64"},
    {.name = "aclnnTopk",
     .oracle = sort,
     .random = random_sort,
     .lines =
         (const char *const[]){
             "topk f32 self=3x70000 k=5 dim=1 largest=1 sorted=1 valuesOut=3x5 indicesOut=3x5:i64",
             "topk bf16 self=70000 k=20000 dim=0 largest=0 valuesOut=20000 indicesOut=20000:i64 "
             "data=special",
             "topk i64 self=40000 k=39999 dim=0 largest=1 valuesOut=39999 indicesOut=39999:i64",
             NULL},
     .sound = "topk f32 self=2x3x4 k=2 dim=1 largest=1 valuesOut=2x2x4 indicesOut=2x2x4:i64"},
    {.name = NULL},
};
