/* SPDX-License-Identifier: Apache-2.0 */
/* A line of tests/cases/tensors/cases.txt for one type, and the conversation of `bench tensors`:
 *
 *     {"do":"set_up","line":LINE,"type":"f32"}  -> {"ok":true,"outputs":[[S,N,F],...],"note":TEXT}
 *     {"do":"run","count":N}                    -> {"ok":true,"seconds":ONE RUN}
 *
 * Element i of input number n, in the order of memory, is made of k = 7919 (i + 1009 n): v = (k mod
 * 8191 - 4095) / 4096, or |v| + 1/4; an integer k mod N; a boolean the last bit of k mod 8191. S
 * and N are sums of an output's finite elements and of their magnitudes, F how many they are:
 * contenders that agree have computed the same. A contender tells them of its first outputs, one or
 * more; ours poisons its outputs before the run that they are of. note, which may lack, names what
 * computes. */
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
    int64_t below;    /* of integers */
    bool is_partial;  /* no more of it is read than the first output holds */
    bool is_positive; /* |v| + 1/4 */
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
