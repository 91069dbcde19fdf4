/* SPDX-License-Identifier: Apache-2.0 */
/* Locks: none. The list of logs only grows, at its head. */
#include "runtime/profile/profile_records.h"

#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/support/alloc.h"
#include "runtime/support/thread.h"

_Static_assert(sizeof(struct rt_record) == 64, "a record is a cache line");

static _Atomic(struct rt_record_log *) logs;
static pthread_key_t at_thread_end;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool has_key;

static void free_ranges(struct rt_record_log *log)
{
    while (log->range) {
        struct rt_profile_range *range = log->range;
        log->range = range->outer;
        rt_free(range);
    }
}

static void give_log_back(void *argument)
{
    struct rt_record_log *log = argument;
    free_ranges(log);
    if (rt_self.profile == log) rt_self.profile = NULL;
    atomic_store_explicit(&log->is_taken, false, memory_order_release);
}

static void free_name(struct rt_record *record)
{
    if (record->traits & RT_RECORD_OWNS_NAME) rt_free((void *)record->name);
}

/* In the child of a fork, of all threads: what was recorded is the parent's. */
static void forget_all(void)
{
    struct rt_record_log *log = atomic_exchange_explicit(&logs, NULL, memory_order_acquire);
    while (log) {
        struct rt_record_log *next = log->next;
        while (log->head) {
            struct rt_record_chunk *chunk = log->head;
            uint32_t used = atomic_load_explicit(&chunk->used, memory_order_relaxed);
            for (uint32_t i = log->read; i < used; i++)
                free_name(&chunk->records[i]);
            log->head = atomic_load_explicit(&chunk->next, memory_order_relaxed);
            log->read = 0;
        }
        free_ranges(log);
        rt_free(log);
        log = next;
    }
    rt_record_chunks_forget();
    if (has_key) pthread_setspecific(at_thread_end, NULL);
    rt_self.profile = NULL;
}

static void make_key(void)
{
    has_key = pthread_key_create(&at_thread_end, give_log_back) == 0;
    pthread_atfork(NULL, NULL, forget_all);
}

/* The thread that ends the process runs no key destructors. */
__attribute__((destructor)) static void delete_key(void)
{
    if (has_key) pthread_key_delete(at_thread_end);
    has_key = false;
}

static struct rt_record_log *take_over(void)
{
    for (struct rt_record_log *log = rt_record_logs(); log; log = log->next) {
        bool no = false;
        if (atomic_compare_exchange_strong_explicit(&log->is_taken, &no, true, memory_order_acquire,
                                                    memory_order_relaxed))
            return log;
    }
    return NULL;
}

static struct rt_record_log *new_log(void)
{
    struct rt_record_log *log = rt_alloc_zeroed(sizeof(*log));
    struct rt_record_chunk *chunk = log ? rt_record_chunk_new() : NULL;
    if (!chunk) {
        rt_free(log);
        return NULL;
    }
    log->head = log->tail = chunk;
    atomic_init(&log->is_taken, true);
    log->next = atomic_load_explicit(&logs, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&logs, &log->next, log, memory_order_release,
                                                  memory_order_relaxed))
        continue;
    return log;
}

struct rt_record *rt_record_room_slowly(struct rt_record_log *log)
{
    struct rt_record_chunk *chunk = rt_record_chunk_new();
    if (!chunk) {
        uint64_t lost = atomic_load_explicit(&log->lost, memory_order_relaxed);
        atomic_store_explicit(&log->lost, lost + 1, memory_order_relaxed);
        return NULL;
    }
    struct rt_record_chunk *full = log->tail;
    log->tail = chunk;
    atomic_store_explicit(&full->next, chunk, memory_order_release);
    return &chunk->records[0];
}

/* The thread's first record says whose the next ones are. When it is lost all is, until there is
 * memory again: the log is not kept. */
static struct rt_record_log *begin_log(void)
{
    pthread_once(&once, make_key);
    struct rt_record_log *log = take_over();
    if (!log) log = new_log();
    if (!log) return NULL;
    struct rt_record record = {.kind = RT_RECORD_THREAD, .number = (uint64_t)syscall(SYS_gettid)};
    prctl(PR_GET_NAME, record.text);
    if (has_key && pthread_setspecific(at_thread_end, log) == 0) {
        if (rt_record_put(log, &record)) return log;
        pthread_setspecific(at_thread_end, NULL);
    }
    atomic_store_explicit(&log->is_taken, false, memory_order_release);
    return NULL;
}

struct rt_record_log *rt_record_log_slowly(void)
{
    rt_self.profile = begin_log();
    return rt_self.profile;
}

/* --- reading -------------------------------------------------------------------------------- */

struct rt_record_log *rt_record_logs(void)
{
    return atomic_load_explicit(&logs, memory_order_acquire);
}

struct rt_record_cursor rt_record_first(struct rt_record_log *log)
{
    return (struct rt_record_cursor){.log = log, .chunk = log->head, .index = log->read};
}

struct rt_record *rt_record_next(struct rt_record_cursor *cursor)
{
    for (;;) {
        struct rt_record_chunk *chunk = cursor->chunk;
        if (cursor->index < atomic_load_explicit(&chunk->used, memory_order_acquire))
            return &chunk->records[cursor->index++];
        if (cursor->index < RT_RECORDS_PER_CHUNK) return NULL;
        struct rt_record_chunk *next = atomic_load_explicit(&chunk->next, memory_order_acquire);
        if (!next) return NULL;
        cursor->chunk = next;
        cursor->index = 0;
    }
}

void rt_record_forget(const struct rt_record_cursor *end)
{
    struct rt_record_cursor cursor = rt_record_first(end->log);
    while (cursor.chunk != end->chunk || cursor.index != end->index) {
        struct rt_record_chunk *chunk = cursor.chunk;
        struct rt_record *record = rt_record_next(&cursor);
        if (record) free_name(record);
        if (cursor.chunk != chunk) rt_record_chunk_free(chunk);
        if (!record) break;
    }
    end->log->head = end->chunk;
    end->log->read = end->index;
}
