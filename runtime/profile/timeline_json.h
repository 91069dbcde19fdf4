/* SPDX-License-Identifier: Apache-2.0 */
/* Records as events of Chrome's trace format. */
#ifndef ACLNN_CPU_RUNTIME_PROFILE_TIMELINE_JSON_H
#define ACLNN_CPU_RUNTIME_PROFILE_TIMELINE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/profile/profile_records.h"
#include "runtime/support/ticks.h"

/* Something known by two numbers, which are not both 0. */
struct rt_place {
    uint64_t key[2];
    const struct rt_record *record;
    uint64_t thread;
};

struct rt_places {
    struct rt_place *entries;
    size_t count, capacity; /* a power of two */
};

/* True when it was not known. Without memory it stays so. */
bool rt_places_add(struct rt_places *places, struct rt_place place);
void rt_places_free(struct rt_places *places);

struct rt_json {
    FILE *out;
    int64_t base_ns; /* CLOCK_MONOTONIC; is time 0 */
    struct rt_ticks_line line;
    uint64_t events, arrows;  /* written so far */
    struct rt_places streams; /* named already */
};

/* An arrow joins a submit to its run, an event's record to a wait, or two operations that race:
 * what is at the other end is looked up here. Only arrows whose both ends are written are drawn. */
void rt_json_add_source(struct rt_places *sources, const struct rt_record *record, uint64_t thread);

/* Everything of one record, made by that thread. */
void rt_json_put_record(struct rt_json *json, const struct rt_places *sources,
                        const struct rt_record *record, uint64_t thread);
/* Which process is which; and the name of a thread. */
void rt_json_put_processes(struct rt_json *json);
void rt_json_put_thread(struct rt_json *json, uint64_t thread, const char *name, size_t longest);
void rt_json_put_lost(struct rt_json *json, int64_t now_ns, uint64_t count);

#endif
