/* SPDX-License-Identifier: Apache-2.0 */
/* Windows of groups of one, two or four channels where the channels lie side by side: vectors of
 * channels, a row of results at a time, straight from the tensor. The sum of a result runs over the
 * channels of its group and their taps in the order of the weight; taps that meet padding are left
 * out. */
#ifndef ACLNN_CPU_KERNELS_SIMD_CONV_ALONG_H
#define ACLNN_CPU_KERNELS_SIMD_CONV_ALONG_H

#include "kernels/simd/block.h"
#include "kernels/simd/conv_put.h"
#include "kernels/simd/conv_side.h"

enum {
    ALONG_AT_ONCE = 4, /* results that share a factor */
    ALONG_TAPS = 3,    /* that share the elements which they read */
};

/* A window's row inside the tensor: its factors, and the operand's row. */
struct along_row {
    const float *weight;
    const char *from;
};

struct along_buffers {
    _Alignas(64) float weight[CONV_DIRECT_WEIGHTS]; /* [channel of the group][tap][channel] */
    _Alignas(64) float sums[ALONG_AT_ONCE][CONV_ALONG_CHANNELS];
    _Alignas(64) float bias[CONV_ALONG_CHANNELS];
    struct along_row row[CONV_ALONG_ROWS];
    int64_t held; /* the block whose factors these are, or -1 */
};

/* A row of results of some channels. */
struct along_item {
    const struct k_conv *conv;
    enum k_dtype dtype;             /* of the operand */
    int64_t channels, pitch, group; /* channels of a group */
    int64_t of_group;               /* factors from one of them to the next */
    int64_t apart;                  /* bytes from position to position of a row of the operand */
    int64_t below;                  /* bytes from a result to the one below it */
    int rows;                       /* of the window that are inside */
    bool stream;                    /* results go past the caches, whole lines of them */
    const char *ahead; /* the operand's row that the next results need first, or NULL */
    const char *next;  /* positions of that row, to be announced, so many */
    int64_t nexts;
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

/* Where a channel's factor lies beside those of its block (block.h), of the first one on. */
static inline int64_t along_place(enum k_dtype dtype, int64_t channel)
{
    const int64_t block = channel / (2 * VL) * 2 * VL, i = channel - block;
    return dtype == K_BF16 ? block + i % 2 * VL + i / 2 : channel;
}

/* Of a block, in each lane the element of channel k of the lane's group. */
K_TEMPLATE
void along_spread(enum k_dtype dt, int group, int k, struct k_block block, vf x[])
{
    if (dt == K_BF16 && group > 1) {
        x[0] = x[1] = v_spread(group / 2, k / 2, k % 2 == 0 ? block.a : block.b);
        return;
    }
    x[0] = v_spread(group, k, block.a);
    if (dt != K_F32) x[1] = v_spread(group, k, block.b);
}

/* `count` elements or, if is_whole, a block, which is loaded once for both of its halves. */
K_TEMPLATE
void along_load(enum k_dtype dt, int group, int k, bool is_whole, int count, const char *at, vf x[])
{
    struct k_block block;
    if (!is_whole)
        block = block_load_first(dt, at, count, at + count * k_size(dt));
    else if (dt == K_F16)
        block = block_load(dt, at);
    else
        block = block_of_bits(dt, (vu)v_keep(v_load((const float *)(const void *)at)));
    along_spread(dt, group, k, block, x);
}

/* A row of the window with `taps` taps: result q + 1 reads with each of them what result q reads
 * with the next one. */
K_TEMPLATE
void along_shared_row(enum k_dtype dt, int group, int k, int results, int taps, bool is_whole,
                      int count, const float *weight, int64_t pitch, const char *at, int64_t next,
                      vf sum[][2])
{
    const int parts = LINE_PARTS(dt);
    vf factor[ALONG_TAPS][2];
#pragma GCC unroll 3
    for (int t = 0; t < taps; t++)
#pragma GCC unroll 2
        for (int p = 0; p < parts; p++)
            factor[t][p] = v_keep(v_load(weight + t * pitch + p * VL));
#pragma GCC unroll 10
    for (int i = 0; i < results + taps - 1; i++, at = v_address(at, next)) {
        vf x[2];
        along_load(dt, group, k, is_whole, count, at, x);
#pragma GCC unroll 3
        for (int t = 0; t < taps; t++) {
            const int q = i - t;
            if (q < 0 || q >= results) continue;
#pragma GCC unroll 2
            for (int p = 0; p < parts; p++)
                sum[q][p] = v_fma(factor[t][p], x[p], sum[q][p]);
        }
    }
}

K_TEMPLATE
void along_any_row(enum k_dtype dt, int group, int k, int results, bool is_whole, int count,
                   const struct along_item *item, const struct along_run *run, const float *weight,
                   const char *at, vf sum[][2])
{
    const int parts = LINE_PARTS(dt);
    const int64_t next = run->from_step * item->apart, of_tap = run->from_tap * item->apart;
    const enum k_rounding rounding = item->conv->rounding;
    for (int64_t t = 0; t < run->taps; t++) {
#pragma GCC unroll 8
        for (int q = 0; q < results; q++) {
            vf x[2];
            along_load(dt, group, k, is_whole, count, v_address(at, q * next), x);
#pragma GCC unroll 2
            for (int p = 0; p < parts; p++) {
                if (rounding != K_ROUND_NONE) x[p] = v_round_operand(rounding, x[p]);
                sum[q][p] = v_fma(v_load(weight + p * VL), x[p], sum[q][p]);
            }
        }
        weight += run->tap_step * item->pitch;
        at = v_address(at, of_tap);
    }
}

/* Sums of `results` results of a run, of a block of channels or, with `count`, fewer. */
K_TEMPLATE
void along_sums(enum k_dtype dt, int group, int results, int taps, bool is_whole, int count,
                const struct along_item *item, const struct along_run *run, int64_t from,
                int64_t channel, const struct along_buffers *own, vf sum[][2])
{
    const int parts = LINE_PARTS(dt);
#pragma GCC unroll 8
    for (int q = 0; q < results; q++)
        sum[q][0] = sum[q][1] = (vf){0};
#pragma GCC unroll 4
    for (int k = 0; k < group; k++)
        for (int r = 0; r < item->rows; r++) {
            const float *weight =
                own->row[r].weight + k * item->of_group + run->tap * item->pitch + channel;
            const char *at = v_address(own->row[r].from, from * item->apart + channel * k_size(dt));
            if (taps > 0)
                along_shared_row(dt, group, k, results, taps, is_whole, count, weight,
                                 item->pitch * run->tap_step, at, run->from_step * item->apart,
                                 sum);
            else
                along_any_row(dt, group, k, results, is_whole, count, item, run, weight, at, sum);
        }
    if (!item->conv->has_bias) return;
#pragma GCC unroll 8
    for (int q = 0; q < results; q++)
#pragma GCC unroll 2
        for (int p = 0; p < parts; p++)
            sum[q][p] = sum[q][p] + v_load(own->bias + channel + p * VL);
}

/* To the second cache, a line of each of the positions that will be needed next of the operand and,
 * for writing, of the results below these. A few rows are read side by side, which the machine's
 * own prefetching does not follow; more lines at once would wait for each other. */
K_TEMPLATE
void along_announce(const struct along_item *item, int results, int64_t bytes, char *to,
                    int64_t step)
{
    if (bytes % LINE_BYTES != 0) return;
    for (int64_t i = 0; i < item->nexts; i++)
        __builtin_prefetch(v_address(item->next, i * item->apart + bytes), 0, 2);
    if (item->stream || !to) return;
#pragma GCC unroll 4
    for (int q = 0; q < results; q++)
        __builtin_prefetch(v_address(to, q * step + bytes + item->below), 1, 2);
}

/* `count` sums as elements or, where `to` is NULL, another type being asked for, as floats. */
K_TEMPLATE
void along_store(enum k_dtype dt, bool is_whole, int count, bool stream, char *to, float *floats,
                 const vf sum[])
{
    if (!to) {
        v_store(floats, dt == K_BF16 ? v_zip(0, sum[0], sum[1]) : sum[0]);
        if (dt != K_F32) v_store(floats + VL, dt == K_BF16 ? v_zip(1, sum[0], sum[1]) : sum[1]);
        return;
    }
    vf elements = sum[0];
    if (dt == K_F16) elements = (vf)v_to_halves(dt, sum[0], sum[1]);
    if (dt == K_BF16) elements = (vf)v_pair((vf)v_round_bf16(sum[0]), (vf)v_round_bf16(sum[1]));
    if (is_whole)
        k_write(to, elements, stream);
    else
        memcpy(to, &elements, (size_t)(count * k_size(dt)));
}

/* `results` results of a run: to the tensor, `step` bytes from one to the next, or where `to` is
 * NULL to own->sums. */
K_TEMPLATE
void along_results(enum k_dtype dt, int group, int results, int taps, const struct along_item *item,
                   const struct along_run *run, int64_t from, char *to, int64_t step,
                   struct along_buffers *own)
{
    const int64_t size = k_size(dt);
    vf sum[ALONG_AT_ONCE][2];
    int64_t c = 0;
    for (; c + BLOCK(dt) <= item->channels; c += BLOCK(dt)) {
        along_announce(item, results, c * size, to, step);
        along_sums(dt, group, results, taps, true, 0, item, run, from, c, own, sum);
#pragma GCC unroll 8
        for (int q = 0; q < results; q++)
            along_store(dt, true, 0, item->stream, to ? to + q * step + c * size : NULL,
                        own->sums[q] + c, sum[q]);
    }
    if (c == item->channels) return;
    const int count = (int)(item->channels - c);
    along_announce(item, results, c * size, to, step);
    along_sums(dt, group, results, taps, false, count, item, run, from, c, own, sum);
#pragma GCC unroll 8
    for (int q = 0; q < results; q++)
        along_store(dt, false, count, false, to ? to + q * step + c * size : NULL, own->sums[q] + c,
                    sum[q]);
}

typedef void along_fn(const struct along_item *item, const struct along_run *run, int64_t from,
                      char *to, int64_t step, struct along_buffers *own);

#define ALONG(name, dt, group, results, taps)                                                      \
    static __attribute__((noinline)) void name(const struct along_item *item,                      \
                                               const struct along_run *run, int64_t from,          \
                                               char *to, int64_t step, struct along_buffers *own)  \
    {                                                                                              \
        along_results(dt, group, results, taps, item, run, from, to, step, own);                   \
    }
#define ALONG_GROUP(name, dt, group)                                                               \
    ALONG(name##_one, dt, group, 1, 0)                                                             \
    ALONG(name##_some, dt, group, ALONG_AT_ONCE, 0)                                                \
    ALONG(name##_shared, dt, group, ALONG_AT_ONCE, ALONG_TAPS)
#define ALONG_TYPE(name, dt)                                                                       \
    ALONG_GROUP(name##_1, dt, 1)                                                                   \
    ALONG_GROUP(name##_2, dt, 2)                                                                   \
    ALONG_GROUP(name##_4, dt, 4)
ALONG_TYPE(along_f32, K_F32)
ALONG_TYPE(along_f16, K_F16)
ALONG_TYPE(along_bf16, K_BF16)

/* One result; ALONG_AT_ONCE; those of a window with ALONG_TAPS taps in a row. */
enum { ALONG_ONE, ALONG_SOME, ALONG_SHARED, ALONG_WAYS };

static along_fn *along_of(enum k_dtype dtype, int64_t group, int way)
{
#define ROW(name)                                                                                  \
    {                                                                                              \
        name##_one, name##_some, name##_shared                                                     \
    }
#define ROWS_OF(name)                                                                              \
    {                                                                                              \
        [1] = ROW(name##_1), [2] = ROW(name##_2), [4] = ROW(name##_4)                              \
    }
    static along_fn *const all[K_DTYPES][CONV_ALONG_GROUP + 1][ALONG_WAYS] = {
        [K_F32] = ROWS_OF(along_f32), [K_F16] = ROWS_OF(along_f16), [K_BF16] = ROWS_OF(along_bf16)};
#undef ROW
#undef ROWS_OF
    return all[dtype][group][way];
}
#undef ALONG
#undef ALONG_GROUP
#undef ALONG_TYPE

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
    item->nexts = item->ahead ? some * run->from_step : 0;
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
