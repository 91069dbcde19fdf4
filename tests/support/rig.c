/* SPDX-License-Identifier: Apache-2.0 */
/* From a case to a call. */
#include "tests/support/oracle_rows.h"

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
    return one->role == RIG_SUM || one->role == RIG_EXACT || one->role == RIG_NEAR;
}

bool rig_is_list(const struct rig_operator *op, int slot)
{
    const enum op_kind kind = op->names->tensor_kind[slot];
    return kind >= OP_INS && kind <= OP_REFS;
}

bool rig_is_optional(enum op_kind kind)
{
    return kind == OP_OPTIONAL || kind == OP_OPTIONAL_OUT || kind == OP_OPTIONAL_REF ||
           kind == OP_OPTIONAL_INS || kind == OP_OPTIONAL_OUTS || kind == OP_OPTIONAL_REFS ||
           kind == OP_OPTIONAL_SCALAR;
}

bool rig_may_be_null(const struct rig_operator *op, int slot)
{
    return rig_is_optional(op->names->tensor_kind[slot]) || op->nullable >> slot & 1;
}

bool rig_is_idle(const struct rig_call *call, int operand)
{
    return call->op->is_idle && call->op->is_idle(call, operand);
}

const struct rig_operand *rig_role_of(const struct rig_call *call, int operand)
{
    return &call->op->operand[call->slot[operand]];
}

struct rig_name rig_operand_name(const struct rig_call *call, int operand)
{
    struct rig_name name;
    const int slot = call->slot[operand], at = operand - call->first[slot];
    if (rig_is_list(call->op, slot))
        snprintf(name.text, sizeof name.text, "%s[%d]", call->op->tensor[slot], at);
    else
        snprintf(name.text, sizeof name.text, "%s", call->op->tensor[slot]);
    return name;
}

const uint64_t *rig_given(const struct rig_problem *problem, int operand)
{
    const struct rig_tensor *tensor = &problem->tensor[operand];
    return rig_role_of(&problem->call, operand)->is_changed ? tensor->given : tensor->bits;
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

static void die(const struct test_case *test, const char *what)
{
    char line[CASE_LINE];
    fprintf(stderr, "test rig: %s: %s\n", case_print(test, line), what);
    abort();
}

static struct operand view_of(const struct rig_operand *one, const struct test_case *test)
{
    enum case_layout layout = case_tensor_layout(test, one->tensor);
    if (rig_is_output(one) && layout == CASE_BROADCAST) layout = CASE_STRIDED;
    struct operand view =
        operand_with(test, one->tensor, case_tensor_dtype(test, one->tensor), layout);
    if (one->adjust) one->adjust(test, &view);
    return view;
}

static void add_named(const struct test_case *test, struct rig_call *call, int slot,
                      const struct case_argument *argument)
{
    const int i = call->operands++;
    if (i >= RIG_OPERANDS) die(test, "more tensors than RIG_OPERANDS");
    call->slot[i] = slot;
    call->is_null[i] = !argument || argument->is_null;
    if (!call->is_null[i]) call->operand[i] = operand_of_argument(test, argument);
}

static void take_slot(const struct test_case *test, struct rig_call *call, int slot)
{
    const struct rig_operator *op = call->op;
    const struct rig_operand *one = &op->operand[slot];
    call->first[slot] = call->operands;
    if (one->tensor != CASE_NAMED) {
        call->slot[call->operands] = slot;
        call->operand[call->operands++] = view_of(one, test);
    } else {
        const struct case_argument *argument = case_argument_named(test, op->tensor[slot]);
        const bool is_list = rig_is_list(op, slot);
        call->no_list[slot] =
            is_list && (!argument || (argument->is_null && argument->place == CASE_ALONE));
        int count = !is_list ? 1 : call->no_list[slot] ? 0 : case_elements(test, argument);
        for (int i = 0; i < count; i++)
            add_named(test, call, slot, argument ? argument + i : NULL);
    }
    call->count[slot] = call->operands - call->first[slot];
}

/* ---- arguments by their public names ---- */

static struct rig_scalar scalar_of(const struct case_argument *argument)
{
    struct rig_scalar scalar = {.is_null = argument->is_null, .real = argument->real};
    scalar.dtype = argument->has_dtype  ? argument->dtype
                   : argument->is_flag  ? CASE_BOOL
                   : argument->has_real ? CASE_F32
                                        : CASE_I64;
    scalar.type = operand_acl_type(scalar.dtype);
    scalar.integer =
        argument->rank > 0 ? argument->dims[0] : (int64_t)oracle_to_bits(CASE_I64, argument->real);
    if (oracle_is_float(scalar.dtype)) {
        scalar.real = oracle_round(scalar.dtype, scalar.real);
        return scalar;
    }
    scalar.integer = oracle_integer(scalar.dtype, oracle_cast_whole(scalar.dtype, scalar.integer));
    scalar.real = (double)scalar.integer;
    return scalar;
}

static struct rig_scalars scalars_named(const struct test_case *test, const char *name)
{
    const struct case_argument *argument = case_argument_named(test, name);
    struct rig_scalars scalars = {.is_null = !argument ||
                                             (argument->is_null && argument->place == CASE_ALONE)};
    if (scalars.is_null) return scalars;
    scalars.count = case_elements(test, argument);
    if (scalars.count > RIG_ENTRIES) die(test, "more scalars than RIG_ENTRIES");
    for (int i = 0; i < scalars.count; i++)
        scalars.value[i] = scalar_of(&argument[i]);
    return scalars;
}

/* 3x5, or 0.5,2, or scalar, which is none. */
static struct rig_array array_named(const struct test_case *test, const char *name)
{
    const struct case_argument *argument = case_argument_named(test, name);
    struct rig_array array = {.is_null = !argument || argument->is_null};
    if (array.is_null) return array;
    const int count = case_elements(test, argument);
    if (count > RIG_ENTRIES) die(test, "more entries than RIG_ENTRIES");
    if (argument->place == CASE_ALONE && !argument->has_real && !argument->is_flag) {
        array.length = argument->rank;
        for (int i = 0; i < argument->rank; i++)
            array.reals[i] = (double)(array.values[i] = argument->dims[i]);
        return array;
    }
    array.length = count;
    for (int i = 0; i < count; i++) {
        const struct rig_scalar scalar = scalar_of(&argument[i]);
        array.values[i] = scalar.integer;
        array.reals[i] = argument[i].real;
    }
    return array;
}

static void take_number(const struct test_case *test, struct rig_call *call, int i)
{
    const struct case_argument *argument = case_argument_named(test, call->op->number[i]);
    if (!argument && strcmp(call->op->number[i], "seed") == 0)
        call->number[i] = (int64_t)test->seed;
    enum case_dtype dtype;
    if (!argument) return;
    call->real[i] = argument->real;
    call->number[i] = argument->rank > 0 ? argument->dims[0] : (int64_t)argument->real;
    if (case_dtype_named(argument->text, &dtype)) call->number[i] = operand_acl_type(dtype);
}

static void take_named(const struct test_case *test, struct rig_call *call)
{
    for (int i = 0; call->op->array[i]; i++)
        call->array[i] = array_named(test, call->op->array[i]);
    for (int i = 0; call->op->number[i]; i++)
        take_number(test, call, i);
}

/* No operator of another form has these. */
static void take_objects(const struct test_case *test, struct rig_call *call)
{
    const struct rig_names *names = call->op->names;
    for (int i = 0; names->scalar[i]; i++)
        call->scalar[i] = scalars_named(test, names->scalar[i]);
    for (int i = 0; names->text[i]; i++) {
        const struct case_argument *argument = case_argument_named(test, names->text[i]);
        call->text[i] = argument && !argument->is_null ? argument->text : NULL;
    }
}

struct rig_call rig_call_of(const struct rig_operator *op, const struct test_case *test)
{
    struct rig_call call = {.op = op};
    for (int i = 0; i < rig_operand_count(op); i++)
        take_slot(test, &call, i);
    (op->arguments ? op->arguments : take_named)(test, &call);
    take_objects(test, &call);
    return call;
}

/* ---- objects ---- */

static aclBoolArray *bools_of(const struct rig_array *array)
{
    bool values[RIG_ENTRIES];
    for (int i = 0; i < RIG_ENTRIES; i++)
        values[i] = array->values[i] != 0;
    return aclCreateBoolArray(values, (uint64_t)array->length);
}

static aclFloatArray *floats_of(const struct rig_array *array)
{
    float values[RIG_ENTRIES];
    for (int i = 0; i < RIG_ENTRIES; i++)
        values[i] = (float)array->reals[i];
    return aclCreateFloatArray(values, (uint64_t)array->length);
}

static aclScalar *object_of(const struct rig_scalar *scalar)
{
    uint64_t bits[2] = {0};
    if (scalar->is_null) return NULL;
    if (oracle_is_float(scalar->dtype))
        bits[0] = oracle_to_bits(scalar->dtype, scalar->real);
    else if (scalar->dtype == CASE_BOOL)
        bits[0] = scalar->integer != 0;
    else
        bits[0] = (uint64_t)scalar->integer; /* the low bytes */
    return aclCreateScalar(bits, scalar->type);
}

static void open_slot(struct rig_call *call, int slot)
{
    const aclTensor *elements[RIG_OPERANDS];
    for (int i = 0; i < call->count[slot]; i++) {
        const int operand = call->first[slot] + i;
        if (!call->is_null[operand]) operand_open(&call->operand[operand]);
        elements[i] = call->operand[operand].tensor;
    }
    if (!rig_is_list(call->op, slot))
        call->tensor[slot] = call->operand[call->first[slot]].tensor;
    else if (!call->no_list[slot])
        call->list[slot] = aclCreateTensorList(elements, (uint64_t)call->count[slot]);
}

static void open_scalars(struct rig_call *call, int i)
{
    const struct rig_scalars *scalars = &call->scalar[i];
    const aclScalar *elements[RIG_ENTRIES];
    if (scalars->is_null) return;
    for (int j = 0; j < scalars->count; j++)
        elements[j] = object_of(&scalars->value[j]);
    if (call->op->names->scalar_kind[i] == OP_SCALARS)
        call->scalars[i] = aclCreateScalarList(elements, (uint64_t)scalars->count);
    else
        call->one_scalar[i] = object_of(&scalars->value[0]);
    if (!call->scalars[i])
        for (int j = 0; j < scalars->count; j++)
            aclDestroyScalar(elements[j]);
}

void rig_open(struct rig_call *call)
{
    for (int i = 0; i < rig_operand_count(call->op); i++)
        open_slot(call, i);
    for (int i = 0; call->op->array[i]; i++) {
        const struct rig_array *array = &call->array[i];
        const enum op_kind kind = call->op->names->array_kind[i];
        if (array->is_null) continue;
        if (kind == OP_BOOLS)
            call->bools[i] = bools_of(array);
        else if (kind == OP_FLOATS)
            call->floats[i] = floats_of(array);
        else
            call->ints[i] = aclCreateIntArray(array->values, (uint64_t)array->length);
    }
    for (int i = 0; call->op->names->scalar[i]; i++)
        open_scalars(call, i);
}

/* A list destroys its elements. */
static void close_slot(struct rig_call *call, int slot)
{
    const bool owns = call->list[slot] != NULL;
    aclDestroyTensorList(call->list[slot]);
    for (int i = 0; i < call->count[slot]; i++) {
        struct operand *operand = &call->operand[call->first[slot] + i];
        if (owns) operand->tensor = NULL;
        operand_close(operand);
    }
    call->tensor[slot] = NULL;
    call->list[slot] = NULL;
}

void rig_close(struct rig_call *call)
{
    for (int i = 0; i < rig_operand_count(call->op); i++)
        close_slot(call, i);
    for (int i = 0; call->op->array[i]; i++) {
        aclDestroyIntArray(call->ints[i]);
        aclDestroyBoolArray(call->bools[i]);
        aclDestroyFloatArray(call->floats[i]);
        call->ints[i] = NULL;
        call->bools[i] = NULL;
        call->floats[i] = NULL;
    }
    for (int i = 0; call->op->names->scalar[i]; i++) {
        aclDestroyScalar(call->one_scalar[i]);
        aclDestroyScalarList(call->scalars[i]);
        call->one_scalar[i] = NULL;
        call->scalars[i] = NULL;
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
