/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices, vectors and batches of them: shapes and strides of one k_gemm. Where a
 * batch is summed (addbmm), it becomes a part of the terms. */
#include <string.h>

#include "api/op_complex.h"
#include "api/op_copy.h"
#include "api/op_elementwise.h"
#include "api/op_families.h"
#include "api/op_matmul.h"
#include "api/op_pool.h"
#include "api/op_rule.h"
#include "executor/steps.h"
#include "kernels/gemm/k_gemm.h"

/* ---- the arguments ---- */

static const struct op_value *named(const struct op_problem *problem, const char *name)
{
    for (int i = 0; i < problem->count; i++)
        if (strcmp(problem->values[i].name, name) == 0) return &problem->values[i];
    return NULL;
}

static void find_factor(const struct op_problem *problem, const char *name, const char *optional,
                        double factor[2])
{
    const struct op_value *value = named(problem, name);
    if (!value) value = named(problem, optional);
    factor[0] = !value ? 1 : op_is_scalar(value) ? op_scalar_real(value->scalar) : value->real;
    factor[1] = value && op_is_scalar(value) ? op_scalar_imaginary(value->scalar) : 0;
}

struct op_matmul_call op_matmul_call_of(const struct op_problem *problem)
{
    struct op_matmul_call p = {.alpha = {1}};
    const struct op_value *math = named(problem, "cubeMathType");
    const bool is_scaled = op_matmul_is_scaled(problem->row->core);
    if (is_scaled) {
        const bool is_gemm = problem->row->core == OP_MATMUL_gemm;
        p.addend = is_gemm ? &problem->values[2] : problem->tensor[0];
        p.left = is_gemm ? &problem->values[0] : problem->tensor[1];
        p.right = is_gemm ? &problem->values[1] : problem->tensor[2];
        find_factor(problem, "alpha", "alphaOptional", p.alpha);
        find_factor(problem, "beta", "betaOptional", p.beta);
        p.left_transposed = is_gemm && problem->values[5].integer != 0;
        p.right_transposed = is_gemm && problem->values[6].integer != 0;
    } else {
        p.left = problem->tensor[0];
        p.right = problem->tensor[1];
    }
    for (int i = 0; i < problem->tensor_count; i++)
        if (op_is_written(problem->tensor[i])) p.out = problem->tensor[i];
    p.math = math ? (int8_t)math->integer : 0;
    return p;
}

/* ---- checks ---- */

static aclnnStatus matmul_types(struct op_problem *problem)
{
    OP_TRY(op_find_type(problem));
    for (int i = 0; i < problem->tensor_count; i++) {
        const struct op_value *value = problem->tensor[i];
        const aclDataType type = (aclDataType)value->tensor->descriptor.data_type;
        OP_TRY(op_check_type(problem->row->name, value->name, value->tensor, problem->row->types,
                             problem->row->type_names));
        OP_CHECK(problem->row->name, (type == ACL_DOUBLE) == (problem->type == ACL_DOUBLE),
                 ACLNN_ERR_PARAM_INVALID,
                 "%s's data type is %s; DOUBLE is not multiplied with other types", value->name,
                 op_data_type_name(type));
        OP_CHECK(problem->row->name,
                 type == problem->type || (!op_is_complex(type) && !op_is_complex(problem->type)),
                 ACLNN_ERR_PARAM_INVALID,
                 "%s's data type is %s; complex numbers are multiplied with their own type only",
                 value->name, op_data_type_name(type));
    }
    return ACLNN_SUCCESS;
}

/* Ranks of the two factors that an operator takes; -1: any from 1 on. */
static const struct {
    int left, right;
} ranks[] = {
    [OP_MATMUL_mm] = {2, 2},    [OP_MATMUL_matmul] = {-1, -1}, [OP_MATMUL_bmm] = {3, 3},
    [OP_MATMUL_addmm] = {2, 2}, [OP_MATMUL_baddbmm] = {3, 3},  [OP_MATMUL_addbmm] = {3, 3},
    [OP_MATMUL_mv] = {2, 1},    [OP_MATMUL_addmv] = {2, 1},    [OP_MATMUL_dot] = {1, 1},
    [OP_MATMUL_gemm] = {2, 2},
};

static aclnnStatus check_rank(const struct op_problem *problem, const struct op_value *value,
                              int rank)
{
    const int least = rank < 0 ? 1 : rank, most = rank < 0 ? K_GEMM_BATCH + 2 : rank;
    return op_check_rank(problem->row->name, value->name, value->tensor, least, most);
}

/* A factor as matrices: extents, strides, and the axes of the batch in front of them. */
struct factor {
    int64_t rows, columns, row, column;
    int batch_rank;
    const int64_t *batch_sizes, *batch_strides;
};

static struct factor factor_of(const struct op_value *value, bool is_left, bool is_transposed)
{
    const struct ex_descriptor *d = &value->tensor->descriptor;
    struct factor f = {
        .batch_rank = d->rank - 2, .batch_sizes = d->sizes, .batch_strides = d->strides};
    if (d->rank == 1) {
        const bool is_column = !is_left; /* a vector on the left is a row */
        const int64_t step = d->sizes[0] == 1 ? 1 : d->strides[0];
        f.batch_rank = 0;
        f.rows = is_column ? d->sizes[0] : 1;
        f.columns = is_column ? 1 : d->sizes[0];
        f.row = is_column ? step : 0;
        f.column = is_column ? 0 : step;
        return f;
    }
    const int rows = d->rank - 2 + is_transposed, columns = d->rank - 1 - is_transposed;
    f.rows = d->sizes[rows], f.row = d->strides[rows];
    f.columns = d->sizes[columns], f.column = d->strides[columns];
    /* Strides that nobody follows choose no way. */
    if (f.columns == 1) f.column = 1;
    if (f.rows == 1) f.row = f.columns;
    return f;
}

/* problem->rank and sizes: the result's shape. */
static aclnnStatus find_shape(struct op_problem *problem, const struct op_matmul_call *p,
                              const struct factor *a, const struct factor *b)
{
    const int batch = problem->row->core == OP_MATMUL_addbmm ? 0
                      : a->batch_rank > b->batch_rank        ? a->batch_rank
                                                             : b->batch_rank;
    for (int i = 1; i <= batch; i++) {
        const int64_t of_a = i <= a->batch_rank ? a->batch_sizes[a->batch_rank - i] : 1;
        const int64_t of_b = i <= b->batch_rank ? b->batch_sizes[b->batch_rank - i] : 1;
        const bool may_repeat =
            problem->row->core == OP_MATMUL_matmul || problem->row->core == OP_MATMUL_bmm;
        OP_CHECK(problem->row->name, of_a == of_b || (may_repeat && (of_a == 1 || of_b == 1)),
                 ACLNN_ERR_PARAM_INVALID, "%s has a batch of %" PRId64 ", %s one of %" PRId64,
                 p->left->name, of_a, p->right->name, of_b);
        problem->sizes[batch - i] = of_a == 1 ? of_b : of_a;
    }
    problem->rank = batch;
    if (p->left->tensor->descriptor.rank > 1) problem->sizes[problem->rank++] = a->rows;
    if (p->right->tensor->descriptor.rank > 1) problem->sizes[problem->rank++] = b->columns;
    return ACLNN_SUCCESS;
}

static bool broadcasts_to(const struct ex_descriptor *d, const struct op_problem *problem)
{
    bool fits = d->rank <= problem->rank;
    for (int i = 1; fits && i <= d->rank; i++)
        fits = d->sizes[d->rank - i] == 1 ||
               d->sizes[d->rank - i] == problem->sizes[problem->rank - i];
    return fits;
}

static aclnnStatus matmul_shapes(struct op_problem *problem)
{
    const struct op_matmul_call p = op_matmul_call_of(problem);
    const int core = problem->row->core;
    struct op_shape_text text;
    OP_TRY(check_rank(problem, p.left, ranks[core].left));
    OP_TRY(check_rank(problem, p.right, ranks[core].right));
    const struct factor a = factor_of(p.left, true, p.left_transposed);
    const struct factor b = factor_of(p.right, false, p.right_transposed);
    OP_CHECK(problem->row->name, a.columns == b.rows, ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRId64 " columns, %s has %" PRId64 " rows; they must be as many",
             p.left->name, a.columns, p.right->name, b.rows);
    OP_CHECK(problem->row->name, core != OP_MATMUL_addbmm || a.batch_sizes[0] == b.batch_sizes[0],
             ACLNN_ERR_PARAM_INVALID, "%s has a batch of %" PRId64 ", %s one of %" PRId64,
             p.left->name, a.batch_sizes[0], p.right->name, b.batch_sizes[0]);
    OP_TRY(find_shape(problem, &p, &a, &b));
    const struct ex_descriptor *out = &p.out->tensor->descriptor;
    OP_CHECK(problem->row->name,
             out->rank == problem->rank &&
                 memcmp(out->sizes, problem->sizes, (size_t)out->rank * sizeof *out->sizes) == 0,
             ACLNN_ERR_PARAM_INVALID, "%s's shape is %s; it must be the product's", p.out->name,
             op_shape(&text, p.out->tensor));
    if (p.addend)
        OP_CHECK(problem->row->name, broadcasts_to(&p.addend->tensor->descriptor, problem),
                 ACLNN_ERR_PARAM_INVALID,
                 "%s's shape is %s; it does not broadcast to the product's", p.addend->name,
                 op_shape(&text, p.addend->tensor));
    const int8_t *last = problem->row->rule->more;
    return named(problem, "cubeMathType") ? op_check_math_type(problem->row->name, p.math, *last)
                                          : ACLNN_SUCCESS;
}

/* more: the last cubeMathType. 4 asks for sums in FLOAT, which all are. */
const struct op_rule op_rule_matmul = {.types = matmul_types,
                                       .shapes = matmul_shapes,
                                       .runs_empty = true,
                                       .takes_nz = true,
                                       .more = &(const int8_t){3}};
const struct op_rule op_rule_matmul_nz = {.types = matmul_types,
                                          .shapes = matmul_shapes,
                                          .runs_empty = true,
                                          .takes_nz = true,
                                          .more = &(const int8_t){4}};

/* ---- plan ---- */

/* A view over the result's shape as matrices. */
static struct k_gemm_matrix matrix_of(const struct op_matmul_call *p, const struct op_view *view)
{
    struct k_gemm_matrix matrix = {.dtype = op_k_dtype_of(view->type)};
    int axis = view->rank - 1;
    if (p->right->tensor->descriptor.rank > 1)
        matrix.column = view->sizes[axis] == 1 ? 1 : view->strides[axis], axis--;
    if (p->left->tensor->descriptor.rank > 1)
        matrix.row = view->sizes[axis] == 1 ? 1 : view->strides[axis], axis--;
    for (int i = K_GEMM_BATCH - 1; axis >= 0; i--, axis--)
        matrix.batch[i] = view->strides[axis];
    return matrix;
}

static struct k_gemm_matrix factor_matrix(const struct op_value *value, const struct factor *f,
                                          bool has_batch)
{
    struct k_gemm_matrix matrix = {
        .dtype = op_k_dtype(value->tensor), .row = f->row, .column = f->column};
    for (int i = 1; has_batch && i <= f->batch_rank; i++)
        if (f->batch_sizes[f->batch_rank - i] != 1)
            matrix.batch[K_GEMM_BATCH - i] = f->batch_strides[f->batch_rank - i];
    return matrix;
}

static int buffer_of(const struct op_problem *problem, const int *buffers,
                     const struct op_value *value)
{
    return buffers[value - problem->values];
}

/* Of addbmm: the batch and the terms as one axis, densely. */
static void join_terms(struct ex_plan *plan, struct k_gemm *gemm, const struct op_matmul_call *p,
                       int *left, int *right)
{
    const struct ex_descriptor *a = &p->left->tensor->descriptor;
    const struct ex_descriptor *b = &p->right->tensor->descriptor;
    const struct ex_order rows_outside = {{1, 0, 2}}, own = ex_order_identity(3);
    *left = ex_packed(plan, *left, &rows_outside);
    *right = ex_packed(plan, *right, &own);
    gemm->k = a->sizes[0] * a->sizes[2];
    gemm->a.row = gemm->k, gemm->a.column = 1;
    gemm->b.row = b->sizes[2], gemm->b.column = 1;
}

/* Whether the result must not be written while factors are read. */
static bool is_disturbed(const struct op_matmul_call *p)
{
    const struct ex_descriptor *out = &p->out->tensor->descriptor;
    return (!op_is_empty(p->left->tensor) && op_meets(out, &p->left->tensor->descriptor)) ||
           (!op_is_empty(p->right->tensor) && op_meets(out, &p->right->tensor->descriptor)) ||
           (p->addend && op_disturbs(out, &p->addend->tensor->descriptor));
}

static bool continues(const struct k_gemm_matrix *matrix, int axis, int64_t m)
{
    int64_t all;
    return !__builtin_mul_overflow(matrix->row, m, &all) && matrix->batch[axis] == all;
}

static void swap_steps(struct k_gemm_matrix *matrix, int axis)
{
    const int64_t row = matrix->row;
    matrix->row = matrix->batch[axis];
    matrix->batch[axis] = row;
}

/* A batch over which the right factor is the same is more rows of the left one: in one product
 * where they lie evenly, else the longer axis as rows. */
static void join_rows(struct k_gemm *gemm)
{
    for (int axis = K_GEMM_BATCH - 1; axis >= 0; axis--) {
        int64_t *const batch = &gemm->batch[axis];
        if (*batch == 1 || gemm->b.batch[axis] != 0) continue;
        if (gemm->m < *batch) {
            const int64_t rows = *batch;
            *batch = gemm->m;
            gemm->m = rows;
            swap_steps(&gemm->a, axis);
            swap_steps(&gemm->c, axis);
            if (gemm->has_addend) swap_steps(&gemm->addend, axis);
        }
        if (*batch > 1 &&
            !(continues(&gemm->a, axis, gemm->m) && continues(&gemm->c, axis, gemm->m) &&
              (!gemm->has_addend || continues(&gemm->addend, axis, gemm->m))))
            continue;
        gemm->m *= *batch;
        *batch = 1;
    }
}

void op_plan_matmul(struct ex_plan *plan, const struct op_problem *problem, const int *buffers)
{
    if (op_is_complex(problem->type)) {
        op_plan_complex_matmul(plan, problem, buffers);
        return;
    }
    const struct op_matmul_call p = op_matmul_call_of(problem);
    const struct factor a = factor_of(p.left, true, p.left_transposed);
    const struct factor b = factor_of(p.right, false, p.right_transposed);
    const bool is_joined = problem->row->core == OP_MATMUL_addbmm;
    int left = buffer_of(problem, buffers, p.left), right = buffer_of(problem, buffers, p.right);
    const int to = buffer_of(problem, buffers, p.out);
    if (op_is_empty(p.out->tensor)) return;

    struct k_gemm gemm = {.m = a.rows,
                          .n = b.columns,
                          .k = a.columns,
                          .batch = {1, 1, 1, 1},
                          .a = factor_matrix(p.left, &a, !is_joined),
                          .b = factor_matrix(p.right, &b, !is_joined),
                          .alpha = p.alpha[0],
                          .beta = p.beta[0],
                          .has_addend = p.addend && p.beta[0] != 0,
                          .rounding = op_math_rounding(p.math, op_k_dtype_of(problem->type))};
    const int batch = problem->rank - (p.left->tensor->descriptor.rank > 1) -
                      (p.right->tensor->descriptor.rank > 1);
    double products = (double)gemm.m * (double)gemm.n * (double)gemm.k;
    for (int i = 1; i <= batch; i++) {
        gemm.batch[K_GEMM_BATCH - i] = problem->sizes[batch - i];
        products *= (double)problem->sizes[batch - i];
    }
    if (is_joined) join_terms(plan, &gemm, &p, &left, &right);

    struct op_view target = op_view_of(p.out->tensor);
    int result = to;
    if (is_disturbed(&p)) {
        const int64_t elements = op_element_count(problem->rank, problem->sizes);
        target = op_view_dense(target.type, problem->rank, problem->sizes);
        result = ex_scratch(plan, (size_t)elements * ex_element_size((int32_t)target.type));
    }
    gemm.c = matrix_of(&p, &target);
    int addend = -1;
    if (gemm.has_addend) {
        const struct op_view own = op_view_of(p.addend->tensor);
        const struct op_view wide = op_view_broadcast(&own, problem->rank, problem->sizes);
        gemm.addend = matrix_of(&p, &wide);
        addend = buffer_of(problem, buffers, p.addend);
    }
    join_rows(&gemm);
    if (gemm.k == 0) left = right = result; /* neither is read */
    if (left < 0 || right < 0 || result < 0) return;
    ex_step_way(plan, "gemm", K_CHOICE_gemm, K_F32, &gemm, sizeof gemm,
                (const int[]){left, right, result, addend},
                gemm.has_addend ? K_GEMM_BUFFERS : K_GEMM_ADDEND, NULL);
    ex_flops(plan, 2 * products);
    const struct ex_order order = ex_order_identity(problem->rank);
    ex_deliver(plan, result, to, &order);
}
