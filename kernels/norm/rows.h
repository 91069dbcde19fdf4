/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of operands of any type and layout as doubles, and back; sums of them. */
#ifndef ACLNN_CPU_KERNELS_NORM_ROWS_H
#define ACLNN_CPU_KERNELS_NORM_ROWS_H

#include "kernels/loop/convert.h"
#include "kernels/norm/k_norm.h"
#include "kernels/vector/math.h"

enum {
    TILE = 1024, /* elements that are in work together */
    PIECE = 256, /* elements that are gathered together */
    VD = K_VECTOR_BYTES / 8,
    PARTS = K_NORM_LANES / VD,
};

/* An operand of the row in work. */
struct side {
    char *at; /* its first element */
    int rank;
    const int64_t *sizes, *steps;
};

struct row {
    const struct k_norm *norm;
    int64_t number;
    struct side side[K_NORM_OPERANDS];
    struct k_fault *fault;
};

/* Room for what bodies keep. */
struct room {
    _Alignas(LINE_BYTES) double keep[K_NORM_KEEP], more[K_NORM_KEEP];
    _Alignas(LINE_BYTES) double tile[3][TILE];
    /* Operands that are the same for all rows, as long as their address is this one. */
    _Alignas(LINE_BYTES) double constant[2][K_NORM_KEEP];
    const char *constant_at[2];
};

static inline bool has(const struct row *row, int operand)
{
    return operand < row->norm->operands && row->norm->operand[operand].is_there;
}

/* ---- elements as doubles ---- */

K_TEMPLATE
void widen_floats(enum k_dtype dt, const char *from, double *to, int64_t count)
{
    int64_t i = 0;
    for (; i + VL <= count; i += VL) {
        const vf x = k_load(dt, from + i * k_size(dt));
        const vd low = vd_widen(0, x), high = vd_widen(1, x);
        memcpy(to + i, &low, sizeof low);
        memcpy(to + i + VD, &high, sizeof high);
    }
    if (i == count) return;
    const vf x = k_load_first(dt, from + i * k_size(dt), (int)(count - i));
    const vd both[2] = {vd_widen(0, x), vd_widen(1, x)};
    memcpy(to + i, both, (size_t)(count - i) * sizeof *to);
}

static inline void widen(enum k_dtype dtype, const char *from, double *to, int64_t count)
{
    if (dtype == K_F32)
        widen_floats(K_F32, from, to, count);
    else if (dtype == K_F16)
        widen_floats(K_F16, from, to, count);
    else if (dtype == K_BF16)
        widen_floats(K_BF16, from, to, count);
    else
        k_widen(K_AS_F64, dtype, from, to, count);
}

/* Half types by way of f32. */
K_TEMPLATE
void narrow_floats(enum k_dtype dt, const double *from, char *to, int64_t count)
{
    vd both[2];
    int64_t i = 0;
    for (; i + VL <= count; i += VL) {
        memcpy(both, from + i, sizeof both);
        k_store(dt, to + i * k_size(dt), v_narrow(both[0], both[1]));
    }
    if (i == count) return;
    char rest[sizeof(vf)];
    memset(both, 0, sizeof both);
    memcpy(both, from + i, (size_t)(count - i) * sizeof *from);
    k_store(dt, rest, v_narrow(both[0], both[1]));
    memcpy(to + i * k_size(dt), rest, (size_t)((count - i) * k_size(dt)));
}

static inline void narrow(enum k_dtype dtype, const double *from, char *to, int64_t count)
{
    if (dtype == K_F32)
        narrow_floats(K_F32, from, to, count);
    else if (dtype == K_F16)
        narrow_floats(K_F16, from, to, count);
    else if (dtype == K_BF16)
        narrow_floats(K_BF16, from, to, count);
    else
        k_narrow(K_AS_F64, dtype, from, to, count);
}

/* Elements of a constant size; steps in elements. */
K_TEMPLATE
void move_all(int64_t size, char *to, int64_t to_step, const char *from, int64_t from_step,
              int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        memcpy(to + i * to_step * size, from + i * from_step * size, (size_t)size);
}

static inline void move(int64_t size, char *to, int64_t to_step, const char *from,
                        int64_t from_step, int64_t count)
{
    if (size == 4)
        move_all(4, to, to_step, from, from_step, count);
    else if (size == 2)
        move_all(2, to, to_step, from, from_step, count);
    else if (size == 8)
        move_all(8, to, to_step, from, from_step, count);
    else
        move_all(1, to, to_step, from, from_step, count);
}

static inline void widen_run(enum k_dtype dtype, const char *from, int64_t step, double *to,
                             int64_t count)
{
    const int64_t size = k_dtype_size(dtype);
    char piece[PIECE * 8];
    if (step == 1 || count == 1) {
        widen(dtype, from, to, count);
        return;
    }
    if (step == 0) {
        widen(dtype, from, to, 1);
        for (int64_t i = 1; i < count; i++)
            to[i] = to[0];
        return;
    }
    for (int64_t i = 0; i < count; i += PIECE) {
        const int64_t some = count - i < PIECE ? count - i : PIECE;
        move(size, piece, 1, from + i * step * size, step, some);
        widen(dtype, piece, to + i, some);
    }
}

static inline void narrow_run(enum k_dtype dtype, const double *from, char *to, int64_t step,
                              int64_t count)
{
    const int64_t size = k_dtype_size(dtype);
    char piece[PIECE * 8];
    if (step == 1 || count == 1) {
        narrow(dtype, from, to, count);
        return;
    }
    for (int64_t i = 0; i < count; i += PIECE) {
        const int64_t some = count - i < PIECE ? count - i : PIECE;
        narrow(dtype, from + i, piece, some);
        move(size, to + i * step * size, step, piece, 1, some);
    }
}

/* ---- rows ---- */

/* The longest run from `position` on, and where it begins. */
struct run {
    int64_t offset, count; /* elements */
};

static inline struct run run_at(const struct side *side, int64_t position)
{
    const int last = side->rank - 1;
    const int64_t inside = side->rank == 1 ? position : position % side->sizes[last];
    struct run run = {inside * side->steps[last], side->sizes[last] - inside};
    int64_t rest = side->rank == 1 ? 0 : position / side->sizes[last];
    for (int axis = last - 1; axis >= 0; axis--) {
        run.offset += rest % side->sizes[axis] * side->steps[axis];
        rest /= side->sizes[axis];
    }
    return run;
}

/* Elements begin to begin + count - 1 of the row. */
static inline void row_read(const struct row *row, int operand, int64_t begin, int64_t count,
                            double *to)
{
    const struct side *side = &row->side[operand];
    const enum k_dtype dtype = row->norm->operand[operand].dtype;
    const int64_t size = k_dtype_size(dtype), step = side->steps[side->rank - 1];
    for (int64_t done = 0; done < count;) {
        const struct run run = run_at(side, begin + done);
        const int64_t some = run.count < count - done ? run.count : count - done;
        widen_run(dtype, side->at + run.offset * size, step, to + done, some);
        done += some;
    }
}

static inline void row_write(const struct row *row, int operand, int64_t begin, int64_t count,
                             const double *from)
{
    const struct side *side = &row->side[operand];
    const enum k_dtype dtype = row->norm->operand[operand].dtype;
    const int64_t size = k_dtype_size(dtype), step = side->steps[side->rank - 1];
    for (int64_t done = 0; done < count;) {
        const struct run run = run_at(side, begin + done);
        const int64_t some = run.count < count - done ? run.count : count - done;
        narrow_run(dtype, from + done, side->at + run.offset * size, step, some);
        done += some;
    }
}

/* Of an operand that has one element for each row. */
static inline double row_number(const struct row *row, int operand)
{
    double number;
    widen(row->norm->operand[operand].dtype, row->side[operand].at, &number, 1);
    return number;
}

static inline void row_put(const struct row *row, int operand, double number)
{
    if (has(row, operand))
        narrow(row->norm->operand[operand].dtype, &number, row->side[operand].at, 1);
}

static inline int64_t row_integer(const struct row *row, int operand)
{
    int64_t number;
    k_widen(K_AS_I64, row->norm->operand[operand].dtype, row->side[operand].at, &number, 1);
    return number;
}

/* Elements of an operand, `otherwise` if it is not there; kept in the room from row to row where
 * that can be. */
static inline const double *row_constant(const struct row *row, struct room *room, int operand,
                                         int which, double otherwise, int64_t begin, int64_t count)
{
    static const char none;
    double *to = room->constant[which];
    const char *at = has(row, operand) ? row->side[operand].at : &none;
    if (room->constant_at[which] == at && row->norm->count <= K_NORM_KEEP) return to + begin;
    room->constant_at[which] =
        row->norm->count <= K_NORM_KEEP && count == row->norm->count ? at : NULL;
    if (has(row, operand))
        row_read(row, operand, begin, count, to);
    else
        for (int64_t i = 0; i < count; i++)
            to[i] = otherwise;
    return to;
}

/* ---- sums ---- */

struct lanes {
    vd part[PARTS];
};

K_TEMPLATE
double lanes_total(const struct lanes *lanes)
{
    struct lanes sums = *lanes;
    double all[VD];
#pragma GCC unroll 4
    for (int half = PARTS / 2; half > 0; half /= 2)
#pragma GCC unroll 4
        for (int i = 0; i < half; i++)
            sums.part[i] += sums.part[i + half];
    memcpy(all, &sums.part[0], sizeof all);
#pragma GCC unroll 3
    for (int half = VD / 2; half > 0; half /= 2)
#pragma GCC unroll 4
        for (int i = 0; i < half; i++)
            all[i] += all[i + half];
    return all[0];
}

/* The sum of f(x[i], y[i], a) over all i. y may be x. */
K_TEMPLATE
double sum_of(vd (*f)(vd x, vd y, vd a), const double *x, const double *y, double a, int64_t count)
{
    struct lanes sums = {{{0}}};
    int64_t i = 0;
    for (; i + K_NORM_LANES <= count; i += K_NORM_LANES)
#pragma GCC unroll 8
        for (int p = 0; p < PARTS; p++) {
            vd of_x, of_y;
            memcpy(&of_x, x + i + p * VD, sizeof of_x);
            memcpy(&of_y, y + i + p * VD, sizeof of_y);
            sums.part[p] += f(of_x, of_y, vd_all(a));
        }
    if (i < count) {
        double rest[3][K_NORM_LANES] = {{0}};
        memcpy(rest[0], x + i, (size_t)(count - i) * sizeof *x);
        memcpy(rest[1], y + i, (size_t)(count - i) * sizeof *y);
        for (int p = 0; p < PARTS; p++) {
            vd of_x, of_y;
            memcpy(&of_x, rest[0] + p * VD, sizeof of_x);
            memcpy(&of_y, rest[1] + p * VD, sizeof of_y);
            of_x = f(of_x, of_y, vd_all(a));
            memcpy(rest[2] + p * VD, &of_x, sizeof of_x);
        }
        for (int64_t j = count - i; j < K_NORM_LANES; j++)
            rest[2][j] = 0;
        for (int p = 0; p < PARTS; p++) {
            vd more;
            memcpy(&more, rest[2] + p * VD, sizeof more);
            sums.part[p] += more;
        }
    }
    return lanes_total(&sums);
}

/* to[i] = f(x[i], y[i], z[i], a, b) */
K_TEMPLATE
void map_of(vd (*f)(vd x, vd y, vd z, vd a, vd b), double *to, const double *x, const double *y,
            const double *z, double a, double b, int64_t count)
{
    vd of_x, of_y, of_z;
    int64_t i = 0;
    for (; i + VD <= count; i += VD) {
        memcpy(&of_x, x + i, sizeof of_x);
        memcpy(&of_y, y + i, sizeof of_y);
        memcpy(&of_z, z + i, sizeof of_z);
        of_x = f(of_x, of_y, of_z, vd_all(a), vd_all(b));
        memcpy(to + i, &of_x, sizeof of_x);
    }
    if (i == count) return;
    const size_t bytes = (size_t)(count - i) * sizeof *x;
    of_x = of_y = of_z = (vd){0};
    memcpy(&of_x, x + i, bytes);
    memcpy(&of_y, y + i, bytes);
    memcpy(&of_z, z + i, bytes);
    of_x = f(of_x, of_y, of_z, vd_all(a), vd_all(b));
    memcpy(to + i, &of_x, bytes);
}

K_TEMPLATE
vd of_x_alone(vd x, vd y, vd a)
{
    (void)y, (void)a;
    return x;
}

K_TEMPLATE
vd of_product(vd x, vd y, vd a)
{
    (void)a;
    return x * y;
}

static inline double sum(const double *x, int64_t count)
{
    return sum_of(of_x_alone, x, x, 0, count);
}

static inline double sum_of_products(const double *x, const double *y, int64_t count)
{
    return sum_of(of_product, x, y, 0, count);
}

#endif
