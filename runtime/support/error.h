/* SPDX-License-Identifier: Apache-2.0 */
/* Codes and texts of errors. A text is kept per thread (or per process, by aclInit's err_msg_mode)
 * until aclGetRecentErrMsg fetches it. */
#ifndef ACLNN_CPU_RUNTIME_SUPPORT_ERROR_H
#define ACLNN_CPU_RUNTIME_SUPPORT_ERROR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

/* Stores "who: text", logs it, remembers code for aclrtPeekAtLastError when it is a runtime code,
 * and returns code. Never fails: a text that is too long is cut. */
int32_t rt_error_report(int32_t code, const char *who, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

/* The same for what is often no failure to the caller: a probe, a repeated start. The text is kept
 * only while there is no other, and makes way for the next one. */
int32_t rt_error_note(int32_t code, const char *who, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

/* In a public function: return RT_ERROR(ACL_ERROR_INVALID_PARAM, "size is 0; it must be greater
 * than 0"); */
#define RT_ERROR(code, ...) rt_error_report((code), __func__, __VA_ARGS__)

/* One check, one line: leaves the enclosing function with code when condition is false. */
#define RT_CHECK(condition, code, ...)                                                             \
    do {                                                                                           \
        if (__builtin_expect(!(condition), 0)) return RT_ERROR((code), __VA_ARGS__);               \
    } while (0)

/* The name of a code ("ACL_ERROR_RT_PARAM_INVALID"), "" when it is not one of ours. Static storage.
 */
const char *rt_error_name(int32_t code);
/* What it means in a few words ("an argument is not valid"), "" likewise. Static storage. */
const char *rt_error_text(int32_t code);

/* err_msg_mode of aclInit's file: whether texts of all threads are collected in one place. */
void rt_error_set_process_wide(bool on);

#endif
