/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of optimisers, element by element: each operation is rounded to the type that is computed
 * in, the numbers of a step once. */
#include <math.h>
#include <string.h>

#include "tests/support/oracle_norm.h"

/* ---- numbers ---- */

static bool is_double;

static double r(double value)
{
    return is_double ? value : oracle_round(CASE_F32, value);
}

/* An argument of that name: a tensor's element, or a number as its C type has it. */
static double number(const struct rig_problem *problem, const char *name, double otherwise)
{
    const int at = norm_operand(problem, name);
    const bool is_float = strstr(problem->op->name, "V2") || strstr(problem->op->name, "Sgd");
    if (at >= 0) return oracle_value(problem, at, 0);
    const double real = norm_real(problem, name, otherwise);
    return is_float ? (double)(float)real : real;
}

static bool is_on(const struct rig_problem *problem, const char *name)
{
    return norm_integer(problem, name, 0) != 0;
}

/* ---- Adam ---- */

static const char *const states[] = {"varRef", "mRef m", "vRef v", "grad",
                                     "maxGradNormOptional maxGradNormOptionalRef sRef"};
enum { VAR, M, V, GRAD, EXTRA, STATES };

struct step {
    double beta1, beta2, rest1, rest2, rate, root, eps, kept, l2;
};

static struct step step_of(const struct rig_problem *problem)
{
    struct step s;
    const double lr = number(problem, "lr", 0), decay = number(problem, "weightDecay", 0);
    const double beta1 = number(problem, "beta1", 0), beta2 = number(problem, "beta2", 0);
    double c1 = 1, c2 = 1;
    const bool is_adam = strcmp(problem->op->name, "aclnnApplyAdam") == 0;
    const bool is_l2 = norm_integer(problem, "mode", 1) == 0;
    if (strstr(problem->op->name, "V2")) {
        c1 = 1 - pow(beta1, number(problem, "step", 0) + 1);
        c2 = 1 - pow(beta2, number(problem, "step", 0) + 1);
    } else if (is_on(problem, "biasCorrection")) {
        c1 = 1 - pow(beta1, number(problem, "step", 0));
        c2 = 1 - pow(beta2, number(problem, "step", 0));
    } else if (is_adam) {
        c1 = 1 - number(problem, "beta1Power", 0);
        c2 = 1 - number(problem, "beta2Power", 0);
    } else if (norm_operand(problem, "beta1Power") >= 0) {
        c1 = 1 - number(problem, "beta1Power", 0) * beta1;
        c2 = 1 - number(problem, "beta2Power", 0) * beta2;
    }
    s.beta1 = r(beta1);
    s.beta2 = r(beta2);
    s.rest1 = r(1 - beta1);
    s.rest2 = r(1 - beta2);
    s.rate = r(is_adam ? lr * sqrt(c2) / c1 : lr / c1);
    s.root = is_adam ? 1 : r(sqrt(c2));
    s.eps = r(number(problem, is_adam ? "epsilon" : "eps", 0));
    s.kept = is_l2 ? 1 : r(1 - lr * decay);
    s.l2 = is_l2 ? r(decay) : 0;
    return s;
}

static void put(struct rig_problem *problem, int operand, int64_t i, double value)
{
    if (operand >= 0 && rig_is_output(&problem->op->operand[operand]))
        oracle_real(problem, operand, i, problem->tensor[operand].view.dtype, value);
}

static void adam(struct rig_problem *problem)
{
    int at[STATES];
    is_double = false;
    for (int i = 0; i < STATES; i++) {
        at[i] = norm_one_of(problem, states[i]);
        is_double |= at[i] >= 0 && problem->tensor[at[i]].view.dtype == CASE_F64;
    }
    const struct step s = step_of(problem);
    const bool has_largest = is_on(problem, "amsgrad");
    const bool is_average = norm_operand(problem, "sRef") >= 0;
    const double sign = is_on(problem, "maximize") ? -1 : 1;
    for (int64_t i = 0; i < problem->tensor[at[VAR]].count; i++) {
        double var = oracle_value(problem, at[VAR], i),
               g = sign * oracle_value(problem, at[GRAD], i);
        const double extra = norm_value(problem, at[EXTRA], i, 0);
        if (s.l2 != 0) g = r(g + r(s.l2 * var));
        const double m = r(r(s.beta1 * oracle_value(problem, at[M], i)) + r(s.rest1 * g));
        const double v = r(r(s.beta2 * oracle_value(problem, at[V], i)) + r(r(s.rest2 * g) * g));
        const double top = !has_largest               ? v
                           : isnan(v) || isnan(extra) ? NAN
                           : extra < v                ? v
                                                      : extra;
        const double update =
            is_on(problem, "useNesterov") ? r(r(s.beta1 * m) + r(s.rest1 * g)) : m;
        const double below = r(r(r(sqrt(top)) / s.root) + s.eps);
        var = r(r(s.kept * var) - r(r(s.rate * update) / below));
        put(problem, at[VAR], i, var);
        put(problem, at[M], i, m);
        put(problem, at[V], i, strcmp(problem->op->name, "aclnnApplyAdamW") == 0 ? top : v);
        const double ema = number(problem, "emaDecay", 0);
        put(problem, at[EXTRA], i,
            is_average    ? r(r(r(ema) * extra) + r(r(1 - ema) * var))
            : has_largest ? top
                          : extra);
    }
}

/* ---- SGD ---- */

enum { PARAMS, GRADS, MOMENTA };

static void sgd(struct rig_problem *problem)
{
    const struct rig_call *call = &problem->call;
    const int scale_at = call->is_null[call->first[3]] ? -1 : call->first[3];
    const bool is_scaled = scale_at >= 0 && problem->tensor[scale_at].count > 0;
    const bool has_momenta = !call->no_list[MOMENTA] && call->count[MOMENTA] > 0;
    const double scale = is_scaled ? oracle_value(problem, scale_at, 0) : 1;
    const double decay = number(problem, "weightDecay", 0), lr = number(problem, "lr", 0),
                 mu = number(problem, "momentum", 0), damped = 1 - number(problem, "dampening", 0);
    for (int n = 0; n < call->count[PARAMS]; n++) {
        const int var_at = call->first[PARAMS] + n, grad_at = call->first[GRADS] + n;
        const enum case_dtype dtype = problem->tensor[var_at].view.dtype;
        is_double = dtype == CASE_F64;
        for (int64_t i = 0; i < problem->tensor[var_at].count; i++) {
            const double var = oracle_value(problem, var_at, i);
            double g = oracle_value(problem, grad_at, i);
            if (is_scaled) g = r(g / r(scale));
            oracle_real(problem, grad_at, i, dtype, g);
            if (is_on(problem, "maximize")) g = -g;
            if (decay != 0) g = r(g + r(r(decay) * var));
            if (has_momenta) {
                const int at = call->first[MOMENTA] + n;
                const double b =
                    is_on(problem, "isFirstStep")
                        ? g
                        : r(r(r(mu) * oracle_value(problem, at, i)) + r(r(damped) * g));
                oracle_real(problem, at, i, dtype, b);
                g = is_on(problem, "nesterov") ? r(g + r(r(mu) * b)) : b;
            }
            oracle_real(problem, var_at, i, dtype, r(var - r(r(lr) * g)));
        }
    }
}

/* ---- random problems ---- */

/* Second moments, and numbers of a step, as training has them. */
static void fill(struct rig_problem *problem, struct random *random)
{
    static const char *const numbers = "step beta1Power beta2Power lr weightDecay beta1 beta2 eps "
                                       "epsilon gradScaleOptional";
    for (int slot = 0; problem->op->tensor[slot]; slot++) {
        const char *name = problem->op->tensor[slot];
        if (rig_is_list(problem->op, slot) || problem->call.is_null[problem->call.first[slot]])
            continue;
        struct rig_tensor *tensor = &problem->tensor[problem->call.first[slot]];
        const enum case_dtype dtype = tensor->view.dtype;
        for (int64_t i = 0; i < tensor->count; i++) {
            const bool is_count = strcmp(name, "step") == 0;
            const double value = is_count ? (double)random_between(random, 1, 9)
                                 : strncmp(name, "beta", 4) == 0 ? 0.875
                                                                 : 0.0625;
            if (norm_has_word(numbers, name))
                tensor->bits[i] = oracle_is_float(dtype) ? oracle_cast_real(dtype, value)
                                                         : oracle_cast_whole(dtype, (int64_t)value);
            else if (norm_has_word(states[V], name))
                tensor->bits[i] &= ~(1ULL << (8 * operand_element_size(dtype) - 1)); /* the sign */
        }
    }
}

static void add_numbers(struct test_case *test, const struct rig_operator *op,
                        struct random *random, bool has_largest, bool has_moment)
{
    for (int i = 0; op->number[i]; i++) {
        const char *name = op->number[i];
        const double value =
            strcmp(name, "amsgrad") == 0       ? has_largest
            : strcmp(name, "momentum") == 0    ? (has_moment ? 0.875 : 0)
            : strcmp(name, "dampening") == 0   ? 0
            : strcmp(name, "nesterov") == 0    ? has_moment && random_once_in(random, 2)
            : strncmp(name, "beta", 4) == 0    ? 0.96875
            : strcmp(name, "emaDecay") == 0    ? 0.75
            : strcmp(name, "weightDecay") == 0 ? (double)random_below(random, 2) / 4
            : norm_has_word("lr eps", name)    ? 0.03125
                                               : random_below(random, 2);
        random_number(test, name, value);
    }
}

static struct test_case random_adam(const struct rig_operator *op, struct random *random,
                                    enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    int64_t dims[CASE_RANK], one[CASE_RANK] = {1};
    const int rank = random_shape(random, dims, 300);
    const bool has_largest = random_once_in(random, 2);
    for (int slot = 0; op->tensor[slot]; slot++) {
        const char *name = op->tensor[slot];
        bool is_state = false;
        for (int i = 0; i < STATES; i++)
            is_state |= norm_has_word(states[i], name);
        if (rig_is_optional(op->names->tensor_kind[slot]) && !has_largest &&
            random_once_in(random, 2))
            continue;
        if (is_state)
            random_tensor(&test, random, name, norm_some_type(op, random, dtype), dims, rank,
                          rig_is_output(&op->operand[slot]));
        else
            random_tensor(&test, random, name,
                          strcmp(name, "step") == 0 ? CASE_I64 : norm_some_type(op, random, dtype),
                          one, (int)random_below(random, 2), false);
    }
    add_numbers(&test, op, random, has_largest, false);
    return test;
}

static void add_list(struct test_case *test, struct random *random, const char *name,
                     enum case_dtype dtype, int count, uint64_t seed)
{
    struct random shapes = {seed};
    for (int i = 0; i < count; i++) {
        int64_t dims[CASE_RANK];
        const int rank = random_shape(&shapes, dims, 200);
        struct case_argument *one = random_tensor(test, random, name, dtype, dims, rank, true);
        one->place = i == 0 ? CASE_FIRST : CASE_NEXT;
    }
}

static struct test_case random_sgd(const struct rig_operator *op, struct random *random,
                                   enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const uint64_t seed = random_next(random);
    const int count = (int)random_between(random, 1, 3);
    const bool has_moment = !random_once_in(random, 3);
    const int64_t one[CASE_RANK] = {random_once_in(random, 4) ? 0 : 1};
    add_list(&test, random, op->tensor[PARAMS], dtype, count, seed);
    add_list(&test, random, op->tensor[GRADS], dtype, count, seed);
    if (has_moment) add_list(&test, random, op->tensor[MOMENTA], dtype, count, seed);
    if (random_once_in(random, 2))
        random_tensor(&test, random, op->tensor[3], norm_some_type(op, random, dtype), one, 1,
                      false);
    add_numbers(&test, op, random, false, has_moment);
    return test;
}

/* ---- Adam on lists ---- */

enum {
    FUSED_PARAMS,
    FUSED_GRADS,
    FUSED_M,
    FUSED_V,
    FUSED_LARGEST,
    FUSED_STEPS,
    FUSED_SCALE,
    FUSED_FOUND
};

static double one_of(const struct rig_problem *problem, int slot, double otherwise)
{
    const int at = problem->call.first[slot];
    return problem->call.is_null[at] ? otherwise : oracle_value(problem, at, 0);
}

/* Entry n of a list, if it is written. */
static void put_entry(struct rig_problem *problem, int slot, int n, int64_t i, double value)
{
    const int at = problem->call.first[slot] + n;
    if (rig_is_output(&problem->op->operand[slot]))
        oracle_real(problem, at, i, problem->tensor[at].view.dtype, value);
}

static void fused_element(struct rig_problem *problem, int n, int64_t i)
{
    const struct rig_call *call = &problem->call;
    const bool is_w = strstr(problem->op->name, "Adamw") != NULL;
    const bool has_largest = is_on(problem, "amsgrad");
    const bool has_scale = !call->is_null[call->first[FUSED_SCALE]];
    const int var_at = call->first[FUSED_PARAMS] + n, grad_at = call->first[FUSED_GRADS] + n;
    const int m_at = call->first[FUSED_M] + n, v_at = call->first[FUSED_V] + n;
    const int top_at = has_largest ? call->first[FUSED_LARGEST] + n : -1;
    const double lr = number(problem, "lr", 0), decay = number(problem, "weightDecay", 0);
    const double beta1 = number(problem, "beta1", 0), beta2 = number(problem, "beta2", 0);
    const double t = oracle_value(problem, call->first[FUSED_STEPS] + n, 0) + 1;
    const double var = oracle_value(problem, var_at, i);
    double g = oracle_value(problem, grad_at, i);
    if (has_scale) g = r(g / r(one_of(problem, FUSED_SCALE, 1)));
    put_entry(problem, FUSED_GRADS, n, i, g);
    if (is_on(problem, "maximize")) g = -g;
    if (!is_w && decay != 0) g = r(g + r(r(decay) * var));
    const double m = r(r(r(beta1) * oracle_value(problem, m_at, i)) + r(r(1 - beta1) * g));
    const double v = r(r(r(beta2) * oracle_value(problem, v_at, i)) + r(r(r(1 - beta2) * g) * g));
    const double before = top_at < 0 ? v : oracle_value(problem, top_at, i);
    const double top = isnan(v) || isnan(before) ? NAN : before < v ? v : before;
    const double below =
        r(r(r(sqrt(top)) / r(sqrt(1 - pow(beta2, t)))) + r(number(problem, "eps", 0)));
    const double kept = is_w ? r(1 - lr * decay) : 1;
    put_entry(problem, FUSED_PARAMS, n, i,
              r(r(kept * var) - r(r(r(lr / (1 - pow(beta1, t))) * m) / below)));
    put_entry(problem, FUSED_M, n, i, m);
    put_entry(problem, FUSED_V, n, i, v);
    if (has_largest) put_entry(problem, FUSED_LARGEST, n, i, top);
}

static void fused(struct rig_problem *problem)
{
    const struct rig_call *call = &problem->call;
    const bool is_stopped = one_of(problem, FUSED_FOUND, 0) == 1;
    for (int slot = FUSED_PARAMS; slot <= FUSED_LARGEST; slot++)
        for (int n = 0; !call->no_list[slot] && n < call->count[slot]; n++)
            for (int64_t i = 0; i < problem->tensor[call->first[slot] + n].count; i++)
                put_entry(problem, slot, n, i, oracle_value(problem, call->first[slot] + n, i));
    for (int n = 0; !is_stopped && n < call->count[FUSED_PARAMS]; n++) {
        const struct rig_tensor *var = &problem->tensor[call->first[FUSED_PARAMS] + n];
        is_double = var->view.dtype == CASE_F64;
        for (int64_t i = 0; i < var->count; i++)
            fused_element(problem, n, i);
    }
}

/* Second moments are not negative; numbers of a step as training has them. */
static void fill_fused(struct rig_problem *problem, struct random *random)
{
    const struct rig_call *call = &problem->call;
    for (int slot = FUSED_V; slot <= FUSED_FOUND; slot++) {
        const bool is_list = slot <= FUSED_STEPS;
        for (int n = 0; n < (is_list ? call->count[slot] : 1); n++) {
            struct rig_tensor *tensor = &problem->tensor[call->first[slot] + n];
            const enum case_dtype dtype = tensor->view.dtype;
            const double value = slot == FUSED_STEPS   ? (double)random_between(random, 0, 9)
                                 : slot == FUSED_SCALE ? 0.5
                                                       : random_once_in(random, 3);
            if (call->is_null[call->first[slot] + n]) continue;
            for (int64_t i = 0; i < tensor->count; i++)
                if (slot < FUSED_STEPS)
                    tensor->bits[i] &= ~(1ULL << (8 * operand_element_size(dtype) - 1));
                else
                    tensor->bits[i] = oracle_is_float(dtype)
                                          ? oracle_cast_real(dtype, value)
                                          : oracle_cast_whole(dtype, (int64_t)value);
        }
    }
}

static struct test_case random_fused(const struct rig_operator *op, struct random *random,
                                     enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    const uint64_t seed = random_next(random);
    const int count = (int)random_between(random, 1, 3);
    const bool has_largest = random_once_in(random, 2);
    const int64_t one[CASE_RANK] = {1};
    for (int slot = FUSED_PARAMS; slot <= FUSED_LARGEST; slot++)
        if (slot != FUSED_LARGEST || has_largest || random_once_in(random, 2))
            add_list(&test, random, op->tensor[slot], dtype, count, seed);
    for (int n = 0; n < count; n++)
        random_tensor(&test, random, op->tensor[FUSED_STEPS], seed % 2 ? CASE_F32 : CASE_I64, one,
                      (int)random_below(random, 2), false)
            ->place = n == 0 ? CASE_FIRST : CASE_NEXT;
    for (int slot = FUSED_SCALE; slot <= FUSED_FOUND; slot++)
        if (random_once_in(random, 2))
            random_tensor(&test, random, op->tensor[slot], CASE_F32, one,
                          (int)random_below(random, 2), false);
    add_numbers(&test, op, random, has_largest, false);
    return test;
}

#define FIRST(...)        FIRST_(__VA_ARGS__, )
#define FIRST_(line, ...) line
#define ADAM(name_of, ...)                                                                         \
    {                                                                                              \
        .name = name_of, .oracle = adam, .random = random_adam, .fill = fill,                      \
        .lines = LINES(__VA_ARGS__), .sound = FIRST(__VA_ARGS__)                                   \
    }

const struct oracle_row oracle_optimizer_rows[] = {
    ADAM("aclnnApplyAdamWV2",
         "apply_adam_w_v2 f32 varRef=2x3x4 mRef=2x3x4 vRef=2x3x4 maxGradNormOptionalRef=2x3x4 "
         "grad=2x3x4 step=1:i64 lr=0.001 beta1=0.9 beta2=0.999 weightDecay=0.01 eps=1e-8 "
         "amsgrad=1 maximize=0",
         "apply_adam_w_v2 f32 varRef=300x301 mRef=300x301 vRef=300x301 grad=300x301 step=1:f32 "
         "lr=0.001 beta1=0.9 beta2=0.999 weightDecay=0.01 eps=1e-8 amsgrad=0 maximize=0",
         "apply_adam_w_v2 f32 varRef=3001 mRef=3001 vRef=3001 grad=3001:bf16 step=1:i64 lr=0.001 "
         "beta1=0.9 beta2=0.999 weightDecay=0.01 eps=1e-8 amsgrad=0 maximize=1 data=special"),
    ADAM("aclnnApplyFusedEmaAdam",
         "apply_fused_ema_adam f32 grad=2x3x4 varRef=2x3x4 mRef=2x3x4 vRef=2x3x4 sRef=2x3x4 "
         "step=1:i64 lr=0.001 emaDecay=0.9 beta1=0.9 beta2=0.999 eps=1e-8 mode=1 biasCorrection=1 "
         "weightDecay=0.5",
         "apply_fused_ema_adam f16 grad=90x111 varRef=90x111 mRef=90x111 vRef=90x111 sRef=90x111 "
         "step=1:i64 lr=0.001 emaDecay=0.9 beta1=0.9 beta2=0.999 eps=1e-8 mode=0 biasCorrection=0 "
         "weightDecay=0.5"),
    ADAM("aclnnApplyAdamW",
         "apply_adam_w f32 varRef=2x3x4 mRef=2x3x4 vRef=2x3x4 beta1Power=1 beta2Power=1 lr=1 "
         "weightDecay=1 beta1=1 beta2=1 eps=1 grad=2x3x4 maxGradNormOptional=2x3x4 amsgrad=1 "
         "maximize=0",
         "apply_adam_w bf16 varRef=3001 mRef=3001 vRef=3001 beta1Power=1 beta2Power=1 lr=1 "
         "weightDecay=1 beta1=1 beta2=1 eps=1 grad=3001 amsgrad=0 maximize=1"),
    ADAM("aclnnApplyAdam",
         "apply_adam f32 varRef=2x3x4 m=2x3x4 v=2x3x4 beta1Power=1 beta2Power=1 lr=1 beta1=1 "
         "beta2=1 epsilon=1 grad=2x3x4 useLocking=0 useNesterov=1",
         "apply_adam f64 varRef=3001 m=3001 v=3001 beta1Power=1 beta2Power=1 lr=1 beta1=1 "
         "beta2=1 epsilon=1 grad=3001 useLocking=1 useNesterov=0"),
    {.name = "aclnnFusedAdam",
     .oracle = fused,
     .random = random_fused,
     .fill = fill_fused,
     .lines = LINES("fused_adam f32 paramsRef=[70001,30x20] gradsRef=[70001,30x20] "
                    "expAvgsRef=[70001,30x20] expAvgSqsRef=[70001,30x20] "
                    "maxExpAvgSqsRef=[70001,30x20] stateSteps=[1:i64,1:i64] gradScaleOptional=1 "
                    "lr=0.001 beta1=0.9 beta2=0.999 weightDecay=0.01 eps=1e-8 amsgrad=1 "
                    "maximize=1")},
    {.name = "aclnnFusedAdamw",
     .oracle = fused,
     .random = random_fused,
     .fill = fill_fused,
     .lines = LINES("fused_adamw bf16 paramsRef=[3001] grads=[3001] expAvgsRef=[3001] "
                    "expAvgSqsRef=[3001] stateSteps=[1:f32] foundInfOptional=1:f32 lr=0.001 "
                    "beta1=0.9 beta2=0.999 weightDecay=0.01 eps=1e-8 amsgrad=0 maximize=0")},
    {.name = "aclnnFusedSgd",
     .oracle = sgd,
     .random = random_sgd,
     .fill = fill,
     .lines =
         LINES("fused_sgd f32 paramsRef=[70001,30x20] gradsRef=[70001,30x20] "
               "momentumBufferListOptionalRef=[70001,30x20] gradScaleOptional=1 weightDecay=0.01 "
               "momentum=0.9 lr=0.1 dampening=0 nesterov=1 maximize=0 isFirstStep=0",
               "fused_sgd f16 paramsRef=[3001] gradsRef=[3001] momentumBufferListOptionalRef=[] "
               "weightDecay=0 momentum=0 lr=0.1 dampening=0 nesterov=0 maximize=1 isFirstStep=1 "
               "data=special")},
    {.name = NULL},
};
