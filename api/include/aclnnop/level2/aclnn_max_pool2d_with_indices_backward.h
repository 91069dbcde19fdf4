/* SPDX-License-Identifier: Apache-2.0 */
/* CANN has this header in both folders. */
#include "../aclnn_max_pool2d_with_indices_backward.h"
