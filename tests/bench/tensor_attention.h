/* SPDX-License-Identifier: Apache-2.0 */
/* Our side of `bench attention`. A line's inputs are query, key, value, axes (batch, heads, rows,
 * elements), for a gradient then that of the result, and last a mask of booleans, true where a key
 * is hidden, if there is one. Outputs are those of the operator. */
#ifndef ACLNN_CPU_TESTS_BENCH_TENSOR_ATTENTION_H
#define ACLNN_CPU_TESTS_BENCH_TENSOR_ATTENTION_H

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_flash_attention_score.h"
#include "aclnnop/aclnn_flash_attention_score_grad.h"
#include "aclnnop/aclnn_incre_flash_attention.h"
#include "tests/bench/tensor_line.h"

/* X(the line's word, what runs its executor) */
#define ATTENTIONS(X)                                                                              \
    X(attention, aclnnFlashAttentionScore)                                                         \
    X(attention_causal, aclnnFlashAttentionScore)                                                  \
    X(attention_decode, aclnnIncreFlashAttention)                                                  \
    X(attention_backward, aclnnFlashAttentionScoreGrad)                                            \
    X(attention_causal_backward, aclnnFlashAttentionScoreGrad)

/* Phase 1. A gradient's forward pass is run here. The tensors that it makes live until the next
 * call. */
aclnnStatus attention_plan(const struct tensor_line *line, aclTensor *const t[], uint64_t *size,
                           aclOpExecutor **executor);

#endif
