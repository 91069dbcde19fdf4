/* SPDX-License-Identifier: Apache-2.0 */
/* The contender's side of the conversation; contender.h describes it. */
#include "tests/bench/contender.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/bench/conversation.h"
#include "tests/bench/stats.h"

enum { TEXT = 256 };
/* Runs before the clock starts, at least one: what others threw out of the last-level cache is kept
 * there again from the fifth run on. */
#define WARM_SECONDS 2e-3
#define COLD_SECONDS 8e-3 /* a run as long as this needs no other before it */

static struct bench_problem problem;
static char *values_path, *indices_path;
static bool is_set_up;
static double run_seconds; /* what a run took last; 0 before the first */

static void set_up(const struct bench_contender *contender, const cJSON *request, cJSON *reply)
{
    struct test_case test;
    char text[TEXT] = "";
    is_set_up = false;
    run_seconds = 0;
    enum bench_format format = bench_format_of(conversation_text(request, "format"));
    if (format == BENCH_FORMATS) {
        conversation_refuse(reply, "no such format");
        return;
    }
    if (!case_parse(conversation_text(request, "line"), &test, text, sizeof text) ||
        !bench_problem_of(&test, format, &problem, text, sizeof text)) {
        conversation_refuse(reply, text);
        return;
    }
    free(values_path);
    free(indices_path);
    problem.values = values_path = strdup(conversation_text(request, "values"));
    problem.indices = indices_path = strdup(conversation_text(request, "indices"));
    is_set_up = contender->set_up(&problem, text, sizeof text);
    if (is_set_up)
        cJSON_AddStringToObject(reply, "note", text);
    else
        conversation_refuse(reply, text);
}

static void run(const struct bench_contender *contender, const cJSON *request, cJSON *reply)
{
    int64_t count = (int64_t)cJSON_GetNumberValue(cJSON_GetObjectItem(request, "count"));
    if (count < 1) count = 1;
    double begin = stats_now();
    while (run_seconds < COLD_SECONDS) {
        contender->run(1);
        if (stats_now() - begin >= WARM_SECONDS) break;
    }
    run_seconds = contender->run(count) / (double)count;
    cJSON_AddNumberToObject(reply, "seconds", run_seconds);
}

#define COUNT_AS(type)                                                                             \
    do {                                                                                           \
        const type *bits = data;                                                                   \
        for (int64_t i = 0; i < count; i++)                                                        \
            found += bits[i] == (type)-1;                                                          \
    } while (0)

static int64_t count_poison(const void *data, size_t size, int64_t count)
{
    int64_t found = 0;
    if (size == 8)
        COUNT_AS(uint64_t);
    else if (size == 4)
        COUNT_AS(uint32_t);
    else
        COUNT_AS(uint16_t);
    return found;
}

static bool write_planes(FILE *file, int tensor, const void *data, const cJSON *planes)
{
    size_t bytes = (size_t)problem.tensor[tensor].plane * problem.tensor[tensor].element_size;
    void *plane = malloc(bytes);
    bool is_written = plane != NULL;
    const cJSON *which;
    cJSON_ArrayForEach(which, planes)
    {
        if (!is_written) break;
        bench_unpack_plane(&problem, tensor, (int64_t)cJSON_GetNumberValue(which), data, plane);
        is_written = fwrite(plane, 1, bytes, file) == bytes;
    }
    free(plane);
    return is_written;
}

/* Outputs in the order of the problem's tensors. */
static void check(const struct bench_contender *contender, const cJSON *request, cJSON *reply)
{
    const cJSON *planes = cJSON_GetObjectItem(request, "planes");
    FILE *file = fopen(conversation_text(request, "path"), "wb");
    bool is_written = file != NULL;
    for (int i = 0; i < problem.tensors; i++) {
        void *data = problem.tensor[i].use == BENCH_WRITES ? contender->output(i) : NULL;
        if (data != NULL) memset(data, 0xFF, problem.tensor[i].bytes);
    }
    run_seconds = contender->run(1);
    cJSON_AddNumberToObject(reply, "seconds", run_seconds);
    cJSON *unwritten = cJSON_AddArrayToObject(reply, "unwritten");
    for (int i = 0; i < problem.tensors; i++) {
        const struct bench_tensor *tensor = &problem.tensor[i];
        if (tensor->use != BENCH_WRITES) continue;
        void *data = contender->output(i);
        if (data == NULL) {
            cJSON_AddItemToArray(unwritten, cJSON_CreateNull());
            continue;
        }
        int64_t count = count_poison(data, tensor->element_size, problem.planes * tensor->plane);
        cJSON_AddItemToArray(unwritten, cJSON_CreateNumber((double)count));
        is_written = is_written && write_planes(file, i, data, planes);
    }
    if (file != NULL && fclose(file) != 0) is_written = false;
    if (!is_written) conversation_refuse(reply, "cannot write the planes");
}

static void answer(const void *of, const cJSON *request, cJSON *reply)
{
    const struct bench_contender *contender = of;
    const char *what = conversation_text(request, "do");
    if (strcmp(what, "set_up") == 0) {
        set_up(contender, request, reply);
    } else if (strcmp(what, "figures") == 0 && contender->figures != NULL) {
        contender->figures(cJSON_AddObjectToObject(reply, "figures"));
    } else if (!is_set_up) {
        conversation_refuse(reply, "nothing is set up");
    } else if (strcmp(what, "run") == 0) {
        run(contender, request, reply);
    } else if (strcmp(what, "check") == 0) {
        check(contender, request, reply);
    } else {
        conversation_refuse(reply, "no such request");
    }
}

int bench_serve(const struct bench_contender *contender)
{
    if (!conversation_run(contender->name, contender->hello, answer, contender)) return 1;
    free(values_path);
    free(indices_path);
    return 0;
}
