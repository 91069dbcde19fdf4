/* SPDX-License-Identifier: Apache-2.0 */
/* The generated part of docs/performance/pooling.md. */
#include <stdlib.h>
#include <string.h>

#include "tests/bench/targets.h"

enum { PATH = 1024 };

static const char begin_mark[] = "<!-- bench:begin -->", end_mark[] = "<!-- bench:end -->";

/* A pair of columns in one cell: on one thread / on all. */
typedef void print_value(FILE *out, const struct result *result);

static void print_pair(FILE *out, const struct result *const pair[2], print_value *print)
{
    const char *between = " ";
    for (int i = 0; i < 2; i++) {
        if (pair[i] == NULL) continue;
        fprintf(out, "%s", between);
        print(out, pair[i]);
        between = " / ";
    }
    fprintf(out, " |");
}

static int digits_of(double milliseconds)
{
    return milliseconds < 0.01 ? 5 : milliseconds < 1 ? 3 : milliseconds < 10 ? 2 : 1;
}

static void print_ours(FILE *out, const struct result *result)
{
    double milliseconds = result_ours(result)->seconds * 1e3;
    fprintf(out, "%.*f%s", digits_of(milliseconds), milliseconds, result->is_settled ? "" : "~");
}

static void print_rate(FILE *out, const struct result *result)
{
    fprintf(out, "%.0f", result->bytes / result_ours(result)->seconds * 1e-9);
}

static void print_share(FILE *out, const struct result *result)
{
    fprintf(out, "%.0f %%", result_ours(result)->share * 100);
}

static void print_peer(FILE *out, const struct result *result, enum role role)
{
    const struct entry *entry = result_best(result, role);
    if (entry == NULL)
        fprintf(out, "–");
    else
        fprintf(out, "%.*f (%.2f×)", digits_of(entry->seconds * 1e3), entry->seconds * 1e3,
                entry->ratio);
}

static void print_onednn(FILE *out, const struct result *result)
{
    print_peer(out, result, ROLE_ONEDNN);
}

static void print_blocked(FILE *out, const struct result *result)
{
    print_peer(out, result, ROLE_ONEDNN_BLOCKED);
}

static void print_torch(FILE *out, const struct result *result)
{
    print_peer(out, result, ROLE_TORCH);
}

static void print_verdicts(FILE *out, const struct results *results,
                           const struct result *const pair[2])
{
    fprintf(out, " ");
    bool is_missed = false, is_meant = false;
    for (int i = 0; i < 2; i++) {
        char missed[64];
        if (pair[i] == NULL) continue;
        enum verdict verdict = target_verdict(results, pair[i], missed, sizeof missed);
        is_meant |= verdict != VERDICT_NONE;
        if (verdict != VERDICT_MISSED) continue;
        fprintf(out, "%s%d T: %s", is_missed ? "; " : "", pair[i]->threads, missed);
        is_missed = true;
    }
    fprintf(out, "%s |\n", is_missed ? "" : is_meant ? "met" : "");
}

static void print_case(const struct results *results, const struct result *result, FILE *out)
{
    const struct result *const pair[2] = {results_find(results, result, false),
                                          results_find(results, result, true)};
    fprintf(out, "| %s | %s %s |", result->test.name, case_dtype_name(result->test.dtype),
            bench_format_name(result->format));
    static print_value *const columns[] = {print_ours,   print_rate,    print_share,
                                           print_onednn, print_blocked, print_torch};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        print_pair(out, pair, columns[i]);
    print_verdicts(out, results, pair);
}

static void print_tables(const struct results *results, FILE *out)
{
    for (int row = 0; bench_operator_at(row) != NULL; row++) {
        const struct bench_operator *op = bench_operator_at(row);
        bool has_head = false;
        for (int i = 0; i < results->count; i++) {
            if (strcmp(results->result[i].test.op, op->name) != 0 || !result_is_first(results, i))
                continue;
            if (!has_head)
                fprintf(out,
                        "\n### %s\n\n| Case | Type, layout | Ours, ms | GB/s | Share of floor | "
                        "oneDNN, same layout | oneDNN, blocked | PyTorch | Targets |\n"
                        "|---|---|---|---|---|---|---|---|---|\n",
                        op->function);
            has_head = true;
            print_case(results, &results->result[i], out);
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
    if (results->others > RESULT_OTHERS_LOUD)
        fprintf(out, "Other processes used %.2f CPUs meanwhile: not a quiet machine.\n\n",
                results->others);
    fprintf(out, "![Share of the floor](%s)\n\n### Targets\n\n", chart);
    targets_print(results, out, true);
    fprintf(out,
            "\nIn the tables a cell has one thread's figure / that of all CPUs. A peer's time is "
            "followed by its time / ours, taken pairwise round by round; of several oneDNNs the "
            "faster is shown. ~ marks medians that did not agree within 3 %%. The last column "
            "names the promises that a case does not keep.\n");
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
