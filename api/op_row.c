/* SPDX-License-Identifier: Apache-2.0 */
#include "api/op_row.h"

#include "aclnn_operators.h"
#include "api/op_call.h"
#include "api/op_check.h"

static bool is_tensor(const struct op_value *value)
{
    return value->kind <= OP_REF;
}

static bool is_written(const struct op_value *value)
{
    return value->kind == OP_OUT || value->kind == OP_OPTIONAL_OUT || value->kind == OP_REF;
}

static bool may_be_null(const struct op_value *value)
{
    return value->kind == OP_OPTIONAL || value->kind == OP_OPTIONAL_OUT || value->kind >= OP_BOOL;
}

/* The tensors that are given, in the order of the arguments. */
struct tensors {
    int count;
    const struct op_value *value[OP_ROW_ARGUMENTS];
};

static struct tensors tensors_of(const struct op_value *values, int count)
{
    struct tensors tensors = {0};
    for (int i = 0; i < count; i++)
        if (is_tensor(&values[i]) && values[i].tensor) tensors.value[tensors.count++] = &values[i];
    return tensors;
}

static aclnnStatus check_types(const struct op_row *row, const struct tensors *tensors)
{
    const struct op_value *first = tensors->value[0];
    for (int i = 0; i < tensors->count; i++)
        OP_TRY(op_check_type(row->name, tensors->value[i]->name, tensors->value[i]->tensor,
                             row->types, row->type_names));
    for (int i = 1; i < tensors->count; i++)
        OP_TRY(op_check_same_type(row->name, tensors->value[i]->name, tensors->value[i]->tensor,
                                  first->name, first->tensor));
    return ACLNN_SUCCESS;
}

static aclnnStatus check_shapes(const struct op_row *row, const struct tensors *tensors)
{
    const struct op_value *first = tensors->value[0];
    for (int i = 0; i < tensors->count; i++)
        OP_TRY(op_check_rank(row->name, tensors->value[i]->name, tensors->value[i]->tensor, 0,
                             EX_MAX_RANK));
    for (int i = 0; i < tensors->count; i++)
        OP_TRY(op_check_sizes(row->name, tensors->value[i]->name, tensors->value[i]->tensor));
    for (int i = 1; i < tensors->count; i++)
        OP_TRY(op_check_same_shape(row->name, tensors->value[i]->name, tensors->value[i]->tensor,
                                   first->name, first->tensor));
    return ACLNN_SUCCESS;
}

static aclnnStatus check(const struct op_row *row, const struct op_value *values, int count,
                         const struct tensors *tensors)
{
    for (int i = 0; i < count; i++)
        OP_CHECK(row->name, values[i].pointer || may_be_null(&values[i]), ACLNN_ERR_PARAM_NULLPTR,
                 "%s is NULL", values[i].name);
    OP_TRY(check_types(row, tensors));
    for (int i = 0; i < tensors->count; i++)
        OP_TRY(
            op_check_public_format(row->name, tensors->value[i]->name, tensors->value[i]->tensor));
    OP_TRY(check_shapes(row, tensors));
    for (int i = 0; i < tensors->count; i++) {
        const struct op_value *value = tensors->value[i];
        OP_TRY(is_written(value) ? op_check_output_view(row->name, value->name, value->tensor)
                                 : op_check_input_view(row->name, value->name, value->tensor));
    }
    return ACLNN_SUCCESS;
}

static bool any_is_empty(const struct tensors *tensors)
{
    for (int i = 0; i < tensors->count; i++)
        if (op_is_empty(tensors->value[i]->tensor)) return true;
    return false;
}

aclnnStatus op_row_phase1(const struct op_row *row, const struct op_value *values, int count,
                          uint64_t *workspace_size, aclOpExecutor **executor)
{
    const struct tensors tensors = tensors_of(values, count);
    int buffers[OP_ROW_ARGUMENTS];
    OP_CHECK(row->name, workspace_size, ACLNN_ERR_PARAM_NULLPTR, "workspaceSize is NULL");
    OP_CHECK(row->name, executor, ACLNN_ERR_PARAM_NULLPTR, "executor is NULL");
    OP_TRY(check(row, values, count, &tensors));
    struct ex_plan *plan = ex_plan_new(row->name);
    if (__builtin_expect(rt_log_topic_on(RT_LOG_CALLS), 0))
        op_call_note_row(plan, row->name, values, count);
    for (int i = 0; i < count; i++) {
        buffers[i] = -1;
        if (!is_tensor(&values[i])) continue;
        struct ex_descriptor *tensor = values[i].tensor ? op_descriptor(values[i].tensor) : NULL;
        buffers[i] = is_written(&values[i]) ? ex_output(plan, tensor) : ex_input(plan, tensor);
    }
    if (!any_is_empty(&tensors)) row->plan(plan, row, values, buffers);
    return ex_seal(plan, workspace_size, executor);
}

/* ---- the rows ---- */

#define TYPE_FLOAT   | OP_TYPE(ACL_FLOAT)
#define TYPE_FLOAT16 | OP_TYPE(ACL_FLOAT16)
#define TYPE_BF16    | OP_TYPE(ACL_BF16)
#define TYPE_DOUBLE  | OP_TYPE(ACL_DOUBLE)
#define TYPE_INT8    | OP_TYPE(ACL_INT8)
#define TYPE_UINT8   | OP_TYPE(ACL_UINT8)
#define TYPE_INT16   | OP_TYPE(ACL_INT16)
#define TYPE_INT32   | OP_TYPE(ACL_INT32)
#define TYPE_INT64   | OP_TYPE(ACL_INT64)
#define TYPE_BOOL    | OP_TYPE(ACL_BOOL)

#define OPERATOR(operator, family, what, type_list, type_rule, arguments)                          \
    aclnnStatus operator##GetWorkspaceSize(OP_LIST(OP_PARAMETER_, arguments),                      \
                                           uint64_t *workspaceSize, aclOpExecutor **executor)      \
    {                                                                                              \
        static const struct op_row row = {.name = #operator,                                       \
                                          .types = 0 OP_EACH(TYPE_, type_list),                    \
                                          .type_names = OP_TEXT(type_list),                        \
                                          .rule = OP_RULE_##type_rule,                             \
                                          .core = OP_CORE_##family(what),                          \
                                          .plan = op_plan_##family};                               \
        const struct op_value values[] = {OP_LIST(OP_VALUE_, arguments)};                          \
        _Static_assert(RT_LENGTH(values) <= OP_ROW_ARGUMENTS, "a row with more arguments");        \
        return op_row_phase1(&row, values, (int)RT_LENGTH(values), workspaceSize, executor);       \
    }
#include "api/operators.def"
