/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl.h"
#include "runtime/memory/blocks.h"
#include "runtime/schedule/stream.h"
#include "runtime/support/alloc.h"
#include "runtime/support/block_tree.h"
#include "runtime/support/devices.h"
#include "tests/support/random.h"
#include "tests/unit/device_memory.h"
#include "tests/unit/gate.h"
#include "tests/unit/process.h"
#include "tests/unit/refusal.h"

static void start(void)
{
    unsetenv("ACLNN_CPU_DEVICE_MEMORY");
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
}

static void start_small(void)
{
    setenv("ACLNN_CPU_DEVICE_MEMORY", "64M", 1);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
}

TestSuite(memory, .init = start, .timeout = 600);
TestSuite(small_memory, .init = start_small, .timeout = 600);

/* ---- The family ---- */

static aclError malloc_with_cfg(void **memory, size_t size, aclrtMemMallocPolicy policy)
{
    aclrtMallocAttribute attribute = {.attr = ACL_RT_MEM_ATTR_MODULE_ID, .value.moduleId = 3};
    aclrtMallocConfig config = {&attribute, 1};
    return aclrtMallocWithCfg(memory, size, policy, &config);
}

static aclError malloc_without_cfg(void **memory, size_t size, aclrtMemMallocPolicy policy)
{
    return aclrtMallocWithCfg(memory, size, policy, NULL);
}

static aclError malloc_host(void **memory, size_t size, aclrtMemMallocPolicy policy)
{
    (void)policy;
    return aclrtMallocHost(memory, size);
}

static aclError malloc_host_with_cfg(void **memory, size_t size, aclrtMemMallocPolicy policy)
{
    (void)policy;
    return aclrtMallocHostWithCfg(memory, size, NULL);
}

typedef aclError take_fn(void **memory, size_t size, aclrtMemMallocPolicy policy);

static const struct {
    const char *name;
    take_fn *take;
    aclError (*give)(void *memory);
    size_t spare;
} family[] = {
    {"aclrtMalloc", aclrtMalloc, aclrtFree, 32},
    {"aclrtMallocAlign32", aclrtMallocAlign32, aclrtFreeWithDevSync, 0},
    {"aclrtMallocCached", aclrtMallocCached, aclrtFree, 32},
    {"aclrtMallocWithCfg", malloc_with_cfg, aclrtFree, 32},
    {"aclrtMallocWithCfg NULL", malloc_without_cfg, aclrtFree, 32},
    {"aclrtMallocHost", malloc_host, aclrtFreeHost, 32},
    {"aclrtMallocHostWithCfg", malloc_host_with_cfg, aclrtFreeHostWithDevSync, 32},
};

static const aclrtMemMallocPolicy policies[] = {
    ACL_MEM_MALLOC_HUGE_FIRST,     ACL_MEM_MALLOC_HUGE_ONLY,     ACL_MEM_MALLOC_NORMAL_ONLY,
    ACL_MEM_MALLOC_HUGE_FIRST_P2P, ACL_MEM_MALLOC_HUGE_ONLY_P2P, ACL_MEM_MALLOC_NORMAL_ONLY_P2P,
    ACL_MEM_MALLOC_HUGE1G_ONLY,    ACL_MEM_TYPE_HIGH_BAND_WIDTH, (aclrtMemMallocPolicy)0x7777,
};

Test(memory, many_small_blocks_at_once_are_aligned)
{
    enum { BLOCKS = 300 };
    void *blocks[BLOCKS];
    for (size_t i = 0; i < BLOCKS; i++) {
        cr_assert_eq(aclrtMalloc(&blocks[i], 1 + i % 40, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_SUCCESS);
        cr_expect_eq((uintptr_t)blocks[i] % 512, 0);
    }
    for (size_t i = 0; i < BLOCKS; i++)
        cr_assert_eq(aclrtFree(blocks[i]), ACL_SUCCESS);
}

Test(memory, aligned_rounded_and_readable_past_the_end)
{
    static const size_t sizes[] = {1,
                                   31,
                                   32,
                                   33,
                                   64,
                                   100,
                                   512,
                                   513,
                                   4096,
                                   65535,
                                   65536,
                                   1 << 20,
                                   1 << 21,
                                   (1 << 21) - 32,
                                   (1 << 21) + 1,
                                   (5 << 20) + 7,
                                   33 << 20};
    for (size_t f = 0; f < sizeof family / sizeof *family; f++) {
        for (size_t p = 0; p < sizeof policies / sizeof *policies; p++) {
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                unsigned char *memory = NULL;
                aclError status = family[f].take((void **)&memory, sizes[s], policies[p]);
                cr_assert_eq(status, ACL_SUCCESS, "%s %zu", family[f].name, sizes[s]);
                size_t readable = (sizes[s] + 31) / 32 * 32 + family[f].spare;
                cr_expect_eq((uintptr_t)memory % 512, 0, "%s %zu", family[f].name, sizes[s]);
                if (sizes[s] >= 2 * MIB) cr_expect_eq((uintptr_t)memory % (2 * MIB), 0);
                memory[0] = 1;
                memory[readable - 1] = 2;
                cr_expect(rt_blocks_contain(memory, readable));
                cr_expect_not(rt_blocks_contain(memory, readable + 1));
                cr_expect_eq(family[f].give(memory), ACL_SUCCESS);
                cr_expect_not(rt_blocks_contain(memory, 1));
            }
        }
    }
    cr_expect_null(aclGetRecentErrMsg());
}

Test(memory, blocks_do_not_overlap)
{
    enum { COUNT = 2000 };
    static unsigned char *blocks[COUNT];
    static size_t sizes[COUNT];
    struct random random = {random_test_seed()};
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < COUNT; i++) {
            if (blocks[i] && random_once_in(&random, 2)) continue;
            if (blocks[i]) {
                for (size_t at = 0; at < sizes[i]; at += 61) {
                    cr_assert_eq(blocks[i][at], (unsigned char)i);
                }
                give(blocks[i]);
            }
            sizes[i] = (size_t)random_between(&random, 1, i % 50 ? 3000 : 300000);
            blocks[i] = take(sizes[i]);
            memset(blocks[i], i, sizes[i]);
        }
    }
    for (int i = 0; i < COUNT; i++)
        give(blocks[i]);
}

/* ---- Refusals ---- */

Test(memory, refuses_null_zero_and_overflow)
{
    void *memory = (void *)1;
    aclrtMallocConfig bad = {NULL, 1};
    const aclrtMemMallocPolicy policy = ACL_MEM_MALLOC_HUGE_FIRST;
    expect_refused(aclrtMalloc(NULL, 1, policy), ACL_ERROR_INVALID_PARAM, "devPtr is NULL");
    expect_refused(aclrtMalloc(&memory, 0, policy), ACL_ERROR_INVALID_PARAM, "size is 0");
    expect_refused(aclrtMalloc(&memory, SIZE_MAX, policy), ACL_ERROR_INVALID_PARAM, "rounded up");
    expect_refused(aclrtMalloc(&memory, SIZE_MAX - 62, policy), ACL_ERROR_INVALID_PARAM, "round");
    expect_refused(aclrtMallocAlign32(NULL, 1, policy), ACL_ERROR_INVALID_PARAM, "devPtr");
    expect_refused(aclrtMallocAlign32(&memory, 0, policy), ACL_ERROR_INVALID_PARAM, "size is 0");
    expect_refused(aclrtMallocAlign32(&memory, SIZE_MAX - 30, policy), ACL_ERROR_INVALID_PARAM,
                   "size is");
    expect_refused(aclrtMallocCached(NULL, 1, policy), ACL_ERROR_INVALID_PARAM, "devPtr");
    expect_refused(aclrtMallocCached(&memory, 0, policy), ACL_ERROR_INVALID_PARAM, "size is 0");
    expect_refused(aclrtMallocWithCfg(NULL, 1, policy, NULL), ACL_ERROR_INVALID_PARAM, "devPtr");
    expect_refused(aclrtMallocWithCfg(&memory, 0, policy, NULL), ACL_ERROR_INVALID_PARAM, "size");
    expect_refused(aclrtMallocWithCfg(&memory, 1, policy, &bad), ACL_ERROR_INVALID_PARAM, "attrs");
    expect_refused(aclrtMallocHost(NULL, 1), ACL_ERROR_INVALID_PARAM, "hostPtr is NULL");
    expect_refused(aclrtMallocHost(&memory, 0), ACL_ERROR_INVALID_PARAM, "size is 0");
    expect_refused(aclrtMallocHost(&memory, SIZE_MAX), ACL_ERROR_INVALID_PARAM, "rounded up");
    expect_refused(aclrtMallocHostWithCfg(NULL, 1, NULL), ACL_ERROR_INVALID_PARAM, "ptr is NULL");
    expect_refused(aclrtMallocHostWithCfg(&memory, 0, NULL), ACL_ERROR_INVALID_PARAM, "size is 0");
    expect_refused(aclrtMallocHostWithCfg(&memory, 1, &bad), ACL_ERROR_INVALID_PARAM, "attrs");
    cr_expect_eq(memory, (void *)1, "written on failure");
}

Test(no_context, memory_needs_one)
{
    void *memory = (void *)1;
    size_t bytes;
    expect_refused(aclrtMalloc(&memory, 1, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL,
                   "context");
    expect_refused(aclrtMallocHost(&memory, 1), ACL_ERROR_RT_CONTEXT_NULL, "context");
    expect_refused(aclrtGetMemInfo(ACL_HBM_MEM, &bytes, &bytes), ACL_ERROR_RT_CONTEXT_NULL,
                   "context");
    cr_expect_eq(memory, (void *)1);
}

Test(memory, refuses_to_free_what_is_not_a_live_block)
{
    expect_refused(aclrtFree(NULL), ACL_ERROR_INVALID_PARAM, "devPtr is NULL");
    expect_refused(aclrtFreeHost(NULL), ACL_ERROR_INVALID_PARAM, "hostPtr is NULL");
    expect_refused(aclrtFreeWithDevSync(NULL), ACL_ERROR_INVALID_PARAM, "devPtr is NULL");
    expect_refused(aclrtFreeHostWithDevSync(NULL), ACL_ERROR_INVALID_PARAM, "hostPtr is NULL");
    int local;
    expect_refused(aclrtFree(&local), ACL_ERROR_RT_MEMORY_FREE, "not memory of this library");
    expect_refused(aclrtFree((void *)1), ACL_ERROR_RT_MEMORY_FREE, "not memory of this library");
    expect_refused(aclrtFreeHost((void *)UINTPTR_MAX), ACL_ERROR_RT_MEMORY_FREE, "not memory");

    char *device = take(1000);
    void *host;
    cr_assert_eq(aclrtMallocHost(&host, 1000), ACL_SUCCESS);
    expect_refused(aclrtFree(device + 64), ACL_ERROR_RT_MEMORY_FREE, "inside a block");
    expect_refused(aclrtFree(host), ACL_ERROR_RT_MEMORY_FREE, "other kind");
    expect_refused(aclrtFreeHost(device), ACL_ERROR_RT_MEMORY_FREE, "other kind");
    memset(device, 1, 1000);
    give(device);
    expect_refused(aclrtFree(device), ACL_ERROR_RT_MEMORY_FREE, "freed before");
    expect_refused(aclrtFreeWithDevSync(device), ACL_ERROR_RT_MEMORY_FREE, "freed before");
    cr_expect_eq(aclrtFreeHost(host), ACL_SUCCESS);
    expect_refused(aclrtFreeHost(host), ACL_ERROR_RT_MEMORY_FREE, "freed before");
}

Test(memory, flush_and_invalidate_check_only)
{
    void *memory = take(64);
    cr_expect_eq(aclrtMemFlush(memory, 64), ACL_SUCCESS);
    cr_expect_eq(aclrtMemInvalidate(memory, 64), ACL_SUCCESS);
    expect_refused(aclrtMemFlush(NULL, 64), ACL_ERROR_INVALID_PARAM, "devPtr is NULL");
    expect_refused(aclrtMemFlush(memory, 0), ACL_ERROR_INVALID_PARAM, "size is 0");
    expect_refused(aclrtMemInvalidate(NULL, 64), ACL_ERROR_INVALID_PARAM, "devPtr is NULL");
    expect_refused(aclrtMemInvalidate(memory, 0), ACL_ERROR_INVALID_PARAM, "size is 0");
    give(memory);
}

/* ---- How much there is ---- */

Test(small_memory, info_counts_what_is_handed_out)
{
    size_t free, total;
    for (int attribute = ACL_DDR_MEM; attribute <= ACL_MEM_P2P_HUGE1G; attribute++) {
        cr_assert_eq(aclrtGetMemInfo((aclrtMemAttr)attribute, &free, &total), ACL_SUCCESS);
        cr_expect_eq(total, 64 * MIB);
        cr_expect_eq(free, 64 * MIB);
    }
    cr_assert_eq(aclrtGetMemInfo((aclrtMemAttr)99, &free, &total), ACL_SUCCESS);
    cr_expect(free == 0 && total == 0);
    expect_refused(aclrtGetMemInfo(ACL_HBM_MEM, NULL, &total), ACL_ERROR_INVALID_PARAM, "free");
    expect_refused(aclrtGetMemInfo(ACL_HBM_MEM, &free, NULL), ACL_ERROR_INVALID_PARAM, "total");

    void *first = take(1);
    cr_expect_eq(free_bytes(), 64 * MIB - 64);
    void *second = take(10 * MIB);
    cr_expect_eq(free_bytes(), 54 * MIB - 64 - 32);
    void *third;
    cr_assert_eq(aclrtMallocAlign32(&third, 33, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_SUCCESS);
    cr_expect_eq(free_bytes(), 54 * MIB - 64 - 32 - 64);
    void *host;
    cr_assert_eq(aclrtMallocHost(&host, MIB), ACL_SUCCESS);
    cr_expect_eq(free_bytes(), 54 * MIB - 64 - 32 - 64, "host memory counts");
    give(second);
    give(first);
    give(third);
    cr_expect_eq(free_bytes(), 64 * MIB);
    cr_expect_eq(aclrtFreeHost(host), ACL_SUCCESS);
    cr_expect_eq(free_bytes(), 64 * MIB);
}

Test(small_memory, exhaustion_says_how_much)
{
    void *memory = (void *)1;
    expect_refused(aclrtMalloc(&memory, 64 * MIB, ACL_MEM_MALLOC_HUGE_FIRST),
                   ACL_ERROR_RT_MEMORY_ALLOCATION,
                   "67108864 bytes were asked for; of the device's 67108864 bytes 0 are used and "
                   "67108864 are free");
    expect_refused(aclrtMalloc(&memory, (size_t)1 << 60, ACL_MEM_MALLOC_HUGE_FIRST),
                   ACL_ERROR_RT_MEMORY_ALLOCATION, "asked for");
    expect_refused(aclrtMallocHost(&memory, (size_t)1 << 62), ACL_ERROR_RT_MEMORY_ALLOCATION,
                   "asked for");
    cr_expect_eq(memory, (void *)1);
    void *most = take(64 * MIB - 32);
    cr_expect_eq(free_bytes(), 0);
    expect_refused(aclrtMalloc(&memory, 1, ACL_MEM_MALLOC_HUGE_FIRST),
                   ACL_ERROR_RT_MEMORY_ALLOCATION, "0 are free");
    give(most);
    cr_expect_eq(free_bytes(), 64 * MIB);
    give(take(64 * MIB - 32));
}

/* Of this process's memory in bytes: column 0 is its address space, 1 what is resident. */
static size_t own_memory(int column)
{
    FILE *file = fopen("/proc/self/statm", "r");
    cr_assert_not_null(file);
    unsigned long pages[2];
    cr_assert_eq(fscanf(file, "%lu %lu", &pages[0], &pages[1]), 2);
    fclose(file);
    return pages[column] * (size_t)sysconf(_SC_PAGESIZE);
}

/* The system refuses, not our own books; with a limit, since some systems promise any amount. */
Test(memory, system_without_memory)
{
    const size_t beyond = (size_t)1 << 45;
    struct rlimit limit;
    cr_assert_eq(getrlimit(RLIMIT_AS, &limit), 0);
    limit.rlim_cur = own_memory(0) + beyond / 2;
    if (limit.rlim_cur > limit.rlim_max) limit.rlim_cur = limit.rlim_max;
    cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
    void *memory;
    size_t before = free_bytes();
    expect_refused(aclrtMalloc(&memory, beyond, ACL_MEM_MALLOC_HUGE_FIRST),
                   ACL_ERROR_RT_MEMORY_ALLOCATION, "asked for");
    cr_expect_eq(free_bytes(), before);
    expect_refused(aclrtMallocHost(&memory, beyond), ACL_ERROR_RT_MEMORY_ALLOCATION,
                   "the system has no memory left");
}

Test(memory, every_failing_allocation_is_refused_cleanly)
{
    static const size_t sizes[] = {100, MIB, 4 * MIB};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t before = free_bytes();
        for (int64_t n = 1;; n++) {
            void *memory = (void *)1;
            rt_alloc_fail_at(n);
            aclError status =
                aclrtMalloc(&memory, sizes[s] + (size_t)n * 4096, ACL_MEM_MALLOC_HUGE_FIRST);
            int64_t requests = rt_alloc_fail_at(0);
            if (status == ACL_SUCCESS) { /* perhaps by giving up kept blocks */
                give(memory);
                if (requests < n) break;
                continue;
            }
            cr_expect_eq(status, ACL_ERROR_RT_MEMORY_ALLOCATION);
            cr_expect_eq(memory, (void *)1);
            cr_expect_not_null(aclGetRecentErrMsg());
            cr_expect_eq(free_bytes(), before);
        }
        cr_expect_eq(free_bytes(), before);
    }
}

/* ---- What is kept ---- */

Test(memory, freed_block_serves_the_next_request)
{
    char *first = take(40 * MIB);
    memset(first, 1, 40 * MIB);
    give(first);
    size_t before = free_bytes();
    char *second = take(40 * MIB);
    cr_expect_eq(second, first, "pages are faulted in again");
    cr_expect_eq(free_bytes(), before - 40 * MIB - 32);
    give(second);
}

Test(memory, huge_and_normal_pages_do_not_mix)
{
    void *huge = take(4 * MIB);
    give(huge);
    void *normal;
    cr_assert_eq(aclrtMalloc(&normal, 4 * MIB, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_SUCCESS);
    cr_expect_neq(normal, huge);
    give(normal);
}

/* Of all devices' memory. */
Test(small_memory, keeps_an_eighth_at_most)
{
    size_t before = own_memory(1);
    for (int round = 0; round < 20; round++) {
        void *blocks[12];
        for (int i = 0; i < 12; i++) {
            blocks[i] = take(4 * MIB);
            memset(blocks[i], 1, 4 * MIB);
        }
        for (int i = 0; i < 12; i++)
            give(blocks[i]);
    }
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    size_t after = own_memory(1);
    cr_expect(after < before + 8 * MIB * (size_t)(rt_device_count() + 1), "%zu, %zu before", after,
              before);
#else
    (void)before; /* they keep freed memory */
#endif
    cr_expect_eq(free_bytes(), 64 * MIB);
}

Test(small_memory, kept_blocks_make_room_for_others)
{
    for (size_t size = 1; size <= 8; size++)
        give(take(size * MIB / 2));
    void *most = take(64 * MIB - 32);
    memset(most, 1, 64 * MIB - 32);
    give(most);
}

Test(memory, many_small_blocks_are_not_kept_for_ever)
{
    enum { COUNT = 20000 };
    static void *blocks[COUNT];
    for (int i = 0; i < COUNT; i++)
        blocks[i] = take(64);
    for (int i = 0; i < COUNT; i++)
        give(blocks[i]);
    for (int i = 0; i < COUNT; i++)
        blocks[i] = take(64);
    for (int i = 0; i < COUNT; i++)
        give(blocks[i]);
}

Test(memory, finalize_keeps_nothing_but_live_blocks)
{
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    char *live = take(8 * MIB);
    memset(live, 5, 8 * MIB);
    char *small = take(100);
    void *host;
    cr_assert_eq(aclrtMallocHost(&host, 100), ACL_SUCCESS);
    size_t before = own_memory(1);
    char *freed = take(64 * MIB);
    memset(freed, 1, 64 * MIB);
    give(freed);
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    cr_expect(own_memory(1) < before + 8 * MIB);
#endif
    (void)before;
    for (size_t i = 0; i < 8 * MIB; i += 4096)
        cr_assert_eq(live[i], 5);
    cr_expect_eq(aclrtFree(live), ACL_SUCCESS);
    cr_expect_eq(aclrtFree(small), ACL_SUCCESS);
    cr_expect_eq(aclrtFreeHost(host), ACL_SUCCESS);
    cr_expect_null(aclGetRecentErrMsg());
    expect_refused(aclrtFree(live), ACL_ERROR_RT_MEMORY_FREE, "freed before");
    cr_expect_eq(rt_blocks_usage(0).used, 0);

    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    give(take(8 * MIB));
}

Test(memory, freeing_with_a_wait_needs_no_context)
{
    void *device = take(100);
    void *host;
    cr_assert_eq(aclrtMallocHost(&host, 100), ACL_SUCCESS);
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
    cr_expect_eq(aclrtFreeWithDevSync(device), ACL_SUCCESS);
    cr_expect_eq(aclrtFreeHostWithDevSync(host), ACL_SUCCESS);
    cr_expect_null(aclGetRecentErrMsg());
}

#if defined(__SANITIZE_ADDRESS__)
/* Whether reading this byte stops the process, as the address sanitizer does. */
static bool is_poisoned(const volatile char *byte)
{
    pid_t child = fork();
    if (child == 0) {
        close(STDERR_FILENO);
        (void)*byte;
        _exit(0);
    }
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    return status != 0;
}

Test(memory, sanitizer_sees_overruns_and_use_after_free)
{
    static const size_t sizes[] = {1, 32, 480, 1000, 65504, 1 << 20, 2 << 20, (4 << 20) - 32};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *memory = take(sizes[i]);
        size_t readable = (sizes[i] + 31) / 32 * 32 + 32;
        cr_expect_not(is_poisoned(memory));
        cr_expect_not(is_poisoned(memory + readable - 1));
        cr_expect(is_poisoned(memory + readable), "%zu", sizes[i]);
        give(memory);
        cr_expect(is_poisoned(memory), "%zu", sizes[i]);
        cr_expect(is_poisoned(memory + readable - 1), "%zu", sizes[i]);
    }
}
#endif

/* ---- Freed while work is queued ---- */

static struct gate gate;

Test(memory, freed_block_lives_until_queued_work_has_run)
{
    size_t before = free_bytes();
    unsigned char *source = take(4 * MIB);
    unsigned char *target = take(4 * MIB);
    unsigned char *result = take(4 * MIB);
    memset(source, 7, 4 * MIB);
    aclrtStream stream = gate_close_stream(&gate);
    size_t used = free_bytes();
    cr_assert_eq(
        aclrtMemcpyAsync(target, 4 * MIB, source, 4 * MIB, ACL_MEMCPY_DEVICE_TO_DEVICE, stream),
        ACL_SUCCESS);
    cr_assert_eq(
        aclrtMemcpyAsync(result, 4 * MIB, target, 4 * MIB, ACL_MEMCPY_DEVICE_TO_DEVICE, stream),
        ACL_SUCCESS);
    give(source); /* returns although the copies have not run */
    give(target);
    cr_expect_eq(free_bytes(), used, "counted as free while queued work uses it");
    expect_refused(aclrtFree(source), ACL_ERROR_RT_MEMORY_FREE, "freed before");
    unsigned char *other = take(4 * MIB);
    cr_expect(other != source && other != target, "handed out while queued work uses it");
    memset(other, 9, 4 * MIB);
    gate_open(&gate);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    for (size_t i = 0; i < 4 * MIB; i++)
        if (result[i] != 7) cr_assert_fail("byte %zu", i);
    give(other);
    give(result);
    cr_assert_eq(aclrtDestroyStream(stream), ACL_SUCCESS);
    cr_expect_eq(free_bytes(), before);
}

Test(memory, finalize_releases_what_waits)
{
    void *block = take(4 * MIB);
    aclrtStream stream = gate_close_stream(&gate);
    (void)stream;
    give(block);
    cr_expect(rt_blocks_usage(0).used > 0);
    gate_open(&gate);
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
    cr_expect_eq(rt_blocks_usage(0).used, 0);
}
