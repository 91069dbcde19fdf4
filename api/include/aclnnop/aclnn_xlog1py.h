/* SPDX-License-Identifier: Apache-2.0 */
/* A product with a logarithm. */
#ifndef OP_API_INC_XLOG1PY_H_
#define OP_API_INC_XLOG1PY_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* z = x log(1 + y); 0 where x is 0, unless y is NaN. Half types are computed in FLOAT and rounded
 * once.
 *
 * - x, y: FLOAT, FLOAT16, BF16 or DOUBLE; they promote and broadcast.
 * - z: of the broadcast shape. */
ACLNN_API aclnnStatus aclnnXlog1pyGetWorkspaceSize(const aclTensor *x, const aclTensor *y,
                                                   const aclTensor *z, uint64_t *workspaceSize,
                                                   aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnXlog1py(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
