/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/rows_conv.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/oracle_rows.h"
#include "tests/support/rig_calls.h"

/* ---- the rows ---- */

/* Which way is taken, and so the order of sums, follows from the strides. */
static const struct oracle_row by_strides = {.by_strides = true};

static struct test_case random_row(const struct rig_operator *op, struct random *random,
                                   enum case_dtype dtype)
{
    const struct conv_problem problem = conv_random(random, op, dtype, random_once_in(random, 4));
    return conv_case(&problem);
}

/* Gradients that the mask does not ask for may be there. */
static bool is_idle(const struct rig_call *call, int operand)
{
    for (int i = 0; call->op->array[i]; i++)
        for (int j = 0; strcmp(call->op->array[i], "outputMask") == 0 && j < 3; j++)
            if (conv_operand(call->op, CONV_GRAD_INPUT + j) == operand)
                return call->array[i].values[j] == 0;
    return false;
}

#define READ                                                                                       \
    {                                                                                              \
        RIG_READ, CASE_NAMED, NULL, false                                                          \
    }
#define SHAPE                                                                                      \
    {                                                                                              \
        RIG_SHAPE, CASE_NAMED, NULL, false                                                         \
    }
#define SUM                                                                                        \
    {                                                                                              \
        RIG_SUM, CASE_NAMED, NULL, false                                                           \
    }
#define CONVOLUTION(id, function, definition, may_be_null, ...)                                    \
    const struct rig_operator rig_##id = {                                                         \
        .word = #id,                                                                               \
        RIG_CALL(function),                                                                        \
        .operand = {__VA_ARGS__},                                                                  \
        .oracle = conv_oracle_##definition,                                                        \
        .runs_empty = true,                                                                        \
        .nullable = (may_be_null),                                                                 \
        .is_idle = is_idle,                                                                        \
        .scratch = 1 << 24,                                                                        \
        .random_row = random_row,                                                                  \
        .row = &by_strides,                                                                        \
    };

enum { NONE = 0, RESULTS = 7 << 3 };

CONVOLUTION(convolution, aclnnConvolution, forward, NONE, READ, READ, READ, SUM)
CONVOLUTION(conv_depthwise2d, aclnnConvDepthwise2d, forward, NONE, READ, READ, READ, SUM)
CONVOLUTION(conv_tbc, aclnnConvTbc, forward, NONE, READ, READ, READ, SUM)
CONVOLUTION(convolution_backward, aclnnConvolutionBackward, gradients, RESULTS, READ, READ, READ,
            SUM, SUM, SUM)
CONVOLUTION(aclnnext_conv_grad, aclnnextConvGrad, gradients, RESULTS, READ, READ, READ, SUM, SUM,
            SUM)
CONVOLUTION(conv_tbc_backward, aclnnConvTbcBackward, gradients, NONE, READ, READ, READ, SHAPE, SUM,
            SUM, SUM)

bool conv_is_tbc(const struct rig_operator *op)
{
    return op == &rig_conv_tbc || op == &rig_conv_tbc_backward;
}

static int slot_named(const struct rig_operator *op, const char *name)
{
    for (int slot = 0; op->tensor[slot]; slot++)
        if (strcmp(op->tensor[slot], name) == 0) return slot;
    return -1;
}

bool conv_is_forward(const struct rig_operator *op)
{
    return slot_named(op, "gradInput") < 0;
}

int conv_operand(const struct rig_operator *op, int tensor)
{
    static const char *const forward[CONV_TENSORS][2] = {
        [CONV_OUTPUT] = {"output", "out"}, [CONV_INPUT] = {"input", "self"},
        [CONV_WEIGHT] = {"weight", ""},    [CONV_GRAD_INPUT] = {"", ""},
        [CONV_GRAD_WEIGHT] = {"", ""},     [CONV_BIAS] = {"bias", ""}};
    static const char *const gradients[CONV_TENSORS][2] = {
        {"gradOutput", "self"}, {"input", ""},      {"weight", ""},
        {"gradInput", ""},      {"gradWeight", ""}, {"gradBias", ""}};
    const char *const *names = conv_is_forward(op) ? forward[tensor] : gradients[tensor];
    const int slot = slot_named(op, names[0]);
    return slot >= 0 ? slot : slot_named(op, names[1]);
}

bool conv_repeats(enum case_dtype dtype)
{
    const char *level = getenv("ACLNN_CPU_ISA");
    return level && strcmp(level, "avx512_bf16") == 0 && dtype != CASE_BF16;
}

/* ---- from a problem to a case ---- */

/* A bias that lends its shape to a gradient is the gradient's like. */
static int tensor_at(const struct rig_operator *op, int slot)
{
    for (int tensor = 0; tensor < CONV_TENSORS; tensor++)
        if (conv_operand(op, tensor) == slot) return tensor;
    return CONV_BIAS;
}

/* Channels first. */
static int shape_of(const struct conv_problem *p, int tensor, int64_t dims[CONV_AXES + 2])
{
    const bool of_large = (tensor == CONV_GRAD_OUTPUT) == p->transposed;
    const int64_t *extents = of_large ? p->large : p->small;
    dims[0] = p->batch;
    dims[1] = p->groups * (of_large ? p->large_channels : p->small_channels);
    if (tensor == CONV_WEIGHT || tensor == CONV_GRAD_WEIGHT) {
        dims[0] = p->groups * p->small_channels;
        dims[1] = p->large_channels;
        extents = p->kernel;
    }
    for (int axis = 0; axis < p->axes; axis++)
        dims[2 + axis] = extents[axis + CONV_AXES - p->axes];
    if (tensor != CONV_BIAS) return p->axes + 2;
    dims[0] = p->groups * (p->transposed ? p->large_channels : p->small_channels);
    return 1;
}

/* (B, C, T) becomes (T, B, C), a weight (Cout, Cin, K) becomes (K, Cin, Cout); channels come last
 * where the format says so. */
static void reorder(const struct conv_problem *p, int tensor, int64_t dims[], int rank)
{
    const enum case_format format = p->format[tensor];
    const int64_t outer = dims[0], inner = dims[1];
    if (rank == 1) return;
    if (conv_is_tbc(p->op)) {
        const bool is_weight = tensor == CONV_WEIGHT || tensor == CONV_GRAD_WEIGHT;
        dims[0] = dims[2];
        dims[1] = is_weight ? inner : outer;
        dims[2] = is_weight ? outer : inner;
    } else if (format == CASE_NHWC || format == CASE_NDHWC) {
        memmove(dims + 1, dims + 2, sizeof *dims * (size_t)(rank - 2));
        dims[rank - 1] = inner;
    }
}

static bool is_there(const struct conv_problem *p, int tensor)
{
    if (tensor < CONV_GRAD_INPUT) return true;
    if (conv_is_forward(p->op) || p->op == &rig_aclnnext_conv_grad || p->seed % 2 == 0)
        return p->mask[tensor - CONV_GRAD_INPUT];
    return true;
}

static void add_tensor(struct test_case *test, const struct conv_problem *p, const char *name,
                       int tensor)
{
    int64_t dims[CONV_AXES + 2];
    const int rank = shape_of(p, tensor, dims);
    if (!is_there(p, tensor)) return;
    struct case_argument *argument = case_add(test, name, CASE_ALONE);
    reorder(p, tensor, dims, rank);
    argument->rank = rank;
    memcpy(argument->dims, dims, sizeof *dims * (size_t)rank);
    argument->dtype = p->dtype[tensor];
    argument->has_dtype = argument->dtype != test->dtype;
    argument->format = p->format[tensor] == CASE_ND ? CASE_BY_RANK : p->format[tensor];
    argument->layout = p->layout[tensor];
    if (rank == 1 && argument->layout == CASE_CHANNELS_LAST) argument->layout = CASE_CONTIGUOUS;
}

static void add_axes(struct test_case *test, const struct conv_problem *p, const char *name,
                     const int64_t *axes)
{
    random_ints(test, name, axes + CONV_AXES - p->axes, p->axes);
}

/* What the windows of a transposed one leave over; of others nothing is asked. */
static void add_output_padding(struct test_case *test, const struct conv_problem *p)
{
    int64_t extra[CONV_AXES] = {0};
    if (p->op == &rig_convolution && !p->transposed && p->seed % 2) return;
    for (int i = 0; i < CONV_AXES && p->transposed; i++)
        extra[i] = p->large[i] + p->pad[i] + p->pad_end[i] - (p->kernel[i] - 1) * p->dilation[i] -
                   1 - (p->small[i] - 1) * p->stride[i];
    add_axes(test, p, "outputPadding", extra);
}

static void add_padding(struct test_case *test, const struct conv_problem *p)
{
    int64_t both[2 * CONV_AXES];
    if (!p->both_ends) {
        add_axes(test, p, "padding", p->pad);
        return;
    }
    for (int i = 0; i < p->axes; i++) {
        both[2 * i] = p->pad[i + CONV_AXES - p->axes];
        both[2 * i + 1] = p->pad_end[i + CONV_AXES - p->axes];
    }
    random_ints(test, "padding", both, 2 * p->axes);
}

static void add_array(struct test_case *test, const struct conv_problem *p, const char *name)
{
    const int64_t mask[] = {p->mask[0], p->mask[1], p->mask[2]};
    int64_t bias[CONV_AXES + 2];
    shape_of(p, CONV_BIAS, bias);
    if (strncmp(name, "stride", 6) == 0)
        add_axes(test, p, name, p->stride);
    else if (strncmp(name, "dilation", 8) == 0)
        add_axes(test, p, name, p->dilation);
    else if (strcmp(name, "padding") == 0)
        add_padding(test, p);
    else if (strncmp(name, "pads", 4) == 0)
        add_axes(test, p, name, strcmp(name, "padsEnd") == 0 ? p->pad_end : p->pad);
    else if (strcmp(name, "outputPadding") == 0)
        add_output_padding(test, p);
    else if (strcmp(name, "kernelSize") == 0)
        add_axes(test, p, name, p->kernel);
    else if (strcmp(name, "outputMask") == 0)
        random_ints(test, name, mask, 3);
    else if (p->mask[2] && (p->seed % 4 < 2 || p->batch == 0)) /* biasSizes */
        random_ints(test, name, bias, 1);
}

static void add_number(struct test_case *test, const struct conv_problem *p, const char *name)
{
    const struct {
        const char *name;
        int64_t value;
    } numbers[] = {{"transposed", p->transposed},
                   {"groups", p->groups},
                   {"pad", p->pad[CONV_AXES - 1]},
                   {"cubeMathType", p->math}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(numbers[i].name, name) == 0) random_number(test, name, (double)numbers[i].value);
}

struct test_case conv_case(const struct conv_problem *p)
{
    struct test_case test = {.dtype = p->dtype[CONV_WEIGHT], .seed = p->seed};
    strcpy(test.op, p->op->word);
    for (const struct rig_argument *at = p->op->names->argument; at->name; at++) {
        const int slot = slot_named(p->op, at->name);
        if (slot >= 0)
            add_tensor(&test, p, at->name, tensor_at(p->op, slot));
        else if (at->kind == OP_INTS || at->kind == OP_BOOLS)
            add_array(&test, p, at->name);
        else
            add_number(&test, p, at->name);
    }
    return test;
}

/* ---- problems ---- */

static enum case_format usual_format(const struct conv_problem *p, int tensor)
{
    static const enum case_format by_axes[] = {CASE_NCL, CASE_NCHW, CASE_NCDHW};
    return tensor == CONV_BIAS || conv_is_tbc(p->op) ? CASE_ND : by_axes[p->axes - 1];
}

void conv_settle(struct conv_problem *p)
{
    for (int i = CONV_AXES - p->axes; i < CONV_AXES; i++)
        p->small[i] =
            (p->large[i] + p->pad[i] + p->pad_end[i] - (p->kernel[i] - 1) * p->dilation[i] - 1) /
                p->stride[i] +
            1;
}

struct conv_problem conv_plain(const struct rig_operator *op, int axes, enum case_dtype dtype)
{
    struct conv_problem p = {.op = op,
                             .axes = axes,
                             .batch = 2,
                             .groups = 1,
                             .large_channels = 1,
                             .small_channels = 1,
                             .mask = {true, true, true},
                             .seed = 5};
    for (int i = 0; i < CONV_AXES; i++)
        p.large[i] = p.small[i] = p.kernel[i] = p.stride[i] = p.dilation[i] = 1;
    for (int i = 0; i < CONV_TENSORS; i++) {
        p.dtype[i] = dtype;
        p.format[i] = usual_format(&p, i);
    }
    return p;
}

static void random_axis(struct random *random, struct conv_problem *p, int axis, int64_t largest)
{
    const bool is_tbc = conv_is_tbc(p->op);
    do {
        p->kernel[axis] = random_between(random, 1, p->axes == 3 ? 4 : 7);
        p->stride[axis] = is_tbc ? 1 : random_between(random, 1, 4);
        p->dilation[axis] = is_tbc ? 1 : random_between(random, 1, 3);
        p->pad[axis] = random_below(random, p->kernel[axis] + 1);
        p->pad_end[axis] = p->pad[axis];
        if (p->op == &rig_aclnnext_conv_grad || p->both_ends)
            p->pad_end[axis] = random_below(random, p->kernel[axis] + 1);
        p->small[axis] = random_between(random, 1, largest);
        /* What is left over at the end is a transposed convolution's outputPadding, which may reach
         * the stride where it is less than the dilation. */
        int64_t over = p->stride[axis];
        if (p->op == &rig_convolution && p->transposed && p->dilation[axis] > over)
            over = p->dilation[axis];
        p->large[axis] = (p->small[axis] - 1) * p->stride[axis] +
                         (p->kernel[axis] - 1) * p->dilation[axis] + 1 - p->pad[axis] -
                         p->pad_end[axis] + random_below(random, over);
    } while (p->large[axis] < 1);
}

static void random_formats(struct random *random, struct conv_problem *p)
{
    static const enum case_format last[] = {CASE_NCL, CASE_NHWC, CASE_NDHWC};
    const bool is_forward = p->op == &rig_convolution, is_grad = p->op == &rig_aclnnext_conv_grad;
    const bool all_last = is_forward && p->axes == 3 && random_once_in(random, 3);
    const bool takes_nd =
        is_grad || (p->axes == 1 && !is_forward && p->op != &rig_conv_depthwise2d);
    for (int i = 0; i < CONV_BIAS; i++) {
        const bool is_last = all_last || (is_grad && random_once_in(random, 3));
        if (is_last) p->format[i] = last[p->axes - 1];
        if (conv_is_tbc(p->op)) p->format[i] = CASE_NCL;
        if (takes_nd && random_once_in(random, 3)) p->format[i] = CASE_ND;
    }
    /* Results have the formats of what they are the gradients of. */
    p->format[CONV_GRAD_INPUT] = p->format[CONV_INPUT];
    p->format[CONV_GRAD_WEIGHT] = p->format[CONV_WEIGHT];
}

static void random_traits(struct random *random, struct conv_problem *p, bool mixed)
{
    static const enum case_layout layouts[] = {CASE_CONTIGUOUS, CASE_CHANNELS_LAST, CASE_STRIDED};
    const bool is_forward = conv_is_forward(p->op), is_tbc = conv_is_tbc(p->op);
    const bool takes_any = p->op != &rig_conv_depthwise2d && p->op != &rig_conv_tbc;
    for (int i = 0; i < CONV_TENSORS; i++) {
        if (mixed && (takes_any || (p->op == &rig_conv_tbc && i == CONV_BIAS)))
            p->dtype[i] = (enum case_dtype)random_below(random, CASE_FLOATS);
        p->layout[i] = layouts[random_once_in(random, 2) ? random_below(random, 3) : 0];
        const bool is_read =
            i == CONV_INPUT || i == CONV_WEIGHT || i == (is_forward ? CONV_BIAS : CONV_GRAD_OUTPUT);
        if (is_read && random_once_in(random, 30)) p->layout[i] = CASE_BROADCAST;
    }
    random_formats(random, p);
    for (int i = 0; i < 3; i++)
        p->mask[i] = is_tbc || !random_once_in(random, 4);
    if (p->op == &rig_aclnnext_conv_grad && !p->mask[0] && !p->mask[1]) p->mask[2] = true;
    if (random_once_in(random, 2)) p->math = (int)random_below(random, is_forward ? 5 : 4);
    p->seed = random_next(random) >> 33;
}

struct conv_problem conv_random(struct random *random, const struct rig_operator *op,
                                enum case_dtype dtype, bool mixed)
{
    const bool takes_all = op == &rig_convolution_backward || op == &rig_convolution;
    const bool is_tbc = conv_is_tbc(op);
    int axes = (int)random_between(random, 1, 3);
    if (op == &rig_conv_depthwise2d) axes = 2;
    if (is_tbc) axes = 1;
    struct conv_problem p = conv_plain(op, axes, dtype);
    p.transposed = takes_all && random_once_in(random, 3);
    p.both_ends = takes_all &&
                  (axes == 2 || (axes == 1 && op == &rig_convolution && !p.transposed)) &&
                  random_once_in(random, 3);
    p.batch = random_between(random, 1, 3);
    if (random_once_in(random, 40) && op != &rig_conv_tbc_backward) p.batch = 0;
    p.groups = random_once_in(random, 2) ? random_between(random, 1, 5) : 1;
    /* One channel of the large side in each group, and one or more of the small side. */
    const bool is_depthwise = op == &rig_conv_depthwise2d || (!is_tbc && random_once_in(random, 4));
    if (is_depthwise) p.groups = random_between(random, 1, 20);
    if (is_tbc) p.groups = 1;
    p.large_channels = random_between(random, 1, p.groups > 1 ? 4 : 18);
    p.small_channels = random_between(random, 1, p.groups > 1 ? 4 : 18);
    if (is_depthwise) p.large_channels = 1;
    if (is_depthwise && random_once_in(random, 2)) p.small_channels = 1;
    for (int axis = CONV_AXES - axes; axis < CONV_AXES; axis++) {
        int64_t largest = axes == 1 ? 60 : axes == 2 ? 9 : 4;
        if (is_depthwise && axis == 2) largest = 40;
        random_axis(random, &p, axis, largest);
    }
    random_traits(random, &p, mixed);
    return p;
}
