/* SPDX-License-Identifier: Apache-2.0 */
/* What the suites of operators share: one rig for the process, and the rig's checks as assertions
 * that fail with its sentence. */
#ifndef ACLNN_CPU_TESTS_SUITE_H
#define ACLNN_CPU_TESTS_SUITE_H

#include <criterion/criterion.h>

#include "tests/support/rig.h"
#include "tests/support/rig_refusals.h"

enum {
    NULLPTR = ACLNN_ERR_PARAM_NULLPTR,
    INVALID = ACLNN_ERR_PARAM_INVALID,
    CASES = 120 /* random problems of an operator and dtype */
};

static struct rig rig;

static inline void begin(void)
{
    rig_begin(&rig);
}

static inline void end(void)
{
    rig_end(&rig);
}

/* Every test of the suite starts with a fresh rig. */
#define RIG_SUITE(name) TestSuite(name, .init = begin, .fini = end, .timeout = 900)

#define LENGTH(array) ((int)(sizeof(array) / sizeof((array)[0])))

static inline void check_dtype(const struct rig_operator *op, enum case_dtype dtype)
{
    cr_assert(rig_check_random(&rig, op, dtype, CASES), "%s", rig.text);
}

static inline void check_floats(const struct rig_operator *op)
{
    for (int dtype = 0; dtype < CASE_FLOATS; dtype++)
        check_dtype(op, (enum case_dtype)dtype);
}

static inline void check_dtypes(const struct rig_operator *op, const enum case_dtype *dtypes,
                                int count)
{
    for (int i = 0; i < count; i++)
        check_dtype(op, dtypes[i]);
}

static inline void check_environment(const struct rig_operator *op)
{
    cr_assert(rig_check_environment(&rig, op), "%s", rig.text);
}

static inline void check_line(const struct rig_operator *op, const char *line)
{
    cr_assert(rig_check_line(&rig, op, line), "%s", rig.text);
}

static inline void check_lines(const struct rig_operator *op, const char *const *lines, int count)
{
    for (int i = 0; i < count; i++)
        check_line(op, lines[i]);
}

#define CHECK_LINES(op, lines) check_lines(op, lines, LENGTH(lines))
#define CHECK_EACH(op, ...)    CHECK_LINES(op, ((const char *const[]){__VA_ARGS__}))

static inline void check_repeatable(const struct rig_operator *op, const char *line)
{
    cr_assert(rig_check_repeatable(&rig, op, line), "%s", rig.text);
}

/* The lines, and as many random problems, give the same bits whatever the setting is. */
static inline void check_same_bits(const struct rig_operator *op, const struct rig_setting *setting,
                                   const char *const *lines, int count, int problems)
{
    static char text[RIG_TEXT];
    const struct rig_work work = {op, lines, count, problems};
    cr_assert(rig_same_bits(&work, 1, setting, text), "%s", text);
}

static inline void check_settings(const struct rig_operator *op, const char *const *lines,
                                  int count)
{
    check_same_bits(op, &rig_threads, lines, count, 30);
    check_same_bits(op, &rig_isas, lines, count, 30);
}

static inline void check_refusals(struct rig_refusals table)
{
    static char text[RIG_TEXT];
    cr_assert(rig_check_refusals(&table, text), "%s", text);
}

/* Faults of the sound call in the order of its checks; excused may be NULL: see rig_refusals.h. */
#define CHECK_REFUSALS(op, sound, faults, excused)                                                 \
    check_refusals((struct rig_refusals){op, sound, faults, LENGTH(faults), excused})

static inline void check_accepted(const struct rig_operator *op, const char *sound,
                                  const char *const *changes, int count)
{
    static char text[RIG_TEXT];
    cr_assert(rig_check_accepted(op, sound, changes, count, text), "%s", text);
}

#define CHECK_ACCEPTED(op, sound, changes) check_accepted(op, sound, changes, LENGTH(changes))

#endif
