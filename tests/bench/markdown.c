/* SPDX-License-Identifier: Apache-2.0 */
/* The generated part of docs/performance.md. */
#include <stdlib.h>
#include <string.h>

#include "tests/bench/results.h"

enum { PATH = 1024 };

static const char begin_mark[] = "<!-- bench:begin -->", end_mark[] = "<!-- bench:end -->";

static void print_ratio(FILE *out, const struct result *result, enum role role)
{
    const struct entry *entry = result_best(result, role);
    if (entry == NULL)
        fprintf(out, " – |");
    else
        fprintf(out, " %.*f (%.2f×) |", entry->seconds < 1e-4 ? 5 : 3, entry->seconds * 1e3,
                entry->ratio);
}

static void print_rows(const struct results *results, enum case_dtype dtype,
                       enum bench_format format, FILE *out)
{
    for (int i = 0; i < results->count; i++) {
        const struct result *result = &results->result[i];
        if (result->test.dtype != dtype || result->format != format) continue;
        const struct entry *ours = result_ours(result);
        fprintf(out, "| %s | %d | %.*f%s | %.1f | %.0f %% |", result->test.name, result->threads,
                ours->seconds < 1e-4 ? 5 : 3, ours->seconds * 1e3, result->is_settled ? "" : " ~",
                result->bytes / ours->seconds * 1e-9, ours->share * 100);
        print_ratio(out, result, ROLE_ONEDNN);
        print_ratio(out, result, ROLE_ONEDNN_BLOCKED);
        print_ratio(out, result, ROLE_TORCH);
        fprintf(out, "\n");
    }
}

static bool has_rows(const struct results *results, enum case_dtype dtype, enum bench_format format)
{
    for (int i = 0; i < results->count; i++)
        if (results->result[i].test.dtype == dtype && results->result[i].format == format)
            return true;
    return false;
}

static void print_tables(const struct results *results, FILE *out)
{
    static const enum bench_format formats[] = {BENCH_NCHW, BENCH_NHWC};
    static const enum case_dtype dtypes[] = {CASE_F32, CASE_BF16, CASE_F16};
    for (int d = 0; d < 3; d++) {
        for (int f = 0; f < 2; f++) {
            if (!has_rows(results, dtypes[d], formats[f])) continue;
            fprintf(out, "\n### %s %s\n\n", case_dtype_name(dtypes[d]),
                    formats[f] == BENCH_NCHW ? "NCHW" : "NHWC");
            fprintf(out,
                    "| Case | Threads | Ours, ms | GB/s | Share of floor | oneDNN, same layout "
                    "| oneDNN, blocked | PyTorch |\n|---|---|---|---|---|---|---|---|\n");
            print_rows(results, dtypes[d], formats[f], out);
        }
    }
}

static double figure(const cJSON *figures, const char *group, const char *key)
{
    return cJSON_GetNumberValue(cJSON_GetObjectItem(cJSON_GetObjectItem(figures, group), key));
}

static void print_machine(const struct results *results, FILE *out)
{
    static const char *const places[] = {"memory", "last_level_cache", "level_2_cache"};
    static const char *const names[] = {"memory", "last-level cache", "level-2 cache"};
    static const char *const kinds[] = {"read", "write", "write_streaming", "copy",
                                        "copy_streaming"};
    fprintf(out, "\n### The machine's floors\n\nGB/s of bytes named, read and written.\n\n"
                 "| Threads | Where | Read | Write | Write, streaming | Copy | Copy, streaming |\n"
                 "|---|---|---|---|---|---|---|\n");
    const cJSON *one;
    cJSON_ArrayForEach(one, results->figures)
    {
        const cJSON *figures = cJSON_GetObjectItem(one, "figures");
        for (int p = 0; p < 3 && cJSON_HasObjectItem(figures, places[p]); p++) {
            fprintf(out, "| %d | %s |",
                    (int)cJSON_GetNumberValue(cJSON_GetObjectItem(one, "threads")), names[p]);
            for (int k = 0; k < 5; k++)
                fprintf(out, " %.0f |", figure(figures, places[p], kinds[k]));
            fprintf(out, "\n");
        }
    }
    cJSON_ArrayForEach(one, results->figures)
    {
        const cJSON *isa, *figures = cJSON_GetObjectItem(one, "figures");
        if (!cJSON_HasObjectItem(figures, "multiply_add")) continue;
        fprintf(out, "\nPeak of f32 multiply-add, GFLOP/s, %d thread(s):",
                (int)cJSON_GetNumberValue(cJSON_GetObjectItem(one, "threads")));
        cJSON_ArrayForEach(isa, cJSON_GetObjectItem(figures, "multiply_add"))
        {
            fprintf(out, " %s %.0f%s", isa->string, isa->valuedouble,
                    isa->next == NULL ? ".\n" : ",");
        }
    }
}

static void print_host(const struct results *results, FILE *out)
{
    fprintf(out, "\n### Host time\n\nMicroseconds, the small case; the last column is submit and "
                 "synchronise of an operator on empty tensors.\n\n"
                 "| Threads | Phase 1 | Phase 2, single use | Phase 2, repeatable | Empty |\n"
                 "|---|---|---|---|---|\n");
    static const char *const keys[] = {"phase_1", "phase_2", "phase_2_repeatable",
                                       "empty_submit_synchronize"};
    const cJSON *one;
    cJSON_ArrayForEach(one, results->figures)
    {
        const cJSON *figures = cJSON_GetObjectItem(one, "figures");
        if (!cJSON_HasObjectItem(figures, keys[0])) continue;
        fprintf(out, "| %d |", (int)cJSON_GetNumberValue(cJSON_GetObjectItem(one, "threads")));
        for (int k = 0; k < 4; k++)
            fprintf(out, " %.2f |", cJSON_GetNumberValue(cJSON_GetObjectItem(figures, keys[k])));
        fprintf(out, "\n");
    }
}

static void print_block(const struct results *results, const char *chart, FILE *out)
{
    fprintf(out, "%s\n", begin_mark);
    fprintf(out, "Measured on %s on %s, `./dev bench %s`.\n\nContenders: ", results->cpu,
            results->date, results->name);
    for (int i = 0; i < results->peers; i++)
        fprintf(out, "%s%s", results->peer[i], i + 1 < results->peers ? "; " : ".\n\n");
    fprintf(out, "![Share of the floor](%s)\n\n### Targets\n\n", chart);
    targets_print(results, out, true);
    fprintf(out,
            "\nIn the tables a peer's time is followed by its time / ours, taken pairwise round "
            "by round; of several oneDNNs the faster is shown. ~ marks medians that did not "
            "agree within 3 %%.\n");
    print_tables(results, out);
    print_host(results, out);
    print_machine(results, out);
    fprintf(out, "%s", end_mark);
}

static char *read_page(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) return NULL;
    char *text = NULL;
    size_t size = 0;
    if (getdelim(&text, &size, '\0', file) < 0) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

bool markdown_write(const struct results *results, const char *page)
{
    char *text = read_page(page);
    char *begin = text == NULL ? NULL : strstr(text, begin_mark);
    char *end = begin == NULL ? NULL : strstr(begin, end_mark);
    bool is_written = false;
    if (end == NULL) {
        fprintf(stderr, "%s has no lines %s and %s\n", page, begin_mark, end_mark);
        free(text);
        return false;
    }
    char chart[PATH];
    int stem = (int)(strlen(page) - strlen(strrchr(page, '.') == NULL ? "" : strrchr(page, '.')));
    snprintf(chart, sizeof chart, "%.*s.svg", stem, page);
    FILE *file = fopen(page, "wb");
    if (file != NULL) {
        const char *slash = strrchr(chart, '/');
        *begin = '\0';
        fputs(text, file);
        print_block(results, slash == NULL ? chart : slash + 1, file);
        fputs(end + strlen(end_mark), file);
        is_written = fclose(file) == 0 && chart_write(results, chart);
    }
    free(text);
    return is_written;
}
