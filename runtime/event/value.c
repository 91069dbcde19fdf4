/* SPDX-License-Identifier: Apache-2.0 */
/* Values in memory that tasks write and wait for. Anybody may write the memory, and nobody tells: a
 * stream that waits is parked, and its value is looked at when a batch of tasks or a write of ours
 * has ended, and by the watchman, who comes every two milliseconds when there is nothing else.
 *
 * Locks: `lock` guards the list of parked streams. A stream's lock may be taken inside it. */

#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "acl/acl_rt.h"
#include "runtime/memory/memory.h"
#include "runtime/schedule/hooks.h"
#include "runtime/schedule/queue.h"
#include "runtime/schedule/stream.h"
#include "runtime/support/checked.h"
#include "runtime/support/error.h"
#include "runtime/support/fork.h"
#include "runtime/support/point.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct rt_stream *parked;

enum { WORD_ADDRESS, WORD_VALUE, WORD_HOW };

/* Others may write the memory with plain stores, which the thread sanitizer would call a race: that
 * is what such a wait is for. What our own writes order it is told instead. */
#if defined(__SANITIZE_THREAD__)
#define WITH_TSAN 1
#define UNCHECKED __attribute__((no_sanitize_thread))
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WITH_TSAN 1
#define UNCHECKED __attribute__((no_sanitize("thread")))
#endif
#endif

#ifdef WITH_TSAN
#include <sanitizer/tsan_interface.h>
#define ACQUIRES_AT(address) __tsan_acquire(address)
#else
#define UNCHECKED
#define ACQUIRES_AT(address) ((void)0)
#endif

UNCHECKED static uint64_t load(const struct rt_task *task)
{
    void *address = task->word[WORD_ADDRESS].pointer;
    uint64_t value = *(const volatile uint64_t *)address;
    atomic_thread_fence(memory_order_acquire);
    ACQUIRES_AT(address);
    return value;
}

static bool has_come(const struct rt_task *task)
{
    uint64_t found = load(task);
    uint64_t value = task->word[WORD_VALUE].number;
    switch (task->word[WORD_HOW].number) {
    case ACL_STREAM_WAIT_VALUE_GEQ:
        return (int64_t)(found - value) >= 0;
    case ACL_STREAM_WAIT_VALUE_EQ:
        return found == value;
    case ACL_STREAM_WAIT_VALUE_AND:
        return (found & value) != 0;
    default:
        return ~(found | value) != 0;
    }
}

static void leave_list(struct rt_stream *stream)
{
    struct rt_stream **link = &parked;
    while (*link != stream)
        link = &(*link)->waits_at.next;
    *link = stream->waits_at.next;
    stream->waits_at.place = NULL;
    atomic_fetch_sub_explicit(&rt_value_waits, 1, memory_order_relaxed);
}

static void look(void)
{
    RT_POINT("before values are looked at");
    pthread_mutex_lock(&lock);
    for (struct rt_stream *stream = parked, *next; stream; stream = next) {
        next = stream->waits_at.next;
        if (!has_come(stream->waits_at.task)) continue;
        stream->waits_at.task->word[RT_TASK_NOTE].number = true;
        leave_list(stream);
        rt_queue_unpark(stream);
        rt_object_release(&stream->object);
    }
    pthread_mutex_unlock(&lock);
}

static void enlist(struct rt_task *task, struct rt_stream *stream)
{
    const struct rt_wait wait = {.awaits = RT_AWAITS_ANYTHING, .is_polled = true};
    rt_object_retain(&stream->object);
    stream->waits_at.place = &parked;
    stream->waits_at.task = task;
    stream->waits_at.next = parked;
    parked = stream;
    atomic_fetch_add_explicit(&rt_value_waits, 1, memory_order_seq_cst);
    rt_queue_expect(stream, &wait);
}

/* Listed before the last look, as a write of ours looks for waits after it has written. */
static bool is_wait_over(struct rt_task *task, struct rt_stream *stream)
{
    pthread_mutex_lock(&lock);
    bool is_over = task->word[RT_TASK_NOTE].number != 0 || has_come(task);
    if (!is_over && stream->waits_at.place != &parked) {
        enlist(task, stream);
        RT_POINT("value's wait is listed");
        is_over = has_come(task);
    }
    bool leaves = is_over && stream->waits_at.place == &parked;
    if (leaves) leave_list(stream);
    task->word[RT_TASK_NOTE].number = is_over;
    pthread_mutex_unlock(&lock);
    RT_POINT("value was looked at");
    if (leaves) rt_object_release(&stream->object);
    return is_over;
}

static void run_wait(struct rt_task *task, struct rt_stream *stream)
{
    (void)task;
    (void)stream;
}

static void drop_wait(struct rt_task *task)
{
    pthread_mutex_lock(&lock);
    struct rt_stream *stream = parked;
    while (stream && stream->waits_at.task != task)
        stream = stream->waits_at.next;
    if (stream) leave_list(stream);
    pthread_mutex_unlock(&lock);
    rt_object_release(stream ? &stream->object : NULL);
}

static void leave_wait(struct rt_task *task, struct rt_stream *stream)
{
    (void)stream;
    drop_wait(task);
}

static void run_write(struct rt_task *task, struct rt_stream *stream)
{
    (void)stream;
    __atomic_store_n((uint64_t *)task->word[WORD_ADDRESS].pointer, task->word[WORD_VALUE].number,
                     __ATOMIC_SEQ_CST);
    rt_look_at_values();
}

static const struct rt_task_kind write_kind = {
    .name = "aclrtValueWrite", .run = run_write, .rerun = run_write};
static const struct rt_task_kind wait_kind = {.name = "aclrtValueWait",
                                              .run = run_wait,
                                              .rerun = run_wait,
                                              .drop = drop_wait,
                                              .leave = leave_wait,
                                              .ready = is_wait_over};

static aclError check_address(const char *who, const void *address)
{
    if (!address) return rt_error_report(ACL_ERROR_INVALID_PARAM, who, "devAddr is NULL");
    if ((uintptr_t)address % sizeof(uint64_t) != 0)
        return rt_error_report(ACL_ERROR_RT_ADDR_UNALIGNED, who,
                               "devAddr is %p; it must be aligned to 8 bytes", address);
    aclrtPtrAttributes attributes = {0};
    rt_memory_describe(address, &attributes);
    if (attributes.location.type != ACL_MEM_LOCATION_TYPE_DEVICE ||
        !rt_memory_is_known(address, sizeof(uint64_t)))
        return rt_error_report(ACL_ERROR_RT_PARAM_INVALID, who,
                               "devAddr is %p; 8 bytes there must be device memory", address);
    return ACL_SUCCESS;
}

aclError aclrtValueWrite(void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream)
{
    struct rt_stream *queue;
    aclError status = check_address(__func__, devAddr);
    if (status != ACL_SUCCESS) return status;
    RT_CHECK(flag == 0, ACL_ERROR_RT_PARAM_INVALID, "flag is %" PRIu32 "; it must be 0", flag);
    status = rt_stream_resolve(__func__, stream, &queue);
    if (status != ACL_SUCCESS) return status;
    if (rt_check_on()) rt_check_hooks.signal(queue, devAddr, RT_CHECK_SET, value);
    bool is_awaited = atomic_load_explicit(&rt_value_waits, memory_order_relaxed) > 0;
    struct rt_task task = {.kind = &write_kind,
                           .word = {[WORD_ADDRESS].pointer = devAddr, [WORD_VALUE].number = value}};
    return rt_stream_submit(queue, &task, is_awaited ? RT_SUBMIT_LARGE : 0);
}

aclError aclrtValueWait(void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream)
{
    struct rt_stream *queue;
    aclError status = check_address(__func__, devAddr);
    if (status != ACL_SUCCESS) return status;
    RT_CHECK(flag <= ACL_STREAM_WAIT_VALUE_NOR, ACL_ERROR_RT_PARAM_INVALID,
             "flag is %" PRIu32 "; it must be one of ACL_STREAM_WAIT_VALUE_", flag);
    status = rt_stream_resolve(__func__, stream, &queue);
    if (status != ACL_SUCCESS) return status;
    struct rt_task task = {.kind = &wait_kind,
                           .word = {[WORD_ADDRESS].pointer = devAddr,
                                    [WORD_VALUE].number = value,
                                    [WORD_HOW].number = flag}};
    static const enum rt_check_number how[] = {
        [ACL_STREAM_WAIT_VALUE_GEQ] = RT_CHECK_WAIT_GEQ,
        [ACL_STREAM_WAIT_VALUE_EQ] = RT_CHECK_WAIT_EQ,
        [ACL_STREAM_WAIT_VALUE_AND] = RT_CHECK_WAIT_AND,
        [ACL_STREAM_WAIT_VALUE_NOR] = RT_CHECK_WAIT_ANY,
    };
    if (rt_check_on()) rt_check_hooks.await(queue, devAddr, how[flag], value, false);
    return rt_stream_submit(queue, &task, 0);
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
    parked = NULL;
    atomic_store_explicit(&rt_value_waits, 0, memory_order_relaxed);
}

__attribute__((constructor)) static void offer_hooks(void)
{
    static const struct rt_fork_handlers handlers = {before_fork, in_parent, in_child};
    rt_fork_guard(RT_FORK_VALUE, &handlers);
    rt_hooks.look_at_values = look;
}
