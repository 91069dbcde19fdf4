/* SPDX-License-Identifier: Apache-2.0 */
/* Each row of api/operators.def is tested: it has an oracle and is in a list that the fuzz targets,
 * the hostile arguments and the cases of the tree go through. And its pointers are checked. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/ops/suite.h"
#include "tests/support/rows_all.h"
#include "tests/support/rows_every.h"

RIG_SUITE(every_operator);

static const struct rig_operator *row_named(const char *name)
{
    for (int i = 0; i < rows_all(); i++)
        if (strcmp(rows_all_at(i)->name, name) == 0) return rows_all_at(i);
    return NULL;
}

Test(every_operator, has_an_oracle_and_is_listed)
{
    cr_assert_gt(rows_every_count(), 0);
    for (int i = 0; i < rows_every_count(); i++) {
        const char *name = rows_every(i)->name;
        const struct rig_operator *row = row_named(name);
        cr_expect_not_null(row, "%s is in no list of tests/support/rows_*", name);
        cr_expect(!row || row->oracle, "%s has no oracle", name);
    }
}

/* A tensor is written where its row says OUT, and only there. */
Test(every_operator, has_the_roles_of_its_row)
{
    for (int i = 0; i < ROWS_BY_HAND; i++) {
        const struct rig_operator *row = rows_all_at(i);
        const struct rig_operator *bare = rows_every_named(row->name);
        cr_assert_not_null(bare, "%s has no row", row->name);
        for (int j = 0; j < rig_operand_count(row); j++)
            cr_expect_eq(rig_is_output(&row->operand[j]), rig_is_output(&bare->operand[j]),
                         "%s of %s", row->tensor[j], row->name);
    }
}

static void check_null(struct rig_call *call, const char *argument)
{
    char sentence[96];
    aclGetRecentErrMsg();
    const aclnnStatus status = rig_phase1(call);
    const char *text = aclGetRecentErrMsg();
    snprintf(sentence, sizeof sentence, "%s is NULL", argument);
    cr_expect_eq(status, NULLPTR, "%s: %d", call->op->name, status);
    cr_expect(text && strstr(text, call->op->name) && strstr(text, sentence), "%s, no %s: %s",
              call->op->name, argument, text ? text : "no text");
    cr_expect(call->workspace_size == RIG_UNWRITTEN_SIZE && !call->executor, "%s wrote its outputs",
              call->op->name);
}

/* Nothing given at all: what phase 1 writes is asked for first, then some argument. */
Test(every_operator, refuses_null)
{
    for (int i = 0; i < rows_every_count(); i++) {
        struct rig_call call = {.op = rows_every(i), .no_size = true};
        check_null(&call, "workspaceSize");
        call.no_size = false;
        call.no_executor = true;
        check_null(&call, "executor");
        call.no_executor = false;
        check_null(&call, "");
    }
}

Test(every_operator, refuses_an_executor_that_is_null)
{
    for (int i = 0; i < rows_every_count(); i++) {
        const aclnnStatus status = rows_every(i)->phase2(NULL, 0, NULL, rig.stream);
        const char *text = aclGetRecentErrMsg();
        cr_expect_eq(status, NULLPTR, "%s: %d", rows_every(i)->name, status);
        cr_expect(text && strstr(text, rows_every(i)->name) && strstr(text, "executor"), "%s: %s",
                  rows_every(i)->name, text ? text : "no text");
    }
}
