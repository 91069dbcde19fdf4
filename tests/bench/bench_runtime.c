/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime's figures, each beside its measure from the same run. Exits with 1 when one is
 * missed. The last part is the comparison behind docs/runtime.md: a thread per stream against
 * streams that a fixed set of workers serves. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "acl/acl.h"
#include "runtime/schedule/pool.h"
#include "runtime/schedule/stream.h"
#include "runtime/support/futex.h"

enum { ROUNDS = 5 };

static bool missed;

static void die(const char *what)
{
    fprintf(stderr, "bench_runtime: %s\n", what);
    exit(2);
}

static void check(aclError status)
{
    if (status != ACL_SUCCESS) die(aclGetRecentErrMsg());
}

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Median of ROUNDS calls, each of which returns nanoseconds per operation. */
static double median_of(double (*measure)(void))
{
    double values[ROUNDS];
    measure(); /* warm */
    for (int i = 0; i < ROUNDS; i++)
        values[i] = measure();
    qsort(values, ROUNDS, sizeof(*values), by_value);
    return values[ROUNDS / 2];
}

/* What is measured, the yardstick, and the ratio that is asked for. */
static void print_figure(const char *what, double ns, const char *yardstick, double yardstick_ns,
                         double limit, bool faster)
{
    double ratio = faster ? yardstick_ns / ns : ns / yardstick_ns;
    bool ok = faster ? ratio >= limit : ratio <= limit;
    missed |= !ok;
    printf("%-44s %10.1f ns   %-34s %10.1f ns   %s%7.3f (%s %g)%s\n", what, ns, yardstick,
           yardstick_ns, faster ? "faster x" : "ratio   ", ratio, faster ? "at least" : "at most",
           limit, ok ? "" : "   MISSED");
}

static void print_value(const char *what, double value, const char *unit)
{
    printf("%-80s %10.1f %s\n", what, value, unit);
}

/* --- tasks ------------------------------------------------------------------------------------ */

static _Atomic uint64_t ran;

static void run_empty(struct rt_task *task, struct rt_stream *stream)
{
    (void)task;
    (void)stream;
    atomic_store_explicit(&ran, atomic_load_explicit(&ran, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

static void work_ns(uint64_t ns)
{
    for (int64_t stop = rt_now_ns() + (int64_t)ns; rt_now_ns() < stop;) {
    }
}

static void run_work(struct rt_task *task, struct rt_stream *stream)
{
    (void)stream;
    work_ns(task->word[0].number);
}

static const struct rt_task_kind empty_kind = {.name = "empty", .run = run_empty};
static const struct rt_task_kind work_kind = {.name = "work", .run = run_work};
static const struct rt_task empty_task = {.kind = &empty_kind};

static aclrtStream handle;
static struct rt_stream *stream;

/* --- latency ---------------------------------------------------------------------------------- */

static _Atomic uint32_t ball;
enum { PASSES = 20000 };

static void pass_ball(uint32_t from, uint32_t to)
{
    while (atomic_load_explicit(&ball, memory_order_acquire) != from)
        rt_futex_wait(&ball, to, RT_FOREVER);
    atomic_store_explicit(&ball, to, memory_order_release);
    rt_futex_wake(&ball, 1);
}

static void bind_to(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    sched_setaffinity(0, sizeof(set), &set);
}

/* The other thread's, in ping_pong and through_a_queue; ANY_CPU: both stay unbound. */
static int player_cpu;
enum { ANY_CPU = -1 };

static void *play(void *unused)
{
    (void)unused;
    bind_to(player_cpu);
    for (int i = 0; i < PASSES; i++)
        pass_ball(1, 0);
    return NULL;
}

static double ping_pong(void)
{
    pthread_t thread;
    cpu_set_t old;
    sched_getaffinity(0, sizeof(old), &old);
    bind_to(0);
    ball = 0;
    if (pthread_create(&thread, NULL, play, NULL) != 0) die("no thread");
    int64_t start = rt_now_ns();
    for (int i = 0; i < PASSES; i++)
        pass_ball(0, 1);
    int64_t took = rt_now_ns() - start;
    pthread_join(thread, NULL);
    sched_setaffinity(0, sizeof(old), &old);
    return (double)took / PASSES;
}

/* The quicker of two CPUs and of one. */
static double best_ping_pong(void)
{
    player_cpu = 0;
    double same = median_of(ping_pong);
    player_cpu = sysconf(_SC_NPROCESSORS_ONLN) > 1;
    double other = median_of(ping_pong);
    print_value("futex ping-pong, both threads on one CPU", same, "ns");
    print_value("futex ping-pong, on two CPUs", other, "ns");
    return same < other ? same : other;
}

enum { CALLS = 200000 };

static double submit_and_synchronise(void)
{
    int64_t start = rt_now_ns();
    for (int i = 0; i < CALLS; i++) {
        rt_stream_submit(stream, &empty_task, 0);
        aclrtSynchronizeStream(handle);
    }
    return (double)(rt_now_ns() - start) / CALLS;
}

/* What the same costs when a worker runs the task: a wait with a time limit runs nothing itself. */
static double hand_over(void)
{
    enum { FEWER = 5000 };
    int64_t start = rt_now_ns();
    for (int i = 0; i < FEWER; i++) {
        rt_stream_submit(stream, &empty_task, RT_SUBMIT_LARGE);
        aclrtSynchronizeStreamWithTimeout(handle, 10000);
    }
    return (double)(rt_now_ns() - start) / FEWER;
}

static double record_and_wait(void)
{
    static aclrtEvent event;
    static aclrtStream other;
    if (!event) {
        check(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
        check(aclrtCreateStream(&other));
    }
    int64_t start = rt_now_ns();
    for (int i = 0; i < CALLS / 10; i++) {
        aclrtRecordEvent(event, handle);
        aclrtStreamWaitEvent(other, event);
        aclrtSynchronizeStream(other);
    }
    return (double)(rt_now_ns() - start) / (CALLS / 10);
}

static void lie(void *context, int64_t begin, int64_t end)
{
    (void)context;
    (void)begin;
    (void)end;
}

static double empty_loop(void)
{
    int64_t start = rt_now_ns();
    for (int i = 0; i < CALLS / 10; i++)
        rt_parallel_for(rt_pool_default(), lie, NULL, 1000, 1);
    return (double)(rt_now_ns() - start) / (CALLS / 10);
}

/* --- throughput ------------------------------------------------------------------------------- */

enum { TASKS = 1000000 };

static double through_one_stream(void)
{
    ran = 0;
    int64_t start = rt_now_ns();
    for (int i = 0; i < TASKS; i++)
        rt_stream_submit(stream, &empty_task, 0);
    aclrtSynchronizeStream(handle);
    int64_t took = rt_now_ns() - start;
    if (ran != TASKS) die("tasks were lost");
    return (double)took / TASKS;
}

/* A queue as one writes it first: a mutex, a condition variable, a consumer thread. */
struct queue {
    pthread_mutex_t lock;
    pthread_cond_t not_empty, empty;
    struct rt_task *tasks;
    size_t room, first, count;
    bool busy, closed;
    pthread_t thread;
};

static void *consume(void *argument)
{
    struct queue *queue = argument;
    pthread_mutex_lock(&queue->lock);
    for (;;) {
        while (queue->count == 0 && !queue->closed)
            pthread_cond_wait(&queue->not_empty, &queue->lock);
        if (queue->count == 0) break;
        struct rt_task task = queue->tasks[queue->first];
        queue->first = (queue->first + 1) % queue->room;
        queue->count--;
        queue->busy = true;
        pthread_mutex_unlock(&queue->lock);
        task.kind->run(&task, NULL);
        pthread_mutex_lock(&queue->lock);
        queue->busy = false;
        if (queue->count == 0) pthread_cond_broadcast(&queue->empty);
    }
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

static bool queue_open(struct queue *queue, size_t room)
{
    pthread_attr_t attributes;
    *queue = (struct queue){.room = room, .tasks = malloc(room * sizeof(*queue->tasks))};
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->not_empty, NULL);
    pthread_cond_init(&queue->empty, NULL);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 * 1024);
    bool ok = queue->tasks && pthread_create(&queue->thread, &attributes, consume, queue) == 0;
    pthread_attr_destroy(&attributes);
    if (!ok) free(queue->tasks);
    return ok;
}

static void queue_submit(struct queue *queue, const struct rt_task *task)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->count == queue->room)
        pthread_cond_wait(&queue->empty, &queue->lock);
    queue->tasks[(queue->first + queue->count++) % queue->room] = *task;
    pthread_cond_signal(&queue->not_empty);
    pthread_mutex_unlock(&queue->lock);
}

static void queue_synchronise(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->count > 0 || queue->busy)
        pthread_cond_wait(&queue->empty, &queue->lock);
    pthread_mutex_unlock(&queue->lock);
}

static void queue_close(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->closed = true;
    pthread_cond_signal(&queue->not_empty);
    pthread_mutex_unlock(&queue->lock);
    pthread_join(queue->thread, NULL);
    free(queue->tasks);
}

static double through_a_queue(void)
{
    struct queue queue;
    cpu_set_t old;
    sched_getaffinity(0, sizeof(old), &old);
    if (player_cpu != ANY_CPU) bind_to(player_cpu); /* inherited by the consumer */
    if (!queue_open(&queue, TASKS)) die("no queue");
    if (player_cpu != ANY_CPU) bind_to(0);
    memset(queue.tasks, 0, TASKS * sizeof(*queue.tasks)); /* its pages are no part of the measure */
    ran = 0;
    int64_t start = rt_now_ns();
    for (int i = 0; i < TASKS; i++)
        queue_submit(&queue, &empty_task);
    queue_synchronise(&queue);
    int64_t took = rt_now_ns() - start;
    if (ran != TASKS) die("tasks were lost");
    queue_close(&queue);
    sched_setaffinity(0, sizeof(old), &old);
    return (double)took / TASKS;
}

/* The figure is against a queue whose consumer has a CPU of its own, which is what a queue with a
 * thread is for. Where the scheduler is left to place the two, the cost is anything between this
 * and that of one CPU, where producer and consumer hardly ever meet at the mutex. */
static void print_throughput(void)
{
    player_cpu = sysconf(_SC_NPROCESSORS_ONLN) > 1;
    print_figure("1,000,000 empty tasks, each", median_of(through_one_stream),
                 "mutex + condvar queue, two CPUs", median_of(through_a_queue), 5, true);
    player_cpu = ANY_CPU;
    print_value("the queue with both threads where the scheduler puts them",
                median_of(through_a_queue), "ns");
    player_cpu = 0;
    print_value("the queue with both threads on one CPU", median_of(through_a_queue), "ns");
}

static double queue_round_trip(void)
{
    enum { FEWER = 20000 };
    struct queue queue;
    if (!queue_open(&queue, 64)) die("no queue");
    int64_t start = rt_now_ns();
    for (int i = 0; i < FEWER; i++) {
        queue_submit(&queue, &empty_task);
        queue_synchronise(&queue);
    }
    int64_t took = rt_now_ns() - start;
    queue_close(&queue);
    return (double)took / FEWER;
}

/* --- memory ----------------------------------------------------------------------------------- */

enum { BLOCK = 1024 * 1024 };

static double device_memory(void)
{
    int64_t start = rt_now_ns();
    for (int i = 0; i < CALLS; i++) {
        void *block;
        if (aclrtMalloc(&block, BLOCK, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS) die("no memory");
        aclrtFree(block);
    }
    return (double)(rt_now_ns() - start) / CALLS;
}

static double plain_memory(void)
{
    int64_t start = rt_now_ns();
    for (int i = 0; i < CALLS; i++) {
        void *volatile block = malloc(BLOCK);
        free(block);
    }
    return (double)(rt_now_ns() - start) / CALLS;
}

/* --- many streams ----------------------------------------------------------------------------- */

static long threads_of_process(void)
{
    char line[128];
    long threads = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof(line), file))
        sscanf(line, "Threads: %ld", &threads);
    if (file) fclose(file);
    return threads;
}

static double resident_kib(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*s %ld", &pages) != 1) die("no statm");
    fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1024;
}

static void ten_thousand_streams(void)
{
    enum { STREAMS = 10000 };
    static aclrtStream handles[STREAMS];
    static aclrtEvent events[STREAMS];
    double before = resident_kib();
    int64_t start = rt_now_ns();
    ran = 0;
    for (int i = 0; i < STREAMS; i++) {
        struct rt_stream *queue;
        check(aclrtCreateStream(&handles[i]));
        check(aclrtCreateEventWithFlag(&events[i], ACL_EVENT_SYNC));
        check(rt_stream_resolve(__func__, handles[i], &queue));
        if (i > 0) check(aclrtStreamWaitEvent(handles[i], events[i - 1]));
        check(rt_stream_submit(queue, &empty_task, 0));
        check(aclrtRecordEvent(events[i], handles[i]));
    }
    check(aclrtSynchronizeStream(handles[STREAMS - 1]));
    double took = (double)(rt_now_ns() - start);
    if (ran != STREAMS) die("a stream has not finished");
    printf("%-44s %10.1f ms   %ld threads, %.1f KiB resident a stream (at most 1024)\n",
           "10,000 streams, one event dependency each", took * 1e-6, threads_of_process(),
           (resident_kib() - before) / STREAMS);
    for (int i = 0; i < STREAMS; i++) {
        check(aclrtDestroyStream(handles[i]));
        check(aclrtDestroyEvent(events[i]));
    }
}

/* --- a thread per stream against a fixed set of workers ----------------------------------------
 */

struct usage {
    int64_t start_ns;
    struct rusage rusage;
};

static struct usage usage_now(void)
{
    struct usage usage = {.start_ns = rt_now_ns()};
    getrusage(RUSAGE_SELF, &usage.rusage);
    return usage;
}

static void print_usage(const char *who, struct usage before, long threads)
{
    struct usage now = usage_now();
    long switches = now.rusage.ru_nvcsw + now.rusage.ru_nivcsw - before.rusage.ru_nvcsw -
                    before.rusage.ru_nivcsw;
    printf("    %-22s %10.2f ms  %8ld switches  %5ld threads\n", who,
           (double)(now.start_ns - before.start_ns) * 1e-6, switches, threads);
}

static void with_threads(int streams, int tasks, const struct rt_task *task)
{
    struct queue *queues = calloc((size_t)streams, sizeof(*queues));
    if (!queues) die("no memory");
    for (int i = 0; i < streams; i++)
        if (!queue_open(&queues[i], 1024)) die("no thread for a stream");
    long threads = threads_of_process();
    struct usage before = usage_now();
    for (int k = 0; k < tasks; k++)
        for (int i = 0; i < streams; i++)
            queue_submit(&queues[i], task);
    for (int i = 0; i < streams; i++)
        queue_synchronise(&queues[i]);
    print_usage("a thread per stream", before, threads);
    for (int i = 0; i < streams; i++)
        queue_close(&queues[i]);
    free(queues);
}

static void with_workers(int streams, int tasks, const struct rt_task *task, unsigned flags)
{
    aclrtStream *handles = calloc((size_t)streams, sizeof(*handles));
    struct rt_stream **queues = calloc((size_t)streams, sizeof(struct rt_stream *));
    if (!handles || !queues) die("no memory");
    for (int i = 0; i < streams; i++) {
        check(aclrtCreateStream(&handles[i]));
        check(rt_stream_resolve(__func__, handles[i], &queues[i]));
    }
    struct usage before = usage_now();
    for (int k = 0; k < tasks; k++)
        for (int i = 0; i < streams; i++)
            rt_stream_submit(queues[i], task, flags);
    for (int i = 0; i < streams; i++)
        aclrtSynchronizeStream(handles[i]);
    print_usage("a fixed set of workers", before, threads_of_process());
    for (int i = 0; i < streams; i++)
        check(aclrtDestroyStream(handles[i]));
    free(handles);
    free(queues);
}

static void compare_designs(void)
{
    const struct {
        int streams, tasks;
        uint64_t ns;
    } cases[] = {{1, 20000, 0},   {1, 2000, 20000}, {2, 2000, 20000},
                 {8, 5000, 0},    {8, 500, 20000},  {64, 1000, 0},
                 {64, 60, 20000}, {1000, 50, 0},    {1000, 4, 20000}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct rt_task task = {.kind = cases[i].ns ? &work_kind : &empty_kind,
                                     .word[0].number = cases[i].ns};
        printf("  %d streams x %d tasks of %.0f us\n", cases[i].streams, cases[i].tasks,
               (double)cases[i].ns * 1e-3);
        with_threads(cases[i].streams, cases[i].tasks, &task);
        with_workers(cases[i].streams, cases[i].tasks, &task, cases[i].ns ? RT_SUBMIT_LARGE : 0);
    }
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    check(aclInit(NULL));
    check(aclrtSetDevice(0));
    check(aclrtCreateStream(&handle));
    check(rt_stream_resolve(__func__, handle, &stream));
    printf("threads %d\n", rt_pool_threads(rt_pool_default()));
    double round_trip = best_ping_pong();
    print_figure("submit + synchronise, empty task", median_of(submit_and_synchronise),
                 "futex ping-pong", round_trip, 0.5, false);
    print_throughput();
    print_figure("aclrtMalloc + aclrtFree, 1 MiB", median_of(device_memory), "malloc + free",
                 median_of(plain_memory), 3, false);
    ten_thousand_streams();
    print_value("the same task run by a worker", median_of(hand_over), "ns");
    print_value("the same with a mutex + condvar queue", median_of(queue_round_trip), "ns");
    print_value("record, wait in another stream, synchronise", median_of(record_and_wait), "ns");
    print_value("parallel loop over nothing", median_of(empty_loop), "ns");
    printf("A thread per stream against a fixed set of workers\n");
    compare_designs();
    check(aclFinalize());
    return missed;
}
