/* SPDX-License-Identifier: Apache-2.0 */
/* Files of cases. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cases.h"

#ifndef ACLNN_CPU_CASES
#define ACLNN_CPU_CASES "tests/cases"
#endif

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
