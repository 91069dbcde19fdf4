/* SPDX-License-Identifier: Apache-2.0 */
/* A timeline's file as a reader of Chrome's trace format takes it: parsed by cJSON, and checked for
 * all that such a reader relies on. */
#ifndef ACLNN_CPU_TESTS_UNIT_TIMELINE_FILE_H
#define ACLNN_CPU_TESTS_UNIT_TIMELINE_FILE_H

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Times in nanoseconds: those of the file have three places. */
struct timeline_event {
    const cJSON *json;
    char phase;
    const char *name, *category;
    double process, thread, id;
    int64_t begin, end;
};

struct timeline {
    cJSON *root;
    struct timeline_event *events; /* by begin */
    size_t count;
};

static inline const char *timeline_text(const cJSON *event, const char *member)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(event, member);
    return cJSON_IsString(value) ? value->valuestring : "";
}

static inline double timeline_number(const cJSON *event, const char *member)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(event, member);
    return cJSON_IsNumber(value) ? value->valuedouble : NAN;
}

static inline double timeline_argument(const struct timeline_event *event, const char *member)
{
    return timeline_number(cJSON_GetObjectItemCaseSensitive(event->json, "args"), member);
}

static inline int timeline_compare_numbers(double a, double b)
{
    return (a > b) - (a < b);
}

static inline int timeline_compare_tracks(const struct timeline_event *one,
                                          const struct timeline_event *other)
{
    int order = timeline_compare_numbers(one->process, other->process);
    return order ? order : timeline_compare_numbers(one->thread, other->thread);
}

static inline bool timeline_same_track(const struct timeline_event *one,
                                       const struct timeline_event *other)
{
    return timeline_compare_tracks(one, other) == 0;
}

/* By begin, then the longer first. */
static inline int timeline_by_time(const void *left, const void *right)
{
    const struct timeline_event *one = left, *other = right;
    if (one->begin != other->begin) return one->begin < other->begin ? -1 : 1;
    return (one->end < other->end) - (one->end > other->end);
}

static inline int timeline_by_track(const void *left, const void *right)
{
    int order = timeline_compare_tracks(left, right);
    return order ? order : timeline_by_time(left, right);
}

static inline int timeline_by_id(const void *left, const void *right)
{
    const struct timeline_event *one = left, *other = right;
    int order = timeline_compare_numbers(one->id, other->id);
    return order ? order : (one->phase == 'f') - (other->phase == 'f');
}

/* Slices of a track lie one in another or beside each other. */
static inline void timeline_check_nesting(const struct timeline_event *slices, size_t count)
{
    enum { DEEPEST = 64 };
    const struct timeline_event *open[DEEPEST];
    int depth = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && !timeline_same_track(&slices[i - 1], &slices[i])) depth = 0;
        while (depth > 0 && open[depth - 1]->end <= slices[i].begin)
            depth--;
        if (depth > 0)
            cr_assert_leq(slices[i].end, open[depth - 1]->end,
                          "%s at %lld ends behind %s around it", slices[i].name,
                          (long long)slices[i].begin, open[depth - 1]->name);
        cr_assert_lt(depth, DEEPEST);
        open[depth++] = &slices[i];
    }
}

/* Among slices by track: some slice of the event's track is open then. */
static inline bool timeline_is_inside(const struct timeline_event *event,
                                      const struct timeline_event *slices, size_t count)
{
    enum { FAR = 64 };
    struct timeline_event latest = *event;
    latest.end = INT64_MIN;
    size_t low = 0, high = count; /* behind the last that does not begin later */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (timeline_by_track(&slices[middle], &latest) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = 0; i < FAR && i < low; i++) {
        const struct timeline_event *slice = &slices[low - 1 - i];
        if (timeline_same_track(slice, event) && event->begin < slice->end) return true;
    }
    return false;
}

/* Each arrow has one beginning and one end, not before it, each at a slice. */
static inline void timeline_check_arrows(const struct timeline_event *ends, size_t count,
                                         const struct timeline_event *slices, size_t slice_count)
{
    cr_assert_eq(count % 2, 0);
    for (size_t i = 0; i < count; i += 2) {
        const struct timeline_event *from = &ends[i], *to = &ends[i + 1];
        cr_assert(from->phase == 's' && to->phase == 'f' && from->id == to->id);
        cr_assert(i == 0 || ends[i - 1].id < from->id);
        cr_assert_leq(from->begin, to->begin);
        cr_assert(timeline_is_inside(from, slices, slice_count), "%s", from->name);
        cr_assert(timeline_is_inside(to, slices, slice_count), "%s", to->name);
        cr_assert_str_eq(timeline_text(to->json, "bp"), "e");
    }
}

static inline struct timeline_event timeline_event(const cJSON *json)
{
    struct timeline_event event = {.json = json,
                                   .phase = *timeline_text(json, "ph"),
                                   .name = timeline_text(json, "name"),
                                   .category = timeline_text(json, "cat"),
                                   .process = timeline_number(json, "pid"),
                                   .thread = timeline_number(json, "tid"),
                                   .id = timeline_number(json, "id"),
                                   .begin = -1};
    cr_assert(strlen(timeline_text(json, "ph")) == 1 && strchr("XMisfbe", event.phase));
    cr_assert(event.process > 0 && event.thread >= 0);
    cr_assert(cJSON_IsString(cJSON_GetObjectItemCaseSensitive(json, "name")));
    if (event.phase == 'M') {
        const cJSON *arguments = cJSON_GetObjectItemCaseSensitive(json, "args");
        cr_assert_str_neq(timeline_text(arguments, "name"), "");
        return event;
    }
    cr_assert_geq(timeline_number(json, "ts"), 0);
    event.begin = event.end = llround(timeline_number(json, "ts") * 1000);
    if (event.phase != 'X') return event;
    cr_assert_gt(timeline_number(json, "dur"), 0);
    event.end += llround(timeline_number(json, "dur") * 1000);
    return event;
}

static inline size_t timeline_select(const struct timeline *timeline, const char *phases,
                                     struct timeline_event *selected)
{
    size_t count = 0;
    for (size_t i = 0; i < timeline->count; i++)
        if (strchr(phases, timeline->events[i].phase)) selected[count++] = timeline->events[i];
    return count;
}

static inline void timeline_check_names(const struct timeline *timeline,
                                        const struct timeline_event *slices, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && timeline_same_track(&slices[i - 1], &slices[i])) continue;
        bool is_named = false;
        for (size_t j = 0; j < timeline->count && !is_named; j++)
            is_named = timeline->events[j].phase == 'M' &&
                       timeline_same_track(&timeline->events[j], &slices[i]) &&
                       strcmp(timeline->events[j].name, "thread_name") == 0;
        cr_assert(is_named, "no name for the track of %s", slices[i].name);
    }
}

static inline void timeline_check(const struct timeline *timeline)
{
    struct timeline_event *slices = calloc(2 * timeline->count + 1, sizeof *slices);
    cr_assert_not_null(slices);
    struct timeline_event *ends = slices + timeline->count;
    size_t count = timeline_select(timeline, "X", slices);
    size_t arrows = timeline_select(timeline, "sf", ends);
    qsort(slices, count, sizeof *slices, timeline_by_track);
    qsort(ends, arrows, sizeof *ends, timeline_by_id);
    timeline_check_nesting(slices, count);
    timeline_check_arrows(ends, arrows, slices, count);
    timeline_check_names(timeline, slices, count);
    free(slices);
}

static inline struct timeline timeline_read(const char *path)
{
    struct timeline timeline = {0};
    FILE *file = fopen(path, "re");
    cr_assert_not_null(file, "%s", path);
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    char *text = malloc(size + 1);
    cr_assert_not_null(text);
    rewind(file);
    cr_assert_eq(fread(text, 1, size, file), size);
    text[size] = '\0';
    fclose(file);
    timeline.root = cJSON_ParseWithOpts(text, NULL, true);
    cr_assert_not_null(timeline.root, "%s is no JSON near %.40s", path, cJSON_GetErrorPtr());
    free(text);
    const cJSON *json, *events = cJSON_GetObjectItemCaseSensitive(timeline.root, "traceEvents");
    cr_assert(cJSON_IsArray(events));
    cr_assert_str_eq(timeline_text(timeline.root, "displayTimeUnit"), "ns");
    timeline.events = calloc((size_t)cJSON_GetArraySize(events) + 1, sizeof *timeline.events);
    cr_assert_not_null(timeline.events);
    cJSON_ArrayForEach(json, events)
    {
        timeline.events[timeline.count++] = timeline_event(json);
    }
    qsort(timeline.events, timeline.count, sizeof *timeline.events, timeline_by_time);
    timeline_check(&timeline);
    return timeline;
}

static inline void timeline_free(struct timeline *timeline)
{
    free(timeline->events);
    cJSON_Delete(timeline->root);
}

/* The n-th event in time (from 0) of that phase, and of the category and the name unless these are
 * NULL; or NULL. */
static inline const struct timeline_event *timeline_find(const struct timeline *timeline,
                                                         char phase, const char *category,
                                                         const char *name, int n)
{
    for (size_t i = 0; i < timeline->count; i++) {
        const struct timeline_event *event = &timeline->events[i];
        if (event->phase != phase || (name && strcmp(event->name, name) != 0)) continue;
        if (category && strcmp(event->category, category) != 0) continue;
        if (n-- == 0) return event;
    }
    return NULL;
}

static inline int timeline_count(const struct timeline *timeline, char phase, const char *name)
{
    int count = 0;
    for (size_t i = 0; i < timeline->count; i++)
        count += timeline->events[i].phase == phase && strcmp(timeline->events[i].name, name) == 0;
    return count;
}

static inline const struct timeline_event *
timeline_slice(const struct timeline *timeline, const char *category, const char *name, int n)
{
    return timeline_find(timeline, 'X', category, name, n);
}

static inline double timeline_lost(const struct timeline *timeline)
{
    return timeline_number(cJSON_GetObjectItemCaseSensitive(timeline->root, "otherData"), "lost");
}

#endif
