/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/rows_every.h"

#include <ctype.h>
#include <string.h>

#include "tests/support/rig_calls.h"

#define OPERATOR(name, family, core, types, rule, arguments)            {RIG_CALL(name)},
#define OPERATOR_BY_HAND(name, family, types, indices, note, arguments) {RIG_CALL(name)},

static struct rig_operator rows[] = {
#include "api/operators.def"
};

enum { ROWS = sizeof rows / sizeof rows[0] };

/* aclnnMaxPool is max_pool, aclStft stft, aclnnextConvGrad aclnnext_conv_grad. */
static const char *word_of(const char *name, char *word)
{
    size_t used = 0;
    const size_t prefix = strncmp(name, "aclnnext", 8) == 0 ? 0
                          : strncmp(name, "aclnn", 5) == 0  ? 5
                                                            : 3;
    for (const char *at = name + prefix; *at && used + 2 < CASE_WORD; at++) {
        if (isupper((unsigned char)*at) && used > 0) word[used++] = '_';
        word[used++] = (char)tolower((unsigned char)*at);
    }
    return word;
}

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
    return ROWS;
}

const struct rig_operator *rows_every(int i)
{
    static char words[ROWS][CASE_WORD];
    rows[i].word = word_of(rows[i].name, words[i]);
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

const struct rig_operator *rows_every_of_word(const char *word)
{
    for (int i = 0; i < rows_every_count(); i++)
        if (strcmp(rows_every(i)->word, word) == 0) return rows_every(i);
    return NULL;
}
