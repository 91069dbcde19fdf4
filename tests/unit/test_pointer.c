/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of an address, and what registering host memory changes. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "acl/acl.h"
#include "runtime/memory/memory.h"
#include "runtime/schedule/stream.h"
#include "runtime/support/alloc.h"
#include "tests/unit/gate.h"
#include "tests/unit/refusal.h"

enum { PAGE = 4096, PAGES = 16 };

static char *pages; /* pageable host memory */

static void start(void)
{
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    pages = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(pages, MAP_FAILED);
}

static void end(void)
{
    munmap(pages, PAGES * PAGE);
}

TestSuite(pointer, .init = start, .fini = end, .timeout = 600);

static void expect_location(const void *address, aclrtMemLocationType type, uint32_t page)
{
    aclrtPtrAttributes attributes;
    memset(&attributes, 0xA5, sizeof attributes);
    cr_assert_eq(aclrtPointerGetAttributes(address, &attributes), ACL_SUCCESS);
    cr_expect_eq(attributes.location.type, type, "%d, expected %d", attributes.location.type, type);
    cr_expect_eq(attributes.location.id, 0);
    cr_expect_eq(attributes.pageSize, page);
    for (int i = 0; i < 4; i++)
        cr_expect_eq(attributes.rsv[i], 0);
}

Test(pointer, attributes_of_every_kind)
{
    const size_t large = (size_t)5 << 20;
    void *device, *small, *normal, *host;
    cr_assert_eq(aclrtMalloc(&device, large, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    cr_assert_eq(aclrtMalloc(&small, 100, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    cr_assert_eq(aclrtMalloc(&normal, large, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_SUCCESS);
    cr_assert_eq(aclrtMallocHost(&host, 100), ACL_SUCCESS);
    expect_location(device, ACL_MEM_LOCATION_TYPE_DEVICE, 2 << 20);
    expect_location((char *)device + large - 1, ACL_MEM_LOCATION_TYPE_DEVICE, 2 << 20);
    expect_location(small, ACL_MEM_LOCATION_TYPE_DEVICE, PAGE);
    expect_location(normal, ACL_MEM_LOCATION_TYPE_DEVICE, PAGE);
    expect_location(host, ACL_MEM_LOCATION_TYPE_HOST, PAGE);
    expect_location(pages, ACL_MEM_LOCATION_TYPE_UNREGISTERED, 0);
    expect_location(&device, ACL_MEM_LOCATION_TYPE_UNREGISTERED, 0);
    expect_location((void *)1, ACL_MEM_LOCATION_TYPE_UNREGISTERED, 0);

    void *same;
    cr_assert_eq(aclrtHostRegister(pages, PAGE, ACL_HOST_REGISTER_MAPPED, &same), ACL_SUCCESS);
    cr_expect_eq(same, pages);
    expect_location(pages, ACL_MEM_LOCATION_TYPE_HOST, PAGE);
    expect_location(pages + PAGE - 1, ACL_MEM_LOCATION_TYPE_HOST, PAGE);
    expect_location(pages + PAGE, ACL_MEM_LOCATION_TYPE_UNREGISTERED, 0);
    cr_assert_eq(aclrtHostUnregister(pages), ACL_SUCCESS);
    expect_location(pages, ACL_MEM_LOCATION_TYPE_UNREGISTERED, 0);

    void *freed[] = {device, small, normal};
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(aclrtFree(freed[i]), ACL_SUCCESS);
        expect_location(freed[i], ACL_MEM_LOCATION_TYPE_UNREGISTERED, 0);
    }
    cr_assert_eq(aclrtFreeHost(host), ACL_SUCCESS);

    aclrtPtrAttributes attributes;
    expect_refused(aclrtPointerGetAttributes(NULL, &attributes), ACL_ERROR_INVALID_PARAM,
                   "ptr is NULL");
    expect_refused(aclrtPointerGetAttributes(pages, NULL), ACL_ERROR_INVALID_PARAM,
                   "attributes is NULL");
}

Test(pointer, needs_no_context_to_tell)
{
    cr_assert_eq(aclrtResetDevice(0), ACL_SUCCESS);
    expect_location(pages, ACL_MEM_LOCATION_TYPE_UNREGISTERED, 0);
    void *same;
    expect_refused(aclrtHostRegister(pages, PAGE, ACL_HOST_REGISTER_MAPPED, &same),
                   ACL_ERROR_RT_CONTEXT_NULL, "context");
    expect_refused(aclrtHostRegisterV2(pages, PAGE, ACL_HOST_REG_PINNED), ACL_ERROR_RT_CONTEXT_NULL,
                   "context");
}

/* ---- Registering ---- */

Test(pointer, register_and_unregister)
{
    void *same = NULL;
    cr_assert_eq(aclrtHostRegister(pages, 2 * PAGE, ACL_HOST_REGISTER_MAPPED, &same), ACL_SUCCESS);
    cr_expect_eq(same, pages);
    same = NULL;
    cr_assert_eq(aclrtHostGetDevicePointer(pages, &same, 0), ACL_SUCCESS);
    cr_expect_eq(same, pages);
    cr_assert_eq(aclrtHostRegisterV2(pages + 2 * PAGE, 1, ACL_HOST_REG_PINNED), ACL_SUCCESS);
    expect_refused(aclrtHostGetDevicePointer(pages + 2 * PAGE, &same, 0),
                   ACL_ERROR_RT_PARAM_INVALID, "registered as mapped");
    cr_assert_eq(
        aclrtHostRegisterV2(pages + 3 * PAGE, PAGE, ACL_HOST_REG_PINNED | ACL_HOST_REG_MAPPED),
        ACL_SUCCESS);
    cr_expect_eq(aclrtHostGetDevicePointer(pages + 3 * PAGE, &same, 0), ACL_SUCCESS);
    cr_expect(rt_memory_is_known(pages, 2 * PAGE));
    cr_expect_not(rt_memory_is_known(pages, 2 * PAGE + 1), "two ranges are not one");
    cr_expect(rt_memory_is_known(pages + 2 * PAGE, 1));
    cr_expect_not(rt_memory_is_known(pages + 2 * PAGE + 1, 1));
    for (int i = 0; i < 4; i++) {
        if (i == 1) continue;
        cr_assert_eq(aclrtHostUnregister(pages + i * PAGE), ACL_SUCCESS);
        expect_refused(aclrtHostUnregister(pages + i * PAGE), ACL_ERROR_HOST_MEMORY_NOT_REGISTERED,
                       "not the beginning of registered memory");
    }
    cr_expect_not(rt_memory_is_known(pages, 1));
}

Test(pointer, refuses_what_cannot_be_registered)
{
    const aclrtHostRegisterType mapped = ACL_HOST_REGISTER_MAPPED;
    const uint32_t pinned = ACL_HOST_REG_PINNED;
    void *same = (void *)1;
    expect_refused(aclrtHostRegister(NULL, PAGE, mapped, &same), ACL_ERROR_INVALID_PARAM,
                   "ptr is NULL");
    expect_refused(aclrtHostRegister(pages, PAGE, mapped, NULL), ACL_ERROR_INVALID_PARAM,
                   "devPtr is NULL");
    expect_refused(aclrtHostRegister(pages, 0, mapped, &same), ACL_ERROR_INVALID_PARAM,
                   "size is 0");
    expect_refused(aclrtHostRegister(pages + 64, PAGE, mapped, &same), ACL_ERROR_RT_PARAM_INVALID,
                   "multiple of 4096");
    expect_refused(aclrtHostRegister(pages, UINT64_MAX, mapped, &same), ACL_ERROR_RT_PARAM_INVALID,
                   "end of the address space");
    expect_refused(aclrtHostRegister(pages, PAGE, ACL_HOST_REGISTER_READONLY, &same),
                   ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "type is 8");
    expect_refused(aclrtHostRegister(pages, PAGE, (aclrtHostRegisterType)1, &same),
                   ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "type is 1");
    expect_refused(aclrtHostRegisterV2(NULL, PAGE, pinned), ACL_ERROR_INVALID_PARAM, "ptr");
    expect_refused(aclrtHostRegisterV2(pages, 0, pinned), ACL_ERROR_INVALID_PARAM, "size");
    expect_refused(aclrtHostRegisterV2(pages, PAGE, 0), ACL_ERROR_RT_PARAM_INVALID, "flag is 0x0");
    expect_refused(aclrtHostRegisterV2(pages, PAGE, 1 | pinned), ACL_ERROR_RT_PARAM_INVALID,
                   "flag is 0x10000001");
    expect_refused(aclrtHostRegisterV2(pages, PAGE, ACL_HOST_REG_IOMEMORY),
                   ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "not supported");
    expect_refused(aclrtHostRegisterV2(pages, PAGE, pinned | ACL_HOST_REG_READONLY),
                   ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "not supported");
    rt_alloc_fail_at(1);
    expect_refused(aclrtHostRegisterV2(pages, PAGE, pinned), ACL_ERROR_RT_MEMORY_ALLOCATION,
                   "no host memory");
    rt_alloc_fail_at(0);
    cr_expect_eq(same, (void *)1, "written on failure");
    cr_expect_not(rt_memory_is_known(pages, 1));

    cr_assert_eq(aclrtHostRegister(pages + 2 * PAGE, 2 * PAGE, mapped, &same), ACL_SUCCESS);
    static const struct {
        int page;
        int pages;
    } overlapping[] = {{2, 2}, {3, 1}, {3, 4}, {0, 3}, {0, 16}};
    for (int i = 0; i < 5; i++) {
        expect_refused(aclrtHostRegisterV2(pages + overlapping[i].page * PAGE,
                                           (uint64_t)overlapping[i].pages * PAGE, pinned),
                       ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "registered already");
    }
    cr_assert_eq(aclrtHostRegisterV2(pages, 2 * PAGE, pinned), ACL_SUCCESS);
    cr_assert_eq(aclrtHostRegisterV2(pages + 4 * PAGE, 2 * PAGE, pinned), ACL_SUCCESS);

    expect_refused(aclrtHostUnregister(NULL), ACL_ERROR_INVALID_PARAM, "ptr is NULL");
    expect_refused(aclrtHostUnregister(pages + 3 * PAGE), ACL_ERROR_HOST_MEMORY_NOT_REGISTERED,
                   "not the beginning");
    expect_refused(aclrtHostGetDevicePointer(NULL, &same, 0), ACL_ERROR_INVALID_PARAM, "pHost");
    expect_refused(aclrtHostGetDevicePointer(pages, NULL, 0), ACL_ERROR_INVALID_PARAM, "pDevice");
    expect_refused(aclrtHostGetDevicePointer(pages + 2 * PAGE, &same, 1), ACL_ERROR_INVALID_PARAM,
                   "flag is 1");
    expect_refused(aclrtHostGetDevicePointer(pages + 3 * PAGE, &same, 0),
                   ACL_ERROR_RT_PARAM_INVALID, "not the beginning");
    for (int page = 0; page < 6; page += 2)
        cr_assert_eq(aclrtHostUnregister(pages + page * PAGE), ACL_SUCCESS);
}

/* ---- Which copies wait ---- */

static struct gate gate;

/* A copy that waited would never come back: the gate opens after it. */
Test(pointer, copies_with_registered_memory_do_not_wait)
{
    void *device;
    cr_assert_eq(aclrtMalloc(&device, PAGE, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    cr_assert_eq(aclrtHostRegisterV2(pages, 2 * PAGE, ACL_HOST_REG_PINNED), ACL_SUCCESS);
    aclrtStream stream;
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    struct rt_stream *queue;
    cr_assert_eq(rt_stream_resolve("test", stream, &queue), ACL_SUCCESS);
    gate_close(&gate, queue);
    memset(pages, 1, PAGE);
    cr_assert_eq(aclrtMemcpyAsync(device, PAGE, pages, PAGE, ACL_MEMCPY_HOST_TO_DEVICE, stream), 0);
    cr_assert_eq(
        aclrtMemcpyAsync(pages + PAGE, PAGE, device, PAGE, ACL_MEMCPY_DEVICE_TO_HOST, stream),
        ACL_SUCCESS);
    cr_assert_eq(aclrtMemsetAsync(pages + 8, 8, 3, 8, stream), ACL_SUCCESS);
    memset(pages, 2, 8); /* before the copy: the source is read when it runs */
    cr_expect_eq(pages[PAGE], 0);
    gate_open(&gate);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    cr_expect_eq(pages[PAGE], 2);
    cr_expect_eq(pages[PAGE + 8], 1);
    cr_expect_eq(pages[8], 3);
    cr_expect_eq(pages[2 * PAGE - 1], 1);
    cr_assert_eq(aclrtHostUnregister(pages), ACL_SUCCESS);

    memset(pages, 5, PAGE); /* pageable again: the copy has been when the call returns */
    cr_assert_eq(aclrtMemcpyAsync(device, PAGE, pages, PAGE, ACL_MEMCPY_HOST_TO_DEVICE, stream), 0);
    cr_expect_eq(*(char *)device, 5);
    cr_assert_eq(aclrtFree(device), ACL_SUCCESS);
    cr_assert_eq(aclrtDestroyStream(stream), ACL_SUCCESS);
}

/* ---- Threads ---- */

static void *register_often(void *number)
{
    char *page = pages + (uintptr_t)number * PAGE;
    for (int i = 0; i < 2000; i++) {
        if (aclrtSetDevice(0) || aclrtHostRegisterV2(page, PAGE, ACL_HOST_REG_PINNED) ||
            !rt_memory_is_known(page, PAGE) || aclrtHostUnregister(page))
            return page;
    }
    return NULL;
}

Test(pointer, threads_register)
{
    pthread_t threads[4];
    for (uintptr_t i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, register_often, (void *)i);
    for (int i = 0; i < 4; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        cr_expect_null(wrong);
    }
}

/* ---- Batches ---- */

enum { COPIES = 5, SIZE = 1000 };

static char *device_memory;
static char host_memory[COPIES * SIZE];
static void *to[COPIES], *from[COPIES];
static size_t rooms[COPIES], sizes[COPIES];
static aclrtMemcpyBatchAttr attributes[2];
static size_t firsts[2] = {0, 3};
static size_t failed;

/* Three copies to the device, then two from it. */
static void describe_batch(char *host)
{
    if (!device_memory)
        cr_assert_eq(aclrtMalloc((void **)&device_memory, COPIES * SIZE, ACL_MEM_MALLOC_HUGE_FIRST),
                     ACL_SUCCESS);
    const aclrtMemLocation on_host = {.type = ACL_MEM_LOCATION_TYPE_HOST};
    const aclrtMemLocation on_device = {.type = ACL_MEM_LOCATION_TYPE_DEVICE};
    attributes[0] = (aclrtMemcpyBatchAttr){.dstLoc = on_device, .srcLoc = on_host};
    attributes[1] = (aclrtMemcpyBatchAttr){.dstLoc = on_host, .srcLoc = on_device};
    for (int i = 0; i < COPIES; i++) {
        to[i] = (i < 3 ? device_memory : host) + i * SIZE;
        from[i] = (i < 3 ? host : device_memory) + i * SIZE;
        rooms[i] = SIZE;
        sizes[i] = i == 1 ? 0 : SIZE - (size_t)i;
    }
    failed = 77;
}

static void fill_batch(char *host)
{
    memset(device_memory, 9, COPIES * SIZE);
    for (int i = 0; i < COPIES * SIZE; i++)
        host[i] = (char)(i / SIZE);
}

static void expect_batch_copied(const char *host)
{
    for (int i = 0; i < COPIES; i++) {
        const char *source = from[i], *target = to[i];
        for (size_t k = 0; k < SIZE; k++) {
            char before = (char)(i < 3 ? 9 : i);
            char copied = (char)(i < 3 ? i : 9);
            cr_assert_eq(target[k], k < sizes[i] ? copied : before, "%d %zu", i, k);
            cr_assert_eq(source[k], copied);
        }
    }
    (void)host;
}

static aclError batch(void)
{
    return aclrtMemcpyBatch(to, rooms, from, sizes, COPIES, attributes, firsts, 2, &failed);
}

static aclError batch_async(aclrtStream stream)
{
    return aclrtMemcpyBatchAsync(to, rooms, from, sizes, COPIES, attributes, firsts, 2, &failed,
                                 stream);
}

Test(pointer, batch_copies_both_ways)
{
    describe_batch(host_memory);
    fill_batch(host_memory);
    cr_assert_eq(batch(), ACL_SUCCESS);
    expect_batch_copied(host_memory);
    cr_expect_eq(failed, SIZE_MAX);

    aclrtStream stream;
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    describe_batch(host_memory); /* pageable: done when the call returns */
    fill_batch(host_memory);
    cr_assert_eq(batch_async(stream), ACL_SUCCESS);
    expect_batch_copied(host_memory);

    cr_assert_eq(aclrtHostRegisterV2(pages, PAGES * PAGE, ACL_HOST_REG_PINNED), ACL_SUCCESS);
    struct rt_stream *queue;
    cr_assert_eq(rt_stream_resolve("test", stream, &queue), ACL_SUCCESS);
    describe_batch(pages);
    fill_batch(pages);
    gate_close(&gate, queue);
    cr_assert_eq(batch_async(stream), ACL_SUCCESS);
    cr_expect_eq(device_memory[0], 9, "has run before the gate opened");
    gate_open(&gate);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    expect_batch_copied(pages);
    cr_assert_eq(aclrtHostUnregister(pages), ACL_SUCCESS);

    memset(sizes, 0, sizeof sizes);
    failed = 77;
    cr_expect_eq(aclrtMemcpyBatch(NULL, NULL, NULL, sizes, COPIES, NULL, NULL, 0, &failed),
                 ACL_SUCCESS);
    cr_expect_eq(failed, SIZE_MAX);
}

Test(pointer, batch_in_a_capture)
{
    aclrtStream stream;
    aclmdlRI graph;
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    cr_assert_eq(aclrtHostRegisterV2(pages, PAGES * PAGE, ACL_HOST_REG_PINNED), ACL_SUCCESS);
    describe_batch(pages);
    cr_assert_eq(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL), ACL_SUCCESS);
    cr_assert_eq(batch_async(stream), ACL_SUCCESS);
    cr_assert_eq(aclmdlRICaptureEnd(stream, &graph), ACL_SUCCESS);
    for (int round = 0; round < 2; round++) {
        fill_batch(pages);
        cr_assert_eq(aclmdlRIExecuteAsync(graph, stream), ACL_SUCCESS);
        cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
        expect_batch_copied(pages);
    }
    cr_assert_eq(aclmdlRIDestroy(graph), ACL_SUCCESS);
    cr_assert_eq(aclrtHostUnregister(pages), ACL_SUCCESS);

    for (int is_async = 0; is_async < 2; is_async++) { /* pageable memory is forbidden then */
        fill_batch(pages);
        cr_assert_eq(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL), ACL_SUCCESS);
        cr_expect_eq(is_async ? batch_async(stream) : batch(),
                     ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT);
        cr_expect_eq(aclmdlRICaptureEnd(stream, &graph), ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
        cr_expect_eq(device_memory[0], 9, "a refused batch copied");
    }
    cr_assert_eq(aclrtDestroyStream(stream), ACL_SUCCESS);
}

Test(pointer, batch_refusals)
{
    const aclError null = ACL_ERROR_INVALID_PARAM, invalid = ACL_ERROR_RT_PARAM_INVALID;
    describe_batch(host_memory);
    fill_batch(host_memory);
    size_t *f = &failed;
    expect_refused(aclrtMemcpyBatch(to, rooms, from, sizes, 5, attributes, firsts, 2, NULL), null,
                   "failIndex");
    expect_refused(aclrtMemcpyBatch(to, rooms, from, NULL, 5, attributes, firsts, 2, f), null,
                   "sizes is NULL");
    expect_refused(aclrtMemcpyBatch(to, rooms, from, sizes, 0, attributes, firsts, 2, f), null,
                   "numBatches");
    expect_refused(aclrtMemcpyBatch(NULL, rooms, from, sizes, 5, attributes, firsts, 2, f), null,
                   "dsts");
    expect_refused(aclrtMemcpyBatch(to, NULL, from, sizes, 5, attributes, firsts, 2, f), null,
                   "destMaxs");
    expect_refused(aclrtMemcpyBatch(to, rooms, NULL, sizes, 5, attributes, firsts, 2, f), null,
                   "srcs");
    expect_refused(aclrtMemcpyBatch(to, rooms, from, sizes, 5, NULL, firsts, 2, f), null,
                   "attrs is NULL");
    expect_refused(aclrtMemcpyBatch(to, rooms, from, sizes, 5, attributes, NULL, 2, f), null,
                   "attrsIndexes");
    expect_refused(aclrtMemcpyBatch(to, rooms, from, sizes, 5, attributes, firsts, 0, f), invalid,
                   "numAttrs");
    expect_refused(aclrtMemcpyBatch(to, rooms, from, sizes, 1, attributes, firsts, 2, f), invalid,
                   "numAttrs");
    static size_t wrong[][2] = {{1, 3}, {0, 0}, {0, 5}};
    for (int i = 0; i < 3; i++) {
        expect_refused(aclrtMemcpyBatch(to, rooms, from, sizes, 5, attributes, wrong[i], 2, f),
                       invalid, "the first must be 0");
    }
    cr_expect_eq(failed, SIZE_MAX);
    rooms[4] = 10;
    expect_refused(aclrtMemcpyBatch(to, rooms, from, sizes, 5, attributes, firsts, 2, f), null,
                   "sizes[4] is 996");
    rooms[4] = SIZE;
    attributes[1].rsv[15] = 1;
    expect_refused(aclrtMemcpyBatch(to, rooms, from, sizes, 5, attributes, firsts, 2, f), null,
                   "attrs[1].rsv[15]");
    describe_batch(host_memory);
    to[2] = NULL;
    expect_refused(aclrtMemcpyBatch(to, rooms, from, sizes, 5, attributes, firsts, 2, f), invalid,
                   "dsts[2] is NULL");
    cr_expect_eq(failed, 2);
    describe_batch(host_memory);
    from[2] = device_memory;
    expect_refused(aclrtMemcpyBatch(to, rooms, from, sizes, 5, attributes, firsts, 2, f), invalid,
                   "is device memory");
    cr_expect_eq(failed, 2);
    describe_batch(host_memory);
    attributes[1].srcLoc.id = 3;
    expect_refused(aclrtMemcpyBatch(to, rooms, from, sizes, 5, attributes, firsts, 2, f), invalid,
                   "says type 1 of device 3");
    cr_expect_eq(failed, 3);
    describe_batch(host_memory);
    attributes[0].srcLoc = attributes[0].dstLoc;
    from[0] = from[1] = from[2] = device_memory + 2 * SIZE;
    expect_refused(aclrtMemcpyBatchAsync(to, rooms, from, sizes, 5, attributes, firsts, 2, f, NULL),
                   invalid, "from device memory to the same");
    cr_expect_eq(failed, 0);
    describe_batch(host_memory);
    expect_refused(
        aclrtMemcpyBatchAsync(to, rooms, from, sizes, 5, attributes, firsts, 2, f, host_memory),
        ACL_ERROR_RT_INVALID_HANDLE, "stream");
    for (int i = 0; i < COPIES * SIZE; i++)
        cr_assert_eq(device_memory[i], 9, "a refused batch copied");
}

Test(pointer, cache_hints_check_only)
{
    static char bytes[64];
    cr_expect_eq(aclrtCmoAsync(bytes, 64, ACL_RT_CMO_TYPE_PREFETCH, NULL), ACL_SUCCESS);
    expect_refused(aclrtCmoAsync(NULL, 64, ACL_RT_CMO_TYPE_FLUSH, NULL), ACL_ERROR_INVALID_PARAM,
                   "src is NULL");
    expect_refused(aclrtCmoAsync(bytes, 0, ACL_RT_CMO_TYPE_FLUSH, NULL), ACL_ERROR_RT_PARAM_INVALID,
                   "size is 0");
    expect_refused(aclrtCmoAsync(bytes, 64, (aclrtCmoType)9, NULL), ACL_ERROR_INVALID_PARAM,
                   "cmoType is 9");
    expect_refused(aclrtCmoAsync(bytes, 64, ACL_RT_CMO_TYPE_FLUSH, bytes),
                   ACL_ERROR_RT_INVALID_HANDLE, "stream");
}
