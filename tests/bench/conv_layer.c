/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/conv_layer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/extents.h"

static const char *const passes[LAYER_PASSES] = {"forward", "dx", "dw"};
static const char *const dtypes[LAYER_DTYPES] = {"f32", "bf16", "f16"};

const char *layer_pass_name(enum layer_pass pass)
{
    return passes[pass];
}

const char *layer_dtype_name(enum layer_dtype dtype)
{
    return dtypes[dtype];
}

enum layer_pass layer_pass_of(const char *name)
{
    int i = 0;
    while (i < LAYER_PASSES && strcmp(name, passes[i]) != 0)
        i++;
    return (enum layer_pass)i;
}

enum layer_dtype layer_dtype_of(const char *name)
{
    int i = 0;
    while (i < LAYER_DTYPES && strcmp(name, dtypes[i]) != 0)
        i++;
    return (enum layer_dtype)i;
}

size_t layer_element_size(enum layer_dtype dtype)
{
    return dtype == LAYER_F32 ? 4 : 2;
}

/* The bench has its own types, layouts and results. */
static bool is_tensor(const char *word)
{
    static const char *const names[] = {"x=", "w=", "b=", "y=", "dy=", "dx=", "dw=", "db="};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(word, names[i], strlen(names[i])) == 0) return true;
    return false;
}

static bool read_word(const char *word, struct conv_layer *layer)
{
    int64_t numbers[LAYER_AXES], end_pad[LAYER_AXES] = {0}, *array = NULL;
    char *end;
    if (is_tensor(word)) return true;
    switch (word[0]) {
    case 'n':
        return extents_read(word + 1, numbers, LAYER_AXES) == 1 && (layer->batch = numbers[0]) > 0;
    case 'g':
        return extents_read(word + 1, numbers, LAYER_AXES) == 1 && (layer->groups = numbers[0]) > 0;
    case 'c':
        layer->from = strtoll(word + 1, &end, 10);
        if (*end != '>') return false;
        layer->to = strtoll(end + 1, &end, 10);
        return *end == '\0' && layer->from > 0 && layer->to > 0;
    case 'k':
        array = layer->kernel;
        break;
    case 's':
        array = layer->stride;
        break;
    case 'p':
        array = layer->pad;
        break;
    case 'q':
        array = end_pad;
        break;
    case 'd':
        array = layer->dilation;
        break;
    default:
        return (layer->axes = extents_read(word, layer->size, LAYER_AXES)) > 0;
    }
    const int count = extents_read(word + 1, numbers, LAYER_AXES);
    if (count == 0 || (count != 1 && count != layer->axes)) return false;
    for (int i = 0; i < layer->axes; i++)
        array[i] = numbers[count == 1 ? 0 : i];
    return array != end_pad || memcmp(end_pad, layer->pad, sizeof end_pad) == 0;
}

bool layer_parse(const char *line, struct conv_layer *layer, char *why, size_t why_size)
{
    char text[LAYER_LINE], *rest = NULL;
    *layer = (struct conv_layer){
        .groups = 1, .stride = {1, 1, 1}, .dilation = {1, 1, 1}, .kernel = {1, 1, 1}};
    snprintf(text, sizeof text, "%s", line);
    const char *word = strtok_r(text, " \n", &rest);
    snprintf(layer->name, sizeof layer->name, "%s", word == NULL ? "" : word);
    while ((word = strtok_r(NULL, " \n", &rest)) != NULL)
        if (!read_word(word, layer)) {
            snprintf(why, why_size, "'%s' means nothing here", word);
            return false;
        }
    if (layer->batch == 0 || layer->from == 0 || layer->axes == 0) {
        snprintf(why, why_size, "a layer has a name, a batch, channels and extents");
        return false;
    }
    for (int i = 0; i < layer->axes; i++) {
        const int64_t room =
            layer->size[i] + 2 * layer->pad[i] - (layer->kernel[i] - 1) * layer->dilation[i] - 1;
        if (room < 0 || layer->stride[i] < 1) {
            snprintf(why, why_size, "no window fits");
            return false;
        }
        layer->out[i] = room / layer->stride[i] + 1;
    }
    return true;
}

int layer_dims(const struct conv_layer *layer, enum layer_tensor tensor, int64_t dims[LAYER_RANK])
{
    const int64_t *extents = tensor == LAYER_X   ? layer->size
                             : tensor == LAYER_W ? layer->kernel
                                                 : layer->out;
    dims[0] = tensor == LAYER_W ? layer->to : layer->batch;
    dims[1] = tensor == LAYER_X   ? layer->from
              : tensor == LAYER_W ? layer->from / layer->groups
                                  : layer->to;
    if (tensor == LAYER_B) {
        dims[0] = layer->to;
        return 1;
    }
    for (int i = 0; i < layer->axes; i++)
        dims[2 + i] = extents[i];
    return 2 + layer->axes;
}

int64_t layer_elements(const struct conv_layer *layer, enum layer_tensor tensor)
{
    int64_t dims[LAYER_RANK], count = 1;
    for (int i = layer_dims(layer, tensor, dims) - 1; i >= 0; i--)
        count *= dims[i];
    return count;
}

double layer_operations(const struct conv_layer *layer)
{
    double products =
        (double)layer->batch * (double)layer->to * (double)layer->from / (double)layer->groups;
    for (int i = 0; i < layer->axes; i++) {
        int64_t inside = 0;
        for (int64_t o = 0; o < layer->out[i]; o++)
            for (int64_t k = 0; k < layer->kernel[i]; k++) {
                const int64_t at = o * layer->stride[i] - layer->pad[i] + k * layer->dilation[i];
                inside += at >= 0 && at < layer->size[i];
            }
        products *= (double)inside;
    }
    return 2 * products;
}

enum layer_tensor layer_result(enum layer_pass pass)
{
    return pass == LAYER_FORWARD ? LAYER_Y : pass == LAYER_DATA ? LAYER_X : LAYER_W;
}

size_t layer_result_bytes(const struct conv_layer *layer, enum layer_pass pass,
                          enum layer_dtype dtype)
{
    int64_t elements = layer_elements(layer, layer_result(pass));
    if (pass == LAYER_WEIGHT) elements += layer_elements(layer, LAYER_B);
    return (size_t)elements * layer_element_size(dtype);
}
