/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of a convolution's weight where a group has few weights (depthwise, small groups, a
 * first layer of few channels). Bands of both sides are copied as floats beside each other, the
 * large one with zeros around (conv_band.h); a weight's sum then multiplies rows of one with rows
 * of the other, shifted by its tap. As in conv_grad_windows each weight keeps CONV_LANES partial
 * sums side by side, lane i for every CONV_LANES-th position of a row, whatever the width of
 * vectors; bands are walked in strips so wide, from top to bottom.
 *
 * An item is the bands of one part and one group, in order.
 * A slice needs some 400 KiB of stack, along channels 300. */
#include <stdint.h>

#include "kernels/conv/conv_along_grad.h"
#include "kernels/conv/conv_dot.h"
#include "kernels/conv/conv_straight_grad.h"

struct grad_item {
    const struct k_conv *conv;
    struct band small, large;
    bool is_plain;    /* the small side is floats as they are to be, and is read where it lies */
    bool is_straight; /* neither side needs a band; groups have a channel of each */
    int64_t rows, steps, tail;   /* of the small band: rows; of one: whole CONV_LANES, the rest */
    struct band_ahead ahead[2];  /* of the small side, of the large one */
    int64_t prefetched, at_once; /* lines: so many so far, so many for each block */
    struct straight_plan straight;
    char zeros[STRAIGHT_ZEROS];
};

struct grad_buffers {
    _Alignas(64) float band[CONV_DIRECT_BAND]; /* the large side's, then the small side's */
    _Alignas(64) float lanes[CONV_DIRECT_SUMS * CONV_LANES]; /* [small channel][term] */
    int32_t offset[CONV_DIRECT_SUMS];                        /* of each term in the large band */
};

/* One CONV_LANES wide strip of the band, from top to bottom. What lies behind the row's last window
 * has no part in it, infinite or not: `count` lanes of the large side are taken. */
K_TEMPLATE
void grad_strip(int rows, int taps, bool is_whole, int count, const struct grad_item *item,
                const float *small, const float *large, const int32_t *offset, vf sum[4][9])
{
    const int64_t large_row = item->conv->axis[1].stride * item->large.row;
    for (int64_t row = 0; row < item->rows; row++) {
        vf left[4];
#pragma GCC unroll 4
        for (int r = 0; r < rows; r++) {
            const float *from = small + r * item->small.channel;
            left[r] = v_keep(is_whole || !item->is_plain
                                 ? v_load(from)
                                 : k_load_first(K_F32, (const char *)from, count));
        }
#pragma GCC unroll 9
        for (int t = 0; t < taps; t++) {
            vf right = v_load(large + offset[t]);
            if (!is_whole) right = v_first(count, right, (vf){0});
            right = v_keep(right);
#pragma GCC unroll 4
            for (int r = 0; r < rows; r++)
                sum[r][t] = v_fma(left[r], right, sum[r][t]);
        }
        small += item->small.row;
        large += large_row;
    }
}

/* The next lines of what is prefetched. */
static void grad_prefetch(struct grad_item *item)
{
    const int64_t small = band_ahead_lines(&item->ahead[0]);
    const int64_t line = item->prefetched, end = line + item->at_once;
    if (line < small) band_ahead_prefetch(&item->ahead[0], line, item->at_once);
    if (end > small) {
        const int64_t begin = line < small ? 0 : line - small;
        band_ahead_prefetch(&item->ahead[1], begin, end - small - begin);
    }
    item->prefetched = end;
}

/* Rows of `small` times taps, both added to the lanes (those of the next row `terms` sums further).
 */
K_TEMPLATE
void grad_block(int rows, int taps, struct grad_item *item, const float *small, const float *large,
                const int32_t *offset, float *lanes, int64_t terms)
{
    grad_prefetch(item);
    for (int part = 0; part < DOT_PARTS; part++, small += VL, large += VL, lanes += VL) {
        const int tail = (int)item->tail - part * VL;
        vf sum[4][9];
#pragma GCC unroll 4
        for (int r = 0; r < rows; r++)
#pragma GCC unroll 9
            for (int t = 0; t < taps; t++)
                sum[r][t] = v_load(lanes + (r * terms + t) * CONV_LANES);
        for (int64_t at = 0; at < item->steps * CONV_LANES; at += CONV_LANES)
            grad_strip(rows, taps, true, VL, item, small + at, large + at, offset, sum);
        const int64_t at = item->steps * CONV_LANES;
        if (tail >= VL)
            grad_strip(rows, taps, true, VL, item, small + at, large + at, offset, sum);
        else if (tail > 0)
            grad_strip(rows, taps, false, tail, item, small + at, large + at, offset, sum);
#pragma GCC unroll 4
        for (int r = 0; r < rows; r++)
#pragma GCC unroll 9
            for (int t = 0; t < taps; t++)
                v_store(lanes + (r * terms + t) * CONV_LANES, sum[r][t]);
    }
}

/* Taps that registers hold beside one, two, four rows. */
enum { TAPS_1 = 9, TAPS_2 = 5, TAPS_4 = 3 };

static __attribute__((noinline)) void grad_row_1(struct grad_item *item, const float *small,
                                                 const float *large, const int32_t *offset,
                                                 float *lanes, int64_t terms)
{
    int64_t t = 0;
    for (; t + TAPS_1 <= terms; t += TAPS_1)
        grad_block(1, TAPS_1, item, small, large, offset + t, lanes + t * CONV_LANES, terms);
    for (; t + 3 <= terms; t += 3)
        grad_block(1, 3, item, small, large, offset + t, lanes + t * CONV_LANES, terms);
    for (; t < terms; t++)
        grad_block(1, 1, item, small, large, offset + t, lanes + t * CONV_LANES, terms);
}

static __attribute__((noinline)) void grad_rows_2(struct grad_item *item, const float *small,
                                                  const float *large, const int32_t *offset,
                                                  float *lanes, int64_t terms)
{
    int64_t t = 0;
    for (; t + TAPS_2 <= terms; t += TAPS_2)
        grad_block(2, TAPS_2, item, small, large, offset + t, lanes + t * CONV_LANES, terms);
    for (; t < terms; t++)
        grad_block(2, 1, item, small, large, offset + t, lanes + t * CONV_LANES, terms);
}

static __attribute__((noinline)) void grad_rows_4(struct grad_item *item, const float *small,
                                                  const float *large, const int32_t *offset,
                                                  float *lanes, int64_t terms)
{
    int64_t t = 0;
    for (; t + TAPS_4 <= terms; t += TAPS_4)
        grad_block(4, TAPS_4, item, small, large, offset + t, lanes + t * CONV_LANES, terms);
    for (; t < terms; t++)
        grad_block(4, 1, item, small, large, offset + t, lanes + t * CONV_LANES, terms);
}

/* Where each (channel, tap) of the large side finds the band's first result position. */
static void list_terms(const struct grad_item *item, int32_t *offset)
{
    const struct k_conv_axis *a = item->conv->axis;
    const struct conv_span *s = item->large.span;
    for (int64_t c = 0; c < item->conv->large_channels; c++)
        for (int64_t d = 0; d < a[0].kernel; d++)
            for (int64_t h = 0; h < a[1].kernel; h++)
                for (int64_t w = 0; w < a[2].kernel; w++)
                    *offset++ = (int32_t)(c * item->large.channel +
                                          band_at(&item->large, s[0].first + d * a[0].dilation,
                                                  s[1].first + h * a[1].dilation,
                                                  s[2].first + w * a[2].dilation));
}

/* One band, from `begin` to below `end` of the small side. */
static void add_band(struct grad_item *item, struct grad_buffers *own, const int64_t begin[],
                     const int64_t end[], const char *small, const char *large)
{
    const struct k_conv *conv = item->conv;
    struct conv_span of_large[K_CONV_AXES], of_small[K_CONV_AXES];
    int64_t extent[K_CONV_AXES], small_extent[K_CONV_AXES];
    for (int axis = 0; axis < K_CONV_AXES; axis++) {
        of_large[axis] = conv_span_of(&conv->axis[axis], false, begin[axis], end[axis]);
        of_small[axis] = (struct conv_span){begin[axis], end[axis] - begin[axis], 1};
        extent[axis] = conv->axis[axis].large;
        small_extent[axis] = end[axis]; /* zeros behind the band's last column */
    }
    item->large = band_of(of_large);
    item->small = band_of(of_small);
    item->rows = end[1] - begin[1];
    item->steps = (end[2] - begin[2]) / CONV_LANES;
    item->tail = (end[2] - begin[2]) % CONV_LANES;
    const float *of_rows = own->band + conv->large_channels * item->large.channel;
    band_pack(&item->large, &conv->large, extent, large, conv->large_channels, conv->rounding,
              own->band);
    if (item->is_plain) {
        of_rows = (const float *)(const void *)small + begin[0] * conv->small.axis[0] +
                  begin[1] * conv->small.axis[1] + begin[2];
        item->small.row = conv->small.axis[1];
        item->small.channel = conv->small.inner;
    } else {
        band_pack(&item->small, &conv->small, small_extent, small, conv->small_channels,
                  conv->rounding, own->band + conv->large_channels * item->large.channel);
    }
    list_terms(item, own->offset);
    const int64_t terms = conv->large_channels * conv_taps(conv);
    for (int64_t row = 0, rows; row < conv->small_channels; row += rows) {
        const int64_t left = conv->small_channels - row;
        const float *from = of_rows + row * item->small.channel;
        float *lanes = own->lanes + row * terms * CONV_LANES;
        rows = left >= 4 ? 4 : left >= 2 ? 2 : 1;
        if (rows == 4)
            grad_rows_4(item, from, own->band, own->offset, lanes, terms);
        else if (rows == 2)
            grad_rows_2(item, from, own->band, own->offset, lanes, terms);
        else
            grad_row_1(item, from, own->band, own->offset, lanes, terms);
    }
}

struct grad_place {
    int64_t begin[K_CONV_AXES], end[K_CONV_AXES]; /* of the small side */
    const char *small, *large;                    /* of the batch and group */
};

static struct grad_place place_of(const struct k_conv *conv, const struct conv_direct_plan *plan,
                                  int64_t i, const char *small, const char *large)
{
    struct grad_place place;
    place.begin[2] = i % plan->column_blocks * plan->columns;
    i /= plan->column_blocks;
    place.begin[1] = i % plan->row_blocks * plan->rows;
    i /= plan->row_blocks;
    place.begin[0] = i % plan->size[0];
    const int64_t batch = i / plan->size[0], width[] = {1, plan->rows, plan->columns};
    for (int axis = 0; axis < K_CONV_AXES; axis++) {
        place.end[axis] = place.begin[axis] + width[axis];
        if (place.end[axis] > plan->size[axis]) place.end[axis] = plan->size[axis];
    }
    place.small = v_address(small, batch * conv->small.outer * pack_size(conv->small.dtype));
    place.large = v_address(large, batch * conv->large.outer * pack_size(conv->large.dtype));
    return place;
}

/* What the next band reads is prefetched while this one is in work. */
static void look_ahead(struct grad_item *item, const struct grad_place *next)
{
    const struct k_conv *conv = item->conv;
    const struct conv_span span = conv_span_of(&conv->axis[1], false, next->begin[1], next->end[1]);
    const int64_t m = conv->small_channels, c = conv->large_channels;
    item->ahead[0] = band_ahead_of(&conv->small, m, next->small, conv->axis[1].small,
                                   next->begin[1], next->end[1]);
    item->ahead[1] = band_ahead_of(&conv->large, c, next->large, conv->axis[1].large, span.first,
                                   span.first + span.count);
    const int64_t lines = band_ahead_lines(&item->ahead[0]) + band_ahead_lines(&item->ahead[1]);
    const int64_t taps = m >= 4 ? TAPS_4 : m >= 2 ? TAPS_2 : TAPS_1;
    const int64_t blocks = conv_up(m, 4) * conv_up(c * conv_taps(conv), taps);
    item->prefetched = 0;
    item->at_once = conv_up(lines, blocks);
}

static bool begin_straight(struct grad_item *item, const struct conv_direct_plan *plan)
{
#if defined(K_ISA_avx512)
    const struct k_conv *conv = item->conv;
    const struct conv_line l[] = {conv_line_of(conv, 0, 0), conv_line_of(conv, 1, 0),
                                  conv_line_of(conv, 2, 0)};
    const int64_t last = plan->size[1] % plan->rows;
    memset(item->zeros, 0, sizeof item->zeros);
    return conv->small_channels == 1 && conv->large_channels == 1 && plan->column_blocks == 1 &&
           conv->small.dtype == conv->large.dtype && conv->rounding == K_ROUND_NONE &&
           conv->small.axis[2] == 1 && conv->large.axis[2] == 1 && plan->rows >= ROWS_CHUNK &&
           (last == 0 || last >= ROWS_CHUNK) && straight_begin(&item->straight, l, item->zeros) &&
           item->straight.line_step == 1 && item->straight.row_step == 1 &&
           straight_is_shared(&item->straight, l[2].taps);
#else
    (void)item, (void)plan;
    return false;
#endif
}

#if defined(K_ISA_avx512)
static void add_straight(const struct grad_item *item, const struct grad_place *place, float *lanes)
{
    const struct k_conv *conv = item->conv;
    const int64_t size = pack_size(conv->large.dtype);
    const struct straight_band band = {
        .small = place->small,
        .large = place->large,
        .small_row = conv->small.axis[1] * size,
        .large_row = conv->large.axis[1] * size,
        .begin = place->begin[1],
        .end = place->end[1],
        .width = place->end[2],
        .next_small = item->ahead[0].from,
        .next_large = item->ahead[1].from,
    };
    straight_grad_add(conv->large.dtype, conv->axis[2].kernel, &item->straight, &band,
                      conv->axis[1].kernel, lanes);
}

/* Bands [first, last) of some groups: an image's planes of all groups before the next image's, as
 * they lie in memory. */
static void run_straight(struct grad_item *item, float *lanes, const struct conv_direct_plan *plan,
                         int64_t first, int64_t last, int64_t groups, const char *small,
                         const char *large, float *to)
{
    const struct k_conv *conv = item->conv;
    const int64_t of_image = plan->size[0] * plan->row_blocks * plan->column_blocks;
    const int64_t sums = conv_taps(conv);
    const int64_t small_step = conv->small.inner * pack_size(conv->small.dtype);
    const int64_t large_step = conv->large.inner * pack_size(conv->large.dtype);
    memset(lanes, 0, sizeof(float) * (size_t)(groups * sums * CONV_LANES));
    struct grad_place next = place_of(conv, plan, first, small, large);
    for (int64_t end; first < last; first = end) {
        end = (first / of_image + 1) * of_image;
        if (end > last) end = last;
        for (int64_t g = 0; g < groups; g++)
            for (int64_t i = first; i < end; i++) {
                const struct grad_place place = next;
                const bool is_last = i + 1 == end, is_end = is_last && g + 1 == groups;
                const int64_t group = is_end ? 0 : g + is_last;
                int64_t band = is_end ? end : is_last ? first : i + 1;
                if (band == last) band = i;
                next = place_of(conv, plan, band, v_address(small, group * small_step),
                                v_address(large, group * large_step));
                look_ahead(item, &next);
                if (place.begin[1] < place.end[1])
                    add_straight(item, &place, lanes + g * sums * CONV_LANES);
            }
    }
    for (int64_t i = 0; i < groups * sums; i++)
        to[i] = dot_total(lanes + i * CONV_LANES);
}
#endif

static void run_item(struct grad_item *item, struct grad_buffers *own,
                     const struct conv_direct_plan *plan, int64_t first, int64_t last,
                     const char *small, const char *large, float *to)
{
    const struct k_conv *conv = item->conv;
    const int64_t sums = conv->small_channels * conv->large_channels * conv_taps(conv);
    memset(own->lanes, 0, sizeof(float) * (size_t)(sums * CONV_LANES));
    struct grad_place next = place_of(conv, plan, first, small, large);
    for (int64_t i = first; i < last; i++) {
        const struct grad_place place = next;
        next = place_of(conv, plan, i + 1 < last ? i + 1 : i, small, large);
        look_ahead(item, &next);
        if (place.begin[1] >= place.end[1] || place.begin[2] >= place.end[2]) continue;
        add_band(item, own, place.begin, place.end, place.small, place.large);
    }
    for (int64_t i = 0; i < sums; i++)
        to[i] = dot_total(own->lanes + i * CONV_LANES);
}

/* ---- along channels ---- */

/* The partial sums of VL channels, `from` floats from tap to tap: to the weight's elements. As
 * dot_total. */
static void total_along(const float *lanes, int64_t taps, int count, float *const to[])
{
    for (int64_t tap = 0; tap < taps; tap++, lanes += CONV_LANES * VL) {
        vf quarter[4];
        for (int i = 0; i < 4; i++)
            quarter[i] = (v_load(lanes + i * VL) + v_load(lanes + (i + 4) * VL)) +
                         (v_load(lanes + (i + 8) * VL) + v_load(lanes + (i + 12) * VL));
        float total[VL];
        v_store(total, (quarter[0] + quarter[1]) + (quarter[2] + quarter[3]));
        for (int c = 0; c < count; c++)
            to[c][tap] = total[c];
    }
}

/* Groups [first, first + groups) of a part. */
static void run_along(const struct k_conv *conv, const struct conv_direct_plan *plan, int64_t band,
                      int64_t last, int64_t first, int64_t groups, void *const buffers[],
                      float *lanes, float *to)
{
    const int64_t taps = conv_taps(conv), size = pack_size(conv->small.dtype);
    const int64_t group = conv->small_channels, channels = groups * group;
    const char *small = v_address(buffers[K_CONV_GRAD_SMALL], first * group * size);
    const char *large = v_address(buffers[K_CONV_GRAD_LARGE], first * group * size);
    memset(lanes, 0,
           sizeof(float) * (size_t)(conv_up(channels, VL) * VL * group * taps * CONV_LANES));
    for (; band < last; band++) {
        const struct grad_place p = place_of(conv, plan, band, small, large);
        along_grad_band(conv, p.begin, p.end, p.small, p.large, channels, lanes);
    }
    for (int64_t c = 0; c < channels; c += VL)
        for (int64_t k = 0; k < group; k++, lanes += taps * CONV_LANES * VL) {
            const int count = (int)(channels - c < VL ? channels - c : VL);
            float *place[VL];
            for (int i = 0; i < count; i++)
                place[i] = to + (((c + i) / group * group + k) * group + (c + i) % group) * taps;
            total_along(lanes, taps, count, place);
        }
}

static __attribute__((noinline)) void run_along_slice(const struct k_conv *conv,
                                                      const struct conv_direct_plan *plan,
                                                      void *const buffers[], struct k_slice slice)
{
    const int64_t group = conv->small_channels, sums = conv_taps(conv) * group;
    const int64_t bands = conv_up(plan->bands, conv->parts);
    const int64_t most = CONV_ALONG_SUMS / sums / CONV_LANES * CONV_LANES / group;
    _Alignas(64) float lanes[CONV_ALONG_SUMS * CONV_LANES];
    for (int64_t i = slice.begin, groups; i < slice.end; i += groups) {
        const int64_t at = i % conv->groups, first = i / conv->groups * bands;
        const int64_t end = first + bands < plan->bands ? first + bands : plan->bands;
        groups = conv->groups - at < slice.end - i ? conv->groups - at : slice.end - i;
        if (groups > most) groups = most;
        run_along(conv, plan, first, end, at, groups, buffers, lanes,
                  (float *)buffers[K_CONV_GRAD_PARTS] + i * group * sums);
    }
}

static __attribute__((noinline)) void run_bands(const struct k_conv *conv,
                                                const struct conv_direct_plan *plan,
                                                void *const buffers[], struct k_slice slice)
{
    const int64_t c = conv->large_channels, m = conv->small_channels;
    const int64_t group_floats = m * c * conv_taps(conv), bands = conv_up(plan->bands, conv->parts);
    struct grad_item item = {.conv = conv};
    struct grad_buffers own;
    item.is_straight = begin_straight(&item, plan);
    item.is_plain =
        conv->small.dtype == K_F32 && conv->small.axis[2] == 1 && conv->rounding == K_ROUND_NONE;
    for (int64_t i = slice.begin, some; i < slice.end; i += some) {
        const int64_t group = i % conv->groups, first = i / conv->groups * bands;
        const int64_t left = plan->bands - first;
        some = 1;
#if defined(K_ISA_avx512)
        if (item.is_straight) {
            const int64_t room = CONV_DIRECT_BAND / (group_floats * CONV_LANES);
            some = conv->groups - group < slice.end - i ? conv->groups - group : slice.end - i;
            if (some > room) some = room;
            run_straight(&item, own.band, plan, first, first + (left < bands ? left : bands), some,
                         (const char *)buffers[K_CONV_GRAD_SMALL] +
                             group * conv->small.inner * pack_size(conv->small.dtype),
                         (const char *)buffers[K_CONV_GRAD_LARGE] +
                             group * conv->large.inner * pack_size(conv->large.dtype),
                         (float *)buffers[K_CONV_GRAD_PARTS] + i * group_floats);
            continue;
        }
#endif
        run_item(&item, &own, plan, first, first + (left < bands ? left : bands),
                 (const char *)buffers[K_CONV_GRAD_SMALL] +
                     group * m * conv->small.inner * pack_size(conv->small.dtype),
                 (const char *)buffers[K_CONV_GRAD_LARGE] +
                     group * c * conv->large.inner * pack_size(conv->large.dtype),
                 (float *)buffers[K_CONV_GRAD_PARTS] + i * group_floats);
    }
}

k_fn K_SYMBOL(conv_grad_direct);

/* Items are (part, group). */
void K_SYMBOL(conv_grad_direct)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_conv *conv = parameters;
    const struct conv_direct_plan plan =
        conv_direct_plan(conv, false, conv->small_channels + conv->large_channels);
    if (conv_grad_is_along(conv))
        run_along_slice(conv, &plan, buffers, slice);
    else
        run_bands(conv, &plan, buffers, slice);
}
