/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual memory mapped by several threads at once, and shared with a child of the process. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl.h"
#include "tests/support/random.h"
#include "tests/unit/device_memory.h"

static void start(void)
{
    setenv("ACLNN_CPU_DEVICE_MEMORY", "64M", 1);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
}

TestSuite(virtual_memory_threads, .init = start, .timeout = 600);

enum { THREADS = 4, SLOTS = 16, ROUNDS = 300 };

/* Maps, writes through a stream, moves, unmaps in flight. What went wrong, NULL when nothing did.
 */
static const char *map_and_unmap(uint64_t number)
{
    struct random random = {random_test_seed() + number};
    aclrtPhysicalMemProp prop = prop_of(ACL_MEM_NORMAL);
    aclrtDrvMemHandle handles[SLOTS] = {0};
    void *range, *result;
    aclrtStream stream;
    if (aclrtSetDevice(0) || aclrtCreateStream(&stream)) return "no stream";
    if (aclrtReserveMemAddress(&range, SLOTS * 4096, 0, NULL, 0)) return "no range";
    if (aclrtMalloc(&result, ROUNDS, ACL_MEM_MALLOC_NORMAL_ONLY)) return "no memory";
    int value[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        int slot = (int)random_below(&random, SLOTS);
        char *at = (char *)range + slot * 4096;
        value[i] = -1;
        if (handles[slot]) { /* all at once while work uses it */
            if (aclrtUnmapMem(at) || aclrtFreePhysical(handles[slot])) return "not given up";
            handles[slot] = NULL;
            continue;
        }
        if (random_once_in(&random, 4) && aclrtSynchronizeStream(stream)) return "not synchronised";
        if (aclrtMallocPhysical(&handles[slot], 4096, &prop, 0)) return "no piece";
        if (aclrtMapMem(at, 4096, 0, handles[slot], 0)) return "not mapped";
        value[i] = (int)random_below(&random, 128);
        if (aclrtMemsetAsync(at, 4096, value[i], 4096, stream) ||
            aclrtMemcpyAsync((char *)result + i, 1, at + 4095, 1, ACL_MEMCPY_DEVICE_TO_DEVICE,
                             stream))
            return "not queued";
    }
    if (aclrtSynchronizeStream(stream)) return "not synchronised";
    for (int i = 0; i < ROUNDS; i++)
        if (value[i] >= 0 && ((char *)result)[i] != value[i]) return "another piece's value";
    for (int slot = 0; slot < SLOTS; slot++) {
        if (!handles[slot]) continue;
        if (aclrtUnmapMem((char *)range + slot * 4096) || aclrtFreePhysical(handles[slot]))
            return "not given up";
    }
    if (aclrtReleaseMemAddress(range) || aclrtFree(result)) return "not released";
    return aclrtDestroyStream(stream) ? "not destroyed" : NULL;
}

static void *run_thread(void *number)
{
    return (void *)map_and_unmap((uintptr_t)number);
}

Test(virtual_memory_threads, threads_map_and_unmap)
{
    size_t before = free_bytes();
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run_thread, (void *)(i + 1));
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        cr_expect_null(wrong, "%s", (const char *)wrong);
    }
    cr_assert_eq(aclrtSynchronizeDevice(), ACL_SUCCESS);
    cr_expect_eq(free_bytes(), before);
}

Test(virtual_memory_threads, child_shares_mapped_memory)
{
    char *range = reserve(2 * PAGE);
    aclrtDrvMemHandle handle = piece_of(PAGE);
    map(range, PAGE, handle);
    range[0] = 1;
    pid_t child = fork();
    if (child == 0) {
        alarm(500); /* less than the suite's time */
        range[1] = (char)(range[0] + 1);
        aclrtDrvMemHandle own;
        aclrtPhysicalMemProp prop = prop_of(ACL_HBM_MEM_HUGE);
        int wrong = aclrtMallocPhysical(&own, PAGE, &prop, 0) ||
                    aclrtMapMem(range + PAGE, PAGE, 0, own, 0) || aclrtUnmapMem(range) ||
                    aclrtFreePhysical(handle);
        range[PAGE] = 1;
        _exit(wrong);
    }
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0, "%x", status);
    cr_expect_eq(range[1], 2);
    cr_expect_eq(free_bytes(), 64 * MIB - PAGE);
    unmap(range);
    free_piece(handle);
    release(range);
}
