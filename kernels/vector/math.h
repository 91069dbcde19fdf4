/* SPDX-License-Identifier: Apache-2.0 */
/* Vector math: functions of vectors of floats (vf), and of one double under the same name with
 * _f64 behind it.
 *
 *   vf v_NAME(vf x)            double v_NAME_f64(double x)
 *     exp exp2 expm1 log log2 log10 log1p cbrt sqrt rsqrt
 *     sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
 *     erf erfc erfinv lgamma digamma
 *     round (half to even) floor ceil trunc
 *     sigmoid         1 / (1 + e^-x)
 *     silu            x sigmoid(x)
 *     gelu            x (1 + erf(x / sqrt(2))) / 2
 *     gelu_tanh       x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2
 *     softplus        log(1 + e^x)
 *     tanh_softplus   tanh(softplus(x))
 *     mish            x tanh(softplus(x))
 *   vf v_NAME(vf x, vf y)      double v_NAME_f64(double x, double y)
 *     pow             x^y
 *     hypot           sqrt(x^2 + y^2)
 *     fmod            x - y trunc(x / y), exact: the sign of x, as C's fmod
 *     remainder       x - y floor(x / y): the sign of y, as Python's % and torch.remainder
 *   vf v_atan2(vf y, vf x)     double v_atan2_f64(double y, double x)
 *
 * f32, but for gelu, is evaluated in double, two vectors (vd) of half as many lanes, with
 * polynomials that are good to 2^-27 at least, and rounded once: so the error is little above one
 * half ULP, subnormal numbers are right, and nothing overflows on the way. Bounds and measured
 * errors are in docs/numerics.md. The bits are the same on all levels with fused multiply-add
 * (contraction is off, the fused operations are explicit); the base level's may differ in the last
 * place.
 *
 * Special values are C's (Annex F): a NaN gives NaN, but pow(1, NaN) = pow(NaN, 0) = 1 and
 * hypot(infinity, NaN) = infinity; sin(infinity) is NaN, log(0) -infinity, lgamma at its poles
 * infinity. erfinv, digamma, silu, gelu, mish: torch's; so digamma(+0) = -infinity, digamma(-0) =
 * infinity, digamma(-n) is NaN, and silu, gelu, gelu_tanh and mish of -infinity are NaN. */
#ifndef ACLNN_CPU_KERNELS_VECTOR_MATH_H
#define ACLNN_CPU_KERNELS_VECTOR_MATH_H

#include "kernels/vector/math_erf.h"
#include "kernels/vector/math_exp.h"
#include "kernels/vector/math_f64.h"
#include "kernels/vector/math_gamma.h"
#include "kernels/vector/math_log.h"
#include "kernels/vector/math_normal.h"
#include "kernels/vector/math_round.h"
#include "kernels/vector/math_trig.h"

#endif
