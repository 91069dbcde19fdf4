/* SPDX-License-Identifier: Apache-2.0 */
/* A row at a time: its gates are kept until the largest is known, or made twice where a row is
 * long. */
#include <math.h>

#include "kernels/group/k_group.h"
#include "kernels/loop/convert.h"
#include "kernels/quant/k_gate_rows.h"
#include "kernels/vector/integers.h"
#include "kernels/vector/math.h"

enum { TILE = 512, KEEP = 5120 };

struct row {
    const struct k_gate_rows *gate;
    void *const *buffers;
    int64_t number, group; /* group: the number of its factors */
    float token;
};

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static const float *floats(const struct row *r, int buffer, int64_t at)
{
    return (const float *)r->buffers[buffer] + at;
}

/* ---- numbers ---- */

/* `count` elements of x from column `at` on, at most two tiles. */
static void load(const struct row *r, int64_t at, int64_t count, float *to)
{
    const struct k_gate_rows *g = r->gate;
    const int64_t width = 2 * g->columns, first = r->number * width + at;
    const int64_t factor = r->group * width + at;
    const char *from = (const char *)r->buffers[K_GATE_ROWS_X] + first * k_dtype_size(g->from);
    const bool is_whole = g->has_bias && g->bias == K_I32;
    int32_t whole[2 * TILE];
    float more[2 * TILE];
    if (is_whole) {
        const int32_t *x = (const int32_t *)r->buffers[K_GATE_ROWS_X] + first;
        const int32_t *bias = (const int32_t *)r->buffers[K_GATE_ROWS_BIAS] + factor;
        for (int64_t i = 0; i < count; i++)
            whole[i] = (int32_t)((uint32_t)x[i] + (uint32_t)bias[i]);
        from = (const char *)whole;
    }
    k_widen(K_AS_F32, g->from, from, to, count);
    if (g->has_scale) {
        const float *scale = floats(r, K_GATE_ROWS_SCALE, factor);
        for (int64_t i = 0; i < count; i++)
            to[i] *= scale[i];
    }
    for (int64_t i = 0; g->has_token && i < count; i++)
        to[i] *= r->token;
    if (!g->has_bias || is_whole) return;
    const char *bias = (const char *)r->buffers[K_GATE_ROWS_BIAS] + factor * k_dtype_size(g->bias);
    k_widen(K_AS_F32, g->bias, bias, more, count);
    for (int64_t i = 0; i < count; i++)
        to[i] += more[i];
}

/* What is activated, and the other part. */
static void load_parts(const struct row *r, int64_t at, int64_t count, float *active, float *other)
{
    const struct k_gate_rows *g = r->gate;
    float both[2 * TILE];
    if (!g->is_interleaved) {
        load(r, at + (g->is_right ? g->columns : 0), count, active);
        load(r, at + (g->is_right ? 0 : g->columns), count, other);
        return;
    }
    load(r, 2 * at, 2 * count, both);
    for (int64_t i = 0; i < count; i++) {
        active[i] = both[2 * i];
        other[i] = both[2 * i + 1];
    }
}

/* ---- gates ---- */

/* A NaN stays. */
K_TEMPLATE
vf at_most(vf x, vf limit)
{
    const vi above = (vi)(x > limit);
    return (vf)((above & (vi)limit) | (~above & (vi)x));
}

/* x becomes the result. Both are read up to a whole vector. */
static void apply(const struct k_gate_rows *g, float *x, const float *other, int64_t count)
{
    const vf limit = v_all(g->limit), alpha = v_all(g->alpha), more = v_all(g->more);
    for (int64_t i = 0; i < count; i += VL) {
        vf a = v_load(x + i), b = v_load(other + i);
        if (g->form == K_GATE_CLAMPED) {
            a = at_most(a, limit);
            a *= v_sigmoid(alpha * a);
        } else {
            a = v_silu(a);
        }
        if (g->form == K_GATE_STEP) a = at_most(a, limit);
        if (g->form != K_GATE_PLAIN) b = -at_most(-at_most(b, limit), limit);
        if (g->form == K_GATE_CLAMPED) b += more;
        v_store(x + i, a * b);
    }
}

static void load_factors(const struct row *r, int buffer, int64_t at, int64_t count, float *to)
{
    const struct k_gate_rows *g = r->gate;
    const float *from = floats(r, buffer, g->by_column ? r->group * g->columns + at : r->group);
    for (int64_t i = 0; i < count; i++)
        to[i] = from[g->by_column ? i : 0];
}

/* What is to be rounded, or of a dynamic row divided first. */
static void make(const struct row *r, int64_t at, int64_t count, float *to)
{
    const struct k_gate_rows *g = r->gate;
    float active[TILE] = {0}, other[TILE] = {0}, factors[TILE];
    load_parts(r, at, count, active, other);
    apply(g, active, other, count);
    if (g->has_smooth) load_factors(r, K_GATE_ROWS_SMOOTH, at, count, factors);
    for (int64_t i = 0; i < count; i++)
        to[i] = !g->has_smooth  ? active[i]
                : g->is_dynamic ? active[i] * factors[i]
                                : active[i] / factors[i];
    if (g->is_dynamic || !g->has_offset) return;
    load_factors(r, K_GATE_ROWS_OFFSET, at, count, factors);
    for (int64_t i = 0; i < count; i++)
        to[i] += factors[i];
}

/* ---- rows ---- */

static void store(const struct row *r, const float *x, int64_t at, int64_t count)
{
    const struct k_gate_rows *g = r->gate;
    char bytes[TILE + VL], *to = (char *)r->buffers[K_GATE_ROWS_TO] + r->number * g->columns + at;
    for (int64_t i = 0; i < count; i += VL)
        v_to_bytes(bytes + i, v_nearest_byte(v_load(x + i)));
    memcpy(to, bytes, (size_t)count);
}

/* A NaN stays. */
static float largest(const float *x, int64_t count, float most)
{
    for (int64_t i = 0; i < count; i++) {
        const float size = fabsf(x[i]);
        most = size > most || size != size ? size : most;
    }
    return most;
}

static void run_row(const struct row *r, float *keep)
{
    const struct k_gate_rows *g = r->gate;
    const bool fits = g->columns <= KEEP;
    float most = 0, tile[TILE] = {0};
    for (int64_t at = 0; g->is_dynamic && at < g->columns; at += TILE) {
        const int64_t count = smaller(TILE, g->columns - at);
        float *to = fits ? keep + at : tile;
        make(r, at, count, to);
        most = largest(to, count, most);
    }
    const float made = most / 127;
    if (g->is_dynamic) ((float *)r->buffers[K_GATE_ROWS_MADE])[r->number] = made;
    for (int64_t at = 0; at < g->columns; at += TILE) {
        const int64_t count = smaller(TILE, g->columns - at);
        if (g->is_dynamic && fits)
            memcpy(tile, keep + at, (size_t)count * sizeof *tile);
        else
            make(r, at, count, tile);
        for (int64_t i = 0; g->is_dynamic && i < count; i++)
            tile[i] /= made;
        store(r, tile, at, count);
    }
}

/* The group of a row, from that of an earlier one on; `groups`: it has none. */
static int64_t group_of(const struct k_gate_rows *g, const struct k_group_range *ranges,
                        int64_t row, int64_t group)
{
    while (group < g->groups && row >= ranges[group].end)
        group++;
    return group;
}

k_fn K_SYMBOL(gate_rows);

void K_SYMBOL(gate_rows)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_gate_rows *g = parameters;
    const struct k_group_range *ranges = buffers[K_GATE_ROWS_RANGES];
    float keep[KEEP];
    struct row r = {.gate = g, .buffers = buffers};
    int64_t group = 0;
    for (r.number = slice.begin; r.number < slice.end; r.number++) {
        if (g->groups > 0) {
            group = group_of(g, ranges, r.number, group);
            if (group == g->groups) return;
            r.group = ranges[group].weight;
        }
        if (g->has_token) r.token = *floats(&r, K_GATE_ROWS_TOKEN, r.number);
        run_row(&r, keep);
    }
}
