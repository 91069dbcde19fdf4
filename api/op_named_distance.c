/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of distances by its name: CdistGrad, by aclnnCdistBackward. Its operands are rows
 * and distances as that has them, or all in one shape (..., P, R, M), along which torch_npu repeats
 * them: grad and the distances along M, x1 along R, x2 along P. Where x1 was repeated along axes of
 * the batch as well, the result, which has x1's own shape, is the sum over these. */
#include "api/op_named_call.h"
#include "api/op_shape.h"
#include "runtime/support/error.h"

#include "aclnnop/aclnn_cdist_backward.h"
#include "aclnnop/aclnn_reduce_sum.h"
#include "aclnnop/aclnn_zero.h"

static const enum op_named_side IN = OP_NAMED_INPUT, OUT = OP_NAMED_OUTPUT;

enum { GRAD, X1, X2, CDIST, INPUTS, FEATURES = 1, COLUMNS, ROWS };

/* The first of an axis along which all are the same, counted from the last one. */
static struct op_view once(struct op_view view, int from_last)
{
    const int axis = view.rank - from_last;
    for (int i = axis; i + 1 < view.rank; i++) {
        view.sizes[i] = view.sizes[i + 1];
        view.strides[i] = view.strides[i + 1];
    }
    view.rank--;
    return view;
}

static bool has_shape(const struct op_view *view, int rank, const int64_t *sizes)
{
    bool has = view->rank == rank;
    for (int i = 0; i < rank && has; i++)
        has = view->sizes[i] == sizes[i];
    return has;
}

/* Whether out is the gradient's shape, but for axes of the batch that it lacks or has once. */
static bool is_summed_to(const struct op_view *out, const struct op_view *grad)
{
    const int missing = grad->rank - out->rank;
    bool fits = out->rank >= 2 && missing >= 0;
    for (int i = 0; i < out->rank && fits; i++)
        fits =
            out->sizes[i] == grad->sizes[missing + i] || (out->sizes[i] == 1 && i < out->rank - 2);
    return fits;
}

/* What is repeated is taken once. */
static void take_once(struct op_named_run *run, struct op_view views[INPUTS],
                      const struct op_view *out)
{
    static const int repeated[INPUTS] = {
        [GRAD] = FEATURES, [X1] = COLUMNS, [X2] = ROWS, [CDIST] = FEATURES};
    const struct op_view all = views[X1];
    op_named_demand(run, IN, X1, all.rank >= ROWS, "it must have 3 dimensions at least");
    for (int i = 0; i < INPUTS; i++)
        op_named_demand(run, IN, i, has_shape(&views[i], all.rank, all.sizes),
                        "it must have the shape of inputs[1]");
    if (run->status != ACL_SUCCESS) return;
    for (int i = 0; i < INPUTS; i++)
        views[i] = once(views[i], repeated[i]);
    op_named_demand(run, OUT, 0, is_summed_to(out, &views[X1]),
                    "it must be (..., P, M) of inputs (..., P, R, M)");
}

/* The sum over the axes of the batch that out lacks or has once. */
static void sum_batch(struct op_named_run *run, const aclTensor *grad, const struct op_view *made)
{
    const struct op_view out = op_named_view(run, OUT, 0, made->rank);
    int64_t values[EX_MAX_RANK] = {0};
    uint64_t bytes = 0, count = 0;
    aclOpExecutor *executor = NULL;
    aclTensor *to = op_named_tensor(run, OUT, 0, &out);
    for (int i = 0; i < made->rank; i++)
        if (out.sizes[i] != made->sizes[i]) values[count++] = i;
    aclIntArray *axes = aclCreateIntArray(values, count);
    if (run->status == ACL_SUCCESS && !axes)
        run->status = rt_error_report(ACL_ERROR_BAD_ALLOC, run->who, "no host memory for an array");
    if (run->status == ACL_SUCCESS) {
        const aclnnStatus phase1 =
            aclnnReduceSumGetWorkspaceSize(grad, axes, true, made->type, to, &bytes, &executor);
        op_named_launch(run, phase1, bytes, executor, aclnnReduceSum);
    }
    aclDestroyIntArray(axes);
}

static void fill_zero(struct op_named_run *run, const struct op_view *out)
{
    uint64_t bytes = 0;
    aclOpExecutor *executor = NULL;
    aclTensor *to = op_named_tensor(run, OUT, 0, out);
    if (run->status != ACL_SUCCESS) return;
    const aclnnStatus phase1 = aclnnInplaceZeroGetWorkspaceSize(to, &bytes, &executor);
    op_named_launch(run, phase1, bytes, executor, aclnnInplaceZero);
}

void op_named_cdist_grad(struct op_named_run *run)
{
    struct op_view views[INPUTS];
    aclTensor *tensors[INPUTS];
    uint64_t bytes = 0;
    aclOpExecutor *executor = NULL;
    op_named_counts(run, INPUTS, 1);
    const double p = op_named_real(run, "p", 2);
    for (int i = 0; i < INPUTS; i++)
        views[i] = op_named_whole(run, IN, i);
    const struct op_view out = op_named_whole(run, OUT, 0);
    const bool is_repeated = views[X1].rank > out.rank;
    const bool has_terms = !is_repeated || !op_view_is_empty(&views[X1]);
    if (is_repeated) take_once(run, views, &out);
    if (run->status != ACL_SUCCESS) return;
    if (!has_terms) {
        fill_zero(run, &out);
        return;
    }
    for (int i = 0; i < INPUTS; i++)
        tensors[i] = op_named_tensor(run, IN, i, &views[i]);
    const bool is_summed = is_repeated && !has_shape(&out, views[X1].rank, views[X1].sizes);
    aclTensor *to = is_summed ? op_named_scratch(run, out.type, &views[X1])
                              : op_named_tensor(run, OUT, 0, &out);
    if (run->status != ACL_SUCCESS) return;
    const aclnnStatus phase1 = aclnnCdistBackwardGetWorkspaceSize(
        tensors[GRAD], tensors[X1], tensors[X2], tensors[CDIST], (float)p, to, &bytes, &executor);
    op_named_launch(run, phase1, bytes, executor, aclnnCdistBackward);
    if (is_summed) sum_batch(run, to, &views[X1]);
}
