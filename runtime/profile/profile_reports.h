/* SPDX-License-Identifier: Apache-2.0 */
/* Tells the modules of MsprofRegisterCallback that a recording of `data` (ACL_PROF_*) has begun, or
 * is about to end. No lock is held by the caller: it is the program's code that is called. */
#ifndef ACLNN_CPU_RUNTIME_PROFILE_PROFILE_REPORTS_H
#define ACLNN_CPU_RUNTIME_PROFILE_PROFILE_REPORTS_H

#include <stdint.h>

void rt_profile_tell_start(uint64_t data);
void rt_profile_tell_stop(uint64_t data);

#endif
