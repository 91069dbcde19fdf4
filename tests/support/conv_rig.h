/* SPDX-License-Identifier: Apache-2.0 */
/* The convolution operators as a program calls them: a problem, its tensors between guard pages, a
 * run, and the comparison with the definition. */
#ifndef ACLNN_CPU_TESTS_CONV_RIG_H
#define ACLNN_CPU_TESTS_CONV_RIG_H

#include "acl/acl.h"
#include "aclnn/opdev/op_errno.h"
#include "tests/support/guard.h"
#include "tests/support/operand.h"
#include "tests/support/oracle_conv.h"
#include "tests/support/random.h"
#include "tests/support/rig.h"

enum conv_operator {
    CONV_BACKWARD,     /* aclnnConvolutionBackward */
    CONV_GRAD,         /* aclnnextConvGrad */
    CONV_TBC_BACKWARD, /* aclnnConvTbcBackward */
    CONV_FORWARD,      /* aclnnConvolution */
    CONV_DEPTHWISE,    /* aclnnConvDepthwise2d */
    CONV_TBC,          /* aclnnConvTbc */
    CONV_OPERATORS
};

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

struct conv_case {
    enum conv_operator op;
    struct oracle_conv conv;
    int64_t pad_end[ORACLE_CONV_AXES];
    int axes, math;
    bool transposed;
    bool both_ends; /* padding lists the begin and the end of each axis */
    int64_t auto_pad;
    bool mask[3]; /* gradients that are asked for; the last one: there is a bias */
    enum case_dtype dtype[CONV_TENSORS];
    enum case_layout layout[CONV_TENSORS];
    aclFormat format[CONV_TENSORS];
    uint64_t seed;
};

/* clang-format off */
/* Reads a problem of one line, as ACLNN_CPU_LOG=calls prints it:
 *
 *     convolution_backward n2 c4>6 8x8 k3x3 s2x2 p1x1 q1x0 d1x1 g2 dy=f32 x=f32,last w=bf16 dx=f32 db=f32 math=1
 *     convolution n1 c6>4 5x5 k3 s2 transposed o11x12 x=f16,nd w=f16 b=f16 y=f16,strided
 *
 * operator, batch, channels of the input and of the output (those of all groups), extents of the
 * input, then in any order:
 *     k3 k3x5        kernel; one number stands for all axes here and below
 *     s2 s2x1        stride, absent: 1
 *     p1 p1x2        padding at the beginning, absent: 0
 *     q1 q1x0        padding at the end, absent: as p
 *     d2 d2x1        dilation, absent: 1
 *     g2             groups, absent: 1
 *     transposed     then o11x12 are the extents of the output
 *     math=N         cubeMathType, absent: 0
 *     dy= x= w=      (gradients) operands, (forward) x= w=: type (f32 f16 bf16), then, after commas,
 *                    a format (ncl nchw ncdhw nd nhwc ndhwc; absent: by the rank) and a layout
 *                    (last: channels innermost, strided, broadcast; absent: dense); absent: f32
 *     dx= dw= db=    the gradients that are asked for, in the same way
 *     b= y=          (forward) the bias, if there is one; the result, absent: f32
 * On failure returns false and writes a sentence to error. */
/* clang-format on */
bool conv_parse(const char *line, struct conv_case *out, char *error, size_t error_size);

bool conv_is_forward(enum conv_operator op);
const char *conv_operator_name(enum conv_operator op);

/* A problem that the operator accepts; all tensors of that type, unless mixed, which the operators
 * that take one type only ignore. */
struct conv_case conv_random_case(struct random *random, enum conv_operator op,
                                  enum case_dtype dtype, bool mixed);
/* All that tells the problem from others. */
void conv_describe(const struct conv_case *test, char *text, size_t size);

/* What a call passes besides tensors; conv_rig_load fills it. */
enum { CONV_STRIDE, CONV_PADDING, CONV_PAD_END, CONV_DILATION, CONV_OUTPUT_PADDING, CONV_ARRAYS };
struct conv_arguments {
    struct rig_array array[CONV_ARRAYS], kernel, bias_sizes;
    int64_t groups, auto_pad;
    int math, mask_length;
    bool transposed, mask[3];
    bool is_null[CONV_TENSORS];
};

struct conv_rig {
    aclrtStream stream;
    struct conv_case test;
    struct conv_arguments call;
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
/* The parts of a run around the two phases: memory and descriptors; and what was written, and
 * whether it was only that. A run that went wrong before keeps its reason. */
void conv_rig_open(struct conv_rig *rig, enum guard_side side);
bool conv_rig_close(struct conv_rig *rig, bool is_right);
/* All of it. */
bool conv_rig_check(struct conv_rig *rig, const struct conv_case *test);

bool conv_rig_reads(const struct conv_rig *rig, int tensor);
bool conv_rig_writes(const struct conv_rig *rig, int tensor);
/* When set, the host allocation that conv_rig_phase1 makes fail: the n-th from the call itself. */
extern int64_t (*conv_rig_fail_at)(int64_t n);
extern int64_t conv_rig_fail_n;

/* Phase 1 with the operands as they are open (those that are not are NULL), and phase 2. */
aclnnStatus conv_rig_phase1(struct conv_rig *rig, uint64_t *size, aclOpExecutor **executor);
aclnnStatus conv_rig_phase2(struct conv_rig *rig, void *workspace, uint64_t size,
                            aclOpExecutor *executor);

/* Whether the level in use is avx512_bf16, whose kernels are those of avx512 but for bf16, and a
 * problem of this type alone is one that avx512's run asks as well. */
bool conv_rig_repeats(enum case_dtype dtype);

#endif
