/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OP_API_INC_UPSAMPLE_BILINEAR2D_AA_H_
#define OP_API_INC_UPSAMPLE_BILINEAR2D_AA_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An image in another size, antialiased: torch.nn.functional.interpolate with mode "bilinear" and
 * antialias.
 *
 *     out[n, c, h, w] = sum over i and j of weight(h, i) * weight(w, j) * input[n, c, i, j]
 *
 * A result's weights are a filter of the distance d of an element's center from its own, 1 - |d|
 * up to 1, where results stand as far apart as elements or nearer; else as much wider as they are
 * apart; together they are 1.
 *
 * input is (N, C, H, W), out (N, C, outputSize[0], outputSize[1]), of one type: FLOAT, FLOAT16,
 * BFLOAT16 or DOUBLE; half types are computed in FLOAT. Results are 1 / scalesH and 1 / scalesW
 * elements apart where those are greater than 0, else H / outputSize[0] and W / outputSize[1];
 * with alignCorners (H - 1) / (outputSize[0] - 1) and so on. A result sees at most 1024 elements
 * along an axis. */
ACLNN_API aclnnStatus aclnnUpsampleBilinear2dAAGetWorkspaceSize(
    const aclTensor *input, const aclIntArray *outputSize, bool alignCorners, double scalesH,
    double scalesW, aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnUpsampleBilinear2dAA(void *workspace, uint64_t workspaceSize,
                                                aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
