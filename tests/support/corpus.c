/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/corpus.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* The digit's value, -1 for another character. */
static int digit_of(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *found = c ? strchr(digits, c) : NULL;
    return found ? (int)(found - digits) : -1;
}

/* The bytes of a line of hexadecimal in a block of exactly their number (at least 1); NULL if it is
 * none. */
static uint8_t *bytes_of(const char *text, size_t length)
{
    uint8_t *data = malloc(length > 1 ? length / 2 : 1);
    if (!data) abort();
    bool right = length % 2 == 0;
    for (size_t i = 0; right && i < length; i += 2) {
        const int high = digit_of(text[i]), low = digit_of(text[i + 1]);
        right = high >= 0 && low >= 0;
        if (right) data[i / 2] = (uint8_t)(high << 4 | low);
    }
    if (right) return data;
    free(data);
    return NULL;
}

int corpus_each(const char *path, corpus_fn *fn, void *context)
{
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return -1;
    }
    char *text = NULL;
    size_t capacity = 0;
    ssize_t length;
    int count = 0;
    for (int line = 1; count >= 0 && (length = getline(&text, &capacity, file)) >= 0; line++) {
        if (length > 0 && text[length - 1] == '\n') length--;
        if (length > 0 && text[0] == '#') continue;
        uint8_t *data = bytes_of(text, (size_t)length);
        if (data) {
            fn(context, line, data, (size_t)length / 2);
            count++;
        } else {
            fprintf(stderr, "%s:%d: not pairs of the digits 0 to 9 and a to f\n", path, line);
            count = -1;
        }
        free(data);
    }
    free(text);
    fclose(file);
    return count;
}

/* The file's bytes in hexadecimal; NULL when it cannot be read. */
static char *line_of(const char *folder, const char *name)
{
    char path[4096], *line = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb"), *text = file ? open_memstream(&line, &size) : NULL;
    if (!text) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        if (file) fclose(file);
        return NULL;
    }
    for (int c; (c = fgetc(file)) != EOF;)
        fprintf(text, "%02x", (unsigned)c);
    fclose(file);
    fclose(text);
    return line;
}

static int shorter_first(const void *a, const void *b)
{
    const char *one = *(char *const *)a, *other = *(char *const *)b;
    const size_t of_one = strlen(one), of_other = strlen(other);
    return of_one != of_other ? (of_one > of_other) - (of_one < of_other) : strcmp(one, other);
}

bool corpus_pack(const char *folder, FILE *out)
{
    struct dirent **names;
    const int found = scandir(folder, &names, NULL, alphasort);
    if (found < 0) {
        fprintf(stderr, "%s: %s\n", folder, strerror(errno));
        return false;
    }
    char **lines = calloc((size_t)found + 1, sizeof *lines);
    if (!lines) abort();
    size_t count = 0;
    bool right = true;
    for (int i = 0; i < found; i++) {
        if (names[i]->d_name[0] != '.') {
            lines[count] = line_of(folder, names[i]->d_name);
            if (lines[count])
                count++;
            else
                right = false;
        }
        free(names[i]);
    }
    free(names);
    if (count > 0) qsort(lines, count, sizeof *lines, shorter_first);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || strcmp(lines[i], lines[i - 1]) != 0) fprintf(out, "%s\n", lines[i]);
    for (size_t i = 0; i < count; i++)
        free(lines[i]);
    free(lines);
    return right && fflush(out) == 0;
}
