/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of convolution as a program calls them: a problem, its tensors between guard pages, a
 * run, and the comparison with the definition. */
#ifndef ACLNN_CPU_TESTS_CONV_RIG_H
#define ACLNN_CPU_TESTS_CONV_RIG_H

#include "acl/acl.h"
#include "aclnn/opdev/op_errno.h"
#include "tests/support/guard.h"
#include "tests/support/operand.h"
#include "tests/support/oracle_conv.h"
#include "tests/support/random.h"

/* Tensors of a call, in the order of the parameters. */
enum conv_tensor {
    CONV_GRAD_OUTPUT,
    CONV_INPUT,
    CONV_WEIGHT,
    CONV_GRAD_INPUT,
    CONV_GRAD_WEIGHT,
    CONV_GRAD_BIAS,
    CONV_TENSORS
};

struct conv_case {
    struct oracle_conv conv;
    int64_t pad_end[ORACLE_CONV_AXES];
    int axes, math;
    bool transposed;
    bool is_grad; /* aclnnextConvGrad, else aclnnConvolutionBackward */
    bool four_pads;
    int64_t auto_pad;
    bool mask[3];
    enum case_dtype dtype[CONV_TENSORS];
    enum case_layout layout[CONV_TENSORS];
    aclFormat format[CONV_TENSORS];
    uint64_t seed;
};

/* A problem that the operator accepts; all tensors of that type unless mixed. */
struct conv_case conv_random_case(struct random *random, enum case_dtype dtype, bool mixed);

struct conv_rig {
    aclrtStream stream;
    struct conv_case test;
    struct operand operand[CONV_TENSORS];
    struct guard guard[CONV_TENSORS], workspace;
    double *values[CONV_TENSORS];
    uint64_t *bits[CONV_TENSORS]; /* of outputs */
    char text[1024];
};

void conv_rig_begin(struct conv_rig *rig);
void conv_rig_end(struct conv_rig *rig);
/* Makes tensors and inputs; then runs, leaving values and bits of the outputs, and compares. */
void conv_rig_load(struct conv_rig *rig, const struct conv_case *test);
bool conv_rig_run(struct conv_rig *rig, enum guard_side side);
bool conv_rig_compare(struct conv_rig *rig);
/* All of it. */
bool conv_rig_check(struct conv_rig *rig, const struct conv_case *test);

#endif
