/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/oracle_table.h"

#include <stdlib.h>

struct table table_of(const struct rig_problem *problem, int operand, int before)
{
    const int64_t count = problem->tensor[operand].count;
    struct table table = {.type = problem->tensor[operand].view.dtype, .operand = operand};
    table.real = calloc((size_t)count + 1, sizeof *table.real);
    table.whole = calloc((size_t)count + 1, sizeof *table.whole);
    table.hits = calloc((size_t)count + 1, sizeof *table.hits);
    for (int64_t i = 0; before >= 0 && i < count; i++)
        if (oracle_is_float(table.type))
            table.real[i] = oracle_value(problem, before, i);
        else
            table.whole[i] = oracle_whole_value(problem, before, i);
    return table;
}

static double combined(enum combine how, double a, double b)
{
    switch (how) {
    case ADD:
    case MEAN:
        return a + b;
    case MUL:
        return a * b;
    case DIV:
        return a / b;
    case MAX:
        return isnan(a) || isnan(b) ? NAN : a > b ? a : b;
    case MIN:
        return isnan(a) || isnan(b) ? NAN : a < b ? a : b;
    default:
        return b;
    }
}

static int64_t combined_whole(enum combine how, int64_t a, int64_t b)
{
    switch (how) {
    case ADD:
    case MEAN:
        return (int64_t)((uint64_t)a + (uint64_t)b);
    case MUL:
        return (int64_t)((uint64_t)a * (uint64_t)b);
    case DIV:
        return b == 0 ? 0 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
    case MAX:
        return a > b ? a : b;
    case MIN:
        return a < b ? a : b;
    default:
        return b;
    }
}

double table_round(const struct table *table, double value)
{
    return oracle_round(table->type == CASE_F64 ? CASE_F64 : CASE_F32, value);
}

static int64_t wrapped(const struct table *table, int64_t value)
{
    return oracle_integer(table->type, oracle_cast_whole(table->type, value));
}

void table_put(struct table *table, enum combine how, int64_t place, double real, int64_t whole)
{
    if (place < 0) return;
    table->hits[place]++;
    if (oracle_is_float(table->type))
        table->real[place] = table_round(table, combined(how, table->real[place], real));
    else
        table->whole[place] = wrapped(table, combined_whole(how, table->whole[place], whole));
}

void table_put_element(struct rig_problem *problem, struct table *table, enum combine how,
                       int64_t place, int operand, int64_t i)
{
    if (oracle_is_float(table->type))
        table_put(table, how, place, oracle_value(problem, operand, i), 0);
    else
        table_put(table, how, place, 0, oracle_whole_value(problem, operand, i));
}

void table_forget(struct table *table, enum combine how, int64_t place)
{
    static const double reals[] = {0, 0, 1, -INFINITY, INFINITY, 0, 1};
    static const int64_t wholes[] = {0, 0, 1, INT64_MIN, INT64_MAX, 0, 1};
    if (place < 0 || table->hits[place] > 0) return;
    table->real[place] = reals[how];
    table->whole[place] = wholes[how];
}

void table_divide(struct rig_problem *problem, struct table *table, bool with_self)
{
    for (int64_t i = 0; i < problem->tensor[table->operand].count; i++) {
        const int64_t count = table->hits[i] + (with_self || table->hits[i] == 0);
        const int64_t whole = table->whole[i];
        table->real[i] = table_round(table, table->real[i] / (double)count);
        table->whole[i] = whole / count - (whole % count < 0);
    }
}

void table_finish(struct rig_problem *problem, struct table *table)
{
    for (int64_t i = 0; i < problem->tensor[table->operand].count; i++)
        if (oracle_is_float(table->type))
            oracle_real(problem, table->operand, i, table->type, table->real[i]);
        else
            oracle_whole(problem, table->operand, i, CASE_I64, table->whole[i]);
    free(table->real);
    free(table->whole);
    free(table->hits);
}
