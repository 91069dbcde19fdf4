/* SPDX-License-Identifier: Apache-2.0 */
/* What a bench run found, as plain numbers: written by measure.c, read by the writers. */
#ifndef ACLNN_CPU_TESTS_BENCH_RESULTS_H
#define ACLNN_CPU_TESTS_BENCH_RESULTS_H

#include <stdbool.h>
#include <stdio.h>

#include <cjson/cJSON.h>

#include "tests/bench/peers.h"

enum { RESULT_NAMES = 48 };
#define RESULT_OTHERS_LOUD 0.05 /* CPUs; above it a run's times are not to be trusted */

/* One contender on one case. */
struct entry {
    enum role role;
    char name[PEER_NAME], note[PEER_WHY];
    double seconds; /* median */
    double ratio;   /* its time / ours, median over rounds; > 1: we are faster */
    double share;   /* floor's time / its time, median over rounds */
    int rounds;
};

struct result {
    struct test_case test;
    enum bench_format format;
    int threads;
    double bytes;
    bool is_settled; /* two medians agreed within 3 % */
    int entries;
    struct entry entry[PEERS_MOST];
};

struct results {
    char name[64], cpu[256], date[32];
    size_t last_level_cache;
    struct result *result;
    int count, capacity;
    cJSON *figures; /* array of {"of":"floor"|"aclnn-cpu","threads":N,"figures":{...}} */
    char peer[RESULT_NAMES][PEER_NAME];
    int peers;
    char lacking[4][PEER_WHY];
    int lacking_count;
    double others; /* CPU seconds of other processes for each second of the run */
    int wrong;     /* contenders whose output was not what the oracle says */
};

void results_open(struct results *results, const char *name);
void results_close(struct results *results);
struct result *results_add(struct results *results);

/* The fastest entry of a role, or NULL. */
const struct entry *result_best(const struct result *result, enum role role);
/* Ours: the same as result_best(result, ROLE_OURS). */
const struct entry *result_ours(const struct result *result);

/* The same operator, name, type and format, on however many threads. */
bool result_is_same_case(const struct result *one, const struct result *other);
/* That case on one thread (false) or on more (true); NULL when it was not measured so. */
const struct result *results_find(const struct results *results, const struct result *same,
                                  bool is_threaded);
/* Whether no earlier result is of the same case: it stands for the case. */
bool result_is_first(const struct results *results, int index);

/* The largest number of threads that was measured. */
int results_threads(const struct results *results);

/* What a case is measured for. */
enum result_kind {
    KIND_MEMORY, /* larger than the caches */
    KIND_GLOBAL, /* one window per plane, in the last-level cache */
    KIND_CACHE,  /* other problems that fit there */
    KIND_SMALL,  /* so small that a call is what counts */
};
enum result_kind result_kind(const struct results *results, const struct result *result);

bool results_write(const struct results *results, const char *path);
bool results_read(struct results *results, const char *path);

/* Writers. */
void table_print(const struct results *results, FILE *out);
void targets_print(const struct results *results, FILE *out, bool is_markdown);
/* A bar chart of the shares of the floor. */
bool chart_write(const struct results *results, const char *path);
/* Replaces what is between the markers <!-- bench:begin --> and <!-- bench:end --> of the page; the
 * chart goes beside it, with the ending .svg. */
bool markdown_write(const struct results *results, const char *page);

#endif
