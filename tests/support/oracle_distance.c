/* SPDX-License-Identifier: Apache-2.0 */
/* Distances of rows and their gradient, pair by pair. */
#include <math.h>
#include <string.h>

#include "tests/support/oracle_norm.h"

static double order_of(const struct rig_problem *problem)
{
    const bool is_scalar = strstr(problem->op->name, "Forward") != NULL;
    const struct rig_scalar *scalar = &problem->call.scalar[0].value[0];
    if (is_scalar) return oracle_is_float(scalar->dtype) ? scalar->real : (double)scalar->integer;
    const double p = (double)(float)problem->call.real[0];
    return p == -1 ? INFINITY : p;
}

/* Element (b, i, k) of rows that are broadcast to the batch of `to`. */
static int64_t row_of(const struct operand *to, int64_t batch, const struct operand *from,
                      int64_t i)
{
    int64_t at = 0, step = 1;
    for (int axis = to->rank - 3; axis >= 0; axis--) {
        const int own = axis - (to->rank - from->rank);
        const int64_t index = batch % to->dims[axis];
        batch /= to->dims[axis];
        if (own < 0) continue;
        at += (from->dims[own] == 1 ? 0 : index) * step;
        step *= from->dims[own];
    }
    return (at * from->dims[from->rank - 2] + i) * from->dims[from->rank - 1];
}

static double distance(const struct rig_problem *problem, double p, int a, int64_t x, int b,
                       int64_t y, int64_t features)
{
    double sum = 0;
    for (int64_t k = 0; k < features; k++) {
        const double left = oracle_value(problem, a, x + k) - oracle_value(problem, b, y + k);
        const double size = fabs(left);
        if (isnan(left) || isnan(sum))
            sum = NAN;
        else if (isinf(p))
            sum = size > sum ? size : sum;
        else
            sum += p == 0 ? size != 0 : pow(size, p);
    }
    return p == 0 || isinf(p) ? sum : pow(sum, 1 / p);
}

static void cdist(struct rig_problem *problem)
{
    const struct operand *x = &problem->tensor[0].view, *y = &problem->tensor[1].view,
                         *out = &problem->tensor[2].view;
    const double p = order_of(problem);
    const int64_t columns = out->dims[out->rank - 1], rows = out->dims[out->rank - 2];
    const int64_t features = x->dims[x->rank - 1];
    for (int64_t i = 0; i < problem->tensor[2].count; i++) {
        const int64_t batch = i / columns / rows;
        const double d = distance(problem, p, 0, row_of(out, batch, x, i / columns % rows), 1,
                                  row_of(out, batch, y, i % columns), features);
        norm_put(problem, 2, i, d, isfinite(d) ? d : 0, (double)features + 2);
    }
}

static void pdist(struct rig_problem *problem)
{
    const struct operand *x = &problem->tensor[0].view;
    const double p = order_of(problem);
    int64_t at = 0;
    for (int64_t i = 0; i < x->dims[0]; i++)
        for (int64_t j = i + 1; j < x->dims[0]; j++, at++) {
            const double d = distance(problem, p, 0, i * x->dims[1], 0, j * x->dims[1], x->dims[1]);
            norm_put(problem, 1, at, d, isfinite(d) ? d : 0, (double)x->dims[1] + 2);
        }
}

/* Of |left|_p by one of its features; d is the distance, a number of that type. */
static double slope(enum case_dtype dtype, double p, double left, double d)
{
    if (p == 0) return 0;
    if (p == 1) return (left > 0) - (left < 0);
    if (isinf(p)) return oracle_round(dtype, fabs(left)) == d ? (left > 0) - (left < 0) : 0;
    if (d == 0 || (left == 0 && p < 1)) return 0;
    return copysign(pow(fabs(left), p - 1) / pow(d, p - 1), left);
}

enum { GRAD, X, Y, DISTANCES, OUT };

static void cdist_grad(struct rig_problem *problem)
{
    const struct operand *x = &problem->tensor[X].view, *y = &problem->tensor[Y].view;
    const double p = order_of(problem);
    const int64_t features = x->dims[x->rank - 1], columns = y->dims[y->rank - 2];
    const int64_t rows = x->dims[x->rank - 2];
    for (int64_t at = 0; at < problem->tensor[OUT].count; at++) {
        const int64_t row = at / features, k = at % features;
        double sum = 0, size = 0;
        for (int64_t j = 0; j < columns; j++) {
            const int64_t other = row_of(x, row / rows, y, j) + k;
            const double left = oracle_value(problem, X, at) - oracle_value(problem, Y, other);
            const double d = oracle_value(problem, DISTANCES, row * columns + j);
            const double term =
                oracle_value(problem, GRAD, row * columns + j) * slope(x->dtype, p, left, d);
            sum += term;
            size += isfinite(term) ? fabs(term) : 0;
        }
        norm_put(problem, OUT, at, sum, size, (double)columns + 2);
    }
}

/* ---- random problems ---- */

static double some_order(struct random *random)
{
    static const double orders[] = {0, 1, 2, 3, 0.5, 1.5, 2.5, INFINITY};
    return orders[random_below(random, 8)];
}

static double given(const struct rig_problem *problem, int operand, int64_t i)
{
    const struct rig_tensor *tensor = &problem->tensor[operand];
    return oracle_from_bits(tensor->view.dtype, tensor->bits[i]);
}

/* Distances are positive; where p is infinite, the largest differences. */
static void fill(struct rig_problem *problem, struct random *random)
{
    struct rig_tensor *tensor = &problem->tensor[DISTANCES];
    const struct operand *x = &problem->tensor[X].view, *y = &problem->tensor[Y].view;
    const int64_t features = x->dims[x->rank - 1], columns = y->dims[y->rank - 2];
    for (int64_t i = 0; i < tensor->count; i++) {
        double d = random_once_in(random, 6) ? 0 : (double)random_between(random, 1, 8) / 2;
        const int64_t row = i / columns, rows = x->dims[x->rank - 2];
        const int64_t other = row_of(x, row / rows, y, i % columns);
        for (int64_t k = 0; k < features && isinf(order_of(problem)); k++) {
            const double left =
                fabs(given(problem, X, row * features + k) - given(problem, Y, other + k));
            d = k == 0 || left > d ? left : d;
        }
        tensor->bits[i] = oracle_cast_real(tensor->view.dtype, d);
    }
}

static struct test_case random_cdist(const struct rig_operator *op, struct random *random,
                                     enum case_dtype dtype)
{
    const bool is_grad = strstr(op->name, "Backward") != NULL;
    struct test_case test = norm_start(op, random, dtype);
    int64_t x[CASE_RANK], y[CASE_RANK], out[CASE_RANK], grad[CASE_RANK];
    const int rank = (int)random_between(random, 2, 5);
    const int less = is_grad || rank == 2 ? 0 : (int)random_below(random, rank - 1);
    for (int i = 0; i < rank - 2; i++) {
        out[i] = x[i] = y[i] = random_between(random, 1, 3);
        if (random_once_in(random, 3))
            y[i] = 1;
        else if (!is_grad && random_once_in(random, 3))
            x[i] = 1;
    }
    for (int i = 0; i < less; i++)
        out[i] = y[i];
    x[rank - 2] = out[rank - 2] = random_once_in(random, 20) ? 0 : random_between(random, 1, 20);
    y[rank - 2] = out[rank - 1] = random_once_in(random, 20) ? 0 : random_between(random, 1, 9);
    x[rank - 1] = y[rank - 1] = random_once_in(random, 20) ? 0 : random_between(random, 1, 9);
    memcpy(grad, out, sizeof grad);
    const double p = some_order(random);
    if (is_grad) random_tensor(&test, random, "grad", dtype, grad, rank, false);
    random_tensor(&test, random, "x1", dtype, x + less, rank - less, false);
    random_tensor(&test, random, "x2", dtype, y, rank, false);
    if (is_grad) random_tensor(&test, random, "cdist", dtype, grad, rank, false);
    random_number(&test, "p", is_grad && isinf(p) ? -1 : p);
    if (!is_grad) random_number(&test, "compute_mode", 2);
    random_tensor(&test, random, "out", dtype, is_grad ? x : out, rank, true);
    return test;
}

static struct test_case random_pdist(const struct rig_operator *op, struct random *random,
                                     enum case_dtype dtype)
{
    struct test_case test = norm_start(op, random, dtype);
    const int64_t rows = random_between(random, 0, 20);
    const int64_t self[CASE_RANK] = {rows, random_below(random, 9)};
    const int64_t out[CASE_RANK] = {rows > 0 ? rows * (rows - 1) / 2 : 0};
    random_tensor(&test, random, "self", dtype, self, 2, false);
    if (strstr(op->name, "Forward")) {
        struct case_argument *p = random_scalar(&test, random, "pScalar", CASE_F32);
        p->real = some_order(random);
        p->has_real = true;
    } else {
        random_number(&test, "p", some_order(random));
    }
    random_tensor(&test, random, "out", dtype, out, 1, true);
    return test;
}

const struct oracle_row oracle_distance_rows[] = {
    {.name = "aclnnCdist",
     .oracle = cdist,
     .random = random_cdist,
     .ulp = 1,
     .lines = LINES("cdist f32 x1=2x3x4 x2=2x5x4 p=2 compute_mode=2 out=2x3x5",
                    "cdist f32 x1=2x100x300 x2=70x300 p=2 compute_mode=2 out=2x100x70",
                    "cdist f16 x1=40x70 x2=3x1x70 p=inf compute_mode=0 out=3x40x1",
                    "cdist f32 x1=3x2 x2=4x2 p=1 compute_mode=0 out=3x4 data=special",
                    "cdist f32 x1=17x65 x2=65x65 p=3 compute_mode=0 out=17x65"),
     .sound = "cdist f32 x1=2x3x4 x2=2x5x4 p=2 compute_mode=2 out=2x3x5"},
    {.name = "aclnnCdistBackward",
     .oracle = cdist_grad,
     .random = random_cdist,
     .fill = fill,
     .ulp = 1,
     .lines = LINES("cdist_backward f32 grad=2x3x5 x1=2x3x4 x2=2x5x4 cdist=2x3x5 p=2 out=2x3x4",
                    "cdist_backward bf16 grad=20x30 x1=20x1100 x2=30x1100 cdist=20x30 p=1 "
                    "out=20x1100",
                    "cdist_backward f32 grad=20x30 x1=20x70 x2=30x70 cdist=20x30 p=-1 out=20x70"),
     .sound = "cdist_backward f32 grad=2x3x5 x1=2x3x4 x2=2x5x4 cdist=2x3x5 p=2 out=2x3x4"},
    {.name = "aclnnPdist",
     .oracle = pdist,
     .random = random_pdist,
     .ulp = 1,
     .lines = LINES("pdist f32 self=5x4 p=2 out=10", "pdist f32 self=150x33 p=2 out=11175"),
     .sound = "pdist f32 self=5x4 p=2 out=10"},
    {.name = "aclnnPdistForward",
     .oracle = pdist,
     .random = random_pdist,
     .ulp = 1,
     .lines = LINES("pdist_forward f32 self=5x4 pScalar=2:f32 out=10",
                    "pdist_forward f64 self=40x7 pScalar=3:i64 out=780"),
     .sound = "pdist_forward f32 self=5x4 pScalar=2:f32 out=10"},
    {.name = NULL},
};
