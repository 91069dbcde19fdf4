/* SPDX-License-Identifier: Apache-2.0 */
/* The checker's hooks. One lock guards all of check/; the program's stack is taken before it, and
 * nothing else is locked inside but what a record of profile/ locks. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "runtime/check/alive.h"
#include "runtime/check/order.h"
#include "runtime/check/report.h"
#include "runtime/check/shadow.h"
#include "runtime/check/sizes.h"
#include "runtime/support/checked.h"
#include "runtime/support/fork.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t serial;
static _Thread_local uint64_t
    inside; /* the serial of the function that this thread runs, plus one */

static bool has_shadow(void)
{
    return (rt_check_flags & (RT_CHECK_RACE | RT_CHECK_MEMORY | RT_CHECK_INIT)) != 0;
}

/* --- hooks: memory and objects -------------------------------------------------------------- */

static bool is_memory(enum rt_check_thing thing)
{
    return thing <= RT_CHECK_HOST_MEMORY;
}

static void born(enum rt_check_thing thing, const void *what, size_t bytes)
{
    const bool is_kept = (rt_check_flags & RT_CHECK_LEAK) != 0;
    const bool is_shadowed = is_memory(thing) && has_shadow();
    if (!is_kept && !is_shadowed) return;
    struct rt_check_stack stack;
    rt_check_stack_take(&stack);
    /* A NaN in every float type. Mapped memory may have been mapped and written before. */
    if (thing == RT_CHECK_DEVICE_MEMORY && (rt_check_flags & RT_CHECK_INIT) != 0)
        memset((void *)(uintptr_t)what, 0xFF, bytes);
    pthread_mutex_lock(&lock);
    const struct rt_check_site *site = rt_check_site_of(&stack);
    if (is_kept) rt_check_alive_add(thing, what, bytes, site);
    if (is_shadowed) rt_check_block_add(thing, what, bytes, site);
    pthread_mutex_unlock(&lock);
}

static void free_memory(const void *what, const struct rt_check_site *site)
{
    struct rt_check_block *block = rt_check_block_find(what);
    if (!block || block->node.memory != what) return;
    const struct rt_check_use *use = (rt_check_flags & RT_CHECK_MEMORY) != 0 && !rt_check_is_own
                                         ? rt_check_block_unfinished(block, rt_check_order_host())
                                         : NULL;
    if (use) rt_check_judge_early(block, use, site);
    rt_check_block_remove(block, site);
}

static void died(enum rt_check_thing thing, const void *what)
{
    struct rt_check_stack stack = {0};
    const bool is_shadowed = is_memory(thing) && has_shadow();
    const bool is_noted = (thing == RT_CHECK_TENSOR || thing == RT_CHECK_EXECUTOR) &&
                          (rt_check_flags & RT_CHECK_DEVICE) != 0;
    if (is_shadowed || is_noted) rt_check_stack_take(&stack);
    pthread_mutex_lock(&lock);
    /* What goes with a context that the program has left is left behind all the same. */
    if (!rt_check_is_own || thing < RT_CHECK_STREAM) rt_check_alive_remove(what);
    if (is_noted) rt_check_alive_note_end(what, rt_check_site_of(&stack));
    if (is_noted && thing == RT_CHECK_TENSOR && !rt_check_is_own)
        rt_check_sizes_end(what, rt_check_site_of(&stack), rt_check_order_host());
    if (is_shadowed)
        free_memory(what, rt_check_site_of(&stack));
    else if (thing == RT_CHECK_STREAM)
        rt_check_order_ended((struct rt_stream *)(uintptr_t)what);
    else if (thing == RT_CHECK_GRAPH)
        rt_check_order_graph_ended(what);
    else if (thing == RT_CHECK_EVENT || thing == RT_CHECK_NOTIFY)
        rt_check_order_forget(what);
    pthread_mutex_unlock(&lock);
}

/* --- hooks: what is queued ------------------------------------------------------------------ */

static void submit(struct rt_stream *stream, struct rt_check_step *step,
                   const struct rt_check_stack *stack)
{
    pthread_mutex_lock(&lock);
    step->serial = ++serial;
    step->before = stream || inside == 0 ? UINT64_MAX : inside - 1;
    if (stack) step->site = rt_check_site_of(stack);
    const bool settles = step->count > 0 && (rt_check_flags & RT_CHECK_DEVICE) != 0;
    if (settles) rt_check_sizes_queued(step, stream);
    const bool is_captured = !rt_check_order_submit(stream, step);
    if (settles && is_captured) rt_check_sizes_captured(step);
    const bool is_told_before = step->what == RT_CHECK_ACCESS || step->what == RT_CHECK_REPLAY;
    rt_check_number_of_call = is_told_before && !is_captured ? step->serial : 0;
    pthread_mutex_unlock(&lock);
}

static void access_bytes(struct rt_stream *stream, const char *name,
                         const struct rt_check_access *accesses, size_t count)
{
    if (!has_shadow() || count == 0) return;
    struct rt_check_stack stack;
    rt_check_stack_take(&stack);
    submit(stream,
           &(struct rt_check_step){
               .what = RT_CHECK_ACCESS, .name = name, .accesses = accesses, .count = count},
           &stack);
}

static void record(struct rt_stream *stream, const void *event)
{
    if (has_shadow())
        submit(stream, &(struct rt_check_step){.what = RT_CHECK_RECORD, .key = event}, NULL);
}

static void wait_event(struct rt_stream *stream, const void *event, bool is_lax)
{
    if (!has_shadow()) return;
    submit(stream, &(struct rt_check_step){.what = RT_CHECK_WAIT, .key = event, .is_lax = is_lax},
           NULL);
}

static void reset(const void *event)
{
    pthread_mutex_lock(&lock);
    rt_check_order_reset(event);
    pthread_mutex_unlock(&lock);
}

static void signal_number(struct rt_stream *stream, const void *number, enum rt_check_number how,
                          uint64_t value)
{
    if (!has_shadow()) return;
    submit(
        stream,
        &(struct rt_check_step){.what = RT_CHECK_SIGNAL, .key = number, .how = how, .value = value},
        NULL);
}

static void await_number(struct rt_stream *stream, const void *number, enum rt_check_number how,
                         uint64_t value, bool clears)
{
    if (!has_shadow()) return;
    submit(stream,
           &(struct rt_check_step){
               .what = RT_CHECK_AWAIT, .key = number, .how = how, .value = value, .clears = clears},
           NULL);
}

static void joined_stream(struct rt_stream *stream)
{
    pthread_mutex_lock(&lock);
    rt_check_order_joined(stream);
    pthread_mutex_unlock(&lock);
}

static void joined_event(const void *event)
{
    pthread_mutex_lock(&lock);
    rt_check_order_joined_event(event);
    pthread_mutex_unlock(&lock);
}

static void function(struct rt_stream *stream, uintptr_t address, const void *argument)
{
    if (!has_shadow()) return;
    submit(stream,
           &(struct rt_check_step){.what = RT_CHECK_FUNCTION, .key = argument, .value = address},
           NULL);
}

static void function_begins(uintptr_t address, const void *argument)
{
    pthread_mutex_lock(&lock);
    inside = rt_check_order_function(address, argument) + 1;
    pthread_mutex_unlock(&lock);
}

static void function_ends(void)
{
    inside = 0;
}

static void replay(struct rt_stream *stream, const void *graph)
{
    if (has_shadow())
        submit(stream, &(struct rt_check_step){.what = RT_CHECK_REPLAY, .key = graph}, NULL);
}

static void told(const char *rule, const char *name, const char *text, const void *dead)
{
    if (rt_check_is_own) return;
    struct rt_check_stack stack;
    char sentence[640];
    snprintf(sentence, sizeof sentence, "%s: %s", name, text);
    rt_check_stack_take(&stack);
    pthread_mutex_lock(&lock);
    const struct rt_check_site *end = dead ? rt_check_alive_end_of(dead) : NULL;
    rt_check_report(&(struct rt_check_report){
        .kind = "device",
        .rule = rule,
        .text = sentence,
        .parties = {{.title = "called", .name = name, .site = rt_check_site_of(&stack)},
                    {.title = "ended", .site = end}},
        .count = end ? 2 : 1});
    pthread_mutex_unlock(&lock);
}

static void end(void)
{
    pthread_mutex_lock(&lock);
    if ((rt_check_flags & RT_CHECK_LEAK) != 0) rt_check_alive_report();
    rt_check_report_end();
    pthread_mutex_unlock(&lock);
}

/* --- load, fork, exit ----------------------------------------------------------------------- */

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
}

__attribute__((constructor)) static void offer_hooks(void)
{
    static const struct rt_fork_handlers handlers = {before_fork, in_parent, in_child};
    const unsigned flags = rt_check_settings_read();
    if (flags == 0) return;
    rt_fork_guard(RT_FORK_CHECK, &handlers);
    rt_check_hooks.born = born;
    rt_check_hooks.died = died;
    rt_check_hooks.access = access_bytes;
    rt_check_hooks.record = record;
    rt_check_hooks.wait = wait_event;
    rt_check_hooks.reset = reset;
    rt_check_hooks.signal = signal_number;
    rt_check_hooks.await = await_number;
    rt_check_hooks.joined_stream = joined_stream;
    rt_check_hooks.joined_event = joined_event;
    rt_check_hooks.function = function;
    rt_check_hooks.function_begins = function_begins;
    rt_check_hooks.function_ends = function_ends;
    rt_check_hooks.replay = replay;
    rt_check_hooks.told = told;
    rt_check_hooks.end = end;
    rt_check_flags = flags;
}

/* After the other files' destructors, since it may end the process with a status of its own. */
__attribute__((destructor(101))) static void finish_at_exit(void)
{
    if (!rt_check_on()) return;
    end();
    rt_check_report_exit();
}
