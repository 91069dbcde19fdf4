/* SPDX-License-Identifier: Apache-2.0 */
/* math_ulp FUNCTION [STRIDE] [LEVEL] [THREADS]: the largest error of a function of
 * kernels/vector/math.h on each level, over every STRIDE-th f32 (1: all 2^32), where it is, and the
 * time per element. Of a function of two arguments: over 2^32 / STRIDE random pairs, the same for
 * any number of threads. An error is found by math_quick.h where it has the function, and what is
 * told of it comes from the reference that the tests have too. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench/math_quick.h"
#include "tests/support/random.h"
#include "tests/unit/vector_math/level.h"

enum { TILE = 1024, LEVELS = 4, REPEATS = 4000, ROUNDS = 9, THREADS = 256, CHUNKS = 1024 };

struct worst {
    double error, absolute; /* ULP; and the largest error that `bound` ULP would not cover */
    float x, y, result;
};

struct search {
    int function, levels;
    const struct math_reference *reference;
    math_quick_fn *quick;
    const struct math_level *level[LEVELS];
    uint64_t stride, chunk; /* arguments of a chunk */
    atomic_int next;
    pthread_mutex_t lock; /* of worst */
    struct worst worst[LEVELS];
};

static float value_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The next tile of arguments; at: the number of those before. */
static void fill(struct random *random, bool two, uint64_t at, uint64_t stride, float *x, float *y)
{
    for (int i = 0; i < TILE; i++) {
        const uint64_t bits = two ? random_next(random) : (at + (uint64_t)i) * stride;
        x[i] = value_of((uint32_t)bits);
        y[i] = value_of((uint32_t)(bits >> 32));
        if (two && i % 2) /* of like size: random exponents seldom are */
            y[i] = value_of((uint32_t)(bits >> 32 & 0x83ffffff) | ((uint32_t)bits & 0x7c000000));
    }
}

static double reference_of(const struct math_reference *r, float x, float y)
{
    return r->of_two != NULL ? r->of_two((double)x, (double)y) : r->of_one((double)x);
}

/* As math_ulp_error, without calls where the value is a normal number of f32. */
static double quick_error(float result, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint64_t exponent = bits >> 52 & 0x7ff;
    if (exponent < 1023 - 126 || exponent > 1023 + 127 || !isfinite(result))
        return math_ulp_error(result, value);
    double power;
    bits = (2 * 1023 + 23 - exponent) << 52;
    memcpy(&power, &bits, sizeof power);
    return fabs((double)result - value) * power;
}

/* What quick finds to be worse counts as the reference has it. */
static void look_at(const struct search *s, float x, float y, float result, double value,
                    struct worst *w)
{
    const struct math_reference *r = s->reference;
    double error = quick_error(result, value), distance = fabs((double)result - value);
    const bool is_far = error > r->bound && !(distance <= w->absolute);
    if (!is_far && (error <= w->error || distance <= r->absolute)) return;
    if (s->quick != NULL) {
        value = reference_of(r, x, y);
        error = math_ulp_error(result, value);
        distance = fabs((double)result - value);
    }
    if (error > r->bound && distance > w->absolute) w->absolute = distance;
    if (error > w->error && !(distance <= r->absolute))
        *w = (struct worst){error, w->absolute, x, y, result};
}

static void search_chunk(const struct search *s, uint64_t from, uint64_t until,
                         struct worst worst[LEVELS])
{
    float x[TILE], y[TILE], result[LEVELS][TILE];
    double values[TILE];
    struct random random = {from + 1};
    for (uint64_t at = from; at < until; at += TILE) {
        fill(&random, s->reference->of_two != NULL, at, s->stride, x, y);
        for (int level = 0; level < s->levels; level++)
            s->level[level]->run[s->function](x, y, result[level], TILE);
        if (s->quick != NULL)
            s->quick(x, result[0], values, TILE);
        else
            for (int i = 0; i < TILE; i++)
                values[i] = reference_of(s->reference, x[i], y[i]);
        for (int level = 0; level < s->levels; level++)
            for (int i = 0; i < TILE; i++) {
                struct worst *w = &worst[level];
                if (bits_of(result[level][i]) == bits_of((float)values[i]) &&
                    (w->error >= 0.499 || s->reference->bound == 0))
                    continue;
                look_at(s, x[i], y[i], result[level][i], values[i], w);
            }
    }
}

static void *search_chunks(void *context)
{
    struct search *s = context;
    struct worst worst[LEVELS] = {{0}};
    const uint64_t count = ((1ULL << 32) + s->stride - 1) / s->stride;
    for (;;) {
        const uint64_t from = (uint64_t)atomic_fetch_add(&s->next, 1) * s->chunk;
        if (from >= count) break;
        search_chunk(s, from, from + s->chunk < count ? from + s->chunk : count, worst);
    }
    pthread_mutex_lock(&s->lock);
    for (int level = 0; level < s->levels; level++) {
        struct worst *w = &s->worst[level];
        const double absolute = fmax(w->absolute, worst[level].absolute);
        if (worst[level].error > w->error ||
            (worst[level].error == w->error && bits_of(worst[level].x) < bits_of(w->x)))
            *w = worst[level];
        w->absolute = absolute;
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* Both kinds of values agree to 2^-40 of their size on 2^16 arguments, or to the absolute bound. */
static bool agree(const struct search *s)
{
    enum { STEP = 65521 };
    float x[TILE], y[TILE], result[TILE];
    double values[TILE];
    for (uint64_t at = 0; at * STEP < 1ULL << 32; at += TILE) {
        fill(NULL, false, at, STEP, x, y);
        s->level[0]->run[s->function](x, y, result, TILE);
        s->quick(x, result, values, TILE);
        for (int i = 0; i < TILE; i++) {
            const double value = reference_of(s->reference, x[i], 0);
            if ((float)value == (float)values[i] || (isnan(value) && isnan(values[i]))) continue;
            if (fabs(value - values[i]) <= fabs(value) * 0x1p-40 + 0x1p-180) continue;
            fprintf(stderr, "%s: %a gives %a instead of %a: slow references serve\n",
                    s->reference->name, (double)x[i], values[i], value);
            return false;
        }
    }
    return true;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void measure(struct search *s, int threads)
{
    pthread_t thread[THREADS];
    const double begin = seconds();
    const uint64_t count = ((1ULL << 32) + s->stride - 1) / s->stride;
    s->chunk = (count / CHUNKS + TILE) / TILE * TILE;
    s->quick = s->reference->of_one != NULL ? math_quick_of(s->function) : NULL;
    if (s->quick != NULL && !agree(s)) s->quick = NULL;
    for (int i = 1; i < threads; i++)
        if (pthread_create(&thread[i], NULL, search_chunks, s) != 0) abort();
    search_chunks(s);
    for (int i = 1; i < threads; i++)
        pthread_join(thread[i], NULL);
    for (int level = 0; level < s->levels; level++) {
        const struct worst *w = &s->worst[level];
        printf("%-14s %-7s %.4f ULP at %a", s->reference->name, s->level[level]->isa, w->error,
               (double)w->x);
        if (s->reference->of_two != NULL) printf(", %a", (double)w->y);
        printf(": %a", (double)w->result);
        if (w->absolute > 0)
            printf("; more than %g ULP: at most %.2g", s->reference->bound, w->absolute);
        printf("; %.0f s\n", seconds() - begin);
    }
}

/* Arguments in [0.1, 4), in L1; the least of some rounds. */
static void clock_it(const struct math_reference *r, int function, const struct math_level *level)
{
    struct random random = {1};
    static float x[TILE], y[TILE], result[TILE];
    double least = INFINITY;
    for (int i = 0; i < TILE; i++) {
        x[i] = 0.1f + 3.9f * (float)(random_next(&random) >> 40) * 0x1p-24f;
        y[i] = 0.1f + 3.9f * (float)(random_next(&random) >> 40) * 0x1p-24f;
        if (strncmp(r->name, "a", 1) == 0 || strcmp(r->name, "erfinv") == 0) x[i] *= 0.24f;
        if (strcmp(r->name, "acosh") == 0) x[i] += 1;
    }
    for (int round = 0; round < ROUNDS; round++) {
        const double from = seconds();
        for (int i = 0; i < REPEATS; i++)
            level->run[function](x, y, result, TILE);
        const double taken = (seconds() - from) / ((double)REPEATS * TILE);
        if (taken < least) least = taken;
    }
    printf("%-14s %-7s %.2f ns per element\n", r->name, level->isa, 1e9 * least);
}

int main(int argc, char **argv)
{
    const struct math_level *levels[LEVELS], *level;
    int count = 0, found = 0, threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
    const uint64_t stride = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    for (size_t i = 0; count < LEVELS && (level = math_next_level(&i)) != NULL;)
        if (argc < 4 || strcmp(argv[3], "all") == 0 || strcmp(argv[3], level->isa) == 0)
            levels[count++] = level;
    if (argc > 4) threads = atoi(argv[4]);
    threads = threads < 1 ? 1 : threads > THREADS ? THREADS : threads;
    for (int function = 0; argc > 1 && count > 0 && function < MATH_FUNCTIONS; function++) {
        const struct math_reference *r = &math_references[function];
        if (strcmp(argv[1], "all") != 0 && strcmp(argv[1], r->name) != 0) continue;
        struct search search = {.function = function,
                                .levels = count,
                                .reference = r,
                                .stride = stride,
                                .lock = PTHREAD_MUTEX_INITIALIZER};
        found = 1;
        memcpy(search.level, levels, sizeof levels);
        for (int i = 0; i < count; i++)
            clock_it(r, function, levels[i]);
        if (stride > 0) measure(&search, threads);
        fflush(stdout);
    }
    if (found) return 0;
    fputs("math_ulp FUNCTION|all [STRIDE] [LEVEL|all] [THREADS]; stride 1: all values, 0: the time "
          "alone\n",
          stderr);
    return 2;
}
