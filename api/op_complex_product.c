/* SPDX-License-Identifier: Apache-2.0 */
/* Products of complex numbers: of two, and along axes. */
#include "api/op_complex.h"
#include "api/op_map.h"
#include "api/op_reduce.h"

struct op_place op_complex_place(struct ex_plan *plan, const struct op_place *place, int part)
{
    const aclDataType type = place->view.type;
    if (op_is_complex(type))
        return (struct op_place){place->buffer, op_complex_part(&place->view, part)};
    if (part == 0) return *place;
    const struct op_place zero = op_scratch_place(plan, type, 0, NULL);
    op_fill_place(plan, &zero, 0, 0);
    return zero;
}

void op_complex_multiply(struct ex_plan *plan, aclDataType type, const struct op_place *a,
                         const struct op_place *b, const struct op_place *to)
{
    struct op_place factor[4];
    struct op_map map;
    for (int i = 0; i < 4; i++)
        factor[i] = op_complex_place(plan, i < 2 ? a : b, i % 2);
    op_map_begin(&map, plan, K_CORE_complex_mul, type, to->view.rank, to->view.sizes);
    for (int part = 0; part < 2; part++)
        op_map_result(&map, &(const struct op_place){to->buffer, op_complex_part(&to->view, part)});
    for (int i = 0; i < 4; i++)
        op_map_operand(&map, &factor[i]);
    op_map_end(&map);
}

/* The kept axes before the reduced ones. */
static struct op_view kept_first(const struct op_view *view, unsigned axes, int64_t *count)
{
    struct op_view moved = *view;
    int place = 0;
    *count = 1;
    for (int reduced = 0; reduced < 2; reduced++)
        for (int i = 0; i < view->rank; i++) {
            if ((int)(axes >> i & 1) != reduced) continue;
            moved.sizes[place] = view->sizes[i];
            moved.strides[place++] = view->strides[i];
            *count *= reduced ? view->sizes[i] : 1;
        }
    return moved;
}

/* The first half of each row is multiplied by the last one, until one number is left. */
static void multiply_rows(struct ex_plan *plan, const struct op_place *rows, int64_t count)
{
    struct op_place first = *rows, last = *rows;
    for (int64_t left = count; left > 1; left -= left / 2) {
        const int64_t half = left / 2;
        struct op_map map;
        first.view.sizes[1] = last.view.sizes[1] = half;
        last.view.offset = left - half;
        op_map_begin(&map, plan, K_CORE_complex_mul, op_complex_part_type(rows->view.type), 2,
                     first.view.sizes);
        for (int i = 0; i < 6; i++) {
            const struct op_place *whole = i < 4 ? &first : &last;
            const struct op_place part = {whole->buffer, op_complex_part(&whole->view, i % 2)};
            if (i < 2)
                op_map_result(&map, &part);
            else
                op_map_operand(&map, &part);
        }
        op_map_end(&map);
    }
}

void op_plan_complex_product(struct ex_plan *plan, const struct op_problem *problem,
                             const int *buffers)
{
    const struct op_value *self = problem->tensor[0], *out = op_written(problem, 0);
    const struct op_view own = op_view_of(self->tensor), to = op_view_of(out->tensor);
    int64_t count;
    const struct op_view from = kept_first(&own, op_reduced_axes(problem), &count);
    const int target = buffers[out - problem->values];
    if (count == 0) {
        const struct op_place one = op_complex_number(plan, to.type, (const double[]){1, 0});
        const struct op_view all = op_view_broadcast(&one.view, to.rank, to.sizes);
        op_copy_step(plan, one.buffer, &all, target, &to);
        return;
    }
    const int64_t results = op_element_count(to.rank, to.sizes);
    const struct op_place copy = op_scratch_place(plan, problem->type, from.rank, from.sizes);
    op_copy_step(plan, buffers[self - problem->values], &from, copy.buffer, &copy.view);
    const struct op_place rows = {
        copy.buffer, op_view_dense(problem->type, 2, (const int64_t[]){results, count})};
    multiply_rows(plan, &rows, count);
    struct op_view made = op_view_dense(problem->type, to.rank, to.sizes);
    for (int i = 0; i < made.rank; i++)
        made.strides[i] *= count;
    op_copy_step(plan, copy.buffer, &made, target, &to);
}
