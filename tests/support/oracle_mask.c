/* SPDX-License-Identifier: Apache-2.0 */
/* Operators whose result only a mask tells. What lies behind it is not written. */
#include <inttypes.h>
#include <stdio.h>

#include "tests/support/oracle_index.h"

static void masked_select(struct rig_problem *problem)
{
    const struct operand *self = &problem->tensor[0].view, *mask = &problem->tensor[1].view;
    struct operand joint = {.rank = self->rank > mask->rank ? self->rank : mask->rank};
    int64_t count = 0;
    for (int i = 1; i <= joint.rank; i++) {
        const int64_t of_self = i <= self->rank ? self->dims[self->rank - i] : 1;
        const int64_t of_mask = i <= mask->rank ? mask->dims[mask->rank - i] : 1;
        joint.dims[joint.rank - i] = of_self == 1 ? of_mask : of_self;
    }
    for (int64_t i = 0; i < problem->tensor[2].count; i++)
        if (rig_given(problem, 1)[oracle_broadcast(&joint, i, mask)] != 0)
            shape_put(problem, 2, count++, 0, oracle_broadcast(&joint, i, self));
    for (; count < problem->tensor[2].count; count++)
        index_unwritten(problem, 2, count);
}

static bool is_set(const struct rig_problem *problem, int64_t i)
{
    if (!oracle_is_float(problem->tensor[0].view.dtype)) return oracle_whole_value(problem, 0, i);
    return oracle_value(problem, 0, i) != 0;
}

/* Of columns the results lie side by side: out is dense. */
static void nonzero(struct rig_problem *problem)
{
    const struct operand *self = &problem->tensor[0].view;
    const bool has_columns = problem->op->name[sizeof "aclnnNonzero" - 1] != '\0';
    int64_t total = 0, count = 0;
    for (int64_t i = 0; i < problem->tensor[0].count; i++)
        total += is_set(problem, i);
    for (int64_t i = 0; i < problem->tensor[1].count; i++)
        index_unwritten(problem, 1, i);
    for (int64_t i = 0; i < problem->tensor[0].count; i++) {
        int64_t at[RANK] = {0};
        if (!is_set(problem, i)) continue;
        shape_indices(self, i, at);
        for (int axis = 0; axis < self->rank; axis++)
            oracle_whole(problem, 1, has_columns ? axis * total + count : count * self->rank + axis,
                         CASE_I64, at[axis]);
        count++;
    }
}

static void masked_scatter(struct rig_problem *problem)
{
    const struct operand *self = &problem->tensor[0].view, *mask = &problem->tensor[1].view;
    const int64_t room = problem->tensor[2].count;
    int64_t count = 0;
    for (int64_t i = 0; i < problem->tensor[0].count; i++) {
        if (rig_given(problem, 1)[oracle_broadcast(self, i, mask)] == 0 || count++ >= room)
            shape_put(problem, 0, i, 0, i);
        else
            shape_put(problem, 0, i, 2, count - 1);
    }
    if (count <= room) return;
    problem->sync_code = ACL_ERROR_RT_AICORE_EXCEPTION;
    snprintf(problem->sync_words, sizeof problem->sync_words,
             "mask selects %" PRId64 " elements; source has %" PRId64, count, room);
}

/* Axes of one element in front of it, or of it. */
static struct shape narrowed(struct random *random, const struct shape *shape)
{
    const int left = random_once_in(random, 3) ? (int)random_between(random, 0, shape->rank) : 0;
    struct shape narrow = {.rank = shape->rank - left};
    for (int i = 0; i < narrow.rank; i++)
        narrow.dims[i] = random_once_in(random, 4) ? 1 : shape->dims[i + left];
    return narrow;
}

static struct test_case random_masked_select(const struct rig_operator *op, struct random *random,
                                             enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const struct shape whole = shape_some(random, 0, RANK);
    const bool is_narrow = random_once_in(random, 2);
    const struct shape part = narrowed(random, &whole);
    struct shape out = {.rank = 1, .dims = {1}};
    for (int i = 0; i < whole.rank; i++)
        out.dims[0] *= whole.dims[i];
    shape_tensor(&test, random, "self", dtype, is_narrow ? &part : &whole, false);
    shape_tensor(&test, random, "mask", random_once_in(random, 3) ? CASE_U8 : CASE_BOOL,
                 is_narrow ? &whole : &part, false);
    shape_tensor(&test, random, "out", dtype, &out, true);
    return test;
}

static struct test_case random_masked_scatter(const struct rig_operator *op, struct random *random,
                                              enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const struct shape self = shape_some(random, 0, RANK);
    const struct shape mask = narrowed(random, &self);
    struct shape source = {.rank = 2, .dims = {random_between(random, 0, 9), 1}};
    for (int i = 0; i < self.rank; i++)
        source.dims[1] *= self.dims[i];
    shape_tensor(&test, random, "selfRef", dtype, &self, true);
    shape_tensor(&test, random, "mask", random_once_in(random, 3) ? CASE_U8 : CASE_BOOL, &mask,
                 false);
    if (random_once_in(random, 6)) source.dims[1] = random_between(random, 0, 9);
    shape_tensor(&test, random, "source", dtype, &source, false);
    return test;
}

static struct test_case random_nonzero(const struct rig_operator *op, struct random *random,
                                       enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const bool has_columns = op->name[sizeof "aclnnNonzero" - 1] != '\0';
    const struct shape self = shape_some(random, 0, RANK);
    struct shape out = {.rank = 2, .dims = {1, 1}};
    int64_t *elements = &out.dims[has_columns];
    for (int i = 0; i < self.rank; i++)
        *elements *= self.dims[i];
    out.dims[!has_columns] = self.rank;
    if (self.rank == 0 && random_once_in(random, 2)) *elements = 0; /* no room for nothing */
    shape_tensor(&test, random, "self", dtype, &self, false);
    struct case_argument *to = shape_tensor(&test, random, "out", CASE_I64, &out, true);
    if (has_columns) to->layout = CASE_CONTIGUOUS;
    return test;
}

static void fill_mask(struct rig_problem *problem, struct random *random)
{
    for (int64_t i = 0; i < problem->tensor[1].count; i++)
        problem->tensor[1].bits[i] = random_once_in(random, 3);
}

/* Half of the elements are 0. */
static void fill_nonzero(struct rig_problem *problem, struct random *random)
{
    for (int64_t i = 0; i < problem->tensor[0].count; i++)
        if (random_once_in(random, 2)) problem->tensor[0].bits[i] = 0;
}

const struct oracle_row oracle_mask_rows[] = {
    {.name = "aclnnMaskedSelect",
     .oracle = masked_select,
     .random = random_masked_select,
     .lines = LINES("masked_select f32 self=101x203 mask=101x203:bool out=20503",
                    "masked_select f16 self=203 mask=101x1:bool out=20503:s3"),
     .sound = "masked_select f32 self=2x3 mask=2x3:bool out=6"},
    {.name = "aclnnInplaceMaskedScatter",
     .oracle = masked_scatter,
     .random = random_masked_scatter,
     .fill = fill_mask,
     .sound = "inplace_masked_scatter f32 selfRef=2x3 mask=2x3:bool source=6x1"},
    {.name = "aclnnNonzero",
     .oracle = nonzero,
     .random = random_nonzero,
     .fill = fill_nonzero,
     .lines = LINES("nonzero f32 self=101x103 out=10403x2:i64",
                    "nonzero bool self=2x3x5x7x11 out=2310x5:i64:s1x2310"),
     .sound = "nonzero f32 self=2x3 out=6x2:i64"},
    {.name = "aclnnNonzeroV2",
     .oracle = nonzero,
     .random = random_nonzero,
     .fill = fill_nonzero,
     .lines = LINES("nonzero_v2 f32 self=101x103 out=2x10403:i64"),
     .sound = "nonzero_v2 f32 self=2x3 out=2x6:i64"},
    {.name = NULL},
};
