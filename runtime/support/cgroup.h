/* SPDX-License-Identifier: Apache-2.0 */
/* What the control group of this process allows: a container sees the whole machine's CPUs and
 * memory, and may use a part of them. */
#ifndef ACLNN_CPU_RUNTIME_SUPPORT_CGROUP_H
#define ACLNN_CPU_RUNTIME_SUPPORT_CGROUP_H

#include <stddef.h>

struct rt_cgroup {
    int cpus;      /* the CPU quota rounded up to whole CPUs; 0: no limit */
    size_t memory; /* bytes; 0: no limit */
};

/* The tightest limits from the process's group up to the root of each hierarchy, version 1 or 2.
 * mount is "/sys/fs/cgroup", groups "/proc/self/cgroup"; tests pass others. What cannot be read
 * does not limit. */
struct rt_cgroup rt_cgroup_limits(const char *mount, const char *groups);

#endif
