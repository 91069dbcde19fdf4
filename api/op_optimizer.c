/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of optimisers: parameters, their moments and gradients in one pass. */
#include <string.h>

#include "api/op_shape.h"
#include "kernels/kernels.h"
#include "kernels/optimizer/k_optimizer.h"

enum { VAR, M, V, GRAD, EXTRA, STATES };

/* Where a number of the step comes from: a tensor of one element, FLOAT or DOUBLE. */
struct source {
    const char *name;
    enum k_step_number number;
};

/* op_shape_rule of an Adam. */
struct adam {
    struct op_shape_rule base;
    unsigned flags;
    double time; /* that the first step counts from */
    const char *states[STATES];
    struct source sources[12];
};

static const struct adam *adam_of(const struct op_problem *problem)
{
    return problem->row->rule->more;
}

static unsigned flags_of(const struct op_problem *problem)
{
    static const struct {
        const char *name;
        unsigned flag;
    } flags[] = {{"maximize", K_STEP_MAXIMIZE},
                 {"amsgrad", K_STEP_LARGEST},
                 {"useNesterov", K_STEP_NESTEROV},
                 {"biasCorrection", K_STEP_BY_TIME}};
    unsigned all = adam_of(problem)->flags;
    for (size_t i = 0; i < RT_LENGTH(flags); i++)
        if (op_integer_named(problem, flags[i].name, 0)) all |= flags[i].flag;
    if (op_integer_named(problem, "mode", 1) == 0) all |= K_STEP_L2;
    if (!(all & K_STEP_LARGEST)) all &= ~(unsigned)K_STEP_IN_MOMENT;
    return all;
}

static bool is_state(const struct adam *adam, const struct op_value *value)
{
    for (int i = 0; i < STATES; i++)
        if (adam->states[i] && strcmp(adam->states[i], value->name) == 0) return true;
    return false;
}

/* ---- checks ---- */

static aclnnStatus check_number_type(const struct op_problem *problem, const struct op_value *value)
{
    return op_check_type(problem->row->name, value->name, value->tensor,
                         problem->row->types | OP_TYPE(ACL_INT64) | OP_TYPE(ACL_INT32),
                         "FLOAT, FLOAT16, BF16, DOUBLE, INT32, INT64");
}

static aclnnStatus check_one_element(const struct op_problem *problem, const struct op_value *value)
{
    const struct ex_descriptor *d = &value->tensor->descriptor;
    struct op_shape_text text;
    OP_CHECK(problem->row->name, op_element_count(d->rank, d->sizes) == 1, ACLNN_ERR_PARAM_INVALID,
             "%s's shape is %s; it must have one element", value->name,
             op_shape(&text, value->tensor));
    return ACLNN_SUCCESS;
}

/* Each its own type; computed in DOUBLE if a state is of it. */
static aclnnStatus adam_types(struct op_problem *problem)
{
    const struct adam *adam = adam_of(problem);
    const char *extra = adam->states[EXTRA];
    OP_CHECK(problem->row->name,
             !(flags_of(problem) & K_STEP_LARGEST) || op_tensor_named(problem, extra),
             ACLNN_ERR_PARAM_NULLPTR, "%s is NULL; amsgrad needs it", extra);
    problem->type = ACL_FLOAT;
    for (int i = 0; i < problem->tensor_count; i++) {
        const struct op_value *value = problem->tensor[i];
        if (!is_state(adam, value)) {
            OP_TRY(check_number_type(problem, value));
            continue;
        }
        OP_TRY(op_check_type(problem->row->name, value->name, value->tensor, problem->row->types,
                             problem->row->type_names));
        if (value->tensor->descriptor.data_type == ACL_DOUBLE) problem->type = ACL_DOUBLE;
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus adam_shapes(struct op_problem *problem)
{
    const struct adam *adam = adam_of(problem);
    const aclTensor *var = op_tensor_named(problem, adam->states[VAR]);
    const int64_t mode = op_integer_named(problem, "mode", 0);
    for (int i = 0; i < problem->tensor_count; i++) {
        const struct op_value *value = problem->tensor[i];
        if (is_state(adam, value))
            OP_TRY(op_check_same_shape(problem->row->name, value->name, value->tensor,
                                       adam->states[VAR], var));
        else
            OP_TRY(check_one_element(problem, value));
    }
    OP_CHECK(problem->row->name, mode == 0 || mode == 1, ACLNN_ERR_PARAM_INVALID,
             "mode is %" PRId64 "; it must be 0 or 1", mode);
    return ACLNN_SUCCESS;
}

/* ---- plans ---- */

/* The step and its buffers: the places of results come first. */
struct step_plan {
    struct k_step step;
    int buffers[K_LOOP_OPERANDS + K_STEP_NUMBERS];
    int count;
};

static void begin(struct step_plan *made, const aclTensor *var, aclDataType type, unsigned flags)
{
    const struct ex_descriptor *d = &var->descriptor;
    *made = (struct step_plan){.step.flags = flags};
    made->step.loop.rank = d->rank;
    made->step.loop.compute = type == ACL_DOUBLE ? K_AS_F64 : K_AS_F32;
    for (int i = 0; i < d->rank; i++)
        made->step.loop.sizes[i] = d->sizes[i];
    for (int i = 0; i < K_STEP_NUMBERS; i++)
        made->step.buffer[i] = -1;
}

/* Results before operands. */
static void add(struct step_plan *made, const struct op_place *place, bool is_result)
{
    struct k_loop_operand *operand = &made->step.loop.operand[made->count];
    operand->dtype = operand->via = op_k_dtype_of(place->view.type);
    operand->offset = place->view.offset;
    for (int i = 0; i < place->view.rank; i++)
        operand->strides[i] = place->view.strides[i];
    made->step.loop.results += is_result;
    made->step.loop.operands += !is_result;
    made->buffers[made->count++] = place->buffer;
}

/* After results and operands. */
static void add_number(struct step_plan *made, const struct op_shape_call *call,
                       const struct op_value *value, enum k_step_number number)
{
    if (!op_is_tensor(value)) {
        made->step.number[number] = value->real;
        return;
    }
    const struct op_place place = op_source(call, (int)(value - call->problem->values), 0);
    made->step.buffer[number] = made->count;
    made->step.dtype[number] = op_k_dtype(value->tensor);
    made->buffers[made->count++] = place.buffer;
}

static void end(struct step_plan *made, struct ex_plan *plan)
{
    const struct k_work work = k_step_plan(&made->step);
    ex_step(plan, "optimizer_step", k_best()->optimizer_step, &made->step, sizeof made->step, work,
            made->buffers, made->count);
}

static void plan_adam(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const struct adam *adam = adam_of(problem);
    const unsigned flags = flags_of(problem);
    const struct op_value *states[STATES] = {NULL};
    struct op_place places[STATES];
    struct step_plan made;
    begin(&made, op_tensor_named(problem, adam->states[VAR]), problem->type, flags);
    for (int i = 0; i < STATES; i++) {
        if (i == EXTRA && !(flags & (K_STEP_LARGEST | K_STEP_AVERAGE))) continue;
        states[i] = op_argument_named(problem, adam->states[i]);
        const int argument = (int)(states[i] - problem->values);
        places[i] =
            op_is_written(states[i]) ? op_target(call, argument, 0) : op_source(call, argument, 0);
    }
    for (int i = 0; i < STATES; i++)
        if (states[i] && op_is_written(states[i])) add(&made, &places[i], true);
    for (int i = 0; i < STATES; i++)
        if (states[i]) add(&made, &places[i], false);
    for (const struct source *source = adam->sources; source->name; source++)
        add_number(&made, call, op_argument_named(problem, source->name), source->number);
    made.step.number[K_STEP_TIME] = adam->time;
    end(&made, call->plan);
}

#define ADAM(rule, first_flags, first_time, names, ...)                                            \
    const struct op_rule op_rule_##rule = {                                                        \
        .types = adam_types,                                                                       \
        .shapes = adam_shapes,                                                                     \
        .more = &(const struct adam){                                                              \
            {plan_adam}, first_flags, first_time, OP_BRACES names, {__VA_ARGS__, {NULL, 0}}}};
#define OP_BRACES(...)                                                                             \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

ADAM(adam, K_STEP_BY_POWER | K_STEP_PLAIN_EPS, 0, ("varRef", "m", "v", "grad", NULL),
     {"beta1Power", K_STEP_POWER1}, {"beta2Power", K_STEP_POWER2}, {"lr", K_STEP_LR},
     {"beta1", K_STEP_BETA1}, {"beta2", K_STEP_BETA2}, {"epsilon", K_STEP_EPS})
ADAM(adam_w, K_STEP_POWER_BEFORE | K_STEP_IN_MOMENT, 0,
     ("varRef", "mRef", "vRef", "grad", "maxGradNormOptional"), {"beta1Power", K_STEP_POWER1},
     {"beta2Power", K_STEP_POWER2}, {"lr", K_STEP_LR}, {"weightDecay", K_STEP_DECAY},
     {"beta1", K_STEP_BETA1}, {"beta2", K_STEP_BETA2}, {"eps", K_STEP_EPS})
ADAM(adam_w_v2, K_STEP_BY_TIME, 1, ("varRef", "mRef", "vRef", "grad", "maxGradNormOptionalRef"),
     {"step", K_STEP_TIME}, {"lr", K_STEP_LR}, {"weightDecay", K_STEP_DECAY},
     {"beta1", K_STEP_BETA1}, {"beta2", K_STEP_BETA2}, {"eps", K_STEP_EPS})
ADAM(ema_adam, K_STEP_AVERAGE, 0, ("varRef", "mRef", "vRef", "grad", "sRef"), {"step", K_STEP_TIME},
     {"lr", K_STEP_LR}, {"weightDecay", K_STEP_DECAY}, {"beta1", K_STEP_BETA1},
     {"beta2", K_STEP_BETA2}, {"eps", K_STEP_EPS}, {"emaDecay", K_STEP_EMA})

/* ---- aclnnFusedAdam, aclnnFusedAdamw: lists ---- */

/* Arguments by their place. */
enum { ADAM_PARAMS, ADAM_GRADS, ADAM_M, ADAM_V, ADAM_LARGEST, ADAM_STEPS, ADAM_SCALE, ADAM_FOUND };

static uint64_t entries_of(const struct op_problem *problem, int argument)
{
    const aclTensorList *list = problem->values[argument].tensors;
    return list ? list->size : 0;
}

static const aclTensor *entry_of(const struct op_problem *problem, int argument, uint64_t i)
{
    return problem->values[argument].tensors->elements[i];
}

static bool needs_list(const struct op_problem *problem, int argument)
{
    return argument != ADAM_LARGEST || op_integer_named(problem, "amsgrad", 0) != 0;
}

static aclnnStatus check_entry_type(const struct op_problem *problem, int argument, uint64_t i)
{
    const struct op_row *row = problem->row;
    const char *name = problem->values[argument].name;
    const aclTensor *tensor = entry_of(problem, argument, i);
    if (argument == ADAM_STEPS)
        return op_check_type(row->name, name, tensor, OP_TYPE(ACL_FLOAT) | OP_TYPE(ACL_INT64),
                             "FLOAT, INT64");
    OP_TRY(op_check_type(row->name, name, tensor, row->types, row->type_names));
    return op_check_same_type(row->name, name, tensor, problem->values[ADAM_PARAMS].name,
                              entry_of(problem, ADAM_PARAMS, 0));
}

static aclnnStatus fused_types(struct op_problem *problem)
{
    const uint64_t count = entries_of(problem, ADAM_PARAMS);
    OP_CHECK(problem->row->name, count > 0, ACLNN_ERR_PARAM_INVALID, "%s has no elements",
             problem->values[ADAM_PARAMS].name);
    for (int i = ADAM_PARAMS; i <= ADAM_STEPS; i++) {
        const struct op_value *value = &problem->values[i];
        if (!needs_list(problem, i)) continue;
        OP_CHECK(problem->row->name, value->tensors, ACLNN_ERR_PARAM_NULLPTR,
                 "%s is NULL; amsgrad needs it", value->name);
        OP_CHECK(problem->row->name, entries_of(problem, i) == count, ACLNN_ERR_PARAM_INVALID,
                 "%s has %" PRIu64 " elements, %s has %" PRIu64, value->name,
                 entries_of(problem, i), problem->values[ADAM_PARAMS].name, count);
        for (uint64_t j = 0; j < count; j++)
            OP_TRY(check_entry_type(problem, i, j));
    }
    for (int i = ADAM_SCALE; i <= ADAM_FOUND; i++)
        if (problem->values[i].tensor) OP_TRY(check_number_type(problem, &problem->values[i]));
    problem->type = (aclDataType)entry_of(problem, ADAM_PARAMS, 0)->descriptor.data_type;
    return ACLNN_SUCCESS;
}

static aclnnStatus fused_shapes(struct op_problem *problem)
{
    struct op_shape_text text;
    for (int i = ADAM_GRADS; i <= ADAM_STEPS; i++) {
        const char *name = problem->values[i].name;
        for (uint64_t j = 0; needs_list(problem, i) && j < entries_of(problem, i); j++) {
            const aclTensor *tensor = entry_of(problem, i, j);
            if (i != ADAM_STEPS)
                OP_TRY(op_check_same_shape(problem->row->name, name, tensor,
                                           problem->values[ADAM_PARAMS].name,
                                           entry_of(problem, ADAM_PARAMS, j)));
            else
                OP_CHECK(problem->row->name, !op_is_empty(tensor), ACLNN_ERR_PARAM_INVALID,
                         "%s[%" PRIu64 "]'s shape is %s; it must have an element", name, j,
                         op_shape(&text, tensor));
        }
    }
    for (int i = ADAM_SCALE; i <= ADAM_FOUND; i++)
        if (problem->values[i].tensor) OP_TRY(check_one_element(problem, &problem->values[i]));
    return ACLNN_SUCCESS;
}

static unsigned fused_flags(const struct op_problem *problem)
{
    unsigned flags = K_STEP_BY_TIME | adam_of(problem)->flags;
    if (op_integer_named(problem, "maximize", 0)) flags |= K_STEP_NEGATED;
    if (op_integer_named(problem, "amsgrad", 0)) flags |= K_STEP_LARGEST;
    if (!problem->values[ADAM_SCALE].tensor) return flags;
    flags |= K_STEP_SCALED;
    return op_is_written_list(&problem->values[ADAM_GRADS]) ? flags | K_STEP_KEPT : flags;
}

static void plan_fused_entry(const struct op_shape_call *call, uint64_t j)
{
    static const int results[] = {ADAM_PARAMS, ADAM_M, ADAM_V, ADAM_LARGEST};
    static const int operands[] = {ADAM_PARAMS, ADAM_M, ADAM_V, ADAM_GRADS, ADAM_LARGEST};
    const struct op_problem *problem = call->problem;
    const unsigned flags = fused_flags(problem);
    struct step_plan made;
    begin(&made, entry_of(problem, ADAM_PARAMS, j), problem->type, flags);
    for (size_t i = 0; i < RT_LENGTH(results); i++) {
        if (!needs_list(problem, results[i])) continue;
        const struct op_place place = op_target(call, results[i], j);
        add(&made, &place, true);
    }
    if (flags & K_STEP_KEPT) {
        const struct op_place grad = op_target(call, ADAM_GRADS, j);
        add(&made, &grad, true);
    }
    for (size_t i = 0; i < RT_LENGTH(operands); i++) {
        if (!needs_list(problem, operands[i])) continue;
        const struct op_place place = op_target(call, operands[i], j);
        add(&made, &place, false);
    }
    for (const struct source *source = adam_of(problem)->sources; source->name; source++)
        add_number(&made, call, op_argument_named(problem, source->name), source->number);
    for (int i = ADAM_SCALE; i <= ADAM_FOUND; i++)
        if (problem->values[i].tensor)
            add_number(&made, call, &problem->values[i],
                       i == ADAM_SCALE ? K_STEP_SCALE : K_STEP_FOUND);
    const struct op_place time = op_source(call, ADAM_STEPS, j);
    made.step.buffer[K_STEP_TIME] = made.count;
    made.step.dtype[K_STEP_TIME] = op_k_dtype(entry_of(problem, ADAM_STEPS, j));
    made.step.number[K_STEP_TIME] = adam_of(problem)->time;
    made.buffers[made.count++] = time.buffer;
    end(&made, call->plan);
}

static void plan_fused(const struct op_shape_call *call)
{
    for (uint64_t j = 0; j < entries_of(call->problem, ADAM_PARAMS); j++)
        if (!op_is_empty(entry_of(call->problem, ADAM_PARAMS, j))) plan_fused_entry(call, j);
}

#define FUSED(rule, first_flags)                                                                   \
    const struct op_rule op_rule_##rule = {                                                        \
        .types = fused_types,                                                                      \
        .shapes = fused_shapes,                                                                    \
        .runs_empty = true,                                                                        \
        .more = &(const struct adam){{plan_fused},                                                 \
                                     first_flags,                                                  \
                                     1,                                                            \
                                     {NULL},                                                       \
                                     {{"lr", K_STEP_LR},                                           \
                                      {"weightDecay", K_STEP_DECAY},                               \
                                      {"beta1", K_STEP_BETA1},                                     \
                                      {"beta2", K_STEP_BETA2},                                     \
                                      {"eps", K_STEP_EPS},                                         \
                                      {NULL, 0}}}};
FUSED(fused_adam, K_STEP_L2)
FUSED(fused_adam_w, 0)

/* ---- aclnnFusedSgd ---- */

enum { PARAMS, GRADS, MOMENTA, GRAD_SCALE };

static uint64_t length_of(const struct op_problem *problem, int argument)
{
    const aclTensorList *list = problem->values[argument].tensors;
    return list ? list->size : 0;
}

static bool has_momenta(const struct op_problem *problem)
{
    return length_of(problem, MOMENTA) > 0;
}

static const struct op_value *grad_scale(const struct op_problem *problem)
{
    const struct op_value *value = &problem->values[GRAD_SCALE];
    return value->tensor && !op_is_empty(value->tensor) ? value : NULL;
}

static aclnnStatus sgd_numbers(const struct op_problem *problem)
{
    static const char *const names[] = {"weightDecay", "momentum", "lr", "dampening"};
    const double momentum = op_real_named(problem, "momentum", 0);
    const double dampening = op_real_named(problem, "dampening", 0);
    for (size_t i = 0; i < RT_LENGTH(names); i++) {
        const double number = op_real_named(problem, names[i], 0);
        OP_CHECK(problem->row->name, number >= 0, ACLNN_ERR_PARAM_INVALID,
                 "%s is %g; it must be at least 0", names[i], number);
    }
    OP_CHECK(problem->row->name, has_momenta(problem) == (momentum > 0), ACLNN_ERR_PARAM_INVALID,
             "momentum is %g; it must be greater than 0 with momentumBufferListOptionalRef and 0 "
             "without",
             momentum);
    OP_CHECK(problem->row->name,
             !op_integer_named(problem, "nesterov", 0) || (momentum > 0 && dampening == 0),
             ACLNN_ERR_PARAM_INVALID,
             "nesterov is true; momentum, %g, must be greater than 0 and dampening, %g, be 0",
             momentum, dampening);
    return ACLNN_SUCCESS;
}

static aclnnStatus sgd_types(struct op_problem *problem)
{
    const struct op_row *row = problem->row;
    OP_TRY(sgd_numbers(problem));
    OP_CHECK(row->name, length_of(problem, PARAMS) > 0, ACLNN_ERR_PARAM_INVALID,
             "%s has no elements", problem->values[PARAMS].name);
    const aclTensor *first = problem->values[PARAMS].tensors->elements[0];
    for (int i = PARAMS; i <= MOMENTA; i++) {
        const struct op_value *value = &problem->values[i];
        if (i == MOMENTA && !has_momenta(problem)) continue;
        OP_CHECK(row->name, length_of(problem, i) == length_of(problem, PARAMS),
                 ACLNN_ERR_PARAM_INVALID, "%s has %" PRIu64 " elements, %s has %" PRIu64,
                 value->name, length_of(problem, i), problem->values[PARAMS].name,
                 length_of(problem, PARAMS));
        for (uint64_t j = 0; j < value->tensors->size; j++) {
            const aclTensor *tensor = value->tensors->elements[j];
            OP_TRY(op_check_type(row->name, value->name, tensor, row->types, row->type_names));
            OP_TRY(op_check_same_type(row->name, value->name, tensor, problem->values[PARAMS].name,
                                      first));
        }
    }
    if (grad_scale(problem)) OP_TRY(check_number_type(problem, grad_scale(problem)));
    problem->type = (aclDataType)first->descriptor.data_type;
    return ACLNN_SUCCESS;
}

static aclnnStatus sgd_shapes(struct op_problem *problem)
{
    const struct op_value *params = &problem->values[PARAMS];
    for (int i = GRADS; i <= MOMENTA; i++)
        for (uint64_t j = 0; j < length_of(problem, i); j++)
            OP_TRY(op_check_same_shape(problem->row->name, problem->values[i].name,
                                       problem->values[i].tensors->elements[j], params->name,
                                       params->tensors->elements[j]));
    return grad_scale(problem) ? check_one_element(problem, grad_scale(problem)) : ACLNN_SUCCESS;
}

static unsigned sgd_flags(const struct op_problem *problem)
{
    unsigned flags = K_STEP_SGD;
    if (op_integer_named(problem, "maximize", 0)) flags |= K_STEP_MAXIMIZE;
    if (grad_scale(problem)) flags |= K_STEP_SCALED;
    if (!has_momenta(problem)) return flags;
    if (op_integer_named(problem, "nesterov", 0)) flags |= K_STEP_NESTEROV;
    if (op_integer_named(problem, "isFirstStep", 0)) flags |= K_STEP_FIRST;
    return flags | K_STEP_MOMENT;
}

static void plan_sgd(const struct op_shape_call *call)
{
    static const struct source sources[] = {{"lr", K_STEP_LR},
                                            {"weightDecay", K_STEP_DECAY},
                                            {"momentum", K_STEP_MOMENTUM},
                                            {"dampening", K_STEP_DAMPENING}};
    const struct op_problem *problem = call->problem;
    const unsigned flags = sgd_flags(problem);
    for (uint64_t i = 0; i < length_of(problem, PARAMS); i++) {
        const aclTensor *param = problem->values[PARAMS].tensors->elements[i];
        struct step_plan made;
        struct op_place momentum;
        if (op_is_empty(param)) continue;
        const struct op_place var = op_target(call, PARAMS, i), grad = op_target(call, GRADS, i);
        begin(&made, param, problem->type, flags);
        add(&made, &var, true);
        if (flags & K_STEP_MOMENT) {
            momentum = op_target(call, MOMENTA, i);
            add(&made, &momentum, true);
        }
        if (flags & K_STEP_SCALED) add(&made, &grad, true);
        add(&made, &var, false);
        add(&made, &grad, false);
        if (flags & K_STEP_MOMENT) add(&made, &momentum, false);
        for (size_t j = 0; j < RT_LENGTH(sources); j++)
            add_number(&made, call, op_argument_named(problem, sources[j].name), sources[j].number);
        if (flags & K_STEP_SCALED) add_number(&made, call, grad_scale(problem), K_STEP_SCALE);
        end(&made, call->plan);
    }
}

const struct op_rule op_rule_sgd = {
    .types = sgd_types,
    .shapes = sgd_shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){plan_sgd},
};
