/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions, scans and selections, from their definitions in double and int64. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/oracle_reduce.h"

/* ---- arguments ---- */

static bool find_number(const struct rig_problem *problem, const char *name, int64_t *value)
{
    for (int i = 0; problem->op->number[i]; i++)
        if (strcmp(problem->op->number[i], name) == 0) {
            *value = problem->call.number[i];
            return true;
        }
    return false;
}

static bool flag(const struct rig_problem *problem, const char *name)
{
    int64_t value = 0;
    return find_number(problem, name, &value) && value != 0;
}

/* The bit of an axis, counted from the end if negative; none of a tensor without dimensions. */
static unsigned bit_of(int64_t axis, int rank)
{
    if (rank == 0) return 0;
    return 1U << (axis < 0 ? axis + rank : axis);
}

/* Bit i: axis i is reduced, or scanned. */
static unsigned axes_of(const struct rig_problem *problem)
{
    const int rank = problem->tensor[0].view.rank;
    int64_t axis;
    unsigned axes = 0;
    if (problem->op->array[0]) {
        const struct rig_array *array = &problem->call.array[0];
        for (int i = 0; !array->is_null && i < array->length; i++)
            axes |= bit_of(array->values[i], rank);
        if (axes == 0 && (flag(problem, "noopWithEmptyAxes") || flag(problem, "noopWithEmptyDims")))
            return 0;
    }
    if (find_number(problem, "dim", &axis)) axes = bit_of(axis, rank);
    if (problem->op->names->scalar[0] && strcmp(problem->op->names->scalar[0], "dim") == 0) {
        axis = problem->call.scalar[0].value[0].integer;
        axes = bit_of(axis, rank);
    }
    return axes == 0 ? (1U << rank) - 1 : axes & ((1U << rank) - 1);
}

/* ---- elements ---- */

/* What is reduced, cast to the type in which that is done. */
struct terms {
    enum case_dtype type;
    int64_t count;
    double *x;
    int64_t *n;
};

static void take(const struct rig_problem *problem, struct terms *terms, int64_t i, int64_t at)
{
    const enum case_dtype own = problem->tensor[0].view.dtype;
    uint64_t bits = rig_given(problem, 0)[at];
    if (own != terms->type)
        bits = oracle_is_float(own) ? oracle_cast_real(terms->type, oracle_from_bits(own, bits))
                                    : oracle_cast_whole(terms->type, oracle_integer(own, bits));
    terms->x[i] = oracle_from_bits(terms->type, bits);
    terms->n[i] = oracle_is_float(terms->type) ? 0 : oracle_integer(terms->type, bits);
}

/* Elements of the operand that result `o` is made of. */
static void gather(const struct rig_problem *problem, unsigned axes, int64_t o, struct terms *terms)
{
    const struct operand *view = &problem->tensor[0].view;
    for (int64_t i = 0; i < terms->count; i++) {
        int64_t kept = o, reduced = i, at = 0, step = 1;
        for (int axis = view->rank - 1; axis >= 0; axis--) {
            int64_t *index = axes >> axis & 1 ? &reduced : &kept;
            at += *index % view->dims[axis] * step;
            *index /= view->dims[axis];
            step *= view->dims[axis];
        }
        take(problem, terms, i, at);
    }
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    if (isnan(x) || isnan(y)) return isnan(x) - isnan(y);
    return (x > y) - (x < y);
}

static int compare_integers(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static bool is_real(const struct terms *t)
{
    return oracle_is_float(t->type);
}

/* Is element i nearer to the extreme than j? NaN is. */
static bool beats(const struct terms *t, bool greatest, int64_t i, int64_t j)
{
    if (!is_real(t)) return greatest ? t->n[i] > t->n[j] : t->n[i] < t->n[j];
    if (isnan(t->x[i])) return !isnan(t->x[j]);
    return greatest ? t->x[i] > t->x[j] : t->x[i] < t->x[j];
}

static int64_t extreme(const struct terms *t, bool greatest)
{
    int64_t best = 0;
    for (int64_t i = 1; i < t->count; i++)
        if (beats(t, greatest, i, best)) best = i;
    return best;
}

/* ---- results ---- */

static void put_sum(struct rig_problem *problem, int to, int64_t o, double value, double magnitude,
                    double terms)
{
    problem->is_sum = true;
    problem->tensor[to].sums[o] =
        (struct oracle_sum){value, isfinite(magnitude) ? magnitude : 0, (int64_t)terms};
}

/* Result o is element i as it is. */
static void put_element(struct rig_problem *problem, int to, int64_t o, const struct terms *t,
                        int64_t i)
{
    const enum case_dtype type = problem->tensor[to].view.dtype;
    if (oracle_is_float(type))
        put_sum(problem, to, o, oracle_round(type, is_real(t) ? t->x[i] : (double)t->n[i]),
                is_real(t) ? 0 : fabs((double)t->n[i]), 1);
    else
        oracle_whole(problem, to, o, t->type, t->n[i]);
}

static void sum(struct rig_problem *problem, int64_t o, const struct terms *t, bool skips_nan)
{
    double value = 0, size = 0;
    int64_t whole = 0;
    for (int64_t i = 0; i < t->count; i++) {
        whole = (int64_t)((uint64_t)whole + (uint64_t)t->n[i]);
        if (skips_nan && isnan(t->x[i])) continue;
        value += t->x[i];
        if (isfinite(t->x[i])) size += fabs(t->x[i]);
    }
    if (is_real(t))
        put_sum(problem, 1, o, value, size, (double)t->count + 4);
    else
        oracle_whole(problem, 1, o, problem->tensor[1].view.dtype, whole);
}

static void product(struct rig_problem *problem, int64_t o, const struct terms *t)
{
    double value = 1, largest = 1, smallest = 1;
    int64_t whole = 1;
    bool is_finite = true;
    for (int64_t i = 0; i < t->count; i++) {
        const double size = fabs(t->x[i]);
        is_finite = is_finite && isfinite(size);
        value *= t->x[i];
        largest *= size > 1 ? size : 1;
        smallest *= size < 1 && size > 0 ? size : 1;
        whole = (int64_t)((uint64_t)whole * (uint64_t)t->n[i]);
    }
    const bool leaves_range = largest > 1e37 || smallest < 1e-37; /* on the way, in some order */
    if (is_finite && isnan(value))
        value = 0; /* in an order that meets the zero before it overflows */
    problem->headroom = 4;
    if (is_real(t))
        put_sum(problem, 1, o, value, leaves_range ? DBL_MAX : fabs(value), (double)t->count + 2);
    else
        oracle_whole(problem, 1, o, problem->tensor[1].view.dtype, whole);
}

static void norm(struct rig_problem *problem, int64_t o, const struct terms *t)
{
    const double p = problem->call.scalar[0].value[0].real;
    double value = isinf(p) && p < 0 ? INFINITY : 0;
    for (int64_t i = 0; i < t->count; i++) {
        const double x = fabs(t->x[i]);
        if (isinf(p))
            value = isnan(x) || (p > 0 ? x > value : x < value) ? x : value;
        else
            value += p == 0 ? x != 0 : pow(x, p);
    }
    if (p != 0 && !isinf(p)) value = pow(value, 1 / p);
    put_sum(problem, 1, o, value, fabs(value),
            ((double)t->count + 8) * (p == 0 ? 1 : fmax(1, fabs(1 / p))));
}

static void variance(struct rig_problem *problem, int64_t o, const struct terms *t, bool is_root)
{
    const double n = (double)t->count;
    int64_t correction = 1;
    double mean = 0, size = 0, squares = 0;
    if (!find_number(problem, "correction", &correction))
        find_number(problem, "unbiased", &correction);
    for (int64_t i = 0; i < t->count; i++) {
        mean += t->x[i] / n;
        size += fabs(t->x[i]) / n;
    }
    if (t->count == 0) mean = NAN;
    for (int64_t i = 0; i < t->count; i++)
        squares += (t->x[i] - mean) * (t->x[i] - mean);
    const double left = n - (double)correction;
    const double value = squares / (left > 0 ? left : 0);
    const double wrong = n / (left > 0 ? left : 1) * (is_root ? size : size * size);
    const double result = is_root ? sqrt(value) : value;
    put_sum(problem, 1, o, result, result + wrong, n + 8);
    if (problem->operands > 2) put_sum(problem, 2, o, t->count == 0 ? NAN : mean, size, n + 8);
}

static void log_sum_exp(struct rig_problem *problem, int64_t o, const struct terms *t)
{
    double largest = -INFINITY, value = 0;
    for (int64_t i = 0; i < t->count; i++)
        if (isnan(t->x[i]) || t->x[i] > largest) largest = t->x[i];
    if (isinf(largest)) largest = 0;
    for (int64_t i = 0; i < t->count; i++)
        value += exp(t->x[i] - largest);
    put_sum(problem, 1, o, log(value) + largest, fabs(largest) + fabs(log(value)) + 1,
            (double)t->count + 8);
}

static void truths(struct rig_problem *problem, int64_t o, const struct terms *t, bool all)
{
    bool result = all;
    for (int64_t i = 0; i < t->count; i++) {
        const bool truth = is_real(t) ? t->x[i] != 0 : t->n[i] != 0;
        result = all ? result && truth : result || truth;
    }
    oracle_whole(problem, 1, o, CASE_BOOL, result);
    if (oracle_is_float(problem->tensor[1].view.dtype)) put_sum(problem, 1, o, result, 0, 1);
}

/* The k-th smallest, and the first element that equals it. */
static void selection(struct rig_problem *problem, int64_t o, const struct terms *t, enum what what)
{
    int64_t k = 0, numbers = 0, place = 0;
    if (t->count == 0) {
        put_sum(problem, 1, o, NAN, 0, 1);
        return;
    }
    double *x = malloc((size_t)t->count * sizeof *x);
    int64_t *n = malloc((size_t)t->count * sizeof *n);
    memcpy(x, t->x, (size_t)t->count * sizeof *x);
    memcpy(n, t->n, (size_t)t->count * sizeof *n);
    for (int64_t i = 0; i < t->count; i++)
        numbers += !is_real(t) || !isnan(x[i]);
    qsort(x, (size_t)t->count, sizeof *x, compare_numbers);
    qsort(n, (size_t)t->count, sizeof *n, compare_integers);
    if (what == KTH)
        find_number(problem, "k", &k), k--;
    else if (what == MEDIAN)
        k = numbers < t->count ? t->count - 1 : (t->count - 1) / 2;
    else
        k = numbers > 0 ? (numbers - 1) / 2 : 0;
    while (is_real(t) ? compare_numbers(&t->x[place], &x[k]) != 0 : t->n[place] != n[k])
        place++;
    put_element(problem, 1, o, t, place);
    if (problem->operands > 2) oracle_whole(problem, 2, o, problem->tensor[2].view.dtype, place);
    free(x);
    free(n);
}

static void one_result(struct rig_problem *problem, int64_t o, const struct terms *t)
{
    const enum what what = what_of(problem->op);
    const bool has_value = problem->operands > 2;
    if (what == SUM || what == NANSUM || what == TRACE) {
        sum(problem, o, t, what == NANSUM);
    } else if (what == MEAN || what == LOG_SUM) {
        sum(problem, o, t, false);
        struct oracle_sum *s = &problem->tensor[1].sums[o];
        if (what == MEAN) {
            s->value = t->count == 0 ? NAN : s->value / (double)t->count;
            s->magnitude /= t->count == 0 ? 1 : (double)t->count;
        } else {
            s->value = log(s->value);
            s->magnitude = 1 + (isfinite(s->value) ? fabs(s->value) : 0);
        }
    } else if (what == PROD) {
        product(problem, o, t);
    } else if (what == MAX || what == MIN) {
        put_element(problem, 1, o, t, extreme(t, what == MAX));
    } else if (what == MIN_MAX) {
        put_element(problem, 1, o, t, extreme(t, false));
        put_element(problem, 2, o, t, extreme(t, true));
    } else if (what == MAX_PLACE || what == MIN_PLACE) {
        const int64_t best = extreme(t, what == MAX_PLACE);
        const int to = has_value ? 2 : 1;
        if (has_value) put_element(problem, 1, o, t, best);
        oracle_whole(problem, to, o, problem->tensor[to].view.dtype, best);
    } else if (what == ANY || what == ALL) {
        truths(problem, o, t, what == ALL);
    } else if (what == NORM) {
        norm(problem, o, t);
    } else if (what == VAR || what == STD) {
        variance(problem, o, t, what == STD);
    } else if (what == LOG_SUM_EXP) {
        log_sum_exp(problem, o, t);
    } else {
        selection(problem, o, t, what);
    }
}

/* The type in which is reduced: dtype's, which random problems give the result too; or one that
 * follows from the operand's. */
static enum case_dtype type_of(const struct rig_problem *problem)
{
    const enum what what = what_of(problem->op);
    const enum case_dtype own = problem->tensor[0].view.dtype;
    const enum case_dtype out = problem->tensor[problem->operands > 1 ? 1 : 0].view.dtype;
    if (problem->op->row->ulp == 2) return out; /* has dtype */
    if (what == TRACE && !oracle_is_float(own)) return CASE_I64;
    if (what >= LOG_SUM && what <= LOG_SUM_EXP && !oracle_is_float(own) &&
        (what == LOG_SUM || what == LOG_SUM_EXP))
        return CASE_F32;
    return own;
}

static struct terms terms_new(enum case_dtype type, int64_t count)
{
    const size_t room = (size_t)(count > 0 ? count : 1);
    return (struct terms){type, count, malloc(room * sizeof(double)),
                          malloc(room * sizeof(int64_t))};
}

static void reduce(struct rig_problem *problem)
{
    const struct operand *view = &problem->tensor[0].view;
    const unsigned axes = axes_of(problem);
    int64_t count = 1;
    for (int axis = 0; axis < view->rank; axis++)
        if (axes >> axis & 1) count *= view->dims[axis];
    if (what_of(problem->op) == TRACE)
        count = view->dims[0] < view->dims[1] ? view->dims[0] : view->dims[1];
    struct terms t = terms_new(type_of(problem), count);
    for (int64_t o = 0; o < problem->tensor[1].count; o++) {
        if (what_of(problem->op) == TRACE)
            for (int64_t i = 0; i < count; i++)
                take(problem, &t, i, i * (view->dims[1] + 1));
        else
            gather(problem, axes, o, &t);
        one_result(problem, o, &t);
    }
    free(t.x);
    free(t.n);
}

/* ---- scans ---- */

static void scan_line(struct rig_problem *problem, int to, int64_t first, int64_t step,
                      const struct terms *t)
{
    const enum what what = what_of(problem->op);
    const bool is_exclusive = flag(problem, "exclusive"), is_sum = what == CUMSUM;
    double x = is_sum ? 0 : 1, size = 0;
    int64_t n = is_sum ? 0 : 1, best = 0;
    for (int64_t i = 0; i < t->count; i++) {
        const int64_t o = first + i * step;
        const double old = x, old_size = size;
        const int64_t old_n = n;
        if (what == CUMMAX || what == CUMMIN) {
            if (!beats(t, what == CUMMAX, best, i)) best = i;
            put_element(problem, to, o, t, best);
            oracle_whole(problem, 2, o, problem->tensor[2].view.dtype, best);
            continue;
        }
        x = is_sum ? x + t->x[i] : x * t->x[i];
        n = (int64_t)(is_sum ? (uint64_t)n + (uint64_t)t->n[i] : (uint64_t)n * (uint64_t)t->n[i]);
        size = is_sum ? size + (isfinite(t->x[i]) ? fabs(t->x[i]) : 0) : fabs(x);
        if (is_real(t))
            put_sum(problem, to, o, is_exclusive ? old : x, is_exclusive ? old_size : size,
                    (double)i + 2);
        else
            oracle_whole(problem, to, o, problem->tensor[to].view.dtype, is_exclusive ? old_n : n);
    }
}

static void scan(struct rig_problem *problem)
{
    const struct operand *view = &problem->tensor[0].view;
    const unsigned axes = axes_of(problem);
    const int to = problem->operands > 1 ? 1 : 0;
    const bool is_reversed = flag(problem, "reverse");
    int64_t count = 1, step = 1, inner = 1;
    for (int axis = view->rank - 1; axis >= 0; axis--) {
        if (axes >> axis & 1) count = view->dims[axis], step = inner;
        inner *= view->dims[axis];
    }
    struct terms t = terms_new(type_of(problem), count);
    for (int64_t line = 0; inner > 0 && line < inner / count; line++) {
        int64_t first = line / step * step * count + line % step;
        for (int64_t i = 0; i < count; i++)
            take(problem, &t, i, first + (is_reversed ? count - 1 - i : i) * step);
        if (is_reversed) first += (count - 1) * step;
        scan_line(problem, to, first, is_reversed ? -step : step, &t);
    }
    free(t.x);
    free(t.n);
}

/* ---- the table ---- */

/* ulp 2: has dtype, 1: functions whose last bits differ on the base level. */
#define ROW(names, function, what, plain, units, ...)                                              \
    {                                                                                              \
        .name = names, .oracle = function, .random = random_reduce, .ulp = units,                  \
        .lines = (const char *const[]){__VA_ARGS__, NULL}, .more = &(const struct reduce_more)     \
        {                                                                                          \
            what, plain                                                                            \
        }                                                                                          \
    }

const struct oracle_row oracle_reduce_rows[] = {
    ROW("aclnnReduceSum", reduce, SUM, false, 2,
        "reduce_sum f32 self=3x70001 dims=1 dtype=f32 out=3",
        "reduce_sum f32 self=70001x3 dims=0 dtype=f32 out=3",
        "reduce_sum f32 self=700x1100 dims=0 dtype=f32 out=1100",
        "reduce_sum bf16 self=700x1100 dims=0 keepDims=1 dtype=bf16 out=1x1100",
        "reduce_sum f64 self=300x500:s1x300 dims=1 dtype=f64 out=300",
        "reduce_sum i32 self=20x30x40 dims=0x2 dtype=i64 out=30:i64",
        "reduce_sum f32 self=20x0x40 dims=1 dtype=f32 out=20x40",
        "reduce_sum f32 self=9x7x5x3:s1x9x63x400 dims=1x3 dtype=f32 out=9x5"),
    ROW("aclnnMean", reduce, MEAN, false, 2, "mean f16 self=3x9000 dim=1 dtype=f16 out=3",
        "mean f32 self=3x0 dim=1 dtype=f32 out=3"),
    ROW("aclnnMeanV2", reduce, MEAN, false, 0, "mean_v2 f32 self=3x90 dim=0 out=90"),
    ROW("aclnnProd aclnnProdDim", reduce, PROD, true, 2, NULL),
    ROW("aclnnMax aclnnMaxV2 aclnnAmax", reduce, MAX, false, 0, NULL),
    ROW("aclnnMin aclnnAmin", reduce, MIN, false, 0, NULL),
    ROW("aclnnAminmax aclnnAminmaxAll aclnnAminmaxDim", reduce, MIN_MAX, false, 0, NULL),
    ROW("aclnnMaxDim", reduce, MAX_PLACE, false, 0,
        "max_dim f32 self=3x70001 dim=1 out=3 indices=3:i64 data=ties",
        "max_dim bf16 self=300x2000 dim=0 out=2000 indices=2000:i64 data=ties",
        "max_dim i64 self=70001x3 dim=0 out=3 indices=3:i32 data=ties"),
    ROW("aclnnArgMax", reduce, MAX_PLACE, false, 0,
        "arg_max f32 self=3x70001 dim=1 out=3:i64 data=special",
        "arg_max f32 self=70001x3 dim=0 out=3:i64 data=ties"),
    ROW("aclnnMinDim aclnnArgMin", reduce, MIN_PLACE, false, 0, NULL),
    ROW("aclnnAll", reduce, ALL, false, 0, "all f32 self=2x0 dim=1 out=2:bool"),
    ROW("aclnnAny", reduce, ANY, false, 0, "any f32 self=2x0 dim=1 out=2:bool"),
    ROW("aclnnNorm", reduce, NORM, true, 1, "norm f32 self=3x70001 pScalar=2:f32 dim=1 out=3"),
    ROW("aclnnLinalgVectorNorm", reduce, NORM, true, 2, NULL),
    ROW("aclnnLogSumExp", reduce, LOG_SUM_EXP, false, 1, "log_sum_exp f32 self=3x70001 dim=1 out=3",
        "log_sum_exp f32 self=700x900 dim=0 out=900"),
    ROW("aclnnReduceNansum", reduce, NANSUM, false, 2, NULL),
    ROW("aclnnReduceLogSum", reduce, LOG_SUM, false, 1, NULL),
    ROW("aclnnStdMeanCorrection", reduce, STD, true, 0, NULL),
    ROW("aclnnStd", reduce, STD, true, 0, "std f32 self=70001x3 dim=0 correction=1 out=3"),
    ROW("aclnnVar aclnnVarCorrection aclnnVarMean", reduce, VAR, true, 0, NULL),
    ROW("aclnnMedian aclnnMedianDim", reduce, MEDIAN, false, 0, NULL),
    ROW("aclnnNanMedian aclnnNanMedianDim", reduce, NAN_MEDIAN, false, 0, NULL),
    ROW("aclnnKthvalue", reduce, KTH, false, 0, NULL),
    ROW("aclnnTrace", reduce, TRACE, false, 0, NULL),
    ROW("aclnnCumsum", scan, CUMSUM, false, 2, "cumsum f32 self=3x5000 dim=1 dtype=f32 out=3x5000",
        "cumsum f32 self=300x600 dim=0 dtype=f32 out=300x600"),
    ROW("aclnnCumsumV2", scan, CUMSUM, false, 0,
        "cumsum_v2 f32 self=3x5000 dim=1 exclusive=1 reverse=1 out=3x5000"),
    ROW("aclnnCumprod", scan, CUMPROD, true, 2, NULL),
    ROW("aclnnInplaceCumprod", scan, CUMPROD, true, 0, NULL),
    ROW("aclnnCummax", scan, CUMMAX, false, 0, NULL),
    ROW("aclnnCummin", scan, CUMMIN, false, 0, NULL),
    {.name = NULL},
};
