/* SPDX-License-Identifier: Apache-2.0 */
/* The largest of each row. Probabilities grow with what they are made of, so a softmax chooses by x
 * itself, and p is made for all elements only where they are asked for. */
#include "kernels/loop/convert.h"
#include "kernels/moe/k_moe.h"
#include "kernels/vector/math.h"

enum { TILE = 1024 };

struct picks {
    int64_t count, most;
    int32_t key[K_MOE_PICKS], number[K_MOE_PICKS]; /* the largest first */
    float value[K_MOE_PICKS];
};

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void load(enum k_dtype dtype, const void *table, int64_t at, int64_t count, float *to)
{
    k_widen(K_AS_F32, dtype, (const char *)table + at * k_dtype_size(dtype), to, count);
}

static void store(enum k_dtype dtype, const float *from, void *table, int64_t at, int64_t count)
{
    k_narrow(K_AS_F32, dtype, from, (char *)table + at * k_dtype_size(dtype), count);
}

/* Integers in the order of the numbers; both zeros are one, a NaN is the largest. */
static int32_t key_of(float value)
{
    const float one_zero = value + 0.0F;
    int32_t bits;
    memcpy(&bits, &one_zero, sizeof bits);
    if (value != value) return INT32_MAX;
    return bits < 0 ? bits ^ INT32_MAX : bits;
}

/* Behind those that are as large. */
static void offer(struct picks *p, float value, int64_t number)
{
    const int32_t key = key_of(value);
    if (p->count == p->most && key <= p->key[p->count - 1]) return;
    int64_t low = 0, high = p->count;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (p->key[middle] >= key)
            low = middle + 1;
        else
            high = middle;
    }
    const int64_t moved = smaller(p->count, p->most - 1) - low;
    memmove(p->key + low + 1, p->key + low, (size_t)moved * sizeof *p->key);
    memmove(p->number + low + 1, p->number + low, (size_t)moved * sizeof *p->number);
    memmove(p->value + low + 1, p->value + low, (size_t)moved * sizeof *p->value);
    p->key[low] = key;
    p->number[low] = (int32_t)number;
    p->value[low] = value;
    p->count += p->count < p->most;
}

/* ---- softmax ---- */

static float larger(const float *x, int64_t count, float most)
{
    for (int64_t i = 0; i < count; i++)
        most = x[i] > most || x[i] != x[i] ? x[i] : most;
    return most;
}

/* x = e^(x - most) of so many; their sum. */
static double raise(float *x, int64_t count, float most)
{
    double sum = 0;
    for (int64_t i = count; i % VL != 0; i++)
        x[i] = 0;
    for (int64_t i = 0; i < count; i += VL)
        v_store(x + i, v_exp(v_load(x + i) - v_all(most)));
    for (int64_t i = 0; i < count; i++)
        sum += (double)x[i];
    return sum;
}

static void divide(float *x, int64_t count, double sum)
{
    for (int64_t i = 0; i < count; i++)
        x[i] = (float)((double)x[i] / sum);
}

static void find_softmax(const struct k_moe_gate *g, void *const buffers[], int64_t row,
                         struct picks *p)
{
    const int64_t at = row * g->experts;
    float x[TILE], most = -INFINITY;
    double sum = 0;
    for (int64_t column = 0; column < g->experts; column += TILE) {
        const int64_t count = smaller(TILE, g->experts - column);
        load(g->from, buffers[K_MOE_GATE_X], at + column, count, x);
        most = larger(x, count, most);
        for (int64_t i = 0; i < count; i++)
            offer(p, x[i], column + i);
    }
    if (g->kind == K_MOE_SOFTMAX_PICKS) {
        divide(p->value, p->count, raise(p->value, p->count, most));
        return;
    }
    for (int64_t column = 0; column < g->experts; column += TILE) {
        const int64_t count = smaller(TILE, g->experts - column);
        load(g->from, buffers[K_MOE_GATE_X], at + column, count, x);
        sum += raise(x, count, most);
        if (g->has_all) store(K_F32, x, buffers[K_MOE_GATE_ALL], at + column, count);
    }
    float *all = (float *)buffers[K_MOE_GATE_ALL] + (g->has_all ? at : 0);
    if (g->has_all) divide(all, g->experts, sum);
    raise(p->value, p->count, most);
    divide(p->value, p->count, sum);
}

/* ---- scores ---- */

static void find_probabilities(const struct k_moe_gate *g, const void *from, int64_t row, float *x)
{
    load(g->from, from, row * g->experts, g->experts, x);
    if (!g->is_sigmoid) {
        divide(x, g->experts, raise(x, g->experts, larger(x, g->experts, -INFINITY)));
        return;
    }
    for (int64_t i = 0; i < g->experts; i += VL)
        v_store(x + i, v_sigmoid(v_load(x + i)));
}

static float group_score(const float *x, int64_t count, bool by_pairs)
{
    float first = -INFINITY, second = -INFINITY;
    for (int64_t i = 0; i < count; i++)
        if (key_of(x[i]) > key_of(first)) {
            second = first;
            first = x[i];
        } else if (key_of(x[i]) > key_of(second)) {
            second = x[i];
        }
    return by_pairs ? first + second : first;
}

static void find_scores(const struct k_moe_gate *g, void *const buffers[], int64_t row,
                        struct picks *p)
{
    const int64_t size = g->experts / g->groups;
    float x[K_MOE_EXPERTS + VL] = {0}, score[K_MOE_EXPERTS];
    struct picks best = {.most = g->best_groups};
    find_probabilities(g, buffers[K_MOE_GATE_X], row, x);
    if (g->has_all) store(K_F32, x, buffers[K_MOE_GATE_ALL], row * g->experts, g->experts);
    if (g->has_bias) load(g->bias, buffers[K_MOE_GATE_BIAS], 0, g->experts, score);
    for (int64_t i = 0; i < g->experts; i++)
        score[i] = g->has_bias ? x[i] + score[i] : x[i];
    for (int64_t group = 0; group < g->groups; group++)
        offer(&best, group_score(score + group * size, size, g->by_pairs), group);
    bool is_best[K_MOE_EXPERTS] = {0};
    for (int64_t i = 0; i < best.count; i++)
        is_best[best.number[i]] = true;
    for (int64_t i = 0; i < g->experts; i++)
        if (is_best[i / size]) offer(p, score[i], i);
    double sum = 0;
    for (int64_t i = 0; i < p->count; i++)
        sum += (double)x[p->number[i]];
    for (int64_t i = 0; i < p->count; i++) {
        double value = (double)x[p->number[i]];
        if (g->is_sigmoid) value /= sum + g->epsilon;
        p->value[i] = (float)(value * g->factor);
    }
}

k_fn K_SYMBOL(moe_gate);

void K_SYMBOL(moe_gate)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_moe_gate *g = parameters;
    int32_t *experts = buffers[K_MOE_GATE_EXPERT], *numbers = buffers[K_MOE_GATE_NUMBERS];
    struct picks p = {.most = g->picks};
    for (int64_t row = slice.begin; row < slice.end; row++) {
        const bool is_finished =
            g->has_finished && ((const uint8_t *)buffers[K_MOE_GATE_FINISHED])[row] != 0;
        p.count = 0;
        if (g->kind == K_MOE_SCORES)
            find_scores(g, buffers, row, &p);
        else
            find_softmax(g, buffers, row, &p);
        store(g->to, p.value, buffers[K_MOE_GATE_Y], row * g->picks, g->picks);
        for (int64_t i = 0; i < g->picks; i++) {
            experts[row * g->picks + i] = is_finished ? (int32_t)g->experts : p.number[i];
            if (g->has_numbers) numbers[row * g->picks + i] = (int32_t)(i * g->rows + row);
        }
    }
}
