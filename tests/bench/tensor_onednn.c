/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN as a contender of `bench tensors`, version 3: a primitive that computes a line from the
 * same memory, made before the clock starts; execute alone is timed. What it has not, or only
 * reference code for, takes no part. Compiled once per oneDNN that CMake finds. */
#include "tests/bench/tensor_onednn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/conversation.h"
#include "tests/bench/onednn_call.h"
#include "tests/bench/stats.h"
#include "tests/bench/tensor_data.h"

static dnnl_engine_t engine;
static dnnl_stream_t stream;
static struct onednn_call call;
static bool must_wait; /* execute returns before the work is done */

void *onednn_memory(size_t bytes)
{
    enum { HUGE_PAGE = 2 << 20 };
    void *data = aligned_alloc(HUGE_PAGE, (bytes + HUGE_PAGE) / HUGE_PAGE * HUGE_PAGE);
    if (data == NULL) abort();
    return data;
}

static void clear(struct onednn_call *c)
{
    if (c->primitive) dnnl_primitive_destroy(c->primitive);
    if (c->description) dnnl_primitive_desc_destroy(c->description);
    if (c->hint) dnnl_primitive_desc_destroy(c->hint);
    if (c->attributes) dnnl_primitive_attr_destroy(c->attributes);
    for (int i = 0; i < TENSOR_MOST + ONEDNN_OWN; i++) {
        const bool is_own = i >= TENSOR_MOST;
        const int k = is_own ? i - TENSOR_MOST : i;
        const dnnl_memory_t memory = is_own ? c->own_memory[k] : c->memory[k];
        const dnnl_memory_desc_t layout = is_own ? c->own_layout[k] : c->layout[k];
        if (memory) dnnl_memory_destroy(memory);
        if (layout) dnnl_memory_desc_destroy(layout);
        free(is_own ? c->own_data[k] : c->data[k]);
    }
    *c = (struct onednn_call){0};
}

static bool execute(const struct onednn_call *c)
{
    dnnl_status_t status = dnnl_primitive_execute(c->primitive, stream, c->count, c->arguments);
    if (must_wait && status == dnnl_success) status = dnnl_stream_wait(stream);
    return status == dnnl_success;
}

static bool set_up(struct onednn_call *c, const cJSON *request)
{
    clear(c);
    if (!tensor_line_parse(conversation_text(request, "line"), conversation_text(request, "type"),
                           &c->line)) {
        snprintf(c->note, ONEDNN_NOTE, "no such line");
        return false;
    }
    for (int i = 0; i < c->line.tensors; i++) {
        c->data[i] = onednn_memory(tensor_bytes(&c->line.tensor[i]));
        if (i < c->line.inputs)
            tensor_write(&c->line, i, c->data[i]);
        else
            tensor_poison(&c->line.tensor[i], c->data[i]);
    }
    c->engine = engine;
    if (!onednn_make(c)) return false;
    if (execute(c)) return true;
    snprintf(c->note, ONEDNN_NOTE, "execute fails");
    return false;
}

static double run(int64_t count)
{
    bool is_done = true;
    const double begin = stats_now();
    for (int64_t i = 0; i < count; i++)
        is_done = execute(&call) && is_done;
    return is_done ? (stats_now() - begin) / (double)count : -1;
}

static void answer(const void *contender, const cJSON *request, cJSON *reply)
{
    (void)contender;
    if (strcmp(conversation_text(request, "do"), "set_up") != 0) {
        const double count = cJSON_GetNumberValue(cJSON_GetObjectItem(request, "count"));
        cJSON_AddNumberToObject(reply, "seconds", run((int64_t)count));
    } else if (set_up(&call, request)) {
        const int output = call.line.inputs;
        tensor_add_output(reply, &call.line.tensor[output], call.data[output]);
        cJSON_AddStringToObject(reply, "note", call.note);
    } else {
        conversation_refuse(reply, call.note);
    }
}

static void hello(cJSON *reply)
{
    char text[64];
    const dnnl_version_t *version = dnnl_version();
    snprintf(text, sizeof text, "%d.%d.%d %s", version->major, version->minor, version->patch,
             version->cpu_runtime == DNNL_RUNTIME_SYCL ? "SYCL" : "OpenMP");
    cJSON_AddStringToObject(reply, "version", text);
}

int main(void)
{
    if (!onednn_begin(&engine, &stream, &must_wait)) return 1;
    return conversation_run("oneDNN", hello, answer, NULL) ? 0 : 1;
}
