/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#define TO_LINE_START "\r\033[K"

void progress_show(const char *format, ...)
{
    if (!isatty(STDERR_FILENO)) return;
    va_list arguments;
    va_start(arguments, format);
    fputs(TO_LINE_START, stderr);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
}

void progress_clear(void)
{
    if (isatty(STDERR_FILENO)) fputs(TO_LINE_START, stderr);
}
