/* SPDX-License-Identifier: Apache-2.0 */
/* Between runs the threads sleep on `wake`; within a run they meet at `arrived`. */
#include "tests/bench/crew.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "tests/bench/stats.h"

struct run {
    crew_fn *fn;
    void *context;
    int64_t count;
};

static struct {
    int threads;
    pthread_mutex_t lock; /* guards run_number and run */
    pthread_cond_t wake;
    int64_t run_number;
    struct run run;       /* members copy it: behind its last barrier the next one may be here */
    atomic_llong arrived; /* how often a thread came to a barrier */
} crew = {.threads = 1, .lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};

static void pin(int thread)
{
    cpu_set_t allowed, one;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    for (int cpu = 0, seen = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &allowed) || seen++ != thread) continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        pthread_setaffinity_np(pthread_self(), sizeof one, &one);
        return;
    }
}

/* The n-th barrier of the process is passed when threads * n arrivals were counted. */
static void meet(int64_t *barriers)
{
    long long all = ++*barriers * crew.threads;
    atomic_fetch_add(&crew.arrived, 1);
    while (atomic_load_explicit(&crew.arrived, memory_order_acquire) < all) {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
    }
}

static int64_t barriers_of_caller;

static void take_part(const struct run *run, int thread, int64_t *barriers)
{
    for (int64_t i = 0; i < run->count; i++) {
        run->fn(run->context, thread, crew.threads);
        meet(barriers);
    }
}

static void *member(void *argument)
{
    int thread = (int)(intptr_t)argument;
    int64_t barriers = 0;
    pin(thread);
    for (int64_t seen = 0;; seen++) {
        pthread_mutex_lock(&crew.lock);
        while (crew.run_number == seen)
            pthread_cond_wait(&crew.wake, &crew.lock);
        const struct run run = crew.run;
        pthread_mutex_unlock(&crew.lock);
        meet(&barriers);
        take_part(&run, thread, &barriers);
    }
    return NULL;
}

void crew_start(int threads)
{
    crew.threads = threads;
    for (int i = 1; i < threads; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, member, (void *)(intptr_t)i) != 0) abort();
        pthread_detach(thread);
    }
    pin(0);
}

double crew_run(crew_fn *fn, void *context, int64_t count)
{
    const struct run run = {fn, context, count};
    pthread_mutex_lock(&crew.lock);
    crew.run = run;
    crew.run_number++;
    pthread_cond_broadcast(&crew.wake);
    pthread_mutex_unlock(&crew.lock);
    meet(&barriers_of_caller);
    double begin = stats_now();
    take_part(&run, 0, &barriers_of_caller);
    return stats_now() - begin;
}
