/* SPDX-License-Identifier: Apache-2.0 */
/* One side of a convolution from the other where a group has few result channels (depthwise, small
 * groups, a first layer's gradient): a product of matrices would spend its time on packing what it
 * uses once or twice.
 *
 * An item is a band of result rows of one group. The operand's band is copied once, as floats with
 * zeros around (conv_band.h); then blocks of results are runs of multiply-adds over channels and
 * taps (conv_rows.h), whose rows go from an image in L1 to the tensor. Towards the large side the
 * positions are split into phases, each with its own taps (conv_plan.h); two phases of a row are
 * joined on their way. The sum has one chain over channels and taps, so its bits do not depend on
 * the level's vectors.
 *
 * A slice needs some 430 KiB of stack, along channels 130. */
#ifndef K_ISA_base
#include <stdint.h>

#include "kernels/conv/conv_along.h"
#include "kernels/conv/conv_put.h"
#include "kernels/conv/conv_straight_walk.h"
#include "kernels/conv/direct_item.h"

/* ---- rows to the tensor ---- */

/* The next row of those that follow each other in memory, by non-temporal stores. */
static void stream_row(enum k_dtype dtype, const float *row, int64_t count,
                       struct direct_buffers *own)
{
    const char *bytes = (const char *)row;
    if (dtype != K_F32) {
        char *rounded = (char *)(own->image[1] + CONV_LANES);
        put_row(dtype, row, NULL, count, rounded, 1);
        bytes = rounded;
    }
    vectors_append(&own->outlet.vectors, bytes, count * pack_size(dtype));
}

/* ---- an item ---- */

/* Up to JOINED phases that differ along rows only. */
struct direct_part {
    int phases;
    struct conv_line line[JOINED][K_CONV_AXES];
    struct phase_run run[JOINED][K_CONV_AXES];
    struct rows_form form[JOINED];
    const float *band;
};

static void begin_form(const struct direct_item *item, struct direct_part *part, int phase,
                       const float **weight, struct direct_buffers *own)
{
    const struct k_conv *conv = item->conv;
    const struct conv_line *l = part->line[phase];
    struct rows_form *form = &part->form[phase];
    *form = (struct rows_form){
        .channels = conv_depth_channels(conv),
        .channel = item->band.channel,
        .depth = l[0].taps,
        .height = l[1].taps,
        .width = l[2].taps,
        .taps = l[0].taps * l[1].taps * l[2].taps,
        .offset = own->offset[phase],
        .weight = *weight,
        .rows = conv_rows(conv),
        .line = l[1].from_step * item->band.row,
        .count = part->run[phase][2].count,
        .has_bias = conv->has_bias,
        .image = own->image[phase] + CONV_LANES,
        .pitch = conv_up(part->run[phase][2].count, CONV_LANES) * CONV_LANES,
    };
    const int64_t step = l[1].offset_step < 0 ? -l[1].offset_step : l[1].offset_step;
    form->is_shared = l[1].taps > 1 && step == l[1].from_step;
    form->is_upwards = form->is_shared && l[1].offset_step < 0;
    *weight += form->channels * form->taps * form->rows;
    if (!item->all->is_straight) list_taps(item, l, part->run[phase], own->offset[phase]);
}

/* A share of the next item's bytes for each of `lines` lines. */
static void prefetch_line(const struct direct_item *item, int64_t line, int64_t lines)
{
    if (item->ahead.channels == 0) return;
    const int64_t share = conv_up(band_ahead_lines(&item->ahead), lines);
    band_ahead_prefetch(&item->ahead, line * share, share);
}

#if defined(K_ISA_avx512)
static struct straight_planes planes_of(const struct direct_item *item)
{
    const struct k_conv_tensor *from = tensor_from(item->conv);
    const int64_t size = pack_size(from->dtype);
    return (struct straight_planes){item->from, from->axis[1] * size, from->inner * size};
}
#endif

/* A line of phase k for `rows` result channels from `first` on. */
static void sum_line(const struct direct_part *part, int k, int rows, int64_t line, int64_t first,
                     const struct direct_buffers *own)
{
    const struct rows_form *form = &part->form[k];
    rows_channels(rows, form, own->band + line * form->line, first);
}

/* ROWS_LINES lines of the only result channel. */
static void sum_below(const struct direct_item *item, const struct direct_part *part, int k,
                      int64_t line, const struct direct_buffers *own)
{
    const struct rows_form *form = &part->form[k];
#if defined(K_ISA_avx512)
    if (item->all->is_straight) {
        const struct straight_planes planes = planes_of(item);
        straight_below(tensor_from(item->conv)->dtype, &item->all->straight, form, &planes,
                       part->run[k][1].first + line);
        return;
    }
#endif
    (void)item;
    rows_below(form, own->band + line * form->line);
}

/* The lines of one result channel. */
static void run_below(const struct direct_item *item, const struct direct_part *part, char *to,
                      int64_t to_line, struct direct_buffers *own)
{
    const struct k_conv_tensor *tensor = tensor_to(item->conv);
    const struct rows_form *form = part->form;
    const bool joined = part->phases == JOINED;
    const int64_t lines = part->run[0][1].count;
    const int64_t step = part->line[0][2].step * tensor->axis[2];
    const int64_t count = form[0].count + (joined ? form[1].count : 0);
    for (int64_t line = 0; line < lines;) {
        /* The last lines are computed again where four no longer fit. */
        const bool is_block = lines >= ROWS_LINES;
        const int64_t start = is_block && lines - line < ROWS_LINES ? lines - ROWS_LINES : line;
        const int64_t end = is_block ? start + ROWS_LINES : line + 1;
        for (int k = 0; k < part->phases; k++) {
            if (is_block)
                sum_below(item, part, k, start, own);
            else
                sum_line(part, k, 1, start, 0, own);
        }
        for (; line < end; line++) {
            const int64_t row = (line - start) * form[0].pitch;
            if (item->all->stream)
                stream_row(tensor->dtype, form[0].image + row, count, own);
            else
                put_row(tensor->dtype, form[0].image + row,
                        joined ? form[1].image + (line - start) * form[1].pitch : NULL, count,
                        to + line * to_line, step);
            prefetch_line(item, line, lines);
        }
    }
}

#if defined(K_ISA_avx512)
/* The same, walked: by non-temporal stores by way of an image that has no gaps. */
static void run_walk(const struct direct_item *item, const struct direct_part *part, char *to,
                     int64_t to_line, struct direct_buffers *own)
{
    const enum k_dtype dtype = tensor_to(item->conv)->dtype;
    const struct straight_planes planes = planes_of(item);
    const struct rows_form *form = part->form;
    const int64_t lines = part->run[0][1].count, bytes = form->count * pack_size(dtype);
    const int64_t room = (int64_t)(sizeof own->image - 4 * LINE_BYTES) / bytes;
    const int64_t blocks = conv_up(lines, room < WALK_LINES ? room : WALK_LINES);
    for (int64_t block = 0, line = 0, next; block < blocks; block++, line = next) {
        next = lines * (block + 1) / blocks;
        const int64_t first = part->run[0][1].first + line;
        if (!item->all->stream) {
            straight_walk(dtype, &item->all->straight, form, &planes, first, next - line, false,
                          to + line * to_line, to_line);
            continue;
        }
        char *image = (char *)(own->image[0] + CONV_LANES) + own->outlet.vectors.filled;
        straight_walk(dtype, &item->all->straight, form, &planes, first, next - line, true, image,
                      bytes);
        vectors_append(&own->outlet.vectors, image, (next - line) * bytes);
    }
}
#endif

/* The lines of several. */
static void run_channels(const struct direct_item *item, struct direct_part *part, char *to,
                         int64_t to_line, struct direct_buffers *own)
{
    const struct k_conv *conv = item->conv;
    const struct k_conv_tensor *tensor = tensor_to(conv);
    struct rows_form *form = part->form;
    const bool joined = part->phases == JOINED;
    const int64_t lines = part->run[0][1].count, rows = conv_rows(conv);
    const int64_t channel = tensor->inner * pack_size(tensor->dtype);
    const int64_t step = part->line[0][2].step * tensor->axis[2];
    const int64_t count = form[0].count + (joined ? form[1].count : 0);
    for (int64_t first = 0; first < rows; first += ROWS_CHANNELS) {
        const int some = (int)(rows - first < ROWS_CHANNELS ? rows - first : ROWS_CHANNELS);
        for (int k = 0; k < part->phases; k++)
            for (int r = 0; conv->has_bias && r < some; r++)
                form[k].bias[r] = load_bias(conv, item->all->bias, item->group * rows + first + r);
        for (int64_t line = 0; line < lines; line++) {
            for (int k = 0; k < part->phases; k++)
                sum_line(part, k, some, line, first, own);
            for (int r = 0; r < some; r++)
                put_row(tensor->dtype, form[0].image + r * form[0].pitch,
                        joined ? form[1].image + r * form[1].pitch : NULL, count,
                        to + (first + r) * channel + line * to_line, step);
            if (first == 0) prefetch_line(item, line, lines);
        }
    }
}

/* Phases w and, where `phases` is 2, the next one. */
static void run_part(const struct direct_item *item, struct direct_part *part, const float **weight,
                     struct direct_buffers *own)
{
    const struct k_conv *conv = item->conv;
    const struct k_conv_tensor *tensor = tensor_to(conv);
    const int64_t size = pack_size(tensor->dtype);
    for (int k = 0; k < part->phases; k++)
        begin_form(item, part, k, weight, own);
    const struct conv_line *l = part->line[0];
    const struct phase_run *run = part->run[0];
    if (run[0].count == 0 || run[1].count == 0 || run[2].count == 0) return;
    int64_t element = 0;
    for (int axis = 0; axis < K_CONV_AXES; axis++)
        element += (l[axis].first + run[axis].first * l[axis].step) * tensor->axis[axis];
    char *to = item->to + size * element;
    const int64_t to_line = size * l[1].step * tensor->axis[1];
    if (item->all->stream) outlet_begin(&own->outlet, to, size * run[1].count * run[2].count, true);
    if (conv_rows(conv) == 1) {
        if (conv->has_bias)
            for (int k = 0; k < part->phases; k++)
                part->form[k].bias[0] = load_bias(conv, item->all->bias, item->group);
#if defined(K_ISA_avx512)
        if (item->all->walks) {
            run_walk(item, part, to, to_line, own);
            if (item->all->stream) outlet_end(&own->outlet);
            return;
        }
#endif
        run_below(item, part, to, to_line, own);
    } else {
        run_channels(item, part, to, to_line, own);
    }
    if (item->all->stream) outlet_end(&own->outlet);
}

/* Two phases of a row of elements beside each other. */
static bool can_join(const struct direct_item *item)
{
    const struct k_conv *conv = item->conv;
    const struct k_conv_tensor *tensor = tensor_to(conv);
    return conv_phases(conv, 2) == JOINED && tensor->axis[2] == 1 &&
           item->end[2] - item->begin[2] >= JOINED;
}

static void run_item(struct direct_item *item, struct direct_buffers *own)
{
    const struct k_conv *conv = item->conv;
    const struct k_conv_tensor *tensor = tensor_from(conv);
    struct conv_span span[K_CONV_AXES];
    int64_t extent[K_CONV_AXES];
    for (int axis = 0; axis < K_CONV_AXES; axis++) {
        const struct k_conv_axis *a = &conv->axis[axis];
        span[axis] = conv_span_of(a, conv->to_large, item->begin[axis], item->end[axis]);
        extent[axis] = conv->to_large ? a->small : a->large;
    }
    item->band = band_of(span);
    if (!item->all->is_straight)
        band_pack(&item->band, tensor, extent, item->from, conv_depth_channels(conv),
                  conv->rounding, own->band);
    if (own->held != item->group) pack_weights(item, own->weight);
    own->held = item->group;
    const int64_t together = can_join(item) ? JOINED : 1;
    const float *weight = own->weight;
    for (int64_t d = 0; d < conv_phases(conv, 0); d++)
        for (int64_t h = 0; h < conv_phases(conv, 1); h++)
            for (int64_t w = 0; w < conv_phases(conv, 2); w += together) {
                struct direct_part part;
                part.phases = (int)together;
                for (int k = 0; k < part.phases; k++) {
                    const struct conv_line l[] = {line_of(item, 0, d), line_of(item, 1, h),
                                                  line_of(item, 2, w + k)};
                    for (int axis = 0; axis < K_CONV_AXES; axis++) {
                        part.line[k][axis] = l[axis];
                        part.run[k][axis] = run_of(&l[axis], item->begin[axis], item->end[axis]);
                    }
                }
                run_part(item, &part, &weight, own);
            }
}

/* ---- items ---- */

static void place_item(struct direct_item *item, const struct conv_direct_plan *plan, int64_t i,
                       void *const buffers[])
{
    const struct k_conv *conv = item->conv;
    const struct k_conv_tensor *from = tensor_from(conv);
    const struct k_conv_tensor *to = tensor_to(conv);
    item->begin[2] = i % plan->column_blocks * plan->columns;
    i /= plan->column_blocks;
    item->begin[1] = i % plan->row_blocks * plan->rows;
    i /= plan->row_blocks;
    item->begin[0] = i % plan->size[0];
    i /= plan->size[0];
    item->group = i % conv->groups;
    const int64_t batch = i / conv->groups, width[] = {1, plan->rows, plan->columns};
    for (int axis = 0; axis < K_CONV_AXES; axis++) {
        item->end[axis] = item->begin[axis] + width[axis];
        if (item->end[axis] > plan->size[axis]) item->end[axis] = plan->size[axis];
    }
    item->weight =
        (const char *)buffers[K_CONV_DIRECT_WEIGHT] +
        item->group * conv->small_channels * conv->weight.outer * pack_size(conv->weight.dtype);
    item->from = (const char *)buffers[K_CONV_DIRECT_FROM] +
                 (batch * from->outer + item->group * conv_depth_channels(conv) * from->inner) *
                     pack_size(from->dtype);
    item->to =
        (char *)buffers[K_CONV_DIRECT_TO] +
        (batch * to->outer + item->group * conv_rows(conv) * to->inner) * pack_size(to->dtype);
}

/* The next item's bytes, to be prefetched while this one is in work. */
static struct band_ahead look_ahead(const struct direct_item *next)
{
    const struct k_conv *conv = next->conv;
    const struct k_conv_axis *a = &conv->axis[1];
    const struct conv_span span = conv_span_of(a, conv->to_large, next->begin[1], next->end[1]);
    return band_ahead_of(tensor_from(conv), conv_depth_channels(conv), next->from,
                         conv->to_large ? a->small : a->large, span.first, span.first + span.count);
}

static bool can_stream(const struct k_conv *conv, const struct conv_direct_plan *plan)
{
    const struct k_conv_tensor *to = tensor_to(conv);
    bool is_one = conv_rows(conv) == 1 && plan->column_blocks == 1;
    for (int axis = 0; axis < K_CONV_AXES; axis++)
        is_one = is_one && conv_phases(conv, axis) == 1;
    return conv->stream_output && is_one && to->axis[2] == 1 && to->axis[1] == plan->size[2];
}

/* Whether items need no band. Several channels do: each row is read for several lines, and their
 * planes are far from each other. */
static bool begin_straight(struct direct_all *all, const struct conv_direct_plan *plan)
{
#if defined(K_ISA_avx512)
    const struct k_conv *conv = all->conv;
    const struct conv_line l[] = {all->known[0][0], all->known[1][0], all->known[2][0]};
    for (int axis = 0; axis < K_CONV_AXES; axis++)
        if (conv_phases(conv, axis) > 1) return false;
    const int64_t last = plan->size[1] % plan->rows; /* lines of the last band */
    const struct k_conv_tensor *from = tensor_from(conv), *to = tensor_to(conv);
    memset(all->zeros, 0, sizeof all->zeros);
    if (plan->column_blocks > 1 || plan->rows < ROWS_LINES || (last > 0 && last < ROWS_LINES) ||
        conv_rows(conv) > 1 || conv_depth_channels(conv) > CONV_LANES || from->axis[2] != 1 ||
        conv->rounding != K_ROUND_NONE || !straight_begin(&all->straight, l, all->zeros))
        return false;
    all->walks = conv_depth_channels(conv) == 1 && to->axis[2] == 1 && to->dtype == from->dtype &&
                 straight_walks(&all->straight, l, to->dtype);
    return straight_is_shared(&all->straight, l[2].taps);
#else
    (void)all, (void)plan;
    return false;
#endif
}

static __attribute__((noinline)) void run_bands(const struct k_conv *conv, void *const buffers[],
                                                struct k_slice slice)
{
    const struct conv_direct_plan plan =
        conv_direct_plan(conv, conv->to_large, conv_depth_channels(conv));
    struct direct_all all = {.conv = conv,
                             .bias = conv->has_bias ? buffers[K_CONV_DIRECT_BIAS] : NULL,
                             .stream = can_stream(conv, &plan)};
    struct direct_item item, next = {.all = &all, .conv = conv};
    struct direct_buffers own;
    own.held = -1;
    for (int axis = 0; axis < K_CONV_AXES; axis++)
        for (int64_t phase = 0; phase < KNOWN && phase < conv_phases(conv, axis); phase++)
            all.known[axis][phase] = conv_line_of(conv, axis, phase);
    all.is_straight = begin_straight(&all, &plan);
    place_item(&next, &plan, slice.begin, buffers);
    for (int64_t i = slice.begin; i < slice.end; i++) {
        item = next;
        item.ahead.channels = 0;
        if (i + 1 < slice.end) {
            place_item(&next, &plan, i + 1, buffers);
            /* Single channels straight from the tensor prefetch their own. */
            if (!all.is_straight || conv_depth_channels(conv) > 1) item.ahead = look_ahead(&next);
        }
        if (item.begin[1] < item.end[1] && item.begin[2] < item.end[2]) run_item(&item, &own);
    }
    if (all.stream) k_stream_end();
}

k_fn K_SYMBOL(conv_direct);

/* Items are (batch, group, depth, row block, column block), the last fastest; along channels see
 * conv_plan.h. */
void K_SYMBOL(conv_direct)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_conv *conv = parameters;
    if (conv_is_along(conv))
        along_run(conv, buffers, slice);
    else
        run_bands(conv, buffers, slice);
}
#endif
