/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/conv_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/oracle.h"
#include "tests/support/random.h"

void data_path_of(char path[CONV_PATH], const char *what)
{
    snprintf(path, CONV_PATH, "/dev/shm/aclnn-bench-conv-%d-%s", (int)getpid(), what);
}

static enum case_dtype case_of(enum layer_dtype dtype)
{
    static const enum case_dtype types[] = {CASE_F32, CASE_BF16, CASE_F16};
    return types[dtype];
}

/* Values of few bits, so that every type holds them: their products have full significands still
 * when they are summed. */
static bool make_file(struct conv_data *data, int tensor, struct random *random)
{
    const int64_t count = layer_elements(&data->layer, (enum layer_tensor)tensor);
    const size_t size = layer_element_size(data->dtype);
    char *raw = malloc((size_t)count * size);
    float *values = data->value[tensor] = malloc((size_t)count * sizeof *values);
    if (raw == NULL || values == NULL) abort();
    for (int64_t i = 0; i < count; i++) {
        values[i] = (float)((int64_t)(random_next(random) >> 56) - 128) / 64 + 1.0F / 128;
        const uint64_t bits = oracle_to_bits(case_of(data->dtype), values[i]);
        values[i] = (float)oracle_from_bits(case_of(data->dtype), bits);
        memcpy(raw + (size_t)i * size, &bits, size);
    }
    FILE *file = fopen(data->path[tensor], "wb");
    bool is_written = file != NULL && fwrite(raw, size, (size_t)count, file) == (size_t)count;
    if (file != NULL && fclose(file) != 0) is_written = false;
    free(raw);
    return is_written;
}

bool conv_data_make(struct conv_data *data, const char *line, enum layer_dtype dtype, char *why,
                    size_t why_size)
{
    static const char *const names[LAYER_TENSORS] = {"x", "w", "y", "b"};
    struct random random = {1};
    *data = (struct conv_data){.dtype = dtype};
    if (!layer_parse(line, &data->layer, why, why_size)) return false;
    layer_print(&data->layer, data->line);
    for (int i = 0; i < LAYER_TENSORS; i++) {
        data_path_of(data->path[i], names[i]);
        if (make_file(data, i, &random)) continue;
        snprintf(why, why_size, "cannot write %s", data->path[i]);
        conv_data_free(data);
        return false;
    }
    return true;
}

void conv_data_free(struct conv_data *data)
{
    for (int i = 0; i < LAYER_TENSORS; i++) {
        if (data->path[i][0] != '\0') unlink(data->path[i]);
        free(data->value[i]);
    }
    *data = (struct conv_data){0};
}

cJSON *conv_request_set_up(const struct conv_data *data, enum layer_pass pass, int slot,
                           const char *layout)
{
    cJSON *request = cJSON_CreateObject();
    cJSON_AddStringToObject(request, "do", "set_up");
    cJSON_AddNumberToObject(request, "slot", slot);
    cJSON_AddStringToObject(request, "line", data->line);
    cJSON_AddStringToObject(request, "pass", layer_pass_name(pass));
    cJSON_AddStringToObject(request, "dtype", layer_dtype_name(data->dtype));
    cJSON_AddStringToObject(request, "layout", layout);
    cJSON *files = cJSON_AddArrayToObject(request, "files");
    for (int i = 0; i < LAYER_TENSORS; i++)
        cJSON_AddItemToArray(files, cJSON_CreateString(data->path[i]));
    return request;
}

/* ---- the definition ---- */

static void add(struct conv_sum *sum, double a, double b)
{
    sum->value += a * b;
    sum->magnitude += fabs(a * b);
    sum->terms++;
}

/* Rows of an axis that is not used have one place. */
static int64_t at_least_one(int64_t extent)
{
    return extent > 0 ? extent : 1;
}

struct place {
    int64_t n, channel, at[LAYER_AXES];
};

static struct place place_of(const struct conv_layer *l, const int64_t extents[], int64_t channels,
                             int64_t element)
{
    struct place p = {0};
    for (int i = LAYER_AXES - 1; i >= 0; i--) {
        p.at[i] = element % at_least_one(extents[i]);
        element /= at_least_one(extents[i]);
    }
    (void)l;
    p.channel = element % channels;
    p.n = element / channels;
    return p;
}

static int64_t offset_of(const struct place *p, const int64_t extents[], int64_t channels)
{
    int64_t offset = p->n * channels + p->channel;
    for (int i = 0; i < LAYER_AXES; i++)
        offset = offset * at_least_one(extents[i]) + p->at[i];
    return offset;
}

/* The place of x that tap t of window o reads; false: outside. */
static bool meets(const struct conv_layer *l, const int64_t o[], const int64_t t[], int64_t x[])
{
    for (int i = 0; i < LAYER_AXES; i++) {
        x[i] = i < l->axes ? o[i] * l->stride[i] - l->pad[i] + t[i] * l->dilation[i] : 0;
        if (x[i] < 0 || x[i] >= at_least_one(l->size[i])) return false;
    }
    return true;
}

/* The next place in order; false behind the last. */
static bool next(int64_t at[], const int64_t extents[])
{
    for (int i = LAYER_AXES - 1; i >= 0; i--) {
        if (++at[i] < at_least_one(extents[i])) return true;
        at[i] = 0;
    }
    return false;
}

static struct conv_sum expect_y(const struct conv_data *data, int64_t element)
{
    const struct conv_layer *l = &data->layer;
    const struct place y = place_of(l, l->out, l->to, element);
    const int64_t in_group = l->from / l->groups, group = y.channel / (l->to / l->groups);
    struct conv_sum sum = {0};
    add(&sum, data->value[LAYER_B][y.channel], 1);
    for (int64_t c = 0; c < in_group; c++) {
        struct place w = {.n = y.channel, .channel = c};
        do {
            struct place x = {.n = y.n, .channel = group * in_group + c};
            if (!meets(l, y.at, w.at, x.at)) continue;
            add(&sum, data->value[LAYER_X][offset_of(&x, l->size, l->from)],
                data->value[LAYER_W][offset_of(&w, l->kernel, in_group)]);
        } while (next(w.at, l->kernel));
    }
    return sum;
}

/* Windows that read one place of x: along each axis o * stride = x + pad - t * dilation. */
static struct conv_sum expect_dx(const struct conv_data *data, int64_t element)
{
    const struct conv_layer *l = &data->layer;
    const struct place x = place_of(l, l->size, l->from, element);
    const int64_t in_group = l->from / l->groups, of_group = l->to / l->groups;
    const int64_t group = x.channel / in_group;
    struct conv_sum sum = {0};
    for (int64_t m = group * of_group; m < (group + 1) * of_group; m++) {
        struct place w = {.n = m, .channel = x.channel % in_group};
        do {
            struct place y = {.n = x.n, .channel = m};
            bool is_met = true;
            for (int i = 0; i < l->axes; i++) {
                const int64_t at = x.at[i] + l->pad[i] - w.at[i] * l->dilation[i];
                y.at[i] = at / l->stride[i];
                is_met = is_met && at >= 0 && at % l->stride[i] == 0 && y.at[i] < l->out[i];
            }
            if (is_met)
                add(&sum, data->value[LAYER_Y][offset_of(&y, l->out, l->to)],
                    data->value[LAYER_W][offset_of(&w, l->kernel, in_group)]);
        } while (next(w.at, l->kernel));
    }
    return sum;
}

static struct conv_sum expect_dw(const struct conv_data *data, int64_t element)
{
    const struct conv_layer *l = &data->layer;
    const int64_t in_group = l->from / l->groups, of_group = l->to / l->groups;
    const struct place w = place_of(l, l->kernel, in_group, element);
    struct conv_sum sum = {0};
    for (int64_t n = 0; n < l->batch; n++) {
        struct place y = {.n = n, .channel = w.n};
        do {
            struct place x = {.n = n, .channel = w.n / of_group * in_group + w.channel};
            if (!meets(l, y.at, w.at, x.at)) continue;
            add(&sum, data->value[LAYER_X][offset_of(&x, l->size, l->from)],
                data->value[LAYER_Y][offset_of(&y, l->out, l->to)]);
        } while (next(y.at, l->out));
    }
    return sum;
}

static struct conv_sum expect_db(const struct conv_data *data, int64_t channel)
{
    const struct conv_layer *l = &data->layer;
    struct conv_sum sum = {0};
    for (int64_t n = 0; n < l->batch; n++) {
        struct place y = {.n = n, .channel = channel};
        do
            add(&sum, data->value[LAYER_Y][offset_of(&y, l->out, l->to)], 1);
        while (next(y.at, l->out));
    }
    return sum;
}

static struct conv_sum expect(const struct conv_data *data, int64_t element)
{
    const int64_t weights = layer_elements(&data->layer, LAYER_W);
    if (data->pass == LAYER_FORWARD) return expect_y(data, element);
    if (data->pass == LAYER_DATA) return expect_dx(data, element);
    return element < weights ? expect_dw(data, element) : expect_db(data, element - weights);
}

void conv_data_expect(struct conv_data *data, enum layer_pass pass)
{
    struct random random = {2};
    const int64_t count = (int64_t)(layer_result_bytes(&data->layer, pass, data->dtype) /
                                    layer_element_size(data->dtype));
    /* Every fourth one of the bias, where the result ends with its gradient. */
    const int64_t bias = pass == LAYER_WEIGHT ? layer_elements(&data->layer, LAYER_B) : count;
    data->pass = pass;
    for (int i = 0; i < CONV_SAMPLES; i++) {
        data->sample[i] = i == 0       ? 0
                          : i == 1     ? count - 1
                          : i % 4 == 2 ? count - 1 - random_below(&random, bias)
                                       : random_below(&random, count);
        data->expected[i] = expect(data, data->sample[i]);
    }
}

/* ---- comparing ---- */

static bool is_near(const struct conv_data *data, int i, const char *raw, bool is_ours, char *why,
                    size_t why_size)
{
    const double unit = data->dtype == LAYER_F32    ? 0x1p-24
                        : data->dtype == LAYER_BF16 ? 0x1p-8
                                                    : 0x1p-11;
    uint64_t bits = 0;
    memcpy(&bits, raw, layer_element_size(data->dtype));
    const double got = oracle_from_bits(case_of(data->dtype), bits);
    const struct conv_sum sum = data->expected[i];
    double bound = ((double)sum.terms + 2) * 0x1p-24 * sum.magnitude + unit * fabs(sum.value) * 2;
    if (!is_ours) bound += 4 * unit * sum.magnitude;
    if (fabs(got - sum.value) <= bound) return true;
    snprintf(why, why_size, "element %lld is %.9g, not %.9g", (long long)data->sample[i], got,
             sum.value);
    return false;
}

bool conv_check(const struct conv_data *data, const char *path, bool is_ours, char *why,
                size_t why_size)
{
    const size_t bytes = layer_result_bytes(&data->layer, data->pass, data->dtype);
    const size_t size = layer_element_size(data->dtype);
    const int64_t count = (int64_t)(bytes / size);
    char *raw = malloc(bytes);
    FILE *file = fopen(path, "rb");
    bool is_right = raw != NULL && file != NULL && fread(raw, 1, bytes, file) == bytes;
    if (file != NULL) fclose(file);
    if (!is_right) snprintf(why, why_size, "there is no result of the right size");
    const char poison[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
    for (int64_t i = 0; is_right && i < count; i++)
        if (memcmp(raw + (size_t)i * size, poison, size) == 0) {
            snprintf(why, why_size, "element %lld was not written", (long long)i);
            is_right = false;
        }
    for (int i = 0; is_right && i < CONV_SAMPLES; i++)
        is_right = is_near(data, i, raw + (size_t)data->sample[i] * size, is_ours, why, why_size);
    free(raw);
    return is_right;
}
