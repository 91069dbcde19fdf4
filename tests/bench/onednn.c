/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN's pooling, versions 2 and 3: memory in the format asked for, primitives made once, execute
 * alone timed. Its indices are a workspace of its own kind, which its own forward pass makes.
 * Compiled once per oneDNN that CMake finds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <oneapi/dnnl/dnnl.h>

#include "tests/bench/contender.h"
#include "tests/bench/onednn_call.h"
#include "tests/bench/stats.h"

/* Version 3 hands out layouts, version 2 has them as plain structs. */
#if DNNL_VERSION_MAJOR >= 3
#define LAYOUT(layout) (layout)
#else
#define LAYOUT(layout) (&(layout))
#endif

/* The window as oneDNN names it. */
struct window {
    dnnl_alg_kind_t algorithm;
    dnnl_dims_t kernel, stride, pad_begin, pad_end;
};

enum { FORWARD, BACKWARD, PASSES };
enum { LARGE, SMALL, SIDES };

static dnnl_engine_t engine;
static dnnl_stream_t stream;
static dnnl_primitive_t pass[PASSES];
static bool is_timed[PASSES];
static dnnl_memory_t memory[CASE_TENSORS], workspace;
static void *data[CASE_TENSORS];
static dnnl_memory_desc_t layout[SIDES];
static struct bench_problem current;
static bool must_wait; /* execute returns before the work is done */

static void forget(void)
{
    for (int i = 0; i < PASSES; i++) {
        if (pass[i] != NULL) dnnl_primitive_destroy(pass[i]);
        pass[i] = NULL;
    }
    for (int i = 0; i < CASE_TENSORS; i++) {
        if (memory[i] != NULL) dnnl_memory_destroy(memory[i]);
        memory[i] = NULL;
        data[i] = NULL;
    }
    if (workspace != NULL) dnnl_memory_destroy(workspace);
    workspace = NULL;
#if DNNL_VERSION_MAJOR >= 3
    for (int i = 0; i < SIDES; i++) {
        if (layout[i] != NULL) dnnl_memory_desc_destroy(layout[i]);
        layout[i] = NULL;
    }
#endif
}

static bool make_layout(int side, char *note, size_t note_size)
{
    static const dnnl_data_type_t types[] = {
        [CASE_F32] = dnnl_f32, [CASE_F16] = dnnl_f16, [CASE_BF16] = dnnl_bf16};
    static const dnnl_format_tag_t tags[][BENCH_FORMATS] = {
        {dnnl_ncw, dnnl_nwc, dnnl_nCw16c},
        {dnnl_nchw, dnnl_nhwc, dnnl_nChw16c},
        {dnnl_ncdhw, dnnl_ndhwc, dnnl_nCdhw16c},
    };
    const struct test_case *test = &current.test;
    int64_t dims[BENCH_RANK];
    int rank = bench_dims(test, side == LARGE ? CASE_X : CASE_Y, dims);
    dnnl_format_tag_t tag = tags[test->axes - 1][current.format];
    dnnl_dims_t own = {0};
    for (int i = 0; i < rank; i++)
        own[i] = dims[i];
#if DNNL_VERSION_MAJOR >= 3
    TRY(dnnl_memory_desc_create_with_tag(&layout[side], rank, own, types[test->dtype], tag));
#else
    TRY(dnnl_memory_desc_init_by_tag(&layout[side], rank, own, types[test->dtype], tag));
#endif
    return true;
}

static bool is_average(void)
{
    return current.op->meaning == BENCH_AVERAGE || current.op->meaning == BENCH_AVERAGE_GRAD;
}

/* oneDNN derives no end padding: ceil mode needs the padding that the last window reaches into.
 * Bins of one size are windows side by side; other bins it does not have. */
static bool make_window(struct window *window)
{
    const struct test_case *test = &current.test;
    window->algorithm = !is_average()       ? dnnl_pooling_max
                        : test->exclude_pad ? dnnl_pooling_avg_exclude_padding
                                            : dnnl_pooling_avg_include_padding;
    for (int axis = 0; axis < test->axes; axis++) {
        struct case_window w = case_window(test, axis);
        if (test->kernel_length == 0) {
            if (w.output == 0 || w.input % w.output != 0) return false;
            w.kernel = w.stride = w.input / w.output;
            w.pad = w.pad_end = 0;
        }
        if (w.dilation != 1) return false;
        int64_t reached = (w.output - 1) * w.stride + w.kernel - w.input - w.pad;
        window->kernel[axis] = w.kernel;
        window->stride[axis] = w.stride;
        window->pad_begin[axis] = w.pad;
        window->pad_end[axis] = reached > w.pad_end ? reached : w.pad_end;
    }
    return test->divisor == 0;
}

static dnnl_status_t describe_forward(dnnl_primitive_desc_t *forward, dnnl_prop_kind_t kind,
                                      const struct window *w)
{
#if DNNL_VERSION_MAJOR >= 3
    const dnnl_dims_t no_dilation = {0};
    return dnnl_pooling_forward_primitive_desc_create(
        forward, engine, kind, w->algorithm, layout[LARGE], layout[SMALL], w->stride, w->kernel,
        no_dilation, w->pad_begin, w->pad_end, NULL);
#else
    dnnl_pooling_desc_t description;
    dnnl_status_t status = dnnl_pooling_forward_desc_init(&description, kind, w->algorithm,
                                                          &layout[LARGE], &layout[SMALL], w->stride,
                                                          w->kernel, w->pad_begin, w->pad_end);
    if (status != dnnl_success) return status;
    return dnnl_primitive_desc_create(forward, &description, NULL, engine, NULL);
#endif
}

static dnnl_status_t describe_backward(dnnl_primitive_desc_t *backward,
                                       const_dnnl_primitive_desc_t forward, const struct window *w)
{
#if DNNL_VERSION_MAJOR >= 3
    const dnnl_dims_t no_dilation = {0};
    return dnnl_pooling_backward_primitive_desc_create(
        backward, engine, w->algorithm, layout[LARGE], layout[SMALL], w->stride, w->kernel,
        no_dilation, w->pad_begin, w->pad_end, forward, NULL);
#else
    dnnl_pooling_desc_t description;
    dnnl_status_t status =
        dnnl_pooling_backward_desc_init(&description, w->algorithm, &layout[LARGE], &layout[SMALL],
                                        w->stride, w->kernel, w->pad_begin, w->pad_end);
    if (status != dnnl_success) return status;
    return dnnl_primitive_desc_create(backward, &description, NULL, engine, forward);
#endif
}

/* The implementation's name becomes the note. */
static bool make_pass(int which, dnnl_primitive_desc_t description, char *note, size_t note_size)
{
    const char *name = "";
    dnnl_primitive_desc_query(description, dnnl_query_impl_info_str, 0, &name);
    snprintf(note, note_size, "%s", name);
    TRY(dnnl_primitive_create(&pass[which], description));
    return true;
}

/* Max pooling's forward pass leaves its winners in the workspace. */
static bool make_passes(const struct window *window, char *note, size_t note_size)
{
    bool is_backward = bench_is_backward(current.op->meaning);
    bool is_training = is_backward || current.op->meaning == BENCH_MAX_INDICES;
    dnnl_primitive_desc_t forward = NULL, backward = NULL;
    TRY(describe_forward(&forward, is_training ? dnnl_forward_training : dnnl_forward_inference,
                         window));
    bool is_made = make_pass(FORWARD, forward, note, note_size);
    if (is_made && is_training && !is_average())
        is_made =
            ok(dnnl_memory_create(&workspace,
                                  dnnl_primitive_desc_query_md(forward, dnnl_query_workspace_md, 0),
                                  engine, DNNL_MEMORY_ALLOCATE),
               "the workspace", note, note_size);
    if (is_made && is_backward)
        is_made = ok(describe_backward(&backward, forward, window), "backward", note, note_size) &&
                  make_pass(BACKWARD, backward, note, note_size);
    dnnl_primitive_desc_destroy(forward);
    if (backward != NULL) dnnl_primitive_desc_destroy(backward);
    return is_made;
}

/* Memory for the tensor of that role, in the given slot of bench_memory. */
static bool make_memory(enum case_tensor role, int slot, char *note, size_t note_size)
{
    int side = role == CASE_X || role == CASE_DX ? LARGE : SMALL;
    data[role] = bench_memory(slot, dnnl_memory_desc_get_size(LAYOUT(layout[side])));
    TRY(dnnl_memory_create(&memory[role], LAYOUT(layout[side]), engine, data[role]));
    return true;
}

static int execute(int which)
{
    bool is_forward = which == FORWARD;
    dnnl_exec_arg_t arguments[] = {
        {is_forward ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST, memory[is_forward ? CASE_X : CASE_DY]},
        {is_forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC, memory[is_forward ? CASE_Y : CASE_DX]},
        {DNNL_ARG_WORKSPACE, workspace},
    };
    int status = dnnl_primitive_execute(pass[which], stream, workspace == NULL ? 2 : 3, arguments);
    return must_wait ? status | (int)dnnl_stream_wait(stream) : status;
}

/* A gradient by indices has its forward pass run once, here. */
static bool make_tensors(char *note, size_t note_size)
{
    enum bench_meaning meaning = current.op->meaning;
    bool needs_y = meaning == BENCH_MAX_GRAD || meaning == BENCH_MAX_RECOMPUTE;
    for (int i = 0; i < current.tensors; i++) {
        const struct bench_tensor *tensor = &current.tensor[i];
        bool is_input = tensor->use == BENCH_READS || (tensor->use == BENCH_SHAPE && needs_y);
        if (tensor->role == CASE_I || (!is_input && tensor->use == BENCH_SHAPE)) continue;
        if (!make_memory(tensor->role, i, note, note_size)) return false;
        if (is_input && !bench_load(&current, i, data[tensor->role], note, note_size)) return false;
    }
    if (needs_y && !make_memory(CASE_Y, BENCH_TENSORS, note, note_size)) return false;
    is_timed[FORWARD] = !bench_is_backward(meaning) || meaning == BENCH_MAX_RECOMPUTE;
    is_timed[BACKWARD] = bench_is_backward(meaning);
    if (meaning == BENCH_MAX_GRAD) TRY((dnnl_status_t)execute(FORWARD));
    return true;
}

static bool set_up(const struct bench_problem *problem, char *note, size_t note_size)
{
    struct window window = {0};
    char why[128];
    forget();
    current = *problem;
    enum bench_meaning meaning = problem->op->meaning;
    if (meaning == BENCH_UNPOOL || meaning == BENCH_UNPOOL_GRAD || !make_window(&window)) {
        snprintf(note, note_size, "oneDNN has no such operator");
        return false;
    }
    if (!make_layout(LARGE, note, note_size) || !make_layout(SMALL, note, note_size) ||
        !make_passes(&window, note, note_size))
        return false;
    if (make_tensors(why, sizeof why)) return true;
    snprintf(note, note_size, "%s", why);
    return false;
}

static double run(int64_t count)
{
    int status = dnnl_success;
    double begin = stats_now();
    for (int64_t i = 0; i < count; i++)
        for (int which = 0; which < PASSES; which++)
            if (is_timed[which]) status |= execute(which);
    double seconds = stats_now() - begin;
    if (status != dnnl_success) {
        fprintf(stderr, "oneDNN's execute failed\n");
        exit(1);
    }
    return seconds;
}

static void *output(int tensor)
{
    return data[current.tensor[tensor].role];
}

static const char *threading_name(unsigned runtime)
{
    switch (runtime) {
    case DNNL_RUNTIME_SEQ:
        return "sequential";
    case DNNL_RUNTIME_OMP:
        return "OpenMP";
    case DNNL_RUNTIME_TBB:
        return "TBB";
    case DNNL_RUNTIME_SYCL:
        return "SYCL";
    default:
        return "threads";
    }
}

static void hello(cJSON *reply)
{
    char text[64];
    const dnnl_version_t *version = dnnl_version();
    snprintf(text, sizeof text, "%d.%d.%d %s", version->major, version->minor, version->patch,
             threading_name(version->cpu_runtime));
    cJSON_AddStringToObject(reply, "version", text);
}

int main(void)
{
    if (!onednn_begin(&engine, &stream, &must_wait)) return 1;
    return bench_serve(&(struct bench_contender){
        .name = "oneDNN",
        .hello = hello,
        .set_up = set_up,
        .run = run,
        .output = output,
    });
}
