/* SPDX-License-Identifier: Apache-2.0 */
/* The floor of a case: the time in which this machine moves the bytes that the case must move (each
 * tensor that is read once, each that is written once) with the same threads. Which stores, and how
 * much to write between reads, is tried anew for each case; the fastest stays. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/contender.h"
#include "tests/bench/crew.h"
#include "tests/bench/machine.h"
#include "tests/bench/probes.h"
#include "tests/bench/stats.h"

enum { ALIGN = 256, TRIES = 5, WAY_TRIES = 3, FITS_A_CACHE = 32 << 20 };

#define FAR_BEHIND 1.1

static const struct probe_table *tables[3];
static int table_count, thread_count;

static struct way {
    size_t block;
    bool is_streaming;
} const ways[] = {
    {256, true},  {512, true},   {1024, true},  {4096, true},   {16384, true},
    {256, false}, {1024, false}, {4096, false}, {32768, false},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

static struct probe_traffic whole;

static size_t part_begin(size_t bytes, int thread, int threads)
{
    return thread == threads ? bytes : bytes / (size_t)threads / ALIGN * ALIGN * (size_t)thread;
}

static struct probe_stream part_of(struct probe_stream all, int thread, int threads)
{
    size_t begin = part_begin(all.bytes, thread, threads);
    return (struct probe_stream){all.at + begin,
                                 part_begin(all.bytes, thread + 1, threads) - begin};
}

static void move(void *context, int thread, int threads)
{
    const struct probe_traffic *all = context;
    struct probe_traffic part = *all;
    for (int i = 0; i < all->inputs; i++)
        part.from[i] = part_of(all->from[i], thread, threads);
    for (int i = 0; i < all->outputs; i++)
        part.to[i] = part_of(all->to[i], thread, threads);
    tables[0]->traffic(&part);
}

static double run(int64_t count)
{
    return crew_run(move, &whole, count);
}

static size_t bytes_of(const struct probe_stream *streams, int count)
{
    size_t bytes = 0;
    for (int i = 0; i < count; i++)
        bytes += streams[i].bytes;
    return bytes;
}

static double try_way(const struct way *way, size_t bytes)
{
    whole.block = way->block;
    whole.is_streaming = way->is_streaming;
    if (bytes < FITS_A_CACHE) run(1);
    int64_t count = 1 + (int64_t)(FITS_A_CACHE / 16.0 / (double)(bytes + 1));
    return run(count) / (double)count;
}

/* Tries take turns, so that a slow second of the machine meets all of them. Ways that are far
 * behind after the first try get no other. */
static const struct way *choose_way(void)
{
    double times[WAYS], least = INFINITY;
    size_t bytes = bytes_of(whole.from, whole.inputs) + bytes_of(whole.to, whole.outputs);
    int best = 0;
    for (int try = 0; try < WAY_TRIES; try++) {
        double limit = try == 0 ? INFINITY : FAR_BEHIND * least;
        for (int i = 0; i < WAYS; i++) {
            if (try > 0 && times[i] > limit) continue;
            double seconds = try_way(&ways[i], bytes);
            times[i] = try == 0 ? seconds : fmin(times[i], seconds);
            if (times[i] < least) {
                least = times[i];
                best = i;
            }
        }
    }
    whole.block = ways[best].block;
    whole.is_streaming = ways[best].is_streaming;
    return &ways[best];
}

static bool set_up(const struct bench_problem *problem, char *note, size_t note_size)
{
    whole = (struct probe_traffic){0};
    for (int i = 0; i < problem->tensors; i++) {
        const struct bench_tensor *tensor = &problem->tensor[i];
        if (tensor->use == BENCH_SHAPE) continue;
        char *data = bench_memory(i, tensor->bytes + ALIGN);
        struct probe_stream stream = {data, tensor->bytes};
        if (tensor->use == BENCH_WRITES)
            whole.to[whole.outputs++] = stream;
        else if (bench_load(problem, i, data, note, note_size))
            whole.from[whole.inputs++] = stream;
        else
            return false;
    }
    const struct way *way = choose_way();
    snprintf(note, note_size, "%s stores, %zu bytes at a time",
             way->is_streaming ? "streaming" : "normal", way->block);
    return true;
}

static void *output(int tensor)
{
    (void)tensor;
    return NULL;
}

static void fma_part(void *context, int thread, int threads)
{
    (void)thread, (void)threads;
    const struct probe_table *table = context;
    table->multiply_add(100000);
}

static double best_rate(crew_fn *fn, void *context, double amount, int64_t count)
{
    double best = 0;
    crew_run(fn, context, count);
    for (int try = 0; try < TRIES; try++) {
        double rate = amount * (double)count / crew_run(fn, context, count);
        if (rate > best) best = rate;
    }
    return best * 1e-9;
}

static void add_traffic(cJSON *figures, const char *where, size_t bytes)
{
    static const struct {
        const char *name;
        bool reads, writes, is_streaming;
    } kinds[] = {
        {"read", true, false, false},           {"write", false, true, false},
        {"write_streaming", false, true, true}, {"copy", true, true, false},
        {"copy_streaming", true, true, true},
    };
    cJSON *place = cJSON_AddObjectToObject(figures, where);
    cJSON_AddNumberToObject(place, "bytes_per_array", (double)bytes);
    float *values = bench_memory(0, bytes);
    void *to = bench_memory(1, bytes);
    for (size_t i = 0; i < bytes / sizeof(float); i++)
        values[i] = 1.0f + (float)(i % 8191);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct probe_traffic all = {
            .from = {{(char *)values, bytes}},
            .to = {{to, bytes}},
            .inputs = kinds[i].reads,
            .outputs = kinds[i].writes,
            .block = 4096,
            .is_streaming = kinds[i].is_streaming,
            .is_copy = kinds[i].reads && kinds[i].writes,
        };
        int64_t count = 1 + (int64_t)(3e7 / (double)bytes);
        double amount = (double)(bytes * (size_t)(all.inputs + all.outputs));
        cJSON_AddNumberToObject(place, kinds[i].name, best_rate(move, &all, amount, count));
    }
}

/* Rates of memory, of the last-level cache (both arrays in half of it) and of the second level. */
static void figures(cJSON *figures)
{
    size_t l2 = machine_cache(2) * (size_t)thread_count, last = machine_cache(3);
    cJSON_AddStringToObject(figures, "unit", "GB/s and GFLOP/s");
    add_traffic(figures, "memory", (size_t)256 << 20);
    add_traffic(figures, "last_level_cache", last / 4 / 4096 * 4096);
    add_traffic(figures, "level_2_cache", l2 / 4 / 4096 * 4096);
    cJSON *fma = cJSON_AddObjectToObject(figures, "multiply_add");
    for (int i = 0; i < table_count; i++) {
        double operations = tables[i]->multiply_add(100000) * thread_count;
        cJSON_AddNumberToObject(fma, tables[i]->isa,
                                best_rate(fma_part, (void *)(uintptr_t)tables[i], operations, 4));
    }
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
    table_count = probes_available(tables);
    crew_start(thread_count);
    return bench_serve(&(struct bench_contender){
        .name = "floor",
        .hello = hello,
        .set_up = set_up,
        .run = run,
        .output = output,
        .figures = figures,
    });
}
