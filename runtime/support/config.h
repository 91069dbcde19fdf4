/* SPDX-License-Identifier: Apache-2.0 */
/* The environment, read once per process at first use. README lists the variables. */
#ifndef ACLNN_CPU_RUNTIME_SUPPORT_CONFIG_H
#define ACLNN_CPU_RUNTIME_SUPPORT_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RT_DEVICES_MAX = 64 };

struct rt_config {
    int threads; /* ACLNN_CPU_THREADS, else the CPUs this process may use (affinity, cgroup quota);
                    >= 1 */
    bool threads_asked;     /* ACLNN_CPU_THREADS says so */
    int mask_cpus;          /* in the affinity mask; 0: unknown */
    int quota_cpus;         /* of the control group's CPU time, rounded up; 0: none */
    bool threads_fill_cpus; /* threads equals the CPUs in the affinity mask: worker i may be pinned
                               to the i-th */
    bool launch_blocking;   /* ASCEND_LAUNCH_BLOCKING=1 */
    bool summary;           /* ACLNN_CPU_SUMMARY=1 */
    const char *timeline;   /* ACLNN_CPU_TIMELINE, as it was read; NULL when unset */
    bool exact_math;        /* ACLNN_CPU_MATH=exact: every cubeMathType computes as 0 */
    unsigned log_topics;    /* ACLNN_CPU_LOG, a set of enum rt_log_topic */
    int log_level;          /* ASCEND_GLOBAL_LOG_LEVEL 0..4; 3 when unset */
    bool log_to_stdout;     /* ASCEND_SLOG_PRINT_TO_STDOUT=1 */
    bool log_asked;         /* one of these two is set; else no level is written */
    int devices;            /* ACLNN_CPU_DEVICES, else 1 */
    size_t device_memory;   /* of each, ACLNN_CPU_DEVICE_MEMORY in bytes (suffixes K M G), else an
                               equal share of the machine's memory */
    char soc_name[32];      /* ACLNN_CPU_SOC, else Ascend910B1 */
    bool strict;            /* ACLNN_CPU_STRICT=1: what that chip does not take is refused */
};

/* Never NULL, never changes. A value that cannot be read keeps its default, which is said on
 * stderr. */
const struct rt_config *rt_config(void);

/* Called once, by the thread that reads the environment, before others see what it says; NULL: by
 * nobody. Set when the library is loaded. It must not call rt_config. */
extern void (*rt_config_is_read)(const struct rt_config *config)
    __attribute__((visibility("hidden")));

#endif
