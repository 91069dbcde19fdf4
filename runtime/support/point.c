/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/support/point.h"

#ifdef ACLNN_CPU_POINTS
_Atomic(rt_point_hook *) rt_point_hooked;
#endif
