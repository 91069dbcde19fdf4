/* SPDX-License-Identifier: Apache-2.0 */
/* The bench: reads the cases, has every contender run each, prints what was found. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/bench/bench_options.h"
#include "tests/bench/machine.h"
#include "tests/bench/measure.h"
#include "tests/bench/peers.h"
#include "tests/bench/progress.h"
#include "tests/bench/results.h"
#include "tests/bench/selection.h"
#include "tests/bench/stats.h"

enum { PATH = 1024 };

static void add_figures(struct results *results, struct peer *peer, int threads)
{
    char why[PEER_WHY];
    cJSON *request = cJSON_CreateObject();
    cJSON_AddStringToObject(request, "do", "figures");
    cJSON *answer = peer_ask(peer, request, why, sizeof why);
    if (answer == NULL) {
        fprintf(stderr, "%s gives no figures: %s\n", peer->name, why);
        return;
    }
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "of", role_name(peer->role));
    cJSON_AddNumberToObject(item, "threads", threads);
    cJSON_AddItemToObject(item, "figures", cJSON_DetachItemFromObject(answer, "figures"));
    cJSON_AddItemToArray(results->figures, item);
    cJSON_Delete(answer);
}

static void note_peers(struct results *results, const struct peers *peers)
{
    results->peers = 0;
    for (int i = 0; i < peers->count && results->peers < RESULT_NAMES; i++)
        if (peers->peer[i].role != ROLE_ONEDNN_BLOCKED) /* the same program a second time */
            snprintf(results->peer[results->peers++], PEER_NAME, "%s", peers->peer[i].name);
    results->lacking_count = peers->lacking_count;
    memcpy(results->lacking, peers->lacking, sizeof results->lacking);
}

/* All cases with this many threads; the programs live no longer. */
static bool run_threads(const struct bench_options *options, const struct selection *selection,
                        const struct measure_options *measure, int threads, struct results *results)
{
    static const struct peers_programs programs = {.floor = "bench_floor",
                                                   .ours = "bench_ours",
                                                   .onednn = "bench_onednn_*[0-9]",
                                                   .torch = BENCH_TORCH_DRIVER,
                                                   .has_blocked = true};
    struct peers peers;
    if (!peers_start(&peers, &programs, threads, !options->no_peers)) return false;
    note_peers(results, &peers);
    for (int i = 0; i < 2 && !options->is_demo; i++)
        add_figures(results, &peers.peer[i], threads);
    for (int i = 0; i < selection->count; i++) {
        char line[CASE_LINE];
        progress_show("%d thread(s), %d of %d: %s", threads, i + 1, selection->count,
                      case_print(&selection->cases[i], line));
        measure_case(&peers, &selection->cases[i], measure, results);
    }
    progress_clear();
    peers_stop(&peers);
    return true;
}

static bool make_folder(const char *path)
{
    char partial[PATH];
    for (size_t i = 1; i <= strlen(path); i++) {
        if (path[i] != '/' && path[i] != '\0') continue;
        snprintf(partial, sizeof partial, "%.*s", (int)i, path);
        if (mkdir(partial, 0777) != 0 && errno != EEXIST) return false;
    }
    return true;
}

static bool write_files(const struct results *results, const struct bench_options *options)
{
    char json[PATH], svg[PATH];
    snprintf(json, sizeof json, "%s/%s.json", options->folder, results->name);
    snprintf(svg, sizeof svg, "%s/%s.svg", options->folder, results->name);
    bool is_written =
        make_folder(options->folder) && results_write(results, json) && chart_write(results, svg);
    if (is_written)
        printf("\nwritten: %s %s\n", json, svg);
    else
        fprintf(stderr, "cannot write %s and %s\n", json, svg);
    return is_written;
}

static bool report(const struct results *results, const struct bench_options *options)
{
    table_print(results, stdout);
    targets_print(results, stdout, false);
    bool is_written = options->from != NULL || write_files(results, options);
    if (options->svg != NULL) is_written = chart_write(results, options->svg) && is_written;
    if (options->markdown != NULL)
        is_written = markdown_write(results, options->markdown) && is_written;
    return is_written;
}

static void report_demo(const struct results *results)
{
    for (int i = 0; i < results->count; i++) {
        const struct result *result = &results->result[i];
        const struct entry *ours = result_ours(result);
        char line[CASE_LINE];
        printf("%s, %d thread(s)\n", case_print(&result->test, line), result->threads);
        printf("  %.3f ms, %.1f GB/s, %.0f %% of the machine's floor\n", ours->seconds * 1e3,
               result->bytes / ours->seconds * 1e-9, ours->share * 100);
        printf(
            "  (the floor: plain loads and stores of the same %.0f MB, measured in turns with it "
            "on %s)\n",
            result->bytes * 1e-6, results->cpu);
    }
}

static double own_cpu_seconds(void)
{
    double seconds = 0;
    static const int who[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
    for (int i = 0; i < 2; i++) {
        struct rusage usage;
        if (getrusage(who[i], &usage) != 0) continue;
        seconds += (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                   1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    }
    return seconds;
}

/* Every thread count in turn, and how much of the machine others used meanwhile. */
static bool run_all(const struct bench_options *options, const struct selection *selection,
                    const struct measure_options *measure, struct results *results)
{
    double begin = stats_now(), own = own_cpu_seconds(), busy = 0, busy_after = 0;
    bool is_known = machine_busy(&busy);
    bool is_run = true;
    for (int i = 0; is_run && i < options->thread_counts; i++)
        is_run = run_threads(options, selection, measure, options->threads[i], results);
    is_known = is_known && machine_busy(&busy_after);
    double others = (busy_after - busy) - (own_cpu_seconds() - own);
    results->others = is_known && others > 0 ? others / (stats_now() - begin) : 0;
    return is_run;
}

/* Measures what is selected; 0 when every contender was right. */
static int run(const struct bench_options *options)
{
    struct selection selection = {0};
    struct results results;
    struct measure_options measure = {
        .rounds = options->rounds, .sets = options->sets, .explains = options->explains};
    char line[CASE_LINE];
    if (!select_cases(&selection, options->pattern, options->patterns)) return 1;
    if (selection.count == 0) fprintf(stderr, "no named case has these words in its line\n");
    int status = selection.count == 0 || (!options->only_list && !selection_make_data(&selection));
    for (int i = 0; options->only_list && i < selection.count; i++)
        printf("%s\n", case_print(&selection.cases[i], line));
    if (status == 0 && !options->only_list) {
        results_open(&results, options->patterns == 0 ? "all" : options->pattern[0]);
        status = !run_all(options, &selection, &measure, &results);
        if (options->is_demo)
            report_demo(&results);
        else if (status == 0)
            status = !report(&results, options);
        if (results.wrong > 0 || results.count < selection.count * options->thread_counts)
            status = 1;
        results_close(&results);
    }
    free(selection.cases);
    return status;
}

static int show(const struct bench_options *options)
{
    struct results results;
    if (!results_read(&results, options->from)) return 1;
    int kept = 0;
    for (int i = 0; i < results.count; i++)
        if (selection_takes(&results.result[i].test, options->pattern, options->patterns))
            results.result[kept++] = results.result[i];
    results.count = kept;
    int status = !report(&results, options);
    results_close(&results);
    return status;
}

/* `bench runtime`: a program of its own beside this one, with the rest of the arguments. */
static void become_room(char **arguments)
{
    const char *room = arguments[0];
    static const char *const rooms[] = {"runtime",  "memory",     "launch",  "graph",
                                        "timeline", "collective", "kernels", "conv",
                                        "compare",  "gemm",       "tensors", "submit"};
    static const char *const parts[] = {"elementwise", "reduce", "copy",
                                        "norm",        "index",  "attention"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strcmp(room, parts[i]) == 0) room = "tensors";
    for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++) {
        if (strcmp(room, rooms[i]) != 0) continue;
        char path[PATH];
        ssize_t length = readlink("/proc/self/exe", path, sizeof path - 32);
        if (length < 0) exit(1);
        snprintf(path + length, 32, "_%s", room);
        execv(path, arguments);
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(1);
    }
}

int main(int count, char **arguments)
{
    struct bench_options options;
    bool is_done;
    if (count > 1) become_room(arguments + 1);
    if (!bench_options_read(count, arguments, &options, &is_done)) return 2;
    if (is_done) return 0;
    if (options.from != NULL) return show(&options);
    if (options.is_demo) {
        options.pattern[0] = "avg_pool2d_backward f32 n32c256 56x56 k2 s2 name=densenet-tr";
        options.patterns = 1;
        options.threads[0] = machine_cpus();
        options.thread_counts = 1;
        options.no_peers = true;
    }
    return run(&options);
}
