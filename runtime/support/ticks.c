/* SPDX-License-Identifier: Apache-2.0 */
/* Locks: none. The first moment is written once, before any record is made. */
#include "runtime/support/ticks.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum {
    SAMPLES = 5,        /* of both clocks; the one that took least is right */
    LEAST_NS = 1000000, /* between two moments, so that the rate is right to some 1e-5 */
};

atomic_bool rt_ticks_are_counted;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct moment {
    int64_t ticks, ns;
} first;

static struct moment sample(void)
{
    struct moment best = {0};
    int64_t least = INT64_MAX;
    for (int i = 0; i < SAMPLES; i++) {
        int64_t before = rt_ticks();
        int64_t ns = rt_now_ns();
        int64_t took = rt_ticks() - before;
        if (took >= least) continue;
        least = took;
        best = (struct moment){.ticks = before + took / 2, .ns = ns};
    }
    return best;
}

#if defined(__x86_64__)
/* The counter does not stop or change its pace, and the kernel, which has compared all CPUs',
 * takes its own time from it. */
static bool is_steady(void)
{
    unsigned eax, ebx, ecx, edx = 0;
    char name[32] = "";
    if (!__get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) || !(edx & 1u << 8)) return false;
    FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");
    if (!file) return false;
    bool is_read = fgets(name, sizeof(name), file) != NULL;
    fclose(file);
    return is_read && strcmp(name, "tsc\n") == 0;
}
#elif defined(__aarch64__)
static bool is_steady(void)
{
    return true; /* the architecture says so */
}
#else
static bool is_steady(void)
{
    return false;
}
#endif

static void choose(void)
{
    atomic_store_explicit(&rt_ticks_are_counted, is_steady(), memory_order_relaxed);
    first = sample();
}

void rt_ticks_choose(void)
{
    pthread_once(&once, choose);
}

struct rt_ticks_line rt_ticks_measure(void)
{
    rt_ticks_choose();
    struct rt_ticks_line line = {.ticks = first.ticks, .ns = first.ns, .ns_per_tick = 1};
    if (!atomic_load_explicit(&rt_ticks_are_counted, memory_order_relaxed)) return line;
    struct moment now;
    do
        now = sample();
    while (now.ns - first.ns < LEAST_NS);
    line.ns_per_tick = (double)(now.ns - first.ns) / (double)(now.ticks - first.ticks);
    return line;
}
