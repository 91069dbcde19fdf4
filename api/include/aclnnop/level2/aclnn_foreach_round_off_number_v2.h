/* SPDX-License-Identifier: Apache-2.0 */
/* CANN has this header in both folders. */
#include "../aclnn_foreach_round_off_number_v2.h"
