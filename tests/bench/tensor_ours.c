/* SPDX-License-Identifier: Apache-2.0 */
/* Our side of `bench tensors`: a repeatable executor, run and waited for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "tests/bench/conversation.h"
#include "tests/bench/stats.h"
#include "tests/bench/tensor_attention.h"
#include "tests/bench/tensor_data.h"
#include "tests/bench/tensor_line.h"
#include "tests/support/rows_every.h"

struct call {
    struct tensor_line line;
    aclTensor *t[TENSOR_MOST];
    void *data[TENSOR_MOST], *workspace;
    uint64_t size;
    aclOpExecutor *executor;
    struct rig_call *rig; /* NULL for attention */
    aclnnStatus (*run)(void *workspace, uint64_t size, aclOpExecutor *executor, aclrtStream stream);
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

static bool prepare_row(struct call *c)
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
    c->run = op->phase2;
    return op->phase1(c->rig) == 0;
}

/* Its lines say masks and gradients in their words. */
static bool prepare(struct call *c)
{
#define ATTENTION(word, operator)                                                                  \
    if (strcmp(c->line.op, #word) == 0) c->run = operator;
    ATTENTIONS(ATTENTION)
    if (!c->run) return prepare_row(c);
    return attention_plan(&c->line, c->t, &c->size, &c->executor) == 0;
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
        if (i < c->line.inputs)
            tensor_write(&c->line, i, c->data[i]);
        else
            tensor_poison(spec, c->data[i]);
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
        if (call.run(call.workspace, call.size, call.executor, stream) != 0 ||
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
        for (int i = call.line.inputs; i < call.line.tensors; i++)
            tensor_add_output(reply, &call.line.tensor[i], call.data[i]);
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
