/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory taken and given back by several threads at once, and by children of a process. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl.h"
#include "runtime/memory/blocks.h"
#include "tests/support/random.h"
#include "tests/unit/device_memory.h"
#include "tests/unit/process.h"

static void start(void)
{
    unsetenv("ACLNN_CPU_DEVICE_MEMORY");
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
}

TestSuite(memory_threads, .init = start, .timeout = 600);

enum { THREADS = 4, ROUNDS = 3000 };

/* What went wrong, NULL when nothing did. */
static const char *take_and_give(uint64_t number)
{
    struct random random = {random_test_seed() + number};
    if (aclrtSetDevice(0) != ACL_SUCCESS) return "no device";
    unsigned char *blocks[8] = {0};
    for (int i = 0; i < ROUNDS; i++) {
        int slot = (int)random_below(&random, 8);
        if (blocks[slot]) {
            if (*blocks[slot] != (unsigned char)slot) return "another thread's block";
            if (aclrtFree(blocks[slot]) != ACL_SUCCESS) return "not freed";
            blocks[slot] = NULL;
        }
        size_t size = (size_t)random_between(&random, 1, slot ? 5000 : 3 << 20);
        if (aclrtMalloc((void **)&blocks[slot], size, ACL_MEM_MALLOC_HUGE_FIRST))
            return "no memory";
        *blocks[slot] = (unsigned char)slot;
        if (!rt_blocks_contain(blocks[slot], size)) return "unknown";
    }
    for (int slot = 0; slot < 8; slot++) {
        if (blocks[slot] && aclrtFree(blocks[slot]) != ACL_SUCCESS) return "not freed";
    }
    return NULL;
}

static void *run_thread(void *number)
{
    return (void *)take_and_give((uintptr_t)number);
}

Test(memory_threads, threads_take_and_give)
{
    size_t before = free_bytes();
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, run_thread, (void *)(i + 1));
    }
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        cr_expect_null(wrong, "%s", (const char *)wrong);
    }
    cr_expect_eq(free_bytes(), before);
}

static _Atomic int stop;

static void *take_until_stopped(void *unused)
{
    (void)unused;
    aclrtSetDevice(0);
    while (!stop)
        give(take(100));
    return NULL;
}

Test(memory_threads, child_of_a_busy_process_can_allocate)
{
    process_begin_forks();
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, take_until_stopped, NULL);
    void *block = take(MIB);
    memset(block, 3, MIB);
    for (int round = 0; round < 50; round++) {
        pid_t child = fork();
        if (child == 0) {
            process_begin_child();
            void *other;
            int wrong = *(char *)block != 3 || aclrtFree(block) != ACL_SUCCESS ||
                        aclrtMalloc(&other, MIB, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS ||
                        aclrtFree(other) != ACL_SUCCESS;
            _exit(wrong);
        }
        int status;
        cr_assert_eq(waitpid(child, &status, 0), child);
        cr_assert_eq(status, 0, "round %d: %x", round, status);
    }
    stop = 1;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    give(block);
}
