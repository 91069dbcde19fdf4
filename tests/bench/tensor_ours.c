/* SPDX-License-Identifier: Apache-2.0 */
/* Our side of `bench tensors`: a repeatable executor, run and waited for. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnn_operators.h"
#include "tests/bench/conversation.h"
#include "tests/bench/stats.h"
#include "tests/bench/tensor_line.h"

struct call {
    struct tensor_line line;
    aclTensor *t[TENSOR_MOST];
    void *data[TENSOR_MOST], *workspace;
    uint64_t size;
    aclOpExecutor *executor;
    aclScalar *one, *zero, *half;
    aclIntArray *first, *last, *normalized;
    aclBoolArray *all;
};

typedef aclnnStatus run_fn(void *workspace, uint64_t size, aclOpExecutor *executor,
                           aclrtStream stream);

/* ---- operators ---- */

static aclDataType type_of(const struct call *c, int tensor)
{
    const char *type = c->line.tensor[tensor].type;
    if (strcmp(type, "f32") == 0) return ACL_FLOAT;
    if (strcmp(type, "f16") == 0) return ACL_FLOAT16;
    if (strcmp(type, "bf16") == 0) return ACL_BF16;
    return strcmp(type, "i64") == 0 ? ACL_INT64 : ACL_BOOL;
}

static int last_axis(const struct call *c)
{
    return c->line.tensor[0].rank - 1;
}

static int64_t dim(const struct call *c, int axis)
{
    return c->line.tensor[0].dims[axis];
}

/* Phase 1 of each; `more` are its arguments. */
#define OPERATORS(X)                                                                               \
    X(add, aclnnAdd, c->t[0], c->t[1], c->one, c->t[2])                                            \
    X(mul, aclnnMul, c->t[0], c->t[1], c->t[2])                                                    \
    X(relu, aclnnRelu, c->t[0], c->t[1])                                                           \
    X(relu_backward, aclnnThresholdBackward, c->t[0], c->t[1], c->zero, c->t[2])                   \
    X(gelu, aclnnGelu, c->t[0], c->t[1])                                                           \
    X(gelu_backward, aclnnGeluBackward, c->t[0], c->t[1], c->t[2])                                 \
    X(silu, aclnnSilu, c->t[0], c->t[1])                                                           \
    X(exp, aclnnExp, c->t[0], c->t[1])                                                             \
    X(tanh, aclnnTanh, c->t[0], c->t[1])                                                           \
    X(sqrt, aclnnSqrt, c->t[0], c->t[1])                                                           \
    X(lt, aclnnLtTensor, c->t[0], c->t[1], c->t[2])                                                \
    X(where, aclnnSWhere, c->t[0], c->t[1], c->t[2], c->t[3])                                      \
    X(addcmul, aclnnAddcmul, c->t[0], c->t[1], c->t[2], c->half, c->t[3])                          \
    X(copy, aclnnInplaceCopy, c->t[1], c->t[0])                                                    \
    X(cast, aclnnCast, c->t[0], type_of(c, 1), c->t[1])                                            \
    X(fill, aclnnInplaceFillScalar, c->t[0], c->half)                                              \
    X(sum, aclnnReduceSum, c->t[0], c->first, true, type_of(c, 1), c->t[1])                        \
    X(sum_rows, aclnnReduceSum, c->t[0], c->last, false, type_of(c, 1), c->t[1])                   \
    X(sum_columns, aclnnReduceSum, c->t[0], c->first, false, type_of(c, 1), c->t[1])               \
    X(amax_rows, aclnnAmax, c->t[0], c->last, false, c->t[1])                                      \
    X(argmax_rows, aclnnArgMax, c->t[0], last_axis(c), false, c->t[1])                             \
    X(mean_rows, aclnnMean, c->t[0], c->last, false, type_of(c, 1), c->t[1])                       \
    X(cumsum, aclnnCumsum, c->t[0], last_axis(c), type_of(c, 1), c->t[1])                          \
    X(softmax, aclnnSoftmax, c->t[0], last_axis(c), c->t[1])                                       \
    X(softmax_backward, aclnnSoftmaxBackward, c->t[0], c->t[1], last_axis(c), c->t[2])             \
    X(log_softmax, aclnnLogSoftmax, c->t[0], last_axis(c), c->t[1])                                \
    X(layer_norm, aclnnLayerNorm, c->t[0], c->normalized, c->t[1], c->t[2], 1e-5, c->t[3],         \
      c->t[4], c->t[5])                                                                            \
    X(layer_norm_backward, aclnnLayerNormBackward, c->t[0], c->t[1], c->normalized, c->t[2],       \
      c->t[3], c->t[4], c->t[5], c->all, c->t[6], c->t[7], c->t[8])                                \
    X(rms_norm, aclnnRmsNorm, c->t[0], c->t[1], 1e-6, c->t[2], c->t[3])                            \
    X(batch_norm, aclnnBatchNorm, c->t[0], c->t[1], c->t[2], NULL, NULL, true, 0.1, 1e-5, c->t[3], \
      c->t[4], c->t[5])                                                                            \
    X(group_norm, aclnnGroupNorm, c->t[0], c->t[1], c->t[2], dim(c, 0), dim(c, 1),                 \
      dim(c, 2) * dim(c, 3), 32, 1e-5, c->t[3], c->t[4], c->t[5])                                  \
    X(embedding, aclnnEmbedding, c->t[0], c->t[1], c->t[2])                                        \
    X(index_select, aclnnIndexSelect, c->t[0], last_axis(c), c->t[1], c->t[2])                     \
    X(gather, aclnnGather, c->t[0], last_axis(c), c->t[1], c->t[2])                                \
    X(scatter_add, aclnnScatterAdd, c->t[0], last_axis(c), c->t[1], c->t[2], c->t[3])              \
    X(sort, aclnnSort, c->t[0], false, last_axis(c), false, c->t[1], c->t[2])                      \
    X(topk, aclnnTopk, c->t[0], 50, last_axis(c), true, true, c->t[1], c->t[2])

#define DEFINE(word, operator, ...)                                                                \
    static aclnnStatus plan_##word(struct call *c)                                                 \
    {                                                                                              \
        return operator##GetWorkspaceSize(__VA_ARGS__, &c->size, &c->executor);                    \
    }
OPERATORS(DEFINE)

static aclnnStatus plan_cat(struct call *c)
{
    aclTensorList *list = aclCreateTensorList((const aclTensor *const *)c->t, 2);
    return aclnnCatGetWorkspaceSize(list, last_axis(c), c->t[2], &c->size, &c->executor);
}

static const struct {
    const char *word;
    aclnnStatus (*plan)(struct call *c);
    run_fn *run;
} operators[] = {
#define ROW(word, operator, ...) {#word, plan_##word, operator},
    OPERATORS(ROW){"cat", plan_cat, aclnnCat},
};

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
static run_fn *run_of;

static void clear(void)
{
    for (int i = 0; i < call.line.tensors; i++)
        aclrtFree(call.data[i]);
    if (call.executor) aclDestroyAclOpExecutor(call.executor);
    if (call.workspace) aclrtFree(call.workspace);
    call = (struct call){0};
}

static bool create(struct call *c)
{
    const int last = c->line.tensor[0].rank - 1;
    const float values[] = {1, 0, 0.5F};
    const int64_t axes[] = {0, last};
    const bool all[] = {true, true, true};
    c->one = aclCreateScalar((void *)(uintptr_t)&values[0], ACL_FLOAT);
    c->zero = aclCreateScalar((void *)(uintptr_t)&values[1], ACL_FLOAT);
    c->half = aclCreateScalar((void *)(uintptr_t)&values[2], ACL_FLOAT);
    c->first = aclCreateIntArray(&axes[0], 1);
    c->last = aclCreateIntArray(&axes[1], 1);
    c->normalized = aclCreateIntArray(&c->line.tensor[0].dims[last], 1);
    c->all = aclCreateBoolArray(all, 3);
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
        if (run_of(call.workspace, call.size, call.executor, stream) != 0 ||
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
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        if (strcmp(operators[i].word, call.line.op) != 0) continue;
        run_of = operators[i].run;
        return operators[i].plan(&call) == 0 && aclSetAclOpExecutorRepeatable(call.executor) == 0 &&
               (call.size == 0 ||
                aclrtMalloc(&call.workspace, call.size, ACL_MEM_MALLOC_HUGE_FIRST) == 0) &&
               run(1) >= 0;
    }
    return false;
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
