/* SPDX-License-Identifier: Apache-2.0 */
/* Locks: none; the caller holds that of profile_api.c. */
#include "runtime/profile/profile_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int64_t read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

__attribute__((format(printf, 2, 3))) static bool name_path(char path[PATH_MAX], const char *format,
                                                            ...)
{
    va_list values;
    va_start(values, format);
    const int length = vsnprintf(path, PATH_MAX, format, values);
    va_end(values);
    if (length >= 0 && length < PATH_MAX) return true;
    errno = ENAMETOOLONG;
    return false;
}

/* A file that nobody has laid there before. */
static bool write_moment(const char *folder, const char *name, const char *member,
                         const char *timeline)
{
    char path[PATH_MAX];
    if (!name_path(path, "%s/host/%s", folder, name)) return false;
    const int number = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    FILE *out = number >= 0 ? fdopen(number, "w") : NULL;
    if (!out) {
        if (number >= 0) close(number);
        return false;
    }
    const int64_t raw = read_clock(CLOCK_MONOTONIC_RAW), monotonic = read_clock(CLOCK_MONOTONIC);
    const int64_t unix_ns = read_clock(CLOCK_REALTIME);
    fprintf(out,
            "{\"%s\": \"%" PRId64 ".%03d\", \"clockMonotonicRaw\": \"%" PRId64
            "\", \"clockMonotonic\": \"%" PRId64 "\", \"timeline\": \"%s\"}\n",
            member, unix_ns / 1000, (int)(unix_ns % 1000), raw, monotonic, timeline);
    const bool is_right = !ferror(out);
    return fclose(out) == 0 && is_right;
}

static bool make_device_folders(const char *folder, uint64_t devices)
{
    char path[PATH_MAX];
    for (unsigned device = 0; device < 64; device++) {
        if (!(devices >> device & 1)) continue;
        if (!name_path(path, "%s/device_%u", folder, device) || mkdir(path, 0755) != 0)
            return false;
    }
    return true;
}

bool rt_profile_folder_begin(char path[PATH_MAX], const char *parent, unsigned recording,
                             uint64_t devices, const char *timeline)
{
    char inner[PATH_MAX], date[32];
    const int64_t now = read_clock(CLOCK_REALTIME);
    const time_t seconds = (time_t)(now / 1000000000);
    struct tm local;
    localtime_r(&seconds, &local);
    strftime(date, sizeof(date), "%Y%m%d%H%M%S", &local);
    return name_path(path, "%s/PROF_%06u_%s%03d_%08X%08X", parent, recording, date,
                     (int)(now / 1000000 % 1000), (unsigned)getpid(),
                     (unsigned)(now % 1000000000)) &&
           mkdir(path, 0755) == 0 && name_path(inner, "%s/host", path) && mkdir(inner, 0755) == 0 &&
           make_device_folders(path, devices) &&
           write_moment(path, "start_info", "collectionTimeBegin", timeline);
}

bool rt_profile_folder_end(const char *path, const char *timeline)
{
    return write_moment(path, "end_info", "collectionTimeEnd", timeline);
}
