/* SPDX-License-Identifier: Apache-2.0 */
/* A problem as a contender is told of it: its line, and everything in it one by one. */
#include "tests/bench/measure.h"

static void add_extents(cJSON *request, const char *key, const struct test_case *test,
                        int64_t (*extent)(const struct case_window *))
{
    cJSON *list = cJSON_AddArrayToObject(request, key);
    for (int axis = 0; axis < test->axes; axis++) {
        struct case_window window = case_window(test, axis);
        cJSON_AddItemToArray(list, cJSON_CreateNumber((double)extent(&window)));
    }
}

#define EXTENT(field)                                                                              \
    static int64_t field##_of(const struct case_window *window)                                    \
    {                                                                                              \
        return window->field;                                                                      \
    }
EXTENT(input)
EXTENT(output)
EXTENT(kernel)
EXTENT(stride)
EXTENT(pad)
EXTENT(dilation)

static void add_tensors(cJSON *request, const struct bench_problem *problem)
{
    static const char *const roles[CASE_TENSORS] = {
        [CASE_X] = "x", [CASE_DX] = "dx", [CASE_Y] = "y", [CASE_DY] = "dy", [CASE_I] = "i"};
    static const char *const uses[] = {
        [BENCH_READS] = "reads", [BENCH_SHAPE] = "shape", [BENCH_WRITES] = "writes"};
    cJSON *list = cJSON_AddArrayToObject(request, "tensors");
    for (int i = 0; i < problem->tensors; i++) {
        const struct bench_tensor *tensor = &problem->tensor[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "role", roles[tensor->role]);
        cJSON_AddStringToObject(item, "use", uses[tensor->use]);
        cJSON_AddStringToObject(item, "dtype", case_dtype_name(tensor->dtype));
        cJSON_AddNumberToObject(item, "first", (double)bench_first_value(tensor->role));
        cJSON_AddItemToArray(list, item);
    }
}

cJSON *request_set_up(const struct bench_problem *problem)
{
    const struct test_case *test = &problem->test;
    char line[CASE_LINE];
    cJSON *request = cJSON_CreateObject();
    cJSON_AddStringToObject(request, "do", "set_up");
    cJSON_AddStringToObject(request, "line", case_print(test, line));
    cJSON_AddStringToObject(request, "format", bench_format_name(problem->format));
    cJSON_AddStringToObject(request, "values", problem->values);
    cJSON_AddStringToObject(request, "indices", problem->indices);
    cJSON_AddStringToObject(request, "torch", problem->op->torch);
    cJSON_AddStringToObject(request, "dtype", case_dtype_name(test->dtype));
    cJSON_AddNumberToObject(request, "batch", (double)test->batch);
    cJSON_AddNumberToObject(request, "channels", (double)test->channels);
    add_tensors(request, problem);
    add_extents(request, "input", test, input_of);
    add_extents(request, "output", test, output_of);
    add_extents(request, "kernel", test, kernel_of);
    add_extents(request, "stride", test, stride_of);
    add_extents(request, "pad", test, pad_of);
    add_extents(request, "dilation", test, dilation_of);
    cJSON_AddBoolToObject(request, "ceil", test->ceil);
    cJSON_AddBoolToObject(request, "exclude_pad", test->exclude_pad);
    cJSON_AddNumberToObject(request, "divisor", (double)test->divisor);
    return request;
}
