/* SPDX-License-Identifier: Apache-2.0 */
/* Norms by the names of their two parts, which torch_npu asks for where p is not 0, 1, 2, 3 or
 * infinite:
 *
 *     LpNormReduceV2  y = sum of |x|^p      (p = 0: how many are not 0; +-inf: the extreme |x|)
 *     LpNormUpdateV2  y = max(x^(1/p), epsilon)      (p = 0, 1, +-inf: x itself)
 *
 * Half types are computed in FLOAT. */
#include <limits.h>
#include <math.h>

#include "api/op_named_call.h"
#include "api/op_shape.h"
#include "runtime/support/error.h"

#include "aclnnop/aclnn_abs.h"
#include "aclnnop/aclnn_clamp.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_norm.h"
#include "aclnnop/aclnn_pow.h"
#include "aclnnop/aclnn_reduce_sum.h"
#include "aclnnop/aclnn_sqrt.h"

static const enum op_named_side IN = OP_NAMED_INPUT, OUT = OP_NAMED_OUTPUT;

/* torch_npu says infinity as the largest and the least int. */
static float order_of(struct op_named_run *run)
{
    const float p = (float)op_named_real(run, "p", 2);
    if (isnan(p)) op_named_refuse(run, "p", "not be NaN");
    if (p == (float)INT_MAX) return INFINITY;
    return p == (float)INT_MIN ? -INFINITY : p;
}

/* Whether the sum is the norm. */
static bool has_no_root(float p)
{
    return p == 0 || p == 1 || isinf(p);
}

static aclScalar *scalar_of(struct op_named_run *run, float value)
{
    aclScalar *scalar = aclCreateScalar(&value, ACL_FLOAT);
    if (!scalar && run->status == ACL_SUCCESS)
        run->status = rt_error_report(ACL_ERROR_BAD_ALLOC, run->who, "no host memory for a scalar");
    return scalar;
}

static aclDataType wide_type(aclDataType type)
{
    return type == ACL_DOUBLE ? ACL_DOUBLE : ACL_FLOAT;
}

static void copy(struct op_named_run *run, const aclTensor *from, aclTensor *to)
{
    uint64_t bytes = 0;
    aclOpExecutor *executor = NULL;
    if (run->status != ACL_SUCCESS) return;
    const aclnnStatus phase1 = aclnnInplaceCopyGetWorkspaceSize(to, from, &bytes, &executor);
    op_named_launch(run, phase1, bytes, executor, aclnnInplaceCopy);
}

/* to = from^exponent */
static void raise_to(struct op_named_run *run, const aclTensor *from, float exponent, aclTensor *to)
{
    uint64_t bytes = 0;
    aclOpExecutor *executor = NULL;
    aclScalar *scalar = scalar_of(run, exponent);
    if (run->status == ACL_SUCCESS) {
        const aclnnStatus phase1 =
            aclnnPowTensorScalarGetWorkspaceSize(from, scalar, to, &bytes, &executor);
        op_named_launch(run, phase1, bytes, executor, aclnnPowTensorScalar);
    }
    aclDestroyScalar(scalar);
}

/* ---- LpNormReduceV2 ---- */

static void reduce_at_once(struct op_named_run *run, const aclTensor *x, float p,
                           const aclIntArray *axes, bool keeps, aclTensor *y)
{
    uint64_t bytes = 0;
    aclOpExecutor *executor = NULL;
    aclScalar *scalar = scalar_of(run, p);
    if (run->status == ACL_SUCCESS) {
        const aclnnStatus phase1 =
            aclnnNormGetWorkspaceSize(x, scalar, axes, keeps, y, &bytes, &executor);
        op_named_launch(run, phase1, bytes, executor, aclnnNorm);
    }
    aclDestroyScalar(scalar);
}

/* sizes: scratch of x's shape. */
static void sum_of_powers(struct op_named_run *run, const aclTensor *x, aclTensor *sizes,
                          aclDataType type, float p, const aclIntArray *axes, bool keeps,
                          aclTensor *y)
{
    uint64_t bytes = 0;
    aclOpExecutor *executor = NULL;
    copy(run, x, sizes);
    if (run->status == ACL_SUCCESS) {
        const aclnnStatus phase1 = aclnnAbsGetWorkspaceSize(sizes, sizes, &bytes, &executor);
        op_named_launch(run, phase1, bytes, executor, aclnnAbs);
    }
    raise_to(run, sizes, p, sizes);
    if (run->status != ACL_SUCCESS) return;
    const aclnnStatus phase1 =
        aclnnReduceSumGetWorkspaceSize(sizes, axes, keeps, type, y, &bytes, &executor);
    op_named_launch(run, phase1, bytes, executor, aclnnReduceSum);
}

void op_named_lp_norm_reduce(struct op_named_run *run)
{
    int64_t values[EX_MAX_RANK];
    op_named_counts(run, 1, 1);
    const float p = order_of(run);
    const bool keeps = op_named_truth(run, "keepdim", false);
    const int count = op_named_integers(run, "axes", values, EX_MAX_RANK,
                                        "be a list of integers, at most as many as dimensions");
    const struct op_view from = op_named_whole(run, IN, 0), to = op_named_whole(run, OUT, 0);
    const aclDataType wide = wide_type(from.type);
    aclTensor *x = op_named_tensor(run, IN, 0, &from), *y = op_named_tensor(run, OUT, 0, &to);
    aclIntArray *axes = aclCreateIntArray(values, count < 0 ? 0 : (uint64_t)count);
    if (run->status == ACL_SUCCESS && !axes)
        run->status = rt_error_report(ACL_ERROR_BAD_ALLOC, run->who, "no host memory for an array");
    if (has_no_root(p))
        reduce_at_once(run, x, p, axes, keeps, y);
    else
        sum_of_powers(run, x, op_named_scratch(run, wide, &from), wide, p, axes, keeps, y);
    aclDestroyIntArray(axes);
}

/* ---- LpNormUpdateV2 ---- */

static void at_least(struct op_named_run *run, aclTensor *y, float epsilon)
{
    uint64_t bytes = 0;
    aclOpExecutor *executor = NULL;
    aclScalar *scalar = scalar_of(run, epsilon);
    if (run->status == ACL_SUCCESS) {
        const aclnnStatus phase1 = aclnnClampMinGetWorkspaceSize(y, scalar, y, &bytes, &executor);
        op_named_launch(run, phase1, bytes, executor, aclnnClampMin);
    }
    aclDestroyScalar(scalar);
}

void op_named_lp_norm_update(struct op_named_run *run)
{
    static const float least_half = 1e-7F; /* so that FLOAT16 has it */
    uint64_t bytes = 0;
    aclOpExecutor *executor = NULL;
    op_named_counts(run, 1, 1);
    const float p = order_of(run);
    float epsilon = (float)op_named_real(run, "epsilon", 1e-12);
    if (!(epsilon >= 0)) op_named_refuse(run, "epsilon", "be at least 0");
    const struct op_view from = op_named_whole(run, IN, 0), to = op_named_whole(run, OUT, 0);
    const aclTensor *x = op_named_tensor(run, IN, 0, &from);
    aclTensor *y = op_named_tensor(run, OUT, 0, &to);
    if (has_no_root(p)) {
        copy(run, x, y);
    } else if (p != 2) {
        raise_to(run, x, 1 / p, y);
    } else if (run->status == ACL_SUCCESS) {
        const aclnnStatus phase1 = aclnnSqrtGetWorkspaceSize(x, y, &bytes, &executor);
        op_named_launch(run, phase1, bytes, executor, aclnnSqrt);
    }
    if (from.type == ACL_FLOAT16 && epsilon > 0 && epsilon < least_half) epsilon = least_half;
    if (epsilon > 0) at_least(run, y, epsilon);
}
