/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/cases.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/oracle.h"

#ifndef ACLNN_CPU_CASES
#define ACLNN_CPU_CASES "tests/cases"
#endif

static const char *const dtype_names[CASE_DTYPES] = {"f32", "f16", "bf16"};
static const char *const layout_names[CASE_LAYOUTS] = {"contiguous", "nhwc", "strided",
                                                       "broadcast"};
static const char *const data_names[CASE_DATA] = {"plain", "special", "huge"};

const char *case_dtype_name(enum case_dtype dtype)
{
    return dtype_names[dtype];
}

/* ---- reading ---- */

struct reader {
    struct test_case *test;
    char *error;
    size_t error_size;
    bool has_kernel;
};

static bool wrong(struct reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool wrong(struct reader *reader, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(reader->error, reader->error_size, format, list);
    va_end(list);
    return false;
}

static int find_name(const char *const *names, int count, const char *word)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], word) == 0) return i;
    }
    return -1;
}

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

/* "3x5" to {3, 5}; returns how many, 0 when it is not a list. */
static int read_list(const char *text, int64_t values[CASE_AXES])
{
    for (int count = 0; count < CASE_AXES; count++) {
        const char *end;
        if (!read_integer(text, &values[count], &end)) return 0;
        if (*end == '\0') return count + 1;
        if (*end != 'x') return 0;
        text = end + 1;
    }
    return 0;
}

static bool read_shape(struct reader *reader, const char *word)
{
    struct test_case *test = reader->test;
    const char *at = word;
    test->batch = 1;
    test->batched = *at == 'n';
    if (test->batched && !read_integer(at + 1, &test->batch, &at))
        return wrong(reader, "'%s' is not a shape like n2c19 or c19", word);
    if (*at != 'c' || !read_whole(at + 1, &test->channels))
        return wrong(reader, "'%s' is not a shape like n2c19 or c19", word);
    return true;
}

static bool read_attribute(struct reader *reader, const char *word, int *length, int64_t *values)
{
    *length = read_list(word + 1, values);
    if (*length > 0) return true;
    return wrong(reader, "'%s': what follows the first letter is not a list like 3x5", word);
}

static bool read_named(struct reader *reader, const char *word, const char *value)
{
    struct test_case *test = reader->test;
    size_t length = (size_t)(value - word - 1);
    int64_t number = 0;
    int layout = find_name(layout_names, CASE_LAYOUTS, value);
    if (length == 4 && memcmp(word, "name", 4) == 0) {
        if (strlen(value) >= sizeof test->name) return wrong(reader, "'%s' is too long", word);
        strcpy(test->name, value);
        return true;
    }
    if (length == 4 && memcmp(word, "data", 4) == 0) {
        int kind = find_name(data_names, CASE_DATA, value);
        if (kind < 0) return wrong(reader, "'%s': no such data", word);
        test->data = (enum case_data)kind;
        return true;
    }
    if (length == 2 && memcmp(word, "d", 1) == 0) {
        if (layout < 0 || (word[1] != 'x' && word[1] != 'y'))
            return wrong(reader, "'%s': no such layout", word);
        *(word[1] == 'y' ? &test->dy_layout : &test->dx_layout) = (enum case_layout)layout;
        return true;
    }
    if (!read_whole(value, &number)) return wrong(reader, "'%s': not a number", word);
    if (length == 7 && memcmp(word, "divisor", 7) == 0)
        test->divisor = number;
    else if (length == 4 && memcmp(word, "math", 4) == 0 && number >= INT8_MIN &&
             number <= INT8_MAX)
        test->math = (int)number;
    else if (length == 6 && memcmp(word, "offset", 6) == 0 && number >= 0)
        test->offset = number;
    else if (length == 4 && memcmp(word, "seed", 4) == 0 && number >= 0)
        test->seed = (uint64_t)number;
    else
        return wrong(reader, "'%s': no such option, or its value is out of range", word);
    return true;
}

static bool read_option(struct reader *reader, const char *word)
{
    struct test_case *test = reader->test;
    const char *value = strchr(word, '=');
    if (value) return read_named(reader, word, value + 1);
    int layout = find_name(layout_names, CASE_LAYOUTS, word);
    if (layout >= 0) {
        test->dy_layout = test->dx_layout = (enum case_layout)layout;
    } else if (strcmp(word, "ceil") == 0) {
        test->ceil = true;
    } else if (strcmp(word, "exclude_pad") == 0) {
        test->exclude_pad = true;
    } else if (strcmp(word, "snull") == 0) {
        test->stride_length = CASE_NO_ARRAY;
    } else if (word[0] == 'k') {
        reader->has_kernel = true;
        return read_attribute(reader, word, &test->kernel_length, test->kernel);
    } else if (word[0] == 's') {
        return read_attribute(reader, word, &test->stride_length, test->stride);
    } else if (word[0] == 'p') {
        return read_attribute(reader, word, &test->pad_length, test->pad);
    } else if (word[0] == 'o') {
        int length = 0;
        test->has_output = true;
        if (!read_attribute(reader, word, &length, test->output)) return false;
        if (length != test->axes) return wrong(reader, "'%s' needs %d extents", word, test->axes);
    } else {
        return wrong(reader, "'%s': no such option", word);
    }
    return true;
}

bool case_parse(const char *line, struct test_case *out, char *error, size_t error_size)
{
    char copy[CASE_LINE], *state = NULL;
    struct reader reader = {.test = out, .error = error, .error_size = error_size};
    size_t length = strcspn(line, "#\r\n");
    if (length >= sizeof copy) return wrong(&reader, "the line is longer than %d", CASE_LINE - 1);
    memcpy(copy, line, length);
    copy[length] = '\0';
    *out = (struct test_case){.pad_length = 1};

    static const char *const parts[] = {"operator", "dtype", "shape", "extents"};
    char *words[4];
    for (int i = 0; i < 4; i++) {
        words[i] = strtok_r(i == 0 ? copy : NULL, " \t", &state);
        if (!words[i]) return wrong(&reader, "the %s is missing", parts[i]);
    }
    if (strlen(words[0]) >= sizeof out->op) return wrong(&reader, "'%s' is too long", words[0]);
    strcpy(out->op, words[0]);
    int dtype = find_name(dtype_names, CASE_DTYPES, words[1]);
    if (dtype < 0) return wrong(&reader, "'%s' is not a dtype", words[1]);
    out->dtype = (enum case_dtype)dtype;
    if (!read_shape(&reader, words[2])) return false;
    out->axes = read_list(words[3], out->input);
    if (out->axes == 0) return wrong(&reader, "'%s' is not a list of extents", words[3]);

    for (char *word; (word = strtok_r(NULL, " \t", &state));) {
        if (!read_option(&reader, word)) return false;
    }
    if (!reader.has_kernel) return wrong(&reader, "the kernel (k3x5) is missing");
    const int lengths[] = {out->kernel_length, out->stride_length, out->pad_length};
    for (int i = 0; i < 3; i++) {
        if (lengths[i] > 1 && lengths[i] != out->axes)
            return wrong(&reader, "an attribute has %d values for %d axes", lengths[i], out->axes);
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

static void put_layouts(struct writer *writer, const struct test_case *test)
{
    if (test->dy_layout == test->dx_layout) {
        if (test->dy_layout != CASE_CONTIGUOUS) put(writer, " %s", layout_names[test->dy_layout]);
        return;
    }
    if (test->dy_layout != CASE_CONTIGUOUS) put(writer, " dy=%s", layout_names[test->dy_layout]);
    if (test->dx_layout != CASE_CONTIGUOUS) put(writer, " dx=%s", layout_names[test->dx_layout]);
}

char *case_print(const struct test_case *test, char line[CASE_LINE])
{
    struct writer writer = {.at = line, .end = line + CASE_LINE};
    put(&writer, "%s %s ", test->op, dtype_names[test->dtype]);
    if (test->batched) put(&writer, "n%" PRId64, test->batch);
    put(&writer, "c%" PRId64, test->channels);
    put_list(&writer, "", test->input, test->axes);
    put_list(&writer, "k", test->kernel, test->kernel_length);
    if (test->stride_length == CASE_NO_ARRAY) put(&writer, " snull");
    put_list(&writer, "s", test->stride, test->stride_length);
    if (test->pad_length != 1 || test->pad[0] != 0)
        put_list(&writer, "p", test->pad, test->pad_length);
    if (test->has_output) put_list(&writer, "o", test->output, test->axes);
    if (test->ceil) put(&writer, " ceil");
    if (test->exclude_pad) put(&writer, " exclude_pad");
    if (test->divisor) put(&writer, " divisor=%" PRId64, test->divisor);
    if (test->math) put(&writer, " math=%d", test->math);
    put_layouts(&writer, test);
    if (test->offset) put(&writer, " offset=%" PRId64, test->offset);
    if (test->data) put(&writer, " data=%s", data_names[test->data]);
    if (test->seed) put(&writer, " seed=%" PRIu64, test->seed);
    if (test->name[0]) put(&writer, " name=%s", test->name);
    return line;
}

/* ---- files ---- */

const char *case_path(const char *file)
{
    static char path[4096];
    const char *folder = getenv("ACLNN_TEST_CASES");
    snprintf(path, sizeof path, "%s/%s", folder ? folder : ACLNN_CPU_CASES, file);
    return path;
}

struct test_case *case_load(const char *path, size_t *count)
{
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return NULL;
    }
    struct test_case *cases = NULL;
    size_t used = 0, capacity = 0;
    char *line = NULL, error[256];
    size_t line_size = 0;
    for (int number = 1; getline(&line, &line_size, file) >= 0; number++) {
        size_t blank = strspn(line, " \t\r\n");
        if (line[blank] == '\0' || line[blank] == '#') continue;
        if (used == capacity) {
            capacity = capacity ? 2 * capacity : 32;
            struct test_case *grown = realloc(cases, capacity * sizeof *cases);
            if (!grown) abort();
            cases = grown;
        }
        if (!case_parse(line, &cases[used], error, sizeof error)) {
            fprintf(stderr, "%s:%d: %s\n", path, number, error);
            free(cases);
            cases = NULL;
            break;
        }
        used++;
    }
    free(line);
    fclose(file);
    *count = used;
    return cases;
}

/* ---- derived figures ---- */

struct case_window case_window(const struct test_case *test, int axis)
{
    struct case_window window = {
        .input = test->input[axis],
        .kernel = test->kernel[test->kernel_length > 1 ? axis : 0],
        .pad = test->pad[test->pad_length > 1 ? axis : 0],
    };
    window.stride =
        test->stride_length > 0 ? test->stride[test->stride_length > 1 ? axis : 0] : window.kernel;
    window.output = test->has_output ? test->output[axis]
                                     : oracle_output_extent(window.input, window.kernel,
                                                            window.stride, window.pad, test->ceil);
    return window;
}

int64_t case_output_elements(const struct test_case *test)
{
    int64_t product = test->batch * test->channels;
    for (int i = 0; i < test->axes; i++)
        product *= case_window(test, i).output;
    return product;
}

int64_t case_input_elements(const struct test_case *test)
{
    int64_t product = test->batch * test->channels;
    for (int i = 0; i < test->axes; i++)
        product *= test->input[i];
    return product;
}
