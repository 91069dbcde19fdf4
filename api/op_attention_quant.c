/* SPDX-License-Identifier: Apache-2.0 */
/* Attention of inference: keys and values of INT8 or INT4, and results of INT8. */
#include <string.h>

#include "api/op_attention.h"

enum { CHANNEL, TOKEN, HEAD, TOKEN_AND_HEAD, TOKEN_IN_BLOCKS, TOKEN_AND_HEAD_IN_BLOCKS, MODES };

uint64_t op_attention_quantised_types(const struct op_problem *problem)
{
    const bool has_joint = op_attention_value(problem, "antiquantScale", "antiquantScaleOptional");
    const bool has_own = op_argument_named(problem, "keyAntiquantScaleOptional");
    return (has_joint ? OP_TYPE(ACL_INT8) : 0) |
           (has_own ? OP_TYPE(ACL_INT4) | OP_TYPE(ACL_INT32) : 0);
}

/* ---- keys and values ---- */

/* Whole bytes: a row of 4 bits is dense and all rows begin with a byte. */
static aclnnStatus check_four(const struct op_problem *problem, const char *name,
                              const aclTensor *tensor)
{
    const struct ex_descriptor *d = &tensor->descriptor;
    const bool is_packed = d->data_type == ACL_INT32;
    const char *op = problem->row->name;
    OP_CHECK(op, d->sizes[d->rank - 1] <= INT64_MAX / 8, ACLNN_ERR_PARAM_INVALID,
             "elements of %s cannot be counted", name);
    OP_CHECK(op, d->sizes[d->rank - 1] == 1 || d->strides[d->rank - 1] == 1,
             ACLNN_ERR_PARAM_INVALID,
             "%s is of 4 bits and has a last stride of %" PRId64 "; it must be 1", name,
             d->strides[d->rank - 1]);
    if (is_packed) return ACLNN_SUCCESS;
    OP_CHECK(op, d->offset % 2 == 0, ACLNN_ERR_PARAM_INVALID,
             "%s is of type INT4 and begins at element %" PRId64 "; it must be an even one", name,
             d->offset);
    for (int i = 0; i < d->rank - 1; i++)
        OP_CHECK(op, d->sizes[i] == 1 || d->strides[i] % 2 == 0, ACLNN_ERR_PARAM_INVALID,
                 "%s is of type INT4 and has a stride of %" PRId64 "; it must be even", name,
                 d->strides[i]);
    return ACLNN_SUCCESS;
}

/* Before sizes are known. */
aclnnStatus op_attention_find_quantised(const struct op_problem *problem, struct op_attention *a)
{
    const int32_t type = a->tensor[1]->descriptor.data_type;
    const struct op_value *const shared[] = {op_attention_given(problem, "keySharedPrefix"),
                                             op_attention_given(problem, "valueSharedPrefix")};
    a->is_quantised = type != a->tensor[0]->descriptor.data_type;
    a->is_four = a->is_quantised && type != ACL_INT8;
    a->packed = a->is_four && type == ACL_INT32 ? 8 : 1;
    OP_CHECK(problem->row->name, !a->is_quantised || a->layout->batch >= 0, ACLNN_ERR_PARAM_INVALID,
             "%s has data type %s; it must be query's where inputLayout is %s", a->value[1]->name,
             op_data_type_name((aclDataType)type), op_argument_named(problem, "inputLayout")->text);
    if (!a->is_four) return ACLNN_SUCCESS;
    OP_CHECK(problem->row->name, !a->table, ACLNN_ERR_PARAM_INVALID,
             "%s has data type %s; it must be query's or INT8 where %s is given", a->value[1]->name,
             op_data_type_name((aclDataType)type), a->table->name);
    for (int i = 0; i < 2; i++) {
        const aclTensorList *list = a->value[1 + i]->tensors;
        for (uint64_t j = 0; j < list->size; j++)
            if (list->elements[j]->descriptor.rank > 0)
                OP_TRY(check_four(problem, a->value[1 + i]->name, list->elements[j]));
        if (shared[i] && shared[i]->tensor->descriptor.rank > 0)
            OP_TRY(check_four(problem, shared[i]->name, shared[i]->tensor));
    }
    return ACLNN_SUCCESS;
}

/* ---- their factors ---- */

/* Axes of a scale by the mode: heads (N), columns (D), heads and columns (H), sequences (B), rows
 * (S), blocks (P), nothing (1). In front of them is an axis of 2, for keys and values, or one of 1,
 * which may be missing where there are other axes. */
static const char *const forms[MODES][5] = {
    [CHANNEL] = {"", "N1D", "1ND", "ND", "H"},
    [TOKEN] = {"BS"},
    [HEAD] = {"N"},
    [TOKEN_AND_HEAD] = {"BNS"},
    [TOKEN_IN_BLOCKS] = {"PS"},
    [TOKEN_AND_HEAD_IN_BLOCKS] = {"PNS"},
};
static const char *const form_names[MODES] = {
    [CHANNEL] = "(N, 1, D), (N, D) or (H), or have one element",
    [TOKEN] = "(B, S)",
    [HEAD] = "(N)",
    [TOKEN_AND_HEAD] = "(B, N, S)",
    [TOKEN_IN_BLOCKS] = "(blocks, blockSize)",
    [TOKEN_AND_HEAD_IN_BLOCKS] = "(blocks, N, blockSize)",
};

static bool fits_axis(const struct op_attention *a, int part, char axis, bool in_blocks,
                      int64_t size)
{
    const int64_t columns = part == 0 ? a->d : a->dv;
    switch (axis) {
    case 'N':
        return size == a->key_heads;
    case 'D':
        return size == columns;
    case 'H':
        return size % columns == 0 && size / columns == a->key_heads;
    case 'B':
        return size == a->batch;
    case 'S':
        return in_blocks ? size == a->block : size >= a->shared + a->keys;
    case 'P':
        return size == a->blocks;
    default:
        return size == 1;
    }
}

static bool fits_form(const struct op_attention *a, int part, const char *axes, int skipped,
                      const struct ex_descriptor *d)
{
    const int rank = (int)strlen(axes);
    if (d->rank != skipped + rank || d->rank == 0) return false;
    for (int i = 0; i < rank; i++)
        if (!fits_axis(a, part, axes[i], axes[0] == 'P', d->sizes[skipped + i])) return false;
    return true;
}

static aclnnStatus find_form(const struct op_problem *problem, const struct op_attention *a,
                             int part, int64_t mode, bool is_joint, struct op_attention_factors *f)
{
    const struct ex_descriptor *d = &f->scale->tensor->descriptor;
    const char *op = problem->row->name;
    struct op_shape_text text;
    for (int i = 0; i < 5 && forms[mode][i] && !f->axes; i++)
        for (int skipped = is_joint ? 1 : 0; skipped < 2 && !f->axes; skipped++) {
            if (skipped == 1 && (d->rank == 0 || d->sizes[0] != (is_joint ? 2 : 1))) continue;
            if (!fits_form(a, part, forms[mode][i], skipped, d)) continue;
            f->axes = forms[mode][i];
            f->skipped = skipped;
        }
    OP_CHECK(op, f->axes, ACLNN_ERR_PARAM_INVALID,
             "%s's shape is %s; %sit must be %s, where B is %" PRId64 ", N %" PRId64 ", D %" PRId64
             " and S at least %" PRId64,
             f->scale->name, op_shape(&text, f->scale->tensor),
             is_joint ? "behind an axis of 2 " : "", form_names[mode], a->batch, a->key_heads,
             part == 0 ? a->d : a->dv, a->shared + a->keys);
    f->part = is_joint ? part : 0;
    if (mode == CHANNEL || mode == HEAD) {
        if (f->scale->tensor->descriptor.data_type != ACL_FLOAT)
            OP_TRY(op_check_same_type(op, f->scale->name, f->scale->tensor, "query", a->tensor[0]));
    } else {
        OP_TRY(op_check_type(op, f->scale->name, f->scale->tensor, OP_TYPE(ACL_FLOAT), "FLOAT"));
    }
    if (!f->offset) return ACLNN_SUCCESS;
    OP_TRY(op_check_same_type(op, f->offset->name, f->offset->tensor, f->scale->name,
                              f->scale->tensor));
    return op_check_same_shape(op, f->offset->name, f->offset->tensor, f->scale->name,
                               f->scale->tensor);
}

static aclnnStatus check_mode(const struct op_problem *problem, const struct op_attention *a,
                              const char *name, int64_t last, int64_t *mode)
{
    *mode = op_integer_named(problem, name, CHANNEL);
    OP_CHECK(problem->row->name, *mode >= 0 && *mode <= last, ACLNN_ERR_PARAM_INVALID,
             "%s is %" PRId64 "; it must be from 0 to %" PRId64, name, *mode, last);
    OP_CHECK(problem->row->name, *mode < TOKEN_IN_BLOCKS || a->table, ACLNN_ERR_PARAM_INVALID,
             "%s is %" PRId64 "; it must be less where keys are not in blocks", name, *mode);
    return ACLNN_SUCCESS;
}

/* One scale for keys and one for values. */
static aclnnStatus find_own(const struct op_problem *problem, struct op_attention *a)
{
    static const char *const scales[] = {"keyAntiquantScale", "valueAntiquantScale"};
    static const char *const offsets[] = {"keyAntiquantOffset", "valueAntiquantOffset"};
    static const char *const modes[] = {"keyAntiquantMode", "valueAntiquantMode"};
    const char *op = problem->row->name;
    int64_t mode[2] = {0};
    for (int i = 0; i < 2; i++) {
        a->factors[i].scale = op_attention_given(problem, scales[i]);
        a->factors[i].offset = op_attention_given(problem, offsets[i]);
        OP_TRY(check_mode(problem, a, modes[i], MODES - 1, &mode[i]));
    }
    OP_CHECK(op, a->factors[1].scale, ACLNN_ERR_PARAM_INVALID,
             "valueAntiquantScaleOptional is NULL or empty; it must be given where "
             "keyAntiquantScaleOptional is");
    OP_CHECK(op, !a->factors[0].offset == !a->factors[1].offset, ACLNN_ERR_PARAM_INVALID,
             "%sAntiquantOffsetOptional is NULL or empty; both offsets must be given or none",
             a->factors[0].offset ? "value" : "key");
    OP_CHECK(op, mode[0] == mode[1] || (mode[0] == CHANNEL && mode[1] == TOKEN),
             ACLNN_ERR_PARAM_INVALID,
             "keyAntiquantMode is %" PRId64 " and valueAntiquantMode is %" PRId64
             "; they must be the same, or 0 and 1",
             mode[0], mode[1]);
    for (int i = 0; i < 2; i++)
        OP_TRY(find_form(problem, a, i, mode[i], false, &a->factors[i]));
    return ACLNN_SUCCESS;
}

static aclnnStatus find_joint(const struct op_problem *problem, struct op_attention *a)
{
    int64_t mode = CHANNEL;
    OP_TRY(check_mode(problem, a, "antiquantMode", TOKEN, &mode));
    for (int i = 0; i < 2; i++) {
        a->factors[i].scale = op_attention_given(problem, "antiquantScale");
        a->factors[i].offset = op_attention_given(problem, "antiquantOffset");
        OP_TRY(find_form(problem, a, i, mode, true, &a->factors[i]));
    }
    return ACLNN_SUCCESS;
}

/* Nothing that counts for quantised keys alone is given. */
static aclnnStatus check_none(const struct op_problem *problem, const struct op_attention *a)
{
    static const char *const names[] = {"antiquantScale",      "antiquantOffset",
                                        "keyAntiquantScale",   "keyAntiquantOffset",
                                        "valueAntiquantScale", "valueAntiquantOffset"};
    for (size_t i = 0; i < RT_LENGTH(names); i++) {
        const struct op_value *value = op_attention_given(problem, names[i]);
        OP_CHECK(problem->row->name, !value, ACLNN_ERR_PARAM_INVALID,
                 "%s is given; it must be NULL or empty where key is of query's type, %s",
                 value->name, op_data_type_name((aclDataType)a->tensor[0]->descriptor.data_type));
    }
    return ACLNN_SUCCESS;
}

/* ---- results ---- */

static aclnnStatus find_out(const struct op_problem *problem, struct op_attention *a)
{
    const struct op_value *out = op_argument_named(problem, "attentionOut");
    const struct op_value *scale = op_attention_given(problem, "quantScale2");
    const struct op_value *offset = op_attention_given(problem, "quantOffset2");
    const bool is_whole = out->tensor->descriptor.data_type == ACL_INT8;
    const char *op = problem->row->name;
    int64_t count = 0;
    if (!is_whole) {
        const struct op_value *other = scale ? scale : offset;
        OP_CHECK(op, !other, ACLNN_ERR_PARAM_INVALID,
                 "%s is given; it must be NULL or empty where attentionOut is not of type INT8",
                 other->name);
        return ACLNN_SUCCESS;
    }
    OP_CHECK(op, a->layout->batch >= 0, ACLNN_ERR_PARAM_INVALID,
             "attentionOut has data type INT8; it must be query's where inputLayout is %s",
             op_argument_named(problem, "inputLayout")->text);
    OP_CHECK(op, scale, ACLNN_ERR_PARAM_NULLPTR,
             "%s is NULL or empty; it must be given where attentionOut is of type INT8",
             op_attention_value(problem, "quantScale2", "quantScale2Optional")->name);
    const struct ex_descriptor *d = &scale->tensor->descriptor;
    ex_element_count(d->sizes, d->rank, &count);
    OP_CHECK(op, count == 1 || (count % a->dv == 0 && count / a->dv == a->heads),
             ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRId64 " elements; it must have one, or one for each of %" PRId64
             " columns of %" PRId64 " heads",
             scale->name, count, a->dv, a->heads);
    OP_CHECK(op, d->data_type != ACL_BF16 || a->tensor[0]->descriptor.data_type == ACL_BF16,
             ACLNN_ERR_PARAM_INVALID, "%s has data type BF16; it must be FLOAT where query is %s",
             scale->name, op_data_type_name((aclDataType)a->tensor[0]->descriptor.data_type));
    a->out_scale = scale;
    if (!offset) return ACLNN_SUCCESS;
    a->out_offset = offset;
    OP_TRY(op_check_same_type(op, offset->name, offset->tensor, scale->name, scale->tensor));
    return op_check_same_shape(op, offset->name, offset->tensor, scale->name, scale->tensor);
}

/* Once sizes are known. */
aclnnStatus op_attention_find_factors(const struct op_problem *problem, struct op_attention *a)
{
    const char *op = problem->row->name;
    const bool has_own = op_attention_given(problem, "keyAntiquantScale");
    OP_TRY(find_out(problem, a));
    if (a->is_whole) return op_attention_find_whole(problem, a);
    if (!a->is_quantised) return check_none(problem, a);
    if (a->batch == 0 || a->shared + a->keys == 0) return ACLNN_SUCCESS; /* nothing is read */
    OP_CHECK(op,
             !a->is_four ||
                 (a->d % (a->packed > 1 ? 8 : 2) == 0 && a->dv % (a->packed > 1 ? 8 : 2) == 0),
             ACLNN_ERR_PARAM_INVALID,
             "heads of %s and value have %" PRId64 " and %" PRId64
             " elements of 4 bits; they must be multiples of %d",
             a->value[1]->name, a->d, a->dv, a->packed > 1 ? 8 : 2);
    OP_CHECK(
        op, has_own || (!a->is_four && op_attention_given(problem, "antiquantScale")),
        ACLNN_ERR_PARAM_NULLPTR, "%s is NULL or empty; it must be given where %s is of type %s",
        a->is_four ? "keyAntiquantScaleOptional"
                   : op_attention_value(problem, "antiquantScale", "antiquantScaleOptional")->name,
        a->value[1]->name, op_data_type_name((aclDataType)a->tensor[1]->descriptor.data_type));
    return has_own ? find_own(problem, a) : find_joint(problem, a);
}
