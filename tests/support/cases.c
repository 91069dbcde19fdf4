/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/cases.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cases_text.h"
#include "tests/support/mistake.h"
#include "tests/support/oracle.h"

static const char *const dtype_names[CASE_DTYPES] = {"f32",  "f16", "bf16", "f64", "i8",
                                                     "u8",   "i16", "u16",  "i32", "i64",
                                                     "bool", "u32", "u64",  "c64"};
static const char *const tensor_names[CASE_TENSORS] = {"x", "dx", "y", "dy", "i"};
static const char *const format_names[CASE_FORMATS] = {"",     "nchw",  "ncl",  "nd",
                                                       "nhwc", "ncdhw", "ndhwc"};
static const char *const picks_names[CASE_PICKS] = {"window", "any", "bad"};
static const char *const layout_names[CASE_LAYOUTS] = {"contiguous", "nhwc", "strided",
                                                       "broadcast"};
/* Of a tensor that the line names, where nhwc is a format. */
static const char *const argument_layouts[CASE_LAYOUTS] = {"contiguous", "last", "strided",
                                                           "broadcast"};
static const char *const data_names[CASE_DATA] = {"plain", "special", "huge", "ties"};

const char *case_dtype_name(enum case_dtype dtype)
{
    return dtype_names[dtype];
}

static int find_name(const char *const *names, int count, const char *word)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], word) == 0) return i;
    }
    return -1;
}

bool case_dtype_named(const char *name, enum case_dtype *dtype)
{
    const int found = find_name(dtype_names, CASE_DTYPES, name);
    if (found >= 0) *dtype = (enum case_dtype)found;
    return found >= 0;
}

/* ---- reading ---- */

struct reader {
    struct test_case *test;
    struct mistake mistake;
};

static bool read_integer(const char *text, int64_t *value, const char **end)
{
    char *stop;
    errno = 0;
    *value = strtoll(text, &stop, 10);
    *end = stop;
    return stop != text && !isspace((unsigned char)*text) && errno == 0;
}

static bool read_whole(const char *text, int64_t *value)
{
    const char *end;
    return read_integer(text, value, &end) && *end == '\0';
}

/* "3x5" to {3, 5}; returns how many, 0 when it is not a list of at most `most`. */
static int read_longer_list(const char *text, int64_t *values, int most)
{
    for (int count = 0; count < most; count++) {
        const char *end;
        if (!read_integer(text, &values[count], &end)) return 0;
        if (*end == '\0') return count + 1;
        if (*end != 'x') return 0;
        text = end + 1;
    }
    return 0;
}

static int read_list(const char *text, int64_t values[CASE_AXES])
{
    return read_longer_list(text, values, CASE_AXES);
}

static bool read_shape(struct reader *reader, const char *word)
{
    struct test_case *test = reader->test;
    const char *at = word;
    test->batch = 1;
    test->batched = *at == 'n';
    if (test->batched && !read_integer(at + 1, &test->batch, &at))
        return wrong(&reader->mistake, "'%s' is not a shape like n2c19 or c19", word);
    if (*at != 'c' || !read_whole(at + 1, &test->channels))
        return wrong(&reader->mistake, "'%s' is not a shape like n2c19 or c19", word);
    return true;
}

static enum case_layout *layout_of(struct test_case *test, enum case_tensor tensor)
{
    switch (tensor) {
    case CASE_X:
        return &test->x_layout;
    case CASE_DX:
        return &test->dx_layout;
    case CASE_Y:
        return &test->y_layout;
    case CASE_DY:
        return &test->dy_layout;
    default:
        return &test->i_layout;
    }
}

/* name=number; false when there is no such name or the number is out of its range. */
static bool read_number(struct test_case *test, const char *name, int64_t number)
{
    bool is_small = number >= INT8_MIN && number <= INT8_MAX;
    if (strcmp(name, "divisor") == 0)
        test->divisor = number;
    else if (strcmp(name, "math") == 0 && is_small)
        test->math = (int)number;
    else if (strcmp(name, "auto") == 0 && is_small)
        test->auto_pad = (int)number;
    else if (strcmp(name, "order") == 0 && is_small)
        test->storage_order = (int)number;
    else if (strcmp(name, "offset") == 0 && number >= 0)
        test->offset = number;
    else if (strcmp(name, "seed") == 0 && number >= 0)
        test->seed = (uint64_t)number;
    else
        return false;
    return true;
}

/* One of the words of a list into *choice; false, and a message, when it is none. */
static bool choose(struct reader *reader, const char *const *names, int count, const char *name,
                   const char *value, int *choice)
{
    *choice = find_name(names, count, value);
    return *choice >= 0 || wrong(&reader->mistake, "'%s=%s': no such %s", name, value, name);
}

static bool read_named(struct reader *reader, const char *name, const char *value)
{
    struct test_case *test = reader->test;
    int choice, tensor = find_name(tensor_names, CASE_TENSORS, name);
    int64_t number;
    if (strcmp(name, "name") == 0) {
        if (strlen(value) >= sizeof test->name)
            return wrong(&reader->mistake, "'%s' is too long", value);
        strcpy(test->name, value);
    } else if (tensor >= 0) {
        if (!choose(reader, layout_names, CASE_LAYOUTS, name, value, &choice)) return false;
        *layout_of(test, (enum case_tensor)tensor) = (enum case_layout)choice;
    } else if (strcmp(name, "data") == 0) {
        if (!choose(reader, data_names, CASE_DATA, name, value, &choice)) return false;
        test->data = (enum case_data)choice;
    } else if (strcmp(name, "picks") == 0) {
        if (!choose(reader, picks_names, CASE_PICKS, name, value, &choice)) return false;
        test->picks = (enum case_picks)choice;
    } else if (strcmp(name, "fmt") == 0) {
        if (!choose(reader, format_names + 1, CASE_FORMATS - 1, name, value, &choice)) return false;
        test->format = (enum case_format)(choice + 1);
    } else if (strcmp(name, "to") == 0) {
        if (!choose(reader, dtype_names, CASE_DTYPES, name, value, &choice)) return false;
        test->has_result_dtype = true;
        test->result_dtype = (enum case_dtype)choice;
    } else if (strcmp(name, "idx") == 0) {
        static const char *const widths[] = {"i32", "i64"};
        if (!choose(reader, widths, 2, name, value, &choice)) return false;
        test->wide_indices = choice == 1;
    } else if (!read_whole(value, &number)) {
        return wrong(&reader->mistake, "'%s=%s': not a number", name, value);
    } else if (!read_number(test, name, number)) {
        return wrong(&reader->mistake, "'%s=%s': no such option, or its value is out of range",
                     name, value);
    }
    return true;
}

struct attribute {
    char letter;
    int *length;
    int64_t *values;
};

static bool read_list_word(struct reader *reader, const char *word)
{
    struct test_case *test = reader->test;
    int output_length = 0;
    const struct attribute attributes[] = {
        {'k', &test->kernel_length, test->kernel},     {'s', &test->stride_length, test->stride},
        {'p', &test->pad_length, test->pad},           {'q', &test->pad_end_length, test->pad_end},
        {'d', &test->dilation_length, test->dilation}, {'o', &output_length, test->output},
    };
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++) {
        const struct attribute *one = &attributes[i];
        if (word[0] != one->letter) continue;
        if (strcmp(word + 1, "null") == 0 && strchr("spqd", word[0])) {
            *one->length = CASE_NO_ARRAY;
        } else if (strcmp(word + 1, "empty") == 0 && strchr("spqd", word[0])) {
            *one->length = word[0] == 's' ? 0 : CASE_EMPTY_ARRAY;
        } else if ((*one->length = read_list(word + 1, one->values)) == 0) {
            return wrong(&reader->mistake,
                         "'%s': what follows the first letter is not a list like 3x5", word);
        }
        if (word[0] == 'o' && output_length != test->axes)
            return wrong(&reader->mistake, "'%s' needs %d extents", word, test->axes);
        if (word[0] == 'o') test->has_output = true;
        return true;
    }
    return wrong(&reader->mistake, "'%s': no such option", word);
}

static bool read_option(struct reader *reader, char *word)
{
    struct test_case *test = reader->test;
    char *equals = strchr(word, '=');
    if (equals) {
        *equals = '\0';
        return read_named(reader, word, equals + 1);
    }
    int layout = find_name(layout_names, CASE_LAYOUTS, word);
    if (layout >= 0) {
        for (int i = 0; i < CASE_TENSORS; i++)
            *layout_of(test, (enum case_tensor)i) = (enum case_layout)layout;
    } else if (strcmp(word, "ceil") == 0) {
        test->ceil = true;
    } else if (strcmp(word, "exclude_pad") == 0) {
        test->exclude_pad = true;
    } else {
        return read_list_word(reader, word);
    }
    return true;
}

/* What follows a tensor's extents, separated by colons: a type, a layout or strides. */
static bool read_property(struct reader *reader, struct case_argument *argument, const char *word)
{
    const int dtype = find_name(dtype_names, CASE_DTYPES, word);
    const int layout = find_name(argument_layouts, CASE_LAYOUTS, word);
    const int format = find_name(format_names, CASE_FORMATS, word);
    if (dtype >= 0) {
        argument->has_dtype = true;
        argument->dtype = (enum case_dtype)dtype;
    } else if (layout >= 0) {
        argument->layout = (enum case_layout)layout;
    } else if (format > CASE_BY_RANK) {
        argument->format = (enum case_format)format;
    } else if (word[0] == 's' &&
               read_longer_list(word + 1, argument->strides, CASE_RANK) == argument->rank) {
        argument->has_strides = true;
    } else {
        return wrong(&reader->mistake, "'%s' is no type, format, layout or list of strides of %s",
                     word, argument->name);
    }
    return true;
}

/* 0.5 */
static bool read_real(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return *text != '\0' && *end == '\0' && !isspace((unsigned char)*text);
}

struct case_argument *case_add(struct test_case *test, const char *name, enum case_place place)
{
    if (test->arguments == CASE_ARGUMENTS || strlen(name) >= CASE_WORD) return NULL;
    struct case_argument *argument = &test->argument[test->arguments++];
    *argument = (struct case_argument){.place = place};
    strcpy(argument->name, name);
    return argument;
}

/* What stands before the first colon. */
static bool read_value(struct reader *reader, struct case_argument *argument, const char *value)
{
    const bool is_number = read_real(value, &argument->real);
    argument->rank = read_longer_list(value, argument->dims, CASE_RANK);
    argument->has_real = is_number && argument->rank == 0;
    argument->is_flag = strcmp(value, "true") == 0 || strcmp(value, "false") == 0;
    if (argument->is_flag) argument->real = value[0] == 't';
    if (is_number || argument->rank > 0 || argument->is_flag || strcmp(value, "scalar") == 0)
        return true;
    if (strcmp(value, "\"\"") == 0) value = "";
    if (strspn(value, "-0123456789.") > 0 || !case_read_text(value, argument->text))
        return wrong(&reader->mistake, "'%s=%s' is no extents, number or word", argument->name,
                     value);
    return true;
}

/* 2x3x1:f16:strided@5, -1, 0.5:f64, null */
static bool read_element(struct reader *reader, const char *name, char *value,
                         enum case_place place)
{
    struct case_argument *argument = case_add(reader->test, name, place);
    char *at = strchr(value, '@'), *state = NULL;
    if (!argument)
        return wrong(&reader->mistake, "'%s' is one argument too many, or its name too long", name);
    argument->is_null = strcmp(value, "null") == 0;
    if (argument->is_null) return true;
    if (at) *at = '\0';
    if (at && (!read_whole(at + 1, &argument->offset) || argument->offset < 0))
        return wrong(&reader->mistake, "'%s': no offset", at + 1);
    const char *first = strtok_r(value, ":", &state);
    if (!first) return wrong(&reader->mistake, "'%s=' has no value", name);
    if (!read_value(reader, argument, first)) return false;
    for (char *word; (word = strtok_r(NULL, ":", &state));)
        if (!read_property(reader, argument, word)) return false;
    return true;
}

/* One value, several with commas between them, or the same in brackets. */
static bool read_argument(struct reader *reader, const char *name, char *value)
{
    const size_t length = strlen(value);
    char *state = NULL;
    if (value[0] != '[' && !strchr(value, ','))
        return read_element(reader, name, value, CASE_ALONE);
    if (value[0] == '[') {
        if (value[length - 1] != ']')
            return wrong(&reader->mistake, "'%s=%s' ends without ]", name, value);
        value[length - 1] = '\0';
        value++;
    }
    char *word = strtok_r(value, ",", &state);
    if (!word)
        return case_add(reader->test, name, CASE_NOTHING) ||
               wrong(&reader->mistake, "'%s' is one argument too many", name);
    for (enum case_place place = CASE_FIRST; word; place = CASE_NEXT) {
        if (!read_element(reader, name, word, place)) return false;
        word = strtok_r(NULL, ",", &state);
    }
    return true;
}

/* data=special, and no tensor of that name. */
static bool is_data(const char *value)
{
    for (int i = 0; i < CASE_DATA; i++)
        if (strcmp(value, data_names[i]) == 0) return true;
    return false;
}

/* The words after the dtype where arguments are named. */
static bool read_arguments(struct reader *reader, char *word, char **state)
{
    for (; word; word = strtok_r(NULL, " \t", state)) {
        char *equals = strchr(word, '=');
        if (!equals) return wrong(&reader->mistake, "'%s' is not name=value", word);
        *equals = '\0';
        const bool is_option = strcmp(word, "seed") == 0 || strcmp(word, "name") == 0 ||
                               (strcmp(word, "data") == 0 && is_data(equals + 1));
        if (is_option ? !read_named(reader, word, equals + 1)
                      : !read_argument(reader, word, equals + 1))
            return false;
    }
    return true;
}

bool case_parse(const char *line, struct test_case *out, char *error, size_t error_size)
{
    char copy[CASE_LINE], *state = NULL;
    struct reader reader = {.test = out, .mistake = {error, error_size}};
    size_t length = strcspn(line, "#\r\n");
    if (length >= sizeof copy)
        return wrong(&reader.mistake, "the line is longer than %d", CASE_LINE - 1);
    memcpy(copy, line, length);
    copy[length] = '\0';
    *out = (struct test_case){.pad_length = 1};

    static const char *const parts[] = {"operator", "dtype", "shape", "extents"};
    char *words[4] = {NULL};
    for (int i = 0; i < 4; i++) {
        if (i == 3 && strchr(words[2], '=')) break;
        words[i] = strtok_r(i == 0 ? copy : NULL, " \t", &state);
        if (!words[i]) return wrong(&reader.mistake, "the %s is missing", parts[i]);
    }
    if (strlen(words[0]) >= sizeof out->op)
        return wrong(&reader.mistake, "'%s' is too long", words[0]);
    strcpy(out->op, words[0]);
    int dtype = find_name(dtype_names, CASE_DTYPES, words[1]);
    if (dtype < 0) return wrong(&reader.mistake, "'%s' is not a dtype", words[1]);
    out->dtype = (enum case_dtype)dtype;
    if (!words[3]) return read_arguments(&reader, words[2], &state);
    if (!read_shape(&reader, words[2])) return false;
    out->axes = read_list(words[3], out->input);
    if (out->axes == 0) return wrong(&reader.mistake, "'%s' is not a list of extents", words[3]);

    for (char *word; (word = strtok_r(NULL, " \t", &state));) {
        if (!read_option(&reader, word)) return false;
    }
    if (out->kernel_length == 0 && !out->has_output)
        return wrong(&reader.mistake, "the kernel (k3x5) is missing");
    const int lengths[] = {out->kernel_length, out->stride_length, out->pad_length,
                           out->pad_end_length, out->dilation_length};
    for (int i = 0; i < 5; i++) {
        if (lengths[i] > 1 && lengths[i] != out->axes)
            return wrong(&reader.mistake, "an attribute has %d values for %d axes", lengths[i],
                         out->axes);
    }
    return true;
}

/* ---- writing ---- */

struct writer {
    char *at, *end;
};

static void put(struct writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void put(struct writer *writer, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vsnprintf(writer->at, (size_t)(writer->end - writer->at), format, list);
    va_end(list);
    writer->at += length;
    if (writer->at >= writer->end) writer->at = writer->end - 1;
}

static void put_list(struct writer *writer, const char *letter, const int64_t *values, int count)
{
    if (count > 0) put(writer, " %s%" PRId64, letter, values[0]);
    for (int i = 1; i < count; i++)
        put(writer, "x%" PRId64, values[i]);
}

/* A list, or the word for what is none. */
static void put_array(struct writer *writer, char letter, const int64_t *values, int length)
{
    char prefix[2] = {letter, '\0'};
    if (length == CASE_NO_ARRAY)
        put(writer, " %cnull", letter);
    else if (length == CASE_EMPTY_ARRAY)
        put(writer, " %cempty", letter);
    else
        put_list(writer, prefix, values, length);
}

static void put_layouts(struct writer *writer, const struct test_case *test)
{
    enum case_layout first = case_tensor_layout(test, CASE_X);
    bool is_uniform = true;
    for (int i = 0; i < CASE_TENSORS; i++)
        is_uniform &= case_tensor_layout(test, (enum case_tensor)i) == first;
    if (is_uniform && first != CASE_CONTIGUOUS) put(writer, " %s", layout_names[first]);
    for (int i = 0; i < CASE_TENSORS && !is_uniform; i++) {
        enum case_layout layout = case_tensor_layout(test, (enum case_tensor)i);
        if (layout != CASE_CONTIGUOUS) put(writer, " %s=%s", tensor_names[i], layout_names[layout]);
    }
}

static void put_types(struct writer *writer, const struct test_case *test)
{
    if (test->wide_indices) put(writer, " idx=i64");
    if (test->has_result_dtype) put(writer, " to=%s", dtype_names[test->result_dtype]);
    if (test->picks) put(writer, " picks=%s", picks_names[test->picks]);
    if (test->format) put(writer, " fmt=%s", format_names[test->format]);
}

static void put_argument(struct writer *writer, const struct case_argument *argument)
{
    char text[CASE_PRINTED_TEXT];
    if (argument->is_null)
        put(writer, "null");
    else if (argument->is_flag)
        put(writer, "%s", argument->real != 0 ? "true" : "false");
    else if (argument->has_real)
        put(writer, "%.17g", argument->real);
    else if (argument->text[0])
        put(writer, "%s", case_print_text(argument->text, text));
    else if (argument->rank == 0)
        put(writer, "scalar");
    for (int axis = 0; axis < argument->rank; axis++)
        put(writer, "%s%" PRId64, axis > 0 ? "x" : "", argument->dims[axis]);
    if (argument->has_dtype) put(writer, ":%s", dtype_names[argument->dtype]);
    if (argument->format) put(writer, ":%s", format_names[argument->format]);
    if (argument->layout) put(writer, ":%s", argument_layouts[argument->layout]);
    for (int axis = 0; argument->has_strides && axis < argument->rank; axis++)
        put(writer, "%s%" PRId64, axis > 0 ? "x" : ":s", argument->strides[axis]);
    if (argument->offset) put(writer, "@%" PRId64, argument->offset);
}

static void put_arguments(struct writer *writer, const struct test_case *test)
{
    for (int i = 0; i < test->arguments; i++) {
        const struct case_argument *argument = &test->argument[i];
        const bool is_last = i + 1 == test->arguments || argument[1].place != CASE_NEXT;
        if (argument->place == CASE_NEXT)
            put(writer, ",");
        else
            put(writer, " %s=%s", argument->name, argument->place == CASE_ALONE ? "" : "[");
        if (argument->place != CASE_NOTHING) put_argument(writer, argument);
        if (argument->place != CASE_ALONE && is_last) put(writer, "]");
    }
}

const struct case_argument *case_argument_named(const struct test_case *test, const char *name)
{
    for (int i = 0; i < test->arguments; i++)
        if (strcmp(test->argument[i].name, name) == 0) return &test->argument[i];
    return NULL;
}

int case_elements(const struct test_case *test, const struct case_argument *first)
{
    const struct case_argument *end = test->argument + test->arguments, *at = first + 1;
    if (first->place == CASE_NOTHING) return 0;
    while (at < end && at->place == CASE_NEXT)
        at++;
    return (int)(at - first);
}

static void put_rest(struct writer *writer, const struct test_case *test)
{
    if (test->data) put(writer, " data=%s", data_names[test->data]);
    if (test->seed) put(writer, " seed=%" PRIu64, test->seed);
    if (test->name[0]) put(writer, " name=%s", test->name);
}

char *case_print(const struct test_case *test, char line[CASE_LINE])
{
    struct writer writer = {.at = line, .end = line + CASE_LINE};
    put(&writer, "%s %s", test->op, dtype_names[test->dtype]);
    if (test->arguments > 0) {
        put_arguments(&writer, test);
        put_rest(&writer, test);
        return line;
    }
    put(&writer, " ");
    if (test->batched) put(&writer, "n%" PRId64, test->batch);
    put(&writer, "c%" PRId64, test->channels);
    put_list(&writer, "", test->input, test->axes);
    put_list(&writer, "k", test->kernel, test->kernel_length);
    put_array(&writer, 's', test->stride, test->stride_length);
    if (test->pad_length != 1 || test->pad[0] != 0)
        put_array(&writer, 'p', test->pad, test->pad_length);
    put_array(&writer, 'q', test->pad_end, test->pad_end_length);
    put_array(&writer, 'd', test->dilation, test->dilation_length);
    if (test->has_output) put_list(&writer, "o", test->output, test->axes);
    if (test->ceil) put(&writer, " ceil");
    if (test->exclude_pad) put(&writer, " exclude_pad");
    if (test->divisor) put(&writer, " divisor=%" PRId64, test->divisor);
    if (test->math) put(&writer, " math=%d", test->math);
    if (test->auto_pad) put(&writer, " auto=%d", test->auto_pad);
    if (test->storage_order) put(&writer, " order=%d", test->storage_order);
    put_types(&writer, test);
    put_layouts(&writer, test);
    if (test->offset) put(&writer, " offset=%" PRId64, test->offset);
    put_rest(&writer, test);
    return line;
}

enum case_layout case_tensor_layout(const struct test_case *test, enum case_tensor tensor)
{
    return *layout_of((struct test_case *)test, tensor);
}

enum case_dtype case_tensor_dtype(const struct test_case *test, enum case_tensor tensor)
{
    if (tensor == CASE_I) return test->wide_indices ? CASE_I64 : CASE_I32;
    return test->dtype;
}
