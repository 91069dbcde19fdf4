/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON file of aclInit. */
#ifndef ACLNN_CPU_RUNTIME_DEVICE_INIT_FILE_H
#define ACLNN_CPU_RUNTIME_DEVICE_INIT_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_base.h"

struct rt_init_options {
    bool process_wide_texts; /* "err_msg_mode": "0" (default) or "1" */
    int32_t default_device;  /* "defaultDevice": {"default_device": "0"}; -1 when absent */
};

/* Fills *options; path NULL or "" gives the defaults. Other keys (dump, profiler, StackSize, ...)
 * are accepted and ignored. Reports a text in the name of aclInit and returns
 * ACL_ERROR_INVALID_FILE when the file cannot be read, ACL_ERROR_PARSE_FILE when it is not a JSON
 * object or is nested more than 10 deep, ACL_ERROR_INVALID_PARAM for a value that a known key
 * cannot have. */
aclError rt_init_file_read(const char *path, struct rt_init_options *options);

#endif
