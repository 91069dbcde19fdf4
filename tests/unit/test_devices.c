/* SPDX-License-Identifier: Apache-2.0 */
/* Several devices of one process: what each has for itself, and what passes between them. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "tests/unit/gate.h"
#include "tests/unit/refusal.h"

#define MIB ((size_t)1 << 20)

enum { DEVICES = 4 };

static void start(void)
{
    setenv("ACLNN_CPU_DEVICES", "4", 1);
    setenv("ACLNN_CPU_DEVICE_MEMORY", "64M", 1);
}

TestSuite(devices, .init = start, .timeout = 600);

static void work_on(int32_t device)
{
    cr_assert_eq(aclrtSetDevice(device), ACL_SUCCESS);
}

static size_t free_bytes(void)
{
    size_t free, total;
    cr_assert_eq(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total), ACL_SUCCESS);
    cr_assert_eq(total, 64 * MIB);
    return free;
}

static void *take(size_t size)
{
    void *memory = NULL;
    cr_assert_eq(aclrtMalloc(&memory, size - 32, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    return memory;
}

static void *another_thread(void *argument)
{
    int32_t device;
    (void)argument;
    cr_expect_eq(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL, "a thread inherits none");
    work_on(3);
    cr_expect_eq(aclrtGetDevice(&device), ACL_SUCCESS);
    cr_expect_eq(device, 3);
    return NULL;
}

Test(devices, each_has_its_context)
{
    aclrtContext contexts[DEVICES], current;
    aclrtStream streams[DEVICES];
    uint32_t count;
    int32_t device;
    pthread_t thread;
    cr_assert_eq(aclrtGetDeviceCount(&count), ACL_SUCCESS);
    cr_assert_eq(count, DEVICES);
    expect_refused(aclrtSetDevice(DEVICES), ACL_ERROR_RT_INVALID_DEVICEID, "from 0 to 3");
    for (int32_t i = 0; i < DEVICES; i++) {
        work_on(i);
        cr_assert_eq(aclrtGetCurrentContext(&contexts[i]), ACL_SUCCESS);
        cr_assert_eq(aclrtCtxGetCurrentDefaultStream(&streams[i]), ACL_SUCCESS);
        for (int32_t k = 0; k < i; k++)
            cr_expect(contexts[k] != contexts[i] && streams[k] != streams[i]);
    }
    cr_assert_eq(pthread_create(&thread, NULL, another_thread, NULL), 0);
    pthread_join(thread, NULL);
    work_on(1);
    cr_assert_eq(aclrtGetCurrentContext(&current), ACL_SUCCESS);
    cr_expect_eq(current, contexts[1]);
    cr_assert_eq(aclrtSetCurrentContext(contexts[2]), ACL_SUCCESS);
    cr_assert_eq(aclrtGetDevice(&device), ACL_SUCCESS);
    cr_expect_eq(device, 2);
    aclrtContext own;
    cr_assert_eq(aclrtCreateContext(&own, 3), ACL_SUCCESS);
    cr_assert_eq(aclrtGetDevice(&device), ACL_SUCCESS);
    cr_expect_eq(device, 3);
    cr_expect_eq(aclrtDestroyContext(own), ACL_SUCCESS);
}

Test(devices, each_has_its_memory)
{
    void *blocks[DEVICES], *memory;
    for (int32_t i = 0; i < DEVICES; i++) {
        work_on(i);
        cr_expect_eq(free_bytes(), 64 * MIB);
        blocks[i] = take(40 * MIB);
        cr_expect_eq(free_bytes(), 24 * MIB);
        expect_refused(aclrtMalloc(&memory, 40 * MIB, ACL_MEM_MALLOC_HUGE_FIRST),
                       ACL_ERROR_RT_MEMORY_ALLOCATION, "67108864 bytes 41943040 are used");
    }
    work_on(0);
    for (int32_t i = 0; i < DEVICES; i++) {
        aclrtPtrAttributes attributes;
        cr_assert_eq(aclrtPointerGetAttributes((char *)blocks[i] + 99, &attributes), ACL_SUCCESS);
        cr_expect_eq(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
        cr_expect_eq(attributes.location.id, (uint32_t)i);
    }
    cr_expect_eq(aclrtFree(blocks[2]), ACL_SUCCESS, "of another device than the current");
    cr_expect_eq(free_bytes(), 24 * MIB);
    aclrtMemUsageInfo usage;
    size_t told;
    cr_assert_eq(aclrtGetMemUsageInfo(2, &usage, 1, &told), ACL_SUCCESS);
    cr_expect_eq(usage.curMemSize, 0);
    cr_expect_eq(usage.memPeakSize, 40 * MIB);
    cr_assert_eq(aclrtGetMemUsageInfo(1, &usage, 1, &told), ACL_SUCCESS);
    cr_expect_eq(usage.curMemSize, 40 * MIB);
}

Test(devices, a_piece_counts_on_its_device)
{
    aclrtDrvMemHandle handle;
    aclrtPtrAttributes attributes;
    void *address;
    const aclrtPhysicalMemProp prop = {
        .handleType = ACL_MEM_HANDLE_TYPE_NONE,
        .allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED,
        .memAttr = ACL_HBM_MEM_HUGE,
        .location = {.type = ACL_MEM_LOCATION_TYPE_DEVICE, .id = 3},
    };
    work_on(1);
    cr_assert_eq(aclrtMallocPhysical(&handle, 16 * MIB, &prop, 0), ACL_SUCCESS);
    cr_assert_eq(aclrtReserveMemAddress(&address, 16 * MIB, 0, NULL, 0), ACL_SUCCESS);
    cr_assert_eq(aclrtMapMem(address, 16 * MIB, 0, handle, 0), ACL_SUCCESS);
    cr_assert_eq(aclrtPointerGetAttributes(address, &attributes), ACL_SUCCESS);
    cr_expect_eq(attributes.location.id, 3);
    cr_expect_eq(free_bytes(), 64 * MIB);
    work_on(3);
    cr_expect_eq(free_bytes(), 48 * MIB);
    cr_expect_eq(aclrtUnmapMem(address), ACL_SUCCESS);
    cr_expect_eq(aclrtFreePhysical(handle), ACL_SUCCESS);
    cr_expect_eq(aclrtReleaseMemAddress(address), ACL_SUCCESS);
    cr_expect_eq(free_bytes(), 64 * MIB);
}

Test(devices, peers_copy)
{
    int32_t can = 0;
    work_on(0);
    char *here = take(MIB);
    cr_assert_eq(aclrtMemset(here, MIB, 7, MIB / 2), ACL_SUCCESS);
    work_on(1);
    char *there = take(MIB);
    cr_assert_eq(aclrtDeviceCanAccessPeer(&can, 1, 0), ACL_SUCCESS);
    cr_expect_eq(can, 1);
    expect_refused(aclrtDeviceCanAccessPeer(&can, 1, 1), ACL_ERROR_INVALID_PARAM, "itself");
    expect_refused(aclrtDeviceEnablePeerAccess(4, 0), ACL_ERROR_RT_INVALID_DEVICEID, "0 to 3");
    cr_expect_eq(aclrtDeviceEnablePeerAccess(0, 0), ACL_SUCCESS);
    cr_assert_eq(aclrtMemcpy(there, MIB, here, MIB / 2, ACL_MEMCPY_DEVICE_TO_DEVICE), ACL_SUCCESS);
    cr_expect(there[0] == 7 && there[MIB / 2 - 1] == 7);
    aclrtStream stream;
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    cr_assert_eq(aclrtMemcpyAsync(there + MIB / 2, MIB / 4, here, MIB / 4,
                                  ACL_MEMCPY_DEVICE_TO_DEVICE, stream),
                 ACL_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    cr_expect(there[MIB / 2] == 7 && there[3 * MIB / 4 - 1] == 7);
    cr_expect_eq(aclrtDeviceDisablePeerAccess(0), ACL_SUCCESS);
}

static struct gate gate;

/* A device that stands at a gate is not waited for by another's synchronise or reset. */
Test(devices, one_is_waited_for_and_reset)
{
    aclrtEventRecordedStatus recorded;
    aclrtEvent passed;
    work_on(1);
    aclrtStream stream = gate_close_stream(&gate);
    cr_assert_eq(aclrtCreateEvent(&passed), ACL_SUCCESS);
    cr_assert_eq(aclrtRecordEvent(passed, stream), ACL_SUCCESS);
    work_on(0);
    char *memory = take(MIB);
    cr_assert_eq(aclrtMemsetAsync(memory, MIB, 1, MIB, NULL), ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeDevice(), ACL_SUCCESS);
    cr_expect_eq(memory[MIB - 1], 1);
    cr_expect_eq(aclrtResetDevice(0), ACL_SUCCESS);
    int32_t active;
    cr_assert_eq(aclrtGetPrimaryCtxState(0, NULL, &active), ACL_SUCCESS);
    cr_expect_eq(active, 0);
    cr_assert_eq(aclrtGetPrimaryCtxState(1, NULL, &active), ACL_SUCCESS);
    cr_expect_eq(active, 1);
    work_on(1);
    cr_assert_eq(aclrtQueryEventStatus(passed, &recorded), ACL_SUCCESS);
    cr_expect_eq(recorded, ACL_EVENT_RECORDED_STATUS_NOT_READY);
    cr_expect_eq(aclrtSynchronizeDeviceWithTimeout(1), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    gate_open(&gate);
    cr_expect_eq(aclrtSynchronizeDevice(), ACL_SUCCESS);
}

Test(devices, an_event_orders_two)
{
    aclrtEvent filled;
    work_on(0);
    char *from = take(MIB);
    aclrtStream first = gate_close_stream(&gate);
    cr_assert_eq(aclrtCreateEvent(&filled), ACL_SUCCESS);
    cr_assert_eq(aclrtMemset(from, MIB, 0, MIB), ACL_SUCCESS);
    cr_assert_eq(aclrtMemsetAsync(from, MIB, 5, MIB, first), ACL_SUCCESS);
    cr_assert_eq(aclrtRecordEvent(filled, first), ACL_SUCCESS);
    work_on(2);
    char *to = take(MIB);
    aclrtStream second;
    cr_assert_eq(aclrtCreateStream(&second), ACL_SUCCESS);
    expect_refused(aclrtMemsetAsync(from, MIB, 5, MIB, first), ACL_ERROR_RT_STREAM_CONTEXT,
                   "another context");
    expect_refused(aclrtRecordEvent(filled, second), ACL_ERROR_RT_STREAM_CONTEXT,
                   "another context");
    cr_assert_eq(aclrtStreamWaitEvent(second, filled), ACL_SUCCESS);
    cr_assert_eq(aclrtMemcpyAsync(to, MIB, from, MIB, ACL_MEMCPY_DEVICE_TO_DEVICE, second),
                 ACL_SUCCESS);
    gate_open(&gate);
    cr_assert_eq(aclrtSynchronizeStream(second), ACL_SUCCESS);
    cr_expect(to[0] == 5 && to[MIB - 1] == 5);
}
