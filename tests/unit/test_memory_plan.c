/* SPDX-License-Identifier: Apache-2.0 */
/* Memory plans through their public functions: real training steps, files, refusals. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "acl/acl.h"
#include "aclnn/opdev/op_errno.h"
#include "aclnnext/aclnnext_memory_plan.h"
#include "aclnnop/aclnn_avgpool2d_backward.h"
#include "runtime/support/alloc.h"
#include "runtime/support/utf8.h"
#include "tests/support/cases.h"
#include "tests/support/random.h"

enum { NAME = 64, MANY = 10000 };

struct buffer {
    char name[NAME];
    uint64_t size, alignment;
    int64_t first, last;
    int32_t input; /* whose place it may take over; -1: none */
    char input_name[NAME];
};

static aclnnextMemoryPlan *new_plan(void)
{
    aclnnextMemoryPlan *plan = NULL;
    cr_assert_eq(aclnnextMemoryPlanCreate(&plan), ACLNN_SUCCESS);
    return plan;
}

static int32_t add(aclnnextMemoryPlan *plan, const char *name, uint64_t size, int64_t first,
                   int64_t last)
{
    int32_t number = -1;
    cr_assert_eq(aclnnextMemoryPlanAddBuffer(plan, name, size, 0, first, last, &number),
                 ACLNN_SUCCESS);
    return number;
}

static uint64_t offset_of(const aclnnextMemoryPlan *plan, int32_t buffer)
{
    uint64_t offset = UINT64_MAX;
    cr_assert_eq(aclnnextMemoryPlanGetOffset(plan, buffer, &offset), ACLNN_SUCCESS);
    return offset;
}

/* By sweeping through time: what is in use at a step must not overlap. */
static void check_offsets(const aclnnextMemoryPlan *plan, const struct buffer *buffers, int count,
                          uint64_t total)
{
    uint64_t *offsets = malloc((size_t)count * sizeof *offsets);
    cr_assert(offsets);
    for (int i = 0; i < count; i++) {
        offsets[i] = offset_of(plan, i);
        cr_assert_eq(offsets[i] % (buffers[i].alignment ? buffers[i].alignment : 64), 0);
        cr_assert_leq(offsets[i] + buffers[i].size, total);
        for (int j = 0; j < i; j++) {
            const struct buffer *a = &buffers[i], *b = &buffers[j];
            if (a->first > b->last || b->first > a->last || a->size == 0 || b->size == 0) continue;
            if ((a->input == j || b->input == i) && offsets[i] == offsets[j]) continue;
            cr_assert(offsets[i] + a->size <= offsets[j] || offsets[j] + b->size <= offsets[i],
                      "%s and %s overlap", a->name, b->name);
        }
    }
    free(offsets);
}

static aclnnextMemoryPlan *plan_of(const struct buffer *buffers, int count)
{
    aclnnextMemoryPlan *plan = new_plan();
    for (int32_t i = 0, number; i < count; i++) {
        const struct buffer *b = &buffers[i];
        cr_assert_eq(aclnnextMemoryPlanAddBuffer(plan, b->name, b->size, b->alignment, b->first,
                                                 b->last, &number),
                     ACLNN_SUCCESS);
        cr_assert_eq(number, i);
    }
    for (int32_t i = 0; i < count; i++)
        if (buffers[i].input >= 0)
            cr_assert_eq(aclnnextMemoryPlanSetInPlace(plan, i, buffers[i].input), ACLNN_SUCCESS,
                         "%s", aclGetRecentErrMsg());
    return plan;
}

/* ---- training steps ---- */

static int load_trace(const char *network, struct buffer *buffers, int most)
{
    char file[NAME], line[3 * NAME];
    snprintf(file, sizeof file, "memory/%s.txt", network);
    FILE *text = fopen(case_path(file), "r");
    cr_assert(text, "%s", case_path(file));
    int count = 0;
    while (fgets(line, sizeof line, text)) {
        if (line[0] == '#') continue;
        cr_assert_lt(count, most);
        struct buffer *b = &buffers[count];
        *b = (struct buffer){.input = -1};
        int fields = sscanf(line, "%63s %lu %ld %ld inplace=%63s", b->name, &b->size, &b->first,
                            &b->last, b->input_name);
        cr_assert_geq(fields, 4, "%s", line);
        count++;
    }
    fclose(text);
    for (int i = 0; i < count; i++) {
        for (int j = 0; buffers[i].input_name[0] != '\0' && j < count; j++)
            if (strcmp(buffers[i].input_name, buffers[j].name) == 0) buffers[i].input = j;
        cr_assert_eq(buffers[i].input < 0, buffers[i].input_name[0] == '\0', "%s", buffers[i].name);
    }
    return count;
}

Test(memory_plan, training_steps_need_hardly_more_than_what_is_alive)
{
    static struct buffer buffers[2000];
    static const char *const networks[] = {"lenet", "vgg16", "resnet50", "unet", "densenet121"};
    for (size_t n = 0; n < sizeof networks / sizeof networks[0]; n++) {
        const int count = load_trace(networks[n], buffers, 2000);
        aclnnextMemoryPlan *plan = plan_of(buffers, count);
        aclnnextMemoryPlanSummary summary;
        uint64_t total;
        clock_t begin = clock();
        cr_assert_eq(aclnnextMemoryPlanSolve(plan, &total), ACLNN_SUCCESS);
        double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
        cr_assert_eq(aclnnextMemoryPlanGetSummary(plan, &summary), ACLNN_SUCCESS);
        check_offsets(plan, buffers, count, total);
        cr_log_info("%s: %d buffers, %.1f MiB of %.1f MiB, %.4f of what is alive, %.3f s\n",
                    networks[n], count, (double)total / (1 << 20),
                    (double)summary.separateSize / (1 << 20),
                    (double)total / (double)summary.mostLiveSize, seconds);
        cr_assert_eq(summary.totalSize, total);
        cr_assert_eq(summary.bufferCount, (uint32_t)count);
        cr_assert_geq(total, summary.mostLiveSize);
        cr_assert_leq((double)total, 1.05 * (double)summary.mostLiveSize, "%s", networks[n]);
        cr_assert_eq(aclnnextMemoryPlanDestroy(plan), ACLNN_SUCCESS);
    }
}

Test(memory_plan, ten_thousand_buffers)
{
    static struct buffer buffers[MANY];
    struct random random = {random_test_seed()};
    for (int i = 0; i < MANY; i++) {
        buffers[i] = (struct buffer){.size = (uint64_t)random_below(&random, 1 << 20),
                                     .alignment = UINT64_C(1) << random_below(&random, 12),
                                     .first = random_below(&random, MANY),
                                     .input = -1};
        buffers[i].last = buffers[i].first + random_below(&random, 200);
    }
    aclnnextMemoryPlan *plan = plan_of(buffers, MANY);
    uint64_t total;
    clock_t begin = clock();
    cr_assert_eq(aclnnextMemoryPlanSolve(plan, &total), ACLNN_SUCCESS);
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    cr_log_info("%d buffers: %.3f s\n", MANY, seconds);
#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) &&          \
    !defined(ACLNN_CPU_EMULATED)
    cr_assert_leq(seconds, 1.0);
#endif
    check_offsets(plan, buffers, MANY, total);
    aclnnextMemoryPlanDestroy(plan);
}

/* ---- executors, hints ---- */

Test(memory_plan, a_workspace_is_a_buffer_of_one_step)
{
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    const int64_t small[] = {2, 3, 4, 4}, large[] = {2, 3, 8, 8}, two[] = {2, 2}, zero[] = {0, 0};
    const int64_t gaps[] = {1000, 200, 20, 2}; /* strided: phase 1 asks for a packed copy */
    static float memory[2000];
    aclTensor *dy =
        aclCreateTensor(small, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_NCHW, small, 4, memory);
    const int64_t all = 2000;
    aclTensor *dx = aclCreateTensor(large, 4, ACL_FLOAT, gaps, 0, ACL_FORMAT_NCHW, &all, 1, memory);
    aclIntArray *window = aclCreateIntArray(two, 2), *pad = aclCreateIntArray(zero, 2);
    uint64_t size, total;
    aclOpExecutor *executor;
    cr_assert_eq(aclnnAvgPool2dBackwardGetWorkspaceSize(dy, dx, window, window, pad, false, true, 0,
                                                        0, dx, &size, &executor),
                 ACLNN_SUCCESS, "%s", aclGetRecentErrMsg());
    cr_assert_gt(size, 0);
    aclnnextMemoryPlan *plan = new_plan();
    int32_t number;
    cr_assert_eq(aclnnextMemoryPlanAddWorkspace(plan, "pool", executor, 5, &number), ACLNN_SUCCESS);
    add(plan, "other", 100, 0, 4);
    cr_assert_eq(aclnnextMemoryPlanSolve(plan, &total), ACLNN_SUCCESS);
    cr_assert_eq(total, size, "the other buffer's life is over");

    void *block;
    cr_assert_eq(aclrtMalloc(&block, total, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    cr_assert_eq(
        aclnnAvgPool2dBackward((char *)block + offset_of(plan, number), size, executor, NULL),
        ACLNN_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtFree(block), ACL_SUCCESS);
    aclnnextMemoryPlanDestroy(plan);
    aclDestroyTensor(dy);
    aclDestroyTensor(dx);
    aclDestroyIntArray(window);
    aclDestroyIntArray(pad);
}

Test(memory_plan, a_hint_saves_what_it_says)
{
    aclnnextMemoryPlan *plan = new_plan();
    uint64_t total;
    int32_t in = add(plan, "in", 1024, 0, 1), out = add(plan, "out", 1024, 1, 2);
    cr_assert_eq(aclnnextMemoryPlanSolve(plan, &total), ACLNN_SUCCESS);
    cr_assert_eq(total, 2048);
    cr_assert_eq(aclnnextMemoryPlanSetInPlace(plan, out, in), ACLNN_SUCCESS);
    uint64_t offset;
    cr_assert_eq(aclnnextMemoryPlanGetOffset(plan, out, &offset), ACLNN_ERR_PARAM_INVALID,
                 "not solved since");
    cr_assert_eq(aclnnextMemoryPlanSolve(plan, &total), ACLNN_SUCCESS);
    cr_assert_eq(total, 1024);
    cr_assert_eq(offset_of(plan, in), offset_of(plan, out));
    aclnnextMemoryPlanDestroy(plan);
}

/* ---- files ---- */

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    cr_assert(file);
    char *text = calloc(1, 1 << 20);
    cr_assert(text);
    cr_assert_gt(fread(text, 1, (1 << 20) - 1, file), 0);
    fclose(file);
    return text;
}

static double number_of(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    cr_assert(cJSON_IsNumber(item), "%s", name);
    return item->valuedouble;
}

Test(memory_plan, files_say_what_the_plan_says)
{
    char path[] = "/tmp/aclnn_memory_plan_XXXXXX";
    cr_assert_geq(close(mkstemp(path)), 0);
    aclnnextMemoryPlan *plan = new_plan();
    uint64_t total;
    int32_t x = add(plan, "x <&> \"quoted\"", 1000, 0, 3), y = add(plan, NULL, 500, 3, 9);
    add(plan, "nothing", 0, 0, 9);
    cr_assert_eq(aclnnextMemoryPlanSetInPlace(plan, y, x), ACLNN_SUCCESS);
    cr_assert_eq(aclnnextMemoryPlanWriteJson(plan, path), ACLNN_ERR_PARAM_INVALID, "not solved");
    cr_assert_eq(aclnnextMemoryPlanSolve(plan, &total), ACLNN_SUCCESS);
    cr_assert_eq(aclnnextMemoryPlanWriteJson(plan, path), ACLNN_SUCCESS);
    char *text = read_file(path);
    cJSON *root = cJSON_Parse(text);
    cr_assert(root, "%s", text);
    cr_assert_eq(number_of(root, "totalSize"), (double)total);
    const cJSON *buffers = cJSON_GetObjectItemCaseSensitive(root, "buffers");
    cr_assert_eq(cJSON_GetArraySize(buffers), 3);
    const cJSON *second = cJSON_GetArrayItem(buffers, 1);
    cr_assert_str_eq(cJSON_GetObjectItemCaseSensitive(second, "name")->valuestring, "buffer 1");
    cr_assert_eq(number_of(second, "inPlaceOf"), 0);
    cr_assert_eq(number_of(second, "offset"), (double)offset_of(plan, y));
    cJSON_Delete(root);
    free(text);

    cr_assert_eq(aclnnextMemoryPlanWriteSvg(plan, path), ACLNN_SUCCESS);
    text = read_file(path);
    cr_assert(strstr(text, "x &#60;&#38;&#62; &#34;quoted&#34;: 1000 B at 0"), "%s", text);
    cr_assert(strstr(text, "</svg>"));
    free(text);
    unlink(path);

    cr_assert_eq(aclnnextMemoryPlanWriteSvg(plan, "/nowhere/plan.svg"), ACLNN_ERR_INNER);
    cr_assert(strstr(aclGetRecentErrMsg(), "/nowhere/plan.svg"));
    aclnnextMemoryPlanDestroy(plan);
}

/* What an XML or JSON reader takes: UTF-8 without controls and noncharacters. */
Test(memory_plan, files_are_utf_8_whatever_the_names_are)
{
    char path[] = "/tmp/test_memory_plan_XXXXXX";
    cr_assert_geq(close(mkstemp(path)), 0);
    aclnnextMemoryPlan *plan = new_plan();
    uint64_t total;
    static const char wanted[] = "\xC3\xA4? ? ?( ??? ??? end";
    add(plan, "\xC3\xA4\x01 \xFF \xC3( \xED\xA0\x80 \xEF\xBF\xBF end", 1000, 0, 3);
    char accents[401];
    for (int i = 0; i < 400; i += 2)
        memcpy(accents + i, "\xC3\xA4", 3);
    add(plan, accents, 1000, 0, 3);
    cr_assert_eq(aclnnextMemoryPlanSolve(plan, &total), ACLNN_SUCCESS);
    cr_assert_eq(aclnnextMemoryPlanWriteJson(plan, path), ACLNN_SUCCESS);
    char *text = read_file(path);
    cr_expect(strstr(text, wanted), "%s", text);
    free(text);
    cr_assert_eq(aclnnextMemoryPlanWriteSvg(plan, path), ACLNN_SUCCESS);
    text = read_file(path);
    cr_expect(strstr(text, wanted), "%s", text);
    for (const char *at = text; *at; at += rt_utf8_character(at))
        cr_assert_gt(rt_utf8_character(at), 0, "a label is cut within a character");
    free(text);
    unlink(path);
    aclnnextMemoryPlanDestroy(plan);
}

/* ---- refusals ---- */

static void refused(aclnnStatus got, aclnnStatus wanted, const char *words)
{
    const char *text = aclGetRecentErrMsg();
    cr_assert_eq(got, wanted, "%d instead of %d", got, wanted);
    cr_assert(text && strstr(text, words), "\"%s\" lacks \"%s\"", text ? text : "", words);
}

Test(memory_plan, wrong_arguments_are_refused)
{
    aclnnextMemoryPlan *plan = new_plan();
    int32_t number = 77;
    uint64_t value = 77;
    refused(aclnnextMemoryPlanCreate(NULL), ACLNN_ERR_PARAM_NULLPTR, "plan is NULL");
    refused(aclnnextMemoryPlanAddBuffer(NULL, "", 1, 0, 0, 0, &number), ACLNN_ERR_PARAM_NULLPTR,
            "plan is NULL");
    refused(aclnnextMemoryPlanAddBuffer(plan, "", 1, 0, 0, 0, NULL), ACLNN_ERR_PARAM_NULLPTR,
            "buffer is NULL");
    refused(aclnnextMemoryPlanAddBuffer(plan, "", UINT64_MAX, 0, 0, 0, &number),
            ACLNN_ERR_PARAM_INVALID, "size is 18446744073709551615");
    refused(aclnnextMemoryPlanAddBuffer(plan, "", 1, 48, 0, 0, &number), ACLNN_ERR_PARAM_INVALID,
            "alignment is 48");
    refused(aclnnextMemoryPlanAddBuffer(plan, "", 1, UINT64_C(1) << 63, 0, 0, &number),
            ACLNN_ERR_PARAM_INVALID, "alignment is 9223372036854775808; it must be at most 2^61");
    refused(aclnnextMemoryPlanAddBuffer(plan, "", 1, UINT64_C(1) << 62, 0, 0, &number),
            ACLNN_ERR_PARAM_INVALID, "at most 2^61");
    refused(aclnnextMemoryPlanAddBuffer(plan, "", UINT64_C(1) << 62, 0, 0, 0, &number),
            ACLNN_ERR_PARAM_INVALID, "it must be at most 2^62 - 1");
    refused(aclnnextMemoryPlanAddBuffer(plan, "", 1, 0, 5, 4, &number), ACLNN_ERR_PARAM_INVALID,
            "firstStep is 5");
    refused(aclnnextMemoryPlanAddWorkspace(plan, "", NULL, 0, &number), ACLNN_ERR_PARAM_NULLPTR,
            "executor is NULL");
    refused(aclnnextMemoryPlanGetOffset(plan, 0, &value), ACLNN_ERR_PARAM_INVALID, "buffer is 0");
    int32_t a = add(plan, "a", 8, 0, 2), b = add(plan, "b", 8, 2, 4), c = add(plan, "c", 8, 2, 3);
    refused(aclnnextMemoryPlanSetInPlace(plan, a, a), ACLNN_ERR_PARAM_INVALID, "its own place");
    refused(aclnnextMemoryPlanSetInPlace(plan, a, b), ACLNN_ERR_PARAM_INVALID, "last step is 4");
    refused(aclnnextMemoryPlanSetInPlace(plan, 3, a), ACLNN_ERR_PARAM_INVALID, "output is 3");
    cr_assert_eq(aclnnextMemoryPlanSetInPlace(plan, b, a), ACLNN_SUCCESS);
    refused(aclnnextMemoryPlanSetInPlace(plan, b, a), ACLNN_ERR_PARAM_INVALID, "already");
    refused(aclnnextMemoryPlanSetInPlace(plan, c, a), ACLNN_ERR_PARAM_INVALID, "already");
    refused(aclnnextMemoryPlanGetOffset(plan, a, &value), ACLNN_ERR_PARAM_INVALID,
            "not been solved");
    refused(aclnnextMemoryPlanGetSummary(plan, NULL), ACLNN_ERR_PARAM_NULLPTR, "summary is NULL");
    refused(aclnnextMemoryPlanWriteJson(plan, NULL), ACLNN_ERR_PARAM_NULLPTR, "path is NULL");
    add(plan, "huge", UINT64_MAX / 4, 0, 0);
    add(plan, "huge", UINT64_MAX / 4, 0, 0);
    refused(aclnnextMemoryPlanSolve(plan, &value), ACLNN_ERR_PARAM_INVALID, "address space");
    cr_assert_eq(number, 77);
    cr_assert_eq(value, 77);
    cr_assert_eq(aclnnextMemoryPlanDestroy(plan), ACLNN_SUCCESS);
    cr_assert_eq(aclnnextMemoryPlanDestroy(NULL), ACLNN_SUCCESS);
}

/* Describes and solves; the code of the first function that fails. */
static aclnnStatus describe_and_solve(void)
{
    aclnnextMemoryPlan *plan = NULL;
    uint64_t total;
    aclnnStatus status = aclnnextMemoryPlanCreate(&plan);
    for (int32_t i = 0, number; status == ACLNN_SUCCESS && i < 100; i++)
        status =
            aclnnextMemoryPlanAddBuffer(plan, i % 2 ? "named" : NULL, 64, 0, i, i + 3, &number);
    if (status == ACLNN_SUCCESS) status = aclnnextMemoryPlanSolve(plan, &total);
    aclnnextMemoryPlanDestroy(plan);
    return status;
}

Test(memory_plan, every_lack_of_memory_is_reported)
{
    rt_alloc_fail_at(0);
    cr_assert_eq(describe_and_solve(), ACLNN_SUCCESS);
    const int64_t requests = rt_alloc_fail_at(0);
    cr_assert_gt(requests, 60);
    for (int64_t n = 1; n <= requests; n++) {
        rt_alloc_fail_at(n);
        refused(describe_and_solve(), ACLNN_ERR_INNER, "no host memory");
    }
    rt_alloc_fail_at(0);
}
