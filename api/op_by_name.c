/* SPDX-License-Identifier: Apache-2.0 */
#include "api/op_by_name.h"

#include <string.h>

#include "api/op_check.h"
#include "api/op_named_call.h"
#include "api/tensor_desc.h"
#include "executor/view.h"
#include "runtime/support/base.h"
#include "runtime/support/checked.h"
#include "runtime/support/error.h"

#include "aclnn/acl_meta.h"
#include "aclnnop/aclnn_copy.h"

/* What an operator of this name may change on the way. */
static const struct {
    const char *name;
    bool changes_type;
    bool changes_format;
} copies[] = {
    {"Identity", false, true},
    {"TensorMove", false, false},
    {"Cast", true, false},
    {"TransData", false, true},
};

static bool is_known(const struct op_stored_tensor *tensor, const aclDataBuffer *data)
{
    int64_t count;
    size_t bytes;
    if (tensor->rank > EX_MAX_RANK || tensor->is_on_host || !data) return false;
    if (!ex_element_count(tensor->sizes, tensor->rank, &count)) return false;
    return rt_size_mul_ok((size_t)count, ex_element_size(tensor->type), &bytes);
}

/* order[i]: which axis of from is axis i of to. False: they are not the same tensor. */
static bool find_order(const struct op_stored_tensor *from, const struct op_stored_tensor *to,
                       bool changes_format, int order[EX_MAX_RANK])
{
    const char *source = op_format_axes(from->format), *target = op_format_axes(to->format);
    if (!source || !target || from->rank != to->rank) return false;
    const bool keeps = from->format == to->format || source[0] == '\0' || target[0] == '\0';
    if (!keeps && !changes_format) return false;
    if (!keeps && strlen(source) != strlen(target)) return false;
    if (!keeps && strlen(source) != (size_t)from->rank) return false;
    for (int i = 0; i < to->rank; i++) {
        const char *axis = keeps ? source : strchr(source, target[i]);
        if (!axis) return false;
        order[i] = keeps ? i : (int)(axis - source);
        if (from->sizes[order[i]] != to->sizes[i]) return false;
    }
    return true;
}

/* False: it is none, or its tensors are such as it does not take. */
static bool copy(struct op_named_run *run)
{
    const struct op_named_call *call = run->call;
    size_t at = 0;
    int order[EX_MAX_RANK];
    uint64_t bytes = 0;
    aclOpExecutor *executor = NULL;
    while (at < RT_LENGTH(copies) && strcmp(call->type, copies[at].name) != 0)
        at++;
    if (at == RT_LENGTH(copies) || call->inputs != 1 || call->outputs != 1) return false;
    if (!call->input[0] || !call->output[0]) return false;
    const struct op_stored_tensor from = op_stored_tensor(call->input[0]);
    const struct op_stored_tensor to = op_stored_tensor(call->output[0]);
    if (!is_known(&from, call->input_data[0]) || !is_known(&to, call->output_data[0])) return false;
    if (from.type != to.type && !copies[at].changes_type) return false;
    if (!find_order(&from, &to, copies[at].changes_format, order)) return false;

    const struct op_view source = op_named_view(run, OP_NAMED_INPUT, 0, from.rank);
    const struct op_view target = op_named_view(run, OP_NAMED_OUTPUT, 0, to.rank);
    struct op_view permuted = source;
    for (int i = 0; i < target.rank; i++) {
        permuted.sizes[i] = source.sizes[order[i]];
        permuted.strides[i] = source.strides[order[i]];
    }
    const aclTensor *in = op_named_tensor(run, OP_NAMED_INPUT, 0, &permuted);
    aclTensor *out = op_named_tensor(run, OP_NAMED_OUTPUT, 0, &target);
    if (run->status != ACL_SUCCESS) return true;
    const aclnnStatus phase1 = aclnnInplaceCopyGetWorkspaceSize(out, in, &bytes, &executor);
    op_named_launch(run, phase1, bytes, executor, aclnnInplaceCopy);
    return true;
}

static const struct {
    const char *name;
    void (*run)(struct op_named_run *run);
} operators[] = {
    {"DynamicRNN", op_named_rnn},
    {"DynamicRNNGrad", op_named_rnn_grad},
    {"DynamicRNNV2", op_named_rnn_v2},
    {"DynamicRNNV2Grad", op_named_rnn_v2_grad},
    {"DynamicGRUV2", op_named_gru_v2},
    {"DynamicGRUV2Grad", op_named_gru_v2_grad},
    {"Conv2D", op_named_conv2d},
    {"CdistGrad", op_named_cdist_grad},
    {"LpNormReduceV2", op_named_lp_norm_reduce},
    {"LpNormUpdateV2", op_named_lp_norm_update},
    {"Swish", op_named_swish},
    {"SwishGrad", op_named_swish_grad},
    {"SiluGrad", op_named_silu_grad},
    {"Mish", op_named_mish},
    {"MishGrad", op_named_mish_grad},
    {"FastGelu", op_named_fast_gelu},
    {"FastGeluGrad", op_named_fast_gelu_grad},
    {"ScaledMaskedSoftmax", op_named_masked_softmax},
    {"ScaledMaskedSoftmaxGrad", op_named_masked_softmax_grad},
    {"SoftmaxCrossEntropyWithLogits", op_named_labels},
    {"ArgMaxWithValue", op_named_arg_max},
    {"ArgMinWithValue", op_named_arg_min},
    {"BatchMatMul", op_named_batch_matmul},
    {"Iou", op_named_iou},
    {"Transpose", op_named_transpose},
    {"BroadcastTo", op_named_broadcast_to},
    {"Pad", op_named_pad},
    {"Slice", op_named_slice},
    {"ConfusionTransposeD", op_named_confusion_transpose},
};

bool op_run_by_name(const char *who, const struct op_named_call *call, aclrtStream stream,
                    aclError *status)
{
    struct op_named_run run = {.who = who, .call = call, .stream = stream};
    rt_check_own_begin();
    bool is_known = copy(&run);
    for (size_t i = 0; i < RT_LENGTH(operators) && !is_known; i++) {
        is_known = strcmp(call->type, operators[i].name) == 0;
        if (is_known) operators[i].run(&run);
    }
    op_named_end(&run);
    rt_check_own_end();
    *status = run.status;
    return is_known;
}
