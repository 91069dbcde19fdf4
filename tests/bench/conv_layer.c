/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/conv_layer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/cases.h"

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

/* ---- from a case ---- */

static const struct case_argument *argument_of(const struct test_case *test, const char *name,
                                               const char *other)
{
    const struct case_argument *argument = case_argument_named(test, name);
    if (!argument) argument = case_argument_named(test, other);
    return argument && !argument->is_null ? argument : NULL;
}

/* Batch, channels and extents, a weight's channels of both sides and kernel, in this order. */
static void read_dims(const struct test_case *test, const struct case_argument *tensor,
                      int64_t dims[LAYER_RANK])
{
    const bool is_tbc = strncmp(test->op, "conv_tbc", 8) == 0;
    const bool is_weight = strcmp(tensor->name, "weight") == 0;
    const int rank = tensor->rank;
    memcpy(dims, tensor->dims, sizeof *dims * (size_t)rank);
    if (is_tbc) {
        dims[0] = tensor->dims[is_weight ? 2 : 1];
        dims[1] = tensor->dims[is_weight ? 1 : 2];
        dims[2] = tensor->dims[0];
    } else if (tensor->format == CASE_NHWC || tensor->format == CASE_NDHWC) {
        dims[1] = tensor->dims[rank - 1];
        memcpy(dims + 2, tensor->dims + 1, sizeof *dims * (size_t)(rank - 2));
    }
}

/* An array of one number for all axes or one for each; where it is not there, all are `absent`. */
static bool read_array(const struct case_argument *array, int axes, int64_t absent,
                       int64_t entries[LAYER_AXES])
{
    if (array && array->rank != 0 && array->rank != 1 && array->rank != axes) return false;
    for (int i = 0; i < axes; i++)
        entries[i] = !array || array->rank == 0 ? absent : array->dims[array->rank == 1 ? 0 : i];
    return true;
}

/* The same pads at both ends, however they are given. */
static bool read_pads(const struct test_case *test, struct conv_layer *layer)
{
    const struct case_argument *begin = argument_of(test, "padding", "padsBegin");
    const struct case_argument *end = argument_of(test, "padsEnd", "padsEnd");
    int64_t ends[LAYER_AXES];
    if (!begin) begin = argument_of(test, "pad", "pad");
    if (begin && begin->rank == 2 * layer->axes && strcmp(begin->name, "padding") == 0) {
        for (int i = 0; i < layer->axes; i++) {
            layer->pad[i] = begin->dims[2 * i];
            if (begin->dims[2 * i + 1] != layer->pad[i]) return false;
        }
        return true;
    }
    if (!read_array(begin, layer->axes, 0, layer->pad)) return false;
    if (strcmp(test->op, "aclnnext_conv_grad") != 0) return true;
    const struct case_argument *automatic = argument_of(test, "autoPad", "autoPad");
    return read_array(end, layer->axes, 0, ends) && (!automatic || automatic->real == 0) &&
           memcmp(ends, layer->pad, sizeof *ends * (size_t)layer->axes) == 0;
}

/* A sentence of what is wrong, or NULL. */
static const char *read_case(const struct test_case *test, struct conv_layer *layer)
{
    const struct case_argument *x = argument_of(test, "input", "self");
    const struct case_argument *w = argument_of(test, "weight", "weight");
    const struct case_argument *groups = argument_of(test, "groups", "groups");
    const struct case_argument *transposed = argument_of(test, "transposed", "transposed");
    int64_t of_x[CASE_RANK], of_w[CASE_RANK];
    if (!x || !w || x->rank < 3 || x->rank > LAYER_RANK || w->rank != x->rank)
        return "a layer has an input and a weight of one to three axes";
    if (transposed && transposed->real != 0) return "a layer is not transposed";
    read_dims(test, x, of_x);
    read_dims(test, w, of_w);
    layer->axes = x->rank - 2;
    layer->batch = of_x[0];
    layer->from = of_x[1];
    layer->to = of_w[0];
    layer->groups = groups ? groups->dims[0] : 1;
    if (strcmp(test->op, "conv_depthwise2d") == 0) layer->groups = layer->from;
    memcpy(layer->size, of_x + 2, sizeof *of_x * (size_t)layer->axes);
    memcpy(layer->kernel, of_w + 2, sizeof *of_w * (size_t)layer->axes);
    if (!read_array(argument_of(test, "stride", "strides"), layer->axes, 1, layer->stride) ||
        !read_array(argument_of(test, "dilation", "dilations"), layer->axes, 1, layer->dilation) ||
        !read_pads(test, layer))
        return "strides, pads or dilations fit no layer";
    if (layer->batch < 1 || layer->from < 1 || layer->to < 1 || layer->groups < 1 ||
        of_w[1] * layer->groups != layer->from || layer->to % layer->groups != 0)
        return "channels and groups do not fit each other";
    return NULL;
}

bool layer_parse(const char *line, struct conv_layer *layer, char *why, size_t why_size)
{
    struct test_case test;
    *layer = (struct conv_layer){0};
    if (!case_parse(line, &test, why, why_size)) return false;
    snprintf(layer->name, sizeof layer->name, "%.*s", LAYER_NAME - 1,
             test.name[0] ? test.name : test.op);
    const char *wrong = read_case(&test, layer);
    for (int i = 0; !wrong && i < layer->axes; i++) {
        const int64_t room =
            layer->size[i] + 2 * layer->pad[i] - (layer->kernel[i] - 1) * layer->dilation[i] - 1;
        if (room < 0 || layer->stride[i] < 1) {
            wrong = "no window fits";
            break;
        }
        layer->out[i] = room / layer->stride[i] + 1;
    }
    if (wrong) snprintf(why, why_size, "%s", wrong);
    return wrong == NULL;
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

static int print_list(char *line, int used, const char *head, const int64_t *values, int count)
{
    for (int i = 0; i < count && used < LAYER_LINE; i++)
        used += snprintf(line + used, LAYER_LINE - (size_t)used, "%s%" PRId64, i ? "x" : head,
                         values[i]);
    return used;
}

void layer_print(const struct conv_layer *layer, char line[LAYER_LINE])
{
    static const struct {
        const char *head;
        enum layer_tensor tensor;
    } tensors[] = {{" input=", LAYER_X}, {" weight=", LAYER_W}, {" output=", LAYER_Y}};
    int64_t dims[LAYER_RANK];
    int used = snprintf(line, LAYER_LINE, "convolution f32 name=%s", layer->name);
    for (int i = 0; i < 3; i++)
        used = print_list(line, used, tensors[i].head, dims,
                          layer_dims(layer, tensors[i].tensor, dims));
    used = print_list(line, used, " stride=", layer->stride, layer->axes);
    used = print_list(line, used, " padding=", layer->pad, layer->axes);
    used = print_list(line, used, " dilation=", layer->dilation, layer->axes);
    print_list(line, used, " groups=", &layer->groups, 1);
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
