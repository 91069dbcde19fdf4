/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise functions of complex numbers. What treats both parts alike is the core of real
 * numbers over tensors with an axis more, of the two parts; all others are cores whose operands are
 * parts. */
#include "api/op_complex.h"
#include "api/op_families.h"
#include "api/op_map.h"
#include "api/op_rule.h"
#include "kernels/complex/k_complex.h"

enum { OPERANDS = 3 };

/* How a core of real numbers is computed with complex ones. */
static const struct complex_core {
    enum k_core core;
    bool is_by_parts;
    unsigned char function; /* complex_function's number */
} complex_cores[K_CORES] = {
#define BY_PARTS(name, parts) [K_CORE_##name] = {K_CORE_##parts, true, 0}
#define IN_PAIRS(name)        [K_CORE_##name] = {K_CORE_complex_##name, false, 0}
#define FUNCTION(name)        [K_CORE_##name] = {K_CORE_complex_function, false, K_COMPLEX_##name}
    BY_PARTS(neg, neg),
    BY_PARTS(where, where),
    BY_PARTS(masked_choice, masked_choice),
    BY_PARTS(masked_fill, masked_choice),
    IN_PAIRS(add),
    IN_PAIRS(mul),
    IN_PAIRS(div),
    IN_PAIRS(sigmoid_grad),
    IN_PAIRS(eq),
    IN_PAIRS(ne),
    IN_PAIRS(abs),
    IN_PAIRS(sign),
    IN_PAIRS(pow),
    [K_CORE_real_angle] = {K_CORE_complex_angle, false, 0},
    [K_CORE_sub] = {K_CORE_complex_add, false, 0},
    [K_CORE_rsub] = {K_CORE_complex_add, false, 0},
    [K_CORE_reciprocal] = {K_CORE_complex_div, false, 0},
    [K_CORE_logical_and] = {K_CORE_complex_and, false, 0},
    [K_CORE_logical_or] = {K_CORE_complex_or, false, 0},
    [K_CORE_logical_xor] = {K_CORE_complex_xor, false, 0},
    [K_CORE_logical_not] = {K_CORE_complex_eq, false, 0},
    FUNCTION(exp),
    FUNCTION(exp2),
    FUNCTION(log),
    FUNCTION(log2),
    FUNCTION(log10),
    FUNCTION(sqrt),
    FUNCTION(rsqrt),
    FUNCTION(sigmoid),
    FUNCTION(sin),
    FUNCTION(cos),
    FUNCTION(tan),
    FUNCTION(asin),
    FUNCTION(acos),
    FUNCTION(atan),
    FUNCTION(sinh),
    FUNCTION(cosh),
    FUNCTION(tanh),
    FUNCTION(asinh),
    FUNCTION(acosh),
    FUNCTION(atanh),
};

/* What is about to be planned. */
struct complex_call {
    struct op_shape_call call;
    aclDataType type; /* of the parts */
    struct complex_core how;
    struct op_place operand[OPERANDS];
    int operands;
    double number[2]; /* alpha, or what the core takes */
};

/* ---- operands ---- */

static void add_number(struct complex_call *c, double real, double imaginary)
{
    c->operand[c->operands++] =
        op_complex_number(c->call.plan, c->call.problem->type, (const double[]){real, imaginary});
}

static void add_operands(struct complex_call *c)
{
    const struct op_problem *problem = c->call.problem;
    for (int i = 0; i < problem->count; i++) {
        const struct op_value *value = &problem->values[i];
        if (op_is_read(value))
            c->operand[c->operands++] = op_target(&c->call, i, 0);
        else if (op_is_scalar(value) && value->kind != OP_COEFFICIENT)
            add_number(c, op_scalar_real(value->scalar), op_scalar_imaginary(value->scalar));
    }
}

static void swap_operands(struct complex_call *c)
{
    const struct op_place first = c->operand[0];
    c->operand[0] = c->operand[1];
    c->operand[1] = first;
}

/* self + alpha other, self - alpha other, other - alpha self */
static void adjust_sum(struct complex_call *c)
{
    const enum k_core core = (enum k_core)c->call.problem->row->core;
    const double sign = core == K_CORE_add ? 1 : -1;
    if (core == K_CORE_rsub) swap_operands(c);
    if (c->number[0] == 1 && c->number[1] == 0)
        c->how = (struct complex_core){core == K_CORE_add ? K_CORE_add : K_CORE_sub, true, 0};
    c->number[0] *= c->how.is_by_parts ? 1 : sign;
    c->number[1] *= sign;
}

/* Some exponents that are scalars have a function of their own, as in PyTorch. */
static void adjust_power(struct complex_call *c)
{
    const struct op_value *exponent = op_argument_named(c->call.problem, "exponent");
    c->number[0] = 0;
    if (!exponent || !op_is_scalar(exponent)) return;
    const double power = op_scalar_real(exponent->scalar);
    c->number[0] = 1;
    if (op_scalar_imaginary(exponent->scalar) != 0) return;
    if (power == 2) {
        c->how.core = K_CORE_complex_mul;
        c->operand[1] = c->operand[0];
    } else if (power == 0.5) {
        c->how = complex_cores[K_CORE_sqrt];
        c->operands = 1;
    } else if (power == -1) {
        c->how.core = K_CORE_complex_div;
        c->operands = 1;
        add_number(c, 1, 0);
        swap_operands(c);
    }
}

static void adjust(struct complex_call *c)
{
    const struct op_value *coefficient = op_argument_of_kind(c->call.problem, OP_COEFFICIENT);
    if (coefficient) {
        c->number[0] = op_scalar_real(coefficient->scalar);
        c->number[1] = op_scalar_imaginary(coefficient->scalar);
    }
    switch (c->call.problem->row->core) {
    case K_CORE_add:
    case K_CORE_sub:
    case K_CORE_rsub:
        adjust_sum(c);
        break;
    case K_CORE_masked_fill:
        add_number(c, c->number[0], c->number[1]);
        break;
    case K_CORE_logical_not:
        add_number(c, 0, 0);
        break;
    case K_CORE_reciprocal:
        add_number(c, 1, 0);
        swap_operands(c);
        break;
    case K_CORE_pow:
        adjust_power(c);
        break;
    default:
        break;
    }
    if (c->how.core == K_CORE_complex_function) c->number[0] = c->how.function;
}

/* ---- steps ---- */

/* Real and imaginary parts as numbers of their own; a real number's imaginary part is 0. */
static struct op_place part_of(const struct complex_call *c, const struct op_place *place, int part)
{
    if (op_is_complex(place->view.type))
        return (struct op_place){place->buffer, op_complex_part(&place->view, part)};
    if (part == 0) return *place;
    const struct op_place zero = op_scratch_place(c->call.plan, c->type, 0, NULL);
    op_fill_place(c->call.plan, &zero, 0, 0);
    return zero;
}

static void plan_pairs(const struct complex_call *c, const struct op_place *target)
{
    const struct op_problem *problem = c->call.problem;
    const bool has_parts = k_core_results(c->how.core) == 2;
    struct op_place operand[2 * OPERANDS];
    struct op_map map;
    for (int i = 0; i < 2 * c->operands; i++)
        operand[i] = part_of(c, &c->operand[i / 2], i % 2);
    op_map_begin(&map, c->call.plan, c->how.core, c->type, problem->rank, problem->sizes);
    for (int part = 0; part <= has_parts; part++) {
        const struct op_place result = part_of(c, target, part);
        op_map_result(&map, &result);
    }
    for (int i = 0; i < 2 * c->operands; i++)
        op_map_operand(&map, &operand[i]);
    op_map_number(&map, c->number[0]);
    op_map_number(&map, c->number[1]);
    op_map_end(&map);
    if (has_parts || !op_is_complex(target->view.type)) return;
    const struct op_place imaginary = part_of(c, target, 1);
    op_fill_place(c->call.plan, &imaginary, 0, 0);
}

/* An axis more, of the parts: what is no complex number is the same for both. */
static struct op_place with_parts(const struct op_problem *problem, const struct op_place *place)
{
    const int last = problem->rank;
    struct op_view view = op_view_broadcast(&place->view, problem->rank, problem->sizes);
    const bool is_complex = op_is_complex(view.type);
    if (is_complex) view = op_complex_part(&view, 0);
    view.rank = last + 1;
    view.sizes[last] = 2;
    view.strides[last] = is_complex;
    return (struct op_place){place->buffer, view};
}

static bool is_selector(const struct op_problem *problem, int operand)
{
    return problem->row->rule->selectors >> operand & 1;
}

/* Whether one step does both parts. */
static bool takes_an_axis(const struct complex_call *c)
{
    if (c->call.problem->rank == EX_MAX_RANK) return false;
    for (int i = 0; i < c->operands; i++)
        if (!op_is_complex(c->operand[i].view.type) && !is_selector(c->call.problem, i))
            return false;
    return true;
}

static void plan_part(const struct complex_call *c, const struct op_place *target, int part)
{
    const struct op_problem *problem = c->call.problem;
    struct op_place place[OPERANDS];
    struct op_map map;
    for (int i = 0; i < c->operands; i++)
        place[i] = is_selector(problem, i) ? c->operand[i] : part_of(c, &c->operand[i], part);
    const struct op_place result = part_of(c, target, part);
    op_map_begin(&map, c->call.plan, c->how.core, c->type, problem->rank, problem->sizes);
    op_map_result(&map, &result);
    for (int i = 0; i < c->operands; i++)
        op_map_operand(&map, &place[i]);
    op_map_number(&map, 1);
    op_map_end(&map);
}

static void plan_by_parts(const struct complex_call *c, const struct op_place *target)
{
    const struct op_problem *problem = c->call.problem;
    struct op_map map;
    if (!takes_an_axis(c)) {
        plan_part(c, target, 0);
        plan_part(c, target, 1);
        return;
    }
    const struct op_place result = with_parts(problem, target);
    op_map_begin(&map, c->call.plan, c->how.core, c->type, result.view.rank, result.view.sizes);
    op_map_result(&map, &result);
    for (int i = 0; i < c->operands; i++) {
        const struct op_place operand = with_parts(problem, &c->operand[i]);
        op_map_operand(&map, &operand);
    }
    op_map_number(&map, 1);
    op_map_end(&map);
}

static void plan_real(const struct complex_call *c, const struct op_place *target)
{
    const struct op_place real = part_of(c, &c->operand[0], 0);
    op_copy_place(c->call.plan, &real, target);
}

void op_plan_complex(struct ex_plan *plan, const struct op_problem *problem, const int *buffers)
{
    const int written = (int)(op_written(problem, 0) - problem->values);
    struct complex_call c = {.call = {plan, problem, buffers},
                             .type = op_complex_part_type(problem->type),
                             .how = complex_cores[problem->row->core],
                             .number = {1, 0}};
    add_operands(&c);
    adjust(&c);
    const struct op_place target = op_map_target(&c.call, written);
    if (problem->row->core == K_CORE_copy)
        plan_real(&c, &target);
    else if (c.how.is_by_parts)
        plan_by_parts(&c, &target);
    else
        plan_pairs(&c, &target);
    op_deliver(&c.call, &target, written);
}

/* ---- rules ---- */

static aclDataType type_of(const aclTensor *tensor)
{
    return (aclDataType)tensor->descriptor.data_type;
}

static aclnnStatus check_result(const struct op_problem *problem, const aclTensor *out,
                                aclDataType wanted)
{
    OP_CHECK(problem->row->name, type_of(out) == wanted, ACLNN_ERR_PARAM_INVALID,
             "out's data type is %s; it must be %s", op_data_type_name(type_of(out)),
             op_data_type_name(wanted));
    return ACLNN_SUCCESS;
}

/* self, out: of complex numbers out has the type of their parts, else self's. */
static aclnnStatus real_types(struct op_problem *problem)
{
    const struct op_value *self = problem->tensor[0];
    if (!op_is_complex(type_of(self->tensor))) return op_types_same(problem);
    OP_TRY(op_check_type(problem->row->name, self->name, self->tensor, problem->row->types,
                         problem->row->type_names));
    problem->type = type_of(self->tensor);
    problem->result = op_complex_part_type(problem->type);
    return check_result(problem, problem->tensor[1]->tensor, problem->result);
}

const struct op_rule op_rule_same_or_part = {.types = real_types, .shapes = op_check_one_shape};

static aclnnStatus angle_types(struct op_problem *problem)
{
    OP_TRY(op_find_type(problem));
    if (op_is_complex(problem->type))
        return op_check_results(problem, op_complex_part_type(problem->type));
    if (!op_is_floating(problem->type)) problem->type = ACL_FLOAT;
    return op_check_results(problem, problem->type);
}

const struct op_rule op_rule_angle = {.types = angle_types, .shapes = op_check_broadcast};

/* Two real numbers, and the complex one that is made of them. */
static aclnnStatus complex_types(struct op_problem *problem)
{
    const struct op_value *first = problem->tensor[0], *second = problem->tensor[1];
    const char *name = problem->row->name;
    for (int i = 0; i < 2; i++)
        OP_TRY(op_check_type(name, problem->tensor[i]->name, problem->tensor[i]->tensor,
                             problem->row->types, problem->row->type_names));
    OP_TRY(op_check_same_type(name, second->name, second->tensor, first->name, first->tensor));
    problem->type = type_of(first->tensor);
    problem->result = problem->type == ACL_FLOAT ? ACL_COMPLEX64 : ACL_COMPLEX128;
    return check_result(problem, problem->tensor[2]->tensor, problem->result);
}

/* From the parts, or from magnitude and angle. */
static void plan_complex_of(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const struct op_place target = op_map_target(call, 2);
    struct op_map map;
    op_map_begin(&map, call->plan, (enum k_core)problem->row->core, problem->type, problem->rank,
                 problem->sizes);
    for (int part = 0; part < 2; part++) {
        const struct op_place made = {target.buffer, op_complex_part(&target.view, part)};
        op_map_result(&map, &made);
    }
    for (int i = 0; i < 2; i++)
        op_map_argument(&map, call, i);
    op_map_end(&map);
    op_deliver(call, &target, 2);
}

const struct op_rule op_rule_complex = {.types = complex_types,
                                        .shapes = op_check_broadcast,
                                        .more = &(const struct op_shape_rule){plan_complex_of}};
