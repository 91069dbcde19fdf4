/* SPDX-License-Identifier: Apache-2.0 */
/* What this library is and what it has chosen on this machine, in words: for reports and logs.
 * Ours; CANN has nothing like it. The program aclnn-cpu-info prints it. */
#ifndef ACLNN_CPU_ACLNNEXT_INFO_H
#define ACLNN_CPU_ACLNNEXT_INFO_H

#include <stddef.h>

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes lines of text, zero-terminated: version, CPU, instruction set, threads and memory, each
 * with its reason; operators with their data types; environment variables with their values.
 * *needed receives the bytes that the whole text takes with its zero. When size is less, as much as
 * fits is written; text may be NULL with a size of 0. Needs no aclInit; any thread. 161001 for a
 * NULL needed, or a NULL text with a size. */
ACLNN_API aclnnStatus aclnnextGetInfo(char *text, size_t size, size_t *needed);

#ifdef __cplusplus
}
#endif

#endif
