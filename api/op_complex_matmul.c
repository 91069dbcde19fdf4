/* SPDX-License-Identifier: Apache-2.0 */
/* Products of complex matrices as four products of real ones. The parts of the factors are laid
 * out apart, those of the result put together at the end: what is written overlaps nothing that is
 * still to be read. */
#include <string.h>

#include "api/op_complex.h"
#include "api/op_families.h"
#include "api/op_matmul.h"
#include "api/op_product.h"

/* Real and imaginary parts, dense. */
struct parts {
    struct op_place part[2];
};

static struct parts make_parts(struct ex_plan *plan, aclDataType type, int rank,
                               const int64_t *sizes)
{
    return (struct parts){
        {op_scratch_place(plan, type, rank, sizes), op_scratch_place(plan, type, rank, sizes)}};
}

static struct parts split(struct ex_plan *plan, const struct op_place *whole)
{
    const struct parts apart = make_parts(plan, op_complex_part_type(whole->view.type),
                                          whole->view.rank, whole->view.sizes);
    for (int i = 0; i < 2; i++) {
        const struct op_view from = op_complex_part(&whole->view, i);
        op_copy_step(plan, whole->buffer, &from, apart.part[i].buffer, &apart.part[i].view);
    }
    return apart;
}

/* The place's elements times a number. A real one is left to the product: *real is what remains. */
static struct op_place scaled(struct ex_plan *plan, const struct op_place *place,
                              const double number[2], double *real)
{
    *real = number[0];
    if (number[1] == 0) return *place;
    *real = 1;
    const struct op_place factor = op_complex_number(plan, place->view.type, number);
    const struct op_place made = op_scratch_like(plan, &place->view);
    op_complex_multiply(plan, op_complex_part_type(place->view.type), place, &factor, &made);
    return made;
}

/* ---- views ---- */

static struct op_view with_axis(struct op_view view, int axis)
{
    for (int i = view.rank++; i > axis; i--) {
        view.sizes[i] = view.sizes[i - 1];
        view.strides[i] = view.strides[i - 1];
    }
    view.sizes[axis] = 1;
    view.strides[axis] = 0;
    return view;
}

/* What has no rows or no columns, because a factor is a vector, gets one. */
static struct op_view as_matrices(struct op_view view, bool has_rows, bool has_columns)
{
    if (!has_columns) view = with_axis(view, view.rank);
    return has_rows ? view : with_axis(view, view.rank - 1);
}

static struct op_view permuted(const struct op_view *view, const int order[3])
{
    struct op_view moved = *view;
    for (int i = 0; i < 3; i++) {
        moved.sizes[i] = view->sizes[order[i]];
        moved.strides[i] = view->strides[order[i]];
    }
    return moved;
}

/* A factor's parts as matrices of a batch. Where the batch is summed it is a part of the terms. */
static struct parts factor_of(struct ex_plan *plan, struct op_place place, bool is_left,
                              bool is_turned, bool is_summed)
{
    static const int rows_outside[] = {1, 0, 2};
    const int rank = place.view.rank;
    if (is_turned) place.view = op_view_swapped(place.view, rank - 2, rank - 1);
    if (rank == 1) place.view = as_matrices(place.view, !is_left, is_left);
    if (is_summed && is_left) place.view = permuted(&place.view, rows_outside);
    struct parts apart = split(plan, &place);
    const int64_t *sizes = place.view.sizes;
    for (int i = 0; i < 2 && is_summed; i++) {
        const int64_t matrix[] = {is_left ? sizes[0] : sizes[0] * sizes[1],
                                  is_left ? sizes[1] * sizes[2] : sizes[2]};
        apart.part[i].view = op_view_dense(apart.part[i].view.type, 2, matrix);
    }
    return apart;
}

/* ---- the product ---- */

struct product {
    struct ex_plan *plan;
    struct k_gemm gemm;
    struct parts a, b, c, addend;
    bool has_addend;
    double alpha, beta;
};

/* c[part] = by a[i] b[j] + the addend, or + c[part] */
static void multiply(struct product *p, int part, int i, int j, double by, bool is_first)
{
    const int c = p->c.part[part].buffer;
    struct k_gemm gemm = p->gemm;
    gemm.has_addend = !is_first || p->has_addend;
    gemm.alpha = by;
    gemm.beta = is_first ? p->beta : 1;
    if (!is_first) gemm.addend = gemm.c;
    op_product_step(p->plan, &gemm, p->a.part[i].buffer, p->b.part[j].buffer, c,
                    !gemm.has_addend ? -1
                    : is_first       ? p->addend.part[part].buffer
                                     : c);
}

static void multiply_parts(struct product *p)
{
    multiply(p, 0, 0, 0, p->alpha, true);
    multiply(p, 1, 0, 1, p->alpha, true);
    if (p->gemm.k == 0) return;
    multiply(p, 0, 1, 1, -p->alpha, false);
    multiply(p, 1, 1, 0, p->alpha, false);
}

static struct op_place place_of(const struct op_problem *problem, const int *buffers,
                                const struct op_value *value)
{
    return (struct op_place){buffers[value - problem->values], op_view_of(value->tensor)};
}

void op_plan_complex_matmul(struct ex_plan *plan, const struct op_problem *problem,
                            const int *buffers)
{
    const struct op_matmul_call call = op_matmul_call_of(problem);
    const bool has_rows = call.left->tensor->descriptor.rank > 1;
    const bool has_columns = call.right->tensor->descriptor.rank > 1;
    const bool is_summed = problem->row->core == OP_MATMUL_addbmm;
    const struct op_place to = place_of(problem, buffers, call.out);
    struct op_place left = place_of(problem, buffers, call.left);
    const struct op_place right = place_of(problem, buffers, call.right);
    struct product p = {.plan = plan,
                        .has_addend = call.addend && (call.beta[0] != 0 || call.beta[1] != 0)};
    if (op_view_is_empty(&to.view)) return;
    left = scaled(plan, &left, call.alpha, &p.alpha);
    p.a = factor_of(plan, left, true, call.left_transposed, is_summed);
    p.b = factor_of(plan, right, false, call.right_transposed, is_summed);
    p.c = make_parts(plan, op_complex_part_type(problem->type), problem->rank, problem->sizes);

    const struct op_view c = as_matrices(p.c.part[0].view, has_rows, has_columns);
    struct op_view a = p.a.part[0].view, b = p.b.part[0].view;
    int64_t sizes[EX_MAX_RANK];
    memcpy(sizes, c.sizes, sizeof sizes);
    sizes[c.rank - 1] = a.sizes[a.rank - 1];
    a = op_view_broadcast(&a, c.rank, sizes);
    sizes[c.rank - 1] = c.sizes[c.rank - 1];
    sizes[c.rank - 2] = b.sizes[b.rank - 2];
    b = op_view_broadcast(&b, c.rank, sizes);
    p.gemm = op_product(&a, &b, &c);
    if (p.has_addend) {
        struct op_place addend = place_of(problem, buffers, call.addend);
        addend = scaled(plan, &addend, call.beta, &p.beta);
        p.addend = split(plan, &addend);
        struct op_view wide =
            op_view_broadcast(&p.addend.part[0].view, problem->rank, problem->sizes);
        wide = as_matrices(wide, has_rows, has_columns);
        p.gemm.addend = op_product_matrix(&wide);
    }
    multiply_parts(&p);
    for (int i = 0; i < 2; i++) {
        const struct op_view part = op_complex_part(&to.view, i);
        op_copy_step(plan, p.c.part[i].buffer, &p.c.part[i].view, to.buffer, &part);
    }
}
