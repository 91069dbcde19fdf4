/* SPDX-License-Identifier: Apache-2.0 */
/* Where the runtime tells what a program does, for who checks it (check/). When nothing is checked
 * a hook costs one load and a predicted branch. Names are static storage, or live as long as the
 * library's tables of names do. */
#ifndef ACLNN_CPU_RUNTIME_SUPPORT_CHECKED_H
#define ACLNN_CPU_RUNTIME_SUPPORT_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rt_stream;

enum rt_check_flag {
    RT_CHECK_RACE = 1,
    RT_CHECK_MEMORY = 2,
    RT_CHECK_INIT = 4,
    RT_CHECK_LEAK = 8,
    RT_CHECK_DEVICE = 16,
};

/* What a program makes and gives up. */
enum rt_check_thing {
    RT_CHECK_DEVICE_MEMORY,
    RT_CHECK_MAPPED_MEMORY, /* of the device; pieces that lie side by side are one */
    RT_CHECK_HOST_MEMORY,   /* pinned or registered */
    RT_CHECK_TENSOR,
    RT_CHECK_EXECUTOR,
    RT_CHECK_STREAM,
    RT_CHECK_EVENT,
    RT_CHECK_NOTIFY,
    RT_CHECK_GRAPH,
};

/* Bytes that an operation reads or writes: `rows` of `width` bytes, `pitch` apart. */
struct rt_check_access {
    const void *address;
    size_t width, pitch, rows;
    const char *role; /* "input", "output", "workspace", "source", "target" */
    int argument;     /* counted from 0; -1: none */
    bool reads, writes;
    bool is_bounding;    /* the operation touches some bytes of the range, not all */
    bool needs_device;   /* must be device memory */
    bool may_be_foreign; /* host memory that the library does not know is right too */
    bool is_blocked;     /* in a format of the device's own (FRACTAL_NZ) */
    bool is_plain;       /* written in the order of rows: not in such a format */
    const void *settles; /* the tensor whose size the operation settles when it runs; or NULL */
};

/* How a number that streams wait for changes, or is judged. */
enum rt_check_number {
    RT_CHECK_SET,
    RT_CHECK_ADD,
    RT_CHECK_OR,
    RT_CHECK_AND,
    RT_CHECK_WAIT_GEQ,
    RT_CHECK_WAIT_EQ,
    RT_CHECK_WAIT_ABOVE, /* of a 32-bit number */
    RT_CHECK_WAIT_AND,
    RT_CHECK_WAIT_ANY, /* of any other kind: over as soon as somebody has written */
};

/* Filled in by check.c when the library is loaded; called while something is checked. A stream NULL
 * is the host, which acts at once. */
struct rt_check_hooks {
    void (*born)(enum rt_check_thing thing, const void *what, size_t bytes);
    void (*died)(enum rt_check_thing thing, const void *what);
    /* An operation that is about to be queued, with all bytes that it touches. */
    void (*access)(struct rt_stream *stream, const char *name,
                   const struct rt_check_access *accesses, size_t count);
    /* Events. An event that waits for nothing when nobody has recorded it is `lax`. */
    void (*record)(struct rt_stream *stream, const void *event);
    void (*wait)(struct rt_stream *stream, const void *event, bool is_lax);
    void (*reset)(const void *event);
    /* Notifies and values in memory. */
    void (*signal)(struct rt_stream *stream, const void *number, enum rt_check_number how,
                   uint64_t value);
    void (*await)(struct rt_stream *stream, const void *number, enum rt_check_number how,
                  uint64_t value, bool clears);
    /* The calling thread has seen the end of all that the stream has been given, or of what was
     * before the event's record. */
    void (*joined_stream)(struct rt_stream *stream);
    void (*joined_event)(const void *event);
    /* A function of the program is queued, and runs with this argument; then it has ended. */
    void (*function)(struct rt_stream *stream, uintptr_t function, const void *argument);
    void (*function_begins)(uintptr_t function, const void *argument);
    void (*function_ends)(void);
    /* A replay that is about to be queued. */
    void (*replay)(struct rt_stream *stream, const void *graph);
    /* A call that runs here and not on the chip, as a sentence. dead: a tensor or an executor that
     * was given up, whose end is told too; or NULL. */
    void (*told)(const char *rule, const char *name, const char *text, const void *dead);
    /* The program ends its use of the library: what lives now is a leak. */
    void (*end)(void);
    /* Asked by check.c, filled in by memory/: some memory of the library's holds these bytes. */
    bool (*is_known)(const void *address, size_t size);
    /* The same: memory that was freed, and that the library has not given back to the system. */
    bool (*is_kept)(const void *address);
    /* Filled in by profile/: two operations race; their numbers. */
    void (*raced)(uint64_t first, uint64_t second);
};

extern struct rt_check_hooks rt_check_hooks __attribute__((visibility("hidden")));
extern unsigned rt_check_flags __attribute__((visibility("hidden"))); /* never changes after load */

/* The number, as reports tell it, of the operation that the calling thread is about to queue or to
 * do; 0: none. Whoever records the call takes it. */
extern _Thread_local uint64_t rt_check_number_of_call
    __attribute__((visibility("hidden"), tls_model("initial-exec")));

/* What the calling thread makes, calls and gives up between these is the library's own doing: the
 * rules of `device` and early frees are the program's alone. */
extern _Thread_local bool rt_check_is_own
    __attribute__((visibility("hidden"), tls_model("initial-exec")));

static inline void rt_check_own_begin(void)
{
    rt_check_is_own = true;
}

static inline void rt_check_own_end(void)
{
    rt_check_is_own = false;
}

static inline uint64_t rt_check_take_number(void)
{
    const uint64_t number = rt_check_number_of_call;
    rt_check_number_of_call = 0;
    return number;
}

static inline bool rt_check_on(void)
{
    return __builtin_expect(rt_check_flags != 0, 0);
}

static inline void rt_check_born(enum rt_check_thing thing, const void *what, size_t bytes)
{
    if (rt_check_on()) rt_check_hooks.born(thing, what, bytes);
}

static inline void rt_check_died(enum rt_check_thing thing, const void *what)
{
    if (rt_check_on()) rt_check_hooks.died(thing, what);
}

static inline void rt_check_joined(struct rt_stream *stream)
{
    if (rt_check_on()) rt_check_hooks.joined_stream(stream);
}

#endif
