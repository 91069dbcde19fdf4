/* SPDX-License-Identifier: Apache-2.0 */
/* What contenders read: files of random values, one per type, and of indices, one per window and
 * type, in memory (/dev/shm), removed when the bench ends. */
#ifndef ACLNN_CPU_TESTS_BENCH_DATA_H
#define ACLNN_CPU_TESTS_BENCH_DATA_H

#include "tests/bench/problem.h"

/* Sees to the files of a problem and sets its paths. On failure says why and returns false. */
bool data_open(struct bench_problem *problem);

/* How many values of each type the largest problem needs; once, before the first data_open. */
bool data_make_values(const int64_t elements[CASE_FLOATS]);

/* A path in /dev/shm that is this process's own. */
void data_path(const char *what, char *path, size_t size);

/* One plane of a tensor that is read, as doubles. false when it cannot be read. */
bool data_read_plane(const struct bench_problem *problem, enum case_tensor role, int64_t plane,
                     double *values);
/* The same for indices. */
bool data_read_indices(const struct bench_problem *problem, int64_t plane, int32_t *indices);

#endif
