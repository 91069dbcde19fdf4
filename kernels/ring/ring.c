/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "kernels/loop/convert.h"
#include "kernels/ring/k_ring.h"

enum { TILE = 256 };

/* Elements of tensors lie at any address. */
typedef int64_t int64_anywhere __attribute__((aligned(1), may_alias));

static int64_t length_at(const struct k_ring *r, void *const buffers[], int64_t i)
{
    return ((const int64_anywhere *)buffers[K_RING_LENGTHS])[i * r->lengths_step];
}

/* false: they are none, and the fault is noted. */
static bool are_lengths(const struct k_ring *r, void *const buffers[])
{
    int64_t before = 0;
    for (int64_t i = 0; i < r->lengths && r->order == K_RING_SEQUENCES; i++) {
        const int64_t length = length_at(r, buffers, i);
        if (length < before || length > r->rows || (i == 0 && length != 0)) {
            k_fault_note(buffers[K_RING_BUFFERS], i);
            return false;
        }
        before = length;
    }
    return true;
}

/* The sequence that has a row; those behind the last one are one more. */
struct sequence {
    int64_t next, begin, end;
};

static void find_sequence(const struct k_ring *r, void *const buffers[], int64_t row,
                          struct sequence *s)
{
    while (row >= s->end) {
        s->begin = s->end;
        s->end = s->next < r->lengths ? length_at(r, buffers, s->next++) : r->rows;
    }
}

static int64_t stat_of(const struct k_ring *r, const struct sequence *s, int64_t batch, int64_t row,
                       int64_t head)
{
    if (r->order == K_RING_BATCHES) return (batch * r->heads + head) * r->rows + row;
    if (r->order == K_RING_ROWS) return row * r->heads + head;
    return s->begin * r->heads + head * (s->end - s->begin) + row - s->begin;
}

/* How much of each result there is in the new one. */
static void merge_stats(void *const buffers[], int64_t stat, float part[2])
{
    const int64_t at = stat * K_RING_STATS;
    double m[2], l[2], weight[2];
    for (int i = 0; i < 2; i++) {
        const int first = i == 0 ? K_RING_PREVIOUS_MAX : K_RING_CURRENT_MAX;
        m[i] = (double)((const float *)buffers[first])[at];
        l[i] = (double)((const float *)buffers[first + 1])[at];
    }
    const double most = m[0] > m[1] || m[0] != m[0] ? m[0] : m[1];
    for (int i = 0; i < 2; i++)
        weight[i] = l[i] * (m[i] == most ? 1 : exp(m[i] - most));
    const double sum = weight[0] + weight[1];
    for (int i = 0; i < 2; i++)
        part[i] = (float)(weight[i] / sum);
    for (int i = 0; i < K_RING_STATS; i++) {
        ((float *)buffers[K_RING_MAX])[at + i] = (float)most;
        ((float *)buffers[K_RING_SUM])[at + i] = (float)sum;
    }
}

static void load(const struct k_ring *r, const struct k_ring_side *side, const void *buffer,
                 int64_t first, int64_t count, float *to)
{
    const int64_t size = k_dtype_size(r->dtype);
    char elements[TILE * sizeof(float)];
    const char *from = (const char *)buffer + first * size;
    for (int64_t i = 0; i < count && side->column != 1; i++)
        memcpy(elements + i * size, from + i * side->column * size, (size_t)size);
    k_widen(K_AS_F32, r->dtype, side->column == 1 ? from : elements, to, count);
}

static void store(const struct k_ring *r, const struct k_ring_side *side, void *buffer,
                  int64_t first, int64_t count, const float *from)
{
    const int64_t size = k_dtype_size(r->dtype);
    char elements[TILE * sizeof(float)];
    char *to = (char *)buffer + first * size;
    k_narrow(K_AS_F32, r->dtype, from, side->column == 1 ? to : elements, count);
    for (int64_t i = 0; i < count && side->column != 1; i++)
        memcpy(to + i * side->column * size, elements + i * size, (size_t)size);
}

static int64_t place(const struct k_ring_side *side, int64_t batch, int64_t row, int64_t head)
{
    return batch * side->batch + row * side->row + head * side->head;
}

static void merge_rows(const struct k_ring *r, void *const buffers[], int64_t batch, int64_t row,
                       int64_t head, const float part[2])
{
    float x[TILE], y[TILE];
    for (int64_t c = 0; c < r->columns; c += TILE) {
        const int64_t count = r->columns - c < TILE ? r->columns - c : TILE;
        const struct k_ring_side *p = &r->from[0], *q = &r->from[1];
        load(r, p, buffers[K_RING_PREVIOUS], place(p, batch, row, head) + c * p->column, count, x);
        load(r, q, buffers[K_RING_CURRENT], place(q, batch, row, head) + c * q->column, count, y);
        for (int64_t i = 0; i < count; i++)
            x[i] = x[i] * part[0] + y[i] * part[1];
        store(r, &r->to, buffers[K_RING_OUT], place(&r->to, batch, row, head) + c * r->to.column,
              count, x);
    }
}

k_fn K_SYMBOL(ring_update);

void K_SYMBOL(ring_update)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_ring *r = parameters;
    struct sequence s = {0};
    if (!are_lengths(r, buffers)) return;
    for (int64_t i = slice.begin; i < slice.end; i++) {
        const int64_t batch = i / r->rows, row = i % r->rows;
        if (r->order == K_RING_SEQUENCES) find_sequence(r, buffers, row, &s);
        for (int64_t head = 0; head < r->heads; head++) {
            float part[2];
            merge_stats(buffers, stat_of(r, &s, batch, row, head), part);
            merge_rows(r, buffers, batch, row, head, part);
        }
    }
}
