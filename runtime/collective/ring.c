/* SPDX-License-Identifier: Apache-2.0 */
/* Reduce-scatter and all-gather round a ring: rank r sends to r + 1. Each rank sends and receives
 * (n - 1) / n of the data, whatever n is. The piece of rank r sets out from r + 1, each rank adds
 * its own on the way, and r ends it: one order for each element, so all ranks get the same bits.
 *
 * A piece is cut into segments, so that one is reduced while the next is on its way. Segment i of
 * the whole lap is sent when segment i of the lap before has been reduced; up to three are in
 * flight: one is reduced, the others keep the network at work meanwhile. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/collective/flight.h"
#include "runtime/collective/reduction.h"

enum {
    SEGMENT_BYTES = 1 << 20, /* smaller ones cost more messages, larger ones leave the caches */
    HALVED_BYTES = 64 << 10, /* from here on a piece has two segments at least */
    LAG = 3,
};

/* Memory and the port for it. */
struct area {
    char *memory;
    struct co_port *port;
};

struct lap {
    struct co_flight *flight;
    const struct co_pieces *pieces;
    uint64_t segment; /* elements */
    size_t segments;  /* of a piece */
    size_t lag;       /* segments that are sent before the first is waited for */
    size_t ahead;     /* segments that may come, at least as many */
    unsigned phase;
    uint32_t first;      /* the piece that this rank sends first; it receives the one before */
    struct area own;     /* a reduction's: what this rank adds */
    struct area whole;   /* where pieces lie as in own; or memory is NULL: */
    struct area part[2]; /* pieces on their way, in turns */
    char *into;          /* with part: where this rank's ends */
    struct area arrived; /* a reduction's: ahead segments */
    struct co_operation how;
};

static uint32_t piece_sent(const struct lap *lap, size_t step)
{
    const uint32_t size = lap->flight->size;
    return (uint32_t)((lap->first + size - step % size) % size);
}

static uint32_t piece_received(const struct lap *lap, size_t step)
{
    return piece_sent(lap, step + 1);
}

static size_t segment_length(const struct lap *lap, uint32_t piece, size_t index)
{
    const uint64_t length = lap->pieces->length[piece], begin = index * lap->segment;
    if (begin >= length) return 0;
    return length - begin < lap->segment ? (size_t)(length - begin) : (size_t)lap->segment;
}

static size_t offset_in_whole(const struct lap *lap, uint32_t piece, size_t index)
{
    return (lap->pieces->begin[piece] + index * lap->segment) * lap->pieces->element;
}

/* What step has made of its piece so far. */
static char *partial(const struct lap *lap, size_t step, uint32_t piece, size_t index)
{
    const size_t offset = index * lap->segment * lap->pieces->element;
    if (lap->whole.memory) return lap->whole.memory + offset_in_whole(lap, piece, index);
    if (step + 2 == lap->flight->size) return lap->into + offset;
    return lap->part[step & 1].memory + offset;
}

/* Where step sends from: a reduction's first piece is this rank's own, then what the step before
 * has made. */
static const struct area *source(const struct lap *lap, size_t step)
{
    if (lap->arrived.memory && step == 0) return &lap->own;
    return lap->whole.memory ? &lap->whole : &lap->part[(step - 1) & 1];
}

static void receive(struct lap *lap, size_t at)
{
    struct co_flight *flight = lap->flight;
    const size_t index = at % lap->segments;
    const uint32_t piece = piece_received(lap, at / lap->segments);
    const size_t size = segment_length(lap, piece, index) * lap->pieces->element;
    const uint32_t previous = (flight->rank + flight->size - 1) % flight->size;
    const uint64_t slot = co_slot(flight->slot, lap->phase, size);
    if (size == 0) return;
    if (lap->arrived.memory)
        co_port_receive(lap->arrived.port, previous, slot,
                        at % lap->ahead * lap->segment * lap->pieces->element, size,
                        &flight->fault);
    else
        co_port_receive(lap->whole.port, previous, slot, offset_in_whole(lap, piece, index), size,
                        &flight->fault);
}

static void send(struct lap *lap, size_t at)
{
    struct co_flight *flight = lap->flight;
    const size_t element = lap->pieces->element, step = at / lap->segments,
                 index = at % lap->segments;
    const uint32_t piece = piece_sent(lap, step);
    const size_t size = segment_length(lap, piece, index) * element;
    const struct area *from = source(lap, step);
    const bool is_part = from == &lap->part[0] || from == &lap->part[1];
    if (size > 0)
        co_port_send(from->port, (flight->rank + 1) % flight->size,
                     co_slot(flight->slot, lap->phase, size),
                     is_part ? index * lap->segment * element : offset_in_whole(lap, piece, index),
                     size, &flight->fault);
}

static void finish(struct lap *lap, size_t at)
{
    struct co_flight *flight = lap->flight;
    const size_t element = lap->pieces->element, step = at / lap->segments,
                 index = at % lap->segments;
    const uint32_t in = piece_received(lap, step);
    const size_t count = segment_length(lap, in, index);
    if (count > 0 && lap->arrived.memory) {
        co_port_await_received(lap->arrived.port, flight->timeout_ms, &flight->fault);
        if (co_is_well(&flight->fault))
            co_reduce(lap->how.type, lap->how.op, partial(lap, step, in, index),
                      lap->arrived.memory + at % lap->ahead * lap->segment * element,
                      lap->own.memory + offset_in_whole(lap, in, index), count);
    } else if (count > 0) {
        co_port_await_received(lap->whole.port, flight->timeout_ms, &flight->fault);
    }
    if (segment_length(lap, piece_sent(lap, step), index) > 0)
        co_port_await_sent(source(lap, step)->port, flight->timeout_ms, &flight->fault);
}

/* gloo's sender waits for word that the receiver is ready, so receives begin as early as there is
 * room for what comes. */
static void run(struct lap *lap)
{
    const size_t total = (lap->flight->size - 1) * lap->segments;
    for (size_t at = 0; at < total && at < lap->ahead; at++)
        receive(lap, at);
    for (size_t at = 0; at < total + lap->lag && co_is_well(&lap->flight->fault); at++) {
        if (at >= lap->lag) {
            finish(lap, at - lap->lag);
            if (at - lap->lag + lap->ahead < total) receive(lap, at - lap->lag + lap->ahead);
        }
        if (at < total) send(lap, at);
    }
}

/* Segments, and the whole's bytes. */
static size_t cut(struct lap *lap)
{
    const struct co_pieces *pieces = lap->pieces;
    uint64_t longest = 0, end = 0;
    for (uint32_t r = 0; r < lap->flight->size; r++) {
        if (pieces->length[r] > longest) longest = pieces->length[r];
        if (pieces->length[r] > 0 && pieces->begin[r] + pieces->length[r] > end)
            end = pieces->begin[r] + pieces->length[r];
    }
    const size_t bytes = (size_t)longest * pieces->element;
    lap->segments = (bytes + SEGMENT_BYTES - 1) / SEGMENT_BYTES;
    if (lap->segments < 2) lap->segments = bytes >= HALVED_BYTES ? 2 : 1;
    lap->lag = lap->segments < LAG ? lap->segments : LAG;
    lap->segment = (longest + lap->segments - 1) / lap->segments;
    lap->ahead = LAG * SEGMENT_BYTES / (lap->segment * pieces->element + 1);
    if (lap->ahead < lap->lag) lap->ahead = lap->lag;
    if (lap->ahead > (lap->flight->size - 1) * lap->segments)
        lap->ahead = (lap->flight->size - 1) * lap->segments;
    return (size_t)end * pieces->element;
}

static struct area area_of(struct co_flight *flight, void *memory, size_t size)
{
    struct area area = {.memory = memory};
    area.port = co_port_new(flight->mesh, memory, size, &flight->fault);
    return area;
}

static struct area new_area(struct co_flight *flight, size_t size)
{
    void *memory = malloc(size > 0 ? size : 1);
    if (memory) return area_of(flight, memory, size);
    co_fail(&flight->fault, HCCL_E_MEMORY, "no host memory for %zu bytes of scratch", size);
    return (struct area){0};
}

static void free_area(struct area *area)
{
    co_port_free(area->port);
    free(area->memory);
}

void co_reduce_scatter(struct co_flight *flight, const struct co_pieces *pieces,
                       struct co_operation how, const void *own, void *into, void *keep)
{
    struct lap lap = {.flight = flight, .pieces = pieces, .how = how, .into = into};
    const size_t total = cut(&lap), piece = lap.segments * lap.segment * pieces->element;
    char *end = keep ? (char *)keep + pieces->begin[flight->rank] * pieces->element : into;
    if (flight->size == 1) {
        const size_t offset = pieces->begin[0] * pieces->element;
        const size_t size = pieces->length[0] * pieces->element;
        if (size > 0 && end != (const char *)own + offset)
            memmove(end, (const char *)own + offset, size);
        return;
    }
    lap.first = (flight->rank + flight->size - 1) % flight->size;
    lap.own = area_of(flight, (void *)own, total);
    lap.arrived = new_area(flight, lap.ahead * lap.segment * pieces->element);
    if (keep)
        lap.whole = area_of(flight, keep, total);
    else
        for (int i = 0; i < 2; i++)
            lap.part[i] = new_area(flight, flight->size > 2 ? piece : 0);
    run(&lap);
    co_port_free(lap.own.port);
    co_port_free(lap.whole.port);
    free_area(&lap.arrived);
    free_area(&lap.part[0]);
    free_area(&lap.part[1]);
}

void co_all_gather(struct co_flight *flight, const struct co_pieces *pieces, void *all)
{
    struct lap lap = {.flight = flight, .pieces = pieces, .phase = 1, .first = flight->rank};
    const size_t total = cut(&lap);
    if (flight->size == 1) return;
    lap.whole = area_of(flight, all, total);
    run(&lap);
    co_port_free(lap.whole.port);
}
