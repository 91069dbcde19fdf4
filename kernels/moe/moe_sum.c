/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of tokens summed, a tile of columns at a time. */
#include "kernels/loop/convert.h"
#include "kernels/moe/k_moe.h"

enum { TILE = 1024 };

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* `count` elements of a table of that type, from number `at` on. */
static void load(enum k_dtype dtype, const void *table, int64_t at, int64_t count, float *to)
{
    k_widen(K_AS_F32, dtype, (const char *)table + at * k_dtype_size(dtype), to, count);
}

static void store(enum k_dtype dtype, const float *from, void *table, int64_t at, int64_t count)
{
    k_narrow(K_AS_F32, dtype, from, (char *)table + at * k_dtype_size(dtype), count);
}

static void add(const float *x, int64_t count, float *to)
{
    for (int64_t i = 0; i < count; i++)
        to[i] += x[i];
}

static void add_scaled(const float *x, float scale, int64_t count, float *to)
{
    for (int64_t i = 0; i < count; i++)
        to[i] += scale * x[i];
}

/* ---- y ---- */

/* Where a pick's row is, -1 for zeros; a fault is noted with the first column. */
static int64_t place_of(const struct k_moe_sum *s, void *const buffers[], int64_t p, bool is_first)
{
    const int64_t place = ((const int32_t *)buffers[K_MOE_SUM_PLACES])[p], own = place - s->begin;
    if (place >= 0 && own >= 0 && own < s->sources) return own;
    const bool is_left_out = place >= 0 && place < s->rows * s->picks;
    if (!is_left_out && !(s->may_drop && place == -1) && is_first)
        k_fault_note(buffers[K_MOE_SUM_BUFFERS], 2 * p);
    return -1;
}

static int64_t expert_of(const struct k_moe_sum *s, void *const buffers[], int64_t p, bool is_first)
{
    const int64_t expert = ((const int32_t *)buffers[K_MOE_SUM_EXPERT])[p];
    if (expert >= 0 && expert < s->experts) return expert;
    if (is_first) k_fault_note(buffers[K_MOE_SUM_BUFFERS], 2 * p + 1);
    return -1;
}

/* Picks of a row: numbers of PLACES, one behind the other or `step` apart. */
struct picks {
    int64_t first, count, step;
};

static struct picks picks_of(const struct k_moe_sum *s, void *const buffers[], int64_t row)
{
    if (!s->is_listed)
        return s->by_columns ? (struct picks){row, s->picks, s->rows}
                             : (struct picks){row * s->picks, s->picks, 1};
    const int32_t *ends = buffers[K_MOE_SUM_ENDS];
    const int64_t first = row > 0 ? ends[row - 1] : 0;
    return (struct picks){first, ends[row] - first, 1};
}

static void sum_tile(const struct k_moe_sum *s, void *const buffers[], int64_t row, int64_t column,
                     int64_t count)
{
    float sum[TILE] = {0}, x[TILE], bias[TILE];
    const int64_t at = row * s->columns + column;
    const struct picks picks = picks_of(s, buffers, row);
    if (s->has_first) load(s->first, buffers[K_MOE_SUM_FIRST], at, count, sum);
    if (s->has_second) {
        load(s->second, buffers[K_MOE_SUM_SECOND], at, count, x);
        add(x, count, sum);
    }
    for (int64_t pick = 0; pick < picks.count; pick++) {
        const int64_t by_row = row * s->picks + pick;
        const int64_t place = place_of(s, buffers, picks.first + pick * picks.step, column == 0);
        float scale = 1;
        if (s->has_scale && (place >= 0 || !s->is_listed))
            load(s->scale, buffers[K_MOE_SUM_SCALE], s->is_listed ? place : by_row, 1, &scale);
        for (int64_t i = 0; i < count && place < 0; i++)
            x[i] = 0;
        if (place >= 0) load(s->x, buffers[K_MOE_SUM_X], place * s->columns + column, count, x);
        if (s->has_bias) {
            const int64_t expert = expert_of(s, buffers, by_row, column == 0);
            if (expert >= 0) {
                load(s->bias, buffers[K_MOE_SUM_BIAS], expert * s->columns + column, count, bias);
                add(bias, count, x);
            }
        }
        add_scaled(x, scale, count, sum);
    }
    store(s->to, sum, buffers[K_MOE_SUM_TO], at, count);
}

k_fn K_SYMBOL(moe_sum);

void K_SYMBOL(moe_sum)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_moe_sum *s = parameters;
    for (int64_t row = slice.begin; row < slice.end; row++)
        for (int64_t column = 0; column < s->columns; column += TILE)
            sum_tile(s, buffers, row, column, smaller(TILE, s->columns - column));
}

/* ---- gradients ---- */

/* The row of the gradient of position p, -1 where there is none: a fault. */
static int64_t token_of(const struct k_moe_grad *g, const int32_t *tokens, int64_t p,
                        struct k_fault *fault)
{
    if (!g->has_tokens) return p / g->picks;
    if (tokens[p] >= 0 && tokens[p] < g->rows) return tokens[p];
    k_fault_note(fault, 2 * p);
    return -1;
}

k_fn K_SYMBOL(moe_grad);

void K_SYMBOL(moe_grad)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_moe_grad *g = parameters;
    float x[TILE];
    for (int64_t row = slice.begin; row < slice.end; row++) {
        const int64_t p = ((const int32_t *)buffers[K_MOE_GRAD_INVERSE])[row];
        int64_t token = -1;
        float scale = 1;
        if (p >= 0) token = token_of(g, buffers[K_MOE_GRAD_TOKENS], p, buffers[K_MOE_GRAD_BUFFERS]);
        if (g->has_scale && p >= 0) load(g->scale, buffers[K_MOE_GRAD_SCALE], p, 1, &scale);
        for (int64_t column = 0; column < g->columns; column += TILE) {
            const int64_t count = smaller(TILE, g->columns - column);
            if (token >= 0)
                load(g->gradient, buffers[K_MOE_GRAD_GRADIENT], token * g->columns + column, count,
                     x);
            for (int64_t i = 0; i < count; i++)
                x[i] = token >= 0 ? x[i] * scale : 0;
            store(g->to, x, buffers[K_MOE_GRAD_TO], row * g->columns + column, count);
        }
    }
}

enum { LANES = 16 };

/* x and its bias, of so many columns of a position; zeros where neither is. */
static void load_biased(const struct k_moe_grad *g, void *const buffers[], int64_t place,
                        int64_t expert, int64_t column, int64_t count, float *x)
{
    float bias[TILE];
    for (int64_t i = 0; i < count && place < 0; i++)
        x[i] = 0;
    if (place >= 0) load(g->x, buffers[K_MOE_SCALE_GRAD_X], place * g->columns + column, count, x);
    if (expert < 0) return;
    load(g->bias, buffers[K_MOE_SCALE_GRAD_BIAS], expert * g->columns + column, count, bias);
    add(bias, count, x);
}

static float scale_grad(const struct k_moe_grad *g, void *const buffers[], int64_t token,
                        int64_t place, int64_t expert)
{
    float x[TILE], gradient[TILE], lanes[LANES] = {0}, sum = 0;
    for (int64_t column = 0; column < g->columns; column += TILE) {
        const int64_t count = smaller(TILE, g->columns - column);
        load_biased(g, buffers, place, expert, column, count, x);
        load(g->gradient, buffers[K_MOE_SCALE_GRAD_GRADIENT], token * g->columns + column, count,
             gradient);
        for (int64_t i = count; i < TILE && i % LANES != 0; i++)
            x[i] = gradient[i] = 0;
        for (int64_t i = 0; i < count; i += LANES)
            for (int j = 0; j < LANES; j++)
                lanes[j] += x[i + j] * gradient[i + j];
    }
    for (int j = 0; j < LANES; j++)
        sum += lanes[j];
    return sum;
}

k_fn K_SYMBOL(moe_scale_grad);

void K_SYMBOL(moe_scale_grad)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_moe_grad *g = parameters;
    const int32_t *places = buffers[K_MOE_SCALE_GRAD_PLACES];
    const int32_t *experts = buffers[K_MOE_SCALE_GRAD_EXPERT];
    struct k_fault *fault = buffers[K_MOE_SCALE_GRAD_BUFFERS];
    for (int64_t p = slice.begin; p < slice.end; p++) {
        const int64_t token = token_of(g, buffers[K_MOE_SCALE_GRAD_TOKENS], p, fault);
        const int64_t place = places[p] - g->first;
        const bool is_there = places[p] >= 0 && place >= 0 && place < g->sources;
        int64_t expert = -1;
        if (g->has_bias && experts[p] >= 0 && experts[p] < g->experts)
            expert = experts[p];
        else if (g->has_bias)
            k_fault_note(fault, 2 * p + 1);
        float sum = 0;
        if (token >= 0 && (is_there || expert >= 0))
            sum = scale_grad(g, buffers, token, is_there ? place : -1, expert);
        store(g->to, &sum, buffers[K_MOE_SCALE_GRAD_TO], p, 1);
    }
}
