/* SPDX-License-Identifier: Apache-2.0 */
/* Two ranks: each sends the other all it has and adds both up. A ring sends as many bytes, but half
 * of them wait for the other half.
 *
 * What goes is cut into segments, so that one is reduced while others are on their way. */
#include <stdbool.h>
#include <stdlib.h>

#include "runtime/collective/flight.h"
#include "runtime/collective/reduction.h"

enum {
    SEGMENT_BYTES = 1 << 20, /* as a ring's */
    HALVED_BYTES = 64 << 10,
    LAG = 3, /* segments in flight */
};

struct swap {
    struct co_flight *flight;
    struct co_operation how;
    size_t element, segment; /* bytes */
    size_t total, segments;
    const char *own;
    char *sum, *arrived; /* arrived: LAG segments */
    struct co_port *out, *in;
};

static size_t length_of(const struct swap *swap, size_t index)
{
    const size_t begin = index * swap->segment;
    return swap->total - begin < swap->segment ? swap->total - begin : swap->segment;
}

static void start(struct swap *swap, size_t index)
{
    struct co_flight *flight = swap->flight;
    const size_t length = length_of(swap, index);
    const uint64_t slot = co_slot(flight->slot, 7, length);
    co_port_receive(swap->in, 1 - flight->rank, slot, index % LAG * swap->segment, length,
                    &flight->fault);
    co_port_send(swap->out, 1 - flight->rank, slot, index * swap->segment, length, &flight->fault);
}

/* Rank 0's elements come first on both. What is sent may be overwritten once it is away. */
static void finish(struct swap *swap, size_t index)
{
    struct co_flight *flight = swap->flight;
    const size_t offset = index * swap->segment;
    const char *own = swap->own + offset, *other = swap->arrived + index % LAG * swap->segment;
    co_port_await_received(swap->in, flight->timeout_ms, &flight->fault);
    co_port_await_sent(swap->out, flight->timeout_ms, &flight->fault);
    if (co_is_well(&flight->fault))
        co_reduce(swap->how.type, swap->how.op, swap->sum + offset, flight->rank == 0 ? own : other,
                  flight->rank == 0 ? other : own, length_of(swap, index) / swap->element);
}

void co_all_reduce_by_swap(struct co_flight *flight, struct co_operation how, const void *own,
                           void *sum, uint64_t count)
{
    struct swap swap = {
        .flight = flight, .how = how, .element = co_type_size(how.type), .own = own, .sum = sum};
    swap.total = count * swap.element;
    swap.segments = (swap.total + SEGMENT_BYTES - 1) / SEGMENT_BYTES;
    if (swap.segments < 2 && swap.total >= HALVED_BYTES) swap.segments = 2;
    swap.segment = (count + swap.segments - 1) / swap.segments * swap.element;
    swap.arrived = malloc(LAG * swap.segment);
    if (!swap.arrived)
        co_fail(&flight->fault, HCCL_E_MEMORY, "no host memory for %zu bytes of scratch",
                LAG * swap.segment);
    swap.in = co_port_new(flight->mesh, swap.arrived, LAG * swap.segment, &flight->fault);
    swap.out = co_port_new(flight->mesh, (void *)own, swap.total, &flight->fault);
    for (size_t at = 0; at < swap.segments + LAG && co_is_well(&flight->fault); at++) {
        if (at >= LAG) finish(&swap, at - LAG);
        if (at < swap.segments) start(&swap, at);
    }
    co_port_free(swap.in);
    co_port_free(swap.out);
    free(swap.arrived);
}
