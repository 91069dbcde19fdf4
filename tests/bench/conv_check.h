/* SPDX-License-Identifier: Apache-2.0 */
/* The data of a case of `bench conv`, and whether a result made from it is right. */
#ifndef ACLNN_CPU_TESTS_BENCH_CONV_CHECK_H
#define ACLNN_CPU_TESTS_BENCH_CONV_CHECK_H

#include "tests/bench/conv_contender.h"

enum { CONV_SAMPLES = 24 };

struct conv_sum {
    double value, magnitude;
    int64_t terms;
};

struct conv_data {
    char line[LAYER_LINE];
    struct conv_layer layer;
    enum layer_pass pass;
    enum layer_dtype dtype;
    char path[LAYER_TENSORS][CONV_PATH]; /* files in memory */
    float *value[LAYER_TENSORS];         /* what they hold */
    int64_t sample[CONV_SAMPLES];        /* elements of the result */
    struct conv_sum expected[CONV_SAMPLES];
};

/* Random values of the type; false with a sentence in why. conv_data_free removes the files too. */
bool conv_data_make(struct conv_data *data, const char *line, enum layer_dtype dtype, char *why,
                    size_t why_size);
/* The pass of which results come next: computes some of its elements by the definition. */
void conv_data_expect(struct conv_data *data, enum layer_pass pass);
void conv_data_free(struct conv_data *data);
/* What a contender is told of a pass over it. The caller releases it. */
cJSON *conv_request_set_up(const struct conv_data *data, enum layer_pass pass, int slot,
                           const char *layout);
/* A path in memory that is this process's own. */
void data_path_of(char path[CONV_PATH], const char *what);

/* The sample's elements of the result in the file are what the definition says, within the bound of
 * sums in float (of a peer: with every partial sum rounded), and every element was written. */
bool conv_check(const struct conv_data *data, const char *path, bool is_ours, char *why,
                size_t why_size);

#endif
