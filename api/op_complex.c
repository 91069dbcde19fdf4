/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of complex numbers; casts and fills. */
#include "api/op_complex.h"

#include "api/op_elementwise.h"
#include "api/op_families.h"
#include "api/op_rule.h"
#include "api/op_shape.h"

bool op_is_complex(aclDataType type)
{
    return type == ACL_COMPLEX64 || type == ACL_COMPLEX128;
}

aclDataType op_complex_part_type(aclDataType type)
{
    return type == ACL_COMPLEX64 ? ACL_FLOAT : ACL_DOUBLE;
}

struct op_view op_complex_part(const struct op_view *view, int part)
{
    struct op_view parts = *view;
    parts.type = op_complex_part_type(view->type);
    parts.offset = 2 * view->offset + part;
    for (int i = 0; i < view->rank; i++)
        parts.strides[i] = 2 * view->strides[i];
    return parts;
}

void op_complex_cast(struct ex_plan *plan, int from, const struct op_view *from_view, int to,
                     const struct op_view *to_view)
{
    const bool is_read = op_is_complex(from_view->type), is_made = op_is_complex(to_view->type);
    for (int part = 0; part <= is_made; part++) {
        const struct op_view source = is_read ? op_complex_part(from_view, part) : *from_view;
        const struct op_view target = is_made ? op_complex_part(to_view, part) : *to_view;
        if (part == 1 && !is_read)
            op_fill_place(plan, &(const struct op_place){to, target}, 0, 0);
        else
            op_copy_step(plan, from, &source, to, &target);
    }
}

struct op_place op_complex_number(struct ex_plan *plan, aclDataType type, const double value[2])
{
    const struct op_place one = op_scratch_place(plan, type, 0, NULL);
    for (int part = 0; part < 2; part++)
        op_fill_place(plan, &(const struct op_place){one.buffer, op_complex_part(&one.view, part)},
                      value[part], 0);
    return one;
}

/* One element that has the value, then copies of it. */
static void fill(struct ex_plan *plan, const struct op_place *to, const double value[2])
{
    const struct op_place one = op_complex_number(plan, to->view.type, value);
    const struct op_view all = op_view_broadcast(&one.view, to->view.rank, to->view.sizes);
    op_copy_step(plan, one.buffer, &all, to->buffer, &to->view);
}

void op_fill_scalar(struct ex_plan *plan, const struct op_place *to, const aclScalar *scalar)
{
    const double value[] = {op_scalar_real(scalar), op_scalar_imaginary(scalar)};
    if (to->buffer < 0 || op_view_is_empty(&to->view)) return;
    if (op_is_complex(to->view.type))
        fill(plan, to, value);
    else
        op_fill_place(plan, to, value[0], op_scalar_integer(scalar));
}

void op_plan_fill(struct ex_plan *plan, const struct op_problem *problem, const int *buffers)
{
    const struct op_elementwise *more = problem->row->rule->more;
    const struct op_value *scalar = op_argument_of_kind(problem, OP_SCALAR);
    struct k_elementwise e = {.reals = {0}};
    double value[2] = {0};
    if (!op_is_complex(problem->type)) {
        op_plan_elementwise(plan, problem, buffers);
        return;
    }
    if (more) {
        more->adjust(problem, &e);
        value[0] = e.reals[0];
    } else if (scalar) {
        value[0] = op_scalar_real(scalar->scalar);
        value[1] = op_scalar_imaginary(scalar->scalar);
    }
    fill(plan, &(const struct op_place){buffers[0], op_view_of(problem->values[0].tensor)}, value);
}
