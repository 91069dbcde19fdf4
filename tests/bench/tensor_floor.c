/* SPDX-License-Identifier: Apache-2.0 */
/* The floor of `bench tensors`: plain loads and stores of the bytes that the operator must move. Of
 * attention: as many multiply-adds of f32 from registers as its products have, if that takes
 * longer. */
#include <stdlib.h>
#include <string.h>

#include "tests/bench/conversation.h"
#include "tests/bench/crew.h"
#include "tests/bench/probes.h"
#include "tests/bench/tensor_line.h"

enum { ALIGN = 256, HUGE_PAGE = 2 << 20 };

static const struct probe_table *tables[3];
static struct probe_traffic traffic;
static void *memory[PROBE_INPUTS + PROBE_OUTPUTS];
static int thread_count;
static double operations;
static bool computes;

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

enum { ROUNDS = 100000 };

static void multiply(void *context, int thread, int threads)
{
    (void)context, (void)thread, (void)threads;
    tables[0]->multiply_add(ROUNDS);
}

/* Products of queries with keys and of weights with values; a gradient has five. Of causal ones
 * nothing is multiplied that is hidden. */
static double operations_of(const struct tensor_line *line)
{
    const int64_t *q = line->tensor[0].dims, *k = line->tensor[1].dims;
    if (strncmp(line->op, "attention", 9) != 0) return 0;
    const double product = 2.0 * (double)(q[0] * q[1] * q[2]) * (double)(k[2] * q[3]);
    const bool is_causal = strstr(line->op, "causal") != NULL;
    const double part = is_causal ? (double)(k[2] + 1) / (2.0 * (double)k[2]) : 1;
    return product * part * (strstr(line->op, "backward") != NULL ? 5 : 2);
}

static void move(void *context, int thread, int threads)
{
    struct probe_traffic part = *(const struct probe_traffic *)context;
    cut(part.from, part.inputs, thread, threads);
    cut(part.to, part.outputs, thread, threads);
    tables[0]->traffic(&part);
}

static double run(int64_t count)
{
    if (!computes) return crew_run(move, &traffic, count) / (double)count;
    const double done = tables[0]->multiply_add(1) * ROUNDS * thread_count;
    return crew_run(multiply, NULL, 1) * operations / done;
}

/* Tensors beyond what the probe takes are added to the last stream. */
static void add_bytes(struct probe_stream *streams, int *count, int most, size_t bytes)
{
    if (*count == most)
        streams[most - 1].bytes += bytes;
    else
        streams[(*count)++].bytes = bytes;
}

static void reserve(struct probe_stream *stream, void **at)
{
    static unsigned seed = 1;
    const size_t size = (stream->bytes + ALIGN + HUGE_PAGE) / HUGE_PAGE * HUGE_PAGE;
    free(*at);
    stream->at = *at = aligned_alloc(HUGE_PAGE, size);
    if (stream->at == NULL) abort();
    for (size_t i = 0; i < size; i += 4) {
        seed = seed * 1664525U + 1013904223U;
        memcpy(stream->at + i, &seed, 4);
    }
}

/* Which stores, and how many of them at a time, is tried; the fastest stays. */
static void choose(void)
{
    static const size_t blocks[] = {256, 1024, 4096, 32768};
    struct probe_traffic best = traffic;
    double least = 1e9;
    for (int i = 0; i < 8; i++) {
        traffic.block = blocks[i / 2];
        traffic.is_streaming = i % 2;
        crew_run(move, &traffic, 1);
        const double seconds = crew_run(move, &traffic, 2);
        if (seconds >= least) continue;
        least = seconds;
        best = traffic;
    }
    traffic = best;
}

static void set_up(const struct tensor_line *line)
{
    traffic = (struct probe_traffic){0};
    for (int i = 0; i < line->tensors; i++) {
        if (i < line->inputs)
            add_bytes(traffic.from, &traffic.inputs, PROBE_INPUTS, tensor_bytes_read(line, i));
        else
            add_bytes(traffic.to, &traffic.outputs, PROBE_OUTPUTS, tensor_bytes(&line->tensor[i]));
    }
    for (int i = 0; i < traffic.inputs; i++)
        reserve(&traffic.from[i], &memory[i]);
    for (int i = 0; i < traffic.outputs; i++)
        reserve(&traffic.to[i], &memory[PROBE_INPUTS + i]);
    choose();
    computes = false;
    const double moving = run(2);
    operations = operations_of(line);
    computes = operations > 0;
    if (computes && run(1) < moving) computes = false;
}

static void answer(const void *contender, const cJSON *request, cJSON *reply)
{
    (void)contender;
    struct tensor_line line;
    if (strcmp(conversation_text(request, "do"), "set_up") == 0) {
        if (tensor_line_parse(conversation_text(request, "line"),
                              conversation_text(request, "type"), &line))
            set_up(&line);
        else
            conversation_refuse(reply, "no such line");
        return;
    }
    const double count = cJSON_GetNumberValue(cJSON_GetObjectItem(request, "count"));
    cJSON_AddNumberToObject(reply, "seconds", run((int64_t)count));
}

static void hello(cJSON *reply)
{
    cJSON_AddStringToObject(reply, "version", tables[0]->isa);
}

int main(void)
{
    const char *threads = getenv("ACLNN_CPU_THREADS");
    thread_count = threads == NULL || atoi(threads) < 1 ? 1 : atoi(threads);
    probes_available(tables);
    crew_start(thread_count);
    return conversation_run("floor", hello, answer, NULL) ? 0 : 1;
}
