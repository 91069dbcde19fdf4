/* SPDX-License-Identifier: Apache-2.0 */
/* CANN has this header in both folders. */
#include "../aclnn_binary_cross_entropy_with_logits_target_backward.h"
