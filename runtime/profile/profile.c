/* SPDX-License-Identifier: Apache-2.0 */
/* The hooks of profile.h while something is recorded, and the sums per operator. Locks: none but
 * those of timeline.c, which writes. */
#include "runtime/profile/profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/profile_records.h"
#include "runtime/profile/profile_reports.h"
#include "runtime/profile/timeline.h"
#include "runtime/schedule/context.h"
#include "runtime/schedule/queue.h"
#include "runtime/schedule/stream.h"
#include "runtime/support/alloc.h"
#include "runtime/support/checked.h"
#include "runtime/support/config.h"
#include "runtime/support/log.h"
#include "runtime/support/thread.h"

#include "acl/acl_prof.h"

/* What is known of a task while it runs. */
struct rt_profile_note {
    const struct rt_stream *track;
    const char *name;
    uint64_t bytes;
    double flops;
    uint64_t arrow;
    int64_t begin;
    const char *step; /* its last one so far, NULL: none; not written down yet */
    size_t step_bytes;
    int64_t step_begin, step_end;
    uint8_t traits;
    bool is_operator;
};

static bool is_asked(unsigned what)
{
    return (atomic_load_explicit(&rt_profile_flags, memory_order_acquire) & what) != 0;
}

static struct rt_profile_note *running_note(void)
{
    return rt_self.profile ? rt_self.profile->note : NULL;
}

void rt_profile_note_slowly(size_t bytes, double flops)
{
    struct rt_profile_note *note = running_note();
    if (!note) return;
    note->bytes += bytes;
    note->flops += flops;
}

uint64_t rt_profile_arrow_from(void)
{
    static _Atomic uint64_t last;
    struct rt_profile_note *note = rt_profile_on() ? running_note() : NULL;
    if (!note) return 0;
    note->arrow = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
    note->traits = RT_RECORD_ARROW_FROM;
    return note->arrow;
}

void rt_profile_arrow_to(uint64_t arrow)
{
    struct rt_profile_note *note = rt_profile_on() && arrow != 0 ? running_note() : NULL;
    if (!note) return;
    note->arrow = arrow;
    note->traits = RT_RECORD_ARROW_TO;
}

/* --- sums ----------------------------------------------------------------------------------- */

static struct rt_profile_sum *sum_of(struct rt_record_log *log, const char *name)
{
    static const char others[] = "(others)";
    for (int i = 0; i < RT_SUMS; i++) {
        struct rt_profile_sum *sum = &log->sums[i];
        const char *known = atomic_load_explicit(&sum->name, memory_order_relaxed);
        if (known == name) return sum;
        if (known && i < RT_SUMS - 1) continue;
        atomic_store_explicit(&sum->name, known ? others : name, memory_order_release);
        return sum;
    }
    return NULL;
}

#define SUM_UP(member, value)                                                                      \
    atomic_store_explicit(&sum->member,                                                            \
                          atomic_load_explicit(&sum->member, memory_order_relaxed) + (value),      \
                          memory_order_relaxed)

static void sum_up(struct rt_record_log *log, const struct rt_profile_note *note, int64_t ticks)
{
    struct rt_profile_sum *sum = sum_of(log, note->name);
    SUM_UP(calls, 1);
    SUM_UP(ticks, (uint64_t)ticks);
    SUM_UP(bytes, note->bytes);
    SUM_UP(flops, note->flops);
}

struct row {
    const char *name;
    double calls, ns, bytes, flops;
};

static int collect(struct row rows[RT_SUMS])
{
    int count = 0;
    const double ns_per_tick = rt_ticks_measure().ns_per_tick;
    for (struct rt_record_log *log = rt_record_logs(); log; log = log->next) {
        for (int i = 0; i < RT_SUMS; i++) {
            struct rt_profile_sum *sum = &log->sums[i];
            const char *name = atomic_load_explicit(&sum->name, memory_order_acquire);
            if (!name) break;
            int at = 0;
            while (at < count && strcmp(rows[at].name, name) != 0)
                at++;
            if (at == RT_SUMS) break;
            if (at == count) rows[count++] = (struct row){.name = name};
            rows[at].calls += (double)atomic_exchange(&sum->calls, 0);
            rows[at].ns += ns_per_tick * (double)atomic_exchange(&sum->ticks, 0);
            rows[at].bytes += (double)atomic_exchange(&sum->bytes, 0);
            rows[at].flops += atomic_exchange(&sum->flops, 0);
        }
    }
    return count;
}

static int by_time(const void *one, const void *other)
{
    double a = ((const struct row *)one)->ns, b = ((const struct row *)other)->ns;
    return (a < b) - (a > b);
}

/* On stderr, as ACLNN_CPU_LOG's lines. Work is expected to have ended: what a thread adds at this
 * moment may be left out. */
static void print_sums(void)
{
    struct row rows[RT_SUMS];
    int count = collect(rows);
    double calls = 0, ns = 0;
    for (int i = 0; i < count; i++) {
        calls += rows[i].calls;
        ns += rows[i].ns;
    }
    if (calls == 0) return;
    qsort(rows, (size_t)count, sizeof rows[0], by_time);
    rt_log_line("%-40s %10s %12s %12s %7s %9s %9s", "operator", "calls", "ms", "us/call", "share",
                "GB/s", "GFLOP/s");
    for (int i = 0; i < count; i++) {
        const struct row *row = &rows[i];
        if (row->calls == 0) continue;
        rt_log_line("%-40s %10.0f %12.3f %12.3f %6.1f%% %9.2f %9.2f", row->name, row->calls,
                    row->ns / 1e6, row->ns / 1e3 / row->calls, ns > 0 ? 100 * row->ns / ns : 0,
                    row->ns > 0 ? row->bytes / row->ns : 0, row->ns > 0 ? row->flops / row->ns : 0);
    }
    rt_log_line("%-40s %10.0f %12.3f %12.3f", "all", calls, ns / 1e6, ns / 1e3 / calls);
}

/* --- hooks ---------------------------------------------------------------------------------- */

static uint8_t traits_of(const struct rt_stream *stream)
{
    return stream == stream->context->default_stream ? RT_RECORD_DEFAULT : 0;
}

static void put_step(struct rt_record_log *log, const struct rt_profile_note *note)
{
    if (!is_asked(RT_PROFILE_STEPS)) return;
    rt_record_put(log, &(struct rt_record){.kind = RT_RECORD_STEP,
                                           .begin = note->step_begin,
                                           .end = note->step_end,
                                           .name = note->step,
                                           .bytes = note->step_bytes,
                                           .stream = note->track->object.serial,
                                           .traits = traits_of(note->track)});
}

/* A step that is all of its operator goes into the same record. */
static void put_run(struct rt_record_log *log, const struct rt_profile_note *note, unsigned asked,
                    uint64_t ticket, int64_t end)
{
    const unsigned both = RT_PROFILE_TASKS | RT_PROFILE_STEPS;
    bool is_whole = (asked & both) == both && note->step_begin == note->begin &&
                    note->step_bytes == note->bytes;
    if (note->step && !is_whole) put_step(log, note);
    if (!(asked & RT_PROFILE_TASKS)) return;
    struct rt_record run = {.kind = RT_RECORD_RUN,
                            .begin = note->begin,
                            .end = end,
                            .name = note->name,
                            .bytes = note->bytes,
                            .flops = note->flops,
                            .step = is_whole ? note->step : NULL,
                            .number = ticket,
                            .stream = note->track->object.serial,
                            .traits = note->traits | traits_of(note->track)};
    if (__builtin_expect(note->traits != 0, 0)) run.arrow = note->arrow;
    rt_record_put(log, &run);
}

/* What one thread has done may seem to begin before what another did before it ended, by the time
 * that a CPU reads its clock early; the slices of a track must not overlap. */
static int64_t later(int64_t one, int64_t other)
{
    return one > other ? one : other;
}

static int64_t parks(const struct rt_stream *stream)
{
    return later(rt_ticks(), stream->recorded_until);
}

static int64_t run_recorded(struct rt_stream *track, struct rt_task *task, rt_profile_run_fn *run,
                            struct rt_stream *stream, uint64_t ticket, int64_t parked_at,
                            int64_t now)
{
    struct rt_record_log *log = rt_record_own_log();
    if (__builtin_expect(!log, 0)) {
        run(task, stream);
        return 0;
    }
    struct rt_profile_note *outer = log->note;
    if (now == 0) now = log->claimed == track ? log->claimed_at : rt_ticks();
    struct rt_profile_note note = {
        .track = track, .name = task->kind->name, .begin = later(now, track->recorded_until)};
    log->claimed = NULL;
    log->note = &note;
    run(task, stream);
    log->note = outer;
    int64_t end = note.step ? note.step_end : later(rt_ticks(), note.begin);
    track->recorded_until = end;
    unsigned asked = atomic_load_explicit(&rt_profile_flags, memory_order_acquire);
    if ((asked & RT_PROFILE_SUMMARY) && (note.is_operator || note.bytes > 0))
        sum_up(log, &note, end - note.begin);
    if (parked_at != 0) note.begin = parked_at;
    put_run(log, &note, asked, ticket, end);
    return end;
}

static void next_begins(const struct rt_stream *stream, int64_t now)
{
    struct rt_record_log *log = rt_self.profile;
    if (!log) return;
    log->claimed = stream;
    log->claimed_at = now;
}

int64_t rt_profile_operator_slowly(const char *name, size_t bytes, double flops)
{
    struct rt_profile_note *note = running_note();
    if (!note) return rt_ticks();
    note->is_operator = true;
    note->name = name;
    note->bytes = bytes;
    note->flops = flops;
    return note->begin;
}

static void operator_since(const char *name, size_t bytes, int64_t begin)
{
    struct rt_profile_note *note = running_note();
    if (!note) return;
    rt_profile_operator_slowly(name, bytes, 0);
    if (begin != 0) note->begin = later(begin, note->track->recorded_until);
}

int64_t rt_profile_step(const char *name, int64_t begin, size_t bytes)
{
    int64_t end = later(rt_ticks(), begin);
    struct rt_profile_note *note = running_note();
    if (!note) return end;
    if (note->step) put_step(rt_self.profile, note);
    note->step = name;
    note->step_bytes = bytes;
    note->step_begin = begin;
    note->step_end = end;
    return end;
}

static void record_call(enum rt_record_kind kind, const char *name, int64_t begin, int64_t end,
                        size_t bytes, const struct rt_stream *stream, uint64_t number)
{
    struct rt_record_log *log = is_asked(RT_PROFILE_HOST) ? rt_record_own_log() : NULL;
    if (!log) return;
    struct rt_record record = {.kind = kind,
                               .begin = begin,
                               .end = end,
                               .name = name,
                               .bytes = bytes,
                               .number = number,
                               .stream = stream ? stream->object.serial : 0};
    if (rt_check_on() && (kind == RT_RECORD_SUBMIT || kind == RT_RECORD_CALL)) {
        record.arrow = rt_check_take_number();
        if (record.arrow != 0) record.traits = RT_RECORD_CHECKED;
    }
    rt_record_put(log, &record);
}

static void record_race(uint64_t first, uint64_t second)
{
    struct rt_record_log *log = is_asked(RT_PROFILE_HOST) ? rt_record_own_log() : NULL;
    if (!log) return;
    const int64_t now = rt_ticks();
    rt_record_put(log, &(struct rt_record){.kind = RT_RECORD_RACE,
                                           .begin = now,
                                           .end = now,
                                           .name = "race",
                                           .number = first,
                                           .arrow = second});
}

void rt_profile_call(const char *name, int64_t begin, size_t bytes)
{
    record_call(RT_RECORD_CALL, name, begin, rt_ticks(), bytes, NULL, 0);
}

void rt_profile_plan(const char *operator_name, int64_t begin)
{
    record_call(RT_RECORD_PLAN, operator_name, begin, rt_ticks(), 0, NULL, 0);
}

static void record_submit(struct rt_stream *stream, const char *name, uint64_t ticket,
                          int64_t begin, bool is_moment)
{
    record_call(RT_RECORD_SUBMIT, name, begin, is_moment ? begin : rt_ticks(), 0, stream, ticket);
}

static void record_wait(struct rt_stream *stream, int64_t begin)
{
    record_call(RT_RECORD_WAIT, "wait for a stream", begin, rt_ticks(), 0, stream, 0);
}

/* --- start and end -------------------------------------------------------------------------- */

void rt_profile_start(const char *timeline, bool summary)
{
    if (timeline) rt_timeline_open(timeline);
    unsigned flags = summary ? RT_PROFILE_SUMMARY : 0;
    if (timeline || summary) rt_ticks_choose();
    if (timeline) flags |= RT_PROFILE_HOST | RT_PROFILE_TASKS | RT_PROFILE_STEPS | RT_PROFILE_MARKS;
    if (flags != 0) atomic_fetch_or_explicit(&rt_profile_flags, flags, memory_order_release);
    if (timeline) rt_profile_tell_start(ACL_PROF_ACL_API | ACL_PROF_TASK_TIME | ACL_PROF_MSPROFTX);
}

static void start_as_asked(const struct rt_config *config)
{
    rt_profile_start(config->timeline, config->summary);
}

__attribute__((constructor)) static void offer_hooks(void)
{
    rt_config_is_read = start_as_asked;
    rt_record_hooks = (struct rt_record_hooks){.run = run_recorded,
                                               .parks = parks,
                                               .next_begins = next_begins,
                                               .submit = record_submit,
                                               .operator_since = operator_since,
                                               .wait = record_wait};
    rt_check_hooks.raced = record_race;
}

void rt_profile_finish(void)
{
    if (is_asked(RT_PROFILE_SUMMARY)) print_sums();
    rt_timeline_write();
}

/* At the end of a program that does not call aclFinalize; nothing when it has. */
__attribute__((destructor)) static void finish_at_exit(void)
{
    if (rt_profile_on()) rt_profile_finish();
}
