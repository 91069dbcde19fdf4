/* SPDX-License-Identifier: Apache-2.0 */
/* Images in another size, elements interpolated by cubic polynomials. */
#ifndef OP_API_INC_UNAMPLE_BICUBIC_H_
#define OP_API_INC_UNAMPLE_BICUBIC_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Along each axis of the image out[i] is the sum of the elements k - 1 to k + 2 of self times
 * Keys' weights (a = -0.75) for t, k + t the place of i: (i + 0.5) step - 0.5, with step self's
 * size over out's or 1 over the scale that is given; with alignCorners i (size - 1) / (size of out
 * - 1). As torch.nn.functional.interpolate with mode "bicubic". Places outside are the nearest
 * ones inside. Half types are computed in FLOAT and rounded once.
 *
 * - self: (N, C, H, W), in formats that have the channels first. FLOAT, FLOAT16, BF16 or DOUBLE,
 *   as out.
 * - outputSize: 2 numbers, each at least 1: the image's size in out. self's must be at least 1 as
 *   well; N and C may be 0.
 * - alignCorners: whether the corners of both images lie on each other; else their edges do.
 * - scalesH, scalesW: how much larger out is; a number above 0 takes the place of the quotient of
 *   the sizes unless alignCorners, any other leaves it.
 * - out: self's N and C, and outputSize. */
ACLNN_API aclnnStatus aclnnUpsampleBicubic2dGetWorkspaceSize(
    const aclTensor *self, const aclIntArray *outputSize, const bool alignCorners,
    const double scalesH, const double scalesW, aclTensor *out, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnUpsampleBicubic2d(void *workspace, uint64_t workspaceSize,
                                             aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
