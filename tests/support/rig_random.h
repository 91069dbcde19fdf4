/* SPDX-License-Identifier: Apache-2.0 */
/* Random problems that an operator accepts, small enough for the oracle. */
#ifndef ACLNN_CPU_TESTS_RIG_RANDOM_H
#define ACLNN_CPU_TESTS_RIG_RANDOM_H

#include "tests/support/cases.h"
#include "tests/support/random.h"

/* What the operator has, beside kernel, stride and padding. */
enum {
    RIG_CEIL = 1,
    RIG_EXCLUDE_PAD = 2,
    RIG_DIVISOR = 4,
    RIG_MATH = 8,                /* cubeMathType 0 to 3 */
    RIG_DILATION = 16,           /* above 1 */
    RIG_END_PADS = 32,           /* begin + end <= kernel */
    RIG_AUTO_PAD = 64,           /* 0 to 3 */
    RIG_NULL_STRIDE = 128,       /* may be NULL */
    RIG_WIDE_INDICES = 256,      /* int64 as well as int32 */
    RIG_ONLY_WIDE = 512,         /* int64 only */
    RIG_ANY_PICKS = 1024,        /* reads indices, which need not come from windows */
    RIG_LAST_FORMAT = 2048,      /* NHWC and NDHWC as well */
    RIG_ND_FORMAT = 4096,        /* ND as well */
    RIG_KERNEL_FITS = 8192,      /* no kernel is larger than the input without its padding */
    RIG_TIES = 16384,            /* often few different values */
    RIG_DENSE = 32768,           /* contiguous views only */
    RIG_BATCHED = 65536,         /* no unbatched form */
    RIG_EFFECTIVE_PADS = 131072, /* padding up to half the dilated kernel, not the kernel */
    RIG_FAR_END_PADS = 262144    /* whole windows may lie in the padding at the end */
};

/* Windows; padding is at most half the kernel. */
struct test_case rig_random_window(struct random *random, const char *word, enum case_dtype dtype,
                                   int axes, unsigned traits);
/* Large and small extents free of each other (adaptive pooling). */
struct test_case rig_random_adaptive(struct random *random, const char *word, enum case_dtype dtype,
                                     int axes, unsigned traits);
/* The small plane has at most as many elements as the large one (unpooling). */
struct test_case rig_random_unpool(struct random *random, const char *word, enum case_dtype dtype,
                                   int axes, unsigned traits);
/* All small extents are 1; two to six axes. */
struct test_case rig_random_global(struct random *random, const char *word, enum case_dtype dtype,
                                   unsigned traits);

#endif
