/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/tensor_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t tensor_element_size(const char *type)
{
    if (strcmp(type, "i64") == 0) return 8;
    if (strcmp(type, "f32") == 0) return 4;
    return strcmp(type, "bool") == 0 ? 1 : 2;
}

size_t tensor_bytes(const struct tensor_spec *spec)
{
    return (size_t)spec->elements * tensor_element_size(spec->type);
}

size_t tensor_bytes_read(const struct tensor_line *line, int input)
{
    const struct tensor_spec *spec = &line->tensor[input];
    return tensor_bytes(spec->is_partial ? &line->tensor[line->inputs] : spec);
}

static bool parse_tensor(const char *word, const char *type, struct tensor_spec *spec)
{
    char *end;
    *spec = (struct tensor_spec){.elements = 1, .below = 1};
    snprintf(spec->type, sizeof spec->type, "%s", type);
    do {
        if (spec->rank == TENSOR_AXES) return false;
        spec->dims[spec->rank] = strtoll(word, &end, 10);
        if (end == word || spec->dims[spec->rank] < 1) return false;
        spec->elements *= spec->dims[spec->rank++];
        word = end + 1;
    } while (*end == 'x');
    int64_t stride = 1;
    for (int i = spec->rank - 1; i >= 0; stride *= spec->dims[i--])
        spec->strides[i] = stride;
    if (*end == 'T') {
        const int last = spec->rank - 1;
        spec->strides[last] = spec->dims[last - 1];
        spec->strides[last - 1] = 1;
        end++;
    }
    if (*end == ':') {
        const size_t length = strspn(end + 1, "abcdefghijklmnopqrstuvwxyz0123456789");
        snprintf(spec->type, sizeof spec->type, "%.*s", (int)length, end + 1);
        end += 1 + length;
    }
    if (*end == '/') spec->below = strtoll(end + 1, &end, 10);
    if (*end == '!') {
        spec->is_partial = true;
        end++;
    }
    if (*end == '+') {
        spec->is_positive = true;
        end++;
    }
    return *end == '\0';
}

static void add_argument(struct tensor_line *into, const char *word)
{
    const size_t used = strlen(into->arguments);
    snprintf(into->arguments + used, sizeof into->arguments - used, "%s%s", used ? " " : "", word);
}

bool tensor_line_parse(const char *line, const char *type, struct tensor_line *into)
{
    char text[TENSOR_LINE], *rest = NULL;
    char *const words[] = {into->group, into->op, into->name, into->types};
    snprintf(text, sizeof text, "%s", line);
    *into = (struct tensor_line){.inputs = -1};
    char *word = strtok_r(text, " \n", &rest);
    for (int i = 0; i < 4; i++, word = strtok_r(NULL, " \n", &rest)) {
        if (word == NULL) return false;
        snprintf(words[i], TENSOR_WORD, "%s", word);
    }
    for (; word != NULL; word = strtok_r(NULL, " \n", &rest)) {
        if (strncmp(word, "op=", 3) == 0)
            snprintf(into->row, sizeof into->row, "%s", word + 3);
        else if (strchr(word, '='))
            add_argument(into, word);
        else if (strcmp(word, ">") == 0)
            into->inputs = into->tensors;
        else if (into->tensors == TENSOR_MOST ||
                 !parse_tensor(word, type, &into->tensor[into->tensors++]))
            return false;
    }
    return into->inputs >= 0 && into->tensors > into->inputs;
}
