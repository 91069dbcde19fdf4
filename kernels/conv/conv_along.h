/* SPDX-License-Identifier: Apache-2.0 */
/* Windows of groups of one, two or four channels where the channels lie side by side: vectors of
 * channels, a row of results at a time, straight from the tensor. The sum of a result runs over the
 * channels of its group and their taps in the order of the weight; taps that meet padding are left
 * out. */
#ifndef ACLNN_CPU_KERNELS_CONV_CONV_ALONG_H
#define ACLNN_CPU_KERNELS_CONV_CONV_ALONG_H

#include "kernels/conv/conv_along_sums.h"
#include "kernels/conv/conv_put.h"
#include "kernels/conv/conv_side.h"

/* Position j of a line and those behind it that have the same taps. */
static struct along_run along_run_of(const struct conv_line *l, int64_t j)
{
    struct along_run run = {.step = l->step,
                            .tap_step = l->tap_step,
                            .from_step = l->from_step,
                            .from_tap = l->offset_step};
    for (int64_t at = j; at < l->count; at++) {
        const int64_t from = at * l->from_step + l->offset;
        int64_t low = 0, high = l->taps;
        while (low < high &&
               (from + low * l->offset_step < 0 || from + low * l->offset_step >= l->from))
            low++;
        while (high > low && (from + (high - 1) * l->offset_step < 0 ||
                              from + (high - 1) * l->offset_step >= l->from))
            high--;
        if (at == j) {
            run.first = l->first + j * l->step;
            run.tap = l->tap + low * l->tap_step;
            run.taps = high - low;
            run.from = from + low * l->offset_step;
        } else if (run.tap != l->tap + low * l->tap_step || run.taps != high - low) {
            break;
        }
        run.count++;
    }
    return run;
}

/* Positions of the operand that a result reads and the one before it does not: they are prefetched,
 * but of long steps only some. */
static int64_t along_new(const struct along_run *run)
{
    return run->from_step < ALONG_NEW ? run->from_step : ALONG_NEW;
}

/* Do the results of a run share what they read, and may they be computed several at a time? */
static int along_way(const struct along_item *item, const struct along_run *run)
{
    const int64_t tap = run->from_tap < 0 ? -run->from_tap : run->from_tap;
    if (run->count < ALONG_AT_ONCE) return ALONG_ONE;
    return item->conv->rounding == K_ROUND_NONE && run->taps == ALONG_TAPS && tap == run->from_step
               ? ALONG_SHARED
               : ALONG_SOME;
}

/* The results of a run, at `to`, `step` bytes from one to the next. The last ones are computed
 * again where ALONG_AT_ONCE no longer fit. */
static void along_put(struct along_item *item, const struct along_run *run, enum k_dtype dtype,
                      char *to, int64_t step, struct along_buffers *own)
{
    const int way = along_way(item, run);
    along_fn *const compute = along_of(item->dtype, item->group, way);
    const int64_t some = way == ALONG_ONE ? 1 : ALONG_AT_ONCE;
    const bool is_same = dtype == item->dtype, is_back = way == ALONG_SHARED && run->from_tap < 0;
    item->nexts = some * along_new(run);
    struct along_run forth = *run;
    if (is_back) forth.from_step = -forth.from_step;
    for (int64_t done = 0; done < run->count; done += some) {
        const int64_t j = done + some <= run->count ? done : run->count - some;
        const int64_t first = is_back ? j + some - 1 : j;
        item->next = v_address(item->ahead, (run->from + done * run->from_step) * item->apart);
        compute(item, &forth, run->from + first * run->from_step,
                is_same ? to + first * step : NULL, is_back ? -step : step, own);
        for (int64_t q = 0; q < some && !is_same; q++)
            put_row(dtype, own->sums[is_back ? some - 1 - q : q], NULL, item->channels,
                    to + (j + q) * step, 1);
    }
}

/* The position's taps along an axis that are inside. */
static struct along_run along_taps_at(const struct k_conv *conv, int axis, int64_t position)
{
    const int64_t phases = conv_phases(conv, axis);
    const struct conv_line line = conv_line_of(conv, axis, position % phases);
    return along_run_of(&line, position / phases);
}

/* The rows of the window of results (depth, height) that are inside. */
static void along_list_rows(struct along_item *item, const char *from, int64_t depth,
                            int64_t height, struct along_buffers *own)
{
    const struct k_conv *conv = item->conv;
    const struct k_conv_tensor *t = conv->to_large ? &conv->small : &conv->large;
    const struct along_run d = along_taps_at(conv, 0, depth), h = along_taps_at(conv, 1, height);
    const int64_t size = pack_size(t->dtype), in_row = conv->axis[2].kernel * item->pitch;
    item->rows = 0;
    item->ahead = NULL;
    for (int64_t i = 0; i < d.taps; i++)
        for (int64_t k = 0; k < h.taps; k++)
            own->row[item->rows++] = (struct along_row){
                .weight = own->weight + ((d.tap + i * d.tap_step) * conv->axis[1].kernel + h.tap +
                                         k * h.tap_step) *
                                            in_row,
                .from = v_address(from, size * ((d.from + i * d.from_tap) * t->axis[0] +
                                                (h.from + k * h.from_tap) * t->axis[1])),
            };
    for (int r = 0; r < item->rows; r++)
        if (!item->ahead || own->row[r].from > item->ahead) item->ahead = own->row[r].from;
    item->ahead = v_address(item->ahead, item->row);
    item->ahead_rows = item->rows > 0 ? along_new(&h) : 0;
}

/* A row of results: `from` is the operand's image, `to` the row. */
static void along_run_row(struct along_item *item, const char *from, int64_t depth, int64_t height,
                          char *to, struct along_buffers *own)
{
    const struct k_conv *conv = item->conv;
    const struct k_conv_tensor *t = conv->to_large ? &conv->large : &conv->small;
    const int64_t step = t->axis[2] * pack_size(t->dtype);
    along_list_rows(item, from, depth, height, own);
    for (int64_t phase = 0; phase < conv_phases(conv, 2); phase++) {
        const struct conv_line line = conv_line_of(conv, 2, phase);
        for (int64_t j = 0; j < line.count;) {
            const struct along_run run = along_run_of(&line, j);
            along_put(item, &run, t->dtype, to + run.first * step, run.step * step, own);
            j += run.count;
        }
    }
}

/* The factors and the bias of some channels, side by side. */
static void hold_block(const struct along_item *item, int64_t channel, void *const buffers[],
                       struct along_buffers *own)
{
    const struct k_conv *conv = item->conv;
    const struct k_conv_tensor *w = &conv->weight;
    const int64_t size = pack_size(w->dtype), group = item->group;
    const int64_t of_result = conv->to_large ? w->inner : w->outer;
    const int64_t of_operand = conv->to_large ? w->outer : w->inner;
    float *to = own->weight;
    for (int64_t k = 0; k < group; k++)
        for (int64_t d = 0; d < conv->axis[0].kernel; d++)
            for (int64_t h = 0; h < conv->axis[1].kernel; h++)
                for (int64_t x = 0; x < conv->axis[2].kernel; x++, to += item->pitch)
                    for (int64_t c = 0; c < item->pitch; c++) {
                        const int64_t first = (channel + c) / group * group * w->outer;
                        const int64_t at = first + c % group * of_result + k * of_operand +
                                           d * w->axis[0] + h * w->axis[1] + x * w->axis[2];
                        to[along_place(item->dtype, c)] =
                            c < item->channels
                                ? load_weight(conv,
                                              v_address(buffers[K_CONV_DIRECT_WEIGHT], size * at))
                                : 0;
                    }
    for (int64_t c = 0; conv->has_bias && c < item->pitch; c++)
        own->bias[along_place(item->dtype, c)] =
            c < item->channels ? load_bias(conv, buffers[K_CONV_DIRECT_BIAS], channel + c) : 0;
}

/* Whole lines of results, which no other item writes to? */
static bool along_streams(const struct k_conv *conv, const struct conv_along_plan *plan,
                          const char *to)
{
    const struct k_conv_tensor *t = tensor_to(conv);
    const int64_t size = pack_size(t->dtype);
    bool is_even = (uintptr_t)to % LINE_BYTES == 0 && t->outer * size % LINE_BYTES == 0;
    for (int axis = 0; axis < K_CONV_AXES; axis++)
        is_even = is_even && t->axis[axis] * size % LINE_BYTES == 0;
    return conv->stream_output && is_even && tensor_from(conv)->dtype == t->dtype &&
           plan->channels * size % LINE_BYTES == 0 && conv_channels(conv) * size % LINE_BYTES == 0;
}

static __attribute__((noinline, unused)) void along_run(const struct k_conv *conv,
                                                        void *const buffers[], struct k_slice slice)
{
    const struct conv_along_plan plan = conv_along_plan(conv);
    const struct k_conv_tensor *from = tensor_from(conv), *to = tensor_to(conv);
    const int64_t from_size = pack_size(from->dtype), to_size = pack_size(to->dtype);
    struct along_item item = {.conv = conv,
                              .dtype = from->dtype,
                              .pitch = plan.channels,
                              .row = from->axis[1] * from_size,
                              .below = to->axis[1] * to_size,
                              .group = conv->small_channels,
                              .of_group = conv_taps(conv) * plan.channels,
                              .apart = from->axis[2] * from_size,
                              .stream = along_streams(conv, &plan, buffers[K_CONV_DIRECT_TO])};
    struct along_buffers own;
    own.held = -1;
    for (int64_t i = slice.begin; i < slice.end; i++) {
        const int64_t block = i % plan.blocks, row = i / plan.blocks,
                      channel = block * plan.channels;
        const int64_t height = row % plan.size[1], depth = row / plan.size[1] % plan.size[0];
        const int64_t batch = row / plan.size[1] / plan.size[0],
                      left = conv_channels(conv) - channel;
        item.channels = left < plan.channels ? left : plan.channels;
        if (own.held != block) hold_block(&item, channel, buffers, &own);
        own.held = block;
        along_run_row(
            &item,
            v_address(buffers[K_CONV_DIRECT_FROM], from_size * (batch * from->outer + channel)),
            depth, height,
            (char *)buffers[K_CONV_DIRECT_TO] +
                to_size *
                    (batch * to->outer + channel + depth * to->axis[0] + height * to->axis[1]),
            &own);
    }
    if (item.stream) k_stream_end();
}

#endif
