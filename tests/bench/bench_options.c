/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/bench_options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/machine.h"

static const char usage[] =
    "bench [OPTION...] [WORD...]\n"
    "Measures the named cases of tests/cases whose lines hold every WORD (an operator's name or a "
    "part\n"
    "of it, f32, nhwc, name=vgg, ...), beside the machine's floor and the peers that are here.\n"
    "Benches of their own: `bench` with conv, gemm, tensors (or a part of it: elementwise, reduce, "
    "copy,\nnorm, index), attention, runtime, memory, launch, graph, timeline, collective, "
    "kernels, "
    "compare.\n\n"
    "  --list            only print the cases\n"
    "  --threads 1,2     thread counts; one and all CPUs unless told\n"
    "  --rounds N        batches of a set, 10 unless told; sets repeat until medians agree\n"
    "  --quick           one set of five\n"
    "  --no-peers        only the floor and ours\n"
    "  --explain         say why a contender does not take part in a case\n"
    "  --out FOLDER      where NAME.json and NAME.svg go; build/bench unless told\n"
    "  --from JSON       print the results of an earlier run, as far as its cases hold every\n"
    "                    WORD, instead of measuring\n"
    "  --markdown PAGE   put the tables between the page's bench:begin and bench:end marks, and\n"
    "                    the chart beside it\n"
    "  --svg FILE        write the chart there\n"
    "  --demo            one batch of a real layer, all CPUs, three lines\n";

static bool read_threads(const char *text, struct bench_options *options)
{
    options->thread_counts = 0;
    while (*text != '\0') {
        char *end;
        long threads = strtol(text, &end, 10);
        if (end == text || threads < 1 || threads > 4096 ||
            options->thread_counts == THREADS_MOST || (*end != '\0' && *end != ',')) {
            fprintf(stderr, "--threads takes up to %d numbers, as in 1,2\n", THREADS_MOST);
            return false;
        }
        if (threads > machine_cpus()) {
            fprintf(stderr, "%ld threads do not fit the %d CPUs of this process\n", threads,
                    machine_cpus());
            return false;
        }
        options->threads[options->thread_counts++] = (int)threads;
        text = *end == ',' ? end + 1 : end;
    }
    return options->thread_counts > 0;
}

static bool read_words(int count, char **arguments, struct bench_options *options)
{
    for (int i = 0; i < count; i++) {
        if (options->patterns == PATTERNS_MOST) {
            fprintf(stderr, "more than %d words\n", PATTERNS_MOST);
            return false;
        }
        options->pattern[options->patterns++] = arguments[i];
    }
    return true;
}

bool bench_options_read(int count, char **arguments, struct bench_options *options, bool *is_done)
{
    enum { HELP, LIST, THREADS, ROUNDS, QUICK, NO_PEERS, EXPLAIN, OUT, FROM, MARKDOWN, SVG, DEMO };
    static const struct option known[] = {
        {"help", no_argument, NULL, HELP},
        {"list", no_argument, NULL, LIST},
        {"threads", required_argument, NULL, THREADS},
        {"rounds", required_argument, NULL, ROUNDS},
        {"quick", no_argument, NULL, QUICK},
        {"no-peers", no_argument, NULL, NO_PEERS},
        {"explain", no_argument, NULL, EXPLAIN},
        {"out", required_argument, NULL, OUT},
        {"from", required_argument, NULL, FROM},
        {"markdown", required_argument, NULL, MARKDOWN},
        {"svg", required_argument, NULL, SVG},
        {"demo", no_argument, NULL, DEMO},
        {NULL, 0, NULL, 0},
    };
    *options = (struct bench_options){.threads = {1, machine_cpus()},
                                      .thread_counts = machine_cpus() > 1 ? 2 : 1,
                                      .rounds = 10,
                                      .sets = 2,
                                      .folder = "build/bench"};
    *is_done = false;
    int option;
    while ((option = getopt_long(count, arguments, "", known, NULL)) >= 0) {
        switch (option) {
        case HELP:
            fputs(usage, stdout);
            *is_done = true;
            return true;
        case LIST:
            options->only_list = true;
            break;
        case THREADS:
            if (!read_threads(optarg, options)) return false;
            break;
        case ROUNDS:
            options->rounds = atoi(optarg);
            break;
        case QUICK:
            options->rounds = 5;
            options->sets = 1;
            break;
        case NO_PEERS:
            options->no_peers = true;
            break;
        case EXPLAIN:
            options->explains = true;
            break;
        case OUT:
            options->folder = optarg;
            break;
        case FROM:
            options->from = optarg;
            break;
        case MARKDOWN:
            options->markdown = optarg;
            break;
        case SVG:
            options->svg = optarg;
            break;
        case DEMO:
            options->is_demo = true;
            break;
        default:
            fputs(usage, stderr);
            return false;
        }
    }
    if (options->rounds < 3 || options->rounds > 64) {
        fprintf(stderr, "--rounds takes a number from 3 to 64\n");
        return false;
    }
    return read_words(count - optind, arguments + optind, options);
}
