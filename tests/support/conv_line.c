/* SPDX-License-Identifier: Apache-2.0 */
/* A problem of convolution from a line; conv_rig.h has the language. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/conv_rig.h"
#include "tests/support/extents.h"
#include "tests/support/mistake.h"

enum { LINE = 512 };

static const char *const operators[CONV_OPERATORS] = {"convolution_backward", "aclnnext_conv_grad",
                                                      "conv_tbc_backward",    "convolution",
                                                      "conv_depthwise2d",     "conv_tbc"};

struct reader {
    struct conv_case *test;
    int64_t from, to, input[ORACLE_CONV_AXES], output[ORACLE_CONV_AXES];
    bool has_output, has_end;
    struct mistake mistake;
};

/* One entry for each axis, behind the ones that the problem does not have. */
static bool read_axes(struct reader *reader, const char *text, int64_t axes[ORACLE_CONV_AXES])
{
    int64_t numbers[ORACLE_CONV_AXES];
    const int count = extents_read(text, numbers, ORACLE_CONV_AXES), wanted = reader->test->axes;
    if (count == 0 || (count != 1 && count != wanted)) return false;
    for (int i = 0; i < wanted; i++)
        axes[i + ORACLE_CONV_AXES - wanted] = numbers[count == 1 ? 0 : i];
    return true;
}

static bool read_first_words(struct reader *reader, char **rest)
{
    struct conv_case *test = reader->test;
    const char *word = strtok_r(NULL, " \n", rest);
    int64_t numbers[ORACLE_CONV_AXES];
    char *end;
    if (!word || *word != 'n' || extents_read(word + 1, numbers, ORACLE_CONV_AXES) != 1)
        return wrong(&reader->mistake, "the batch, n..., is missing");
    test->conv.batch = numbers[0];
    word = strtok_r(NULL, " \n", rest);
    if (!word || *word != 'c')
        return wrong(&reader->mistake, "the channels, c...>..., are missing");
    reader->from = strtoll(word + 1, &end, 10);
    if (*end != '>') return wrong(&reader->mistake, "'%s' names no channels of the output", word);
    reader->to = strtoll(end + 1, &end, 10);
    word = strtok_r(NULL, " \n", rest);
    if (!word || *end || (test->axes = extents_read(word, numbers, ORACLE_CONV_AXES)) == 0)
        return wrong(&reader->mistake, "the extents of the input are missing");
    return read_axes(reader, word, reader->input);
}

/* --- tensors --------------------------------------------------------------------------------- */

/* The tensor of that name, CONV_TENSORS when there is none. */
static int tensor_named(const struct reader *reader, const char *name, size_t length)
{
    static const struct {
        const char *name;
        int tensor;
        bool is_forward, is_gradient; /* of which operators */
    } tensors[] = {{"x", CONV_INPUT, true, true},         {"w", CONV_WEIGHT, true, true},
                   {"b", CONV_BIAS, true, false},         {"y", CONV_OUTPUT, true, false},
                   {"dy", CONV_GRAD_OUTPUT, false, true}, {"dx", CONV_GRAD_INPUT, false, true},
                   {"dw", CONV_GRAD_WEIGHT, false, true}, {"db", CONV_GRAD_BIAS, false, true}};
    const bool is_forward = conv_is_forward(reader->test->op);
    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++)
        if (strlen(tensors[i].name) == length && strncmp(name, tensors[i].name, length) == 0 &&
            (is_forward ? tensors[i].is_forward : tensors[i].is_gradient))
            return tensors[i].tensor;
    return CONV_TENSORS;
}

static bool read_trait(struct conv_case *test, int tensor, const char *word)
{
    static const struct {
        const char *word;
        aclFormat format;
    } formats[] = {{"ncl", ACL_FORMAT_NCL}, {"nchw", ACL_FORMAT_NCHW}, {"ncdhw", ACL_FORMAT_NCDHW},
                   {"nd", ACL_FORMAT_ND},   {"nhwc", ACL_FORMAT_NHWC}, {"ndhwc", ACL_FORMAT_NDHWC}};
    static const char *const layouts[CASE_LAYOUTS] = {"dense", "last", "strided", "broadcast"};
    for (int i = 0; i < CASE_FLOATS; i++)
        if (strcmp(word, case_dtype_name((enum case_dtype)i)) == 0) {
            test->dtype[tensor] = (enum case_dtype)i;
            return true;
        }
    for (int i = 0; i < CASE_LAYOUTS; i++)
        if (strcmp(word, layouts[i]) == 0) {
            test->layout[tensor] = (enum case_layout)i;
            return true;
        }
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(word, formats[i].word) == 0) {
            test->format[tensor] = formats[i].format;
            return true;
        }
    return false;
}

static bool read_tensor(struct reader *reader, const char *word, char *value)
{
    char *rest = NULL;
    const int tensor = tensor_named(reader, word, (size_t)(value - 1 - word));
    if (tensor == CONV_TENSORS)
        return wrong(&reader->mistake, "'%s' is no tensor of this operator", word);
    if (tensor >= CONV_GRAD_INPUT) reader->test->mask[tensor - CONV_GRAD_INPUT] = true;
    for (char *trait = strtok_r(value, ",", &rest); trait; trait = strtok_r(NULL, ",", &rest))
        if (!read_trait(reader->test, tensor, trait))
            return wrong(&reader->mistake, "'%s' is no type, format or layout", trait);
    return true;
}

/* --- the rest -------------------------------------------------------------------------------- */

static bool read_word(struct reader *reader, char *word)
{
    struct conv_case *test = reader->test;
    struct oracle_conv *c = &test->conv;
    const struct {
        char letter;
        int64_t *axes;
    } lists[] = {{'k', c->kernel},   {'s', c->stride},     {'p', c->pad},
                 {'d', c->dilation}, {'q', test->pad_end}, {'o', reader->output}};
    char *value = strchr(word, '=');
    if (strncmp(word, "math=", 5) == 0) {
        test->math = atoi(word + 5);
        return true;
    }
    if (value) return read_tensor(reader, word, value + 1);
    if (strcmp(word, "transposed") == 0) return test->transposed = true;
    if (*word == 'g') return (c->groups = strtoll(word + 1, NULL, 10)) > 0;
    reader->has_end |= *word == 'q';
    reader->has_output |= *word == 'o';
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (*word == lists[i].letter && read_axes(reader, word + 1, lists[i].axes)) return true;
    return wrong(&reader->mistake, "'%s' means nothing here", word);
}

static void begin(struct reader *reader)
{
    static const aclFormat by_axes[] = {ACL_FORMAT_NCL, ACL_FORMAT_NCHW, ACL_FORMAT_NCDHW};
    struct conv_case *test = reader->test;
    test->conv.groups = 1;
    for (int i = 0; i < CONV_TENSORS; i++)
        test->format[i] = by_axes[test->axes - 1];
    test->format[CONV_GRAD_BIAS] = ACL_FORMAT_ND;
    for (int i = 0; i < ORACLE_CONV_AXES; i++) {
        test->conv.kernel[i] = test->conv.stride[i] = test->conv.dilation[i] = 1;
        test->conv.large[i] = test->conv.small[i] = 1;
    }
}

/* Extents and channels of both sides from those of the input and the output. */
static bool join_sides(struct reader *reader)
{
    struct conv_case *test = reader->test;
    struct oracle_conv *c = &test->conv;
    if (!reader->has_end) memcpy(test->pad_end, c->pad, sizeof c->pad);
    if (test->transposed != reader->has_output)
        return wrong(&reader->mistake, "transposed and o... go together");
    if (reader->from % c->groups != 0 || reader->to % c->groups != 0)
        return wrong(&reader->mistake, "the groups do not divide the channels");
    c->large_channels = (test->transposed ? reader->to : reader->from) / c->groups;
    c->small_channels = (test->transposed ? reader->from : reader->to) / c->groups;
    for (int i = ORACLE_CONV_AXES - test->axes; i < ORACLE_CONV_AXES; i++) {
        c->large[i] = test->transposed ? reader->output[i] : reader->input[i];
        const int64_t room =
            c->large[i] + c->pad[i] + test->pad_end[i] - (c->kernel[i] - 1) * c->dilation[i] - 1;
        if (c->stride[i] < 1) return wrong(&reader->mistake, "a stride is 0");
        c->small[i] = test->transposed ? reader->input[i] : room / c->stride[i] + 1;
        if (!test->transposed && room < 0) c->small[i] = 0;
        test->both_ends |= test->pad_end[i] != c->pad[i];
    }
    if (test->op != CONV_BACKWARD && test->op != CONV_FORWARD) test->both_ends = false;
    return true;
}

bool conv_parse(const char *line, struct conv_case *out, char *error, size_t error_size)
{
    struct reader reader = {.test = out, .mistake = {error, error_size}};
    char text[LINE], *rest = NULL;
    int op = 0;
    memset(out, 0, sizeof *out);
    if (strlen(line) >= sizeof text) return wrong(&reader.mistake, "the line is too long");
    strcpy(text, line);
    const char *name = strtok_r(text, " \n", &rest);
    while (op < CONV_OPERATORS && (!name || strcmp(name, operators[op]) != 0))
        op++;
    if (op == CONV_OPERATORS)
        return wrong(&reader.mistake, "'%s' is no convolution", name ? name : "");
    out->op = (enum conv_operator)op;
    if (!read_first_words(&reader, &rest)) return false;
    begin(&reader);
    for (char *word; (word = strtok_r(NULL, " \n", &rest));)
        if (!read_word(&reader, word)) {
            if (!*error) wrong(&reader.mistake, "'%s' cannot be read", word);
            return false;
        }
    return join_sides(&reader);
}
