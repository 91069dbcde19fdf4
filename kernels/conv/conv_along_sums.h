/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of conv_along.h, in registers. */
#ifndef ACLNN_CPU_KERNELS_CONV_CONV_ALONG_SUMS_H
#define ACLNN_CPU_KERNELS_CONV_CONV_ALONG_SUMS_H

#include "kernels/conv/conv_plan.h"
#include "kernels/vector/block.h"
#include "kernels/vector/lanes.h"
#include "kernels/vector/pairs.h"

enum {
    ALONG_AT_ONCE = 4, /* results that share a factor */
    ALONG_TAPS = 3,    /* that share the elements which they read */
    ALONG_NEW = 2,     /* positions of an axis that are prefetched for one result */
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
    int64_t row;                    /* bytes from row to row of the operand */
    int rows;                       /* of the window that are inside */
    bool stream;                    /* non-temporal stores, whole lines of results */
    const char *ahead;              /* the operand's rows that results below need, so many */
    int64_t ahead_rows;
    const char *next; /* positions of the first of them, to be prefetched, so many */
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
void along_prefetch(const struct along_item *item, int results, int64_t bytes, char *to,
                    int64_t step)
{
    if (bytes % LINE_BYTES != 0) return;
    for (int64_t r = 0; r < item->ahead_rows; r++)
        for (int64_t i = 0; i < item->nexts; i++)
            __builtin_prefetch(v_address(item->next, r * item->row + i * item->apart + bytes), 0,
                               2);
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
        along_prefetch(item, results, c * size, to, step);
        along_sums(dt, group, results, taps, true, 0, item, run, from, c, own, sum);
#pragma GCC unroll 8
        for (int q = 0; q < results; q++)
            along_store(dt, true, 0, item->stream, to ? to + q * step + c * size : NULL,
                        own->sums[q] + c, sum[q]);
    }
    if (c == item->channels) return;
    const int count = (int)(item->channels - c);
    along_prefetch(item, results, c * size, to, step);
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

#endif
