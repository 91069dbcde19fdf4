/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors in other formats. */
#ifndef OP_API_INC_NPU_FORMAT_CAST_H_
#define OP_API_INC_NPU_FORMAT_CAST_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* dstTensor gets srcTensor's elements, with the axes in the order of its own format: NCHW, NHWC and
 * HWCN, or NCDHW and NDHWC. All other pairs of public formats have one shape: a copy. What
 * dstTensor must be, aclnnNpuFormatCastCalculateSizeAndFormat says.
 *
 * - srcTensor: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, UINT16 or
 *   UINT32; sizes in the order of its format.
 * - dstTensor: of the same type; may overlap srcTensor. */
ACLNN_API aclnnStatus aclnnNpuFormatCastGetWorkspaceSize(const aclTensor *srcTensor,
                                                         aclTensor *dstTensor,
                                                         uint64_t *workspaceSize,
                                                         aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnNpuFormatCast(void *workspace, uint64_t workspaceSize,
                                         aclOpExecutor *executor, aclrtStream stream);

/* The shape and format that srcTensor has after a cast to dstFormat. A layout of the device's own,
 * such as FRACTAL_NZ, is the plain one here: *actualFormat is then srcTensor's format.
 *
 * - dstFormat: an aclFormat; one that no tensor has is 161002.
 * - additionalDtype: changes nothing.
 * - dstShape: takes a new array of *dstShapeSize sizes, which the caller releases with delete[], a
 *   program in C with free, as those of aclGetViewShape. */
ACLNN_API aclnnStatus aclnnNpuFormatCastCalculateSizeAndFormat(
    const aclTensor *srcTensor, const int dstFormat, int additionalDtype, int64_t **dstShape,
    uint64_t *dstShapeSize, int *actualFormat);

#ifdef __cplusplus
}
#endif

#endif
