/* SPDX-License-Identifier: Apache-2.0 */
/* Images in another size: each axis is interpolated on its own.
 *
 *     to[p, d, h, w] = sum over taps of weight_d weight_h weight_w from[p, at_d, at_h, at_w]
 *
 * The places `at` and the weights of an axis depend on the index of the result alone;
 * `resize_table` finds them, once for all planes. Operands are dense. Nearest ones have one tap of
 * weight 1 and are copied, whatever the type; others are computed in FLOAT, DOUBLE in double: first
 * a line over the outer axes, then along the line. */
#ifndef ACLNN_CPU_KERNELS_RESIZE_K_RESIZE_H
#define ACLNN_CPU_KERNELS_RESIZE_K_RESIZE_H

#include "kernels/loop/k_loop.h"

/* AA, antialiased: a result that stands for several elements sees all of them. */
enum k_resize_mode {
    K_RESIZE_NEAREST,
    K_RESIZE_NEAREST_EXACT,
    K_RESIZE_LINEAR,
    K_RESIZE_CUBIC,
    K_RESIZE_LINEAR_AA,
    K_RESIZE_CUBIC_AA,
};

enum {
    K_RESIZE_AXES = 3,
    K_RESIZE_TAPS = 4,    /* of modes that are not AA */
    K_RESIZE_TILE = 512,  /* results of a line at once */
    K_RESIZE_LINE = 1024, /* elements of the operand that they see at most, or one of them */
};

/* An axis that is not resized has size 1 on both sides and is_plain. */
struct k_resize_axis {
    int64_t in, out; /* at most INT32_MAX */
    double scale;    /* how much larger the result is; 0: as the sizes say */
    bool is_plain;
    int taps;
    int64_t weights, places; /* bytes in front of those of the table */
};

struct k_resize {
    enum k_dtype dtype;
    enum k_resize_mode mode;
    bool align_corners;
    int64_t planes;
    struct k_resize_axis axis[K_RESIZE_AXES];
    int64_t table_bytes;
};

enum { K_RESIZE_TABLE_TO };
enum { K_RESIZE_FROM, K_RESIZE_TABLE, K_RESIZE_TO };

/* The part of an axis: weights[taps][out] as float, or double if that is the type, then
 * places[taps][out] as int32_t. Items of resize_table are its results, of all axes one after the
 * other; of resize lines of the result. */
struct k_work k_resize_table_plan(struct k_resize *resize);
/* Elements of the operand from result to result. */
double k_resize_step(const struct k_resize *resize, const struct k_resize_axis *axis);
struct k_work k_resize_plan(const struct k_resize *resize);

/* resize_grad: each element of the operand gets the sum of what results took of it, times their
 * weights; from is the results' gradient. Items are lines of the operand. */
struct k_work k_resize_grad_plan(const struct k_resize *resize);

#endif
