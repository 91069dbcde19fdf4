/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnFFN, V2, V3: two products with a function between them, of all rows or of each expert's. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "api/op_group.h"
#include "api/op_map.h"
#include "api/op_product.h"

/* The result is the last argument. */
enum { X, WEIGHT1, WEIGHT2, TOKENS, BIAS1, BIAS2, SCALE, ACTIVATION = 14, INNER_PRECISE };

static const struct activation {
    const char *name;
    enum k_core core;
    bool is_gate; /* the left half times the function of the right one */
} activations[] = {
    {"gelu", K_CORE_gelu_tanh, false}, {"fastgelu", K_CORE_swish, false},
    {"relu", K_CORE_relu, false},      {"silu", K_CORE_silu, false},
    {"geglu", K_CORE_gelu_tanh, true}, {"swiglu", K_CORE_silu, true},
    {"reglu", K_CORE_relu, true},
};

/* NULL: none of them. */
static const struct activation *activation_of(const struct op_problem *problem)
{
    for (int i = 0; i < (int)RT_LENGTH(activations); i++)
        if (strcasecmp(problem->values[ACTIVATION].text, activations[i].name) == 0)
            return &activations[i];
    return NULL;
}

static const struct ex_descriptor *tensor_of(const struct op_problem *problem, int argument)
{
    return &problem->values[argument].tensor->descriptor;
}

/* A list without elements is none. */
static int64_t experts_of(const struct op_problem *problem)
{
    const struct op_value *list = &problem->values[TOKENS];
    if (!list->pointer) return 0;
    return list->kind == OP_INTS ? (int64_t)list->ints->size : list->tensor->descriptor.sizes[0];
}

/* The list says where each expert's rows end, not how many there are. */
static bool has_ends(const struct op_problem *problem)
{
    return op_integer_named(problem, "tokensIndexFlag", 0) != 0;
}

static int64_t rows_of(const struct op_problem *problem)
{
    const struct ex_descriptor *x = tensor_of(problem, X);
    return op_element_count(x->rank - 1, x->sizes);
}

/* ---- checks ---- */

static aclnnStatus check_activation(const struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct op_value *values = problem->values;
    const int64_t precise = values[INNER_PRECISE].integer;
    const int32_t type = tensor_of(problem, X)->data_type;
    OP_CHECK(name, values[ACTIVATION].text, ACLNN_ERR_PARAM_NULLPTR, "activation is NULL");
    const struct activation *activation = activation_of(problem);
    OP_CHECK(name, activation, ACLNN_ERR_PARAM_INVALID,
             "activation is \"%.20s\"; it must be gelu, fastgelu, relu, silu, geglu, swiglu or "
             "reglu",
             values[ACTIVATION].text);
    OP_CHECK(name, precise == 0 || precise == 1, ACLNN_ERR_PARAM_INVALID,
             "innerPrecise is %" PRId64 "; it must be 0 (precise) or 1 (fast)", precise);
    OP_CHECK(name, precise == 0 || type != ACL_BF16, ACLNN_ERR_PARAM_INVALID,
             "innerPrecise is 1 and x's data type BF16; it must be 0");
    OP_CHECK(name, !activation->is_gate || (precise == 1 && type == ACL_FLOAT16),
             ACLNN_ERR_PARAM_INVALID,
             "activation is %s, innerPrecise %" PRId64 " and x's data type %s; units with a gate "
             "are of 1 and FLOAT16",
             activation->name, precise, op_data_type_name((aclDataType)type));
    return ACLNN_SUCCESS;
}

static aclnnStatus ffn_types(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct op_value *values = problem->values, *y = &values[problem->count - 1];
    for (int i = X; i <= WEIGHT2; i++) {
        OP_TRY(op_check_type(name, values[i].name, values[i].tensor, problem->row->types,
                             problem->row->type_names));
        OP_TRY(op_check_same_type(name, values[i].name, values[i].tensor, "x", values[X].tensor));
    }
    OP_TRY(op_check_same_type(name, "y", y->tensor, "x", values[X].tensor));
    for (int i = BIAS1; i <= BIAS2; i++)
        if (values[i].tensor)
            OP_TRY(op_check_type(name, values[i].name, values[i].tensor,
                                 OP_TYPE(ACL_FLOAT) | OP_TYPE(ACL_FLOAT16) | OP_TYPE(ACL_BF16),
                                 "FLOAT, FLOAT16, BF16"));
    for (int i = SCALE; i < ACTIVATION; i++)
        OP_CHECK(name, !values[i].tensor, ACLNN_ERR_PARAM_INVALID,
                 "%s is given; it belongs to integers, which are not supported, and must be NULL",
                 values[i].name);
    if (values[TOKENS].kind != OP_INTS && values[TOKENS].tensor)
        OP_TRY(op_check_type(name, values[TOKENS].name, values[TOKENS].tensor, OP_TYPE(ACL_INT64),
                             "INT64"));
    OP_TRY(check_activation(problem));
    problem->type = problem->result = (aclDataType)tensor_of(problem, X)->data_type;
    return ACLNN_SUCCESS;
}

/* An array of experts' rows, which are all rows. */
static aclnnStatus check_array(const struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct op_value *list = &problem->values[TOKENS];
    const int64_t rows = rows_of(problem);
    int64_t end = 0;
    for (int64_t i = 0; i < (int64_t)list->ints->size; i++) {
        const int64_t value = list->ints->values[i], least = has_ends(problem) ? end : 0;
        OP_CHECK(name, value >= least, ACLNN_ERR_PARAM_INVALID,
                 "%s[%" PRId64 "] is %" PRId64 "; it must be at least %" PRId64, list->name, i,
                 value, least);
        OP_CHECK(name, value - least <= rows - end, ACLNN_ERR_PARAM_INVALID,
                 "%s[%" PRId64 "] is %" PRId64 "; its rows end behind all %" PRId64 " rows of x",
                 list->name, i, value, rows);
        end += value - least;
    }
    OP_CHECK(name, end == rows, ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRId64 " rows together, x has %" PRId64 "; they must be as many",
             list->name, end, rows);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_experts(const struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct op_value *list = &problem->values[TOKENS];
    if (list->kind != OP_INTS && list->tensor)
        OP_TRY(op_check_rank(name, list->name, list->tensor, 1, 1));
    const int64_t experts = experts_of(problem);
    OP_CHECK(name, experts <= K_GROUP_GIVEN, ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRId64 " elements; there may be %d", list->name, experts,
             (int)K_GROUP_GIVEN);
    OP_CHECK(name, experts == 0 || !activation_of(problem)->is_gate, ACLNN_ERR_PARAM_INVALID,
             "%s is given and activation %s; units with a gate have no experts", list->name,
             activation_of(problem)->name);
    return experts > 0 && list->kind == OP_INTS ? check_array(problem) : ACLNN_SUCCESS;
}

static aclnnStatus ffn_shapes(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct op_value *values = problem->values, *y = &values[problem->count - 1];
    OP_TRY(op_check_rank(name, "x", values[X].tensor, 2, EX_MAX_RANK));
    OP_TRY(check_experts(problem));
    const int64_t experts = experts_of(problem);
    const int leading = experts > 0, rank = 2 + leading;
    OP_TRY(op_check_rank(name, "weight1", values[WEIGHT1].tensor, rank, rank));
    const struct ex_descriptor *x = tensor_of(problem, X), *weight = tensor_of(problem, WEIGHT1);
    const int64_t width = x->sizes[x->rank - 1], inner = weight->sizes[rank - 1];
    const bool is_gate = activation_of(problem)->is_gate;
    OP_CHECK(name, inner >= 1, ACLNN_ERR_PARAM_INVALID,
             "weight1 has no columns; there must be at least 1");
    OP_CHECK(name, !is_gate || inner % 2 == 0, ACLNN_ERR_PARAM_INVALID,
             "weight1 has %" PRId64 " columns; a unit with a gate has two halves", inner);
    const int64_t first[] = {experts, width, inner}, *all = first + 1 - leading;
    const int64_t second[] = {experts, is_gate ? inner / 2 : inner, width};
    const int64_t biases[][2] = {{experts, inner}, {experts, width}};
    OP_TRY(op_check_shape(problem, &values[WEIGHT1], values[WEIGHT1].tensor, rank, all));
    OP_TRY(op_check_shape(problem, &values[WEIGHT2], values[WEIGHT2].tensor, rank,
                          second + 1 - leading));
    for (int i = 0; i < 2; i++)
        if (values[BIAS1 + i].tensor)
            OP_TRY(op_check_shape(problem, &values[BIAS1 + i], values[BIAS1 + i].tensor, rank - 1,
                                  biases[i] + 1 - leading));
    return op_check_shape(problem, y, y->tensor, x->rank, x->sizes);
}

/* ---- plan ---- */

struct plan {
    const struct op_shape_call *call;
    int64_t experts, rows;
    int table; /* of the experts' rows */
};

static void describe_list(const void *parameters, void *const buffers[], int64_t position,
                          char *text, size_t size)
{
    const struct k_group_ranges *r = parameters;
    const int64_t *list = buffers[K_GROUP_LIST];
    const struct k_group_range *ranges = buffers[K_GROUP_TABLE];
    snprintf(text, size,
             "expertTokensOptional[%" PRId64 "] is %" PRId64 "; the expert's rows begin at %" PRId64
             " and must end there or behind, at most at %" PRId64,
             position, list[position], ranges[position].begin, r->extent);
}

static void add_table(struct plan *p)
{
    const struct op_problem *problem = p->call->problem;
    const struct op_value *list = &problem->values[TOKENS];
    const struct k_work work = {.items = 1, .grain = 1};
    struct k_group_ranges r = {.form = has_ends(problem) ? K_GROUP_ENDS : K_GROUP_COUNTS,
                               .groups = p->experts,
                               .extent = p->rows,
                               .is_given = list->kind == OP_INTS};
    p->table = ex_scratch(p->call->plan, (size_t)(p->experts + 1) * sizeof(struct k_group_range));
    if (r.is_given) {
        memcpy(r.list, list->ints->values, (size_t)p->experts * sizeof *r.list);
        ex_step(p->call->plan, "group_ranges", k_group_ranges, &r, sizeof r, work,
                EX_BUFFERS(p->table, p->table));
        return;
    }
    const struct op_place place = op_dense_source(p->call, TOKENS);
    ex_step_with_faults(p->call->plan, "group_ranges", k_group_ranges, &r, sizeof r, work,
                        EX_BUFFERS(place.buffer, p->table), describe_list);
}

static int64_t bytes_of(const struct op_view *view, int64_t elements)
{
    return elements * (int64_t)ex_element_size((int32_t)view->type);
}

/* to = from weight + bias, all rows with one weight. */
static void multiply_all(const struct plan *p, const struct op_place *from, int weight, int bias,
                         const struct op_place *to)
{
    const struct op_place factor = op_source(p->call, weight, 0);
    struct k_gemm gemm = op_product(&from->view, &factor.view, &to->view);
    int addend = -1;
    if (p->call->problem->values[bias].tensor) {
        const struct op_place row = op_source(p->call, bias, 0);
        const struct op_view wide = op_view_broadcast(&row.view, 2, to->view.sizes);
        gemm.has_addend = true;
        gemm.beta = 1;
        gemm.addend = op_product_matrix(&wide);
        addend = row.buffer;
    }
    op_product_step(p->call->plan, &gemm, from->buffer, factor.buffer, to->buffer, addend);
}

/* Each expert's rows with a weight of its own. */
static void multiply_each(const struct plan *p, const struct op_place *from, int weight, int bias,
                          const struct op_place *to)
{
    const struct op_place factors = op_source(p->call, weight, 0);
    struct op_view one = factors.view;
    one.rank = 2;
    for (int i = 0; i < 2; i++) {
        one.sizes[i] = factors.view.sizes[i + 1];
        one.strides[i] = factors.view.strides[i + 1];
    }
    struct k_group k = {.kind = K_GROUP_PLAIN,
                        .groups = p->experts,
                        .gemm = op_product(&from->view, &one, &to->view)};
    int row = from->buffer;
    k.x_step = bytes_of(&from->view, k.gemm.a.row);
    k.y_step = bytes_of(&to->view, k.gemm.c.row);
    k.weight = bytes_of(&one, factors.view.strides[0]);
    if (p->call->problem->values[bias].tensor) {
        const struct op_place rows = op_dense_source(p->call, bias);
        k.gemm.has_addend = true;
        k.gemm.beta = 1;
        k.gemm.addend = (struct k_gemm_matrix){.dtype = op_k_dtype_of(rows.view.type), .column = 1};
        k.bias = bytes_of(&rows.view, k.gemm.n);
        row = rows.buffer;
    }
    ex_step_way(p->call->plan, "group", K_CHOICE_group, K_F32, &k, sizeof k,
                EX_BUFFERS(p->table, from->buffer, factors.buffer, to->buffer, row, from->buffer,
                           from->buffer),
                NULL);
    ex_flops(p->call->plan, 2 * (double)k.gemm.m * (double)k.gemm.n * (double)k.gemm.k);
}

static void multiply(const struct plan *p, const struct op_place *from, int weight, int bias,
                     const struct op_place *to)
{
    if (p->experts > 0)
        multiply_each(p, from, weight, bias, to);
    else
        multiply_all(p, from, weight, bias, to);
}

/* to = the function of the sums. */
static void activate(const struct plan *p, const struct op_place *sums, const struct op_place *to)
{
    const struct activation *activation = activation_of(p->call->problem);
    const int64_t columns = to->view.sizes[1];
    struct op_place left = *sums, right = *sums;
    struct op_map map;
    if (activation->is_gate) {
        left.view = op_view_part(&sums->view, 1, 0, 1, columns);
        right.view = op_view_part(&sums->view, 1, columns, 1, columns);
    }
    op_map_begin(&map, p->call->plan, activation->core, ACL_FLOAT, 2, to->view.sizes);
    op_map_result(&map, activation->is_gate ? &right : to);
    op_map_operand(&map, &right);
    if (activation->core == K_CORE_swish) op_map_number(&map, 1.702);
    op_map_end(&map);
    if (!activation->is_gate) return;
    op_map_begin(&map, p->call->plan, K_CORE_mul, ACL_FLOAT, 2, to->view.sizes);
    op_map_result(&map, to);
    op_map_operand(&map, &left);
    op_map_operand(&map, &right);
    op_map_end(&map);
}

/* A dense tensor of any shape, or one of two dimensions, as a matrix. */
static struct op_place matrix_of(struct op_place place, int64_t rows)
{
    const int64_t sizes[] = {rows, place.view.sizes[place.view.rank - 1]};
    if (place.view.rank != 2) place.view = op_view_dense(place.view.type, 2, sizes);
    return place;
}

static void ffn(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const int last = problem->count - 1;
    struct plan p = {.call = call, .experts = experts_of(problem), .rows = rows_of(problem)};
    const struct ex_descriptor *first = tensor_of(problem, WEIGHT1);
    const struct ex_descriptor *second = tensor_of(problem, WEIGHT2);
    const int64_t wide[] = {p.rows, first->sizes[first->rank - 1]};
    const int64_t inner[] = {p.rows, second->sizes[second->rank - 2]};
    const bool may_leave = p.experts > 0 && problem->values[TOKENS].kind != OP_INTS;
    if (op_is_empty(problem->values[last].tensor)) return;
    if (p.experts > 0) add_table(&p);
    const struct op_place x = matrix_of(tensor_of(problem, X)->rank == 2 ? op_source(call, X, 0)
                                                                         : op_dense_source(call, X),
                                        p.rows);
    const struct op_place sums = op_scratch_place(call->plan, ACL_FLOAT, 2, wide);
    const struct op_place between = op_scratch_place(call->plan, problem->type, 2, inner);
    if (may_leave) op_fill_place(call->plan, &sums, 0, 0); /* rows of no expert */
    multiply(&p, &x, WEIGHT1, BIAS1, &sums);
    activate(&p, &sums, &between);
    const struct op_place own = op_target(call, last, 0), y = op_dense_target(call, last);
    if (may_leave && y.buffer != own.buffer) op_copy_place(call->plan, &own, &y);
    const struct op_place to = matrix_of(y, p.rows);
    multiply(&p, &between, WEIGHT2, BIAS2, &to);
    op_deliver(call, &y, last);
}

const struct op_rule op_rule_ffn = {
    .types = ffn_types,
    .shapes = ffn_shapes,
    .runs_empty = true, /* an empty list is none */
    .takes_nz = true,
    .more = &(const struct op_shape_rule){ffn},
};
