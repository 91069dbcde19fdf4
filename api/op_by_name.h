/* SPDX-License-Identifier: Apache-2.0 */
/* The operators of the older single-operator interface that run by their names: copies, and those
 * that PyTorch's Ascend backend asks for. */
#ifndef ACLNN_CPU_API_OP_BY_NAME_H
#define ACLNN_CPU_API_OP_BY_NAME_H

#include <stdbool.h>

#include "acl/acl_op.h"

struct op_named_call {
    const char *type;
    int inputs;
    const aclTensorDesc *const *input;
    const aclDataBuffer *const *input_data;
    int outputs;
    const aclTensorDesc *const *output;
    const aclDataBuffer *const *output_data;
    const aclopAttr *attr;
};

/* Queues the operator and returns true with the call's code in *status. False: it is none of these,
 * or its tensors are such as they do not take; nothing has been done. The counts are not negative
 * and their arrays not NULL. */
bool op_run_by_name(const char *who, const struct op_named_call *call, aclrtStream stream,
                    aclError *status);

#endif
