/* SPDX-License-Identifier: Apache-2.0 */
/* The host is one lane, whatever its threads: the locks by which they hand work to each other are
 * not seen here, and to accuse programs for them would be wrong. */
#include "runtime/check/order.h"

#include "runtime/check/map.h"
#include "runtime/schedule/queue.h"
#include "runtime/support/alloc.h"

/* A step that is kept: put aside, or a graph's. */
struct kept {
    struct kept *next;
    struct rt_check_clock host; /* what the host knew when it was queued */
    struct rt_check_step step;
    struct rt_check_access accesses[];
};

struct lane {
    struct rt_check_node node; /* its stream */
    uint32_t slot, stream;
    uint64_t time;
    uint64_t host_version; /* of the host's clock, when it was last joined */
    struct rt_check_clock clock;
    const void *blocked; /* the key that it waits for */
    struct kept *first, *last;
    struct lane *newer;
};

/* An event, a notify, or a value in memory. */
struct key {
    struct rt_check_node node;
    struct rt_check_clock clock; /* of the last record, or of all writes of a number */
    uint64_t number;
    bool is_set;
};

struct graph {
    struct rt_check_node node;
    struct kept *first, *last;
    struct lane *lanes; /* from lane 1 on: lane 0 is the stream of the replay */
    uint32_t lane_count;
};

struct function {
    struct function *next;
    uintptr_t function;
    const void *argument;
    struct rt_check_clock clock;
    uint64_t serial;
};

static struct lane host;
static uint64_t host_version = 1;
static struct rt_check_map streams, keys, graphs;
static struct lane *newest;
static struct function *functions, **functions_end = &functions;
static uint32_t slots = 1;

/* Slots of streams that are gone: the host has seen their end. */
static struct spare {
    struct spare *next;
    uint32_t slot;
    uint64_t time;
} * spares;

static void take_slot(struct lane *lane)
{
    struct spare *spare = spares;
    if (spare) {
        spares = spare->next;
        lane->slot = spare->slot;
        lane->time = spare->time;
        rt_free(spare);
    } else {
        lane->slot = slots++;
    }
}

static void give_slot(const struct lane *lane)
{
    struct spare *spare = rt_alloc(sizeof *spare);
    if (!spare) return;
    *spare = (struct spare){.next = spares, .slot = lane->slot, .time = lane->time};
    spares = spare;
}

static struct lane *lane_of(const struct rt_stream *stream)
{
    struct lane *lane = rt_check_map_find(&streams, stream);
    if (lane) return lane;
    lane = rt_check_map_get(&streams, stream, sizeof *lane);
    if (!lane) return NULL;
    take_slot(lane);
    lane->stream = stream->id;
    lane->newer = newest;
    newest = lane;
    return lane;
}

static struct key *key_of(const void *address)
{
    return rt_check_map_get(&keys, address, sizeof(struct key));
}

static void join_host(const struct rt_check_clock *clock)
{
    rt_check_clock_join(&host.clock, clock);
    host_version++;
}

const struct rt_check_clock *rt_check_order_host(void)
{
    return &host.clock;
}

/* --- kept steps ----------------------------------------------------------------------------- */

static struct kept *keep(const struct rt_check_step *step)
{
    struct kept *kept = rt_alloc_zeroed(sizeof *kept + step->count * sizeof *step->accesses);
    if (!kept) return NULL;
    kept->step = *step;
    if (step->count) memcpy(kept->accesses, step->accesses, step->count * sizeof *step->accesses);
    kept->step.accesses = kept->accesses;
    return kept;
}

static void free_kept(struct kept *kept)
{
    rt_check_clock_end(&kept->host);
    rt_free(kept);
}

static void free_all_kept(struct kept *kept)
{
    while (kept) {
        struct kept *next = kept->next;
        free_kept(kept);
        kept = next;
    }
}

/* --- one step ------------------------------------------------------------------------------- */

static bool is_over(const struct key *key, const struct rt_check_step *step)
{
    switch (step->how) {
    case RT_CHECK_WAIT_GEQ:
        return key->is_set && (int64_t)(key->number - step->value) >= 0;
    case RT_CHECK_WAIT_ABOVE:
        return key->is_set && key->number > step->value;
    case RT_CHECK_WAIT_EQ:
        return key->is_set && key->number == step->value;
    case RT_CHECK_WAIT_AND:
        return key->is_set && (key->number & step->value) != 0;
    default:
        return key->is_set;
    }
}

static void change(struct key *key, const struct rt_check_step *step)
{
    switch (step->how) {
    case RT_CHECK_ADD:
        key->number += step->value;
        break;
    case RT_CHECK_OR:
        key->number |= step->value;
        break;
    case RT_CHECK_AND:
        key->number &= step->value;
        break;
    default:
        key->number = step->value;
        break;
    }
}

static void wake(const void *key)
{
    for (struct lane *lane = newest; lane; lane = lane->newer)
        if (lane->blocked == key) lane->blocked = NULL;
}

static void call(struct lane *lane, const struct rt_check_step *step)
{
    struct function *function = rt_alloc_zeroed(sizeof *function);
    if (!function) return;
    function->function = (uintptr_t)step->value;
    function->argument = step->key;
    function->serial = step->serial;
    rt_check_clock_join(&function->clock, &lane->clock);
    *functions_end = function;
    functions_end = &function->next;
}

static void replay(struct lane *lane, const struct rt_check_step *step);

/* False: the lane is blocked now, and the step is still to be done. */
static bool run(struct lane *lane, const struct rt_check_step *step, bool force)
{
    struct key *key;
    switch (step->what) {
    case RT_CHECK_ACCESS:
        lane->time++;
        rt_check_clock_set(&lane->clock, lane->slot, lane->time);
        rt_check_judge(
            step, &(struct rt_check_place){lane->slot, lane->stream, lane->time, &lane->clock});
        break;
    case RT_CHECK_RECORD:
        if (!(key = key_of(step->key))) break;
        rt_check_clock_clear(&key->clock);
        rt_check_clock_join(&key->clock, &lane->clock);
        key->is_set = true;
        wake(step->key);
        break;
    case RT_CHECK_WAIT:
        if (!(key = key_of(step->key))) break;
        if (!key->is_set && !step->is_lax && !force) {
            lane->blocked = step->key;
            return false;
        }
        rt_check_clock_join(&lane->clock, &key->clock);
        break;
    case RT_CHECK_SIGNAL:
        if (!(key = key_of(step->key))) break;
        rt_check_clock_join(&key->clock, &lane->clock);
        change(key, step);
        key->is_set = true;
        wake(step->key);
        break;
    case RT_CHECK_AWAIT:
        if (!(key = key_of(step->key))) break;
        if (!is_over(key, step) && !force) {
            lane->blocked = step->key;
            return false;
        }
        rt_check_clock_join(&lane->clock, &key->clock);
        if (step->clears) key->number = 0;
        break;
    case RT_CHECK_FUNCTION:
        call(lane, step);
        break;
    case RT_CHECK_REPLAY:
        replay(lane, step);
        break;
    }
    return true;
}

static bool reach_lanes(struct graph *graph, uint32_t count)
{
    if (count <= graph->lane_count) return true;
    struct lane *lanes = rt_alloc_zeroed(count * sizeof *lanes);
    if (!lanes) return false;
    if (graph->lane_count) memcpy(lanes, graph->lanes, graph->lane_count * sizeof *lanes);
    rt_free(graph->lanes);
    graph->lanes = lanes;
    for (; graph->lane_count < count; graph->lane_count++)
        take_slot(&lanes[graph->lane_count]);
    return true;
}

/* The graph's lanes begin where the stream stands, and the stream goes on behind all of them. */
static void replay(struct lane *lane, const struct rt_check_step *step)
{
    struct graph *graph = rt_check_map_find(&graphs, step->key);
    if (!graph) return;
    for (uint32_t i = 1; i < graph->lane_count; i++) {
        struct lane *own = &graph->lanes[i];
        own->stream = lane->stream;
        rt_check_clock_clear(&own->clock);
        rt_check_clock_join(&own->clock, &lane->clock);
        rt_check_clock_set(&own->clock, own->slot, own->time);
    }
    for (struct kept *kept = graph->first; kept; kept = kept->next) {
        struct rt_check_step again = kept->step;
        again.serial = step->serial;
        run(again.graph_lane > 0 ? &graph->lanes[again.graph_lane] : lane, &again, true);
    }
    for (uint32_t i = 1; i < graph->lane_count; i++)
        rt_check_clock_join(&lane->clock, &graph->lanes[i].clock);
}

/* --- lanes ---------------------------------------------------------------------------------- */

/* As far as it goes. */
static void go_on(struct lane *lane, bool force)
{
    while (lane->first && (force || !lane->blocked)) {
        struct kept *kept = lane->first;
        lane->blocked = NULL;
        rt_check_clock_join(&lane->clock, &kept->host);
        if (!run(lane, &kept->step, force)) return;
        lane->first = kept->next;
        free_kept(kept);
    }
    if (!lane->first) lane->last = NULL;
}

/* Until nothing moves. */
static void settle(void)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (struct lane *lane = newest; lane; lane = lane->newer) {
            if (!lane->first || lane->blocked) continue;
            go_on(lane, false);
            moved = true;
        }
    }
}

static void put_aside(struct lane *lane, const struct rt_check_step *step)
{
    struct kept *kept = keep(step);
    if (!kept) return;
    rt_check_clock_join(&kept->host, &host.clock);
    if (lane->last)
        lane->last->next = kept;
    else
        lane->first = kept;
    lane->last = kept;
}

static void add_to_graph(const struct rt_stream *stream, const struct rt_check_step *step)
{
    struct graph *graph = rt_check_map_get(&graphs, stream->capture.graph, sizeof *graph);
    struct kept *kept = graph ? keep(step) : NULL;
    if (!kept || !reach_lanes(graph, stream->capture.lane + 1)) return;
    kept->step.graph_lane = stream->capture.lane;
    if (graph->last)
        graph->last->next = kept;
    else
        graph->first = kept;
    graph->last = kept;
}

bool rt_check_order_submit(struct rt_stream *stream, const struct rt_check_step *step)
{
    if (!stream) {
        host_version++;
        run(&host, step, true);
        settle();
        return true;
    }
    if (atomic_load_explicit(&stream->is_diverted, memory_order_relaxed) && stream->capture.graph) {
        add_to_graph(stream, step);
        return false;
    }
    struct lane *lane = lane_of(stream);
    if (!lane) return true;
    if (lane->first) {
        put_aside(lane, step);
        return true;
    }
    if (lane->host_version != host_version) {
        rt_check_clock_join(&lane->clock, &host.clock);
        lane->host_version = host_version;
    }
    if (!run(lane, step, false)) put_aside(lane, step);
    if (step->what == RT_CHECK_RECORD || step->what == RT_CHECK_SIGNAL ||
        step->what == RT_CHECK_REPLAY)
        settle();
    return true;
}

void rt_check_order_reset(const void *event)
{
    struct key *key = rt_check_map_find(&keys, event);
    if (!key) return;
    rt_check_clock_clear(&key->clock);
    key->is_set = false;
}

void rt_check_order_joined(struct rt_stream *stream)
{
    struct lane *lane = rt_check_map_find(&streams, stream);
    if (!lane) return;
    if (lane->first) {
        settle();
        go_on(lane, true); /* it has run, whatever it seemed to wait for */
    }
    join_host(&lane->clock);
}

void rt_check_order_joined_event(const void *event)
{
    const struct key *key = rt_check_map_find(&keys, event);
    if (key && key->is_set) join_host(&key->clock);
}

void rt_check_order_ended(struct rt_stream *stream)
{
    rt_check_order_joined(stream);
    struct lane *lane = rt_check_map_take(&streams, stream);
    if (!lane) return;
    struct lane **link = &newest;
    while (*link != lane)
        link = &(*link)->newer;
    *link = lane->newer;
    give_slot(lane);
    free_all_kept(lane->first);
    rt_check_clock_end(&lane->clock);
    rt_free(lane);
}

void rt_check_order_forget(const void *address)
{
    for (const struct lane *lane = newest; lane; lane = lane->newer)
        if (lane->blocked == address) return; /* waits hold on to it */
    struct key *key = rt_check_map_take(&keys, address);
    if (!key) return;
    rt_check_clock_end(&key->clock);
    rt_free(key);
}

void rt_check_order_graph_ended(const void *address)
{
    struct graph *graph = rt_check_map_take(&graphs, address);
    if (!graph) return;
    free_all_kept(graph->first);
    for (uint32_t i = 0; i < graph->lane_count; i++)
        rt_check_clock_end(
            &graph->lanes[i].clock); /* nobody may have seen the end: no slot is spare */
    rt_free(graph->lanes);
    rt_free(graph);
}

uint64_t rt_check_order_function(uintptr_t function, const void *argument)
{
    for (struct function **link = &functions; *link; link = &(*link)->next) {
        struct function *found = *link;
        if (found->function != function || found->argument != argument) continue;
        *link = found->next;
        if (functions_end == &found->next) functions_end = link;
        const uint64_t serial = found->serial;
        join_host(&found->clock);
        rt_check_clock_end(&found->clock);
        rt_free(found);
        return serial;
    }
    return 0;
}
