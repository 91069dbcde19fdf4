/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled once per ISA with BENCH_ISA naming it; see CMakeLists.txt. */
#include "tests/bench/probes.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
enum { WIDTH = 64 };
#elif defined(__AVX2__)
enum { WIDTH = 32 };
#else
enum { WIDTH = 16 };
#endif

typedef float vector __attribute__((vector_size(WIDTH), may_alias));

enum { STEP = 256, VECTORS = STEP / WIDTH, CHAINS = 10 };

static inline vector load(const void *from)
{
    return *(const vector *)from;
}

static inline void store(void *to, vector value, bool is_streaming)
{
    if (is_streaming) {
#if defined(__AVX512F__)
        _mm512_stream_ps(to, value);
        return;
#elif defined(__AVX2__)
        _mm256_stream_ps(to, value);
        return;
#elif defined(__x86_64__)
        _mm_stream_ps(to, value);
        return;
#endif
    }
    *(vector *)to = value;
}

/* Keeps the compiler from dropping what nobody uses, and from doing it later. */
#if defined(__AVX512F__)
#define IN_REGISTER "+v"
#elif defined(__x86_64__)
#define IN_REGISTER "+x"
#elif defined(__aarch64__)
#define IN_REGISTER "+w"
#else
#define IN_REGISTER "+m"
#endif
#define KEEP(value) __asm__ volatile("" : IN_REGISTER(value))
#define KEEP5(v, w, x, y, z)                                                                       \
    __asm__ volatile(""                                                                            \
                     : IN_REGISTER(v), IN_REGISTER(w), IN_REGISTER(x), IN_REGISTER(y),             \
                       IN_REGISTER(z))

static void read_range(const char *from, const char *end)
{
    vector sum[VECTORS], zero = {0};
    for (int i = 0; i < VECTORS; i++)
        sum[i] = zero;
    for (; from < end; from += STEP)
        for (int i = 0; i < VECTORS; i++)
            sum[i] += load(from + i * WIDTH);
    for (int i = 0; i < VECTORS; i++)
        KEEP(sum[i]);
}

static inline __attribute__((always_inline)) void write_range(char *to, const char *end,
                                                              const vector *data, bool is_streaming)
{
    for (; to < end; to += STEP)
        for (int i = 0; i < VECTORS; i++)
            store(to + i * WIDTH, data[i], is_streaming);
}

static inline __attribute__((always_inline)) void copy_range(char *to, const char *end,
                                                             const char *from, bool is_streaming)
{
    for (; to < end; to += STEP, from += STEP)
        for (int i = 0; i < VECTORS; i++)
            store(to + i * WIDTH, load(from + i * WIDTH), is_streaming);
}

/* How far a stream has come when the longest has come to `done`. */
static size_t reached(const struct probe_stream *stream, size_t done, size_t longest)
{
    return (size_t)((double)done / (double)longest * (double)stream->bytes) / STEP * STEP;
}

static size_t longest_of(const struct probe_traffic *t)
{
    const struct probe_stream *streams = t->outputs > 0 ? t->to : t->from;
    size_t most = 0;
    for (int i = 0; i < (t->outputs > 0 ? t->outputs : t->inputs); i++)
        if (streams[i].bytes > most) most = streams[i].bytes;
    return most;
}

static void write_or_copy(const struct probe_traffic *t, int output, size_t from, size_t until,
                          const vector *data)
{
    char *to = t->to[output].at + from, *end = t->to[output].at + until;
    if (t->is_copy && t->is_streaming)
        copy_range(to, end, t->from[0].at + from, true);
    else if (t->is_copy)
        copy_range(to, end, t->from[0].at + from, false);
    else if (t->is_streaming)
        write_range(to, end, data, true);
    else
        write_range(to, end, data, false);
}

static void traffic(const struct probe_traffic *t)
{
    /* Different values in every lane: whole lines of one value are cheaper on some machines. */
    float values[STEP / sizeof(float)];
    uint32_t bits = 0x9E3779B9u;
    for (size_t i = 0; i < STEP / sizeof(float); i++) {
        bits = bits * 1664525u + 1013904223u;
        values[i] = 1.0f + (float)(bits >> 8) * 0x1p-24f;
    }
    vector data[VECTORS];
    memcpy(data, values, sizeof data);

    size_t longest = longest_of(t);
    for (size_t done = 0; done < longest;) {
        size_t next = done + t->block < longest ? done + t->block : longest;
        for (int i = 0; i < t->inputs && !t->is_copy; i++)
            read_range(t->from[i].at + reached(&t->from[i], done, longest),
                       t->from[i].at + reached(&t->from[i], next, longest));
        for (int i = 0; i < t->outputs; i++)
            write_or_copy(t, i, reached(&t->to[i], done, longest),
                          reached(&t->to[i], next, longest), data);
        done = next;
    }
#if defined(__x86_64__)
    if (t->is_streaming) _mm_sfence();
#endif
}

/* Ten chains of single variables: an array of them would live in memory. */
static double multiply_add(int64_t rounds)
{
    vector zero = {0}, f = zero + 0.9999f, t = zero + 0.001f;
    vector a = zero, b = zero, c = zero, d = zero, e = zero;
    vector g = zero, h = zero, i = zero, j = zero, k = zero;
    for (int64_t round = 0; round < rounds; round++) {
        a = a * f + t, b = b * f + t, c = c * f + t, d = d * f + t, e = e * f + t;
        g = g * f + t, h = h * f + t, i = i * f + t, j = j * f + t, k = k * f + t;
        KEEP5(a, b, c, d, e);
        KEEP5(g, h, i, j, k);
    }
    return 2.0 * CHAINS * (WIDTH / sizeof(float)) * (double)rounds;
}

#define NAME_(isa)  probes_##isa
#define NAME(isa)   NAME_(isa)
#define TEXT_(text) #text
#define TEXT(text)  TEXT_(text)

const struct probe_table NAME(BENCH_ISA) = {
    .isa = TEXT(BENCH_ISA), .traffic = traffic, .multiply_add = multiply_add};
