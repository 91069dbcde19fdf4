/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN's pooling backward, versions 2 and 3: memory in the format asked for, the primitive made
 * once, execute alone timed. Compiled once per oneDNN that CMake finds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <oneapi/dnnl/dnnl.h>

#include "tests/bench/contender.h"
#include "tests/bench/stats.h"

enum { RANK = 4 };

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

static dnnl_engine_t engine;
static dnnl_stream_t stream;
static dnnl_primitive_t primitive;
static dnnl_memory_t dy_memory, dx_memory;
static dnnl_memory_desc_t dy_layout, dx_layout;
static void *dx_data;
static bool must_wait; /* execute returns before the work is done */

static bool ok(dnnl_status_t status, const char *what, char *note, size_t note_size)
{
    if (status == dnnl_success) return true;
    if (status == dnnl_unimplemented)
        snprintf(note, note_size, "not implemented by oneDNN");
    else
        snprintf(note, note_size, "%s gives status %d", what, (int)status);
    return false;
}
#define TRY(call)                                                                                  \
    do {                                                                                           \
        if (!ok((call), #call, note, note_size)) return false;                                     \
    } while (0)

static void forget(void)
{
    if (primitive != NULL) dnnl_primitive_destroy(primitive);
    if (dy_memory != NULL) dnnl_memory_destroy(dy_memory);
    if (dx_memory != NULL) dnnl_memory_destroy(dx_memory);
    primitive = NULL;
    dy_memory = dx_memory = NULL;
#if DNNL_VERSION_MAJOR >= 3
    if (dy_layout != NULL) dnnl_memory_desc_destroy(dy_layout);
    if (dx_layout != NULL) dnnl_memory_desc_destroy(dx_layout);
    dy_layout = dx_layout = NULL;
#endif
}

static bool make_layout(dnnl_memory_desc_t *layout, const struct bench_problem *problem,
                        bool is_output, char *note, size_t note_size)
{
    static const dnnl_data_type_t types[] = {
        [CASE_F32] = dnnl_f32, [CASE_F16] = dnnl_f16, [CASE_BF16] = dnnl_bf16};
    static const dnnl_format_tag_t tags[] = {
        [BENCH_NCHW] = dnnl_nchw, [BENCH_NHWC] = dnnl_nhwc, [BENCH_BLOCKED] = dnnl_nChw16c};
    const struct test_case *test = &problem->test;
    struct case_window h = case_window(test, 0), w = case_window(test, 1);
    dnnl_dims_t dims = {test->batch, test->channels, is_output ? h.output : h.input,
                        is_output ? w.output : w.input};
#if DNNL_VERSION_MAJOR >= 3
    TRY(dnnl_memory_desc_create_with_tag(layout, RANK, dims, types[test->dtype],
                                         tags[problem->format]));
#else
    TRY(dnnl_memory_desc_init_by_tag(layout, RANK, dims, types[test->dtype],
                                     tags[problem->format]));
#endif
    return true;
}

/* oneDNN derives no right padding: ceil mode needs the padding that the last window reaches into.
 */
static struct window window_of(const struct test_case *test)
{
    struct window window = {.algorithm = test->exclude_pad ? dnnl_pooling_avg_exclude_padding
                                                           : dnnl_pooling_avg_include_padding};
    for (int axis = 0; axis < 2; axis++) {
        struct case_window w = case_window(test, axis);
        int64_t reached = (w.output - 1) * w.stride + w.kernel - w.input - w.pad;
        window.kernel[axis] = w.kernel;
        window.stride[axis] = w.stride;
        window.pad_begin[axis] = w.pad;
        window.pad_end[axis] = reached > w.pad ? reached : w.pad;
    }
    return window;
}

static bool make_primitive(const struct window *w, char *note, size_t note_size)
{
    dnnl_primitive_desc_t forward, backward;
    const char *name = "";
#if DNNL_VERSION_MAJOR >= 3
    const dnnl_dims_t no_dilation = {0, 0};
    TRY(dnnl_pooling_forward_primitive_desc_create(
        &forward, engine, dnnl_forward_training, w->algorithm, dx_layout, dy_layout, w->stride,
        w->kernel, no_dilation, w->pad_begin, w->pad_end, NULL));
    dnnl_status_t status = dnnl_pooling_backward_primitive_desc_create(
        &backward, engine, w->algorithm, dx_layout, dy_layout, w->stride, w->kernel, no_dilation,
        w->pad_begin, w->pad_end, forward, NULL);
#else
    dnnl_pooling_desc_t description;
    TRY(dnnl_pooling_forward_desc_init(&description, dnnl_forward_training, w->algorithm,
                                       &dx_layout, &dy_layout, w->stride, w->kernel, w->pad_begin,
                                       w->pad_end));
    TRY(dnnl_primitive_desc_create(&forward, &description, NULL, engine, NULL));
    dnnl_status_t status =
        dnnl_pooling_backward_desc_init(&description, w->algorithm, &dx_layout, &dy_layout,
                                        w->stride, w->kernel, w->pad_begin, w->pad_end);
    if (status == dnnl_success)
        status = dnnl_primitive_desc_create(&backward, &description, NULL, engine, forward);
#endif
    dnnl_primitive_desc_destroy(forward);
    TRY(status);
    dnnl_primitive_desc_query(backward, dnnl_query_impl_info_str, 0, &name);
    snprintf(note, note_size, "%s", name);
    status = dnnl_primitive_create(&primitive, backward);
    dnnl_primitive_desc_destroy(backward);
    TRY(status);
    return true;
}

static bool set_up(const struct bench_problem *problem, char *note, size_t note_size)
{
    forget();
    if (strcmp(problem->test.op, "avg_pool2d_backward") != 0 || problem->test.divisor != 0) {
        snprintf(note, note_size, "oneDNN has no such operator");
        return false;
    }
    struct window window = window_of(&problem->test);
    if (!make_layout(&dy_layout, problem, true, note, note_size) ||
        !make_layout(&dx_layout, problem, false, note, note_size) ||
        !make_primitive(&window, note, note_size))
        return false;
    void *dy = bench_memory(0, dnnl_memory_desc_get_size(LAYOUT(dy_layout)));
    dx_data = bench_memory(1, dnnl_memory_desc_get_size(LAYOUT(dx_layout)));
    char why[128];
    if (!bench_load(problem, dy, why, sizeof why)) {
        snprintf(note, note_size, "%s", why);
        return false;
    }
    TRY(dnnl_memory_create(&dy_memory, LAYOUT(dy_layout), engine, dy));
    TRY(dnnl_memory_create(&dx_memory, LAYOUT(dx_layout), engine, dx_data));
    return true;
}

static double run(int64_t count)
{
    dnnl_exec_arg_t arguments[] = {{DNNL_ARG_DIFF_DST, dy_memory}, {DNNL_ARG_DIFF_SRC, dx_memory}};
    int status = dnnl_success;
    double begin = stats_now();
    for (int64_t i = 0; i < count; i++) {
        status |= dnnl_primitive_execute(primitive, stream, 2, arguments);
        if (must_wait) status |= dnnl_stream_wait(stream);
    }
    double seconds = stats_now() - begin;
    if (status != dnnl_success) {
        fprintf(stderr, "oneDNN's execute failed\n");
        exit(1);
    }
    return seconds;
}

static void *output(void)
{
    return dx_data;
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
#ifdef BENCH_OPENCL_DRIVER
    /* The SYCL build finds its CPU through this OpenCL driver, which lies beside it. */
    setenv("OCL_ICD_FILENAMES", BENCH_OPENCL_DRIVER, 0);
    setenv("ONEAPI_DEVICE_SELECTOR", "*:cpu", 0);
#endif
    unsigned runtime = dnnl_version()->cpu_runtime;
    must_wait = runtime != DNNL_RUNTIME_SEQ && runtime != DNNL_RUNTIME_OMP;
    if (dnnl_engine_create(&engine, dnnl_cpu, 0) != dnnl_success ||
        dnnl_stream_create(&stream, engine, dnnl_stream_default_flags) != dnnl_success) {
        fprintf(stderr, "oneDNN finds no CPU engine\n");
        return 1;
    }
    return bench_serve(&(struct bench_contender){
        .name = "oneDNN",
        .hello = hello,
        .set_up = set_up,
        .run = run,
        .output = output,
    });
}
