/* SPDX-License-Identifier: Apache-2.0 */
/* What average pooling's gradient has to reach, one row per promise, and whether this run did. */
#include <math.h>
#include <string.h>

#include "tests/bench/results.h"
#include "tests/bench/stats.h"

#define F32    (1u << CASE_F32)
#define F16    (1u << CASE_F16)
#define BF16   (1u << CASE_BF16)
#define NCHW   (1u << BENCH_NCHW)
#define NHWC   (1u << BENCH_NHWC)
#define MEMORY (1u << KIND_MEMORY)
#define GLOBAL (1u << KIND_GLOBAL)
#define SMALL  (1u << KIND_SMALL)
#define CACHE  (1u << KIND_CACHE)
#define LAYERS (MEMORY | GLOBAL | CACHE)
#define PLAIN  (1u << ROLE_ONEDNN)
#define BLOCK  (1u << ROLE_ONEDNN_BLOCKED)
#define TORCH  (1u << ROLE_TORCH)

enum measure { SHARE_LEAST, RATIO_MEAN, RATIO_LEAST, HALF_MEAN };

static const struct target {
    const char *text;
    unsigned dtypes, formats, kinds, roles;
    enum measure measure;
    double least[2]; /* on one thread, on more */
} targets[] = {
    {"f32 NCHW, share of the floor, every case beyond the caches",
     F32,
     NCHW,
     MEMORY,
     0,
     SHARE_LEAST,
     {0.85, 0.85}},
    {"f32 NHWC, share of the floor, every case beyond the caches",
     F32,
     NHWC,
     MEMORY,
     0,
     SHARE_LEAST,
     {0.85, 0.85}},
    {"bf16, share of the floor, every case beyond the caches",
     BF16,
     NCHW | NHWC,
     MEMORY,
     0,
     SHARE_LEAST,
     {0.80, 0.80}},
    {"f16, share of the floor, every case beyond the caches",
     F16,
     NCHW | NHWC,
     MEMORY,
     0,
     SHARE_LEAST,
     {0.80, 0.80}},
    {"f32 NCHW, times oneDNN plain, geometric mean",
     F32,
     NCHW,
     LAYERS,
     PLAIN,
     RATIO_MEAN,
     {3.5, 2}},
    {"f32 NCHW, times PyTorch, geometric mean", F32, NCHW, LAYERS, TORCH, RATIO_MEAN, {6, 5}},
    {"bf16 NCHW, times oneDNN plain, geometric mean",
     BF16,
     NCHW,
     LAYERS,
     PLAIN,
     RATIO_MEAN,
     {5, 3}},
    {"bf16 NCHW, times PyTorch, geometric mean", BF16, NCHW, LAYERS, TORCH, RATIO_MEAN, {20, 12}},
    {"f32 NHWC, times oneDNN NHWC, geometric mean", F32, NHWC, LAYERS, PLAIN, RATIO_MEAN, {2, 1.3}},
    {"every layer, against the fastest peer of its layout",
     F32 | F16 | BF16,
     NCHW | NHWC,
     LAYERS,
     PLAIN | TORCH,
     RATIO_LEAST,
     {1, 1}},
    {"every NHWC layer, against oneDNN's blocked layout",
     F32 | F16 | BF16,
     NHWC,
     LAYERS,
     BLOCK,
     RATIO_LEAST,
     {1, 1}},
    {"global average, share of the cache's floor",
     F32 | F16 | BF16,
     NCHW | NHWC,
     GLOBAL,
     0,
     SHARE_LEAST,
     {0.90, 0.90}},
    {"global average NCHW, times the fastest peer",
     F32 | BF16,
     NCHW,
     GLOBAL,
     PLAIN | TORCH,
     RATIO_LEAST,
     {4, 4}},
    {"global average NHWC, times the fastest peer",
     F32 | BF16,
     NHWC,
     GLOBAL,
     PLAIN | TORCH,
     RATIO_LEAST,
     {1.5, 1.5}},
    {"small case, whole call against oneDNN's bare execute",
     F32 | BF16,
     NCHW | NHWC,
     SMALL,
     PLAIN,
     RATIO_LEAST,
     {1, 1}},
    {"f16, speed relative to bf16, geometric mean",
     F16,
     NCHW | NHWC,
     LAYERS,
     0,
     HALF_MEAN,
     {0.95, 0.95}},
};

/* What was found for a target on one or on more threads. */
struct finding {
    struct stats_mean mean;
    const struct result *worst;
};

static const struct result *same_in_bf16(const struct results *results, const struct result *result)
{
    for (int i = 0; i < results->count; i++) {
        const struct result *other = &results->result[i];
        if (other->test.dtype == CASE_BF16 && other->threads == result->threads &&
            other->format == result->format && strcmp(other->test.name, result->test.name) == 0)
            return other;
    }
    return NULL;
}

static void add(struct finding *finding, double value, const struct result *result)
{
    if (finding->mean.count == 0 || value < finding->mean.smallest) finding->worst = result;
    stats_mean_add(&finding->mean, value);
}

static void consider(const struct results *results, const struct target *target,
                     const struct result *result, struct finding *finding)
{
    if ((target->dtypes >> result->test.dtype & 1) == 0 ||
        (target->formats >> result->format & 1) == 0 ||
        (target->kinds >> result_kind(results, result) & 1) == 0)
        return;
    const struct entry *ours = result_ours(result);
    if (target->measure == SHARE_LEAST) {
        add(finding, ours->share, result);
    } else if (target->measure == HALF_MEAN) {
        const struct result *other = same_in_bf16(results, result);
        if (other != NULL) add(finding, result_ours(other)->seconds / ours->seconds, result);
    } else {
        const struct entry *fastest = NULL;
        for (int role = 0; role < ROLES; role++) {
            if ((target->roles >> role & 1) == 0) continue;
            const struct entry *entry = result_best(result, (enum role)role);
            if (entry != NULL && (fastest == NULL || entry->ratio < fastest->ratio))
                fastest = entry;
        }
        if (fastest != NULL) add(finding, fastest->ratio, result);
    }
}

static struct finding find(const struct results *results, const struct target *target,
                           bool is_threaded)
{
    struct finding finding = {0};
    for (int i = 0; i < results->count; i++)
        if ((results->result[i].threads > 1) == is_threaded)
            consider(results, target, &results->result[i], &finding);
    return finding;
}

static void print_row(FILE *out, bool is_markdown, const char *text, const char *threads,
                      const char *asked, const char *found, bool is_met, const char *where)
{
    const char *verdict = is_met ? "met" : "MISSED";
    if (is_markdown)
        fprintf(out, "| %s | %s | %s | %s | %s | %s |\n", text, threads, asked, found, verdict,
                where);
    else
        fprintf(out, "%-62s %-3s %8s %8s  %-6s %s\n", text, threads, asked, found, verdict, where);
}

static void print_target(const struct results *results, const struct target *target,
                         bool is_threaded, FILE *out, bool is_markdown)
{
    struct finding finding = find(results, target, is_threaded);
    if (finding.mean.count == 0) return;
    bool is_mean = target->measure == RATIO_MEAN || target->measure == HALF_MEAN;
    double least = target->least[is_threaded];
    double value = is_mean ? stats_mean_value(&finding.mean) : finding.mean.smallest;
    char asked[16], found[16], where[CASE_WORD + 64];
    snprintf(asked, sizeof asked, ">= %.2f", least);
    snprintf(found, sizeof found, "%.2f", value);
    const struct result *worst = finding.worst;
    snprintf(where, sizeof where, "%s%.2f (%s %s %s)", is_mean ? "lowest " : "",
             finding.mean.smallest, worst->test.name, case_dtype_name(worst->test.dtype),
             bench_format_name(worst->format));
    char threads[16];
    snprintf(threads, sizeof threads, "%d", worst->threads);
    print_row(out, is_markdown, target->text, threads, asked, found, value >= least, where);
}

static void print_host(const struct results *results, FILE *out, bool is_markdown)
{
    static const struct {
        const char *key, *text;
        double most;
    } rows[] = {
        {"phase_1", "phase 1, microseconds of host time", 1.5},
        {"phase_2_repeatable", "phase 2 of a repeatable executor, microseconds of host time", 0.5},
    };
    const cJSON *one;
    cJSON_ArrayForEach(one, results->figures)
    {
        const cJSON *figures = cJSON_GetObjectItem(one, "figures");
        int threads = (int)cJSON_GetNumberValue(cJSON_GetObjectItem(one, "threads"));
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            const cJSON *item = cJSON_GetObjectItem(figures, rows[i].key);
            if (item == NULL) continue;
            char asked[16], found[16], count[16];
            snprintf(asked, sizeof asked, "<= %.2f", rows[i].most);
            snprintf(found, sizeof found, "%.2f", item->valuedouble);
            snprintf(count, sizeof count, "%d", threads);
            print_row(out, is_markdown, rows[i].text, count, asked, found,
                      item->valuedouble <= rows[i].most, "");
        }
    }
}

void targets_print(const struct results *results, FILE *out, bool is_markdown)
{
    if (is_markdown) {
        fprintf(out, "| Target | Threads | Asked | Found | | Weakest case |\n");
        fprintf(out, "|---|---|---|---|---|---|\n");
    } else {
        fprintf(out, "\n%-62s %-3s %8s %8s\n", "target", "T", "asked", "found");
    }
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        print_target(results, &targets[i], false, out, is_markdown);
        print_target(results, &targets[i], true, out, is_markdown);
    }
    print_host(results, out, is_markdown);
    if (results->wrong > 0)
        fprintf(out, "%s%d contender(s) gave a wrong result; see above\n", is_markdown ? "\n" : "",
                results->wrong);
}
