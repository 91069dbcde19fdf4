/* SPDX-License-Identifier: Apache-2.0 */
/* The table of targets, for a terminal or a page. */
#include "tests/bench/stats.h"
#include "tests/bench/targets.h"

/* What was found for a target on one or on more threads. */
struct finding {
    struct stats_mean mean;
    int missed; /* cases below, of a target for every case */
    const struct result *worst;
};

static struct finding find(const struct results *results, const struct target *target,
                           bool is_threaded)
{
    struct finding finding = {0};
    for (int i = 0; i < results->count; i++) {
        const struct result *result = &results->result[i];
        double value;
        if ((result->threads > 1) != is_threaded || !target_value(target, results, result, &value))
            continue;
        if (finding.mean.count == 0 || value < finding.mean.smallest) finding.worst = result;
        stats_mean_add(&finding.mean, value);
        finding.missed += value < target->least[is_threaded];
    }
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
        fprintf(out, "%-66s %-3s %8s %8s  %-6s %s\n", text, threads, asked, found, verdict, where);
}

static void print_target(const struct results *results, const struct target *target,
                         bool is_threaded, FILE *out, bool is_markdown)
{
    struct finding finding = find(results, target, is_threaded);
    if (finding.mean.count == 0) return;
    bool is_mean = target_is_mean(target);
    double least = target->least[is_threaded];
    double value = is_mean ? stats_mean_value(&finding.mean) : finding.mean.smallest;
    char asked[16], found[16], threads[16], where[3 * CASE_WORD + 64];
    snprintf(asked, sizeof asked, ">= %.2f", least);
    snprintf(found, sizeof found, "%.2f", value);
    snprintf(threads, sizeof threads, "%d", finding.worst->threads);
    const struct test_case *worst = &finding.worst->test;
    int used = snprintf(where, sizeof where, "%.2f: %s %s %s %s", finding.mean.smallest, worst->op,
                        worst->name, case_dtype_name(worst->dtype),
                        bench_format_name(finding.worst->format));
    if (!is_mean && used > 0 && (size_t)used < sizeof where)
        snprintf(where + used, sizeof where - (size_t)used, "; %d of %d missed", finding.missed,
                 finding.mean.count);
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
        fprintf(out, "\n%-66s %-3s %8s %8s\n", "target", "T", "asked", "found");
    }
    for (int i = 0; target_at(i) != NULL; i++) {
        print_target(results, target_at(i), false, out, is_markdown);
        print_target(results, target_at(i), true, out, is_markdown);
    }
    print_host(results, out, is_markdown);
    if (results->wrong > 0)
        fprintf(out, "%s%d contender(s) gave a wrong result; see above\n", is_markdown ? "\n" : "",
                results->wrong);
}
