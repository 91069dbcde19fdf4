/* SPDX-License-Identifier: Apache-2.0 */
/* Refusals of phase 1 as a table: a sound call, and what breaks it. */
#ifndef ACLNN_CPU_TESTS_RIG_REFUSALS_H
#define ACLNN_CPU_TESTS_RIG_REFUSALS_H

#include "tests/support/rig.h"

/* `change` is one or more assignments, separated by blanks, to public names of parameters:
 *     self=null               a null pointer: any tensor, array, workspaceSize, executor
 *     self.type=f64           a dtype of the case language, undefined, complex64, string
 *     self.format=nc1hwc0     nchw ncl nd nhwc ncdhw ndhwc nc1hwc0 fractal_z hwcn nc undefined
 *     self.tag=nhwc           the same, while the sizes keep their order
 *     self.rank=5             the sizes added are 1
 *     self.dims[2]=-4         axes are (batch,) channels, spatial ones, whatever the format
 *     self.strides[0]=1       of a tensor that had none: the others become 0
 *     self.storage=119 self.offset=-1
 *     kernelSize.length=3     kernelSize[1]=0
 *     cubeMathType=4          any number
 *     x[1].type=f16           the same of an element of a list; x=null, x.length=1 of the list
 *     alpha=null alpha=3      an aclScalar; alpha.type=f64; scalars[1]=null, scalars.length=2
 * Numbers are decimal, max or min (of int64).
 *
 * argument and value: the text must have one of the words of each "a|b"; NULL: anything. The text
 * must also have the operator's name. */
struct rig_fault {
    const char *change;
    aclnnStatus code;
    const char *argument, *value;
};

/* The faults, in the order of the operator's checks. Each alone gives its code and words and leaves
 * the outputs unwritten; of each pair that does not touch the same field the earlier one speaks.
 * excused names pairs in which the later fault makes the earlier one vanish; may be NULL. */
struct rig_refusals {
    const struct rig_operator *op;
    const char *sound; /* the line of a case that is accepted */
    const struct rig_fault *faults;
    int count;
    bool (*excused)(const struct rig_fault *earlier, const struct rig_fault *later);
};

/* False and a sentence in text (RIG_TEXT bytes). */
bool rig_check_refusals(const struct rig_refusals *table, char *text);
/* Is the sound call accepted with these assignments? Several may be given, each alone. */
bool rig_check_accepted(const struct rig_operator *op, const char *sound,
                        const char *const *changes, int count, char *text);

#endif
