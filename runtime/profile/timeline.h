/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a timeline: Chrome's trace format, in JSON. Streams are the threads of one process in
 * it, threads those of another. */
#ifndef ACLNN_CPU_RUNTIME_PROFILE_TIMELINE_H
#define ACLNN_CPU_RUNTIME_PROFILE_TIMELINE_H

#include <stdbool.h>

/* Where the next records go; those made before are dropped. %p in path stands for the process's id,
 * %% for a percent sign. False, without a text: one is open, or the path is too long. */
bool rt_timeline_open(const char *path);

/* Writes what has been recorded since the last time: the file is whole after each call. Nothing
 * when no timeline is open. False when the file cannot be written; that is logged, and the records
 * are gone. */
bool rt_timeline_write(void);

/* The same; then the timeline is no longer open. */
bool rt_timeline_close(void);

bool rt_timeline_is_open(void);

#endif
