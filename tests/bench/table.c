/* SPDX-License-Identifier: Apache-2.0 */
/* The one table, for a terminal. */
#include <math.h>

#include <string.h>

#include "tests/bench/targets.h"

static void print_ratio(FILE *out, const struct result *result, enum role role)
{
    const struct entry *entry = result_best(result, role);
    if (entry == NULL)
        fprintf(out, " %8s %7s", "-", "-");
    else
        fprintf(out, " %8.4f %6.2fx", entry->seconds * 1e3, entry->ratio);
}

static void print_head(const struct results *results, FILE *out)
{
    fprintf(out, "\n%s, %s\n", results->cpu, results->date);
    for (int i = 0; i < results->peers; i++)
        fprintf(out, "  %s\n", results->peer[i]);
    for (int i = 0; i < results->lacking_count; i++)
        fprintf(out, "  lacking: %s\n", results->lacking[i]);
    fprintf(out,
            "\nmilliseconds; a peer's second column is its time / ours. Of several oneDNNs the "
            "faster. ~ means medians more than 3 %% apart.\n");
    fprintf(out, "%-18s %-4s %-4s T %10s  %6s %6s %7s %8s %7s %8s %7s %8s %7s  %s\n", "case",
            "type", "lay", "ours", "GB/s", "share", "floor", "oneDNN", "", "blocked", "", "PyTorch",
            "", "targets");
}

static void print_row(const struct results *results, const struct result *result, FILE *out)
{
    char missed[64];
    const struct entry *ours = result_ours(result), *floor = result_best(result, ROLE_FLOOR);
    fprintf(out, "%-18s %-4s %-4s %d %10.5f%c %6.1f %5.0f%% %7.4f", result->test.name,
            case_dtype_name(result->test.dtype), bench_format_name(result->format), result->threads,
            ours->seconds * 1e3, result->is_settled ? ' ' : '~',
            result->bytes / ours->seconds * 1e-9, ours->share * 100,
            floor == NULL ? NAN : floor->seconds * 1e3);
    print_ratio(out, result, ROLE_ONEDNN);
    print_ratio(out, result, ROLE_ONEDNN_BLOCKED);
    print_ratio(out, result, ROLE_TORCH);
    enum verdict verdict = target_verdict(results, result, missed, sizeof missed);
    fprintf(out, "  %s\n", verdict == VERDICT_MET ? "met" : missed);
}

static void print_group(FILE *out, const char *title, const cJSON *group)
{
    fprintf(out, "    %-20s", title);
    const cJSON *item;
    cJSON_ArrayForEach(item, group)
    {
        if (cJSON_IsNumber(item) && item->valuedouble < 1e6)
            fprintf(out, " %s %.4g ", item->string, item->valuedouble);
    }
    fprintf(out, "\n");
}

static void print_figures(const struct results *results, FILE *out)
{
    const cJSON *one;
    cJSON_ArrayForEach(one, results->figures)
    {
        const cJSON *figures = cJSON_GetObjectItem(one, "figures"), *group;
        const char *of = cJSON_GetStringValue(cJSON_GetObjectItem(one, "of"));
        const char *unit = cJSON_GetStringValue(cJSON_GetObjectItem(figures, "unit"));
        fprintf(out, "\n%s, %d thread(s), %s\n", of == NULL ? "" : of,
                (int)cJSON_GetNumberValue(cJSON_GetObjectItem(one, "threads")),
                unit == NULL ? "" : unit);
        bool has_groups = false;
        cJSON_ArrayForEach(group, figures)
        {
            if (!cJSON_IsObject(group)) continue;
            has_groups = true;
            print_group(out, group->string, group);
        }
        if (!has_groups) print_group(out, "", figures);
    }
}

void table_print(const struct results *results, FILE *out)
{
    print_head(results, out);
    const char *op = "";
    for (int i = 0; i < results->count; i++) {
        const struct result *result = &results->result[i];
        if (!result_is_first(results, i)) continue;
        if (strcmp(op, result->test.op) != 0) fprintf(out, "\n%s\n", result->test.op);
        op = result->test.op;
        for (int threaded = 0; threaded < 2; threaded++) {
            const struct result *one = results_find(results, result, threaded);
            if (one != NULL) print_row(results, one, out);
        }
    }
    print_figures(results, out);
    if (results->others > RESULT_OTHERS_LOUD)
        fprintf(out, "\nother processes used %.2f CPUs during the run: do not trust these times\n",
                results->others);
}
