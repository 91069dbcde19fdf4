/* SPDX-License-Identifier: Apache-2.0 */
/* Random permutations. */
#ifndef OP_API_INC_LEVEL2_ACLNN_RANDPERM_H_
#define OP_API_INC_LEVEL2_ACLNN_RANDPERM_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = the numbers from 0 to n - 1 in random order, as torch.randperm.
 *
 * - n: not negative.
 * - out: n elements, any stride. FLOAT, FLOAT16, BF16 or DOUBLE, INT8, INT16, INT32, INT64 or
 *   UINT8; holds n - 1.
 * - seed, offset: results depend on them and on the place of the element alone. Philox 4x32-10:
 *   the seed is the key, block b the counter
 *   (b, offset). */
ACLNN_API aclnnStatus aclnnRandpermGetWorkspaceSize(int64_t n, int64_t seed, int64_t offset,
                                                    aclTensor *out, uint64_t *workspaceSize,
                                                    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnRandperm(void *workspace, uint64_t workspaceSize,
                                    aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
