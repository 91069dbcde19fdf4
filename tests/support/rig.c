/* SPDX-License-Identifier: Apache-2.0 */
/* From a case to a call. */
#include "tests/support/rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int rig_operand_count(const struct rig_operator *op)
{
    int count = 0;
    while (op->tensor[count])
        count++;
    return count;
}

bool rig_is_output(const struct rig_operand *one)
{
    return one->role == RIG_SUM || one->role == RIG_EXACT;
}

struct test_case rig_random_case(const struct rig_operator *op, struct random *random,
                                 enum case_dtype dtype)
{
    return op->random_case ? op->random_case(random, dtype) : op->random_row(op, random, dtype);
}

/* ---- arrays ---- */

static struct rig_array array_of(const int64_t *values, int length, int64_t absent)
{
    struct rig_array array = {.is_null = length == CASE_NO_ARRAY};
    if (length == 0) return (struct rig_array){.length = 1, .values = {absent}};
    if (length > 0) {
        array.length = length;
        memcpy(array.values, values, (size_t)length * sizeof *values);
    }
    return array;
}

struct rig_array rig_kernel(const struct test_case *test)
{
    return array_of(test->kernel, test->kernel_length, 1);
}

struct rig_array rig_stride(const struct test_case *test)
{
    if (test->stride_length == 0) return (struct rig_array){0};
    return array_of(test->stride, test->stride_length, 1);
}

struct rig_array rig_pad(const struct test_case *test)
{
    return array_of(test->pad, test->pad_length, 0);
}

struct rig_array rig_pad_end(const struct test_case *test)
{
    if (test->pad_end_length == 0) return rig_pad(test);
    return array_of(test->pad_end, test->pad_end_length, 0);
}

struct rig_array rig_dilation(const struct test_case *test)
{
    return array_of(test->dilation, test->dilation_length, 1);
}

struct rig_array rig_pads(const struct test_case *test)
{
    if (test->pad_end_length <= 0) return rig_pad(test);
    struct rig_array array = {.length = 2 * test->axes};
    for (int i = 0; i < test->axes; i++) {
        struct case_window window = case_window(test, i);
        array.values[i] = window.pad;
        array.values[test->axes + i] = window.pad_end;
    }
    return array;
}

struct rig_array rig_small_size(const struct test_case *test)
{
    struct rig_array array = {.length = test->axes};
    for (int i = 0; i < test->axes; i++)
        array.values[i] = case_window(test, i).output;
    return array;
}

struct rig_array rig_large_size(const struct test_case *test)
{
    struct rig_array array = {.length = test->axes};
    memcpy(array.values, test->input, (size_t)test->axes * sizeof test->input[0]);
    return array;
}

/* ---- calls ---- */

static struct operand view_of(const struct rig_operand *one, const struct test_case *test)
{
    enum case_layout layout = case_tensor_layout(test, one->tensor);
    if (rig_is_output(one) && layout == CASE_BROADCAST) layout = CASE_STRIDED;
    struct operand view =
        operand_with(test, one->tensor, case_tensor_dtype(test, one->tensor), layout);
    if (one->adjust) one->adjust(test, &view);
    return view;
}

static void take_operand(const struct test_case *test, struct rig_call *call, int i)
{
    const struct rig_operand *one = &call->op->operand[i];
    if (one->tensor != CASE_NAMED) {
        call->operand[i] = view_of(one, test);
        return;
    }
    const struct case_argument *argument = case_argument_named(test, call->op->tensor[i]);
    call->is_null[i] = !argument || argument->is_null;
    if (!call->is_null[i]) call->operand[i] = operand_of_argument(test, argument);
}

_Static_assert((int)CASE_RANK == (int)RIG_ENTRIES, "an array of a case fits a call's");

/* Arrays and numbers by their public names. */
static void take_named(const struct test_case *test, struct rig_call *call)
{
    for (int i = 0; call->op->array[i]; i++) {
        const struct case_argument *argument = case_argument_named(test, call->op->array[i]);
        call->array[i].is_null = !argument || argument->is_null;
        if (call->array[i].is_null) continue;
        call->array[i].length = argument->rank;
        memcpy(call->array[i].values, argument->dims, sizeof argument->dims);
    }
    for (int i = 0; call->op->scalar[i]; i++) {
        const struct case_argument *argument = case_argument_named(test, call->op->scalar[i]);
        if (argument) call->scalar[i] = argument->dims[0];
    }
}

struct rig_call rig_call_of(const struct rig_operator *op, const struct test_case *test)
{
    struct rig_call call = {.op = op};
    for (int i = 0; i < rig_operand_count(op); i++)
        take_operand(test, &call, i);
    (op->arguments ? op->arguments : take_named)(test, &call);
    return call;
}

static aclBoolArray *bools_of(const struct rig_array *array)
{
    bool values[RIG_ENTRIES];
    for (int i = 0; i < RIG_ENTRIES; i++)
        values[i] = array->values[i] != 0;
    return aclCreateBoolArray(values, (uint64_t)array->length);
}

void rig_open(struct rig_call *call)
{
    for (int i = 0; i < rig_operand_count(call->op); i++) {
        if (!call->is_null[i]) operand_open(&call->operand[i]);
        call->tensor[i] = call->operand[i].tensor;
    }
    for (int i = 0; call->op->array[i]; i++) {
        const struct rig_array *array = &call->array[i];
        if (array->is_null) continue;
        if (call->op->array_is_bools[i])
            call->bools[i] = bools_of(array);
        else
            call->ints[i] = aclCreateIntArray(array->values, (uint64_t)array->length);
    }
}

void rig_close(struct rig_call *call)
{
    for (int i = 0; i < rig_operand_count(call->op); i++) {
        operand_close(&call->operand[i]);
        call->tensor[i] = NULL;
    }
    for (int i = 0; call->op->array[i]; i++) {
        aclDestroyIntArray(call->ints[i]);
        aclDestroyBoolArray(call->bools[i]);
        call->ints[i] = NULL;
        call->bools[i] = NULL;
    }
}

aclnnStatus rig_phase1(struct rig_call *call)
{
    call->workspace_size = RIG_UNWRITTEN_SIZE;
    call->executor = NULL;
    call->size = call->no_size ? NULL : &call->workspace_size;
    call->out = call->no_executor ? NULL : &call->executor;
    return call->op->phase1(call);
}
