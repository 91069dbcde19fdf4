/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnFusedMatmul: a product of matrices, a bias, and a function of both. The bias, an addend in
 * its place and the ramp are the product's own; other functions are a step of their own on sums in
 * FLOAT. */
#include <string.h>

#include "api/op_elementwise.h"
#include "api/op_map.h"
#include "api/op_pool.h"
#include "api/op_product.h"

enum { X1, X2, BIAS, X3, FUSED, CUBE_MATH, Y };

enum fused { NOTHING, WIDE, ADD, MUL, GELU, GELU_TANH, RELU, FUSED_KINDS };

static const struct {
    const char *name;
    int most; /* dimensions */
    bool has_x3, has_bias;
} kinds[FUSED_KINDS] = {
    [NOTHING] = {"", K_GEMM_BATCH + 2, false, true},
    [WIDE] = {"16cast32", 2, false, true},
    [ADD] = {"add", 3, true, true},
    [MUL] = {"mul", 3, true, true},
    [GELU] = {"gelu_erf", 2, false, false},
    [GELU_TANH] = {"gelu_tanh", 2, false, false},
    [RELU] = {"relu", K_GEMM_BATCH + 2, false, true},
};

/* FUSED_KINDS: none of them. */
static enum fused kind_of(const struct op_problem *problem)
{
    const char *text = problem->values[FUSED].text;
    enum fused kind = NOTHING;
    while (kind < FUSED_KINDS && strcmp(text, kinds[kind].name) != 0)
        kind++;
    return kind;
}

/* ---- checks ---- */

static aclnnStatus fused_product_types(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct op_value *values = problem->values;
    OP_CHECK(name, values[FUSED].text, ACLNN_ERR_PARAM_NULLPTR, "fusedOpType is NULL");
    const enum fused kind = kind_of(problem);
    OP_CHECK(name, kind < FUSED_KINDS, ACLNN_ERR_PARAM_INVALID,
             "fusedOpType is \"%.20s\"; it must be empty, 16cast32, add, mul, gelu_erf, gelu_tanh "
             "or relu",
             values[FUSED].text);
    OP_CHECK(name, !kinds[kind].has_x3 || values[X3].tensor, ACLNN_ERR_PARAM_NULLPTR,
             "x3 is NULL and fusedOpType \"%s\"; it must be given", kinds[kind].name);
    OP_CHECK(name, kinds[kind].has_x3 || !values[X3].tensor, ACLNN_ERR_PARAM_INVALID,
             "x3 is given and fusedOpType \"%s\"; it must be NULL", kinds[kind].name);
    OP_CHECK(name, kinds[kind].has_bias || !values[BIAS].tensor, ACLNN_ERR_PARAM_INVALID,
             "bias is given and fusedOpType \"%s\"; it must be NULL", kinds[kind].name);
    for (int i = 0; i < problem->tensor_count; i++)
        OP_TRY(op_check_type(name, problem->tensor[i]->name, problem->tensor[i]->tensor,
                             problem->row->types, problem->row->type_names));
    if (kind == WIDE)
        OP_TRY(op_check_type(name, "y", values[Y].tensor, OP_TYPE(ACL_FLOAT),
                             "FLOAT (fusedOpType is 16cast32)"));
    problem->type = op_promote((aclDataType)values[X1].tensor->descriptor.data_type,
                               (aclDataType)values[X2].tensor->descriptor.data_type);
    problem->result = (aclDataType)values[Y].tensor->descriptor.data_type;
    return ACLNN_SUCCESS;
}

/* A tensor that broadcasts to the result, of some dimensions. */
static aclnnStatus check_broadcast(const struct op_problem *problem, int argument, int least,
                                   int most)
{
    const struct op_value *value = &problem->values[argument];
    struct op_shape_text text;
    if (!value->tensor) return ACLNN_SUCCESS;
    const struct ex_descriptor *d = &value->tensor->descriptor;
    OP_TRY(op_check_rank(problem->row->name, value->name, value->tensor, least, most));
    bool fits = d->rank <= problem->rank;
    for (int i = 1; fits && i <= d->rank; i++)
        fits = d->sizes[d->rank - i] == problem->sizes[problem->rank - i] ||
               (d->sizes[d->rank - i] == 1 && (argument == BIAS || i > 2));
    OP_CHECK(problem->row->name, fits, ACLNN_ERR_PARAM_INVALID,
             "%s's shape is %s; it does not broadcast to the product's", value->name,
             op_shape(&text, value->tensor));
    return ACLNN_SUCCESS;
}

static aclnnStatus fused_product_shapes(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct op_value *values = problem->values;
    const enum fused kind = kind_of(problem);
    const struct ex_descriptor *a = &values[X1].tensor->descriptor;
    const struct ex_descriptor *b = &values[X2].tensor->descriptor;
    OP_TRY(op_check_rank(name, "x1", values[X1].tensor, 2, kinds[kind].most));
    OP_TRY(op_check_rank(name, "x2", values[X2].tensor, a->rank, a->rank));
    OP_CHECK(name, a->sizes[a->rank - 1] == b->sizes[a->rank - 2], ACLNN_ERR_PARAM_INVALID,
             "x1 has %" PRId64 " columns, x2 has %" PRId64 " rows; they must be as many",
             a->sizes[a->rank - 1], b->sizes[a->rank - 2]);
    problem->rank = a->rank;
    for (int i = 0; i < a->rank - 2; i++) {
        OP_CHECK(name, a->sizes[i] == b->sizes[i], ACLNN_ERR_PARAM_INVALID,
                 "x1 has a batch of %" PRId64 ", x2 one of %" PRId64, a->sizes[i], b->sizes[i]);
        problem->sizes[i] = a->sizes[i];
    }
    problem->sizes[a->rank - 2] = a->sizes[a->rank - 2];
    problem->sizes[a->rank - 1] = b->sizes[a->rank - 1];
    OP_TRY(check_broadcast(problem, BIAS, 1, 2));
    OP_TRY(check_broadcast(problem, X3, 2, 3));
    OP_TRY(op_check_shape(problem, &values[Y], values[Y].tensor, problem->rank, problem->sizes));
    return op_check_math_type(name, (int8_t)values[CUBE_MATH].integer, 4);
}

/* ---- plan ---- */

/* bias, or x3 in its place; -1: none. */
static int addend_of(const struct op_problem *problem, enum fused kind)
{
    if (problem->values[BIAS].tensor) return BIAS;
    return kind == ADD ? X3 : -1;
}

/* What is left to do after the product. */
static enum k_core core_of(const struct op_problem *problem, enum fused kind)
{
    if (kind == GELU) return K_CORE_gelu;
    if (kind == GELU_TANH) return K_CORE_gelu_tanh;
    if (kind == MUL) return K_CORE_mul;
    return kind == ADD && addend_of(problem, kind) == BIAS ? K_CORE_add : K_CORES;
}

static void multiply(const struct op_shape_call *call, enum fused kind, const struct op_place *to)
{
    const struct op_problem *problem = call->problem;
    const int argument = addend_of(problem, kind);
    const struct op_view a = op_view_of(problem->values[X1].tensor);
    const struct op_view b = op_view_of(problem->values[X2].tensor);
    struct k_gemm gemm = op_product(&a, &b, &to->view);
    gemm.beta = 1;
    gemm.has_addend = argument >= 0;
    gemm.activation = kind == RELU ? K_GEMM_RELU : K_GEMM_LINEAR;
    gemm.rounding =
        op_math_rounding((int8_t)problem->values[CUBE_MATH].integer, op_k_dtype_of(problem->type));
    if (gemm.has_addend) {
        const struct op_view own = op_view_of(problem->values[argument].tensor);
        const struct op_view wide = op_view_broadcast(&own, problem->rank, problem->sizes);
        gemm.addend = op_product_matrix(&wide);
    }
    op_product_step(call->plan, &gemm, call->buffers[X1], call->buffers[X2], to->buffer,
                    gemm.has_addend ? call->buffers[argument] : -1);
}

/* Whether the result must not be written while operands are read. */
static bool is_disturbed(const struct op_problem *problem)
{
    const struct ex_descriptor *y = &problem->values[Y].tensor->descriptor;
    for (int i = 0; i < problem->tensor_count; i++) {
        const struct op_value *value = problem->tensor[i];
        if (op_is_read(value) && !op_is_empty(value->tensor) &&
            op_meets(y, &value->tensor->descriptor))
            return true;
    }
    return false;
}

static void apply(const struct op_shape_call *call, enum k_core core, const struct op_place *sums)
{
    const struct op_problem *problem = call->problem;
    const struct op_place to = op_map_target(call, Y);
    struct op_map map;
    op_map_begin(&map, call->plan, core, ACL_FLOAT, problem->rank, problem->sizes);
    op_map_result(&map, &to);
    op_map_operand(&map, sums);
    if (problem->values[X3].tensor) op_map_argument(&map, call, X3);
    if (core == K_CORE_add) op_map_number(&map, 1);
    op_map_end(&map);
    op_deliver(call, &to, Y);
}

static void fused_product(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const enum fused kind = kind_of(problem);
    const enum k_core core = core_of(problem, kind);
    struct op_place to = op_target(call, Y, 0);
    if (op_is_empty(problem->values[Y].tensor)) return;
    if (core != K_CORES) {
        to = op_scratch_place(call->plan, ACL_FLOAT, problem->rank, problem->sizes);
        multiply(call, kind, &to);
        apply(call, core, &to);
        return;
    }
    if (is_disturbed(problem)) to = op_scratch_like(call->plan, &to.view);
    multiply(call, kind, &to);
    op_deliver(call, &to, Y);
}

const struct op_rule op_rule_fused_product = {
    .types = fused_product_types,
    .shapes = fused_product_shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){fused_product},
};
