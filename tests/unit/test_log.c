/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/support/alloc.h"
#include "runtime/support/error.h"
#include "runtime/support/log.h"
#include "tests/unit/capture.h"

static void clear_environment(void)
{
    unsetenv("ACLNN_CPU_LOG");
    unsetenv("ASCEND_GLOBAL_LOG_LEVEL");
    unsetenv("ASCEND_SLOG_PRINT_TO_STDOUT");
}

TestSuite(log, .init = clear_environment);

static void write_some_of_everything(void)
{
    rt_log_topic(RT_LOG_PLAN, "plan line %d", 1);
    rt_log(ACL_DEBUG, "debug line");
    rt_log(ACL_INFO, "info line");
    rt_log(ACL_WARNING, "warning line");
    rt_log(ACL_ERROR, "error line");
    rt_error_report(107000, "who", "reported line");
    ACL_APP_LOG(ACL_INFO, "app info %s", "line");
    ACL_APP_LOG(ACL_ERROR, "app error %s", "line");
}

/* Runs it and returns what both descriptors got. */
static void written(char *out, char *err, size_t room)
{
    struct capture to_out = capture_begin(STDOUT_FILENO);
    struct capture to_err = capture_begin(STDERR_FILENO);
    write_some_of_everything();
    capture_end(&to_err, err, room);
    capture_end(&to_out, out, room);
}

Test(log, silent_unless_asked)
{
    char out[4096], err[4096];
    written(out, err, sizeof out);
    cr_expect_str_eq(out, "");
    cr_expect_str_eq(err, "");
    cr_expect_not(rt_log_topic_on(RT_LOG_PLAN));
    cr_expect_not(rt_log_level_on(ACL_ERROR));
}

Test(log, topic)
{
    setenv("ACLNN_CPU_LOG", "plan", 1);
    char out[4096], err[4096];
    written(out, err, sizeof out);
    cr_expect_str_eq(out, "");
    cr_expect_str_eq(err, "plan line 1\n");
}

Test(log, errors_to_stdout_by_default_level)
{
    setenv("ASCEND_SLOG_PRINT_TO_STDOUT", "1", 1);
    char out[4096], err[4096];
    written(out, err, sizeof out);
    cr_expect_str_eq(err, "");
    cr_expect_not_null(strstr(out, "error line\n"));
    cr_expect_not_null(strstr(
        out, "107000 ACL_ERROR_RT_PARAM_INVALID (an argument is not valid) who: reported line\n"));
    cr_expect_not_null(strstr(out, "[test_log.c:"));
    cr_expect_not_null(strstr(out, "write_some_of_everything: app error line\n"));
    cr_expect_null(strstr(out, "warning line"));
    cr_expect_null(strstr(out, "app info"));
}

Test(log, level_to_stderr)
{
    setenv("ASCEND_GLOBAL_LOG_LEVEL", "1", 1);
    char out[4096], err[4096];
    written(out, err, sizeof out);
    cr_expect_str_eq(out, "");
    cr_expect_null(strstr(err, "debug line"));
    cr_expect_not_null(strstr(err, "[INFO] ACL("));
    cr_expect_not_null(strstr(err, "info line\n"));
    cr_expect_not_null(strstr(err, "[WARNING] ACL("));
    cr_expect_not_null(strstr(err, "[INFO] APP("));
    cr_expect_not_null(strstr(err, "[ERROR] APP("));
}

Test(log, level_four_is_none)
{
    setenv("ASCEND_GLOBAL_LOG_LEVEL", "4", 1);
    setenv("ASCEND_SLOG_PRINT_TO_STDOUT", "1", 1);
    char out[4096], err[4096];
    written(out, err, sizeof out);
    cr_expect_str_eq(out, "");
    cr_expect_str_eq(err, "");
}

Test(log, app_log_takes_nonsense)
{
    setenv("ASCEND_GLOBAL_LOG_LEVEL", "0", 1);
    struct capture capture = capture_begin(STDERR_FILENO);
    aclAppLog((aclLogLevel)-1, "f", "file", 1, "below");
    aclAppLog((aclLogLevel)99, "f", "file", 1, "above");
    aclAppLog(ACL_ERROR, NULL, NULL, 1, "no names");
    aclAppLog(ACL_ERROR, "f", "file", 1, NULL);
    char text[4096];
    capture_end(&capture, text, sizeof text);
    cr_expect_null(strstr(text, "below"));
    cr_expect_null(strstr(text, "above"));
    cr_expect_not_null(strstr(text, "[?:1] ?: no names\n"));
}

Test(log, keeps_errno)
{
    setenv("ASCEND_GLOBAL_LOG_LEVEL", "0", 1);
    struct capture capture = capture_begin(STDERR_FILENO);
    close(STDERR_FILENO);
    errno = ENOENT;
    rt_log(ACL_ERROR, "to nobody");
    cr_expect_eq(errno, ENOENT);
    char text[16];
    capture_end(&capture, text, sizeof text);
}

enum { LONG = 5000 };

Test(log, long_line_is_whole_and_cut_only_without_memory)
{
    setenv("ACLNN_CPU_LOG", "plan", 1);
    static char text[2 * LONG], line[LONG + 1];
    memset(line, 'x', LONG);
    struct capture capture = capture_begin(STDERR_FILENO);
    rt_log_topic(RT_LOG_PLAN, "%s", line);
    cr_expect_eq(capture_end(&capture, text, sizeof text), LONG + 1);
    cr_expect_eq(text[LONG], '\n');
    cr_expect_eq(strspn(text, "x"), LONG);

    capture = capture_begin(STDERR_FILENO);
    rt_alloc_fail_at(1);
    rt_log_topic(RT_LOG_PLAN, "%s", line);
    size_t length = capture_end(&capture, text, sizeof text);
    cr_expect(length > 900 && length < LONG);
    cr_expect_eq(text[length - 1], '\n');
    cr_expect_eq(strspn(text, "x"), length - 1);
}

Test(log, every_length_around_the_buffer)
{
    setenv("ACLNN_CPU_LOG", "plan", 1);
    static char text[4096], line[1100];
    for (int length = 1000; length < 1050; length++) {
        memset(line, 'x', sizeof line);
        line[length] = '\0';
        struct capture capture = capture_begin(STDERR_FILENO);
        rt_log_topic(RT_LOG_PLAN, "%s", line);
        cr_expect_eq(capture_end(&capture, text, sizeof text), (size_t)length + 1);
        cr_expect_eq(strspn(text, "x"), (size_t)length);
    }
}

enum { THREADS = 4, LINES = 500 };

static void *write_lines(void *letter)
{
    char word[201];
    memset(word, *(char *)letter, 200);
    word[200] = '\0';
    for (int i = 0; i < LINES; i++)
        rt_log_topic(RT_LOG_PLAN, "%s", word);
    return NULL;
}

Test(log, lines_of_threads_do_not_mix)
{
    setenv("ACLNN_CPU_LOG", "plan", 1);
    static char text[THREADS * LINES * 201 + 1];
    struct capture capture = capture_begin(STDERR_FILENO);
    pthread_t threads[THREADS];
    char letters[THREADS];
    for (int i = 0; i < THREADS; i++) {
        letters[i] = (char)('a' + i);
        pthread_create(&threads[i], NULL, write_lines, &letters[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    cr_assert_eq(capture_end(&capture, text, sizeof text), sizeof text - 1);
    for (char *line = text; *line; line += 201) {
        char same[2] = {*line, '\0'};
        cr_assert_eq(strspn(line, same), 200);
        cr_assert_eq(line[200], '\n');
    }
}
