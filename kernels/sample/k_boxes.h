/* SPDX-License-Identifier: Apache-2.0 */
/* Which boxes stay when those are left out that a better one covers. For each batch and class: the
 * box of the highest score stays (of equal ones that of lower number), boxes whose overlap with it
 * is more than iou of what both cover are left out, and so on, until `most` boxes stay or the next
 * score is not above `score`. Compiled once. */
#ifndef ACLNN_CPU_KERNELS_SAMPLE_K_BOXES_H
#define ACLNN_CPU_KERNELS_SAMPLE_K_BOXES_H

#include "kernels/kernel.h"

struct k_nms {
    int64_t batch, classes, boxes, most;
    int64_t rows;   /* of the result */
    bool is_center; /* a box is (x, y, width, height), else two corners, in any order */
    float iou, score;
};

/* nms: KEPT has `most` INT32 numbers of boxes for each class of each batch, -1 behind them; ORDER
 * is scratch, `boxes` INT64 numbers for each. Items are classes of batches. nms_rows: rows (batch,
 * class, box) of INT32, one behind the other, -1 behind them; one item. All is dense, boxes and
 * scores are FLOAT. */
enum { K_NMS_BOXES, K_NMS_SCORES, K_NMS_ORDER, K_NMS_KEPT };
enum { K_NMS_ROWS_KEPT, K_NMS_ROWS_TO };

k_fn k_nms, k_nms_rows;
struct k_work k_nms_work(const struct k_nms *nms);

#endif
