/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnn/opdev/op_errno.h"
#include "runtime/support/alloc.h"
#include "runtime/support/error.h"
#include "tests/unit/refusal.h"

/* A table: as many assertions would be a function that takes sanitizers a minute to compile. */
static const struct {
    int64_t listed, header;
    const char *name, *text;
} codes[] = {
#define RT_CODE(value, name, text) {(value), (int)name, #name, text},
#include "runtime/support/error.def"
#undef RT_CODE
};

Test(error, list_agrees_with_the_headers)
{
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        cr_expect_eq(codes[i].listed, codes[i].header, "%s is %d in the headers", codes[i].name,
                     (int)codes[i].header);
        cr_expect(codes[i].text[0] != '\0', "%s has no text", codes[i].name);
    }
}

Test(error, first_name_of_a_code)
{
    cr_expect_str_eq(rt_error_name(0), "ACL_SUCCESS");
    cr_expect_str_eq(rt_error_name(107002), "ACL_ERROR_RT_CONTEXT_NULL");
    cr_expect_str_eq(rt_error_name(161002), "ACLNN_ERR_PARAM_INVALID");
    cr_expect_str_eq(rt_error_name(545601), "ACL_ERROR_GE_MODEL_EXECUTE_TIMEOUT");
    cr_expect_str_eq(rt_error_name(12345), "");
    cr_expect_str_eq(rt_error_text(12345), "");
    cr_expect_str_eq(rt_error_text(100000), "an argument is not valid");
}

Test(error, text_is_handed_out_once)
{
    cr_expect_null(aclGetRecentErrMsg());
    cr_expect_eq(rt_error_report(161002, "who", "size is %d", 7), 161002);
    const char *text = aclGetRecentErrMsg();
    cr_assert_not_null(text);
    cr_expect_str_eq(text, "who: size is 7");
    cr_expect_null(aclGetRecentErrMsg());
    rt_error_report(161002, NULL, "later");
    cr_expect_str_eq(aclGetRecentErrMsg(), "aclnn-cpu: later");
}

Test(error, text_stays_valid_until_the_next_call)
{
    rt_error_report(161002, "first", "text");
    const char *text = aclGetRecentErrMsg();
    rt_error_report(161002, "second", "text");
    cr_expect_str_eq(text, "first: text");
    cr_expect_str_eq(aclGetRecentErrMsg(), "second: text");
}

Test(error, a_note_makes_way_for_what_fails)
{
    cr_expect_eq(rt_error_note(100002, "a", "note"), 100002);
    cr_expect_str_eq(aclGetRecentErrMsg(), "a: note");
    rt_error_note(100002, "a", "note");
    rt_error_note(107002, "b", "another");
    rt_error_report(161002, "c", "failure");
    rt_error_note(107002, "b", "another");
    rt_error_report(161002, "d", "failure");
    cr_expect_str_eq(aclGetRecentErrMsg(), "c: failure\nd: failure");
    rt_error_note(107002, "b", "another");
    cr_expect_str_eq(aclGetRecentErrMsg(), "b: another");
    cr_expect_null(aclGetRecentErrMsg());
}

/* What programs do before they begin. */
Test(error, probes_are_not_in_the_text_of_a_failure)
{
    aclrtContext context;
    int32_t device;
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    cr_assert_eq(aclInit(NULL), ACL_ERROR_REPEAT_INITIALIZE);
    cr_assert_eq(aclrtGetCurrentContext(&context), ACL_ERROR_RT_CONTEXT_NULL);
    cr_assert_eq(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL);
    cr_assert_eq(aclrtSetDevice(99), ACL_ERROR_RT_INVALID_DEVICEID);
    const char *text = aclGetRecentErrMsg();
    cr_assert_not_null(text);
    cr_expect_eq(strncmp(text, "aclrtSetDevice: ", 16), 0, "%s", text);
    cr_expect_null(strchr(text, '\n'), "%s", text);
}

Test(error, texts_accumulate_a_line_each)
{
    rt_error_report(161001, "a", "one");
    rt_error_report(161002, "b", "two");
    cr_expect_str_eq(aclGetRecentErrMsg(), "a: one\nb: two");
}

Test(error, newest_texts_are_kept)
{
    for (int i = 0; i < 10000; i++)
        rt_error_report(161002, "who", "number %d", i);
    const char *text = aclGetRecentErrMsg();
    cr_assert_not_null(text);
    size_t length = strlen(text);
    cr_expect(length > 2000 && length < 4096, "%zu", length);
    cr_expect(strncmp(text, "who: number ", 12) == 0, "cut in the middle of a line: %.40s", text);
    cr_expect_str_eq(text + length - 11, "number 9999");
}

Test(error, long_text_is_cut)
{
    char *text = malloc(100001);
    memset(text, 'x', 100000);
    text[100000] = '\0';
    rt_error_report(161002, text, "%s", text);
    free(text);
    const char *cut = aclGetRecentErrMsg();
    size_t length = strlen(cut);
    cr_expect(length < 4096);
    cr_expect_str_eq(cut + length - 3, "...");
}

Test(error, text_without_memory_is_not_silent)
{
    rt_alloc_fail_at(1);
    cr_expect_eq(rt_error_report(107000, "who", "text"), 107000);
    cr_expect_not_null(strstr(aclGetRecentErrMsg(), "lost"));
    cr_expect_null(aclGetRecentErrMsg());
    cr_expect_eq(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 107000);
}

Test(error, last_error_of_the_runtime)
{
    cr_expect_eq(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
    rt_error_report(107000, "who", "text");
    rt_error_report(207001, "who", "text");
    rt_error_report(100000, "who", "the runtime was not entered");
    rt_error_report(161002, "who", "nor here");
    cr_expect_eq(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), 207001);
    cr_expect_eq(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 207001);
    cr_expect_eq(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
    expect_refused(aclrtPeekAtLastError((aclrtLastErrLevel)1), ACL_ERROR_INVALID_PARAM, "level");
    expect_refused(aclrtGetLastError((aclrtLastErrLevel)-1), ACL_ERROR_INVALID_PARAM, "level");
}

static void *fail_in_thread(void *number)
{
    if (aclGetRecentErrMsg()) return (void *)"a new thread has texts";
    if (aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL)) return (void *)"a new thread has an error";
    char expected[32];
    for (int i = 0; i < 1000; i++) {
        rt_error_report(107000, "t", "%d %d", *(int *)number, i);
        snprintf(expected, sizeof expected, "t: %d %d", *(int *)number, i);
        if (strcmp(aclGetRecentErrMsg(), expected) != 0) return (void *)"another thread's text";
    }
    rt_error_report(107000, "t", "left behind at the thread's end");
    return NULL;
}

Test(error, threads_have_their_own_texts)
{
    pthread_t threads[4];
    int numbers[4];
    for (int i = 0; i < 4; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, fail_in_thread, &numbers[i]);
    }
    for (int i = 0; i < 4; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        cr_expect_null(wrong, "%s", (const char *)wrong);
    }
    cr_expect_null(aclGetRecentErrMsg());
    cr_expect_eq(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
}

static void *report_in_thread(void *unused)
{
    (void)unused;
    rt_error_report(107000, "other", "thread");
    return NULL;
}

Test(error, process_mode_collects_from_all_threads)
{
    rt_error_set_process_wide(true);
    cr_expect_null(aclGetRecentErrMsg());
    pthread_t thread;
    pthread_create(&thread, NULL, report_in_thread, NULL);
    pthread_join(thread, NULL);
    rt_error_report(107000, "this", "thread");
    const char *text = aclGetRecentErrMsg();
    cr_assert_not_null(text);
    cr_expect_str_eq(text, "other: thread\nthis: thread");
    rt_error_report(107000, "later", "text");
    cr_expect_str_eq(text, "other: thread\nthis: thread");
    cr_expect_str_eq(aclGetRecentErrMsg(), "later: text");
    cr_expect_null(aclGetRecentErrMsg());
    cr_expect_eq(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 107000);
}
