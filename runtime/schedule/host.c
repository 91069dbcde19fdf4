/* SPDX-License-Identifier: Apache-2.0 */
/* Locks: host.lock guards all of host. Nothing else is locked inside it but what pthread_create and
 * the allocator lock.
 *
 * A thread is started when more jobs wait than threads, one at a time: whoever takes a job looks
 * once more before it runs it. So blocked functions never keep a job waiting, and a burst of quick
 * ones starts few threads. */
#include "runtime/schedule/host.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "acl/acl_base.h"
#include "runtime/support/alloc.h"
#include "runtime/support/float_env.h"
#include "runtime/support/fork.h"
#include "runtime/support/futex.h"
#include "runtime/support/log.h"
#include "runtime/support/thread.h"

enum {
    KEPT = 2,              /* threads that stay when there is nothing to do */
    LINGER_NS = 300000000, /* the others' patience: a burst that comes back finds them */
};

struct host_thread {
    struct host_thread *next;
    pthread_t thread;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t work; /* CLOCK_MONOTONIC */
    struct rt_host_job *first, *last;
    int waiting_jobs;
    int waiting_threads;
    int starting; /* started, and not yet arrived */
    struct host_thread *threads;
    struct host_thread *gone; /* at its end: to be joined */
    bool is_stopping;
    bool is_prepared;
    atomic_uint generation;
} host = {.lock = PTHREAD_MUTEX_INITIALIZER};

unsigned rt_host_generation(void)
{
    return atomic_load_explicit(&host.generation, memory_order_relaxed);
}

static void prepare_locked(void)
{
    pthread_condattr_t attributes;
    if (host.is_prepared) return;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&host.work, &attributes);
    pthread_condattr_destroy(&attributes);
    host.is_prepared = true;
}

static void *host_main(void *argument);

static void start_locked(void)
{
    sigset_t all, old;
    struct host_thread *thread = rt_alloc(sizeof(*thread));
    sigfillset(&all); /* signals are the program's, on the program's threads */
    pthread_sigmask(SIG_SETMASK, &all, &old);
    bool ok = thread && pthread_create(&thread->thread, NULL, host_main, thread) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (!ok) {
        rt_log(ACL_WARNING, "no thread could be started for functions of the program");
        rt_free(thread);
        return;
    }
    thread->next = host.threads;
    host.threads = thread;
    host.starting++;
}

static void start_if_needed_locked(void)
{
    if (host.waiting_jobs > host.waiting_threads && host.starting == 0) start_locked();
}

bool rt_host_push(struct rt_host_job *job)
{
    pthread_mutex_lock(&host.lock);
    prepare_locked();
    job->next = NULL;
    if (host.last)
        host.last->next = job;
    else
        host.first = job;
    host.last = job;
    host.waiting_jobs++;
    start_if_needed_locked();
    bool is_taken = host.threads != NULL;
    if (!is_taken) { /* it is the only one, or an earlier one would have started a thread */
        host.first = host.last = NULL;
        host.waiting_jobs = 0;
    }
    pthread_cond_signal(&host.work);
    pthread_mutex_unlock(&host.lock);
    return is_taken;
}

/* NULL: the thread shall end. */
static struct rt_host_job *take_locked(void)
{
    int64_t deadline = rt_now_ns() + LINGER_NS;
    host.waiting_threads++;
    while (!host.first && !host.is_stopping) {
        if (host.waiting_threads <= KEPT) {
            pthread_cond_wait(&host.work, &host.lock);
            deadline = rt_now_ns() + LINGER_NS;
            continue;
        }
        struct timespec until = {.tv_sec = (time_t)(deadline / 1000000000),
                                 .tv_nsec = (long)(deadline % 1000000000)};
        if (pthread_cond_timedwait(&host.work, &host.lock, &until) == ETIMEDOUT && !host.first &&
            host.waiting_threads > KEPT)
            break;
    }
    host.waiting_threads--;
    struct rt_host_job *job = host.first;
    if (!job) return NULL;
    host.first = job->next;
    if (!host.first) host.last = NULL;
    host.waiting_jobs--;
    start_if_needed_locked();
    return job;
}

/* Joins the one that left before, so that there is at most one to join. */
static void leave_locked(struct host_thread *self)
{
    struct host_thread **link = &host.threads;
    while (*link != self)
        link = &(*link)->next;
    *link = self->next;
    struct host_thread *before = host.gone;
    host.gone = self;
    pthread_mutex_unlock(&host.lock);
    if (before) pthread_join(before->thread, NULL);
    rt_free(before);
    pthread_mutex_lock(&host.lock);
}

/* The end of a thread, which may come from inside a job: then this runs as the stack is unwound. */
struct presence {
    struct host_thread *thread;
    unsigned generation; /* another one in the child of a fork, whose only thread ends */
    bool is_locked;
};

static void end_presence(struct presence *presence)
{
    if (presence->generation != rt_host_generation()) return;
    if (!presence->is_locked) pthread_mutex_lock(&host.lock);
    if (!host.is_stopping) leave_locked(presence->thread);
    if (host.first) start_if_needed_locked();
    pthread_mutex_unlock(&host.lock);
}

static void *host_main(void *argument)
{
    __attribute__((cleanup(end_presence))) struct presence presence = {
        .thread = argument, .generation = rt_host_generation(), .is_locked = true};
    pthread_setname_np(pthread_self(), "aclnn-cpu/host");
    rt_self.in_callback = true;
    pthread_mutex_lock(&host.lock);
    host.starting--;
    for (struct rt_host_job *job; (job = take_locked());) {
        presence.is_locked = false;
        pthread_mutex_unlock(&host.lock);
        rt_float_begin(); /* whatever the creator had, or the function before left */
        job->run(job);
        if (presence.generation != rt_host_generation()) return NULL;
        pthread_mutex_lock(&host.lock);
        presence.is_locked = true;
    }
    return NULL;
}

static void join_all(struct host_thread *thread)
{
    while (thread) {
        struct host_thread *next = thread->next;
        pthread_join(thread->thread, NULL);
        rt_free(thread);
        thread = next;
    }
}

void rt_host_stop(void)
{
    pthread_mutex_lock(&host.lock);
    host.is_stopping = true;
    if (host.is_prepared) pthread_cond_broadcast(&host.work);
    while (host.threads) {
        struct host_thread *threads = host.threads;
        host.threads = NULL;
        pthread_mutex_unlock(&host.lock);
        join_all(threads);
        pthread_mutex_lock(&host.lock);
    }
    struct host_thread *gone = host.gone;
    host.gone = NULL;
    if (gone) gone->next = NULL;
    host.is_stopping = false;
    pthread_mutex_unlock(&host.lock);
    join_all(gone);
}

/* --- fork ----------------------------------------------------------------------------------- */

static void before_fork(void)
{
    pthread_mutex_lock(&host.lock);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&host.lock);
}

static void in_child(void)
{
    pthread_mutex_init(&host.lock, NULL);
    host.is_prepared = false;
    host.first = host.last = NULL;
    host.waiting_jobs = host.waiting_threads = host.starting = 0;
    while (host.threads) {
        struct host_thread *next = host.threads->next;
        rt_free(host.threads);
        host.threads = next;
    }
    rt_free(host.gone);
    host.gone = NULL;
    host.is_stopping = false;
    atomic_fetch_add_explicit(&host.generation, 1, memory_order_relaxed);
}

__attribute__((constructor)) static void guard_fork(void)
{
    static const struct rt_fork_handlers handlers = {before_fork, in_parent, in_child};
    rt_fork_guard(RT_FORK_HOST, &handlers);
}
