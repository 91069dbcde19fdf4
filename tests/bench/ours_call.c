/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors and arrays of a call, as a program would make them. */
#include "tests/bench/ours.h"

static aclDataType type_of(enum case_dtype dtype)
{
    static const aclDataType types[CASE_DTYPES] = {
        [CASE_F32] = ACL_FLOAT,  [CASE_F16] = ACL_FLOAT16, [CASE_BF16] = ACL_BF16,
        [CASE_F64] = ACL_DOUBLE, [CASE_I8] = ACL_INT8,     [CASE_U8] = ACL_UINT8,
        [CASE_I16] = ACL_INT16,  [CASE_U16] = ACL_UINT16,  [CASE_I32] = ACL_INT32,
        [CASE_I64] = ACL_INT64,  [CASE_BOOL] = ACL_BOOL};
    return types[dtype];
}

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

/* Channels last is a view: dimensions in the usual order, channels innermost in memory. */
static aclTensor *tensor_of(const struct bench_problem *problem, int number, void *data)
{
    static const aclFormat formats[] = {ACL_FORMAT_NCL, ACL_FORMAT_NCHW, ACL_FORMAT_NCDHW};
    const struct bench_tensor *tensor = &problem->tensor[number];
    int64_t dims[BENCH_RANK], strides[BENCH_RANK];
    bool is_bytes = is_token(problem, number);
    int rank = is_bytes ? token_dims(&problem->test, dims)
                        : bench_dims(&problem->test, tensor->role, dims);
    bool is_last = problem->format == BENCH_NHWC;
    int64_t step = is_last ? dims[1] : 1;
    for (int d = rank - 1; d >= 2; d--) {
        strides[d] = step;
        step *= dims[d];
    }
    strides[1] = is_last ? 1 : step;
    strides[0] = is_last ? step : step * dims[1];
    return aclCreateTensor(dims, (uint64_t)rank, is_bytes ? ACL_INT8 : type_of(tensor->dtype),
                           strides, 0, formats[rank - 3], dims, (uint64_t)rank, data);
}

/* An absent array has no values, a null pointer stays one. */
static aclIntArray *array_of(const int64_t *values, int length)
{
    if (length == CASE_NO_ARRAY) return NULL;
    return aclCreateIntArray(values, length > 0 ? (uint64_t)length : 0);
}

/* An absent padding or dilation spelled out: not every operator takes an empty array. */
static aclIntArray *array_or(const int64_t *values, int length, int64_t usual)
{
    return length == 0 ? array_of(&usual, 1) : array_of(values, length);
}

bool call_open(struct call *call, const struct bench_problem *problem, void *const data[])
{
    const struct test_case *test = &problem->test;
    *call = (struct call){.test = test, .phases = call_phases_of(test->op)};
    bool is_token_last = problem->op->indices == BENCH_IN_TOKEN && problem->format == BENCH_NHWC;
    if (call->phases == NULL || is_token_last) return false;
    for (int i = 0; i < problem->tensors; i++)
        call->tensor[problem->tensor[i].role] = tensor_of(problem, i, data[i]);
    int64_t large[CASE_AXES], small[CASE_AXES];
    for (int axis = 0; axis < test->axes; axis++) {
        struct case_window window = case_window(test, axis);
        large[axis] = window.input;
        small[axis] = window.output;
    }
    call->large = array_of(large, test->axes);
    call->small = array_of(small, test->axes);
    call->kernel = array_of(test->kernel, test->kernel_length);
    call->stride = array_of(test->stride, test->stride_length);
    call->pad = array_or(test->pad, test->pad_length, 0);
    call->pad_end = test->pad_end_length == 0 ? array_or(test->pad, test->pad_length, 0)
                                              : array_of(test->pad_end, test->pad_end_length);
    call->dilation = array_or(test->dilation, test->dilation_length, 1);
    return true;
}

void call_close(struct call *call)
{
    if (call->executor != NULL) aclDestroyAclOpExecutor(call->executor);
    if (call->workspace != NULL) aclrtFree(call->workspace);
    for (int role = 0; role < CASE_TENSORS; role++)
        aclDestroyTensor(call->tensor[role]);
    aclDestroyIntArray(call->large);
    aclDestroyIntArray(call->small);
    aclDestroyIntArray(call->kernel);
    aclDestroyIntArray(call->stride);
    aclDestroyIntArray(call->pad);
    aclDestroyIntArray(call->pad_end);
    aclDestroyIntArray(call->dilation);
    *call = (struct call){0};
}

bool call_keep(struct call *call)
{
    if (call->phases->prepare(call) != ACL_SUCCESS) return false;
    if (aclSetAclOpExecutorRepeatable(call->executor) != ACL_SUCCESS) return false;
    return call->workspace_size == 0 || aclrtMalloc(&call->workspace, call->workspace_size,
                                                    ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS;
}
