/* SPDX-License-Identifier: Apache-2.0 */
#include "api/op_rule.h"

#include <string.h>

#include "runtime/support/base.h"

/* ---- arguments ---- */

const struct op_value *op_argument_named(const struct op_problem *problem, const char *name)
{
    for (int i = 0; i < problem->count; i++)
        if (strcmp(problem->values[i].name, name) == 0) return &problem->values[i];
    return NULL;
}

const struct op_value *op_argument_of_kind(const struct op_problem *problem, enum op_kind kind)
{
    for (int i = 0; i < problem->count; i++)
        if (problem->values[i].kind == kind) return &problem->values[i];
    return NULL;
}

const struct op_value *op_written(const struct op_problem *problem, int i)
{
    for (int j = 0; j < problem->tensor_count; j++)
        if (op_is_written(problem->tensor[j]) && i-- == 0) return problem->tensor[j];
    return NULL;
}

const aclTensor *op_tensor_named(const struct op_problem *problem, const char *name)
{
    const struct op_value *value = op_argument_named(problem, name);
    return value ? value->tensor : NULL;
}

int64_t op_integer_named(const struct op_problem *problem, const char *name, int64_t otherwise)
{
    const struct op_value *value = op_argument_named(problem, name);
    return value ? value->integer : otherwise;
}

double op_real_named(const struct op_problem *problem, const char *name, double otherwise)
{
    const struct op_value *value = op_argument_named(problem, name);
    if (!value || op_is_tensor(value)) return otherwise;
    return op_is_scalar(value) ? op_scalar_real(value->scalar) : value->real;
}

/* ---- types ---- */

/* A kind beats the ones before it, whatever the size. */
enum kind { KIND_NONE, KIND_BOOL, KIND_INTEGER, KIND_FLOATING, KIND_COMPLEX };

static enum kind kind_of(aclDataType type)
{
    switch (type) {
    case ACL_BOOL:
        return KIND_BOOL;
    case ACL_INT8:
    case ACL_UINT8:
    case ACL_INT16:
    case ACL_UINT16:
    case ACL_INT32:
    case ACL_UINT32:
    case ACL_INT64:
    case ACL_UINT64:
        return KIND_INTEGER;
    case ACL_FLOAT:
    case ACL_FLOAT16:
    case ACL_BF16:
    case ACL_DOUBLE:
        return KIND_FLOATING;
    case ACL_COMPLEX64:
    case ACL_COMPLEX128:
        return KIND_COMPLEX;
    default:
        return KIND_NONE;
    }
}

bool op_is_floating(aclDataType type)
{
    return kind_of(type) == KIND_FLOATING;
}

bool op_is_integer(aclDataType type)
{
    return kind_of(type) == KIND_INTEGER;
}

static bool is_unsigned(aclDataType type)
{
    return type == ACL_UINT8 || type == ACL_UINT16 || type == ACL_UINT32 || type == ACL_UINT64;
}

static aclDataType promote_integers(aclDataType a, aclDataType b)
{
    const size_t a_size = ex_element_size(a), b_size = ex_element_size(b);
    if (is_unsigned(a) == is_unsigned(b)) return a_size > b_size ? a : b;
    const size_t of_unsigned = is_unsigned(a) ? a_size : b_size;
    const size_t of_signed = is_unsigned(a) ? b_size : a_size;
    const size_t size = of_signed > of_unsigned ? of_signed : 2 * of_unsigned;
    return size == 2 ? ACL_INT16 : size == 4 ? ACL_INT32 : size == 8 ? ACL_INT64 : ACL_DT_UNDEFINED;
}

aclDataType op_promote(aclDataType a, aclDataType b)
{
    const enum kind of_a = kind_of(a), of_b = kind_of(b);
    if (of_a == KIND_NONE || of_b == KIND_NONE) return ACL_DT_UNDEFINED;
    if (a == b) return a;
    if ((of_a == KIND_COMPLEX && b == ACL_DOUBLE) || (of_b == KIND_COMPLEX && a == ACL_DOUBLE))
        return ACL_COMPLEX128;
    if (of_a != of_b) return of_a > of_b ? a : b;
    if (of_a == KIND_INTEGER) return promote_integers(a, b);
    const size_t a_size = ex_element_size(a), b_size = ex_element_size(b);
    if (a_size == b_size) return ACL_FLOAT; /* FLOAT16 and BF16 */
    return a_size > b_size ? a : b;
}

aclDataType op_promote_scalar(aclDataType a, aclDataType scalar)
{
    if (kind_of(a) == KIND_NONE || kind_of(scalar) == KIND_NONE) return ACL_DT_UNDEFINED;
    if (kind_of(scalar) <= kind_of(a)) return a;
    if (kind_of(scalar) == KIND_INTEGER) return ACL_INT64;
    if (kind_of(scalar) == KIND_FLOATING) return ACL_FLOAT;
    return a == ACL_DOUBLE ? ACL_COMPLEX128 : ACL_COMPLEX64;
}

bool op_can_cast(aclDataType from, aclDataType to)
{
    return kind_of(from) != KIND_NONE && kind_of(from) <= kind_of(to);
}

/* ---- scalars ---- */

static float of_half(const unsigned char *bytes, bool is_bf16)
{
    uint16_t half;
    uint32_t bits;
    float value;
    memcpy(&half, bytes, sizeof half);
    if (!is_bf16) return aclFloat16ToFloat(half);
    bits = (uint32_t)half << 16;
    memcpy(&value, &bits, sizeof value);
    return value;
}

double op_scalar_real(const aclScalar *scalar)
{
    float single;
    double wide;
    switch (scalar->data_type) {
    case ACL_FLOAT:
    case ACL_COMPLEX64:
        memcpy(&single, scalar->value, sizeof single);
        return single;
    case ACL_FLOAT16:
    case ACL_BF16:
        return of_half(scalar->value, scalar->data_type == ACL_BF16);
    case ACL_DOUBLE:
    case ACL_COMPLEX128:
        memcpy(&wide, scalar->value, sizeof wide);
        return wide;
    case ACL_UINT64:
        return (double)(uint64_t)op_scalar_integer(scalar);
    default:
        return (double)op_scalar_integer(scalar);
    }
}

double op_scalar_imaginary(const aclScalar *scalar)
{
    float single;
    double wide;
    memcpy(&single, scalar->value + sizeof single, sizeof single);
    memcpy(&wide, scalar->value + sizeof wide, sizeof wide);
    if (scalar->data_type == ACL_COMPLEX64) return single;
    return scalar->data_type == ACL_COMPLEX128 ? wide : 0;
}

static int64_t truncated(double value)
{
    if (value != value) return 0;
    if (value >= 0x1p63) return INT64_MAX;
    return value <= -0x1p63 ? INT64_MIN : (int64_t)value;
}

int64_t op_scalar_integer(const aclScalar *scalar)
{
    const bool is_signed = !is_unsigned(scalar->data_type);
    int64_t wide;
    int32_t word;
    int16_t half;
    if (kind_of(scalar->data_type) > KIND_INTEGER) return truncated(op_scalar_real(scalar));
    memcpy(&wide, scalar->value, sizeof wide); /* the bytes behind a value are 0 */
    memcpy(&word, scalar->value, sizeof word);
    memcpy(&half, scalar->value, sizeof half);
    if (scalar->data_type == ACL_BOOL) return wide != 0;
    if (is_signed && ex_element_size(scalar->data_type) == 4) return word;
    if (is_signed && ex_element_size(scalar->data_type) == 2) return half;
    if (is_signed && ex_element_size(scalar->data_type) == 1) return (int8_t)scalar->value[0];
    return wide;
}

/* ---- checks ---- */

static bool selects(const struct op_problem *problem, int operand)
{
    return problem->row->rule->selectors >> operand & 1;
}

static aclnnStatus add_type(struct op_problem *problem, const struct op_value *value)
{
    const char *name = problem->row->name;
    const bool is_tensor = op_is_tensor(value);
    const aclDataType type =
        is_tensor ? (aclDataType)value->tensor->descriptor.data_type : value->scalar->data_type;
    const aclDataType so_far = problem->type;
    if (is_tensor) {
        OP_TRY(op_check_type(name, value->name, value->tensor, problem->row->types,
                             problem->row->type_names));
        problem->type = so_far == ACL_DT_UNDEFINED ? type : op_promote(so_far, type);
    } else {
        problem->type = op_promote_scalar(so_far, type);
    }
    OP_CHECK(name, problem->type != ACL_DT_UNDEFINED, ACLNN_ERR_PARAM_INVALID,
             "%s's data type is %s; it does not promote with %s", value->name,
             op_data_type_name(type), op_data_type_name(so_far));
    OP_CHECK(name,
             kind_of(problem->type) != KIND_COMPLEX ||
                 (problem->row->types & OP_TYPE(problem->type)) != 0,
             ACLNN_ERR_PARAM_INVALID, "%s's data type is %s; the result must not be complex",
             value->name, op_data_type_name(type));
    return ACLNN_SUCCESS;
}

aclnnStatus op_find_type(struct op_problem *problem)
{
    const uint64_t flags = OP_TYPE(ACL_BOOL) | OP_TYPE(ACL_UINT8);
    int operand = 0;
    problem->type = ACL_DT_UNDEFINED;
    for (int i = 0; i < problem->count; i++) {
        const struct op_value *value = &problem->values[i];
        if (!op_is_read(value) || !value->tensor) {
            operand += op_is_scalar(value) && value->kind != OP_COEFFICIENT;
            continue;
        }
        if (selects(problem, operand++))
            OP_TRY(op_check_type(problem->row->name, value->name, value->tensor, flags,
                                 "BOOL, UINT8"));
        else
            OP_TRY(add_type(problem, value));
    }
    for (int i = 0; i < problem->count; i++) {
        const struct op_value *value = &problem->values[i];
        if (op_is_scalar(value) && value->kind != OP_COEFFICIENT && value->scalar)
            OP_TRY(add_type(problem, value));
    }
    return ACLNN_SUCCESS;
}

/* Of a kind that the type holds. Whole numbers multiply booleans by what they are: 0 or not. */
static bool takes_coefficient(aclDataType type, aclDataType coefficient)
{
    if (type == ACL_BOOL && kind_of(coefficient) == KIND_INTEGER) return true;
    return op_can_cast(coefficient, type);
}

aclnnStatus op_check_results(struct op_problem *problem, aclDataType type)
{
    for (int i = 0; i < problem->count; i++) {
        const struct op_value *value = &problem->values[i];
        if (value->kind != OP_COEFFICIENT) continue;
        OP_CHECK(problem->row->name, takes_coefficient(problem->type, value->scalar->data_type),
                 ACLNN_ERR_PARAM_INVALID, "%s is of type %s, which cannot be cast to %s",
                 value->name, op_data_type_name(value->scalar->data_type),
                 op_data_type_name(problem->type));
    }
    return op_check_written(problem, type);
}

aclnnStatus op_check_written(struct op_problem *problem, aclDataType type)
{
    problem->result = type;
    for (int i = 0; i < problem->tensor_count; i++) {
        const struct op_value *value = problem->tensor[i];
        const aclDataType to = (aclDataType)value->tensor->descriptor.data_type;
        if (!op_is_written(value)) continue;
        const bool computes_complex = kind_of(problem->type) == KIND_COMPLEX;
        OP_CHECK(problem->row->name,
                 op_can_cast(type, to) && (computes_complex || kind_of(to) != KIND_COMPLEX),
                 ACLNN_ERR_PARAM_INVALID,
                 "%s's data type is %s; the result's is %s, which cannot be cast to it",
                 value->name, op_data_type_name(to), op_data_type_name(type));
    }
    return ACLNN_SUCCESS;
}

/* Joins a tensor's shape to the broadcast one, aligned at the last axis. */
static aclnnStatus add_shape(struct op_problem *problem, const struct op_value *value)
{
    const struct ex_descriptor *d = &value->tensor->descriptor;
    struct op_shape_text text, so_far;
    const int rank = d->rank > problem->rank ? d->rank : problem->rank;
    int64_t sizes[EX_MAX_RANK];
    for (int i = 1; i <= rank; i++) {
        const int64_t mine = i <= d->rank ? d->sizes[d->rank - i] : 1;
        const int64_t others = i <= problem->rank ? problem->sizes[problem->rank - i] : 1;
        OP_CHECK(problem->row->name, mine == others || mine == 1 || others == 1,
                 ACLNN_ERR_PARAM_INVALID, "%s's shape is %s; it does not broadcast with %s",
                 value->name, op_shape(&text, value->tensor),
                 op_shape_of(&so_far, problem->rank, problem->sizes));
        sizes[rank - i] = mine == 1 ? others : mine;
    }
    memcpy(problem->sizes, sizes, sizeof problem->sizes);
    problem->rank = rank;
    return ACLNN_SUCCESS;
}

static bool has_shape(const struct op_problem *problem, const aclTensor *tensor)
{
    const struct ex_descriptor *d = &tensor->descriptor;
    return d->rank == problem->rank &&
           memcmp(d->sizes, problem->sizes, (size_t)d->rank * sizeof *d->sizes) == 0;
}

aclnnStatus op_find_shape(struct op_problem *problem)
{
    problem->rank = 0;
    for (int i = 0; i < problem->tensor_count; i++)
        if (op_is_read(problem->tensor[i])) OP_TRY(add_shape(problem, problem->tensor[i]));
    return ACLNN_SUCCESS;
}

aclnnStatus op_check_broadcast(struct op_problem *problem)
{
    struct op_shape_text text, broadcast;
    OP_TRY(op_find_shape(problem));
    for (int i = 0; i < problem->tensor_count; i++) {
        const struct op_value *value = problem->tensor[i];
        if (op_is_written(value))
            OP_CHECK(problem->row->name, has_shape(problem, value->tensor), ACLNN_ERR_PARAM_INVALID,
                     "%s's shape is %s; it must be %s, which the operands broadcast to",
                     value->name, op_shape(&text, value->tensor),
                     op_shape_of(&broadcast, problem->rank, problem->sizes));
    }
    return ACLNN_SUCCESS;
}

aclnnStatus op_check_one_shape(struct op_problem *problem)
{
    const struct op_value *first = problem->tensor[0];
    const struct ex_descriptor *d = &first->tensor->descriptor;
    for (int i = 1; i < problem->tensor_count; i++)
        OP_TRY(op_check_same_shape(problem->row->name, problem->tensor[i]->name,
                                   problem->tensor[i]->tensor, first->name, first->tensor));
    problem->rank = d->rank;
    for (int i = 0; i < d->rank; i++)
        problem->sizes[i] = d->sizes[i];
    return ACLNN_SUCCESS;
}

/* ---- rules that several families use ---- */

aclnnStatus op_types_same(struct op_problem *problem)
{
    const struct op_value *first = problem->tensor[0];
    for (int i = 0; i < problem->tensor_count; i++)
        OP_TRY(op_check_type(problem->row->name, problem->tensor[i]->name,
                             problem->tensor[i]->tensor, problem->row->types,
                             problem->row->type_names));
    for (int i = 1; i < problem->tensor_count; i++)
        OP_TRY(op_check_same_type(problem->row->name, problem->tensor[i]->name,
                                  problem->tensor[i]->tensor, first->name, first->tensor));
    problem->type = problem->result = (aclDataType)first->tensor->descriptor.data_type;
    return ACLNN_SUCCESS;
}

aclnnStatus op_types_promoted(struct op_problem *problem)
{
    OP_TRY(op_find_type(problem));
    return op_check_results(problem, problem->type);
}

aclnnStatus op_types_real(struct op_problem *problem)
{
    OP_TRY(op_find_type(problem));
    if (kind_of(problem->type) < KIND_FLOATING) problem->type = ACL_FLOAT;
    return op_check_results(problem, problem->type);
}

aclnnStatus op_types_truth(struct op_problem *problem)
{
    OP_TRY(op_find_type(problem));
    return op_check_results(problem, ACL_BOOL);
}

const struct op_rule op_rule_promote = {.types = op_types_promoted, .shapes = op_check_broadcast};
const struct op_rule op_rule_real = {.types = op_types_real, .shapes = op_check_broadcast};
const struct op_rule op_rule_truth = {.types = op_types_truth, .shapes = op_check_broadcast};
/* The first operand selects (where); the second one does (masked fill). */
const struct op_rule op_rule_select_first = {
    .types = op_types_promoted, .shapes = op_check_broadcast, .selectors = 1};
const struct op_rule op_rule_select_second = {
    .types = op_types_promoted, .shapes = op_check_broadcast, .selectors = 2};
