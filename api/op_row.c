/* SPDX-License-Identifier: Apache-2.0 */
#include "api/op_row.h"

#include "aclnn_operators.h"
#include "api/op_call.h"
#include "api/op_check.h"
#include "api/op_chip.h"
#include "api/op_families.h"

static bool may_be_null(const struct op_value *value)
{
    return value->kind == OP_OPTIONAL || value->kind == OP_OPTIONAL_OUT ||
           value->kind == OP_OPTIONAL_REF || value->kind == OP_OPTIONAL_INS ||
           value->kind == OP_OPTIONAL_OUTS || value->kind == OP_OPTIONAL_REFS ||
           value->kind == OP_OPTIONAL_SCALAR || value->kind >= OP_INTS;
}

static aclnnStatus check_null(const char *name, const struct op_value *value)
{
    OP_CHECK(name, value->pointer || may_be_null(value), ACLNN_ERR_PARAM_NULLPTR, "%s is NULL",
             value->name);
    if (!op_is_list(value) || !value->tensors) return ACLNN_SUCCESS;
    for (uint64_t i = 0; i < value->tensors->size; i++)
        OP_CHECK(name, value->tensors->elements[i], ACLNN_ERR_PARAM_NULLPTR,
                 "%s[%" PRIu64 "] is NULL", value->name, i);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_view(const char *name, const struct op_value *value,
                              const aclTensor *tensor)
{
    const bool is_written = op_is_written(value) || op_is_written_list(value);
    return is_written ? op_check_output_view(name, value->name, tensor)
                      : op_check_input_view(name, value->name, tensor);
}

/* Formats and memory of all tensors, those of lists too. */
static aclnnStatus check_each(const struct op_problem *problem,
                              aclnnStatus (*check)(const char *, const struct op_value *,
                                                   const aclTensor *))
{
    const char *name = problem->row->name;
    for (int i = 0; i < problem->count; i++) {
        const struct op_value *value = &problem->values[i];
        if (op_is_tensor(value) && value->tensor) OP_TRY(check(name, value, value->tensor));
        if (!op_is_list(value) || !value->tensors) continue;
        for (uint64_t j = 0; j < value->tensors->size; j++)
            OP_TRY(check(name, value, value->tensors->elements[j]));
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus check_format(const char *name, const struct op_value *value,
                                const aclTensor *tensor)
{
    return op_check_public_format(name, value->name, tensor);
}

static aclnnStatus check_format_or_nz(const char *name, const struct op_value *value,
                                      const aclTensor *tensor)
{
    return tensor->descriptor.storage_format == ACL_FORMAT_FRACTAL_NZ
               ? ACLNN_SUCCESS
               : check_format(name, value, tensor);
}

static aclnnStatus check_rank(const char *name, const struct op_value *value,
                              const aclTensor *tensor)
{
    return op_check_rank(name, value->name, tensor, 0, EX_MAX_RANK);
}

static aclnnStatus check_sizes(const char *name, const struct op_value *value,
                               const aclTensor *tensor)
{
    return op_check_sizes(name, value->name, tensor);
}

static aclnnStatus check(struct op_problem *problem)
{
    const struct op_rule *rule = problem->row->rule;
    for (int i = 0; i < problem->count; i++)
        OP_TRY(check_null(problem->row->name, &problem->values[i]));
    OP_TRY(rule->types(problem));
    OP_TRY(check_each(problem, rule->takes_nz ? check_format_or_nz : check_format));
    OP_TRY(check_each(problem, check_rank));
    OP_TRY(check_each(problem, check_sizes));
    OP_TRY(rule->shapes(problem));
    return check_each(problem, check_view);
}

static struct op_problem problem_of(const struct op_row *row, const struct op_value *values,
                                    int count)
{
    struct op_problem problem;
    problem.row = row;
    problem.values = values;
    problem.count = count;
    problem.tensor_count = 0;
    problem.empty = false;
    problem.type = problem.result = ACL_DT_UNDEFINED;
    problem.rank = 0;
    problem.place = 0;
    for (int i = 0; i < count; i++)
        if (op_is_tensor(&values[i]) && values[i].tensor)
            problem.tensor[problem.tensor_count++] = &values[i];
    return problem;
}

static int buffer_of(struct ex_plan *plan, const struct op_value *value)
{
    if (op_is_list(value) && !value->tensors) return -1;
    if (op_is_list(value) && !op_is_written_list(value)) return ex_input_list(plan, value->tensors);
    if (op_is_list(value)) return ex_output_list(plan, value->tensors);
    if (!op_is_tensor(value)) return -1;
    struct ex_descriptor *tensor = value->tensor ? op_descriptor(value->tensor) : NULL;
    return op_is_written(value) ? ex_output(plan, tensor) : ex_input(plan, tensor);
}

aclnnStatus op_row_phase1(const struct op_row *row, const struct op_value *values, int count,
                          uint64_t *workspace_size, aclOpExecutor **executor)
{
    int buffers[OP_ROW_ARGUMENTS];
    OP_CHECK(row->name, workspace_size, ACLNN_ERR_PARAM_NULLPTR, "workspaceSize is NULL");
    OP_CHECK(row->name, executor, ACLNN_ERR_PARAM_NULLPTR, "executor is NULL");
    struct op_problem problem = problem_of(row, values, count);
    OP_TRY(check(&problem));
    if (op_chip_is_asked()) OP_TRY(op_chip_check(row->number, row->name, values, count));
    struct ex_plan *plan = ex_plan_new(row->name);
    if (__builtin_expect(rt_log_topic_on(RT_LOG_CALLS), 0))
        op_call_note_row(plan, row->name, values, count);
    for (int i = 0; i < count; i++)
        buffers[i] = buffer_of(plan, &values[i]);
    for (int i = 0; i < problem.tensor_count && !problem.empty; i++)
        problem.empty = op_is_empty(problem.tensor[i]->tensor);
    if (plan && (!problem.empty || row->rule->runs_empty)) row->plan(plan, &problem, buffers);
    return ex_seal(plan, workspace_size, executor);
}

/* ---- the rows ---- */

#define TYPE_FLOAT      | OP_TYPE(ACL_FLOAT)
#define TYPE_FLOAT16    | OP_TYPE(ACL_FLOAT16)
#define TYPE_BF16       | OP_TYPE(ACL_BF16)
#define TYPE_DOUBLE     | OP_TYPE(ACL_DOUBLE)
#define TYPE_INT8       | OP_TYPE(ACL_INT8)
#define TYPE_UINT8      | OP_TYPE(ACL_UINT8)
#define TYPE_INT16      | OP_TYPE(ACL_INT16)
#define TYPE_UINT16     | OP_TYPE(ACL_UINT16)
#define TYPE_INT32      | OP_TYPE(ACL_INT32)
#define TYPE_UINT32     | OP_TYPE(ACL_UINT32)
#define TYPE_INT64      | OP_TYPE(ACL_INT64)
#define TYPE_UINT64     | OP_TYPE(ACL_UINT64)
#define TYPE_BOOL       | OP_TYPE(ACL_BOOL)
#define TYPE_COMPLEX64  | OP_TYPE(ACL_COMPLEX64)
#define TYPE_COMPLEX128 | OP_TYPE(ACL_COMPLEX128)

#define OPERATOR(operator, family, what, type_list, type_rule, arguments)                          \
    extern const struct op_rule op_rule_##type_rule;                                               \
    aclnnStatus operator##GetWorkspaceSize(OP_LIST(OP_PARAMETER_, arguments),                      \
                                           uint64_t *workspaceSize, aclOpExecutor **executor)      \
    {                                                                                              \
        static const struct op_row own_row = {.name = #operator,                                   \
                                              .number = OP_NUMBER_##operator,                      \
                                              .types = 0 OP_EACH(TYPE_, type_list),                \
                                              .type_names = OP_TEXT(type_list),                    \
                                              .rule = &op_rule_##type_rule,                        \
                                              .core = OP_CORE_##family(what),                      \
                                              .plan = op_plan_##family};                           \
        const struct op_value own[] = {OP_LIST(OP_VALUE_, arguments)};                             \
        _Static_assert(RT_LENGTH(own) <= OP_ROW_ARGUMENTS, "a row with more arguments");           \
        return op_row_phase1(&own_row, own, (int)RT_LENGTH(own), workspaceSize, executor);         \
    }
#include "api/operators.def"
