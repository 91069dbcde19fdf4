/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl.h"
#include "runtime/memory/blocks.h"
#include "runtime/memory/memory.h"
#include "runtime/schedule/stream.h"
#include "runtime/support/alloc.h"
#include "runtime/support/block_tree.h"
#include "tests/support/random.h"
#include "tests/unit/device_memory.h"
#include "tests/unit/gate.h"
#include "tests/unit/refusal.h"

static void start(void)
{
    setenv("ACLNN_CPU_DEVICE_MEMORY", "64M", 1);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
}

TestSuite(virtual_memory, .init = start, .timeout = 600);

/* ---- What it is for ---- */

/* A piece has whole pages, whatever was asked for; it can be mapped by either size. */
Test(virtual_memory, an_odd_size_is_mapped_rounded_up)
{
    char *range = reserve(4 * PAGE);
    aclrtDrvMemHandle handle = piece_of(PAGE + 1);
    cr_expect_eq(free_bytes(), 64 * MIB - 2 * PAGE);
    map(range, PAGE + 1, handle);
    range[2 * PAGE - 1] = 1;
    cr_expect(rt_memory_is_known(range, 2 * PAGE));
    unmap(range);
    map(range + 2 * PAGE, 2 * PAGE, handle);
    cr_expect_eq(range[4 * PAGE - 1], 1);
    unmap(range + 2 * PAGE);
    expect_refused(aclrtMapMem(range, PAGE, 0, handle, 0), ACL_ERROR_RT_PARAM_INVALID,
                   "it must be the handle's");
    free_piece(handle);
    release(range);
    cr_expect_eq(free_bytes(), 64 * MIB);
}

/* A pool that grows, as ggml's does: pieces of different sizes side by side are one block. */
Test(virtual_memory, pieces_lie_side_by_side)
{
    char *range = reserve((size_t)32 << 30);
    cr_expect_eq((uintptr_t)range % ((size_t)1 << 30), 0);
    aclrtDrvMemHandle handles[3];
    size_t end = 0;
    for (size_t i = 0; i < 3; i++) {
        handles[i] = piece_of((i + 1) * PAGE);
        map(range + end, (i + 1) * PAGE, handles[i]);
        end += (i + 1) * PAGE;
        cr_expect_eq(free_bytes(), 64 * MIB - end);
    }
    for (size_t i = 0; i < end; i += 511)
        cr_assert_eq(range[i], 0);
    cr_expect(rt_memory_is_known(range, end));
    cr_expect(rt_memory_is_known(range + PAGE - 1, 2 * PAGE + 2), "across pieces");
    cr_expect_not(rt_memory_is_known(range, end + 1));
    cr_expect_not(rt_memory_is_known(range + end, 1));

    aclrtStream stream;
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    cr_assert_eq(aclrtMemsetAsync(range, end, 5, end, stream), ACL_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    for (size_t i = 0; i < end; i++)
        cr_assert_eq(range[i], 5);

    end = 0;
    for (size_t i = 0; i < 3; i++) {
        unmap(range + end);
        end += (i + 1) * PAGE;
    }
    cr_expect_eq(free_bytes(), 64 * MIB - end, "unmapped pieces are still there");
    for (size_t i = 0; i < 3; i++)
        free_piece(handles[i]);
    cr_expect_eq(free_bytes(), 64 * MIB);
    release(range);
    cr_assert_eq(aclrtDestroyStream(stream), ACL_SUCCESS);
    cr_expect_null(aclGetRecentErrMsg());
}

Test(virtual_memory, contents_stay_with_the_piece)
{
    char *range = reserve(8 * PAGE);
    aclrtDrvMemHandle first = piece_of(PAGE);
    aclrtDrvMemHandle second = piece_of(PAGE);
    map(range, PAGE, first);
    map(range + PAGE, PAGE, second);
    memset(range, 1, PAGE);
    memset(range + PAGE, 2, PAGE);
    unmap(range);
    unmap(range + PAGE);
    map(range + PAGE, PAGE, first);
    map(range, PAGE, second);
    map(range + 5 * PAGE, PAGE, first); /* in two places */
    volatile char *bytes = range;       /* no compiler expects one byte at two addresses */
    cr_expect_eq(bytes[0], 2);
    cr_expect_eq(bytes[PAGE - 1], 2);
    cr_expect_eq(bytes[PAGE], 1);
    bytes[PAGE] = 7;
    cr_expect_eq(bytes[5 * PAGE], 7);
    cr_expect_eq(free_bytes(), 64 * MIB - 2 * PAGE, "a place costs nothing");
    unmap(range);
    unmap(range + PAGE);
    cr_expect_eq(bytes[5 * PAGE], 7);
    unmap(range + 5 * PAGE);
    free_piece(first);
    free_piece(second);
    release(range);
}

/* TNPU's segments free a handle as soon as it is mapped. */
Test(virtual_memory, a_freed_piece_stays_while_it_is_mapped)
{
    char *range = reserve(2 * PAGE);
    aclrtDrvMemHandle handle = piece_of(PAGE);
    map(range, PAGE, handle);
    free_piece(handle);
    memset(range, 3, PAGE);
    cr_expect_eq(free_bytes(), 64 * MIB - PAGE);
    expect_refused(aclrtFreePhysical(handle), ACL_ERROR_RT_INVALID_HANDLE, "was freed before");
    expect_refused(aclrtMapMem(range + PAGE, PAGE, 0, handle, 0), ACL_ERROR_RT_INVALID_HANDLE,
                   "was freed before");
    cr_expect_eq(range[PAGE - 1], 3);
    unmap(range);
    cr_expect_eq(free_bytes(), 64 * MIB);
    expect_refused(aclrtFreePhysical(handle), ACL_ERROR_RT_INVALID_HANDLE, "is not memory");
    release(range);
}

Test(virtual_memory, host_pieces_do_not_count)
{
    aclrtPhysicalMemProp prop = prop_of(ACL_DDR_MEM_NORMAL);
    prop.location.type = ACL_MEM_LOCATION_TYPE_HOST;
    aclrtDrvMemHandle handle;
    cr_assert_eq(aclrtMallocPhysical(&handle, 4096, &prop, 0), ACL_SUCCESS);
    cr_expect_eq(free_bytes(), 64 * MIB);
    char *range = reserve(PAGE);
    map(range + 8192, 4096, handle);
    aclrtPtrAttributes attributes;
    cr_assert_eq(aclrtPointerGetAttributes(range + 8192, &attributes), ACL_SUCCESS);
    cr_expect_eq(attributes.location.type, ACL_MEM_LOCATION_TYPE_HOST);
    cr_expect_eq(attributes.pageSize, 4096);
    unmap(range + 8192);
    free_piece(handle);
    release(range);
}

Test(virtual_memory, many_pieces)
{
    enum { COUNT = 3000 }; /* more than a process may have files open */
    static aclrtDrvMemHandle handles[COUNT];
    aclrtPhysicalMemProp prop = prop_of(ACL_MEM_NORMAL);
    char *range = reserve(COUNT * (size_t)4096);
    for (size_t i = 0; i < COUNT; i++) {
        cr_assert_eq(aclrtMallocPhysical(&handles[i], 4096, &prop, 0), ACL_SUCCESS);
        map(range + i * 4096, 4096, handles[i]);
        range[i * 4096] = (char)i;
    }
    cr_expect(rt_memory_is_known(range, COUNT * (size_t)4096));
    for (size_t i = 0; i < COUNT; i++) {
        cr_assert_eq(range[i * 4096], (char)i);
        unmap(range + i * 4096);
        free_piece(handles[i]);
    }
    cr_expect_eq(free_bytes(), 64 * MIB);
    release(range);
}

Test(virtual_memory, granularity_of_each_kind)
{
    static const struct {
        aclrtMemAttr attribute;
        aclrtMemLocationType type;
        size_t minimum;
        size_t recommended;
    } rows[] = {
        {ACL_HBM_MEM_HUGE, ACL_MEM_LOCATION_TYPE_DEVICE, PAGE, PAGE},
        {ACL_HBM_MEM_NORMAL, ACL_MEM_LOCATION_TYPE_DEVICE, 4096, PAGE},
        {ACL_HBM_MEM_HUGE1G, ACL_MEM_LOCATION_TYPE_DEVICE, 512 * PAGE, 512 * PAGE},
        {ACL_MEM_P2P_HUGE, ACL_MEM_LOCATION_TYPE_DEVICE, PAGE, PAGE},
        {ACL_DDR_MEM_HUGE, ACL_MEM_LOCATION_TYPE_HOST, PAGE, PAGE},
        {ACL_DDR_MEM_P2P_NORMAL, ACL_MEM_LOCATION_TYPE_HOST, 4096, PAGE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        aclrtPhysicalMemProp prop = prop_of(rows[i].attribute);
        prop.location.type = rows[i].type;
        size_t minimum = 0, recommended = 0;
        cr_expect_eq(
            aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &minimum),
            ACL_SUCCESS);
        cr_expect_eq(aclrtMemGetAllocationGranularity(
                         &prop, ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED, &recommended),
                     ACL_SUCCESS);
        cr_expect_eq(minimum, rows[i].minimum);
        cr_expect_eq(recommended, rows[i].recommended);
    }
}

/* ggml asks before it has set the device. */
Test(no_context, granularity_needs_none)
{
    aclrtPhysicalMemProp prop = prop_of(ACL_HBM_MEM_HUGE);
    size_t granularity;
    cr_expect_eq(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED,
                                                  &granularity),
                 ACL_SUCCESS);
}

Test(virtual_memory, reserves_where_it_is_told)
{
    char *range = reserve(4 * PAGE);
    void *again;
    expect_refused(aclrtReserveMemAddress(&again, PAGE, 0, range + PAGE, 0),
                   ACL_ERROR_RT_PARAM_INVALID, "in use");
    release(range);
    cr_assert_eq(aclrtReserveMemAddress(&again, PAGE, 0, range + PAGE, 0), ACL_SUCCESS);
    cr_expect_eq(again, range + PAGE);
    release(again);
}

/* ---- Refusals ---- */

Test(virtual_memory, refuses_wrong_properties)
{
    size_t granularity = 1;
    aclrtDrvMemHandle handle = (void *)1;
    aclrtPhysicalMemProp prop = prop_of(ACL_HBM_MEM_HUGE);
    const aclrtMemGranularityOptions least = ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM;
    expect_refused(aclrtMemGetAllocationGranularity(NULL, least, &granularity),
                   ACL_ERROR_INVALID_PARAM, "prop is NULL");
    expect_refused(aclrtMemGetAllocationGranularity(&prop, least, NULL), ACL_ERROR_INVALID_PARAM,
                   "granularity is NULL");
    expect_refused(
        aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF, &granularity),
        ACL_ERROR_RT_PARAM_INVALID, "option is 65535");

    static const struct {
        aclrtMemAttr attribute;
        int type;
        uint32_t id;
        int code;
        const char *text;
    } rows[] = {
        {ACL_HBM_MEM_HUGE, ACL_MEM_LOCATION_TYPE_DEVICE, 99, 107001, "prop->location.id is 99"},
        {ACL_HBM_MEM_HUGE, ACL_MEM_LOCATION_TYPE_DEVICE, UINT32_MAX, 107001, "prop->location.id"},
        {ACL_HBM_MEM_HUGE, ACL_MEM_LOCATION_TYPE_HOST_NUMA, 0, 207000, "HOST_NUMA"},
        {ACL_HBM_MEM_HUGE, ACL_MEM_LOCATION_TYPE_MANAGED, 0, 100000, "prop->location.type is 3"},
        {ACL_HBM_MEM_HUGE, ACL_MEM_LOCATION_TYPE_UNREGISTERED, 0, 100000, "location.type is 2"},
        {ACL_HBM_MEM_HUGE, -1, 0, 100000, "prop->location.type is -1"},
        {ACL_DDR_MEM_HUGE, ACL_MEM_LOCATION_TYPE_DEVICE, 0, 100000, "device memory of this kind"},
        {ACL_MEM_HUGE1G, ACL_MEM_LOCATION_TYPE_HOST, 0, 100000, "host memory of this kind"},
        {ACL_DDR_MEM, ACL_MEM_LOCATION_TYPE_HOST, 0, 100000, "prop->memAttr is 0"},
        {(aclrtMemAttr)77, ACL_MEM_LOCATION_TYPE_DEVICE, 0, 100000, "prop->memAttr is 77"},
        {(aclrtMemAttr)-1, ACL_MEM_LOCATION_TYPE_DEVICE, 0, 100000, "prop->memAttr is -1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        aclrtPhysicalMemProp wrong = prop_of(rows[i].attribute);
        wrong.location =
            (aclrtMemLocation){.type = (aclrtMemLocationType)rows[i].type, .id = rows[i].id};
        expect_refused(aclrtMemGetAllocationGranularity(&wrong, least, &granularity), rows[i].code,
                       rows[i].text);
        expect_refused(aclrtMallocPhysical(&handle, PAGE, &wrong, 0), rows[i].code, rows[i].text);
    }
    cr_expect_eq(granularity, 1);

    expect_refused(aclrtMallocPhysical(NULL, PAGE, &prop, 0), ACL_ERROR_INVALID_PARAM, "handle");
    expect_refused(aclrtMallocPhysical(&handle, PAGE, NULL, 0), ACL_ERROR_INVALID_PARAM, "prop");
    expect_refused(aclrtMallocPhysical(&handle, 0, &prop, 0), ACL_ERROR_INVALID_PARAM, "size is 0");
    expect_refused(aclrtMallocPhysical(&handle, PAGE, &prop, 1), ACL_ERROR_INVALID_PARAM, "flags");
    prop.handleType = ACL_MEM_HANDLE_TYPE_POSIX;
    expect_refused(aclrtMallocPhysical(&handle, PAGE, &prop, 0), ACL_ERROR_INVALID_PARAM,
                   "prop->handleType is 2");
    prop.handleType = ACL_MEM_HANDLE_TYPE_NONE;
    prop.allocationType = (aclrtMemAllocationType)1;
    expect_refused(aclrtMallocPhysical(&handle, PAGE, &prop, 0), ACL_ERROR_INVALID_PARAM,
                   "prop->allocationType is 1");
    cr_expect_eq(handle, (void *)1, "written on failure");
    cr_expect_eq(free_bytes(), 64 * MIB);
}

Test(virtual_memory, refuses_wrong_ranges)
{
    void *range = (void *)1;
    expect_refused(aclrtReserveMemAddress(NULL, PAGE, 0, NULL, 0), ACL_ERROR_INVALID_PARAM,
                   "virPtr is NULL");
    expect_refused(aclrtReserveMemAddress(&range, 0, 0, NULL, 0), ACL_ERROR_INVALID_PARAM, "size");
    expect_refused(aclrtReserveMemAddress(&range, PAGE, 0, NULL, 2), ACL_ERROR_INVALID_PARAM,
                   "flags is 2");
    expect_refused(aclrtReserveMemAddress(&range, PAGE, 64, NULL, 0), ACL_ERROR_RT_PARAM_INVALID,
                   "alignment is 64");
    expect_refused(aclrtReserveMemAddress(&range, PAGE, 0, (void *)4096, 0),
                   ACL_ERROR_RT_PARAM_INVALID, "expectPtr is 0x1000");
    expect_refused(aclrtReserveMemAddress(&range, SIZE_MAX, 0, NULL, 0),
                   ACL_ERROR_RT_MEMORY_ALLOCATION, "addresses");
    expect_refused(aclrtReserveMemAddress(&range, (size_t)1 << 60, 0, NULL, 0),
                   ACL_ERROR_RT_MEMORY_ALLOCATION, "addresses");
    cr_expect_eq(range, (void *)1, "written on failure");

    expect_refused(aclrtReleaseMemAddress(NULL), ACL_ERROR_INVALID_PARAM, "virPtr is NULL");
    expect_refused(aclrtReleaseMemAddress(&range), ACL_ERROR_RT_PARAM_INVALID, "not the beginning");
    char *reserved = reserve(4 * PAGE);
    expect_refused(aclrtReleaseMemAddress(reserved + PAGE), ACL_ERROR_RT_PARAM_INVALID,
                   "not the beginning");
    aclrtDrvMemHandle handle = piece_of(PAGE);
    map(reserved + PAGE, PAGE, handle);
    expect_refused(aclrtReleaseMemAddress(reserved), ACL_ERROR_RT_PARAM_INVALID,
                   "aclrtUnmapMem comes first");
    unmap(reserved + PAGE);
    release(reserved);
    expect_refused(aclrtReleaseMemAddress(reserved), ACL_ERROR_RT_PARAM_INVALID, "released before");
    free_piece(handle);
}

Test(virtual_memory, refuses_wrong_mappings)
{
    char *range = reserve(8 * PAGE);
    aclrtDrvMemHandle handle = piece_of(2 * PAGE);
    aclrtDrvMemHandle other = piece_of(PAGE);
    const aclError invalid = ACL_ERROR_RT_PARAM_INVALID;
    expect_refused(aclrtMapMem(NULL, 2 * PAGE, 0, handle, 0), ACL_ERROR_INVALID_PARAM, "virPtr");
    expect_refused(aclrtMapMem(range, 2 * PAGE, 0, NULL, 0), ACL_ERROR_INVALID_PARAM, "handle");
    expect_refused(aclrtMapMem(range, 0, 0, handle, 0), ACL_ERROR_INVALID_PARAM, "size is 0");
    expect_refused(aclrtMapMem(range, 2 * PAGE, 0, handle, 1), ACL_ERROR_INVALID_PARAM, "flags");
    expect_refused(aclrtMapMem(range, 2 * PAGE, PAGE, handle, 0), invalid, "offset");
    expect_refused(aclrtMapMem(range, PAGE, 0, handle, 0), invalid, "it must be the handle's");
    expect_refused(aclrtMapMem(range + 4096, 2 * PAGE, 0, handle, 0), invalid, "a multiple of");
    expect_refused(aclrtMapMem(range, 2 * PAGE, 0, range, 0), ACL_ERROR_RT_INVALID_HANDLE,
                   "is not memory of aclrtMallocPhysical");
    expect_refused(aclrtMapMem(range, 2 * PAGE, 0, (char *)handle + 4096, 0),
                   ACL_ERROR_RT_INVALID_HANDLE, "is not memory");
    expect_refused(aclrtMapMem(range + 7 * PAGE, 2 * PAGE, 0, handle, 0), invalid, "not inside");
    expect_refused(aclrtMapMem(range + 8 * PAGE, 2 * PAGE, 0, handle, 0), invalid, "not inside");
    expect_refused(aclrtMapMem((void *)PAGE, 2 * PAGE, 0, handle, 0), invalid, "not inside");

    map(range + 2 * PAGE, 2 * PAGE, handle);
    expect_refused(aclrtMapMem(range + 2 * PAGE, 2 * PAGE, 0, handle, 0), invalid, "already");
    expect_refused(aclrtMapMem(range + 2 * PAGE, PAGE, 0, other, 0), invalid, "already");
    expect_refused(aclrtMapMem(range + 3 * PAGE, PAGE, 0, other, 0), invalid, "already");
    expect_refused(aclrtMapMem(range + PAGE, 2 * PAGE, 0, handle, 0), invalid, "already");
    map(range + PAGE, PAGE, other);
    map(range + 4 * PAGE, PAGE, other);

    expect_refused(aclrtUnmapMem(NULL), ACL_ERROR_INVALID_PARAM, "virPtr is NULL");
    expect_refused(aclrtUnmapMem(range), invalid, "not the beginning of mapped memory");
    expect_refused(aclrtUnmapMem(range + 3 * PAGE), invalid, "not the beginning");
    unmap(range + 2 * PAGE);
    expect_refused(aclrtUnmapMem(range + 2 * PAGE), invalid, "not the beginning");
    unmap(range + PAGE);
    unmap(range + 4 * PAGE);

    expect_refused(aclrtFreePhysical(NULL), ACL_ERROR_INVALID_PARAM, "handle is NULL");
    expect_refused(aclrtFreePhysical(range), ACL_ERROR_RT_INVALID_HANDLE, "is not memory");
    free_piece(handle);
    free_piece(other);
    expect_refused(aclrtFreePhysical(handle), ACL_ERROR_RT_INVALID_HANDLE, "freed before");
    release(range);
}

Test(virtual_memory, exhaustion_says_how_much)
{
    aclrtPhysicalMemProp prop = prop_of(ACL_HBM_MEM_HUGE);
    aclrtDrvMemHandle handle;
    aclrtDrvMemHandle first = piece_of(40 * MIB);
    expect_refused(aclrtMallocPhysical(&handle, 30 * MIB, &prop, 0), ACL_ERROR_RT_MEMORY_ALLOCATION,
                   "31457280 bytes were asked for; of the device's 67108864 bytes 41943040 are "
                   "used and 25165824 are free");
    expect_refused(aclrtMallocPhysical(&handle, SIZE_MAX, &prop, 0), ACL_ERROR_RT_MEMORY_ALLOCATION,
                   "were asked for");
    void *memory;
    expect_refused(aclrtMalloc(&memory, 30 * MIB, ACL_MEM_MALLOC_HUGE_FIRST),
                   ACL_ERROR_RT_MEMORY_ALLOCATION, "41943040 are used");
    free_piece(first);
    cr_expect_eq(free_bytes(), 64 * MIB);
    prop = prop_of(ACL_DDR_MEM_HUGE);
    prop.location.type = ACL_MEM_LOCATION_TYPE_HOST;
    expect_refused(aclrtMallocPhysical(&handle, (size_t)1 << 60, &prop, 0),
                   ACL_ERROR_RT_MEMORY_ALLOCATION, "the system has no memory left");
}

Test(virtual_memory, every_failing_allocation_is_refused_cleanly)
{
    aclrtPhysicalMemProp prop = prop_of(ACL_HBM_MEM_HUGE);
    char *range = reserve(PAGE);
    aclrtDrvMemHandle handle = piece_of(PAGE);
    void *other;
    rt_alloc_fail_at(1);
    expect_refused(aclrtReserveMemAddress(&other, PAGE, 0, NULL, 0), ACL_ERROR_RT_MEMORY_ALLOCATION,
                   "left");
    rt_alloc_fail_at(1);
    expect_refused(aclrtMallocPhysical(&other, PAGE, &prop, 0), ACL_ERROR_RT_MEMORY_ALLOCATION,
                   "no memory left");
    rt_alloc_fail_at(1);
    expect_refused(aclrtMapMem(range, PAGE, 0, handle, 0), ACL_ERROR_RT_MEMORY_ALLOCATION, "map");
    rt_alloc_fail_at(0);
    cr_expect_eq(free_bytes(), 64 * MIB - PAGE);
    map(range, PAGE, handle);
    rt_alloc_fail_at(1);
    unmap(range); /* needs none */
    rt_alloc_fail_at(0);
    free_piece(handle);
    release(range);
}

/* ---- In flight ---- */

static struct gate gate;

static void copy(void *to, const void *from, size_t size, aclrtStream stream)
{
    cr_assert_eq(aclrtMemcpyAsync(to, size, from, size, ACL_MEMCPY_DEVICE_TO_DEVICE, stream),
                 ACL_SUCCESS);
}

/* Everything is given up while work that uses it is queued. */
Test(virtual_memory, unmapped_memory_lives_until_queued_work_has_run)
{
    void *result;
    cr_assert_eq(aclrtMalloc(&result, PAGE, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    size_t before = free_bytes();
    char *range = reserve(2 * PAGE);
    aclrtDrvMemHandle handle = piece_of(PAGE);
    map(range, PAGE, handle);
    memset(range, 6, PAGE);
    aclrtStream stream = gate_close_stream(&gate);
    copy(result, range, PAGE, stream);
    unmap(range);
    cr_expect_not(rt_memory_is_known(range, 1));
    expect_refused(aclrtUnmapMem(range), ACL_ERROR_RT_PARAM_INVALID, "was unmapped before");
    free_piece(handle);
    expect_refused(aclrtFreePhysical(handle), ACL_ERROR_RT_INVALID_HANDLE, "was freed before");
    release(range);
    expect_refused(aclrtReleaseMemAddress(range), ACL_ERROR_RT_PARAM_INVALID, "released before");
    expect_refused(aclrtMapMem(range, PAGE, 0, piece_of(PAGE), 0), ACL_ERROR_RT_PARAM_INVALID,
                   "not inside");
    cr_expect_eq(free_bytes(), before - 2 * PAGE, "counted as free while queued work uses it");
    cr_expect_eq(rt_blocks_usage(0).given, PAGE);
    gate_open(&gate);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    for (size_t i = 0; i < PAGE; i++)
        cr_assert_eq(((char *)result)[i], 6);
    cr_expect_eq(free_bytes(), before - PAGE);
    cr_expect_eq(rt_blocks_usage(0).given, 0);
    cr_assert_eq(aclrtFree(result), ACL_SUCCESS);
}

/* A device would map at once. Work that is behind the gate finds the new memory. */
Test(virtual_memory, mapping_where_queued_work_still_is_does_not_wait_for_ever)
{
    char *range = reserve(2 * PAGE);
    aclrtDrvMemHandle first = piece_of(PAGE);
    aclrtDrvMemHandle second = piece_of(PAGE);
    map(range, PAGE, first);
    memset(range, 1, PAGE);
    aclrtStream stream = gate_close_stream(&gate);
    unmap(range);
    map(range, PAGE, second);
    cr_expect_eq(range[0], 0);
    range[0] = 9;
    gate_open(&gate);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    cr_expect_eq(range[0], 9, "what was unmapped before took the new memory with it");
    unmap(range);
    map(range, PAGE, first);
    cr_expect_eq(range[0], 1);
    unmap(range);
    free_piece(first);
    free_piece(second);
    release(range);
    cr_expect_eq(free_bytes(), 64 * MIB);
}

Test(virtual_memory, freed_pieces_in_use_do_not_stand_in_the_way)
{
    char *range = reserve(64 * PAGE);
    aclrtDrvMemHandle handle = piece_of(40 * MIB);
    map(range, 40 * MIB, handle);
    aclrtStream stream = gate_close_stream(&gate);
    free_piece(handle);
    aclrtPhysicalMemProp prop = prop_of(ACL_HBM_MEM_HUGE);
    expect_refused(aclrtMallocPhysical(&handle, 40 * MIB, &prop, 0), ACL_ERROR_RT_MEMORY_ALLOCATION,
                   "41943040 are used and 25165824 are free"); /* still mapped */
    unmap(range);
    handle = piece_of(40 * MIB);
    gate_open(&gate);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    cr_expect_eq(free_bytes(), 24 * MIB);
    free_piece(handle);
    release(range);
}

Test(virtual_memory, finalize_ends_what_is_in_flight)
{
    char *range = reserve(2 * PAGE);
    aclrtDrvMemHandle handle = piece_of(PAGE);
    map(range, PAGE, handle);
    gate_close_stream(&gate);
    unmap(range);
    free_piece(handle);
    aclrtDrvMemHandle held = piece_of(PAGE);
    map(range + PAGE, PAGE, held);
    range[PAGE] = 4;
    gate_open(&gate);
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
    cr_expect_eq(rt_blocks_usage(0).used, PAGE);
    cr_expect_eq(range[PAGE], 4, "what the program holds stays");
    unmap(range + PAGE);
    free_piece(held);
    release(range);
    cr_expect_eq(rt_blocks_usage(0).used, 0);
}
