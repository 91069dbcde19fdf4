/* SPDX-License-Identifier: Apache-2.0 */
/* `bench compare FOLDER`: this library and another build of it, in turns on the same problems: what
 * a change gained or cost, layer by layer. Pooling's layers are the named cases of tests/cases,
 * convolution's those of `bench conv`, in each pass and type. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/conv_check.h"
#include "tests/bench/data.h"
#include "tests/bench/machine.h"
#include "tests/bench/measure.h"
#include "tests/bench/progress.h"
#include "tests/bench/selection.h"
#include "tests/bench/stats.h"
#include "tests/support/cases.h"

enum { NOW, BEFORE, BUILDS, ROUNDS = 9, AGAIN = 3, WORDS = 8, THREAD_COUNTS = 4 };
#define BATCH_SECONDS 3e-3
#define SUSPECT       0.97 /* a layer below this is measured again, its best ratio counts */

static const char usage[] =
    "bench compare FOLDER [--threads 1,2] [WORD...]\n"
    "Times the named cases of tests/cases, and of convolution the layers in each pass (forward, "
    "dx, "
    "dw)\n"
    "and type, whose lines hold every WORD, with this library and with the libaclnn_cpu.so in "
    "FOLDER,\n"
    "in turns, and prints how fast this one is in terms of the other.\n";

struct words {
    const char *word[WORDS];
    int count;
};

struct tally {
    struct stats_mean mean;
    int slower; /* layers below 0.95 */
};

/* Seconds of one run; negative when the program failed. */
static double ask_run(struct peer *peer, int64_t count)
{
    char why[PEER_WHY];
    cJSON *request = cJSON_CreateObject();
    cJSON_AddStringToObject(request, "do", "run");
    cJSON_AddNumberToObject(request, "count", (double)count);
    cJSON_AddNumberToObject(request, "slot", 0);
    cJSON *answer = peer_ask(peer, request, why, sizeof why);
    const double seconds =
        answer ? cJSON_GetNumberValue(cJSON_GetObjectItem(answer, "seconds")) : -1;
    cJSON_Delete(answer);
    return seconds;
}

/* Takes the request. */
static bool set_up(struct peer *peer, cJSON *request)
{
    char why[PEER_WHY];
    cJSON *answer = peer_ask(peer, request, why, sizeof why);
    if (!answer) fprintf(stderr, "%s: %s\n", peer->name, why);
    cJSON_Delete(answer);
    return answer != NULL;
}

/* The median of the ratios of rounds, in which both run one after the other. */
static double measure(struct peers *peers, double *milliseconds)
{
    double seconds[BUILDS][ROUNDS], first = ask_run(&peers->peer[NOW], 1);
    if (first > 0) first = ask_run(&peers->peer[NOW], (int64_t)ceil(1e-3 / first));
    if (first <= 0) return NAN;
    const int64_t count = (int64_t)ceil(BATCH_SECONDS / first);
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < BUILDS; i++) {
            const int build = (i + round) % BUILDS; /* neither always goes first */
            if (peers->threads > 1) stats_pause(1e-3);
            seconds[build][round] = ask_run(&peers->peer[build], count);
            if (seconds[build][round] <= 0) return NAN;
        }
    *milliseconds = stats_median(seconds[NOW], ROUNDS) * 1e3;
    return stats_ratio(seconds[BEFORE], seconds[NOW], ROUNDS);
}

/* Both builds are set up. */
static bool compare(struct peers *peers, const char *line, struct tally *tally)
{
    double milliseconds = 0, ratio = measure(peers, &milliseconds);
    for (int i = 0; i < AGAIN && ratio < SUSPECT; i++)
        ratio = fmax(ratio, measure(peers, &milliseconds));
    progress_clear();
    printf("%d  %6.3f  %9.3f ms  %s\n", peers->threads, ratio, milliseconds, line);
    fflush(stdout);
    if (!(ratio > 0)) return false;
    stats_mean_add(&tally->mean, ratio);
    tally->slower += ratio < 0.95;
    return true;
}

static void tell(const struct tally *tally, const char *family, int threads, int *layers)
{
    *layers += tally->mean.count;
    if (tally->mean.count == 0) return;
    progress_clear();
    printf("%s, %d thread(s): %d layers, geometric mean %.3f, least %.3f, below 0.95: %d\n", family,
           threads, tally->mean.count, stats_mean_value(&tally->mean), tally->mean.smallest,
           tally->slower);
}

/* ---- pooling ---- */

static bool compare_case(struct peers *peers, const struct test_case *test, struct tally *tally)
{
    struct bench_problem problem;
    char line[CASE_LINE], why[PEER_WHY];
    case_print(test, line);
    if (!bench_problem_of(test, bench_format_of_case(test), &problem, why, sizeof why)) {
        fprintf(stderr, "%s: %s\n", line, why);
        return false;
    }
    return data_open(&problem) && set_up(&peers->peer[NOW], request_set_up(&problem)) &&
           set_up(&peers->peer[BEFORE], request_set_up(&problem)) && compare(peers, line, tally);
}

static bool run_pooling(const char *folder, const struct selection *selection, int threads,
                        int *layers)
{
    struct peers peers;
    struct tally tally = {0};
    if (selection->count == 0) return true;
    if (!peers_start_pair(&peers, "bench_ours", folder, threads)) return false;
    bool is_run = true;
    for (int i = 0; i < selection->count; i++) {
        progress_show("%d thread(s), %d of %d", threads, i + 1, selection->count);
        is_run = compare_case(&peers, &selection->cases[i], &tally) && is_run;
    }
    peers_stop(&peers);
    tell(&tally, "pooling", threads, layers);
    return is_run;
}

/* ---- convolution ---- */

/* The layer's line, its own type replaced by that of the measurement, and the pass. */
static bool name_layer(char text[LAYER_LINE + 32], const char *line, enum layer_pass pass,
                       enum layer_dtype dtype, const struct words *words)
{
    const char *rest = line + strcspn(line, " ") + 1;
    rest += strcspn(rest, " ");
    snprintf(text, LAYER_LINE + 32, "convolution %s %s%s", layer_pass_name(pass),
             layer_dtype_name(dtype), rest);
    for (int i = 0; i < words->count; i++)
        if (strstr(text, words->word[i]) == NULL) return false;
    return true;
}

static bool compare_layer(struct peers *peers, const char *line, const struct words *words,
                          struct tally *tally)
{
    char text[LAYER_LINE + 32], why[PEER_WHY];
    bool is_run = true;
    for (int dtype = 0; dtype < LAYER_DTYPES; dtype++) {
        struct conv_data data = {0};
        for (int i = 0; i < LAYER_PASSES; i++) {
            const enum layer_pass pass = (enum layer_pass)i;
            if (!name_layer(text, line, pass, (enum layer_dtype)dtype, words)) continue;
            if (data.line[0] == '\0' &&
                !conv_data_make(&data, line, (enum layer_dtype)dtype, why, sizeof why)) {
                fprintf(stderr, "%s: %s\n", line, why);
                return false;
            }
            progress_show("%d thread(s): %s", peers->threads, data.layer.name);
            is_run = set_up(&peers->peer[NOW], conv_request_set_up(&data, pass, 0, "nchw")) &&
                     set_up(&peers->peer[BEFORE], conv_request_set_up(&data, pass, 0, "nchw")) &&
                     compare(peers, text, tally) && is_run;
        }
        conv_data_free(&data);
    }
    return is_run;
}

static bool run_convolution(const char *folder, const struct words *words, int threads, int *layers)
{
    struct peers peers;
    struct tally tally = {0};
    char line[LAYER_LINE];
    FILE *file = fopen(case_path("conv/layers.txt"), "r");
    if (file == NULL) {
        fprintf(stderr, "%s cannot be read\n", case_path("conv/layers.txt"));
        return false;
    }
    bool is_run = peers_start_pair(&peers, "bench_conv_ours", folder, threads);
    const bool is_started = is_run;
    while (is_started && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "#\n")] = '\0';
        if (line[0] != '\0') is_run = compare_layer(&peers, line, words, &tally) && is_run;
    }
    if (is_started) peers_stop(&peers);
    fclose(file);
    tell(&tally, "convolution", threads, layers);
    return is_run;
}

int main(int count, char **arguments)
{
    struct words words = {0};
    int threads[THREAD_COUNTS] = {1, machine_cpus()}, thread_counts = machine_cpus() > 1 ? 2 : 1;
    if (count < 2 || arguments[1][0] == '-') {
        fputs(usage, stderr);
        return 2;
    }
    for (int i = 2; i < count; i++) {
        if (strcmp(arguments[i], "--threads") == 0 && i + 1 < count) {
            thread_counts = sscanf(arguments[++i], "%d,%d,%d,%d", &threads[0], &threads[1],
                                   &threads[2], &threads[3]);
        } else if (words.count < WORDS && arguments[i][0] != '-') {
            words.word[words.count++] = arguments[i];
        } else {
            fputs(usage, stderr);
            return 2;
        }
    }
    struct selection selection = {0};
    bool is_run = thread_counts > 0 && select_cases(&selection, words.word, words.count) &&
                  (selection.count == 0 || selection_make_data(&selection));
    int layers = 0;
    for (int i = 0; i < thread_counts && is_run; i++) {
        is_run = run_pooling(arguments[1], &selection, threads[i], &layers);
        is_run = run_convolution(arguments[1], &words, threads[i], &layers) && is_run;
    }
    if (is_run && layers == 0) fprintf(stderr, "no layer has these words in its line\n");
    free(selection.cases);
    return is_run && layers > 0 ? 0 : 1;
}
