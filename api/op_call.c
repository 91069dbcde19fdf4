/* SPDX-License-Identifier: Apache-2.0 */
#include "api/op_call.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "api/op_check.h"
#include "api/op_rule.h"
#include "runtime/support/base.h"

enum { LINE = 4096 };

struct line {
    char text[LINE];
    size_t used;
};

static void put(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct line *line, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vsnprintf(line->text + line->used, LINE - line->used, format, list);
    va_end(list);
    line->used += length > 0 ? (size_t)length : 0;
    if (line->used >= LINE) line->used = LINE - 1;
}

/* aclnnMaxPool2dWithMask is max_pool2d_with_mask, aclRfft1D rfft1_d, and aclnnextAvgPoolGrad
 * aclnnext_avg_pool_grad. */
static void put_operator(struct line *line, const char *op)
{
    const char *name = op + (strncmp(op, "aclnn", 5) == 0 ? 5 : 3);
    if (strncmp(op, "aclnnext", 8) == 0) name = op;
    for (const char *at = name; *at; at++)
        put(line, "%s%c", isupper((unsigned char)*at) && at > name ? "_" : "",
            tolower((unsigned char)*at));
}

static const char *type_word(int32_t type)
{
    static const char *const words[] = {
        [ACL_FLOAT] = "f32",  [ACL_FLOAT16] = "f16",   [ACL_BF16] = "bf16",
        [ACL_DOUBLE] = "f64", [ACL_INT8] = "i8",       [ACL_UINT8] = "u8",
        [ACL_INT16] = "i16",  [ACL_UINT16] = "u16",    [ACL_INT32] = "i32",
        [ACL_INT64] = "i64",  [ACL_BOOL] = "bool",     [ACL_UINT32] = "u32",
        [ACL_UINT64] = "u64", [ACL_COMPLEX64] = "c64", [ACL_COMPLEX128] = "c128",
    };
    bool has_word = type >= 0 && (size_t)type < RT_LENGTH(words) && words[type];
    return has_word ? words[type] : "?";
}

static bool lists_channels_last(const struct ex_descriptor *d)
{
    return d->storage_format == ACL_FORMAT_NHWC || d->storage_format == ACL_FORMAT_NDHWC;
}

/* The size that is the i-th of N (unless is_single), C and the spatial ones. */
static int64_t size_of(const struct ex_descriptor *d, int i, bool is_single)
{
    int channel = is_single ? 0 : 1;
    if (lists_channels_last(d) && i >= channel) i = i == channel ? d->rank - 1 : i - 1;
    return d->sizes[i];
}

static void put_list(struct line *line, const char *head, const int64_t *values, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        put(line, "%s%" PRId64, i == 0 ? head : "x", values[i]);
}

/* The first `most` entries, or the word for what is none. */
static void put_array(struct line *line, const char *letter, const aclIntArray *array, uint64_t max)
{
    if (!array)
        put(line, " %snull", letter);
    else if (array->size == 0)
        put(line, " %sempty", letter);
    else {
        put(line, " ");
        put_list(line, letter, array->values, array->size < max ? array->size : max);
    }
}

/* Begins and ends in one array, or begins alone. */
static void put_pads(struct line *line, const struct op_call *call)
{
    const uint64_t axes = (uint64_t)call->axes;
    put_array(line, "p", call->pad, axes);
    if (call->pad_end) {
        put_array(line, "q", call->pad_end, axes);
    } else if (call->pad && call->pad->size == 2 * axes) {
        put(line, " ");
        put_list(line, "q", call->pad->values + axes, axes);
    }
}

/* Dense in this order of its dimensions, outermost first. */
static bool is_dense(const struct ex_descriptor *d, const int *order)
{
    int64_t step = 1;
    for (int i = d->rank - 1; i >= 0; i--) {
        int64_t size = d->sizes[order[i]];
        if (size != 1 && d->strides[order[i]] != step) return false;
        if (!rt_mul_ok(step, size > 0 ? size : 1, &step)) return false;
    }
    return true;
}

static const char *layout_word(const struct ex_descriptor *d, int axes)
{
    int order[EX_MAX_RANK], last[EX_MAX_RANK];
    int batch = d->rank - axes - 1;
    if (d->rank > EX_MAX_RANK || batch < 0) return "strided";
    bool is_repeated = false;
    for (int i = 0; i < d->rank; i++) {
        order[i] = i;
        last[i] = i < batch ? i : i == d->rank - 1 ? batch : i + 1;
        is_repeated |= d->sizes[i] > 1 && d->strides[i] == 0;
    }
    if (is_dense(d, order)) return "";
    if (!lists_channels_last(d) && is_dense(d, last)) return "nhwc";
    return is_repeated ? "broadcast" : "strided";
}

static void put_layouts(struct line *line, const struct op_call *call)
{
    const struct {
        const char *name;
        const aclTensor *tensor;
    } tensors[] = {
        {"x", call->x}, {"dx", call->dx}, {"y", call->y}, {"dy", call->dy}, {"i", call->i}};
    for (size_t i = 0; i < RT_LENGTH(tensors); i++) {
        if (!tensors[i].tensor) continue;
        const char *word = layout_word(&tensors[i].tensor->descriptor, call->axes);
        if (*word) put(line, " %s=%s", tensors[i].name, word);
    }
}

/* "" for one that the language does not have. */
static const char *format_name(int32_t format)
{
    static const struct {
        int32_t format;
        const char *word;
    } formats[] = {{ACL_FORMAT_NCHW, "nchw"},   {ACL_FORMAT_NCL, "ncl"},
                   {ACL_FORMAT_ND, "nd"},       {ACL_FORMAT_NHWC, "nhwc"},
                   {ACL_FORMAT_NCDHW, "ncdhw"}, {ACL_FORMAT_NDHWC, "ndhwc"}};
    for (size_t i = 0; i < RT_LENGTH(formats); i++)
        if (formats[i].format == format) return formats[i].word;
    return "";
}

/* "" for the usual one of that rank. */
static const char *format_word(const struct ex_descriptor *d)
{
    static const int32_t by_rank[] = {
        [3] = ACL_FORMAT_NCL, [4] = ACL_FORMAT_NCHW, [5] = ACL_FORMAT_NCDHW};
    int32_t usual = d->rank >= 3 && d->rank <= 5 ? by_rank[d->rank] : ACL_FORMAT_ND;
    return d->storage_format == usual ? "" : format_name(d->storage_format);
}

static void put_format(struct line *line, const struct ex_descriptor *d)
{
    const char *word = format_word(d);
    if (*word) put(line, " fmt=%s", word);
}

static void put_extents(struct line *line, const char *head, const struct ex_descriptor *d,
                        int axes)
{
    bool is_single = d->rank == axes + 1;
    for (int i = 0; i < axes; i++)
        put(line, "%s%" PRId64, i == 0 ? head : "x", size_of(d, d->rank - axes + i, is_single));
}

static void put_number(struct line *line, const char *name, int64_t value)
{
    if (value != 0) put(line, " %s=%" PRId64, name, value);
}

static void put_options(struct line *line, const struct op_call *call, const aclTensor *large_side,
                        const aclTensor *small_side)
{
    const struct ex_descriptor *large = &large_side->descriptor, *small = &small_side->descriptor;
    const uint64_t axes = (uint64_t)call->axes;
    if (call->kernel) {
        /* Of empty tensors nothing holds the small side to the extents that the windows give. */
        if (op_is_empty(small_side) || op_is_empty(large_side))
            put_extents(line, " o", small, call->axes);
        put_array(line, "k", call->kernel, axes);
        put_array(line, "s", call->stride, axes);
        put_pads(line, call);
        if (call->dilation) put_array(line, "d", call->dilation, axes);
    } else {
        put_extents(line, " o", small, call->axes);
        if (call->stride) put_array(line, "s", call->stride, axes);
        if (call->pad) put_array(line, "p", call->pad, axes);
    }
    if (call->ceil) put(line, " ceil");
    if (call->exclude_pad) put(line, " exclude_pad");
    put_number(line, "divisor", call->divisor);
    put_number(line, "math", call->math);
    put_number(line, "auto", call->auto_pad);
    put_number(line, "order", call->storage_order);
    if (call->i && call->i->descriptor.data_type == ACL_INT64) put(line, " idx=i64");
    put_format(line, large);
    put_layouts(line, call);
    put_number(line, "offset", large->offset);
}

void op_call_note(struct ex_plan *plan, const char *op, const struct op_call *call)
{
    const aclTensor *large = call->x ? call->x : call->dx, *small = call->y ? call->y : call->dy;
    const aclTensor *value = call->result ? call->dx : call->dy ? call->dy : call->x;
    struct line line = {.used = 0};
    const struct ex_descriptor *d = &large->descriptor;
    bool is_single = d->rank == call->axes + 1;
    if (!is_single && d->rank != call->axes + 2) return;
    put_operator(&line, op);
    put(&line, " %s ", type_word(value->descriptor.data_type));
    if (!is_single) put(&line, "n%" PRId64, d->sizes[0]);
    put(&line, "c%" PRId64, size_of(d, is_single ? 0 : 1, is_single));
    put_extents(&line, " ", d, call->axes);
    put_options(&line, call, large, small);
    if (call->result && call->result->descriptor.data_type != value->descriptor.data_type)
        put(&line, " to=%s", type_word(call->result->descriptor.data_type));
    ex_call(plan, line.text);
}

/* 2x3x1, then :type where it is not `usual`, :format where it is not ND, :s and strides where it is
 * not dense, and @offset. No dimensions: scalar. */
static void put_view(struct line *line, const struct ex_descriptor *d, int32_t usual)
{
    int order[EX_MAX_RANK];
    for (int i = 0; i < d->rank; i++)
        order[i] = i;
    if (d->rank == 0) put(line, "scalar");
    put_list(line, "", d->sizes, (uint64_t)d->rank);
    const char *format = d->storage_format == ACL_FORMAT_ND ? "" : format_name(d->storage_format);
    if (d->data_type != usual) put(line, ":%s", type_word(d->data_type));
    if (*format) put(line, ":%s", format);
    if (!is_dense(d, order)) put_list(line, ":s", d->strides, (uint64_t)d->rank);
    if (d->offset != 0) put(line, "@%" PRId64, d->offset);
}

/* A number that is read back as one with a fraction, or with a type behind it. */
static void put_real(struct line *line, double value)
{
    put(line, "%.17g", value);
}

static bool is_real_type(int32_t type)
{
    return type == ACL_FLOAT || type == ACL_FLOAT16 || type == ACL_BF16 || type == ACL_DOUBLE;
}

/* Value and type: of none that the language knows "?". */
static void put_scalar(struct line *line, const aclScalar *scalar)
{
    if (!scalar) {
        put(line, "null");
        return;
    }
    if (is_real_type(scalar->data_type))
        put_real(line, op_scalar_real(scalar));
    else
        put(line, "%" PRId64, op_scalar_integer(scalar));
    put(line, ":%s", type_word(scalar->data_type));
}

static void put_tensors(struct line *line, const aclTensorList *list, int32_t usual)
{
    for (uint64_t i = 0; list && i < list->size; i++) {
        const struct ex_descriptor *d = ex_list_element(list, i);
        put(line, i ? "," : "[");
        if (d)
            put_view(line, d, usual);
        else
            put(line, "null");
    }
    put(line, !list ? "null" : list->size ? "]" : "[]");
}

static void put_scalars(struct line *line, const aclScalarList *list)
{
    for (uint64_t i = 0; list && i < list->size; i++) {
        put(line, i ? "," : "[");
        put_scalar(line, list->elements[i]);
    }
    put(line, !list ? "null" : list->size ? "]" : "[]");
}

static void put_ints(struct line *line, const aclIntArray *array)
{
    enum { TOGETHER = 8 }; /* more than these are a list */
    const bool is_long = array && array->size > TOGETHER;
    for (uint64_t i = 0; array && i < array->size; i++)
        put(line, "%s%" PRId64,
            i == 0    ? (is_long ? "[" : "")
            : is_long ? ","
                      : "x",
            array->values[i]);
    put(line, !array ? "null" : array->size == 0 ? "scalar" : is_long ? "]" : "");
}

static void put_bools(struct line *line, const aclBoolArray *array)
{
    for (uint64_t i = 0; array && i < array->size; i++)
        put(line, "%s%d", i ? "," : "[", array->values[i]);
    put(line, !array ? "null" : array->size ? "]" : "scalar");
}

static void put_floats(struct line *line, const aclFloatArray *array)
{
    for (uint64_t i = 0; array && i < array->size; i++) {
        put(line, i ? "," : "[");
        put_real(line, array->values[i]);
    }
    put(line, !array ? "null" : array->size ? "]" : "scalar");
}

/* As itself, but %2C for a comma, and so for every character that ends a word or could begin a
 * number. */
static void put_text(struct line *line, const char *text)
{
    if (!*text) put(line, "\"\"");
    for (const char *at = text; *at; at++) {
        const unsigned char byte = (unsigned char)*at;
        const bool is_plain =
            at == text ? isalpha(byte) || *at == '_' : isalnum(byte) || strchr("_+-*/.>", *at);
        if (is_plain)
            put(line, "%c", *at);
        else
            put(line, "%%%02X", byte);
    }
}

static void put_value(struct line *line, const struct op_value *value, int32_t usual)
{
    put(line, " %s=", value->name);
    switch (value->kind) {
    case OP_INS:
    case OP_OPTIONAL_INS:
    case OP_OUTS:
    case OP_OPTIONAL_OUTS:
    case OP_OPTIONAL_REFS:
    case OP_REFS:
        put_tensors(line, value->tensors, usual);
        break;
    case OP_SCALAR:
    case OP_OPTIONAL_SCALAR:
    case OP_COEFFICIENT:
        put_scalar(line, value->scalar);
        break;
    case OP_SCALARS:
        put_scalars(line, value->scalars);
        break;
    case OP_INTS:
        put_ints(line, value->ints);
        break;
    case OP_FLOATS:
        put_floats(line, value->floats);
        break;
    case OP_BOOLS:
        put_bools(line, value->bools);
        break;
    case OP_FLOAT:
    case OP_DOUBLE:
        put_real(line, value->real);
        break;
    case OP_TYPE_OF:
        put(line, "%s", type_word((int32_t)value->integer));
        break;
    case OP_TEXT_OF:
        if (value->text)
            put_text(line, value->text);
        else
            put(line, "null");
        break;
    default:
        if (value->kind <= OP_REF)
            put_view(line, &value->tensor->descriptor, usual);
        else
            put(line, "%" PRId64, value->integer);
    }
}

/* The type that the line names: the first tensor's. */
static int32_t usual_type(const struct op_value *values, int count)
{
    for (int i = 0; i < count; i++) {
        if (values[i].kind <= OP_REF && values[i].tensor)
            return values[i].tensor->descriptor.data_type;
        if (values[i].kind <= OP_REFS && values[i].kind > OP_REF && values[i].tensors &&
            values[i].tensors->size > 0 && values[i].tensors->elements[0])
            return ex_list_element(values[i].tensors, 0)->data_type;
    }
    return ACL_FLOAT;
}

/* A tensor that is not given is not named. */
void op_call_note_row(struct ex_plan *plan, const char *op, const struct op_value *values,
                      int count)
{
    struct line line = {.used = 0};
    const int32_t usual = usual_type(values, count);
    put_operator(&line, op);
    put(&line, " %s", type_word(usual));
    for (int i = 0; i < count; i++)
        if (values[i].pointer || values[i].kind >= OP_BOOL) put_value(&line, &values[i], usual);
    ex_call(plan, line.text);
}
