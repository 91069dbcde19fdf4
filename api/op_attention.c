/* SPDX-License-Identifier: Apache-2.0 */
/* Attention: what the arguments of its operators say, and what each must be. */
#include "api/op_attention.h"

#include <string.h>

static const struct op_attention_layout layouts[] = {
    {"BSH", 3, 0, 1, -1, 2}, {"SBH", 3, 1, 0, -1, 2}, {"BSND", 4, 0, 1, 2, 3},
    {"BNSD", 4, 0, 2, 1, 3}, {"TND", 3, -1, 0, 1, 2},
};

/* ---- types ---- */

/* Padding, quantised numbers. */
static bool is_refused(const char *name)
{
    static const char *const words[] = {"paddingMask", "dScale"};
    for (size_t i = 0; i < RT_LENGTH(words); i++)
        if (strstr(name, words[i])) return true;
    return false;
}

static bool is_of_float(const char *name)
{
    return strncmp(name, "softmaxMax", 10) == 0 || strncmp(name, "softmaxSum", 10) == 0 ||
           strncmp(name, "sink", 4) == 0 || strcmp(name, "dsinkOut") == 0;
}

static aclnnStatus check_beside(const struct op_problem *problem, const struct op_value *value)
{
    const char *op = problem->row->name, *name = value->name;
    OP_CHECK(op, op_is_written(value) || !is_refused(name), ACLNN_ERR_PARAM_INVALID,
             "%s is given; it must be NULL: it is not supported", name);
    if (strcmp(name, "attenMaskOptional") == 0)
        return op_check_type(op, name, value->tensor, OP_TYPE(ACL_BOOL) | OP_TYPE(ACL_UINT8),
                             "BOOL, UINT8");
    if (strcmp(name, "dropMaskOptional") == 0)
        return op_check_type(op, name, value->tensor, OP_TYPE(ACL_UINT8), "UINT8");
    if (is_of_float(name))
        return op_check_type(op, name, value->tensor, OP_TYPE(ACL_FLOAT), "FLOAT");
    return op_check_type(op, name, value->tensor, problem->row->types, problem->row->type_names);
}

static bool has_own_type(const char *name)
{
    static const char *const names[] = {"attenMaskOptional", "dropMaskOptional", "softmaxOutOut",
                                        "softmaxInOptional", "dpseOut"};
    for (size_t i = 0; i < RT_LENGTH(names); i++)
        if (strcmp(name, names[i]) == 0) return true;
    return is_of_float(name);
}

/* A second part that is none. */
static bool is_empty_rope(const struct op_value *value)
{
    return strstr(value->name, "Rope") && op_is_empty(value->tensor);
}

/* Generated biases have slopes, which are FLOAT. */
static bool has_slopes(const struct op_problem *problem)
{
    return op_integer_named(problem, "pseType", 1) >= 2;
}

static aclnnStatus types(struct op_problem *problem)
{
    const struct op_value *query = problem->tensor[0];
    for (int i = 0; i < problem->tensor_count; i++) {
        const struct op_value *value = problem->tensor[i];
        OP_TRY(check_beside(problem, value));
        if (has_own_type(value->name) || is_empty_rope(value)) continue;
        if (op_attention_is_bias(value->name) && has_slopes(problem))
            OP_TRY(op_check_type(problem->row->name, value->name, value->tensor, OP_TYPE(ACL_FLOAT),
                                 "FLOAT where pseType is 2 or 3"));
        else
            OP_TRY(op_check_same_type(problem->row->name, value->name, value->tensor, query->name,
                                      query->tensor));
    }
    problem->type = problem->result = (aclDataType)query->tensor->descriptor.data_type;
    return ACLNN_SUCCESS;
}

/* ---- sizes ---- */

bool op_attention_is_bias(const char *name)
{
    return strcmp(name, "realShiftOptional") == 0 || strcmp(name, "pseShiftOptional") == 0;
}

const struct op_value *op_attention_value(const struct op_problem *problem, const char *name,
                                          const char *other)
{
    const struct op_value *value = op_argument_named(problem, name);
    return value ? value : op_argument_named(problem, other);
}

static const int64_t *sizes_of(const struct op_attention *a, int operand)
{
    return a->tensor[operand]->descriptor.sizes;
}

/* Of the last axis, or of all panels. */
static int64_t columns_of(const struct op_attention *a, int operand)
{
    const struct ex_descriptor *d = &a->tensor[operand]->descriptor;
    int64_t columns = 0; /* what cannot be counted fits no head */
    if (operand > 0 && a->in_panels) {
        if (!rt_mul_ok(d->sizes[2], d->sizes[4], &columns)) columns = 0;
        return columns;
    }
    return d->sizes[d->rank - 1] * (operand > 0 ? a->packed : 1);
}

/* query, key and value; of lists the first ones. */
static void find_operands(const struct op_problem *problem, struct op_attention *a)
{
    a->value[0] = op_argument_named(problem, "query");
    a->value[1] = op_attention_value(problem, "key", "keyIn");
    a->value[2] = op_argument_named(problem, "value");
    for (int i = 0; i < 3; i++)
        a->tensor[i] =
            op_is_list(a->value[i]) ? a->value[i]->tensors->elements[0] : a->value[i]->tensor;
    a->in_list = op_is_list(a->value[1]) && a->value[1]->tensors->size > 1;
}

static const char *heads_name(const struct op_problem *problem)
{
    return op_argument_named(problem, "headNum") ? "headNum" : "numHeads";
}

/* Whether heads of `each` elements make up the last axis; without an axis of heads only. */
static aclnnStatus split(const struct op_problem *problem, const struct op_attention *a,
                         int operand, int64_t count, const char *what, int64_t *each)
{
    const int64_t size = columns_of(a, operand);
    OP_CHECK(problem->row->name, count > 0 && size % count == 0, ACLNN_ERR_PARAM_INVALID,
             "%s has rows of %" PRId64 " elements; they must be a multiple of %s, %" PRId64,
             a->value[operand]->name, size, what, count);
    *each = size / count;
    return ACLNN_SUCCESS;
}

static aclnnStatus find_key_heads(const struct op_problem *problem, struct op_attention *a,
                                  int64_t *columns)
{
    const int64_t *k = sizes_of(a, 1), *v = sizes_of(a, 2);
    const int axis = a->key_layout->heads;
    if (axis < 0) {
        *columns = a->d;
        OP_TRY(split(problem, a, 1, a->d, "those of a head of query", &a->key_heads));
        return split(problem, a, 2, a->key_heads, "the heads of keys", &a->dv);
    }
    a->key_heads = k[axis];
    *columns = columns_of(a, 1);
    a->dv = columns_of(a, 2);
    OP_CHECK(problem->row->name, v[axis] == a->key_heads, ACLNN_ERR_PARAM_INVALID,
             "value has %" PRId64 " heads; it must have as many as %s, %" PRId64, v[axis],
             a->value[1]->name, a->key_heads);
    return ACLNN_SUCCESS;
}

static aclnnStatus find_heads(const struct op_problem *problem, struct op_attention *a)
{
    const int64_t *q = sizes_of(a, 0);
    const int axis = a->layout->heads;
    int64_t columns = 0;
    if (axis >= 0) {
        a->d = q[a->layout->columns];
        OP_CHECK(problem->row->name, q[axis] == a->heads, ACLNN_ERR_PARAM_INVALID,
                 "%s is %" PRId64 "; query has %" PRId64 " heads", heads_name(problem), a->heads,
                 q[axis]);
    } else {
        OP_TRY(split(problem, a, 0, a->heads, heads_name(problem), &a->d));
    }
    OP_TRY(find_key_heads(problem, a, &columns));
    OP_CHECK(problem->row->name, columns == a->d, ACLNN_ERR_PARAM_INVALID,
             "a head of %s has %" PRId64
             " elements; it must have as many as one of query, %" PRId64,
             a->value[1]->name, columns, a->d);
    OP_CHECK(problem->row->name, a->key_heads > 0 && a->heads % a->key_heads == 0,
             ACLNN_ERR_PARAM_INVALID,
             "query has %" PRId64 " heads; they must be a multiple of the %" PRId64 " of %s",
             a->heads, a->key_heads, a->value[1]->name);
    OP_CHECK(problem->row->name, a->d >= 1 && a->d <= K_ATTENTION_HEAD, ACLNN_ERR_PARAM_INVALID,
             "a head has %" PRId64 " elements; they must be from 1 to %d", a->d, K_ATTENTION_HEAD);
    OP_CHECK(problem->row->name, a->dv >= 1 && a->dv <= a->d, ACLNN_ERR_PARAM_INVALID,
             "a head of value has %" PRId64 " elements; they must be from 1 to those of query, "
             "%" PRId64,
             a->dv, a->d);
    return ACLNN_SUCCESS;
}

static aclnnStatus find_rows(const struct op_problem *problem, struct op_attention *a)
{
    const int axis = a->layout->rows, batch = a->layout->batch;
    const char *op = problem->row->name;
    a->queries = sizes_of(a, 0)[axis];
    a->keys = sizes_of(a, 1)[axis];
    a->batch = batch < 0 ? 1 : sizes_of(a, 0)[batch];
    if (a->in_list) return op_attention_find_list(problem, a);
    if (a->table) return op_attention_find_pages(problem, a);
    for (int i = 1; i < 3 && batch >= 0; i++)
        OP_CHECK(op, sizes_of(a, i)[batch] == a->batch, ACLNN_ERR_PARAM_INVALID,
                 "%s has a batch of %" PRId64 "; query has one of %" PRId64, a->value[i]->name,
                 sizes_of(a, i)[batch], a->batch);
    OP_CHECK(op, sizes_of(a, 2)[axis] == a->keys, ACLNN_ERR_PARAM_INVALID,
             "value has %" PRId64 " rows; it must have as many as %s, %" PRId64,
             sizes_of(a, 2)[axis], a->value[1]->name, a->keys);
    return ACLNN_SUCCESS;
}

static aclnnStatus find_layouts(const struct op_problem *problem, struct op_attention *a)
{
    const struct op_value *text = op_argument_named(problem, "inputLayout");
    const bool by_lengths = op_argument_named(problem, "actualSeqQLenOptional") != NULL;
    const bool any = op_argument_named(problem, "queryRopeOptional") != NULL; /* layout */
    for (size_t i = 0; i < RT_LENGTH(layouts); i++)
        if (strcmp(text->text, layouts[i].name) == 0) a->layout = a->key_layout = &layouts[i];
    OP_CHECK(problem->row->name, a->layout && (any || (a->layout->batch < 0) == by_lengths),
             ACLNN_ERR_PARAM_INVALID, "inputLayout is \"%s\"; it must be %s", text->text,
             any          ? "BSH, SBH, BSND, BNSD or TND"
             : by_lengths ? "TND"
                          : "BSH, SBH, BSND or BNSD");
    return ACLNN_SUCCESS;
}

static aclnnStatus find_layout(const struct op_problem *problem, struct op_attention *a)
{
    const char *op = problem->row->name;
    OP_CHECK(op, op_argument_named(problem, "inputLayout")->text, ACLNN_ERR_PARAM_NULLPTR,
             "inputLayout is NULL");
    OP_TRY(a->is_infer ? op_attention_find_layouts(problem, a) : find_layouts(problem, a));
    for (int i = 0; i < 3; i++) {
        const int rank = (i == 0 ? a->layout : a->key_layout)->rank;
        OP_TRY(op_check_rank(op, a->value[i]->name, a->tensor[i], rank, rank));
    }
    a->heads = op_integer_named(problem, heads_name(problem), 0);
    OP_CHECK(op, a->heads > 0, ACLNN_ERR_PARAM_INVALID,
             "%s is %" PRId64 "; it must be greater than 0", heads_name(problem), a->heads);
    return ACLNN_SUCCESS;
}

/* ---- sequences behind each other ---- */

aclnnStatus op_attention_check_ends(const struct op_problem *problem, const struct op_value *value,
                                    int64_t rows, const aclIntArray **ends)
{
    const char *op = problem->row->name, *name = value->name;
    const aclIntArray *array = value->ints;
    OP_CHECK(op, array, ACLNN_ERR_PARAM_NULLPTR, "%s is NULL", name);
    OP_CHECK(op, array->size > 0, ACLNN_ERR_PARAM_INVALID, "%s is empty", name);
    for (uint64_t i = 0; i < array->size; i++)
        OP_CHECK(
            op, array->values[i] >= (i == 0 ? 0 : array->values[i - 1]) && array->values[i] <= rows,
            ACLNN_ERR_PARAM_INVALID,
            "%s[%" PRIu64 "] is %" PRId64 "; it must be from %" PRId64
            ", what is before it, to the number of rows, %" PRId64,
            name, i, array->values[i], i == 0 ? 0 : array->values[i - 1], rows);
    *ends = array;
    return ACLNN_SUCCESS;
}

static aclnnStatus find_sequences(const struct op_problem *problem, struct op_attention *a)
{
    if (a->is_infer) return op_attention_find_lengths(problem, a);
    if (a->layout->batch >= 0) return ACLNN_SUCCESS;
    OP_TRY(op_attention_check_ends(problem, op_argument_named(problem, "actualSeqQLenOptional"),
                                   a->queries, &a->query_ends));
    OP_TRY(op_attention_check_ends(problem, op_argument_named(problem, "actualSeqKvLenOptional"),
                                   a->keys, &a->key_ends));
    OP_CHECK(problem->row->name, a->key_ends->size == a->query_ends->size, ACLNN_ERR_PARAM_INVALID,
             "actualSeqKvLenOptional has %" PRIu64
             " entries; it must have as many as actualSeqQLenOptional, %" PRIu64,
             a->key_ends->size, a->query_ends->size);
    a->batch = (int64_t)a->query_ends->size;
    return ACLNN_SUCCESS;
}

int64_t op_attention_length(const struct op_attention *a, bool is_key, int64_t i)
{
    const aclIntArray *ends = is_key ? a->key_ends : a->query_ends, *own = a->lengths[is_key];
    const int64_t shared = is_key ? a->shared : 0;
    if (own) return shared + own->values[own->size == 1 ? 0 : i];
    if (is_key && a->in_list) return op_attention_list_rows(a, i);
    if (!ends) return is_key ? shared + a->keys : a->queries;
    return ends->values[i] - (i == 0 ? 0 : ends->values[i - 1]);
}

/* All weights can be counted. Notes the longest sequence. */
static aclnnStatus count_weights(const struct op_problem *problem, struct op_attention *a)
{
    bool fits = true;
    bool each = a->query_ends || a->in_list;
    for (int i = 0; i < 2; i++)
        each = each || (a->lengths[i] && a->lengths[i]->size > 1);
    const int64_t some = each ? a->batch : 1;
    for (int64_t i = 0; i < some; i++) {
        const int64_t queries = op_attention_length(a, false, i);
        const int64_t keys = op_attention_length(a, true, i);
        int64_t weights = 0;
        fits = fits && rt_mul_ok(queries, keys, &weights) &&
               rt_mul_ok(weights, a->heads, &weights) &&
               rt_mul_ok(weights, each ? 1 : a->batch, &weights) &&
               rt_add_ok(a->weights, weights, &a->weights);
        a->is_uneven = a->is_uneven || queries != op_attention_length(a, false, 0) ||
                       keys != op_attention_length(a, true, 0);
        a->most_queries = queries > a->most_queries ? queries : a->most_queries;
        a->most_keys = keys > a->most_keys ? keys : a->most_keys;
    }
    OP_CHECK(problem->row->name, fits && a->weights <= INT64_MAX / 8, ACLNN_ERR_PARAM_INVALID,
             "pairs of queries and keys cannot be counted");
    return ACLNN_SUCCESS;
}

/* ---- what stands beside the scores ---- */

int op_attention_axis(const struct op_attention *a, int rank, int i)
{
    const bool has_one = a->queries == 1 && !a->query_ends; /* query */
    if (a->is_infer && i == 0 && (rank == 3 || (rank == 2 && has_one))) return 0;
    return i + 4 - rank;
}

/* Axes of 1 or of the batch, the heads, queries and keys; the last two alone are enough. More of
 * those is allowed of masks for sequences behind each other, and for inference. */
static aclnnStatus check_pairs(const struct op_problem *problem, const struct op_attention *a,
                               const struct op_value *value, int least_rank)
{
    const struct ex_descriptor *d = &value->tensor->descriptor;
    const int64_t sizes[] = {a->batch, a->heads, a->padding[0] ? a->queries : a->most_queries,
                             a->padding[1] ? a->keys : a->most_keys};
    const bool may_exceed = a->is_infer || (a->query_ends && !op_attention_is_bias(value->name));
    struct op_shape_text text;
    bool fits = d->rank >= least_rank && d->rank <= 4;
    for (int i = 0; i < d->rank && fits; i++) {
        const int axis = op_attention_axis(a, d->rank, i);
        fits = d->sizes[i] == 1 || d->sizes[i] == sizes[axis] ||
               (axis >= 2 && may_exceed && d->sizes[i] > sizes[axis]);
    }
    OP_CHECK(problem->row->name, fits, ACLNN_ERR_PARAM_INVALID,
             "%s's shape is %s; it must be (%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64
             "), or have axes of 1%s",
             value->name, op_shape(&text, value->tensor), sizes[0], sizes[1], sizes[2], sizes[3],
             least_rank == 2 ? ", or the last two or three axes alone" : "");
    return ACLNN_SUCCESS;
}

static aclnnStatus check_bias(const struct op_problem *problem, struct op_attention *a)
{
    const struct op_value *bias = a->bias_from;
    const int64_t type = op_integer_named(problem, "pseType", 1);
    struct op_shape_text text;
    OP_CHECK(problem->row->name, type >= 0 && type <= 3, ACLNN_ERR_PARAM_INVALID,
             "pseType is %" PRId64 "; it must be from 0 to 3", type);
    OP_CHECK(problem->row->name, bias->tensor || type < 2, ACLNN_ERR_PARAM_INVALID,
             "%s is NULL; it must be given where pseType is 2 or 3", bias->name);
    if (!op_attention_is_given(a, bias)) return ACLNN_SUCCESS;
    if (a->is_infer && !op_attention_has_bias(problem)) return ACLNN_SUCCESS;
    const struct ex_descriptor *d = &bias->tensor->descriptor;
    static const enum k_attention_bias kinds[] = {K_ATTENTION_AFTER, K_ATTENTION_BEFORE,
                                                  K_ATTENTION_LINEAR, K_ATTENTION_ROOT};
    a->bias = a->is_infer ? K_ATTENTION_AFTER : kinds[type];
    if (a->is_infer) return check_pairs(problem, a, bias, 4);
    if (type < 2) {
        OP_CHECK(problem->row->name, !a->is_uneven, ACLNN_ERR_PARAM_INVALID,
                 "%s is given; it must be NULL where sequences differ in length", bias->name);
        return check_pairs(problem, a, bias, 4);
    }
    const bool fits = (d->rank == 1 && d->sizes[0] == a->heads) ||
                      (d->rank == 2 && d->sizes[0] == a->batch && d->sizes[1] == a->heads);
    OP_CHECK(problem->row->name, fits, ACLNN_ERR_PARAM_INVALID,
             "%s's shape is %s; it must be (%" PRId64 ") or (%" PRId64 ", %" PRId64
             ") where pseType is 2 or 3",
             bias->name, op_shape(&text, bias->tensor), a->heads, a->batch, a->heads);
    return ACLNN_SUCCESS;
}

/* Modes whose mask is one triangle for all shapes. */
static bool is_compressed(int64_t mode)
{
    return mode >= 2 && mode != 5;
}

static aclnnStatus check_prefix(const struct op_problem *problem, struct op_attention *a)
{
    const char *op = problem->row->name;
    if (a->mode != 5 && a->mode != 6) return ACLNN_SUCCESS;
    a->prefix = op_argument_named(problem, "prefixOptional")->ints;
    OP_CHECK(op, a->prefix, ACLNN_ERR_PARAM_NULLPTR,
             "prefixOptional is NULL; sparseMode %" PRId64 " needs it", a->mode);
    OP_CHECK(op, a->prefix->size == (uint64_t)a->batch, ACLNN_ERR_PARAM_INVALID,
             "prefixOptional has %" PRIu64 " entries; it must have one for each of %" PRId64
             " sequences",
             a->prefix->size, a->batch);
    for (int64_t i = 0; i < a->batch; i++)
        OP_CHECK(op,
                 a->prefix->values[i] >= 0 &&
                     a->prefix->values[i] <= op_attention_length(a, true, i),
                 ACLNN_ERR_PARAM_INVALID,
                 "prefixOptional[%" PRId64 "] is %" PRId64 "; it must be from 0 to %" PRId64, i,
                 a->prefix->values[i], op_attention_length(a, true, i));
    return ACLNN_SUCCESS;
}

static aclnnStatus check_mask(const struct op_problem *problem, struct op_attention *a)
{
    enum { SIDE = 2048, WITH_PREFIX = 3072 };
    const struct op_value *mask = a->mask_from;
    const int64_t mode = op_integer_named(problem, "sparseMode", 0);
    const bool is_given = op_attention_is_given(a, mask);
    const char *op = problem->row->name;
    struct op_shape_text text;
    OP_CHECK(op,
             mode >= 0 &&
                 mode <= (a->is_infer     ? 4
                          : a->query_ends ? 8
                                          : 6) &&
                 !(a->query_ends && mode == 5),
             ACLNN_ERR_PARAM_INVALID, "sparseMode is %" PRId64 "; it must be %s", mode,
             a->is_infer     ? "from 0 to 4"
             : a->query_ends ? "from 0 to 8, but not 5"
                             : "from 0 to 6");
    OP_CHECK(op, is_given || !a->is_infer || mode == 0, ACLNN_ERR_PARAM_NULLPTR,
             "%s is NULL; sparseMode %" PRId64 " needs it", mask->name, mode);
    if (!is_given) return ACLNN_SUCCESS; /* everything is visible */
    const bool has_one = a->is_infer && !a->query_ends && a->queries == 1;
    a->mode = mode == 0 && (has_one || a->padding[0] || a->padding[1]) ? 1 : mode;
    a->is_masked = true;
    a->has_mask = !is_compressed(mode);
    OP_TRY(check_prefix(problem, a));
    if (a->has_mask) return check_pairs(problem, a, mask, 2);
    const struct ex_descriptor *d = &mask->tensor->descriptor;
    const int64_t rows = mode == 6 ? WITH_PREFIX : SIDE;
    bool fits = d->rank >= 2 && d->rank <= 4 && d->sizes[d->rank - 2] == rows &&
                d->sizes[d->rank - 1] == SIDE;
    for (int i = 0; i < d->rank - 2 && fits; i++)
        fits = d->sizes[i] == 1;
    OP_CHECK(op, fits, ACLNN_ERR_PARAM_INVALID,
             "%s's shape is %s; it must be (%" PRId64 ", %d) for sparseMode %" PRId64, mask->name,
             op_shape(&text, mask->tensor), rows, SIDE, mode);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_drop(const struct op_problem *problem, struct op_attention *a)
{
    const struct op_value *drop = op_argument_named(problem, "dropMaskOptional");
    const char *op = problem->row->name;
    int64_t bytes = 0;
    a->keep = op_real_named(problem, "keepProb", 1);
    OP_CHECK(op, a->keep > 0 && a->keep <= 1, ACLNN_ERR_PARAM_INVALID,
             "keepProb is %g; it must be greater than 0 and at most 1", a->keep);
    if (a->keep == 1) return ACLNN_SUCCESS;
    a->draws = !drop->tensor && op_argument_named(problem, "seed") != NULL;
    if (a->draws) return ACLNN_SUCCESS;
    OP_CHECK(op, drop->tensor, ACLNN_ERR_PARAM_NULLPTR,
             "dropMaskOptional is NULL; it must be given where keepProb is %g", a->keep);
    const struct ex_descriptor *d = &drop->tensor->descriptor;
    ex_element_count(d->sizes, d->rank, &bytes);
    OP_CHECK(op, bytes >= (a->weights + 7) / 8, ACLNN_ERR_PARAM_INVALID,
             "dropMaskOptional has %" PRId64 " bytes; it must have a bit for each of %" PRId64
             " pairs of queries and keys",
             bytes, a->weights);
    return ACLNN_SUCCESS;
}

/* ---- results ---- */

/* A tensor that is given has the shape of query with other rows of `columns` elements. */
static aclnnStatus check_like_query(const struct op_problem *problem, const struct op_attention *a,
                                    const char *name)
{
    const struct op_value *value = op_argument_named(problem, name);
    int64_t sizes[4];
    if (!value || !value->tensor) return ACLNN_SUCCESS;
    memcpy(sizes, sizes_of(a, 0), (size_t)a->layout->rank * sizeof *sizes);
    sizes[a->layout->columns] = a->layout->heads < 0 ? a->heads * a->dv : a->dv;
    return op_check_shape(problem, value, value->tensor, a->layout->rank, sizes);
}

static aclnnStatus check_stats(const struct op_problem *problem, const struct op_attention *a,
                               const struct op_value *value)
{
    const int64_t sizes[] = {a->batch, a->heads, a->queries, K_ATTENTION_STATS};
    const int64_t by_rows[] = {a->queries, a->heads, K_ATTENTION_STATS};
    const struct ex_descriptor *d = &value->tensor->descriptor;
    if (!a->query_ends) return op_check_shape(problem, value, value->tensor, 4, sizes);
    if (d->rank == 3 && d->sizes[0] == a->heads && d->sizes[1] == a->queries &&
        d->sizes[2] == K_ATTENTION_STATS)
        return ACLNN_SUCCESS;
    return op_check_shape(problem, value, value->tensor, 3, by_rows);
}

/* Sinks, and where their gradient goes, which is empty if there are none. */
static aclnnStatus check_sinks(const struct op_problem *problem, const struct op_attention *a,
                               const struct op_value *value)
{
    const struct op_value *sinks = op_attention_value(problem, "sinkOptional", "sinkInOptional");
    if (!value || !value->tensor) return ACLNN_SUCCESS;
    if (!sinks->tensor && op_is_empty(value->tensor)) return ACLNN_SUCCESS;
    OP_CHECK(problem->row->name, sinks->tensor, ACLNN_ERR_PARAM_NULLPTR,
             "%s is NULL; it must be given where %s is not empty", sinks->name, value->name);
    return op_check_shape(problem, value, value->tensor, 1, &a->heads);
}

static aclnnStatus check_results(const struct op_problem *problem, const struct op_attention *a)
{
    static const char *const needed[] = {"softmaxMaxOptional", "softmaxSumOptional",
                                         "attentionInOptional"};
    static const char *const gradients[] = {"dqOut", "dkOut", "dvOut"};
    for (int i = 0; i < 3; i++) {
        const struct op_value *value = op_argument_named(problem, needed[i]);
        OP_CHECK(problem->row->name, !value || value->tensor, ACLNN_ERR_PARAM_NULLPTR, "%s is NULL",
                 needed[i]);
    }
    OP_TRY(check_stats(problem, a,
                       op_attention_value(problem, "softmaxMaxOut", "softmaxMaxOptional")));
    OP_TRY(check_stats(problem, a,
                       op_attention_value(problem, "softmaxSumOut", "softmaxSumOptional")));
    OP_TRY(check_sinks(problem, a, op_attention_value(problem, "sinkOptional", "sinkInOptional")));
    OP_TRY(check_sinks(problem, a, op_argument_named(problem, "dsinkOut")));
    OP_TRY(check_like_query(problem, a, "attentionOutOut"));
    OP_TRY(check_like_query(problem, a, "attentionInOptional"));
    OP_TRY(check_like_query(problem, a, "dy"));
    for (int i = 0; i < 3; i++) {
        const struct op_value *value = op_argument_named(problem, gradients[i]);
        if (value)
            OP_TRY(op_check_same_shape(problem->row->name, value->name, value->tensor,
                                       a->value[i]->name, a->tensor[i]));
    }
    return ACLNN_SUCCESS;
}

/* Whether rows of statistics of sequences behind each other lie as those of query do. */
static aclnnStatus check_order(const struct op_problem *problem, struct op_attention *a)
{
    const struct op_value *order =
        op_attention_value(problem, "softmaxOutLayout", "softmaxInLayout");
    if (!order || !order->text || order->text[0] == '\0') return ACLNN_SUCCESS;
    a->is_by_rows = a->query_ends != NULL;
    OP_CHECK(problem->row->name, strcmp(order->text, "same_as_input") == 0, ACLNN_ERR_PARAM_INVALID,
             "%s is \"%s\"; it must be empty or \"same_as_input\"", order->name, order->text);
    return ACLNN_SUCCESS;
}

bool op_attention_is_given(const struct op_attention *a, const struct op_value *value)
{
    return value->tensor && !(a->is_infer && op_is_empty(value->tensor));
}

aclnnStatus op_attention_read(const struct op_problem *problem, struct op_attention *a)
{
    memset(a, 0, sizeof *a);
    a->is_infer = op_argument_named(problem, "numHeads") != NULL;
    a->packed = 1;
    a->keep = 1;
    a->mask_from = op_attention_value(problem, "attenMaskOptional", "attenMask");
    a->bias_from = op_attention_value(problem, "realShiftOptional", "pseShiftOptional");
    if (!a->bias_from) a->bias_from = op_argument_named(problem, "pseShift");
    find_operands(problem, a);
    a->is_whole = a->is_infer && a->tensor[0]->descriptor.data_type == ACL_INT8;
    OP_TRY(find_layout(problem, a));
    if (a->is_infer) OP_TRY(op_attention_find_quantised(problem, a));
    OP_TRY(find_heads(problem, a));
    OP_TRY(find_rows(problem, a));
    if (a->is_infer) OP_TRY(op_attention_find_shared(problem, a));
    OP_TRY(find_sequences(problem, a));
    if (a->is_infer) OP_TRY(op_attention_find_padding(problem, a));
    OP_TRY(count_weights(problem, a));
    OP_TRY(check_bias(problem, a));
    OP_TRY(check_mask(problem, a));
    OP_TRY(op_attention_find_rope(problem, a));
    if (a->is_infer) return op_attention_find_factors(problem, a);
    OP_TRY(check_drop(problem, a));
    return check_order(problem, a);
}

static aclnnStatus shapes(struct op_problem *problem)
{
    struct op_attention a;
    OP_TRY(op_attention_read(problem, &a));
    OP_TRY(op_attention_check_rope_grads(problem, &a));
    return check_results(problem, &a);
}

const struct op_rule op_rule_attention = {
    .types = types,
    .shapes = shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){op_attention_plan},
};
const struct op_rule op_rule_attention_grad = {
    .types = types,
    .shapes = shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){op_attention_plan_grad},
};
