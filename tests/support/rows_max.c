/* SPDX-License-Identifier: Apache-2.0 */
/* Maximum pooling: the first largest tap of each window, or its last NaN; gradients go there. Sums
 * have one order (windows in row-major order, from +0, in float), so all is compared bit for bit.
 */
#include "tests/support/rows_max.h"

#include <stdlib.h>

#include "tests/support/rig_calls.h"
#include "tests/support/rig_random.h"
#include "tests/support/rows.h"
#include "tests/support/rows_indices.h"

enum { KERNEL, STRIDE, PADDING, DILATION };
enum { SELF, OUT, INDICES };                               /* of pooling */
enum { GRAD_OUTPUT, GRAD_SELF, GRAD_INDICES, GRAD_INPUT }; /* of its gradient */

/* ---- the definition ---- */

bool rows_is_channels_last(const struct test_case *test)
{
    return test->format == CASE_NHWC || test->format == CASE_NDHWC;
}

int64_t rows_chosen(enum case_dtype dtype, const struct oracle_problem *problem,
                    const uint64_t *plane, int64_t window)
{
    const struct oracle_box box = oracle_box_of(problem, window);
    int64_t best = -1;
    for (struct oracle_tap tap = oracle_first(&box); tap.left > 0; oracle_next(&box, &tap))
        if (best < 0 || oracle_greater(dtype, plane[tap.offset], plane[best]) ||
            oracle_is_nan(dtype, plane[tap.offset]))
            best = tap.offset;
    return best;
}

static uint64_t lowest(enum case_dtype dtype)
{
    switch (dtype) {
    case CASE_I8:
        return 0x80;
    case CASE_I16:
        return 0x8000;
    case CASE_I32:
        return 0x80000000;
    case CASE_I64:
        return UINT64_C(1) << 63;
    default:
        return oracle_is_float(dtype) ? oracle_to_bits(dtype, -1.0 / 0.0) : 0;
    }
}

/* With one tap a mask has no room for places, and needs none. */
static bool is_unit(const struct test_case *test)
{
    return case_window(test, 0).kernel * case_window(test, 1).kernel == 1;
}

/* out, and indices if there are any; wanted values of a mask are bytes. */
static void forward(struct rig_problem *problem, bool has_indices, bool is_mask)
{
    const struct oracle_problem p = oracle_problem_of(problem->test);
    const struct rig_tensor *x = &problem->tensor[SELF];
    struct rig_tensor *y = &problem->tensor[OUT], *indices = &problem->tensor[INDICES];
    const bool unit = is_mask && is_unit(problem->test);
    for (int64_t i = 0; is_mask && i < indices->count; i++)
        indices->want[i] = unit ? 0xff : 0;
    for (int64_t i = 0; i < y->count; i++) {
        const uint64_t *plane = x->bits + i / p.outputs * p.inputs;
        const int64_t cell = rows_chosen(problem->test->dtype, &p, plane, i % p.outputs);
        y->want[i] = cell < 0 ? lowest(problem->test->dtype) : plane[cell];
        if (has_indices && !is_mask)
            indices->want[i] = indices->view.dtype == CASE_I64 ? (uint64_t)cell : (uint32_t)cell;
        for (int byte = 0; is_mask && !unit && byte < 4; byte++)
            indices->want[4 * i + byte] = (uint64_t)cell >> 8 * byte & 0xff;
    }
}

static void oracle_forward(struct rig_problem *problem)
{
    forward(problem, true, false);
}

static void oracle_values(struct rig_problem *problem)
{
    forward(problem, false, false);
}

static void oracle_mask(struct rig_problem *problem)
{
    forward(problem, true, true);
}

/* An index as it lies in the operand: a mask holds bytes. */
static int64_t index_at(const struct rig_tensor *indices, bool is_mask, int64_t i)
{
    if (!is_mask) return oracle_integer(indices->view.dtype, indices->bits[i]);
    uint32_t value = 0;
    for (int byte = 0; byte < 4; byte++)
        value |= (uint32_t)(indices->bits[4 * i + byte] & 0xff) << 8 * byte;
    return (int32_t)value;
}

static void set_index(struct rig_tensor *indices, bool is_mask, int64_t i, int64_t value)
{
    if (!is_mask)
        indices->bits[i] = indices->view.dtype == CASE_I64 ? (uint64_t)value : (uint32_t)value;
    for (int byte = 0; is_mask && byte < 4; byte++)
        indices->bits[4 * i + byte] = (uint64_t)value >> 8 * byte & 0xff;
}

/* The position of dense element i (channels first) of the small side in its logical order. */
static int64_t position_of(const struct test_case *test, int64_t i, int64_t windows)
{
    if (!rows_is_channels_last(test)) return i;
    const int64_t plane = i / windows, batch = plane / test->channels;
    return (batch * windows + i % windows) * test->channels + plane % test->channels;
}

struct rows_gradient rows_gradient_begin(int64_t count)
{
    struct rows_gradient gradient = {calloc((size_t)count + 1, sizeof(float)), INT64_MAX, 0};
    if (!gradient.sums) abort();
    return gradient;
}

void rows_gradient_bad(struct rows_gradient *gradient, int64_t position, int64_t value)
{
    if (position >= gradient->first_bad) return;
    gradient->first_bad = position;
    gradient->bad_value = value;
}

void rows_gradient_end(struct rows_gradient *gradient, struct rig_problem *problem,
                       struct rig_tensor *dx)
{
    for (int64_t i = 0; i < dx->count; i++)
        dx->want[i] = oracle_to_bits(problem->test->dtype, gradient->sums[i]);
    free(gradient->sums);
    if (gradient->first_bad != INT64_MAX)
        rows_expect_bad_index(problem, gradient->first_bad, gradient->bad_value);
}

static void backward(struct rig_problem *problem, bool is_mask)
{
    const struct test_case *test = problem->test;
    const struct oracle_problem p = oracle_problem_of(test);
    const struct rig_tensor *dy = &problem->tensor[GRAD_OUTPUT];
    const struct rig_tensor *indices = &problem->tensor[GRAD_INDICES];
    struct rig_tensor *dx = &problem->tensor[GRAD_INPUT];
    const bool unit = is_mask && is_unit(test);
    struct rows_gradient gradient = rows_gradient_begin(dx->count);
    for (int64_t i = 0; dx->count > 0 && i < dy->count; i++) {
        int64_t cell = unit ? 0 : index_at(indices, is_mask, i);
        if (unit) {
            const struct oracle_box box = oracle_box_of(&p, i % p.outputs);
            cell = oracle_first(&box).offset;
        }
        if (cell < 0 || cell >= p.inputs)
            rows_gradient_bad(&gradient, position_of(test, i, p.outputs), cell);
        else
            gradient.sums[i / p.outputs * p.inputs + cell] += (float)dy->values[i];
    }
    rows_gradient_end(&gradient, problem, dx);
}

static void oracle_backward(struct rig_problem *problem)
{
    backward(problem, false);
}

static void oracle_mask_backward(struct rig_problem *problem)
{
    backward(problem, true);
}

/* Any tap of the window; anywhere in the plane; the same, with some outside of it. */
static void fill_any(struct rig_problem *problem, struct random *random, bool is_mask)
{
    const struct oracle_problem p = oracle_problem_of(problem->test);
    struct rig_tensor *indices = &problem->tensor[GRAD_INDICES];
    const int64_t count = problem->tensor[GRAD_OUTPUT].count;
    const bool some = random_once_in(random, 2); /* else only some are elsewhere */
    for (int64_t i = 0; i < count && p.inputs > 0; i++) {
        if (is_mask && is_unit(problem->test)) break;
        const struct oracle_box box = oracle_box_of(&p, i % p.outputs);
        struct oracle_tap tap = oracle_first(&box);
        for (int64_t skip = random_below(random, tap.left); skip > 0; skip--)
            oracle_next(&box, &tap);
        int64_t cell = tap.offset;
        if (problem->test->picks != CASE_WINDOW && (some || random_once_in(random, 30)))
            cell = random_below(random, p.inputs);
        if (problem->test->picks == CASE_BAD && random_once_in(random, 30)) {
            const int64_t wide[] = {-1, p.inputs, INT64_MAX, INT64_MIN, (INT64_C(1) << 32) + cell};
            const int64_t narrow[] = {-1, p.inputs, INT32_MAX, INT32_MIN, p.inputs + 7};
            const bool is_wide = !is_mask && indices->view.dtype == CASE_I64;
            cell = (is_wide ? wide : narrow)[random_below(random, 5)];
        }
        set_index(indices, is_mask, i, cell);
    }
}

static void fill_indices(struct rig_problem *problem, struct random *random)
{
    fill_any(problem, random, false);
}

static void fill_mask(struct rig_problem *problem, struct random *random)
{
    fill_any(problem, random, true);
}

/* ---- arguments ---- */

static void arguments(const struct test_case *test, struct rig_call *call)
{
    call->array[KERNEL] = rig_kernel(test);
    call->array[STRIDE] = rig_stride(test);
    call->array[PADDING] = rig_pad(test);
    call->array[DILATION] = rig_dilation(test);
    call->number[0] = test->ceil;
}

/* (N, C, kernel, (ceil(windows / 16) + 1) * 32) bytes. */
static void mask_shape(const struct test_case *test, struct operand *operand)
{
    const struct case_window h = case_window(test, 0), w = case_window(test, 1);
    const int64_t windows = h.output * w.output;
    int64_t dims[4], rank = 0;
    if (test->batched) dims[rank++] = test->batch;
    dims[rank++] = test->channels;
    dims[rank++] = h.kernel * w.kernel;
    dims[rank++] = ((windows + 15) / 16 + 1) * 32;
    operand->dtype = CASE_I8;
    operand->type = ACL_INT8;
    operand->offset = 0;
    operand_reshape(operand, dims, (int)rank, CASE_CONTIGUOUS, 0);
}

/* ---- random cases ---- */

/* Has every window a tap inside the input? A dilation can leave some without. */
static bool has_taps(const struct test_case *test)
{
    for (int axis = 0; axis < test->axes; axis++) {
        const struct case_window window = case_window(test, axis);
        for (int64_t w = 0; w < window.output; w++)
            if (oracle_span(&window, w).taps == 0) return false;
    }
    return true;
}

struct test_case rows_random_window(struct random *random, const char *word, enum case_dtype dtype,
                                    int axes, unsigned traits)
{
    struct test_case test;
    do {
        test = rig_random_window(random, word, dtype, axes, traits | RIG_CEIL | RIG_TIES);
    } while (!has_taps(&test));
    if ((traits & RIG_ANY_PICKS) && random_once_in(random, 6)) test.picks = CASE_BAD;
    return test;
}

static struct test_case random_indices(struct random *random, enum case_dtype dtype)
{
    return rows_random_window(random, "max_pool2d_with_indices", dtype, 2,
                              RIG_DILATION | RIG_WIDE_INDICES | RIG_LAST_FORMAT | RIG_ND_FORMAT);
}

static struct test_case random_mask(struct random *random, enum case_dtype dtype)
{
    return rows_random_window(random, "max_pool2d_with_mask", dtype, 2, RIG_ND_FORMAT);
}

static struct test_case random_argmax(struct random *random, enum case_dtype dtype)
{
    return rows_random_window(random, "max_pool3d_with_argmax", dtype, 3,
                              RIG_DILATION | RIG_WIDE_INDICES | RIG_LAST_FORMAT | RIG_ND_FORMAT);
}

static struct test_case random_indices_backward(struct random *random, enum case_dtype dtype)
{
    return rows_random_window(random, "max_pool2d_with_indices_backward", dtype, 2,
                              RIG_DILATION | RIG_WIDE_INDICES | RIG_LAST_FORMAT | RIG_ND_FORMAT |
                                  RIG_ANY_PICKS);
}

static struct test_case random_mask_backward(struct random *random, enum case_dtype dtype)
{
    return rows_random_window(random, "max_pool2d_with_mask_backward", dtype, 2,
                              RIG_ND_FORMAT | RIG_ANY_PICKS);
}

static struct test_case random_argmax_backward(struct random *random, enum case_dtype dtype)
{
    return rows_random_window(random, "max_pool3d_with_argmax_backward", dtype, 3,
                              RIG_DILATION | RIG_WIDE_INDICES | RIG_ND_FORMAT | RIG_ANY_PICKS);
}

/* ---- CANN's rows ---- */

const struct rig_operator rig_max_pool2d_with_indices = {
    .word = "max_pool2d_with_indices",
    RIG_CALL(aclnnMaxPool2dWithIndices),
    .operand = {{RIG_READ, CASE_X, NULL, false},
                {RIG_EXACT, CASE_Y, NULL, false},
                {RIG_EXACT, CASE_I, NULL, false}},
    .arguments = arguments,
    .oracle = oracle_forward,
    .random_case = random_indices,
};

const struct rig_operator rig_max_pool2d_with_mask = {
    .word = "max_pool2d_with_mask",
    RIG_CALL(aclnnMaxPool2dWithMask),
    .operand = {{RIG_READ, CASE_X, NULL, false},
                {RIG_EXACT, CASE_Y, NULL, false},
                {RIG_EXACT, CASE_I, mask_shape, false}},
    .arguments = arguments,
    .oracle = oracle_mask,
    .random_case = random_mask,
};

const struct rig_operator rig_max_pool3d_with_argmax = {
    .word = "max_pool3d_with_argmax",
    RIG_CALL(aclnnMaxPool3dWithArgmax),
    .operand = {{RIG_READ, CASE_X, NULL, false},
                {RIG_EXACT, CASE_Y, NULL, false},
                {RIG_EXACT, CASE_I, NULL, false}},
    .arguments = arguments,
    .oracle = oracle_forward,
    .random_case = random_argmax,
};

const struct rig_operator rig_max_pool2d_with_indices_backward = {
    .word = "max_pool2d_with_indices_backward",
    RIG_CALL(aclnnMaxPool2dWithIndicesBackward),
    .operand = {{RIG_READ, CASE_DY, NULL, false},
                {RIG_SHAPE, CASE_X, NULL, false},
                {RIG_READ, CASE_I, NULL, false},
                {RIG_EXACT, CASE_DX, NULL, false}},
    .arguments = arguments,
    .fill = fill_indices,
    .oracle = oracle_backward,
    .random_case = random_indices_backward,
};

const struct rig_operator rig_max_pool2d_with_mask_backward = {
    .word = "max_pool2d_with_mask_backward",
    RIG_CALL(aclnnMaxPool2dWithMaskBackward),
    .operand = {{RIG_READ, CASE_DY, NULL, false},
                {RIG_SHAPE, CASE_X, NULL, false},
                {RIG_READ, CASE_I, mask_shape, false},
                {RIG_EXACT, CASE_DX, NULL, false}},
    .arguments = arguments,
    .fill = fill_mask,
    .oracle = oracle_mask_backward,
    .random_case = random_mask_backward,
};

const struct rig_operator rig_max_pool3d_with_argmax_backward = {
    .word = "max_pool3d_with_argmax_backward",
    RIG_CALL(aclnnMaxPool3dWithArgmaxBackward),
    .operand = {{RIG_READ, CASE_DY, NULL, false},
                {RIG_SHAPE, CASE_X, NULL, false},
                {RIG_READ, CASE_I, NULL, false},
                {RIG_EXACT, CASE_DX, NULL, false}},
    .arguments = arguments,
    .fill = fill_indices,
    .oracle = oracle_backward,
    .runs_empty = true,
    .random_case = random_argmax_backward,
};

/* ---- without indices ---- */

static void arguments_onnx(const struct test_case *test, struct rig_call *call)
{
    call->array[0] = rig_kernel(test);
    call->array[1] = rig_stride(test);
    call->array[2] = rig_pads(test);
    call->array[3] = rig_dilation(test);
    call->number[0] = test->auto_pad;
    call->number[1] = test->ceil;
}

static struct test_case random_onnx(struct random *random, enum case_dtype dtype)
{
    return rig_random_window(random, "max_pool", dtype, 2,
                             RIG_CEIL | RIG_TIES | RIG_END_PADS | RIG_ND_FORMAT);
}

const struct rig_operator rig_max_pool = {
    .word = "max_pool",
    RIG_CALL(aclnnMaxPool),
    .operand = {{RIG_READ, CASE_X, NULL, false}, {RIG_EXACT, CASE_Y, NULL, false}},
    .arguments = arguments_onnx,
    .oracle = oracle_values,
    .random_case = random_onnx,
};

static void no_arguments(const struct test_case *test, struct rig_call *call)
{
    (void)test;
    (void)call;
}

static void oracle_global(struct rig_problem *problem)
{
    const struct rig_tensor *x = &problem->tensor[SELF];
    struct rig_tensor *y = &problem->tensor[OUT];
    const enum case_dtype dtype = problem->test->dtype;
    const int64_t cells = y->count ? x->count / y->count : 0;
    for (int64_t i = 0; i < y->count; i++) {
        y->want[i] = lowest(dtype);
        for (const uint64_t *at = x->bits + i * cells; at < x->bits + (i + 1) * cells; at++)
            if (oracle_greater(dtype, *at, y->want[i]) || oracle_is_nan(dtype, *at))
                y->want[i] = *at;
    }
}

static struct test_case random_global(struct random *random, enum case_dtype dtype)
{
    return rig_random_global(random, "global_max_pool", dtype, RIG_TIES);
}

const struct rig_operator rig_global_max_pool = {
    .word = "global_max_pool",
    RIG_CALL(aclnnGlobalMaxPool),
    .operand = {{RIG_READ, CASE_X, NULL, false}, {RIG_EXACT, CASE_Y, NULL, false}},
    .arguments = no_arguments,
    .oracle = oracle_global,
    .random_case = random_global,
};
