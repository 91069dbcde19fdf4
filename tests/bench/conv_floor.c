/* SPDX-License-Identifier: Apache-2.0 */
/* The floor of a convolution: the time in which this machine does as many multiply-adds from
 * registers, or moves as many bytes (each tensor once), whichever is longer. bf16 counts the dot
 * product of pairs where the CPU has it. Arithmetic is measured for a fixed number of operations
 * and scaled. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "tests/bench/conv_contender.h"
#include "tests/bench/crew.h"
#include "tests/bench/probes.h"
#include "tests/bench/stats.h"

enum { ALIGN = 256, PAIR_SUMS = 12 };

struct slot {
    double operations;
    bool moves, has_pairs;
    void *data[3];
    struct probe_traffic traffic;
};

static const struct probe_table *tables[3];
static int thread_count;
static struct slot slots[CONV_SLOTS];

/* ---- arithmetic ---- */

#if defined(__x86_64__)
/* Rounds of independent sums of pairs, operations in all. */
__attribute__((target("avx512f,avx512bf16"))) static double pairs(int64_t rounds)
{
    __m512 sum[PAIR_SUMS];
    const __m512bh one = (__m512bh)_mm512_set1_epi16(0x3f80);
#pragma GCC unroll 12
    for (int i = 0; i < PAIR_SUMS; i++)
        sum[i] = _mm512_setzero_ps();
    for (int64_t round = 0; round < rounds; round++)
#pragma GCC unroll 12
        for (int i = 0; i < PAIR_SUMS; i++) {
            sum[i] = _mm512_dpbf16_ps(sum[i], one, one);
            __asm__ volatile("" : "+v"(sum[i]));
        }
    return (double)rounds * PAIR_SUMS * 64;
}

static bool can_pair(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bf16");
}
#else
static double pairs(int64_t rounds)
{
    return (double)rounds;
}

static bool can_pair(void)
{
    return false;
}
#endif

enum { ROUNDS = 100000 };

static void multiply(void *context, int thread, int threads)
{
    (void)thread, (void)threads;
    const struct slot *s = context;
    if (s->has_pairs)
        pairs(ROUNDS);
    else
        tables[0]->multiply_add(ROUNDS);
}

/* ---- bytes ---- */

static size_t part_begin(size_t bytes, int thread, int threads)
{
    return thread == threads ? bytes : bytes / (size_t)threads / ALIGN * ALIGN * (size_t)thread;
}

static void cut(struct probe_stream *streams, int count, int thread, int threads)
{
    for (int i = 0; i < count; i++) {
        const size_t begin = part_begin(streams[i].bytes, thread, threads);
        streams[i].bytes = part_begin(streams[i].bytes, thread + 1, threads) - begin;
        streams[i].at += begin;
    }
}

static void move(void *context, int thread, int threads)
{
    struct probe_traffic part = ((const struct slot *)context)->traffic;
    cut(part.from, part.inputs, thread, threads);
    cut(part.to, part.outputs, thread, threads);
    tables[0]->traffic(&part);
}

static void add_stream(struct slot *s, const struct conv_problem *problem, int tensor)
{
    static int seed = 1;
    const size_t bytes = (size_t)layer_elements(&problem->layer, (enum layer_tensor)tensor) *
                         layer_element_size(problem->dtype);
    char *data = conv_memory(bytes + ALIGN);
    for (size_t i = 0; i < bytes; i += 4) {
        seed = (int)((unsigned)seed * 1664525U + 1013904223U);
        memcpy(data + i, &seed, 4);
    }
    const struct probe_stream stream = {data, bytes};
    s->data[s->traffic.inputs + s->traffic.outputs] = data;
    if (tensor == (int)layer_result(problem->pass))
        s->traffic.to[s->traffic.outputs++] = stream;
    else
        s->traffic.from[s->traffic.inputs++] = stream;
}

static double run(int slot, int64_t count)
{
    struct slot *s = &slots[slot];
    if (s->moves) return crew_run(move, s, count);
    const double done =
        s->has_pairs ? (double)ROUNDS * PAIR_SUMS * 64 : tables[0]->multiply_add(1) * ROUNDS;
    return crew_run(multiply, s, 1) * s->operations / (done * thread_count) * (double)count;
}

/* The stores that are faster for these bytes, and how many of them at a time. */
static double best_traffic(int slot)
{
    struct slot *s = &slots[slot];
    static const size_t blocks[] = {256, 1024, 4096, 32768};
    double least = 1e9;
    struct probe_traffic best = s->traffic;
    for (int i = 0; i < 8; i++) {
        s->traffic.block = blocks[i / 2];
        s->traffic.is_streaming = i % 2;
        run(slot, 1);
        const double seconds = run(slot, 2) / 2;
        if (seconds >= least) continue;
        least = seconds;
        best = s->traffic;
    }
    s->traffic = best;
    return least;
}

static void clear(int slot)
{
    for (int i = 0; i < 3; i++)
        free(slots[slot].data[i]);
    slots[slot] = (struct slot){0};
}

static bool set_up(int slot, const struct conv_problem *problem, char *note, size_t note_size)
{
    struct slot *s = &slots[slot];
    *s = (struct slot){.operations = layer_operations(&problem->layer)};
    s->has_pairs = problem->dtype == LAYER_BF16 && can_pair();
    for (int i = 0; i < LAYER_B; i++)
        add_stream(s, problem, i);
    run(slot, 1);
    const double compute = run(slot, 1);
    s->moves = true;
    const double memory = best_traffic(slot);
    s->moves = memory > compute;
    snprintf(note, note_size, "%s", s->moves ? "memory" : "compute");
    return true;
}

static void poison(int slot)
{
    (void)slot;
}

static bool result(int slot, void *dense)
{
    (void)slot, (void)dense;
    return false;
}

static void hello(cJSON *reply)
{
    cJSON_AddStringToObject(reply, "version", tables[0]->isa);
}

int main(void)
{
    const char *threads = getenv("ACLNN_CPU_THREADS");
    thread_count = threads == NULL ? 1 : atoi(threads);
    if (thread_count < 1) thread_count = 1;
    probes_available(tables);
    crew_start(thread_count);
    return conv_serve(&(struct conv_contender){
        .name = "floor",
        .hello = hello,
        .set_up = set_up,
        .run = run,
        .poison = poison,
        .result = result,
        .clear = clear,
    });
}
