/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/conv_contender.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/bench/conversation.h"

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

static void set_up(const struct conv_contender *contender, int slot, const cJSON *request,
                   cJSON *reply)
{
    char text[TEXT] = "";
    struct conv_problem *p = &problem[slot];
    contender->clear(slot);
    is_set_up[slot] = false;
    p->pass = layer_pass_of(conversation_text(request, "pass"));
    p->dtype = layer_dtype_of(conversation_text(request, "dtype"));
    snprintf(p->layout, sizeof p->layout, "%s", conversation_text(request, "layout"));
    for (int i = 0; i < LAYER_TENSORS; i++) {
        const char *path =
            cJSON_GetStringValue(cJSON_GetArrayItem(cJSON_GetObjectItem(request, "files"), i));
        snprintf(p->file[i], CONV_PATH, "%s", path == NULL ? "" : path);
    }
    if (p->pass == LAYER_PASSES || p->dtype == LAYER_DTYPES)
        conversation_refuse(reply, "no such pass or type");
    else if (!layer_parse(conversation_text(request, "line"), &p->layer, text, sizeof text) ||
             !contender->set_up(slot, p, text, sizeof text))
        conversation_refuse(reply, text);
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
    FILE *file = fopen(conversation_text(request, "path"), "wb");
    bool is_written = dense != NULL && file != NULL && contender->result(slot, dense) &&
                      fwrite(dense, 1, bytes, file) == bytes;
    if (file != NULL && fclose(file) != 0) is_written = false;
    free(dense);
    if (!is_written) conversation_refuse(reply, "the result cannot be written");
}

static void answer(const void *of, const cJSON *request, cJSON *reply)
{
    const struct conv_contender *contender = of;
    const char *what = conversation_text(request, "do");
    const int slot = (int)cJSON_GetNumberValue(cJSON_GetObjectItem(request, "slot"));
    if (strcmp(what, "clear") == 0) {
        for (int i = 0; i < CONV_SLOTS; i++) {
            contender->clear(i);
            is_set_up[i] = false;
        }
    } else if (slot < 0 || slot >= CONV_SLOTS) {
        conversation_refuse(reply, "no such slot");
    } else if (strcmp(what, "set_up") == 0) {
        set_up(contender, slot, request, reply);
    } else if (!is_set_up[slot]) {
        conversation_refuse(reply, "nothing is set up");
    } else if (strcmp(what, "run") == 0) {
        const double count = cJSON_GetNumberValue(cJSON_GetObjectItem(request, "count"));
        const int64_t runs = count >= 1 ? (int64_t)count : 1;
        cJSON_AddNumberToObject(reply, "seconds", contender->run(slot, runs) / (double)runs);
    } else if (strcmp(what, "check") == 0) {
        check(contender, slot, request, reply);
    } else {
        conversation_refuse(reply, "no such request");
    }
}

int conv_serve(const struct conv_contender *contender)
{
    if (!conversation_run(contender->name, contender->hello, answer, contender)) return 1;
    for (int i = 0; i < CONV_SLOTS; i++)
        contender->clear(i);
    return 0;
}
