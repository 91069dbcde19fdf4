/* SPDX-License-Identifier: Apache-2.0 */
/* Every way of every kernel, forced: the plan names it, the oracle agrees, and so do the bits of
 * the way that the library would have taken, unless the line says that they need not. */
#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/isa.h"
#include "kernels/kernels.h"
#include "kernels/way.h"
#include "tests/support/rows_all.h"
#include "tests/support/told.h"

enum { LINES = 512, NAME = 96 };

#define OTHER "other_bits "

struct line {
    char way[NAME]; /* "kernel:way" */
    char level[16]; /* "" : all */
    bool has_other_bits;
    char problem[CASE_LINE];
};

static struct line *lines;
static int line_count;
static struct rig rig;

static void read_file(const char *path)
{
    char text[CASE_LINE + NAME];
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file);
    while (fgets(text, sizeof text, file)) {
        struct line *line = &lines[line_count];
        int at = 0;
        if (text[0] == '#' || sscanf(text, " %95[^@ \n]%n", line->way, &at) != 1) continue;
        if (text[at] == '@') {
            int length = 0;
            cr_assert_eq(sscanf(text + at, "@%15s%n", line->level, &length), 1, "%s", text);
            at += length;
        }
        at += (int)strspn(text + at, " ");
        line->has_other_bits = strncmp(text + at, OTHER, strlen(OTHER)) == 0;
        if (line->has_other_bits) at += (int)strlen(OTHER);
        snprintf(line->problem, sizeof line->problem, "%s", text + at);
        line->problem[strcspn(line->problem, "\n")] = '\0';
        cr_assert_lt(++line_count, LINES);
    }
    fclose(file);
}

static void read_lines(void)
{
    glob_t found;
    lines = calloc(LINES, sizeof *lines);
    cr_assert_eq(glob(ACLNN_CPU_CASES "/ways/*.txt", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        read_file(found.gl_pathv[i]);
    globfree(&found);
    cr_assert_gt(line_count, 0);
}

/* Whether the level in use is `name` or better; avx512_amx: whether it has tiles. */
static bool has_level(const char *name)
{
    if (strcmp(name, "avx512_amx") == 0) return k_tiles_int8() && k_tiles_bf16();
    const struct k_table *tables[8];
    const size_t count = k_tables(tables, 8);
    bool is_at_least = false;
    for (size_t i = 0; i < count && *name != '\0'; i++) { /* best first */
        is_at_least = is_at_least || tables[i] == k_best();
        if (strcmp(tables[i]->isa, name) == 0) return is_at_least;
    }
    return *name == '\0';
}

static bool level_has(const struct k_way *way)
{
    for (int i = 0; i < (way->by_dtype ? K_DTYPES : 1); i++) {
        k_fn *run;
        memcpy(&run, (const char *)k_best() + way->slot + (size_t)i * sizeof run, sizeof run);
        if (run) return true;
    }
    return false;
}

static bool is_of(const struct line *line, const struct k_way *way)
{
    char name[NAME];
    snprintf(name, sizeof name, "%s:%s", way->kernel, way->name);
    return strcmp(line->way, name) == 0;
}

static void check_plan(const struct line *line, const struct told *told)
{
    char named[NAME + 32];
    snprintf(named, sizeof named, "way %s (ACLNN_CPU_WAY)", line->way);
    cr_assert_not_null(strstr(told->plan, named), "%s: %s has another way:\n%s", k_best()->isa,
                       line->problem, told->plan);
}

/* Ways of convolution add in orders of their own. */
static bool has_own_bits(const struct rig_operator *row)
{
    for (int i = 0; i < ROWS_CONVOLUTIONS; i++)
        if (rows_convolution[i] == row) return true;
    return false;
}

static void check_line(const struct line *line)
{
    struct told told;
    struct test_case test;
    char error[256];
    uint64_t *bits[RIG_OPERANDS] = {0};
    cr_assert(case_parse(line->problem, &test, error, sizeof error), "%s: %s", line->problem,
              error);
    const struct rig_operator *row = rows_all_of(&test);
    cr_assert_not_null(row, "no row for %s", line->problem);
    k_way_force(NULL);
    rig_load(&rig, row, &test);
    cr_assert(rig_run(&rig, RIG_END) && rig_compare(&rig), "%s", rig.text);
    for (int i = 0; i < rig_operand_count(row); i++) {
        const struct rig_tensor *tensor = &rig.problem.tensor[i];
        const size_t bytes = (size_t)tensor->count * sizeof *tensor->bits;
        if (row->operand[i].role != RIG_SUM && row->operand[i].role != RIG_EXACT) continue;
        if (has_own_bits(row)) continue;
        bits[i] = malloc(bytes + 1);
        memcpy(bits[i], tensor->bits, bytes);
    }
    k_way_force(line->way);
    told_listen();
    const bool ran = rig_run(&rig, RIG_END);
    told_hear(&told);
    cr_assert(ran && rig_compare(&rig), "%s forced: %s", line->way, rig.text);
    check_plan(line, &told);
    for (int i = 0; i < rig_operand_count(row); i++) {
        const struct rig_tensor *tensor = &rig.problem.tensor[i];
        cr_assert(!bits[i] || line->has_other_bits ||
                      memcmp(bits[i], tensor->bits, (size_t)tensor->count * sizeof *tensor->bits) ==
                          0,
                  "%s: %s has other bits", line->way, line->problem);
        free(bits[i]);
    }
}

Test(ways, each_has_a_line)
{
    const struct k_way *ways;
    read_lines();
    for (int i = 0, count = k_ways(&ways); i < count; i++) {
        bool is_there = false;
        for (int j = 0; j < line_count; j++)
            is_there = is_there || is_of(&lines[j], &ways[i]);
        cr_assert(is_there, "tests/cases/ways has no line for %s:%s", ways[i].kernel, ways[i].name);
    }
}

static const struct k_way *way_of(const struct line *line)
{
    const struct k_way *ways;
    for (int i = 0, count = k_ways(&ways); i < count; i++)
        if (is_of(line, &ways[i])) return &ways[i];
    cr_assert_fail("no way is called %s", line->way);
    return NULL;
}

static bool is_here(const struct line *line)
{
    return level_has(way_of(line)) && has_level(line->level);
}

Test(ways, each_forced, .timeout = 300)
{
    told_begin();
    read_lines();
    rig_begin(&rig);
    for (int j = 0; j < line_count; j++)
        if (is_here(&lines[j])) check_line(&lines[j]);
    k_way_force(NULL);
    rig_end(&rig);
    told_end();
    free(lines);
}

Test(ways, names_that_no_row_has)
{
    k_way_force("copy_strided:rows");
    cr_assert_null(k_way_unknown());
    k_way_force("copy_strided:rows,copy_strided:nothing,other:rows");
    cr_assert_str_eq(k_way_unknown(), "copy_strided:nothing");
    k_way_force(NULL);
    cr_assert_null(k_way_unknown());
}
