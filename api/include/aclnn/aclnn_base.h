/* SPDX-License-Identifier: Apache-2.0 */
/* What every operator header includes, and what is so of every operator.
 *
 * Phase 1, aclnn<Name>GetWorkspaceSize, checks the arguments, plans the work and tells how much
 * workspace phase 2 needs. It reads no tensor's contents, needs no stream, and may be called from
 * any thread. workspaceSize and executor are written on success only. Tensors, scalars, arrays and
 * lists are borrowed: they may be destroyed as soon as it returns. It returns ACLNN_SUCCESS (0), or
 * a code, with a sentence in aclGetRecentErrMsg that names the argument, the value and the rule:
 * - ACLNN_ERR_PARAM_NULLPTR (161001): workspaceSize, executor or a required argument is NULL;
 * - ACLNN_ERR_PARAM_INVALID (161002): an argument's data type, format, rank, shape or value is not
 *   one that the operator takes, looked for in this order; a view reaches behind its memory; the
 *   elements of a result overlap each other;
 * - ACLNN_ERR_INNER_CREATE_EXECUTOR (561101): there is no host memory for the plan.
 *
 * Phase 2, aclnn<Name>, queues the work on the stream and returns; a stream of NULL is the default
 * stream of the calling thread's current context. The executor is used up, on failure too, unless
 * it was made repeatable. workspace is device memory of workspaceSize bytes, aligned to 32, at
 * least as many as phase 1 told; it may be freed at once, as it is released when the work has run.
 * The addresses used are those that the tensors have now. It returns ACLNN_SUCCESS, or
 * - ACLNN_ERR_PARAM_NULLPTR (161001): executor is NULL, or workspace or a tensor's address is where
 *   one is needed;
 * - ACLNN_ERR_PARAM_INVALID (161002): workspaceSize is too small, or executor names none;
 * - ACLNN_ERR_RUNTIME_ERROR (361001): the runtime refuses the stream.
 * What goes wrong later is returned by the stream's next synchronise.
 *
 * Where an operator's header says nothing else: tensors have 0 to 8 dimensions, any public format
 * and any strides, of a result those that give each element its own place; offsets count elements;
 * a tensor with a size of 0 is accepted, and a result without elements is left alone; a result may
 * be an operand, or overlap one in any other way, which costs a copy in the workspace. Operands
 * that broadcast do so as NumPy's do. Types promote as PyTorch's tensors do (a scalar counts only
 * by its kind), and a result may be of the promoted type or of one of no lower kind (bool, integer,
 * floating). */
#ifndef OP_API_OP_API_COMMON_INC_EXTERNAL_ACLNN_BASE_H
#define OP_API_OP_API_COMMON_INC_EXTERNAL_ACLNN_BASE_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Lets operators be used without aclInit, as CANN 8.1; with aclInit there is no need for it, and no
 * harm. configPath may be NULL or name a JSON file, of which nothing is used: a file that is not
 * there is no error. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInit(const char *configPath);

/* The counterpart. Releases nothing that aclFinalize would not. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnFinalize(void);

#ifdef __cplusplus
}
#endif

#endif
