/* SPDX-License-Identifier: Apache-2.0 */
/* Gated units of groups of rows, as INT8. */
#ifndef ACLNN_SWI_GLU_QUANT_H_
#define ACLNN_SWI_GLU_QUANT_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* act = swish(a) b, a being the first half of x's last dimension and b the second, or the other way
 * round where activateLeft is false; in FLOAT.
 *
 * "static": yOut = round(act smoothScales + offsets); scaleOut becomes 0. "dynamic": r = act
 * smoothScales, scaleOut = 127 / max |r| of a row (not its inverse, which other operators give),
 * yOut = round(r scaleOut); offsets is not used. Ties round to even, numbers beyond INT8 become its
 * nearest end, a NaN 0, as does a row of zeros, whose scaleOut is infinite.
 *
 * - x: (A..., 2 n), 2 to 8 dimensions; FLOAT, FLOAT16 or BF16.
 * - smoothScalesOptional: (g) or (g, n) with g groups; without groups g is 1. FLOAT, FLOAT16 or
 *   BF16. NULL for 1, only if dynamic.
 * - offsetsOptional: NULL for 0; or smoothScalesOptional's shape and type.
 * - groupIndexOptional: NULL; or INT32 (g), where the rows of each group end, rows being A... as
 *   one. A row is of the first group that ends behind it; one behind all groups has no factors.
 * - quantModeOptional: "static" or "dynamic"; NULL: dynamic.
 * - yOut: (A..., n), INT8. scaleOut: A..., FLOAT. */
ACLNN_API aclnnStatus aclnnSwiGluQuantGetWorkspaceSize(
    const aclTensor *x, const aclTensor *smoothScalesOptional, const aclTensor *offsetsOptional,
    const aclTensor *groupIndexOptional, bool activateLeft, char *quantModeOptional,
    const aclTensor *yOut, const aclTensor *scaleOut, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSwiGluQuant(void *workspace, uint64_t workspaceSize,
                                       aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
