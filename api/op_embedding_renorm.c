/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnEmbeddingRenorm: the rows that indices name are put together, bounded, and put back. A row
 * that is named twice is bounded twice from what it was, and is the same both times. */
#include "api/op_norm.h"
#include "api/op_scatter.h"

enum { SELF, INDICES, MAX_NORM, NORM_TYPE };

static aclnnStatus renorm_shapes(struct op_problem *problem)
{
    const struct op_value *values = problem->values;
    const char *name = problem->row->name;
    OP_TRY(op_check_rank(name, "selfRef", values[SELF].tensor, 2, 2));
    OP_CHECK(name, values[MAX_NORM].real >= 0, ACLNN_ERR_PARAM_INVALID,
             "maxNorm is %g; it must be at least 0", values[MAX_NORM].real);
    OP_CHECK(name, values[NORM_TYPE].real >= 0, ACLNN_ERR_PARAM_INVALID,
             "normType is %g; it must be at least 0", values[NORM_TYPE].real);
    OP_CHECK(name,
             values[SELF].tensor->descriptor.sizes[0] > 0 || op_is_empty(values[INDICES].tensor),
             ACLNN_ERR_PARAM_INVALID, "selfRef has no rows; no index can name one");
    return ACLNN_SUCCESS;
}

static struct op_indexing rows_of(const struct op_shape_call *call, const struct op_place *table,
                                  const struct op_place *rows, const struct op_place *indices)
{
    struct op_indexing x = op_indexing_of(call, table, rows, "indices");
    op_indexing_axis(&x, rows->view.sizes[0], 0, rows->view.strides[0]);
    op_indexing_axis(&x, rows->view.sizes[1], table->view.strides[1], rows->view.strides[1]);
    op_indexing_tensor(&x, indices, 0, table->view.sizes[0], table->view.strides[0]);
    return x;
}

static void plan_renorm(const struct op_shape_call *call)
{
    const struct op_place self = op_target(call, SELF, 0);
    struct op_place indices = op_dense_source(call, INDICES);
    const int64_t count = op_element_count(indices.view.rank, indices.view.sizes);
    const int64_t offset = indices.view.offset, sizes[] = {count, self.view.sizes[1]};
    indices.view = op_view_dense(indices.view.type, 1, &count);
    indices.view.offset = offset;
    const struct op_place rows = op_scratch_place(call->plan, self.view.type, 2, sizes);
    struct op_indexing gather = rows_of(call, &self, &rows, &indices);
    op_gather(&gather);
    struct op_norm_call norm = {
        .plan = call->plan, .problem = call->problem, .buffers = call->buffers};
    op_norm_begin(&norm, K_NORM_RENORM, 2, sizes, 2);
    norm.norm.number[0] = call->problem->values[NORM_TYPE].real;
    norm.norm.number[1] = call->problem->values[MAX_NORM].real;
    op_norm_place(&norm, K_RENORM_X, rows.buffer, &rows.view, false);
    op_norm_place(&norm, K_RENORM_OUT, rows.buffer, &rows.view, true);
    op_norm_end(&norm, 2, NULL);
    struct op_indexing scatter = rows_of(call, &self, &rows, &indices);
    scatter.k.skips = true; /* the first step has told */
    op_scatter(&scatter, K_SET);
}

const struct op_rule op_rule_embedding_renorm = {
    .types = op_index_types,
    .shapes = renorm_shapes,
    .more = &(const struct op_shape_rule){plan_renorm},
};
