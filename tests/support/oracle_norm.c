/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/oracle_norm.h"

#include <math.h>
#include <string.h>

/* The operand of a slot, the first one of a list; -1: there is none. */
static int operand_at(const struct rig_problem *problem, int slot)
{
    const int first = problem->call.first[slot];
    return problem->call.count[slot] == 0 || problem->call.is_null[first] ? -1 : first;
}

int norm_operand(const struct rig_problem *problem, const char *name)
{
    for (int i = 0; problem->op->tensor[i]; i++)
        if (strcmp(problem->op->tensor[i], name) == 0) return operand_at(problem, i);
    return -1;
}

bool norm_has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

int norm_one_of(const struct rig_problem *problem, const char *names)
{
    for (int i = 0; problem->op->tensor[i]; i++)
        if (norm_has_word(names, problem->op->tensor[i]) && operand_at(problem, i) >= 0)
            return operand_at(problem, i);
    return -1;
}

static int number_of(const struct rig_problem *problem, const char *name)
{
    for (int i = 0; problem->op->number[i]; i++)
        if (strcmp(problem->op->number[i], name) == 0) return i;
    return -1;
}

int64_t norm_integer(const struct rig_problem *problem, const char *name, int64_t otherwise)
{
    const int i = number_of(problem, name);
    return i < 0 ? otherwise : problem->call.number[i];
}

double norm_real(const struct rig_problem *problem, const char *name, double otherwise)
{
    const int i = number_of(problem, name);
    return i < 0 ? otherwise : problem->call.real[i];
}

double norm_value(const struct rig_problem *problem, int operand, int64_t i, double otherwise)
{
    return operand < 0 ? otherwise : oracle_value(problem, operand, i);
}

static void put(struct rig_problem *problem, int operand, int64_t i, double value, double size,
                double terms, double precision, int64_t roundings)
{
    if (operand < 0) return;
    const bool is_double = problem->tensor[operand].view.dtype == CASE_F64;
    const double own = isfinite(value) ? fabs(value) : 0;
    if (!isfinite(size)) size = 0;
    problem->is_sum = true;
    problem->tensor[operand].sums[i] =
        (struct oracle_sum){value, is_double ? own + size : own + size * precision,
                            is_double ? (int64_t)terms + 8 : roundings};
}

/* Functions in double are good to 2^-30, those of softmax in f32 to 2 ULP. */
void norm_put(struct rig_problem *problem, int operand, int64_t i, double value, double size,
              double terms)
{
    put(problem, operand, i, value, size, terms, 0x1p-5, 4);
}

void norm_put_sum(struct rig_problem *problem, int operand, int64_t i, double value, double size,
                  double terms)
{
    put(problem, operand, i, value, size, terms, 0x1p-16, 2);
}

void norm_put_single(struct rig_problem *problem, int operand, int64_t i, double value, double size,
                     double terms)
{
    put(problem, operand, i, value, size, terms, 1, 4);
}

struct norm_lines norm_lines_of(const struct operand *view, int64_t axis)
{
    struct norm_lines lines = {.lines = 1, .count = 1, .step = 1};
    const int at = (int)(axis < 0 ? axis + view->rank : axis);
    for (int i = 0; i < view->rank; i++) {
        if (i == at)
            lines.count = view->dims[i];
        else
            lines.lines *= view->dims[i];
        if (i > at) lines.step *= view->dims[i];
    }
    return lines;
}

int64_t norm_at(const struct norm_lines *lines, int64_t line, int64_t i)
{
    return line / lines->step * lines->step * lines->count + i * lines->step + line % lines->step;
}

enum case_dtype norm_some_type(const struct rig_operator *op, struct random *random,
                               enum case_dtype dtype)
{
    return random_once_in(random, 4) ? random_dtype(op, random) : dtype;
}

enum case_dtype norm_some_single(const struct rig_operator *op, struct random *random,
                                 enum case_dtype dtype)
{
    const enum case_dtype some = norm_some_type(op, random, dtype);
    return some == CASE_F16 || some == CASE_BF16 ? some : CASE_F32;
}

void norm_optional(struct test_case *test, struct random *random, const char *name,
                   enum case_dtype dtype, const int64_t *dims, int rank, bool is_written,
                   bool is_there)
{
    if (is_there)
        random_tensor(test, random, name, dtype, dims, rank, is_written);
    else
        case_add(test, name, CASE_ALONE)->is_null = true;
}

struct test_case norm_start(const struct rig_operator *op, struct random *random,
                            enum case_dtype dtype)
{
    struct test_case test = random_start(op, random, dtype);
    test.data = CASE_PLAIN;
    return test;
}
