/* SPDX-License-Identifier: Apache-2.0 */
/* An item of conv_outer: where its operand and its results lie, and which taps each of its
 * positions has. */
#ifndef ACLNN_CPU_KERNELS_CONV_OUTER_ITEM_H
#define ACLNN_CPU_KERNELS_CONV_OUTER_ITEM_H

#include "kernels/conv/conv_outer_plan.h"
#include "kernels/conv/outer.h"
#include "kernels/conv/window_pack.h"

enum {
    OUTER_CLASSES = OUTER_RESULTS,
    OUTER_PITCH = OUTER_STAGE + CONV_LANES, /* floats of a row of the stage */
};

/* A box of results, of some images and some panels of channels, and the operand that it needs. */
struct outer_item {
    const struct k_conv *conv;
    const struct conv_outer *plan;
    const char *operand, *bias; /* of the group */
    const float *packed;
    char *result;
    int64_t group, panel, panels; /* of the packed weight, in the group */
    int64_t rows;                 /* result channels in those panels */
    int64_t image, images;
    int64_t begin[K_CONV_AXES], extent[K_CONV_AXES]; /* of the result */
    int64_t low[K_CONV_AXES], band[K_CONV_AXES];     /* of the operand: first position, positions */
    int64_t slots;                                   /* result positions */
};

/* Positions with the same phase and the same taps inside. Taps are counted in the order of the
 * operand's positions. */
struct outer_class {
    int32_t low[K_CONV_AXES], high[K_CONV_AXES], taps[K_CONV_AXES], step[K_CONV_AXES];
    int64_t before;       /* floats of the packed weight, of the phases before its own */
    int16_t first, count; /* in the lists */
};

/* An item's result positions, class by class: of each one, where its first tap lies, in positions
 * of the band, and its place among the sums. */
struct outer_list {
    int classes, positions;
    int64_t blocks; /* products of a panel and a band */
    int64_t taps;   /* of all of them */
    struct outer_class class[OUTER_CLASSES];
    int32_t place[OUTER_RESULTS];
    int16_t slot[OUTER_RESULTS];
};

struct outer_buffers {
    _Alignas(64) float band[OUTER_BAND + CONV_LANES * OUTER_CHANNELS]; /* [position][channel] */
    _Alignas(64) float sums[OUTER_SUMS + CONV_LANES * OUTER_PANEL];    /* [panel][slot][channel] */
    _Alignas(64) float stage[CONV_LANES * OUTER_PITCH];
    _Alignas(64) float row[OUTER_PITCH];
    struct outer_run run[OUTER_TAPS];
    struct outer_list list;
};

/* ---- taps and classes ---- */

/* A phase's taps in the order of the positions that they read: tap i of position j reads
 * j * from_step + offset + i * step. */
struct taps {
    struct conv_line line;
    int64_t offset, step;
};

static struct taps taps_of(const struct k_conv *conv, int axis, int64_t phase)
{
    struct taps t = {.line = conv_line_of(conv, axis, phase)};
    const bool is_reversed = t.line.offset_step < 0;
    t.step = is_reversed ? -t.line.offset_step : t.line.offset_step;
    t.offset = t.line.offset + (is_reversed ? (t.line.taps - 1) * t.line.offset_step : 0);
    return t;
}

/* `count` positions of a phase, all with taps [low, high): the place of the first one in the band
 * and among the results, and the steps from one to the next. */
struct interval {
    struct taps taps;
    int64_t low, high, count;
    int64_t place, place_step, slot, slot_step;
};

/* How the item's positions along an axis are cut; at most as many as positions. */
static int cut_axis(const struct outer_item *item, int axis, struct interval to[])
{
    const struct k_conv *conv = item->conv;
    const int64_t phases = conv->to_large ? conv->axis[axis].stride : 1;
    const int64_t begin = item->begin[axis], end = begin + item->extent[axis];
    int count = 0;
    for (int64_t phase = 0; phase < phases && begin + phase < end; phase++) {
        const struct taps t = taps_of(conv, axis, phase);
        const struct conv_line *l = &t.line;
        const int64_t step = t.step > 0 ? t.step : 1, stop = conv_up(end - phase, l->step);
        struct interval *last = NULL;
        for (int64_t j = conv_up(begin, l->step); j < stop; j++) {
            const int64_t at = j * l->from_step + t.offset;
            int64_t low = at < 0 ? conv_up(-at, step) : 0;
            int64_t high = conv_floor(l->from - 1 - at, step) + 1;
            if (high > l->taps) high = l->taps;
            if (high <= low) low = high = 0;
            if (last && last->low == low && last->high == high) {
                last->count++;
                continue;
            }
            last = &to[count++];
            *last = (struct interval){.taps = t,
                                      .low = low,
                                      .high = high,
                                      .count = 1,
                                      .place = at - item->low[axis],
                                      .place_step = l->from_step,
                                      .slot = l->first + j * l->step - begin,
                                      .slot_step = l->step};
        }
    }
    return count;
}

/* Floats of the packed weight before a phase's. */
static int64_t weight_before(const struct k_conv *conv, const struct interval *const cut[])
{
    const struct conv_line *d = &cut[0]->taps.line, *h = &cut[1]->taps.line;
    const struct conv_line *w = &cut[2]->taps.line;
    const int64_t kernel_w = conv->axis[2].kernel, kernel_hw = conv->axis[1].kernel * kernel_w;
    const int64_t taps =
        d->tap_prefix * kernel_hw + d->taps * (h->tap_prefix * kernel_w + h->taps * w->tap_prefix);
    return conv_outer_padded(conv_rows(conv)) * conv_depth_channels(conv) * taps;
}

/* The positions of a box of intervals, in all images. */
static void list_class(struct outer_list *list, const struct outer_item *item,
                       const struct interval *const cut[])
{
    struct outer_class *class = &list->class[list->classes++];
    *class = (struct outer_class){.first = (int16_t)list->positions,
                                  .before = weight_before(item->conv, cut)};
    for (int axis = 0; axis < K_CONV_AXES; axis++) {
        class->low[axis] = (int32_t)cut[axis]->low;
        class->high[axis] = (int32_t)cut[axis]->high;
        class->taps[axis] = (int32_t)cut[axis]->taps.line.taps;
        class->step[axis] = (int32_t)cut[axis]->taps.step;
    }
    const int64_t *band = item->band, *extent = item->extent;
    for (int64_t n = 0; n < item->images; n++)
        for (int64_t d = 0; d < cut[0]->count; d++)
            for (int64_t h = 0; h < cut[1]->count; h++) {
                int64_t place = n * band[0] + cut[0]->place + d * cut[0]->place_step;
                int64_t slot = n * extent[0] + cut[0]->slot + d * cut[0]->slot_step;
                place = place * band[1] + cut[1]->place + h * cut[1]->place_step;
                slot = slot * extent[1] + cut[1]->slot + h * cut[1]->slot_step;
                place = place * band[2] + cut[2]->place;
                slot = slot * extent[2] + cut[2]->slot;
                for (int64_t w = 0; w < cut[2]->count; w++) {
                    list->place[list->positions] = (int32_t)place;
                    list->slot[list->positions++] = (int16_t)slot;
                    place += cut[2]->place_step;
                    slot += cut[2]->slot_step;
                }
            }
    class->count = (int16_t)(list->positions - class->first);
    const int64_t blocks =
        conv_up(class->count, OUTER_COLUMNS) * (OUTER_PANEL / VL / OUTER_VECTORS);
    int64_t taps = 1;
    for (int axis = 0; axis < K_CONV_AXES; axis++)
        taps *= class->high[axis] - class->low[axis];
    list->blocks += blocks;
    list->taps += blocks * taps;
}

static __attribute__((unused)) void outer_list(struct outer_list *list,
                                               const struct outer_item *item)
{
    /* Along an axis there are at most as many intervals as positions; their product is limited. */
    struct interval cut[OUTER_RESULTS + K_CONV_AXES], *of_axis[K_CONV_AXES];
    int count[K_CONV_AXES], all = 0;
    for (int axis = 0; axis < K_CONV_AXES; axis++) {
        of_axis[axis] = cut + all;
        all += count[axis] = cut_axis(item, axis, of_axis[axis]);
    }
    list->classes = list->positions = 0;
    list->blocks = list->taps = 0;
    for (int d = 0; d < count[0]; d++)
        for (int h = 0; h < count[1]; h++)
            for (int w = 0; w < count[2]; w++) {
                const struct interval *const box[] = {&of_axis[0][d], &of_axis[1][h],
                                                      &of_axis[2][w]};
                list_class(list, item, box);
            }
}

/* ---- places ---- */

static inline const char *operand_at(const struct outer_item *item, int64_t image, int64_t channel)
{
    const struct k_conv_tensor *t = item->conv->to_large ? &item->conv->small : &item->conv->large;
    int64_t element = (item->image + image) * t->outer + channel * t->inner;
    for (int axis = 0; axis < K_CONV_AXES; axis++)
        element += item->low[axis] * t->axis[axis];
    return v_address(item->operand, pack_size(t->dtype) * element);
}

static inline char *result_at(const struct outer_item *item, int64_t image, int64_t panel)
{
    const struct k_conv_tensor *t = item->conv->to_large ? &item->conv->large : &item->conv->small;
    int64_t element =
        (item->image + image) * t->outer + (item->panel + panel) * OUTER_PANEL * t->inner;
    for (int axis = 0; axis < K_CONV_AXES; axis++)
        element += item->begin[axis] * t->axis[axis];
    return item->result + pack_size(t->dtype) * element;
}

#endif
