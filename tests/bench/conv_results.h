/* SPDX-License-Identifier: Apache-2.0 */
/* What a run of `bench conv` found. */
#ifndef ACLNN_CPU_TESTS_BENCH_CONV_RESULTS_H
#define ACLNN_CPU_TESTS_BENCH_CONV_RESULTS_H

#include <stdio.h>

#include "tests/bench/conv_layer.h"
#include "tests/bench/peers.h"

/* A contender in one layout. */
enum conv_column {
    CONV_FLOOR,
    CONV_OURS,
    CONV_OURS_LAST, /* channels-last */
    CONV_ONEDNN_ANY,
    CONV_ONEDNN_REORDER,
    CONV_ONEDNN_PLAIN,
    CONV_ONEDNN_LAST,
    CONV_TORCH,
    CONV_TORCH_LAST,
    CONV_COLUMNS
};

struct conv_result {
    struct conv_layer layer;
    enum layer_pass pass;
    enum layer_dtype dtype;
    int threads;
    bool is_memory;               /* the floor is a matter of bytes */
    double seconds[CONV_COLUMNS]; /* medians; 0: took no part. Of several oneDNNs the fastest */
    double ratio[CONV_COLUMNS];   /* its time / ours, pairwise; of the floor: its share */
};

struct conv_results {
    struct conv_result *result;
    int count, capacity, wrong;
    char peer[PEERS_MOST][PEER_NAME];
    int peers;
    double others; /* CPU seconds of other processes for each second of the run */
};

struct conv_result *conv_results_add(struct conv_results *results);
void conv_table_print(const struct conv_results *results, FILE *out);
/* Replaces what is between the page's marks <!-- bench-conv:begin --> and <!-- bench-conv:end -->.
 */
bool conv_table_write(const struct conv_results *results, const char *page);

#endif
