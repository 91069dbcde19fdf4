/* SPDX-License-Identifier: Apache-2.0 */
/* Operators by their names that are an aclnn function of the same tensors: those that torch_npu's
 * own functions (npu_silu, npu_mish, npu_max, npu_bmmV2, npu_iou, ...) ask for. */
#include <string.h>

#include "api/op_named_call.h"
#include "api/op_shape.h"
#include "api/tensor_desc.h"
#include "runtime/support/error.h"

#include "aclnnop/aclnn_batch_matmul.h"
#include "aclnnop/aclnn_fast_gelu.h"
#include "aclnnop/aclnn_fast_gelu_backward.h"
#include "aclnnop/aclnn_iou.h"
#include "aclnnop/aclnn_max_dim.h"
#include "aclnnop/aclnn_min_dim.h"
#include "aclnnop/aclnn_mish.h"
#include "aclnnop/aclnn_mish_backward.h"
#include "aclnnop/aclnn_scaled_masked_softmax.h"
#include "aclnnop/aclnn_scaled_masked_softmax_backward.h"
#include "aclnnop/aclnn_silu_backward.h"
#include "aclnnop/aclnn_softmax_cross_entropy_with_logits.h"
#include "aclnnop/aclnn_swish.h"
#include "aclnnop/aclnn_swish_backward.h"

enum { INPUTS = 3, OUTPUTS = 2 };

static const enum op_named_side IN = OP_NAMED_INPUT, OUT = OP_NAMED_OUTPUT;

/* What a call has, once it is sound. */
struct call {
    struct op_named_run *run;
    aclTensor *in[INPUTS], *out[OUTPUTS];
    uint64_t bytes;
    aclOpExecutor *executor;
};

/* Both phases of an operator on a struct call, unless something has failed. */
#define RUN(c, operator, ...)                                                                      \
    do {                                                                                           \
        if ((c)->run->status != ACL_SUCCESS) break;                                                \
        const aclnnStatus phase1_ = operator##GetWorkspaceSize(__VA_ARGS__, &(c)->bytes,           \
                                                               &(c)->executor);                    \
        op_named_launch((c)->run, phase1_, (c)->bytes, (c)->executor, operator);                   \
    } while (0)

static aclTensor *whole(struct op_named_run *run, enum op_named_side side, int index)
{
    const struct op_view view = op_named_whole(run, side, index);
    return op_named_tensor(run, side, index, &view);
}

static struct call open_call(struct op_named_run *run, int inputs, int outputs)
{
    struct call call = {.run = run};
    op_named_counts(run, inputs, outputs);
    for (int i = 0; i < inputs; i++)
        call.in[i] = whole(run, IN, i);
    for (int i = 0; i < outputs; i++)
        call.out[i] = whole(run, OUT, i);
    return call;
}

/* ---- activations ---- */

static aclScalar *scale_of(struct op_named_run *run)
{
    float scale = (float)op_named_real(run, "scale", 1);
    aclScalar *scalar = aclCreateScalar(&scale, ACL_FLOAT);
    if (!scalar && run->status == ACL_SUCCESS)
        run->status = rt_error_report(ACL_ERROR_BAD_ALLOC, run->who, "no host memory for a scalar");
    return scalar;
}

void op_named_swish(struct op_named_run *run)
{
    struct call c = open_call(run, 1, 1);
    aclScalar *scale = scale_of(run);
    RUN(&c, aclnnSwish, c.in[0], scale, c.out[0]);
    aclDestroyScalar(scale);
}

/* The third input is Swish's result, which its gradient does not need. */
void op_named_swish_grad(struct op_named_run *run)
{
    struct call c = open_call(run, 2, 1);
    aclScalar *scale = scale_of(run);
    RUN(&c, aclnnSwishBackward, c.in[0], c.in[1], scale, c.out[0]);
    aclDestroyScalar(scale);
}

void op_named_silu_grad(struct op_named_run *run)
{
    struct call c = open_call(run, 2, 1);
    RUN(&c, aclnnSiluBackward, c.in[0], c.in[1], c.out[0]);
}

void op_named_mish(struct op_named_run *run)
{
    struct call c = open_call(run, 1, 1);
    RUN(&c, aclnnMish, c.in[0], c.out[0]);
}

/* A third input is tanh(softplus(x)), which is computed anew. */
void op_named_mish_grad(struct op_named_run *run)
{
    struct call c = open_call(run, 2, 1);
    RUN(&c, aclnnMishBackward, c.in[0], c.in[1], c.out[0]);
}

void op_named_fast_gelu(struct op_named_run *run)
{
    struct call c = open_call(run, 1, 1);
    RUN(&c, aclnnFastGelu, c.in[0], c.out[0]);
}

void op_named_fast_gelu_grad(struct op_named_run *run)
{
    struct call c = open_call(run, 2, 1);
    RUN(&c, aclnnFastGeluBackward, c.in[0], c.in[1], c.out[0]);
}

/* ---- rows ---- */

void op_named_masked_softmax(struct op_named_run *run)
{
    struct call c = open_call(run, 2, 1);
    const double scale = op_named_real(run, "scale", 1);
    const bool is_triangle = op_named_truth(run, "fixed_triu_mask", false);
    RUN(&c, aclnnScaledMaskedSoftmax, c.in[0], c.in[1], scale, is_triangle, c.out[0]);
}

void op_named_masked_softmax_grad(struct op_named_run *run)
{
    struct call c = open_call(run, 3, 1);
    const double scale = op_named_real(run, "scale", 1);
    const bool is_triangle = op_named_truth(run, "fixed_triu_mask", false);
    RUN(&c, aclnnScaledMaskedSoftmaxBackward, c.in[0], c.in[1], c.in[2], scale, is_triangle,
        c.out[0]);
}

void op_named_labels(struct op_named_run *run)
{
    struct call c = open_call(run, 2, 2);
    RUN(&c, aclnnSoftmaxCrossEntropyWithLogits, c.in[0], c.in[1], c.out[0], c.out[1]);
}

/* The places come first. */
void op_named_arg_max(struct op_named_run *run)
{
    struct call c = open_call(run, 1, 2);
    const int64_t dim = op_named_integer(run, "dimension", 0);
    const bool keeps = op_named_truth(run, "keep_dims", false);
    RUN(&c, aclnnMaxDim, c.in[0], dim, keeps, c.out[1], c.out[0]);
}

void op_named_arg_min(struct op_named_run *run)
{
    struct call c = open_call(run, 1, 2);
    const int64_t dim = op_named_integer(run, "dimension", 0);
    const bool keeps = op_named_truth(run, "keep_dims", false);
    RUN(&c, aclnnMinDim, c.in[0], dim, keeps, c.out[1], c.out[0]);
}

/* ---- products ---- */

/* Batches of any rank as one axis, the matrices transposed as asked. */
static aclTensor *matrices(struct op_named_run *run, enum op_named_side side, int index,
                           bool is_turned)
{
    struct op_view view = op_named_whole(run, side, index);
    const int rank = view.rank;
    int64_t sizes[] = {1, 0, 0};
    op_named_demand(run, side, index, rank >= 3, "it must have 3 dimensions at least");
    if (run->status != ACL_SUCCESS) return NULL;
    for (int i = 0; i < rank - 2; i++)
        sizes[0] *= view.sizes[i];
    sizes[1] = view.sizes[rank - 2];
    sizes[2] = view.sizes[rank - 1];
    view = op_view_dense(view.type, 3, sizes);
    if (is_turned) view = op_view_swapped(view, 1, 2);
    return op_named_tensor(run, side, index, &view);
}

void op_named_batch_matmul(struct op_named_run *run)
{
    struct call c = {.run = run};
    op_named_counts(run, 2, 1);
    c.in[0] = matrices(run, IN, 0, op_named_truth(run, "adj_x1", false));
    c.in[1] = matrices(run, IN, 1, op_named_truth(run, "adj_x2", false));
    c.out[0] = matrices(run, OUT, 0, false);
    RUN(&c, aclnnBatchMatMul, c.in[0], c.in[1], c.out[0], 0);
}

/* ---- boxes ---- */

/* overlap is (boxes of the second input, boxes of the first one). */
void op_named_iou(struct op_named_run *run)
{
    enum { BOXES, TRUE_BOXES };
    struct call c = {.run = run};
    const char *text = op_attribute_text(run->call->attr, "mode");
    const bool is_iof = text && strcmp(text, "\"iof\"") == 0;
    op_named_counts(run, 2, 1);
    if (text && !is_iof && strcmp(text, "\"iou\"") != 0)
        op_named_refuse(run, "mode", "be iou or iof");
    const float eps = (float)op_named_real(run, "eps", 1);
    const bool is_aligned = op_named_truth(run, "aligned", false);
    struct op_view overlap = op_named_view(run, OUT, 0, 2);
    if (!is_aligned) overlap = op_view_swapped(overlap, 0, 1);
    c.in[BOXES] = whole(run, IN, BOXES);
    c.in[TRUE_BOXES] = whole(run, IN, TRUE_BOXES);
    c.out[0] = op_named_tensor(run, OUT, 0, &overlap);
    RUN(&c, aclnnIou, c.in[BOXES], c.in[TRUE_BOXES], is_iof ? "iof" : "iou", eps, is_aligned,
        c.out[0]);
}
