/* SPDX-License-Identifier: Apache-2.0 */
/* A box of a convolution's tensor, prefetched a little at a time. */
#ifndef ACLNN_CPU_KERNELS_CONV_SWEEP_BOX_H
#define ACLNN_CPU_KERNELS_CONV_SWEEP_BOX_H

#include "kernels/conv/sweep.h"
#include "kernels/conv/window_pack.h"

/* Rows of a box of a tensor, of some images and channels; where its channels lie side by side, its
 * positions. */
static inline struct sweep sweep_box(const struct k_conv_tensor *t, const char *from,
                                     int64_t images, int64_t channels, const int64_t size[])
{
    const int64_t bytes = pack_size(t->dtype);
    if (t->inner == 1) {
        const int64_t count[] = {images, size[0], size[1], size[2]};
        const int64_t stride[] = {bytes * t->outer, bytes * t->axis[0], bytes * t->axis[1],
                                  bytes * t->axis[2]};
        return sweep_of(from, bytes * channels, count, stride);
    }
    const bool is_flat = t->axis[1] == size[2];
    const int64_t count[] = {images, channels, size[0], is_flat ? 1 : size[1]};
    const int64_t stride[] = {bytes * t->outer, bytes * t->inner, bytes * t->axis[0],
                              bytes * t->axis[1]};
    struct sweep sweep = sweep_of(from, bytes * size[2] * (is_flat ? size[1] : 1), count, stride);
    if (t->axis[2] != 1) sweep.regions = 0;
    return sweep;
}

#endif
