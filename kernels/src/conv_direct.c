/* SPDX-License-Identifier: Apache-2.0 */
/* One side of a convolution from the other where a group has few result channels (depthwise, small
 * groups, a first layer's gradient): a product of matrices would spend its time on packing what it
 * uses once or twice.
 *
 * An item is a band of result rows of one group. The operand's band is copied once, as floats with
 * zeros around (conv_band.h); then every vector of results is a run of multiply-adds over channels
 * and taps, each from one unaligned load. Towards the large side the positions are split into
 * phases, each with its own taps (conv_plan.h). The sum has one chain over channels and taps, so
 * its bits do not depend on the level's vectors.
 *
 * An item needs some 300 KiB of stack. */
#include <stdint.h>

#include "kernels/simd/conv_band.h"

enum { KNOWN = 4 }; /* phases of an axis whose lines are kept */

struct direct_item {
    const struct k_conv *conv;
    struct conv_line known[K_CONV_AXES][KNOWN];
    int64_t group;
    int64_t begin[K_CONV_AXES], end[K_CONV_AXES]; /* of the result */
    const char *weight, *bias;                    /* of the group; of all channels */
    char *to;                                     /* of the batch and group */
    struct band band;
};

struct direct_buffers {
    _Alignas(64) float band[CONV_DIRECT_BAND];
    float weight[CONV_DIRECT_WEIGHTS]; /* [term][row] */
    int32_t offset[CONV_DIRECT_TERMS]; /* of each term's first position in the band */
    int terms;
};

/* ---- terms ---- */

static float load_weight(const struct k_conv *conv, const char *at)
{
    const enum k_dtype dt = conv->weight.dtype;
    vf value = dt == K_F32   ? k_load_first(K_F32, at, 1)
               : dt == K_F16 ? k_load_first(K_F16, at, 1)
                             : k_load_first(K_BF16, at, 1);
    return v_round_operand(conv->rounding, value)[0];
}

/* Channels and taps of one phase, in the order of conv_map's depth; offsets as seen from position
 * first[] of each line. */
static __attribute__((noinline)) void list_terms(const struct direct_item *item,
                                                 const struct conv_line l[], const int64_t first[],
                                                 struct direct_buffers *own)
{
    const struct k_conv *conv = item->conv;
    const struct k_conv_tensor *w = &conv->weight;
    const int64_t size = pack_size(w->dtype), rows = conv_rows(conv);
    const int64_t row = size * (conv->to_large ? w->inner : w->outer);
    const int64_t channel = size * (conv->to_large ? w->outer : w->inner);
    float *weight = own->weight;
    int terms = 0;
    for (int64_t c = 0; c < conv_depth_channels(conv); c++)
        for (int64_t d = 0; d < l[0].taps; d++)
            for (int64_t h = 0; h < l[1].taps; h++)
                for (int64_t x = 0; x < l[2].taps; x++, terms++) {
                    const char *at = item->weight + c * channel +
                                     size * ((l[0].tap + d * l[0].tap_step) * w->axis[0] +
                                             (l[1].tap + h * l[1].tap_step) * w->axis[1] +
                                             (l[2].tap + x * l[2].tap_step) * w->axis[2]);
                    for (int64_t r = 0; r < rows; r++)
                        *weight++ = load_weight(conv, at + r * row);
                    own->offset[terms] = (int32_t)(c * item->band.channel +
                                                   band_at(&item->band,
                                                           first[0] * l[0].from_step + l[0].offset +
                                                               d * l[0].offset_step,
                                                           first[1] * l[1].from_step + l[1].offset +
                                                               h * l[1].offset_step,
                                                           first[2] * l[2].from_step + l[2].offset +
                                                               x * l[2].offset_step));
                }
    own->terms = terms;
}

/* ---- sums ---- */

/* rows by vectors sums over all terms; the terms' weights lie `stride` floats apart. */
K_TEMPLATE
void direct_block(int rows, int vectors, const float *band, const int32_t *offset,
                  const float *weight, int64_t stride, int terms, vf sum[4][4])
{
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            sum[r][v] = (vf){0};
    for (int t = 0; t < terms; t++) {
        const float *from = band + offset[t];
        vf x[4];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            x[v] = v_keep(v_load(from + v * VL));
#pragma GCC unroll 4
        for (int r = 0; r < rows; r++) {
            const vf w = v_keep(v_all(weight[r]));
#pragma GCC unroll 4
            for (int v = 0; v < vectors; v++)
                sum[r][v] = v_fma(w, x[v], sum[r][v]);
        }
        weight += stride;
    }
}

/* Result rows of one phase: `lines` of them, `to_line` bytes apart, made from band rows `band_line`
 * floats apart. */
struct direct_target {
    char *to;          /* of the first row and position */
    int64_t row, step; /* bytes from channel to channel; elements from position to position */
    int64_t lines, to_line, band_line, count;
    const float *weight; /* of the first channel; those of the next term `stride` floats further */
    int64_t stride;
    bool has_bias;
    float bias[4];
};

K_TEMPLATE
void store_block(enum k_dtype dt, int rows, int vectors, const struct direct_target *target,
                 char *to, int64_t count, vf sum[4][4])
{
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++) {
            const int64_t left = count - v * VL;
            vf value = sum[r][v];
            if (target->has_bias) value = value + v_all(target->bias[r]);
            char *at = to + r * target->row + v * VL * target->step * k_size(dt);
            if (left >= VL && target->step == 1)
                k_store(dt, at, value);
            else
                k_store_between(dt, at, target->step, 0, (int)(left < VL ? left : VL), value);
        }
}

/* Registers hold so many vectors of sums per row. */
enum { DIRECT_WIDE = K_VECTOR_BYTES == 64 ? 4 : 2 };

K_TEMPLATE
void direct_vectors(int rows, int vectors, enum k_dtype dt, const struct direct_buffers *own,
                    const float *band, const struct direct_target *target, char *to, int64_t at)
{
    vf sum[4][4];
    direct_block(rows, vectors, band + at, own->offset, target->weight, target->stride, own->terms,
                 sum);
    store_block(dt, rows, vectors, target, to + at * target->step * k_size(dt), target->count - at,
                sum);
}

K_TEMPLATE
void direct_lines(int rows, enum k_dtype dt, const struct direct_buffers *own,
                  const struct direct_target *target)
{
    const int64_t count = target->count;
    const float *band = own->band;
    char *to = target->to;
    for (int64_t line = 0; line < target->lines; line++) {
        int64_t at = 0;
        for (; count - at > (DIRECT_WIDE - 1) * VL; at += DIRECT_WIDE * VL)
            direct_vectors(rows, DIRECT_WIDE, dt, own, band, target, to, at);
        if (DIRECT_WIDE == 4 && count - at > VL) {
            direct_vectors(rows, 2, dt, own, band, target, to, at);
            at += 2 * VL;
        }
        if (count > at) direct_vectors(rows, 1, dt, own, band, target, to, at);
        band += target->band_line;
        to += target->to_line;
    }
}

K_TEMPLATE
void direct_lines_of(enum k_dtype dt, int rows, const struct direct_buffers *own,
                     const struct direct_target *target)
{
    if (rows == 1)
        direct_lines(1, dt, own, target);
    else if (rows == 2)
        direct_lines(2, dt, own, target);
    else if (rows == 3)
        direct_lines(3, dt, own, target);
    else
        direct_lines(4, dt, own, target);
}

static __attribute__((noinline)) void direct_lines_f32(int rows, const struct direct_buffers *own,
                                                       const struct direct_target *target)
{
    direct_lines_of(K_F32, rows, own, target);
}

static __attribute__((noinline)) void direct_lines_f16(int rows, const struct direct_buffers *own,
                                                       const struct direct_target *target)
{
    direct_lines_of(K_F16, rows, own, target);
}

static __attribute__((noinline)) void direct_lines_bf16(int rows, const struct direct_buffers *own,
                                                        const struct direct_target *target)
{
    direct_lines_of(K_BF16, rows, own, target);
}

/* ---- an item ---- */

static float load_bias(const struct k_conv *conv, const char *bias, int64_t channel)
{
    const char *at = bias + channel * conv->bias_stride * pack_size(conv->bias_dtype);
    if (conv->bias_dtype == K_F32) return k_load_first(K_F32, at, 1)[0];
    if (conv->bias_dtype == K_F16) return k_load_first(K_F16, at, 1)[0];
    return k_load_first(K_BF16, at, 1)[0];
}

/* Positions of one line of `phases` from the first one at or behind begin, and how many before
 * end. */
struct phase_run {
    int64_t first, count;
};

static struct phase_run run_of(const struct conv_line *line, int64_t begin, int64_t end)
{
    struct phase_run run = {.first = conv_up(begin - line->first, line->step)};
    if (begin < line->first) run.first = 0;
    const int64_t stop = end <= line->first ? 0 : conv_up(end - line->first, line->step);
    run.count = stop > run.first ? stop - run.first : 0;
    return run;
}

static void run_phase(const struct direct_item *item, const struct conv_line l[],
                      struct direct_buffers *own)
{
    const struct k_conv *conv = item->conv;
    const struct k_conv_tensor *tensor = conv->to_large ? &conv->large : &conv->small;
    const int64_t size = pack_size(tensor->dtype), rows = conv_rows(conv);
    const struct phase_run d = run_of(&l[0], item->begin[0], item->end[0]);
    const struct phase_run h = run_of(&l[1], item->begin[1], item->end[1]);
    const struct phase_run w = run_of(&l[2], item->begin[2], item->end[2]);
    if (d.count == 0 || h.count == 0 || w.count == 0) return;
    const int64_t first[K_CONV_AXES] = {d.first, h.first, w.first};
    list_terms(item, l, first, own);
    const int64_t element = (l[0].first + d.first * l[0].step) * tensor->axis[0] +
                            (l[1].first + h.first * l[1].step) * tensor->axis[1] +
                            (l[2].first + w.first * l[2].step) * tensor->axis[2];
    for (int64_t row = 0; row < rows; row += 4) {
        struct direct_target target = {
            .to = item->to + size * (element + row * tensor->inner),
            .row = size * tensor->inner,
            .step = l[2].step * tensor->axis[2],
            .lines = h.count,
            .to_line = size * l[1].step * tensor->axis[1],
            .band_line = l[1].from_step * item->band.row,
            .count = w.count,
            .weight = own->weight + row,
            .stride = rows,
            .has_bias = conv->has_bias,
        };
        const int some = (int)(rows - row < 4 ? rows - row : 4);
        for (int r = 0; conv->has_bias && r < some; r++)
            target.bias[r] = load_bias(conv, item->bias, item->group * rows + row + r);
        if (tensor->dtype == K_F32)
            direct_lines_f32(some, own, &target);
        else if (tensor->dtype == K_F16)
            direct_lines_f16(some, own, &target);
        else
            direct_lines_bf16(some, own, &target);
    }
}

static struct conv_line line_of(const struct direct_item *item, int axis, int64_t phase)
{
    return phase < KNOWN ? item->known[axis][phase] : conv_line_of(item->conv, axis, phase);
}

static void run_item(struct direct_item *item, const char *from, struct direct_buffers *own)
{
    const struct k_conv *conv = item->conv;
    const struct k_conv_tensor *tensor = conv->to_large ? &conv->small : &conv->large;
    struct conv_span span[K_CONV_AXES];
    int64_t extent[K_CONV_AXES];
    for (int axis = 0; axis < K_CONV_AXES; axis++) {
        const struct k_conv_axis *a = &conv->axis[axis];
        span[axis] = conv_span_of(a, conv->to_large, item->begin[axis], item->end[axis]);
        extent[axis] = conv->to_large ? a->small : a->large;
    }
    item->band = band_of(span);
    band_pack(&item->band, tensor, extent, from, conv_depth_channels(conv), conv->rounding,
              own->band);
    for (int64_t d = 0; d < conv_phases(conv, 0); d++)
        for (int64_t h = 0; h < conv_phases(conv, 1); h++)
            for (int64_t w = 0; w < conv_phases(conv, 2); w++) {
                const struct conv_line l[] = {line_of(item, 0, d), line_of(item, 1, h),
                                              line_of(item, 2, w)};
                run_phase(item, l, own);
            }
}

k_fn K_SYMBOL(conv_direct);

/* Items are (batch, group, depth, row block, column block), the last fastest. */
void K_SYMBOL(conv_direct)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_conv *conv = parameters;
    const struct conv_direct_plan plan =
        conv_direct_plan(conv, conv->to_large, conv_depth_channels(conv));
    const struct k_conv_tensor *from = conv->to_large ? &conv->small : &conv->large;
    const struct k_conv_tensor *to = conv->to_large ? &conv->large : &conv->small;
    struct direct_item item = {.conv = conv};
    struct direct_buffers own;
    item.bias = conv->has_bias ? buffers[K_CONV_DIRECT_BIAS] : NULL;
    for (int axis = 0; axis < K_CONV_AXES; axis++)
        for (int64_t phase = 0; phase < KNOWN && phase < conv_phases(conv, axis); phase++)
            item.known[axis][phase] = conv_line_of(conv, axis, phase);
    for (int64_t i = slice.begin; i < slice.end; i++) {
        int64_t rest = i;
        item.begin[2] = rest % plan.column_blocks * plan.columns;
        rest /= plan.column_blocks;
        item.begin[1] = rest % plan.row_blocks * plan.rows;
        rest /= plan.row_blocks;
        item.begin[0] = rest % plan.size[0];
        rest /= plan.size[0];
        item.group = rest % conv->groups;
        const int64_t batch = rest / conv->groups;
        const int64_t width[] = {1, plan.rows, plan.columns};
        for (int axis = 0; axis < K_CONV_AXES; axis++) {
            item.end[axis] = item.begin[axis] + width[axis];
            if (item.end[axis] > plan.size[axis]) item.end[axis] = plan.size[axis];
        }
        if (item.begin[1] >= item.end[1] || item.begin[2] >= item.end[2]) continue;
        item.weight =
            (const char *)buffers[K_CONV_DIRECT_WEIGHT] +
            item.group * conv->small_channels * conv->weight.outer * pack_size(conv->weight.dtype);
        item.to =
            (char *)buffers[K_CONV_DIRECT_TO] +
            (batch * to->outer + item.group * conv_rows(conv) * to->inner) * pack_size(to->dtype);
        run_item(&item,
                 (const char *)buffers[K_CONV_DIRECT_FROM] +
                     (batch * from->outer + item.group * conv_depth_channels(conv) * from->inner) *
                         pack_size(from->dtype),
                 &own);
    }
}
