/* SPDX-License-Identifier: Apache-2.0 */
/* Random schedules: at the points of runtime/support/point.h threads are delayed as a seed says,
 * and a watchdog ends a round that hangs, with the seed and what the streams and graphs are at. A
 * seed fixes where it is slow, not what the system does with the threads. */
#ifndef ACLNN_CPU_TESTS_STRESS_SCHEDULE_H
#define ACLNN_CPU_TESTS_STRESS_SCHEDULE_H

#include <criterion/criterion.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "runtime/capture/graph.h"
#include "runtime/schedule/queue.h"
#include "runtime/support/futex.h"
#include "runtime/support/point.h"
#include "tests/support/random.h"

enum {
    SCHEDULE_LONGEST_NS = 1 << 18, /* of a delay */
    SCHEDULE_LOOK_NS = 20000000,
    SCHEDULE_PATIENCE = 15000, /* looks: five minutes or, on a machine under load, more, for a round
                                  of some milliseconds. A process that is stopped has none. */
};

static struct schedule {
    _Atomic uint64_t seed; /* of the round */
    _Atomic uint64_t passed;
    _Atomic uint64_t begun; /* rounds; 0: none is on */
    _Atomic(const char *) name;
    atomic_bool ended;
    pthread_t watchdog;
} schedule;

static inline uint64_t schedule_mix(uint64_t value)
{
    struct random random = {.state = value};
    return random_next(&random);
}

/* In one round of three no point is slow, in one few are, in one half of them. */
static inline void schedule_delay(const char *name)
{
    uint64_t hash = 14695981039346656037u;
    for (const char *c = name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    uint64_t seed = atomic_load_explicit(&schedule.seed, memory_order_relaxed);
    uint64_t point = schedule_mix(hash ^ seed);
    uint64_t passing =
        schedule_mix(point + atomic_fetch_add_explicit(&schedule.passed, 1, memory_order_relaxed));
    uint64_t slow_points = (uint64_t[]){UINT64_MAX, 6, 2}[seed % 3];
    if (point % slow_points == 0 && passing % 2 == 0) {
        struct timespec nap = {.tv_nsec = (long)(passing >> 8) & (SCHEDULE_LONGEST_NS - 1)};
        nanosleep(&nap, NULL);
    } else if (passing % 8 == 1) {
        sched_yield();
    } else if (passing % 8 == 3) {
        for (volatile uint64_t spin = passing >> 8 & 1023; spin > 0; spin--) {
        }
    }
}

/* --- the watchdog ----------------------------------------------------------------------------- */

/* A thread that hangs may hold the lock: then it is read all the same. */
static inline void schedule_print_stream(struct rt_stream *stream)
{
    static const char *const states[] = {"idle", "running", "parked"};
    static const char *const awaits[] = {"a place", "anything", "a thread", "a return"};
    bool is_locked = false;
    for (int i = 0; i < 1000 && !is_locked; i++) {
        is_locked = rt_lock_try(&stream->lock);
        if (!is_locked) sched_yield();
    }
    fprintf(stderr,
            "  stream %" PRIu32 " (serial %" PRIu64 "): %s, %" PRIu64 " of %" PRIu64
            " tasks, awaits %s (serial %" PRIu64 ", ticket %" PRIu64 "), discard %" PRIu64
            ", attention %" PRIu64 "%s%s%s%s, %d waiters, %d helpers%s\n",
            stream->id, stream->object.serial, states[stream->state],
            atomic_load(&stream->completed), atomic_load(&stream->submitted),
            awaits[stream->park.awaits], stream->park.dependency.serial,
            stream->park.dependency.ticket, atomic_load(&stream->discard),
            atomic_load(&stream->attention), stream->is_ready ? ", ready" : "",
            stream->is_watched ? ", watched" : "", stream->park.is_unparked ? ", unparked" : "",
            stream->is_dead ? ", dead" : "", stream->sleep.waiters, stream->sleep.helpers,
            is_locked ? "" : ", its lock is held");
    if (is_locked) rt_lock_give(&stream->lock);
}

static inline void schedule_print_graph(struct rt_graph *graph)
{
    static const char *const states[] = {"active", "waiting", "done"};
    fprintf(stderr, "  graph %" PRIu32 ": %s%s\n", graph->id, graph->runner ? "runs" : "rests",
            atomic_load(&graph->is_cancelled) ? ", cancelled" : "");
    for (uint32_t i = 0; i < graph->lane_count; i++) {
        const struct rt_lane *lane = &graph->lanes[i];
        const struct rt_stream *queue = lane->queue ? lane->queue : graph->runs_in;
        fprintf(stderr,
                "    lane %" PRIu32 " (stream serial %" PRIu64 "): %s, node %" PRIu32 " of %" PRIu32
                "%s\n",
                i, queue ? queue->object.serial : 0, states[lane->state], lane->next, lane->count,
                lane->is_outside ? ", outside" : "");
    }
}

static inline void schedule_print_state(void)
{
    struct rt_object **objects;
    size_t count;
    if (rt_registry_list(RT_OBJECT_STREAM, NULL, &objects, &count))
        for (size_t i = 0; i < count; i++)
            schedule_print_stream((struct rt_stream *)(void *)objects[i]);
    if (rt_registry_list(RT_OBJECT_GRAPH, NULL, &objects, &count))
        for (size_t i = 0; i < count; i++)
            schedule_print_graph((struct rt_graph *)(void *)objects[i]);
}

static inline void *schedule_watch(void *unused)
{
    (void)unused;
    const struct timespec pause = {.tv_nsec = SCHEDULE_LOOK_NS};
    uint64_t round = 0;
    int looks = 0;
    while (!atomic_load(&schedule.ended)) {
        nanosleep(&pause, NULL);
        uint64_t begun = atomic_load(&schedule.begun);
        looks = begun == round ? looks + 1 : 0;
        round = begun;
        if (begun == 0 || looks < SCHEDULE_PATIENCE) continue;
        fprintf(stderr,
                "%s hangs: ACLNN_TEST_SEED=%" PRIu64 ", whose first round this is, may show it "
                "again\n",
                atomic_load(&schedule.name), atomic_load(&schedule.seed));
        schedule_print_state();
        abort();
    }
    return NULL;
}

static inline void schedule_begin(void)
{
    cr_assert_eq(pthread_create(&schedule.watchdog, NULL, schedule_watch, NULL), 0);
    atomic_store(&rt_point_hooked, schedule_delay);
}

static inline void schedule_end(void)
{
    atomic_store(&rt_point_hooked, NULL);
    atomic_store(&schedule.begun, 0);
    atomic_store(&schedule.ended, true);
    pthread_join(schedule.watchdog, NULL);
}

/* A round's random numbers; what hangs from now on is ended. */
static inline struct random schedule_round(const char *name, int64_t round)
{
    uint64_t seed = random_test_seed() + (uint64_t)round;
    atomic_store(&schedule.name, name);
    atomic_store(&schedule.seed, seed);
    atomic_fetch_add(&schedule.begun, 1);
    return (struct random){.state = seed};
}

#endif
