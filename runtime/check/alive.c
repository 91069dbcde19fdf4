/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/check/alive.h"

#include <stdio.h>

#include "runtime/check/map.h"
#include "runtime/check/report.h"

struct alive {
    struct rt_check_node node;
    enum rt_check_thing thing;
    size_t bytes;
    const struct rt_check_site *site;
};

static struct rt_check_map things;

enum { ENDS = 4096 };
static struct end {
    const void *what;
    const struct rt_check_site *site;
} ends[ENDS];
static uint64_t end_count;

const char *rt_check_thing_name(enum rt_check_thing thing)
{
    static const char *const names[] = {
        [RT_CHECK_DEVICE_MEMORY] = "device memory",
        [RT_CHECK_MAPPED_MEMORY] = "mapped memory",
        [RT_CHECK_HOST_MEMORY] = "host memory",
        [RT_CHECK_TENSOR] = "tensor",
        [RT_CHECK_EXECUTOR] = "executor",
        [RT_CHECK_STREAM] = "stream",
        [RT_CHECK_EVENT] = "event",
        [RT_CHECK_NOTIFY] = "notify",
        [RT_CHECK_GRAPH] = "graph",
    };
    return names[thing];
}

void rt_check_alive_add(enum rt_check_thing thing, const void *what, size_t bytes,
                        const struct rt_check_site *site)
{
    struct alive *alive = rt_check_map_get(&things, what, sizeof *alive);
    if (!alive) return;
    alive->thing = thing;
    alive->bytes = bytes;
    alive->site = site;
}

void rt_check_alive_remove(const void *what)
{
    rt_free(rt_check_map_take(&things, what));
}

void rt_check_alive_note_end(const void *what, const struct rt_check_site *site)
{
    ends[end_count++ % ENDS] = (struct end){what, site};
}

const struct rt_check_site *rt_check_alive_end_of(const void *what)
{
    const uint64_t known = end_count < ENDS ? end_count : ENDS;
    for (uint64_t i = 1; i <= known; i++) {
        const struct end *end = &ends[(end_count - i) % ENDS];
        if (end->what == what) return end->site;
    }
    return NULL;
}

/* Takes all of one kind and site out of the map. */
static void report_like(enum rt_check_thing thing, const struct rt_check_site *site)
{
    char text[160];
    size_t count = 0, bytes = 0;
    for (size_t b = 0; b < RT_CHECK_BUCKETS; b++) {
        for (struct rt_check_node **link = &things.buckets[b]; *link;) {
            struct alive *alive = (struct alive *)(void *)*link;
            if (alive->thing != thing || alive->site != site) {
                link = &(*link)->next;
                continue;
            }
            count++;
            bytes += alive->bytes;
            *link = alive->node.next;
            rt_free(alive);
        }
    }
    if (thing <= RT_CHECK_HOST_MEMORY)
        snprintf(text, sizeof text, "%zu bytes of %s in %zu piece%s were never freed", bytes,
                 rt_check_thing_name(thing), count, count == 1 ? "" : "s");
    else
        snprintf(text, sizeof text, "%zu %s%s made here %s never destroyed", count,
                 rt_check_thing_name(thing), count == 1 ? "" : "s", count == 1 ? "was" : "were");
    rt_check_report(&(struct rt_check_report){
        .kind = "leak",
        .rule = rt_check_thing_name(thing),
        .text = text,
        .parties = {{.title = "made", .name = rt_check_thing_name(thing), .site = site}},
        .count = 1});
}

void rt_check_alive_report(void)
{
    for (size_t b = 0; b < RT_CHECK_BUCKETS; b++)
        while (things.buckets[b]) {
            const struct alive *alive = (const struct alive *)(const void *)things.buckets[b];
            report_like(alive->thing, alive->site);
        }
}
