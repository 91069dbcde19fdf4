/* SPDX-License-Identifier: Apache-2.0 */
/* Unpooling: values go to the cells that indices name, their gradients come from there. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/rig_calls.h"
#include "tests/support/rig_random.h"
#include "tests/support/rows_indices.h"

enum { FROM, INDICES, TO };                    /* of unpooling */
enum { GRAD_OUTPUT, SELF, GRAD_INDICES, OUT }; /* of its gradient */
enum { OUTPUT_SIZE, STRIDE, PADDING };

static void arguments(const struct test_case *test, struct rig_call *call)
{
    call->array[OUTPUT_SIZE] = rig_large_size(test);
}

/* Nothing depends on stride and padding, so they say anything that is legal, unless the case does.
 */
static void arguments_3d(const struct test_case *test, struct rig_call *call)
{
    call->array[OUTPUT_SIZE] = rig_large_size(test);
    call->array[STRIDE] = (struct rig_array){.length = 3, .values = {2, 1, INT64_MAX}};
    call->array[PADDING] = (struct rig_array){.length = 3, .values = {0, -1, INT64_MIN}};
    if (test->stride_length <= 0) return;
    call->array[STRIDE] = rig_stride(test);
    call->array[PADDING] = rig_pad(test);
}

/* ---- forward ---- */

static void fill(struct rig_problem *problem, struct random *random)
{
    rows_fill_indices(problem, INDICES, random);
}

static void oracle(struct rig_problem *problem)
{
    const struct rig_tensor *from = &problem->tensor[FROM], *to = &problem->tensor[TO];
    const struct oracle_problem planes = oracle_adaptive_problem_of(problem->test);
    for (int64_t i = 0; i < to->count; i++)
        to->want[i] = 0;
    for (int64_t i = 0; i < from->count; i++) {
        const int64_t cell = rows_index(problem, INDICES, i);
        if (cell < 0 || cell >= planes.inputs)
            rows_expect_bad_index(problem, i, cell);
        else
            to->want[i / planes.outputs * planes.inputs + cell] = from->bits[i];
    }
}

static struct test_case random_any(struct random *random, const char *word, enum case_dtype dtype,
                                   int axes, unsigned traits)
{
    struct test_case test =
        rig_random_unpool(random, word, dtype, axes, traits | RIG_ANY_PICKS | RIG_ND_FORMAT);
    if (random_once_in(random, 8)) test.picks = CASE_BAD;
    return test;
}

static struct test_case random_2d(struct random *random, enum case_dtype dtype)
{
    return random_any(random, "max_unpool2d", dtype, 2, RIG_WIDE_INDICES);
}

static struct test_case random_3d(struct random *random, enum case_dtype dtype)
{
    struct test_case test = random_any(random, "max_unpool3d", dtype, 3, RIG_WIDE_INDICES);
    test.x_layout = CASE_CONTIGUOUS;
    return test;
}

const struct rig_operator rig_max_unpool2d = {
    .word = "max_unpool2d",
    RIG_CALL(aclnnMaxUnpool2d),
    .operand = {{RIG_READ, CASE_Y, NULL, false},
                {RIG_READ, CASE_I, NULL, false},
                {RIG_EXACT, CASE_X, NULL, false}},
    .arguments = arguments,
    .fill = fill,
    .oracle = oracle,
    .random_case = random_2d,
};

const struct rig_operator rig_max_unpool3d = {
    .word = "max_unpool3d",
    RIG_CALL(aclnnMaxUnpool3d),
    .operand = {{RIG_READ, CASE_Y, NULL, false},
                {RIG_READ, CASE_I, NULL, false},
                {RIG_EXACT, CASE_X, NULL, false}},
    .arguments = arguments_3d,
    .fill = fill,
    .oracle = oracle,
    .random_case = random_3d,
};

/* ---- backward ---- */

static void fill_backward(struct rig_problem *problem, struct random *random)
{
    rows_fill_indices(problem, GRAD_INDICES, random);
}

/* An integer as a double that rounds to every floating type as the integer does: what 53 bits
 * cannot hold is remembered in the last of them. */
static double wide_double(int64_t value)
{
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    if (magnitude >> 53 != 0)
        magnitude = (magnitude & ~(uint64_t)0x7ff) | ((magnitude & 0x7ff) != 0) << 11;
    return value < 0 ? -(double)magnitude : (double)magnitude;
}

static uint64_t cast_bits(enum case_dtype from, enum case_dtype to, uint64_t bits)
{
    if (from == to) return bits;
    if (oracle_is_float(from)) return oracle_to_bits(to, oracle_from_bits(from, bits));
    const int64_t value = from == CASE_BOOL ? bits != 0 : oracle_integer(from, bits);
    if (oracle_is_float(to)) return oracle_to_bits(to, wide_double(value));
    const int size = (int)operand_element_size(to);
    return size == 8 ? (uint64_t)value : (uint64_t)value & ((UINT64_C(1) << 8 * size) - 1);
}

static void oracle_backward(struct rig_problem *problem)
{
    const struct rig_tensor *dx = &problem->tensor[GRAD_OUTPUT], *dy = &problem->tensor[OUT];
    const struct oracle_problem planes = oracle_adaptive_problem_of(problem->test);
    for (int64_t i = 0; i < dy->count; i++) {
        const int64_t cell = rows_index(problem, GRAD_INDICES, i);
        uint64_t bits = 0;
        if (cell < 0 || cell >= planes.inputs)
            rows_expect_bad_index(problem, i, cell);
        else
            bits = dx->bits[i / planes.outputs * planes.inputs + cell];
        dy->want[i] = cast_bits(dx->view.dtype, dy->view.dtype, bits);
    }
}

static void set_result_type(const struct test_case *test, struct operand *operand)
{
    if (!test->has_result_dtype) return;
    operand->dtype = test->result_dtype;
    operand->type = operand_acl_type(test->result_dtype);
}

static struct test_case random_2d_backward(struct random *random, enum case_dtype dtype)
{
    static const enum case_dtype types[] = {CASE_F32, CASE_F16, CASE_BF16, CASE_I8,  CASE_U8,
                                            CASE_I16, CASE_I32, CASE_I64,  CASE_BOOL};
    struct test_case test = random_any(random, "max_unpool2d_backward", dtype, 2, RIG_WIDE_INDICES);
    test.has_result_dtype = random_once_in(random, 2);
    test.result_dtype = types[random_below(random, sizeof types / sizeof types[0])];
    if (!rows_is_castable(dtype, test.result_dtype)) test.has_result_dtype = false;
    return test;
}

static struct test_case random_3d_backward(struct random *random, enum case_dtype dtype)
{
    struct test_case test = random_any(random, "max_unpool3d_backward", dtype, 3, RIG_ONLY_WIDE);
    test.dy_layout = CASE_CONTIGUOUS;
    return test;
}

const struct rig_operator rig_max_unpool2d_backward = {
    .word = "max_unpool2d_backward",
    RIG_CALL(aclnnMaxUnpool2dBackward),
    .operand = {{RIG_READ, CASE_DX, NULL, false},
                {RIG_SHAPE, CASE_Y, NULL, false},
                {RIG_READ, CASE_I, NULL, false},
                {RIG_EXACT, CASE_DY, set_result_type, false}},
    .arguments = arguments,
    .fill = fill_backward,
    .oracle = oracle_backward,
    .random_case = random_2d_backward,
};

const struct rig_operator rig_max_unpool3d_backward = {
    .word = "max_unpool3d_backward",
    RIG_CALL(aclnnMaxUnpool3dBackward),
    .operand = {{RIG_READ, CASE_DX, NULL, false},
                {RIG_SHAPE, CASE_Y, NULL, false},
                {RIG_READ, CASE_I, NULL, false},
                {RIG_EXACT, CASE_DY, NULL, false}},
    .arguments = arguments_3d,
    .fill = fill_backward,
    .oracle = oracle_backward,
    .random_case = random_3d_backward,
};
