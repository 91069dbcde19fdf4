/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ACLNN_CPU_TESTS_BENCH_OPTIONS_H
#define ACLNN_CPU_TESTS_BENCH_OPTIONS_H

#include <stdbool.h>

enum { PATTERNS_MOST = 8, THREADS_MOST = 4 };

struct bench_options {
    const char *pattern[PATTERNS_MOST]; /* a case runs when its line has all of these words in it */
    int patterns;
    int threads[THREADS_MOST], thread_counts;
    int rounds, sets;
    bool only_list, no_peers, explains, is_demo;
    const char *folder;   /* of the results */
    const char *from;     /* results of an earlier run, to print again */
    const char *markdown; /* the page to put them into */
    const char *svg;
};

/* Writes a sentence to standard error and returns false when an argument is wrong; sets *is_done
 * after --help. */
bool bench_options_read(int count, char **arguments, struct bench_options *options, bool *is_done);

#endif
