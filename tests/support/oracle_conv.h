/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution from its definition, in double, one product at a time; no code of the library. All
 * tensors are dense, channels first. */
#ifndef ACLNN_CPU_TESTS_ORACLE_CONV_H
#define ACLNN_CPU_TESTS_ORACLE_CONV_H

#include "tests/support/oracle.h"

enum { ORACLE_CONV_AXES = 3 };

/* The side before an ordinary convolution is `large`, the one behind it `small`; a transposed one
 * goes from small to large. Fewer than three axes have ones in front. */
struct oracle_conv {
    int64_t batch, groups, large_channels, small_channels; /* of one group */
    int64_t large[ORACLE_CONV_AXES], small[ORACLE_CONV_AXES], kernel[ORACLE_CONV_AXES];
    int64_t stride[ORACLE_CONV_AXES], dilation[ORACLE_CONV_AXES], pad[ORACLE_CONV_AXES];
};

int64_t oracle_conv_large_count(const struct oracle_conv *conv);
int64_t oracle_conv_small_count(const struct oracle_conv *conv);
int64_t oracle_conv_weight_count(const struct oracle_conv *conv);

/* Each side, and the weight (small channels of all groups, large channels of one, kernel), as the
 * sum of products of the other two. The result that is NULL is not computed; the values it would
 * be made of may be NULL then. */
struct oracle_conv_values {
    const double *large, *small, *weight;
    struct oracle_sum *to_large, *to_small, *to_weight;
};
void oracle_conv(const struct oracle_conv *conv, const struct oracle_conv_values *values);

/* Sums over batch and positions, by channel. */
void oracle_conv_bias(int64_t batch, int64_t channels, int64_t positions, const double *side,
                      struct oracle_sum *sums);

#endif
