/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of maximum pooling that are ours: one that finds the maxima again, and one of indices
 * into the whole tensor. Compared bit for bit, as rows_max.c says. */
#include "tests/support/rows_max.h"

#include "tests/support/rig_calls.h"
#include "tests/support/rig_random.h"
#include "tests/support/rows.h"
#include "tests/support/rows_indices.h"

enum { GRAD_OUTPUT, RECOMPUTE_SELF = 1, RECOMPUTE_INPUT = 2, ONNX_INDICES = 1, ONNX_INPUT = 2 };

/* ---- maxima found again ---- */

static void arguments_recompute(const struct test_case *test, struct rig_call *call)
{
    call->array[0] = rig_kernel(test);
    call->array[1] = rig_stride(test);
    if (call->array[1].length == 0) call->array[1].is_null = true;
    call->array[2] = rig_pad(test);
    call->array[3] = rig_pad_end(test);
    call->array[4] = rig_dilation(test);
    call->number[0] = test->auto_pad;
    call->number[1] = test->ceil;
}

static void oracle_recompute(struct rig_problem *problem)
{
    const struct oracle_problem p = oracle_problem_of(problem->test);
    const struct rig_tensor *dy = &problem->tensor[GRAD_OUTPUT];
    const struct rig_tensor *x = &problem->tensor[RECOMPUTE_SELF];
    struct rig_tensor *dx = &problem->tensor[RECOMPUTE_INPUT];
    struct rows_gradient gradient = rows_gradient_begin(dx->count);
    for (int64_t i = 0; i < dy->count; i++) {
        const int64_t plane = i / p.outputs * p.inputs;
        const int64_t cell = rows_chosen(problem->test->dtype, &p, x->bits + plane, i % p.outputs);
        if (cell >= 0) gradient.sums[plane + cell] += (float)dy->values[i];
    }
    rows_gradient_end(&gradient, problem, dx);
}

static struct test_case random_recompute(struct random *random, enum case_dtype dtype)
{
    return rows_random_window(random, "aclnnext_max_pool_backward", dtype,
                              (int)random_between(random, 1, 3),
                              RIG_DILATION | RIG_END_PADS | RIG_AUTO_PAD | RIG_NULL_STRIDE |
                                  RIG_LAST_FORMAT | RIG_ND_FORMAT | RIG_BATCHED);
}

const struct rig_operator rig_aclnnext_max_pool_backward = {
    .word = "aclnnext_max_pool_backward",
    RIG_CALL(aclnnextMaxPoolBackward),
    .operand = {{RIG_READ, CASE_DY, NULL, false},
                {RIG_READ, CASE_X, NULL, false},
                {RIG_EXACT, CASE_DX, NULL, false}},
    .arguments = arguments_recompute,
    .oracle = oracle_recompute,
    .runs_empty = true,
    .is_batched = true,
    .random_case = random_recompute,
};

/* ---- indices into the whole ---- */

static void arguments_flat(const struct test_case *test, struct rig_call *call)
{
    call->number[0] = test->storage_order;
}

/* Where an index into the whole of gradInput points to, in the dense channels-first copy. */
static int64_t flat_element(const struct test_case *test, const struct oracle_problem *p,
                            int64_t index)
{
    if (index < 0 || index >= p->planes * p->inputs) return -1;
    int64_t plane = index / p->inputs, cell = index % p->inputs;
    if (rows_is_channels_last(test)) {
        cell = index / test->channels % p->inputs;
        plane = index / test->channels / p->inputs * test->channels + index % test->channels;
    }
    if (test->storage_order == 1) {
        const int64_t d = p->axis[0].input, h = p->axis[1].input, w = p->axis[2].input;
        cell = (cell % d * h + cell / d % h) * w + cell / d / h;
    }
    return plane * p->inputs + cell;
}

static void oracle_flat(struct rig_problem *problem)
{
    const struct test_case *test = problem->test;
    const struct oracle_problem p = oracle_problem_of(test);
    const struct rig_tensor *dy = &problem->tensor[GRAD_OUTPUT];
    struct rig_tensor *dx = &problem->tensor[ONNX_INPUT];
    struct rows_gradient gradient = rows_gradient_begin(dx->count);
    const int64_t per_image = p.outputs * test->channels;
    for (int64_t position = 0; dx->count > 0 && position < dy->count; position++) {
        int64_t i = position; /* terms in the logical order of the windows */
        if (rows_is_channels_last(test)) {
            const int64_t rest = position % per_image, channel = rest % test->channels;
            i = position - rest + channel * p.outputs + rest / test->channels;
        }
        const int64_t index = rows_index(problem, ONNX_INDICES, i);
        const int64_t element = flat_element(test, &p, index);
        if (element < 0)
            rows_gradient_bad(&gradient, position, index);
        else
            gradient.sums[element] += (float)dy->values[i];
    }
    rows_gradient_end(&gradient, problem, dx);
}

/* Taps of the own window; elements of the own plane or of any; the same, with some outside. */
static void fill_flat(struct rig_problem *problem, struct random *random)
{
    const struct test_case *test = problem->test;
    const struct oracle_problem p = oracle_problem_of(test);
    struct rig_tensor *indices = &problem->tensor[ONNX_INDICES];
    const bool crossing = test->picks != CASE_WINDOW && random_once_in(random, 2);
    for (int64_t i = 0; i < indices->count && p.inputs > 0; i++) {
        const struct oracle_box box = oracle_box_of(&p, i % p.outputs);
        struct oracle_tap tap = oracle_first(&box);
        const bool has_taps = tap.left > 0; /* the operator knows no windows */
        for (int64_t skip = has_taps ? random_below(random, tap.left) : 0; skip > 0; skip--)
            oracle_next(&box, &tap);
        int64_t cell = tap.offset, plane = i / p.outputs;
        if (test->picks != CASE_WINDOW || !has_taps) cell = random_below(random, p.inputs);
        if (crossing && random_once_in(random, 9)) plane = random_below(random, p.planes);
        if (test->storage_order == 1) {
            const int64_t d = p.axis[0].input, h = p.axis[1].input, w = p.axis[2].input;
            cell = cell / w / h + (cell / w % h + cell % w * h) * d;
        }
        int64_t index = plane * p.inputs + cell;
        if (rows_is_channels_last(test))
            index = (plane / test->channels * p.inputs + cell) * test->channels +
                    plane % test->channels;
        if (test->picks == CASE_BAD && random_once_in(random, 30))
            index = random_once_in(random, 2) ? -1 : p.planes * p.inputs;
        indices->bits[i] = indices->view.dtype == CASE_I64 ? (uint64_t)index : (uint32_t)index;
    }
}

static struct test_case random_flat(struct random *random, enum case_dtype dtype)
{
    struct test_case test = rows_random_window(
        random, "aclnnext_max_pool_grad", dtype, (int)random_between(random, 1, 3),
        RIG_WIDE_INDICES | RIG_ANY_PICKS | RIG_LAST_FORMAT | RIG_ND_FORMAT | RIG_BATCHED);
    test.storage_order = random_once_in(random, 3);
    return test;
}

const struct rig_operator rig_aclnnext_max_pool_grad = {
    .word = "aclnnext_max_pool_grad",
    RIG_CALL(aclnnextMaxPoolGrad),
    .operand = {{RIG_READ, CASE_DY, NULL, false},
                {RIG_READ, CASE_I, NULL, false},
                {RIG_EXACT, CASE_DX, NULL, false}},
    .arguments = arguments_flat,
    .fill = fill_flat,
    .oracle = oracle_flat,
    .runs_empty = true,
    .is_batched = true,
    .random_case = random_flat,
};
