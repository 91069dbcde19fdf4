/* SPDX-License-Identifier: Apache-2.0 */
/* Sums, means, products and running sums of complex numbers, against the definition in long double
 * over every set of axes of a strided tensor. */
#include <complex.h>
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_cumsum.h"
#include "aclnnop/aclnn_mean.h"
#include "aclnnop/aclnn_prod.h"
#include "aclnnop/aclnn_reduce_sum.h"
#include "aclnnop/aclnn_trace.h"
#include "tests/support/complex_calls.h"

enum { INVALID = 161002, RANK = 3, MOST = 4096, GAP = 2 };

static void set_up(void)
{
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
}

static void tear_down(void)
{
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
}

TestSuite(complex_reductions, .init = set_up, .fini = tear_down);

static float complex narrow[MOST], narrow_out[MOST];
static double complex wide[MOST], wide_out[MOST];

/* Both types of a call have the same numbers. */
struct side {
    aclDataType type;
    void *self, *out;
};

static struct side side_of(bool is_wide)
{
    return is_wide ? (struct side){ACL_COMPLEX128, wide, wide_out}
                   : (struct side){ACL_COMPLEX64, narrow, narrow_out};
}

static void fill(void)
{
    for (int i = 0; i < MOST; i++) {
        narrow[i] = (float)cos(1.7 * i) + (float)sin(0.9 * i * i) * I;
        wide[i] = narrow[i];
        narrow_out[i] = (float)NAN;
        wide_out[i] = NAN;
    }
}

static aclTensor *tensor(void *data, aclDataType type, int rank, const int64_t *sizes, int64_t step)
{
    int64_t strides[RANK], storage = MOST;
    for (int i = rank - 1; i >= 0; i--) {
        strides[i] = step;
        step *= sizes[i];
    }
    return aclCreateTensor(sizes, (uint64_t)rank, type, strides, 0, ACL_FORMAT_ND, &storage, 1,
                           data);
}

/* The error of `count` roundings of numbers of that size. */
static void check(const char *what, const struct side *side, int64_t i, number want, double size)
{
    const bool is_wide = side->type == ACL_COMPLEX128;
    const number got = is_wide ? (number)wide_out[GAP * i] : (number)narrow_out[GAP * i];
    const long double bound = size * (is_wide ? 0x1p-52L : 0x1p-23L);
    cr_assert(cabsl(got - want) <= bound, "%s of %d, result %ld: (%La, %La), not (%La, %La)", what,
              (int)side->type, (long)i, creall(got), cimagl(got), creall(want), cimagl(want));
}

/* The numbers that result i of a reduction along the axes is made of: f is called with each. */
static number fold(const int64_t *sizes, unsigned axes, int64_t result, bool multiplies)
{
    number value = multiplies ? 1 : 0;
    for (int64_t i = 0; i < sizes[0] * sizes[1] * sizes[2]; i++) {
        const int64_t at[] = {i / sizes[2] / sizes[1], i / sizes[2] % sizes[1], i % sizes[2]};
        int64_t own = 0;
        for (int axis = 0; axis < RANK; axis++)
            if (!(axes >> axis & 1)) own = own * sizes[axis] + at[axis];
        if (own != result) continue;
        value = multiplies ? value * wide[GAP * i] : value + wide[GAP * i];
    }
    return value;
}

static void check_axes(const struct side *side, const int64_t *sizes, unsigned axes, bool keeps)
{
    int64_t dims[RANK], kept[RANK], results = 1, count = 1;
    int listed = 0, rank = 0;
    for (int i = 0; i < RANK; i++) {
        const bool is_reduced = axes >> i & 1;
        *(is_reduced ? &count : &results) *= sizes[i];
        if (is_reduced) dims[listed++] = i % 2 ? i - RANK : i;
        if (!is_reduced || keeps) kept[rank++] = is_reduced ? 1 : sizes[i];
    }
    aclTensor *self = tensor(side->self, side->type, RANK, sizes, GAP);
    aclTensor *out = tensor(side->out, side->type, rank, kept, GAP);
    aclIntArray *list = aclCreateIntArray(dims, (uint64_t)listed);
    fill();
    PLANNED(aclnnReduceSum, self, list, keeps, side->type, out);
    for (int64_t i = 0; i < results; i++)
        check("sum", side, i, fold(sizes, axes, i, false), (double)count);
    PLANNED(aclnnMean, self, list, keeps, side->type, out);
    for (int64_t i = 0; i < results && count > 0; i++)
        check("mean", side, i, fold(sizes, axes, i, false) / count, 2);
    PLANNED(aclnnMeanV2, self, list, keeps, false, out);
    for (int64_t i = 0; i < results && count > 0; i++)
        check("mean", side, i, fold(sizes, axes, i, false) / count, 2);
    if (listed == 1) PLANNED(aclnnProdDim, self, dims[0], keeps, side->type, out);
    if (listed == RANK && !keeps) PLANNED(aclnnProd, self, side->type, out);
    for (int64_t i = 0; i < results && (listed == 1 || (listed == RANK && !keeps)); i++) {
        const number want = fold(sizes, axes, i, true);
        check("product", side, i, want, (double)(2 * count) * (double)cabsl(want));
    }
    aclDestroyTensor(self);
    aclDestroyTensor(out);
    aclDestroyIntArray(list);
}

Test(complex_reductions, along_axes)
{
    static const int64_t shapes[][RANK] = {{3, 5, 7}, {1, 600, 1}, {2, 3, 1}, {2, 0, 3}};
    for (int is_wide = 0; is_wide < 2; is_wide++)
        for (int shape = 0; shape < 4; shape++)
            for (unsigned axes = 1; axes < 1 << RANK; axes++) {
                const struct side side = side_of(is_wide);
                check_axes(&side, shapes[shape], axes, (axes ^ (unsigned)shape) % 2 == 0);
            }
}

Test(complex_reductions, running_sums)
{
    const int64_t sizes[] = {3, 40, 4};
    for (int is_wide = 0; is_wide < 2; is_wide++)
        for (int reverse = 0; reverse < 2; reverse++) {
            const struct side side = side_of(is_wide);
            aclTensor *self = tensor(side.self, side.type, RANK, sizes, GAP);
            aclTensor *out = tensor(side.out, side.type, RANK, sizes, GAP);
            fill();
            if (reverse)
                PLANNED(aclnnCumsumV2, self, 1, false, true, out);
            else
                PLANNED(aclnnCumsum, self, -2, side.type, out);
            for (int64_t i = 0; i < 480; i++) {
                number want = 0;
                for (int64_t j = 0; j < 40; j++)
                    if (reverse ? j >= i / 4 % 40 : j <= i / 4 % 40)
                        want += wide[GAP * (i - i / 4 % 40 * 4 + j * 4)];
                check("running sum", &side, i, want, 41);
            }
            aclDestroyTensor(self);
            aclDestroyTensor(out);
        }
}

Test(complex_reductions, traces)
{
    const int64_t sizes[] = {5, 7};
    const struct side side = side_of(false);
    aclTensor *self = tensor(side.self, side.type, 2, sizes, 1);
    aclTensor *out = tensor(side.out, side.type, 0, sizes, 1);
    number want = 0;
    fill();
    PLANNED(aclnnTrace, self, out);
    for (int i = 0; i < 5; i++)
        want += wide[8 * i];
    check("trace", &side, 0, want, 5);
    aclDestroyTensor(self);
    aclDestroyTensor(out);
}

static void refuses(aclnnStatus status, const char *text)
{
    const char *told = aclGetRecentErrMsg();
    cr_expect_eq(status, INVALID, "%d instead of: %s", status, text);
    cr_expect(told && strstr(told, text), "%s instead of: %s", told, text);
}

Test(complex_reductions, refusals)
{
    const int64_t sizes[] = {4, 2, 2};
    uint64_t size;
    aclOpExecutor *e;
    aclTensor *z = tensor(narrow, ACL_COMPLEX64, 2, sizes, 1);
    aclTensor *x = tensor(wide, ACL_FLOAT, 2, sizes, 1);
    aclTensor *one = tensor(narrow_out, ACL_COMPLEX64, 0, sizes, 1);
    refuses(aclnnReduceSumGetWorkspaceSize(x, NULL, false, ACL_FLOAT, one, &size, &e),
            "out's data type is COMPLEX64; the result's is FLOAT");
    refuses(aclnnReduceSumGetWorkspaceSize(z, NULL, false, ACL_FLOAT, one, &size, &e),
            "dtype is FLOAT; it must be complex if and only if self is");
    refuses(aclnnMeanGetWorkspaceSize(x, NULL, false, ACL_COMPLEX64, one, &size, &e), "COMPLEX64");
    aclDestroyTensor(z);
    aclDestroyTensor(x);
    aclDestroyTensor(one);
}
