/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that are one function of kernels/vector/math.h; included once for f32 and f64. */

/* Names a function; in f64 it is called lane by lane. */
#undef FUNCTION
#define FUNCTION(f)                                                                                \
    K_TEMPLATE                                                                                     \
    void NAME(f)(T * y, const T *x, const T *s)                                                    \
    {                                                                                              \
        (void)s;                                                                                   \
        y[0] = NAME(map)(FN(f), x[0]);                                                             \
    }

FUNCTION(exp)
FUNCTION(exp2)
FUNCTION(expm1)
FUNCTION(log)
FUNCTION(log2)
FUNCTION(log10)
FUNCTION(log1p)
FUNCTION(sin)
FUNCTION(cos)
FUNCTION(tan)
FUNCTION(asin)
FUNCTION(acos)
FUNCTION(atan)
FUNCTION(sinh)
FUNCTION(cosh)
FUNCTION(tanh)
FUNCTION(asinh)
FUNCTION(acosh)
FUNCTION(atanh)
FUNCTION(erf)
FUNCTION(erfc)
FUNCTION(sqrt)
FUNCTION(rsqrt)
FUNCTION(sigmoid)
FUNCTION(silu)
FUNCTION(gelu)
FUNCTION(gelu_tanh)
FUNCTION(mish)
FUNCTION(ceil)
FUNCTION(floor)
FUNCTION(round)
FUNCTION(trunc)
FUNCTION(erfinv)
FUNCTION(lgamma)
FUNCTION(digamma)
