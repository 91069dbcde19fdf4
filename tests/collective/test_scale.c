/* SPDX-License-Identifier: Apache-2.0 */
/* The collectives' own code (ring.c, exchanges.c) over a network that is only counted: what each
 * link carries, how many messages follow each other, how long that takes with a given latency and
 * bandwidth. docs/scale.md has its table from here, and the test compares. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/collective/flight.h"
#include "runtime/collective/reduction.h"

/* --- a network of paper --------------------------------------------------------------------------
 */

enum kind { SEND, RECEIVE, AWAIT_SENT, AWAIT_RECEIVED };

/* What a rank's program does, in order. */
struct act {
    uint32_t peer, bytes;
    uint64_t slot;
    uint32_t port;
    enum kind kind;
};

struct program {
    struct act *acts;
    size_t count, room;
};

struct co_port {
    struct program *program;
    uint32_t id;
};

static struct program *recording;
static uint32_t ports;

struct co_port *co_port_new(struct co_mesh *mesh, void *memory, size_t size, struct co_fault *fault)
{
    (void)mesh, (void)memory, (void)size, (void)fault;
    struct co_port *port = malloc(sizeof(*port));
    *port = (struct co_port){.program = recording, .id = ports++};
    return port;
}

void co_port_free(struct co_port *port)
{
    free(port);
}

static void record(const struct co_port *port, enum kind kind, uint32_t peer, uint64_t slot,
                   size_t bytes)
{
    struct program *program = port->program;
    if (program->count == program->room) {
        program->room = program->room * 2 + 64;
        program->acts = realloc(program->acts, program->room * sizeof(*program->acts));
    }
    program->acts[program->count++] = (struct act){
        .peer = peer, .bytes = (uint32_t)bytes, .slot = slot, .port = port->id, .kind = kind};
}

void co_port_send(struct co_port *port, uint32_t to, uint64_t slot, size_t offset, size_t size,
                  struct co_fault *fault)
{
    (void)offset, (void)fault;
    record(port, SEND, to, slot, size);
}

void co_port_receive(struct co_port *port, uint32_t from, uint64_t slot, size_t offset, size_t size,
                     struct co_fault *fault)
{
    (void)offset, (void)fault;
    record(port, RECEIVE, from, slot, size);
}

void co_port_await_sent(struct co_port *port, int64_t timeout_ms, struct co_fault *fault)
{
    (void)timeout_ms, (void)fault;
    record(port, AWAIT_SENT, 0, 0, 0);
}

void co_port_await_received(struct co_port *port, int64_t timeout_ms, struct co_fault *fault)
{
    (void)timeout_ms, (void)fault;
    record(port, AWAIT_RECEIVED, 0, 0, 0);
}

void co_reduce(HcclDataType type, HcclReduceOp op, void *out, const void *a, const void *b,
               size_t count)
{
    (void)type, (void)op, (void)out, (void)a, (void)b, (void)count;
}

size_t co_type_size(HcclDataType type)
{
    (void)type;
    return sizeof(float);
}

int32_t aclnnextReportError(int32_t code, const char *who, const char *text);
int32_t aclnnextReportError(int32_t code, const char *who, const char *text)
{
    (void)who, (void)text;
    return code;
}

/* --- programs ------------------------------------------------------------------------------- */

enum call { ALL_REDUCE, SHORT_ALL_REDUCE, ALL_GATHER, BROADCAST, BARRIER };

static void *paper; /* addresses, never read */
enum { PAPER = 1 << 30 };

static void call(enum call what, uint32_t rank, uint32_t ranks, uint64_t count,
                 struct program *into)
{
    uint64_t *begin = calloc(ranks, sizeof(*begin)), *length = calloc(ranks, sizeof(*length));
    struct co_flight flight = {.rank = rank, .size = ranks};
    for (uint32_t r = 0; r < ranks; r++) { /* as cut_evenly */
        length[r] = count / ranks + (r < count % ranks);
        begin[r] = r == 0 ? 0 : begin[r - 1] + length[r - 1];
    }
    const struct co_pieces pieces = {begin, length, sizeof(float)};
    const struct co_operation sum = {HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM};
    recording = into;
    ports = 0;
    if (what == ALL_REDUCE) co_reduce_scatter(&flight, &pieces, sum, paper, NULL, paper);
    if (what == SHORT_ALL_REDUCE) {
        co_reduce_by_tree(&flight, sum, 0, paper, paper, count);
        co_broadcast(&flight, 0, paper, count * sizeof(float));
    }
    if (what == ALL_REDUCE || what == ALL_GATHER) co_all_gather(&flight, &pieces, paper);
    if (what == BROADCAST) co_broadcast(&flight, 0, paper, count * sizeof(float));
    if (what == BARRIER) co_barrier(&flight);
    free(begin);
    free(length);
}

/* --- running them --------------------------------------------------------------------------- */

enum { LATENCY_NS = 20000, NS_PER_KIB = 328 }; /* 25 Gbit/s each way, a NIC for each rank */

struct message {
    uint32_t bytes, depth; /* depth: messages one after the other, this one included */
    bool is_sent, is_posted, goes;
    int64_t ready, left, arrives; /* when the later side said so; when it has gone, and come */
};

/* The message of each act: of an await the one that it is for. */
struct runner {
    const struct program *program;
    struct message **of;
    struct message *out; /* those it sends, in order */
    size_t at, out_count;
    int64_t now, link_free;
    uint32_t depth;
    uint64_t bytes;
};

struct result {
    uint64_t most_bytes; /* that one rank sends */
    uint32_t depth;
    double ms;
};

static void link_sends(struct runner *runner)
{
    const struct program *program = runner->program;
    runner->of = calloc(program->count + 1, sizeof(*runner->of));
    runner->out = calloc(program->count + 1, sizeof(*runner->out));
    for (size_t i = 0; i < program->count; i++) {
        if (program->acts[i].kind != SEND) continue;
        struct message *m = &runner->out[runner->out_count++];
        *m = (struct message){.bytes = program->acts[i].bytes};
        runner->of[i] = m;
        runner->bytes += m->bytes;
    }
}

/* The n-th receive from a rank is that rank's n-th send to this one; next[r]: where to look on. */
static void link_receives(struct runner *runners, uint32_t rank, size_t *next)
{
    struct runner *runner = &runners[rank];
    for (size_t i = 0; i < runner->program->count; i++) {
        const struct act *act = &runner->program->acts[i];
        if (act->kind != RECEIVE) continue;
        const struct runner *from = &runners[act->peer];
        size_t *at = &next[act->peer];
        while (*at < from->program->count &&
               (from->program->acts[*at].kind != SEND || from->program->acts[*at].peer != rank))
            ++*at;
        cr_assert_lt(*at, from->program->count, "rank %u waits for what nobody sends", rank);
        cr_assert_eq(from->program->acts[*at].slot, act->slot, "rank %u, act %zu", rank, i);
        runner->of[i] = from->of[(*at)++];
    }
}

/* The n-th await of a port is for its n-th send, or receive. */
static void link_awaits(struct runner *runner)
{
    const struct program *program = runner->program;
    size_t next[2][16] = {{0}};
    for (size_t i = 0; i < program->count; i++) {
        const struct act *act = &program->acts[i];
        if (act->kind < AWAIT_SENT) continue;
        enum kind kind = act->kind == AWAIT_SENT ? SEND : RECEIVE;
        size_t *at = &next[kind][act->port];
        while (program->acts[*at].kind != kind || program->acts[*at].port != act->port)
            ++*at;
        cr_assert_lt(*at, i);
        runner->of[i] = runner->of[(*at)++];
    }
}

static void go(struct message *m, int64_t *link_free)
{
    if (!m->is_sent || !m->is_posted || m->goes) return;
    m->goes = true;
    m->left =
        (m->ready > *link_free ? m->ready : *link_free) + (int64_t)m->bytes * NS_PER_KIB / 1024;
    *link_free = m->left;
    m->arrives = m->left + LATENCY_NS;
}

/* As far as it comes; false: not at all. */
static bool advance(struct runner *runners, struct runner *runner)
{
    const size_t begin = runner->at;
    for (; runner->at < runner->program->count; runner->at++) {
        const struct act *act = &runner->program->acts[runner->at];
        struct message *m = runner->of[runner->at];
        if (act->kind == SEND) {
            m->is_sent = true;
            m->depth = runner->depth + 1;
        } else if (act->kind == RECEIVE) {
            m->is_posted = true;
        } else if (!m->goes) {
            break;
        } else if (act->kind == AWAIT_SENT) {
            if (m->left > runner->now) runner->now = m->left;
        } else {
            if (m->arrives > runner->now) runner->now = m->arrives;
            if (m->depth > runner->depth) runner->depth = m->depth;
        }
        if (act->kind > RECEIVE) continue;
        if (runner->now > m->ready) m->ready = runner->now;
        go(m, act->kind == SEND ? &runner->link_free : &runners[act->peer].link_free);
    }
    return runner->at > begin;
}

static struct result run_all(struct program *programs, uint32_t ranks)
{
    struct runner *runners = calloc(ranks, sizeof(*runners));
    struct result result = {0};
    for (uint32_t r = 0; r < ranks; r++) {
        runners[r].program = &programs[r];
        link_sends(&runners[r]);
    }
    for (uint32_t r = 0; r < ranks; r++) {
        size_t *next = calloc(ranks, sizeof(*next));
        link_receives(runners, r, next);
        link_awaits(&runners[r]);
        free(next);
    }
    for (bool moves = true; moves;) {
        moves = false;
        for (uint32_t r = 0; r < ranks; r++)
            moves |= advance(runners, &runners[r]);
    }
    for (uint32_t r = 0; r < ranks; r++) {
        cr_assert_eq(runners[r].at, programs[r].count, "rank %u waits for ever", r);
        if (runners[r].bytes > result.most_bytes) result.most_bytes = runners[r].bytes;
        if (runners[r].depth > result.depth) result.depth = runners[r].depth;
        if ((double)runners[r].now / 1e6 > result.ms) result.ms = (double)runners[r].now / 1e6;
        free(runners[r].of);
        free(runners[r].out);
    }
    free(runners);
    return result;
}

static struct result simulate(enum call what, uint32_t ranks, uint64_t count)
{
    struct program *programs = calloc(ranks, sizeof(*programs));
    for (uint32_t r = 0; r < ranks; r++)
        call(what, r, ranks, count, &programs[r]);
    struct result result = run_all(programs, ranks);
    for (uint32_t r = 0; r < ranks; r++)
        free(programs[r].acts);
    free(programs);
    return result;
}

static void make_paper(void)
{
    paper = mmap(NULL, PAPER, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    cr_assert_neq(paper, MAP_FAILED);
}

/* --- tests ---------------------------------------------------------------------------------- */

/* What the algorithms are known to need. */
Test(scale, bytes_and_steps_are_those_of_the_algorithms)
{
    make_paper();
    for (uint32_t ranks = 2; ranks <= 64; ranks *= 2) {
        const uint64_t count = 1 << 20;
        struct result all = simulate(ALL_REDUCE, ranks, count);
        cr_expect_eq(all.most_bytes, 2 * (count / ranks * (ranks - 1)) * 4, "%u", ranks);
        cr_expect_geq(all.depth, 2 * (ranks - 1), "%u", ranks);
        cr_expect_leq(all.depth, 2 * (ranks - 1) + 2, "%u: %u", ranks, all.depth);
        struct result gather = simulate(ALL_GATHER, ranks, count);
        cr_expect_eq(gather.most_bytes, count / ranks * (ranks - 1) * 4, "%u", ranks);
        struct result barrier = simulate(BARRIER, ranks, 0);
        uint32_t log = 0;
        while (1U << log < ranks)
            log++;
        cr_expect_eq(barrier.depth, log, "%u: %u", ranks, barrier.depth);
        struct result broadcast = simulate(BROADCAST, ranks, 256);
        cr_expect_eq(broadcast.depth, log, "%u: %u", ranks, broadcast.depth);
        cr_expect_eq(broadcast.most_bytes, log * 1024, "%u", ranks);
    }
}

/* Odd numbers of ranks, counts that do not divide, fewer elements than ranks: nobody waits for
 * ever, and what is sent is what is received (link_receives). */
Test(scale, any_number_of_ranks_comes_to_an_end)
{
    static const uint64_t counts[] = {1, 5, 1000, 300007};
    make_paper();
    for (uint32_t ranks = 2; ranks < 40; ranks += 3)
        for (size_t i = 0; i < 4; i++)
            for (enum call what = ALL_REDUCE; what <= BARRIER; what++)
                simulate(what, ranks, counts[i]);
}

/* The table of docs/scale.md. */
Test(scale, the_document_says_what_the_simulation_does)
{
    static const struct {
        const char *name;
        enum call what;
        uint64_t count;
    } rows[] = {
        {"AllReduce, 64 MiB", ALL_REDUCE, 16 << 20},
        {"AllReduce, 4 KiB", SHORT_ALL_REDUCE, 1 << 10},
        {"AllReduce, 4 KiB, by a ring", ALL_REDUCE, 1 << 10},
        {"AllGather, 64 MiB in all", ALL_GATHER, 16 << 20},
        {"Broadcast, 64 MiB", BROADCAST, 16 << 20},
        {"Barrier", BARRIER, 0},
    };
    static const uint32_t sizes[] = {8, 64, 1024};
    static char text[1 << 16];
    FILE *file = fopen(ACLNN_CPU_SCALE_MD, "r");
    cr_assert_not_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    make_paper();
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        for (size_t k = 0; k < 3; k++) {
            char line[256];
            struct result got = simulate(rows[i].what, sizes[k], rows[i].count);
            snprintf(line, sizeof(line), "| %s | %u | %.3f | %u | %.2f |", rows[i].name, sizes[k],
                     (double)got.most_bytes / (1 << 20), got.depth, got.ms);
            cr_expect_not_null(strstr(text, line), "docs/scale.md lacks: %s", line);
        }
    }
}
