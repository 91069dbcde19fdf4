/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory beside malloc, and copies beside memcpy, in one run: each line is the median of
 * ROUNDS rounds in which both sides take turns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "acl/acl.h"

#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)

enum { ROUNDS = 21 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof *values, by_value);
    return values[ROUNDS / 2];
}

/* Keeps the compiler from leaving out what is measured. */
static void keep(void *memory)
{
    __asm__ volatile("" : : "r"(memory) : "memory");
}

static void touch(char *memory, size_t size)
{
    for (size_t i = 0; i < size; i += 4 * KIB)
        memory[i] = 1;
    keep(memory);
}

struct problem {
    size_t size;
    int times; /* calls in a round */
    char *to, *from;
};

static void libc_pair(const struct problem *p)
{
    void *memory = malloc(p->size);
    keep(memory);
    free(memory);
}

static void device_pair(const struct problem *p)
{
    void *memory = NULL;
    if (aclrtMalloc(&memory, p->size, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS) abort();
    keep(memory);
    aclrtFree(memory);
}

static void libc_step(const struct problem *p)
{
    char *memory = malloc(p->size);
    if (!memory) abort();
    touch(memory, p->size);
    free(memory);
}

static void device_step(const struct problem *p)
{
    void *memory = NULL;
    if (aclrtMalloc(&memory, p->size, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS) abort();
    touch(memory, p->size);
    aclrtFree(memory);
}

static void libc_copy(const struct problem *p)
{
    memcpy(p->to, p->from, p->size);
    keep(p->to);
}

static void device_copy(const struct problem *p)
{
    aclrtMemcpy(p->to, p->size, p->from, p->size, ACL_MEMCPY_DEVICE_TO_DEVICE);
}

static void device_copy_async(const struct problem *p)
{
    aclrtMemcpyAsync(p->to, p->size, p->from, p->size, ACL_MEMCPY_DEVICE_TO_DEVICE, NULL);
    aclrtSynchronizeStream(NULL);
}

static void libc_fill(const struct problem *p)
{
    memset(p->to, 1, p->size);
    keep(p->to);
}

static void device_fill(const struct problem *p)
{
    aclrtMemset(p->to, p->size, 1, p->size);
}

typedef void side(const struct problem *problem);

static double time_round(side *run, const struct problem *problem)
{
    double begin = now();
    for (int i = 0; i < problem->times; i++)
        run(problem);
    return (now() - begin) / problem->times;
}

/* limit: the ratio that is asked for, 0 when none is. */
static void compare(const char *name, side *libc, side *ours, const struct problem *problem,
                    double limit)
{
    double libc_times[ROUNDS], our_times[ROUNDS];
    time_round(libc, problem);
    time_round(ours, problem);
    for (int round = 0; round < ROUNDS; round++) {
        libc_times[round] = time_round(libc, problem);
        our_times[round] = time_round(ours, problem);
    }
    double libc_time = median(libc_times);
    double our_time = median(our_times);
    printf("%-44s %10zu %14.1f %14.1f %8.2f", name, problem->size / KIB, libc_time * 1e9,
           our_time * 1e9, our_time / libc_time);
    if (limit > 0) printf("   <= %.1f %s", limit, our_time <= limit * libc_time ? "yes" : "NO");
    printf("\n");
}

static void compare_allocation(void)
{
    compare("malloc + free", libc_pair, device_pair,
            &(struct problem){.size = MIB, .times = 100000}, 3.0);
    static const size_t sizes[] = {256, 64 * KIB, 16 * MIB, 256 * MIB};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        compare("malloc + free", libc_pair, device_pair,
                &(struct problem){.size = sizes[i], .times = 10000}, 0);
    }
    enum { LIVE = 10000 };
    static void *live[LIVE];
    for (int i = 0; i < LIVE; i++)
        aclrtMalloc(&live[i], 1000, ACL_MEM_MALLOC_HUGE_FIRST);
    compare("malloc + free, 10000 other blocks live", libc_pair, device_pair,
            &(struct problem){.size = MIB, .times = 100000}, 0);
    for (int i = 0; i < LIVE; i++)
        aclrtFree(live[i]);
    compare("a workspace each step: + touch its pages", libc_step, device_step,
            &(struct problem){.size = 64 * MIB, .times = 4}, 0);
}

static void compare_copies(void)
{
    static const size_t sizes[] = {4 * KIB, 256 * KIB, 2 * MIB, 4 * MIB, 16 * MIB, 128 * MIB};
    const size_t largest = 128 * MIB;
    void *to, *from;
    if (aclrtMalloc(&to, largest, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS ||
        aclrtMalloc(&from, largest, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS) {
        printf("too little memory for the copies\n");
        return;
    }
    memset(to, 1, largest);
    memset(from, 1, largest);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct problem problem = {.size = sizes[i], .to = to, .from = from};
        problem.times = sizes[i] < MIB ? 1000 : (int)(64 * MIB / sizes[i]) + 1;
        compare("memcpy / aclrtMemcpy", libc_copy, device_copy, &problem, 0);
        compare("memcpy / aclrtMemcpyAsync + synchronise", libc_copy, device_copy_async, &problem,
                0);
        compare("memset / aclrtMemset", libc_fill, device_fill, &problem, 0);
    }
    aclrtFree(to);
    aclrtFree(from);
}

int main(void)
{
    if (aclInit(NULL) != ACL_SUCCESS || aclrtSetDevice(0) != ACL_SUCCESS) {
        fprintf(stderr, "no device: %s\n", aclGetRecentErrMsg());
        return 1;
    }
    printf("%-44s %10s %14s %14s %8s\n", "ns per call", "KiB", "libc", "ours", "ratio");
    compare_allocation();
    compare_copies();
    return aclFinalize() == ACL_SUCCESS ? 0 : 1;
}
