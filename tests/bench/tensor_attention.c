/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/tensor_attention.h"

#include <math.h>
#include <string.h>

enum { STATISTICS = 8, CAUSAL_MASK = 2048 };
enum { MODE_MASK = 1, MODE_CAUSAL = 2 };

/* What a call needs and the line does not have. */
enum extra { EXTRA_CAUSAL, EXTRA_MAX, EXTRA_SUM, EXTRA_RESULT, EXTRAS };

static struct {
    void *data;
    aclTensor *tensor;
} extra[EXTRAS];

static void release(void)
{
    for (int i = 0; i < EXTRAS; i++) {
        if (extra[i].tensor != NULL) aclDestroyTensor(extra[i].tensor);
        if (extra[i].data != NULL) aclrtFree(extra[i].data);
        extra[i].tensor = NULL;
        extra[i].data = NULL;
    }
}

static aclTensor *make(enum extra which, const int64_t *dims, int rank, aclDataType type)
{
    int64_t strides[TENSOR_AXES], elements = 1;
    for (int i = rank - 1; i >= 0; elements *= dims[i--])
        strides[i] = elements;
    const size_t bytes = (size_t)elements * aclDataTypeSize(type);
    if (aclrtMalloc(&extra[which].data, bytes, ACL_MEM_MALLOC_HUGE_FIRST) != 0) return NULL;
    memset(extra[which].data, 0, bytes);
    extra[which].tensor = aclCreateTensor(dims, (uint64_t)rank, type, strides, 0, ACL_FORMAT_ND,
                                          &elements, 1, extra[which].data);
    return extra[which].tensor;
}

struct attention {
    double scale;
    int64_t heads, mode;
    aclTensor *mask;
    char layout[8];
};

static void read_line(struct attention *a, const struct tensor_line *line, aclTensor *const t[])
{
    const int last = line->inputs - 1;
    const int64_t square[] = {CAUSAL_MASK, CAUSAL_MASK};
    *a = (struct attention){.scale = 1 / sqrt((double)line->tensor[0].dims[3]),
                            .heads = line->tensor[0].dims[1],
                            .layout = "BNSD"};
    if (strstr(line->op, "causal") != NULL) {
        a->mode = MODE_CAUSAL;
        a->mask = make(EXTRA_CAUSAL, square, 2, ACL_BOOL);
    } else if (strcmp(line->tensor[last].type, "bool") == 0) {
        a->mode = MODE_MASK;
        a->mask = t[last];
    }
}

static aclnnStatus plan_forward(struct attention *a, aclTensor *const in[], aclTensor *result,
                                aclTensor *max, aclTensor *sum, uint64_t *size,
                                aclOpExecutor **executor)
{
    return aclnnFlashAttentionScoreGetWorkspaceSize(
        in[0], in[1], in[2], NULL, NULL, NULL, a->mask, NULL, a->scale, 1, INT32_MAX, INT32_MAX,
        a->heads, a->layout, 0, a->mode, max, sum, NULL, result, size, executor);
}

static bool run_forward(struct attention *a, const struct tensor_line *line, aclTensor *const in[])
{
    const struct tensor_spec *q = &line->tensor[0], *v = &line->tensor[2];
    const int64_t statistics[] = {q->dims[0], q->dims[1], q->dims[2], STATISTICS};
    const int64_t result[] = {q->dims[0], q->dims[1], q->dims[2], v->dims[3]};
    aclDataType type;
    aclOpExecutor *executor;
    uint64_t size;
    void *workspace = NULL;
    if (aclGetDataType(in[0], &type) != 0 || !make(EXTRA_MAX, statistics, 4, ACL_FLOAT) ||
        !make(EXTRA_SUM, statistics, 4, ACL_FLOAT) || !make(EXTRA_RESULT, result, 4, type) ||
        plan_forward(a, in, extra[EXTRA_RESULT].tensor, extra[EXTRA_MAX].tensor,
                     extra[EXTRA_SUM].tensor, &size, &executor) != 0 ||
        (size > 0 && aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST) != 0))
        return false;
    const bool is_done = aclnnFlashAttentionScore(workspace, size, executor, NULL) == 0 &&
                         aclrtSynchronizeStream(NULL) == 0;
    aclrtFree(workspace);
    return is_done;
}

aclnnStatus attention_plan(const struct tensor_line *line, aclTensor *const t[], uint64_t *size,
                           aclOpExecutor **executor)
{
    struct attention a;
    aclTensor *const *out = t + line->inputs;
    release();
    read_line(&a, line, t);
    if (strstr(line->op, "decode") != NULL)
        return aclnnIncreFlashAttentionGetWorkspaceSize(
            t[0], aclCreateTensorList((const aclTensor *const *)&t[1], 1),
            aclCreateTensorList((const aclTensor *const *)&t[2], 1), NULL, a.mask, NULL, a.heads,
            a.scale, a.layout, line->tensor[1].dims[1], out[0], size, executor);
    if (strstr(line->op, "backward") == NULL)
        return plan_forward(&a, t, out[0], out[1], out[2], size, executor);
    if (!run_forward(&a, line, t)) return ACL_ERROR_INTERNAL_ERROR;
    return aclnnFlashAttentionScoreGradGetWorkspaceSize(
        t[0], t[1], t[2], t[3], NULL, NULL, NULL, a.mask, extra[EXTRA_MAX].tensor,
        extra[EXTRA_SUM].tensor, NULL, extra[EXTRA_RESULT].tensor, NULL, a.scale, 1, INT32_MAX,
        INT32_MAX, a.heads, a.layout, 0, a.mode, out[0], out[1], out[2], NULL, size, executor);
}
