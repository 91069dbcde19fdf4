/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of a loop: the same for every level. */
#include "kernels/loop/k_loop.h"

#include <string.h>

enum {
    EDGE = 64,        /* rows and columns of a box that transposes: some lines of memory */
    EDGE_MIN = 4,     /* an axis shorter than this is no reason to transpose */
    GRAIN = 32,       /* tiles of a copy that are worth a thread */
    STREAM_MIN = 128, /* bytes of a row of results from which it is worth non-temporal stores */
};

enum k_compute k_compute_of(enum k_dtype dtype)
{
    switch (dtype) {
    case K_F32:
    case K_F16:
    case K_BF16:
        return K_AS_F32;
    case K_F64:
        return K_AS_F64;
    case K_U32:
    case K_I64:
    case K_U64:
        return K_AS_I64;
    default:
        return K_AS_I32;
    }
}

enum k_dtype k_dtype_of(enum k_compute compute)
{
    static const enum k_dtype dtypes[] = {
        [K_AS_F32] = K_F32, [K_AS_F64] = K_F64, [K_AS_I32] = K_I32,
        [K_AS_I64] = K_I64, [K_AS_F16] = K_F16, [K_AS_BF16] = K_BF16};
    return dtypes[compute];
}

int64_t k_dtype_size(enum k_dtype dtype)
{
    static const uint8_t bytes[] = {
        [K_F32] = 4, [K_F16] = 2, [K_BF16] = 2, [K_F64] = 8, [K_I8] = 1,  [K_U8] = 1,  [K_I16] = 2,
        [K_U16] = 2, [K_I32] = 4, [K_U32] = 4,  [K_I64] = 8, [K_U64] = 8, [K_BOOL] = 1};
    return bytes[dtype];
}

static int all_operands(const struct k_loop *loop)
{
    return loop->results + loop->operands;
}

static void move_axis(struct k_loop *loop, int to, int from)
{
    loop->sizes[to] = loop->sizes[from];
    for (int i = 0; i < all_operands(loop); i++)
        loop->operand[i].strides[to] = loop->operand[i].strides[from];
}

static void swap_axes(struct k_loop *loop, int a, int b)
{
    const int64_t size = loop->sizes[a];
    loop->sizes[a] = loop->sizes[b];
    loop->sizes[b] = size;
    for (int i = 0; i < all_operands(loop); i++) {
        int64_t *strides = loop->operand[i].strides;
        const int64_t stride = strides[a];
        strides[a] = strides[b];
        strides[b] = stride;
    }
}

/* Whether axis a belongs outside of axis b: by the results' strides, then by the operands'. */
static bool goes_outside(const struct k_loop *loop, int a, int b)
{
    for (int i = 0; i < all_operands(loop); i++) {
        const int64_t *strides = loop->operand[i].strides;
        if (strides[a] != strides[b]) return strides[a] > strides[b];
    }
    return false;
}

/* Whether stepping over the whole of axis b is one step of axis a, for everybody. */
static bool continues(const struct k_loop *loop, int a, int b)
{
    for (int i = 0; i < all_operands(loop); i++) {
        const int64_t *strides = loop->operand[i].strides;
        int64_t step;
        if (__builtin_mul_overflow(strides[b], loop->sizes[b], &step) || strides[a] != step)
            return false;
    }
    return true;
}

static void merge_axes(struct k_loop *loop)
{
    int rank = 0, last = 0;
    for (int axis = 0; axis < loop->rank; axis++)
        if (loop->sizes[axis] != 1) move_axis(loop, rank++, axis);
    for (int i = 1; i < rank; i++)
        for (int j = i; j > 0 && goes_outside(loop, j, j - 1); j--)
            swap_axes(loop, j, j - 1);
    for (int axis = 1; axis < rank; axis++) {
        if (continues(loop, last, axis)) {
            const int64_t size = loop->sizes[last] * loop->sizes[axis];
            move_axis(loop, last, axis);
            loop->sizes[last] = size;
        } else {
            move_axis(loop, ++last, axis);
        }
    }
    if (rank == 0) {
        loop->sizes[0] = 1;
        for (int i = 0; i < all_operands(loop); i++)
            loop->operand[i].strides[0] = 1;
    }
    loop->rank = last + 1;
}

/* The axis along which some operand runs that does not run along the last one; -1: none. */
static int transposed_axis(const struct k_loop *loop)
{
    const int inner = loop->rank - 1;
    if (loop->sizes[inner] < EDGE_MIN) return -1;
    for (int i = 0; i < all_operands(loop); i++) {
        const int64_t *strides = loop->operand[i].strides;
        if (strides[inner] == 1 || strides[inner] == 0) continue;
        for (int axis = inner - 1; axis >= 0; axis--)
            if (strides[axis] == 1 && loop->sizes[axis] >= EDGE_MIN) return axis;
    }
    return -1;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Bytes of an element, of any operand or as it is computed. */
static int64_t widest(const struct k_loop *loop)
{
    int64_t bytes = k_dtype_size(k_dtype_of(loop->compute));
    for (int i = 0; i < all_operands(loop); i++)
        if (k_dtype_size(loop->operand[i].dtype) > bytes)
            bytes = k_dtype_size(loop->operand[i].dtype);
    return bytes;
}

static void find_boxes(struct k_loop *loop)
{
    struct k_loop_walk *walk = &loop->walk;
    const int inner = loop->rank - 1, transposed = transposed_axis(loop);
    walk->columns = smaller(loop->sizes[inner], K_LOOP_TILE);
    walk->rows = 1;
    walk->across = -1;
    if (transposed >= 0) {
        walk->across = transposed;
        walk->rows = smaller(loop->sizes[transposed], EDGE);
        walk->columns = smaller(loop->sizes[inner], K_LOOP_BLOCK_BYTES / widest(loop) / EDGE);
    } else if (inner > 0 && walk->columns <= K_LOOP_TILE / 2) {
        walk->across = inner - 1;
        walk->rows = smaller(loop->sizes[inner - 1], K_LOOP_TILE / walk->columns);
    }
    const int64_t rows = walk->across < 0 ? 1 : loop->sizes[walk->across];
    walk->row_boxes = (rows + walk->rows - 1) / walk->rows;
    walk->column_boxes = (loop->sizes[inner] + walk->columns - 1) / walk->columns;
}

static bool is_flat(const struct k_loop *loop)
{
    bool is = loop->rank == 1;
    for (int i = 0; i < all_operands(loop) && is; i++) {
        const struct k_loop_operand *operand = &loop->operand[i];
        is = operand->strides[0] == 1 && operand->dtype == k_dtype_of(loop->compute) &&
             operand->via == operand->dtype;
    }
    return is;
}

/* The results together, in bytes, or 0 when one is not dense along the last axis. */
static int64_t dense_result_bytes(const struct k_loop *loop, int64_t elements)
{
    int64_t bytes = 0;
    for (int i = 0; i < loop->results; i++) {
        if (loop->operand[i].strides[loop->rank - 1] != 1) return 0;
        bytes += elements * k_dtype_size(loop->operand[i].dtype);
    }
    return bytes;
}

struct k_work k_loop_finish(struct k_loop *loop, int cost)
{
    struct k_loop_walk *walk = &loop->walk;
    merge_axes(loop);
    find_boxes(loop);
    int64_t items = walk->row_boxes * walk->column_boxes, elements = 1;
    for (int axis = 0; axis < loop->rank; axis++) {
        elements *= loop->sizes[axis];
        if (axis != loop->rank - 1 && axis != walk->across) items *= loop->sizes[axis];
    }
    walk->is_flat = is_flat(loop);
    walk->streams = dense_result_bytes(loop, elements) > (int64_t)k_cache_last_level() &&
                    walk->columns * k_dtype_size(loop->operand[0].dtype) >= STREAM_MIN;
    walk->prefetches = walk->streams && loop->is_copy &&
                       k_dtype_size(loop->operand[0].dtype) >= k_dtype_size(loop->operand[1].dtype);
    const int64_t tile = walk->rows * walk->columns;
    int64_t grain = (int64_t)GRAIN * K_LOOP_TILE / tile / cost;
    return (struct k_work){.items = items, .grain = grain > 0 ? grain : 1};
}
