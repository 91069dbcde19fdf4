/* SPDX-License-Identifier: Apache-2.0 */
/* table[i, place of i] = it combined with values[i], in the order of i for each element of the
 * table: the same bits for every cutting. An item has some of the axes whose positions never meet,
 * a piece of the last of them and some of the places of the first index. */
#include "kernels/index/walk.h"

/* What an item writes: count elements of the last axis, places [begin, end) of the first index. */
struct item {
    int64_t count, begin, end;
};

/* table[j] = table[j] combined with values[j], steps in bytes. */
typedef void run_fn(enum k_combine combine, char *to, int64_t to_step, const char *from,
                    int64_t from_step, int64_t count);

#define T          float
#define U          float
#define NAME(what) what##_f32
#include "kernels/index/combine.h"
#define T          double
#define U          double
#define NAME(what) what##_f64
#include "kernels/index/combine.h"
#define T          int8_t
#define U          uint32_t
#define NAME(what) what##_i8
#include "kernels/index/combine.h"
#define T          uint8_t
#define U          uint32_t
#define NAME(what) what##_u8
#include "kernels/index/combine.h"
#define T          int16_t
#define U          uint32_t
#define NAME(what) what##_i16
#include "kernels/index/combine.h"
#define T          uint16_t
#define U          uint32_t
#define NAME(what) what##_u16
#include "kernels/index/combine.h"
#define T          int32_t
#define U          uint32_t
#define NAME(what) what##_i32
#include "kernels/index/combine.h"
#define T          uint32_t
#define U          uint32_t
#define NAME(what) what##_u32
#include "kernels/index/combine.h"
#define T          int64_t
#define U          uint64_t
#define NAME(what) what##_i64
#include "kernels/index/combine.h"

/* Sum and maximum are or, product and minimum are and. */
static void run_bool(enum k_combine combine, char *to, int64_t to_step, const char *from,
                     int64_t from_step, int64_t count)
{
    const bool is_or = combine == K_ADD || combine == K_MAX;
    for (int64_t i = 0; i < count; i++, to += to_step, from += from_step)
        *to = is_or ? (*to != 0 || *from != 0) : (*to != 0 && *from != 0);
}

static void set_1(enum k_combine combine, char *to, int64_t to_step, const char *from,
                  int64_t from_step, int64_t count)
{
    (void)combine;
    walk_copy(1, to, to_step, from, from_step, count);
}

static void set_2(enum k_combine combine, char *to, int64_t to_step, const char *from,
                  int64_t from_step, int64_t count)
{
    (void)combine;
    walk_copy(2, to, to_step, from, from_step, count);
}

static void set_4(enum k_combine combine, char *to, int64_t to_step, const char *from,
                  int64_t from_step, int64_t count)
{
    (void)combine;
    walk_copy(4, to, to_step, from, from_step, count);
}

static void set_8(enum k_combine combine, char *to, int64_t to_step, const char *from,
                  int64_t from_step, int64_t count)
{
    (void)combine;
    walk_copy(8, to, to_step, from, from_step, count);
}

static run_fn *run_of(const struct k_index *p)
{
    static run_fn *const runs[] = {
        [K_F32] = run_f32, [K_F64] = run_f64,   [K_I8] = run_i8,   [K_U8] = run_u8,
        [K_I16] = run_i16, [K_U16] = run_u16,   [K_I32] = run_i32, [K_U32] = run_u32,
        [K_I64] = run_i64, [K_BOOL] = run_bool,
    };
    if (p->combine != K_SET) return runs[p->dtype];
    return p->element_size == 1   ? set_1
           : p->element_size == 2 ? set_2
           : p->element_size == 4 ? set_4
                                  : set_8;
}

/* The place that the indices name, or -1: none, or another item's. */
static inline int64_t place_of(const struct k_index *p, const struct item *item,
                               const struct walk *walk, void *const buffers[])
{
    if (p->parts == 1) return walk_place(p, walk, buffers);
    const int64_t first = walk_index(p, &p->index[0], buffers[K_INDEX_FIRST], walk->at[0]);
    if (first >= 0 && (first < item->begin || first >= item->end)) return -1;
    return walk_place(p, walk, buffers);
}

/* Everything inside of the axes that are walked in order, at one place. */
static void write_inner(const struct k_index *p, const struct item *item, run_fn *run,
                        const struct walk *walk, int64_t place, void *const buffers[])
{
    const int last = p->rank - 1, first = p->rank - p->inner;
    const int64_t size = p->element_size;
    int64_t rows = 1, at[K_INDEX_RANK] = {0};
    char *to = (char *)buffers[K_INDEX_TABLE] + place * size;
    const char *from = (const char *)buffers[K_INDEX_VALUES] + walk->values * size;
    if (p->inner == 0) {
        run(p->combine, to, size, from, size, 1);
        return;
    }
    for (int axis = first; axis < last; axis++)
        rows *= p->sizes[axis];
    for (int64_t row = 0; row < rows; row++) {
        run(p->combine, to, p->table_strides[last] * size, from, p->value_strides[last] * size,
            item->count);
        for (int axis = last - 1; axis >= first; axis--) {
            to += p->table_strides[axis] * size;
            from += p->value_strides[axis] * size;
            if (++at[axis] < p->sizes[axis]) break;
            to -= p->sizes[axis] * p->table_strides[axis] * size;
            from -= p->sizes[axis] * p->value_strides[axis] * size;
            at[axis] = 0;
        }
    }
}

/* All positions of the axes that are walked in order. */
static void write_item(const struct k_index *p, const struct item *item, struct walk walk,
                       void *const buffers[])
{
    const int first = p->outer, end = p->rank - p->inner;
    run_fn *run = run_of(p);
    int64_t positions = 1, at[K_INDEX_RANK] = {0};
    int64_t sizes[K_INDEX_RANK];
    memcpy(sizes, p->sizes, sizeof sizes);
    if (p->inner == 0) sizes[p->rank - 1] = item->count;
    for (int axis = first; axis < end; axis++)
        positions *= sizes[axis];
    for (int64_t i = 0; i < positions; i++) {
        const int64_t place = place_of(p, item, &walk, buffers);
        if (place >= 0) write_inner(p, item, run, &walk, place, buffers);
        for (int axis = end - 1; axis >= first; axis--) {
            walk_along(p, &walk, axis, 1);
            if (++at[axis] < sizes[axis]) break;
            walk_along(p, &walk, axis, -sizes[axis]);
            at[axis] = 0;
        }
    }
}

void k_scatter(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_index *p = parameters;
    const int last = p->rank - 1;
    for (int64_t i = slice.begin; i < slice.end; i++) {
        const int64_t part = i % p->parts, piece = i / p->parts % p->pieces;
        const int64_t begin = piece * p->piece, rest = p->sizes[last] - begin;
        const struct item item = {.count = rest < p->piece ? rest : p->piece,
                                  .begin = part * p->part,
                                  .end = (part + 1) * p->part};
        struct walk walk = walk_begin(p);
        walk_to(p, &walk, 0, p->outer, i / p->parts / p->pieces);
        walk_along(p, &walk, last, begin);
        write_item(p, &item, walk, buffers);
    }
}
