/* SPDX-License-Identifier: Apache-2.0 */
/* What pooling has to reach, one row per promise, and whether a run did. */
#include "tests/bench/targets.h"

#include <string.h>

#define F32  (1u << CASE_F32)
#define F16  (1u << CASE_F16)
#define BF16 (1u << CASE_BF16)
#define ALL  (F32 | F16 | BF16)

#define NCHW (1u << BENCH_NCHW)
#define NHWC (1u << BENCH_NHWC)
#define BOTH (NCHW | NHWC)

#define MEMORY (1u << KIND_MEMORY)
#define GLOBAL (1u << KIND_GLOBAL)
#define SMALL  (1u << KIND_SMALL)
#define CACHE  (1u << KIND_CACHE)
#define LAYERS (MEMORY | GLOBAL | CACHE)

#define PLAIN (1u << ROLE_ONEDNN)
#define BLOCK (1u << ROLE_ONEDNN_BLOCKED)
#define TORCH (1u << ROLE_TORCH)

/* What kind of work an operator's case is. */
#define AVERAGE_GRAD (1u << 0) /* by windows, as all but ADAPTIVE */
#define MAX_GRAD     (1u << 1)
#define STEPS_OVER   (1u << 2) /* max gradient, windows that overlap and step: k3 s2 */
#define AVERAGE      (1u << 3) /* forward */
#define MAX          (1u << 4) /* forward */
#define RECOMPUTE    (1u << 5)
#define ADAPTIVE     (1u << 6)
#define ADAPTIVE_AVG (1u << 7)
#define UNPOOL       (1u << 8)
#define BACKWARD     (AVERAGE_GRAD | MAX_GRAD | STEPS_OVER)
#define FORWARD      (AVERAGE | MAX)
#define WINDOWS      (BACKWARD | FORWARD | RECOMPUTE)
#define AVERAGES     (AVERAGE_GRAD | AVERAGE | ADAPTIVE_AVG)
#define ANY          (~0u)

static const struct target targets[] = {
    {"avg, max backward f32 NCHW beyond the caches, share of the floor",
     AVERAGE_GRAD | MAX_GRAD,
     F32,
     NCHW,
     MEMORY,
     0,
     SHARE_LEAST,
     {0.85, 0.85}},
    {"max backward k3 s2 f32 NCHW beyond the caches, share",
     STEPS_OVER,
     F32,
     NCHW,
     MEMORY,
     0,
     SHARE_LEAST,
     {0.75, 0.85}},
    {"avg, max backward bf16, f16 NCHW beyond the caches, share",
     BACKWARD,
     F16 | BF16,
     NCHW,
     MEMORY,
     0,
     SHARE_LEAST,
     {0.80, 0.80}},
    {"avg, max backward NHWC beyond the caches, share",
     BACKWARD,
     ALL,
     NHWC,
     MEMORY,
     0,
     SHARE_LEAST,
     {0.80, 0.80}},
    {"avg backward f32 NHWC beyond the caches, share",
     AVERAGE_GRAD,
     F32,
     NHWC,
     MEMORY,
     0,
     SHARE_LEAST,
     {0.85, 0.85}},
    {"forward, recompute beyond the caches, share",
     FORWARD | RECOMPUTE,
     ALL,
     BOTH,
     MEMORY,
     0,
     SHARE_LEAST,
     {0.75, 0.75}},
    {"global average, share of the cache's floor",
     AVERAGES,
     ALL,
     BOTH,
     GLOBAL,
     0,
     SHARE_LEAST,
     {0.90, 0.90}},
    {"avg, max backward f32 NCHW, times oneDNN plain, geometric mean",
     BACKWARD,
     F32,
     NCHW,
     LAYERS,
     PLAIN,
     RATIO_MEAN,
     {3.5, 2}},
    {"avg, max backward f32 NCHW, times PyTorch, geometric mean",
     BACKWARD,
     F32,
     NCHW,
     LAYERS,
     TORCH,
     RATIO_MEAN,
     {6, 5}},
    {"avg, max backward bf16 NCHW, times oneDNN plain, geometric mean",
     BACKWARD,
     BF16,
     NCHW,
     LAYERS,
     PLAIN,
     RATIO_MEAN,
     {5, 3}},
    {"avg, max backward bf16 NCHW, times PyTorch, geometric mean",
     BACKWARD,
     BF16,
     NCHW,
     LAYERS,
     TORCH,
     RATIO_MEAN,
     {20, 12}},
    {"avg, max backward f32 NHWC, times oneDNN NHWC, geometric mean",
     BACKWARD,
     F32,
     NHWC,
     LAYERS,
     PLAIN,
     RATIO_MEAN,
     {2, 1.3}},
    {"avg, max backward f16, speed relative to bf16, geometric mean",
     BACKWARD,
     F16,
     BOTH,
     LAYERS,
     0,
     HALF_MEAN,
     {0.95, 0.95}},
    {"forward, times the fastest peer, geometric mean",
     FORWARD,
     ALL,
     BOTH,
     LAYERS,
     PLAIN | TORCH,
     RATIO_MEAN,
     {2, 2}},
    {"recompute, times the fastest peer, geometric mean",
     RECOMPUTE,
     ALL,
     BOTH,
     LAYERS,
     PLAIN | TORCH,
     RATIO_MEAN,
     {2, 2}},
    {"global average NCHW, times the fastest peer",
     AVERAGES,
     F32 | BF16,
     NCHW,
     GLOBAL,
     PLAIN | TORCH,
     RATIO_LEAST,
     {4, 4}},
    {"global average NHWC, times the fastest peer",
     AVERAGES,
     F32 | BF16,
     NHWC,
     GLOBAL,
     PLAIN | TORCH,
     RATIO_LEAST,
     {1.5, 1.5}},
    {"every layer, against the fastest peer of its layout",
     ANY,
     ALL,
     BOTH,
     LAYERS,
     PLAIN | TORCH,
     RATIO_LEAST,
     {1, 1}},
    {"every NHWC layer, against oneDNN's blocked layout",
     ANY,
     ALL,
     NHWC,
     LAYERS,
     BLOCK,
     RATIO_LEAST,
     {1, 1}},
    {"small case, whole call against oneDNN's bare execute",
     WINDOWS,
     F32 | BF16,
     BOTH,
     SMALL,
     PLAIN,
     RATIO_LEAST,
     {1, 1}},
};

const struct target *target_at(int index)
{
    return index < (int)(sizeof targets / sizeof targets[0]) ? &targets[index] : NULL;
}

static bool overlaps_in_steps(const struct test_case *test)
{
    for (int axis = 0; axis < test->axes; axis++) {
        struct case_window w = case_window(test, axis);
        if (w.stride > 1 && w.kernel > w.stride) return true;
    }
    return false;
}

static unsigned work_of(const struct test_case *test)
{
    static const unsigned works[BENCH_MEANINGS] = {
        [BENCH_AVERAGE] = AVERAGE,   [BENCH_AVERAGE_GRAD] = AVERAGE_GRAD,
        [BENCH_MAX] = MAX,           [BENCH_MAX_INDICES] = MAX,
        [BENCH_MAX_GRAD] = MAX_GRAD, [BENCH_MAX_RECOMPUTE] = RECOMPUTE,
        [BENCH_UNPOOL] = UNPOOL,     [BENCH_UNPOOL_GRAD] = UNPOOL,
    };
    const struct bench_operator *op = bench_operator_find(test->op);
    if (op == NULL) return 0;
    unsigned work = works[op->meaning];
    if (work == UNPOOL) return work;
    if (test->kernel_length == 0) return work & (AVERAGE | AVERAGE_GRAD) ? ADAPTIVE_AVG : ADAPTIVE;
    return work == MAX_GRAD && overlaps_in_steps(test) ? STEPS_OVER : work;
}

static bool is_meant(const struct target *target, const struct results *results,
                     const struct result *result)
{
    return (target->works & work_of(&result->test)) != 0 &&
           (target->dtypes >> result->test.dtype & 1) != 0 &&
           (target->formats >> result->format & 1) != 0 &&
           (target->kinds >> result_kind(results, result) & 1) != 0;
}

static const struct result *same_in_bf16(const struct results *results, const struct result *result)
{
    struct result wanted = *result;
    wanted.test.dtype = CASE_BF16;
    for (int i = 0; i < results->count; i++)
        if (result_is_same_case(&results->result[i], &wanted) &&
            results->result[i].threads == result->threads)
            return &results->result[i];
    return NULL;
}

bool target_value(const struct target *target, const struct results *results,
                  const struct result *result, double *value)
{
    if (!is_meant(target, results, result)) return false;
    const struct entry *ours = result_ours(result), *fastest = NULL;
    switch (target->measure) {
    case SHARE_LEAST:
        *value = ours->share;
        return true;
    case HALF_MEAN: {
        const struct result *other = same_in_bf16(results, result);
        if (other != NULL) *value = result_ours(other)->seconds / ours->seconds;
        return other != NULL;
    }
    default:
        for (int role = 0; role < ROLES; role++) {
            const struct entry *entry =
                (target->roles >> role & 1) != 0 ? result_best(result, (enum role)role) : NULL;
            if (entry != NULL && (fastest == NULL || entry->ratio < fastest->ratio))
                fastest = entry;
        }
        if (fastest != NULL) *value = fastest->ratio;
        return fastest != NULL;
    }
}

bool target_is_mean(const struct target *target)
{
    return target->measure == RATIO_MEAN || target->measure == HALF_MEAN;
}

enum verdict target_verdict(const struct results *results, const struct result *result, char *text,
                            size_t size)
{
    enum verdict verdict = VERDICT_NONE;
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; target_at(i) != NULL; i++) {
        const struct target *target = target_at(i);
        double value, least = target->least[result->threads > 1];
        if (target_is_mean(target) || !target_value(target, results, result, &value)) continue;
        if (verdict == VERDICT_NONE) verdict = VERDICT_MET;
        if (value >= least) continue;
        verdict = VERDICT_MISSED;
        const char *what = target->measure == SHARE_LEAST ? "share"
                           : target->roles == BLOCK       ? "blocked"
                                                          : "peer";
        used += (size_t)snprintf(text + used, size - used, "%s%s < %.2f", used > 0 ? ", " : "",
                                 what, least);
        if (used >= size) break;
    }
    return verdict;
}
