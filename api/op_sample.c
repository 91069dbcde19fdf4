/* SPDX-License-Identifier: Apache-2.0 */
/* Images that are read where a grid says: aclnnGridSampler in two and three dimensions, its
 * gradient, and the grids of affine maps. */
#include <string.h>

#include "api/op_sample.h"
#include "kernels/kernels.h"
#include "kernels/sample/k_sample.h"

/* A rule's `more`. */
struct sample_rule {
    struct op_shape_rule shape; /* first */
    int axes;
};

static int axes_of(const struct op_problem *problem)
{
    return ((const struct sample_rule *)problem->row->rule->more)->axes;
}

static int argument_of(const struct op_problem *problem, const char *name)
{
    return (int)(op_argument_named(problem, name) - problem->values);
}

/* ---- checks ---- */

static aclnnStatus check_modes(const struct op_problem *problem)
{
    const int64_t mode = op_integer_named(problem, "interpolationMode", 0);
    const int64_t padding = op_integer_named(problem, "paddingMode", 0);
    const int most = axes_of(problem) == 2 ? K_SAMPLE_CUBIC : K_SAMPLE_NEAREST;
    OP_CHECK(problem->row->name, mode >= 0 && mode <= most, ACLNN_ERR_PARAM_INVALID,
             "interpolationMode is %" PRId64 "; it must be from 0 to %d", mode, most);
    OP_CHECK(problem->row->name, padding >= 0 && padding <= K_SAMPLE_REFLECTION,
             ACLNN_ERR_PARAM_INVALID, "paddingMode is %" PRId64 "; it must be from 0 to %d",
             padding, K_SAMPLE_REFLECTION);
    return ACLNN_SUCCESS;
}

/* The shape that results have, from input and grid. */
static aclnnStatus check_operands(const struct op_problem *problem, int64_t *sizes)
{
    const struct op_value *input = op_argument_named(problem, "input");
    const struct op_value *grid = op_argument_named(problem, "grid");
    const int axes = axes_of(problem), rank = axes + 2;
    const char *name = problem->row->name;
    int64_t of_grid[EX_MAX_RANK];
    OP_TRY(op_check_channels_first(name, input->name, input->tensor, 0));
    OP_TRY(op_check_rank(name, input->name, input->tensor, rank, rank));
    OP_TRY(op_check_rank(name, grid->name, grid->tensor, rank, rank));
    OP_TRY(check_modes(problem));
    const int64_t *in = input->tensor->descriptor.sizes, *at = grid->tensor->descriptor.sizes;
    for (int i = 2; i < rank; i++)
        OP_CHECK(name, in[i] >= 1 && in[i] <= INT32_MAX, ACLNN_ERR_PARAM_INVALID,
                 "input's size along axis %d is %" PRId64 "; it must be from 1 to 2147483647", i,
                 in[i]);
    memcpy(of_grid, at, (size_t)rank * sizeof *at);
    of_grid[0] = in[0];
    of_grid[rank - 1] = axes;
    OP_TRY(op_check_shape(problem, grid, grid->tensor, rank, of_grid));
    memcpy(sizes, in, 2 * sizeof *sizes);
    memcpy(sizes + 2, at + 1, (size_t)axes * sizeof *sizes);
    return ACLNN_SUCCESS;
}

static aclnnStatus sample_shapes(struct op_problem *problem)
{
    const struct op_value *out = op_argument_named(problem, "out");
    int64_t sizes[EX_MAX_RANK];
    OP_TRY(check_operands(problem, sizes));
    OP_TRY(op_check_channels_first(problem->row->name, out->name, out->tensor, 0));
    return op_check_shape(problem, out, out->tensor, axes_of(problem) + 2, sizes);
}

static aclnnStatus grad_types(struct op_problem *problem)
{
    const struct op_value *mask = op_argument_named(problem, "outputMask");
    OP_CHECK(problem->row->name, mask->bools, ACLNN_ERR_PARAM_NULLPTR, "outputMask is NULL");
    OP_CHECK(problem->row->name, mask->bools->size == 2, ACLNN_ERR_PARAM_INVALID,
             "outputMask has %" PRIu64 " elements; it must have 2", mask->bools->size);
    return op_one_type(problem);
}

static aclnnStatus grad_shapes(struct op_problem *problem)
{
    static const char *const pairs[][2] = {{"inputGrad", "input"}, {"gridGrad", "grid"}};
    const struct op_value *grad = op_argument_named(problem, "gradOutput");
    int64_t sizes[EX_MAX_RANK];
    OP_TRY(check_operands(problem, sizes));
    OP_TRY(op_check_shape(problem, grad, grad->tensor, axes_of(problem) + 2, sizes));
    for (int i = 0; i < 2; i++)
        OP_TRY(op_check_same_shape(problem->row->name, pairs[i][0],
                                   op_argument_named(problem, pairs[i][0])->tensor, pairs[i][1],
                                   op_argument_named(problem, pairs[i][1])->tensor));
    return ACLNN_SUCCESS;
}

static aclnnStatus affine_shapes(struct op_problem *problem)
{
    const struct op_value *theta = op_argument_named(problem, "theta");
    const struct op_value *out = op_argument_named(problem, "out");
    const aclIntArray *size = op_argument_named(problem, "size")->ints;
    const char *name = problem->row->name;
    OP_CHECK(name, size->size == 4 || size->size == 5, ACLNN_ERR_PARAM_INVALID,
             "size has %" PRIu64 " elements; it must have 4 or 5", size->size);
    const int axes = (int)size->size - 2;
    int64_t sizes[EX_MAX_RANK] = {size->values[0]};
    for (int i = 0; i < axes + 2; i++)
        OP_CHECK(name, size->values[i] >= 0 && size->values[i] <= INT32_MAX,
                 ACLNN_ERR_PARAM_INVALID,
                 "size[%d] is %" PRId64 "; it must be from 0 to 2147483647", i, size->values[i]);
    OP_TRY(op_check_shape(problem, theta, theta->tensor, 3,
                          (const int64_t[]){size->values[0], axes, axes + 1}));
    memcpy(sizes + 1, size->values + 2, (size_t)axes * sizeof *sizes);
    sizes[axes + 1] = axes;
    return op_check_shape(problem, out, out->tensor, axes + 2, sizes);
}

/* ---- plans ---- */

static aclDataType computed_in(const struct op_problem *problem)
{
    return problem->type == ACL_DOUBLE ? ACL_DOUBLE : ACL_FLOAT;
}

int op_image_source(const struct op_shape_call *call, const char *name)
{
    const int argument = argument_of(call->problem, name);
    const aclDataType type = computed_in(call->problem);
    if (type == call->problem->type) return op_dense_source(call, argument).buffer;
    const struct op_place own = op_source(call, argument, 0);
    const struct op_place copy = op_scratch_place(call->plan, type, own.view.rank, own.view.sizes);
    op_copy_place(call->plan, &own, &copy);
    return copy.buffer;
}

struct op_place op_image_target(const struct op_shape_call *call, const char *name)
{
    const int argument = argument_of(call->problem, name);
    const aclDataType type = computed_in(call->problem);
    if (type == call->problem->type) return op_dense_target(call, argument);
    const struct op_view own = op_target(call, argument, 0).view;
    return op_scratch_place(call->plan, type, own.rank, own.sizes);
}

void op_image_deliver(const struct op_shape_call *call, const struct op_place *made,
                      const char *name)
{
    const int argument = argument_of(call->problem, name);
    const struct op_place own = op_target(call, argument, 0);
    if (made->view.type == own.view.type)
        op_deliver(call, made, argument);
    else
        op_copy_place(call->plan, made, &own);
}

static struct k_sample sample_of(const struct op_problem *problem)
{
    const int axes = axes_of(problem);
    const int64_t *in = op_argument_named(problem, "input")->tensor->descriptor.sizes;
    const int64_t *at = op_argument_named(problem, "grid")->tensor->descriptor.sizes;
    struct k_sample s = {
        .is_double = problem->type == ACL_DOUBLE,
        .mode = (enum k_sample_mode)op_integer_named(problem, "interpolationMode", 0),
        .padding = (enum k_sample_padding)op_integer_named(problem, "paddingMode", 0),
        .align_corners = op_integer_named(problem, "alignCorners", 0) != 0,
        .axes = axes,
        .batch = in[0],
        .channels = in[1],
        .points = op_element_count(axes, at + 1),
        .sizes = {1, 1, 1}};
    memcpy(s.sizes + K_SAMPLE_AXES - axes, in + 2, (size_t)axes * sizeof *in);
    return s;
}

static void step(const struct op_shape_call *call, const char *name, k_fn *kernel,
                 const struct k_sample *s, struct k_work work, const int *buffers, int count)
{
    if (work.items > 0) ex_step(call->plan, name, kernel, s, sizeof *s, work, buffers, count);
}

static void sample(const struct op_shape_call *call)
{
    const struct k_sample s = sample_of(call->problem);
    if (op_is_empty(op_argument_named(call->problem, "out")->tensor)) return;
    const int from = op_image_source(call, "input"), grid = op_image_source(call, "grid");
    const struct op_place to = op_image_target(call, "out");
    step(call, "sample", k_best()->sample, &s, k_sample_plan(&s),
         EX_BUFFERS(from, grid, to.buffer));
    op_image_deliver(call, &to, "out");
}

static void grad(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const aclBoolArray *mask = op_argument_named(problem, "outputMask")->bools;
    const struct k_sample s = sample_of(problem);
    const int from = op_image_source(call, "input"), grid = op_image_source(call, "grid");
    const int gradient = op_image_source(call, "gradOutput");
    if (mask->values[0] && !op_is_empty(op_argument_named(problem, "inputGrad")->tensor)) {
        const struct op_place to = op_image_target(call, "inputGrad");
        step(call, "sample_grad", k_best()->sample_grad, &s, k_sample_grad_plan(&s),
             EX_BUFFERS(gradient, grid, to.buffer));
        op_image_deliver(call, &to, "inputGrad");
    }
    if (mask->values[1] && !op_is_empty(op_argument_named(problem, "gridGrad")->tensor)) {
        const struct op_place to = op_image_target(call, "gridGrad");
        step(call, "sample_grid_grad", k_best()->sample_grid_grad, &s, k_sample_plan(&s),
             EX_BUFFERS(from, grid, to.buffer, gradient));
        op_image_deliver(call, &to, "gridGrad");
    }
}

static void affine_grid(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const aclIntArray *size = op_argument_named(problem, "size")->ints;
    const int axes = (int)size->size - 2;
    struct k_sample s = {.is_double = problem->type == ACL_DOUBLE,
                         .align_corners = op_integer_named(problem, "alignCorners", 0) != 0,
                         .axes = axes,
                         .batch = size->values[0],
                         .sizes = {1, 1, 1}};
    memcpy(s.sizes + K_SAMPLE_AXES - axes, size->values + 2, (size_t)axes * sizeof *size->values);
    if (op_is_empty(op_argument_named(problem, "out")->tensor)) return;
    const int theta = op_image_source(call, "theta");
    const struct op_place to = op_image_target(call, "out");
    step(call, "affine_grid", k_best()->affine_grid, &s, k_affine_grid_plan(&s),
         EX_BUFFERS(theta, to.buffer));
    op_image_deliver(call, &to, "out");
}

#define SAMPLE(axes_)                                                                              \
    const struct op_rule op_rule_sample##axes_ = {                                                 \
        .types = op_one_type,                                                                      \
        .shapes = sample_shapes,                                                                   \
        .more = &(const struct sample_rule){{sample}, axes_}};                                     \
    const struct op_rule op_rule_sample##axes_##_grad = {                                          \
        .types = grad_types,                                                                       \
        .shapes = grad_shapes,                                                                     \
        .runs_empty = true,                                                                        \
        .more = &(const struct sample_rule){{grad}, axes_}}
SAMPLE(2);
SAMPLE(3);

const struct op_rule op_rule_affine_grid = {.types = op_one_type,
                                            .shapes = affine_shapes,
                                            .more = &(const struct op_shape_rule){affine_grid}};
