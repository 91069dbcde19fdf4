/* SPDX-License-Identifier: Apache-2.0 */
/* The elements of a line's tensors, as tensor_line.h says; contenders in C share them. */
#ifndef ACLNN_CPU_TESTS_BENCH_TENSOR_DATA_H
#define ACLNN_CPU_TESTS_BENCH_TENSOR_DATA_H

#include <cjson/cJSON.h>

#include "tests/bench/tensor_line.h"

/* Of that input. */
void tensor_write(const struct tensor_line *line, int input, void *data);
double tensor_read(const struct tensor_spec *spec, const void *data, int64_t i);
/* What was in it before is seen, and its magnitude: a NaN in every float type. */
void tensor_poison(const struct tensor_spec *spec, void *data);
/* Adds an output's [sum, norm, finite elements] to the reply's list of outputs. */
void tensor_add_output(cJSON *reply, const struct tensor_spec *spec, const void *data);

#endif
