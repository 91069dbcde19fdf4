/* SPDX-License-Identifier: Apache-2.0 */
/* Connectionist temporal classification by its definition: probabilities, not their logarithms, of
 * all paths that spell a target are summed; the probability that a path is at a class at a time is
 * the same sum where that time has no other class. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/oracle_norm.h"

enum { PLACES = 65, CLASSES = 72, TIMES = 64 };

/* One sample. */
struct spelling {
    int64_t times, places, classes, class[PLACES]; /* of each place */
    long double p[TIMES][CLASSES];                 /* probabilities */
    long double sums[TIMES][PLACES];               /* over paths up to a time and a place */
};

struct losses {
    int p, targets, loss, alpha;
    int64_t times, samples, classes, blank;
    const int64_t *inputs, *lengths;
    bool is_zero;
};

static struct losses losses_of(const struct rig_problem *problem)
{
    struct losses l = {.p = norm_operand(problem, "logProbs"),
                       .targets = norm_operand(problem, "targets"),
                       .loss = norm_one_of(problem, "negLogLikelihood negLogLikelihoodOut"),
                       .alpha = norm_one_of(problem, "logAlpha logAlphaOut"),
                       .blank = norm_integer(problem, "blank", 0),
                       .inputs = problem->call.array[0].values,
                       .lengths = problem->call.array[1].values,
                       .is_zero = norm_integer(problem, "zeroInfinity", 0) != 0};
    const struct operand *p = &problem->tensor[l.p].view;
    l.times = p->dims[0];
    l.samples = p->rank == 3 ? p->dims[1] : 1;
    l.classes = p->dims[p->rank - 1];
    return l;
}

/* bits: of what the call is given, or, before it, of the tensors. */
static double number(const struct rig_problem *problem, int operand, int64_t i, bool is_before)
{
    const struct rig_tensor *tensor = &problem->tensor[operand];
    if (!is_before) return oracle_value(problem, operand, i);
    return oracle_from_bits(tensor->view.dtype, tensor->bits[i]);
}

static int64_t target_at(struct rig_problem *problem, const struct losses *l, int64_t i,
                         bool is_before)
{
    const struct rig_tensor *targets = &problem->tensor[l->targets];
    const bool is_float = oracle_is_float(targets->view.dtype);
    const int64_t target = is_float    ? (int64_t)number(problem, l->targets, i, is_before)
                           : is_before ? oracle_integer(targets->view.dtype, targets->bits[i])
                                       : oracle_whole_value(problem, l->targets, i);
    if (target >= 0 && target < l->classes) return target;
    if (is_before || problem->sync_code != ACL_SUCCESS) return l->blank;
    problem->sync_code = ACL_ERROR_RT_AICORE_EXCEPTION;
    snprintf(problem->sync_words, sizeof problem->sync_words,
             "element %" PRId64 " of targets is %" PRId64 ";", i, target);
    return l->blank;
}

static void sum_paths(struct spelling *s)
{
    for (int64_t t = 0; t < s->times; t++)
        for (int64_t w = 0; w < s->places; w++) {
            long double sum = t == 0 ? w < 2 : s->sums[t - 1][w];
            if (t > 0 && w > 0) sum += s->sums[t - 1][w - 1];
            if (t > 0 && w > 1 && s->class[w] != s->class[w - 2]) sum += s->sums[t - 1][w - 2];
            /* No path begins behind the first class, not even at a NaN. */
            s->sums[t][w] = t == 0 && w > 1 ? 0 : sum * s->p[t][s->class[w]];
        }
}

static long double likelihood(const struct spelling *s)
{
    if (s->times == 0) return s->places == 1;
    const long double *last = s->sums[s->times - 1];
    return last[s->places - 1] + (s->places > 1 ? last[s->places - 2] : 0);
}

/* Sample n with its sums; the caller frees it. */
static struct spelling *spell(struct rig_problem *problem, const struct losses *l, int64_t n,
                              bool is_before)
{
    struct spelling *s = calloc(1, sizeof *s);
    const struct operand *targets = &problem->tensor[l->targets].view;
    int64_t first = targets->rank == 2 ? n * targets->dims[1] : 0;
    for (int64_t i = 0; i < n && targets->rank == 1; i++)
        first += l->lengths[i];
    s->times = l->inputs[n];
    s->classes = l->classes;
    s->places = 2 * l->lengths[n] + 1;
    for (int64_t w = 0; w < s->places; w++)
        s->class[w] = w % 2 == 0 ? l->blank : target_at(problem, l, first + w / 2, is_before);
    for (int64_t t = 0; t < s->times; t++)
        for (int64_t c = 0; c < l->classes; c++)
            s->p[t][c] =
                expl(number(problem, l->p, (t * l->samples + n) * l->classes + c, is_before));
    sum_paths(s);
    return s;
}

/* How large logarithms of sums can be. */
static double size_of(const struct spelling *s)
{
    double most = 1;
    for (int64_t t = 0; t < s->times; t++)
        for (int64_t c = 0; c < s->classes; c++) {
            const double size = fabs((double)logl(s->p[t][c]));
            if (isfinite(size) && size > most) most = size;
        }
    return (double)s->times * (most + 1);
}

static double loss_of(const struct losses *l, const struct spelling *s)
{
    const double loss = -(double)logl(likelihood(s));
    return l->is_zero && isinf(loss) ? 0 : loss == 0 ? 0 : loss;
}

static double alpha_of(const struct spelling *s, int64_t t, int64_t w)
{
    return t < s->times && w < s->places ? (double)logl(s->sums[t][w]) : -INFINITY;
}

static void ctc(struct rig_problem *problem)
{
    const struct losses l = losses_of(problem);
    const struct operand *alpha = &problem->tensor[l.alpha].view;
    const int64_t places = alpha->dims[alpha->rank - 1];
    for (int64_t n = 0; n < l.samples; n++) {
        struct spelling *s = spell(problem, &l, n, false);
        const double size = size_of(s);
        norm_put(problem, l.loss, n, loss_of(&l, s), size, (double)s->times);
        for (int64_t t = 0; t < l.times; t++)
            for (int64_t w = 0; w < places; w++)
                norm_put(problem, l.alpha, (n * l.times + t) * places + w, alpha_of(s, t, w), size,
                         (double)s->times);
        free(s);
    }
}

/* ---- the gradient ---- */

/* How much coarser than f32 what the forward operator gave is rounded. */
static double coarseness(enum case_dtype dtype)
{
    return dtype == CASE_F16 ? 0x1p13 : dtype == CASE_BF16 ? 0x1p16 : 1;
}

/* The probability that a path is at c at time t. */
static double posterior(struct spelling *s, int64_t t, int64_t c, long double all)
{
    long double kept[CLASSES];
    bool is_there = false;
    for (int64_t w = 0; w < s->places; w++)
        is_there = is_there || s->class[w] == c;
    if (!is_there) return 0;
    memcpy(kept, s->p[t], sizeof kept);
    for (int64_t other = 0; other < s->classes; other++)
        if (other != c) s->p[t][other] = 0;
    sum_paths(s);
    memcpy(s->p[t], kept, sizeof kept);
    return (double)(likelihood(s) / all);
}

static void ctc_backward(struct rig_problem *problem)
{
    const struct losses l = losses_of(problem);
    const int grad = norm_operand(problem, "gradOut"), out = norm_operand(problem, "out");
    if (problem->tensor[out].count == 0) return; /* nothing is read */
    for (int64_t n = 0; n < l.samples; n++) {
        struct spelling *s = spell(problem, &l, n, false);
        const long double all = likelihood(s);
        const double size = (1 + size_of(s)) * coarseness(problem->tensor[l.p].view.dtype);
        const double g = oracle_value(problem, grad, n);
        for (int64_t t = 0; t < l.times; t++)
            for (int64_t c = 0; c < l.classes; c++) {
                const int64_t i = (t * l.samples + n) * l.classes + c;
                const double log = oracle_value(problem, l.p, i), p = exp(log);
                double q = 0;
                if (t >= s->times || (l.is_zero && all == 0)) {
                    norm_put(problem, out, i, 0, 0, 1);
                    continue;
                }
                if (log == -INFINITY || all == 0 || isnan((double)all))
                    q = NAN;
                else
                    q = posterior(s, t, c, all);
                norm_put(problem, out, i, (p - q) * g, fabs(g) * (p + 16 * q * size),
                         8 * (double)s->times);
            }
        free(s);
    }
}

/* ---- random problems ---- */

/* Logarithms of probabilities, a few of 0, fewer NaN; classes, with data=ties some that are none;
 * for the gradient what the forward operator gives. */
static void fill(struct rig_problem *problem, struct random *random)
{
    const struct losses l = losses_of(problem);
    struct rig_tensor *p = &problem->tensor[l.p], *targets = &problem->tensor[l.targets];
    const bool has_bad = problem->test->data == CASE_TIES;
    const bool has_none = random_once_in(random, 3), is_grad = norm_operand(problem, "out") >= 0;
    /* A NaN that no path meets spoils sums on their way back: which ones, the definition leaves
     * open. */
    const bool has_nan = !is_grad && random_once_in(random, 8);
    for (int64_t i = 0; i < p->count; i++) {
        double log = (double)random_between(random, -96, 16) / 32;
        if (has_none && random_once_in(random, 20)) log = -INFINITY;
        if (has_nan && random_once_in(random, 40)) log = NAN;
        p->bits[i] = oracle_cast_real(p->view.dtype, log);
    }
    for (int64_t i = 0; i < targets->count; i++) {
        int64_t class = random_below(random, l.classes);
        if (targets->view.dtype == CASE_BOOL) class &= 1;
        if (has_bad && random_once_in(random, 9)) class = l.classes + random_below(random, 3);
        targets->bits[i] = oracle_is_float(targets->view.dtype)
                               ? oracle_cast_real(targets->view.dtype, (double)class)
                               : oracle_cast_whole(targets->view.dtype, class);
    }
    if (!is_grad) return;
    struct rig_tensor *loss = &problem->tensor[l.loss], *alpha = &problem->tensor[l.alpha];
    const int64_t places = alpha->view.dims[alpha->view.rank - 1];
    for (int64_t n = 0; n < l.samples; n++) {
        struct spelling *s = spell(problem, &l, n, true);
        loss->bits[n] = oracle_cast_real(loss->view.dtype, loss_of(&l, s));
        for (int64_t i = 0; i < l.times * places; i++)
            alpha->bits[n * l.times * places + i] =
                oracle_cast_real(alpha->view.dtype, alpha_of(s, i / places, i % places));
        free(s);
    }
}

static struct test_case random_ctc(const struct rig_operator *op, struct random *random,
                                   enum case_dtype dtype)
{
    static const enum case_dtype types[] = {CASE_I64, CASE_I32, CASE_I64, CASE_F32, CASE_F16};
    const bool is_grad = strstr(op->name, "Backward") != NULL;
    struct test_case test = norm_start(op, random, dtype);
    const bool is_one = random_once_in(random, 5), is_matrix = random_once_in(random, 2);
    const int64_t times = random_once_in(random, 20) ? 0 : random_between(random, 1, 12);
    const int64_t samples = is_one                       ? 1
                            : random_once_in(random, 20) ? 0
                                                         : random_between(random, 1, 4);
    const int64_t classes = random_between(random, 2, 7), width = random_between(random, 0, 5);
    const int64_t p[] = {times, samples, classes}, one[] = {times, classes};
    int64_t inputs[4], lengths[4], sum = 0, longest = 0;
    for (int64_t n = 0; n < samples; n++) {
        inputs[n] = random_once_in(random, 2) ? times : random_below(random, times + 1);
        lengths[n] = random_below(random, width + 1);
        sum += lengths[n];
        if (lengths[n] > longest) longest = lengths[n];
    }
    const int64_t rows[] = {samples, width};
    const int64_t alpha[] = {samples, times, 2 * longest + 1 + random_below(random, 9)};
    const bool is_scalar = is_one && random_once_in(random, 2);
    /* Of the gradient nothing that fill() makes fit together is broadcast. */
    if (random_once_in(random, 4)) test.data = CASE_TIES;
    if (is_grad) random_tensor(&test, random, "gradOut", dtype, &samples, is_scalar ? 0 : 1, false);
    random_tensor(&test, random, "logProbs", dtype, is_one ? one : p, is_one ? 2 : 3, true);
    random_tensor(&test, random, "targets", types[random_below(random, 5)], is_matrix ? rows : &sum,
                  is_matrix ? 2 : 1, is_grad);
    random_ints(&test, "inputLengths", inputs, (int)samples);
    random_ints(&test, "targetLengths", lengths, (int)samples);
    random_number(&test, "blank", random_once_in(random, 2) ? 0 : (double)(classes - 1));
    random_number(&test, "zeroInfinity", (double)random_below(random, 2));
    random_tensor(&test, random, is_grad ? "negLogLikelihood" : "negLogLikelihoodOut", dtype,
                  &samples, is_scalar ? 0 : 1, true);
    const int without = is_one && random_once_in(random, 3);
    random_tensor(&test, random, is_grad ? "logAlpha" : "logAlphaOut", dtype, alpha + without,
                  3 - without, true);
    if (is_grad) random_tensor(&test, random, "out", dtype, is_one ? one : p, is_one ? 2 : 3, true);
    return test;
}

const struct oracle_row oracle_ctc_rows[] = {
    {.name = "aclnnCtcLoss",
     .oracle = ctc,
     .random = random_ctc,
     .fill = fill,
     .ulp = 1,
     .lines = LINES("ctc_loss f32 logProbs=6x2x4 targets=2x3:i64 inputLengths=6x4 "
                    "targetLengths=2x3 blank=0 zeroInfinity=0 negLogLikelihoodOut=2 "
                    "logAlphaOut=2x6x8",
                    "ctc_loss f32 logProbs=60x3x9:strided targets=60:i32 inputLengths=60x50x0 "
                    "targetLengths=20x25x15 blank=8 zeroInfinity=1 negLogLikelihoodOut=3 "
                    "logAlphaOut=3x60x51",
                    "ctc_loss f64 logProbs=40x30 targets=1x12:u8 inputLengths=40 targetLengths=12 "
                    "blank=3 zeroInfinity=0 negLogLikelihoodOut=scalar logAlphaOut=40x25",
                    "ctc_loss f32 logProbs=6x2x2 targets=2x3:bool inputLengths=6x4 "
                    "targetLengths=2x0 blank=0 zeroInfinity=1 negLogLikelihoodOut=2 "
                    "logAlphaOut=2x6x5",
                    "ctc_loss f32 logProbs=0x2x4 targets=2x3:i64 inputLengths=0x0 "
                    "targetLengths=0x3 blank=0 zeroInfinity=0 negLogLikelihoodOut=2 "
                    "logAlphaOut=2x0x7"),
     .sound = "ctc_loss f32 logProbs=6x2x4 targets=2x3:i64 inputLengths=6x4 targetLengths=2x3 "
              "blank=0 zeroInfinity=0 negLogLikelihoodOut=2 logAlphaOut=2x6x7"},
    {.name = "aclnnCtcLossBackward",
     .oracle = ctc_backward,
     .random = random_ctc,
     .fill = fill,
     .ulp = 1,
     .lines = LINES("ctc_loss_backward f32 gradOut=2 logProbs=6x2x4 targets=2x3:i64 "
                    "inputLengths=6x4 targetLengths=2x3 blank=0 zeroInfinity=0 "
                    "negLogLikelihood=2 logAlpha=2x6x8 out=6x2x4",
                    "ctc_loss_backward f32 gradOut=2 logProbs=30x2x9:strided targets=20:i32 "
                    "inputLengths=30x25 targetLengths=8x12 blank=8 zeroInfinity=1 "
                    "negLogLikelihood=2 logAlpha=2x30x25 out=30x2x9",
                    "ctc_loss_backward f64 gradOut=scalar logProbs=20x70 targets=1x6:u8 "
                    "inputLengths=20 targetLengths=6 blank=3 zeroInfinity=0 "
                    "negLogLikelihood=scalar logAlpha=20x13 out=20x70"),
     .sound = "ctc_loss_backward f32 gradOut=2 logProbs=6x2x4 targets=2x3:i64 inputLengths=6x4 "
              "targetLengths=2x3 blank=0 zeroInfinity=0 negLogLikelihood=2 logAlpha=2x6x7 "
              "out=6x2x4"},
    {.name = NULL},
};
