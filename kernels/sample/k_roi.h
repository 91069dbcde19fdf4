/* SPDX-License-Identifier: Apache-2.0 */
/* Regions of images in one size: each is cut into bins, and a bin is the mean of some places in it,
 * each read between four pixels.
 *
 *     to[r, c, h, w] = sum over places of from[image of r, c] at place / places of a bin
 *
 * A place more than a pixel outside of the image counts as 0, other ones outside as the outermost
 * pixel. A bin has `ratio` places along each axis, or as many as it has pixels, rounded up.
 * Operands are dense, all FLOAT or all DOUBLE. */
#ifndef ACLNN_CPU_KERNELS_SAMPLE_K_ROI_H
#define ACLNN_CPU_KERNELS_SAMPLE_K_ROI_H

#include "kernels/kernel.h"

enum {
    K_ROI_RATIO = 4096,  /* at most */
    K_ROI_CHANNELS = 16, /* of an item of roi_grad */
};

struct k_roi {
    bool is_double;
    bool
        has_numbers; /* the image of a region is NUMBERS[r], INT32; else what is before its edges */
    bool aligned;    /* places are half a pixel less; else a region is at least one pixel */
    int64_t batch, channels, size[2], bins[2], regions, ratio; /* sizes: height, width */
    double scale;     /* from edges, (x1, y1, x2, y2), to pixels */
    const char *name; /* of the argument with the images' numbers */
};

/* roi: items are rows of bins. roi_grad: what each pixel gets of the bins' gradient, which is FROM;
 * items are some channels of an image, regions in their order. A region whose image does not exist
 * is a fault at the place of its number, and is 0. */
enum { K_ROI_FROM, K_ROI_BOXES, K_ROI_NUMBERS, K_ROI_TO, K_ROI_BUFFERS };
struct k_work k_roi_plan(const struct k_roi *roi);
struct k_work k_roi_grad_plan(const struct k_roi *roi);

/* iou: how much boxes (x1, y1, x2, y2) overlap, each of the first with each of the second, or with
 * its own. Edges are `epsilon` longer. Items are boxes of the first. */
struct k_iou {
    bool is_double, is_aligned;
    bool of_second; /* the common area by that of the second box, not by that of both */
    int64_t first, second;
    double epsilon;
};
enum { K_IOU_FIRST, K_IOU_SECOND, K_IOU_TO };
struct k_work k_iou_plan(const struct k_iou *iou);

#endif
