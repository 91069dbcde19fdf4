/* SPDX-License-Identifier: Apache-2.0 */
/* Operators on complex numbers and what they must give. They stay beside the rig, whose case
 * language and oracles have real numbers: a value there is one double, in the data, the scalars,
 * the bounds and the comparison of every family. */
#ifndef ACLNN_CPU_TESTS_COMPLEX_CALLS_H
#define ACLNN_CPU_TESTS_COMPLEX_CALLS_H

#include <complex.h>
#include <stdbool.h>
#include <string.h>

#include "aclnn/acl_meta.h"

typedef long double complex number;

static inline number number_of(long double real, long double imaginary)
{
    const long double parts[] = {real, imaginary};
    number z;
    memcpy(&z, parts, sizeof z);
    return z;
}

enum complex_result { OF_COMPLEX, OF_REALS, OF_TRUTHS };

struct complex_call {
    const char *name;
    int tensors; /* operands that are tensors */
    bool is_in_place, is_scalar_first;
    enum complex_result result;
    bool is_sum; /* the error is one of the operands, not of the result */
    int units;   /* of error, in DOUBLE, beside the rounding; 0: it is rounded once */
    number (*form)(const number *x);
    aclnnStatus (*plan)(aclTensor *self, aclTensor *other, const aclScalar *scalar, aclTensor *out,
                        uint64_t *size, aclOpExecutor **executor);
    aclnnStatus (*run)(void *, uint64_t, aclOpExecutor *, aclrtStream);
};

extern const struct complex_call complex_calls[];
extern const int complex_call_count;

/* Phase 2 behind a phase 1 that must have succeeded; waits. */
typedef aclnnStatus complex_phase2(void *, uint64_t, aclOpExecutor *, aclrtStream);
void complex_finish(const char *name, aclnnStatus status, uint64_t size, aclOpExecutor *executor,
                    complex_phase2 *run);

/* Both phases of an operator by its name, which must succeed; waits. */
#define PLANNED(operator, ...)                                                                     \
    do {                                                                                           \
        uint64_t size_ = 0;                                                                        \
        aclOpExecutor *executor_ = NULL;                                                           \
        const aclnnStatus status_ = operator##GetWorkspaceSize(__VA_ARGS__, &size_, &executor_);   \
        complex_finish(#operator, status_, size_, executor_, operator);                            \
    } while (0)

/* Both phases. */
void complex_run(const struct complex_call *call, aclTensor *self, aclTensor *other,
                 const aclScalar *scalar, aclTensor *out);

#endif
