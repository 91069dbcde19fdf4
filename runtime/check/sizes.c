/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/check/sizes.h"

#include <inttypes.h>
#include <stdio.h>

#include "runtime/check/map.h"
#include "runtime/check/report.h"
#include "runtime/schedule/queue.h"

enum { TEXT = 320 };

/* The last operation that settles the tensor's size. */
struct settled {
    struct rt_check_node node; /* the tensor */
    const char *name, *role;
    const struct rt_check_site *site;
    uint64_t serial, epoch;
    uint32_t slot, stream;
    int argument;
    bool is_placed;
};

static struct rt_check_map tensors;

void rt_check_sizes_queued(const struct rt_check_step *step, const struct rt_stream *stream)
{
    for (size_t i = 0; i < step->count; i++) {
        const struct rt_check_access *access = &step->accesses[i];
        struct settled *settled =
            access->settles ? rt_check_map_get(&tensors, access->settles, sizeof *settled) : NULL;
        if (!settled) continue;
        const struct rt_check_node node = settled->node;
        *settled = (struct settled){.node = node,
                                    .name = step->name,
                                    .role = access->role,
                                    .site = step->site,
                                    .serial = step->serial,
                                    .stream = stream ? stream->id : 0,
                                    .argument = access->argument};
    }
}

void rt_check_sizes_captured(const struct rt_check_step *step)
{
    for (size_t i = 0; i < step->count; i++)
        if (step->accesses[i].settles)
            rt_free(rt_check_map_take(&tensors, step->accesses[i].settles));
}

void rt_check_sizes_placed(const struct rt_check_step *step, const struct rt_check_place *place)
{
    for (size_t i = 0; i < step->count; i++) {
        const void *tensor = step->accesses[i].settles;
        struct settled *settled = tensor ? rt_check_map_find(&tensors, tensor) : NULL;
        if (!settled || settled->serial != step->serial) continue;
        settled->slot = place->slot;
        settled->epoch = place->epoch;
        settled->is_placed = true;
    }
}

void rt_check_sizes_end(const void *tensor, const struct rt_check_site *site,
                        const struct rt_check_clock *seen)
{
    struct settled *settled = rt_check_map_take(&tensors, tensor);
    if (!settled) return;
    if (!settled->is_placed || rt_check_clock_at(seen, settled->slot) < settled->epoch) {
        char text[TEXT];
        snprintf(text, sizeof text,
                 "%s (#%" PRIu64 " in stream %" PRIu32 ") settles the size of its %s %d when it "
                 "runs, and that tensor is destroyed before the host has waited for it: nobody can "
                 "ask for the size",
                 settled->name, settled->serial, settled->stream, settled->role, settled->argument);
        rt_check_report(&(struct rt_check_report){
            .kind = "device",
            .rule = "size",
            .text = text,
            .cure = "synchronise the stream, ask aclGetViewShape, then destroy the tensor",
            .parties = {{.title = "called",
                         .name = settled->name,
                         .serial = settled->serial,
                         .stream = settled->stream,
                         .site = settled->site},
                        {.title = "destroyed", .site = site}},
            .count = 2});
    }
    rt_free(settled);
}
