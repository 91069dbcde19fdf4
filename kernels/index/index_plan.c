/* SPDX-License-Identifier: Apache-2.0 */
/* The order of axes and the cut of the work. */
#include <string.h>

#include "kernels/index/k_index.h"
#include "kernels/index/k_mask.h"
#include "kernels/index/k_place.h"
#include "kernels/index/k_search.h"

enum {
    GATHER_PIECE = 1 << 13, /* elements of the last axis in an item */
    GRAIN_BYTES = 1 << 17,  /* worth a thread */
    SCATTER_ITEMS = 16,     /* as many, where a table can be cut so */
    SCATTER_PIECE_BYTES = 2048,
    SCATTER_FEW = 4096, /* indices that are not worth parts */
    SCATTER_PARTS = 4,  /* each reads all indices */
};

static int64_t magnitude(int64_t value)
{
    return value < 0 ? -value : value;
}

static void move_axis(struct k_index *index, int from, int to)
{
    index->sizes[to] = index->sizes[from];
    index->table_strides[to] = index->table_strides[from];
    index->value_strides[to] = index->value_strides[from];
    index->number_strides[to] = index->number_strides[from];
    index->is_apart[to] = index->is_apart[from];
    for (int k = 0; k < index->count; k++)
        index->index[k].strides[to] = index->index[k].strides[from];
}

static void drop_ones(struct k_index *index)
{
    int rank = 0;
    for (int i = 0; i < index->rank; i++)
        if (index->sizes[i] != 1) move_axis(index, i, rank++);
    index->rank = rank;
}

/* Axis order[i] becomes the i-th. */
static void permute(struct k_index *index, const int *order)
{
    struct k_index old;
    memcpy(&old, index, k_index_bytes(index));
    for (int i = 0; i < index->rank; i++) {
        const int from = order[i];
        index->sizes[i] = old.sizes[from];
        index->table_strides[i] = old.table_strides[from];
        index->value_strides[i] = old.value_strides[from];
        index->number_strides[i] = old.number_strides[from];
        index->is_apart[i] = old.is_apart[from];
        for (int k = 0; k < index->count; k++)
            index->index[k].strides[i] = old.index[k].strides[from];
    }
}

static bool can_merge(const struct k_index *index, int a)
{
    const int b = a + 1;
    const int64_t size = index->sizes[b];
    bool merges = index->is_apart[a] == index->is_apart[b] &&
                  index->table_strides[a] == index->table_strides[b] * size &&
                  index->value_strides[a] == index->value_strides[b] * size &&
                  index->number_strides[a] == index->number_strides[b] * size;
    for (int k = 0; merges && k < index->count; k++)
        merges = index->index[k].strides[a] == index->index[k].strides[b] * size;
    return merges;
}

static void merge(struct k_index *index)
{
    for (int a = 0; a + 1 < index->rank;) {
        if (!can_merge(index, a)) {
            a++;
            continue;
        }
        const int64_t size = index->sizes[a] * index->sizes[a + 1];
        for (int i = a; i + 1 < index->rank; i++)
            move_axis(index, i + 1, i);
        index->sizes[a] = size;
        index->rank--;
    }
}

/* A problem of no axes has one of one element. */
static void have_an_axis(struct k_index *index)
{
    if (index->rank > 0) return;
    index->rank = 1;
    index->sizes[0] = 1;
    index->table_strides[0] = index->value_strides[0] = index->number_strides[0] = 0;
    index->is_apart[0] = false;
    for (int k = 0; k < index->count; k++)
        index->index[k].strides[0] = 0;
}

static int64_t elements(const struct k_index *index, int begin, int end)
{
    int64_t product = 1;
    for (int i = begin; i < end; i++)
        product *= index->sizes[i];
    return product;
}

/* The values are written in the order in which they lie. */
struct k_work k_gather_finish(struct k_index *index)
{
    int order[K_INDEX_RANK];
    memset(index->is_apart, 0, sizeof index->is_apart);
    drop_ones(index);
    for (int i = 0; i < index->rank; i++) {
        int at = i;
        for (; at > 0 &&
               magnitude(index->value_strides[order[at - 1]]) < magnitude(index->value_strides[i]);
             at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    permute(index, order);
    merge(index);
    have_an_axis(index);
    const int last = index->rank - 1;
    index->piece = index->sizes[last] < GATHER_PIECE ? index->sizes[last] : GATHER_PIECE;
    index->pieces = (index->sizes[last] + index->piece - 1) / index->piece;
    const int64_t grain = GRAIN_BYTES / (index->piece * index->element_size);
    return (struct k_work){.items = elements(index, 0, last) * index->pieces,
                           .grain = grain > 0 ? grain : 1};
}

/* Where the axis lies in the values, or, if they are one, in the indices. */
static int64_t reach(const struct k_index *index, int axis)
{
    int64_t most = magnitude(index->value_strides[axis]);
    for (int k = 0; k < index->count; k++)
        if (magnitude(index->index[k].strides[axis]) > most)
            most = magnitude(index->index[k].strides[axis]);
    return most;
}

static bool is_indexed(const struct k_index *index, int axis)
{
    for (int k = 0; k < index->count; k++)
        if (index->index[k].strides[axis] != 0) return true;
    return false;
}

/* Axes whose positions never meet, and that lie within those that must be walked in order, are
 * walked inside of them: behind the others those that all have one place. The rest is outside. */
static void order_scatter(struct k_index *index)
{
    int order[K_INDEX_RANK], count = 0;
    int64_t nearest = INT64_MAX;
    for (int i = 0; i < index->rank; i++)
        if (!index->is_apart[i] && reach(index, i) < nearest) nearest = reach(index, i);
    for (int i = 0; i < index->rank; i++)
        if (index->is_apart[i] && reach(index, i) > nearest) order[count++] = i;
    for (int i = 0; i < index->rank; i++)
        if (!index->is_apart[i]) order[count++] = i;
    for (int with_one_place = 0; with_one_place < 2; with_one_place++) {
        const int first = count;
        for (int i = 0; i < index->rank; i++) {
            if (!index->is_apart[i] || reach(index, i) > nearest) continue;
            if (is_indexed(index, i) == with_one_place) continue;
            int at = count++;
            for (; at > first && magnitude(index->table_strides[order[at - 1]]) <
                                     magnitude(index->table_strides[i]);
                 at--)
                order[at] = order[at - 1];
            order[at] = i;
        }
    }
    permute(index, order);
}

static void count_groups(struct k_index *index)
{
    bool is_ordered = false; /* does some axis have to be? */
    for (int i = 0; i < index->rank; i++)
        is_ordered = is_ordered || !index->is_apart[i];
    index->outer = index->inner = 0;
    while (is_ordered && index->is_apart[index->outer])
        index->outer++;
    for (int i = index->rank - 1; i >= index->outer; i--, index->inner++)
        if (!index->is_apart[i] || is_indexed(index, i)) break;
}

struct k_work k_scatter_finish(struct k_index *index)
{
    drop_ones(index);
    order_scatter(index);
    merge(index);
    have_an_axis(index);
    count_groups(index);
    const int last = index->rank - 1;
    const int64_t outer = elements(index, 0, index->outer), size = index->sizes[last];
    index->piece = size;
    if (index->is_apart[last]) {
        const int64_t wanted = (SCATTER_ITEMS + outer - 1) / outer;
        int64_t piece = (size + wanted - 1) / wanted;
        if (piece * index->element_size < SCATTER_PIECE_BYTES)
            piece = SCATTER_PIECE_BYTES / index->element_size;
        if (piece < size) index->piece = piece;
    }
    index->pieces = (size + index->piece - 1) / index->piece;
    const int64_t places = index->count > 0 ? index->index[0].size : 1;
    index->parts = 1;
    /* Of rows each part would read all: the values between its own come with them. */
    if (index->inner == 0 && outer * index->pieces < SCATTER_PARTS &&
        elements(index, index->outer, index->rank - index->inner) >= SCATTER_FEW)
        index->parts = SCATTER_PARTS;
    index->part = (places + index->parts - 1) / index->parts;
    const int64_t items = outer * index->pieces * index->parts;
    const int64_t bytes = elements(index, 0, index->rank) * index->element_size;
    const int64_t item_bytes = bytes / items + 1;
    return (struct k_work){.items = items,
                           .grain = item_bytes < GRAIN_BYTES ? GRAIN_BYTES / item_bytes : 1};
}

struct k_work k_mask_work(const struct k_mask *mask)
{
    return (struct k_work){.items = mask->blocks, .grain = 8};
}

struct k_work k_search_work(const struct k_search *search)
{
    return (struct k_work){.items = search->values, .grain = 1024};
}

struct k_work k_place_work(const struct k_place *place)
{
    const int last = place->rank - 1;
    const int64_t bytes = place->sizes[last] * place->element_size;
    int64_t rows = 1;
    for (int axis = 0; axis < last; axis++)
        rows *= place->sizes[axis];
    return (struct k_work){.items = rows,
                           .grain = bytes < GRAIN_BYTES ? GRAIN_BYTES / (bytes + 1) + 1 : 1};
}
