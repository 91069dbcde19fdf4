/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/conv_rig.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/compare.h"
#include "tests/support/rows_every.h"

static const char *const names[CONV_TENSORS] = {"gradOutput", "input",      "weight",
                                                "gradInput",  "gradWeight", "gradBias"};

bool conv_rig_reads(const struct conv_rig *rig, int tensor)
{
    if (tensor == CONV_INPUT || tensor == CONV_WEIGHT) return true;
    if (!conv_is_forward(rig->test.op)) return tensor == CONV_GRAD_OUTPUT;
    return tensor == CONV_BIAS && rig->test.mask[2];
}

bool conv_rig_writes(const struct conv_rig *rig, int tensor)
{
    if (conv_is_forward(rig->test.op)) return tensor == CONV_OUTPUT;
    return tensor >= CONV_GRAD_INPUT && rig->test.mask[tensor - CONV_GRAD_INPUT];
}

static bool is_tbc(const struct conv_rig *rig)
{
    return rig->test.op == CONV_TBC || rig->test.op == CONV_TBC_BACKWARD;
}

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

/* ---- a problem's tensors and arguments ---- */

/* In the oracle's order: channels first. */
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

/* (B, C, T) becomes (T, B, C), a weight (Cout, Cin, K) becomes (K, Cin, Cout). */
static void to_tbc(int i, int64_t dims[])
{
    const bool is_weight = i == CONV_WEIGHT || i == CONV_GRAD_WEIGHT;
    const int64_t outer = dims[0], inner = dims[1];
    dims[0] = dims[2];
    dims[1] = is_weight ? inner : outer;
    dims[2] = is_weight ? outer : inner;
}

/* Element j of the operand in the oracle's order. */
static int64_t oracle_index(const struct conv_rig *rig, int i, int64_t j)
{
    const int64_t *dims = rig->operand[i].dims;
    if (!is_tbc(rig) || i == CONV_GRAD_BIAS) return j;
    const int64_t a = j / (dims[1] * dims[2]), b = j / dims[2] % dims[1], c = j % dims[2];
    if (i == CONV_WEIGHT || i == CONV_GRAD_WEIGHT) return (c * dims[1] + b) * dims[0] + a;
    return (b * dims[2] + c) * dims[0] + a;
}

static struct rig_array array_of(const struct conv_case *test, const int64_t *values)
{
    struct rig_array array = {.length = test->axes};
    memcpy(array.values, values + ORACLE_CONV_AXES - test->axes,
           sizeof *values * (size_t)test->axes);
    return array;
}

static void load_arguments(struct conv_rig *rig)
{
    const struct conv_case *t = &rig->test;
    const struct oracle_conv *c = &t->conv;
    int64_t extra[ORACLE_CONV_AXES];
    for (int i = 0; i < ORACLE_CONV_AXES; i++) /* what the windows leave over */
        extra[i] = t->transposed ? c->large[i] + c->pad[i] + t->pad_end[i] -
                                       (c->kernel[i] - 1) * c->dilation[i] - 1 -
                                       (c->small[i] - 1) * c->stride[i]
                                 : 0;
    rig->call = (struct conv_arguments){
        .array = {[CONV_STRIDE] = array_of(t, c->stride),
                  [CONV_PADDING] = array_of(t, c->pad),
                  [CONV_PAD_END] = array_of(t, t->pad_end),
                  [CONV_DILATION] = array_of(t, c->dilation),
                  [CONV_OUTPUT_PADDING] = array_of(t, extra)},
        .kernel = array_of(t, c->kernel),
        .bias_sizes = {.is_null = true},
        .groups = c->groups,
        .auto_pad = t->auto_pad,
        .math = t->math,
        .mask_length = 3,
        .transposed = t->transposed,
        .mask = {t->mask[0], t->mask[1], t->mask[2]},
    };
    struct rig_array *padding = &rig->call.array[CONV_PADDING];
    for (int i = 0; t->both_ends && i < t->axes; i++) {
        const int axis = i + ORACLE_CONV_AXES - t->axes;
        padding->length = 2 * t->axes;
        padding->values[2 * i] = c->pad[axis];
        padding->values[2 * i + 1] = t->pad_end[axis];
    }
    for (int i = 0; i < CONV_TENSORS; i++)
        rig->call.is_null[i] = !conv_rig_reads(rig, i) && !conv_rig_writes(rig, i);
    /* Gradients that are not asked for are there half of the time. */
    if (t->op == CONV_BACKWARD && t->seed % 2)
        for (int i = CONV_GRAD_INPUT; i < CONV_TENSORS; i++)
            rig->call.is_null[i] = false;
    if (t->op == CONV_FORWARD && !t->transposed && t->seed % 2)
        rig->call.array[CONV_OUTPUT_PADDING].is_null = true;
}

void conv_rig_load(struct conv_rig *rig, const struct conv_case *test)
{
    struct random random = {test->seed};
    rig->test = *test;
    load_arguments(rig);
    for (int i = 0; i < CONV_TENSORS; i++) {
        struct operand *o = &rig->operand[i];
        int64_t dims[ORACLE_CONV_AXES + 2];
        int rank;
        memset(o, 0, sizeof *o);
        shape_of(test, i, dims, &rank);
        if (is_tbc(rig) && i != CONV_GRAD_BIAS) to_tbc(i, dims);
        o->dtype = test->dtype[i];
        o->type = operand_acl_type(o->dtype);
        o->format = test->format[i];
        o->channels_at = 1;
        enum case_layout layout = test->layout[i];
        if (rank == 1 && layout == CASE_CHANNELS_LAST) layout = CASE_CONTIGUOUS;
        operand_reshape(o, dims, rank, layout, test->seed + (uint64_t)i);
        const size_t count = (size_t)operand_elements(o) + 1;
        rig->values[i] = realloc(rig->values[i], sizeof(double) * count);
        rig->bits[i] = realloc(rig->bits[i], sizeof(uint64_t) * count);
        for (int64_t j = 0; j < operand_elements(o) && conv_rig_reads(rig, i); j++)
            rig->values[i][j] = oracle_round(o->dtype, random_unit(&random));
    }
}

/* ---- the call ---- */

int64_t (*conv_rig_fail_at)(int64_t n);
int64_t conv_rig_fail_n;

static const struct rig_operator *row_of(const struct conv_rig *rig)
{
    return rows_every_named(conv_operator_name(rig->test.op));
}

/* What the operators' rows call it. */
static int tensor_named(const struct conv_rig *rig, const char *name)
{
    if (strcmp(name, "self") == 0)
        return conv_is_forward(rig->test.op) ? CONV_INPUT : CONV_GRAD_OUTPUT;
    if (strcmp(name, "output") == 0 || strcmp(name, "out") == 0) return CONV_OUTPUT;
    if (strcmp(name, "bias") == 0) return CONV_BIAS; /* a gradient's only lends its shape */
    for (int i = 0; i < CONV_TENSORS; i++)
        if (strcmp(name, names[i]) == 0) return i;
    abort();
}

static struct rig_array array_named(const struct conv_arguments *call, const char *name)
{
    static const struct {
        const char *name;
        int array;
    } arrays[] = {{"stride", CONV_STRIDE},      {"strides", CONV_STRIDE},
                  {"padding", CONV_PADDING},    {"padsBegin", CONV_PADDING},
                  {"padsEnd", CONV_PAD_END},    {"dilation", CONV_DILATION},
                  {"dilations", CONV_DILATION}, {"outputPadding", CONV_OUTPUT_PADDING}};
    struct rig_array mask = {.is_null = call->mask_length < 0, .length = call->mask_length};
    for (int i = 0; i < 3; i++)
        mask.values[i] = call->mask[i];
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (strcmp(name, arrays[i].name) == 0) return call->array[arrays[i].array];
    if (strcmp(name, "kernelSize") == 0) return call->kernel;
    if (strcmp(name, "biasSizes") == 0) return call->bias_sizes;
    if (strcmp(name, "outputMask") == 0) return mask;
    abort();
}

static int64_t number_named(const struct conv_arguments *call, const char *name)
{
    if (strcmp(name, "transposed") == 0) return call->transposed;
    if (strcmp(name, "groups") == 0) return call->groups;
    if (strcmp(name, "autoPad") == 0) return call->auto_pad;
    if (strcmp(name, "pad") == 0) return call->array[CONV_PADDING].values[0];
    if (strcmp(name, "cubeMathType") == 0) return call->math;
    abort();
}

aclnnStatus conv_rig_phase1(struct conv_rig *rig, uint64_t *size, aclOpExecutor **executor)
{
    struct rig_call call = {.op = row_of(rig), .size = size, .out = executor};
    for (int i = 0; call.op->array[i]; i++)
        call.array[i] = array_named(&rig->call, call.op->array[i]);
    for (int i = 0; call.op->number[i]; i++)
        call.number[i] = number_named(&rig->call, call.op->number[i]);
    for (int i = 0; i < RIG_OPERANDS; i++)
        call.is_null[i] = true; /* those of the rig are open already */
    rig_open(&call);
    for (int i = 0; call.op->tensor[i]; i++) {
        const int tensor = tensor_named(rig, call.op->tensor[i]);
        call.tensor[i] = rig->call.is_null[tensor] ? NULL : rig->operand[tensor].tensor;
    }
    if (conv_rig_fail_at) conv_rig_fail_at(conv_rig_fail_n);
    const aclnnStatus status = call.op->phase1(&call);
    if (conv_rig_fail_at) conv_rig_fail_at(0);
    rig_close(&call);
    return status;
}

aclnnStatus conv_rig_phase2(struct conv_rig *rig, void *workspace, uint64_t size,
                            aclOpExecutor *executor)
{
    return row_of(rig)->phase2(workspace, size, executor, rig->stream);
}

static bool run_phases(struct conv_rig *rig, enum guard_side side)
{
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    aclnnStatus status = conv_rig_phase1(rig, &size, &executor);
    if (status == ACLNN_SUCCESS) {
        void *workspace = size ? guard_place(&rig->workspace, size, side, 64) : NULL;
        if (size) memset(workspace, 0xFF, size);
        status = conv_rig_phase2(rig, workspace, size, executor);
    }
    if (status == ACLNN_SUCCESS) status = aclrtSynchronizeStream(rig->stream);
    if (status == ACLNN_SUCCESS && (size == 0 || guard_intact(&rig->workspace))) return true;
    const char *recent = aclGetRecentErrMsg();
    snprintf(rig->text, sizeof rig->text, "%d: %s", (int)status, recent ? recent : "workspace");
    return false;
}

/* Closes the operand, reads what was written; no byte may have changed that was not asked for. */
static bool collect(struct conv_rig *rig, int i)
{
    struct operand *o = &rig->operand[i];
    const bool is_written = conv_rig_writes(rig, i), is_read = conv_rig_reads(rig, i);
    operand_close(o);
    if (is_written) operand_read_bits(o, rig->bits[i]);
    if (is_written) operand_read(o, rig->values[i]);
    const unsigned char *byte = o->data;
    for (size_t b = 0; !is_written && !is_read && b < operand_bytes(o); b++)
        if (byte[b] != 0xFF) {
            snprintf(rig->text, sizeof rig->text, "%s was not asked for and written", names[i]);
            return false;
        }
    if (guard_intact(&rig->guard[i]) && operand_gaps_hold(o, 0xFF)) return true;
    snprintf(rig->text, sizeof rig->text, "a byte around %s was written", names[i]);
    return false;
}

void conv_rig_open(struct conv_rig *rig, enum guard_side side)
{
    for (int i = 0; i < CONV_TENSORS; i++) {
        struct operand *o = &rig->operand[i];
        o->data =
            guard_place(&rig->guard[i], operand_bytes(o), side, operand_element_size(o->dtype));
        operand_poison(o, 0xFF);
        if (conv_rig_reads(rig, i)) {
            operand_write(o, rig->values[i]);
            operand_read(o, rig->values[i]); /* what a broadcast has left of it */
        }
        operand_open(o);
    }
}

bool conv_rig_close(struct conv_rig *rig, bool is_right)
{
    for (int i = 0; i < CONV_TENSORS; i++) {
        char text[sizeof rig->text];
        memcpy(text, rig->text, sizeof text);
        const bool is_sound = collect(rig, i);
        if (!is_right) memcpy(rig->text, text, sizeof text); /* the first reason stays */
        is_right = is_right && is_sound;
    }
    return is_right;
}

bool conv_rig_run(struct conv_rig *rig, enum guard_side side)
{
    conv_rig_open(rig, side);
    return conv_rig_close(rig, run_phases(rig, side));
}

/* ---- the comparison ---- */

static enum case_dtype product_type(const struct conv_case *test)
{
    const enum case_dtype x = test->dtype[CONV_INPUT], w = test->dtype[CONV_WEIGHT];
    if (x != w) return CASE_F32;
    return conv_is_forward(test->op) || test->dtype[CONV_GRAD_OUTPUT] == x ? x : CASE_F32;
}

static bool compare_output(struct conv_rig *rig, int i, const struct oracle_sum *sums)
{
    /* Each product may be rounded before it is added. */
    const struct compare_rule rule = {rig->test.dtype[i], 1, 1};
    const int64_t count = operand_elements(&rig->operand[i]);
    for (int64_t j = 0; j < count; j++) {
        double bound;
        const struct oracle_sum *sum = &sums[oracle_index(rig, i, j)];
        if (compare_sum(&rule, sum, rig->values[i][j], &bound)) continue;
        snprintf(rig->text, sizeof rig->text, "%s[%" PRId64 "] is %.9g; expected %.9g +- %.3g",
                 names[i], j, rig->values[i][j], sum->value, bound);
        return false;
    }
    return true;
}

/* A factor in the oracle's order, rounded as cubeMathType says. */
static double *factor_of(const struct conv_rig *rig, int i)
{
    const int64_t count = operand_elements(&rig->operand[i]);
    double *factor = malloc(sizeof(double) * (size_t)(count + 1));
    const enum case_dtype product = product_type(&rig->test);
    for (int64_t j = 0; j < count; j++)
        factor[oracle_index(rig, i, j)] =
            oracle_operand(product, rig->test.math, rig->values[i][j]);
    return factor;
}

static struct oracle_sum *sums_of(const struct conv_rig *rig, int i)
{
    return calloc((size_t)operand_elements(&rig->operand[i]) + 1, sizeof(struct oracle_sum));
}

static bool compare_forward(struct conv_rig *rig)
{
    if (operand_elements(&rig->operand[CONV_OUTPUT]) == 0) return true;
    const bool transposed = rig->test.transposed;
    double *input = factor_of(rig, CONV_INPUT), *weight = factor_of(rig, CONV_WEIGHT);
    struct oracle_sum *sums = sums_of(rig, CONV_OUTPUT);
    const struct oracle_conv_values values = {
        .large = transposed ? NULL : input,
        .small = transposed ? input : NULL,
        .weight = weight,
        .to_large = transposed ? sums : NULL,
        .to_small = transposed ? NULL : sums,
    };
    oracle_conv(&rig->test.conv, &values);
    const int64_t count = operand_elements(&rig->operand[CONV_OUTPUT]);
    const int64_t channels = rig->operand[CONV_BIAS].dims[0];
    const int64_t positions = count / rig->test.conv.batch / channels;
    for (int64_t j = 0; rig->test.mask[2] && j < count; j++)
        oracle_add(&sums[j], rig->values[CONV_BIAS][j / positions % channels]);
    const bool is_right = compare_output(rig, CONV_OUTPUT, sums);
    free(input);
    free(weight);
    free(sums);
    return is_right;
}

static bool compare_gradients(struct conv_rig *rig)
{
    const struct conv_case *t = &rig->test;
    double *factor[3];
    struct oracle_sum *sums[3];
    for (int i = 0; i < 3; i++) {
        factor[i] = factor_of(rig, i);
        sums[i] = sums_of(rig, i + CONV_GRAD_INPUT);
    }
    const struct oracle_conv_values values = {
        .large = factor[t->transposed ? CONV_GRAD_OUTPUT : CONV_INPUT],
        .small = factor[t->transposed ? CONV_INPUT : CONV_GRAD_OUTPUT],
        .weight = factor[CONV_WEIGHT],
        .to_large = t->transposed ? NULL : sums[0],
        .to_small = t->transposed ? sums[0] : NULL,
        .to_weight = sums[1],
    };
    oracle_conv(&t->conv, &values);
    /* The bias's gradient adds gradOutput as it is. */
    const int64_t count = operand_elements(&rig->operand[CONV_GRAD_OUTPUT]);
    const int64_t channels = rig->operand[CONV_GRAD_BIAS].dims[0];
    double *dy = malloc(sizeof(double) * (size_t)(count + 1));
    for (int64_t j = 0; j < count; j++)
        dy[oracle_index(rig, CONV_GRAD_OUTPUT, j)] = rig->values[CONV_GRAD_OUTPUT][j];
    oracle_conv_bias(t->conv.batch, channels, count / t->conv.batch / channels, dy, sums[2]);
    free(dy);
    bool is_right = true;
    for (int i = 0; i < 3; i++) {
        if (t->mask[i]) is_right = is_right && compare_output(rig, i + CONV_GRAD_INPUT, sums[i]);
        free(factor[i]);
        free(sums[i]);
    }
    return is_right;
}

bool conv_rig_compare(struct conv_rig *rig)
{
    return conv_is_forward(rig->test.op) ? compare_forward(rig) : compare_gradients(rig);
}

bool conv_rig_check(struct conv_rig *rig, const struct conv_case *test)
{
    char reason[sizeof rig->text];
    conv_rig_load(rig, test);
    if (conv_rig_run(rig, test->seed % 2 ? GUARD_FRONT : GUARD_END) && conv_rig_compare(rig))
        return true;
    memcpy(reason, rig->text, sizeof reason);
    conv_describe(test, rig->text, 700);
    const size_t used = strlen(rig->text);
    snprintf(rig->text + used, sizeof rig->text - used, ": %.300s", reason);
    return false;
}

bool conv_rig_repeats(enum case_dtype dtype)
{
    const char *level = getenv("ACLNN_CPU_ISA");
    return level && strcmp(level, "avx512_bf16") == 0 && dtype != CASE_BF16;
}
