/* SPDX-License-Identifier: Apache-2.0 */
/* One channel, one row, wide windows that do not overlap: runs of one value each. Windows without
 * gaps between them go out by permutations: a vector of cells is a selection from the values of the
 * windows that it lies in, and the selections repeat. */
#ifndef ACLNN_CPU_KERNELS_POOL_GRAD_RUNS_H
#define ACLNN_CPU_KERNELS_POOL_GRAD_RUNS_H

#include "kernels/pool/grad.h"

enum {
    RUNS_MOST = 128, /* cells of a window in the table; longer runs are mostly whole vectors */
    RUNS_WORTH = 4,  /* times a vector's elements: windows from which a table pays */
};

/* Vectors up to `end` take lanes of the values from `base` on. */
struct runs_segment {
    int base, end;
};

/* Which value each lane of a vector takes; halves: the lower and the upper one, or, where halves
 * can be permuted, which half of the values each half of a lane takes, in `lower` alone. The first
 * vector begins `offset` cells before a window; after as many vectors as a window has cells, all
 * repeats with the values of a vector's elements farther on. */
struct runs {
    vi lower[RUNS_MOST], upper[RUNS_MOST];
    struct runs_segment segments[RUNS_MOST];
    int offset; /* < 0: not made */
    float values[POOL_ROW_WINDOWS + 6 * VL];
};

static inline void runs_begin(struct runs *runs, struct grad *g)
{
    runs->offset = -1;
    g->outlet.vectors = vectors_begin(g->outlet.vectors.to + g->outlet.vectors.filled, true);
}

/* A value as the bits of one float or two halves, in every lane of its own. */
K_TEMPLATE
vf runs_value(enum k_dtype dt, vf value)
{
    if (dt == K_BF16) return block_pair_bf16(value, value);
    return dt == K_F16 ? block_zip_f16(value, value) : value;
}

/* A value in every lane, as bits: two infinities of bf16 are a signaling NaN, which v_all's
 * arithmetic would make a quiet one. */
K_TEMPLATE
vf runs_all(const float *value)
{
    uint32_t bits;
    memcpy(&bits, value, sizeof bits);
    return (vf)(bits - (vu){0});
}

#ifdef K_PERMUTES
K_TEMPLATE
void runs_table(enum k_dtype dt, struct runs *runs, int stride, int offset)
{
    const int elements = K_VECTOR_BYTES / (int)k_size(dt), lane = elements / VL;
    const vf windows_of_cell = v_all(1 / (float)stride);
    struct runs_segment *segment = runs->segments;
    if (runs->offset == offset) return;
    runs->offset = offset;
    segment->base = (stride * elements - offset) / stride - elements; /* rounds down */
    for (int k = 0; k < stride; k++) {
        const int first = k * elements - offset;
        if ((first + elements - 1) / stride >= segment->base + VL)
            (++segment)->base = first / stride;
        segment->end = k + 1;
        const vi cells = v_lanes() * lane + (first - segment->base * stride);
        const vf lower = (__builtin_convertvector(cells, vf) + 0.5f) * windows_of_cell;
        const vf upper = (__builtin_convertvector(cells, vf) + 1.5f) * windows_of_cell;
        runs->lower[k] = __builtin_convertvector(lower, vi);
        runs->upper[k] = __builtin_convertvector(upper, vi);
#ifdef K_PERMUTES_HALVES
        if (dt != K_F32) runs->lower[k] = (runs->lower[k] | runs->upper[k] << 16) * 2;
#endif
    }
}

K_TEMPLATE
vf runs_vector(enum k_dtype dt, const struct runs *runs, vf from, int k)
{
#ifdef K_PERMUTES_HALVES
    if (dt != K_F32) return v_permute_halves(from, runs->lower[k]);
#endif
    const vf lower = v_permute(from, runs->lower[k]);
    if (dt == K_F32) return lower;
    const vu upper = (vu)v_permute(from, runs->upper[k]);
    return (vf)(((vu)lower & 0xffff) | (upper & 0xffff0000));
}

/* `windows` windows of `stride` cells each; a vector before and behind their values is read. */
K_TEMPLATE
void runs_fill(enum k_dtype dt, struct runs *runs, struct k_vectors *out, const float *values,
               int64_t windows, int stride, bool stream)
{
    const int elements = K_VECTOR_BYTES / (int)k_size(dt);
    runs_table(dt, runs, stride, out->filled / (int)k_size(dt));
    int64_t bytes = windows * stride * k_size(dt) + out->filled;
    int64_t vectors = bytes / K_VECTOR_BYTES;
    const struct runs_segment *segment = runs->segments;
    vf from = v_load(values + segment->base);
    vf vector = outlet_join(out->filled, out->pending, runs_vector(dt, runs, from, 0));
    if (vectors > 0) {
        vectors_store(out, vector, stream);
        char *to = out->to;
        int k = 1;
        vectors--;
        for (;; k = 0, segment = runs->segments, values += elements) {
            for (; k < stride && vectors > 0; segment++) {
                const int end = (int)pool_min(segment->end, k + vectors);
                from = v_load(values + segment->base);
                vectors -= end - k;
                for (; k < end; k++, to += K_VECTOR_BYTES) {
                    if (stream)
                        k_stream(to, runs_vector(dt, runs, from, k));
                    else
                        k_put(to, runs_vector(dt, runs, from, k));
                }
                if (k < segment->end) break;
            }
            if (k < stride) break;
        }
        out->to = to;
        if (k == segment->end) segment++;
        vector = runs_vector(dt, runs, v_load(values + segment->base), k);
    }
    out->pending = vector;
    out->filled = (int)(bytes % K_VECTOR_BYTES);
}

/* Out of line: among all else the loop would not keep its variables in registers. */
#define RUNS_FILL(name, dt)                                                                        \
    K_OUTLINE void name(struct runs *runs, struct k_vectors *out, const float *values,             \
                        int64_t windows, int stride, bool stream)                                  \
    {                                                                                              \
        runs_fill(dt, runs, out, values, windows, stride, stream);                                 \
    }
RUNS_FILL(runs_fill_f32, K_F32)
RUNS_FILL(runs_fill_f16, K_F16)
RUNS_FILL(runs_fill_bf16, K_BF16)
#endif

/* The windows' values; false if no window covers this row. */
K_TEMPLATE
bool runs_values(enum k_dtype dt, const struct grad *g, float *values)
{
    if (g->plan.height.pad >= g->plan.height.kernel || g->depths != 1) return false;
    const vf factor = v_all(factor_of(g, 0, 0));
    const char *at = row_of_dy(g, 0, k_size(dt));
    for (int x = 0; x < g->real; x += VL) {
        const int left = g->real - x;
        vf value = left >= VL ? k_load(dt, at + x * k_size(dt))
                              : k_load_first_before(dt, at + x * k_size(dt), left, g->dy_end);
        value = pool_round(dt, g->pool->rounding, value) * factor + 0.0f; /* block_multiply */
        if (!g->widths.uniform) value = value * v_load(g->widths.plain + x) + 0.0f;
        v_store(values + x, runs_value(dt, value));
    }
    return true;
}

K_TEMPLATE
void walk_runs(enum k_dtype dt, struct grad *g, struct runs *runs)
{
    const struct pool_axis *width = &g->plan.width;
    const int64_t size = k_size(dt), run = width->rest * size, gap = width->stride * size - run;
    const bool stream = g->pool->stream_output;
    float *values = runs->values + 2 * VL;
    const int real = runs_values(dt, g, values) ? g->real : 0;
    struct k_vectors vectors = g->outlet.vectors;
    int64_t cell = -g->front;
    for (int j = 0; cell < g->cells; j++, cell += width->stride) {
        const int64_t whole = cell < 0 ? 0 : pool_min(real - j, (g->cells - cell) / width->stride);
#ifdef K_PERMUTES
        if (gap == 0 && width->stride <= RUNS_MOST && whole >= RUNS_WORTH * 2 * VL) {
            (dt == K_F32 ? runs_fill_f32
             : dt == K_F16
                 ? runs_fill_f16
                 : runs_fill_bf16)(runs, &vectors, values + j, whole, (int)width->stride, stream);
            j += (int)whole - 1;
            cell += (whole - 1) * width->stride;
            continue;
        }
#endif
        if (whole > 0) {
            vectors_fill(&vectors, runs_all(values + j), run, stream);
            if (gap > 0) vectors_fill(&vectors, (vf){0}, gap, stream);
            continue;
        }
        const int64_t stop = pool_min(cell + width->stride, g->cells);
        const int64_t begin = pool_max(cell, 0);
        const int64_t split = pool_max(pool_min(cell + width->rest, stop), begin);
        vectors_fill(&vectors, j < real ? runs_all(values + j) : (vf){0}, (split - begin) * size,
                     stream);
        vectors_fill(&vectors, (vf){0}, (stop - split) * size, stream);
    }
    g->outlet.vectors = vectors;
}

#endif
