/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution: bytes choose an operator, a random problem of it, and changes that may break the
 * call. A problem that nobody changed must be accepted and right. A refusal must have a code and a
 * text and write nothing. What is accepted all the same must have sound views, and runs, when it is
 * small, in memory of exactly the touched size. What does not hold aborts. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/conv_rig.h"
#include "tests/support/fuzz_bytes.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SMALL = 1 << 14, MOST_WORK = 1 << 22, UNWRITTEN = 4711 };

static struct conv_rig rig;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    conv_rig_begin(&rig);
    return 0;
}

/* ---- changes ---- */

static void change_tensor(struct bytes *bytes, uint8_t what)
{
    static const aclFormat formats[] = {ACL_FORMAT_ND,     ACL_FORMAT_NCL,   ACL_FORMAT_NCHW,
                                        ACL_FORMAT_NHWC,   ACL_FORMAT_NCDHW, ACL_FORMAT_NDHWC,
                                        ACL_FORMAT_NC1HWC0};
    static const aclDataType types[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_INT32};
    struct operand *o = &rig.operand[take(bytes) % CONV_TENSORS];
    const int axis = take(bytes) % (o->rank > 0 ? o->rank : 1);
    switch (what % 8) {
    case 0:
    case 1:
        o->dims[axis] = take_wild(bytes);
        break;
    case 2:
        o->strides[axis] = take_wild(bytes);
        break;
    case 3:
        o->offset = take_wild(bytes);
        break;
    case 4:
        o->storage = take_wild(bytes);
        break;
    case 5:
        o->format = formats[take(bytes) % (sizeof formats / sizeof formats[0])];
        break;
    case 6: /* the memory keeps its size: a type is only changed to one not larger */
        o->type = types[take(bytes) % (sizeof types / sizeof types[0])];
        break;
    default:
        o->rank = take(bytes) % 7;
        o->channels_at = 0;
    }
}

static void change_call(struct bytes *bytes, uint8_t what)
{
    struct rig_array *array = &rig.call.array[take(bytes) % CONV_ARRAYS];
    switch (what % 8) {
    case 0:
    case 1:
        array->values[take(bytes) % 6] = take_wild(bytes);
        break;
    case 2:
        array->length = take(bytes) % 7;
        break;
    case 3:
        array->is_null = !array->is_null;
        break;
    case 4:
        rig.call.groups = take_wild(bytes);
        break;
    case 5:
        rig.call.math = take(bytes) % 7 - 1;
        rig.call.auto_pad = take(bytes) % 5;
        break;
    case 6:
        rig.call.is_null[take(bytes) % CONV_TENSORS] = true;
        break;
    default:
        rig.call.transposed = !rig.call.transposed;
        rig.call.mask_length = take(bytes) % 5 - 1;
        rig.call.kernel.values[0] = take_wild(bytes);
        rig.call.bias_sizes = (struct rig_array){.length = 1, .values = {take_wild(bytes)}};
    }
}

/* ---- what was accepted ---- */

static size_t type_size(aclDataType type)
{
    return type == ACL_FLOAT || type == ACL_INT32 ? 4 : type == ACL_DOUBLE ? 8 : 2;
}

/* The elements from data to the last one touched, -1 where they cannot be counted. */
static int64_t touched(const struct operand *o)
{
    int64_t last = o->offset;
    if (last < 0) return -1;
    for (int i = 0; i < o->rank; i++)
        if (o->dims[i] == 0) return 0;
    for (int i = 0; i < o->rank; i++) {
        int64_t reach;
        if (o->dims[i] < 0 || (o->strides[i] < 0 && o->dims[i] > 1) ||
            __builtin_mul_overflow(o->dims[i] - 1, o->strides[i], &reach) ||
            __builtin_add_overflow(last, reach, &last))
            return -1;
    }
    return last < INT64_MAX ? last + 1 : -1;
}

/* Products, at most: every element of one tensor with those of another. */
static double work(void)
{
    double most = 0;
    for (int i = 0; i < CONV_TENSORS; i++) {
        double elements = 1;
        for (int axis = 0; axis < rig.operand[i].rank; axis++)
            elements *= (double)rig.operand[i].dims[axis];
        if (!rig.call.is_null[i] && elements > most) most = elements;
    }
    double weight = 1;
    for (int axis = 0; axis < rig.operand[CONV_WEIGHT].rank; axis++)
        weight *= (double)rig.operand[CONV_WEIGHT].dims[axis];
    return most * (weight + 1);
}

static void open_all(const int64_t spans[], enum guard_side side)
{
    for (int i = 0; i < CONV_TENSORS; i++) {
        struct operand *o = &rig.operand[i];
        const size_t size = type_size(o->type), bytes = (size_t)spans[i] * size;
        o->data = guard_place(&rig.guard[i], bytes, side, size);
        memset(o->data, 0x3C, bytes); /* a small number in every type */
        operand_open(o);
    }
}

static void close_all(void)
{
    for (int i = 0; i < CONV_TENSORS; i++) {
        operand_close(&rig.operand[i]);
        EXPECT(guard_intact(&rig.guard[i]), "tensor %d", i);
    }
}

static void run(void)
{
    uint64_t size = UNWRITTEN;
    aclOpExecutor *executor = NULL;
    int64_t spans[CONV_TENSORS];
    bool is_small = work() <= MOST_WORK, is_sound = true;
    for (int i = 0; i < CONV_TENSORS; i++) {
        spans[i] = touched(&rig.operand[i]);
        is_sound = is_sound && (rig.call.is_null[i] || spans[i] >= 0);
        is_small = is_small && spans[i] <= SMALL;
        if (spans[i] < 0 || spans[i] > SMALL) spans[i] = 0;
    }
    open_all(spans, GUARD_END);
    const aclnnStatus status = conv_rig_phase1(&rig, &size, &executor);
    if (status != ACLNN_SUCCESS) {
        const char *text = aclGetRecentErrMsg();
        EXPECT(status >= 161000 && text && strstr(text, conv_operator_name(rig.test.op)), "%d %s",
               (int)status, text ? text : "no text");
        EXPECT(size == UNWRITTEN && !executor, "outputs of a refused call");
        close_all();
        return;
    }
    /* A gradient that is not asked for needs no memory. */
    if (rig.test.op == CONV_BACKWARD)
        for (int i = CONV_GRAD_INPUT; i < CONV_TENSORS; i++)
            is_sound = is_sound || !rig.call.mask[i - CONV_GRAD_INPUT];
    EXPECT(is_sound, "%s accepted a view that no memory can hold", conv_operator_name(rig.test.op));
    if (!is_small || size > (1 << 24)) {
        aclDestroyAclOpExecutor(executor);
        close_all();
        return;
    }
    void *workspace = size ? guard_place(&rig.workspace, size, GUARD_END, 64) : NULL;
    EXPECT(conv_rig_phase2(&rig, workspace, size, executor) == ACLNN_SUCCESS, "phase 2: %s",
           aclGetRecentErrMsg());
    EXPECT(aclrtSynchronizeStream(rig.stream) == ACL_SUCCESS, "synchronise");
    EXPECT(size == 0 || guard_intact(&rig.workspace), "workspace");
    close_all();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, size};
    const enum conv_operator op = (enum conv_operator)(take(&bytes) % CONV_OPERATORS);
    const uint8_t traits = take(&bytes);
    struct random random = {0};
    for (int i = 0; i < 4; i++)
        random.state = random.state << 8 | take(&bytes);
    const struct conv_case test =
        conv_random_case(&random, op, (enum case_dtype)(traits % CASE_FLOATS), traits >= 128);
    const int changes = take(&bytes) % 4;
    if (changes == 0) {
        EXPECT(conv_rig_check(&rig, &test), "%s", rig.text);
        return 0;
    }
    conv_rig_load(&rig, &test);
    for (int i = 0; i < changes; i++) {
        const uint8_t what = take(&bytes);
        if (what & 1)
            change_tensor(&bytes, what / 2);
        else
            change_call(&bytes, what / 2);
    }
    run();
    return 0;
}
