/* SPDX-License-Identifier: Apache-2.0 */
/* Maxima of bins, and the gradients that go back to them. */
#include "tests/support/rig_calls.h"
#include "tests/support/rig_random.h"
#include "tests/support/rows_indices.h"

enum { SELF, MAXIMA, INDICES };                            /* forward */
enum { GRAD_OUTPUT, GRAD_SELF, GRAD_INDICES, GRAD_INPUT }; /* backward */

/* ---- forward ---- */

static void arguments(const struct test_case *test, struct rig_call *call)
{
    call->array[0] = rig_small_size(test);
}

/* Where all extents are those of the input, no entry says so too; where they are alike, one. */
static void arguments_3d(const struct test_case *test, struct rig_call *call)
{
    bool is_input = true, is_cube = true;
    for (int i = 0; i < test->axes; i++) {
        is_input = is_input && test->output[i] == test->input[i];
        is_cube = is_cube && test->output[i] == test->output[0];
    }
    call->array[0] = rig_small_size(test);
    if (test->seed % 2 == 0 && is_cube) call->array[0].length = 1;
    if (test->seed % 2 == 0 && is_input) call->array[0].length = 0;
}

static void oracle(struct rig_problem *problem)
{
    const struct rig_tensor *x = &problem->tensor[SELF], *y = &problem->tensor[MAXIMA];
    const struct rig_tensor *places = &problem->tensor[INDICES];
    const struct oracle_problem bins = oracle_adaptive_problem_of(problem->test);
    const enum case_dtype dtype = x->view.dtype;
    for (int64_t o = 0; o < y->count; o++) {
        const uint64_t *plane = x->bits + o / bins.outputs * bins.inputs;
        const struct oracle_box box = oracle_box_of(&bins, o % bins.outputs);
        struct oracle_tap tap = oracle_first(&box);
        int64_t best = tap.offset;
        for (; tap.left > 0; oracle_next(&box, &tap))
            if (oracle_is_nan(dtype, plane[tap.offset]) ||
                oracle_greater(dtype, plane[tap.offset], plane[best]))
                best = tap.offset;
        y->want[o] = plane[best];
        places->want[o] = (uint64_t)best;
    }
}

static struct test_case random_2d(struct random *random, enum case_dtype dtype)
{
    return rig_random_adaptive(random, "adaptive_max_pool2d", dtype, 2,
                               RIG_ONLY_WIDE | RIG_ND_FORMAT | RIG_TIES);
}

static struct test_case random_3d(struct random *random, enum case_dtype dtype)
{
    return rig_random_adaptive(random, "adaptive_max_pool3d", dtype, 3,
                               RIG_WIDE_INDICES | RIG_ND_FORMAT | RIG_TIES);
}

const struct rig_operator rig_adaptive_max_pool2d = {
    .word = "adaptive_max_pool2d",
    RIG_CALL(aclnnAdaptiveMaxPool2d),
    .operand = {{RIG_READ, CASE_X, NULL, false},
                {RIG_EXACT, CASE_Y, NULL, false},
                {RIG_EXACT, CASE_I, NULL, false}},
    .arguments = arguments,
    .oracle = oracle,
    .random_case = random_2d,
};

const struct rig_operator rig_adaptive_max_pool3d = {
    .word = "adaptive_max_pool3d",
    RIG_CALL(aclnnAdaptiveMaxPool3d),
    .operand = {{RIG_READ, CASE_X, NULL, false},
                {RIG_EXACT, CASE_Y, NULL, false},
                {RIG_EXACT, CASE_I, NULL, false}},
    .arguments = arguments_3d,
    .oracle = oracle,
    .random_case = random_3d,
};

/* ---- backward ---- */

static void no_arguments(const struct test_case *test, struct rig_call *call)
{
    (void)test;
    (void)call;
}

static void fill(struct rig_problem *problem, struct random *random)
{
    rows_fill_indices(problem, GRAD_INDICES, random);
}

static void oracle_backward(struct rig_problem *problem)
{
    const struct rig_tensor *dy = &problem->tensor[GRAD_OUTPUT];
    const struct rig_tensor *dx = &problem->tensor[GRAD_INPUT];
    const struct oracle_problem bins = oracle_adaptive_problem_of(problem->test);
    if (dx->count == 0) return; /* nothing is looked at */
    for (int64_t i = 0; i < dx->count; i++)
        dx->sums[i] = (struct oracle_sum){0};
    for (int64_t i = 0; i < dy->count; i++) {
        const int64_t cell = rows_index(problem, GRAD_INDICES, i);
        if (cell < 0 || cell >= bins.inputs)
            rows_expect_bad_index(problem, i, cell);
        else
            oracle_add(&dx->sums[i / bins.outputs * bins.inputs + cell], dy->values[i]);
    }
}

static struct test_case random_backward(struct random *random, const char *word,
                                        enum case_dtype dtype, int axes)
{
    struct test_case test = rig_random_adaptive(random, word, dtype, axes,
                                                RIG_WIDE_INDICES | RIG_ND_FORMAT | RIG_ANY_PICKS);
    if (random_once_in(random, 8)) test.picks = CASE_BAD;
    return test;
}

static struct test_case random_2d_backward(struct random *random, enum case_dtype dtype)
{
    return random_backward(random, "adaptive_max_pool2d_backward", dtype, 2);
}

static struct test_case random_3d_backward(struct random *random, enum case_dtype dtype)
{
    return random_backward(random, "adaptive_max_pool3d_backward", dtype, 3);
}

const struct rig_operator rig_adaptive_max_pool2d_backward = {
    .word = "adaptive_max_pool2d_backward",
    RIG_CALL(aclnnAdaptiveMaxPool2dBackward),
    .operand = {{RIG_READ, CASE_DY, NULL, false},
                {RIG_SHAPE, CASE_X, NULL, false},
                {RIG_READ, CASE_I, NULL, false},
                {RIG_SUM, CASE_DX, NULL, false}},
    .arguments = no_arguments,
    .fill = fill,
    .oracle = oracle_backward,
    .runs_empty = true,
    .random_case = random_2d_backward,
};

const struct rig_operator rig_adaptive_max_pool3d_backward = {
    .word = "adaptive_max_pool3d_backward",
    RIG_CALL(aclnnAdaptiveMaxPool3dBackward),
    .operand = {{RIG_READ, CASE_DY, NULL, false},
                {RIG_SHAPE, CASE_X, NULL, false},
                {RIG_READ, CASE_I, NULL, false},
                {RIG_SUM, CASE_DX, NULL, false}},
    .arguments = no_arguments,
    .fill = fill,
    .oracle = oracle_backward,
    .runs_empty = true,
    .random_case = random_3d_backward,
};
