/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/support/config.h"

#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/support/alloc.h"
#include "runtime/support/base.h"
#include "runtime/support/cgroup.h"
#include "runtime/support/log.h"

enum { MOST_THREADS = 4096, MOST_WARNINGS = 16 };

static struct rt_config config;
static char timeline_pattern[4096];
static _Atomic(const struct rt_config *) published;
static pthread_once_t once = PTHREAD_ONCE_INIT;
void (*rt_config_is_read)(const struct rt_config *config);

/* Variables that are not taken; told once the log itself is configured. */
static struct {
    const char *name;
    char reason[160];
} refused[MOST_WARNINGS];
static int refused_count;

static void refuse(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void refuse(const char *name, const char *format, ...)
{
    if (refused_count == MOST_WARNINGS) return;
    va_list list;
    va_start(list, format);
    vsnprintf(refused[refused_count].reason, sizeof refused[0].reason, format, list);
    va_end(list);
    refused[refused_count++].name = name;
}

/* What is taken instead, if the variable has just been refused. */
static void instead(const char *name, const char *format, size_t number)
    __attribute__((format(printf, 2, 0)));

static void instead(const char *name, const char *format, size_t number)
{
    if (refused_count == 0 || strcmp(refused[refused_count - 1].name, name) != 0) return;
    char *reason = refused[refused_count - 1].reason;
    size_t used = strlen(reason);
    snprintf(reason + used, sizeof refused[0].reason - used, "; ");
    used = strlen(reason);
    snprintf(reason + used, sizeof refused[0].reason - used, format, number);
}

/* NULL when unset or empty. */
static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static bool read_integer(const char *name, int least, int most, int *result)
{
    const char *text = variable(name);
    if (!text) return false;
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || end == text || *end || value < least || value > most) {
        refuse(name, "it must be a whole number from %d to %d", least, most);
        return false;
    }
    *result = (int)value;
    return true;
}

static bool read_switch(const char *name, bool *result)
{
    int value;
    bool is_read = read_integer(name, 0, 1, &value);
    instead(name, "%zu is taken", (size_t)*result);
    if (!is_read) return false;
    *result = value;
    return true;
}

#define SIZES "it must be a number of bytes above 0, with K, M, G or T"

/* A whole number of bytes with an optional K, M, G or T (of 1024), then an optional B or iB. */
static bool read_bytes(const char *name, size_t *result)
{
    const char *text = variable(name);
    if (!text) return false;
    char *end;
    errno = 0;
    unsigned long long value = isdigit((unsigned char)*text) ? strtoull(text, &end, 10) : 0;
    if (value == 0 || errno) {
        refuse(name, SIZES);
        return false;
    }
    size_t unit = 1;
    static const char suffixes[] = "KMGT";
    const char *suffix = *end ? strchr(suffixes, toupper((unsigned char)*end)) : NULL;
    if (suffix) {
        unit = (size_t)1024 << 10 * (suffix - suffixes);
        end++;
    }
    bool known_tail = strcasecmp(end, "") == 0 || strcasecmp(end, "B") == 0 ||
                      (suffix && strcasecmp(end, "iB") == 0);
    size_t bytes;
    if (!known_tail || !rt_size_mul_ok(value, unit, &bytes)) {
        refuse(name, SIZES);
        return false;
    }
    *result = bytes;
    return true;
}

/* CPUs in the affinity mask, of any machine size; 0 when the system does not say. */
static int affinity_cpus(void)
{
    for (int most = 1024; most <= 1 << 20; most *= 4) {
        cpu_set_t *set = CPU_ALLOC((size_t)most);
        if (!set) return 0;
        size_t size = CPU_ALLOC_SIZE((size_t)most);
        int status = sched_getaffinity(0, size, set);
        int count = status == 0 ? CPU_COUNT_S(size, set) : 0;
        CPU_FREE(set);
        if (status == 0) return count;
        if (errno != EINVAL) return 0; /* EINVAL: the mask is wider than the set */
    }
    return 0;
}

static void read_threads(const struct rt_cgroup *limits)
{
    int mask = affinity_cpus();
    int cpus = mask;
    if (cpus < 1) {
        long online = sysconf(_SC_NPROCESSORS_ONLN);
        cpus = online > 0 ? (int)online : 1;
    }
    if (limits->cpus > 0 && limits->cpus < cpus) cpus = limits->cpus;
    config.threads = cpus < MOST_THREADS ? cpus : MOST_THREADS;
    config.threads_asked = read_integer("ACLNN_CPU_THREADS", 1, MOST_THREADS, &config.threads);
    instead("ACLNN_CPU_THREADS", "%zu is taken", (size_t)config.threads);
    config.mask_cpus = mask;
    config.quota_cpus = limits->cpus > 0 ? limits->cpus : 0;
    config.threads_fill_cpus = config.threads == mask;
}

static void read_device_memory(const struct rt_cgroup *limits)
{
    long pages = sysconf(_SC_PHYS_PAGES);
    long page = sysconf(_SC_PAGESIZE);
    size_t machine = pages > 0 && page > 0 ? (size_t)pages * (size_t)page : (size_t)1 << 30;
    if (limits->memory > 0 && limits->memory < machine) machine = limits->memory;
    config.device_memory = machine / (size_t)config.devices;
    read_bytes("ACLNN_CPU_DEVICE_MEMORY", &config.device_memory);
    instead("ACLNN_CPU_DEVICE_MEMORY", "the machine's %zu MiB are used",
            config.device_memory >> 20);
}

static void read_devices(void)
{
    config.devices = 1;
    read_integer("ACLNN_CPU_DEVICES", 1, RT_DEVICES_MAX, &config.devices);
    instead("ACLNN_CPU_DEVICES", "%zu is taken", (size_t)config.devices);
}

static void read_topics(void)
{
    static const struct {
        const char *name;
        enum rt_log_topic topic;
    } topics[] = {{"plan", RT_LOG_PLAN}, {"calls", RT_LOG_CALLS}};
    const char *text = variable("ACLNN_CPU_LOG");
    bool is_known = true;
    while (text && *text) {
        size_t length = strcspn(text, ",");
        bool known = length == 0;
        for (size_t i = 0; i < RT_LENGTH(topics); i++) {
            if (strlen(topics[i].name) != length || strncmp(text, topics[i].name, length) != 0)
                continue;
            config.log_topics |= topics[i].topic;
            known = true;
        }
        is_known &= known;
        text += length + (text[length] == ',');
    }
    if (!is_known) refuse("ACLNN_CPU_LOG", "its topics are plan and calls; others are left out");
}

static void read_levels(void)
{
    config.log_level = ACL_ERROR;
    bool has_level = read_integer("ASCEND_GLOBAL_LOG_LEVEL", 0, 4, &config.log_level);
    instead("ASCEND_GLOBAL_LOG_LEVEL", "%zu is taken", (size_t)config.log_level);
    read_switch("ASCEND_SLOG_PRINT_TO_STDOUT", &config.log_to_stdout);
    config.log_asked = has_level || config.log_to_stdout;
}

static void read_names(void)
{
    const char *math = variable("ACLNN_CPU_MATH");
    config.exact_math = math && strcmp(math, "exact") == 0;
    if (math && !config.exact_math)
        refuse("ACLNN_CPU_MATH", "it must be exact; each call's cubeMathType is honoured");

    strcpy(config.soc_name, "Ascend910B1");
    const char *soc = variable("ACLNN_CPU_SOC");
    if (soc && strlen(soc) < sizeof config.soc_name)
        strcpy(config.soc_name, soc);
    else if (soc)
        refuse("ACLNN_CPU_SOC", "it has more than %zu letters; %s is told",
               sizeof config.soc_name - 1, config.soc_name);
}

static void read_environment(void)
{
    int saved_errno = errno; /* the first caller may be in the middle of telling it */
    struct rt_cgroup limits = rt_cgroup_limits("/sys/fs/cgroup", "/proc/self/cgroup");
    read_threads(&limits);
    read_devices();
    read_device_memory(&limits);
    read_topics();
    read_levels();
    read_names();
    read_switch("ASCEND_LAUNCH_BLOCKING", &config.launch_blocking);
    read_switch("ACLNN_CPU_SUMMARY", &config.summary);
    read_switch("ACLNN_CPU_STRICT", &config.strict);
    const char *timeline = variable("ACLNN_CPU_TIMELINE");
    if (timeline && strlen(timeline) < sizeof timeline_pattern)
        config.timeline = strcpy(timeline_pattern, timeline);
    else if (timeline)
        refuse("ACLNN_CPU_TIMELINE", "it has more than %zu letters; nothing is recorded",
               sizeof timeline_pattern - 1);
    if (rt_config_is_read) rt_config_is_read(&config);
    atomic_store_explicit(&published, &config, memory_order_release);
    for (int i = 0; i < refused_count; i++)
        rt_log_unhonoured(refused[i].name, getenv(refused[i].name), "%s", refused[i].reason);
    errno = saved_errno;
}

const struct rt_config *rt_config(void)
{
    const struct rt_config *ready = atomic_load_explicit(&published, memory_order_acquire);
    if (__builtin_expect(ready != NULL, 1)) return ready;
    pthread_once(&once, read_environment);
    return &config;
}
