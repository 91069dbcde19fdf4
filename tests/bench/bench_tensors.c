/* SPDX-License-Identifier: Apache-2.0 */
/* `bench tensors` and its parts, `bench elementwise`, `reduce`, `copy`, `norm`, `index`: the lines
 * of tests/cases/tensors/cases.txt by the floor, by us, by oneDNN and by PyTorch, in turns; `bench
 * attention`: those of attention.txt. */
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
    "bench tensors|elementwise|reduce|copy|norm|index|attention [OPTION...] [WORD...]\n"
    "Measures the lines of tests/cases/tensors that hold every WORD.\n\n"
    "  --threads 1,2     thread counts; one and all CPUs unless told\n"
    "  --rounds N        batches of each contender, 10 unless told\n"
    "  --no-peers        only the floor and ours\n"
    "  --explain         say why a peer does not take part in a case\n"
    "  --markdown PAGE   writes that page anew\n";

struct options {
    const char *word[WORDS], *markdown, *name, *file, *title;
    int words, rounds, threads[THREAD_COUNTS], thread_counts;
    bool no_peers, explains;
};

/* Seconds of a call, and how many times ours each of the others takes; of several libraries of a
 * role the fastest. 0: it took no part. */
struct figure {
    double seconds, times[ROLES];
};

static const enum role peer_roles[] = {ROLE_TORCH, ROLE_ONEDNN};
enum { PEER_ROLES = sizeof peer_roles / sizeof peer_roles[0] };

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
    double seconds[ROUNDS_MOST];
    cJSON *outputs;
};

static double play(struct player *player)
{
    char why[PEER_WHY];
    cJSON *request = cJSON_CreateObject();
    cJSON_AddStringToObject(request, "do", "run");
    cJSON_AddNumberToObject(request, "count", (double)player->count);
    cJSON *answer = peer_ask(player->peer, request, why, sizeof why);
    const double seconds = cJSON_GetNumberValue(cJSON_GetObjectItem(answer, "seconds"));
    cJSON_Delete(answer);
    return seconds > 0 ? seconds : -1;
}

static bool set_up(struct player *player, const char *line, const char *type,
                   const struct options *options)
{
    char why[PEER_WHY];
    cJSON *request = cJSON_CreateObject();
    cJSON_AddStringToObject(request, "do", "set_up");
    cJSON_AddStringToObject(request, "line", line);
    cJSON_AddStringToObject(request, "type", type);
    cJSON *answer = peer_ask(player->peer, request, why, sizeof why);
    if (answer == NULL) {
        if (options->explains || player->peer->role == ROLE_OURS)
            fprintf(stderr, "%s takes no part in %s, %s: %s\n", player->peer->name, line, type,
                    why);
        return false;
    }
    player->outputs = cJSON_DetachItemFromObject(answer, "outputs");
    cJSON_Delete(answer);
    player->count = 1;
    const double first = play(player), second = play(player);
    if (first <= 0 || second <= 0) return false;
    player->count = (int64_t)ceil(BATCH_SECONDS / second);
    return true;
}

static double figure_of(const cJSON *output, int which)
{
    return cJSON_GetNumberValue(cJSON_GetArrayItem(output, which));
}

/* Sums, magnitudes and counts of what both tell of. */
static bool agree(const struct player *ours, const struct player *peer, const char *line,
                  const char *type)
{
    enum { SUM, NORM, COUNT };
    const int count = cJSON_GetArraySize(peer->outputs);
    for (int i = 0; i < count; i++) {
        const cJSON *own = cJSON_GetArrayItem(ours->outputs, i);
        const cJSON *other = cJSON_GetArrayItem(peer->outputs, i);
        const double most = AGREES * (1 + figure_of(other, NORM));
        if (fabs(figure_of(own, SUM) - figure_of(other, SUM)) <= most &&
            fabs(figure_of(own, NORM) - figure_of(other, NORM)) <= most &&
            figure_of(own, COUNT) == figure_of(other, COUNT))
            continue;
        fprintf(stderr,
                "%s %s: output %d has the sum %.9g, the magnitude %.9g, %.0f finite elements; "
                "of %s %.9g, %.9g, %.0f\n",
                line, type, i, figure_of(own, SUM), figure_of(own, NORM), figure_of(own, COUNT),
                peer->peer->name, figure_of(other, SUM), figure_of(other, NORM),
                figure_of(other, COUNT));
        return false;
    }
    return count > 0;
}

static bool compare(const struct player *players, int count, const char *line, const char *type,
                    int rounds, struct figure *figure)
{
    const struct player *ours = NULL;
    bool is_good = true;
    for (int i = 0; i < count; i++)
        if (players[i].peer != NULL && players[i].peer->role == ROLE_OURS) ours = &players[i];
    if (ours == NULL) return false;
    figure->seconds = stats_median(ours->seconds, rounds);
    for (int i = 0; i < count; i++) {
        if (players[i].peer == NULL) continue;
        const enum role role = players[i].peer->role;
        const double times = stats_ratio(players[i].seconds, ours->seconds, rounds);
        if (role > ROLE_OURS && !agree(ours, &players[i], line, type)) is_good = false;
        if (figure->times[role] == 0 || times < figure->times[role]) figure->times[role] = times;
    }
    return is_good && figure->times[ROLE_FLOOR] > 0;
}

static bool measure(struct peers *peers, const char *line, const char *type,
                    const struct options *options, struct figure *figure)
{
    struct player players[PEERS_MOST] = {0};
    *figure = (struct figure){0};
    for (int i = 0; i < peers->count; i++) {
        players[i].peer = &peers->peer[i];
        if (!set_up(&players[i], line, type, options)) players[i].peer = NULL;
    }
    for (int round = 0; round < options->rounds; round++)
        for (int i = 0; i < peers->count; i++) {
            if (players[i].peer == NULL) continue;
            if (peers->threads > 1) stats_pause(1e-3); /* idle threads of the last stop spinning */
            players[i].seconds[round] = play(&players[i]);
        }
    const bool is_good = compare(players, peers->count, line, type, options->rounds, figure);
    for (int i = 0; i < peers->count; i++)
        cJSON_Delete(players[i].outputs);
    return is_good;
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
        is_good = measure(peers, text, type, options, &result->figure[column]) && is_good;
    }
    return is_good;
}

static bool run_threads(int column, const struct options *options)
{
    static const struct peers_programs programs = {.floor = "bench_tensor_floor",
                                                   .ours = "bench_tensor_ours",
                                                   .onednn = "bench_tensor_onednn_*[0-9]",
                                                   .torch = BENCH_TENSOR_TORCH_DRIVER};
    struct peers peers;
    char line[TENSOR_LINE];
    FILE *file = fopen(case_path(options->file), "r");
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

/* What a group's cases are beside a peer. */
static struct stats_mean mean_of(const char *group, int column, enum role role)
{
    struct stats_mean mean = {0};
    for (int i = 0; i < result_count; i++)
        if (strcmp(results[i].line.group, group) == 0 && results[i].figure[column].times[role] > 0)
            stats_mean_add(&mean, results[i].figure[column].times[role]);
    return mean;
}

static void print_means(FILE *to, const struct options *options, const char *group)
{
    for (int column = 0; column < options->thread_counts; column++)
        for (int i = 0; i < PEER_ROLES; i++) {
            const struct stats_mean mean = mean_of(group, column, peer_roles[i]);
            if (mean.count == 0) continue;
            fprintf(to, "\n%d thread(s): geometric mean %.2f times %s, least %.2f, %d cases.\n",
                    options->threads[column], stats_mean_value(&mean), role_name(peer_roles[i]),
                    mean.smallest, mean.count);
        }
}

/* A peer that took part in none of a group's cases has no column there. */
static bool has_column(const char *group, int column, int peer)
{
    return mean_of(group, column, peer_roles[peer]).count > 0;
}

static void print_head(FILE *to, const struct options *options, const char *group)
{
    fprintf(to, "\n## %s\n", group);
    print_means(to, options, group);
    fprintf(to, "\n| Operator | Case | Type |");
    for (int c = 0; c < options->thread_counts; c++) {
        fprintf(to, " %d thread(s) | share of the floor |", options->threads[c]);
        for (int i = 0; i < PEER_ROLES; i++)
            if (has_column(group, c, i)) fprintf(to, " times %s |", role_name(peer_roles[i]));
    }
    fprintf(to, "\n|---|---|---|");
    for (int c = 0; c < options->thread_counts; c++) {
        fprintf(to, "---|---|");
        for (int i = 0; i < PEER_ROLES; i++)
            if (has_column(group, c, i)) fprintf(to, "---|");
    }
    fprintf(to, "\n");
}

static void print_table(FILE *to, const struct options *options)
{
    const char *group = "";
    for (int i = 0; i < result_count; i++) {
        const struct result *result = &results[i];
        if (strcmp(group, result->line.group) != 0) {
            group = result->line.group;
            print_head(to, options, group);
        }
        fprintf(to, "| %s | %s | %s |", result->line.op, result->line.name, result->type);
        for (int c = 0; c < options->thread_counts; c++) {
            print_time(to, result->figure[c].seconds);
            print_ratio(to, result->figure[c].times[ROLE_FLOOR]);
            for (int k = 0; k < PEER_ROLES; k++)
                if (has_column(group, c, k))
                    print_ratio(to, result->figure[c].times[peer_roles[k]]);
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
    fprintf(to,
            "# %s\n\nWritten by `./dev bench %s --markdown`; [performance.md](../performance.md) "
            "says how it is measured.\nShapes: tests/cases/%s. An empty cell: the peer has no "
            "such operator, type or strides, or reference code alone (`--explain`).\n",
            options->title, options->name, options->file);
    print_table(to, options);
    return fclose(to) == 0;
}

static bool read_options(int count, char **arguments, struct options *options)
{
    enum { HELP, THREADS, ROUNDS, NO_PEERS, EXPLAIN, MARKDOWN };
    static const struct option known[] = {
        {"help", no_argument, NULL, HELP},
        {"threads", required_argument, NULL, THREADS},
        {"rounds", required_argument, NULL, ROUNDS},
        {"no-peers", no_argument, NULL, NO_PEERS},
        {"explain", no_argument, NULL, EXPLAIN},
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
        case EXPLAIN:
            options->explains = true;
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
        .name = arguments[0],
        .file = "tensors/cases.txt",
        .title = "Operators on tensors",
        .rounds = 10,
        .threads = {1, machine_cpus()},
        .thread_counts = machine_cpus() > 1 ? 2 : 1,
    };
    /* The name under which it was called is the group, or a list of its own. */
    if (strcmp(options.name, "attention") == 0) {
        options.file = "tensors/attention.txt";
        options.title = "Attention beside PyTorch's scaled_dot_product_attention";
    } else if (strcmp(options.name, "tensors") != 0) {
        options.word[options.words++] = options.name;
    }
    if (!read_options(count, arguments, &options)) return 2;
    bool is_good = true;
    for (int column = 0; column < options.thread_counts; column++)
        is_good = run_threads(column, &options) && is_good;
    if (result_count == 0) fprintf(stderr, "no case has these words in its line\n");
    print_table(stdout, &options);
    if (options.markdown != NULL) is_good = write_page(&options) && is_good;
    return is_good && result_count > 0 ? 0 : 1;
}
