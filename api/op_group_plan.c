/* SPDX-License-Identifier: Apache-2.0 */
/* Products of groups: a table of the groups, then a step for each weight, or one for a weight that
 * has all matrices. */
#include <stdio.h>

#include "api/op_elementwise.h"
#include "api/op_group.h"
#include "kernels/kernels.h"

/* What all steps share. */
struct plan {
    const struct op_shape_call *call;
    struct op_group group;
    int64_t extent; /* rows, or terms, of all groups */
    int table;
};

static int argument_of(const struct op_shape_call *call, const struct op_value *value)
{
    return (int)(value - call->problem->values);
}

static int64_t bytes_of(const struct op_view *view, int64_t elements)
{
    return elements * (int64_t)ex_element_size((int32_t)view->type);
}

/* A tensor of a list, dense. */
static struct op_place dense_of(const struct op_shape_call *call, const struct op_value *list,
                                uint64_t i)
{
    const struct op_place source = op_source(call, argument_of(call, list), i);
    if (op_view_is_dense(&source.view)) return source;
    const struct op_place copy = op_scratch_like(call->plan, &source.view);
    op_copy_place(call->plan, &source, &copy);
    return copy;
}

/* ---- the table ---- */

static void describe_list(const void *parameters, void *const buffers[], int64_t position,
                          char *text, size_t size)
{
    const struct k_group_ranges *r = parameters;
    const int64_t *list = buffers[K_GROUP_LIST];
    const struct k_group_range *ranges = buffers[K_GROUP_TABLE];
    const bool is_pair = r->form == K_GROUP_PAIRS;
    if (is_pair && position % 2 == 0)
        snprintf(text, size,
                 "groupListOptional[%" PRId64 "][0] is %" PRId64 "; there are %" PRId64 " weights",
                 position / 2, list[position], r->weights);
    else
        snprintf(text, size,
                 "groupListOptional[%" PRId64 "]%s is %" PRId64 "; the group begins at %" PRId64
                 " and must end there or behind, at most at %" PRId64,
                 is_pair ? position / 2 : position, is_pair ? "[1]" : "", list[position],
                 ranges[is_pair ? position / 2 : position].begin, r->extent);
}

static void add_table(struct plan *p)
{
    const struct op_shape_call *call = p->call;
    const struct op_group *g = &p->group;
    const bool is_known = g->type == OP_GROUP_NONE || op_group_size(g->x) > 1;
    struct k_group_ranges r = {.form = K_GROUP_ENDS, .groups = g->groups, .extent = p->extent};
    const struct k_work work = {.items = 1, .grain = 1};
    p->table = ex_scratch(call->plan, (size_t)(g->groups + 1) * sizeof(struct k_group_range));
    if (is_known || !g->is_tensor) {
        r.is_given = true;
        for (int64_t i = 0, end = 0; i < g->groups; i++) {
            end += is_known ? op_group_rows(g->x, (uint64_t)i) : 0;
            r.list[i] = is_known ? end : g->list->ints->values[i];
        }
        ex_step(call->plan, "group_ranges", k_group_ranges, &r, sizeof r, work,
                EX_BUFFERS(p->table, p->table));
        return;
    }
    r.form = g->form;
    r.weights =
        g->is_joint ? op_group_tensor(g->weight, 0)->sizes[0] : (int64_t)op_group_size(g->weight);
    const struct op_place list = op_dense_source(call, argument_of(call, g->list));
    ex_step_with_faults(call->plan, "group_ranges", k_group_ranges, &r, sizeof r, work,
                        EX_BUFFERS(list.buffer, p->table), describe_list);
}

/* ---- operands ---- */

static struct k_gemm_matrix matrix_of(const struct op_view *view)
{
    const int row = view->rank - 2, column = view->rank - 1;
    return (struct k_gemm_matrix){.dtype = op_k_dtype_of(view->type),
                                  .row = view->sizes[row] == 1 ? view->sizes[column]
                                                               : view->strides[row],
                                  .column = view->sizes[column] == 1 ? 1 : view->strides[column]};
}

/* x as one matrix. */
static struct op_place x_of(const struct plan *p, uint64_t i, struct k_gemm_matrix *matrix)
{
    const struct op_group *g = &p->group;
    struct op_place x = op_group_tensor(g->x, i)->rank == 2
                            ? op_source(p->call, argument_of(p->call, g->x), i)
                            : dense_of(p->call, g->x, i);
    if (x.view.rank > 2) {
        const int64_t sizes[] = {op_group_rows(g->x, i), x.view.sizes[x.view.rank - 1]};
        x.view = op_view_dense(x.view.type, 2, sizes);
    }
    *matrix = matrix_of(&x.view);
    return x;
}

/* A weight of small integers in the words of k_quant. */
static struct op_place small_weight(const struct plan *p, uint64_t i, struct k_group *k)
{
    const struct op_group *g = &p->group;
    struct op_place weight = op_target(p->call, argument_of(p->call, g->weight), i);
    struct op_view *view = &weight.view;
    const int row = view->rank - 2, column = view->rank - 1;
    const bool is_four = op_group_is_four((int32_t)view->type);
    const int64_t in_word = view->type == ACL_INT32 ? 8 : 1;
    const bool has_line = view->strides[row] == 1 || view->sizes[row] == 1 ||
                          view->strides[column] == 1 || view->sizes[column] == 1;
    if (!has_line) weight = dense_of(p->call, g->weight, i);
    k->quant.is_four = is_four;
    k->quant.row = view->sizes[row] == 1 ? 1 : view->strides[row] * in_word;
    k->quant.column = view->sizes[column] == 1 || in_word > 1 ? 1 : view->strides[column];
    if (k->quant.row == 1 && view->sizes[column] == 1 && in_word == 1)
        k->quant.column = view->sizes[row]; /* nobody follows it */
    if (view->rank == 3) k->weight = view->strides[0] * in_word / (is_four ? 2 : 1);
    return weight;
}

/* INT4 for products with INT8. */
static void place_fours(const struct op_view *view, struct k_group *k)
{
    const int row = view->rank - 2, in_word = view->type == ACL_INT32 ? 8 : 1;
    k->gemm.b = (struct k_gemm_matrix){.dtype = K_I8,
                                       .row = view->sizes[row] == 1 ? k->gemm.n
                                                                    : view->strides[row] * in_word,
                                       .column = 1};
    if (view->rank == 3) k->weight = view->strides[0] * in_word / 2;
    k->int8.is_four = true;
    k->int8.less = 8;
}

static struct op_place weight_of(const struct plan *p, uint64_t i, struct k_group *k)
{
    const struct op_group *g = &p->group;
    const struct ex_descriptor *d = op_group_tensor(g->weight, i);
    k->gemm.n = op_group_columns(d);
    k->gemm.k = d->sizes[d->rank - 2];
    if (g->kind == K_GROUP_WEIGHT) {
        k->gemm.b.dtype = K_F32;
        return small_weight(p, i, k);
    }
    const struct op_place weight = op_target(p->call, argument_of(p->call, g->weight), i);
    if (g->is_four) {
        place_fours(&weight.view, k);
        return weight;
    }
    k->gemm.b = matrix_of(&weight.view);
    if (d->rank == 3) k->weight = bytes_of(&weight.view, weight.view.strides[0]);
    return weight;
}

/* A row of numbers for each weight, and bytes from weight to weight. */
static struct op_place row_of(const struct plan *p, const struct op_value *list, uint64_t i,
                              int64_t *step)
{
    const struct op_place place = dense_of(p->call, list, i);
    const struct op_view *view = &place.view;
    if (p->group.is_joint)
        *step = bytes_of(view, op_element_count(view->rank - 1, view->sizes + 1));
    return place;
}

static void add_weight_factors(const struct plan *p, uint64_t i, struct k_group *k, int *scale,
                               int *offset)
{
    const struct op_group *g = &p->group;
    const struct op_place scales = row_of(p, g->scale, i, &k->scale);
    const int rank = scales.view.rank;
    const int64_t parts = rank == 2 + g->is_joint ? scales.view.sizes[rank - 2] : 1;
    const struct k_quant_factor factor = {
        .dtype = op_k_dtype_of(scales.view.type), .group = parts > 1 ? k->gemm.n : 0, .column = 1};
    k->quant.scale = k->quant.offset = factor;
    k->quant.group = k->gemm.k / parts;
    *scale = scales.buffer;
    k->quant.has_offset = g->offset != NULL;
    *offset = g->offset ? row_of(p, g->offset, i, &k->offset).buffer : *scale;
}

static void add_whole_factors(const struct plan *p, uint64_t i, struct k_group *k, int *scale,
                              int *token, int *offset)
{
    const struct op_group *g = &p->group;
    if (g->is_four) {
        const struct ex_descriptor *d = op_group_tensor(g->scale, i);
        const int64_t parts = d->rank == 2 + g->is_joint ? d->sizes[d->rank - 2] : 1;
        k->int8.part = k->gemm.k / parts;
        k->int8.part_step = k->gemm.n;
    }
    if (g->offset) {
        k->int8.offset = (struct k_int8_factor){true, K_F32, 1};
        *offset = row_of(p, g->offset, i, &k->offset).buffer;
    }
    if (g->scale && k->gemm.c.dtype != K_I32) {
        const struct op_place scales = row_of(p, g->scale, i, &k->scale);
        const enum k_dtype dtype = op_k_dtype_of(scales.view.type);
        k->int8.scale = (struct k_int8_factor){true, dtype == K_I64 ? K_U64 : dtype, 1};
        *scale = scales.buffer;
    }
    if (g->token) {
        const struct op_place tokens = dense_of(p->call, g->token, 0);
        k->int8.token = (struct k_int8_factor){true, K_F32, 1};
        k->token_step = bytes_of(&tokens.view, 1);
        *token = tokens.buffer;
    }
}

/* ---- results ---- */

/* Where results are made: the tensor itself; scratch where it is not dense or shares memory with a
 * weight, or FLOAT for the activation. Rows of no group keep what they hold. */
static struct op_place result_of(const struct plan *p, uint64_t i)
{
    const struct op_shape_call *call = p->call;
    const struct op_group *g = &p->group;
    const struct op_place y = op_target(call, argument_of(call, g->y), i);
    const bool is_active = op_integer_named(call->problem, "actType", 0) != 0;
    bool is_apart = !op_view_is_dense(&y.view) || is_active;
    for (uint64_t j = 0; j < op_group_size(g->weight) && !is_apart; j++)
        is_apart = !op_is_empty(g->weight->tensors->elements[j]) &&
                   op_meets(op_group_tensor(g->y, i), op_group_tensor(g->weight, j));
    if (!is_apart) return y;
    const struct op_place made = op_scratch_place(call->plan, is_active ? ACL_FLOAT : y.view.type,
                                                  y.view.rank, y.view.sizes);
    if (is_active)
        op_fill_place(call->plan, &made, 0, 0);
    else
        op_copy_place(call->plan, &y, &made);
    return made;
}

static void activate(const struct plan *p, const struct op_place *made, const struct op_place *y)
{
    static const enum k_core cores[] = {
        [1] = K_CORE_relu, [2] = K_CORE_gelu_tanh, [4] = K_CORE_swish, [5] = K_CORE_silu};
    const int64_t type = op_integer_named(p->call->problem, "actType", 0);
    struct k_elementwise e = {
        .core = cores[type],
        .loop = {.results = 1, .operands = 1, .rank = y->view.rank, .compute = K_AS_F32}};
    const struct op_view *views[] = {&y->view, &made->view};
    for (int i = 0; i < 2; i++) {
        struct k_loop_operand *operand = &e.loop.operand[i];
        operand->dtype = operand->via = op_k_dtype_of(views[i]->type);
        for (int axis = 0; axis < y->view.rank; axis++)
            operand->strides[axis] = views[i]->strides[axis];
    }
    for (int axis = 0; axis < y->view.rank; axis++)
        e.loop.sizes[axis] = y->view.sizes[axis];
    e.reals[0] = 1.702; /* of the fast GELU */
    const struct k_work work = k_elementwise_finish(&e);
    ex_step(p->call->plan, "elementwise", k_best()->elementwise, &e, sizeof e, work,
            EX_BUFFERS(y->buffer, made->buffer));
}

static void deliver(const struct plan *p, const struct op_place *made, uint64_t i)
{
    const struct op_place y = op_target(p->call, argument_of(p->call, p->group.y), i);
    if (made->buffer == y.buffer || op_view_is_empty(&y.view)) return;
    if (op_integer_named(p->call->problem, "actType", 0) != 0)
        activate(p, made, &y);
    else
        op_copy_place(p->call->plan, made, &y);
}

/* ---- products ---- */

/* One step: weight i, rows of x[j], into y. */
static void add_product(const struct plan *p, uint64_t i, uint64_t j, const struct op_place *y)
{
    const struct op_shape_call *call = p->call;
    const struct op_group *g = &p->group;
    const bool is_mixed = g->list && g->is_tensor && g->form == K_GROUP_PAIRS &&
                          op_group_size(g->x) == 1 && !g->is_joint;
    const bool is_whole = g->is_joint || is_mixed || g->type == OP_GROUP_TERMS;
    const int columns = y->view.rank - 1;
    struct k_group k = {.kind = g->kind,
                        .by_terms = g->type == OP_GROUP_TERMS,
                        .x_is_own = op_group_size(g->x) > 1,
                        .y_is_own = op_group_size(g->y) > 1,
                        .is_one = !g->is_joint,
                        .first = is_whole ? 0 : (int64_t)i,
                        .groups = is_whole ? g->groups : 1,
                        .only = is_whole && !is_mixed ? 0 : (int64_t)i,
                        .gemm = {.batch = {1, 1, 1, 1}, .alpha = 1, .beta = 1}};
    struct k_gemm *gemm = &k.gemm;
    const struct op_place x = x_of(p, j, &gemm->a);
    const struct op_place weight = weight_of(p, i, &k);
    gemm->m = k.by_terms ? x.view.sizes[0] : op_group_size(g->x) > 1 ? x.view.sizes[0] : p->extent;
    gemm->c = (struct k_gemm_matrix){
        .dtype = op_k_dtype_of(y->view.type), .row = y->view.sizes[columns], .column = 1};
    if (y->view.rank > 2 && k.by_terms)
        k.y_step = bytes_of(&y->view, y->view.strides[0]);
    else
        k.y_step = bytes_of(&y->view, gemm->c.row);
    k.x_step = bytes_of(&x.view, k.by_terms ? gemm->a.column : gemm->a.row);
    if (k.by_terms) k.term_step = bytes_of(&weight.view, gemm->b.row);
    int bias = x.buffer, scale = x.buffer, more = x.buffer, offset = x.buffer;
    if (g->bias) {
        const struct op_place row = row_of(p, g->bias, i, &k.bias);
        gemm->has_addend = true;
        gemm->addend = (struct k_gemm_matrix){.dtype = op_k_dtype_of(row.view.type), .column = 1};
        bias = row.buffer;
    }
    if (g->kind == K_GROUP_WEIGHT) add_weight_factors(p, i, &k, &scale, &more);
    if (g->kind == K_GROUP_WHOLE) add_whole_factors(p, i, &k, &scale, &more, &offset);
    if (gemm->m == 0 || gemm->n == 0) return;
    ex_step_way(call->plan, "group", K_CHOICE_group, K_F32, &k, sizeof k,
                EX_BUFFERS(p->table, x.buffer, weight.buffer, y->buffer, bias, scale, more, offset),
                NULL);
}

void op_group_plan(const struct op_shape_call *call)
{
    struct plan p = {.call = call, .group = op_group_of(call->problem)};
    const struct op_group *g = &p.group;
    const uint64_t xs = op_group_size(g->x), ys = op_group_size(g->y);
    bool is_empty = true;
    for (uint64_t i = 0; i < ys; i++)
        is_empty = is_empty && op_is_empty(g->y->tensors->elements[i]);
    if (is_empty) return;
    const struct ex_descriptor *x = op_group_tensor(g->x, 0);
    p.extent = g->type == OP_GROUP_TERMS ? x->sizes[1] : op_group_all_rows(g->x);
    add_table(&p);
    struct op_place y = {0};
    for (uint64_t i = 0; i < op_group_size(g->weight); i++) {
        if (i == 0 || ys > 1) y = result_of(&p, ys > 1 ? i : 0);
        add_product(&p, i, xs > 1 ? i : 0, &y);
        if (ys > 1) deliver(&p, &y, i);
    }
    if (ys == 1) deliver(&p, &y, 0);
    const struct ex_descriptor *weight = op_group_tensor(g->weight, 0);
    ex_flops(call->plan, 2 * (double)op_group_all_rows(g->x) * (double)x->sizes[x->rank - 1] *
                             (double)op_group_columns(weight));
}
