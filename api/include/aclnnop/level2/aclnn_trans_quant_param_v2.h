/* SPDX-License-Identifier: Apache-2.0 */
/* CANN has this header in both folders. */
#include "../aclnn_trans_quant_param_v2.h"
