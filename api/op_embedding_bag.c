/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnEmbeddingBag. */
#include <stdio.h>

#include "api/op_shape.h"
#include "kernels/bag/k_bag.h"

enum {
    WEIGHT,
    INDICES,
    OFFSETS,
    BY_FREQUENCY,
    MODE,
    SPARSE,
    PER_SAMPLE,
    LAST_OFFSET,
    PADDING,
    OUTPUT,
    BAG_OF,
    BAG_SIZE,
    PLACES
};

/* ---- checks ---- */

static aclnnStatus bag_types(struct op_problem *problem)
{
    static const uint64_t whole = OP_TYPE(ACL_INT64) | OP_TYPE(ACL_INT32);
    static const uint64_t small = OP_TYPE(ACL_INT16) | OP_TYPE(ACL_INT8) | OP_TYPE(ACL_UINT8);
    const struct op_row *row = problem->row;
    const struct op_value *values = problem->values;
    OP_TRY(op_check_type(row->name, "weight", values[WEIGHT].tensor, row->types, row->type_names));
    for (int i = INDICES; i <= OFFSETS; i++)
        OP_TRY(op_check_type(row->name, values[i].name, values[i].tensor, whole | small,
                             "INT64, INT32, INT16, INT8, UINT8"));
    if (values[PER_SAMPLE].tensor)
        OP_TRY(op_check_same_type(row->name, "perSampleWeights", values[PER_SAMPLE].tensor,
                                  "weight", values[WEIGHT].tensor));
    OP_TRY(op_check_same_type(row->name, "output", values[OUTPUT].tensor, "weight",
                              values[WEIGHT].tensor));
    for (int i = BAG_OF; i <= PLACES; i++)
        OP_TRY(op_check_type(row->name, values[i].name, values[i].tensor, whole, "INT64, INT32"));
    problem->type = problem->result = (aclDataType)values[WEIGHT].tensor->descriptor.data_type;
    return ACLNN_SUCCESS;
}

static const struct ex_descriptor *shape_of(const struct op_problem *problem, int argument)
{
    return &problem->values[argument].tensor->descriptor;
}

static int64_t bags_of(const struct op_problem *problem)
{
    return shape_of(problem, OFFSETS)->sizes[0] - (problem->values[LAST_OFFSET].integer != 0);
}

static enum k_bag_mode mode_of(const struct op_problem *problem)
{
    const int64_t mode = problem->values[MODE].integer;
    return mode == 0 ? K_BAG_SUM : mode == 1 ? K_BAG_MEAN : K_BAG_MAX;
}

/* What later CANN versions make longer or leave empty is taken too. */
static aclnnStatus check_counts(const struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct op_value *values = problem->values;
    const int64_t bags = bags_of(problem), indices = shape_of(problem, INDICES)->sizes[0];
    const int64_t places[] = {bags, shape_of(problem, WEIGHT)->sizes[1]};
    struct op_shape_text text;
    for (int i = BAG_OF; i <= BAG_SIZE; i++)
        OP_TRY(op_check_rank(name, values[i].name, values[i].tensor, 1, 1));
    const int64_t bag_of = shape_of(problem, BAG_OF)->sizes[0];
    OP_CHECK(name, bag_of == 0 || bag_of == indices, ACLNN_ERR_PARAM_INVALID,
             "offset2bag has %" PRId64 " elements; it must have none or %" PRId64, bag_of, indices);
    const int64_t sizes = shape_of(problem, BAG_SIZE)->sizes[0];
    OP_CHECK(name, sizes == bags || sizes == shape_of(problem, OFFSETS)->sizes[0],
             ACLNN_ERR_PARAM_INVALID, "bagSize has %" PRId64 " elements; it must have %" PRId64,
             sizes, bags);
    if (mode_of(problem) == K_BAG_MAX)
        return op_check_shape(problem, &values[PLACES], values[PLACES].tensor, 2, places);
    const struct ex_descriptor *d = shape_of(problem, PLACES);
    const bool is_row = d->rank == 1;
    OP_CHECK(name, is_row && (d->sizes[0] == 0 || d->sizes[0] == sizes || d->sizes[0] == bags),
             ACLNN_ERR_PARAM_INVALID, "maxIndices' shape is %s; it must be (%" PRId64 ")",
             op_shape(&text, values[PLACES].tensor), bags);
    return ACLNN_SUCCESS;
}

static aclnnStatus bag_shapes(struct op_problem *problem)
{
    const char *name = problem->row->name;
    const struct op_value *values = problem->values;
    OP_TRY(op_check_rank(name, "weight", values[WEIGHT].tensor, 2, 2));
    OP_TRY(op_check_rank(name, "indices", values[INDICES].tensor, 1, 1));
    OP_TRY(op_check_rank(name, "offsets", values[OFFSETS].tensor, 1, 1));
    OP_CHECK(name, bags_of(problem) >= 0, ACLNN_ERR_PARAM_INVALID,
             "offsets is empty; with includeLastOffset it must have one element at least");
    if (values[PER_SAMPLE].tensor) {
        OP_CHECK(name, mode_of(problem) == K_BAG_SUM, ACLNN_ERR_PARAM_INVALID,
                 "perSampleWeights is given; it must be NULL unless mode is 0");
        OP_TRY(op_check_shape(problem, &values[PER_SAMPLE], values[PER_SAMPLE].tensor, 1,
                              shape_of(problem, INDICES)->sizes));
    }
    OP_CHECK(name,
             values[PADDING].integer < shape_of(problem, WEIGHT)->sizes[0] ||
                 values[PADDING].integer == 0,
             ACLNN_ERR_PARAM_INVALID,
             "paddingIdx is %" PRId64 "; it must be less than weight's %" PRId64 " rows",
             values[PADDING].integer, shape_of(problem, WEIGHT)->sizes[0]);
    const int64_t out[] = {bags_of(problem), shape_of(problem, WEIGHT)->sizes[1]};
    OP_TRY(op_check_shape(problem, &values[OUTPUT], values[OUTPUT].tensor, 2, out));
    return check_counts(problem);
}

/* ---- plans ---- */

static void describe_offset(const void *parameters, void *const buffers[], int64_t position,
                            char *text, size_t size)
{
    const struct k_bag *bag = parameters;
    const int64_t offset = ((const int64_t *)buffers[K_BOUNDS_OFFSETS])[position];
    if (position == 0)
        snprintf(text, size, "element 0 of offsets is %" PRId64 "; it must be 0", offset);
    else
        snprintf(text, size,
                 "element %" PRId64 " of offsets is %" PRId64
                 "; it must be between the one before and %" PRId64,
                 position, offset, bag->indices);
}

static void describe_index(const void *parameters, void *const buffers[], int64_t position,
                           char *text, size_t size)
{
    const struct k_bag *bag = parameters;
    snprintf(text, size, "element %" PRId64 " of indices is %" PRId64 "; it must be 0 to %" PRId64,
             position, ((const int64_t *)buffers[K_BAG_INDICES])[position], bag->rows - 1);
}

static struct op_place whole_numbers(const struct op_shape_call *call, int argument)
{
    const struct op_place from = op_source(call, argument, 0);
    const struct op_place to =
        op_scratch_place(call->plan, ACL_INT64, from.view.rank, from.view.sizes);
    op_copy_place(call->plan, &from, &to);
    return to;
}

static struct op_place scratch(const struct op_shape_call *call, int64_t count)
{
    return op_scratch_place(call->plan, ACL_INT64, 1, &count);
}

/* The first elements of an output from scratch, 0 behind them. */
static void deliver(const struct op_shape_call *call, const struct op_place *from, int argument)
{
    struct op_place to = op_target(call, argument, 0);
    const int64_t count = from->view.sizes[0], all = to.view.sizes[0];
    if (all == 0) return;
    if (all > count) op_fill_place(call->plan, &to, 0, 0);
    to.view = op_view_part(&to.view, 0, 0, 1, count);
    op_copy_place(call->plan, from, &to);
}

static struct k_bag bag_of(const struct op_shape_call *call, const struct op_place *table,
                           const struct op_place *out)
{
    const struct op_problem *problem = call->problem;
    const int64_t padding = problem->values[PADDING].integer;
    struct k_bag bag = {.dtype = op_k_dtype_of(problem->type),
                        .mode = mode_of(problem),
                        .has_weights = problem->values[PER_SAMPLE].tensor != NULL,
                        .rows = table->view.sizes[0],
                        .features = table->view.sizes[1],
                        .indices = shape_of(problem, INDICES)->sizes[0],
                        .bags = bags_of(problem),
                        .left_out = padding < 0 ? -1 : padding};
    for (int i = 0; i < 2; i++) {
        bag.table_strides[i] = table->view.strides[i];
        bag.out_strides[i] = out->view.strides[i];
    }
    return bag;
}

static void plan_bag(const struct op_shape_call *call)
{
    const struct op_place out = op_target(call, OUTPUT, 0), table = op_source(call, WEIGHT, 0);
    struct k_bag bag = bag_of(call, &table, &out);
    const struct op_place indices = whole_numbers(call, INDICES);
    const struct op_place offsets = whole_numbers(call, OFFSETS);
    const struct op_place bounds = scratch(call, bag.bags + 1),
                          bag_of_each = scratch(call, bag.indices);
    const struct op_place counts = scratch(call, bag.bags);
    struct op_place places = op_scratch_place(call->plan, ACL_INT64, 2, out.view.sizes);
    struct op_place weights = table;
    if (bag.has_weights) {
        weights = op_source(call, PER_SAMPLE, 0);
        bag.weight_stride = weights.view.strides[0];
    }
    if (bag.bags > 0) {
        ex_step_with_faults(call->plan, "bag_bounds", k_best()->bag_bounds, &bag, sizeof bag,
                            (struct k_work){1, 1}, EX_BUFFERS(offsets.buffer, bounds.buffer),
                            describe_offset);
        ex_step_with_faults(call->plan, "bag", k_best()->bag, &bag, sizeof bag, k_bag_work(&bag),
                            EX_BUFFERS(table.buffer, indices.buffer, bounds.buffer, weights.buffer,
                                       out.buffer, bag_of_each.buffer, counts.buffer,
                                       places.buffer),
                            describe_index);
    }
    const struct op_place bag_of_to = op_target(call, BAG_OF, 0), to = op_target(call, PLACES, 0);
    if (bag.bags == 0)
        op_fill_place(call->plan, &bag_of_to, 0, 0);
    else
        deliver(call, &bag_of_each, BAG_OF);
    deliver(call, &counts, BAG_SIZE);
    if (bag.mode == K_BAG_MAX)
        op_copy_place(call->plan, &places, &to);
    else
        op_fill_place(call->plan, &to, 0, 0);
}

const struct op_rule op_rule_embedding_bag = {
    .types = bag_types,
    .shapes = bag_shapes,
    .runs_empty = true, /* empty bags have a sum */
    .more = &(const struct op_shape_rule){plan_bag},
};
