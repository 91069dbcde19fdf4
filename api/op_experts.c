/* SPDX-License-Identifier: Apache-2.0 */
/* Products of rows of experts, in small integers. */
#include "api/op_experts.h"

#include <stdio.h>

#include "api/op_group.h"
#include "kernels/kernels.h"

enum { NZ_ROWS = 16 };

/* ---- what is given ---- */

static uint64_t count_of(const struct op_value *value)
{
    return op_is_list(value) ? value->tensors->size : 1;
}

static const aclTensor *tensor_of(const struct op_value *value, uint64_t i)
{
    return op_is_list(value) ? value->tensors->elements[i] : value->tensor;
}

static const struct ex_descriptor *descriptor_of(const struct op_value *value, uint64_t i)
{
    return &tensor_of(value, i)->descriptor;
}

static int64_t in_element(const struct ex_descriptor *d)
{
    return d->data_type == ACL_INT32 ? 8 : 1;
}

/* Axes of a matrix of the weight: two, or four as FRACTAL_NZ lies. */
static bool is_nz(const struct ex_descriptor *d, bool is_joint)
{
    return d->rank == 4 + is_joint;
}

bool op_experts_is_four(const struct op_experts *e)
{
    return op_group_is_four(descriptor_of(e->weight, 0)->data_type);
}

struct op_experts_sizes op_experts_sizes_of(const struct op_experts *e)
{
    const struct ex_descriptor *x = descriptor_of(e->x, 0), *weight = descriptor_of(e->weight, 0);
    const struct ex_descriptor *scale = e->scale ? descriptor_of(e->scale, 0) : NULL;
    struct op_experts_sizes s = {.m = x->sizes[0], .k = x->sizes[1] * in_element(x), .parts = 1};
    s.is_joint = count_of(e->weight) == 1 && weight->rank % 2 == 1;
    s.is_four = op_experts_is_four(e);
    s.experts = s.is_joint ? weight->sizes[0] : (int64_t)count_of(e->weight);
    s.groups = e->list->tensor->descriptor.sizes[0];
    if (s.is_four && scale && scale->rank == 2 + s.is_joint) s.parts = scale->sizes[s.is_joint];
    return s;
}

/* ---- checks ---- */

static aclnnStatus check_all(const struct op_problem *problem, const struct op_value *value,
                             uint64_t types, const char *names)
{
    if (!value) return ACLNN_SUCCESS;
    OP_CHECK(problem->row->name, count_of(value) > 0, ACLNN_ERR_PARAM_INVALID, "%s has no tensor",
             value->name);
    OP_CHECK(problem->row->name, count_of(value) <= OP_GROUP_TENSORS, ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRIu64 " tensors; it may have at most %d", value->name, count_of(value),
             (int)OP_GROUP_TENSORS);
    for (uint64_t i = 0; i < count_of(value); i++) {
        OP_CHECK(problem->row->name, tensor_of(value, i), ACLNN_ERR_PARAM_NULLPTR,
                 "%s[%" PRIu64 "] is NULL", value->name, i);
        OP_TRY(op_check_type(problem->row->name, value->name, tensor_of(value, i), types, names));
        if (i > 0)
            OP_TRY(op_check_same_type(problem->row->name, value->name, tensor_of(value, i),
                                      value->name, tensor_of(value, 0)));
    }
    return ACLNN_SUCCESS;
}

aclnnStatus op_experts_check_types(const struct op_problem *problem, const struct op_experts *e)
{
    const char *name = problem->row->name;
    const uint64_t fours = OP_TYPE(ACL_INT4) | OP_TYPE(ACL_INT32);
    OP_TRY(check_all(problem, e->weight, OP_TYPE(ACL_INT8) | fours, "INT8, INT4, INT32"));
    const bool is_four = op_experts_is_four(e);
    const bool is_small_x = is_four && e->takes_fours && !e->bias;
    OP_TRY(op_check_type(name, e->x->name, e->x->tensor,
                         OP_TYPE(ACL_INT8) | (is_small_x ? fours : 0),
                         is_small_x ? "INT8, INT4, INT32" : "INT8"));
    const bool takes_eight = is_four && e->x->tensor->descriptor.data_type == ACL_INT8;
    OP_CHECK(name, !takes_eight || e->bias, ACLNN_ERR_PARAM_NULLPTR,
             "the weights are INT4 and x INT8, whose products need a bias of 8 times the scaled "
             "sums of the weights; it is NULL");
    OP_TRY(check_all(problem, e->scale,
                     is_four ? OP_TYPE(ACL_UINT64) | OP_TYPE(ACL_INT64)
                             : OP_TYPE(ACL_FLOAT) | OP_TYPE(ACL_FLOAT16) | OP_TYPE(ACL_BF16),
                     is_four ? "UINT64, INT64 where weights are INT4" : "FLOAT, FLOAT16, BF16"));
    OP_TRY(check_all(problem, e->bias,
                     is_four ? OP_TYPE(ACL_FLOAT) : OP_TYPE(ACL_FLOAT) | OP_TYPE(ACL_BF16),
                     is_four ? "FLOAT where weights are INT4" : "FLOAT, BF16"));
    OP_TRY(check_all(problem, e->offset, OP_TYPE(ACL_FLOAT), "FLOAT"));
    OP_CHECK(name, !e->offset || is_four, ACLNN_ERR_PARAM_INVALID,
             "%s is given and the weights are INT8; it must be NULL", e->offset->name);
    OP_TRY(check_all(problem, e->token, OP_TYPE(ACL_FLOAT), "FLOAT"));
    return op_check_type(name, e->list->name, e->list->tensor, OP_TYPE(ACL_INT64), "INT64");
}

/* A weight's axes: its sizes, and of INT4 that it lies as the kernels read it. */
static aclnnStatus check_weight(const struct op_problem *problem, const struct op_experts *e,
                                const struct op_experts_sizes *s, uint64_t i)
{
    struct op_shape_text text;
    const char *name = problem->row->name, *own = e->weight->name;
    const aclTensor *tensor = tensor_of(e->weight, i);
    const struct ex_descriptor *d = &tensor->descriptor;
    const int first = s->is_joint, last = d->rank - 1;
    OP_CHECK(name, d->rank == 2 + first || is_nz(d, s->is_joint), ACLNN_ERR_PARAM_INVALID,
             "%s[%" PRIu64 "]'s shape is %s; it must have %d dimensions, or %d as FRACTAL_NZ lies",
             own, i, op_shape(&text, tensor), 2 + first, 4 + first);
    if (is_nz(d, s->is_joint)) {
        const int64_t wide = d->data_type == ACL_INT8 ? 32 : 64, in = in_element(d);
        const bool is_block = d->sizes[last] == wide / in && d->sizes[last - 1] == NZ_ROWS &&
                              (d->data_type != ACL_INT4 || d->offset % 2 == 0);
        const int64_t columns = is_block ? d->sizes[first] * wide : -1;
        const int64_t rows = is_block ? d->sizes[first + 1] * NZ_ROWS : -1;
        const bool fits =
            columns >= e->n && columns - e->n < wide && rows >= s->k && rows - s->k < NZ_ROWS;
        const struct op_view view = op_view_of(tensor);
        OP_CHECK(
            name, fits && (op_view_is_empty(&view) || op_view_is_dense(&view)) && !e->is_transposed,
            ACLNN_ERR_PARAM_INVALID,
            "%s[%" PRIu64 "]'s shape is %s; as FRACTAL_NZ, dense and not transposed, of %" PRId64
            " rows and %" PRId64 " columns it must end with (%" PRId64 ", %" PRId64 ", 16, %" PRId64
            ")",
            own, i, op_shape(&text, tensor), s->k, e->n, e->n / wide + (e->n % wide != 0),
            s->k / NZ_ROWS + (s->k % NZ_ROWS != 0), wide / in);
        return ACLNN_SUCCESS;
    }
    const int64_t columns =
        d->sizes[last - e->is_transposed] * (e->is_transposed ? 1 : in_element(d));
    OP_CHECK(name, d->sizes[last - !e->is_transposed] == s->k && columns == e->n,
             ACLNN_ERR_PARAM_INVALID,
             "%s[%" PRIu64 "]'s shape is %s; it must have %" PRId64
             " rows, as x columns, and %" PRId64 " columns, as the result says",
             own, i, op_shape(&text, tensor), s->k, e->n);
    if (!s->is_four) return ACLNN_SUCCESS;
    const bool is_even =
        d->data_type == ACL_INT32 ||
        ((d->sizes[last - 1] <= 1 || d->strides[last - 1] % 2 == 0) &&
         (first == 0 || d->sizes[0] <= 1 || d->strides[0] % 2 == 0) && d->offset % 2 == 0);
    OP_CHECK(name,
             !e->is_transposed && (d->sizes[last] <= 1 || d->strides[last] == 1) && is_even &&
                 e->n % 2 == 0,
             ACLNN_ERR_PARAM_INVALID,
             "%s[%" PRIu64 "] holds INT4 in rows of %" PRId64
             "; they must be even, side by side, begin at whole bytes and not be transposed",
             own, i, e->n);
    return ACLNN_SUCCESS;
}

/* A row of n numbers for each expert, or where takes_parts several, one for each part of k. */
static aclnnStatus check_factor(const struct op_problem *problem, const struct op_experts *e,
                                const struct op_experts_sizes *s, const struct op_value *value,
                                int64_t parts, bool has_parts)
{
    struct op_shape_text text;
    if (!value) return ACLNN_SUCCESS;
    OP_CHECK(problem->row->name, count_of(value) == count_of(e->weight), ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRIu64 " tensors, %s %" PRIu64 "; they must be as many", value->name,
             count_of(value), e->weight->name, count_of(e->weight));
    for (uint64_t i = 0; i < count_of(value); i++) {
        const struct ex_descriptor *d = descriptor_of(value, i);
        const bool in_parts = d->rank == 2 + s->is_joint;
        const bool fits = (d->rank == 1 + s->is_joint || (has_parts && in_parts)) &&
                          (!s->is_joint || d->sizes[0] == s->experts) &&
                          d->sizes[d->rank - 1] == e->n &&
                          (in_parts ? d->sizes[s->is_joint] : 1) == parts;
        OP_CHECK(problem->row->name, fits, ACLNN_ERR_PARAM_INVALID,
                 "%s[%" PRIu64 "]'s shape is %s; it must be (%s%" PRId64 ")%s, with %" PRId64
                 " parts of the terms",
                 value->name, i, op_shape(&text, tensor_of(value, i)),
                 s->is_joint ? "experts, " : "", e->n,
                 has_parts ? ", or have a dimension of parts of the terms before the last" : "",
                 parts);
    }
    return ACLNN_SUCCESS;
}

aclnnStatus op_experts_check_shapes(const struct op_problem *problem, const struct op_experts *e)
{
    const char *name = problem->row->name;
    OP_TRY(op_check_rank(name, e->x->name, e->x->tensor, 2, 2));
    OP_TRY(op_check_rank(name, e->list->name, e->list->tensor, 1, 1));
    for (uint64_t i = 0; i < count_of(e->weight); i++)
        OP_TRY(op_check_rank(name, e->weight->name, tensor_of(e->weight, i), 2, 5));
    const struct op_experts_sizes s = op_experts_sizes_of(e);
    const struct op_view x = op_view_of(e->x->tensor);
    OP_CHECK(name, s.k >= 1, ACLNN_ERR_PARAM_INVALID, "x has no columns; there must be at least 1");
    OP_CHECK(name,
             !op_group_is_four((int32_t)x.type) ||
                 ((op_view_is_empty(&x) || op_view_is_dense(&x)) && s.k % 2 == 0),
             ACLNN_ERR_PARAM_INVALID,
             "x holds INT4 in rows of %" PRId64 "; they must be even, and all of x dense", s.k);
    OP_CHECK(name, s.groups >= 1 && s.groups <= s.experts && s.groups <= OP_GROUP_MOST,
             ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRId64 " groups; there are %" PRId64 " weights, and at most %d groups",
             e->list->name, s.groups, s.experts, (int)OP_GROUP_MOST);
    for (uint64_t i = 0; i < count_of(e->weight); i++)
        OP_TRY(check_weight(problem, e, &s, i));
    OP_CHECK(name, s.parts >= 1 && s.k % s.parts == 0, ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRId64 " parts of the terms; the %" PRId64
             " terms must be a multiple of them",
             e->scale->name, s.parts, s.k);
    OP_TRY(check_factor(problem, e, &s, e->scale, s.parts, true));
    OP_TRY(check_factor(problem, e, &s, e->bias, 1, false));
    OP_CHECK(name, !e->offset || s.parts == 1, ACLNN_ERR_PARAM_INVALID,
             "%s is given and %s has %" PRId64 " parts of the terms; it may have one",
             e->offset->name, e->scale->name, s.parts);
    OP_TRY(check_factor(problem, e, &s, e->offset, 1, true));
    return e->token ? op_check_shape(problem, e->token, e->token->tensor, 1, &s.m) : ACLNN_SUCCESS;
}

/* ---- the table ---- */

static void describe_list(const void *parameters, void *const buffers[], int64_t position,
                          char *text, size_t size)
{
    const struct k_group_ranges *r = parameters;
    const int64_t *list = buffers[K_GROUP_LIST];
    const struct k_group_range *ranges = buffers[K_GROUP_TABLE];
    const bool is_pair = r->form == K_GROUP_PAIRS, is_weight = is_pair && position % 2 == 0;
    const int64_t group = is_pair ? position / 2 : position, begin = ranges[group].begin;
    if (is_weight)
        snprintf(text, size, "%s[%" PRId64 "][0] is %" PRId64 "; there are %" PRId64 " groups",
                 r->name, group, list[position], r->weights);
    else
        snprintf(text, size,
                 "%s[%" PRId64 "]%s is %" PRId64 "; the group begins at row %" PRId64
                 " and must end there or behind, at most at %" PRId64,
                 r->name, group, is_pair ? "[1]" : "", list[position], begin, r->extent);
}

static int argument_of(const struct op_shape_call *call, const struct op_value *value)
{
    return (int)(value - call->problem->values);
}

int op_experts_table(const struct op_shape_call *call, const struct op_value *list,
                     enum k_group_form form, int64_t groups, int64_t extent, int64_t weights)
{
    const struct k_group_ranges ranges = {
        .form = form, .groups = groups, .extent = extent, .weights = weights, .name = list->name};
    struct op_place numbers = op_dense_source(call, argument_of(call, list));
    if (numbers.view.type != ACL_INT64) {
        const struct op_place wide =
            op_scratch_place(call->plan, ACL_INT64, numbers.view.rank, numbers.view.sizes);
        op_copy_place(call->plan, &numbers, &wide);
        numbers = wide;
    }
    const int table = ex_scratch(call->plan, (size_t)(groups + 1) * sizeof(struct k_group_range));
    ex_step_with_faults(call->plan, "group_ranges", k_group_ranges, &ranges, sizeof ranges,
                        (struct k_work){.items = 1, .grain = 1}, EX_BUFFERS(numbers.buffer, table),
                        describe_list);
    return table;
}

/* ---- the products ---- */

static int64_t bytes_of(const struct op_view *view, int64_t elements)
{
    return elements * (int64_t)ex_element_size((int32_t)view->type);
}

static struct k_gemm_matrix matrix_of(const struct op_view *view, bool is_transposed)
{
    const int row = view->rank - 2 + is_transposed, column = view->rank - 1 - is_transposed;
    return (struct k_gemm_matrix){.dtype = K_I8,
                                  .row = view->sizes[row] == 1 ? view->sizes[column]
                                                               : view->strides[row],
                                  .column = view->sizes[column] == 1 ? 1 : view->strides[column]};
}

/* x as INT8. */
static struct op_place place_x(const struct op_shape_call *call, const struct op_experts *e,
                               const struct op_experts_sizes *s)
{
    const struct op_place x = op_target(call, argument_of(call, e->x), 0);
    const int64_t sizes[] = {s->m, s->k};
    if (x.view.type == ACL_INT8) return x;
    const struct op_place wide = op_scratch_place(call->plan, ACL_INT8, 2, sizes);
    const struct k_int8_widen widen = {.bytes = s->m * s->k / 2};
    ex_step(call->plan, "int8_widen", k_best()->int8_widen, &widen, sizeof widen,
            k_int8_widen_plan(&widen), EX_BUFFERS(x.buffer, wide.buffer));
    return wide;
}

/* Blocks of FRACTAL_NZ as rows. Pairs of INT4 are moved as bytes. */
static struct op_place unfold(const struct op_shape_call *call, const struct op_place *nz)
{
    const struct op_view *own = &nz->view;
    const int first = own->rank - 4, in_byte = own->type == ACL_INT4 ? 2 : 1;
    const aclDataType type = own->type == ACL_INT4 ? ACL_INT8 : own->type;
    struct op_view from = op_view_dense(type, own->rank, own->sizes);
    from.sizes[own->rank - 1] /= in_byte;
    from = op_view_dense(type, from.rank, from.sizes);
    from = op_view_swapped(from, first, first + 1); /* k / 16, n / c, 16, c */
    from = op_view_swapped(from, first + 1, first + 2);
    const struct op_place blocks = {nz->buffer, from};
    const struct op_place to = op_scratch_like(call->plan, &from);
    op_copy_place(call->plan, &blocks, &to);
    const int64_t sizes[] = {own->sizes[0], own->sizes[first + 1] * NZ_ROWS,
                             own->sizes[first] * own->sizes[own->rank - 1]};
    return (struct op_place){to.buffer,
                             op_view_dense(own->type, own->rank - 2, sizes + (first == 0))};
}

static struct op_place place_weight(const struct op_shape_call *call, const struct op_experts *e,
                                    const struct op_experts_sizes *s, uint64_t i, struct k_group *k)
{
    struct op_place weight = op_target(call, argument_of(call, e->weight), i);
    if (is_nz(descriptor_of(e->weight, i), s->is_joint)) weight = unfold(call, &weight);
    const struct op_view *view = &weight.view;
    const int64_t in_word = view->type == ACL_INT32 ? 8 : 1;
    k->gemm.b = matrix_of(view, e->is_transposed);
    if (s->is_joint)
        k->weight = s->is_four ? view->strides[0] * in_word / 2 : bytes_of(view, view->strides[0]);
    if (!s->is_four) return weight;
    k->gemm.b.row =
        view->sizes[view->rank - 2] == 1 ? e->n : view->strides[view->rank - 2] * in_word;
    k->gemm.b.column = 1;
    k->int8.is_four = true;
    k->int8.less = descriptor_of(e->x, 0)->data_type == ACL_INT8 ? 8 : 0;
    k->int8.part = s->k / s->parts;
    k->int8.part_step = e->n;
    return weight;
}

/* A row of numbers for each expert, and bytes from one to the next. -1: there is none. */
static int place_factor(const struct op_shape_call *call, const struct op_experts_sizes *s,
                        const struct op_value *value, uint64_t i, int64_t *step,
                        struct k_int8_factor *factor)
{
    if (!value) return -1;
    const struct op_place own = op_source(call, argument_of(call, value), i);
    struct op_place place = own;
    if (!op_view_is_dense(&own.view)) {
        place = op_scratch_like(call->plan, &own.view);
        op_copy_place(call->plan, &own, &place);
    }
    const struct op_view *view = &place.view;
    const enum k_dtype dtype = op_k_dtype_of(view->type);
    *factor = (struct k_int8_factor){true, dtype == K_I64 ? K_U64 : dtype, 1};
    if (s->is_joint) *step = bytes_of(view, op_element_count(view->rank - 1, view->sizes + 1));
    return place.buffer;
}

static int either(int buffer, int otherwise)
{
    return buffer < 0 ? otherwise : buffer;
}

struct op_place op_experts_multiply(const struct op_shape_call *call, const struct op_experts *e,
                                    int table)
{
    const struct op_experts_sizes s = op_experts_sizes_of(e);
    const int64_t sizes[] = {s.m, e->n};
    const struct op_place to = op_scratch_place(call->plan, ACL_FLOAT, 2, sizes);
    if (s.m == 0 || e->n == 0) return to;
    const struct op_place x = place_x(call, e, &s);
    int token = -1;
    for (uint64_t i = 0; i < count_of(e->weight); i++) {
        const bool is_used = s.is_joint || (int64_t)i < s.groups;
        struct k_int8_factor bias = {0};
        struct k_group k = {.kind = K_GROUP_WHOLE,
                            .is_one = !s.is_joint,
                            .first = s.is_joint ? 0 : (int64_t)i,
                            .groups = s.is_joint ? s.groups : 1,
                            .only = s.is_joint ? 0 : (int64_t)i,
                            .gemm = {.m = s.m,
                                     .n = e->n,
                                     .k = s.k,
                                     .batch = {1, 1, 1, 1},
                                     .alpha = 1,
                                     .beta = 1,
                                     .c = {.dtype = K_F32, .row = e->n, .column = 1}}};
        if (!is_used) break;
        k.gemm.a = matrix_of(&x.view, false);
        k.x_step = k.gemm.a.row;
        k.y_step = (int64_t)sizeof(float) * e->n;
        const struct op_place weight = place_weight(call, e, &s, i, &k);
        const int biases = place_factor(call, &s, e->bias, i, &k.bias, &bias);
        const int scales = place_factor(call, &s, e->scale, i, &k.scale, &k.int8.scale);
        const int offsets = place_factor(call, &s, e->offset, i, &k.offset, &k.int8.offset);
        if (e->token) {
            if (token < 0) token = op_dense_source(call, argument_of(call, e->token)).buffer;
            k.int8.token = (struct k_int8_factor){true, K_F32, 1};
            k.token_step = sizeof(float);
        }
        k.gemm.has_addend = e->bias != NULL;
        k.gemm.addend = (struct k_gemm_matrix){.dtype = bias.dtype, .column = 1};
        ex_step_way(call->plan, "group", K_CHOICE_group, K_F32, &k, sizeof k,
                    EX_BUFFERS(table, x.buffer, weight.buffer, to.buffer, either(biases, x.buffer),
                               either(scales, x.buffer), either(token, x.buffer),
                               either(offsets, x.buffer)),
                    NULL);
    }
    ex_flops(call->plan, 2 * (double)s.m * (double)e->n * (double)s.k);
    return to;
}
