/* SPDX-License-Identifier: Apache-2.0 */
/* What a call costs the thread that makes it. */
#include "tests/bench/ours.h"
#include "tests/bench/stats.h"

enum { SAMPLES = 1001, BATCHES = 101, BATCH = 32 };

static double elapsed(double *since)
{
    double now = stats_now(), seconds = now - *since;
    *since = now;
    return seconds;
}

/* Host time of one call of each phase: the stream is idle before each, and waited for outside the
 * clock. The clock's own cost, some 20 ns, is in the figures. */
static void add_phases(cJSON *figures, struct call *c, aclrtStream stream)
{
    static double first[SAMPLES], second[SAMPLES], again[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        double clock = stats_now();
        if (call_prepare(c) != ACL_SUCCESS) return;
        first[i] = elapsed(&clock) * 1e6;
        call_execute(c, stream);
        second[i] = elapsed(&clock) * 1e6;
        aclrtSynchronizeStream(stream);
    }
    c->executor = NULL;
    if (!call_keep(c)) return;
    for (int i = 0; i < SAMPLES; i++) {
        double clock = stats_now();
        call_execute(c, stream);
        again[i] = elapsed(&clock) * 1e6;
        aclrtSynchronizeStream(stream);
    }
    cJSON_AddNumberToObject(figures, "phase_1", stats_median(first, SAMPLES));
    cJSON_AddNumberToObject(figures, "phase_2", stats_median(second, SAMPLES));
    cJSON_AddNumberToObject(figures, "phase_2_repeatable", stats_median(again, SAMPLES));
}

/* Submit and synchronise of an operator that has nothing to do. */
static void add_empty(cJSON *figures, struct call *c, aclrtStream stream)
{
    double times[BATCHES];
    if (!call_keep(c)) return;
    for (int batch = 0; batch < BATCHES; batch++) {
        double begin = stats_now();
        for (int i = 0; i < BATCH; i++) {
            call_execute(c, stream);
            aclrtSynchronizeStream(stream);
        }
        times[batch] = (stats_now() - begin) / BATCH * 1e6;
    }
    cJSON_AddNumberToObject(figures, "empty_submit_synchronize", stats_median(times, BATCHES));
}

void host_times(cJSON *figures, aclrtStream stream)
{
    static const char *const lines[] = {"avg_pool2d_backward f32 n1c16 14x14 k2 s2",
                                        "avg_pool2d_backward f32 n0c16 14x14 k2 s2"};
    static float memory[2][16 * 14 * 14] __attribute__((aligned(64)));
    cJSON_AddStringToObject(figures, "unit", "microseconds");
    for (int i = 0; i < 2; i++) {
        struct test_case test;
        struct bench_problem problem;
        char why[128];
        struct call c = {0};
        if (!case_parse(lines[i], &test, why, sizeof why) ||
            !bench_problem_of(&test, BENCH_NCHW, &problem, why, sizeof why))
            return;
        for (int k = 0; k < 16 * 14 * 14; k++)
            memory[0][k] = 0.25f + (float)(k % 13);
        void *data[BENCH_TENSORS] = {memory[0], memory[1], memory[1]};
        if (call_open(&c, &problem, data)) (i == 0 ? add_phases : add_empty)(figures, &c, stream);
        call_close(&c);
    }
}
