/* SPDX-License-Identifier: Apache-2.0 */
/* output[bin] = greatest element, indices[bin] = where it stands, channels innermost: bin by bin,
 * vectors run along the channels of its cells, which are read where they are
 * (kernels/pool/max_deep.h). Channels that do not fill a vector are loaded in part. */
#include "kernels/pool/adaptive_plan.h"
#include "kernels/pool/k_adaptive_max.h"
#include "kernels/pool/max_deep.h"
#include "kernels/vector/instance.h"

struct maxima {
    const struct k_adaptive_max *shape;
    struct adaptive_axis depth, height, width;
    const char *input, *end; /* the tensor */
    char *output, *indices;
    struct max_list list;
};

/* Fewer channels than a vector has lanes. */
K_TEMPLATE
void narrow_bin(enum k_dtype dt, const struct maxima *m, const struct max_taps *taps,
                const struct max_results *to)
{
    const int64_t channels = m->shape->channels;
    const char *deep = taps->at;
    int32_t deep_place = taps->place;
    vf best = k_load_first_before(dt, deep, (int)channels, m->end);
    vi place = v_all_i(deep_place);
    for (int64_t d = 0; d < taps->count[0]; d++) {
        const char *tall = deep;
        int32_t tall_place = deep_place;
        for (int64_t h = 0; h < taps->count[1]; h++) {
            const char *at = tall;
            for (int64_t w = 0; w < taps->count[2]; w++, at += taps->bytes[2])
                v_take_larger(&best, &place, k_load_first_before(dt, at, (int)channels, m->end),
                              v_all_i(tall_place + (int32_t)w));
            tall += taps->bytes[1];
            tall_place += taps->places[1];
        }
        deep += taps->bytes[0];
        deep_place += taps->places[0];
    }
    char values[K_VECTOR_BYTES], places[2 * K_VECTOR_BYTES];
    const int64_t index_size = m->shape->index_size;
    k_store_same(dt, values, best);
    put_place(index_size == 8, places, place, false);
    memcpy(to->values, values, (size_t)(channels * k_size(dt)));
    memcpy(to->places, places, (size_t)(channels * index_size));
}

/* A row of bins. */
K_TEMPLATE
void row_of_bins(enum k_dtype dt, struct maxima *m, int64_t item)
{
    const struct k_adaptive_max *shape = m->shape;
    const int64_t channels = shape->channels, bytes = channels * k_size(dt);
    const int64_t row = shape->in[2], plane = shape->in[1] * row;
    const int64_t above = item / m->height.out, oh = item % m->height.out;
    const struct adaptive_bin depth = adaptive_bin(&m->depth, above % m->depth.out);
    const struct adaptive_bin height = adaptive_bin(&m->height, oh);
    const int64_t first = depth.begin * plane + height.begin * row;
    const char *from = m->input + (above / m->depth.out * shape->in[0] * plane + first) * bytes;
    struct max_taps taps = {
        .bytes = {plane * bytes, row * bytes, bytes},
        .places = {(int32_t)plane, (int32_t)row, 1},
        .count = {depth.end - depth.begin, height.end - height.begin, 0},
        .fresh = m->height.step + 1, /* a row of bins adds no more */
    };
    const int64_t output = item * m->width.out * channels;
    struct max_results to = {m->output + output * k_size(dt),
                             m->indices + output * shape->index_size,
                             shape->index_size == 8 ? K_INDEX_I64 : K_INDEX_I32, false};
    struct adaptive_mark mark = {0, 0}, next;
    for (int64_t i = 0; i < m->width.out; i++, mark = next) {
        next = adaptive_next(&m->width, mark);
        const struct adaptive_bin bin = adaptive_between(&m->width, mark, next);
        taps.at = from + bin.begin * bytes;
        taps.place = (int32_t)(first + bin.begin);
        taps.count[2] = bin.end - bin.begin;
        if (channels < VL) {
            narrow_bin(dt, m, &taps, &to);
        } else {
            list_update(dt, &m->list, &taps);
            deep_window(dt, DEEP_PLACES, &taps, &m->list, &to, 0, channels);
        }
        to.values += bytes;
        to.places += channels * shape->index_size;
    }
}

K_TEMPLATE
void adaptive_max_channels(enum k_dtype dt, const struct k_adaptive_max *shape,
                           void *const buffers[], struct k_slice slice)
{
    struct maxima m = {
        .shape = shape,
        .depth = adaptive_axis(shape->in[0], shape->out[0], 1),
        .height = adaptive_axis(shape->in[1], shape->out[1], 1),
        .width = adaptive_axis(shape->in[2], shape->out[2], 1),
        .input = buffers[K_ADAPTIVE_MAX_INPUT],
        .output = buffers[K_ADAPTIVE_MAX_OUTPUT],
        .indices = buffers[K_ADAPTIVE_MAX_INDICES],
    };
    const int64_t cells = shape->in[0] * shape->in[1] * shape->in[2];
    m.end = m.input + shape->planes * cells * shape->channels * k_size(dt);
    for (int64_t item = slice.begin; item < slice.end; item++)
        row_of_bins(dt, &m, item);
}

K_FLOATS(adaptive_max_channels, struct k_adaptive_max)
