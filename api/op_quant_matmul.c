/* SPDX-License-Identifier: Apache-2.0 */
/* Products of two factors of INT8 or INT4: aclnnQuantMatmul, V2 to V5 and WeightNz. */
#include <string.h>

#include "api/op_elementwise.h"
#include "api/op_shape.h"
#include "kernels/int8/k_int8.h"
#include "kernels/kernels.h"

enum { X1, X2, FOURS = 8 /* INT4 in an INT32 */ };

/* ---- the arguments ---- */

/* What the arguments of an operator mean; NULL: not there. The scale may be a number. */
struct quant_product {
    const struct op_value *scale, *token, *offset, *bias, *out;
};

/* One that is empty is not there either: PyTorch's extension passes those. */
static const struct op_value *given(const struct op_problem *problem, const char *name)
{
    const struct op_value *value = op_argument_named(problem, name);
    return value && value->tensor && !op_is_empty(value->tensor) ? value : NULL;
}

static const struct op_value *either(const struct op_problem *problem, const char *name,
                                     const char *other)
{
    const struct op_value *value = given(problem, name);
    return value ? value : given(problem, other);
}

static struct quant_product product_of(const struct op_problem *problem)
{
    const struct op_value *scale = op_argument_named(problem, "scale");
    if (!scale) scale = op_argument_named(problem, "x2Scale");
    return (struct quant_product){
        .scale = scale ? scale : op_argument_named(problem, "deqScale"),
        .token = either(problem, "pertokenScaleOptional", "x1Scale"),
        .offset = either(problem, "offset", "x2Offset"),
        .bias = given(problem, "bias"),
        .out = op_written(problem, 0),
    };
}

static aclDataType type_of(const struct op_value *value)
{
    return (aclDataType)value->tensor->descriptor.data_type;
}

static bool is_packed_scale(const struct op_value *scale)
{
    return scale->kind == OP_IN && (type_of(scale) == ACL_UINT64 || type_of(scale) == ACL_INT64);
}

/* ---- types ---- */

static aclnnStatus check_factors(const struct op_problem *problem, const struct quant_product *p)
{
    const char *name = problem->row->name;
    const aclDataType out = type_of(p->out);
    if (p->token)
        OP_TRY(op_check_type(name, p->token->name, p->token->tensor, OP_TYPE(ACL_FLOAT), "FLOAT"));
    if (p->offset) {
        OP_TRY(
            op_check_type(name, p->offset->name, p->offset->tensor, OP_TYPE(ACL_FLOAT), "FLOAT"));
        OP_CHECK(name, out == ACL_INT8, ACLNN_ERR_PARAM_INVALID,
                 "%s is given and out's data type is %s; only INT8 has an offset", p->offset->name,
                 op_data_type_name(out));
    }
    OP_CHECK(name, !p->token || (out != ACL_INT8 && out != ACL_INT32), ACLNN_ERR_PARAM_INVALID,
             "%s is given and out's data type is %s; it must be FLOAT16 or BF16", p->token->name,
             op_data_type_name(out));
    OP_CHECK(name, !p->token || !is_packed_scale(p->scale), ACLNN_ERR_PARAM_INVALID,
             "%s is given and %s's data type is %s; it must be FLOAT or BF16", p->token->name,
             p->scale->name, op_data_type_name(type_of(p->scale)));
    return ACLNN_SUCCESS;
}

/* The first two versions have results of FLOAT16 and a scale that is a number or packed. */
static aclnnStatus check_result(const struct op_problem *problem, const struct quant_product *p)
{
    const char *name = problem->row->name;
    const bool is_old = strcmp(p->scale->name, "deqScale") == 0;
    if (is_old && p->scale->kind == OP_IN)
        OP_TRY(op_check_type(name, "deqScale", p->scale->tensor, OP_TYPE(ACL_UINT64), "UINT64"));
    if (is_old) return op_check_type(name, "out", p->out->tensor, OP_TYPE(ACL_FLOAT16), "FLOAT16");
    OP_TRY(op_check_type(name, p->scale->name, p->scale->tensor,
                         OP_TYPE(ACL_UINT64) | OP_TYPE(ACL_INT64) | OP_TYPE(ACL_FLOAT) |
                             OP_TYPE(ACL_BF16),
                         "UINT64, INT64, FLOAT, BF16"));
    return op_check_type(name, "out", p->out->tensor,
                         OP_TYPE(ACL_FLOAT16) | OP_TYPE(ACL_BF16) | OP_TYPE(ACL_INT8) |
                             OP_TYPE(ACL_INT32),
                         "FLOAT16, BF16, INT8, INT32");
}

static aclnnStatus check_absent(const struct op_problem *problem)
{
    static const char *const names[] = {"yScale", "x1Offset", "yOffset"};
    const struct op_value *group = op_argument_named(problem, "groupSize");
    for (int i = 0; i < (int)RT_LENGTH(names); i++)
        OP_CHECK(problem->row->name, !given(problem, names[i]), ACLNN_ERR_PARAM_INVALID,
                 "%s is given; it is not supported and must be NULL or empty", names[i]);
    OP_CHECK(problem->row->name, !group || group->integer == 0, ACLNN_ERR_PARAM_INVALID,
             "groupSize is %" PRId64 "; scales of groups are not supported, it must be 0",
             group ? group->integer : 0);
    return ACLNN_SUCCESS;
}

static aclnnStatus quant_matmul_types(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct op_value *values = problem->values;
    const struct quant_product p = product_of(problem);
    const uint64_t wholes = OP_TYPE(ACL_INT8) | OP_TYPE(ACL_INT4) | OP_TYPE(ACL_INT32);
    for (int i = X1; i <= X2; i++)
        OP_TRY(op_check_type(name, values[i].name, values[i].tensor, wholes,
                             "INT8, INT4, INT32 (eight INT4 in one)"));
    OP_CHECK(name, (type_of(&values[X1]) == ACL_INT8) == (type_of(&values[X2]) == ACL_INT8),
             ACLNN_ERR_PARAM_INVALID,
             "x1's data type is %s and x2's %s; INT8 and INT4 are not multiplied with each other",
             op_data_type_name(type_of(&values[X1])), op_data_type_name(type_of(&values[X2])));
    OP_TRY(check_result(problem, &p));
    const bool is_real = type_of(p.out) == ACL_FLOAT16 || type_of(p.out) == ACL_BF16;
    if (p.bias && is_real && !is_packed_scale(p.scale))
        OP_TRY(op_check_type(name, "bias", p.bias->tensor,
                             OP_TYPE(ACL_INT32) | OP_TYPE(ACL_FLOAT) | OP_TYPE(ACL_FLOAT16) |
                                 OP_TYPE(ACL_BF16),
                             "INT32, FLOAT, FLOAT16, BF16"));
    else if (p.bias)
        OP_TRY(op_check_type(name, "bias", p.bias->tensor, OP_TYPE(ACL_INT32),
                             "INT32 (out is not FLOAT16 or BF16, or the scale packed)"));
    OP_TRY(check_factors(problem, &p));
    problem->type = problem->result = type_of(p.out);
    return check_absent(problem);
}

/* ---- shapes ---- */

/* A factor as matrices, after INT4 have become INT8. */
struct matrices {
    bool is_four;
    int64_t rows, columns, row, column;
    int64_t total; /* elements of memory, of INT4 */
    int batch_rank;
    const int64_t *batch_sizes;
    int64_t batch_strides[EX_MAX_RANK];
};

/* Whether the last two axes, dense, lie the other way round. */
static bool lies_transposed(const struct ex_descriptor *d)
{
    const int64_t *sizes = d->sizes + d->rank - 2, *strides = d->strides + d->rank - 2;
    return strides[0] == 1 && strides[1] == sizes[0] && sizes[0] > 1 && sizes[1] > 1;
}

static struct matrices matrices_of(const struct op_value *value, bool is_transposed)
{
    const struct ex_descriptor *d = &value->tensor->descriptor;
    const bool turned = d->data_type != ACL_INT8 && lies_transposed(d);
    const int last = d->rank - 1 - turned, other = d->rank - 2 + turned;
    struct matrices m = {
        .is_four = d->data_type != ACL_INT8,
        .rows = d->sizes[other],
        .columns = d->sizes[last] * (d->data_type == ACL_INT32 ? FOURS : 1),
        .row = d->sizes[other] == 1 ? 1 : d->strides[other],
        .column = d->sizes[last] == 1 ? 1 : d->strides[last],
        .batch_rank = d->rank - 2,
        .batch_sizes = d->sizes,
    };
    memcpy(m.batch_strides, d->strides, (size_t)m.batch_rank * sizeof *d->strides);
    if (m.is_four) {
        m.row = m.columns;
        m.column = 1;
        m.total = m.rows * m.columns;
        for (int i = d->rank - 3; i >= 0; i--) {
            m.batch_strides[i] = m.total;
            m.total *= d->sizes[i];
        }
    } else if (m.rows == 1) {
        m.row = m.columns;
    }
    if (is_transposed == turned) return m;
    const struct matrices as_is = m;
    m.rows = as_is.columns, m.columns = as_is.rows;
    m.row = as_is.column, m.column = as_is.row;
    return m;
}

static struct matrices left_of(const struct op_problem *problem)
{
    const int64_t adjoint = op_integer_named(problem, "adjX1", 0);
    return matrices_of(&problem->values[X1],
                       op_integer_named(problem, "transposeX1", adjoint) != 0);
}

static struct matrices right_of(const struct op_problem *problem)
{
    const int64_t adjoint = op_integer_named(problem, "adjX2", 0);
    return matrices_of(&problem->values[X2],
                       op_integer_named(problem, "transposeX2", adjoint) != 0);
}

/* INT4 lie densely, perhaps with the last two axes the other way round, from a whole byte on. */
static aclnnStatus check_four(const struct op_problem *problem, const struct op_value *value)
{
    const struct ex_descriptor *d = &value->tensor->descriptor;
    if (d->data_type == ACL_INT8) return ACLNN_SUCCESS;
    struct op_view view = op_view_of(value->tensor);
    if (lies_transposed(d)) {
        view.sizes[d->rank - 2] = d->sizes[d->rank - 1];
        view.sizes[d->rank - 1] = d->sizes[d->rank - 2];
        view.strides[d->rank - 2] = d->strides[d->rank - 1];
        view.strides[d->rank - 1] = 1;
    }
    OP_CHECK(problem->row->name, op_view_is_dense(&view), ACLNN_ERR_PARAM_INVALID,
             "%s holds INT4 and is not dense; only its last two axes may be transposed",
             value->name);
    OP_CHECK(problem->row->name, d->data_type == ACL_INT32 || d->offset % 2 == 0,
             ACLNN_ERR_PARAM_INVALID,
             "%s is of type INT4 and begins at element %" PRId64 "; it must be an even one",
             value->name, d->offset);
    OP_CHECK(problem->row->name, op_element_count(d->rank, d->sizes) < INT64_MAX / (2 * FOURS),
             ACLNN_ERR_PARAM_INVALID, "%s has too many elements", value->name);
    return ACLNN_SUCCESS;
}

/* problem->rank and sizes: the result's shape. */
static aclnnStatus find_shape(struct op_problem *problem, const struct matrices *a,
                              const struct matrices *b)
{
    const int batch = a->batch_rank > b->batch_rank ? a->batch_rank : b->batch_rank;
    for (int i = 1; i <= batch; i++) {
        const int64_t of_a = i <= a->batch_rank ? a->batch_sizes[a->batch_rank - i] : 1;
        const int64_t of_b = i <= b->batch_rank ? b->batch_sizes[b->batch_rank - i] : 1;
        OP_CHECK(problem->row->name, of_a == of_b || of_a == 1 || of_b == 1,
                 ACLNN_ERR_PARAM_INVALID, "x1 has a batch of %" PRId64 ", x2 one of %" PRId64, of_a,
                 of_b);
        problem->sizes[batch - i] = of_a == 1 ? of_b : of_a;
    }
    problem->sizes[batch] = a->rows;
    problem->sizes[batch + 1] = b->columns;
    problem->rank = batch + 2;
    return ACLNN_SUCCESS;
}

/* A factor of so many elements, or of one. */
static aclnnStatus check_row(const struct op_problem *problem, const struct op_value *value,
                             int64_t count)
{
    struct op_shape_text text;
    if (!value || !op_is_tensor(value)) return ACLNN_SUCCESS;
    const struct ex_descriptor *d = &value->tensor->descriptor;
    const bool may_be_longer = strcmp(value->name, "deqScale") == 0; /* a multiple of 16 */
    const bool is_longer =
        may_be_longer && d->rank == 1 && count > 0 && d->sizes[0] == ((count - 1) | 15) + 1;
    OP_CHECK(problem->row->name,
             d->rank == 1 && (d->sizes[0] == count || d->sizes[0] == 1 || is_longer),
             ACLNN_ERR_PARAM_INVALID, "%s's shape is %s; it must be (%" PRId64 ") or (1)",
             value->name, op_shape(&text, value->tensor), count);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_bias(const struct op_problem *problem, const struct op_value *bias)
{
    struct op_shape_text text;
    if (!bias) return ACLNN_SUCCESS;
    const struct ex_descriptor *d = &bias->tensor->descriptor;
    const int64_t n = problem->sizes[problem->rank - 1];
    bool fits = d->rank == 1 || (d->rank == problem->rank && d->rank <= 3);
    fits = fits && d->sizes[d->rank - 1] == n && (d->rank == 1 || d->sizes[d->rank - 2] == 1);
    fits = fits && (d->rank < 3 || d->sizes[0] == problem->sizes[0]);
    OP_CHECK(problem->row->name, fits, ACLNN_ERR_PARAM_INVALID,
             "bias's shape is %s; it must be (n), or (1, n) or (batch, 1, n) as out, with n = "
             "%" PRId64,
             op_shape(&text, bias->tensor), n);
    return ACLNN_SUCCESS;
}

static aclnnStatus quant_matmul_shapes(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct quant_product p = product_of(problem);
    for (int i = X1; i <= X2; i++) {
        const struct op_value *value = &problem->values[i];
        OP_TRY(op_check_rank(name, value->name, value->tensor, 2, K_GEMM_BATCH + 2));
        OP_TRY(check_four(problem, value));
    }
    const struct matrices a = left_of(problem), b = right_of(problem);
    OP_CHECK(name, a.columns == b.rows, ACLNN_ERR_PARAM_INVALID,
             "x1 has %" PRId64 " columns, x2 has %" PRId64 " rows; they must be as many", a.columns,
             b.rows);
    OP_CHECK(name, a.columns >= 1, ACLNN_ERR_PARAM_INVALID,
             "x1 has no columns; there must be at least 1");
    OP_TRY(find_shape(problem, &a, &b));
    OP_TRY(check_row(problem, p.scale, b.columns));
    OP_TRY(check_row(problem, p.token, a.rows));
    OP_TRY(check_row(problem, p.offset, b.columns));
    OP_TRY(op_check_shape(problem, p.out, p.out->tensor, problem->rank, problem->sizes));
    return check_bias(problem, p.bias);
}

/* ---- plan ---- */

/* INT8 as they lie, INT4 in scratch. */
static int bytes_of(const struct op_shape_call *call, int argument, const struct matrices *m)
{
    if (!m->is_four) return op_source(call, argument, 0).buffer;
    const struct k_int8_widen widen = {.bytes = (m->total + 1) / 2};
    const int from = op_target(call, argument, 0).buffer;
    const int to = ex_scratch(call->plan, (size_t)(2 * widen.bytes));
    ex_step(call->plan, "int8_widen", k_best()->int8_widen, &widen, sizeof widen,
            k_int8_widen_plan(&widen), EX_BUFFERS(from, to));
    return to;
}

static struct k_gemm_matrix factor_matrix(const struct matrices *m)
{
    struct k_gemm_matrix matrix = {.dtype = K_I8, .row = m->row, .column = m->column};
    for (int i = 1; i <= m->batch_rank; i++)
        if (m->batch_sizes[m->batch_rank - i] != 1)
            matrix.batch[K_GEMM_BATCH - i] = m->batch_strides[m->batch_rank - i];
    return matrix;
}

/* A row of factors, and which buffer holds it; `otherwise` where it is not there. */
static int factor(const struct op_shape_call *call, const struct op_value *value, int otherwise,
                  struct k_int8_factor *to)
{
    if (!value) return otherwise;
    const struct op_place place = op_source(call, (int)(value - call->problem->values), 0);
    *to = (struct k_int8_factor){.is_there = true, .dtype = op_k_dtype_of(place.view.type)};
    if (to->dtype == K_I64) to->dtype = K_U64;
    to->step = place.view.sizes[0] == 1 ? 0 : place.view.strides[0];
    return place.buffer;
}

/* A scale that is a number, in scratch. */
static int number_factor(const struct op_shape_call *call, float number, struct k_int8_factor *to)
{
    const int64_t one = 1;
    const struct op_place place = op_scratch_place(call->plan, ACL_FLOAT, 1, &one);
    op_fill_place(call->plan, &place, (double)number, 0);
    *to = (struct k_int8_factor){.is_there = true, .dtype = K_F32};
    return place.buffer;
}

static int add_bias(const struct op_shape_call *call, const struct op_value *bias, int otherwise,
                    struct k_gemm *gemm)
{
    if (!bias) return otherwise;
    const struct op_place place = op_source(call, (int)(bias - call->problem->values), 0);
    const struct op_view *view = &place.view;
    gemm->has_addend = true;
    gemm->addend = (struct k_gemm_matrix){.dtype = op_k_dtype_of(view->type)};
    if (view->sizes[view->rank - 1] > 1) gemm->addend.column = view->strides[view->rank - 1];
    if (view->rank == 3 && view->sizes[0] > 1)
        gemm->addend.batch[K_GEMM_BATCH - 1] = view->strides[0];
    return place.buffer;
}

static void quant_matmul(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const struct quant_product p = product_of(problem);
    const struct matrices a = left_of(problem), b = right_of(problem);
    const int argument = (int)(p.out - problem->values), batch = problem->rank - 2;
    if (op_is_empty(p.out->tensor)) return;
    struct op_place out = op_dense_target(call, argument);
    struct k_int8 product = {
        .gemm = {.m = a.rows,
                 .n = b.columns,
                 .k = a.columns,
                 .batch = {1, 1, 1, 1},
                 .a = factor_matrix(&a),
                 .b = factor_matrix(&b),
                 .c = {.dtype = op_k_dtype(p.out->tensor), .row = b.columns, .column = 1},
                 .alpha = 1}};
    struct k_gemm *gemm = &product.gemm;
    double products = (double)gemm->m * (double)gemm->n * (double)gemm->k;
    int64_t step = gemm->m * gemm->n;
    for (int i = 1; i <= batch; i++) {
        gemm->batch[K_GEMM_BATCH - i] = problem->sizes[batch - i];
        gemm->c.batch[K_GEMM_BATCH - i] = step;
        step *= problem->sizes[batch - i];
        products *= (double)problem->sizes[batch - i];
    }
    const int left = bytes_of(call, X1, &a), right = bytes_of(call, X2, &b);
    const int bias = add_bias(call, p.bias, out.buffer, gemm);
    int scale = out.buffer;
    if (!op_is_tensor(p.scale))
        scale = number_factor(call, (float)p.scale->real, &product.scale);
    else if (gemm->c.dtype != K_I32)
        scale = factor(call, p.scale, out.buffer, &product.scale);
    const int token = factor(call, p.token, out.buffer, &product.token);
    const int offset = factor(call, p.offset, out.buffer, &product.offset);
    ex_step_way(call->plan, "int8_product", K_CHOICE_int8_product, K_F32, &product, sizeof product,
                EX_BUFFERS(left, right, out.buffer, bias, scale, token, offset), NULL);
    ex_flops(call->plan, 2 * products);
    op_deliver(call, &out, argument);
}

const struct op_rule op_rule_quant_matmul = {
    .types = quant_matmul_types,
    .shapes = quant_matmul_shapes,
    .runs_empty = true,
    .takes_nz = true,
    .more = &(const struct op_shape_rule){quant_matmul},
};
