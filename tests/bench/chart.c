/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of the floor as bars in an SVG: one and more threads side by side. */
#include "tests/bench/chart.h"

enum {
    MARGIN = 24,
    LABEL = 150, /* width of the rows' names */
    PLOT = 340,  /* width of 0 .. 100 % */
    OVER = 40,   /* room beyond 100 % */
    COLUMN = PLOT + OVER + 36,
    BAR = 9,
    GROUP_GAP = 7,
    PANEL_HEAD = 44,
    PANEL_TAIL = 14,
    PAGE_HEAD = 96,
    WIDTH = 2 * MARGIN + LABEL + 2 * COLUMN,
};

static const struct {
    const char *text, *colour;
} series[CHART_SERIES] = {
    {"aclnn-cpu", "#1f6feb"},
    {"oneDNN, same layout", "#e36209"},
    {"oneDNN, blocked", "#d4a72c"},
    {"PyTorch", "#8b949e"},
};

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

/* Only the series that somebody ran in this panel take room. */
static int series_of(const struct chart_panel *panel, int used[CHART_SERIES])
{
    int count = 0;
    for (int s = 0; s < CHART_SERIES; s++) {
        bool is_used = false;
        for (int i = 0; i < panel->rows; i++)
            for (int column = 0; column < CHART_COLUMNS; column++)
                is_used |= panel->row[i].share[column][s] > 0;
        if (is_used) used[count++] = s;
    }
    return count;
}

static int panel_height(const struct chart_panel *panel)
{
    int used[CHART_SERIES], count = series_of(panel, used);
    return PANEL_HEAD + panel->rows * (count * BAR + GROUP_GAP) + PANEL_TAIL;
}

static void draw_bar(FILE *out, int x, int y, double share, int s)
{
    int width = (int)(share * PLOT + 0.5);
    if (share <= 0) return;
    if (width > PLOT + OVER) width = PLOT + OVER;
    if (width < 1) width = 1;
    fprintf(out,
            "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"><title>%s: %.0f %% of "
            "the floor</title></rect>\n",
            x, y, width, BAR - 1, series[s].colour, series[s].text, share * 100);
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

static void draw_panel(const struct chart_panel *panel, int threads, int top, FILE *out)
{
    int used[CHART_SERIES], count = series_of(panel, used);
    int bottom = top + panel_height(panel) - PANEL_TAIL, y = top + PANEL_HEAD;
    for (int column = 0; column < CHART_COLUMNS && column < threads; column++) {
        char title[CHART_TEXT + 40];
        int x = MARGIN + LABEL + column * COLUMN;
        snprintf(title, sizeof title, "%s, %d thread%s", panel->title, column == 0 ? 1 : threads,
                 column == 0 ? "" : "s");
        label(out, x, top + 16, "panel", title);
        draw_grid(out, x, y - 2, bottom);
    }
    for (int i = 0; i < panel->rows; i++) {
        const struct chart_row *row = &panel->row[i];
        label(out, MARGIN + LABEL - 8, y + count * BAR / 2 + 4, "case", row->label);
        for (int column = 0; column < CHART_COLUMNS; column++)
            for (int s = 0; s < count; s++)
                draw_bar(out, MARGIN + LABEL + column * COLUMN, y + s * BAR,
                         row->share[column][used[s]], used[s]);
        y += count * BAR + GROUP_GAP;
    }
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
    for (int s = 0, x = MARGIN; s < CHART_SERIES; s++, x += 170) {
        fprintf(out, "<rect x=\"%d\" y=\"64\" width=\"12\" height=\"12\" fill=\"%s\"/>\n", x,
                series[s].colour);
        label(out, x + 18, 74, "legend", series[s].text);
    }
}

bool chart_write(const struct results *results, const char *path)
{
    FILE *out = fopen(path, "w");
    if (out == NULL) return false;
    struct chart chart;
    chart_open(&chart, results);
    int height = PAGE_HEAD + MARGIN;
    for (int p = 0; p < chart.panels; p++)
        height += panel_height(&chart.panel[p]);
    draw_head(results, height, out);
    for (int p = 0, y = PAGE_HEAD; p < chart.panels; p++) {
        draw_panel(&chart.panel[p], results_threads(results), y, out);
        y += panel_height(&chart.panel[p]);
    }
    chart_close(&chart);
    fprintf(out, "</svg>\n");
    return fclose(out) == 0;
}
