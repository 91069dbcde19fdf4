/* SPDX-License-Identifier: Apache-2.0 */
/* What aclnnextGetInfo says: its operators are those of docs/operators.md (whose rows are held to
 * phase 1) and of the public headers, its variables those of the README. */
#include <criterion/criterion.h>
#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aclnn/opdev/op_errno.h"
#include "aclnnext/aclnnext_info.h"

#define ROOT    ACLNN_CPU_CASES "/../.."
#define PROGRAM ACLNN_CPU_LIBRARY_DIR "/../bin/aclnn-cpu-info"

#if defined(__aarch64__)
#define LAST_LEVEL "neon"
#else
#define LAST_LEVEL "base"
#endif

enum { ROOM = 1 << 17, LINE = 4096, CELL = 512 };

static char text[ROOM];

static void ask(void)
{
    size_t needed = 0;
    cr_assert_eq(aclnnextGetInfo(text, sizeof text, &needed), ACLNN_SUCCESS);
    cr_assert_eq(needed, strlen(text) + 1);
}

/* The cell of "| a | b |" from `at` on, without blanks and backquotes; a dash is "-". Returns what
 * follows. */
static char *read_cell(char *at, char cell[CELL])
{
    char *end = strchr(at + 1, '|');
    size_t used = 0;
    cell[0] = '\0';
    if (*at != '|' || !end) return NULL;
    for (at++; at < end && used < CELL - 1; at++)
        if (*at != '`' && (*at != ' ' || used > 0)) cell[used++] = *at;
    while (used > 0 && cell[used - 1] == ' ')
        used--;
    cell[used] = '\0';
    if (strcmp(cell, "–") == 0) strcpy(cell, "-");
    return end;
}

static int rows_between(const char *begin, const char *end)
{
    const char *from = strstr(text, begin), *to = end ? strstr(text, end) : NULL;
    int rows = 0;
    cr_assert_not_null(from);
    for (const char *at = from; (at = strstr(at, "\n  ")) && (!to || at < to); at++)
        rows++;
    return rows;
}

Test(info, operators_are_those_of_the_document)
{
    static char line[LINE], want[LINE];
    char name[CELL], types[CELL], indices[CELL], next[CELL];
    int rows = 0;
    ask();
    FILE *file = fopen(ROOT "/docs/operators.md", "r");
    cr_assert_not_null(file);
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, "| acl", 5) != 0) continue;
        char *at = read_cell(line, name);
        at = at ? read_cell(at, types) : NULL;
        at = at ? read_cell(at, indices) : NULL;
        int cells = 3;
        while (at && (at = read_cell(at, next)))
            cells++;
        if (cells < 8) strcpy(indices, "-"); /* convolution: no such column */
        snprintf(want, sizeof want, "\n  %-47s %s; %s\n", name, types, indices);
        cr_expect_not_null(strstr(text, want), "not there: %s", want);
        rows++;
    }
    fclose(file);
    cr_expect_eq(rows_between("\nOperators", "\nEnvironment"), rows);
}

/* Each "acl...GetWorkspaceSize(" of a header; returns how many. */
static int operators_of(const char *path)
{
    static char line[LINE];
    char want[CELL];
    int rows = 0;
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file);
    while (fgets(line, sizeof line, file)) {
        const char *end = strstr(line, "GetWorkspaceSize("), *name = end;
        while (name && name > line && isalnum((unsigned char)name[-1]))
            name--;
        if (!end || strncmp(name, "acl", 3) != 0) continue;
        snprintf(want, sizeof want, "\n  %.*s ", (int)(end - name), name);
        cr_expect_not_null(strstr(text, want), "%s declares, but not there: %s", path, want);
        rows++;
    }
    fclose(file);
    return rows;
}

Test(info, operators_are_those_of_the_headers)
{
    glob_t found = {0};
    int rows = 0;
    ask();
    cr_assert_eq(glob(ROOT "/api/include/aclnnop/*.h", 0, NULL, &found), 0);
    cr_assert_eq(glob(ROOT "/api/include/aclnnext/*.h", GLOB_APPEND, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        rows += operators_of(found.gl_pathv[i]);
    globfree(&found);
    cr_expect_eq(rows_between("\nOperators", "\nEnvironment"), rows);
}

Test(info, variables_are_those_of_the_readme)
{
    static char line[LINE];
    char name[CELL], want[LINE];
    int rows = 0;
    ask();
    FILE *file = fopen(ROOT "/README.md", "r");
    cr_assert_not_null(file);
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, "| `A", 4) != 0 || !read_cell(line, name)) continue;
        snprintf(want, sizeof want, "\n  %s ", name);
        cr_expect_not_null(strstr(text, want), "not there: %s", name);
        rows++;
    }
    fclose(file);
    cr_expect_eq(rows_between("\nEnvironment", NULL), rows);
}

/* "837 operators: ..." at the beginning of a line. */
Test(info, the_readme_counts_the_operators)
{
    static char line[LINE];
    int told = 0, rows;
    ask();
    rows = rows_between("\nOperators", "\nEnvironment");
    FILE *file = fopen(ROOT "/README.md", "r");
    cr_assert_not_null(file);
    while (fgets(line, sizeof line, file)) {
        char *end;
        const long number = strtol(line, &end, 10);
        if (strncmp(end, " operators: ", 12) == 0) told = (int)number;
    }
    fclose(file);
    cr_expect_eq(told, rows, "README.md tells of %d operators; there are %d", told, rows);
}

Test(info, choices_have_reasons)
{
    setenv("ACLNN_CPU_THREADS", "3", 1);
    setenv("ACLNN_CPU_ISA", LAST_LEVEL, 1);
    unsetenv("ACLNN_CPU_SOC");
    ask();
    cr_expect_not_null(strstr(text, "\nthreads           3: ACLNN_CPU_THREADS asks for them ("));
    cr_expect_not_null(strstr(text, "\ninstruction set   " LAST_LEVEL
                                    ": ACLNN_CPU_ISA asks for " LAST_LEVEL " (of "));
    cr_expect_not_null(strstr(text, "\n  ACLNN_CPU_THREADS             \"3\"  "));
    cr_expect_not_null(strstr(text, "\n  ACLNN_CPU_SOC                 (unset)  "));
    cr_expect_eq(strncmp(text, "aclnn-cpu ", 10), 0);
    cr_expect_not_null(strstr(text, "libaclnn_cpu.so\n"));
}

Test(info, a_wish_that_cannot_be_met_is_told)
{
    setenv("ACLNN_CPU_ISA", "riscv", 1);
    unsetenv("ACLNN_CPU_THREADS");
    ask();
    cr_expect_not_null(
        strstr(text, ": the best; ACLNN_CPU_ISA asks for riscv, which this CPU or build has not"));
    cr_expect_null(strstr(text, "ACLNN_CPU_THREADS asks"));
}

Test(info, as_much_as_fits)
{
    static char part[ROOM];
    size_t needed = 0, whole;
    ask();
    whole = strlen(text);
    for (size_t size = 0; size <= whole + 1; size += size < 100 ? 1 : 97) {
        memset(part, 'x', sizeof part);
        cr_assert_eq(aclnnextGetInfo(size > 0 ? part : NULL, size, &needed), ACLNN_SUCCESS);
        cr_assert_eq(needed, whole + 1);
        if (size == 0) continue;
        cr_assert_eq(strlen(part), size - 1);
        cr_assert_eq(memcmp(part, text, size - 1), 0);
        cr_assert_eq(part[size], 'x');
    }
    cr_expect_eq(aclnnextGetInfo(part, sizeof part, NULL), ACLNN_ERR_PARAM_NULLPTR);
    cr_expect_eq(aclnnextGetInfo(NULL, 1, &needed), ACLNN_ERR_PARAM_NULLPTR);
}

Test(info, the_program_prints_it)
{
    static char printed[ROOM];
    setenv("ACLNN_CPU_DEVICE_MEMORY", "1G", 1); /* the machine's own may change meanwhile */
    ask();
    FILE *pipe = popen(PROGRAM, "r");
    cr_assert_not_null(pipe);
    printed[fread(printed, 1, sizeof printed - 1, pipe)] = '\0';
    cr_expect_eq(pclose(pipe), 0);
    cr_expect_str_eq(printed, text);
    pipe = popen(PROGRAM " more 2>&1", "r");
    cr_assert_not_null(pipe);
    printed[fread(printed, 1, sizeof printed - 1, pipe)] = '\0';
    cr_expect_neq(pclose(pipe), 0);
    cr_expect_not_null(strstr(printed, "usage: "));
}

/* Each kind that the checker knows, with its rules. */
Test(info, the_program_explains_the_checker)
{
    static char printed[ROOM];
    static const char *const heads[] = {"\nrace: unordered\n",
                                        "\nmemory: freed\n",
                                        "\nmemory: freed-early\n",
                                        "\nmemory: past-its-end\n",
                                        "\nmemory: host-memory\n",
                                        "\nmemory: unknown\n",
                                        "\ninit: unwritten\n",
                                        "\nleak: device memory, ",
                                        "\ndevice: types, ranks, layouts, math\n",
                                        "\ndevice: operator\n",
                                        "\ndevice: executor\n",
                                        "\ndevice: tensor\n",
                                        "\ndevice: size\n",
                                        "\ndevice: workspace\n",
                                        "\ndevice: alignment\n",
                                        "\ndevice: format\n"};
    FILE *pipe = popen(PROGRAM " check", "r");
    cr_assert_not_null(pipe);
    printed[fread(printed, 1, sizeof printed - 1, pipe)] = '\0';
    cr_expect_eq(pclose(pipe), 0);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        cr_expect_not_null(strstr(printed, heads[i]), "%s", heads[i]);
}
