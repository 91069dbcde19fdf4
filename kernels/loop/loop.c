/* SPDX-License-Identifier: Apache-2.0 */
/* A box of the loop is a tile: operands that lie dense in the compute type are used where they are;
 * others are gathered and widened into a tile of the stack. The body runs over the tile. Its
 * results are stored where they belong, or narrowed and scattered. A box's operands are all read
 * before its first result is written, so a result may be an operand. */
#include "kernels/loop/loop.h"

#include <string.h>

#include "kernels/loop/convert.h"
#include "kernels/vector/simd.h"
#include "kernels/vector/transpose.h"

enum { TILE_BYTES = K_LOOP_BLOCK_BYTES, PIECE_BYTES = 1024 };

/* The box at work: where it begins, and its extents. */
struct box {
    int64_t offset[K_LOOP_OPERANDS]; /* in elements, of each operand */
    int64_t rows, columns;
};

static int all_operands(const struct k_loop *loop)
{
    return loop->results + loop->operands;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void find_box(const struct k_loop *loop, int64_t item, struct box *box)
{
    const struct k_loop_walk *walk = &loop->walk;
    const int inner = loop->rank - 1, across = walk->across;
    const int64_t column = item % walk->column_boxes * walk->columns;
    int64_t rest = item / walk->column_boxes, index[K_LOOP_RANK] = {0};
    const int64_t row = rest % walk->row_boxes * walk->rows;
    rest /= walk->row_boxes;
    for (int axis = inner - 1; axis >= 0 && rest > 0; axis--) {
        if (axis == across) continue;
        index[axis] = rest % loop->sizes[axis];
        rest /= loop->sizes[axis];
    }
    index[inner] = column;
    if (across >= 0) index[across] = row;
    for (int i = 0; i < all_operands(loop); i++) {
        const int64_t *strides = loop->operand[i].strides;
        int64_t offset = loop->operand[i].offset;
        for (int axis = 0; axis < loop->rank; axis++)
            offset += index[axis] * strides[axis];
        box->offset[i] = offset;
    }
    box->columns = smaller(walk->columns, loop->sizes[inner] - column);
    box->rows = across < 0 ? 1 : smaller(walk->rows, loop->sizes[across] - row);
}

/* ---- elements of a constant size between a box and a tile ---- */

/* Copies of one element. */
K_TEMPLATE
void repeat(int64_t size, char *to, const char *from, int64_t count)
{
    char line[LINE_BYTES];
    const int64_t bytes = count * size;
    for (int64_t i = 0; i < LINE_BYTES; i += size)
        memcpy(line + i, from, (size_t)size);
    int64_t at = 0;
    for (; at + LINE_BYTES <= bytes; at += LINE_BYTES)
        memcpy(to + at, line, LINE_BYTES);
    memcpy(to + at, line, (size_t)(bytes - at));
}

/* One row; steps in elements. */
K_TEMPLATE
void move_row(int64_t size, char *to, int64_t to_step, const char *from, int64_t from_step,
              int64_t count)
{
    if (to_step == 1 && from_step == 1)
        memcpy(to, from, (size_t)(count * size));
    else if (to_step == 1 && from_step == 0)
        repeat(size, to, from, count);
    else if (to_step == 1)
        for (int64_t i = 0; i < count; i++)
            memcpy(to + i * size, from + i * from_step * size, (size_t)size);
    else
        for (int64_t i = 0; i < count; i++)
            memcpy(to + i * to_step * size, from + i * from_step * size, (size_t)size);
}

/* The side that is no tile has its own steps along rows and columns. */
K_TEMPLATE
void move_box(int64_t size, bool gathers, char *tile, char *tensor, const struct box *box,
              int64_t row_step, int64_t column_step)
{
    const int64_t tile_row = box->columns * size;
    if (row_step == 1 && column_step != 1) {
        if (gathers)
            transpose_elements(size, tensor, column_step * size, tile, tile_row, box->columns,
                               box->rows);
        else
            transpose_elements(size, tile, tile_row, tensor, column_step * size, box->rows,
                               box->columns);
        return;
    }
    for (int64_t i = 0; i < box->rows; i++) {
        char *in_tile = tile + i * tile_row, *in_tensor = tensor + i * row_step * size;
        if (gathers)
            move_row(size, in_tile, 1, in_tensor, column_step, box->columns);
        else
            move_row(size, in_tensor, column_step, in_tile, 1, box->columns);
    }
}

static void gather(int64_t size, char *tile, char *tensor, const struct box *box, int64_t row_step,
                   int64_t column_step)
{
    if (size == 1)
        move_box(1, true, tile, tensor, box, row_step, column_step);
    else if (size == 2)
        move_box(2, true, tile, tensor, box, row_step, column_step);
    else if (size == 4)
        move_box(4, true, tile, tensor, box, row_step, column_step);
    else
        move_box(8, true, tile, tensor, box, row_step, column_step);
}

static void scatter(int64_t size, char *tile, char *tensor, const struct box *box, int64_t row_step,
                    int64_t column_step)
{
    if (size == 1)
        move_box(1, false, tile, tensor, box, row_step, column_step);
    else if (size == 2)
        move_box(2, false, tile, tensor, box, row_step, column_step);
    else if (size == 4)
        move_box(4, false, tile, tensor, box, row_step, column_step);
    else
        move_box(8, false, tile, tensor, box, row_step, column_step);
}

/* Copies by non-temporal stores: whole lines of the target, its ends as usual. */
static void stream_bytes(char *to, const char *from, int64_t bytes)
{
    const int64_t head = smaller((int64_t)(-(uintptr_t)to & (LINE_BYTES - 1)), bytes);
    memcpy(to, from, (size_t)head);
    int64_t at = head;
    for (; at + LINE_BYTES <= bytes; at += LINE_BYTES)
        for (int64_t i = 0; i < LINE_BYTES; i += K_VECTOR_BYTES)
            k_stream(to + at + i, v_load((const float *)(const void *)(from + at + i)));
    memcpy(to + at, from + at, (size_t)(bytes - at));
}

/* ---- operands and results of a box ---- */

struct view {
    char *at; /* of the box's first element */
    int64_t size, row_step, column_step;
    bool is_dense; /* the box's elements follow each other */
};

static struct view view_of(const struct k_loop *loop, int i, void *const buffers[],
                           const struct box *box)
{
    const struct k_loop_operand *operand = &loop->operand[i];
    const int across = loop->walk.across;
    struct view view = {.size = k_dtype_size(operand->dtype),
                        .row_step = across < 0 ? 0 : operand->strides[across],
                        .column_step = operand->strides[loop->rank - 1]};
    view.at = (char *)buffers[i] + box->offset[i] * view.size;
    view.is_dense = (view.column_step == 1 || box->columns == 1) &&
                    (box->rows == 1 || view.row_step == box->columns);
    return view;
}

/* Makes what is in the tile values of another type. */
static void pass_through(const struct k_loop *loop, enum k_dtype via, char *tile, char *room,
                         int64_t count)
{
    k_narrow(loop->compute, via, tile, room, count);
    k_widen(loop->compute, via, room, tile, count);
}

/* Integers as values of a half type, rounded once: by way of f32 large ones would be twice. */
static bool rounds_integers(const struct k_loop *loop, const struct k_loop_operand *operand)
{
    return loop->compute == K_AS_F32 && (operand->via == K_F16 || operand->via == K_BF16) &&
           (operand->dtype == K_I64 || operand->dtype == K_I32 || operand->dtype == K_U32);
}

static void round_integers(const struct k_loop_operand *operand, const char *from, char *tile,
                           int64_t count)
{
    enum { PART = 64 };
    int64_t whole[PART];
    char rounded[2 * PART];
    for (int64_t i = 0; i < count; i += PART) {
        const int64_t some = count - i < PART ? count - i : PART;
        k_widen(K_AS_I64, operand->dtype, from + i * k_dtype_size(operand->dtype), whole, some);
        k_narrow(K_AS_I64, operand->via, whole, rounded, some);
        k_widen(K_AS_F32, operand->via, rounded, tile + i * (int64_t)sizeof(float), some);
    }
}

/* The operand's elements as a dense tile of the compute type: where they lie, or in `tile`. */
static const void *fetch(const struct k_loop *loop, int i, void *const buffers[],
                         const struct box *box, char *tile, char *room)
{
    const struct k_loop_operand *operand = &loop->operand[i];
    const struct view view = view_of(loop, i, buffers, box);
    const int64_t count = box->rows * box->columns;
    const bool is_plain = operand->dtype == k_dtype_of(loop->compute);
    const char *elements = view.at;
    if (!view.is_dense) {
        char *into = is_plain ? tile : room;
        gather(view.size, into, view.at, box, view.row_step, view.column_step);
        elements = into;
    }
    if (is_plain) return elements;
    if (rounds_integers(loop, operand)) {
        round_integers(operand, elements, tile, count);
        return tile;
    }
    k_widen(loop->compute, operand->dtype, elements, tile, count);
    if (operand->via != operand->dtype) pass_through(loop, operand->via, tile, room, count);
    return tile;
}

static bool is_direct(const struct k_loop *loop, int i, const struct view *view)
{
    return view->is_dense && !loop->walk.streams &&
           loop->operand[i].dtype == k_dtype_of(loop->compute) &&
           loop->operand[i].via == loop->operand[i].dtype;
}

/* Stores a box's elements where they belong. */
static void place(const struct k_loop *loop, const struct view *view, const struct box *box,
                  char *elements)
{
    if (!loop->walk.streams)
        scatter(view->size, elements, view->at, box, view->row_step, view->column_step);
    else if (view->is_dense)
        stream_bytes(view->at, elements, box->rows * box->columns * view->size);
    else
        for (int64_t row = 0; row < box->rows; row++)
            stream_bytes(view->at + row * view->row_step * view->size,
                         elements + row * box->columns * view->size, box->columns * view->size);
}

/* Brings a result from its tile to where it belongs. */
static void deliver(const struct k_loop *loop, int i, void *const buffers[], const struct box *box,
                    char *tile, char *room)
{
    const struct k_loop_operand *operand = &loop->operand[i];
    const struct view view = view_of(loop, i, buffers, box);
    const int64_t count = box->rows * box->columns;
    char *elements = tile;
    if (is_direct(loop, i, &view)) return; /* it is there */
    if (operand->via != operand->dtype) pass_through(loop, operand->via, tile, room, count);
    if (operand->dtype != k_dtype_of(loop->compute)) {
        elements = view.is_dense && !loop->walk.streams ? view.at : room;
        k_narrow(loop->compute, operand->dtype, tile, elements, count);
        if (elements == view.at) return;
    }
    place(loop, &view, box, elements);
}

/* A copy: converted on the way, or gathered to where it belongs. */
static void copy_box(const struct k_loop *loop, void *const buffers[], const struct box *box,
                     char *tile, char *room)
{
    const struct view to = view_of(loop, 0, buffers, box);
    const bool is_there = is_direct(loop, 0, &to);
    const void *from = fetch(loop, 1, buffers, box, is_there ? to.at : tile, room);
    if (!is_there)
        deliver(loop, 0, buffers, box, (void *)(uintptr_t)from, room);
    else if (from != to.at)
        memcpy(to.at, from, (size_t)(box->rows * box->columns * to.size));
}

static void run_box(const struct k_loop *loop, k_tile_fn *body, const void *parameters,
                    void *const buffers[], const struct box *box, char (*tiles)[TILE_BYTES],
                    char *room)
{
    const void *operands[K_LOOP_OPERANDS];
    void *results[K_LOOP_OPERANDS];
    if (loop->is_copy && loop->operand[0].via == loop->operand[0].dtype) {
        copy_box(loop, buffers, box, tiles[0], room);
        return;
    }
    for (int i = loop->results; i < all_operands(loop); i++)
        operands[i - loop->results] = fetch(loop, i, buffers, box, tiles[i], room);
    for (int i = 0; i < loop->results; i++) {
        const struct view view = view_of(loop, i, buffers, box);
        results[i] = is_direct(loop, i, &view) ? (void *)view.at : (void *)tiles[i];
    }
    body(parameters, operands, results, box->rows * box->columns);
    for (int i = 0; i < loop->results; i++)
        deliver(loop, i, buffers, box, tiles[i], room);
}

/* The operands of a box that is next: between boxes hardware loses the sequence. */
static void prefetch_box(const struct k_loop *loop, void *const buffers[], const struct box *box)
{
    for (int i = loop->results; i < all_operands(loop); i++) {
        const struct view view = view_of(loop, i, buffers, box);
        const int64_t bytes = box->rows * box->columns * view.size;
        if (!view.is_dense) continue;
        for (int64_t at = 0; at < bytes; at += LINE_BYTES)
            k_prefetch_second(view.at + at);
    }
}

/* In pieces so small that the processor reads operands of the next ones while it stores the
 * results of one by non-temporal stores. The first piece ends where a line of the first result
 * does. */
static void stream_flat(const struct k_loop *loop, k_tile_fn *body, const void *parameters,
                        const void *operands[], void *results[], int64_t count)
{
    _Alignas(LINE_BYTES) char tiles[K_LOOP_OPERANDS][PIECE_BYTES];
    void *pieces[K_LOOP_OPERANDS];
    const int64_t size = k_dtype_size(k_dtype_of(loop->compute));
    int64_t piece = (int64_t)(-(uintptr_t)results[0] & (LINE_BYTES - 1)) / size;
    if (piece == 0) piece = PIECE_BYTES / size;
    for (int i = 0; i < loop->results; i++)
        pieces[i] = tiles[i];
    for (; count > 0; count -= piece, piece = PIECE_BYTES / size) {
        piece = smaller(piece, count);
        body(parameters, operands, pieces, piece);
        for (int i = 0; i < loop->results; i++) {
            stream_bytes(results[i], pieces[i], piece * size);
            results[i] = (char *)results[i] + piece * size;
        }
        for (int i = 0; i < loop->operands; i++)
            operands[i] = (const char *)operands[i] + piece * size;
    }
    k_stream_end();
}

/* All of a slice at once. */
static void run_flat(const struct k_loop *loop, k_tile_fn *body, const void *parameters,
                     void *const buffers[], struct k_slice slice)
{
    const int64_t size = k_dtype_size(k_dtype_of(loop->compute)), step = loop->walk.columns;
    const int64_t begin = slice.begin * step, end = smaller(slice.end * step, loop->sizes[0]);
    const void *operands[K_LOOP_OPERANDS];
    void *results[K_LOOP_OPERANDS];
    for (int i = 0; i < loop->results; i++)
        results[i] = (char *)buffers[i] + (loop->operand[i].offset + begin) * size;
    for (int i = 0; i < loop->operands; i++) {
        const int at = loop->results + i;
        operands[i] = (char *)buffers[at] + (loop->operand[at].offset + begin) * size;
    }
    if (begin >= end) return;
    if (!loop->walk.streams)
        body(parameters, operands, results, end - begin);
    else
        stream_flat(loop, body, parameters, operands, results, end - begin);
}

/* One axis, along which results are dense. */
static bool is_run(const struct k_loop *loop)
{
    bool is = loop->rank == 1;
    for (int i = 0; i < loop->results && is; i++)
        is = loop->operand[i].strides[0] == 1;
    return is;
}

/* A slice of a run whose boxes are all the tile. Its first piece ends where a line does. */
static void repeat_tile(const struct k_loop *loop, int i, void *const buffers[],
                        struct k_slice slice, const char *tile)
{
    const int64_t size = k_dtype_size(loop->operand[i].dtype), step = loop->walk.columns;
    const int64_t begin = slice.begin * step, end = smaller(slice.end * step, loop->sizes[0]);
    const int64_t bytes = (end - begin) * size;
    char *to = (char *)buffers[i] + (loop->operand[i].offset + begin) * size;
    int64_t piece = smaller((int64_t)(-(uintptr_t)to & (LINE_BYTES - 1)), bytes);
    piece -= piece % size;
    for (int64_t at = 0; at < bytes; at += piece, piece = smaller(step * size, bytes - at)) {
        if (loop->walk.streams)
            stream_bytes(to + at, tile, piece);
        else
            memcpy(to + at, tile, (size_t)piece);
    }
}

/* Without operands all boxes are the same: computed and narrowed once. */
static void run_constant(const struct k_loop *loop, k_tile_fn *body, const void *parameters,
                         void *const buffers[], struct k_slice slice, char (*tiles)[TILE_BYTES],
                         char *room)
{
    const int64_t count = loop->walk.rows * loop->walk.columns;
    void *results[K_LOOP_OPERANDS];
    struct box box;
    for (int i = 0; i < loop->results; i++)
        results[i] = tiles[i];
    body(parameters, NULL, results, count);
    for (int i = 0; i < loop->results; i++) {
        const struct k_loop_operand *operand = &loop->operand[i];
        if (operand->via != operand->dtype) pass_through(loop, operand->via, tiles[i], room, count);
        if (operand->dtype == k_dtype_of(loop->compute)) continue;
        k_narrow(loop->compute, operand->dtype, tiles[i], room, count);
        memcpy(tiles[i], room, (size_t)(count * k_dtype_size(operand->dtype)));
    }
    const bool repeats = is_run(loop);
    for (int i = 0; i < loop->results && repeats; i++)
        repeat_tile(loop, i, buffers, slice, tiles[i]);
    for (int64_t item = slice.begin; item < slice.end && !repeats; item++) {
        find_box(loop, item, &box);
        for (int i = 0; i < loop->results; i++) {
            const struct view view = view_of(loop, i, buffers, &box);
            place(loop, &view, &box, tiles[i]);
        }
    }
    if (loop->walk.streams) k_stream_end();
}

void k_loop_run(const struct k_loop *loop, k_tile_fn *body, const void *parameters,
                void *const buffers[], struct k_slice slice)
{
    _Alignas(LINE_BYTES) char tiles[K_LOOP_OPERANDS][TILE_BYTES], room[TILE_BYTES];
    struct box box, next;
    if (loop->walk.is_flat && !(loop->walk.streams && (loop->is_copy || loop->operands == 0))) {
        run_flat(loop, body, parameters, buffers, slice);
        return;
    }
    if (loop->operands == 0) {
        run_constant(loop, body, parameters, buffers, slice, tiles, room);
        return;
    }
    if (slice.begin < slice.end) find_box(loop, slice.begin, &next);
    for (int64_t item = slice.begin; item < slice.end; item++) {
        box = next;
        if (item + 1 < slice.end) find_box(loop, item + 1, &next);
        if (loop->walk.prefetches) prefetch_box(loop, buffers, &next);
        run_box(loop, body, parameters, buffers, &box, tiles, room);
    }
    if (loop->walk.streams) k_stream_end();
}
