/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of tensor lists: more of everything than a plan has room for itself. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnn/opdev/op_errno.h"
#include "api/tensor.h"
#include "executor/executor.h"
#include "executor/launch.h"
#include "executor/plan.h"
#include "runtime/support/alloc.h"
#include "tests/unit/refusal.h"

enum { LENGTH = 64, COUNT = 500, FILLER = 1000 };

static float in[COUNT][LENGTH], out[COUNT][LENGTH], other[LENGTH];
static const struct k_work whole = {.items = LENGTH, .grain = LENGTH};

static aclTensor *vector_of(float *values)
{
    const int64_t size = LENGTH;
    return aclCreateTensor(&size, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &size, 1, values);
}

static aclTensorList *list_of(float values[][LENGTH], uint64_t count)
{
    aclTensor *tensors[COUNT];
    for (uint64_t i = 0; i < count; i++)
        tensors[i] = vector_of(values[i]);
    return aclCreateTensorList((const aclTensor *const *)tensors, count);
}

static void fill(void)
{
    for (int t = 0; t < COUNT; t++)
        for (int i = 0; i < LENGTH; i++)
            in[t][i] = (float)(t * LENGTH + i);
}

/* Larger than what most kernels take. */
struct amount {
    unsigned char filler[FILLER];
    float value;
};

static void add_slice(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct amount *amount = parameters;
    const float *from = buffers[0];
    float *to = buffers[1];
    for (int64_t i = slice.begin; i < slice.end; i++)
        to[i] = from[i] + amount->value;
}

/* out[t] = in[t] + t through a scratch piece of its own; all pieces are alive at once. */
static aclnnStatus add_each(const aclTensorList *from, const aclTensorList *to, uint64_t *size,
                            aclOpExecutor **executor)
{
    struct ex_plan *plan = ex_plan_new("add each");
    const int first_from = ex_input_list(plan, from), first_to = ex_output_list(plan, to);
    struct amount amount = {{0}, 0};
    int scratch[COUNT];
    for (int t = 0; t < (int)from->size; t++) {
        scratch[t] = ex_scratch(plan, sizeof in[0]);
        amount.value = (float)t;
        ex_step(plan, "add", add_slice, &amount, sizeof amount, whole,
                EX_BUFFERS(first_from + t, scratch[t]));
    }
    amount.value = 0;
    for (int t = 0; t < (int)from->size; t++)
        ex_step(plan, "copy", add_slice, &amount, sizeof amount, whole,
                EX_BUFFERS(scratch[t], first_to + t));
    return ex_seal(plan, size, executor);
}

Test(plan_lists, operands_scratch_steps_and_parameters_grow)
{
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    fill();
    const uint64_t counts[] = {1, 16, 17, COUNT};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        aclTensorList *from = list_of(in, counts[c]), *to = list_of(out, counts[c]);
        aclOpExecutor *executor;
        uint64_t size;
        void *workspace;
        memset(out, 0, sizeof out);
        cr_assert_eq(add_each(from, to, &size, &executor), ACLNN_SUCCESS);
        cr_assert_geq(size, counts[c] * sizeof in[0]);
        cr_assert_eq(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_SUCCESS);
        cr_assert_eq(aclDestroyTensorList(from), ACLNN_SUCCESS, "the plan keeps the tensors");
        cr_assert_eq(aclDestroyTensorList(to), ACLNN_SUCCESS);
        cr_assert_eq(ex_launch("add each", workspace, size, executor, NULL), ACLNN_SUCCESS);
        cr_assert_eq(aclrtSynchronizeStream(NULL), ACL_SUCCESS);
        for (uint64_t t = 0; t < COUNT; t++)
            for (int i = 0; i < LENGTH; i++)
                cr_assert_eq(out[t][i], t < counts[c] ? in[t][i] + (float)t : 0);
        cr_assert_eq(aclrtFree(workspace), ACL_SUCCESS);
    }
}

/* The last buffer gets the sum of the others. A negative element is a fault, at its index. */
static void sum_slice(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const int count = *(const int *)parameters;
    float *to = buffers[count];
    for (int64_t i = slice.begin; i < slice.end; i++) {
        to[i] = 0;
        for (int b = 0; b < count; b++) {
            const float value = ((const float *)buffers[b])[i];
            if (value < 0) k_fault_note(buffers[count + 1], i);
            to[i] += value;
        }
    }
}

static void describe_sum(const void *parameters, void *const buffers[], int64_t position,
                         char *text, size_t size)
{
    (void)buffers;
    snprintf(text, size, "one of %d elements %lld is negative", *(const int *)parameters,
             (long long)position);
}

static aclnnStatus sum_all(const aclTensorList *from, const aclTensor *to, uint64_t *size,
                           aclOpExecutor **executor)
{
    struct ex_plan *plan = ex_plan_new("sum all");
    const int count = (int)from->size, first = ex_input_list(plan, from);
    int buffers[COUNT + 1];
    for (int t = 0; t < count; t++)
        buffers[t] = first + t;
    buffers[count] = ex_output(plan, (struct ex_descriptor *)(uintptr_t)&to->descriptor);
    ex_step_with_faults(plan, "sum", sum_slice, &count, sizeof count,
                        (struct k_work){.items = LENGTH, .grain = 8}, buffers, count + 1,
                        describe_sum);
    return ex_seal(plan, size, executor);
}

static void expect_sum(int count, const float *sum)
{
    for (int i = 0; i < LENGTH; i++)
        cr_assert_eq(sum[i], (float)(count * (count - 1) / 2 * LENGTH + count * i));
}

/* With 16 buffers addresses lie on the stack, with more in the launch's block. */
Test(plan_lists, a_step_may_have_any_number_of_buffers)
{
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    const int counts[] = {1, 4, 5, EX_FEW_STEP_BUFFERS - 1, EX_FEW_STEP_BUFFERS, 200};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        fill();
        aclTensorList *from = list_of(in, (uint64_t)counts[c]);
        aclTensor *to = vector_of(out[0]);
        aclOpExecutor *executor;
        uint64_t size;
        cr_assert_eq(sum_all(from, to, &size, &executor), ACLNN_SUCCESS);
        cr_assert_eq(size, 0);
        cr_assert_eq(aclSetAclOpExecutorRepeatable(executor), ACLNN_SUCCESS);
        for (int run = 0; run < 3; run++) {
            memset(out, 0, sizeof out);
            cr_assert_eq(ex_launch("sum all", NULL, 0, executor, NULL), ACLNN_SUCCESS);
            cr_assert_eq(ex_launch("sum all", NULL, 0, executor, NULL), ACLNN_SUCCESS);
            cr_assert_eq(aclrtSynchronizeStream(NULL), ACL_SUCCESS);
            expect_sum(counts[c], out[0]);
        }
        in[counts[c] - 1][40] = in[0][50] = -1;
        cr_assert_eq(ex_launch("sum all", NULL, 0, executor, NULL), ACLNN_SUCCESS);
        cr_assert_eq(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_EXCEPTION);
        cr_assert_not_null(strstr(aclGetRecentErrMsg(), "elements 40 is negative"));
        cr_assert_eq(aclDestroyAclOpExecutor(executor), ACLNN_SUCCESS);
        aclDestroyTensorList(from);
        aclDestroyTensor(to);
    }
}

Test(plan_lists, a_captured_step_with_many_buffers_runs_again)
{
    enum { MANY = 100 };
    aclrtStream stream;
    aclmdlRI graph;
    aclOpExecutor *executor;
    uint64_t size;
    fill();
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    aclTensorList *from = list_of(in, MANY);
    aclTensor *to = vector_of(out[0]);
    cr_assert_eq(sum_all(from, to, &size, &executor), ACLNN_SUCCESS);
    cr_assert_eq(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL), ACL_SUCCESS);
    cr_assert_eq(ex_launch("sum all", NULL, 0, executor, stream), ACLNN_SUCCESS);
    cr_assert_eq(aclmdlRICaptureEnd(stream, &graph), ACL_SUCCESS);
    for (int run = 0; run < 3; run++) {
        memset(out, 0, sizeof out);
        cr_assert_eq(aclmdlRIExecuteAsync(graph, stream), ACL_SUCCESS);
        cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
        expect_sum(MANY, out[0]);
    }
    cr_assert_eq(aclmdlRIDestroy(graph), ACL_SUCCESS);
    aclDestroyTensorList(from);
    aclDestroyTensor(to);
}

static void *address_of(const aclTensorList *list, int element)
{
    return atomic_load(&list->elements[element]->descriptor.address);
}

/* The arguments are: input list, missing input, empty input list, output list, output. */
Test(plan_lists, addresses_are_set_by_argument_and_element)
{
    aclTensorList *from = list_of(in, 3), *none = aclCreateTensorList(NULL, 0);
    aclTensorList *to = list_of(out, 3), *copy = list_of(in, 2);
    aclTensor *last = vector_of(out[3]);
    aclOpExecutor *handle;
    uint64_t size;
    struct ex_plan *plan = ex_plan_new("lists");
    ex_input_list(plan, from);
    cr_assert_eq(ex_input(plan, NULL), -1);
    cr_assert_eq(ex_input_list(plan, none), -1);
    ex_output_list(plan, to);
    ex_output(plan, &last->descriptor);
    cr_assert_eq(ex_seal(plan, &size, &handle), ACLNN_SUCCESS);

    cr_assert_eq(aclSetDynamicInputTensorAddr(handle, 0, 2, from, in[7]), ACLNN_SUCCESS);
    cr_assert_eq(address_of(from, 2), in[7]);
    cr_assert_eq(AclSetDynamicOutputTensorAddr(handle, 0, 1, to, out[7]), ACLNN_SUCCESS);
    cr_assert_eq(address_of(to, 1), out[7]);
    cr_assert_eq(aclSetDynamicTensorAddr(handle, 3, 0, to, out[8]), ACLNN_SUCCESS);
    cr_assert_eq(address_of(to, 0), out[8]);
    cr_assert_eq(aclSetTensorAddr(handle, 4, last, out[9]), ACLNN_SUCCESS);
    cr_assert_eq(aclSetOutputTensorAddr(handle, 1, last, out[9]), ACLNN_SUCCESS);
    cr_assert_eq(atomic_load(&last->descriptor.address), out[9]);
    cr_assert_eq(aclSetDynamicInputTensorAddr(handle, 0, 1, copy, other), ACLNN_SUCCESS);
    cr_assert_eq(address_of(copy, 1), other);
    cr_assert_eq(address_of(from, 1), other, "the plan's own, of which that is a copy");

    expect_refused(aclSetDynamicInputTensorAddr(handle, 3, 0, from, in), ACLNN_ERR_PARAM_INVALID,
                   "irIndex is 3; lists has no tensor list");
    expect_refused(aclSetDynamicTensorAddr(handle, 1, 0, from, in), ACLNN_ERR_PARAM_INVALID,
                   "irIndex is 1; lists has no tensor list");
    expect_refused(aclSetDynamicOutputTensorAddr(handle, 1, 0, to, in), ACLNN_ERR_PARAM_INVALID,
                   "irIndex is 1; lists has no tensor list");
    expect_refused(aclSetDynamicInputTensorAddr(handle, 0, 3, from, in), ACLNN_ERR_PARAM_INVALID,
                   "relativeIndex is 3; tensors has 3 elements, that of phase 1 had 3");
    expect_refused(aclSetDynamicInputTensorAddr(handle, 0, 2, copy, in), ACLNN_ERR_PARAM_INVALID,
                   "relativeIndex is 2; tensors has 2 elements, that of phase 1 had 3");
    expect_refused(aclSetDynamicInputTensorAddr(handle, 2, 0, from, in), ACLNN_ERR_PARAM_INVALID,
                   "relativeIndex is 0; tensors has 3 elements, that of phase 1 had 0");
    expect_refused(aclSetTensorAddr(handle, 3, last, in), ACLNN_ERR_PARAM_INVALID,
                   "index is 3; that argument of lists is a tensor list");
    expect_refused(aclSetTensorAddr(handle, 5, last, in), ACLNN_ERR_PARAM_INVALID,
                   "index is 5; lists has no such tensor");
    cr_assert_eq(address_of(from, 0), in[0], "what is refused sets nothing");
    cr_assert_eq(aclDestroyAclOpExecutor(handle), ACLNN_SUCCESS);
    aclDestroyTensorList(from);
    aclDestroyTensorList(none);
    aclDestroyTensorList(to);
    aclDestroyTensorList(copy);
    aclDestroyTensor(last);
}

Test(plan_lists, an_element_without_address_is_named)
{
    aclTensorList *from = list_of(in, 3), *to = list_of(out, 3);
    aclOpExecutor *executor;
    uint64_t size;
    static _Alignas(64) char workspace[1 << 14];
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(add_each(from, to, &size, &executor), ACLNN_SUCCESS);
    cr_assert_leq(size, sizeof workspace);
    cr_assert_eq(aclSetDynamicOutputTensorAddr(executor, 0, 1, to, NULL), ACLNN_SUCCESS);
    cr_assert_eq(ex_launch("add each", workspace, size, executor, NULL), ACLNN_ERR_PARAM_NULLPTR);
    const char *text = aclGetRecentErrMsg();
    cr_assert(strstr(text, "element 1 of tensor argument 1 has no address"), "%s", text);
    aclDestroyTensorList(from);
    aclDestroyTensorList(to);
}

/* A NULL element takes a number, so that those behind it keep theirs. */
Test(plan_lists, elements_that_are_null_are_counted)
{
    fill();
    const aclTensor *tensors[] = {NULL, vector_of(in[1]), NULL, vector_of(in[3])};
    aclTensorList *from = aclCreateTensorList(tensors, 4);
    aclTensor *to = vector_of(out[0]);
    aclOpExecutor *executor;
    uint64_t size;
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    struct ex_plan *plan = ex_plan_new("some");
    const int first = ex_input_list(plan, from), target = ex_output(plan, &to->descriptor);
    const struct amount amount = {{0}, 1};
    ex_step(plan, "add", add_slice, &amount, sizeof amount, whole, EX_BUFFERS(first + 3, target));
    cr_assert_eq(ex_seal(plan, &size, &executor), ACLNN_SUCCESS);
    cr_assert_eq(aclSetDynamicTensorAddr(executor, 0, 3, from, in[5]), ACLNN_SUCCESS);
    cr_assert_eq(aclSetDynamicTensorAddr(executor, 0, 2, from, in[5]), ACLNN_SUCCESS,
                 "nobody reads it");
    cr_assert_eq(ex_launch("some", NULL, 0, executor, NULL), ACLNN_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(NULL), ACL_SUCCESS);
    for (int i = 0; i < LENGTH; i++)
        cr_assert_eq(out[0][i], in[5][i] + 1);
    aclDestroyTensorList(from);
    aclDestroyTensor(to);
}

Test(plan_lists, without_memory_a_large_plan_is_refused_and_a_small_one_asks_once)
{
    aclTensorList *from = list_of(in, COUNT), *to = list_of(out, COUNT);
    aclTensorList *few_from = list_of(in, 2), *few_to = list_of(out, 2);
    aclOpExecutor *executor;
    uint64_t size;
    rt_alloc_fail_at(0);
    cr_assert_eq(add_each(from, to, &size, &executor), ACLNN_SUCCESS);
    const int64_t requests = rt_alloc_fail_at(0);
    cr_assert_eq(aclDestroyAclOpExecutor(executor), ACLNN_SUCCESS);
    int64_t refusals = 0;
    for (int64_t n = 1; n <= requests; n++) {
        rt_alloc_fail_at(n);
        executor = NULL;
        if (add_each(from, to, &size, &executor) != ACLNN_SUCCESS) {
            cr_assert_null(executor);
            refusals++;
        } else {
            cr_assert_eq(aclDestroyAclOpExecutor(executor), ACLNN_SUCCESS);
        }
    }
    rt_alloc_fail_at(0);
    cr_assert_geq(refusals, requests - 1, "but for the slots of handles, which are there now");

    cr_assert_eq(add_each(few_from, few_to, &size, &executor), ACLNN_SUCCESS);
    cr_assert_eq(rt_alloc_fail_at(0), 1);
    cr_assert_eq(aclDestroyAclOpExecutor(executor), ACLNN_SUCCESS);
    aclDestroyTensorList(from);
    aclDestroyTensorList(to);
    aclDestroyTensorList(few_from);
    aclDestroyTensorList(few_to);
}
