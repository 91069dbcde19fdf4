/* SPDX-License-Identifier: Apache-2.0 */
/* Products with a weight of INT8 or INT4: aclnnWeightQuantBatchMatmulV2 and V3. */
#include "api/op_elementwise.h"
#include "api/op_shape.h"
#include "kernels/quant/k_quant.h"

enum { X, WEIGHT, SCALE, OFFSET, QUANT_SCALE, QUANT_OFFSET, BIAS, GROUP };

static const struct ex_descriptor *shape_of(const struct op_problem *problem, int argument)
{
    return &problem->values[argument].tensor->descriptor;
}

/* ---- checks ---- */

static aclnnStatus weight_quant_types(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct op_value *values = problem->values, *y = op_written(problem, 0);
    const uint64_t half_types = OP_TYPE(ACL_FLOAT16) | OP_TYPE(ACL_BF16);
    const aclTensor *x = values[X].tensor, *bias = values[BIAS].tensor;
    for (int i = QUANT_SCALE; i <= QUANT_OFFSET; i++)
        OP_CHECK(name, !values[i].tensor, ACLNN_ERR_PARAM_INVALID,
                 "%s is given; results of INT8 are not supported, it must be NULL", values[i].name);
    OP_TRY(op_check_type(name, "x", x, half_types, "FLOAT16, BF16"));
    OP_TRY(op_check_type(name, "weight", values[WEIGHT].tensor,
                         OP_TYPE(ACL_INT8) | OP_TYPE(ACL_INT4), "INT8, INT4"));
    OP_TRY(op_check_same_type(name, values[SCALE].name, values[SCALE].tensor, "x", x));
    if (values[OFFSET].tensor)
        OP_TRY(op_check_same_type(name, values[OFFSET].name, values[OFFSET].tensor, "x", x));
    if (bias) OP_TRY(op_check_float(name, values[BIAS].name, bias));
    problem->type = problem->result = (aclDataType)x->descriptor.data_type;
    return op_check_same_type(name, y->name, y->tensor, "x", x);
}

/* Of a factor that serves all columns, one per column, or one per group and column. */
static aclnnStatus check_factor(const struct op_problem *problem, int argument)
{
    struct op_shape_text text;
    const struct ex_descriptor *d = shape_of(problem, argument);
    const int64_t k = shape_of(problem, X)->sizes[1], n = shape_of(problem, WEIGHT)->sizes[1];
    const int64_t group = problem->values[GROUP].integer;
    const int64_t groups = group > 0 ? (k - 1) / group + 1 : 1;
    const int64_t columns = d->rank > 0 ? d->sizes[d->rank - 1] : 0;
    const bool is_row = d->rank == 1 || (d->rank == 2 && d->sizes[0] == groups);
    const bool is_one = group == 0 && (d->rank == 1 || d->rank == 2) && columns == 1;
    const bool fits = (is_row || is_one) && (columns == n || is_one) &&
                      (group == 0 || d->rank == 2) && (d->rank == 1 || d->sizes[0] == groups);
    OP_CHECK(problem->row->name, fits, ACLNN_ERR_PARAM_INVALID,
             "%s's shape is %s; antiquantGroupSize %" PRId64 ", k %" PRId64 " and n %" PRId64
             " need (%" PRId64 ", %" PRId64 ")%s",
             problem->values[argument].name, op_shape(&text, problem->values[argument].tensor),
             group, k, n, groups, n, group == 0 ? ", (n) or (1)" : "");
    return ACLNN_SUCCESS;
}

/* Of one stride 1, and nothing in front of a whole byte. */
static aclnnStatus check_weight(const struct op_problem *problem)
{
    const struct ex_descriptor *d = shape_of(problem, WEIGHT);
    const bool is_dense =
        (d->sizes[1] == 1 || d->strides[1] == 1) || d->strides[0] == 1 || d->sizes[0] == 1;
    if (d->data_type != ACL_INT4) return ACLNN_SUCCESS;
    OP_CHECK(problem->row->name, is_dense, ACLNN_ERR_PARAM_INVALID,
             "weight is of type INT4 and has strides %" PRId64 " and %" PRId64
             "; one of them must be 1",
             d->strides[0], d->strides[1]);
    OP_CHECK(problem->row->name, d->offset % 2 == 0, ACLNN_ERR_PARAM_INVALID,
             "weight is of type INT4 and begins at element %" PRId64 "; it must be an even one",
             d->offset);
    return ACLNN_SUCCESS;
}

static aclnnStatus weight_quant_shapes(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct op_value *values = problem->values, *y = op_written(problem, 0);
    const int64_t group = values[GROUP].integer;
    OP_TRY(op_check_rank(name, "x", values[X].tensor, 2, 2));
    OP_TRY(op_check_rank(name, "weight", values[WEIGHT].tensor, 2, 2));
    const int64_t *x = shape_of(problem, X)->sizes, *weight = shape_of(problem, WEIGHT)->sizes;
    const int64_t sizes[] = {x[0], weight[1]};
    OP_CHECK(name, x[1] == weight[0], ACLNN_ERR_PARAM_INVALID,
             "x has %" PRId64 " columns, weight has %" PRId64 " rows; they must be as many", x[1],
             weight[0]);
    OP_CHECK(name, x[1] >= 1, ACLNN_ERR_PARAM_INVALID,
             "x has no columns; there must be at least 1");
    OP_CHECK(name, group >= 0 && group % K_QUANT_GROUP == 0, ACLNN_ERR_PARAM_INVALID,
             "antiquantGroupSize is %" PRId64 "; it must be 0 or a multiple of %d", group,
             K_QUANT_GROUP);
    OP_TRY(check_weight(problem));
    OP_TRY(check_factor(problem, SCALE));
    if (values[OFFSET].tensor) {
        OP_TRY(check_factor(problem, OFFSET));
        OP_TRY(op_check_same_shape(name, values[OFFSET].name, values[OFFSET].tensor,
                                   values[SCALE].name, values[SCALE].tensor));
    }
    if (values[BIAS].tensor) {
        const struct ex_descriptor *bias = shape_of(problem, BIAS);
        const int64_t row[] = {1, weight[1]};
        OP_TRY(op_check_shape(problem, &values[BIAS], values[BIAS].tensor, bias->rank == 2 ? 2 : 1,
                              bias->rank == 2 ? row : row + 1));
    }
    const bool has_precise = op_argument_named(problem, "innerPrecise") != NULL;
    const int64_t precise = op_integer_named(problem, "innerPrecise", 0);
    OP_CHECK(name, !has_precise || precise == 0 || precise == 1, ACLNN_ERR_PARAM_INVALID,
             "innerPrecise is %" PRId64 "; it must be 0 or 1", precise);
    return op_check_shape(problem, y, y->tensor, 2, sizes);
}

/* ---- plan ---- */

static int64_t stride_of(const struct op_view *view, int axis)
{
    return axis < 0 || view->sizes[axis] == 1 ? 0 : view->strides[axis];
}

static struct k_quant_factor factor_of(const struct op_view *view)
{
    return (struct k_quant_factor){.dtype = op_k_dtype_of(view->type),
                                   .group = stride_of(view, view->rank - 2),
                                   .column = stride_of(view, view->rank - 1)};
}

/* The weight as it lies; copied where neither axis is dense. */
static struct op_place weight_place(const struct op_shape_call *call, struct k_quant *q)
{
    const struct ex_descriptor *d = shape_of(call->problem, WEIGHT);
    struct op_place weight = op_target(call, WEIGHT, 0);
    q->is_four = d->data_type == ACL_INT4;
    q->row = d->sizes[0] == 1 ? 1 : d->strides[0];
    q->column = d->sizes[1] == 1 ? 1 : d->strides[1];
    if (q->row == 1 && d->sizes[1] == 1) q->column = d->sizes[0]; /* nobody follows it */
    if (q->row != 1 && q->column != 1) {
        weight = op_dense_source(call, WEIGHT);
        q->row = d->sizes[1];
        q->column = 1;
    }
    return weight;
}

static struct k_gemm_matrix matrix_of(const struct op_view *view)
{
    return (struct k_gemm_matrix){.dtype = op_k_dtype_of(view->type),
                                  .row = view->sizes[0] == 1 ? view->sizes[1] : view->strides[0],
                                  .column = view->sizes[1] == 1 ? 1 : view->strides[1]};
}

static void weight_quant(const struct op_shape_call *call)
{
    const struct op_value *values = call->problem->values;
    const int argument = (int)(op_written(call->problem, 0) - values);
    const struct op_place x = op_source(call, X, 0), scale = op_source(call, SCALE, 0);
    struct k_quant q = {.gemm = {.m = x.view.sizes[0],
                                 .n = shape_of(call->problem, WEIGHT)->sizes[1],
                                 .k = x.view.sizes[1],
                                 .batch = {1, 1, 1, 1},
                                 .a = matrix_of(&x.view),
                                 .b = {.dtype = K_F32},
                                 .alpha = 1,
                                 .beta = 1}};
    const struct op_place weight = weight_place(call, &q);
    struct op_place offset = scale, bias = scale;
    q.group = values[GROUP].integer > 0 ? values[GROUP].integer : q.gemm.k;
    q.scale = factor_of(&scale.view);
    if (values[OFFSET].tensor) {
        offset = op_source(call, OFFSET, 0);
        q.has_offset = true;
        q.offset = factor_of(&offset.view);
    }
    if (values[BIAS].tensor) {
        bias = op_source(call, BIAS, 0);
        q.gemm.has_addend = true;
        q.gemm.addend.dtype = op_k_dtype_of(bias.view.type);
        q.gemm.addend.column = stride_of(&bias.view, bias.view.rank - 1);
    }
    struct op_place y = op_dense_target(call, argument);
    if (op_meets(shape_of(call->problem, argument), shape_of(call->problem, WEIGHT)))
        y = op_scratch_like(call->plan, &y.view);
    const struct op_view own = op_view_dense(y.view.type, 2, y.view.sizes);
    q.gemm.c = matrix_of(&own);
    ex_step_way(
        call->plan, "quant", K_CHOICE_quant, K_F32, &q, sizeof q,
        EX_BUFFERS(x.buffer, weight.buffer, y.buffer, bias.buffer, scale.buffer, offset.buffer),
        NULL);
    ex_flops(call->plan, 2 * (double)q.gemm.m * (double)q.gemm.n * (double)q.gemm.k);
    op_deliver(call, &y, argument);
}

const struct op_rule op_rule_weight_quant = {
    .types = weight_quant_types,
    .shapes = weight_quant_shapes,
    .more = &(const struct op_shape_rule){weight_quant},
};
