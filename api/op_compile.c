/* SPDX-License-Identifier: Apache-2.0 */
/* Running an operator by its name, which takes a compiler of operators and a store of compiled
 * ones. This library has neither: beyond the few of op_by_name.c it says which call it cannot
 * serve, so that a program that falls back to this interface for one operator shows which one that
 * is. */
#include "api/op_by_name.h"
#include "api/tensor_desc.h"
#include "runtime/support/error.h"

#include "acl/acl_op_compiler.h"

enum { CALL_TEXT = 768 };

static aclError check_side(const char *who, const char *name, int count, const void *descs,
                           const void *data)
{
    if (count < 0) {
        return rt_error_report(ACL_ERROR_INVALID_PARAM, who,
                               "num%ss is %d; it must not be negative", name, count);
    }
    if (count > 0 && (!descs || !data)) {
        return rt_error_report(ACL_ERROR_INVALID_PARAM, who,
                               "num%ss is %d, and their descriptions or buffers are NULL", name,
                               count);
    }
    return ACL_SUCCESS;
}

static void append_tensors(char *text, size_t *length, int count, const aclTensorDesc *const *descs)
{
    op_append(text, CALL_TEXT, length, "(");
    for (int i = 0; i < count; i++) {
        if (i > 0) op_append(text, CALL_TEXT, length, ", ");
        *length += op_describe_tensor(descs[i], text + *length, CALL_TEXT - *length);
    }
    op_append(text, CALL_TEXT, length, ")");
}

static aclError run(const char *who, const struct op_named_call *call, aclrtStream stream)
{
    if (!call->type) return rt_error_report(ACL_ERROR_INVALID_PARAM, who, "opType is NULL");
    aclError status = check_side(who, "Input", call->inputs, call->input, call->input_data);
    if (status == ACL_SUCCESS)
        status = check_side(who, "Output", call->outputs, call->output, call->output_data);
    if (status != ACL_SUCCESS || op_run_by_name(who, call, stream, &status)) return status;
    char text[CALL_TEXT] = "";
    size_t length = 0;
    op_append(text, CALL_TEXT, &length, "%.100s", call->type);
    append_tensors(text, &length, call->inputs, call->input);
    op_append(text, CALL_TEXT, &length, " -> ");
    append_tensors(text, &length, call->outputs, call->output);
    op_append(text, CALL_TEXT, &length, " ");
    op_describe_attributes(call->attr, text + length, CALL_TEXT - length);
    return rt_error_report(ACL_ERROR_API_NOT_SUPPORT, who,
                           "operators cannot be run by their names, because there is no compiler "
                           "for them; called for %s",
                           text);
}

aclError aclopCompileAndExecute(const char *opType, int numInputs,
                                const aclTensorDesc *const inputDesc[],
                                const aclDataBuffer *const inputs[], int numOutputs,
                                const aclTensorDesc *const outputDesc[],
                                aclDataBuffer *const outputs[], const aclopAttr *attr,
                                aclopEngineType engineType, aclopCompileType compileFlag,
                                const char *opPath, aclrtStream stream)
{
    (void)engineType;
    (void)compileFlag;
    (void)opPath;
    return run(__func__,
               &(struct op_named_call){opType, numInputs, inputDesc, inputs, numOutputs, outputDesc,
                                       (const aclDataBuffer *const *)outputs, attr},
               stream);
}

aclError aclopCompileAndExecuteV2(const char *opType, int numInputs, aclTensorDesc *inputDesc[],
                                  aclDataBuffer *inputs[], int numOutputs,
                                  aclTensorDesc *outputDesc[], aclDataBuffer *outputs[],
                                  aclopAttr *attr, aclopEngineType engineType,
                                  aclopCompileType compileFlag, const char *opPath,
                                  aclrtStream stream)
{
    (void)engineType;
    (void)compileFlag;
    (void)opPath;
    return run(__func__,
               &(struct op_named_call){opType, numInputs, (const aclTensorDesc *const *)inputDesc,
                                       (const aclDataBuffer *const *)inputs, numOutputs,
                                       (const aclTensorDesc *const *)outputDesc,
                                       (const aclDataBuffer *const *)outputs, attr},
               stream);
}

aclError aclopExecuteV2(const char *opType, int numInputs, aclTensorDesc *inputDesc[],
                        aclDataBuffer *inputs[], int numOutputs, aclTensorDesc *outputDesc[],
                        aclDataBuffer *outputs[], aclopAttr *attr, aclrtStream stream)
{
    return run(__func__,
               &(struct op_named_call){opType, numInputs, (const aclTensorDesc *const *)inputDesc,
                                       (const aclDataBuffer *const *)inputs, numOutputs,
                                       (const aclTensorDesc *const *)outputDesc,
                                       (const aclDataBuffer *const *)outputs, attr},
               stream);
}
