/* SPDX-License-Identifier: Apache-2.0 */
/* math_ulp FUNCTION [STRIDE] [LEVEL]: the largest error of a function of kernels/vector/math.h on
 * each level, over every STRIDE-th f32 (1: all 2^32), where it is, and the time per element. Of a
 * function of two arguments: over 2^32 / STRIDE random pairs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/support/random.h"
#include "tests/unit/vector_math/level.h"

enum { TILE = 1024, LEVELS = 4, REPEATS = 4000, ROUNDS = 9 };

struct worst {
    double error, absolute; /* ULP; and the largest error that `bound` ULP would not cover */
    float x, y, result;
};

static float value_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
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

static void measure(const struct math_reference *r, int function, const struct math_level *levels[],
                    int count, uint64_t stride)
{
    struct worst worst[LEVELS] = {{0}};
    struct random random = {1};
    static float x[TILE], y[TILE], result[TILE];
    const bool two = r->of_two != NULL;
    for (uint64_t at = 0; at * stride < 1ULL << 32; at += TILE) {
        double values[TILE];
        fill(&random, two, at, stride, x, y);
        for (int i = 0; i < TILE; i++)
            values[i] = two ? r->of_two((double)x[i], (double)y[i]) : r->of_one((double)x[i]);
        for (int level = 0; level < count; level++) {
            struct worst *w = &worst[level];
            levels[level]->run[function](x, y, result, TILE);
            for (int i = 0; i < TILE; i++) {
                if (w->error >= 0.5 && result[i] == (float)values[i] && result[i] != 0) continue;
                const double error = math_ulp_error(result[i], values[i]);
                const double distance = fabs((double)result[i] - values[i]);
                if (error > r->bound && distance > w->absolute) w->absolute = distance;
                if (distance <= r->absolute) continue;
                if (error > w->error)
                    *w = (struct worst){error, w->absolute, x[i], y[i], result[i]};
            }
        }
    }
    for (int level = 0; level < count; level++) {
        const struct worst *w = &worst[level];
        printf("%-14s %-7s %.4f ULP at %a", r->name, levels[level]->isa, w->error, (double)w->x);
        if (two) printf(", %a", (double)w->y);
        printf(": %a", (double)w->result);
        if (w->absolute > 0) printf("; more than %g ULP: at most %.2g", r->bound, w->absolute);
        printf("\n");
    }
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
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
    int count = 0, found = 0;
    const uint64_t stride = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    for (size_t i = 0; count < LEVELS && (level = math_next_level(&i)) != NULL;)
        if (argc < 4 || strcmp(argv[3], level->isa) == 0) levels[count++] = level;
    for (int function = 0; argc > 1 && function < MATH_FUNCTIONS; function++) {
        const struct math_reference *r = &math_references[function];
        if (strcmp(argv[1], "all") != 0 && strcmp(argv[1], r->name) != 0) continue;
        found = 1;
        for (int i = 0; i < count; i++)
            clock_it(r, function, levels[i]);
        if (stride > 0) measure(r, function, levels, count, stride);
        fflush(stdout);
    }
    if (found) return 0;
    fputs("math_ulp FUNCTION|all [STRIDE] [LEVEL]; stride 1: all values, 0: the time alone\n",
          stderr);
    return 2;
}
