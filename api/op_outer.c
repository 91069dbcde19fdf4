/* SPDX-License-Identifier: Apache-2.0 */
/* Outer products of two vectors, of integers and complex numbers too: each element is one product,
 * added to one of a tensor that broadcasts. */
#include "api/op_complex.h"
#include "api/op_families.h"
#include "api/op_map.h"
#include "api/op_rule.h"

static bool has_addend(const struct op_problem *problem)
{
    return op_argument_named(problem, "vec1") != NULL;
}

static aclnnStatus check_addend(const struct op_problem *problem)
{
    const struct op_value *self = &problem->values[0];
    const struct ex_descriptor *d = &self->tensor->descriptor;
    struct op_shape_text text;
    bool fits = d->rank <= 2;
    for (int i = 1; fits && i <= d->rank; i++)
        fits = d->sizes[d->rank - i] == 1 || d->sizes[d->rank - i] == problem->sizes[2 - i];
    OP_CHECK(problem->row->name, fits, ACLNN_ERR_PARAM_INVALID,
             "%s's shape is %s; it does not broadcast to the product's, (%" PRId64 ", %" PRId64 ")",
             self->name, op_shape(&text, self->tensor), problem->sizes[0], problem->sizes[1]);
    return ACLNN_SUCCESS;
}

static aclnnStatus outer_shapes(struct op_problem *problem)
{
    const int first = has_addend(problem);
    const struct op_value *out = op_written(problem, 0);
    problem->rank = 2;
    for (int i = 0; i < 2; i++) {
        const struct op_value *vector = &problem->values[first + i];
        OP_TRY(op_check_rank(problem->row->name, vector->name, vector->tensor, 1, 1));
        problem->sizes[i] = vector->tensor->descriptor.sizes[0];
    }
    OP_TRY(op_check_shape(problem, out, out->tensor, 2, problem->sizes));
    return first ? check_addend(problem) : ACLNN_SUCCESS;
}

/* A vector as a column. */
static struct op_place column_of(struct op_place vector)
{
    vector.view.rank = 2;
    vector.view.sizes[1] = 1;
    vector.view.strides[1] = 0;
    return vector;
}

/* What is computed in: half types in FLOAT. */
static aclDataType wide_type(const struct op_problem *problem)
{
    const aclDataType type = problem->type;
    return type == ACL_FLOAT16 || type == ACL_BF16 ? ACL_FLOAT : type;
}

/* A factor of the sum. */
struct number {
    double real;
    int64_t whole;
};

static struct number number_named(const struct op_problem *problem, const char *name)
{
    const aclScalar *scalar = op_argument_named(problem, name)->scalar;
    if (problem->type == ACL_BOOL) {
        const bool is_set = op_scalar_real(scalar) != 0;
        return (struct number){is_set, is_set};
    }
    return (struct number){op_scalar_real(scalar), op_scalar_integer(scalar)};
}

static bool equals(const struct op_problem *problem, struct number number, int value)
{
    return op_is_floating(problem->type) ? number.real == value : number.whole == value;
}

static void set_number(struct op_map *map, struct number number)
{
    map->e.integers[map->numbers] = number.whole;
    op_map_number(map, number.real);
}

/* Scratch that holds the place's elements times a number. */
static struct op_place scaled(const struct op_shape_call *call, const struct op_place *place,
                              struct number number)
{
    const struct op_place to =
        op_scratch_place(call->plan, wide_type(call->problem), place->view.rank, place->view.sizes);
    struct op_map map;
    op_map_begin(&map, call->plan, K_CORE_mul, to.view.type, to.view.rank, to.view.sizes);
    op_map_result(&map, &to);
    op_map_operand(&map, place);
    op_map_constant(&map, number.real);
    map.e.integers[0] = number.whole;
    op_map_end(&map);
    return to;
}

static void multiply(const struct op_shape_call *call, const struct op_place *column,
                     const struct op_place *row, const struct op_place *to)
{
    const struct op_problem *problem = call->problem;
    struct op_map map;
    if (op_is_complex(problem->type)) {
        op_complex_multiply(call->plan, op_complex_part_type(problem->type), column, row, to);
        return;
    }
    op_map_begin(&map, call->plan, K_CORE_mul, wide_type(problem), 2, problem->sizes);
    op_map_result(&map, to);
    op_map_operand(&map, column);
    op_map_operand(&map, row);
    op_map_end(&map);
}

/* ---- complex numbers ---- */

/* Scratch that holds a times b. */
static struct op_place product_of(struct ex_plan *plan, const struct op_place *a,
                                  const struct op_place *b, int rank, const int64_t *sizes)
{
    const struct op_place made = op_scratch_place(plan, a->view.type, rank, sizes);
    op_complex_multiply(plan, op_complex_part_type(a->view.type), a, b, &made);
    return made;
}

static struct op_place number_place(const struct op_shape_call *call, const char *name)
{
    const aclScalar *scalar = op_argument_named(call->problem, name)->scalar;
    const double value[] = {op_scalar_real(scalar), op_scalar_imaginary(scalar)};
    return op_complex_number(call->plan, call->problem->type, value);
}

/* Operands may be real: they are complex once they are multiplied. */
static struct op_place complex_times(const struct op_shape_call *call, const struct op_place *place,
                                     const char *name)
{
    const struct op_place number = number_place(call, name);
    return product_of(call->plan, &number, place, place->view.rank, place->view.sizes);
}

static void complex_multiply_and_add(const struct op_shape_call *call,
                                     const struct op_place *column, const struct op_place *row,
                                     const struct op_place *to)
{
    const struct op_problem *problem = call->problem;
    const aclScalar *beta = op_argument_named(problem, "betaOptional")->scalar;
    const aclDataType part_type = op_complex_part_type(problem->type);
    const struct op_place self = op_target(call, 0, 0);
    const struct op_place scaled_column = complex_times(call, column, "alphaOptional");
    struct op_map map;
    if (op_scalar_real(beta) == 0 && op_scalar_imaginary(beta) == 0) {
        op_complex_multiply(call->plan, part_type, &scaled_column, row, to);
        return;
    }
    const struct op_place addend = complex_times(call, &self, "betaOptional");
    const struct op_place product = product_of(call->plan, &scaled_column, row, 2, problem->sizes);
    for (int part = 0; part < 2; part++) {
        const struct op_place places[] = {
            {to->buffer, op_complex_part(&to->view, part)},
            {addend.buffer, op_complex_part(&addend.view, part)},
            {product.buffer, op_complex_part(&product.view, part)},
        };
        op_map_begin(&map, call->plan, K_CORE_add, part_type, 2, problem->sizes);
        op_map_result(&map, &places[0]);
        op_map_operand(&map, &places[1]);
        op_map_operand(&map, &places[2]);
        op_map_number(&map, 1);
        op_map_end(&map);
    }
}

static void multiply_and_add(const struct op_shape_call *call, const struct op_place *column,
                             const struct op_place *row, const struct op_place *to)
{
    const struct op_problem *problem = call->problem;
    const struct number alpha = number_named(problem, "alphaOptional");
    const struct number beta = number_named(problem, "betaOptional");
    struct op_place self = op_target(call, 0, 0);
    struct op_map map;
    if (equals(problem, beta, 0)) {
        const struct op_place product = scaled(call, column, alpha);
        multiply(call, &product, row, to);
        return;
    }
    if (!equals(problem, beta, 1)) self = scaled(call, &self, beta);
    op_map_begin(&map, call->plan, K_CORE_addcmul, wide_type(problem), 2, problem->sizes);
    op_map_result(&map, to);
    op_map_operand(&map, &self);
    op_map_operand(&map, column);
    op_map_operand(&map, row);
    set_number(&map, alpha);
    op_map_end(&map);
}

static void outer(const struct op_shape_call *call)
{
    const int first = has_addend(call->problem);
    const int out = (int)(op_written(call->problem, 0) - call->problem->values);
    const struct op_place column = column_of(op_target(call, first, 0));
    const struct op_place row = op_target(call, first + 1, 0), to = op_map_target(call, out);
    if (first && op_is_complex(call->problem->type))
        complex_multiply_and_add(call, &column, &row, &to);
    else if (first)
        multiply_and_add(call, &column, &row, &to);
    else
        multiply(call, &column, &row, &to);
    op_deliver(call, &to, out);
}

const struct op_rule op_rule_outer = {
    .types = op_types_promoted,
    .shapes = outer_shapes,
    .more = &(const struct op_shape_rule){outer},
};
