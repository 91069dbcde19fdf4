/* SPDX-License-Identifier: Apache-2.0 */
/* Logging. Beside settings that cannot be honoured nothing is written unless the environment asks:
 * ACLNN_CPU_LOG (a comma list of the topics below, to stderr), ASCEND_GLOBAL_LOG_LEVEL and
 * ASCEND_SLOG_PRINT_TO_STDOUT (levels, as CANN defines them). */
#ifndef ACLNN_CPU_RUNTIME_SUPPORT_LOG_H
#define ACLNN_CPU_RUNTIME_SUPPORT_LOG_H

#include <stdarg.h>
#include <stdbool.h>

#include "acl/acl_base.h"

enum rt_log_topic {
    RT_LOG_PLAN = 1u << 0,  /* sealed plans: steps, ISA, slices, scratch offsets, bytes */
    RT_LOG_CALLS = 1u << 1, /* each phase 2 as a problem in the language of tests/cases */
};

/* Cheap enough for a hot path: one load and a test. */
bool rt_log_topic_on(enum rt_log_topic topic);
/* Writes one whole line (a newline is added) for a topic that is on. Lines of two threads do not
 * mix. */
void rt_log_topic(enum rt_log_topic topic, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* One whole line to stderr for something that was asked for in another way. */
void rt_log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A setting of the environment that cannot be honoured, and what is taken instead:
 *     aclnn-cpu: ACLNN_CPU_THREADS=abc is not taken: it is no whole number ...; 8 threads are used
 * to stderr, unless ASCEND_GLOBAL_LOG_LEVEL is 4. The caller says it once. */
void rt_log_unhonoured(const char *variable, const char *value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

bool rt_log_level_on(aclLogLevel level);
void rt_log(aclLogLevel level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
