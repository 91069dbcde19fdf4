/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/support/thread.h"

_Thread_local struct rt_thread rt_self __attribute__((tls_model("initial-exec")));
