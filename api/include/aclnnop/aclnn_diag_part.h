/* SPDX-License-Identifier: Apache-2.0 */
/* The diagonal of a square matrix. */
#ifndef OP_API_INC_DIAG_PART_H_
#define OP_API_INC_DIAG_PART_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* y[i] = x[i, i].
 *
 * - x: a square matrix of any type of real numbers, BOOL too.
 * - y: of its type, with as many elements as x has rows. */
ACLNN_API aclnnStatus aclnnDiagPartGetWorkspaceSize(const aclTensor *x, aclTensor *y,
                                                    uint64_t *workspaceSize,
                                                    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnDiagPart(void *workspace, uint64_t workspaceSize,
                                    aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
