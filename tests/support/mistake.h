/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with a line that is read, in words for who wrote it. */
#ifndef ACLNN_CPU_TESTS_SUPPORT_MISTAKE_H
#define ACLNN_CPU_TESTS_SUPPORT_MISTAKE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

struct mistake {
    char *text;
    size_t size;
};

/* False, for the reader to return. */
static inline bool wrong(struct mistake *mistake, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static inline bool wrong(struct mistake *mistake, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(mistake->text, mistake->size, format, list);
    va_end(list);
    return false;
}

#endif
