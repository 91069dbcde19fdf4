/* SPDX-License-Identifier: Apache-2.0 */
/* For each word of a line the primitive that computes the same. Scales and shifts, of which there
 * are few, are given and taken as f32, whatever the case's type: oneDNN knows no other everywhere.
 * Where we write 1 / deviation, it writes the variance. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/onednn_call.h"
#include "tests/bench/tensor_data.h"
#include "tests/bench/tensor_onednn.h"

enum { GROUPS = 32 };
#define HAS(minor) (DNNL_VERSION_MAJOR > 3 || DNNL_VERSION_MINOR >= (minor))
#define EPSILON    1e-5F

/* In functions that have the call c and return whether they succeeded. */
#define TRY_IT(call)                                                                               \
    do {                                                                                           \
        if (!ok((call), "making it", c->note, ONEDNN_NOTE)) return false;                          \
    } while (0)

/* ---- tensors ---- */

static dnnl_data_type_t type_of(const struct tensor_spec *spec)
{
    if (strcmp(spec->type, "f32") == 0) return dnnl_f32;
    if (strcmp(spec->type, "f16") == 0) return dnnl_f16;
    if (strcmp(spec->type, "bf16") == 0) return dnnl_bf16;
    return strcmp(spec->type, "bool") == 0 ? dnnl_u8 : dnnl_data_type_undef;
}

/* The tensor with axes of one element put before its own. */
static bool make_layout(struct onednn_call *c, int tensor, int rank, dnnl_data_type_t type)
{
    const struct tensor_spec *spec = &c->line.tensor[tensor];
    dnnl_dims_t dims, strides;
    for (int i = 0; i < rank; i++) {
        const int own = i - (rank - spec->rank);
        dims[i] = own < 0 ? 1 : spec->dims[own];
        strides[i] = own < 0 ? spec->elements : spec->strides[own];
    }
    if (c->layout[tensor]) dnnl_memory_desc_destroy(c->layout[tensor]);
    c->layout[tensor] = NULL;
    TRY_IT(dnnl_memory_desc_create_with_strides(&c->layout[tensor], rank, dims, type, strides));
    return true;
}

static bool make_layouts(struct onednn_call *c)
{
    int rank = 1;
    for (int i = 0; i < c->line.tensors; i++)
        if (c->line.tensor[i].rank > rank) rank = c->line.tensor[i].rank;
    for (int i = 0; i < c->line.tensors; i++) {
        const dnnl_data_type_t type = type_of(&c->line.tensor[i]);
        if (type == dnnl_data_type_undef) {
            snprintf(c->note, ONEDNN_NOTE, "oneDNN has no type %s", c->line.tensor[i].type);
            return false;
        }
        if (!make_layout(c, i, rank, type)) return false;
    }
    return true;
}

/* A tensor is an argument as it is. */
static bool add(struct onednn_call *c, int argument, int tensor)
{
    if (c->memory[tensor] == NULL)
        TRY_IT(
            dnnl_memory_create(&c->memory[tensor], c->layout[tensor], c->engine, c->data[tensor]));
    c->arguments[c->count++] = (dnnl_exec_arg_t){argument, c->memory[tensor]};
    return true;
}

/* An argument of f32, count elements, that is no tensor of the line; NULL: see the note. */
static float *add_own(struct onednn_call *c, int argument, int rank, const dnnl_dim_t *dims)
{
    dnnl_dims_t strides;
    dnnl_dim_t count = 1;
    for (int i = rank - 1; i >= 0; count *= dims[i--])
        strides[i] = count;
    float *data = onednn_memory((size_t)count * sizeof *data);
    memset(data, 0xFF, (size_t)count * sizeof *data);
    const int own = c->own++;
    c->own_data[own] = data;
    if (!ok(dnnl_memory_desc_create_with_strides(&c->own_layout[own], rank, dims, dnnl_f32,
                                                 strides),
            "a layout", c->note, ONEDNN_NOTE) ||
        !ok(dnnl_memory_create(&c->own_memory[own], c->own_layout[own], c->engine, data), "memory",
            c->note, ONEDNN_NOTE))
        return NULL;
    c->arguments[c->count++] = (dnnl_exec_arg_t){argument, c->own_memory[own]};
    return data;
}

/* The tensor's elements as a vector of f32: scales, shifts. */
static bool add_vector(struct onednn_call *c, int argument, int tensor)
{
    const struct tensor_spec *spec = &c->line.tensor[tensor];
    const dnnl_dims_t dims = {spec->elements};
    float *data = add_own(c, argument, 1, dims);
    for (int64_t i = 0; data != NULL && i < spec->elements; i++)
        data[i] = (float)tensor_read(spec, c->data[tensor], i);
    return data != NULL;
}

/* ---- operators ---- */

struct primitive_row;
typedef bool make_fn(struct onednn_call *c, const struct primitive_row *row);

struct primitive_row {
    const char *word;
    make_fn *make;
    dnnl_alg_kind_t algorithm;
    float alpha, beta;
};

static int last_axis(const struct onednn_call *c)
{
    return c->line.tensor[0].rank - 1;
}

static bool eltwise(struct onednn_call *c, const struct primitive_row *row)
{
    TRY_IT(dnnl_eltwise_forward_primitive_desc_create(
        &c->description, c->engine, dnnl_forward_inference, row->algorithm, c->layout[0],
        c->layout[1], row->alpha, row->beta, NULL));
    return add(c, DNNL_ARG_SRC, 0) && add(c, DNNL_ARG_DST, 1);
}

static bool eltwise_backward(struct onednn_call *c, const struct primitive_row *row)
{
    TRY_IT(dnnl_eltwise_forward_primitive_desc_create(&c->hint, c->engine, dnnl_forward_training,
                                                      row->algorithm, c->layout[1], c->layout[1],
                                                      row->alpha, row->beta, NULL));
    TRY_IT(dnnl_eltwise_backward_primitive_desc_create(&c->description, c->engine, row->algorithm,
                                                       c->layout[2], c->layout[0], c->layout[1],
                                                       row->alpha, row->beta, c->hint, NULL));
    return add(c, DNNL_ARG_DIFF_DST, 0) && add(c, DNNL_ARG_SRC, 1) && add(c, DNNL_ARG_DIFF_SRC, 2);
}

static bool binary(struct onednn_call *c, const struct primitive_row *row)
{
    TRY_IT(dnnl_binary_primitive_desc_create(&c->description, c->engine, row->algorithm,
                                             c->layout[0], c->layout[1], c->layout[2], NULL));
    return add(c, DNNL_ARG_SRC_0, 0) && add(c, DNNL_ARG_SRC_1, 1) && add(c, DNNL_ARG_DST, 2);
}

#if HAS(9)
static bool select_one(struct onednn_call *c, const struct primitive_row *row)
{
    if (!make_layout(c, 0, c->line.tensor[3].rank, dnnl_s8)) return false;
    TRY_IT(dnnl_binary_primitive_desc_create_v2(&c->description, c->engine, row->algorithm,
                                                c->layout[1], c->layout[2], c->layout[0],
                                                c->layout[3], NULL));
    return add(c, DNNL_ARG_SRC_0, 1) && add(c, DNNL_ARG_SRC_1, 2) && add(c, DNNL_ARG_SRC_2, 0) &&
           add(c, DNNL_ARG_DST, 3);
}
#endif

/* A product, then operations on it before it is stored: times one half, plus the first tensor. */
static bool add_product(struct onednn_call *c, const struct primitive_row *row)
{
    dnnl_post_ops_t after;
    TRY_IT(dnnl_primitive_attr_create(&c->attributes));
    TRY_IT(dnnl_post_ops_create(&after));
    dnnl_status_t status = dnnl_post_ops_append_eltwise(after, dnnl_eltwise_linear, 0.5F, 0);
    if (status == dnnl_success)
        status = dnnl_post_ops_append_binary(after, dnnl_binary_add, c->layout[0]);
    if (status == dnnl_success) status = dnnl_primitive_attr_set_post_ops(c->attributes, after);
    dnnl_post_ops_destroy(after);
    TRY_IT(status);
    TRY_IT(dnnl_binary_primitive_desc_create(&c->description, c->engine, row->algorithm,
                                             c->layout[1], c->layout[2], c->layout[3],
                                             c->attributes));
    return add(c, DNNL_ARG_SRC_0, 1) && add(c, DNNL_ARG_SRC_1, 2) && add(c, DNNL_ARG_DST, 3) &&
           add(c, DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_SRC_1, 0);
}

static bool reorder(struct onednn_call *c, const struct primitive_row *row)
{
    (void)row;
    TRY_IT(dnnl_reorder_primitive_desc_create(&c->description, c->layout[0], c->engine,
                                              c->layout[1], c->engine, NULL));
    return add(c, DNNL_ARG_FROM, 0) && add(c, DNNL_ARG_TO, 1);
}

static bool concat(struct onednn_call *c, const struct primitive_row *row)
{
    (void)row;
    const const_dnnl_memory_desc_t from[] = {c->layout[0], c->layout[1]};
    TRY_IT(dnnl_concat_primitive_desc_create(&c->description, c->engine, c->layout[2], 2,
                                             last_axis(c), from, NULL));
    return add(c, DNNL_ARG_MULTIPLE_SRC, 0) && add(c, DNNL_ARG_MULTIPLE_SRC + 1, 1) &&
           add(c, DNNL_ARG_DST, 2);
}

/* alpha: along the first axis, not the last. The result keeps the axis, with one element. */
static bool reduction(struct onednn_call *c, const struct primitive_row *row)
{
    const int axis = row->alpha != 0 ? 0 : last_axis(c), rank = last_axis(c) + 1;
    const struct tensor_spec *from = &c->line.tensor[0];
    dnnl_dims_t dims, strides;
    dnnl_dim_t count = 1;
    for (int i = rank - 1; i >= 0; count *= dims[i--]) {
        dims[i] = i == axis ? 1 : from->dims[i];
        strides[i] = count;
    }
    dnnl_memory_desc_destroy(c->layout[1]);
    c->layout[1] = NULL;
    TRY_IT(dnnl_memory_desc_create_with_strides(&c->layout[1], rank, dims,
                                                type_of(&c->line.tensor[1]), strides));
    TRY_IT(dnnl_reduction_primitive_desc_create(&c->description, c->engine, row->algorithm,
                                                c->layout[0], c->layout[1], 0, 0, NULL));
    return add(c, DNNL_ARG_SRC, 0) && add(c, DNNL_ARG_DST, 1);
}

static bool softmax(struct onednn_call *c, const struct primitive_row *row)
{
    TRY_IT(dnnl_softmax_forward_primitive_desc_create(
        &c->description, c->engine, dnnl_forward_inference, row->algorithm, c->layout[0],
        c->layout[1], last_axis(c), NULL));
    return add(c, DNNL_ARG_SRC, 0) && add(c, DNNL_ARG_DST, 1);
}

static bool softmax_backward(struct onednn_call *c, const struct primitive_row *row)
{
    TRY_IT(dnnl_softmax_forward_primitive_desc_create(&c->hint, c->engine, dnnl_forward_training,
                                                      row->algorithm, c->layout[1], c->layout[1],
                                                      last_axis(c), NULL));
    TRY_IT(dnnl_softmax_backward_primitive_desc_create(&c->description, c->engine, row->algorithm,
                                                       c->layout[2], c->layout[0], c->layout[1],
                                                       last_axis(c), c->hint, NULL));
    return add(c, DNNL_ARG_DIFF_DST, 0) && add(c, DNNL_ARG_DST, 1) && add(c, DNNL_ARG_DIFF_SRC, 2);
}

/* ---- normalisation ---- */

/* Rows' statistics have no axis for the elements. */
static bool make_statistics(struct onednn_call *c, dnnl_memory_desc_t *layout)
{
    dnnl_dims_t dims, strides;
    dnnl_dim_t count = 1;
    for (int i = last_axis(c) - 1; i >= 0; count *= dims[i--]) {
        dims[i] = c->line.tensor[0].dims[i];
        strides[i] = count;
    }
    TRY_IT(dnnl_memory_desc_create_with_strides(layout, last_axis(c), dims, dnnl_f32, strides));
    return true;
}

static float *add_statistics(struct onednn_call *c, int argument)
{
    return add_own(c, argument, last_axis(c), c->line.tensor[0].dims);
}

/* alpha: by the root of the mean square alone. */
static bool layer_norm(struct onednn_call *c, const struct primitive_row *row)
{
    const bool is_rms = row->alpha != 0;
    const int y = c->line.inputs;
    unsigned flags = dnnl_use_scale | dnnl_use_shift;
#if HAS(9)
    if (is_rms) flags = dnnl_use_scale | dnnl_rms_norm;
#endif
    dnnl_memory_desc_t statistics;
    if (!make_statistics(c, &statistics)) return false;
    const dnnl_status_t status = dnnl_layer_normalization_forward_primitive_desc_create(
        &c->description, c->engine, dnnl_forward_training, c->layout[0], c->layout[y], statistics,
        is_rms ? 1e-6F : EPSILON, flags, NULL);
    dnnl_memory_desc_destroy(statistics);
    TRY_IT(status);
    return add(c, DNNL_ARG_SRC, 0) && add(c, DNNL_ARG_DST, y) && add_vector(c, DNNL_ARG_SCALE, 1) &&
           (is_rms ||
            (add_vector(c, DNNL_ARG_SHIFT, 2) && add_statistics(c, DNNL_ARG_MEAN) != NULL)) &&
           add_statistics(c, DNNL_ARG_VARIANCE) != NULL;
}

static bool add_moments(struct onednn_call *c)
{
    float *mean = add_statistics(c, DNNL_ARG_MEAN);
    float *variance = add_statistics(c, DNNL_ARG_VARIANCE);
    if (mean == NULL || variance == NULL) return false;
    for (int64_t i = 0; i < c->line.tensor[3].elements; i++) {
        const double inverse = tensor_read(&c->line.tensor[3], c->data[3], i);
        mean[i] = (float)tensor_read(&c->line.tensor[2], c->data[2], i);
        variance[i] = (float)(1 / (inverse * inverse)) - EPSILON;
    }
    return true;
}

/* Of gradient, input, mean, 1 / deviation, scale, shift. */
static bool layer_norm_backward(struct onednn_call *c, const struct primitive_row *row)
{
    (void)row;
    const unsigned flags = dnnl_use_scale | dnnl_use_shift;
    const dnnl_dims_t elements = {c->line.tensor[0].dims[last_axis(c)]};
    dnnl_memory_desc_t statistics;
    if (!make_statistics(c, &statistics)) return false;
    dnnl_status_t status = dnnl_layer_normalization_forward_primitive_desc_create(
        &c->hint, c->engine, dnnl_forward_training, c->layout[1], c->layout[0], statistics, EPSILON,
        flags, NULL);
    if (status == dnnl_success)
        status = dnnl_layer_normalization_backward_primitive_desc_create(
            &c->description, c->engine, dnnl_backward, c->layout[6], c->layout[0], c->layout[1],
            statistics, EPSILON, flags, c->hint, NULL);
    dnnl_memory_desc_destroy(statistics);
    TRY_IT(status);
    return add(c, DNNL_ARG_DIFF_DST, 0) && add(c, DNNL_ARG_SRC, 1) &&
           add(c, DNNL_ARG_DIFF_SRC, 6) && add_vector(c, DNNL_ARG_SCALE, 4) &&
           add_vector(c, DNNL_ARG_SHIFT, 5) && add_moments(c) &&
           add_own(c, DNNL_ARG_DIFF_SCALE, 1, elements) != NULL &&
           add_own(c, DNNL_ARG_DIFF_SHIFT, 1, elements) != NULL;
}

static bool batch_norm(struct onednn_call *c, const struct primitive_row *row)
{
    (void)row;
    const dnnl_dims_t channels = {c->line.tensor[0].dims[1]};
    TRY_IT(dnnl_batch_normalization_forward_primitive_desc_create(
        &c->description, c->engine, dnnl_forward_training, c->layout[0], c->layout[3], EPSILON,
        dnnl_use_scale | dnnl_use_shift, NULL));
    return add(c, DNNL_ARG_SRC, 0) && add(c, DNNL_ARG_DST, 3) && add_vector(c, DNNL_ARG_SCALE, 1) &&
           add_vector(c, DNNL_ARG_SHIFT, 2) && add_own(c, DNNL_ARG_MEAN, 1, channels) != NULL &&
           add_own(c, DNNL_ARG_VARIANCE, 1, channels) != NULL;
}

#if HAS(3)
static bool group_norm(struct onednn_call *c, const struct primitive_row *row)
{
    (void)row;
    const dnnl_dims_t groups = {c->line.tensor[0].dims[0], GROUPS};
    TRY_IT(dnnl_group_normalization_forward_primitive_desc_create(
        &c->description, c->engine, dnnl_forward_training, c->layout[0], c->layout[3], GROUPS,
        EPSILON, dnnl_use_scale | dnnl_use_shift, NULL));
    return add(c, DNNL_ARG_SRC, 0) && add(c, DNNL_ARG_DST, 3) && add_vector(c, DNNL_ARG_SCALE, 1) &&
           add_vector(c, DNNL_ARG_SHIFT, 2) && add_own(c, DNNL_ARG_MEAN, 2, groups) != NULL &&
           add_own(c, DNNL_ARG_VARIANCE, 2, groups) != NULL;
}
#endif

/* ---- the list ---- */

static const struct primitive_row operators[] = {
    {"relu", eltwise, dnnl_eltwise_relu, 0, 0},
    {"gelu", eltwise, dnnl_eltwise_gelu_erf, 0, 0},
    {"silu", eltwise, dnnl_eltwise_swish, 1, 0},
    {"exp", eltwise, dnnl_eltwise_exp, 0, 0},
    {"log", eltwise, dnnl_eltwise_log, 0, 0},
    {"tanh", eltwise, dnnl_eltwise_tanh, 0, 0},
    {"sqrt", eltwise, dnnl_eltwise_sqrt, 0, 0},
    {"abs", eltwise, dnnl_eltwise_abs, 0, 0},
    {"sigmoid", eltwise, dnnl_eltwise_logistic, 0, 0},
    {"mish", eltwise, dnnl_eltwise_mish, 0, 0},
    {"elu", eltwise, dnnl_eltwise_elu, 1, 0},
    {"softplus", eltwise, dnnl_eltwise_soft_relu, 1, 0},
    {"hardswish", eltwise, dnnl_eltwise_hardswish, 1.0F / 6, 0.5F},
    {"hardsigmoid", eltwise, dnnl_eltwise_hardsigmoid, 1.0F / 6, 0.5F},
    {"round", eltwise, dnnl_eltwise_round, 0, 0},
    {"clamp", eltwise, dnnl_eltwise_clip, -0.5F, 0.5F},
    {"relu_backward", eltwise_backward, dnnl_eltwise_relu, 0, 0},
    {"gelu_backward", eltwise_backward, dnnl_eltwise_gelu_erf, 0, 0},
    {"silu_backward", eltwise_backward, dnnl_eltwise_swish, 1, 0},
    {"add", binary, dnnl_binary_add, 0, 0},
    {"sub", binary, dnnl_binary_sub, 0, 0},
    {"mul", binary, dnnl_binary_mul, 0, 0},
    {"div", binary, dnnl_binary_div, 0, 0},
    {"maximum", binary, dnnl_binary_max, 0, 0},
    {"minimum", binary, dnnl_binary_min, 0, 0},
    {"lt", binary, dnnl_binary_lt, 0, 0},
    {"le", binary, dnnl_binary_le, 0, 0},
    {"gt", binary, dnnl_binary_gt, 0, 0},
    {"ge", binary, dnnl_binary_ge, 0, 0},
    {"eq", binary, dnnl_binary_eq, 0, 0},
    {"ne", binary, dnnl_binary_ne, 0, 0},
    {"addcmul", add_product, dnnl_binary_mul, 0, 0},
#if HAS(9)
    {"where", select_one, dnnl_binary_select, 0, 0},
    {"rms_norm", layer_norm, dnnl_alg_kind_undef, 1, 0},
#endif
    {"copy", reorder, dnnl_alg_kind_undef, 0, 0},
    {"cast", reorder, dnnl_alg_kind_undef, 0, 0},
    {"cat", concat, dnnl_alg_kind_undef, 0, 0},
    {"sum", reduction, dnnl_reduction_sum, 1, 0},
    {"sum_columns", reduction, dnnl_reduction_sum, 1, 0},
    {"sum_rows", reduction, dnnl_reduction_sum, 0, 0},
    {"mean_rows", reduction, dnnl_reduction_mean, 0, 0},
    {"amax_rows", reduction, dnnl_reduction_max, 0, 0},
    {"amin_rows", reduction, dnnl_reduction_min, 0, 0},
    {"prod_rows", reduction, dnnl_reduction_mul, 0, 0},
    {"softmax", softmax, dnnl_softmax_accurate, 0, 0},
    {"log_softmax", softmax, dnnl_softmax_log, 0, 0},
    {"softmax_backward", softmax_backward, dnnl_softmax_accurate, 0, 0},
    {"log_softmax_backward", softmax_backward, dnnl_softmax_log, 0, 0},
    {"layer_norm", layer_norm, dnnl_alg_kind_undef, 0, 0},
    {"layer_norm_backward", layer_norm_backward, dnnl_alg_kind_undef, 0, 0},
    {"batch_norm", batch_norm, dnnl_alg_kind_undef, 0, 0},
#if HAS(3)
    {"group_norm", group_norm, dnnl_alg_kind_undef, 0, 0},
#endif
};

/* Plain loops for any layout, which reorders have where nothing better is; a concatenation has no
 * others, and one by reorders bears the name of reference code. */
static bool is_reference(const struct primitive_row *row, const char *name)
{
    if (row->make == concat) return false;
    if (row->make == reorder && strcmp(name, "simple:any") == 0) return true;
    return strncmp(name, "ref", 3) == 0 || strstr(name, "+ref") != NULL;
}

/* The note of a call that is made is its implementation's name. */
static bool finish(struct onednn_call *c, const struct primitive_row *row)
{
    const char *name = "";
    dnnl_primitive_desc_query(c->description, dnnl_query_impl_info_str, 0, &name);
    if (is_reference(row, name)) {
        snprintf(c->note, ONEDNN_NOTE, "only oneDNN's reference code does it (%s)", name);
        return false;
    }
    TRY_IT(dnnl_primitive_create(&c->primitive, c->description));
    snprintf(c->note, ONEDNN_NOTE, "%s", name);
    return true;
}

bool onednn_make(struct onednn_call *c)
{
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
        if (strcmp(operators[i].word, c->line.op) == 0)
            return make_layouts(c) && operators[i].make(c, &operators[i]) &&
                   finish(c, &operators[i]);
    snprintf(c->note, ONEDNN_NOTE, "oneDNN has no such operator");
    return false;
}
