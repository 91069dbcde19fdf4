/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnBincount and aclnnHistc: how many elements there are of each kind. */
#include <math.h>
#include <stdio.h>

#include "api/op_scatter.h"
#include "kernels/index/k_search.h"
#include "runtime/support/base.h"

/* ---- aclnnBincount ---- */

enum { SELF, WEIGHTS, MINLENGTH, BINCOUNT_OUT };

static aclnnStatus bincount_types(struct op_problem *problem)
{
    const struct op_value *values = problem->values;
    const char *name = problem->row->name;
    const uint64_t results =
        OP_TYPE(ACL_INT32) | OP_TYPE(ACL_INT64) | OP_TYPE(ACL_FLOAT) | OP_TYPE(ACL_DOUBLE);
    OP_TRY(op_check_type(name, "self", values[SELF].tensor, problem->row->types,
                         problem->row->type_names));
    if (values[WEIGHTS].tensor) {
        const aclDataType type = (aclDataType)values[WEIGHTS].tensor->descriptor.data_type;
        OP_CHECK(name, type == ACL_BOOL || op_is_integer(type) || op_is_floating(type),
                 ACLNN_ERR_PARAM_INVALID, "weights has data type %s; it must be a real type",
                 op_data_type_name(type));
    }
    OP_TRY(op_check_type(name, "out", values[BINCOUNT_OUT].tensor, results,
                         "INT32, INT64, FLOAT, DOUBLE"));
    problem->type = problem->result =
        (aclDataType)values[BINCOUNT_OUT].tensor->descriptor.data_type;
    return ACLNN_SUCCESS;
}

static aclnnStatus bincount_shapes(struct op_problem *problem)
{
    const struct op_value *values = problem->values;
    const char *name = problem->row->name;
    OP_TRY(op_check_rank(name, "self", values[SELF].tensor, 1, 1));
    if (values[WEIGHTS].tensor)
        OP_TRY(op_check_same_shape(name, "weights", values[WEIGHTS].tensor, "self",
                                   values[SELF].tensor));
    OP_TRY(op_check_rank(name, "out", values[BINCOUNT_OUT].tensor, 1, 1));
    OP_CHECK(name, values[MINLENGTH].integer >= 0, ACLNN_ERR_PARAM_INVALID,
             "minlength is %" PRId64 "; it must not be negative", values[MINLENGTH].integer);
    OP_CHECK(name, values[BINCOUNT_OUT].tensor->descriptor.sizes[0] >= values[MINLENGTH].integer,
             ACLNN_ERR_PARAM_INVALID, "out has %" PRId64 " elements; minlength asks for %" PRId64,
             values[BINCOUNT_OUT].tensor->descriptor.sizes[0], values[MINLENGTH].integer);
    OP_CHECK(name, !op_is_empty(values[BINCOUNT_OUT].tensor) || op_is_empty(values[SELF].tensor),
             ACLNN_ERR_PARAM_INVALID, "out has no element; no element of self can be counted");
    return ACLNN_SUCCESS;
}

static void plan_bincount(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const int64_t count = problem->values[SELF].tensor->descriptor.sizes[0];
    struct op_place index = op_source(call, SELF, 0);
    const bool has_weights = problem->values[WEIGHTS].tensor != NULL;
    struct op_table table = op_table_of(
        call, &(const struct op_table_request){
                  .combine = K_ADD, .values = has_weights ? WEIGHTS : -1, .is_zero = true});
    if (count == 0) return;
    if (index.view.type != ACL_INT32 && index.view.type != ACL_INT64) {
        const struct op_place wide = op_scratch_place(call->plan, ACL_INT64, 1, &count);
        op_copy_place(call->plan, &index, &wide);
        index = wide;
    }
    if (!has_weights) {
        table.values = op_scratch_place(call->plan, problem->type, 0, NULL);
        op_fill_place(call->plan, &table.values, 1, 1);
    }
    struct op_indexing x = op_indexing_of(call, &table.place, &table.values, "self");
    op_indexing_axis(&x, count, 0, has_weights ? table.values.view.strides[0] : 0);
    op_indexing_tensor(&x, &index, 0, table.place.view.sizes[0], table.place.view.strides[0]);
    op_scatter(&x, K_ADD);
}

const struct op_rule op_rule_bincount = {
    .types = bincount_types,
    .shapes = bincount_shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){plan_bincount},
};

/* ---- aclnnHistc ---- */

enum { BINS = 1, MIN, MAX, HISTC_OUT };
enum { PART = 1 << 16, PARTS = 16 }; /* elements worth a part; parts at most */

static aclnnStatus histc_types(struct op_problem *problem)
{
    const struct op_value *values = problem->values;
    for (int i = SELF; i <= HISTC_OUT; i += HISTC_OUT)
        OP_TRY(op_check_type(problem->row->name, values[i].name, values[i].tensor,
                             problem->row->types, problem->row->type_names));
    problem->type = (aclDataType)values[SELF].tensor->descriptor.data_type;
    problem->result = (aclDataType)values[HISTC_OUT].tensor->descriptor.data_type;
    return ACLNN_SUCCESS;
}

static aclnnStatus histc_shapes(struct op_problem *problem)
{
    const struct op_value *values = problem->values;
    const double low = op_scalar_real(values[MIN].scalar),
                 high = op_scalar_real(values[MAX].scalar);
    OP_CHECK(problem->row->name, values[BINS].integer > 0, ACLNN_ERR_PARAM_INVALID,
             "bins is %" PRId64 "; it must be greater than 0", values[BINS].integer);
    OP_CHECK(problem->row->name, isfinite(low) && isfinite(high) && low <= high,
             ACLNN_ERR_PARAM_INVALID,
             "min is %g and max is %g; they must be finite, and min not "
             "greater",
             low, high);
    return op_check_shape(problem, &values[HISTC_OUT], values[HISTC_OUT].tensor, 1,
                          &values[BINS].integer);
}

static void describe_range(const void *parameters, void *const buffers[], int64_t position,
                           char *text, size_t size)
{
    (void)parameters, (void)buffers, (void)position;
    snprintf(text, size, "self has an element that is not finite, and min and max give no range");
}

static void plan_histc(const struct op_shape_call *call)
{
    const struct op_value *values = call->problem->values;
    const struct ex_descriptor *d = &values[SELF].tensor->descriptor;
    const bool is_single = op_is_floating(call->problem->type) && call->problem->type != ACL_DOUBLE;
    const struct op_place out = op_target(call, HISTC_OUT, 0);
    struct k_histogram p = {.dtype = is_single ? K_F32 : K_F64,
                            .elements = op_element_count(d->rank, d->sizes),
                            .bins = values[BINS].integer,
                            .low = op_scalar_real(values[MIN].scalar),
                            .high = op_scalar_real(values[MAX].scalar)};
    if (p.elements == 0) {
        op_fill_place(call->plan, &out, 0, 0);
        return;
    }
    p.has_range = p.low != p.high;
    p.parts = p.elements / PART < 1 ? 1 : p.elements / PART < PARTS ? p.elements / PART : PARTS;
    if (p.bins > p.elements) p.parts = 1;
    p.part = (p.elements + p.parts - 1) / p.parts;
    struct op_place self = op_source(call, SELF, 0);
    const aclDataType type = is_single ? ACL_FLOAT : ACL_DOUBLE;
    if (self.view.type != type || !op_view_is_dense(&self.view)) {
        const struct op_place copy = op_scratch_place(call->plan, type, d->rank, d->sizes);
        op_copy_place(call->plan, &self, &copy);
        self = copy;
    }
    const int64_t sizes[] = {p.parts + 1, p.bins}, ranges = 2 * p.parts;
    const struct op_place range = op_scratch_place(call->plan, ACL_DOUBLE, 1, &ranges);
    struct op_place counts = op_scratch_place(call->plan, ACL_INT64, 2, sizes);
    const int buffers[] = {self.buffer, range.buffer, counts.buffer};
    const struct k_work parts = {.items = p.parts, .grain = 1};
    ex_step(call->plan, "range", k_histogram_range, &p, sizeof p,
            p.has_range ? (struct k_work){.items = 1, .grain = 1} : parts, buffers, 3);
    ex_step_with_faults(call->plan, "histogram", k_histogram, &p, sizeof p, parts, buffers, 3,
                        describe_range);
    ex_step(call->plan, "sum", k_histogram_sum, &p, sizeof p,
            (struct k_work){.items = p.bins, .grain = 4096}, buffers, 3);
    counts.view = op_view_dense(ACL_INT64, 1, &p.bins);
    counts.view.offset = p.parts * p.bins;
    op_copy_place(call->plan, &counts, &out);
}

const struct op_rule op_rule_histc = {
    .types = histc_types,
    .shapes = histc_shapes,
    .runs_empty = true,
    .more = &(const struct op_shape_rule){plan_histc},
};
