/* SPDX-License-Identifier: Apache-2.0 */
/* Products of complex matrices, vectors and batches of them against the definition: all operators
 * of the family, layouts, factors, in place, over their operands, refusals. */
#include <complex.h>
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_addbmm.h"
#include "aclnnop/aclnn_addmm.h"
#include "aclnnop/aclnn_addmv.h"
#include "aclnnop/aclnn_addr.h"
#include "aclnnop/aclnn_baddbmm.h"
#include "aclnnop/aclnn_batch_matmul.h"
#include "aclnnop/aclnn_dot.h"
#include "aclnnop/aclnn_gemm.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_mm.h"
#include "aclnnop/aclnn_mv.h"
#include "tests/support/complex_calls.h"

enum { INVALID = 161002, RANK = 5, MOST = 4096 };

static void set_up(void)
{
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
}

static void tear_down(void)
{
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
}

TestSuite(complex_matmul, .init = set_up, .fini = tear_down);

/* ---- tensors ---- */

enum layout { DENSE, TURNED, SPREAD, LAYOUTS };

struct operand {
    aclTensor *tensor;
    bool is_wide;
    int rank;
    int64_t sizes[RANK], strides[RANK];
    char *data;
};

static _Alignas(16) char memory[4][16 * MOST];

static struct operand make(int i, bool is_wide, enum layout layout, int rank, const int64_t *sizes)
{
    struct operand o = {.is_wide = is_wide, .rank = rank, .data = memory[i]};
    const int64_t storage = MOST;
    int64_t step = layout == SPREAD ? 2 : 1;
    for (int k = 0; k < rank; k++) {
        const int axis = layout == TURNED ? k : rank - 1 - k;
        o.sizes[axis] = sizes[axis];
        o.strides[axis] = step;
        step *= sizes[axis];
    }
    o.tensor = aclCreateTensor(o.sizes, (uint64_t)rank, is_wide ? ACL_COMPLEX128 : ACL_COMPLEX64,
                               o.strides, 0, ACL_FORMAT_ND, &storage, 1, o.data);
    cr_assert_not_null(o.tensor);
    return o;
}

static number at(const struct operand *o, int64_t place)
{
    if (o->is_wide) {
        const double *part = (const double *)(const void *)o->data + 2 * place;
        return number_of(part[0], part[1]);
    }
    const float *part = (const float *)(const void *)o->data + 2 * place;
    return number_of(part[0], part[1]);
}

static void fill(bool is_wide)
{
    for (int k = 0; k < 4; k++)
        for (int64_t i = 0; i < 2 * MOST; i++) {
            const double value = sin(1.7 * (double)i + 0.3 * (double)(i % 17) + 2.1 * k);
            if (is_wide)
                ((double *)memory[k])[i] = value;
            else
                ((float *)memory[k])[i] = (float)value;
        }
}

/* Where element i of a shape is in an operand that broadcasts to it. */
static int64_t place(const struct operand *o, int rank, const int64_t *sizes, int64_t i)
{
    int64_t found = 0;
    for (int axis = rank - 1; axis >= 0; axis--) {
        const int own = axis - (rank - o->rank);
        if (own >= 0 && o->sizes[own] != 1) found += i % sizes[axis] * o->strides[own];
        i /= sizes[axis];
    }
    return found;
}

/* ---- operators ---- */

enum op { MM, MATMUL, BMM, MV, DOT, ADDMM, BADDBMM, ADDBMM, ADDMV, GEMM, OPS };

static const struct {
    const char *name;
    int left, right; /* ranks */
    bool has_addend;
} ops[OPS] = {
    [MM] = {"mm", 2, 2, false},          [MATMUL] = {"matmul", 4, 3, false},
    [BMM] = {"bmm", 3, 3, false},        [MV] = {"mv", 2, 1, false},
    [DOT] = {"dot", 1, 1, false},        [ADDMM] = {"addmm", 2, 2, true},
    [BADDBMM] = {"baddbmm", 3, 3, true}, [ADDBMM] = {"addbmm", 3, 3, true},
    [ADDMV] = {"addmv", 2, 1, true},     [GEMM] = {"gemm", 2, 2, true},
};

struct problem {
    enum op op;
    bool is_wide, in_place, a_turned, b_turned;
    int64_t m, n, k;
    double alpha[2], beta[2];
    enum layout layout;
};

struct shapes {
    int a_rank, b_rank, rank;
    int64_t a[RANK], b[RANK], c[RANK];
};

static struct shapes shapes_of(const struct problem *p)
{
    struct shapes s = {.a_rank = ops[p->op].left, .b_rank = ops[p->op].right};
    const int64_t batch[] = {2, 3};
    for (int i = 0; i < s.a_rank - 2; i++)
        s.a[i] = batch[2 - (s.a_rank - 2) + i];
    for (int i = 0; i < s.b_rank - 2; i++)
        s.b[i] = batch[2 - (s.b_rank - 2) + i];
    if (p->op == MATMUL) s.a[1] = 1;
    if (p->op != ADDBMM)
        for (int i = 0; i < s.a_rank - 2; i++)
            s.c[s.rank++] = batch[2 - (s.a_rank - 2) + i];
    if (s.a_rank > 1) s.c[s.rank++] = p->m;
    if (s.b_rank > 1) s.c[s.rank++] = p->n;
    const int64_t a[] = {p->m, p->k}, b[] = {p->k, p->n};
    for (int i = 0; i < 2; i++) {
        if (s.a_rank > 1) s.a[s.a_rank - 2 + i] = a[p->a_turned ? 1 - i : i];
        if (s.b_rank > 1) s.b[s.b_rank - 2 + i] = b[p->b_turned ? 1 - i : i];
    }
    if (s.a_rank == 1) s.a[0] = p->k;
    if (s.b_rank == 1) s.b[0] = p->k;
    return s;
}

static void call(const struct problem *p, struct operand o[4])
{
    const aclScalar *alpha = aclCreateScalar((void *)p->alpha, ACL_COMPLEX128);
    const aclScalar *beta = aclCreateScalar((void *)p->beta, ACL_COMPLEX128);
    aclTensor *a = o[0].tensor, *b = o[1].tensor, *s = o[2].tensor, *c = o[3].tensor;
    switch (p->op) {
    case MM:
        PLANNED(aclnnMm, a, b, c, 1);
        break;
    case MATMUL:
        PLANNED(aclnnMatmul, a, b, c, 1);
        break;
    case BMM:
        PLANNED(aclnnBatchMatMul, a, b, c, 0);
        break;
    case MV:
        PLANNED(aclnnMv, a, b, c, 0);
        break;
    case DOT:
        PLANNED(aclnnDot, a, b, c);
        break;
    case ADDMM:
        if (p->in_place)
            PLANNED(aclnnInplaceAddmm, s, a, b, beta, alpha, 0);
        else
            PLANNED(aclnnAddmm, s, a, b, beta, alpha, c, 0);
        break;
    case BADDBMM:
        if (p->in_place)
            PLANNED(aclnnInplaceBaddbmm, s, a, b, beta, alpha, 0);
        else
            PLANNED(aclnnBaddbmm, s, a, b, beta, alpha, c, 0);
        break;
    case ADDBMM:
        if (p->in_place)
            PLANNED(aclnnInplaceAddbmm, s, a, b, beta, alpha, 0);
        else
            PLANNED(aclnnAddbmm, s, a, b, beta, alpha, c, 0);
        break;
    case ADDMV:
        PLANNED(aclnnAddmv, s, a, b, alpha, beta, c, 0);
        break;
    default:
        PLANNED(aclnnGemm, a, b, s, (float)p->alpha[0], (float)p->beta[0], p->a_turned, p->b_turned,
                c, 0);
    }
    aclDestroyScalar(alpha);
    aclDestroyScalar(beta);
}

/* The sum of the products and, in *size, of what is added up. */
static number product(const struct problem *p, const struct shapes *s, const struct operand *a,
                      const struct operand *b, int64_t i, long double *size)
{
    const bool has_rows = s->a_rank > 1, has_columns = s->b_rank > 1;
    const int64_t column = has_columns ? i % p->n : 0, rest = has_columns ? i / p->n : i;
    const int64_t row = has_rows ? rest % p->m : 0;
    const int batch_rank = p->op == ADDBMM ? 1 : s->rank - has_rows - has_columns;
    const int64_t all[] = {3}, *batch = p->op == ADDBMM ? all : s->c;
    const int64_t first = p->op == ADDBMM || !has_rows ? 0 : rest / p->m;
    struct operand a_batch = *a, b_batch = *b;
    number sum = 0;
    a_batch.rank = s->a_rank > 2 ? s->a_rank - 2 : 0;
    b_batch.rank = s->b_rank > 2 ? s->b_rank - 2 : 0;
    *size = 0;
    for (int64_t t = first; t <= (p->op == ADDBMM ? 2 : first); t++) {
        const int64_t a_at = place(&a_batch, batch_rank, batch, t);
        const int64_t b_at = place(&b_batch, batch_rank, batch, t);
        for (int64_t k = 0; k < p->k; k++) {
            const int64_t *as = a->strides + s->a_rank - 2, *bs = b->strides + s->b_rank - 2;
            const number x = at(a, a_at + (s->a_rank == 1 ? k * a->strides[0]
                                           : p->a_turned  ? k * as[0] + row * as[1]
                                                          : row * as[0] + k * as[1]));
            const number y = at(b, b_at + (s->b_rank == 1 ? k * b->strides[0]
                                           : p->b_turned  ? column * bs[0] + k * bs[1]
                                                          : k * bs[0] + column * bs[1]));
            sum += x * y;
            *size += cabsl(x) * cabsl(y);
        }
    }
    return sum;
}

static number factor(const struct problem *p, const double value[2])
{
    return p->is_wide ? number_of(value[0], value[1]) : number_of((float)value[0], (float)value[1]);
}

static void check(const struct problem *p)
{
    const struct shapes s = shapes_of(p);
    const int64_t addend[] = {p->op == ADDMV ? 1 : p->n};
    const bool has_addend = ops[p->op].has_addend;
    const number alpha = has_addend ? factor(p, p->alpha) : 1, beta = factor(p, p->beta);
    static char before[16 * MOST];
    fill(p->is_wide);
    struct operand o[] = {
        make(0, p->is_wide, p->layout, s.a_rank, s.a),
        make(1, p->is_wide, (p->layout + 1) % LAYOUTS, s.b_rank, s.b),
        p->in_place ? make(2, p->is_wide, DENSE, s.rank, s.c)
                    : make(2, p->is_wide, DENSE, 1, addend),
        make(3, p->is_wide, (p->layout + 2) % LAYOUTS, s.rank, s.c),
    };
    struct operand own = o[2];
    const struct operand *out = p->in_place ? &o[2] : &o[3];
    memcpy(before, memory[2], sizeof before);
    own.data = before;
    call(p, o);
    int64_t count = 1;
    for (int i = 0; i < s.rank; i++)
        count *= s.c[i];
    for (int64_t i = 0; i < count; i++) {
        long double size;
        number want = alpha * product(p, &s, &o[0], &o[1], i, &size);
        size *= cabsl(alpha);
        if (has_addend && (p->beta[0] != 0 || p->beta[1] != 0)) {
            const number more = beta * at(&own, place(&own, s.rank, s.c, i));
            want += more;
            size += cabsl(more);
        }
        /* Two products of 3 k terms, three roundings of each scaled operand, and the epilogue. */
        const long double unit = p->is_wide ? 0x1p-53L : 0x1p-24L;
        const long double bound = (2 * 3 * (long double)p->k + 16) * unit * size;
        const number got = at(out, place(out, s.rank, s.c, i));
        cr_assert(cabsl(got - want) <= bound, "%s %s layout %d, element %d: %Lg%+Lgi, not %Lg%+Lgi",
                  ops[p->op].name, p->is_wide ? "wide" : "narrow", (int)p->layout, (int)i,
                  creall(got), cimagl(got), creall(want), cimagl(want));
    }
    for (int i = 0; i < 4; i++)
        aclDestroyTensor(o[i].tensor);
}

static const double factors[][2] = {{1, 0}, {0.5, 0}, {0.5, -2}, {0, 0}, {0, 1}};

Test(complex_matmul, is_its_definition)
{
    for (int op = 0; op < OPS; op++) {
        for (int way = 0; way < 30; way++) {
            struct problem p = {.op = (enum op)op,
                                .is_wide = way % 2,
                                .m = 1 + way % 7,
                                .n = 1 + way * 3 % 8,
                                .k = way % 11,
                                .layout = (enum layout)(way % LAYOUTS)};
            const bool is_gemm = op == GEMM;
            memcpy(p.alpha, factors[is_gemm ? way % 2 : way % 5], sizeof p.alpha);
            memcpy(p.beta, factors[is_gemm ? way / 2 % 2 : way / 2 % 5], sizeof p.beta);
            p.a_turned = is_gemm && way / 4 % 2;
            p.b_turned = is_gemm && way / 8 % 2;
            p.in_place = (op == ADDMM || op == BADDBMM || op == ADDBMM) && way / 3 % 2;
            check(&p);
        }
    }
}

Test(complex_matmul, larger_matrices)
{
    check(&(struct problem){.op = MM, .m = 40, .n = 45, .k = 50, .layout = TURNED});
    check(&(struct problem){.op = MM, .is_wide = true, .m = 40, .n = 45, .k = 50});
}

/* The result lies over a factor: it is as if that had been copied first. */
Test(complex_matmul, results_over_a_factor)
{
    const int64_t sizes[] = {6, 6};
    fill(false);
    struct operand a = make(0, false, DENSE, 2, sizes), b = make(1, false, DENSE, 2, sizes);
    struct operand c = make(3, false, DENSE, 2, sizes);
    PLANNED(aclnnMm, a.tensor, b.tensor, c.tensor, 0);
    PLANNED(aclnnMm, a.tensor, b.tensor, a.tensor, 0);
    cr_expect_arr_eq(a.data, c.data, 36 * 8);
    aclDestroyTensor(a.tensor);
    aclDestroyTensor(b.tensor);
    aclDestroyTensor(c.tensor);
}

/* ---- outer products with an addend ---- */

Test(complex_matmul, outer_products)
{
    const int64_t rows = 5, columns = 7, all[] = {5, 7}, one[] = {7};
    for (int way = 0; way < 20; way++) {
        const bool is_wide = way % 2, in_place = way / 2 % 2;
        const double *alphas = factors[way % 5], *betas = factors[(way + 2) % 5];
        const struct problem p = {.is_wide = is_wide};
        const long double unit = is_wide ? 0x1p-53L : 0x1p-24L;
        static char before[16 * MOST];
        fill(is_wide);
        const aclScalar *alpha = aclCreateScalar((void *)alphas, ACL_COMPLEX128);
        const aclScalar *beta = aclCreateScalar((void *)betas, ACL_COMPLEX128);
        struct operand a = make(0, is_wide, SPREAD, 1, &rows);
        struct operand b = make(1, is_wide, DENSE, 1, &columns);
        struct operand self =
            in_place ? make(2, is_wide, TURNED, 2, all) : make(2, is_wide, DENSE, 1, one);
        struct operand c = make(3, is_wide, DENSE, 2, all);
        struct operand own = self, *out = in_place ? &self : &c;
        memcpy(before, memory[2], sizeof before);
        own.data = before;
        if (in_place)
            PLANNED(aclnnInplaceAddr, self.tensor, a.tensor, b.tensor, beta, alpha);
        else
            PLANNED(aclnnAddr, self.tensor, a.tensor, b.tensor, beta, alpha, c.tensor);
        for (int i = 0; i < 35; i++) {
            const number first = factor(&p, alphas) * at(&a, i / 7 * a.strides[0]) * at(&b, i % 7);
            const number second = factor(&p, betas) * at(&own, place(&own, 2, all, i));
            const number got = at(out, place(out, 2, all, i));
            cr_assert(cabsl(got - first - second) <= 10 * unit * (cabsl(first) + cabsl(second)),
                      "%d: element %d", way, i);
        }
        aclDestroyScalar(alpha);
        aclDestroyScalar(beta);
        aclDestroyTensor(a.tensor);
        aclDestroyTensor(b.tensor);
        aclDestroyTensor(self.tensor);
        aclDestroyTensor(c.tensor);
    }
}

/* ---- what is not there ---- */

Test(complex_matmul, empty_matrices)
{
    const int64_t none[] = {3, 0}, wide[] = {0, 4}, all[] = {3, 4}, narrow[] = {4, 0};
    double value[] = {2, 1};
    const aclScalar *two = aclCreateScalar(value, ACL_COMPLEX128);
    fill(false);
    struct operand a = make(0, false, DENSE, 2, none), b = make(1, false, DENSE, 2, wide);
    struct operand self = make(2, false, DENSE, 2, all), c = make(3, false, DENSE, 2, all);
    struct operand d = make(1, false, DENSE, 2, narrow);
    PLANNED(aclnnMm, a.tensor, b.tensor, c.tensor, 0);
    for (int i = 0; i < 12; i++)
        cr_expect(at(&c, i) == 0);
    PLANNED(aclnnMm, c.tensor, d.tensor, a.tensor, 0);
    PLANNED(aclnnAddmm, self.tensor, a.tensor, b.tensor, two, two, c.tensor, 0);
    for (int i = 0; i < 12; i++)
        cr_expect(cabsl(at(&c, i) - number_of(2, 1) * at(&self, i)) <= 0x1p-20L);
    aclDestroyScalar(two);
    aclDestroyTensor(a.tensor);
    aclDestroyTensor(b.tensor);
    aclDestroyTensor(self.tensor);
    aclDestroyTensor(c.tensor);
    aclDestroyTensor(d.tensor);
}

static void expect_refusal(aclTensor *a, aclTensor *b, aclTensor *c, const char *fragment)
{
    uint64_t size;
    aclOpExecutor *executor;
    cr_expect_eq(aclnnMmGetWorkspaceSize(a, b, c, 0, &size, &executor), INVALID);
    const char *text = aclGetRecentErrMsg();
    cr_expect(text && strstr(text, fragment), "no \"%s\" in: %s", fragment, text);
}

Test(complex_matmul, refusals)
{
    const int64_t sizes[] = {3, 3}, storage = MOST;
    const struct operand a = make(0, false, DENSE, 2, sizes), wide = make(1, true, DENSE, 2, sizes);
    aclTensor *real =
        aclCreateTensor(sizes, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &storage, 1, memory[2]);
    aclTensor *c = make(3, false, DENSE, 2, sizes).tensor;
    const char *rule = "complex numbers are multiplied with their own type only";
    expect_refusal(a.tensor, wide.tensor, c, rule);
    expect_refusal(a.tensor, real, c, "mat2's data type is FLOAT; complex");
    expect_refusal(real, real, c, "out's data type is COMPLEX64; complex");
    expect_refusal(a.tensor, a.tensor, real, "out's data type is FLOAT; complex");
    aclDestroyTensor(a.tensor);
    aclDestroyTensor(wide.tensor);
    aclDestroyTensor(real);
    aclDestroyTensor(c);
}
