/* SPDX-License-Identifier: Apache-2.0 */
/* Attention of inference: keys that all sequences share, second parts of query and key, sequences
 * that stand at the end of their tensors. */
#include <string.h>

#include "api/op_attention.h"

const struct op_value *op_attention_given(const struct op_problem *problem, const char *name)
{
    const size_t length = strlen(name);
    for (int i = 0; i < problem->tensor_count; i++) {
        const struct op_value *value = problem->tensor[i];
        if (strncmp(value->name, name, length) != 0) continue;
        if (value->name[length] != '\0' && strcmp(value->name + length, "Optional") != 0) continue;
        return op_is_empty(value->tensor) ? NULL : value;
    }
    return NULL;
}

/* Both of a pair are given, or none. */
static aclnnStatus check_pair(const struct op_problem *problem,
                              const struct op_value *const pair[2], const char *what,
                              const char *of)
{
    OP_CHECK(problem->row->name, !pair[0] == !pair[1], ACLNN_ERR_PARAM_INVALID,
             "%s is given alone; %s must be given for %s together",
             (pair[0] ? pair[0] : pair[1])->name, what, of);
    return ACLNN_SUCCESS;
}

/* What is not for sequences behind each other, or for keys in blocks or lists. */
static aclnnStatus check_plain(const struct op_problem *problem, const struct op_attention *a,
                               const struct op_value *value)
{
    const char *op = problem->row->name;
    OP_CHECK(op, a->layout->batch >= 0, ACLNN_ERR_PARAM_INVALID,
             "%s is given; it must be NULL or empty where inputLayout is %s", value->name,
             op_argument_named(problem, "inputLayout")->text);
    OP_CHECK(op, !a->table, ACLNN_ERR_PARAM_INVALID,
             "%s is given; it must be NULL or empty where %s is given", value->name,
             a->table->name);
    OP_CHECK(op, !a->in_list, ACLNN_ERR_PARAM_INVALID,
             "%s is given; it must be NULL or empty where key has several tensors", value->name);
    return ACLNN_SUCCESS;
}

/* A tensor with the axes of another one, but for two. */
static aclnnStatus check_alike(const struct op_problem *problem, const struct op_value *value,
                               const aclTensor *like, int first, int64_t first_size, int second,
                               int64_t second_size)
{
    const struct ex_descriptor *d = &like->descriptor;
    int64_t sizes[4];
    memcpy(sizes, d->sizes, (size_t)d->rank * sizeof *sizes);
    sizes[first] = first_size;
    sizes[second] = second_size;
    return op_check_shape(problem, value, value->tensor, d->rank, sizes);
}

/* ---- keys of all sequences ---- */

static aclnnStatus find_shared_length(const struct op_problem *problem, struct op_attention *a,
                                      int64_t rows)
{
    const struct op_value *length = op_argument_named(problem, "actualSharedPrefixLenOptional");
    const char *op = problem->row->name;
    a->shared = rows;
    if (!length || !length->ints || length->ints->size == 0) return ACLNN_SUCCESS;
    OP_CHECK(op, length->ints->size == 1, ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRIu64 " entries; it must have one", length->name, length->ints->size);
    a->shared = length->ints->values[0];
    OP_CHECK(op, a->shared >= 0 && a->shared <= rows, ACLNN_ERR_PARAM_INVALID,
             "%s[0] is %" PRId64 "; it must be from 0 to the rows of %s, %" PRId64, length->name,
             a->shared, a->shared_from[0]->name, rows);
    return ACLNN_SUCCESS;
}

aclnnStatus op_attention_find_shared(const struct op_problem *problem, struct op_attention *a)
{
    const struct op_attention_layout *l = a->key_layout;
    const char *op = problem->row->name;
    const struct op_value *const pair[] = {op_attention_given(problem, "keySharedPrefix"),
                                           op_attention_given(problem, "valueSharedPrefix")};
    int64_t most = 0;
    OP_TRY(check_pair(problem, pair, "shared rows", "key and value"));
    if (!pair[0]) return ACLNN_SUCCESS;
    OP_TRY(check_plain(problem, a, pair[0]));
    OP_TRY(op_check_rank(op, pair[0]->name, pair[0]->tensor, l->rank, l->rank));
    const int64_t rows = pair[0]->tensor->descriptor.sizes[l->rows];
    for (int i = 0; i < 2; i++) {
        a->shared_from[i] = pair[i];
        OP_TRY(check_alike(problem, pair[i], a->tensor[1 + i], l->batch, 1, l->rows, rows));
    }
    OP_CHECK(op, rt_add_ok(rows, a->keys, &most), ACLNN_ERR_PARAM_INVALID,
             "rows of keys cannot be counted");
    return find_shared_length(problem, a, rows);
}

/* ---- second parts ---- */

/* The gradient puts both parts side by side, in one head. */
static aclnnStatus check_rope_size(const struct op_problem *problem, const struct op_attention *a)
{
    const char *op = problem->row->name;
    const int64_t columns = a->d + a->rope_columns;
    if (!op_argument_named(problem, "dkOut")) return ACLNN_SUCCESS;
    OP_CHECK(op, columns <= K_ATTENTION_HEAD, ACLNN_ERR_PARAM_INVALID,
             "a head has %" PRId64 " elements, and %" PRId64
             " in its second part; they must be at most %d together",
             a->d, a->rope_columns, K_ATTENTION_HEAD);
    for (int i = 0; i < 2; i++) {
        const struct ex_descriptor *d = &a->tensor[i]->descriptor;
        int64_t count = 0;
        ex_element_count(d->sizes, d->rank, &count);
        OP_CHECK(op, rt_mul_ok(count / a->d, 4 * columns, &count), ACLNN_ERR_PARAM_INVALID,
                 "both parts of %s cannot be counted", a->value[i]->name);
    }
    return ACLNN_SUCCESS;
}

/* (blocks, N, columns / width, blockSize, width), of any width. */
static aclnnStatus check_panels(const struct op_problem *problem, const struct op_attention *a,
                                const struct op_value *rope)
{
    const struct ex_descriptor *d = &rope->tensor->descriptor;
    int64_t columns = 0;
    struct op_shape_text text;
    OP_TRY(op_check_rank(problem->row->name, rope->name, rope->tensor, 5, 5));
    const bool fits = d->sizes[0] == a->blocks && d->sizes[1] == a->key_heads &&
                      d->sizes[3] == a->block && rt_mul_ok(d->sizes[2], d->sizes[4], &columns) &&
                      columns == a->rope_columns;
    OP_CHECK(problem->row->name, fits, ACLNN_ERR_PARAM_INVALID,
             "%s's shape is %s; it must be (%" PRId64 ", %" PRId64 ", %" PRId64 " / width, %" PRId64
             ", width)",
             rope->name, op_shape(&text, rope->tensor), a->blocks, a->key_heads, a->rope_columns,
             a->block);
    return ACLNN_SUCCESS;
}

/* NULL: there is none. One without elements is one where what it belongs to has none either. */
static const struct op_value *rope_of(const struct op_problem *problem,
                                      const struct op_attention *a, int operand)
{
    static const char *const names[2][3] = {{"queryRope", "queryRopeOptional", NULL},
                                            {"keyRope", "keyRopeOptional", "keyInRope"}};
    for (int i = 0; i < 3 && names[operand][i]; i++) {
        const struct op_value *value = op_argument_named(problem, names[operand][i]);
        if (!value || !value->tensor) continue;
        const struct ex_descriptor *d = &value->tensor->descriptor;
        const bool is_like = d->rank == a->tensor[operand]->descriptor.rank && d->rank > 0 &&
                             d->sizes[d->rank - 1] > 0;
        return !op_is_empty(value->tensor) || (op_is_empty(a->tensor[operand]) && is_like) ? value
                                                                                           : NULL;
    }
    return NULL;
}

aclnnStatus op_attention_find_rope(const struct op_problem *problem, struct op_attention *a)
{
    const struct op_attention_layout *const layouts[] = {a->layout, a->key_layout};
    const char *op = problem->row->name;
    const struct op_value *const pair[] = {rope_of(problem, a, 0), rope_of(problem, a, 1)};
    OP_TRY(check_pair(problem, pair, "second parts", "query and key"));
    if (!pair[0]) return ACLNN_SUCCESS;
    OP_CHECK(op, !a->is_quantised, ACLNN_ERR_PARAM_INVALID,
             "%s is given; it must be NULL or empty where key is quantised", pair[0]->name);
    OP_CHECK(op, !a->shared_from[0], ACLNN_ERR_PARAM_INVALID,
             "%s is given; it must be NULL or empty where %s is given", pair[0]->name,
             a->shared_from[0]->name);
    OP_CHECK(op, !a->in_list, ACLNN_ERR_PARAM_INVALID,
             "%s is given; it must be NULL or empty where key has several tensors", pair[0]->name);
    OP_TRY(op_check_rank(op, pair[0]->name, pair[0]->tensor, a->layout->rank, a->layout->rank));
    const int64_t size = pair[0]->tensor->descriptor.sizes[a->layout->columns];
    const int64_t heads = a->layout->heads < 0 ? a->heads : 1;
    a->rope_columns = size / heads;
    OP_CHECK(op, size % heads == 0 && a->rope_columns >= 1 && a->rope_columns <= K_ATTENTION_ROPE,
             ACLNN_ERR_PARAM_INVALID,
             "%s has rows of %" PRId64 " elements for %" PRId64
             " heads; a head must have from 1 to %d",
             pair[0]->name, size, heads, K_ATTENTION_ROPE);
    for (int i = 0; i < 2; i++) {
        const struct op_attention_layout *l = layouts[i];
        const int64_t count = l->heads >= 0 ? 1 : i == 0 ? a->heads : a->key_heads;
        const int64_t columns = count * a->rope_columns;
        a->rope[i] = pair[i];
        if (i == 1 && a->in_panels) {
            OP_TRY(check_panels(problem, a, pair[1]));
            continue;
        }
        OP_TRY(
            check_alike(problem, pair[i], a->tensor[i], l->columns, columns, l->columns, columns));
    }
    return check_rope_size(problem, a);
}

aclnnStatus op_attention_check_rope_grads(const struct op_problem *problem,
                                          const struct op_attention *a)
{
    static const char *const names[] = {"dqRopeOut", "dkRopeOut"};
    for (int i = 0; i < 2; i++) {
        const struct op_value *value = op_argument_named(problem, names[i]);
        if (!value) continue;
        OP_CHECK(problem->row->name, a->rope[i] || !value->tensor || op_is_empty(value->tensor),
                 ACLNN_ERR_PARAM_INVALID,
                 "%s is given; it must be NULL or empty where query has no second part",
                 value->name);
        if (!a->rope[i]) continue;
        OP_CHECK(problem->row->name, value->tensor, ACLNN_ERR_PARAM_NULLPTR,
                 "%s is NULL; it must be given where %s is", value->name, a->rope[i]->name);
        OP_TRY(op_check_same_shape(problem->row->name, value->name, value->tensor, a->rope[i]->name,
                                   a->rope[i]->tensor));
    }
    return ACLNN_SUCCESS;
}

/* ---- sequences at the end of their tensors ---- */

/* It counts only beside lengths; that of query only where there are several. */
aclnnStatus op_attention_find_padding(const struct op_problem *problem, struct op_attention *a)
{
    static const char *const names[] = {"queryPaddingSize", "kvPaddingSize"};
    for (int i = 0; i < 2; i++) {
        const struct op_value *padding = op_attention_given(problem, names[i]);
        int64_t count = 0;
        if (!padding) continue;
        const struct ex_descriptor *d = &padding->tensor->descriptor;
        ex_element_count(d->sizes, d->rank, &count);
        OP_CHECK(problem->row->name, count == 1, ACLNN_ERR_PARAM_INVALID,
                 "%s has %" PRId64 " elements; it must have one", padding->name, count);
        const bool is_left = i == 1 && !a->table && !a->in_list; /* may stand at the end */
        if (a->layout->batch >= 0 && a->queries == 1 && !is_left) continue;
        OP_TRY(check_plain(problem, a, padding));
        OP_CHECK(problem->row->name, !a->shared_from[0], ACLNN_ERR_PARAM_INVALID,
                 "%s is given; it must be NULL or empty where keySharedPrefixOptional is given",
                 padding->name);
        if (a->lengths[i]) a->padding[i] = padding;
    }
    return ACLNN_SUCCESS;
}
