/* SPDX-License-Identifier: Apache-2.0 */
/* Losses of pairs of numbers and their gradients, from the definitions. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/oracle_norm.h"

enum { ELEMENTS = 300, NAMES = 8 };
enum { NONE, MEAN, SUM, BATCHMEAN };

/* The numbers at one place. n: what a gradient is divided by. */
struct pair {
    double g, x, t, weight, of_ones, beta, n;
    bool is_log;
};

/* A value, and the sum of the magnitudes of its terms. */
struct term {
    double value, size;
};

typedef struct term loss_form(struct pair p);

/* oracle_row.more */
struct loss {
    loss_form *form;
    bool is_gradient, is_of_one_shape, has_batchmean;
};

/* ---- the definitions ---- */

static struct term of(double value)
{
    return (struct term){value, fabs(value)};
}

static double softplus(double x)
{
    return (x > 0 ? x : x == x ? 0 : x) + log1p(exp(-fabs(x)));
}

static double logistic(double x)
{
    return x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x));
}

static double bounded(double logarithm)
{
    return logarithm < -100 ? -100 : logarithm;
}

static struct term mse(struct pair p)
{
    return of((p.x - p.t) * (p.x - p.t));
}

static struct term l1(struct pair p)
{
    return of(fabs(p.x - p.t));
}

static struct term smooth_l1(struct pair p)
{
    const double z = fabs(p.x - p.t);
    if (z < p.beta) return of(0.5 * z * z / p.beta);
    return (struct term){z - 0.5 * p.beta, z + p.beta};
}

static struct term mse_grad(struct pair p)
{
    return of(2 * p.n * (p.x - p.t) * p.g);
}

static struct term l1_grad(struct pair p)
{
    return of(((p.x > p.t) - (p.x < p.t)) * p.n * p.g);
}

static struct term smooth_l1_grad(struct pair p)
{
    const double away = p.x - p.t;
    if (fabs(away) >= p.beta) return of(p.n * (away > 0 ? 1 : -1) * p.g);
    return of(p.n * (away / p.beta) * p.g);
}

static struct term soft_margin(struct pair p)
{
    return of(softplus(-p.x * p.t));
}

static struct term soft_margin_grad(struct pair p)
{
    const double power = 1 + fabs(p.x * p.t); /* the exponent is rounded, too */
    const double value = -p.t * logistic(-p.x * p.t) * p.n * p.g;
    return (struct term){value, fabs(value) * power};
}

static struct term bce(struct pair p)
{
    const double one = p.t * bounded(log(p.x)), zero = (1 - p.t) * bounded(log1p(-p.x));
    return (struct term){-p.weight * (one + zero), fabs(p.weight) * (fabs(one) + fabs(zero))};
}

static struct term bce_grad(struct pair p)
{
    const double variance = (1 - p.x) * p.x;
    return of(p.weight * p.g * p.n * (p.x - p.t) / (variance < 1e-12 ? 1e-12 : variance));
}

static struct term bce_logits(struct pair p)
{
    const double one = p.of_ones * p.t * softplus(-p.x), zero = (1 - p.t) * softplus(p.x);
    const double power = 1 + fabs(p.x);
    return (struct term){p.weight * (one + zero),
                         fabs(p.weight) * (fabs(one) + fabs(zero)) * power};
}

static struct term bce_logits_grad(struct pair p)
{
    const double zero = (1 - p.t) * logistic(p.x), one = p.of_ones * p.t * logistic(-p.x);
    const double scale = p.weight * p.g * p.n;
    return (struct term){scale * (zero - one),
                         fabs(scale) * (fabs(zero) + fabs(one)) * (1 + fabs(p.x))};
}

static struct term bce_logits_target_grad(struct pair p)
{
    const double one = p.of_ones * softplus(-p.x), zero = softplus(p.x);
    const double scale = p.weight * p.g * p.n;
    return (struct term){scale * (one - zero), fabs(scale) * (fabs(one) + fabs(zero))};
}

static struct term kl_div(struct pair p)
{
    const double first = p.is_log ? exp(p.t) * p.t : p.t == 0 ? 0 : p.t * log(p.t);
    const double second = (p.is_log ? exp(p.t) : p.t) * p.x;
    const double power = p.is_log ? 1 + fabs(p.t) : 1;
    const double value = p.is_log ? exp(p.t) * (p.t - p.x) : first - second;
    return (struct term){value, (fabs(first) + fabs(second)) * power};
}

static struct term kl_div_grad(struct pair p)
{
    const double value = -(p.is_log ? exp(p.t) : p.t) * p.n * p.g;
    return (struct term){value, fabs(value) * (p.is_log ? 1 + fabs(p.t) : 1)};
}

static struct term kl_div_target_grad(struct pair p)
{
    const double logarithm = p.is_log ? p.t : log(p.t), factor = p.is_log ? exp(p.t) : 1;
    const double sum = p.is_log ? p.t - p.x + 1 : logarithm - p.x + 1;
    const double value = p.is_log ? factor * sum * p.n * p.g : sum * p.n * p.g;
    const double size = fabs(factor * p.n * p.g) * (fabs(logarithm) + fabs(p.x) + 1);
    return (struct term){value, size * (p.is_log ? 1 + fabs(p.t) : 1)};
}

/* ---- a problem ---- */

static const struct loss *loss_of(const struct rig_operator *op)
{
    return op->row->more;
}

static bool is_read(const struct rig_problem *problem, int i)
{
    return !problem->call.is_null[i] && !rig_is_output(&problem->op->operand[i]);
}

/* The shape that what is read broadcasts to, and the type it promotes to. */
static struct operand whole_of(const struct rig_problem *problem)
{
    struct operand whole = {0};
    bool is_first = true;
    for (int i = 0; i < problem->operands; i++) {
        const struct operand *view = &problem->tensor[i].view;
        if (!is_read(problem, i)) continue;
        whole.dtype = is_first ? view->dtype : oracle_promote(whole.dtype, view->dtype);
        is_first = false;
        for (; whole.rank < view->rank; whole.rank++) {
            memmove(whole.dims + 1, whole.dims, (size_t)whole.rank * sizeof *whole.dims);
            whole.dims[0] = 1;
        }
        for (int axis = 0; axis < view->rank; axis++) {
            int64_t *size = &whole.dims[whole.rank - view->rank + axis];
            if (*size == 1) *size = view->dims[axis];
        }
    }
    return whole;
}

static double number(const struct rig_problem *problem, const struct operand *whole, int64_t i,
                     const char *names)
{
    const int operand = norm_one_of(problem, names);
    if (operand < 0) return 1;
    return oracle_value(problem, operand,
                        oracle_broadcast(whole, i, &problem->tensor[operand].view));
}

static double rounded(const struct operand *whole, double value)
{
    return whole->dtype == CASE_F64 ? value : oracle_round(CASE_F32, value);
}

/* Functions are good to 2^-30 in FLOAT; DOUBLE is rounded some times. */
static double slack_of(const struct operand *whole, double size)
{
    return isfinite(size) ? size * (whole->dtype == CASE_F64 ? 0x1p-49 : 0x1p-27) : 0;
}

static void losses(struct rig_problem *problem)
{
    const struct loss *loss = loss_of(problem->op);
    const struct operand whole = whole_of(problem);
    const int64_t reduction = norm_integer(problem, "reduction", 0);
    const int out = problem->operands - 1, self = norm_operand(problem, "self");
    int64_t count = 1;
    long double sum = 0;
    double size = 0;
    for (int axis = 0; axis < whole.rank; axis++)
        count *= whole.dims[axis];
    const double batch = reduction == BATCHMEAN ? (double)problem->tensor[self].view.dims[0] : 1;
    const double divisor = reduction == MEAN ? (double)count : batch;
    for (int64_t i = 0; i < count; i++) {
        const struct pair p = {
            .g = number(problem, &whole, i, "gradOutput gradOut"),
            .x = number(problem, &whole, i, "self"),
            .t = number(problem, &whole, i, "target"),
            .weight = number(problem, &whole, i, "weight weightOptional"),
            .of_ones = number(problem, &whole, i, "posWeightOptional"),
            .beta = rounded(&whole, norm_real(problem, "beta", 0)),
            .n = rounded(&whole, 1 / divisor),
            .is_log = norm_integer(problem, "logTarget", 0) != 0,
        };
        const struct term term = loss->form(p);
        if (loss->is_gradient || reduction == NONE) {
            oracle_real(problem, out, i, whole.dtype, term.value);
            problem->tensor[out].slack[i] = slack_of(&whole, term.size);
            continue;
        }
        sum += (long double)rounded(&whole, term.value);
        /* Each is rounded. */
        size += slack_of(&whole, term.size) +
                fabs(term.value) * (whole.dtype == CASE_F64 ? 0x1p-49 : 0x1p-23);
    }
    if (loss->is_gradient || reduction == NONE) return;
    oracle_real(problem, out, 0, whole.dtype, (double)(sum / (long double)divisor));
    if (isfinite(size)) problem->tensor[out].slack[0] = size / divisor;
}

/* ---- losses whose reduction is a text ---- */

static struct term hinge_embedding(double x, double t, double margin)
{
    const double left = margin - x;
    return t == 1    ? of(x)
           : t != -1 ? of(0)
                     : (struct term){left < 0 ? 0 : left, fabs(margin) + fabs(x)};
}

static struct term gaussian(double x, double t, double variance, double eps, double constant)
{
    const double v = variance < eps ? eps : variance;
    const double first = log(v) / 2, second = (x - t) * (x - t) / v / 2;
    return (struct term){first + second + constant, fabs(first) + fabs(second) + constant};
}

static struct term text_term(struct rig_problem *problem, const struct operand *whole, int64_t i)
{
    const double x = number(problem, whole, i, "predict input");
    const double t = number(problem, whole, i, "label target");
    const int var = norm_operand(problem, "var");
    if (strstr(problem->op->name, "LpLoss")) return of(fabs(x - t));
    if (var < 0) return hinge_embedding(x, t, rounded(whole, norm_real(problem, "margin", 0)));
    const struct operand *view = &problem->tensor[var].view;
    const bool is_of_rows = whole->rank == view->rank + 1 && problem->tensor[var].count != 1;
    const double variance = is_of_rows
                                ? oracle_value(problem, var, i / whole->dims[whole->rank - 1])
                                : number(problem, whole, i, "var");
    return gaussian(x, t, variance, rounded(whole, norm_real(problem, "eps", 1)),
                    rounded(whole, norm_integer(problem, "full", 0) ? 0.91893853320467274178 : 0));
}

static void text_losses(struct rig_problem *problem)
{
    const int out = problem->operands - 1;
    const char *text = problem->call.text[0] ? problem->call.text[0] : "mean";
    struct operand whole = problem->tensor[0].view;
    if (norm_operand(problem, "var") < 0)
        whole = whole_of(problem);
    else
        for (int i = 1; i < out; i++)
            whole.dtype = oracle_promote(whole.dtype, problem->tensor[i].view.dtype);
    const bool is_each = strcmp(text, "none") == 0;
    int64_t count = 1;
    long double sum = 0;
    double size = 0;
    for (int axis = 0; axis < whole.rank; axis++)
        count *= whole.dims[axis];
    const double divisor = strcmp(text, "mean") == 0 ? (double)count : 1;
    for (int64_t i = 0; i < count; i++) {
        const struct term term = text_term(problem, &whole, i);
        if (is_each) {
            oracle_real(problem, out, i, whole.dtype, term.value);
            problem->tensor[out].slack[i] = slack_of(&whole, term.size);
            continue;
        }
        sum += (long double)rounded(&whole, term.value);
        size += slack_of(&whole, term.size) +
                fabs(term.value) * (whole.dtype == CASE_F64 ? 0x1p-49 : 0x1p-23);
    }
    if (is_each) return;
    oracle_real(problem, out, 0, whole.dtype, (double)(sum / (long double)divisor));
    if (isfinite(size)) problem->tensor[out].slack[0] = size / divisor;
}

/* Targets of the hinge are 1 and -1, most of them; variances are positive. */
static void fill_texts(struct rig_problem *problem, struct random *random)
{
    const int target = norm_operand(problem, "target"), var = norm_operand(problem, "var");
    if (strstr(problem->op->name, "Hinge"))
        for (int64_t i = 0; i < problem->tensor[target].count; i++)
            if (!random_once_in(random, 12))
                problem->tensor[target].bits[i] = oracle_to_bits(
                    problem->tensor[target].view.dtype, random_once_in(random, 2) ? 1 : -1);
    for (int64_t i = 0; var >= 0 && i < problem->tensor[var].count; i++)
        problem->tensor[var].bits[i] =
            oracle_to_bits(problem->tensor[var].view.dtype, fabs(random_unit(random)) + 0x1p-5);
}

/* ---- random problems ---- */

/* Predictions and targets that are probabilities, most of them. */
static void fill_fractions(struct rig_problem *problem, struct random *random)
{
    const bool has_logits = strstr(problem->op->name, "WithLogits") != NULL;
    const bool has_logs = strstr(problem->op->name, "KlDiv") != NULL;
    for (int k = 0; k < 2; k++) {
        struct rig_tensor *tensor =
            &problem->tensor[norm_operand(problem, k == 0 ? "self" : "target")];
        if (k == 0 && (has_logits || has_logs)) continue;
        for (int64_t i = 0; i < tensor->count; i++) {
            double value = fabs(random_unit(random));
            if (random_once_in(random, 8)) value = random_once_in(random, 2);
            if (random_once_in(random, 8)) value *= 0x1p-11;
            if (random_once_in(random, 12)) continue;
            tensor->bits[i] = oracle_to_bits(tensor->view.dtype, value);
        }
    }
}

struct shape {
    int rank;
    int64_t dims[CASE_RANK];
};

/* One that broadcasts to it. */
static struct shape part_of(struct random *random, const struct shape *whole)
{
    struct shape part = {.rank = whole->rank};
    int missing = 0;
    if (random_once_in(random, 3) && whole->rank > 0)
        missing = (int)random_between(random, 0, whole->rank);
    part.rank -= missing;
    for (int i = 0; i < part.rank; i++)
        part.dims[i] = random_once_in(random, 5) ? 1 : whole->dims[i + missing];
    return part;
}

static struct shape join(const struct shape *a, const struct shape *b)
{
    const struct shape *longer = a->rank < b->rank ? b : a, *other = longer == a ? b : a;
    struct shape both = *longer;
    for (int i = 1; i <= other->rank; i++)
        if (both.dims[both.rank - i] == 1) both.dims[both.rank - i] = other->dims[other->rank - i];
    return both;
}

static struct test_case random_losses(const struct rig_operator *op, struct random *random,
                                      enum case_dtype dtype)
{
    const struct loss *loss = loss_of(op);
    struct test_case test = random_start(op, random, dtype);
    struct shape whole, both = {0};
    whole.rank = random_shape(random, whole.dims, ELEMENTS);
    int reduction = (int)random_below(random, loss->has_batchmean ? 4 : 3);
    for (int slot = 0; op->tensor[slot]; slot++) {
        const char *name = op->tensor[slot];
        const bool is_pair = norm_has_word("self target", name);
        const enum case_dtype type = norm_some_type(op, random, dtype);
        struct shape own = part_of(random, &whole);
        if (is_pair && loss->is_of_one_shape) own = whole;
        if (strstr(name, "eight") && random_once_in(random, 3)) continue;
        if (rig_is_output(&op->operand[slot])) {
            own = loss->is_of_one_shape ? whole : both;
            if (!loss->is_gradient && reduction != NONE)
                own = (struct shape){.rank = (int)random_below(random, 2), .dims = {1}};
            random_tensor(&test, random, name, type, own.dims, own.rank, true);
            continue;
        }
        if (strcmp(name, "self") == 0 && own.rank == 0 && reduction == BATCHMEAN) reduction = SUM;
        both = join(&both, &own);
        random_tensor(&test, random, name, type, own.dims, own.rank, false);
    }
    random_number(&test, "reduction", reduction);
    for (int i = 0; op->number[i]; i++) {
        if (strcmp(op->number[i], "logTarget") == 0)
            random_number(&test, "logTarget", random_once_in(random, 2));
        if (strcmp(op->number[i], "beta") == 0)
            random_number(&test, "beta", random_once_in(random, 4) ? 0 : 0.75);
    }
    return test;
}

static struct test_case random_texts(const struct rig_operator *op, struct random *random,
                                     enum case_dtype dtype)
{
    static const char *const reductions[] = {"none", "mean", "sum"};
    struct test_case test = random_start(op, random, dtype);
    const bool is_gaussian = strstr(op->name, "Gaussian") != NULL;
    const char *reduction = reductions[random_below(random, 3)];
    struct shape whole, both = {0};
    whole.rank = random_shape(random, whole.dims, ELEMENTS);
    for (int slot = 0; op->tensor[slot]; slot++) {
        const char *name = op->tensor[slot];
        struct shape own = part_of(random, &whole);
        if (is_gaussian && slot == 0) own = whole;
        if (is_gaussian && slot > 0 && (own.rank != whole.rank || slot == 1)) own = whole;
        if (is_gaussian && slot == 1 && whole.rank > 0 && random_once_in(random, 3))
            own.dims[random_below(random, whole.rank)] = 1;
        if (strcmp(name, "var") == 0 && whole.rank > 0 && random_once_in(random, 3))
            own = (struct shape){.rank = whole.rank - 1};
        for (int i = 0; strcmp(name, "var") == 0 && i < own.rank && own.rank < whole.rank; i++)
            own.dims[i] = whole.dims[i];
        if (rig_is_output(&op->operand[slot])) {
            own = is_gaussian ? whole : both;
            if (strcmp(reduction, "none") != 0)
                own = (struct shape){.rank = (int)random_below(random, 2), .dims = {1}};
        } else {
            both = join(&both, &own);
        }
        random_tensor(&test, random, name, norm_some_type(op, random, dtype), own.dims, own.rank,
                      rig_is_output(&op->operand[slot]));
    }
    for (int i = 0; op->number[i]; i++)
        random_number(&test, op->number[i],
                      strcmp(op->number[i], "p") == 0        ? 1
                      : strcmp(op->number[i], "full") == 0   ? (double)random_below(random, 2)
                      : strcmp(op->number[i], "margin") == 0 ? 0.75
                                                             : 0x1p-4);
    for (const struct rig_argument *at = op->names->argument; at->name; at++)
        if (at->kind == OP_TEXT_OF)
            snprintf(case_add(&test, at->name, CASE_ALONE)->text, CASE_TEXT, "%s", reduction);
    return test;
}

#define TEXT_ROW(names, a_sound)                                                                   \
    {                                                                                              \
        .name = names, .oracle = text_losses, .random = random_texts, .fill = fill_texts,          \
        .ulp = 1, .by_strides = true, .sound = a_sound                                             \
    }

#define ROW(names, a_form, of_gradient, a_sound, more_lines, ...)                                  \
    {                                                                                              \
        .name = names, .oracle = losses, .random = random_losses, .fill = fill_fractions,          \
        .ulp = 1, .by_strides = !(of_gradient), .sound = a_sound, .lines = more_lines,             \
        .more = &(const struct loss)                                                               \
        {                                                                                          \
            .form = a_form, .is_gradient = (of_gradient), __VA_ARGS__                              \
        }                                                                                          \
    }

const struct oracle_row oracle_loss_rows[] = {
    ROW("aclnnMseLoss", mse, false, "mse_loss f32 self=2x3x4 target=2x3x4 reduction=0 out=2x3x4",
        LINES("mse_loss f32 self=40000 target=40000 reduction=2 out=scalar",
              "mse_loss f64 self=301x70:s1x301 target=70 reduction=1 out=1",
              "mse_loss bf16 self=200x300:strided target=200x1 reduction=1 out=scalar:f32",
              "mse_loss f32 self=0x3 target=3 reduction=1 out=scalar",
              "mse_loss f32 self=0x3 target=3 reduction=2 out=1")),
    ROW("aclnnMseLossOut", mse, false,
        "mse_loss_out f32 self=2x3x4 target=2x3x4 reduction=0 out=2x3x4", NULL),
    ROW("aclnnL1Loss", l1, false, "l1_loss f32 self=2x3x4 target=2x3x4 reduction=0 out=2x3x4",
        LINES("l1_loss f16 self=5000x3:s3x1 target=5000x3 reduction=1 out=scalar")),
    ROW("aclnnSmoothL1Loss", smooth_l1, false,
        "smooth_l1_loss f32 self=2x3x4 target=2x3x4 reduction=0 beta=1 result=2x3x4",
        LINES("smooth_l1_loss f32 self=70x80 target=70x80 reduction=1 beta=0.5 result=1")),
    ROW("aclnnMseLossBackward", mse_grad, true,
        "mse_loss_backward f32 gradOutput=2x3x4 self=2x3x4 target=2x3x4 reduction=1 out=2x3x4",
        NULL),
    ROW("aclnnL1LossBackward", l1_grad, true,
        "l1_loss_backward f32 gradOutput=2x3x4 self=2x3x4 target=2x3x4 reduction=1 "
        "gradInput=2x3x4",
        NULL),
    ROW("aclnnSmoothL1LossBackward", smooth_l1_grad, true,
        "smooth_l1_loss_backward f32 gradOut=2x3x4 self=2x3x4 target=2x3x4 reduction=1 beta=0.5 "
        "gradInput=2x3x4",
        NULL),
    ROW("aclnnBinaryCrossEntropy", bce, false,
        "binary_cross_entropy f32 self=2x3x4 target=2x3x4 weight=3x4 reduction=0 out=2x3x4",
        LINES("binary_cross_entropy f32 self=70x80 target=70x80 reduction=1 out=scalar",
              "binary_cross_entropy f64 self=70x80 target=70x80 weight=80 reduction=2 out=1"),
        .is_of_one_shape = true),
    ROW("aclnnBinaryCrossEntropyBackward", bce_grad, true,
        "binary_cross_entropy_backward f32 gradOutput=2x3x4 self=2x3x4 target=2x3x4 "
        "weightOptional=3x4 reduction=1 out=2x3x4",
        NULL, .is_of_one_shape = true),
    ROW("aclnnBinaryCrossEntropyWithLogits", bce_logits, false,
        "binary_cross_entropy_with_logits f32 self=2x3x4 target=2x3x4 weightOptional=3x4 "
        "posWeightOptional=4 reduction=0 out=2x3x4",
        LINES("binary_cross_entropy_with_logits f32 self=70x80 target=70x80 reduction=1 out=scalar",
              "binary_cross_entropy_with_logits f32 self=70x80 target=70x80 weightOptional=80 "
              "posWeightOptional=80 reduction=1 out=scalar"),
        .is_of_one_shape = true),
    ROW("aclnnBinaryCrossEntropyWithLogitsBackward", bce_logits_grad, true,
        "binary_cross_entropy_with_logits_backward f32 gradOutput=2x3x4 self=2x3x4 target=2x3x4 "
        "weightOptional=3x4 posWeightOptional=4 reduction=1 out=2x3x4",
        NULL, .is_of_one_shape = true),
    ROW("aclnnBinaryCrossEntropyWithLogitsTargetBackward", bce_logits_target_grad, true,
        "binary_cross_entropy_with_logits_target_backward f32 gradOutput=2x3x4 self=2x3x4 "
        "target=2x3x4 weightOptional=3x4 posWeightOptional=4 reduction=1 gradTarget=2x3x4",
        NULL, .is_of_one_shape = true),
    ROW("aclnnKlDiv", kl_div, false,
        "kl_div f32 self=2x3x4 target=2x3x4 reduction=0 logTarget=0 out=2x3x4",
        LINES("kl_div f32 self=70x80 target=70x80 reduction=3 logTarget=0 out=scalar",
              "kl_div f32 self=70x80 target=70x80 reduction=1 logTarget=1 out=1",
              "kl_div f32 self=0x80 target=0x80 reduction=3 logTarget=1 out=1",
              "kl_div f32 self=7x0 target=7x0 reduction=3 logTarget=1 out=1"),
        .has_batchmean = true),
    ROW("aclnnKlDivBackward", kl_div_grad, true,
        "kl_div_backward f32 gradOutput=2x3x4 self=2x3x4 target=2x3x4 reduction=3 logTarget=0 "
        "out=2x3x4",
        NULL, .has_batchmean = true),
    ROW("aclnnKlDivTargetBackward", kl_div_target_grad, true,
        "kl_div_target_backward f32 gradOutput=2x3x4 self=2x3x4 target=2x3x4 reduction=3 "
        "logTarget=0 gradTarget=2x3x4",
        NULL, .has_batchmean = true),
    ROW("aclnnSoftMarginLoss", soft_margin, false,
        "soft_margin_loss f32 self=2x3x4 target=2x3x4 reduction=0 out=2x3x4",
        LINES("soft_margin_loss f32 self=70x80 target=70x80 reduction=1 out=scalar")),
    ROW("aclnnSoftMarginLossBackward", soft_margin_grad, true,
        "soft_margin_loss_backward f32 gradOutput=2x3x4 self=2x3x4 target=2x3x4 reduction=1 "
        "out=2x3x4",
        NULL),
    TEXT_ROW("aclnnLpLoss", "lp_loss f32 predict=2x3x4 label=2x3x4 p=1 reduction=none out=2x3x4"),
    TEXT_ROW(
        "aclnnHingeEmbeddingLoss",
        "hinge_embedding_loss f32 input=2x3x4 target=2x3x4 margin=1 reduction=none loss=2x3x4"),
    TEXT_ROW("aclnnGaussianNllLoss",
             "gaussian_nll_loss f32 input=2x3x4 target=2x3x4 var=2x3x4 full=0 eps=0.0625 "
             "reductionOptional=none out=2x3x4"),
    {.name = NULL},
};
