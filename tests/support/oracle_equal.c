/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnEqual. */
#include <string.h>

#include "tests/support/oracle_rows.h"

enum { SELF, OTHER, OUT };

static bool is_one_shape(const struct operand *a, const struct operand *b)
{
    return a->rank == b->rank && memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) == 0;
}

/* An element as the type in which is compared. */
static uint64_t as_type(const struct rig_problem *problem, int operand, int64_t i,
                        enum case_dtype type)
{
    const enum case_dtype own = problem->tensor[operand].view.dtype;
    const uint64_t bits = rig_given(problem, operand)[i];
    if (own == type) return bits;
    return oracle_is_float(own) ? oracle_cast_real(type, oracle_from_bits(own, bits))
                                : oracle_cast_whole(type, oracle_integer(own, bits));
}

static void equal(struct rig_problem *problem)
{
    const struct rig_tensor *self = &problem->tensor[SELF], *other = &problem->tensor[OTHER];
    const enum case_dtype type = oracle_promote(self->view.dtype, other->view.dtype);
    bool is_equal = is_one_shape(&self->view, &other->view);
    for (int64_t i = 0; is_equal && i < self->count; i++) {
        const uint64_t a = as_type(problem, SELF, i, type), b = as_type(problem, OTHER, i, type);
        is_equal =
            oracle_is_float(type) ? oracle_from_bits(type, a) == oracle_from_bits(type, b) : a == b;
    }
    oracle_whole(problem, OUT, 0, CASE_BOOL, is_equal);
}

/* Half of them of booleans and few elements, for those are equal at times. */
static struct test_case random_equal(const struct rig_operator *op, struct random *random,
                                     enum case_dtype dtype)
{
    const bool is_small = random_once_in(random, 2);
    struct test_case test = random_start(op, random, dtype);
    int64_t dims[CASE_RANK], others[CASE_RANK], one[CASE_RANK] = {1, 1, 1};
    int rank = random_shape(random, dims, is_small ? 2 : 1000), other_rank = rank;
    memcpy(others, dims, sizeof others);
    if (random_once_in(random, 6)) other_rank = random_shape(random, others, 1000);
    const enum case_dtype first = is_small ? CASE_BOOL : dtype;
    random_tensor(&test, random, "self", first, dims, rank, false);
    random_tensor(&test, random, "other",
                  random_once_in(random, 2) ? first : random_dtype(op, random), others, other_rank,
                  false);
    random_tensor(&test, random, "out", CASE_BOOL, one, (int)random_below(random, 4), true);
    return test;
}

const struct oracle_row oracle_equal_rows[] = {
    {.name = "aclnnEqual",
     .oracle = equal,
     .random = random_equal,
     .lines = (const char *const[]){"equal f32 self=0x3 other=0x3 out=1:bool",
                                    "equal f32 self=0x3 other=3x0 out=1:bool",
                                    "equal bool self=1 other=1 out=scalar seed=1",
                                    "equal bool self=1 other=1 out=scalar seed=2",
                                    "equal bool self=1 other=1 out=scalar seed=3",
                                    "equal f16 self=300x400 other=300x400:f32 out=1x1:bool", NULL},
     .sound = "equal f32 self=2x3x4 other=2x3x4 out=1x1x1:bool"},
    {.name = NULL},
};
