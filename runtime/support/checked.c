/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/support/checked.h"

struct rt_check_hooks rt_check_hooks;
unsigned rt_check_flags;
_Thread_local uint64_t rt_check_number_of_call;
_Thread_local bool rt_check_is_own;
