/* SPDX-License-Identifier: Apache-2.0 */
/* A line per operator on complex numbers: its name, its form, and its arguments. */
#include "tests/support/complex_calls.h"

#include <criterion/criterion.h>
#include <math.h>

#include "acl/acl.h"
#include "aclnn_operators.h"

static const long double ln2 = 0.693147180559945309417232121458176568L;
static const long double ln10 = 2.302585092994045684017991454684364208L;

/* ---- definitions that are not C's: infinite parts are not looked at ---- */

static number times(number a, number b)
{
    const long double re = creall(a) * creall(b) - cimagl(a) * cimagl(b);
    return number_of(re, creall(a) * cimagl(b) + cimagl(a) * creall(b));
}

/* Smith's method, as PyTorch has it. */
static number over(number a, number b)
{
    const long double p = creall(a), q = cimagl(a), c = creall(b), d = cimagl(b);
    if (c == 0 && d == 0) return number_of(p / fabsl(c), q / fabsl(d));
    if (fabsl(c) >= fabsl(d)) {
        const long double ratio = d / c, scale = 1 / (c + d * ratio);
        return number_of((p + q * ratio) * scale, (q - p * ratio) * scale);
    }
    const long double ratio = c / d, scale = 1 / (c * ratio + d);
    return number_of((p * ratio + q) * scale, (q * ratio - p) * scale);
}

static number divided(number z, long double by)
{
    return number_of(creall(z) / by, cimagl(z) / by);
}

static number unit(number z)
{
    const long double size = cabsl(z);
    return size == 0 ? 0 : divided(z, size);
}

static bool is_set(number z)
{
    return creall(z) != 0 || cimagl(z) != 0;
}

/* ---- alpha ---- */

#define ALPHA number_of(2, -0.5L)

static const aclScalar *alpha_of(double re, double im)
{
    static aclScalar *scalars[2];
    const bool is_one = re == 1;
    double value[] = {re, im};
    if (!scalars[is_one]) scalars[is_one] = aclCreateScalar(value, ACL_COMPLEX128);
    return scalars[is_one];
}

#define ONE_ALPHA alpha_of(1, 0)
#define AN_ALPHA  alpha_of(2, -0.5)

/* ---- the lines ---- */

/* LINE(id, operator, tensors, traits, result, units, form, arguments) */
#define UNARY(id, op, units, form)                                                                 \
    LINE(id, aclnn##op, 1, 0, OF_COMPLEX, units, form, self, out)                                  \
    LINE(in_place_##id, aclnnInplace##op, 1, IN_PLACE, OF_COMPLEX, units, form, out)
#define BINARY(id, op, scalar_op, result, units, form)                                             \
    LINE(id, aclnn##op, 2, 0, result, units, form, self, other, out)                               \
    LINE(in_place_##id, aclnnInplace##op, 2, IN_PLACE, result, units, form, out, other)            \
    LINE(id##_scalar, aclnn##scalar_op, 1, 0, result, units, form, self, scalar, out)              \
    LINE(in_place_##id##_scalar, aclnnInplace##scalar_op, 1, IN_PLACE, result, units, form, out,   \
         scalar)
#define SUM(id, op, alpha, form)                                                                   \
    LINE(id, aclnn##op, 2, IS_SUM, OF_COMPLEX, 4, form, self, other, alpha, out)                   \
    LINE(in_place_##id, aclnnInplace##op, 2, IS_SUM | IN_PLACE, OF_COMPLEX, 4, form, out, other,   \
         alpha)                                                                                    \
    LINE(id##_scalar, aclnn##op##s, 1, IS_SUM, OF_COMPLEX, 4, form, self, scalar, alpha, out)      \
    LINE(in_place_##id##_scalar, aclnnInplace##op##s, 1, IS_SUM | IN_PLACE, OF_COMPLEX, 4, form,   \
         out, scalar, alpha)

#define LINES                                                                                      \
    SUM(add, Add, ONE_ALPHA, x[0] + x[1])                                                          \
    SUM(add_alpha, Add, AN_ALPHA, x[0] + times(ALPHA, x[1]))                                       \
    SUM(sub, Sub, ONE_ALPHA, x[0] - x[1])                                                          \
    SUM(sub_alpha, Sub, AN_ALPHA, x[0] + times(-ALPHA, x[1]))                                      \
    LINE(rsub, aclnnRsub, 2, IS_SUM, OF_COMPLEX, 4, x[1] - x[0], self, other, ONE_ALPHA, out)      \
    LINE(rsubs, aclnnRsubs, 1, IS_SUM, OF_COMPLEX, 4, x[1] + times(-ALPHA, x[0]), self, scalar,    \
         AN_ALPHA, out)                                                                            \
    LINE(add_v3, aclnnAddV3, 1, IS_SUM | SCALAR_FIRST, OF_COMPLEX, 4, x[0] + times(ALPHA, x[1]),   \
         scalar, self, AN_ALPHA, out)                                                              \
    BINARY(mul, Mul, Muls, OF_COMPLEX, 4, times(x[0], x[1]))                                       \
    BINARY(div, Div, Divs, OF_COMPLEX, 8, over(x[0], x[1]))                                        \
    LINE(div_mod, aclnnDivMod, 2, 0, OF_COMPLEX, 8, over(x[0], x[1]), self, other, 0, out)         \
    BINARY(eq, EqTensor, EqScalar, OF_TRUTHS, 0, x[0] == x[1])                                     \
    BINARY(ne, NeTensor, NeScalar, OF_TRUTHS, 0, x[0] != x[1])                                     \
    LINE(logical_and, aclnnLogicalAnd, 2, 0, OF_TRUTHS, 0, is_set(x[0]) && is_set(x[1]), self,     \
         other, out)                                                                               \
    LINE(logical_or, aclnnInplaceLogicalOr, 2, IN_PLACE, OF_TRUTHS, 0,                             \
         is_set(x[0]) || is_set(x[1]), out, other)                                                 \
    LINE(logical_xor, aclnnLogicalXor, 2, 0, OF_TRUTHS, 0, is_set(x[0]) != is_set(x[1]), self,     \
         other, out)                                                                               \
    LINE(logical_not, aclnnLogicalNot, 1, 0, OF_TRUTHS, 0, !is_set(x[0]), self, out)               \
    LINE(in_place_logical_not, aclnnInplaceLogicalNot, 1, IN_PLACE, OF_TRUTHS, 0, !is_set(x[0]),   \
         out)                                                                                      \
    UNARY(neg, Neg, 0, -x[0])                                                                      \
    UNARY(reciprocal, Reciprocal, 8, over(1, x[0]))                                                \
    LINE(abs, aclnnAbs, 1, 0, OF_REALS, 2, cabsl(x[0]), self, out)                                 \
    LINE(angle, aclnnAngleV2, 1, 0, OF_REALS, 2, cargl(x[0]), self, out)                           \
    LINE(real, aclnnReal, 1, 0, OF_REALS, 0, creall(x[0]), self, out)                              \
    LINE(sign, aclnnSign, 1, 0, OF_COMPLEX, 4, unit(x[0]), self, out)                              \
    UNARY(sqrt, Sqrt, 4, csqrtl(x[0]))                                                             \
    UNARY(rsqrt, Rsqrt, 12, over(1, csqrtl(x[0])))                                                 \
    UNARY(exp, Exp, 8, cexpl(x[0]))                                                                \
    UNARY(exp2, Exp2, 16, cexpl(number_of(creall(x[0]) * ln2, cimagl(x[0]) * ln2)))                \
    UNARY(log, Log, 4, clogl(x[0]))                                                                \
    UNARY(log2, Log2, 8, divided(clogl(x[0]), ln2))                                                \
    UNARY(log10, Log10, 8, divided(clogl(x[0]), ln10))                                             \
    UNARY(sigmoid, Sigmoid, 64, over(1, 1 + cexpl(-x[0])))                                         \
    UNARY(sin, Sin, 8, csinl(x[0]))                                                                \
    UNARY(cos, Cos, 8, ccosl(x[0]))                                                                \
    UNARY(tan, Tan, 8, ctanl(x[0]))                                                                \
    UNARY(asin, Asin, 8, casinl(x[0]))                                                             \
    UNARY(acos, Acos, 8, cacosl(x[0]))                                                             \
    UNARY(atan, Atan, 8, catanl(x[0]))                                                             \
    UNARY(sinh, Sinh, 8, csinhl(x[0]))                                                             \
    UNARY(cosh, Cosh, 8, ccoshl(x[0]))                                                             \
    UNARY(tanh, Tanh, 8, ctanhl(x[0]))                                                             \
    UNARY(asinh, Asinh, 8, casinhl(x[0]))                                                          \
    UNARY(acosh, Acosh, 8, cacoshl(x[0]))                                                          \
    UNARY(atanh, Atanh, 8, catanhl(x[0]))                                                          \
    LINE(pow, aclnnPowTensorTensor, 2, 0, OF_COMPLEX, 256, cpowl(x[0], x[1]), self, other, out)    \
    LINE(pow_scalar, aclnnPowTensorScalar, 1, 0, OF_COMPLEX, 64, cpowl(x[0], x[1]), self, scalar,  \
         out)                                                                                      \
    LINE(in_place_pow, aclnnInplacePowTensorScalar, 1, IN_PLACE, OF_COMPLEX, 64,                   \
         cpowl(x[0], x[1]), out, scalar)                                                           \
    LINE(pow_of_scalar, aclnnPowScalarTensor, 1, SCALAR_FIRST, OF_COMPLEX, 64, cpowl(x[0], x[1]),  \
         scalar, self, out)

enum { IN_PLACE = 1, SCALAR_FIRST = 2, IS_SUM = 4 };

#define LINE(id, operator, tensors, traits, result, units, form, ...)                              \
    static number form_##id(const number *x)                                                       \
    {                                                                                              \
        return form;                                                                               \
    }                                                                                              \
    static aclnnStatus plan_##id(aclTensor *self, aclTensor *other, const aclScalar *scalar,       \
                                 aclTensor *out, uint64_t *size, aclOpExecutor **executor)         \
    {                                                                                              \
        (void)self, (void)other, (void)scalar, (void)out;                                          \
        return operator##GetWorkspaceSize(__VA_ARGS__, size, executor);                            \
    }
LINES
#undef LINE

#define LINE(id, operator, count, traits, of, most, value, ...)                                    \
    {.name = #id " by " #operator,                                                                 \
     .tensors =(count),                                                                            \
     .is_in_place = ((traits)&IN_PLACE) != 0,                                                      \
     .is_scalar_first = ((traits)&SCALAR_FIRST) != 0,                                              \
     .is_sum = ((traits)&IS_SUM) != 0,                                                             \
     .result = (of),                                                                               \
     .units = (most),                                                                              \
     .form = form_##id,                                                                            \
     .plan = plan_##id,                                                                            \
     .run = operator},
const struct complex_call complex_calls[] = {LINES};
const int complex_call_count = sizeof complex_calls / sizeof complex_calls[0];

void complex_finish(const char *name, aclnnStatus status, uint64_t size, aclOpExecutor *executor,
                    complex_phase2 *run)
{
    void *workspace = NULL;
    aclrtStream stream;
    cr_assert_eq(status, ACL_SUCCESS, "%s: %s", name, aclGetRecentErrMsg());
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    if (size > 0)
        cr_assert_eq(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    cr_assert_eq(run(workspace, size, executor, stream), ACL_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS, "%s", name);
    aclrtFree(workspace);
    cr_assert_eq(aclrtDestroyStream(stream), ACL_SUCCESS);
}

void complex_run(const struct complex_call *call, aclTensor *self, aclTensor *other,
                 const aclScalar *scalar, aclTensor *out)
{
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    const aclnnStatus status = call->plan(self, other, scalar, out, &size, &executor);
    complex_finish(call->name, status, size, executor, call->run);
}
