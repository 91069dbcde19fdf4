/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of max pooling the plain way: for rising windows, dx[index] += dy. f32 sums grow in dx
 * itself, sums of half types in a buffer that holds a band of dx at a time. */
#ifndef ACLNN_CPU_KERNELS_POOL_MAX_SCATTER_H
#define ACLNN_CPU_KERNELS_POOL_MAX_SCATTER_H

#include <assert.h>

#include "kernels/pool/max_pool_plan.h"
#include "kernels/vector/simd.h"

enum { SCATTER_BAND = 16384 };

/* Indices come from memory, or are found in x. */
struct k_scatter {
    const struct k_max_pool *pool;
    struct k_fault *fault;
    const char *dy, *indices, *x;
    char *dx;
    int64_t cells, windows; /* of a plane */
};

static inline struct k_scatter scatter_begin(const struct k_max_pool *pool, const void *dy,
                                             const void *indices, const void *x, void *dx)
{
    return (struct k_scatter){.pool = pool,
                              .dy = dy,
                              .indices = indices,
                              .x = x,
                              .dx = dx,
                              .cells = pool->input[0] * pool->input[1] * pool->input[2],
                              .windows = pool->output[0] * pool->output[1] * pool->output[2]};
}

K_TEMPLATE
float scalar_load(enum k_dtype dt, const char *at)
{
    float value;
    uint16_t half;
    if (dt == K_F32) {
        memcpy(&value, at, sizeof value);
        return value;
    }
    memcpy(&half, at, sizeof half);
    const vh all = half - (vh){0};
    return v_from_half(dt, all)[0];
}

/* The chosen tap of a window, as max_pool chooses; without x the first one. */
K_TEMPLATE
int64_t scalar_argmax(enum k_dtype dt, const struct k_scatter *s, int64_t outer, int64_t window,
                      int64_t channel)
{
    const struct k_max_pool *p = s->pool;
    const int64_t ow = window % p->output[2], oh = window / p->output[2] % p->output[1];
    const int64_t od = window / p->output[2] / p->output[1];
    int64_t index = -1;
    float best = 0;
    for (int64_t jd = 0; jd < p->kernel[0]; jd++) {
        const int64_t d = od * p->stride[0] - p->pad[0] + jd * p->dilation[0];
        if (d < 0 || d >= p->input[0]) continue;
        for (int64_t jh = 0; jh < p->kernel[1]; jh++) {
            const int64_t h = oh * p->stride[1] - p->pad[1] + jh * p->dilation[1];
            if (h < 0 || h >= p->input[1]) continue;
            for (int64_t jw = 0; jw < p->kernel[2]; jw++) {
                const int64_t w = ow * p->stride[2] - p->pad[2] + jw * p->dilation[2];
                if (w < 0 || w >= p->input[2]) continue;
                const int64_t cell = (d * p->input[1] + h) * p->input[2] + w;
                const int64_t at = (outer * s->cells + cell) * p->channels + channel;
                const float value = s->x ? scalar_load(dt, s->x + at * k_size(dt)) : 0;
                if (index < 0 || value > best || value != value) best = value, index = cell;
            }
        }
    }
    return index;
}

/* Only where there are indices. */
static inline int64_t scatter_index(const struct k_scatter *s, int64_t at)
{
    int32_t narrow;
    int64_t wide;
    assert(s->indices != NULL);
    if (s->pool->index == K_INDEX_I32) {
        memcpy(&narrow, s->indices + at * 4, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, s->indices + at * 8, sizeof wide);
    return wide;
}

static inline int64_t scatter_position(const struct k_scatter *s, int64_t outer, int64_t window,
                                       int64_t channel)
{
    const int64_t channels = s->pool->channels;
    return s->pool->channels_inside ? (outer * s->windows + window) * channels + channel
                                    : (outer * channels + channel) * s->windows + window;
}

/* Row-major from column-major. */
static inline int64_t scatter_cell(const struct k_max_pool *p, int64_t cell)
{
    if (p->space != K_INDEX_OF_COLUMNS) return cell;
    const int64_t d = cell % p->input[0], h = cell / p->input[0] % p->input[1];
    return (d * p->input[1] + h) * p->input[2] + cell / p->input[0] / p->input[1];
}

enum { SCATTER_BAD = -1, SCATTER_ELSEWHERE = -2 };

/* The cell of the window's own plane that an index means, or why there is none. */
static inline int64_t scatter_target(const struct k_scatter *s, int64_t index, int64_t outer,
                                     int64_t channel)
{
    const struct k_max_pool *p = s->pool;
    if (p->space == K_INDEX_OF_PLANE) return index >= 0 && index < s->cells ? index : SCATTER_BAD;
    if (index < 0 || index >= p->outer * s->cells * p->channels) return SCATTER_BAD;
    if (!p->channels_inside) {
        const int64_t cell = index - (outer * p->channels + channel) * s->cells;
        return cell >= 0 && cell < s->cells ? scatter_cell(p, cell) : SCATTER_ELSEWHERE;
    }
    const int64_t rest = index - outer * s->cells * p->channels;
    if (rest < 0 || rest >= s->cells * p->channels || rest % p->channels != channel)
        return SCATTER_ELSEWHERE;
    return scatter_cell(p, rest / p->channels);
}

/* The same for the whole tensor: the element in memory. */
static inline int64_t scatter_element(const struct k_scatter *s, int64_t index)
{
    const struct k_max_pool *p = s->pool;
    if (index < 0 || index >= p->outer * s->cells * p->channels) return SCATTER_BAD;
    int64_t outer = index / s->cells / p->channels, channel, cell;
    if (p->channels_inside) {
        channel = index % p->channels;
        cell = index / p->channels % s->cells;
    } else {
        channel = index / s->cells % p->channels;
        cell = index % s->cells;
    }
    return (outer * s->cells + scatter_cell(p, cell)) * p->channels + channel;
}

/* floats as elements */
K_TEMPLATE
void scatter_store(enum k_dtype dt, char *to, const float *from, int64_t count)
{
    int64_t i = 0;
    for (; i + VL <= count; i += VL)
        k_store(dt, to + i * k_size(dt), v_load(from + i));
    if (i == count) return;
    char rest[VL * sizeof(float)];
    k_store(dt, rest, v_load(from + i));
    memcpy(to + i * k_size(dt), rest, (size_t)((count - i) * k_size(dt)));
}

/* scatter_add for indices of the window's own plane, which say nothing but the cell. */
K_TEMPLATE
void scatter_add_plain(enum k_dtype dt, bool wide, const struct k_scatter *s, int64_t outer,
                       int64_t begin, int64_t end, int64_t first, int64_t last, float *band)
{
    const int64_t channels = s->pool->channels, count = last - first;
    assert(s->indices != NULL);
    for (int64_t window = 0; window < s->windows; window++) {
        const int64_t row = (outer * s->windows + window) * channels + first;
        const char *dy = s->dy + row * k_size(dt), *indices = s->indices + row * (wide ? 8 : 4);
        for (int64_t c = 0; c < count; c++) {
            int32_t narrow;
            int64_t index;
            if (wide) {
                memcpy(&index, indices + c * 8, 8);
            } else {
                memcpy(&narrow, indices + c * 4, 4);
                index = narrow;
            }
            const uint64_t cell = (uint64_t)index - (uint64_t)begin;
            if (__builtin_expect(cell < (uint64_t)(end - begin), 1))
                band[(int64_t)cell * count + c] += scalar_load(dt, dy + c * k_size(dt));
            else if ((uint64_t)index >= (uint64_t)s->cells && s->fault)
                k_fault_note(s->fault, scatter_position(s, outer, window, first + c));
        }
    }
}

/* Adds the windows of one outer whose cells lie in [begin, end), times channels [first, last), to
 * band[(cell - begin) * (last - first) + channel - first]. Returns whether an index lies in another
 * plane. */
K_TEMPLATE
bool scatter_add(enum k_dtype dt, const struct k_scatter *s, int64_t outer, int64_t begin,
                 int64_t end, int64_t first, int64_t last, float *band)
{
    const int64_t channels = s->pool->channels;
    bool elsewhere = false;
    if (!s->x && s->pool->index != K_INDEX_NONE && s->pool->space == K_INDEX_OF_PLANE) {
        if (s->pool->index == K_INDEX_I64)
            scatter_add_plain(dt, true, s, outer, begin, end, first, last, band);
        else
            scatter_add_plain(dt, false, s, outer, begin, end, first, last, band);
        return false;
    }
    for (int64_t window = 0; window < s->windows; window++) {
        const int64_t row = (outer * s->windows + window) * channels;
        for (int64_t c = first; c < last; c++) {
            const int64_t cell = s->x || s->pool->index == K_INDEX_NONE
                                     ? scalar_argmax(dt, s, outer, window, c)
                                     : scatter_target(s, scatter_index(s, row + c), outer, c);
            if (cell >= begin && cell < end)
                band[(cell - begin) * (last - first) + c - first] +=
                    scalar_load(dt, s->dy + (row + c) * k_size(dt));
            else if (cell == SCATTER_BAD && s->fault)
                k_fault_note(s->fault, scatter_position(s, outer, window, c));
            else if (cell == SCATTER_ELSEWHERE)
                elsewhere = true;
        }
    }
    return elsewhere;
}

/* All of one outer. */
K_TEMPLATE
bool scatter_outer(enum k_dtype dt, const struct k_scatter *s, int64_t outer)
{
    const int64_t channels = s->pool->channels;
    char *dx = s->dx + outer * s->cells * channels * k_size(dt);
    if (dt == K_F32) {
        memset(dx, 0, (size_t)(s->cells * channels) * sizeof(float));
        return scatter_add(dt, s, outer, 0, s->cells, 0, channels, (float *)(void *)dx);
    }
    float band[SCATTER_BAND + VL];
    bool elsewhere = false;
    const int64_t wide = max_least(channels, max_most(SCATTER_BAND / s->cells, 2 * MAX_WIDE));
    const int64_t tall = SCATTER_BAND / wide;
    for (int64_t first = 0; first < channels; first += wide) {
        const int64_t last = max_least(first + wide, channels), count = last - first;
        for (int64_t begin = 0; begin < s->cells; begin += tall) {
            const int64_t end = max_least(begin + tall, s->cells);
            memset(band, 0, (size_t)((end - begin) * count) * sizeof *band);
            if (scatter_add(dt, s, outer, begin, end, first, last, band)) elsewhere = true;
            if (count == channels) {
                scatter_store(dt, dx + begin * channels * k_size(dt), band, (end - begin) * count);
                continue;
            }
            for (int64_t cell = begin; cell < end; cell++)
                scatter_store(dt, dx + (cell * channels + first) * k_size(dt),
                              band + (cell - begin) * count, count);
        }
    }
    return elsewhere;
}

/* The whole tensor, for indices that lie in other planes than their windows. */
K_TEMPLATE
void scatter_all(enum k_dtype dt, const struct k_scatter *s)
{
    const struct k_max_pool *p = s->pool;
    const int64_t elements = p->outer * s->cells * p->channels;
    const int64_t windows = p->outer * s->windows * p->channels;
    const int64_t most = dt == K_F32 ? elements : SCATTER_BAND;
    float band[SCATTER_BAND + VL];
    for (int64_t begin = 0; begin < elements; begin += most) {
        const int64_t end = max_least(begin + most, elements);
        float *sums = dt == K_F32 ? (float *)(void *)s->dx : band;
        memset(sums, 0, (size_t)(end - begin) * sizeof *sums);
        for (int64_t position = 0; position < windows; position++) {
            int64_t at = position;
            if (!p->channels_inside && p->channels > 1) {
                const int64_t window = position % s->windows, plane = position / s->windows;
                at =
                    (plane / p->channels * s->windows + window) * p->channels + plane % p->channels;
            }
            const int64_t element = scatter_element(s, scatter_index(s, at));
            if (element >= begin && element < end)
                sums[element - begin] += scalar_load(dt, s->dy + at * k_size(dt));
        }
        if (dt != K_F32) scatter_store(dt, s->dx + begin * k_size(dt), band, end - begin);
    }
}

#endif
