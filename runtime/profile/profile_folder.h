/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of one recording, as tools of the toolkit look for it beside the timeline:
 *     PROF_<recording>_<date and time>_<letters>/host/start_info, host/end_info, device_<n>/
 * start_info and end_info are JSON: what three clocks said at one moment, and the timeline's name.
 * The program msprof makes that folder's reports from the two. */
#ifndef ACLNN_CPU_RUNTIME_PROFILE_PROFILE_FOLDER_H
#define ACLNN_CPU_RUNTIME_PROFILE_PROFILE_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* path takes its name. False, with errno: not all of it could be made. */
bool rt_profile_folder_begin(char path[PATH_MAX], const char *parent, unsigned recording,
                             uint64_t devices, const char *timeline);

bool rt_profile_folder_end(const char *path, const char *timeline);

#endif
