/* SPDX-License-Identifier: Apache-2.0 */
/* Locks: none; the caller is the only reader of records. */
#include "runtime/profile/timeline_json.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "runtime/support/alloc.h"
#include "runtime/support/checked.h"
#include "runtime/support/utf8.h"

/* No process has an id beyond 2^22: streams are shown as a process with one. */
enum { STREAMS_PROCESS = 1 << 22 };

/* The first number of a place: a stream's, for its submits, or one of these. */
static const uint64_t EVENTS = UINT64_MAX, OPERATIONS = UINT64_MAX - 1, RUNS = UINT64_C(1) << 62;

/* --- places by two numbers ---------------------------------------------------------------------
 */

static struct rt_place *find_place(const struct rt_places *places, uint64_t first, uint64_t second)
{
    size_t mask = places->capacity - 1;
    size_t at = (size_t)((first * UINT64_C(0x9E3779B97F4A7C15)) ^
                         (second * UINT64_C(0xC2B2AE3D27D4EB4F)) >> 7);
    for (;; at++) {
        struct rt_place *place = &places->entries[at & mask];
        bool is_free = place->key[0] == 0 && place->key[1] == 0;
        if (is_free || (place->key[0] == first && place->key[1] == second)) return place;
    }
}

static bool grow_places(struct rt_places *places)
{
    struct rt_places larger = {.count = places->count,
                               .capacity = places->capacity ? 2 * places->capacity : 256};
    larger.entries = rt_alloc_zeroed(larger.capacity * sizeof(*larger.entries));
    if (!larger.entries) return false;
    for (size_t i = 0; i < places->capacity; i++) {
        const struct rt_place *old = &places->entries[i];
        if (old->key[0] || old->key[1]) *find_place(&larger, old->key[0], old->key[1]) = *old;
    }
    rt_free(places->entries);
    *places = larger;
    return true;
}

bool rt_places_add(struct rt_places *places, struct rt_place place)
{
    if (2 * places->count >= places->capacity && !grow_places(places)) return true;
    struct rt_place *entry = find_place(places, place.key[0], place.key[1]);
    bool is_new = entry->key[0] == 0 && entry->key[1] == 0;
    *entry = place;
    places->count += is_new;
    return is_new;
}

static const struct rt_place *known_place(const struct rt_places *places, uint64_t first,
                                          uint64_t second)
{
    if (places->count == 0) return NULL;
    const struct rt_place *entry = find_place(places, first, second);
    return entry->record ? entry : NULL;
}

void rt_places_free(struct rt_places *places)
{
    rt_free(places->entries);
    *places = (struct rt_places){0};
}

/* --- events ------------------------------------------------------------------------------------
 */

struct track {
    uint64_t process, thread;
};

static struct track host_track(uint64_t thread)
{
    return (struct track){.process = (uint64_t)getpid(), .thread = thread};
}

static struct track stream_track(uint64_t serial)
{
    return (struct track){.process = STREAMS_PROCESS + (uint64_t)getpid(), .thread = serial};
}

static void begin_event(struct rt_json *json, const char *phase, struct track track)
{
    fprintf(json->out, "%s{\"ph\":\"%s\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu64,
            json->events++ ? ",\n" : "", phase, track.process, track.thread);
}

static void put_time(struct rt_json *json, const char *member, int64_t ns)
{
    fprintf(json->out, ",\"%s\":%" PRId64 ".%03d", member, ns / 1000, (int)(ns % 1000));
}

static void put_moment(struct rt_json *json, int64_t ns)
{
    put_time(json, "ts", ns > json->base_ns ? ns - json->base_ns : 0);
}

static void put_name(struct rt_json *json, const char *name, const char *suffix,
                     const char *category)
{
    fputs(",\"name\":\"", json->out);
    rt_json_put_text(json->out, name, SIZE_MAX);
    fprintf(json->out, "%s\",\"cat\":\"%s\"", suffix, category);
}

static void put_metadata(struct rt_json *json, struct track track, const char *what,
                         const char *name, size_t longest)
{
    begin_event(json, "M", track);
    fprintf(json->out, ",\"name\":\"%s\",\"args\":{\"name\":\"", what);
    rt_json_put_text(json->out, name, longest);
    fputs("\"}}", json->out);
}

static void name_stream(struct rt_json *json, const struct rt_record *record)
{
    if (!rt_places_add(&json->streams, (struct rt_place){.key = {record->stream, 1}})) return;
    char name[64];
    snprintf(name, sizeof(name), "%sstream %" PRIu64,
             record->traits & RT_RECORD_DEFAULT ? "default " : "", (uint64_t)record->stream);
    put_metadata(json, stream_track(record->stream), "thread_name", name, SIZE_MAX);
}

static void put_arrow_end(struct rt_json *json, const char *phase, const char *name,
                          struct track track, int64_t ns)
{
    begin_event(json, phase, track);
    fprintf(json->out, ",\"id\":%" PRIu64, json->arrows);
    put_moment(json, ns);
    put_name(json, name, "", "arrow");
    fputs(*phase == 'f' ? ",\"bp\":\"e\"}" : "}", json->out);
}

/* When a record began and ended, in nanoseconds of CLOCK_MONOTONIC. */
struct span {
    int64_t begin, end;
};

static struct span span_of(const struct rt_json *json, const struct rt_record *record)
{
    return (struct span){.begin = rt_ticks_to_ns(&json->line, record->begin),
                         .end = rt_ticks_to_ns(&json->line, record->end)};
}

/* Inside the slice of its source: readers take the one that is open at that moment. */
static int64_t just_inside(struct span source)
{
    return source.begin + (source.end > source.begin + 1);
}

/* Two CPUs' clocks may differ by a little: an arrow does not lead back for that. */
static int64_t not_before(int64_t from, int64_t moment, struct span target)
{
    return moment < from && from < target.end ? from : moment;
}

static void put_arrows(struct rt_json *json, const struct rt_places *sources,
                       const struct rt_record *record)
{
    const struct track target = stream_track(record->stream);
    const struct span span = span_of(json, record);
    const struct rt_place *submit = known_place(sources, record->stream, record->number);
    if (submit) {
        const int64_t from = just_inside(span_of(json, submit->record));
        json->arrows++;
        put_arrow_end(json, "s", "submit", host_track(submit->thread), from);
        put_arrow_end(json, "f", "submit", target, not_before(from, span.begin, span));
    }
    const struct rt_place *event =
        record->traits & RT_RECORD_ARROW_TO ? known_place(sources, EVENTS, record->arrow) : NULL;
    if (!event) return;
    int64_t arrival = span.end - 1;
    json->arrows++;
    put_arrow_end(json, "s", "event", stream_track(event->record->stream),
                  just_inside(span_of(json, event->record)));
    put_arrow_end(json, "f", "event", target, arrival > span.begin ? arrival : span.begin);
}

/* The slice of an operation by its number in reports: the run of a stream's task, or the host's
 * call. */
struct slice {
    struct track track;
    struct span span;
};

static bool find_operation(const struct rt_json *json, const struct rt_places *sources,
                           uint64_t number, struct slice *slice)
{
    const struct rt_place *call = known_place(sources, OPERATIONS, number);
    if (!call) return false;
    const struct rt_record *record = call->record;
    if (record->kind != RT_RECORD_SUBMIT) {
        *slice = (struct slice){host_track(call->thread), span_of(json, record)};
        return true;
    }
    const struct rt_place *run = known_place(sources, RUNS | record->stream, record->number);
    if (!run) return false;
    *slice = (struct slice){stream_track(record->stream), span_of(json, run->record)};
    return true;
}

/* A mark where it was found, and an arrow from the one that began earlier. */
static void put_race(struct rt_json *json, const struct rt_places *sources,
                     const struct rt_record *record, struct track track)
{
    begin_event(json, "i", track);
    put_moment(json, span_of(json, record).begin);
    put_name(json, record->name, "", "race");
    fprintf(json->out, ",\"s\":\"t\",\"args\":{\"first\":%" PRIu64 ",\"second\":%" PRIu64 "}}",
            record->number, record->arrow);
    struct slice from, to;
    if (!find_operation(json, sources, record->number, &from) ||
        !find_operation(json, sources, record->arrow, &to))
        return;
    if (to.span.begin < from.span.begin) {
        const struct slice later = from;
        from = to;
        to = later;
    }
    const int64_t begin = just_inside(from.span);
    json->arrows++;
    put_arrow_end(json, "s", "race", from.track, begin);
    put_arrow_end(json, "f", "race", to.track, not_before(begin, to.span.begin, to.span));
}

static const struct shape {
    const char *category, *suffix;
} shapes[] = {
    [RT_RECORD_RUN] = {"task", ""},      [RT_RECORD_STEP] = {"step", ""},
    [RT_RECORD_SUBMIT] = {"submit", ""}, [RT_RECORD_PLAN] = {"plan", "GetWorkspaceSize"},
    [RT_RECORD_CALL] = {"call", ""},     [RT_RECORD_WAIT] = {"wait", ""},
    [RT_RECORD_MARK] = {"mark", ""},     [RT_RECORD_RANGE] = {"range", ""},
};

static void put_arguments(struct rt_json *json, const struct rt_record *record, uint64_t thread)
{
    const char *comma = "";
    fputs(",\"args\":{", json->out);
    if (record->kind == RT_RECORD_SUBMIT || record->kind == RT_RECORD_WAIT) {
        fprintf(json->out, "\"stream\":%" PRIu64, (uint64_t)record->stream);
        comma = ",";
    }
    if (record->kind == RT_RECORD_SUBMIT || record->kind == RT_RECORD_RUN) {
        fprintf(json->out, "%s\"task\":%" PRIu64, comma, record->number);
        comma = ",";
    }
    if (record->kind == RT_RECORD_RUN || record->kind == RT_RECORD_STEP) {
        fprintf(json->out, "%s\"thread\":%" PRIu64, comma, thread);
        comma = ",";
    }
    if (record->bytes > 0) {
        const struct span span = span_of(json, record);
        fprintf(json->out, "%s\"bytes\":%" PRIu64, comma, record->bytes);
        comma = ",";
        if (record->kind == RT_RECORD_RUN && span.end > span.begin)
            fprintf(json->out, ",\"GB/s\":%.3f",
                    (double)record->bytes / (double)(span.end - span.begin));
    }
    const unsigned arrows = RT_RECORD_ARROW_FROM | RT_RECORD_ARROW_TO | RT_RECORD_CHECKED;
    if (!(record->traits & arrows) && record->flops > 0)
        fprintf(json->out, "%s\"flops\":%.0f", comma, record->flops);
    if (record->traits & RT_RECORD_CHECKED)
        fprintf(json->out, "%s\"operation\":%" PRIu64, comma, record->arrow);
    fputs("}}", json->out);
}

static void put_slice(struct rt_json *json, const struct rt_record *record, struct track track,
                      uint64_t thread)
{
    const struct shape *shape = &shapes[record->kind];
    const struct span span = span_of(json, record);
    int64_t begin = span.begin > json->base_ns ? span.begin : json->base_ns;
    begin_event(json, "X", track);
    put_moment(json, begin);
    put_time(json, "dur", span.end > begin ? span.end - begin : 1);
    put_name(json, record->name, shape->suffix, shape->category);
    put_arguments(json, record, thread);
}

static void put_only_step(struct rt_json *json, const struct rt_record *run, struct track track,
                          uint64_t thread)
{
    struct rt_record step = *run;
    step.kind = RT_RECORD_STEP;
    step.name = run->step;
    step.flops = 0;
    put_slice(json, &step, track, thread);
}

static void put_range(struct rt_json *json, const struct rt_record *record, struct track track)
{
    const struct span span = span_of(json, record);
    for (int end = 0; end < 2; end++) {
        begin_event(json, end ? "e" : "b", track);
        fprintf(json->out, ",\"id\":\"range %" PRIu64 "\"", record->number);
        put_moment(json, end ? span.end : span.begin);
        put_name(json, record->name, "", "range");
        fputs("}", json->out);
    }
}

void rt_json_put_record(struct rt_json *json, const struct rt_places *sources,
                        const struct rt_record *record, uint64_t thread)
{
    bool is_streams =
        record->stream != 0 && record->kind != RT_RECORD_SUBMIT && record->kind != RT_RECORD_WAIT;
    struct track track = is_streams ? stream_track(record->stream) : host_track(thread);
    if (is_streams) name_stream(json, record);
    switch (record->kind) {
    case RT_RECORD_THREAD:
        put_metadata(json, host_track(thread), "thread_name", record->text, sizeof(record->text));
        break;
    case RT_RECORD_RANGE:
        put_range(json, record, track);
        break;
    case RT_RECORD_RACE:
        put_race(json, sources, record, track);
        break;
    case RT_RECORD_MARK:
        begin_event(json, "i", track);
        put_moment(json, span_of(json, record).begin);
        put_name(json, record->name, "", "mark");
        fputs(",\"s\":\"t\"}", json->out);
        break;
    default:
        put_slice(json, record, track, thread);
        if (record->kind == RT_RECORD_RUN && record->step)
            put_only_step(json, record, track, thread);
        if (record->kind == RT_RECORD_RUN) put_arrows(json, sources, record);
    }
}

/* --- what is no record ----------------------------------------------------------------------- */

void rt_json_add_source(struct rt_places *sources, const struct rt_record *record, uint64_t thread)
{
    struct rt_place place = {.record = record, .thread = thread};
    if (record->traits & RT_RECORD_CHECKED) {
        place.key[0] = OPERATIONS;
        place.key[1] = record->arrow;
        rt_places_add(sources, place);
    }
    if (rt_check_on() && record->kind == RT_RECORD_RUN && record->number != 0) {
        place.key[0] = RUNS | record->stream;
        place.key[1] = record->number;
        rt_places_add(sources, place);
    }
    bool is_event = record->kind == RT_RECORD_RUN && (record->traits & RT_RECORD_ARROW_FROM);
    if (record->kind != RT_RECORD_SUBMIT && !is_event) return;
    place.key[0] = is_event ? EVENTS : record->stream;
    place.key[1] = is_event ? record->arrow : record->number;
    rt_places_add(sources, place);
}

void rt_json_put_thread(struct rt_json *json, uint64_t thread, const char *name, size_t longest)
{
    put_metadata(json, host_track(thread), "thread_name", name, longest);
}

void rt_json_put_processes(struct rt_json *json)
{
    char name[64] = "", title[96];
    FILE *comm = fopen("/proc/self/comm", "re");
    if (comm) {
        if (!fgets(name, sizeof(name), comm)) name[0] = '\0';
        fclose(comm);
        name[strcspn(name, "\n")] = '\0';
    }
    snprintf(title, sizeof(title), "%s: threads", name);
    put_metadata(json, host_track((uint64_t)getpid()), "process_name", title, SIZE_MAX);
    snprintf(title, sizeof(title), "%s: streams", name);
    put_metadata(json, stream_track(0), "process_name", title, SIZE_MAX);
}

void rt_json_put_lost(struct rt_json *json, int64_t now_ns, uint64_t count)
{
    begin_event(json, "i", host_track((uint64_t)getpid()));
    put_moment(json, now_ns);
    put_name(json, "events lost", "", "mark");
    fprintf(json->out, ",\"s\":\"g\",\"args\":{\"count\":%" PRIu64 "}}", count);
}
