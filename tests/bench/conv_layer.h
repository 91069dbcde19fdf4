/* SPDX-License-Identifier: Apache-2.0 */
/* A layer of tests/cases/conv: what the contenders of `bench conv` are asked to compute. */
#ifndef ACLNN_CPU_TESTS_BENCH_CONV_LAYER_H
#define ACLNN_CPU_TESTS_BENCH_CONV_LAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LAYER_AXES = 3, LAYER_RANK = 2 + LAYER_AXES, LAYER_NAME = 24, LAYER_LINE = 1024 };

enum layer_pass {
    LAYER_FORWARD, /* x w bias -> y */
    LAYER_DATA,    /* dy w -> dx */
    LAYER_WEIGHT,  /* dy x -> dw, then the bias's gradient behind it */
    LAYER_PASSES
};

enum layer_dtype { LAYER_F32, LAYER_BF16, LAYER_F16, LAYER_DTYPES };

/* x and dx, the weight and its gradient, y and dy, the bias and its gradient. */
enum layer_tensor { LAYER_X, LAYER_W, LAYER_Y, LAYER_B, LAYER_TENSORS };

struct conv_layer {
    char name[LAYER_NAME];
    int axes;                        /* entries in use of the arrays */
    int64_t batch, from, to, groups; /* channels of all groups */
    int64_t size[LAYER_AXES], out[LAYER_AXES], kernel[LAYER_AXES];
    int64_t stride[LAYER_AXES], pad[LAYER_AXES], dilation[LAYER_AXES];
};

/* Reads a line of a convolution operator, of tests/cases/conv or printed by ACLNN_CPU_LOG=calls;
 * false when it is none, or padding differs at the ends, or it is transposed, with a sentence in
 * why. */
bool layer_parse(const char *line, struct conv_layer *layer, char *why, size_t why_size);

/* The layer as a line of aclnnConvolution, whatever operator it was read from. */
void layer_print(const struct conv_layer *layer, char line[LAYER_LINE]);

/* Dimensions in the order of PyTorch; returns the rank. */
int layer_dims(const struct conv_layer *layer, enum layer_tensor tensor, int64_t dims[LAYER_RANK]);
int64_t layer_elements(const struct conv_layer *layer, enum layer_tensor tensor);

/* Multiplications and additions whose factors both lie inside of their tensors. */
double layer_operations(const struct conv_layer *layer);

size_t layer_element_size(enum layer_dtype dtype);
const char *layer_pass_name(enum layer_pass pass);
const char *layer_dtype_name(enum layer_dtype dtype);
enum layer_pass layer_pass_of(const char *name);   /* LAYER_PASSES when it is none */
enum layer_dtype layer_dtype_of(const char *name); /* LAYER_DTYPES when it is none */

/* Which tensor a pass computes (the weight's gradient brings the bias's along). */
enum layer_tensor layer_result(enum layer_pass pass);
/* Bytes of a pass's results, dense. */
size_t layer_result_bytes(const struct conv_layer *layer, enum layer_pass pass,
                          enum layer_dtype dtype);

#endif
