/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN's side of `bench tensors`: a primitive with its arguments, and what makes it of a line. */
#ifndef ACLNN_CPU_TESTS_BENCH_TENSOR_ONEDNN_H
#define ACLNN_CPU_TESTS_BENCH_TENSOR_ONEDNN_H

#include <stdbool.h>

#include <oneapi/dnnl/dnnl.h>

#include "tests/bench/tensor_line.h"

enum { ONEDNN_ARGUMENTS = 12, ONEDNN_OWN = 8, ONEDNN_NOTE = 160 };

struct onednn_call {
    struct tensor_line line;
    dnnl_engine_t engine;
    void *data[TENSOR_MOST];
    dnnl_memory_desc_t layout[TENSOR_MOST];
    dnnl_memory_t memory[TENSOR_MOST];
    /* f32 that is no tensor of the line. */
    int own;
    void *own_data[ONEDNN_OWN];
    dnnl_memory_desc_t own_layout[ONEDNN_OWN];
    dnnl_memory_t own_memory[ONEDNN_OWN];

    dnnl_primitive_attr_t attributes;
    dnnl_primitive_desc_t hint, description; /* hint: of a gradient's forward pass */
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t arguments[ONEDNN_ARGUMENTS];
    int count;
    char note[ONEDNN_NOTE]; /* why not, or the implementation's name */
};

void *onednn_memory(size_t bytes);
/* The primitive for the call's line and data, and its arguments. False: the note says why. */
bool onednn_make(struct onednn_call *call);

#endif
