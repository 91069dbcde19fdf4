/* SPDX-License-Identifier: Apache-2.0 */
/* Inverse lists of places, and the rows that a map of tokens and experts asks for. */
#include "kernels/moe/k_moe.h"

static void clear(int32_t *to, int64_t size)
{
    for (int64_t i = 0; i < size; i++)
        to[i] = -1;
}

void k_moe_invert(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_moe_invert *v = parameters;
    const int32_t *places = buffers[K_MOE_INVERT_PLACES];
    int32_t *to = buffers[K_MOE_INVERT_TO];
    (void)slice; /* one item */
    clear(to, v->rows);
    for (int64_t p = 0; p < v->count; p++) {
        const int64_t row = places[p] - v->first;
        if (v->may_drop && places[p] == -1) continue;
        if (places[p] < 0 || places[p] >= v->places)
            k_fault_note(buffers[K_MOE_INVERT_TO + 1], p);
        else if (row >= 0 && row < v->kept)
            to[row] = (int32_t)p;
    }
}

/* ---- maps ---- */

/* The tokens that an expert has, and then those that it has not, until its slots are full. */
static void fill_slots(const struct k_moe_map *m, const uint8_t *map, int64_t expert,
                       void *const buffers[])
{
    int32_t *to = buffers[K_MOE_MAP_TO], *sources = buffers[K_MOE_MAP_SOURCES];
    int32_t *elements = buffers[K_MOE_MAP_ELEMENTS];
    int64_t slot = expert * m->capacity;
    const int64_t end = slot + m->capacity;
    for (int wanted = 1; wanted >= 0; wanted--)
        for (int64_t token = 0; token < m->tokens && slot < end; token++) {
            const int64_t element = token * m->experts + expert;
            if ((map[element] != 0) != wanted) continue;
            to[slot] = sources[slot] = (int32_t)token;
            elements[slot++] = (int32_t)element;
        }
}

void k_moe_map(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_moe_map *m = parameters;
    const uint8_t *map = buffers[K_MOE_MAP_MAP];
    int32_t *used = buffers[K_MOE_MAP_USED], *to = buffers[K_MOE_MAP_TO];
    int32_t *sources = buffers[K_MOE_MAP_SOURCES], *elements = buffers[K_MOE_MAP_ELEMENTS];
    const int64_t rows = m->is_padded ? m->experts * m->capacity : m->tokens * m->picks;
    (void)slice; /* one item */
    clear(to, rows);
    clear(sources, rows);
    clear(elements, rows);
    for (int64_t token = 0; token < m->tokens && !m->is_padded; token++)
        used[token] = 0;
    int64_t row = 0;
    for (int64_t expert = 0; expert < m->experts; expert++) {
        if (m->is_padded) fill_slots(m, map, expert, buffers);
        for (int64_t token = 0; token < m->tokens && !m->is_padded; token++) {
            const int64_t element = token * m->experts + expert;
            if (!map[element]) continue;
            if (used[token] == m->picks) {
                k_fault_note(buffers[K_MOE_MAP_BUFFERS], token);
                continue;
            }
            to[token * m->picks + used[token]++] = (int32_t)row;
            sources[row] = (int32_t)token;
            elements[row++] = (int32_t)element;
        }
    }
}

static void find_experts(const struct k_moe_elements *x, const uint8_t *map, int64_t token,
                         int32_t *to, struct k_fault *fault)
{
    int64_t used = 0;
    for (int64_t expert = 0; expert < x->experts; expert++) {
        const int64_t element = token * x->experts + expert;
        if (!map[element]) continue;
        if (used == x->picks) {
            k_fault_note(fault, token);
            return;
        }
        to[token * x->picks + used++] = (int32_t)element;
    }
}

void k_moe_elements(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_moe_elements *x = parameters;
    const int32_t *tokens = buffers[K_MOE_ELEMENTS_TOKENS], *slots = buffers[K_MOE_ELEMENTS_SLOTS];
    int32_t *to = buffers[K_MOE_ELEMENTS_TO];
    (void)slice; /* one item */
    clear(to, x->count);
    for (int64_t token = 0; token < x->tokens && !x->is_padded; token++)
        find_experts(x, buffers[K_MOE_ELEMENTS_MAP], token, to, buffers[K_MOE_ELEMENTS_BUFFERS]);
    for (int64_t i = 0; i < x->count && x->is_padded; i++) {
        const int64_t slot = x->has_slots ? slots[i] : i;
        const bool is_there =
            tokens[i] >= 0 && tokens[i] < x->tokens && slot >= 0 && slot < x->experts * x->capacity;
        if (is_there) to[i] = (int32_t)(tokens[i] * x->experts + slot / x->capacity);
    }
}

void k_moe_slots(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_moe_slots *s = parameters;
    int32_t *to = buffers[K_MOE_SLOTS_TO];
    for (int64_t i = slice.begin; i < slice.end; i++)
        to[i] = (int32_t)(i / s->picks);
}
