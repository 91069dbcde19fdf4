/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ACLNN_CPU_RUNTIME_SUPPORT_FILE_NAME_H
#define ACLNN_CPU_RUNTIME_SUPPORT_FILE_NAME_H

#include <limits.h>
#include <stdbool.h>

/* Appends to a path; false: it would be too long. */
bool rt_file_name_append(char path[PATH_MAX], const char *text);

/* A file's name from a setting: %p becomes this process's id, %% a percent sign. has_id: whether
 * there was one. False: it would be too long. */
bool rt_file_name(const char *pattern, char path[PATH_MAX], bool *has_id);

#endif
