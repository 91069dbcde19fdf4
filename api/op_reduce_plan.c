/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of reductions, scans and selections. Operands are read as they lie. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "api/op_complex.h"
#include "api/op_copy.h"
#include "api/op_elementwise.h"
#include "api/op_families.h"
#include "api/op_rule.h"
#include "kernels/reduce/k_reduce.h"

/* ---- the call ---- */

/* A result: where it goes and its steps along the kept axes. */
struct target {
    int buffer, argument; /* buffer: the argument's, or scratch */
    enum k_dtype dtype;
    int64_t steps[EX_MAX_RANK];
    const aclTensor *tensor;
    bool is_scratch;
};

struct call {
    struct ex_plan *plan;
    const struct op_problem *problem;
    const struct ex_descriptor *self;
    enum k_dtype dtype; /* self's, or its parts' */
    bool has_parts;     /* the last kept axis is of the parts of complex numbers */
    int from;
    int kept, reduced; /* how many axes */
    int64_t sizes[EX_MAX_RANK], steps[EX_MAX_RANK];
    int64_t reduced_sizes[EX_MAX_RANK], reduced_steps[EX_MAX_RANK];
    int64_t results, count, inner; /* inner: results behind the last reduced axis */
    struct target target[2];
};

/* The kept axes are axes of the result, in its order, those of one element of reduced ones left
 * out. */
static void find_axes(struct call *call)
{
    const unsigned axes = op_reduced_axes(call->problem);
    call->kept = call->reduced = 0;
    call->results = call->count = call->inner = 1;
    for (int i = 0; i < call->self->rank; i++) {
        const int64_t size = call->self->sizes[i], step = call->self->strides[i];
        if (axes >> i & 1) {
            call->reduced_sizes[call->reduced] = size;
            call->reduced_steps[call->reduced++] = step;
            call->count *= size;
            if (size != 1) call->inner = 1;
        } else {
            call->inner *= size;
            call->sizes[call->kept] = size;
            call->steps[call->kept++] = step;
            call->results *= size;
        }
    }
}

/* The sum along the diagonal. */
static void find_diagonal(struct call *call)
{
    const int64_t rows = call->self->sizes[0], columns = call->self->sizes[1];
    call->kept = 0;
    call->reduced = 1;
    call->results = call->inner = 1;
    call->count = call->reduced_sizes[0] = rows < columns ? rows : columns;
    call->reduced_steps[0] = call->count > 1 ? call->self->strides[0] + call->self->strides[1] : 0;
}

static void find_target(struct call *call, int i, const int *buffers)
{
    const struct op_problem *problem = call->problem;
    const struct op_value *value = op_written(problem, i);
    struct target *target = &call->target[i];
    *target = (struct target){.buffer = -1};
    if (!value) return;
    const struct ex_descriptor *d = &value->tensor->descriptor;
    const unsigned axes = op_reduced_axes(problem);
    const bool keeps = op_keeps_axes(problem), is_scan = problem->row->core >= OP_REDUCE_cumsum;
    target->tensor = value->tensor;
    target->argument = (int)(value - problem->values);
    target->buffer = buffers[target->argument];
    target->dtype = op_k_dtype(value->tensor);
    target->is_scratch = op_disturbs(d, call->self);
    int64_t dense = 1;
    int kept = is_scan ? call->self->rank : call->kept;
    for (int axis = call->self->rank - 1, place = d->rank - 1; axis >= 0; axis--) {
        if (!is_scan && (axes >> axis & 1)) {
            place -= keeps;
            continue;
        }
        target->steps[--kept] = target->is_scratch ? dense : d->strides[place];
        dense *= call->self->sizes[axis];
        place--;
    }
    if (target->is_scratch)
        target->buffer = ex_scratch(call->plan, (size_t)dense * ex_element_size(d->data_type));
}

/* Complex numbers, where both parts are treated alike: an axis more, of the two. */
static void split_parts(struct call *call)
{
    struct target *target = &call->target[0];
    const bool is_scan = call->problem->row->core >= OP_REDUCE_cumsum;
    for (int i = 0; i < (is_scan ? call->self->rank : call->kept); i++)
        target->steps[i] *= 2;
    for (int i = 0; i < call->reduced; i++)
        call->reduced_steps[i] *= 2;
    for (int i = 0; i < call->kept; i++)
        call->steps[i] *= 2;
    call->has_parts = true;
    call->dtype = op_k_dtype_of(op_complex_part_type((aclDataType)call->self->data_type));
    target->dtype =
        op_k_dtype_of(op_complex_part_type((aclDataType)target->tensor->descriptor.data_type));
    call->results *= 2;
    call->inner *= 2;
    if (is_scan) return;
    assert(call->kept < EX_MAX_RANK); /* some axis is reduced, or there is none */
    target->steps[call->kept] = call->steps[call->kept] = 1;
    call->sizes[call->kept++] = 2;
}

static void deliver(const struct call *call, const struct target *target, const int *buffers)
{
    if (!target->is_scratch) return;
    const struct op_view to = op_view_of(target->tensor);
    const struct op_view from = op_view_dense(to.type, to.rank, to.sizes);
    op_copy_step(call->plan, target->buffer, &from, buffers[target->argument], &to);
}

/* ---- reductions ---- */

static struct k_reduce reduction(const struct call *call, enum k_fold fold, enum k_compute compute,
                                 enum k_dtype via)
{
    struct k_reduce r = {.fold = fold, .compute = compute, .via = via};
    r.from = call->dtype;
    r.result = op_k_dtype_of(call->problem->result);
    r.to = call->target[0].dtype;
    r.index_type = K_I64;
    r.has_value = true;
    r.kept.rank = call->kept;
    r.inner = call->inner;
    r.reduced_rank = call->reduced;
    for (int i = 0; i < call->kept; i++) {
        r.kept.sizes[i] = call->sizes[i];
        r.kept.from[i] = call->steps[i];
        r.kept.to[i] = call->target[0].steps[i];
    }
    for (int i = 0; i < call->reduced; i++) {
        r.reduced_sizes[i] = call->reduced_sizes[i];
        r.reduced_steps[i] = call->reduced_steps[i];
    }
    return r;
}

static void dense_steps(const struct call *call, int64_t *steps)
{
    int64_t dense = 1;
    for (int i = call->kept - 1; i >= 0; i--) {
        steps[i] = dense;
        dense *= call->sizes[i];
    }
}

static int scratch_of_results(const struct call *call, enum k_compute compute)
{
    return ex_scratch(call->plan, (size_t)(call->results * k_dtype_size(k_dtype_of(compute))));
}

/* One step, or two of a long one. auxiliary, index: -1: none. */
static void add_steps(const struct call *call, struct k_reduce *r, int to, int auxiliary, int index)
{
    const bool is_extreme = r->has_index;
    const char *name = is_extreme ? "extreme" : "reduce";
    k_fn *kernel = is_extreme ? k_best()->extreme : k_best()->reduce;
    struct k_reduce second;
    struct k_work work = k_reduce_plan(r), second_work;
    const int64_t parts = k_reduce_split(r, &second, &work, &second_work);
    if (auxiliary < 0) auxiliary = call->from;
    if (index < 0) index = to;
    if (parts == 0) {
        ex_step(call->plan, name, kernel, r, sizeof *r, work,
                EX_BUFFERS(call->from, to, auxiliary, index));
        return;
    }
    const size_t bytes = (size_t)(parts * k_dtype_size(k_dtype_of(r->compute)));
    const int values = ex_scratch(call->plan, bytes);
    const int places = is_extreme ? ex_scratch(call->plan, (size_t)parts * 8) : values;
    ex_step(call->plan, name, kernel, r, sizeof *r, work,
            EX_BUFFERS(call->from, values, auxiliary, places));
    ex_step(call->plan, name, kernel, &second, sizeof second, second_work,
            EX_BUFFERS(values, to, is_extreme ? places : auxiliary, index));
}

/* Of a fold whose result's type is what is computed. */
static enum k_compute compute_of_sum(aclDataType type)
{
    return op_is_floating(type) ? k_compute_of(op_k_dtype_of(type)) : K_AS_I64;
}

static void plan_simple(const struct call *call, enum k_fold fold, enum k_finish finish,
                        double number)
{
    const aclDataType type = call->problem->type;
    struct k_reduce r = reduction(call, fold, compute_of_sum(type), op_k_dtype_of(type));
    r.finish = finish;
    r.number = number;
    add_steps(call, &r, call->target[0].buffer, -1, -1);
}

static void plan_extreme(const struct call *call, enum k_fold fold, int target)
{
    const enum k_dtype own = call->dtype;
    struct k_reduce r = reduction(call, fold, k_compute_of(own), own);
    r.to = call->target[target].dtype;
    memcpy(r.kept.to, call->target[target].steps, sizeof r.kept.to);
    add_steps(call, &r, call->target[target].buffer, -1, -1);
}

static void plan_place(const struct call *call, enum k_fold fold)
{
    const int places = op_place_result(call->problem);
    const struct target *value = places == 1 ? &call->target[0] : NULL;
    const struct target *place = &call->target[places];
    const enum k_dtype own = call->dtype;
    struct k_reduce r = reduction(call, fold, k_compute_of(own), own);
    r.has_index = true;
    r.has_value = value != NULL;
    if (!value) r.to = r.result = k_dtype_of(r.compute);
    if (!value) memset(r.kept.to, 0, sizeof r.kept.to);
    r.index_type = place->dtype;
    memcpy(r.kept.index, place->steps, sizeof r.kept.index);
    add_steps(call, &r, value ? value->buffer : place->buffer, -1, place->buffer);
}

static void plan_norm(const struct call *call)
{
    const double p = op_scalar_real(op_argument_of_kind(call->problem, OP_SCALAR)->scalar);
    const aclDataType type = call->problem->type;
    enum k_fold fold = K_FOLD_power_sum;
    enum k_finish finish = K_FINISH_NONE;
    if (p == 0)
        fold = K_FOLD_truth_sum;
    else if (p == 1)
        fold = K_FOLD_size_sum;
    else if (p == 2)
        fold = K_FOLD_square_sum, finish = K_FINISH_ROOT;
    else if (isinf(p))
        fold = p > 0 ? K_FOLD_size_greatest : K_FOLD_size_least;
    else
        finish = K_FINISH_POWER;
    struct k_reduce r = reduction(call, fold, compute_of_sum(type), op_k_dtype_of(type));
    r.finish = finish;
    r.number = 1 / p;
    r.auxiliary = p;
    add_steps(call, &r, call->target[0].buffer, -1, -1);
}

/* A first reduction into scratch, whose results the second one takes as auxiliary numbers. */
static int plan_first(const struct call *call, struct k_reduce *r)
{
    const int scratch = scratch_of_results(call, r->compute);
    r->to = r->result = k_dtype_of(r->compute);
    dense_steps(call, r->kept.to);
    add_steps(call, r, scratch, -1, -1);
    return scratch;
}

static void plan_second(const struct call *call, enum k_fold fold, enum k_finish finish,
                        double number, int scratch)
{
    const aclDataType type = call->problem->type;
    struct k_reduce r = reduction(call, fold, compute_of_sum(type), op_k_dtype_of(type));
    r.finish = finish;
    r.number = number;
    r.has_auxiliary = true;
    dense_steps(call, r.kept.auxiliary);
    add_steps(call, &r, call->target[0].buffer, scratch, -1);
}

static double correction_of(const struct op_problem *problem)
{
    const struct op_value *value = op_argument_named(problem, "correction");
    if (!value) value = op_argument_named(problem, "unbiased");
    return (double)value->integer;
}

/* Two passes: the mean, then the squares of the distances from it. */
static void plan_variance(const struct call *call, bool is_root)
{
    const aclDataType type = call->problem->type;
    const enum k_compute compute = compute_of_sum(type);
    const double left = (double)call->count - correction_of(call->problem);
    struct k_reduce r = reduction(call, K_FOLD_sum, compute, op_k_dtype_of(type));
    r.finish = K_FINISH_DIVIDE;
    r.number = (double)call->count;
    const int means = plan_first(call, &r);
    plan_second(call, K_FOLD_deviation_sum, is_root ? K_FINISH_DEVIATION : K_FINISH_DIVIDE,
                left > 0 ? left : 0, means);
    const struct target *out = &call->target[1];
    if (out->buffer < 0) return;
    struct op_view from =
        op_view_dense(compute == K_AS_F64 ? ACL_DOUBLE : ACL_FLOAT, call->kept, call->sizes);
    struct op_view to = {.type = (aclDataType)out->tensor->descriptor.data_type,
                         .rank = call->kept};
    memcpy(to.sizes, call->sizes, sizeof to.sizes);
    memcpy(to.strides, out->steps, sizeof to.strides);
    op_copy_step(call->plan, means, &from, out->buffer, &to);
}

/* log(sum(exp(x - m))) + m, m the maximum, or 0 if that is infinite. */
static void plan_log_sum_exp(const struct call *call)
{
    const aclDataType type = call->problem->type;
    struct k_reduce r = reduction(call, K_FOLD_greatest, compute_of_sum(type), op_k_dtype_of(type));
    r.finish = K_FINISH_FINITE;
    const int maxima = plan_first(call, &r);
    plan_second(call, K_FOLD_exponential_sum, K_FINISH_LOG_ADD, 0, maxima);
}

/* ---- selections and scans ---- */

static void plan_select(const struct call *call, int64_t k)
{
    const struct target *value = &call->target[0], *place = &call->target[1];
    struct k_select s = {.k = k, .has_index = place->buffer >= 0, .to = value->dtype};
    s.from = call->dtype;
    s.compute = k_compute_of(s.from);
    s.kept.rank = call->kept;
    s.reduced_rank = call->reduced;
    for (int i = 0; i < call->kept; i++) {
        s.kept.sizes[i] = call->sizes[i];
        s.kept.from[i] = call->steps[i];
        s.kept.to[i] = value->steps[i];
        s.kept.index[i] = place->steps[i];
    }
    memcpy(s.reduced_sizes, call->reduced_sizes, sizeof s.reduced_sizes);
    memcpy(s.reduced_steps, call->reduced_steps, sizeof s.reduced_steps);
    s.index_type = s.has_index ? place->dtype : K_I64;
    const struct k_work work = k_select_plan(&s);
    const size_t bytes =
        (size_t)(call->results * call->count * k_dtype_size(k_dtype_of(s.compute)));
    const int room = ex_scratch(call->plan, bytes);
    ex_step(
        call->plan, "select", k_best()->select, &s, sizeof s, work,
        EX_BUFFERS(call->from, value->buffer, s.has_index ? place->buffer : value->buffer, room));
}

static void plan_scan(const struct call *call, enum k_scan_kind kind)
{
    const struct op_problem *problem = call->problem;
    const struct op_value *exclusive = op_argument_named(problem, "exclusive");
    const struct op_value *reverse = op_argument_named(problem, "reverse");
    const struct target *value = &call->target[0], *place = &call->target[1];
    const unsigned axes = op_reduced_axes(problem);
    const bool is_extreme = kind == K_SCAN_MAX || kind == K_SCAN_MIN;
    struct k_scan s = {.kind = kind, .count = 1, .has_index = place->buffer >= 0};
    s.from = call->dtype;
    s.via = is_extreme ? s.from : op_k_dtype_of(problem->type);
    s.compute = is_extreme                      ? k_compute_of(s.from)
                : op_is_floating(problem->type) ? K_AS_F64
                                                : K_AS_I64;
    s.result = op_k_dtype_of(problem->result);
    s.to = value->dtype;
    s.index_type = s.has_index ? place->dtype : K_I64;
    s.is_exclusive = exclusive && exclusive->integer;
    s.is_reversed = reverse && reverse->integer;
    const int64_t step = call->has_parts ? 2 : 1;
    for (int axis = 0; axis < call->self->rank; axis++) {
        if (axes >> axis & 1) {
            s.count = call->self->sizes[axis];
            s.from_step = step * call->self->strides[axis];
            s.to_step = value->steps[axis];
            s.index_step = place->steps[axis];
            continue;
        }
        const int i = s.kept.rank++;
        s.kept.sizes[i] = call->self->sizes[axis];
        s.kept.from[i] = step * call->self->strides[axis];
        s.kept.to[i] = value->steps[axis];
        s.kept.index[i] = place->steps[axis];
    }
    if (call->has_parts) {
        s.kept.sizes[s.kept.rank] = 2;
        s.kept.from[s.kept.rank] = s.kept.to[s.kept.rank] = 1;
        s.kept.rank++;
    }
    const struct k_work work = k_scan_plan(&s);
    ex_step(call->plan, "scan", k_best()->scan, &s, sizeof s, work,
            EX_BUFFERS(call->from, value->buffer, s.has_index ? place->buffer : value->buffer));
}

/* ---- by core ---- */

static void plan_core(const struct call *call)
{
    const struct op_problem *problem = call->problem;
    const bool is_real = op_is_floating(problem->type);
    switch (problem->row->core) {
    case OP_REDUCE_sum:
    case OP_REDUCE_trace:
        plan_simple(call, K_FOLD_sum, K_FINISH_NONE, 0);
        return;
    case OP_REDUCE_nansum:
        plan_simple(call, is_real ? K_FOLD_number_sum : K_FOLD_sum, K_FINISH_NONE, 0);
        return;
    case OP_REDUCE_log_sum:
        plan_simple(call, K_FOLD_sum, K_FINISH_LOG, 0);
        return;
    case OP_REDUCE_mean:
        plan_simple(call, K_FOLD_sum, K_FINISH_DIVIDE, (double)call->count);
        return;
    case OP_REDUCE_prod:
        plan_simple(call, K_FOLD_product, K_FINISH_NONE, 0);
        return;
    case OP_REDUCE_max:
        plan_extreme(call, K_FOLD_greatest, 0);
        return;
    case OP_REDUCE_min:
        plan_extreme(call, K_FOLD_least, 0);
        return;
    case OP_REDUCE_min_max:
        plan_extreme(call, K_FOLD_least, 0);
        plan_extreme(call, K_FOLD_greatest, 1);
        return;
    case OP_REDUCE_any:
        plan_extreme(call, call->count > 0 ? K_FOLD_some : K_FOLD_sum, 0);
        return;
    case OP_REDUCE_all:
        plan_extreme(call, call->count > 0 ? K_FOLD_every : K_FOLD_product, 0);
        return;
    case OP_REDUCE_norm:
        plan_norm(call);
        return;
    case OP_REDUCE_var:
        plan_variance(call, false);
        return;
    case OP_REDUCE_std:
        plan_variance(call, true);
        return;
    case OP_REDUCE_log_sum_exp:
        plan_log_sum_exp(call);
        return;
    case OP_REDUCE_max_place:
        plan_place(call, K_FOLD_greatest);
        return;
    case OP_REDUCE_min_place:
        plan_place(call, K_FOLD_least);
        return;
    case OP_REDUCE_median:
    case OP_REDUCE_nan_median:
        if (call->count == 0) /* NaN */
            plan_simple(call, K_FOLD_sum, K_FINISH_DIVIDE, 0);
        else
            plan_select(call, problem->row->core == OP_REDUCE_median ? -1 : -2);
        return;
    case OP_REDUCE_kth:
        plan_select(call, op_argument_named(problem, "k")->integer - 1);
        return;
    default:
        plan_scan(call, (enum k_scan_kind)(problem->row->core - OP_REDUCE_cumsum));
    }
}

void op_plan_reduce(struct ex_plan *plan, const struct op_problem *problem, const int *buffers)
{
    const struct ex_descriptor *self = &problem->tensor[0]->tensor->descriptor;
    const bool is_complex = op_is_complex((aclDataType)self->data_type);
    struct op_problem parts = *problem;
    struct call call = {.plan = plan,
                        .problem = problem,
                        .self = self,
                        .dtype = op_k_dtype_of((aclDataType)self->data_type),
                        .from = buffers[problem->tensor[0] - problem->values]};
    if (is_complex && problem->row->core == OP_REDUCE_prod) {
        op_plan_complex_product(plan, problem, buffers);
        return;
    }
    if (problem->row->core == OP_REDUCE_trace)
        find_diagonal(&call);
    else
        find_axes(&call);
    const bool is_scan = problem->row->core >= OP_REDUCE_cumsum;
    if (call.results == 0 || (is_scan && call.count == 0)) return;
    find_target(&call, 0, buffers);
    find_target(&call, 1, buffers);
    if (is_complex) {
        split_parts(&call);
        parts.type = op_complex_part_type(problem->type);
        parts.result = op_complex_part_type(problem->result);
        call.problem = &parts;
    }
    plan_core(&call);
    deliver(&call, &call.target[0], buffers);
    deliver(&call, &call.target[1], buffers);
}
