/* SPDX-License-Identifier: Apache-2.0 */
/* docs/kernels.md has every kernel and way once, ways best first, each with the levels that have it
 * and the file that holds its function. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/way.h"

#define ROOT     ACLNN_CPU_CASES "/../../"
#define DOCUMENT ROOT "docs/kernels.md"

enum { LINE = 1024, ROWS = 256, COLUMNS = 7 };
enum column { KERNEL, WAY, LEVELS, OPERATORS, TAKES, FILE_OF, GAIN };

static const char *const headings[COLUMNS] = {"Kernel", "Way",  "Levels", "Operators",
                                              "Takes",  "File", "Gain"};

/* As the tables of the levels have them: kernel, or kernel_way. */
static const struct {
    const char *name, *levels;
} kernels[] = {
#define K_KERNEL(name)            {#name, "all"},
#define K_KERNEL_ANY(name)        {#name, "all"},
#define K_KERNEL_VECTOR(name)     {#name, "not base"},
#define K_KERNEL_ANY_VECTOR(name) {#name, "not base"},
#include "kernels/kernels.def"
};

enum { KERNELS = sizeof kernels / sizeof *kernels };

struct row {
    char text[LINE], name[LINE];
    char *cell[COLUMNS];
};

static struct row *rows;
static int row_count;

/* The cells of a table's line, without the blanks around them; false: it has another number. */
static bool split(struct row *row)
{
    char *at = row->text;
    if (*at++ != '|') return false;
    for (int i = 0; i < COLUMNS; i++) {
        char *end = strchr(at, '|');
        if (!end) return false;
        row->cell[i] = at + strspn(at, " ");
        at = end + 1;
        while (end > row->cell[i] && end[-1] == ' ')
            end--;
        *end = '\0';
    }
    return *at == '\n' || *at == '\0';
}

static void read_rows(void)
{
    FILE *file = fopen(DOCUMENT, "r");
    cr_assert_not_null(file, "%s cannot be read", DOCUMENT);
    rows = calloc(ROWS, sizeof *rows);
    while (fgets(rows[row_count].text, LINE, file)) {
        struct row *row = &rows[row_count];
        if (!split(row) || strspn(row->cell[KERNEL], "-") > 0) continue;
        const bool has_way = strcmp(row->cell[WAY], "") != 0;
        snprintf(row->name, LINE, "%s%s%s", row->cell[KERNEL], has_way ? "_" : "", row->cell[WAY]);
        cr_assert_lt(++row_count, ROWS);
    }
    fclose(file);
    cr_assert_gt(row_count, 1, "no table");
    for (int i = 0; i < COLUMNS; i++)
        cr_assert_str_eq(rows[0].cell[i], headings[i]);
}

/* -1: there is none. Number 0 is the headings. */
static int find_row(const char *name)
{
    int found = -1;
    for (int i = 1; i < row_count; i++) {
        if (strcmp(rows[i].name, name) != 0) continue;
        cr_assert_eq(found, -1, "%s has two rows", name);
        found = i;
    }
    return found;
}

static bool file_names(const char *path, const char *name)
{
    char full[2 * LINE], line[LINE];
    snprintf(full, sizeof full, "%skernels/%s", ROOT, path);
    FILE *file = fopen(full, "r");
    cr_assert_not_null(file, "%s: there is no kernels/%s", name, path);
    bool is_found = false;
    while (!is_found && fgets(line, sizeof line, file)) {
        const char *at = strstr(line, name);
        const char after = at ? at[strlen(name)] : '\0';
        is_found = after == ')' || after == ',' || after == '(';
    }
    fclose(file);
    return is_found;
}

static void setup(void)
{
    read_rows();
}

static void finish(void)
{
    free(rows);
}

TestSuite(kernels_md, .init = setup, .fini = finish);

Test(kernels_md, has_every_kernel_and_way)
{
    for (int i = 0; i < KERNELS; i++) {
        const int at = find_row(kernels[i].name);
        cr_assert_neq(at, -1, "docs/kernels.md has no row for %s", kernels[i].name);
        cr_expect_str_eq(rows[at].cell[LEVELS], kernels[i].levels, "%s: its levels are %s",
                         kernels[i].name, kernels[i].levels);
    }
    cr_expect_eq(row_count - 1, KERNELS, "docs/kernels.md has %d rows, the library %d kernels",
                 row_count - 1, KERNELS);
}

Test(kernels_md, ways_are_best_first)
{
    const struct k_way *ways;
    char name[LINE];
    int before = 0;
    for (int i = 0, count = k_ways(&ways); i < count; i++) {
        snprintf(name, sizeof name, "%s_%s", ways[i].kernel, ways[i].name);
        const int at = find_row(name);
        cr_assert_neq(at, -1, "docs/kernels.md has no row for %s", name);
        cr_expect_str_eq(rows[at].cell[KERNEL], ways[i].kernel);
        if (i > 0 && ways[i].choice == ways[i - 1].choice)
            cr_expect_eq(at, before + 1, "%s is not below the way before it", name);
        before = at;
    }
}

Test(kernels_md, files_hold_their_functions)
{
    for (int i = 1; i < row_count; i++) {
        const struct row *row = &rows[i];
        cr_expect(file_names(row->cell[FILE_OF], row->name), "kernels/%s does not define %s",
                  row->cell[FILE_OF], row->name);
        cr_expect_str_not_empty(row->cell[OPERATORS], "%s", row->name);
        cr_expect_str_not_empty(row->cell[TAKES], "%s", row->name);
        cr_expect(row->cell[WAY][0] == '\0' || row->cell[GAIN][0] != '\0', "%s: no gain",
                  row->name);
    }
}
