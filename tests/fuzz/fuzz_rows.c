/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that are no more than a row of api/operators.def. */
#include "tests/support/rig_fuzz.h"
#include "tests/support/rows_table.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_ROWS = 1024 };
static const struct rig_operator *list[MOST_ROWS + 1];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    for (int i = 0; i < table_rows() && i < MOST_ROWS; i++)
        list[i] = &table_row(i)->op;
    rig_fuzz_begin(NULL);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return rig_fuzz(list, data, size);
}
