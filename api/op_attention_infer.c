/* SPDX-License-Identifier: Apache-2.0 */
/* Attention of inference: lists of keys and values, lengths of sequences within their tensors. */
#include <string.h>

#include "api/op_attention.h"

static bool is_query(const char *name)
{
    return strcmp(name, "query") == 0 || strcmp(name, "attentionOut") == 0;
}

/* What is not quantised, paged, padded on the left, shared or rotated. */
static aclnnStatus check_tensor(const struct op_problem *problem, const struct op_value *value)
{
    const char *op = problem->row->name;
    if (is_query(value->name))
        return op_check_type(op, value->name, value->tensor, problem->row->types,
                             problem->row->type_names);
    if (strcmp(value->name, "pseShiftOptional") == 0)
        return op_check_type(op, value->name, value->tensor, problem->row->types,
                             problem->row->type_names);
    if (strcmp(value->name, "attenMaskOptional") == 0)
        return op_check_type(op, value->name, value->tensor,
                             OP_TYPE(ACL_BOOL) | OP_TYPE(ACL_UINT8) | OP_TYPE(ACL_INT8),
                             "BOOL, UINT8, INT8");
    if (strcmp(value->name, "softmaxLse") == 0)
        return op_check_type(op, value->name, value->tensor, OP_TYPE(ACL_FLOAT), "FLOAT");
    return rt_error_report(ACLNN_ERR_PARAM_INVALID, op,
                           "%s is given; it must be NULL: it is not supported", value->name);
}

static aclnnStatus types(struct op_problem *problem)
{
    const struct op_value *query = op_argument_named(problem, "query");
    for (int i = 0; i < problem->tensor_count; i++)
        OP_TRY(check_tensor(problem, problem->tensor[i]));
    for (int i = 0; i < problem->count; i++) {
        const struct op_value *value = &problem->values[i];
        if (op_is_list(value))
            for (uint64_t k = 0; k < value->tensors->size; k++)
                OP_TRY(op_check_same_type(problem->row->name, value->name,
                                          value->tensors->elements[k], query->name, query->tensor));
        else if (op_is_tensor(value) && value->tensor && is_query(value->name))
            OP_TRY(op_check_same_type(problem->row->name, value->name, value->tensor, query->name,
                                      query->tensor));
    }
    problem->type = problem->result = (aclDataType)query->tensor->descriptor.data_type;
    return ACLNN_SUCCESS;
}

/* ---- lengths ---- */

static aclnnStatus find_lengths(const struct op_problem *problem, struct op_attention *a,
                                bool is_key)
{
    const char *name = is_key ? "actualSeqLengthsKvOptional" : "actualSeqLengthsOptional";
    const char *op = problem->row->name;
    const aclIntArray *array = op_argument_named(problem, name)->ints;
    const int64_t rows = is_key ? a->keys : a->queries;
    if (!array || array->size == 0 || (!is_key && a->queries == 1)) return ACLNN_SUCCESS;
    OP_CHECK(op, array->size == 1 || array->size >= (uint64_t)a->batch, ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRIu64 " entries; it must have one, or one for each of %" PRId64
             " sequences",
             name, array->size, a->batch);
    for (uint64_t i = 0; i < array->size && (int64_t)i < a->batch; i++)
        OP_CHECK(op, array->values[i] >= 0 && array->values[i] <= rows, ACLNN_ERR_PARAM_INVALID,
                 "%s[%" PRIu64 "] is %" PRId64
                 "; it must be from 0 to the number of rows, %" PRId64,
                 name, i, array->values[i], rows);
    a->lengths[is_key] = array;
    return ACLNN_SUCCESS;
}

aclnnStatus op_attention_find_lengths(const struct op_problem *problem, struct op_attention *a)
{
    OP_TRY(find_lengths(problem, a, false));
    return find_lengths(problem, a, true);
}

/* ---- shapes ---- */

static aclnnStatus check_out(const struct op_problem *problem, const struct op_attention *a)
{
    const struct op_attention_layout *l = a->out_layout;
    const struct op_value *out = op_argument_named(problem, "attentionOut");
    int64_t sizes[4];
    sizes[l->batch] = a->batch;
    sizes[l->rows] = a->queries;
    if (l->heads >= 0) sizes[l->heads] = a->heads;
    sizes[l->columns] = l->heads < 0 ? a->heads * a->dv : a->dv;
    return op_check_shape(problem, out, out->tensor, l->rank, sizes);
}

static aclnnStatus shapes(struct op_problem *problem)
{
    static const char *const unused = "actualSharedPrefixLenOptional";
    const struct op_value *lse = op_argument_named(problem, "softmaxLse");
    const int64_t key_heads = op_integer_named(problem, "numKeyValueHeads", 0);
    const aclIntArray *shared = op_argument_named(problem, unused)->ints;
    const char *op = problem->row->name;
    struct op_attention a;
    OP_TRY(op_attention_read(problem, &a));
    OP_CHECK(op, a.key_heads == (key_heads == 0 ? a.heads : key_heads), ACLNN_ERR_PARAM_INVALID,
             "numKeyValueHeads is %" PRId64 "; key has %" PRId64 " heads", key_heads, a.key_heads);
    OP_CHECK(op, !shared || shared->size == 0, ACLNN_ERR_PARAM_INVALID,
             "%s is given; it must be NULL: it is not supported", unused);
    OP_TRY(check_out(problem, &a));
    if (!op_integer_named(problem, "softmaxLseFlag", 0)) return ACLNN_SUCCESS;
    OP_CHECK(op, lse->tensor, ACLNN_ERR_PARAM_NULLPTR,
             "softmaxLse is NULL; it must be given where softmaxLseFlag is true");
    return op_check_shape(problem, lse, lse->tensor, 4,
                          (const int64_t[]){a.batch, a.heads, a.queries, 1});
}

const struct op_rule op_rule_attention_infer = {
    .types = types,
    .shapes = shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){op_attention_plan_infer},
};
