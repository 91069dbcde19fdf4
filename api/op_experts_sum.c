/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnGroupedMatmulFinalizeRouting, V2, V3, WeightNz, WeightNzV2: products of rows of experts,
 * summed for each token. The rows of a token are found by sorting, and added in their order. */
#include <stdio.h>

#include "api/op_experts.h"
#include "api/op_map.h"
#include "api/op_moe.h"
#include "api/op_quantize.h"
#include "kernels/kernels.h"

/* What the arguments mean; NULL: not there. */
struct experts_sum {
    struct op_experts experts;
    const struct op_value *shared, *logit, *index, *out;
    int64_t begin; /* of the shared rows */
};

static const struct op_value *either(const struct op_problem *problem, const char *name,
                                     const char *other)
{
    const struct op_value *value = op_given(problem, name);
    return value ? value : op_given(problem, other);
}

static int64_t number(const struct op_problem *problem, const char *name, const char *other)
{
    return op_integer_named(problem, name, op_integer_named(problem, other, 0));
}

static struct experts_sum sum_of(const struct op_problem *problem)
{
    struct experts_sum s = {
        .experts = {.x = &problem->values[0],
                    .weight = &problem->values[1],
                    .scale = either(problem, "scaleOptional", "scale"),
                    .bias = either(problem, "biasOptional", "bias"),
                    .offset = op_given(problem, "offsetOptional"),
                    .token = op_given(problem, "pertokenScaleOptional"),
                    .list = either(problem, "groupListOptional", "groupList"),
                    .form = (enum k_group_form)op_integer_named(problem, "groupListType", 0),
                    .is_transposed = number(problem, "transposeW", "transposeX2") != 0},
        .shared = either(problem, "sharedInputOptional", "sharedInput"),
        .logit = either(problem, "logitOptional", "logit"),
        .index = either(problem, "rowIndexOptional", "rowIndex"),
        .out = either(problem, "out", "y"),
        .begin = op_integer_named(problem, "sharedInputOffset", 0),
    };
    const struct ex_descriptor *out = &s.out->tensor->descriptor;
    s.experts.n = out->rank == 2 ? out->sizes[1] : -1;
    return s;
}

/* ---- checks ---- */

static aclnnStatus check_absent(const struct op_problem *problem, const char *argument)
{
    OP_CHECK(problem->row->name, !op_given(problem, argument), ACLNN_ERR_PARAM_INVALID,
             "%s is given; it is not supported and must be NULL", argument);
    return ACLNN_SUCCESS;
}

static aclnnStatus experts_sum_types(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct experts_sum s = sum_of(problem);
    const int64_t dtype = op_integer_named(problem, "dtype", 0), form = s.experts.form;
    OP_TRY(check_absent(problem, "antiquantScaleOptional"));
    OP_TRY(check_absent(problem, "antiquantOffsetOptional"));
    OP_TRY(op_experts_check_types(problem, &s.experts));
    if (s.shared)
        OP_TRY(op_check_type(name, s.shared->name, s.shared->tensor, OP_TYPE(ACL_BF16), "BF16"));
    if (s.logit)
        OP_TRY(op_check_type(name, s.logit->name, s.logit->tensor, OP_TYPE(ACL_FLOAT), "FLOAT"));
    OP_TRY(op_check_type(name, s.index->name, s.index->tensor,
                         OP_TYPE(ACL_INT64) | OP_TYPE(ACL_INT32), "INT64, INT32"));
    OP_TRY(op_check_type(name, s.out->name, s.out->tensor, OP_TYPE(ACL_FLOAT), "FLOAT"));
    OP_CHECK(name, dtype == 0, ACLNN_ERR_PARAM_INVALID, "dtype is %" PRId64 "; it must be 0, FLOAT",
             dtype);
    OP_CHECK(name, form == 0 || form == 1, ACLNN_ERR_PARAM_INVALID,
             "groupListType is %" PRId64 "; it must be 0 (sums) or 1 (counts)", form);
    OP_CHECK(name, number(problem, "transposeX", "transposeX1") == 0, ACLNN_ERR_PARAM_INVALID,
             "%s is true; it must be false",
             op_argument_named(problem, "transposeX") ? "transposeX" : "transposeX1");
    problem->type = problem->result = ACL_FLOAT;
    return ACLNN_SUCCESS;
}

static aclnnStatus experts_sum_shapes(struct op_problem *problem)
{
    struct op_shape_text text;
    const char *name = problem->row->name;
    const struct experts_sum s = sum_of(problem);
    OP_TRY(op_check_rank(name, s.out->name, s.out->tensor, 2, 2));
    OP_TRY(op_experts_check_shapes(problem, &s.experts));
    const int64_t m = s.experts.x->tensor->descriptor.sizes[0];
    const int64_t rows = s.out->tensor->descriptor.sizes[0];
    OP_TRY(op_moe_check_numbers(problem, m));
    OP_TRY(op_moe_check_numbers(problem, rows));
    if (s.logit) OP_TRY(op_check_shape(problem, s.logit, s.logit->tensor, 1, &m));
    OP_TRY(op_check_shape(problem, s.index, s.index->tensor, 1, &m));
    OP_CHECK(name, s.begin >= 0 && s.begin <= rows, ACLNN_ERR_PARAM_INVALID,
             "sharedInputOffset is %" PRId64 "; it must be between 0 and %" PRId64 ", %s's rows",
             s.begin, rows, s.out->name);
    if (!s.shared) return ACLNN_SUCCESS;
    OP_TRY(op_check_rank(name, s.shared->name, s.shared->tensor, 2, 2));
    const int64_t *sizes = s.shared->tensor->descriptor.sizes;
    OP_CHECK(name, sizes[1] == s.experts.n && sizes[0] <= rows - s.begin, ACLNN_ERR_PARAM_INVALID,
             "%s's shape is %s; it must have %" PRId64 " columns and, from row %" PRId64
             " on, at most %" PRId64 " rows",
             s.shared->name, op_shape(&text, s.shared->tensor), s.experts.n, s.begin,
             rows - s.begin);
    return ACLNN_SUCCESS;
}

/* ---- plan ---- */

static int argument_of(const struct op_shape_call *call, const struct op_value *value)
{
    return (int)(value - call->problem->values);
}

static void describe_index(const void *parameters, void *const buffers[], int64_t position,
                           char *text, size_t size)
{
    const struct k_group_pick *p = parameters;
    const void *from = buffers[K_GROUP_PICK_FROM];
    const int64_t found =
        p->is_wide ? ((const int64_t *)from)[position] : ((const int32_t *)from)[position];
    snprintf(text, size, "%s[%" PRId64 "] is %" PRId64 "; there are %" PRId64 " rows", p->name,
             position, found, p->limit);
}

/* Rows of the products, sorted by the row that they are added to, and where those of each end. */
struct order {
    int sources, ends;
};

static struct order sort_rows(const struct op_shape_call *call, const struct experts_sum *s,
                              int table, int index, int64_t m, int64_t groups)
{
    struct ex_plan *plan = call->plan;
    const int64_t rows = s->out->tensor->descriptor.sizes[0];
    const struct k_group_pick pick = {.rows = m,
                                      .groups = groups,
                                      .limit = rows,
                                      .is_wide =
                                          s->index->tensor->descriptor.data_type == ACL_INT64,
                                      .name = s->index->name};
    const struct k_moe_route route = {.count = m,
                                      .rows = m,
                                      .picks = 1,
                                      .slots = m,
                                      .is_wide = true,
                                      .end = rows,
                                      .has_groups = true};
    const struct k_work one = {.items = 1, .grain = 1};
    const int numbers = ex_scratch(plan, (size_t)m * sizeof(int64_t));
    const int records = ex_scratch(plan, k_moe_route_scratch(&route));
    const int places = ex_scratch(plan, (size_t)m * sizeof(int32_t));
    const struct order order = {ex_scratch(plan, (size_t)m * sizeof(int32_t)),
                                ex_scratch(plan, (size_t)rows * sizeof(int32_t))};
    ex_step_with_faults(plan, "group_pick", k_group_pick, &pick, sizeof pick, one,
                        EX_BUFFERS(index, table, numbers), describe_index);
    ex_step(plan, "moe_route", k_moe_route, &route, sizeof route, one,
            EX_BUFFERS(numbers, numbers, records, order.sources, places, numbers, numbers, numbers,
                       order.ends, numbers, numbers));
    return order;
}

/* What the sums begin with: zeros, and the shared rows by their weight. */
static void begin_sums(const struct op_shape_call *call, const struct experts_sum *s,
                       const struct op_place *shared, const struct op_place *to)
{
    struct op_map map;
    op_fill_place(call->plan, to, 0, 0);
    if (!s->shared || op_is_empty(s->shared->tensor)) return;
    const int64_t *sizes = shared->view.sizes;
    const struct op_place part = {to->buffer, op_view_part(&to->view, 0, s->begin, 1, sizes[0])};
    op_map_begin(&map, call->plan, K_CORE_mul, ACL_FLOAT, 2, sizes);
    op_map_result(&map, &part);
    op_map_operand(&map, shared);
    op_map_constant(&map, op_argument_named(call->problem, "sharedInputWeight")->real);
    op_map_end(&map);
}

static void experts_sum(const struct op_shape_call *call)
{
    const struct experts_sum s = sum_of(call->problem);
    const struct op_experts_sizes sizes = op_experts_sizes_of(&s.experts);
    const int argument = argument_of(call, s.out);
    if (op_is_empty(s.out->tensor)) return;
    struct op_place shared = {0};
    if (s.shared) shared = op_source(call, argument_of(call, s.shared), 0);
    if (sizes.m == 0) {
        const struct op_place to = op_dense_target(call, argument);
        begin_sums(call, &s, &shared, &to);
        op_deliver(call, &to, argument);
        return;
    }
    const int table =
        op_experts_table(call, s.experts.list, s.experts.form, sizes.groups, sizes.m, 0);
    const struct op_place products = op_experts_multiply(call, &s.experts, table);
    const int index = op_dense_source(call, argument_of(call, s.index)).buffer;
    const int logit =
        s.logit ? op_dense_source(call, argument_of(call, s.logit)).buffer : products.buffer;
    const struct order order = sort_rows(call, &s, table, index, sizes.m, sizes.groups);
    const struct op_place to = op_dense_target(call, argument);
    begin_sums(call, &s, &shared, &to);
    const struct k_moe_sum k = {.rows = s.out->tensor->descriptor.sizes[0],
                                .picks = 1,
                                .columns = s.experts.n,
                                .sources = sizes.m,
                                .x = K_F32,
                                .to = K_F32,
                                .first = K_F32,
                                .scale = K_F32,
                                .has_first = true,
                                .has_scale = s.logit != NULL,
                                .is_listed = true};
    ex_step_with_faults(call->plan, "moe_sum", k_best()->moe_sum, &k, sizeof k, k_moe_sum_plan(&k),
                        EX_BUFFERS(products.buffer, order.sources, to.buffer, products.buffer,
                                   products.buffer, logit, order.sources, order.ends, to.buffer),
                        op_moe_describe_sum);
    op_deliver(call, &to, argument);
}

const struct op_rule op_rule_experts_sum = {
    .types = experts_sum_types,
    .shapes = experts_sum_shapes,
    .runs_empty = true,
    .takes_nz = true,
    .more = &(const struct op_shape_rule){experts_sum},
};
