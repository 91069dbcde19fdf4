/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/selection.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/data.h"
#include "tests/bench/peers.h"

bool selection_takes(const struct test_case *test, const char *const *words, int count)
{
    char line[CASE_LINE];
    if (test->name[0] == '\0' || bench_operator_find(test->op) == NULL) return false;
    case_print(test, line);
    for (int i = 0; i < count; i++)
        if (strstr(line, words[i]) == NULL) return false;
    return true;
}

static bool add_file(const char *path, const char *const *words, int word_count,
                     struct selection *selection)
{
    size_t count = 0;
    struct test_case *cases = case_load(path, &count);
    if (cases == NULL) return false;
    struct test_case *larger =
        realloc(selection->cases, (size_t)(selection->count + (int)count + 1) * sizeof *larger);
    if (larger == NULL) abort();
    selection->cases = larger;
    for (size_t i = 0; i < count; i++)
        if (selection_takes(&cases[i], words, word_count))
            selection->cases[selection->count++] = cases[i];
    free(cases);
    return true;
}

/* In the order of the operators, and of the files within an operator. */
static void sort_cases(struct selection *selection)
{
    struct test_case *sorted = malloc((size_t)(selection->count + 1) * sizeof *sorted);
    if (sorted == NULL) abort();
    int count = 0;
    for (int row = 0; bench_operator_at(row) != NULL; row++)
        for (int i = 0; i < selection->count; i++)
            if (strcmp(selection->cases[i].op, bench_operator_at(row)->name) == 0)
                sorted[count++] = selection->cases[i];
    free(selection->cases);
    selection->cases = sorted;
}

bool select_cases(struct selection *selection, const char *const *words, int count)
{
    glob_t found;
    bool is_read = glob(case_path("*.txt"), 0, NULL, &found) == 0;
    if (!is_read) {
        fprintf(stderr, "no cases in %s\n", case_path(""));
        return false;
    }
    for (size_t i = 0; is_read && i < found.gl_pathc; i++)
        is_read = add_file(found.gl_pathv[i], words, count, selection);
    globfree(&found);
    sort_cases(selection);
    return is_read;
}

/* Random values of each type, as many as the largest problem of that type reads. */
bool selection_make_data(const struct selection *selection)
{
    int64_t most[CASE_FLOATS] = {0};
    for (int i = 0; i < selection->count; i++) {
        const struct test_case *test = &selection->cases[i];
        struct bench_problem problem;
        char why[PEER_WHY];
        if (!bench_problem_of(test, BENCH_NCHW, &problem, why, sizeof why)) continue;
        int64_t elements = bench_values_needed(&problem);
        if (elements > most[test->dtype]) most[test->dtype] = elements;
    }
    return data_make_values(most);
}
