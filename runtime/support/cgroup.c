/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/support/cgroup.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The file's first line without its newline; false when there is none. */
static bool read_line(const char *folder, const char *name, char *line, int room)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return false;
    FILE *file = fopen(path, "re");
    if (!file) return false;
    bool read = fgets(line, room, file) != NULL;
    fclose(file);
    if (read) line[strcspn(line, "\n")] = '\0';
    return read;
}

static bool read_number(const char *folder, const char *name, long long *number)
{
    char line[64];
    return read_line(folder, name, line, sizeof line) && sscanf(line, "%lld", number) == 1;
}

static void limit_cpus(struct rt_cgroup *limits, long long quota, long long period)
{
    if (quota <= 0 || period <= 0) return;
    long long cpus = quota / period + (quota % period != 0);
    if (cpus <= INT_MAX && (limits->cpus == 0 || cpus < limits->cpus)) limits->cpus = (int)cpus;
}

/* Version 1 spells "no limit" as the greatest multiple of a page. */
static void limit_memory(struct rt_cgroup *limits, long long bytes)
{
    if (bytes <= 0 || bytes >= LLONG_MAX - (1 << 20)) return;
    if (limits->memory == 0 || (size_t)bytes < limits->memory) limits->memory = (size_t)bytes;
}

static void read_folder(struct rt_cgroup *limits, const char *folder)
{
    char line[64];
    long long quota, period, bytes;
    if (read_line(folder, "cpu.max", line, sizeof line) &&
        sscanf(line, "%lld %lld", &quota, &period) == 2) { /* "max 100000" has no quota */
        limit_cpus(limits, quota, period);
    }
    if (read_number(folder, "cpu.cfs_quota_us", &quota) &&
        read_number(folder, "cpu.cfs_period_us", &period)) {
        limit_cpus(limits, quota, period);
    }
    if (read_number(folder, "memory.max", &bytes)) limit_memory(limits, bytes);
    if (read_number(folder, "memory.limit_in_bytes", &bytes)) limit_memory(limits, bytes);
}

/* From mount/controllers/group up to mount/controllers. Inside a container the group may be named
 * as the host sees it while the mount shows only the container's part: the folders that are missing
 * are passed over and the top one holds the limit. */
static void read_upwards(struct rt_cgroup *limits, const char *mount, const char *controllers,
                         const char *group)
{
    char folder[PATH_MAX];
    int top =
        snprintf(folder, sizeof folder, "%s%s%s", mount, *controllers ? "/" : "", controllers);
    if (top < 0 || (size_t)top + strlen(group) >= sizeof folder) return;
    strcpy(folder + top, group);
    for (;;) {
        read_folder(limits, folder);
        char *slash = strrchr(folder + top, '/');
        if (!slash) return;
        *slash = '\0';
    }
}

static bool lists(const char *controllers, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = controllers; at; at = strchr(at, ',')) {
        if (*at == ',') at++;
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return false;
}

/* A line is "number:controllers:group"; version 2 has number 0 and no controllers. */
struct rt_cgroup rt_cgroup_limits(const char *mount, const char *groups)
{
    struct rt_cgroup limits = {0};
    FILE *file = fopen(groups, "re");
    if (!file) return limits;
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group) continue;
        *group++ = '\0';
        controllers++;
        if (*controllers == '\0') {
            read_upwards(&limits, mount, "", group);
            read_upwards(&limits, mount, "unified", group);
        } else if (lists(controllers, "cpu") || lists(controllers, "memory")) {
            read_upwards(&limits, mount, controllers, group);
        }
    }
    free(line);
    fclose(file);
    return limits;
}
