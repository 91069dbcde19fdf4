/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/machine.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The value of "key : value" on the first such line of /proc/cpuinfo. */
static void read_key(const char *key, char *value, size_t size)
{
    char line[512];
    value[0] = '\0';
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (file == NULL) return;
    while (value[0] == '\0' && fgets(line, sizeof line, file) != NULL) {
        size_t length = strlen(key);
        char *colon = strchr(line, ':');
        if (strncmp(line, key, length) != 0 || colon == NULL) continue;
        if (line[length] != '\t' && line[length] != ' ') continue;
        colon[strcspn(colon, "\n")] = '\0';
        snprintf(value, size, "%s", colon[1] == ' ' ? colon + 2 : colon + 1);
    }
    fclose(file);
}

const char *machine_cpu(void)
{
    static char text[256];
    char name[128], family[16], model[16];
    read_key("model name", name, sizeof name);
    read_key("cpu family", family, sizeof family);
    read_key("model", model, sizeof model);
    if (name[0] == '\0')
        snprintf(text, sizeof text, "unknown CPU");
    else if (family[0] == '\0')
        snprintf(text, sizeof text, "%s", name);
    else
        snprintf(text, sizeof text, "%s (family %s, model %s)", name, family, model);
    return text;
}

static size_t read_cache(int index, int level)
{
    char path[96], type[16] = "", unit = ' ';
    int found = 0;
    size_t size = 0;
    static const char *const keys[] = {"level", "type", "size"};
    for (int key = 0; key < 3; key++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index,
                 keys[key]);
        FILE *file = fopen(path, "r");
        if (file == NULL) return 0;
        int fields = key == 0   ? fscanf(file, "%d", &found)
                     : key == 1 ? fscanf(file, "%15s", type)
                                : fscanf(file, "%zu%c", &size, &unit);
        fclose(file);
        if (fields < 1) return 0;
    }
    if (found != level || strcmp(type, "Instruction") == 0) return 0;
    return unit == 'M' ? size << 20 : unit == 'K' ? size << 10 : size;
}

size_t machine_cache(int level)
{
    for (int index = 0; index < 8; index++) {
        size_t size = read_cache(index, level);
        if (size > 0) return size;
    }
    return level == 2 ? (size_t)1 << 20 : (size_t)32 << 20;
}

bool machine_busy(double *seconds)
{
    /* user, nice, system, idle, iowait, irq, softirq, steal */
    unsigned long long ticks[8] = {0};
    FILE *file = fopen("/proc/stat", "r");
    if (file == NULL) return false;
    int fields = fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &ticks[0], &ticks[1],
                        &ticks[2], &ticks[3], &ticks[4], &ticks[5], &ticks[6], &ticks[7]);
    fclose(file);
    unsigned long long busy = ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7];
    *seconds = (double)busy / (double)sysconf(_SC_CLK_TCK);
    return fields == 8;
}

int machine_cpus(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
    return CPU_COUNT(&allowed);
}
