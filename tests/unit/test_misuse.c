/* SPDX-License-Identifier: Apache-2.0 */
/* Which misuse returns which code, call by call, in one place: what programs for devices rely on.
 * Texts are tested where each function is. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acl/acl.h"
#include "aclnn/opdev/op_errno.h"
#include "aclnnop/aclnn_avgpool2d_backward.h"
#include "runtime/schedule/stream.h"
#include "tests/unit/gate.h"

#define OK(call)          cr_assert_eq((call), ACL_SUCCESS, "%s: %s", #call, aclGetRecentErrMsg())
#define GIVES(code, call) expect_code((code), (call), #call)

static aclrtStream stream;
static aclrtEvent event;
static void *block;

enum { BYTES = 4096 };

static void set_up(void)
{
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    OK(aclrtCreateEvent(&event));
    OK(aclrtMalloc(&block, BYTES, ACL_MEM_MALLOC_NORMAL_ONLY));
}

static void tear_down(void)
{
    aclFinalize();
}

TestSuite(misuse, .init = set_up, .fini = tear_down, .timeout = 600);

static void expect_code(int code, int found, const char *call)
{
    cr_expect_eq(found, code, "%s: %d, not %d", call, found, code);
}

/* Not every failure has a code that is agreed upon. */
static void expect_failure(int found, const char *call)
{
    cr_expect_neq(found, ACL_SUCCESS, "%s succeeded", call);
}
#define FAILS(call) expect_failure((call), #call)

static void *run_in_thread(void *function)
{
    ((void (*)(void))function)();
    return NULL;
}

/* A thread that has no device. */
static void in_new_thread(void (*function)(void))
{
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, run_in_thread, (void *)function), 0);
    pthread_join(thread, NULL);
}

static void expect_text(void)
{
    cr_expect_not_null(aclGetRecentErrMsg());
}

/* --- begin and end ---------------------------------------------------------------------------- */

Test(misuse, a_place_for_the_result_is_needed)
{
    GIVES(ACL_ERROR_INVALID_PARAM, aclrtGetDevice(NULL));
    GIVES(ACL_ERROR_INVALID_PARAM, aclrtGetDeviceCount(NULL));
    GIVES(ACL_ERROR_INVALID_PARAM, aclrtGetRunMode(NULL));
    GIVES(ACL_ERROR_INVALID_PARAM, aclrtCreateContext(NULL, 0));
    GIVES(ACL_ERROR_INVALID_PARAM, aclrtGetCurrentContext(NULL));
    GIVES(ACL_ERROR_INVALID_PARAM, aclrtCreateStream(NULL));
    GIVES(ACL_ERROR_INVALID_PARAM, aclrtStreamQuery(stream, NULL));
    GIVES(ACL_ERROR_INVALID_PARAM, aclrtStreamGetId(stream, NULL));
    GIVES(ACL_ERROR_INVALID_PARAM, aclrtCreateEvent(NULL));
    GIVES(ACL_ERROR_INVALID_PARAM, aclrtQueryEventStatus(event, NULL));
    GIVES(ACL_ERROR_INVALID_PARAM, aclrtEventElapsedTime(NULL, event, event));
    GIVES(ACL_ERROR_INVALID_PARAM, aclrtMalloc(NULL, 1, ACL_MEM_MALLOC_NORMAL_ONLY));
    GIVES(ACL_ERROR_INVALID_PARAM, aclrtMallocHost(NULL, 1));
    size_t size;
    GIVES(ACL_ERROR_INVALID_PARAM, aclrtGetMemInfo(ACL_HBM_MEM, NULL, &size));
    GIVES(ACL_ERROR_INVALID_PARAM, aclrtGetMemInfo(ACL_HBM_MEM, &size, NULL));
    GIVES(ACL_ERROR_INVALID_PARAM, aclrtPointerGetAttributes(block, NULL));
    GIVES(ACL_ERROR_INVALID_PARAM, aclrtReserveMemAddress(NULL, 1, 0, NULL, 0));
}

Test(misuse, begin_and_end_are_counted)
{
    uint64_t count = 77;
    GIVES(ACL_ERROR_REPEAT_INITIALIZE, aclInit(NULL)); /* and counts all the same */
    OK(aclFinalizeReference(&count));
    cr_expect_eq(count, 1);
    OK(aclFinalize());
    GIVES(ACL_ERROR_REPEAT_FINALIZE, aclFinalize());
    count = 77;
    GIVES(ACL_ERROR_REPEAT_FINALIZE, aclFinalizeReference(&count));
    cr_expect_eq(count, 0);
}

Test(misuse, configurations_are_read)
{
    static const struct {
        const char *text;
        aclError code;
    } files[] = {{"{\"dump\": {\"anything\": [1, 2]}, \"unknown\": true}", ACL_SUCCESS},
                 {"{\"dump\": ", ACL_ERROR_PARSE_FILE},
                 {"no JSON", ACL_ERROR_PARSE_FILE}};
    OK(aclFinalize());
    GIVES(ACL_ERROR_INVALID_FILE, aclInit("/nowhere/at/all.json"));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[] = "misuse-XXXXXX";
        int file = mkstemp(path);
        cr_assert_geq(file, 0);
        cr_assert_eq(write(file, files[i].text, strlen(files[i].text)),
                     (ssize_t)strlen(files[i].text));
        close(file);
        GIVES(files[i].code, aclInit(path));
        unlink(path);
        if (files[i].code == ACL_SUCCESS) OK(aclFinalize());
    }
}

/* --- devices and contexts --------------------------------------------------------------------- */

static void use_without_device(void)
{
    int32_t device;
    aclrtContext context;
    aclrtStream other;
    void *memory;
    GIVES(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevice(&device));
    GIVES(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetCurrentContext(&context));
    GIVES(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateStream(&other));
    GIVES(ACL_ERROR_RT_CONTEXT_NULL, aclrtMalloc(&memory, 1, ACL_MEM_MALLOC_NORMAL_ONLY));
    GIVES(ACL_ERROR_RT_CONTEXT_NULL, aclrtRecordEvent(event, stream));
    GIVES(ACL_ERROR_RT_CONTEXT_NULL, aclrtSynchronizeStream(NULL));
    GIVES(ACL_ERROR_RT_CONTEXT_NULL, aclrtSynchronizeDevice());
}

Test(misuse, a_device_must_be_set)
{
    GIVES(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(-1));
    GIVES(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(1000000));
    in_new_thread(use_without_device);
}

Test(misuse, things_belong_to_a_context)
{
    aclrtContext other;
    OK(aclrtCreateContext(&other, 0));
    GIVES(ACL_ERROR_RT_STREAM_CONTEXT, aclrtSynchronizeStream(stream));
    GIVES(ACL_ERROR_RT_STREAM_CONTEXT, aclrtRecordEvent(event, stream));
    GIVES(ACL_ERROR_RT_STREAM_CONTEXT, aclrtDestroyStream(stream));
    OK(aclrtDestroyContext(other));
}

Test(misuse, a_device_is_reset_as_often_as_set)
{
    OK(aclrtResetDevice(0));
    FAILS(aclrtResetDevice(0));
    OK(aclrtSetDevice(0));
    OK(aclrtSetDevice(0));
    OK(aclrtResetDeviceForce(0));
    FAILS(aclrtResetDevice(0));
}

Test(misuse, devices_and_their_peers)
{
    int32_t can;
    uint32_t flags = 0;
    int32_t active;
    GIVES(ACL_ERROR_INVALID_PARAM, aclrtDeviceCanAccessPeer(&can, 0, 0));
    GIVES(ACL_ERROR_INVALID_PARAM, aclrtDeviceEnablePeerAccess(0, 0));
    GIVES(ACL_ERROR_FEATURE_UNSUPPORTED, aclrtDeviceEnablePeerAccess(0, 1));
    GIVES(ACL_ERROR_INVALID_PARAM, aclrtGetPrimaryCtxState(0, &flags, &active));
    GIVES(ACL_ERROR_INVALID_PARAM, aclrtPeekAtLastError((aclrtLastErrLevel)1));
    GIVES(ACL_ERROR_INVALID_PARAM, aclrtGetLastError((aclrtLastErrLevel)1));
}

/* --- memory ----------------------------------------------------------------------------------- */

Test(misuse, memory_has_a_size)
{
    void *memory;
    GIVES(ACL_ERROR_INVALID_PARAM, aclrtMalloc(&memory, 0, ACL_MEM_MALLOC_NORMAL_ONLY));
    GIVES(ACL_ERROR_INVALID_PARAM, aclrtMallocAlign32(&memory, 0, ACL_MEM_MALLOC_NORMAL_ONLY));
    GIVES(ACL_ERROR_INVALID_PARAM, aclrtMallocCached(&memory, 0, ACL_MEM_MALLOC_NORMAL_ONLY));
    GIVES(ACL_ERROR_INVALID_PARAM, aclrtMallocHost(&memory, 0));
    GIVES(ACL_ERROR_INVALID_PARAM, aclrtMalloc(&memory, SIZE_MAX, ACL_MEM_MALLOC_NORMAL_ONLY));
    GIVES(ACL_ERROR_RT_MEMORY_ALLOCATION,
          aclrtMalloc(&memory, (size_t)1 << 62, ACL_MEM_MALLOC_NORMAL_ONLY));
    GIVES(ACL_ERROR_INVALID_PARAM, aclrtFree(NULL));
    GIVES(ACL_ERROR_INVALID_PARAM, aclrtFreeHost(NULL));
    FAILS(aclrtFree(&memory));
    FAILS(aclrtFreeHost(&memory));
    OK(aclrtFree(block));
    FAILS(aclrtFree(block));
}

Test(misuse, copies)
{
    static char host[BYTES];
    const aclrtMemcpyKind kind = ACL_MEMCPY_HOST_TO_DEVICE;
    GIVES(ACL_ERROR_INVALID_PARAM, aclrtMemcpy(NULL, 1, host, 1, kind));
    GIVES(ACL_ERROR_INVALID_PARAM, aclrtMemcpy(block, 1, NULL, 1, kind));
    GIVES(ACL_ERROR_INVALID_PARAM, aclrtMemcpyAsync(NULL, 1, host, 1, kind, stream));
    GIVES(ACL_ERROR_INVALID_PARAM, aclrtMemcpyAsync(block, 1, NULL, 1, kind, stream));
    GIVES(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy(block, 1, host, 0, kind));
    GIVES(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy(block, 0, host, 1, kind));
    GIVES(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpyAsync(block, 1, host, 0, kind, stream));
    GIVES(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy(block, 1, host, 2, kind));
    GIVES(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpyAsync(block, 1, host, 2, kind, stream));
    FAILS(aclrtMemcpy(block, 1, host, 1, (aclrtMemcpyKind)99));
    FAILS(aclrtMemcpyAsync(block, 1, host, 1, (aclrtMemcpyKind)99, stream));
    OK(aclrtMemcpy(block, 1, block, 1, ACL_MEMCPY_DEVICE_TO_DEVICE));
    OK(aclrtMemcpyAsync(host, 1, host + 1, 1, ACL_MEMCPY_HOST_TO_HOST, stream));
    OK(aclrtSynchronizeStream(stream));
    GIVES(ACL_ERROR_RT_PARAM_INVALID, aclrtMemset(block, 1, 0, 0));
    GIVES(ACL_ERROR_RT_PARAM_INVALID, aclrtMemset(block, 1, 0, 2));
    GIVES(ACL_ERROR_RT_PARAM_INVALID, aclrtMemsetAsync(block, 1, 0, 2, stream));
    GIVES(ACL_ERROR_INVALID_PARAM, aclrtMemcpy2d(block, 4, host, 8, 5, 2, kind));
    GIVES(ACL_ERROR_INVALID_PARAM, aclrtMemcpy2d(block, 8, host, 4, 5, 2, kind));
}

/* --- waiting ---------------------------------------------------------------------------------- */

Test(misuse, limits_of_waits)
{
    static const int32_t wrong[] = {0, -2, INT32_MIN};
    for (int i = 0; i < 3; i++) {
        GIVES(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStreamWithTimeout(stream, wrong[i]));
        GIVES(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeDeviceWithTimeout(wrong[i]));
        GIVES(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeEventWithTimeout(event, wrong[i]));
        GIVES(ACL_ERROR_INVALID_PARAM, aclrtProcessReport(wrong[i]));
    }
    GIVES(ACL_ERROR_RT_PARAM_INVALID, aclrtStreamWaitEventWithTimeout(stream, event, -1));
}

Test(misuse, waits_that_expire)
{
    static struct gate gate;
    aclrtStream other = gate_close_stream(&gate);
    OK(aclrtRecordEvent(event, other));
    GIVES(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(other, 1));
    GIVES(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeDeviceWithTimeout(1));
    GIVES(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, aclrtSynchronizeEventWithTimeout(event, 1));
    gate_open(&gate);
    OK(aclrtSynchronizeStream(other));
    OK(aclrtDestroyStream(other));
}

Test(misuse, times_of_events)
{
    static struct gate gate;
    float ms;
    aclrtEvent later, external, ex;
    OK(aclrtCreateEvent(&later));
    GIVES(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, aclrtEventElapsedTime(&ms, event, later));
    aclrtStream other = gate_close_stream(&gate);
    OK(aclrtRecordEvent(event, stream));
    OK(aclrtRecordEvent(later, other));
    GIVES(ACL_ERROR_RT_EVENT_NOT_COMPLETE, aclrtEventElapsedTime(&ms, event, later));
    OK(aclrtSynchronizeStream(stream));
    gate_open(&gate);
    OK(aclrtSynchronizeStream(other));
    OK(aclrtEventElapsedTime(&ms, event, later));
    GIVES(ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL, aclrtEventElapsedTime(&ms, later, event));
    OK(aclrtCreateEventWithFlag(&external, ACL_EVENT_EXTERNAL));
    GIVES(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtEventElapsedTime(&ms, event, external));
    OK(aclrtCreateEventExWithFlag(&ex, ACL_EVENT_SYNC));
    GIVES(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtResetEvent(ex, stream));
    OK(aclrtDestroyStream(other));
}

static void fail(struct rt_task *task, struct rt_stream *queue)
{
    rt_stream_fail(queue, (aclError)task->word[0].number, "as the test asked");
}

Test(misuse, errors_of_tasks_come_with_the_next_wait)
{
    static const struct rt_task_kind kind = {.name = "fail", .run = fail};
    struct rt_task first = {.kind = &kind, .word[0].number = ACL_ERROR_RT_AICORE_EXCEPTION};
    struct rt_task second = {.kind = &kind, .word[0].number = ACL_ERROR_RT_AICPU_EXCEPTION};
    OK(rt_stream_submit(stream, &first, 0));
    OK(rt_stream_submit(stream, &second, 0));
    GIVES(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtStreamAbort(stream));
    GIVES(ACL_ERROR_RT_STREAM_ABORT, aclrtSynchronizeStream(stream));
}

/* --- callbacks -------------------------------------------------------------------------------- */

static void do_nothing(void *unused)
{
    (void)unused;
}

Test(misuse, callbacks)
{
    const uint64_t self = (uint64_t)pthread_self();
    aclrtStream other;
    OK(aclrtCreateStream(&other));
    GIVES(ACL_ERROR_RT_THREAD_SUBSCRIBE, aclrtProcessReport(1));
    GIVES(ACL_ERROR_RT_STREAM_NO_CB_REG,
          aclrtLaunchCallback(do_nothing, NULL, ACL_CALLBACK_BLOCK, stream));
    OK(aclrtSubscribeReport(self, stream));
    GIVES(ACL_ERROR_RT_REPORT_TIMEOUT, aclrtProcessReport(1));
    GIVES(ACL_ERROR_RT_STREAM_SUBSCRIBE, aclrtSubscribeReport(self + 1, stream));
    GIVES(ACL_ERROR_INVALID_PARAM,
          aclrtLaunchCallback(do_nothing, NULL, (aclrtCallbackBlockType)2, stream));
    GIVES(ACL_ERROR_RT_STREAM_SUBSCRIBE, aclrtLaunchHostFunc(stream, do_nothing, NULL));
    OK(aclrtLaunchHostFunc(other, do_nothing, NULL));
    GIVES(ACL_ERROR_RT_STREAM_SUBSCRIBE, aclrtSubscribeReport(self, other));
    OK(aclrtSynchronizeStream(other));
}

Test(misuse, of_an_exception_that_is_none)
{
    cr_expect_eq(aclrtGetTaskIdFromExceptionInfo(NULL), UINT32_MAX);
    cr_expect_eq(aclrtGetStreamIdFromExceptionInfo(NULL), UINT32_MAX);
    cr_expect_eq(aclrtGetThreadIdFromExceptionInfo(NULL), UINT32_MAX);
    cr_expect_eq(aclrtGetDeviceIdFromExceptionInfo(NULL), UINT32_MAX);
    cr_expect_eq(aclrtGetErrorCodeFromExceptionInfo(NULL), UINT32_MAX);
}

/* --- capture ---------------------------------------------------------------------------------- */

static aclError ended_with;

static void end_elsewhere(void)
{
    aclmdlRI graph;
    OK(aclrtSetDevice(0));
    ended_with = aclmdlRICaptureEnd(stream, &graph);
    OK(aclrtResetDevice(0));
}

Test(misuse, captures)
{
    const aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
    static char host[8];
    aclmdlRI graph;
    aclrtEvent ex;
    float ms;
    OK(aclrtCreateEventExWithFlag(&ex, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));
    GIVES(ACL_ERROR_INVALID_PARAM, aclmdlRICaptureBegin(NULL, mode));
    GIVES(ACL_ERROR_INVALID_PARAM, aclmdlRICaptureEnd(stream, NULL));
    GIVES(ACL_ERROR_INVALID_PARAM, aclmdlRIExecuteAsync(NULL, stream));
    GIVES(ACL_ERROR_INVALID_PARAM, aclmdlRIDestroy(NULL));
    GIVES(ACL_ERROR_RT_STREAM_NOT_CAPTURED, aclmdlRICaptureEnd(stream, &graph));

    OK(aclmdlRICaptureBegin(stream, mode));
    OK(aclrtRecordEvent(ex, stream));
    GIVES(ACL_ERROR_RT_STREAM_CAPTURED, aclrtSynchronizeStream(stream));
    GIVES(ACL_ERROR_RT_EVENT_CAPTURED, aclrtEventElapsedTime(&ms, ex, ex));
    GIVES(ACL_ERROR_RT_EVENT_CAPTURED, aclrtSynchronizeEvent(ex));
    in_new_thread(end_elsewhere);
    cr_expect_eq(ended_with, ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD);

    OK(aclmdlRICaptureBegin(stream, mode));
    GIVES(ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT,
          aclrtMemcpy(block, 8, host, 8, ACL_MEMCPY_HOST_TO_DEVICE));
    GIVES(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, aclmdlRICaptureEnd(stream, &graph));
}

/* --- operators -------------------------------------------------------------------------------- */

static aclTensor *image(int64_t extent, aclDataType type)
{
    const int64_t sizes[] = {1, 1, extent, extent};
    aclTensor *tensor = aclCreateTensor(sizes, 4, type, NULL, 0, ACL_FORMAT_NCHW, sizes, 4, block);
    cr_assert_not_null(tensor);
    return tensor;
}

static aclnnStatus plan(const aclTensor *dy, const aclTensor *x, int64_t window, aclTensor *dx,
                        uint64_t *size, aclOpExecutor **executor)
{
    const int64_t windows[] = {window, window}, none[] = {0, 0};
    aclIntArray *kernel = aclCreateIntArray(windows, 2), *padding = aclCreateIntArray(none, 2);
    aclnnStatus status = aclnnAvgPool2dBackwardGetWorkspaceSize(
        dy, x, kernel, kernel, padding, false, true, 0, 0, dx, size, executor);
    OK(aclDestroyIntArray(kernel));
    OK(aclDestroyIntArray(padding));
    return status;
}

Test(misuse, phase_1)
{
    uint64_t size;
    aclOpExecutor *executor;
    aclTensor *dy = image(2, ACL_FLOAT), *x = image(4, ACL_FLOAT), *dx = image(4, ACL_FLOAT);
    aclTensor *odd = image(4, ACL_INT8), *small = image(3, ACL_FLOAT);
    GIVES(ACLNN_ERR_PARAM_NULLPTR, plan(NULL, x, 2, dx, &size, &executor));
    GIVES(ACLNN_ERR_PARAM_NULLPTR, plan(dy, x, 2, NULL, &size, &executor));
    GIVES(ACLNN_ERR_PARAM_NULLPTR, plan(dy, x, 2, dx, NULL, &executor));
    GIVES(ACLNN_ERR_PARAM_NULLPTR, plan(dy, x, 2, dx, &size, NULL));
    GIVES(ACLNN_ERR_PARAM_INVALID, plan(dy, x, 2, odd, &size, &executor));
    GIVES(ACLNN_ERR_PARAM_INVALID, plan(dy, x, 2, small, &size, &executor));
    GIVES(ACLNN_ERR_PARAM_INVALID, plan(dy, x, 0, dx, &size, &executor));
    expect_text();
    aclTensor *const all[] = {dy, x, dx, odd, small};
    for (int i = 0; i < 5; i++)
        OK(aclDestroyTensor(all[i]));
}

/* The executor is gone after the refusal: nobody frees it, and the search for leaks finds nothing.
 */
Test(misuse, phase_2)
{
    uint64_t size;
    aclOpExecutor *executor;
    aclTensor *dy = image(2, ACL_FLOAT), *x = image(4, ACL_FLOAT), *dx = image(4, ACL_FLOAT);
    GIVES(ACLNN_ERR_PARAM_NULLPTR, aclnnAvgPool2dBackward(NULL, 0, NULL, stream));
    OK(plan(dy, x, 2, dx, &size, &executor));
    GIVES(ACLNN_ERR_PARAM_NULLPTR, aclnnAvgPool2dBackward(NULL, size + 64, executor, stream));
    OK(aclDestroyTensor(dy));
    OK(aclDestroyTensor(x));
    OK(aclDestroyTensor(dx));
}

Test(misuse, executors)
{
    uint64_t size;
    aclOpExecutor *executor;
    aclTensor *dy = image(2, ACL_FLOAT), *x = image(4, ACL_FLOAT), *dx = image(4, ACL_FLOAT);
    GIVES(ACLNN_ERR_INNER_NULLPTR, aclSetAclOpExecutorRepeatable(NULL));
    GIVES(ACLNN_ERR_INNER_NULLPTR, aclDestroyAclOpExecutor(NULL));
    GIVES(ACLNN_ERR_INNER_NULLPTR, aclSetTensorAddr(NULL, 0, dy, block));
    OK(plan(dy, x, 2, dx, &size, &executor));
    OK(aclSetAclOpExecutorRepeatable(executor));
    GIVES(ACLNN_ERR_INNER_NULLPTR, aclSetInputTensorAddr(executor, 0, NULL, block));
    GIVES(ACLNN_ERR_PARAM_INVALID, aclSetInputTensorAddr(executor, 99, dy, block));
    GIVES(ACLNN_ERR_PARAM_INVALID, aclSetOutputTensorAddr(executor, 1, dx, block));
    OK(aclDestroyAclOpExecutor(executor));
    OK(aclDestroyTensor(dy));
    OK(aclDestroyTensor(x));
    OK(aclDestroyTensor(dx));
}

Test(misuse, descriptors)
{
    int64_t *sizes, offset;
    uint64_t count;
    aclDataType type;
    aclFormat format;
    void *address;
    const int64_t one[] = {1};
    GIVES(ACLNN_ERR_PARAM_NULLPTR, aclGetViewShape(NULL, &sizes, &count));
    GIVES(ACLNN_ERR_PARAM_NULLPTR, aclGetStorageShape(NULL, &sizes, &count));
    GIVES(ACLNN_ERR_PARAM_NULLPTR, aclGetViewStrides(NULL, &sizes, &count));
    GIVES(ACLNN_ERR_PARAM_NULLPTR, aclGetViewOffset(NULL, &offset));
    GIVES(ACLNN_ERR_PARAM_NULLPTR, aclGetDataType(NULL, &type));
    GIVES(ACLNN_ERR_PARAM_NULLPTR, aclGetFormat(NULL, &format));
    GIVES(ACLNN_ERR_PARAM_NULLPTR, aclGetRawTensorAddr(NULL, &address));
    GIVES(ACLNN_ERR_PARAM_NULLPTR, aclGetIntArraySize(NULL, &count));
    GIVES(ACLNN_ERR_PARAM_NULLPTR, aclGetFloatArraySize(NULL, &count));
    GIVES(ACLNN_ERR_PARAM_NULLPTR, aclGetBoolArraySize(NULL, &count));
    GIVES(ACLNN_ERR_PARAM_NULLPTR, aclGetTensorListSize(NULL, &count));
    GIVES(ACLNN_ERR_PARAM_NULLPTR, aclGetScalarListSize(NULL, &count));
    cr_expect_null(aclCreateTensor(NULL, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, one, 1, block));
    expect_text();
    cr_expect_null(aclCreateScalar(NULL, ACL_FLOAT));
    expect_text();
    OK(aclDestroyTensor(NULL));
    OK(aclDestroyScalar(NULL));
    OK(aclDestroyIntArray(NULL));
    OK(aclDestroyFloatArray(NULL));
    OK(aclDestroyBoolArray(NULL));
    OK(aclDestroyTensorList(NULL));
    OK(aclDestroyScalarList(NULL));
}
