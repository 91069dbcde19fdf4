/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers: distributions, dropout, permutations, draws. Numbers are made dense, in the order
 * of the elements. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/op_random.h"
#include "api/op_reduce.h"
#include "api/op_shape.h"
#include "api/op_sort.h"
#include "kernels/kernels.h"

/* ---- arguments ---- */

static bool is_seed(const struct op_value *value)
{
    return strcmp(value->name, "seedTensor") == 0 || strcmp(value->name, "offsetTensor") == 0;
}

static int index_of(const struct op_problem *problem, const struct op_value *value)
{
    return (int)(value - problem->values);
}

/* ---- checks ---- */

aclnnStatus op_check_seed_types(const struct op_problem *problem)
{
    for (int i = 0; i < problem->tensor_count; i++) {
        const struct op_value *value = problem->tensor[i];
        if (is_seed(value))
            OP_TRY(op_check_type(problem->row->name, value->name, value->tensor,
                                 OP_TYPE(ACL_INT64) | OP_TYPE(ACL_UINT64), "INT64, UINT64"));
    }
    return ACLNN_SUCCESS;
}

/* Each tensor has one of the row's types. */
static aclnnStatus types(struct op_problem *problem)
{
    const struct op_row *row = problem->row;
    for (int i = 0; i < problem->tensor_count; i++) {
        const struct op_value *value = problem->tensor[i];
        if (!is_seed(value))
            OP_TRY(
                op_check_type(row->name, value->name, value->tensor, row->types, row->type_names));
    }
    return op_check_seed_types(problem);
}

aclnnStatus op_check_seed_shapes(const struct op_problem *problem)
{
    struct op_shape_text text;
    for (int i = 0; i < problem->tensor_count; i++) {
        const struct op_value *value = problem->tensor[i];
        int64_t count = 0;
        if (!is_seed(value)) continue;
        ex_element_count(value->tensor->descriptor.sizes, value->tensor->descriptor.rank, &count);
        OP_CHECK(problem->row->name, count == 1, ACLNN_ERR_PARAM_INVALID,
                 "%s's shape is %s; it must have one element", value->name,
                 op_shape(&text, value->tensor));
    }
    return ACLNN_SUCCESS;
}

/* The first result's shape; what is read can be expanded to it, and has it if it is `self`. */
static aclnnStatus shapes(struct op_problem *problem)
{
    const struct op_value *out = op_written(problem, 0);
    const struct ex_descriptor *d = &out->tensor->descriptor;
    struct op_shape_text text, wanted;
    problem->rank = d->rank;
    for (int i = 0; i < d->rank; i++)
        problem->sizes[i] = d->sizes[i];
    for (int i = 0; i < problem->tensor_count; i++) {
        const struct op_value *value = problem->tensor[i];
        const struct ex_descriptor *t = &value->tensor->descriptor;
        const int missing = d->rank - t->rank;
        if (is_seed(value) || op_is_written(value)) continue;
        const bool is_self = strcmp(value->name, "self") == 0;
        bool fits = is_self ? missing == 0 : missing >= 0;
        for (int axis = 0; fits && axis < t->rank; axis++)
            fits = t->sizes[axis] == d->sizes[axis + missing] || (!is_self && t->sizes[axis] == 1);
        OP_CHECK(problem->row->name, fits, ACLNN_ERR_PARAM_INVALID,
                 "%s's shape is %s; it must %s %s's, %s", value->name,
                 op_shape(&text, value->tensor), is_self ? "be" : "expand to", out->name,
                 op_shape(&wanted, out->tensor));
    }
    return op_check_seed_shapes(problem);
}

static aclnnStatus check_probability(const struct op_problem *problem, const char *name)
{
    const double p = op_real_named(problem, name, 0);
    OP_CHECK(problem->row->name, p >= 0 && p <= 1, ACLNN_ERR_PARAM_INVALID,
             "%s is %g; it must be from 0 to 1", name, p);
    return ACLNN_SUCCESS;
}

/* ---- plans ---- */

/* A tensor that is read, expanded to the problem's shape, dense. */
static struct op_place expanded(const struct op_shape_call *call, const struct op_value *value)
{
    const struct op_problem *problem = call->problem;
    struct op_place own = op_source(call, index_of(problem, value), 0);
    own.view = op_view_broadcast(&own.view, problem->rank, problem->sizes);
    if (op_view_is_dense(&own.view)) return own;
    const struct op_place copy =
        op_scratch_place(call->plan, own.view.type, problem->rank, problem->sizes);
    op_copy_place(call->plan, &own, &copy);
    return copy;
}

/* Buffers of seed and offset behind the others. */
static void find_seed(const struct op_shape_call *call, struct k_random *random, int *seed,
                      int *offset)
{
    const struct op_value *tensor = op_argument_named(call->problem, "seedTensor");
    const struct op_value *number = op_argument_named(call->problem, "seed");
    const struct op_value *more = op_argument_named(call->problem, "offset");
    random->seed = number ? (uint64_t)number->integer : 0;
    random->offset = more ? (uint64_t)more->integer : 0;
    random->has_seed = tensor != NULL;
    if (!tensor) return;
    *seed = call->buffers[index_of(call->problem, tensor)];
    *offset =
        call->buffers[index_of(call->problem, op_argument_named(call->problem, "offsetTensor"))];
}

/* A step that fills `to`. a, b: a buffer, or -1. */
void op_random_step(const struct op_shape_call *call, struct k_random *random, int to, int a, int b)
{
    int seed = to, offset = to;
    find_seed(call, random, &seed, &offset);
    const struct k_work work = k_random_plan(random);
    ex_step(call->plan, "random", k_best()->random, random, sizeof *random, work,
            EX_BUFFERS(to, a < 0 ? to : a, b < 0 ? to : b, seed, offset));
}

/* The first result filled with numbers of that kind; a_name, b_name: tensors or numbers. */
static void fill(const struct op_shape_call *call, struct k_random *random, const char *a_name,
                 const char *b_name)
{
    const struct op_problem *problem = call->problem;
    const struct op_value *out = op_written(problem, 0);
    const struct op_value *a = a_name ? op_argument_named(problem, a_name) : NULL;
    const struct op_value *b = b_name ? op_argument_named(problem, b_name) : NULL;
    int buffers[2] = {-1, -1};
    if (op_is_empty(out->tensor)) return;
    if (a && op_is_tensor(a)) {
        random->has_a = true;
        random->a_type = op_k_dtype(a->tensor);
        buffers[0] = expanded(call, a).buffer;
    } else if (a) {
        random->a = op_real_named(problem, a_name, 0);
    }
    if (b && op_is_tensor(b)) {
        random->has_b = true;
        random->b_type = op_k_dtype(b->tensor);
        buffers[1] = expanded(call, b).buffer;
    } else if (b) {
        random->b = op_real_named(problem, b_name, 0);
    }
    const struct op_place to = op_dense_target(call, index_of(problem, out));
    random->to = op_k_dtype(out->tensor);
    random->elements = op_element_count(to.view.rank, to.view.sizes);
    if (random->kind == K_RANDOM_UNIFORM)
        random->limit = random->a < random->b ? k_random_below(random->to, random->b) : random->a;
    op_random_step(call, random, to.buffer, buffers[0], buffers[1]);
    op_deliver(call, &to, index_of(problem, out));
}

#define RULE(rule, check_shapes, plan_of)                                                          \
    const struct op_rule op_rule_##rule = {.types = types,                                         \
                                           .shapes = (check_shapes),                               \
                                           .runs_empty = true,                                     \
                                           .more = &(const struct op_shape_rule){plan_of}};

/* ---- uniform, normal, exponential, truth ---- */

static aclnnStatus uniform_shapes(struct op_problem *problem)
{
    const double from = op_real_named(problem, "from", 0), to = op_real_named(problem, "to", 0);
    OP_CHECK(problem->row->name, from <= to && isfinite(to - from), ACLNN_ERR_PARAM_INVALID,
             "from is %g, to is %g; from must not be greater, and both finite", from, to);
    return shapes(problem);
}

static void plan_uniform(const struct op_shape_call *call)
{
    fill(call, &(struct k_random){.kind = K_RANDOM_UNIFORM}, "from", "to");
}

static aclnnStatus normal_shapes(struct op_problem *problem)
{
    const double deviation = op_real_named(problem, "std", 0);
    OP_CHECK(problem->row->name, deviation >= 0, ACLNN_ERR_PARAM_INVALID,
             "std is %g; it must not be negative", deviation);
    return shapes(problem);
}

static void plan_normal(const struct op_shape_call *call)
{
    fill(call, &(struct k_random){.kind = K_RANDOM_NORMAL}, "mean", "std");
}

static aclnnStatus exponential_shapes(struct op_problem *problem)
{
    const double lambda = op_real_named(problem, "lambda", 1);
    const int64_t count = op_argument_named(problem, "count")->integer;
    int64_t elements = 0;
    const struct op_value *self = op_written(problem, 0);
    ex_element_count(self->tensor->descriptor.sizes, self->tensor->descriptor.rank, &elements);
    OP_CHECK(problem->row->name, lambda > 0, ACLNN_ERR_PARAM_INVALID,
             "lambda is %g; it must be greater than 0", lambda);
    OP_CHECK(problem->row->name, count == elements, ACLNN_ERR_PARAM_INVALID,
             "count is %" PRId64 "; %s has %" PRId64 " elements", count, self->name, elements);
    return shapes(problem);
}

static void plan_exponential(const struct op_shape_call *call)
{
    fill(call, &(struct k_random){.kind = K_RANDOM_EXPONENTIAL}, "lambda", NULL);
}

static aclnnStatus truth_shapes(struct op_problem *problem)
{
    OP_TRY(check_probability(problem, "prob"));
    return shapes(problem);
}

static void plan_truth(const struct op_shape_call *call)
{
    fill(call, &(struct k_random){.kind = K_RANDOM_TRUTH}, "prob", NULL);
}

RULE(random_uniform, uniform_shapes, plan_uniform)
RULE(random_normal, normal_shapes, plan_normal)
RULE(random_exponential, exponential_shapes, plan_exponential)
RULE(random_truth, truth_shapes, plan_truth)

/* ---- whole numbers ---- */

/* Beyond the largest one: of floating types behind the last that has no gap before it. */
static uint64_t numbers_of(aclDataType type)
{
    switch (type) {
    case ACL_BOOL:
        return 2;
    case ACL_UINT8:
    case ACL_INT8:
        return type == ACL_UINT8 ? 256 : 128;
    case ACL_INT16:
        return 1 << 15;
    case ACL_INT32:
        return UINT64_C(1) << 31;
    case ACL_INT64:
        return UINT64_C(1) << 63;
    case ACL_FLOAT16:
        return (1 << 11) + 1;
    case ACL_BF16:
        return (1 << 8) + 1;
    case ACL_FLOAT:
        return (1 << 24) + 1;
    default:
        return (UINT64_C(1) << 53) + 1;
    }
}

static aclnnStatus whole_shapes(struct op_problem *problem)
{
    const struct op_value *from = op_argument_named(problem, "from");
    const struct op_value *to = op_argument_named(problem, "to"), *self = op_written(problem, 0);
    const aclDataType type = (aclDataType)self->tensor->descriptor.data_type;
    if (!from) return shapes(problem);
    OP_CHECK(problem->row->name, from->integer < to->integer, ACLNN_ERR_PARAM_INVALID,
             "from is %" PRId64 ", to is %" PRId64 "; from must be less", from->integer,
             to->integer);
    const int64_t last = (int64_t)(numbers_of(type) - 1);
    const int64_t first = type == ACL_BOOL || type == ACL_UINT8 ? 0
                          : op_is_floating(type)                ? -last
                                                                : -last - 1;
    OP_CHECK(problem->row->name, from->integer >= first && to->integer - 1 <= last,
             ACLNN_ERR_PARAM_INVALID,
             "from is %" PRId64 ", to is %" PRId64 "; %s, which is %s, has the whole numbers from "
             "%" PRId64 " to %" PRId64,
             from->integer, to->integer, self->name, op_data_type_name(type), first, last);
    return shapes(problem);
}

static void plan_whole(const struct op_shape_call *call)
{
    const struct op_value *from = op_argument_named(call->problem, "from");
    const struct op_value *to = op_argument_named(call->problem, "to");
    const aclTensor *self = op_written(call->problem, 0)->tensor;
    struct k_random random = {.kind = K_RANDOM_WHOLE};
    random.least = from ? from->integer : 0;
    random.range = from ? (uint64_t)to->integer - (uint64_t)from->integer
                        : numbers_of((aclDataType)self->descriptor.data_type);
    fill(call, &random, NULL, NULL);
}

RULE(random_whole, whole_shapes, plan_whole)

/* ---- permutations, draws ---- */

/* The places of the largest keys of each row, or of the smallest, as the result's type. */
static void order_keys(const struct op_shape_call *call, int keys, struct k_sort *sort)
{
    const struct op_value *out = op_written(call->problem, 0);
    const struct op_place to = op_target(call, index_of(call->problem, out), 0);
    const bool is_own = to.view.type == ACL_INT64 && op_view_is_dense(&to.view);
    const struct op_place places =
        is_own ? to : op_scratch_place(call->plan, ACL_INT64, to.view.rank, to.view.sizes);
    sort->index_type = K_I64;
    sort->has_index = true;
    op_sort_steps(call->plan, sort, keys, places.buffer, places.buffer);
    if (!is_own) op_copy_place(call->plan, &places, &to);
}

static aclnnStatus permutation_shapes(struct op_problem *problem)
{
    const struct op_value *n = op_argument_named(problem, "n"), *out = op_written(problem, 0);
    const aclDataType type = (aclDataType)out->tensor->descriptor.data_type;
    OP_CHECK(problem->row->name, n->integer >= 0, ACLNN_ERR_PARAM_INVALID,
             "n is %" PRId64 "; it must not be negative", n->integer);
    OP_CHECK(problem->row->name, n->integer == 0 || (uint64_t)(n->integer - 1) < numbers_of(type),
             ACLNN_ERR_PARAM_INVALID, "n is %" PRId64 "; %s, which is %s, cannot hold %" PRId64,
             n->integer, out->name, op_data_type_name(type), n->integer - 1);
    return op_check_shape(problem, out, out->tensor, 1, &n->integer);
}

static void plan_permutation(const struct op_shape_call *call)
{
    const int64_t n = op_argument_named(call->problem, "n")->integer;
    struct k_random random = {.kind = K_RANDOM_KEY, .to = K_I64, .elements = n};
    struct k_sort sort = {.dtype = K_U64, .rows = 1, .count = n, .keep = n};
    if (n == 0) return;
    const struct op_place keys = op_scratch_place(call->plan, ACL_INT64, 1, &n);
    op_random_step(call, &random, keys.buffer, -1, -1);
    order_keys(call, keys.buffer, &sort);
}

static aclnnStatus draw_types(struct op_problem *problem)
{
    const struct op_value *self = problem->tensor[0], *out = op_written(problem, 0);
    OP_TRY(op_check_type(problem->row->name, self->name, self->tensor, problem->row->types,
                         problem->row->type_names));
    OP_TRY(op_check_type(problem->row->name, out->name, out->tensor, OP_TYPE(ACL_INT64), "INT64"));
    return op_check_seed_types(problem);
}

static aclnnStatus draw_shapes(struct op_problem *problem)
{
    const struct op_value *self = problem->tensor[0], *out = op_written(problem, 0);
    const struct ex_descriptor *d = &self->tensor->descriptor;
    const int64_t draws = op_argument_named(problem, "numsamples")->integer;
    const bool replaces = op_argument_named(problem, "replacement")->integer != 0;
    int64_t sizes[2];
    OP_TRY(op_check_rank(problem->row->name, self->name, self->tensor, 1, 2));
    const int64_t count = d->sizes[d->rank - 1];
    OP_CHECK(problem->row->name, draws > 0 && (replaces || draws <= count) && count > 0,
             ACLNN_ERR_PARAM_INVALID,
             "numsamples is %" PRId64 " of %" PRId64 " places; it must be positive, and without "
             "replacement not more",
             draws, count);
    sizes[0] = d->sizes[0];
    sizes[d->rank - 1] = draws;
    OP_TRY(op_check_shape(problem, out, out->tensor, d->rank, sizes));
    return op_check_seed_shapes(problem);
}

static double weight_at(const struct k_draw *draw, const void *weights, int64_t i)
{
    static const aclDataType types[] = {
        [K_F32] = ACL_FLOAT, [K_F16] = ACL_FLOAT16, [K_BF16] = ACL_BF16, [K_F64] = ACL_DOUBLE};
    const size_t size = (size_t)k_dtype_size(draw->dtype);
    aclScalar weight = {.data_type = types[draw->dtype]};
    memcpy(weight.value, (const char *)weights + i * (int64_t)size, size);
    return op_scalar_real(&weight);
}

static void describe_weight(const void *parameters, void *const buffers[], int64_t position,
                            char *text, size_t size)
{
    const struct k_draw *draw = parameters;
    const int64_t row = position / (draw->count + 1), place = position % (draw->count + 1);
    if (place < draw->count)
        snprintf(text, size,
                 "element %" PRId64 " of row %" PRId64
                 " of self is %g; a weight must be finite and not negative",
                 place, row, weight_at(draw, buffers[K_DRAW_FROM], row * draw->count + place));
    else
        snprintf(text, size,
                 "row %" PRId64 " of self has no sum to draw by; it must be finite and above 0",
                 row);
}

/* With replacement: by the running sums. Without: the greatest quotients of weights and exponential
 * numbers. */
static void plan_draws(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const aclTensor *self = problem->tensor[0]->tensor;
    const int argument = index_of(problem, problem->tensor[0]);
    const int result = index_of(problem, op_written(problem, 0));
    const int64_t draws = op_argument_named(problem, "numsamples")->integer;
    if (op_is_empty(self)) return;
    const struct op_place weights = op_dense_source(call, argument);
    const int64_t elements = op_element_count(weights.view.rank, weights.view.sizes);
    const int64_t count = weights.view.sizes[weights.view.rank - 1], rows = elements / count;
    const int numbers = ex_scratch(call->plan, (size_t)elements * sizeof(double));
    struct k_draw draw = {.dtype = op_k_dtype(self), .rows = rows, .count = count, .draws = draws};
    const struct k_work work = {.items = rows, .grain = 1};
    if (!op_argument_named(problem, "replacement")->integer) {
        struct k_random random = {.kind = K_RANDOM_RACE,
                                  .to = K_F64,
                                  .elements = elements,
                                  .has_a = true,
                                  .a_type = op_k_dtype(self)};
        struct k_sort sort = {
            .dtype = K_F64, .rows = rows, .count = count, .keep = draws, .is_descending = true};
        ex_step_with_faults(call->plan, "draw_check", k_best()->draw_check, &draw, sizeof draw,
                            work, EX_BUFFERS(weights.buffer), describe_weight);
        op_random_step(call, &random, numbers, weights.buffer, -1);
        order_keys(call, numbers, &sort);
        return;
    }
    const struct op_place to = op_dense_target(call, result);
    int seed = to.buffer, offset = to.buffer;
    find_seed(call, &draw.random, &seed, &offset);
    ex_step_with_faults(call->plan, "draw_sums", k_best()->draw_sums, &draw, sizeof draw, work,
                        EX_BUFFERS(weights.buffer, numbers), describe_weight);
    ex_step(
        call->plan, "draw", k_best()->draw, &draw, sizeof draw,
        (struct k_work){.items = (rows * draws + K_RANDOM_TILE - 1) / K_RANDOM_TILE, .grain = 1},
        EX_BUFFERS(numbers, to.buffer, seed, offset));
    op_deliver(call, &to, result);
}

RULE(random_permutation, permutation_shapes, plan_permutation)
const struct op_rule op_rule_random_draws = {
    .types = draw_types,
    .shapes = draw_shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){plan_draws},
};
