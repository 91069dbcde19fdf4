/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "acl/acl.h"
#include "runtime/memory/transfer.h"
#include "runtime/schedule/stream.h"
#include "runtime/support/alloc.h"
#include "tests/unit/gate.h"
#include "tests/unit/refusal.h"

#define MIB ((size_t)1 << 20)

static aclrtStream stream;
static unsigned char *a, *b; /* device memory */

enum { SIZE = 9 << 20 };

static void start(void)
{
    unsetenv("ACLNN_CPU_DEVICE_MEMORY");
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    cr_assert_eq(aclrtMalloc((void **)&a, SIZE, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    cr_assert_eq(aclrtMalloc((void **)&b, SIZE, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
}

TestSuite(copy, .init = start, .timeout = 600);

static unsigned char pattern(size_t at)
{
    return (unsigned char)(at * 2654435761u >> 13);
}

static void fill_pattern(unsigned char *to, size_t size)
{
    for (size_t i = 0; i < size; i++)
        to[i] = pattern(i);
}

static void expect_pattern(const unsigned char *got, size_t size, const char *what)
{
    for (size_t i = 0; i < size; i++) /* an assertion for each byte would take the test's time */
        if (got[i] != pattern(i)) cr_assert_fail("%s: byte %zu of %zu", what, i, size);
}

static const size_t sizes[] = {
    1, 2, 31, 32, 33, 4095, 4096, 4097, 1 << 20, (4 << 20) - 1, 4 << 20, (4 << 20) + 1, SIZE};

/* ---- Every form moves the bytes, and no byte beside them ---- */

typedef aclError copy_fn(void *to, const void *from, size_t size, aclrtMemcpyKind kind);

static aclError copy_now(void *to, const void *from, size_t size, aclrtMemcpyKind kind)
{
    return aclrtMemcpy(to, size, from, size, kind);
}

static aclError copy_async(void *to, const void *from, size_t size, aclrtMemcpyKind kind)
{
    aclError status = aclrtMemcpyAsync(to, size, from, size, kind, stream);
    return status != ACL_SUCCESS ? status : aclrtSynchronizeStream(stream);
}

static aclError copy_default_stream(void *to, const void *from, size_t size, aclrtMemcpyKind kind)
{
    aclError status = aclrtMemcpyAsync(to, size, from, size, kind, NULL);
    return status != ACL_SUCCESS ? status : aclrtSynchronizeStream(NULL);
}

static aclError copy_with_condition(void *to, const void *from, size_t size, aclrtMemcpyKind kind)
{
    aclError status = aclrtMemcpyAsyncWithCondition(to, size, from, size, kind, stream);
    return status != ACL_SUCCESS ? status : aclrtSynchronizeStream(stream);
}

Test(copy, forms_kinds_and_sizes)
{
    static copy_fn *const forms[] = {copy_now, copy_async, copy_default_stream,
                                     copy_with_condition};
    fill_pattern(a, SIZE);
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            for (int kind = ACL_MEMCPY_HOST_TO_HOST; kind <= ACL_MEMCPY_INTER_DEVICE_TO_DEVICE;
                 kind++) {
                if (sizes[s] > 5000 && kind != ACL_MEMCPY_DEVICE_TO_DEVICE) continue;
                memset(b, 0xAA, sizes[s] < SIZE ? sizes[s] + 1 : SIZE);
                cr_assert_eq(forms[f](b, a, sizes[s], (aclrtMemcpyKind)kind), ACL_SUCCESS);
                expect_pattern(b, sizes[s], "copy");
                if (sizes[s] < SIZE) cr_assert_eq(b[sizes[s]], 0xAA);
            }
        }
    }
    cr_expect_null(aclGetRecentErrMsg());
}

Test(copy, overlapping_ranges_move)
{
    static const size_t large = 6 * MIB;
    for (int forwards = 0; forwards < 2; forwards++) {
        for (size_t distance = 1; distance < large; distance *= 33) {
            fill_pattern(forwards ? a : a + distance, large);
            unsigned char *to = forwards ? a + distance : a;
            const unsigned char *from = forwards ? a : a + distance;
            cr_assert_eq(aclrtMemcpy(to, large, from, large, ACL_MEMCPY_DEFAULT), ACL_SUCCESS);
            expect_pattern(to, large, "overlap");
        }
    }
}

Test(copy, onto_itself)
{
    fill_pattern(a, 100);
    cr_expect_eq(aclrtMemcpy(a, 100, a, 100, ACL_MEMCPY_DEVICE_TO_DEVICE), ACL_SUCCESS);
    cr_expect_eq(aclrtMemcpyAsync(a, 100, a, 100, ACL_MEMCPY_DEVICE_TO_DEVICE, stream),
                 ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    expect_pattern(a, 100, "itself");
}

/* ---- Rows ---- */

struct rows {
    size_t width, height, to_pitch, from_pitch;
};

static const struct rows row_cases[] = {
    {1, 1, 1, 1},
    {7, 5, 7, 7},
    {7, 5, 11, 7},
    {7, 5, 7, 13},
    {100, 1, 200, 5000},
    {4096, 1024, 4096, 4096},
    {4096, 1100, 5000, 4097},
    {3, 100000, 5, 4},
    {5 << 20, 1, 5 << 20, 5 << 20},
    {2 << 20, 3, 3 << 20, 2 << 20},
};

static void check_rows(const struct rows *rows, bool async)
{
    size_t room = rows->to_pitch * (rows->height - 1) + rows->width;
    fill_pattern(a, rows->from_pitch * (rows->height - 1) + rows->width);
    memset(b, 0xAA, room);
    aclError status = async
                          ? aclrtMemcpy2dAsync(b, rows->to_pitch, a, rows->from_pitch, rows->width,
                                               rows->height, ACL_MEMCPY_DEVICE_TO_DEVICE, stream)
                          : aclrtMemcpy2d(b, rows->to_pitch, a, rows->from_pitch, rows->width,
                                          rows->height, ACL_MEMCPY_DEVICE_TO_DEVICE);
    cr_assert_eq(status, ACL_SUCCESS);
    if (async) cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    for (size_t i = 0; i < room; i++) {
        size_t row = i / rows->to_pitch;
        size_t column = i % rows->to_pitch;
        unsigned char expected =
            column < rows->width ? pattern(row * rows->from_pitch + column) : 0xAA;
        if (b[i] != expected) cr_assert_fail("%zux%zu: byte %zu", rows->height, rows->width, i);
    }
}

Test(copy, rows)
{
    for (size_t i = 0; i < sizeof row_cases / sizeof *row_cases; i++) {
        check_rows(&row_cases[i], false);
        check_rows(&row_cases[i], true);
    }
}

Test(copy, rows_of_every_kind)
{
    static const aclrtMemcpyKind taken[] = {ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST,
                                            ACL_MEMCPY_DEVICE_TO_DEVICE, ACL_MEMCPY_DEFAULT};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        cr_expect_eq(aclrtMemcpy2d(b, 8, a, 8, 4, 2, taken[i]), ACL_SUCCESS);
        cr_expect_eq(aclrtMemcpy2dAsync(b, 8, a, 8, 4, 2, taken[i], stream), ACL_SUCCESS);
    }
    cr_expect_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
}

Test(copy, rows_that_overlap_are_each_moved)
{
    fill_pattern(a, 1000);
    cr_expect_eq(aclrtMemcpy2d(a + 1, 100, a, 100, 50, 10, ACL_MEMCPY_DEVICE_TO_DEVICE),
                 ACL_SUCCESS);
    for (size_t row = 0; row < 10; row++) {
        for (size_t i = 0; i < 50; i++) {
            cr_assert_eq(a[row * 100 + 1 + i], pattern(row * 100 + i));
        }
    }
}

/* ---- Fills ---- */

Test(copy, fills)
{
    static const int values[] = {0, 1, 255, -1, 0x1234};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int value = values[s % 5];
        for (int async = 0; async < 2; async++) {
            memset(a, value ^ 0x55, sizes[s] < SIZE ? sizes[s] + 1 : SIZE);
            aclError status = async ? aclrtMemsetAsync(a, SIZE, value, sizes[s], stream)
                                    : aclrtMemset(a, SIZE, value, sizes[s]);
            cr_assert_eq(status, ACL_SUCCESS);
            if (async) cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
            for (size_t i = 0; i < sizes[s]; i++)
                if (a[i] != (unsigned char)value) cr_assert_fail("byte %zu of %zu", i, sizes[s]);
            if (sizes[s] < SIZE) cr_assert_eq(a[sizes[s]], (unsigned char)(value ^ 0x55));
        }
    }
}

/* ---- Refusals ---- */

static aclError memcpy_refused(int form, void *to, size_t room, const void *from, size_t count,
                               int kind)
{
    switch (form) {
    case 0:
        return aclrtMemcpy(to, room, from, count, (aclrtMemcpyKind)kind);
    case 1:
        return aclrtMemcpyAsync(to, room, from, count, (aclrtMemcpyKind)kind, stream);
    default:
        return aclrtMemcpyAsyncWithCondition(to, room, from, count, (aclrtMemcpyKind)kind, stream);
    }
}

static void expect_copy_refused(void *to, size_t room, const void *from, size_t count, int kind,
                                aclError code, const char *fragment)
{
    static const char *const names[] = {"aclrtMemcpy(", "aclrtMemcpyAsync(",
                                        "aclrtMemcpyAsyncWithCondition("};
    for (int form = 0; form < 3; form++) {
        aclGetRecentErrMsg();
        cr_expect_eq(memcpy_refused(form, to, room, from, count, kind), code, "%s", names[form]);
        expect_text(names[form], fragment);
    }
}

Test(copy, refuses_copies)
{
    const int kind = ACL_MEMCPY_DEVICE_TO_DEVICE;
    expect_copy_refused(NULL, 8, b, 8, kind, ACL_ERROR_INVALID_PARAM, "dst is NULL");
    expect_copy_refused(a, 8, NULL, 8, kind, ACL_ERROR_INVALID_PARAM, "src is NULL");
    expect_copy_refused(NULL, 0, NULL, 0, kind, ACL_ERROR_INVALID_PARAM, "dst is NULL");
    expect_copy_refused(a, 8, b, 8, -1, ACL_ERROR_INVALID_PARAM, "kind is -1");
    expect_copy_refused(a, 8, b, 8, 8, ACL_ERROR_INVALID_PARAM, "kind is 8");
    expect_copy_refused(a, 8, b, 0, kind, ACL_ERROR_RT_PARAM_INVALID, "count is 0");
    expect_copy_refused(a, 0, b, 8, kind, ACL_ERROR_RT_PARAM_INVALID, "destMax, 0");
    expect_copy_refused(a, 0, b, 0, kind, ACL_ERROR_RT_PARAM_INVALID, "count is 0");
    expect_copy_refused(a, 8, b, 9, kind, ACL_ERROR_RT_PARAM_INVALID,
                        "count is 9; it must not exceed destMax, 8");
    cr_expect_eq(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_PARAM_INVALID);
}

Test(copy, refuses_fills)
{
    expect_refused(aclrtMemset(NULL, 8, 0, 8), ACL_ERROR_INVALID_PARAM, "devPtr is NULL");
    expect_refused(aclrtMemset(a, 8, 0, 0), ACL_ERROR_RT_PARAM_INVALID, "count is 0");
    expect_refused(aclrtMemset(a, 8, 0, 9), ACL_ERROR_RT_PARAM_INVALID, "maxCount, 8");
    expect_refused(aclrtMemsetAsync(NULL, 8, 0, 8, stream), ACL_ERROR_INVALID_PARAM, "devPtr");
    expect_refused(aclrtMemsetAsync(a, 8, 0, 0, stream), ACL_ERROR_RT_PARAM_INVALID, "count is 0");
    expect_refused(aclrtMemsetAsync(a, 8, 0, 9, stream), ACL_ERROR_RT_PARAM_INVALID, "maxCount");
}

Test(copy, refuses_rows)
{
    const aclrtMemcpyKind kind = ACL_MEMCPY_DEVICE_TO_DEVICE;
    const size_t huge = SIZE_MAX / 2;
    expect_refused(aclrtMemcpy2d(NULL, 8, b, 8, 8, 1, kind), ACL_ERROR_INVALID_PARAM,
                   "dst is NULL");
    expect_refused(aclrtMemcpy2d(a, 8, NULL, 8, 8, 1, kind), ACL_ERROR_INVALID_PARAM,
                   "src is NULL");
    expect_refused(aclrtMemcpy2d(a, 8, b, 8, 8, 1, ACL_MEMCPY_HOST_TO_HOST),
                   ACL_ERROR_INVALID_PARAM, "kind is 0");
    expect_refused(aclrtMemcpy2d(a, 8, b, 8, 8, 1, (aclrtMemcpyKind)-1), ACL_ERROR_INVALID_PARAM,
                   "kind is -1");
    expect_refused(aclrtMemcpy2d(a, 7, b, 8, 8, 1, kind), ACL_ERROR_INVALID_PARAM, "dpitch, 7");
    expect_refused(aclrtMemcpy2d(a, 8, b, 7, 8, 1, kind), ACL_ERROR_INVALID_PARAM, "spitch, 7");
    expect_refused(aclrtMemcpy2d(a, 8, b, 8, 0, 1, kind), ACL_ERROR_RT_PARAM_INVALID, "width is 0");
    expect_refused(aclrtMemcpy2d(a, 8, b, 8, 8, 0, kind), ACL_ERROR_RT_PARAM_INVALID,
                   "height is 0");
    expect_refused(aclrtMemcpy2d(a, huge, b, 8, 8, 4, kind), ACL_ERROR_RT_PARAM_INVALID,
                   "address space");
    expect_refused(aclrtMemcpy2d(a, 8, b, huge, 8, 3, kind), ACL_ERROR_RT_PARAM_INVALID,
                   "address space");
    expect_refused(aclrtMemcpy2d(a, 1, b, 1, 1, SIZE_MAX, kind), ACL_ERROR_RT_PARAM_INVALID,
                   "address space");
    expect_refused(aclrtMemcpy2dAsync(NULL, 8, b, 8, 8, 1, kind, stream), ACL_ERROR_INVALID_PARAM,
                   "dst is NULL");
    expect_refused(aclrtMemcpy2dAsync(a, 7, b, 8, 8, 1, kind, stream), ACL_ERROR_INVALID_PARAM,
                   "dpitch, 7");
    expect_refused(aclrtMemcpy2dAsync(a, 8, b, huge, 8, 3, kind, stream),
                   ACL_ERROR_RT_PARAM_INVALID, "address space");
}

static void *copy_without_context(void *unused)
{
    (void)unused;
    const aclrtMemcpyKind kind = ACL_MEMCPY_DEVICE_TO_DEVICE;
    expect_refused(aclrtMemcpyAsync(a, 8, b, 8, kind, NULL), ACL_ERROR_RT_CONTEXT_NULL, "context");
    expect_refused(aclrtMemcpyAsyncWithCondition(a, 8, b, 8, kind, NULL), ACL_ERROR_RT_CONTEXT_NULL,
                   "context");
    expect_refused(aclrtMemcpy2dAsync(a, 8, b, 8, 8, 1, kind, NULL), ACL_ERROR_RT_CONTEXT_NULL,
                   "context");
    expect_refused(aclrtMemsetAsync(a, 8, 0, 8, NULL), ACL_ERROR_RT_CONTEXT_NULL, "context");
    return NULL;
}

Test(copy, streams_need_a_context)
{
    pthread_t thread;
    pthread_create(&thread, NULL, copy_without_context, NULL);
    pthread_join(thread, NULL);
}

/* ---- Order and waiting ---- */

static struct gate gate;

static void close_gate(void)
{
    struct rt_stream *queue;
    cr_assert_eq(rt_stream_resolve("test", stream, &queue), ACL_SUCCESS);
    gate_close(&gate, queue);
}

static void open_gate(void)
{
    gate_open(&gate);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
}

Test(copy, pinned_memory_does_not_wait)
{
    unsigned char *host;
    cr_assert_eq(aclrtMallocHost((void **)&host, 1000), ACL_SUCCESS);
    fill_pattern(host, 1000);
    memset(a, 0, 1000);
    memset(b, 0, 2000);
    close_gate();
    cr_assert_eq(aclrtMemcpyAsync(a, 1000, host, 1000, ACL_MEMCPY_HOST_TO_DEVICE, stream), 0);
    cr_assert_eq(aclrtMemcpy2dAsync(b, 500, a, 500, 500, 2, ACL_MEMCPY_DEVICE_TO_DEVICE, stream),
                 ACL_SUCCESS);
    cr_assert_eq(aclrtMemsetAsync(b + 1000, 1000, 9, 1000, stream), ACL_SUCCESS);
    for (int i = 0; i < 1000; i++) {
        cr_assert_eq(a[i], 0, "ran before the task in front of it");
        cr_assert_eq(b[1000 + i], 0);
    }
    open_gate();
    expect_pattern(b, 1000, "in order");
    cr_expect_eq(b[1999], 9);
    cr_expect_eq(aclrtFreeHost(host), ACL_SUCCESS);
}

static void *open_later(void *unused)
{
    (void)unused;
    struct timespec pause = {.tv_nsec = 20000000};
    nanosleep(&pause, NULL);
    gate_open(&gate);
    return NULL;
}

/* On return the copy has run: a buffer on the stack may be left, a result may be read. */
Test(copy, pageable_memory_waits)
{
    unsigned char local[1000], result[1000] = {0};
    for (int round = 0; round < 4; round++) {
        fill_pattern(local, sizeof local);
        memset(b, 0, 1000);
        close_gate();
        pthread_t thread;
        pthread_create(&thread, NULL, open_later, NULL);
        switch (round) {
        case 0:
            cr_assert_eq(aclrtMemcpyAsync(b, 1000, local, 1000, ACL_MEMCPY_HOST_TO_DEVICE, stream),
                         ACL_SUCCESS);
            expect_pattern(b, 1000, "host to device");
            break;
        case 1:
            fill_pattern(a, 1000);
            cr_assert_eq(aclrtMemcpyAsync(result, 1000, a, 1000, ACL_MEMCPY_DEVICE_TO_HOST, stream),
                         ACL_SUCCESS);
            expect_pattern(result, 1000, "device to host");
            break;
        case 2:
            cr_assert_eq(
                aclrtMemcpy2dAsync(b, 100, local, 100, 100, 10, ACL_MEMCPY_HOST_TO_DEVICE, stream),
                ACL_SUCCESS);
            expect_pattern(b, 1000, "rows");
            break;
        default:
            cr_assert_eq(aclrtMemsetAsync(local, 1000, 5, 1000, stream), ACL_SUCCESS);
            cr_expect(local[0] == 5 && local[999] == 5);
        }
        pthread_join(thread, NULL);
    }
}

Test(copy, host_to_buffer_to_device_leaves_the_source_free)
{
    unsigned char *host;
    cr_assert_eq(aclrtMallocHost((void **)&host, 5 * MIB), ACL_SUCCESS);
    for (int without_memory = 0; without_memory < 2; without_memory++) {
        fill_pattern(host, 5 * MIB);
        memset(a, 0, 5 * MIB);
        close_gate();
        pthread_t thread;
        if (without_memory) {
            pthread_create(&thread, NULL, open_later, NULL);
            rt_alloc_fail_at(1);
        }
        cr_assert_eq(
            aclrtMemcpyAsync(a, 5 * MIB, host, 5 * MIB, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, stream),
            ACL_SUCCESS);
        memset(host, 0, 5 * MIB);
        if (without_memory)
            pthread_join(thread, NULL);
        else
            cr_expect_eq(a[1], 0, "ran before the task in front of it");
        if (without_memory)
            cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
        else
            open_gate();
        expect_pattern(a, 5 * MIB, "snapshot");
    }
    cr_expect_eq(aclrtFreeHost(host), ACL_SUCCESS);
}

Test(copy, snapshot_of_a_dropped_task_is_released)
{
    void *host;
    cr_assert_eq(aclrtMallocHost(&host, 1000), ACL_SUCCESS);
    close_gate();
    cr_assert_eq(aclrtMemcpyAsync(a, 1000, host, 1000, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, stream),
                 ACL_SUCCESS);
    pthread_t thread;
    pthread_create(&thread, NULL, open_later, NULL);
    cr_expect_eq(aclrtDestroyStreamForce(stream), ACL_SUCCESS);
    pthread_join(thread, NULL);
}

Test(copy, synchronous_forms_wait_for_no_stream)
{
    fill_pattern(a, 1000);
    close_gate();
    cr_expect_eq(aclrtMemcpy(b, 1000, a, 1000, ACL_MEMCPY_DEVICE_TO_DEVICE), ACL_SUCCESS);
    expect_pattern(b, 1000, "now");
    cr_expect_eq(aclrtMemset(b, 1000, 1, 1000), ACL_SUCCESS);
    cr_expect_eq(aclrtMemcpy2d(b, 10, a, 10, 10, 10, ACL_MEMCPY_DEVICE_TO_DEVICE), ACL_SUCCESS);
    open_gate();
}
