/* SPDX-License-Identifier: Apache-2.0 */
/* What the chart shows, before it is drawn: panels of rows of bars. */
#ifndef ACLNN_CPU_TESTS_BENCH_CHART_H
#define ACLNN_CPU_TESTS_BENCH_CHART_H

#include "tests/bench/results.h"

enum { CHART_SERIES = 4, CHART_COLUMNS = 2, CHART_TEXT = 96 };

/* Shares of the floor; 0 where there is none. A column is one thread, or more. */
struct chart_row {
    char label[CHART_TEXT];
    double share[CHART_COLUMNS][CHART_SERIES];
};

struct chart_panel {
    char title[CHART_TEXT];
    struct chart_row *row;
    int rows;
};

struct chart {
    struct chart_panel *panel;
    int panels;
};

extern const enum role chart_roles[CHART_SERIES];

/* Results of one operator: a panel per type and layout, a row per case. Of several: a panel per
 * operator, a row per type and layout with geometric means over its layers. */
void chart_open(struct chart *chart, const struct results *results);
void chart_close(struct chart *chart);

#endif
