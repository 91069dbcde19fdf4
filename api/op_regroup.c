/* SPDX-License-Identifier: Apache-2.0 */
/* Elements that are regrouped: aclnnChunkCat, aclnnConfusionTranspose; signs as bits and back. */
#include <string.h>

#include "api/op_rule.h"
#include "api/op_shape.h"
#include "kernels/shape/k_shape.h"

/* Elements side by side, in another shape. */
static struct op_place shaped(const struct op_place *dense, int rank, const int64_t *sizes)
{
    struct op_place place = {dense->buffer, op_view_dense(dense->view.type, rank, sizes)};
    place.view.offset = dense->view.offset;
    return place;
}

/* ---- aclnnChunkCat ---- */

enum { CHUNK_LIST, CHUNK_DIM, CHUNK_COUNT, CHUNK_OUT };

static bool is_half(aclDataType type)
{
    return type == ACL_FLOAT16 || type == ACL_BF16;
}

/* The tensors have one type; out has it, or FLOAT where they have a half type. */
static aclnnStatus chunk_types(struct op_problem *problem)
{
    const struct op_row *row = problem->row;
    const struct op_value *list = &problem->values[CHUNK_LIST], *out = &problem->values[CHUNK_OUT];
    const aclTensorList *tensors = list->tensors;
    OP_CHECK(row->name, tensors->size > 0, ACLNN_ERR_PARAM_INVALID,
             "tensors is empty; it must have at least one");
    for (uint64_t i = 0; i < tensors->size; i++) {
        OP_TRY(op_check_type(row->name, list->name, tensors->elements[i], row->types,
                             row->type_names));
        OP_TRY(op_check_same_type(row->name, list->name, tensors->elements[i], "tensors[0]",
                                  tensors->elements[0]));
    }
    OP_TRY(op_check_type(row->name, out->name, out->tensor, row->types, row->type_names));
    problem->type = (aclDataType)tensors->elements[0]->descriptor.data_type;
    problem->result = (aclDataType)out->tensor->descriptor.data_type;
    OP_CHECK(row->name,
             problem->result == problem->type ||
                 (problem->result == ACL_FLOAT && is_half(problem->type)),
             ACLNN_ERR_PARAM_INVALID,
             "out's data type is %s, that of tensors %s; it must be the same, or FLOAT of a half "
             "type",
             op_data_type_name(problem->result), op_data_type_name(problem->type));
    return ACLNN_SUCCESS;
}

/* How the first axis of a tensor is cut: rows of a chunk, elements of a row. */
struct chunks {
    int64_t rows, row;
};

static struct chunks chunks_of(const aclTensor *tensor, int64_t count)
{
    const struct ex_descriptor *d = &tensor->descriptor;
    return (struct chunks){.rows = d->sizes[0] / count + (d->sizes[0] % count != 0),
                           .row = op_element_count(d->rank - 1, d->sizes + 1)};
}

static aclnnStatus chunk_shapes(struct op_problem *problem)
{
    const struct op_value *values = problem->values, *out = &values[CHUNK_OUT];
    const aclTensorList *list = values[CHUNK_LIST].tensors;
    const int64_t count = values[CHUNK_COUNT].integer;
    int64_t width = 0;
    OP_CHECK(problem->row->name, values[CHUNK_DIM].integer == 0, ACLNN_ERR_PARAM_INVALID,
             "dim is %" PRId64 "; it must be 0", values[CHUNK_DIM].integer);
    OP_CHECK(problem->row->name, count > 0, ACLNN_ERR_PARAM_INVALID,
             "numChunks is %" PRId64 "; it must be at least 1", count);
    for (uint64_t i = 0; i < list->size; i++) {
        OP_TRY(op_check_rank(problem->row->name, "tensors", list->elements[i], 1, EX_MAX_RANK));
        const struct chunks c = chunks_of(list->elements[i], count);
        OP_CHECK(problem->row->name, !__builtin_add_overflow(width, c.rows * c.row, &width),
                 ACLNN_ERR_PARAM_INVALID, "tensors has more elements than can be counted");
    }
    return op_check_shape(problem, out, out->tensor, 2, (const int64_t[]){count, width});
}

/* The elements of one tensor, whose columns begin at `at`; what chunks lack is 0. */
static void place_chunks(const struct op_shape_call *call, uint64_t i, const struct op_place *out,
                         int64_t at)
{
    const aclTensor *tensor = call->problem->values[CHUNK_LIST].tensors->elements[i];
    const int64_t count = out->view.sizes[0];
    const struct chunks c = chunks_of(tensor, count);
    const int64_t width = c.rows * c.row, elements = tensor->descriptor.sizes[0] * c.row;
    if (elements == 0) return; /* and no columns */
    const int64_t whole = elements / width, left = elements % width;
    struct op_place source = op_target(call, CHUNK_LIST, i), to = *out;
    if (!op_view_is_dense(&source.view)) {
        const struct op_place copy = op_scratch_like(call->plan, &source.view);
        op_copy_place(call->plan, &source, &copy);
        source = copy;
    }
    const struct op_place from = shaped(&source, 2, (const int64_t[]){whole, width});
    const struct op_view columns = op_view_part(&out->view, 1, at, 1, width);
    to.view = op_view_part(&columns, 0, 0, 1, whole);
    op_copy_place(call->plan, &from, &to);
    if (whole == count) return;
    struct op_place rest = shaped(&source, 2, (const int64_t[]){1, left});
    const struct op_view last = op_view_part(&columns, 0, whole, 1, 1);
    rest.view.offset += whole * width;
    to.view = op_view_part(&last, 1, 0, 1, left);
    op_copy_place(call->plan, &rest, &to);
    to.view = op_view_part(&last, 1, left, 1, width - left);
    op_fill_place(call->plan, &to, 0, 0);
    to.view = op_view_part(&columns, 0, whole + 1, 1, count - whole - 1);
    op_fill_place(call->plan, &to, 0, 0);
}

static void chunk_cat(const struct op_shape_call *call)
{
    const aclTensorList *list = call->problem->values[CHUNK_LIST].tensors;
    const struct op_place out = op_apart_target(call, CHUNK_LIST, CHUNK_OUT);
    int64_t at = 0;
    if (op_view_is_empty(&out.view)) return;
    for (uint64_t i = 0; i < list->size; i++) {
        const struct chunks c = chunks_of(list->elements[i], out.view.sizes[0]);
        place_chunks(call, i, &out, at);
        at += c.rows * c.row;
    }
    op_deliver(call, &out, CHUNK_OUT);
}

const struct op_rule op_rule_chunk_cat = {
    .types = chunk_types,
    .shapes = chunk_shapes,
    .runs_empty = true, /* some tensor of the list may be empty */
    .more = &(const struct op_shape_rule){chunk_cat},
};

/* ---- aclnnConfusionTranspose ---- */

enum { TURN_X, TURN_PERM, TURN_SHAPE, TURN_FIRST, TURN_OUT };

/* perm names each of `rank` axes once. */
static aclnnStatus check_perm(const struct op_problem *problem, const char *what, int rank)
{
    const aclIntArray *perm = problem->values[TURN_PERM].ints;
    unsigned seen = 0;
    OP_CHECK(problem->row->name, perm->size == (uint64_t)rank, ACLNN_ERR_PARAM_INVALID,
             "perm has %" PRIu64 " elements; it must have as many as %s, %d", perm->size, what,
             rank);
    for (int i = 0; i < rank; i++) {
        const int64_t axis = perm->values[i];
        OP_CHECK(problem->row->name, axis >= 0 && axis < rank && (seen >> axis & 1) == 0,
                 ACLNN_ERR_PARAM_INVALID,
                 "perm[%d] is %" PRId64 "; perm must have each axis from 0 to %d once", i, axis,
                 rank - 1);
        seen |= 1U << axis;
    }
    return ACLNN_SUCCESS;
}

/* A view with its axes in perm's order. */
static struct op_view turned(const struct op_problem *problem, const struct op_view *view)
{
    const aclIntArray *perm = problem->values[TURN_PERM].ints;
    struct op_view made = *view;
    for (int i = 0; i < view->rank; i++) {
        made.sizes[i] = view->sizes[perm->values[i]];
        made.strides[i] = view->strides[perm->values[i]];
    }
    return made;
}

static aclnnStatus turn_shapes(struct op_problem *problem)
{
    const struct op_value *out = &problem->values[TURN_OUT];
    const struct ex_descriptor *x = &problem->values[TURN_X].tensor->descriptor;
    const aclIntArray *shape = problem->values[TURN_SHAPE].ints;
    const bool is_first = problem->values[TURN_FIRST].integer != 0;
    int64_t elements = 1;
    OP_CHECK(problem->row->name, shape->size <= EX_MAX_RANK, ACLNN_ERR_PARAM_INVALID,
             "shape has %" PRIu64 " elements; it must have at most %d", shape->size, EX_MAX_RANK);
    for (uint64_t i = 0; i < shape->size; i++)
        OP_CHECK(problem->row->name,
                 shape->values[i] >= 0 &&
                     !__builtin_mul_overflow(elements, shape->values[i], &elements),
                 ACLNN_ERR_PARAM_INVALID, "shape[%" PRIu64 "] is %" PRId64 "; that is no size", i,
                 shape->values[i]);
    OP_CHECK(problem->row->name, elements == op_element_count(x->rank, x->sizes),
             ACLNN_ERR_PARAM_INVALID, "shape is that of %" PRId64 " elements; x has %" PRId64,
             elements, op_element_count(x->rank, x->sizes));
    OP_TRY(check_perm(problem, is_first ? "x has dimensions" : "shape has elements",
                      is_first ? x->rank : (int)shape->size));
    const struct op_view view = op_view_dense(problem->type, (int)shape->size, shape->values);
    const struct op_view made = is_first ? view : turned(problem, &view);
    return op_check_shape(problem, out, out->tensor, made.rank, made.sizes);
}

static void turn(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const aclIntArray *shape = problem->values[TURN_SHAPE].ints;
    if (problem->values[TURN_FIRST].integer) {
        const struct op_place to = op_dense_target(call, TURN_OUT);
        struct op_place from = op_source(call, TURN_X, 0);
        const struct op_view own = from.view;
        from.view = turned(problem, &own);
        const struct op_place made = shaped(&to, from.view.rank, from.view.sizes);
        op_copy_place(call->plan, &from, &made);
        op_deliver(call, &to, TURN_OUT);
        return;
    }
    const struct op_place source = op_dense_source(call, TURN_X);
    const struct op_place to = op_target(call, TURN_OUT, 0);
    struct op_place from = shaped(&source, (int)shape->size, shape->values);
    const struct op_view own = from.view;
    from.view = turned(problem, &own);
    op_copy_place(call->plan, &from, &to);
}

const struct op_rule op_rule_confusion_transpose = {
    .types = op_one_type,
    .shapes = turn_shapes,
    .more = &(const struct op_shape_rule){turn},
};

/* ---- aclnnSignBitsPack, aclnnSignBitsUnpack ---- */

enum { SIGN_SELF, SIGN_SIZE, SIGN_OUT, SIGN_DTYPE = SIGN_OUT, SIGN_UNPACKED };

static const uint64_t BYTES = OP_TYPE(ACL_UINT8);

static aclnnStatus pack_types(struct op_problem *problem)
{
    const struct op_row *row = problem->row;
    OP_TRY(op_check_type(row->name, "self", problem->values[SIGN_SELF].tensor, row->types,
                         row->type_names));
    problem->type = (aclDataType)problem->values[SIGN_SELF].tensor->descriptor.data_type;
    return op_check_type(row->name, "out", problem->values[SIGN_OUT].tensor, BYTES, "UINT8");
}

static aclnnStatus unpack_types(struct op_problem *problem)
{
    const struct op_row *row = problem->row;
    const struct op_value *out = &problem->values[SIGN_UNPACKED];
    OP_TRY(op_check_type(row->name, "self", problem->values[SIGN_SELF].tensor, BYTES, "UINT8"));
    OP_TRY(op_check_type(row->name, "out", out->tensor, row->types, row->type_names));
    problem->type = (aclDataType)out->tensor->descriptor.data_type;
    OP_CHECK(row->name, (int64_t)problem->type == problem->values[SIGN_DTYPE].integer,
             ACLNN_ERR_PARAM_INVALID, "out's data type is %s; dtype asks for %s",
             op_data_type_name(problem->type),
             op_data_type_name((aclDataType)problem->values[SIGN_DTYPE].integer));
    return ACLNN_SUCCESS;
}

/* out has `size` rows of what there is. */
static aclnnStatus check_rows(const struct op_problem *problem, int out, int64_t elements)
{
    const int64_t size = problem->values[SIGN_SIZE].integer;
    OP_CHECK(problem->row->name, size > 0 && elements % size == 0, ACLNN_ERR_PARAM_INVALID,
             "size is %" PRId64 "; it must divide the number of out's elements, %" PRId64, size,
             elements);
    return op_check_shape(problem, &problem->values[out], problem->values[out].tensor, 2,
                          (const int64_t[]){size, elements / size});
}

static aclnnStatus pack_shapes(struct op_problem *problem)
{
    const aclTensor *self = problem->values[SIGN_SELF].tensor;
    OP_TRY(op_check_rank(problem->row->name, "self", self, 1, 1));
    const int64_t count = self->descriptor.sizes[0];
    return check_rows(problem, SIGN_OUT, count / 8 + (count % 8 != 0));
}

static aclnnStatus unpack_shapes(struct op_problem *problem)
{
    const aclTensor *self = problem->values[SIGN_SELF].tensor;
    OP_TRY(op_check_rank(problem->row->name, "self", self, 1, 1));
    OP_CHECK(problem->row->name, self->descriptor.sizes[0] <= INT64_MAX / 8,
             ACLNN_ERR_PARAM_INVALID, "self has %" PRId64 " elements; those are too many",
             self->descriptor.sizes[0]);
    return check_rows(problem, SIGN_UNPACKED, 8 * self->descriptor.sizes[0]);
}

static void signs(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const bool packs = problem->count == SIGN_OUT + 1;
    const int out = packs ? SIGN_OUT : SIGN_UNPACKED;
    const int64_t size = problem->values[SIGN_SELF].tensor->descriptor.sizes[0];
    const struct op_place from = op_dense_source(call, SIGN_SELF), to = op_dense_target(call, out);
    const struct k_signs k = {
        .dtype = op_k_dtype_of(problem->type), .packs = packs, .count = packs ? size : 8 * size};
    ex_step(call->plan, "signs", k_signs, &k, sizeof k, k_signs_work(&k),
            EX_BUFFERS(from.buffer, to.buffer));
    op_deliver(call, &to, out);
}

const struct op_rule op_rule_pack_signs = {
    .types = pack_types,
    .shapes = pack_shapes,
    .more = &(const struct op_shape_rule){signs},
};
const struct op_rule op_rule_unpack_signs = {
    .types = unpack_types,
    .shapes = unpack_shapes,
    .more = &(const struct op_shape_rule){signs},
};
