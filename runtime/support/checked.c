/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/support/checked.h"

struct rt_check_hooks rt_check_hooks;
unsigned rt_check_flags;
