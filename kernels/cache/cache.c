/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/cache/k_cache.h"

#include <string.h>

/* Elements of tensors lie at any address. */
typedef int32_t int32_anywhere __attribute__((aligned(1), may_alias));

/* Axes of a block, the outermost first; those that are dense on both sides are one run. */
struct run {
    int64_t count[3], from[3], to[3]; /* bytes */
    int64_t bytes;                    /* of the innermost pieces */
};

static struct run run_of(const struct k_cache *c)
{
    const bool by_heads = c->to.head > c->to.row;
    struct run r = {.bytes = c->size};
    const int64_t counts[] = {by_heads ? c->heads : c->rows, by_heads ? c->rows : c->heads,
                              c->columns};
    const int64_t from[] = {by_heads ? c->from.head : c->from.row,
                            by_heads ? c->from.row : c->from.head, c->from.column};
    const int64_t to[] = {by_heads ? c->to.head : c->to.row, by_heads ? c->to.row : c->to.head,
                          c->to.column};
    bool is_dense = true;
    for (int axis = 2; axis >= 0; axis--) {
        r.count[axis] = counts[axis];
        r.from[axis] = from[axis] * c->size;
        r.to[axis] = to[axis] * c->size;
        is_dense =
            is_dense && (counts[axis] == 1 || (r.from[axis] == r.bytes && r.to[axis] == r.bytes));
        if (!is_dense) continue;
        r.bytes *= counts[axis];
        r.count[axis] = 1;
    }
    return r;
}

static void move(const struct run *r, const char *from, char *to)
{
    for (int64_t i = 0; i < r->count[0]; i++)
        for (int64_t j = 0; j < r->count[1]; j++)
            for (int64_t k = 0; k < r->count[2]; k++) {
                char *place = to + i * r->to[0] + j * r->to[1] + k * r->to[2];
                if (from)
                    memcpy(place, from + i * r->from[0] + j * r->from[1] + k * r->from[2],
                           (size_t)r->bytes);
                else
                    memset(place, 0, (size_t)r->bytes);
            }
}

void k_cache_gather(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_cache *c = parameters;
    const int32_anywhere *table = buffers[K_CACHE_TABLE];
    const struct run run = run_of(c);
    for (int64_t i = slice.begin; i < slice.end; i++) {
        const int64_t b = i / c->used, k = i % c->used;
        if (k * c->rows >= c->length[b]) continue;
        const int64_t block = table[b * c->table_row + k * c->table_column];
        const bool is_one = block >= 0 && block < c->blocks;
        if (!is_one) k_fault_note(buffers[K_CACHE_BUFFERS], b * c->width + k);
        const char *from = (const char *)buffers[K_CACHE_FROM] + block * c->from.block * c->size;
        move(&run, is_one ? from : NULL,
             (char *)buffers[K_CACHE_TO] + (b * c->to.block + k * c->rows * c->to.row) * c->size);
    }
}

struct k_work k_cache_gather_work(const struct k_cache *c)
{
    enum { BYTES = 1 << 16 };
    const int64_t each = c->rows * c->heads * c->columns * c->size;
    return (struct k_work){.items = c->sequences * c->used,
                           .grain = each > BYTES ? 1 : BYTES / (each + 1) + 1};
}
