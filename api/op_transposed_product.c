/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnTransposeBatchMatMul and WeightNz: products of batches of matrices whose rows come first in
 * the result, one matrix beside the other. Nothing is transposed: the axes' strides change places.
 */
#include <string.h>

#include "api/op_elementwise.h"
#include "api/op_pool.h"
#include "api/op_product.h"
#include "kernels/int8/k_int8.h"
#include "kernels/kernels.h"
#include "kernels/quant/k_quantize.h"

enum { X1, X2, BIAS, SCALE, PERM_X1, PERM_X2, PERM_Y, CUBE_MATH, SPLIT, OUT };

static const struct ex_descriptor *tensor_of(const struct op_problem *problem, int argument)
{
    return &problem->values[argument].tensor->descriptor;
}

/* ---- checks ---- */

static aclnnStatus transposed_product_types(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct op_value *values = problem->values;
    const bool is_small = values[SCALE].tensor != NULL;
    for (int i = X1; i <= X2; i++)
        OP_TRY(op_check_type(name, values[i].name, values[i].tensor, problem->row->types,
                             problem->row->type_names));
    OP_CHECK(name, !values[BIAS].tensor, ACLNN_ERR_PARAM_INVALID,
             "bias is given; it is not supported and must be NULL");
    if (is_small)
        OP_TRY(op_check_type(name, "scale", values[SCALE].tensor,
                             OP_TYPE(ACL_UINT64) | OP_TYPE(ACL_INT64), "UINT64, INT64"));
    for (int i = PERM_X1; i <= PERM_Y; i++)
        OP_CHECK(name, values[i].ints, ACLNN_ERR_PARAM_NULLPTR, "%s is NULL", values[i].name);
    problem->type = op_promote((aclDataType)tensor_of(problem, X1)->data_type,
                               (aclDataType)tensor_of(problem, X2)->data_type);
    problem->result = (aclDataType)tensor_of(problem, OUT)->data_type;
    if (is_small)
        return op_check_type(name, "out", values[OUT].tensor, OP_TYPE(ACL_INT8),
                             "INT8 (scale is given)");
    return op_check_type(name, "out", values[OUT].tensor, problem->row->types,
                         problem->row->type_names);
}

/* One of two orders of three axes: `changed` or, if it may be, their own. */
static aclnnStatus check_order(const struct op_problem *problem, int argument,
                               const int64_t *changed, bool may_be_own, const char *rule)
{
    static const int64_t own[] = {0, 1, 2};
    const struct op_value *value = &problem->values[argument];
    const size_t bytes = sizeof own;
    OP_CHECK(problem->row->name, value->ints->size == 3, ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRIu64 " elements; it must have 3", value->name, value->ints->size);
    const int64_t *order = value->ints->values;
    OP_CHECK(problem->row->name,
             memcmp(order, changed, bytes) == 0 || (may_be_own && memcmp(order, own, bytes) == 0),
             ACLNN_ERR_PARAM_INVALID,
             "%s is (%" PRId64 ", %" PRId64 ", %" PRId64 "); it must be %s", value->name, order[0],
             order[1], order[2], rule);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_orders(const struct op_problem *problem)
{
    static const int64_t rows_first[] = {1, 0, 2}, columns_first[] = {0, 2, 1};
    OP_TRY(check_order(problem, PERM_X1, rows_first, true, "(0, 1, 2) or (1, 0, 2)"));
    OP_TRY(check_order(problem, PERM_X2, columns_first, true, "(0, 1, 2) or (0, 2, 1)"));
    return check_order(problem, PERM_Y, rows_first, false, "(1, 0, 2)");
}

/* A factor in the order that is asked for: batch, rows, columns. */
static struct op_view ordered(const struct op_problem *problem, const struct op_view *view,
                              int argument)
{
    const int64_t *order = problem->values[argument].ints->values;
    struct op_view to = *view;
    for (int i = 0; i < 3; i++) {
        to.sizes[i] = view->sizes[order[i]];
        to.strides[i] = view->strides[order[i]];
    }
    return to;
}

static struct op_view factor_of(const struct op_problem *problem, int argument)
{
    const struct op_view view = op_view_of(problem->values[argument].tensor);
    return ordered(problem, &view, argument == X1 ? PERM_X1 : PERM_X2);
}

/* problem->rank and sizes: the result's shape. */
static aclnnStatus find_shape(struct op_problem *problem, const struct op_view *a,
                              const struct op_view *b)
{
    const char *name = problem->row->name;
    const int64_t batch = b->sizes[0], split = problem->values[SPLIT].integer;
    const bool is_small = problem->values[SCALE].tensor != NULL;
    int64_t columns;
    OP_CHECK(name, split == 1 || !is_small, ACLNN_ERR_PARAM_INVALID,
             "batchSplitFactor is %" PRId64 " and scale is given; it must be 1", split);
    OP_CHECK(name, split >= 1 && batch % split == 0, ACLNN_ERR_PARAM_INVALID,
             "batchSplitFactor is %" PRId64 "; it must divide the batch, %" PRId64, split, batch);
    OP_CHECK(name, !__builtin_mul_overflow(batch, b->sizes[2], &columns), ACLNN_ERR_PARAM_INVALID,
             "the batch of %" PRId64 " by %" PRId64 " columns exceeds 2^63", batch, b->sizes[2]);
    problem->rank = 3;
    problem->sizes[0] = split > 1 ? split : a->sizes[1];
    problem->sizes[1] = split > 1 ? a->sizes[1] : is_small ? 1 : batch;
    problem->sizes[2] = split > 1 ? columns / split : is_small ? columns : b->sizes[2];
    if (!is_small) return ACLNN_SUCCESS;
    return op_check_shape(problem, &problem->values[SCALE], problem->values[SCALE].tensor, 1,
                          &columns);
}

static aclnnStatus transposed_product_shapes(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct op_value *values = problem->values;
    for (int i = X1; i <= X2; i++)
        OP_TRY(op_check_rank(name, values[i].name, values[i].tensor, 3, 3));
    OP_TRY(check_orders(problem));
    const struct op_view a = factor_of(problem, X1), b = factor_of(problem, X2);
    OP_CHECK(name, a.sizes[2] == b.sizes[1], ACLNN_ERR_PARAM_INVALID,
             "x1 has %" PRId64 " columns, x2 has %" PRId64 " rows; they must be as many",
             a.sizes[2], b.sizes[1]);
    OP_CHECK(name, a.sizes[0] == b.sizes[0], ACLNN_ERR_PARAM_INVALID,
             "x1 has a batch of %" PRId64 ", x2 one of %" PRId64, a.sizes[0], b.sizes[0]);
    OP_TRY(find_shape(problem, &a, &b));
    OP_TRY(
        op_check_shape(problem, &values[OUT], values[OUT].tensor, problem->rank, problem->sizes));
    return op_check_math_type(name, (int8_t)values[CUBE_MATH].integer, 3);
}

/* ---- plan ---- */

/* A factor as parts of the batch, batches, rows, columns. */
static struct op_view with_parts(const struct op_view *view, int64_t parts)
{
    const int64_t batch = view->sizes[0] / parts;
    return (struct op_view){.type = view->type,
                            .rank = 4,
                            .offset = view->offset,
                            .sizes = {parts, batch, view->sizes[1], view->sizes[2]},
                            .strides = {batch * view->strides[0], view->strides[0],
                                        view->strides[1], view->strides[2]}};
}

/* The result the same way: (m, batch, n), or (parts, m, batch n). */
static struct op_view result_with_parts(const struct op_view *out, int64_t parts, int64_t n)
{
    const int64_t *sizes = out->sizes, *strides = out->strides;
    struct op_view view = {.type = out->type,
                           .rank = 4,
                           .offset = out->offset,
                           .sizes = {1, sizes[1], sizes[0], n},
                           .strides = {0, strides[1], strides[0], strides[2]}};
    if (parts == 1) return view;
    return (struct op_view){.type = out->type,
                            .rank = 4,
                            .offset = out->offset,
                            .sizes = {parts, n > 0 ? sizes[2] / n : 0, sizes[1], n},
                            .strides = {strides[0], n * strides[2], strides[1], strides[2]}};
}

static void multiply(const struct op_shape_call *call, const struct op_place *out)
{
    const struct op_problem *problem = call->problem;
    const int64_t parts = problem->values[SPLIT].integer;
    const struct op_view left = factor_of(problem, X1), right = factor_of(problem, X2);
    const struct op_view a = with_parts(&left, parts), b = with_parts(&right, parts);
    const struct op_view c = result_with_parts(&out->view, parts, right.sizes[2]);
    struct k_gemm gemm = op_product(&a, &b, &c);
    gemm.rounding =
        op_math_rounding((int8_t)problem->values[CUBE_MATH].integer, op_k_dtype_of(problem->type));
    op_product_step(call->plan, &gemm, call->buffers[X1], call->buffers[X2], out->buffer, -1);
}

/* Sums in FLOAT, then INT8 by a scale and an offset for each column of each matrix. */
static void multiply_small(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const int64_t columns = problem->sizes[2];
    const struct op_place scale = op_dense_source(call, SCALE);
    const struct op_place sums = op_scratch_place(call->plan, ACL_FLOAT, 3, problem->sizes);
    const struct op_place factors = op_scratch_place(call->plan, ACL_FLOAT, 1, &columns);
    const struct op_place offsets = op_scratch_place(call->plan, ACL_FLOAT, 1, &columns);
    const struct k_int8_param param = {.count = columns};
    const struct k_quantize q = {.what = K_QUANTIZE,
                                 .from = K_F32,
                                 .to = K_I8,
                                 .factor = K_F32,
                                 .offset = K_F32,
                                 .rows = problem->sizes[0],
                                 .columns = columns,
                                 .inner = 1,
                                 .by_column = true,
                                 .has_scale = true,
                                 .has_offset = true};
    struct op_view rows = sums.view; /* (m, b, n), as without a scale */
    const int64_t n = factor_of(problem, X2).sizes[2];
    rows.sizes[1] = n > 0 ? columns / n : 0;
    rows.sizes[2] = n;
    rows.strides[1] = n;
    multiply(call, &(const struct op_place){sums.buffer, rows});
    const struct op_place out = op_dense_target(call, OUT);
    ex_step(call->plan, "int8_unpack", k_best()->int8_unpack, &param, sizeof param,
            k_int8_param_plan(&param), EX_BUFFERS(scale.buffer, factors.buffer, offsets.buffer));
    ex_step(call->plan, "quantize", k_best()->quantize, &q, sizeof q, k_quantize_plan(&q),
            EX_BUFFERS(sums.buffer, factors.buffer, offsets.buffer, out.buffer));
    op_deliver(call, &out, OUT);
}

/* Whether the result must not be written while factors are read. */
static bool is_disturbed(const struct op_problem *problem)
{
    const struct ex_descriptor *out = tensor_of(problem, OUT);
    for (int i = X1; i <= X2; i++)
        if (!op_is_empty(problem->values[i].tensor) && op_meets(out, tensor_of(problem, i)))
            return true;
    return false;
}

static void transposed_product(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    if (op_is_empty(problem->values[OUT].tensor)) return;
    if (problem->values[SCALE].tensor) {
        multiply_small(call);
        return;
    }
    struct op_place out = op_target(call, OUT, 0);
    if (is_disturbed(problem)) out = op_scratch_like(call->plan, &out.view);
    multiply(call, &out);
    op_deliver(call, &out, OUT);
}

const struct op_rule op_rule_transposed_product = {
    .types = transposed_product_types,
    .shapes = transposed_product_shapes,
    .runs_empty = true,
    .takes_nz = true,
    .more = &(const struct op_shape_rule){transposed_product},
};
