/* SPDX-License-Identifier: Apache-2.0 */
/* Windows of one channel each where the channels lie side by side: vectors of channels, a row of
 * results at a time, straight from the tensor. The sum of a result runs over its taps in the order
 * of the weight; taps that meet padding are left out. */
#ifndef ACLNN_CPU_KERNELS_SIMD_CONV_ALONG_H
#define ACLNN_CPU_KERNELS_SIMD_CONV_ALONG_H

#include "kernels/simd/conv_put.h"
#include "kernels/simd/conv_side.h"

enum { ALONG_AT_ONCE = 4 }; /* results that share a factor */

/* A window's row inside the tensor: its factors, and the operand's row. */
struct along_row {
    const float *weight;
    const char *from;
};

struct along_buffers {
    _Alignas(64) float weight[CONV_DIRECT_WEIGHTS]; /* [tap][channel] */
    _Alignas(64) float sums[ALONG_AT_ONCE][CONV_ALONG_CHANNELS];
    _Alignas(64) float bias[CONV_ALONG_CHANNELS];
    struct along_row row[CONV_ALONG_ROWS];
    int64_t held; /* the block whose factors these are, or -1 */
};

/* A row of results of some channels. */
struct along_item {
    const struct k_conv *conv;
    enum k_dtype dtype; /* of the operand */
    int64_t channels, pitch;
    int64_t apart;     /* bytes from position to position of a row of the operand */
    int rows;          /* of the window that are inside */
    const char *ahead; /* the operand's row that the next results need first, or NULL */
};

/* Positions first, first + step, ... of an axis, `count` of them, whose taps `tap`, tap + tap_step,
 * ... read the operand from `from` on, `from_tap` further for each tap, `from_step` for each
 * position; all are inside. */
struct along_run {
    int64_t first, step, count;
    int64_t tap, tap_step, taps;
    int64_t from, from_step, from_tap;
};

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

/* `results` results of a run, of VL channels or, with `count`, fewer: to the tensor, `step` bytes
 * from one to the next, or where `to` is NULL, another type being asked for, to own->sums. */
K_TEMPLATE
void along_block(enum k_dtype dt, int results, bool is_whole, int count,
                 const struct along_item *item, const struct along_run *run, int64_t from,
                 int64_t channel, char *to, int64_t step, struct along_buffers *own)
{
    const int64_t apart = item->apart, pitch = item->pitch * run->tap_step;
    const int64_t next = run->from_step * apart, of_tap = run->from_tap * apart;
    const bool rounds = item->conv->rounding != K_ROUND_NONE;
    vf sum[ALONG_AT_ONCE];
#pragma GCC unroll 4
    for (int q = 0; q < results; q++)
        sum[q] = (vf){0};
    for (int r = 0; r < item->rows; r++) {
        const float *weight = own->row[r].weight + run->tap * item->pitch + channel;
        const char *at = v_address(own->row[r].from, from * apart + channel * k_size(dt));
        for (int64_t t = 0; t < run->taps; t++, weight += pitch, at = v_address(at, of_tap)) {
            const vf factor = v_keep(v_load(weight));
#pragma GCC unroll 4
            for (int q = 0; q < results; q++) {
                const char *place = v_address(at, q * next);
                vf x = is_whole ? k_load(dt, place) : k_load_first(dt, place, count);
                if (rounds) x = v_round_operand(item->conv->rounding, x);
                sum[q] = v_fma(factor, x, sum[q]);
            }
        }
    }
#pragma GCC unroll 4
    for (int q = 0; q < results; q++) {
        if (item->conv->has_bias) sum[q] = sum[q] + v_load(own->bias + channel);
        if (!to)
            v_store(own->sums[q] + channel, sum[q]);
        else if (is_whole)
            k_store(dt, to + q * step + channel * k_size(dt), sum[q]);
        else
            k_store_between(dt, to + q * step + channel * k_size(dt), 1, 0, count, sum[q]);
    }
}

K_TEMPLATE
void along_results(enum k_dtype dt, int results, const struct along_item *item,
                   const struct along_run *run, int64_t from, char *to, int64_t step,
                   struct along_buffers *own)
{
    int64_t c = 0;
    for (; c + VL <= item->channels; c += VL)
        along_block(dt, results, true, VL, item, run, from, c, to, step, own);
    if (c < item->channels)
        along_block(dt, results, false, (int)(item->channels - c), item, run, from, c, to, step,
                    own);
}

#define ALONG(name, dt, results)                                                                   \
    static __attribute__((noinline)) void name(const struct along_item *item,                      \
                                               const struct along_run *run, int64_t from,          \
                                               char *to, int64_t step, struct along_buffers *own)  \
    {                                                                                              \
        along_results(dt, results, item, run, from, to, step, own);                                \
    }
ALONG(along_f32_1, K_F32, 1)
ALONG(along_f32_4, K_F32, ALONG_AT_ONCE)
ALONG(along_f16_1, K_F16, 1)
ALONG(along_f16_4, K_F16, ALONG_AT_ONCE)
ALONG(along_bf16_1, K_BF16, 1)
ALONG(along_bf16_4, K_BF16, ALONG_AT_ONCE)
#undef ALONG

/* Positions of the row that is needed next: a few rows are read side by side, which the machine's
 * own prefetching does not follow. */
static void along_announce(const struct along_item *item, int64_t first, int64_t count)
{
    const int64_t bytes = item->channels * k_size(item->dtype);
    if (!item->ahead) return;
    for (int64_t i = first; i < first + count; i++)
        for (int64_t at = 0; at < bytes; at += LINE_BYTES)
            __builtin_prefetch(v_address(item->ahead, i * item->apart + at), 0, 2);
}

/* The results of a run, at `to`, `step` bytes from one to the next. */
static void along_put(const struct along_item *item, const struct along_run *run,
                      enum k_dtype dtype, char *to, int64_t step, struct along_buffers *own)
{
    typedef void results_fn(const struct along_item *, const struct along_run *, int64_t, char *,
                            int64_t, struct along_buffers *);
    static results_fn *const all[K_DTYPES][2] = {[K_F32] = {along_f32_1, along_f32_4},
                                                 [K_F16] = {along_f16_1, along_f16_4},
                                                 [K_BF16] = {along_bf16_1, along_bf16_4}};
    for (int64_t j = 0, some; j < run->count; j += some) {
        some = run->count - j < ALONG_AT_ONCE ? 1 : ALONG_AT_ONCE;
        along_announce(item, run->from + j * run->from_step, some * run->from_step);
        char *place = to + j * step;
        const bool is_same = dtype == item->dtype;
        all[item->dtype][some > 1](item, run, run->from + j * run->from_step,
                                   is_same ? place : NULL, step, own);
        for (int64_t q = 0; q < some && !is_same; q++)
            put_row(dtype, own->sums[q], NULL, item->channels, place + q * step, 1);
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
    if (item->ahead) item->ahead = v_address(item->ahead, size * t->axis[1]);
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
    const int64_t size = pack_size(w->dtype);
    const char *from = v_address(buffers[K_CONV_DIRECT_WEIGHT], size * channel * w->outer);
    float *to = own->weight;
    for (int64_t d = 0; d < conv->axis[0].kernel; d++)
        for (int64_t h = 0; h < conv->axis[1].kernel; h++)
            for (int64_t x = 0; x < conv->axis[2].kernel; x++, to += item->pitch) {
                const int64_t tap = d * w->axis[0] + h * w->axis[1] + x * w->axis[2];
                for (int64_t c = 0; c < item->pitch; c++)
                    to[c] = c < item->channels
                                ? load_weight(conv, v_address(from, size * (tap + c * w->outer)))
                                : 0;
            }
    for (int64_t c = 0; conv->has_bias && c < item->channels; c++)
        own->bias[c] = load_bias(conv, buffers[K_CONV_DIRECT_BIAS], channel + c);
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
                              .apart = from->axis[2] * from_size};
    struct along_buffers own;
    own.held = -1;
    for (int64_t i = slice.begin; i < slice.end; i++) {
        const int64_t block = i % plan.blocks, row = i / plan.blocks,
                      channel = block * plan.channels;
        const int64_t height = row % plan.size[1], depth = row / plan.size[1] % plan.size[0];
        const int64_t batch = row / plan.size[1] / plan.size[0], left = conv->groups - channel;
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
}

#endif
