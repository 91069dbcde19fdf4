/* SPDX-License-Identifier: Apache-2.0 */
/* `bench conv`: every layer of tests/cases/conv, both gradients and the forward pass, by every
 * contender that is here, in turns. A contender's time counts when its result agrees with the
 * definition. */
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/bench/conv_check.h"
#include "tests/bench/conv_contender.h"
#include "tests/bench/conv_results.h"
#include "tests/bench/machine.h"
#include "tests/bench/progress.h"
#include "tests/bench/stats.h"
#include "tests/support/cases.h"

enum { WORDS = 8, PLAYERS = 24, ROUNDS_MOST = 64, THREAD_COUNTS = 4 };
#define BATCH_SECONDS 6e-3 /* what a batch takes at least */
#define HOPELESS      6.0 /* a peer whose first run takes so many times ours is known by that run */
#define SLOW          3.0 /* the same of its first round */
#define SLOW_QUICK    1.5 /* the same in a quick measurement */
#define LONG_SECONDS  0.2 /* a first round after which a quick measurement makes only one more */
#define OUTDONE       1.3 /* a peer's version that takes so many times as another's plays no round */

static const char usage[] = "bench conv [OPTION...] [WORD...]\n"
                            "Measures the layers of tests/cases/conv whose line, pass (forward, "
                            "dx, dw) and type (f32, bf16, "
                            "f16)\nhold every WORD.\n\n"
                            "  --threads 1,2     thread counts; one and all CPUs unless told\n"
                            "  --rounds N        batches of each contender, 10 unless told\n"
                            "  --quick           three rounds, f32 and bf16; peers that take 1.5 "
                            "times as long as we, one\n"
                            "  --no-peers        only the floor and ours\n"
                            "  --explain         say why a contender does not take part\n"
                            "  --markdown PAGE   put the tables between the page's "
                            "bench-conv:begin and bench-conv:end marks\n";

struct options {
    const char *word[WORDS], *markdown;
    int words, rounds, threads[THREAD_COUNTS], thread_counts;
    bool no_peers, explains, is_quick;
};

struct player {
    struct peer *peer;
    enum conv_column column;
    int slot, rounds;
    bool is_hopeless; /* plays no round */
    int64_t count;    /* runs in a batch */
    double estimate, seconds[ROUNDS_MOST];
};

struct match {
    struct player player[PLAYERS];
    int players;
    bool is_memory;
};

/* ---- which contender, in which layout ---- */

static const struct {
    enum conv_column column;
    enum role role;
    const char *layout;
} parts[] = {
    {CONV_FLOOR, ROLE_FLOOR, ""},
    {CONV_OURS, ROLE_OURS, "nchw"},
    {CONV_OURS_LAST, ROLE_OURS, "nhwc"},
    {CONV_ONEDNN_ANY, ROLE_ONEDNN, "any"},
    {CONV_ONEDNN_REORDER, ROLE_ONEDNN, "reorder"},
    {CONV_ONEDNN_PLAIN, ROLE_ONEDNN, "nchw"},
    {CONV_ONEDNN_LAST, ROLE_ONEDNN, "nhwc"},
    {CONV_TORCH, ROLE_TORCH, "nchw"},
    {CONV_TORCH_LAST, ROLE_TORCH, "nhwc"},
};

static cJSON *request_of(const char *what, int slot)
{
    cJSON *request = cJSON_CreateObject();
    cJSON_AddStringToObject(request, "do", what);
    cJSON_AddNumberToObject(request, "slot", slot);
    return request;
}

static bool set_up(struct player *player, const char *layout, const struct conv_data *data,
                   const struct options *options, struct match *match)
{
    char why[PEER_WHY];
    cJSON *request = conv_request_set_up(data, data->pass, player->slot, layout);
    cJSON *answer = peer_ask(player->peer, request, why, sizeof why);
    if (answer == NULL) {
        if (options->explains) fprintf(stderr, "%s %s: %s\n", player->peer->name, layout, why);
        return false;
    }
    const char *note = cJSON_GetStringValue(cJSON_GetObjectItem(answer, "note"));
    if (player->column == CONV_FLOOR) match->is_memory = strcmp(note, "memory") == 0;
    if (options->explains) fprintf(stderr, "%s %s: %s\n", player->peer->name, layout, note);
    cJSON_Delete(answer);
    return true;
}

/* Its result is that of the definition. The first run's time is the first estimate. */
static bool is_right(struct player *player, const char *layout, struct conv_data *data)
{
    char why[PEER_WHY] = "", path[CONV_PATH];
    data_path_of(path, "result");
    cJSON *request = request_of("check", player->slot);
    cJSON_AddStringToObject(request, "path", path);
    cJSON *answer = peer_ask(player->peer, request, why, sizeof why);
    bool right = answer != NULL;
    if (right) player->estimate = cJSON_GetNumberValue(cJSON_GetObjectItem(answer, "seconds"));
    right = right && conv_check(data, path, player->peer->role == ROLE_OURS, why, sizeof why);
    cJSON_Delete(answer);
    unlink(path);
    if (!right)
        fprintf(stderr, "%s %s %s: %s %s is wrong: %s\n", data->layer.name,
                layer_pass_name(data->pass), layer_dtype_name(data->dtype), player->peer->name,
                layout, why);
    return right;
}

static double play(struct player *player)
{
    char why[PEER_WHY];
    cJSON *request = request_of("run", player->slot);
    cJSON_AddNumberToObject(request, "count", (double)player->count);
    cJSON *answer = peer_ask(player->peer, request, why, sizeof why);
    if (answer == NULL) return -1;
    const double seconds = cJSON_GetNumberValue(cJSON_GetObjectItem(answer, "seconds"));
    cJSON_Delete(answer);
    return seconds;
}

/* ---- a case ---- */

static const struct player *ours_of(const struct match *match)
{
    for (int i = 0; i < match->players; i++)
        if (match->player[i].column == CONV_OURS) return &match->player[i];
    return NULL;
}

/* Another version of the same peer in the same layout stays alone if one of the two is much slower;
 * a peer that is far behind us plays no round. */
static void add_player(struct match *match, struct player *player)
{
    const struct player *ours = ours_of(match);
    if (player->column > CONV_OURS && ours && player->estimate > HOPELESS * ours->estimate) {
        player->is_hopeless = true;
        player->seconds[player->rounds++] = player->estimate;
    }
    for (int i = 0; i < match->players; i++) {
        struct player *other = &match->player[i];
        if (other->column != player->column) continue;
        if (player->estimate > OUTDONE * other->estimate) return;
        if (player->estimate * OUTDONE < other->estimate) {
            *other = *player;
            return;
        }
    }
    match->player[match->players++] = *player;
}

static void gather(struct match *match, struct peers *peers, struct conv_data *data,
                   const struct options *options, int *wrong)
{
    *match = (struct match){0};
    for (size_t part = 0; part < sizeof parts / sizeof parts[0]; part++)
        for (int i = 0; i < peers->count && match->players < PLAYERS; i++) {
            struct player player = {
                .peer = &peers->peer[i], .column = parts[part].column, .slot = (int)part % 4};
            if (player.peer->role != parts[part].role || player.peer->process == 0) continue;
            if (!set_up(&player, parts[part].layout, data, options, match)) continue;
            if (player.column != CONV_FLOOR && !is_right(&player, parts[part].layout, data)) {
                ++*wrong;
                continue;
            }
            player.count = 1;
            if (player.estimate < BATCH_SECONDS) player.estimate = play(&player);
            if (player.estimate <= 0) continue;
            player.count = (int64_t)ceil(BATCH_SECONDS / player.estimate);
            if (player.column == CONV_FLOOR) player.count = 1;
            add_player(match, &player);
        }
}

static bool is_known(const struct match *match, const struct player *player, double slow)
{
    if (player->is_hopeless) return true;
    if (player->column <= CONV_OURS || player->rounds == 0) return false;
    const struct player *ours = ours_of(match);
    return ours && player->seconds[0] > slow * ours->seconds[0];
}

static bool play_rounds(struct match *match, int rounds, int threads, bool is_quick)
{
    const double slow = is_quick ? SLOW_QUICK : SLOW;
    const double begin = stats_now();
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < match->players; i++) {
            struct player *player = &match->player[i];
            if (is_known(match, player, slow)) continue;
            if (threads > 1) stats_pause(1e-3); /* idle threads of the one before stop spinning */
            const double seconds = play(player);
            if (seconds <= 0) return false;
            player->seconds[player->rounds++] = seconds;
        }
        if (round == 0 && is_quick && stats_now() - begin > LONG_SECONDS && rounds > 2) rounds = 2;
    }
    return true;
}

static void record(const struct match *match, const struct conv_data *data, int threads,
                   struct conv_results *results)
{
    const struct player *ours = ours_of(match);
    if (ours == NULL) return;
    struct conv_result *result = conv_results_add(results);
    result->layer = data->layer;
    result->pass = data->pass;
    result->dtype = data->dtype;
    result->threads = threads;
    result->is_memory = match->is_memory;
    for (int i = 0; i < match->players; i++) {
        const struct player *player = &match->player[i];
        const double seconds = stats_median(player->seconds, player->rounds);
        double *kept = &result->seconds[player->column];
        if (*kept > 0 && *kept <= seconds) continue; /* another oneDNN is faster */
        *kept = seconds;
        result->ratio[player->column] = stats_ratio(player->seconds, ours->seconds, player->rounds);
    }
}

static bool measure(struct peers *peers, struct conv_data *data, const struct options *options,
                    struct conv_results *results)
{
    static struct match match;
    gather(&match, peers, data, options, &results->wrong);
    const bool is_played = play_rounds(&match, options->rounds, peers->threads, options->is_quick);
    if (is_played) record(&match, data, peers->threads, results);
    for (int i = 0; i < peers->count; i++) {
        char why[PEER_WHY];
        cJSON_Delete(peer_ask(&peers->peer[i], request_of("clear", 0), why, sizeof why));
    }
    return is_played;
}

/* ---- all of them ---- */

static bool is_selected(const struct options *options, const char *line, enum layer_pass pass,
                        enum layer_dtype dtype)
{
    char text[LAYER_LINE + 32];
    if (options->is_quick && dtype == LAYER_F16) return false;
    for (int i = 0; i < 2; i++) { /* operator and type, which the bench has of its own */
        line += strcspn(line, " ");
        line += strspn(line, " ");
    }
    snprintf(text, sizeof text, "%s %s %s", line, layer_pass_name(pass), layer_dtype_name(dtype));
    for (int i = 0; i < options->words; i++)
        if (strstr(text, options->word[i]) == NULL) return false;
    return true;
}

static bool run_line(const char *line, struct peers *peers, const struct options *options,
                     struct conv_results *results)
{
    struct conv_data data = {0};
    char why[PEER_WHY];
    bool is_measured = true;
    for (int dtype = 0; is_measured && dtype < LAYER_DTYPES; dtype++) {
        bool is_made = false;
        for (int pass = 0; is_measured && pass < LAYER_PASSES; pass++) {
            if (!is_selected(options, line, (enum layer_pass)pass, (enum layer_dtype)dtype))
                continue;
            if (!is_made &&
                !conv_data_make(&data, line, (enum layer_dtype)dtype, why, sizeof why)) {
                fprintf(stderr, "%s: %s\n", line, why);
                return false;
            }
            is_made = true;
            progress_show("%d thread(s): %s, %s, %s", peers->threads, data.layer.name,
                          layer_pass_name((enum layer_pass)pass),
                          layer_dtype_name((enum layer_dtype)dtype));
            conv_data_expect(&data, (enum layer_pass)pass);
            is_measured = measure(peers, &data, options, results);
        }
        conv_data_free(&data);
    }
    return is_measured;
}

static bool run_threads(int threads, const struct options *options, struct conv_results *results)
{
    static const struct peers_programs programs = {.floor = "bench_conv_floor",
                                                   .ours = "bench_conv_ours",
                                                   .onednn = "bench_conv_onednn_*[0-9]",
                                                   .torch = BENCH_CONV_TORCH_DRIVER};
    struct peers peers;
    char line[LAYER_LINE];
    FILE *file = fopen(case_path("conv/layers.txt"), "r");
    if (file == NULL || !peers_start(&peers, &programs, threads, !options->no_peers)) {
        if (file == NULL) fprintf(stderr, "%s cannot be read\n", case_path("conv/layers.txt"));
        if (file != NULL) fclose(file);
        return false;
    }
    results->peers = peers.count;
    for (int i = 0; i < peers.count; i++)
        snprintf(results->peer[i], PEER_NAME, "%s", peers.peer[i].name);
    for (int i = 0; i < peers.lacking_count; i++)
        fprintf(stderr, "%s\n", peers.lacking[i]);
    bool is_run = true;
    while (is_run && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "#\n")] = '\0';
        if (line[0] != '\0') is_run = run_line(line, &peers, options, results);
    }
    progress_clear();
    peers_stop(&peers);
    fclose(file);
    return is_run;
}

static bool read_options(int count, char **arguments, struct options *options)
{
    enum { HELP, THREADS, ROUNDS, QUICK, NO_PEERS, EXPLAIN, MARKDOWN };
    static const struct option known[] = {
        {"help", no_argument, NULL, HELP},
        {"threads", required_argument, NULL, THREADS},
        {"rounds", required_argument, NULL, ROUNDS},
        {"quick", no_argument, NULL, QUICK},
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
        case QUICK:
            options->is_quick = true;
            options->rounds = 3;
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
        .rounds = 10, .threads = {1, machine_cpus()}, .thread_counts = machine_cpus() > 1 ? 2 : 1};
    struct conv_results results = {0};
    if (!read_options(count, arguments, &options)) return 2;
    bool is_run = true;
    for (int i = 0; is_run && i < options.thread_counts; i++)
        is_run = run_threads(options.threads[i], &options, &results);
    if (is_run && results.count == 0) fprintf(stderr, "no layer has these words in its line\n");
    conv_table_print(&results, stdout);
    if (is_run && options.markdown != NULL) is_run = conv_table_write(&results, options.markdown);
    const bool is_good = is_run && results.count > 0 && results.wrong == 0;
    free(results.result);
    return is_good ? 0 : 1;
}
