/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/rows_table.h"

#include <string.h>

#include "api/op_args.h"
#include "tests/support/oracle_rows.h"
#include "tests/support/rows_every.h"

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
#define CASE_OF_UINT16  CASE_U16
#define CASE_OF_UINT32  CASE_U32
#define CASE_OF_UINT64  CASE_U64

/* No types of the case language, which has real numbers: tests/ops/test_complex.c has them. They
 * are last in their rows. */
#define CASE_OF_COMPLEX64  CASE_DTYPES
#define CASE_OF_COMPLEX128 CASE_DTYPES

#define OPERATOR(name, family, core, types, rule, arguments)                                       \
    static const enum case_dtype name##_types[] = {OP_LIST(CASE_OF_, types)};
#include "api/operators.def"

static const struct source {
    const char *name, *family, *rule;
    const enum case_dtype *types;
    int type_count;
} sources[] = {
#define OPERATOR(name, family, core, types, rule, arguments)                                       \
    {#name, #family, #rule, name##_types, (int)(sizeof name##_types / sizeof name##_types[0])},
#include "api/operators.def"
    {.name = NULL},
};

enum { ROWS = sizeof sources / sizeof sources[0] - 1 };

static struct table_row rows[ROWS + 1];

/* ---- all rows ---- */

static void make_row(int i)
{
    const struct source *source = &sources[i];
    struct table_row *row = &rows[i];
    row->op = *rows_every_named(source->name);
    row->op.types = source->types;
    row->op.type_count = source->type_count;
    while (row->op.types[row->op.type_count - 1] == CASE_DTYPES)
        row->op.type_count--;
    row->op.rule = source->rule;
    row->op.row = oracle_row_of(source->name);
    row->op.runs_empty = true;
    row->family = source->family;
    if (!row->op.row) return;
    row->op.oracle = row->op.row->oracle;
    row->op.random_row = row->op.row->random;
    row->op.fill = row->op.row->fill;
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
