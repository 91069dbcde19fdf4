/* SPDX-License-Identifier: Apache-2.0 */
/* Records of what happened, between the threads that make them and the one that writes them down.
 *
 * A log belongs to one thread at a time, which appends; records are read and freed by whoever holds
 * the lock of timeline.c. Both meet only at a chunk's `used` and `next`: a chunk that has a next
 * one is no longer written to. A log whose thread has ended is taken over by the next thread, whose
 * first record says so. */
#ifndef ACLNN_CPU_RUNTIME_PROFILE_PROFILE_RECORDS_H
#define ACLNN_CPU_RUNTIME_PROFILE_PROFILE_RECORDS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/support/thread.h"

struct rt_stream;

enum rt_record_kind {
    RT_RECORD_THREAD, /* what follows is this thread's: number is its id, text its name */
    RT_RECORD_RUN,    /* a task of a stream: number is its ticket */
    RT_RECORD_STEP,   /* of an operator; one that is all of its operator has no record */
    RT_RECORD_SUBMIT, /* number is the task's ticket */
    RT_RECORD_PLAN,   /* phase 1 */
    RT_RECORD_CALL,   /* any other call, a range of the program among them */
    RT_RECORD_WAIT,   /* the thread waits for a stream */
    RT_RECORD_MARK,   /* a moment, on a stream or on the thread */
    RT_RECORD_RANGE,  /* from one thread to another: number is its id */
    RT_RECORD_RACE,   /* of two operations of the checker: number and arrow are theirs */
};

enum rt_record_trait {
    RT_RECORD_ARROW_FROM = 1, /* arrow says which one begins here */
    RT_RECORD_ARROW_TO = 2,   /* or ends */
    RT_RECORD_DEFAULT = 4,    /* the stream is its context's default */
    RT_RECORD_OWNS_NAME = 8,  /* name is to be freed */
    RT_RECORD_CHECKED = 16,   /* arrow is the operation's number in the checker's reports */
};

/* A cache line each. */
struct rt_record {
    int64_t begin, end; /* of rt_ticks */
    union {
        struct {
            const char *name;
            uint64_t bytes;
            union {
                double flops;
                uint64_t arrow;
            };
            const char *step; /* of a run: the step that is all of it; or NULL */
        };
        char text[16];
    };
    uint64_t number;
    uint64_t stream : 48; /* serial; 0: the thread's own track */
    uint64_t kind : 8, traits : 8;
};

/* Chunks of 16 KiB, blocks of 2 MiB, 64 MiB in all. */
enum { RT_RECORDS_PER_CHUNK = 255, RT_CHUNKS_PER_BLOCK = 128, RT_MOST_BLOCKS = 32 };

struct rt_record_chunk {
    _Alignas(64) _Atomic uint32_t used;
    _Atomic(struct rt_record_chunk *) next;
    struct rt_record records[RT_RECORDS_PER_CHUNK];
};

/* An empty one; NULL when there is no memory, or the most are in use. */
struct rt_record_chunk *rt_record_chunk_new(void);
void rt_record_chunk_free(struct rt_record_chunk *chunk);
/* In the child of a fork: all are gone. */
void rt_record_chunks_forget(void);

/* Room for names of operators and of tasks that move bytes; the rest is summed up in the last row.
 */
enum { RT_SUMS = 96 };

/* Written by the log's thread only, read by any. */
struct rt_profile_sum {
    _Atomic(const char *) name;
    _Atomic uint64_t calls, ticks, bytes;
    _Atomic double flops;
};

/* Open, from aclprofPush to aclprofPop. */
struct rt_profile_range {
    struct rt_profile_range *outer;
    int64_t begin;
    char text[];
};

struct rt_record_log {
    struct rt_record_log *next; /* of the list of all; never changes */
    atomic_bool is_taken;
    struct rt_record_chunk *tail; /* the thread's */
    struct rt_record_chunk *head; /* the reader's; the first one is made with the log */
    uint32_t read;                /* records of head that the reader has had */
    uint64_t thread;              /* the reader's: whose records come next */
    struct rt_record_chunk *done; /* the reader's: it has had all up to done_index of this chunk, */
    uint32_t done_index;          /* and will forget them; NULL: nothing */
    _Atomic uint64_t lost;        /* by the thread, ever */
    uint64_t lost_told;           /* the reader's: how many of them it knows */
    struct rt_profile_note *note; /* the thread's: of the task it runs */
    const struct rt_stream *claimed; /* the thread's: of rt_profile_next_begins, or NULL */
    int64_t claimed_at;
    struct rt_profile_range *range; /* the thread's: its innermost open range */
    struct rt_profile_sum sums[RT_SUMS];
};

/* The calling thread's log, NULL without memory, and its room for one record in another chunk,
 * NULL when the record is lost. */
struct rt_record_log *rt_record_log_slowly(void) __attribute__((cold));
struct rt_record *rt_record_room_slowly(struct rt_record_log *log) __attribute__((cold));

static inline struct rt_record_log *rt_record_own_log(void)
{
    struct rt_record_log *log = rt_self.profile;
    return __builtin_expect(log != NULL, 1) ? log : rt_record_log_slowly();
}

/* Appends to the calling thread's log. False: the record is lost. */
static inline bool rt_record_put(struct rt_record_log *log, const struct rt_record *made)
{
    struct rt_record_chunk *chunk = log->tail;
    uint32_t used = atomic_load_explicit(&chunk->used, memory_order_relaxed);
    struct rt_record *record = &chunk->records[used];
    if (__builtin_expect(used == RT_RECORDS_PER_CHUNK, 0)) {
        record = rt_record_room_slowly(log);
        if (!record) return false;
        chunk = log->tail;
        used = 0;
    }
    *record = *made;
    atomic_store_explicit(&chunk->used, used + 1, memory_order_release);
    return true;
}

/* For the reader. */
struct rt_record_log *rt_record_logs(void);
/* The records of a log in order; NULL behind the last that is visible. Nothing is freed. */
struct rt_record_cursor {
    struct rt_record_log *log;
    struct rt_record_chunk *chunk;
    uint32_t index;
};
struct rt_record_cursor rt_record_first(struct rt_record_log *log);
struct rt_record *rt_record_next(struct rt_record_cursor *cursor);
/* All up to the cursor has been read. */
void rt_record_forget(const struct rt_record_cursor *cursor);

#endif
