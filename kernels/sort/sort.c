/* SPDX-License-Identifier: Apache-2.0 */
/* A key orders as an unsigned number: the sign bit of integers is flipped, of floating numbers too,
 * and all bits of negative ones; descending, all bits of all. Records of keys of at most 32 bits
 * are one number, key above place, so they move and compare as one. */
#include "kernels/sort/k_sort.h"

#include <string.h>

#include "kernels/vector/math_double.h"

/* ---- keys ---- */

static inline uint64_t load_bits(const void *at, int size)
{
    uint64_t bits = 0;
    if (size == 4)
        memcpy(&bits, at, 4);
    else if (size == 8)
        memcpy(&bits, at, 8);
    else if (size == 2)
        memcpy(&bits, at, 2);
    else
        memcpy(&bits, at, 1);
    return bits;
}

static inline void store_bits(void *at, int size, uint64_t bits)
{
    if (size == 4)
        memcpy(at, &bits, 4);
    else if (size == 8)
        memcpy(at, &bits, 8);
    else if (size == 2)
        memcpy(at, &bits, 2);
    else
        memcpy(at, &bits, 1);
}

static inline uint64_t infinity_of(enum k_dtype dtype)
{
    return dtype == K_F32    ? 0x7F800000
           : dtype == K_F16  ? 0x7C00
           : dtype == K_BF16 ? 0x7F80
           : dtype == K_F64  ? UINT64_C(0x7FF0000000000000)
                             : 0;
}

K_TEMPLATE
uint64_t ordered(enum k_dtype dtype, int size, bool is_descending, uint64_t bits,
                 uint64_t *is_minus_zero)
{
    const uint64_t all = ~UINT64_C(0) >> (64 - 8 * size), sign = all ^ all >> 1;
    const uint64_t infinity = infinity_of(dtype);
    uint64_t key = bits;
    *is_minus_zero = 0;
    if (infinity != 0) {
        *is_minus_zero = bits == sign;
        if (bits == sign) bits = 0;
        key = (bits & ~sign) > infinity ? all : bits & sign ? ~bits & all : bits | sign;
    } else if (dtype == K_BOOL) {
        key = bits != 0;
    } else if (dtype == K_I8 || dtype == K_I16 || dtype == K_I32 || dtype == K_I64) {
        key = bits ^ sign;
    }
    return is_descending ? ~key & all : key;
}

K_TEMPLATE
void order_each(enum k_dtype dtype, int size, bool is_descending, const char *from, int64_t count,
                uint64_t *keys, uint64_t *minus_zeros)
{
    for (int64_t i = 0; i < count; i++)
        keys[i] =
            ordered(dtype, size, is_descending, load_bits(from + i * size, size), &minus_zeros[i]);
}

static void order_all(const struct k_sort *s, const char *from, int64_t count, uint64_t *keys,
                      uint64_t *minus_zeros)
{
    const bool is_descending = s->is_descending;
    if (s->dtype == K_F32 && is_descending)
        order_each(K_F32, 4, true, from, count, keys, minus_zeros);
    else if (s->dtype == K_F32)
        order_each(K_F32, 4, false, from, count, keys, minus_zeros);
    else
        order_each(s->dtype, (int)k_dtype_size(s->dtype), is_descending, from, count, keys,
                   minus_zeros);
}

/* NaN becomes the quiet one. */
static inline uint64_t unordered(const struct k_sort *s, uint64_t key, uint64_t is_minus_zero)
{
    const int size = (int)k_dtype_size(s->dtype);
    const uint64_t all = ~UINT64_C(0) >> (64 - 8 * size), sign = all ^ all >> 1;
    const uint64_t infinity = infinity_of(s->dtype);
    if (s->is_descending) key = ~key & all;
    if (infinity != 0) {
        if (key == all) return infinity | (infinity & -infinity) >> 1;
        if (is_minus_zero) return sign;
        return key & sign ? key ^ sign : ~key & all;
    }
    if (s->dtype == K_I8 || s->dtype == K_I16 || s->dtype == K_I32 || s->dtype == K_I64)
        return key ^ sign;
    return key;
}

/* How many elements, in whole vectors, come before none whose key is below that of `bound`; *bits:
 * which ones of the vector behind them may be (NaN may), 0: what is left fills none. */
K_TEMPLATE
int64_t skip_behind(enum k_dtype dt, bool is_descending, const char *at, int64_t count, float bound,
                    unsigned *bits)
{
    const vf all = v_all(bound);
    int64_t i = 0;
    for (*bits = 0; i + VL <= count; i += VL) {
        const vf x = k_load(dt, at + i * k_size(dt));
        const v_mask is_behind = is_descending ? v_less_equal(x, all) : v_less_equal(all, x);
        *bits = ~v_mask_bits(is_behind) & ((1U << VL) - 1);
        if (*bits) break;
    }
    return i;
}

static int64_t skip_all_behind(const struct k_sort *s, const char *at, int64_t count, float bound,
                               unsigned *bits)
{
    const bool is_descending = s->is_descending;
    if (s->dtype == K_F32 && is_descending) return skip_behind(K_F32, true, at, count, bound, bits);
    if (s->dtype == K_F32) return skip_behind(K_F32, false, at, count, bound, bits);
    if (s->dtype == K_F16) return skip_behind(K_F16, is_descending, at, count, bound, bits);
    return skip_behind(K_BF16, is_descending, at, count, bound, bits);
}

/* Of f32 and half types. */
static float number_of_key(const struct k_sort *s, uint64_t key)
{
    const uint64_t bits = unordered(s, key, 0);
    char element[8]; /* of any size */
    store_bits(element, (int)k_dtype_size(s->dtype), bits);
    if (s->dtype == K_F32) return k_load_first(K_F32, element, 1)[0];
    return s->dtype == K_F16 ? k_load_first(K_F16, element, 1)[0]
                             : k_load_first(K_BF16, element, 1)[0];
}

/* ---- records ---- */

static inline uint64_t make_record_narrow(uint64_t key, uint64_t tail)
{
    return key << 32 | tail;
}

static inline uint64_t key_of_narrow(uint64_t record)
{
    return record >> 32;
}

static inline uint64_t tail_of_narrow(uint64_t record)
{
    return record & UINT32_MAX;
}

static inline bool is_less_narrow(uint64_t a, uint64_t b)
{
    return a < b;
}

struct wide {
    uint64_t key, tail;
};

static inline struct wide make_record_wide(uint64_t key, uint64_t tail)
{
    return (struct wide){key, tail};
}

static inline uint64_t key_of_wide(struct wide record)
{
    return record.key;
}

static inline uint64_t tail_of_wide(struct wide record)
{
    return record.tail;
}

static inline bool is_less_wide(struct wide a, struct wide b)
{
    return a.key < b.key || (a.key == b.key && a.tail < b.tail);
}

#define NAME(what) what##_narrow
#define RECORD     uint64_t
#include "kernels/sort/records.h"
#undef NAME
#undef RECORD
#define NAME(what) what##_wide
#define RECORD     struct wide
#include "kernels/sort/records.h"
#undef NAME
#undef RECORD

/* ---- kernels ---- */

static __attribute__((noinline)) void sort_parts_narrow(const struct k_sort *s,
                                                        void *const buffers[], struct k_slice slice)
{
    uint64_t room[K_SORT_PART], other[K_SORT_PART];
    sort_narrow(s, buffers, slice, room, other);
}

static __attribute__((noinline)) void sort_parts_wide(const struct k_sort *s, void *const buffers[],
                                                      struct k_slice slice)
{
    struct wide room[K_SORT_PART], other[K_SORT_PART];
    sort_wide(s, buffers, slice, room, other);
}

k_fn K_SYMBOL(sort_parts), K_SYMBOL(sort_merge);

void K_SYMBOL(sort_parts)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_sort *s = parameters;
    if (s->is_wide)
        sort_parts_wide(s, buffers, slice);
    else
        sort_parts_narrow(s, buffers, slice);
}

void K_SYMBOL(sort_merge)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_sort *s = parameters;
    struct wide room[K_SORT_PIECE];
    if (s->is_wide)
        merge_wide(s, buffers, slice, room);
    else
        merge_narrow(s, buffers, slice, (uint64_t *)room);
}
