/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/conv_rig.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aclnnext/aclnnext_conv_grad.h"
#include "aclnnop/aclnn_convolution_backward.h"
#include "tests/support/compare.h"

static const char *const names[CONV_TENSORS] = {"gradOutput", "input",      "weight",
                                                "gradInput",  "gradWeight", "gradBias"};

/* ---- random problems ---- */

static void random_axis(struct random *random, struct conv_case *test, int axis, int64_t largest)
{
    struct oracle_conv *c = &test->conv;
    do {
        c->kernel[axis] = random_between(random, 1, test->axes == 3 ? 4 : 7);
        c->stride[axis] = random_between(random, 1, 4);
        c->dilation[axis] = random_between(random, 1, 3);
        c->pad[axis] = random_below(random, c->kernel[axis] + 1);
        test->pad_end[axis] = c->pad[axis];
        if (test->is_grad || test->four_pads)
            test->pad_end[axis] = random_below(random, c->kernel[axis] + 1);
        c->small[axis] = random_between(random, 1, largest);
        /* What is left over at the end is a transposed convolution's outputPadding. */
        c->large[axis] = (c->small[axis] - 1) * c->stride[axis] +
                         (c->kernel[axis] - 1) * c->dilation[axis] + 1 - c->pad[axis] -
                         test->pad_end[axis] + random_below(random, c->stride[axis]);
    } while (c->large[axis] < 1);
}

static void random_traits(struct random *random, struct conv_case *test, enum case_dtype dtype,
                          bool mixed)
{
    static const enum case_layout layouts[] = {CASE_CONTIGUOUS, CASE_CHANNELS_LAST, CASE_STRIDED};
    static const aclFormat first[] = {ACL_FORMAT_NCL, ACL_FORMAT_NCHW, ACL_FORMAT_NCDHW};
    for (int i = 0; i < CONV_TENSORS; i++) {
        test->dtype[i] = mixed ? (enum case_dtype)random_below(random, CASE_FLOATS) : dtype;
        test->layout[i] = layouts[random_once_in(random, 2) ? random_below(random, 3) : 0];
        if (i <= CONV_WEIGHT && random_once_in(random, 30)) test->layout[i] = CASE_BROADCAST;
        test->format[i] = first[test->axes - 1];
        if (test->axes == 1 && random_once_in(random, 3)) test->format[i] = ACL_FORMAT_ND;
    }
    /* Results have the formats of what they are the gradients of. */
    test->format[CONV_GRAD_INPUT] = test->format[CONV_INPUT];
    test->format[CONV_GRAD_WEIGHT] = test->format[CONV_WEIGHT];
    test->format[CONV_GRAD_BIAS] = ACL_FORMAT_ND;
    for (int i = 0; i < 3; i++)
        test->mask[i] = !random_once_in(random, 4);
    if (test->is_grad && !test->mask[0] && !test->mask[1]) test->mask[2] = true;
    test->math = random_once_in(random, 2) ? (int)random_below(random, 4) : 0;
    test->seed = random_next(random);
}

struct conv_case conv_random_case(struct random *random, enum case_dtype dtype, bool mixed)
{
    struct conv_case test = {.axes = (int)random_between(random, 1, 3)};
    struct oracle_conv *c = &test.conv;
    test.is_grad = random_once_in(random, 3);
    test.transposed = !test.is_grad && random_once_in(random, 3);
    test.four_pads = !test.is_grad && test.axes == 2 && random_once_in(random, 3);
    c->batch = random_between(random, 1, 3);
    c->groups = random_once_in(random, 2) ? random_between(random, 1, 5) : 1;
    c->large_channels = random_between(random, 1, c->groups > 1 ? 4 : 18);
    c->small_channels = random_between(random, 1, c->groups > 1 ? 4 : 18);
    for (int axis = 0; axis < ORACLE_CONV_AXES; axis++) {
        if (axis >= ORACLE_CONV_AXES - test.axes) {
            random_axis(random, &test, axis, test.axes == 1 ? 60 : test.axes == 2 ? 9 : 4);
            continue;
        }
        c->large[axis] = c->small[axis] = c->kernel[axis] = 1;
        c->stride[axis] = c->dilation[axis] = 1;
    }
    random_traits(random, &test, dtype, mixed);
    return test;
}

static void describe(const struct conv_case *test, char *text, size_t size)
{
    const struct oracle_conv *c = &test->conv;
    int used = snprintf(
        text, size, "%s%s n%" PRId64 " g%" PRId64 " large %" PRId64 "x small %" PRId64,
        test->is_grad ? "conv_grad" : "conv_backward", test->transposed ? " transposed" : "",
        c->batch, c->groups, c->large_channels, c->small_channels);
    for (int i = ORACLE_CONV_AXES - test->axes; i < ORACLE_CONV_AXES && used < (int)size; i++)
        used += snprintf(text + used, size - (size_t)used,
                         " [%" PRId64 "->%" PRId64 " k%" PRId64 " s%" PRId64 " d%" PRId64
                         " p%" PRId64 ",%" PRId64 "]",
                         c->large[i], c->small[i], c->kernel[i], c->stride[i], c->dilation[i],
                         c->pad[i], test->pad_end[i]);
    for (int i = 0; i < CONV_TENSORS && used < (int)size; i++)
        used += snprintf(text + used, size - (size_t)used, " %s:%s/%d", names[i],
                         case_dtype_name(test->dtype[i]), (int)test->layout[i]);
    if (used < (int)size)
        snprintf(text + used, size - (size_t)used, " math %d seed %" PRIu64, test->math,
                 test->seed);
}

/* ---- the rig ---- */

void conv_rig_begin(struct conv_rig *rig)
{
    memset(rig, 0, sizeof *rig);
    if (aclInit(NULL) != ACL_SUCCESS || aclrtSetDevice(0) != ACL_SUCCESS ||
        aclrtCreateStream(&rig->stream) != ACL_SUCCESS)
        abort();
}

void conv_rig_end(struct conv_rig *rig)
{
    for (int i = 0; i < CONV_TENSORS; i++) {
        guard_free(&rig->guard[i]);
        free(rig->values[i]);
        free(rig->bits[i]);
    }
    guard_free(&rig->workspace);
    aclrtDestroyStream(rig->stream);
    aclFinalize();
}

static void shape_of(const struct conv_case *test, int i, int64_t dims[], int *rank)
{
    const struct oracle_conv *c = &test->conv;
    const bool of_large = (i == CONV_GRAD_OUTPUT) == test->transposed;
    *rank = test->axes + 2;
    const int64_t *extents = of_large ? c->large : c->small;
    dims[0] = c->batch;
    dims[1] = c->groups * (of_large ? c->large_channels : c->small_channels);
    if (i == CONV_WEIGHT || i == CONV_GRAD_WEIGHT) {
        dims[0] = c->groups * c->small_channels;
        dims[1] = c->large_channels;
        extents = c->kernel;
    }
    for (int axis = 0; axis < test->axes; axis++)
        dims[2 + axis] = extents[axis + ORACLE_CONV_AXES - test->axes];
    if (i != CONV_GRAD_BIAS) return;
    *rank = 1;
    dims[0] = c->groups * (test->transposed ? c->large_channels : c->small_channels);
}

void conv_rig_load(struct conv_rig *rig, const struct conv_case *test)
{
    struct random random = {test->seed};
    rig->test = *test;
    for (int i = 0; i < CONV_TENSORS; i++) {
        struct operand *o = &rig->operand[i];
        int64_t dims[ORACLE_CONV_AXES + 2];
        int rank;
        memset(o, 0, sizeof *o);
        shape_of(test, i, dims, &rank);
        o->dtype = test->dtype[i];
        o->type = operand_acl_type(o->dtype);
        o->format = test->format[i];
        o->channels_at = 1;
        enum case_layout layout = test->layout[i];
        if (rank == 1 && layout == CASE_CHANNELS_LAST) layout = CASE_CONTIGUOUS;
        operand_reshape(o, dims, rank, layout, test->seed + (uint64_t)i);
        const int64_t count = operand_elements(o);
        rig->values[i] = realloc(rig->values[i], sizeof(double) * (size_t)count);
        rig->bits[i] = realloc(rig->bits[i], sizeof(uint64_t) * (size_t)count);
        for (int64_t j = 0; j < count && i <= CONV_WEIGHT; j++)
            rig->values[i][j] = oracle_round(o->dtype, random_unit(&random));
    }
}

static aclIntArray *array_of(const int64_t *values, int axes)
{
    return aclCreateIntArray(values + ORACLE_CONV_AXES - axes, (uint64_t)axes);
}

static aclnnStatus phase1(struct conv_rig *rig, uint64_t *size, aclOpExecutor **executor)
{
    const struct conv_case *t = &rig->test;
    const struct oracle_conv *c = &t->conv;
    struct operand *o = rig->operand;
    const int64_t zeros[ORACLE_CONV_AXES] = {0};
    int64_t extra[ORACLE_CONV_AXES];
    for (int i = 0; i < ORACLE_CONV_AXES; i++) /* what the stride leaves over */
        extra[i] =
            (c->large[i] + c->pad[i] + t->pad_end[i] - (c->kernel[i] - 1) * c->dilation[i] - 1) %
            c->stride[i];
    const int64_t four[] = {c->pad[1], t->pad_end[1], c->pad[2], t->pad_end[2]};
    aclIntArray *stride = array_of(c->stride, t->axes), *dilation = array_of(c->dilation, t->axes);
    aclIntArray *begin = t->four_pads ? aclCreateIntArray(four, 4) : array_of(c->pad, t->axes);
    aclIntArray *end = array_of(t->pad_end, t->axes);
    aclIntArray *output_padding = array_of(t->transposed ? extra : zeros, t->axes);
    aclBoolArray *mask = aclCreateBoolArray(t->mask, 3);
    aclnnStatus status;
    if (t->is_grad)
        status = aclnnextConvGradGetWorkspaceSize(
            o[0].tensor, o[1].tensor, o[2].tensor, stride, begin, end, dilation, 0, c->groups,
            (int8_t)t->math, t->mask[0] ? o[3].tensor : NULL, t->mask[1] ? o[4].tensor : NULL,
            t->mask[2] ? o[5].tensor : NULL, size, executor);
    else /* outputs that are not asked for are there half of the time */
        status = aclnnConvolutionBackwardGetWorkspaceSize(
            o[0].tensor, o[1].tensor, o[2].tensor, NULL, stride, begin, dilation, t->transposed,
            output_padding, (int)c->groups, mask, (int8_t)t->math,
            t->mask[0] || t->seed % 2 ? o[3].tensor : NULL,
            t->mask[1] || t->seed % 2 ? o[4].tensor : NULL,
            t->mask[2] || t->seed % 2 ? o[5].tensor : NULL, size, executor);
    aclDestroyIntArray(stride);
    aclDestroyIntArray(dilation);
    aclDestroyIntArray(begin);
    aclDestroyIntArray(end);
    aclDestroyIntArray(output_padding);
    aclDestroyBoolArray(mask);
    return status;
}

static bool run_phases(struct conv_rig *rig, enum guard_side side)
{
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    aclnnStatus status = phase1(rig, &size, &executor);
    if (status == ACLNN_SUCCESS) {
        void *workspace = size ? guard_place(&rig->workspace, size, side, 64) : NULL;
        if (size) memset(workspace, 0xFF, size);
        status = rig->test.is_grad
                     ? aclnnextConvGrad(workspace, size, executor, rig->stream)
                     : aclnnConvolutionBackward(workspace, size, executor, rig->stream);
    }
    if (status == ACLNN_SUCCESS) status = aclrtSynchronizeStream(rig->stream);
    if (status == ACLNN_SUCCESS && (size == 0 || guard_intact(&rig->workspace))) return true;
    const char *recent = aclGetRecentErrMsg();
    snprintf(rig->text, sizeof rig->text, "%d: %s", (int)status, recent ? recent : "workspace");
    return false;
}

bool conv_rig_run(struct conv_rig *rig, enum guard_side side)
{
    bool is_right = true;
    for (int i = 0; i < CONV_TENSORS; i++) {
        struct operand *o = &rig->operand[i];
        o->data =
            guard_place(&rig->guard[i], operand_bytes(o), side, operand_element_size(o->dtype));
        operand_poison(o, 0xFF);
        if (i <= CONV_WEIGHT) {
            operand_write(o, rig->values[i]);
            operand_read(o, rig->values[i]); /* what a broadcast has left of it */
        }
        operand_open(o);
    }
    is_right = run_phases(rig, side);
    for (int i = 0; i < CONV_TENSORS; i++) {
        struct operand *o = &rig->operand[i];
        operand_close(o);
        const bool written = i > CONV_WEIGHT && rig->test.mask[i - CONV_GRAD_INPUT];
        if (i > CONV_WEIGHT) operand_read_bits(o, rig->bits[i]);
        if (written) operand_read(o, rig->values[i]);
        const bool unwritten = i > CONV_WEIGHT && !written;
        const unsigned char *byte = o->data;
        for (size_t b = 0; unwritten && is_right && b < operand_bytes(o); b++)
            if (byte[b] != 0xFF) {
                snprintf(rig->text, sizeof rig->text, "%s was not asked for and written", names[i]);
                is_right = false;
            }
        if (!is_right || (guard_intact(&rig->guard[i]) && operand_gaps_hold(o, 0xFF))) continue;
        snprintf(rig->text, sizeof rig->text, "a byte around %s was written", names[i]);
        is_right = false;
    }
    return is_right;
}

static enum case_dtype product_type(const struct conv_case *test)
{
    const enum case_dtype a = test->dtype[0], b = test->dtype[1], c = test->dtype[2];
    return a == b && b == c ? a : CASE_F32;
}

static bool compare_output(struct conv_rig *rig, int i, const struct oracle_sum *sums)
{
    /* Each product may be rounded before it is added. */
    const struct compare_rule rule = {rig->test.dtype[i], 1, 1};
    const int64_t count = operand_elements(&rig->operand[i]);
    for (int64_t j = 0; j < count; j++) {
        double bound;
        if (compare_sum(&rule, &sums[j], rig->values[i][j], &bound)) continue;
        snprintf(rig->text, sizeof rig->text, "%s[%" PRId64 "] is %.9g; expected %.9g +- %.3g",
                 names[i], j, rig->values[i][j], sums[j].value, bound);
        return false;
    }
    return true;
}

bool conv_rig_compare(struct conv_rig *rig)
{
    const struct conv_case *t = &rig->test;
    double *rounded[3];
    struct oracle_sum *sums[3];
    for (int i = 0; i < 3; i++) {
        const int64_t count = operand_elements(&rig->operand[i]);
        rounded[i] = malloc(sizeof(double) * (size_t)count);
        for (int64_t j = 0; j < count; j++)
            rounded[i][j] = oracle_operand(product_type(t), t->math, rig->values[i][j]);
        sums[i] = malloc(sizeof(struct oracle_sum) *
                         (size_t)operand_elements(&rig->operand[i + CONV_GRAD_INPUT]));
    }
    const struct oracle_conv_values values = {
        .large = rounded[t->transposed ? CONV_GRAD_OUTPUT : CONV_INPUT],
        .small = rounded[t->transposed ? CONV_INPUT : CONV_GRAD_OUTPUT],
        .weight = rounded[CONV_WEIGHT],
        .to_large = t->transposed ? NULL : sums[0],
        .to_small = t->transposed ? sums[0] : NULL,
        .to_weight = sums[1],
    };
    oracle_conv(&t->conv, &values);
    const struct operand *dy = &rig->operand[CONV_GRAD_OUTPUT];
    oracle_conv_bias(dy->dims[0], dy->dims[1], operand_elements(dy) / dy->dims[0] / dy->dims[1],
                     rig->values[CONV_GRAD_OUTPUT], sums[2]);
    bool is_right = true;
    for (int i = 0; i < 3; i++)
        if (t->mask[i]) is_right = is_right && compare_output(rig, i + CONV_GRAD_INPUT, sums[i]);
    for (int i = 0; i < 3; i++) {
        free(rounded[i]);
        free(sums[i]);
    }
    return is_right;
}

bool conv_rig_check(struct conv_rig *rig, const struct conv_case *test)
{
    char reason[sizeof rig->text];
    conv_rig_load(rig, test);
    if (conv_rig_run(rig, test->seed % 2 ? GUARD_FRONT : GUARD_END) && conv_rig_compare(rig))
        return true;
    memcpy(reason, rig->text, sizeof reason);
    describe(test, rig->text, 700);
    const size_t used = strlen(rig->text);
    snprintf(rig->text + used, sizeof rig->text - used, ": %.300s", reason);
    return false;
}
