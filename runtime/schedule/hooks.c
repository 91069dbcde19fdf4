/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/schedule/hooks.h"

#include "runtime/schedule/record.h"

struct rt_hooks rt_hooks;
struct rt_record_hooks rt_record_hooks;
_Atomic int rt_value_waits;
_Atomic unsigned rt_profile_flags;
