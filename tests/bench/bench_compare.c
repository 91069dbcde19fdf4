/* SPDX-License-Identifier: Apache-2.0 */
/* `bench compare FOLDER`: this library and another build of it, in turns on the same problems: what
 * a change gained or cost, layer by layer. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/data.h"
#include "tests/bench/machine.h"
#include "tests/bench/measure.h"
#include "tests/bench/progress.h"
#include "tests/bench/selection.h"
#include "tests/bench/stats.h"

enum { NOW, BEFORE, BUILDS, ROUNDS = 9, AGAIN = 3, WORDS = 8, THREAD_COUNTS = 4 };
#define BATCH_SECONDS 3e-3
#define SUSPECT       0.97 /* a layer below this is measured again, its best ratio counts */

static const char usage[] =
    "bench compare FOLDER [--threads 1,2] [WORD...]\n"
    "Times the named cases of tests/cases whose lines hold every WORD with this library and with "
    "the\n"
    "libaclnn_cpu.so in FOLDER, in turns, and prints how fast this one is in terms of the other.\n";

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
    cJSON *answer = peer_ask(peer, request, why, sizeof why);
    const double seconds =
        answer ? cJSON_GetNumberValue(cJSON_GetObjectItem(answer, "seconds")) : -1;
    cJSON_Delete(answer);
    return seconds;
}

static bool set_up(struct peer *peer, const struct bench_problem *problem)
{
    char why[PEER_WHY];
    cJSON *answer = peer_ask(peer, request_set_up(problem), why, sizeof why);
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

static bool compare(struct peers *peers, const struct test_case *test, struct tally *tally)
{
    struct bench_problem problem;
    char line[CASE_LINE], why[PEER_WHY];
    case_print(test, line);
    if (!bench_problem_of(test, bench_format_of_case(test), &problem, why, sizeof why)) {
        fprintf(stderr, "%s: %s\n", line, why);
        return false;
    }
    if (!data_open(&problem) || !set_up(&peers->peer[NOW], &problem) ||
        !set_up(&peers->peer[BEFORE], &problem))
        return false;
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

static bool run_threads(const char *folder, const struct selection *selection, int threads)
{
    struct peers peers;
    struct tally tally = {0};
    if (!peers_start_pair(&peers, "bench_ours", folder, threads)) return false;
    bool is_run = true;
    for (int i = 0; i < selection->count; i++) {
        progress_show("%d thread(s), %d of %d", threads, i + 1, selection->count);
        is_run = compare(&peers, &selection->cases[i], &tally) && is_run;
    }
    progress_clear();
    peers_stop(&peers);
    printf("%d thread(s): %d layers, geometric mean %.3f, least %.3f, below 0.95: %d\n", threads,
           tally.mean.count, stats_mean_value(&tally.mean), tally.mean.smallest, tally.slower);
    return is_run;
}

int main(int count, char **arguments)
{
    const char *words[WORDS];
    int threads[THREAD_COUNTS] = {1, machine_cpus()}, thread_counts = machine_cpus() > 1 ? 2 : 1;
    int word_count = 0;
    if (count < 2 || arguments[1][0] == '-') {
        fputs(usage, stderr);
        return 2;
    }
    for (int i = 2; i < count; i++) {
        if (strcmp(arguments[i], "--threads") == 0 && i + 1 < count) {
            thread_counts = sscanf(arguments[++i], "%d,%d,%d,%d", &threads[0], &threads[1],
                                   &threads[2], &threads[3]);
        } else if (word_count < WORDS && arguments[i][0] != '-') {
            words[word_count++] = arguments[i];
        } else {
            fputs(usage, stderr);
            return 2;
        }
    }
    struct selection selection = {0};
    bool is_run = thread_counts > 0 && select_cases(&selection, words, word_count) &&
                  selection_make_data(&selection);
    for (int i = 0; i < thread_counts && is_run; i++)
        is_run = run_threads(arguments[1], &selection, threads[i]);
    free(selection.cases);
    return is_run ? 0 : 1;
}
