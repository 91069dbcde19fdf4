/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives that are no ring: trees and messages between pairs. */
#include <stdlib.h>
#include <string.h>

#include "runtime/collective/flight.h"
#include "runtime/collective/reduction.h"

enum { PIECES_BYTES = 256 << 10 }; /* a broadcast from here on goes in pieces */

static void send_to(struct co_flight *flight, struct co_port *port, uint32_t peer, unsigned phase,
                    size_t offset, size_t size)
{
    if (size > 0)
        co_port_send(port, peer, co_slot(flight->slot, phase, size), offset, size, &flight->fault);
}

static void receive_from(struct co_flight *flight, struct co_port *port, uint32_t peer,
                         unsigned phase, size_t offset, size_t size)
{
    if (size > 0)
        co_port_receive(port, peer, co_slot(flight->slot, phase, size), offset, size,
                        &flight->fault);
}

static void await_sent(struct co_flight *flight, struct co_port *port, size_t count)
{
    for (size_t i = 0; i < count && co_is_well(&flight->fault); i++)
        co_port_await_sent(port, flight->timeout_ms, &flight->fault);
}

static void await_received(struct co_flight *flight, struct co_port *port, size_t count)
{
    for (size_t i = 0; i < count && co_is_well(&flight->fault); i++)
        co_port_await_received(port, flight->timeout_ms, &flight->fault);
}

void co_gather(struct co_flight *flight, const struct co_pieces *pieces, uint32_t root,
               const void *piece, void *all)
{
    const size_t element = pieces->element;
    if (flight->size == 1) return;
    if (flight->rank != root) {
        const size_t size = pieces->length[flight->rank] * element;
        struct co_port *port = co_port_new(flight->mesh, (void *)piece, size, &flight->fault);
        send_to(flight, port, root, 2, 0, size);
        await_sent(flight, port, size > 0);
        co_port_free(port);
        return;
    }
    size_t end = 0, count = 0;
    for (uint32_t r = 0; r < flight->size; r++)
        if ((pieces->begin[r] + pieces->length[r]) * element > end)
            end = (pieces->begin[r] + pieces->length[r]) * element;
    struct co_port *port = co_port_new(flight->mesh, all, end, &flight->fault);
    for (uint32_t r = 0; r < flight->size; r++) {
        if (r == root) continue;
        receive_from(flight, port, r, 2, pieces->begin[r] * element, pieces->length[r] * element);
        count += pieces->length[r] > 0;
    }
    await_received(flight, port, count);
    co_port_free(port);
}

/* A binomial tree over ranks counted from the root: the parent of r is r without its lowest bit.
 * The child with most ranks below it comes first. */
static void broadcast_by_tree(struct co_flight *flight, uint32_t root, struct co_port *port,
                              size_t size)
{
    const uint32_t n = flight->size, self = (flight->rank + n - root) % n;
    const uint32_t lowest = self & -self; /* 0 on the root */
    uint32_t bit = 1;
    size_t sends = 0;
    if (self != 0) {
        receive_from(flight, port, (self - lowest + root) % n, 3, 0, size);
        await_received(flight, port, 1);
    }
    while (bit < n && (self == 0 || bit < lowest))
        bit <<= 1;
    for (bit >>= 1; bit > 0; bit >>= 1) {
        if (self + bit >= n) continue;
        send_to(flight, port, (self + bit + root) % n, 3, 0, size);
        sends++;
    }
    await_sent(flight, port, sends);
}

/* Long data: the root sends each rank a piece, and the pieces go round the ring; no rank sends more
 * than twice the data, however many there are. */
static void broadcast_by_pieces(struct co_flight *flight, uint32_t root, struct co_port *port,
                                void *data, size_t size)
{
    const uint32_t n = flight->size;
    uint64_t *begin = malloc(2 * n * sizeof(*begin)), *length = begin + n;
    if (!begin) {
        co_fail(&flight->fault, HCCL_E_MEMORY, "no host memory for a broadcast");
        return;
    }
    for (uint32_t r = 0; r < n; r++) {
        begin[r] = size / n * r + (r < size % n ? r : size % n);
        length[r] = size / n + (r < size % n);
    }
    if (flight->rank == root) {
        for (uint32_t i = 1; i < n; i++) {
            const uint32_t peer = (root + i) % n;
            send_to(flight, port, peer, 3, begin[peer], length[peer]);
        }
        await_sent(flight, port, n - 1);
    } else {
        receive_from(flight, port, root, 3, begin[flight->rank], length[flight->rank]);
        await_received(flight, port, 1);
    }
    const struct co_pieces pieces = {begin, length, 1};
    co_all_gather(flight, &pieces, data);
    free(begin);
}

void co_broadcast(struct co_flight *flight, uint32_t root, void *data, size_t size)
{
    if (flight->size == 1) return;
    struct co_port *port = co_port_new(flight->mesh, data, size, &flight->fault);
    if (flight->size > 2 && size >= PIECES_BYTES)
        broadcast_by_pieces(flight, root, port, data, size);
    else
        broadcast_by_tree(flight, root, port, size);
    co_port_free(port);
}

/* The tree upwards: a rank adds its children's sums to its own, the nearest child first, and sends
 * the sum to its parent. */
void co_reduce_by_tree(struct co_flight *flight, struct co_operation how, uint32_t root,
                       const void *own, void *sum, uint64_t count)
{
    const uint32_t n = flight->size, self = (flight->rank + n - root) % n;
    const size_t size = count * co_type_size(how.type);
    if (sum != own) memmove(sum, own, size);
    if (n == 1) return;
    char *arrived = malloc(size);
    if (!arrived) co_fail(&flight->fault, HCCL_E_MEMORY, "no host memory for %zu bytes", size);
    struct co_port *in = co_port_new(flight->mesh, arrived, size, &flight->fault);
    struct co_port *out = co_port_new(flight->mesh, sum, size, &flight->fault);
    uint32_t bit = 1;
    for (; bit < n && !(self & bit); bit <<= 1) {
        if (self + bit >= n) continue;
        receive_from(flight, in, (self + bit + root) % n, 6, 0, size);
        await_received(flight, in, 1);
        if (co_is_well(&flight->fault))
            co_reduce(how.type, how.op, sum, sum, arrived, (size_t)count);
    }
    if (self != 0) {
        send_to(flight, out, (self - bit + root) % n, 6, 0, size);
        await_sent(flight, out, 1);
    }
    co_port_free(in);
    co_port_free(out);
    free(arrived);
}

static size_t extent(const struct co_pieces *pieces, uint32_t count)
{
    uint64_t end = 0;
    for (uint32_t r = 0; r < count; r++)
        if (pieces->length[r] > 0 && pieces->begin[r] + pieces->length[r] > end)
            end = pieces->begin[r] + pieces->length[r];
    return (size_t)end * pieces->element;
}

/* Every rank begins with another peer, so that no rank is everybody's first. */
void co_all_to_all(struct co_flight *flight, const struct co_pieces *pieces, const void *from,
                   const struct co_pieces *to_pieces, void *to)
{
    const uint32_t n = flight->size, self = flight->rank;
    const size_t own = pieces->length[self] * pieces->element;
    if (own > 0)
        memmove((char *)to + to_pieces->begin[self] * to_pieces->element,
                (const char *)from + pieces->begin[self] * pieces->element, own);
    if (n == 1) return;
    size_t sends = 0, receives = 0;
    struct co_port *out =
        co_port_new(flight->mesh, (void *)from, extent(pieces, n), &flight->fault);
    struct co_port *in = co_port_new(flight->mesh, to, extent(to_pieces, n), &flight->fault);
    for (uint32_t i = 1; i < n; i++) {
        const uint32_t peer = (self + n - i) % n;
        receive_from(flight, in, peer, 4, to_pieces->begin[peer] * to_pieces->element,
                     to_pieces->length[peer] * to_pieces->element);
        receives += to_pieces->length[peer] > 0;
    }
    for (uint32_t i = 1; i < n; i++) {
        const uint32_t peer = (self + i) % n;
        send_to(flight, out, peer, 4, pieces->begin[peer] * pieces->element,
                pieces->length[peer] * pieces->element);
        sends += pieces->length[peer] > 0;
    }
    await_received(flight, in, receives);
    await_sent(flight, out, sends);
    co_port_free(out);
    co_port_free(in);
}

void co_scatter(struct co_flight *flight, uint32_t root, const void *from, void *to, size_t size)
{
    const uint32_t n = flight->size;
    if (flight->rank != root) {
        struct co_port *port = co_port_new(flight->mesh, to, size, &flight->fault);
        receive_from(flight, port, root, 5, 0, size);
        await_received(flight, port, 1);
        co_port_free(port);
        return;
    }
    const char *own = (const char *)from + root * size;
    if (own != to) memmove(to, own, size);
    if (n == 1) return;
    struct co_port *port = co_port_new(flight->mesh, (void *)from, n * size, &flight->fault);
    for (uint32_t i = 1; i < n; i++)
        send_to(flight, port, (root + i) % n, 5, (root + i) % n * size, size);
    await_sent(flight, port, n - 1);
    co_port_free(port);
}

/* After step k a rank knows of the 2^k ranks before it. */
void co_barrier(struct co_flight *flight)
{
    char token[2] = {0};
    const uint32_t n = flight->size, self = flight->rank;
    unsigned phase = 8;
    if (n == 1) return;
    struct co_port *port = co_port_new(flight->mesh, token, sizeof(token), &flight->fault);
    for (uint32_t distance = 1; distance < n; distance <<= 1, phase++) {
        receive_from(flight, port, (self + n - distance) % n, phase, 0, 1);
        send_to(flight, port, (self + distance) % n, phase, 1, 1);
        await_received(flight, port, 1);
        await_sent(flight, port, 1);
    }
    co_port_free(port);
}

/* A rank's sends to itself, in order, meet its receives from itself. */
static void copy_own(const struct co_flight *flight, const struct co_transfer *transfers,
                     size_t count)
{
    size_t from = 0;
    for (size_t i = 0; i < count; i++) {
        const struct co_transfer *to = &transfers[i];
        if (to->peer != flight->rank || to->is_send) continue;
        while (from < count && !(transfers[from].is_send && transfers[from].peer == flight->rank))
            from++;
        if (from == count) return;
        if (to->size > 0) memmove(to->data, transfers[from].data, to->size);
        from++;
    }
}

void co_transfer(struct co_flight *flight, const struct co_transfer *transfers, size_t count)
{
    struct co_port **ports = calloc(count + 1, sizeof(struct co_port *));
    if (!ports) {
        co_fail(&flight->fault, HCCL_E_MEMORY, "no host memory for %zu transfers", count);
        return;
    }
    copy_own(flight, transfers, count);
    for (int turn = 0; turn < 2; turn++) { /* what is received first */
        for (size_t i = 0; i < count; i++) {
            const struct co_transfer *at = &transfers[i];
            if (at->is_send != (turn == 1) || at->peer == flight->rank || at->size == 0) continue;
            ports[i] = co_port_new(flight->mesh, at->data, at->size, &flight->fault);
            const uint64_t slot = co_slot(at->slot, 0, at->size);
            if (at->is_send)
                co_port_send(ports[i], at->peer, slot, 0, at->size, &flight->fault);
            else
                co_port_receive(ports[i], at->peer, slot, 0, at->size, &flight->fault);
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (ports[i] && transfers[i].is_send) await_sent(flight, ports[i], 1);
        if (ports[i] && !transfers[i].is_send) await_received(flight, ports[i], 1);
    }
    for (size_t i = 0; i < count; i++)
        co_port_free(ports[i]);
    free(ports);
}
