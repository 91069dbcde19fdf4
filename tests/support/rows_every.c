/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/rows_every.h"

#include <string.h>

#include "api/op_args.h"
#include "tests/support/rig_calls.h"

#define ROLE_IN(name)       {RIG_READ, CASE_NAMED, NULL},
#define ROLE_OPTIONAL(name) {RIG_READ, CASE_NAMED, NULL},
#define ROLE_OUT(name)      {RIG_EXACT, CASE_NAMED, NULL},
#define ROLE_REF(name)      {RIG_EXACT, CASE_NAMED, NULL},
#define ROLE_INTS(name)
#define ROLE_BOOLS(name)
#define ROLE_BOOL(name)
#define ROLE_INT(name)
#define ROLE_INT64(name)
#define ROLE_MATH(name)

#define ROW(operator, arguments)                                        {RIG_CALL(operator), .operand = {OP_EACH(ROLE_, arguments)}},
#define OPERATOR(name, family, core, types, rule, arguments)            ROW(name, arguments)
#define OPERATOR_BY_HAND(name, family, types, indices, note, arguments) ROW(name, arguments)

static const struct rig_operator rows[] = {
#include "api/operators.def"
};

int rows_every_count(void)
{
    return (int)(sizeof rows / sizeof rows[0]);
}

const struct rig_operator *rows_every(int i)
{
    return &rows[i];
}

const struct rig_operator *rows_every_named(const char *name)
{
    for (int i = 0; i < rows_every_count(); i++)
        if (strcmp(rows[i].name, name) == 0) return &rows[i];
    return NULL;
}
