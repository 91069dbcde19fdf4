/* SPDX-License-Identifier: Apache-2.0 */
/* Images in another size, by scales. */
#ifndef OP_API_INC_RESIZE_H_
#define OP_API_INC_RESIZE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What aclnnUpsampleNearest2d or aclnnUpsampleBilinear2d (without aligned corners) makes of an
 * image whose height and width become floor(size scale). Half types are computed in FLOAT and
 * rounded once.
 *
 * - self: FLOAT, FLOAT16, BF16 or DOUBLE, four dimensions; channels first, or NHWC.
 * - scales: four, in the order of self's axes; those of the batch and the channels are 1.
 * - mode: "nearest" or "bilinear".
 * - out: of self's type, with the sizes that the scales give. */
ACLNN_API aclnnStatus aclnnResizeGetWorkspaceSize(const aclTensor *self,
                                                  const aclFloatArray *scales, const char *mode,
                                                  aclTensor *out, uint64_t *workspaceSize,
                                                  aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnResize(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                  aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
