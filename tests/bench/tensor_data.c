/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/tensor_data.h"

#include <math.h>
#include <string.h>

/* Nearest even; magnitudes up to 65504. */
static uint16_t half_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    const uint32_t sign = bits >> 16 & 0x8000;
    bits &= 0x7fffffff;
    if (bits < 0x38800000) return (uint16_t)(sign | (uint32_t)nearbyintf(fabsf(value) * 0x1p24F));
    return (uint16_t)(sign | (((bits + 0xfff + (bits >> 13 & 1)) >> 13) - (112 << 10)));
}

static double value_of_half(uint16_t half)
{
    const int exponent = half >> 10 & 31, mantissa = half & 0x3ff;
    double value = ldexp(mantissa + 1024, exponent - 25);
    if (exponent == 0) value = ldexp(mantissa, -24);
    if (exponent == 31) value = mantissa == 0 ? INFINITY : NAN;
    return half >> 15 ? -value : value;
}

static void write_element(const struct tensor_spec *spec, void *data, int64_t i, int input)
{
    const int64_t step = (i + 1009 * input) * 7919;
    float value = (float)(step % 8191 - 4095) / 4096;
    uint32_t bits;
    if (spec->is_positive) value = fabsf(value) + 0.25F;
    memcpy(&bits, &value, 4);
    if (strcmp(spec->type, "f32") == 0)
        ((float *)data)[i] = value;
    else if (strcmp(spec->type, "bf16") == 0)
        ((uint16_t *)data)[i] = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    else if (strcmp(spec->type, "f16") == 0)
        ((uint16_t *)data)[i] = half_of(value);
    else if (strcmp(spec->type, "i64") == 0)
        ((int64_t *)data)[i] = step % spec->below;
    else
        ((uint8_t *)data)[i] = step % 8191 & 1;
}

void tensor_write(const struct tensor_line *line, int input, void *data)
{
    const struct tensor_spec *spec = &line->tensor[input];
    for (int64_t i = 0; i < spec->elements; i++)
        write_element(spec, data, i, input);
}

double tensor_read(const struct tensor_spec *spec, const void *data, int64_t i)
{
    if (strcmp(spec->type, "f32") == 0) return (double)((const float *)data)[i];
    if (strcmp(spec->type, "i64") == 0) return (double)((const int64_t *)data)[i];
    if (strcmp(spec->type, "bool") == 0) return ((const uint8_t *)data)[i];
    const uint16_t half = ((const uint16_t *)data)[i];
    if (strcmp(spec->type, "f16") == 0) return value_of_half(half);
    const uint32_t bits = (uint32_t)half << 16;
    float value;
    memcpy(&value, &bits, 4);
    return (double)value;
}

void tensor_poison(const struct tensor_spec *spec, void *data)
{
    memset(data, 0xFF, tensor_bytes(spec));
}

void tensor_add_output(cJSON *reply, const struct tensor_spec *spec, const void *data)
{
    double figures[3] = {0, 0, 0};
    for (int64_t i = 0; i < spec->elements; i++) {
        const double value = tensor_read(spec, data, i);
        if (!isfinite(value)) continue;
        figures[0] += value;
        figures[1] += fabs(value);
        figures[2]++;
    }
    cJSON *list = cJSON_GetObjectItem(reply, "outputs");
    if (list == NULL) list = cJSON_AddArrayToObject(reply, "outputs");
    cJSON_AddItemToArray(list, cJSON_CreateDoubleArray(figures, 3));
}
