/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/point.h"

_Atomic(rt_point_hook *) rt_point_hooked;
