/* SPDX-License-Identifier: Apache-2.0 */
/* Constant edges. */
#ifndef OP_API_INC_CONSTANT_PAD_ND_H_
#define OP_API_INC_CONSTANT_PAD_ND_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self with edges of a value, as torch.nn.functional.pad with mode constant.
 *
 * - pad: two numbers for each of the last dimensions, the last one first: elements in front and
 *   behind. Negative ones cut elements off.
 * - value: cast to self's type, a fraction to an integer towards 0; complex only if self is.
 * - out: of self's type. */
ACLNN_API aclnnStatus aclnnConstantPadNdGetWorkspaceSize(const aclTensor *self,
                                                         const aclIntArray *pad,
                                                         const aclScalar *value, aclTensor *out,
                                                         uint64_t *workspaceSize,
                                                         aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnConstantPadNd(void *workspace, uint64_t workspaceSize,
                                         aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
