/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/conv_contender.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TEXT = 256, HUGE_PAGE = 2 << 20 };

static struct conv_problem problem[CONV_SLOTS];
static bool is_set_up[CONV_SLOTS];

void *conv_memory(size_t bytes)
{
    const size_t size = (bytes + HUGE_PAGE) / HUGE_PAGE * HUGE_PAGE;
    void *memory = aligned_alloc(HUGE_PAGE, size);
    if (memory == NULL) abort();
    madvise(memory, size, MADV_HUGEPAGE);
    memset(memory, 0xFF, size);
    return memory;
}

bool conv_read(const struct conv_problem *of, enum layer_tensor tensor, void *to, char *note,
               size_t note_size)
{
    const size_t bytes = (size_t)layer_elements(&of->layer, tensor) * layer_element_size(of->dtype);
    FILE *file = fopen(of->file[tensor], "rb");
    const bool is_read = file != NULL && fread(to, 1, bytes, file) == bytes;
    if (file != NULL) fclose(file);
    if (!is_read) snprintf(note, note_size, "cannot read %s", of->file[tensor]);
    return is_read;
}

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

static void set_up(const struct conv_contender *contender, int slot, const cJSON *request,
                   cJSON *reply)
{
    char text[TEXT] = "";
    struct conv_problem *p = &problem[slot];
    contender->clear(slot);
    is_set_up[slot] = false;
    p->pass = layer_pass_of(text_of(request, "pass"));
    p->dtype = layer_dtype_of(text_of(request, "dtype"));
    snprintf(p->layout, sizeof p->layout, "%s", text_of(request, "layout"));
    for (int i = 0; i < LAYER_TENSORS; i++) {
        const char *path =
            cJSON_GetStringValue(cJSON_GetArrayItem(cJSON_GetObjectItem(request, "files"), i));
        snprintf(p->file[i], CONV_PATH, "%s", path == NULL ? "" : path);
    }
    if (p->pass == LAYER_PASSES || p->dtype == LAYER_DTYPES)
        refuse(reply, "no such pass or type");
    else if (!layer_parse(text_of(request, "line"), &p->layer, text, sizeof text) ||
             !contender->set_up(slot, p, text, sizeof text))
        refuse(reply, text);
    else
        is_set_up[slot] = true;
    if (is_set_up[slot]) cJSON_AddStringToObject(reply, "note", text);
}

static void check(const struct conv_contender *contender, int slot, const cJSON *request,
                  cJSON *reply)
{
    const struct conv_problem *p = &problem[slot];
    const size_t bytes = layer_result_bytes(&p->layer, p->pass, p->dtype);
    contender->poison(slot);
    cJSON_AddNumberToObject(reply, "seconds", contender->run(slot, 1));
    void *dense = malloc(bytes);
    FILE *file = fopen(text_of(request, "path"), "wb");
    bool is_written = dense != NULL && file != NULL && contender->result(slot, dense) &&
                      fwrite(dense, 1, bytes, file) == bytes;
    if (file != NULL && fclose(file) != 0) is_written = false;
    free(dense);
    if (!is_written) refuse(reply, "the result cannot be written");
}

static void answer(const struct conv_contender *contender, const cJSON *request, cJSON *reply)
{
    const char *what = text_of(request, "do");
    const int slot = (int)cJSON_GetNumberValue(cJSON_GetObjectItem(request, "slot"));
    cJSON_AddTrueToObject(reply, "ok");
    if (strcmp(what, "clear") == 0) {
        for (int i = 0; i < CONV_SLOTS; i++) {
            contender->clear(i);
            is_set_up[i] = false;
        }
    } else if (slot < 0 || slot >= CONV_SLOTS) {
        refuse(reply, "no such slot");
    } else if (strcmp(what, "set_up") == 0) {
        set_up(contender, slot, request, reply);
    } else if (!is_set_up[slot]) {
        refuse(reply, "nothing is set up");
    } else if (strcmp(what, "run") == 0) {
        const double count = cJSON_GetNumberValue(cJSON_GetObjectItem(request, "count"));
        const int64_t runs = count >= 1 ? (int64_t)count : 1;
        cJSON_AddNumberToObject(reply, "seconds", contender->run(slot, runs) / (double)runs);
    } else if (strcmp(what, "check") == 0) {
        check(contender, slot, request, reply);
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

int conv_serve(const struct conv_contender *contender)
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
    for (int i = 0; i < CONV_SLOTS; i++)
        contender->clear(i);
    free(line);
    fclose(out);
    return 0;
}
