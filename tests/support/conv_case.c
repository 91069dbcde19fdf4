/* SPDX-License-Identifier: Apache-2.0 */
/* Random problems of convolution. */
#include <inttypes.h>
#include <stdio.h>

#include "tests/support/conv_rig.h"

static const char *const operators[CONV_OPERATORS] = {
    "aclnnConvolutionBackward", "aclnnextConvGrad",     "aclnnConvTbcBackward",
    "aclnnConvolution",         "aclnnConvDepthwise2d", "aclnnConvTbc",
};

bool conv_is_forward(enum conv_operator op)
{
    return op >= CONV_FORWARD;
}

const char *conv_operator_name(enum conv_operator op)
{
    return operators[op];
}

static bool is_tbc(const struct conv_case *test)
{
    return test->op == CONV_TBC || test->op == CONV_TBC_BACKWARD;
}

static void random_axis(struct random *random, struct conv_case *test, int axis, int64_t largest)
{
    struct oracle_conv *c = &test->conv;
    do {
        c->kernel[axis] = random_between(random, 1, test->axes == 3 ? 4 : 7);
        c->stride[axis] = is_tbc(test) ? 1 : random_between(random, 1, 4);
        c->dilation[axis] = is_tbc(test) ? 1 : random_between(random, 1, 3);
        c->pad[axis] = random_below(random, c->kernel[axis] + 1);
        test->pad_end[axis] = c->pad[axis];
        if (test->op == CONV_GRAD || test->both_ends)
            test->pad_end[axis] = random_below(random, c->kernel[axis] + 1);
        c->small[axis] = random_between(random, 1, largest);
        /* What is left over at the end is a transposed convolution's outputPadding, which may reach
         * the stride where it is less than the dilation. */
        int64_t over = c->stride[axis];
        if (test->op == CONV_FORWARD && test->transposed && c->dilation[axis] > over)
            over = c->dilation[axis];
        c->large[axis] = (c->small[axis] - 1) * c->stride[axis] +
                         (c->kernel[axis] - 1) * c->dilation[axis] + 1 - c->pad[axis] -
                         test->pad_end[axis] + random_below(random, over);
    } while (c->large[axis] < 1);
}

static void random_formats(struct random *random, struct conv_case *test)
{
    static const aclFormat formats[2][3] = {
        {ACL_FORMAT_NCL, ACL_FORMAT_NCHW, ACL_FORMAT_NCDHW},
        {ACL_FORMAT_NCL, ACL_FORMAT_NHWC, ACL_FORMAT_NDHWC}, /* channels last */
    };
    const bool all_last = test->op == CONV_FORWARD && test->axes == 3 && random_once_in(random, 3);
    for (int i = 0; i < CONV_TENSORS; i++) {
        const bool takes_nd =
            test->op == CONV_GRAD ||
            (test->axes == 1 && test->op != CONV_FORWARD && test->op != CONV_DEPTHWISE);
        const bool is_last = all_last || (test->op == CONV_GRAD && random_once_in(random, 3));
        test->format[i] = formats[is_last][test->axes - 1];
        if (takes_nd && random_once_in(random, 3)) test->format[i] = ACL_FORMAT_ND;
    }
    /* Results have the formats of what they are the gradients of. */
    test->format[CONV_GRAD_INPUT] = test->format[CONV_INPUT];
    test->format[CONV_GRAD_WEIGHT] = test->format[CONV_WEIGHT];
    test->format[CONV_GRAD_BIAS] = ACL_FORMAT_ND;
}

static void random_traits(struct random *random, struct conv_case *test, enum case_dtype dtype,
                          bool mixed)
{
    static const enum case_layout layouts[] = {CASE_CONTIGUOUS, CASE_CHANNELS_LAST, CASE_STRIDED};
    for (int i = 0; i < CONV_TENSORS; i++) {
        const bool takes_any = test->op != CONV_DEPTHWISE && test->op != CONV_TBC;
        test->dtype[i] = dtype;
        if (mixed && (takes_any || (test->op == CONV_TBC && i == CONV_BIAS)))
            test->dtype[i] = (enum case_dtype)random_below(random, CASE_FLOATS);
        test->layout[i] = layouts[random_once_in(random, 2) ? random_below(random, 3) : 0];
        const bool is_read = i == CONV_INPUT || i == CONV_WEIGHT ||
                             i == (conv_is_forward(test->op) ? CONV_BIAS : CONV_GRAD_OUTPUT);
        if (is_read && random_once_in(random, 30)) test->layout[i] = CASE_BROADCAST;
    }
    random_formats(random, test);
    for (int i = 0; i < 3; i++)
        test->mask[i] = is_tbc(test) || !random_once_in(random, 4);
    if (test->op == CONV_GRAD && !test->mask[0] && !test->mask[1]) test->mask[2] = true;
    test->math = random_once_in(random, 2)
                     ? (int)random_below(random, conv_is_forward(test->op) ? 5 : 4)
                     : 0;
    test->seed = random_next(random);
}

struct conv_case conv_random_case(struct random *random, enum conv_operator op,
                                  enum case_dtype dtype, bool mixed)
{
    struct conv_case test = {.op = op, .axes = (int)random_between(random, 1, 3)};
    struct oracle_conv *c = &test.conv;
    if (op == CONV_DEPTHWISE) test.axes = 2;
    if (is_tbc(&test)) test.axes = 1;
    const bool takes_all = op == CONV_BACKWARD || op == CONV_FORWARD;
    test.transposed = takes_all && random_once_in(random, 3);
    test.both_ends =
        takes_all &&
        (test.axes == 2 || (test.axes == 1 && op == CONV_FORWARD && !test.transposed)) &&
        random_once_in(random, 3);
    c->batch = random_between(random, 1, 3);
    c->groups = random_once_in(random, 2) ? random_between(random, 1, 5) : 1;
    /* One channel of the large side in each group, and one or more of the small side. */
    const bool is_depthwise = op == CONV_DEPTHWISE || (!is_tbc(&test) && random_once_in(random, 4));
    if (is_depthwise) c->groups = random_between(random, 1, 20);
    if (is_tbc(&test)) c->groups = 1;
    c->large_channels = random_between(random, 1, c->groups > 1 ? 4 : 18);
    c->small_channels = random_between(random, 1, c->groups > 1 ? 4 : 18);
    if (is_depthwise) c->large_channels = 1;
    if (is_depthwise && random_once_in(random, 2)) c->small_channels = 1;
    for (int axis = 0; axis < ORACLE_CONV_AXES; axis++) {
        if (axis >= ORACLE_CONV_AXES - test.axes) {
            int64_t largest = test.axes == 1 ? 60 : test.axes == 2 ? 9 : 4;
            if (is_depthwise && axis == 2) largest = 40;
            random_axis(random, &test, axis, largest);
            continue;
        }
        c->large[axis] = c->small[axis] = c->kernel[axis] = 1;
        c->stride[axis] = c->dilation[axis] = 1;
    }
    random_traits(random, &test, dtype, mixed);
    return test;
}

void conv_describe(const struct conv_case *test, char *text, size_t size)
{
    static const char *const names[CONV_TENSORS] = {"dy", "x", "w", "dx", "dw", "db"};
    const struct oracle_conv *c = &test->conv;
    int used =
        snprintf(text, size,
                 "%s%s n%" PRId64 " g%" PRId64 " large %" PRId64 "x small %" PRId64 " mask %d%d%d",
                 operators[test->op], test->transposed ? " transposed" : "", c->batch, c->groups,
                 c->large_channels, c->small_channels, test->mask[0], test->mask[1], test->mask[2]);
    for (int i = ORACLE_CONV_AXES - test->axes; i < ORACLE_CONV_AXES && used < (int)size; i++)
        used += snprintf(text + used, size - (size_t)used,
                         " [%" PRId64 "->%" PRId64 " k%" PRId64 " s%" PRId64 " d%" PRId64
                         " p%" PRId64 ",%" PRId64 "]",
                         c->large[i], c->small[i], c->kernel[i], c->stride[i], c->dilation[i],
                         c->pad[i], test->pad_end[i]);
    for (int i = 0; i < CONV_TENSORS && used < (int)size; i++)
        used +=
            snprintf(text + used, size - (size_t)used, " %s:%s/%d/%d", names[i],
                     case_dtype_name(test->dtype[i]), (int)test->layout[i], (int)test->format[i]);
    if (used < (int)size)
        snprintf(text + used, size - (size_t)used, " math %d seed %" PRIu64, test->math,
                 test->seed);
}
