/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/avg_pool_call.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aclnnop/aclnn_avgpool2d_backward.h"
#include "tests/support/compare.h"

enum { POISON = 0xFF }; /* a NaN in every floating type */

struct avg_pool_call avg_pool_prepare(const struct test_case *test)
{
    return (struct avg_pool_call){
        .dy = operand_of_output(test, test->dy_layout),
        .self = operand_of_input(test, CASE_CONTIGUOUS),
        .dx = operand_of_input(test, test->dx_layout),
        .ceil = test->ceil,
        .count_padding = !test->exclude_pad,
        .divisor = test->divisor,
        .math = (int8_t)test->math,
    };
}

static aclIntArray *make_array(const int64_t *values, int length)
{
    return length == CASE_NO_ARRAY ? NULL : aclCreateIntArray(values, (uint64_t)length);
}

void avg_pool_open(struct avg_pool_call *call, const struct test_case *test)
{
    operand_open(&call->dy);
    operand_open(&call->self);
    operand_open(&call->dx);
    call->kernel = make_array(test->kernel, test->kernel_length);
    call->stride = make_array(test->stride, test->stride_length);
    call->padding = make_array(test->pad, test->pad_length);
}

void avg_pool_close(struct avg_pool_call *call)
{
    operand_close(&call->dy);
    operand_close(&call->self);
    operand_close(&call->dx);
    aclDestroyIntArray(call->kernel);
    aclDestroyIntArray(call->stride);
    aclDestroyIntArray(call->padding);
    call->kernel = call->stride = call->padding = NULL;
}

aclnnStatus avg_pool_phase1(struct avg_pool_call *call)
{
    call->workspace_size = AVG_POOL_UNWRITTEN_SIZE;
    call->executor = NULL;
    return aclnnAvgPool2dBackwardGetWorkspaceSize(
        call->dy.tensor, call->self.tensor, call->kernel, call->stride, call->padding, call->ceil,
        call->count_padding, call->divisor, call->math, call->dx.tensor, &call->workspace_size,
        &call->executor);
}

/* ---- rig ---- */

static void need(bool condition, const char *what)
{
    if (condition) return;
    fprintf(stderr, "test rig: %s failed: %s\n", what, aclGetRecentErrMsg());
    abort();
}

void avg_pool_rig_begin(struct avg_pool_rig *rig)
{
    *rig = (struct avg_pool_rig){0};
    need(aclInit(NULL) == ACL_SUCCESS, "aclInit");
    need(aclrtSetDevice(0) == ACL_SUCCESS, "aclrtSetDevice");
    need(aclrtCreateStream(&rig->stream) == ACL_SUCCESS, "aclrtCreateStream");
}

void avg_pool_rig_end(struct avg_pool_rig *rig)
{
    guard_free(&rig->dy_guard);
    guard_free(&rig->dx_guard);
    guard_free(&rig->workspace_guard);
    free(rig->dy);
    free(rig->got);
    free(rig->bits);
    free(rig->want);
    need(aclrtDestroyStream(rig->stream) == ACL_SUCCESS, "aclrtDestroyStream");
    need(aclrtResetDevice(0) == ACL_SUCCESS, "aclrtResetDevice");
    need(aclFinalize() == ACL_SUCCESS, "aclFinalize");
}

static void *resize(void *memory, int64_t count, size_t size)
{
    void *grown = realloc(memory, (size_t)count * size);
    need(grown != NULL, "realloc");
    return grown;
}

static void reserve(struct avg_pool_rig *rig, const struct test_case *test)
{
    int64_t dy = case_output_elements(test) + 1, dx = case_input_elements(test) + 1;
    if (dy > rig->dy_capacity) {
        rig->dy_capacity = 2 * dy;
        rig->dy = resize(rig->dy, rig->dy_capacity, sizeof *rig->dy);
    }
    if (dx > rig->dx_capacity) {
        rig->dx_capacity = 2 * dx;
        rig->got = resize(rig->got, rig->dx_capacity, sizeof *rig->got);
        rig->bits = resize(rig->bits, rig->dx_capacity, sizeof *rig->bits);
        rig->want = resize(rig->want, rig->dx_capacity, sizeof *rig->want);
    }
}

void avg_pool_rig_load(struct avg_pool_rig *rig, const struct test_case *test)
{
    reserve(rig, test);
    struct random random = {test->seed};
    struct operand dy = operand_of_output(test, test->dy_layout);
    dy.data = resize(NULL, dy.span + 1, operand_element_size(dy.dtype));
    operand_randomize(&dy, test->data, &random);
    operand_read(&dy, rig->dy); /* after all are written: a broadcast view shares elements */
    free(dy.data);

    int64_t count = operand_elements(&dy);
    double *rounded = resize(NULL, count + 1, sizeof *rounded);
    for (int64_t i = 0; i < count; i++)
        rounded[i] = oracle_operand(test->dtype, test->math, rig->dy[i]);
    if (case_input_elements(test) > 0) oracle_avg_pool_backward(test, rounded, rig->want);
    free(rounded);
}

static bool fail(char *text, size_t size, const char *what, int32_t status)
{
    const char *message = aclGetRecentErrMsg();
    snprintf(text, size, "%s: %" PRId32 " %s", what, status, message ? message : "");
    return false;
}

static bool run_phases(struct avg_pool_rig *rig, struct avg_pool_call *call, enum guard_side side,
                       char *text, size_t size)
{
    aclnnStatus status = avg_pool_phase1(call);
    if (status != ACLNN_SUCCESS) return fail(text, size, "phase 1", status);
    void *workspace = guard_place(&rig->workspace_guard, call->workspace_size, side, 32);
    memset(workspace, POISON, call->workspace_size);
    status = aclnnAvgPool2dBackward(call->workspace_size ? workspace : NULL, call->workspace_size,
                                    call->executor, rig->stream);
    if (status != ACLNN_SUCCESS) return fail(text, size, "phase 2", status);
    status = aclrtSynchronizeStream(rig->stream);
    if (status != ACL_SUCCESS) return fail(text, size, "synchronize", status);
    return true;
}

static bool untouched(const struct avg_pool_rig *rig, const struct avg_pool_call *call,
                      const void *dy_before, char *text, size_t size)
{
    const char *what = NULL;
    if (memcmp(dy_before, call->dy.data, operand_bytes(&call->dy)) != 0)
        what = "gradOutput changed";
    else if (!guard_intact(&rig->dy_guard))
        what = "bytes around gradOutput changed";
    else if (!guard_intact(&rig->dx_guard))
        what = "bytes around gradInput changed";
    else if (!guard_intact(&rig->workspace_guard))
        what = "bytes around the workspace changed";
    else if (!operand_gaps_hold(&call->dx, POISON))
        what = "bytes between gradInput's elements changed";
    if (what) snprintf(text, size, "%s", what);
    return what == NULL;
}

bool avg_pool_rig_run(struct avg_pool_rig *rig, const struct test_case *test, enum guard_side side,
                      char *text, size_t text_size)
{
    struct avg_pool_call call = avg_pool_prepare(test);
    size_t element = operand_element_size(test->dtype);
    call.dy.data = guard_place(&rig->dy_guard, operand_bytes(&call.dy), side, element);
    call.dx.data = guard_place(&rig->dx_guard, operand_bytes(&call.dx), side, element);
    operand_poison(&call.dy, POISON);
    operand_poison(&call.dx, POISON);
    operand_write(&call.dy, rig->dy);
    void *dy_before = resize(NULL, call.dy.span + 1, element);
    memcpy(dy_before, call.dy.data, operand_bytes(&call.dy));

    avg_pool_open(&call, test);
    bool ok = run_phases(rig, &call, side, text, text_size);
    if (ok) {
        ok = untouched(rig, &call, dy_before, text, text_size);
        operand_read(&call.dx, rig->got);
        operand_read_bits(&call.dx, rig->bits);
    }
    avg_pool_close(&call);
    free(dy_before);
    return ok;
}

bool avg_pool_rig_check(struct avg_pool_rig *rig, const struct test_case *test, char *text,
                        size_t text_size)
{
    int64_t count = case_input_elements(test);
    avg_pool_rig_load(rig, test);
    bool is_empty = case_output_elements(test) == 0 || count == 0;
    uint64_t *first = resize(NULL, count + 1, sizeof *first);
    bool ok = true;
    for (int side = GUARD_FRONT; ok && side <= GUARD_END; side++) {
        ok = avg_pool_rig_run(rig, test, (enum guard_side)side, text, text_size);
        if (!ok || is_empty) continue;
        ok = compare_gradient(test, rig->want, rig->got, text, text_size);
        if (side == GUARD_FRONT) {
            memcpy(first, rig->bits, (size_t)count * sizeof *first);
        } else if (ok && memcmp(first, rig->bits, (size_t)count * sizeof *first) != 0) {
            snprintf(text, text_size, "two runs differ in their bits");
            ok = false;
        }
    }
    free(first);
    return ok;
}

/* ---- random problems ---- */

enum { MOST_WORK = 60000, MOST_ELEMENTS = 3000 };

static int64_t random_kernel(struct random *random)
{
    return random_once_in(random, 12) ? random_between(random, 9, 30)
                                      : random_between(random, 1, 8);
}

static int64_t random_divisor(struct random *random)
{
    static const int64_t odd[] = {
        1, -1, 255, -256, 1000003, INT64_MAX, INT64_MIN, (int64_t)1 << 40, -((int64_t)1 << 33) - 1};
    if (random_once_in(random, 3)) return odd[random_below(random, sizeof odd / sizeof odd[0])];
    return random_between(random, 1, 40) * (random_once_in(random, 2) ? 1 : -1);
}

static void random_window(struct random *random, struct test_case *test)
{
    test->kernel_length = (int)random_between(random, 1, 2);
    test->pad_length = (int)random_between(random, 1, 2);
    test->stride_length = (int)random_between(random, CASE_NO_ARRAY, 2);
    int64_t smallest = INT64_MAX;
    for (int i = 0; i < test->kernel_length; i++) {
        test->kernel[i] = random_kernel(random);
        if (test->kernel[i] < smallest) smallest = test->kernel[i];
    }
    for (int i = 0; i < test->pad_length; i++) {
        int64_t kernel =
            test->pad_length > 1 && test->kernel_length > 1 ? test->kernel[i] : smallest;
        test->pad[i] = random_once_in(random, 3) ? 0 : random_between(random, 0, kernel / 2);
    }
    for (int i = 0; i < test->stride_length; i++)
        test->stride[i] = random_between(random, 1, random_once_in(random, 4) ? 12 : 4);
    for (int i = 0; i < test->axes; i++) {
        struct case_window axis =
            case_window(&(struct test_case){.kernel_length = test->kernel_length,
                                            .pad_length = test->pad_length,
                                            .kernel = {test->kernel[0], test->kernel[1]},
                                            .pad = {test->pad[0], test->pad[1]},
                                            .stride = {1},
                                            .stride_length = 1},
                        i);
        int64_t least = axis.kernel - 2 * axis.pad;
        test->input[i] =
            (least > 0 ? least : 1) + random_below(random, random_once_in(random, 6) ? 70 : 14);
    }
}

static enum case_layout random_layout(struct random *random, bool is_input)
{
    int64_t choice = random_below(random, is_input ? 10 : 8);
    if (choice < 4) return CASE_CONTIGUOUS;
    if (choice < 6) return CASE_CHANNELS_LAST;
    return choice < 8 ? CASE_STRIDED : CASE_BROADCAST;
}

static bool small_enough(const struct test_case *test)
{
    int64_t area = 1;
    for (int i = 0; i < test->axes; i++)
        area *= case_window(test, i).kernel;
    return case_output_elements(test) * area <= MOST_WORK &&
           case_input_elements(test) <= MOST_ELEMENTS;
}

static void make_empty(struct random *random, struct test_case *test)
{
    test->has_output = true;
    for (int i = 0; i < test->axes; i++)
        test->output[i] = random_below(random, 4);
    switch (random_below(random, 4)) {
    case 0:
        test->batch = test->batched ? 0 : 1;
        test->channels = test->batched ? test->channels : 0;
        break;
    case 1:
        test->channels = 0;
        break;
    case 2:
        test->input[random_below(random, test->axes)] = 0;
        break;
    default:
        test->output[random_below(random, test->axes)] = 0;
    }
}

struct test_case avg_pool_random_case(struct random *random, enum case_dtype dtype)
{
    struct test_case test;
    do {
        test = (struct test_case){.op = "avg_pool2d_backward", .dtype = dtype, .axes = 2};
        test.batched = !random_once_in(random, 4);
        test.batch = test.batched ? random_between(random, 1, 3) : 1;
        test.channels = random_once_in(random, 4) ? random_between(random, 6, 70)
                                                  : random_between(random, 1, 5);
        random_window(random, &test);
    } while (!small_enough(&test));
    test.ceil = random_once_in(random, 2);
    test.exclude_pad = random_once_in(random, 2);
    test.divisor = random_once_in(random, 3) ? random_divisor(random) : 0;
    test.math = (int)(random_once_in(random, 2) ? random_between(random, 1, 3) : 0);
    test.dy_layout = random_layout(random, true);
    test.dx_layout = random_once_in(random, 2) && test.dy_layout != CASE_BROADCAST
                         ? test.dy_layout
                         : random_layout(random, false);
    test.offset = random_once_in(random, 4) ? random_between(random, 1, 20) : 0;
    if (random_once_in(random, 6)) test.data = CASE_SPECIAL;
    if (random_once_in(random, 12)) test.data = CASE_HUGE;
    test.seed = random_next(random) >> 33;
    if (random_once_in(random, 80)) make_empty(random, &test);
    return test;
}
