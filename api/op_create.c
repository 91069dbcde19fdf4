/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors made from numbers, triangles. */
#include <math.h>

#include "api/op_families.h"
#include "api/op_shape.h"
#include "executor/steps.h"
#include "kernels/shape/k_shape.h"

static int out_of(const struct op_problem *problem)
{
    return problem->count - 1;
}

static const aclTensor *tensor_of(const struct op_problem *problem, int argument)
{
    return problem->values[argument].tensor;
}

/* ---- sequences ---- */

static bool is_whole(const struct op_value *value)
{
    return !op_is_floating(value->scalar->data_type);
}

/* Whether the numbers are counted in integers: out is of integers, or all three are. */
static bool counts_whole(const struct op_problem *problem)
{
    return !op_is_floating((aclDataType)tensor_of(problem, 3)->descriptor.data_type) ||
           (is_whole(&problem->values[0]) && is_whole(&problem->values[1]) &&
            is_whole(&problem->values[2]));
}

static aclnnStatus check_finite(const struct op_problem *problem, int argument)
{
    const struct op_value *value = &problem->values[argument];
    OP_CHECK(problem->row->name, isfinite(op_scalar_real(value->scalar)), ACLNN_ERR_PARAM_INVALID,
             "%s is %g; it must be finite", value->name, op_scalar_real(value->scalar));
    return ACLNN_SUCCESS;
}

/* How many numbers lie in [start, end), or [start, end]; -1: more than can be counted. */
static int64_t numbers_of(const struct op_problem *problem, bool takes_end)
{
    const aclScalar *start = problem->values[0].scalar, *end = problem->values[1].scalar;
    const aclScalar *step = problem->values[2].scalar;
    if (is_whole(&problem->values[0]) && is_whole(&problem->values[1]) &&
        is_whole(&problem->values[2])) {
        int64_t distance, by = op_scalar_integer(step);
        if (__builtin_sub_overflow(op_scalar_integer(end), op_scalar_integer(start), &distance))
            return -1;
        if (by == -1 && distance == INT64_MIN) return -1;
        const int64_t whole = distance / by;
        return whole + (takes_end || distance % by != 0);
    }
    const double count = (op_scalar_real(end) - op_scalar_real(start)) / op_scalar_real(step);
    if (!(count < 0x1p62)) return -1;
    return takes_end ? (int64_t)floor(count) + 1 : (int64_t)ceil(count);
}

static aclnnStatus check_count(const struct op_problem *problem, const struct op_value *out,
                               int64_t count)
{
    struct op_shape_text text;
    OP_CHECK(problem->row->name,
             op_element_count(out->tensor->descriptor.rank, out->tensor->descriptor.sizes) == count,
             ACLNN_ERR_PARAM_INVALID,
             "out's shape is %s; it must have as many elements as there are numbers, %" PRId64,
             op_shape(&text, out->tensor), count);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_numbers(struct op_problem *problem, bool takes_end)
{
    const struct op_value *out = &problem->values[3];
    for (int i = 0; i < 3; i++)
        OP_TRY(check_finite(problem, i));
    const double start = op_scalar_real(problem->values[0].scalar);
    const double end = op_scalar_real(problem->values[1].scalar);
    const double step = op_scalar_real(problem->values[2].scalar);
    OP_CHECK(problem->row->name, step != 0, ACLNN_ERR_PARAM_INVALID,
             "step is 0; it must be another number");
    OP_CHECK(problem->row->name,
             !counts_whole(problem) || op_scalar_integer(problem->values[2].scalar) != 0,
             ACLNN_ERR_PARAM_INVALID, "step is %g, which is 0 among integers", step);
    OP_CHECK(problem->row->name, step > 0 ? start <= end : start >= end, ACLNN_ERR_PARAM_INVALID,
             "start is %g and end %g; step, %g, leads away from it", start, end, step);
    const int64_t count = numbers_of(problem, takes_end);
    OP_CHECK(problem->row->name, count >= 0, ACLNN_ERR_PARAM_INVALID,
             "start is %g, end %g, step %g: more numbers than can be counted", start, end, step);
    return check_count(problem, out, count);
}

static aclnnStatus arange_shapes(struct op_problem *problem)
{
    return check_numbers(problem, false);
}

static aclnnStatus range_shapes(struct op_problem *problem)
{
    return check_numbers(problem, true);
}

/* Makes the numbers in out if it is dense and of a type that they are made in, else in scratch. */
static void make_ramp(const struct op_shape_call *call, struct k_ramp *ramp)
{
    const int out = out_of(call->problem);
    const struct op_place target = op_target(call, out, 0);
    const bool is_whole = ramp->kind == K_RAMP_INTEGERS;
    const enum k_dtype own = op_k_dtype_of(target.view.type);
    const bool is_made = is_whole ? own == K_I32 || own == K_I64 : own == K_F32 || own == K_F64;
    struct op_place made = target;
    if (op_view_is_empty(&target.view)) return;
    ramp->count = op_element_count(target.view.rank, target.view.sizes);
    if (!is_made || !op_view_is_dense(&target.view)) {
        made.view = op_view_dense(is_made    ? target.view.type
                                  : is_whole ? ACL_INT64
                                             : ACL_DOUBLE,
                                  target.view.rank, target.view.sizes);
        made.buffer =
            ex_scratch(call->plan, (size_t)ramp->count * ex_element_size((int32_t)made.view.type));
    }
    ramp->dtype = op_k_dtype_of(made.view.type);
    ex_step(call->plan, "ramp", k_ramp, ramp, sizeof *ramp, k_ramp_work(ramp),
            EX_BUFFERS(made.buffer));
    if (made.buffer != target.buffer) op_copy_place(call->plan, &made, &target);
}

static void arange(const struct op_shape_call *call)
{
    const struct op_value *values = call->problem->values;
    struct k_ramp ramp = {.kind = counts_whole(call->problem) ? K_RAMP_INTEGERS : K_RAMP_REALS,
                          .first = op_scalar_real(values[0].scalar),
                          .step = op_scalar_real(values[2].scalar),
                          .first_integer = op_scalar_integer(values[0].scalar),
                          .step_integer = op_scalar_integer(values[2].scalar)};
    make_ramp(call, &ramp);
}

static aclnnStatus steps_shapes(struct op_problem *problem)
{
    const struct op_value *steps = &problem->values[2];
    OP_CHECK(problem->row->name, steps->integer >= 0, ACLNN_ERR_PARAM_INVALID,
             "steps is %" PRId64 "; it must not be negative", steps->integer);
    return check_count(problem, &problem->values[out_of(problem)], steps->integer);
}

/* In double; of integers the ends are cut first. */
static struct k_ramp between_ends(const struct op_problem *problem)
{
    const aclScalar *start = problem->values[0].scalar, *end = problem->values[1].scalar;
    const int64_t steps = problem->values[2].integer;
    struct k_ramp ramp = {
        .kind = K_RAMP_ENDS, .first = op_scalar_real(start), .last = op_scalar_real(end)};
    if (!op_is_floating((aclDataType)tensor_of(problem, out_of(problem))->descriptor.data_type)) {
        ramp.first = (double)op_scalar_integer(start);
        ramp.last = (double)op_scalar_integer(end);
    }
    if (steps == 1) ramp.last = ramp.first;
    if (steps > 1) ramp.step = (ramp.last - ramp.first) / (double)(steps - 1);
    return ramp;
}

static void linspace(const struct op_shape_call *call)
{
    struct k_ramp ramp = between_ends(call->problem);
    make_ramp(call, &ramp);
}

static void log_space(const struct op_shape_call *call)
{
    struct k_ramp ramp = between_ends(call->problem);
    ramp.kind = K_RAMP_POWERS;
    ramp.base = call->problem->values[3].real;
    make_ramp(call, &ramp);
}

/* ---- triangles ---- */

static aclnnStatus triangle_shapes(struct op_problem *problem)
{
    const aclTensor *self = tensor_of(problem, 0);
    OP_TRY(op_check_rank(problem->row->name, problem->values[0].name, self, 2, EX_MAX_RANK));
    return op_check_one_shape(problem);
}

static void add_triangle(const struct op_shape_call *call, bool is_upper)
{
    const bool is_in_place = call->problem->count == 2;
    if (op_is_empty(tensor_of(call->problem, 0))) return;
    const struct op_place target = op_target(call, is_in_place ? 0 : 2, 0);
    const struct op_place source = is_in_place ? target : op_source(call, 0, 0);
    struct k_triangle triangle = {.rank = target.view.rank,
                                  .element_size = (int)ex_element_size((int32_t)target.view.type),
                                  .is_upper = is_upper,
                                  .is_in_place = is_in_place};
    const int64_t diagonal = call->problem->values[1].integer, far = INT64_MAX / 2;
    triangle.diagonal = diagonal > far ? far : diagonal < -far ? -far : diagonal;
    for (int i = 0; i < triangle.rank; i++) {
        triangle.sizes[i] = target.view.sizes[i];
        triangle.from_strides[i] = source.view.strides[i];
        triangle.to_strides[i] = target.view.strides[i];
    }
    ex_step(call->plan, "triangle", k_triangle, &triangle, sizeof triangle,
            k_triangle_work(&triangle), EX_BUFFERS(source.buffer, target.buffer));
}

static void tril(const struct op_shape_call *call)
{
    add_triangle(call, false);
}

static void triu(const struct op_shape_call *call)
{
    add_triangle(call, true);
}

#define RULE(name, checks, steps)                                                                  \
    const struct op_rule op_rule_##name = {.types = op_one_type,                                   \
                                           .shapes = checks,                                       \
                                           .runs_empty = true,                                     \
                                           .more = &(const struct op_shape_rule){steps}}
RULE(arange, arange_shapes, arange);
RULE(range, range_shapes, arange);
RULE(linspace, steps_shapes, linspace);
RULE(log_space, steps_shapes, log_space);
RULE(tril, triangle_shapes, tril);
RULE(triu, triangle_shapes, triu);
