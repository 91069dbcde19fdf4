/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/rows_table.h"

#include <ctype.h>
#include <string.h>

#include "api/op_args.h"
#include "tests/support/oracle.h"
#include "tests/support/rows_every.h"

enum { RANDOM_ELEMENTS = 4000 };

/* ---- rows ---- */

#define CASE_OF_FLOAT   CASE_F32
#define CASE_OF_FLOAT16 CASE_F16
#define CASE_OF_BF16    CASE_BF16
#define CASE_OF_DOUBLE  CASE_F64
#define CASE_OF_INT8    CASE_I8
#define CASE_OF_UINT8   CASE_U8
#define CASE_OF_INT16   CASE_I16
#define CASE_OF_INT32   CASE_I32
#define CASE_OF_INT64   CASE_I64
#define CASE_OF_BOOL    CASE_BOOL

#define OPERATOR(name, family, core, types, rule, arguments)                                       \
    static const enum case_dtype name##_types[] = {OP_LIST(CASE_OF_, types)};
#include "api/operators.def"

static const struct source {
    const char *name;
    const enum case_dtype *types;
    int type_count;
} sources[] = {
#define OPERATOR(name, family, core, types, rule, arguments)                                       \
    {#name, name##_types, (int)(sizeof name##_types / sizeof name##_types[0])},
#include "api/operators.def"
    {.name = NULL},
};

enum { ROWS = sizeof sources / sizeof sources[0] - 1 };

static struct table_row rows[ROWS + 1];
static char words[ROWS + 1][CASE_WORD];

/* aclnnMaxPool is max_pool. */
static const char *word_of(const char *name, char *word)
{
    size_t used = 0;
    for (const char *at = name + strlen("aclnn"); *at && used + 2 < CASE_WORD; at++) {
        if (isupper((unsigned char)*at) && used > 0) word[used++] = '_';
        word[used++] = (char)tolower((unsigned char)*at);
    }
    return word;
}

/* ---- oracle ---- */

static bool is_real(enum case_dtype dtype)
{
    return dtype <= CASE_F64;
}

/* The number that an integer's bits are. */
static int64_t integer_of(enum case_dtype dtype, uint64_t bits)
{
    switch (dtype) {
    case CASE_I8:
        return (int8_t)bits;
    case CASE_I16:
        return (int16_t)bits;
    case CASE_I32:
        return (int32_t)bits;
    default:
        return (int64_t)bits;
    }
}

/* What is left of a number when it is stored. */
static uint64_t stored(enum case_dtype dtype, int64_t value)
{
    const size_t bits = 8 * operand_element_size(dtype);
    if (dtype == CASE_BOOL) return value != 0;
    return bits == 64 ? (uint64_t)value : (uint64_t)value & ((UINT64_C(1) << bits) - 1);
}

static void unary(struct rig_problem *problem)
{
    const struct oracle_unary *oracle = oracle_unary_of(problem->op->name);
    const struct rig_tensor *from = &problem->tensor[0], *to = &problem->tensor[1];
    const enum case_dtype dtype = to->view.dtype;
    for (int64_t i = 0; i < to->count; i++)
        to->want[i] = is_real(dtype)
                          ? oracle_to_bits(dtype, oracle->real(from->values[i]))
                          : stored(dtype, oracle->integer(integer_of(dtype, from->bits[i])));
}

/* ---- random problems ---- */

static enum case_layout random_layout(struct random *random)
{
    static const enum case_layout layouts[] = {CASE_CONTIGUOUS, CASE_CONTIGUOUS, CASE_STRIDED,
                                               CASE_BROADCAST};
    return layouts[random_below(random, 4)];
}

/* All tensors of one shape, of 0 to 8 dimensions; some are empty. */
static struct test_case random_row(const struct rig_operator *op, struct random *random,
                                   enum case_dtype dtype)
{
    struct test_case test = {.dtype = dtype, .seed = (uint64_t)random_below(random, 1 << 30)};
    int64_t dims[CASE_RANK] = {1, 1, 1, 1, 1, 1, 1, 1}, room = RANDOM_ELEMENTS;
    const int rank = (int)random_between(random, 0, CASE_RANK);
    strcpy(test.op, op->word);
    for (int axis = 0; axis < rank; axis++) {
        const int64_t most = random_once_in(random, 2) ? room : room < 5 ? room : 5;
        dims[axis] = random_once_in(random, 60) ? 0 : random_between(random, 1, most);
        if (dims[axis] > 0) room /= dims[axis];
    }
    if (random_once_in(random, 3)) test.data = CASE_SPECIAL;
    for (int i = 0; i < rig_operand_count(op); i++) {
        struct case_argument *argument = &test.argument[test.arguments++];
        strcpy(argument->name, op->tensor[i]);
        argument->rank = rank;
        memcpy(argument->dims, dims, sizeof dims);
        argument->layout = random_layout(random);
        if (argument->layout == CASE_BROADCAST && op->operand[i].role == RIG_EXACT)
            argument->layout = CASE_STRIDED;
        if (random_once_in(random, 4)) argument->offset = random_between(random, 1, 40);
    }
    return test;
}

/* ---- all rows ---- */

static void make_row(int i)
{
    const struct source *source = &sources[i];
    struct table_row *row = &rows[i];
    const int tensors = rig_operand_count(rows_every_named(source->name));
    row->op = *rows_every_named(source->name);
    row->op.word = word_of(row->op.name, words[i]);
    row->types = source->types;
    row->type_count = source->type_count;
    row->is_unary = tensors == 2 && row->op.operand[0].role == RIG_READ &&
                    row->op.operand[1].role == RIG_EXACT && oracle_unary_of(row->op.name);
    if (row->is_unary) row->op.oracle = unary;
    row->op.random_row = random_row;
}

int table_rows(void)
{
    return ROWS;
}

const struct table_row *table_row(int i)
{
    if (!rows[i].op.name) make_row(i);
    return &rows[i];
}
