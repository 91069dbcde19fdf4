/* SPDX-License-Identifier: Apache-2.0 */
/* Writing parts of a tensor along several axes. */
#ifndef ACLNN_STRIDED_SLICE_ASSIGN_V2_H_
#define ACLNN_STRIDED_SLICE_ASSIGN_V2_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* varRef[begin[0]:end[0]:strides[0], ..] = inputValue.
 *
 * - varRef: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, UINT16 or
 *   UINT32.
 * - inputValue: of varRef's type and the shape of what is written.
 * - begin, end: counted from the end if negative; outside of the axis they mean its end.
 * - strides: greater than 0; of as many entries as begin and end.
 * - axesOptional: the axes that the entries are about, each once, counted from the end if
 *   negative; NULL: the first ones. Other axes are written whole. */
ACLNN_API aclnnStatus aclnnStridedSliceAssignV2GetWorkspaceSize(
    aclTensor *varRef, const aclTensor *inputValue, const aclIntArray *begin,
    const aclIntArray *end, const aclIntArray *strides, const aclIntArray *axesOptional,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnStridedSliceAssignV2(void *workspace, uint64_t workspaceSize,
                                                aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
