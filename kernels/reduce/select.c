/* SPDX-License-Identifier: Apache-2.0 */
/* The k-th smallest by quickselect in a copy, then its first place in the operand. */
#include "kernels/reduce/tile.h"
#include "kernels/vector/simd.h"

#define SELECT(type, element)                                                                      \
    K_TEMPLATE                                                                                     \
    bool below_##type(element a, element b)                                                        \
    {                                                                                              \
        return a < b || (b != b && a == a);                                                        \
    }                                                                                              \
    /* Median of three as the pivot: sorted rows, too, take linear time. */                        \
    static element select_##type(element *x, int64_t count, int64_t k)                             \
    {                                                                                              \
        int64_t low = 0, high = count - 1;                                                         \
        while (low < high) {                                                                       \
            element a = x[low], b = x[low + (high - low) / 2], c = x[high];                        \
            const element least = below_##type(b, a) ? b : a, most = below_##type(b, a) ? a : b;   \
            const element pivot = below_##type(c, least)  ? least                                  \
                                  : below_##type(most, c) ? most                                   \
                                                          : c;                                     \
            int64_t i = low, j = high;                                                             \
            while (i <= j) {                                                                       \
                while (below_##type(x[i], pivot))                                                  \
                    i++;                                                                           \
                while (below_##type(pivot, x[j]))                                                  \
                    j--;                                                                           \
                if (i > j) break;                                                                  \
                const element swapped = x[i];                                                      \
                x[i++] = x[j];                                                                     \
                x[j--] = swapped;                                                                  \
            }                                                                                      \
            if (k <= j)                                                                            \
                high = j;                                                                          \
            else if (k >= i)                                                                       \
                low = i;                                                                           \
            else                                                                                   \
                break;                                                                             \
        }                                                                                          \
        return x[k];                                                                               \
    }                                                                                              \
    static element kth_##type(const struct k_select *s, element *x)                                \
    {                                                                                              \
        int64_t numbers = 0;                                                                       \
        for (int64_t i = 0; i < s->count; i++)                                                     \
            numbers += x[i] == x[i];                                                               \
        int64_t k = s->k;                                                                          \
        if (k == -1) k = numbers < s->count ? s->count - 1 : (s->count - 1) / 2;                   \
        if (k == -2) k = numbers > 0 ? (numbers - 1) / 2 : 0;                                      \
        return select_##type(x, s->count, k);                                                      \
    }                                                                                              \
    static int64_t place_##type(const element *x, int64_t count, element value)                    \
    {                                                                                              \
        for (int64_t i = 0; i < count; i++)                                                        \
            if (x[i] == value || (value != value && x[i] != x[i])) return i;                       \
        return -1;                                                                                 \
    }                                                                                              \
    static int64_t find_##type(const void *x, int64_t count, const void *value)                    \
    {                                                                                              \
        return place_##type(x, count, *(const element *)value);                                    \
    }                                                                                              \
    static void find_kth_##type(const struct k_select *s, void *x, void *value)                    \
    {                                                                                              \
        *(element *)value = kth_##type(s, x);                                                      \
    }
SELECT(f32, float)
SELECT(f64, double)
SELECT(i32, int32_t)
SELECT(i64, int64_t)

static const struct {
    void (*kth)(const struct k_select *s, void *x, void *value);
    int64_t (*find)(const void *x, int64_t count, const void *value);
} functions[] = {[K_AS_F32] = {find_kth_f32, find_f32},
                 [K_AS_F64] = {find_kth_f64, find_f64},
                 [K_AS_I32] = {find_kth_i32, find_i32},
                 [K_AS_I64] = {find_kth_i64, find_i64}};

struct rooms {
    _Alignas(LINE_BYTES) char tile[TILE_ROOM], room[TILE_ROOM];
    int64_t place, value;
};

static const void *block_of(const struct k_select *s, const char *from, int64_t at, int64_t *count,
                            struct rooms *rooms)
{
    const struct tile_source source = {s->compute, s->from, s->from};
    *count = s->count - at < K_REDUCE_BLOCK ? s->count - at : K_REDUCE_BLOCK;
    return tile_fetch_reduced(source, from, s->reduced_rank, s->reduced_sizes, s->reduced_steps, at,
                              *count, rooms->tile, rooms->room);
}

k_fn K_SYMBOL(select);

void K_SYMBOL(select)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_select *s = parameters;
    const int64_t size = k_dtype_size(k_dtype_of(s->compute));
    struct rooms rooms;
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const struct tile_place place = tile_place_of(&s->kept, item, false, 0, 0);
        const char *from =
            (const char *)buffers[K_SELECT_FROM] + place.from * k_dtype_size(s->from);
        char *copy = (char *)buffers[K_SELECT_ROOM] + item * s->count * size;
        int64_t count, found = -1;
        for (int64_t at = 0; at < s->count; at += K_REDUCE_BLOCK) {
            const void *x = block_of(s, from, at, &count, &rooms);
            memcpy(copy + at * size, x, (size_t)(count * size));
        }
        functions[s->compute].kth(s, copy, &rooms.value);
        for (int64_t at = 0; s->has_index && found < 0 && at < s->count; at += K_REDUCE_BLOCK) {
            const void *x = block_of(s, from, at, &count, &rooms);
            found = functions[s->compute].find(x, count, &rooms.value);
            rooms.place = at + found;
        }
        tile_deliver(s->compute, s->to, s->to, (char *)&rooms.value,
                     (char *)buffers[K_SELECT_TO] + place.to * k_dtype_size(s->to), 1, 1,
                     rooms.room);
        if (s->has_index)
            tile_deliver(K_AS_I64, K_I64, s->index_type, (char *)&rooms.place,
                         (char *)buffers[K_SELECT_INDEX] +
                             place.index * k_dtype_size(s->index_type),
                         1, 1, rooms.room);
    }
}
