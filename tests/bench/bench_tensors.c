/* SPDX-License-Identifier: Apache-2.0 */
/* `bench tensors` and its parts, `bench elementwise`, `reduce`, `copy`, `norm`, `index`: the lines
 * of tests/cases/tensors/cases.txt by the floor, by us and by PyTorch, in turns. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/machine.h"
#include "tests/bench/peers.h"
#include "tests/bench/progress.h"
#include "tests/bench/stats.h"
#include "tests/bench/tensor_line.h"
#include "tests/support/cases.h"

enum { WORDS = 8, ROUNDS_MOST = 64, THREAD_COUNTS = 4, RESULTS = 512 };
#define BATCH_SECONDS 6e-3 /* what a batch takes at least */
#define AGREES        2e-3 /* of the magnitudes: sums of contenders that computed the same */

static const char usage[] =
    "bench tensors|elementwise|reduce|copy|norm|index [OPTION...] [WORD...]\n"
    "Measures the lines of tests/cases/tensors/cases.txt that hold every WORD.\n\n"
    "  --threads 1,2     thread counts; one and all CPUs unless told\n"
    "  --rounds N        batches of each contender, 10 unless told\n"
    "  --no-peers        only the floor and ours\n"
    "  --markdown PAGE   writes that page anew\n";

struct options {
    const char *word[WORDS], *markdown;
    int words, rounds, threads[THREAD_COUNTS], thread_counts;
    bool no_peers;
};

/* Seconds of a call, and how many times ours the floor and the peer take. */
struct figure {
    double seconds, floor, peer;
};

struct result {
    struct tensor_line line;
    char type[8];
    struct figure figure[THREAD_COUNTS];
};

static struct result results[RESULTS];
static int result_count;

/* ---- a case ---- */

struct player {
    struct peer *peer;
    int64_t count;
    double seconds[ROUNDS_MOST], sum, norm;
};

static double number(const cJSON *answer, const char *key)
{
    return cJSON_GetNumberValue(cJSON_GetObjectItem(answer, key));
}

static double play(struct player *player)
{
    char why[PEER_WHY];
    cJSON *request = cJSON_CreateObject();
    cJSON_AddStringToObject(request, "do", "run");
    cJSON_AddNumberToObject(request, "count", (double)player->count);
    cJSON *answer = peer_ask(player->peer, request, why, sizeof why);
    const double seconds = answer == NULL ? -1 : number(answer, "seconds");
    cJSON_Delete(answer);
    return seconds;
}

static bool set_up(struct player *player, const char *line, const char *type)
{
    char why[PEER_WHY];
    cJSON *request = cJSON_CreateObject();
    cJSON_AddStringToObject(request, "do", "set_up");
    cJSON_AddStringToObject(request, "line", line);
    cJSON_AddStringToObject(request, "type", type);
    cJSON *answer = peer_ask(player->peer, request, why, sizeof why);
    if (answer == NULL) {
        fprintf(stderr, "%s: %s %s: %s\n", player->peer->name, line, type, why);
        return false;
    }
    player->sum = number(answer, "sum");
    player->norm = number(answer, "norm");
    cJSON_Delete(answer);
    player->count = 1;
    const double first = play(player), second = play(player);
    if (first <= 0 || second <= 0) return false;
    player->count = (int64_t)ceil(BATCH_SECONDS / second);
    return true;
}

static bool measure(struct peers *peers, const char *line, const char *type, int rounds,
                    struct figure *figure)
{
    struct player players[ROLES] = {0};
    *figure = (struct figure){0};
    for (int i = 0; i < peers->count; i++) {
        struct player *player = &players[peers->peer[i].role];
        player->peer = &peers->peer[i];
        if (!set_up(player, line, type)) player->peer = NULL;
    }
    const struct player *ours = &players[ROLE_OURS], *floor = &players[ROLE_FLOOR];
    const struct player *peer = &players[ROLE_TORCH];
    if (ours->peer == NULL || floor->peer == NULL) return false;
    for (int round = 0; round < rounds; round++)
        for (int role = 0; role < ROLES; role++) {
            if (players[role].peer == NULL) continue;
            if (peers->threads > 1) stats_pause(1e-3); /* idle threads of the last stop spinning */
            players[role].seconds[round] = play(&players[role]);
        }
    figure->seconds = stats_median(ours->seconds, rounds);
    figure->floor = stats_ratio(floor->seconds, ours->seconds, rounds);
    if (peer->peer) figure->peer = stats_ratio(peer->seconds, ours->seconds, rounds);
    if (!peer->peer || fabs(peer->sum - ours->sum) <= AGREES * (1 + peer->norm)) return true;
    fprintf(stderr, "%s %s: the sum is %.9g, PyTorch's %.9g\n", line, type, ours->sum, peer->sum);
    return false;
}

/* ---- all of them ---- */

static struct result *result_of(const struct tensor_line *line, const char *type)
{
    for (int i = 0; i < result_count; i++)
        if (strcmp(results[i].line.op, line->op) == 0 &&
            strcmp(results[i].line.name, line->name) == 0 && strcmp(results[i].type, type) == 0)
            return &results[i];
    if (result_count == RESULTS) abort();
    struct result *result = &results[result_count++];
    result->line = *line;
    snprintf(result->type, sizeof result->type, "%s", type);
    return result;
}

static bool is_selected(const struct options *options, const char *line, const char *type)
{
    char text[TENSOR_LINE + 16];
    snprintf(text, sizeof text, "%s %s", line, type);
    for (int i = 0; i < options->words; i++)
        if (strstr(text, options->word[i]) == NULL) return false;
    return true;
}

static bool run_line(const char *text, struct peers *peers, int column,
                     const struct options *options)
{
    struct tensor_line line;
    char *rest = NULL;
    bool is_good = true;
    if (!tensor_line_parse(text, "f32", &line)) {
        fprintf(stderr, "%s is no case\n", text);
        return false;
    }
    for (char *type = strtok_r(line.types, ",", &rest); type; type = strtok_r(NULL, ",", &rest)) {
        struct tensor_line typed;
        if (!is_selected(options, text, type) || !tensor_line_parse(text, type, &typed)) continue;
        struct result *result = result_of(&typed, type);
        progress_show("%d thread(s): %s %s %s", peers->threads, typed.op, typed.name, type);
        is_good = measure(peers, text, type, options->rounds, &result->figure[column]) && is_good;
    }
    return is_good;
}

static bool run_threads(int column, const struct options *options)
{
    static const struct peers_programs programs = {.floor = "bench_tensor_floor",
                                                   .ours = "bench_tensor_ours",
                                                   .torch = BENCH_TENSOR_TORCH_DRIVER};
    struct peers peers;
    char line[TENSOR_LINE];
    FILE *file = fopen(case_path("tensors/cases.txt"), "r");
    if (file == NULL) return false;
    if (!peers_start(&peers, &programs, options->threads[column], !options->no_peers)) {
        fclose(file);
        return false;
    }
    for (int i = 0; i < peers.lacking_count; i++)
        fprintf(stderr, "%s\n", peers.lacking[i]);
    bool is_good = true;
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "#\n")] = '\0';
        if (line[0] != '\0') is_good = run_line(line, &peers, column, options) && is_good;
    }
    progress_clear();
    peers_stop(&peers);
    fclose(file);
    return is_good;
}

/* ---- the table ---- */

static void print_time(FILE *to, double seconds)
{
    if (seconds < 1e-3)
        fprintf(to, " %.3g us |", seconds * 1e6);
    else
        fprintf(to, " %.3g ms |", seconds * 1e3);
}

static void print_ratio(FILE *to, double ratio)
{
    if (ratio > 0)
        fprintf(to, " %.2f |", ratio);
    else
        fprintf(to, " |");
}

static void print_means(FILE *to, const struct options *options, const char *group)
{
    for (int column = 0; column < options->thread_counts; column++) {
        struct stats_mean mean = {0};
        for (int i = 0; i < result_count; i++)
            if (strcmp(results[i].line.group, group) == 0 && results[i].figure[column].peer > 0)
                stats_mean_add(&mean, results[i].figure[column].peer);
        if (mean.count > 0)
            fprintf(to, "\n%d thread(s): geometric mean %.2f times PyTorch, least %.2f.\n",
                    options->threads[column], stats_mean_value(&mean), mean.smallest);
    }
}

static void print_table(FILE *to, const struct options *options)
{
    const char *group = "";
    for (int i = 0; i < result_count; i++) {
        const struct result *result = &results[i];
        if (strcmp(group, result->line.group) != 0) {
            group = result->line.group;
            fprintf(to, "\n## %s\n", group);
            print_means(to, options, group);
            fprintf(to, "\n| Operator | Case | Type |");
            for (int c = 0; c < options->thread_counts; c++)
                fprintf(to, " %d thread(s) | share of the floor | times PyTorch |",
                        options->threads[c]);
            fprintf(to, "\n|---|---|---|");
            for (int c = 0; c < options->thread_counts; c++)
                fprintf(to, "---|---|---|");
            fprintf(to, "\n");
        }
        fprintf(to, "| %s | %s | %s |", result->line.op, result->line.name, result->type);
        for (int c = 0; c < options->thread_counts; c++) {
            print_time(to, result->figure[c].seconds);
            print_ratio(to, result->figure[c].floor);
            print_ratio(to, result->figure[c].peer);
        }
        fprintf(to, "\n");
    }
}

static bool write_page(const struct options *options)
{
    FILE *to = fopen(options->markdown, "w");
    if (to == NULL) {
        perror(options->markdown);
        return false;
    }
    fprintf(to, "# Operators on tensors\n\n"
                "Written by `./dev bench tensors --markdown`; [performance.md](../performance.md) "
                "says how it is measured.\nShapes: tests/cases/tensors/cases.txt.\n");
    print_table(to, options);
    return fclose(to) == 0;
}

static bool read_options(int count, char **arguments, struct options *options)
{
    enum { HELP, THREADS, ROUNDS, NO_PEERS, MARKDOWN };
    static const struct option known[] = {
        {"help", no_argument, NULL, HELP},
        {"threads", required_argument, NULL, THREADS},
        {"rounds", required_argument, NULL, ROUNDS},
        {"no-peers", no_argument, NULL, NO_PEERS},
        {"markdown", required_argument, NULL, MARKDOWN},
        {NULL, 0, NULL, 0},
    };
    int option;
    while ((option = getopt_long(count, arguments, "", known, NULL)) >= 0) {
        char *rest = NULL;
        switch (option) {
        case THREADS:
            options->thread_counts = 0;
            for (char *word = strtok_r(optarg, ",", &rest);
                 word != NULL && options->thread_counts < THREAD_COUNTS;
                 word = strtok_r(NULL, ",", &rest))
                options->threads[options->thread_counts++] = atoi(word);
            break;
        case ROUNDS:
            options->rounds = atoi(optarg);
            break;
        case NO_PEERS:
            options->no_peers = true;
            break;
        case MARKDOWN:
            options->markdown = optarg;
            break;
        default:
            fputs(usage, option == HELP ? stdout : stderr);
            return false;
        }
    }
    for (int i = optind; i < count && options->words < WORDS; i++)
        options->word[options->words++] = arguments[i];
    bool is_right = options->rounds >= 1 && options->rounds <= ROUNDS_MOST;
    for (int i = 0; i < options->thread_counts; i++)
        is_right = is_right && options->threads[i] >= 1 && options->threads[i] <= machine_cpus();
    if (!is_right) fprintf(stderr, "rounds are 1 to 64, threads 1 to the CPUs of this process\n");
    return is_right;
}

int main(int count, char **arguments)
{
    struct options options = {
        .rounds = 10, .threads = {1, machine_cpus()}, .thread_counts = machine_cpus() > 1 ? 2 : 1};
    /* The name under which it was called is the group. */
    if (strcmp(arguments[0], "tensors") != 0) options.word[options.words++] = arguments[0];
    if (!read_options(count, arguments, &options)) return 2;
    bool is_good = true;
    for (int column = 0; column < options.thread_counts; column++)
        is_good = run_threads(column, &options) && is_good;
    if (result_count == 0) fprintf(stderr, "no case has these words in its line\n");
    print_table(stdout, &options);
    if (options.markdown != NULL) is_good = write_page(&options) && is_good;
    return is_good && result_count > 0 ? 0 : 1;
}
