/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of `bench conv`: one per pass and type, a line per layer, then what was asked for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/bench/conv_results.h"
#include "tests/bench/machine.h"
#include "tests/bench/stats.h"

static const char begin_mark[] = "<!-- bench-conv:begin -->",
                  end_mark[] = "<!-- bench-conv:end -->";

enum { THREADS = 2, ALL = CONV_COLUMNS };

struct conv_result *conv_results_add(struct conv_results *results)
{
    if (results->count == results->capacity) {
        results->capacity = results->capacity * 2 + 16;
        results->result =
            realloc(results->result, (size_t)results->capacity * sizeof *results->result);
        if (results->result == NULL) abort();
    }
    struct conv_result *result = &results->result[results->count++];
    *result = (struct conv_result){0};
    return result;
}

/* The same case on one thread (0) or on more (1); NULL when it was not measured so. */
static const struct conv_result *find(const struct conv_results *results,
                                      const struct conv_result *same, int is_threaded)
{
    for (int i = 0; i < results->count; i++) {
        const struct conv_result *r = &results->result[i];
        if (r->pass == same->pass && r->dtype == same->dtype &&
            (r->threads > 1) == (is_threaded != 0) && strcmp(r->layer.name, same->layer.name) == 0)
            return r;
    }
    return NULL;
}

static bool is_first(const struct conv_results *results, int index)
{
    const struct conv_result *r = &results->result[index];
    const struct conv_result *one = find(results, r, 0);
    return r == (one == NULL ? find(results, r, 1) : one);
}

static void print_ratio(const struct conv_result *r, int column, FILE *out)
{
    if (r == NULL || r->seconds[column] == 0)
        fprintf(out, "–");
    else
        fprintf(out, "%.2f", r->ratio[column]);
}

static void print_row(const struct conv_results *results, const struct conv_result *first,
                      FILE *out)
{
    const struct conv_result *of[THREADS] = {find(results, first, 0), find(results, first, 1)};
    fprintf(out, "| %s |", first->layer.name);
    for (int i = 0; i < THREADS; i++)
        if (of[i] == NULL)
            fprintf(out, "%s –", i ? " /" : "");
        else
            fprintf(out, "%s %.3g", i ? " /" : "", of[i]->seconds[CONV_OURS] * 1e3);
    fprintf(out, " |");
    for (int i = 0; i < THREADS; i++)
        if (of[i] == NULL)
            fprintf(out, "%s –", i ? " /" : "");
        else
            fprintf(out, "%s %.0f", i ? " /" : "",
                    layer_operations(&of[i]->layer) / of[i]->seconds[CONV_OURS] * 1e-9);
    fprintf(out, " |");
    for (int i = 0; i < THREADS; i++)
        if (of[i] == NULL)
            fprintf(out, "%s –", i ? " /" : "");
        else
            fprintf(out, "%s %.0f %%", i ? " /" : "", of[i]->ratio[CONV_FLOOR] * 100);
    fprintf(out, "%s |", first->is_memory ? " of bytes" : "");
    for (int column = CONV_OURS_LAST; column < CONV_COLUMNS; column++) {
        fprintf(out, " ");
        print_ratio(of[0], column, out);
        fprintf(out, " / ");
        print_ratio(of[1], column, out);
        fprintf(out, " |");
    }
    fprintf(out, "\n");
}

static void print_pass(const struct conv_results *results, enum layer_pass pass,
                       enum layer_dtype dtype, FILE *out)
{
    static const char *const titles[LAYER_PASSES] = {"Forward, with bias", "Gradient of the input",
                                                     "Gradients of weight and bias"};
    bool has_head = false;
    for (int i = 0; i < results->count; i++) {
        const struct conv_result *r = &results->result[i];
        if (r->pass != pass || r->dtype != dtype || !is_first(results, i)) continue;
        if (!has_head)
            fprintf(out,
                    "\n### %s, %s\n\n"
                    "| Layer | Ours, ms | GFLOP/s | Share of the floor | Ours, channels-last | "
                    "oneDNN any | oneDNN any + reorders | oneDNN plain | oneDNN nhwc | PyTorch | "
                    "PyTorch channels-last |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
                    titles[pass], layer_dtype_name(dtype));
        has_head = true;
        print_row(results, r, out);
    }
}

/* ---- what was asked for ---- */

struct target {
    const char *text, *layers; /* names that contain one of these words, or all */
    enum layer_dtype dtype;
    enum layer_pass pass; /* LAYER_PASSES: both gradients */
    int column;           /* a peer's time / ours; CONV_FLOOR: the share */
    double least;
    bool is_mean; /* geometric; else every layer */
};

static const struct target targets[] = {
    {"dense 3x3, share", "r50-64x r50-128x r50-256x r50-512x vgg", LAYER_F32, LAYER_DATA,
     CONV_FLOOR, 0.85, false},
    {"dense 3x3, share", "r50-64x r50-128x r50-256x r50-512x vgg", LAYER_F32, LAYER_WEIGHT,
     CONV_FLOOR, 0.80, false},
    {"dense 3x3, share", "r50-64x r50-128x r50-256x r50-512x vgg", LAYER_BF16, LAYER_DATA,
     CONV_FLOOR, 0.80, false},
    {"dense 3x3, share", "r50-64x r50-128x r50-256x r50-512x vgg", LAYER_BF16, LAYER_WEIGHT,
     CONV_FLOOR, 0.70, false},
    {"dense 3x3, times any + reorders", "r50-64x r50-128x r50-256x r50-512x vgg", LAYER_F32,
     LAYER_DATA, CONV_ONEDNN_REORDER, 1.05, true},
    {"dense 3x3, times any + reorders", "r50-64x r50-128x r50-256x r50-512x vgg", LAYER_F32,
     LAYER_WEIGHT, CONV_ONEDNN_REORDER, 1.15, true},
    {"dense 3x3, times any + reorders", "r50-64x r50-128x r50-256x r50-512x vgg", LAYER_BF16,
     LAYER_PASSES, CONV_ONEDNN_REORDER, 1.15, true},
    {"1x1 256>64, times any + reorders", "1x1-256", LAYER_F32, LAYER_DATA, CONV_ONEDNN_REORDER, 1.8,
     false},
    {"1x1 256>64, times any + reorders", "1x1-256", LAYER_F32, LAYER_WEIGHT, CONV_ONEDNN_REORDER,
     2.0, false},
    {"1x1 256>64, times any + reorders", "1x1-256", LAYER_BF16, LAYER_DATA, CONV_ONEDNN_REORDER,
     2.3, false},
    {"1x1 256>64, times any + reorders", "1x1-256", LAYER_BF16, LAYER_WEIGHT, CONV_ONEDNN_REORDER,
     3.0, false},
    {"1x1 256>64, share", "1x1-256", LAYER_F32, LAYER_PASSES, CONV_FLOOR, 0.70, false},
    {"stem, times the best peer", "stem", LAYER_F32, LAYER_DATA, ALL, 1.9, false},
    {"depthwise, times plain", "mbnet", LAYER_F32, LAYER_PASSES, CONV_ONEDNN_REORDER, 5.0, false},
    {"depthwise, times nhwc", "mbnet", LAYER_F32, LAYER_PASSES, CONV_ONEDNN_LAST, 1.5, false},
    {"groups of 4, times the best peer", "resnext", LAYER_F32, LAYER_DATA, ALL, 3.0, false},
    {"groups of 4, times the best peer", "resnext", LAYER_F32, LAYER_WEIGHT, ALL, 6.0, false},
    {"lenet, times the best peer", "lenet", LAYER_F32, LAYER_DATA, ALL, 8.0, false},
    {"all layers, times any + reorders", "", LAYER_F32, LAYER_PASSES, CONV_ONEDNN_REORDER, 1.7,
     true},
    {"all layers, times any + reorders", "", LAYER_BF16, LAYER_PASSES, CONV_ONEDNN_REORDER, 1.6,
     true},
};

static bool is_of(const char *name, const char *layers)
{
    char words[128], *rest = NULL;
    if (layers[0] == '\0') return true;
    snprintf(words, sizeof words, "%s", layers);
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (strstr(name, word) != NULL) return true;
    return false;
}

/* The smallest ratio of plain-tensor peers. */
static double best_peer(const struct conv_result *r)
{
    static const int columns[] = {CONV_ONEDNN_REORDER, CONV_ONEDNN_PLAIN, CONV_TORCH};
    double best = 0;
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        const double ratio = r->seconds[columns[i]] > 0 ? r->ratio[columns[i]] : 0;
        if (ratio > 0 && (best == 0 || ratio < best)) best = ratio;
    }
    return best;
}

static void print_target(const struct conv_results *results, const struct target *target,
                         bool is_threaded, FILE *out)
{
    struct stats_mean mean = {0};
    const char *weakest = "";
    double least = INFINITY;
    for (int i = 0; i < results->count; i++) {
        const struct conv_result *r = &results->result[i];
        const bool of_pass =
            target->pass == LAYER_PASSES ? r->pass != LAYER_FORWARD : r->pass == target->pass;
        if (!of_pass || r->dtype != target->dtype || (r->threads > 1) != is_threaded ||
            !is_of(r->layer.name, target->layers))
            continue;
        const double value = target->column == ALL            ? best_peer(r)
                             : r->seconds[target->column] > 0 ? r->ratio[target->column]
                                                              : 0;
        if (value == 0) continue;
        stats_mean_add(&mean, value);
        if (value >= least) continue;
        least = value;
        weakest = r->layer.name;
    }
    if (mean.count == 0) return;
    const double found = target->is_mean ? stats_mean_value(&mean) : least;
    fprintf(out, "| %s, %s%s | %s | %.2f | %.2f | %s | %s %.2f |\n", target->text,
            target->pass == LAYER_PASSES ? "both gradients" : layer_pass_name(target->pass),
            target->is_mean ? ", geometric mean" : "", is_threaded ? "all" : "1", target->least,
            found, found >= target->least ? "met" : "MISSED", weakest, least);
}

static void print_targets(const struct conv_results *results, FILE *out)
{
    fprintf(out, "\n### Asked and found\n\n"
                 "| What | Threads | Asked | Found | | Weakest |\n|---|---|---|---|---|---|\n");
    for (int dtype = 0; dtype < LAYER_DTYPES; dtype++)
        for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++)
            for (int threaded = 0; threaded < 2; threaded++)
                if ((int)targets[i].dtype == dtype) {
                    struct target named = targets[i];
                    char text[96];
                    snprintf(text, sizeof text, "%s %s", layer_dtype_name(named.dtype), named.text);
                    named.text = text;
                    print_target(results, &named, threaded, out);
                }
}

void conv_table_print(const struct conv_results *results, FILE *out)
{
    char date[32] = "";
    const time_t now = time(NULL);
    struct tm day;
    if (localtime_r(&now, &day) != NULL) strftime(date, sizeof date, "%Y-%m-%d", &day);
    fprintf(out, "Measured on %s on %s, `./dev bench conv`. Contenders:", machine_cpu(), date);
    for (int i = 0; i < results->peers; i++)
        fprintf(out, "%s %s", i ? ";" : "", results->peer[i]);
    fprintf(out,
            ".\nA cell has one thread's figure / that of all CPUs; a peer's is its time / ours: "
            "above 1 we are faster.\n");
    if (results->others > 0.05)
        fprintf(out, "\nOther programs used %.2f CPUs meanwhile.\n", results->others);
    for (int dtype = 0; dtype < LAYER_DTYPES; dtype++)
        for (int pass = LAYER_PASSES - 1; pass >= 0; pass--)
            print_pass(results, (enum layer_pass)pass, (enum layer_dtype)dtype, out);
    print_targets(results, out);
}

bool conv_table_write(const struct conv_results *results, const char *page)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = fopen(page, "rb");
    if (file == NULL || getdelim(&text, &size, '\0', file) < 0) text = NULL;
    if (file != NULL) fclose(file);
    char *begin = text == NULL ? NULL : strstr(text, begin_mark);
    const char *end = begin == NULL ? NULL : strstr(begin, end_mark);
    file = end == NULL ? NULL : fopen(page, "wb");
    if (file == NULL) {
        fprintf(stderr, "%s has no lines %s and %s\n", page, begin_mark, end_mark);
        free(text);
        return false;
    }
    fwrite(text, 1, (size_t)(begin - text), file);
    fprintf(file, "%s\n", begin_mark);
    conv_table_print(results, file);
    fputs(end, file);
    free(text);
    return fclose(file) == 0;
}
