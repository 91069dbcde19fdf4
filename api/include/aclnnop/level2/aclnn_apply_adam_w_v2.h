/* SPDX-License-Identifier: Apache-2.0 */
/* CANN has this header in both folders. */
#include "../aclnn_apply_adam_w_v2.h"
