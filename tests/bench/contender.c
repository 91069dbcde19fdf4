/* SPDX-License-Identifier: Apache-2.0 */
/* The contender's side of the conversation; contender.h describes it. */
#include "tests/bench/contender.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/bench/stats.h"

enum { TEXT = 256 };
#define WARM_SECONDS 2e-4 /* of runs before the clock starts, at least one */
#define COLD_SECONDS 8e-3 /* a run as long as this needs no other before it */

static struct bench_problem problem;
static char *values_path, *indices_path;
static bool is_set_up;
static double run_seconds; /* what a run took last; 0 before the first */

static void refuse(cJSON *reply, const char *why)
{
    cJSON_ReplaceItemInObject(reply, "ok", cJSON_CreateFalse());
    cJSON_AddStringToObject(reply, "why", why);
}

static const char *text_of(const cJSON *request, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(request, key));
    return text == NULL ? "" : text;
}

static void set_up(const struct bench_contender *contender, const cJSON *request, cJSON *reply)
{
    struct test_case test;
    char text[TEXT] = "";
    is_set_up = false;
    run_seconds = 0;
    enum bench_format format = bench_format_of(text_of(request, "format"));
    if (format == BENCH_FORMATS) {
        refuse(reply, "no such format");
        return;
    }
    if (!case_parse(text_of(request, "line"), &test, text, sizeof text) ||
        !bench_problem_of(&test, format, &problem, text, sizeof text)) {
        refuse(reply, text);
        return;
    }
    free(values_path);
    free(indices_path);
    problem.values = values_path = strdup(text_of(request, "values"));
    problem.indices = indices_path = strdup(text_of(request, "indices"));
    is_set_up = contender->set_up(&problem, text, sizeof text);
    if (is_set_up)
        cJSON_AddStringToObject(reply, "note", text);
    else
        refuse(reply, text);
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
    FILE *file = fopen(text_of(request, "path"), "wb");
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
    if (!is_written) refuse(reply, "cannot write the planes");
}

static void answer(const struct bench_contender *contender, const cJSON *request, cJSON *reply)
{
    const char *what = text_of(request, "do");
    cJSON_AddTrueToObject(reply, "ok");
    if (strcmp(what, "set_up") == 0) {
        set_up(contender, request, reply);
    } else if (strcmp(what, "figures") == 0 && contender->figures != NULL) {
        contender->figures(cJSON_AddObjectToObject(reply, "figures"));
    } else if (!is_set_up) {
        refuse(reply, "nothing is set up");
    } else if (strcmp(what, "run") == 0) {
        run(contender, request, reply);
    } else if (strcmp(what, "check") == 0) {
        check(contender, request, reply);
    } else {
        refuse(reply, "no such request");
    }
}

static void say(FILE *out, cJSON *message)
{
    char *line = cJSON_PrintUnformatted(message);
    fprintf(out, "%s\n", line);
    fflush(out);
    cJSON_free(line);
    cJSON_Delete(message);
}

int bench_serve(const struct bench_contender *contender)
{
    /* The conversation keeps the pipe; what a library prints goes to standard error. */
    FILE *out = fdopen(dup(STDOUT_FILENO), "w");
    if (out == NULL || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return 1;
    cJSON *hello = cJSON_CreateObject();
    cJSON_AddStringToObject(hello, "name", contender->name);
    contender->hello(hello);
    say(out, hello);

    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        cJSON *request = cJSON_Parse(line);
        cJSON *reply = cJSON_CreateObject();
        answer(contender, request, reply);
        say(out, reply);
        cJSON_Delete(request);
    }
    free(line);
    free(values_path);
    free(indices_path);
    fclose(out);
    return 0;
}
