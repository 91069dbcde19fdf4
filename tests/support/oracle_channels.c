/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisations of channels and of groups of them, from the definitions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/oracle_norm.h"

/* ---- what a problem is ---- */

struct channels {
    int x, gamma, beta;
    int64_t samples, count, plane, groups; /* groups of channels; 0: channels of all samples */
    int64_t sets;                          /* of elements that have statistics of their own */
    double eps;
};

static struct channels channels_of(const struct rig_problem *problem)
{
    struct channels c = {.x = norm_one_of(problem, "input self x"), .plane = 1};
    const struct operand *view = &problem->tensor[c.x].view;
    c.gamma = norm_one_of(problem, "weight gamma");
    c.beta = norm_one_of(problem, "bias beta");
    c.samples = view->dims[0];
    c.count = view->dims[1];
    for (int i = 2; i < view->rank; i++)
        c.plane *= view->dims[i];
    c.groups = norm_integer(problem, "group", norm_integer(problem, "numGroups", 0));
    if (strstr(problem->op->name, "Instance")) c.groups = c.count;
    c.sets = c.groups > 0 ? c.samples * c.groups : c.count;
    c.eps = norm_real(problem, "eps", 0);
    return c;
}

static int64_t channel_of(const struct channels *c, int64_t i)
{
    return i / c->plane % c->count;
}

static int64_t set_of(const struct channels *c, int64_t i)
{
    const int64_t channel = channel_of(c, i);
    if (c->groups == 0) return channel;
    return i / (c->plane * c->count) * c->groups + channel / (c->count / c->groups);
}

static int64_t elements_of(const struct channels *c)
{
    return c->samples * c->count * c->plane;
}

/* Sums of a set. */
struct set {
    double mean, variance, sample, size, squares, n;
};

static struct set *sets_of(const struct rig_problem *problem, const struct channels *c)
{
    struct set *sets = calloc((size_t)c->sets + 1, sizeof *sets);
    for (int64_t i = 0; i < elements_of(c); i++) {
        const double x = oracle_value(problem, c->x, i);
        struct set *set = &sets[set_of(c, i)];
        set->n++;
        set->mean += x;
        set->size += fabs(x);
        set->squares += x * x;
    }
    for (int64_t k = 0; k < c->sets; k++) {
        sets[k].mean /= sets[k].n;
        sets[k].size /= sets[k].n;
        sets[k].squares /= sets[k].n;
    }
    for (int64_t i = 0; i < elements_of(c); i++) {
        struct set *set = &sets[set_of(c, i)];
        const double x = oracle_value(problem, c->x, i) - set->mean;
        set->variance += x * x;
    }
    for (int64_t k = 0; k < c->sets; k++) {
        sets[k].sample = sets[k].variance / (sets[k].n - 1);
        sets[k].variance /= sets[k].n;
    }
    return sets;
}

static bool has_name(const struct rig_problem *problem, const char *part)
{
    return strstr(problem->op->name, part) != NULL;
}

/* The factor of a Swish; NAN: there is none. */
static double swish_of(const struct rig_problem *problem)
{
    const double scale = norm_real(problem, "swishScale", 1);
    if (has_name(problem, "SwishGrad")) return scale;
    if (norm_integer(problem, "activateSwish", 0) || norm_integer(problem, "activateSilu", 0))
        return scale;
    return strcmp(problem->op->name, "aclnnGroupNormSilu") == 0 ? 1 : NAN;
}

/* ---- forward ---- */

static void put_running(struct rig_problem *problem, const char *name, int64_t i, double value,
                        double size)
{
    const int at = norm_operand(problem, name);
    if (at < 0) return;
    const double m = norm_real(problem, "momentum", 0), was = oracle_value(problem, at, i);
    norm_put_single(problem, at, i, (1 - m) * was + m * value, fabs(was) + size, 10);
}

static void forward(struct rig_problem *problem)
{
    const struct channels c = channels_of(problem);
    const bool trains = norm_integer(problem, "training", 1) != 0;
    const bool is_variance = has_name(problem, "Instance");
    const int out = norm_one_of(problem, "output out y yOut");
    const int mean = norm_one_of(problem, "saveMean mean meanOut");
    const int spread = norm_one_of(problem, "saveInvstd invstd rstdOut variance");
    const bool is_given = has_name(problem, "Elemt");
    struct set *sets = sets_of(problem, &c);
    for (int64_t k = 0; k < c.sets && elements_of(&c) > 0; k++) {
        struct set *set = &sets[k];
        if (is_given) {
            set->mean = oracle_value(problem, mean, k);
            continue;
        }
        if (!trains) {
            const int means = norm_operand(problem, "runningMean");
            const int variances = norm_operand(problem, "runningVar");
            set->mean = norm_value(problem, means, k, 0);
            set->variance = norm_value(problem, variances, k, 1);
            if (means >= 0) norm_put_single(problem, means, k, set->mean, 0, 1);
            if (variances >= 0) norm_put_single(problem, variances, k, set->variance, 0, 1);
            continue;
        }
        const double rstd = 1 / sqrt(set->variance + c.eps);
        norm_put_single(problem, mean, k, set->mean, set->size, set->n);
        norm_put_single(problem, spread, k, is_variance ? set->variance : rstd,
                        is_variance ? set->squares : rstd * (1 + rstd * rstd * set->squares),
                        set->n);
        put_running(problem, "runningMean", k, set->mean, set->size);
        put_running(problem, "runningVar", k, set->sample, set->n * set->squares);
    }
    const double swish = swish_of(problem);
    for (int64_t i = 0; i < elements_of(&c) && out >= 0; i++) {
        const struct set *set = &sets[set_of(&c, i)];
        const double gamma = norm_value(problem, c.gamma, channel_of(&c, i), 1);
        const double beta = norm_value(problem, c.beta, channel_of(&c, i), 0);
        const double x = oracle_value(problem, c.x, i);
        double rstd = 1 / sqrt(set->variance + c.eps);
        if (is_given) rstd = oracle_value(problem, spread, set_of(&c, i));
        double y = (x - set->mean) * rstd * gamma + beta;
        double size = fabs(beta) + (fabs(x) + set->size + fabs(set->mean)) * fabs(rstd * gamma) *
                                       (1 + rstd * rstd * set->squares);
        if (!isnan(swish)) {
            size *= 1 + fabs(swish * y);
            y /= 1 + exp(-swish * y);
        }
        const double own = fabs(beta) + fabs((x - set->mean) * rstd * gamma);
        norm_put_single(problem, out, i, y, own + size / 16, set->n);
    }
    free(sets);
}

/* ---- gradients ---- */

static bool is_asked(const struct rig_problem *problem, int i)
{
    static const char *const flags[] = {"", "dgammaIsRequire", "dbetaIsRequire"};
    if (problem->op->array[0]) return problem->call.array[0].values[i] != 0;
    return norm_integer(problem, flags[i], 1) != 0;
}

static void backward(struct rig_problem *problem)
{
    const struct channels c = channels_of(problem);
    const bool trains = norm_integer(problem, "training", 1) != 0;
    const int dy_at = norm_one_of(problem, "gradOut dy");
    const int mean_at = norm_one_of(problem, trains ? "saveMean mean" : "runningMean");
    const int rstd_at = norm_one_of(problem, trains ? "saveInvstd rstd" : "runningVar");
    const int results[] = {norm_one_of(problem, "gradInput dxOut"),
                           norm_one_of(problem, "gradWeight gradGammaOut dgammaOut"),
                           norm_one_of(problem, "gradBias gradBetaOut dbetaOut")};
    const int64_t n = elements_of(&c);
    const double swish = swish_of(problem), count = (double)n / (double)c.sets;
    struct set *sets = calloc((size_t)c.sets + 1, sizeof *sets);
    struct set *of_channels = calloc((size_t)c.count + 1, sizeof *of_channels);
    double *d = calloc((size_t)n + 1, sizeof *d), *xhat = calloc((size_t)n + 1, sizeof *xhat);
    double *size = calloc((size_t)n + 1, sizeof *size);
    for (int64_t i = 0; i < n; i++) {
        struct set *set = &sets[set_of(&c, i)], *of = &of_channels[channel_of(&c, i)];
        const double mean = norm_value(problem, mean_at, set_of(&c, i), 0);
        double rstd = norm_value(problem, rstd_at, set_of(&c, i), 1);
        if (!trains) rstd = 1 / sqrt(rstd + c.eps);
        const double x = oracle_value(problem, c.x, i),
                     gamma = norm_value(problem, c.gamma, channel_of(&c, i), 1);
        set->squares = rstd;
        xhat[i] = (x - mean) * rstd;
        d[i] = oracle_value(problem, dy_at, i);
        size[i] = (fabs(x) + fabs(mean)) * fabs(rstd);
        double wrong = fabs(d[i]);
        if (!isnan(swish)) {
            const double beta = norm_value(problem, c.beta, channel_of(&c, i), 0);
            const double z = swish * (xhat[i] * gamma + beta), p = 1 / (1 + exp(-z));
            wrong *= 1 + fabs(swish) * (size[i] * fabs(gamma) + fabs(beta));
            d[i] *= p * (1 + z * (1 - p));
        }
        of->mean += d[i] * xhat[i];
        of->variance += d[i];
        of->size += wrong * (1 + size[i]);
        set->mean += d[i] * gamma * xhat[i];
        set->variance += d[i] * gamma;
        set->size += wrong * fabs(gamma) * (1 + size[i]);
    }
    for (int64_t k = 0; k < c.count; k++) {
        if (is_asked(problem, 1))
            norm_put_single(problem, results[1], k, of_channels[k].mean, of_channels[k].size,
                            (double)n);
        if (is_asked(problem, 2))
            norm_put_single(problem, results[2], k, of_channels[k].variance, of_channels[k].size,
                            (double)n);
    }
    for (int64_t i = 0; i < n && is_asked(problem, 0); i++) {
        const struct set *set = &sets[set_of(&c, i)];
        const double gamma = norm_value(problem, c.gamma, channel_of(&c, i), 1);
        const double g = d[i] * gamma;
        double dx = g * set->squares;
        if (trains) dx = (g - set->variance / count - xhat[i] * (set->mean / count)) * set->squares;
        norm_put_single(problem, results[0], i, dx,
                        (fabs(g) * 8 + set->size * (1 + size[i])) * fabs(set->squares), (double)n);
    }
    free(sets);
    free(of_channels);
    free(d);
    free(xhat);
    free(size);
}

/* ---- parts of batch norm ---- */

static void sums(struct rig_problem *problem)
{
    const struct channels c = channels_of(problem);
    struct set *sets = sets_of(problem, &c);
    for (int64_t k = 0; k < c.count && elements_of(&c) > 0; k++) {
        norm_put_sum(problem, norm_operand(problem, "sum"), k, sets[k].mean * sets[k].n,
                     sets[k].size * sets[k].n, sets[k].n);
        norm_put_sum(problem, norm_operand(problem, "squareSum"), k, sets[k].squares * sets[k].n,
                     sets[k].squares * sets[k].n, sets[k].n);
    }
    free(sets);
}

static void grad_sums(struct rig_problem *problem)
{
    const struct channels c = channels_of(problem);
    const int dy = norm_operand(problem, "gradOut"), mean = norm_operand(problem, "mean");
    for (int64_t k = 0; k < c.count && elements_of(&c) > 0; k++) {
        double all = 0, of_x = 0, size = 0, x_size = 0;
        for (int64_t i = 0; i < elements_of(&c); i++) {
            if (channel_of(&c, i) != k) continue;
            const double g = oracle_value(problem, dy, i), x = oracle_value(problem, c.x, i);
            all += g;
            of_x += g * (x - oracle_value(problem, mean, k));
            size += fabs(g);
            x_size += fabs(g) * (fabs(x) + fabs(oracle_value(problem, mean, k)));
        }
        const double n = (double)elements_of(&c);
        const double rstd = oracle_value(problem, norm_operand(problem, "invstd"), k);
        if (norm_integer(problem, "inputG", 0)) {
            norm_put_sum(problem, norm_operand(problem, "sumDy"), k, all, size, n);
            norm_put_sum(problem, norm_operand(problem, "sumDyXmu"), k, of_x, x_size, n);
        }
        if (norm_integer(problem, "weightG", 0))
            norm_put_sum(problem, norm_operand(problem, "gradWeight"), k, of_x * rstd,
                         x_size * fabs(rstd), n);
        if (norm_integer(problem, "biasG", 0))
            norm_put_sum(problem, norm_operand(problem, "gradBias"), k, all, size, n);
    }
}

static void sync_grad(struct rig_problem *problem)
{
    const struct channels c = channels_of(problem);
    const int counter = norm_operand(problem, "counter");
    double n = 0;
    for (int64_t i = 0; i < problem->tensor[counter].count; i++)
        n += oracle_value(problem, counter, i);
    for (int64_t i = 0; i < elements_of(&c); i++) {
        const int64_t k = channel_of(&c, i);
        const double dy = oracle_value(problem, norm_operand(problem, "gradOut"), i);
        const double x = oracle_value(problem, c.x, i);
        const double mean = oracle_value(problem, norm_operand(problem, "mean"), k);
        const double rstd = oracle_value(problem, norm_operand(problem, "invstd"), k);
        const double of_dy = oracle_value(problem, norm_operand(problem, "sumDy"), k) / n;
        const double of_x = oracle_value(problem, norm_operand(problem, "sumDyXmu"), k) / n;
        const double factor = rstd * norm_value(problem, c.gamma, k, 1);
        norm_put_sum(problem, norm_operand(problem, "gradInput"), i,
                     (dy - of_dy - (x - mean) * (rstd * rstd * of_x)) * factor,
                     (fabs(dy) + fabs(of_dy) + (fabs(x) + fabs(mean)) * rstd * rstd * fabs(of_x)) *
                         fabs(factor),
                     8);
    }
}

static void gather(struct rig_problem *problem)
{
    const int mean = norm_operand(problem, "mean"), rstd = norm_operand(problem, "invstd");
    const int counts = norm_operand(problem, "counts");
    const int64_t parts = problem->tensor[mean].view.dims[0];
    const int64_t channels = problem->tensor[mean].view.dims[1];
    const double eps = norm_real(problem, "eps", 0);
    if (problem->tensor[mean].count == 0 ||
        problem->tensor[norm_operand(problem, "input")].count == 0)
        return;
    for (int64_t k = 0; k < channels; k++) {
        double n = 0, all = 0, squares = 0, size = 0, square_size = 0;
        for (int64_t p = 0; p < parts; p++) {
            n += oracle_value(problem, counts, p);
            all += oracle_value(problem, counts, p) * oracle_value(problem, mean, p * channels + k);
        }
        const double of_all = all / n;
        for (int64_t p = 0; p < parts; p++) {
            const double count = oracle_value(problem, counts, p);
            const double one = oracle_value(problem, rstd, p * channels + k);
            const double m = oracle_value(problem, mean, p * channels + k);
            squares += count * (1 / (one * one) - eps + (m - of_all) * (m - of_all));
            square_size += fabs(count) * (1 / (one * one) + eps + m * m + of_all * of_all);
            size += fabs(count * m);
        }
        const double result = 1 / sqrt(squares / n + eps);
        norm_put_sum(problem, norm_operand(problem, "meanAll"), k, of_all, size / n, 20);
        norm_put_sum(problem, norm_operand(problem, "invstdAll"), k, result,
                     result * (1 + result * result * square_size / n), 20);
        put_running(problem, "runningMean", k, of_all, size / n);
        put_running(problem, "runningVar", k, squares / (n - 1), square_size);
    }
}

/* ---- random problems ---- */

/* Variances and counts are positive. */
static void fill(struct rig_problem *problem, struct random *random)
{
    static const char *const positive = "runningVar counts counter invstd rstd saveInvstd";
    for (int i = 0; problem->op->tensor[i]; i++) {
        struct rig_tensor *tensor = &problem->tensor[i];
        if (problem->call.is_null[i] || !norm_has_word(positive, problem->op->tensor[i])) continue;
        if (rig_is_output(&problem->op->operand[i]) && !problem->op->operand[i].is_changed)
            continue;
        for (int64_t k = 0; k < tensor->count; k++) {
            const double value = (double)random_between(random, 4, 20);
            tensor->bits[k] = oracle_is_float(tensor->view.dtype)
                                  ? oracle_cast_real(tensor->view.dtype, value / 2)
                                  : oracle_cast_whole(tensor->view.dtype, (int64_t)value);
        }
    }
}

static int64_t divisor(struct random *random, int64_t number)
{
    int64_t some = random_between(random, 1, number > 0 ? number : 1);
    while (number % some != 0)
        some--;
    return some;
}

struct shape {
    int rank;
    int64_t dims[CASE_RANK];
};

/* Of a tensor by its name; rank 0: x's own. */
static struct shape shape_of(const struct rig_operator *op, const char *name, const struct shape *x,
                             int64_t groups, int64_t parts)
{
    struct shape shape = {.rank = 1, .dims = {x->dims[1]}};
    const bool is_gather = strstr(op->name, "Gather") != NULL;
    if (norm_has_word("input self x output out y yOut gradOut dy gradInput dxOut", name)) return *x;
    if (strstr(op->name, "Instance") && norm_has_word("mean variance", name)) {
        shape = *x;
        for (int i = 2; i < x->rank; i++)
            shape.dims[i] = 1;
    } else if (groups > 0 && norm_has_word("mean rstd meanOut rstdOut", name)) {
        shape = (struct shape){2, {x->dims[0], groups}};
    } else if (is_gather && norm_has_word("mean invstd", name)) {
        shape = (struct shape){2, {parts, x->dims[1]}};
    } else if (norm_has_word("counts counter", name)) {
        shape.dims[0] = parts;
    }
    return shape;
}

static bool is_left_out(const struct rig_operator *op, int slot, struct random *random, bool trains)
{
    const char *name = op->tensor[slot];
    if (norm_has_word("saveMean saveInvstd", name) && rig_is_output(&op->operand[slot]))
        return !trains || random_once_in(random, 4);
    if (norm_has_word("weight bias", name)) return random_once_in(random, 3);
    if (rig_is_optional(op->names->tensor_kind[slot]) &&
        norm_has_word("runningMean runningVar saveMean saveInvstd", name))
        return random_once_in(random, 4);
    return norm_has_word("gamma beta", name) && !strstr(op->name, "Swish") &&
           !strstr(op->name, "Instance") && random_once_in(random, 3);
}

static void add_number(struct test_case *test, const struct rig_operator *op, const char *name,
                       const struct shape *x, int64_t groups, bool trains, struct random *random)
{
    int64_t plane = 1;
    for (int i = 2; i < x->rank; i++)
        plane *= x->dims[i];
    const double value = strcmp(name, "N") == 0                        ? (double)x->dims[0]
                         : strcmp(name, "C") == 0                      ? (double)x->dims[1]
                         : strcmp(name, "HxW") == 0                    ? (double)plane
                         : norm_has_word("group numGroups", name)      ? (double)groups
                         : strcmp(name, "training") == 0               ? trains
                         : strcmp(name, "momentum") == 0               ? 0.25
                         : strcmp(name, "swishScale") == 0             ? 1.5
                         : norm_has_word("inputG weightG biasG", name) ? 1
                         : norm_has_word("activateSilu activateSwish", name)
                             ? random_once_in(random, 2)
                         : strcmp(name, "eps") == 0 ? 0.001
                                                    : 1;
    (void)op;
    random_number(test, name, value);
}

static struct test_case random_channels(const struct rig_operator *op, struct random *random,
                                        enum case_dtype dtype)
{
    struct test_case test = norm_start(op, random, dtype);
    struct shape x = {.rank = (int)random_between(random, 2, 6)};
    const bool is_group = strstr(op->name, "Group") != NULL, trains = random_once_in(random, 2);
    if (strstr(op->name, "Instance")) x.rank = 4;
    for (int i = 0; i < x.rank; i++)
        x.dims[i] = random_between(random, 1, i == 1 ? 12 : i == 0 ? 6 : 5);
    if (x.rank == 2) x.dims[0] = random_between(random, 2, 40);
    /* The variance of a sample of one element is none. */
    if (!is_group && x.dims[0] == 1) x.dims[0] = 2;
    /* Statistics of nothing are not written, gradients of weights are 0. */
    const bool has_zeros =
        is_group || strstr(op->name, "Instance") || strcmp(op->name, "aclnnBatchNormBackward") == 0;
    if (has_zeros && random_once_in(random, 20)) x.dims[0] = 0;
    const int64_t groups = is_group ? divisor(random, x.dims[1]) : 0;
    const int64_t parts = random_between(random, 1, 5);
    for (int slot = 0; op->tensor[slot]; slot++) {
        const char *name = op->tensor[slot];
        const struct shape shape = shape_of(op, name, &x, groups, parts);
        enum case_dtype type = slot == 0 ? dtype : norm_some_type(op, random, dtype);
        if (is_left_out(op, slot, random, trains)) continue;
        if (norm_has_word("counts counter", name) && random_once_in(random, 2)) type = CASE_I32;
        random_tensor(&test, random, name, type, shape.dims, shape.rank,
                      rig_is_output(&op->operand[slot]));
    }
    for (int i = 0; op->number[i]; i++)
        add_number(&test, op, op->number[i], &x, groups, trains, random);
    if (op->array[0]) random_ints(&test, op->array[0], (const int64_t[]){1, 1, 1}, 3);
    if (op->names->text[0]) {
        struct case_argument *text = random_type(&test, op->names->text[0], CASE_F32);
        strcpy(text->text, "NCHW");
    }
    return test;
}

#define FIRST(...)        FIRST_(__VA_ARGS__, )
#define FIRST_(line, ...) line
#define ROW(name_of, function, ...)                                                                \
    {                                                                                              \
        .name = name_of, .oracle = function, .random = random_channels, .fill = fill, .ulp = 1,    \
        .lines = LINES(__VA_ARGS__), .sound = FIRST(__VA_ARGS__)                                   \
    }

const struct oracle_row oracle_channels_rows[] = {
    ROW("aclnnBatchNorm", forward,
        "batch_norm f32 input=2x3x4 weight=3 bias=3 runningMean=3 runningVar=3 training=1 "
        "momentum=0.1 eps=0.01 output=2x3x4 saveMean=3 saveInvstd=3",
        "batch_norm f32 input=4x3x70x50 weight=3 bias=3 runningMean=3 runningVar=3 training=1 "
        "momentum=0.1 eps=0.00001 output=4x3x70x50 saveMean=3 saveInvstd=3",
        "batch_norm f32 input=4x33x20x30:s19800x1x990x33 weight=33 runningMean=33 runningVar=33 "
        "training=1 momentum=0.1 eps=0.00001 output=4x33x20x30:s19800x1x990x33 saveMean=33",
        "batch_norm f16 input=4x33x2x30:s1980x1x990x33 weight=33 runningMean=33 runningVar=33 "
        "training=0 momentum=0.1 eps=0.00001 output=4x33x2x30:s1980x1x990x33",
        "batch_norm f32 input=4x33x2x30:last weight=33 runningMean=33 runningVar=33 training=1 "
        "momentum=0.1 eps=0.00001 output=4x33x2x30:last",
        "batch_norm f16 input=2x3x70x50 weight=3 bias=3 training=1 momentum=0.1 eps=0.01 "
        "output=2x3x70x50 saveMean=3 saveInvstd=3",
        "batch_norm f32 input=2x3x40 runningMean=3 training=0 momentum=0.1 eps=0.01 output=2x3x40"),
    ROW("aclnnBatchNormBackward", backward,
        "batch_norm_backward f32 gradOut=2x3x4 input=2x3x4 weight=3 runningMean=3 runningVar=3 "
        "saveMean=3 saveInvstd=3 training=1 eps=0.1 outputMask=1x1x1 gradInput=2x3x4 gradWeight=3 "
        "gradBias=3",
        "batch_norm_backward f32 gradOut=4x3x70x50 input=4x3x70x50 weight=3 runningMean=3 "
        "runningVar=3 saveMean=3 saveInvstd=3 training=1 eps=0.1 outputMask=1x1x1 "
        "gradInput=4x3x70x50 gradWeight=3 gradBias=3",
        "batch_norm_backward f32 gradOut=0x3x7 input=0x3x7 weight=3 runningMean=3 "
        "runningVar=3 saveMean=3 saveInvstd=3 training=1 eps=0.1 outputMask=1x1x1 "
        "gradInput=0x3x7 gradWeight=3 gradBias=3",
        "batch_norm_backward f32 gradOut=2x3x7 input=2x3x7 weight=3 runningMean=3 "
        "runningVar=3 saveMean=3 saveInvstd=3 training=0 eps=0.1 outputMask=1x0x0 "
        "gradInput=2x3x7",
        "batch_norm_backward f32 gradOut=2x3x40 input=2x3x40 saveMean=3 saveInvstd=3 training=1 "
        "eps=0.1 outputMask=1x1x1 gradInput=2x3x40 gradWeight=3 gradBias=3"),
    ROW("aclnnBatchNormStats", forward, "batch_norm_stats f32 input=2x3x4 eps=0.01 mean=3 invstd=3",
        "batch_norm_stats bf16 input=4x3x70x50 eps=0.01 mean=3:f32 invstd=3:f32"),
    ROW("aclnnBatchNormElemt", forward,
        "batch_norm_elemt f32 input=2x3x4 weight=3 bias=3 mean=3 invstd=3 eps=0.01 output=2x3x4"),
    ROW("aclnnBatchNormElemtBackward", sync_grad,
        "batch_norm_elemt_backward f32 gradOut=2x3x4 input=2x3x4 mean=3 invstd=3 weight=3 sumDy=3 "
        "sumDyXmu=3 counter=2:i32 gradInput=2x3x4"),
    ROW("aclnnBatchNormReduce", sums, "batch_norm_reduce f32 x=2x3x4x5 sum=3 squareSum=3"),
    ROW("aclnnBatchNormReduceBackward", grad_sums,
        "batch_norm_reduce_backward f32 gradOut=2x3x4 input=2x3x4 mean=3 invstd=3 weight=3 "
        "inputG=1 weightG=1 biasG=1 sumDy=3 sumDyXmu=3 gradWeight=3 gradBias=3"),
    ROW("aclnnBatchNormGatherStatsWithCounts", gather,
        "batch_norm_gather_stats_with_counts f32 input=2x3x4 mean=5x3 invstd=5x3 runningMean=3 "
        "runningVar=3 momentum=0.1 eps=0.01 counts=5 meanAll=3 invstdAll=3"),
    ROW("aclnnGroupNorm", forward,
        "group_norm f32 self=2x6x4 gamma=6 beta=6 N=2 C=6 HxW=4 group=3 eps=0.01 out=2x6x4 "
        "meanOut=2x3 rstdOut=2x3",
        "group_norm f16 self=2x6x70x50 gamma=6 N=2 C=6 HxW=3500 group=3 eps=0.01 out=2x6x70x50 "
        "meanOut=2x3 rstdOut=2x3"),
    ROW("aclnnGroupNormSilu", forward,
        "group_norm_silu f32 self=2x6x4 gamma=6 beta=6 group=3 eps=0.01 out=2x6x4 meanOut=2x3 "
        "rstdOut=2x3",
        "group_norm_silu f32 self=2x6x70x50 gamma=6 beta=6 group=2 eps=0.01 out=2x6x70x50 "
        "meanOut=2x2 rstdOut=2x2"),
    ROW("aclnnGroupNormSiluV2", forward,
        "group_norm_silu_v2 f32 self=2x6x4 gamma=6 beta=6 group=3 eps=0.01 activateSilu=1 "
        "out=2x6x4 meanOut=2x3 rstdOut=2x3"),
    ROW("aclnnGroupNormSwish", forward,
        "group_norm_swish f32 x=2x6x4 gamma=6 beta=6 numGroups=3 dataFormatOptional=NCHW eps=0.01 "
        "activateSwish=1 swishScale=2 yOut=2x6x4 meanOut=2x3 rstdOut=2x3"),
    ROW("aclnnGroupNormBackward", backward,
        "group_norm_backward f32 gradOut=2x6x4 input=2x6x4 mean=2x3 rstd=2x3 gamma=6 N=2 C=6 "
        "HxW=4 group=3 outputMask=1x1x1 gradInput=2x6x4 gradGammaOut=6 gradBetaOut=6",
        "group_norm_backward f32 gradOut=2x6x70x50 input=2x6x70x50 mean=2x3 rstd=2x3 N=2 C=6 "
        "HxW=3500 group=3 outputMask=1x1x0 gradInput=2x6x70x50 gradGammaOut=6"),
    ROW("aclnnGroupNormSwishGrad", backward,
        "group_norm_swish_grad f32 dy=2x6x4 mean=2x3 rstd=2x3 x=2x6x4 gamma=6 beta=6 numGroups=3 "
        "dataFormatOptional=NCHW swishScale=2 dgammaIsRequire=1 dbetaIsRequire=1 dxOut=2x6x4 "
        "dgammaOut=6 dbetaOut=6",
        "group_norm_swish_grad f32 dy=2x6x70x50 mean=2x3 rstd=2x3 x=2x6x70x50 gamma=6 beta=6 "
        "numGroups=3 dataFormatOptional=NCHW swishScale=1 dgammaIsRequire=1 dbetaIsRequire=1 "
        "dxOut=2x6x70x50 dgammaOut=6 dbetaOut=6"),
    ROW("aclnnInstanceNorm", forward,
        "instance_norm f32 x=2x3x4x5 gamma=3 beta=3 dataFormat=NCHW eps=0.01 y=2x3x4x5 "
        "mean=2x3x1x1 variance=2x3x1x1",
        "instance_norm f32 x=2x3x70x80 gamma=3 beta=3 dataFormat=NCHW eps=0.01 y=2x3x70x80 "
        "mean=2x3x1x1 variance=2x3x1x1"),
    {.name = NULL},
};
