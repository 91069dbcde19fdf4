/* SPDX-License-Identifier: Apache-2.0 */
/* Complex numbers as pairs of real ones: the real part lies first. */
#ifndef ACLNN_CPU_API_OP_COMPLEX_H
#define ACLNN_CPU_API_OP_COMPLEX_H

#include "api/op_shape.h"

bool op_is_complex(aclDataType type);               /* COMPLEX64, COMPLEX128 */
aclDataType op_complex_part_type(aclDataType type); /* FLOAT, DOUBLE */

/* The real (0) or imaginary (1) parts of a view of complex numbers, as FLOAT or DOUBLE. */
struct op_view op_complex_part(const struct op_view *view, int part);

/* Steps that copy between two types of which one at least is complex, of the same shape. A real
 * number's imaginary part is 0; a complex one loses its own where it becomes real. The views share
 * no memory. */
void op_complex_cast(struct ex_plan *plan, int from, const struct op_view *from_view, int to,
                     const struct op_view *to_view);

/* One number of that type in scratch. value: its real and its imaginary part. */
struct op_place op_complex_number(struct ex_plan *plan, aclDataType type, const double value[2]);

/* A step that gives all elements, of any type, a scalar's value. */
void op_fill_scalar(struct ex_plan *plan, const struct op_place *to, const aclScalar *scalar);

/* A part of a place; a real number's imaginary part is 0, in scratch. */
struct op_place op_complex_place(struct ex_plan *plan, const struct op_place *place, int part);

/* A step: to = a b, which broadcast to its shape; a real factor's imaginary part is 0. type: of the
 * parts of what is made before it is stored, FLOAT or DOUBLE. */
void op_complex_multiply(struct ex_plan *plan, aclDataType type, const struct op_place *a,
                         const struct op_place *b, const struct op_place *to);

/* op_plan_elementwise where problem->type is complex; op_plan_reduce of products. */
op_row_plan op_plan_complex, op_plan_complex_product;

#endif
