/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and values of inference that are a tensor for each sequence: what these must be, and the
 * steps that put their rows behind each other, for attention reads one tensor. */
#include <inttypes.h>

#include "api/op_attention_plan.h"

static const struct ex_descriptor *part(const struct op_attention *a, int operand, int64_t i)
{
    return &a->value[operand]->tensors->elements[i]->descriptor;
}

static int64_t rows_of(const struct op_attention *a, int64_t i)
{
    return part(a, 1, i)->sizes[a->key_layout->rows];
}

/* A batch of 1, and as the first one but for its rows, of which a value has as many as its key. */
static aclnnStatus check_part(const struct op_problem *problem, const struct op_attention *a,
                              int operand, int64_t i)
{
    const struct op_attention_layout *l = a->key_layout;
    const struct op_value *list = a->value[operand];
    const struct ex_descriptor *d = part(a, operand, i), *first = part(a, operand, 0);
    const char *op = problem->row->name;
    bool fits = d->rank == l->rank && d->sizes[l->batch] == 1;
    struct op_shape_text text, other;
    for (int axis = 0; axis < l->rank && fits; axis++)
        fits = axis == l->rows || axis == l->batch || d->sizes[axis] == first->sizes[axis];
    OP_CHECK(op, fits, ACLNN_ERR_PARAM_INVALID,
             "%s[%" PRId64 "]'s shape is %s; it must have a batch of 1 and, but for the rows, the "
             "sizes of %s[0], %s",
             list->name, i, op_shape(&text, list->tensors->elements[i]), list->name,
             op_shape(&other, list->tensors->elements[0]));
    OP_CHECK(op, d->sizes[l->rows] == rows_of(a, i), ACLNN_ERR_PARAM_INVALID,
             "%s[%" PRId64 "] has %" PRId64 " rows; it must have as many as %s[%" PRId64
             "], %" PRId64,
             list->name, i, d->sizes[l->rows], a->value[1]->name, i, rows_of(a, i));
    return ACLNN_SUCCESS;
}

aclnnStatus op_attention_find_list(const struct op_problem *problem, struct op_attention *a)
{
    const char *op = problem->row->name, *name = a->value[1]->name;
    const uint64_t count = a->value[1]->tensors->size;
    int64_t all = 0;
    OP_CHECK(op, a->layout->batch >= 0, ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRIu64 " tensors; it must have one where inputLayout is %s", name, count,
             op_argument_named(problem, "inputLayout")->text);
    OP_CHECK(op, !a->table, ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRIu64 " tensors; it must have one where %s is given", name, count,
             a->table->name);
    OP_CHECK(op, count == (uint64_t)a->batch, ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRIu64 " tensors; it must have one, or one for each of %" PRId64
             " sequences",
             name, count, a->batch);
    a->keys = 0;
    for (int64_t i = 0; i < a->batch; i++) {
        for (int operand = 1; operand < 3; operand++)
            OP_TRY(check_part(problem, a, operand, i));
        OP_CHECK(op, rt_add_ok(all, rows_of(a, i), &all), ACLNN_ERR_PARAM_INVALID,
                 "rows of keys cannot be counted");
        if (rows_of(a, i) > a->keys) a->keys = rows_of(a, i);
    }
    OP_CHECK(op, rt_mul_ok(all, a->key_heads, &all) && rt_mul_ok(all, a->d * 8, &all),
             ACLNN_ERR_PARAM_INVALID, "keys of all sequences cannot be counted");
    return ACLNN_SUCCESS;
}

int64_t op_attention_list_rows(const struct op_attention *a, int64_t i)
{
    return rows_of(a, i);
}

aclnnStatus op_attention_check_list_lengths(const struct op_problem *problem,
                                            const struct op_attention *a,
                                            const struct op_value *lengths)
{
    for (int64_t i = 0; i < a->batch; i++) {
        const uint64_t at = lengths->ints->size == 1 ? 0 : (uint64_t)i;
        OP_CHECK(problem->row->name, lengths->ints->values[at] <= rows_of(a, i),
                 ACLNN_ERR_PARAM_INVALID,
                 "%s[%" PRIu64 "] is %" PRId64 "; it must be at most the rows of %s[%" PRId64
                 "], %" PRId64,
                 lengths->name, at, lengths->ints->values[at], a->value[1]->name, i, rows_of(a, i));
    }
    return ACLNN_SUCCESS;
}

/* ---- the steps ---- */

/* INT4, two to a byte, as bytes; all rows begin with one. */
static struct op_view bytes_of(struct op_view view)
{
    if (view.type != ACL_INT4) return view;
    view.type = ACL_UINT8;
    view.sizes[view.rank - 1] /= 2;
    for (int i = 0; i < view.rank - 1; i++)
        view.strides[i] /= 2;
    return view;
}

/* (rows, heads, columns) of the rows of sequence i that count. */
static struct op_view rows_view(const struct op_attention *a, const struct op_view *view, int64_t i)
{
    const struct op_attention_layout *l = a->key_layout;
    const struct k_attention_side side = op_attention_side(l, view, a->key_heads);
    const int64_t columns = view->sizes[l->columns] / (l->heads < 0 ? a->key_heads : 1);
    struct op_view rows = {.type = view->type, .rank = 3, .offset = view->offset};
    const int64_t sizes[] = {op_attention_length(a, true, i), a->key_heads, columns};
    const int64_t strides[] = {side.row, side.head, side.column};
    for (int axis = 0; axis < 3; axis++) {
        rows.sizes[axis] = sizes[axis];
        rows.strides[axis] = strides[axis];
    }
    return rows;
}

struct op_place op_attention_join_list(const struct op_attention_plan *p, int operand)
{
    const struct op_attention *a = &p->of;
    const int argument = op_attention_argument(p, a->value[operand]);
    struct op_place joined = {.buffer = -1};
    int64_t rows = 0;
    for (int64_t i = 0; i < a->batch; i++)
        rows += op_attention_length(a, true, i);
    for (int64_t i = 0; i < a->batch; i++) {
        struct op_place from = op_target(p->call, argument, (uint64_t)i);
        const struct op_view bytes = bytes_of(from.view);
        from.view = rows_view(a, &bytes, i);
        if (i == 0) {
            const int64_t sizes[] = {rows, from.view.sizes[1], from.view.sizes[2]};
            joined = op_scratch_place(p->call->plan, from.view.type, 3, sizes);
            rows = 0;
        }
        struct op_place to = joined;
        to.view = op_view_part(&joined.view, 0, rows, 1, from.view.sizes[0]);
        op_copy_place(p->call->plan, &from, &to);
        rows += from.view.sizes[0];
    }
    return joined;
}
