/* SPDX-License-Identifier: Apache-2.0 */
/* CANN has this header in both folders. */
#include "../aclnn_fake_quant_per_tensor_affine_cachemask.h"
