/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>

#include "acl/acl.h"
#include "runtime/device/device.h"
#include "runtime/support/devices.h"
#include "tests/unit/refusal.h"

/* The code, and a text that says something. */
Test(context, a_fresh_thread_has_none)
{
    aclrtContext context;
    aclrtStream stream;
    aclrtEvent event;
    int32_t device;
    int64_t value;
    expect_refused(aclrtGetCurrentContext(&context), ACL_ERROR_RT_CONTEXT_NULL, "no context");
    expect_refused(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL, "no context");
    expect_refused(aclrtCreateStream(&stream), ACL_ERROR_RT_CONTEXT_NULL, "no context");
    expect_refused(aclrtCreateEvent(&event), ACL_ERROR_RT_CONTEXT_NULL, "no context");
    expect_refused(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_CONTEXT_NULL, "no context");
    expect_refused(aclrtSynchronizeDevice(), ACL_ERROR_RT_CONTEXT_NULL, "no context");
    expect_refused(aclrtCtxGetCurrentDefaultStream(&stream), ACL_ERROR_RT_CONTEXT_NULL,
                   "no context");
    expect_refused(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1), ACL_ERROR_RT_CONTEXT_NULL,
                   "no context");
    expect_refused(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_ERROR_RT_CONTEXT_NULL,
                   "no context");
}

static void *look_for_device(void *unused)
{
    int32_t device;
    (void)unused;
    cr_expect_eq(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL);
    return NULL;
}

Test(context, threads_inherit_none)
{
    pthread_t thread;
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(pthread_create(&thread, NULL, look_for_device, NULL), 0);
    pthread_join(thread, NULL);
}

static void *share_default_stream(void *expected)
{
    aclrtStream stream = NULL;
    cr_expect_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_expect_eq(aclrtCtxGetCurrentDefaultStream(&stream), ACL_SUCCESS);
    cr_expect_eq(stream, expected);
    return NULL;
}

Test(context, threads_share_the_default_context)
{
    pthread_t thread;
    aclrtStream stream;
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(aclrtCtxGetCurrentDefaultStream(&stream), ACL_SUCCESS);
    cr_assert_eq(pthread_create(&thread, NULL, share_default_stream, stream), 0);
    pthread_join(thread, NULL);
}

Test(context, created_ones_have_their_own_streams)
{
    aclrtContext first, second, current;
    aclrtStream of_first, of_second;
    cr_assert_eq(aclrtCreateContext(&first, 0), ACL_SUCCESS);
    cr_assert_eq(aclrtCtxGetCurrentDefaultStream(&of_first), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateContext(&second, 0), ACL_SUCCESS);
    cr_assert_eq(aclrtGetCurrentContext(&current), ACL_SUCCESS);
    cr_expect_eq(current, second, "creating makes current");
    cr_assert_eq(aclrtCtxGetCurrentDefaultStream(&of_second), ACL_SUCCESS);
    cr_expect_neq(of_first, of_second);
    expect_refused(aclrtSynchronizeStream(of_first), ACL_ERROR_RT_STREAM_CONTEXT,
                   "another context");
    cr_assert_eq(aclrtSetCurrentContext(first), ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeStream(of_first), ACL_SUCCESS);
    expect_refused(aclrtSynchronizeStream(of_second), ACL_ERROR_RT_STREAM_CONTEXT,
                   "another context");
    cr_expect_eq(aclrtDestroyContext(second), ACL_SUCCESS);
    expect_refused(aclrtSynchronizeStream(of_second), ACL_ERROR_RT_INVALID_HANDLE,
                   "has been destroyed");
    cr_expect_eq(aclrtDestroyContext(first), ACL_SUCCESS);
    expect_refused(aclrtGetCurrentContext(&current), ACL_ERROR_RT_CONTEXT_NULL, "no context");
}

Test(context, misuse_has_a_code_and_a_text)
{
    aclrtContext context, gone;
    int64_t value;
    expect_refused(aclrtCreateContext(NULL, 0), ACL_ERROR_INVALID_PARAM, "NULL");
    expect_refused(aclrtCreateContext(&context, -1), ACL_ERROR_RT_INVALID_DEVICEID,
                   "numbered from 0");
    expect_refused(aclrtCreateContext(&context, rt_device_count()), ACL_ERROR_RT_INVALID_DEVICEID,
                   "numbered from 0");
    expect_refused(aclrtDestroyContext(NULL), ACL_ERROR_INVALID_PARAM, "NULL");
    expect_refused(aclrtSetCurrentContext(NULL), ACL_ERROR_INVALID_PARAM, "NULL");
    expect_refused(aclrtGetCurrentContext(NULL), ACL_ERROR_INVALID_PARAM, "NULL");
    expect_refused(aclrtCtxGetCurrentDefaultStream(NULL), ACL_ERROR_INVALID_PARAM, "NULL");
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(aclrtGetCurrentContext(&context), ACL_SUCCESS);
    expect_refused(aclrtDestroyContext(context), ACL_ERROR_INVALID_PARAM, "");
    cr_assert_eq(aclrtCreateContext(&gone, 0), ACL_SUCCESS);
    cr_assert_eq(aclrtDestroyContext(gone), ACL_SUCCESS);
    expect_refused(aclrtDestroyContext(gone), ACL_ERROR_RT_CONTEXT_NULL, "not a context");
    expect_refused(aclrtSetCurrentContext(gone), ACL_ERROR_RT_CONTEXT_NULL, "not a context");
    expect_refused(aclrtSetCurrentContext(&value), ACL_ERROR_RT_CONTEXT_NULL, "not a context");
}

Test(context, options_of_process_and_context)
{
    int64_t value = 7;
    cr_expect_eq(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_SUCCESS);
    cr_expect_eq(value, 0);
    cr_expect_eq(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1), ACL_SUCCESS);
    cr_expect_eq(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_SUCCESS);
    cr_expect_eq(value, 1);
    expect_refused(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, NULL), ACL_ERROR_INVALID_PARAM,
                   "NULL");
    expect_refused(aclrtSetSysParamOpt((aclSysParamOpt)4, 1), ACL_ERROR_INVALID_PARAM, "");
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    expect_refused(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value),
                   ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, "");
    cr_expect_eq(value, 1);
    cr_expect_eq(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 2), ACL_SUCCESS);
    cr_expect_eq(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_SUCCESS);
    cr_expect_eq(value, 2);
}
