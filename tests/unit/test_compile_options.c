/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the compiler of operators: kept and given back. */
#include <pthread.h>
#include <stdio.h>

#include "tests/unit/refusal.h"

#include "acl/acl_op_compiler.h"

static void expect_value(aclCompileOpt opt, const char *expected)
{
    char value[4096];
    memset(value, 0x55, sizeof value);
    cr_expect_eq(aclGetCompileoptSize(opt), strlen(expected) + 1);
    cr_expect_eq(aclGetCompileopt(opt, value, sizeof value), ACL_SUCCESS);
    cr_expect_str_eq(value, expected);
    cr_expect_eq(value[strlen(expected) + 1], 0x55, "more was written than the value");
}

Test(compile_options, are_kept_each_by_itself)
{
    char number[16];
    expect_value(ACL_PRECISION_MODE, "");
    expect_value(ACL_OP_JIT_COMPILE, "disable");
    for (int i = 0; i <= ACL_OP_DEBUG_OPTION; i++) {
        snprintf(number, sizeof number, "value %d", i);
        cr_assert_eq(aclSetCompileopt((aclCompileOpt)i, number), ACL_SUCCESS);
    }
    for (int i = 0; i <= ACL_OP_DEBUG_OPTION; i++) {
        snprintf(number, sizeof number, "value %d", i);
        expect_value((aclCompileOpt)i, number);
    }
    cr_expect_eq(aclSetCompileopt(ACL_ALLOW_HF32, ""), ACL_SUCCESS);
    expect_value(ACL_ALLOW_HF32, "");
}

Test(compile_options, have_their_limits)
{
    char value[4098];
    memset(value, 'x', sizeof value);
    value[4095] = '\0';
    cr_expect_eq(aclSetCompileopt(ACL_DEBUG_DIR, value), ACL_SUCCESS);
    cr_expect_eq(aclGetCompileoptSize(ACL_DEBUG_DIR), 4096);
    value[4095] = 'x';
    value[4096] = '\0';
    expect_refused(aclSetCompileopt(ACL_DEBUG_DIR, value), ACL_ERROR_INVALID_PARAM,
                   "more than 4095 bytes");
    cr_expect_eq(aclGetCompileoptSize(ACL_DEBUG_DIR), 4096);
    expect_refused(aclSetCompileopt(ACL_DEBUG_DIR, NULL), ACL_ERROR_INVALID_PARAM, "value is NULL");
    expect_refused(aclSetCompileopt((aclCompileOpt)17, "1"), ACL_ERROR_INVALID_PARAM, "opt is 17");
    expect_refused(aclSetCompileopt((aclCompileOpt)-1, "1"), ACL_ERROR_INVALID_PARAM, "opt is -1");
    cr_expect_eq(aclGetCompileoptSize((aclCompileOpt)17), 0);
    expect_text("aclGetCompileoptSize()", "opt is 17");
    expect_refused(aclGetCompileopt((aclCompileOpt)17, value, 1), ACL_ERROR_INVALID_PARAM,
                   "opt is 17");
    expect_refused(aclGetCompileopt(ACL_OP_JIT_COMPILE, NULL, 8), ACL_ERROR_INVALID_PARAM,
                   "value is NULL");
    value[0] = '?';
    expect_refused(aclGetCompileopt(ACL_OP_JIT_COMPILE, value, 7), ACL_ERROR_INVALID_PARAM,
                   "length is 7; the value takes 8");
    cr_expect_eq(value[0], '?');
}

static void *set_and_get(void *unused)
{
    char value[64];
    (void)unused;
    for (int i = 0; i < 2000; i++) {
        cr_assert_eq(aclSetCompileopt(ACL_DEBUG_DIR, i % 2 ? "aaaaaaaa" : "bbbb"), ACL_SUCCESS);
        cr_assert_eq(aclGetCompileopt(ACL_DEBUG_DIR, value, sizeof value), ACL_SUCCESS);
        cr_assert(strcmp(value, "aaaaaaaa") == 0 || strcmp(value, "bbbb") == 0, "%s", value);
    }
    return NULL;
}

Test(compile_options, are_whole_for_every_thread)
{
    pthread_t other;
    cr_assert_eq(pthread_create(&other, NULL, set_and_get, NULL), 0);
    set_and_get(NULL);
    pthread_join(other, NULL);
}
