/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of the floor as bars: a panel per type and layout, a group of bars per case, one and more
 * threads side by side. */
#include <string.h>

#include "tests/bench/results.h"

enum {
    MARGIN = 24,
    LABEL = 150, /* width of the case names */
    PLOT = 340,  /* width of 0 .. 100 % */
    OVER = 40,   /* room beyond 100 % */
    COLUMN = PLOT + OVER + 36,
    BAR = 9,
    GROUP_GAP = 7,
    PANEL_HEAD = 44,
    PAGE_HEAD = 96,
    WIDTH = 2 * MARGIN + LABEL + 2 * COLUMN,
};

static const struct series {
    enum role role;
    const char *text, *colour;
} series[] = {
    {ROLE_OURS, "aclnn-cpu", "#1f6feb"},
    {ROLE_ONEDNN, "oneDNN, same layout", "#e36209"},
    {ROLE_ONEDNN_BLOCKED, "oneDNN, blocked", "#d4a72c"},
    {ROLE_TORCH, "PyTorch", "#8b949e"},
};
enum { SERIES = sizeof series / sizeof series[0] };

struct panel {
    enum case_dtype dtype;
    enum bench_format format;
};

static const struct panel panels[] = {
    {CASE_F32, BENCH_NCHW},  {CASE_F32, BENCH_NHWC}, {CASE_BF16, BENCH_NCHW},
    {CASE_BF16, BENCH_NHWC}, {CASE_F16, BENCH_NCHW}, {CASE_F16, BENCH_NHWC},
};
enum { PANELS = sizeof panels / sizeof panels[0] };

static void put_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        default:
            fputc(*text, out);
        }
    }
}

static void label(FILE *out, int x, int y, const char *style, const char *text)
{
    fprintf(out, "<text x=\"%d\" y=\"%d\" class=\"%s\">", x, y, style);
    put_text(out, text);
    fprintf(out, "</text>\n");
}

static bool is_in(const struct panel *panel, const struct result *result)
{
    return result->test.dtype == panel->dtype && result->format == panel->format;
}

/* The first result of a case in its panel stands for the case; the others are its thread counts. */
static bool is_first(const struct results *results, int index)
{
    const struct result *result = &results->result[index];
    for (int i = 0; i < index; i++) {
        const struct result *other = &results->result[i];
        if (other->test.dtype == result->test.dtype && other->format == result->format &&
            strcmp(other->test.name, result->test.name) == 0)
            return false;
    }
    return true;
}

static const struct result *with_threads(const struct results *results, const struct result *same,
                                         bool is_threaded)
{
    for (int i = 0; i < results->count; i++) {
        const struct result *other = &results->result[i];
        if (other->test.dtype == same->test.dtype && other->format == same->format &&
            (other->threads > 1) == is_threaded && strcmp(other->test.name, same->test.name) == 0)
            return other;
    }
    return NULL;
}

/* Only the series that somebody ran in this panel take room. */
static int series_of(const struct results *results, const struct panel *panel, int used[SERIES])
{
    int count = 0;
    for (int s = 0; s < SERIES; s++) {
        bool is_used = false;
        for (int i = 0; i < results->count && !is_used; i++)
            is_used = is_in(panel, &results->result[i]) &&
                      result_best(&results->result[i], series[s].role) != NULL;
        if (is_used) used[count++] = s;
    }
    return count;
}

static int panel_height(const struct results *results, const struct panel *panel)
{
    int used[SERIES], cases = 0, count = series_of(results, panel, used);
    for (int i = 0; i < results->count; i++)
        cases += is_in(panel, &results->result[i]) && is_first(results, i);
    return cases == 0 ? 0 : PANEL_HEAD + cases * (count * BAR + GROUP_GAP) + 14;
}

static void draw_bar(FILE *out, int x, int y, const struct result *result, const struct series *s)
{
    const struct entry *entry = result == NULL ? NULL : result_best(result, s->role);
    if (entry == NULL) return;
    double share = entry->share;
    int width = (int)(share * PLOT + 0.5);
    if (width > PLOT + OVER) width = PLOT + OVER;
    if (width < 1) width = 1;
    fprintf(out,
            "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"><title>%s: %.4f ms, "
            "%.0f %% of the floor</title></rect>\n",
            x, y, width, BAR - 1, s->colour, s->text, entry->seconds * 1e3, share * 100);
    fprintf(out, "<text x=\"%d\" y=\"%d\" class=\"value\">%.0f</text>\n", x + width + 3,
            y + BAR - 2, share * 100);
}

static void draw_grid(FILE *out, int x, int top, int bottom)
{
    for (int percent = 0; percent <= 100; percent += 25) {
        int at = x + PLOT * percent / 100;
        fprintf(out, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" class=\"%s\"/>\n", at, top, at,
                bottom, percent == 100 ? "floor" : "grid");
        fprintf(out, "<text x=\"%d\" y=\"%d\" class=\"tick\">%d %%</text>\n", at, top - 4, percent);
    }
}

static int draw_panel(const struct results *results, const struct panel *panel, int top, FILE *out)
{
    int used[SERIES], count = series_of(results, panel, used);
    int height = panel_height(results, panel), y = top + PANEL_HEAD;
    int columns = results_threads(results) > 1 ? 2 : 1;
    char title[64];
    for (int column = 0; column < columns; column++) {
        int x = MARGIN + LABEL + column * COLUMN;
        snprintf(title, sizeof title, "%s %s, %d thread%s", case_dtype_name(panel->dtype),
                 panel->format == BENCH_NCHW ? "NCHW" : "NHWC",
                 column == 0 ? 1 : results_threads(results), column == 0 ? "" : "s");
        label(out, x, top + 16, "panel", title);
        draw_grid(out, x, y - 2, top + height - 14);
    }
    for (int i = 0; i < results->count; i++) {
        const struct result *result = &results->result[i];
        if (!is_in(panel, result) || !is_first(results, i)) continue;
        fprintf(out, "<text x=\"%d\" y=\"%d\" class=\"case\">", MARGIN + LABEL - 8,
                y + count * BAR / 2 + 4);
        put_text(out, result->test.name);
        fprintf(out, "</text>\n");
        for (int column = 0; column < columns; column++)
            for (int s = 0; s < count; s++)
                draw_bar(out, MARGIN + LABEL + column * COLUMN, y + s * BAR,
                         with_threads(results, result, column == 1), &series[used[s]]);
        y += count * BAR + GROUP_GAP;
    }
    return height;
}

static void draw_head(const struct results *results, int height, FILE *out)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" font-family=\"Helvetica, Arial, sans-serif\">\n<style>\n"
            ".title{font-size:18px;font-weight:bold}.sub{font-size:12px;fill:#57606a}\n"
            ".panel{font-size:13px;font-weight:bold}.case{font-size:12px;text-anchor:end}\n"
            ".tick{font-size:9px;fill:#57606a;text-anchor:middle}\n"
            ".value{font-size:8px;fill:#57606a}.legend{font-size:12px}\n"
            ".grid{stroke:#d0d7de}.floor{stroke:#57606a;stroke-dasharray:3 2}\n</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            WIDTH, height, WIDTH, height);
    char title[128], sub[512];
    snprintf(title, sizeof title, "%s: share of the machine's floor", results->name);
    snprintf(sub, sizeof sub,
             "%s, %s. Longer is better; 100 %% is the time in which plain loads and "
             "stores move the same bytes.",
             results->cpu, results->date);
    label(out, MARGIN, 30, "title", title);
    label(out, MARGIN, 50, "sub", sub);
    for (int s = 0, x = MARGIN; s < SERIES; s++, x += 170) {
        fprintf(out, "<rect x=\"%d\" y=\"64\" width=\"12\" height=\"12\" fill=\"%s\"/>\n", x,
                series[s].colour);
        label(out, x + 18, 74, "legend", series[s].text);
    }
}

bool chart_write(const struct results *results, const char *path)
{
    FILE *out = fopen(path, "w");
    if (out == NULL) return false;
    int height = PAGE_HEAD + MARGIN;
    for (int p = 0; p < PANELS; p++)
        height += panel_height(results, &panels[p]);
    draw_head(results, height, out);
    int y = PAGE_HEAD;
    for (int p = 0; p < PANELS; p++)
        if (panel_height(results, &panels[p]) > 0) y += draw_panel(results, &panels[p], y, out);
    fprintf(out, "</svg>\n");
    return fclose(out) == 0;
}
