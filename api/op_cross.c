/* SPDX-License-Identifier: Apache-2.0 */
/* Cross products: each of the three components is a difference of two products, which are made in
 * the type that is computed in and rounded once. Complex ones are made in double. */
#include "api/op_complex.h"
#include "api/op_families.h"
#include "api/op_map.h"
#include "kernels/kernels.h"

enum { SELF, OTHER, DIM, OUT };

static aclnnStatus cross_shapes(struct op_problem *problem)
{
    const aclTensor *self = problem->values[SELF].tensor, *other = problem->values[OTHER].tensor;
    int axis;
    OP_CHECK(problem->row->name, self->descriptor.rank == other->descriptor.rank,
             ACLNN_ERR_PARAM_INVALID, "self has %d dimensions, other %d", self->descriptor.rank,
             other->descriptor.rank);
    OP_TRY(op_check_broadcast(problem));
    OP_CHECK(problem->row->name, problem->rank > 0, ACLNN_ERR_PARAM_INVALID,
             "self has no dimension");
    OP_TRY(op_check_axis(problem, &problem->values[DIM], self, &axis));
    OP_CHECK(problem->row->name, problem->sizes[axis] == 3, ACLNN_ERR_PARAM_INVALID,
             "dimension %d is %" PRId64 "; it must be 3", axis, problem->sizes[axis]);
    return ACLNN_SUCCESS;
}

static void lay_out(struct k_loop_operand *operand, const struct op_view *view)
{
    operand->dtype = operand->via = op_k_dtype_of(view->type);
    operand->offset = view->offset;
    for (int i = 0; i < view->rank; i++)
        operand->strides[i] = view->strides[i];
}

/* places[0] = core of the others. */
static void add_step(struct ex_plan *plan, enum k_core core, const struct op_place *places,
                     int operands)
{
    const struct op_view *to = &places[0].view;
    struct k_elementwise e = {
        .core = core,
        .reals = {-1},
        .integers = {-1},
        .loop = {.results = 1,
                 .operands = operands,
                 .rank = to->rank,
                 .compute = k_compute_of(op_k_dtype_of(places[operands].view.type))}};
    int buffers[4];
    for (int i = 0; i < to->rank; i++)
        e.loop.sizes[i] = to->sizes[i];
    for (int i = 0; i <= operands; i++) {
        lay_out(&e.loop.operand[i], &places[i].view);
        buffers[i] = places[i].buffer;
    }
    const struct k_work work = k_elementwise_finish(&e);
    ex_step(plan, "elementwise", k_best()->elementwise, &e, sizeof e, work, buffers, operands + 1);
}

static struct op_place component(const struct op_place *place, int axis, int i)
{
    return (struct op_place){place->buffer, op_view_part(&place->view, axis, i, 1, 1)};
}

/* to = first - second */
static void subtract(struct ex_plan *plan, const struct op_place *first,
                     const struct op_place *second, const struct op_place *to)
{
    for (int part = 0; part < 2; part++) {
        struct op_map map;
        op_map_begin(&map, plan, K_CORE_sub, ACL_DOUBLE, to->view.rank, to->view.sizes);
        op_map_result(&map, &(const struct op_place){to->buffer, op_complex_part(&to->view, part)});
        op_map_operand(
            &map, &(const struct op_place){first->buffer, op_complex_part(&first->view, part)});
        op_map_operand(
            &map, &(const struct op_place){second->buffer, op_complex_part(&second->view, part)});
        op_map_number(&map, 1);
        op_map_end(&map);
    }
}

static void complex_component(const struct op_shape_call *call, const struct op_place *a,
                              const struct op_place *b, int axis, int i, const struct op_place *out)
{
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const struct op_place to = component(out, axis, i);
    struct op_place product[2];
    for (int other = 0; other < 2; other++) {
        const struct op_place left = component(a, axis, other ? k : j),
                              right = component(b, axis, other ? j : k);
        product[other] = op_scratch_place(call->plan, ACL_COMPLEX128, to.view.rank, to.view.sizes);
        op_complex_multiply(call->plan, ACL_DOUBLE, &left, &right, &product[other]);
    }
    subtract(call->plan, &product[0], &product[1], &to);
}

static void cross(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    struct op_place a = op_source(call, SELF, 0), b = op_source(call, OTHER, 0);
    const struct op_place out = op_target(call, OUT, 0);
    const aclDataType wide =
        problem->type == ACL_FLOAT16 || problem->type == ACL_BF16 ? ACL_FLOAT : problem->type;
    int axis;
    op_find_axis(problem->values[DIM].integer, problem->rank, &axis);
    a.view = op_view_broadcast(&a.view, problem->rank, problem->sizes);
    b.view = op_view_broadcast(&b.view, problem->rank, problem->sizes);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        if (op_is_complex(problem->type)) {
            complex_component(call, &a, &b, axis, i, &out);
            continue;
        }
        const struct op_place to = component(&out, axis, i);
        const struct op_place product =
            op_scratch_place(call->plan, wide, to.view.rank, to.view.sizes);
        add_step(call->plan, K_CORE_mul,
                 (const struct op_place[]){product, component(&a, axis, j), component(&b, axis, k)},
                 2);
        add_step(
            call->plan, K_CORE_addcmul,
            (const struct op_place[]){to, product, component(&a, axis, k), component(&b, axis, j)},
            3);
    }
}

const struct op_rule op_rule_cross = {
    .types = op_one_type,
    .shapes = cross_shapes,
    .more = &(const struct op_shape_rule){cross},
};
