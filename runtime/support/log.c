/* SPDX-License-Identifier: Apache-2.0 */
/* A line is formatted in memory and leaves in one write(2): no lock is held, so lines of two
 * threads do not mix and a fork in the middle of one leaves nothing locked. */
#include "runtime/support/log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/support/alloc.h"
#include "runtime/support/config.h"

static const char *const level_names[] = {"DEBUG", "INFO", "WARNING", "ERROR"};

bool rt_log_topic_on(enum rt_log_topic topic)
{
    return (rt_config()->log_topics & topic) != 0;
}

bool rt_log_level_on(aclLogLevel level)
{
    const struct rt_config *config = rt_config();
    return config->log_asked && (int)level >= config->log_level && (int)level <= (int)ACL_ERROR;
}

static void write_all(int file, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t written = write(file, text, length);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        text += written;
        length -= (size_t)written;
    }
}

/* Writes head, the formatted text and a newline at once. A text that fits neither the stack buffer
 * nor memory is cut. */
static void write_line(int file, const char *head, const char *format, va_list list)
{
    char buffer[1024];
    char *line = buffer;
    size_t room = sizeof buffer;
    size_t head_length = strnlen(head, room / 2);
    int saved_errno = errno;

    va_list again;
    va_copy(again, list);
    int needed = vsnprintf(line + head_length, room - head_length - 1, format, list);
    size_t length = head_length + (needed > 0 ? (size_t)needed : 0);
    if (length > room - 2) {
        line = rt_alloc(length + 2);
        if (line) {
            room = length + 2;
            vsnprintf(line + head_length, room - head_length - 1, format, again);
        } else {
            line = buffer;
            length = room - 2;
        }
    }
    va_end(again);
    memcpy(line, head, head_length);
    line[length] = '\n';
    write_all(file, line, length + 1);
    if (line != buffer) rt_free(line);
    errno = saved_errno;
}

void rt_log_topic(enum rt_log_topic topic, const char *format, ...)
{
    if (!rt_log_topic_on(topic)) return;
    va_list list;
    va_start(list, format);
    write_line(STDERR_FILENO, "", format, list);
    va_end(list);
}

void rt_log_line(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    write_line(STDERR_FILENO, "", format, list);
    va_end(list);
}

void rt_log_unhonoured(const char *variable, const char *value, const char *format, ...)
{
    enum { SILENT = 4 };
    char head[256];
    if (rt_config()->log_asked && rt_config()->log_level == SILENT) return;
    snprintf(head, sizeof head, "aclnn-cpu: %s=%.100s is not taken: ", variable, value);
    va_list list;
    va_start(list, format);
    write_line(STDERR_FILENO, head, format, list);
    va_end(list);
}

/* "[ERROR] ACL(pid,tid) seconds.micros " for the library, APP for a user's lines. */
static void write_level(aclLogLevel level, const char *from, const char *place, const char *format,
                        va_list list)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    char head[400];
    snprintf(head, sizeof head, "[%s] %s(%d,%ld) %lld.%06ld %.300s", level_names[level], from,
             (int)getpid(), (long)syscall(SYS_gettid), (long long)now.tv_sec, now.tv_nsec / 1000,
             place);
    write_line(rt_config()->log_to_stdout ? STDOUT_FILENO : STDERR_FILENO, head, format, list);
}

void rt_log(aclLogLevel level, const char *format, ...)
{
    if (!rt_log_level_on(level)) return;
    va_list list;
    va_start(list, format);
    write_level(level, "ACL", "", format, list);
    va_end(list);
}

void aclAppLog(aclLogLevel logLevel, const char *func, const char *file, uint32_t line,
               const char *fmt, ...)
{
    if (!fmt || (int)logLevel < (int)ACL_DEBUG || !rt_log_level_on(logLevel)) return;
    const char *slash = file ? strrchr(file, '/') : NULL;
    char place[256];
    snprintf(place, sizeof place, "[%s:%u] %s: ", slash ? slash + 1 : (file ? file : "?"), line,
             func ? func : "?");
    va_list list;
    va_start(list, fmt);
    write_level(logLevel, "APP", place, fmt, list);
    va_end(list);
}
