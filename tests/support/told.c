/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/told.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static FILE *sink;
static int real_stderr;

void told_begin(void)
{
    setenv("ACLNN_CPU_LOG", "plan,calls", 1);
    sink = tmpfile();
    real_stderr = dup(STDERR_FILENO);
    if (!sink || real_stderr < 0) abort();
}

void told_end(void)
{
    fclose(sink);
    close(real_stderr);
}

void told_listen(void)
{
    fflush(stderr);
    rewind(sink);
    if (ftruncate(fileno(sink), 0) != 0 || dup2(fileno(sink), STDERR_FILENO) < 0) abort();
}

static void add(char *text, size_t size, const char *line)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s\n", line);
}

void told_hear(struct told *told)
{
    static char text[4 * TOLD_TEXT];
    char *rest = NULL;
    fflush(stderr);
    dup2(real_stderr, STDERR_FILENO);
    rewind(sink);
    text[fread(text, 1, sizeof text - 1, sink)] = '\0';
    memset(told, 0, sizeof *told);
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (strncmp(line, "plan ", 5) == 0 || strncmp(line, "  ", 2) == 0) {
            add(told->plan, sizeof told->plan, line);
        } else {
            snprintf(told->line, sizeof told->line, "%s", line);
            told->lines++;
        }
    }
}
