/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN's convolution, version 3. Layouts:
 *     any      each tensor as oneDNN likes it best; reorders are not timed
 *     reorder  the same between plain tensors: all reorders are timed
 *     nchw     plain activations
 *     nhwc     channels-last activations
 * In the last two the weights are as oneDNN likes them best, made before the clock starts. What
 * only its reference code implements takes no part. Compiled once per oneDNN that CMake finds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <oneapi/dnnl/dnnl.h>

#include "tests/bench/conv_contender.h"
#include "tests/bench/onednn_call.h"
#include "tests/bench/stats.h"

enum form { FORM_ANY, FORM_REORDER, FORM_NCHW, FORM_NHWC, FORMS };

struct side {
    bool is_result, is_used;
    dnnl_memory_desc_t plain, own;
    void *plain_data, *own_data;
    dnnl_memory_t plain_memory, own_memory;
    dnnl_primitive_t reorder; /* towards own for what is read, towards plain for results */
    int argument;
};

struct slot {
    const struct conv_problem *problem;
    enum form form;
    struct side side[LAYER_TENSORS];
    dnnl_primitive_desc_t description;
    dnnl_primitive_t primitive;
};

static dnnl_engine_t engine;
static dnnl_stream_t stream;
static struct slot slots[CONV_SLOTS];
static bool must_wait; /* execute returns before the work is done */

static void clear(int slot)
{
    struct slot *s = &slots[slot];
    for (int i = 0; i < LAYER_TENSORS; i++) {
        struct side *side = &s->side[i];
        if (side->reorder != NULL) dnnl_primitive_destroy(side->reorder);
        if (side->plain_memory != NULL) dnnl_memory_destroy(side->plain_memory);
        if (side->own_memory != NULL) dnnl_memory_destroy(side->own_memory);
        if (side->plain != NULL) dnnl_memory_desc_destroy(side->plain);
        if (side->own != NULL) dnnl_memory_desc_destroy(side->own);
        free(side->plain_data);
        free(side->own_data);
    }
    if (s->primitive != NULL) dnnl_primitive_destroy(s->primitive);
    if (s->description != NULL) dnnl_primitive_desc_destroy(s->description);
    *s = (struct slot){0};
}

/* ---- what is computed ---- */

static bool make_layout(const struct slot *s, int tensor, bool is_plain, dnnl_memory_desc_t *to,
                        char *note, size_t note_size)
{
    static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_bf16, dnnl_f16};
    static const dnnl_format_tag_t first[] = {dnnl_ncw, dnnl_nchw, dnnl_ncdhw},
                                   last[] = {dnnl_nwc, dnnl_nhwc, dnnl_ndhwc},
                                   weights[] = {dnnl_oiw, dnnl_oihw, dnnl_oidhw},
                                   grouped[] = {dnnl_goiw, dnnl_goihw, dnnl_goidhw};
    const struct conv_layer *l = &s->problem->layer;
    int64_t dims[LAYER_RANK];
    int rank = layer_dims(l, (enum layer_tensor)tensor, dims);
    dnnl_dims_t own = {0};
    dnnl_format_tag_t tag = first[l->axes - 1];
    const bool is_grouped = tensor == LAYER_W && l->groups > 1;
    for (int i = 0; i < rank; i++)
        own[i + is_grouped] = dims[i];
    if (is_grouped) {
        own[0] = l->groups;
        own[1] = dims[0] / l->groups;
        rank++;
    }
    if (tensor == LAYER_W) tag = is_grouped ? grouped[l->axes - 1] : weights[l->axes - 1];
    if (tensor == LAYER_B) tag = dnnl_a;
    const bool is_activation = tensor == LAYER_X || tensor == LAYER_Y;
    if (!is_plain && is_activation && s->form == FORM_NHWC) tag = last[l->axes - 1];
    if (!is_plain && tensor != LAYER_B &&
        (s->form == FORM_ANY || s->form == FORM_REORDER || tensor == LAYER_W))
        tag = dnnl_format_tag_any;
    TRY(dnnl_memory_desc_create_with_tag(to, rank, own, types[s->problem->dtype], tag));
    return true;
}

static dnnl_status_t create(struct slot *s, const dnnl_memory_desc_t d[LAYER_TENSORS])
{
    const struct conv_layer *l = &s->problem->layer;
    dnnl_dims_t stride, dilation, begin, end;
    dnnl_primitive_desc_t forward = NULL;
    for (int i = 0; i < l->axes; i++) {
        stride[i] = l->stride[i];
        dilation[i] = l->dilation[i] - 1;
        begin[i] = l->pad[i];
        end[i] = (l->out[i] - 1) * l->stride[i] + (l->kernel[i] - 1) * l->dilation[i] + 1 -
                 l->size[i] - l->pad[i];
    }
    dnnl_status_t status = dnnl_convolution_forward_primitive_desc_create(
        &forward, engine, dnnl_forward_training, dnnl_convolution_direct, d[LAYER_X], d[LAYER_W],
        d[LAYER_B], d[LAYER_Y], stride, dilation, begin, end, NULL);
    if (status != dnnl_success) return status;
    if (s->problem->pass == LAYER_FORWARD) {
        s->description = forward;
        return dnnl_success;
    }
    if (s->problem->pass == LAYER_DATA)
        status = dnnl_convolution_backward_data_primitive_desc_create(
            &s->description, engine, dnnl_convolution_direct, d[LAYER_X], d[LAYER_W], d[LAYER_Y],
            stride, dilation, begin, end, forward, NULL);
    else
        status = dnnl_convolution_backward_weights_primitive_desc_create(
            &s->description, engine, dnnl_convolution_direct, d[LAYER_X], d[LAYER_W], d[LAYER_B],
            d[LAYER_Y], stride, dilation, begin, end, forward, NULL);
    dnnl_primitive_desc_destroy(forward);
    return status;
}

/* Which tensors take part, as which argument, in which layout. */
static bool make_sides(struct slot *s, char *note, size_t note_size)
{
    static const struct {
        int argument;
        dnnl_query_t query;
        int index;
        bool is_result;
    } parts[LAYER_PASSES][LAYER_TENSORS] = {
        [LAYER_FORWARD] = {{DNNL_ARG_SRC, dnnl_query_src_md, 0, false},
                           {DNNL_ARG_WEIGHTS, dnnl_query_weights_md, 0, false},
                           {DNNL_ARG_DST, dnnl_query_dst_md, 0, true},
                           {DNNL_ARG_BIAS, dnnl_query_weights_md, 1, false}},
        [LAYER_DATA] = {{DNNL_ARG_DIFF_SRC, dnnl_query_diff_src_md, 0, true},
                        {DNNL_ARG_WEIGHTS, dnnl_query_weights_md, 0, false},
                        {DNNL_ARG_DIFF_DST, dnnl_query_diff_dst_md, 0, false},
                        {0, dnnl_query_undef, 0, false}},
        [LAYER_WEIGHT] = {{DNNL_ARG_SRC, dnnl_query_src_md, 0, false},
                          {DNNL_ARG_DIFF_WEIGHTS, dnnl_query_diff_weights_md, 0, true},
                          {DNNL_ARG_DIFF_DST, dnnl_query_diff_dst_md, 0, false},
                          {DNNL_ARG_DIFF_BIAS, dnnl_query_diff_weights_md, 1, true}},
    };
    for (int i = 0; i < LAYER_TENSORS; i++) {
        struct side *side = &s->side[i];
        const int pass = (int)s->problem->pass;
        side->is_used = parts[pass][i].argument != 0;
        if (!side->is_used) continue;
        side->argument = parts[pass][i].argument;
        side->is_result = parts[pass][i].is_result;
        TRY(dnnl_memory_desc_clone(&side->own, dnnl_primitive_desc_query_md(s->description,
                                                                            parts[pass][i].query,
                                                                            parts[pass][i].index)));
        if (!make_layout(s, i, true, &side->plain, note, note_size)) return false;
    }
    return true;
}

static int reorder(const struct side *side)
{
    const dnnl_memory_t from = side->is_result ? side->own_memory : side->plain_memory;
    const dnnl_memory_t to = side->is_result ? side->plain_memory : side->own_memory;
    const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
    return (int)dnnl_primitive_execute(side->reorder, stream, 2, arguments);
}

static bool make_memory(struct slot *s, int tensor, char *note, size_t note_size)
{
    struct side *side = &s->side[tensor];
    if (!side->is_used) return true;
    side->plain_data = conv_memory(dnnl_memory_desc_get_size(side->plain));
    TRY(dnnl_memory_create(&side->plain_memory, side->plain, engine, side->plain_data));
    if (!side->is_result &&
        !conv_read(s->problem, (enum layer_tensor)tensor, side->plain_data, note, note_size))
        return false;
    if (dnnl_memory_desc_equal(side->plain, side->own)) {
        TRY(dnnl_memory_create(&side->own_memory, side->own, engine, side->plain_data));
        return true;
    }
    dnnl_primitive_desc_t description;
    side->own_data = conv_memory(dnnl_memory_desc_get_size(side->own));
    TRY(dnnl_memory_create(&side->own_memory, side->own, engine, side->own_data));
    TRY(dnnl_reorder_primitive_desc_create(&description, side->is_result ? side->own : side->plain,
                                           engine, side->is_result ? side->plain : side->own,
                                           engine, NULL));
    const dnnl_status_t status = dnnl_primitive_create(&side->reorder, description);
    dnnl_primitive_desc_destroy(description);
    TRY(status);
    if (!side->is_result) TRY((dnnl_status_t)reorder(side));
    TRY(dnnl_stream_wait(stream));
    return true;
}

static bool set_up(int slot, const struct conv_problem *problem, char *note, size_t note_size)
{
    static const char *const forms[FORMS] = {"any", "reorder", "nchw", "nhwc"};
    struct slot *s = &slots[slot];
    const char *name = "";
    *s = (struct slot){.problem = problem};
    while (s->form < FORMS && strcmp(problem->layout, forms[s->form]) != 0)
        s->form++;
    if (s->form == FORMS) {
        snprintf(note, note_size, "no such layout");
        return false;
    }
    dnnl_memory_desc_t wanted[LAYER_TENSORS] = {NULL};
    bool is_made = true;
    for (int i = 0; i < LAYER_TENSORS; i++)
        is_made = is_made && make_layout(s, i, false, &wanted[i], note, note_size);
    is_made = is_made && ok(create(s, wanted), "a description", note, note_size);
    for (int i = 0; i < LAYER_TENSORS; i++)
        if (wanted[i] != NULL) dnnl_memory_desc_destroy(wanted[i]);
    if (!is_made) return false;
    dnnl_primitive_desc_query(s->description, dnnl_query_impl_info_str, 0, &name);
    if (strncmp(name, "ref", 3) == 0 || strstr(name, "+ref") != NULL) {
        snprintf(note, note_size, "only oneDNN's reference code does it");
        return false;
    }
    TRY(dnnl_primitive_create(&s->primitive, s->description));
    if (!make_sides(s, note, note_size)) return false;
    for (int i = 0; i < LAYER_TENSORS; i++)
        if (!make_memory(s, i, note, note_size)) return false;
    snprintf(note, note_size, "%s", name);
    return true;
}

/* ---- running ---- */

static int execute(const struct slot *s)
{
    dnnl_exec_arg_t arguments[LAYER_TENSORS];
    int count = 0, status = 0;
    const bool reorders = s->form == FORM_REORDER;
    for (int i = 0; i < LAYER_TENSORS; i++) {
        const struct side *side = &s->side[i];
        if (!side->is_used) continue;
        arguments[count++] = (dnnl_exec_arg_t){side->argument, side->own_memory};
        if (reorders && !side->is_result && side->reorder != NULL) status |= reorder(side);
    }
    status |= (int)dnnl_primitive_execute(s->primitive, stream, count, arguments);
    for (int i = 0; i < LAYER_TENSORS; i++)
        if (reorders && s->side[i].is_result && s->side[i].reorder != NULL)
            status |= reorder(&s->side[i]);
    return must_wait ? status | (int)dnnl_stream_wait(stream) : status;
}

static double run(int slot, int64_t count)
{
    int status = 0;
    const double begin = stats_now();
    for (int64_t i = 0; i < count; i++)
        status |= execute(&slots[slot]);
    const double seconds = stats_now() - begin;
    if (status != 0) {
        fprintf(stderr, "oneDNN's execute failed\n");
        exit(1);
    }
    return seconds;
}

static void poison(int slot)
{
    for (int i = 0; i < LAYER_TENSORS; i++) {
        struct side *side = &slots[slot].side[i];
        if (!side->is_result) continue;
        memset(side->plain_data, 0xFF, dnnl_memory_desc_get_size(side->plain));
        if (side->own_data != NULL)
            memset(side->own_data, 0xFF, dnnl_memory_desc_get_size(side->own));
    }
}

static bool result(int slot, void *dense)
{
    char *to = dense;
    for (int i = 0; i < LAYER_TENSORS; i++) {
        struct side *side = &slots[slot].side[i];
        if (!side->is_result) continue;
        if (side->reorder != NULL && reorder(side) != 0) return false;
        if (dnnl_stream_wait(stream) != dnnl_success) return false;
        const size_t bytes = dnnl_memory_desc_get_size(side->plain);
        memcpy(to, side->plain_data, bytes);
        to += bytes;
    }
    return true;
}

static void hello(cJSON *reply)
{
    char text[64];
    const dnnl_version_t *version = dnnl_version();
    const bool is_sycl = version->cpu_runtime == DNNL_RUNTIME_SYCL;
    snprintf(text, sizeof text, "%d.%d.%d %s", version->major, version->minor, version->patch,
             is_sycl ? "SYCL" : "OpenMP");
    cJSON_AddStringToObject(reply, "version", text);
}

int main(void)
{
    if (!onednn_begin(&engine, &stream, &must_wait)) return 1;
    return conv_serve(&(struct conv_contender){
        .name = "oneDNN",
        .hello = hello,
        .set_up = set_up,
        .run = run,
        .poison = poison,
        .result = result,
        .clear = clear,
    });
}
