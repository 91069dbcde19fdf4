/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/rows_every.h"

#include <string.h>

#include "tests/support/rig_calls.h"

#define OPERATOR(name, family, core, types, rule, arguments)            {RIG_CALL(name)},
#define OPERATOR_BY_HAND(name, family, types, indices, note, arguments) {RIG_CALL(name)},

static struct rig_operator rows[] = {
#include "api/operators.def"
};

/* What is written is an output. */
static struct rig_operand role_of(enum op_kind kind)
{
    const bool is_read =
        kind == OP_IN || kind == OP_OPTIONAL || kind == OP_INS || kind == OP_OPTIONAL_INS;
    const bool is_changed =
        kind == OP_REF || kind == OP_OPTIONAL_REF || kind == OP_REFS || kind == OP_OPTIONAL_REFS;
    return (struct rig_operand){
        .role = is_read ? RIG_READ : RIG_EXACT, .tensor = CASE_NAMED, .is_changed = is_changed};
}

int rows_every_count(void)
{
    return (int)(sizeof rows / sizeof rows[0]);
}

const struct rig_operator *rows_every(int i)
{
    for (int slot = 0; rows[i].tensor[slot]; slot++)
        rows[i].operand[slot] = role_of(rows[i].names->tensor_kind[slot]);
    return &rows[i];
}

const struct rig_operator *rows_every_named(const char *name)
{
    for (int i = 0; i < rows_every_count(); i++)
        if (strcmp(rows[i].name, name) == 0) return rows_every(i);
    return NULL;
}
