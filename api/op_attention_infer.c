/* SPDX-License-Identifier: Apache-2.0 */
/* Attention of inference: lists of keys and values, lengths of sequences within their tensors. */
#include <string.h>
#include <strings.h>

#include "api/op_attention.h"

/* What has its own check. */
static bool is_own(const char *name)
{
    static const char *const names[] = {"query", "key", "value", "attentionOut"};
    for (size_t i = 0; i < RT_LENGTH(names); i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

/* Types of other tensors by what their names begin with, where they are not empty; 0: the row's. */
static const struct {
    const char *name;
    int64_t types;
    const char *names;
} kinds[] = {
    {"pseShift", 0, NULL},
    {"attenMask", OP_TYPE(ACL_BOOL) | OP_TYPE(ACL_UINT8) | OP_TYPE(ACL_INT8), "BOOL, UINT8, INT8"},
    {"blockTable", OP_TYPE(ACL_INT32), "INT32"},
    {"softmaxLse", OP_TYPE(ACL_FLOAT), "FLOAT"},
    {"queryPaddingSize", OP_TYPE(ACL_INT64), "INT64"},
    {"kvPaddingSize", OP_TYPE(ACL_INT64), "INT64"},
    {"quantScale2", OP_TYPE(ACL_FLOAT) | OP_TYPE(ACL_BF16), "FLOAT, BF16"},
    {"quantOffset2", OP_TYPE(ACL_FLOAT) | OP_TYPE(ACL_BF16), "FLOAT, BF16"},
    {"antiquant", 0, NULL},
    {"keyAntiquant", 0, NULL},
    {"valueAntiquant", 0, NULL},
    {"keyRopeAntiquant", 0, NULL}, /* counts for nothing, as in CANN */
    {"deqScale", OP_TYPE(ACL_FLOAT) | OP_TYPE(ACL_UINT64), "FLOAT, UINT64"},
    {"quantScale1", OP_TYPE(ACL_FLOAT), "FLOAT"},
    {"dequantScale", OP_TYPE(ACL_FLOAT), "FLOAT"},
};

static bool begins_with(const char *name, const char *word)
{
    return strncmp(name, word, strlen(word)) == 0;
}

/* What queries of INT8 alone have. */
static bool is_for_whole(const char *name)
{
    static const char *const words[] = {"deqScale", "quantScale1", "dequantScale"};
    for (size_t i = 0; i < RT_LENGTH(words); i++)
        if (begins_with(name, words[i])) return true;
    return false;
}

static bool is_whole(const struct op_problem *problem)
{
    return op_argument_named(problem, "query")->tensor->descriptor.data_type == ACL_INT8;
}

static aclnnStatus check_tensor(const struct op_problem *problem, const struct op_value *value)
{
    const char *op = problem->row->name;
    int64_t types = 0;
    const char *names = NULL;
    if (op_is_empty(value->tensor)) return ACLNN_SUCCESS;
    OP_CHECK(op, is_whole(problem) || !is_for_whole(value->name), ACLNN_ERR_PARAM_INVALID,
             "%s is given; it must be NULL or empty where query is not of type INT8", value->name);
    for (size_t i = 0; i < RT_LENGTH(kinds); i++) {
        if (strncasecmp(value->name, kinds[i].name, strlen(kinds[i].name)) != 0) continue;
        types = kinds[i].types;
        names = kinds[i].names;
    }
    if (types > 0) return op_check_type(op, value->name, value->tensor, (uint64_t)types, names);
    return op_check_type(op, value->name, value->tensor, problem->row->types,
                         problem->row->type_names);
}

/* Second parts and shared keys are of the types of what they belong to; those of query are of any
 * type where that is INT8. */
static const struct op_value *model_of(const struct op_problem *problem, const char *name)
{
    const struct op_value *rope = op_argument_named(problem, "queryRopeOptional");
    if (begins_with(name, "keyRopeAntiquant")) return NULL;
    if (begins_with(name, "queryRope"))
        return is_whole(problem) ? NULL : op_argument_named(problem, "query");
    if (begins_with(name, "keyRope"))
        return !is_whole(problem) ? op_argument_named(problem, "query")
               : rope->tensor     ? rope
                                  : NULL;
    if (begins_with(name, "keySharedPrefix") || begins_with(name, "valueSharedPrefix"))
        return op_argument_named(problem, "key");
    return NULL;
}

static const aclTensor *first_of(const struct op_value *value)
{
    return op_is_list(value) ? value->tensors->elements[0] : value->tensor;
}

/* query's, or of keys that are quantised. */
static aclnnStatus check_key(const struct op_problem *problem, const aclTensor *key)
{
    const struct op_value *query = op_argument_named(problem, "query");
    const char *op = problem->row->name;
    const uint64_t types = is_whole(problem) ? 0 : op_attention_quantised_types(problem);
    if (types == 0) return op_check_same_type(op, "key", key, query->name, query->tensor);
    return op_check_type(op, "key", key, types | OP_TYPE(query->tensor->descriptor.data_type),
                         types == OP_TYPE(ACL_INT8) ? "query's, or INT8"
                                                    : "query's, or INT8, INT4, INT32 (eight INT4)");
}

static aclnnStatus check_out_type(const struct op_problem *problem)
{
    const struct op_value *query = op_argument_named(problem, "query");
    const struct op_value *out = op_argument_named(problem, "attentionOut");
    const bool may_be_whole = op_attention_value(problem, "quantScale2", "quantScale2Optional");
    const char *op = problem->row->name;
    if (may_be_whole && out->tensor->descriptor.data_type == ACL_INT8) return ACLNN_SUCCESS;
    if (is_whole(problem))
        return op_check_type(op, out->name, out->tensor, problem->row->types,
                             "FLOAT, FLOAT16, BF16, INT8");
    return op_check_same_type(op, out->name, out->tensor, query->name, query->tensor);
}

static aclnnStatus check_query(const struct op_problem *problem)
{
    const struct op_value *query = op_argument_named(problem, "query");
    const bool may_be_whole = op_attention_value(problem, "deqScale1Optional", "deqScale1");
    return op_check_type(problem->row->name, query->name, query->tensor,
                         problem->row->types | (may_be_whole ? OP_TYPE(ACL_INT8) : 0),
                         may_be_whole ? "FLOAT, FLOAT16, BF16, INT8" : problem->row->type_names);
}

/* One tensor, or one for each sequence: as many values as keys, all of one type. */
static aclnnStatus check_list(const struct op_problem *problem, const struct op_value *side,
                              const struct op_value *key)
{
    const char *op = problem->row->name;
    if (!op_is_list(side)) return ACLNN_SUCCESS;
    const aclTensorList *list = side->tensors;
    OP_CHECK(op, list->size > 0, ACLNN_ERR_PARAM_INVALID,
             "%s has 0 tensors; it must have one, or one for each sequence", side->name);
    OP_CHECK(op, list->size == key->tensors->size, ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRIu64 " tensors; it must have as many as %s, %" PRIu64, side->name,
             list->size, key->name, key->tensors->size);
    for (uint64_t i = 1; i < list->size; i++) {
        const int32_t type = list->elements[i]->descriptor.data_type;
        const int32_t first = list->elements[0]->descriptor.data_type;
        OP_CHECK(op, type == first, ACLNN_ERR_PARAM_INVALID,
                 "%s[%" PRIu64 "] has data type %s; it must be that of %s[0], %s", side->name, i,
                 op_data_type_name((aclDataType)type), side->name,
                 op_data_type_name((aclDataType)first));
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus types(struct op_problem *problem)
{
    const struct op_value *query = op_argument_named(problem, "query");
    const struct op_value *const sides[] = {op_argument_named(problem, "key"),
                                            op_argument_named(problem, "value")};
    const char *op = problem->row->name;
    OP_TRY(check_query(problem));
    for (int i = 0; i < 2; i++)
        OP_TRY(check_list(problem, sides[i], sides[0]));
    OP_TRY(check_key(problem, first_of(sides[0])));
    OP_TRY(op_check_same_type(op, "value", first_of(sides[1]), "key", first_of(sides[0])));
    for (int i = 0; i < problem->tensor_count; i++) {
        const struct op_value *value = problem->tensor[i], *model = model_of(problem, value->name);
        if (is_own(value->name)) continue;
        if (!model)
            OP_TRY(check_tensor(problem, value));
        else if (!op_is_empty(value->tensor))
            OP_TRY(
                op_check_same_type(op, value->name, value->tensor, model->name, first_of(model)));
    }
    OP_TRY(check_out_type(problem));
    problem->type = problem->result = (aclDataType)query->tensor->descriptor.data_type;
    return ACLNN_SUCCESS;
}

/* Whether it is for one query in each sequence: it has the lengths of keys alone. */
static bool is_incremental(const struct op_problem *problem)
{
    return !op_argument_named(problem, "preTokens");
}

/* The first versions have a bias in their prototypes that counts for nothing. */
bool op_attention_has_bias(const struct op_problem *problem)
{
    return op_argument_named(problem, "sparseMode") || op_argument_named(problem, "dequantScale1");
}

/* ---- layouts ---- */

enum layout_name { BSH, BSND, BNSD, NBSD, TND, NTD, PANELS };

static const struct op_attention_layout layouts[] = {
    [BSH] = {"BSH", 3, 0, 1, -1, 2},  [BSND] = {"BSND", 4, 0, 1, 2, 3},
    [BNSD] = {"BNSD", 4, 0, 2, 1, 3}, [NBSD] = {"NBSD", 4, 1, 2, 0, 3},
    [TND] = {"TND", 3, -1, 0, 1, 2},  [NTD] = {"NTD", 3, -1, 1, 0, 2},
    [PANELS] = {"", 5, 0, 3, 1, 4},
};

static const struct {
    const char *name;
    enum layout_name in, out;
} names[] = {
    {"BSH", BSH, BSH},         {"BSND", BSND, BSND},    {"BNSD", BNSD, BNSD},
    {"BNSD_BSND", BNSD, BSND}, {"BSH_NBSD", BSH, NBSD}, {"BSND_NBSD", BSND, NBSD},
    {"BNSD_NBSD", BNSD, NBSD}, {"TND", TND, TND},       {"TND_NTD", TND, NTD},
    {"NTD_TND", NTD, TND},
};

/* The lengths of query or key: their argument, or NULL. */
static const struct op_value *lengths_of(const struct op_problem *problem, bool of_keys)
{
    if (!of_keys && is_incremental(problem)) return NULL;
    if (of_keys && !is_incremental(problem))
        return op_attention_value(problem, "actualSeqLengthsKvOptional", "actualSeqLengthsKv");
    return op_attention_value(problem, "actualSeqLengthsOptional", "actualSeqLengths");
}

/* Sequences behind each other need both. */
static bool takes_rows(const struct op_problem *problem)
{
    return lengths_of(problem, false) && lengths_of(problem, true);
}

aclnnStatus op_attention_find_layouts(const struct op_problem *problem, struct op_attention *a)
{
    const char *text = op_argument_named(problem, "inputLayout")->text;
    const bool is_fused = op_argument_named(problem, "softmaxLse") != NULL;
    for (size_t i = 0; i < RT_LENGTH(names); i++) {
        if (strcmp(text, names[i].name) != 0) continue;
        a->layout = a->key_layout = &layouts[names[i].in];
        a->out_layout = &layouts[names[i].out];
    }
    const bool fits = a->layout && (a->layout->batch >= 0 || takes_rows(problem)) &&
                      (is_fused || (a->layout == a->out_layout) ||
                       (!is_incremental(problem) && strcmp(text, "BNSD_BSND") == 0));
    OP_CHECK(problem->row->name, fits, ACLNN_ERR_PARAM_INVALID,
             "inputLayout is \"%s\"; it must be %s", text,
             is_fused ? "BSH, BSND, BNSD, BNSD_BSND, BSH_NBSD, BSND_NBSD, BNSD_NBSD, TND, TND_NTD "
                        "or NTD_TND"
             : takes_rows(problem)      ? "BSH, BSND, BNSD, BNSD_BSND or TND"
             : !is_incremental(problem) ? "BSH, BSND, BNSD or BNSD_BSND"
                                        : "BSH, BSND or BNSD");
    a->table = op_attention_table(problem);
    const int rank = a->tensor[1]->descriptor.rank;
    if (a->table) a->key_layout = &layouts[rank == 5 ? PANELS : rank == 4 ? BNSD : BSH];
    a->in_panels = a->key_layout == &layouts[PANELS];
    a->read_layout = a->in_panels ? &layouts[BSND] : a->in_list ? &layouts[TND] : a->key_layout;
    return ACLNN_SUCCESS;
}

/* ---- lengths ---- */

static aclnnStatus find_lengths(const struct op_problem *problem, struct op_attention *a,
                                bool of_keys)
{
    const struct op_value *value = lengths_of(problem, of_keys);
    const char *op = problem->row->name;
    const aclIntArray *array = value ? value->ints : NULL;
    const int64_t rows = of_keys ? a->keys : a->queries;
    if (!array || array->size == 0 || (!of_keys && a->queries == 1)) return ACLNN_SUCCESS;
    if (a->layout->batch < 0) /* those of query tell how many sequences there are */
        OP_CHECK(op, array->size == (uint64_t)a->batch, ACLNN_ERR_PARAM_INVALID,
                 "%s has %" PRIu64 " entries; it must have one for each of %" PRId64 " sequences",
                 value->name, array->size, a->batch);
    OP_CHECK(op, array->size == 1 || array->size >= (uint64_t)a->batch, ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRIu64 " entries; it must have one, or one for each of %" PRId64
             " sequences, of which it may have more",
             value->name, array->size, a->batch);
    for (uint64_t i = 0; i < array->size && (int64_t)i < a->batch; i++)
        OP_CHECK(op, array->values[i] >= 0 && array->values[i] <= rows, ACLNN_ERR_PARAM_INVALID,
                 "%s[%" PRIu64 "] is %" PRId64
                 "; it must be from 0 to the number of rows, %" PRId64,
                 value->name, i, array->values[i], rows);
    a->lengths[of_keys] = array;
    return of_keys && a->in_list ? op_attention_check_list_lengths(problem, a, value)
                                 : ACLNN_SUCCESS;
}

static aclnnStatus find_key_lengths(const struct op_problem *problem, struct op_attention *a)
{
    OP_TRY(find_lengths(problem, a, true));
    return a->table ? op_attention_check_pages(problem, a, lengths_of(problem, true))
                    : ACLNN_SUCCESS;
}

aclnnStatus op_attention_find_lengths(const struct op_problem *problem, struct op_attention *a)
{
    const struct op_value *queries = lengths_of(problem, false), *keys = lengths_of(problem, true);
    if (a->layout->batch >= 0) {
        OP_TRY(find_lengths(problem, a, false));
        return find_key_lengths(problem, a);
    }
    OP_TRY(op_attention_check_ends(problem, queries, a->queries, &a->query_ends));
    a->batch = (int64_t)a->query_ends->size;
    a->is_by_rows = true;
    if (a->table) return find_key_lengths(problem, a);
    OP_TRY(op_attention_check_ends(problem, keys, a->keys, &a->key_ends));
    OP_CHECK(problem->row->name, a->key_ends->size == a->query_ends->size, ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRIu64 " entries; it must have as many as %s, %" PRIu64, keys->name,
             a->key_ends->size, queries->name, a->query_ends->size);
    return ACLNN_SUCCESS;
}

/* ---- shapes ---- */

static aclnnStatus check_out(const struct op_problem *problem, const struct op_attention *a)
{
    const struct op_attention_layout *l = a->out_layout;
    const struct op_value *out = op_argument_named(problem, "attentionOut");
    int64_t sizes[4];
    if (l->batch >= 0) sizes[l->batch] = a->batch;
    sizes[l->rows] = a->queries;
    if (l->heads >= 0) sizes[l->heads] = a->heads;
    sizes[l->columns] = l->heads < 0 ? a->heads * a->dv : a->dv;
    return op_check_shape(problem, out, out->tensor, l->rank, sizes);
}

static aclnnStatus shapes(struct op_problem *problem)
{
    const struct op_value *lse = op_argument_named(problem, "softmaxLse");
    const int64_t key_heads = op_integer_named(problem, "numKeyValueHeads", 0);
    const char *op = problem->row->name;
    struct op_attention a;
    OP_TRY(op_attention_read(problem, &a));
    OP_CHECK(op, a.key_heads == (key_heads == 0 ? a.heads : key_heads), ACLNN_ERR_PARAM_INVALID,
             "numKeyValueHeads is %" PRId64 "; key has %" PRId64 " heads", key_heads, a.key_heads);
    OP_CHECK(op, !is_incremental(problem) || a.queries == 1, ACLNN_ERR_PARAM_INVALID,
             "query has %" PRId64 " rows; it must have one", a.queries);
    OP_TRY(check_out(problem, &a));
    if (!op_integer_named(problem, "softmaxLseFlag", 0)) return ACLNN_SUCCESS;
    OP_CHECK(op, lse->tensor, ACLNN_ERR_PARAM_NULLPTR,
             "softmaxLse is NULL; it must be given where softmaxLseFlag is true");
    if (a.query_ends)
        return op_check_shape(problem, lse, lse->tensor, 3,
                              (const int64_t[]){a.queries, a.heads, 1});
    return op_check_shape(problem, lse, lse->tensor, 4,
                          (const int64_t[]){a.batch, a.heads, a.queries, 1});
}

const struct op_rule op_rule_attention_infer = {
    .types = types,
    .shapes = shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){op_attention_plan_infer},
};
