/* SPDX-License-Identifier: Apache-2.0 */
/* The convolution operators as the rig sees them, and their problems by what a convolution is:
 * conv_case makes the case, whose line names each argument, from channels, extents and windows. */
#ifndef ACLNN_CPU_TESTS_ROWS_CONV_H
#define ACLNN_CPU_TESTS_ROWS_CONV_H

#include "tests/support/rig.h"

extern const struct rig_operator rig_convolution, rig_convolution_backward;
extern const struct rig_operator rig_conv_depthwise2d, rig_conv_tbc, rig_conv_tbc_backward;
extern const struct rig_operator rig_aclnnext_conv_grad;

/* The first byte of a fuzz input is a place in this list: new ones come last. */
#define ROWS_CONVOLUTION                                                                           \
    &rig_convolution_backward, &rig_aclnnext_conv_grad, &rig_conv_tbc_backward, &rig_convolution,  \
        &rig_conv_depthwise2d, &rig_conv_tbc

static const struct rig_operator *const rows_convolution[] = {ROWS_CONVOLUTION};

enum { ROWS_CONVOLUTIONS = sizeof rows_convolution / sizeof rows_convolution[0] };

/* Tensors in the gradients' roles; a forward operator writes what gradOutput is the gradient of and
 * reads the bias. */
enum conv_tensor {
    CONV_GRAD_OUTPUT,
    CONV_INPUT,
    CONV_WEIGHT,
    CONV_GRAD_INPUT,
    CONV_GRAD_WEIGHT,
    CONV_GRAD_BIAS,
    CONV_TENSORS,
    CONV_OUTPUT = CONV_GRAD_OUTPUT,
    CONV_BIAS = CONV_GRAD_BIAS,
};

bool conv_is_forward(const struct rig_operator *op);
bool conv_is_tbc(const struct rig_operator *op);
/* The operand that is this tensor; -1: the operator has none. */
int conv_operand(const struct rig_operator *op, int tensor);

enum { CONV_AXES = 3 };

/* The side before an ordinary convolution is `large`, the one behind it `small`; a transposed one
 * goes from small to large. Of fewer axes the last entries count. */
struct conv_problem {
    const struct rig_operator *op;
    int axes, math;
    int64_t batch, groups, large_channels, small_channels; /* of one group */
    int64_t large[CONV_AXES], small[CONV_AXES], kernel[CONV_AXES];
    int64_t stride[CONV_AXES], dilation[CONV_AXES], pad[CONV_AXES], pad_end[CONV_AXES];
    bool transposed;
    bool both_ends; /* padding lists the begin and the end of each axis */
    bool mask[3];   /* gradients that are asked for; the last one: there is a bias */
    enum case_dtype dtype[CONV_TENSORS];
    enum case_layout layout[CONV_TENSORS];
    enum case_format format[CONV_TENSORS];
    uint64_t seed; /* of the data; an odd one gives gradients that are not asked for, too */
};

struct test_case conv_case(const struct conv_problem *problem);

/* Dense tensors of one type, in the formats of their ranks; all gradients, a bias. Sizes that the
 * windows say: small from large, batch 2, one group, no pads, windows of 1 until they are set. */
struct conv_problem conv_plain(const struct rig_operator *op, int axes, enum case_dtype dtype);
/* The small side's extents, which follow from all else. */
void conv_settle(struct conv_problem *problem);

/* One that the operator accepts; all tensors of that type, unless mixed, which the operators that
 * take one type only ignore. */
struct conv_problem conv_random(struct random *random, const struct rig_operator *op,
                                enum case_dtype dtype, bool mixed);

void conv_oracle_forward(struct rig_problem *problem);
void conv_oracle_gradients(struct rig_problem *problem);

/* Whether the level in use is avx512_bf16, whose kernels are those of avx512 but for bf16, and a
 * problem of this type alone is one that avx512's run asks as well. */
bool conv_repeats(enum case_dtype dtype);

#endif
