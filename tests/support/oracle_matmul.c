/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices: sums of products in double, from the definition. */
#include <math.h>
#include <string.h>

#include "tests/support/oracle.h"
#include "tests/support/oracle_rows.h"

enum { RANK = 8 };

/* Where the arguments of an operator stand. */
struct roles {
    int addend, left, right, out; /* operands; addend -1: none */
    int alpha, beta;              /* scalars */
    bool sums_batch;
};

static struct roles roles_of(const struct rig_problem *problem)
{
    const char *name = problem->op->name;
    const bool is_inplace = strstr(name, "Inplace") != NULL;
    struct roles r = {.addend = -1, .left = 0, .right = 1, .out = 2};
    r.sums_batch = strstr(name, "ddbmm") && !strstr(name, "addbmm");
    if (strcmp(name, "aclnnGemm") == 0) {
        r = (struct roles){.addend = 2, .left = 0, .right = 1, .out = 3};
    } else if (strstr(name, "ddmm") || strstr(name, "ddbmm") || strstr(name, "ddmv")) {
        r.addend = 0, r.left = 1, r.right = 2, r.out = is_inplace ? 0 : 3;
        r.alpha = strstr(name, "ddmv") ? 0 : 1;
        r.beta = 1 - r.alpha;
    }
    return r;
}

static double scaled_by(const struct rig_problem *problem, const struct roles *r, bool is_beta)
{
    if (r->addend < 0) return is_beta ? 0 : 1;
    if (strcmp(problem->op->name, "aclnnGemm") == 0) return problem->call.real[is_beta];
    const double value = problem->call.scalar[is_beta ? r->beta : r->alpha].value[0].real;
    return problem->tensor[r->out].view.dtype == CASE_F64 ? value : oracle_round(CASE_F32, value);
}

/* cubeMathType is the last number, where there is one. */
static int math_of(const struct rig_problem *problem)
{
    int numbers = 0;
    bool has = false;
    for (const struct rig_argument *at = problem->op->names->argument; at->name; at++) {
        numbers += at->kind >= OP_BOOL;
        has |= at->kind == OP_MATH;
    }
    return has ? (int)problem->call.number[numbers - 1] : 0;
}

/* Element (i, p) of the left factor or (p, j) of the right one, in the batch of an output's index.
 */
static int64_t place(const struct operand *f, const int64_t *batch, int batch_rank, int64_t row,
                     int64_t column, bool is_vector_row)
{
    int64_t at = 0;
    if (f->rank == 1) return is_vector_row ? column : row;
    for (int axis = 0; axis < f->rank - 2; axis++) {
        const int64_t index = batch[batch_rank - (f->rank - 2) + axis];
        at = at * f->dims[axis] + (f->dims[axis] == 1 ? 0 : index);
    }
    return (at * f->dims[f->rank - 2] + row) * f->dims[f->rank - 1] + column;
}

struct walk {
    int64_t batch[RANK], row, column;
    int batch_rank;
};

static struct walk walk_of(const struct operand *out, int64_t i, bool has_rows, bool has_columns)
{
    struct walk w = {.batch_rank = out->rank - has_rows - has_columns};
    int axis = out->rank - 1;
    if (has_columns) w.column = i % out->dims[axis], i /= out->dims[axis--];
    if (has_rows) w.row = i % out->dims[axis], i /= out->dims[axis--];
    for (; axis >= 0; axis--)
        w.batch[axis] = i % out->dims[axis], i /= out->dims[axis];
    return w;
}

static double factor(const struct rig_problem *problem, int operand, int64_t at, int math)
{
    const enum case_dtype dtype = problem->tensor[operand].view.dtype;
    const double value = oracle_value(problem, operand, at);
    return dtype == CASE_F64 ? value : oracle_operand(dtype, math, value);
}

static void matmul(struct rig_problem *problem)
{
    const struct roles r = roles_of(problem);
    struct rig_tensor *out = &problem->tensor[r.out];
    const struct operand *a = &problem->tensor[r.left].view, *b = &problem->tensor[r.right].view;
    const bool is_gemm = strcmp(problem->op->name, "aclnnGemm") == 0;
    const bool a_turned = is_gemm && problem->call.number[2] != 0;
    const bool b_turned = is_gemm && problem->call.number[3] != 0;
    const double alpha = scaled_by(problem, &r, false), beta = scaled_by(problem, &r, true);
    const int math = math_of(problem);
    const int64_t terms = a->dims[a_turned ? 0 : a->rank - 1];
    const int64_t batches = r.sums_batch ? a->dims[0] : 1;
    double largest = 0;
    for (int64_t i = 0; i < out->count; i++) {
        struct walk w = walk_of(&out->view, i, a->rank > 1, b->rank > 1);
        double sum = 0, size = 0;
        if (r.sums_batch) w.batch_rank = 1;
        for (int64_t t = 0; t < batches; t++) {
            if (r.sums_batch) w.batch[0] = t;
            for (int64_t k = 0; k < terms; k++) {
                const int64_t at = a_turned ? k * a->dims[1] + w.row
                                            : place(a, w.batch, w.batch_rank, w.row, k, true);
                const int64_t to = b_turned ? w.column * b->dims[1] + k
                                            : place(b, w.batch, w.batch_rank, k, w.column, false);
                const double term =
                    factor(problem, r.left, at, math) * factor(problem, r.right, to, math);
                sum += term;
                size += fabs(term);
            }
        }
        sum *= alpha, size *= fabs(alpha);
        if (r.addend >= 0 && beta != 0) {
            const int64_t from = oracle_broadcast(&out->view, i, &problem->tensor[r.addend].view);
            const double addend = beta * oracle_value(problem, r.addend, from);
            sum += addend;
            size += fabs(addend);
        }
        largest = fmax(largest, size);
        oracle_real(problem, r.out, i, out->view.dtype, sum);
    }
    /* (k + 2) u S, twice that for pairs of bf16, and the epilogue. */
    const double unit = out->view.dtype == CASE_F64 ? 0x1p-53 : 0x1p-24;
    problem->near.absolute = 2 * ((double)(terms * batches) + 6) * unit * largest;
}

/* ---- random problems ---- */

/* FLOAT, FLOAT16 and BF16 go together, DOUBLE alone. */
static enum case_dtype partner(struct random *random, enum case_dtype dtype)
{
    if (dtype == CASE_F64 || random_once_in(random, 2)) return dtype;
    return (enum case_dtype)random_below(random, CASE_FLOATS);
}

static void add_math(struct test_case *test, struct random *random, const struct rig_operator *op)
{
    for (const struct rig_argument *at = op->names->argument; at->name; at++)
        if (at->kind == OP_MATH) random_number(test, at->name, (double)random_below(random, 4));
}

static struct test_case random_matmul(const struct rig_operator *op, struct random *random,
                                      enum case_dtype dtype)
{
    const struct rig_problem of = {.op = op};
    const struct roles r = roles_of(&of);
    const char *name = op->name;
    struct test_case test = random_start(op, random, dtype);
    const bool is_gemm = strcmp(name, "aclnnGemm") == 0, is_any = strcmp(name, "aclnnMatmul") == 0;
    const bool has_batch = strstr(name, "bmm") || strstr(name, "Batch");
    const bool repeats = is_any || strstr(name, "aclnnBatchMatMul");
    const bool a_turned = is_gemm && random_once_in(random, 2);
    const bool b_turned = is_gemm && random_once_in(random, 2);
    int a_rank = has_batch ? 3 : strcmp(name, "aclnnDot") == 0 ? 1 : 2;
    int b_rank = strstr(name, "Mv") || strstr(name, "ddmv") ? 1 : a_rank;
    int64_t batch[4], a[RANK], b[RANK], out[RANK];
    int64_t m = random_between(random, 0, 12), n = random_between(random, 0, 12);
    int64_t k = random_between(random, 0, 20);
    if (random_once_in(random, 4)) k = random_between(random, 20, 90);
    if (random_once_in(random, 6)) m = 1;
    if (is_any) {
        a_rank = (int)random_between(random, 1, 5);
        b_rank = (int)random_between(random, 1, 5);
    }
    const int a_batch = a_rank > 2 ? a_rank - 2 : 0, b_batch = b_rank > 2 ? b_rank - 2 : 0;
    const int most = a_batch > b_batch ? a_batch : b_batch;
    for (int i = 0; i < most; i++)
        batch[i] = random_between(random, has_batch ? 0 : 1, 3);
    for (int i = 0; i < a_batch; i++)
        a[i] = repeats && random_once_in(random, 3) ? 1 : batch[most - a_batch + i];
    for (int i = 0; i < b_batch; i++)
        b[i] = repeats && random_once_in(random, 3) ? 1 : batch[most - b_batch + i];
    int rank = 0;
    for (int i = 0; i < most && !r.sums_batch; i++) {
        const int64_t of_a = i < most - a_batch ? 1 : a[i - (most - a_batch)];
        const int64_t of_b = i < most - b_batch ? 1 : b[i - (most - b_batch)];
        out[rank++] = of_a == 1 ? of_b : of_a;
    }
    if (a_rank > 1) a[a_batch] = a_turned ? k : m, a[a_batch + 1] = a_turned ? m : k;
    if (a_rank == 1) a[0] = k;
    if (b_rank > 1) b[b_batch] = b_turned ? n : k, b[b_batch + 1] = b_turned ? k : n;
    if (b_rank == 1) b[0] = k;
    if (a_rank > 1) out[rank++] = m;
    if (b_rank > 1) out[rank++] = n;
    test.data = CASE_PLAIN;
    if (r.addend >= 0) {
        const bool is_result = r.addend == r.out;
        const int left = is_result ? 0 : (int)random_between(random, 0, rank);
        int64_t addend[RANK];
        for (int i = left; i < rank; i++)
            addend[i - left] = !is_result && random_once_in(random, 3) ? 1 : out[i];
        random_tensor(&test, random, op->tensor[r.addend], partner(random, dtype), addend,
                      rank - left, is_result);
        for (const struct rig_argument *at = op->names->argument; at->name; at++) {
            if (at->kind == OP_COEFFICIENT) random_scalar(&test, random, at->name, CASE_I64);
            if (at->kind == OP_FLOAT)
                random_number(&test, at->name, (double)random_between(random, -2, 2) / 2);
        }
    }
    random_tensor(&test, random, op->tensor[r.left], partner(random, dtype), a, a_rank, false);
    random_tensor(&test, random, op->tensor[r.right], partner(random, dtype), b, b_rank, false);
    if (r.out != r.addend)
        random_tensor(&test, random, op->tensor[r.out], partner(random, dtype), out, rank, true);
    if (is_gemm) random_number(&test, "transA", a_turned);
    if (is_gemm) random_number(&test, "transB", b_turned);
    add_math(&test, random, op);
    return test;
}

const struct oracle_row oracle_matmul_rows[] = {
    {.name =
         "aclnnMm aclnnBatchMatMul aclnnAddmm aclnnInplaceAddmm aclnnBaddbmm aclnnInplaceBaddbmm "
         "aclnnAddbmm aclnnInplaceAddbmm aclnnMv aclnnAddmv aclnnDot aclnnGemm",
     .oracle = matmul,
     .random = random_matmul,
     .by_strides = true,
     .ulp = 2},
    {.name = "aclnnMatmul",
     .oracle = matmul,
     .random = random_matmul,
     .by_strides = true,
     .ulp = 2,
     .lines = (const char *const[]){"matmul f32 self=300x200 mat2=200x310 out=300x310",
                                    "matmul bf16 self=2x1x130x70 mat2=3x70x90 out=2x3x130x90:f32",
                                    "matmul f32 self=70x64:s1x70 mat2=64 out=70",
                                    "matmul f32 self=5x9x70 mat2=70x65 out=5x9x65",
                                    "matmul f32 self=40x8x300:s300x12000x1 mat2=300x65 out=40x8x65",
                                    "matmul bf16 self=3x40x1x70 mat2=70x65 out=3x40x1x65", NULL},
     .sound = "matmul f32 self=2x3 mat2=3x4 out=2x4"},
    {.name = "aclnnMatmulWeightNz",
     .oracle = matmul,
     .random = random_matmul,
     .by_strides = true,
     .ulp = 2,
     .lines = (const char *const[]){"matmul_weight_nz f32 self=30x70 mat2=70x50 out=30x50 "
                                    "cubeMathType=4",
                                    NULL},
     .sound = "matmul_weight_nz f32 self=2x3 mat2=3x4 out=2x4"},
    {.name = "aclnnBatchMatMulWeightNz",
     .oracle = matmul,
     .random = random_matmul,
     .by_strides = true,
     .ulp = 2,
     .lines = (const char *const[]){"batch_mat_mul_weight_nz bf16 self=1x30x70 mat2=3x70x50 "
                                    "out=3x30x50 cubeMathType=4",
                                    NULL},
     .sound = "batch_mat_mul_weight_nz f32 self=1x2x3 mat2=1x3x4 out=1x2x4"},
    {.name = "aclnnAddmmWeightNz",
     .oracle = matmul,
     .random = random_matmul,
     .by_strides = true,
     .ulp = 2,
     .lines = (const char *const[]){"addmm_weight_nz f16 self=30x1:f32 mat1=30x70 mat2=70x50 "
                                    "beta=0.5 alpha=2 out=30x50:f32 cubeMathType=4",
                                    NULL}},
    {.name = NULL},
};
