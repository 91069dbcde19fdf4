/* SPDX-License-Identifier: Apache-2.0 */
/* Exceptions are told one after the other, in the order they were raised, by one job on a host
 * thread: a callback may take its time and the program's locks, which a worker or a submitting
 * thread must not wait for. Who synchronises and finds an error waits for it to be told.
 *
 * Locks: `lock` guards everything here; the lock of host.c may be taken inside it. Callbacks are
 * called without it. */
#include "runtime/callback/exception.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "acl/acl_rt.h"
#include "runtime/schedule/hooks.h"
#include "runtime/schedule/host.h"
#include "runtime/schedule/queue.h"
#include "runtime/support/alloc.h"
#include "runtime/support/error.h"
#include "runtime/support/fork.h"
#include "runtime/support/log.h"
#include "runtime/support/thread.h"

struct rtExceptionInfo {
    uint32_t task, stream, thread, device, code;
};

struct raised {
    struct raised *next;
    struct rtExceptionInfo info;
};

struct registered {
    struct registered *next;
    aclrtExceptionInfoCallback callback;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told_all = PTHREAD_COND_INITIALIZER;
static aclrtExceptionInfoCallback single; /* of aclrtSetExceptionInfoCallback */
static struct registered *registered;
static atomic_int callbacks; /* how many there are */
static struct raised *first, **last = &first;
static uint64_t raised_count, told_count;
static bool is_telling;
static struct rt_host_job telling;

/* The n-th callback, 0 being the single one; false when there are no more. A callback that is
 * unregistered meanwhile makes the next one be skipped at worst. */
static bool nth_callback(int n, aclrtExceptionInfoCallback *callback)
{
    pthread_mutex_lock(&lock);
    const struct registered *entry = registered;
    *callback = n == 0 ? single : NULL;
    for (int i = 1; i < n && entry; i++)
        entry = entry->next;
    if (n > 0 && entry) *callback = entry->callback;
    pthread_mutex_unlock(&lock);
    return n == 0 || entry;
}

static void tell(struct rtExceptionInfo *info)
{
    aclrtExceptionInfoCallback callback;
    for (int n = 0; nth_callback(n, &callback); n++)
        if (callback) callback(info);
}

/* A callback may end its thread instead of returning: then these run as the stack is unwound. */
struct tale {
    struct raised *raised;
    unsigned generation; /* another one in the child of a fork */
};

static void end_tale(struct tale *tale)
{
    rt_free(tale->raised);
    if (tale->generation != rt_host_generation()) return;
    pthread_mutex_lock(&lock);
    told_count++;
    pthread_cond_broadcast(&told_all);
    pthread_mutex_unlock(&lock);
}

static void tell_one(struct raised *raised)
{
    __attribute__((cleanup(end_tale), unused)) struct tale tale = {
        .raised = raised, .generation = rt_host_generation()};
    tell(&raised->info);
}

/* False: there is none, and who raises next starts the telling. */
static bool take_first(struct raised **raised)
{
    pthread_mutex_lock(&lock);
    *raised = first;
    if (first) first = first->next;
    if (!first) last = &first;
    is_telling = *raised != NULL;
    pthread_mutex_unlock(&lock);
    return *raised != NULL;
}

static void tell_all(struct rt_host_job *job);

/* What is left when a callback has ended the thread is told by another one. */
struct telling_thread {
    unsigned generation;
    bool is_done;
};

static void go_on_elsewhere(struct telling_thread *ended)
{
    if (ended->is_done || ended->generation != rt_host_generation()) return;
    pthread_mutex_lock(&lock);
    bool is_alone = !rt_host_push(&telling);
    pthread_mutex_unlock(&lock);
    if (is_alone) tell_all(&telling);
}

static void tell_all(struct rt_host_job *job)
{
    (void)job;
    __attribute__((cleanup(go_on_elsewhere))) struct telling_thread self = {
        .generation = rt_host_generation()};
    for (struct raised *raised; take_first(&raised);) {
        tell_one(raised);
        if (self.generation != rt_host_generation()) return;
    }
    self.is_done = true;
}

static void raise_exception(const struct rt_stream *stream, aclError code)
{
    if (atomic_load_explicit(&callbacks, memory_order_acquire) == 0) return;
    struct raised *raised = rt_alloc(sizeof(*raised));
    if (!raised) {
        rt_log(ACL_WARNING, "no host memory to tell of a failed task of stream %u", stream->id);
        return;
    }
    uint64_t completed = atomic_load_explicit(&stream->completed, memory_order_relaxed);
    *raised = (struct raised){
        .info = {.task = (uint32_t)(completed + 1),
                 .stream = stream->id,
                 .thread = atomic_load_explicit(&stream->submitter, memory_order_relaxed),
                 .device = (uint32_t)stream->context->device,
                 .code = (uint32_t)code}};
    pthread_mutex_lock(&lock);
    *last = raised;
    last = &raised->next;
    raised_count++;
    bool starts = !is_telling;
    is_telling = true;
    if (starts) telling.run = tell_all;
    bool is_alone = starts && !rt_host_push(&telling);
    pthread_mutex_unlock(&lock);
    if (is_alone) tell_all(&telling);
}

static void settle(void)
{
    if (rt_self.in_callback) return;
    pthread_mutex_lock(&lock);
    uint64_t target = raised_count;
    while (told_count < target)
        pthread_cond_wait(&told_all, &lock);
    pthread_mutex_unlock(&lock);
}

void rt_exception_end(void)
{
    settle();
    pthread_mutex_lock(&lock);
    while (registered) {
        struct registered *next = registered->next;
        rt_free(registered);
        registered = next;
    }
    single = NULL;
    atomic_store_explicit(&callbacks, 0, memory_order_relaxed);
    pthread_mutex_unlock(&lock);
}

/* --- the program ----------------------------------------------------------------------------- */

aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback)
{
    pthread_mutex_lock(&lock);
    int change = (callback != NULL) - (single != NULL);
    single = callback;
    atomic_fetch_add_explicit(&callbacks, change, memory_order_release);
    pthread_mutex_unlock(&lock);
    return ACL_SUCCESS;
}

static struct registered **find(aclrtExceptionInfoCallback callback)
{
    struct registered **link = &registered;
    while (*link && (*link)->callback != callback)
        link = &(*link)->next;
    return link;
}

aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback)
{
    RT_CHECK(callback, ACL_ERROR_RT_PARAM_INVALID, "callback is NULL");
    struct registered *entry = rt_alloc(sizeof(*entry));
    RT_CHECK(entry, ACL_ERROR_RT_MEMORY_ALLOCATION, "no host memory for a callback");
    *entry = (struct registered){.callback = callback};
    pthread_mutex_lock(&lock);
    struct registered **link = find(callback);
    bool is_new = !*link;
    if (is_new) {
        *link = entry;
        atomic_fetch_add_explicit(&callbacks, 1, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    if (!is_new) rt_free(entry);
    return ACL_SUCCESS;
}

aclError aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback)
{
    RT_CHECK(callback, ACL_ERROR_RT_PARAM_INVALID, "callback is NULL");
    pthread_mutex_lock(&lock);
    struct registered **link = find(callback);
    struct registered *entry = *link;
    if (entry) {
        *link = entry->next;
        atomic_fetch_sub_explicit(&callbacks, 1, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    rt_free(entry);
    return ACL_SUCCESS;
}

static uint32_t refuse(const char *who)
{
    rt_error_report(ACL_ERROR_INVALID_PARAM, who, "info is NULL");
    return UINT32_MAX;
}

uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    return info ? info->task : refuse(__func__);
}

uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    return info ? info->stream : refuse(__func__);
}

uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    return info ? info->thread : refuse(__func__);
}

uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    return info ? info->device : refuse(__func__);
}

uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo *info)
{
    return info ? info->code : refuse(__func__);
}

/* --- fork ------------------------------------------------------------------------------------ */

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&lock);
}

static void in_child(void)
{
    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&told_all, NULL);
    while (first) {
        struct raised *next = first->next;
        rt_free(first);
        first = next;
    }
    last = &first;
    told_count = raised_count;
    is_telling = false;
    rt_host_job_reset(&telling);
}

__attribute__((constructor)) static void offer_hooks(void)
{
    static const struct rt_fork_handlers handlers = {before_fork, in_parent, in_child};
    rt_fork_guard(RT_FORK_EXCEPTION, &handlers);
    rt_hooks.exception = (struct rt_exception_hooks){.raise = raise_exception, .settle = settle};
}
