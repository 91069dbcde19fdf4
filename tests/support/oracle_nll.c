/* SPDX-License-Identifier: Apache-2.0 */
/* Losses of classes, from the definitions. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/oracle_norm.h"

enum { IGNORED = 1 };

/* ---- what a problem is ---- */

struct losses {
    int self, target, weight;
    int64_t classes, positions, inner; /* inner: positions behind the classes */
    int64_t reduction;                 /* 0 none, 1 mean, 2 sum */
    double smoothing;
};

static int64_t reduction_of(const struct rig_problem *problem)
{
    const char *text = problem->op->names->text[0] ? problem->call.text[0] : NULL;
    if (!problem->op->names->text[0]) return norm_integer(problem, "reduction", 0);
    if (!text || strcmp(text, "mean") == 0) return 1;
    return strcmp(text, "sum") == 0 ? 2 : 0;
}

static struct losses losses_of(const struct rig_problem *problem, const char *self)
{
    struct losses l = {.self = norm_operand(problem, self), .inner = 1, .positions = 1};
    const struct operand *view = &problem->tensor[l.self].view;
    l.target = norm_operand(problem, "target");
    l.weight = norm_operand(problem, "weight");
    if (l.weight < 0) l.weight = norm_operand(problem, "weightOptional");
    l.classes = view->dims[view->rank == 1 ? 0 : 1];
    for (int i = 0; i < view->rank; i++) {
        if (i != (view->rank == 1 ? 0 : 1)) l.positions *= view->dims[i];
        if (i > 1) l.inner *= view->dims[i];
    }
    l.reduction = reduction_of(problem);
    l.smoothing = norm_real(problem, "labelSmoothing", 0);
    return l;
}

static int64_t element_at(const struct losses *l, int64_t position, int64_t class)
{
    return position / l->inner * l->inner * l->classes + class * l->inner + position % l->inner;
}

/* -1: ignored. */
static int64_t class_at(struct rig_problem *problem, const struct losses *l, int64_t position)
{
    const int64_t target = oracle_whole_value(problem, l->target, position);
    if (target == norm_integer(problem, "ignoreIndex", 0)) return -1;
    if (target >= 0 && target < l->classes) return target;
    if (problem->sync_code != ACL_SUCCESS) return -1;
    problem->sync_code = ACL_ERROR_RT_AICORE_EXCEPTION;
    snprintf(problem->sync_words, sizeof problem->sync_words,
             "element %" PRId64 " of target is %" PRId64 ";", position, target);
    return -1;
}

/* ---- forward ---- */

static void reduce(struct rig_problem *problem, const struct losses *l, double loss, double weights,
                   double size, double weight_size, int out, int total)
{
    const double n = (double)(l->positions + l->classes);
    if (l->reduction == 1)
        size = size / fabs(weights) + fabs(loss / weights / weights) * weight_size;
    if (l->reduction > 0) {
        norm_put(problem, out, 0, l->reduction == 1 ? loss / weights : loss, size, n);
        norm_put(problem, total, 0, weights, weight_size, n);
    } else {
        norm_put(problem, total, 0, 0, 0, 1);
    }
}

static void nll(struct rig_problem *problem)
{
    const struct losses l = losses_of(problem, "self");
    const int out = norm_operand(problem, "out");
    double all = 0, weights = 0, size = 0, weight_size = 0;
    for (int64_t i = 0; i < l.positions; i++) {
        const int64_t class = class_at(problem, &l, i);
        const double weight = class < 0 ? 0 : norm_value(problem, l.weight, class, 1);
        double loss = 0;
        if (class >= 0) loss = -weight * oracle_value(problem, l.self, element_at(&l, i, class));
        all += loss;
        size += fabs(loss);
        weights += weight;
        weight_size += fabs(weight);
        if (l.reduction == 0) norm_put(problem, out, i, loss, 0, 1);
    }
    reduce(problem, &l, all, weights, size, weight_size, out,
           norm_operand(problem, "totalWeightOut"));
}

static void cross_entropy(struct rig_problem *problem)
{
    const struct losses l = losses_of(problem, "input");
    const int out = norm_operand(problem, "lossOut"), logs = norm_operand(problem, "logProbOut");
    double all = 0, weights = 0, all_size = 0, weight_size = 0;
    for (int64_t i = 0; i < l.positions && l.classes > 0; i++) {
        const int64_t class = class_at(problem, &l, i);
        double most = -INFINITY, sum = 0, smooth = 0, loss = 0, size = 0;
        for (int64_t c = 0; c < l.classes; c++)
            most = fmax(most, oracle_value(problem, l.self, i * l.classes + c));
        for (int64_t c = 0; c < l.classes; c++)
            sum += exp(oracle_value(problem, l.self, i * l.classes + c) - most);
        for (int64_t c = 0; c < l.classes; c++) {
            const double p = oracle_value(problem, l.self, i * l.classes + c) - most - log(sum);
            norm_put(problem, logs, i * l.classes + c, p, 1, (double)l.classes);
            smooth += norm_value(problem, l.weight, c, 1) * p;
            size += fabs(norm_value(problem, l.weight, c, 1)) * (fabs(p) + fabs(most));
            if (c == class) loss = -(1 - l.smoothing) * norm_value(problem, l.weight, c, 1) * p;
        }
        if (class >= 0) {
            loss -= l.smoothing / (double)l.classes * smooth;
            weights += norm_value(problem, l.weight, class, 1);
            weight_size += fabs(norm_value(problem, l.weight, class, 1));
            all_size += size;
        }
        all += loss;
        if (l.reduction == 0) norm_put(problem, out, i, loss, size, (double)l.classes);
    }
    reduce(problem, &l, all, weights, all_size, weight_size, out, -1);
}

/* ---- gradients ---- */

static void nll_backward(struct rig_problem *problem)
{
    const struct losses l = losses_of(problem, "self");
    const int dy = norm_operand(problem, "gradOutput"), out = norm_operand(problem, "out");
    const int total = norm_operand(problem, "totalWeight");
    for (int64_t i = 0; i < problem->tensor[out].count; i++)
        norm_put(problem, out, i, 0, 0, 1);
    if (l.classes == 0) return;
    for (int64_t i = 0; i < l.positions; i++) {
        const int64_t class = class_at(problem, &l, i);
        if (class < 0) continue;
        const double g = oracle_value(problem, dy, l.reduction == 0 ? i : 0);
        norm_put(problem, out, element_at(&l, i, class),
                 -norm_value(problem, l.weight, class, 1) * g /
                     (l.reduction == 1 ? oracle_value(problem, total, 0) : 1),
                 0, 1);
    }
}

static void cross_entropy_grad(struct rig_problem *problem)
{
    const struct losses l = losses_of(problem, "logProb");
    const int dy = norm_operand(problem, "gradLoss"), out = norm_operand(problem, "out");
    double weights = 0, all = 0, all_size = 0, weight_size = 0;
    if (problem->tensor[out].count == 0) return;
    for (int64_t i = 0; i < l.positions; i++) {
        const int64_t class = class_at(problem, &l, i);
        if (class >= 0) weights += norm_value(problem, l.weight, class, 1);
        if (class >= 0) weight_size += fabs(norm_value(problem, l.weight, class, 1));
    }
    for (int64_t c = 0; c < l.classes; c++)
        all += norm_value(problem, l.weight, c, 1);
    for (int64_t c = 0; c < l.classes; c++)
        all_size += fabs(norm_value(problem, l.weight, c, 1));
    for (int64_t i = 0; i < l.positions; i++) {
        const int64_t class = class_at(problem, &l, i);
        const double own = class < 0 ? 0 : norm_value(problem, l.weight, class, 1);
        const double g =
            oracle_value(problem, dy, l.reduction == 0 ? i : 0) / (l.reduction == 1 ? weights : 1);
        for (int64_t c = 0; c < l.classes; c++) {
            const double p = exp(oracle_value(problem, l.self, i * l.classes + c));
            const double smooth = l.smoothing / (double)l.classes;
            const double value = g * ((1 - l.smoothing) * own * (p - (c == class)) +
                                      smooth * (p * all - norm_value(problem, l.weight, c, 1)));
            const double size = fabs(g) * (p + 1) * (fabs(own) + all_size) *
                                (l.reduction == 1 ? 1 + weight_size / fabs(weights) : 1);
            norm_put(problem, out, i * l.classes + c, class < 0 ? 0 : value, class < 0 ? 0 : size,
                     (double)(l.classes + l.positions));
        }
    }
}

/* ---- random problems ---- */

/* Classes, some ignored; with data=ties some that are none. */
static void fill_targets(struct rig_problem *problem, struct random *random)
{
    const int self = norm_operand(problem, "self") >= 0    ? norm_operand(problem, "self")
                     : norm_operand(problem, "input") >= 0 ? norm_operand(problem, "input")
                                                           : norm_operand(problem, "logProb");
    const struct operand *view = &problem->tensor[self].view;
    struct rig_tensor *target = &problem->tensor[norm_operand(problem, "target")];
    const int64_t classes = view->dims[view->rank == 1 ? 0 : 1];
    const bool has_bad = problem->test->data == CASE_TIES;
    for (int64_t i = 0; i < target->count; i++) {
        int64_t class = random_below(random, classes);
        if (random_once_in(random, 6) && norm_integer(problem, "ignoreIndex", 0) >= 0)
            class = norm_integer(problem, "ignoreIndex", 0);
        if (random_once_in(random, 6) && target->view.dtype != CASE_U8)
            class = norm_integer(problem, "ignoreIndex", 0);
        if (has_bad && random_once_in(random, 10)) class = classes + random_below(random, 3);
        if (has_bad && target->view.dtype != CASE_U8 && random_once_in(random, 10)) class = -7;
        target->bits[i] = oracle_cast_whole(target->view.dtype, class);
    }
}

/* Shapes of the positions and of all. */
struct shapes {
    int rank, all_rank;
    int64_t dims[3], all[4];
};

static struct shapes random_shapes(struct random *random, bool is_2d, bool is_matrix)
{
    struct shapes s = {.rank = is_2d ? 3 : 1};
    if (!is_2d && !is_matrix && random_once_in(random, 4)) s.rank = 0;
    for (int i = 0; i < s.rank; i++)
        s.dims[i] = random_once_in(random, 20) ? 0 : random_between(random, 1, is_2d ? 6 : 30);
    const int64_t classes = random_between(random, 1, 20);
    if (s.rank == 0) {
        s.all[s.all_rank++] = classes;
        return s;
    }
    for (int i = 0; i < s.rank; i++) {
        s.all[s.all_rank++] = s.dims[i];
        if (i == 0) s.all[s.all_rank++] = classes;
    }
    return s;
}

static bool has_name(const char *name, const char *words)
{
    const char *at = strstr(words, name);
    return at && at[strlen(name)] == ' ' && (at == words || at[-1] == ' ');
}

static struct test_case random_nll(const struct rig_operator *op, struct random *random,
                                   enum case_dtype dtype)
{
    static const enum case_dtype wholes[] = {CASE_I64, CASE_I32, CASE_I64, CASE_U8};
    static const char *const words[] = {"none", "mean", "sum"};
    struct test_case test = norm_start(op, random, dtype);
    const bool is_matrix = strstr(op->name, "Cross") != NULL;
    const struct shapes s = random_shapes(random, strstr(op->name, "2d") != NULL, is_matrix);
    const int reduction = (int)random_below(random, 3);
    const int64_t classes = s.all[s.all_rank == 1 ? 0 : 1];
    for (int slot = 0; op->tensor[slot]; slot++) {
        const char *name = op->tensor[slot];
        const enum case_dtype type = slot == 0 ? dtype : norm_some_type(op, random, dtype);
        const bool is_written = rig_is_output(&op->operand[slot]);
        if (has_name(name, "zlossOut lseForZlossOut gradZlossOptional lseForZlossOptional "))
            continue;
        if (has_name(name, "weight weightOptional ") && random_once_in(random, 3)) continue;
        if (has_name(name, "weight weightOptional "))
            random_tensor(&test, random, name, type, &classes, 1, false);
        else if (has_name(name, "target "))
            random_tensor(&test, random, name, wholes[random_below(random, 4)], s.dims, s.rank,
                          false);
        else if (has_name(name, "totalWeight totalWeightOut "))
            random_tensor(&test, random, name, type, (const int64_t[]){1},
                          (int)random_below(random, 2), is_written);
        else if (has_name(name, "gradOutput gradLoss lossOut ") ||
                 (has_name(name, "out ") && !strstr(op->name, "Backward") && !is_matrix))
            random_tensor(&test, random, name, type, reduction > 0 ? (const int64_t[]){1} : s.dims,
                          reduction > 0 ? (int)random_below(random, 2) : s.rank, is_written);
        else
            random_tensor(&test, random, name, type, s.all, s.all_rank, is_written);
    }
    random_number(&test, "ignoreIndex", random_once_in(random, 2) ? IGNORED : -100);
    if (!is_matrix) {
        random_number(&test, "reduction", reduction);
        return test;
    }
    struct case_argument *text = random_type(&test, "reductionOptional", CASE_F32);
    snprintf(text->text, sizeof text->text, "%s", words[reduction]);
    if (random_once_in(random, 2)) random_number(&test, "labelSmoothing", 0.25);
    return test;
}

#define ROW(names, function, a_sound, ...)                                                         \
    {                                                                                              \
        .name = names, .oracle = function, .random = random_nll, .fill = fill_targets, .ulp = 1,   \
        .lines = LINES(__VA_ARGS__), .sound = a_sound                                              \
    }

const struct oracle_row oracle_nll_rows[] = {
    ROW("aclnnNLLLoss", nll,
        "n_l_l_loss f32 self=3x4 target=3:i64 weight=4 reduction=1 ignoreIndex=-100 out=1 "
        "totalWeightOut=1",
        "n_l_l_loss f32 self=5000x7 target=5000:i64 reduction=1 ignoreIndex=2 out=scalar "
        "totalWeightOut=scalar",
        "n_l_l_loss f32 self=50x7 target=50:i64 reduction=1 out=scalar totalWeightOut=1 data=ties",
        "n_l_l_loss f32 self=50x7 target=50:i32 reduction=0 out=50 totalWeightOut=1 data=ties",
        "n_l_l_loss f32 self=0x4 target=0:i64 reduction=1 out=scalar totalWeightOut=scalar"),
    ROW("aclnnNLLLoss2d", nll,
        "n_l_l_loss2d f32 self=2x4x3x5 target=2x3x5:i64 weight=4 reduction=2 out=1 "
        "totalWeightOut=1",
        "n_l_l_loss2d f32 self=2x4x5x31:strided target=2x5x31:u8:strided reduction=1 out=1 "
        "totalWeightOut=1 data=ties",
        "n_l_l_loss2d f32 self=2x4x50x31 target=2x50x31:i32 reduction=0 out=2x50x31 "
        "totalWeightOut=1"),
    ROW("aclnnNLLLossBackward", nll_backward,
        "n_l_l_loss_backward f32 gradOutput=1 self=3x4 target=3:i64 weight=4 reduction=1 "
        "ignoreIndex=-100 totalWeight=1 out=3x4",
        "n_l_l_loss_backward f32 gradOutput=1 self=300x4 target=300:i64:strided reduction=2 "
        "totalWeight=scalar out=300x4 data=ties",
        "n_l_l_loss_backward f32 gradOutput=3000 self=3000x4 target=3000:i64 reduction=0 "
        "totalWeight=scalar out=3000x4"),
    ROW("aclnnNLLLoss2dBackward", nll_backward,
        "n_l_l_loss2d_backward f32 gradOutput=2x3x5 self=2x4x3x5 target=2x3x5:i64 weight=4 "
        "reduction=0 totalWeight=1 out=2x4x3x5",
        "n_l_l_loss2d_backward f32 gradOutput=scalar self=2x4x50x31 target=2x50x31:i32 "
        "reduction=1 totalWeight=scalar out=2x4x50x31"),
    ROW("aclnnCrossEntropyLoss", cross_entropy,
        "cross_entropy_loss f32 input=3x4 target=3:i64 weightOptional=4 reductionOptional=mean "
        "lossOut=1 logProbOut=3x4 zlossOut=1 lseForZlossOut=3",
        "cross_entropy_loss f32 input=30x4 target=30:i64:strided reductionOptional=sum "
        "lossOut=1 logProbOut=30x4 data=ties",
        "cross_entropy_loss f32 input=3x5003 target=3:i64 weightOptional=5003 "
        "reductionOptional=none labelSmoothing=0.5 lossOut=3 logProbOut=3x5003"),
    ROW("aclnnCrossEntropyLossGrad", cross_entropy_grad, NULL,
        "cross_entropy_loss_grad f32 gradLoss=1 logProb=3x4 target=3:i64 weightOptional=4 "
        "reductionOptional=mean out=3x4",
        "cross_entropy_loss_grad f32 gradLoss=1 logProb=30x4 target=30:i64 out=30x4 data=ties",
        "cross_entropy_loss_grad f32 gradLoss=3 logProb=3x5003 target=3:i64 weightOptional=5003 "
        "reductionOptional=none labelSmoothing=0.5 out=3x5003"),
    {.name = NULL},
};
