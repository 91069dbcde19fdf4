/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors and arrays of a call, as a program would make them. */
#include "tests/bench/ours.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/rows_pooling.h"

/* The Mask operators' buffer: bytes whose number only their contract explains. */
static int token_dims(const struct test_case *test, int64_t dims[BENCH_RANK])
{
    struct case_window h = case_window(test, 0), w = case_window(test, 1);
    dims[0] = test->batch;
    dims[1] = test->channels;
    dims[2] = h.kernel * w.kernel;
    dims[3] = ((h.output * w.output + 15) / 16 + 1) * 32;
    return 4;
}

static bool is_token(const struct bench_problem *problem, int number)
{
    return problem->op->indices == BENCH_IN_TOKEN && problem->tensor[number].role == CASE_I;
}

size_t call_tensor_bytes(const struct bench_problem *problem, int number)
{
    size_t bytes = problem->tensor[number].bytes;
    int64_t dims[BENCH_RANK];
    if (!is_token(problem, number)) return bytes;
    token_dims(&problem->test, dims);
    size_t token = (size_t)(dims[0] * dims[1] * dims[2] * dims[3]);
    return token > bytes ? token : bytes;
}

static const struct rig_operator *row_of(const struct test_case *test)
{
    for (int i = 0; i < ROWS_POOLING; i++)
        if (strcmp(rows_pooling[i]->word, test->op) == 0) return rows_pooling[i];
    return NULL;
}

bool call_open(struct call *call, const struct bench_problem *problem, void *const data[])
{
    struct test_case test = problem->test;
    /* Channels last is a view: dimensions in the usual order, channels innermost in memory. */
    const enum case_layout layout =
        problem->format == BENCH_NHWC ? CASE_CHANNELS_LAST : CASE_CONTIGUOUS;
    test.x_layout = test.dx_layout = test.y_layout = test.dy_layout = test.i_layout = layout;
    test.format = CASE_BY_RANK;
    test.offset = 0;
    *call = (struct call){.op = row_of(&test)};
    const bool is_token_last =
        problem->op->indices == BENCH_IN_TOKEN && problem->format == BENCH_NHWC;
    if (call->op == NULL || is_token_last) return false;
    call->rig = malloc(sizeof *call->rig);
    if (call->rig == NULL) return false;
    *call->rig = rig_call_of(call->op, &test);
    for (int slot = 0; call->op->tensor[slot]; slot++) {
        const int number = bench_tensor_of(problem, call->op->operand[slot].tensor);
        if (number >= 0) call->rig->operand[slot].data = data[number];
    }
    rig_open(call->rig);
    return true;
}

aclnnStatus call_prepare(struct call *call)
{
    call->rig->size = &call->workspace_size;
    call->rig->out = &call->executor;
    return call->op->phase1(call->rig);
}

aclnnStatus call_execute(const struct call *call, aclrtStream stream)
{
    return call->op->phase2(call->workspace, call->workspace_size, call->executor, stream);
}

void call_close(struct call *call)
{
    if (call->executor != NULL) aclDestroyAclOpExecutor(call->executor);
    if (call->workspace != NULL) aclrtFree(call->workspace);
    if (call->rig != NULL) rig_close(call->rig);
    free(call->rig);
    *call = (struct call){0};
}

bool call_keep(struct call *call)
{
    if (call_prepare(call) != ACL_SUCCESS) return false;
    if (aclSetAclOpExecutorRepeatable(call->executor) != ACL_SUCCESS) return false;
    return call->workspace_size == 0 || aclrtMalloc(&call->workspace, call->workspace_size,
                                                    ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS;
}
