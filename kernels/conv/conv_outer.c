/* SPDX-License-Identifier: Apache-2.0 */
/* One side of a convolution from the other, of many channels, as a sum of outer products: single
 * elements of the operand times vectors of result channels, which lie side by side in the packed
 * weight.
 *
 * An item's operand is copied for some channels at a time into a band that holds each position's
 * channels side by side, so a term after the other of a sum is one float further in the band and
 * one row further in the weight. A tap is an offset in the band: no matrix of windows exists. Taps
 * that meet padding are left out: positions that have the same taps form a class, and six of a
 * class are computed at once. Results lie in the item's own sums, channels side by side, until all
 * terms are in, and are transposed when they are stored.
 *
 * Towards the large side an item covers all phases of its positions (conv_plan.h).
 *
 * An item needs some 650 KiB of stack. */
#include <stdint.h>

#include "kernels/conv/outer_band.h"
#include "kernels/conv/outer_store.h"
#include "kernels/conv/sweep_box.h"

/* ---- what comes next ---- */

/* Prefetched while products are computed: the next band's operand and the places of results that
 * are complete soon; and within them the next panel's weight, which is most of it: so many lines at
 * a time would make products wait. */
struct ahead {
    struct sweep operand, result;
    const char *weight;
    int64_t weight_step;           /* bytes, with each term */
    const struct outer_item *next; /* or NULL */
    int64_t blocks, taps;          /* products of a panel and a band, and the taps of all of them */
};

/* The operand of the band after that of channels below `channel`. */
static void prefetch_operand(struct ahead *ahead, const struct outer_item *item, int64_t channel)
{
    const struct k_conv *conv = item->conv;
    const struct k_conv_tensor *t = conv->to_large ? &conv->small : &conv->large;
    const struct outer_item *of = item;
    if (channel == conv_depth_channels(conv)) {
        of = ahead->next;
        channel = 0;
    }
    ahead->operand.regions = 0;
    if (!of) return;
    int64_t channels = conv_depth_channels(conv) - channel;
    if (channels > of->plan->channels) channels = of->plan->channels;
    ahead->operand = sweep_box(t, operand_at(of, 0, channel), of->images, channels, of->band);
    sweep_share(&ahead->operand, ahead->blocks * item->panels);
}

static void prefetch_result(struct ahead *ahead, const struct outer_item *item, int64_t panel)
{
    const struct k_conv *conv = item->conv;
    const int64_t left = item->rows - panel * OUTER_PANEL;
    ahead->result =
        sweep_box(conv->to_large ? &conv->large : &conv->small, result_at(item, 0, panel),
                  item->images, left < OUTER_PANEL ? left : OUTER_PANEL, item->extent);
    ahead->result.is_written = true;
    sweep_share(&ahead->result, ahead->blocks);
}

/* ---- products ---- */

/* The terms of a class, `pitch` for each tap. */
static int list_runs(const struct outer_item *item, const struct outer_class *class, int64_t pitch,
                     struct outer_run *run)
{
    const int64_t height = item->band[1], width = item->band[2];
    const int64_t in_a_row = class->high[2] - class->low[2];
    if (in_a_row <= 0) return 0;
    const bool is_dense = class->step[2] == 1 || in_a_row == 1;
    int runs = 0;
    for (int64_t d = class->low[0]; d < class->high[0]; d++)
        for (int64_t h = class->low[1]; h < class->high[1]; h++)
            for (int64_t w = class->low[2]; w < class->high[2]; w++) {
                const int64_t row = (d * class->taps[1] + h) * class->taps[2] + w;
                const int64_t from =
                    (d * class->step[0] * height + h * class->step[1]) * width + w * class->step[2];
                run[runs++] = (struct outer_run){
                    .from = (int32_t)(from * pitch),
                    .row = (int32_t)(row * pitch),
                    .count = (int32_t)(is_dense ? in_a_row * pitch : pitch),
                };
                if (is_dense) break;
            }
    return runs;
}

/* All positions of a class, as evenly as may be, times the vectors of a panel. */
static void multiply_class(bool pairs, const struct outer_list *list,
                           const struct outer_class *class, struct outer_block *block,
                           int64_t pitch, int64_t width, float *sums, const float *band,
                           struct ahead *ahead)
{
    const int64_t blocks = conv_up(class->count, OUTER_COLUMNS);
    const float *rows = block->rows;
    for (int64_t v = 0, at_once; v < width / VL; v += at_once) {
        at_once = outer_at_once(width / VL - v);
        block->rows = rows + v * VL;
        for (int64_t i = 0; i < blocks; i++) {
            const int64_t first = class->count * i / blocks;
            sweep_on(&ahead->operand);
            sweep_on(&ahead->result);
            const int columns = (int)(class->count * (i + 1) / blocks - first);
            for (int c = 0; c < columns; c++) {
                const int64_t at = class->first + first + c;
                block->place[c] = list->place[at] * pitch;
                block->sums[c] = sums + list->slot[at] * OUTER_PANEL + v * VL;
            }
            block->ahead = ahead->weight;
            block->ahead_step = ahead->weight_step;
            for (int r = 0; r < block->runs; r++)
                ahead->weight += ahead->weight_step * block->run[r].count;
#if defined(K_PAIRS)
            if (pairs) {
                outer_multiply_pairs(columns, (int)at_once, band, block);
                continue;
            }
#endif
            (void)pairs;
            outer_multiply(columns, (int)at_once, band, block);
        }
    }
}

/* Floats from the packed weight's beginning to a panel's rows for some channels. */
static int64_t weight_at(const struct outer_item *item, int64_t panel, int64_t channel,
                         int64_t taps, int64_t *width)
{
    const int64_t left = item->rows - panel * OUTER_PANEL;
    *width = conv_outer_padded(left < OUTER_PANEL ? left : OUTER_PANEL);
    const int64_t all = conv_depth_channels(item->conv);
    return ((item->panel + panel) * OUTER_PANEL * all + channel * *width) * taps;
}

/* The rows of the panel after this one, where all phases have one class of taps. */
static void prefetch_weight(struct ahead *ahead, const struct outer_item *item, int64_t panel,
                            int64_t channel)
{
    const struct k_conv *conv = item->conv;
    const int64_t all = conv_depth_channels(conv), at_once = item->plan->channels;
    const struct outer_item *of = item;
    ahead->weight = (const char *)item->packed;
    ahead->weight_step = 0;
    for (int axis = 0; axis < K_CONV_AXES; axis++)
        if (conv_tap_classes(conv, axis) > 1) return;
    if (++panel == item->panels) {
        panel = 0;
        channel += at_once;
    }
    if (channel >= all) {
        of = ahead->next;
        channel = 0;
    }
    if (!of) return;
    int64_t width;
    const int64_t at = weight_at(of, panel, channel, conv_taps(conv), &width);
    const int64_t channels = all - channel < at_once ? all - channel : at_once;
    const int64_t rows = conv->pairs ? conv_up(channels, 2) : channels;
    const int64_t bytes = (int64_t)sizeof(float) * rows * conv_taps(conv) * width;
    const int64_t terms = rows * ahead->taps;
    ahead->weight = (const char *)(of->packed + at);
    if (terms > 0) ahead->weight_step = conv_up(bytes, terms);
}

static void add_channels(const struct outer_item *item, int64_t channel, int64_t channels,
                         struct outer_buffers *own, struct ahead *ahead)
{
    const int64_t pitch = item->conv->pairs ? conv_up(channels, 2) : channels;
    for (int64_t panel = 0; panel < item->panels; panel++) {
        prefetch_weight(ahead, item, panel, channel);
        if (channel + channels == conv_depth_channels(item->conv))
            prefetch_result(ahead, item, panel);
        for (int i = 0; i < own->list.classes; i++) {
            const struct outer_class *class = &own->list.class[i];
            const int64_t taps = (int64_t) class->taps[0] * class->taps[1] * class->taps[2];
            int64_t width;
            const int64_t at = weight_at(item, panel, channel, taps, &width);
            struct outer_block block = {.run = own->run,
                                        .runs = list_runs(item, class, pitch, own->run),
                                        .add = channel > 0,
                                        .rows = item->packed + class->before + at,
                                        .width = width};
            multiply_class(item->conv->pairs, &own->list, class, &block, pitch, width,
                           own->sums + panel * item->slots * OUTER_PANEL, own->band, ahead);
        }
    }
}

/* ---- an item ---- */

static void run_item(struct outer_item *item, const struct outer_item *next,
                     struct outer_buffers *own)
{
    const int64_t all = conv_depth_channels(item->conv);
    struct ahead ahead = {.next = next};
    outer_list(&own->list, item);
    ahead.blocks = own->list.blocks;
    ahead.taps = own->list.taps;
    for (int64_t channel = 0; channel < all; channel += item->plan->channels) {
        int64_t channels = all - channel;
        if (channels > item->plan->channels) channels = item->plan->channels;
        outer_pack(item, channel, channels, own);
        prefetch_operand(&ahead, item, channel + channels);
        add_channels(item, channel, channels, own, &ahead);
    }
    for (int64_t panel = 0; panel < item->panels; panel++)
        outer_store(item, panel, own);
}

static void find_item(struct outer_item *item, int64_t index, void *const buffers[])
{
    const struct k_conv *conv = item->conv;
    const struct conv_outer *plan = item->plan;
    const int64_t of_rows = plan->items / plan->row_blocks;
    item->panel = index / of_rows * plan->block_panels;
    index %= of_rows;
    item->group = index % conv->groups;
    index /= conv->groups;
    item->panels = plan->panels - item->panel;
    if (item->panels > plan->block_panels) item->panels = plan->block_panels;
    item->rows = conv_rows(conv) - item->panel * OUTER_PANEL;
    if (item->rows > item->panels * OUTER_PANEL) item->rows = item->panels * OUTER_PANEL;
    for (int axis = K_CONV_AXES - 1; axis >= 0; axis--) {
        const struct k_conv_axis *a = &conv->axis[axis];
        const int64_t begin = index % plan->blocks[axis] * plan->tile[axis];
        const int64_t left = plan->size[axis] - begin;
        index /= plan->blocks[axis];
        item->begin[axis] = begin;
        item->extent[axis] = left < plan->tile[axis] ? left : plan->tile[axis];
        const struct conv_span span =
            conv_span_of(a, conv->to_large, begin, begin + item->extent[axis]);
        const int64_t from = conv->to_large ? a->small : a->large;
        const int64_t low = span.first < 0 ? 0 : span.first, high = span.first + span.count;
        item->low[axis] = low;
        item->band[axis] = (high < from ? high : from) - low;
        if (item->band[axis] < 0) item->band[axis] = 0;
    }
    item->image = index * plan->images;
    item->images = conv->batch - item->image;
    if (item->images > plan->images) item->images = plan->images;
    item->slots = item->images * item->extent[0] * item->extent[1] * item->extent[2];

    const struct k_conv_tensor *from = conv->to_large ? &conv->small : &conv->large;
    const struct k_conv_tensor *to = conv->to_large ? &conv->large : &conv->small;
    const int64_t channels = conv_depth_channels(conv), rows = conv_rows(conv);
    item->operand = (const char *)buffers[K_CONV_MAP_FROM] +
                    pack_size(from->dtype) * item->group * channels * from->inner;
    item->packed = (const float *)buffers[K_CONV_MAP_PACKED] +
                   item->group * conv_outer_padded(rows) * channels * conv_taps(conv);
    item->result =
        (char *)buffers[K_CONV_MAP_TO] + pack_size(to->dtype) * item->group * rows * to->inner;
    item->bias = conv->has_bias ? buffers[K_CONV_MAP_BIAS] : NULL;
}

k_fn K_SYMBOL(conv_outer);

void K_SYMBOL(conv_outer)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_conv *conv = parameters;
    const struct conv_outer plan = conv_outer_of(conv);
    struct outer_item item[2];
    struct outer_buffers own;
    for (int i = 0; i < 2; i++) {
        item[i].conv = conv;
        item[i].plan = &plan;
    }
    if (slice.begin < slice.end) find_item(&item[0], slice.begin, buffers);
    for (int64_t i = slice.begin; i < slice.end; i++) {
        struct outer_item *this = &item[(i - slice.begin) % 2],
                          *next = &item[(i - slice.begin + 1) % 2];
        const bool has_next = i + 1 < slice.end;
        if (has_next) find_item(next, i + 1, buffers);
        run_item(this, has_next ? next : NULL, &own);
    }
}
