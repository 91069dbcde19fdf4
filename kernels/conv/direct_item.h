/* SPDX-License-Identifier: Apache-2.0 */
/* An item of conv_direct: where it lies, its weights and its taps. */
#ifndef ACLNN_CPU_KERNELS_CONV_DIRECT_ITEM_H
#define ACLNN_CPU_KERNELS_CONV_DIRECT_ITEM_H

#include "kernels/conv/conv_side.h"
#include "kernels/conv/conv_straight_map.h"
#include "kernels/vector/outlet.h"

enum {
    KNOWN = 4,  /* phases of an axis whose lines are kept */
    JOINED = 2, /* phases of a row at once */
    IMAGE_ROW = CONV_DIRECT_COLUMNS + CONV_DIRECT_COLUMNS / 2 + 4 * CONV_LANES,
};

/* What all items of a slice have in common. */
struct direct_all {
    const struct k_conv *conv;
    struct conv_line known[K_CONV_AXES][KNOWN];
    const char *bias;
    bool stream, is_straight, walks;
    struct straight_plan straight;
    char zeros[STRAIGHT_ZEROS];
};

struct direct_item {
    const struct direct_all *all;
    const struct k_conv *conv;
    int64_t group;
    int64_t begin[K_CONV_AXES], end[K_CONV_AXES]; /* of the result */
    const char *weight, *from;                    /* of the group; of the batch and group */
    char *to;
    struct band_ahead ahead; /* of the next item */
    struct band band;
};

struct direct_buffers {
    _Alignas(64) float band[CONV_DIRECT_BAND + 8 * CONV_LANES];
    _Alignas(64) float weight[CONV_DIRECT_WEIGHTS]; /* [phase][channel][tap][row] */
    _Alignas(64) float image[JOINED][ROWS_LINES * IMAGE_ROW + 2 * CONV_LANES];
    int32_t offset[JOINED][CONV_DIRECT_TERMS]; /* of each tap's first position in the band */
    int64_t held;                              /* the group whose weights these are, or -1 */
    struct k_outlet outlet;
};

/* ---- weights and taps ---- */

/* Channels and taps of one phase, in the order of conv_map's depth. */
static float *pack_phase(const struct direct_item *item, const struct conv_line l[], float *to)
{
    const struct k_conv *conv = item->conv;
    const struct k_conv_tensor *w = &conv->weight;
    const int64_t size = pack_size(w->dtype), rows = conv_rows(conv);
    const int64_t row = size * (conv->to_large ? w->inner : w->outer);
    const int64_t channel = size * (conv->to_large ? w->outer : w->inner);
    for (int64_t c = 0; c < conv_depth_channels(conv); c++)
        for (int64_t d = 0; d < l[0].taps; d++)
            for (int64_t h = 0; h < l[1].taps; h++)
                for (int64_t x = 0; x < l[2].taps; x++) {
                    const char *at = item->weight + c * channel +
                                     size * ((l[0].tap + d * l[0].tap_step) * w->axis[0] +
                                             (l[1].tap + h * l[1].tap_step) * w->axis[1] +
                                             (l[2].tap + x * l[2].tap_step) * w->axis[2]);
                    for (int64_t r = 0; r < rows; r++)
                        *to++ = load_weight(conv, at + r * row);
                }
    return to;
}

static struct conv_line line_of(const struct direct_item *item, int axis, int64_t phase)
{
    return phase < KNOWN ? item->all->known[axis][phase] : conv_line_of(item->conv, axis, phase);
}

/* The weights of all phases, as run_item meets them. */
static __attribute__((noinline)) void pack_weights(const struct direct_item *item, float *to)
{
    const struct k_conv *conv = item->conv;
    for (int64_t d = 0; d < conv_phases(conv, 0); d++)
        for (int64_t h = 0; h < conv_phases(conv, 1); h++)
            for (int64_t w = 0; w < conv_phases(conv, 2); w++) {
                const struct conv_line l[] = {line_of(item, 0, d), line_of(item, 1, h),
                                              line_of(item, 2, w)};
                to = pack_phase(item, l, to);
            }
}

/* Positions of one line from the first one at or behind begin, and how many before end. */
struct phase_run {
    int64_t first, count;
};

static struct phase_run run_of(const struct conv_line *line, int64_t begin, int64_t end)
{
    struct phase_run run = {.first =
                                begin < line->first ? 0 : conv_up(begin - line->first, line->step)};
    const int64_t stop = end <= line->first ? 0 : conv_up(end - line->first, line->step);
    run.count = stop > run.first ? stop - run.first : 0;
    return run;
}

static void list_taps(const struct direct_item *item, const struct conv_line l[],
                      const struct phase_run run[], int32_t *offset)
{
    int64_t at[K_CONV_AXES];
    for (int axis = 0; axis < K_CONV_AXES; axis++)
        at[axis] = run[axis].first * l[axis].from_step + l[axis].offset;
    const struct conv_span *s = item->band.span;
    const int64_t along = at[2] - s[2].first, step = s[2].step;
    for (int64_t d = 0; d < l[0].taps; d++)
        for (int64_t h = 0; h < l[1].taps; h++) {
            const int64_t row = band_at(&item->band, at[0] + d * l[0].offset_step,
                                        at[1] + h * l[1].offset_step, s[2].first);
            for (int64_t x = 0; x < l[2].taps; x++) {
                const int64_t place = along + x * l[2].offset_step;
                *offset++ =
                    (int32_t)(row +
                              (step == 1 ? place : place % step * item->band.pitch + place / step));
            }
        }
}

#endif
