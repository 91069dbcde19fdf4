/* SPDX-License-Identifier: Apache-2.0 */
/* Plans built by hand: scratch that is reused, more operands than a task carries, limits. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acl/acl.h"
#include "aclnn/opdev/op_errno.h"
#include "api/tensor.h"
#include "executor/executor.h"
#include "executor/launch.h"
#include "executor/plan.h"
#include "executor/steps.h"
#include "kernels/kernels.h"
#include "tests/unit/capture.h"

enum { LENGTH = 1000 };

/* to[i] = from[i] + amount */
static void add_slice(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const float *from = buffers[0];
    float *to = buffers[1];
    for (int64_t i = slice.begin; i < slice.end; i++)
        to[i] = from[i] + *(const float *)parameters;
}

/* to[i] = sum of the six others */
static void sum_slice(const void *parameters, void *const buffers[], struct k_slice slice)
{
    (void)parameters;
    float *to = buffers[6];
    for (int64_t i = slice.begin; i < slice.end; i++) {
        to[i] = 0;
        for (int b = 0; b < 6; b++)
            to[i] += ((const float *)buffers[b])[i];
    }
}

static aclTensor *vector_of(float *values)
{
    const int64_t size = LENGTH;
    return aclCreateTensor(&size, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &size, 1, values);
}

static struct ex_descriptor *descriptor(aclTensor *tensor)
{
    return &tensor->descriptor;
}

/* Negative elements are faults: left out. */
static void root_slice(const void *parameters, void *const buffers[], struct k_slice slice)
{
    (void)parameters;
    const float *from = buffers[0];
    float *to = buffers[1];
    for (int64_t i = slice.begin; i < slice.end; i++) {
        to[i] = from[i] < 0 ? 0 : from[i];
        if (from[i] < 0) k_fault_note(buffers[2], i);
    }
}

static void describe_root(const void *parameters, void *const buffers[], int64_t position,
                          char *text, size_t size)
{
    (void)parameters;
    const float *from = buffers[0];
    snprintf(text, size, "element %lld is %g", (long long)position, (double)from[position]);
}

static const struct k_work whole = {.items = LENGTH, .grain = LENGTH};

Test(plan, the_lowest_fault_in_the_data_is_the_streams_error)
{
    static float in[LENGTH], out[LENGTH];
    for (int i = 0; i < LENGTH; i++)
        in[i] = i == 700 || i == 31 || i == 990 ? -i : i;
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    aclTensor *source = vector_of(in), *target = vector_of(out);
    struct ex_plan *plan = ex_plan_new("roots");
    int from = ex_input(plan, descriptor(source)), to = ex_output(plan, descriptor(target));
    ex_step_with_faults(plan, "root", root_slice, "", 1,
                        (struct k_work){.items = LENGTH, .grain = 8}, EX_BUFFERS(from, to),
                        describe_root);
    uint64_t size;
    aclOpExecutor *executor;
    cr_assert_eq(ex_seal(plan, &size, &executor), ACLNN_SUCCESS);
    cr_assert_eq(aclSetAclOpExecutorRepeatable(executor), ACLNN_SUCCESS);

    aclrtStream stream;
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    cr_assert_eq(ex_launch("roots", NULL, 0, executor, stream), ACLNN_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_EXCEPTION);
    const char *text = aclGetRecentErrMsg();
    cr_assert(strstr(text, "roots: element 31 is -31"), "%s", text);
    for (int i = 0; i < LENGTH; i++)
        cr_assert_eq(out[i], in[i] < 0 ? 0 : in[i], "all other elements are right");

    in[31] = in[700] = in[990] = 1;
    cr_assert_eq(ex_launch("roots", NULL, 0, executor, stream), ACLNN_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS,
                 "the next run has a record of its own");
    aclDestroyAclOpExecutor(executor);
    aclDestroyTensor(source);
    aclDestroyTensor(target);
}

Test(plan, scratch_pieces_that_never_meet_share_memory)
{
    static float in[LENGTH], out[LENGTH];
    for (int i = 0; i < LENGTH; i++)
        in[i] = (float)i;
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    aclTensor *source = vector_of(in), *target = vector_of(out);

    struct ex_plan *plan = ex_plan_new("chain");
    int from = ex_input(plan, descriptor(source)), to = ex_output(plan, descriptor(target));
    float amount = 1;
    int previous = from;
    for (int i = 0; i < 6; i++) {
        int next = ex_scratch(plan, sizeof in);
        ex_step(plan, "add", add_slice, &amount, sizeof amount, whole, EX_BUFFERS(previous, next));
        previous = next;
    }
    ex_step(plan, "add", add_slice, &amount, sizeof amount, whole, EX_BUFFERS(previous, to));
    uint64_t size;
    aclOpExecutor *executor;
    cr_assert_eq(ex_seal(plan, &size, &executor), ACLNN_SUCCESS);
    cr_assert_lt(size, 3 * (sizeof in + 128), "two pieces are alive at once, not six");

    void *workspace = NULL;
    cr_assert_eq(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_SUCCESS);
    cr_assert_eq(ex_launch("chain", workspace, size, executor, NULL), ACLNN_SUCCESS);
    cr_assert_eq(aclrtFree(workspace), ACL_SUCCESS);
    aclDestroyTensor(source);
    aclDestroyTensor(target);
    cr_assert_eq(aclrtSynchronizeStream(NULL), ACL_SUCCESS);
    for (int i = 0; i < LENGTH; i++)
        cr_assert_float_eq(out[i], (float)i + 7, 0);
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
}

/* Looks at its scratch pieces as the first step finds them, then writes on them. */
enum { ODD = 100 }; /* bytes; not a multiple of the alignment */

static struct scratch_seen {
    const unsigned char *first, *second;
    bool is_filled; /* with 0xFF */
    bool is_fenced; /* the sanitizer lets nobody touch what lies around and between */
} scratch_seen;

static bool is_poisoned(const unsigned char *byte)
{
#if RT_WITH_ASAN
    return __asan_address_is_poisoned(byte);
#else
    (void)byte;
    return false;
#endif
}

static bool is_fenced(const unsigned char *low, const unsigned char *high)
{
    bool fenced = is_poisoned(high + ODD);
    for (int i = 0; i < ODD; i++)
        fenced = fenced && !is_poisoned(low + i) && !is_poisoned(high + i);
    for (const unsigned char *byte = low + ODD; byte < high; byte++)
        fenced = fenced && is_poisoned(byte);
    return fenced;
}

static void look_slice(const void *parameters, void *const buffers[], struct k_slice slice)
{
    (void)parameters;
    (void)slice;
    struct scratch_seen *seen = &scratch_seen;
    *seen = (struct scratch_seen){.first = buffers[0], .second = buffers[1], .is_filled = true};
    for (int i = 0; i < ODD; i++)
        seen->is_filled = seen->is_filled && seen->first[i] == 0xFF && seen->second[i] == 0xFF;
    bool rises = seen->first < seen->second;
    seen->is_fenced =
        is_fenced(rises ? seen->first : seen->second, rises ? seen->second : seen->first);
    memset(buffers[0], 1, ODD);
    memset(buffers[1], 2, ODD);
}

/* Debug and sanitizer builds make use of unwritten or foreign scratch loud, in each run. */
Test(plan, scratch_begins_as_nan_between_red_zones_in_debug_builds)
{
    const bool debugs = EX_SCRATCH_GAP > 0;
    aclOpExecutor *executor;
    uint64_t size;
    char *workspace = NULL;
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    struct ex_plan *plan = ex_plan_new("look");
    int first = ex_scratch(plan, ODD), second = ex_scratch(plan, ODD);
    ex_step(plan, "look", look_slice, "", 1, (struct k_work){.items = 1, .grain = 1},
            EX_BUFFERS(first, second));
    cr_assert_eq(ex_seal(plan, &size, &executor), ACLNN_SUCCESS);
    cr_assert_eq(aclSetAclOpExecutorRepeatable(executor), ACLNN_SUCCESS);
    cr_assert_eq(aclrtMalloc((void **)&workspace, size, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_SUCCESS);
    for (int run = 0; run < 3; run++) {
        memset(workspace, 0x11, size); /* the program may: nothing is fenced between the runs */
        cr_assert_eq(ex_launch("look", workspace, size, executor, NULL), ACLNN_SUCCESS);
        cr_assert_eq(aclrtSynchronizeStream(NULL), ACL_SUCCESS);
        cr_assert_not_null(scratch_seen.first);
        cr_expect_eq(scratch_seen.is_filled, debugs, "run %d", run);
        cr_expect_eq(scratch_seen.is_fenced, RT_WITH_ASAN, "run %d", run);
        ptrdiff_t apart = scratch_seen.second - scratch_seen.first;
        cr_expect_geq(apart < 0 ? -apart : apart, ODD + EX_SCRATCH_GAP);
        for (uint64_t i = 0; i < size; i++)
            cr_assert(!is_poisoned((unsigned char *)workspace + i));
    }
    if (!debugs) cr_expect_leq(size, 2 * 128, "the program pays for no red zone");
    aclDestroyAclOpExecutor(executor);
    cr_assert_eq(aclrtFree(workspace), ACL_SUCCESS);
}

Test(plan, more_operands_than_a_task_carries)
{
    static float in[6][LENGTH], out[2][LENGTH];
    aclTensor *sources[6];
    for (int b = 0; b < 6; b++) {
        for (int i = 0; i < LENGTH; i++)
            in[b][i] = (float)(i * (b + 1));
        sources[b] = vector_of(in[b]);
    }
    aclTensor *target = vector_of(out[0]);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);

    struct ex_plan *plan = ex_plan_new("sum");
    int buffers[7];
    for (int b = 0; b < 6; b++)
        buffers[b] = ex_input(plan, descriptor(sources[b]));
    buffers[6] = ex_output(plan, descriptor(target));
    char none = 0;
    ex_step(plan, "sum", sum_slice, &none, 1, (struct k_work){.items = LENGTH, .grain = 10},
            buffers, 7);
    uint64_t size;
    aclOpExecutor *executor;
    cr_assert_eq(ex_seal(plan, &size, &executor), ACLNN_SUCCESS);
    cr_assert_eq(size, 0);
    cr_assert_eq(aclSetAclOpExecutorRepeatable(executor), ACLNN_SUCCESS);

    for (int run = 0; run < 20; run++) {
        cr_assert_eq(aclSetOutputTensorAddr(executor, 0, target, out[run % 2]), ACLNN_SUCCESS);
        cr_assert_eq(ex_launch("sum", NULL, 0, executor, NULL), ACLNN_SUCCESS);
    }
    cr_assert_eq(aclDestroyAclOpExecutor(executor), ACLNN_SUCCESS, "while runs are in flight");
    cr_assert_eq(aclrtSynchronizeStream(NULL), ACL_SUCCESS);
    for (int i = 0; i < LENGTH; i++) {
        cr_assert_float_eq(out[0][i], (float)(i * 21), 0);
        cr_assert_float_eq(out[1][i], (float)(i * 21), 0);
    }
    for (int b = 0; b < 6; b++)
        aclDestroyTensor(sources[b]);
    aclDestroyTensor(target);
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
}

Test(plan, an_optional_argument_that_is_missing_keeps_its_index)
{
    static float in[LENGTH], out[LENGTH];
    aclTensor *source = vector_of(in), *target = vector_of(NULL);
    struct ex_plan *plan = ex_plan_new("optional");
    cr_assert_eq(ex_input(plan, NULL), -1);
    int from = ex_input(plan, descriptor(source)), to = ex_output(plan, descriptor(target));
    float amount = 1;
    ex_step(plan, "add", add_slice, &amount, sizeof amount, whole, EX_BUFFERS(from, to));
    uint64_t size;
    aclOpExecutor *executor;
    cr_assert_eq(ex_seal(plan, &size, &executor), ACLNN_SUCCESS);
    cr_assert_eq(aclSetInputTensorAddr(executor, 2, source, in), ACLNN_ERR_PARAM_INVALID);
    cr_assert_eq(aclSetInputTensorAddr(executor, 1, source, in), ACLNN_SUCCESS);
    cr_assert_eq(aclSetTensorAddr(executor, 2, target, out), ACLNN_SUCCESS);
    cr_assert_eq(aclSetTensorAddr(executor, 3, target, out), ACLNN_ERR_PARAM_INVALID);
    void *address = NULL;
    cr_assert_eq(aclGetRawTensorAddr(target, &address), ACLNN_SUCCESS);
    cr_assert_eq(address, out);
    cr_assert_eq(aclDestroyAclOpExecutor(executor), ACLNN_SUCCESS);
    aclDestroyTensor(source);
    aclDestroyTensor(target);
}

Test(plan, a_builder_that_failed_reports_its_first_failure)
{
    static float in[LENGTH];
    const int64_t sizes[] = {INT64_C(1) << 40, INT64_C(1) << 40};
    aclTensor *source = vector_of(in);
    aclTensor *huge = aclCreateTensor(sizes, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, sizes, 2, in);
    struct ex_plan *plan = ex_plan_new("too much");
    int from = ex_input(plan, descriptor(huge)), to = ex_output(plan, descriptor(source));
    cr_assert_eq(from, -1);
    cr_assert_eq(to, -1);
    ex_step(plan, "add", add_slice, "", 1, whole, EX_BUFFERS(from, to));
    uint64_t size = 7;
    aclOpExecutor *executor = NULL;
    cr_assert_eq(ex_seal(plan, &size, &executor), ACLNN_ERR_PARAM_INVALID);
    cr_assert_eq(size, 7);
    cr_assert_null(executor);
    const char *text = aclGetRecentErrMsg();
    cr_assert_not_null(text);
    cr_assert_not_null(strstr(text, "too much: a tensor has more elements"), "%s", text);
    aclDestroyTensor(huge);
    aclDestroyTensor(source);
}

/* What seal printed while ACLNN_CPU_LOG=plan, into text. */
static void seal_and_capture(struct ex_plan *plan, char *text, size_t size)
{
    uint64_t workspace;
    aclOpExecutor *executor;
    FILE *file = tmpfile();
    cr_assert_not_null(file);
    int before = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    aclnnStatus status = ex_seal(plan, &workspace, &executor);
    dup2(before, STDERR_FILENO);
    close(before);
    cr_assert_eq(status, ACLNN_SUCCESS);
    rewind(file);
    text[fread(text, 1, size - 1, file)] = 0;
    fclose(file);
    aclDestroyAclOpExecutor(executor);
}

/* ACLNN_CPU_ISA and ACLNN_CPU_WAY are the kernels', who do not log. */
Test(plan, the_first_one_tells_what_kernels_do_not_honour)
{
    char text[1024];
    setenv("ACLNN_CPU_ISA", "foo", 1);
    setenv("ACLNN_CPU_WAY", "no:such", 1);
    struct capture capture = capture_begin(STDERR_FILENO);
    ex_plan_free(ex_plan_new("first"));
    ex_plan_free(ex_plan_new("second"));
    capture_end(&capture, text, sizeof text);
    const char *isa = strstr(text, "aclnn-cpu: ACLNN_CPU_ISA=foo is not taken: ");
    const char *way = strstr(text, "aclnn-cpu: ACLNN_CPU_WAY=no:such is not taken: ");
    cr_assert(isa && way, "%s", text);
    cr_expect(strstr(isa, k_best()->isa));
    cr_expect_null(strstr(isa + 30, "ISA=foo"), "%s", text);
}

Test(plan, prints_steps_slices_scratch_and_bytes)
{
    static float in[LENGTH], out[LENGTH];
    char text[2048], expected[256];
    setenv("ACLNN_CPU_LOG", "plan", 1);
    aclTensor *source = vector_of(in), *target = vector_of(out);
    struct ex_plan *plan = ex_plan_new("two steps");
    int from = ex_input(plan, descriptor(source)), to = ex_output(plan, descriptor(target));
    int middle = ex_scratch(plan, sizeof in);
    float amount = 1;
    ex_step(plan, "first", add_slice, &amount, sizeof amount, whole, EX_BUFFERS(from, middle));
    ex_step(plan, "second", add_slice, &amount, sizeof amount, whole, EX_BUFFERS(middle, to));
    seal_and_capture(plan, text, sizeof text);
    snprintf(expected, sizeof expected, "plan two steps: isa %s, 2 steps, workspace %zu B",
             k_best()->isa, sizeof in + EX_SCRATCH_GAP);
    cr_assert_not_null(strstr(text, expected), "%s", text);
    cr_assert_not_null(strstr(text, "step 0 first: 1000 items, at least 1000 a slice"), "%s", text);
    cr_assert_not_null(strstr(text, "arg0+0 (4000 B) scratch[0..4000)"), "%s", text);
    cr_assert_not_null(strstr(text, "step 1 second"), "%s", text);
    aclDestroyTensor(source);
    aclDestroyTensor(target);
}
