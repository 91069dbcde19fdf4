/* SPDX-License-Identifier: Apache-2.0 */
#include "api/op_by_name.h"

#include <string.h>

#include "api/op_check.h"
#include "api/tensor_desc.h"
#include "executor/view.h"
#include "runtime/support/base.h"
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

static aclTensor *make_tensor(const struct op_stored_tensor *shape,
                              const struct op_stored_tensor *memory, const int order[EX_MAX_RANK],
                              void *address)
{
    int64_t contiguous[EX_MAX_RANK], strides[EX_MAX_RANK];
    int64_t step = 1;
    for (int i = memory->rank - 1; i >= 0; i--) {
        contiguous[i] = step;
        step *= memory->sizes[i];
    }
    for (int i = 0; i < memory->rank; i++)
        strides[i] = contiguous[order ? order[i] : i];
    return aclCreateTensor(shape->sizes, (uint64_t)shape->rank, memory->type, strides, 0,
                           ACL_FORMAT_ND, memory->sizes, (uint64_t)memory->rank, address);
}

static aclError check_buffer(const char *who, const char *side,
                             const struct op_stored_tensor *tensor, const aclDataBuffer *data)
{
    int64_t count = 0;
    ex_element_count(tensor->sizes, tensor->rank, &count);
    const size_t bytes = (size_t)count * ex_element_size(tensor->type);
    if (aclGetDataBufferSizeV2(data) >= bytes) return ACL_SUCCESS;
    return rt_error_report(ACL_ERROR_INVALID_PARAM, who,
                           "%s[0] has a buffer of %zu bytes; its tensor takes %zu", side,
                           aclGetDataBufferSizeV2(data), bytes);
}

static aclError run_copy(const char *who, aclTensor *to, const aclTensor *from, aclrtStream stream)
{
    uint64_t bytes = 0;
    aclOpExecutor *executor = NULL;
    void *workspace = NULL;
    if (!to || !from)
        return rt_error_report(ACL_ERROR_BAD_ALLOC, who, "no host memory for a tensor");
    aclError status = aclnnInplaceCopyGetWorkspaceSize(to, from, &bytes, &executor);
    if (status == ACL_SUCCESS && bytes > 0) {
        status = aclrtMalloc(&workspace, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
        if (status != ACL_SUCCESS) aclDestroyAclOpExecutor(executor);
    }
    if (status == ACL_SUCCESS) status = aclnnInplaceCopy(workspace, bytes, executor, stream);
    if (workspace) aclrtFree(workspace); /* when the copy has run */
    return status;
}

bool op_run_by_name(const char *who, const struct op_named_call *call, aclrtStream stream,
                    aclError *status)
{
    size_t at = 0;
    int order[EX_MAX_RANK];
    while (at < RT_LENGTH(copies) && strcmp(call->type, copies[at].name) != 0)
        at++;
    if (at == RT_LENGTH(copies) || call->inputs != 1 || call->outputs != 1) return false;
    if (!call->input[0] || !call->output[0]) return false;
    const struct op_stored_tensor from = op_stored_tensor(call->input[0]);
    const struct op_stored_tensor to = op_stored_tensor(call->output[0]);
    const aclDataBuffer *source = call->input_data[0], *target = call->output_data[0];
    if (!is_known(&from, source) || !is_known(&to, target)) return false;
    if (from.type != to.type && !copies[at].changes_type) return false;
    if (!find_order(&from, &to, copies[at].changes_format, order)) return false;

    *status = check_buffer(who, "inputs", &from, source);
    if (*status == ACL_SUCCESS) *status = check_buffer(who, "outputs", &to, target);
    if (*status != ACL_SUCCESS) return true;
    aclTensor *in = make_tensor(&to, &from, order, aclGetDataBufferAddr(source));
    aclTensor *out = make_tensor(&to, &to, NULL, aclGetDataBufferAddr(target));
    *status = run_copy(who, out, in, stream);
    aclDestroyTensor(in);
    aclDestroyTensor(out);
    return true;
}
