/* SPDX-License-Identifier: Apache-2.0 */
/* Scales and offsets as one number of 64 bits, on the host. */
#ifndef OP_API_INC_LEVEL2_ACLNN_TRANS_QUANT_PARAM_H_
#define OP_API_INC_LEVEL2_ACLNN_TRANS_QUANT_PARAM_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What aclnnTransQuantParamV2 computes, of arrays of the program's own, at once and on the calling
 * thread.
 *
 * - scaleArray: scaleSize numbers, at least 1.
 * - offsetArray: offsetSize numbers, at least 1, or NULL and 0. Where one of the two sizes is 1,
 * its number serves all of the other; else they must be equal.
 * - quantParam: becomes an array that the caller must free().
 * - quantParamSize: becomes the larger size.
 * 161001: scaleArray, quantParam or quantParamSize is NULL. 161002: a size that does not fit.
 * 561000: host memory is exhausted. The outputs are written on success only. */
ACLNN_API aclnnStatus aclnnTransQuantParam(const float *scaleArray, uint64_t scaleSize,
                                           const float *offsetArray, uint64_t offsetSize,
                                           uint64_t **quantParam, uint64_t *quantParamSize);

#ifdef __cplusplus
}
#endif

#endif
