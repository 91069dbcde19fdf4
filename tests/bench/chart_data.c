/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/chart.h"

#include <stdlib.h>
#include <string.h>

#include "tests/bench/stats.h"

const enum role chart_roles[CHART_SERIES] = {ROLE_OURS, ROLE_ONEDNN, ROLE_ONEDNN_BLOCKED,
                                             ROLE_TORCH};

static const struct {
    enum case_dtype dtype;
    enum bench_format format;
} kinds[] = {
    {CASE_F32, BENCH_NCHW},  {CASE_F32, BENCH_NHWC}, {CASE_BF16, BENCH_NCHW},
    {CASE_BF16, BENCH_NHWC}, {CASE_F16, BENCH_NCHW}, {CASE_F16, BENCH_NHWC},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static bool is_of_kind(const struct result *result, int kind)
{
    return result->test.dtype == kinds[kind].dtype && result->format == kinds[kind].format;
}

static void name_kind(int kind, char text[CHART_TEXT])
{
    snprintf(text, CHART_TEXT, "%s %s", case_dtype_name(kinds[kind].dtype),
             kinds[kind].format == BENCH_NCHW ? "channels first" : "channels last");
}

static struct chart_panel *add_panel(struct chart *chart)
{
    struct chart_panel *larger =
        realloc(chart->panel, (size_t)(chart->panels + 1) * sizeof *larger);
    if (larger == NULL) abort();
    chart->panel = larger;
    struct chart_panel *panel = &chart->panel[chart->panels++];
    memset(panel, 0, sizeof *panel);
    return panel;
}

static struct chart_row *add_row(struct chart_panel *panel)
{
    struct chart_row *larger = realloc(panel->row, (size_t)(panel->rows + 1) * sizeof *larger);
    if (larger == NULL) abort();
    panel->row = larger;
    struct chart_row *row = &panel->row[panel->rows++];
    memset(row, 0, sizeof *row);
    return row;
}

static double share_of(const struct result *result, enum role role)
{
    const struct entry *entry = result == NULL ? NULL : result_best(result, role);
    return entry == NULL ? 0 : entry->share;
}

static void add_cases(struct chart *chart, const struct results *results, int kind)
{
    struct chart_panel *panel = NULL;
    for (int i = 0; i < results->count; i++) {
        const struct result *result = &results->result[i];
        if (!is_of_kind(result, kind) || !result_is_first(results, i)) continue;
        if (panel == NULL) {
            panel = add_panel(chart);
            name_kind(kind, panel->title);
        }
        struct chart_row *row = add_row(panel);
        snprintf(row->label, sizeof row->label, "%s", result->test.name);
        for (int column = 0; column < CHART_COLUMNS; column++)
            for (int s = 0; s < CHART_SERIES; s++)
                row->share[column][s] =
                    share_of(results_find(results, result, column == 1), chart_roles[s]);
    }
}

/* The geometric mean over the layers of an operator that the peer has run. */
static double mean_share(const struct results *results, const char *op, int kind, bool is_threaded,
                         enum role role)
{
    struct stats_mean mean = {0};
    for (int i = 0; i < results->count; i++) {
        const struct result *result = &results->result[i];
        if (strcmp(result->test.op, op) != 0 || !is_of_kind(result, kind) ||
            (result->threads > 1) != is_threaded || result_kind(results, result) == KIND_SMALL)
            continue;
        double share = share_of(result, role);
        if (share > 0) stats_mean_add(&mean, share);
    }
    return mean.count == 0 ? 0 : stats_mean_value(&mean);
}

static void add_operator(struct chart *chart, const struct results *results,
                         const struct bench_operator *op)
{
    struct chart_panel *panel = NULL;
    for (int kind = 0; kind < KINDS; kind++) {
        struct chart_row row = {0};
        bool is_any = false;
        name_kind(kind, row.label);
        for (int column = 0; column < CHART_COLUMNS; column++) {
            for (int s = 0; s < CHART_SERIES; s++) {
                row.share[column][s] =
                    mean_share(results, op->name, kind, column == 1, chart_roles[s]);
                is_any |= row.share[column][s] > 0;
            }
        }
        if (!is_any) continue;
        if (panel == NULL) {
            panel = add_panel(chart);
            snprintf(panel->title, sizeof panel->title, "%s", op->function);
        }
        *add_row(panel) = row;
    }
}

static bool has_several_operators(const struct results *results)
{
    for (int i = 1; i < results->count; i++)
        if (strcmp(results->result[i].test.op, results->result[0].test.op) != 0) return true;
    return false;
}

void chart_open(struct chart *chart, const struct results *results)
{
    *chart = (struct chart){0};
    if (has_several_operators(results)) {
        for (int row = 0; bench_operator_at(row) != NULL; row++)
            add_operator(chart, results, bench_operator_at(row));
    } else {
        for (int kind = 0; kind < KINDS; kind++)
            add_cases(chart, results, kind);
    }
}

void chart_close(struct chart *chart)
{
    for (int i = 0; i < chart->panels; i++)
        free(chart->panel[i].row);
    free(chart->panel);
    *chart = (struct chart){0};
}
