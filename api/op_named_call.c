/* SPDX-License-Identifier: Apache-2.0 */
#include "api/op_named_call.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/op_check.h"
#include "api/tensor_desc.h"
#include "runtime/support/alloc.h"
#include "runtime/support/base.h"
#include "runtime/support/error.h"

enum { LIST_TEXT = 256 };

static const struct op_view nothing = {.type = ACL_DT_UNDEFINED};

/* ---- what the call says ---- */

void op_named_attributes(struct op_named_run *run, const struct op_named_attribute *known,
                         int count)
{
    for (int i = 0; i < count && run->status == ACL_SUCCESS; i++) {
        const char *text = op_attribute_text(run->call->attr, known[i].name);
        bool is_known = !text && !known[i].texts[0];
        for (size_t j = 0; text && j < RT_LENGTH(known[i].texts); j++)
            is_known |= known[i].texts[j] && strcmp(text, known[i].texts[j]) == 0;
        if (!is_known)
            run->status = rt_error_report(
                ACL_ERROR_API_NOT_SUPPORT, run->who, "%s: attribute %s is %s; only %s is supported",
                run->call->type, known[i].name, text ? text : "not set",
                known[i].texts[0] ? known[i].texts[0] : known[i].texts[1]);
    }
}

void op_named_refuse(struct op_named_run *run, const char *name, const char *rule)
{
    const char *text = op_attribute_text(run->call->attr, name);
    if (run->status != ACL_SUCCESS) return;
    run->status =
        rt_error_report(ACL_ERROR_INVALID_PARAM, run->who, "%s: attribute %s is %s; it must %s",
                        run->call->type, name, text ? text : "not set", rule);
}

double op_named_real(struct op_named_run *run, const char *name, double missing)
{
    const char *text = op_attribute_text(run->call->attr, name);
    char *end = NULL;
    if (!text) return missing;
    const double value = strtod(text, &end);
    if (end == text || *end) op_named_refuse(run, name, "be a number");
    return value;
}

int64_t op_named_integer(struct op_named_run *run, const char *name, int64_t missing)
{
    const char *text = op_attribute_text(run->call->attr, name);
    char *end = NULL;
    if (!text) return missing;
    const int64_t value = strtoll(text, &end, 10);
    if (end == text || *end) op_named_refuse(run, name, "be an integer");
    return value;
}

bool op_named_truth(struct op_named_run *run, const char *name, bool missing)
{
    const char *text = op_attribute_text(run->call->attr, name);
    if (!text) return missing;
    const bool is_true = strcmp(text, "true") == 0;
    if (!is_true && strcmp(text, "false") != 0) op_named_refuse(run, name, "be true or false");
    return is_true;
}

int op_named_integers(struct op_named_run *run, const char *name, int64_t *values, int most,
                      const char *rule)
{
    const char *text = op_attribute_text(run->call->attr, name), *at = text;
    char again[LIST_TEXT] = "";
    size_t length = 0;
    int count = 0;
    if (!text) return -1;
    while (count < most && *at && strcmp(at, "[]") != 0 && strcmp(at, "]") != 0) {
        char *end;
        values[count] = strtoll(at + 1, &end, 10);
        at = end;
        op_append(again, sizeof again, &length, "%s%" PRId64, count > 0 ? ", " : "[",
                  values[count]);
        count++;
    }
    op_append(again, sizeof again, &length, count > 0 ? "]" : "[]");
    if (strcmp(text, again) == 0) return count;
    op_named_refuse(run, name, rule);
    return -1;
}

void op_named_counts(struct op_named_run *run, int inputs, int outputs)
{
    if (run->call->inputs >= inputs && run->call->outputs >= outputs) return;
    if (run->status != ACL_SUCCESS) return;
    run->status =
        rt_error_report(ACL_ERROR_INVALID_PARAM, run->who,
                        "%s has %d inputs and %d outputs; it must have %d and %d", run->call->type,
                        run->call->inputs, run->call->outputs, inputs, outputs);
}

static const aclTensorDesc *desc_of(const struct op_named_run *run, enum op_named_side side,
                                    int index)
{
    const bool is_input = side == OP_NAMED_INPUT;
    if (index >= (is_input ? run->call->inputs : run->call->outputs)) return NULL;
    return (is_input ? run->call->input : run->call->output)[index];
}

static const aclDataBuffer *data_of(const struct op_named_run *run, enum op_named_side side,
                                    int index)
{
    return (side == OP_NAMED_INPUT ? run->call->input_data : run->call->output_data)[index];
}

bool op_named_is_there(const struct op_named_run *run, enum op_named_side side, int index)
{
    const aclTensorDesc *desc = desc_of(run, side, index);
    return desc && op_stored_tensor(desc).type != ACL_DT_UNDEFINED;
}

/* ---- tensors ---- */

void op_named_demand(struct op_named_run *run, enum op_named_side side, int index, bool is_held,
                     const char *rule)
{
    if (is_held || run->status != ACL_SUCCESS) return;
    char text[160] = "NULL";
    if (desc_of(run, side, index)) op_describe_tensor(desc_of(run, side, index), text, sizeof text);
    run->status =
        rt_error_report(ACL_ERROR_INVALID_PARAM, run->who, "%s: %s[%d] is %s; %s", run->call->type,
                        side == OP_NAMED_INPUT ? "inputs" : "outputs", index, text, rule);
}

static struct op_view refuse(struct op_named_run *run, enum op_named_side side, int index,
                             const char *rule)
{
    op_named_demand(run, side, index, false, rule);
    return nothing;
}

struct op_view op_named_whole(struct op_named_run *run, enum op_named_side side, int index)
{
    if (run->status != ACL_SUCCESS) return nothing;
    if (!op_named_is_there(run, side, index)) return refuse(run, side, index, "it must be there");
    const struct op_stored_tensor tensor = op_stored_tensor(desc_of(run, side, index));
    const aclDataBuffer *data = data_of(run, side, index);
    int64_t count;
    size_t bytes;
    if (tensor.rank > EX_MAX_RANK || !ex_element_count(tensor.sizes, tensor.rank, &count) ||
        !rt_size_mul_ok((size_t)count, ex_element_size(tensor.type), &bytes))
        return refuse(run, side, index, "its sizes must be known, and 8 at most");
    if (tensor.is_on_host) return refuse(run, side, index, "it must lie on the device");
    if (!op_format_axes(tensor.format))
        return refuse(run, side, index, "its format must be a public one");
    if (!data) return refuse(run, side, index, "its buffer must not be NULL");
    if (aclGetDataBufferSizeV2(data) < bytes) {
        run->status = rt_error_report(ACL_ERROR_INVALID_PARAM, run->who,
                                      "%s[%d] has a buffer of %zu bytes; its tensor takes %zu",
                                      side == OP_NAMED_INPUT ? "inputs" : "outputs", index,
                                      aclGetDataBufferSizeV2(data), bytes);
        return nothing;
    }
    return op_view_dense(tensor.type, tensor.rank, tensor.sizes);
}

struct op_view op_named_view(struct op_named_run *run, enum op_named_side side, int index, int rank)
{
    const struct op_view view = op_named_whole(run, side, index);
    const int more = rank - view.rank;
    int64_t sizes[EX_MAX_RANK];
    if (run->status != ACL_SUCCESS) return nothing;
    if (more < 0) return refuse(run, side, index, "it must have fewer dimensions");
    for (int i = 0; i < rank; i++)
        sizes[i] = i < more ? 1 : view.sizes[i - more];
    return op_view_dense(view.type, rank, sizes);
}

struct op_view op_named_shaped(struct op_named_run *run, enum op_named_side side, int index,
                               int rank, const int64_t *sizes)
{
    const struct op_view view = op_named_whole(run, side, index);
    const int more = view.rank - rank;
    bool is_so = run->status == ACL_SUCCESS;
    for (int i = 0; i < more; i++)
        is_so &= view.sizes[i] == 1;
    for (int i = 0; i < rank; i++)
        is_so &= sizes[i] == (i + more < 0 ? 1 : view.sizes[i + more]);
    if (is_so) return op_view_dense(view.type, rank, sizes);
    char rule[160] = "it must be (";
    size_t length = strlen(rule);
    for (int i = 0; i < rank; i++)
        op_append(rule, sizeof rule, &length, "%s%" PRId64, i > 0 ? ", " : "", sizes[i]);
    op_append(rule, sizeof rule, &length, ")");
    return refuse(run, side, index, rule);
}

static aclTensor *keep(struct op_named_run *run, aclTensor *tensor)
{
    if (!tensor || run->tensor_count == OP_NAMED_OBJECTS) {
        if (tensor) aclDestroyTensor(tensor);
        run->status = rt_error_report(ACL_ERROR_BAD_ALLOC, run->who, "no host memory for a tensor");
        return NULL;
    }
    return run->tensors[run->tensor_count++] = tensor;
}

aclTensor *op_named_formatted(struct op_named_run *run, enum op_named_side side, int index,
                              const struct op_view *view, aclFormat format)
{
    if (run->status != ACL_SUCCESS) return NULL;
    const struct op_stored_tensor all = op_stored_tensor(desc_of(run, side, index));
    return keep(run, aclCreateTensor(view->sizes, (uint64_t)view->rank, view->type, view->strides,
                                     view->offset, format, all.sizes, (uint64_t)all.rank,
                                     aclGetDataBufferAddr(data_of(run, side, index))));
}

aclTensor *op_named_tensor(struct op_named_run *run, enum op_named_side side, int index,
                           const struct op_view *view)
{
    return op_named_formatted(run, side, index, view, ACL_FORMAT_ND);
}

/* Memory that is released when the work queued until then has run. */
static void *block(struct op_named_run *run, size_t bytes)
{
    void *memory = NULL;
    if (run->status != ACL_SUCCESS || run->block_count == OP_NAMED_BLOCKS) return NULL;
    run->status = aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    if (run->status == ACL_SUCCESS) run->blocks[run->block_count++] = memory;
    return memory;
}

aclTensor *op_named_zeros(struct op_named_run *run, aclDataType type, int64_t count)
{
    const size_t bytes = (size_t)count * ex_element_size(type);
    void *memory = block(run, bytes > 0 ? bytes : 1);
    if (run->status == ACL_SUCCESS && bytes > 0)
        run->status = aclrtMemsetAsync(memory, bytes, 0, bytes, run->stream);
    if (run->status != ACL_SUCCESS) return NULL;
    return keep(run, aclCreateTensor(&count, 1, type, NULL, 0, ACL_FORMAT_ND, &count, 1, memory));
}

aclTensor *op_named_scratch(struct op_named_run *run, aclDataType type, const struct op_view *view)
{
    const uint64_t rank = (uint64_t)view->rank;
    int64_t count = 0;
    size_t bytes = 0;
    if (run->status != ACL_SUCCESS) return NULL;
    if (!ex_element_count(view->sizes, view->rank, &count) ||
        !rt_size_mul_ok((size_t)count, ex_element_size(type), &bytes))
        run->status = rt_error_report(ACL_ERROR_BAD_ALLOC, run->who, "no memory has so many bytes");
    void *memory = block(run, bytes > 0 ? bytes : 1);
    if (run->status != ACL_SUCCESS) return NULL;
    return keep(run, aclCreateTensor(view->sizes, rank, type, NULL, 0, ACL_FORMAT_ND, view->sizes,
                                     rank, memory));
}

aclTensorList *op_named_list(struct op_named_run *run, int count, aclTensor *const *tensors)
{
    if (run->status != ACL_SUCCESS) return NULL;
    aclTensorList *list = aclCreateTensorList((const aclTensor *const *)tensors, (uint64_t)count);
    if (!list || run->list_count == OP_NAMED_OBJECTS) {
        run->status = rt_error_report(ACL_ERROR_BAD_ALLOC, run->who, "no host memory for a list");
        rt_free(list);
        return NULL;
    }
    for (int i = 0; i < count; i++)
        for (int j = 0; j < run->tensor_count; j++)
            if (run->tensors[j] == tensors[i]) run->tensors[j] = NULL;
    return run->lists[run->list_count++] = list;
}

/* ---- running ---- */

void op_named_launch(struct op_named_run *run, aclnnStatus phase1, uint64_t bytes,
                     aclOpExecutor *executor, op_named_phase2 *phase2)
{
    run->status = phase1;
    if (phase1 != ACLNN_SUCCESS) return;
    void *workspace = bytes > 0 ? block(run, bytes) : NULL;
    if (run->status == ACL_SUCCESS)
        run->status = phase2(workspace, bytes, executor, run->stream);
    else
        aclDestroyAclOpExecutor(executor);
}

void op_named_end(struct op_named_run *run)
{
    for (int i = 0; i < run->list_count; i++)
        aclDestroyTensorList(run->lists[i]);
    for (int i = 0; i < run->tensor_count; i++)
        if (run->tensors[i]) aclDestroyTensor(run->tensors[i]);
    for (int i = 0; i < run->block_count; i++)
        aclrtFree(run->blocks[i]);
}
