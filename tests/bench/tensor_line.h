/* SPDX-License-Identifier: Apache-2.0 */
/* A line of tests/cases/tensors/cases.txt for one type, and the conversation of `bench tensors`:
 *
 *     {"do":"set_up","line":LINE,"type":"f32"}  -> {"ok":true,"sum":S,"norm":N}
 *     {"do":"run","count":N}                    -> {"ok":true,"seconds":ONE RUN}
 *
 * Element i of an input, in the order of memory, is (7919 i mod 8191 - 4095) / 4096, an integer
 * 7919 i mod N, a boolean the last bit of 7919 i mod 8191. sum and norm are those of the
 * first output's finite elements and of their magnitudes: contenders that agree have computed the
 * same. */
#ifndef ACLNN_CPU_TESTS_BENCH_TENSOR_LINE_H
#define ACLNN_CPU_TESTS_BENCH_TENSOR_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TENSOR_MOST = 10, TENSOR_AXES = 5, TENSOR_LINE = 320, TENSOR_WORD = 32 };

struct tensor_spec {
    char type[8]; /* f32, f16, bf16, i64, bool */
    int rank;
    int64_t dims[TENSOR_AXES], strides[TENSOR_AXES], elements;
    int64_t below;   /* of integers */
    bool is_partial; /* no more of it is read than the first output holds */
};

struct tensor_line {
    char group[TENSOR_WORD], op[TENSOR_WORD], name[TENSOR_WORD], types[TENSOR_WORD];
    char row[TENSOR_WORD];       /* op=: the word of our operator, where it is not op; "" */
    char arguments[TENSOR_LINE]; /* name=value of our operator, with blanks between them */
    int inputs, tensors;         /* inputs come first */
    struct tensor_spec tensor[TENSOR_MOST];
};

bool tensor_line_parse(const char *line, const char *type, struct tensor_line *into);
size_t tensor_element_size(const char *type);
size_t tensor_bytes(const struct tensor_spec *spec);
/* Bytes that the operator must read of an input. */
size_t tensor_bytes_read(const struct tensor_line *line, int input);

#endif
