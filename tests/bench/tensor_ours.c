/* SPDX-License-Identifier: Apache-2.0 */
/* Our side of `bench tensors`: a repeatable executor, run and waited for. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "tests/bench/conversation.h"
#include "tests/bench/stats.h"
#include "tests/bench/tensor_line.h"
#include "tests/support/rows_every.h"

struct call {
    struct tensor_line line;
    aclTensor *t[TENSOR_MOST];
    void *data[TENSOR_MOST], *workspace;
    uint64_t size;
    aclOpExecutor *executor;
    struct rig_call *rig;
};

/* ---- the row's arguments ---- */

static aclDataType type_of(const struct call *c, int tensor)
{
    const char *type = c->line.tensor[tensor].type;
    if (strcmp(type, "f32") == 0) return ACL_FLOAT;
    if (strcmp(type, "f16") == 0) return ACL_FLOAT16;
    if (strcmp(type, "bf16") == 0) return ACL_BF16;
    return strcmp(type, "i64") == 0 ? ACL_INT64 : ACL_BOOL;
}

/* The line's tensors in the order of the row's; behind the last one NULL, as what may be there and
 * is read and written. */
static void give_tensors(struct call *c)
{
    struct rig_call *rig = c->rig;
    int input = 0, output = c->line.inputs;
    for (int slot = 0; rig->op->tensor[slot]; slot++) {
        const bool is_read = rig->op->operand[slot].role == RIG_READ;
        int *next = is_read ? &input : &output;
        const int end = is_read ? c->line.inputs : c->line.tensors;
        if (rig_is_list(rig->op, slot)) {
            rig->list[slot] = aclCreateTensorList((const aclTensor *const *)c->t + *next,
                                                  (uint64_t)(end - *next));
            *next = end;
        } else if (rig->op->names->tensor_kind[slot] != OP_OPTIONAL_REF && *next < end) {
            rig->tensor[slot] = c->t[(*next)++];
        }
    }
}

/* A type that the line does not name is that of the first output. */
static void give_types(struct call *c, const struct test_case *test)
{
    for (int i = 0; c->rig->op->number[i]; i++)
        if (c->rig->op->names->number_kind[i] == OP_TYPE_OF &&
            !case_argument_named(test, c->rig->op->number[i]))
            c->rig->number[i] = type_of(c, c->line.inputs);
}

static bool prepare(struct call *c)
{
    char line[2 * TENSOR_LINE], error[160];
    struct test_case test = {.dtype = CASE_F32};
    const struct rig_operator *op = rows_every_of_word(c->line.row[0] ? c->line.row : c->line.op);
    if (!op) return false;
    snprintf(line, sizeof line, "%s f32 %s", op->word, c->line.arguments);
    if (c->line.arguments[0] && !case_parse(line, &test, error, sizeof error)) {
        fprintf(stderr, "%s: %s\n", line, error);
        return false;
    }
    c->rig = malloc(sizeof *c->rig);
    if (!c->rig) return false;
    *c->rig = rig_call_of(op, &test);
    rig_open(c->rig);
    give_tensors(c);
    give_types(c, &test);
    c->rig->size = &c->size;
    c->rig->out = &c->executor;
    return op->phase1(c->rig) == 0;
}

/* ---- data ---- */

static void write_element(const struct tensor_spec *spec, void *data, int64_t i)
{
    const int64_t step = i * 7919;
    const float value = (float)(step % 8191 - 4095) / 4096;
    uint32_t bits;
    memcpy(&bits, &value, 4);
    if (strcmp(spec->type, "f32") == 0)
        ((float *)data)[i] = value;
    else if (strcmp(spec->type, "bf16") == 0)
        ((uint16_t *)data)[i] = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    else if (strcmp(spec->type, "f16") == 0)
        ((uint16_t *)data)[i] = aclFloatToFloat16(value);
    else if (strcmp(spec->type, "i64") == 0)
        ((int64_t *)data)[i] = step % spec->below;
    else
        ((uint8_t *)data)[i] = step % 8191 & 1;
}

static double read_element(const struct tensor_spec *spec, const void *data, int64_t i)
{
    if (strcmp(spec->type, "f32") == 0) return (double)((const float *)data)[i];
    if (strcmp(spec->type, "i64") == 0) return (double)((const int64_t *)data)[i];
    if (strcmp(spec->type, "bool") == 0) return ((const uint8_t *)data)[i];
    const uint16_t half = ((const uint16_t *)data)[i];
    if (strcmp(spec->type, "f16") == 0) return (double)aclFloat16ToFloat(half);
    const uint32_t bits = (uint32_t)half << 16;
    float value;
    memcpy(&value, &bits, 4);
    return (double)value;
}

static void add_sums(const struct call *c, cJSON *reply)
{
    const int output = c->line.inputs;
    const struct tensor_spec *spec = &c->line.tensor[output];
    double sum = 0, norm = 0;
    for (int64_t i = 0; i < spec->elements; i++) {
        const double value = read_element(spec, c->data[output], i);
        if (!isfinite(value)) continue;
        sum += value;
        norm += fabs(value);
    }
    cJSON_AddNumberToObject(reply, "sum", sum);
    cJSON_AddNumberToObject(reply, "norm", norm);
}

/* ---- the conversation ---- */

static aclrtStream stream;
static struct call call;

static void clear(void)
{
    for (int i = 0; i < call.line.tensors; i++)
        aclrtFree(call.data[i]);
    if (call.executor) aclDestroyAclOpExecutor(call.executor);
    if (call.workspace) aclrtFree(call.workspace);
    if (call.rig) rig_close(call.rig);
    free(call.rig);
    call = (struct call){0};
}

static bool create(struct call *c)
{
    for (int i = 0; i < c->line.tensors; i++) {
        const struct tensor_spec *spec = &c->line.tensor[i];
        if (aclrtMalloc(&c->data[i], tensor_bytes(spec), ACL_MEM_MALLOC_HUGE_FIRST) != 0)
            return false;
        memset(c->data[i], 0, tensor_bytes(spec));
        for (int64_t e = 0; i < c->line.inputs && e < spec->elements; e++)
            write_element(spec, c->data[i], e);
        c->t[i] = aclCreateTensor(spec->dims, (uint64_t)spec->rank, type_of(c, i), spec->strides, 0,
                                  ACL_FORMAT_ND, &spec->elements, 1, c->data[i]);
        if (c->t[i] == NULL) return false;
    }
    return true;
}

static double run(int64_t count)
{
    const double begin = stats_now();
    for (int64_t i = 0; i < count; i++)
        if (call.rig->op->phase2(call.workspace, call.size, call.executor, stream) != 0 ||
            aclrtSynchronizeStream(stream) != 0)
            return -1;
    return (stats_now() - begin) / (double)count;
}

static bool set_up(const cJSON *request)
{
    clear();
    if (!tensor_line_parse(conversation_text(request, "line"), conversation_text(request, "type"),
                           &call.line) ||
        !create(&call))
        return false;
    return prepare(&call) && aclSetAclOpExecutorRepeatable(call.executor) == 0 &&
           (call.size == 0 ||
            aclrtMalloc(&call.workspace, call.size, ACL_MEM_MALLOC_HUGE_FIRST) == 0) &&
           run(1) >= 0;
}

static void answer(const void *contender, const cJSON *request, cJSON *reply)
{
    (void)contender;
    if (strcmp(conversation_text(request, "do"), "set_up") != 0) {
        const double count = cJSON_GetNumberValue(cJSON_GetObjectItem(request, "count"));
        cJSON_AddNumberToObject(reply, "seconds", run((int64_t)count));
    } else if (set_up(request)) {
        add_sums(&call, reply);
    } else {
        const char *text = aclGetRecentErrMsg();
        conversation_refuse(reply, text ? text : "no such line or operator");
    }
}

static void hello(cJSON *reply)
{
    cJSON_AddStringToObject(reply, "version", "");
}

int main(void)
{
    if (aclInit(NULL) != 0 || aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0) return 1;
    return conversation_run("ours", hello, answer, NULL) ? 0 : 1;
}
