/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices beside BLIS, OpenBLAS and oneDNN, in one process, taking turns:
 *     bench gemm [threads] [pattern ...]
 * Lines hold the best time of each, in GFLOP/s, and our speed over the best peer's. Peers are
 * shared libraries that are opened where the machine has them. b is transposed where the line says
 * so. Of peers, oneDNN alone multiplies bf16 (to f32, as all of a line do) and i8 (to i32); none
 * has f16. A library built for one thread says nothing about two. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/gemm/k_gemm.h"
#include "kernels/int8/k_int8.h"
#include "kernels/kernels.h"
#include "kernels/way.h"
#include "runtime/schedule/pool.h"

enum { TURNS = 40, PEERS = 3, ROW_MAJOR = 101, PLAIN = 111, TRANSPOSED = 112 };
#define SECONDS 0.25 /* of a line, for all contenders together */

struct shape {
    const char *name;
    int64_t m, n, k;
    bool is_transposed;
};

static const struct shape shapes[] = {
    {"resnet-1x1-64x56", 64, 3136, 64, false},  {"resnet-1x1-256x56", 64, 3136, 256, false},
    {"resnet18-64x56", 64, 3136, 576, false},   {"resnet18-128x28", 128, 784, 1152, false},
    {"resnet18-256x14", 256, 196, 2304, false}, {"resnet18-512x7", 512, 49, 4608, false},
    {"resnet18-fc", 32, 1000, 512, true},       {"gpt-projection", 2048, 768, 768, true},
    {"gpt-qkv", 2048, 2304, 768, true},         {"gpt-up", 2048, 3072, 768, true},
    {"gpt-down", 2048, 768, 3072, true},        {"gpt-scores", 512, 512, 64, true},
    {"gpt-values", 512, 64, 512, false},        {"decode-square", 1, 4096, 4096, true},
    {"decode-up", 1, 11008, 4096, true},        {"decode-plain", 1, 4096, 4096, false},
    {"decode-4", 4, 4096, 4096, true},          {"square-64", 64, 64, 64, false},
    {"square-128", 128, 128, 128, false},       {"square-256", 256, 256, 256, false},
    {"square-512", 512, 512, 512, false},       {"square-1024", 1024, 1024, 1024, false},
    {"square-2048", 2048, 2048, 2048, false},
};

static const char *const type_names[] = {
    [K_F32] = "f32", [K_F16] = "f16", [K_BF16] = "bf16", [K_I8] = "i8"};
static const enum k_dtype dtypes[] = {K_F32, K_F16, K_BF16, K_I8};

struct problem {
    const struct shape *shape;
    enum k_dtype dtype;
    void *a, *b, *c;
};

typedef void cblas_fn(int, int, int, int, int, int, float, const float *, int, const float *, int,
                      float, float *, int);
typedef int dnnl_fn(char, char, int64_t, int64_t, int64_t, float, const void *, int64_t,
                    const void *, int64_t, float, float *, int64_t);
typedef int dnnl_i8_fn(char, char, char, int64_t, int64_t, int64_t, float, const int8_t *, int64_t,
                       int8_t, const int8_t *, int64_t, int8_t, float, int32_t *, int64_t,
                       const int32_t *);

struct peer {
    const char *name, *files[5];
    cblas_fn *cblas;
    dnnl_fn *f32, *bf16;
    dnnl_i8_fn *i8;
};

static struct peer peers[PEERS] = {
    {.name = "BLIS", .files = {"libblis.so.4", "libblis.so"}},
    {.name = "OpenBLAS", .files = {"libopenblas.so.0"}},
    {.name = "oneDNN",
     .files = {".venv/onednn-gomp/lib/libdnnl.so", "libdnnl.so.3", "libdnnl.so.2", "libdnnl.so"}},
};

static void open_peer(struct peer *peer)
{
    void *library = NULL;
    for (int i = 0; i < 5 && peer->files[i] && !library; i++)
        library = dlopen(peer->files[i], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        printf("%s is not here\n", peer->name);
        return;
    }
    *(void **)&peer->f32 = dlsym(library, "dnnl_sgemm");
    *(void **)&peer->bf16 = dlsym(library, "dnnl_gemm_bf16bf16f32");
    *(void **)&peer->i8 = dlsym(library, "dnnl_gemm_s8s8s32");
    if (!peer->f32) *(void **)&peer->cblas = dlsym(library, "cblas_sgemm");
}

static bool has(const struct peer *peer, enum k_dtype dtype)
{
    if (dtype == K_I8) return peer->i8 != NULL;
    return dtype == K_F32 ? peer->cblas || peer->f32 : dtype == K_BF16 && peer->bf16;
}

static void run_peer(const struct peer *peer, const struct problem *p)
{
    const struct shape *s = p->shape;
    const int64_t ldb = s->is_transposed ? s->k : s->n;
    if (p->dtype == K_I8)
        peer->i8('N', s->is_transposed ? 'T' : 'N', 'F', s->m, s->n, s->k, 1, p->a, s->k, 0, p->b,
                 ldb, 0, 0, p->c, s->n, &(const int32_t){0});
    else if (peer->cblas)
        peer->cblas(ROW_MAJOR, PLAIN, s->is_transposed ? TRANSPOSED : PLAIN, (int)s->m, (int)s->n,
                    (int)s->k, 1, p->a, (int)s->k, p->b, (int)ldb, 0, p->c, (int)s->n);
    else
        (p->dtype == K_F32 ? peer->f32 : peer->bf16)('N', s->is_transposed ? 'T' : 'N', s->m, s->n,
                                                     s->k, 1, p->a, s->k, p->b, ldb, 0, p->c, s->n);
}

/* ---- ours ---- */

struct ours {
    struct k_int8 product; /* of i8; else its gemm alone */
    k_fn *run;
    struct k_work work;
    const char *way;
    void *buffers[K_INT8_OFFSET + 1];
};

static void slice(void *context, int64_t begin, int64_t end)
{
    const struct ours *ours = context;
    ours->run(&ours->product, ours->buffers, (struct k_slice){begin, end});
}

static void prepare_ours(struct ours *ours, const struct problem *p)
{
    const struct shape *s = p->shape;
    struct k_gemm *gemm = &ours->product.gemm;
    *ours = (struct ours){.buffers = {p->a, p->b, p->c}};
    *gemm = (struct k_gemm){.m = s->m, .n = s->n, .k = s->k, .batch = {1, 1, 1, 1}, .alpha = 1};
    gemm->a = (struct k_gemm_matrix){.dtype = p->dtype, .row = s->k, .column = 1};
    gemm->b = (struct k_gemm_matrix){.dtype = p->dtype,
                                     .row = s->is_transposed ? 1 : s->n,
                                     .column = s->is_transposed ? s->k : 1};
    gemm->c =
        (struct k_gemm_matrix){.dtype = p->dtype == K_I8 ? K_I32 : K_F32, .row = s->n, .column = 1};
    const enum k_choice choice = p->dtype == K_I8 ? K_CHOICE_int8_product : K_CHOICE_gemm;
    const struct k_chosen chosen =
        k_way_choose(choice, &(struct k_problem){&ours->product, K_F32, k_best()});
    ours->work = chosen.work;
    ours->run = chosen.run;
    ours->way = chosen.way->name;
}

static void run_ours(struct ours *ours, bool in_parallel)
{
    rt_parallel_for(in_parallel ? rt_pool_default() : NULL, slice, ours, ours->work.items,
                    ours->work.grain);
}

/* ---- a line ---- */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void fill(void *to, enum k_dtype dtype, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        const float single = (float)(i % 13 - 6) / 8;
        uint32_t bits;
        memcpy(&bits, &single, 4);
        const uint16_t half = (uint16_t)(dtype == K_BF16 ? bits >> 16 : 0x3000 + i % 1000);
        if (dtype == K_I8) {
            ((int8_t *)to)[i] = (int8_t)(i * 7 % 255 - 127);
            continue;
        }
        if (dtype == K_F32)
            memcpy((char *)to + 4 * i, &single, 4);
        else
            memcpy((char *)to + 2 * i, &half, 2);
    }
}

static void *memory(int64_t floats)
{
    void *at = aligned_alloc(64, (size_t)(floats * 4 + 63) / 64 * 64);
    if (!at) abort();
    memset(at, 0, (size_t)floats * 4);
    return at;
}

static void measure(const struct problem *p, bool in_parallel)
{
    const struct shape *s = p->shape;
    const double flops = 2e-9 * (double)s->m * (double)s->n * (double)s->k, start = now();
    double best[PEERS + 1];
    struct ours ours;
    prepare_ours(&ours, p);
    for (int i = 0; i <= PEERS; i++)
        best[i] = 1e9;
    for (int turn = 0; turn < TURNS && (turn < 4 || now() - start < SECONDS); turn++)
        for (int i = 0; i <= PEERS; i++) {
            if (i < PEERS && !has(&peers[i], p->dtype)) continue;
            const double begin = now();
            if (i == PEERS)
                run_ours(&ours, in_parallel);
            else
                run_peer(&peers[i], p);
            const double time = now() - begin;
            if (time < best[i]) best[i] = time;
        }
    double fastest = 1e9;
    printf("%-18s %-4s %5ldx%-5ldx%-5ld%s %-7s %8.1f", s->name, type_names[p->dtype], (long)s->m,
           (long)s->n, (long)s->k, s->is_transposed ? "T" : " ", ours.way, flops / best[PEERS]);
    for (int i = 0; i < PEERS; i++) {
        if (best[i] < fastest) fastest = best[i];
        if (best[i] < 1e9)
            printf(" %8.1f", flops / best[i]);
        else
            printf(" %8s", "-");
    }
    if (fastest < 1e9) printf("  %6.2f", fastest / best[PEERS]);
    printf("\n");
    fflush(stdout);
}

static bool is_wanted(const char *line, int count, char **patterns)
{
    for (int i = 0; i < count; i++)
        if (!strstr(line, patterns[i])) return false;
    return true;
}

int main(int count, char **arguments)
{
    const int threads = count > 1 ? atoi(arguments[1]) : 1, first = threads > 0 ? 2 : 1;
    char number[16];
    snprintf(number, sizeof number, "%d", threads > 0 ? threads : 1);
    setenv("OMP_NUM_THREADS", number, 1); /* peers read these when they are opened */
    setenv("OPENBLAS_NUM_THREADS", number, 1);
    setenv("BLIS_NUM_THREADS", number, 1);
    setenv("ACLNN_CPU_THREADS", number, 1);
    for (int i = 0; i < PEERS; i++)
        open_peer(&peers[i]);
    printf("%-18s %-4s %-19s %-7s %8s %8s %8s %8s  ratio\n", "GFLOP/s", "", "", "way", "ours",
           peers[0].name, peers[1].name, peers[2].name);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (size_t j = 0; j < sizeof dtypes / sizeof *dtypes; j++) {
            const enum k_dtype dtype = dtypes[j];
            const struct shape *s = &shapes[i];
            char line[64];
            snprintf(line, sizeof line, "%s %s", s->name, type_names[dtype]);
            if (!is_wanted(line, count - first, arguments + first)) continue;
            struct problem p = {s, dtype, memory(s->m * s->k), memory(s->k * s->n),
                                memory(s->m * s->n)};
            fill(p.a, p.dtype, s->m * s->k);
            fill(p.b, p.dtype, s->k * s->n);
            measure(&p, threads > 1);
            free(p.a);
            free(p.b);
            free(p.c);
        }
    return 0;
}
