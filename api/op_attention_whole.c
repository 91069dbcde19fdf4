/* SPDX-License-Identifier: Apache-2.0 */
/* Attention of inference whose query, keys and values are INT8. Either each product has a factor,
 * deqScale1 and deqScale2, and exponentials are rounded to INT8, times quantScale1, in between; or
 * each row and head of query has one, and keys and values have one each. The query becomes FLOAT,
 * keys and values are read as quantised ones are. */
#include <inttypes.h>
#include <string.h>

#include "api/op_attention_plan.h"
#include "api/op_map.h"

enum { BY_ROW_AND_HEAD = 3 /* queryQuantMode */ };

/* ---- what is given ---- */

static aclnnStatus check_missing(const struct op_problem *problem, const char *const *names,
                                 int count, const char *where)
{
    for (int i = 0; i < count; i++) {
        const struct op_value *value = op_attention_given(problem, names[i]);
        OP_CHECK(problem->row->name, !value, ACLNN_ERR_PARAM_INVALID,
                 "%s is given; it must be NULL or empty where %s", value->name, where);
    }
    return ACLNN_SUCCESS;
}

/* A factor of one element. */
static aclnnStatus find_one(const struct op_problem *problem, const char *name, const char *other,
                            const struct op_value **found)
{
    const struct op_value *value = op_attention_value(problem, name, other);
    const char *op = problem->row->name;
    int64_t count = 0;
    OP_CHECK(op, value->tensor && !op_is_empty(value->tensor), ACLNN_ERR_PARAM_NULLPTR,
             "%s is NULL or empty; it must be given where query is of type INT8", value->name);
    const struct ex_descriptor *d = &value->tensor->descriptor;
    ex_element_count(d->sizes, d->rank, &count);
    OP_CHECK(op, count == 1, ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRId64 " elements; it must have one where query is of type INT8",
             value->name, count);
    *found = value;
    return ACLNN_SUCCESS;
}

static aclnnStatus find_products(const struct op_problem *problem, struct op_attention *a)
{
    static const char *const others[] = {"keyAntiquantScale", "valueAntiquantScale"};
    OP_TRY(check_missing(problem, others, 2,
                         "query is of type INT8 and has no dequantScaleQueryOptional"));
    OP_CHECK(problem->row->name, !a->rope[0], ACLNN_ERR_PARAM_INVALID,
             "queryRopeOptional is given; it must be NULL or empty where query is of type INT8 and "
             "has no dequantScaleQueryOptional");
    OP_TRY(find_one(problem, "deqScale1Optional", "deqScale1", &a->factors[0].scale));
    OP_TRY(find_one(problem, "quantScale1Optional", "quantScale1", &a->weight_scale));
    return find_one(problem, "deqScale2Optional", "deqScale2", &a->factors[1].scale);
}

/* Of query's shape without the columns of a head. */
static aclnnStatus check_query_scale(const struct op_problem *problem, const struct op_attention *a)
{
    const struct op_attention_layout *l = a->layout;
    int64_t sizes[4];
    memcpy(sizes, a->tensor[0]->descriptor.sizes, (size_t)l->rank * sizeof *sizes);
    if (l->heads < 0) sizes[l->columns] = a->heads;
    return op_check_shape(problem, a->query_scale, a->query_scale->tensor,
                          l->heads < 0 ? l->rank : l->rank - 1, sizes);
}

static aclnnStatus find_rows_and_heads(const struct op_problem *problem, struct op_attention *a)
{
    static const char *const others[] = {"deqScale1", "quantScale1", "deqScale2"};
    static const char *const scales[] = {"keyAntiquantScaleOptional",
                                         "valueAntiquantScaleOptional"};
    static const char *const modes[] = {"queryQuantMode", "keyAntiquantMode", "valueAntiquantMode"};
    const char *op = problem->row->name;
    OP_TRY(check_missing(problem, others, 3, "dequantScaleQueryOptional is given"));
    for (int i = 0; i < 3; i++) {
        const int64_t mode = op_integer_named(problem, modes[i], 0), want = i ? 0 : BY_ROW_AND_HEAD;
        OP_CHECK(op, mode == want, ACLNN_ERR_PARAM_INVALID,
                 "%s is %" PRId64 "; it must be %" PRId64
                 " where dequantScaleQueryOptional is given",
                 modes[i], mode, want);
    }
    OP_TRY(check_query_scale(problem, a));
    for (int i = 0; i < 2; i++) {
        OP_TRY(find_one(problem, scales[i], scales[i], &a->factors[i].scale));
        OP_TRY(op_check_type(op, scales[i], a->factors[i].scale->tensor, OP_TYPE(ACL_FLOAT),
                             "FLOAT where query is INT8"));
    }
    return ACLNN_SUCCESS;
}

aclnnStatus op_attention_find_whole(const struct op_problem *problem, struct op_attention *a)
{
    static const char *const others[] = {"antiquantScale",     "antiquantOffset",
                                         "keyAntiquantOffset", "valueAntiquantOffset",
                                         "keySharedPrefix",    "valueSharedPrefix"};
    OP_TRY(check_missing(problem, others, (int)RT_LENGTH(others), "query is of type INT8"));
    a->factors[0].axes = a->factors[1].axes = "";
    a->query_scale = op_attention_given(problem, "dequantScaleQuery");
    return a->query_scale ? find_rows_and_heads(problem, a) : find_products(problem, a);
}

/* ---- as FLOAT ---- */

struct op_place op_attention_as_float(const struct op_attention_plan *p,
                                      const struct op_place *place)
{
    const struct op_place to =
        op_scratch_place(p->call->plan, ACL_FLOAT, place->view.rank, place->view.sizes);
    op_copy_place(p->call->plan, place, &to);
    return to;
}

/* In scratch: both broadcast to the sizes. */
static struct op_place product(const struct op_attention_plan *p, const struct op_place *x,
                               const struct op_place *y, const int64_t sizes[4])
{
    struct ex_plan *plan = p->call->plan;
    const struct op_place to = op_scratch_place(plan, ACL_FLOAT, 4, sizes);
    struct op_map map;
    op_map_begin(&map, plan, K_CORE_mul, ACL_FLOAT, 4, sizes);
    op_map_result(&map, &to);
    op_map_operand(&map, x);
    op_map_operand(&map, y);
    op_map_end(&map);
    return to;
}

/* The factors of query as (batch, rows, heads, 1). */
static struct op_place query_scale(const struct op_attention_plan *p)
{
    const struct op_attention *a = &p->of;
    const struct op_attention_layout *l = a->layout;
    struct op_place place = op_source(p->call, op_attention_argument(p, a->query_scale), 0);
    const int heads = l->heads < 0 ? l->columns : l->heads;
    const int64_t sizes[] = {l->batch < 0 ? 1 : a->batch, a->queries, a->heads, 1};
    const int64_t strides[] = {l->batch < 0 ? 0 : place.view.strides[l->batch],
                               place.view.strides[l->rows], place.view.strides[heads], 0};
    place.view.rank = 4;
    memcpy(place.view.sizes, sizes, sizeof sizes);
    memcpy(place.view.strides, strides, sizeof strides);
    return place;
}

static struct op_place four_of(const struct op_attention_plan *p, const struct op_value *value,
                               int64_t columns)
{
    struct op_place place = op_source(p->call, op_attention_argument(p, value), 0);
    place.view = op_attention_four(&p->of, &place.view, 0, columns);
    return place;
}

void op_attention_read_whole(struct op_attention_plan *p)
{
    const struct op_attention *a = &p->of;
    struct op_place place = four_of(p, a->value[0], a->d);
    if (a->query_scale) {
        const struct op_place scale = query_scale(p);
        place = product(p, &place, &scale, place.view.sizes);
    } else {
        place = op_attention_as_float(p, &place);
    }
    p->kernel->dtype = K_F32;
    p->kernel->q = op_attention_four_side(a, &place.view);
    p->buffers[K_ATTENTION_Q] = place.buffer;
}

/* As on a device the sum of both products is multiplied, so the second part has the key's factor,
 * too. */
void op_attention_read_whole_rope(struct op_attention_plan *p)
{
    const struct op_attention *a = &p->of;
    const struct op_place rows = query_scale(p);
    struct op_place key = op_source(p->call, op_attention_argument(p, a->factors[0].scale), 0);
    key.view.rank = 0;
    const struct op_place scale = product(p, &rows, &key, rows.view.sizes);
    struct op_place place = four_of(p, a->rope[0], a->rope_columns);
    place = product(p, &place, &scale, place.view.sizes);
    p->kernel->q_rope = op_attention_four_side(a, &place.view);
    p->buffers[K_ATTENTION_Q_ROPE] = place.buffer;
}
