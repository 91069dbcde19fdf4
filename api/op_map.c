/* SPDX-License-Identifier: Apache-2.0 */
#include "api/op_map.h"

#include <assert.h>
#include <string.h>

#include "api/op_elementwise.h"
#include "api/op_families.h"
#include "kernels/kernels.h"
#include "kernels/reduce/k_reduce.h"

void op_plan_map(struct ex_plan *plan, const struct op_problem *problem, const int *buffers)
{
    const struct op_shape_rule *rule = problem->row->rule->more;
    rule->plan(&(const struct op_shape_call){plan, problem, buffers});
}

int op_given_argument(const struct op_problem *problem, const char *name)
{
    const struct op_value *value = op_argument_named(problem, name);
    return value && value->tensor ? (int)(value - problem->values) : -1;
}

struct op_place op_map_target(const struct op_shape_call *call, int argument)
{
    const struct op_problem *problem = call->problem;
    const struct op_place own = op_target(call, argument, 0);
    const struct ex_descriptor *to = &problem->values[argument].tensor->descriptor;
    for (int i = 0; i < problem->tensor_count; i++)
        if (op_is_read(problem->tensor[i]) &&
            op_disturbs(to, &problem->tensor[i]->tensor->descriptor))
            return op_scratch_like(call->plan, &own.view);
    return own;
}

/* ---- the step ---- */

void op_map_begin(struct op_map *map, struct ex_plan *plan, enum k_core core, aclDataType type,
                  int rank, const int64_t *sizes)
{
    memset(map, 0, sizeof *map);
    map->plan = plan;
    map->type = type;
    map->rank = map->e.loop.rank = rank;
    map->e.core = core;
    map->e.loop.compute = k_compute_of(op_k_dtype_of(type));
    for (int i = 0; i < rank; i++)
        map->sizes[i] = map->e.loop.sizes[i] = sizes[i];
}

static struct k_loop_operand *add(struct op_map *map, const struct op_place *place)
{
    const struct op_view view = op_view_broadcast(&place->view, map->rank, map->sizes);
    const int i = map->e.loop.results + map->e.loop.operands;
    struct k_loop_operand *operand = &map->e.loop.operand[i];
    map->buffer[i] = place->buffer;
    operand->dtype = operand->via = op_k_dtype_of(view.type);
    operand->offset = view.offset;
    for (int axis = 0; axis < map->rank; axis++)
        operand->strides[axis] = view.strides[axis];
    return operand;
}

void op_map_result(struct op_map *map, const struct op_place *to)
{
    struct k_loop_operand *operand = add(map, to);
    operand->via = op_k_dtype_of(map->type);
    if (operand->via == k_dtype_of(map->e.loop.compute)) operand->via = operand->dtype;
    map->e.loop.results++;
}

void op_map_operand(struct op_map *map, const struct op_place *from)
{
    add(map, from);
    map->e.loop.operands++;
    map->operands++;
}

void op_map_argument(struct op_map *map, const struct op_shape_call *call, int argument)
{
    const struct op_place from = op_target(call, argument, 0);
    op_map_operand(map, &from);
}

void op_map_constant(struct op_map *map, double number)
{
    map->e.constants |= 1U << map->operands++;
    op_map_number(map, number);
}

void op_map_number(struct op_map *map, double number)
{
    map->e.reals[map->numbers++] = number;
}

static bool has_elements(const struct op_map *map)
{
    return op_element_count(map->rank, map->sizes) > 0;
}

void op_map_end(struct op_map *map)
{
    struct k_elementwise *e = &map->e;
    assert(k_elementwise_has(e->core, e->loop.compute, e->constants));
    assert(e->loop.results == k_core_results(e->core) && map->operands == k_core_operands(e->core));
    if (!has_elements(map)) return;
    const struct k_work work = k_elementwise_finish(e);
    ex_step(map->plan, "elementwise", k_best()->elementwise, e, sizeof *e, work, map->buffer,
            e->loop.results + e->loop.operands);
}

void op_map_sum(struct op_map *map, double divisor, const struct op_place *to)
{
    struct k_elementwise *e = &map->e;
    assert(k_elementwise_has(e->core, e->loop.compute, e->constants));
    assert(e->loop.results == 0 && k_core_results(e->core) == 1);
    if (!has_elements(map)) {
        op_fill_place(map->plan, to, 0 / divisor, 0);
        return;
    }
    const struct k_work work = k_elementwise_finish(e);
    const struct op_place sums = op_scratch_place(map->plan, ACL_DOUBLE, 1, &work.items);
    struct op_place one = *to;
    map->buffer[e->loop.operands] = sums.buffer;
    ex_step(map->plan, "loss_sum", k_best()->loss_sum, e, sizeof *e, work, map->buffer,
            e->loop.operands + 1);
    one.view.rank = 0;
    op_sum_step(map->plan, &sums, 1, map->type, divisor, &one);
}

/* ---- sums along axes ---- */

static struct k_reduce sum_of(const struct op_view *from, unsigned axes, const struct op_view *to)
{
    const enum k_dtype dtype = op_k_dtype_of(from->type);
    struct k_reduce r = {.fold = K_FOLD_sum,
                         .compute = k_compute_of(dtype),
                         .from = dtype,
                         .via = dtype,
                         .to = op_k_dtype_of(to->type),
                         .has_value = true,
                         .index_type = K_I64,
                         .inner = 1};
    for (int axis = 0; axis < from->rank; axis++) {
        if (axes >> axis & 1) {
            r.reduced_sizes[r.reduced_rank] = from->sizes[axis];
            r.reduced_steps[r.reduced_rank++] = from->strides[axis];
            if (from->sizes[axis] != 1) r.inner = 1;
            continue;
        }
        r.inner *= from->sizes[axis];
        r.kept.sizes[r.kept.rank] = from->sizes[axis];
        r.kept.from[r.kept.rank] = from->strides[axis];
        r.kept.to[r.kept.rank] = to->strides[r.kept.rank];
        r.kept.rank++;
    }
    return r;
}

void op_sum_step(struct ex_plan *plan, const struct op_place *from, unsigned axes,
                 aclDataType result, double divisor, const struct op_place *to)
{
    struct k_reduce r = sum_of(&from->view, axes, &to->view), second;
    struct k_work work, second_work;
    assert(from->view.offset == 0 && to->view.offset == 0);
    r.result = op_k_dtype_of(result);
    r.finish = divisor == 1 ? K_FINISH_NONE : K_FINISH_DIVIDE;
    r.number = divisor;
    work = k_reduce_plan(&r);
    const int64_t parts = k_reduce_split(&r, &second, &work, &second_work);
    const int last = to->buffer;
    if (parts == 0) {
        ex_step(plan, "reduce", k_best()->reduce, &r, sizeof r, work,
                EX_BUFFERS(from->buffer, last, last, last));
        return;
    }
    const aclDataType type = r.compute == K_AS_F32   ? ACL_FLOAT
                             : r.compute == K_AS_F64 ? ACL_DOUBLE
                                                     : ACL_INT64;
    const struct op_place sums = op_scratch_place(plan, type, 1, &parts);
    ex_step(plan, "reduce", k_best()->reduce, &r, sizeof r, work,
            EX_BUFFERS(from->buffer, sums.buffer, sums.buffer, sums.buffer));
    ex_step(plan, "reduce", k_best()->reduce, &second, sizeof second, second_work,
            EX_BUFFERS(sums.buffer, last, last, last));
}
