/* SPDX-License-Identifier: Apache-2.0 */
/* A plan of transport with even rows and columns. */
#ifndef OP_API_INC_SINKHORN_H_
#define OP_API_INC_SINKHORN_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* p = rows and columns of exp(cost), scaled in turns until the columns' factors change by no more
 * than tol on average: each row then adds up to about 1 / rows, each column to 1 / columns. From
 * factors c of 1, over and over: r[i] = 1 / (rows (sum over j of exp(cost[i][j]) c[j] + 1e-8)),
 * c[j] = 1 / (columns (sum over i of exp(cost[i][j]) r[i] + 1e-8)). Then p[i][j] = r[i]
 * exp(cost[i][j]) c[j]. Computed in double and rounded once; it ends after 10000 turns whatever tol
 * is.
 *
 * - cost: (rows, columns); FLOAT, FLOAT16, BF16 or DOUBLE.
 * - tol: a real scalar; NULL is 0.0001.
 * - p: of cost's type and shape. */
ACLNN_API aclnnStatus aclnnSinkhornGetWorkspaceSize(const aclTensor *cost, const aclScalar *tol,
                                                    aclTensor *p, uint64_t *workspaceSize,
                                                    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSinkhorn(void *workspace, uint64_t workspaceSize,
                                    aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
