/* SPDX-License-Identifier: Apache-2.0 */
/* table[i, place of i] = it combined with values[i], in the order of i for each element of the
 * table: the same bits for every cutting. An item has some of the axes whose positions never meet,
 * a piece of the last of them and some of the places of the first index. */
#include "kernels/index/walk.h"

/* What an item writes: count elements of the last axis, places [begin, end) of the first index. */
struct item {
    int64_t count, begin, end;
};

/* Values whose places one tensor of indices names, one each; steps in bytes. */
struct line {
    const void *index;
    bool is_wide;
    int64_t index_step, size, wrap;
    int64_t begin, places; /* of the indices that are this item's */
    char *to;              /* the place of index 0; */
    int64_t step, along;   /* of one more; of the next value's */
    const char *from;
    int64_t from_step, count;
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
static bool either(enum k_combine combine)
{
    return combine == K_ADD || combine == K_MAX;
}

static void run_bool(enum k_combine combine, char *to, int64_t to_step, const char *from,
                     int64_t from_step, int64_t count)
{
    const bool is_or = either(combine);
    for (int64_t i = 0; i < count; i++, to += to_step, from += from_step)
        *to = is_or ? (*to != 0 || *from != 0) : (*to != 0 && *from != 0);
}

/* Elements of 16 bytes take the values' place. */
static void run_wide(enum k_combine combine, char *to, int64_t to_step, const char *from,
                     int64_t from_step, int64_t count)
{
    (void)combine;
    walk_copy(16, to, to_step, from, from_step, count);
}

K_TEMPLATE
void load_parts(bool is_wide, const char *from, double part[2])
{
    for (int i = 0; i < 2; i++)
        part[i] = is_wide ? ((const double *)(const void *)from)[i]
                          : (double)((const float *)(const void *)from)[i];
}

/* Sums and products of complex numbers, in double. */
K_TEMPLATE
void run_complex(bool is_wide, enum k_combine combine, char *to, int64_t to_step, const char *from,
                 int64_t from_step, int64_t count)
{
    for (int64_t i = 0; i < count; i++, to += to_step, from += from_step) {
        double a[2], b[2];
        load_parts(is_wide, to, a);
        load_parts(is_wide, from, b);
        const double real = combine == K_MUL ? a[0] * b[0] - a[1] * b[1] : a[0] + b[0];
        const double imaginary = combine == K_MUL ? a[0] * b[1] + a[1] * b[0] : a[1] + b[1];
        if (is_wide) {
            ((double *)(void *)to)[0] = real;
            ((double *)(void *)to)[1] = imaginary;
        } else {
            ((float *)(void *)to)[0] = (float)real;
            ((float *)(void *)to)[1] = (float)imaginary;
        }
    }
}

static void run_c64(enum k_combine combine, char *to, int64_t to_step, const char *from,
                    int64_t from_step, int64_t count)
{
    run_complex(false, combine, to, to_step, from, from_step, count);
}

static void run_c128(enum k_combine combine, char *to, int64_t to_step, const char *from,
                     int64_t from_step, int64_t count)
{
    run_complex(true, combine, to, to_step, from, from_step, count);
}

/* What is done in a type: NULL where there is no line. */
struct type {
    run_fn *run;
    int64_t (*line)(enum k_combine combine, const struct line *line);
};

static struct type type_of(const struct k_index *p)
{
    static const struct type types[] = {
        [K_F32] = {run_f32, line_f32}, [K_F64] = {run_f64, line_f64}, [K_I8] = {run_i8, line_i8},
        [K_U8] = {run_u8, line_u8},    [K_I16] = {run_i16, line_i16}, [K_U16] = {run_u16, line_u16},
        [K_I32] = {run_i32, line_i32}, [K_U32] = {run_u32, line_u32}, [K_I64] = {run_i64, line_i64},
        [K_BOOL] = {run_bool, NULL},
    };
    static const struct type wide = {run_wide, NULL};
    static const struct type complex_types[] = {{run_c64, NULL}, {run_c128, NULL}};
    if (p->combine != K_SET && p->is_complex) return complex_types[p->dtype == K_F64];
    if (p->combine != K_SET) return types[p->dtype];
    if (p->element_size == 16) return wide;
    return types[p->element_size == 1   ? K_U8
                 : p->element_size == 2 ? K_U16
                 : p->element_size == 4 ? K_U32
                                        : K_I64];
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
    if (p->inner <= 1) {
        run(p->combine, to, p->inner ? p->table_strides[last] * size : size, from,
            p->inner ? p->value_strides[last] * size : size, p->inner ? item->count : 1);
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

/* count positions along an axis that have a value and an index each. */
static void write_line(const struct k_index *p, const struct item *item, const struct type *type,
                       const struct walk *walk, int axis, int64_t count, void *const buffers[])
{
    const struct k_index_tensor *tensor = &p->index[0];
    const int64_t size = p->element_size, index_size = tensor->is_wide ? 8 : 4;
    const int64_t end = item->end < tensor->size ? item->end : tensor->size;
    const struct line line = {
        .index = (const char *)buffers[K_INDEX_FIRST] + walk->at[0] * index_size,
        .is_wide = tensor->is_wide,
        .index_step = tensor->strides[axis],
        .size = tensor->size,
        .wrap = p->wraps ? tensor->size : 0,
        .begin = item->begin,
        .places = end > item->begin ? end - item->begin : 0,
        .to = (char *)buffers[K_INDEX_TABLE] + walk->table * size,
        .step = tensor->step * size,
        .along = p->table_strides[axis] * size,
        .from = (const char *)buffers[K_INDEX_VALUES] + walk->values * size,
        .from_step = p->value_strides[axis] * size,
        .count = count,
    };
    const int64_t bad = type->line(p->combine, &line);
    if (bad >= 0) walk_note(p, buffers, walk->number + bad * p->number_strides[axis], 0);
}

/* count positions along an axis, the last of those that are walked in order. */
static void write_axis(const struct k_index *p, const struct item *item, const struct type *type,
                       struct walk walk, int axis, int64_t count, void *const buffers[])
{
    if (p->inner == 0 && p->count == 1 && type->line) {
        write_line(p, item, type, &walk, axis, count, buffers);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        const int64_t place = place_of(p, item, &walk, buffers);
        if (place >= 0) write_inner(p, item, type->run, &walk, place, buffers);
        walk_along(p, &walk, axis, 1);
    }
}

/* All positions of the axes that are walked in order. */
static void write_item(const struct k_index *p, const struct item *item, struct walk walk,
                       void *const buffers[])
{
    const int first = p->outer, last = p->rank - p->inner - 1;
    const struct type type = type_of(p);
    int64_t rows = 1, at[K_INDEX_RANK] = {0};
    if (last < first) { /* all values go to one place each */
        const int64_t place = place_of(p, item, &walk, buffers);
        if (place >= 0) write_inner(p, item, type.run, &walk, place, buffers);
        return;
    }
    const int64_t count = p->inner == 0 ? item->count : p->sizes[last];
    for (int axis = first; axis < last; axis++)
        rows *= p->sizes[axis];
    for (int64_t row = 0; row < rows; row++) {
        write_axis(p, item, &type, walk, last, count, buffers);
        for (int axis = last - 1; axis >= first; axis--) {
            walk_along(p, &walk, axis, 1);
            if (++at[axis] < p->sizes[axis]) break;
            walk_along(p, &walk, axis, -p->sizes[axis]);
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
