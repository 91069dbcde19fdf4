/* SPDX-License-Identifier: Apache-2.0 */
/* Times avg_pool_grad alone, on pinned threads, beside a probe that reads and writes as many bytes
 * in the same run. bench_kernels [pattern]      e.g. "f32 nchw", "vgg" Prints the median time,
 * GB/s, and the share of the floor: the probe's time (the better of normal and streaming stores) by
 * ours. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "kernels/kernels.h"
#include "kernels/pool/k_pool_grad.h"
#include "kernels/way.h"

enum { ROUNDS = 11, SLICES = 8, MOST_SLICES = 64 };

struct bench_case {
    const char *name;
    int64_t n, c, in[3], kernel[3], stride[3], pad;
    bool ceil_mode;
};

static const struct bench_case cases[] = {
    {"resnet-stem", 32, 64, {1, 112, 112}, {1, 3, 3}, {1, 2, 2}, 1, false},
    {"resnet-gap", 32, 2048, {1, 7, 7}, {1, 7, 7}, {1, 7, 7}, 0, false},
    {"googlenet", 32, 192, {1, 56, 56}, {1, 3, 3}, {1, 2, 2}, 0, true},
    {"inception-avg", 32, 288, {1, 35, 35}, {1, 3, 3}, {1, 1, 1}, 1, false},
    {"vgg", 16, 64, {1, 224, 224}, {1, 2, 2}, {1, 2, 2}, 0, false},
    {"densenet-tr", 32, 256, {1, 56, 56}, {1, 2, 2}, {1, 2, 2}, 0, false},
    {"c3d-1", 4, 64, {16, 112, 112}, {1, 2, 2}, {1, 2, 2}, 0, false},
    {"c3d-2", 4, 128, {16, 56, 56}, {2, 2, 2}, {2, 2, 2}, 0, false},
    {"small", 1, 16, {1, 14, 14}, {1, 2, 2}, {1, 2, 2}, 0, false},
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- work on one or two pinned threads ---- */

struct job {
    void (*run)(struct job *job, int64_t begin, int64_t end);
    const struct k_pool_grad *grad;
    k_fn *kernel;
    const char *dy;
    char *dx;
    size_t read, write; /* bytes */
    int64_t items;
    int slices, times;
    bool stream;
    atomic_int next;
};

static struct job *_Atomic shared;
static atomic_int generation, finished;

static void work_on(struct job *job)
{
    for (int slice; (slice = atomic_fetch_add(&job->next, 1)) < job->slices;)
        job->run(job, job->items * slice / job->slices, job->items * (slice + 1) / job->slices);
}

static void pin(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

static void *helper(void *unused)
{
    (void)unused;
    pin(1);
    for (int seen = 0;;) {
        while (atomic_load(&generation) == seen) {
        }
        seen = atomic_load(&generation);
        struct job *job = atomic_load(&shared);
        if (!job) return NULL;
        work_on(job);
        atomic_store(&finished, seen);
    }
}

static double timed(struct job *job, int threads)
{
    const double begin = now();
    for (int i = 0; i < job->times; i++) {
        atomic_store(&job->next, 0);
        if (threads == 1) {
            work_on(job);
            continue;
        }
        atomic_store(&shared, job);
        const int mine = atomic_fetch_add(&generation, 1) + 1;
        work_on(job);
        while (atomic_load(&finished) != mine) {
        }
    }
    return (now() - begin) / job->times;
}

/* ---- the probe: the same bytes, no arithmetic ---- */

typedef uint64_t chunk __attribute__((vector_size(64), aligned(64)));

#if defined(__x86_64__)
__attribute__((target("avx512f"))) static void write_wide(char *to, const char *from, size_t bytes,
                                                          bool stream)
{
    const __m512i a = _mm512_loadu_si512(from), b = _mm512_loadu_si512(from + 64);
    for (size_t i = 0; i < bytes; i += 128) {
        if (stream) {
            _mm512_stream_si512((void *)(to + i), a);
            _mm512_stream_si512((void *)(to + i + 64), b);
        } else {
            _mm512_store_si512((void *)(to + i), a);
            _mm512_store_si512((void *)(to + i + 64), b);
        }
    }
}

static void write_narrow(char *to, const char *from, size_t bytes, bool stream)
{
    const __m128i a = _mm_loadu_si128((const void *)from);
    for (size_t i = 0; i < bytes; i += 16)
        if (stream)
            _mm_stream_si128((void *)(to + i), a);
        else
            _mm_store_si128((void *)(to + i), a);
}
#endif

static void write_block(char *to, const char *from, size_t bytes, bool stream)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        write_wide(to, from, bytes, stream);
    else
        write_narrow(to, from, bytes, stream);
#else
    (void)stream;
    for (size_t i = 0; i < bytes; i += 64)
        memcpy(to + i, from, 64);
#endif
}

static uint64_t sink;

/* Items are blocks of 1 KiB of output; each reads its share of the input first. */
static void probe(struct job *job, int64_t begin, int64_t end)
{
    enum { BLOCK = 1024 };
    chunk sum = {0};
    const double ratio = (double)job->read / (double)job->write * BLOCK;
    for (int64_t i = begin; i < end; i++) {
        const size_t low = (size_t)((double)i * ratio) / 64 * 64;
        const size_t high = (size_t)((double)(i + 1) * ratio) / 64 * 64;
        for (size_t at = low; at < high; at += 64)
            sum ^= *(const chunk *)(const void *)(job->dy + at);
        write_block(job->dx + i * BLOCK, job->dy + low, BLOCK, job->stream);
    }
    sink ^= sum[0] ^ sum[7];
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

static void kernel(struct job *job, int64_t begin, int64_t end)
{
    job->kernel(job->grad, (void *[]){(void *)job->dy, job->dx}, (struct k_slice){begin, end});
}

/* ---- one line of the table ---- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof *values, by_value);
    return values[ROUNDS / 2];
}

static struct k_pool pool_of(const struct bench_case *c, enum k_layout layout)
{
    struct k_pool p = {.outer = layout == K_CHANNELS_FIRST ? c->n * c->c : c->n,
                       .channels = layout == K_CHANNELS_FIRST ? 1 : c->c,
                       .layout = layout,
                       .count_padding = true};
    for (int axis = 0; axis < K_POOL_AXES; axis++) {
        const int64_t pad = c->kernel[axis] > 1 ? c->pad : 0;
        const int64_t room = c->in[axis] + 2 * pad - c->kernel[axis];
        p.input[axis] = c->in[axis], p.kernel[axis] = c->kernel[axis];
        p.stride[axis] = c->stride[axis], p.pad_begin[axis] = p.pad_end[axis] = pad;
        p.output[axis] = (room + (c->ceil_mode ? c->stride[axis] - 1 : 0)) / c->stride[axis] + 1;
    }
    return p;
}

static void fill_random(enum k_dtype dt, char *at, size_t bytes)
{
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; i + 4 <= bytes; i += 4) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        const float value = (float)(int32_t)state * 0x1p-31f;
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        if (dt == K_BF16) bits = bits >> 16 | (bits & 0xffff0000);
        if (dt == K_F16) bits = (uint32_t)(state & 0xbbffbbff);
        memcpy(at + i, &bits, sizeof bits);
    }
}

static void show(const struct k_table *table, const struct bench_case *c, enum k_layout layout,
                 enum k_dtype dt, int threads, char *dy, char *dx)
{
    static const char *const types[] = {"f32", "f16", "bf16"};
    struct k_pool pool = pool_of(c, layout);
    const size_t size = dt == K_F32 ? 4 : 2;
    const size_t planes = (size_t)(pool.outer * pool.channels) * size;
    struct job ours = {.run = kernel, .dy = dy, .dx = dx};
    ours.read = planes * (size_t)(pool.output[0] * pool.output[1] * pool.output[2]);
    ours.write = planes * (size_t)(pool.input[0] * pool.input[1] * pool.input[2]);
    pool.stream_output = ours.read + ours.write >= k_cache_last_level();
    struct k_pool_grad grad = k_pool_grad(&pool, dt);
    const struct k_chosen chosen =
        k_way_choose(K_CHOICE_avg_pool_grad, &(struct k_problem){&grad, dt, table});
    const struct k_work work = chosen.work;
    ours.grad = &grad;
    ours.kernel = chosen.run;
    ours.items = work.items;
    const int64_t most = work.items / work.grain;
    ours.slices = (int)(most < 1 ? 1 : most < SLICES * threads ? most : SLICES * threads);
    if (threads == 1 && ours.slices < SLICES) ours.slices = 1;
    ours.times = (int)(1 + 4000000 / (ours.read + ours.write));
    struct job normal = ours;
    normal.run = probe, normal.items = (int64_t)(ours.write / 1024), normal.stream = false;
    struct job streaming = normal;
    streaming.stream = true;

    double a[ROUNDS], b[ROUNDS], d[ROUNDS];
    fill_random(dt, dy, ours.read);
    memset(dx, 0xff, ours.write);
    timed(&ours, threads);
    for (int i = 0; i < ROUNDS; i++) {
        a[i] = timed(&ours, threads);
        b[i] = timed(&normal, threads);
        d[i] = timed(&streaming, threads);
    }
    const double mine = median(a), plain = median(b), stream = median(d);
    const double floor = plain < stream ? plain : stream;
    printf("%-7s %-14s %-4s %s T%d %9.4f ms %6.1f GB/s  floor %9.4f (%s)  share %.2f\n", table->isa,
           c->name, types[dt], layout == K_CHANNELS_FIRST ? "nchw" : "nhwc", threads, mine * 1e3,
           (double)(ours.read + ours.write) / mine * 1e-9, floor * 1e3,
           plain < stream ? "normal" : "stream", floor / mine);
    fflush(stdout);
}

/* Each word of the pattern must occur in the line's name. */
static bool wanted(char *pattern, const char *name)
{
    char words[200];
    snprintf(words, sizeof words, "%s", pattern);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
        if (!strstr(name, word)) return false;
    return true;
}

int main(int argc, char **argv)
{
    const size_t bytes = (size_t)300 << 20;
    char *dy = aligned_alloc(4096, bytes), *dx = aligned_alloc(4096, bytes);
    if (!dy || !dx) return 1;
    memset(dy, 0, bytes);
    memset(dx, 0, bytes);
    pin(0);
    pthread_t thread;
    pthread_create(&thread, NULL, helper, NULL);
    static const char *const types[] = {"f32", "f16", "bf16"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int layout = 0; layout < 2; layout++)
            for (int dt = 0; dt < K_DTYPES; dt++)
                for (int threads = 1; threads <= 2; threads++) {
                    char name[100];
                    snprintf(name, sizeof name, "%s %s %s T%d", cases[i].name, types[dt],
                             layout == 0 ? "nchw" : "nhwc", threads);
                    if (argc < 2 || wanted(argv[1], name))
                        show(k_best(), &cases[i], (enum k_layout)layout, (enum k_dtype)dt, threads,
                             dy, dx);
                }
    atomic_store(&shared, NULL);
    atomic_fetch_add(&generation, 1);
    pthread_join(thread, NULL);
    free(dy);
    free(dx);
    return 0;
}
