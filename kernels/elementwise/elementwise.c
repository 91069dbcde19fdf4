/* SPDX-License-Identifier: Apache-2.0 */
/* result[i] = f(operand[i]). A tile's operand is used where it lies if its elements follow each
 * other, else gathered; the function runs over the tile; its result is stored or scattered. So the
 * function exists once per type and never sees a stride. */
#include <string.h>

#include "kernels/elementwise/k_elementwise.h"
#include "kernels/vector/simd.h"

#define K_WITH_BODIES
#define K_UNARY(name)
#include "kernels/elementwise/unary.def"
#undef K_WITH_BODIES

K_TEMPLATE
int64_t bytes_of(enum k_dtype dtype)
{
    switch (dtype) {
    case K_I8:
    case K_U8:
    case K_BOOL:
        return 1;
    case K_F16:
    case K_BF16:
    case K_I16:
        return 2;
    case K_F64:
    case K_I64:
        return 8;
    default:
        return 4;
    }
}

typedef void tile_fn(const char *from, char *to, int64_t count);

/* ---- a function over a tile, per element type ---- */

/* The last elements go through a vector of zeros. */
K_TEMPLATE
void run_floats(enum k_dtype dt, vf (*body)(vf), const char *from, char *to, int64_t count)
{
    const int64_t size = k_size(dt);
    char last[K_VECTOR_BYTES];
    int64_t i = 0;
    for (; i + VL <= count; i += VL)
        k_store(dt, to + i * size, body(k_load(dt, from + i * size)));
    if (i == count) return;
    k_store(dt, last, body(k_load_first(dt, from + i * size, (int)(count - i))));
    memcpy(to + i * size, last, (size_t)((count - i) * size));
}

K_TEMPLATE
void run_doubles(enum k_dtype dt, double (*body)(double), const char *from, char *to, int64_t count)
{
    (void)dt;
    for (int64_t i = 0; i < count; i++) {
        double value;
        memcpy(&value, from + i * 8, sizeof value);
        value = body(value);
        memcpy(to + i * 8, &value, sizeof value);
    }
}

K_TEMPLATE
int64_t integer_at(enum k_dtype dt, const char *at)
{
    union {
        int8_t i8;
        uint8_t u8;
        int16_t i16;
        int32_t i32;
        int64_t i64;
    } value;
    memcpy(&value, at, (size_t)bytes_of(dt));
    switch (dt) {
    case K_I8:
        return value.i8;
    case K_U8:
        return value.u8;
    case K_BOOL:
        return value.u8 != 0;
    case K_I16:
        return value.i16;
    case K_I32:
        return value.i32;
    default:
        return value.i64;
    }
}

/* The low bytes of a value; of BOOL whether it is not 0. */
K_TEMPLATE
void put_integer(enum k_dtype dt, char *at, int64_t value)
{
    const uint8_t u8 = (uint8_t)value;
    const uint16_t u16 = (uint16_t)value;
    const uint32_t u32 = (uint32_t)value;
    if (dt == K_BOOL)
        *at = value != 0;
    else if (bytes_of(dt) == 1)
        memcpy(at, &u8, sizeof u8);
    else if (bytes_of(dt) == 2)
        memcpy(at, &u16, sizeof u16);
    else if (bytes_of(dt) == 4)
        memcpy(at, &u32, sizeof u32);
    else
        memcpy(at, &value, sizeof value);
}

K_TEMPLATE
void run_integers(enum k_dtype dt, int64_t (*body)(int64_t), const char *from, char *to,
                  int64_t count)
{
    const int64_t size = bytes_of(dt);
    for (int64_t i = 0; i < count; i++)
        put_integer(dt, to + i * size, body(integer_at(dt, from + i * size)));
}

#define TILE(name, dt, suffix, run, body)                                                          \
    static void name##_tile_##suffix(const char *from, char *to, int64_t count)                    \
    {                                                                                              \
        run(dt, body, from, to, count);                                                            \
    }
#define K_UNARY(name)                                                                              \
    TILE(name, K_F32, f32, run_floats, name##_f32)                                                 \
    TILE(name, K_F16, f16, run_floats, name##_f32)                                                 \
    TILE(name, K_BF16, bf16, run_floats, name##_f32)                                               \
    TILE(name, K_F64, f64, run_doubles, name##_f64)                                                \
    TILE(name, K_I8, i8, run_integers, name##_i64)                                                 \
    TILE(name, K_U8, u8, run_integers, name##_i64)                                                 \
    TILE(name, K_I16, i16, run_integers, name##_i64)                                               \
    TILE(name, K_I32, i32, run_integers, name##_i64)                                               \
    TILE(name, K_I64, i64, run_integers, name##_i64)                                               \
    TILE(name, K_BOOL, bool, run_integers, name##_i64)
#include "kernels/elementwise/unary.def"

static tile_fn *const functions[K_UNARIES][K_BOOL + 1] = {
#define K_UNARY(name)                                                                              \
    [K_UNARY_##name] = {                                                                           \
        [K_F32] = name##_tile_f32,  [K_F16] = name##_tile_f16, [K_BF16] = name##_tile_bf16,        \
        [K_F64] = name##_tile_f64,  [K_I8] = name##_tile_i8,   [K_U8] = name##_tile_u8,            \
        [K_I16] = name##_tile_i16,  [K_I32] = name##_tile_i32, [K_I64] = name##_tile_i64,          \
        [K_BOOL] = name##_tile_bool},
#include "kernels/elementwise/unary.def"
};

/* ---- tiles ---- */

/* Where the walk stands: the index along each axis. */
struct place {
    int64_t index[K_ELEMENTWISE_RANK];
};

static struct place place_of(const struct k_elementwise *e, int64_t element)
{
    struct place place;
    for (int axis = e->rank - 1; axis >= 0; axis--) {
        place.index[axis] = element % e->sizes[axis];
        element /= e->sizes[axis];
    }
    return place;
}

static int64_t offset_of(const struct k_elementwise *e, const int64_t *strides,
                         const struct place *place)
{
    int64_t offset = 0;
    for (int axis = 0; axis < e->rank; axis++)
        offset += place->index[axis] * strides[axis];
    return offset;
}

/* Copies a run of `count` elements of constant size; strides in elements. */
K_TEMPLATE
void copy_run(int64_t size, char *to, int64_t to_step, const char *from, int64_t from_step,
              int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        memcpy(to + i * to_step * size, from + i * from_step * size, (size_t)size);
}

static void copy_run_of(int64_t size, char *to, int64_t to_step, const char *from,
                        int64_t from_step, int64_t count)
{
    if (to_step == 1 && from_step == 1)
        memcpy(to, from, (size_t)(count * size));
    else if (size == 1)
        copy_run(1, to, to_step, from, from_step, count);
    else if (size == 2)
        copy_run(2, to, to_step, from, from_step, count);
    else if (size == 4)
        copy_run(4, to, to_step, from, from_step, count);
    else
        copy_run(8, to, to_step, from, from_step, count);
}

/* Elements of a tensor from `place` on, into or out of a dense tile, run by run. */
static void move_tile(const struct k_elementwise *e, bool gathers, const int64_t *strides,
                      struct place place, char *tensor, char *tile, int64_t count)
{
    const int inner = e->rank - 1;
    const int64_t size = bytes_of(e->dtype), step = strides[inner];
    while (count > 0) {
        const int64_t left = e->sizes[inner] - place.index[inner];
        const int64_t run = left < count ? left : count;
        char *at = tensor + offset_of(e, strides, &place) * size;
        if (gathers)
            copy_run_of(size, tile, 1, at, step, run);
        else
            copy_run_of(size, at, step, tile, 1, run);
        tile += run * size;
        count -= run;
        place.index[inner] += run;
        for (int axis = inner; axis > 0 && place.index[axis] == e->sizes[axis]; axis--) {
            place.index[axis] = 0;
            place.index[axis - 1]++;
        }
    }
}

/* Of the tile's elements in the tensor: one behind the other from `place` on? */
static bool is_run(const struct k_elementwise *e, const int64_t *strides, const struct place *place,
                   int64_t count)
{
    const int inner = e->rank - 1;
    return strides[inner] == 1 && e->sizes[inner] - place->index[inner] >= count;
}

k_fn K_SYMBOL(elementwise_dense), K_SYMBOL(elementwise_strided);

void K_SYMBOL(elementwise_dense)(const void *parameters, void *const buffers[],
                                 struct k_slice slice)
{
    const struct k_elementwise *e = parameters;
    const int64_t size = bytes_of(e->dtype), begin = slice.begin * K_ELEMENTWISE_TILE;
    int64_t end = slice.end * K_ELEMENTWISE_TILE;
    if (end > e->elements) end = e->elements;
    if (begin >= end) return;
    functions[e->function][e->dtype]((const char *)buffers[K_ELEMENTWISE_FROM] + begin * size,
                                     (char *)buffers[K_ELEMENTWISE_TO] + begin * size, end - begin);
}

void K_SYMBOL(elementwise_strided)(const void *parameters, void *const buffers[],
                                   struct k_slice slice)
{
    const struct k_elementwise *e = parameters;
    char *from = buffers[K_ELEMENTWISE_FROM], *to = buffers[K_ELEMENTWISE_TO];
    const int64_t size = bytes_of(e->dtype);
    _Alignas(64) char tile[K_ELEMENTWISE_TILE * 8];
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t begin = item * K_ELEMENTWISE_TILE, left = e->elements - begin;
        const int64_t count = left < K_ELEMENTWISE_TILE ? left : K_ELEMENTWISE_TILE;
        const struct place place = place_of(e, begin);
        const char *source = tile;
        if (is_run(e, e->from_strides, &place, count))
            source = from + offset_of(e, e->from_strides, &place) * size;
        else
            move_tile(e, true, e->from_strides, place, from, tile, count);
        if (is_run(e, e->to_strides, &place, count)) {
            functions[e->function][e->dtype](
                source, to + offset_of(e, e->to_strides, &place) * size, count);
        } else {
            functions[e->function][e->dtype](source, tile, count);
            move_tile(e, false, e->to_strides, place, to, tile, count);
        }
    }
}
